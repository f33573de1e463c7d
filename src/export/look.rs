//! What an export has to know before it writes: how dialogues ask, which rows are chosen, and which belong to one part.

use super::choice::{Choice, Chosen, Mix, Sieve};
use super::loss::Rule;
use super::options::{Dialect, ExportError, Options};
use super::split::{Assigned, Groups};
use super::stats::Stats;
use crate::export::lessons::lesson::Lesson;
use crate::export::lessons::teach::{Around, Teacher, gold_call, is_complete, lacking};
use crate::export::lessons::wording::Wording;
use crate::format::{Bench, BenchError};
use crate::record::{Expected, FunctionCall, ItemId, Role, Sample};
use crate::run::{Manifest, ManifestStage};
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
    each::<ExportError>(bench, &mut |sample, around| {
        hear(&sample, around, &mut teacher.wording);
        Ok(())
    })?;
    // BFCL's files measure, and nothing is trained on them.
    let mix = if options.to == Dialect::Bfcl { Mix::All } else { options.mix };
    let mut choice = Choice::new(mix, options.whole_conversations(), options.seed);
    let mut groups = (options.split.len() > 1).then(Groups::default);
    let (mut sieve, mut seen) = (Sieve::new(options, teacher.clone()), Seen::default());
    each::<ExportError>(bench, &mut |sample, around| {
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

/// What the manifest of the run whose bench it is tells of all its samples: which readings had to agree with labels, and
/// what a thousand samples took.
pub(super) fn told_of_run(folder: &Path) -> Stats {
    let text = std::fs::read_to_string(folder.join("manifest.json")).unwrap_or_default();
    let Ok(manifest) = serde_json::from_str::<Manifest>(&text) else { return Stats::default() };
    let readings = |stage: ManifestStage| Some((stage.name, stage.readings?.word()));
    Stats {
        readings: manifest.stages.into_iter().filter_map(readings).collect(),
        per_thousand: manifest.per_thousand,
        ..Stats::default()
    }
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

// The samples of a bench in their order, each with what its neighbours in the same conversation tell of it.

/// Holds one sample back, until the next one has shown how the dialogue went on.
#[derive(Default)]
struct Walk {
    pending: Option<Sample>,
    earlier: Vec<(usize, FunctionCall)>,
    idle: Vec<usize>,
}

/// Shows every sample; `take` ends the walk by its own error.
pub(super) fn each<E: From<BenchError>>(
    bench: &Bench,
    take: &mut dyn FnMut(Sample, &Around) -> Result<(), E>,
) -> Result<(), E> {
    let mut walk = Walk::default();
    bench.each::<E>(&mut |sample| walk.step(Some(sample), take))?;
    walk.step(None, take)
}

impl Walk {
    fn step<E>(
        &mut self,
        next: Option<Sample>,
        take: &mut dyn FnMut(Sample, &Around) -> Result<(), E>,
    ) -> Result<(), E> {
        let goes_on = |next: &Sample, it: &Sample| conversation(it).is_some() && conversation(next) == conversation(it);
        let follows = next.as_ref().zip(self.pending.as_ref()).is_some_and(|(next, it)| goes_on(next, it));
        let Some(sample) = self.pending.take() else {
            self.pending = next;
            return Ok(());
        };
        let later = next.as_ref().filter(|_| follows);
        let said_next = later.and_then(|next| said_after(&sample, next));
        let asked = later.map(|next| gained(&sample, next)).unwrap_or_default();
        let (earlier, idle) = (std::mem::take(&mut self.earlier), std::mem::take(&mut self.idle));
        let around = Around { earlier, said_next, asked, idle };
        let (place, gold) = (sample.messages.len(), gold_call(&sample));
        let is_idle = around.asked.is_empty() && gold.as_ref().is_some_and(|call| !lacking(&sample, call).is_empty());
        let done = gold.filter(|call| is_complete(&sample, call)).map(|call| (place, call));
        self.pending = next;
        take(sample, &around)?;
        if follows {
            (self.earlier, self.idle) = (around.earlier, around.idle);
            self.earlier.extend(done);
            self.idle.extend(is_idle.then_some(place));
        }
        Ok(())
    }
}

fn conversation(sample: &Sample) -> Option<&ItemId> {
    sample.snapshot.as_ref().map(|snapshot| &snapshot.conversation)
}

/// What the assistant said after a sample's last message, by a longer sample of the same conversation.
fn said_after(sample: &Sample, next: &Sample) -> Option<String> {
    let at = sample.messages.len();
    let is_same = next.messages.get(at.checked_sub(1)?) == sample.messages.last();
    let said = next.messages.get(at).filter(|it| is_same && it.role == Role::Assistant && it.tool_calls.is_empty())?;
    said.content.clone()
}

/// The arguments that the next turn brought: what the assistant asked for between the two, if it asked for anything.
fn gained(sample: &Sample, next: &Sample) -> Vec<String> {
    let Some(now) = gold_call(next) else { return Vec::new() };
    if let Expected::Question(asked) = &sample.expected {
        return asked.iter().filter(|name| now.arguments.contains_key(*name)).cloned().collect();
    }
    let before = gold_call(sample).filter(|before| before.name == now.name);
    before.map_or_else(Vec::new, |before| {
        now.arguments.into_iter().map(|(name, _)| name).filter(|name| !before.arguments.contains_key(name)).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{gold, sample, written};
    use super::*;
    use crate::export::lessons::teach::Missing;
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

#[cfg(test)]
mod walk_tests {
    use super::super::testing::sample;
    use super::*;
    use crate::record::Message;
    use serde_json::json;

    #[expect(clippy::needless_pass_by_value, reason = "tests write values where they are wanted")]
    fn turn(conversation: &str, said: &[&str], arguments: serde_json::Value) -> Sample {
        let mut sample = sample(json!({"call": {"name": "Rail.book", "arguments": arguments}}));
        let role = |at: usize| if at.is_multiple_of(2) { Role::User } else { Role::Assistant };
        sample.messages = said.iter().enumerate().map(|(at, text)| Message::new(role(at), *text)).collect();
        sample.snapshot =
            serde_json::from_value(json!({"conversation": conversation, "turn": 1, "turns": 2, "tool": ""})).unwrap();
        sample
    }

    fn walked(samples: Vec<Sample>) -> Vec<(usize, Option<String>)> {
        let (mut walk, mut seen) = (Walk::default(), Vec::new());
        let mut take = |_: Sample, around: &Around| -> Result<(), BenchError> {
            seen.push((around.earlier.len(), around.said_next.clone()));
            Ok(())
        };
        for next in samples.into_iter().map(Some).chain([None]) {
            walk.step(next, &mut take).unwrap();
        }
        seen
    }

    #[test]
    fn a_sample_knows_what_was_said_next_and_what_was_called_before() {
        let one = turn("a", &["a train"], json!({}));
        let two = turn("a", &["a train", "Where to?", "Porto"], json!({"to": "Porto"}));
        let three = turn("a", &["a train", "Where to?", "Porto", "Done.", "Faro too"], json!({"to": "Faro"}));
        let other = turn("b", &["hello"], json!({}));
        let seen = walked(vec![one, two, three, other]);
        let next = |at: usize| seen[at].1.as_deref();
        assert_eq!((next(0), next(1), next(2), next(3)), (Some("Where to?"), Some("Done."), None, None));
        assert_eq!(seen.iter().map(|(earlier, _)| *earlier).collect::<Vec<_>>(), [0, 0, 1, 0]);
    }

    #[test]
    fn what_was_asked_for_is_what_the_answer_brought_and_a_reply_that_brought_nothing_is_idle() {
        let one = turn("a", &["a train"], json!({}));
        let two = turn("a", &["a train", "How many?", "two"], json!({"seats": 2}));
        let three = turn("a", &["a train", "How many?", "two", "Done.", "rather three"], json!({"seats": 3}));
        let (mut walk, mut seen) = (Walk::default(), Vec::new());
        let mut take = |_: Sample, around: &Around| -> Result<(), BenchError> {
            seen.push((around.asked.clone(), around.idle.clone()));
            Ok(())
        };
        for next in [Some(one), Some(two), Some(three), None] {
            walk.step(next, &mut take).unwrap();
        }
        let wanted = [(vec!["seats".to_owned()], vec![]), (vec![], vec![]), (vec![], vec![3])];
        assert_eq!(seen, wanted);
    }

    #[test]
    fn another_dialogue_under_the_same_name_tells_nothing() {
        let one = turn("a", &["a train"], json!({}));
        let two = turn("a", &["a bus", "Where to?", "Porto"], json!({}));
        assert_eq!(walked(vec![one, two])[0].1, None);
        assert_eq!(walked(Vec::new()), []);
    }
}
