//! Has a model plan a conversation on tools of which nobody wrote what people say. Calls are made as the plan has them, and
//! what fits neither the tools nor the answers goes back with its place; the lines are written afterwards, as those of any plan.

use super::play::{Played, error, system};
use super::proof::{READ, proved};
use super::sources::{Before, check_call, said_notes};
use crate::complexfunc::stage::model::trace::Desk;
use crate::confetti::metric::Act;
use crate::failure::ItemError;
use crate::llm::tasks::{ConversationPlan, PlannedCall, PlannedTurn, TurnAct, read_plan};
use crate::llm::{Common, PlanVariables, PlannedAct, SpeechAct, Task, Variables};
use crate::record::{
    AgentTurn, Chance, Complexity, Conversation, Draw, FunctionCall, ItemId, MadeCall, Message, Object, Scenario, Tool,
    Value,
};
use crate::settings::Count;
use crate::stage::context::{Context, Question};
use crate::stage::outcome::Fault;
use crate::stage::writing::schemas;
use crate::stage::writing::speaker::{Given, Noted};
use std::sync::Arc;

/// What a line of the person can do, and what one of the assistant can.
const PERSON: [SpeechAct; 13] = [
    SpeechAct::Request,
    SpeechAct::Describe,
    SpeechAct::Answer,
    SpeechAct::Thank,
    SpeechAct::Caution,
    SpeechAct::Agree,
    SpeechAct::Vague,
    SpeechAct::Retry,
    SpeechAct::AskOn,
    SpeechAct::Aside,
    SpeechAct::Switch,
    SpeechAct::Stack,
    SpeechAct::Correct,
];
const ASSISTANT: [SpeechAct; 8] = [
    SpeechAct::Ask,
    SpeechAct::Tell,
    SpeechAct::Decline,
    SpeechAct::Thank,
    SpeechAct::Confirm,
    SpeechAct::Which,
    SpeechAct::Report,
    SpeechAct::GiveUp,
];

/// The conversation of a scenario as a model plans it, in the words of the plan; what was drawn stands in its provenance.
pub(crate) async fn plan_by_model(
    context: &Context,
    scenario: &Scenario,
    id: &ItemId,
    asks: Count,
) -> Result<Played, ItemError> {
    let tools = shown(context, scenario, context.chance_of("shown", id.as_str(), 0));
    let weekday = context.weekday(&scenario.reference_time);
    let variables = |common: Common| {
        Variables::PlanConversation(PlanVariables {
            common: Common { weekday: weekday.clone(), ..common },
            scenario: scenario.goals.clone(),
            complexity: scenario.complexity.as_str().to_owned(),
            reference_time: scenario.reference_time.clone(),
            tools: tools.clone(),
            required: scenario.required.clone(),
            minimum_turns: scenario.minimum_turns,
        })
    };
    let question = Question { task: Task::PlanConversation, role: context.role(), item: id, asks: asks.as_draws() };
    let schema = schemas::conversation_plan(&tools, &PERSON, &ASSISTANT);
    let (mut draws, mut told, mut last) = (Vec::new(), String::new(), Fault::new("no_plan", "never asked"));
    for time in 0..question.asks.max(1) {
        let (reply, draw) = context.once(&question, time, Some(schema.clone()), &told, &variables).await?;
        draws.push(draw);
        let fault = match read_plan(&reply.text) {
            Ok(plan) => match Draft::of(context, scenario, id, &tools).followed(plan).await {
                Ok(mut played) => {
                    played.draws.splice(0..0, draws);
                    return Ok(played);
                }
                Err(ItemError::Item { fault, .. }) => fault,
                Err(stop) => return Err(stop),
            },
            Err(unparsable) => unparsable.into(),
        };
        context.count(fault.reason);
        told = context.explained(&fault);
        last = fault;
    }
    Err(last.into())
}

