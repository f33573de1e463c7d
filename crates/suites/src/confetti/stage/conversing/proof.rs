//! Which complexities a conversation has, as far as rules can tell: from what was said, called and answered, never from
//! what was planned (CONFETTI, Table 1).

use crate::confetti::metric::Act;
use crate::record::{AgentTurn, Complexity, Conversation, MadeCall};
use std::collections::BTreeSet;

/// The complexities that reading alone can tell.
pub(crate) const READ: [Complexity; 3] =
    [Complexity::AmbiguousGoal, Complexity::ImplicitDescriptiveGoal, Complexity::Overfill];

/// What rules find in a conversation. `acts` says of a tool's name whether its calls change something.
pub(crate) fn proved(conversation: &Conversation, acts: &dyn Fn(&str) -> bool) -> BTreeSet<Complexity> {
    let turns = &conversation.turns;
    let mut found = BTreeSet::from([Complexity::NoTargetComplexity]);
    let mut first = 0;
    for (at, turn) in turns.iter().enumerate() {
        let next = turns.get(at + 1);
        let mut find = |holds: bool, complexity| {
            if holds {
                found.insert(complexity);
            }
        };
        find(turn.calls.iter().any(|made| made.failed), Complexity::ExceptionInExecution);
        find(has(turn, Act::Reject) && turn.calls.iter().any(|made| made.failed), Complexity::FailedConversation);
        find(has(turn, Act::Reject) && turn.calls.is_empty(), Complexity::GoalNotSupported);
        find(!has(turn, Act::Seek) && parts(&turn.calls, first) > 1, Complexity::GoalStacking);
        let told_before = at > 0 && has(&turns[at - 1], Act::Inform) && !has(&turns[at - 1], Act::Seek);
        find(told_before && turn.calls.is_empty() && has(turn, Act::Inform), Complexity::FollowupQuestion);
        first += turn.calls.len();
        let before = first - turn.calls.len()..first;
        // What is asked for in between belongs to the call that comes then.
        let calls = turns[at + 1..].iter().map(|turn| &turn.calls).find(|calls| !calls.is_empty());
        let mut notes = calls.into_iter().flatten().flat_map(|made| made.notes.values());
        let goes_on = notes.any(|note| note.origin.answer().is_some_and(|(call, _)| before.contains(&call)));
        let failed = turn.calls.iter().any(|made| made.failed);
        let paused = !turn.calls.is_empty() && !failed && has(turn, Act::Seek);
        find(paused && calls.is_some() && !goes_on, Complexity::GoalSwitching);
        let Some(next) = next.filter(|next| !next.calls.is_empty()) else { continue };
        find(!failed && has(turn, Act::Seek) && is_leave(next, acts), Complexity::Confirmation);
        find(turn.calls.is_empty() && has(turn, Act::Seek) && gives(next), Complexity::Underfill);
        find(told_and_changed(turn, next), Complexity::GoalCorrection);
    }
    let succeeded = |name: &String| conversation.calls().any(|(_, made)| made.call.name == *name && !made.failed);
    let required = &conversation.scenario.required;
    if !required.is_empty() && !required.iter().any(succeeded) {
        found.insert(Complexity::FailedConversation);
    }
    found
}

fn has(turn: &AgentTurn, act: Act) -> bool {
    turn.acts.iter().any(|label| Act::of(label) == Some(act))
}

/// Into how many parts the calls of a turn fall, none of which takes what another answers.
fn parts(calls: &[MadeCall], first: usize) -> usize {
    let mut part: Vec<usize> = (0..calls.len()).collect();
    for (at, made) in calls.iter().enumerate() {
        for (call, _) in made.notes.values().filter_map(|note| note.origin.answer()) {
            let Some(source) = call.checked_sub(first).and_then(|call| part.get(call)).copied() else { continue };
            let own = part[at];
            part.iter_mut().filter(|it| **it == own).for_each(|it| *it = source);
        }
    }
    // Two calls of one function may serve one matter: what counts are parts that bring a function of their own.
    let mut names: Vec<BTreeSet<&str>> = Vec::new();
    for root in part.iter().copied().collect::<BTreeSet<_>>() {
        let own = calls.iter().zip(&part).filter(|(_, it)| **it == root).map(|(made, _)| made.call.name.as_str());
        let own: BTreeSet<&str> = own.collect();
        if names.iter().all(|other| other.is_disjoint(&own)) {
            names.push(own);
        }
    }
    names.len()
}

/// Whether a turn begins with a call that changes something, of which the person gives nothing but leave.
fn is_leave(turn: &AgentTurn, acts: &dyn Fn(&str) -> bool) -> bool {
    let first = turn.calls.first().filter(|made| acts(&made.call.name));
    first.is_some_and(|made| {
        !made.notes.values().filter_map(|note| note.surface.as_ref()).any(|it| turn.said.contains(it))
    })
}

/// Whether the person gives a value in a turn that its calls take.
fn gives(turn: &AgentTurn) -> bool {
    let mut notes = turn.calls.iter().flat_map(|made| made.notes.values());
    notes.any(|note| note.surface.as_ref().is_some_and(|surface| turn.said.contains(surface)))
}

