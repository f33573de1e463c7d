//! Makes the scenarios of conversations: what is wanted, what makes it hard, and when it takes place (CONFETTI).

use crate::confetti::stage::conversing::{Aim, is_free, scenarios};
use crate::failure::RunStopped;
use crate::gate::check_script;
use crate::llm::{Reply, ScenarioVariables, Task, Variables, wait_for_all};
use crate::record::{Chance, Complexity, Item, Provenance, Record, RecordKind, Scenario, Tool};
use crate::settings::{Amount, Count, amount, count};
use crate::stage::context::Context;
use crate::stage::facts::{Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Stage, Work};
use crate::toolset::Toolset;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Makes scenarios: the tools, complexity, time and user goal of each conversation (CONFETTI, 3.1).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenariosConfig {
    /// Conversations of each complexity.
    #[serde(default = "complexities")]
    complexities: IndexMap<Complexity, Amount>,
    /// Agent turns with one call, two calls, three ...
    #[serde(default = "chains")]
    pub chains: Vec<Amount>,
    /// Number of listed tools, and in how many conversations.
    #[serde(default = "offered")]
    pub offered: Vec<Offered>,
    /// Additional requests that leave out a value, which the agent asks for.
    #[serde(default = "amount::<59>")]
    pub underfilled: Amount,
    /// Additional answers that are followed by a question about them.
    #[serde(default = "amount::<17>")]
    pub followups: Amount,
    /// Additional requests that no tool supports.
    #[serde(default = "amount::<5>")]
    pub unsupported: Amount,
    /// Conversations that end with thanks.
    #[serde(default = "amount::<24>")]
    pub thanks: Amount,
    /// Turns with calls that are also scored as responses, drawn by the seed.
    #[serde(default = "amount::<200>")]
    pub call_responses: Amount,
    /// Agent replies that are scored as responses, spread over the conversations by length (463 in the paper's Table
    /// 3).
    #[serde(default = "amount::<463>")]
    pub text_responses: Amount,
    /// Dates of the conversations, as YYYY-MM-DD.
    #[serde(default = "days")]
    pub reference_days: Vec<String>,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
}

/// A number of conversations with a number of listed tools.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Offered {
    /// Minimum.
    pub from: Amount,
    /// Maximum.
    pub to: Amount,
    /// Number of conversations.
    pub count: Amount,
}

/// The paper's targets (Table 1), whose sum is 108; the 109th conversation has none.
fn complexities() -> IndexMap<Complexity, Amount> {
    let counts = [5, 5, 6, 6, 7, 7, 7, 9, 10, 10, 11, 11, 15];
    Complexity::ALL.into_iter().zip(counts.map(Amount::of)).collect()
}

/// The chains of the released data: 313 with 506 calls (Figure 4).
fn chains() -> Vec<Amount> {
    [220, 46, 25, 9, 4, 3, 5, 0, 0, 1].map(Amount::of).to_vec()
}

/// The shares of Figure 2, over 109 conversations.
fn offered() -> Vec<Offered> {
    let range = |(from, to, count)| Offered { from: Amount::of(from), to: Amount::of(to), count: Amount::of(count) };
    [(3, 9, 50), (10, 19, 54), (20, 25, 5)].map(range).to_vec()
}

/// The first days of the year that the shipped world's answers speak of.
fn days() -> Vec<String> {
    (2..=6).map(|day| format!("2026-01-{day:02}")).collect()
}

impl Stage for ScenariosConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("scenarios", &[RecordKind::Tool], RecordKind::Scenario).asks("generator").speaks()
    }

    fn settings(&self) -> Settings<'_> {
        Settings { conflicts: self.conflicts(), ..Settings::default() }
    }

    fn thinkers<'r>(&'r self, role: Option<&'r str>, toolset: &Toolset) -> Vec<&'r str> {
        role.filter(|_| is_free(toolset)).into_iter().collect()
    }

    /// The scenarios whose first tool this is.
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Tool(tool) = &item.record else { return Ok(Outcome::keep(item)) };
            let mut outcome = Outcome::default();
            // What calls nothing begins with the first tool of all.
            let first = context.toolset().tools.first().map(|tool| &tool.name);
            let begins = |it: &Scenario| it.required.iter().chain(&it.optional).next().or(first) == Some(&tool.name);
            let work = scenarios(context, self).into_iter().filter(begins).map(|it| self.written(context, &item, it));
            wait_for_all(work).await?.into_iter().for_each(|written| outcome.add(written));
            Ok(outcome)
        })
    }
}

