//! A run that came to its end may still be one to worry about: rows lost on the way, or too few accepted.

use crate::cli::console::exit::{ENDPOINT, OK, YIELD};
use crate::cli::console::talk::say;
use crate::cli::console::words::{counted, lines_with, own_command, shell};
use fcgen::config::{PipelineConfig, Plan};
use fcgen::record::Reject;
use fcgen::run::{EmptyType, Manifest, Summary, Taken};
use std::path::Path;

/// The exit code of a run that wrote its files; what is wrong is said even to those who want quiet.
pub(crate) fn verdict(plan: &Plan, summary: &Summary) -> u8 {
    let (manifest, rules) = (&summary.manifest, &plan.pipeline);
    // A shard may be too small for everything; `merge` sees the whole.
    let is_whole = manifest.shard.is_none();
    if is_whole {
        warnings(manifest, rules).iter().for_each(say);
    }
    let (code, complaint) = judge(manifest, rules, || example(&summary.folder));
    if let Some(complaint) = complaint {
        say(format!("\n{complaint}"));
    }
    code
}

fn judge(manifest: &Manifest, rules: &PipelineConfig, example: impl Fn() -> Option<String>) -> (u8, Option<String>) {
    let lost = manifest.lost();
    if lost > 0 {
        let again = shell(own_command());
        let lost = counted(lost, "item");
        let why = example().map(|detail| format!(", for example: {detail}")).unwrap_or_default();
        let complaint = format!("error: {lost} failed{why}\n\nhint: retry with: {again}");
        return (ENDPOINT, Some(complaint));
    }
    if manifest.shard.is_some() {
        return (OK, None);
    }
    if manifest.samples.values().sum::<usize>() == 0 {
        return (YIELD, Some(nothing(manifest)));
    }
    let missing: Vec<&EmptyType> = missing(manifest, rules).collect();
    if !missing.is_empty() {
        return (YIELD, Some(empty(&missing)));
    }
    let floor = rules.floor.get();
    if manifest.yielded() < floor {
        return (YIELD, Some(too_few(manifest, floor)));
    }
    (OK, None)
}

/// Data types that could have been made, were not, and may not be missing.
fn missing<'m>(manifest: &'m Manifest, rules: &PipelineConfig) -> impl Iterator<Item = &'m EmptyType> {
    let may_be_empty = |data_type: &str| rules.allow_empty.iter().any(|it| it.as_str() == data_type);
    // A counterpart has the types of the run that it follows.
    let is_own = manifest.localized.is_none();
    manifest.empty.iter().filter(move |it| is_own && it.taken.is_some() && !may_be_empty(&it.data_type))
}

/// What a run that passes should still be looked at for: types that nothing could be made of, and stages that gave less
/// than half of what they were to draw.
fn warnings(manifest: &Manifest, rules: &PipelineConfig) -> Vec<String> {
    let allowed = |it: &&EmptyType| rules.allow_empty.iter().any(|name| name.as_str() == it.data_type);
    let unmade = manifest.empty.iter().filter(|it| it.taken.is_none() && !allowed(it));
    let unmade: Vec<String> = unmade.map(|it| format!("`{}`", it.data_type)).collect();
    let unmade = (!unmade.is_empty())
        .then(|| format!("warning: no item of {}: no suitable item reached its stage", unmade.join(", ")));
    let short = manifest.owed.iter().filter(|(_, owed)| share(owed) < 0.5);
    let short =
        short.map(|(stage, (owed, kept))| format!("warning: `{stage}` accepted {kept} of {owed} required items"));
    unmade.into_iter().chain(short).collect()
}

/// That a run made nothing, and what took most of it.
fn nothing(manifest: &Manifest) -> String {
    let taken = manifest.nothing.as_ref().map(|taken| {
        let Taken { stage, reason, count, detail } = taken;
        format!(": `{stage}` rejected {} as `{reason}`, for example: {detail}", counted(*count, "item"))
    });
    format!(
        "error: the run produced no items{}\n\nhint: `rejects.jsonl` lists every reject with its reason",
        taken.unwrap_or_default()
    )
}

/// The empty data types, each with what took its items.
fn empty(missing: &[&EmptyType]) -> String {
    let line = |it: &&EmptyType| {
        let taken = it.taken.as_ref().map(|taken| {
            let Taken { stage, reason, count, detail } = taken;
            let items = counted(*count, "item");
            format!("`{stage}` rejected {items} as `{reason}`, for example: {detail}")
        });
        format!("  {} (from `{}`): {}", it.data_type, it.stage, taken.unwrap_or_default())
    };
    let names: Vec<String> = missing.iter().map(|it| format!("\"{}\"", it.data_type)).collect();
    format!(
        "error: {} without items\n{}\n\nhint: to allow this, set `allow_empty = [{}]` in [pipeline]",
        counted(missing.len(), "data type"),
        missing.iter().map(line).collect::<Vec<_>>().join("\n"),
        names.join(", ")
    )
}

/// What happened to the first of the lost rows.
fn example(folder: &Path) -> Option<String> {
    let lines = lines_with(&folder.join("rejects.jsonl"), "\"reason\":\"transport\"", 1).ok()?;
    let reject: Reject = serde_json::from_str(lines.first()?).ok()?;
    Some(reject.detail)
}

