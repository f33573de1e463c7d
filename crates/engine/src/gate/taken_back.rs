//! Does the label keep a value that the text takes back? (`at 7, no wait, at 8`)

use super::Fault;
use crate::locale::{Language, Stamp, numbers_in, resolve};
use crate::record::{FunctionCall, Value};
use std::ops::Range;

/// A day to read relative dates by: only whether the text says a day matters, not which.
const ANY_DAY: &str = "2025-01-01T12:00";

/// The longest correction that is nothing but the new value, in words, and in letters where words are not set apart.
const SHORT: (usize, usize) = (3, 8);

/// Checks every correction of a text: the words behind it take the place of a value before it, which the label must not have.
pub(super) fn check_taken_back(
    call: &FunctionCall,
    text: &str,
    said: &[(&str, Range<usize>)],
    corrections: &[Range<usize>],
    language: &Language,
) -> Result<(), Fault> {
    for cue in corrections {
        let Some(range) = replacement(text, cue.end, corrections) else { continue };
        let words = text.get(range.clone()).unwrap_or_default();
        let correction = Correction { text, said, cue, range, words, language };
        // Flags have no words to be replaced; denials are read where they stand.
        let before = said.iter().rev().filter(|(name, place)| {
            let value = call.arguments.get(*name);
            let last = said.iter().filter(|(other, _)| other == name).all(|(_, place)| place.end <= cue.start);
            place.end <= cue.start && last && value.is_some_and(|value| value.as_bool().is_none())
        });
        for (name, place) in before {
            if correction.replaces(call.arguments.get(*name).unwrap_or(&Value::Null), place) {
                let old = text.get(place.clone()).unwrap_or_default();
                let detail = format!("the request takes `{old}` back and says `{words}`; {name} still has the former");
                return Err(Fault::new("stale_value", detail).naming([old, words, name]));
            }
        }
    }
    Ok(())
}

/// The words behind a correction, up to the end of their clause; a clause that is corrected again goes on behind that.
fn replacement(text: &str, from: usize, corrections: &[Range<usize>]) -> Option<Range<usize>> {
    let skip = |at: usize| {
        let rest = text.get(at..)?;
        Some(at + rest.find(char::is_alphanumeric)?)
    };
    let mut end = skip(from)?;
    let start = end;
    loop {
        let rest = text.get(end..)?;
        end += clause_end(rest);
        let next = corrections.iter().find(|cue| {
            cue.start >= start && text.get(end.min(cue.start)..cue.start).is_some_and(is_bare) && cue.end > end
        });
        match next.and_then(|cue| skip(cue.end)) {
            Some(further) => end = further,
            None => return Some(start..end),
        }
    }
}

fn is_bare(between: &str) -> bool {
    !between.contains(char::is_alphanumeric)
}

/// Where the first clause of a text ends: at a mark that is not inside a number.
fn clause_end(text: &str) -> usize {
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let inside = letters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if matches!(letter, '，' | '。' | '；' | '！' | '？' | '、')
            || matches!(letter, ',' | '.' | ';' | '!' | '?') && !inside
        {
            return at;
        }
    }
    text.len()
}

struct Correction<'a> {
    text: &'a str,
    said: &'a [(&'a str, Range<usize>)],
    cue: &'a Range<usize>,
    range: Range<usize>,
    words: &'a str,
    language: &'a Language,
}

