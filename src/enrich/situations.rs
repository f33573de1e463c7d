//! Has a model write the situations that people are in with a toolset: threads where tools are written one by one, cases
//! where a world is declared, matters where resources are. Each is written only if the toolset can be loaded with it.

use super::situation_text::{Part, parts};
use super::text::put;
use super::writer::{ASKS, Writer};
use super::{EnrichError, Job};
use crate::failure::{RunError, SetupError};
use crate::gate::{Fault, check_script};
use crate::llm::{
    ChatError, NamedList, SituationForm, SituationsVariables, Task, Variables, WantedFunction, WantedParameter,
    WrittenSituations,
};
use crate::locale::Pack;
use crate::record::{Chance, Tool, Value};
use crate::text::read_object;
use crate::toolset::{Content, Domain, Toolset};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What stands before the matters of a file.
const MATTERS: &str = "[matters]\n";

/// So many values of a kind are shown.
const SAMPLES: usize = 3;

/// What came of it; `scenarios-LOCALE.json` of the folder.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Situations {
    /// The locale.
    pub locale: String,
    /// The model.
    pub model: String,
    /// The names of those that were written.
    pub written: Vec<String>,
    /// Situations that could not stand and were asked for again.
    pub asked_again: usize,
    /// Those that could not stand at last.
    pub refused: Vec<RefusedSituation>,
}

/// A situation that cannot stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RefusedSituation {
    /// What it is called.
    pub situation: String,
    /// Short name of the fault.
    pub reason: String,
    /// What is wrong, with its place.
    pub detail: String,
}

/// One question: for situations of a form, and the files that take them.
struct Asked {
    item: String,
    structure: PathBuf,
    words: PathBuf,
    variables: SituationsVariables,
}

/// Has so many situations of each form written that the folder takes.
pub async fn write_situations(job: &Job, count: usize) -> Result<Situations, EnrichError> {
    let cannot = |error| EnrichError::Io { folder: job.folder.clone(), error };
    let toolset = Toolset::load(&job.assets, &job.folder.to_string_lossy(), &job.locale)?;
    let writer = Writer::open(job, Task::WriteSituations)?;
    let mut pack = Pack::clone(&writer.pack);
    toolset.extend(&mut pack).map_err(SetupError::from).map_err(RunError::from)?;
    let draft = Draft::of(job, &writer.journal).map_err(cannot)?;
    let model = writer.chat.model_name().to_owned();
    let done = Situations { locale: job.locale.clone(), model, ..Situations::default() };
    let mut desk = Desk { job, writer, pack, draft, done };
    for asked in asked(&toolset, &desk.pack, job, count) {
        desk.ask(asked).await?;
    }
    desk.draft.publish(&job.folder).map_err(cannot)?;
    let report = serde_json::to_string_pretty(&desk.done).map_err(|error| cannot(error.into()))?;
    put(&job.folder.join(format!("scenarios-{}.json", job.locale)), &(report + "\n")).map_err(cannot)?;
    Ok(desk.done)
}

struct Desk<'j> {
    job: &'j Job,
    writer: Writer,
    /// The locale's, with the value kinds of the toolset.
    pack: Pack,
    draft: Draft,
    done: Situations,
}

