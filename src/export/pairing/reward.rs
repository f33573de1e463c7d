//! Whether a reply does what a lesson teaches: the same rule for preference pairs, as a reward, and for a trainer that asks.

use crate::export::lessons::lesson::{Aim, Lesson, object};
use crate::export::lessons::teach::Teacher;
use crate::export::lessons::wording::Wording;
use crate::export::look;
use crate::export::rename::safe;
use crate::format::{Bench, BenchError};
use crate::record::{FunctionCall, Object, Origin, Paradigm, PredictionTurn, Value};
use crate::score::extract::{Reading, read_turn};
use crate::score::{Differences, Gold, ValueWords, missing_of, topics};
use crate::suite::hammerbench::LocaleRules;
use crate::suite::hammerbench::metric::strict::{Answer, Rules, Status, Verdict, Wanted};
use indexmap::IndexMap;
use std::collections::BTreeMap;

/// What is right, kept apart from the lesson's words.
#[derive(Debug, Clone, PartialEq)]
pub struct Right {
    /// What it ends in.
    pub aim: Aim,
    /// The calls of the first step.
    pub calls: Vec<FunctionCall>,
    /// Further values that are as right, by parameter.
    pub acceptable: IndexMap<String, Vec<Value>>,
    /// Parameters for which any words are right.
    pub open: Vec<String>,
    /// Names and descriptions of the parameters that a question is to be for.
    pub asked: Vec<String>,
    /// What is right while required arguments are missing.
    pub paradigm: Paradigm,
    /// The locale.
    pub locale: String,
    /// What the called tools are called in exported rows, where that is another name and no other tool's.
    pub exported: BTreeMap<String, String>,
}

/// What a reply is worth, and why.
#[derive(Debug, Clone, PartialEq)]
pub struct Reward {
    /// From 0 to 1.
    pub reward: f64,
    /// The kind of fault; `right` where there is none.
    pub reason: &'static str,
    /// What exactly.
    pub detail: String,
}

/// Judges replies by what their locales say: the words that `score` has too.
#[derive(Debug)]
pub struct Judge {
    locales: LocaleRules,
}

impl Default for Judge {
    fn default() -> Self {
        Self { locales: LocaleRules::new(crate::assets()) }
    }
}

impl Right {
    /// What is right by a lesson.
    pub fn of(lesson: &Lesson) -> Self {
        let is_open = |(_, note): &(&String, &crate::record::Argument)| note.origin == Origin::Open;
        let steps = match &lesson.sample.expected {
            crate::record::Expected::Steps(steps) => {
                steps.first().map(|step| step.notes.as_slice()).unwrap_or_default()
            }
            _ => std::slice::from_ref(&lesson.sample.arguments),
        };
        let calls = lesson.taught().first().map(|turn| turn.calls.clone()).unwrap_or_default();
        let is_free = |name: &String| lesson.tools.iter().all(|tool| tool.name != *name);
        let names = calls.iter().map(|call| (safe(&call.name), call.name.clone()));
        Self {
            aim: lesson.aim,
            exported: names.filter(|(name, _)| is_free(name)).collect(),
            calls,
            acceptable: lesson.sample.acceptable.clone(),
            open: steps.iter().flatten().filter(is_open).map(|(name, _)| name.clone()).collect(),
            asked: asked(lesson),
            paradigm: lesson.paradigm,
            locale: lesson.sample.locale.clone(),
        }
    }

    /// What is right by a row's `ground_truth`, as an object or as its text; what is not told there is empty.
    pub fn read(truth: &Value) -> Option<Self> {
        let read = truth.as_str().map(Value::read).transpose().ok()?;
        let truth = read.as_ref().unwrap_or(truth).as_object()?;
        let field = |name: &str| truth.get(name).map(Value::to_string);
        let text = |name: &str| truth.get(name).and_then(Value::as_str);
        let names = |name: &str| field(name).map_or_else(|| Some(Vec::new()), |it| serde_json::from_str(&it).ok());
        let acceptable = match truth.get("acceptable") {
            None => IndexMap::new(),
            Some(it) => {
                let list = |(name, values): (&String, &Value)| Some((name.clone(), values.as_list()?.to_vec()));
                it.as_object()?.iter().map(list).collect::<Option<_>>()?
            }
        };
        Some(Self {
            aim: Aim::named(text("aim")?)?,
            calls: field("calls").map_or_else(|| Some(Vec::new()), |it| serde_json::from_str(&it).ok())?,
            acceptable,
            open: names("open")?,
            asked: names("asked")?,
            paradigm: text("paradigm").map_or(Some(Paradigm::Ask), Paradigm::named)?,
            locale: text("locale").unwrap_or("en").to_owned(),
            exported: BTreeMap::new(),
        })
    }

