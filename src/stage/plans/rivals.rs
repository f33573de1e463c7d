//! Which items of the answers are meant, and the answers without those that could be taken for them.

use super::picked::{Picked, picked};
use crate::record::{Feed, FunctionCall, Origin, Plan, Step, Value};
use crate::toolset::Declaration;
use indexmap::IndexMap;

/// The items that are meant, by call, with the pick's name and the text by which it is named.
pub(in crate::stage) type Meant = Vec<(usize, String, Option<Value>)>;

/// The items that are meant with their rivals, by call.
pub(in crate::stage) type Found = IndexMap<usize, Vec<Picked>>;

/// Every pick of a plan: those that feed a call, and those that are told.
pub(in crate::stage) fn meant(plan: &Plan, said: &super::values::Said) -> Meant {
    let mut meant = Meant::new();
    for feed in plan.calls.iter().flat_map(|call| call.arguments.values()).flat_map(super::fed::feeds_of) {
        let Feed::Item { call, pick, slot, .. } = feed else { continue };
        let text = slot.as_ref().and_then(|slot| said.get(slot)).map(|said| said.value.clone());
        let entry = (*call, pick.clone(), text);
        if !meant.contains(&entry) {
            meant.push(entry);
        }
    }
    let told = plan.told.iter().map(|(call, pick)| (*call, pick.clone(), None));
    meant.extend(told.collect::<Vec<_>>());
    meant
}

/// The steps without the items that could be taken for one that is meant, and how many those were; none where an item
/// that is meant would have to go.
pub(in crate::stage) fn without(
    declaration: &Declaration,
    steps: &[Step],
    meant: &Meant,
) -> Option<(Vec<Step>, usize)> {
    let calls: Vec<(&FunctionCall, &Value)> =
        steps.iter().flat_map(|step| step.calls.iter().zip(&step.answers)).collect();
    let mut found = Found::new();
    for (call, name, said) in meant {
        let (made, answer) = calls.get(*call)?;
        let pick = declaration.functions.get(&made.name)?.picks.get(name)?;
        found.entry(*call).or_default().push(picked(answer, pick, made, said.as_ref())?);
    }
    without_rivals(steps, &found)
}

/// The steps without the rivals of what is meant, and how many those were; none where an item that is meant is a rival.
pub(in crate::stage) fn without_rivals(steps: &[Step], found: &Found) -> Option<(Vec<Step>, usize)> {
    let mut steps = steps.to_vec();
    let mut removed = 0;
    for (call, picks) in found {
        let mut gone: Vec<&String> = picks.iter().flat_map(|pick| &pick.rivals).collect();
        gone.sort_by_key(|pointer| std::cmp::Reverse(order(pointer)));
        gone.dedup();
        if picks.iter().any(|pick| gone.contains(&&pick.item)) {
            return None;
        }
        for pointer in gone {
            remove(&mut steps, *call, pointer);
            removed += 1;
        }
    }
    Some((steps, removed))
}

/// A pointer's parts with numbers as numbers, so that later items sort behind earlier ones.
fn order(pointer: &str) -> Vec<(usize, String)> {
    pointer.split('/').map(|part| (part.parse().unwrap_or(0), part.to_owned())).collect()
}

/// Takes an item out of a call's answer, and moves what points behind it.
fn remove(steps: &mut [Step], call: usize, pointer: &str) {
    let Some((list, at)) = pointer.rsplit_once('/') else { return };
    let Ok(at) = at.parse::<usize>() else { return };
    let mut answers = steps.iter_mut().flat_map(|step| step.answers.iter_mut());
    if let Some(Value::List(items)) = answers.nth(call).and_then(|answer| place(answer, list)) {
        if at < items.len() {
            items.remove(at);
        }
    }
    let notes = steps.iter_mut().flat_map(|step| step.notes.iter_mut()).flat_map(IndexMap::values_mut);
    for note in notes {
        if let Origin::Answer { call: from, field } | Origin::Derived { call: from, field } = &mut note.origin {
            if *from == call {
                *field = moved(field, list, at);
            }
        }
    }
}

/// A pointer after the item at `at` of `list` went.
fn moved(pointer: &str, list: &str, at: usize) -> String {
    let Some(rest) = pointer.strip_prefix(&format!("{list}/")) else { return pointer.to_owned() };
    let (index, tail) = rest.split_once('/').map_or((rest, ""), |(index, tail)| (index, tail));
    match index.parse::<usize>() {
        Ok(index) if index > at && tail.is_empty() => format!("{list}/{}", index - 1),
        Ok(index) if index > at => format!("{list}/{}/{tail}", index - 1),
        _ => pointer.to_owned(),
    }
}

/// The list at a pointer.
pub(in crate::stage) fn list_at<'v>(value: &'v mut Value, pointer: &str) -> Option<&'v mut Vec<Value>> {
    match place(value, pointer)? {
        Value::List(list) => Some(list),
        _ => None,
    }
}

/// What stands at a pointer, to be changed.
pub(in crate::stage) fn place<'v>(value: &'v mut Value, pointer: &str) -> Option<&'v mut Value> {
    pointer.split('/').skip(1).try_fold(value, |value, part| match value {
        Value::Object(object) => object.get_mut(part),
        Value::List(list) => list.get_mut(part.parse::<usize>().ok()?),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stood_behind_a_removed_item_moves_up() {
        for (pointer, after) in [
            ("/data/3/id", "/data/2/id"),
            ("/data/3", "/data/2"),
            ("/data/1/id", "/data/1/id"),
            ("/other/3/id", "/other/3/id"),
            ("/database/3", "/database/3"),
        ] {
            assert_eq!(moved(pointer, "/data", 2), after);
        }
    }

    #[test]
    fn later_items_go_first() {
        let mut pointers = vec!["/a/2", "/a/10", "/a/9"];
        pointers.sort_by_key(|pointer| std::cmp::Reverse(order(pointer)));
        assert_eq!(pointers, ["/a/10", "/a/9", "/a/2"]);
    }

    #[test]
    fn rivals_go_and_the_meant_item_stays() {
        let world = crate::toolset::testing::inn("en");
        let answer = r#"{"data": {"inns": [{"total": 9, "id": "A"}, {"total": 7, "id": "B"}, {"total": 7, "id": "C"}, {"total": 8, "id": "D"}]}}"#;
        let step: Step = serde_json::from_str(&format!(
            r#"{{"calls": [{{"name": "Search_Inns", "arguments": {{}}}}], "answers": [{answer}],
                "notes": [{{"x": {{"origin": {{"answer": {{"call": 0, "field": "/data/inns/3/id"}}}}}}}}]}}"#
        ))
        .unwrap();
        let meant = vec![(0, "cheapest".to_owned(), None)];
        let (steps, removed) = without(&world, std::slice::from_ref(&step), &meant).unwrap();
        assert_eq!(removed, 1);
        assert_eq!(steps[0].answers[0].to_string().matches("total").count(), 3);
        assert!(!steps[0].answers[0].to_string().contains("\"C\""));
        assert_eq!(steps[0].notes[0]["x"].origin.answer(), Some((0, "/data/inns/2/id")));
        assert_eq!(without(&world, &steps, &meant).unwrap().1, 0);
        assert!(without(&world, &[step], &vec![(0, "best".to_owned(), None)]).is_none(), "nobody has stars");
    }
}
