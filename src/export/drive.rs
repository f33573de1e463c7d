//! From a bench to files: passes that look around (`look.rs`), and one that writes. No text is held but that of one
//! conversation, and a few numbers for each row.

use super::card::card;
use super::choice::{Chosen, Sieve, copies, trained};
use super::file::Sink;
use super::look::{self, Known, look, told_of_run};
use super::loss::{Loss, Rule};
use super::options::{Dialect, ExportError, Objective, Options};
use super::rename::{self, Table, make_safe};
use super::row::{Written, bfcl, llamafactory, llamafactory_openai, rendered, table, trl};
use super::split::Assigned;
use super::stats::Stats;
use crate::export::lessons::lesson::Lesson;
use crate::export::lessons::teach::Around;
use crate::export::pairing::pairs::{self, Wrong};
use crate::export::pairing::reward::Judge;
use crate::format::{Bench, Predictions};
use crate::fs::AtomicFile;
use crate::record::{Chance, Object, Sample, Value};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// Writes a bench as training files into a folder.
pub fn export(bench: &Bench, folder: &Path, options: &Options) -> Result<Stats, ExportError> {
    if options.objective != Objective::Sft {
        options.reader()?;
    }
    let mut writing = Writing::begin(folder, options, look(bench, options)?, told_of_run(&bench.folder()))?;
    let mut at = 0;
    look::each::<ExportError>(bench, &mut |sample, around| {
        at += 1;
        writing.sample(at - 1, sample, around)
    })?;
    writing.finish(folder)
}

/// The pass that writes.
pub(super) struct Writing<'o> {
    pub(super) options: &'o Options,
    pub(super) sieve: Sieve<'o>,
    chosen: Chosen,
    assigned: Option<Assigned>,
    sinks: Vec<Sink>,
    files: Vec<String>,
    index: Option<AtomicFile>,
    losses: AtomicFile,
    pub(super) stats: Stats,
    names: Table,
    pub(super) judge: Judge,
    predictions: Vec<Predictions>,
    /// For each tool and data type a sample of one request with its part: what a rejected draw of the same kind is shown with.
    pub(super) frames: BTreeMap<(String, String), (Sample, usize)>,
    canary: Option<String>,
}

impl<'o> Writing<'o> {
    fn begin(
        folder: &Path,
        options: &'o Options,
        Known { teacher, chosen, assigned }: Known,
        told: Stats,
    ) -> Result<Self, ExportError> {
        let mut files = Vec::new();
        let open = |side: &&str| -> io::Result<Sink> {
            let mut path = |ending: &str| {
                files.push(format!("{side}.{ending}"));
                folder.join(format!("{side}.{ending}"))
            };
            match options.to {
                Dialect::Csv => Sink::cells(&path("csv")),
                Dialect::Parquet => {
                    Ok(Sink::Columns(Box::new(super::columns::Columns::create(AtomicFile::create(&path("parquet"))?)?)))
                }
                Dialect::Bfcl if options.sides().len() > 1 => {
                    Ok(Sink::Bfcl(folder.join(side), indexmap::IndexMap::new()))
                }
                Dialect::Bfcl => Ok(Sink::Bfcl(folder.to_owned(), indexmap::IndexMap::new())),
                _ => Sink::lines(&path("jsonl")),
            }
        };
        let sinks = options.sides().iter().map(open).collect::<io::Result<_>>()?;
        let index =
            (options.to == Dialect::Openai).then(|| AtomicFile::create(&folder.join("index.jsonl"))).transpose()?;
        let greatest = assigned.as_ref().map(|assigned| assigned.greatest);
        let stats = Stats { greatest, mixed: chosen.mixed.clone(), ..told };
        Ok(Self {
            options,
            sieve: Sieve::new(options, teacher),
            chosen,
            assigned,
            sinks,
            files,
            index,
            losses: AtomicFile::create(&folder.join("losses.jsonl"))?,
            stats,
            names: Table::default(),
            judge: Judge::default(),
            predictions: options.predictions.iter().map(|path| Predictions::open(path)).collect::<Result<_, _>>()?,
            frames: BTreeMap::new(),
            canary: None,
        })
    }

