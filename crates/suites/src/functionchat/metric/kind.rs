//! The kinds of error that the paper describes (section 6.2), as far as they can be told without understanding words.

use super::{Called, Decision, Heard, Look};
use crate::record::{FunctionCall, Message, Number, Object, Role, Tool, Value};
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A kind of error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorKind {
    /// A call was wanted, and something is asked that is known already.
    AskedInstead,
    /// A call was wanted, and it is claimed that nothing can be done.
    DeclinedInstead,
    /// A call was wanted, and there are words as if it had been made.
    ClaimedInstead,
    /// A call without arguments that can be read.
    IncompleteCall,
    /// More calls than one.
    SeveralCalls,
    /// A function that is not there.
    InventedFunction,
    /// The right function, spelt in another way.
    MisspeltFunction,
    /// Another function of the list.
    WrongFunction,
    /// An argument that nobody mentioned.
    InventedArgument,
    /// An argument that was mentioned and is not given.
    OmittedArgument,
    /// A year that nobody mentioned.
    InventedYear,
    /// A part of what was said.
    ShortenedValue,
    /// A whole number with a fraction.
    IntegerAsFloat,
    /// A number or a truth as a text.
    NumberAsText,
    /// Another type.
    WrongType,
    /// A number with the other sign.
    ChangedSign,
    /// Another number.
    WrongNumber,
    /// Another value.
    WrongValue,
    /// White space or capitals that were changed, and nothing else.
    Spacing,
    /// A call in the place of words, of a function of the list.
    CalledInstead,
    /// A call in the place of words, of a function that is not there.
    CalledInvented,
    /// Words that were said before.
    Mirrored,
    /// Numbers that the tool did not answer.
    AlteredResult,
    /// Words that a judge does not take for what the tool answered.
    WrongCompletion,
    /// A question that asks for too little, too much, or something else.
    WrongQuestion,
    /// Words without a question, where one is due.
    DidNotAsk,
    /// A question where there is nothing to be done by tools.
    AskedBeyondTools,
    /// Words as if something could be done, or had been.
    FalseClaim,
    /// Nothing, or another language.
    Malfunction,
    /// Nobody answered.
    NoAnswer,
}

/// What belongs to a turn that is wrong.
#[derive(Debug, Clone, Copy)]
pub struct Turned<'t> {
    /// What should have been done.
    pub wanted: Decision,
    /// The right call, where one is.
    pub gold: Option<&'t FunctionCall>,
    /// Values that are as right as its own, by parameter.
    pub acceptable: &'t IndexMap<String, Vec<Value>>,
    /// The tools.
    pub tools: &'t [Arc<Tool>],
    /// All that was said before.
    pub messages: &'t [Message],
    /// What was said.
    pub heard: &'t Heard,
    /// Whether not a letter is of the locale's script.
    pub is_foreign: bool,
}

impl ErrorKind {
    /// The name under which it is counted.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AskedInstead => "asked_instead",
            Self::DeclinedInstead => "declined_instead",
            Self::ClaimedInstead => "claimed_instead",
            Self::IncompleteCall => "incomplete_call",
            Self::SeveralCalls => "several_calls",
            Self::InventedFunction => "invented_function",
            Self::MisspeltFunction => "misspelt_function",
            Self::WrongFunction => "wrong_function",
            Self::InventedArgument => "invented_argument",
            Self::OmittedArgument => "omitted_argument",
            Self::InventedYear => "invented_year",
            Self::ShortenedValue => "shortened_value",
            Self::Spacing => "spacing",
            Self::IntegerAsFloat => "integer_as_float",
            Self::NumberAsText => "number_as_text",
            Self::WrongType => "wrong_type",
            Self::ChangedSign => "changed_sign",
            Self::WrongNumber => "wrong_number",
            Self::WrongValue => "wrong_value",
            Self::CalledInstead => "called_instead",
            Self::CalledInvented => "called_invented",
            Self::Mirrored => "mirrored",
            Self::AlteredResult => "altered_result",
            Self::WrongCompletion => "wrong_completion",
            Self::WrongQuestion => "wrong_question",
            Self::DidNotAsk => "did_not_ask",
            Self::AskedBeyondTools => "asked_beyond_tools",
            Self::FalseClaim => "false_claim",
            Self::Malfunction => "malfunction",
            Self::NoAnswer => "no_answer",
        }
    }
}

/// The kind of an error, for a turn that is wrong.
pub fn kind_of(turned: Turned<'_>, look: &Look) -> ErrorKind {
    match (turned.wanted, turned.gold) {
        (Decision::Call, Some(gold)) => turned.of_call(gold, look),
        _ => turned.of_words(look),
    }
}

