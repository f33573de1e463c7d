//! Adds to each dialogue variants in which the person takes a value back: at once, or in place of a later answer.

use super::alternatives::{Alternatives, Change, Wording};
use super::banks::Bank;
use super::context::Context;
use super::facts::{Scope, StageMeta, with};
use super::outcome::Outcome;
use super::work::{Scan, Stage, Work};
use super::write_variants::said_words;
use crate::failure::RunStopped;
use crate::locale::{Manner, PaperPhrases, Pattern};
use crate::record::{Chance, DataType, Dialogue, Item, Object, Record, RecordKind, SaidWords, Turn, TurnAct, TurnPlan};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds to each dialogue variants in which the person takes a value back: at once, or in place of a later answer.
///
/// Other values come from the samples and dialogues of the same tool that come in; only dialogues go on.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SlotOverrideConfig {
    /// Whether the authors' one template says it, in place of varied words.
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

    /// Where a model writes, the bank of a tool says what people change their mind about.
    fn consults(&self, context: &Context) -> bool {
        context.plans_variants() && !self.paper_phrases
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
    fn scan(&mut self, context: &Context, items: Vec<Item>) -> Outcome {
        self.known.learn_all(&items);
        let mut kept = Vec::new();
        for item in items {
            let Record::Dialogue(dialogue) = &item.record else { continue };
            let mut made = Vec::new();
            if dialogue.data_type.0 == "Based" {
                let work = Overriding { config: &self.config, context, known: &self.known, dialogue, item: &item };
                made.extend([(0, work.at_once()), (1, work.later())]);
            }
            let made: Vec<Item> = made
                .into_iter()
                .filter_map(|(ordinal, variant)| Some(joined(context, &item, ordinal, variant?)))
                .collect();
            kept.push(item);
            kept.extend(made);
        }
        Outcome { kept, rejected: Vec::new() }
    }

    fn consult(&mut self, context: &Context, items: Vec<Item>) -> Work<'static> {
        self.known.learn_all(&items);
        let (config, context, known) = (self.config.clone(), context.clone(), self.known.clone());
        Box::pin(async move {
            let plan = |item: &Item, dialogue: &Dialogue, bank: Option<&Bank>| {
                let work = Overriding { config: &config, context: &context, known: &known, dialogue, item };
                vec![work.planned_at_once(bank), work.planned_later(bank)]
            };
            plan_variants(&context, items, plan).await
        })
    }
}

/// Passes dialogues on, and behind each base its variants as `plan` makes them with the bank of its tool.
pub(super) async fn plan_variants(
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
            let planned = plan(&item, dialogue, bank.as_deref()).into_iter().enumerate();
            made.extend(planned.filter_map(|(ordinal, it)| Some(derive(context, &item, ordinal, it?))));
        }
        outcome.kept.push(item);
        outcome.kept.extend(made);
    }
    Ok(outcome)
}

/// A variant as an item of its own.
pub(super) fn derive(context: &Context, item: &Item, ordinal: usize, dialogue: Dialogue) -> Item {
    let mut provenance = item.provenance.clone();
    provenance.parents = vec![item.id.to_string()];
    let record = Record::Dialogue(Box::new(Dialogue { base: item.id.clone(), ..dialogue }));
    Item { id: item.id.child(context.stage(), ordinal), root: item.root.clone(), record, provenance }
}

/// A variant whose words the stage has joined, whoever wrote the dialogue.
pub(super) fn joined(context: &Context, item: &Item, ordinal: usize, dialogue: Dialogue) -> Item {
    let mut item = derive(context, item, ordinal, dialogue);
    item.provenance.template = true;
    item
}

struct Overriding<'a> {
    config: &'a SlotOverrideConfig,
    context: &'a Context,
    known: &'a Alternatives,
    dialogue: &'a Dialogue,
    item: &'a Item,
}

