//! What an export has to know before it writes: how dialogues ask, which rows are chosen, and which belong to one part.

use super::choice::{Choice, Chosen, Mix};
use super::lesson::Lesson;
use super::loss::Rule;
use super::options::{Dialect, ExportError, Options};
use super::sieve::Sieve;
use super::split::{Assigned, Groups};
use super::teach::{Around, Teacher, gold_call, lacking};
use super::walk;
use super::wording::Wording;
use crate::format::Bench;
use crate::record::Sample;
use crate::run::Manifest;
use std::collections::BTreeSet;
use std::path::Path;

/// What is known of a bench.
pub(super) struct Known {
    /// Who makes lessons, with the questions that dialogues ask.
    pub teacher: Teacher,
    /// Which rows are exported.
    pub chosen: Chosen,
    /// Which part each belongs to, where there are several.
    pub assigned: Option<Assigned>,
}

/// Reads the bench once for what is asked in it, and once more for what becomes of its rows.
pub(super) fn look(bench: &Bench, options: &Options) -> Result<Known, ExportError> {
    let mut teacher = Teacher { wording: Wording::new(options.seed), paradigm: options.paradigm };
    walk::each::<ExportError>(bench, &mut |sample, around| {
        hear(&sample, around, &mut teacher.wording);
        Ok(())
    })?;
    // BFCL's files measure, and nothing is trained on them.
    let mix = if options.to == Dialect::Bfcl { Mix::All } else { options.mix };
    let mut choice = Choice::new(mix, options.whole_conversations(), options.seed);
    let mut groups = (options.split.len() > 1).then(Groups::default);
    let (mut sieve, mut seen) = (Sieve::new(options, teacher.clone()), Seen::default());
    walk::each::<ExportError>(bench, &mut |sample, around| {
        let lesson = sieve.row(sample, around);
        if let Some(lesson) = &lesson {
            if !options.keep_duplicates && !seen.is_new(lesson) {
                choice.lose(Rule::Duplicate);
                return Ok(());
            }
            if let Some(groups) = &mut groups {
                groups.add(lesson);
            }
        }
        choice.add(lesson.as_ref());
        Ok(())
    })?;
    let assigned = groups.map(|groups| groups.assign(&options.split, options.seed));
    Ok(Known { teacher, chosen: choice.finish(), assigned })
}

/// The examples of the group that comes now: equal ones come from one root, and so one after the other.
#[derive(Default)]
struct Seen {
    group: String,
    examples: BTreeSet<[u8; 32]>,
}

impl Seen {
    fn is_new(&mut self, lesson: &Lesson) -> bool {
        if self.group != lesson.sample.group {
            *self = Self { group: lesson.sample.group.clone(), ..Self::default() };
        }
        let tools: Vec<&str> = lesson.tools.iter().map(|tool| tool.name.as_str()).collect();
        let example = serde_json::to_vec(&(&lesson.turns, tools, &lesson.sample.locale)).unwrap_or_default();
        self.examples.insert(*blake3::hash(&example).as_bytes())
    }
}

/// Which readings had to agree with labels, by the manifest of the run whose bench it is.
pub(super) fn readings(folder: &Path) -> Vec<(String, &'static str)> {
    let text = std::fs::read_to_string(folder.join("manifest.json")).unwrap_or_default();
    let stages = serde_json::from_str::<Manifest>(&text).map(|manifest| manifest.stages).unwrap_or_default();
    stages.into_iter().filter_map(|stage| Some((stage.name, stage.readings?.word()))).collect()
}

/// Remembers a question for something that is missing, unless it is for several things at once: it would ask the next
/// person for what is known.
fn hear(sample: &Sample, around: &Around, wording: &mut Wording) {
    let ([asked], Some(text)) = (around.asked.as_slice(), &around.said_next) else { return };
    let lacking = gold_call(sample).map(|call| lacking(sample, &call)).unwrap_or_default();
    if let Some(missing) = lacking.iter().find(|it| it.parameter == *asked)
        && !wording.is_done(&sample.locale, text)
        && wording.is_single(&sample.locale, text)
    {
        wording.hear(&sample.locale, missing, text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::teach::Missing;
    use super::super::testing::{gold, sample, written};
    use super::*;
    use crate::record::ItemId;
    use serde_json::json;

    #[test]
    fn what_is_left_out_of_the_mix_does_not_come_back_as_a_duplicate() {
        let refusals = |at: usize| Sample { id: ItemId::root(format!("r{at}")), ..sample(json!("refusal")) };
        let samples: Vec<Sample> = [gold(), gold()].into_iter().chain((0..3).map(refusals)).collect();
        let (stats, rows, _) = written(&samples, &[], Options::default());
        assert_eq!((rows.len(), stats.losses[&Rule::Duplicate], stats.losses[&Rule::Repeated]), (2, (1, 0), (2, 0)));
        let (stats, rows, _) =
            written(&samples, &[], Options { mix: Mix::All, keep_duplicates: true, ..Options::default() });
        assert_eq!((rows.len(), stats.losses.len()), (5, 0));
    }

    #[test]
    fn a_question_is_heard_for_what_its_answer_gave() {
        let lacking = sample(json!({"call": {"name": "Rail.book", "arguments": {}}}));
        let missing = Missing { tool: "Rail.book".to_owned(), parameter: "to".to_owned() };
        let heard = |text: &str, asked: &[&str]| {
            let asked = asked.iter().map(|name| (*name).to_owned()).collect();
            let around = Around { said_next: Some(text.to_owned()), asked, ..Around::default() };
            let mut wording = Wording::new(1);
            hear(&lacking, &around, &mut wording);
            wording.question(&lacking, &missing).as_deref() == Some(text)
        };
        assert!(heard("Where to?", &["to"]));
        assert!(!heard("How many?", &["seats"]) && !heard("Where to, and how many?", &["to", "seats"]));
        assert!(!heard("What for? And where to?", &["to"]), "the answer gave but one of them");
        assert!(!heard("Done.", &["to"]) && !heard("Done.", &[]));
    }
}
