//! Categories of tools, as a stage's settings and files name them.

use crate::config::files::Files;
use crate::config::problem::{Problem, did_you_mean};
use crate::stage::ToolsetConfig;
use crate::toolset::list_categories;

/// A problem for each pattern that chooses no category of the stage's toolset. A toolset that cannot be read has none.
pub(crate) fn idle_patterns(config: &ToolsetConfig, label: &str, files: &Files) -> Vec<Problem> {
    let known = known(&config.path, files);
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    if known.is_empty() {
        return Vec::new();
    }
    let problem = |pattern: &str| {
        let message = format!("no category of the toolset `{}` in {label} matches `{pattern}`", config.path);
        Problem::new(config.path.span(), message).hint(did_you_mean(pattern, &known, "categories"))
    };
    config.idle_patterns(&known).map(problem).collect()
}

/// The categories of a toolset, each once.
fn known(path: &str, files: &Files) -> Vec<String> {
    let of_folder = |folder: &str| {
        let names = ["tools", "resources"].into_iter().flat_map(|part| files.list(&format!("{folder}/{part}")));
        names.filter_map(|name| name.strip_suffix(".toml").map(str::to_owned)).collect::<Vec<_>>()
    };
    let mut names = of_folder(path);
    if names.is_empty() {
        names = of_folder(&format!("toolsets/{path}"));
    }
    if names.is_empty() {
        names = files.read(path).and_then(|text| list_categories(&text).ok()).unwrap_or_default();
    }
    names.sort();
    names.dedup();
    names
}

/// What is wrong with a file of categories: tables by name, each with a `title` and the `wanted` functions.
pub(crate) fn category_fault(text: &str) -> Option<String> {
    let table: toml::Table = match text.parse::<toml::Table>() {
        Ok(table) => table,
        Err(error) => return Some(error.message().to_owned()),
    };
    if table.is_empty() {
        return Some("no categories".to_owned());
    }
    table.iter().find_map(|(name, value)| {
        if name.contains('/') {
            return Some(format!("the category name `{name}` must not contain `/`, which separates the parts of ids"));
        }
        let missing = ["title", "wanted"].into_iter().find(|key| {
            let text = value.get(key).and_then(toml::Value::as_str);
            text.is_none_or(|text| text.trim().is_empty())
        });
        missing.map(|key| {
            format!("missing `{key}` in the category `{name}`; expected `[\"{name}\"]` with `title` and `wanted`")
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::read_text;

    fn told(settings: &str, files: &Files) -> Vec<String> {
        let config = read_text::<ToolsetConfig>(settings).unwrap();
        idle_patterns(&config, "stage `toolset`", files).into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn a_pattern_chooses_something() {
        let files = Files::of(crate::fixtures::assets(), "a.toml");
        assert_eq!(
            told("path = \"mobile\"\ncategories = [\"Navigation.*\", \"Parking\"]", &files),
            Vec::<String>::new()
        );
        assert_eq!(
            told("path = \"mobile\"\ncategories = [\"Navigation.Nowhere\"]", &files),
            ["no category of the toolset `mobile` in stage `toolset` matches `Navigation.Nowhere`"]
        );
        assert_eq!(told("path = \"no_such\"\ncategories = [\"A\"]", &files), Vec::<String>::new());
    }

    #[test]
    fn a_list_has_categories_as_well() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("t.json"), "[{\"name\": \"Home.Lamps.on\"}]").unwrap();
        let files = Files::within(crate::fixtures::assets(), folder.path());
        assert_eq!(told("path = \"t.json\"\ncategories = [\"Lamps\"]", &files), Vec::<String>::new());
        assert_eq!(told("path = \"t.json\"\ncategories = [\"Lamp\"]", &files).len(), 1);
    }

    #[test]
    fn a_category_has_a_title_and_what_is_wanted() {
        assert_eq!(category_fault("[\"Home.Lamps\"]\ntitle = \"Lamps\"\nwanted = \"turn them on\""), None);
        let told = category_fault("[\"Home.Lamps\"]\ntitle = \"Lamps\"").unwrap();
        assert!(told.starts_with("missing `wanted` in the category `Home.Lamps`"), "{told}");
        assert!(category_fault("x = 3").unwrap().starts_with("missing `title` in the category `x`"));
        assert_eq!(category_fault("").unwrap(), "no categories");
        assert!(category_fault("x =").is_some());
        assert!(category_fault("[\"A/B\"]").unwrap().contains("must not contain `/`"));
    }
}
