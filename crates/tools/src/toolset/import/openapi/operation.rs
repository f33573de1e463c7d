//! One operation of a description as a drafted tool: its parameters from path, query, headers, cookies and body under one
//! roof, each with the way back.

use super::super::describe::{LONGEST, cut, told};
use super::super::draft::DraftedTool;
use super::super::left_out::{Extra, LeftOut};
use super::super::losses::Losses;
use super::super::name::Names;
use super::super::origins::{Destination, Operation, Origin, Place};
use super::body;
use super::reference::{Found, follow};
use super::schema::{self, Side, examples};
use super::server;
use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

/// Headers that a request has by itself.
const OWN_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];

/// A description of an API with what was lost of it so far.
pub(crate) struct Reading<'d> {
    pub(crate) root: &'d Json,
    pub(crate) is_swagger: bool,
    /// The groups of parameters that are kept, though they are left out otherwise.
    pub(crate) with: &'d [Extra],
    pub(crate) losses: Losses,
    /// What was left out on purpose, by its place.
    pub(crate) left_out: IndexMap<String, LeftOut>,
}

/// An operation where it stands.
pub(crate) struct Spot<'d> {
    pub(crate) method: String,
    pub(crate) path: &'d str,
    /// The path's entry, whose parameters and servers hold for all its operations.
    pub(crate) item: Found<'d>,
    pub(crate) found: Found<'d>,
}

/// The parameters of a tool under way.
#[derive(Default)]
pub(crate) struct Parameters {
    names: Names,
    pub(crate) properties: Map<String, Json>,
    pub(crate) required: Vec<String>,
    pub(crate) destinations: IndexMap<String, Destination>,
}

impl Parameters {
    /// Adds a parameter under a name of its own.
    pub(crate) fn add(&mut self, schema: Map<String, Json>, required: bool, destination: Destination) {
        let name = self.names.give_parameter(&destination.name, destination.place.word());
        if required {
            self.required.push(name.clone());
        }
        self.properties.insert(name.clone(), Json::Object(schema));
        self.destinations.insert(name, destination);
    }
}

impl<'d> Reading<'d> {
    /// The tool for an operation.
    pub(crate) fn draft(&mut self, at: &Spot<'d>) -> DraftedTool {
        let found = &at.found;
        let mut parameters = Parameters::default();
        for parameter in self.declared(at) {
            self.parameter(&parameter, &mut parameters);
        }
        self.path_slots(at, &mut parameters);
        let content_type = body::read(self, found, &mut parameters);
        let operation = Operation {
            method: at.method.to_uppercase(),
            path: at.path.to_owned(),
            operation: found.text("operationId").map(str::to_owned),
            servers: server::servers(self, at),
            security: server::security(self.root, found),
            reads: ["get", "head", "options", "query"].contains(&at.method.as_str()),
            content_type,
            parameters: std::mem::take(&mut parameters.destinations),
        };
        let original = found.text("operationId").map_or_else(|| format!("{}_{}", at.method, at.path), str::to_owned);
        DraftedTool {
            group: group(found, at.path),
            description: self.description(found),
            parameters: json!({"type": "object", "properties": parameters.properties, "required": parameters.required}),
            returns: body::answer(self, found),
            origin: Origin::Openapi(operation),
            name: String::new(),
            original,
        }
    }

    fn description(&mut self, found: &Found<'d>) -> String {
        let whole = told(found.text("summary").unwrap_or_default(), found.text("description").unwrap_or_default());
        let (text, is_cut) = cut(&whole, LONGEST);
        if is_cut {
            self.losses.add(&found.place, format!("description truncated to {LONGEST} characters"));
        }
        text
    }

