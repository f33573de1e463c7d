//! What a bench of complex queries is made of, in the layout of the paper's third table.

use super::figure::{Cell, Figure, Mark};
use crate::lint::entry::Entry;
use crate::lint::ground::Ground;
use crate::suite::complexfunc::{Composition, CompositionTally, DomainRow};
use std::sync::Arc;

/// Counts complex queries, and those that offer two functions for one purpose.
pub(super) struct Compositions {
    ground: Arc<Ground>,
    tally: CompositionTally,
    overlapping: usize,
}

const WHAT: &str = "complex queries: steps and calls per sample, by domain; samples with an expected value of 500 \
    characters or more; estimated context tokens (everything a model reads of a sample); arguments by constraint \
    type; samples that offer two overlapping functions, so that a second one could also be valid";

impl Compositions {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self { ground, tally: CompositionTally::default(), overlapping: 0 }
    }

    /// Looks at an entry; only complex queries count.
    pub(super) fn see(&mut self, entry: &Entry) {
        if entry.is_complex() {
            self.tally.add(&entry.sample);
            self.overlapping += usize::from(self.overlaps(entry));
        }
    }

    /// What was counted; nothing where there were no complex queries.
    pub(super) fn figure(&self) -> Option<Figure> {
        let made = self.tally.finish()?;
        let samples = made.total.samples;
        let mut cells: Vec<Cell> = made.domains.iter().flat_map(|(domain, row)| of_row(domain, row)).collect();
        cells.extend(of_row("total", &made.total));
        cells.extend(lengths(&made));
        cells.extend(
            made.constraints.iter().map(|(name, n)| Cell::share(format!("constraint: {name}"), *n, made.arguments)),
        );
        let overlapping = Cell::share("overlapping functions", self.overlapping, samples);
        if !self.ground.functions.overlap.is_empty() {
            cells.push(overlapping.held_to(Mark::AtMost(0.0)));
        }
        Some(Figure::new("composition", WHAT, cells))
    }

    fn overlaps(&self, entry: &Entry) -> bool {
        let tools = &entry.sample.candidates;
        let facts = &self.ground.functions;
        tools.iter().enumerate().any(|(at, one)| {
            tools.iter().skip(at + 1).any(|other| facts.shared_group(&one.name, &other.name).is_some())
        })
    }
}

fn of_row(domain: &str, row: &DomainRow) -> [Cell; 2] {
    [
        Cell::new(format!("{domain}: steps"), row.steps, row.samples),
        Cell::new(format!("{domain}: calls"), row.calls, row.samples),
    ]
}

fn lengths(made: &Composition) -> [Cell; 4] {
    let (samples, context) = (made.total.samples, &made.context);
    let long = Cell::share("samples with a long value", made.long_values.samples, samples);
    [
        long.with(format!("the longest value has {} characters", made.long_values.longest)),
        Cell::new("context: mean tokens", context.mean, samples).with(context.estimate.clone()),
        Cell::new("context: maximum tokens", whole(context.max), samples),
        Cell::share("context: 100,000 tokens or more", context.at_least_100k, samples),
    ]
}

#[expect(clippy::cast_precision_loss, reason = "counts are below 2^52")]
fn whole(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{complex, complex_ground, entry, sample};
    use crate::record::Tool;

    #[test]
    fn a_bench_of_complex_queries_is_told_in_figures() {
        let mut measure = Compositions::new(complex_ground());
        measure.see(&entry(complex()));
        let mut second = complex();
        second.candidates.push(Arc::new(Tool { name: "Locate_Town".to_owned(), ..Tool::default() }));
        measure.see(&entry(second));
        measure.see(&entry(sample("a", "ST_Perfect")));
        let figure = measure.figure().unwrap();
        let value = |slice: &str| figure.cell(slice).unwrap().value;
        assert_eq!((value("Inns: steps"), value("total: calls")), (2.0, 2.0));
        assert_eq!((figure.cell("total: steps").unwrap().n, value("samples with a long value")), (2, 0.0));
        assert!(value("context: maximum tokens") > 50.0 && value("constraint: date") > 0.4);
        let overlapping = figure.cell("overlapping functions").unwrap();
        assert_eq!((overlapping.value, overlapping.mark.is_met(overlapping.value, None)), (0.5, Some(false)));
    }

    #[test]
    fn other_benches_have_no_such_figure() {
        let mut measure = Compositions::new(Ground::load(crate::fixtures::assets(), "en").unwrap());
        measure.see(&entry(sample("a", "ST_Perfect")));
        assert_eq!(measure.figure(), None);
    }
}