fn too_few(manifest: &Manifest, floor: f64) -> String {
    let short = manifest.owed.iter().min_by(|one, other| share(one.1).total_cmp(&share(other.1)));
    let (stage, (owed, accepted)) = short.map_or(("", (0, 0)), |(stage, owed)| (stage.as_str(), *owed));
    format!(
        "error: `{stage}` accepted only {accepted} of {owed} required items, below `floor = {floor}`\n\n\
         hint: `rejects.jsonl` lists the reasons; `--rerun-rejects` retries the rejected items"
    )
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn share((owed, accepted): &(usize, usize)) -> f64 {
    if *owed == 0 { 1.0 } else { *accepted as f64 / *owed as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::console::figures::tests::manifest;
    use fcgen::config::{Overrides, load};

    fn rules(sets: &[&str]) -> PipelineConfig {
        let text = "[[stage]]\nkind = \"toolset\"\npath = \"mobile\"\n[[stage]]\nkind = \"perfect_queries\"\n";
        let sets: Overrides = sets.iter().copied().collect();
        load(fcgen::assets(), &format!("{text}[[stage]]\nkind = \"candidates\"\n"), "p.toml", &sets).unwrap().pipeline
    }

    #[test]
    fn a_type_that_could_have_been_made_is_named_with_what_took_it() {
        let mut manifest = manifest();
        let (stage, reason, detail) = ("consistency".to_owned(), "inconsistent".to_owned(), "x is y".to_owned());
        let taken = Taken { stage, reason, count: 12, detail };
        let empty =
            |taken| EmptyType { data_type: "ST_Perfect".to_owned(), stage: "perfect_queries".to_owned(), taken };
        manifest.empty = vec![empty(Some(taken))];
        let (code, complaint) = judge(&manifest, &rules(&[]), || None);
        assert_eq!(code, YIELD);
        insta::assert_snapshot!(complaint.unwrap());
        assert_eq!(judge(&manifest, &rules(&["allow_empty=[\"ST_Perfect\"]"]), || None), (OK, None));
        manifest.empty = vec![empty(None)];
        assert_eq!(judge(&manifest, &rules(&[]), || None), (OK, None), "there was nothing to make one of");
        insta::assert_snapshot!(warnings(&manifest, &rules(&[])).join("\n"));
        manifest.samples.clear();
        let (stage, reason) = ("complex_queries".to_owned(), "no_plan".to_owned());
        manifest.nothing = Some(Taken { stage, reason, count: 495, detail: "no two tools are linked".to_owned() });
        let (code, complaint) = judge(&manifest, &rules(&["floor=0"]), || None);
        assert_eq!(code, YIELD, "nothing at all is never well");
        insta::assert_snapshot!(complaint.unwrap());
    }

    #[test]
    fn lost_rows_go_before_a_low_yield() {
        let mut manifest = manifest();
        assert_eq!(judge(&manifest, &rules(&[]), || None), (OK, None));
        let (code, complaint) = judge(&manifest, &rules(&["floor=0.999"]), || None);
        assert_eq!(code, YIELD);
        assert!(complaint.unwrap().starts_with("error: `perfect_queries` accepted only 199 of 200 required items"));
        manifest.rejects.insert("transport".to_owned(), 1);
        let (code, complaint) = judge(&manifest, &rules(&["floor=0.999"]), || Some("HTTP 429".to_owned()));
        assert_eq!(code, ENDPOINT);
        assert!(complaint.unwrap().starts_with("error: 1 item failed, for example: HTTP 429\n"));
    }

    #[test]
    fn the_stage_that_is_furthest_behind_is_named() {
        let mut manifest = manifest();
        manifest.owed =
            [("a", (10, 9)), ("b", (4, 1)), ("c", (0, 0))].map(|(stage, owed)| (stage.to_owned(), owed)).into();
        insta::assert_snapshot!(judge(&manifest, &rules(&[]), || None).1.unwrap(), @"
        error: `b` accepted only 1 of 4 required items, below `floor = 0.5`

        hint: `rejects.jsonl` lists the reasons; `--rerun-rejects` retries the rejected items
        ");
        assert_eq!(judge(&manifest, &rules(&["floor=0.25"]), || None), (OK, None), "the floor itself is enough");
        manifest.owed.clear();
        assert_eq!(judge(&manifest, &rules(&["floor=1.0"]), || None), (OK, None));
    }

    #[test]
    fn the_example_is_the_first_row_that_was_lost() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(example(folder.path()), None);
        let line = |reason: &str, detail: &str| {
            format!("{{\"id\":\"a\",\"stage\":\"s\",\"reason\":\"{reason}\",\"detail\":\"{detail}\"}}\n")
        };
        let lines = [line("odd", "no"), line("transport", "HTTP 500"), line("transport", "HTTP 502")].concat();
        std::fs::write(folder.path().join("rejects.jsonl"), lines).unwrap();
        assert_eq!(example(folder.path()).as_deref(), Some("HTTP 500"));
    }
}
