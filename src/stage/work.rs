//! What each kind of stage does when it runs: one arm for each kind and shape.

use super::alternatives::Alternatives;
use super::context::Context;
use super::conversing::{SPEAKERS, is_free};
use super::near_duplicates::Kept;
use super::outcome::{Outcome, Stop};
use super::quota::Full;
use super::select::Chosen;
use super::source::Source;
use super::tool_lists::Known;
use super::{
    ApisConfig, DisambiguateConfig, ExternalQueriesConfig, GoldenReplayConfig, ImperfectQueriesConfig,
    IrrelevantQueriesConfig, JudgeQuestionsConfig, LocalizeConfig, MergeTurnsConfig, OneRightToolConfig,
    ParametersConfig, Scope, SlotFillingConfig, Stage, ToolkitsConfig,
};
use crate::config::{Count, Measure};
use crate::record::{Item, Record};
use crate::toolset::Toolset;
use futures::future::{BoxFuture, FutureExt, ready};

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

impl Drawing {
    /// The same for one root of several that owe `want` items together, in even shares; the budget keeps its proportion.
    pub(crate) fn share(self, want: usize, place: usize, roots: usize) -> Self {
        let roots = roots.max(1);
        let owed = (place + 1) * want / roots - place * want / roots;
        let budget = owed + (owed * (self.budget - self.owed)).div_ceil(self.owed.max(1));
        Self { owed, budget, ..self }
    }
}

/// What an ordered scan remembers of the root that it is in.
pub(crate) enum Scan {
    /// Of `near_duplicates`.
    Kept(Kept),
    /// Of `slot_override` and `multiple_slot_values`.
    Known(Alternatives),
    /// Of `quota`.
    Full(Full),
    /// Of `select`.
    Chosen(Chosen),
    /// Of `tool_lists`.
    Lists(Known),
}

impl Stage {
    /// The roots of a source's work.
    pub(crate) fn source(&self, context: &Context) -> Source {
        match self {
            Self::Toolset(config) => Source::Items(config.source(context)),
            Self::Toolkits(_) => Source::Items(ToolkitsConfig::source(context)),
            Self::Generate(config) => config.source(context),
            Self::Apis(_) => Source::Items(ApisConfig::source(context)),
            Self::Localize(_) => Source::Items(LocalizeConfig::source(context)),
            _ => Source::Items(Vec::new()),
        }
    }

    /// What it owes for each root, if it draws items of what comes in.
    pub(crate) fn drawing(&self, input: &Record) -> Option<Drawing> {
        match (self, input) {
            (Self::PerfectQueries(config), Record::Tool(_)) => Some(drawing(config.per_tool, config.spare, false)),
            (Self::SingleCalls(config), Record::Tool(_)) => Some(drawing(config.queries, config.spare, false)),
            (Self::SelectParameters(config), Record::Tool(_)) => Some(drawing(config.per_tool, config.spare, false)),
            (Self::ImperfectQueries(config), Record::Tool(_)) => Some(drawing(config.per_tool, config.spare, false)),
            (Self::ExternalQueries(config), Record::Query(_)) => Some(drawing(config.per_tool, config.spare, true)),
            (Self::SlotFilling(config), Record::Sample(_)) => Some(drawing(config.per_tool, config.spare, true)),
            (Self::EasyQuestions(config), Record::Catalogue(it)) => {
                Some(drawing(config.owed(&it.domain), config.spare, false))
            }
            (Self::MediumQuestions(config), Record::Catalogue(it)) => {
                Some(drawing(config.owed(&it.domain), config.spare, false))
            }
            (Self::HardQuestions(config), Record::Catalogue(it)) => {
                Some(drawing(config.owed(&it.domain), config.spare, false))
            }
            (Self::ComplexQueries(config), Record::Catalogue(it)) => {
                Some(owing(config.owed(&it.domain), config.spare, false))
            }
            (Self::CoarseQueries(config), Record::Catalogue(it)) => {
                Some(owing(config.owed(&it.domain), config.spare, false))
            }
            (Self::Conversations(config), Record::Scenario(it)) => Some(owing(1, config.spare(it), false)),
            _ => None,
        }
    }

    /// How many accepted items it owes in all, over all roots, where its config says so.
    pub(crate) fn want(&self) -> Option<usize> {
        let want = match self {
            Self::PerfectQueries(config) => config.want,
            Self::SelectParameters(config) => config.want,
            Self::ImperfectQueries(config) => config.want,
            Self::ExternalQueries(config) => config.want,
            Self::SlotFilling(config) => config.want,
            _ => None,
        };
        want.map(Count::get)
    }

