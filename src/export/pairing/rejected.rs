//! Draws that a gate rejected, as pairs: each of its own request, where the gate can tell what would have been right.

use crate::export::choice::tokens;
use crate::export::drive::Writing;
use crate::export::lessons::lesson::Lesson;
use crate::export::lessons::teach::Around;
use crate::export::loss::{Loss, Rule};
use crate::export::options::{ExportError, Objective};
use crate::export::pairing::pairs::{self, Wrong};
use crate::record::{ArgumentNotes, Expected, FunctionCall, Message, Provenance, Reject, Review, Sample};
use std::fs::File;
use std::io::{BufRead, BufReader};

impl Writing<'_> {
    /// Keeps the first sample of each tool and data type, where rejected draws are to be shown like it.
    pub(crate) fn frame(&mut self, sample: &Sample, side: usize) {
        if let (Objective::Dpo, Some(_)) = (self.options.objective, &self.options.rejects)
            && let (Expected::Call(call), [_]) = (&sample.expected, sample.messages.as_slice())
        {
            let key = (call.name.clone(), sample.data_type.0.clone());
            self.frames.entry(key).or_insert_with(|| (sample.clone(), side));
        }
    }

    /// Writes the pairs.
    pub(crate) fn rejected_draws(&mut self) -> Result<(), ExportError> {
        let Some(path) = self.options.rejects.as_ref().filter(|_| self.options.objective == Objective::Dpo) else {
            return Ok(());
        };
        for line in BufReader::new(File::open(path)?).lines() {
            let Ok(reject) = serde_json::from_str::<Reject>(&line?) else { continue };
            match self.rejected_draw(&reject) {
                Ok((lesson, wrong, side)) => self.rejected_pair(&lesson, wrong, side)?,
                Err(loss) => self.lose(&loss)?,
            }
        }
        Ok(())
    }

    /// The lesson of a rejected draw's own request, with what the draw said to it.
    fn rejected_draw(&mut self, reject: &Reject) -> Result<(Lesson, Wrong, usize), Loss> {
        let lost = || Loss::row(reject.id.as_str(), Rule::NoChosen, reject.reason.as_str());
        let mended = reject.mended.as_deref().ok_or_else(lost)?;
        let key = (mended.right.name.clone(), mended.data_type.0.clone());
        let (frame, side) = self.frames.get(&key).ok_or_else(lost)?;
        let (side, sample) = (*side, in_frame(frame, reject, &mended.right));
        let (lesson, _) = self.sieve.teacher.lesson(sample, &Around::default())?;
        let wrong = pairs::rejected(&lesson, &mended.said, &reject.reason, &mut self.judge).ok_or_else(lost)?;
        Ok((lesson, wrong, side))
    }

    fn rejected_pair(&mut self, lesson: &Lesson, wrong: Wrong, side: usize) -> Result<(), ExportError> {
        let length = tokens(lesson);
        if self.options.max_tokens.is_some_and(|most| length > most) {
            return self.lose(&Loss::row(lesson.id(), Rule::TooLong, length.to_string()));
        }
        let mut named = lesson.clone();
        self.name(&mut named, false, 0);
        let rows = self.pairs(lesson, &named, vec![wrong], (false, 0), side)?;
        let name = self.options.sides().get(side).copied().unwrap_or("train");
        (0..rows).for_each(|_| self.stats.add(&named, name, false));
        Ok(())
    }
}

/// A rejected draw's request, shown with the tools of a sample of its kind, and what is right for it.
fn in_frame(frame: &Sample, reject: &Reject, right: &FunctionCall) -> Sample {
    Sample {
        id: reject.id.clone(),
        messages: vec![Message::user(reject.text.as_str())],
        expected: Expected::Call(right.clone()),
        arguments: ArgumentNotes::new(),
        acceptable: indexmap::IndexMap::new(),
        mentions: Vec::new(),
        base: None,
        label: None,
        review: Review::Unreviewed,
        provenance: Provenance { template: frame.provenance.template, ..Provenance::default() },
        ..frame.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::Options;
    use crate::export::testing::{call, gold, written};
    use crate::record::{DataType, ItemId, Mended};

    fn reject(reason: &str, mended: Option<(&str, &str)>) -> Reject {
        let data_type = || DataType("ST_Perfect".to_owned());
        let mended = mended.map(|(said, right)| {
            let [said, right] = [said, right].map(|arguments| call("Rail.book", arguments));
            Box::new(Mended { data_type: data_type(), said, right })
        });
        Reject {
            id: ItemId::root("Rail.book/ask/7"),
            stage: "parameters".to_owned(),
            reason: reason.to_owned(),
            detail: String::new(),
            text: "to Faro, please".to_owned(),
            mended,
        }
    }

    #[test]
    fn a_rejected_draw_is_a_pair_of_its_own_request_where_the_right_call_is_known() {
        let rejects = [
            reject("invented_parameter", Some((r#"{"to":"Faro","seats":2}"#, r#"{"to":"Faro"}"#))),
            reject("inconsistent", None),
        ];
        let options = Options { objective: Objective::Dpo, ..Options::default() };
        let (stats, rows, losses) = written(&[gold()], &rejects, options);
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert!(row["prompt"].to_string().contains("to Faro, please"));
        assert!(row["chosen"].to_string().contains(r#""arguments":{"to":"Faro"}"#));
        assert!(row["rejected"].to_string().contains(r#""seats":2"#));
        assert_eq!(row["rejected_from"].as_str(), Some("reject"));
        assert_eq!(row["reason"].as_str(), Some("invented_parameter: invented_parameter: `seats`"));
        assert_eq!(stats.rejected_from["reject"], 1);
        let lost = losses.iter().filter(|loss| loss["rule"].as_str() == Some("no_chosen"));
        let reasons: Vec<_> = lost.map(|loss| loss["detail"].as_str().unwrap()).collect();
        assert_eq!(reasons, ["inconsistent"]);
    }
}