/// The calls of a conversation that was written, each held to its sources in what was said at last.
pub(crate) fn traced_anew(context: &Context, conversation: &mut Conversation) -> Result<(), Fault> {
    let (mut messages, mut made) = (Vec::new(), Vec::new());
    let time = conversation.scenario.reference_time.clone();
    for turn in &mut conversation.turns {
        messages.push(Message::user(&turn.said));
        for call in &mut turn.calls {
            let before = Before { context, time: &time, messages: &messages, made: &made };
            call.notes = check_call(&before, &conversation.tools, &call.call)?;
            messages.extend(call.messages(made.len()));
            made.push(call.clone());
        }
        messages.push(crate::stage::writing::speaker::assistant(&turn.reply));
    }
    Ok(())
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

/// A conversation as far as its plan was followed.
struct Draft<'a> {
    context: &'a Context,
    scenario: &'a Scenario,
    tools: &'a [Arc<Tool>],
    desk: Desk<'a>,
    chance: Chance,
    messages: Vec<Message>,
    made: Vec<MadeCall>,
    turns: Vec<AgentTurn>,
    lines: Vec<Vec<Noted>>,
    draws: Vec<Draw>,
}

impl<'a> Draft<'a> {
    fn of(context: &'a Context, scenario: &'a Scenario, id: &ItemId, tools: &'a [Arc<Tool>]) -> Self {
        Self {
            context,
            scenario,
            tools,
            desk: Desk::new(context),
            chance: context.chance_of("fault", id.as_str(), 0),
            messages: Vec::new(),
            made: Vec::new(),
            turns: Vec::new(),
            lines: Vec::new(),
            draws: Vec::new(),
        }
    }

    /// Makes the calls of a plan; the first thing that does not fit is a fault.
    async fn followed(mut self, plan: ConversationPlan) -> Result<Played, ItemError> {
        let error = error(self.context, &mut self.chance)?;
        let mut turns = plan.turns.into_iter().peekable();
        while let Some(turn) = turns.next() {
            let next = turns.peek().and_then(|turn| turn.calls.first());
            self.turn(turn, next, &error).await?;
        }
        let tools = self.tools.to_vec();
        let scenario = self.scenario.clone();
        let conversation =
            Conversation { scenario, system: system(self.context, self.scenario), tools, turns: self.turns };
        check(self.context, &conversation)?;
        Ok(Played { conversation, style: String::new(), draws: self.draws, lines: self.lines })
    }

    async fn turn(&mut self, turn: PlannedTurn, next: Option<&PlannedCall>, error: &Value) -> Result<(), ItemError> {
        let place = format!("turn {}", self.turns.len() + 1);
        let person =
            turn.person.iter().map(|act| self.noted(&place, act, (true, None))).collect::<Result<Vec<_>, _>>()?;
        let said = person.iter().map(|it| it.given.text.as_str()).collect::<Vec<_>>().join(". ");
        self.messages.push(Message::user(&said));
        let first = self.made.len();
        for call in &turn.calls {
            self.call(&place, call, error).await?;
        }
        // Who asks leave knows what for.
        let next = next.and_then(|next| self.resolved(&place, next).ok());
        let replies = turn.assistant.iter().map(|act| self.noted(&place, act, (false, next.as_ref())));
        let replies = replies.collect::<Result<Vec<_>, _>>()?;
        if person.is_empty() || replies.is_empty() {
            return Err(Fault::new("no_plan", format!("{place}: a line does nothing")).into());
        }
        let calls = self.made[first..].to_vec();
        let mut acts: Vec<Act> = turn.assistant.iter().flat_map(|it| labels(it.act)).copied().collect();
        acts.extend((!calls.is_empty()).then_some(Act::FunctionCalling));
        acts.sort_unstable();
        acts.dedup();
        let acts = acts.into_iter().map(|act| act.as_str().to_owned()).collect();
        self.turns.push(AgentTurn { said, calls, reply: String::new(), acts });
        self.lines.extend([person, replies]);
        Ok(())
    }

