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
use crate::record::{
    ArgumentNotes, Chance, Expected, FunctionCall, Message, Object, Provenance, Reject, Review, Sample, Value,
};
use crate::run::Aside;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::path::Path;

/// Writes a bench as training files into a folder.
pub fn export(bench: &Bench, folder: &Path, options: &Options) -> Result<Stats, ExportError> {
    if options.objective != Objective::Sft {
        options.reader()?;
    }
    let mut teacher = Teacher { wording: Wording::new(options.seed), paradigm: options.paradigm };
    let assigned = look_around(bench, options, &mut teacher)?;
    let mut writing = Writing::begin(folder, options, teacher, assigned)?;
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
            && let Ok(lesson) = scout.lesson(sample, around)
        {
            groups.add(&lesson);
        }
        Ok(())
    })?;
    Ok(groups.map(|groups| groups.assign(&options.split, options.seed)))
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
struct Writing<'o> {
    options: &'o Options,
    teacher: Teacher,
    assigned: Option<Assigned>,
    sinks: Vec<Sink>,
    files: Vec<String>,
    index: Option<Aside>,
    losses: Aside,
    stats: Stats,
    names: Table,
    judge: Judge,
    predictions: Vec<Predictions>,
    /// For each tool and data type a sample of one request with its part: what a rejected draw of the same kind is shown with.
    frames: BTreeMap<(String, String), (Sample, usize)>,
    seen: (String, BTreeSet<[u8; 32]>),
    canary: Option<String>,
}

