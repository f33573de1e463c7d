//! The difficulty of a question is that of its calls.

use super::super::super::entry::{Called, Entry};
use super::super::super::finding::Findings;
use super::Rule;
use crate::format::callnavi::word;
use crate::record::{Difficulty, Origin};

/// Looks at each question by itself.
pub(super) struct Difficulties {
    /// The authors' layout does not say what feeds a call, nor what makes a question hard.
    is_authors: bool,
}

/// Tags that say what makes a question hard.
const REASONS: [&str; 5] = ["dependent", "ambiguous", "incomplete", "conflicting", "transformed"];

impl Difficulties {
    pub(super) fn new(is_authors: bool) -> Self {
        Self { is_authors }
    }
}

impl Rule for Difficulties {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some(difficulty) = entry.sample.difficulty else {
            let message =
                format!("`{}` is no difficulty; expected `easy`, `medium` or `hard`", entry.sample.data_type.0);
            findings.error("difficulty", entry, message);
            return;
        };
        let named = word(difficulty);
        if entry.sample.data_type.0 != named {
            let message = format!(
                "the data type is `{}` and the difficulty `{named}`; expected the same",
                entry.sample.data_type.0
            );
            findings.error("difficulty", entry, message);
        }
        if let Some(fault) = self.fault(entry, difficulty) {
            findings.error("difficulty", entry, format!("it is {named}, and {fault}"));
        }
    }
}

impl Difficulties {
    fn fault(&self, entry: &Entry, difficulty: Difficulty) -> Option<String> {
        let calls = entry.calls();
        let count = calls.len();
        let is_fed = has(&calls, |origin| matches!(origin, Origin::Answer { .. }));
        let is_incomplete = has(&calls, |origin| *origin == Origin::Missing);
        let has_reason = is_fed || entry.sample.tags.iter().any(|tag| REASONS.contains(&tag.as_str()));
        match difficulty {
            Difficulty::Easy if count != 1 => Some(format!("{count} calls are right; expected 1")),
            Difficulty::Medium if count < 2 => Some(format!("{count} call is right; expected 2 or more")),
            Difficulty::Easy | Difficulty::Medium if is_fed => Some("a call needs an earlier answer".to_owned()),
            Difficulty::Easy | Difficulty::Medium if is_incomplete => Some("a value is not given".to_owned()),
            Difficulty::Hard if !self.is_authors && !has_reason => Some(format!(
                "no call needs an earlier answer, and no tag gives another reason ({})",
                REASONS.join(", ")
            )),
            _ => None,
        }
    }
}

fn has(calls: &[Called<'_>], fits: fn(&Origin) -> bool) -> bool {
    calls.iter().filter_map(|called| called.notes).flat_map(|notes| notes.values()).any(|note| fits(&note.origin))
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{entry, questions, step};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::{DataType, Sample};

    fn called(mut sample: Sample, difficulty: Difficulty) -> Sample {
        (sample.data_type, sample.difficulty) = (DataType(word(difficulty).to_owned()), Some(difficulty));
        sample
    }

    fn of(sample: Sample, is_authors: bool) -> Vec<String> {
        found(Difficulties::new(is_authors), &[entry(sample)])
    }

    #[test]
    fn calls_and_what_feeds_them_make_the_difficulty() {
        let cases = [
            ("medium", Difficulty::Easy, "it is easy, and 2 calls are right; expected 1"),
            ("easy", Difficulty::Medium, "it is medium, and 1 call is right; expected 2 or more"),
            ("hard", Difficulty::Medium, "it is medium, and a call needs an earlier answer"),
        ];
        for (question, difficulty, finding) in cases {
            assert_eq!(of(called(questions(question), difficulty), false), [format!("difficulty: {finding}")]);
        }
    }

    #[test]
    fn a_hard_question_has_a_reason() {
        let mut sample = called(questions("medium"), Difficulty::Hard);
        assert!(of(sample.clone(), false)[0].contains("no tag gives another reason"));
        assert_eq!(of(sample.clone(), true), Vec::<String>::new(), "the layout has no place for it");
        sample.tags.push("ambiguous".to_owned());
        assert_eq!(of(sample, false), Vec::<String>::new());
    }

    #[test]
    fn where_a_value_is_missing_it_is_not_easy() {
        let mut sample = questions("easy");
        step(&mut sample, 0).notes[0]["customerId"].origin = Origin::Missing;
        assert_eq!(of(sample, false), ["difficulty: it is easy, and a value is not given"]);
    }

    #[test]
    fn the_word_is_one_of_three_and_the_same_in_both_places() {
        let mut sample = questions("easy");
        sample.data_type = DataType("Easy".to_owned());
        assert_eq!(
            of(sample.clone(), false),
            ["difficulty: the data type is `Easy` and the difficulty `easy`; expected the same"]
        );
        sample.difficulty = None;
        assert!(of(sample, false)[0].contains("`Easy` is no difficulty"));
    }
}
