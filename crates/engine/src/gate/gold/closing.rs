//! Goals without an answer: a call that the request asks for, of whose answer the closing answer tells nothing, or not all
//! that was asked.

use super::{Fault, Gold, GoldCall};
use crate::gate::told::figures;
use crate::locale::{Language, Stand, numbers_in, value_stands};
use crate::record::{Number, Object, Value};

/// A closing answer, read once.
pub(super) struct Closing<'t> {
    text: &'t str,
    lower: String,
    numbers: Vec<Number>,
    language: &'t Language,
}

impl<'t> Closing<'t> {
    pub(super) fn new(text: &'t str, language: &'t Language) -> Self {
        let mut numbers: Vec<Number> = numbers_in(text, language).into_iter().map(|it| it.value).collect();
        numbers.extend(figures(text));
        Self { text, lower: text.to_lowercase(), numbers, language }
    }

    /// Whether it tells a value; yes and no are told in words that nobody can look for.
    fn tells(&self, value: &Value) -> bool {
        match value {
            Value::List(items) => items.iter().all(|item| self.tells(item)),
            Value::Object(fields) => fields.values().all(|field| self.tells(field)),
            Value::Null | Value::Bool(_) => true,
            Value::Number(number) => self.numbers.iter().any(|it| it.equals(number)),
            Value::String(words) => {
                // A word of a list may be told as words: `on_time`.
                let words = words.trim().to_lowercase();
                let spaced = words.replace('_', " ");
                // Days and times are told in other forms, too.
                let is_moment =
                    || words.starts_with(|letter: char| letter.is_ascii_digit()) && words.contains(['-', ':']);
                let expected = Stand { type_name: "string", ..Stand::default() };
                self.lower.contains(&words)
                    || self.lower.contains(&spaced)
                    || is_moment() && value_stands(self.text, value, &expected, self.language).is_some()
            }
        }
    }
}

