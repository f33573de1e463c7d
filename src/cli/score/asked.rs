//! What models were asked and how, by the files beside their predictions: that is what is scored.

use super::Outcome;
use super::arguments::ScoreArguments;
use crate::cli::console::exit::{Complaint, INPUT, USAGE};
use crate::cli::console::talk::say;
use crate::cli::console::words::thousands;
use crate::cli::flags::paradigm::paradigm_of;
use fcgen::format::{Bench, PredictionMeta, PromptSource};
use fcgen::llm::PromptsUsed;
use fcgen::record::{Paradigm, SuiteId, SuiteName};
use std::collections::BTreeMap;
use std::path::Path;

/// The part of a benchmark that each file of predictions was asked about. Files that were asked the same share one.
pub(crate) struct Asked {
    parts: Vec<Bench>,
    /// The place among them, by the name of the file.
    places: BTreeMap<String, usize>,
    /// What is right while required arguments are missing.
    pub(super) paradigm: Paradigm,
}

impl Asked {
    /// Reads what lies beside the predictions. A file that has nothing beside it was asked about everything.
    pub(super) fn read(bench: &Bench, suite: &SuiteName, arguments: &ScoreArguments) -> anyhow::Result<Self> {
        let read = |(name, path): (String, &Path)| Ok((name, PredictionMeta::read(path).map_err(Complaint::input)?));
        let metas = arguments.named().map(read).collect::<Result<Vec<_>, Complaint>>()?;
        let recorded = metas.iter().filter_map(|(name, meta)| Some((name.as_str(), meta.as_ref()?.paradigm)));
        let paradigm = paradigm(suite, arguments, &recorded.collect::<Vec<_>>())?;
        let mut known = None;
        let (mut asked, mut places): (Vec<Option<Vec<String>>>, _) = (Vec::new(), BTreeMap::new());
        for (name, meta) in metas {
            let ids = match meta {
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
        Ok(Self { parts: asked.into_iter().map(part).collect(), places, paradigm })
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

/// The paradigm by which is scored: the one that is given, else the one that the predictions were asked in.
fn paradigm(
    suite: &SuiteName,
    arguments: &ScoreArguments,
    recorded: &[(&str, Paradigm)],
) -> Result<Paradigm, Complaint> {
    let (is_hammerbench, given) = (*suite == SuiteId::HammerBench, arguments.paradigm());
    let upstream = arguments.upstream_profile().filter(|_| is_hammerbench);
    if let (Some(profile), Some(Paradigm::Ask)) = (&upstream, given) {
        let complaint = format!(
            "the profile `{profile}` reproduces the authors' evaluator, which does not support `--paradigm ask`"
        );
        return Err(Complaint::new(USAGE, complaint).hint("omit `--paradigm`, or use `--profile strict`"));
    }
    if let Some(given) = given {
        let chosen = paradigm_of(is_hammerbench, Some(given))?;
        for (name, recorded) in recorded.iter().filter(|(_, recorded)| *recorded != chosen) {
            say(format!(
                "note: {name} was predicted in paradigm `{}` and is scored in `{}`",
                recorded.as_str(),
                chosen.as_str()
            ));
        }
        return Ok(chosen);
    }
    if let (Some(profile), Some((name, _))) =
        (&upstream, recorded.iter().find(|(_, recorded)| *recorded == Paradigm::Ask))
    {
        let complaint =
            format!("{name} was predicted in paradigm `ask`, but the profile `{profile}` supports only `snapshot`");
        return Err(Complaint::new(INPUT, complaint)
            .hint("use `--profile strict`, or `--paradigm snapshot` to score it anyway"));
    }
    let mut others = recorded.iter();
    let Some((first, paradigm)) = others.next() else { return paradigm_of(is_hammerbench, None) };
    if let Some((other, theirs)) = others.find(|(_, theirs)| theirs != paradigm) {
        let (own, theirs) = (paradigm.as_str(), theirs.as_str());
        let complaint = format!("{first} was predicted in paradigm `{own}`, but {other} in `{theirs}`");
        return Err(Complaint::new(INPUT, complaint)
            .hint("score them separately, or set one paradigm for all with `--paradigm`"));
    }
    Ok(*paradigm)
}

/// The ids that were asked; nothing where that is the whole benchmark. Says how many were not, and whether the benchmark
/// was another one then.
fn part_of(name: &str, meta: PredictionMeta, (hash, samples): &(String, u64)) -> Option<Vec<String>> {
    let is_changed = meta.bench_hash != *hash;
    if is_changed {
        say(format!(
            "warning: {name}: the benchmark has changed since the predictions were made; items are matched by id"
        ));
    }
    if meta.limit.is_none() && !is_changed {
        return None;
    }
    let left_out = samples.saturating_sub(meta.ids.len() as u64);
    if left_out > 0 {
        say(format!("{name}: {} of {} items were not predicted", thousands(left_out), thousands(*samples)));
    }
    Some(meta.ids)
}

// Whose prompts figures were made with: the models' and the judge's.

/// Where nobody named other prompts.
const OWN: &str = "fcgen's own";

/// Puts into the notes by whose prompts each model was asked, as far as that is recorded, and by whose a judge is.
pub(super) fn add_prompts(outcome: &mut Outcome, suite: &SuiteName, arguments: &ScoreArguments) -> anyhow::Result<()> {
    let mut asked = Vec::new();
    for (name, path) in arguments.named() {
        let meta = PredictionMeta::read(path).map_err(Complaint::input)?;
        // The built-in reader reads no prompt.
        let source = meta.filter(|meta| meta.model.is_some()).map(|meta| shown(&meta.prompts));
        asked.extend(source.map(|source| (name, source)));
    }
    outcome.notes.extend(said(&asked).map(|text| ("prompts", text)));
    if let Some(suite) = suite.known().filter(|_| arguments.judge.judges()) {
        let used = arguments.judge.prompts(suite)?.used();
        let text = used.map_or_else(|| OWN.to_owned(), |PromptsUsed { name, hash }| format!("{name} ({hash})"));
        outcome.notes.push(("prompts of the judge", text));
    }
    Ok(())
}

fn shown(PromptSource { name, hash }: &PromptSource) -> String {
    hash.as_ref().map_or_else(|| OWN.to_owned(), |hash| format!("{name} ({hash})"))
}

/// One source where all have the same, else that of each file.
fn said(asked: &[(String, String)]) -> Option<String> {
    let (_, first) = asked.first()?;
    if asked.iter().all(|(_, source)| source == first) {
        return Some(first.clone());
    }
    let each: Vec<String> = asked.iter().map(|(name, source)| format!("{name}: {source}")).collect();
    Some(each.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sources_are_named_once() {
        let own = shown(&PromptSource::default());
        let other = shown(&PromptSource { name: "p/confetti: a.md".to_owned(), hash: Some("1f".to_owned()) });
        let of = |sources: [&str; 2]| {
            said(&["a", "b"].map(str::to_owned).into_iter().zip(sources.map(str::to_owned)).collect::<Vec<_>>())
        };
        assert_eq!(of([&own, &own]).as_deref(), Some("fcgen's own"));
        assert_eq!(of([&own, &other]).as_deref(), Some("a: fcgen's own; b: p/confetti: a.md (1f)"));
        assert_eq!(said(&[]), None);
    }
}
