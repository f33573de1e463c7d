//! Schemas of `OpenAPI` (2, 3.0 and 3.1) as plain JSON Schema that stands by itself: references put in their places,
//! `allOf` merged, `nullable` and `example` in their usual spelling. What is cut or left out is a loss with its place.

use super::super::describe::plain;
use super::super::losses::Losses;
use super::reference::{Found, follow};
use super::union;
use serde_json::{Map, Value as Json, json};

/// Keywords that mean the same here and there.
const KEPT: [&str; 16] = [
    "format",
    "enum",
    "default",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "pattern",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];

/// Keywords that tools have no use for, though values hang on them.
const LOST: [&str; 12] = [
    "not",
    "if",
    "then",
    "else",
    "patternProperties",
    "dependentRequired",
    "dependentSchemas",
    "prefixItems",
    "contains",
    "propertyNames",
    "$dynamicRef",
    "$recursiveRef",
];

/// Whether a schema says what is sent or what comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Sent,
    Answered,
}

impl Side {
    /// How deep schemas may lie in one another, and how many values one may have in all: models read what is sent.
    fn bounds(self) -> (usize, usize) {
        match self {
            Self::Sent => (16, 3_000),
            Self::Answered => (12, 1_200),
        }
    }

    /// The flag of properties that this side does not have.
    fn hidden(self) -> &'static str {
        match self {
            Self::Sent => "readOnly",
            Self::Answered => "writeOnly",
        }
    }
}

/// One schema under way.
pub(crate) struct Walk<'d, 'l> {
    pub(crate) root: &'d Json,
    pub(crate) side: Side,
    pub(crate) losses: &'l mut Losses,
    /// The places of the references that we are within.
    within: Vec<String>,
    depth: usize,
    left: usize,
}

/// The schema at a place, with everything that it refers to.
pub(crate) fn take<'d>(root: &'d Json, found: &Found<'d>, side: Side, losses: &mut Losses) -> Map<String, Json> {
    let (place, left) = (found.place.clone(), side.bounds().1);
    let mut walk = Walk { root, side, losses, within: Vec::new(), depth: 0, left };
    let schema = walk.take(found);
    if walk.left == 0 {
        losses.add(&place, format!("schema truncated to {left} values"));
    }
    schema
}

