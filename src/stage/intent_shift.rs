//! Adds to each dialogue a variant in which the person turns to something that no shown tool can serve.

use super::batch::Wanted;
use super::context::Context;
use super::facts::{StageMeta, with};
use super::lists::{is_flat, nearest_third};
use super::one_right_tool::can_serve;
use super::outcome::{Fault, Outcome};
use super::slot_override::{derive, joined};
use super::work::{Stage, Work};
use super::write::{Order, write_query};
use crate::config::{Count, count};
use crate::failure::ItemError;
use crate::locale::Fill;
use crate::record::{
    Chance, DataType, Dialogue, Item, ItemId, Query, Record, RecordKind, Tool, Turn, TurnAct, TurnPlan,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Adds to each dialogue a variant in which the person turns to something that no shown tool can serve.
///
/// The new request is written for another tool of the run; the role `checker` says whether a shown one could serve it.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct IntentShiftConfig {
    /// Whether the authors' one template says it, in place of varied words.
    #[serde(default)]
    paper_phrases: bool,
    /// How often a reply that cannot be used is asked for, the first time included.
    #[serde(default = "count::<3>")]
    asks: Count,
}

impl Stage for IntentShiftConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("intent_shift", &[RecordKind::Dialogue], RecordKind::Dialogue).asks("generator")
    }

    fn data_types(&self, incoming: Vec<String>) -> Vec<String> {
        with(incoming, &["IS"])
    }

    fn speak_as_the_paper(&mut self) {
        self.paper_phrases = true;
    }

    /// Passes a dialogue on, and behind it its variant with a shift (HammerBench 3.2: intent shift).
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Dialogue(dialogue) = &item.record else { return Ok(Outcome::keep(item)) };
            // Where all tools are shown there is no other to turn to.
            if dialogue.data_type.0 != "Based" || strangers(context, dialogue).is_empty() {
                return Ok(Outcome::keep(item));
            }
            let id = item.id.child(context.stage(), 0);
            let shifted = self.shifted(context, &item, dialogue, &id).await;
            let mut outcome = context.settled(&id, shifted)?;
            outcome.kept.insert(0, item);
            Ok(outcome)
        })
    }
}

/// How many other tools are tried for a dialogue.
const TRIES: usize = 4;

impl IntentShiftConfig {
    async fn shifted(
        &self,
        context: &Context,
        item: &Item,
        dialogue: &Dialogue,
        id: &ItemId,
    ) -> Result<Item, ItemError> {
        let mut chance = context.chance(item.id.as_str(), 0);
        let mut at = 1 + chance.below(dialogue.turns.len() - 1);
        let mut others: Vec<Arc<Tool>> = strangers(context, dialogue);
        chance.shuffle(&mut others);
        if let Some(tool) = others.first().filter(|_| context.plans_variants() && !self.paper_phrases) {
            let about = tool.name.clone();
            at = open_turn(dialogue, at);
            let mut variant = derive(context, item, 0, cut(dialogue, at, String::new(), String::new()));
            if let Record::Dialogue(dialogue) = &mut variant.record {
                let plan = TurnPlan { act: TurnAct::Shift, about, ..TurnPlan::default() };
                dialogue.turns.last_mut().into_iter().for_each(|turn| turn.plan = Some(plan.clone()));
            }
            variant.provenance.facts.insert("intent".to_owned(), tool.name.clone());
            return Ok(variant);
        }
        for (ordinal, tool) in others.iter().take(TRIES).enumerate() {
            let made = self.query(context, id.child("query", ordinal), item, dialogue, tool).await;
            let (query, draws) = match made {
                Err(ItemError::Item { fault, .. }) if fault.reason != "transport" => continue,
                made => made?,
            };
            if !servable(context, &id.child("query", ordinal), dialogue, &query.text).await? {
                let text = self.text(context, dialogue, &query, &mut chance);
                // What answers end with, this ends with too.
                let text = if self.paper_phrases { text } else { context.pack().dialogue.ended(&text) };
                let refusal = self.refusal(context, &mut chance);
                let mut variant = joined(context, item, 0, cut(dialogue, at, text, refusal));
                variant.provenance.draws.extend(draws);
                variant.provenance.facts.insert("intent".to_owned(), tool.name.clone());
                return Ok(variant);
            }
        }
        Err(Fault::new("no_other_intent", "no request of another tool was found that no shown tool can serve").into())
    }

