//! What a judge says: a structured verdict, a marked word, or words in running text.

use crate::record::Value;
use crate::text::embedded;
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

/// A judge's verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// It is right.
    Pass,
    /// It is wrong.
    Fail,
}

/// The words by which a locale's judges say so.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct VerdictWords {
    /// It passes.
    pub pass: Vec<String>,
    /// It fails; longer phrases may hold a word that passes.
    pub fail: Vec<String>,
    /// Words that turn what follows within two words into its opposite.
    pub negations: Vec<String>,
}

/// Several judges' verdicts on one turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Votes {
    /// For right.
    pub pass: u32,
    /// For wrong.
    pub fail: u32,
    /// Not to be read.
    pub unparsed: u32,
}

impl VerdictWords {
    /// The words of several locales together: judges may think in another language than they look at.
    pub fn join<'w>(all: impl IntoIterator<Item = &'w Self>) -> Self {
        all.into_iter().fold(Self::default(), |mut joined, words| {
            joined.pass.extend(words.pass.iter().cloned());
            joined.fail.extend(words.fail.iter().cloned());
            joined.negations.extend(words.negations.iter().cloned());
            joined
        })
    }

    /// The last verdict in a line.
    fn find(&self, line: &str) -> Option<Judgement> {
        let mut found: Vec<(usize, usize, Judgement)> = Vec::new();
        let sides = [(&self.pass, Judgement::Pass), (&self.fail, Judgement::Fail)];
        for (words, verdict) in sides {
            found.extend(words.iter().flat_map(|word| places(line, word)).map(|(start, end)| (start, end, verdict)));
        }
        let is_part = |one: &(usize, usize, Judgement)| {
            found.iter().any(|other| other.0 <= one.0 && one.1 <= other.1 && other.1 - other.0 > one.1 - one.0)
        };
        let last = found.iter().filter(|one| !is_part(one)).max_by_key(|(start, ..)| *start)?;
        Some(if self.is_negated(line.get(..last.0).unwrap_or_default()) { last.2.other() } else { last.2 })
    }

    /// Whether one of the two words before says the opposite; a mark between them ends it.
    fn is_negated(&self, before: &str) -> bool {
        let clause = before.rsplit(|letter: char| ".,;:!?()".contains(letter)).next().unwrap_or_default();
        clause.split_whitespace().rev().take(2).any(|word| self.negations.iter().any(|negation| negation == word))
    }
}

impl Judgement {
    /// The word in a verdict.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Pass => Self::Fail,
            Self::Fail => Self::Pass,
        }
    }

    fn named(name: &str) -> Option<Self> {
        [Self::Pass, Self::Fail].into_iter().find(|it| it.as_str() == name.trim().to_lowercase())
    }
}

impl Votes {
    /// Counts a verdict.
    pub fn add(&mut self, verdict: Option<Judgement>) {
        match verdict {
            Some(Judgement::Pass) => self.pass += 1,
            Some(Judgement::Fail) => self.fail += 1,
            None => self.unparsed += 1,
        }
    }

