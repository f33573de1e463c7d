//! How strings are scored, by the names that people give.

use crate::assets::Assets;
use crate::confetti::metric::{Guard, Measure, StringScore};
use indexmap::IndexMap;
use serde::Deserialize;

/// Where the words for numbers stand.
const PATH: &str = "profiles/confetti.toml";
/// The names of measures.
const MEASURES: [(&str, Measure); 8] = [
    ("exact", Measure::Exact),
    ("token_f1", Measure::TokenF1),
    ("rouge_l", Measure::RougeL),
    ("chrf", Measure::Chrf),
    ("embedding", Measure::Embedding),
    ("http", Measure::Http),
    ("judge", Measure::Judge),
    ("llm_judge", Measure::Judge),
];

/// Why strings cannot be scored so.
#[derive(Debug, thiserror::Error)]
pub enum ProfileError {
    /// Nobody knows the score.
    #[error(
        "unknown string score `{0}`; expected `exact`, `token_f1`, `rouge_l`, `chrf`, `embedding`, `http` or `judge`, or any but the first with the prefix `guarded_`"
    )]
    Unknown(String),
    /// The words for numbers cannot be read.
    #[error("`{PATH}`: {0}")]
    Words(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    numbers: IndexMap<String, String>,
}

/// The guard with the words that ship with fcgen.
pub fn guard(assets: &Assets) -> Result<Guard, ProfileError> {
    let text = assets.read(PATH).ok_or_else(|| ProfileError::Words("it is missing".to_owned()))?;
    let file: File = crate::toml_text::from_toml(&text).map_err(|error| ProfileError::Words(error.to_string()))?;
    Ok(Guard::new(file.numbers))
}

/// The score of a name.
pub fn string_score(assets: &Assets, name: &str) -> Result<StringScore, ProfileError> {
    let (measure, is_guarded) = name.strip_prefix("guarded_").map_or((name, false), |rest| (rest, true));
    let found = MEASURES.iter().find(|(known, kind)| *known == measure && !(is_guarded && *kind == Measure::Exact));
    let (_, measure) = found.ok_or_else(|| ProfileError::Unknown(name.to_owned()))?;
    Ok(StringScore { measure: *measure, guard: is_guarded.then(|| guard(assets)).transpose()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_answers_to_its_name() {
        for name in [
            "exact",
            "token_f1",
            "rouge_l",
            "chrf",
            "guarded_token_f1",
            "guarded_rouge_l",
            "guarded_chrf",
            "embedding",
            "http",
            "judge",
            "guarded_embedding",
        ] {
            assert_eq!(string_score(crate::fixtures::assets(), name).unwrap().name(), name);
        }
        assert_eq!(string_score(crate::fixtures::assets(), "llm_judge").unwrap().name(), "judge");
        for name in ["", "guarded_exact", "bleu", "guarded_"] {
            assert!(
                string_score(crate::fixtures::assets(), name)
                    .unwrap_err()
                    .to_string()
                    .starts_with(&format!("unknown string score `{name}`"))
            );
        }
    }

    #[test]
    fn words_for_numbers_ship_with_us() {
        assert!(!guard(crate::fixtures::assets()).unwrap().allows("a table for two", "a table for three"));
        assert!(guard(crate::fixtures::assets()).unwrap().allows("a table for two of us", "table for 2"));
    }
}
