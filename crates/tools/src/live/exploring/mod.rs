//! Finding out what really exists behind live tools, and writing it down.

pub(super) mod anchors;
pub(super) mod explore;
pub(super) mod guess;
pub(super) mod leaves;
pub(super) mod phrases;
pub(super) mod spoken;
pub(super) mod written;