impl Overriding<'_> {
    /// Case 1: an answer is taken back as soon as it is given, or an earlier value along with it.
    fn at_once(&self) -> Option<Dialogue> {
        let mut chance = self.chance("at once", 0);
        let at = 1 + chance.below(self.dialogue.turns.len() - 1);
        let own = self.dialogue.turns[at].slots.first()?.clone();
        let earlier = self.filled_before(at);
        let (phrases, manner) = self.phrases()?;
        let (parameter, words) = match chance.pick(&earlier) {
            Some(earlier) if at >= 2 && chance.happens(EARLIER) => {
                (earlier.clone(), Wording::Naming(&manner.late_corrections))
            }
            _ => (own, Wording::Varied(&manner.corrections)),
        };
        let change = self.change(&parameter, at, words, &phrases.correction, &mut chance)?;
        let mut variant = Dialogue { data_type: DataType("SO_case1".to_owned()), ..self.dialogue.clone() };
        let turn = &mut variant.turns[at];
        // The authors put nothing between an answer and what takes it back.
        let open = turn.text.ends_with(char::is_alphanumeric);
        let between = match self.config.paper_phrases {
            true => "",
            false if open => ". ",
            false => " ",
        };
        turn.text = format!("{}{between}{}", turn.text, change.text);
        turn.marked = true;
        turn.slots.push(parameter);
        variant.turns.iter_mut().skip(at).for_each(|turn| change.apply(turn));
        Some(variant)
    }

    /// Case 2: in place of an answer something said before is changed; then the same question is asked again.
    fn later(&self) -> Option<Dialogue> {
        let turns = self.dialogue.turns.len();
        if turns < 3 {
            return None;
        }
        let mut chance = self.chance("later", 1);
        let at = 2 + chance.below(turns - 2);
        let answered: Vec<String> = self.dialogue.turns[1..at].iter().flat_map(|turn| turn.slots.clone()).collect();
        let parameter = chance.pick(&answered)?.clone();
        let (phrases, manner) = self.phrases()?;
        let words = Wording::Naming(&manner.late_corrections);
        let change = self.change(&parameter, at - 1, words, &phrases.late_correction, &mut chance)?;
        let mut variant = Dialogue { data_type: DataType("SO_case2".to_owned()), ..self.dialogue.clone() };
        let before = &self.dialogue.turns[at - 1];
        let inserted = Turn {
            question: self.dialogue.turns[at].question.clone(),
            text: change.text.clone(),
            slots: vec![parameter],
            marked: true,
            external: None,
            ..before.clone()
        };
        variant.turns.insert(at, inserted);
        variant.turns.iter_mut().skip(at).for_each(|turn| change.apply(turn));
        Some(variant)
    }

    /// Case 1 for a model that writes it, with what people change their mind about.
    fn planned_at_once(&self, bank: Option<&Bank>) -> Option<Dialogue> {
        let mut chance = self.chance("at once", 0);
        let (own, earlier): (Vec<_>, Vec<_>) = (1..self.dialogue.turns.len())
            .filter(|at| !self.dialogue.turns[*at].slots.is_empty())
            .flat_map(|at| self.filled_before(at + 1).into_iter().map(move |name| (at, name)))
            .filter(|(_, name)| bank.is_none_or(|bank| bank.changes(name, |change| change.before_call)))
            .partition(|(at, name)| self.dialogue.turns[*at].slots.contains(name));
        let places = if own.is_empty() || chance.happens(EARLIER) && !earlier.is_empty() { earlier } else { own };
        let (at, parameter) = chance.pick(&places)?;
        let (change, mut plan) = self.plan(bank, TurnAct::Correct, (*at, parameter), &mut chance)?;
        let turn = &self.dialogue.turns[*at];
        let given = |slot: &String| Some((slot.clone(), turn.call.as_ref()?.arguments.get(slot)?.clone()));
        plan.says = turn.slots.iter().filter_map(given).collect();
        for (name, value) in plan.says.iter().filter(|(name, _)| *name != parameter) {
            plan.said.insert(name.clone(), said_words(bank, &turn.notes, name, value));
        }
        let mut variant = Dialogue { data_type: DataType("SO_case1".to_owned()), ..self.dialogue.clone() };
        let turn = &mut variant.turns[*at];
        (turn.plan, turn.marked) = (Some(plan), true);
        if !turn.slots.contains(parameter) {
            turn.slots.push(parameter.clone());
        }
        variant.turns.iter_mut().skip(*at).for_each(|turn| change.apply(turn));
        Some(variant)
    }

    /// Case 2 for a model that writes it.
    fn planned_later(&self, bank: Option<&Bank>) -> Option<Dialogue> {
        let mut chance = self.chance("later", 1);
        let places: Vec<(usize, String)> = (2..self.dialogue.turns.len())
            .flat_map(|at| {
                self.dialogue.turns[1..at].iter().flat_map(|turn| turn.slots.clone()).map(move |it| (at, it))
            })
            .filter(|(_, name)| bank.is_none_or(|bank| bank.changes(name, |change| change.before_call)))
            .collect();
        let (at, parameter) = chance.pick(&places)?;
        let (change, plan) = self.plan(bank, TurnAct::Change, (*at - 1, parameter), &mut chance)?;
        let mut variant = Dialogue { data_type: DataType("SO_case2".to_owned()), ..self.dialogue.clone() };
        let inserted = Turn {
            question: self.dialogue.turns[*at].question.clone(),
            text: String::new(),
            slots: vec![parameter.clone()],
            marked: true,
            external: None,
            plan: Some(plan),
            ..self.dialogue.turns[*at - 1].clone()
        };
        variant.turns.insert(*at, inserted);
        variant.turns.iter_mut().skip(*at).for_each(|turn| change.apply(turn));
        Some(variant)
    }

    /// A change of a parameter in the label of a turn, for a model that writes it.
    fn plan(
        &self,
        bank: Option<&Bank>,
        act: TurnAct,
        (at, parameter): (usize, &str),
        chance: &mut Chance,
    ) -> Option<(Change, TurnPlan)> {
        let call = self.dialogue.turns.get(at)?.call.as_ref()?;
        let (change, said) = self.known.planned(bank, (&self.dialogue.tool, parameter, call), chance)?;
        let takes_back = Object::from_iter([(parameter.to_owned(), call.arguments.get(parameter)?.clone())]);
        let said = SaidWords::from_iter([(parameter.to_owned(), said)]);
        Some((change, TurnPlan { act, takes_back, said, ..TurnPlan::default() }))
    }

    /// Slots that were filled before turn `at`.
    fn filled_before(&self, at: usize) -> Vec<String> {
        self.dialogue.turns[..at].iter().flat_map(|turn| turn.slots.clone()).collect()
    }

    /// A change of `parameter` in the label of turn `at`, in varied words or by the authors' template.
    fn change(
        &self,
        parameter: &str,
        at: usize,
        varied: Wording<'_>,
        paper: &Pattern,
        chance: &mut Chance,
    ) -> Option<Change> {
        let wording = if self.config.paper_phrases { Wording::Paper(paper) } else { varied };
        let call = self.dialogue.turns.get(at)?.call.as_ref()?;
        self.known.change(self.context, self.dialogue, (parameter, call), wording, chance)
    }

    fn phrases(&self) -> Option<(&PaperPhrases, &Manner)> {
        let phrases = &self.context.pack().dialogue;
        Some((&phrases.paper, phrases.manner(&self.dialogue.style)?))
    }

    /// The chance of the `ordinal`-th variant.
    fn chance(&self, what: &str, ordinal: usize) -> Chance {
        let times = self.context.times(&self.item.id.child(self.context.stage(), ordinal));
        self.context.chance_of(what, self.item.id.as_str(), times)
    }
}

