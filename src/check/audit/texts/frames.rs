//! How many ways of putting things there are, once the values are taken out.

use crate::check::audit::Measure;
use crate::check::audit::figure::{Cell, Figure, Mark};
use crate::lint::entry::Entry;
use crate::lint::ground::{Ground, is_trained_on};
use crate::lint::hash::hash;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The frames of each slice as hashes, with the halves of the bench in which they occur.
pub(crate) struct Frames {
    ground: Arc<Ground>,
    seed: u64,
    slices: BTreeMap<&'static str, Seen>,
}

#[derive(Default)]
struct Seen {
    n: usize,
    first_half: usize,
    frames: BTreeMap<u64, bool>,
}

/// Least share of distinct frames among queries.
const MARK: f64 = 0.8;

/// Questions that want calls in order, by difficulty.
const QUESTIONS: [&str; 3] = ["easy", "medium", "hard"];

/// Single calls of chats, once for all their lists, and those among the call decisions.
const CHATS: [&str; 2] = ["exact", "CALL"];

/// Complex queries, and what was made of them with other values.
const COMPLEX: &str = "complex queries";
const VARIANTS: &str = "variants of complex queries";

const WHAT: &str = "distinct templates / n (a template is a text with its values replaced, ignoring case and \
    punctuation); and the share of templates in the second half of the benchmark that the first half does not have";

impl Frames {
    pub(crate) fn new(ground: Arc<Ground>, seed: u64) -> Self {
        Self { ground, seed, slices: BTreeMap::new() }
    }

