//! fcgen's samples as BFCL's lines.

use super::entry::written;
use super::truth::{functions_of, truth_of};
use crate::record::{Expected, FunctionCall, Object, Origin, Parameter, Parameters, Sample, Tool, Value};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};

/// Which of BFCL's shapes is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Version {
    /// A question is a list of messages.
    V2,
    /// A question is a list of turns, each a list of messages.
    #[default]
    V4,
}

impl Version {
    /// What a category's files are called.
    pub fn file_name(self, category: &str) -> String {
        match self {
            Self::V2 => format!("BFCL_v2_{category}.json"),
            Self::V4 => format!("BFCL_v4_{category}.json"),
        }
    }
}

/// Why a sample has no place among BFCL's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Unfit {
    /// Its calls depend on each other.
    #[error("a chain of calls")]
    Chain,
    /// It wants words.
    #[error("an answer in words")]
    Words,
    /// A value is not written down: any will do, or nobody can know it.
    #[error("a value that stands nowhere")]
    Placeholder,
    /// A call lacks what its function requires, or calls what is not offered.
    #[error("a call that its function does not take")]
    Incomplete,
}

/// A sample's category, by how many functions it offers and how many calls it wants.
pub fn category_of(sample: &Sample, version: Version) -> Result<&'static str, Unfit> {
    let calls = match &sample.expected {
        Expected::Refusal => return Ok("irrelevance"),
        Expected::Call(call) => std::slice::from_ref(call),
        Expected::Steps(steps) => match steps.as_slice() {
            [only] if !only.calls.is_empty() => only.calls.as_slice(),
            _ => return Err(Unfit::Chain),
        },
        _ => return Err(Unfit::Words),
    };
    if is_open(sample) {
        return Err(Unfit::Placeholder);
    }
    if !calls.iter().all(|call| is_taken(sample, call)) {
        return Err(Unfit::Incomplete);
    }
    Ok(match (sample.candidates.len() > 1, calls.len() > 1, version) {
        (false, false, Version::V2) => "simple",
        (false, false, Version::V4) => "simple_python",
        (true, false, _) => "multiple",
        (false, true, _) => "parallel",
        (true, true, _) => "parallel_multiple",
    })
}

/// Whether the gold value of some argument is a placeholder.
fn is_open(sample: &Sample) -> bool {
    let of_steps = match &sample.expected {
        Expected::Steps(steps) => steps.as_slice(),
        _ => &[],
    };
    let notes = std::iter::once(&sample.arguments).chain(of_steps.iter().flat_map(|step| &step.notes));
    let mut origins = notes.flat_map(|notes| notes.values()).map(|note| &note.origin);
    origins.any(|origin| matches!(origin, Origin::Open | Origin::Missing))
}

fn is_taken(sample: &Sample, call: &FunctionCall) -> bool {
    let tool = sample.candidates.iter().find(|tool| tool.name == call.name);
    tool.is_some_and(|tool| {
        tool.parameters.required.iter().all(|name| call.arguments.contains_key(name))
            && call.arguments.keys().all(|name| tool.parameters.properties.contains_key(name))
    })
}

/// A sample's question under an id of its own. What was said before stands in its only turn: the calls of later turns are
/// nobody's but the model's.
pub fn question_line(id: &str, sample: &Sample, version: Version) -> Object {
    let messages = Value::List(written(&sample.messages));
    let question = match version {
        Version::V2 => messages,
        Version::V4 => Value::List(vec![messages]),
    };
    let entries = [("id", id.into()), ("question", question), ("function", functions_of(sample))];
    entries.map(|(name, value)| (name.to_owned(), value)).into()
}

/// A sample's accepted answers under the same id; nothing where no call is right.
pub fn answer_line(id: &str, sample: &Sample) -> Option<Object> {
    let entries = [("id", id.into()), ("ground_truth", truth_of(sample)?)];
    Some(entries.map(|(name, value)| (name.to_owned(), value)).into())
}

