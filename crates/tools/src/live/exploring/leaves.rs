//! The leaves of answers: what stands where, as `records[].title` writes the place.

use fcgen_core::record::Value;
use indexmap::IndexMap;

/// Deepest nesting that is looked into.
const DEPTH: usize = 12;
/// Most values of one place that are kept.
const MOST: usize = 40;

/// What stands at each place of a tool's answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Leaves {
    /// Different values by place, in the order in which they were seen.
    pub(crate) places: IndexMap<String, Vec<Value>>,
    /// What answers look like.
    pub(crate) shape: Shape,
}

/// What an answer looks like.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) enum Shape {
    /// Something without parts.
    #[default]
    Leaf,
    /// A list.
    List(Box<Shape>),
    /// An object.
    Object(IndexMap<String, Shape>),
}

impl Leaves {
    /// Takes an answer in.
    pub(crate) fn add(&mut self, answer: &Value) {
        self.shape = std::mem::take(&mut self.shape).with(answer, 0);
        self.walk(String::new(), answer, 0);
    }

    fn walk(&mut self, place: String, value: &Value, depth: usize) {
        match value {
            _ if depth > DEPTH => {}
            Value::Object(object) => {
                for (key, inner) in object.iter().filter(|(key, _)| is_plain(key)) {
                    let place = if place.is_empty() { key.clone() } else { format!("{place}.{key}") };
                    self.walk(place, inner, depth + 1);
                }
            }
            Value::List(list) => list.iter().for_each(|inner| self.walk(format!("{place}[]"), inner, depth + 1)),
            Value::Null => {}
            leaf => {
                let known = self.places.entry(place).or_default();
                if known.len() < MOST && !known.contains(leaf) {
                    known.push(leaf.clone());
                }
            }
        }
    }
}

/// Whether a key can stand in a place and in a template.
pub(crate) fn is_plain(key: &str) -> bool {
    !key.is_empty() && !key.contains(['.', '[', ']', ':', '/', '~', '"', '\\']) && !["for", "part"].contains(&key)
}

impl Shape {
    fn with(self, value: &Value, depth: usize) -> Self {
        match (self, value) {
            (shape, _) if depth > DEPTH => shape,
            (shape, Value::Object(object)) => {
                let mut known = if let Self::Object(known) = shape { known } else { IndexMap::new() };
                for (key, inner) in object.iter().filter(|(key, _)| is_plain(key)) {
                    let shape = known.shift_remove(key).unwrap_or_default();
                    known.insert(key.clone(), shape.with(inner, depth + 1));
                }
                Self::Object(known)
            }
            (shape, Value::List(list)) => {
                let known = if let Self::List(known) = shape { *known } else { Self::Leaf };
                Self::List(Box::new(list.iter().fold(known, |shape, inner| shape.with(inner, depth + 1))))
            }
            (shape, _) => shape,
        }
    }

    /// The template that shows it.
    pub(crate) fn template(&self) -> toml::Value {
        match self {
            Self::Leaf => true.into(),
            Self::List(inner) => toml::Value::Array(vec![inner.template()]),
            Self::Object(known) => {
                toml::Value::Table(known.iter().map(|(key, shape)| (key.clone(), shape.template())).collect())
            }
        }
    }
}

/// The last key of a place.
pub(crate) fn last_key(place: &str) -> &str {
    place.rsplit('.').next().unwrap_or(place).trim_end_matches("[]")
}

/// The list whose items a place is in, and the place within the item; none where it is in no list.
pub(crate) fn within_list(place: &str) -> Option<(&str, &str)> {
    let (list, field) = place.rsplit_once("[]")?;
    Some((list, field.trim_start_matches('.')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves(answers: &[&str]) -> Leaves {
        let mut leaves = Leaves::default();
        for json in answers {
            leaves.add(&serde_json::from_str(json).unwrap());
        }
        leaves
    }

    #[test]
    fn every_different_value_is_kept_by_its_place() {
        let found =
            leaves(&[r#"{"a":[{"id":"x","n":1.0},{"id":"y"}],"b":null}"#, r#"{"a":[{"id":"x"}],"b":2,"for":3}"#]);
        let places: Vec<String> =
            found.places.iter().map(|(place, values)| format!("{place} {}", values.len())).collect();
        assert_eq!(places, ["a[].id 2", "a[].n 1", "b 1"]);
        let shape = "{ a = [{ id = true, n = true }], b = true }";
        assert_eq!(found.shape.template(), toml::from_str::<toml::Table>(&format!("x = {shape}")).unwrap()["x"]);
    }

    #[test]
    fn a_text_is_a_leaf_and_lists_may_be_the_whole() {
        assert_eq!(leaves(&["\"text\""]).shape, Shape::Leaf);
        assert_eq!(leaves(&[r#"[{"id":1}]"#]).places.keys().collect::<Vec<_>>(), ["[].id"]);
    }

    #[test]
    fn places_are_cut_at_their_lists() {
        assert_eq!((last_key("a[].b.id"), last_key("tags[]"), last_key("id")), ("id", "tags", "id"));
        assert_eq!(within_list("a[].b[].c.d"), Some(("a[].b", "c.d")));
        assert_eq!((within_list("[].id"), within_list("a.b")), (Some(("", "id")), None));
    }
}
