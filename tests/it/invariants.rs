//! What ARCHITECTURE.md says is absent: imports, sockets, files and letters that have no place in some part of the house.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The modules of `crates/core`, from the bottom up, with what each may import of the others. All modules above the crate
/// may import them; that no lower crate knows an upper one is what the compiler sees to.
const CORE: [(&str, &[&str]); 8] = [
    ("assets", &[]),
    ("fs", &[]),
    ("memo", &[]),
    ("toml_text", &[]),
    ("record", &[]),
    ("python", &["record"]),
    ("text", &["record"]),
    ("locale", &["record", "assets", "toml_text"]),
];

/// What each module above may import besides.
const MAY_IMPORT: [(&str, &[&str]); 21] = [
    ("http", &[]),
    ("toolset", &[]),
    ("world", &["toolset"]),
    // Servers behind tools: their answers reach worlds through a trait of `toolset`, so that worlds stay without I/O.
    ("live", &["http", "toolset"]),
    ("llm", &["http", "toolset"]),
    // The built-in model.
    ("model", &["toolset", "llm"]),
    ("gate", &["toolset"]),
    // What keeps an item or a run from going on, for whoever asks models.
    ("failure", &["toolset", "world", "live", "gate", "llm"]),
    ("settings", &[]),
    ("report", &[]),
    ("score", &["llm"]),
    ("stage", &["toolset", "world", "gate", "llm", "model", "failure", "settings", "format", "score", "suite"]),
    ("format", &["suite"]),
    ("suite", &["toolset", "llm", "model", "format", "score", "report", "settings", "stage"]),
    ("lint", &["toolset", "world", "gate", "llm", "format", "score", "suite"]),
    ("predict", &["toolset", "world", "llm", "model", "failure", "format", "score", "suite"]),
    ("config", &["toolset", "llm", "settings", "stage", "live", "suite"]),
    ("run", &["toolset", "world", "live", "llm", "model", "failure", "config", "stage", "format", "suite"]),
    // It reads what others train on by the readers of `export`, and ships hashes of published benchmarks as data.
    ("check", &["toolset", "world", "gate", "llm", "format", "score", "suite", "lint", "run", "export"]),
    ("enrich", &["toolset", "gate", "llm", "model", "failure", "run"]),
    ("export", &["toolset", "gate", "format", "score", "suite", "run"]),
];

/// Within the crate of suites: files are found by the layouts that the suites have; suites are lists of their stages.
const KNOW_EACH_OTHER: [(&str, &str); 2] = [("stage", "suite"), ("format", "suite")];

/// The suites, whose folders have parts on several floors.
const SUITES: [&str; 6] = ["bfcl", "callnavi", "complexfunc", "confetti", "functionchat", "hammerbench"];

/// The code of every file of the program and its crates, by its path from the folder `src/` in which it lies: without
/// comments, and without tests.
fn sources() -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    for (folder, prefix) in FOLDERS {
        read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), prefix, &mut files);
    }
    assert!(files.len() > 150, "{}", files.len());
    files
}

/// The folders with the module that each of them is as a whole. The root's folder comes last, so that its `lib.rs` is the
/// one that is looked at.
const FOLDERS: [(&str, &str); 7] = [
    ("crates/core/src", ""),
    ("crates/tools/src", ""),
    ("crates/llm/src", "llm/"),
    ("crates/model/src", "model/"),
    ("crates/engine/src", ""),
    ("crates/suites/src", "suite/"),
    ("src", ""),
];