impl<'d> Walk<'d, '_> {
    /// The schema that stands here, or that is referred to.
    pub(crate) fn take(&mut self, found: &Found<'d>) -> Map<String, Json> {
        if self.left == 0 {
            return Map::new();
        }
        if self.depth >= self.side.bounds().0 {
            self.losses.add(&found.place, format!("schema truncated: nested more than {} levels", self.depth));
            return Map::new();
        }
        self.left -= 1;
        self.depth += 1;
        let schema =
            if found.value.get("$ref").is_some_and(Json::is_string) { self.referred(found) } else { self.own(found) };
        self.depth -= 1;
        schema
    }

    fn referred(&mut self, found: &Found<'d>) -> Map<String, Json> {
        let mut schema = self.keywords(found);
        let target = match follow(self.root, found.clone()) {
            Ok(target) => target,
            Err(message) => {
                self.losses.add(&found.place, message);
                return schema;
            }
        };
        if self.within.contains(&target.place) {
            self.losses.add(&target.place, "recursive schema truncated at its first repetition");
            schema.entry("type").or_insert_with(|| json!("object"));
            return schema;
        }
        self.within.push(target.place.clone());
        let referred = self.own(&target);
        self.within.pop();
        merge(&mut schema, referred);
        schema
    }

    fn own(&mut self, found: &Found<'d>) -> Map<String, Json> {
        let mut schema = self.keywords(found);
        for part in found.at("allOf").iter().flat_map(Found::elements) {
            let part = self.take(&part);
            merge(&mut schema, part);
        }
        for key in ["oneOf", "anyOf"] {
            if let Some(list) = found.at(key) {
                let parts = list.elements().map(|part| self.take(&part)).collect();
                if !union::join(&mut schema, parts) {
                    self.losses.add(&list.place, format!("`{key}` next to other alternatives is dropped"));
                }
            }
        }
        finish(&mut schema);
        schema
    }

    /// What a schema says itself.
    fn keywords(&mut self, found: &Found<'d>) -> Map<String, Json> {
        let mut schema = Map::new();
        if let Some(kind) = self.kind(found) {
            schema.insert("type".to_owned(), kind);
        }
        if let Some(text) = found.text("description").or_else(|| found.text("title")) {
            schema.insert("description".to_owned(), plain(text).into());
        }
        for key in KEPT {
            if let Some(value) = found.value.get(key) {
                keep(&mut schema, key, value, found);
            }
        }
        if let Some(value) = found.value.get("const") {
            schema.insert("enum".to_owned(), json!([value]));
        }
        let examples = examples(found);
        if !examples.is_empty() {
            schema.insert("examples".to_owned(), examples.into());
        }
        self.inner(found, &mut schema);
        for key in LOST.into_iter().filter(|key| found.value.get(key).is_some()) {
            self.losses.add(&format!("{}/{key}", found.place), format!("`{key}` is not supported in tool schemas"));
        }
        schema
    }

    /// Properties, items and other schemas within this one.
    fn inner(&mut self, found: &Found<'d>, schema: &mut Map<String, Json>) {
        if let Some(properties) = found.at("properties") {
            let hidden = |property: &Found<'d>, flag: &str| {
                property.flag(flag) || follow(self.root, property.clone()).is_ok_and(|target| target.flag(flag))
            };
            let shown: Vec<_> = properties.entries().filter(|(_, it)| !hidden(it, self.side.hidden())).collect();
            let taken: Map<String, Json> =
                shown.into_iter().map(|(name, it)| (name.to_owned(), Json::Object(self.take(&it)))).collect();
            schema.insert("properties".to_owned(), Json::Object(taken));
        }
        if let Some(required) = found.value.get("required").filter(|it| it.is_array()) {
            schema.insert("required".to_owned(), required.clone());
        }
        match found.at("items") {
            Some(items) if items.value.is_object() => {
                drop(schema.insert("items".to_owned(), Json::Object(self.take(&items))));
            }
            Some(items) if items.value.is_array() => {
                self.losses.add(&items.place, "tuple schemas are imported as lists without an item schema");
            }
            _ => {}
        }
        match found.at("additionalProperties") {
            Some(more) if more.value.as_object().is_some_and(|it| !it.is_empty()) => {
                let more = self.take(&more);
                schema.insert("additionalProperties".to_owned(), Json::Object(more));
            }
            Some(more) if more.value.is_boolean() => {
                drop(schema.insert("additionalProperties".to_owned(), more.value.clone()));
            }
            _ => {}
        }
    }

    /// The type, with `null` where that is allowed.
    fn kind(&mut self, found: &Found<'d>) -> Option<Json> {
        let kind = found.value.get("type")?;
        if kind == "file" || found.value.get("format").is_some_and(|format| format == "binary") {
            self.losses.add(&found.place, "file uploads become strings");
        }
        let kind = if kind == "file" { json!("string") } else { kind.clone() };
        let nullable = found.flag("nullable") || found.flag("x-nullable");
        Some(if nullable && kind.is_string() { json!([kind, "null"]) } else { kind })
    }
}

/// Keeps a keyword; the flags of 3.0 that make a bound exclusive become bounds.
fn keep(schema: &mut Map<String, Json>, key: &str, value: &Json, found: &Found<'_>) {
    let bound = match key {
        "exclusiveMinimum" => "minimum",
        "exclusiveMaximum" => "maximum",
        _ => return drop(schema.insert(key.to_owned(), value.clone())),
    };
    match value {
        Json::Bool(true) => {
            if let Some(least) = found.value.get(bound) {
                schema.shift_remove(bound);
                schema.insert(key.to_owned(), least.clone());
            }
        }
        Json::Number(_) => drop(schema.insert(key.to_owned(), value.clone())),
        _ => {}
    }
}

/// The examples that stand beside a schema, in any of the spellings.
pub(crate) fn examples(found: &Found<'_>) -> Vec<Json> {
    let one = ["example", "x-example"].into_iter().filter_map(|key| found.value.get(key)).filter(|it| !it.is_null());
    let several = match found.value.get("examples") {
        Some(Json::Array(list)) => list.clone(),
        Some(Json::Object(named)) => named.values().filter_map(|it| it.get("value")).cloned().collect(),
        _ => Vec::new(),
    };
    let mut examples: Vec<Json> = Vec::new();
    for example in one.cloned().chain(several) {
        if !examples.contains(&example) {
            examples.push(example);
        }
    }
    examples
}

/// Adds what another schema says; where both speak, the first one holds.
pub(crate) fn merge(schema: &mut Map<String, Json>, other: Map<String, Json>) {
    for (key, value) in other {
        match (schema.get_mut(&key), value) {
            (Some(Json::Object(own)), Json::Object(more)) if key == "properties" => {
                for (name, property) in more {
                    match (own.get_mut(&name), property) {
                        (Some(Json::Object(known)), Json::Object(property)) => merge(known, property),
                        (Some(_), _) => {}
                        (None, property) => drop(own.insert(name, property)),
                    }
                }
            }
            (Some(Json::Array(own)), Json::Array(more)) if key == "required" => {
                let new: Vec<Json> = more.into_iter().filter(|name| !own.contains(name)).collect();
                own.extend(new);
            }
            (Some(_), _) => {}
            (None, value) => drop(schema.insert(key, value)),
        }
    }
}

