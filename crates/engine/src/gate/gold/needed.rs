//! Calls that are not needed: every field that is wanted of their answers stands already in an earlier answer about the
//! same thing, or in the request.

use super::closing::{Closing, Leaf, is_specific, item_leaves, leaves, lists, top_leaves, values_at};
use super::{Fault, Gold, GoldCall};
use crate::gate::pointed;
use crate::record::{Argument, Origin, Value};

impl Gold<'_> {
    pub(super) fn needless(&self, calls: &[GoldCall<'_>], closing: &Closing<'_>) -> Option<Fault> {
        (0..calls.len()).find_map(|at| {
            let call = &calls[at];
            let needed = self.needed(calls, at, closing);
            if needed.is_empty() || self.changes.contains(&call.call.name) {
                return None;
            }
            let unsaid: Vec<Leaf<'_>> = needed.iter().filter(|leaf| !self.is_in_request(leaf)).copied().collect();
            let source = if unsaid.is_empty() {
                "the request says".to_owned()
            } else {
                // Of calls made together, one is enough where another one about the same thing has it all; lookups are
                // made for the functions that name them.
                let is_before =
                    |it: &GoldCall<'_>| it.step < call.step || it.step == call.step && call.sources().next().is_some();
                let others = calls.iter().filter(|it| !std::ptr::eq(*it, call) && is_before(it));
                let earlier = others.into_iter().find(|it| tells(it, call, &unsaid))?;
                format!("the answer of `{}` has", earlier.call.name)
            };
            let names: Vec<&str> = needed.iter().map(|leaf| leaf.name).collect();
            let detail = format!("`{}` is called for {}, which {source} already", call.call.name, names.join(", "));
            Some(Fault::new("needless_call", detail))
        })
    }

    /// What is wanted of a call's answer: what later calls take from it, and what answers the request.
    fn needed<'c>(&self, calls: &[GoldCall<'c>], at: usize, closing: &Closing<'_>) -> Vec<Leaf<'c>> {
        let call = &calls[at];
        let fed = calls.iter().flat_map(GoldCall::sources).filter(|(from, _)| *from == at);
        let mut needed: Vec<Leaf<'c>> = fed
            .filter_map(|(_, field)| {
                let name = field.rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap_or_default();
                Some(leaves(name, pointed(call.answer, field)?))
            })
            .flatten()
            .collect();
        let is_goal = needed.is_empty();
        match self.asked(call).filter(|_| is_goal) {
            Some(fields) => needed.extend(fields.iter().flat_map(|path| {
                let values = values_at(call.answer, path);
                let name = name_of(call, path);
                values.into_iter().flat_map(move |value| leaves(name, value))
            })),
            None => needed.extend(self.told_of(call, closing)),
        }
        needed
    }

    fn is_in_request(&self, leaf: &Leaf<'_>) -> bool {
        let text = leaf.value.as_str().map_or_else(|| leaf.value.to_string(), str::to_owned);
        is_specific(leaf.value) && self.request.contains(&text)
    }
}

/// The name of the field at the end of a path, as the answer's own letters have it.
fn name_of<'c>(call: &GoldCall<'c>, path: &str) -> &'c str {
    let name = path.rsplit('.').find(|name| *name != "*").unwrap_or_default();
    leaves("", call.answer).into_iter().find(|leaf| leaf.name == name).map_or("", |leaf| leaf.name)
}