fn read_folder(folder: &Path, at: &str, files: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = format!("{at}{}", entry.file_name().to_str().unwrap());
        if path.ends_with("/testing") {
            // Fixtures.
        } else if entry.path().is_dir() {
            read_folder(&entry.path(), &format!("{path}/"), files);
        } else if path.rsplit('.').next() == Some("rs") && !path.ends_with("/testing.rs") && path != "fixtures.rs" {
            files.insert(path, code(&fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

fn code(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_test = |at: &usize| {
        let next = lines.get(at + 1).copied().unwrap_or_default();
        lines[*at] == "#[cfg(test)]" && next.contains("mod ") && next.ends_with('{')
    };
    let end = (0..lines.len()).find(is_test).unwrap_or(lines.len());
    let kept = lines[..end].iter().filter(|line| !line.trim_start().starts_with("//"));
    kept.map(|line| line.split(" // ").next().unwrap_or(line)).collect::<Vec<_>>().join("\n")
}

/// The floor to which a file belongs.
fn module(path: &str) -> &str {
    floor(path.trim_end_matches(".rs").split('/'))
}

/// The floor of a path: the module at the top, or for a part of a suite's folder the module whose like it is.
fn floor<'p>(path: impl Iterator<Item = &'p str>) -> &'p str {
    let mut path = path.peekable();
    let in_suites = path.next_if_eq(&"suite").is_some();
    let top = path.next().unwrap_or_default();
    match path.next().filter(|_| SUITES.contains(&top)) {
        Some("layout") => "format",
        Some("metric") => "score",
        Some("solver") => "predict",
        Some("lint") => "lint",
        Some("stage") => "stage",
        _ if SUITES.contains(&top) => "suite",
        _ if in_suites && !["format", "predict", "lint"].contains(&top) => "suite",
        _ => top,
    }
}

/// The floors that some code names.
fn imports(code: &str) -> BTreeSet<String> {
    let paths = ["crate::", "fcgen_core::", "fcgen_engine::", "fcgen_tools::"]
        .into_iter()
        .flat_map(|path| code.split(path).skip(1));
    let named = paths.flat_map(|rest| match rest.strip_prefix('{') {
        Some(group) => group.split('}').next().unwrap_or(group).split(',').map(str::trim).collect(),
        None => vec![rest],
    });
    let word = |text: &str| {
        let path = text.split(|letter: char| !letter.is_alphanumeric() && !['_', ':'].contains(&letter)).next();
        floor(path.unwrap_or_default().split("::")).to_owned()
    };
    named.map(word).filter(|name: &String| all().any(|(module, _)| module == name)).collect()
}

fn all() -> impl Iterator<Item = &'static (&'static str, &'static [&'static str])> {
    CORE.iter().chain(&MAY_IMPORT)
}

/// The files outside of `home` in which one of the words stands, with the word.
fn strangers(home: impl Fn(&str) -> bool, words: &[&str]) -> Vec<String> {
    let files = sources().into_iter().filter(|(path, _)| !home(path));
    files.flat_map(|(path, code)| found(&path, &code, words)).collect()
}

fn found(path: &str, code: &str, words: &[&str]) -> Vec<String> {
    words.iter().filter(|word| code.contains(*word)).map(|word| format!("{path}: {word}")).collect()
}