// Tools as BFCL describes them: its own words for types, and elements that are always described.

/// Fields of a schema that hold one schema each.
const ONE: [&str; 3] = ["items", "additionalProperties", "not"];
/// Fields that hold a list of schemas.
const LIST: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];

/// A tool's description in BFCL's words.
pub fn function_of(tool: &Tool) -> Value {
    let parameters = in_bfcl(serde_json::to_value(&tool.parameters).unwrap_or_default());
    json!({"name": tool.name, "description": tool.description, "parameters": parameters}).into()
}

/// The parameters of a function that BFCL describes, in JSON Schema's words. What may be anything has no type; what is no
/// schema is left out.
pub(super) fn parameters_of(parameters: &Value) -> Parameters {
    let schema = in_json_schema(parameters.into());
    let properties = schema.get("properties").and_then(Json::as_object).into_iter().flatten();
    let required = schema.get("required").and_then(Json::as_array).into_iter().flatten();
    let parameter = |(name, schema): (&String, &Json)| Some((name.clone(), Parameter::deserialize(schema).ok()?));
    Parameters {
        properties: properties.filter_map(parameter).collect(),
        required: required.filter_map(|name| name.as_str().map(str::to_owned)).collect(),
        ..Parameters::default()
    }
}

/// A schema in BFCL's words at every depth.
fn in_bfcl(schema: Json) -> Json {
    let Json::Object(fields) = each_schema(schema, &in_bfcl) else { return json!({"type": "any"}) };
    let word = word(&fields);
    let mut made: Map<String, Json> = [("type".to_owned(), Json::from(word))].into_iter().collect();
    made.extend(fields.into_iter().filter(|(name, _)| name != "type"));
    if word == "array" && !made.get("items").is_some_and(Json::is_object) {
        made.insert("items".to_owned(), json!({"type": "any"}));
    }
    Json::Object(made)
}

/// BFCL's word for a schema's type; where it names none, what its other fields show.
fn word(fields: &Map<String, Json>) -> &'static str {
    let named = match fields.get("type") {
        Some(Json::String(name)) => Some(name.as_str()),
        Some(Json::Array(names)) => names.iter().filter_map(Json::as_str).find(|name| *name != "null"),
        _ => None,
    };
    match named {
        Some("string") => "string",
        Some("integer") => "integer",
        Some("number" | "float") => "float",
        Some("boolean") => "boolean",
        Some("array") => "array",
        Some("tuple") => "tuple",
        Some("object" | "dict") => "dict",
        Some(_) => "any",
        None if fields.contains_key("properties") => "dict",
        None if fields.contains_key("items") => "array",
        None => listed(fields).unwrap_or("any"),
    }
}

/// The word for the type of all listed values.
fn listed(fields: &Map<String, Json>) -> Option<&'static str> {
    let values = fields.get("enum")?.as_array()?;
    let is = |holds: fn(&Json) -> bool| !values.is_empty() && values.iter().all(holds);
    match () {
        () if is(Json::is_string) => Some("string"),
        () if is(|it| it.is_i64() || it.is_u64()) => Some("integer"),
        () if is(Json::is_number) => Some("float"),
        () if is(Json::is_boolean) => Some("boolean"),
        () => None,
    }
}

/// A schema in JSON Schema's words at every depth.
fn in_json_schema(schema: Json) -> Json {
    let mut fields = match each_schema(schema, &in_json_schema) {
        Json::Object(fields) => fields,
        other => return other,
    };
    match fields.get("type").and_then(Json::as_str) {
        Some("dict") => drop(fields.insert("type".to_owned(), "object".into())),
        Some("float") => drop(fields.insert("type".to_owned(), "number".into())),
        Some("tuple") => drop(fields.insert("type".to_owned(), "array".into())),
        Some("any") => drop(fields.shift_remove("type")),
        _ => {}
    }
    Json::Object(fields)
}