impl Turned<'_> {
    fn of_call(&self, gold: &FunctionCall, look: &Look) -> ErrorKind {
        let call = match self.heard.calls.as_slice() {
            [] => return self.of_silence(look),
            [call] => call,
            _ => return ErrorKind::SeveralCalls,
        };
        if call.name != gold.name {
            return self.of_name(call, gold);
        }
        let Some(said) = call.object() else { return ErrorKind::IncompleteCall };
        self.of_arguments(&gold.arguments, &said)
    }

    /// Words in the place of a call.
    fn of_silence(&self, look: &Look) -> ErrorKind {
        match look.decision(self.heard, Decision::Call, false) {
            Decision::Nothing => ErrorKind::Malfunction,
            Decision::Ask => ErrorKind::AskedInstead,
            Decision::Decline => ErrorKind::DeclinedInstead,
            Decision::Tell | Decision::Call => ErrorKind::ClaimedInstead,
        }
    }

    fn of_name(&self, call: &Called, gold: &FunctionCall) -> ErrorKind {
        let bare = |name: &str| name.chars().filter(|it| it.is_alphanumeric()).collect::<String>().to_lowercase();
        match () {
            () if bare(&call.name) == bare(&gold.name) => ErrorKind::MisspeltFunction,
            () if self.has(&call.name) => ErrorKind::WrongFunction,
            () => ErrorKind::InventedFunction,
        }
    }

    fn of_words(&self, look: &Look) -> ErrorKind {
        if let Some(call) = self.heard.calls.first() {
            return if self.has(&call.name) { ErrorKind::CalledInstead } else { ErrorKind::CalledInvented };
        }
        if self.heard.is_silent() || self.is_foreign {
            return ErrorKind::Malfunction;
        }
        let text = self.heard.content.as_deref().unwrap_or_default();
        if self
            .messages
            .iter()
            .any(|it| it.role != Role::System && it.content.as_deref().map(str::trim) == Some(text.trim()))
        {
            return ErrorKind::Mirrored;
        }
        let asks = look.decision(self.heard, self.wanted, false) == Decision::Ask;
        match (self.wanted, asks) {
            (Decision::Tell, _) if self.alters_numbers(text) => ErrorKind::AlteredResult,
            (Decision::Tell, _) => ErrorKind::WrongCompletion,
            (Decision::Ask, true) => ErrorKind::WrongQuestion,
            (Decision::Ask, false) => ErrorKind::DidNotAsk,
            (_, true) => ErrorKind::AskedBeyondTools,
            (_, false) => ErrorKind::FalseClaim,
        }
    }

    fn of_arguments(&self, gold: &Object, said: &Object) -> ErrorKind {
        let is_acceptable = |name: &String, value: &Value| {
            self.acceptable.get(name).is_some_and(|values| values.iter().any(|right| right.equals(value)))
        };
        if said.iter().any(|(name, value)| !gold.contains_key(name) && !is_acceptable(name, value)) {
            return ErrorKind::InventedArgument;
        }
        if gold.iter().any(|(name, value)| !value.is_null() && !said.contains_key(name)) {
            return ErrorKind::OmittedArgument;
        }
        let wrong = gold.iter().filter_map(|(name, value)| Some((name, value, said.get(name)?)));
        let wrong = wrong.filter(|(name, gold, said)| *gold != *said && !is_acceptable(name, said));
        // What can be named goes before what can not.
        wrong.map(|(_, gold, said)| of_value(gold, said)).min().unwrap_or(ErrorKind::WrongValue)
    }

    fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    /// Whether a text has digits that nothing before it has.
    fn alters_numbers(&self, text: &str) -> bool {
        let known: BTreeSet<String> =
            self.messages.iter().filter_map(|it| it.content.as_deref()).flat_map(numbers).collect();
        numbers(text).iter().any(|number| !known.contains(number))
    }
}

/// The numbers in a text, without the marks between their digits.
fn numbers(text: &str) -> Vec<String> {
    let text = text.replace(',', "");
    let parts = text.split(|letter: char| !letter.is_ascii_digit() && letter != '.').map(|part| part.trim_matches('.'));
    let parts = parts.filter(|part| !part.is_empty());
    parts.map(|part| part.strip_suffix(".0").unwrap_or(part).to_owned()).collect()
}

fn of_value(gold: &Value, said: &Value) -> ErrorKind {
    match (gold, said) {
        (Value::Number(gold), Value::Number(said)) => of_number(gold, said),
        (Value::Number(_) | Value::Bool(_), Value::String(_)) => ErrorKind::NumberAsText,
        (Value::String(gold), Value::String(said)) => of_text(gold, said),
        (Value::List(_), Value::List(_)) | (Value::Object(_), Value::Object(_)) | (Value::Bool(_), Value::Bool(_)) => {
            ErrorKind::WrongValue
        }
        _ => ErrorKind::WrongType,
    }
}

fn of_number(gold: &Number, said: &Number) -> ErrorKind {
    match () {
        () if gold.equals(said) => ErrorKind::IntegerAsFloat,
        () if (gold.as_f64() + said.as_f64()).abs() < f64::EPSILON => ErrorKind::ChangedSign,
        () => ErrorKind::WrongNumber,
    }
}

