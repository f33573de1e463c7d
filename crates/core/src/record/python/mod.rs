//! Values and texts as Python writes and cuts them: `repr`, `str`, `json.dumps`, `strip`, `split`.

mod dump;
mod repr;
mod text;

pub use dump::{Dump, dump, dump_object};
pub use repr::{float as float_text, is_text, quoted, text_of};
pub use text::{is_space, trim, words};
