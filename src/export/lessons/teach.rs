//! A sample becomes a lesson: what should really be learned from it.

use crate::export::lessons::faults::{has, is_taken, mask};
use crate::export::lessons::lesson::{Aim, Learn, Lesson, Turn};
use crate::export::lessons::sources::of_lesson;
use crate::export::lessons::wording::Wording;
use crate::export::loss::{Loss, Rule};
use crate::record::{
    ArgumentNotes, Expected, FunctionCall, Message, Object, Origin, Paradigm, Role, Sample, Step, Tool, Value,
};
use crate::score::{is_given, missing_required};

/// A required parameter that nobody gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Missing {
    /// The tool.
    pub tool: String,
    /// The parameter.
    pub parameter: String,
}

/// What is known around a sample: its neighbours in the same conversation.
#[derive(Debug, Default)]
pub(crate) struct Around {
    /// Complete calls that were right at earlier turns, with the number of messages before each.
    pub earlier: Vec<(usize, FunctionCall)>,
    /// What the assistant said to this very turn, where a later sample shows it.
    pub said_next: Option<String>,
    /// The parameters that it asked for thereby: those that the person's next turn gave.
    pub asked: Vec<String>,
    /// Places of earlier replies which asked for nothing while something was missing.
    pub idle: Vec<usize>,
}

/// What a target is to be.
struct Target {
    turns: Vec<Turn>,
    aim: Aim,
    asked: Vec<String>,
    /// Which steps are not there, because an answer before them is not known.
    cut: Option<String>,
}

/// A lesson, with what of its sample it does not teach; or why there is none.
pub(crate) type Taught = Result<(Lesson, Vec<Loss>), Loss>;

/// Makes lessons.
#[derive(Debug, Clone)]
pub(crate) struct Teacher {
    /// Where words come from.
    pub wording: Wording,
    /// What is learned while arguments are missing.
    pub paradigm: Paradigm,
}

impl Teacher {
    /// The lesson of a sample.
    pub(crate) fn lesson(&mut self, sample: Sample, around: &Around) -> Taught {
        let target =
            self.target(&sample, around).map_err(|(rule, detail)| Loss::row(sample.id.as_str(), rule, detail))?;
        let mut turns = history(&sample.messages);
        match self.paradigm {
            Paradigm::Ask => {
                self.mask_idle(&sample.locale, &mut turns, &around.idle);
                insert_calls(&mut turns, &around.earlier);
                self.mask_done(&sample.locale, &mut turns);
            }
            Paradigm::Snapshot => turns.iter_mut().for_each(|turn| turn.learn = turn.learn.max_context()),
        }
        self.tell_time(&sample, &mut turns);
        let first = turns.len();
        let before = turns.iter().map(|turn| turn.calls.len()).sum::<usize>();
        turns.extend(
            target.turns.into_iter().map(|turn| Turn { answers: turn.answers.map(|call| call + before), ..turn }),
        );
        mask(&mut turns, &sample.candidates);
        let (aim, asked, paradigm, tools) = (target.aim, target.asked, self.paradigm, sample.candidates.clone());
        let lost = target.cut.map(|steps| Loss::part(sample.id.as_str(), Rule::NoAnswer, steps));
        let lesson = Lesson { turns, target: first, aim, asked, paradigm, tools, sample };
        match of_lesson(&lesson) {
            Some(value) => Err(Loss::row(lesson.id(), Rule::NoSource, value.to_string())),
            None => Ok((lesson, lost.into_iter().collect())),
        }
    }

    /// Marks replies that ask for nothing while something is missing.
    fn mask_idle(&mut self, locale: &str, turns: &mut [Turn], idle: &[usize]) {
        for at in idle {
            let Some(turn) = turns.get_mut(*at).filter(|turn| is_reply(turn)) else { continue };
            if !self.wording.asks(locale, turn.text.as_deref().unwrap_or_default()) {
                turn.learn = Learn::Wrong;
            }
        }
    }

