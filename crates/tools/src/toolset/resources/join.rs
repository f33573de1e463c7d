//! Puts structure and text of one domain together, and names everything that does not fit.

use super::domain::{Content, Domain, Field, Resource, Saying};
use super::shape::Shape;
use super::source::Fault;
use super::structure::{FieldText, MatterText, ResourceText};
use super::text::{DomainText, Spoken, Wordings};
use fcgen_core::locale::{KindText, Pattern};
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// One domain while it is put together.
pub(super) struct Join<'a> {
    /// The domain's name.
    pub(super) name: &'a str,
    /// The file that says what the APIs are.
    pub(super) structure_path: &'a str,
    /// The file that says what people say.
    pub(super) text_path: &'a str,
    /// The resources.
    pub(super) structure: &'a IndexMap<String, ResourceText>,
    /// What people come with.
    pub(super) matters: &'a IndexMap<String, MatterText>,
    /// The value kinds of the locale and of the domain.
    pub(super) kinds: &'a IndexMap<String, KindText>,
    /// What does not fit.
    pub(super) faults: Vec<Fault>,
}

impl Join<'_> {
    /// The domain, as far as it fits together.
    pub(super) fn domain(&mut self, text: DomainText) -> Domain {
        let mut domain = Domain {
            name: self.name.to_owned(),
            title: text.title,
            scenario: text.scenario,
            worth: text.worth,
            ..Domain::default()
        };
        let mut spoken = text.resources;
        for (name, resource) in self.structure {
            match spoken.shift_remove(name) {
                Some(said) => self.add(&mut domain, name, resource, said),
                None => self.text_fault(format!("no text for the resource `{name}`")),
            }
        }
        for name in spoken.keys() {
            self.text_fault(format!("text for an unknown resource `{name}`"));
        }
        self.link_sources(&mut domain);
        self.check_days(&domain);
        self.check_follows(&domain);
        self.add_matters(&mut domain, text.matters);
        domain
    }

    /// A day that is `after` another one names a day of the same thing or call.
    fn check_days(&mut self, domain: &Domain) {
        let of_things = domain
            .resources
            .values()
            .flat_map(|it| it.fields.iter().map(move |(name, field)| (name, field, &it.fields)));
        let lost = of_things.filter_map(|(name, field, all)| {
            let (other, _) = field.after.as_ref().filter(|(other, _)| !all.get(other).is_some_and(|it| it.day))?;
            Some(format!("field `{name}` is after `{other}`, which is not a date field of the same resource"))
        });
        for message in lost.collect::<Vec<String>>() {
            self.structure_fault(message);
        }
    }

    fn add(&mut self, domain: &mut Domain, name: &str, resource: &ResourceText, mut said: Spoken) {
        let fields = self.fields(name, resource, &mut said);
        let place = |key: &str| format!("`{key}` of `{name}`");
        let joined = Resource {
            name: name.to_owned(),
            shape: self.shape(name, resource),
            rows: resource.rows,
            fields,
            called: self.sayings(&place("called"), &said.called, &["id"]),
            again: self.sayings(&place("again"), &said.again, &[]),
            fresh: self.sayings(&place("fresh"), &said.fresh, &[]),
            noun: said.noun.clone(),
        };
        for saying in joined.called.iter().filter(|saying| !saying.pattern.needed().contains(&"id")) {
            self.text_fault(format!("`called` of `{name}`: `{}` does not always contain `{{id}}`", saying.text));
        }
        if joined.called.is_empty() {
            self.text_fault(format!("`called` of `{name}` is empty"));
        }
        self.add_apis(domain, &joined, resource, said);
        domain.resources.insert(name.to_owned(), joined);
    }

    fn shape(&mut self, name: &str, resource: &ResourceText) -> Shape {
        let shape = Shape::new(&resource.id);
        if resource.rows == 0 || resource.rows.saturating_mul(4) > shape.capacity() {
            let message = format!("`{name}`: the shape `{shape}` is too narrow for {} rows", resource.rows);
            self.structure_fault(message);
        }
        shape
    }

    fn fields(&mut self, name: &str, resource: &ResourceText, said: &mut Spoken) -> IndexMap<String, Field> {
        let mut fields = IndexMap::new();
        for (field, structure) in &resource.fields {
            let place = format!("field `{field}` of `{name}`");
            if *field == format!("{name}Id") {
                self.structure_fault(format!("{place} has the same name as the identifier"));
            }
            let label = said.fields.shift_remove(field).unwrap_or_else(|| {
                self.text_fault(format!("no text for {place}"));
                String::new()
            });
            fields.insert(field.clone(), self.field(&place, field, structure, label, &said.wordings));
        }
        for field in said.fields.keys() {
            self.text_fault(format!("text for an unknown field `{field}` of `{name}`"));
        }
        fields
    }

    /// What a field or a parameter holds; a boolean where that cannot be told, so that nothing else is found amiss.
    pub(super) fn field(
        &mut self,
        place: &str,
        name: &str,
        structure: &FieldText,
        label: String,
        wordings: &Wordings,
    ) -> Field {
        let content = self.content(structure).and_then(|content| Ok((self.type_name(structure, &content)?, content)));
        let (type_name, content) = match content {
            Ok(known) => known,
            Err(message) => {
                self.structure_fault(format!("{place} {message}"));
                return Field { label, ..Field::default() };
            }
        };
        if structure.open && type_name != "string" {
            let message = format!("{place} is `open` but has type `{type_name}`; only strings can be free text");
            self.structure_fault(message);
        }
        let day = content.kind().and_then(|kind| self.kinds.get(kind)).is_some_and(KindText::is_of_days);
        let wordings = self.wordings(place, &content, wordings.get(name));
        let after = structure.after.clone().map(|other| (other, structure.days.unwrap_or([1, 14])));
        match &after {
            Some((_, [least, most])) if !day || least > most => {
                self.structure_fault(format!("{place} has `after` but is not a date, or its `days` is not a range"));
            }
            None if structure.days.is_some() => self.structure_fault(format!("{place} has `days` but no `after`")),
            _ => {}
        }
        let follows = self.follows(place, structure, &type_name);
        Field { label, content, type_name, day, wordings, after, follows }
    }

    fn content(&self, structure: &FieldText) -> Result<Content, String> {
        match (&structure.kind, &structure.of, &structure.values) {
            (Some(kind), None, None) if !self.kinds.contains_key(kind) => {
                Err(format!("has an unknown value kind `{kind}`"))
            }
            (Some(kind), None, None) => Ok(Content::Kind(kind.clone())),
            (None, Some(of), None) if !self.structure.contains_key(of) => {
                Err(format!("refers to an unknown resource `{of}`"))
            }
            (None, Some(of), None) => Ok(Content::Reference(of.clone())),
            (None, None, Some(values)) if values.is_empty() => Err("has an empty list of values".to_owned()),
            (None, None, Some(values)) if values.iter().collect::<BTreeSet<_>>().len() < values.len() => {
                Err("lists a value twice".to_owned())
            }
            (None, None, Some(values)) => Ok(Content::Listed(values.clone())),
            (None, None, None) if structure.type_name.as_deref() == Some("boolean") => Ok(Content::Boolean),
            (None, None, None) => Err("has neither a value kind, nor `of`, nor listed values".to_owned()),
            _ => Err("has more than one of a value kind, `of` and listed values".to_owned()),
        }
    }

    fn type_name(&self, structure: &FieldText, content: &Content) -> Result<String, String> {
        let own = content.kind().and_then(|kind| self.kinds.get(kind)).map_or("string", KindText::type_name);
        let stated = structure.type_name.as_deref();
        match (content, stated) {
            (Content::Boolean, _) => Ok("boolean".to_owned()),
            (_, None) => Ok(own.to_owned()),
            (_, Some("string")) => Ok("string".to_owned()),
            (Content::Kind(_), Some(number @ ("integer" | "number"))) if own == "integer" || own == number => {
                Ok(number.to_owned())
            }
            (_, Some(stated)) => Err(format!("has type `{stated}`, but values of type `{own}`")),
        }
    }

    fn wordings(
        &mut self,
        place: &str,
        content: &Content,
        said: Option<&IndexMap<String, Vec<String>>>,
    ) -> IndexMap<String, Vec<String>> {
        let values: Vec<String> = match content {
            Content::Listed(values) => values.clone(),
            Content::Boolean => vec!["true".to_owned(), "false".to_owned()],
            Content::Kind(_) | Content::Reference(_) => Vec::new(),
        };
        let unknown = said.into_iter().flat_map(IndexMap::keys).filter(|value| !values.contains(value));
        for value in unknown {
            self.text_fault(format!("wordings for `{value}`, which is not a listed value of {place}"));
        }
        let words = |value: &String| said.and_then(|said| said.get(value)).filter(|words| !words.is_empty()).cloned();
        let own = |value: &String| matches!(content, Content::Listed(_)).then(|| vec![value.clone()]);
        values.iter().map(|value| (value.clone(), words(value).or_else(|| own(value)).unwrap_or_default())).collect()
    }

    /// Patterns that say nothing but `slots`.
    pub(super) fn sayings(&mut self, place: &str, texts: &[String], slots: &[&str]) -> Vec<Saying> {
        let mut sayings = Vec::new();
        for text in texts {
            match Pattern::parse(text) {
                Err(error) => self.text_fault(format!("{place}: `{text}`: {error}")),
                Ok(pattern) => {
                    let unknown: BTreeSet<&str> =
                        pattern.slots().into_iter().filter(|slot| !slots.contains(slot)).collect();
                    for slot in unknown {
                        self.text_fault(format!("{place}: `{text}` contains `{slot}`, which is not available here"));
                    }
                    sayings.push(Saying { text: text.clone(), pattern });
                }
            }
        }
        sayings
    }

    pub(super) fn structure_fault(&mut self, message: String) {
        self.faults.push(Fault { path: self.structure_path.to_owned(), line: None, message });
    }

    pub(super) fn text_fault(&mut self, message: String) {
        self.faults.push(Fault { path: self.text_path.to_owned(), line: None, message });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::Toolset;
    use crate::toolset::resources::testing::{bank, structure_faults, text_faults};

    #[track_caller]
    fn structure(old: &str, new: &str, expected: &[&str]) {
        let faults: Vec<String> =
            structure_faults(old, new).into_iter().filter(|fault| fault.starts_with("resources/")).collect();
        let expected: Vec<String> = expected.iter().map(|it| format!("resources/cards.toml: {it}")).collect();
        assert_eq!(faults, expected);
    }

    #[track_caller]
    fn text(old: &str, new: &str, expected: &[&str]) {
        let expected: Vec<String> = expected.iter().map(|it| format!("en/cards.toml: {it}")).collect();
        assert_eq!(text_faults(old, new), expected);
    }

    #[test]
    fn the_fixture_is_joined() {
        let domain = bank("en");
        let account = &domain.resources["account"];
        assert_eq!((account.noun.as_str(), account.rows, account.called.len()), ("account", 24, 3));
        assert_eq!(account.fields["customerId"].content, Content::Reference("customer".to_owned()));
        assert_eq!(account.fields["balance"].type_name, "number");
        assert_eq!(account.fields["type"].wordings["checking"], ["checking", "everyday"]);
        assert_eq!(account.fields["type"].wordings["savings"], ["savings"], "said by itself");
        assert_eq!(account.fields["paperless"].wordings["false"], ["on paper", "printed"]);
        assert!(domain.resources["customer"].fields["birthDate"].day);
    }

    #[test]
    fn a_field_holds_one_thing_that_is_there() {
        let place = "field `limit` of `card`";
        structure("\"amount\"", "\"amuont\"", &[&format!("{place} has an unknown value kind `amuont`")]);
        structure("\"amount\"", "{ of = \"bill\" }", &[&format!("{place} refers to an unknown resource `bill`")]);
        structure("\"amount\"", "[]", &[&format!("{place} has an empty list of values")]);
        structure("\"amount\"", "[\"a\", \"a\"]", &[&format!("{place} lists a value twice")]);
        let message = format!("{place} has neither a value kind, nor `of`, nor listed values");
        structure("\"amount\"", "{ type = \"string\" }", &[&message]);
        let message = format!("{place} has more than one of a value kind, `of` and listed values");
        structure("\"amount\"", "{ kind = \"city\", of = \"card\" }", &[&message]);
    }

    #[test]
    fn a_type_fits_the_values() {
        let place = "field `limit` of `card`";
        let message = format!("{place} has type `integer`, but values of type `string`");
        structure("\"amount\"", "{ kind = \"city\", type = \"integer\" }", &[&message]);
        let message = format!("{place} has type `integer`, but values of type `number`");
        structure("\"amount\"", "{ kind = \"price\", type = \"integer\" }", &[&message]);
        let message = format!("{place} is `open` but has type `integer`; only strings can be free text");
        structure("\"amount\"", "{ kind = \"count\", open = true }", &[&message]);
    }

    #[test]
    fn a_shape_is_wide_enough_and_no_field_has_the_name_of_the_identifier() {
        structure("K####", "K#", &["`card`: the shape `K#` is too narrow for 5 rows"]);
        structure(
            "limit =",
            "cardId =",
            &[
                "field `cardId` of `card` has the same name as the identifier",
                "`getLimit` of `card`: unknown field `limit` of `card`",
            ],
        );
    }

    #[test]
    fn every_resource_and_field_has_text_and_nothing_else_has() {
        text("limit = \"limit\"\n", "", &["no text for field `limit` of `card`"]);
        text("limit =", "lmiit = \"x\"\nlimit =", &["text for an unknown field `lmiit` of `card`"]);
        let other = "[bill]\nnoun = \"b\"\ncalled = []\n[card]";
        text("[card]", other, &["text for an unknown resource `bill`"]);
        let faults = structure_faults("[card]\n", "[bill]\nid = \"B###\"\n[card]\n");
        assert_eq!(faults, ["en/cards.toml: no text for the resource `bill`"]);
    }

    #[test]
    fn patterns_are_read_and_say_what_they_may() {
        text(
            "card {id}",
            "card {id",
            &["`called` of `card`: `card {id`: `{` at character 6 is not closed", "`called` of `card` is empty"],
        );
        text("card {id}", "card", &["`called` of `card`: `card` does not always contain `{id}`"]);
        text(
            "[card.fields]",
            "again = [\"that {id}\"]\n[card.fields]",
            &["`again` of `card`: `that {id}` contains `id`, which is not available here"],
        );
    }

    #[test]
    fn wordings_are_those_of_listed_values() {
        let wordings = "[card.wordings.state]\nopne = [\"x\"]\n[card.tools.getLimit]";
        text(
            "[card.tools.getLimit]",
            wordings,
            &["wordings for `opne`, which is not a listed value of field `state` of `card`"],
        );
        let wordings = "[card.wordings.staet]\nopen = [\"x\"]\n[card.tools.getLimit]";
        text("[card.tools.getLimit]", wordings, &["wordings for an unknown field or parameter `staet` of `card`"]);
    }

    #[test]
    fn every_fault_is_said_at_once() {
        let error =
            Toolset::load(crate::fixtures::assets(), "tests/fixtures/toolsets/office", "xx").unwrap_err().to_string();
        assert_eq!(error, "toolset `office` has no text for locale `xx`; available: `en`, `ko`");
        let faults = structure_faults("\"amount\"\nstate = [\"open\", \"shut\"]", "\"x\"\nstate = \"y\"");
        assert_eq!(faults.len(), 2, "{faults:?}");
    }
}
