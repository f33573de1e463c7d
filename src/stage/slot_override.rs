//! Adds to each dialogue variants in which the person takes a value back: at once, or in place of a later answer.

use super::alternatives::{Alternatives, Change, Wording};
use super::context::Context;
use super::facts::{Scope, StageMeta, with};
use super::outcome::Outcome;
use super::work::{Scan, Stage};
use crate::locale::{Manner, PaperPhrases, Pattern};
use crate::record::{Chance, DataType, Dialogue, Item, Record, RecordKind, Turn};
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
                .filter_map(|(ordinal, variant)| Some(derive(context, &item, ordinal, variant?)))
                .collect();
            kept.push(item);
            kept.extend(made);
        }
        Outcome { kept, rejected: Vec::new() }
    }
}

/// A variant as an item of its own.
pub(super) fn derive(context: &Context, item: &Item, ordinal: usize, dialogue: Dialogue) -> Item {
    let mut provenance = item.provenance.clone();
    provenance.parents = vec![item.id.to_string()];
    let record = Record::Dialogue(Box::new(Dialogue { base: item.id.clone(), ..dialogue }));
    Item { id: item.id.child(context.stage(), ordinal), root: item.root.clone(), record, provenance }
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
    use super::super::testing::{dialogue_item, dialogues, sample_item, silent};
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

    #[test]
    fn the_authors_put_nothing_before_their_template() {
        let kept = scanned("paper_phrases = true", &[("to", "Porto")]);
        let text = &dialogues(&kept)[1].turns[1].text;
        assert!(text.starts_with("It is Porto.I'm sorry, Destination is "), "{text}");
    }
}
