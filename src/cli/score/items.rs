//! The file of verdicts.

use crate::cli::exit::{Complaint, INPUT};
use anyhow::Context;
use fcgen::record::{Object, Value};
use fcgen::score::Paired;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A verdict on each line, and of each the few bits by which predictions are compared.
pub(super) struct Items {
    out: Option<BufWriter<File>>,
    paired: Option<Paired>,
}

impl Items {
    pub(super) fn create(path: Option<&Path>, compares: bool) -> anyhow::Result<Self> {
        let open = |path: &Path| {
            let file = File::create(path).with_context(|| format!("cannot write `{}`", path.display()));
            file.map(BufWriter::new).map_err(|error| Complaint::new(INPUT, format!("{error:#}")))
        };
        Ok(Self { out: path.map(open).transpose()?, paired: compares.then(Paired::default) })
    }

    /// Writes a verdict, with the name of its predictions where there are several.
    pub(super) fn put(&mut self, mut line: Object, name: &str, several: bool) -> std::io::Result<()> {
        if let Some(paired) = &mut self.paired {
            let run = line.get("run").map(|run| format!("{name} #{run}"));
            paired.add(run.as_deref().filter(|_| !name.contains(" #")).unwrap_or(name), &line);
        }
        let Some(out) = &mut self.out else { return Ok(()) };
        if several {
            line.insert("predictions".to_owned(), name.into());
        }
        writeln!(out, "{}", Value::Object(line))
    }

    /// Ends the file; the comparison, if there is anything to compare.
    pub(super) fn finish(self) -> std::io::Result<Option<Paired>> {
        self.out.map_or(Ok(()), |mut out| out.flush())?;
        Ok(self.paired.filter(|paired| paired.models().len() > 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_its_predictions_where_there_are_several() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("items.jsonl");
        let mut items = Items::create(Some(&path), true).unwrap();
        let line: Object = [("id".to_owned(), Value::from("q"))].into();
        items.put(line.clone(), "a", false).unwrap();
        items.put(line, "b", true).unwrap();
        assert_eq!(items.finish().unwrap().unwrap().models(), ["a", "b"]);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"id\":\"q\"}\n{\"id\":\"q\",\"predictions\":\"b\"}\n");
        assert!(Items::create(None, false).unwrap().finish().unwrap().is_none());
        assert!(Items::create(Some(&folder.path().join("no/such.jsonl")), false).is_err());
    }
}
