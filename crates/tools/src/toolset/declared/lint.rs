//! Looks a declared world over, as far as that goes without calling it.

use super::functions::function::{Declaration, Function, Param};
use crate::toolset::{Finding, Toolset};
use fcgen_core::locale::Pattern;
use fcgen_core::record::{Constraint, Sayings};
use indexmap::IndexMap;
use serde_json::Value as Json;

/// Everything that ought to be mended, domain by domain.
pub(in crate::toolset) fn lint(toolset: &Toolset) -> Vec<Finding> {
    let Some(world) = &toolset.world else { return Vec::new() };
    let mut findings = Vec::new();
    for domain in world.domains() {
        let category = toolset.categories.get(domain).cloned().unwrap_or_default();
        for (text, what) in [(&category.title, "title"), (&category.wanted, "scenario")] {
            if text.trim().is_empty() {
                findings.push(Finding::warning(domain, format!("has no `{what}`")));
            }
        }
    }
    for function in world.functions.values() {
        let mut find = |place: &str, finding: Finding| {
            let place = if place.is_empty() { function.name.clone() } else { format!("{}, {place}", function.name) };
            findings.push(Finding { place, ..finding });
        };
        lint_name(function, world, &mut find);
        lint_tells(function, &mut find);
        for (name, param) in &function.parameters {
            lint_parameter(name, param, toolset, &mut find);
            for (field, inner) in &param.fields {
                lint_parameter(&format!("{name}.{field}"), inner, toolset, &mut find);
            }
        }
    }
    findings.extend(lonely_groups(world));
    findings
}

/// Names are of one style, which the first function sets.
fn lint_name(function: &Function, world: &Declaration, find: &mut impl FnMut(&str, Finding)) {
    let Some(first) = world.functions.keys().next() else { return };
    let style =
        |name: &str| (name.contains('_'), name.contains('-'), name.starts_with(|letter: char| letter.is_uppercase()));
    if style(first) != style(&function.name) {
        find("", Finding::warning("", format!("the naming style differs from `{first}`")).in_structure());
    }
}

/// Whatever is told of an answer tells all that a request for it asks for.
fn lint_tells(function: &Function, find: &mut impl FnMut(&str, Finding)) {
    for text in &function.sayings.tells {
        let said = Pattern::parse(text).unwrap_or_default();
        let told: Vec<String> = said.needed().into_iter().flat_map(Sayings::paths).collect();
        let missing = function.goal_fields.iter().find(|field| !told.contains(field));
        if let Some(field) = missing {
            let message = format!("`{text}` does not include `{field}`, which a request asks for");
            find("tells", Finding::warning("", message));
        }
    }
}

fn lint_parameter(name: &str, param: &Param, toolset: &Toolset, find: &mut impl FnMut(&str, Finding)) {
    if param.description.trim().is_empty() {
        find(name, Finding::warning("", "the description is empty"));
    }
    let is_copied =
        matches!(param.constraint, Some(Constraint::Token | Constraint::Slug | Constraint::Key | Constraint::Id));
    if param.required && is_copied && param.from.is_empty() {
        let message = "has no source: no `from` names an answer that contains it";
        find(name, Finding::error("", message).in_structure());
    }
    for source in &param.from {
        let schema = toolset.tool(&source.tool).and_then(|tool| tool.returns.as_ref());
        let found = schema.and_then(|schema| type_at(schema, &source.field)).unwrap_or_default();
        let is_number = |name: &str| name == "number" || name == "integer";
        if !found.is_empty() && found != param.type_name && !(is_number(&param.type_name) && is_number(found)) {
            let (tool, field, wanted) = (&source.tool, &source.field, &param.type_name);
            let message = format!("has type {wanted}, but `{field}` of `{tool}` has type {found}");
            find(name, Finding::error("", message).in_structure());
        }
    }
}

/// The type that a schema states for what stands at a pointer.
fn type_at<'s>(schema: &'s Json, pointer: &str) -> Option<&'s str> {
    let step = |schema: &'s Json, part: &str| {
        schema.get("properties").and_then(|it| it.get(part)).or_else(|| schema.get("items"))
    };
    pointer.split('/').skip(1).try_fold(schema, step)?.get("type")?.as_str()
}

