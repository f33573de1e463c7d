//! Draws the arguments of a call, each by its parameter's value kind.

use crate::compose::DrawnArguments;
use crate::locale::{Drawn, Pack};
use crate::record::{Chance, Parameter, Tool, Value};
use crate::values::made_values::make;
use serde_json::Value as Json;

/// How often a kind is drawn from before the schema's keywords make the value.
const TRIES: usize = 8;

/// The same of lists and objects, whose parts were tried already: what cannot be made deep within must not take for ever.
const TRIES_OF_PARTS: usize = 2;

/// How often a value is drawn that goes with the others of a call.
const TRIES_BESIDE: usize = 12;

/// Most elements that a list gets because its schema wants so many.
const MOST_ITEMS: usize = 12;

/// Draws a value for each of `names`, with the words that say it. Values of one call differ from one another.
pub fn draw_arguments(pack: &Pack, tool: &Tool, names: &[String], chance: &mut Chance) -> DrawnArguments {
    let mut drawn_arguments = DrawnArguments::new();
    for name in names {
        let Some(parameter) = tool.parameters.properties.get(name) else { continue };
        let drawn = draw_beside(pack, tool, (name, parameter), &drawn_arguments, chance);
        drawn_arguments.insert(name.clone(), drawn);
    }
    drawn_arguments
}

/// Draws a value for one more parameter of a call: no value contains another, values of one bundle match, and the parameters of a
/// range keep their order.
pub(crate) fn draw_beside(
    pack: &Pack,
    tool: &Tool,
    (name, parameter): (&str, &Parameter),
    earlier: &DrawnArguments,
    chance: &mut Chance,
) -> Drawn {
    let kinds: Vec<(String, &Value)> =
        earlier.iter().map(|(name, drawn)| (bundled_by(pack, tool, name), &drawn.value)).collect();
    let others: Vec<(&str, &Value)> = kinds.iter().map(|(kind, value)| (kind.as_str(), *value)).collect();
    let own = bundled_by(pack, tool, name);
    let mut draw = || {
        let bundled = pack.draw_beside(&own, &others, chance).map(|drawn| fit_type(drawn, parameter.type_name()));
        match (bundled, &parameter.values) {
            (Some(drawn), Some(values)) => {
                let mut own = values.iter().map(|value| listed(tool, name, value, chance));
                let found = own.find(|it| it.value == drawn.value);
                found.unwrap_or_else(|| draw_argument(pack, tool, name, parameter, chance))
            }
            (Some(drawn), None) if parameter.check(&drawn.value).is_ok() => drawn,
            _ => draw_argument(pack, tool, name, parameter, chance),
        }
    };
    let is_in_order = |drawn: &Drawn| {
        let of_kind = earlier.iter().filter(|(other, _)| bundled_by(pack, tool, other) == own);
        of_kind.into_iter().all(|(other, held)| pack.in_order((name, drawn), (other, held)) != Some(false))
    };
    let mut drawn = draw();
    for _ in 0..TRIES_BESIDE {
        if !clashes(&drawn, earlier) && is_in_order(&drawn) {
            break;
        }
        drawn = draw();
    }
    drawn
}

/// By what a bundle knows a parameter: its value kind, or its name where its values are listed.
fn bundled_by(pack: &Pack, tool: &Tool, name: &str) -> String {
    match tool.parameters.properties.get(name) {
        Some(parameter) if parameter.values.is_none() => kind_of(pack, tool, name, parameter),
        _ => name.to_owned(),
    }
}

/// Two values clash when one stands inside the other: a reader could not tell which is which.
fn clashes(drawn: &Drawn, earlier: &DrawnArguments) -> bool {
    let own = drawn.surface.to_lowercase();
    !own.is_empty()
        && earlier.values().any(|other| {
            let other = other.surface.to_lowercase();
            !other.is_empty() && (other.contains(&own) || own.contains(&other))
        })
}

/// Draws one value for one parameter: by its value kind, and by the keywords of its schema where the kind's values do not
/// obey them.
pub(crate) fn draw_argument(pack: &Pack, tool: &Tool, name: &str, parameter: &Parameter, chance: &mut Chance) -> Drawn {
    if let Some(value) = parameter.values.as_ref().and_then(|values| chance.pick(values)) {
        return listed(tool, name, value, chance);
    }
    if parameter.type_name() == "boolean" {
        return Drawn { value: Value::Bool(chance.happens(0.6)), surface: String::new() };
    }
    let tries = if matches!(parameter.type_name(), "array" | "object") { TRIES_OF_PARTS } else { TRIES };
    for _ in 0..tries {
        let drawn = draw_of_kind(pack, tool, name, parameter, chance);
        if parameter.check(&drawn.value).is_ok() {
            return drawn;
        }
    }
    let made = make(pack, tool, name, parameter, chance);
    made.unwrap_or_else(|| draw_of_kind(pack, tool, name, parameter, chance))
}

