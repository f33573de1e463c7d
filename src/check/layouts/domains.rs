//! CallNavi's files as a stream of samples, with the lines on which questions begin.

use crate::check::bench::{Seen, unreadable};
use crate::check::entry::{Place, Thread};
use crate::format::FileError;
use crate::suite::callnavi::layout::{DomainFiles, QUESTIONS, import_item};
use std::path::Path;
use std::sync::Arc;

/// Shows every question of every domain, in the authors' order. One question and one domain's APIs are held at a time.
pub(crate) fn each_domain(domains: &[DomainFiles], visit: &mut dyn FnMut(Seen<'_>)) {
    for files in domains {
        if let Err(error) = each_question(files, visit) {
            let (path, line) = error.place();
            visit(Err(&unreadable(&Place { file: short(path), line }, &error.to_string())));
        }
    }
}

fn each_question(files: &DomainFiles, visit: &mut dyn FnMut(Seen<'_>)) -> Result<(), FileError> {
    let (tools, mut thread, file) = (files.tools()?, Thread::default(), short(&files.questions_path()));
    files.each(&mut |line, item| {
        let place = Place { file: file.clone(), line };
        match item {
            Ok(item) => visit(Ok(&thread.entry(place, import_item(files, &tools, item)))),
            Err(problem) => visit(Err(&unreadable(&place, &problem))),
        }
    })
}

/// A file's name with that of its folder: all three files of a domain have one name.
fn short(path: &Path) -> Arc<str> {
    let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder = path.parent().and_then(name).unwrap_or_else(|| QUESTIONS.to_owned());
    format!("{folder}/{}", name(path).unwrap_or_default()).into()
}

#[cfg(test)]
mod tests {
    use crate::check::bench::Bench;
    use std::fs;
    use std::path::Path;

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join("Dataset").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn seen(folder: &Path, locale: Option<&str>) -> Vec<String> {
        let mut seen = Vec::new();
        let bench = Bench::open(folder, locale).unwrap();
        let told = |it: super::Seen<'_>| match it {
            Ok(entry) => format!("{} {} {}", entry.place, entry.sample.id, entry.sample.locale),
            Err(finding) => format!("{} {}", finding.place, finding.message),
        };
        bench.each(&mut |it| seen.push(told(it))).unwrap();
        seen
    }

    const QUESTIONS: &str = r#"[
  {"id": "ban001", "question": [], "ground_truth": {"API": [], "parameters": []}, "difficulty": "easy"},
  {"id": "ban002"}
]"#;

    #[test]
    fn questions_have_their_lines_and_what_cannot_be_read_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "APIs/bank.json", r#"{"api_ports": []}"#);
        write(folder.path(), "Questions/bank.json", QUESTIONS);
        write(folder.path(), "Questions/zoo.json", QUESTIONS);
        let seen = seen(folder.path(), None);
        assert_eq!(seen[0], "Questions/bank.json:2 ban001 en");
        assert!(seen[1].starts_with("Questions/bank.json:3 missing field `question`"), "{seen:?}");
        assert!(seen[2].starts_with("APIs/zoo.json:1 cannot read `") && seen.len() == 3, "{seen:?}");
    }

    #[test]
    fn the_locale_is_the_one_that_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "APIs/bank.json", r#"{"api_ports": []}"#);
        write(folder.path(), "Questions/bank.json", QUESTIONS);
        assert_eq!(seen(folder.path(), Some("ko"))[0], "Questions/bank.json:2 ban001 ko");
        let bench = Bench::open(folder.path(), Some("ko")).unwrap();
        assert!(bench.is_authors());
        assert_eq!((bench.locale().unwrap().as_deref(), bench.suite().unwrap()), (Some("ko"), Some("callnavi".into())));
    }
}
