//! Requests for the tests of this module.

use super::request::{Request, Task};
use std::sync::Arc;

/// A question for one item.
pub(crate) fn request(item: &str, draw: u32) -> Request {
    Request {
        task: Task::JudgeCall,
        stage: Arc::from("judge"),
        item: Arc::from(item),
        draw,
        system: None,
        user: format!("Is {item} right?"),
        variables: Arc::new(serde_json::json!({ "item": item })),
        schema: None,
        tools: Vec::new(),
        temperature: None,
    }
}
