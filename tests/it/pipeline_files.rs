//! Every message that a pipeline file can cause, as people see it; and the pipelines that ship.
//!
//! A fixture is a file of `tests/fixtures/pipelines`; lines that begin with `# --set` are given as on the command line.

use fcgen::config::{Files, Overrides, Plan, load_with};
use proptest::prelude::*;
use std::fs;
use std::path::Path;

const FIXTURES: &str = "tests/fixtures/pipelines";

/// What is said about a fixture.
fn said(name: &str) -> String {
    let text = fs::read_to_string(format!("{FIXTURES}/{name}.toml")).unwrap();
    let overrides: Overrides = text.lines().filter_map(|line| line.strip_prefix("# --set ")).collect();
    let files = Files::within(fcgen::assets(), FIXTURES);
    load_with(&text, &format!("{name}.toml"), &overrides, &files).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let entries = fs::read_dir(FIXTURES).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter_map(|name| Some(name.strip_suffix(".toml")?.to_owned())).collect();
    names.sort();
    assert!(names.len() > 50, "{names:?}");
    // How many more there are changes with every new stage and key.
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r" and \d+ more\b", " and N more");
    settings.bind(|| names.iter().for_each(|name| insta::assert_snapshot!(name.as_str(), said(name))));
}

/// Loads a shipped pipeline; the locale and the toolset that it names are stood in for, as they are tested elsewhere.
fn shipped(name: &str, sets: &[&str]) -> Plan {
    let path = format!("pipelines/{name}.toml");
    let text = fs::read_to_string(&path).unwrap();
    let files = Files::of(fcgen::assets(), &path).and(FIXTURES);
    load_with(&text, &path, &sets.iter().copied().collect(), &files).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn the_shipped_pipelines_are_sound() {
    let files = fs::read_dir("pipelines").unwrap().map(|entry| entry.unwrap().path());
    let pipelines: Vec<_> = files.filter(|path| path.extension().is_some_and(|ending| ending == "toml")).collect();
    assert!(pipelines.len() >= 3);
    for path in &pipelines {
        let name = path.file_stem().and_then(|stem| stem.to_str()).unwrap();
        assert_eq!(shipped(name, &[]).pipeline.name.as_str(), name);
    }
}

#[test]
fn the_shipped_pipelines_keep_to_the_schema() {
    let schema = serde_json::from_str(&fs::read_to_string("pipelines/schema.json").unwrap()).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for name in ["hammer", "toolkits", "generate"] {
        let text = fs::read_to_string(format!("pipelines/{name}.toml")).unwrap();
        let instance: serde_json::Value = toml::from_str(&text).unwrap();
        let faults: Vec<String> = schema.iter_errors(&instance).map(|fault| fault.to_string()).collect();
        assert_eq!(faults, Vec::<String>::new(), "{name}");
    }
}

#[test]
fn hammer_joins_both_branches_before_its_gates() {
    let plan = shipped("hammer", &[]);
    let names: Vec<&str> = plan.stages.iter().map(|stage| stage.name.as_str()).collect();
    let gate = names.iter().position(|name| *name == "parameters").unwrap();
    let inputs: Vec<&str> = plan.stages[gate].from.iter().map(|input| names[*input]).collect();
    assert_eq!(inputs, ["perfect_queries", "imperfect_queries"]);
    let emitted: Vec<&str> = plan.emitted().into_iter().map(|stage| names[stage]).collect();
    assert_eq!(emitted, ["irrelevant_queries", "variant_consistency"]);
}

#[test]
fn a_pipeline_is_changed_from_the_command_line() {
    let plan = shipped("hammer", &["scale=2", "seed=9", "locale=ko", "model.generator.defect_rate=0.2"]);
    assert_eq!((plan.pipeline.seed.get(), plan.pipeline.locale.as_str()), (9, "ko"));
    assert!(plan.models["generator"].defect_rate > 0.1 && plan.models["judge"].defect_rate < 0.1);
    let plain = shipped("hammer", &[]);
    let per_tool = |plan: &Plan| plan.stages[1].stage.settings().per_root.unwrap().get();
    assert_eq!(per_tool(&plan), 2 * per_tool(&plain));
}

/// Texts that look enough like pipeline files to come past the first line.
fn like_a_pipeline() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        Just("[pipeline]".to_owned()),
        Just("[model.generator]".to_owned()),
        Just("[[stage]]".to_owned()),
        Just("[stage]".to_owned()),
        "(kind|name|from|model|path|per_tool|seed|알람) = .{0,12}",
        "kind = \"(toolset|generate|quota|[a-z_]{0,9})\"",
        "(from|name|prompt|price) = (\\[\"[a-z가-힣]{0,5}\"\\]|\\{ input = [0-9]{1,3} \\}|[0-9]{1,25}|\"[^\"]{0,5}\")",
        ".{0,20}",
    ];
    prop::collection::vec(line, 0..12).prop_map(|lines| lines.join("\n"))
}

fn load_any(text: &str, sets: Vec<String>) -> String {
    let files = Files::within(fcgen::assets(), Path::new(FIXTURES));
    let overrides: Overrides = sets.into_iter().collect();
    load_with(text, "any.toml", &overrides, &files).map_or_else(|problems| problems.to_string(), |_| "sound".to_owned())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,200}", set in ".{0,30}") {
        prop_assert!(!load_any(&text, vec![set]).is_empty());
    }

    #[test]
    fn nothing_like_a_pipeline_makes_the_reader_panic(
        text in like_a_pipeline(),
        sets in prop::collection::vec("(stage|model|pipeline|seed)(\\.[a-z]{0,6}){0,3}=.{0,8}", 0..3),
    ) {
        prop_assert!(!load_any(&text, sets).is_empty());
    }
}

#[test]
fn a_key_of_endless_depth_does_not_exhaust_the_stack() {
    let deep = ".a".repeat(100_000);
    for text in [format!("model{deep} = 1"), format!("[model{deep}]"), format!("model = {{ a{deep} = 1 }}")] {
        assert!(load_any(&text, Vec::new()).contains("a key of more than 64 parts"));
    }
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert_ne!(load_any(&format!("stage = {nested}"), Vec::new()), "sound");
    for set in [format!("model{deep}=1"), format!("model.a={nested}"), format!("model.a={{ a{deep} = 1 }}")] {
        assert_ne!(load_any("", vec![set]), "sound");
    }
}
