//! A world beside tools that are declared one by one: `world/<file>.toml` says what the tools of that file answer.

use super::super::folder::{Files, Source, sources};
use super::super::steps::text::{Spoken, WorldText};
use super::super::structure::{FileText, ParameterText};
use super::function::Declaration;
use crate::toolset::resources::source::File;
use crate::toolset::{Fault, ToolsetError};
use fcgen_core::assets::Assets;
use fcgen_core::locale::KindText;
use fcgen_core::record::{Parameter, Tool};
use indexmap::IndexMap;
use serde_json::Value as Json;
use toml::Spanned;

/// The tools of a folder, and what their calls are refused with.
#[derive(Debug, Default)]
pub(in crate::toolset) struct Answered {
    /// The tools, in declared order.
    pub(in crate::toolset) tools: Vec<AnsweredTool>,
    /// Messages for calls that are refused, by file and name.
    pub(in crate::toolset) errors: IndexMap<String, IndexMap<String, String>>,
}

/// A tool whose answers a world computes.
#[derive(Debug)]
pub(in crate::toolset) struct AnsweredTool {
    /// The file, without its ending.
    pub(in crate::toolset) file: String,
    /// The function's name in the structure, which every locale shares.
    pub(in crate::toolset) function: String,
    /// The tool, as the locale sees it.
    pub(in crate::toolset) tool: Tool,
}

impl Answered {
    /// The world of the folder, with the tools' parameters and under the names that the locale gives them.
    pub(in crate::toolset) fn world(
        &self,
        assets: &Assets,
        folder: &str,
        locale: &str,
        kinds: &IndexMap<String, KindText>,
    ) -> Result<Declaration, ToolsetError> {
        let mut faults = Vec::new();
        let mut sources = sources(assets, folder, locale, &mut faults);
        // Tables that several files share need no text.
        sources.sort_by_key(|source| source.world_text.contains("[functions."));
        let read = |source: &Source, faults: &mut Vec<Fault>| {
            let mut world = FileText::read(File::new(&source.world_path, &source.world_text), faults);
            self.complete(source, &mut world, faults);
            world
        };
        let worlds: Vec<FileText> = sources.iter().map(|source| read(source, &mut faults)).collect();
        let said: Vec<WorldText> =
            sources.iter().map(|source| said(assets, folder, locale, source, &mut faults)).collect();
        let texts: Vec<WorldText> =
            sources.iter().zip(said).map(|(source, said)| self.text(&source.domain, said)).collect();
        let name = folder.rsplit('/').next().unwrap_or(folder);
        let files = Files { assets, folder, locale, sources: &sources, worlds: &worlds, texts: &texts, kinds };
        files.join(name, faults)
    }

    fn of<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a AnsweredTool> {
        self.tools.iter().filter(move |it| it.file == file)
    }

    /// Gives the functions of a file their parameters and their names; every tool of the file must have an answer.
    fn complete(&self, source: &Source, world: &mut FileText, faults: &mut Vec<Fault>) {
        let file = File::new(&source.world_path, &source.world_text);
        let mut functions = IndexMap::new();
        for (name, mut function) in std::mem::take(&mut world.functions) {
            let at = Some(function.span().start);
            let Some(answered) = self.of(&source.domain).find(|it| it.function == name) else {
                let message = format!("unknown tool `{name}` in `tools/{}.toml`", source.domain);
                faults.push(file.fault(at, message));
                continue;
            };
            if !function.get_ref().parameters.is_empty() && !function.get_ref().live {
                let message = format!("the parameters of `{name}` must be declared in `tools/{}.toml`", source.domain);
                faults.push(file.fault(at, message));
            }
            let refined = std::mem::replace(&mut function.get_mut().parameters, parameters(&answered.tool));
            for (parameter, more) in refined {
                match function.get_mut().parameters.get_mut(&parameter) {
                    Some(text) => refine(text.get_mut(), more.into_inner()),
                    None => faults.push(file.fault(at, format!("unknown parameter `{parameter}` of `{name}`"))),
                }
            }
            functions.insert(answered.tool.name.clone(), function);
        }
        world.functions = functions;
        let has_answer = |it: &&AnsweredTool| world.functions.contains_key(&it.tool.name);
        let unanswered = self.of(&source.domain).filter(|it| !has_answer(it));
        let is_world = !world.functions.is_empty();
        faults.extend(unanswered.filter(|_| is_world).map(|it| Fault {
            path: source.world_path.clone(),
            line: None,
            message: format!("`{}` has no answer", it.function),
        }));
    }

    fn text(&self, file: &str, mut said: WorldText) -> WorldText {
        let mut spoken = |tool: &Tool| {
            let parameters = tool.parameters.properties.iter();
            let described = parameters.map(|(name, it)| (name.clone(), it.description.clone().unwrap_or_default()));
            let own = said.functions.shift_remove(&tool.name).unwrap_or_default();
            Spoken { description: tool.description.clone(), parameters: described.collect(), ..own }
        };
        let functions = self.of(file).map(|it| (it.tool.name.clone(), spoken(&it.tool))).collect();
        WorldText {
            errors: self.errors.get(file).cloned().unwrap_or_default(),
            functions,
            said: said.said,
            ..WorldText::default()
        }
    }
}

