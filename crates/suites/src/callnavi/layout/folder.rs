//! A folder in the authors' layout: `Dataset` with `APIs`, `APISchema` and `Questions`, or what lies above it.

use super::api::{Api, ApiFile, ApiSchema};
use super::item::QuestionItem;
use crate::format::{FileError, each_item};
use crate::record::{Sample, Tool};
use indexmap::IndexMap;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The folder of the APIs, of their schemas, and of the questions.
pub const APIS: &str = "APIs";
/// The folder of the schemas.
pub const SCHEMAS: &str = "APISchema";
/// The folder of the questions.
pub const QUESTIONS: &str = "Questions";
/// The folder that holds these.
pub const DATASET: &str = "Dataset";

/// The three files of one domain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainFiles {
    /// The domain: the files' name.
    pub domain: String,
    /// Of the texts. The layout does not say it, and the authors' are English.
    pub locale: String,
    pub folder: PathBuf,
}

impl DomainFiles {
    /// The domains below a folder: the authors' in their order, then others by name.
    pub fn below(folder: &Path) -> Vec<Self> {
        let roots = ["", DATASET, "benchmark/Dataset", "benchmark"].map(|part| folder.join(part));
        let is_whole = |root: &&PathBuf| root.join(QUESTIONS).is_dir() && root.join(APIS).is_dir();
        let Some(root) = roots.iter().find(is_whole) else { return Vec::new() };
        let entries = std::fs::read_dir(root.join(QUESTIONS)).into_iter().flatten();
        let mut domains: Vec<String> = entries.filter_map(|entry| stem(&entry.ok()?.path())).collect();
        domains.sort_by(|one, other| place(one).cmp(&place(other)));
        let files = |domain| Self { domain, locale: "en".to_owned(), folder: root.clone() };
        domains.into_iter().map(files).collect()
    }

    /// The file of the questions.
    pub fn questions_path(&self) -> PathBuf {
        self.path(QUESTIONS)
    }

    /// The domain's APIs as tools, shared by whoever shows them.
    pub fn tools(&self) -> Result<Vec<Arc<Tool>>, FileError> {
        let schemas = self.schemas();
        let tool = |api: &Api| Arc::new(api.tool(schemas.get(&api.name)));
        Ok(self.apis()?.api_ports.iter().map(tool).collect())
    }

    /// The domain's APIs as they stand.
    pub fn apis(&self) -> Result<ApiFile, FileError> {
        self.read(APIS)
    }

    /// The same as text has them: with their own keys, in their own order.
    pub fn declared(&self) -> Result<Vec<serde_json::Value>, FileError> {
        let mut file: serde_json::Value = self.read(APIS)?;
        Ok(file["api_ports"].as_array_mut().map(std::mem::take).unwrap_or_default())
    }

    /// The schemas by name. They only tell more of what the APIs say, so that nothing is lost where there are none.
    fn schemas(&self) -> IndexMap<String, ApiSchema> {
        let list: Vec<ApiSchema> = self.read(SCHEMAS).unwrap_or_default();
        list.into_iter().map(|schema| (schema.name.clone(), schema)).collect()
    }

    /// Shows every question with its line, or what is wrong with the line. One is held at a time.
    pub fn each(&self, take: &mut dyn FnMut(usize, Result<QuestionItem, String>)) -> Result<(), FileError> {
        each_item(&self.questions_path(), take)
    }

    fn read<T: DeserializeOwned>(&self, folder: &str) -> Result<T, FileError> {
        let path = self.path(folder);
        let text = std::fs::read_to_string(&path).map_err(FileError::io(&path))?;
        serde_json::from_str(&text).map_err(|error| FileError::line(&path, error.line().max(1), error))
    }

    fn path(&self, folder: &str) -> PathBuf {
        self.folder.join(folder).join(format!("{}.json", self.domain))
    }
}

/// The name of a JSON file without its end.
fn stem(path: &Path) -> Option<String> {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    path.file_stem().filter(|_| is_json).map(|stem| stem.to_string_lossy().into_owned())
}

// The names of domains: in files, in ids, and before the names of our own tools.