    /// As data, for trainers that compute the reward themselves.
    pub fn shown(&self) -> Value {
        let calls = self.calls.iter().map(crate::export::row::call_value).collect();
        let acceptable: Object =
            self.acceptable.iter().map(|(name, values)| (name.clone(), Value::List(values.clone()))).collect();
        let list = |texts: &[String]| Value::List(texts.iter().map(|text| text.as_str().into()).collect());
        Value::Object(object([
            ("aim", self.aim.as_str().into()),
            ("calls", Value::List(calls)),
            ("acceptable", acceptable.into()),
            ("open", list(&self.open)),
            ("asked", list(&self.asked)),
            ("paradigm", self.paradigm.as_str().into()),
            ("locale", self.locale.as_str().into()),
        ]))
    }
}

impl Reward {
    fn right() -> Self {
        Self { reward: 1.0, reason: "right", detail: String::new() }
    }

    /// No reward.
    pub fn wrong(reason: &'static str, detail: impl Into<String>) -> Self {
        Self { reward: 0.0, reason, detail: detail.into() }
    }

    /// Whether the reply is right.
    pub fn is_right(&self) -> bool {
        self.reward >= 1.0
    }
}

impl Judge {
    /// What a reply is worth.
    pub fn reward(&mut self, right: &Right, reply: &PredictionTurn) -> Reward {
        // A locale whose files cannot be read has no words of its own.
        let none = Rules::default();
        let rules = self.locales.of(&right.locale).unwrap_or(&none);
        if right.aim == Aim::Question {
            return question(&rules.judge(Wanted::Question(&right.asked), Answer::Said(reply)));
        }
        let text = reply.content.as_deref().unwrap_or_default();
        let said = match read_turn(reply) {
            Reading::Calls(calls, _) => calls,
            Reading::Broken => return Reward::wrong("unreadable_call", ""),
            Reading::Nothing => return Reward::wrong("nothing_said", ""),
            Reading::Words => Vec::new(),
        };
        let refuses = rules.refusals.in_words(text).is_some();
        match (right.aim, said.as_slice()) {
            (Aim::Call, []) => Reward::wrong("no_call", ""),
            (Aim::Call, said) => compare(right, said, &rules.values),
            (aim, [call, ..]) => not_wanted(&call.name, aim),
            (Aim::Refusal, []) if !refuses => Reward::wrong("no_refusal", ""),
            (Aim::Answer, []) if refuses => Reward::wrong("refusal_not_wanted", ""),
            _ => Reward::right(),
        }
    }
}

/// What a question is worth, by the verdict of `score --paradigm ask`.
fn question(verdict: &Verdict) -> Reward {
    match (verdict.errors.first(), &verdict.parsed, verdict.status) {
        (None, ..) => Reward::right(),
        (_, Some(call), _) => not_wanted(&call.name, Aim::Question),
        (_, _, Status::Broken) => Reward::wrong("unreadable_call", ""),
        (_, _, Status::Nothing) => Reward::wrong("nothing_said", ""),
        (_, _, Status::Refusal(_)) => Reward::wrong("refusal_not_wanted", ""),
        _ => Reward::wrong("no_question", ""),
    }
}

fn not_wanted(call: &str, aim: Aim) -> Reward {
    let wanted = match aim {
        Aim::Call => "where another call is right",
        Aim::Question => "where a question is right",
        Aim::Refusal => "where a refusal is right",
        Aim::Answer => "where an answer in words is right",
    };
    Reward::wrong("call_not_wanted", format!("`{call}` {wanted}"))
}

/// Names and descriptions of the parameters that a question may be for: all that the right call lacks.
fn asked(lesson: &Lesson) -> Vec<String> {
    let missing = missing_of(&lesson.sample, &lesson.tools);
    let is_question = lesson.aim == Aim::Question && !missing.is_empty();
    topics(&lesson.tools, if is_question { &missing } else { &lesson.asked })
}

