//! From a bench to files: one pass that looks around where that is needed, one that writes. No text is held but that of
//! one conversation and, of a data set that is parted, a few numbers for each row.

use super::card::card;
use super::file::Sink;
use super::lesson::{Learn, Lesson};
use super::loss::{Loss, Rule};
use super::mix::{copies, tokens};
use super::names::{Table, make_safe};
use super::options::{Dialect, ExportError, Objective, Options};
use super::pairs::{self, Wrong};
use super::reward::Judge;
use super::row::{Written, bfcl, hermes, llamafactory, llamafactory_openai, openai, table, trl, xlam};
use super::split::{Assigned, Groups};
use super::stats::Stats;
use super::teach::{Around, Teacher, gold_call, lacking};
use super::wording::Wording;
use super::{rename, walk};
use crate::format::{Bench, Predictions};
use crate::record::{Chance, Object, Review, Sample, Value};
use crate::run::{Aside, Manifest};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::Path;

/// Writes a bench as training files into a folder.
pub fn export(bench: &Bench, folder: &Path, options: &Options) -> Result<Stats, ExportError> {
    if options.objective != Objective::Sft {
        options.reader()?;
    }
    let mut teacher = Teacher { wording: Wording::new(options.seed), paradigm: options.paradigm };
    let assigned = look_around(bench, options, &mut teacher)?;
    let mut writing = Writing::begin(folder, options, teacher, assigned, readings(&bench.folder()))?;
    walk::each::<ExportError>(bench, &mut |sample, around| writing.sample(sample, around))?;
    writing.finish(folder)
}

/// The first pass: how dialogues ask, and which rows belong together.
fn look_around(bench: &Bench, options: &Options, teacher: &mut Teacher) -> Result<Option<Assigned>, ExportError> {
    let mut groups = (options.split.len() > 1).then(Groups::default);
    let mut scout = Teacher { wording: Wording::new(options.seed), paradigm: options.paradigm };
    walk::each::<ExportError>(bench, &mut |sample, around| {
        hear(&sample, around, &mut teacher.wording);
        if let Some(groups) = &mut groups
            && refused(&sample, options).is_none()
            && let Ok((lesson, _)) = scout.lesson(sample, around)
        {
            groups.add(&lesson);
        }
        Ok(())
    })?;
    Ok(groups.map(|groups| groups.assign(&options.split, options.seed)))
}

/// Which readings had to agree with labels, by the manifest of the run whose bench it is.
fn readings(folder: &Path) -> Vec<(String, &'static str)> {
    let text = std::fs::read_to_string(folder.join("manifest.json")).unwrap_or_default();
    let stages = serde_json::from_str::<Manifest>(&text).map(|manifest| manifest.stages).unwrap_or_default();
    stages.into_iter().filter_map(|stage| Some((stage.name, stage.readings?.word()))).collect()
}

/// Remembers a question for something that is missing, unless it is for several things at once: it would ask the next
/// person for what is known.
fn hear(sample: &Sample, around: &Around, wording: &mut Wording) {
    let ([asked], Some(text)) = (around.asked.as_slice(), &around.said_next) else { return };
    let lacking = gold_call(sample).map(|call| lacking(sample, &call)).unwrap_or_default();
    if let Some(missing) = lacking.iter().find(|it| it.parameter == *asked)
        && !wording.is_done(&sample.locale, text)
        && wording.is_single(&sample.locale, text)
    {
        wording.hear(&sample.locale, missing, text);
    }
}

/// Why a sample is not wanted, before anybody looks closer.
fn refused(sample: &Sample, options: &Options) -> Option<Rule> {
    let is_other = options.locale.as_ref().is_some_and(|locale| *locale != sample.locale);
    match () {
        () if is_other => Some(Rule::Locale),
        () if sample.review == Review::Rejected => Some(Rule::Rejected),
        () if sample.provenance.template && !options.allow_template => Some(Rule::Template),
        () => None,
    }
}

