//! What is asked for, before it is a sample: questions, dialogues and conversations with their plans.

pub(super) mod complex_query;
pub(super) mod complexity;
pub(super) mod constraint;
pub(super) mod conversation;
pub(super) mod dialogue;
pub(super) mod graph;
pub(super) mod plan;
pub(super) mod question;
pub(super) mod sayings;
pub(super) mod scenario;
pub(super) mod user_turn;