/// A type where none is stated, and no required names without a property.
fn finish(schema: &mut Map<String, Json>) {
    let implied = match () {
        () if schema.contains_key("properties") || schema.contains_key("additionalProperties") => Some("object"),
        () if schema.contains_key("items") => Some("array"),
        () => schema.get("enum").and_then(|values| union::kind_of(values.get(0)?)),
    };
    if let Some(kind) = implied.filter(|_| !schema.contains_key("type")) {
        schema.shift_insert(0, "type".to_owned(), kind.into());
    }
    let known: Vec<String> =
        schema.get("properties").and_then(Json::as_object).into_iter().flat_map(Map::keys).cloned().collect();
    if let Some(Json::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name.as_str().is_some_and(|name| known.iter().any(|it| it == name)));
        if required.is_empty() {
            schema.shift_remove("required");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::look_up;
    use super::*;

    fn taken(root: &Json, side: Side) -> (Json, Vec<(String, String)>) {
        let mut losses = Losses::default();
        let schema = take(root, &look_up(root, "#/s").unwrap(), side, &mut losses);
        let losses = losses.listed(|_| None).into_iter().map(|it| (it.place, it.message)).collect();
        (Json::Object(schema), losses)
    }

    #[test]
    fn references_and_parts_become_one_schema() {
        let root = json!({
            "s": {"allOf": [{"$ref": "#/base"}, {"properties": {"b": {"type": "integer", "minimum": 0, "exclusiveMinimum": true}}, "required": ["b", "gone"]}]},
            "base": {"type": "object", "description": "A [base](x).", "required": ["a"], "properties": {"a": {"type": "string", "nullable": true, "example": "x"}}},
        });
        let (schema, losses) = taken(&root, Side::Sent);
        assert_eq!(
            schema,
            json!({"type": "object", "description": "A base.", "properties": {"a": {"type": ["string", "null"], "examples": ["x"]},
            "b": {"type": "integer", "exclusiveMinimum": 0}}, "required": ["a", "b"]})
        );
        assert!(losses.is_empty(), "{losses:?}");
    }

    #[test]
    fn what_contains_itself_is_cut_off_with_a_loss() {
        let root = json!({"s": {"$ref": "#/node"}, "node": {"type": "object", "properties": {
            "next": {"$ref": "#/node", "description": "the next"}, "list": {"type": "array", "items": {"$ref": "#/node"}}}}});
        let (schema, losses) = taken(&root, Side::Answered);
        assert_eq!(schema["properties"]["next"], json!({"description": "the next", "type": "object"}));
        assert_eq!(schema["properties"]["list"]["items"], json!({"type": "object"}));
        assert_eq!(losses, [("/node".to_owned(), "recursive schema truncated at its first repetition".to_owned())]);
    }

    #[test]
    fn each_side_has_its_own_properties() {
        let root = json!({"s": {"properties": {"id": {"type": "string", "readOnly": true}, "key": {"$ref": "#/k"}}, "required": ["id"]}, "k": {"type": "string", "writeOnly": true}});
        assert_eq!(taken(&root, Side::Sent).0, json!({"type": "object", "properties": {"key": {"type": "string"}}}));
        assert_eq!(
            taken(&root, Side::Answered).0,
            json!({"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]})
        );
    }

    #[test]
    fn what_cannot_be_said_is_told_with_its_place() {
        let root = json!({"s": {"properties": {"a": {"type": "file"}, "b": {"not": {}}, "c": {"$ref": "b.yaml"}, "d": {"items": [{}]}, "e": true}}});
        let (schema, losses) = taken(&root, Side::Sent);
        assert_eq!(schema["properties"]["a"], json!({"type": "string"}));
        let places: Vec<&str> = losses.iter().map(|(place, _)| place.as_str()).collect();
        assert_eq!(places, ["/s/properties/a", "/s/properties/b/not", "/s/properties/c", "/s/properties/d/items"]);
        assert_eq!(losses[2].1, "external reference `b.yaml` is not supported");
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let mut deep = json!({"type": "string"});
        for _ in 0..40 {
            deep = json!({"type": "array", "items": deep});
        }
        assert!(
            taken(&json!({"s": deep}), Side::Sent).1[0].1.starts_with("schema truncated: nested more than 16 levels")
        );
        let wide: Map<String, Json> = (0..5000).map(|at| (format!("p{at}"), json!({"type": "string"}))).collect();
        let (_, losses) = taken(&json!({"s": {"properties": wide}}), Side::Sent);
        assert_eq!(losses, [("/s".to_owned(), "schema truncated to 3000 values".to_owned())]);
    }
}
