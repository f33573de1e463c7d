//! Runs a plan in another locale so that it makes the items of a run that there is.

use super::store::Store;
use super::{Live, Options, RunError, Summary};
use crate::config::{Plan, ProviderKind};
use crate::run::prepare::ground::Ground;
use crate::run::roots::follow::Follow;
use std::sync::Arc;
use std::time::Instant;

/// How often what was rejected is asked for anew. Each time recovers more than half of what was missing.
const ROUNDS: u32 = 6;

/// Makes the items of the run in `source` again, by `plan` in its own locale. `made` is the plan of that run.
///
/// The ids are given: every stage draws what the other run accepted, and what a gate rejects here is asked for anew. What
/// comes out has the other run's ids and shapes; what has no counterpart is told in `rejects.jsonl`.
pub async fn localize(
    plan: &Plan,
    made: &Plan,
    source: &std::path::Path,
    options: &Options,
    mut watch: impl FnMut(Live),
) -> Result<Summary, RunError> {
    let began = Instant::now();
    let toolset = Ground::load(made)?.toolset;
    let follow = Some(Arc::new(Follow::read(source, &toolset)?));
    let mut options = Options { follow, ..options.clone() };
    loop {
        let mut summary = super::run(plan, &options, &mut watch).await?;
        summary.wall = began.elapsed();
        if options.preview.is_none() {
            summary.manifest.wall_seconds = summary.wall.as_secs_f64();
            summary.manifest.write(&options.out)?;
        }
        let (all, kept) = summary.manifest.localized.as_ref().map_or((0, 0), super::Localized::total);
        // A model behind a server asks again by itself, as often as its stage says, and costs something.
        let paid = plan.models.get("generator").is_some_and(|model| model.provider != ProviderKind::Grammar);
        if all == kept || paid || options.preview.is_some() || rounds(&options, &summary)? >= ROUNDS {
            return Ok(summary);
        }
        options.rerun_rejects = true;
    }
}

/// How often the run in the folder has asked anew.
fn rounds(options: &Options, summary: &Summary) -> Result<u32, RunError> {
    let marks = Store::open(&options.out.join("run.db"), &[])?.marks(&summary.manifest.plan_hash)?;
    Ok(marks.iter().map(|mark| mark.round).max().unwrap_or(0))
}
