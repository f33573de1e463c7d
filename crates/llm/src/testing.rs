//! Requests for the tests of this module.

use super::Variables;
use super::request::Request;
use super::tasks::Task;
use crate::record::{Object, Value};
use std::sync::Arc;

/// A question for one item.
pub(crate) fn request(item: &str, draw: u32) -> Request {
    Request {
        task: Task::JudgeCall,
        stage: Arc::from("judge"),
        item: Arc::from(item),
        draw,
        system: None,
        history: Vec::new(),
        user: format!("Is {item} right?"),
        variables: variables(item),
        schema: None,
        tools: Vec::new(),
        temperature: None,
    }
}

/// The variables of a row that holds this one word.
pub(crate) fn variables(item: &str) -> Arc<Variables> {
    Arc::new(Variables::Generate(Object::from_iter([("item".to_owned(), Value::from(item))])))
}
