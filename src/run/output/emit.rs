//! Writes what a run made: `samples.jsonl`, `benchmark/`, `rejects.jsonl`, in the order of ids.

use crate::config::{Format, Plan};
use crate::failure::{RunError, RunStopped, SetupError};
use crate::fs::AtomicFile;
use crate::llm::Interrupt;
use crate::locale::{Language, Pack, twins};
use crate::record::{
    Expected, FunctionCall, Item, Record, Reject, Sample, SharedSnapshots, SuiteId, Tool, Value, canary,
};
use crate::run::output::benchmark::Benchmark;
use crate::run::output::empty::RejectTally;
use crate::run::output::shelf::Shelf;
use crate::run::roots::follow::{Follow, Localized, Matching};
use crate::run::roots::graph::Graph;
use crate::run::store::Store;
use crate::stage::{Fault, Outcome, Scan};
use crate::suite::complexfunc::{Composition, CompositionTally};
use crate::suite::functionchat::layout::Acceptable;
use crate::toolset::{Toolset, take_spoilt, unwritable};
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// What was written.
#[derive(Debug, Default)]
pub(crate) struct Emitted {
    /// Samples by data type; rows and tools by kind.
    pub(crate) by_type: BTreeMap<String, usize>,
    /// Samples by data type that equal a snapshot of another conversation, and are no lines of `samples.jsonl`.
    pub(crate) shared: BTreeMap<String, usize>,
    /// Conversations by data type; each is several samples.
    pub(crate) conversations: BTreeMap<String, usize>,
    /// Turns of samples by data type: those with text of templates, and all.
    pub(crate) template_turns: BTreeMap<String, (usize, usize)>,
    /// Rejects by reason.
    pub(crate) by_reason: BTreeMap<String, usize>,
    /// What came to the stages of run scope, was kept and was rejected, by the stage's position.
    pub(crate) closing: BTreeMap<usize, (usize, usize, usize)>,
    /// What a benchmark of complex queries is made of.
    pub(crate) composition: Option<Composition>,
    /// How it stands to the run that it follows.
    pub(crate) localized: Option<Localized>,
    /// What became of the items of each data type.
    pub(crate) tally: RejectTally,
}

/// What decides on the files besides the items.
pub(crate) struct Target<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) locale: &'a str,
    pub(crate) language: &'a Language,
    pub(crate) plan: &'a Plan,
    pub(crate) toolset: &'a Toolset,
    /// The run in another locale whose items are made again.
    pub(crate) follow: Option<&'a Follow>,
    /// Thrown when somebody wants it to stop; what is half written is taken away.
    pub(crate) interrupt: &'a Interrupt,
}

/// The files while they are written. Nothing waits in memory: a reject of a late stage follows those of the others.
struct Files<'a> {
    graph: &'a Graph,
    language: &'a Language,
    toolset: &'a Toolset,
    follow: Option<(&'a Follow, Matching)>,
    scans: BTreeMap<usize, Box<dyn Scan>>,
    samples: AtomicFile,
    rejects: AtomicFile,
    snapshots: SharedSnapshots,
    benchmark: Benchmark,
    composition: CompositionTally,
    /// Tools that become a toolset, by the stage that they come from: they are looked over together.
    tools: Vec<(usize, Item)>,
    emitted: Emitted,
    canary: String,
    /// Whether gold calls may lack what is required.
    is_partial: bool,
}

/// The name under which a sample's provenance holds the canary of its run, and the file beside a benchmark that holds it.
const CANARY_FACT: &str = "canary";
const CANARY_FILE: &str = "CANARY.txt";