    /// What most say of those that can be read; nothing where they are at odds.
    pub fn verdict(self) -> Option<Judgement> {
        match self.pass.cmp(&self.fail) {
            std::cmp::Ordering::Greater => Some(Judgement::Pass),
            std::cmp::Ordering::Less => Some(Judgement::Fail),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// Whether not all say the same.
    pub fn is_split(self) -> bool {
        self.pass > 0 && self.fail > 0
    }
}

/// Reads a judge's reply.
pub fn read_reply(reply: &str, words: &VerdictWords) -> Option<Judgement> {
    structured(reply).or_else(|| marked(reply)).or_else(|| {
        let mut lines = reply.lines().rev().map(plain);
        lines.find_map(|line| words.find(&line))
    })
}

/// `{"verdict": "pass"}`, the last of several.
fn structured(reply: &str) -> Option<Judgement> {
    let verdict = |value: &Value| match value.as_object()?.get("verdict")? {
        Value::Bool(true) => Some(Judgement::Pass),
        Value::Bool(false) => Some(Judgement::Fail),
        Value::String(word) => Judgement::named(word),
        _ => None,
    };
    embedded(reply).iter().rev().find_map(|(_, value)| verdict(value))
}

/// `[[pass]]`, the last of several.
fn marked(reply: &str) -> Option<Judgement> {
    reply.rsplit("[[").find_map(|rest| Judgement::named(rest.split_once("]]")?.0))
}

/// A line without what is only there for the eye.
fn plain(line: &str) -> String {
    let is_kept = |letter: &char| !"*_`\"'#>~\u{201c}\u{201d}\u{2018}\u{300c}\u{300d}\u{2018}".contains(*letter);
    // An apostrophe within a word is part of it.
    let line: String = line.nfc().collect::<String>().to_lowercase().replace("n't", "n\u{2019}t");
    line.chars().filter(is_kept).collect()
}

/// Where a word stands: as a whole where it is of Latin letters, anywhere else as part of whatever.
fn places(line: &str, word: &str) -> Vec<(usize, usize)> {
    let is_edge = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_ascii_alphanumeric());
    let is_whole = |at: usize, end: usize| {
        let (before, after) = (line.get(..at).unwrap_or_default(), line.get(end..).unwrap_or_default());
        !word.is_ascii() || is_edge(before.chars().next_back()) && is_edge(after.chars().next())
    };
    let found = line.match_indices(word).map(|(at, found)| (at, at + found.len()));
    found.filter(|(at, end)| !word.is_empty() && is_whole(*at, *end)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words() -> VerdictWords {
        #[derive(Deserialize)]
        struct File {
            verdicts: VerdictWords,
        }
        let files = ["en", "ko", "zh"].map(|code| -> File {
            toml::from_str(&crate::fixtures::assets().read(&format!("locales/{code}/scoring.toml")).unwrap()).unwrap()
        });
        VerdictWords::join(files.iter().map(|file| &file.verdicts))
    }

    fn read(reply: &str) -> Option<&'static str> {
        read_reply(reply, &words()).map(Judgement::as_str)
    }

    #[test]
    fn a_structured_verdict_goes_before_words() {
        for (reply, wanted) in [
            (r#"It may pass. {"reason": "no", "verdict": "fail"}"#, "fail"),
            ("```json\n{\"verdict\": true}\n```\nThis does not fail.", "pass"),
            (r#"{"verdict": "pass"} and after all {"verdict": "FAIL"}"#, "fail"),
            ("pass or fail? [[pass]] no, [[ Fail ]]", "fail"),
        ] {
            assert_eq!(read(reply), Some(wanted), "{reply}");
        }
    }

    #[test]
    fn the_last_line_with_a_verdict_decides_by_its_last_one() {
        for (reply, wanted) in [
            ("x\n**Pass**", "pass"),
            ("This does not pass.\nfail", "fail"),
            ("compass is needed\nfail", "fail"),
            ("pass or fail: fail", "fail"),
            ("pass\na\nb\nc", "pass"),
            ("x\npass\n.\n.", "pass"),
            ("결론은 \"pass\"입니다.", "pass"),
            ("불합격", "fail"),
            ("통과하지 못했습니다.", "fail"),
            ("이 제출은 통과입니다.", "pass"),
            ("결과: 성공", "pass"),
            ("실패", "fail"),
            ("未通过", "fail"),
            ("合格。", "pass"),
        ] {
            assert_eq!(read(reply), Some(wanted), "{reply}");
        }
        for reply in ["", "The compass points north.", "판단을 보류합니다.", "[[maybe]]", "{\"verdict\": 7}"] {
            assert_eq!(read(reply), None, "{reply}");
        }
    }

    #[test]
    fn a_negation_turns_what_follows() {
        for (reply, wanted) in [
            ("It does not pass", "fail"),
            ("It doesn't clearly pass", "fail"),
            ("It is not a fail", "pass"),
            ("Not a question of style, so pass", "pass"),
            ("It is not short, pass", "pass"),
        ] {
            assert_eq!(read(reply), Some(wanted), "{reply}");
        }
    }

    #[test]
    fn most_votes_win_and_a_draw_says_nothing() {
        let votes = |all: &[Option<Judgement>]| {
            let mut votes = Votes::default();
            for it in all {
                votes.add(*it);
            }
            (votes.verdict(), votes.is_split())
        };
        let (pass, fail) = (Some(Judgement::Pass), Some(Judgement::Fail));
        assert_eq!(votes(&[pass, fail, pass]), (pass, true));
        assert_eq!(votes(&[None, fail]), (fail, false));
        assert_eq!((votes(&[pass, fail]), votes(&[None])), ((None, true), (None, false)));
    }
}