    /// The roles that the built-in model cannot play with a toolset, where the stage itself asks `role`: those that
    /// think of what nobody wrote down.
    pub(crate) fn thinkers<'r>(&'r self, role: Option<&'r str>, toolset: &Toolset) -> Vec<&'r str> {
        match self {
            Self::Scenarios(_) if is_free(toolset) => role.into_iter().collect(),
            Self::Conversations(_) if is_free(toolset) => SPEAKERS.to_vec(),
            _ => Vec::new(),
        }
    }

    /// Whether an item is one that it can draw from.
    pub(crate) fn suits(&self, context: &Context, item: &Item) -> bool {
        match self {
            Self::ExternalQueries(_) => ExternalQueriesConfig::suits(context, item),
            Self::SlotFilling(_) => SlotFillingConfig::suits(item),
            Self::SingleCalls(config) => config.suits(context, item),
            _ => true,
        }
    }

    /// Draws the `ordinal`-th item of `parent`. Each kind's work is boxed, here as below: else all would take as much
    /// memory as the largest.
    pub(crate) async fn draw(&self, context: &Context, parent: &Item, ordinal: usize) -> Result<Outcome, Stop> {
        match self {
            Self::PerfectQueries(config) => config.draw(context, parent, ordinal).boxed().await,
            Self::SingleCalls(config) => config.draw(context, parent, ordinal).boxed().await,
            Self::SelectParameters(config) => config.draw(context, parent, ordinal).boxed().await,
            Self::ImperfectQueries(config) => config.draw(context, parent, ordinal).boxed().await,
            Self::ExternalQueries(config) => config.draw(context, parent).boxed().await,
            Self::SlotFilling(config) => config.draw(context, parent).boxed().await,
            Self::EasyQuestions(config) => config.draw(context, parent, ordinal).boxed().await,
            Self::MediumQuestions(config) => config.draw(context, parent, ordinal).boxed().await,
            Self::HardQuestions(config) => config.draw(context, parent, ordinal).boxed().await,
            Self::ComplexQueries(config) => config.draw(context, parent, ordinal).boxed().await,
            Self::Conversations(config) => config.draw(context, parent, ordinal).boxed().await,
            Self::CoarseQueries(config) => config.draw(context, parent, ordinal).boxed().await,
            _ => Ok(Outcome::default()),
        }
    }

    /// Works on one item.
    pub(crate) async fn each(&self, context: &Context, item: Item) -> Result<Outcome, Stop> {
        match self {
            Self::Toolkits(config) => config.each(context, item).boxed().await,
            Self::Localize(config) => config.each(context, item).boxed().await,
            Self::Apis(config) => config.each(context, item).boxed().await,
            Self::Normalise(config) => Ok(config.each(context, item)),
            Self::ImperfectQueries(config) => ImperfectQueriesConfig::each(config, context, item).boxed().await,
            Self::Disambiguate(_) => Ok(DisambiguateConfig::each(context, item)),
            Self::Generalize(config) => config.each(context, item).boxed().await,
            Self::Pad(config) => Ok(config.each(context, item)),
            Self::Parameters(_) => Ok(ParametersConfig::each(context, item)),
            Self::Script(config) => Ok(config.each(context, item)),
            Self::Consistency(config) => config.each(context, item).boxed().await,
            Self::JudgeQuestions(_) => JudgeQuestionsConfig::each(context, item).boxed().await,
            Self::ShortestPath(config) => Ok(config.each(context, item)),
            Self::Candidates(config) => Ok(config.each(context, item)),
            Self::AcceptableArguments(config) => Ok(config.each(context, item)),
            Self::GoldenReplay(_) => Ok(GoldenReplayConfig::each(context, item)),
            Self::OneRightTool(_) => OneRightToolConfig::each(context, item).boxed().await,
            Self::IrrelevantQueries(_) => IrrelevantQueriesConfig::each(context, item).boxed().await,
            Self::MergeTurns(_) => Ok(MergeTurnsConfig::each(context, item)),
            Self::IntentShift(config) => config.each(context, item).boxed().await,
            Self::ExternalAnswers(config) => config.each(context, item).boxed().await,
            Self::DialogueConsistency(config) => config.each(context, item).boxed().await,
            Self::CallDecisions(config) => config.each(context, item).boxed().await,
            Self::Dialogs(config) => config.each(context, item).boxed().await,
            Self::Scenarios(config) => config.each(context, item).boxed().await,
            Self::ScenarioReview(config) => config.each(context, item).boxed().await,
            Self::Complexities(config) => config.each(context, item).boxed().await,
            Self::DialogActs(config) => config.each(context, item).boxed().await,
            Self::TurnItems(config) => Ok(config.each(context, item)),
            Self::Annotate(config) => config.each(context, item).boxed().await,
            Self::Correct(config) => config.each(context, item).boxed().await,
            Self::Generate(config) => config.each(context, item).boxed().await,
            Self::Toolset(_)
            | Self::EasyQuestions(_)
            | Self::MediumQuestions(_)
            | Self::HardQuestions(_)
            | Self::ComplexQueries(_)
            | Self::Conversations(_)
            | Self::CoarseQueries(_)
            | Self::PerfectQueries(_)
            | Self::SingleCalls(_)
            | Self::SelectParameters(_)
            | Self::ExternalQueries(_)
            | Self::SlotFilling(_)
            | Self::SlotOverride(_)
            | Self::MultipleSlotValues(_)
            | Self::NearDuplicates(_)
            | Self::ToolLists(_)
            | Self::Select(_)
            | Self::Quota(_) => Ok(Outcome::keep(item)),
        }
    }

