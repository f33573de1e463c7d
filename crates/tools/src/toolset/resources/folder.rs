//! Reads a folder of domains: `resources/<domain>.toml` for structure, `<locale>/<domain>.toml` for text.

use super::domain::Domain;
use super::join::Join;
use super::source::{Fault, File};
use super::text::DomainText;
use super::tools::tools;
use crate::toolset::{Category, Toolset, ToolsetError};
use fcgen_core::assets::Assets;
use fcgen_core::locale::{KindText, ResourcePhrases, kind_texts};
use indexmap::IndexMap;
use std::sync::Arc;

/// Reads the domains of a folder whose tools may begin with `prefix`.
pub(in crate::toolset) fn read(
    assets: &Assets,
    folder: &str,
    locale: &str,
    prefix: &str,
) -> Result<Toolset, ToolsetError> {
    let name = folder.rsplit('/').next().unwrap_or(folder).to_owned();
    let mut toolset = Toolset { name, licence: "MIT OR Apache-2.0".to_owned(), ..Toolset::default() };
    let (phrases, shared) = (ResourcePhrases::load(assets, locale)?, kind_texts(assets, locale)?);
    let mut faults = Vec::new();
    for file in assets.list(&format!("{folder}/resources")) {
        let Some(domain) = file.strip_suffix(".toml").filter(|domain| is_wanted(domain, prefix)) else { continue };
        let paths = [format!("{folder}/resources/{file}"), format!("{folder}/{locale}/{file}")];
        add(assets, &mut toolset, domain, &paths, &shared, &phrases, &mut faults);
    }
    check_shapes(&toolset, folder, &mut faults);
    if faults.is_empty() { Ok(toolset) } else { Err(ToolsetError::Faults { faults }) }
}

/// Whether a tool of the domain may begin with `prefix`.
fn is_wanted(domain: &str, prefix: &str) -> bool {
    domain.starts_with(prefix) || prefix.strip_prefix(domain).is_some_and(|rest| rest.starts_with('.'))
}

fn add(
    assets: &Assets,
    toolset: &mut Toolset,
    name: &str,
    [structure_path, text_path]: &[String; 2],
    shared: &IndexMap<String, KindText>,
    phrases: &ResourcePhrases,
    faults: &mut Vec<Fault>,
) {
    let before = faults.len();
    let (Some(structure), Some(text)) = (source(assets, structure_path, faults), source(assets, text_path, faults))
    else {
        return;
    };
    let file = File::new(structure_path, &structure);
    let (mut structure, mut matters) = (IndexMap::new(), IndexMap::new());
    for entry in file.entries(faults) {
        let name = entry.0.clone();
        if name == "matters" {
            matters = file.read(entry, faults).unwrap_or_default();
        } else {
            structure.extend(file.read(entry, faults).map(|resource| (name, resource)));
        }
    }
    let text = DomainText::read(File::new(text_path, &text), faults);
    let mut kinds = shared.clone();
    kinds.extend(text.kinds.clone());
    if faults.len() > before {
        // What could not be read would be missed everywhere else.
        return;
    }
    let (own, topics) = (text.kinds.clone(), text.topics.clone());
    let mut join = Join {
        name,
        structure_path,
        text_path,
        structure: &structure,
        matters: &matters,
        kinds: &kinds,
        faults: Vec::new(),
    };
    let domain = join.domain(text);
    faults.append(&mut join.faults);
    for kind in own.keys().filter(|kind| toolset.kinds.contains_key(*kind)) {
        let message = format!("the value kind `{kind}` is declared in another domain too");
        faults.push(Fault { path: text_path.clone(), line: None, message });
    }
    toolset.kinds.extend(own);
    toolset.topics.extend(topics);
    toolset.tools.extend(tools(&domain, phrases).into_iter().map(Arc::new));
    let category = Category { title: domain.title.clone(), wanted: domain.scenario.clone() };
    toolset.categories.insert(name.to_owned(), category);
    toolset.domains.insert(name.to_owned(), Arc::new(domain));
}

