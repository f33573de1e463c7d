//! Reads a folder of a declared world: `world/<domain>.toml` for tables and functions, `<locale>/<domain>.toml` for text.

use super::functions::function::Declaration;
use super::functions::tools::tool;
use super::steps::join::Join;
use super::steps::text::WorldText;
use super::structure::FileText;
use crate::toolset::resources::source::File;
use crate::toolset::{Category, Fault, Toolset, ToolsetError, scenarios};
use fcgen_core::assets::Assets;
use fcgen_core::locale::{FunctionPhrases, KindText, kind_texts};
use indexmap::IndexMap;
use std::sync::Arc;

/// One domain's two files.
pub(super) struct Source {
    pub(super) domain: String,
    pub(super) world_path: String,
    pub(super) text_path: String,
    pub(super) world_text: String,
    pub(super) locale_text: String,
}

/// Reads the folder's declaration in `locale`.
pub(in crate::toolset) fn read(assets: &Assets, folder: &str, locale: &str) -> Result<Toolset, ToolsetError> {
    let mut faults = Vec::new();
    let sources = sources(assets, folder, locale, &mut faults);
    let mut worlds = Vec::new();
    let mut texts = Vec::new();
    for source in &sources {
        worlds.push(FileText::read(File::new(&source.world_path, &source.world_text), &mut faults));
        texts.push(WorldText::read(File::new(&source.text_path, &source.locale_text), &mut faults));
    }
    let name = folder.rsplit('/').next().unwrap_or(folder).to_owned();
    let own: IndexMap<_, _> = texts.iter().flat_map(|text| text.kinds.clone()).collect();
    let files = Files { assets, folder, locale, sources: &sources, worlds: &worlds, texts: &texts, kinds: &own };
    let mut declaration = files.join(&name, faults)?;
    let mut toolset = Toolset { name, licence: "MIT OR Apache-2.0".to_owned(), kinds: own, ..Toolset::default() };
    toolset.tools = declaration.functions.values().map(|function| Arc::new(tool(function, &declaration))).collect();
    for (source, text) in sources.iter().zip(texts) {
        if declaration.of_domain(&source.domain).next().is_some() {
            let category = Category { title: text.title, wanted: text.scenario };
            toolset.categories.insert(source.domain.clone(), category);
        }
        toolset.topics.extend(text.topics);
    }
    (toolset.threads, declaration.cases) = scenarios::read(assets, (folder, locale), &toolset, Some(&declaration))?;
    toolset.world = Some(Arc::new(declaration));
    Ok(toolset)
}

/// What was read of a folder, file by file.
pub(super) struct Files<'a> {
    pub(super) assets: &'a Assets,
    pub(super) folder: &'a str,
    pub(super) locale: &'a str,
    pub(super) sources: &'a [Source],
    pub(super) worlds: &'a [FileText],
    pub(super) texts: &'a [WorldText],
    /// The value kinds that the toolset brings along.
    pub(super) kinds: &'a IndexMap<String, KindText>,
}

impl Files<'_> {
    /// Joins everything to a world; `faults` are those of reading.
    pub(super) fn join(self, name: &str, faults: Vec<Fault>) -> Result<Declaration, ToolsetError> {
        if !faults.is_empty() {
            // What could not be read would be missed everywhere else.
            return Err(ToolsetError::Faults { faults });
        }
        let (phrases, mut kinds) =
            (FunctionPhrases::load(self.assets, self.locale)?, kind_texts(self.assets, self.locale)?);
        kinds.extend(self.kinds.clone());
        let mut join = Join {
            assets: self.assets,
            folder: self.folder,
            locale: self.locale,
            sources: self.sources,
            worlds: self.worlds,
            texts: self.texts,
            kinds: &kinds,
            phrases: &phrases,
            faults,
        };
        let declaration = join.declaration(name);
        if join.faults.is_empty() { Ok(declaration) } else { Err(ToolsetError::Faults { faults: join.faults }) }
    }
}

