//! One snapshot's verdict, with its reasons.

use crate::record::{FunctionCall, PredictionTurn, Value};
use crate::score::extract::{Place, Reading, Way, read_turn};
use crate::score::{Differences, Gold, QuestionWords, RefusalRule, Refusals, ValueWords, WrongValue};
use serde::Serialize;

/// What a locale knows of refusals and values.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// How people and models refuse.
    pub refusals: Refusals,
    /// What does not change a value.
    pub values: ValueWords,
    /// How people and models ask.
    pub questions: QuestionWords,
}

/// What is right.
#[derive(Debug, Clone, Copy)]
pub enum Wanted<'g> {
    /// A call of this tool with these arguments.
    Call(&'g str, Gold<'g>),
    /// A refusal.
    Refusal,
    /// A question for required arguments that are missing; names and descriptions of their parameters.
    Question(&'g [String]),
}

/// What there is to judge.
#[derive(Debug, Clone, Copy)]
pub enum Answer<'p> {
    /// What the model said.
    Said(&'p PredictionTurn),
    /// Nobody asked the model, or the answer is lost.
    Missing,
    /// The model could not be reached, and this is what the transport said.
    Failed(&'p str),
}

/// What an answer is, right or wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// One call or several.
    Call,
    /// A refusal, by this rule.
    Refusal(RefusalRule),
    /// A question for what is missing.
    Question,
    /// Words.
    Words,
    /// Something that cannot be read.
    Broken,
    /// Nothing.
    Nothing,
    /// No prediction.
    Missing,
    /// A fault of the transport.
    Failed,
}

/// What was found of a snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// What the answer is.
    pub status: Status,
    /// How the call was found.
    pub way: Option<Way>,
    /// The call.
    pub parsed: Option<FunctionCall>,
    /// Whether the whole is right.
    pub right: bool,
    /// Whether only a judge can tell: nothing is wrong but sentences that say something in other words.
    pub undecided: bool,
    /// Whether the name is right.
    pub func_ok: bool,
    /// Whether the arguments are right, whatever the name.
    pub args_ok: bool,
    /// Parameters that nobody asked for.
    pub hallucinated: u32,
    /// Parameters that are not given.
    pub missing: u32,
    /// Why it is not right; the first weighs most.
    pub errors: Vec<ErrorClass>,
    /// The same in words.
    pub reason: String,
}

impl Status {
    /// Whether it is a refusal, by whatever rule.
    pub fn is_refusal(self) -> bool {
        matches!(self, Self::Refusal(_))
    }

    /// The name under which it is counted.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Refusal(_) => "refusal",
            Self::Question => "question",
            Self::Words => "words",
            Self::Broken => "broken",
            Self::Nothing => "nothing",
            Self::Missing => "no_prediction",
            Self::Failed => "transport",
        }
    }
}

impl Rules {
    /// Judges an answer.
    pub fn judge(&self, wanted: Wanted<'_>, answer: Answer<'_>) -> Verdict {
        let turn = match answer {
            Answer::Said(turn) => turn,
            Answer::Missing => {
                return fails(wanted, Status::Missing, ErrorClass::NoPrediction, "there is no prediction");
            }
            Answer::Failed(detail) => return fails(wanted, Status::Failed, ErrorClass::Transport, detail),
        };
        match read_turn(turn) {
            Reading::Calls(calls, way) => self.judge_calls(wanted, turn, &calls, way),
            Reading::Words => self.judge_words(wanted, turn.content.as_deref().unwrap_or_default()),
            Reading::Broken => {
                let text = turn.content.as_deref().unwrap_or_default();
                match self.refusals.in_words(text).filter(|_| matches!(wanted, Wanted::Refusal)) {
                    Some(rule) => refused(wanted, rule),
                    None => fails(wanted, Status::Broken, ErrorClass::Unparsable, "the call cannot be read"),
                }
            }
            Reading::Nothing => fails(wanted, Status::Nothing, silent(wanted), "the answer is empty"),
        }
    }

