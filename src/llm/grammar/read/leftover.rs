//! The one thing in a request that nothing else explains.

use super::noun::Run;
use super::phrase::{Guess, PHRASE, Search};
use crate::locale::Meaning;

impl Search<'_> {
    /// Things that neither the tool nor the language's groups of words speak of: `six dumplings`, `jazz radio`.
    pub(super) fn leftovers(&self) -> Vec<Guess> {
        let fresh = |run: &&Run| (run.first..run.end).any(|at| self.is_new(at));
        let alone = self.runs.iter().filter(fresh).count() == 1;
        let placed = |run: &&Run| if self.hints.counted { run.is_counted() } else { run.is_thing() || alone };
        self.runs.iter().filter(fresh).filter(placed).filter_map(|run| self.leftover(run)).collect()
    }

    fn leftover(&self, run: &Run) -> Option<Guess> {
        let last = (run.first..run.end).take_while(|at| self.is_new(*at)).last()?;
        // "A piggy bank" is not a new thing where banks are known; the tool's own word may follow, and must where
        // nothing stands before.
        let ends = (last + 1..run.end).all(|at| self.is_known(at)) && (last + 1 < run.end || !run.is_head());
        let span = self.span(run.first, last);
        let fits = ends && run.end - run.first <= PHRASE && self.has_news(span);
        fits.then_some(Guess { span, base: 1.0, told: 0.0 })
    }

    /// Whether a word is not the tool's own, nor about what the tool is about.
    fn is_new(&self, index: usize) -> bool {
        let mut meanings = self.reading.meanings(&self.text.words()[index].lower).iter();
        !self.is_known(index) && meanings.all(|it| self.is_foreign(*it) || matches!(it, Meaning::Action(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::phrase::{Hints, phrases};
    use super::super::text::Text;
    use crate::locale::Reading;

    fn found(query: &str, known: &[&str], counted: bool) -> Vec<String> {
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        let text = Text::of(query, true, &crate::fixtures::language("en"));
        let known: Vec<String> = known.iter().map(|word| reading.stem(word).to_owned()).collect();
        let hints = Hints {
            cues: Vec::new(),
            units: &[],
            about: &[],
            known: &known,
            topics: &[],
            sorts: &[],
            long: false,
            open: true,
            counted,
        };
        phrases(&text, &hints, &reading).into_iter().map(|guess| text.said(guess.span)).collect()
    }

    #[test]
    fn what_nothing_explains_is_a_value() {
        assert_eq!(found("order six gizmos from them", &[], false), ["gizmos"]);
        assert_eq!(found("gizmo radio at 30%", &["radio"], false), ["gizmo"]);
        assert_eq!(found("we are out of gizmos", &[], false), ["gizmos"], "the only thing of all");
    }

    #[test]
    fn a_name_is_left_over_only_where_it_is_counted() {
        assert!(found("order the gizmos", &[], true).is_empty());
        assert_eq!(found("order two gizmos", &[], true), ["gizmos"]);
    }

    #[test]
    fn the_first_word_of_all_is_no_value_by_itself() {
        assert!(found("gizmo", &[], false).is_empty());
        assert!(found("order gizmo ideas", &["gizmo"], false).is_empty());
    }
}
