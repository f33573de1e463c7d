//! Whether a run may write into a folder: an empty one, or one that holds the same run.

use super::store::Store;
use super::{Manifest, Options, RunError};
use crate::config::{Plan, ProviderKind};
use crate::run::prepare::ground::Ground;
use std::path::Path;

/// What a run leaves from its first moment on.
const OF_RUNS: [&str; 3] = ["run.db", "manifest.json", "progress.json"];

/// So many strange files are named.
const NAMED: usize = 3;

/// Refuses a folder with files that no run has made; hidden ones do not count, nor does what is half written.
pub(super) fn refuse_strange(folder: &Path) -> Result<(), RunError> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
    let is_half = |name: &str| Path::new(name).extension().is_some_and(|end| end == "part");
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.') && !is_half(name)).collect();
    if names.is_empty() || names.iter().any(|name| OF_RUNS.contains(&name.as_str())) {
        return Ok(());
    }
    names.sort();
    let more = if names.len() > NAMED { ", ..." } else { "" };
    names.truncate(NAMED);
    let message = format!("`{}` contains files that are not from a run: {}{more}", folder.display(), names.join(", "));
    Err(RunError::Occupied {
        message,
        hint: "choose an empty folder, or one that does not exist yet, with `--out`".to_owned(),
    })
}

/// Refuses a folder with a run of another plan, unless that may be replaced. A run may be made again with another limit.
pub(super) fn refuse_other(store: &Store, plan: &Plan, ground: &Ground, options: &Options) -> Result<(), RunError> {
    let is_same = match store.meta(KEY)? {
        Some(made) => made == identity(ground, options),
        // Folders of earlier versions do not have it.
        None => store.meta("begun")?.is_none_or(|begun| begun == ground.hash),
    };
    if is_same || options.overwrite {
        return Ok(());
    }
    let message = format!("`{}` contains a run with {}", options.out.display(), difference(&options.out, plan));
    let hint =
        "choose another folder with `--out`, or replace its files with `--overwrite`, which keeps cached replies";
    Err(RunError::Occupied { message, hint: hint.to_owned() })
}

/// Notes whose run the folder holds.
pub(super) fn remember(store: &Store, ground: &Ground, options: &Options) -> Result<(), RunError> {
    store.set_meta(KEY, &identity(ground, options))
}

/// The key of `run.db` under which it stands whose run it is.
const KEY: &str = "identity";

/// What may not differ: everything that decides on the items but how many of them there are.
fn identity(ground: &Ground, options: &Options) -> String {
    format!("{} {}", ground.unlimited, options.shard_name().unwrap_or_default())
}

/// What the run in a folder was made with that the plan has differently.
fn difference(folder: &Path, plan: &Plan) -> String {
    let read = std::fs::read_to_string(folder.join("manifest.json")).ok();
    let Some(made) = read.and_then(|text| serde_json::from_str::<Manifest>(&text).ok()) else {
        return "different settings".to_owned();
    };
    let mut told = Vec::new();
    let mut differs = |what: &str, before: String, now: String| {
        if before != now {
            told.push(format!("{what} {before} (now {now})"));
        }
    };
    differs("pipeline", format!("`{}`", made.pipeline), format!("`{}`", plan.pipeline.name));
    differs("locale", made.locale.clone(), plan.pipeline.locale.to_string());
    differs("seed", made.seed.to_string(), plan.pipeline.seed.get().to_string());
    for (role, model) in &plan.models {
        if let Some(before) = made.models.get(role) {
            let now = if model.provider == ProviderKind::Grammar { "grammar" } else { &model.model };
            differs(role, format!("`{}`", before.model), format!("`{now}`"));
        }
    }
    if told.is_empty() { "a different pipeline file or different settings".to_owned() } else { told.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::{SMALL, plan, run, small};

    #[tokio::test]
    async fn a_run_of_another_seed_is_replaced_on_request_alone() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::new(folder.path());
        let first = run(&small(), &options).await.unwrap();
        let other = plan(SMALL, &["seed=8"]);
        let refused = run(&other, &options).await.unwrap_err().to_string();
        assert!(refused.contains("contains a run with seed 3 (now 8)"), "{refused}");
        let text = std::fs::read_to_string(folder.path().join("manifest.json")).unwrap();
        assert_eq!(serde_json::from_str::<Manifest>(&text).unwrap(), first.manifest, "nothing was touched");
        let replaced = run(&other, &Options { overwrite: true, ..options }).await.unwrap();
        assert_eq!(replaced.manifest.seed, 8);
    }

    #[tokio::test]
    async fn the_same_run_may_become_longer() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options::new(folder.path());
        run(&plan(SMALL, &["limit=1"]), &options).await.unwrap();
        assert!(run(&small(), &options).await.is_ok());
    }

    #[tokio::test]
    async fn files_of_others_are_not_mixed_with_those_of_a_run() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(".hidden"), "").unwrap();
        assert!(refuse_strange(folder.path()).is_ok());
        for name in ["a.txt", "b.txt", "c.txt", "thesis.tex"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let refused = run(&small(), &Options::new(folder.path())).await.unwrap_err().to_string();
        assert!(refused.ends_with("contains files that are not from a run: a.txt, b.txt, c.txt, ..."), "{refused}");
        assert!(!folder.path().join("run.db").exists());
    }
}
