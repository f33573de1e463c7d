//! Cues of a request as a whole: words that take back what was said before them, and words of a model that declines.

use super::super::language::Language;
use super::super::meaning::surface::{Folded, fold};
use serde::Deserialize;
use std::ops::Range;

/// The `[cues]` table of a language file.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CueWords {
    /// Words between what was said and what takes its place.
    corrections: Vec<String>,
    /// Words of a model that declines to write a request.
    refusals: Vec<String>,
}

/// A language's cues of whole requests, ready for use.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cues {
    corrections: Vec<Vec<char>>,
    refusals: Vec<Vec<char>>,
}

impl Cues {
    pub(crate) fn new(words: &CueWords) -> Self {
        let folded = |words: &[String]| words.iter().map(|word| fold(word)).collect();
        Self { corrections: folded(&words.corrections), refusals: folded(&words.refusals) }
    }
}

impl Language {
    /// Where a text takes back what it said before, in bytes and in order; cues side by side count as one.
    pub fn corrections(&self, text: &str) -> Vec<Range<usize>> {
        let mut merged: Vec<Range<usize>> = Vec::new();
        for range in places(&self.cues.corrections, text) {
            match merged.last_mut() {
                Some(last) if range.start <= last.end || is_empty(text, last.end..range.start) => {
                    last.end = last.end.max(range.end);
                }
                _ => merged.push(range),
            }
        }
        merged
    }

    /// Where a text speaks as a model that declines, in bytes and in order.
    pub fn refusals(&self, text: &str) -> Vec<Range<usize>> {
        places(&self.cues.refusals, text)
    }
}

fn places(words: &[Vec<char>], text: &str) -> Vec<Range<usize>> {
    let folded = Folded::new(text);
    let mut places: Vec<Range<usize>> =
        words.iter().flat_map(|word| folded.find(word)).map(|range| folded.bytes(&range)).collect();
    places.sort_by_key(|range| (range.start, range.end));
    places
}

fn is_empty(text: &str, range: Range<usize>) -> bool {
    text.get(range).is_some_and(|between| !between.contains(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use crate::locale::language::tests::language;

    fn corrections(code: &str, text: &str) -> Vec<String> {
        language(code).corrections(text).into_iter().filter_map(|range| text.get(range).map(str::to_owned)).collect()
    }

    #[test]
    fn a_correction_is_found_where_it_is_said() {
        assert_eq!(corrections("en", "wake me at 7, no wait, at 8"), ["no wait,"]);
        assert_eq!(corrections("en", "two, sorry, make that three"), ["sorry, make that"], "side by side they are one");
        assert_eq!(corrections("ko", "7시에, 아니다, 8시에 깨워 줘"), ["아니다"]);
        assert_eq!(corrections("zh", "七点叫我，不对，八点"), ["不对"]);
        assert!(corrections("en", "I was sorry to hear it; waiter, no water").is_empty());
    }

    #[test]
    fn a_model_that_declines_is_told_from_somebody_who_cannot() {
        let declines = |code: &str, text: &str| !language(code).refusals(text).is_empty();
        assert!(
            declines("en", "As an AI language model, I cannot do that") && declines("en", "I can't help with that")
        );
        assert!(
            declines("ko", "저는 언어 모델로서 답할 수 없습니다") && declines("zh", "作为一个AI语言模型，我无法回答")
        );
        assert!(!declines("en", "I can't drive today, get me a cab"));
    }
}