/// Runs the stages of run scope over all items and writes everything.
pub(crate) fn emit(
    store: &Store,
    graph: &Graph,
    target: &Target<'_>,
    shelf: &mut Shelf<'_>,
) -> Result<Emitted, RunError> {
    let part = target.folder.join("benchmark.part");
    if part.exists() {
        std::fs::remove_dir_all(&part)?;
    }
    let mut files = Files {
        graph,
        language: target.language,
        toolset: target.toolset,
        follow: target.follow.map(|follow| (follow, Matching::default())),
        scans: graph.closing().filter_map(|(index, node)| Some((index, node.stage.scan(&node.context)?))).collect(),
        samples: AtomicFile::create(&target.folder.join("samples.jsonl"))?,
        rejects: AtomicFile::create(&target.folder.join("rejects.jsonl"))?,
        snapshots: SharedSnapshots::default(),
        benchmark: Benchmark::create(
            target.plan.files.assets(),
            &part,
            target.locale,
            &target.plan.pipeline,
            target.toolset,
        )?,
        composition: CompositionTally::default(),
        tools: Vec::new(),
        emitted: Emitted { tally: RejectTally::new(target.plan), ..Emitted::default() },
        canary: target.canary(),
        is_partial: target.plan.pipeline.format == Format::Hammerbench,
    };
    store.rejects(|reject| target.go_on().and_then(|()| files.reject(&reject)))?;
    store.items(|stage, item| target.go_on().and_then(|()| files.pass(graph.position(stage), item)))?;
    files.write_tools(target)?;
    files.look_back()?;
    files.samples.finish()?;
    files.rejects.finish()?;
    files.benchmark.finish()?;
    if part.is_dir() && target.plan.pipeline.format != Format::Toolset {
        let text = target
            .plan
            .files
            .assets()
            .read("profiles/canary.md")
            .unwrap_or_default()
            .replace("{canary}", &files.canary);
        let mut file = AtomicFile::create(&part.join(CANARY_FILE))?;
        file.write_all(text.as_bytes())?;
        file.finish()?;
    }
    shelf.publish(&part, "benchmark")?;
    Ok(Emitted { composition: files.composition.finish(), ..files.emitted })
}

impl Target<'_> {
    /// The run's canary: equal files with equal seeds have the same one.
    fn canary(&self) -> String {
        let seed = self.plan.pipeline.seed.get().to_string();
        canary(&[&self.plan.pipeline.name, &seed, self.locale, &self.toolset.name])
    }

    fn go_on(&self) -> Result<(), RunError> {
        if self.interrupt.is_triggered() { Err(RunStopped::Interrupted.into()) } else { Ok(()) }
    }
}

