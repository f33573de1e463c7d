//! What the authors' evaluator is fed with: its words, and the lines of logs.

use crate::assets::Assets;
use crate::hammerbench::metric::upstream::{Label, Said, Words};
use crate::record::BorrowedValue;
use crate::{ProfileError, shipped};

/// Where the evaluator's words stand.
const WORDS: &str = "profiles/hammerbench-upstream.toml";

/// By which rules predictions are scored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// Ours: the name on every turn, typed values, every fault named.
    #[default]
    Strict,
    /// The authors' evaluator of conversations, which the paper's tables come from.
    Upstream,
    /// The authors' later evaluator, in which no snapshot knows of another.
    UpstreamSnapshot,
}

impl Profile {
    /// Its name and version, as reports give them.
    pub fn version(self) -> &'static str {
        match self {
            Self::Strict => "hammerbench strict, version 1",
            Self::Upstream => "hammerbench upstream (conversations, as commit 9e1b0bf), version 1",
            Self::UpstreamSnapshot => "hammerbench upstream-snapshot (snapshots, as commit 52c0c79), version 1",
        }
    }
}

/// The words that the released evaluator looks for.
pub fn load_words(assets: &Assets) -> Result<Words, ProfileError> {
    shipped(assets, WORDS)
}

/// The label of a log's line; absent where it is neither a call nor a text.
pub fn label_of(value: BorrowedValue<'_>) -> Option<Label<'_>> {
    let mut object = match value {
        BorrowedValue::String(_) => return Some(Label::Text),
        other => other.into_object()?,
    };
    let BorrowedValue::String(name) = object.take("name")? else { return None };
    Some(Label::Call { name, arguments: object.take("arguments")?.into_object()? })
}

/// What was said, by a log's line.
pub fn said_of<'v>(predict: &'v BorrowedValue<'_>) -> Said<'v> {
    match predict {
        BorrowedValue::String(text) => Said::Text(text),
        other => Said::Read(other.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> BorrowedValue<'_> {
        BorrowedValue::read_lenient(json).unwrap()
    }

    #[test]
    fn the_words_are_there() {
        assert_eq!(load_words(crate::fixtures::assets()).unwrap().agreement_word, "True");
    }

    #[test]
    fn a_label_is_a_call_or_a_text() {
        assert_eq!(label_of(read("\"no tool fits\"")), Some(Label::Text));
        let Some(Label::Call { name, arguments }) = label_of(read(r#"{"name": "A", "arguments": {"a": 1}}"#)) else {
            panic!("a call")
        };
        assert_eq!((&*name, arguments.len()), ("A", 1));
        for json in ["null", "{}", r#"{"name": 5, "arguments": {}}"#, r#"{"name": "A"}"#] {
            assert_eq!(label_of(read(json)), None, "{json}");
        }
    }

    #[test]
    fn what_is_no_text_was_read_before() {
        assert_eq!(said_of(&read("\"x\"")), Said::Text("x"));
        assert_eq!(said_of(&read("null")), Said::Read(BorrowedValue::Null));
    }

    #[test]
    fn what_is_wrong_with_a_profile_is_said_with_its_file() {
        assert_eq!(
            ProfileError::Missing { path: WORDS }.to_string(),
            "`profiles/hammerbench-upstream.toml` is missing"
        );
        let source = Box::new(toml::from_str::<Words>("refusal_word = 5").unwrap_err());
        let told = ProfileError::Format { path: WORDS, source }.to_string();
        assert!(
            told.starts_with("in `profiles/hammerbench-upstream.toml`: TOML parse error at line 1, column 16"),
            "{told}"
        );
        assert!(toml::from_str::<Words>("refusal_word = \"sorry\"\nagreement_word = \"True\"\nother = 1").is_err());
    }

    #[test]
    fn a_call_in_words_or_in_a_list_is_what_was_said_and_a_label_is_none() {
        let list = r#"[{"name": "A", "arguments": {}}]"#;
        assert_eq!((label_of(read(list)), said_of(&read(list))), (None, Said::Read(read(list))));
        assert_eq!(label_of(read(r#"{"arguments": [], "name": "A"}"#)), None, "arguments are an object");
    }
}