    /// A request for another tool, in the manner of the dialogue; up to two of its parameters are said.
    async fn query(
        &self,
        context: &Context,
        id: ItemId,
        item: &Item,
        dialogue: &Dialogue,
        tool: &Arc<Tool>,
    ) -> Result<(Query, Vec<crate::record::Draw>), ItemError> {
        let mut chance = context.chance(id.as_str(), 0);
        let mut preset: Vec<String> = tool.parameters.properties.keys().cloned().collect();
        let most = chance.below(preset.len().min(2) + 1);
        preset.truncate(most);
        let order = Order {
            id,
            root: &item.root,
            tool,
            wanted: Wanted { preset, style: Some(dialogue.style.clone()), implied: false },
            data_type: "IS",
            asks: self.asks.as_draws(),
            batch: None,
            draws: Vec::new(),
        };
        match write_query(context, order).await? {
            Item { record: Record::Query(query), provenance, .. } => Ok((*query, provenance.draws)),
            _ => Err(Fault::new("no_query", "no request was written").into()),
        }
    }

    fn text(&self, context: &Context, dialogue: &Dialogue, query: &Query, chance: &mut Chance) -> String {
        let phrases = &context.pack().dialogue;
        if self.paper_phrases {
            return phrases.paper.shift.render(&mut Shift(&query.text), chance);
        }
        let Some(manner) = phrases.manner(&dialogue.style) else { return query.text.clone() };
        if !chance.happens(phrases.announced) {
            // As often as before any answer, a word stands before it that says nothing.
            if !chance.happens(phrases.opened) {
                return query.text.clone();
            }
            let inner = uncapitalised(query, &phrases.capitals);
            return context.pack().tidy(&manner.opened(&inner, chance));
        }
        let Some(shift) = chance.pick(&manner.shifts) else { return query.text.clone() };
        let before = shift.render(&mut Shift(""), chance);
        let inside = !before.trim_end().ends_with(['.', '!', '?', '。', '！', '？']);
        let inner = if inside { uncapitalised(query, &phrases.capitals) } else { query.text.clone() };
        context.pack().tidy(&format!("{before}{inner}"))
    }

    /// What the assistant says to the new request.
    fn refusal(&self, context: &Context, chance: &mut Chance) -> String {
        let phrases = &context.pack().dialogue;
        let varied = chance.pick(&phrases.refusals).filter(|_| !self.paper_phrases);
        varied.unwrap_or(&phrases.paper.refusal).clone()
    }
}

/// The turn, or the last one before it at which the call still lacks what its tool requires: where nothing is missing, calling
/// would be as right as refusing.
fn open_turn(dialogue: &Dialogue, at: usize) -> usize {
    let required = &dialogue.tool.parameters.required;
    let lacks = |at: &usize| {
        let call = dialogue.turns.get(at - 1).and_then(|turn| turn.call.as_ref());
        call.is_some_and(|call| required.iter().any(|name| !call.arguments.contains_key(name)))
    };
    (1..=at).rev().find(lacks).unwrap_or(at)
}

/// Tools of other categories that the dialogue does not show.
fn strangers(context: &Context, dialogue: &Dialogue) -> Vec<Arc<Tool>> {
    let shown = |tool: &Tool| dialogue.frame.candidates.iter().any(|candidate| candidate.name == tool.name);
    let tools = &context.toolset().tools;
    let nearest = is_flat(tools).then(|| nearest_third(&dialogue.tool, tools));
    let is_other = |tool: &Tool| match &nearest {
        Some(nearest) => !nearest.contains(tool.name.as_str()),
        None => tool.category() != dialogue.tool.category(),
    };
    tools.iter().filter(|tool| is_other(tool) && !shown(tool)).cloned().collect()
}