    pub(super) fn lose(&mut self, loss: &Loss) -> Result<(), ExportError> {
        self.stats.lose(loss);
        Ok(writeln!(self.losses, "{}", serde_json::to_string(loss).unwrap_or_default())?)
    }

    fn sample(&mut self, at: usize, sample: Sample, around: &Around) -> Result<(), ExportError> {
        if self.canary.is_none() {
            self.canary = sample.provenance.facts.get("canary").cloned();
        }
        if let Some(rule) = self.chosen.loss(at) {
            return self.lose(&Loss::row(sample.id.as_str(), rule, ""));
        }
        match self.sieve.lesson(sample, around) {
            Ok((lesson, losses)) => {
                losses.iter().try_for_each(|loss| self.lose(loss))?;
                self.lesson(&lesson)
            }
            Err(loss) => self.lose(&loss),
        }
    }

    fn lesson(&mut self, lesson: &Lesson) -> Result<(), ExportError> {
        let side = self.assigned.as_mut().map_or(0, |assigned| assigned.side(lesson));
        self.frame(&lesson.sample, side);
        let times = copies(lesson, &self.options.weights, self.options.seed);
        (0..times).try_for_each(|copy| self.copy(lesson, copy, side))
    }

    fn copy(&mut self, lesson: &Lesson, copy: u32, side: usize) -> Result<(), ExportError> {
        let seed = self.options.seed;
        let is_renamed = Chance::new(seed, "export.renamed", lesson.id(), copy).happens(self.options.rename);
        let wrongs = if self.options.objective == Objective::Dpo { self.wrongs(lesson, copy) } else { Vec::new() };
        let mut named = lesson.clone();
        self.name(&mut named, is_renamed, copy);
        if copy > 0 {
            named.sample.id = lesson.sample.id.child("copy", copy as usize);
        }
        let rows = match self.options.objective {
            Objective::Sft => u32::from(self.taught(&named, side)?),
            Objective::Rl => {
                let written = pairs::prompt(&named, self.options.reader()?, self.options.reasoning);
                u32::from(self.write(&named, written, side)?)
            }
            Objective::Dpo => self.pairs(lesson, &named, wrongs, (is_renamed, copy), side)?,
        };
        let name = self.options.sides().get(side).copied().unwrap_or("train");
        (0..rows).for_each(|_| self.stats.add(&named, name, is_renamed));
        if rows > 0 && self.options.objective == Objective::Sft {
            self.stats.train(&trained(lesson, self.options.trains_history()));
        }
        Ok(())
    }

    /// The names that the row is to have. They hang on tools, seed and copy alone, so that a wrong answer gets the same.
    pub(super) fn name(&mut self, lesson: &mut Lesson, is_renamed: bool, copy: u32) {
        if is_renamed {
            rename::rename(lesson, self.options.seed, copy);
        }
        if self.options.to == Dialect::Openai || self.options.safe_names {
            make_safe(lesson, &mut self.names);
        }
    }

    /// Wrong answers to a lesson: what models said, and faults that are committed here.
    fn wrongs(&mut self, lesson: &Lesson, copy: u32) -> Vec<Wrong> {
        let mut out = Vec::new();
        for predictions in &self.predictions {
            let said =
                predictions.runs().into_iter().filter_map(|run| predictions.find(lesson.id(), run)?.ok()?.turn());
            out.extend(said.filter_map(|turn| pairs::predicted(lesson, &turn, &mut self.judge)));
        }
        for at in 0..self.options.defects {
            out.extend(pairs::defect(lesson, &mut self.judge, self.options.seed, copy * 100 + at));
        }
        out
    }

    pub(super) fn pairs(
        &mut self,
        lesson: &Lesson,
        named: &Lesson,
        wrongs: Vec<Wrong>,
        (is_renamed, copy): (bool, u32),
        side: usize,
    ) -> Result<u32, ExportError> {
        if wrongs.is_empty() {
            self.lose(&Loss::row(named.id(), Rule::NoRejected, ""))?;
        }
        let mut rows = 0;
        for mut wrong in wrongs {
            let mut other = lesson.clone();
            other.turns.truncate(other.target);
            other.turns.push(wrong.turn.clone());
            self.name(&mut other, is_renamed, copy);
            wrong.turn = other.turns.pop().unwrap_or(wrong.turn);
            let row = pairs::row(named, &wrong, self.options.reader()?, self.options.reasoning);
            if self.write(named, row, side)? {
                *self.stats.rejected_from.entry(wrong.from.to_owned()).or_default() += 1;
                rows += 1;
            }
        }
        Ok(rows)
    }