    /// What a line does, with the values that it says and where its words say them.
    fn noted(
        &self,
        place: &str,
        planned: &TurnAct,
        (is_person, next): (bool, Option<&FunctionCall>),
    ) -> Result<Noted, Fault> {
        let own: &[SpeechAct] = if is_person { &PERSON } else { &ASSISTANT };
        if !own.contains(&planned.act) {
            let who = if is_person { "person" } else { "assistant" };
            let act = serde_json::to_value(planned.act).unwrap_or_default();
            return Err(Fault::new("no_plan", format!("{place}: the {who}'s line cannot do {act}")));
        }
        let tool = planned.function.as_ref().map(|name| self.tool(place, name)).transpose()?;
        let described = |name: &String| {
            let parameter = tool.as_ref().and_then(|tool| tool.parameters.properties.get(name));
            parameter.and_then(|it| it.description.clone()).unwrap_or_else(|| name.clone())
        };
        let wish = planned.wish.clone().or_else(|| tool.as_ref().map(|tool| tool.description.clone()));
        let act = PlannedAct {
            act: planned.act,
            wish: wish.unwrap_or_default(),
            about: planned.about.iter().map(described).collect(),
            next: next.filter(|_| planned.act == SpeechAct::Confirm).cloned(),
            ..PlannedAct::default()
        };
        let says = planned.says.iter().filter(|_| is_person);
        let words: Vec<&str> = says.clone().map(|said| said.words.as_str()).collect();
        let text = if words.is_empty() { act.wish.clone() } else { words.join(", ") };
        let arguments: Object = says.map(|said| (said.parameter.clone(), said.value.clone())).collect();
        let Some(tool) = tool else {
            return match arguments.keys().next() {
                Some(name) => Err(Fault::new("no_plan", format!("{place}: `{name}` is said for no function"))),
                None => Ok(Noted::of(is_person, act, None, Given { text, ..Given::default() })),
            };
        };
        let call = FunctionCall { name: tool.name.clone(), arguments };
        let messages = [Message::user(&text)];
        let before =
            Before { context: self.context, time: &self.scenario.reference_time, messages: &messages, made: &[] };
        let notes = said_notes(&before, &tool, &call).map_err(|fault| at(place, &fault))?;
        Ok(Noted::of(is_person, act, Some(&tool), Given { text, arguments: call.arguments, notes }))
    }

    fn tool(&self, place: &str, name: &str) -> Result<Arc<Tool>, Fault> {
        let unknown = || Fault::new("unknown_tool", format!("{place}: there is no function `{name}`"));
        self.tools.iter().find(|tool| tool.name == name).cloned().ok_or_else(unknown)
    }

    /// A call with what earlier answers hold.
    fn resolved(&self, place: &str, planned: &PlannedCall) -> Result<FunctionCall, Fault> {
        let mut arguments = planned.arguments.clone();
        arguments.retain(|_, value| *value != Value::Null);
        for from in &planned.answers {
            let answer = from.call.checked_sub(1).and_then(|at| self.made.get(at)).filter(|made| !made.failed);
            let value = answer.and_then(|made| from.find(&made.answer)).ok_or_else(|| {
                let answer = answer.map_or_else(|| "there is none".to_owned(), |made| made.answer.to_string());
                let (parameter, field, call) = (&from.parameter, &from.field, from.call);
                let detail =
                    format!("{place}: `{parameter}` is to come from `{field}` of answer {call}; that is: {answer}");
                Fault::new("no_source", detail)
            })?;
            arguments.insert(from.parameter.clone(), value.clone());
        }
        Ok(FunctionCall { name: planned.name.clone(), arguments })
    }

    async fn call(&mut self, place: &str, planned: &PlannedCall, error: &Value) -> Result<(), ItemError> {
        let call = self.resolved(place, planned)?;
        let before = Before {
            context: self.context,
            time: &self.scenario.reference_time,
            messages: &self.messages,
            made: &self.made,
        };
        let notes = check_call(&before, self.tools, &call).map_err(|fault| at(place, &fault))?;
        let (answer, failed) = if planned.fails {
            (error.clone(), true)
        } else {
            let told = self.desk.answer(self.tools, &call).await?;
            self.draws.extend(told.draw);
            (told.answer, told.fault.is_some())
        };
        let made = MadeCall { call, notes, answer, failed };
        self.messages.extend(made.messages(self.made.len()));
        self.made.push(made);
        Ok(())
    }
}

