//! Drafts tools that have names and JSON Schemas already: those of lists, and those that a live server lists.

use super::describe::{LONGEST, cut, plain};
use super::draft::{Draft, DraftedTool};
use super::losses::{Loss, Losses};
use super::name::Names;
use super::openapi::reference::{Found, escaped};
use super::openapi::schema::{self, Side};
use super::origins::Origin;
use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

/// A tool as somebody else describes it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Listed {
    /// Its name there.
    pub name: String,
    /// What it belongs to; a file of the toolset.
    pub group: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its parameters; `$ref`s are within it.
    pub parameters: Json,
    /// JSON Schema of its answer, where that is known.
    pub returns: Option<Json>,
    /// Where it stands, as a JSON pointer.
    pub place: String,
}

/// Makes a draft of listed tools, one by one.
#[derive(Debug, Default)]
pub struct Drafter {
    draft: Draft,
    names: Names,
    losses: Losses,
}

impl Drafter {
    /// Takes a tool in; `origin` makes the way back from its name and the original names of parameters that were renamed.
    pub fn add(&mut self, tool: Listed, origin: impl FnOnce(String, IndexMap<String, String>) -> Origin) {
        self.draft.found += 1;
        self.draft.chosen += 1;
        let (parameters, renamed) = self.parameters(&tool);
        let returns =
            tool.returns.as_ref().map(|schema| self.schema(schema, &format!("{}/returns", tool.place), Side::Answered));
        let (description, is_cut) = cut(&plain(&tool.description), LONGEST);
        if is_cut {
            self.lose(&tool.place, format!("description truncated to {LONGEST} characters"));
        }
        self.draft.tools.push(DraftedTool {
            name: self.names.give(&tool.name),
            group: if tool.group.is_empty() { "tools".to_owned() } else { tool.group },
            description,
            parameters,
            returns: returns.map(Json::Object),
            origin: origin(tool.name.clone(), renamed),
            original: tool.name,
        });
    }

    /// Notes an entry that is no tool.
    pub fn refuse(&mut self, place: &str, message: impl Into<String>) {
        self.draft.found += 1;
        self.draft.chosen += 1;
        self.lose(place, message);
    }

    /// Notes something else that could not be carried over.
    pub fn lose(&mut self, place: &str, message: impl Into<String>) {
        self.losses.add(place, message);
    }

    /// What was drafted; `lines` knows the lines of places.
    pub fn finish(
        self,
        lines: impl Fn(&std::collections::BTreeSet<String>) -> std::collections::BTreeMap<String, usize>,
    ) -> Draft {
        let lines = lines(&self.losses.places());
        Draft { losses: self.losses.listed(|place| lines.get(place).copied()), ..self.draft }
    }

    /// The schema of the parameters, each under a name that every server accepts, and the original names of the renamed.
    fn parameters(&mut self, tool: &Listed) -> (Json, IndexMap<String, String>) {
        let mut schema = self.schema(&tool.parameters, &format!("{}/parameters", tool.place), Side::Sent);
        let mut names = Names::default();
        let (mut properties, mut renamed) = (Map::new(), IndexMap::new());
        let required: Vec<Json> = schema.get("required").and_then(Json::as_array).cloned().unwrap_or_default();
        let mut needed = Vec::new();
        for (original, value) in
            schema.get_mut("properties").and_then(Json::as_object_mut).map(std::mem::take).unwrap_or_default()
        {
            let name = names.give_parameter(&original, "other");
            if required.contains(&json!(original)) {
                needed.push(name.clone());
            }
            let mut value = value.as_object().cloned().unwrap_or_default();
            value.entry("type").or_insert_with(|| json!("string"));
            properties.insert(name.clone(), Json::Object(value));
            if name != original {
                renamed.insert(name, original);
            }
        }
        (json!({"type": "object", "properties": properties, "required": needed}), renamed)
    }

    fn schema(&mut self, schema: &Json, place: &str, side: Side) -> Map<String, Json> {
        let mut losses = Losses::default();
        let taken = schema::take(schema, &Found { value: schema, place: String::new() }, side, &mut losses);
        for Loss { place: within, message, .. } in losses.listed(|_| None) {
            self.losses.add(&format!("{place}{within}"), message);
        }
        taken
    }
}

/// The place of an entry under a key.
pub(super) fn under(place: &str, key: &str) -> String {
    format!("{place}/{}", escaped(key))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_listed_tool_gets_names_that_servers_accept_and_a_way_back() {
        let mut drafter = Drafter::default();
        let parameters = json!({"properties": {"x-id": {"$ref": "#/$defs/Id"}, "b": {"not": {}}}, "required": ["x-id"], "$defs": {"Id": {"type": "string"}}});
        let tool = Listed { name: "a b".to_owned(), parameters, place: "/0".to_owned(), ..Listed::default() };
        drafter.add(tool, |name, parameters| Origin::List { name, parameters });
        let draft = drafter.finish(|_| BTreeMap::new());
        let drafted = &draft.tools[0];
        assert_eq!((drafted.name.as_str(), drafted.group.as_str()), ("a_b", "tools"));
        assert_eq!(drafted.parameters["required"], json!(["x_id"]));
        assert_eq!(drafted.parameters["properties"]["x_id"], json!({"type": "string"}));
        assert_eq!(
            drafted.origin,
            Origin::List { name: "a b".to_owned(), parameters: [("x_id".to_owned(), "x-id".to_owned())].into() }
        );
        assert_eq!(draft.losses[0].place, "/0/parameters/properties/b/not");
    }

    #[test]
    fn what_is_no_tool_counts_among_the_found() {
        let mut drafter = Drafter::default();
        drafter.refuse("/3", "expected a tool");
        let draft = drafter.finish(|places| places.iter().map(|place| (place.clone(), 4)).collect());
        assert_eq!((draft.found, draft.tools.len(), draft.losses[0].line), (1, 0, Some(4)));
    }
}
