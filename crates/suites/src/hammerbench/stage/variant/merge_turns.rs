//! Adds to each dialogue its merged variants: several questions at once, several answers at once, or both.

use crate::hammerbench::stage::variant::write_variants::{all_said, derive, finish};
use crate::record::{Chance, DataType, Dialogue, Item, Object, Record, RecordKind, Turn, TurnPlan};
use crate::stage::context::Context;
use crate::stage::facts::{StageMeta, with};
use crate::stage::outcome::Outcome;
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds to each dialogue its merged variants: several questions at once, several answers at once, or both.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MergeTurnsConfig {}

impl Stage for MergeTurnsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("merge_turns", &[RecordKind::Dialogue], RecordKind::Dialogue)
    }

    fn data_types(&self, incoming: Vec<String>) -> Vec<String> {
        with(incoming, &["mQmA", "mQsA", "sQmA"])
    }

    /// Passes a dialogue on, and behind it mQmA, mQsA and sQmA where it has two answers or more (HammerBench 3.2).
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Dialogue(dialogue) = &item.record else { return Ok(Outcome::keep(item)) };
            let is_given = |at: &usize| !dialogue.turns[*at].slots.is_empty();
            let given: Vec<usize> = (1..dialogue.turns.len()).filter(is_given).collect();
            if dialogue.data_type.0 != "Based" || given.len() < 2 {
                return Ok(Outcome::keep(item));
            }
            let is_template = context.is_template("generator");
            let most = if is_template { given.len() } else { MOST };
            let mut plan = Plan::draw(given.len(), most, &mut context.chance(item.id.as_str(), 0));
            if !is_template {
                plan = plan.in_order();
            }
            let mut plan = plan.of(&given);
            // What was asked for in vain is asked for at the end.
            plan.after.extend((1..dialogue.turns.len()).filter(|at| !given.contains(at)).map(|at| at - 1));
            let variants = [("mQmA", plan.both()), ("mQsA", plan.questions()), ("sQmA", plan.answers())];
            let made = variants.into_iter().enumerate().map(|(ordinal, (data_type, steps))| {
                derive(context, &item, ordinal, merged(dialogue, data_type, &steps))
            });
            let mut outcome = finish(context, made.collect())?;
            outcome.kept.insert(0, item);
            Ok(outcome)
        })
    }
}

/// More than so many things are a form, and no question that a person asks.
const MOST: usize = 3;

/// How often only two turns are merged where more could be; the authors' data has 323 of 404.
const PAIR: f64 = 0.7;

/// Which answers are merged, and where the group stands. Slots are counted from 0 in the order of the dialogue.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Plan {
    before: Vec<usize>,
    /// In descending order.
    group: Vec<usize>,
    after: Vec<usize>,
    /// How many questions of the group are asked where its answers are merged and its questions are not.
    asked: usize,
}

/// One turn: the slots that are asked for, and those that are answered.
type Step = (Vec<usize>, Vec<usize>);

impl Plan {
    /// Draws a plan for `slots` answers, two at least: one group of at most `most`, behind at least one single where there are
    /// singles.
    fn draw(slots: usize, most: usize, chance: &mut Chance) -> Self {
        let size = if slots == 2 || chance.happens(PAIR) { 2 } else { (3 + chance.below(slots - 2)).min(most) };
        let mut order: Vec<usize> = (0..slots).collect();
        chance.shuffle(&mut order);
        let (group, singles) = order.split_at(size);
        let (mut group, mut singles) = (group.to_vec(), singles.to_vec());
        group.sort_unstable_by(|one, other| other.cmp(one));
        singles.sort_unstable();
        let place = if singles.is_empty() { 0 } else { 1 + chance.below(singles.len()) };
        let after = singles.split_off(place);
        Self { before: singles, group, after, asked: 1 + chance.below(size - 1) }
    }

    /// The same in the order of the dialogue, which asks for what a call needs before it asks for what it can do without.
    fn in_order(mut self) -> Self {
        self.group.reverse();
        let first = self.group.first().copied().unwrap_or_default();
        let singles: Vec<usize> = self.before.into_iter().chain(self.after).collect();
        (self.before, self.after) = singles.into_iter().partition(|slot| *slot < first);
        self
    }

