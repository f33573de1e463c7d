//! Runs of whole pipelines with the built-in model: the same bytes however the work is cut and whatever was there before.

use fcgen::config::{Overrides, Plan, load};
use fcgen::run::{Live, Manifest, Options, RunError, Summary, merge, run};
use insta::assert_snapshot;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn plan(sets: &[&str]) -> Plan {
    let mut overrides = Overrides::default();
    for set in sets {
        overrides.set(*set);
    }
    load(fcgen::assets(), &fcgen::assets().read("pipelines/hammer.toml").unwrap(), "pipelines/hammer.toml", &overrides)
        .unwrap()
}

/// Six tools, spread over the seeds of the tests so that each has rejects.
fn small() -> Plan {
    plan(&["limit=6", "model.generator.defect_rate=0.2"])
}

/// The same with a stage that looks at the whole run.
fn with_quota() -> Plan {
    let whole = fcgen::assets().read("pipelines/hammer.toml").unwrap();
    // A quota counts samples, so it stands before the dialogues.
    let text = format!("{}\n[[stage]]\nkind = \"quota\"\ncount = 7\n", whole.split_once("# Dialogues:").unwrap().0);
    let mut overrides = Overrides::default();
    for set in ["limit=6", "model.generator.defect_rate=0.2"] {
        overrides.set(set);
    }
    load(fcgen::assets(), &text, "pipelines/hammer.toml", &overrides).unwrap()
}

async fn go(plan: &Plan, options: &Options) -> Result<Summary, RunError> {
    run(plan, options, |_: Live| {}).await
}

async fn run_into(plan: &Plan, folder: &Path) -> Summary {
    go(plan, &Options::new(folder)).await.unwrap()
}

/// The bytes of everything that must not depend on how it was made, by path.
fn bytes(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                folders.push(path);
            } else if !name.starts_with("run.db") && !["manifest.json", "progress.json"].contains(&name.as_str()) {
                files.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(path).unwrap());
            }
        }
    }
    files
}

fn assert_same(one: &Path, other: &Path) {
    let (one, other) = (bytes(one), bytes(other));
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (path, bytes) in &one {
        assert!(*bytes == other[path], "{} differs", path.display());
    }
    assert!(one.len() > 5 && one[Path::new("samples.jsonl")].len() > 1000, "{:?}", one.keys());
}

fn ids(folder: &Path, name: &str) -> BTreeSet<String> {
    lines(folder, name).into_keys().collect()
}

/// The lines of a file by their ids.
fn lines(folder: &Path, name: &str) -> BTreeMap<String, String> {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    let id = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned();
    text.lines().map(|line| (id(line), line.to_owned())).collect()
}

async fn shards(plan: &Plan, folder: &Path, of: usize) -> Vec<PathBuf> {
    let mut shards = Vec::new();
    for index in 0..of {
        let out = folder.join(format!("shard-{index}-of-{of}"));
        go(plan, &Options { shard: Some((index, of)), ..Options::new(&out) }).await.unwrap();
        shards.push(out);
    }
    shards
}