impl Gold<'_> {
    pub(super) fn unanswered(&self, calls: &[GoldCall<'_>], closing: &Closing<'_>) -> Vec<Fault> {
        let goals = (0..calls.len()).filter(|at| !Self::feeds(calls, *at) && !self.is_held(calls, *at));
        goals.filter_map(|at| self.missing(&calls[at], closing)).collect()
    }

    fn missing(&self, call: &GoldCall<'_>, closing: &Closing<'_>) -> Option<Fault> {
        let name = &call.call.name;
        let fault = |detail: String| Some(Fault::new("unanswered_goal", detail));
        let Some(fields) = self.asked(call) else {
            let own = leaves("", call.answer).into_iter().any(|leaf| self.can_tell(call, &leaf));
            // Nobody can look for yes and no in words: where nothing declares what is asked, a judge has read them.
            let within =
                call.answer.as_object().into_iter().flat_map(Object::values).filter(|it| it.as_object().is_some());
            let answers_yes_or_no =
                self.goal_fields.is_empty() && within.flat_map(top_leaves).any(|leaf| leaf.value.as_bool().is_some());
            if answers_yes_or_no {
                return None;
            }
            // What was done is done, whatever is told of it.
            let counts = || self.tallied(call).into_iter().any(|figure| closing.tells(&Value::Number(figure)));
            if !own || self.changes.contains(name) || !self.told_of(call, closing).is_empty() || counts() {
                return None;
            }
            return fault(format!("the closing answer tells nothing that `{name}` answered"));
        };
        let values = |path: &String| values_at(call.answer, path);
        if fields.iter().all(|path| values(path).is_empty()) {
            return fault(format!("`{name}` answers nothing of {}, so that nobody can tell it", fields.join(", ")));
        }
        let path = fields.iter().find(|path| values(path).into_iter().any(|value| !closing.tells(value)))?;
        let shown: Vec<String> = values(path).into_iter().map(ToString::to_string).collect();
        fault(format!("the closing answer does not tell `{path}` of `{name}`: {}", shown.join(", ")))
    }

    /// Whether a later call has a value of this answer that nobody else could tell: of several places in one argument the
    /// notes name one.
    fn is_held(&self, calls: &[GoldCall<'_>], at: usize) -> bool {
        let own: Vec<Leaf<'_>> = leaves("", calls[at].answer);
        let is_own = |value: &Value| own.iter().any(|leaf| leaf.value.equals(value) && self.can_tell(&calls[at], leaf));
        let later =
            calls.iter().filter(|call| call.step > calls[at].step).flat_map(|call| call.call.arguments.values());
        later.flat_map(|value| leaves("", value)).any(|leaf| is_specific(leaf.value) && is_own(leaf.value))
    }

    /// The plain values of a call's answer that the closing answer tells, and that nobody knew before.
    pub(super) fn told_of<'c>(&self, call: &GoldCall<'c>, closing: &Closing<'_>) -> Vec<Leaf<'c>> {
        if closing.text.is_empty() {
            return Vec::new();
        }
        let is_told = |leaf: &Leaf<'_>| closing.tells(leaf.value) && self.can_tell(call, leaf);
        leaves("", call.answer).into_iter().filter(is_told).collect()
    }

    /// Whether a value of a call's answer could answer something: the call itself and the request do not have it.
    fn can_tell(&self, call: &GoldCall<'_>, leaf: &Leaf<'_>) -> bool {
        let is_given = call.call.arguments.values().any(|value| value.equals(leaf.value));
        let is_said = leaf.value.as_str().is_some_and(|text| self.request.contains(text));
        let is_short = leaf.value.as_str().is_some_and(|text| text.chars().count() < 2);
        leaf.value.as_bool().is_none() && !is_given && !is_said && !is_short
    }
}

// The plain values of answers, each with the name of its field, and the items that they belong to.

/// A plain value with the name of the field that holds it; elements of a list have the list's name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf<'v> {
    pub name: &'v str,
    pub value: &'v Value,
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
    use super::super::testing::{Query, reasons};

    #[test]
    fn an_answer_that_tells_nothing_of_a_goal_is_incomplete() {
        let mut query = Query::inns();
        query.answer = "There you are.".to_owned();
        assert_eq!(reasons(&query), ["unanswered_goal"]);
        query.answer = "The Red Fox in Millbrook has rooms.".to_owned();
        assert_eq!(reasons(&query), [""; 0]);
        query.answer.clear();
        assert_eq!(reasons(&query), [""; 0], "there is no closing answer to be judged");
    }

    #[test]
    fn every_field_that_was_asked_for_is_told() {
        let mut query = Query::inns();
        query.details(r#"{"opens": "07:30", "closes": "22:15", "cards": ["visa", "amex"]}"#);
        query.goal_fields = vec![("Get_Inn", "data.opens"), ("Get_Inn", "data.closes")];
        query.answer = "The Red Fox opens at 07:30.".to_owned();
        assert_eq!(reasons(&query), ["unanswered_goal"]);
        query.answer = "The Red Fox opens at 07:30 and closes at 22:15.".to_owned();
        assert_eq!(reasons(&query), [""; 0]);
        query.goal_fields = vec![("Get_Inn", "data.cards.*")];
        query.answer = "It takes visa.".to_owned();
        assert_eq!(reasons(&query), ["unanswered_goal"], "each of a list is told");
        query.answer = "It takes visa and amex.".to_owned();
        assert_eq!(reasons(&query), [""; 0]);
    }

    #[test]
    fn what_the_answer_does_not_have_cannot_be_told() {
        let mut query = Query::inns();
        query.details(r#"{"cards": []}"#);
        query.goal_fields = vec![("Get_Inn", "data.cards.*")];
        query.answer = "It takes no cards.".to_owned();
        assert_eq!(reasons(&query), ["unanswered_goal"]);
    }
}

#[cfg(test)]
mod leaf_tests {
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
