//! Our own profile: values are typed, whatever an earlier answer gives is free at every depth, nothing may be added, and every
//! failed item says why.

mod compare;
mod read;
mod route;
mod shape;
mod verdict;

pub use read::{Form, Place, Way, read_score};
pub use route::RouteVerdict;
pub use verdict::{ErrorClass, Given, Gold, GoldCall, Verdict};
