//! Everything that was found of one run, and how steady several runs are.

use super::profile::Profile;
use crate::Coverage;
use crate::callnavi::metric::upstream::Stability;
use crate::report::Figure;
use crate::score::{Correlation, Estimate, Mean, wilson_around};
use std::collections::BTreeMap;

/// What counts of an answer with parameters.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Found {
    /// Whether it could be read.
    pub syntax: bool,
    /// Whether it, or its repair, could be read.
    pub mended: bool,
    /// The right calls in the right order.
    pub order: bool,
    /// The right names of parameters.
    pub structure: bool,
    /// All of it.
    pub ast: bool,
}

/// What was counted besides.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Counts {
    /// How much was scored.
    pub coverage: Coverage,
    /// Answers whose shape the authors' script breaks off at.
    pub aborted: u64,
    /// Answers that were repaired.
    pub repaired: u64,
    /// Answers that a judge said nothing usable about.
    pub unjudged: u64,
    /// Answers with parameters by how they were found.
    pub ways: BTreeMap<String, u64>,
    /// Lists of names by how they were found.
    pub route_ways: BTreeMap<String, u64>,
    /// Wrong answers with parameters by the gravest fault.
    pub errors: BTreeMap<String, u64>,
    /// Wrong lists of names by the gravest fault.
    pub route_errors: BTreeMap<String, u64>,
}

/// What one model did in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Board {
    /// What the table calls it.
    pub name: String,
    /// By which rules it was scored.
    pub profile: Profile,
    /// Answers that could be read.
    pub syntax: Tally,
    /// The same after repairs.
    pub mended: Tally,
    /// The right calls.
    pub order: Tally,
    /// The right names.
    pub structure: Tally,
    /// All right.
    pub ast: Tally,
    /// The right names of APIs, asked for alone.
    pub routing: Tally,
    /// What a judge gave.
    pub judge: Mean,
    /// How that goes together with being right.
    pub agreement: Correlation,
    /// Being right and routing, by domain.
    pub domains: BTreeMap<String, (Tally, Tally)>,
    /// What was counted besides.
    pub counts: Counts,
}

/// How much the runs of one file agree, question by question.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Steadiness {
    /// What the table calls it.
    pub name: String,
    /// The most runs that any question has.
    pub runs: usize,
    /// Questions with fewer than two runs.
    pub left_out: u64,
    measures: [[Mean; 4]; 4],
}

impl Board {
    /// Nothing found yet.
    pub fn new(name: &str, profile: Profile) -> Self {
        let tally = Tally::default();
        Self {
            name: name.to_owned(),
            profile,
            syntax: tally,
            mended: tally,
            order: tally,
            structure: tally,
            ast: tally,
            routing: tally,
            judge: Mean::default(),
            agreement: Correlation::default(),
            domains: BTreeMap::new(),
            counts: Counts::default(),
        }
    }

    /// Counts an answer with parameters, and what a judge gave for it.
    pub fn add(&mut self, domain: &str, difficulty: Option<usize>, found: Found, score: Option<f64>) {
        for (tally, is_right) in [
            (&mut self.syntax, found.syntax),
            (&mut self.mended, found.mended),
            (&mut self.order, found.order),
            (&mut self.structure, found.structure),
            (&mut self.ast, found.ast),
        ] {
            tally.add(difficulty, is_right);
        }
        self.domains.entry(domain.to_owned()).or_default().0.add(difficulty, found.ast);
        if let Some(score) = score {
            self.judge.add(score);
            self.agreement.add(score, f64::from(u8::from(found.ast)));
        }
    }

    /// Counts a list of names.
    pub fn add_route(&mut self, domain: &str, difficulty: Option<usize>, is_right: bool) {
        self.routing.add(difficulty, is_right);
        self.domains.entry(domain.to_owned()).or_default().1.add(difficulty, is_right);
    }

    /// A share over as many questions as the profile says.
    pub fn share(&self, of: &Tally, level: Level) -> Option<Figure> {
        of.share(level, self.profile.denominator(level))
    }

    /// The plain mean of the difficulties, in the same way.
    pub fn macro_average(&self, of: &Tally) -> Option<Figure> {
        of.macro_average(|level| self.profile.denominator(level))
    }
}

