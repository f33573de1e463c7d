//! Which one item of an answer people mean.

use super::super::functions::quality::Choice;
use super::reader::{Reader, Text};
use super::template::Node;
use serde::Deserialize;
use toml::Spanned;

/// One way of meaning one item of an answer's list.
#[derive(Debug, Clone, PartialEq)]
pub struct Pick {
    /// JSON pointer to an item in the whole answer; `0` stands for each of a list.
    pub item: String,
    /// What makes it the one.
    pub by: Criterion,
}

/// What makes an item the one that is meant. Fields are JSON pointers within the item.
#[derive(Debug, Clone, PartialEq)]
pub enum Criterion {
    /// The least number in a field.
    Least(String),
    /// The greatest number in a field.
    Most(String),
    /// It comes first.
    First,
    /// The request says the text of a field.
    Named(String),
    /// One of the fields is what the call asked for by an argument.
    Asked {
        /// The fields.
        fields: Vec<String>,
        /// The argument.
        argument: String,
    },
    /// One of two items: the first if it has a quality, and the other if not.
    Chosen(Box<Choice>),
}

/// A pick as a file writes it; exactly one of `least`, `most`, `first`, `named` and `asked` is there.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct PickText {
    list: Option<Text>,
    least: Option<Text>,
    most: Option<Text>,
    first: bool,
    named: Option<Text>,
    asked: Vec<Text>,
    by: Option<Text>,
}

impl Reader<'_> {
    /// Checks a pick against the answer it picks from; `place` is where the data stand in the whole answer.
    pub(crate) fn pick(
        &mut self,
        text: &Spanned<PickText>,
        give: &Node,
        parameters: &[&str],
        place: &str,
    ) -> Option<Pick> {
        let given = text.get_ref();
        let path = given.list.as_ref().map_or("", |list| list.get_ref().as_str());
        let list = format!("{path}[]");
        let Some((_, pointer)) = give.at(&list) else {
            let span = given.list.as_ref().map_or(text.span(), Text::span);
            self.fault(span, format!("no list `{path}` in the answer"));
            return None;
        };
        let mut criteria = Vec::new();
        for (field, make) in [
            (&given.least, Criterion::Least as fn(String) -> Criterion),
            (&given.most, Criterion::Most),
            (&given.named, Criterion::Named),
        ] {
            criteria.extend(field.as_ref().and_then(|field| Some(make(self.field(field, &list, &pointer, give)?))));
        }
        criteria.extend(given.first.then_some(Criterion::First));
        if !given.asked.is_empty() {
            let fields = given.asked.iter().filter_map(|field| self.field(field, &list, &pointer, give)).collect();
            let argument = given.by.as_ref().map(|it| it.get_ref().clone()).unwrap_or_default();
            if !parameters.contains(&argument.as_str()) {
                let span = given.by.as_ref().map_or(text.span(), Text::span);
                self.unknown(span, "parameter", &argument, parameters);
            }
            criteria.push(Criterion::Asked { fields, argument });
        }
        match <[Criterion; 1]>::try_from(criteria) {
            Ok([by]) => Some(Pick { item: format!("{place}{pointer}"), by }),
            Err(found) => {
                let message = "expected exactly one of `least`, `most`, `first`, `named` and `asked`";
                self.fault(text.span(), format!("{message}, found {}", found.len()));
                None
            }
        }
    }

    /// The pointer to a field of an item, from the item on.
    pub(crate) fn field(&mut self, field: &Text, list: &str, item: &str, give: &Node) -> Option<String> {
        let found = give.at(&format!("{list}.{}", field.get_ref())).map(|(_, pointer)| pointer);
        if found.is_none() {
            self.fault(field.span(), format!("no `{}` in the items of `{list}`", field.get_ref()));
        }
        Some(found?.strip_prefix(item)?.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::testing::{inn, world_faults};

    #[test]
    fn a_pick_leads_to_an_item_and_its_field() {
        let world = inn("en");
        let picks = &world.functions["Search_Inns"].picks;
        assert_eq!(
            picks["cheapest"],
            Pick { item: "/data/inns/0".to_owned(), by: Criterion::Least("/total".to_owned()) }
        );
        let asked = &world.functions["Find_Town"].picks["asked"];
        assert_eq!(asked.item, "/data/0");
        assert_eq!(asked.by, Criterion::Asked { fields: vec!["/name".to_owned()], argument: "query".to_owned() });
    }

    #[test]
    fn what_is_not_in_the_answer_is_told() {
        let old = "cheapest = { list = \"inns\", least = \"total\" }";
        for (new, told) in [
            ("cheapest = { list = \"hotels\", least = \"total\" }", "no list `hotels` in the answer"),
            ("cheapest = { list = \"inns\", least = \"totl\" }", "no `totl` in the items of `inns[]`"),
            (
                "cheapest = { list = \"inns\" }",
                "expected exactly one of `least`, `most`, `first`, `named` and `asked`, found 0",
            ),
            ("cheapest = { list = \"inns\", first = true, most = \"total\" }", "found 2"),
            ("cheapest = { list = \"inns\", asked = [\"id\"], by = \"twon\" }", "unknown parameter `twon`"),
        ] {
            let faults = world_faults(old, new);
            assert!(faults.iter().any(|fault| fault.contains(told)), "{told}: {faults:?}");
        }
    }
}