impl Files<'_> {
    /// Hands an item to the stages of run scope that read from where it comes from, or writes it where there is none.
    fn pass(&mut self, from: usize, item: Item) -> Result<(), RunError> {
        let graph = self.graph;
        let readers = &graph.nodes[from].closers;
        for reader in readers.iter().skip(1) {
            self.close(*reader, item.clone())?;
        }
        match readers.first() {
            Some(reader) => self.close(*reader, item),
            None => self.write(from, item),
        }
    }

    fn close(&mut self, stage: usize, item: Item) -> Result<(), RunError> {
        let node = &self.graph.nodes[stage];
        let Some(scan) = self.scans.get_mut(&stage) else { return Ok(()) };
        let outcome = scan.scan(&node.context, vec![item]);
        let counts = self.emitted.closing.entry(stage).or_default();
        (counts.0, counts.1, counts.2) =
            (counts.0 + 1, counts.1 + outcome.kept.len(), counts.2 + outcome.rejected.len());
        outcome.rejected.iter().try_for_each(|reject| self.reject(reject))?;
        outcome.kept.into_iter().try_for_each(|item| self.pass(stage, item))
    }

    fn reject(&mut self, reject: &Reject) -> Result<(), RunError> {
        *self.emitted.by_reason.entry(reject.reason.clone()).or_default() += 1;
        self.emitted.tally.add(reject);
        line(&mut self.rejects, reject)
    }

    /// Tells what the other run has and this one lacks.
    fn look_back(&mut self) -> Result<(), RunError> {
        let Some((follow, matching)) = self.follow.take() else { return Ok(()) };
        self.emitted.localized = Some(matching.result(follow));
        matching.missing(follow).try_for_each(|reject| self.reject(&reject))
    }

    /// A line for each sample, or whatever else the pipeline yields with its id and provenance. No gold call leaves that
    /// breaks its tool's schema, whatever gates the pipeline has.
    fn write(&mut self, from: usize, item: Item) -> Result<(), RunError> {
        if let Some(detail) = item.record.gold_violation(self.is_partial) {
            let fault = Fault::new("schema_violation", detail);
            let text = item.record.said().unwrap_or_default();
            let lost = Outcome::reject(&item.id, &self.graph.nodes[from].name, fault, text);
            return lost.rejected.iter().try_for_each(|reject| self.reject(reject));
        }
        if matches!(self.benchmark, Benchmark::Toolset { .. }) && tool_of(&item).is_some() {
            self.tools.push((from, item));
            return Ok(());
        }
        self.write_sound(item)
    }

    /// Writes the tools of a toolset that nothing is wrong with; the others are rejects.
    fn write_tools(&mut self, target: &Target<'_>) -> Result<(), RunError> {
        let items = std::mem::take(&mut self.tools);
        if items.is_empty() {
            return Ok(());
        }
        let assets = target.plan.files.assets();
        let pack = Pack::load(assets, target.locale).map_err(SetupError::from)?;
        let mut tools = items.iter().filter_map(|(_, item)| tool_of(item)).cloned().collect();
        let spoilt = take_spoilt(assets, &mut tools, &pack);
        for (from, item) in items {
            let Some(tool) = tool_of(&item) else { continue };
            let found = spoilt.iter().find(|(lost, _)| Arc::ptr_eq(lost, tool)).map(|(_, told)| told.clone());
            let Some(told) = found.or_else(|| unwritable(tool)) else {
                self.write_sound(item)?;
                continue;
            };
            let fault = Fault::new("faulty_tool", told);
            let lost = Outcome::reject(&item.id, &self.graph.nodes[from].name, fault, tool.description.clone());
            lost.rejected.iter().try_for_each(|reject| self.reject(reject))?;
        }
        Ok(())
    }

    fn write_sound(&mut self, item: Item) -> Result<(), RunError> {
        let toolset = self.toolset;
        let unlike = self.follow.as_mut().map(|(follow, matching)| matching.look(follow, &item, toolset));
        if let Some(rejects) = unlike.filter(|rejects| !rejects.is_empty()) {
            return rejects.iter().try_for_each(|reject| self.reject(reject));
        }
        self.benchmark.add(&item)?;
        if let Record::Dialogue(dialogue) = &item.record {
            *self.emitted.conversations.entry(dialogue.data_type.0.clone()).or_default() += 1;
            return self.dialogue(dialogue.samples(&item));
        }
        match item {
            Item { record: Record::Sample(sample), provenance, .. } => self.sample(Sample { provenance, ..*sample }),
            other => {
                let kind = other.record.kind().word();
                *self.emitted.by_type.entry(kind.to_owned()).or_default() += 1;
                line(&mut self.samples, &other)
            }
        }
    }

    /// The snapshots of a dialogue; those that its base or another variant of it has as well are in the benchmark alone.
    fn dialogue(&mut self, mut snapshots: Vec<Sample>) -> Result<(), RunError> {
        let shared = self.snapshots.find(&snapshots);
        let left_out = shared.as_ref().map_or(0, |shared| usize::try_from(shared.turns).unwrap_or(usize::MAX));
        if let Some(place) = snapshots.get_mut(left_out).and_then(|sample| sample.snapshot.as_mut()) {
            place.shared = shared;
        }
        for (at, sample) in snapshots.into_iter().enumerate() {
            let sample = self.counted(sample)?;
            if at < left_out {
                *self.emitted.shared.entry(sample.data_type.0).or_default() += 1;
            } else {
                line(&mut self.samples, &sample)?;
            }
        }
        Ok(())
    }

    fn sample(&mut self, sample: Sample) -> Result<(), RunError> {
        let sample = self.counted(sample)?;
        line(&mut self.samples, &sample)
    }

    /// The sample with what all samples of the run have, once it is counted and in the benchmark.
    fn counted(&mut self, mut sample: Sample) -> Result<Sample, RunError> {
        // Some samples come with what else is right, or with the mode that nothing else is.
        let is_open = sample.suite != SuiteId::FunctionChat && Acceptable::of(&sample) == Acceptable::default();
        if let Some(call) = call_of(&sample.expected).filter(|_| is_open) {
            sample.acceptable = acceptable(call, self.language);
        }
        sample.provenance.facts.insert(CANARY_FACT.to_owned(), self.canary.clone());
        self.benchmark.add_sample(&sample)?;
        self.composition.add(&sample);
        *self.emitted.by_type.entry(sample.data_type.0.clone()).or_default() += 1;
        let turns = self.emitted.template_turns.entry(sample.data_type.0.clone()).or_default();
        for by_template in sample.own_turns() {
            *turns = (turns.0 + usize::from(by_template), turns.1 + 1);
        }
        Ok(sample)
    }
}