    /// Whether it waits for all items of a root (or of the run) and looks at them in the order of their ids.
    pub(crate) fn scans(&self) -> bool {
        self.scope() != Scope::Item
    }

    /// Whether it asks a model about what it scans.
    pub(crate) fn consults(&self) -> bool {
        self.scans() && self.config().role().is_some()
    }

    /// What a scan knows at its start.
    pub(crate) fn new_scan(&self, context: &Context) -> Scan {
        match self {
            Self::Quota(_) => Scan::Full(Full::new()),
            Self::Select(_) => Scan::Chosen(Chosen::new()),
            Self::ToolLists(_) => Scan::Lists(Known::default()),
            Self::SlotOverride(_) | Self::MultipleSlotValues(_) => Scan::Known(Alternatives::default()),
            _ => Scan::Kept(Kept::new(context)),
        }
    }

    /// Looks at items in the order of their ids.
    pub(crate) fn scan(&self, context: &Context, scan: &mut Scan, items: Vec<Item>) -> Result<Outcome, Stop> {
        Ok(match (self, scan) {
            (Self::NearDuplicates(config), Scan::Kept(kept)) => config.scan(context, kept, items),
            (Self::SlotOverride(config), Scan::Known(known)) => config.scan(context, known, items),
            (Self::MultipleSlotValues(config), Scan::Known(known)) => config.scan(context, known, items),
            (Self::Select(config), Scan::Chosen(chosen)) => config.scan(context, chosen, items),
            (Self::Quota(config), Scan::Full(full)) => {
                let mut outcome = Outcome::default();
                for item in items {
                    let next = config.next(context, full, item);
                    outcome.kept.extend(next.kept);
                    outcome.rejected.extend(next.rejected);
                }
                outcome
            }
            _ => return Err(foreign_scan(context)),
        })
    }
}

/// A scan that asks a model, at work.
pub(crate) type Consulting = BoxFuture<'static, Result<Outcome, Stop>>;

impl Stage {
    /// Looks at items in the order of their ids and asks a model about them.
    pub(crate) fn consult(&self, context: &Context, scan: &Scan, items: Vec<Item>) -> Consulting {
        match (self.clone(), scan) {
            (Self::ToolLists(config), Scan::Lists(known)) => {
                let (context, known) = (context.clone(), known.clone());
                async move { config.scan(&context, &known, items).await }.boxed()
            }
            _ => ready(Err(foreign_scan(context))).boxed(),
        }
    }
}

/// A scan that is not its stage's: nothing was looked at, so nothing may pass.
fn foreign_scan(context: &Context) -> Stop {
    Stop::Store(format!("the stage `{}` was handed what another stage remembers", context.stage))
}

fn drawing(owed: Count, spare: Measure, once: bool) -> Drawing {
    owing(owed.get(), spare, once)
}

