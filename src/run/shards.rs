//! Looks at shards before they are merged: all of one plan, each once, none missing, none still at work.

use super::RunError;
use super::store::Store;
use crate::fs::Lock;
use crate::run::output::manifest::FORMAT;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Checks that the shards are all there is of the plan with this hash, and holds them.
pub(super) fn check_shards(plan: &str, shards: &[PathBuf], out: &Path) -> Result<Vec<Lock>, RunError> {
    let mut seen = BTreeSet::new();
    let mut parts = None;
    let mut locks = Vec::new();
    for shard in shards {
        let fault = |words: String| Err(RunError::Shards(format!("`{}` {words}", shard.display())));
        if !shard.join("run.db").is_file() {
            return fault("contains no run.db".to_owned());
        }
        if same(shard, out) {
            return fault("is a shard and cannot also be the output folder".to_owned());
        }
        if shards.iter().filter(|other| same(other, shard)).count() > 1 {
            return fault("is given twice".to_owned());
        }
        locks.push(Lock::take(shard)?);
        let store = Store::open(&shard.join("run.db"), &[])?;
        let name = match standing(&store, plan)? {
            Ok(name) => name,
            Err(words) => return fault(words),
        };
        let Some((index, of)) = parse(&name) else { return fault("is a whole run, not a shard".to_owned()) };
        if *parts.get_or_insert(of) != of {
            return fault(format!("is one of {of} shards, but the previous one is one of {}", parts.unwrap_or(of)));
        }
        if !seen.insert(index) {
            return fault(format!("is shard {} of {of}, like another one", index + 1));
        }
    }
    let Some(of) = parts else { return Err(RunError::Shards("no shards given".to_owned())) };
    let missing: Vec<String> =
        (0..of).filter(|index| !seen.contains(index)).map(|index| (index + 1).to_string()).collect();
    match missing.as_slice() {
        [] => Ok(locks),
        [one] => Err(RunError::Shards(format!("shard {one} of {of} is missing"))),
        several => Err(RunError::Shards(format!("shards {} of {of} are missing", several.join(", ")))),
    }
}

/// The shard's name, or why it cannot be used.
fn standing(store: &Store, plan: &str) -> Result<Result<String, String>, RunError> {
    let is_plan = |key: &str| Ok::<bool, RunError>(store.meta(key)?.as_deref() == Some(plan));
    if is_plan("plan")? {
        return Ok(Ok(store.meta("shard")?.unwrap_or_default()));
    }
    if is_plan("begun")? {
        return Ok(Err("is not finished; run it again".to_owned()));
    }
    Ok(Err(match other_version(store)? {
        Some(words) => words,
        None => "was not made by this pipeline with these settings".to_owned(),
    }))
}

/// Who made a shard, where that was another version: its settings cannot be compared with those of this one.
fn other_version(store: &Store) -> Result<Option<String>, RunError> {
    let own = env!("CARGO_PKG_VERSION");
    Ok(match (store.meta("format")?, store.meta("fcgen")?) {
        (None, _) => Some(format!(
            "was made by an earlier version of fcgen (run format 0; this is {own}, run format {FORMAT}); run it again"
        )),
        (Some(_), Some(maker)) if maker != own => {
            Some(format!("was made by fcgen {maker}, and this is {own}; run it again"))
        }
        _ => None,
    })
}

fn parse(name: &str) -> Option<(usize, usize)> {
    let (index, of) = name.split_once('/')?;
    Some((index.parse().ok()?, of.parse().ok()?))
}