    /// The same for the slots of these turns.
    fn of(self, turns: &[usize]) -> Self {
        let slots = |slots: Vec<usize>| slots.into_iter().filter_map(|slot| Some(turns.get(slot)? - 1)).collect();
        Self { before: slots(self.before), group: slots(self.group), after: slots(self.after), asked: self.asked }
    }

    /// mQmA: the group is asked and answered at once.
    fn both(&self) -> Vec<Step> {
        self.around(vec![(self.group.clone(), self.group.clone())])
    }

    /// mQsA: the group is asked at once, its first slot is answered; the others are asked and answered one by one.
    fn questions(&self) -> Vec<Step> {
        let singles = self.group.iter().skip(1).map(|slot| (vec![*slot], vec![*slot]));
        let first = self.group.iter().take(1).copied().collect();
        self.around(std::iter::once((self.group.clone(), first)).chain(singles).collect())
    }

    /// sQmA: a part of the group is asked, all of it is answered.
    fn answers(&self) -> Vec<Step> {
        self.around(vec![(self.group.iter().take(self.asked).copied().collect(), self.group.clone())])
    }

    fn around(&self, middle: Vec<Step>) -> Vec<Step> {
        let single = |slot: &usize| (vec![*slot], vec![*slot]);
        self.before.iter().map(single).chain(middle).chain(self.after.iter().map(single)).collect()
    }
}

/// The dialogue with its turns in the order and grouping of `steps`; slot `n` is that of turn `n + 1`.
fn merged(dialogue: &Dialogue, data_type: &str, steps: &[Step]) -> Dialogue {
    let mut turns: Vec<Turn> = dialogue.turns.iter().take(1).cloned().collect();
    for (asked, answered) in steps {
        // The words of a single slot are kept; those of several are written.
        let single = |slots: &[usize]| dialogue.turns.get(slots.first().filter(|_| slots.len() == 1)? + 1);
        let mut turn = Turn {
            question: Some(single(asked).and_then(|turn| turn.question.clone()).unwrap_or_default()),
            text: single(answered).map(|turn| turn.text.clone()).unwrap_or_default(),
            marked: asked.len() > 1 || answered.len() > 1,
            plan: plan(dialogue, asked, answered),
            ..turns.last().cloned().unwrap_or_default()
        };
        turn.slots = answered.iter().flat_map(|slot| dialogue.turns[slot + 1].slots.clone()).collect();
        for slot in answered {
            turn.take(&dialogue.tool, &dialogue.turns[slot + 1]);
        }
        turns.push(turn);
    }
    Dialogue { data_type: DataType(data_type.to_owned()), turns, ..dialogue.clone() }
}

