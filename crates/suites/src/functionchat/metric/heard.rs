//! A turn of a model, call by call as its server gave it.

use crate::record::{Object, PredictionTurn, Value};
use crate::score::Refusals;

/// What was said in a turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Heard {
    /// The words.
    pub content: Option<String>,
    /// The calls.
    pub calls: Vec<Called>,
}

/// A call.
#[derive(Debug, Clone, PartialEq)]
pub struct Called {
    /// The function.
    pub name: String,
    /// Its arguments.
    pub arguments: Arguments,
}

/// Arguments of a call, before anybody has read them.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// A text, as it should be.
    Text(String),
    /// Anything else, which servers give now and then.
    Other(Value),
}

impl Heard {
    /// A message as a server gives it.
    pub fn of_message(message: &Object) -> Self {
        let content = message.get("content").and_then(Value::as_str).map(str::to_owned);
        let calls = message.get("tool_calls").and_then(Value::as_list).unwrap_or_default();
        Self { content, calls: calls.iter().filter_map(Value::as_object).map(Called::of).collect() }
    }

    /// Whether there are no words worth the name.
    pub fn is_silent(&self) -> bool {
        self.content.as_deref().is_none_or(|text| text.trim().is_empty())
    }

    /// The same for whoever is to look at it, as servers write it; ids say nothing.
    pub fn shown(&self) -> Value {
        let mut message: Object = [
            ("role".to_owned(), "assistant".into()),
            ("content".to_owned(), self.content.as_deref().map_or(Value::Null, Value::from)),
        ]
        .into();
        if !self.calls.is_empty() {
            message.insert("tool_calls".to_owned(), Value::List(self.calls.iter().map(Called::shown).collect()));
        }
        Value::Object(message)
    }
}

impl Called {
    fn of(call: &Object) -> Self {
        let function = call.get("function").and_then(Value::as_object).unwrap_or(call);
        let arguments = match function.get("arguments") {
            Some(Value::String(text)) => Arguments::Text(text.clone()),
            other => Arguments::Other(other.cloned().unwrap_or_default()),
        };
        let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
        Self { name: name.to_owned(), arguments }
    }

    fn shown(&self) -> Value {
        let arguments = match &self.arguments {
            Arguments::Text(text) => text.as_str().into(),
            Arguments::Other(value) => value.clone(),
        };
        let function: Object =
            [("name".to_owned(), self.name.as_str().into()), ("arguments".to_owned(), arguments)].into();
        let call: Object = [("type".to_owned(), "function".into()), ("function".to_owned(), function.into())].into();
        call.into()
    }

    /// The arguments, if they are an object.
    pub fn object(&self) -> Option<Object> {
        let value = match &self.arguments {
            Arguments::Text(text) => Value::read_lenient(text).ok()?.0,
            Arguments::Other(value) => value.clone(),
        };
        if let Value::Object(object) = value { Some(object) } else { None }
    }
}

impl From<&PredictionTurn> for Heard {
    fn from(turn: &PredictionTurn) -> Self {
        let called = |(name, arguments): &(String, String)| Called {
            name: name.clone(),
            arguments: Arguments::Text(arguments.clone()),
        };
        Self { content: turn.content.clone(), calls: turn.tool_calls.iter().map(called).collect() }
    }
}

// What a turn looks like from outside: a call, a question, a refusal, or other words.

/// What a model decides to do, or should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// To call.
    Call,
    /// To ask.
    Ask,
    /// To decline, or to answer without any tool.
    Decline,
    /// To tell what a tool answered.
    Tell,
    /// Nothing is said.
    Nothing,
}

/// Marks by which words are known for what they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    /// How a locale refuses.
    pub refusals: Refusals,
}

impl Decision {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Ask => "ask",
            Self::Decline => "decline",
            Self::Tell => "tell",
            Self::Nothing => "nothing",
        }
    }
}

