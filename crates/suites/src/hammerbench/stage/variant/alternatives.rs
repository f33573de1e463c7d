//! Other values for a parameter: what a person could have meant instead, or want as well.

use crate::locale::Drawn;
use crate::record::{ArgumentNotes, Chance, Expected, FunctionCall, Item, Record, Tool, Turn, Value};
use crate::stage::banks::Bank;
use indexmap::IndexMap;

/// The values that the queries and dialogues of one root give each parameter, with the words that say them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Alternatives {
    seen: IndexMap<(String, String), IndexMap<String, Drawn>>,
}

/// A new value for a parameter.
pub(crate) struct Change {
    pub parameter: String,
    pub value: Value,
    /// What people say for it.
    pub said: Vec<String>,
}

/// What becomes of the old value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Instead {
    /// It was a slip, or the person changed their mind: the new value is close to it.
    Corrected,
    /// It stays as well.
    Again,
}

/// Whether the new value has to belong together with the call's other values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Where the bank has bundles of such values.
    Bundles,
    /// It may be any.
    Any,
}

/// Of how many nearest values one is drawn for a correction.
const NEAREST: usize = 4;

impl Alternatives {
    /// Takes in the values that items give.
    pub(crate) fn learn_all(&mut self, items: &[Item]) {
        for item in items {
            self.learn(item);
        }
    }

    fn learn(&mut self, item: &Item) {
        match &item.record {
            Record::Sample(sample) => {
                if let Expected::Call(call) = &sample.expected {
                    self.learn_call(call, &sample.arguments);
                }
            }
            Record::Dialogue(dialogue) => {
                // What is only planned has its new value, and the words for the old one still.
                for turn in dialogue.turns.iter().filter(|turn| turn.plan.is_none()) {
                    if let Some(call) = &turn.call {
                        self.learn_call(call, &turn.notes);
                    }
                }
            }
            _ => {}
        }
    }

    fn learn_call(&mut self, call: &FunctionCall, notes: &ArgumentNotes) {
        for (name, value) in &call.arguments {
            let Some(surface) = notes.get(name).and_then(|note| note.surface.clone()) else { continue };
            let known = self.seen.entry((call.name.clone(), name.clone())).or_default();
            known.entry(folded(value)).or_insert_with(|| Drawn { value: value.clone(), surface });
        }
    }

    /// Another value for a parameter of a call: of the same kind, and none that any argument holds or is held by.
    fn other(&self, tool: &Tool, parameter: &str, call: &FunctionCall, chance: &mut Chance) -> Option<Drawn> {
        let old = call.arguments.get(parameter)?;
        if let Some(flag) = old.as_bool() {
            return Some(Drawn { value: Value::Bool(!flag), surface: String::new() });
        }
        let taken: Vec<String> = call.arguments.values().map(folded).collect();
        let is_new = |drawn: &&Drawn| !clashes(&drawn.value, &taken);
        let known = self.seen.get(&(tool.name.clone(), parameter.to_owned()));
        let others: Vec<&Drawn> = known.into_iter().flat_map(IndexMap::values).filter(is_new).collect();
        chance.pick(&others).map(|drawn| (*drawn).clone())
    }