impl Steadiness {
    /// Nothing compared yet.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Counts what several runs said to a question.
    pub fn add(&mut self, difficulty: Option<usize>, outputs: &[&str]) {
        self.runs = self.runs.max(outputs.len());
        let Some(it) = Stability::of(outputs) else {
            self.left_out += 1;
            return;
        };
        let measures = [it.election, it.election_cleaned, it.levenshtein, it.levenshtein_cleaned];
        for place in difficulty.into_iter().chain([3]) {
            if let Some(means) = self.measures.get_mut(place) {
                means.iter_mut().zip(measures).for_each(|(mean, measure)| mean.add(measure));
            }
        }
    }

    /// The means of votes and of edit distances, each as it was said and cleaned.
    pub fn means(&self, level: Level) -> [Option<Figure>; 4] {
        let place = match level {
            Level::Difficulty(at) => at,
            Level::All => 3,
        };
        self.measures.get(place).map_or([None; 4], |means| means.map(|mean| mean.estimate().map(figure)))
    }
}

/// An estimate as a report has it.
pub(super) fn figure(estimate: Estimate) -> Figure {
    Figure { value: estimate.value, low: estimate.low, high: estimate.high, n: estimate.n }
}

// How many are right, by difficulty.

/// A row of questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Those of one difficulty: easy, medium, hard.
    Difficulty(usize),
    /// All of them.
    All,
}

/// How many of the questions of each difficulty are right. Questions without a difficulty count among all alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    right: [u64; 3],
    of: [u64; 3],
    all: (u64, u64),
}

impl Level {
    /// The difficulties, and all.
    pub const EACH: [Self; 4] = [Self::Difficulty(0), Self::Difficulty(1), Self::Difficulty(2), Self::All];
    /// Their names.
    pub const NAMES: [&str; 4] = ["Easy", "Medium", "Hard", "All"];
}

impl Tally {
    /// Counts a question of a difficulty.
    pub fn add(&mut self, difficulty: Option<usize>, is_right: bool) {
        self.all.1 += 1;
        self.all.0 += u64::from(is_right);
        let place = difficulty.and_then(|at| Some((self.right.get_mut(at)?, self.of.get_mut(at)?)));
        if let Some((right, of)) = place {
            *right += u64::from(is_right);
            *of += 1;
        }
    }

    /// How many are right, and of how many.
    pub fn counts(&self, level: Level) -> (u64, u64) {
        match level {
            Level::Difficulty(at) => (self.right.get(at).copied().unwrap_or(0), self.of.get(at).copied().unwrap_or(0)),
            Level::All => self.all,
        }
    }

    /// The share that is right. Over a number from elsewhere it may be more than everything, and has no interval.
    pub fn share(&self, level: Level, denominator: Option<u64>) -> Option<Figure> {
        let (right, of) = self.counts(level);
        if of == 0 {
            return None;
        }
        let n = denominator.unwrap_or(of);
        let value = real(right) / real(n);
        if n != of {
            return Some(Figure { value, low: value, high: value, n });
        }
        wilson_around(value, n).map(|it| Figure { value: it.value, low: it.low, high: it.high, n: it.n })
    }

    /// The plain mean of the three difficulties; none where one of them is absent.
    pub fn macro_average(&self, denominators: impl Fn(Level) -> Option<u64>) -> Option<Figure> {
        let share = |level: &Level| self.share(*level, denominators(*level));
        let parts: Vec<Figure> = Level::EACH.iter().take(3).map(share).collect::<Option<_>>()?;
        let mean = |of: fn(&Figure) -> f64| parts.iter().map(of).sum::<f64>() / 3.0;
        let half = |of: fn(&Figure) -> f64| parts.iter().map(|it| of(it).powi(2)).sum::<f64>().sqrt() / 3.0;
        let value = mean(|it| it.value);
        let (below, above) = (half(|it| it.value - it.low), half(|it| it.high - it.value));
        Some(Figure { value, low: value - below, high: value + above, n: parts.iter().map(|it| it.n).sum() })
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) const RIGHT: Found = Found { syntax: true, mended: true, order: true, structure: true, ast: true };
    pub(crate) const MENDED: Found = Found { syntax: false, ast: false, ..RIGHT };