/// A group of one overlaps with nothing.
fn lonely_groups(world: &Declaration) -> Vec<Finding> {
    let mut groups: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for function in world.functions.values() {
        for group in &function.overlap {
            groups.entry(group).or_default().push(&function.name);
        }
    }
    let lonely = groups.into_iter().filter(|(_, members)| members.len() == 1);
    let finding = |(group, members): (&str, Vec<&str>)| {
        Finding::warning(members.concat(), format!("is the only member of the overlap group `{group}`")).in_structure()
    };
    lonely.map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::testing::{FOLDER, load_with};
    use std::sync::Arc;

    fn findings(old: &str, new: &str) -> Vec<String> {
        let toolset = load_with("world/inns.toml", old, new).unwrap();
        lint(&toolset).into_iter().map(|it| format!("{}: {}", it.place, it.message)).collect()
    }

    #[test]
    fn a_sound_world_has_no_findings() {
        assert_eq!(lint(&Toolset::load(crate::fixtures::assets(), FOLDER, "en").unwrap()), []);
        assert_eq!(lint(&Toolset::default()), []);
    }

    #[test]
    fn sources_are_there_and_of_one_type_with_what_they_feed() {
        assert_eq!(
            findings("of = \"bookings\", from = [\"Book_Inn: id\"], constraint", "of = \"bookings\", constraint"),
            [
                "Cancel_Booking, booking_id: has no source: no `from` names an answer that contains it",
                "Forget_Booking, booking_id: has no source: no `from` names an answer that contains it"
            ]
        );
        assert_eq!(
            findings("exact = true }\narrival", "exact = true, type = \"number\" }\narrival"),
            ["Search_Inns, town_id: has type number, but `/data/0/id` of `Find_Town` has type string"]
        );
    }

    #[test]
    fn what_is_told_of_an_answer_tells_all_that_is_asked() {
        let of = |fields: &str| findings("goal_fields = [\"built\"]", &format!("goal_fields = [{fields}]"));
        assert_eq!(of("\"card.name\", \"built\""), [""; 0]);
        assert_eq!(
            of("\"town\""),
            ["Get_Inn, tells: `{card.name} was built on {built}.` does not include `town`, which a request asks for"]
        );
    }

    #[test]
    fn groups_titles_and_names_are_looked_at() {
        assert_eq!(
            findings("forgiven = false\noverlap = [\"town\"]", "forgiven = false"),
            ["Find_Town: is the only member of the overlap group `town`"]
        );
        let mut toolset = Toolset::load(crate::fixtures::assets(), FOLDER, "en").unwrap();
        toolset.categories["inns"].title.clear();
        assert_eq!(lint(&toolset)[0].message, "has no `title`");
        let toolset = load_with("en/inns.toml", "\"Booking id.\"", "\" \"").unwrap();
        assert_eq!(lint(&toolset).len(), 0, "what is written out says the source");
    }

    #[test]
    fn names_are_of_one_style() {
        let rename = |name: &str| {
            let mut toolset = Toolset::load(crate::fixtures::assets(), FOLDER, "en").unwrap();
            let world = Arc::make_mut(toolset.world.as_mut().unwrap());
            world.functions["Get_Inn"].name = name.to_owned();
            lint(&toolset).into_iter().map(|it| format!("{}: {}", it.place, it.message)).collect::<Vec<_>>()
        };
        assert_eq!(rename("Get_Room"), [""; 0]);
        for name in ["get_inn", "GetInn", "Get-Inn"] {
            assert_eq!(rename(name), [format!("{name}: the naming style differs from `Find_Town`")]);
        }
    }

    #[test]
    fn a_schema_is_gone_through_by_a_pointer() {
        let schema = serde_json::json!({"properties": {"a": {"items": {"properties": {"b": {"type": "string"}}}}}, "type": "object"});
        assert_eq!((type_at(&schema, "/a/0/b"), type_at(&schema, "")), (Some("string"), Some("object")));
        assert_eq!((type_at(&schema, "/a"), type_at(&schema, "/c/d")), (None, None));
    }

    #[test]
    fn an_empty_description_is_found_where_it_is() {
        let mut toolset = Toolset::load(crate::fixtures::assets(), FOLDER, "en").unwrap();
        let world = Arc::make_mut(toolset.world.as_mut().unwrap());
        world.functions["Plan_Tour"].parameters["legs"].fields["day"].description.clear();
        let found: Vec<String> = lint(&toolset).into_iter().map(|it| format!("{}: {}", it.place, it.message)).collect();
        assert_eq!(found, ["Plan_Tour, legs.day: the description is empty"]);
    }
}