fn source(assets: &Assets, path: &str, faults: &mut Vec<Fault>) -> Option<String> {
    let text = assets.read(path);
    if text.is_none() {
        faults.push(Fault { path: path.to_owned(), line: None, message: "missing".to_owned() });
    }
    text
}

/// An identifier tells its resource, in whichever domain it stands.
fn check_shapes(toolset: &Toolset, folder: &str, faults: &mut Vec<Fault>) {
    let all = |domain: &Arc<Domain>| {
        let domain = Arc::clone(domain);
        let shapes = domain.resources.values().map(|it| (domain.qualified(&it.name), it.shape.clone()));
        shapes.collect::<Vec<_>>()
    };
    let shapes: Vec<_> = toolset.domains.values().flat_map(all).collect();
    for (at, (name, shape)) in shapes.iter().enumerate() {
        if let Some((other, _)) = shapes.iter().take(at).find(|(_, other)| other.meets(shape)) {
            let message = format!("`{name}` and `{other}` have identifiers of the same shape `{shape}`");
            faults.push(Fault { path: format!("{folder}/resources"), line: None, message });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::resources::testing::{STRUCTURE, TEXT, load, load_all, structure_faults};
    use fcgen_core::locale::Pack;

    const FIXTURE: &str = "tests/fixtures/toolsets/office";

    #[test]
    fn a_domain_is_a_category_with_its_tools_kinds_and_words() {
        let toolset = crate::fixtures::toolset(FIXTURE, "en");
        assert_eq!((toolset.name.as_str(), toolset.tools.len()), ("office", 17));
        assert_eq!(toolset.categories["bank"].title, "Banking");
        assert!(toolset.kinds.contains_key("bank_months") && !toolset.topics.is_empty());
        assert_eq!(toolset.tools[0].category(), "bank");
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        toolset.extend(&mut pack).unwrap();
        assert!(pack.kinds.contains_key("bank_months"));
    }

    #[test]
    fn what_the_tools_are_does_not_depend_on_the_locale() {
        let structure = |locale: &str| {
            let mut tools = Toolset::load(crate::fixtures::assets(), FIXTURE, locale).unwrap().tools;
            for tool in tools.iter_mut().map(Arc::make_mut) {
                tool.description.clear();
                tool.returns = None;
                tool.wordings.clear();
                tool.parameters.properties.values_mut().for_each(|parameter| parameter.description = None);
            }
            tools
        };
        assert_eq!(structure("en"), structure("ko"));
    }

    #[test]
    fn one_domain_can_be_read_without_the_others() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("resources/cards.toml", STRUCTURE);
        write("resources/later.toml", "[a");
        write("en/cards.toml", TEXT);
        let path = folder.path().to_str().unwrap();
        for prefix in ["cards", "card", "cards.getLimit"] {
            assert_eq!(
                Toolset::load_part(crate::fixtures::assets(), path, "en", prefix).unwrap().tools.len(),
                1,
                "{prefix}"
            );
        }
        let error = Toolset::load(crate::fixtures::assets(), path, "en").unwrap_err().to_string();
        assert!(error.contains("resources/later.toml:1: ") || error.contains("en/later.toml: missing"), "{error}");
    }

    #[test]
    fn what_cannot_be_read_is_named_with_its_line() {
        let faults = structure_faults("limit = \"amount\"", "limit = 3");
        assert_eq!(faults.len(), 1);
        assert!(faults[0].starts_with("resources/cards.toml:5: `card`: invalid type: integer `3`"), "{faults:?}");
    }

    #[test]
    fn domains_share_neither_shapes_nor_kinds() {
        let text = TEXT.replace("[card]", "[kinds.colour]\nvalues = [\"red\"]\n[card]");
        let faults = load_all(&[("cards", STRUCTURE, &text), ("more", STRUCTURE, &text)]).unwrap_err();
        let expected = [
            "en/more.toml: the value kind `colour` is declared in another domain too",
            "resources: `more.card` and `cards.card` have identifiers of the same shape `K####`",
        ];
        assert_eq!(faults, expected);
        assert!(load(STRUCTURE, &text).is_ok());
    }
}
