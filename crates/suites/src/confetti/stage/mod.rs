//! The stages that make CONFETTI: scenarios, conversations, and what is proved of them.

pub(crate) mod complexities;
pub(crate) mod conversations;
pub(crate) mod conversing;
pub(crate) mod dialog_acts;
pub(crate) mod scenario_review;
pub(crate) mod scenarios;
pub(crate) mod turn_items;
