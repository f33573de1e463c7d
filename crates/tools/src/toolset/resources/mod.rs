//! Regular APIs, declared by resource: names, parameters, answers and what people say follow from a few things with a few
//! operations each.

mod api;
mod domain;
mod folder;
mod follows;
mod join;
mod lint;
mod matters;
mod shape;
pub(super) mod source;
mod structure;
#[cfg(test)]
pub(crate) mod testing;
mod text;
mod tools;

pub use domain::{Answer, Api, Content, Domain, Field, Formula, Matter, Operation, Resource, Saying, Slot};
pub(super) use folder::read;
pub(super) use lint::lint;
pub use shape::Shape;
pub use source::Fault;
