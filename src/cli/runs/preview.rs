//! `--preview`: the items of a few roots, and what the whole run would ask for.

use crate::cli::console::shown::Shown;
use crate::cli::console::talk::Colour;
use crate::cli::console::words::{counted, dollars, thousands};
use fcgen::config::{Count, Plan, ProviderKind};
use fcgen::llm::{Price, StageUsage};
use fcgen::record::{Item, RecordKind, Reject};
use fcgen::toolset::Toolset;

/// The items, one after the other.
pub(crate) fn items(items: Vec<Item>) -> String {
    let items = items.into_iter().map(Shown::from);
    items.map(|shown| shown.lines(Colour::default()).join("\n")).collect::<Vec<_>>().join("\n")
}

/// Most lines of a reply that are shown.
const REPLY_LINES: usize = 12;

/// Every reject with its reason and the reply or text that was rejected.
pub(crate) fn rejects(rejects: &[Reject]) -> Vec<String> {
    let told = rejects.iter().map(|reject| {
        let Reject { id, stage, reason, detail, text, .. } = reject;
        let mut lines = vec![format!("rejected by `{stage}`: {id}"), format!("  {reason}: {detail}")];
        let total = text.lines().count();
        lines.extend(text.lines().take(REPLY_LINES).map(|line| format!("  | {line}")));
        if total > REPLY_LINES {
            lines.push(format!("  | ... {} more lines", total - REPLY_LINES));
        }
        lines.join("\n")
    });
    told.collect()
}

/// What the whole would take, from what `roots` of it took.
pub(crate) fn projection(plan: &Plan, usage: &[StageUsage], roots: usize) -> String {
    let one = Projection::of(plan, usage, roots);
    let whole = all_roots(plan).map(|all| format!("; full run ({}): about {}", counted(all, "tool"), one.times(all)));
    format!("estimate per source item: about {}{}", one.times(1), whole.unwrap_or_default())
}

/// What one root takes when every stage draws all that it owes.
#[derive(Debug, Default, PartialEq)]
struct Projection {
    requests: f64,
    tokens: f64,
    cost: f64,
    /// Whether every model that was asked has a price, or costs nothing.
    is_priced: bool,
}

impl Projection {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    fn of(plan: &Plan, usage: &[StageUsage], roots: usize) -> Self {
        let owed: Vec<(&str, usize)> =
            plan.stages.iter().filter_map(|stage| Some((stage.name.as_str(), owed(plan, stage)?))).collect();
        // A preview draws one item where a run draws as many as are owed; gates see the mean of that.
        let mean = owed.iter().map(|(_, owed)| *owed).sum::<usize>() as f64 / owed.len().max(1) as f64;
        let mut whole = Self { is_priced: is_priced(plan), ..Self::default() };
        for row in usage {
            let own = owed.iter().find(|(name, _)| *name == row.stage).map(|(_, owed)| *owed as f64);
            let factor = own.unwrap_or(if owed.is_empty() { 1.0 } else { mean }) / roots.max(1) as f64;
            whole.requests += row.requests as f64 * factor;
            whole.tokens += (row.prompt_tokens + row.completion_tokens) as f64 * factor;
            whole.cost += row.cost * factor;
        }
        whole
    }

    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count is not negative")]
    fn times(&self, roots: usize) -> String {
        let scaled = |amount: f64| thousands((amount * roots as f64).round() as u64);
        let cost = if self.is_priced { dollars(self.cost * roots as f64) } else { "price not set".to_owned() };
        format!("{} requests, {} tokens, {cost}", scaled(self.requests), scaled(self.tokens))
    }
}

/// Whether the price of every model that a stage asks over a network is set.
fn is_priced(plan: &Plan) -> bool {
    let mut asked = plan.stages.iter().filter_map(|stage| plan.model(stage));
    asked.all(|model| model.provider != ProviderKind::Openai || model.price != Price::default())
}

/// What a drawing stage owes for each root.
fn owed(plan: &Plan, stage: &fcgen::config::PlannedStage) -> Option<usize> {
    // What was selected was drawn before.
    let drawn = stage.from.iter().all(|from| plan.stages[*from].stage.output() == RecordKind::Selection);
    stage.stage.settings().per_root.filter(|_| !drawn).map(Count::get)
}

/// How many roots the whole run has, where that is known without running it.
fn all_roots(plan: &Plan) -> Option<usize> {
    let mut all = 0;
    for stage in plan.stages.iter().filter(|stage| stage.stage.is_source()) {
        let toolset = stage.stage.settings().toolset.filter(|it| it.categories.is_empty())?;
        all += Toolset::load_or_english(fcgen::assets(), &toolset.path, &plan.pipeline.locale).ok()?.tools.len();
    }
    Some(plan.pipeline.limit.map_or(all, |limit| all.min(limit.get())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen::config::{Overrides, load};

    fn plan(name: &str, sets: &[&str]) -> Plan {
        let path = format!("pipelines/{name}.toml");
        let overrides: Overrides = sets.iter().copied().collect();
        load(fcgen::assets(), &fcgen::assets().read(&path).unwrap(), &path, &overrides).unwrap()
    }

    fn usage(stage: &str) -> StageUsage {
        StageUsage { stage: stage.to_owned(), requests: 10, prompt_tokens: 100, cost: 0.5, ..StageUsage::default() }
    }

    #[test]
    fn what_a_stage_took_grows_with_what_it_owes() {
        let plan = plan("hammer", &["limit=20"]);
        let one = Projection::of(&plan, &[usage("perfect_queries")], 5);
        assert_eq!(one, Projection { requests: 8.0, tokens: 80.0, cost: 0.4, is_priced: true });
        let text = projection(&plan, &[usage("perfect_queries")], 5);
        assert!(text.ends_with("full run (20 tools): about 160 requests, 1,600 tokens, $8.00"), "{text}");
    }

    #[test]
    fn a_run_of_unknown_length_is_projected_root_by_root() {
        let text = projection(&plan("toolkits", &[]), &[usage("toolkits")], 2);
        assert_eq!(text, "estimate per source item: about 5 requests, 50 tokens, $0.2500");
    }

    #[test]
    fn a_gate_takes_the_mean_of_what_is_drawn_before_it() {
        let plan = plan("hammer", &[]);
        let whole = |number: usize| f64::from(u32::try_from(number).unwrap());
        let owed: Vec<f64> = plan.stages.iter().filter_map(|stage| owed(&plan, stage)).map(whole).collect();
        let mean = owed.iter().sum::<f64>() / whole(owed.len());
        let asked =
            |stages: &[&str]| Projection::of(&plan, &stages.iter().map(|it| usage(it)).collect::<Vec<_>>(), 1).requests;
        assert!((asked(&["consistency"]) - 10.0 * mean).abs() < 1e-9, "{owed:?}");
        assert!((asked(&["consistency", "consistency"]) - 20.0 * mean).abs() < 1e-9, "two models of a stage add up");
    }

    #[test]
    fn nobody_is_asked_where_no_root_was_previewed() {
        assert_eq!(
            Projection::of(&plan("hammer", &[]), &[], 0),
            Projection { is_priced: true, ..Projection::default() }
        );
        let text = projection(&plan("hammer", &["limit=1"]), &[], 0);
        assert_eq!(
            text,
            "estimate per source item: about 0 requests, 0 tokens, $0.00; full run (1 tool): about 0 requests, 0 tokens, $0.00"
        );
    }
}
