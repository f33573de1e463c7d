//! What many unit tests read.

use crate::llm::Prompts;
use crate::score::refusal::{RefusalWords, Refusals};
pub use fcgen_tools::fixtures::{any_value, assets, folder, language, pack, toolset};
use serde::Deserialize;

/// The words with which models refuse, of a few shipped locales.
pub fn refusals(codes: &[&str]) -> Refusals {
    #[derive(Deserialize)]
    struct File {
        refusals: RefusalWords,
    }
    let read = |code: &&str| -> File {
        let text = assets().read(&format!("locales/{code}/scoring.toml")).unwrap_or_default();
        toml::from_str(&text).unwrap_or_else(|error| panic!("{error}"))
    };
    let files: Vec<File> = codes.iter().map(read).collect();
    Refusals::new(files.iter().map(|file| &file.refusals))
}

/// The prompts that ship.
pub fn prompts() -> Prompts {
    Prompts::shipped(assets())
}