    /// Marks replies which say that a thing is done where no tool has just said so, and those of a benchmark's scaffold.
    fn mask_done(&mut self, locale: &str, turns: &mut [Turn]) {
        let mut is_told = false;
        for turn in turns {
            let text = turn.text.as_deref().filter(|_| is_reply(turn)).unwrap_or_default();
            let wording = &mut self.wording;
            if wording.is_scaffold(locale, text) || !is_told && wording.is_done(locale, text) {
                turn.learn = Learn::Wrong;
            }
            is_told = turn.role == Role::Tool;
        }
    }

    /// Where a value follows from the time, the time is told.
    fn tell_time(&mut self, sample: &Sample, turns: &mut Vec<Turn>) {
        let has_system = turns.first().is_some_and(|turn| turn.role == Role::System);
        let time = sample.reference_time.as_deref().filter(|_| !has_system);
        if let Some(text) = time.and_then(|time| self.wording.time(&sample.locale, time)) {
            turns.insert(0, Turn::said(Role::System, text));
        }
    }

    fn target(&mut self, sample: &Sample, around: &Around) -> Result<Target, (Rule, String)> {
        let words = |text: Option<String>, aim: Aim, asked: Vec<String>| {
            let text = text.filter(|text| !text.trim().is_empty()).ok_or((Rule::NoWords, aim.as_str().to_owned()))?;
            Ok(Target { turns: vec![Turn::said(Role::Assistant, text)], aim, asked, cut: None })
        };
        match &sample.expected {
            Expected::Call(call) => self.calls(sample, &[one(call, &sample.arguments)], around),
            Expected::Steps(steps) => self.calls(sample, steps, around),
            Expected::Refusal => {
                let own = fact(sample, "gold_text").or_else(|| fact(sample, crate::record::REFUSAL_FACT));
                words(self.wording.refusal(&sample.locale, own.as_deref()), Aim::Refusal, Vec::new())
            }
            Expected::Question(asked) => {
                let own = fact(sample, "gold_text").or_else(|| self.said(sample, around));
                words(own.or_else(|| self.ask_any(sample, asked)), Aim::Question, asked.clone())
            }
            Expected::Answer(text) => words(Some(text.clone()), Aim::Answer, Vec::new()),
            // The words after calls tell answers, which such a sample does not show.
            Expected::Acts(acts) if calls_in_turn(sample) => Err((Rule::DialogueAct, acts.join(", "))),
            Expected::Acts(_) => words(fact(sample, "turn_text"), Aim::Answer, Vec::new()),
        }
    }

    /// A question whose sample does not say of which tool the parameters are.
    fn ask_any(&mut self, sample: &Sample, asked: &[String]) -> Option<String> {
        let holds = |tool: &&std::sync::Arc<Tool>| asked.iter().all(|name| has(tool, name));
        let tool = sample.candidates.iter().find(holds)?.name.clone();
        self.wording.question(sample, &Missing { tool, parameter: asked.first()?.clone() })
    }

    fn calls(&mut self, sample: &Sample, steps: &[Step], around: &Around) -> Result<Target, (Rule, String)> {
        let known = answered(steps);
        let cut = (known < steps.len()).then(|| format!("steps from {} on", known + 1));
        let steps = resolved_steps(steps.get(..known).unwrap_or_default())?;
        if self.paradigm == Paradigm::Ask
            && let Some(lacking) = steps
                .iter()
                .flat_map(|step| &step.calls)
                .find_map(|call| Some(lacking(sample, call)).filter(|lacking| !lacking.is_empty()))
        {
            return self.question(sample, &lacking, around);
        }
        let stranger = |call: &&FunctionCall| !is_offered(sample, call);
        if let Some(call) = steps.iter().flat_map(|step| &step.calls).find(stranger) {
            return Err((Rule::NotOffered, call.name.clone()));
        }
        let is_told = steps.last().is_some_and(|step| step.answers.len() >= step.calls.len());
        let last_word = fact(sample, "final_answer");
        let cut = cut.or_else(|| (last_word.is_some() && !is_told).then(|| "the closing answer".to_owned()));
        let turns = dialogue(&steps, last_word.filter(|_| cut.is_none()));
        if turns.is_empty() {
            return Err((Rule::NoWords, Aim::Call.as_str().to_owned()));
        }
        Ok(Target { turns, aim: Aim::Call, asked: Vec::new(), cut })
    }
}

