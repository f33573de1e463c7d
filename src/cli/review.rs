//! `fcgen review`: a sheet that people fill in, and what they said put into the samples.

mod apply;

use crate::cli::console::exit::{Complaint, INPUT, OK, USAGE};
use crate::cli::console::talk::{give, say};
use crate::cli::console::words::counted;
use apply::Reviewed;
use clap::Args;
use fcgen::format::Bench;
use fcgen::fs::AtomicFile;
use fcgen::record::{Chance, Sample};
use fcgen::report::{Sheet, read_sheet};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Flags of `review`.
#[derive(Debug, Args)]
pub(crate) struct ReviewArguments {
    /// Run folder or samples.jsonl
    run: PathBuf,
    /// Sheet to write (.csv or .tsv); with `--sheet`, output folder for the reviewed run
    #[arg(long, value_name = "PATH")]
    out: PathBuf,
    /// Completed sheet to apply: from this command, from the report, or any with the columns `id` and `decision`
    #[arg(long, value_name = "FILE")]
    sheet: Option<PathBuf>,
    /// Only this data type
    #[arg(long = "type", value_name = "T", conflicts_with = "sheet")]
    data_type: Option<String>,
    /// Write N random samples
    #[arg(long, value_name = "N", conflicts_with = "sheet")]
    random: Option<usize>,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 7)]
    seed: u64,
}

/// Writes a sheet, or reads one back.
pub(crate) fn run(arguments: &ReviewArguments) -> anyhow::Result<u8> {
    let bench = Bench::open_in(&arguments.run, None).map_err(Complaint::from)?;
    match &arguments.sheet {
        None => arguments.write(&bench),
        Some(sheet) => arguments.read(&bench, sheet),
    }
}

impl ReviewArguments {
    fn write(&self, bench: &Bench) -> anyhow::Result<u8> {
        let cannot =
            |error: std::io::Error| Complaint::new(INPUT, format!("cannot write `{}`: {error}", self.out.display()));
        let is_tabbed = self.out.extension().is_some_and(|end| end.eq_ignore_ascii_case("tsv"));
        let mut aside = AtomicFile::create(&self.out).map_err(cannot)?;
        let mut sheet = Sheet::begin(&mut aside, if is_tabbed { b'\t' } else { b',' })?;
        let drawn = self.drawn(bench);
        let (mut count, mut result) = (0, Ok(()));
        each(bench, &mut |sample| {
            if self.fits(sample) && drawn.as_ref().is_none_or(|drawn| drawn.values().any(|id| id == sample.id.as_str()))
            {
                count += 1;
                let put = sheet.put(sample);
                result = std::mem::replace(&mut result, Ok(())).and(put);
            }
        });
        result?;
        sheet.finish()?;
        aside.finish().map_err(cannot)?;
        say(format!(
            "{} to review: set the column `decision` to `accept`, `edit` or `reject`, then run `fcgen review {} --sheet {} --out FOLDER`",
            counted(count, "sample"),
            self.run.display(),
            self.out.display()
        ));
        give(self.out.display())?;
        Ok(OK)
    }

    /// The ids of those that chance chose, where some are to be.
    fn drawn(&self, bench: &Bench) -> Option<BTreeMap<u64, String>> {
        let most = self.random?;
        let mut drawn = BTreeMap::new();
        each(bench, &mut |sample| {
            if self.fits(sample) {
                drawn.insert(Chance::new(self.seed, "review", sample.id.as_str(), 0).bits(), sample.id.to_string());
                if drawn.len() > most {
                    drawn.pop_last();
                }
            }
        });
        Some(drawn)
    }

    fn fits(&self, sample: &Sample) -> bool {
        self.data_type.as_ref().is_none_or(|wanted| *wanted == sample.data_type.0)
    }

