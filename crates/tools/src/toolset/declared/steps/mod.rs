//! The steps of a declared function, and the expressions and templates in them.

pub(super) mod cell;
pub(super) mod course;
pub(super) mod expression;
pub(super) mod join;
pub(super) mod order;
pub(super) mod pick;
pub(super) mod reader;
pub(super) mod step;
pub(super) mod template;
pub(super) mod text;
