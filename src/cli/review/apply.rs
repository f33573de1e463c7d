//! What people said, put into the samples. An edit is held to the rules that new items are held to.

use super::each;
use crate::cli::console::exit::{Complaint, INPUT};
use crate::cli::runs::manifest::read_manifest;
use fcgen::check::{Entry, Findings, Ground, Lint, Replay, Severity};
use fcgen::format::{Bench, Place};
use fcgen::fs::AtomicFile;
use fcgen::record::{Reject, Review, Sample};
use fcgen::report::{Decision, Opinion};
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// Edits that are told where they cannot be.
const TOLD: usize = 20;

/// A bench with what people said of it; every edit has been looked at.
pub(super) struct Reviewed<'b> {
    bench: &'b Bench,
    opinions: IndexMap<String, Opinion>,
}

/// How many samples are what.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) accepted: usize,
    pub(super) edited: usize,
    pub(super) rejected: usize,
    pub(super) unreviewed: usize,
    types: BTreeMap<String, usize>,
}

impl<'b> Reviewed<'b> {
    /// Looks at every edit; nothing is taken where one of them cannot be.
    pub(super) fn new(bench: &'b Bench, opinions: IndexMap<String, Opinion>) -> anyhow::Result<Self> {
        let mut unseen: IndexMap<&str, u64> = opinions.iter().map(|(id, it)| (id.as_str(), it.line)).collect();
        let mut faults = Vec::new();
        let mut judge = Judge::default();
        each(bench, &mut |sample| {
            unseen.shift_remove(sample.id.as_str());
            if let Some(opinion) = opinions.get(sample.id.as_str()) {
                faults.extend(
                    judge
                        .faults(sample, opinion)
                        .into_iter()
                        .map(|fault| format!("line {}: `{}`: {fault}", opinion.line, sample.id)),
                );
            }
        });
        faults.extend(unseen.iter().map(|(id, line)| format!("line {line}: no sample `{id}`")));
        if faults.is_empty() {
            return Ok(Self { bench, opinions });
        }
        let more = faults.len().saturating_sub(TOLD);
        faults.truncate(TOLD);
        let more = if more > 0 { format!("\n  and {more} more") } else { String::new() };
        let complaint = Complaint::new(INPUT, format!("the sheet cannot be applied:\n  {}{more}", faults.join("\n  ")));
        Err(complaint.hint("nothing was written; fix these lines and run the command again").into())
    }

    /// Writes the reviewed run: what stays, what was rejected, and the manifest where there is one.
    pub(super) fn write(&self, folder: &Path) -> anyhow::Result<Counts> {
        let mut samples = AtomicFile::create(&folder.join("samples.jsonl"))?;
        let mut rejects = AtomicFile::create(&folder.join("rejects.jsonl"))?;
        let old = std::fs::read_to_string(self.bench.folder().join("rejects.jsonl")).unwrap_or_default();
        rejects.write_all(old.as_bytes())?;
        let (mut counts, mut result) = (Counts::default(), Ok(()));
        each(self.bench, &mut |sample| {
            if result.is_ok() {
                result = self.put(sample, &mut counts, &mut samples, &mut rejects);
            }
        });
        result?;
        samples.finish()?;
        rejects.finish()?;
        self.manifest(folder, &counts)?;
        Ok(counts)
    }

    fn put(
        &self,
        sample: &Sample,
        counts: &mut Counts,
        samples: &mut AtomicFile,
        rejects: &mut AtomicFile,
    ) -> anyhow::Result<()> {
        let applied = self.opinions.get(sample.id.as_str()).map(|opinion| opinion.apply(sample));
        let after = applied.transpose().map_err(|fault| Complaint::new(INPUT, fault))?;
        let after = after.as_ref().unwrap_or(sample);
        if after.review == Review::Rejected {
            counts.rejected += 1;
            let note = self.opinions.get(sample.id.as_str()).map(|opinion| opinion.note.trim().to_owned());
            let (stage, reason) = ("review".to_owned(), "rejected_in_review".to_owned());
            let (detail, text) = (note.unwrap_or_default(), sample.query());
            let reject = Reject { id: sample.id.clone(), stage, reason, detail, text, mended: None };
            return Ok(writeln!(rejects, "{}", serde_json::to_string(&reject)?)?);
        }
        match after.review {
            Review::Accepted => counts.accepted += 1,
            Review::Edited => counts.edited += 1,
            Review::Unreviewed | Review::Rejected => counts.unreviewed += 1,
        }
        *counts.types.entry(after.data_type.0.clone()).or_default() += 1;
        Ok(writeln!(samples, "{}", serde_json::to_string(after)?)?)
    }

