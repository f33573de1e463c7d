//! Our own profile: values are typed, whatever an earlier answer gives is free at every depth, nothing may be added, and every
//! failed item says why.

mod compare;
mod error;
mod gold;
mod judge;
mod read;
mod retype;
mod route;
mod shape;
mod steps;
mod verdict;
mod way;

pub use error::ErrorClass;
pub use gold::{Gold, GoldCall};
pub use judge::read_score;
pub use route::RouteVerdict;
pub use verdict::{Given, Verdict};
pub use way::{Form, Place, Way};