    fn judge_words(&self, wanted: Wanted<'_>, text: &str) -> Verdict {
        match (self.refusals.in_words(text), wanted) {
            (Some(rule), _) => refused(wanted, rule),
            (None, Wanted::Question(topics)) if self.questions.asks(text, topics) => Verdict::right(Status::Question),
            (None, Wanted::Question(_)) => fails(
                wanted,
                Status::Words,
                silent(wanted),
                "required arguments are missing and it asks for none of them",
            ),
            (None, _) => fails(wanted, Status::Words, silent(wanted), "it neither calls a tool nor refuses"),
        }
    }

    fn judge_calls(&self, wanted: Wanted<'_>, turn: &PredictionTurn, calls: &[FunctionCall], way: Way) -> Verdict {
        let [call, others @ ..] = calls else { return refused(wanted, RefusalRule::EmptyList) };
        if let Some(rule) = self.refusals.in_name(&call.name).filter(|_| others.is_empty()) {
            return refused(wanted, rule);
        }
        let mut verdict = match wanted {
            Wanted::Refusal => {
                let reason = format!("it calls `{}` though no tool fits", call.name);
                fails(wanted, Status::Call, ErrorClass::CalledInsteadOfRefusal, &reason)
            }
            Wanted::Question(_) => {
                let reason = format!("it calls `{}` though required arguments are missing", call.name);
                fails(wanted, Status::Call, ErrorClass::CalledInsteadOfQuestion, &reason)
            }
            Wanted::Call(name, gold) => self.compare(name, gold, call),
        };
        if !others.is_empty() {
            verdict.fail(ErrorClass::SeveralCalls, &format!("it makes {} calls where one is wanted", calls.len()));
        }
        let around = turn.content.as_deref().filter(|_| !matches!(way.place, Place::Native | Place::Whole));
        if around.and_then(|text| self.refusals.in_words(text)) == Some(RefusalRule::Sentence) {
            verdict.fail(ErrorClass::CallAndRefusal, "it calls a tool and refuses as well");
        }
        Verdict { way: Some(way), parsed: Some(call.clone()), ..verdict }
    }

    fn compare(&self, name: &str, gold: Gold<'_>, call: &FunctionCall) -> Verdict {
        let differences = Differences::between(gold, &call.arguments, &self.values);
        let count = |names: &[String]| u32::try_from(names.len()).unwrap_or(u32::MAX);
        let func_ok = call.name == name;
        let mut verdict = Verdict {
            func_ok,
            args_ok: differences.is_empty(),
            hallucinated: count(&differences.invented),
            missing: count(&differences.missing),
            ..Verdict::right(Status::Call)
        };
        if !func_ok {
            verdict.fail(ErrorClass::WrongFunction, &format!("it calls `{}` and not `{name}`", call.name));
        }
        for (class, reason) in told(&differences) {
            verdict.fail(class, &reason);
        }
        verdict.undecided = verdict.errors == [ErrorClass::WrongValue]
            && differences.wrong.iter().all(|wrong| self.may_say_the_same(wrong));
        verdict
    }

    fn may_say_the_same(&self, wrong: &WrongValue) -> bool {
        let (Some(gold), Some(said)) = (wrong.gold.as_str(), wrong.said.as_str()) else { return false };
        self.values.is_sentence(gold) && self.values.are_alike(gold, said)
    }
}

impl Verdict {
    fn right(status: Status) -> Self {
        let (func_ok, args_ok, right, errors) = (true, true, true, Vec::new());
        Self {
            status,
            way: None,
            parsed: None,
            right,
            undecided: false,
            func_ok,
            args_ok,
            hallucinated: 0,
            missing: 0,
            errors,
            reason: String::new(),
        }
    }