fn draw_of_kind(pack: &Pack, tool: &Tool, name: &str, parameter: &Parameter, chance: &mut Chance) -> Drawn {
    if let Some(drawn) = draw_inner(pack, tool, name, parameter, chance) {
        return drawn;
    }
    let kind = kind_of(pack, tool, name, parameter);
    let drawn = pack.draw(&kind, chance).unwrap_or(Drawn { value: Value::Null, surface: String::new() });
    fit_type(drawn, parameter.type_name())
}

/// A list of one or two values, or of as many as the schema wants, or an object with what it needs; `None` where the schema
/// does not say of what they are.
fn draw_inner(pack: &Pack, tool: &Tool, name: &str, parameter: &Parameter, chance: &mut Chance) -> Option<Drawn> {
    match parameter.type_name() {
        "array" => draw_list(pack, tool, name, parameter, chance),
        "object" => draw_object(pack, parameter, chance),
        _ => None,
    }
}

fn draw_list(pack: &Pack, tool: &Tool, name: &str, parameter: &Parameter, chance: &mut Chance) -> Option<Drawn> {
    let items = parameter.more.get("items").map_or(Some(Parameter::default()), read)?;
    let bound = |key: &str| parameter.more.get(key).and_then(Json::as_u64).and_then(|it| usize::try_from(it).ok());
    let (least, most) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(usize::MAX));
    let wanted = (1 + chance.below(2)).clamp(least.min(MOST_ITEMS), most.max(least));
    let mut drawn: Vec<Drawn> = Vec::new();
    for at in 0..wanted + TRIES {
        // A value that comes twice makes the list shorter, unless it would be too short.
        if drawn.len() == wanted || at >= wanted && drawn.len() >= least {
            break;
        }
        let one = draw_argument(pack, tool, name, &items, chance);
        if !drawn.contains(&one) {
            drawn.push(one);
        }
    }
    let surfaces: Vec<String> = drawn.iter().map(|it| it.surface.clone()).collect();
    Some(Drawn { value: Value::List(drawn.into_iter().map(|it| it.value).collect()), surface: surfaces.join(", ") })
}

/// The fields that are required, else the first one that has a value to say.
fn draw_object(pack: &Pack, parameter: &Parameter, chance: &mut Chance) -> Option<Drawn> {
    let properties = parameter.more.get("properties")?.as_object().filter(|it| !it.is_empty())?;
    let required = parameter.more.get("required").and_then(Json::as_array);
    let needed: Vec<&str> = required.into_iter().flatten().filter_map(Json::as_str).collect();
    let read: Vec<(&String, Parameter)> =
        properties.iter().filter_map(|(key, schema)| Some((key, read(schema)?))).collect();
    let sayable = read.iter().position(|(_, property)| property.type_name() != "boolean").unwrap_or(0);
    let wanted = |at: usize, key: &str| if needed.is_empty() { at == sayable } else { needed.contains(&key) };
    let mut fields = crate::record::Object::new();
    let mut surfaces = Vec::new();
    for (at, (key, property)) in read.iter().enumerate() {
        if wanted(at, key) {
            let drawn = draw_argument(pack, &Tool::default(), key, property, chance);
            surfaces.push(match &drawn.value {
                // Within an object a flag has no clause of its own, and its name has to say it.
                Value::Bool(flag) => pack.derived.flag(key, *flag, chance),
                _ => drawn.surface,
            });
            fields.insert((*key).clone(), drawn.value);
        }
    }
    Some(Drawn { value: Value::Object(fields), surface: surfaces.join(", ") })
}