impl Look {
    /// Whether a text asks: a question mark ends one of its sentences.
    pub fn asks(text: &str) -> bool {
        text.contains(['?', '\u{ff1f}'])
    }

    /// What a turn looks like. Words of a turn that is right are what they should be, and whatever neither asks nor refuses
    /// tells something.
    pub fn decision(&self, heard: &Heard, wanted: Decision, is_right: bool) -> Decision {
        let text = heard.content.as_deref().unwrap_or_default();
        match () {
            () if !heard.calls.is_empty() => Decision::Call,
            () if is_right => wanted,
            () if heard.is_silent() => Decision::Nothing,
            () if self.refusals.in_words(text).is_some() => Decision::Decline,
            () if Self::asks(text) => Decision::Ask,
            () => Decision::Tell,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(json: &str) -> Heard {
        Heard::of_message(Value::read(json).unwrap().as_object().unwrap())
    }

    #[test]
    fn a_message_is_heard_as_it_was_given() {
        let json = r#"{"role":"assistant","content":null,"tool_calls":[{"type":"function","function":{"name":"f","arguments":"{\"n\":1.50}"}},{"type":"function","function":{"name":"g","arguments":{"a":1}}}]}"#;
        let it = heard(json);
        assert_eq!((it.calls.len(), it.is_silent(), it.shown().to_string()), (2, true, json.to_owned()));
        assert_eq!(it.calls[0].object().unwrap()["n"].to_string(), "1.50");
        assert_eq!(it.calls[1].object().unwrap().len(), 1);
    }

    #[test]
    fn what_is_odd_is_nothing() {
        for json in [
            "{}",
            r#"{"content": 5, "tool_calls": null}"#,
            r#"{"content": "  ", "tool_calls": []}"#,
            r#"{"tool_calls": [5]}"#,
        ] {
            let it = heard(json);
            assert!(it.is_silent() && it.calls.is_empty(), "{json}");
        }
        let bare = heard(r#"{"tool_calls": [{"name": "f"}]}"#);
        assert_eq!((bare.calls[0].name.as_str(), bare.calls[0].object()), ("f", None));
    }

    #[test]
    fn our_own_turns_are_the_same() {
        let turn: PredictionTurn = serde_json::from_str(r#"{"content": "x", "tool_calls": [["f", "[]"]]}"#).unwrap();
        let it = Heard::from(&turn);
        assert_eq!((it.content.as_deref(), it.calls[0].object(), it.is_silent()), (Some("x"), None, false));
    }
}

#[cfg(test)]
mod look_tests {
    use super::*;
    use crate::fixtures::refusals;
    use crate::functionchat::metric::{Arguments, Called};

    fn decision(text: &str, calls: usize, is_right: bool) -> Decision {
        let call = Called { name: "f".to_owned(), arguments: Arguments::Text("{}".to_owned()) };
        let heard = Heard { content: Some(text.to_owned()), calls: vec![call; calls] };
        Look { refusals: refusals(&["en", "ko"]) }.decision(&heard, Decision::Decline, is_right)
    }

    #[test]
    fn words_are_known_by_their_marks() {
        assert_eq!(decision("어느 도시인가요？", 0, false), Decision::Ask);
        assert_eq!(
            decision("죄송하지만 요청에 맞는 도구가 없습니다. 다른 것은 어떠세요?", 0, false),
            Decision::Decline
        );
        assert_eq!(decision("배는 정오에 떠납니다.", 0, false), Decision::Tell);
        assert_eq!(decision(" ", 0, false), Decision::Nothing);
        assert_eq!((decision("x?", 1, true), decision("x?", 0, true)), (Decision::Call, Decision::Decline));
    }

    #[test]
    fn decisions_have_names() {
        let all = [Decision::Call, Decision::Ask, Decision::Decline, Decision::Tell, Decision::Nothing];
        assert_eq!(all.map(Decision::as_str), ["call", "ask", "decline", "tell", "nothing"]);
    }
}