    pub(crate) fn board(name: &str, profile: Profile) -> Board {
        let mut board = Board::new(name, profile);
        for (difficulty, found, score) in [(0, RIGHT, Some(1.0)), (1, RIGHT, Some(0.75)), (2, MENDED, Some(0.5))] {
            board.add("bank", Some(difficulty), found, score);
            board.add_route("bank", Some(difficulty), found.ast);
            board.counts.coverage.scored += 1;
        }
        board
    }

    #[test]
    fn everything_is_counted_by_difficulty_and_domain() {
        let board = board("one", Profile::Strict);
        let values = |of: &Tally| Level::EACH.map(|level| board.share(of, level).unwrap().value);
        assert_eq!(values(&board.syntax).map(|it| it > 0.9), [true, true, false, false]);
        assert_eq!(values(&board.mended).map(|it| it > 0.9), [true; 4]);
        assert!((board.macro_average(&board.ast).unwrap().value - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(board.domains["bank"].0.counts(Level::All), (2, 3));
        assert!(
            (board.judge.estimate().unwrap().value - 0.75).abs() < 1e-12
                && board.agreement.estimate().unwrap().value > 0.8
        );
    }

    #[test]
    fn the_papers_profile_has_the_papers_numbers() {
        let board = board("one", Profile::UpstreamPaper);
        assert_eq!(board.share(&board.ast, Level::All).unwrap().n, 729);
        assert_eq!(board.share(&board.ast, Level::Difficulty(2)).unwrap().n, 85);
    }

    #[test]
    fn runs_agree_question_by_question() {
        let mut it = Steadiness::default();
        it.add(Some(0), &["a", "a", "'A'"]);
        it.add(Some(2), &["a"]);
        it.add(None, &["x", "y"]);
        let value = |level, at: usize| it.means(level)[at].map(|figure| figure.value);
        assert_eq!((it.runs, it.left_out, value(Level::Difficulty(2), 0)), (3, 1, None));
        assert_eq!((value(Level::Difficulty(0), 0), value(Level::Difficulty(0), 1)), (Some(0.5), Some(1.0)));
        assert_eq!((value(Level::All, 0), it.means(Level::All)[0].unwrap().n), (Some(0.25), 2));
    }
}

#[cfg(test)]
mod tally_tests {
    use super::*;
    use proptest::prelude::*;

    fn tally(counts: [(u64, u64); 3]) -> Tally {
        let mut tally = Tally::default();
        for (at, (right, of)) in counts.into_iter().enumerate() {
            (0..of).for_each(|number| tally.add(Some(at), number < right));
        }
        tally
    }

    #[test]
    fn the_authors_numbers_make_more_than_everything() {
        let tally = tally([(456, 456), (187, 187), (86, 86)]);
        let paper = |level| super::super::Profile::UpstreamPaper.denominator(level);
        let shown = |level: Level| format!("{:.4}", tally.share(level, paper(level)).unwrap().value);
        assert_eq!(Level::EACH.map(shown), ["1.0000", "0.9947", "1.0118", "1.0000"]);
        assert!((tally.macro_average(paper).unwrap().value - 1.002_148_518_982_061).abs() < 1e-12);
        assert!((tally.macro_average(|_| None).unwrap().value - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_question_without_a_difficulty_counts_among_all() {
        let mut tally = tally([(1, 2), (0, 0), (0, 0)]);
        tally.add(None, true);
        tally.add(Some(9), false);
        assert_eq!(Level::EACH.map(|level| tally.counts(level)), [(1, 2), (0, 0), (0, 0), (2, 4)]);
        assert_eq!((tally.share(Level::Difficulty(1), None), tally.macro_average(|_| None)), (None, None));
    }

    proptest! {
        #[test]
        fn shares_lie_within_their_intervals(counts in prop::collection::vec((0_u64..20, 1_u64..20), 3)) {
            let counts: [(u64, u64); 3] = [counts[0], counts[1], counts[2]].map(|(right, of)| (right.min(of), of));
            let tally = tally(counts);
            for level in Level::EACH {
                let it = tally.share(level, None).unwrap();
                prop_assert!(it.low <= it.value + 1e-12 && it.value <= it.high + 1e-12);
            }
            let it = tally.macro_average(|_| None).unwrap();
            prop_assert!(it.low <= it.value + 1e-12 && it.value <= it.high + 1e-12 && it.n == tally.counts(Level::All).1);
        }
    }
}
