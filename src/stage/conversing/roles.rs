//! A conversation that two models play, turn by turn: a person who follows a scenario, and an assistant with tools.

use super::clerk::{Answered, Clerk};
use super::play::{Played, system};
use super::step::Step;
use crate::config::Count;
use crate::failure::ItemError;
use crate::gate::check_script;
use crate::llm::tasks::read_played;
use crate::llm::{PlayUserVariables, PlayedLine, Reply, Task, Variables};
use crate::record::{
    AgentTurn, ArgumentNotes, Chance, Conversation, Draw, FunctionCall, ItemId, MadeCall, Message, Scenario, Tool,
    history,
};
use crate::score::confetti::Act;
use crate::stage::context::{Context, Question};
use crate::stage::outcome::Fault;
use crate::stage::speaker::assistant;
use std::sync::Arc;

/// The roles of a conversation: the person's and the assistant's.
pub(in crate::stage) const SPEAKERS: [&str; 2] = ["user", "agent"];
/// Most calls of one turn.
pub(super) const CHAIN: usize = 10;
/// So many more turns than are wanted a conversation may have.
const MORE_TURNS: usize = 4;

/// A conversation as far as it went.
pub(in crate::stage) struct RolePlay<'a> {
    pub(super) context: &'a Context,
    pub(super) scenario: &'a Scenario,
    pub(super) id: &'a ItemId,
    asks: Count,
    pub(super) tools: Vec<Arc<Tool>>,
    clerk: Clerk<'a>,
    pub(super) system: String,
    /// The manner in which the person speaks.
    style: String,
    /// Everything said and called so far.
    pub(super) messages: Vec<Message>,
    pub(super) made: Vec<MadeCall>,
    pub(super) turns: Vec<AgentTurn>,
    pub(super) draws: Vec<Draw>,
}

impl<'a> RolePlay<'a> {
    /// Nothing said yet.
    pub(in crate::stage) fn new(
        context: &'a Context,
        scenario: &'a Scenario,
        id: &'a ItemId,
        asks: Count,
    ) -> Result<Self, Fault> {
        let chance = |what: &str| context.chance_of(what, id.as_str(), 0);
        let styles = &context.pack().styles;
        let style = styles.get(chance("style").weighted(styles.iter().map(|style| style.weight)));
        Ok(Self {
            context,
            scenario,
            id,
            asks,
            tools: shown(context, scenario, chance("shown")),
            clerk: Clerk::new(context, scenario, chance("fault"))?,
            system: system(context, scenario),
            style: style.map(|it| it.name.clone()).unwrap_or_default(),
            messages: Vec::new(),
            made: Vec::new(),
            turns: Vec::new(),
            draws: Vec::new(),
        })
    }

    /// The same with a person who speaks in this register, where one is told.
    pub(in crate::stage) fn speaking(self, register: Option<&str>) -> Self {
        Self { style: register.map_or(self.style, str::to_owned), ..self }
    }

    /// Plays until the person ends it; a conversation in which a required tool was not called has a fault.
    pub(in crate::stage) async fn through(mut self) -> Result<Played, ItemError> {
        let most = self.scenario.minimum_turns + MORE_TURNS;
        let mut ends = false;
        while !ends && self.turns.len() < most {
            let line = self.person().await?;
            ends = line.ends;
            if !line.text.is_empty() {
                self.messages.push(Message::user(&line.text));
                self.serve(line.text).await?;
            }
        }
        self.check_required()?;
        let scenario = self.scenario.clone();
        let conversation = Conversation { scenario, system: self.system, tools: self.tools, turns: self.turns };
        Ok(Played { conversation, style: self.style, draws: self.draws, lines: Vec::new() })
    }