/// The second pass.
pub(super) struct Writing<'o> {
    pub(super) options: &'o Options,
    pub(super) teacher: Teacher,
    assigned: Option<Assigned>,
    sinks: Vec<Sink>,
    files: Vec<String>,
    index: Option<Aside>,
    losses: Aside,
    pub(super) stats: Stats,
    names: Table,
    pub(super) judge: Judge,
    predictions: Vec<Predictions>,
    /// For each tool and data type a sample of one request with its part: what a rejected draw of the same kind is shown with.
    pub(super) frames: BTreeMap<(String, String), (Sample, usize)>,
    seen: (String, BTreeSet<[u8; 32]>),
    canary: Option<String>,
}

impl<'o> Writing<'o> {
    fn begin(
        folder: &Path,
        options: &'o Options,
        teacher: Teacher,
        assigned: Option<Assigned>,
        readings: Vec<(String, &'static str)>,
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
                    Ok(Sink::Columns(Box::new(super::parquet::Columns::create(Aside::create(&path("parquet"))?)?)))
                }
                Dialect::Bfcl if options.sides().len() > 1 => {
                    Ok(Sink::Bfcl(folder.join(side), indexmap::IndexMap::new()))
                }
                Dialect::Bfcl => Ok(Sink::Bfcl(folder.to_owned(), indexmap::IndexMap::new())),
                _ => Sink::lines(&path("jsonl")),
            }
        };
        let sinks = options.sides().iter().map(open).collect::<io::Result<_>>()?;
        let index = (options.to == Dialect::Openai).then(|| Aside::create(&folder.join("index.jsonl"))).transpose()?;
        let greatest = assigned.as_ref().map(|assigned| assigned.greatest);
        let stats = Stats { readings, greatest, ..Stats::default() };
        Ok(Self {
            options,
            teacher,
            assigned,
            sinks,
            files,
            index,
            losses: Aside::create(&folder.join("losses.jsonl"))?,
            stats,
            names: Table::default(),
            judge: Judge::default(),
            predictions: options.predictions.iter().map(|path| Predictions::open(path)).collect::<Result<_, _>>()?,
            frames: BTreeMap::new(),
            seen: Default::default(),
            canary: None,
        })
    }

    pub(super) fn lose(&mut self, loss: &Loss) -> Result<(), ExportError> {
        self.stats.lose(loss);
        Ok(writeln!(self.losses, "{}", serde_json::to_string(loss).unwrap_or_default())?)
    }

    fn sample(&mut self, sample: Sample, around: &Around) -> Result<(), ExportError> {
        if self.canary.is_none() {
            self.canary = sample.provenance.facts.get("canary").cloned();
        }
        if let Some(rule) = refused(&sample, self.options) {
            return self.lose(&Loss::row(sample.id.as_str(), rule, ""));
        }
        match self.teacher.lesson(sample, around) {
            Ok((lesson, losses)) => {
                losses.iter().try_for_each(|loss| self.lose(loss))?;
                self.lesson(lesson)
            }
            Err(loss) => self.lose(&loss),
        }
    }

    fn lesson(&mut self, mut lesson: Lesson) -> Result<(), ExportError> {
        if self.options.mask_history {
            let before = lesson.turns.iter_mut().take(lesson.target);
            before.filter(|turn| turn.learn == Learn::Yes).for_each(|turn| turn.learn = Learn::Context);
        }
        let length = tokens(&lesson);
        if self.options.max_tokens.is_some_and(|most| length > most) {
            return self.lose(&Loss::row(lesson.id(), Rule::TooLong, length.to_string()));
        }
        if !self.options.keep_duplicates && !self.is_new(&lesson)? {
            return self.lose(&Loss::row(lesson.id(), Rule::Duplicate, ""));
        }
        let times = copies(&lesson, &self.options.weights, self.options.seed);
        if times == 0 {
            return self.lose(&Loss::row(lesson.id(), Rule::Weight, ""));
        }
        let side = self.assigned.as_mut().map_or(0, |assigned| assigned.side(&lesson));
        self.frame(&lesson.sample, side);
        (0..times).try_for_each(|copy| self.copy(&lesson, copy, side))
    }

    /// Equal examples come from one root, and so one after the other.
    fn is_new(&mut self, lesson: &Lesson) -> io::Result<bool> {
        if self.seen.0 != lesson.sample.group {
            self.seen = (lesson.sample.group.clone(), BTreeSet::new());
        }
        let tools: Vec<&str> = lesson.tools.iter().map(|tool| tool.name.as_str()).collect();
        let example = serde_json::to_vec(&(&lesson.turns, tools, &lesson.sample.locale))?;
        Ok(self.seen.1.insert(*blake3::hash(&example).as_bytes()))
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
        let reasoning = self.options.reasoning;
        let row = match self.options.to {
            Dialect::Trl => trl::row(lesson, reasoning, false),
            Dialect::TrlArrow | Dialect::Parquet => trl::row(lesson, reasoning, true),
            Dialect::Openai => openai::row(lesson, reasoning),
            Dialect::Llamafactory => llamafactory::row(lesson, reasoning),
            Dialect::LlamafactoryOpenai => llamafactory_openai::row(lesson, reasoning),
            Dialect::Hermes => hermes::row(lesson, reasoning),
            Dialect::Xlam => xlam::row(lesson, reasoning),
            Dialect::Csv => {
                self.sinks.get_mut(side).map_or(Ok(()), |sink| sink.cells_of(&table::row(lesson, reasoning)))?;
                return Ok(true);
            }
            Dialect::Bfcl => {
                return match bfcl::line(lesson) {
                    Ok(line) => self
                        .sinks
                        .get_mut(side)
                        .map_or(Ok(()), |sink| sink.line(line))
                        .map(|()| true)
                        .map_err(Into::into),
                    Err(loss) => self.lose(&loss).map(|()| false),
                };
            }
        };
        self.write(lesson, row, side)
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
        self.index.take().map_or(Ok(()), Aside::finish)?;
        let whole = |name: &str, text: &str| -> io::Result<()> {
            let mut file = Aside::create(&folder.join(name))?;
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
            let text = crate::data::read("profiles/canary.md").unwrap_or_default();
            whole("CANARY.txt", &text.replace("{canary}", canary))?;
        }
        whole("README.md", &card(&self.stats, self.options, &self.files))?;
        self.losses.finish()?;
        Ok(self.stats)
    }
}

