//! Shipped domains that are declared by resource: sound in each of their locales, the same in all, and their worlds hang together.

use fcgen::locale::Pack;
use fcgen::record::{Chance, Object, Tool, Value};
use fcgen::toolset::{Api, Toolset, lint};
use fcgen::world::{Row, World, world_faults};
use std::sync::Arc;

/// The toolsets with domains, shipped ones and the fixture, each with its locales.
fn toolsets() -> Vec<(String, Vec<String>)> {
    let shipped = fcgen::assets().list("toolsets").into_iter().map(|name| format!("toolsets/{name}"));
    let all = shipped.chain(["tests/fixtures/toolsets/office".to_owned()]);
    let is_locale = |name: &String| name != "resources" && !name.contains('.');
    let locales = |path: &str| fcgen::assets().list(path).into_iter().filter(is_locale).collect();
    let with_domains = all.filter(|path| !fcgen::assets().list(&format!("{path}/resources")).is_empty());
    with_domains.map(|path| (path.clone(), locales(&path))).collect()
}

fn load(path: &str, locale: &str) -> (Toolset, Arc<Pack>) {
    let toolset = Toolset::load(fcgen::assets(), path, locale).unwrap();
    let mut pack = Pack::load(fcgen::assets(), locale).unwrap();
    toolset.extend(&mut pack).unwrap();
    (toolset, Arc::new(pack))
}

#[test]
fn nothing_is_left_to_mend() {
    for (path, locales) in toolsets() {
        for locale in locales {
            let (toolset, pack) = load(&path, &locale);
            let findings = lint(fcgen::assets(), &toolset, &pack).into_iter().chain(world_faults(&toolset, &pack));
            let findings: Vec<String> = findings.map(|it| format!("{}: {}", it.place, it.message)).collect();
            assert_eq!(findings, Vec::<String>::new(), "{path}, {locale}");
        }
    }
}

/// What a tool is, without words.
fn structure(tool: &Arc<Tool>) -> Tool {
    let mut tool = tool.as_ref().clone();
    tool.description.clear();
    tool.returns = None;
    tool.wordings.clear();
    tool.parameters.properties.values_mut().for_each(|parameter| parameter.description = None);
    tool
}

#[test]
fn the_tools_are_the_same_in_every_locale() {
    for (path, locales) in toolsets() {
        let tools = |locale: &String| load(&path, locale).0.tools.iter().map(structure).collect::<Vec<_>>();
        let all: Vec<Vec<Tool>> = locales.iter().map(tools).collect();
        for (locale, tools) in locales.iter().zip(&all) {
            for (tool, first) in tools.iter().zip(&all[0]) {
                assert_eq!(tool, first, "{path}, {locale}");
            }
            assert_eq!(tools.len(), all[0].len(), "{path}, {locale}");
        }
    }
}

/// Arguments for a call about a row, as a caller who knows the tables would choose them.
fn arguments(world: &World, api: &Api, row: &Row) -> Object {
    let mut chance = Chance::of(&[api.tool.as_bytes()]);
    let mut value = |name: &String| {
        let slot = &api.slots[name];
        let known = if slot.own { Some(Value::from(row.id())) } else { row.value(name).cloned() };
        known.or_else(|| Some(world.draw(&slot.field, &mut chance)?.value)).unwrap()
    };
    api.slots.keys().filter(|name| api.slots[*name].required).map(|name| (name.clone(), value(name))).collect()
}

#[test]
fn every_tool_answers_what_it_declares() {
    for (path, locales) in toolsets() {
        let (toolset, pack) = load(&path, &locales[0]);
        for domain in toolset.domains.values() {
            let world = World::new(Arc::clone(domain), Arc::clone(&pack), 11).unwrap();
            for api in domain.apis.values() {
                let row = world.rows(&api.resource).nth(2).unwrap();
                let given = arguments(&world, api, row);
                let answer = world.session().call(&api.tool, &given);
                let answer = answer.unwrap_or_else(|fault| panic!("{} {given:?}: {fault}", api.tool));
                assert_eq!(world.session().call(&api.tool, &given).unwrap(), answer, "{}", api.tool);
                let schema = toolset.tool(&api.tool).unwrap().returns.clone().unwrap();
                let answer: serde_json::Value = (&answer).into();
                let fault =
                    jsonschema::validator_for(&schema).unwrap().iter_errors(&answer).next().map(|it| it.to_string());
                assert_eq!(fault, None, "{}: {answer}", api.tool);
                assert!(api.answer.keys().eq(answer.as_object().unwrap().keys()), "{}: {answer}", api.tool);
            }
        }
    }
}
