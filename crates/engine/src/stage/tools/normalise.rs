//! Puts the names of tools in one form, of three parts; descriptions follow. Schemas stay as they are.
//!
//! It asks no model and invents no text.

use crate::record::RecordKind;
use crate::record::{Item, ItemId, Record, Tool};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::Outcome;
use crate::stage::work::Stage;
use crate::toolset::{Names, Toolset, each_description};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Normalizes tool names to `Domain.Category.function`, with a lower-case first letter of the function. Function names
/// in descriptions are updated; parameters and return values are unchanged.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NormaliseConfig {
    /// Domain of tools whose category has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
}

impl Stage for NormaliseConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("normalise", &[RecordKind::Tool], RecordKind::Tool)
    }

    fn apply(&self, context: &Context, mut item: Item) -> Outcome {
        if let Record::Tool(tool) = &item.record {
            let tool = self.normalised(tool, context.toolset());
            item.id = ItemId::root(&tool.name);
            item.root = item.id.clone();
            item.record = Record::Tool(Arc::new(tool));
        }
        Outcome::keep(item)
    }
}

impl NormaliseConfig {
    /// Descriptions may name any tool of the toolset; those that a model has just made know each other's names.
    fn normalised(&self, tool: &Tool, toolset: &Toolset) -> Tool {
        let mut tool = tool.clone();
        tool.name = self.name(&tool.name);
        let mut called = Names::of([&tool]);
        for other in &toolset.tools {
            called.add_function(&lower_first(other.function()));
        }
        each_description(&mut tool, |_, text| *text = called.follow(text));
        tool
    }

    fn name(&self, name: &str) -> String {
        let mut parts: Vec<String> = name.split('.').map(str::to_owned).collect();
        if let Some(function) = parts.last_mut() {
            *function = lower_first(function);
        }
        while parts.len() < 3 {
            parts.insert(0, self.domain.clone().unwrap_or_else(|| "General".to_owned()));
        }
        parts.join(".")
    }
}

fn lower_first(name: &str) -> String {
    let mut letters = name.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{query, query_item, silent, tool_item, train, with_shared};

    #[test]
    fn a_domain_is_a_word() {
        let messages = read_text::<NormaliseConfig>("domain = 3").unwrap_err();
        assert_eq!(messages, ["`domain` in the test: expected a string, found the number `3`"]);
    }

    fn name(settings: &str, name: &str) -> String {
        let tool = Tool { name: name.to_owned(), ..train() };
        let outcome = read_text::<NormaliseConfig>(settings).unwrap().apply(&silent(), tool_item(tool));
        assert_eq!(outcome.kept[0].id, outcome.kept[0].root);
        outcome.kept[0].id.to_string()
    }

    #[test]
    fn a_name_has_three_parts_and_a_small_first_letter() {
        assert_eq!(name("", "Travel.Trains.BookSeat"), "Travel.Trains.bookSeat");
        assert_eq!(name("", "Trains.book"), "General.Trains.book");
        assert_eq!(name("domain = \"Home\"", "Lamps.dim"), "Home.Lamps.dim");
        assert_eq!(name("domain = \"Home\"", "Dim"), "Home.Home.dim");
        assert_eq!(name("", "여행.기차.예매"), "여행.기차.예매");
    }

    #[test]
    fn descriptions_follow_names_and_schemas_stay() {
        let named = |name: &str| Tool { name: name.to_owned(), ..train() };
        let mut tool = named("Travel.Trains.BookSeat");
        tool.returns = Some(serde_json::json!({"type": "string", "description": "As BookSeat says"}));
        tool.description = "Books a seat that `FindTrain` found".to_owned();
        let context = with_shared(silent(), |shared| {
            let tools = [named("Travel.Trains.FindTrain"), tool.clone()].map(Arc::new).to_vec();
            shared.toolset = Arc::new(Toolset { tools, ..Toolset::default() });
        });
        let outcome = read_text::<NormaliseConfig>("").unwrap().apply(&context, tool_item(tool));
        let Record::Tool(tool) = &outcome.kept[0].record else { panic!("no tool") };
        assert_eq!(tool.description, "Books a seat that `findTrain` found");
        assert_eq!(tool.returns.as_ref().unwrap()["description"], "As bookSeat says");
        assert_eq!(tool.parameters, train().parameters);
    }

    #[test]
    fn what_is_no_tool_passes() {
        let item = query_item(query("x", "{}"));
        assert_eq!(read_text::<NormaliseConfig>("").unwrap().apply(&silent(), item.clone()), Outcome::keep(item));
    }
}
