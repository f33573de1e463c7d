//! Makes the samples of a run again in the run's locale, by a model that translates them.

mod ask;
mod check;
mod config;
mod numerals;
mod values;
mod words;

pub use config::LocalizeConfig;