/// Changes the schemas that stand in a schema. A parameter may be called `type` or `items`: only a schema's own fields count.
fn each_schema(schema: Json, change: &dyn Fn(Json) -> Json) -> Json {
    let Json::Object(fields) = schema else { return schema };
    let changed = |(name, value): (String, Json)| {
        let value = match value {
            Json::Object(inner) if name == "properties" => {
                Json::Object(inner.into_iter().map(|(name, schema)| (name, change(schema))).collect())
            }
            Json::Object(_) if ONE.contains(&name.as_str()) => change(value),
            Json::Array(list) if LIST.contains(&name.as_str()) => list.into_iter().map(change).collect(),
            value => value,
        };
        (name, value)
    };
    Json::Object(fields.into_iter().map(changed).collect())
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample;
    use super::super::{Entry, TRUTH_FACT};
    use super::*;
    use serde_json::{Value as Json, json};

    fn parameters() -> Json {
        json!({"properties": {"n": {"type": "number"}, "s": {"type": "string"}}, "required": ["n"]})
    }

    fn call(arguments: &Json) -> Json {
        json!({"name": "a.f", "arguments": arguments})
    }

    fn one(arguments: &Json) -> Sample {
        sample("t/0", json!({"call": call(arguments)}), parameters())
    }

    fn several(calls: &[Json]) -> Sample {
        sample("t/0", json!({"steps": [{"calls": calls, "answers": []}]}), parameters())
    }

    fn with_another(mut sample: Sample) -> Sample {
        let mut other = (*sample.candidates[0]).clone();
        other.name = "a.g".to_owned();
        sample.candidates.push(other.into());
        sample
    }

    #[test]
    fn structure_decides_on_the_category() {
        let (single, double) = (one(&json!({"n": 1})), several(&[call(&json!({"n": 1})), call(&json!({"n": 2}))]));
        let category = |sample: &Sample| category_of(sample, Version::V4).unwrap();
        assert_eq!((category(&single), category(&with_another(single.clone()))), ("simple_python", "multiple"));
        assert_eq!((category(&double), category(&with_another(double.clone()))), ("parallel", "parallel_multiple"));
        assert_eq!(category(&several(&[call(&json!({"n": 1}))])), "simple_python");
        assert_eq!(category(&sample("t/0", json!("refusal"), json!({}))), "irrelevance");
        assert_eq!(category_of(&single, Version::V2).unwrap(), "simple");
        assert_eq!(Version::V2.file_name("simple"), "BFCL_v2_simple.json");
    }

    #[test]
    fn what_has_no_place_is_told() {
        let unfit = |sample: &Sample| category_of(sample, Version::V4).unwrap_err();
        let step = json!({"calls": [], "answers": []});
        assert_eq!(unfit(&sample("t/0", json!({"steps": [step, step]}), json!({}))), Unfit::Chain);
        assert_eq!(unfit(&sample("t/0", json!({"answer": "hi"}), json!({}))), Unfit::Words);
        assert_eq!(unfit(&one(&json!({"s": "x"}))), Unfit::Incomplete);
        assert_eq!(unfit(&one(&json!({"n": 1, "other": 1}))), Unfit::Incomplete);
        let mut open = one(&json!({"n": 1}));
        open.arguments = serde_json::from_value(json!({"n": {"origin": "open"}})).unwrap();
        assert_eq!(unfit(&open).to_string(), "a value that stands nowhere");
    }

    #[test]
    fn what_is_written_is_read_back_with_its_meaning() {
        let (single, double) = (one(&json!({"n": 1})), several(&[call(&json!({"n": 1})), call(&json!({"n": 2.5}))]));
        for (sample, version) in [(&single, Version::V2), (&single, Version::V4), (&double, Version::V4)] {
            let category = category_of(sample, version).unwrap();
            let mut entry = Entry::read(&Value::Object(question_line("x_0", sample, version)).to_string()).unwrap();
            entry.answers = answer_line("x_0", sample).unwrap().shift_remove("ground_truth");
            let again = entry.into_sample(category, "en");
            assert_eq!((&again.messages, &again.candidates), (&sample.messages, &sample.candidates));
            assert_eq!(again.id.as_str(), "x_0");
            assert_eq!(again.provenance.facts[TRUTH_FACT], truth_of(sample).unwrap().to_string());
            assert_eq!(truth_of(&again), truth_of(sample));
            let calls = |sample: &Sample| Value::read(&serde_json::to_string(&sample.expected).unwrap()).unwrap();
            let arguments = |value: Value| value.at_path("call.arguments.n").cloned();
            assert_eq!(arguments(calls(&again)).map(|it| it.equals(&1.into())), arguments(calls(sample)).map(|_| true));
        }
        assert_eq!(answer_line("x_0", &sample("t/0", json!("refusal"), json!({}))), None);
    }
}

