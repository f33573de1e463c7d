//! CallNavi's way: a question, up to a hundred candidates, and one or several calls in order.

mod asking;
mod plan;
mod questions;

pub use asking::Navigation;
pub use plan::{Approach, Goal, Plan};
pub use questions::Declared;
