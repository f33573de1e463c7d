//! One parameter's value, said by itself: what answers, corrections and wishes for the same again are made of.

use super::super::Fill;
use super::super::Pack;
use super::super::Part;
use super::super::Pattern;
use super::super::Side;
use crate::record::{Chance, SlotPhrases, Value};

/// A parameter's value with the words that people have for it.
pub struct SlotWords<'a> {
    pack: &'a Pack,
    name: &'a str,
    /// What the parameter is called in a sentence: `the pick-up time`.
    label: &'a str,
    value: Value,
    /// The words that say the value; empty for a flag.
    surface: &'a str,
    /// Whether the value is one that a clause says better: a flag, one of a list, a number with its counter.
    worded: bool,
    clauses: Vec<Pattern>,
}

impl<'a> SlotWords<'a> {
    /// The words for `value` of the parameter `name`, which texts say as `surface`; `about` serves as its label where
    /// nobody has given one.
    pub fn new(
        pack: &'a Pack,
        (name, about): (&'a str, &'a str),
        phrases: Option<&'a SlotPhrases>,
        value: &Value,
        surface: &'a str,
        listed: bool,
    ) -> Self {
        let flag = value.as_bool();
        let texts = phrases.map_or(&[][..], |slot| if flag == Some(false) { &slot.negations } else { &slot.clauses });
        let own = |pattern: &Pattern| pattern.slots().iter().all(|slot| *slot == name);
        let mut clauses: Vec<Pattern> = texts.iter().filter_map(|text| Pattern::parse(text).ok()).filter(own).collect();
        let hangs = |clause: &Pattern| match clause.parts().last() {
            Some(Part::Text(end)) => pack.dialogue.hanging.iter().any(|ending| end.ends_with(ending.as_str())),
            Some(Part::Slot { particle: Some(particle), .. }) => {
                pack.dialogue.hanging.iter().any(|ending| ending.strip_prefix('|') == Some(particle))
            }
            _ => false,
        };
        if !clauses.iter().all(hangs) {
            clauses.retain(|clause| !hangs(clause));
        }
        Self {
            pack,
            name,
            label: phrases.map(|slot| slot.label.as_str()).filter(|label| !label.is_empty()).unwrap_or(about),
            value: value.clone(),
            surface: if flag.is_some() { "" } else { surface },
            // Where clauses go first a number wants its counter, which stands in the clause: `세 명`, not `3`.
            worded: flag.is_some() || listed || (value.as_number().is_some() && pack.clauses == Side::Before),
            clauses,
        }
    }

    /// The same, in frames with this slot (`label`, `clause`) where these words fill one.
    pub fn say_with(&self, slot: &str, frames: &[Pattern], chance: &mut Chance) -> Option<String> {
        let fitting = |frame: &&Pattern| frame.slots().contains(&slot) && self.fills(frame);
        let fitting: Vec<Pattern> = frames.iter().filter(fitting).cloned().collect();
        self.say(if fitting.is_empty() { frames } else { &fitting }, chance)
    }

    /// The value in no frame: by a clause where there is one; absent for a flag that has none.
    pub fn say_alone(&self, chance: &mut Chance) -> Option<String> {
        let text = if self.clauses.is_empty() { self.surface.to_owned() } else { self.clause(chance) };
        Some(text).filter(|text| !text.is_empty())
    }

    /// One of the frames that these words fill, filled, whose ending goes with the value if there is one; absent where
    /// none fits.
    pub fn say(&self, frames: &[Pattern], chance: &mut Chance) -> Option<String> {
        let mut left: Vec<&Pattern> = frames.iter().filter(|frame| self.fills(frame)).collect();
        let is_sound = |text: &String| !self.pack.dialogue.doubled.iter().any(|ending| text.contains(ending.as_str()));
        let mut last = None;
        while !left.is_empty() {
            let mut fill = Slot { words: self, clause: Some(self.clause(chance)) };
            let frame = *chance.pick(&left)?;
            last = Some(frame.render(&mut fill, chance));
            if last.as_ref().is_some_and(is_sound) {
                break;
            }
            left.retain(|other| *other != frame);
        }
        last
    }

    /// Whether a frame can be said of this value: a flag and a listed value want a clause where there is one.
    fn fills(&self, frame: &Pattern) -> bool {
        let slots = frame.slots();
        if slots.contains(&"clause") {
            return !self.clauses.is_empty();
        }
        let clause_wanted = self.worded && !self.clauses.is_empty();
        !clause_wanted && !self.surface.is_empty() && (!slots.contains(&"label") || !self.label.is_empty())
    }

    /// A clause by itself: without the comma or space that ties it to a request.
    fn clause(&self, chance: &mut Chance) -> String {
        let Some(clause) = chance.pick(&self.clauses) else { return String::new() };
        let text = clause.render(&mut Slot { words: self, clause: None }, chance);
        let text = text.trim_matches(|letter: char| letter.is_whitespace() || ",，、:：;-".contains(letter));
        let ties = &self.pack.dialogue.ties;
        let tied = |tie: &&String| text.strip_prefix(tie.as_str()).is_some_and(|rest| rest.starts_with(' '));
        let free = ties.iter().find(tied).and_then(|tie| text.strip_prefix(tie.as_str()));
        free.unwrap_or(text).trim_start().to_owned()
    }
}

struct Slot<'a> {
    words: &'a SlotWords<'a>,
    /// The clause that a frame can say; none within a clause.
    clause: Option<String>,
}