fn tool_of(item: &Item) -> Option<&Arc<Tool>> {
    if let Record::Tool(tool) = &item.record { Some(tool) } else { None }
}

fn call_of(expected: &Expected) -> Option<&FunctionCall> {
    if let Expected::Call(call) = expected { Some(call) } else { None }
}

/// Other forms of each text argument that are as right.
fn acceptable(call: &FunctionCall, language: &Language) -> IndexMap<String, Vec<Value>> {
    let twins = |value: &Value| Some(twins(value.as_str()?, language).into_iter().map(Value::from).collect());
    let named = call.arguments.iter().filter_map(|(name, value)| Some((name.clone(), twins(value)?)));
    named.filter(|(_, twins): &(String, Vec<Value>)| !twins.is_empty()).collect()
}

fn line(file: &mut AtomicFile, record: &impl Serialize) -> Result<(), RunError> {
    serde_json::to_writer(&mut *file, record)?;
    Ok(file.write_all(b"\n")?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Options;
    use crate::run::testing::{SMALL, plan, run};
    use std::fs;

    fn lines(folder: &Path, name: &str) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(folder.join(name)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[tokio::test]
    async fn samples_carry_their_provenance_and_late_rejects_come_last() {
        let folder = tempfile::tempdir().unwrap();
        let summary = run(&plan(SMALL, &["limit=3"]), &Options::new(folder.path())).await.unwrap();
        let samples = lines(folder.path(), "samples.jsonl");
        assert_eq!(samples.len(), 4);
        assert_eq!(samples[0]["provenance"]["draws"][0]["stage"], "perfect_queries");
        let canary = samples[0]["provenance"]["facts"]["canary"].as_str().unwrap();
        assert!(
            canary.starts_with(crate::record::CANARY)
                && samples.iter().all(|it| it["provenance"]["facts"]["canary"] == canary)
        );
        let beside = fs::read_to_string(folder.path().join("benchmark").join(CANARY_FILE));
        assert!(beside.is_err() || beside.unwrap().contains(canary), "the files beside have the same one");
        let rejects = lines(folder.path(), "rejects.jsonl");
        assert_eq!(rejects.last().unwrap()["reason"], "quota");
        assert_eq!(summary.manifest.rejects["quota"], 2);
        let quota = summary.manifest.stages.last().unwrap();
        assert_eq!((quota.came, quota.kept, quota.rejected), (6, 4, 2));
    }

    #[tokio::test]
    async fn a_stage_of_run_scope_sees_only_what_it_reads_from() {
        let text = SMALL.replace("[[stage]]\nkind = \"quota\"\ncount = 4", "");
        let text = format!(
            "{text}\n[[stage]]\nkind = \"candidates\"\nname = \"few\"\nfrom = [\"near_duplicates\"]\n[[stage]]\nkind = \"quota\"\ncount = 1\n"
        );
        let folder = tempfile::tempdir().unwrap();
        let summary = run(&plan(&text, &["limit=2"]), &Options::new(folder.path())).await.unwrap();
        // Four of one branch as they are, and one of the other.
        assert_eq!(summary.manifest.samples.values().sum::<usize>(), 5);
    }

    #[tokio::test]
    async fn a_toolset_is_linted_before_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let categories = "[\"A.B\"]\ntitle = \"Books\"\nwanted = \"find a book, title\"\n\n[\"A.C\"]\ntitle = \"Books\"\nwanted = \"find a book\"\n";
        fs::write(folder.path().join("categories.toml"), categories).unwrap();
        let assets = crate::fixtures::assets().clone();
        let text = "[pipeline]\nformat = \"toolset\"\n[[stage]]\nkind = \"toolkits\"\ncategories = \"categories.toml\"\nper_category = 1\n";
        let path = folder.path().join("p.toml");
        let overrides = crate::config::Overrides::default();
        let plan = crate::config::load(&assets, text, path.to_str().unwrap(), &overrides).unwrap();
        let out = folder.path().join("out");
        let summary = run(&plan, &Options::new(&out)).await.unwrap();
        assert_eq!((summary.manifest.samples["tool"], summary.manifest.rejects["faulty_tool"]), (1, 2));
        let rejects = lines(&out, "rejects.jsonl");
        let told: Vec<&str> = rejects.iter().filter_map(|it| it["detail"].as_str()).collect();
        assert_eq!(
            told,
            [
                "`title` is reserved in toolset files and cannot be used as a tool name",
                "has the same description as `A.B.findABook`"
            ]
        );
        let toolset = Toolset::load(&assets, out.join("benchmark").to_str().unwrap(), "en").unwrap();
        assert_eq!(toolset.tools.len(), 1);
    }

    #[tokio::test]
    async fn rows_are_written_with_their_ids() {
        let text = crate::fixtures::assets().read("pipelines/generate.toml").unwrap();
        let plan = crate::config::load(
            crate::fixtures::assets(),
            &text,
            "pipelines/generate.toml",
            &crate::config::Overrides::default(),
        )
        .unwrap();
        let folder = tempfile::tempdir().unwrap();
        let summary = run(&plan, &Options::new(folder.path())).await.unwrap();
        let rows = lines(folder.path(), "samples.jsonl");
        assert!(rows.iter().all(|line| line["id"].is_string()));
        assert_eq!(summary.manifest.samples, [("row".to_owned(), rows.len())].into());
        assert!(!folder.path().join("benchmark").exists());
    }

    #[tokio::test]
    async fn a_place_that_cannot_be_written_leaves_what_was_there() {
        let folder = tempfile::tempdir().unwrap();
        let plan = crate::run::testing::small();
        run(&plan, &Options::new(folder.path())).await.unwrap();
        let before = fs::read(folder.path().join("samples.jsonl")).unwrap();
        fs::remove_dir_all(folder.path().join("benchmark")).unwrap();
        fs::write(folder.path().join("benchmark.part"), "in the way").unwrap();
        let error = run(&plan, &Options::new(folder.path())).await.unwrap_err();
        assert!(matches!(error, crate::failure::RunError::Io(_)), "{error}");
        assert!(fs::read(folder.path().join("samples.jsonl")).unwrap() == before);
    }

    #[test]
    fn only_texts_have_other_forms_and_none_is_the_text_itself() {
        let language = crate::fixtures::language("en");
        let call = |json: &str| serde_json::from_str::<FunctionCall>(json).unwrap();
        let others = acceptable(
            &call(r#"{"name": "f", "arguments": {"n": 5, "ok": true, "at": "8:30 pm", "who": "Anna"}}"#),
            &language,
        );
        assert!(others.keys().all(|name| name == "at" || name == "who"), "{others:?}");
        assert!(others.values().all(|forms| !forms.is_empty()));
        assert!(others.get("at").is_none_or(|forms| !forms.contains(&"8:30 pm".into())), "{others:?}");
        assert!(acceptable(&call(r#"{"name": "f", "arguments": {}}"#), &language).is_empty());
    }
}
