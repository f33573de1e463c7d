//! A locale: its language as facts (script, numerals, dates, Rouge-L, whether a value stands in a text) and its pack
//! (how people ask, the values that they name, the cue words of a reader).
//!
//! No word of any language is in the code; the words are in `locales/<code>/`.

mod alike;
mod chat;
mod cues;
mod cut;
mod dates;
mod days;
mod derived;
mod dialogue;
mod durations;
mod error;
mod external;
mod functions;
mod gaps;
mod kind;
mod language;
mod numerals;
mod pack;
mod particle;
mod pattern;
mod question;
mod reading;
mod request;
mod resources;
mod rouge;
mod script;
mod slot;
mod stands;
mod surface;
mod talk;
mod twins;
mod wordings;

pub use chat::{ChatPhrases, Exchange, FaultPhrases, Topic};
pub use cut::Cutter;
pub use dates::{Date, Moment, Said, Stamp, Time, resolve};
pub use days::{DayOrder, Days};
pub use derived::{Derived, words};
pub use dialogue::{DialoguePhrases, Manner, PaperPhrases};
pub use durations::{FoundDuration, durations_in};
pub use error::LocaleError;
pub use external::External;
pub use functions::FunctionPhrases;
pub use gaps::pack_gaps;
pub use kind::{Drawn, Kind, KindText, Numbers};
pub use language::{Language, LanguageError, RougeDefaults, ScriptRule};
pub use numerals::{FoundNumber, in_words, numbers_in};
pub use pack::{Pack, Side, Strays, Style};
pub(crate) use pack::{kind_texts, parse_all, read_toml};
pub use particle::{Agreement, Particles};
pub use pattern::{Fill, Part, Pattern, PatternError};
pub use question::{Change, Joins, QuestionPhrases, Transform};
pub use reading::{MASK, Meaning, Reading};
pub use request::{RequestPhrases, Times};
pub use resources::ResourcePhrases;
pub use rouge::{Document, NearDuplicates, RougeL};
pub use script::{Script, right_script, script_share};
pub use slot::SlotWords;
pub use stands::{Found, Stand, value_stands};
pub use surface::Folded;
pub use talk::{Level, Most, TalkWords, begins};
pub use twins::twins;
pub use wordings::{DaySaid, day_said, is_time, other_times};