fn owing(owed: usize, spare: Measure, once: bool) -> Drawing {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a count is a count")]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let spare = (owed as f64 * spare.get()).ceil() as usize;
    Drawing { owed, budget: owed.saturating_add(spare), once }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{query, query_item, silent, tool_item, train};
    use super::*;
    use crate::config::section::read_text;
    use crate::record::{RecordKind, Selection};
    use std::sync::Arc;

    #[test]
    fn shares_of_a_total_add_up_and_keep_the_budgets_proportion() {
        let whole = Drawing { owed: 4, budget: 6, once: false };
        let shares: Vec<Drawing> = (0..7).map(|place| whole.share(10, place, 7)).collect();
        assert_eq!(shares.iter().map(|share| share.owed).sum::<usize>(), 10);
        assert!(shares.iter().all(|share| (1..=2).contains(&share.owed)), "{shares:?}");
        assert_eq!(whole.share(40, 0, 10), whole);
        assert_eq!(whole.share(1, 0, 7), Drawing { owed: 0, budget: 0, once: false });
    }

    fn stage(kind: &str) -> Stage {
        match kind {
            "perfect_queries" => Stage::PerfectQueries(read_text("per_tool = 3\nspare = 0.5").unwrap()),
            "select_parameters" => Stage::SelectParameters(read_text("").unwrap()),
            "imperfect_queries" => Stage::ImperfectQueries(read_text("").unwrap()),
            "external_queries" => Stage::ExternalQueries(read_text("").unwrap()),
            "near_duplicates" => Stage::NearDuplicates(read_text("").unwrap()),
            "quota" => Stage::Quota(read_text("count = 1").unwrap()),
            "parameters" => Stage::Parameters(read_text("").unwrap()),
            "toolset" => Stage::Toolset(read_text("path = \"x\"").unwrap()),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn what_is_owed_and_what_may_be_drawn() {
        let (tool, query) = (tool_item(train()).record, query_item(query("x", "{}")).record);
        let owed = |kind: &str, record: &Record| stage(kind).drawing(record);
        assert_eq!(owed("perfect_queries", &tool), Some(Drawing { owed: 3, budget: 5, once: false }));
        assert_eq!(owed("select_parameters", &tool), Some(Drawing { owed: 6, budget: 12, once: false }));
        assert_eq!(owed("external_queries", &query), Some(Drawing { owed: 4, budget: 8, once: true }));
        let selection = Record::Selection(Selection { tool: Arc::new(train()), parameters: Vec::new() });
        assert_eq!(owed("imperfect_queries", &selection), None, "a selection was drawn before");
        assert_eq!(owed("parameters", &query), None);
    }

    #[test]
    fn only_sources_yield_and_only_wider_stages_scan() {
        let context = silent();
        assert_eq!(["toolset", "parameters"].map(|kind| stage(kind).source(&context).len()), [12, 0]);
        assert!(stage("near_duplicates").scans() && stage("quota").scans() && !stage("parameters").scans());
        assert!(!stage("external_queries").suits(&context, &tool_item(train())));
        assert!(stage("perfect_queries").suits(&context, &tool_item(train())));
    }

    #[test]
    fn a_scan_remembers_what_its_stage_needs() {
        let context = silent();
        let items = || vec![query_item(query("book a train", "{}")), query_item(query("book a train", "{}"))];
        for (kind, kept) in [("near_duplicates", 1), ("quota", 2)] {
            let stage = stage(kind);
            let mut scan = stage.new_scan(&context);
            assert_eq!(stage.scan(&context, &mut scan, items()).unwrap().kept.len(), kept, "{kind}");
        }
        let (quota, duplicates) = (stage("quota"), stage("near_duplicates"));
        let mut other = duplicates.new_scan(&context);
        assert!(matches!(quota.scan(&context, &mut other, items()), Err(Stop::Store(_))), "another stage's memory");
        let parameters = stage("parameters");
        assert!(parameters.scan(&context, &mut other, items()).is_err(), "no stage that scans");
    }

    #[tokio::test]
    async fn who_consults_with_another_stages_memory_stops() {
        let context = silent();
        let other = stage("quota").new_scan(&context);
        let items = vec![query_item(query("book a train", "{}"))];
        let lists = Stage::ToolLists(read_text("").unwrap());
        assert!(matches!(lists.consult(&context, &other, items).await, Err(Stop::Store(_))));
    }

    #[tokio::test]
    async fn a_stage_passes_on_what_it_does_not_work_on() {
        let context = silent();
        let item = tool_item(train());
        for kind in [
            "toolset",
            "perfect_queries",
            "select_parameters",
            "external_queries",
            "near_duplicates",
            "quota",
            "parameters",
        ] {
            assert_eq!(stage(kind).each(&context, item.clone()).await.unwrap(), Outcome::keep(item.clone()), "{kind}");
        }
        assert_eq!(stage("parameters").draw(&context, &item, 0).await.unwrap(), Outcome::default());
        assert_eq!(item.record.kind(), RecordKind::Tool);
    }
}
