//! A small world for the tests of declared functions.

use super::Declaration;
use crate::toolset::{Toolset, ToolsetError};
use std::sync::Arc;

/// The folder of the small world.
pub const FOLDER: &str = "tests/fixtures/toolsets/inn";

const FILES: [&str; 4] = ["world/inns.toml", "world/towns.csv", "en/inns.toml", "en/towns.csv"];

/// The small world in a locale.
pub fn inn(locale: &str) -> Arc<Declaration> {
    Toolset::load(crate::fixtures::assets(), FOLDER, locale).unwrap().world.unwrap()
}

/// The faults of the small world, with one text of its structure replaced.
pub fn world_faults(old: &str, new: &str) -> Vec<String> {
    load_with(FILES[0], old, new).unwrap_err()
}

/// The faults of the small world, with one text of what English says replaced.
pub fn text_faults(old: &str, new: &str) -> Vec<String> {
    load_with(FILES[2], old, new).unwrap_err()
}

/// Loads the small world with one text of a file replaced.
pub fn load_with(changed: &str, old: &str, new: &str) -> Result<Toolset, Vec<String>> {
    load_files(&[(changed, old, new)])
}

/// Loads the small world with texts replaced: the file, what stands there, what stands there instead.
pub fn load_files(changes: &[(&str, &str, &str)]) -> Result<Toolset, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("mine");
    for file in FILES {
        let mut text = crate::fixtures::assets().read(&format!("{FOLDER}/{file}")).unwrap();
        for (_, old, new) in changes.iter().filter(|(changed, ..)| *changed == file) {
            assert!(text.contains(old), "{old}");
            text = text.replace(old, new);
        }
        std::fs::create_dir_all(place.join(file).parent().unwrap()).unwrap();
        std::fs::write(place.join(file), text).unwrap();
    }
    told_of(Toolset::load(crate::fixtures::assets(), place.to_str().unwrap(), "en"), &format!("{}/", place.display()))
}

/// What is told of each of several changes to the small world's structure.
pub fn told(changes: &[(&str, &str)]) -> String {
    let of = |(old, new): &(&str, &str)| {
        let faults: Vec<String> = load_with(FILES[0], old, new).err().unwrap_or_default();
        let lines = std::iter::once((*new).to_owned()).chain(faults.iter().map(|fault| format!("    {fault}")));
        lines.collect::<Vec<_>>().join("\n") + "\n"
    };
    changes.iter().map(of).collect()
}

/// Tables whose rows are known: places of two sides, an inn in each, and notes that a call may make.
const KNOWN: &str = r#"
[tables.places]
from = "places.json"
[tables.inns]
each = { place = "places" }
rows = 1
[tables.inns.columns]
id = { value = "'inn_' ~ place.id" }
beds = { value = "place.size * 2" }
[tables.notes]
rows = 0
[tables.notes.columns]
id = { shape = "N##" }
text = { one_of = ["nothing"] }
[steps]
small = [{ where = "row.size < 2" }]
"#;

const PLACES: &str = r#"[{"id": "a", "side": "west", "size": 3}, {"id": "b", "side": "east", "size": 1},
{"id": "c", "side": "west", "size": 2}, {"id": "d", "side": "east", "size": 1}]"#;

/// A world over known tables with one function `F`, whose steps these are, and which gives this.
pub fn known(steps: &str, give: &str) -> Result<Toolset, Vec<String>> {
    let parameters = "x = {}\nn = { type = \"number\" }\nlist = { type = \"array\" }\n";
    let function = format!("[functions.F]\nsteps = [{steps}]\ngive = {give}\n[functions.F.parameters]\n{parameters}");
    let text =
        "[parameters]\nx = \"x\"\nn = \"n\"\nlist = \"list\"\n[errors]\nno = \"No.\"\n[F]\ndescription = \"f\"\n";
    toolset_of(&format!("{KNOWN}{function}"), text)
}

/// A toolset of one domain, of which these are the structure and what English says of it.
pub fn toolset_of(world: &str, text: &str) -> Result<Toolset, Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("mine");
    for (file, text) in [("world/w.toml", world), ("en/w.toml", text), ("world/places.json", PLACES)] {
        std::fs::create_dir_all(place.join(file).parent().unwrap()).unwrap();
        std::fs::write(place.join(file), text).unwrap();
    }
    told_of(Toolset::load(crate::fixtures::assets(), place.to_str().unwrap(), "en"), &format!("{}/", place.display()))
}

/// The toolset, or its faults without the folder in which it lies.
fn told_of(loaded: Result<Toolset, ToolsetError>, prefix: &str) -> Result<Toolset, Vec<String>> {
    loaded.map_err(|error| match error {
        ToolsetError::Faults { faults } => faults.iter().map(|it| it.to_string().replace(prefix, "")).collect(),
        other => vec![other.to_string().replace(prefix, "")],
    })
}
