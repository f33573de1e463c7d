//! What a text says: values that stand in it, dates and numbers that it names, and texts that are alike.

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