impl ScenariosConfig {
    fn conflicts(&self) -> Vec<(&'static str, String)> {
        let conversations: usize = self.complexities.values().map(|amount| amount.get()).sum();
        let offered: usize = self.offered.iter().map(|range| range.count.get()).sum();
        let mut conflicts = Vec::new();
        if conversations != offered {
            let message = format!("`offered` covers {offered} conversations, but `complexities` has {conversations}");
            conflicts.push(("offered", message));
        }
        if self.offered.iter().any(|range| range.from > range.to) {
            conflicts.push(("offered", "`from` is greater than `to`".to_owned()));
        }
        if self.thanks.get() > conversations {
            conflicts.push(("thanks", format!("`thanks` exceeds the {conversations} conversations")));
        }
        let is_day = |day: &String| {
            let parts = |at: usize| matches!(at, 4 | 7);
            day.len() == 10
                && day.bytes().enumerate().all(|(at, it)| if parts(at) { it == b'-' } else { it.is_ascii_digit() })
        };
        if self.reference_days.is_empty() {
            conflicts.push(("reference_days", "`reference_days` is empty".to_owned()));
        }
        conflicts.extend(self.reference_days.iter().filter(|day| !is_day(day)).map(|day| {
            ("reference_days", format!("`{day}` is not a date; expected YYYY-MM-DD, such as `2026-01-02`"))
        }));
        conflicts
    }

    /// Conversations of each complexity.
    pub(crate) fn quotas(&self) -> impl Iterator<Item = (Complexity, usize)> {
        self.complexities.iter().map(|(complexity, count)| (*complexity, count.get()))
    }

    /// Has what the person wants put into words.
    async fn written(&self, context: &Context, item: &Item, scenario: Scenario) -> Result<Outcome, RunStopped> {
        let id = item.id.child(context.stage(), scenario.number);
        let question = context.question(Task::WriteScenario, &id, self.asks.as_draws());
        let variables = |common| Variables::WriteScenario(scenario_variables(context, common, &scenario));
        let read = |reply: &Reply| {
            let text = context.line(reply)?;
            check_script(&text, context.language(), None)?;
            if text.trim().is_empty() {
                return Err(Fault::new("empty_text", "the scenario says nothing"));
            }
            Ok(text)
        };
        let written = context.obtain(&question, question.task.reply_schema(), variables, read).await;
        let made = written.map(|(goals, draw)| {
            let provenance = Provenance {
                template: context.is_template(context.role()),
                draws: vec![draw],
                parents: vec![item.id.to_string()],
                ..Provenance::default()
            };
            let record = Record::Scenario(Box::new(Scenario { goals, ..scenario.clone() }));
            Item { id: id.clone(), root: item.root.clone(), record, provenance }
        });
        context.settled(&id, made)
    }
}

/// What a writer and a reviewer of a scenario are given.
pub(crate) fn scenario_variables(
    context: &Context,
    common: crate::llm::Common,
    scenario: &Scenario,
) -> ScenarioVariables {
    let toolset = context.toolset();
    let find = |name: &String| toolset.tools.iter().find(|tool| tool.name == *name).cloned();
    let tools = |names: &[String]| names.iter().filter_map(find).collect::<Vec<Arc<Tool>>>();
    let aims = |of_rivals: bool| {
        let kept = move |at: usize, way| (at < wanted(way)) != of_rivals;
        let aims = scenario.episodes.iter().flat_map(move |episode| {
            episode.aims.iter().enumerate().filter(move |(at, _)| kept(*at, episode.way)).map(|(_, name)| name)
        });
        aims.filter_map(|name| Aim::find(toolset, name)).collect::<Vec<Aim>>()
    };
    let (own, rivals) = (aims(false), aims(true));
    let description = |aim: &Aim| aim.goal.tool.description.clone();
    // What only a rival calls is shown as a rival, and must not be called.
    let is_rival = |name: &String| {
        let calls = |aim: &Aim| aim.tools().any(|tool| tool == name);
        rivals.iter().any(calls) && !own.iter().any(calls)
    };
    let required: Vec<String> = scenario.required.iter().filter(|name| !is_rival(name)).cloned().collect();
    ScenarioVariables {
        common,
        situation: situation(context, scenario),
        complexity: scenario.complexity.as_str().to_owned(),
        required: tools(&required),
        optional: tools(&scenario.optional),
        wants: own.iter().map(description).collect(),
        rivals: rivals.iter().map(description).collect(),
        reference_time: scenario.reference_time.clone(),
        minimum_turns: scenario.minimum_turns,
    }
}

