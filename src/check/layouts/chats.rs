//! `FunctionChat-Bench`'s files as a stream of samples, with the lines that they stand in.

#[cfg(test)]
pub(crate) mod testing;

use crate::check::bench::{Seen, file_name, unreadable};
use crate::check::entry::{Place, Thread};
use crate::format::FileError;
use crate::suite::functionchat::layout::ChatFile;

/// Shows every sample of a file, in the file's order; a line that holds none is shown as such.
pub(crate) fn each_chat(file: &ChatFile, visit: &mut dyn FnMut(Seen<'_>)) {
    let (name, mut thread) = (file_name(&file.path), Thread::default());
    let read = file.each_line::<FileError>(&mut |line, samples| {
        let place = Place { file: name.clone(), line };
        match samples {
            Ok(samples) => {
                for sample in samples {
                    visit(Ok(&thread.entry(place.clone(), sample)));
                }
            }
            Err(problem) => visit(Err(&unreadable(&place, &problem.to_string()))),
        }
        Ok(())
    });
    if let Err(error) = read {
        visit(Err(&unreadable(&Place { file: name, line: 1 }, &error.to_string())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::bench::Bench;
    use std::fs;
    use std::path::Path;

    const DECISION: &str = r#"{"serial_num": 4, "category": "SLOT-all", "input_messages": [{"role": "user", "content": "a boat"}], "input_tools": [], "type_of_output": "slot", "ground_truth": {"role": "assistant", "content": "which?"}, "acceptable_arguments": null}"#;

    fn seen(path: &Path, locale: Option<&str>) -> (Bench, Vec<String>) {
        let (bench, mut seen) = (Bench::open(path, locale).unwrap(), Vec::new());
        let told = |it: Seen<'_>| match it {
            Ok(entry) => format!("{} {} {}", entry.place, entry.sample.id, entry.sample.locale),
            Err(finding) => format!("{} {}", finding.place, finding.message),
        };
        bench.each(&mut |it| seen.push(told(it))).unwrap();
        (bench, seen)
    }

    #[test]
    fn samples_have_their_lines_and_what_cannot_be_read_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("FunctionChat-CallDecision.jsonl");
        fs::write(&path, format!("{DECISION}\n{{\"serial_num\": 5}}\n\n{DECISION}\n")).unwrap();
        let (bench, lines) = seen(folder.path(), None);
        assert_eq!(lines[0], "FunctionChat-CallDecision.jsonl:1 calldecision/4 ko");
        assert!(lines[1].starts_with("FunctionChat-CallDecision.jsonl:2 missing field"), "{lines:?}");
        assert!(lines[2].starts_with("FunctionChat-CallDecision.jsonl:4 ") && lines.len() == 3, "{lines:?}");
        assert!(bench.is_authors() && bench.folder() == folder.path());
        let (bench, lines) = seen(&path, Some("en"));
        assert_eq!((lines.len(), bench.locale().unwrap().as_deref()), (3, Some("en")));
        assert_eq!(bench.suite().unwrap(), Some("functionchat".into()));
    }

    #[test]
    fn a_file_that_is_gone_is_told() {
        let file = ChatFile {
            path: "/no/such.jsonl".into(),
            locale: "ko".to_owned(),
            layout: crate::suite::functionchat::layout::Layout::Common,
        };
        let mut told = Vec::new();
        each_chat(&file, &mut |seen| told.push(seen.unwrap_err().message.clone()));
        assert_eq!(told, ["cannot read `/no/such.jsonl`"]);
    }
}