fn read(schema: &Json) -> Option<Parameter> {
    serde_json::from_value(schema.clone()).ok()
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
    let derived = || pack.derived.kind(&pack.kinds, name, parameter);
    let described = parameter.description.as_deref().unwrap_or_default();
    let named = |text: &str| {
        let text = text.to_lowercase();
        let mut words = text.split(|letter: char| !letter.is_alphanumeric()).rev();
        let kind = words.find(|word| pack.kinds.contains_key(*word) && fits(pack, word, parameter.type_name()));
        kind.map(str::to_owned)
    };
    // A format is a promise; a name tells more than a description, which may speak of other things as well.
    let by_format = || parameter.more.get("format").and_then(|_| derived()).map(str::to_owned);
    let known =
        by_format().or_else(|| named(name)).or_else(|| derived().map(str::to_owned)).or_else(|| named(described));
    if let Some(kind) = known {
        return kind;
    }
    let identifies = ["_id", "Id", "ID"].iter().any(|ending| name.ends_with(ending)) || name == "id";
    match parameter.type_name() {
        "string" if identifies => "document_number",
        "integer" => "count",
        "number" => "price",
        _ => "keyword",
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    use serde_json::json;

    fn pack() -> Pack {
        Pack::load(crate::fixtures::assets(), "en").unwrap()
    }

    fn parameter(json: Json) -> Parameter {
        serde_json::from_value(json).unwrap()
    }

    #[test]
    fn a_kind_that_is_not_stated_is_guessed_by_name_description_format_or_type() {
        let pack = pack();
        for (name, schema, kind) in [
            ("departure_time", json!({"type": "string"}), "time"),
            ("time_city", json!({"type": "string"}), "city"),
            ("where", json!({"type": "string", "description": "Name of the city"}), "city"),
            ("rating", json!({"type": "integer"}), "rating"),
            ("city", json!({"type": "integer"}), "count"),
            ("x", json!({"type": "number"}), "price"),
            ("x", json!({"type": "string", "format": "date"}), "iso_date"),
            ("x", json!({"type": "string", "format": "date-time"}), "iso_moment"),
            ("x", json!({"type": "string", "format": "email"}), "email"),
            ("x", json!({}), "keyword"),
        ] {
            assert_eq!(guess_kind(&pack, name, &parameter(schema.clone())), kind, "{name} {schema}");
        }
        let tool = Tool { kinds: [("x".to_owned(), "song".to_owned())].into(), ..Tool::default() };
        assert_eq!(
            kind_of(&pack, &tool, "x", &parameter(json!({"type": "integer"}))),
            "song",
            "what is stated is not guessed"
        );
    }

    #[test]
    fn a_value_is_of_its_parameters_type() {
        let pack = pack();
        let draw = |name: &str, schema: Json, draw| {
            let mut chance = Chance::new(1, "arguments", name, draw);
            draw_argument(&pack, &Tool::default(), name, &parameter(schema), &mut chance)
        };
        for at in 0..40 {
            let listed = draw("mode", json!({"enum": ["by_bus", "by_train"]}), at);
            assert!(["by bus", "by train"].contains(&listed.surface.as_str()), "{listed:?}");
            assert_eq!(listed.value.as_str().unwrap().replace('_', " "), listed.surface);
            assert!(draw("loud", json!({"type": "boolean"}), at).value.as_bool().is_some());
            assert!(draw("count", json!({"type": "integer"}), at).value.as_number().unwrap().is_integer_text());
            assert!(draw("count", json!({"type": "string"}), at).value.as_str().is_some());
            let one_of_two = draw("level", json!({"type": "integer", "enum": [3, 5]}), at);
            assert_eq!(one_of_two.value.to_string(), one_of_two.surface);
        }
    }

    #[test]
    fn lists_and_objects_hold_values_of_their_schemas() {
        let pack = pack();
        for at in 0..40 {
            let draw = |schema: Json| {
                draw_argument(&pack, &Tool::default(), "it", &parameter(schema), &mut Chance::new(1, "inner", "i", at))
            };
            let list = draw(json!({"type": "array", "items": {"type": "integer"}}));
            assert!(list.value.as_list().unwrap().iter().all(|it| it.as_number().is_some()), "{list:?}");
            let object = draw(
                json!({"type": "object", "properties": {"city": {"type": "string"}, "stars": {"type": "integer"}, "open": {"type": "boolean"}}, "required": ["city", "open"]}),
            );
            assert_eq!(object.value.as_object().unwrap().keys().collect::<Vec<_>>(), ["city", "open"]);
            assert!(object.surface.contains("open") && draw(json!({"type": "array"})).value.as_list().is_some());
        }
    }

    #[test]
    fn values_of_one_call_do_not_stand_inside_one_another() {
        let names: Vec<String> = ["from", "to", "via"].map(str::to_owned).to_vec();
        let schema = json!({"type": "string", "description": "A city"});
        let properties = json!({"from": schema, "to": schema, "via": schema});
        let tool: Tool =
            serde_json::from_value(json!({"name": "f", "parameters": {"properties": properties}})).unwrap();
        let pack = pack();
        for draw in 0..60 {
            let said = draw_arguments(&pack, &tool, &names, &mut Chance::new(1, "apart", "a", draw));
            let words: Vec<String> = said.values().map(|it| it.surface.to_lowercase()).collect();
            assert_eq!(said.keys().collect::<Vec<_>>(), ["from", "to", "via"]);
            for (at, one) in words.iter().enumerate() {
                assert!(
                    words.iter().enumerate().all(|(other, it)| other == at || !it.contains(one.as_str())),
                    "{words:?}"
                );
            }
        }
        let unknown = draw_arguments(&pack, &tool, &["other".to_owned()], &mut Chance::of(&[]));
        assert!(unknown.is_empty(), "what the tool does not declare is not drawn");
    }
}