/// The authors' domains, in the order in which their scripts go through them.
pub const STEMS: [&str; 10] =
    ["bank", "shopping", "logistics", "aviation", "hospital", "gov", "hr", "hotel", "insurance", "telecommunications"];

/// Before the domain among a sample's tags.
pub const DOMAIN_TAG: &str = "domain:";

/// How many letters of a domain begin its ids, and how many digits follow at least.
const LETTERS: usize = 3;
const DIGITS: usize = 3;

/// What the ids of each domain begin with; no two domains share it.
#[derive(Debug, Clone, Default)]
pub struct Prefixes(IndexMap<String, String>);

impl Prefixes {
    /// The prefixes of the authors' domains.
    pub fn new() -> Self {
        let mut prefixes = Self::default();
        for stem in STEMS {
            prefixes.of(stem);
        }
        prefixes
    }

    /// The prefix of a domain: its first three letters, and more where another domain begins with the same ones.
    pub fn of(&mut self, domain: &str) -> String {
        if let Some(prefix) = self.0.get(domain) {
            return prefix.clone();
        }
        let letters: Vec<char> = domain.chars().filter(|letter| letter.is_alphabetic()).collect();
        let lower = |count: usize| letters.iter().take(count).flat_map(|letter| letter.to_lowercase()).collect();
        let longer = (LETTERS..=letters.len().max(LETTERS)).map(lower);
        // `a` and `a1` have the same letters: the later one has another at its end.
        let padded = (1..).map(|count| format!("{}{}", lower(letters.len()), "x".repeat(count)));
        let mut fresh = longer.chain(padded).filter(|prefix: &String| !prefix.is_empty() && !self.is_taken(prefix));
        let prefix = fresh.next().unwrap_or_default();
        self.0.insert(domain.to_owned(), prefix.clone());
        prefix
    }

    /// The id of a domain's question: `ban001` is the first one of `bank`.
    pub fn id(&mut self, domain: &str, number: usize) -> String {
        format!("{}{number:0DIGITS$}", self.of(domain))
    }

    fn is_taken(&self, prefix: &str) -> bool {
        self.0.values().any(|taken| taken == prefix)
    }
}

/// The domain of a sample: what its tag says, else its group.
pub fn domain(sample: &Sample) -> &str {
    sample.tags.iter().find_map(|tag| tag.strip_prefix(DOMAIN_TAG)).unwrap_or(&sample.group)
}

/// A tool's name within its domain: ours bear the domain before it, `bank.getBalance`.
pub fn bare<'n>(name: &'n str, domain: &str) -> &'n str {
    name.strip_prefix(domain).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
}

/// The name of a domain's files; tools that belong to none have one as well.
pub fn file_stem(domain: &str) -> String {
    if domain.is_empty() { "tools".to_owned() } else { domain.replace(['/', '\\'], "_") }
}

