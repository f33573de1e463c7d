//! Values in earlier answers, and several values as one argument.

use super::steps::{is_telling, leaves, pattern};
use crate::record::{Argument, Constraint, Origin, Parameter, Source, Tool, Value};
use crate::stage::context::Context;
use crate::toolset::{Param, Toolset};
use std::borrow::Cow;

/// An earlier call's answer.
#[derive(Clone, Copy)]
pub(crate) struct Answered<'a> {
    pub call: usize,
    pub tool: &'a str,
    pub answer: &'a Value,
}

/// Where an argument comes from, and the calls that it takes from.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Traced {
    pub argument: Argument,
    pub sources: Vec<usize>,
}

/// An argument of this origin, and nothing else known of it.
pub(crate) fn of(origin: Origin) -> Argument {
    Argument { origin, ..Argument::default() }
}

/// A place in an earlier answer that is declared to hold such a value; of several the first.
pub(crate) fn declared(sources: &[Source], value: &Value, earlier: &[Answered<'_>]) -> Option<Traced> {
    let is_source = |tool: &str, field: &str| sources.iter().any(|it| it.tool == tool && it.field == pattern(field));
    held(earlier, |tool, field, leaf| is_same(leaf, value) && is_source(tool, field))
}

/// A place that holds it without being declared for it: one of the same name, or a value that tells.
pub(crate) fn undeclared(name: &str, value: &Value, earlier: &[Answered<'_>]) -> Option<Traced> {
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
pub(crate) fn together(parts: impl Iterator<Item = Traced>) -> Traced {
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
    pub(crate) fn new(argument: Argument) -> Self {
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

// What is known of a parameter besides its schema: what the toolset declares of it.

/// What is known of a parameter, or of a field of one.
pub(crate) struct Known<'a> {
    pub tool: &'a Tool,
    pub name: &'a str,
    pub parameter: Cow<'a, Parameter>,
    /// The answers that may hold its value.
    pub sources: &'a [Source],
    param: Option<&'a Param>,
}

/// The day on which everything happens, where the toolset says.
pub(crate) fn today(context: &Context) -> String {
    context.toolset().world.as_ref().map(|world| world.today.clone()).unwrap_or_default()
}

impl<'a> Known<'a> {
    /// What is known of a tool's parameter.
    pub(crate) fn new(toolset: &'a Toolset, tool: &'a Tool, name: &'a str) -> Self {
        let param = toolset.world.as_ref().and_then(|world| world.functions.get(&tool.name)?.parameters.get(name));
        let parameter = tool.parameters.properties.get(name).map_or_else(Cow::default, Cow::Borrowed);
        let sources = tool.from.get(name).map_or(&[][..], Vec::as_slice);
        Self { tool, name, parameter, sources, param }
    }

    /// What is known of a field of the objects in its list.
    pub(crate) fn field(&self, name: &'a str) -> Known<'a> {
        let param = self.param.and_then(|param| param.fields.get(name));
        let sources = param.map_or(&[][..], |param| &param.from);
        let kind = param.map(|param| param.type_name.as_str().into());
        let parameter = Cow::Owned(Parameter { kind, ..Parameter::default() });
        Known { tool: self.tool, name, parameter, sources, param }
    }

    pub(crate) fn constraint(&self) -> Option<Constraint> {
        self.param.and_then(|param| param.constraint)
    }

    /// The value that it has where it is left out.
    pub(crate) fn default(&self) -> Option<Value> {
        let stated = || self.parameter.more.get("default").cloned().map(Value::from);
        self.param.and_then(|param| param.default.clone()).or_else(stated)
    }

    /// Whether its values are the service's own, so that one that stands in the request does so by chance.
    pub(crate) fn is_handed_out(&self) -> bool {
        use Constraint::{Filter, Id, Key, Slug, SortBy, Token, Type};
        let own = [Filter, Id, Key, Slug, SortBy, Token, Type];
        let declared = self.constraint().is_some_and(|it| own.contains(&it));
        !self.sources.is_empty() && (declared || self.param.is_none() || self.param.is_some_and(|it| it.of.is_some()))
    }

    /// Whether nobody but the service can know its values.
    pub(crate) fn is_secret(&self) -> bool {
        use Constraint::{Filter, Id, Key, Slug, Token};
        let sayable = self.constraint().is_some_and(|it| ![Filter, Id, Key, Slug, Token].contains(&it));
        self.is_handed_out() && !sayable
    }

    /// What people call a value that names a row of a table.
    pub(crate) fn titles(&self, context: &'a Context, value: &Value) -> Vec<String> {
        let table = self.param.and_then(|param| param.of.as_deref());
        let world = context.domains().declared();
        let titles = world.zip(table).zip(value.as_str()).map(|((world, table), key)| world.titles(table, key));
        titles.unwrap_or_default()
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

#[cfg(test)]
mod known_tests {
    use super::super::testing::inn;
    use super::*;
    use crate::stage::testing::silent;

    #[test]
    fn what_is_declared_of_a_parameter_is_known() {
        let context = inn(silent());
        let toolset = context.toolset();
        let search = toolset.tool("Search_Inns").unwrap();
        let known = |name| Known::new(toolset, search, name);
        assert_eq!(today(&context), "2024-10-13");
        assert_eq!((known("town_id").constraint(), known("guests").default()), (Some(Constraint::Id), Some(2.into())));
        assert!(
            known("town_id").is_handed_out() && !known("sort").is_handed_out() && !known("arrival").is_handed_out()
        );
        assert!(known("town_id").is_secret() && !known("sort").is_secret());
        assert_eq!(known("town_id").titles(&context, &"T2".into()), ["Greyford"]);
        assert!(known("guests").titles(&context, &2.into()).is_empty());
    }

    #[test]
    fn fields_of_listed_objects_have_sources_of_their_own() {
        let context = inn(silent());
        let tour = context.toolset().tool("Plan_Tour").unwrap();
        let legs = Known::new(context.toolset(), tour, "legs");
        assert_eq!(legs.field("town_id").sources[0].tool, "Find_Town");
        assert_eq!((legs.field("day").sources.len(), legs.field("none").parameter.type_name()), (0, "string"));
    }

    #[test]
    fn of_tools_that_people_bring_the_schema_tells_the_default() {
        let tool: Tool = serde_json::from_str(
            r#"{"name": "f", "parameters": {"properties": {"n": {"type": "number", "default": 3}}, "required": []}}"#,
        )
        .unwrap();
        let context = silent();
        let known = Known::new(context.toolset(), &tool, "n");
        assert_eq!((known.default(), known.is_handed_out(), today(&context)), (Some(3.into()), false, String::new()));
    }
}
