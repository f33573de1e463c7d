//! Preference pairs and prompts with rewards.

use crate::export::lessons::faults;
use crate::export::lessons::lesson::{Aim, Lesson, Turn, object};
use crate::export::loss::{Loss, Rule};
use crate::export::pairing::reward::{Judge, Right};
use crate::export::row::{Reasoning, Written, llamafactory, openai, trl};
use crate::record::{Chance, FunctionCall, PredictionTurn, Role, Value};
use crate::score::extract::{Reading, read_turn};

/// A wrong reply, where it comes from and what is wrong with it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wrong {
    /// The reply.
    pub turn: Turn,
    /// `defect`, `reject` or `prediction`.
    pub from: &'static str,
    /// The kind of fault, and what exactly.
    pub reason: String,
}

/// Who reads a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reader {
    /// TRL.
    Trl,
    /// OpenAI.
    Openai,
    /// LLaMA-Factory.
    Llamafactory,
}

/// The right answer made wrong, as nearly right as it can be: `faults.rs` has the ways.
pub(crate) fn defect(lesson: &Lesson, judge: &mut Judge, seed: u64, copy: u32) -> Option<Wrong> {
    let mut chance = Chance::new(seed, "export.defect", lesson.id(), copy);
    let right = Right::of(lesson);
    if let Some(wrong) = faults::mistold(lesson, &mut chance) {
        return Some(wrong);
    }
    faults::ways(lesson, &mut chance).into_iter().find_map(|way| {
        let turn = way(lesson, &mut chance)?;
        wrong(&right, turn, "defect", judge)
    })
}

/// What a model said, if it is wrong.
pub(crate) fn predicted(lesson: &Lesson, said: &PredictionTurn, judge: &mut Judge) -> Option<Wrong> {
    let calls = match read_turn(said) {
        Reading::Calls(calls, _) => calls,
        Reading::Words => Vec::new(),
        Reading::Broken | Reading::Nothing => return None,
    };
    let text = said.content.clone().filter(|_| calls.is_empty());
    let turn = Turn { text, calls, reasoning: said.reasoning.clone(), ..Turn::called(Vec::new()) };
    wrong(&Right::of(lesson), turn, "prediction", judge)
}

/// What a draw called that a gate rejected, beside the lesson of its own request.
pub(crate) fn rejected(lesson: &Lesson, said: &FunctionCall, reason: &str, judge: &mut Judge) -> Option<Wrong> {
    let mut found = wrong(&Right::of(lesson), Turn::called(vec![said.clone()]), "reject", judge)?;
    found.reason = format!("{reason}: {}", found.reason);
    Some(found)
}

fn wrong(right: &Right, turn: Turn, from: &'static str, judge: &mut Judge) -> Option<Wrong> {
    let calls = turn.calls.iter();
    let reply = PredictionTurn {
        content: turn.text.clone(),
        tool_calls: calls.map(|it| (it.name.clone(), Value::Object(it.arguments.clone()).to_string())).collect(),
        ..PredictionTurn::default()
    };
    let reward = judge.reward(right, &reply);
    let detail = if reward.detail.is_empty() { String::new() } else { format!(": {}", reward.detail) };
    (!reward.is_right()).then(|| Wrong { turn, from, reason: format!("{}{detail}", reward.reason) })
}

/// The row of a pair.
pub(crate) fn row(lesson: &Lesson, wrong: &Wrong, reader: Reader, reasoning: Reasoning) -> Written {
    let first = lesson.taught().first().cloned().ok_or_else(|| Loss::row(lesson.id(), Rule::NoWords, ""))?;
    let whole = |last: Turn| lesson.prompt().iter().cloned().chain([last]).collect::<Vec<Turn>>();
    let last = |list: Value| {
        if let Value::List(mut list) = list { Value::List(list.split_off(list.len().saturating_sub(1))) } else { list }
    };
    let (chosen, rejected) = (whole(first), whole(wrong.turn.clone()));
    let (mut losses, mut row) = (Vec::new(), crate::record::Object::new());
    match reader {
        Reader::Trl => row.extend(object([
            ("prompt", trl::messages(lesson, lesson.prompt(), reasoning, false)),
            ("chosen", last(trl::messages(lesson, &chosen, reasoning, false))),
            ("rejected", last(trl::messages(lesson, &rejected, reasoning, false))),
            ("tools", trl::tools(lesson, false)),
        ])),
        Reader::Openai => {
            let mut input = object([("messages", openai::messages(lesson.prompt(), reasoning))]);
            input.extend(openai::tools(lesson));
            row.extend(object([
                ("input", input.into()),
                ("preferred_output", last(openai::messages(&chosen, reasoning))),
                ("non_preferred_output", last(openai::messages(&rejected, reasoning))),
            ]));
            return Ok((row, losses));
        }
        Reader::Llamafactory => {
            let mut turns = llamafactory::conversation(lesson, &chosen, reasoning, &mut losses)?;
            let mut other = llamafactory::conversation(lesson, &rejected, reasoning, &mut losses)?;
            let (chosen, rejected) = (turns.pop().unwrap_or_default(), other.pop().unwrap_or_default());
            row.extend(object([("conversations", Value::List(turns)), ("chosen", chosen), ("rejected", rejected)]));
            row.extend(llamafactory::around(lesson));
        }
    }
    row.extend(object([("rejected_from", wrong.from.into()), ("reason", wrong.reason.as_str().into())]));
    row.extend(trl::about(lesson));
    Ok((row, losses))
}