/// Whether a planned conversation is what was wanted, as far as rules can tell.
fn check(context: &Context, conversation: &Conversation) -> Result<(), Fault> {
    let Scenario { complexity, required, minimum_turns, .. } = &conversation.scenario;
    let is_called = |name: &&String| conversation.calls().any(|(_, made)| made.call.name == **name);
    let lacking: Vec<&str> = required.iter().filter(|name| !is_called(name)).map(String::as_str).collect();
    // What nobody can do anything about needs no call.
    if !lacking.is_empty() && *complexity != Complexity::GoalNotSupported {
        return Err(Fault::new("required_tool", format!("never called: `{}`", lacking.join("`, `"))));
    }
    if conversation.turns.len() < *minimum_turns {
        let detail = format!("{minimum_turns} turns were wanted, there are {}", conversation.turns.len());
        return Err(Fault::new("too_few_turns", detail));
    }
    let acts = |name: &str| context.toolset().tools.iter().any(|tool| tool.name == name && tool.acts);
    if READ.contains(complexity) || proved(conversation, &acts).contains(complexity) {
        return Ok(());
    }
    Err(Fault::new("another_complexity", format!("the plan has no {}", complexity.as_str())))
}

/// What an assistant does with the words of an act.
fn labels(act: SpeechAct) -> &'static [Act] {
    match act {
        SpeechAct::Tell => &[Act::Inform],
        SpeechAct::Ask | SpeechAct::Which => &[Act::Seek],
        SpeechAct::Confirm | SpeechAct::Report => &[Act::Inform, Act::Seek],
        SpeechAct::Decline | SpeechAct::GiveUp => &[Act::Reject],
        _ => &[Act::Other],
    }
}

