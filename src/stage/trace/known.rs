//! What is known of a parameter besides its schema: what the toolset declares of it.

use super::super::context::Context;
use crate::record::{Constraint, Parameter, Source, Tool, Value};
use crate::toolset::{Param, Toolset};
use std::borrow::Cow;

/// What is known of a parameter, or of a field of one.
pub(super) struct Known<'a> {
    pub(super) tool: &'a Tool,
    pub(super) name: &'a str,
    pub(super) parameter: Cow<'a, Parameter>,
    /// The answers that may hold its value.
    pub(super) sources: &'a [Source],
    param: Option<&'a Param>,
}

/// The day on which everything happens, where the toolset says.
pub(in crate::stage) fn today(context: &Context) -> String {
    context.toolset().world.as_ref().map(|world| world.today.clone()).unwrap_or_default()
}

impl<'a> Known<'a> {
    /// What is known of a tool's parameter.
    pub(super) fn new(toolset: &'a Toolset, tool: &'a Tool, name: &'a str) -> Self {
        let param = toolset.world.as_ref().and_then(|world| world.functions.get(&tool.name)?.parameters.get(name));
        let parameter = tool.parameters.properties.get(name).map_or_else(Cow::default, Cow::Borrowed);
        let sources = tool.from.get(name).map_or(&[][..], Vec::as_slice);
        Self { tool, name, parameter, sources, param }
    }

    /// What is known of a field of the objects in its list.
    pub(super) fn field(&self, name: &'a str) -> Known<'a> {
        let param = self.param.and_then(|param| param.fields.get(name));
        let sources = param.map_or(&[][..], |param| &param.from);
        let kind = param.map(|param| param.type_name.as_str().into());
        let parameter = Cow::Owned(Parameter { kind, ..Parameter::default() });
        Known { tool: self.tool, name, parameter, sources, param }
    }

    pub(super) fn constraint(&self) -> Option<Constraint> {
        self.param.and_then(|param| param.constraint)
    }

    /// The value that it has where it is left out.
    pub(super) fn default(&self) -> Option<Value> {
        let stated = || self.parameter.more.get("default").cloned().map(Value::from);
        self.param.and_then(|param| param.default.clone()).or_else(stated)
    }

    /// Whether its values are the service's own, so that one that stands in the request does so by chance.
    pub(super) fn is_handed_out(&self) -> bool {
        use Constraint::{Filter, Id, Key, Slug, SortBy, Token, Type};
        let own = [Filter, Id, Key, Slug, SortBy, Token, Type];
        let declared = self.constraint().is_some_and(|it| own.contains(&it));
        !self.sources.is_empty() && (declared || self.param.is_none() || self.param.is_some_and(|it| it.of.is_some()))
    }

    /// Whether nobody but the service can know its values.
    pub(super) fn is_secret(&self) -> bool {
        use Constraint::{Filter, Id, Key, Slug, Token};
        let sayable = self.constraint().is_some_and(|it| ![Filter, Id, Key, Slug, Token].contains(&it));
        self.is_handed_out() && !sayable
    }

    /// What people call a value that names a row of a table.
    pub(super) fn titles(&self, context: &'a Context, value: &Value) -> Vec<String> {
        let table = self.param.and_then(|param| param.of.as_deref());
        let world = context.domains().declared();
        let titles = world.zip(table).zip(value.as_str()).map(|((world, table), key)| world.titles(table, key));
        titles.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::silent;
    use super::super::testing::inn;
    use super::*;

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