/// Every right call once, in any order.
fn compare(right: &Right, said: &[FunctionCall], words: &ValueWords) -> Reward {
    let mut rest: Vec<&FunctionCall> = said.iter().collect();
    for gold in &right.calls {
        // A trainer may know the tool by the name that it has in the exported rows.
        let is_meant = |said: &FunctionCall| *right.exported.get(&said.name).unwrap_or(&said.name) == gold.name;
        let of_name: Vec<usize> = (0..rest.len()).filter(|at| is_meant(rest[*at])).collect();
        let fit = of_name.iter().find(|at| difference(right, gold, rest[**at], words).is_none());
        match (fit, of_name.first()) {
            (Some(at), _) => drop(rest.remove(*at)),
            (None, Some(at)) => {
                let (reason, detail) =
                    difference(right, gold, rest[*at], words).unwrap_or(("wrong_value", String::new()));
                return Reward::wrong(reason, detail);
            }
            (None, None) => return Reward::wrong("wrong_function", format!("`{}` is not called", gold.name)),
        }
    }
    rest.first().map_or_else(Reward::right, |call| Reward::wrong("extra_call", format!("`{}`", call.name)))
}

fn difference(
    right: &Right,
    gold: &FunctionCall,
    said: &FunctionCall,
    words: &ValueWords,
) -> Option<(&'static str, String)> {
    let nothing = IndexMap::new();
    let gold = Gold { arguments: &gold.arguments, acceptable: &right.acceptable, earlier: &nothing };
    let found = Differences::between(gold, &said.arguments, words);
    let is_accepted = |name: &&String| {
        let values = right.acceptable.get(*name).map(Vec::as_slice).unwrap_or_default();
        said.arguments.get(*name).is_some_and(|said| values.iter().any(|value| words.same(value, said)))
    };
    let invented = found.invented.iter().find(|name| !is_accepted(name));
    let wrong = found.wrong.iter().find(|it| !right.open.contains(&it.parameter));
    match (found.missing.first(), invented, wrong) {
        (Some(name), _, _) => Some(("missing_parameter", format!("`{name}`"))),
        (_, Some(name), _) => Some(("invented_parameter", format!("`{name}`"))),
        (_, _, Some(it)) => Some(("wrong_value", format!("`{}` is {} and not {}", it.parameter, it.said, it.gold))),
        _ => None,
    }
}

// What is right for every sample of a bench, by id.

/// They are all held, since a trainer asks for them in any order; of a sample that cannot be taught there is none.
#[derive(Debug, Default)]
pub struct Rights(BTreeMap<String, Right>);

impl Rights {
    /// Reads a bench.
    pub fn of(bench: &Bench, paradigm: Paradigm) -> Result<Self, BenchError> {
        let mut teacher = Teacher { wording: Wording::new(0), paradigm };
        let mut rights = BTreeMap::new();
        look::each::<BenchError>(bench, &mut |sample, around| {
            if let Ok((lesson, _)) = teacher.lesson(sample, around) {
                rights.insert(lesson.id().to_owned(), Right::of(&lesson));
            }
            Ok(())
        })?;
        Ok(Self(rights))
    }

