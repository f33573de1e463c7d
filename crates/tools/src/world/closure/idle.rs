//! Golden calls that do nothing: such as were made before, and lookups that feed nothing and answer nothing.

use super::functions::Functions;
use super::golden::Golden;
use super::grow::shown;
use super::harvest::key;
use fcgen_core::record::{FunctionCall, Value};

/// A call that is equal to an earlier one.
pub(super) fn repeated(golden: &Golden<'_>, functions: &Functions) -> Option<String> {
    let keys: Vec<Vec<String>> = golden.calls.iter().map(|it| call_key(it.call, functions)).collect();
    let again = (0..keys.len()).find(|at| keys[..*at].contains(&keys[*at]))?;
    let call = golden.calls[again].call;
    Some(format!("duplicate call {}", shown(&call.name, &call.arguments)))
}

/// A mere lookup from which no call takes anything, and of which the answer in words tells nothing.
pub(super) fn idle(golden: &Golden<'_>, functions: &Functions, answer: &str) -> Option<String> {
    let is_lookup = |at: &usize| functions.offers.get(&golden.calls[*at].call.name).is_some_and(|offer| offer.free);
    let silent = |at: &usize| {
        let call = &golden.calls[*at];
        let said: Vec<String> = call.call.arguments.values().map(plain).collect();
        !leaves(call.answer).iter().any(|leaf| !said.contains(leaf) && tells(answer, leaf))
    };
    let goals = golden.goals();
    let at = goals.iter().filter(|at| is_lookup(at)).find(|at| silent(at))?;
    let call = golden.calls[*at].call;
    Some(format!("unused call {}: no other call and no answer depends on it", shown(&call.name, &call.arguments)))
}

/// A call's name and arguments without those that have their default values, in one order.
fn call_key(call: &FunctionCall, functions: &Functions) -> Vec<String> {
    let params = functions.offers.get(&call.name).map(|offer| &offer.params);
    let is_default = |name: &str, value: &Value| {
        let default = params.and_then(|params| params.get(name)?.default.as_ref());
        value.is_null() || default.is_some_and(|default| default.equals(value))
    };
    let told = call.arguments.iter().filter(|(name, value)| !is_default(name, value));
    let mut keys: Vec<String> = told.map(|(name, value)| format!("{name}={}", key(value))).collect();
    keys.sort_unstable();
    keys.insert(0, call.name.clone());
    keys
}

/// Whether a text has a word or a number as a whole.
fn tells(answer: &str, leaf: &str) -> bool {
    let whole = |at: usize| {
        let before = answer.get(..at).and_then(|text| text.chars().next_back());
        let after = answer.get(at + leaf.len()..).and_then(|text| text.chars().next());
        let joined = |letter: Option<char>| letter.is_some_and(|it| it.is_ascii_alphanumeric());
        !joined(before) && !joined(after)
    };
    leaf.chars().count() > 1 && answer.match_indices(leaf).any(|(at, _)| whole(at))
}

/// The texts and numbers of an answer.
fn leaves(value: &Value) -> Vec<String> {
    match value {
        Value::List(list) => list.iter().flat_map(leaves).collect(),
        Value::Object(object) => object.values().flat_map(leaves).collect(),
        Value::Null | Value::Bool(_) => Vec::new(),
        leaf => vec![plain(leaf)],
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| key(value), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{BOOKING, functions, path};
    use super::*;

    const LOOKUP: &[&[&str]] = &[&[r#"Find_Town {"query": "Greyford"}"#]];

    #[test]
    fn a_lookup_must_feed_a_call_or_tell_something() {
        let functions = functions();
        let of = |steps: &[&[&str]], answer: &str| idle(&Golden::new(&path(steps), &functions), &functions, answer);
        let told = of(LOOKUP, "").unwrap();
        assert_eq!(told, "unused call Find_Town(query=\"Greyford\"): no other call and no answer depends on it");
        assert!(of(LOOKUP, "Greyford it is.").is_some(), "the request says that itself");
        assert_eq!((of(LOOKUP, "Its id is T2."), of(BOOKING, "")), (None, None));
        assert!(of(LOOKUP, "Its id is T22.").is_some());
    }

    #[test]
    fn a_call_with_its_default_written_out_is_the_same_call() {
        let functions = functions();
        let twice = |more: &str| {
            let search = r#"Search_Inns {"town_id": "T1", "arrival": "2024-11-01", "departure": "2024-11-04""#;
            let steps = path(&[&[&format!("{search}}}"), &format!("{search}{more}}}")]]);
            repeated(&Golden::new(&steps, &functions), &functions)
        };
        assert!(twice(r#", "guests": 2.0"#).unwrap().starts_with("duplicate call "));
        assert_eq!(twice(r#", "guests": 3"#), None);
    }
}
