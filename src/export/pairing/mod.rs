//! Pairs of a right and a wrong answer, and rewards.

pub(crate) mod metric;
pub(crate) mod pairs;
pub(crate) mod rejected;
pub(crate) mod reward;
