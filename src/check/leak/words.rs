//! Texts as hashes of their runs of words; of letters where words do not stand apart.

use super::print::sorted;
use crate::lint::ground::Ground;
use crate::record::Chance;

/// What stands where a value stood.
const SLOT: &str = "\u{fffc}";
/// The length of a run of words that is compared as it stands, and of letters.
const RUN: usize = 3;
const LETTERS: usize = 5;

/// How texts of a language are cut.
#[derive(Debug, Clone)]
pub struct Words {
    spaced: bool,
}

impl Words {
    /// The words of a bench's language.
    pub fn of(ground: &Ground) -> Self {
        Self { spaced: ground.spaced }
    }

    /// Runs of a text as it stands; and its words and pairs with the values taken out, whatever they are.
    pub fn runs(&self, text: &str, values: &[String]) -> (Vec<u32>, Vec<u32>) {
        let units = self.units(text);
        let length = if self.spaced { RUN } else { LETTERS };
        let mut runs: Vec<u32> = units.windows(length).map(|run| hash("run", run)).collect();
        let framed = self.without(units, values);
        let is_word = |word: &String| word != SLOT;
        let alone = framed
            .iter()
            .filter(|word| self.spaced && is_word(word))
            .map(|word| hash("one", std::slice::from_ref(word)));
        let pairs = framed.windows(2).filter(|pair| pair.iter().any(is_word)).map(|pair| hash("pair", pair));
        let triples =
            framed.windows(3).filter(|three| !self.spaced && three.iter().all(is_word)).map(|it| hash("three", it));
        let mut frame: Vec<u32> = alone.chain(pairs).chain(triples).collect();
        sorted(&mut runs);
        sorted(&mut frame);
        (runs, frame)
    }

    /// The hash of a value, however it is written.
    pub fn value(&self, text: &str) -> u32 {
        hash("value", &[self.units(text).concat()])
    }

    /// The hashes of single words.
    pub fn bag(&self, text: &str) -> Vec<u32> {
        let units = self.units(text);
        let length = if self.spaced { 1 } else { 2 };
        units.windows(length).map(|word| hash("word", word)).collect()
    }

    /// Words in lower case, or letters.
    fn units(&self, text: &str) -> Vec<String> {
        let text = text.to_lowercase();
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        if self.spaced {
            words.map(str::to_owned).collect()
        } else {
            words.flat_map(str::chars).map(String::from).collect()
        }
    }

    /// The words with one slot for each value and each number. Longer values go first, since one may stand within another.
    fn without(&self, mut units: Vec<String>, values: &[String]) -> Vec<String> {
        let mut values: Vec<Vec<String>> =
            values.iter().map(|value| self.units(value)).filter(|it| !it.is_empty()).collect();
        values.sort_by_key(|value| std::cmp::Reverse(value.len()));
        for value in &values {
            let mut at = 0;
            while at + value.len() <= units.len() {
                if stands(&units[at..at + value.len()], value) {
                    units.splice(at..at + value.len(), [SLOT.to_owned()]);
                }
                at += 1;
            }
        }
        for unit in &mut units {
            if unit.chars().any(char::is_numeric) {
                SLOT.clone_into(unit);
            }
        }
        units.dedup_by(|one, other| one == SLOT && other == SLOT);
        units
    }
}

/// Whether words are a value; a particle may hang on the last of them where letters are not Latin ones.
fn stands(words: &[String], value: &[String]) -> bool {
    let (Some((last, words)), Some((end, value))) = (words.split_last(), value.split_last()) else { return false };
    words == value && (last == end || !end.is_ascii() && last.starts_with(end.as_str()))
}

/// A hash of words; what it is of counts, and so do boundaries.
pub(super) fn hash(kind: &str, words: &[String]) -> u32 {
    let bytes: Vec<&[u8]> = std::iter::once(kind.as_bytes()).chain(words.iter().map(String::as_bytes)).collect();
    u32::try_from(Chance::of(&bytes).bits() >> 32).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ENGLISH: Words = Words { spaced: true };
    const CHINESE: Words = Words { spaced: false };

    fn frame(words: &Words, text: &str, values: &[&str]) -> Vec<u32> {
        words.runs(text, &values.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>()).1
    }

    #[test]
    fn values_and_numbers_are_slots_of_one_place() {
        let porto = frame(&ENGLISH, "a train to Porto at 8:30", &["Porto"]);
        assert_eq!(porto, frame(&ENGLISH, "A train to São João, at 17", &["são joão"]));
        assert_ne!(porto, frame(&ENGLISH, "a train to Porto at 8:30", &[]));
    }

    #[test]
    fn a_value_is_no_part_of_another_word_but_may_bear_a_particle() {
        assert_eq!(frame(&ENGLISH, "go to tomorrow", &["to"]).len(), frame(&ENGLISH, "go x tomorrow", &["x"]).len());
        assert_eq!(frame(&ENGLISH, "서울에서 표 예매", &["서울"]), frame(&ENGLISH, "부산에서 표 예매", &["부산"]));
    }

    #[test]
    fn letters_are_compared_where_words_do_not_stand_apart() {
        assert_eq!(frame(&CHINESE, "订去北京的票。", &["北京"]), frame(&CHINESE, "订去呼和浩特的票", &["呼和浩特"]));
        assert_eq!(CHINESE.runs("一二三四五六", &[]).0.len(), 2);
        assert_eq!(CHINESE.value("北 京"), CHINESE.value("北京"));
    }

    proptest! {
        #[test]
        fn whatever_the_text_hashes_are_in_order_and_nothing_panics(text in ".{0,60}", value in ".{0,8}") {
            for words in [ENGLISH, CHINESE] {
                let (runs, frame) = words.runs(&text, std::slice::from_ref(&value));
                prop_assert!(runs.is_sorted() && frame.is_sorted());
                prop_assert_eq!(words.runs(&text.to_uppercase().to_lowercase(), &[]).0, words.runs(&text.to_uppercase(), &[]).0);
            }
        }
    }
}