impl Fill for Slot<'_> {
    fn has(&self, slot: &str) -> bool {
        matches!(slot, "label" | "value" | "clause") || slot == self.words.name
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, chance: &mut Chance) -> String {
        let pack = self.words.pack;
        if let Some(counter) = particle.filter(|it| slot == self.words.name && pack.counts(it)) {
            return pack.counted(&self.words.value, self.words.surface, counter, chance);
        }
        let words = match (slot, &self.clause) {
            // In a clause of its own, a parameter that is called `label` says its value.
            (_, None) => self.words.surface,
            ("label", _) => self.words.label,
            ("clause", Some(clause)) => clause,
            _ => self.words.surface,
        };
        pack.agreed(words, particle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn phrases() -> SlotPhrases {
        SlotPhrases {
            label: "the place".to_owned(),
            clauses: vec![" near {place}".to_owned(), ", around {place}".to_owned()],
            negations: vec![", not here".to_owned()],
            questions: Vec::new(),
        }
    }

    fn frames(texts: &[&str]) -> Vec<Pattern> {
        texts.iter().map(|text| Pattern::parse(text).unwrap()).collect()
    }

    fn said(value: &Value, surface: &str, listed: bool, texts: &[&str]) -> Vec<String> {
        let (pack, phrases) = (Pack::load(crate::fixtures::assets(), "en").unwrap(), phrases());
        let words = SlotWords::new(&pack, ("place", ""), Some(&phrases), value, surface, listed);
        let all = (0..30).filter_map(|draw| words.say(&frames(texts), &mut Chance::new(1, "s", "i", draw)));
        all.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    #[test]
    fn a_value_is_said_by_itself_by_its_label_or_by_a_clause() {
        let value = Value::from("Porto");
        let all = said(&value, "Porto", false, &["{value}", "{label} is {value}", "it's {clause}"]);
        assert_eq!(all, ["Porto", "it's around Porto", "it's near Porto", "the place is Porto"]);
    }

    #[test]
    fn a_flag_and_a_listed_value_are_said_by_clauses_alone() {
        assert_eq!(said(&Value::Bool(false), "", false, &["{value}", "{clause}, I mean"]), ["not here, I mean"]);
        let listed = said(&Value::from("by_car"), "by car", true, &["{label}: {value}", "{clause}"]);
        assert_eq!(listed, ["around by car", "near by car"]);
    }

    #[test]
    fn a_clause_stands_without_what_ties_it_to_a_request() {
        let (pack, value) = (Pack::load(crate::fixtures::assets(), "en").unwrap(), Value::Bool(true));
        for (clause, alone) in [
            (", and keep it quiet", "keep it quiet"),
            (": the works", "the works"),
            (", andante", "andante"),
            ("静かでいいので、", "静かでいいので"),
        ] {
            let phrases = SlotPhrases { clauses: vec![clause.to_owned()], ..phrases() };
            let words = SlotWords::new(&pack, ("place", ""), Some(&phrases), &value, "", false);
            assert_eq!(words.say(&frames(&["{clause}"]), &mut Chance::of(&[b"x"])).unwrap(), alone);
        }
    }

    #[test]
    fn which_parameter_is_meant_is_said_by_its_label() {
        let (pack, phrases, value) =
            (Pack::load(crate::fixtures::assets(), "en").unwrap(), phrases(), Value::from("Porto"));
        let words = SlotWords::new(&pack, ("place", ""), Some(&phrases), &value, "Porto", false);
        for draw in 0..20 {
            let text = words.say_with(
                "label",
                &frames(&["{clause}", "{value}", "{label} is {value}"]),
                &mut Chance::new(1, "s", "i", draw),
            );
            assert_eq!(text.unwrap(), "the place is Porto");
        }
        let flag = SlotWords::new(&pack, ("place", ""), Some(&phrases), &Value::Bool(false), "", false);
        let text = flag.say_with("label", &frames(&["{clause}", "{label} is {value}"]), &mut Chance::of(&[b"x"]));
        assert_eq!(text.unwrap(), "not here", "a flag has no value to name");
    }

    #[test]
    fn what_no_frame_fits_is_not_said() {
        assert!(said(&Value::Bool(false), "", false, &["{value}"]).is_empty());
        let (pack, value) = (Pack::load(crate::fixtures::assets(), "en").unwrap(), Value::from("Porto"));
        let words = SlotWords::new(&pack, ("place", ""), None, &value, "Porto", false);
        assert_eq!(words.say(&frames(&["{label} is {value}"]), &mut Chance::of(&[b"x"])), None, "nobody knows a label");
        assert_eq!(words.say(&frames(&["{value}"]), &mut Chance::of(&[b"x"])).unwrap(), "Porto");
    }

    #[test]
    fn a_sentence_takes_no_ending_and_a_clause_that_hangs_is_no_answer() {
        let pack = Pack::load(crate::fixtures::assets(), "ko").unwrap();
        let manner = pack.dialogue.manner("haeyo").unwrap();
        let all = |clauses: &[&str], value: &str| {
            let phrases = SlotPhrases {
                label: "내용".to_owned(),
                clauses: clauses.iter().map(|clause| (*clause).to_owned()).collect(),
                ..SlotPhrases::default()
            };
            let value = Value::from(value);
            let words = SlotWords::new(&pack, ("text", ""), Some(&phrases), &value, value.as_str().unwrap(), false);
            (0..60)
                .filter_map(|draw| words.say(&manner.answers, &mut Chance::new(1, "s", "i", draw)))
                .collect::<Vec<_>>()
        };
        let sentence = all(&["{text|이라고}"], "전화 부탁드려요");
        assert!(sentence.iter().all(|text| !text.contains("요요") && !text.contains("요예요")), "{sentence:?}");
        let clauses = all(&["{text|으로} 하고", "{text} 쪽으로"], "서울");
        assert!(clauses.iter().any(|text| text == "서울 쪽으로요"), "{clauses:?}");
        assert!(clauses.iter().all(|text| !text.contains("하고요")), "{clauses:?}");
    }
}