/// The files of every domain; a file without functions may do without text.
pub(super) fn sources(assets: &Assets, folder: &str, locale: &str, faults: &mut Vec<Fault>) -> Vec<Source> {
    let mut sources = Vec::new();
    for file in assets.list(&format!("{folder}/world")) {
        let Some(domain) = file.strip_suffix(".toml") else { continue };
        let world_path = format!("{folder}/world/{file}");
        let text_path = format!("{folder}/{locale}/{file}");
        let Some(world_text) = assets.read(&world_path) else { continue };
        let locale_text = assets.read(&text_path);
        if locale_text.is_none() && world_text.contains("[functions.") {
            faults.push(Fault { path: text_path.clone(), line: None, message: "missing".to_owned() });
        }
        sources.push(Source {
            domain: domain.to_owned(),
            world_path,
            text_path,
            world_text,
            locale_text: locale_text.unwrap_or_default(),
        });
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::testing::{FOLDER, toolset_of, world_faults};

    #[test]
    fn a_folder_is_tools_domains_kinds_and_a_world() {
        let toolset = crate::fixtures::toolset(FOLDER, "en");
        let world = toolset.world.clone().unwrap();
        assert_eq!((toolset.tools.len(), toolset.name.as_str()), (world.functions.len(), "inn"));
        assert_eq!(toolset.categories["inns"].title, "Inns");
        assert!(toolset.kinds.contains_key("inn_name") && toolset.domains.is_empty());
        assert_eq!(world.today, "2024-10-13");
    }

    #[test]
    fn what_the_tools_are_does_not_depend_on_the_locale() {
        let structure = |locale: &str| {
            let mut tools = Toolset::load(crate::fixtures::assets(), FOLDER, locale).unwrap().tools;
            for tool in tools.iter_mut().map(Arc::make_mut) {
                tool.description.clear();
                for parameter in tool.parameters.properties.values_mut() {
                    parameter.description = None;
                    parameter.more.shift_remove("items");
                }
            }
            tools
        };
        assert_eq!(structure("en"), structure("ko"));
    }

    #[test]
    fn a_locale_that_is_not_there_and_a_file_that_is_no_toml_are_named() {
        assert!(
            Toolset::load(crate::fixtures::assets(), FOLDER, "fi")
                .unwrap_err()
                .to_string()
                .contains("available: `en`, `ko`")
        );
        let faults = world_faults("[tables.inns]", "[tables.inns");
        assert!(faults[0].starts_with("world/inns.toml:"), "{faults:?}");
    }

    #[test]
    fn a_file_of_tables_alone_needs_no_text_and_makes_no_category() {
        let toolset = toolset_of("[tables.t]\n[tables.t.columns]\nid = { shape = \"A##\" }\n", "").unwrap();
        assert!(toolset.categories.is_empty() && toolset.tools.is_empty() && toolset.world.unwrap().tables.len() == 1);
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("world")).unwrap();
        std::fs::create_dir_all(folder.path().join("en")).unwrap();
        std::fs::write(folder.path().join("world/w.toml"), "[functions.F]\ngive = 1\n").unwrap();
        std::fs::write(folder.path().join("en/other.toml"), "title = \"x\"\n").unwrap();
        let told =
            Toolset::load(crate::fixtures::assets(), folder.path().to_str().unwrap(), "en").unwrap_err().to_string();
        assert!(told.contains("en/w.toml: missing"), "{told}");
    }

    #[test]
    fn faults_of_reading_come_before_what_would_follow_from_them() {
        let faults = toolset_of(
            "[tables.t]\nrow = 1\n[functions.F]\nsteps = [{ from = [\"t\"] }]\ngive = 1\n",
            "[F]\nlabel = \"x\"\n",
        );
        let faults = faults.err().unwrap();
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].starts_with("world/w.toml:2: ") && faults[1].starts_with("en/w.toml:2: "), "{faults:?}");
    }

    #[test]
    fn titles_topics_and_kinds_come_from_the_language() {
        let text = "title = \"T\"\nscenario = \"S\"\ntopics = [[\"a\", \"b\"]]\n[kinds.k]\nvalues = [\"v\"]\n[F]\ndescription = \"f\"\n";
        let toolset = toolset_of("[functions.F]\ngive = 1\n", text).unwrap();
        assert_eq!((toolset.categories["w"].title.as_str(), toolset.categories["w"].wanted.as_str()), ("T", "S"));
        assert_eq!((toolset.topics.len(), toolset.kinds.len(), toolset.name.as_str()), (1, 1, "mine"));
    }
}
