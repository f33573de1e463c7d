//! Adds to each dialogue its merged variants: several questions at once, several answers at once, or both.

use super::context::Context;
use super::facts::StageConfig;
use super::outcome::Outcome;
use crate::record::{Chance, DataType, Dialogue, Item, Record, RecordKind, Turn};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Adds to each dialogue its merged variants: several questions at once, several answers at once, or both.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeTurnsConfig {}

impl StageConfig for MergeTurnsConfig {
    fn kind(&self) -> &'static str {
        "merge_turns"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Dialogue]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Dialogue
    }
}

/// How often only two turns are merged where more could be; the authors' data has 323 of 404.
const PAIR: f64 = 0.7;

impl MergeTurnsConfig {
    /// Passes a dialogue on, and behind it mQmA, mQsA and sQmA where it has two answers or more (HammerBench 3.2).
    pub(super) fn each(context: &Context, item: Item) -> Outcome {
        let Record::Dialogue(dialogue) = &item.record else { return Outcome::keep(item) };
        if dialogue.data_type.0 != "Based" || dialogue.turns.len() < 3 {
            return Outcome::keep(item);
        }
        let mut chance = Chance::new(context.shared.seed, &context.stage, item.id.as_str(), 0);
        let plan = Plan::draw(dialogue.turns.len() - 1, &mut chance);
        let variants = [("mQmA", plan.both()), ("mQsA", plan.questions()), ("sQmA", plan.answers())];
        let made = variants.into_iter().enumerate().map(|(ordinal, (data_type, steps))| {
            let record = Record::Dialogue(Box::new(merged(dialogue, &item, data_type, &steps)));
            let mut provenance = item.provenance.clone();
            provenance.parents = vec![item.id.to_string()];
            Item { id: item.id.child(&context.stage, ordinal), root: item.root.clone(), record, provenance }
        });
        let made: Vec<Item> = made.collect();
        Outcome { kept: std::iter::once(item).chain(made).collect(), rejected: Vec::new() }
    }
}

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
    /// Draws a plan for `slots` answers, two at least: one group, behind at least one single where there are singles.
    fn draw(slots: usize, chance: &mut Chance) -> Self {
        let size = if slots == 2 || chance.happens(PAIR) { 2 } else { 3 + chance.below(slots - 2) };
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
fn merged(dialogue: &Dialogue, item: &Item, data_type: &str, steps: &[Step]) -> Dialogue {
    let mut turns: Vec<Turn> = dialogue.turns.iter().take(1).cloned().collect();
    for (asked, answered) in steps {
        let questions = join(dialogue, asked, |turn| turn.question.as_deref().unwrap_or_default());
        let mut turn = Turn {
            question: Some(questions),
            text: join(dialogue, answered, |turn| &turn.text),
            marked: asked.len() > 1 || answered.len() > 1,
            ..turns.last().cloned().unwrap_or_default()
        };
        turn.slots = answered.iter().flat_map(|slot| dialogue.turns[slot + 1].slots.clone()).collect();
        for slot in answered {
            turn.take(&dialogue.tool, &dialogue.turns[slot + 1]);
        }
        turns.push(turn);
    }
    Dialogue { data_type: DataType(data_type.to_owned()), turns, base: item.id.clone(), ..dialogue.clone() }
}

/// Texts of several slots, joined by one space as the authors do in every language.
fn join<'d>(dialogue: &'d Dialogue, slots: &[usize], text: impl Fn(&'d Turn) -> &'d str) -> String {
    slots.iter().filter_map(|slot| dialogue.turns.get(slot + 1)).map(text).collect::<Vec<_>>().join(" ")
}
