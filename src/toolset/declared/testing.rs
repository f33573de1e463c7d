//! A small world for the tests of declared functions.

use super::Declaration;
use crate::toolset::{Toolset, ToolsetError};
use std::sync::Arc;

/// The folder of the small world.
pub(crate) const FOLDER: &str = "tests/fixtures/toolsets/inn";

const FILES: [&str; 4] = ["world/inns.toml", "world/towns.csv", "en/inns.toml", "en/towns.csv"];

/// The small world in a locale.
pub(crate) fn inn(locale: &str) -> Arc<Declaration> {
    Toolset::load(FOLDER, locale).unwrap().world.unwrap()
}

/// The faults of the small world, with one text of its structure replaced.
pub(crate) fn world_faults(old: &str, new: &str) -> Vec<String> {
    load_with(FILES[0], old, new).unwrap_err()
}

/// The faults of the small world, with one text of what English says replaced.
pub(crate) fn text_faults(old: &str, new: &str) -> Vec<String> {
    load_with(FILES[2], old, new).unwrap_err()
}

/// Loads the small world with one text of a file replaced.
pub(crate) fn load_with(changed: &str, old: &str, new: &str) -> Result<Toolset, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("mine");
    for file in FILES {
        let mut text = std::fs::read_to_string(format!("{FOLDER}/{file}")).unwrap();
        if file == changed {
            assert!(text.contains(old), "{old}");
            text = text.replace(old, new);
        }
        std::fs::create_dir_all(place.join(file).parent().unwrap()).unwrap();
        std::fs::write(place.join(file), text).unwrap();
    }
    let prefix = format!("{}/", place.display());
    Toolset::load(place.to_str().unwrap(), "en").map_err(|error| match error {
        ToolsetError::Faults { faults } => faults.iter().map(|it| it.to_string().replace(&prefix, "")).collect(),
        other => vec![other.to_string().replace(&prefix, "")],
    })
}