/// What people say of live functions: `<locale>/live/<file>.toml`, where exploration wrote it.
fn said(assets: &Assets, folder: &str, locale: &str, source: &Source, faults: &mut Vec<Fault>) -> WorldText {
    let path = format!("{folder}/{locale}/live/{}.toml", source.domain);
    match assets.read(&path) {
        Some(text) => WorldText::read(File::new(&path, &text), faults),
        None => WorldText::default(),
    }
}

/// What the world of a live function adds to a parameter: where its values come from.
fn refine(text: &mut ParameterText, more: ParameterText) {
    text.format = more.format.or(text.format.take());
    text.of = more.of.or(text.of.take());
    text.constraint = more.constraint.or(text.constraint);
    text.range = more.range.or(text.range);
    text.drawn = more.drawn.or(text.drawn);
    text.after = more.after.or(text.after.take());
    text.days = more.days.or(text.days);
    text.length = more.length.or(text.length.take());
    text.from.extend(more.from);
    text.values.extend(more.values);
    text.exact |= more.exact;
    text.protected |= more.protected;
}

fn parameters(tool: &Tool) -> IndexMap<String, Spanned<ParameterText>> {
    let text = |name: &String, parameter: &Parameter| {
        let spanned = |text: &str| Spanned::new(0..0, text.to_owned());
        ParameterText {
            type_name: Some(spanned(parameter.type_name())),
            required: tool.parameters.required.contains(name),
            default: parameter.more.get("default").and_then(written),
            listed: parameter.values.as_ref().map(|values| values.iter().filter_map(written).collect()),
            kind: tool.kinds.get(name).map(|kind| spanned(kind)),
            ..ParameterText::default()
        }
    };
    let all = tool.parameters.properties.iter();
    all.map(|(name, parameter)| (name.clone(), Spanned::new(0..0, text(name, parameter)))).collect()
}

fn written(value: &Json) -> Option<toml::Value> {
    toml::Value::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use crate::toolset::Toolset;
    use std::path::Path;

    const TOOLS: &str = "[addMemo]\nanswers = [\"count\"]\n[addMemo.parameters]\ntitle = { kind = \"note_text\" }\n\
        copies = { type = \"integer\", kind = \"count\", optional = true, default = 1 }\n[listMemos]\n";
    const WORLD: &str = "[functions.addMemo]\ngive = { title = \"title\", count = \"copies * 2\" }\n\
        [functions.listMemos]\ngive = { open = true }\n";
    const TEXT: &str = "title = \"Memos\"\nwanted = \"memos\"\n[addMemo]\nname = \"jotDown\"\ndescription = \"Adds one\"\n\
        tells = [\"There are {count} now.\", { when = { count = 4 }, say = [\"Four: {title}\"] }]\n\
        [addMemo.parameters.title]\ndescription = \"Its words\"\nlabel = \"the words\"\n\
        [addMemo.parameters.copies]\ndescription = \"How often\"\nlabel = \"the copies\"\n\
        [listMemos]\ndescription = \"Lists them\"\n";

    fn load(tools: &str, world: &str, text: &str) -> Result<Toolset, String> {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("tools/memo.toml", tools);
        write("world/memo.toml", world);
        write("en/memo.toml", text);
        let path = folder.path().to_str().unwrap();
        Toolset::load(crate::fixtures::assets(), path, "en")
            .map_err(|error| error.to_string().replace(&format!("{path}/"), ""))
    }

    #[test]
    fn tools_of_a_bare_file_go_by_their_own_names_and_answer() {
        let toolset = load(TOOLS, WORLD, TEXT).unwrap();
        assert_eq!(toolset.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["jotDown", "listMemos"]);
        assert_eq!(toolset.tools[0].parameters.required, ["title"]);
        let world = toolset.world.unwrap();
        let function = &world.functions["jotDown"];
        assert_eq!(function.parameters["copies"].default, Some(1.into()));
        assert!(function.parameters["title"].required && function.domain == "memo");
        let phrases = &toolset.phrases["jotDown"];
        assert_eq!((phrases.answers.as_slice(), phrases.tells.len()), (&["count".to_owned()][..], 2));
        assert!(phrases.tells[1].when.is_empty(), "what fits every answer comes last");
    }

    #[test]
    fn a_world_answers_for_every_tool_of_its_file_and_for_no_other() {
        let fault = load(TOOLS, &WORLD.replace("listMemos", "listNotes"), TEXT).unwrap_err();
        assert_eq!(
            fault,
            "world/memo.toml:3: unknown tool `listNotes` in `tools/memo.toml`\nworld/memo.toml: `listMemos` has no answer"
        );
        let world = format!("{WORLD}[functions.listMemos.parameters]\nday = {{ required = true }}\n");
        let fault = load(TOOLS, &world, TEXT).unwrap_err();
        assert!(fault.contains("the parameters of `listMemos` must be declared in `tools/memo.toml`"), "{fault}");
    }

    #[test]
    fn two_tools_cannot_have_one_name() {
        let fault = load(TOOLS, WORLD, &TEXT.replace("jotDown", "listMemos")).unwrap_err();
        assert_eq!(fault, "en/memo.toml: duplicate tool `listMemos`");
    }
}
