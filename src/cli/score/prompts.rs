//! Whose prompts figures were made with: the models' and the judge's.

use super::Outcome;
use super::arguments::ScoreArguments;
use crate::cli::exit::{Complaint, INPUT};
use fcgen::format::{PredictionMeta, PromptSource};
use fcgen::llm::PromptsUsed;
use fcgen::record::SuiteId;

/// Where nobody named other prompts.
const OWN: &str = "fcgen's own";

/// Puts into the notes by whose prompts each model was asked, as far as that is recorded, and by whose a judge is.
pub(super) fn add(outcome: &mut Outcome, suite: SuiteId, arguments: &ScoreArguments) -> anyhow::Result<()> {
    let mut asked = Vec::new();
    for (name, path) in arguments.named() {
        let meta = PredictionMeta::read(path).map_err(|error| Complaint::new(INPUT, error.to_string()))?;
        // The built-in reader reads no prompt.
        let source = meta.filter(|meta| meta.model.is_some()).map(|meta| shown(&meta.prompts));
        asked.extend(source.map(|source| (name, source)));
    }
    outcome.notes.extend(said(&asked).map(|text| ("prompts", text)));
    if arguments.judge.judges() {
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