impl<'o> Writing<'o> {
    fn begin(
        folder: &Path,
        options: &'o Options,
        teacher: Teacher,
        assigned: Option<Assigned>,
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
        let stats = Stats { greatest: assigned.as_ref().map(|assigned| assigned.greatest), ..Stats::default() };
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

    fn lose(&mut self, loss: &Loss) -> Result<(), ExportError> {
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
            Ok(lesson) => self.lesson(lesson),
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
        if !self.options.keep_duplicates && !self.is_new(&lesson) {
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

    /// Keeps the first sample of each tool and data type, where rejected draws are to be shown like it.
    fn frame(&mut self, sample: &Sample, side: usize) {
        if let (Objective::Dpo, Some(_)) = (self.options.objective, &self.options.rejects)
            && let (Expected::Call(call), [_]) = (&sample.expected, sample.messages.as_slice())
        {
            let key = (call.name.clone(), sample.data_type.0.clone());
            self.frames.entry(key).or_insert_with(|| (sample.clone(), side));
        }
    }

    /// Pairs of draws that a gate rejected: each of its own request, where the gate can tell what would have been right.
    fn rejected_draws(&mut self) -> Result<(), ExportError> {
        let Some(path) = self.options.rejects.as_ref().filter(|_| self.options.objective == Objective::Dpo) else {
            return Ok(());
        };
        for line in io::BufReader::new(File::open(path)?).lines() {
            let Ok(reject) = serde_json::from_str::<Reject>(&line?) else { continue };
            match self.rejected_draw(&reject) {
                Ok((lesson, wrong, side)) => self.rejected_pair(&lesson, wrong, side)?,
                Err(loss) => self.lose(&loss)?,
            }
        }
        Ok(())
    }

    /// The lesson of a rejected draw's own request, with what the draw said to it.
    fn rejected_draw(&mut self, reject: &Reject) -> Result<(Lesson, Wrong, usize), Loss> {
        let lost = || Loss::row(reject.id.as_str(), Rule::NoChosen, reject.reason.as_str());
        let mended = reject.mended.as_deref().ok_or_else(lost)?;
        let key = (mended.right.name.clone(), mended.data_type.0.clone());
        let (frame, side) = self.frames.get(&key).ok_or_else(lost)?;
        let (side, sample) = (*side, in_frame(frame, reject, &mended.right));
        let lesson = self.teacher.lesson(sample, &Around::default())?;
        let wrong = pairs::rejected(&lesson, &mended.said, &reject.reason, &mut self.judge).ok_or_else(lost)?;
        Ok((lesson, wrong, side))
    }

    fn rejected_pair(&mut self, lesson: &Lesson, wrong: Wrong, side: usize) -> Result<(), ExportError> {
        let length = tokens(lesson);
        if self.options.max_tokens.is_some_and(|most| length > most) {
            return self.lose(&Loss::row(lesson.id(), Rule::TooLong, length.to_string()));
        }
        let mut named = lesson.clone();
        self.name(&mut named, false, 0);
        let rows = self.pairs(lesson, &named, vec![wrong], (false, 0), side)?;
        let name = self.options.sides().get(side).copied().unwrap_or("train");
        (0..rows).for_each(|_| self.stats.add(&named, name, false));
        Ok(())
    }

    /// Equal examples come from one root, and so one after the other.
    fn is_new(&mut self, lesson: &Lesson) -> bool {
        if self.seen.0 != lesson.sample.group {
            self.seen = (lesson.sample.group.clone(), BTreeSet::new());
        }
        let tools: Vec<&str> = lesson.tools.iter().map(|tool| tool.name.as_str()).collect();
        let told = format!("{:?}{tools:?}{}", lesson.turns, lesson.sample.locale);
        self.seen.1.insert(*blake3::hash(told.as_bytes()).as_bytes())
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
    fn name(&mut self, lesson: &mut Lesson, is_renamed: bool, copy: u32) {
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

    fn pairs(
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

/// A rejected draw's request, shown with the tools of a sample of its kind, and what is right for it.
fn in_frame(frame: &Sample, reject: &Reject, right: &FunctionCall) -> Sample {
    Sample {
        id: reject.id.clone(),
        messages: vec![Message::user(reject.text.as_str())],
        expected: Expected::Call(right.clone()),
        arguments: ArgumentNotes::new(),
        acceptable: indexmap::IndexMap::new(),
        mentions: Vec::new(),
        base: None,
        label: None,
        review: Review::Unreviewed,
        provenance: Provenance { template: frame.provenance.template, ..Provenance::default() },
        ..frame.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::teach::Missing;
    use super::super::testing::{call, sample};
    use super::*;
    use crate::record::{DataType, ItemId, Mended};
    use serde_json::json;

    fn written(samples: &[Sample], rejects: &[Reject], options: Options) -> (Stats, Vec<Object>, Vec<Object>) {
        let folder = tempfile::tempdir().unwrap();
        let lines = |name: &str, lines: Vec<String>| {
            let path = folder.path().join(name);
            std::fs::write(&path, lines.concat()).unwrap();
            path
        };
        let line = |it: String| format!("{it}\n");
        let bench = lines("samples.jsonl", samples.iter().map(|it| line(serde_json::to_string(it).unwrap())).collect());
        let path = lines("rejects.jsonl", rejects.iter().map(|it| line(serde_json::to_string(it).unwrap())).collect());
        let options = Options { rejects: Some(path), defects: 0, ..options };
        let out = folder.path().join("out");
        let stats = export(&Bench::open(&bench).unwrap(), &out, &options).unwrap();
        let rows = |name: &str| {
            let text = std::fs::read_to_string(out.join(name)).unwrap();
            text.lines().map(|line| Value::read(line).unwrap().as_object().unwrap().clone()).collect()
        };
        (stats, rows("train.jsonl"), rows("losses.jsonl"))
    }

    fn gold() -> Sample {
        sample(json!({"call": {"name": "Rail.book", "arguments": {"to": "Porto"}}}))
    }

    fn reject(reason: &str, mended: Option<(&str, &str)>) -> Reject {
        let data_type = || DataType("ST_Perfect".to_owned());
        let mended = mended.map(|(said, right)| {
            let [said, right] = [said, right].map(|arguments| call("Rail.book", arguments));
            Box::new(Mended { data_type: data_type(), said, right })
        });
        Reject {
            id: ItemId::root("Rail.book/ask/7"),
            stage: "parameters".to_owned(),
            reason: reason.to_owned(),
            detail: String::new(),
            text: "to Faro, please".to_owned(),
            mended,
        }
    }

    #[test]
    fn a_rejected_draw_is_a_pair_of_its_own_request_where_the_right_call_is_known() {
        let rejects = [
            reject("invented_parameter", Some((r#"{"to":"Faro","seats":2}"#, r#"{"to":"Faro"}"#))),
            reject("inconsistent", None),
        ];
        let options = Options { objective: Objective::Dpo, ..Options::default() };
        let (stats, rows, losses) = written(&[gold()], &rejects, options);
        let [row] = rows.as_slice() else { panic!("{rows:?}") };
        assert!(row["prompt"].to_string().contains("to Faro, please"));
        assert!(row["chosen"].to_string().contains(r#""arguments":{"to":"Faro"}"#));
        assert!(row["rejected"].to_string().contains(r#""seats":2"#));
        assert_eq!(row["rejected_from"].as_str(), Some("reject"));
        assert_eq!(row["reason"].as_str(), Some("invented_parameter: invented_parameter: `seats`"));
        assert_eq!(stats.rejected_from["reject"], 1);
        let lost = losses.iter().filter(|loss| loss["rule"].as_str() == Some("no_chosen"));
        let reasons: Vec<_> = lost.map(|loss| loss["detail"].as_str().unwrap()).collect();
        assert_eq!(reasons, ["inconsistent"]);
    }

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
