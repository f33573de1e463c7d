//! A locale: its language as facts (script, numerals, dates, Rouge-L, whether a value stands in a text) and its pack
//! (how people ask, the values that they name, the cue words of a reader).
//!
//! No word of any language is in the code; the words are in `locales/<code>/`.

mod bundle;
mod dates;
mod days;
mod error;
mod gaps;
mod kind;
mod language;
mod meaning;
mod numerals;
mod pack;
mod particle;
mod pattern;
mod phrases;

pub use bundle::BundleText;
pub use dates::{Date, Moment, Said, Stamp, Time, resolve, weekday_name, weekdays};
pub use days::{DayOrder, Days};
pub use error::LocaleError;
pub(crate) use gaps::locale_file;
pub use gaps::{FALLBACK, NEEDED, english_files, pack_gaps, pack_needs};
pub use kind::{Drawn, Kind, KindText, Numbers};
pub use language::{Language, LanguageError, RougeDefaults, ScriptRule};
pub use meaning::cut::Cutter;
pub use meaning::durations::{FoundDuration, durations_in};
pub use meaning::reading::{MASK, Meaning, Reading};
pub use meaning::rouge::{Document, NearDuplicates, RougeL};
pub use meaning::same::same_meaning;
pub use meaning::script::{Script, right_script, script_share};
pub use meaning::stands::{Found, Stand, value_stands};
pub use meaning::surface::Folded;
pub use meaning::twins::twins;
pub use meaning::wordings::{DaySaid, day_said, is_time, other_times};
pub use numerals::{FoundNumber, in_words, numbers_in};
pub use pack::{Pack, Side, Strays, Style, is_ended, kind_texts};
pub(crate) use pack::{parse_all, read_toml};
pub use particle::{Agreement, Particles};
pub use pattern::{Fill, Part, Pattern, PatternError};
pub use phrases::apis::{ApiOperation, Apis};
pub use phrases::chat::{ChatPhrases, Exchange, FaultPhrases, Topic};
pub use phrases::derived::{Derived, words};
pub use phrases::dialogue::{DialoguePhrases, Manner, PaperPhrases};
pub use phrases::external::External;
pub use phrases::functions::FunctionPhrases;
pub use phrases::question::{Change, Joins, QuestionPhrases, Transform};
pub use phrases::request::{RequestPhrases, Times};
pub use phrases::resources::ResourcePhrases;
pub use phrases::slot::SlotWords;
pub use phrases::talk::{Level, Most, TalkWords, begins};