/// What a turn of several slots is to ask and say.
fn plan(dialogue: &Dialogue, asked: &[usize], answered: &[usize]) -> Option<TurnPlan> {
    let several = |slots: &[usize]| -> Vec<&Turn> {
        let turns = slots.iter().filter_map(|slot| dialogue.turns.get(slot + 1));
        turns.filter(|_| slots.len() > 1).collect()
    };
    let asks: Vec<String> = several(asked).into_iter().flat_map(|turn| turn.slots.clone()).collect();
    let mut says = Object::new();
    let mut said = Vec::new();
    for turn in several(answered) {
        let given = |slot: &String| Some((slot.clone(), turn.call.as_ref()?.arguments.get(slot)?.clone()));
        let given: Object = turn.slots.iter().filter_map(given).collect();
        said.extend(all_said(None, &turn.notes, &given));
        says.extend(given);
    }
    let plan = TurnPlan { asks, says, said: said.into_iter().collect(), ..TurnPlan::default() };
    (!plan.asks.is_empty() || !plan.says.is_empty()).then_some(plan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Value;
    use crate::stage::testing::{dialogue_item, dialogues, silent};
    use proptest::prelude::*;

    fn plans(slots: usize) -> Vec<Plan> {
        (0..200).map(|draw| Plan::draw(slots, slots, &mut Chance::new(1, "merge", "a", draw))).collect()
    }

    #[test]
    fn two_answers_are_merged_whole() {
        for plan in plans(2) {
            assert_eq!((plan.before.len(), plan.after.len(), plan.asked), (0, 0, 1));
            assert_eq!(plan.group, [1, 0]);
        }
    }

    #[test]
    fn most_groups_are_pairs_and_every_size_occurs() {
        let plans = plans(4);
        let pairs = plans.iter().filter(|plan| plan.group.len() == 2).count();
        assert!((110..170).contains(&pairs), "{pairs}");
        let sizes: std::collections::BTreeSet<usize> = plans.iter().map(|plan| plan.group.len()).collect();
        assert_eq!(sizes.into_iter().collect::<Vec<_>>(), [2, 3, 4]);
    }

    proptest! {
        #[test]
        fn every_slot_stands_once_and_the_group_never_first(slots in 2_usize..9, draw in 0_u32..500) {
            let plan = Plan::draw(slots, slots, &mut Chance::new(1, "merge", "a", draw));
            let mut all: Vec<usize> = plan.before.iter().chain(&plan.group).chain(&plan.after).copied().collect();
            prop_assert!(plan.group.windows(2).all(|pair| pair[0] > pair[1]));
            let singles: Vec<usize> = plan.before.iter().chain(&plan.after).copied().collect();
            prop_assert!(singles.is_sorted() && (singles.is_empty() || !plan.before.is_empty()));
            prop_assert!((1..plan.group.len()).contains(&plan.asked));
            all.sort_unstable();
            prop_assert_eq!(all, (0..slots).collect::<Vec<_>>());
            for steps in [plan.both(), plan.questions(), plan.answers()] {
                let mut answered: Vec<usize> = steps.into_iter().flat_map(|(_, answered)| answered).collect();
                answered.sort_unstable();
                prop_assert_eq!(answered, (0..slots).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn in_order_nothing_is_asked_for_before_what_stands_before_it() {
        for plan in plans(4).into_iter().map(Plan::in_order) {
            let all: Vec<usize> = plan.before.iter().chain(plan.group.iter().take(1)).copied().collect();
            assert!(all.is_sorted() && plan.group.is_sorted() && plan.after.is_sorted());
        }
    }

    #[tokio::test]
    async fn a_dialogue_comes_with_its_three_variants() {
        let item = dialogue_item(&[("to", "Porto".into()), ("at", "noon".into())]);
        let outcome = MergeTurnsConfig {}.each(&silent(), item.clone()).await.unwrap();
        let [base, both, questions, answers] = dialogues(&outcome.kept)[..] else { panic!("not four") };
        assert_eq!(outcome.kept[1].id, item.id.child("stage", 0));
        assert!(dialogues(&outcome.kept)[1..].iter().all(|it| it.base == item.id));
        assert!(outcome.kept[1].provenance.template, "no later stage writes it");
        for turn in [&both.turns[1], &answers.turns[1]] {
            assert!(turn.text.contains("noon") && turn.text.contains("Porto"), "{}", turn.text);
        }
        assert_eq!(
            (both.turns[1].slots.as_slice(), both.turns.len()),
            (["at".to_owned(), "to".to_owned()].as_slice(), 2)
        );
        assert_eq!((questions.turns.len(), questions.turns[1].text.as_str()), (3, "It is noon."));
        assert_eq!(questions.turns[2].question.as_deref(), Some("Which to?"));
        assert_eq!((answers.turns[1].question.as_deref(), answers.turns.len()), (Some("Which at?"), 2));
        for variant in [both, questions, answers] {
            let last = variant.turns.last().unwrap();
            assert_eq!(last.call.as_ref().unwrap().arguments, base.turns[2].call.as_ref().unwrap().arguments);
            assert_eq!(last.notes.len(), 2);
        }
    }

    #[tokio::test]
    async fn one_answer_cannot_be_merged() {
        let item = dialogue_item(&[("seats", Value::read("3").unwrap())]);
        assert_eq!(MergeTurnsConfig {}.each(&silent(), item.clone()).await.unwrap(), Outcome::keep(item));
    }
}