/// Whether an earlier answer has all the values, in one of its items or outside of its items, and is about the same thing
/// as the call.
fn tells(earlier: &GoldCall<'_>, call: &GoldCall<'_>, needed: &[Leaf<'_>]) -> bool {
    let top = top_leaves(earlier.answer);
    let items = lists(earlier.answer).into_iter().flatten().map(item_leaves);
    std::iter::once(Vec::new()).chain(items).any(|item| {
        let holds = |leaf: &Leaf<'_>| item.iter().chain(&top).any(|own| own.is_same(leaf));
        needed.iter().all(holds)
            && is_about(earlier, call, &|value| item.iter().chain(&top).any(|own| own.value.equals(value)))
    })
}

/// Whether what a call is about is what an earlier one was about: everything that its arguments take from answers stands
/// there, or was given to that call. Where nothing is taken, one of the values that the request says must.
fn is_about(earlier: &GoldCall<'_>, call: &GoldCall<'_>, holds: &dyn Fn(&Value) -> bool) -> bool {
    let given = |value: &Value| earlier.call.arguments.values().any(|own| own.equals(value));
    let is_shared = |value: &Value| holds(value) || given(value);
    let is_taken =
        |name: &str| call.notes.and_then(|notes| notes.get(name)).is_some_and(|note| note.origin.answer().is_some());
    let (taken, said): (Vec<_>, Vec<_>) = call.call.arguments.iter().partition(|(name, _)| is_taken(name));
    if taken.is_empty() {
        return said.iter().any(|(_, value)| is_specific(value) && is_shared(value));
    }
    taken.iter().all(|(_, value)| is_shared(value))
}

// Arguments that nobody said: a default written out, or a value without any source.

impl Gold<'_> {
    /// Arguments of which neither the request nor an earlier answer says anything.
    pub(super) fn unsaid(&self, calls: &[GoldCall<'_>]) -> Vec<Fault> {
        let of = |call: &GoldCall<'_>| -> Vec<Fault> {
            let arguments = call.call.arguments.iter();
            let noted = arguments.filter_map(|(name, value)| Some((name, value, call.notes?.get(name)?)));
            let unsaid = noted.filter(|(name, value, note)| self.is_unsaid(call, (name, value), note));
            let fault = |(name, value, note): (&String, &Value, &Argument)| {
                let why = if note.origin == Origin::Missing { "it comes from nowhere" } else { "it is a default" };
                let detail = format!("nobody says {name} = {value} of `{}`: {why}", call.call.name);
                Fault::new("unsaid_argument", detail)
            };
            unsaid.map(fault).collect()
        };
        calls.iter().flat_map(of).collect()
    }

    fn is_unsaid(&self, call: &GoldCall<'_>, (name, value): (&str, &Value), note: &Argument) -> bool {
        match note.origin {
            Origin::Default | Origin::Missing => true,
            Origin::Answer { .. } | Origin::Derived { .. } | Origin::Open => false,
            _ => {
                let is_said = note.surface.as_deref().is_some_and(|words| says(self.request, words));
                !is_said && self.is_default(call, name, value) && !stands(self.request, value)
            }
        }
    }

    fn is_default(&self, call: &GoldCall<'_>, name: &str, value: &Value) -> bool {
        let tool = self.tools.iter().find(|tool| tool.name == call.call.name);
        let default = tool.and_then(|tool| tool.parameters.properties.get(name)?.more.get("default").cloned());
        default.is_some_and(|default| Value::from(default).equals(value))
    }
}

/// Whether the request has these words; those of several values have commas between.
fn says(request: &str, words: &str) -> bool {
    !words.is_empty() && (request.contains(words) || words.split(", ").all(|part| request.contains(part)))
}

