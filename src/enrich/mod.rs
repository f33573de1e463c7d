//! Completes a toolset, or begins a locale, by a model: descriptions that are empty, utterances, values and the text of another locale. What a
//! model writes is taken only if it passes the gates; types, names and listed values never change.

mod check;
mod drive;
mod locale;
mod text;

pub use drive::{EnrichError, Enrichment, Job, Refused, enrich};
pub use locale::{LocaleDraft, LocaleJob, begin_locale};
