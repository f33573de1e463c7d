//! What all loaders want of tools and calls.

use super::Faults;
use crate::record::{Object, Value};
use std::collections::BTreeSet;

/// The longest name that OpenAI's service takes.
const LONGEST: usize = 64;

/// Whether a name is made of letters, digits, `_` and `-`.
pub(super) fn is_fit(name: &str) -> bool {
    let fit = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    (1..=LONGEST).contains(&name.chars().count()) && name.chars().all(fit)
}

/// A text as the list that it writes.
pub(super) fn list(text: &str) -> Option<Vec<Value>> {
    if let Ok(Value::List(list)) = Value::read(text) { Some(list) } else { None }
}

/// The names of tools, wrapped or bare; a tool without a name is told.
pub(super) fn names(tools: &[Value], faults: &mut Faults<'_>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (at, tool) in tools.iter().enumerate() {
        let bare = tool.as_object().and_then(|tool| tool.get("function")).unwrap_or(tool).as_object();
        match bare.and_then(|tool| tool.get("name")).and_then(Value::as_str) {
            Some(name) => drop(names.insert(name.to_owned())),
            None => faults.error("tools", &format!("tools[{at}]"), "it has no name"),
        }
    }
    names
}

/// A call's name and its arguments, which must be an object.
pub(super) fn read<'v>(call: &'v Object, place: &str, faults: &mut Faults<'_>) -> Option<(&'v str, &'v Object)> {
    let name = call.get("name").and_then(Value::as_str);
    let arguments = call.get("arguments").and_then(Value::as_object);
    match (name, arguments) {
        (Some(name), Some(arguments)) => Some((name, arguments)),
        (None, _) => {
            faults.error("call", place, "it has no `name`");
            None
        }
        (_, None) => {
            faults.error("call", place, "its `arguments` are no object");
            None
        }
    }
}

/// Tells a call of a tool that is not there.
pub(super) fn offered(name: &str, names: &BTreeSet<String>, place: &str, faults: &mut Faults<'_>) {
    if !names.contains(name) {
        faults.warning("not_offered", place, &format!("`{name}` is none of its tools"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_the_service_takes() {
        assert!(
            is_fit("get_weather-2")
                && !is_fit("get weather")
                && !is_fit("")
                && !is_fit("a.b")
                && !is_fit(&"x".repeat(65))
        );
    }

    #[test]
    fn only_a_list_is_a_list() {
        assert_eq!((list("[1]").map(|it| it.len()), list("{}"), list("[")), (Some(1), None, None));
    }
}