fn stands(request: &str, value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty() && request.contains(text))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Query, reasons};

    #[test]
    fn a_call_for_what_the_search_told_already_is_needless() {
        let mut query = Query::inns();
        query.details(r#"{"name": "The Red Fox", "total": 240.5, "stars": 4, "garden": "walled garden"}"#);
        query.answer = "The Red Fox comes to 240.5.".to_owned();
        assert_eq!(reasons(&query), ["needless_call"]);
        query.answer = "The Red Fox has a walled garden.".to_owned();
        assert_eq!(reasons(&query), [""; 0], "only the details tell of the garden");
    }

    #[test]
    fn declared_fields_say_what_is_wanted() {
        let mut query = Query::inns();
        query.details(r#"{"name": "The Red Fox", "total": 240.5, "stars": 4, "garden": "walled garden"}"#);
        query.goal_fields = vec![("Get_Inn", "data.stars")];
        query.answer = "The Red Fox has 4 stars.".to_owned();
        assert_eq!(reasons(&query), ["needless_call"]);
        query.goal_fields = vec![("Get_Inn", "data.stars"), ("Get_Inn", "data.garden")];
        query.answer = "The Red Fox has 4 stars and a walled garden.".to_owned();
        assert_eq!(reasons(&query), [""; 0]);
    }

    #[test]
    fn a_value_that_a_later_call_takes_may_stand_in_an_earlier_answer() {
        let mut query = Query::inns();
        query.details(r#"{"token": "tok-red-fox-1", "garden": "walled garden"}"#);
        query.step("Book_Inn", r#"{"offer": "tok-red-fox-1"}"#, r#"{"data": {"booking": "BK7781"}}"#);
        query.note(3, "offer", r#"{"origin": {"answer": {"call": 2, "field": "/data/token"}}}"#);
        query.answer = "It is booked as BK7781.".to_owned();
        assert_eq!(reasons(&query), ["needless_call"], "the search gave the token");
        query.steps[2].answers[0] = crate::record::Value::read(r#"{"data": {"token": "tok-deal-9"}}"#).unwrap();
        query.steps[3].calls[0].arguments.insert("offer".to_owned(), "tok-deal-9".into());
        assert_eq!(reasons(&query), [""; 0]);
    }

    #[test]
    fn of_two_calls_made_together_one_is_enough() {
        let mut query = Query::inns();
        query.details(r#"{"garden": "walled garden", "opens": "07:30"}"#);
        query.beside("Get_Garden", r#"{"token": "tok-red-fox-1"}"#, r#"{"data": {"garden": "walled garden"}}"#);
        query.goal_fields = vec![("Get_Inn", "data.opens"), ("Get_Garden", "data.garden")];
        query.answer = "It opens at 07:30 and has a walled garden.".to_owned();
        assert_eq!(reasons(&query), ["needless_call"]);
        query.steps[2].answers[0] = crate::record::Value::read(r#"{"data": {"opens": "07:30"}}"#).unwrap();
        assert_eq!(reasons(&query), [""; 0]);
    }

    #[test]
    fn what_was_told_of_another_thing_is_no_source() {
        let mut query = Query::inns();
        query.details(r#"{"stars": 3}"#);
        query.goal_fields = vec![("Get_Inn", "data.stars")];
        query.answer = "It has 3 stars.".to_owned();
        assert_eq!(reasons(&query), [""; 0], "the inn with three stars is another one");
    }

    #[test]
    fn a_call_that_changes_something_is_needed() {
        let mut query = Query::inns();
        query.step("Book_Inn", r#"{"offer": "tok-red-fox-1"}"#, r#"{"data": {"name": "The Red Fox"}}"#);
        query.note(2, "offer", r#"{"origin": {"answer": {"call": 1, "field": "/data/inns/0/token"}}}"#);
        query.answer = "The Red Fox is booked.".to_owned();
        assert_eq!(reasons(&query), [""; 0]);
        query.changes.clear();
        assert_eq!(reasons(&query), ["needless_call"]);
    }

    #[test]
    fn what_the_request_says_needs_no_call() {
        let mut query = Query::inns();
        query.request = "Rooms at The Red Fox (tok-red-fox-1) in Millbrook?".to_owned();
        query.step("Get_Inn", r#"{"token": "tok-red-fox-1"}"#, r#"{"data": {"garden": "walled garden"}}"#);
        query.note(2, "token", r#"{"origin": {"answer": {"call": 1, "field": "/data/inns/0/token"}}}"#);
        query.answer = "The Red Fox has a walled garden.".to_owned();
        assert_eq!(reasons(&query), ["needless_call"]);
    }
}

#[cfg(test)]
mod arguments_tests {
    use super::super::testing::{Query, reasons};

    #[test]
    fn a_default_that_nobody_says_is_a_fault() {
        let mut query = Query::inns();
        query.argument(1, "currency", "\"USD\"", r#"{"origin": "default"}"#);
        assert_eq!(reasons(&query), ["unsaid_argument"]);
        query.argument(1, "currency", "\"USD\"", r#"{"origin": "enum"}"#);
        assert_eq!(reasons(&query), ["unsaid_argument"], "it is the default, and no words say it");
        query.argument(1, "currency", "\"EUR\"", r#"{"origin": "missing"}"#);
        assert_eq!(reasons(&query), ["unsaid_argument"]);
    }

    #[test]
    fn a_default_that_the_request_says_is_none() {
        let mut query = Query::inns();
        query.argument(1, "currency", "\"USD\"", r#"{"origin": "enum", "surface": "in dollars"}"#);
        assert_eq!(reasons(&query), ["unsaid_argument"]);
        query.request.push_str(" Show prices in dollars.");
        assert_eq!(reasons(&query), [""; 0]);
    }

    #[test]
    fn values_of_earlier_answers_are_said_by_them() {
        let mut query = Query::inns();
        query.argument(1, "currency", "\"USD\"", r#"{"origin": {"answer": {"call": 0, "field": "/data/0/currency"}}}"#);
        assert_eq!(reasons(&query), [""; 0]);
    }
}
