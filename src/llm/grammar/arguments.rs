//! Draws the arguments of a call, each by its parameter's value kind.

use super::compose::Said;
use crate::locale::{Drawn, Pack};
use crate::record::{Chance, Parameter, Tool, Value};
use serde_json::Value as Json;

/// Draws a value for each of `names`, with the words that say it. Values of one call differ from one another.
pub(crate) fn draw_arguments(pack: &Pack, tool: &Tool, names: &[String], chance: &mut Chance) -> Said {
    let mut said = Said::new();
    for name in names {
        let Some(parameter) = tool.parameters.properties.get(name) else { continue };
        let mut drawn = draw_argument(pack, tool, name, parameter, chance);
        for _ in 0..8 {
            if !clashes(&drawn, &said) {
                break;
            }
            drawn = draw_argument(pack, tool, name, parameter, chance);
        }
        said.insert(name.clone(), drawn);
    }
    said
}

/// Two values clash when one stands inside the other: a reader could not tell which is which.
fn clashes(drawn: &Drawn, said: &Said) -> bool {
    let own = drawn.surface.to_lowercase();
    !own.is_empty()
        && said.values().any(|other| {
            let other = other.surface.to_lowercase();
            !other.is_empty() && (other.contains(&own) || own.contains(&other))
        })
}

/// Draws one value for one parameter.
pub(crate) fn draw_argument(pack: &Pack, tool: &Tool, name: &str, parameter: &Parameter, chance: &mut Chance) -> Drawn {
    if let Some(value) = parameter.values.as_ref().and_then(|values| chance.pick(values)) {
        return listed(tool, name, value, chance);
    }
    if parameter.type_name() == "boolean" {
        return Drawn { value: Value::Bool(chance.happens(0.6)), surface: String::new() };
    }
    let kind = kind_of(pack, tool, name, parameter);
    let drawn = pack.draw(&kind, chance).unwrap_or(Drawn { value: Value::Null, surface: String::new() });
    fit_type(drawn, parameter.type_name())
}

fn listed(tool: &Tool, name: &str, value: &Json, chance: &mut Chance) -> Drawn {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let wordings = tool.wordings.get(name).and_then(|wordings| wordings.get(&text));
    let surface =
        wordings.and_then(|wordings| chance.pick(wordings)).cloned().unwrap_or_else(|| text.replace('_', " "));
    Drawn { value: Value::from(value.clone()), surface }
}

/// Whether a kind's values are of the parameter's type.
fn fits(pack: &Pack, kind: &str, type_name: &str) -> bool {
    let numbers = pack.kinds.get(kind).is_some_and(|kind| kind.numbers.is_some());
    numbers == matches!(type_name, "integer" | "number")
}

/// A number kind under a string parameter is said as text, and the other way round.
fn fit_type(drawn: Drawn, type_name: &str) -> Drawn {
    let value = match (&drawn.value, type_name) {
        (Value::Number(number), "string") => Value::from(number.as_str()),
        (Value::String(text), "integer" | "number") => Value::read(text).unwrap_or(drawn.value),
        _ => drawn.value,
    };
    Drawn { value, surface: drawn.surface }
}

/// The value kind of a parameter: the stated one, else a guess.
pub(crate) fn kind_of(pack: &Pack, tool: &Tool, name: &str, parameter: &Parameter) -> String {
    tool.kinds.get(name).cloned().unwrap_or_else(|| guess_kind(pack, name, parameter))
}

/// The kind of a parameter that states none: the kind whose name is the last word of the parameter's name or else of its
/// description that names one, else a plain kind of its type.
pub(crate) fn guess_kind(pack: &Pack, name: &str, parameter: &Parameter) -> String {
    let described = parameter.description.as_deref().unwrap_or_default();
    for text in [name.to_lowercase(), described.to_lowercase()] {
        let mut words = text.split(|letter: char| !letter.is_alphanumeric()).rev();
        if let Some(kind) = words.find(|word| pack.kinds.contains_key(*word) && fits(pack, word, parameter.type_name()))
        {
            return kind.to_owned();
        }
    }
    match (parameter.type_name(), parameter.more.get("format").and_then(Json::as_str)) {
        ("integer", _) => "count",
        ("number", _) => "price",
        (_, Some("date")) => "date",
        (_, Some("date-time")) => "datetime",
        (_, Some("time")) => "time",
        (_, Some("email")) => "email",
        _ => "keyword",
    }
    .to_owned()
}