#[cfg(test)]
mod tests {
    use super::super::teach::Missing;
    use super::super::testing::{gold, sample, written};
    use super::*;
    use serde_json::json;

    #[test]
    fn another_locale_is_no_matter_of_weight() {
        let options = Options { locale: Some("ko".to_owned()), ..Options::default() };
        let (stats, _, losses) = written(&[gold()], &[], options);
        assert_eq!(stats.losses.keys().copied().collect::<Vec<_>>(), [Rule::Locale]);
        assert_eq!(losses[0]["rule"].as_str(), Some("locale"));
    }

    #[test]
    fn a_question_is_heard_for_what_its_answer_gave() {
        let lacking = sample(json!({"call": {"name": "Rail.book", "arguments": {}}}));
        let missing = Missing { tool: "Rail.book".to_owned(), parameter: "to".to_owned() };
        let heard = |text: &str, asked: &[&str]| {
            let asked = asked.iter().map(|name| (*name).to_owned()).collect();
            let around = Around { said_next: Some(text.to_owned()), asked, ..Around::default() };
            let mut wording = Wording::new(1);
            hear(&lacking, &around, &mut wording);
            wording.question(&lacking, &missing).as_deref() == Some(text)
        };
        assert!(heard("Where to?", &["to"]));
        assert!(!heard("How many?", &["seats"]) && !heard("Where to, and how many?", &["to", "seats"]));
        assert!(!heard("What for? And where to?", &["to"]), "the answer gave but one of them");
        assert!(!heard("Done.", &["to"]) && !heard("Done.", &[]));
    }
}