impl Teacher {
    /// The dialogue's own question, if it asks for something that is missing; else one for the first such thing.
    fn question(&mut self, sample: &Sample, lacking: &[Missing], around: &Around) -> Result<Target, (Rule, String)> {
        let names = lacking.iter().map(|it| it.parameter.clone());
        let named: Vec<String> = names.filter(|name| around.asked.contains(name)).collect();
        let said = self.said(sample, around).filter(|_| !named.is_empty());
        let first = lacking.first().ok_or((Rule::NoWords, String::new()))?;
        let (text, asked) = match said {
            Some(text) => (Some(text), named),
            None => (self.wording.question(sample, first), vec![first.parameter.clone()]),
        };
        let text = text.ok_or((Rule::NoWords, first.parameter.clone()))?;
        Ok(Target { turns: vec![Turn::said(Role::Assistant, text)], aim: Aim::Question, asked, cut: None })
    }

    /// What the assistant said next, if the next turn answered it.
    fn said(&mut self, sample: &Sample, around: &Around) -> Option<String> {
        let text = around.said_next.clone().filter(|_| !around.asked.is_empty())?;
        (!self.wording.is_done(&sample.locale, &text)).then_some(text)
    }
}

impl Learn {
    /// What may be learned becomes context.
    fn max_context(self) -> Self {
        if self == Self::Yes { Self::Context } else { self }
    }
}

/// The required parameters that a call lacks, in declared order.
pub(crate) fn lacking(sample: &Sample, call: &FunctionCall) -> Vec<Missing> {
    let missing = missing_required(&sample.candidates, call, |_, _| true).into_iter();
    missing.map(|name| Missing { tool: call.name.clone(), parameter: name.to_owned() }).collect()
}

/// Whether a turn is the assistant's words and nothing else.
fn is_reply(turn: &Turn) -> bool {
    turn.role == Role::Assistant && turn.calls.is_empty()
}

/// The only call that is right, as it would be written, if it is one.
pub(crate) fn gold_call(sample: &Sample) -> Option<FunctionCall> {
    let Expected::Call(call) = &sample.expected else { return None };
    resolved(call, Some(&sample.arguments), &[]).ok()
}

/// Whether a call is one that the sample's tools take whole.
pub(crate) fn is_complete(sample: &Sample, call: &FunctionCall) -> bool {
    is_taken(call, &sample.candidates)
}

fn is_offered(sample: &Sample, call: &FunctionCall) -> bool {
    let tool = sample.candidates.iter().find(|tool| tool.name == call.name);
    tool.is_some_and(|tool| call.arguments.keys().all(|name| has(tool, name)))
}

fn one(call: &FunctionCall, notes: &ArgumentNotes) -> Step {
    Step { calls: vec![call.clone()], answers: Vec::new(), notes: vec![notes.clone()] }
}

fn fact(sample: &Sample, name: &str) -> Option<String> {
    sample.provenance.facts.get(name).cloned()
}

/// Whether there are calls in the turn of a sample that asks for its dialogue acts.
fn calls_in_turn(sample: &Sample) -> bool {
    let calls = sample.provenance.facts.get("turn_calls");
    calls.and_then(|text| Value::read(text).ok()?.as_list().map(|calls| !calls.is_empty())).unwrap_or_default()
}

/// How many steps there are up to the first whose calls may need an answer that is not known.
fn answered(steps: &[Step]) -> usize {
    let open = steps.iter().position(|step| step.answers.len() < step.calls.len());
    open.map_or(steps.len(), |at| at + 1)
}

/// Every call with the values that it would really have.
fn resolved_steps(steps: &[Step]) -> Result<Vec<Step>, (Rule, String)> {
    let (mut answers, mut out): (Vec<Value>, Vec<Step>) = (Vec::new(), Vec::new());
    for step in steps {
        let call = |(at, call): (usize, &FunctionCall)| resolved(call, step.notes.get(at), &answers);
        let calls = step.calls.iter().enumerate().map(call).collect::<Result<_, _>>()?;
        answers.extend(step.answers.iter().cloned());
        out.push(Step { calls, answers: step.answers.clone(), notes: Vec::new() });
    }
    Ok(out)
}

