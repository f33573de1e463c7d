//! What each kind of stage does when it runs: one arm for each kind and shape.

use super::context::Context;
use super::near_duplicates::Kept;
use super::outcome::{Outcome, Stop};
use super::quota::Full;
use super::{
    ExternalQueriesConfig, ImperfectQueriesConfig, IrrelevantQueriesConfig, OneRightToolConfig, ParametersConfig,
    Scope, Stage, ToolkitsConfig,
};
use crate::config::{Count, Measure};
use crate::record::{Item, Record};

/// What a stage owes for each root, and how much more it may draw to get there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Drawing {
    /// Accepted items owed.
    pub(crate) owed: usize,
    /// Most items that may be drawn.
    pub(crate) budget: usize,
    /// Whether each item that comes in is drawn from once, in random order; otherwise one is drawn from again and again.
    pub(crate) once: bool,
}

/// What an ordered scan remembers of the root that it is in.
pub(crate) enum Scan {
    /// Of `near_duplicates`.
    Kept(Kept),
    /// Of `quota`.
    Full(Full),
}

impl Stage {
    /// The roots of a source's work.
    pub(crate) fn source(&self, context: &Context) -> Vec<Item> {
        match self {
            Self::Toolset(config) => config.source(context),
            Self::Toolkits(_) => ToolkitsConfig::source(context),
            Self::Generate(config) => config.source(context),
            _ => Vec::new(),
        }
    }

    /// What it owes for each root, if it draws items of what comes in.
    pub(crate) fn drawing(&self, input: &Record) -> Option<Drawing> {
        match (self, input) {
            (Self::PerfectQueries(config), Record::Tool(_)) => Some(drawing(config.per_tool, config.spare, false)),
            (Self::SelectParameters(config), Record::Tool(_)) => Some(drawing(config.per_tool, config.spare, false)),
            (Self::ImperfectQueries(config), Record::Tool(_)) => Some(drawing(config.per_tool, config.spare, false)),
            (Self::ExternalQueries(config), Record::Query(_)) => Some(drawing(config.per_tool, config.spare, true)),
            _ => None,
        }
    }

    /// Whether an item is one that it can draw from.
    pub(crate) fn suits(&self, context: &Context, item: &Item) -> bool {
        match self {
            Self::ExternalQueries(_) => ExternalQueriesConfig::suits(context, item),
            _ => true,
        }
    }

    /// Draws the `ordinal`-th item of `parent`.
    pub(crate) async fn draw(&self, context: &Context, parent: &Item, ordinal: usize) -> Result<Outcome, Stop> {
        match self {
            Self::PerfectQueries(config) => config.draw(context, parent, ordinal).await,
            Self::SelectParameters(config) => config.draw(context, parent, ordinal).await,
            Self::ImperfectQueries(config) => config.draw(context, parent, ordinal).await,
            Self::ExternalQueries(config) => config.draw(context, parent).await,
            _ => Ok(Outcome::default()),
        }
    }

    /// Works on one item.
    pub(crate) async fn each(&self, context: &Context, item: Item) -> Result<Outcome, Stop> {
        match self {
            Self::Toolkits(config) => config.each(context, item).await,
            Self::Normalise(config) => Ok(config.each(context, item)),
            Self::ImperfectQueries(config) => ImperfectQueriesConfig::each(config, context, item).await,
            Self::Parameters(_) => Ok(ParametersConfig::each(context, item)),
            Self::Script(config) => Ok(config.each(context, item)),
            Self::Consistency(config) => config.each(context, item).await,
            Self::Candidates(config) => Ok(config.each(context, item)),
            Self::OneRightTool(_) => OneRightToolConfig::each(context, item).await,
            Self::IrrelevantQueries(_) => IrrelevantQueriesConfig::each(context, item).await,
            Self::Generate(config) => config.each(context, item).await,
            Self::Toolset(_)
            | Self::PerfectQueries(_)
            | Self::SelectParameters(_)
            | Self::ExternalQueries(_)
            | Self::NearDuplicates(_)
            | Self::Quota(_) => Ok(Outcome::keep(item)),
        }
    }

    /// Whether it waits for all items of a root (or of the run) and looks at them in the order of their ids.
    pub(crate) fn scans(&self) -> bool {
        self.scope() != Scope::Item
    }

    /// What a scan knows at its start.
    pub(crate) fn new_scan(&self, context: &Context) -> Scan {
        match self {
            Self::Quota(_) => Scan::Full(Full::new()),
            _ => Scan::Kept(Kept::new(context)),
        }
    }

    /// Looks at items in the order of their ids.
    pub(crate) fn scan(&self, context: &Context, scan: &mut Scan, items: Vec<Item>) -> Outcome {
        match (self, scan) {
            (Self::NearDuplicates(config), Scan::Kept(kept)) => config.scan(context, kept, items),
            (Self::Quota(config), Scan::Full(full)) => {
                let mut outcome = Outcome::default();
                for item in items {
                    let next = config.next(context, full, item);
                    outcome.kept.extend(next.kept);
                    outcome.rejected.extend(next.rejected);
                }
                outcome
            }
            _ => Outcome { kept: items, rejected: Vec::new() },
        }
    }
}

fn drawing(owed: Count, spare: Measure, once: bool) -> Drawing {
    let owed = owed.get();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count is a count")]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let spare = (owed as f64 * spare.get()).ceil() as usize;
    Drawing { owed, budget: owed + spare, once }
}