impl Desk<'_> {
    /// Asks until enough can stand, or often enough; only what could not stand is asked for again.
    async fn ask(&mut self, mut asked: Asked) -> Result<(), EnrichError> {
        let mut refused: Vec<RefusedSituation> = Vec::new();
        for draw in 0..ASKS {
            self.done.asked_again += refused.len();
            let told: Vec<String> = refused.iter().map(|it| format!("{}: {}", it.situation, it.detail)).collect();
            let fault = |fault: Fault| RefusedSituation {
                situation: asked.item.clone(),
                reason: fault.reason.to_owned(),
                detail: fault.detail,
            };
            let variables =
                |common| Variables::WriteSituations(SituationsVariables { common, ..asked.variables.clone() });
            let reply = match self.writer.request((&asked.item, draw, &told.join("\n")), variables) {
                Ok(request) => self.writer.chat.ask(&request).await,
                Err(found) => {
                    refused.push(fault(found));
                    break;
                }
            };
            match reply.map(|reply| read(&reply.text)) {
                Ok(Ok(written)) => refused = self.take(&mut asked, &written)?,
                Ok(Err(found)) => refused = vec![fault(found)],
                Err(
                    error @ (ChatError::Transport { .. } | ChatError::Refused { .. } | ChatError::Unscripted { .. }),
                ) => {
                    refused.push(fault(Fault::new("unanswered", error.to_string())));
                    break;
                }
                Err(error) => return Err(error.into()),
            }
            if refused.is_empty() || asked.variables.count == 0 {
                break;
            }
        }
        self.done.refused.extend(refused);
        Ok(())
    }

    /// Takes in what can stand, and tells the rest.
    fn take(&mut self, asked: &mut Asked, written: &WrittenSituations) -> Result<Vec<RefusedSituation>, EnrichError> {
        let cannot = |error| EnrichError::Io { folder: self.job.folder.clone(), error };
        let mut refused = Vec::new();
        for (name, part) in parts(asked.variables.form, written) {
            // What all cases hold is asked for once.
            let is_known =
                part.as_ref().is_ok_and(|part| !part.fields.is_empty()) && !asked.variables.fields.is_empty();
            let is_more = asked.variables.count == 0;
            if is_known || is_more {
                continue;
            }
            let is_there = part.as_ref().is_ok_and(|it| it.name.is_some()) && asked.variables.known.contains(&name);
            let twice = || Fault::new("there_already", "there is one of this name already");
            let part = if is_there { Err(twice()) } else { part.and_then(|part| self.check(part)) };
            let fault = match part {
                Ok(part) => match self.draft.add(self.job, asked, &part).map_err(cannot)? {
                    None => {
                        asked.variables.fields.extend(part.fields);
                        if let Some(name) = part.name {
                            asked.variables.count -= 1;
                            asked.variables.known.push(name.clone());
                            self.done.written.push(name);
                        }
                        continue;
                    }
                    Some(detail) => Fault::new("not_loaded", detail),
                },
                Err(fault) => fault,
            };
            refused.push(RefusedSituation { situation: name, reason: fault.reason.to_owned(), detail: fault.detail });
        }
        Ok(refused)
    }

    /// What no loader can know: the locale's script and kinds.
    fn check(&self, part: Part) -> Result<Part, Fault> {
        for text in &part.said {
            check_script(&super::check::without_slots(text), &self.writer.language, None)?;
        }
        match part.kinds.iter().find(|kind| !self.pack.kinds.contains_key(*kind)) {
            Some(kind) => Err(Fault::new("unknown_kind", format!("there is no value kind `{kind}`"))),
            None => Ok(part),
        }
    }
}

fn read(text: &str) -> Result<WrittenSituations, Fault> {
    let object = Value::from(read_object(text).map_err(Fault::from)?.0);
    let wrong = |error| Fault::new("wrong_shape", format!("the answer has another shape: {error}"));
    serde_json::from_str(&object.to_string()).map_err(wrong)
}

/// A copy of the folder, in which situations are tried before the folder has them.
struct Draft {
    folder: PathBuf,
    /// The files that were changed, below the folder.
    changed: BTreeSet<PathBuf>,
}

impl Draft {
    fn of(job: &Job, journal: &Path) -> io::Result<Self> {
        let folder = journal.join("draft");
        if folder.is_dir() {
            fs::remove_dir_all(&folder)?;
        }
        copy(&job.folder, &folder)?;
        Ok(Self { folder, changed: BTreeSet::new() })
    }

    /// Adds a situation; if the toolset cannot be loaded with it, everything is as it was, and the reason comes back.
    fn add(&mut self, job: &Job, asked: &Asked, part: &Part) -> io::Result<Option<String>> {
        let is_matter = asked.variables.form == SituationForm::Matters;
        let both = [(&asked.structure, &part.structure), (&asked.words, &part.words)];
        let mut before = BTreeMap::new();
        for (path, lines) in both.into_iter().filter(|(_, lines)| !lines.is_empty()) {
            let whole = self.folder.join(path);
            let old = if whole.is_file() { Some(fs::read_to_string(&whole)?) } else { None };
            let text = old.clone().unwrap_or_default();
            let text = match text.find(MATTERS).filter(|_| is_matter) {
                Some(at) => {
                    let (head, rest) = text.split_at(at + MATTERS.len());
                    format!("{head}{lines}{rest}")
                }
                None if is_matter => format!("{}\n\n{MATTERS}{lines}", text.trim_end()),
                None if text.is_empty() => lines.clone(),
                None => format!("{}\n\n{lines}", text.trim_end()),
            };
            put(&whole, &text)?;
            before.insert(path, old);
        }
        let folder = self.folder.to_string_lossy();
        let mut locales = Toolset::locales(&job.assets, &folder).into_iter();
        let Some(error) = locales.find_map(|locale| Toolset::load(&job.assets, &folder, &locale).err()) else {
            self.changed.extend(before.into_keys().cloned());
            return Ok(None);
        };
        for (path, old) in before {
            let whole = self.folder.join(path);
            old.map_or_else(|| fs::remove_file(&whole), |text| put(&whole, &text))?;
        }
        Ok(Some(error.to_string().replace(&format!("{folder}/"), "")))
    }

