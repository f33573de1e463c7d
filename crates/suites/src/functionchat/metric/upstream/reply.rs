//! What the authors' program reads in a judge's reply: the last two lines, searched for words.

use crate::python;
use serde::Deserialize;

/// The words that the program looks for, and the notes that it knows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Words {
    /// Notes in the place of other right values.
    pub notes: Vec<String>,
    /// What passes, in whatever case.
    pub pass: String,
    /// What fails, in whatever case.
    pub fail: String,
    /// Further words that pass.
    pub passes: Vec<String>,
    /// An ending on lines of its own, before which more lines are looked at.
    pub ending: String,
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Read {
    /// It passes.
    Pass,
    /// It fails.
    Fail,
    /// Nothing, in these lines.
    Unparsed(String),
}

impl Words {
    /// Reads a judge's reply.
    pub fn read(&self, reply: &str) -> Read {
        let lines: Vec<&str> = python::trim(reply).split('\n').collect();
        let last = |count: usize| lines.iter().skip(lines.len().saturating_sub(count)).copied().collect::<String>();
        let mut key = last(2);
        if self.find(&key).is_none() && key == self.ending {
            key = last(4);
        }
        self.find(&key).unwrap_or(Read::Unparsed(key))
    }

    fn find(&self, key: &str) -> Option<Read> {
        let lower = key.to_lowercase();
        if lower.contains(&self.pass) {
            return Some(Read::Pass);
        }
        if lower.contains(&self.fail) {
            return Some(Read::Fail);
        }
        self.passes.iter().any(|word| key.contains(word)).then_some(Read::Pass)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The words that ship.
    pub(crate) fn words() -> Words {
        toml::from_str(&crate::fixtures::assets().read("profiles/functionchat-upstream.toml").unwrap()).unwrap()
    }

    #[test]
    fn the_last_two_lines_are_searched() {
        for (reply, wanted) in [
            ("x\npass\npass", Read::Pass),
            ("x\n**Fail**", Read::Fail),
            ("This does not pass.\nfail", Read::Pass),
            ("compass is needed\nfail", Read::Pass),
            ("x\n불합격\n불합격", Read::Pass),
            ("x\n통과하지 못했습니다.", Read::Pass),
            ("x\n통과하지 못했습니다.\nfail", Read::Fail),
            ("x\n패쓰", Read::Pass),
            ("x\nfail\n\n\n", Read::Fail),
        ] {
            assert_eq!(words().read(reply), wanted, "{reply}");
        }
    }

    #[test]
    fn what_holds_no_word_is_kept() {
        for (reply, key) in [("실패", "실패"), ("pass\na\nb\nc", "bc"), ("", ""), ("x\npass\n.\n.", "..")] {
            assert_eq!(words().read(reply), Read::Unparsed(key.to_owned()), "{reply}");
        }
    }

    #[test]
    fn before_an_ending_on_its_own_more_is_looked_at() {
        assert_eq!(words().read("x\npass\n\n입니다."), Read::Pass);
        assert_eq!(words().read("pass\na\nb\n\n입니다."), Read::Unparsed("ab입니다.".to_owned()));
        assert_eq!(words().read("pass\n.\n입니다."), Read::Unparsed(".입니다.".to_owned()));
    }
}