    /// Names a call of a tool that was not shown as such, before everything else that is wrong with it.
    pub fn check_offered<'t>(&mut self, mut offered: impl Iterator<Item = &'t str>) {
        let Some(call) = self.parsed.as_ref().filter(|_| !self.right) else { return };
        // Native tools have no dots in their names.
        let plain = |name: &str| name.replace('.', "_");
        if offered.any(|name| plain(name) == plain(&call.name)) {
            return;
        }
        self.errors.retain(|class| *class != ErrorClass::WrongFunction);
        self.errors.insert(0, ErrorClass::NotOffered);
        self.reason = format!("`{}` is none of the tools that were shown; {}", call.name, self.reason);
    }

    /// Takes wrong values for right, since a judge says that they mean the same.
    pub fn accept(&mut self) {
        (self.right, self.undecided, self.args_ok) = (true, false, true);
        self.errors.clear();
        self.reason = format!("a judge takes it for the same: {}", self.reason);
    }

    fn fail(&mut self, class: ErrorClass, reason: &str) {
        (self.right, self.undecided) = (false, false);
        if !self.errors.contains(&class) {
            self.errors.push(class);
        }
        let separator = if self.reason.is_empty() { "" } else { "; " };
        self.reason = format!("{}{separator}{reason}", self.reason);
    }
}

/// The differences as error classes and in words, the gravest first.
fn told(differences: &Differences) -> Vec<(ErrorClass, String)> {
    let missing = differences.missing.iter().map(|name| (ErrorClass::MissingParameter, format!("`{name}` is missing")));
    let invented =
        differences.invented.iter().map(|name| (ErrorClass::InventedParameter, format!("`{name}` is invented")));
    let wrong = differences.wrong.iter().map(|WrongValue { parameter, gold, said, is_stale }| match is_stale {
        true => (
            ErrorClass::StaleValue,
            format!("`{parameter}` is still {}, and now {} is right", shown(said), shown(gold)),
        ),
        false => (ErrorClass::WrongValue, format!("`{parameter}` is {} and not {}", shown(said), shown(gold))),
    });
    missing.chain(invented).chain(wrong).collect()
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), |text| format!("\u{201c}{text}\u{201d}"))
}

fn silent(wanted: Wanted<'_>) -> ErrorClass {
    match wanted {
        Wanted::Call(..) => ErrorClass::NoCall,
        Wanted::Refusal => ErrorClass::NoRefusal,
        Wanted::Question(_) => ErrorClass::NoQuestion,
    }
}

fn refused(wanted: Wanted<'_>, rule: RefusalRule) -> Verdict {
    match wanted {
        Wanted::Refusal => Verdict::right(Status::Refusal(rule)),
        Wanted::Call(..) | Wanted::Question(_) => {
            fails(wanted, Status::Refusal(rule), ErrorClass::Refused, "it refuses though a tool fits")
        }
    }
}

/// A verdict on an answer that has nothing to compare.
fn fails(wanted: Wanted<'_>, status: Status, class: ErrorClass, reason: &str) -> Verdict {
    let missing = match wanted {
        Wanted::Call(_, gold) => u32::try_from(gold.arguments.len()).unwrap_or(u32::MAX),
        Wanted::Refusal | Wanted::Question(_) => 0,
    };
    let mut verdict = Verdict { func_ok: false, args_ok: false, missing, ..Verdict::right(status) };
    verdict.fail(class, reason);
    verdict
}

// The ways in which an answer fails.

/// Why an answer is not right. The first that applies is counted; others may apply as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// There is no prediction.
    NoPrediction,
    /// The model could not be reached; nothing was said.
    Transport,
    /// A call was meant and cannot be read.
    Unparsable,
    /// A call was wanted and there are words.
    NoCall,
    /// A call was wanted and the model refuses.
    Refused,
    /// One call was wanted and there are several.
    SeveralCalls,
    /// The model calls a tool and refuses as well.
    CallAndRefusal,
    /// The call is of a tool that was not shown.
    NotOffered,
    /// The call is of another tool that was shown.
    WrongFunction,
    /// A parameter that was said is not given.
    MissingParameter,
    /// A parameter is given that was not said.
    InventedParameter,
    /// A value is the one that was right earlier.
    StaleValue,
    /// A value is another one.
    WrongValue,
    /// No tool fits and the model calls one.
    CalledInsteadOfRefusal,
    /// No tool fits and the model says something else.
    NoRefusal,
    /// Required arguments are missing and the model calls a tool.
    CalledInsteadOfQuestion,
    /// Required arguments are missing and the model does not ask for them.
    NoQuestion,
}