/// Whether the answer was told, and then the same is called again, or a part of it, with something else.
pub(crate) fn told_and_changed(turn: &AgentTurn, next: &AgentTurn) -> bool {
    let known = |made: &MadeCall| turn.calls.iter().any(|old| old.call.name == made.call.name);
    let changed = |made: &MadeCall| turn.calls.iter().all(|old| old.call != made.call);
    let told = has(turn, Act::Inform) && !has(turn, Act::Seek);
    told && next.calls.iter().all(known) && next.calls.iter().any(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Argument, FunctionCall, Origin, Scenario, Value};

    /// A call of a name with notes: `x=surface` says where an argument's words are, `x<2` which call answered it.
    fn made(text: &str) -> MadeCall {
        let mut words = text.split(' ');
        let name = words.next().unwrap_or_default();
        let (name, failed) = name.strip_suffix('!').map_or((name, false), |name| (name, true));
        let mut made = MadeCall {
            call: FunctionCall { name: name.to_owned(), ..FunctionCall::default() },
            notes: crate::record::ArgumentNotes::new(),
            answer: Value::Null,
            failed,
        };
        for word in words {
            let (parameter, note) = if let Some((parameter, surface)) = word.split_once('=') {
                (parameter, Argument { surface: Some(surface.to_owned()), ..Argument::default() })
            } else {
                let (parameter, call) = word.split_once('<').unwrap();
                let origin = Origin::Answer { call: call.parse().unwrap(), field: "/x".to_owned() };
                (parameter, Argument { origin, ..Argument::default() })
            };
            made.call.arguments.insert(parameter.to_owned(), word.into());
            made.notes.insert(parameter.to_owned(), note);
        }
        made
    }

    fn found(turns: &[(&str, &[&str], &[Act])]) -> Vec<Complexity> {
        let turn = |(said, calls, acts): &(&str, &[&str], &[Act])| AgentTurn {
            said: (*said).to_owned(),
            calls: calls.iter().map(|text| made(text)).collect(),
            reply: String::new(),
            acts: acts.iter().map(|act| act.as_str().to_owned()).collect(),
        };
        let scenario: Scenario = serde_json::from_value(serde_json::json!({
            "number": 0, "complexity": "underfill", "required": [], "optional": [], "reference_time": "",
            "minimum_turns": 1, "offered": 3
        }))
        .unwrap();
        let turns = turns.iter().map(turn).collect();
        let conversation = Conversation { scenario, system: String::new(), tools: Vec::new(), turns };
        let mut found = proved(&conversation, &|name| name.starts_with("do"));
        found.remove(&Complexity::NoTargetComplexity);
        found.into_iter().collect()
    }

    use Act::{Inform, Reject, Seek};

    #[test]
    fn a_request_and_its_answer_are_nothing_in_particular() {
        assert!(found(&[("tea in Rome", &["find city=Rome"], &[Inform])]).is_empty());
        assert!(found(&[("tea", &["find a=x", "do b<0"], &[Inform])]).is_empty());
    }

    #[test]
    fn what_goes_wrong_is_seen_in_the_answers() {
        let turns: [(&str, &[&str], &[Act]); 2] = [("tea", &["find!"], &[Seek]), ("again", &["find"], &[Inform])];
        assert_eq!(found(&turns), [Complexity::ExceptionInExecution]);
        let turns: [(&str, &[&str], &[Act]); 2] = [("tea", &["find!"], &[Seek]), ("again", &["find!"], &[Reject])];
        assert_eq!(found(&turns), [Complexity::ExceptionInExecution, Complexity::FailedConversation]);
        assert_eq!(found(&[("sing", &[], &[Reject])]), [Complexity::GoalNotSupported]);
    }

    #[test]
    fn leave_is_given_and_what_was_missing_is_said() {
        let turns: [(&str, &[&str], &[Act]); 2] =
            [("tea, 3", &["find n=3"], &[Inform, Seek]), ("yes", &["do id<0 n=3"], &[Inform])];
        assert_eq!(found(&turns), [Complexity::Confirmation]);
        let turns: [(&str, &[&str], &[Act]); 2] = [("tea", &[], &[Seek]), ("for 3", &["do n=3"], &[Inform])];
        assert_eq!(found(&turns), [Complexity::Underfill]);
    }

    #[test]
    fn what_is_dropped_is_not_gone_on_with() {
        let turns: [(&str, &[&str], &[Act]); 2] =
            [("tea", &["find n=tea"], &[Inform, Seek]), ("no, the weather", &["look at=weather"], &[Inform])];
        assert_eq!(found(&turns), [Complexity::GoalSwitching]);
    }

    #[test]
    fn two_matters_in_one_turn_are_stacked_and_a_chain_is_one() {
        assert_eq!(found(&[("both", &["find a=x", "look b=y"], &[Inform])]), [Complexity::GoalStacking]);
        assert!(found(&[("one", &["code a=x", "code a=y", "find b<0 c<1"], &[Inform])]).is_empty());
        assert!(found(&[("one", &["code a=x", "code a=y"], &[Inform])]).is_empty());
    }

    #[test]
    fn an_answer_is_asked_on_about_or_its_request_changed() {
        let turns: [(&str, &[&str], &[Act]); 2] = [("tea", &["find n=1"], &[Inform]), ("how hot?", &[], &[Inform])];
        assert_eq!(found(&turns), [Complexity::FollowupQuestion]);
        let turns: [(&str, &[&str], &[Act]); 2] =
            [("tea", &["find n=1"], &[Inform]), ("no, 2", &["find n=2"], &[Inform])];
        assert_eq!(found(&turns), [Complexity::GoalCorrection]);
    }
}