#[cfg(test)]
mod schema_tests {
    use super::*;

    fn tool(properties: &Json) -> Tool {
        let tool =
            json!({"name": "a.f", "description": "d", "parameters": {"properties": properties, "required": ["n"]}});
        serde_json::from_value(tool).unwrap()
    }

    fn described(properties: &Json) -> Json {
        let function = Json::from(&function_of(&tool(properties)));
        assert_eq!((&function["name"], &function["parameters"]["type"]), (&json!("a.f"), &json!("dict")));
        function["parameters"]["properties"].clone()
    }

    #[test]
    fn types_are_said_in_bfcls_words_at_every_depth() {
        let properties = json!({
            "n": {"type": "number", "minimum": 0},
            "o": {"type": ["object", "null"], "properties": {"type": {"type": "number"}, "items": {"type": "string"}}},
            "l": {"type": "array", "items": {"type": "array", "items": {"type": "object"}}},
        });
        assert_eq!(
            described(&properties),
            json!({
                "n": {"type": "float", "minimum": 0},
                "o": {"type": "dict", "properties": {"type": {"type": "float"}, "items": {"type": "string"}}},
                "l": {"type": "array", "items": {"type": "array", "items": {"type": "dict"}}},
            })
        );
    }

    #[test]
    fn elements_are_always_described_and_what_has_no_type_gets_one() {
        let properties = json!({
            "l": {"type": "array"}, "any": {}, "odd": {"type": "money"},
            "s": {"enum": ["a", "b"]}, "i": {"enum": [1, 2]}, "f": {"enum": [1, 2.5]}, "b": {"enum": [true]}, "m": {"enum": [1, "a"]},
            "d": {"properties": {"k": {"type": "integer"}}},
        });
        let described = described(&properties);
        assert_eq!(described["l"], json!({"type": "array", "items": {"type": "any"}}));
        let words: Vec<&str> =
            described.as_object().unwrap().values().map(|schema| schema["type"].as_str().unwrap()).collect();
        assert_eq!(words, ["array", "any", "any", "string", "integer", "float", "boolean", "any", "dict"]);
    }

    #[test]
    fn what_was_described_is_read_back() {
        let properties = json!({
            "n": {"type": "number", "description": "how much"},
            "description": {"type": "object", "properties": {"default": {"type": "number"}}},
            "l": {"type": "array", "items": {"type": "object"}},
        });
        let tool = tool(&properties);
        let function = function_of(&tool);
        let parameters = function.as_object().unwrap().get("parameters").unwrap();
        assert_eq!(parameters_of(parameters), tool.parameters);
        assert_eq!(parameters_of(&Value::Null), Parameters::default());
        let odd = Value::from(json!({"properties": {"a": {"type": "string"}, "b": 5, "c": {"description": 5}}}));
        assert_eq!(parameters_of(&odd).properties.keys().collect::<Vec<_>>(), ["a"]);
    }
}