    /// The parameters of path and operation; of two with one name and place the operation's holds.
    fn declared(&mut self, at: &Spot<'d>) -> Vec<Found<'d>> {
        let mut declared: IndexMap<(String, String), Found<'d>> = IndexMap::new();
        for list in [&at.item, &at.found].into_iter().filter_map(|it| it.at("parameters")) {
            for parameter in list.elements() {
                match follow(self.root, parameter.clone()) {
                    Ok(found) => {
                        let text = |key| found.text(key).unwrap_or_default().to_owned();
                        declared.insert((text("name"), text("in")), found);
                    }
                    Err(message) => self.losses.add(&parameter.place, message),
                }
            }
        }
        let order = |found: &Found<'d>| found.text("in").and_then(Place::of).map_or(9, |place| place as usize);
        let mut list: Vec<Found<'d>> = declared.into_values().collect();
        list.sort_by_key(order);
        list
    }

    fn parameter(&mut self, found: &Found<'d>, parameters: &mut Parameters) {
        let (name, place) = (found.text("name").unwrap_or_default(), found.text("in").unwrap_or_default());
        // Swagger 2 declares bodies as parameters; they are read with the bodies.
        if self.is_swagger && ["body", "formData"].contains(&place) {
            return;
        }
        let Some(place) = Place::of(place).filter(|place| *place != Place::Body && !name.is_empty()) else {
            return self
                .losses
                .add(&found.place, format!("parameter dropped: no name, or unsupported location `{place}`"));
        };
        if place == Place::Header && OWN_HEADERS.contains(&name.to_lowercase().as_str()) {
            return;
        }
        let required = place == Place::Path || found.flag("required");
        let group = Extra::of(place, name, required, self.is_dated(found));
        if let Some(group) = group.filter(|group| !self.with.contains(group)) {
            return self.leave_out(group, name, required, &found.place);
        }
        let (style, explode) = self.style(found, place);
        let destination = Destination { place, name: name.to_owned(), pointer: None, style, explode };
        parameters.add(self.parameter_schema(found), required, destination);
    }

    /// Whether the values of a parameter are dates, or may be.
    fn is_dated(&self, found: &Found<'d>) -> bool {
        let schema = found.at("schema").and_then(|schema| follow(self.root, schema).ok());
        let schema = schema.as_ref().unwrap_or(found);
        let is_date = |it: &Found<'d>| it.text("format").is_some_and(|format| format.starts_with("date"));
        is_date(schema) || schema.at("anyOf").is_some_and(|parts| parts.elements().any(|part| is_date(&part)))
    }

    fn leave_out(&mut self, group: Extra, name: &str, required: bool, place: &str) {
        let left_out =
            LeftOut { group, name: name.to_owned(), required, place: place.to_owned(), line: None, times: 0 };
        self.left_out.entry(place.to_owned()).or_insert(left_out).times += 1;
    }

    /// The schema of a parameter with its own description and examples.
    fn parameter_schema(&mut self, found: &Found<'d>) -> Map<String, Json> {
        let content = || found.at("content")?.entries().next()?.1.at("schema");
        let place = found.at("schema").or_else(content).unwrap_or_else(|| found.clone());
        let mut schema = schema::take(self.root, &place, Side::Sent, &mut self.losses);
        if let Some(text) = found.text("description") {
            schema.insert("description".to_owned(), super::super::describe::plain(text).into());
        }
        let examples = examples(found);
        if !examples.is_empty() {
            schema.insert("examples".to_owned(), examples.into());
        }
        if schema.get("required").is_some_and(Json::is_boolean) {
            schema.shift_remove("required");
        }
        schema.entry("type").or_insert_with(|| json!("string"));
        schema
    }

    /// How lists are written, where it is said.
    fn style(&mut self, found: &Found<'d>, place: Place) -> (Option<String>, Option<bool>) {
        let stated = found.text("style").map(str::to_owned);
        let explode = found.value.get("explode").and_then(Json::as_bool);
        let usual = if place == Place::Query { "form" } else { "simple" };
        match found.text("collectionFormat") {
            Some("multi") => (Some("form".to_owned()), Some(true)),
            Some("ssv") => (Some("spaceDelimited".to_owned()), Some(false)),
            Some("pipes") => (Some("pipeDelimited".to_owned()), Some(false)),
            Some("csv") => (Some(usual.to_owned()), Some(false)),
            Some(other) => {
                self.losses.add(&found.place, format!("lists with the separator `{other}` are sent with commas"));
                (Some(usual.to_owned()), Some(false))
            }
            None if self.is_swagger && found.text("type") == Some("array") => (Some(usual.to_owned()), Some(false)),
            None => (stated, explode),
        }
    }

    /// Slots of the path that nothing declares.
    fn path_slots(&mut self, at: &Spot<'d>, parameters: &mut Parameters) {
        for slot in at.path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0)) {
            if !parameters.destinations.values().any(|it| it.place == Place::Path && it.name == slot) {
                self.losses
                    .add(&at.found.place, format!("path parameter `{slot}` is not declared; imported as a string"));
                let destination = Destination {
                    place: Place::Path,
                    name: slot.to_owned(),
                    pointer: None,
                    style: None,
                    explode: None,
                };
                parameters.add(json!({"type": "string"}).as_object().cloned().unwrap_or_default(), true, destination);
            }
        }
    }
}