    /// Gives the folder the files that were changed.
    fn publish(&self, folder: &Path) -> io::Result<()> {
        for path in &self.changed {
            put(&folder.join(path), &fs::read_to_string(self.folder.join(path))?)?;
        }
        fs::remove_dir_all(&self.folder)
    }
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// What is asked of a folder: threads of its tools, else matters of each domain, else cases of its world.
fn asked(toolset: &Toolset, pack: &Pack, job: &Job, count: usize) -> Vec<Asked> {
    let of = |item: &str, file: &Path, variables: SituationsVariables| Asked {
        item: item.to_owned(),
        structure: file.to_owned(),
        words: Path::new(&job.locale).join(file),
        variables: SituationsVariables { count, ..variables },
    };
    let file = PathBuf::from(format!("scenarios/written-{}.toml", job.locale));
    if job.folder.join("tools").is_dir() {
        return vec![of("threads", &file, threads(toolset, pack))];
    }
    if let Some(world) = &toolset.world {
        let functions = toolset.tools.iter().map(|tool| wanted(tool)).collect();
        let tables = world.keyed_tables().map(|(name, items)| named(name, items.into_iter().map(str::to_owned)));
        let variables = SituationsVariables {
            form: SituationForm::Cases,
            functions,
            tables: tables.collect(),
            fields: world.cases.fields.keys().cloned().collect(),
            known: world.cases.cases.keys().cloned().collect(),
            ..SituationsVariables::default()
        };
        return vec![of("cases", &file, variables)];
    }
    let of_domain = |domain: &std::sync::Arc<Domain>| {
        let file = PathBuf::from(format!("{}.toml", domain.name));
        let asked = of(&format!("matters/{}", domain.name), &file, matters(domain));
        Asked { structure: Path::new("resources").join(&file), ..asked }
    };
    toolset.domains.values().map(of_domain).collect()
}

fn threads(toolset: &Toolset, pack: &Pack) -> SituationsVariables {
    let goals = toolset.goals.values().map(|goal| &goal.tool);
    // What nobody can say, or what needs an earlier answer, is not wanted by itself.
    let free = toolset.tools.iter().filter(|it| it.from.is_empty() && toolset.phrases.contains_key(&it.name));
    let tools: Vec<_> = goals.chain(free).collect();
    let used: BTreeSet<&String> = tools.iter().flat_map(|tool| tool.kinds.values()).collect();
    let days = toolset.kinds.iter().filter(|(_, kind)| kind.is_of_days()).map(|(name, _)| name);
    let kinds: BTreeSet<&String> = used.into_iter().chain(days).collect();
    let mut chance = Chance::of(&[b"situations"]);
    let mut samples = |kind: &String| {
        let drawn: BTreeSet<String> =
            (0..SAMPLES).filter_map(|_| Some(pack.draw(kind, &mut chance)?.surface)).collect();
        named(kind, drawn.into_iter())
    };
    SituationsVariables {
        form: SituationForm::Threads,
        about: toolset.categories.values().map(|it| it.title.as_str()).collect::<Vec<_>>().join(", "),
        functions: tools.into_iter().map(|tool| wanted(tool)).collect(),
        kinds: kinds.into_iter().map(&mut samples).collect(),
        known: toolset.threads.iter().map(|thread| thread.name.clone()).collect(),
        ..SituationsVariables::default()
    }
}

fn matters(domain: &Domain) -> SituationsVariables {
    let function = |api: &crate::toolset::Api| WantedFunction {
        name: api.function().to_owned(),
        description: api.description.clone(),
        parameters: api.slots.iter().map(|(name, slot)| slot_of(name, slot)).collect(),
    };
    let things = domain.resources.values().map(|it| named(&it.name, it.fields.keys().cloned()));
    SituationsVariables {
        form: SituationForm::Matters,
        about: domain.scenario.clone(),
        functions: domain.apis.values().map(function).collect(),
        tables: things.collect(),
        known: domain.matters.keys().cloned().collect(),
        ..SituationsVariables::default()
    }
}

fn slot_of(name: &str, slot: &crate::toolset::Slot) -> WantedParameter {
    let (kind, values) = match &slot.field.content {
        Content::Kind(kind) => (kind.clone(), Vec::new()),
        Content::Listed(values) => (String::new(), values.clone()),
        Content::Reference(_) | Content::Boolean => (String::new(), Vec::new()),
    };
    WantedParameter {
        name: name.to_owned(),
        about: slot.field.label.clone(),
        type_name: slot.field.type_name.clone(),
        kind,
        values,
        required: slot.required,
    }
}

/// A tool as a writer of situations is shown it.
fn wanted(tool: &Tool) -> WantedFunction {
    let parameter = |(name, it): (&String, &crate::record::Parameter)| WantedParameter {
        name: name.clone(),
        about: it.description.clone().unwrap_or_default(),
        type_name: it.type_name().to_owned(),
        kind: tool.kinds.get(name).cloned().unwrap_or_default(),
        values: it
            .values
            .iter()
            .flatten()
            .map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned))
            .collect(),
        required: tool.parameters.required.contains(name),
    };
    WantedFunction {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.parameters.properties.iter().map(parameter).collect(),
    }
}

fn named(name: &str, items: impl Iterator<Item = String>) -> NamedList {
    NamedList { name: name.to_owned(), items: items.collect() }
}
