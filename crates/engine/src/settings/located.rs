//! A string of a pipeline file that remembers where it stands, so that "no such file" can point at it.

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use std::ops::{Deref, Range};
use toml::Spanned;

/// A string with its place in the pipeline file.
#[derive(Debug, Clone, Default)]
pub struct Located {
    text: String,
    span: Range<usize>,
}

impl Located {
    /// A string at a place.
    pub fn new(text: impl Into<String>, span: Range<usize>) -> Self {
        Self { text: text.into(), span }
    }

    /// The string.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Its place.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }
}

impl Deref for Located {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Located {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl PartialEq for Located {
    /// Two strings are equal wherever they stand.
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl<'de> Deserialize<'de> for Located {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<String>::deserialize(deserializer)?;
        let span = spanned.span();
        Ok(Self { text: spanned.into_inner(), span })
    }
}

impl Serialize for Located {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text.serialize(serializer)
    }
}

impl JsonSchema for Located {
    fn schema_name() -> Cow<'static, str> {
        String::schema_name()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        String::json_schema(generator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Holder {
        path: Located,
        other: Option<Located>,
    }

    #[test]
    fn a_string_knows_where_it_stands() {
        let holder: Holder = toml::from_str("path = \"a.md\"").unwrap();
        assert_eq!((&*holder.path, holder.path.span()), ("a.md", 7..13));
        assert!(holder.other.is_none());
    }

    #[test]
    fn place_is_no_part_of_equality() {
        assert_eq!(Located::new("a", 0..1), Located::new("a", 5..6));
        assert_eq!(serde_json::to_string(&Located::new("a", 0..1)).unwrap(), "\"a\"");
    }
}
