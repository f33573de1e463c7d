//! Plans the calls of a complex query in a declared world: which functions, fed by what, said how.
//!
//! `cases` draws what a request is about, such as a trip, `sketch` strings functions together along the answers that hold what they take, `branch` doubles what is to be
//! compared, `join` puts several matters into one plan, `values` draws what the request says, and `walk` makes the calls.

mod branch;
mod brief;
mod cases;
mod fed;
mod inferred;
mod join;
mod picked;
mod sketch;
#[cfg(test)]
pub(crate) mod testing;
mod told;
mod values;
mod walk;

pub(crate) use brief::{brief, count_up, wanted_items};
pub(crate) use brief::{changeable, day_order, describe, protected};
pub(crate) use cases::{CaseBook, agrees, reasons};
pub(crate) use inferred::inferred;
pub(crate) use join::{Shape, Wish, any_shape, missing_links, plan, shapes};
#[cfg(test)]
pub(crate) use picked::picked;
pub(crate) use picked::{Meant, at, beaten, items, list_at, meant, place, without, without_rivals};
pub(crate) use told::{can_be_told, told};
pub(crate) use values::{Given, Said, draw_values};
pub(crate) use walk::{Walked, walk};