/// A key that puts the authors' domains first, in their order.
pub(super) fn place(domain: &str) -> (usize, &str) {
    (STEMS.iter().position(|stem| *stem == domain).unwrap_or(STEMS.len()), domain)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    pub(in super::super) use crate::fixtures::folder;

    const API: &str =
        r#"{"api_ports": [{"name": "f", "parameters": ["a"], "description": "", "returnParameter": "X"}]}"#;

    #[test]
    fn domains_are_found_from_wherever_one_begins() {
        let folder = folder(&[
            ("benchmark/Dataset/APIs/bank.json", API),
            ("benchmark/Dataset/Questions/zoo.json", "[]"),
            ("benchmark/Dataset/Questions/bank.json", "[]"),
            ("benchmark/Dataset/Questions/notes.txt", ""),
        ]);
        for part in ["", "benchmark", "benchmark/Dataset"] {
            let files = DomainFiles::below(&folder.path().join(part));
            let domains: Vec<&str> = files.iter().map(|files| files.domain.as_str()).collect();
            assert_eq!(domains, ["bank", "zoo"], "{part}");
            assert_eq!(files[0].tools().unwrap()[0].name, "f");
        }
        assert!(DomainFiles::below(&folder.path().join("benchmark/Dataset/APIs")).is_empty());
    }

    #[test]
    fn questions_come_one_by_one_with_their_lines() {
        let item =
            r#"{"id": "ban1", "question": [], "ground_truth": {"API": [], "parameters": []}, "difficulty": "easy"}"#;
        let text = format!("[\n{item},\n{{\"id\": 3}}\n]");
        let folder = folder(&[("APIs/bank.json", API), ("Questions/bank.json", &text)]);
        let mut seen = Vec::new();
        let files = DomainFiles::below(folder.path()).remove(0);
        files.each(&mut |line, item| seen.push((line, item.map(|item| item.id)))).unwrap();
        assert_eq!(seen[0], (2, Ok("ban1".to_owned())));
        assert!(seen[1].0 == 3 && seen[1].1.as_ref().unwrap_err().starts_with("missing field"), "{seen:?}");
    }

    #[test]
    fn what_cannot_be_read_has_its_place() {
        let folder = folder(&[
            ("APIs/hr.json", "{\n\"api_ports\": 5}"),
            ("Questions/bank.json", "{}"),
            ("Questions/hr.json", "["),
        ]);
        let files = DomainFiles::below(folder.path());
        let gone = files[0].tools().unwrap_err().to_string();
        assert!(gone.starts_with("cannot read `") && gone.ends_with("APIs/bank.json`"), "{gone}");
        let odd = files[1].tools().unwrap_err().to_string();
        assert!(odd.contains("hr.json`, line 2: invalid type"), "{odd}");
        let broken = files[1].each(&mut |_, _| {}).unwrap_err().to_string();
        assert!(broken.contains("Questions/hr.json`, line 1: EOF"), "{broken}");
    }

    #[test]
    fn schemas_may_be_missing_or_broken() {
        let folder = folder(&[("APIs/bank.json", API), ("APISchema/bank.json", "{}"), ("Questions/bank.json", "[]")]);
        assert_eq!(DomainFiles::below(folder.path())[0].tools().unwrap().len(), 1);
    }
}

#[cfg(test)]
mod stem_tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_authors_domains_have_the_authors_prefixes() {
        let mut prefixes = Prefixes::new();
        let ids = STEMS.map(|stem| prefixes.id(stem, 7));
        let authors =
            ["ban007", "sho007", "log007", "avi007", "hos007", "gov007", "hr007", "hot007", "ins007", "tel007"];
        assert_eq!(ids, authors);
        assert_eq!((prefixes.id("bank", 99), prefixes.id("bank", 1000)), ("ban099".to_owned(), "ban1000".to_owned()));
    }

    #[test]
    fn a_domain_of_ones_own_takes_none_of_theirs() {
        let mut prefixes = Prefixes::new();
        assert_eq!((prefixes.of("insights"), prefixes.of("kitchen"), prefixes.of("ins")), {
            ("insi".to_owned(), "kit".to_owned(), "insx".to_owned())
        });
        assert_eq!(prefixes.of("insights"), "insi", "and keeps its own");
    }

    #[test]
    fn names_are_bare_within_their_domain() {
        assert_eq!((bare("bank.getBalance", "bank"), bare("getBalance", "bank")), ("getBalance", "getBalance"));
        assert_eq!((bare("banker.get", "bank"), bare("a.b.get", "a.b")), ("banker.get", "get"));
    }

    #[test]
    fn a_domain_names_files_and_no_folders() {
        assert_eq!([file_stem("bank"), file_stem(""), file_stem("../a")], ["bank", "tools", ".._a"]);
    }

    #[test]
    fn other_domains_come_behind_by_their_names() {
        let mut domains = ["zoo", "telecommunications", "arts", "bank"];
        domains.sort_by_key(|domain| place(domain));
        assert_eq!(domains, ["bank", "telecommunications", "arts", "zoo"]);
    }

    proptest! {
        #[test]
        fn no_two_domains_share_an_id(domains in prop::collection::btree_set("[a-c1. 은]{0,5}", 1..12)) {
            let mut prefixes = Prefixes::new();
            let ids: BTreeSet<String> = domains.iter().map(|domain| prefixes.id(domain, 1)).collect();
            prop_assert_eq!(ids.len(), domains.len());
            prop_assert!(ids.iter().all(|id| id.chars().next().is_some_and(char::is_alphabetic)));
        }
    }
}
