//! Tools as a model writes them, before they are checked, and what can be wrong with them.

use crate::record::Tool;
use serde::{Deserialize, Serialize};

/// The structured answer to [`crate::llm::Task::Toolkits`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DraftTools {
    /// The tools.
    pub tools: Vec<DraftTool>,
}

/// One tool, as a model writes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DraftTool {
    /// Its name in `CamelCase`.
    pub tool: String,
    /// A title in the locale's language.
    #[serde(default)]
    pub name: String,
    /// What it does.
    #[serde(default)]
    pub description: String,
    /// Its parameters; required, even where there are none.
    pub parameters: Vec<DraftField>,
    /// What it returns.
    #[serde(default)]
    pub returns: Vec<DraftField>,
}

/// One parameter, or one thing that is returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DraftField {
    /// Its name in `snake_case`.
    pub name: String,
    /// Its JSON type.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it means.
    #[serde(default)]
    pub description: String,
    /// Whether a call needs it.
    #[serde(default)]
    pub required: bool,
}

/// What a reply holds: the sound tools, and what is wrong with the others.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DraftToolkit {
    /// The sound ones. Each name is the function's own, in `camelCase`.
    pub tools: Vec<Tool>,
    /// What is wrong with the rest.
    pub faults: Vec<ToolFault>,
}

/// What is wrong with one tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolFault {
    /// A field is missing or of another type.
    #[error("tool {index}: {message}")]
    Shape {
        /// Which tool of the list, from 1.
        index: usize,
        /// What is wrong.
        message: String,
    },
    /// The list of parameters is missing.
    #[error("tool {index}: `parameters` is missing; write [] where there are none")]
    NoParameters {
        /// Which tool of the list, from 1.
        index: usize,
    },
    /// The name is not in `CamelCase`.
    #[error("`{tool}` is not a name in CamelCase")]
    ToolName {
        /// The name.
        tool: String,
    },
    /// Two tools have one name.
    #[error("`{tool}` comes twice")]
    ToolTwice {
        /// The name.
        tool: String,
    },
    /// There is no description.
    #[error("`{tool}`: `{field}` has no description")]
    NoDescription {
        /// The tool.
        tool: String,
        /// The parameter, or the tool itself.
        field: String,
    },
    /// A name is not in `snake_case`.
    #[error("`{tool}`: `{field}` is not a name in snake_case")]
    FieldName {
        /// The tool.
        tool: String,
        /// The name.
        field: String,
    },
    /// Two parameters have one name.
    #[error("`{tool}`: `{field}` comes twice")]
    FieldTwice {
        /// The tool.
        tool: String,
        /// The name.
        field: String,
    },
    /// A type is not one of JSON's.
    #[error("`{tool}`: `{field}` has the type `{kind}`, which is not a JSON type")]
    FieldType {
        /// The tool.
        tool: String,
        /// The parameter.
        field: String,
        /// The type.
        kind: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_can_be_told_to_a_model() {
        let fault = ToolFault::FieldType { tool: "Go".to_owned(), field: "to".to_owned(), kind: "dict".to_owned() };
        assert_eq!(fault.to_string(), "`Go`: `to` has the type `dict`, which is not a JSON type");
        assert_eq!(
            ToolFault::NoParameters { index: 2 }.to_string(),
            "tool 2: `parameters` is missing; write [] where there are none"
        );
    }
}
