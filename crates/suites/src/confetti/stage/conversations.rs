//! Plays the conversations of scenarios, both sides of them (CONFETTI, section 3.2).

use crate::confetti::stage::conversing::{PersonFacts, Play, Played, is_free, plan_by_model, traced_anew, write_whole};
use crate::failure::ItemError;
use crate::functionchat::stage::talk::Registers;
use crate::record::{Item, ItemId, Provenance, Record, RecordKind, Scenario};
use crate::settings::{Count, Measure, count, measure};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Quota, Stage, Work};
use crate::stage::writing::speaker::Speaker;
use crate::toolset::Toolset;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates the conversation of each scenario, both sides of it; calls are executed in the toolset's world. A planned
/// scenario is played by the built-in model first, so that its calls and their answers are known; a language model then
/// writes all lines in one request and rewrites faulty ones once. A scenario without a plan is planned by the language
/// model first, in one request. Calls that no world answers are answered by the role `simulator`, which defaults to the
/// generator.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConversationsConfig {
    /// Additional conversations that may be played per scenario until the filters accept one.
    #[serde(default = "measure::<1100>")]
    spare: Measure,
    /// The same for scenarios without a plan, for which a model must write the plan and answer the calls.
    #[serde(default = "measure::<10>")]
    spare_free: Measure,
    /// Speakers per cycle in each register, by locale: `{ ko = { banmal = 1, haeyo = 2 } }`.
    #[serde(default)]
    registers: Registers,
    /// Maximum attempts to get a usable reply, and maximum starts of a conversation, including the first.
    #[serde(default = "count::<4>")]
    pub asks: Count,
}

impl Stage for ConversationsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("conversations", &[RecordKind::Scenario], RecordKind::Conversation).asks("generator")
    }

    fn thinkers<'r>(&'r self, role: Option<&'r str>, toolset: &Toolset) -> Vec<&'r str> {
        role.filter(|_| is_free(toolset)).into_iter().collect()
    }

    fn quota(&self, input: &Record) -> Option<Quota> {
        let Record::Scenario(it) = input else { return None };
        Some(Quota::new(1, self.spare(it)))
    }

    /// Plays until a conversation comes to its end, at most `asks` times; what is not planned is played once.
    fn draw<'a>(&'a self, context: &'a Context, item: &'a Item, ordinal: usize) -> Work<'a> {
        Box::pin(async move {
            let Record::Scenario(scenario) = &item.record else { return Ok(Outcome::default()) };
            let id = item.id.child(context.stage(), ordinal);
            let register = self.registers.of(context, scenario.number)?;
            let played = if scenario.episodes.is_empty() {
                self.devise(context, scenario, &id, register).await
            } else {
                self.play_plan(context, scenario, &id, register).await
            };
            match played {
                Ok(played) => Ok(Self::played(context, item, &id, played)),
                Err(failure) => context.failed(&id, failure),
            }
        })
    }
}

impl ConversationsConfig {
    /// How many more conversations may be played for a scenario.
    pub(crate) fn spare(&self, scenario: &Scenario) -> Measure {
        if scenario.episodes.is_empty() { self.spare_free } else { self.spare }
    }

    /// Has the model plan a conversation and write its lines.
    async fn devise(
        &self,
        context: &Context,
        scenario: &Scenario,
        id: &ItemId,
        register: Option<&str>,
    ) -> Result<Played, ItemError> {
        let mut planned = plan_by_model(context, scenario, id, self.asks).await?;
        let draws = std::mem::take(&mut planned.draws);
        let mut played = write_whole(context, id, planned, register).await?;
        traced_anew(context, &mut played.conversation)?;
        played.draws.splice(0..0, draws);
        Ok(played)
    }

    async fn play_plan(
        &self,
        context: &Context,
        scenario: &Scenario,
        id: &ItemId,
        register: Option<&str>,
    ) -> Result<Played, ItemError> {
        let is_written = !context.is_template(context.role());
        let draft = if is_written { context.drafting() } else { context.clone() };
        let mut last = ItemError::from(Fault::new("never_made", "never tried"));
        for again in 0..self.asks.get() {
            let speaker = Speaker::new(&draft, id.child("try", again), self.asks.as_draws()).speaking(register);
            let attempt = u32::try_from(again).unwrap_or(u32::MAX);
            let facts = PersonFacts::new(&draft, scenario, id, attempt);
            let sides = (speaker.answered_by(context), facts);
            match Play::new(&draft, scenario, id, sides, self.asks).through().await {
                Ok(play) if is_written => return write_whole(context, id, play.played(), register).await,
                Ok(play) => return Ok(play.played()),
                Err(stop @ ItemError::Stopped(_)) => return Err(stop),
                Err(lost) => last = lost,
            }
        }
        Err(last)
    }

