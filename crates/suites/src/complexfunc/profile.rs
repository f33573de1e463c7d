//! By which rules a benchmark is scored, and what is known of its APIs.

use crate::assets::Assets;
use crate::complexfunc::metric::{Dialect, Rules, Settings, Similarity, Strict};
use indexmap::IndexMap;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Where the authors' settings stand.
const AUTHORS: &str = "profiles/complexfuncbench.toml";
/// A benchmark's own settings, and where they may lie below its folder.
const OWN: &str = "toolset.json";
const FOLDERS: [&str; 4] = ["", "benchmark", "data", "benchmark/data"];
/// The parameters whose values must be exactly the right ones, in a file of the authors.
const EXACT: [&str; 2] = ["exact_match_values.json", "utils/exact_match_values.json"];

/// By which rules trajectories are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Profile {
    /// The rules.
    pub rules: Rules,
    /// How calls that are left over are matched.
    pub similarity: Similarity,
}

/// Why what is known of the APIs cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file does not hold what it should.
    #[error("`{}`: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
}

/// The types that arguments have by the words of their names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct ArgumentTypes {
    argument_types: IndexMap<String, Vec<String>>,
}

impl Profile {
    /// The authors' rules, for one of their runners.
    pub fn upstream(dialect: Dialect) -> Self {
        Self { rules: Rules::Upstream(dialect), similarity: Similarity::Structured }
    }

    /// Its name and version, as reports give them.
    pub fn version(self) -> String {
        let mapping = match self.similarity {
            Similarity::Structured => "structured",
            Similarity::Trigram256 => "trigram256",
            Similarity::Embedding => "embedding",
        };
        match self.rules {
            Rules::Strict(Strict { max_turns, ends_when_all_wrong }) => {
                let all_wrong = if ends_when_all_wrong { ", ends when all is wrong" } else { "" };
                format!("complexfuncbench strict, version 1 (at most {max_turns} turns{all_wrong}; mapping {mapping})")
            }
            Rules::Upstream(dialect) => {
                let runner = dialect.as_str();
                format!("complexfuncbench upstream (as commit c37b284, runner {runner}; mapping {mapping}), version 1")
            }
        }
    }
}

/// The file of its own settings that a benchmark in a folder has, if it has one.
pub fn own_settings(folder: &Path) -> Option<PathBuf> {
    FOLDERS.iter().map(|inner| folder.join(inner).join(OWN)).find(|path| path.is_file())
}

/// What is known of the APIs of the benchmark in a folder: its own settings, or else the authors', with their list of exact
/// values where it is there.
pub fn settings_of(assets: &Assets, folder: &Path) -> Result<Settings, SettingsError> {
    if let Some(path) = own_settings(folder) {
        return read_settings(&path);
    }
    let mut settings: Settings = shipped(assets)?;
    let exact = EXACT.iter().flat_map(|name| FOLDERS.map(|inner| folder.join(inner).join(name)));
    if let Some(path) = exact.into_iter().find(|path| path.is_file()) {
        settings.exact_match_values = read_json(&path)?;
    }
    Ok(settings)
}

/// What a model is told of a call that is wrong, and of no more.
pub fn generic_error(assets: &Assets) -> Result<String, SettingsError> {
    #[derive(Deserialize)]
    struct Told {
        generic_error: String,
    }
    shipped::<Told>(assets).map(|told| told.generic_error)
}

/// Settings from a file.
pub fn read_settings(path: &Path) -> Result<Settings, SettingsError> {
    let settings: Settings = read_json(path)?;
    if settings == Settings::default() {
        let problem = "missing `free_functions` and `exact_match_values`".to_owned();
        return Err(SettingsError::Format { path: path.to_owned(), problem });
    }
    Ok(settings)
}

impl ArgumentTypes {
    /// Those that ship with fcgen.
    pub fn shipped(assets: &Assets) -> Result<Self, SettingsError> {
        shipped(assets)
    }

    /// The type of a parameter, by the words of its name.
    pub fn of(&self, parameter: &str) -> Option<&str> {
        let words = words(parameter);
        let has_one = |wanted: &[String]| wanted.iter().any(|word| words.contains(word));
        self.argument_types.iter().find(|(_, wanted)| has_one(wanted)).map(|(name, _)| name.as_str())
    }
}

