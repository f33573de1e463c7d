//! The stages that make CallNavi: APIs, and questions that take one call or several.

pub(crate) mod apis;
pub(crate) mod ask;
pub(crate) mod drafts;
pub(crate) mod judge_questions;
pub(crate) mod questions;
