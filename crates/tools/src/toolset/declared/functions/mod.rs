//! Declared functions: their parameters, what they answer, and how people name what they find.

pub(super) mod answered;
pub(super) mod envelope;
pub(super) mod function;
pub(super) mod parameters;
pub(super) mod quality;
pub(super) mod sayings;
pub(super) mod tools;
