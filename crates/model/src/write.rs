//! Writes queries: arguments first, then a sentence that says them (HammerBench E.2).

use super::Grammar;
use super::bank::{planned, settled};
use super::compose::{DrawnArguments, Extent, Speech, draw_style};
use crate::llm::{RequestPlan, SelectVariables, WriteVariables};
use crate::locale::{Drawn, Style};
use crate::record::{Chance, Object, Phrases, Tool, Value};
use crate::values::arguments::draw_arguments;
use std::sync::Arc;

/// How many descriptions are looked at for one in the person's style.
const IMPLIED_TRIES: usize = 48;

/// How many further ways to say an incomplete request are looked at.
const BREVITY: usize = 2;

/// A query with the call that it stands for, before it becomes a reply.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Written {
    pub(super) arguments: Object,
    pub(super) query: String,
}

impl Grammar {
    /// Writes a query for the tool.
    pub(super) fn write_query(&self, variables: &WriteVariables, chance: &mut Chance) -> Written {
        let mut said = draw_arguments(&self.pack, &variables.tool, &variables.must_include, chance);
        for (name, drawn) in &mut said {
            if let Some(settled) = variables.given.as_deref().and_then(|given| settled(given, name)) {
                *drawn = settled;
            }
        }
        self.compose_query(variables, seeded(said, variables), chance)
    }

    /// Writes a query with the values of its plan.
    pub(super) fn write_planned(&self, variables: &WriteVariables, plan: &RequestPlan, chance: &mut Chance) -> Written {
        let mut said = draw_arguments(&self.pack, &variables.tool, &variables.must_include, chance);
        for (name, drawn) in &mut said {
            if let Some(planned) = planned(plan, name) {
                *drawn = planned;
            }
        }
        self.compose_query(variables, said, chance)
    }

    fn compose_query(&self, variables: &WriteVariables, said: DrawnArguments, chance: &mut Chance) -> Written {
        let speech = self.speech(&variables.tool, variables.phrases.as_deref());
        let style = self.style(&variables.style, chance);
        if let Some(query) = variables.implied.then(|| self.implied(&speech, &said, variables, chance)).flatten() {
            let arguments = said.into_iter().map(|(name, drawn)| (name, drawn.value)).collect();
            return Written { arguments, query };
        }
        let extent = if variables.given.is_some() { Extent::Full } else { Extent::Any };
        let mut compose =
            || style.map_or_else(String::new, |style| speech.compose_to(extent, &self.pack, style, &said, chance));
        let mut query = compose();
        // Who leaves things out is brief as well: of a few ways to say it, the shortest.
        if extent == Extent::Any && said.len() < variables.tool.parameters.required.len() {
            for _ in 0..BREVITY {
                let other = compose();
                if other.split_whitespace().count() < query.split_whitespace().count() {
                    query = other;
                }
            }
        }
        Written { arguments: said.into_iter().map(|(name, drawn)| (name, drawn.value)).collect(), query }
    }

    /// A description of the problem, in the person's register where one of a few is.
    fn implied(
        &self,
        speech: &Speech,
        said: &DrawnArguments,
        variables: &WriteVariables,
        chance: &mut Chance,
    ) -> Option<String> {
        let manner = self.pack.dialogue.manner(&variables.style);
        let mut query = speech.imply(&self.pack, said, chance)?;
        for _ in 0..IMPLIED_TRIES {
            if manner.is_none_or(|manner| manner.fits(&query)) {
                break;
            }
            query = speech.imply(&self.pack, said, chance)?;
        }
        Some(query)
    }

    /// Chooses parameters as people do: those declared first more often than those declared last (E.3).
    pub(super) fn select_parameters(variables: &SelectVariables, chance: &mut Chance) -> Vec<String> {
        let mut names: Vec<&String> = variables.tool.parameters.properties.keys().collect();
        let mut chosen = Vec::new();
        while chosen.len() < variables.count && !names.is_empty() {
            let weights: Vec<f64> =
                (0..).map(|rank: u32| 1.0 / (1.0 + 0.35 * f64::from(rank))).take(names.len()).collect();
            chosen.push(names.remove(chance.weighted(weights.into_iter())).clone());
        }
        let order = |name: &String| variables.tool.parameters.properties.get_index_of(name);
        chosen.sort_by_key(order);
        chosen
    }

    fn style<'a>(&'a self, name: &str, chance: &mut Chance) -> Option<&'a Style> {
        let named = self.pack.styles.iter().find(|style| style.name == name);
        named.or_else(|| draw_style(&self.pack, chance))
    }

    /// How a tool is spoken of.
    pub(super) fn speech(&self, tool: &Tool, phrases: Option<&Phrases>) -> Arc<Speech> {
        self.speeches.get(&tool.name, || match phrases {
            Some(phrases) => Speech::new(&self.pack, tool, phrases),
            None => Speech::new(&self.pack, tool, &self.pack.derived.phrases(tool)),
        })
    }
}

/// A seed row's fields take the place of values of the same name.
fn seeded(mut said: DrawnArguments, variables: &WriteVariables) -> DrawnArguments {
    for (name, value) in variables.seed.iter().flatten() {
        if let (Some(drawn), Value::String(text)) = (said.get_mut(name), value) {
            *drawn = Drawn { value: value.clone(), surface: text.clone() };
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Common;

    fn tool(json: &str) -> Arc<Tool> {
        Arc::new(serde_json::from_str(json).unwrap())
    }

    #[test]
    fn a_tool_without_phrases_is_asked_for_by_its_description() {
        let tool = tool(
            r#"{"name": "get_weather", "description": "Get the weather forecast.",
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "hourly": {"type": "boolean"}}}}"#,
        );
        let grammar = Grammar::new(crate::fixtures::pack("en"), 7);
        let variables = WriteVariables {
            common: Common::default(),
            tool,
            must_include: vec!["city".to_owned(), "hourly".to_owned()],
            style: "plain".to_owned(),
            manner: String::new(),
            ..WriteVariables::default()
        };
        let written = grammar.write_query(&variables, &mut Chance::of(&[b"derived"]));
        assert!(written.query.to_lowercase().contains("get the weather forecast"), "{written:?}");
        let city = written.arguments["city"].as_str().unwrap();
        assert!(written.query.contains(city), "{written:?}");
        assert!(written.arguments["hourly"].as_bool().is_some());
    }

    #[test]
    fn parameters_are_chosen_without_repetition_and_in_declared_order() {
        let tool = tool(
            r#"{"name": "f", "parameters": {"type": "object", "properties": {"a": {}, "b": {}, "c": {}, "d": {}}}}"#,
        );
        for draw in 0..50 {
            let variables = SelectVariables { common: Common::default(), tool: tool.clone(), count: 3 };
            let chosen = Grammar::select_parameters(&variables, &mut Chance::new(1, "s", "i", draw));
            assert_eq!(chosen.len(), 3);
            assert!(chosen.is_sorted() && chosen.windows(2).all(|pair| pair[0] != pair[1]), "{chosen:?}");
        }
    }
}
