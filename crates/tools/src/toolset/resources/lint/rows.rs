//! Resources: how one is called, whether it can be reached, and how its values are said.

use super::{Look, taken};
use crate::toolset::{Content, Field, Resource};
use fcgen_core::locale::right_script;

pub(super) fn lint(look: &mut Look<'_>) {
    let domain = look.domain;
    for resource in domain.resources.values() {
        lint_names(look, resource);
        lint_reach(look, resource);
    }
    for api in domain.apis.values() {
        for (name, slot) in &api.slots {
            lint_words(look, &api.tool, name, &slot.field);
        }
    }
}

fn lint_names(look: &mut Look<'_>, resource: &Resource) {
    let place = look.domain.qualified(&resource.name);
    if resource.shape.prefix().chars().count() < 2 {
        look.find(&place, format!("the prefix of the identifier `{}` has fewer than two letters", resource.shape));
    }
    if !(2..=5).contains(&resource.called.len()) {
        look.find(&place, format!("`called` has {} texts, expected two to five", resource.called.len()));
    }
    if !(2..=4).contains(&resource.again.len()) {
        look.find(&place, format!("`again` has {} texts, expected two to four", resource.again.len()));
    }
    if look.makes(&resource.name) && !(2..=4).contains(&resource.fresh.len()) {
        look.find(&place, format!("`fresh` has {} texts, expected two to four", resource.fresh.len()));
    }
}

fn lint_reach(look: &mut Look<'_>, resource: &Resource) {
    let found = look.domain.apis.values().any(|api| {
        let lists = api.operation.name() == "list" && api.resource == resource.name;
        let own = api.operation.names_row() && api.resource == resource.name;
        lists || (api.found().any(|(name, of)| of == resource.name && !(own && name == resource.parameter())))
    });
    let place = look.domain.qualified(&resource.name);
    if !found {
        look.find(&place, "is unreachable: no API finds, lists, creates or refers to it".to_owned());
    }
    if !taken(look.domain, &resource.name) {
        look.find(&place, "is unused: no API takes its identifier".to_owned());
    }
}

/// Listed values and booleans are said in words of the language.
fn lint_words(look: &mut Look<'_>, place: &str, name: &str, field: &Field) {
    let language = look.pack.language.clone();
    let foreign = |text: &str| language.as_ref().is_some_and(|language| !right_script(text, language, &[]));
    for (value, words) in &field.wordings {
        let own = words.len() == 1 && words.first() == Some(value);
        if words.is_empty() {
            look.find(place, format!("no wordings for `{value}` of `{name}`"));
        } else if own && matches!(field.content, Content::Listed(_)) && is_code(value, &foreign) {
            look.find(place, format!("no wordings for the listed value `{value}` of `{name}`"));
        }
    }
}

/// Whether a listed value is nothing that people say: a word of another language, or words that are tied together.
fn is_code(value: &str, foreign: &impl Fn(&str) -> bool) -> bool {
    let lower = value.chars().any(char::is_lowercase);
    let tied = value.contains(['_', '-']) || value.chars().skip(1).any(char::is_uppercase);
    lower && (tied || foreign(value))
}
