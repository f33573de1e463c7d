//! The assistant's next action in a conversation that two models play: what it may be, and what is asked for again.

use super::roles::{CHAIN, RolePlay, SPEAKERS};
use super::sources::{Before, check_call};
use crate::failure::ItemError;
use crate::gate::check_script;
use crate::llm::tasks::{Action, read_action};
use crate::llm::{PlayAgentVariables, Reply, Task, Variables};
use crate::record::{ArgumentNotes, FunctionCall};
use crate::score::confetti::Act;
use crate::stage::outcome::Fault;
use crate::stage::schemas;

/// What an assistant does next, once it can be accepted.
pub(super) enum Step {
    Call(FunctionCall, ArgumentNotes),
    Say(String, Vec<Act>),
}

impl RolePlay<'_> {
    /// The assistant's next action; `first` is the first call of its turn.
    pub(super) async fn step(&mut self, first: usize) -> Result<Step, ItemError> {
        let calls_left = CHAIN.saturating_sub(self.made.len() - first);
        let words = Act::ALL.into_iter().filter(|act| *act != Act::FunctionCalling);
        let acts: Vec<String> = words.map(|act| act.as_str().to_owned()).collect();
        let variables = |common| {
            Variables::PlayAgent(PlayAgentVariables {
                common,
                system: self.system.clone(),
                messages: self.messages.clone(),
                tools: self.tools.clone(),
                calls_left,
                acts: acts.clone(),
            })
        };
        let read = |reply: &Reply| match read_action(&reply.text)? {
            Action::Call(call) => self.checked(call, first, calls_left),
            Action::Say { text, acts } => self.said(text, &acts),
        };
        let place = self.id.child("agent", self.turns.len()).child("step", self.made.len() - first);
        let question = self.question(Task::PlayAgent, SPEAKERS[1], &place);
        let schema = Some(schemas::action(&self.tools, &acts));
        let (step, draw) = self.context.obtain(&question, schema, variables, read).await?;
        self.draws.push(draw);
        Ok(step)
    }

    /// A call that can be made.
    fn checked(&self, call: FunctionCall, first: usize, calls_left: usize) -> Result<Step, Fault> {
        if calls_left == 0 {
            return Err(Fault::new("long_chain", format!("{CHAIN} calls were made in this turn: now speak")));
        }
        if self.made[first..].iter().any(|made| made.call == call && !made.failed) {
            let detail = format!("`{}` was called with these arguments just now, and answered", call.name);
            return Err(Fault::new("repeated_call", detail));
        }
        let (context, time) = (self.context, self.scenario.reference_time.as_str());
        let before = Before { context, time, messages: &self.messages, made: &self.made };
        let notes = check_call(&before, &self.tools, &call)?;
        Ok(Step::Call(call, notes))
    }

    /// Words that can be said.
    fn said(&self, text: String, labels: &[String]) -> Result<Step, Fault> {
        check_script(&text, self.context.language(), None)?;
        if let Some(unknown) = labels.iter().find(|label| Act::of(label).is_none()) {
            return Err(Fault::new("unknown_act", format!("`{unknown}` is none of the labels")));
        }
        let mut acts: Vec<Act> = labels.iter().filter_map(|label| Act::of(label)).collect();
        acts.retain(|act| *act != Act::FunctionCalling);
        acts.sort_unstable();
        acts.dedup();
        if acts.is_empty() {
            return Err(Fault::new("no_act", "`acts` names nothing that is done with these words"));
        }
        Ok(Step::Say(text, acts))
    }
}

#[cfg(test)]
mod tests {
    use super::super::roles::testing::{call, say, scenario};
    use super::*;
    use crate::config::section::read_text;
    use crate::llm::Request;
    use crate::record::{Complexity, Conversation, ItemId};
    use crate::stage::testing::{Asked, TRAIN, context};

    const SEATS: &str = r#"{"to": "Porto", "at": "08:00", "seats": 2}"#;
    const INFORM: &str = "agent_inform_user";

    /// One turn of an assistant whose replies are these, one after the other; the last comes again and again.
    async fn turn(replies: &[&str]) -> (Result<Conversation, Fault>, Asked, Vec<(String, u64)>) {
        of(Complexity::Overfill, replies).await
    }

