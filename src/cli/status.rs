//! `fcgen status`: how a run stands, or how far one is that is still going or was broken off.

use super::exit::OK;
use super::figures::{figures, spent};
use super::manifest::read_manifest;
use super::talk::{Colour, give};
use super::words::{columns, counted, thousands};
use clap::Args;
use fcgen::run::Manifest;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// Flags of `status`.
#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// A run folder, such as output/hammer-en
    run: PathBuf,
}

/// What `run.db` holds, by stage.
#[derive(Debug, Default, PartialEq, Eq)]
struct Kept {
    items: Vec<(String, u64)>,
    rejects: Vec<(String, u64)>,
    replies: Vec<(String, u64)>,
}

/// Prints the state.
pub(crate) fn run(arguments: &StatusArguments) -> anyhow::Result<u8> {
    let run = &arguments.run;
    let manifest = read_manifest(run);
    let kept = Kept::read(&run.join("run.db"));
    match (manifest, kept) {
        (Ok(manifest), kept) => give(finished(run, &manifest, &kept.unwrap_or_default()))?,
        (Err(_), Ok(kept)) => give(unfinished(run, &kept))?,
        (Err(error), Err(_)) => return Err(error),
    }
    Ok(OK)
}

fn finished(run: &Path, manifest: &Manifest, kept: &Kept) -> String {
    let shard = manifest.shard.as_ref().map(|_| " (one of several shards)").unwrap_or_default();
    let mut lines = vec![
        format!("{}: {}-{}, seed {}{shard}", run.display(), manifest.pipeline, manifest.locale, manifest.seed),
        format!("{}, made by fcgen {}", spent(manifest), manifest.fcgen),
    ];
    if !manifest.notice.is_empty() {
        lines.push(format!("template: {}", manifest.notice));
    }
    lines.extend(figures(manifest, Colour::default()));
    lines.extend(part("Replies in the journal", &kept.replies));
    lines.join("\n")
}

fn unfinished(run: &Path, kept: &Kept) -> String {
    let total =
        |counts: &[(String, u64)]| usize::try_from(counts.iter().map(|(_, count)| count).sum::<u64>()).unwrap_or(0);
    let mut lines = vec![format!(
        "{}: not at its end; {}, {} and {} so far",
        run.display(),
        counted(total(&kept.items), "item"),
        counted(total(&kept.rejects), "reject"),
        format_args!("{} kept replies", thousands(total(&kept.replies) as u64)),
    )];
    lines.extend(part("Items by stage", &kept.items));
    lines.extend(part("Rejects by reason", &kept.rejects));
    lines.extend(part("Replies in the journal", &kept.replies));
    lines.join("\n")
}

fn part(heading: &str, counts: &[(String, u64)]) -> Vec<String> {
    if counts.is_empty() {
        return Vec::new();
    }
    let rows: Vec<Vec<String>> = counts.iter().map(|(name, count)| vec![name.clone(), thousands(*count)]).collect();
    let rows = columns(&rows).into_iter().map(|row| format!("  {row}"));
    [String::new(), heading.to_owned()].into_iter().chain(rows).collect()
}

impl Kept {
    /// Reads the counts without disturbing a run that writes.
    fn read(path: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let counts = |query: &str| counts(&connection, query).unwrap_or_default();
        Ok(Self {
            items: counts("SELECT stage, COUNT(*) FROM item GROUP BY stage"),
            rejects: counts("SELECT json_extract(json, '$.reason'), COUNT(*) FROM reject GROUP BY 1"),
            replies: counts("SELECT stage, COUNT(*) FROM reply GROUP BY stage"),
        })
    }
}

/// Names and counts; a table that is not there counts nothing.
fn counts(connection: &Connection, query: &str) -> rusqlite::Result<Vec<(String, u64)>> {
    let mut statement = connection.prepare(query)?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get::<_, u32>(1)?.into())))?;
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::figures::tests::manifest;

    #[test]
    fn a_run_at_its_end_shows_its_figures() {
        let kept = Kept { replies: vec![("ask".to_owned(), 1200)], ..Kept::default() };
        insta::assert_snapshot!(finished(Path::new("output/hammer-en"), &manifest(), &kept));
    }

    #[test]
    fn a_run_that_goes_on_shows_what_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        let connection = Connection::open(&path).unwrap();
        let tables = "CREATE TABLE item (stage TEXT, key TEXT, json TEXT); INSERT INTO item VALUES ('ask', 'a', '{}');
                      CREATE TABLE reject (key TEXT, stage TEXT, json TEXT);
                      INSERT INTO reject VALUES ('b', 'ask', '{\"reason\": \"odd\"}');";
        connection.execute_batch(tables).unwrap();
        insta::assert_snapshot!(unfinished(Path::new("r"), &Kept::read(&path).unwrap()));
        assert!(Kept::read(&folder.path().join("none.db")).is_err());
    }

    #[test]
    fn a_shard_says_that_it_is_one_and_an_empty_journal_is_not_mentioned() {
        let mut manifest = manifest();
        manifest.shard = Some("0/3".to_owned());
        let text = finished(Path::new("r"), &manifest, &Kept::default());
        assert!(
            text.starts_with("r: hammer-en, seed 7 (one of several shards)\n") && !text.contains("journal\n"),
            "{text}"
        );
    }

    #[test]
    fn a_run_that_has_kept_nothing_yet_says_so_in_a_line() {
        assert_eq!(
            unfinished(Path::new("r"), &Kept::default()),
            "r: not at its end; 0 items, 0 rejects and 0 kept replies so far"
        );
    }

    #[test]
    fn a_folder_that_is_no_run_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = run(&StatusArguments { run: folder.path().to_owned() }).unwrap_err();
        assert!(error.to_string().ends_with("is no run folder: no manifest.json"), "{error}");
    }
}