#[tokio::test(flavor = "multi_thread")]
async fn one_at_a_time_many_at_a_time_and_three_shards_give_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for (name, concurrency) in [("one", 1), ("many", 64)] {
        let options = Options { concurrency: Some(concurrency), ..Options::new(at(name)) };
        go(&small(), &options).await.unwrap();
    }
    assert_same(&at("one"), &at("many"));
    let shards = shards(&small(), folder.path(), 3).await;
    merge(&small(), &shards, &Options::new(at("merged"))).unwrap();
    assert_same(&at("one"), &at("merged"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_quota_counts_over_all_shards() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let whole = run_into(&with_quota(), &at("whole")).await;
    assert!(whole.manifest.rejects["quota"] > 0 && whole.manifest.samples.values().all(|count| *count <= 7));
    let shards = shards(&with_quota(), folder.path(), 3).await;
    let merged = merge(&with_quota(), &shards, &Options::new(at("merged"))).unwrap();
    assert_same(&at("whole"), &at("merged"));
    assert_eq!(merged.manifest.rejects, whole.manifest.rejects);
    assert_eq!(merged.manifest.stages, whole.manifest.stages);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_total_that_is_wanted_is_shared_by_the_tools_in_one_process_and_in_shards() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(&["limit=6", "stage.perfect_queries.want=9"]);
    let whole = folder.path().join("whole");
    let summary = run_into(&plan, &whole).await;
    assert_eq!((summary.manifest.owed["perfect_queries"], summary.manifest.samples["ST_Perfect"]), ((9, 9), 9));
    let merged = folder.path().join("merged");
    let parts = shards(&plan, folder.path(), 3).await;
    merge(&plan, &parts, &Options::new(&merged)).unwrap();
    assert_same(&whole, &merged);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_run_into_the_same_folder_gives_the_same() {
    let folder = tempfile::tempdir().unwrap();
    run_into(&small(), folder.path()).await;
    let first = bytes(folder.path());
    run_into(&small(), folder.path()).await;
    assert!(first == bytes(folder.path()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_another_plan_left_does_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    run_into(&plan(&["limit=4", "seed=8"]), &at("used")).await;
    let toolkits =
        load(fcgen::assets(), &fcgen::assets().read("pipelines/toolkits.toml").unwrap(), "pipelines/toolkits.toml", &{
            let mut overrides = Overrides::default();
            overrides.set("limit=2");
            overrides
        });
    let over = |folder: PathBuf| Options { overwrite: true, ..Options::new(folder) };
    go(&toolkits.unwrap(), &over(at("used"))).await.unwrap();
    assert!(
        !at("used").join("benchmark/data").exists()
            || bytes(&at("used")).keys().all(|path| !path.starts_with("benchmark/data"))
    );
    // Nothing of the other plans was rejected by this one.
    go(&small(), &Options { rerun_rejects: true, ..over(at("used")) }).await.unwrap();
    run_into(&small(), &at("new")).await;
    assert_same(&at("new"), &at("used"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_rejected_is_asked_for_anew_and_nothing_else_changes() {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { rerun_rejects: true, ..Options::new(folder.path()) };
    // A second rerun builds upon the first.
    run_into(&small(), folder.path()).await;
    let mut gained = 0;
    for _ in 0..2 {
        let (samples, rejects) = (lines(folder.path(), "samples.jsonl"), ids(folder.path(), "rejects.jsonl"));
        assert!(!rejects.is_empty());
        go(&small(), &options).await.unwrap();
        let now = lines(folder.path(), "samples.jsonl");
        for (id, line) in &samples {
            assert!(now.get(id) == Some(line), "`{id}` has changed");
        }
        let new: Vec<&String> = now.keys().filter(|id| !samples.contains_key(*id)).collect();
        let grown = |id: &String| rejects.iter().any(|reject| id == reject || id.starts_with(&format!("{reject}/")));
        assert!(new.iter().all(|id| grown(id)), "{new:?} come from elsewhere");
        gained += new.len();
    }
    assert!(gained > 0, "nothing that was asked for anew got through");
    // What was gained stays when the run is run again as it is.
    let after = bytes(folder.path());
    run_into(&small(), folder.path()).await;
    assert!(after == bytes(folder.path()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_limit_takes_the_first_source_items() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let plan = |limit: &str| plan(&[limit]);
    let (few, more) = (run_into(&plan("limit=2"), &at("few")).await, run_into(&plan("limit=5"), &at("more")).await);
    assert_eq!((few.manifest.stages[0].came, more.manifest.stages[0].came), (2, 5));
    let roots = |name: &str| {
        let ids = ids(&at(name), "samples.jsonl").into_iter();
        ids.map(|id| id.split('/').next().unwrap().to_owned()).collect::<BTreeSet<_>>()
    };
    assert_eq!(roots("few").len(), 2);
    assert!(roots("few").is_subset(&roots("more")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_draws_what_the_run_would_draw_and_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let options = Options { preview: Some(3), ..Options::new(at("preview")) };
    let preview = go(&small(), &options).await.unwrap().preview;
    let names: Vec<_> = fs::read_dir(at("preview")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| name.to_str().unwrap().starts_with("run.db")), "{names:?}");
    run_into(&small(), &at("run")).await;
    let drawn: BTreeSet<String> =
        ids(&at("run"), "samples.jsonl").union(&ids(&at("run"), "rejects.jsonl")).cloned().collect();
    // Variants and dialogues are drawn from a few of what was accepted, which a preview does not know.
    let chosen = |id: &str| ["external_queries", "slot_filling"].iter().any(|stage| id.contains(stage));
    let plain = preview.items.iter().filter(|item| !chosen(item.id.as_str()));
    assert!(plain.clone().count() >= 6, "{}", preview.items.len());
    for item in plain {
        assert!(drawn.contains(item.id.as_str()), "{} was drawn for the preview alone", item.id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn shards_that_do_not_fit_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let tiny = plan(&["limit=2"]);
    let shards = shards(&tiny, folder.path(), 2).await;
    run_into(&tiny, &at("whole")).await;
    let foreign = at("foreign");
    go(&plan(&["limit=2", "seed=9"]), &Options { shard: Some((1, 2)), ..Options::new(&foreign) }).await.unwrap();
    let refused = |shards: &[PathBuf], out: &str| {
        let error = merge(&tiny, shards, &Options::new(at(out))).unwrap_err();
        assert!(matches!(error, RunError::Shards(_)));
        error.to_string().replace(folder.path().to_str().unwrap(), "")
    };
    let (one, two) = (shards[0].clone(), shards[1].clone());
    assert_snapshot!(refused(std::slice::from_ref(&one), "out"), @"shard 2 of 2 is missing");
    assert_snapshot!(refused(&[one.clone(), one.clone()], "out"), @"`/shard-0-of-2` is given twice");
    assert_snapshot!(refused(&[one.clone(), foreign], "out"), @"`/foreign` was not made by this pipeline with these settings");
    assert_snapshot!(refused(&[at("whole"), two.clone()], "out"), @"`/whole` is a whole run, not a shard");
    assert_snapshot!(refused(&[one.clone(), at("none")], "out"), @"`/none` contains no run.db");
    assert_snapshot!(refused(&[one.clone(), two.clone()], "shard-1-of-2"), @"`/shard-1-of-2` is a shard and cannot also be the output folder");
    assert!(!at("out").exists(), "nothing is written before all is known to fit");
    merge(&tiny, &[two, one], &Options::new(at("out"))).unwrap();
    assert_same(&at("whole"), &at("out"));
}

#[tokio::test(flavor = "multi_thread")]
async fn places_that_cannot_be_written_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let tiny = plan(&["limit=1"]);
    fs::write(at("file"), "").unwrap();
    let error = async |out: PathBuf| {
        let error = go(&tiny, &Options::new(out)).await.unwrap_err();
        error.to_string().replace(folder.path().to_str().unwrap(), "")
    };
    assert_snapshot!(error(at("file")).await, @"cannot write or read the run's files: `/file`: File exists (os error 17)");
    assert_snapshot!(error(at("file/below")).await, @"cannot write or read the run's files: `/file/below`: Not a directory (os error 20)");
    fs::create_dir_all(at("a/samples.jsonl.part")).unwrap();
    assert_snapshot!(error(at("a")).await, @"cannot write or read the run's files: `/a/samples.jsonl`: Is a directory (os error 21)");
    fs::create_dir_all(at("b/run.db")).unwrap();
    assert!(error(at("b")).await.starts_with("`run.db`: "));
    fs::create_dir_all(at("c")).unwrap();
    fs::write(at("c/run.db"), "not a database, and long enough to be looked at. ".repeat(30)).unwrap();
    assert_snapshot!(error(at("c")).await, @"`run.db`: file is not a database");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_appear_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let tiny = plan(&["limit=1"]);
    run_into(&tiny, folder.path()).await;
    let before = bytes(folder.path());
    // The next run fails when it has begun to write: `rejects.jsonl` cannot be made.
    fs::create_dir(folder.path().join("rejects.jsonl.part")).unwrap();
    go(&plan(&["limit=2"]), &Options::new(folder.path())).await.unwrap_err();
    assert!(before == bytes(folder.path()), "neither half a file nor a new one");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_interrupted_leaves_a_manifest_and_can_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let options = Options::new(at("stopped"));
    let interrupt = options.interrupt.clone();
    let error = run(&small(), &options, |_| interrupt.trigger()).await.unwrap_err();
    assert_eq!(error.to_string(), "interrupted");
    let manifest: Manifest = serde_json::from_slice(&fs::read(at("stopped/manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest.stopped.unwrap(), "interrupted");
    run_into(&small(), &at("stopped")).await;
    run_into(&small(), &at("whole")).await;
    assert_same(&at("whole"), &at("stopped"));
}

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_cannot_work_in_one_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (small, options) = (small(), Options::new(folder.path()));
    let (one, two) = tokio::join!(go(&small, &options), go(&small, &options));
    let errors: Vec<String> = [one, two].into_iter().filter_map(Result::err).map(|error| error.to_string()).collect();
    assert_eq!(errors, [format!("another process is using `{}`", folder.path().display())]);
}
