//! Adds to each dialogue variants in which the person takes a value back: at once, or in place of a later answer.

use crate::failure::RunStopped;
use crate::hammerbench::stage::variant::alternatives::{Alternatives, Change, Fit, Instead};
use crate::hammerbench::stage::variant::write_variants::{derive, finish, said_words};
use crate::locale::Stamp;
use crate::record::{
    Chance, DataType, Dialogue, Item, Object, Record, RecordKind, SaidWords, Turn, TurnAct, TurnPlan, Value,
};
use crate::stage::banks::Bank;
use crate::stage::context::Context;
use crate::stage::facts::{Scope, StageMeta, with};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Scan, Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds to each dialogue variants in which the user corrects a value: within an answer, or in place of a later answer.
///
/// Alternative values come from incoming samples and dialogues of the same tool; only dialogues are passed on.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlotOverrideConfig {
    /// Whether to use the single template of the original benchmark instead of varied wording.
    #[serde(default)]
    paper_phrases: bool,
}

impl Stage for SlotOverrideConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("slot_override", &[RecordKind::Dialogue, RecordKind::Sample], RecordKind::Dialogue)
            .scope(Scope::Tool)
    }

    fn data_types(&self, incoming: Vec<String>) -> Vec<String> {
        with(incoming, &["SO_case1", "SO_case2"])
    }

    fn speak_as_the_paper(&mut self) {
        self.paper_phrases = true;
    }

    fn consults(&self, _context: &Context) -> bool {
        true
    }

    fn scan(&self, _context: &Context) -> Option<Box<dyn Scan>> {
        Some(Box::new(Overrides { config: self.clone(), known: Alternatives::default() }))
    }
}

/// How often, where it can be, a value of an earlier turn is taken back; the authors' data has about half.
const EARLIER: f64 = 0.45;

/// The values that are known of a root whose dialogues are varied (HammerBench 3.2: slot overriding, both cases).
struct Overrides {
    config: SlotOverrideConfig,
    known: Alternatives,
}

impl Scan for Overrides {
    fn consult(&mut self, context: &Context, items: Vec<Item>) -> Work<'static> {
        self.known.learn_all(&items);
        let (config, context, known) = (self.config.clone(), context.clone(), self.known.clone());
        Box::pin(async move {
            let plan = |item: &Item, dialogue: &Dialogue, bank: Option<&Bank>| {
                let work = Overriding { config: &config, context: &context, known: &known, dialogue, item };
                let later = (dialogue.turns.len() >= 3).then(|| work.later(bank));
                std::iter::once(work.at_once(bank)).chain(later).collect()
            };
            plan_variants(&context, items, plan).await
        })
    }
}

/// Passes dialogues on, and behind each base its variants as `plan` makes them with the bank of its tool, or a reject for each that
/// cannot be.
pub(crate) async fn plan_variants(
    context: &Context,
    items: Vec<Item>,
    plan: impl Fn(&Item, &Dialogue, Option<&Bank>) -> Vec<Option<Dialogue>>,
) -> Result<Outcome, RunStopped> {
    let mut outcome = Outcome::default();
    for item in items {
        let Record::Dialogue(dialogue) = &item.record else { continue };
        let mut made = Vec::new();
        if dialogue.data_type.0 == "Based" {
            let bank = match context.bank(&dialogue.tool).await {
                Ok(bank) => bank,
                Err(failure) => {
                    outcome.add(context.failed(&item.id, failure)?);
                    continue;
                }
            };
            for (ordinal, planned) in plan(&item, dialogue, bank.as_deref()).into_iter().enumerate() {
                if let Some(variant) = planned {
                    made.push(derive(context, &item, ordinal, variant));
                    continue;
                }
                let detail = "no value can be another one: none is known, nothing says it, or people keep to theirs";
                let id = item.id.child(context.stage(), ordinal);
                outcome.add(context.reject(&id, Fault::new("no_other_value", detail), String::new()));
            }
        }
        outcome.kept.push(item);
        outcome.add(finish(context, made)?);
    }
    Ok(outcome)
}

/// How often a detail is taken back rather than anything.
const DETAIL: f64 = 0.8;

