//! The file of verdicts.

use crate::cli::exit::{Complaint, INPUT};
use anyhow::Context;
use fcgen::record::{Object, Value};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A verdict on each line.
pub(super) struct Items {
    out: BufWriter<File>,
}

impl Items {
    pub(super) fn create(path: &Path) -> anyhow::Result<Self> {
        let file = File::create(path).with_context(|| format!("cannot write `{}`", path.display()));
        Ok(Self { out: BufWriter::new(file.map_err(|error| Complaint::new(INPUT, format!("{error:#}")))?) })
    }

    /// Writes a verdict, with the name of its predictions where there are several.
    pub(super) fn put(&mut self, mut line: Object, name: &str, several: bool) -> std::io::Result<()> {
        if several {
            line.insert("predictions".to_owned(), name.into());
        }
        writeln!(self.out, "{}", Value::Object(line))
    }

    pub(super) fn finish(mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_predictions_where_there_are_several() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.jsonl");
        let mut items = Items::create(&path).unwrap();
        let line: Object = [("id".to_owned(), Value::from("q"))].into();
        items.put(line.clone(), "a", false).unwrap();
        items.put(line, "b", true).unwrap();
        items.finish().unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"id\":\"q\"}\n{\"id\":\"q\",\"predictions\":\"b\"}\n");
        assert!(Items::create(&folder.path().join("no/such.jsonl")).is_err());
    }
}