impl Correction<'_> {
    /// Whether the new words take the place of a value said before them: another value of its sort that the label does
    /// not have, or words in the same place of the sentence where they hold nothing of the label.
    fn replaces(&self, value: &Value, place: &Range<usize>) -> bool {
        let old = self.text.get(place.clone()).unwrap_or_default();
        let kept = self.said.iter().any(|(_, other)| self.range.start <= other.start && other.end <= self.range.end);
        if value.as_number().is_some() {
            return self.free(numbers_in(self.words, self.language).into_iter().map(|number| number.range));
        }
        if self.is_moment(old) {
            return self.free(self.moments(self.words));
        }
        if self.is_parallel(place) {
            return true;
        }
        // Only the value nearest to the correction is meant where neither sort nor place tells.
        let nearest =
            self.said.iter().filter(|(_, other)| other.end <= self.cue.start).all(|(_, other)| other.end <= place.end);
        nearest && (self.is_name(old) || !kept && self.is_short() && !self.speaks_of_others())
    }

    /// Whether one of the places within the new words is no value of the label.
    fn free(&self, mut places: impl Iterator<Item = Range<usize>>) -> bool {
        places.any(|place| {
            let place = self.range.start + place.start..self.range.start + place.end;
            !self.said.iter().any(|(_, said)| said.start < place.end && place.start < said.end)
        })
    }

    fn moments(&self, words: &str) -> std::vec::IntoIter<Range<usize>> {
        let ranges: Vec<Range<usize>> =
            resolve(words, Stamp::read(ANY_DAY), self.language).iter().map(crate::locale::Moment::range).collect();
        ranges.into_iter()
    }

    fn is_moment(&self, words: &str) -> bool {
        self.moments(words).len() > 0
    }

    /// The new words up to the first of them that the label has.
    fn head(&self) -> &str {
        let places = self.said.iter().map(|(_, place)| place.start).filter(|start| self.range.contains(start));
        self.text.get(self.range.start..places.min().unwrap_or(self.range.end)).unwrap_or_default()
    }

    /// The new words begin with the very word that stands before the value, and another value follows it: `in Lyon, no
    /// wait, in Turin`.
    fn is_parallel(&self, place: &Range<usize>) -> bool {
        let before = self.text.get(..place.start).unwrap_or_default();
        let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
        let head = words(self.head());
        head.len() > 1 && words(before).last().is_some_and(|last| head.first() == Some(last))
    }

    /// Both are names: they begin with a capital, though no sentence begins there.
    fn is_name(&self, old: &str) -> bool {
        let begins_so = |text: &str| text.starts_with(char::is_uppercase);
        // A single letter is a word as often as a name: `I`.
        let first = self.head().split_whitespace().next().unwrap_or_default();
        begins_so(old) && begins_so(first) && first.chars().take_while(|letter| letter.is_alphabetic()).count() > 1
    }

    fn is_short(&self) -> bool {
        if self.text.trim().contains(' ') {
            self.words.split_whitespace().count() <= SHORT.0
        } else {
            self.words.chars().count() <= SHORT.1
        }
    }

    /// A number or a time belongs to values of its own sort.
    fn speaks_of_others(&self) -> bool {
        !numbers_in(self.words, self.language).is_empty() || self.is_moment(self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::super::check_parameters;
    use super::*;
    use crate::record::Tool;

    fn stale_in(locale: &str, arguments: &str, text: &str) -> bool {
        let tool: Tool = serde_json::from_str(
            r#"{"name": "A.B.book", "description": "Book", "kinds": {"at": "time", "day": "date"}, "parameters": {"properties": {
                "to": {"type": "string"}, "from": {"type": "string"}, "at": {"type": "string"}, "day": {"type": "string"},
                "seats": {"type": "integer"}, "note": {"type": "string"}}}}"#,
        )
        .unwrap();
        let call = FunctionCall { name: tool.name.clone(), arguments: serde_json::from_str(arguments).unwrap() };
        let preset: Vec<String> = call.arguments.keys().cloned().collect();
        match check_parameters(&tool, &preset, &call, text, &Language::load(crate::fixtures::assets(), locale).unwrap())
        {
            Ok(_) => false,
            Err(fault) => {
                assert_eq!(fault.reason, "stale_value", "{text}: {}", fault.detail);
                true
            }
        }
    }

    fn stale(arguments: &str, text: &str) -> bool {
        stale_in("en", arguments, text)
    }

    #[test]
    fn the_former_value_is_stale_and_the_latter_is_not() {
        for (former, latter, text) in [
            (r#"{"at": "7"}"#, r#"{"at": "8"}"#, "wake me at 7, no wait, at 8"),
            (r#"{"seats": 2}"#, r#"{"seats": 3}"#, "two seats, or rather three"),
            (r#"{"seats": 50}"#, r#"{"seats": 80}"#, "get us 50 seats, sorry, make that 80"),
            (
                r#"{"to": "Lyon", "seats": 3}"#,
                r#"{"to": "Turin", "seats": 3}"#,
                "go to Lyon, no wait, to Turin, 3 seats",
            ),
            (r#"{"to": "Anna"}"#, r#"{"to": "Leo"}"#, "a ride to Anna... no, I mean Leo"),
            (
                r#"{"to": "Lyon", "seats": 3}"#,
                r#"{"to": "Turin", "seats": 3}"#,
                "get me to Lyon, no wait, Turin with 3 seats",
            ),
            (
                r#"{"to": "Lyon", "seats": 3}"#,
                r#"{"to": "Turin", "seats": 3}"#,
                "a train to Lyon, sorry, to Turin with 3 seats",
            ),
            (r#"{"at": "3 pm"}"#, r#"{"at": "4 pm"}"#, "move it to 3 pm, actually 4 pm works better"),
            (r#"{"day": "Tuesday"}"#, r#"{"day": "Thursday"}"#, "go on Tuesday, hmm, Thursday instead"),
        ] {
            assert!(stale(former, text), "{former} in {text}");
            assert!(!stale(latter, text), "{latter} in {text}");
        }
    }

    #[test]
    fn what_is_not_taken_back_stays() {
        for (label, text) in [
            (r#"{"to": "Lyon", "day": "tomorrow"}"#, "to Lyon tomorrow, I mean the one from Petra's chat message"),
            (r#"{"to": "Lyon", "day": "tomorrow"}"#, "to Lyon tomorrow, actually that is fine for all of us"),
            (r#"{"to": "Silver Gardens"}"#, "to the Silver Gardens, I mean the thing that Quinn recommended to me"),
            (r#"{"to": "Lyon", "seats": 4}"#, "3 seats, no wait, 4, to Lyon"),
            (r#"{"to": "Lyon", "seats": 4}"#, "to Lyon with 3 seats, actually 4"),
            (r#"{"to": "Lyon", "at": "9 am"}"#, "to Lyon at 8 am, sorry, 9 am"),
            (r#"{"to": "Lyon"}"#, "to Lyon, actually"),
            (r#"{"to": "Lyon"}"#, "actually get me to Lyon"),
            (r#"{"to": "Ben", "note": "sorry, I'm late"}"#, "to Ben with the note sorry, I'm late"),
            (r#"{"seats": 9}"#, "7 seats, no wait, 8, actually 9"),
        ] {
            assert!(!stale(label, text), "{label} in {text}");
        }
    }

    #[test]
    fn corrections_are_read_in_every_language() {
        assert!(stale_in("ko", r#"{"at": "7시"}"#, "7시에 깨워 줘, 아니다, 8시에"));
        assert!(!stale_in("ko", r#"{"at": "8시"}"#, "7시에 깨워 줘, 아니다, 8시에"));
        assert!(stale_in("zh", r#"{"to": "首都机场"}"#, "去首都机场，不对，虹桥机场"));
        assert!(!stale_in("zh", r#"{"to": "虹桥机场"}"#, "去首都机场，不对，虹桥机场"));
    }

    #[test]
    fn a_clause_ends_at_a_mark_and_not_inside_a_number() {
        assert_eq!(clause_end("12.50 dollars, please"), "12.50 dollars".len());
        assert_eq!(clause_end("虹桥，谢谢"), "虹桥".len());
        assert_eq!(clause_end("no mark at all"), "no mark at all".len());
    }
}