    fn frame(&self, entry: &Entry) -> String {
        let mut words = entry.said().words.to_lowercase();
        let mut surfaces: Vec<String> = self.ground.surfaces(entry).into_iter().filter_map(|it| it.surface).collect();
        // A value may stand within another.
        surfaces.sort_by_key(|surface| std::cmp::Reverse(surface.len()));
        for surface in surfaces.iter().filter(|surface| !surface.is_empty()) {
            words = words.replace(&surface.to_lowercase(), "\u{fffc}");
        }
        let kept = |letter: char| letter.is_alphanumeric() || letter == '\u{fffc}';
        words.split(|letter| !kept(letter)).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl Measure for Frames {
    fn see(&mut self, entry: &Entry) {
        let Some(slice) = slice(entry) else { return };
        let frame = hash(&[&self.frame(entry)]);
        let is_first = is_trained_on(self.seed, entry.sample.id.as_str());
        let seen = self.slices.entry(slice).or_default();
        (seen.n, seen.first_half) = (seen.n + 1, seen.first_half + usize::from(is_first));
        *seen.frames.entry(frame).or_default() |= is_first;
    }

    fn figure(&self) -> Figure {
        let cells = self.slices.iter().flat_map(|(slice, seen)| {
            let is_question = QUESTIONS.contains(slice) || CHATS.contains(slice) || *slice == COMPLEX;
            let is_query = is_question || slice.starts_with("ST_");
            let mark = if is_query { Mark::AtLeast(MARK) } else { Mark::Shown };
            let new = seen.frames.values().filter(|in_first| !**in_first).count();
            let grown = Cell::share(format!("{slice}: new in second half"), new, seen.n - seen.first_half);
            [Cell::share(*slice, seen.frames.len(), seen.n).held_to(mark), grown]
        });
        Figure::new("frames", WHAT, cells.filter(|cell| cell.n > 0).collect())
    }
}

/// Texts of one kind: queries, answers, and the turns that make a data type what it is. What a variant repeats is left out.
fn slice(entry: &Entry) -> Option<&'static str> {
    if entry.is_complex() {
        // A variant has the words of its base, with other values.
        return Some(if entry.sample.base.is_some() { VARIANTS } else { COMPLEX });
    }
    if entry.is_question() {
        return QUESTIONS.into_iter().find(|known| *known == entry.sample.data_type.0);
    }
    if entry.is_chat() {
        return CHATS.into_iter().find(|known| *known == entry.sample.data_type.0);
    }
    Some(match (entry.sample.data_type.0.as_str(), entry.is_marked()) {
        ("ST_Perfect", _) => "ST_Perfect",
        ("ST_Imperfect", _) => "ST_Imperfect",
        ("ST_External", _) => "ST_External",
        ("Based", _) if entry.turn() > 1 => "answers",
        ("SO_case1", true) => "SO_case1 turns",
        ("SO_case2", true) => "SO_case2 turns",
        ("mSv", true) => "mSv turns",
        ("IS", true) => "IS turns",
        ("External", true) => "External pointers",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{complex, decision, entry, questions, said, single, snapshots, step};

    fn figure(words: &[&str]) -> Figure {
        let mut measure = Frames::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7);
        for (index, words) in words.iter().enumerate() {
            let to = words.split_whitespace().last().unwrap();
            measure.see(&entry(said(&format!("s{index}"), "ST_Perfect", words, &format!(r#"{{"to": "{to}"}}"#))));
        }
        measure.figure()
    }

    #[test]
    fn values_case_and_marks_make_no_new_frame() {
        let figure = figure(&["Go to Porto", "go to Lyon", "go, to Rome", "take me to Porto"]);
        let cell = figure.cell("ST_Perfect").unwrap();
        assert_eq!((cell.value, cell.n, cell.mark.is_met(cell.value, None)), (0.5, 4, Some(false)));
    }

    #[test]
    fn new_frames_are_counted_as_the_bench_grows() {
        let many: Vec<String> = (0..60).map(|number| format!("way{number} to Porto")).collect();
        let figure = figure(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let grown = figure.cell("ST_Perfect: new in second half").unwrap();
        assert!((grown.value - 1.0).abs() < 1e-9 && (15..45).contains(&grown.n), "{grown:?}");
    }

    #[test]
    fn questions_are_slices_by_their_difficulty() {
        let mut measure = Frames::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7);
        for customer in ["U7", "U8"] {
            let mut sample = questions("easy");
            sample.messages[0].content = Some(format!("Which card does {customer} have?"));
            step(&mut sample, 0).notes[0]["customerId"].surface = Some(customer.to_owned());
            measure.see(&entry(sample));
        }
        let figure = measure.figure();
        let cell = figure.cell("easy").unwrap();
        assert_eq!((cell.value, cell.n, cell.mark), (0.5, 2, Mark::AtLeast(MARK)));
    }

    #[test]
    fn a_single_call_of_a_chat_counts_once_for_all_its_lists() {
        let mut measure = Frames::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7);
        let samples = ["exact", "2_close", "2_random"].map(|kind| single(kind, kind));
        samples.into_iter().chain([decision("CALL"), decision("REJECT")]).for_each(|it| measure.see(&entry(it)));
        let figure = measure.figure();
        let cell = figure.cell("exact").unwrap();
        assert_eq!((cell.n, cell.mark, figure.cell("CALL").unwrap().n), (1, Mark::AtLeast(MARK), 1));
    }

    #[test]
    fn complex_queries_are_a_slice_and_their_variants_another() {
        let mut measure = Frames::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7);
        let mut variant = complex();
        variant.base = Some(variant.id.clone());
        for sample in [complex(), variant] {
            measure.see(&entry(sample));
        }
        let figure = measure.figure();
        assert_eq!(figure.cell(COMPLEX).unwrap().mark, Mark::AtLeast(MARK));
        assert_eq!((figure.cell(VARIANTS).unwrap().n, figure.cell(VARIANTS).unwrap().mark), (1, Mark::Shown));
    }

    #[test]
    fn answers_are_a_slice_of_their_own() {
        let mut measure = Frames::new(Ground::load(crate::fixtures::assets(), "en").unwrap(), 7);
        for entry in snapshots("b/0", "Based", &["{}", r#"{"to": "Porto"}"#]) {
            measure.see(&entry);
        }
        let figure = measure.figure();
        assert_eq!((figure.cell("answers").unwrap().n, figure.cell("answers").unwrap().mark), (1, Mark::Shown));
    }
}
