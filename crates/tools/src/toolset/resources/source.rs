//! Reads a TOML file table by table, so that every fault is said at once, each with its line.

use fcgen_core::toml_text::{deep_key, too_deep};
use serde::Deserialize;
use std::fmt;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

/// Something in a declaration that cannot stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub path: String,
    /// The line, from 1, where one is known.
    pub line: Option<usize>,
    /// What is wrong.
    pub message: String,
}

/// One file of a declaration.
#[derive(Debug, Clone, Copy)]
pub(in crate::toolset) struct File<'s> {
    pub(in crate::toolset) path: &'s str,
    text: &'s str,
}

/// A table of the file that is still to be read.
pub(in crate::toolset) type Entry<'s> = (String, Spanned<DeValue<'s>>);

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(formatter, "{}:{line}: {}", self.path, self.message),
            None => write!(formatter, "{}: {}", self.path, self.message),
        }
    }
}

impl<'s> File<'s> {
    pub(in crate::toolset) fn new(path: &'s str, text: &'s str) -> Self {
        Self { path, text }
    }

    /// The entries at the top of the file, in order; none, and a fault, where it is no TOML.
    pub(in crate::toolset) fn entries(self, faults: &mut Vec<Fault>) -> Vec<Entry<'s>> {
        if let Some(key) = deep_key(self.text) {
            faults.push(self.fault(Some(key.start), too_deep()));
            return Vec::new();
        }
        match DeTable::parse(self.text) {
            Ok(table) => {
                table.into_inner().into_iter().map(|(key, value)| (key.get_ref().to_string(), value)).collect()
            }
            Err(error) => {
                faults.push(self.fault(error.span().map(|span| span.start), error.message().to_owned()));
                Vec::new()
            }
        }
    }

    /// Reads one entry; `None`, and a fault, where it has another form.
    pub(in crate::toolset) fn read<T: for<'de> Deserialize<'de>>(
        self,
        entry: Entry<'s>,
        faults: &mut Vec<Fault>,
    ) -> Option<T> {
        let (key, value) = entry;
        let start = value.span().start;
        let read = T::deserialize(ValueDeserializer::from(value));
        read.map_err(|error| {
            let at = error.span().map_or(start, |span| span.start);
            faults.push(self.fault(Some(at), format!("`{key}`: {}", error.message())));
        })
        .ok()
    }

    /// The entries of a table, each by its whole name; none, and a fault, where it is none.
    pub(in crate::toolset) fn inner(self, entry: Entry<'s>, faults: &mut Vec<Fault>) -> Vec<Entry<'s>> {
        let (name, value) = entry;
        let start = value.span().start;
        let DeValue::Table(table) = value.into_inner() else {
            faults.push(self.fault(Some(start), format!("`{name}` must be a table")));
            return Vec::new();
        };
        table.into_iter().map(|(key, value)| (format!("{name}.{}", key.get_ref()), value)).collect()
    }

    /// The entries of an array, each by the array's name; none, and a fault, where it is none.
    pub(in crate::toolset) fn items(self, entry: Entry<'s>, faults: &mut Vec<Fault>) -> Vec<Entry<'s>> {
        let (name, value) = entry;
        let start = value.span().start;
        let DeValue::Array(items) = value.into_inner() else {
            faults.push(self.fault(Some(start), format!("`{name}` must be an array: write `[[{name}]]`")));
            return Vec::new();
        };
        items.into_iter().map(|item| (name.clone(), item)).collect()
    }

    /// A fault at an offset in bytes.
    pub(in crate::toolset) fn fault(self, at: Option<usize>, message: String) -> Fault {
        let line = at.map(|at| self.text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1);
        Fault { path: self.path.to_owned(), line, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Thing {
        size: u32,
    }

    fn read(text: &str) -> (Vec<u32>, Vec<String>) {
        let (file, mut faults) = (File::new("f.toml", text), Vec::new());
        let entries = file.entries(&mut faults);
        let things = entries.into_iter().filter_map(|entry| file.read::<Thing>(entry, &mut faults));
        let sizes = things.map(|thing| thing.size).collect::<Vec<_>>();
        (sizes, faults.iter().map(Fault::to_string).collect())
    }

    #[test]
    fn every_sound_entry_is_read_and_every_other_named_with_its_line() {
        let (sizes, faults) = read("[a]\nsize = 1\n[b]\nsize = \"x\"\n[c]\nsiez = 2\n[d]\nsize = 4\n");
        assert_eq!(sizes, [1, 4]);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert_eq!(faults[0], "f.toml:4: `b`: invalid type: string \"x\", expected u32");
        assert!(faults[1].starts_with("f.toml:6: `c`: unknown field `siez`"), "{faults:?}");
    }

    #[test]
    fn the_entries_of_a_table_are_named_whole() {
        let (file, mut faults) = (File::new("f.toml", "a = 3\n[t.b]\nsize = 1\n"), Vec::new());
        let entries = file.entries(&mut faults);
        let inner: Vec<_> = entries.into_iter().flat_map(|entry| file.inner(entry, &mut faults)).collect();
        assert_eq!(inner.iter().map(|entry| entry.0.as_str()).collect::<Vec<_>>(), ["t.b"]);
        assert_eq!(faults[0].to_string(), "f.toml:1: `a` must be a table");
    }

    #[test]
    fn a_text_that_is_no_toml_is_a_fault_with_its_line() {
        let (sizes, faults) = read("[a]\nsize = 1\n[b\n");
        assert!(sizes.is_empty());
        assert!(faults[0].starts_with("f.toml:3: "), "{faults:?}");
    }

    #[test]
    fn a_fault_without_a_line_names_its_file() {
        let fault = Fault { path: "x.toml".to_owned(), line: None, message: "missing".to_owned() };
        assert_eq!(fault.to_string(), "x.toml: missing");
    }
}
