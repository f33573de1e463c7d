//! What is kept of an answer: `live.toml` in a toolset's folder names the fields that are masked and how long answers may be.

use super::LiveError;
use fcgen_core::record::{Object, Value};
use serde::Deserialize;

/// The file in a toolset's folder.
pub const RULES: &str = "live.toml";
/// What stands in the place of a masked value.
const MASK: &str = "***";

/// What is kept of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Rules {
    /// Fields whose values are masked wherever they stand, by their names.
    pub mask: Vec<String>,
    /// Most elements of a list; the first are kept.
    pub list: usize,
    /// Most letters of a text; its beginning is kept.
    pub text: usize,
}

impl Default for Rules {
    fn default() -> Self {
        let mask = ["password", "secret", "token", "api_key", "apikey", "authorization", "cookie", "set-cookie"];
        Self { mask: mask.map(str::to_owned).to_vec(), list: 20, text: 2_000 }
    }
}

impl Rules {
    /// Reads the file's text.
    pub fn read(path: &str, text: &str) -> Result<Self, LiveError> {
        let fault = |message: String| LiveError::File { path: path.to_owned(), message };
        let rules: Self = toml::from_str(text).map_err(|error| fault(error.to_string()))?;
        if rules.list == 0 || rules.text == 0 {
            return Err(fault("`list` and `text` must be at least 1".to_owned()));
        }
        Ok(rules)
    }

    /// What is kept of a value.
    pub fn kept(&self, value: &Value) -> Value {
        match value {
            Value::Object(object) => Value::Object(self.kept_fields(object)),
            Value::List(list) => Value::List(list.iter().take(self.list).map(|it| self.kept(it)).collect()),
            Value::String(text) => match text.char_indices().nth(self.text) {
                Some((end, _)) => Value::String(text.get(..end).unwrap_or_default().to_owned()),
                None => value.clone(),
            },
            other => other.clone(),
        }
    }

    /// The same of named values, as arguments are.
    pub fn kept_fields(&self, object: &Object) -> Object {
        let kept = |(name, value): (&String, &Value)| {
            let masked = self.masks(name) && !value.is_null();
            (name.clone(), if masked { Value::from(MASK) } else { self.kept(value) })
        };
        object.iter().map(kept).collect()
    }

    /// A text in which a secret is masked, wherever it stands.
    pub fn without(value: &Value, secret: &str) -> Value {
        match value {
            _ if secret.is_empty() => value.clone(),
            Value::String(text) => Value::from(text.replace(secret, MASK)),
            Value::List(list) => Value::List(list.iter().map(|it| Self::without(it, secret)).collect()),
            Value::Object(object) => {
                let plain =
                    |(name, value): (&String, &Value)| (name.replace(secret, MASK), Self::without(value, secret));
                Value::Object(object.iter().map(plain).collect())
            }
            other => other.clone(),
        }
    }

    fn masks(&self, name: &str) -> bool {
        self.mask.iter().any(|mask| mask.eq_ignore_ascii_case(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(json: &str) -> Value {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn named_fields_are_masked_wherever_they_stand() {
        let rules = Rules { mask: vec!["mail".to_owned()], ..Rules::default() };
        let kept = rules.kept(&value(r#"{"a":[{"Mail":"x@y","n":1.0}],"mail":null}"#));
        assert_eq!(kept.to_string(), r#"{"a":[{"Mail":"***","n":1.0}],"mail":null}"#);
    }

    #[test]
    fn long_answers_are_cut_at_letters_and_elements() {
        let rules = Rules { list: 2, text: 3, ..Rules::default() };
        assert_eq!(rules.kept(&value(r#"[1,["가나다라","abc"],3]"#)).to_string(), r#"[1,["가나다","abc"]]"#);
    }

    #[test]
    fn a_secret_is_nowhere() {
        let clean = Rules::without(&value(r#"{"k-abc":["x abc","y"],"n":2}"#), "abc").to_string();
        assert_eq!(clean, r#"{"k-***":["x ***","y"],"n":2}"#);
    }

    #[test]
    fn the_file_is_checked() {
        assert_eq!(Rules::read("live.toml", "list = 5\n").unwrap().list, 5);
        for text in ["lists = 5", "list = 0", "mask = 3"] {
            assert!(Rules::read("live.toml", text).unwrap_err().to_string().starts_with("live.toml: "), "{text}");
        }
    }
}
