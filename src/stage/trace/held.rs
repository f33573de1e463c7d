//! Values in earlier answers, and several values as one argument.

use super::leaves::{is_telling, leaves, pattern};
use crate::record::{Argument, Origin, Source, Value};

/// An earlier call's answer.
#[derive(Clone, Copy)]
pub(in crate::stage) struct Answered<'a> {
    pub(in crate::stage) call: usize,
    pub(in crate::stage) tool: &'a str,
    pub(in crate::stage) answer: &'a Value,
}

/// Where an argument comes from, and the calls that it takes from.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::stage) struct Traced {
    pub(in crate::stage) argument: Argument,
    pub(in crate::stage) sources: Vec<usize>,
}

/// An argument of this origin, and nothing else known of it.
pub(super) fn of(origin: Origin) -> Argument {
    Argument { origin, ..Argument::default() }
}

/// A place in an earlier answer that is declared to hold such a value; of several the first.
pub(super) fn declared(sources: &[Source], value: &Value, earlier: &[Answered<'_>]) -> Option<Traced> {
    let is_source = |tool: &str, field: &str| sources.iter().any(|it| it.tool == tool && it.field == pattern(field));
    held(earlier, |tool, field, leaf| is_same(leaf, value) && is_source(tool, field))
}

/// A place that holds it without being declared for it: one of the same name, or a value that tells.
pub(super) fn undeclared(name: &str, value: &Value, earlier: &[Answered<'_>]) -> Option<Traced> {
    let named = |field: &str| field.rsplit('/').next() == Some(name);
    held(earlier, |_, field, leaf| is_same(leaf, value) && (named(field) || is_telling(value)))
}

/// Whether a value is that of an answer; a part of a text may be a number there.
fn is_same(leaf: &Value, value: &Value) -> bool {
    leaf.equals(value)
        || matches!((leaf, value), (Value::String(text), Value::Number(number)) if text == number.as_str())
}

fn held(earlier: &[Answered<'_>], accept: impl Fn(&str, &str, &Value) -> bool) -> Option<Traced> {
    earlier.iter().find_map(|it| {
        let found = leaves(it.answer).into_iter().find(|(field, leaf)| accept(it.tool, field, leaf));
        let answer = Origin::Answer { call: it.call, field: found?.0 };
        Some(Traced { argument: of(answer), sources: vec![it.call] })
    })
}

/// Several values as one argument: it is missing if one of them is, and comes from the last answer that one comes from.
pub(super) fn together(parts: impl Iterator<Item = Traced>) -> Traced {
    let mut whole: Option<Traced> = None;
    for part in parts {
        whole = Some(match whole {
            None => part,
            Some(whole) => whole.with(part),
        });
    }
    whole.unwrap_or_default()
}

impl Traced {
    /// An argument that takes from no call.
    pub(super) fn new(argument: Argument) -> Self {
        Self { argument, sources: Vec::new() }
    }

    fn with(mut self, other: Self) -> Self {
        self.sources.extend(other.sources);
        self.sources.sort_unstable();
        self.sources.dedup();
        let (one, two) = (self.argument, other.argument);
        let surfaces: Vec<String> = one.surface.into_iter().chain(two.surface).collect();
        let origin = if rank(&one.origin) >= rank(&two.origin) { one.origin } else { two.origin };
        let surface = (!surfaces.is_empty()).then(|| surfaces.join(", "));
        Self { argument: Argument { surface, origin, constraint: None }, sources: self.sources }
    }
}

/// How far an origin is from the letters of the request.
fn rank(origin: &Origin) -> (u8, usize) {
    match origin {
        Origin::Verbatim | Origin::Open => (0, 0),
        Origin::Normalised => (1, 0),
        Origin::Default => (2, 0),
        Origin::Enum => (3, 0),
        Origin::Inferred => (4, 0),
        Origin::Answer { call, .. } | Origin::Derived { call, .. } => (5, *call),
        Origin::Missing => (6, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: &str) -> Value {
        Value::read(json).unwrap()
    }

    #[test]
    fn a_declared_place_goes_before_an_earlier_one_that_is_not() {
        let (one, two) = (value(r#"{"seen": "H-4821"}"#), value(r#"{"list": [{"id": "H-1"}, {"id": "H-4821"}]}"#));
        let earlier = [Answered { call: 0, tool: "a", answer: &one }, Answered { call: 1, tool: "b", answer: &two }];
        let sources = [Source { tool: "b".to_owned(), field: "/list/0/id".to_owned() }];
        let found = declared(&sources, &"H-4821".into(), &earlier).unwrap();
        assert_eq!(
            (found.sources, found.argument.origin),
            (vec![1], Origin::Answer { call: 1, field: "/list/1/id".to_owned() })
        );
        assert_eq!(undeclared("x", &"H-4821".into(), &earlier).unwrap().sources, [0]);
        assert!(undeclared("x", &"H-".into(), &earlier).is_none() && declared(&[], &"H-1".into(), &earlier).is_none());
    }

    #[test]
    fn small_values_need_a_place_of_the_same_name() {
        let answer = value(r#"{"rooms": 3, "type": "city", "key": "17"}"#);
        let earlier = [Answered { call: 0, tool: "a", answer: &answer }];
        assert!(
            undeclared("rooms", &3.into(), &earlier).is_some() && undeclared("guests", &3.into(), &earlier).is_none()
        );
        assert!(undeclared("key", &17.into(), &earlier).is_some(), "a part of a text was read as a number");
    }

    #[test]
    fn of_several_values_the_one_furthest_from_the_request_tells() {
        let answer = |call| Traced { argument: of(Origin::Answer { call, field: String::new() }), sources: vec![call] };
        let said = |words: &str| Traced::new(Argument { surface: Some(words.to_owned()), ..of(Origin::Verbatim) });
        let whole = together([answer(4), said("one"), answer(2), said("two")].into_iter());
        assert_eq!((whole.sources, whole.argument.surface.as_deref()), (vec![2, 4], Some("one, two")));
        assert_eq!(whole.argument.origin, Origin::Answer { call: 4, field: String::new() });
        let broken = together([Traced::new(of(Origin::Missing)), answer(1)].into_iter());
        assert_eq!(broken.argument.origin, Origin::Missing);
    }
}