    /// What the person says next.
    async fn person(&mut self) -> Result<PlayedLine, ItemError> {
        let owed = self.scenario.minimum_turns.saturating_sub(self.turns.len());
        let styles = &self.context.pack().styles;
        let manner =
            styles.iter().find(|it| it.name == self.style).map(|it| it.description.clone()).unwrap_or_default();
        let variables = |common| {
            Variables::PlayUser(PlayUserVariables {
                common,
                scenario: self.scenario.goals.clone(),
                complexity: self.scenario.complexity.as_str().to_owned(),
                reference_time: self.scenario.reference_time.clone(),
                history: history(&self.messages),
                owed,
                style: self.style.clone(),
                manner: manner.clone(),
            })
        };
        let read = |reply: &Reply| {
            let line = read_played(&reply.text)?;
            if !line.text.is_empty() {
                check_script(&line.text, self.context.language(), None)?;
            }
            Ok(line)
        };
        let place = self.id.child("person", self.turns.len());
        let question = self.question(Task::PlayUser, SPEAKERS[0], &place);
        let (line, draw) = self.context.obtain(&question, question.task.reply_schema(), variables, read).await?;
        self.draws.push(draw);
        Ok(line)
    }

    /// The assistant calls until it speaks.
    async fn serve(&mut self, said: String) -> Result<(), ItemError> {
        let first = self.made.len();
        loop {
            match self.step(first).await? {
                Step::Call(call, notes) => self.make(call, notes).await?,
                Step::Say(reply, acts) => {
                    self.messages.push(assistant(&reply));
                    let calls = self.made[first..].to_vec();
                    let calling = (!calls.is_empty()).then_some(Act::FunctionCalling);
                    let acts = calling.iter().chain(&acts).map(|act| act.as_str().to_owned()).collect();
                    self.turns.push(AgentTurn { said, calls, reply, acts });
                    return Ok(());
                }
            }
        }
    }

    /// Makes a call.
    async fn make(&mut self, call: FunctionCall, notes: ArgumentNotes) -> Result<(), ItemError> {
        let Answered { answer, failed, draw } = self.clerk.answer(&self.tools, &call).await?;
        self.draws.extend(draw);
        let made = MadeCall { call, notes, answer, failed };
        self.messages.extend(made.messages(self.made.len()));
        self.made.push(made);
        Ok(())
    }

    /// What nobody can do anything about needs no call; everything else that is required does.
    fn check_required(&self) -> Result<(), Fault> {
        let lacking = self.clerk.lacking();
        if lacking.is_empty() || self.scenario.complexity == crate::record::Complexity::GoalNotSupported {
            return Ok(());
        }
        Err(Fault::new("required_tool", format!("never called: `{}`", lacking.join("`, `"))))
    }

    pub(super) fn question<'q>(&self, task: Task, role: &'q str, item: &'q ItemId) -> Question<'q> {
        Question { task, role, item, asks: self.asks.as_draws() }
    }
}

/// The tools that are offered: the scenario's own and others, in an order that tells nothing.
fn shown(context: &Context, scenario: &Scenario, mut chance: Chance) -> Vec<Arc<Tool>> {
    let own = |tool: &Tool| scenario.required.contains(&tool.name) || scenario.optional.contains(&tool.name);
    let (mut shown, mut others): (Vec<Arc<Tool>>, Vec<Arc<Tool>>) =
        context.toolset().tools.iter().cloned().partition(|tool| own(tool));
    chance.shuffle(&mut others);
    others.truncate(scenario.offered.saturating_sub(shown.len()));
    shown.extend(others);
    chance.shuffle(&mut shown);
    shown
}

#[cfg(test)]
pub(super) mod testing {
    use crate::record::{Complexity, Scenario};

    /// A scenario that nobody planned, of these required tools.
    pub(in crate::stage::conversing) fn scenario(complexity: Complexity, required: &[&str]) -> Scenario {
        Scenario {
            number: 0,
            complexity,
            required: required.iter().map(|name| (*name).to_owned()).collect(),
            optional: Vec::new(),
            reference_time: "2026-01-02T09:00:00".to_owned(),
            minimum_turns: 1,
            offered: 3,
            goals: "Two seats to Porto at 08:00.".to_owned(),
            episodes: Vec::new(),
            call_responses: None,
            text_responses: None,
            thanks: false,
            thread: None,
        }
    }

