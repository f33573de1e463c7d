//! Numbers that follow from others: what is free of what there is, the instalment of a loan.

use super::domain::{Answer, Domain, Field, Formula};
use super::join::Join;
use super::structure::FieldText;
use indexmap::IndexMap;

type Fields<'a> = IndexMap<&'a str, &'a Field>;

impl Join<'_> {
    /// Checks that a number follows from what is there before it: an earlier field of the row, or what a call is given.
    pub(super) fn check_follows(&mut self, domain: &Domain) {
        let mut messages = Vec::new();
        let mut check = |place: String, field: &Field, before: &Fields<'_>| {
            let names = field.follows.iter().flat_map(|it| it.product.iter().chain(&it.over));
            let lost = names.filter(|name| !is_known(domain, name, before));
            messages.extend(lost.map(|name| format!("{place} follows from `{name}`, which is not defined before it")));
        };
        for resource in domain.resources.values() {
            let mut before = Fields::new();
            for (name, field) in &resource.fields {
                check(format!("field `{name}` of `{}`", resource.name), field, &before);
                before.insert(name, field);
            }
        }
        for api in domain.apis.values() {
            let own = domain.resources.get(&api.resource).into_iter().flat_map(|it| &it.fields);
            let slots = api.slots.iter().map(|(name, slot)| (name, &slot.field));
            let known: Fields<'_> = own.chain(slots.clone()).map(|(name, field)| (name.as_str(), field)).collect();
            let answers = api.answer.iter().filter_map(|(name, answer)| match answer {
                Answer::One(field) => Some((name, field)),
                Answer::Many(_) | Answer::Status => None,
            });
            for (name, field) in slots.chain(answers) {
                check(format!("`{name}` of `{}`", api.function()), field, &known);
            }
        }
        for message in messages {
            self.structure_fault(message);
        }
    }

    /// The numbers that a field's text says it follows from.
    pub(super) fn follows(&mut self, place: &str, structure: &FieldText, type_name: &str) -> Option<Formula> {
        let FieldText { follows, over, by, .. } = structure;
        let by = by.unwrap_or([1.0, 1.0]);
        if follows.is_empty() {
            if !over.is_empty() || structure.by.is_some() {
                self.structure_fault(format!("{place} has `over` or `by` but no `follows`"));
            }
            return None;
        }
        let is_same = follows.len() == 1 && over.is_empty() && structure.by.is_none();
        let is_number = matches!(type_name, "integer" | "number");
        if !(is_number || is_same) || by[0] > by[1] || by[0] <= 0.0 {
            self.structure_fault(format!("{place} has `follows` but is not a number, or its `by` is not a range"));
        }
        Some(Formula { product: follows.clone(), over: over.clone(), by })
    }
}

/// Whether a name is that of a field, or of a field of what one refers to.
fn is_known(domain: &Domain, name: &str, fields: &Fields<'_>) -> bool {
    let Some((own, further)) = name.split_once('.') else { return fields.contains_key(name) };
    let referred = fields.get(own).and_then(|field| domain.resources.get(field.content.reference()?));
    referred.is_some_and(|resource| resource.fields.contains_key(further))
}

#[cfg(test)]
mod tests {
    use crate::toolset::resources::testing::{bank, structure_faults};

    #[track_caller]
    fn faults(field: &str, expected: &[&str]) {
        let found = structure_faults("\"amount\"", field);
        let expected: Vec<String> = expected.iter().map(|it| format!("resources/cards.toml: {it}")).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_follows_is_a_number_of_what_is_there() {
        assert!(bank("en").resources.values().all(|it| it.fields.values().all(|field| field.follows.is_none())));
        let own = "{ kind = \"amount\", follows = [\"size\"], by = [0.1, 0.5] }";
        let lost = "follows from `size`, which is not defined before it";
        faults(own, &[&format!("field `limit` of `card` {lost}"), &format!("`limit` of `getLimit` {lost}")]);
        let message = "field `limit` of `card` has `follows` but is not a number, or its `by` is not a range";
        faults(
            "{ kind = \"amount\", follows = [\"limit.x\"], by = [2, 1] }",
            &[
                message,
                "field `limit` of `card` follows from `limit.x`, which is not defined before it",
                "`limit` of `getLimit` follows from `limit.x`, which is not defined before it",
            ],
        );
        faults("{ kind = \"amount\", by = [1, 2] }", &["field `limit` of `card` has `over` or `by` but no `follows`"]);
    }
}
