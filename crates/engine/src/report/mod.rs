//! Tables of figures, and the forms in which they are written; a page that shows a run; a sheet to review samples in.

pub mod page;
mod sheet;
mod table;
mod write;

pub use sheet::{COLUMNS, Decision, Opinion, Sheet, SheetError, read_sheet};
pub use table::{Cell, Figure, Table, count_label};
pub use write::{Form, write, write_with};
