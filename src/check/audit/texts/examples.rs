//! Whether writers took values from the examples of their prompts.

use crate::check::audit::Measure;
use crate::check::audit::figure::{Cell, Figure};
use crate::check::audit::values::given;
use crate::gate::check_copied;
use crate::lint::entry::Entry;
use crate::lint::ground::Ground;
use crate::llm::{Prompt, Task};
use crate::record::{Object, Value};
use std::collections::BTreeSet;

/// Counts texts among values, and those that the prompts bring along; the first few of these are kept.
pub(crate) struct Examples {
    prompts: Vec<Prompt>,
    texts: usize,
    copied: usize,
    first: BTreeSet<String>,
}

/// The tasks whose writers choose values, or put them into words.
const WRITERS: [Task; 8] = [
    Task::WriteQuery,
    Task::SlotAnswer,
    Task::WriteDialogue,
    Task::WriteVariants,
    Task::FillBank,
    Task::WriteQuestion,
    Task::WriteComplexQuery,
    Task::CoarseQueries,
];

/// So many copied values are shown.
const SHOWN: usize = 5;

const WHAT: &str = "values of expected calls that appear in quotation marks in a generator prompt as an example and \
    that the tool does not mention (a generator that copies one is retried: `copied_example`); third-party prompts \
    are not covered";

impl Examples {
    pub(crate) fn new(ground: &Ground) -> Self {
        let load = |task: &Task| Prompt::load(&ground.assets, task.folder(), &ground.language.code).ok();
        let prompts = WRITERS.iter().filter_map(load).collect();
        Self { prompts, texts: 0, copied: 0, first: BTreeSet::new() }
    }
}

impl Measure for Examples {
    fn see(&mut self, entry: &Entry) {
        for (tool, name, value) in given(entry) {
            let (Some(tool), true) = (entry.candidate(tool), holds_text(value)) else { continue };
            self.texts += 1;
            let argument = Object::from_iter([(name.to_owned(), value.clone())]);
            if check_copied(tool, &argument, |text| self.prompts.iter().any(|prompt| prompt.brings(text))).is_err() {
                self.copied += 1;
                if self.first.len() < SHOWN {
                    self.first.insert(format!("{name} = {value}"));
                }
            }
        }
    }

    fn figure(&self) -> Figure {
        let first: Vec<&str> = self.first.iter().map(String::as_str).collect();
        let cell = Cell::share("copied example values", self.copied, self.texts).with(first.join(", "));
        Figure::new("examples", WHAT, Some(cell).filter(|cell| cell.n > 0).into_iter().collect())
    }
}

fn holds_text(value: &Value) -> bool {
    match value {
        Value::String(_) => true,
        Value::List(items) => items.iter().any(holds_text),
        Value::Object(fields) => fields.values().any(holds_text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, said};

    #[test]
    fn a_value_of_a_shipped_prompt_is_found() {
        let mut measure = Examples::new(&Ground::load(crate::fixtures::assets(), "en").unwrap());
        for (at, to) in ["Blue Lantern", "Porto", "Faro", "Lagos"].iter().enumerate() {
            let arguments = format!(r#"{{"to": "{to}", "seats": 2}}"#);
            measure.see(&entry(said(&format!("s{at}"), "ST_Perfect", "x", &arguments)));
        }
        let cell = measure.figure().cells[0].clone();
        assert_eq!((cell.value, cell.n, cell.detail.as_str()), (0.25, 4, r#"to = "Blue Lantern""#));
    }
}