/// Who the person is, and the situation that they are in; nothing where the toolset has no threads.
fn situation(context: &Context, scenario: &Scenario) -> String {
    let thread = scenario.thread.as_ref().and_then(|name| context.toolset().thread(name));
    // Who reads a scenario over is told what its writer was told.
    let mut chance = Chance::of(&[b"who", scenario.number.to_string().as_bytes(), scenario.reference_time.as_bytes()]);
    let parts = thread.map(|thread| chance.pick(&thread.who).cloned().into_iter().chain([thread.about.clone()]));
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// How many of an episode's aims the person wants.
fn wanted(way: Complexity) -> usize {
    if way == Complexity::AmbiguousGoal { 1 } else { usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, TRAIN, context, tool_item, train, with_shared};

    const SMALL: &str = "complexities = { underfill = 4, overfill = 2 }\nthanks = 0\n\
                         offered = [{ from = 3, to = 5, count = 6 }]";

    fn config(settings: &str) -> ScenariosConfig {
        read_text(settings).unwrap()
    }

    fn conflicts(settings: &str) -> Vec<String> {
        let config: ScenariosConfig = read_text(settings).unwrap();
        config.conflicts().into_iter().map(|(key, message)| format!("{key}: {message}")).collect()
    }

    #[test]
    fn settings_that_do_not_go_together_are_told_with_both_figures() {
        assert_eq!(conflicts(""), [""; 0]);
        assert_eq!(
            conflicts("complexities = { underfill = 2 }\nthanks = 3"),
            [
                "offered: `offered` covers 109 conversations, but `complexities` has 2",
                "thanks: `thanks` exceeds the 2 conversations"
            ]
        );
        let range = "complexities = { underfill = 2 }\nthanks = 0\noffered = [{ from = 9, to = 3, count = 2 }]";
        assert_eq!(conflicts(range), ["offered: `from` is greater than `to`"]);
        assert_eq!(conflicts("reference_days = []"), ["reference_days: `reference_days` is empty"]);
        assert_eq!(
            conflicts("reference_days = [\"2026-1-02\", \"2026-01-02\", \"tomorrow\"]"),
            ["`2026-1-02`", "`tomorrow`"]
                .map(|day| format!("reference_days: {day} is not a date; expected YYYY-MM-DD, such as `2026-01-02`"))
        );
    }

    #[test]
    fn the_quotas_are_109_conversations() {
        let config = config("");
        assert_eq!(config.quotas().map(|(_, count)| count).sum::<usize>(), 109);
    }

    /// The scenarios that begin with each tool of a dozen of which nobody says what people say.
    async fn told(reply: &'static str) -> (Vec<Outcome>, Asked) {
        let (context, asked) = context(move |_| reply.to_owned());
        let mut outcomes = Vec::new();
        for tool in &context.toolset().tools {
            let item = tool_item((**tool).clone());
            outcomes.push(config(SMALL).each(&context, item).await.unwrap());
        }
        (outcomes, asked)
    }

    #[tokio::test]
    async fn each_scenario_is_told_once_where_its_first_tool_is() {
        let (outcomes, asked) = told(r#"{"text": "Ann wants two seats."}"#).await;
        let items: Vec<&Item> = outcomes.iter().flat_map(|outcome| &outcome.kept).collect();
        let mut numbers = Vec::new();
        for item in items {
            let Record::Scenario(scenario) = &item.record else { panic!("{item:?}") };
            numbers.push(scenario.number);
            assert_eq!(item.id.as_str(), format!("{}/stage/{}", scenario.required[0], scenario.number));
            assert_eq!((scenario.goals.as_str(), item.provenance.draws.len()), ("Ann wants two seats.", 1));
        }
        numbers.sort_unstable();
        assert_eq!((numbers, asked.count()), (vec![0, 1, 2, 3, 4, 5], 6));
    }

    #[tokio::test]
    async fn a_scenario_without_words_is_asked_for_again_and_then_lost() {
        let (outcomes, asked) = told("\"\"").await;
        let rejected: Vec<_> = outcomes.iter().flat_map(|outcome| &outcome.rejected).collect();
        assert!(rejected.len() == 6 && rejected.iter().all(|it| it.reason == "empty_text"), "{rejected:?}");
        assert_eq!(asked.count(), 18);
    }

    #[test]
    fn a_writer_is_told_the_tools_and_of_vague_words_only_what_is_meant() {
        let (context, _) = context(|_| String::new());
        let assistant = crate::fixtures::toolset("assistant", "en");
        let planned = with_shared(context.clone(), |shared| shared.toolset = assistant);
        let all = scenarios(&planned, &read_text("").unwrap());
        let vague = all.iter().find(|it| it.complexity == Complexity::AmbiguousGoal).unwrap();
        let told = scenario_variables(&planned, crate::llm::Common::default(), vague);
        let aims: usize = vague.episodes.iter().map(|it| it.aims.len()).sum();
        assert_eq!((told.wants.len(), told.complexity.as_str()), (aims - 1, "AMBIGUOUS_GOAL"));
        let free =
            Scenario { required: vec![TRAIN.to_owned(), "gone".to_owned()], episodes: Vec::new(), ..vague.clone() };
        let told = scenario_variables(&context, crate::llm::Common::default(), &free);
        assert_eq!((told.required, told.wants.len()), (vec![Arc::new(train())], 0));
    }
}
