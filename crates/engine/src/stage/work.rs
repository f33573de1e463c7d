//! What every kind of stage does when it runs: the one trait, whose defaults pass items on.

use super::context::Context;
use super::facts::{Scope, Settings, StageMeta};
use super::outcome::Outcome;
use super::source::Source;
use crate::failure::RunStopped;
use crate::record::{Item, Record, RecordKind};
use crate::settings::{Factor, Located, Measure};
use crate::toolset::Toolset;
use futures::future::{BoxFuture, ready};
use serde::Serialize;
use serde_json::Value as Json;
use std::fmt::Debug;

/// A stage's work, which may wait for a model. It is boxed: else all would take as much memory as the largest.
pub type Work<'a> = BoxFuture<'a, Result<Outcome, RunStopped>>;

/// A stage as the pipeline file configures it: the struct that its table is read into.
///
/// A stage that draws has a `quota`; one that asks nobody has `apply`, one that asks a model has `each`; one that looks at
/// more than an item has a `scan`.
pub trait Stage: Debug + Send + Sync + ToJson {
    /// What it is.
    fn meta(&self) -> StageMeta;

    /// What its keys say that others look at before a run.
    fn settings(&self) -> Settings<'_> {
        Settings::default()
    }

    /// The data types of the items that it hands on, given those of the items that come to it.
    fn data_types(&self, incoming: Vec<String>) -> Vec<String> {
        incoming
    }

    /// The fewest tools that its toolset must have, where it takes records of this kind.
    fn least_tools(&self, _input: RecordKind) -> usize {
        0
    }

    /// The roles that the built-in model cannot play with a toolset, where the stage itself asks `role`: those that
    /// think of what nobody wrote down.
    fn thinkers<'r>(&'r self, _role: Option<&'r str>, _toolset: &Toolset) -> Vec<&'r str> {
        Vec::new()
    }

    /// The path of its toolset, to be looked for where the command is given.
    fn toolset_path(&mut self) -> Option<&mut Located> {
        None
    }

    /// Takes the pipeline's factor on `per_tool`.
    fn scale(&mut self, _factor: Factor) {}

    /// Takes the pipeline's wish for the authors' templates.
    fn speak_as_the_paper(&mut self) {}

    /// Resolves which readings have to agree, where the file does not say, by whether the built-in model reads.
    fn resolve_readings(&mut self, _is_builtin: bool) {}

    /// The roots of a source's work.
    fn roots(&self, _context: &Context) -> Source {
        Source::Items(Vec::new())
    }

    /// What is required of it for each root, if it draws items of such a record.
    fn quota(&self, _input: &Record) -> Option<Quota> {
        None
    }

    /// Whether an item is one that it can draw from.
    fn suits(&self, _context: &Context, _item: &Item) -> bool {
        true
    }

    /// Draws the `ordinal`-th item of `parent`.
    fn draw<'a>(&'a self, _context: &'a Context, _parent: &'a Item, _ordinal: usize) -> Work<'a> {
        Box::pin(ready(Ok(Outcome::default())))
    }

    /// The same, where all parents that are drawn from at once are known; what a model writes for several of them may be
    /// written in one answer.
    fn draw_beside<'a>(
        &'a self,
        context: &'a Context,
        parent: &'a Item,
        ordinal: usize,
        _beside: &'a [Item],
    ) -> Work<'a> {
        self.draw(context, parent, ordinal)
    }

    /// Works on one item without asking anybody.
    fn apply(&self, _context: &Context, item: Item) -> Outcome {
        Outcome::keep(item)
    }

    /// Works on one item.
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move { Ok(self.apply(context, item)) })
    }

    /// A scan of a root, or of the run, at its start.
    fn scan(&self, _context: &Context) -> Option<Box<dyn Scan>> {
        None
    }

    /// Whether its scan consults a model, so that it waits until nothing more is drawn.
    fn consults(&self, _context: &Context) -> bool {
        self.role().is_some()
    }

    /// The word in the file.
    fn kind(&self) -> &'static str {
        self.meta().kind
    }

    /// The kinds of record that it takes; a source takes none.
    fn input(&self) -> &'static [RecordKind] {
        self.meta().input
    }

    /// The kind of record that it yields.
    fn output(&self) -> RecordKind {
        self.meta().output
    }

    /// How much of a run it looks at before it hands anything on.
    fn scope(&self) -> Scope {
        self.meta().scope
    }

    /// Whether it only keeps or rejects.
    fn is_gate(&self) -> bool {
        self.meta().is_gate
    }

    /// The role that it asks if the file names no other; `None` where it asks no model.
    fn role(&self) -> Option<&'static str> {
        self.meta().role
    }

    /// Whether it takes nothing and yields what others work on.
    fn is_source(&self) -> bool {
        self.input().is_empty()
    }
}

/// The keys of a config as JSON, as a plan's hash takes them. A trait object cannot be asked for `Serialize` itself.
pub trait ToJson {
    /// The keys with their values.
    fn to_json(&self) -> Json;
}

impl<T: Serialize> ToJson for T {
    fn to_json(&self) -> Json {
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// What is required of a stage for each root, and how much more it may draw to get there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quota {
    /// Accepted items required.
    pub required: usize,
    /// Most items that may be drawn.
    pub budget: usize,
    /// Whether each item that comes in is drawn from once, in random order; otherwise one is drawn from again and again.
    pub once: bool,
}

impl Quota {
    /// So many, and a share more to draw, from one item again and again.
    pub fn new(required: usize, spare: Measure) -> Self {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count is a count")]
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let spare = (required as f64 * spare.get()).ceil() as usize;
        Self { required, budget: required.saturating_add(spare), once: false }
    }

    /// The same, drawn from each item once.
    #[must_use]
    pub fn once(self) -> Self {
        Self { once: true, ..self }
    }

    /// The same for one root of several of which `total` items are required together, in even shares; the budget keeps its
    /// proportion.
    #[must_use]
    pub fn share(self, total: usize, place: usize, roots: usize) -> Self {
        let roots = roots.max(1);
        let required = (place + 1) * total / roots - place * total / roots;
        let budget = required + (required * (self.budget - self.required)).div_ceil(self.required.max(1));
        Self { required, budget, ..self }
    }
}

/// A scan of a root, or of the run, with what it remembers. Items come in the order of their ids.
pub trait Scan: Send {
    /// Looks at items.
    fn scan(&mut self, _context: &Context, items: Vec<Item>) -> Outcome {
        Outcome { kept: items, rejected: Vec::new() }
    }

    /// The same for a stage that asks a model about them.
    fn consult(&mut self, context: &Context, items: Vec<Item>) -> Work<'static> {
        Box::pin(ready(Ok(self.scan(context, items))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_a_total_add_up_and_keep_the_budgets_proportion() {
        let whole = Quota { required: 4, budget: 6, once: false };
        let shares: Vec<Quota> = (0..7).map(|place| whole.share(10, place, 7)).collect();
        assert_eq!(shares.iter().map(|share| share.required).sum::<usize>(), 10);
        assert!(shares.iter().all(|share| (1..=2).contains(&share.required)), "{shares:?}");
        assert_eq!(whole.share(40, 0, 10), whole);
        assert_eq!(whole.share(1, 0, 7), Quota { required: 0, budget: 0, once: false });
    }
}
