//! The plain values of answers, each with the name of its field, and the items that they belong to.

use crate::record::{Object, Value};

/// A plain value with the name of the field that holds it; elements of a list have the list's name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf<'v> {
    pub(super) name: &'v str,
    pub(super) value: &'v Value,
}

impl Leaf<'_> {
    /// Whether another leaf says the same: equal values under one name, or values that are equal by no accident.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.value.equals(other.value) && (self.name == other.name || is_specific(self.value))
    }
}

/// Whether a value is told from others by itself: a text of some length, or a number of three digits and more.
pub(super) fn is_specific(value: &Value) -> bool {
    match value {
        Value::String(text) => {
            let letters = text.chars().filter(|letter| letter.is_alphanumeric()).count();
            letters >= 6 || (letters >= 3 && !text.is_ascii()) || (letters >= 3 && text.contains(char::is_numeric))
        }
        Value::Number(number) => number.to_string().chars().filter(char::is_ascii_digit).count() >= 3,
        _ => false,
    }
}

/// All plain values within a value.
pub(super) fn leaves<'v>(name: &'v str, value: &'v Value) -> Vec<Leaf<'v>> {
    let mut found = Vec::new();
    collect(name, value, &mut found, true);
    found
}

/// The plain values that stand in no list of objects.
pub(super) fn top_leaves(value: &Value) -> Vec<Leaf<'_>> {
    let mut found = Vec::new();
    collect("", value, &mut found, false);
    found
}

fn collect<'v>(name: &'v str, value: &'v Value, found: &mut Vec<Leaf<'v>>, into_items: bool) {
    match value {
        Value::Null => {}
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| collect(name, value, found, into_items));
        }
        Value::List(items) => {
            let taken = items.iter().filter(|item| into_items || item.as_object().is_none());
            taken.for_each(|item| collect(name, item, found, into_items));
        }
        _ => found.push(Leaf { name, value }),
    }
}

/// The lists of objects within a value, at any depth, each with its items.
pub(super) fn lists(value: &Value) -> Vec<Vec<&Object>> {
    match value {
        Value::List(items) => {
            let objects: Vec<&Object> = items.iter().filter_map(Value::as_object).collect();
            let own = (!objects.is_empty()).then_some(objects);
            own.into_iter().chain(items.iter().flat_map(lists)).collect()
        }
        Value::Object(fields) => fields.values().flat_map(lists).collect(),
        _ => Vec::new(),
    }
}

/// All plain values within an item.
pub(super) fn item_leaves(item: &Object) -> Vec<Leaf<'_>> {
    item.iter().flat_map(|(name, value)| leaves(name, value)).collect()
}

/// The values at a path of names with dots between: `*` stands for each element of a list, and where a list is passed
/// without it, its first element is meant.
pub fn values_at<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    let step = |values: Vec<&'v Value>, name: &str| -> Vec<&'v Value> {
        let of = |value: &'v Value| -> Vec<&'v Value> {
            match (value, name) {
                (Value::List(items), "*") => items.iter().collect(),
                (Value::List(items), _) => items.first().map(|it| values_at(it, name)).unwrap_or_default(),
                (Value::Object(fields), _) => fields.get(name).into_iter().collect(),
                _ => Vec::new(),
            }
        };
        values.into_iter().flat_map(of).collect()
    };
    let found = path.split('.').filter(|name| !name.is_empty()).fold(vec![value], step);
    found.into_iter().filter(|value| !matches!(value, Value::Null)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: &str) -> Value {
        Value::read(json).unwrap()
    }

    #[test]
    fn leaves_have_the_names_of_their_fields() {
        let answer =
            value(r#"{"id": "A1", "tags": ["x", "y"], "rooms": [{"price": 12.5, "view": null}], "open": true}"#);
        let shown = |leaves: Vec<Leaf<'_>>| {
            leaves.into_iter().map(|it| format!("{}={}", it.name, it.value)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(shown(leaves("", &answer)), r#"id="A1" tags="x" tags="y" price=12.5 open=true"#);
        assert_eq!(shown(top_leaves(&answer)), r#"id="A1" tags="x" tags="y" open=true"#);
        assert_eq!(lists(&answer).len(), 1);
        assert_eq!(shown(item_leaves(lists(&answer)[0][0])), "price=12.5");
    }

    #[test]
    fn small_values_are_the_same_under_one_name_alone() {
        let (three, text) = (value("3"), value("\"The Red Fox\""));
        let leaf = |name, value| Leaf { name, value };
        assert!(leaf("stars", &three).is_same(&leaf("stars", &three)));
        assert!(!leaf("stars", &three).is_same(&leaf("rooms", &three)));
        assert!(leaf("name", &text).is_same(&leaf("title", &text)));
        assert!(is_specific(&value("12.5")) && is_specific(&value("\"QA2\"")) && !is_specific(&value("\"bar\"")));
    }

    #[test]
    fn a_path_takes_each_element_or_the_first() {
        let answer = value(r#"{"data": {"ways": [{"name": "card"}, {"name": "cash"}], "none": null, "empty": []}}"#);
        let shown = |path: &str| values_at(&answer, path).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(shown("data.ways.*.name"), r#""card" "cash""#);
        assert_eq!(shown("data.ways.name"), r#""card""#);
        assert_eq!([shown("data.none"), shown("data.empty.*.name"), shown("data.x")], ["", "", ""]);
    }
}