fn at(place: &str, fault: &Fault) -> Fault {
    Fault::new(fault.reason, format!("{place}: {}", fault.detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confetti::stage::conversations::ConversationsConfig;
    use crate::llm::Request;
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, TRAIN, context};

    const PERSON_ASKS: &str = r#"{"act": "request", "function": "Travel.Trains.book", "wish": "two seats to Porto",
        "says": [{"parameter": "to", "value": "Porto", "words": "Porto"}, {"parameter": "seats", "value": 2, "words": "two seats"}], "about": ["at"]}"#;
    const PERSON_ANSWERS: &str = r#"{"act": "answer", "function": "Travel.Trains.book", "says": [{"parameter": "at", "value": "08:00", "words": "8 am"}]}"#;

    fn call(fails: bool) -> String {
        format!(
            r#"{{"name": "{TRAIN}", "arguments": {{"to": "Porto", "at": "08:00", "seats": 2}}, "answers": [], "fails": {fails}}}"#
        )
    }

    fn turn(person: &str, calls: &[String], assistant: &str) -> String {
        format!(r#"{{"person": [{person}], "calls": [{}], "assistant": [{{"act": "{assistant}"}}]}}"#, calls.join(", "))
    }

    fn plan(turns: &[String]) -> String {
        format!(r#"{{"turns": [{}]}}"#, turns.join(", "))
    }

    fn underfilled() -> Vec<String> {
        vec![turn(PERSON_ASKS, &[], "ask"), turn(PERSON_ANSWERS, &[call(false)], "tell")]
    }

    fn scenario(complexity: Complexity, minimum_turns: usize) -> Scenario {
        serde_json::from_value(serde_json::json!({
            "number": 0, "complexity": complexity, "required": [TRAIN], "optional": [], "minimum_turns": minimum_turns,
            "offered": 3, "reference_time": "2026-01-02T09:00:00", "goals": "Two seats to Porto at 08:00.",
        }))
        .unwrap()
    }

    /// What comes of these plans, one after the other; and what was asked.
    async fn planned(
        complexity: Complexity,
        minimum_turns: usize,
        plans: Vec<String>,
    ) -> (Result<Played, ItemError>, Asked) {
        let (context, asked) = context(move |request: &Request| match &*request.variables {
            Variables::PlanConversation(_) => {
                plans[usize::try_from(request.draw).unwrap().min(plans.len() - 1)].clone()
            }
            Variables::Simulate(_) => r#"{"booking": "TR-7714"}"#.to_owned(),
            other => panic!("{other:?}"),
        });
        let asks = read_text::<ConversationsConfig>("asks = 2").unwrap().asks;
        let scenario = scenario(complexity, minimum_turns);
        (plan_by_model(&context, &scenario, &ItemId::root("a"), asks).await, asked)
    }

    async fn fault(complexity: Complexity, turns: &[String]) -> (&'static str, String) {
        match planned(complexity, 2, vec![plan(turns)]).await.0 {
            Err(ItemError::Item { fault, .. }) => (fault.reason, fault.detail),
            other => panic!("{:?}", other.map(|it| it.conversation)),
        }
    }

    #[tokio::test]
    async fn a_plan_is_followed_and_its_calls_are_made() {
        let (played, asked) = planned(Complexity::Underfill, 2, vec![plan(&underfilled())]).await;
        let Played { conversation, lines, .. } = played.unwrap();
        let made = &conversation.turns[1].calls[0];
        assert_eq!((made.answer.to_string().as_str(), made.failed), (r#"{"booking":"TR-7714"}"#, false));
        assert_eq!(made.notes["at"].surface.as_deref(), Some("8 am"));
        assert_eq!(conversation.turns[0].acts, ["agent_seek_information"]);
        assert_eq!(conversation.turns[1].acts, ["agent_function_calling", "agent_inform_user"]);
        let says: Vec<&str> = lines[0][0].act.says.iter().map(|it| it.words.as_str()).collect();
        assert_eq!((lines.len(), says, asked.count()), (4, vec!["Porto", "two"], 2));
        assert!(conversation.tools.len() == 3 && conversation.system.contains("2026-01-02 09:00"));
    }

    #[tokio::test]
    async fn what_does_not_fit_is_told_with_its_turn_and_planned_again() {
        let invented = vec![turn(PERSON_ASKS, &[call(false)], "tell"), turn(PERSON_ANSWERS, &[], "tell")];
        let (played, asked) = planned(Complexity::Underfill, 2, vec![plan(&invented), plan(&underfilled())]).await;
        assert!(played.is_ok() && asked.tasks().iter().filter(|it| **it == Task::PlanConversation).count() == 2);
        let (reason, detail) = fault(Complexity::Underfill, &invented).await;
        assert!(reason == "no_source" && detail.starts_with("turn 1: `at` of"), "{detail}");
        let retold = [turn(PERSON_ASKS, &[], "request")];
        assert_eq!(fault(Complexity::Underfill, &retold).await.0, "no_plan");
    }

    #[tokio::test]
    async fn a_plan_has_its_complexity_its_tools_and_its_length() {
        let retry = r#"{"act": "retry"}"#;
        let failing = vec![
            turn(PERSON_ASKS, &[], "ask"),
            turn(PERSON_ANSWERS, &[call(true)], "report"),
            turn(retry, &[call(false)], "tell"),
        ];
        let (played, _) = planned(Complexity::ExceptionInExecution, 3, vec![plan(&failing)]).await;
        let failed: Vec<bool> = played.unwrap().conversation.calls().map(|(_, made)| made.failed).collect();
        assert_eq!(failed, [true, false]);
        assert_eq!(fault(Complexity::ExceptionInExecution, &underfilled()).await.0, "another_complexity");
        assert_eq!(fault(Complexity::Underfill, &underfilled()[..1]).await.0, "required_tool");
        let (short, _) = planned(Complexity::Underfill, 3, vec![plan(&underfilled())]).await;
        assert!(matches!(short, Err(ItemError::Item { fault, .. }) if fault.reason == "too_few_turns"));
    }
}
