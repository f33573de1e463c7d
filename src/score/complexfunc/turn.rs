//! What a model says in a turn, and the calls that are read from it.

use super::golden::Golden;
use super::outcome::{Crash, ErrorType, Fault};
use super::rules::{Dialect, Rules};
use crate::record::{FunctionCall, Object, Value};

/// What a model said in one turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// Its words; beside calls a thought.
    pub text: Option<String>,
    /// Its calls; absent where it made none, and empty where it made a list of none.
    pub calls: Option<Vec<SaidCall>>,
    /// What was wrong with it, where nobody kept the turn itself and the sample ended with it.
    pub lost: Option<Fault>,
}

/// A call as it was said.
#[derive(Debug, Clone, PartialEq)]
pub struct SaidCall {
    /// The function's name.
    pub name: String,
    /// Its arguments.
    pub arguments: SaidArguments,
}

/// Arguments as they were said.
#[derive(Debug, Clone, PartialEq)]
pub enum SaidArguments {
    /// There are none.
    Absent,
    /// Text that should be JSON.
    Text(String),
    /// A value that was read before it was written down.
    Read(Value),
}

/// What a turn amounts to.
#[derive(Debug, PartialEq)]
pub(super) enum Heard {
    /// Nothing was said.
    Nothing,
    /// An answer in words.
    Words(String),
    /// Calls.
    Calls(Option<String>, Vec<SaidCall>),
    /// A turn that nobody kept.
    Lost(Fault),
}

/// Why a call cannot be read.
#[derive(Debug, PartialEq)]
pub(super) enum Unread {
    /// The sample ends with this.
    Fault(Fault),
    /// The authors' evaluator breaks off.
    Crash(Crash),
}

impl Turn {
    /// An answer in words.
    pub fn words(text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..Self::default() }
    }

    /// Calls and nothing else.
    pub fn calls(calls: impl IntoIterator<Item = FunctionCall>) -> Self {
        let said =
            |call: FunctionCall| SaidCall { name: call.name, arguments: SaidArguments::Read(call.arguments.into()) };
        Self { calls: Some(calls.into_iter().map(said).collect()), ..Self::default() }
    }

    /// What it amounts to. A list of no calls is a turn of its own to the runners of Qwen and Claude.
    pub(super) fn heard(self, rules: Rules) -> Heard {
        if let Some(fault) = self.lost {
            return Heard::Lost(fault);
        }
        let takes_empty = rules.is(Dialect::Qwen) || rules.is(Dialect::Claude);
        match (self.calls.filter(|calls| takes_empty || !calls.is_empty()), self.text) {
            (Some(calls), text) => Heard::Calls(text, calls),
            (None, Some(text)) => Heard::Words(text),
            (None, None) => Heard::Nothing,
        }
    }
}

impl SaidCall {
    /// Reads the call; its arguments come sorted by name.
    pub(super) fn read(self, golden: &Golden) -> Result<FunctionCall, Unread> {
        let rules = golden.rules();
        let ends_at_unknown_name = if rules.is(Dialect::Gpt) {
            Some(ErrorType::DecodeError)
        } else {
            rules.is(Dialect::Claude).then_some(ErrorType::NameError)
        };
        if let Some(error_type) = ends_at_unknown_name.filter(|_| golden.function(&self.name).is_none()) {
            return Err(Unread::Fault(Fault::new(error_type, format!("`{}` is no function of the list.", self.name))));
        }
        let mut arguments = self.arguments.read(rules, &self.name)?;
        arguments.sort_unstable_keys();
        Ok(FunctionCall { name: self.name, arguments })
    }
}

impl SaidArguments {
    fn read(self, rules: Rules, name: &str) -> Result<Object, Unread> {
        let value = match self {
            Self::Absent => return Ok(Object::new()),
            Self::Read(value) => value,
            Self::Text(text) if rules.is_strict() && text.trim().is_empty() => return Ok(Object::new()),
            Self::Text(text) => match Value::read_lenient(&text) {
                Ok((value, _)) => value,
                // Such a server reads the arguments itself, and gives none where it cannot.
                Err(_) if rules.is(Dialect::Claude) => return Ok(Object::new()),
                Err(error) => return Err(undecoded(format!("The arguments of `{name}` are {error}."))),
            },
        };
        match value {
            Value::Object(object) => Ok(object),
            Value::Null if !rules.is(Dialect::Qwen) => Ok(Object::new()),
            Value::List(list) if list.is_empty() && !rules.is_strict() => Ok(Object::new()),
            _ if rules.is_strict() => Err(undecoded(format!("The arguments of `{name}` are no object."))),
            _ => Err(Unread::Crash(Crash::Attribute)),
        }
    }
}

