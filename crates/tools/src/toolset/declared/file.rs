//! Reads the files of a declared world, table by table and function by function.

use super::steps::text::WorldText;
use super::structure::FileText;
use crate::toolset::Fault;
use crate::toolset::resources::source::{Entry, File};
use serde::Deserialize;

impl FileText {
    /// Reads a file; what cannot be read is a fault, and the rest is there.
    pub(super) fn read(file: File<'_>, faults: &mut Vec<Fault>) -> Self {
        let mut text = Self::default();
        for entry in file.entries(faults) {
            match entry.0.as_str() {
                "settings" => text.settings = file.read(entry, faults).unwrap_or_default(),
                "tables" => text.tables.extend(read_all(file, entry, faults)),
                "functions" => text.functions.extend(read_all(file, entry, faults)),
                "steps" => text.steps.extend(read_all(file, entry, faults)),
                "parts" => text.parts.extend(read_all(file, entry, faults)),
                other => {
                    let message = format!(
                        "unknown key `{other}`; expected `settings`, `tables`, `functions`, `steps` or `parts`"
                    );
                    faults.push(file.fault(Some(entry.1.span().start), message));
                }
            }
        }
        text
    }
}

impl WorldText {
    /// Reads what one locale says; what cannot be read is a fault.
    pub(super) fn read(file: File<'_>, faults: &mut Vec<Fault>) -> Self {
        let mut text = Self::default();
        for entry in file.entries(faults) {
            match entry.0.as_str() {
                "title" => text.title = file.read(entry, faults).unwrap_or_default(),
                "scenario" => text.scenario = file.read(entry, faults).unwrap_or_default(),
                "topics" => text.topics = file.read(entry, faults).unwrap_or_default(),
                "kinds" => text.kinds = file.read(entry, faults).unwrap_or_default(),
                "parameters" => text.parameters = file.read(entry, faults).unwrap_or_default(),
                "said" => text.said = file.read(entry, faults).unwrap_or_default(),
                "errors" => text.errors = file.read(entry, faults).unwrap_or_default(),
                _ => {
                    let name = entry.0.clone();
                    text.functions.extend(file.read(entry, faults).map(|said| (name, said)));
                }
            }
        }
        text
    }
}

fn read_all<T: for<'de> Deserialize<'de>>(
    file: File<'_>,
    entry: Entry<'_>,
    faults: &mut Vec<Fault>,
) -> Vec<(String, T)> {
    let inner = file.inner(entry, faults);
    let read = inner.into_iter().filter_map(|entry| {
        // A quoted name may have dots of its own; whoever checks names says what it thinks of them.
        let name = entry.0.split_once('.').map_or_else(|| entry.0.clone(), |(_, name)| name.to_owned());
        Some((name, file.read(entry, faults)?))
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (FileText, Vec<String>) {
        let mut faults = Vec::new();
        let text = FileText::read(File::new("w.toml", text), &mut faults);
        (text, faults.iter().map(Fault::to_string).collect())
    }

    #[test]
    fn every_table_and_function_is_read_by_itself() {
        let (text, faults) = read(
            "[settings]\ntoday = \"2024-10-13\"\n[tables.a]\nrows = 3\n[tables.a.columns]\nid = { shape = \"A##\" }\n\
             [functions.F]\nsteps = [\n  { from = [\"a\"] },\n]\ngive = { id = \"row.id\", n = 3, l = [true, 1.5] }\n",
        );
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!((text.tables.len(), text.functions["F"].get_ref().steps.len()), (1, 1));
        let span = text.tables["a"].get_ref().columns["id"].span();
        assert!(span.start > 40, "{span:?}");
    }

    #[test]
    fn every_fault_is_told_with_its_line() {
        let (text, faults) = read(
            "[tables.a]\nrows = \"x\"\n[functions.F]\nstesp = []\ngive = 1\n[functions.G]\nfree = true\n[functions.H]\ngive = 1\n[other]\n",
        );
        assert_eq!(text.functions.keys().collect::<Vec<_>>(), ["H"]);
        assert_eq!(faults.len(), 4, "{faults:?}");
        assert!(faults[0].starts_with("w.toml:2: `tables.a`: invalid type: string \"x\""), "{faults:?}");
        assert!(faults[1].starts_with("w.toml:4: `functions.F`: unknown field `stesp`"), "{faults:?}");
        assert!(faults[2].contains("missing field `give`"), "{faults:?}");
        assert!(faults[3].starts_with("w.toml:10: unknown key `other`; expected `settings`"), "{faults:?}");
    }

    #[test]
    fn a_language_says_what_it_has_to_and_everything_else_is_a_function() {
        let mut faults = Vec::new();
        let text = "title = \"T\"\ntopics = [[\"a\"]]\n[parameters]\nday = \"d\"\n[errors]\nlate = \"l\"\n[F]\ndescription = \"f\"\n[G]\ndescription = 3\n[H]\nlabel = \"x\"\n";
        let said = WorldText::read(File::new("t.toml", text), &mut faults);
        assert_eq!((said.title.as_str(), said.scenario.as_str(), said.topics.len()), ("T", "", 1));
        assert_eq!(
            (said.parameters.len(), said.errors.len(), said.functions.keys().collect::<Vec<_>>()),
            (1, 1, vec![&"F".to_owned()])
        );
        let faults: Vec<String> = faults.iter().map(Fault::to_string).collect();
        assert!(
            faults.len() == 2 && faults[0].starts_with("t.toml:10: ") && faults[1].starts_with("t.toml:12: "),
            "{faults:?}"
        );
    }

    #[test]
    fn a_table_that_is_no_table_is_a_fault_and_the_rest_is_read() {
        let (text, faults) = read("tables = 3\n[parts]\nP = \"x\"\n[functions.F]\ngive = 1\n");
        assert_eq!((text.parts.len(), text.functions.len(), faults.len()), (1, 1, 1));
        assert!(faults[0].starts_with("w.toml:1: "), "{faults:?}");
    }
}