impl ErrorClass {
    /// The name under which it is counted.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoPrediction => "no_prediction",
            Self::Transport => "transport",
            Self::Unparsable => "unparsable",
            Self::NoCall => "no_call",
            Self::Refused => "refused",
            Self::SeveralCalls => "several_calls",
            Self::CallAndRefusal => "call_and_refusal",
            Self::NotOffered => "not_offered",
            Self::WrongFunction => "wrong_function",
            Self::MissingParameter => "missing_parameter",
            Self::InventedParameter => "invented_parameter",
            Self::StaleValue => "stale_value",
            Self::WrongValue => "wrong_value",
            Self::CalledInsteadOfRefusal => "called_instead_of_refusal",
            Self::NoRefusal => "no_refusal",
            Self::CalledInsteadOfQuestion => "called_instead_of_question",
            Self::NoQuestion => "no_question",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::refusals;
    use crate::record::Object;
    use indexmap::IndexMap;

    fn judge_with(wanted: Option<&str>, answer: Answer<'_>) -> Verdict {
        let rules = Rules { refusals: refusals(&["en", "ko", "zh"]), ..Rules::default() };
        let arguments: Object = wanted.map(|json| serde_json::from_str(json).unwrap()).unwrap_or_default();
        let earlier = [("to".to_owned(), vec!["Lisbon".into()])].into();
        let gold = Gold { arguments: &arguments, acceptable: &IndexMap::new(), earlier: &earlier };
        rules.judge(if wanted.is_some() { Wanted::Call("A.B.book", gold) } else { Wanted::Refusal }, answer)
    }

    fn judge(wanted: Option<&str>, text: &str) -> Verdict {
        let turn = PredictionTurn { content: Some(text.to_owned()), ..PredictionTurn::default() };
        judge_with(wanted, Answer::Said(&turn))
    }

