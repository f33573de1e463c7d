//! Questions that want one or several calls in order, from many candidates.

mod chain;
mod tool;

pub(crate) use chain::read_calls;
pub(crate) use tool::RouteTool;
