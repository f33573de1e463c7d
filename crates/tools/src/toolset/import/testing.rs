//! What tests of drafted operations share.

use super::choose::Choice;
use super::draft::{Draft, DraftedTool};
use super::openapi::read::read_openapi;
use super::origins::{Operation, Origin};

/// The draft of a description in YAML.
pub(super) fn draft(text: &str) -> Draft {
    read_openapi("api.yaml", text, &Choice::default()).unwrap()
}

/// The one operation of a drafted tool.
pub(super) fn operation(tool: &DraftedTool) -> &Operation {
    match &tool.origin {
        Origin::Openapi(operation) => operation,
        other => panic!("no operation: {other:?}"),
    }
}
