//! Renaming as augmentation: a model should read descriptions, and not know names by heart.
//!
//! Names change in tools, calls and results alike, and never in free text.

use crate::export::lessons::faults::has;
use crate::export::lessons::lesson::{Lesson, read};
use crate::record::{Chance, Expected, FunctionCall, Object, Parameters, Sample, Step, Tool, Value};
use crate::score::words_of as words;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::sync::Arc;

/// New names: of a tool, and of its parameters.
type Renamed = (String, IndexMap<String, String>);

/// Renames the tools of a lesson and their parameters; the same seed and the same lesson give the same names.
pub(super) fn rename(lesson: &mut Lesson, seed: u64, copy: u32) {
    let mut chance = Chance::new(seed, "export.rename", lesson.sample.id.as_str(), copy);
    let mut names: BTreeMap<String, Renamed> = BTreeMap::new();
    for tool in &lesson.tools {
        let taken: Vec<String> = names.values().map(|(name, _)| name.clone()).collect();
        let name = fresh(&tool.name, "fn", &taken, &mut chance);
        let mut parameters: IndexMap<String, String> = IndexMap::new();
        for parameter in tool.parameters.properties.keys() {
            let taken: Vec<String> = parameters.values().cloned().collect();
            parameters.insert(parameter.clone(), fresh(parameter, "arg", &taken, &mut chance));
        }
        names.insert(tool.name.clone(), (name, parameters));
    }
    let right = right_tools(lesson);
    let owners: Vec<String> = lesson.numbered().map(|(_, call)| call.name.clone()).collect();
    for turn in &mut lesson.turns {
        let owner = turn.answers.and_then(|call| names.get(owners.get(call)?));
        if let (Some((_, parameters)), Some(text)) = (owner, &turn.text) {
            turn.text = Some(result(text, parameters));
        }
        turn.calls.iter_mut().for_each(|call| rename_call(call, &names));
    }
    for asked in &mut lesson.asked {
        *asked = new_name(asked, &right, &names);
    }
    for tool in &mut lesson.tools {
        if let Some(renamed) = names.get(&tool.name) {
            rename_tool(Arc::make_mut(tool), renamed);
        }
    }
    rename_gold(&mut lesson.sample, &right, &names);
}

/// Names of the tools that are right to call, in order; of a question, the tool that it asks for.
fn right_tools(lesson: &Lesson) -> Vec<String> {
    let gold: Vec<String> = match &lesson.sample.expected {
        Expected::Call(call) => vec![call.name.clone()],
        Expected::Steps(steps) => steps.iter().flat_map(|step| &step.calls).map(|call| call.name.clone()).collect(),
        _ => lesson.calls().map(|call| call.name.clone()).collect(),
    };
    let holds = |tool: &&Arc<Tool>| lesson.asked.iter().all(|name| has(tool, name));
    let is_known = !gold.is_empty() || lesson.asked.is_empty();
    let asking = lesson.tools.iter().find(holds).filter(|_| !is_known).map(|tool| tool.name.clone());
    gold.into_iter().chain(asking).collect()
}

/// The new name of a parameter of a right call: that of the first right tool which has it.
fn new_name(name: &str, right: &[String], names: &BTreeMap<String, Renamed>) -> String {
    let mut tools = right.iter().filter_map(|tool| names.get(tool));
    tools.find_map(|(_, parameters)| parameters.get(name)).cloned().unwrap_or_else(|| name.to_owned())
}

/// What is known of the right calls goes by the new names too: notes, further values, and the calls themselves.
fn rename_gold(sample: &mut Sample, right: &[String], names: &BTreeMap<String, Renamed>) {
    let acceptable = std::mem::take(&mut sample.acceptable).into_iter();
    sample.acceptable = acceptable.map(|(name, values)| (new_name(&name, right, names), values)).collect();
    let notes = std::mem::take(&mut sample.arguments).into_iter();
    sample.arguments = notes.map(|(name, note)| (new_name(&name, right, names), note)).collect();
    match &mut sample.expected {
        Expected::Call(call) => rename_call(call, names),
        Expected::Steps(steps) => steps.iter_mut().for_each(|step| rename_step(step, names)),
        _ => {}
    }
}