    /// What is right for a sample; a copy (`.../copy/1`) is as its original.
    pub fn find(&self, id: &str) -> Option<&Right> {
        self.0.get(id).or_else(|| self.0.get(id.rsplit_once("/copy/")?.0))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::{lesson, parallel};

    fn told(lesson: &Lesson, reply: &str) -> (bool, &'static str) {
        let turn: PredictionTurn = serde_json::from_str(reply).unwrap();
        let reward = Judge::default().reward(&Right::of(lesson), &turn);
        (reward.is_right(), reward.reason)
    }

    fn called(name: &str, arguments: &str) -> String {
        serde_json::json!({"tool_calls": [[name, arguments]]}).to_string()
    }

    #[test]
    fn the_name_of_another_tool_is_never_taken_for_the_exported_one() {
        let mut lesson = lesson("call");
        std::sync::Arc::make_mut(&mut lesson.tools[1]).name = "Rail_book".to_owned();
        assert_eq!(told(&lesson, &called("Rail_book", r#"{"to": "porto"}"#)).1, "wrong_function");
    }

    #[test]
    fn the_right_call_is_worth_one_and_each_fault_has_its_name() {
        let lesson = lesson("call");
        for (name, arguments, reason) in [
            ("Rail.book", r#"{"to": "porto"}"#, "right"),
            ("Rail_book", r#"{"to": "porto"}"#, "right"),
            ("Railbook", r#"{"to": "porto"}"#, "wrong_function"),
            ("Rail_cancel", "{}", "wrong_function"),
            ("Rail.book", r#"{"to": "Faro"}"#, "wrong_value"),
            ("Rail.book", "{}", "missing_parameter"),
            ("Rail.book", r#"{"to": "Porto", "seats": 2}"#, "invented_parameter"),
            ("Rail.cancel", "{}", "wrong_function"),
            ("Rail.book", "{", "unreadable_call"),
        ] {
            assert_eq!(told(&lesson, &called(name, arguments)).1, reason, "{name} {arguments}");
        }
        assert_eq!(
            (told(&lesson, r#"{"content": "Where to?"}"#).1, told(&lesson, "{}").1),
            ("no_call", "nothing_said")
        );
    }

    #[test]
    fn words_are_right_where_words_are_wanted() {
        assert_eq!(told(&lesson("question"), r#"{"content": "Where to?"}"#).1, "right");
        assert_eq!(told(&lesson("question"), r#"{"content": "I still need the station."}"#).1, "right");
        for text in ["Done.", "Okay, I will do that right away."] {
            let reply = serde_json::json!({ "content": text }).to_string();
            assert_eq!(told(&lesson("question"), &reply).1, "no_question", "{text}");
        }
        assert_eq!(told(&lesson("answer"), r#"{"content": "Done."}"#).1, "right");
        assert_eq!(
            told(&lesson("question"), r#"{"content": "Sorry, no tool is suitable for your request."}"#).1,
            "refusal_not_wanted"
        );
        assert_eq!(told(&lesson("refusal"), r#"{"content": "Sorry, I have no function for that."}"#).1, "right");
        assert_eq!(told(&lesson("refusal"), r#"{"content": "Where to?"}"#).1, "no_refusal");
        assert_eq!(told(&lesson("refusal"), &called("Rail.cancel", "{}")).1, "call_not_wanted");
    }

    #[test]
    fn parallel_calls_may_come_in_any_order_and_no_more_of_them() {
        let two = |names: &[(&str, &str)]| serde_json::json!({"tool_calls": names}).to_string();
        let (porto, faro) = (("Rail.book", r#"{"to":"Porto","seats":2}"#), ("Rail.book", r#"{"to":"Faro"}"#));
        assert_eq!(told(&parallel(), &two(&[faro, porto])).1, "right");
        assert_eq!(told(&parallel(), &two(&[faro, porto, ("Rail.cancel", "{}")])).1, "extra_call");
        assert_eq!(told(&parallel(), &two(&[faro])).1, "missing_parameter");
    }

    #[test]
    fn what_is_right_is_data_too() {
        let mut lesson = lesson("call");
        lesson.sample.acceptable = [("to".to_owned(), vec!["Oporto".into()])].into();
        assert_eq!(told(&lesson, &called("Rail.book", r#"{"to": "Oporto"}"#)).1, "right");
        assert_eq!(
            Right::of(&lesson).shown().to_string(),
            r#"{"aim":"call","calls":[{"name":"Rail.book","arguments":{"to":"Porto"}}],"acceptable":{"to":["Oporto"]},"open":[],"asked":[],"paradigm":"ask","locale":"en"}"#
        );
    }

    #[test]
    fn what_is_right_is_read_from_its_data() {
        for lesson in [lesson("call"), lesson("question"), lesson("refusal"), parallel()] {
            let mut right = Right::of(&lesson);
            right.acceptable = [("to".to_owned(), vec!["Oporto".into()])].into();
            right.open = vec!["note".to_owned()];
            // The names of a row are those that its tools have in it.
            right.exported = BTreeMap::new();
            assert_eq!(Right::read(&right.shown()), Some(right.clone()));
            assert_eq!(Right::read(&right.shown().to_string().into()), Some(right));
        }
        assert_eq!(Right::of(&lesson("question")).asked, ["to", "The station"]);
        for text in ["{}", "[]", "1", r#""{""#, r#"{"aim":"jump"}"#, r#"{"aim":"call","calls":[1]}"#] {
            assert_eq!(Right::read(&Value::read(text).unwrap()), None, "{text}");
        }
    }
}

#[cfg(test)]
mod rights_tests {
    use super::*;
    use crate::export::testing::lesson;

    #[test]
    fn a_copy_is_as_its_original() {
        let lesson = lesson("call");
        let rights = Rights([(lesson.id().to_owned(), Right::of(&lesson))].into());
        assert!(rights.find(lesson.id()).is_some() && rights.find("Rail.book/ask/0/copy/2").is_some());
        assert!(rights.find("Rail.book/ask/1").is_none() && rights.find("x/copy/1").is_none());
        assert_eq!((rights.len(), rights.is_empty()), (1, false));
    }
}