/// The words of a name: parts between other marks, and parts that begin with a capital.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && was_small) {
            words.push(String::new());
        }
        was_small = letter.is_lowercase();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

fn shipped<T: DeserializeOwned>(assets: &Assets) -> Result<T, SettingsError> {
    let fault = |problem: String| SettingsError::Format { path: AUTHORS.into(), problem };
    let text = assets.read(AUTHORS).ok_or_else(|| fault("it is missing".to_owned()))?;
    crate::toml_text::from_toml(&text).map_err(|error| fault(error.to_string()))
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, SettingsError> {
    let text = std::fs::read_to_string(path).map_err(|source| SettingsError::Io { path: path.to_owned(), source })?;
    let fault = |error: serde_json::Error| SettingsError::Format { path: path.to_owned(), problem: error.to_string() };
    serde_json::from_str(&text).map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authors_settings_are_there_with_their_list_if_it_lies_beside() {
        let folder = tempfile::tempdir().unwrap();
        let settings = settings_of(crate::fixtures::assets(), folder.path()).unwrap();
        assert_eq!((settings.free_functions.len(), settings.free_removed_at_end.len()), (6, 5));
        assert_eq!(settings.free_by_argument.unwrap().argument, "search_type");
        assert!(
            settings.exact_match_values.is_empty() && !generic_error(crate::fixtures::assets()).unwrap().is_empty()
        );
        std::fs::write(folder.path().join("exact_match_values.json"), r#"{"f": ["a"]}"#).unwrap();
        assert_eq!(settings_of(crate::fixtures::assets(), folder.path()).unwrap().exact_match_values["f"], ["a"]);
    }

    #[test]
    fn a_benchmark_may_have_its_own() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        let path = folder.path().join("data/toolset.json");
        std::fs::write(&path, r#"{"free_functions": ["f"]}"#).unwrap();
        assert_eq!(settings_of(crate::fixtures::assets(), folder.path()).unwrap().free_functions, ["f"]);
        std::fs::write(&path, "{\"lookups\": [\"f\"]}").unwrap();
        assert!(
            settings_of(crate::fixtures::assets(), folder.path())
                .unwrap_err()
                .to_string()
                .ends_with("missing `free_functions` and `exact_match_values`")
        );
        std::fs::write(&path, "[").unwrap();
        let told = settings_of(crate::fixtures::assets(), folder.path()).unwrap_err().to_string();
        assert!(told.contains("data/toolset.json`: EOF while"), "{told}");
        assert!(read_settings(Path::new("/no/such")).unwrap_err().to_string().starts_with("cannot read `/no/such`: "));
    }

    #[test]
    fn arguments_have_types_by_the_words_of_their_names() {
        let types = ArgumentTypes::shipped(crate::fixtures::assets()).unwrap();
        for (name, kind) in [
            ("departDate", Some("date")),
            ("pick_up_time", Some("time")),
            ("toId", Some("id")),
            ("hotel_id", Some("id")),
            ("sort_by", Some("sort_by")),
            ("driver_age", Some("age")),
            ("categories_filter", Some("filter")),
            ("vehicle_key", Some("key")),
            ("cabinClass", Some("type")),
            ("pick_up_latitude", Some("location")),
            ("currency_code", None),
            ("idle", None),
        ] {
            assert_eq!(types.of(name), kind, "{name}");
        }
    }

    #[test]
    fn profiles_have_their_versions() {
        assert_eq!(
            Profile::default().version(),
            "complexfuncbench strict, version 1 (at most 30 turns; mapping structured)"
        );
        let profile = Profile { similarity: Similarity::Trigram256, ..Profile::upstream(Dialect::Qwen) };
        assert_eq!(
            profile.version(),
            "complexfuncbench upstream (as commit c37b284, runner qwen; mapping trigram256), version 1"
        );
        let ends = Profile {
            rules: Rules::Strict(Strict { ends_when_all_wrong: true, max_turns: 5 }),
            similarity: Similarity::Embedding,
        };
        assert_eq!(
            ends.version(),
            "complexfuncbench strict, version 1 (at most 5 turns, ends when all is wrong; mapping embedding)"
        );
    }
}