fn undecoded(content: String) -> Unread {
    Unread::Fault(Fault::new(ErrorType::DecodeError, content))
}

#[cfg(test)]
mod tests {
    use super::super::golden::tests::golden;
    use super::*;

    fn upstream(dialect: Dialect) -> Rules {
        Rules::Upstream(dialect)
    }

    fn read(rules: Rules, name: &str, arguments: SaidArguments) -> String {
        match (SaidCall { name: name.to_owned(), arguments }).read(&golden(rules)) {
            Ok(call) => Value::from(call.arguments).to_string(),
            Err(Unread::Fault(fault)) => format!("{}: {}", fault.error_type.as_str(), fault.content),
            Err(Unread::Crash(crash)) => crash.as_str().to_owned(),
        }
    }

    fn text(text: &str) -> SaidArguments {
        SaidArguments::Text(text.to_owned())
    }

    #[test]
    fn an_empty_list_of_calls_is_a_turn_to_some() {
        let empty = || Turn { calls: Some(Vec::new()), ..Turn::default() };
        assert_eq!(empty().heard(upstream(Dialect::Gpt)), Heard::Nothing);
        assert_eq!(empty().heard(Rules::default()), Heard::Nothing);
        assert_eq!(empty().heard(upstream(Dialect::Qwen)), Heard::Calls(None, Vec::new()));
        let beside = Turn { text: Some("so".to_owned()), ..empty() };
        assert_eq!(beside.clone().heard(upstream(Dialect::Gpt)), Heard::Words("so".to_owned()));
        assert_eq!(beside.heard(upstream(Dialect::Claude)), Heard::Calls(Some("so".to_owned()), Vec::new()));
        assert_eq!(Turn::words("").heard(Rules::default()), Heard::Words(String::new()));
        assert_eq!(Turn::default().heard(upstream(Dialect::Qwen)), Heard::Nothing);
    }

    #[test]
    fn an_unknown_name_ends_it_for_some_and_is_a_matter_of_format_for_others() {
        let read = |rules| read(rules, "Fly", text("{}"));
        assert_eq!(read(upstream(Dialect::Gpt)), "decode_error: `Fly` is no function of the list.");
        assert_eq!(read(upstream(Dialect::Claude)), "name_error: `Fly` is no function of the list.");
        assert_eq!([read(upstream(Dialect::Qwen)), read(Rules::default())], ["{}", "{}"]);
    }

    #[test]
    fn arguments_come_sorted_and_what_is_no_json_ends_it() {
        let rules = Rules::default();
        assert_eq!(read(rules, "Search", text(r#"{"day": 1, "area": "x"}"#)), r#"{"area":"x","day":1}"#);
        let broken = "decode_error: The arguments of `Search` are not JSON: the text ends too early at line 1, column 2 (byte 1).";
        for dialect in [Dialect::Gpt, Dialect::Qwen] {
            assert_eq!(read(upstream(dialect), "Search", text("{")), broken);
        }
        assert_eq!(
            (read(rules, "Search", text("{")), read(upstream(Dialect::Claude), "Search", text("{"))),
            (broken.to_owned(), "{}".to_owned())
        );
    }

    #[test]
    fn what_is_no_object_breaks_the_authors_evaluator_off_and_ours_not() {
        let all = |json: &str| {
            let mut all: Vec<String> = Dialect::ALL.map(|dialect| read(upstream(dialect), "Search", text(json))).into();
            all.push(read(Rules::default(), "Search", text(json)));
            all.join(" | ")
        };
        let strict = "decode_error: The arguments of `Search` are no object.";
        assert_eq!(all("null"), "{} | AttributeError | {} | {}");
        assert_eq!(all("[]"), format!("{{}} | {{}} | {{}} | {strict}"));
        assert_eq!(all("5"), format!("AttributeError | AttributeError | AttributeError | {strict}"));
        assert_eq!(read(Rules::default(), "Search", text(" ")), "{}");
        assert_eq!(read(upstream(Dialect::Claude), "Search", SaidArguments::Absent), "{}");
    }

    #[test]
    fn calls_that_were_read_stay_as_they_are() {
        let call = FunctionCall {
            name: "Search".to_owned(),
            arguments: Object::from_iter([("day".to_owned(), Value::from(1))]),
        };
        let turn = Turn::calls([call.clone()]);
        let Heard::Calls(None, calls) = turn.heard(Rules::default()) else { panic!("calls") };
        assert_eq!(calls.into_iter().map(|said| said.read(&golden(Rules::default()))).collect::<Vec<_>>(), [Ok(call)]);
    }
}