    fn played(context: &Context, item: &Item, id: &ItemId, played: Played) -> Outcome {
        let Played { conversation, style, draws, .. } = played;
        let mut provenance = Provenance {
            template: context.is_template(context.role()),
            parents: vec![item.id.to_string()],
            ..item.provenance.clone()
        };
        provenance.draws.extend(draws);
        provenance.facts.insert("style".to_owned(), style);
        let (wanted, turns) = (conversation.scenario.minimum_turns, conversation.turns.len());
        if turns < wanted {
            let detail = format!("{wanted} turns were wanted, there are {turns}");
            return context.reject(id, Fault::new("too_few_turns", detail), String::new());
        }
        let record = Record::Conversation(Box::new(conversation));
        Outcome::keep(Item { id: id.clone(), root: item.root.clone(), record, provenance })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{Chat, ConversationStep, ConversationVariables, Request, Variables};
    use crate::locale::Pack;
    use crate::model::Grammar;
    use crate::record::{Conversation, Scenario, Value};
    use crate::settings::section::read_text;
    use crate::stage::Domains;
    use crate::stage::testing::{context, silent, tool_item, train, with_shared};

    use std::sync::Arc;

    /// A context of the shipped assistant, played by the built-in model.
    fn assistant() -> Context {
        let toolset = crate::fixtures::toolset("assistant", "en");
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        pack.add_kinds("assistant", toolset.kinds.clone()).unwrap();
        let pack = Arc::new(pack);
        let grammar = Grammar::new(pack.clone(), 7);
        let chat = Chat::builtin("grammar", Arc::new(move |request: &Request| grammar.reply(request)));
        with_shared(silent(), |shared| {
            shared.domains = Domains::new(&toolset, &pack, 7).unwrap();
            shared.toolset = toolset;
            shared.pack = pack;
            shared.chats = [("generator".to_owned(), chat)].into_iter().collect();
        })
    }

    async fn played(episode: serde_json::Value) -> Result<Conversation, String> {
        played_by(&assistant(), episode).await
    }

    async fn played_by(context: &Context, episode: serde_json::Value) -> Result<Conversation, String> {
        let scenario: Scenario = serde_json::from_value(serde_json::json!({
            "number": 0, "complexity": episode["way"], "required": [], "optional": [], "minimum_turns": 1, "offered": 8,
            "reference_time": "2026-01-02T09:05:00", "episodes": [episode], "thanks": true,
        }))
        .unwrap();
        let parent = Item { record: Record::Scenario(Box::new(scenario)), ..tool_item(train()) };
        let config: ConversationsConfig = read_text("asks = 3").unwrap();
        let mut outcome = config.draw(context, &parent, 2).await.unwrap();
        match outcome.kept.pop().map(|item| (item.id.to_string(), item.record)) {
            Some((id, Record::Conversation(conversation))) => {
                assert_eq!(id, "Travel.Trains.book/stage/2");
                Ok(*conversation)
            }
            _ => Err(outcome.rejected.remove(0).reason),
        }
    }

    fn episode(way: &str, aims: &[&str], chains: &[usize]) -> serde_json::Value {
        serde_json::json!({"way": way, "aims": aims, "chains": chains})
    }

    fn shape(conversation: &Conversation) -> Vec<(usize, String)> {
        let turn = |turn: &crate::record::AgentTurn| (turn.calls.len(), turn.acts.join("+").replace("agent_", ""));
        conversation.turns.iter().map(turn).collect()
    }

    /// The same without the questions for what was not said.
    fn without_asking(conversation: &Conversation) -> Vec<(usize, String)> {
        let mut shape = shape(conversation);
        shape.retain(|(calls, acts)| *calls > 0 || acts != "seek_information");
        shape
    }

    fn calling(conversation: &Conversation) -> Vec<&crate::record::AgentTurn> {
        conversation.turns.iter().filter(|turn| !turn.calls.is_empty()).collect()
    }

    const TOLD: &str = "function_calling+inform_user";
    const ASKED: &str = "function_calling+inform_user+seek_information";

    #[tokio::test]
    async fn leave_is_asked_for_in_the_middle_of_a_chain() {
        let it = played(episode("confirmation", &["bookCheapestFlight"], &[3, 1])).await.unwrap();
        let wanted = [(3, ASKED), (1, TOLD), (0, "other")].map(|(calls, acts)| (calls, acts.to_owned()));
        assert_eq!(without_asking(&it), wanted);
        assert!(it.system.contains("2026-01-02 09:05") && it.tools.len() == 8);
    }

    #[tokio::test]
    async fn a_failed_call_is_made_again_with_the_same_arguments() {
        let it = played(episode("exception_in_execution", &["findFlights"], &[2, 2])).await.unwrap();
        assert_eq!(without_asking(&it)[..2], [(2, ASKED.to_owned()), (2, TOLD.to_owned())]);
        let (failed, again) = (&calling(&it)[0].calls[1], &calling(&it)[1].calls[0]);
        assert!(
            failed.failed
                && !again.failed
                && failed.call == again.call
                && failed.answer.at_path("error.code").is_some()
        );
        let it = played(episode("failed_conversation", &["findFlights"], &[2, 1])).await.unwrap();
        assert_eq!(without_asking(&it)[1], (1, "function_calling+reject_request".to_owned()));
        assert_eq!(
            calling(&it)[0].calls[1].answer,
            calling(&it)[1].calls[0].answer,
            "the same call fails in the same way"
        );
    }

    #[tokio::test]
    async fn who_is_refused_gives_no_thanks() {
        let it = played(episode("failed_conversation", &["findFlights"], &[2, 1])).await.unwrap();
        let last = it.turns.last().unwrap();
        let [before, acts] = [&it.turns[it.turns.len() - 2].acts, &last.acts].map(|acts| acts.join("+"));
        assert!(before.contains("reject") && acts == "agent_other", "{before} {acts}");
        let pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        let resigned = |draw| pack.chat.resigned("plain", &mut crate::record::Chance::new(1, "x", "y", draw));
        assert!((0..60).filter_map(resigned).any(|(said, _)| said == last.said), "{}", last.said);
    }

    #[tokio::test]
    async fn what_is_asked_afterwards_was_not_told_before() {
        for aims in ["Taxi_estimate_fare", "News_search", "Weather_get_forecast"] {
            let mut asked_on = episode("followup_question", &[aims], &[1]);
            asked_on["followup"] = true.into();
            let it = played(asked_on).await.unwrap();
            let told = it.turns.iter().position(|turn| !turn.calls.is_empty()).unwrap();
            let (told, more) = (&it.turns[told].reply, &it.turns[told + 1].reply);
            let figures = |text: &str| -> Vec<String> {
                let parts = text.split(|letter: char| !letter.is_ascii_digit()).filter(|part| !part.is_empty());
                parts.map(str::to_owned).collect()
            };
            assert!(
                figures(more).iter().any(|it| !figures(told).contains(it)) || figures(more).is_empty(),
                "{told} {more}"
            );
        }
    }

    #[tokio::test]
    async fn who_switches_leaves_the_first_unfinished() {
        let it =
            played(episode("goal_switching", &["bookCheapestFlight", "Orders_track_order"], &[3, 1])).await.unwrap();
        let names: Vec<&str> = it.calls().map(|(_, made)| made.call.name.as_str()).collect();
        assert!(!names.contains(&"Flights_book_flight") && names.last() == Some(&"Orders_track_order"), "{names:?}");
    }

    #[tokio::test]
    async fn what_is_missing_is_asked_for_and_what_nobody_can_is_declined() {
        let it = played(episode("underfill", &["Orders_track_order"], &[1])).await.unwrap();
        assert_eq!(shape(&it)[..2], [(0, "seek_information".to_owned()), (1, TOLD.to_owned())]);
        let it = played(episode("goal_not_supported", &["Orders_track_order"], &[])).await.unwrap();
        assert_eq!(shape(&it)[0], (0, "reject_request".to_owned()));
        assert!(it.tools.iter().all(|tool| tool.name != "Orders_track_order"));
    }

    #[tokio::test]
    async fn a_detail_is_taken_back_and_what_hangs_on_it_called_again() {
        let mut correction = episode("goal_correction", &["findFlights"], &[3, 1]);
        correction["corrected"] = "date".into();
        let it = played(correction).await.unwrap();
        assert_eq!(calling(&it)[1].calls.len(), 1);
        let [before, after] = [&calling(&it)[0].calls[2], &calling(&it)[1].calls[0]].map(|made| &made.call.arguments);
        assert!(before["date"] != after["date"] && before["origin"] == after["origin"]);
        let stacked = played(episode("goal_stacking", &["Orders_track_order", "findFlights"], &[4])).await.unwrap();
        assert_eq!(without_asking(&stacked)[0], (4, TOLD.to_owned()));
    }

    /// The lines of a model that says each value and tells what is to be told, and at first leaves line `faulty` bare.
    fn lines(asked: &ConversationVariables, faulty: usize) -> String {
        let wanted = |n: usize| asked.repair.is_empty() || asked.repair.iter().any(|line| line.n == n);
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let line = |step: &ConversationStep| {
            let says = step.acts.iter().flat_map(|act| &act.says);
            let said: Vec<(&str, &str)> = says.map(|said| (said.key.as_str(), said.words.as_str())).collect();
            let tells = step.acts.iter().flat_map(|act| &act.tells).map(plain);
            let words: Vec<String> = said.iter().map(|(_, words)| (*words).to_owned()).chain(tells).collect();
            let bare = step.n == faulty && asked.repair.is_empty();
            let text = if bare { "Well.".to_owned() } else { format!("Well, {}.", words.join(", ")) };
            let said: serde_json::Map<String, serde_json::Value> =
                said.into_iter().map(|(key, words)| (key.to_owned(), words.into())).collect();
            serde_json::json!({"n": step.n, "text": text, "said": said})
        };
        let lines: Vec<_> = asked.steps.iter().filter(|it| it.n > 0 && wanted(it.n)).map(line).collect();
        serde_json::json!({"sensible": true, "lines": lines}).to_string()
    }

    #[tokio::test]
    async fn a_language_model_writes_all_lines_at_once_and_faulty_ones_once_more() {
        let asked: Arc<std::sync::Mutex<Vec<ConversationVariables>>> = Arc::default();
        let heard = asked.clone();
        let model = move |request: &Request| match &*request.variables {
            Variables::WriteConversation(it) => {
                heard.lock().unwrap().push(it.clone());
                crate::llm::Reply { text: lines(it, 3), ..crate::llm::Reply::default() }
            }
            other => panic!("{other:?}"),
        };
        let context = with_shared(assistant(), |shared| {
            let toolset = crate::fixtures::toolset("assistant", "en");
            shared.domains = Domains::new(&toolset, &shared.pack, 7).unwrap();
            shared.chats = [("generator".to_owned(), Chat::builtin("model", Arc::new(model)))].into_iter().collect();
        });
        let it = played_by(&context, episode("underfill", &["findFlights"], &[3])).await.unwrap();
        let asked = asked.lock().unwrap();
        assert_eq!(asked.len(), 2);
        let is_told = |it: &crate::llm::KnownThings| {
            !it.planned.is_empty() && it.others.len() == 3 && it.others.iter().all(|other| !it.planned.contains(other))
        };
        assert!(asked[0].things.iter().any(is_told), "{:?}", asked[0].things);
        let repaired: Vec<usize> = asked[1].repair.iter().map(|line| line.n).collect();
        assert_eq!((repaired, asked[1].written.len() + 1), (vec![3], 2 * it.turns.len()));
        assert!(it.turns.iter().all(|turn| turn.said.starts_with("Well") && turn.reply.starts_with("Well")));
        let said: String = it.turns.iter().map(|turn| turn.said.as_str()).collect();
        let notes = it.calls().flat_map(|(_, made)| made.notes.values());
        let surfaces: Vec<String> = notes.filter_map(|note| note.surface.clone()).collect();
        assert!(!surfaces.is_empty() && surfaces.iter().all(|words| said.contains(words.as_str())), "{said}");
    }

    #[tokio::test]
    async fn a_model_that_says_nothing_useful_is_a_reject_with_its_reason() {
        assert_eq!(played(episode("underfill", &["sing"], &[1])).await.unwrap_err(), "unknown_tool");
        let (context, asked) = context(|_: &Request| "...".to_owned());
        let config: ConversationsConfig = read_text("asks = 2").unwrap();
        assert!(config.draw(&context, &tool_item(train()), 0).await.unwrap().kept.is_empty() && asked.count() == 0);
    }
}