/// Texts are about as easily taken back as others up to so many letters more.
const LONG: usize = 12;

struct Overriding<'a> {
    config: &'a SlotOverrideConfig,
    context: &'a Context,
    known: &'a Alternatives,
    dialogue: &'a Dialogue,
    item: &'a Item,
}

impl Overriding<'_> {
    /// Case 1: an answer is taken back as soon as it is given, or an earlier value along with it; a bank knows what people change
    /// their mind about.
    fn at_once(&self, bank: Option<&Bank>) -> Option<Dialogue> {
        let mut chance = self.chance("at once");
        let (own, earlier): (Vec<_>, Vec<_>) = (1..self.dialogue.turns.len())
            .filter(|at| !self.dialogue.turns[*at].slots.is_empty())
            .flat_map(|at| self.filled_before(at + 1).into_iter().map(move |name| (at, name)))
            .filter(|(_, name)| bank.is_none_or(|bank| bank.changes(name, |change| change.before_call)))
            .partition(|(at, name)| self.dialogue.turns[*at].slots.contains(name));
        // In the first answer the opening itself would be taken back.
        let late: Vec<_> = earlier.iter().filter(|(at, _)| *at >= 2).cloned().collect();
        let places = if own.is_empty() {
            earlier
        } else if chance.happens(EARLIER) && !late.is_empty() {
            late
        } else {
            own
        };
        let (at, parameter, change, mut plan) = self.plan(bank, TurnAct::Correct, places, &mut chance)?;
        let turn = &self.dialogue.turns[at];
        let given = |slot: &String| Some((slot.clone(), turn.call.as_ref()?.arguments.get(slot)?.clone()));
        plan.says = turn.slots.iter().filter_map(given).collect();
        for (name, value) in plan.says.iter().filter(|(name, _)| **name != parameter) {
            plan.said.insert(name.clone(), said_words(bank, &turn.notes, name, value));
        }
        let mut variant = Dialogue { data_type: DataType("SO_case1".to_owned()), ..self.dialogue.clone() };
        let turn = &mut variant.turns[at];
        (turn.plan, turn.marked) = (Some(plan), true);
        if !turn.slots.contains(&parameter) {
            turn.slots.push(parameter);
        }
        variant.turns.iter_mut().skip(at).for_each(|turn| change.apply(turn));
        Some(variant)
    }

    /// Case 2: in place of an answer something said before is changed; then the same question is asked again.
    fn later(&self, bank: Option<&Bank>) -> Option<Dialogue> {
        let mut chance = self.chance("later");
        // The changed label is that of the turn before the one whose answer is replaced.
        let places: Vec<(usize, String)> = (1..self.dialogue.turns.len().saturating_sub(1))
            .flat_map(|at| {
                self.dialogue.turns[1..=at].iter().flat_map(|turn| turn.slots.clone()).map(move |it| (at, it))
            })
            .filter(|(_, name)| bank.is_none_or(|bank| bank.changes(name, |change| change.before_call)))
            .collect();
        // Who asks again can say so where something is answered then.
        let is_answered = |(at, _): &&(usize, String)| !self.dialogue.turns[at + 1].slots.is_empty();
        let answered: Vec<_> = places.iter().filter(is_answered).cloned().collect();
        let places = if answered.is_empty() { places } else { answered };
        let (before, parameter, change, plan) = self.plan(bank, TurnAct::Change, places, &mut chance)?;
        let (at, before) = (before + 1, &self.dialogue.turns[before]);
        let mut variant = Dialogue { data_type: DataType("SO_case2".to_owned()), ..self.dialogue.clone() };
        if !self.context.is_template("generator") && !plan.paper {
            // Who asks again says so; the authors' data, and templates, repeat the question word for word.
            let again = &mut variant.turns[at];
            again.plan = Some(TurnPlan { asks: again.slots.clone(), ..TurnPlan::default() });
        }
        let inserted = Turn {
            question: self.dialogue.turns[at].question.clone(),
            text: String::new(),
            slots: vec![parameter],
            marked: true,
            external: None,
            plan: Some(plan),
            ..before.clone()
        };
        variant.turns.insert(at, inserted);
        variant.turns.iter_mut().skip(at).for_each(|turn| change.apply(turn));
        Some(variant)
    }

    /// A change of a parameter in the label of a turn: one of these places, if another value is known for any.
    fn plan(
        &self,
        bank: Option<&Bank>,
        act: TurnAct,
        mut places: Vec<(usize, String)>,
        chance: &mut Chance,
    ) -> Option<(usize, String, Change, TurnPlan)> {
        chance.shuffle(&mut places);
        if chance.happens(DETAIL) {
            places.sort_by_key(|(at, parameter)| self.weight(*at, parameter));
        }
        let fits = [Fit::Bundles, Fit::Any];
        fits.into_iter().flat_map(|fit| places.iter().cloned().map(move |place| (fit, place))).find_map(
            |(fit, (at, parameter))| {
                let call = self.dialogue.turns.get(at)?.call.as_ref()?;
                let tool = &self.dialogue.tool;
                let change = self.known.change(bank, (tool, &parameter, call), (Instead::Corrected, fit), chance)?;
                let takes_back = Object::from_iter([(parameter.clone(), call.arguments.get(&parameter)?.clone())]);
                let said = SaidWords::from_iter([(parameter.clone(), change.said.clone())]);
                let paper = self.config.paper_phrases;
                Some((at, parameter, change, TurnPlan { act, takes_back, said, paper, ..TurnPlan::default() }))
            },
        )
    }

    /// How unlikely a person is to have got a value wrong: a day or a number easily, a whole address, a yes or no or the matter
    /// itself hardly.
    fn weight(&self, at: usize, parameter: &str) -> usize {
        let value = self.dialogue.turns.get(at).and_then(|turn| turn.call.as_ref()?.arguments.get(parameter));
        let is_listed = self.dialogue.tool.parameters.properties.get(parameter).is_some_and(|it| it.values.is_some());
        match value {
            Some(Value::String(text)) if !is_listed && Stamp::read(text).is_none() => 1 + text.chars().count() / LONG,
            Some(Value::List(_)) => 2,
            Some(Value::Object(_) | Value::Bool(_)) | None => usize::MAX,
            Some(_) => 0,
        }
    }

    /// Slots that were filled before turn `at`.
    fn filled_before(&self, at: usize) -> Vec<String> {
        self.dialogue.turns[..at].iter().flat_map(|turn| turn.slots.clone()).collect()
    }

    /// The chance of a variant. In a rerun it is the same: the variant is written again, and its plan stays, since it is part of
    /// the request that all variants of the dialogue share.
    fn chance(&self, what: &str) -> Chance {
        self.context.chance_of(what, self.item.id.as_str(), 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::banks::Banks;
    use crate::stage::testing::{dialogue_item, dialogues, modelled, sample_item, silent, with_shared};

    async fn scanned(settings: &str, slots: &[(&str, &str)]) -> Vec<Item> {
        let config: SlotOverrideConfig = read_text(settings).unwrap();
        let slots: Vec<_> = slots.iter().map(|(name, value)| (*name, (*value).into())).collect();
        let others = [r#"{"to": "Faro", "at": "dawn"}"#, r#"{"to": "Lisbon", "at": "dusk"}"#];
        let mut items: Vec<Item> = others.iter().map(|arguments| sample_item("x", arguments)).collect();
        items.push(dialogue_item(&slots));
        config.scan(&silent()).unwrap().consult(&silent(), items).await.unwrap().kept
    }

    #[tokio::test]
    async fn samples_teach_values_and_only_dialogues_go_on() {
        let kept = scanned("", &[("to", "Porto"), ("at", "noon")]).await;
        let types: Vec<&str> = dialogues(&kept).iter().map(|it| it.data_type.0.as_str()).collect();
        assert_eq!((kept.len(), types), (3, vec!["Based", "SO_case1", "SO_case2"]));
        assert!(kept[1..].iter().zip(0..).all(|(item, ordinal)| item.id == kept[0].id.child("stage", ordinal)));
        assert!(kept[1..].iter().all(|item| item.provenance.template) && !kept[0].provenance.template);
    }

    #[tokio::test]
    async fn an_answer_is_taken_back_at_once() {
        let kept = scanned("", &[("to", "Porto"), ("at", "noon")]).await;
        let [base, variant, _] = dialogues(&kept)[..] else { panic!("not three") };
        let at = variant.turns.iter().position(|turn| turn.marked).unwrap();
        for (place, (turn, before)) in variant.turns.iter().zip(&base.turns).enumerate() {
            assert_eq!(turn.call != before.call, place >= at);
        }
        let said = variant.turns[at].text.to_lowercase();
        let says = |turn: &Turn| {
            turn.call.as_ref().unwrap().arguments.values().any(|it| said.contains(&it.as_str().unwrap().to_lowercase()))
        };
        assert!(says(&variant.turns[at]) && says(&base.turns[at]), "{said}");
    }

    #[tokio::test]
    async fn something_said_before_is_changed_in_place_of_an_answer() {
        let kept = scanned("", &[("to", "Porto"), ("at", "noon")]).await;
        let [base, _, variant] = dialogues(&kept)[..] else { panic!("not three") };
        assert_eq!((variant.turns.len(), variant.turns[2].marked), (base.turns.len() + 1, true));
        assert_eq!(variant.turns[2].question, variant.turns[3].question);
        assert_eq!(variant.turns[3].text, base.turns[2].text);
        let to = |turn: &Turn| turn.call.as_ref().unwrap().arguments["to"].clone();
        assert!(to(&variant.turns[2]) != to(&variant.turns[1]) && to(&variant.turns[3]) == to(&variant.turns[2]));
    }

    #[tokio::test]
    async fn one_answer_can_be_taken_back_but_not_later() {
        let kept = scanned("", &[("to", "Porto")]).await;
        assert_eq!(dialogues(&kept).last().unwrap().data_type.0, "SO_case1");
        assert_eq!(kept.len(), 2);
    }

    #[tokio::test]
    async fn a_model_is_left_to_say_what_people_change_their_mind_about() {
        let nobody = modelled(|request| panic!("{:?}", request.task)).0;
        let context = with_shared(nobody, |shared| {
            let bank = r#"{"format": 1, "tool": "Travel.Trains.book", "locale": "en",
                "parameters": {"at": {"values": [{"value": "dawn", "said": ["at dawn"]}]}},
                "changes": [{"parameter": "at", "before_call": true, "after_call": false, "again": false}]}"#;
            shared.banks = Banks::new([serde_json::from_str::<Bank>(bank).unwrap()], None);
            shared.writes_variants = true;
        });
        let config: SlotOverrideConfig = read_text("").unwrap();
        let item = dialogue_item(&[("at", "noon".into()), ("to", "Porto".into())]);
        let outcome = config.scan(&context).unwrap().consult(&context, vec![item]).await.unwrap();
        let [base, at_once, later] = dialogues(&outcome.kept)[..] else { panic!("not three") };
        for variant in [at_once, later] {
            let turn = variant.turns.iter().find(|turn| turn.marked).unwrap();
            let plan = turn.plan.as_ref().unwrap();
            assert_eq!((plan.takes_back["at"].as_str(), &plan.said["at"]), (Some("noon"), &vec!["at dawn".to_owned()]));
            let last = variant.turns.last().unwrap().call.as_ref().unwrap();
            assert_eq!(last.arguments["at"].as_str(), Some("dawn"));
        }
        assert_eq!((later.turns.len(), later.turns[2].text.as_str()), (base.turns.len() + 1, ""));
        assert_eq!(later.turns[3].plan.as_ref().unwrap().asks, ["to"], "who asks again says so");
        assert!(outcome.kept.iter().all(|item| !item.provenance.template));
    }

    #[tokio::test]
    async fn the_authors_put_nothing_before_their_template() {
        let kept = scanned("paper_phrases = true", &[("to", "Porto")]).await;
        let text = &dialogues(&kept)[1].turns[1].text;
        assert!(text.starts_with("It is Porto.I'm sorry, Destination is "), "{text}");
    }
}
