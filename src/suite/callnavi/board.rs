//! Everything that was found of one run, and how steady several runs are.

use super::profile::Profile;
use super::tally::{Level, Tally};
use crate::report::Figure;
use crate::score::callnavi::upstream::Stability;
use crate::score::{Correlation, Estimate, Mean};
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
    /// Samples that were scored.
    pub scored: u64,
    /// Answers that are not there.
    pub missing: u64,
    /// Answers whose model could not be reached.
    pub transport: u64,
    /// Answers that could not be read from their file, each with its sample and what is wrong.
    pub unreadable: Vec<(String, String)>,
    /// Samples of other suites, or of a kind that this suite does not know.
    pub unscored: u64,
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
            board.counts.scored += 1;
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
