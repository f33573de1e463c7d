//! Rows: a lesson as each trainer reads it, one file for each.

pub(super) mod bfcl;
pub(super) mod hermes;
pub(super) mod llamafactory;
pub(super) mod llamafactory_openai;
pub(super) mod openai;
pub(super) mod table;
pub(super) mod trl;
pub(super) mod xlam;

use super::loss::{Loss, Rule};
use super::options::{Dialect, Options};
use crate::export::lessons::lesson::{Learn, Lesson, Turn, value_of};
use crate::record::{FunctionCall, Object, Role, Tool, Value};

/// What becomes of thoughts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Reasoning {
    /// Separate field, if the format has one
    #[default]
    Keep,
    /// Exclude
    Drop,
    /// Before the content, in `<think>` and `</think>` tags
    Tags,
}

/// Rows that were written, with what they could not hold; or why there is none.
pub(super) type Written = Result<(Object, Vec<Loss>), Loss>;

/// The row of a lesson in the format that is wanted; nothing for formats that are no rows of keys.
pub(super) fn rendered(lesson: &Lesson, options: &Options) -> Option<Written> {
    let reasoning = options.reasoning;
    Some(match options.to {
        Dialect::Trl if options.train_history => trl::row(lesson, reasoning, false),
        Dialect::Trl => trl::completed(lesson, reasoning),
        Dialect::TrlArrow | Dialect::Parquet => trl::row(lesson, reasoning, true),
        Dialect::Openai => openai::row(lesson, reasoning),
        Dialect::Llamafactory => llamafactory::row(lesson, reasoning),
        Dialect::LlamafactoryOpenai => llamafactory_openai::row(lesson, reasoning),
        Dialect::Hermes => hermes::row(lesson, reasoning),
        Dialect::Xlam => xlam::row(lesson, reasoning),
        Dialect::Csv | Dialect::Bfcl => return None,
    })
}

/// How a call is named within its example: nine letters and digits, as the strictest servers want it.
pub(super) fn call_id(ordinal: usize) -> String {
    format!("call{ordinal:05}")
}

/// The words of a turn, with the thought where it is to stand in them.
pub(super) fn words(turn: &Turn, reasoning: Reasoning) -> Option<String> {
    let thought = turn.reasoning.as_deref().filter(|_| reasoning == Reasoning::Tags);
    match (thought, &turn.text) {
        (Some(thought), text) => {
            let text = text.as_deref().unwrap_or_default();
            Some(format!("<think>\n{}\n</think>\n\n{text}", thought.trim()).trim_end().to_owned())
        }
        (None, text) => text.clone(),
    }
}

/// What a format without a field for thoughts loses.
pub(super) fn thought_lost(lesson: &Lesson, reasoning: Reasoning) -> Option<Loss> {
    let is_lost = reasoning == Reasoning::Keep && lesson.turns.iter().any(|turn| turn.reasoning.is_some());
    is_lost.then(|| Loss::part(lesson.id(), Rule::Reasoning, "use `--reasoning tags` to keep it in the content"))
}

/// What a format loses that has nothing to say that an earlier turn is read and not learned.
pub(super) fn context_lost(lesson: &Lesson) -> Option<Loss> {
    let is_context = |turn: &&Turn| turn.role == Role::Assistant && turn.learn == Learn::Context;
    let count = lesson.turns.iter().filter(is_context).count();
    (count > 0).then(|| Loss::part(lesson.id(), Rule::Mask, format!("earlier turns that are trained: {count}")))
}

/// A tool without its wrapping.
pub(super) fn bare(tool: &Tool) -> Value {
    let fields = [
        ("name", tool.name.as_str().into()),
        ("description", tool.description.as_str().into()),
        ("parameters", schema(value_of(&tool.parameters))),
    ];
    Value::Object(crate::export::lessons::lesson::object(fields))
}

/// A tool in its wrapping.
pub(super) fn wrapped(tool: &Tool) -> Value {
    Value::Object(crate::export::lessons::lesson::object([("type", "function".into()), ("function", bare(tool))]))
}

/// A schema whose types are JSON Schema's own.
fn schema(value: Value) -> Value {
    match value {
        Value::Object(object) => Value::Object(object.into_iter().filter_map(entry).collect()),
        Value::List(list) => Value::List(list.into_iter().map(schema).collect()),
        other => other,
    }
}

fn entry((name, value): (String, Value)) -> Option<(String, Value)> {
    match (name.as_str(), &value) {
        ("type", Value::String(word)) => json_type(word).map(|word| (name, word.into())),
        ("enum" | "default" | "const" | "examples", _) => Some((name, value)),
        _ => Some((name, schema(value))),
    }
}

/// The JSON type that a word of BFCL or Python means; nothing where everything is meant.
fn json_type(word: &str) -> Option<&str> {
    Some(match word {
        "dict" | "Dict" | "HashMap" | "hashtable" => "object",
        "float" | "double" | "Number" => "number",
        "int" | "long" | "Integer" => "integer",
        "bool" | "Boolean" => "boolean",
        "list" | "List" | "tuple" | "Array" | "ArrayList" | "queue" | "stack" => "array",
        "str" | "String" | "char" => "string",
        "any" | "Any" => return None,
        known => known,
    })
}

/// A call as text: `{"name": .., "arguments": {..}}`.
pub(super) fn call_value(call: &FunctionCall) -> Value {
    Value::Object(crate::export::lessons::lesson::object([
        ("name", call.name.as_str().into()),
        ("arguments", Value::Object(call.arguments.clone())),
    ]))
}

#[cfg(test)]
mod tests {
    use super::super::testing::parallel;
    use super::*;

    #[test]
    fn types_are_those_of_json_schema() {
        let read = |text: &str| schema(Value::read(text).unwrap()).to_string();
        assert_eq!(
            read(r#"{"type":"dict","properties":{"type":{"type":"float"},"a":{"type":"any","enum":["float"]}}}"#),
            r#"{"type":"object","properties":{"type":{"type":"number"},"a":{"enum":["float"]}}}"#
        );
        assert_eq!(
            read(r#"{"type":["string","null"],"items":{"type":"int"}}"#),
            r#"{"type":["string","null"],"items":{"type":"integer"}}"#
        );
    }

    #[test]
    fn a_thought_stands_where_it_was_wanted() {
        let lesson = parallel();
        assert_eq!(words(&lesson.turns[1], Reasoning::Tags).as_deref(), Some("<think>\ntwo trains\n</think>"));
        assert_eq!(words(&lesson.turns[1], Reasoning::Drop), None);
        assert!(thought_lost(&lesson, Reasoning::Keep).is_some() && thought_lost(&lesson, Reasoning::Tags).is_none());
    }

    #[test]
    fn what_is_read_and_not_learned_has_no_place_in_some_formats() {
        let mut lesson = parallel();
        assert_eq!(context_lost(&lesson), None);
        lesson.turns[1].learn = Learn::Context;
        let rules = |written: Written| written.unwrap().1.into_iter().map(|loss| loss.rule).collect::<Vec<_>>();
        assert_eq!(rules(llamafactory::row(&lesson, Reasoning::Drop)), [Rule::Mask]);
        assert_eq!(rules(hermes::row(&lesson, Reasoning::Drop)), [Rule::Mask]);
        assert_eq!(rules(trl::row(&lesson, Reasoning::Drop, false)), []);
    }

    #[test]
    fn a_call_has_the_same_name_everywhere() {
        assert_eq!((call_id(3).as_str(), call_id(3).len()), ("call00003", 9));
    }
}
