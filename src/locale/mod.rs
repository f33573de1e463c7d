//! What a language is, as code and data: scripts, numerals, dates, Rouge-L, and whether a value stands in a text.
//!
//! No word of any language is in the code; the words are in `locales/<code>/language.toml`.

mod dates;
mod language;
mod numerals;
mod rouge;
mod script;
mod stands;
mod surface;

pub use dates::{Date, Moment, Said, Stamp, Time, resolve};
pub use language::{Language, LocaleError, RougeDefaults, ScriptRule};
pub use numerals::{FoundNumber, in_words, numbers_in};
pub use rouge::{Document, NearDuplicates, RougeL};
pub use script::{Script, right_script, script_share};
pub use stands::{Found, Stand, value_stands};
pub use surface::Folded;