    /// A change of `parameter` in a call to another value of its bank, or of what is known where the bank has none.
    pub(crate) fn change(
        &self,
        bank: Option<&Bank>,
        (tool, parameter, call): (&Tool, &str, &FunctionCall),
        (instead, fit): (Instead, Fit),
        chance: &mut Chance,
    ) -> Option<Change> {
        let old = call.arguments.get(parameter)?;
        let taken: Vec<String> = call.arguments.values().map(folded).collect();
        let tied = bank.filter(|_| fit == Fit::Bundles).and_then(|bank| bank.tied(parameter, &call.arguments));
        let is_fit = |value: &Value| tied.as_ref().is_none_or(|tied| tied.iter().any(|it| it.equals(value)));
        let is_new = |value: &Value| !clashes(value, &taken) && is_fit(value);
        let values = bank.and_then(|bank| bank.parameters.get(parameter)).map(|it| it.values.as_slice());
        let mut others: Vec<_> = values.unwrap_or_default().iter().filter(|worded| is_new(&worded.value)).collect();
        if instead == Instead::Corrected {
            others.sort_by(|one, other| distance(old, &one.value).total_cmp(&distance(old, &other.value)));
            if others.last().is_some_and(|it| distance(old, &it.value) > 0.0) {
                others.truncate(NEAREST);
            }
        }
        let (value, said) = if let Some(worded) = chance.pick(&others) {
            match (instead == Instead::Corrected).then(|| partly(old, &worded.value, chance)).flatten() {
                Some(value) => (value, Vec::new()),
                None => (worded.value.clone(), worded.said.clone()),
            }
        } else if tied.is_some() {
            return None;
        } else {
            let drawn = self.other(tool, parameter, call, chance)?;
            (drawn.value, Some(drawn.surface).filter(|surface| !surface.is_empty()).into_iter().collect())
        };
        Some(Change { parameter: parameter.to_owned(), value, said })
    }
}

impl Change {
    /// Puts the new value into a turn's label.
    pub(crate) fn apply(&self, turn: &mut Turn) {
        if let Some(value) = turn.call.as_mut().and_then(|call| call.arguments.get_mut(&self.parameter)) {
            *value = self.value.clone();
        }
    }
}

/// The distance between two values: between numbers, and between dates or times as the digits that they are written with; else 0.
fn distance(one: &Value, other: &Value) -> f64 {
    let figure = |value: &Value| match value {
        Value::String(text) if text.starts_with(|letter: char| letter.is_ascii_digit()) => {
            text.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
        }
        Value::Number(number) => Some(number.as_f64()),
        _ => None,
    };
    figure(one).zip(figure(other)).map_or(0.0, |(one, other): (f64, f64)| (one - other).abs())
}

/// A list with one of its elements as the other has it; nothing where it has but one. The parts of an object belong together.
fn partly(old: &Value, other: &Value, chance: &mut Chance) -> Option<Value> {
    match (old, other) {
        (Value::List(old), Value::List(other)) if old.len() > 1 => {
            let parts: Vec<&Value> = other.iter().filter(|part| !old.contains(part)).collect();
            let part = (*chance.pick(&parts)?).clone();
            let mut new = old.clone();
            *new.last_mut()? = part;
            Some(Value::List(new))
        }
        _ => None,
    }
}

/// Whether a value holds one of the others or is held by it.
fn clashes(value: &Value, others: &[String]) -> bool {
    let own = folded(value);
    others.iter().any(|other| own.contains(other.as_str()) || other.contains(&own))
}