    /// Writes the row of the right answer; whether there is one.
    fn taught(&mut self, lesson: &Lesson, side: usize) -> Result<bool, ExportError> {
        if let Some(written) = rendered(lesson, self.options) {
            return self.write(lesson, written, side);
        }
        let Some(sink) = self.sinks.get_mut(side) else { return Ok(true) };
        if self.options.to == Dialect::Csv {
            sink.cells_of(&table::row(lesson, self.options.reasoning))?;
            return Ok(true);
        }
        match bfcl::line(lesson) {
            Ok(line) => sink.line(line).map(|()| true).map_err(Into::into),
            Err(loss) => self.lose(&loss).map(|()| false),
        }
    }

    fn write(&mut self, lesson: &Lesson, written: Written, side: usize) -> Result<bool, ExportError> {
        let (row, losses): (Object, Vec<Loss>) = match written {
            Ok(written) => written,
            Err(loss) => return self.lose(&loss).map(|()| false),
        };
        losses.iter().try_for_each(|loss| self.lose(loss))?;
        if let Some(index) = &mut self.index {
            let mut about = trl::about(lesson);
            let file = self.files.get(side).cloned().unwrap_or_default();
            about.insert("file".to_owned(), file.into());
            writeln!(index, "{}", Value::Object(about))?;
        }
        self.sinks.get_mut(side).map_or(Ok(()), |sink| sink.row(row))?;
        Ok(true)
    }

    fn finish(mut self, folder: &Path) -> Result<Stats, ExportError> {
        self.rejected_draws()?;
        std::mem::take(&mut self.sinks).into_iter().try_for_each(Sink::finish)?;
        self.index.take().map_or(Ok(()), AtomicFile::finish)?;
        let whole = |name: &str, text: &str| -> io::Result<()> {
            let mut file = AtomicFile::create(&folder.join(name))?;
            file.write_all(text.as_bytes())?;
            file.finish()
        };
        if !self.names.is_empty() {
            let changed = self.names.changed();
            whole("tool_names.json", &format!("{}\n", serde_json::to_string_pretty(&changed).unwrap_or_default()))?;
        }
        if matches!(self.options.to, Dialect::Llamafactory | Dialect::LlamafactoryOpenai) {
            let is_ranked = self.options.objective == Objective::Dpo;
            let entry = |file: &String| {
                let stem = file.split('.').next().unwrap_or(file);
                let entry = match self.options.to {
                    Dialect::LlamafactoryOpenai => llamafactory_openai::dataset_info(file),
                    _ => llamafactory::dataset_info(file, is_ranked),
                };
                (format!("fcgen_{stem}"), entry)
            };
            let info: Object = self.files.iter().map(entry).collect();
            whole("dataset_info.json", &format!("{}\n", Value::Object(info)))?;
        }
        if let Some(canary) = self.canary.as_ref().filter(|_| self.options.to == Dialect::Bfcl) {
            let text = crate::assets().read("profiles/canary.md").unwrap_or_default();
            whole("CANARY.txt", &text.replace("{canary}", canary))?;
        }
        whole("README.md", &card(&self.stats, self.options, &self.files))?;
        self.losses.finish()?;
        Ok(self.stats)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{gold, written};
    use super::*;

    #[test]
    fn another_locale_is_no_matter_of_weight() {
        let options = Options { locale: Some("ko".to_owned()), ..Options::default() };
        let (stats, _, losses) = written(&[gold()], &[], options);
        assert_eq!(stats.losses.keys().copied().collect::<Vec<_>>(), [Rule::Locale]);
        assert_eq!(losses[0]["rule"].as_str(), Some("locale"));
    }
}
