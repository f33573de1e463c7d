//! The meaning of texts: grounded values, dates, durations and numbers, and similarity.

pub(super) mod alike;
pub(super) mod cut;
pub(super) mod durations;
pub(super) mod reading;
pub(super) mod rouge;
pub(super) mod same;
pub(super) mod script;
pub(super) mod stands;
pub(super) mod surface;
pub(super) mod twins;
pub(super) mod wordings;
