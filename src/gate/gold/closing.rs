//! Goals without an answer: a call that the request asks for, of whose answer the closing answer tells nothing, or not all
//! that was asked.

use super::leaf::{Leaf, leaves, values_at};
use super::{Fault, Gold, GoldCall};
use crate::gate::told::figures;
use crate::locale::{Language, Stand, numbers_in, value_stands};
use crate::record::{Number, Value};

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
        let goals = (0..calls.len()).filter(|at| !Self::feeds(calls, *at));
        goals.filter_map(|at| self.missing(&calls[at], closing)).collect()
    }

    fn missing(&self, call: &GoldCall<'_>, closing: &Closing<'_>) -> Option<Fault> {
        let name = &call.call.name;
        let fault = |detail: String| Some(Fault::new("unanswered_goal", detail));
        let Some(fields) = self.asked(call) else {
            let own = leaves("", call.answer).into_iter().any(|leaf| self.can_tell(call, &leaf));
            // What was done is done, whatever is told of it.
            if !own || self.changes.contains(name) || !self.told_of(call, closing).is_empty() {
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
