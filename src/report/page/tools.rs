//! Tools by number: a page shows thousands of samples with the same candidates.

use crate::record::{Parameters, Tool};
use indexmap::IndexMap;
use serde::Serialize;
use std::sync::Arc;

/// Every tool that was seen, by its number.
#[derive(Default)]
pub(super) struct Tools {
    /// Of one name there are several where toolsets or locales differ.
    by_name: IndexMap<String, Vec<(Arc<Tool>, usize)>>,
    count: usize,
}

/// What people are shown of a tool.
#[derive(Serialize)]
pub(super) struct ToolCard<'t> {
    name: &'t str,
    description: &'t str,
    parameters: &'t Parameters,
    #[serde(skip_serializing_if = "Option::is_none")]
    returns: Option<&'t serde_json::Value>,
}

impl Tools {
    /// The number of a tool, and whether it is seen for the first time.
    pub(super) fn number(&mut self, tool: &Arc<Tool>) -> (usize, bool) {
        let known = self.by_name.entry(tool.name.clone()).or_default();
        if let Some((_, number)) = known.iter().find(|(other, _)| other == tool) {
            return (*number, false);
        }
        let number = self.count;
        known.push((tool.clone(), number));
        self.count += 1;
        (number, true)
    }
}

impl<'t> From<&'t Tool> for ToolCard<'t> {
    fn from(tool: &'t Tool) -> Self {
        let Tool { name, description, parameters, returns, .. } = tool;
        Self { name, description, parameters, returns: returns.as_ref() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(json: &str) -> Arc<Tool> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_tool_has_one_number_however_often_it_is_read() {
        let mut tools = Tools::default();
        let one = || tool(r#"{"name": "a", "description": "x"}"#);
        let other = tool(r#"{"name": "a", "description": "y"}"#);
        assert_eq!(
            [tools.number(&one()), tools.number(&other), tools.number(&one())],
            [(0, true), (1, true), (0, false)]
        );
    }

    #[test]
    fn what_only_the_built_in_model_reads_is_not_shown() {
        let tool = tool(r#"{"name": "a", "description": "x", "kinds": {"p": "city"}, "acts": true}"#);
        let text = serde_json::to_string(&ToolCard::from(&*tool)).unwrap();
        assert_eq!(
            text,
            r#"{"name":"a","description":"x","parameters":{"type":"object","properties":{},"required":[]}}"#
        );
    }
}
