//! Makes the samples of a run again in the run's locale, by a model that translates them.

mod answer;
mod ask;
mod check;
mod config;
mod conversation;
mod numerals;
mod tools;
mod values;
mod words;

pub(super) use config::LocalizeConfig;