#[test]
fn a_module_imports_what_it_may_and_nothing_else() {
    let mut broken = Vec::new();
    // A crate that is one module knows no other but by its dependencies.
    for (path, code) in sources()
        .into_iter()
        .filter(|(path, _)| !path.starts_with("llm/") && !path.starts_with("model/") && !path.ends_with("lib.rs"))
    {
        let own = module(&path);
        let Some((_, may)) = all().find(|(name, _)| *name == own) else { continue };
        let is_above = MAY_IMPORT.iter().any(|(name, _)| *name == own);
        let may = |name: &str| may.contains(&name) || (is_above && CORE.iter().any(|(core, _)| *core == name));
        let others = imports(&code).into_iter().filter(|name| name != own && !may(name));
        broken.extend(others.map(|name| format!("{path} imports {name}")));
    }
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn no_two_modules_import_each_other() {
    let may = |one: &str, other: &str| all().any(|(name, may)| *name == one && may.contains(&other));
    let pairs = all().flat_map(|(one, _)| all().map(move |(other, _)| (*one, *other)));
    let mutual: Vec<_> = pairs.filter(|(one, other)| one < other && may(one, other) && may(other, one)).collect();
    assert_eq!(mutual, KNOW_EACH_OTHER);
}

#[test]
fn only_models_and_live_worlds_open_sockets() {
    let words = ["reqwest", "async_openai", "TcpStream", "TcpListener", "UdpSocket"];
    assert_eq!(strangers(|path| ["http", "llm", "live"].contains(&module(path)), &words), Vec::<String>::new());
}

#[test]
fn records_gates_worlds_stages_and_scorers_touch_no_files() {
    let home = |path: &str| !["record", "gate", "world", "stage", "score"].contains(&module(path));
    assert_eq!(strangers(home, &["std::fs", "tokio::fs", "File::", "std::env"]), Vec::<String>::new());
}

#[test]
fn only_the_command_line_prints_and_uses_anyhow() {
    let words = ["anyhow", "print!(", "println!(", "std::io::stdout", "std::io::stderr"];
    assert_eq!(strangers(|path| ["cli", "main"].contains(&module(path)), &words), Vec::<String>::new());
}

#[test]
fn nothing_gives_up_by_a_panic() {
    // What cannot happen: a scorer refuses sizes of n-grams alone, and Rouge-L has none. Only tests read fixtures.
    let home = |path: &str| ["locale/meaning/rouge.rs", "fixtures.rs"].contains(&path);
    let words = [".unwrap()", ".expect(", "panic!(", "unreachable!(", "todo!(", "unimplemented!(", "#[allow("];
    assert_eq!(strangers(home, &words), Vec::<String>::new());
}

#[test]
fn the_time_of_day_is_asked_where_a_server_names_a_date() {
    assert_eq!(strangers(|path| path == "llm/limit/retry_after.rs", &["SystemTime::now"]), Vec::<String>::new());
}

/// Names of Rust types and variants change; what is written, hashed, seeded or said must not change with them.
#[test]
fn the_debug_form_of_a_type_feeds_nothing() {
    let may = [
        // The debug form of a number is the shortest that reads back the same, that of a text has quotation marks.
        "record/value/number.rs",
        "record/python/repr.rs",
        "settings/words.rs",
        // Another crate's type is recognised by its name.
        "record/value/codec.rs",
    ];
    let home = |path: &str| may.contains(&path);
    let words = [":?}", ":#?}", "type_name::<", "type_name_of_val", "DefaultHasher", "mem::discriminant"];
    assert_eq!(strangers(home, &words), Vec::<String>::new());
}

/// Whoever makes a finding names a rule that `fcgen check --list-rules` lists, and every listed rule is made somewhere.
#[test]
fn rules_of_check_are_listed() {
    let files = sources();
    let own = files.iter().filter(|(path, _)| ["check", "suite", "gate"].contains(&path.split('/').next().unwrap()));
    let own: Vec<&String> = own.filter(|(path, _)| *path != "check/rules.rs").map(|(_, code)| code).collect();
    let is_listed = |id: &str| fcgen::check::RULES.iter().any(|rule| rule.id == id);
    for start in ["findings.error(\"", "findings.warning(\"", "Finding::new(\"", "put(findings, \""] {
        let ids = own.iter().flat_map(|code| code.split(start).skip(1)).filter_map(|rest| rest.split('"').next());
        let strange: Vec<&str> = ids.filter(|id| !is_listed(id)).collect();
        assert_eq!(strange, Vec::<&str>::new(), "{start}");
    }
    let is_made = |id: &str| own.iter().any(|code| code.contains(&format!("\"{id}\"")));
    let idle: Vec<&str> = fcgen::check::RULES.iter().map(|rule| rule.id).filter(|id| !is_made(id)).collect();
    assert_eq!(idle, Vec::<&str>::new());
}

#[test]
fn only_files_become_templates() {
    let words = ["template_from_str", "add_template", "render_str", "render_named_str", "compile_expression"];
    let home = |path: &str| {
        ["llm/prompts/prompt.rs", "config/check/prompt.rs", "toolset/declared/steps/expression.rs"].contains(&path)
    };
    assert_eq!(strangers(home, &words), Vec::<String>::new());
}

#[test]
fn no_letter_of_another_script_stands_in_code() {
    let foreign = |letter: char| matches!(letter, '\u{1100}'..='\u{11ff}' | '\u{3040}'..='\u{318f}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}');
    let broken: Vec<String> =
        sources().into_iter().filter(|(_, code)| code.contains(foreign)).map(|(path, _)| path).collect();
    assert_eq!(broken, Vec::<String>::new());
}

#[test]
fn every_file_begins_with_what_it_is_for() {
    let begins = |path: &String| {
        let place = FOLDERS.map(|(folder, prefix)| {
            let within = path.strip_prefix(prefix).unwrap_or(path);
            Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(within)
        });
        let found: Vec<String> = place.iter().filter_map(|place| fs::read_to_string(place).ok()).collect();
        !found.is_empty() && found.iter().all(|text| text.starts_with("//!"))
    };
    let silent = sources().into_keys().filter(|path| !begins(path));
    assert_eq!(silent.collect::<Vec<_>>(), Vec::<String>::new());
}
