//! Rows of the audit that look at the wording of texts.

pub(crate) mod examples;
pub(crate) mod frames;
pub(crate) mod habits;
pub(crate) mod repeats;
pub(crate) mod scaffold;
pub(crate) mod variety;