/// Calls, their answers, and the last word if there is one; else it ends with the last calls.
fn dialogue(steps: &[Step], last_word: Option<String>) -> Vec<Turn> {
    let (mut turns, mut ordinal) = (Vec::new(), 0);
    for (at, step) in steps.iter().enumerate() {
        turns.push(Turn::called(step.calls.clone()));
        let goes_on = at + 1 < steps.len() || last_word.is_some();
        if goes_on {
            turns.extend(step.answers.iter().enumerate().map(|(at, it)| Turn::answered(ordinal + at, shown(it))));
        }
        ordinal += step.calls.len();
    }
    turns.extend(last_word.map(|text| Turn::said(Role::Assistant, text)));
    turns
}

/// What a tool's answer looks like as a message.
fn shown(answer: &Value) -> String {
    answer.as_str().map_or_else(|| answer.to_string(), str::to_owned)
}

fn history(messages: &[Message]) -> Vec<Turn> {
    let turn = |message: &Message| Turn {
        role: message.role,
        text: message.content.clone(),
        calls: message.tool_calls.clone(),
        answers: message.answers,
        reasoning: message.reasoning.clone(),
        learn: if message.train { Learn::Yes } else { Learn::Wrong },
    };
    messages.iter().map(turn).collect()
}

/// Puts the calls into a dialogue that shows only what was said about them: an assistant who says that a thing is done
/// without having done it teaches just that.
fn insert_calls(turns: &mut Vec<Turn>, earlier: &[(usize, FunctionCall)]) {
    for (at, call) in earlier.iter().rev() {
        let is_bare = turns.get(*at).is_some_and(|turn| turn.role == Role::Assistant && turn.calls.is_empty());
        if !is_bare {
            continue;
        }
        let ordinal = turns.iter().take(*at).map(|turn| turn.calls.len()).sum();
        turns.iter_mut().skip(*at).filter_map(|turn| turn.answers.as_mut()).for_each(|answers| *answers += 1);
        turns.splice(*at..*at, [Turn::called(vec![call.clone()]), Turn::answered(ordinal, r#"{"ok":true}"#)]);
    }
}

/// Where the values of a sample's right calls come from.
pub(crate) fn origins(sample: &Sample) -> Vec<&'static str> {
    let of_steps = if let Expected::Steps(steps) = &sample.expected { steps.as_slice() } else { &[] };
    let notes = std::iter::once(&sample.arguments).chain(of_steps.iter().flat_map(|step| &step.notes));
    let mut names: Vec<&str> = notes.flat_map(|notes| notes.values()).map(|note| note.origin.word()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

// The arguments of a right call as somebody would really write them: no placeholder, no padding.

/// What stands in a gold call for a value that comes from elsewhere, as `CallNavi` writes it.
const PLACEHOLDER: &str = crate::record::PLACEHOLDER;

/// The call with its values, where `answers` are those of all calls before it. The error names the parameter.
pub(crate) fn resolved(
    call: &FunctionCall,
    notes: Option<&ArgumentNotes>,
    answers: &[Value],
) -> Result<FunctionCall, (Rule, String)> {
    let mut arguments = Object::new();
    for (name, value) in &call.arguments {
        let note = notes.and_then(|notes| notes.get(name));
        if !is_given(value, note) {
            continue;
        }
        if !holds_placeholder(value) {
            arguments.insert(name.clone(), value.clone());
            continue;
        }
        let found = match note.map(|note| &note.origin) {
            Some(Origin::Answer { call, field }) => {
                answers.get(*call).and_then(|answer| pointed(answer, field)).cloned()
            }
            Some(Origin::Open) => note.and_then(|note| note.surface.as_deref()).map(Value::from),
            _ => None,
        };
        arguments.insert(name.clone(), found.ok_or_else(|| (Rule::Placeholder, name.clone()))?);
    }
    Ok(FunctionCall { name: call.name.clone(), arguments })
}

fn holds_placeholder(value: &Value) -> bool {
    match value {
        Value::String(text) => text == PLACEHOLDER,
        Value::List(list) => list.iter().any(holds_placeholder),
        Value::Object(object) => object.values().any(holds_placeholder),
        _ => false,
    }
}

/// The value at a JSON pointer.
pub(crate) fn pointed<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    pointer.split('/').skip(1).try_fold(value, |value, part| match value {
        Value::Object(object) => object.get(&part.replace("~1", "/").replace("~0", "~")),
        Value::List(list) => list.get(part.parse::<usize>().ok()?),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::{call, sample};
    use serde_json::{Value as Json, json};

    fn teacher(paradigm: Paradigm) -> Teacher {
        Teacher { wording: Wording::new(7), paradigm }
    }

    fn taught(expected: Json, paradigm: Paradigm) -> Result<Lesson, Loss> {
        Ok(teacher(paradigm).lesson(sample(expected), &Around::default())?.0)
    }

    fn made(sample: Sample, around: &Around) -> Lesson {
        teacher(Paradigm::Ask).lesson(sample, around).unwrap().0
    }

    #[expect(clippy::needless_pass_by_value, reason = "tests write values where they are wanted")]
    fn book(arguments: Json) -> Json {
        json!({"call": {"name": "Rail.book", "arguments": arguments}})
    }

    #[test]
    fn what_is_missing_is_asked_for_and_a_snapshot_calls_with_what_is_there() {
        let asked = taught(book(json!({"seats": 2})), Paradigm::Ask).unwrap();
        assert_eq!((asked.aim, asked.asked.as_slice()), (Aim::Question, ["to".to_owned()].as_slice()));
        let called = taught(book(json!({"seats": 2})), Paradigm::Snapshot).unwrap();
        assert_eq!(called.calls().next(), Some(&call("Rail.book", r#"{"seats":2}"#)));
        assert_eq!(taught(book(json!({"to": "Faro"})), Paradigm::Ask).unwrap().aim, Aim::Call);
    }

    #[test]
    fn the_question_is_the_one_that_the_dialogue_asks() {
        let asked = |text: &str, asked: &str| {
            let around =
                Around { said_next: Some(text.to_owned()), asked: vec![asked.to_owned()], ..Around::default() };
            let lesson = made(sample(book(json!({}))), &around);
            assert_eq!((lesson.aim, lesson.asked.as_slice()), (Aim::Question, ["to".to_owned()].as_slice()));
            lesson.turns.last().unwrap().text.clone().unwrap()
        };
        assert_eq!(asked("Which station?", "to"), "Which station?");
        for other in [asked("How many?", "seats"), asked("All done.", "to"), asked("success", "to")] {
            assert!(other.contains("The station"), "{other}");
        }
    }

    #[test]
    fn words_that_a_dialogue_says_without_need_are_not_the_question() {
        let around = Around { said_next: Some("Anything else?".to_owned()), ..Around::default() };
        let lesson = made(sample(book(json!({}))), &around);
        assert!(lesson.turns.last().unwrap().text.as_deref().unwrap().contains("The station"));
    }

    #[test]
    fn nobody_learns_to_say_that_a_thing_is_done_which_was_not_called() {
        let said = |text: &str, earlier: Vec<(usize, FunctionCall)>, idle: Vec<usize>| {
            let mut later = sample(book(json!({"to": "Porto"})));
            later.messages.push(Message::new(Role::Assistant, text));
            later.messages.push(Message::user("to Porto"));
            let around = Around { earlier, idle, ..Around::default() };
            let lesson = made(later, &around);
            lesson.turns.iter().find(|turn| turn.text.as_deref() == Some(text)).unwrap().learn
        };
        let called = || vec![(1, call("Rail.cancel", "{}"))];
        assert_eq!(said("Done.", Vec::new(), vec![1]), Learn::Wrong);
        assert_eq!((said("Done.", Vec::new(), vec![]), said("Done.", called(), vec![])), (Learn::Wrong, Learn::Yes));
        assert_eq!(said("success", called(), vec![]), Learn::Wrong);
        assert_eq!((said("I see.", vec![], vec![1]), said("Which one?", vec![], vec![1])), (Learn::Wrong, Learn::Yes));
    }

    #[test]
    fn a_chain_goes_on_with_its_answers_to_the_last_word() {
        let steps = json!({"steps": [
            {"calls": [{"name": "Rail.book", "arguments": {"to": "Faro"}}], "answers": [{"id": 10.25}]},
            {"calls": [{"name": "Rail.book", "arguments": {"to": "$$$"}}], "answers": ["gone"],
             "notes": [{"to": {"origin": {"answer": {"call": 0, "field": "/id"}}}}]},
        ]});
        let lesson = taught(steps.clone(), Paradigm::Ask).unwrap();
        assert_eq!((lesson.turns.len(), lesson.target), (4, 1));
        assert_eq!(lesson.turns[2].text.as_deref(), Some(r#"{"id":10.25}"#));
        assert_eq!(lesson.turns[3].calls[0], call("Rail.book", r#"{"to":10.25}"#));
        let mut sample = sample(steps);
        sample.provenance.facts.insert("final_answer".to_owned(), "Done.".to_owned());
        let lesson = made(sample, &Around::default());
        assert_eq!(
            (lesson.turns.len(), lesson.turns[4].answers, lesson.turns[5].text.as_deref()),
            (6, Some(1), Some("Done."))
        );
    }

    #[test]
    fn what_cannot_be_taught_says_why() {
        let rule = |expected| taught(expected, Paradigm::Ask).unwrap_err().rule;
        assert_eq!(rule(book(json!({"to": "$$$"}))), Rule::Placeholder);
        assert_eq!(rule(book(json!({"to": "Faro", "by": "sea"}))), Rule::NotOffered);
        assert_eq!(rule(json!({"call": {"name": "Rail.sell", "arguments": {}}})), Rule::NotOffered);
        assert_eq!(
            (rule(json!({"answer": " "})), rule(json!({"acts": ["x"]})), rule(json!({"steps": []}))),
            (Rule::NoWords, Rule::NoWords, Rule::NoWords)
        );
    }

    #[test]
    fn a_chain_ends_before_the_step_that_needs_an_answer_which_nobody_knows() {
        let step = |answers: Json| json!({"calls": [{"name": "Rail.cancel", "arguments": {}}], "answers": answers});
        let last = json!({"calls": [{"name": "Rail.book", "arguments": {"to": "$$$"}}], "answers": []});
        let mut sample = sample(json!({"steps": [step(json!(["ok"])), step(json!([])), last]}));
        sample.provenance.facts.insert("final_answer".to_owned(), "Done.".to_owned());
        let (lesson, lost) = teacher(Paradigm::Ask).lesson(sample.clone(), &Around::default()).unwrap();
        assert_eq!((lesson.taught().len(), lesson.calls().count()), (3, 2));
        assert_eq!(lost, [Loss::part("Rail.book/ask/0", Rule::NoAnswer, "steps from 3 on")]);
        sample.expected = serde_json::from_value(json!({"steps": [step(json!([]))]})).unwrap();
        let (lesson, lost) = teacher(Paradigm::Ask).lesson(sample, &Around::default()).unwrap();
        assert_eq!((lesson.taught().len(), lost[0].detail.as_str()), (1, "the closing answer"));
    }

    #[test]
    fn a_call_whose_identifier_comes_from_nowhere_is_not_taught() {
        let lost = taught(book(json!({"to": "PRT-77"})), Paradigm::Ask).unwrap_err();
        assert_eq!((lost.rule, lost.detail.as_str()), (Rule::NoSource, "Rail.book.to = PRT-77"));
        let two = json!({"steps": [{"calls": [
            {"name": "Rail.cancel", "arguments": {}}, {"name": "Rail.book", "arguments": {"to": "PRT-77"}},
        ], "answers": [{"id": "PRT-77"}, "ok"]}]});
        assert_eq!(taught(two, Paradigm::Ask).unwrap_err().rule, Rule::NoSource, "one needs the other's answer");
    }

    #[test]
    fn a_thing_that_is_said_to_be_done_was_called_before() {
        let mut later = sample(book(json!({"to": "Porto"})));
        later.messages.push(Message::new(Role::Assistant, "All done."));
        later.messages.push(Message::user("once more"));
        let around = Around { earlier: vec![(1, call("Rail.cancel", "{}"))], ..Around::default() };
        let lesson = made(later, &around);
        let roles: Vec<Role> = lesson.turns.iter().map(|turn| turn.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant, Role::User, Role::Assistant]);
        assert_eq!((lesson.turns[2].answers, lesson.turns[5].calls.len()), (Some(0), 1));
    }

    #[test]
    fn acts_are_the_words_that_were_spoken_and_no_calls() {
        let with = |facts: &[(&str, &str)]| {
            let mut sample = sample(json!({"acts": ["inform"]}));
            sample.provenance.facts.extend(facts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())));
            teacher(Paradigm::Ask)
                .lesson(sample, &Around::default())
                .map(|(lesson, _)| lesson.aim)
                .map_err(|it| it.rule)
        };
        assert_eq!(with(&[("turn_text", "At noon.")]), Ok(Aim::Answer));
        assert_eq!(with(&[("turn_text", "At noon."), ("turn_calls", "[]")]), Ok(Aim::Answer));
        let calls = ("turn_calls", r#"[{"name":"Rail.cancel","arguments":{}}]"#);
        assert_eq!(with(&[calls]), Err(Rule::DialogueAct));
        assert_eq!(with(&[calls, ("turn_text", "It leaves at noon.")]), Err(Rule::DialogueAct));
    }

    #[test]
    fn the_time_is_told_where_values_follow_from_it() {
        let mut sample = sample(book(json!({"to": "Faro"})));
        sample.reference_time = Some("2026-01-06T10:05:00".to_owned());
        let lesson = made(sample, &Around::default());
        assert!(lesson.turns[0].role == Role::System && lesson.turns[0].text.as_deref().unwrap().contains("10:05"));
    }
}

#[cfg(test)]
mod resolve_tests {
    use super::*;
    use crate::export::testing::{call, object};
    use crate::record::Argument;

    fn notes(name: &str, origin: Origin, surface: Option<&str>) -> ArgumentNotes {
        [(name.to_owned(), Argument { surface: surface.map(str::to_owned), origin, constraint: None })].into()
    }

    #[test]
    fn placeholders_become_what_they_stand_for() {
        let gold = call("f", r#"{"id":"$$$"}"#);
        let answers = [Value::Object(object(r#"{"rows":[{"a/b":7}]}"#))];
        let from = notes("id", Origin::Answer { call: 0, field: "/rows/0/a~1b".to_owned() }, None);
        assert_eq!(resolved(&gold, Some(&from), &answers).unwrap(), call("f", r#"{"id":7}"#));
        assert_eq!(resolved(&gold, Some(&from), &[]), Err((Rule::Placeholder, "id".to_owned())));
        let open = notes("id", Origin::Open, Some("three are missing"));
        assert_eq!(resolved(&gold, Some(&open), &[]).unwrap(), call("f", r#"{"id":"three are missing"}"#));
        assert_eq!(resolved(&gold, None, &[]).unwrap_err().0, Rule::Placeholder);
    }

    #[test]
    fn padding_and_what_nobody_said_are_left_out() {
        let gold = call("f", r#"{"a":"","b":null,"c":"$$$","d":false,"e":0}"#);
        let missing = notes("c", Origin::Missing, None);
        assert_eq!(resolved(&gold, Some(&missing), &[]).unwrap(), call("f", r#"{"d":false,"e":0}"#));
        let said = notes("a", Origin::Verbatim, Some(""));
        assert_eq!(resolved(&call("f", r#"{"a":""}"#), Some(&said), &[]).unwrap(), call("f", r#"{"a":""}"#));
        assert!(resolved(&call("f", r#"{"l":[{"x":"$$$"}]}"#), None, &[]).is_err());
    }
}
