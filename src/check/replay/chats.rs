//! FunctionChat-Bench's scorers tried on a bench of chats, as far as rules go: no judge is asked.

mod variants;

use super::super::audit::{Cell, Figure, Mark};
use super::variants::{Pool, mutants};
use super::{MARK, count};
use crate::lint::entry::Entry;
use crate::lint::finding::Findings;
use crate::lint::ground::Ground;
use crate::record::Expected;
use crate::suite::functionchat::layout::{Acceptable, TypeOfOutput};
use crate::suite::functionchat::metric::Heard;
use crate::suite::functionchat::metric::strict::{Outcome, Ruled};
use crate::suite::functionchat::metric::upstream::{self, Rule, Words};
use crate::suite::functionchat::{Grounds, load_words, ruled};
use indexmap::IndexMap;
use variants::{called, forms, wrong_words};

/// Replays turns of chats; everything else is none of its business.
#[derive(Default)]
pub(super) struct Chats {
    grounds: Grounds,
    words: Option<Words>,
    /// The sentence that stands where a call is due.
    refusal: String,
    pool: Pool,
    gold: IndexMap<&'static str, (usize, usize)>,
    mutants: IndexMap<&'static str, (usize, usize)>,
    undecided: IndexMap<&'static str, usize>,
    forms: IndexMap<&'static str, (usize, usize)>,
}

const GOLD: &str = "the gold answers replayed as predictions, by the strict scorer; calls also by the authors' rule";
const MUTANTS: &str = "wrong answers derived from the gold: share that the strict scorer rejects; undecided answers, \
    which are left to the judge, count as rejected";
const FORMS: &str = "correct calls in other formats: share that the strict scorer accepts; accepted values where the \
    benchmark lists any";

/// Calls by the rule of the authors.
const AUTHORS: &str = "call, authors' rule";

impl Chats {
    /// Nothing was replayed yet; the ground's refusal stands where a call is due.
    pub(super) fn new(ground: &Ground) -> Self {
        Self {
            grounds: Grounds::new(&ground.assets),
            words: load_words(&ground.assets).ok(),
            refusal: ground.refusal.clone(),
            ..Self::default()
        }
    }

