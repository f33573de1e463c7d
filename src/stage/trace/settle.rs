//! What of a talk is worth keeping: the calls that went well, each once, if nothing that failed was left so.

use super::steps::Made;
use super::talk::{Attempt, Talked};
use crate::gate::Fault;

/// The calls that went well, each once; a fault where the model gave up on one that failed, or never called anything.
pub(in crate::stage) fn settle(talked: &Talked) -> Result<Vec<Made>, Fault> {
    let attempts = &talked.attempts;
    for (at, attempt) in attempts.iter().enumerate() {
        let Some(fault) = &attempt.fault else { continue };
        if is_mended(attempt, &attempts[at + 1..]) {
            continue;
        }
        let reason = if attempt.turn == 0 { "first_step_failed" } else { fault.reason };
        return Err(Fault::new(reason, fault.detail.clone()));
    }
    if talked.answer.is_empty() {
        return Err(Fault::new("no_answer", "there is no answer in words in the end"));
    }
    let mut made: Vec<Made> = Vec::new();
    for attempt in attempts {
        let Some(tool) = attempt.tool.clone().filter(|_| attempt.fault.is_none()) else { continue };
        if !made.iter().any(|it| it.call == attempt.call) {
            let (call, answer) = (attempt.call.clone(), attempt.answer.clone());
            made.push(Made { tool, call, answer, turn: attempt.turn });
        }
    }
    Ok(made)
}

/// Whether something later made good for a call that failed: the same function, or any where there is no such function.
fn is_mended(attempt: &Attempt, later: &[Attempt]) -> bool {
    let same = |other: &&Attempt| attempt.tool.is_none() || other.call.name == attempt.call.name;
    later.iter().filter(same).any(|other| other.turn > attempt.turn && other.fault.is_none())
}

#[cfg(test)]
mod tests {
    use super::super::testing::call;
    use super::*;
    use crate::record::{Tool, Value};
    use std::sync::Arc;

    fn attempt(turn: usize, name: &str, arguments: &str, fault: Option<&'static str>) -> Attempt {
        let tool = (name != "Fly").then(|| Arc::new(Tool { name: name.to_owned(), ..Tool::default() }));
        let fault = fault.map(|reason| Fault::new(reason, "it failed"));
        Attempt { turn, tool, call: call(name, arguments), answer: Value::Null, fault }
    }

    fn settled(attempts: Vec<Attempt>, answer: &str) -> Result<Vec<String>, &'static str> {
        let talked = Talked { attempts, answer: answer.to_owned(), draws: Vec::new() };
        settle(&talked).map(|made| made.into_iter().map(|it| it.call.name).collect()).map_err(|fault| fault.reason)
    }

    #[test]
    fn failed_calls_go_where_they_were_mended_and_equal_ones_count_once() {
        let attempts = vec![
            attempt(0, "Find", "{}", Some("malformed_call")),
            attempt(1, "Find", r#"{"q": 1}"#, None),
            attempt(2, "Fly", "{}", Some("malformed_call")),
            attempt(3, "Find", r#"{"q": 1}"#, None),
            attempt(3, "Book", "{}", None),
        ];
        assert_eq!(settled(attempts, "Done."), Ok(vec!["Find".to_owned(), "Book".to_owned()]));
    }

    #[test]
    fn what_stays_wrong_rejects() {
        let found = || attempt(0, "Find", "{}", None);
        let failing = |turn, reason| attempt(turn, "Book", "{}", Some(reason));
        assert_eq!(settled(vec![failing(0, "error_left"), found()], "Done."), Err("first_step_failed"));
        assert_eq!(settled(vec![found(), failing(1, "error_left")], "Done."), Err("error_left"));
        assert_eq!(settled(vec![found(), failing(1, "malformed_call")], "Done."), Err("malformed_call"));
        assert_eq!(settled(vec![found()], ""), Err("no_answer"));
        assert_eq!(settled(Vec::new(), "Sorry."), Ok(Vec::new()));
    }
}