/// Whether any shown tool can serve a request; the checker says.
async fn servable(context: &Context, id: &ItemId, dialogue: &Dialogue, text: &str) -> Result<bool, ItemError> {
    let checker = context.at(context.stage(), Some("checker"));
    for tool in &dialogue.frame.candidates {
        if can_serve(&checker, id, text, tool).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The dialogue up to turn `at`, whose answer gives way to the shift.
fn cut(dialogue: &Dialogue, at: usize, text: String, refusal: String) -> Dialogue {
    let question = dialogue.turns.get(at).and_then(|turn| turn.question.clone());
    let shift = Turn { question, text, refusal: Some(refusal), marked: true, ..Turn::default() };
    let turns = dialogue.turns.iter().take(at).cloned().chain([shift]).collect();
    Dialogue { data_type: DataType("IS".to_owned()), turns, ..dialogue.clone() }
}

/// A request as it stands behind other words: without its capital, unless it begins with a value or a word that keeps it.
fn uncapitalised(query: &Query, kept: &[String]) -> String {
    let first = query.text.split_whitespace().next().unwrap_or_default().trim_end_matches([',', '.']);
    let surfaces = query.notes.values().filter_map(|note| note.surface.as_deref());
    let is_value = surfaces.into_iter().any(|surface| query.text.starts_with(surface));
    let mut letters = query.text.chars();
    match letters.next() {
        Some(letter) if !is_value && !kept.iter().any(|word| word == first) => {
            letter.to_lowercase().chain(letters).collect()
        }
        _ => query.text.clone(),
    }
}

struct Shift<'a>(&'a str);

impl Fill for Shift<'_> {
    fn has(&self, slot: &str) -> bool {
        slot == "query"
    }

    fn say(&mut self, _slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        self.0.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Asked, context, dialogue_item, dialogues, query, written};
    use super::*;
    use crate::config::section::read_text;
    use crate::llm::Task;
    use crate::record::{Argument, Origin};

    async fn shifted(settings: &str, verdict: &'static str) -> (Outcome, Asked) {
        let (context, asked) = context(move |request| match request.task {
            Task::WriteQuery => written("{}", "Turn on the lamp"),
            Task::CanServe => verdict.to_owned(),
            other => panic!("{other:?}"),
        });
        let config: IntentShiftConfig = read_text(settings).unwrap();
        let item = dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]);
        (config.each(&context, item).await.unwrap(), asked)
    }

    #[tokio::test]
    async fn the_last_words_are_a_request_that_no_shown_tool_serves() {
        let (outcome, asked) = shifted("", "False").await;
        let [base, variant] = dialogues(&outcome.kept)[..] else { panic!("not two") };
        let last = variant.turns.last().unwrap();
        assert!(last.text.to_lowercase().contains("turn on the lamp") && last.marked && last.call.is_none());
        assert!(last.refusal.is_some() && last.question == base.turns[variant.turns.len() - 1].question);
        assert_eq!(variant.turns[..variant.turns.len() - 1], base.turns[..variant.turns.len() - 1]);
        // One request is written, and every candidate is asked whether it could serve it.
        assert_eq!(asked.count(), 1 + base.frame.candidates.len());
        assert!(!outcome.kept[1].provenance.facts["intent"].starts_with("Travel.Trains."));
    }

    #[tokio::test]
    async fn a_request_that_a_shown_tool_could_serve_is_no_shift() {
        let (outcome, asked) = shifted("", "True").await;
        assert_eq!((outcome.kept.len(), outcome.rejected[0].reason.as_str()), (1, "no_other_intent"));
        assert_eq!(asked.count(), 2 * TRIES);
    }

    #[tokio::test]
    async fn the_authors_have_one_template_and_one_refusal() {
        let (outcome, _) = shifted("paper_phrases = true", "False").await;
        let last = dialogues(&outcome.kept)[1].turns.last().unwrap();
        assert_eq!(last.text, "Oh no, Turn on the lamp");
        assert_eq!(last.refusal.as_deref(), Some("Sorry, no tool is suitable for your request."));
    }

    #[test]
    fn a_request_loses_its_capital_unless_that_is_its_own() {
        let kept = ["I".to_owned(), "I'm".to_owned()];
        let lower = |query: &Query| uncapitalised(query, &kept);
        assert_eq!(lower(&query("Book a train", "{}")), "book a train");
        assert_eq!(lower(&query("I'm late", "{}")), "I'm late");
        let mut named = query("Porto, please", "{}");
        named.notes.insert(
            "to".to_owned(),
            Argument { surface: Some("Porto".to_owned()), origin: Origin::Verbatim, ..Argument::default() },
        );
        assert_eq!(lower(&named), "Porto, please");
    }
}
