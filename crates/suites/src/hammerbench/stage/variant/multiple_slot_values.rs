//! Adds to each dialogue a variant in which the person, once all is done, wants the same with another value.

use crate::hammerbench::stage::variant::alternatives::{Alternatives, Fit, Instead};
use crate::hammerbench::stage::variant::slot_override::plan_variants;
use crate::record::{DataType, Dialogue, Item, Object, RecordKind, SaidWords, Turn, TurnAct, TurnPlan};
use crate::stage::banks::Bank;
use crate::stage::context::Context;
use crate::stage::facts::{Scope, StageMeta, with};
use crate::stage::work::{Scan, Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds to each dialogue a variant in which the user, once the call is done, repeats the request with another value.
///
/// Alternative values come from incoming samples and dialogues of the same tool; only dialogues are passed on.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MultipleSlotValuesConfig {
    /// Whether to use the single template of the original benchmark instead of varied wording.
    #[serde(default)]
    paper_phrases: bool,
}

impl Stage for MultipleSlotValuesConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("multiple_slot_values", &[RecordKind::Dialogue, RecordKind::Sample], RecordKind::Dialogue)
            .scope(Scope::Tool)
    }

    fn data_types(&self, incoming: Vec<String>) -> Vec<String> {
        with(incoming, &["mSv"])
    }

    fn speak_as_the_paper(&mut self) {
        self.paper_phrases = true;
    }

    fn consults(&self, _context: &Context) -> bool {
        true
    }

    fn scan(&self, _context: &Context) -> Option<Box<dyn Scan>> {
        Some(Box::new(Repeats { paper_phrases: self.paper_phrases, known: Alternatives::default() }))
    }
}

/// The values that are known of a root whose dialogues go on (HammerBench 3.2: multiple slot values).
#[derive(Clone)]
struct Repeats {
    paper_phrases: bool,
    known: Alternatives,
}

impl Scan for Repeats {
    fn consult(&mut self, context: &Context, items: Vec<Item>) -> Work<'static> {
        self.known.learn_all(&items);
        let (context, repeats) = (context.clone(), self.clone());
        Box::pin(async move {
            let plan = |item: &Item, dialogue: &Dialogue, bank: Option<&Bank>| {
                vec![repeats.again(&context, bank, (item, dialogue))]
            };
            plan_variants(&context, items, plan).await
        })
    }
}

impl Repeats {
    /// The dialogue with one turn more: the call is done, and is wanted once more with one value changed.
    fn again(&self, context: &Context, bank: Option<&Bank>, (item, dialogue): (&Item, &Dialogue)) -> Option<Dialogue> {
        let mut chance = context.chance(item.id.as_str(), 0);
        let last = dialogue.turns.last()?;
        let call = last.call.as_ref()?;
        let is_wanted = |name: &&String| bank.is_none_or(|bank| bank.changes(name, |change| change.again));
        let mut slots: Vec<&String> = call.arguments.keys().filter(is_wanted).collect();
        chance.shuffle(&mut slots);
        let change = [Fit::Bundles, Fit::Any].into_iter().find_map(|fit| {
            let instead = (Instead::Again, fit);
            slots.iter().find_map(|name| self.known.change(bank, (&dialogue.tool, name, call), instead, &mut chance))
        })?;
        let parameter = change.parameter.clone();
        let plan = TurnPlan {
            act: TurnAct::Again,
            takes_back: Object::from_iter([(parameter.clone(), call.arguments.get(&parameter)?.clone())]),
            said: SaidWords::from_iter([(parameter.clone(), change.said.clone())]),
            paper: self.paper_phrases,
            ..TurnPlan::default()
        };
        let mut turn = Turn {
            question: Some(String::new()),
            text: String::new(),
            external: None,
            slots: vec![parameter],
            marked: true,
            plan: Some(plan),
            ..last.clone()
        };
        change.apply(&mut turn);
        let turns = dialogue.turns.iter().cloned().chain([turn]).collect();
        Some(Dialogue { data_type: DataType("mSv".to_owned()), turns, ..dialogue.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::outcome::Outcome;
    use crate::stage::testing::{dialogue_item, dialogues, sample_item, silent};

    async fn scanned(settings: &str, others: &[&str]) -> Outcome {
        let config: MultipleSlotValuesConfig = read_text(settings).unwrap();
        let mut items: Vec<Item> = others.iter().map(|arguments| sample_item("x", arguments)).collect();
        items.push(dialogue_item(&[("to", "Porto".into())]));
        config.scan(&silent()).unwrap().consult(&silent(), items).await.unwrap()
    }

    #[tokio::test]
    async fn the_same_is_wanted_again_with_another_value() {
        let kept = scanned("", &[r#"{"to": "Faro"}"#]).await.kept;
        let [base, variant] = dialogues(&kept)[..] else { panic!("not two") };
        assert_eq!((variant.data_type.0.as_str(), variant.turns.len()), ("mSv", base.turns.len() + 1));
        assert_eq!(variant.turns[..2], base.turns[..]);
        let last = variant.turns.last().unwrap();
        assert!(last.marked && last.text.contains("Faro"));
        assert_eq!(last.call.as_ref().unwrap().arguments["to"].as_str(), Some("Faro"));
        assert!(!["success", ""].contains(&last.question.as_deref().unwrap()));
        assert!(kept[1].provenance.template, "no later stage writes it");
    }

    #[tokio::test]
    async fn the_authors_say_success() {
        let kept = scanned("paper_phrases = true", &[r#"{"to": "Faro"}"#]).await.kept;
        let last = dialogues(&kept)[1].turns.last().unwrap();
        assert_eq!(last.question.as_deref(), Some("success"));
        assert_eq!(last.text, "I also want to see that Destination is Faro");
    }

    #[tokio::test]
    async fn without_another_value_there_is_no_variant() {
        let outcome = scanned("", &[]).await;
        assert_eq!((outcome.kept.len(), outcome.rejected[0].reason.as_str()), (1, "no_other_value"));
    }
}