    fn read(&self, bench: &Bench, path: &Path) -> anyhow::Result<u8> {
        if self.out.canonicalize().ok().is_some_and(|out| bench.folder().canonicalize().is_ok_and(|run| run == out)) {
            let complaint = Complaint::new(USAGE, "`--out` is the run itself");
            return Err(complaint.hint("choose another folder; the reviewed run is not modified").into());
        }
        let broken = |error: String| Complaint::new(INPUT, format!("`{}`: {error}", path.display()));
        let file = File::open(path).map_err(|error| broken(error.to_string()))?;
        let opinions = read_sheet(file).map_err(|error| broken(error.to_string()))?;
        let reviewed = Reviewed::new(bench, opinions)?;
        let counts = reviewed.write(&self.out)?;
        say(format!(
            "{} accepted, {} edited, {} rejected, {} not reviewed; `benchmark/` is not regenerated",
            counts.accepted, counts.edited, counts.rejected, counts.unreviewed
        ));
        give(self.out.display())?;
        Ok(OK)
    }
}

/// Shows every sample; lines that are none are left out.
fn each(bench: &Bench, take: &mut dyn FnMut(&Sample)) {
    bench.each_place(&mut |_, found| found.iter().for_each(&mut *take));
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A folder with samples of these ids.
    pub(crate) fn bench(ids: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let line = |id: &&str| {
            let sample = serde_json::json!({
                "id": id, "suite": "hammerbench", "data_type": "ST_Perfect", "locale": "en", "group": id, "licence": "", "source": "",
                "messages": [{"role": "user", "content": "book a train to Porto"}],
                "candidates": [{"name": "book", "description": "Books a train.", "parameters": {"properties": {"to": {"type": "string"}}, "required": ["to"]}}],
                "expected": {"call": {"name": "book", "arguments": {"to": "Porto"}}},
                "arguments": {"to": {"surface": "Porto", "origin": "verbatim"}}, "provenance": {"template": true, "draws": []},
            });
            format!("{sample}\n")
        };
        std::fs::write(folder.path().join("samples.jsonl"), ids.iter().map(line).collect::<String>()).unwrap();
        folder
    }

    fn arguments(run: &Path, out: &str) -> ReviewArguments {
        let out = run.join(out);
        ReviewArguments { run: run.to_owned(), out, sheet: None, data_type: None, random: None, seed: 7 }
    }

    #[test]
    fn a_sheet_goes_out_and_comes_back() {
        let folder = bench(&["a", "b", "c"]);
        assert_eq!(run(&arguments(folder.path(), "sheet.tsv")).unwrap(), OK);
        let text = std::fs::read_to_string(folder.path().join("sheet.tsv")).unwrap();
        assert!(text.starts_with("id\ttype\tlocale\t") && text.lines().count() == 4, "{text}");
        std::fs::write(folder.path().join("filled.csv"), "id,decision,note\na,accept,\nc,reject,odd\n").unwrap();
        let mut back = arguments(folder.path(), "reviewed");
        back.sheet = Some(folder.path().join("filled.csv"));
        assert_eq!(run(&back).unwrap(), OK);
        let samples = std::fs::read_to_string(folder.path().join("reviewed/samples.jsonl")).unwrap();
        assert!(samples.contains(r#""review":"accepted""#) && samples.lines().count() == 2, "{samples}");
        let rejects = std::fs::read_to_string(folder.path().join("reviewed/rejects.jsonl")).unwrap();
        assert_eq!(
            rejects,
            "{\"id\":\"c\",\"stage\":\"review\",\"reason\":\"rejected_in_review\",\"detail\":\"odd\",\"text\":\"book a train to Porto\"}\n"
        );
    }

    #[test]
    fn some_are_drawn_by_chance_and_by_type() {
        let folder = bench(&["a", "b", "c", "d"]);
        let mut some = arguments(folder.path(), "sheet.csv");
        let lines = |arguments: &ReviewArguments| {
            run(arguments).unwrap();
            std::fs::read_to_string(&arguments.out).unwrap().lines().count()
        };
        some.random = Some(2);
        assert_eq!(lines(&some), 3);
        some.data_type = Some("other".to_owned());
        assert_eq!(lines(&some), 1);
    }

    #[test]
    fn the_run_itself_is_never_written_over() {
        let folder = bench(&["a"]);
        let mut back = arguments(folder.path(), "");
        back.sheet = Some(folder.path().join("none.csv"));
        assert_eq!(run(&back).unwrap_err().to_string(), "`--out` is the run itself");
        back.out = folder.path().join("other");
        assert!(run(&back).unwrap_err().to_string().contains("none.csv"));
    }
}
