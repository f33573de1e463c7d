//! Domains for the tests of this folder: a whole one, and small ones with one thing wrong.

use crate::toolset::{Domain, Toolset, ToolsetError};
use std::sync::Arc;

/// The domain that shows every operation.
pub(crate) fn bank(locale: &str) -> Arc<Domain> {
    Arc::clone(
        &Toolset::load(crate::fixtures::assets(), "tests/fixtures/toolsets/office", locale).unwrap().domains["bank"],
    )
}

pub(crate) const STRUCTURE: &str = "[card]\nid = \"K####\"\nrows = 5\n[card.fields]\nlimit = \"amount\"\nstate = [\"open\", \"shut\"]\n\
    [card.tools]\ngetLimit = { get = [\"limit\"] }\n";

pub(crate) const TEXT: &str = "title = \"Cards\"\nscenario = \"Cards.\"\n[card]\nnoun = \"card\"\ncalled = [\"card {id}\"]\n\
    [card.fields]\nlimit = \"limit\"\nstate = \"state\"\n[card.tools.getLimit]\ndescription = \"Returns the limit\"\n\
    intents = [\"see how far {cardId} goes\"]\n";

/// Loads one domain of these two files.
pub(crate) fn load(structure: &str, text: &str) -> Result<Toolset, Vec<String>> {
    load_all(&[("cards", structure, text)])
}

/// Loads several domains; faults without the folder.
pub(crate) fn load_all(domains: &[(&str, &str, &str)]) -> Result<Toolset, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("mine");
    for (domain, structure, text) in domains {
        for (name, content) in [("resources", structure), ("en", text)] {
            std::fs::create_dir_all(place.join(name)).unwrap();
            std::fs::write(place.join(name).join(format!("{domain}.toml")), content).unwrap();
        }
    }
    let prefix = format!("{}/", place.display());
    Toolset::load(crate::fixtures::assets(), place.to_str().unwrap(), "en").map_err(|error| match error {
        ToolsetError::Faults { faults } => faults.iter().map(|it| it.to_string().replace(&prefix, "")).collect(),
        other => vec![other.to_string().replace(&prefix, "")],
    })
}

/// The faults of the small domain, with one text of its structure replaced.
pub(crate) fn structure_faults(old: &str, new: &str) -> Vec<String> {
    assert!(STRUCTURE.contains(old), "{old}");
    load(&STRUCTURE.replace(old, new), TEXT).unwrap_err()
}

/// The faults of the small domain, with one text of what people say replaced.
pub(crate) fn text_faults(old: &str, new: &str) -> Vec<String> {
    assert!(TEXT.contains(old), "{old}");
    load(STRUCTURE, &TEXT.replace(old, new)).unwrap_err()
}