#[cfg(test)]
mod tests {
    use super::super::banks::Banks;
    use super::super::testing::{dialogue_item, dialogues, modelled, sample_item, silent, with_shared};
    use super::*;
    use crate::config::section::read_text;

    fn scanned(settings: &str, slots: &[(&str, &str)]) -> Vec<Item> {
        let config: SlotOverrideConfig = read_text(settings).unwrap();
        let slots: Vec<_> = slots.iter().map(|(name, value)| (*name, (*value).into())).collect();
        let others = [r#"{"to": "Faro", "at": "dawn"}"#, r#"{"to": "Lisbon", "at": "dusk"}"#];
        let mut items: Vec<Item> = others.iter().map(|arguments| sample_item("x", arguments)).collect();
        items.push(dialogue_item(&slots));
        config.scan(&silent()).unwrap().scan(&silent(), items).kept
    }

    #[test]
    fn samples_teach_values_and_only_dialogues_go_on() {
        let kept = scanned("", &[("to", "Porto"), ("at", "noon")]);
        let types: Vec<&str> = dialogues(&kept).iter().map(|it| it.data_type.0.as_str()).collect();
        assert_eq!((kept.len(), types), (3, vec!["Based", "SO_case1", "SO_case2"]));
        assert!(kept[1..].iter().zip(0..).all(|(item, ordinal)| item.id == kept[0].id.child("stage", ordinal)));
    }

    #[test]
    fn an_answer_is_taken_back_at_once() {
        let kept = scanned("", &[("to", "Porto"), ("at", "noon")]);
        let [base, variant, _] = dialogues(&kept)[..] else { panic!("not three") };
        let at = variant.turns.iter().position(|turn| turn.marked).unwrap();
        assert!(variant.turns[at].text.starts_with(&format!("{} ", base.turns[at].text)));
        for (turn, before) in variant.turns.iter().zip(&base.turns) {
            let differs = turn.call != before.call;
            assert_eq!(differs, variant.turns.iter().position(|it| it == turn).unwrap() >= at);
        }
    }

    #[test]
    fn something_said_before_is_changed_in_place_of_an_answer() {
        let kept = scanned("", &[("to", "Porto"), ("at", "noon")]);
        let [base, _, variant] = dialogues(&kept)[..] else { panic!("not three") };
        assert_eq!((variant.turns.len(), variant.turns[2].marked), (base.turns.len() + 1, true));
        assert_eq!(variant.turns[2].question, variant.turns[3].question);
        assert_eq!(variant.turns[3].text, base.turns[2].text);
        let to = |turn: &Turn| turn.call.as_ref().unwrap().arguments["to"].clone();
        assert!(to(&variant.turns[2]) != to(&variant.turns[1]) && to(&variant.turns[3]) == to(&variant.turns[2]));
    }

    #[test]
    fn one_answer_can_be_taken_back_but_not_later() {
        let kept = scanned("", &[("to", "Porto")]);
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
        assert!(outcome.kept.iter().all(|item| !item.provenance.template));
    }

    #[test]
    fn the_authors_put_nothing_before_their_template() {
        let kept = scanned("paper_phrases = true", &[("to", "Porto")]);
        let text = &dialogues(&kept)[1].turns[1].text;
        assert!(text.starts_with("It is Porto.I'm sorry, Destination is "), "{text}");
    }
}
