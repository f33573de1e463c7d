//! The items of a benchmark, by their ids: from BFCL's own files, or from samples that were made of them.

use crate::bfcl::layout::{BfclFile, FUNCTIONS_FACT, TRUTH_FACT};
use crate::bfcl::metric::{Category, Item, Manner};
use crate::format::FileError;
use crate::format::{Bench, BenchError};
use crate::record::{BorrowedValue, Sample, SuiteId, Value};
use indexmap::IndexMap;

/// All items that are judged, and how many are not.
#[derive(Debug, Default)]
pub struct Gold {
    items: IndexMap<String, Item>,
    /// Items of categories that are not judged here.
    pub elsewhere: u64,
    /// Items without answers, or with something else than answers: their ids.
    pub broken: Vec<String>,
}

impl Gold {
    /// Reads a benchmark.
    pub fn read(bench: &Bench, locale: Option<&str>) -> Result<Self, BenchError> {
        let mut gold = Self::default();
        if let Some(files) = bench.layout::<Vec<BfclFile>>() {
            files.iter().try_for_each(|file| gold.add_file(file))?;
            return Ok(gold);
        }
        bench.each::<BenchError>(&mut |sample| {
            if locale.is_none_or(|locale| locale == sample.locale) {
                gold.add_sample(&sample);
            }
            Ok(())
        })?;
        Ok(gold)
    }

    fn add_file(&mut self, file: &BfclFile) -> Result<(), FileError> {
        let name = file.category();
        file.each_entry(&mut |_, entry| {
            let category = Category::of_name(&name).or_else(|| Category::of_id(&entry.id));
            self.add(entry.id, category, entry.functions.as_ref(), entry.answers.as_ref());
        })
    }

    fn add_sample(&mut self, sample: &Sample) {
        let read = |fact: &str| Value::read_lenient(sample.provenance.facts.get(fact)?).ok().map(|(value, _)| value);
        let category = Category::of_name(&sample.data_type.0).filter(|_| sample.suite == SuiteId::Bfcl);
        let (functions, answers) = (read(FUNCTIONS_FACT), read(TRUTH_FACT));
        self.add(sample.id.to_string(), category, functions.as_ref(), answers.as_ref());
    }

    fn add(&mut self, id: String, category: Option<Category>, functions: Option<&Value>, answers: Option<&Value>) {
        let Some(category) = category.filter(|category| category.manner() != Manner::Elsewhere) else {
            self.elsewhere += 1;
            return;
        };
        match functions.and_then(|functions| item(category, functions, answers)) {
            Some(item) => drop(self.items.insert(id, item)),
            None => self.broken.push(id),
        }
    }

    /// The item of an id.
    pub fn get(&self, id: &str) -> Option<(usize, &Item)> {
        self.items.get_full(id).map(|(at, _, item)| (at, item))
    }

    /// All items in their order.
    pub fn items(&self) -> impl Iterator<Item = (&str, &Item)> {
        self.items.iter().map(|(id, item)| (id.as_str(), item))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }
}

/// An item; where calls are wanted, there must be some.
fn item(category: Category, functions: &Value, answers: Option<&Value>) -> Option<Item> {
    let item = Item::read(category, &BorrowedValue::from(functions), answers.map(BorrowedValue::from))?;
    let wants_calls = matches!(category.manner(), Manner::Simple | Manner::Multiple | Manner::Parallel);
    (!wants_calls || !item.answers.is_empty()).then_some(item)
}

/// The item of a sample that was made of one of BFCL's.
pub fn item_of(sample: &Sample) -> Option<Item> {
    let mut gold = Gold::default();
    gold.add_sample(sample);
    gold.items.pop().map(|(_, item)| item)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::path::Path;

    /// Writes a small benchmark in BFCL's layout.
    pub(in crate::bfcl) fn write(folder: &Path) {
        let answers = folder.join("possible_answer");
        std::fs::create_dir_all(&answers).unwrap();
        let function = r#"[{"name": "f", "description": "d", "parameters": {"type": "dict", "properties": {"a": {"type": "integer"}}, "required": ["a"]}}]"#;
        let line = |id: &str| {
            format!(
                "{{\"id\": \"{id}\", \"question\": [[{{\"role\": \"user\", \"content\": \"hi\"}}]], \"function\": {function}}}\n"
            )
        };
        let truth = |id: &str| format!("{{\"id\": \"{id}\", \"ground_truth\": [{{\"f\": {{\"a\": [1]}}}}]}}\n");
        for (category, has_truth) in
            [("simple_python", true), ("irrelevance", false), ("live_simple", true), ("simple_java", true)]
        {
            let ids = [0, 1].map(|at| format!("{category}_{at}"));
            let name = format!("BFCL_v4_{category}.json");
            std::fs::write(folder.join(&name), ids.iter().map(|id| line(id)).collect::<String>()).unwrap();
            if has_truth {
                std::fs::write(answers.join(&name), ids.iter().map(|id| truth(id)).collect::<String>()).unwrap();
            }
        }
    }

    #[test]
    fn files_and_the_samples_made_of_them_have_the_same_items() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let bench = Bench::open(folder.path()).unwrap();
        let gold = Gold::read(&bench, None).unwrap();
        assert_eq!((gold.len(), gold.elsewhere, gold.broken.len()), (6, 2, 0));
        let mut samples = String::new();
        bench
            .each::<BenchError>(&mut |sample| {
                samples.push_str(&serde_json::to_string(&sample).unwrap());
                samples.push('\n');
                Ok(())
            })
            .unwrap();
        std::fs::write(folder.path().join("samples.jsonl"), samples).unwrap();
        let again = Gold::read(&Bench::open(&folder.path().join("samples.jsonl")).unwrap(), None).unwrap();
        assert_eq!(format!("{:?}", again.items), format!("{:?}", gold.items));
    }

    #[test]
    fn an_item_without_answers_is_broken_where_calls_are_wanted() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        std::fs::remove_file(folder.path().join("possible_answer/BFCL_v4_live_simple.json")).unwrap();
        let gold = Gold::read(&Bench::open(folder.path()).unwrap(), Some("en")).unwrap();
        assert_eq!(gold.broken, ["live_simple_0", "live_simple_1"]);
        assert!(gold.get("irrelevance_1").is_some() && gold.get("x").is_none() && !gold.is_empty());
    }
}