    async fn of(complexity: Complexity, replies: &[&str]) -> (Result<Conversation, Fault>, Asked, Vec<(String, u64)>) {
        let replies: Vec<String> = replies.iter().map(|reply| (*reply).to_owned()).collect();
        let next = std::sync::atomic::AtomicUsize::new(0);
        let (context, asked) = context(move |request: &Request| match request.task {
            Task::PlayUser => r#"{"text": "Two seats to Porto at 8 am", "ends": true}"#.to_owned(),
            Task::Simulate => r#"{"booking": "TR-7714"}"#.to_owned(),
            _ => {
                let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                replies[at.min(replies.len() - 1)].clone()
            }
        });
        let scenario = scenario(complexity, &[TRAIN]);
        let asks = read_text::<crate::stage::conversations::ConversationsConfig>("asks = 3").unwrap().asks;
        let id = ItemId::root("a");
        let played = RolePlay::new(&context, &scenario, &id, asks).unwrap().through().await;
        let counts = context.counts().remove("stage").unwrap_or_default();
        let result = match played {
            Ok(played) => Ok(played.conversation),
            Err(ItemError::Item { fault, .. }) => Err(fault),
            Err(stop @ ItemError::Stopped(_)) => panic!("{stop:?}"),
        };
        (result, asked, counts.into_iter().collect())
    }

    fn told(asked: &Asked) -> Vec<String> {
        asked.faults().into_iter().filter(|fault| !fault.is_empty()).collect()
    }

    #[tokio::test]
    async fn a_call_without_form_is_asked_for_again() {
        let (singing, short) = (call("sing", "{}"), call(TRAIN, r#"{"to": "Porto"}"#));
        let (right, done) = (call(TRAIN, SEATS), say("Booked.", INFORM));
        let (played, asked, counts) = turn(&[&singing, &short, &right, &done]).await;
        let turn = played.unwrap().turns.remove(0);
        assert_eq!((turn.calls.len(), turn.acts), (1, vec!["agent_function_calling".to_owned(), INFORM.to_owned()]));
        let told = told(&asked);
        assert!(told[0].starts_with("there is no function `sing`; there are: "), "{told:?}");
        assert_eq!(told[1], "`Travel.Trains.book`: `at` is missing");
        assert_eq!(counts, [("malformed_call".to_owned(), 1), ("unknown_tool".to_owned(), 1)]);
    }

    #[tokio::test]
    async fn an_invented_value_is_asked_for_again_and_in_the_end_rejects() {
        let invented = call(TRAIN, r#"{"to": "Lisbon", "at": "08:00", "seats": 2}"#);
        let (right, done) = (call(TRAIN, SEATS), say("Booked.", INFORM));
        let (played, asked, counts) = turn(&[&invented, &right, &done]).await;
        assert!(played.is_ok());
        assert!(told(&asked)[0].starts_with("`to` of `Travel.Trains.book` is \"Lisbon\", which nobody said"));
        assert_eq!(counts, [("no_source".to_owned(), 1)]);
        let (lost, _, counts) = turn(&[&invented]).await;
        assert_eq!((lost.unwrap_err().reason, counts), ("no_source", vec![("no_source".to_owned(), 3)]));
    }

    #[tokio::test]
    async fn a_call_that_was_answered_is_not_made_again_at_once() {
        let (right, done) = (call(TRAIN, SEATS), say("Booked.", INFORM));
        let (played, asked, _) = turn(&[&right, &right, &done]).await;
        assert_eq!(played.unwrap().turns[0].calls.len(), 1);
        let again = "`Travel.Trains.book` was called with these arguments just now, and answered";
        assert_eq!(told(&asked), [again]);
    }

    #[tokio::test]
    async fn a_chain_ends_after_ten_calls() {
        let (right, done) = (call(TRAIN, SEATS), say("It fails.", "agent_reject_request"));
        let replies: Vec<&str> = std::iter::repeat_n(right.as_str(), 11).chain([done.as_str()]).collect();
        let (played, asked, counts) = of(Complexity::FailedConversation, &replies).await;
        assert_eq!(played.unwrap().turns[0].calls.len(), 10);
        assert_eq!(told(&asked), ["10 calls were made in this turn: now speak"]);
        assert_eq!(counts, [("long_chain".to_owned(), 1)]);
    }

    #[tokio::test]
    async fn words_need_labels_that_are_known() {
        let (right, done) = (call(TRAIN, SEATS), say("Booked.", INFORM));
        let (odd, silent) = (say("Booked.", "agent_sings"), say("Booked.", "agent_function_calling"));
        let (played, asked, _) = turn(&[&right, &odd, &silent, &done]).await;
        assert_eq!(played.unwrap().turns[0].acts, ["agent_function_calling", INFORM]);
        let none = "`acts` names nothing that is done with these words";
        assert_eq!(told(&asked), ["`agent_sings` is none of the labels", none]);
    }
}
