//! Tables of figures, and the forms in which they are written.

mod table;
mod write;

pub use table::{Cell, Figure, Table};
pub use write::{Form, write, write_with};
