//! A candidate tool, ready for questions: what it is about, what it wants, what it gives.

use super::super::about::words_of;
use super::super::ideas::{Idea, ToolIdeas};
use super::super::reader::ToolReader;
use super::super::recognise::Recogniser;
use super::code::Shape;
use crate::locale::{Pack, Reading};
use crate::record::{Parameter, Tool};
use indexmap::{IndexMap, IndexSet};
use std::sync::Arc;

/// A candidate tool, ready for questions.
pub(crate) struct RouteTool {
    pub(super) reader: ToolReader,
    pub(super) wants: Vec<Want>,
    /// Names of the fields that it answers with, in lower case.
    pub(super) gives: Vec<String>,
}

/// A parameter, as far as the tool's slot does not say it.
pub(super) struct Want {
    pub(super) name: String,
    pub(super) required: bool,
    /// Whether it holds an identifier.
    pub(super) identifies: bool,
    pub(super) shapes: Vec<Shape>,
    /// Stems of its name and description.
    pub(super) words: Vec<String>,
    /// Whether it holds an object or a list, of which nothing is read.
    pub(super) nested: bool,
}

impl RouteTool {
    pub(crate) fn new(tool: &Tool, pack: &Pack, recogniser: &Recogniser) -> Self {
        let wants = tool.parameters.properties.iter();
        let returns = tool.returns.as_ref().and_then(|returns| returns.get("properties")?.as_object());
        Self {
            reader: ToolReader::new(tool, pack, recogniser),
            wants: wants.map(|(name, parameter)| Want::new(tool, name, parameter, &pack.reading)).collect(),
            gives: returns.into_iter().flat_map(|fields| fields.keys().map(|name| name.to_lowercase())).collect(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.reader.name
    }

    pub(super) fn ideas(&self) -> &ToolIdeas {
        &self.reader.ideas
    }
}

impl Want {
    fn new(tool: &Tool, name: &str, parameter: &Parameter, reading: &Reading) -> Self {
        let description = parameter.description.as_deref().unwrap_or_default();
        let shapes = Shape::all_in(description);
        let (own, said) = (name.to_lowercase(), description.trim_end_matches('.').to_lowercase());
        let named = |word: &String| own.ends_with(word.as_str()) || said.ends_with(word.as_str());
        Self {
            name: name.to_owned(),
            required: tool.parameters.required.iter().any(|it| it == name),
            identifies: !shapes.is_empty() || reading.identifiers.iter().any(named),
            shapes,
            words: words_of(tool, name, reading),
            nested: matches!(parameter.type_name(), "object" | "array"),
        }
    }
}

/// How much each thing tells among these tools: what few are about tells more.
pub(super) fn rarities(tools: &[Arc<RouteTool>]) -> IndexMap<&Idea, f64> {
    let mut counts: IndexMap<&Idea, f64> = IndexMap::new();
    for idea in tools.iter().flat_map(|tool| tool.ideas().things.keys().collect::<IndexSet<_>>()) {
        *counts.entry(idea).or_default() += 1.0;
    }
    let total = counts.values().copied().fold(1.0, f64::max);
    counts.values_mut().for_each(|count| *count = (1.0 + total / *count).ln());
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(json: &str) -> Arc<RouteTool> {
        let pack = crate::fixtures::pack("en");
        Arc::new(RouteTool::new(&serde_json::from_str(json).unwrap(), &pack, &Recogniser::new(&pack)))
    }

    #[test]
    fn parameters_that_hold_identifiers_are_known_by_name_description_or_shape() {
        let tool = tool(
            r#"{"name": "freezeAccount", "parameters": {"properties": {
                "accountId": {"type": "string"}, "who": {"description": "The customer's number."}, "card": {"description": "as CA##"},
                "reason": {"type": "string"}, "more": {"type": "object"}}, "required": ["accountId"]},
                "returns": {"properties": {"accountId": {}, "STATUS": {}}}}"#,
        );
        let known: Vec<bool> = tool.wants.iter().map(|want| want.identifies).collect();
        assert_eq!(known, [true, true, true, false, false]);
        assert!(tool.wants[0].required && !tool.wants[1].required && tool.wants[4].nested);
        assert_eq!(tool.gives, ["accountid", "status"]);
    }

    #[test]
    fn what_few_tools_are_about_tells_more() {
        let tools = ["getLoan", "getCard", "getCardLimit"].map(|name| tool(&format!(r#"{{"name": "{name}"}}"#)));
        let rarities = rarities(&tools);
        let rarity = |stem: &str| {
            rarities[&Idea::Stem(Reading::load(crate::fixtures::assets(), "en").unwrap().stem(stem).to_owned())]
        };
        assert!(rarity("loan") > rarity("card"));
    }
}
