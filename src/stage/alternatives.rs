//! Other values for a parameter, and the words that change to them.

use super::banks::Bank;
use super::context::Context;
use crate::gate::check_parameters;
use crate::locale::{Drawn, Fill, Pattern, SlotWords};
use crate::record::{ArgumentNotes, Chance, Dialogue, Expected, FunctionCall, Item, Record, Tool, Turn, Value};
use indexmap::IndexMap;

/// The values that the queries and dialogues of one root give each parameter, with the words that say them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Alternatives {
    seen: IndexMap<(String, String), IndexMap<String, Drawn>>,
}

/// A new value for a parameter, said in one sentence.
pub(super) struct Change {
    pub(super) parameter: String,
    pub(super) value: Value,
    pub(super) text: String,
    pub(super) notes: ArgumentNotes,
}

/// How a change is said: in one of these frames, or by the authors' template.
#[derive(Clone, Copy)]
pub(super) enum Wording<'a> {
    /// In one of these frames, whichever parameter the turn is about.
    Varied(&'a [Pattern]),
    /// In one of these frames; the words must tell which parameter is meant.
    Naming(&'a [Pattern]),
    Paper(&'a Pattern),
}

impl Alternatives {
    /// Takes in the values that items give.
    pub(super) fn learn_all(&mut self, items: &[Item]) {
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
                for turn in &dialogue.turns {
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

    /// A change of `parameter` in a call to another value of its bank, or of what is known where the bank has none, with what
    /// people say for it. Somebody else will say it.
    pub(super) fn planned(
        &self,
        bank: Option<&Bank>,
        (tool, parameter, call): (&Tool, &str, &FunctionCall),
        chance: &mut Chance,
    ) -> Option<(Change, Vec<String>)> {
        let taken: Vec<String> = call.arguments.values().map(folded).collect();
        let is_new = |value: &Value| !clashes(value, &taken);
        let values = bank.and_then(|bank| bank.parameters.get(parameter)).map(|it| it.values.as_slice());
        let others: Vec<_> = values.unwrap_or_default().iter().filter(|worded| is_new(&worded.value)).collect();
        let (value, said) = if let Some(worded) = chance.pick(&others) {
            (worded.value.clone(), worded.said.clone())
        } else {
            let drawn = self.other(tool, parameter, call, chance)?;
            (drawn.value, Some(drawn.surface).filter(|surface| !surface.is_empty()).into_iter().collect())
        };
        let (parameter, text, notes) = (parameter.to_owned(), String::new(), ArgumentNotes::new());
        Some((Change { parameter, value, text, notes }, said))
    }

    /// A change of `parameter` in a call, said in words; absent where there is no other value or no words for it.
    pub(super) fn change(
        &self,
        context: &Context,
        dialogue: &Dialogue,
        (parameter, call): (&str, &FunctionCall),
        wording: Wording<'_>,
        chance: &mut Chance,
    ) -> Option<Change> {
        let tool = &dialogue.tool;
        let drawn = self.other(tool, parameter, call, chance)?;
        let text = say(context, tool, parameter, &drawn, wording, chance)?;
        let alone = FunctionCall {
            name: tool.name.clone(),
            arguments: std::iter::once((parameter.to_owned(), drawn.value.clone())).collect(),
        };
        let preset = [parameter.to_owned()];
        let notes = match check_parameters(tool, &preset, &alone, &text, context.language()) {
            Ok(notes) => notes,
            // The authors' template says a flag as `is true`, which no text of ours does.
            Err(_) if drawn.value.as_bool().is_some() && matches!(wording, Wording::Paper(_)) => ArgumentNotes::new(),
            Err(_) => return None,
        };
        Some(Change { parameter: parameter.to_owned(), value: drawn.value, text, notes })
    }
}

impl Change {
    /// Puts the new value into a turn's label.
    pub(super) fn apply(&self, turn: &mut Turn) {
        if let Some(value) = turn.call.as_mut().and_then(|call| call.arguments.get_mut(&self.parameter)) {
            *value = self.value.clone();
            turn.notes.extend(self.notes.clone());
        }
    }
}

fn say(
    context: &Context,
    tool: &Tool,
    parameter: &str,
    drawn: &Drawn,
    wording: Wording<'_>,
    chance: &mut Chance,
) -> Option<String> {
    let pack = context.pack();
    match wording {
        Wording::Varied(frames) | Wording::Naming(frames) => {
            let phrases = context.toolset().phrases.get(&tool.name);
            let phrases = phrases.and_then(|phrases| phrases.parameters.get(parameter));
            let listed = tool.parameters.properties.get(parameter).is_some_and(|it| it.values.is_some());
            let about = parameter.replace('_', " ");
            let words = SlotWords::new(pack, (parameter, &about), phrases, &drawn.value, &drawn.surface, listed);
            let said = match wording {
                Wording::Naming(_) => words.say_which(frames, chance),
                _ => words.say(frames, chance),
            };
            said.map(|text| pack.tidy(&text))
        }
        Wording::Paper(template) => {
            let description = super::slot_filling::about(tool, parameter);
            let value = if drawn.surface.is_empty() { folded(&drawn.value) } else { drawn.surface.clone() };
            Some(template.render(&mut Template { context, description, value }, chance))
        }
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

struct Template<'a> {
    context: &'a Context,
    description: String,
    value: String,
}

impl Fill for Template<'_> {
    fn has(&self, slot: &str) -> bool {
        matches!(slot, "description" | "value")
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
        let words = if slot == "description" { &self.description } else { &self.value };
        self.context.pack().agreed(words, particle)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{dialogue_item, dialogues, sample_item, silent};
    use super::*;

    fn known() -> Alternatives {
        let mut known = Alternatives::default();
        known.learn(&sample_item("to Faro", r#"{"to": "Faro"}"#));
        known.learn(&dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]));
        known
    }

    fn frames(texts: &[&str]) -> Vec<Pattern> {
        texts.iter().map(|text| Pattern::parse(text).unwrap()).collect()
    }

    fn changed(parameter: &str, wording: Wording<'_>) -> Option<Change> {
        let item = dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]);
        let dialogue = dialogues(std::slice::from_ref(&item))[0];
        let call = dialogue.turns[2].call.as_ref().unwrap();
        known().change(&silent(), dialogue, (parameter, call), wording, &mut Chance::of(&[b"x"]))
    }

    #[test]
    fn another_value_comes_from_what_else_was_said_of_the_tool() {
        let change = changed("to", Wording::Varied(&frames(&["no, {value}"]))).unwrap();
        assert_eq!((change.value, change.text.as_str()), (Value::from("Faro"), "No, Faro"));
        assert_eq!(change.notes["to"].surface.as_deref(), Some("Faro"));
    }

    #[test]
    fn where_no_other_value_is_known_nothing_changes() {
        assert!(changed("at", Wording::Varied(&frames(&["no, {value}"]))).is_none());
        assert!(changed("seats", Wording::Varied(&frames(&["no, {value}"]))).is_none(), "it is not even given");
    }

    #[test]
    fn a_frame_that_does_not_say_the_value_is_no_change() {
        assert!(changed("to", Wording::Varied(&frames(&["something else"]))).is_none());
    }

    #[test]
    fn the_authors_template_takes_the_description_as_it_stands() {
        let template = Pattern::parse("I'm sorry, {description} is {value}. ").unwrap();
        assert_eq!(changed("to", Wording::Paper(&template)).unwrap().text, "I'm sorry, Destination is Faro. ");
    }

    #[test]
    fn a_change_reaches_the_labels_that_have_the_parameter() {
        let change = changed("to", Wording::Varied(&frames(&["no, {value}"]))).unwrap();
        let item = dialogue_item(&[("to", "Porto".into())]);
        let mut turn = dialogues(std::slice::from_ref(&item))[0].turns[1].clone();
        change.apply(&mut turn);
        assert_eq!(turn.call.unwrap().arguments["to"], Value::from("Faro"));
        let mut without = Turn::default();
        change.apply(&mut without);
        assert_eq!(without, Turn::default());
    }
}