fn of_text(gold: &str, said: &str) -> ErrorKind {
    let bare = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>().to_lowercase();
    let years = |text: &str| numbers(text).iter().filter(|it| it.len() == 4).count();
    let (one, other) = (bare(gold), bare(said));
    match () {
        () if one == other => ErrorKind::Spacing,
        () if !other.is_empty() && one.contains(&other) => ErrorKind::ShortenedValue,
        () if years(said) > years(gold) => ErrorKind::InventedYear,
        () => ErrorKind::WrongValue,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::refusals;
    use crate::functionchat::metric::Arguments;

    const GOLD: &str = r#"{"title": "Gift in Cell No.7", "day": "March 3", "people": 4, "quiet": true}"#;

    fn look() -> Look {
        Look { refusals: refusals(&["en"]) }
    }

    fn tools() -> Vec<Arc<Tool>> {
        ["f", "g"].map(|name| Arc::new(Tool { name: name.to_owned(), ..Tool::default() })).to_vec()
    }

    fn called(name: &str, arguments: &str) -> Called {
        Called { name: name.to_owned(), arguments: Arguments::Text(arguments.to_owned()) }
    }

    fn of_call(heard: &Heard) -> &'static str {
        let arguments = Value::read(GOLD).unwrap().as_object().unwrap().clone();
        let gold = FunctionCall { name: "f".to_owned(), arguments };
        let tools = tools();
        let turned = Turned {
            wanted: Decision::Call,
            gold: Some(&gold),
            acceptable: &[("day".to_owned(), vec!["3 March".into()])].into(),
            tools: &tools,
            messages: &[],
            heard,
            is_foreign: false,
        };
        kind_of(turned, &look()).as_str()
    }

    fn with(old: &str, new: &str) -> &'static str {
        of_call(&Heard { content: None, calls: vec![called("f", &GOLD.replace(old, new))] })
    }

    #[test]
    fn calls_go_wrong_in_many_ways() {
        assert_eq!(with("4", "4.0"), "integer_as_float");
        assert_eq!(with("4", "\"4\""), "number_as_text");
        assert_eq!(
            (with("4", "-4"), with("4", "40"), with("4", "true")),
            ("changed_sign", "wrong_number", "wrong_type")
        );
        assert_eq!((with("Gift in ", ""), with("Cell No", "Cell\\n No")), ("shortened_value", "spacing"));
        assert_eq!((with("March 3", "2024-03-03"), with("March 3", "May 4")), ("invented_year", "wrong_value"));
        assert_eq!((with(", \"quiet\": true", ""), with("quiet", "loud")), ("omitted_argument", "invented_argument"));
        assert_eq!(with("}", ""), "incomplete_call");
        assert_eq!(with("March 3\", \"people\": 4", "3 March\", \"people\": 5"), "wrong_number");
    }

    #[test]
    fn another_name_may_be_there_or_not() {
        let of = |names: &[&str]| {
            of_call(&Heard { content: None, calls: names.iter().map(|name| called(name, "{}")).collect() })
        };
        assert_eq!(
            [of(&["F_"]), of(&["g"]), of(&["h"]), of(&["f", "f"])],
            ["misspelt_function", "wrong_function", "invented_function", "several_calls"]
        );
    }

    #[test]
    fn words_in_the_place_of_a_call_are_told_apart() {
        let of = |text: &str| of_call(&Heard { content: Some(text.to_owned()), calls: Vec::new() });
        assert_eq!(of("For how many people?"), "asked_instead");
        assert_eq!(of("I'm sorry, but none of the provided tools can do that."), "declined_instead");
        assert_eq!((of("It is booked."), of("")), ("claimed_instead", "malfunction"));
    }

    #[test]
    fn words_go_wrong_by_what_they_should_be() {
        let messages = [Message::user("How warm is it?"), Message::new(Role::Tool, r#"{"degrees": 1717782}"#)];
        let of = |wanted, text: &str| {
            let heard = Heard { content: Some(text.to_owned()), calls: Vec::new() };
            let turned = Turned {
                wanted,
                gold: None,
                acceptable: &IndexMap::new(),
                tools: &tools(),
                messages: &messages,
                heard: &heard,
                is_foreign: text == "x",
            };
            kind_of(turned, &look()).as_str()
        };
        assert_eq!(
            (of(Decision::Tell, "It is 1,717,782.0 degrees."), of(Decision::Tell, "It is 9 degrees.")),
            ("wrong_completion", "altered_result")
        );
        assert_eq!((of(Decision::Tell, "How warm is it?"), of(Decision::Tell, "x")), ("mirrored", "malfunction"));
        assert_eq!((of(Decision::Ask, "Where?"), of(Decision::Ask, "Done.")), ("wrong_question", "did_not_ask"));
        assert_eq!(
            (of(Decision::Decline, "Where?"), of(Decision::Decline, "Done.")),
            ("asked_beyond_tools", "false_claim")
        );
    }

    #[test]
    fn a_call_in_the_place_of_words_may_be_of_nothing() {
        let of = |name: &str| {
            let heard = Heard { content: None, calls: vec![called(name, "{}")] };
            let turned = Turned {
                wanted: Decision::Ask,
                gold: None,
                acceptable: &IndexMap::new(),
                tools: &tools(),
                messages: &[],
                heard: &heard,
                is_foreign: false,
            };
            kind_of(turned, &look()).as_str()
        };
        assert_eq!((of("f"), of("order_pizza")), ("called_instead", "called_invented"));
    }
}
