//! The names that an expression may use in its place, and what is known of their fields.

use std::collections::{BTreeMap, BTreeSet};

/// Names in scope; `None` for the fields of one of which nothing is known.
#[derive(Debug, Clone, Default)]
pub(super) struct Names(BTreeMap<String, Option<BTreeSet<String>>>);

impl Names {
    /// These names and another, of whose fields nothing is known.
    #[must_use]
    pub(super) fn with(&self, name: &str) -> Self {
        let mut names = self.clone();
        names.0.insert(name.to_owned(), None);
        names
    }

    /// Adds a name of whose fields nothing is known.
    pub(super) fn add(&mut self, name: &str) {
        self.0.insert(name.to_owned(), None);
    }

    /// Adds a name that is known by the fields of another, as far as they are known.
    pub(super) fn add_like(&mut self, name: &str, other: &str) {
        let fields = self.0.get(other).cloned().flatten();
        self.0.insert(name.to_owned(), fields);
    }

    /// Adds a name with its fields.
    pub(super) fn add_fields(&mut self, name: &str, fields: impl IntoIterator<Item = String>) {
        self.0.insert(name.to_owned(), Some(fields.into_iter().collect()));
    }

    /// Adds a field to those of a name.
    pub(super) fn add_field(&mut self, name: &str, field: &str) {
        if let Some(Some(fields)) = self.0.get_mut(name) {
            fields.insert(field.to_owned());
        }
    }

    /// The fields of a name, where they are known.
    pub(super) fn fields(&self, name: &str) -> Option<&BTreeSet<String>> {
        self.0.get(name)?.as_ref()
    }

    /// The names.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// What is missing of `name` or `name.field`: the missing word, and the words that might have been meant.
    pub(super) fn missing<'a>(&'a self, want: &'a str) -> Option<(&'a str, Vec<&'a str>)> {
        let mut parts = want.split('.');
        let (name, field) = (parts.next().unwrap_or_default(), parts.next());
        match (self.0.get(name), field) {
            (None, _) => Some((name, self.iter().collect())),
            (Some(Some(fields)), Some(field)) if !fields.contains(field) => {
                Some((field, fields.iter().map(String::as_str).collect()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        let mut names = Names::default();
        names.add("adults");
        names.add_fields("row", ["price".to_owned()]);
        names
    }

    #[test]
    fn a_name_and_a_known_field_are_missed() {
        let names = names();
        assert_eq!(names.missing("adult").map(|it| it.0), Some("adult"));
        assert_eq!(names.missing("row.prise"), Some(("prise", vec!["price"])));
        assert!(names.missing("row.price").is_none() && names.missing("adults.any").is_none());
    }

    #[test]
    fn names_and_fields_are_added() {
        let mut names = names();
        names.add_field("row", "total");
        names.add_field("adults", "ignored");
        assert!(names.missing("row.total").is_none());
        assert_eq!(names.fields("row").map(BTreeSet::len), Some(2));
        names.add_like("found", "row");
        names.add_like("other", "adults");
        assert!(names.missing("found.total").is_none() && names.missing("found.no").is_some());
        assert!(names.missing("other.any").is_none());
        assert!(names.with("leg").missing("leg").is_none() && names.missing("leg").is_some());
    }

    #[test]
    fn names_of_one_scope_do_not_reach_another() {
        let outer = names();
        let mut inner = outer.with("leg");
        inner.add_fields("row", ["other".to_owned()]);
        assert_eq!(outer.iter().collect::<Vec<_>>(), ["adults", "row"]);
        assert!(outer.missing("row.price").is_none() && inner.missing("row.price").is_some());
    }
}
