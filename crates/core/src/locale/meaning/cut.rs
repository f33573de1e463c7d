//! Where words begin and end: at spaces, before particles, and in scripts that set nothing apart.

use super::super::Reading;
use super::super::numerals::Lexicon;
use std::ops::Range;

/// Cuts texts of one language into words.
#[derive(Debug, Clone, Default)]
pub struct Cutter {
    /// Whether words are set apart by spaces.
    spaced: bool,
    /// The words that are known, for a script that sets none apart.
    known: Lexicon<()>,
    /// Particles that stand behind a word without a space.
    particles: Lexicon<()>,
}

/// Most particles that follow one another: `에서는`, `까지만은`.
const PARTICLES: usize = 3;

impl Cutter {
    /// Cuts by the words that a reader knows.
    pub fn new(reading: &Reading, spaced: bool) -> Self {
        let vocabulary = reading.vocabulary().filter(|_| !spaced).map(|word| (word, ()));
        let particles = reading.particles().iter().filter(|_| spaced).map(|particle| (particle.as_str(), ()));
        Self { spaced, known: Lexicon::new(vocabulary), particles: Lexicon::new(particles) }
    }

    /// The words of a text in lower case, with every neighbouring two letters of what is no known word in an unspaced
    /// script: two texts about one thing share such pairs.
    pub fn pieces(&self, lower: &[char]) -> Vec<Range<usize>> {
        let words = self.words(lower).into_iter();
        words.flat_map(|word| if self.is_unknown(lower, &word) { pairs(word) } else { vec![word] }).collect()
    }

    fn is_unknown(&self, lower: &[char], word: &Range<usize>) -> bool {
        let known = || self.known.all_at(lower, word.start).any(|(length, ())| length == word.len());
        !self.spaced && !lower[word.start].is_ascii_alphanumeric() && !known()
    }

    /// The words of a text in lower case; in an unspaced script what stands between known words is one word.
    pub fn words(&self, lower: &[char]) -> Vec<Range<usize>> {
        let mut words = Vec::new();
        let mut at = 0;
        while at < lower.len() {
            let end = at + lower[at..].iter().take_while(|letter| is_letter(**letter)).count();
            if end == at {
                at += 1;
            } else if self.spaced {
                words.push(at..end);
                at = end;
            } else {
                self.cut(lower, at..end, &mut words);
                at = end;
            }
        }
        words
    }

    /// Whether a value or word may begin at a place.
    pub fn starts(&self, lower: &[char], at: usize) -> bool {
        !self.spaced || at == 0 || !lower[at - 1].is_alphanumeric()
    }

    /// Whether a value or word may end at a place: before a space, or with nothing but particles up to one.
    pub fn ends(&self, lower: &[char], at: usize) -> bool {
        if !self.spaced || lower.get(at).is_none_or(|letter| !letter.is_alphanumeric()) {
            return true;
        }
        let rest = lower[at..].iter().take_while(|letter| letter.is_alphanumeric()).count();
        self.are_particles(&lower[at..at + rest], PARTICLES)
    }

    fn are_particles(&self, letters: &[char], most: usize) -> bool {
        letters.is_empty()
            || most > 0
                && self
                    .particles
                    .all_at(letters, 0)
                    .any(|(length, ())| self.are_particles(&letters[length..], most - 1))
    }

    fn cut(&self, lower: &[char], run: Range<usize>, words: &mut Vec<Range<usize>>) {
        let mut at = run.start;
        let mut unknown = at;
        while at < run.end {
            let other = lower[at..run.end].iter().take_while(|letter| letter.is_ascii_alphanumeric()).count();
            let known = self.known.all_at(lower, at).map(|(length, ())| length).find(|length| at + length <= run.end);
            match (other, known) {
                (0, None) => at += 1,
                (other, known) => {
                    words.extend((unknown < at).then_some(unknown..at));
                    let length = other.max(known.unwrap_or(0));
                    words.push(at..at + length);
                    at += length;
                    unknown = at;
                }
            }
        }
        words.extend((unknown < run.end).then_some(unknown..run.end));
    }
}

/// Neighbouring pairs of letters; one by itself stays.
fn pairs(run: Range<usize>) -> Vec<Range<usize>> {
    if run.len() < 2 { vec![run] } else { (run.start..run.end - 1).map(|at| at..at + 2).collect() }
}

/// Whether a letter is within a word; an apostrophe is.
fn is_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '\'' | '’')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Pack;

    fn words(code: &str, text: &str) -> Vec<String> {
        let pack = crate::fixtures::pack(code);
        let lower: Vec<char> = text.chars().collect();
        let cutter = Cutter::new(&pack.reading, !pack.joiner.is_empty());
        cutter.words(&lower).into_iter().map(|range| lower[range].iter().collect()).collect()
    }

    #[test]
    fn spaces_set_words_apart() {
        assert_eq!(words("en", "don't stop, it's 5"), ["don't", "stop", "it's", "5"]);
        assert_eq!(words("ko", "강남역까지 데려다 줘"), ["강남역까지", "데려다", "줘"]);
    }

    #[test]
    fn a_script_without_spaces_is_cut_at_known_words() {
        assert_eq!(words("zh", "帮我取消KN123航拍器"), ["帮我", "取消", "KN123", "航拍器"]);
        let reading = Pack::load(crate::fixtures::assets(), "zh").unwrap().reading;
        assert_eq!(reading.words("取消航拍器"), ["取消", "航拍", "拍器"]);
        assert_eq!(words("zh", "取消猫"), ["取消", "猫"]);
    }

    #[test]
    fn a_korean_word_ends_before_its_particles() {
        let pack = crate::fixtures::pack("ko");
        let cutter = Cutter::new(&pack.reading, true);
        let ends = |text: &str, at: usize| cutter.ends(&text.chars().collect::<Vec<_>>(), at);
        assert!(ends("강남역까지 가", 3) && ends("강남역에서는", 3) && ends("강남역", 3));
        assert!(!ends("강남역사", 3), "that is another word");
        let lower: Vec<char> = "새 강남".chars().collect();
        assert!(cutter.starts(&lower, 2) && !cutter.starts(&lower, 3));
    }

    #[test]
    fn an_english_word_ends_where_its_letters_do() {
        let pack = crate::fixtures::pack("en");
        let cutter = Cutter::new(&pack.reading, true);
        let lower: Vec<char> = "arts".chars().collect();
        assert!(cutter.ends(&lower, 4) && !cutter.ends(&lower, 3));
    }
}