    fn errors(wanted: Option<&str>, text: &str) -> Vec<&'static str> {
        judge(wanted, text).errors.into_iter().map(ErrorClass::as_str).collect()
    }

    const GOLD: Option<&str> = Some(r#"{"to": "Porto", "n": 2}"#);

    #[test]
    fn a_right_call_is_right_whatever_its_form() {
        let verdict = judge(GOLD, "```\nA.B.book(n='2', to='porto.')\n```");
        assert!(verdict.right && verdict.func_ok && verdict.args_ok && verdict.errors.is_empty());
        assert_eq!((verdict.way.unwrap().to_string().as_str(), verdict.reason.as_str()), ("fenced_python", ""));
    }

    #[test]
    fn each_fault_has_its_class() {
        let call = |arguments: &str| format!(r#"{{"name": "A.B.book", "arguments": {arguments}}}"#);
        for (text, class) in [
            (r#"{"name": "A.B.cancel", "arguments": {"to": "Porto", "n": 2}}"#.to_owned(), "wrong_function"),
            (call(r#"{"to": "Porto"}"#), "missing_parameter"),
            (call(r#"{"to": "Porto", "n": 2, "by": "bus"}"#), "invented_parameter"),
            (call(r#"{"to": "Lisbon", "n": 2}"#), "stale_value"),
            (call(r#"{"to": "Braga", "n": 2}"#), "wrong_value"),
            (call(r#"{"to": "Porto", "n": "#), "unparsable"),
            (call(r#"{"to": "Porto", "n": 2}"#) + &call(r#"{"to": "Braga"}"#), "several_calls"),
            ("Which day?".to_owned(), "no_call"),
            (String::new(), "no_call"),
            ("None of the tools can do that.".to_owned(), "refused"),
            ("[]".to_owned(), "refused"),
            (
                format!("Sorry, no tool is suitable for your request. {}", call(r#"{"to": "Porto", "n": 2}"#)),
                "call_and_refusal",
            ),
        ] {
            let verdict = judge(GOLD, &text);
            assert_eq!(errors(GOLD, &text), [class], "{text}: {}", verdict.reason);
            assert!(!verdict.right && !verdict.reason.is_empty());
        }
    }

    #[test]
    fn several_faults_are_all_told() {
        let text = r#"{"name": "A.B.find", "arguments": {"to": "Braga", "by": "bus"}}"#;
        assert_eq!(errors(GOLD, text), ["wrong_function", "missing_parameter", "invented_parameter", "wrong_value"]);
        assert_eq!(
            judge(GOLD, text).reason,
            "it calls `A.B.find` and not `A.B.book`; `n` is missing; `by` is invented; `to` is “Braga” and not “Porto”"
        );
    }

    #[test]
    fn where_no_tool_fits_only_a_refusal_is_right() {
        for text in [
            "Sorry, no tool is suitable for your request.",
            "[]",
            r#"{"name": "none", "arguments": {}}"#,
            "맞는 도구가 없어요",
        ] {
            assert!(judge(None, text).right, "{text}");
        }
        assert_eq!(errors(None, r#"{"name": "A.B.book", "arguments": {}}"#), ["called_instead_of_refusal"]);
        assert_eq!(errors(None, "Where to?"), ["no_refusal"]);
        assert_eq!(errors(None, ""), ["no_refusal"]);
        assert!(judge(None, "No tool can do that {yet}.").right);
    }

    #[test]
    fn where_arguments_are_missing_only_a_question_is_right() {
        let rules = Rules {
            refusals: refusals(&["en"]),
            questions: QuestionWords::new(vec!["?".to_owned()], []),
            ..Rules::default()
        };
        let topics = ["to".to_owned(), "The station".to_owned()];
        let judge = |text: &str| {
            let turn = PredictionTurn { content: Some(text.to_owned()), ..PredictionTurn::default() };
            let verdict = rules.judge(Wanted::Question(&topics), Answer::Said(&turn));
            assert_eq!(verdict.right, verdict.errors.is_empty(), "{text}: {}", verdict.reason);
            (verdict.status.as_str(), verdict.errors.first().copied().map_or("", ErrorClass::as_str))
        };
        assert_eq!(judge("Where to?"), ("question", ""));
        assert_eq!(judge("Please tell me the station."), ("question", ""));
        assert_eq!(judge("Done."), ("words", "no_question"));
        assert_eq!(judge(""), ("nothing", "no_question"));
        assert_eq!(judge("Sorry, no tool is suitable for your request."), ("refusal", "refused"));
        assert_eq!(judge(r#"{"name": "A.B.book", "arguments": {}}"#), ("call", "called_instead_of_question"));
        assert_eq!(judge(r#"Where to? {"name": "A.B.book", "#), ("broken", "unparsable"));
    }

    #[test]
    fn what_was_not_said_is_not_an_answer() {
        let missing = judge_with(GOLD, Answer::Missing);
        assert_eq!(
            (missing.status.as_str(), missing.errors[0].as_str(), missing.missing),
            ("no_prediction", "no_prediction", 2)
        );
        let failed = judge_with(None, Answer::Failed("HTTP 429"));
        assert_eq!((failed.errors[0].as_str(), failed.reason.as_str()), ("transport", "HTTP 429"));
    }

    #[test]
    fn native_calls_are_judged_alike() {
        let turn = PredictionTurn {
            content: Some("Sorry, no tool is suitable for your request.".to_owned()),
            tool_calls: vec![("A.B.book".to_owned(), r#"{"to": "Porto", "n": 2}"#.to_owned())],
            ..PredictionTurn::default()
        };
        assert!(judge_with(GOLD, Answer::Said(&turn)).right);
    }
}

#[cfg(test)]
mod error_tests {
    use super::*;

    #[test]
    fn it_is_written_by_the_name_under_which_it_is_counted() {
        for class in [ErrorClass::NoPrediction, ErrorClass::StaleValue, ErrorClass::CalledInsteadOfRefusal] {
            assert_eq!(serde_json::to_value(class).unwrap(), class.as_str());
        }
    }
}