    /// Replays an entry; a gold answer that does not pass is an error of the bench or of the scorer.
    pub(super) fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some(kind) = TypeOfOutput::of(&entry.sample) else { return };
        let gold = variants::gold(entry);
        let Some(verdict) = self.judge(entry, &gold) else { return };
        let passes = verdict.outcome == Outcome::Pass;
        count(&mut self.gold, kind.as_str(), passes);
        if !passes {
            let reason = format!("{} {}", verdict.reason.as_str(), verdict.detail);
            findings.error("replay", entry, format!("the gold answer does not pass: {}", reason.trim()));
        }
        self.authors(entry, &gold, findings);
        self.spoil(entry);
        for (kind, heard) in forms(entry) {
            let passes = self.judge(entry, &heard).is_some_and(|verdict| verdict.outcome == Outcome::Pass);
            count(&mut self.forms, kind, passes);
        }
        self.pool.learn(entry);
    }

    /// Figures of everything that was replayed; none where there was no chat.
    pub(super) fn finish(self) -> Vec<Figure> {
        if self.gold.is_empty() {
            return Vec::new();
        }
        let cells = |counts: &IndexMap<&'static str, (usize, usize)>, mark| -> Vec<Cell> {
            counts.iter().map(|(kind, (good, n))| Cell::share(*kind, *good, *n).held_to(Mark::AtLeast(mark))).collect()
        };
        let left = |cell: Cell| match self.undecided.get(cell.slice.as_str()) {
            Some(count) => cell.with(format!("{count} left to the judge")),
            None => cell,
        };
        let mutants = cells(&self.mutants, MARK).into_iter().map(left).collect();
        let own = [
            Figure::new("replay", GOLD, cells(&self.gold, 1.0)),
            Figure::new("wrong mutants", MUTANTS, mutants),
            Figure::new("equal forms", FORMS, cells(&self.forms, MARK)),
        ];
        own.into_iter().filter(|figure| !figure.cells.is_empty()).collect()
    }

    fn judge(&mut self, entry: &Entry, heard: &Heard) -> Option<Ruled> {
        let ground = self.grounds.of(&entry.sample.locale).ok()?;
        ruled(&entry.sample, &ground, heard)
    }

    fn authors(&mut self, entry: &Entry, gold: &Heard, findings: &mut Findings) {
        let (Expected::Call(call), Some(words)) = (&entry.sample.expected, &self.words) else { return };
        let rule = upstream::judge(call, &Acceptable::of(&entry.sample).wire(), gold, words);
        count(&mut self.gold, AUTHORS, rule == Rule::Pass);
        if rule != Rule::Pass {
            findings.error(
                "authors_replay",
                entry,
                format!("the authors' rule returns `{}` for the gold call", rule.as_str()),
            );
        }
    }

    fn spoil(&mut self, entry: &Entry) {
        let mut wrong: Vec<(&'static str, Heard)> =
            mutants(entry, &self.pool).into_iter().map(|(kind, call)| (kind, called(&call))).collect();
        if let Ok(ground) = self.grounds.of(&entry.sample.locale) {
            wrong.extend(wrong_words(entry, &self.refusal, &|letter| ground.is_own(letter)));
        }
        for (kind, heard) in wrong {
            let Some(verdict) = self.judge(entry, &heard) else { continue };
            count(&mut self.mutants, kind, verdict.outcome != Outcome::Pass);
            if verdict.outcome == Outcome::Undecided {
                *self.undecided.entry(kind).or_default() += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{decision, dialog, entries, single};
    use crate::record::Sample;

    fn replayed(samples: Vec<Sample>) -> (Vec<Figure>, Vec<String>) {
        let (mut chats, mut findings) =
            (Chats::new(&Ground::load(crate::fixtures::assets(), "en").unwrap()), Findings::default());
        for entry in entries(samples) {
            chats.see(&entry, &mut findings);
        }
        let told = findings.rules().flat_map(|(_, _, _, first)| first).map(|it| it.message.clone()).collect();
        (chats.finish(), told)
    }

    #[test]
    fn the_gold_passes_and_what_is_made_wrong_of_it_does_not() {
        let mut accepted = single("b", "2_close");
        accepted.acceptable.insert("pier".to_owned(), vec!["Hill pier".into()]);
        let mut samples = dialog();
        samples.extend([single("a", "2_random"), accepted, decision("REJECT"), decision("SLOT-some")]);
        let (figures, told) = replayed(samples);
        assert_eq!(told, Vec::<String>::new());
        for cell in figures.iter().flat_map(|figure| &figure.cells) {
            assert_eq!(cell.mark.is_met(cell.value, None), Some(true), "{cell:?}");
        }
        let kinds = |at: usize| figures[at].cells.iter().map(|cell| cell.slice.as_str()).collect::<Vec<_>>();
        assert_eq!(kinds(0), ["slot", "call", AUTHORS, "completion", "relevance"]);
        for kind in ["wrong tool", "parameter removed", "value changed", "words instead of a call", "empty words"] {
            assert!(kinds(1).contains(&kind), "{kind}: {:?}", kinds(1));
        }
        assert!(kinds(2).contains(&"accepted values"), "{:?}", kinds(2));
    }

    #[test]
    fn what_the_rules_leave_open_is_counted() {
        let mut worded = single("a", "exact");
        let Expected::Call(call) = &mut worded.expected else { panic!("no call") };
        call.arguments.shift_remove("boats");
        let (figures, _) = replayed(vec![worded]);
        let cell = figures[1].cell("value changed").unwrap();
        assert_eq!((cell.value, cell.detail.as_str()), (1.0, "1 left to the judge"));
    }

    #[test]
    fn gold_that_does_not_pass_is_an_error() {
        let mut mistyped = single("a", "exact");
        let Expected::Call(call) = &mut mistyped.expected else { panic!("no call") };
        call.arguments.insert("boats".to_owned(), "two".into());
        let (figures, told) = replayed(vec![mistyped]);
        assert!(told[0].starts_with("the gold answer does not pass: ") && told.len() == 1, "{told:?}");
        assert!(figures[0].cell("call").unwrap().value < 0.5);
        assert!(replayed(Vec::new()).0.is_empty());
    }
}