    fn manifest(&self, folder: &Path, counts: &Counts) -> anyhow::Result<()> {
        let Ok(mut manifest) = read_manifest(&self.bench.folder()) else { return Ok(()) };
        manifest.samples.clone_from(&counts.types);
        if counts.rejected > 0 {
            *manifest.rejects.entry("rejected_in_review".to_owned()).or_default() += counts.rejected;
        }
        let Counts { accepted, edited, rejected, .. } = counts;
        manifest.notes.push(format!("reviewed by people: {accepted} accepted, {edited} edited, {rejected} rejected"));
        let mut file = AtomicFile::create(&folder.join("manifest.json"))?;
        writeln!(file, "{}", serde_json::to_string_pretty(&manifest)?)?;
        Ok(file.finish()?)
    }
}

/// Holds edits to the rules of their locale.
#[derive(Default)]
struct Judge {
    grounds: BTreeMap<String, Result<Arc<Ground>, String>>,
}

impl Judge {
    /// Why an opinion cannot be taken; nothing where it can.
    fn faults(&mut self, sample: &Sample, opinion: &Opinion) -> Vec<String> {
        let edited = match opinion.apply(sample) {
            Ok(edited) if opinion.decision == Decision::Edit => edited,
            Ok(_) => return Vec::new(),
            Err(fault) => return vec![fault],
        };
        let load = || Ground::load(fcgen::assets(), &sample.locale).map_err(|error| error.to_string());
        match self.grounds.entry(sample.locale.clone()).or_insert_with(load) {
            Ok(ground) => {
                // What was wrong before is not the editor's fault.
                let before = broken(ground, sample);
                broken(ground, &edited).into_iter().filter(|fault| !before.contains(fault)).collect()
            }
            Err(fault) => vec![fault.clone()],
        }
    }
}

/// What the rules, and the scorer that is shown the gold, find wrong in a sample by itself.
fn broken(ground: &Arc<Ground>, sample: &Sample) -> Vec<String> {
    let place = Place { file: "sheet".into(), line: 1 };
    let entry = Entry { place, sample: sample.clone(), before: None };
    let mut lint = Lint::new(ground, false);
    lint.see(Ok(&entry));
    let mut findings = Findings::default();
    if let Ok(mut replay) = Replay::new(ground) {
        replay.see(&entry, &mut findings);
        replay.end(&mut findings);
    }
    let found = lint.finish().findings;
    let of = |findings: &Findings| -> Vec<String> {
        let errors = findings.rules().filter(|(_, severity, ..)| *severity == Severity::Error);
        errors.flat_map(|(rule, _, _, first)| first.iter().map(move |it| format!("{rule}: {}", it.message))).collect()
    };
    [of(&found), of(&findings)].concat()
}

#[cfg(test)]
mod tests {
    use super::super::tests::bench as folder;
    use super::*;

    fn opinion(decision: Decision, query: &str, expected: &str) -> Opinion {
        Opinion { line: 2, decision, query: query.to_owned(), expected: expected.to_owned(), note: String::new() }
    }

    fn reviewed(opinion: Opinion) -> Result<(Counts, String), String> {
        let folder = folder(&["a", "b"]);
        let bench = Bench::open(folder.path()).unwrap();
        let reviewed = Reviewed::new(&bench, [("a".to_owned(), opinion)].into()).map_err(|error| error.to_string())?;
        let out = folder.path().join("out");
        let counts = reviewed.write(&out).unwrap();
        Ok((counts, std::fs::read_to_string(out.join("samples.jsonl")).unwrap()))
    }

    #[test]
    fn a_sound_edit_is_taken_with_where_it_comes_from() {
        let expected = r#"{"call":{"name":"book","arguments":{"to":"Faro"}}}"#;
        let (counts, samples) = reviewed(opinion(Decision::Edit, "book a train to Faro", expected)).unwrap();
        assert_eq!((counts.edited, counts.unreviewed), (1, 1));
        assert!(samples.contains(r#""query_before_review":"book a train to Porto""#), "{samples}");
    }

    #[test]
    fn an_edit_is_held_to_the_rules_of_new_items() {
        let value = reviewed(opinion(Decision::Edit, "book a train to Faro", "")).unwrap_err();
        assert!(value.starts_with("the sheet cannot be applied:\n  line 2: `a`: "), "{value}");
        let tool = reviewed(opinion(Decision::Edit, "", r#"{"call":{"name":"fly","arguments":{"to":"Porto"}}}"#));
        assert!(tool.unwrap_err().contains("fly"));
        assert!(reviewed(opinion(Decision::Edit, "", "{")).unwrap_err().contains("invalid expected answer"));
    }

    #[test]
    fn a_sample_that_is_not_there_is_told() {
        let folder = folder(&["b"]);
        let bench = Bench::open(folder.path()).unwrap();
        let error = Reviewed::new(&bench, [("a".to_owned(), opinion(Decision::Accept, "", ""))].into()).err().unwrap();
        assert!(error.to_string().contains("line 2: no sample `a`"));
    }
}