fn rename_step(step: &mut Step, names: &BTreeMap<String, Renamed>) {
    for (call, notes) in step.calls.iter().zip(&mut step.notes) {
        let own = [call.name.clone()];
        let old = std::mem::take(notes).into_iter();
        *notes = old.map(|(name, note)| (new_name(&name, &own, names), note)).collect();
    }
    step.calls.iter_mut().for_each(|call| rename_call(call, names));
}

/// Another spelling of a name, or one that says nothing.
fn fresh(name: &str, stem: &str, taken: &[String], chance: &mut Chance) -> String {
    loop {
        let new = match chance.below(4) {
            0 => words(name).join("_"),
            1 => camel(&words(name)),
            2 => words(name).join("-"),
            _ => format!("{stem}_{:05x}", chance.below(0x10_0000)),
        };
        if !new.is_empty() && new != name && !taken.contains(&new) {
            return new;
        }
        let blank = format!("{stem}_{:05x}", chance.below(0x10_0000));
        if blank != name && !taken.contains(&blank) {
            return blank;
        }
    }
}

fn camel(words: &[String]) -> String {
    let capital = |word: &String| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>()).unwrap_or_default()
    };
    let (first, rest) = words.split_first().map_or((String::new(), &[][..]), |(first, rest)| (first.clone(), rest));
    rest.iter().fold(first, |name, word| name + &capital(word))
}

fn rename_call(call: &mut FunctionCall, names: &BTreeMap<String, Renamed>) {
    if let Some((name, parameters)) = names.get(&call.name) {
        call.name.clone_from(name);
        call.arguments = keys(std::mem::take(&mut call.arguments), parameters);
    }
}

fn keys(object: Object, parameters: &IndexMap<String, String>) -> Object {
    object.into_iter().map(|(name, value)| (parameters.get(&name).cloned().unwrap_or(name), value)).collect()
}

/// A result that repeats its call's arguments calls them by their new names; a text stays as it is.
fn result(text: &str, parameters: &IndexMap<String, String>) -> String {
    match read(text) {
        Value::Object(object) => Value::Object(keys(object, parameters)).to_string(),
        _ => text.to_owned(),
    }
}

fn rename_tool(tool: &mut Tool, (name, parameters): &Renamed) {
    let new = |old: &String| parameters.get(old).unwrap_or(old).clone();
    let Parameters { properties, required, .. } = &mut tool.parameters;
    *properties = std::mem::take(properties).into_iter().map(|(old, it)| (new(&old), it)).collect();
    *required = required.iter().map(new).collect();
    tool.name.clone_from(name);
}

// Names that every server takes, and the way back to the original ones.

/// The longest name that is taken.
const LONGEST: usize = 64;

/// The names that were written in place of others: one for each original, the same throughout an export.
#[derive(Debug, Default)]
pub(super) struct Table {
    given: BTreeMap<String, String>,
    taken: BTreeMap<String, String>,
}

impl Table {
    /// The name to write: of letters, digits, `_` and `-`, and of no other tool in the export.
    fn name(&mut self, original: &str) -> String {
        if let Some(given) = self.given.get(original) {
            return given.clone();
        }
        let mut name = safe(original);
        while self.taken.contains_key(&name) {
            let digest = blake3::hash(format!("{name}/{original}").as_bytes()).to_hex();
            let kept: String = name.chars().take(LONGEST - 9).collect();
            name = format!("{kept}_{}", digest.chars().take(8).collect::<String>());
        }
        self.given.insert(original.to_owned(), name.clone());
        self.taken.insert(name.clone(), original.to_owned());
        name
    }

    /// Original names by the names in their place, where they differ.
    pub(super) fn changed(&self) -> BTreeMap<&str, &str> {
        let pairs = self.taken.iter().map(|(name, original)| (name.as_str(), original.as_str()));
        pairs.filter(|(name, original)| name != original).collect()
    }

    /// Whether every name stayed as it was.
    pub(super) fn is_empty(&self) -> bool {
        self.changed().is_empty()
    }
}