/// A value as a text that can be compared.
fn folded(value: &Value) -> String {
    value.as_str().map_or_else(|| serde_json::to_string(value).unwrap_or_default(), str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::testing::{dialogue_item, dialogues, sample_item};

    fn known() -> Alternatives {
        let mut known = Alternatives::default();
        known.learn(&sample_item("to Faro", r#"{"to": "Faro"}"#));
        known.learn(&dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]));
        known
    }

    fn changed(parameter: &str) -> Option<Change> {
        let item = dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]);
        let dialogue = dialogues(std::slice::from_ref(&item))[0];
        let call = dialogue.turns[2].call.as_ref().unwrap();
        let mut chance = Chance::of(&[b"x"]);
        known().change(None, (&dialogue.tool, parameter, call), (Instead::Corrected, Fit::Any), &mut chance)
    }

    #[test]
    fn another_value_comes_from_what_else_was_said_of_the_tool() {
        let change = changed("to").unwrap();
        assert_eq!((change.value, change.said), (Value::from("Faro"), vec!["Faro".to_owned()]));
        assert!(
            changed("at").is_none() && changed("seats").is_none(),
            "no other value is known, or not even one given"
        );
    }

    /// What a value is corrected to, of a bank that holds these.
    fn corrected(old: &str, values: &str) -> Vec<String> {
        let bank =
            format!(r#"{{"format": 1, "tool": "t", "locale": "en", "parameters": {{"to": {{"values": {values}}}}}}}"#);
        let bank: Bank = serde_json::from_str(&bank).unwrap();
        let call = FunctionCall {
            name: "t".to_owned(),
            arguments: [("to".to_owned(), Value::read(old).unwrap())].into_iter().collect(),
        };
        let of = |draw: u32| {
            let (known, mut chance) = (Alternatives::default(), Chance::new(1, "x", "y", draw));
            known.change(Some(&bank), (&Tool::default(), "to", &call), (Instead::Corrected, Fit::Any), &mut chance)
        };
        let mut all: Vec<String> = (0..60).filter_map(|draw| Some(of(draw)?.value.to_string())).collect();
        all.sort();
        all.dedup();
        all
    }

    #[test]
    fn a_correction_lies_near_or_changes_an_element() {
        let numbers: Vec<String> = (1..30).map(|it| format!("{{\"value\": {it}}}")).collect();
        assert_eq!(corrected("12", &format!("[{}]", numbers.join(","))), ["10", "11", "13", "14"]);
        let days = r#"[{"value": "2026-03-05"}, {"value": "2026-03-06"}, {"value": "2026-03-09"}, {"value": "2026-03-10"},
            {"value": "2026-09-01"}]"#;
        assert!(!corrected("\"2026-03-07\"", days).contains(&"\"2026-09-01\"".to_owned()));
        let people = r#"[{"value": {"name": "Ann", "city": "Hull"}, "said": ["Ann in Hull"]}]"#;
        let person = corrected(r#"{"name": "Bo", "city": "Leeds"}"#, people);
        assert_eq!(person, [r#"{"name":"Ann","city":"Hull"}"#], "the parts of an object belong together");
        let lists = r#"[{"value": ["figs", "leeks"]}]"#;
        assert_eq!(corrected(r#"["eggs", "milk"]"#, lists), [r#"["eggs","figs"]"#, r#"["eggs","leeks"]"#]);
    }

    #[test]
    fn a_change_keeps_to_values_that_belong_together_where_a_bank_ties_them() {
        let bank = r#"{"format": 1, "tool": "t", "locale": "en",
            "parameters": {"shop": {"values": [{"value": "Nino"}, {"value": "Sushi Bar"}, {"value": "Da Lina"}]}},
            "bundles": [{"shop": "Nino", "dish": "pizza"}, {"shop": "Da Lina", "dish": "pizza"}, {"shop": "Sushi Bar", "dish": "maki"}]}"#;
        let bank: Bank = serde_json::from_str(bank).unwrap();
        let changed = |dish: &str, fit: Fit| {
            let arguments = [("shop".to_owned(), "Nino".into()), ("dish".to_owned(), dish.into())];
            let call = FunctionCall { name: "t".to_owned(), arguments: arguments.into_iter().collect() };
            let known = Alternatives::default();
            let mut chance = Chance::new(1, "x", "y", 0);
            let change =
                known.change(Some(&bank), (&Tool::default(), "shop", &call), (Instead::Again, fit), &mut chance);
            change.map(|change| change.value)
        };
        assert_eq!(changed("pizza", Fit::Bundles), Some("Da Lina".into()));
        assert_eq!(changed("soup", Fit::Bundles), None, "no shop of the bundles has it");
        assert!(changed("soup", Fit::Any).is_some());
    }

    #[test]
    fn a_change_reaches_the_labels_that_have_the_parameter() {
        let change = changed("to").unwrap();
        let item = dialogue_item(&[("to", "Porto".into())]);
        let mut turn = dialogues(std::slice::from_ref(&item))[0].turns[1].clone();
        change.apply(&mut turn);
        assert_eq!(turn.call.unwrap().arguments["to"], Value::from("Faro"));
        let mut without = Turn::default();
        change.apply(&mut without);
        assert_eq!(without, Turn::default());
    }
}
