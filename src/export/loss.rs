//! What a format cannot hold, or an example should not teach: told row by row.

use serde::Serialize;

/// Why a row, or a part of it, is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The built-in model wrote it, and nobody allowed that.
    Template,
    /// It is of another locale than the one that is wanted.
    Locale,
    /// People rejected it.
    Rejected,
    /// The same example was there before.
    Duplicate,
    /// A value of the right call is a placeholder that nothing resolves.
    Placeholder,
    /// The right call names a tool or a parameter that is not offered.
    NotOffered,
    /// Its right answer has no words.
    NoWords,
    /// An answer of a tool is missing: a row ends before the first turn that needs it.
    NoAnswer,
    /// The right answer is a dialogue act that no words stand for: the turn's calls are lessons of their own.
    DialogueAct,
    /// A value of a call that may be learned stands nowhere before the call.
    NoSource,
    /// It has more tokens than allowed.
    TooLong,
    /// Its weight left it out.
    Weight,
    /// The same request stands in another row, with another list of tools.
    Repeated,
    /// The default mix has enough rows that end as it does.
    Share,
    /// The format cannot mask, and another row of the conversation trains its replies.
    History,
    /// The format has no place for several turns.
    SeveralTurns,
    /// The format has no place for a system text.
    System,
    /// The format has no place for words beside calls.
    TextBesideCall,
    /// The format has no place for words of the assistant.
    Words,
    /// The format cannot say that a turn is not to be learned.
    Mask,
    /// People and assistant do not take turns.
    Alternation,
    /// A text holds the tags that the format itself is made of.
    TagText,
    /// The format has flat parameters, and these are nested.
    NestedSchema,
    /// The format has no place for thoughts.
    Reasoning,
    /// The benchmark has no place for it.
    Unfit,
    /// Nothing can tell whether an answer in words is right.
    NotVerifiable,
    /// There is no wrong answer to put beside the right one.
    NoRejected,
    /// A rejected draw for whose own words nobody knows the right answer.
    NoChosen,
    /// A row of somebody else's file cannot be read.
    Unreadable,
    /// A key of somebody else's row has no place in a sample.
    Unread,
    /// A tool's answer belongs to no call.
    Unpaired,
    /// A type has no counterpart in JSON Schema.
    Types,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Loss {
    /// The row.
    pub id: String,
    /// Why.
    pub rule: Rule,
    /// Where, or what.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Whether the row is there all the same, without what is named.
    pub kept: bool,
}

impl Rule {
    /// Its name in files.
    pub fn as_str(self) -> String {
        serde_json::to_string(&self).unwrap_or_default().trim_matches('"').to_owned()
    }
}

impl Loss {
    /// A row that is left out.
    pub fn row(id: &str, rule: Rule, detail: impl Into<String>) -> Self {
        Self { id: id.to_owned(), rule, detail: detail.into(), kept: false }
    }

    /// A part of a row that is left out.
    pub fn part(id: &str, rule: Rule, detail: impl Into<String>) -> Self {
        Self { kept: true, ..Self::row(id, rule, detail) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_says_what_became_of_its_row() {
        let row = serde_json::to_string(&Loss::row("a", Rule::TooLong, "900")).unwrap();
        assert_eq!(row, r#"{"id":"a","rule":"too_long","detail":"900","kept":false}"#);
        let part = serde_json::to_string(&Loss::part("a", Rule::System, "")).unwrap();
        assert_eq!(part, r#"{"id":"a","rule":"system","kept":true}"#);
        assert_eq!(Rule::TextBesideCall.as_str(), "text_beside_call");
    }
}