/// Gives every tool of a lesson and every call, also of what is no tool, a name that servers take.
pub(super) fn make_safe(lesson: &mut Lesson, table: &mut Table) {
    for tool in &mut lesson.tools {
        let name = table.name(&tool.name);
        if name != tool.name {
            Arc::make_mut(tool).name = name;
        }
    }
    for call in lesson.turns.iter_mut().flat_map(|turn| &mut turn.calls) {
        call.name = table.name(&call.name);
    }
}

fn is_fit(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

/// The name alone, where no other one takes the same place.
pub(super) fn safe(name: &str) -> String {
    if !name.is_empty() && name.chars().count() <= LONGEST && name.chars().all(is_fit) {
        return name.to_owned();
    }
    let plain: String = name.chars().map(|letter| if is_fit(letter) { letter } else { '_' }).collect();
    if name.is_ascii() && !name.is_empty() && plain.len() <= LONGEST {
        return plain;
    }
    // What lost its letters or its end is told apart by a hash.
    let digest = blake3::hash(name.as_bytes()).to_hex();
    let kept: String = plain.trim_matches('_').chars().take(LONGEST - 12).collect();
    format!("fn_{kept}_{}", digest.chars().take(8).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lesson, masked, parallel};
    use super::*;
    use crate::export::lessons::faults::is_taken;

    #[test]
    fn tools_calls_and_results_agree_and_texts_stay() {
        for seed in 0..50 {
            let (before, mut after) = (parallel(), parallel());
            rename(&mut after, seed, 0);
            assert!(after.calls().all(|call| is_taken(call, &after.tools)), "{seed}");
            let names: Vec<&str> = after.tools.iter().map(|tool| tool.name.as_str()).collect();
            assert!(!names.contains(&"Rail.book") && names[0] != names[1]);
            let key = after.calls().next().unwrap().arguments.keys().next().unwrap();
            let told = after.turns[2].text.as_deref().unwrap();
            assert_eq!(told, format!(r#"{{"{key}":"Porto","price":10.50}}"#));
            assert_eq!((&after.turns[0], &after.turns[3].text), (&before.turns[0], &before.turns[3].text));
            assert_eq!(after.tools[0].description, before.tools[0].description);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_names_and_copies_differ() {
        let renamed = |seed, copy| {
            let mut lesson = lesson("question");
            rename(&mut lesson, seed, copy);
            lesson
        };
        assert_eq!(renamed(7, 0), renamed(7, 0));
        assert!((1..20).any(|copy| renamed(7, copy) != renamed(7, 0)));
        let lesson = renamed(7, 0);
        assert!(lesson.tools[0].parameters.properties.contains_key(&lesson.asked[0]));
    }

    #[test]
    fn masked_turns_are_renamed_too() {
        let mut lesson = masked();
        rename(&mut lesson, 3, 0);
        let tools: Vec<&str> = lesson.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert!(lesson.numbered().all(|(_, call)| tools.contains(&call.name.as_str())));
    }

    #[test]
    fn what_is_asked_and_known_goes_by_the_names_of_the_right_tool() {
        for seed in 0..30 {
            let mut lesson = lesson("call");
            // The first tool of the alphabet has a parameter of the same name, and is not the one to call.
            Arc::make_mut(&mut lesson.tools[1]).name = "A.first".to_owned();
            let shared = lesson.tools[0].parameters.properties["to"].clone();
            Arc::make_mut(&mut lesson.tools[1]).parameters.properties.insert("to".to_owned(), shared);
            lesson.asked = vec!["to".to_owned()];
            lesson.sample.expected = Expected::Call(lesson.turns[1].calls[0].clone());
            lesson.sample.acceptable = [("to".to_owned(), vec!["Oporto".into()])].into();
            let open = serde_json::from_str(r#"{"to": {"surface": null, "origin": "open"}}"#).unwrap();
            lesson.sample.arguments = open;
            rename(&mut lesson, seed, 0);
            let key = lesson.calls().next().unwrap().arguments.keys().next().unwrap().clone();
            assert!(lesson.tools[0].parameters.properties.contains_key(&key));
            assert_eq!(lesson.asked, std::slice::from_ref(&key), "{seed}");
            let known = [lesson.sample.acceptable.keys().next(), lesson.sample.arguments.keys().next()];
            assert_eq!(known, [Some(&key), Some(&key)]);
        }
    }

    #[test]
    fn notes_of_steps_go_by_the_names_of_their_calls() {
        let mut lesson = lesson("call");
        let notes = serde_json::from_str(r#"{"to": {"surface": null, "origin": "open"}}"#).unwrap();
        let step = Step { calls: lesson.turns[1].calls.clone(), answers: Vec::new(), notes: vec![notes] };
        lesson.sample.expected = Expected::Steps(vec![step]);
        rename(&mut lesson, 5, 0);
        let Expected::Steps(steps) = &lesson.sample.expected else { panic!() };
        assert_eq!(steps[0].calls[0], lesson.turns[1].calls[0]);
        assert_eq!(steps[0].notes[0].keys().next(), steps[0].calls[0].arguments.keys().next());
    }

    #[test]
    fn a_name_falls_into_its_words() {
        for (name, parts) in [
            ("Rail.bookTrain", vec!["rail", "book", "train"]),
            ("start_date2", vec!["start", "date2"]),
            ("URL", vec!["url"]),
            ("예약", vec!["예약"]),
        ] {
            assert_eq!(words(name), parts);
        }
        assert_eq!((camel(&words("start_date")), camel(&[])), ("startDate".to_owned(), String::new()));
    }
}

#[cfg(test)]
mod names_tests {
    use super::super::testing::lesson;
    use super::*;

    #[test]
    fn names_are_changed_everywhere_and_the_table_leads_back() {
        let (mut lesson, mut table) = (lesson("call"), Table::default());
        make_safe(&mut lesson, &mut table);
        assert_eq!((lesson.tools[0].name.as_str(), lesson.turns[1].calls[0].name.as_str()), ("Rail_book", "Rail_book"));
        assert_eq!(table.changed()["Rail_book"], "Rail.book");
    }

    #[test]
    fn two_names_never_become_one() {
        let (mut lesson, mut table) = (lesson("call"), Table::default());
        Arc::make_mut(&mut lesson.tools[1]).name = "Rail_book".to_owned();
        make_safe(&mut lesson, &mut table);
        assert_ne!(lesson.tools[0].name, lesson.tools[1].name);
    }

    #[test]
    fn a_name_means_one_tool_in_every_lesson() {
        let (mut one, mut other, mut table) = (lesson("call"), lesson("call"), Table::default());
        Arc::make_mut(&mut other.tools[0]).name = "Rail_book".to_owned();
        other.turns[1].calls[0].name = "Rail_book".to_owned();
        make_safe(&mut one, &mut table);
        make_safe(&mut other, &mut table);
        let written = [&one, &other].map(|lesson| lesson.tools[0].name.clone());
        assert_ne!(written[0], written[1]);
        let changed = table.changed();
        assert_eq!([changed[written[0].as_str()], changed[written[1].as_str()]], ["Rail.book", "Rail_book"]);
        assert_eq!(other.turns[1].calls[0].name, written[1]);
    }

    #[test]
    fn calls_of_what_is_no_tool_get_names_too() {
        let (mut lesson, mut table) = (lesson("call"), Table::default());
        for (tool, name) in lesson.tools.iter_mut().zip(["book", "cancel"]) {
            Arc::make_mut(tool).name = name.to_owned();
        }
        lesson.turns[1].calls[0].name = "made up!".to_owned();
        make_safe(&mut lesson, &mut table);
        assert_eq!((lesson.turns[1].calls[0].name.as_str(), lesson.tools[0].name.as_str()), ("made_up_", "book"));
        // What a model makes up never takes the name of a tool that is there.
        let mut other = super::super::testing::lesson("call");
        other.turns[1].calls[0].name = "Rail book".to_owned();
        make_safe(&mut other, &mut table);
        assert_ne!(other.turns[1].calls[0].name, other.tools[0].name);
    }

    #[test]
    fn every_name_fits() {
        for name in ["", "예약", "a b", &"x".repeat(80), "é".repeat(70).as_str(), "ok_1-x"] {
            let safe = safe(name);
            assert!((1..=LONGEST).contains(&safe.len()) && safe.chars().all(is_fit), "{safe}");
        }
        assert_ne!(safe("예약"), safe("취소"));
        assert_eq!(safe("ok_1-x"), "ok_1-x");
    }
}
