//! What a server of tools lists and answers, and the key that it is given.

use fcgen_core::record::Value;
use serde_json::Value as Json;

/// A key, by the name that it has in the environment.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    /// The variable.
    pub name: String,
    /// The secret.
    pub value: String,
}

impl std::fmt::Debug for Key {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Key({})", self.name)
    }
}

/// A tool as its server lists it.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// Its name there.
    pub name: String,
    /// What the server says of it.
    pub description: String,
    /// The JSON Schema of its arguments.
    pub parameters: Json,
    /// The JSON Schema of its answer, if the server tells.
    pub returns: Option<Json>,
    /// Whether the server says that it changes nothing.
    pub reads: bool,
}

/// What a server gave back.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The answer: structured if the server gave it so, else the JSON of its text, else the text.
    pub value: Value,
    /// Whether the server calls it an error.
    pub failed: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_shown_by_its_name() {
        let key = Key { name: "MY_KEY".to_owned(), value: "abc".to_owned() };
        assert_eq!(format!("{key:?}"), "Key(MY_KEY)");
    }
}