/// The group of an operation: its first tag, else the first word of its path.
fn group(found: &Found<'_>, path: &str) -> String {
    let tag = found.at("tags").and_then(|tags| tags.elements().next()).and_then(|tag| tag.value.as_str());
    let word = || path.split('/').find(|part| !part.is_empty() && !part.starts_with('{'));
    tag.map(str::trim).filter(|tag| !tag.is_empty()).or_else(word).unwrap_or("api").to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{draft, operation};
    use super::*;

    #[test]
    fn parameters_of_path_and_operation_come_together() {
        let draft = draft(
            "openapi: 3.0.0\npaths:\n  /a/{id}/{gone}:\n    parameters: [{in: query, name: id, schema: {type: string}}, {in: query, name: q, description: old, schema: {type: string}}]\n    get:\n      parameters: [{in: path, name: id, required: true, schema: {type: integer}}, {in: query, name: q, description: 'new', schema: {type: string, description: x}}, {in: header, name: Accept}, {in: cookie, name: c}]\n",
        );
        let (tool, own) = (&draft.tools[0], operation(&draft.tools[0]));
        let places: Vec<_> =
            own.parameters.iter().map(|(name, it)| format!("{name} {} {}", it.place.word(), it.name)).collect();
        assert_eq!(places, ["id path id", "query_id query id", "q query q", "gone path gone"]);
        let left_out: Vec<_> = draft.left_out.iter().map(|it| (it.group, it.name.as_str(), it.line)).collect();
        assert_eq!(left_out, [(Extra::Cookies, "c", Some(6))]);
        assert_eq!(tool.parameters["properties"]["q"]["description"], "new");
        assert_eq!(tool.parameters["required"], json!(["id", "gone"]));
        assert_eq!(draft.losses[0].message, "path parameter `gone` is not declared; imported as a string");
        assert!(own.reads && own.operation.is_none() && tool.name == "get_a_id_gone");
    }

    #[test]
    fn lists_say_how_they_are_written() {
        let draft = draft(
            "swagger: '2.0'\npaths:\n  /a:\n    get:\n      parameters: [{in: query, name: a, type: array, items: {type: string}}, {in: query, name: b, type: array, items: {type: string}, collectionFormat: multi}, {in: query, name: c, type: array, items: {type: string}, collectionFormat: tsv}]\n",
        );
        let own = operation(&draft.tools[0]);
        let written: Vec<_> = own.parameters.values().map(|it| (it.style.as_deref(), it.explode)).collect();
        assert_eq!(written, [(Some("form"), Some(false)), (Some("form"), Some(true)), (Some("form"), Some(false))]);
        assert_eq!(draft.losses[0].message, "lists with the separator `tsv` are sent with commas");
    }

    #[test]
    fn a_tool_is_described_by_summary_and_description() {
        let long = "word ".repeat(400);
        let draft = draft(&format!(
            "openapi: 3.0.0\npaths:\n  /shop/a: {{get: {{summary: Get it, description: All of it.}}, put: {{description: {long}, tags: [Shop]}}}}\n"
        ));
        assert_eq!(
            (draft.tools[0].description.as_str(), draft.tools[0].group.as_str()),
            ("Get it. All of it.", "shop")
        );
        assert!(draft.tools[1].description.chars().count() <= LONGEST && draft.tools[1].group == "Shop");
        assert!(draft.losses[0].message.starts_with("description truncated to 1024 characters"));
    }

    #[test]
    fn parameters_that_go_nowhere_are_told() {
        let draft = draft(
            "openapi: 3.0.0\npaths:\n  /a: {get: {parameters: [{in: body, name: b}, {in: query}, {$ref: '#/none'}, {in: query, name: j, content: {application/json: {schema: {type: object}}}}]}}\n",
        );
        let properties = draft.tools[0].parameters["properties"].as_object().unwrap();
        assert_eq!(
            properties.iter().map(|(name, it)| (name.as_str(), it["type"].as_str())).collect::<Vec<_>>(),
            [("j", Some("object"))]
        );
        assert_eq!(draft.losses.len(), 3);
    }
}
