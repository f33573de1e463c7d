//! Where the tools and parameters of a toolset stand in its files, so that what is found can be repaired there.

use super::finding::{Finding, Side};
use super::import::list_lines;
use super::{Toolset, folder_of};
use fcgen_core::assets::Assets;
use indexmap::IndexMap;
use toml::de::{DeTable, DeValue};

/// Folders of the structure.
const STRUCTURE: [&str; 4] = ["tools", "world", "resources", "goals"];

/// A file, with the line where something stands in it, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    /// Its path.
    pub file: String,
    /// The line, where it is known.
    pub line: Option<usize>,
}

/// The files of a toolset with the lines of their keys.
#[derive(Debug, Default)]
pub struct Locations {
    files: Vec<Keys>,
    /// The names that structures share over locales, of tools that a locale names otherwise.
    shared: IndexMap<String, String>,
}

/// The keys of one file.
#[derive(Debug)]
struct Keys {
    side: Option<Side>,
    path: String,
    /// Paths of keys with their lines, in the order of the file.
    lines: Vec<(Vec<String>, usize)>,
}

impl Locations {
    /// Reads the files of a toolset, as it is named on the command line; `locale` is that of its text.
    pub fn of(assets: &Assets, path: &str, locale: &str, toolset: &Toolset) -> Self {
        let shared = toolset.keys.clone();
        let Some(folder) = folder_of(assets, path) else {
            let text = std::fs::read_to_string(path).unwrap_or_default();
            let file = Keys { side: None, path: path.to_owned(), lines: list_lines(&text) };
            return Self { files: vec![file], shared };
        };
        let structure = STRUCTURE.map(|part| (Side::Structure, part.to_owned()));
        let text = [(Side::Text, locale.to_owned()), (Side::Text, format!("{locale}/goals"))];
        let files = structure.into_iter().chain(text).flat_map(|(side, part)| {
            let files = assets
                .list(&format!("{folder}/{part}"))
                .into_iter()
                .filter(|file| file.strip_suffix(".toml").is_some());
            let keys = |file: String| {
                let path = format!("{folder}/{part}/{file}");
                let lines = toml_lines(&assets.read(&path).unwrap_or_default());
                Keys { side: Some(side), path, lines }
            };
            files.map(keys).collect::<Vec<_>>()
        });
        Self { files: files.collect(), shared }
    }

    /// Where a finding is repaired.
    pub fn locate(&self, finding: &Finding) -> Option<Location> {
        self.find(&finding.place, finding.side)
    }

    /// Where a place (`tool` or `tool, parameter`) stands in the files of one side.
    pub fn find(&self, place: &str, side: Side) -> Option<Location> {
        let (tool, parameter) = place.split_once(", ").unwrap_or((place, ""));
        let tool = self.shared.get(tool).map_or(tool, String::as_str);
        let (group, function) = tool.rsplit_once('.').unwrap_or(("", tool));
        let of_side = |file: &&Keys| file.side.is_none_or(|own| own == side);
        let of_group = |file: &&Keys| !group.is_empty() && file.path.ends_with(&format!("/{group}.toml"));
        let files: Vec<&Keys> = self.files.iter().filter(of_side).collect();
        let named: Vec<&Keys> = files.iter().copied().filter(|file| of_group(file)).collect();
        let found = named.iter().chain(&files).find_map(|file| {
            // Names of lists may hold dots.
            let (own, line) = file.key(&[], tool).or_else(|| file.key(&[], function))?;
            let line = file.key(own, parameter).filter(|_| !parameter.is_empty()).map_or(line, |(_, line)| line);
            Some(Location { file: file.path.clone(), line: Some(line) })
        });
        let whole = |file: &&Keys| Location { file: file.path.clone(), line: None };
        found.or_else(|| named.first().map(whole)).or_else(|| files.iter().find(|it| it.is_of(tool)).map(whole))
    }
}

impl Keys {
    /// The key of this name that lies least deep below another.
    fn key(&self, below: &[String], name: &str) -> Option<(&[String], usize)> {
        let inner = self.lines.iter().filter(|(key, _)| {
            key.len() > below.len() && key.starts_with(below) && key.last().is_some_and(|own| own == name)
        });
        inner.min_by_key(|(key, _)| key.len()).map(|(key, line)| (key.as_slice(), *line))
    }

    /// Whether the file is that of a domain.
    fn is_of(&self, domain: &str) -> bool {
        self.path.ends_with(&format!("/{domain}.toml"))
    }
}

/// The paths of all keys of tables in a TOML text, with their lines.
fn toml_lines(text: &str) -> Vec<(Vec<String>, usize)> {
    let mut lines = Vec::new();
    if let Ok(table) = DeTable::parse(text) {
        let starts: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
        add_keys(table.get_ref(), &mut Vec::new(), &mut |key, at| {
            lines.push((key.to_vec(), starts.partition_point(|start| *start < at) + 1));
        });
    }
    lines
}

fn add_keys(table: &DeTable<'_>, path: &mut Vec<String>, add: &mut impl FnMut(&[String], usize)) {
    for (key, value) in table {
        path.push(key.get_ref().to_string());
        add(path, key.span().start);
        if let DeValue::Table(inner) = value.get_ref() {
            add_keys(inner, path, add);
        }
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(path: &str, places: &[(&str, Side)]) -> Vec<String> {
        let locations = Locations::of(
            crate::fixtures::assets(),
            path,
            "en",
            &Toolset::load(crate::fixtures::assets(), path, "en").unwrap(),
        );
        let shown = |(place, side): &(&str, Side)| {
            locations.find(place, *side).map_or_else(String::new, |it| {
                let name = it.file.rsplit_once("proof/").map_or(it.file.as_str(), |(_, name)| name).to_owned();
                format!("{name}:{}", it.line.unwrap_or(0))
            })
        };
        places.iter().map(shown).collect()
    }

    #[test]
    fn parameters_stand_in_the_file_of_their_tool() {
        let path = "tests/fixtures/toolsets/proof";
        let name = "Navigation.MapNavigation.planRoute, mode";
        let found = places(path, &[(name, Side::Structure), (name, Side::Text), ("no.such", Side::Text)]);
        let file = "Navigation.MapNavigation.toml";
        assert_eq!(found, [format!("tools/{file}:9"), format!("en/{file}:53"), String::new()]);
    }

    #[test]
    fn tools_of_a_list_have_lines_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("proof/").join("mine.json");
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text = "[{\"name\": \"a.b\"},\n{\"function\": {\"name\": \"c\",\n\"parameters\": {\"properties\": {\n\"d\": {}}}}}]";
        std::fs::write(&path, text).unwrap();
        let wanted = [("a.b", Side::Text), ("c", Side::Text), ("c, d", Side::Structure)];
        assert_eq!(places(path.to_str().unwrap(), &wanted), ["mine.json:1", "mine.json:2", "mine.json:4"]);
    }
}
