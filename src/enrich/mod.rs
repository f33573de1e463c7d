//! Completes a toolset, or begins a locale, by a model: descriptions that are empty, utterances, values, the text of
//! another locale, and the situations that people are in. What a
//! model writes is taken only if it passes the gates; types, names and listed values never change.

mod check;
mod drive;
mod locale;
mod situation_text;
mod situations;
mod text;
mod writer;

pub use drive::{EnrichError, Enrichment, Job, Refused, enrich};
pub use locale::{LocaleDraft, LocaleJob, begin_locale};
pub use situations::{RefusedSituation, Situations, write_situations};