/// The row of a prompt whose replies can be rewarded.
pub(crate) fn prompt(lesson: &Lesson, reader: Reader, reasoning: Reasoning) -> Written {
    if lesson.aim == Aim::Answer {
        return Err(Loss::row(lesson.id(), Rule::NotVerifiable, ""));
    }
    let right = Right::of(lesson).shown();
    let row = if reader == Reader::Openai {
        let mut row = object([("messages", openai::messages(lesson.prompt(), reasoning))]);
        row.extend(openai::tools(lesson));
        row.extend(object([("id", lesson.id().into()), ("ground_truth", right)]));
        row
    } else {
        let mut row = object([
            ("prompt", trl::messages(lesson, lesson.prompt(), reasoning, false)),
            ("tools", trl::tools(lesson, false)),
            ("ground_truth", right.to_string().into()),
            ("reward", "fcgen score --stdin".into()),
        ]);
        row.extend(trl::about(lesson));
        row
    };
    debug_assert!(lesson.prompt().last().is_none_or(|turn| turn.role != Role::Assistant), "a prompt waits for a reply");
    Ok((row, Vec::new()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::{call, lesson, parallel};

    #[test]
    fn a_defect_is_always_wrong_and_near_to_what_is_right() {
        let mut judge = Judge::default();
        let mut reasons = std::collections::BTreeSet::new();
        for aim in ["call", "question", "refusal"] {
            for seed in 0..60 {
                let wrong = defect(&lesson(aim), &mut judge, seed, 0).unwrap();
                reasons.insert(wrong.reason.split(':').next().unwrap().to_owned());
                assert_ne!(wrong.turn.calls, lesson(aim).turns[1].calls);
            }
        }
        let all = ["call_not_wanted", "invented_parameter", "missing_parameter", "wrong_function", "wrong_value"];
        assert_eq!(reasons.iter().map(String::as_str).collect::<Vec<_>>(), all);
    }

    #[test]
    fn predictions_and_rejects_are_pairs_where_they_are_wrong() {
        let (lesson, mut judge) = (lesson("call"), Judge::default());
        let said = |json: &str| serde_json::from_str::<PredictionTurn>(json).unwrap();
        let right = said(r#"{"tool_calls": [["Rail.book", "{\"to\": \"Porto\"}"]]}"#);
        assert_eq!(predicted(&lesson, &right, &mut judge), None);
        let wrong = predicted(&lesson, &said(r#"{"content": "No idea.", "reasoning": "hm"}"#), &mut judge).unwrap();
        assert_eq!(
            (wrong.from, wrong.reason.as_str(), wrong.turn.text.as_deref()),
            ("prediction", "no_call", Some("No idea."))
        );
        let faro = call("Rail.book", r#"{"to": "Faro"}"#);
        let reject = rejected(&lesson, &faro, "inconsistent", &mut judge).unwrap();
        assert_eq!(reject.reason, "inconsistent: wrong_value: `to` is \"Faro\" and not \"Porto\"");
        assert_eq!(rejected(&lesson, &lesson.turns[1].calls[0], "x", &mut judge), None);
    }

    #[test]
    fn each_reader_has_its_pair() {
        let lesson = lesson("call");
        let wrong = Wrong {
            turn: Turn::called(vec![call("Rail.cancel", "{}")]),
            from: "defect",
            reason: "wrong_function".to_owned(),
        };
        let text = |reader| Value::Object(row(&lesson, &wrong, reader, Reasoning::Drop).unwrap().0).to_string();
        assert!(text(Reader::Trl).starts_with(
            r#"{"prompt":[{"role":"user","content":"a train to Porto"}],"chosen":[{"role":"assistant","content":"","tool_calls":"#
        ));
        assert!(
            text(Reader::Openai)
                .contains(r#""non_preferred_output":[{"role":"assistant","tool_calls":[{"id":"call00000""#)
        );
        assert!(
            text(Reader::Llamafactory)
                .contains(r#""rejected":{"from":"function_call","value":"{\"name\":\"Rail.cancel\""#)
        );
        assert!(text(Reader::Trl).contains(r#""rejected_from":"defect","reason":"wrong_function""#));
    }

    #[test]
    fn a_prompt_ends_before_the_target_and_knows_what_is_right() {
        let (row, _) = prompt(&parallel(), Reader::Trl, Reasoning::Keep).unwrap();
        assert_eq!(row["prompt"].as_list().unwrap().len(), 1);
        assert!(row["ground_truth"].as_str().unwrap().contains("Faro"));
        assert_eq!(prompt(&lesson("answer"), Reader::Trl, Reasoning::Keep).unwrap_err().rule, Rule::NotVerifiable);
    }
}