fn same(one: &Path, other: &Path) -> bool {
    match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::RunStopped;
    use insta::assert_snapshot;

    /// A folder of shards by their names, each at its end unless its name is `open`.
    fn folders(names: &[&str]) -> (tempfile::TempDir, Vec<PathBuf>) {
        let folder = tempfile::tempdir().unwrap();
        let shards: Vec<PathBuf> = (0..names.len()).map(|ordinal| folder.path().join(format!("s{ordinal}"))).collect();
        for (shard, name) in shards.iter().zip(names) {
            std::fs::create_dir(shard).unwrap();
            let mut store = Store::open(&shard.join("run.db"), &[]).unwrap();
            let plan = if *name == "foreign" { "other" } else { "plan" };
            store.begin(plan, false).unwrap();
            if *name != "open" {
                store.end(plan, Some(name)).unwrap();
            }
        }
        (folder, shards)
    }

    fn fault(names: &[&str]) -> String {
        let (folder, shards) = folders(names);
        let error = check_shards("plan", &shards, &folder.path().join("out")).unwrap_err();
        error.to_string().replace(&folder.path().display().to_string(), "")
    }

    #[test]
    fn all_of_them_are_enough() {
        let (folder, shards) = folders(&["1/2", "0/2"]);
        assert_eq!(check_shards("plan", &shards, folder.path()).unwrap().len(), 2);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        assert_snapshot!(fault(&["0/3", "2/3"]), @"shard 2 of 3 is missing");
        assert_snapshot!(fault(&["1/3"]), @"shards 1, 3 of 3 are missing");
        assert_snapshot!(fault(&["0/2", "0/2"]), @"`/s1` is shard 1 of 2, like another one");
        assert_snapshot!(fault(&["0/2", "1/3"]), @"`/s1` is one of 3 shards, but the previous one is one of 2");
        assert_snapshot!(fault(&["0/2", "foreign"]), @"`/s1` was not made by this pipeline with these settings");
        assert_snapshot!(fault(&["open"]), @"`/s0` is not finished; run it again");
        assert_snapshot!(fault(&[""]), @"`/s0` is a whole run, not a shard");
        assert_snapshot!(fault(&[]), @"no shards given");
    }

    #[test]
    fn a_shard_of_another_version_is_refused_with_its_maker() {
        let fault = |change: &str| {
            let (folder, shards) = folders(&["0/1"]);
            let store = Store::open(&shards[0].join("run.db"), &[]).unwrap();
            store.connection.execute_batch("UPDATE meta SET value = 'other' WHERE key IN ('plan', 'begun')").unwrap();
            store.connection.execute_batch(change).unwrap();
            let error = check_shards("plan", &shards, &folder.path().join("out")).unwrap_err();
            let text = error.to_string().replace(&folder.path().display().to_string(), "");
            text.replace(env!("CARGO_PKG_VERSION"), "VERSION")
        };
        assert_snapshot!(fault(""), @"`/s0` was not made by this pipeline with these settings");
        assert_snapshot!(fault("UPDATE meta SET value = '9.9.9' WHERE key = 'fcgen'"), @"`/s0` was made by fcgen 9.9.9, and this is VERSION; run it again");
        assert_snapshot!(
            fault("DELETE FROM meta WHERE key IN ('fcgen', 'format')"),
            @"`/s0` was made by an earlier version of fcgen (run format 0; this is VERSION, run format 1); run it again"
        );
    }

    #[test]
    fn folders_are_compared_by_where_they_are() {
        let (folder, shards) = folders(&["0/1"]);
        let winding = folder.path().join("s0/../s0");
        let message = |shards: &[PathBuf], out: &Path| check_shards("plan", shards, out).unwrap_err().to_string();
        assert!(message(&shards, &winding).ends_with("is a shard and cannot also be the output folder"));
        assert!(message(&[shards[0].clone(), winding], Path::new("out")).ends_with("is given twice"));
        assert!(message(&[folder.path().join("none")], Path::new("out")).ends_with("contains no run.db"));
    }

    #[test]
    fn a_shard_that_is_at_work_is_left_alone() {
        let (folder, shards) = folders(&["0/1"]);
        let _lock = Lock::take(&shards[0]).unwrap();
        let error = check_shards("plan", &shards, folder.path()).unwrap_err();
        assert!(matches!(error, RunError::Stop(RunStopped::Input(_))), "{error}");
    }

    #[test]
    fn a_name_is_an_index_and_how_many_there_are() {
        assert_eq!((parse("0/3"), parse("12/40")), (Some((0, 3)), Some((12, 40))));
        for name in ["", "3", "a/3", "1/", "-1/3", "1/2/3"] {
            assert_eq!(parse(name), None, "{name}");
        }
    }

    #[test]
    fn the_first_fault_stops_and_lets_the_others_go() {
        let (folder, shards) = folders(&["0/2", "foreign"]);
        assert!(check_shards("plan", &shards, folder.path()).is_err());
        assert!(Lock::take(&shards[0]).is_ok(), "nobody holds it any longer");
    }
}