    /// An assistant's call, as it is written.
    pub(in crate::stage::conversing) fn call(name: &str, arguments: &str) -> String {
        format!(r#"{{"action": {{"name": "{name}", "arguments": {arguments}}}}}"#)
    }

    /// An assistant's words.
    pub(in crate::stage::conversing) fn say(text: &str, act: &str) -> String {
        format!(r#"{{"action": {{"text": "{text}", "acts": ["{act}"]}}}}"#)
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{call, say, scenario};
    use super::*;
    use crate::config::section::read_text;
    use crate::llm::Request;
    use crate::record::{Complexity, Role};
    use crate::stage::testing::{Asked, TRAIN, context};

    const SEATS: &str = r#"{"to": "Porto", "at": "08:00", "seats": 2}"#;
    const SEEK: &str = "agent_seek_information";
    const INFORM: &str = "agent_inform_user";

    /// A person who says these lines, the last of which ends it; an assistant who does what it is told; and an API.
    fn model(
        lines: &'static [&'static str],
        agent: impl Fn(&PlayAgentVariables) -> String,
    ) -> impl Fn(&Request) -> String {
        move |request| match &*request.variables {
            Variables::PlayUser(it) => {
                let said = it.history.lines().filter(|line| line.starts_with("user:")).count();
                let text = lines.get(said).copied().unwrap_or_default();
                format!(r#"{{"text": "{text}", "ends": {}}}"#, said + 1 >= lines.len())
            }
            Variables::PlayAgent(it) => agent(it),
            Variables::Simulate(_) => r#"{"booking": "TR-7714"}"#.to_owned(),
            other => panic!("{other:?}"),
        }
    }

    use crate::llm::PlayAgentVariables;

    /// What an assistant does by what stands last.
    fn last(it: &PlayAgentVariables) -> (Role, String) {
        let last = it.messages.last().unwrap();
        (last.role, last.content.clone().unwrap_or_default())
    }

    async fn play(context: &Context, scenario: &Scenario) -> Result<Played, ItemError> {
        let (id, asks) =
            (ItemId::root("a"), read_text::<crate::stage::conversations::ConversationsConfig>("").unwrap().asks);
        RolePlay::new(context, scenario, &id, asks)?.through().await
    }

    fn fault(result: Result<Played, ItemError>) -> (&'static str, String) {
        match result {
            Err(ItemError::Item { fault, .. }) => (fault.reason, fault.detail),
            other => panic!("{:?}", other.map(|it| it.conversation)),
        }
    }

    fn shown(conversation: &Conversation) -> String {
        let mut lines = Vec::new();
        for turn in &conversation.turns {
            lines.push(format!("person: {}", turn.said));
            for made in &turn.calls {
                let notes =
                    made.notes.iter().map(|(name, note)| format!("{name} {:?} {:?}", note.origin, note.surface));
                lines.push(format!("call: {} ({})", made.call.name, notes.collect::<Vec<_>>().join(", ")));
                lines.push(format!("answer{}: {}", if made.failed { "!" } else { "" }, made.answer));
            }
            lines.push(format!("assistant: {} {:?}", turn.reply, turn.acts));
        }
        lines.join("\n")
    }

    fn asked_of(asked: &Asked, task: Task) -> usize {
        asked.tasks().into_iter().filter(|it| *it == task).count()
    }

    #[tokio::test]
    async fn two_roles_play_a_whole_conversation() {
        let agent = |it: &PlayAgentVariables| match last(it) {
            (Role::Tool, _) => say("Booked as TR-7714.", INFORM),
            (_, said) if said.contains("Thanks") => say("Any time!", "agent_other"),
            (_, said) if said.contains("8 am") => call(TRAIN, SEATS),
            _ => say("At what time?", SEEK),
        };
        let lines = &["A train to Porto, two seats please", "8 am", "Thanks"];
        let (context, asked) = context(model(lines, agent));
        let played = play(&context, &scenario(Complexity::Underfill, &[TRAIN])).await.unwrap();
        insta::assert_snapshot!(shown(&played.conversation), @r#"
        person: A train to Porto, two seats please
        assistant: At what time? ["agent_seek_information"]
        person: 8 am
        call: Travel.Trains.book (to Verbatim Some("Porto"), at Normalised Some("8 am"), seats Normalised Some("two"))
        answer: {"booking":"TR-7714"}
        assistant: Booked as TR-7714. ["agent_function_calling", "agent_inform_user"]
        person: Thanks
        assistant: Any time! ["agent_other"]
        "#);
        let Conversation { tools, system, .. } = &played.conversation;
        assert!(tools.len() == 3 && tools.iter().any(|tool| tool.name == TRAIN), "{tools:?}");
        assert!(system.contains("2026-01-02 09:00"), "{system}");
        assert_eq!((played.draws.len(), asked_of(&asked, Task::Simulate)), (8, 1));
        assert_eq!(asked_of(&asked, Task::PlayUser), 3);
        let again = play(&context, &scenario(Complexity::Underfill, &[TRAIN])).await.unwrap();
        assert_eq!(again.conversation, played.conversation);
    }

    #[tokio::test]
    async fn the_person_is_told_what_is_owed_and_nothing_of_calls() {
        let agent = |it: &PlayAgentVariables| match last(it).0 {
            Role::Tool => say("Booked.", INFORM),
            _ => call(TRAIN, SEATS),
        };
        let (context, asked) = context(model(&["Two seats to Porto at 8 am", ""], agent));
        let scenario = Scenario { minimum_turns: 3, ..scenario(Complexity::Overfill, &[TRAIN]) };
        assert_eq!(play(&context, &scenario).await.unwrap().conversation.turns.len(), 1);
        let requests = asked.requests();
        let told: Vec<(String, usize)> = requests
            .iter()
            .filter_map(|request| match &*request.variables {
                Variables::PlayUser(it) => Some((it.history.clone(), it.owed)),
                _ => None,
            })
            .collect();
        let history = "user:Two seats to Porto at 8 am\nassistant:Booked.".to_owned();
        assert_eq!(told, [(String::new(), 3), (history, 2)]);
    }

    #[tokio::test]
    async fn an_error_is_put_in_and_the_call_made_again() {
        let agent = |it: &PlayAgentVariables| match last(it) {
            (Role::Tool, answer) if answer.contains("error") => say("It failed. Once more?", SEEK),
            (Role::Tool, _) => say("Booked.", INFORM),
            _ => call(TRAIN, SEATS),
        };
        let lines = &["Two seats to Porto at 8 am", "Please do"];
        let failed = |complexity| {
            let (context, asked) = context(model(lines, agent));
            async move {
                let played = play(&context, &scenario(complexity, &[TRAIN])).await.unwrap();
                let calls: Vec<bool> = played.conversation.calls().map(|(_, made)| made.failed).collect();
                (calls, asked_of(&asked, Task::Simulate))
            }
        };
        assert_eq!(failed(Complexity::ExceptionInExecution).await, (vec![true, false], 1));
        assert_eq!(failed(Complexity::FailedConversation).await, (vec![true, true], 0));
        assert_eq!(failed(Complexity::Underfill).await, (vec![false, false], 1));
    }

    #[tokio::test]
    async fn what_is_required_has_to_be_called_unless_nothing_serves_the_wish() {
        let refusing = || context(model(&["Sing!"], |_| say("I cannot sing.", "agent_reject_request"))).0;
        let lacking = play(&refusing(), &scenario(Complexity::Underfill, &[TRAIN])).await;
        assert_eq!(fault(lacking), ("required_tool", format!("never called: `{TRAIN}`")));
        let declined = play(&refusing(), &scenario(Complexity::GoalNotSupported, &[TRAIN])).await.unwrap();
        assert_eq!(declined.conversation.turns[0].acts, ["agent_reject_request"]);
    }

    #[tokio::test]
    async fn a_person_who_never_ends_is_cut_short_and_one_who_says_nothing_is_lost() {
        let chatty = |request: &Request| match &*request.variables {
            Variables::PlayUser(_) => r#"{"text": "And then?"}"#.to_owned(),
            _ => say("Nothing.", INFORM),
        };
        let endless = play(&context(chatty).0, &scenario(Complexity::GoalNotSupported, &[TRAIN])).await.unwrap();
        assert_eq!(endless.conversation.turns.len(), 1 + MORE_TURNS);
        let silent = play(&context(|_| "...".to_owned()).0, &scenario(Complexity::Underfill, &[TRAIN])).await;
        assert_eq!(fault(silent).0, "no_text");
    }
}
