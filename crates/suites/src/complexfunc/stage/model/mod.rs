//! Requests that a model writes and serves, instead of a plan: coarse requests, calls on the way, corrections.

pub(crate) mod annotate;
pub(crate) mod coarse_queries;
pub(crate) mod correct;
pub(crate) mod existing;
pub(crate) mod generalize_model;
pub(crate) mod sampled;
pub(crate) mod settled;
pub(crate) mod trace;
