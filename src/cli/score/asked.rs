//! What models were asked, by the files beside their predictions: only that is scored.

use super::arguments::ScoreArguments;
use crate::cli::exit::{Complaint, INPUT};
use crate::cli::talk::say;
use crate::cli::words::thousands;
use fcgen::format::{Bench, PredictionMeta, PredictionsError};
use std::collections::BTreeMap;

/// The part of a benchmark that each file of predictions was asked about. Files that were asked the same share one.
pub(super) struct Asked {
    parts: Vec<Bench>,
    /// The place among them, by the name of the file.
    places: BTreeMap<String, usize>,
}

impl Asked {
    /// Reads what lies beside the predictions. A file that has nothing beside it was asked about everything.
    pub(super) fn read(bench: &Bench, arguments: &ScoreArguments) -> anyhow::Result<Self> {
        let mut known = None;
        let (mut asked, mut places): (Vec<Option<Vec<String>>>, _) = (Vec::new(), BTreeMap::new());
        for (name, path) in arguments.named() {
            let ids = match PredictionMeta::read(path).map_err(complaint)? {
                None => None,
                Some(meta) => {
                    let fingerprint = match known.take() {
                        Some(fingerprint) => fingerprint,
                        None => bench.fingerprint().map_err(Complaint::from)?,
                    };
                    let ids = part_of(&name, meta, &fingerprint);
                    known = Some(fingerprint);
                    ids
                }
            };
            let place = asked.iter().position(|other| *other == ids).unwrap_or(asked.len());
            if place == asked.len() {
                asked.push(ids);
            }
            places.insert(name, place);
        }
        let part = |ids: Option<Vec<String>>| ids.map_or_else(|| bench.clone(), |ids| bench.clone().only(ids));
        Ok(Self { parts: asked.into_iter().map(part).collect(), places })
    }

    /// Each part once.
    pub(super) fn parts(&self) -> &[Bench] {
        &self.parts
    }

    /// The place of a file's part among them. A baseline, which has no file, is asked what the first file was.
    pub(super) fn place(&self, file: &str) -> usize {
        self.places.get(file).copied().unwrap_or(0)
    }

    /// The part that a file was asked about.
    pub(super) fn bench(&self, file: &str) -> &Bench {
        &self.parts[self.place(file)]
    }
}

/// The ids that were asked; nothing where that is the whole benchmark. Says how many were not, and whether the benchmark
/// was another one then.
fn part_of(name: &str, meta: PredictionMeta, (hash, samples): &(String, u64)) -> Option<Vec<String>> {
    let is_changed = meta.bench_hash != *hash;
    if is_changed {
        say(format!("warning: {name}: the benchmark has changed since the model was asked; items are matched by id"));
    }
    if meta.limit.is_none() && !is_changed {
        return None;
    }
    let left_out = samples.saturating_sub(meta.ids.len() as u64);
    if left_out > 0 {
        say(format!("{name}: {} of {} items were not asked", thousands(left_out), thousands(*samples)));
    }
    Some(meta.ids)
}

fn complaint(error: PredictionsError) -> Complaint {
    let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
    Complaint::new(INPUT, format!("{error}{cause}"))
}
