//! The settings of a plan that decide on the bytes that come out, as canonical JSON: what the plan's hash is made of.
//!
//! Nothing in it depends on the names or the order of Rust's types and fields, on `Debug`, or on where something stands in
//! the file. The words are those of the pipeline file. If a key of the file is renamed, the old word has to be written here
//! all the same, or every run folder and shard made before is of another plan.

use crate::config::{Plan, PlannedStage};
use crate::llm::ModelConfig;
use crate::stage::Readings;
use serde_json::{Value, json};

/// How the hash is made. Another number makes every earlier run another plan, so it changes only with what is hashed.
pub(crate) const SCHEME: u32 = 1;

/// Settings whose entries are taken in the order of the file: another order gives other items.
const IN_ORDER: [&str; 3] = ["complexities", "extraction", "registers"];

/// The settings that decide, with sorted keys and without what is absent.
pub(crate) fn settings(plan: &Plan) -> Value {
    let pipeline = &plan.pipeline;
    let models = plan.models.iter().map(|(role, model)| (role.clone(), self::model(model)));
    let stages: Vec<Value> = plan.stages.iter().map(|planned| stage(plan, planned)).collect();
    canonical(json!({
        "pipeline": {
            "name": pipeline.name,
            "locale": pipeline.locale,
            "seed": pipeline.seed,
            "format": pipeline.format,
            "bfcl_version": pipeline.bfcl_version,
            "limit": pipeline.limit,
            "people": pipeline.people,
            "banks": pipeline.banks,
            "reference_time": pipeline.reference_time,
        },
        "model": models.collect::<serde_json::Map<_, _>>(),
        "stage": stages,
    }))
}

/// What decides on the answers of a model; where it is reached, and how fast, does not.
fn model(model: &ModelConfig) -> Value {
    json!({
        "provider": model.provider,
        "model": model.model,
        "temperature": model.temperature,
        "top_p": model.top_p,
        "max_tokens": model.max_tokens,
        "seed": model.seed,
        "structured_output": model.structured_output,
        "defect_rate": model.defect_rate,
    })
}

/// The settings of a stage. Runs that were made before `readings` was a key read as `any` does, so that word is left out:
/// their hashes stay.
fn stage(plan: &Plan, planned: &PlannedStage) -> Value {
    let mut settings = planned.stage.to_json();
    if planned.stage.settings().readings == Some(Readings::Any)
        && let Some(settings) = settings.as_object_mut()
    {
        settings.remove("readings");
    }
    let from: Vec<&str> = planned.from.iter().filter_map(|at| Some(plan.stages.get(*at)?.name.as_str())).collect();
    json!({
        "name": planned.name,
        "kind": planned.stage.kind(),
        "from": from,
        "model": planned.role,
        "settings": settings,
    })
}

/// The same value with sorted keys; entries whose order decides become a list of pairs.
fn canonical(value: Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<(String, Value)> = object.into_iter().filter(|(_, value)| !value.is_null()).collect();
            entries.sort_by(|one, other| one.0.cmp(&other.0));
            let entry = |(key, value): (String, Value)| {
                let value = if IN_ORDER.contains(&key.as_str()) { in_order(value) } else { canonical(value) };
                (key, value)
            };
            Value::Object(entries.into_iter().map(entry).collect())
        }
        Value::Array(list) => list.into_iter().map(canonical).collect(),
        other => other,
    }
}

fn in_order(value: Value) -> Value {
    match value {
        Value::Object(object) => object.into_iter().map(|(key, value)| json!([key, in_order(value)])).collect(),
        other => canonical(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::{SMALL, plan};

    fn settings_of(text: &str, sets: &[&str]) -> String {
        settings(&plan(text, sets)).to_string()
    }

    fn shipped(name: &str) -> String {
        crate::fixtures::assets().read(&format!("pipelines/{name}.toml")).unwrap()
    }

    #[test]
    fn remarks_places_and_the_order_of_keys_do_not_decide() {
        let stage = "kind = \"perfect_queries\"\nper_tool = 2";
        let turned = SMALL.replace(stage, "# remark\n\n  per_tool   =  2\nkind = 'perfect_queries'");
        let turned = turned.replace("format = \"hammerbench\"\nseed = 3", "seed = 3 # three\nformat = \"hammerbench\"");
        assert!(turned.contains("# remark") && turned.contains("# three"));
        assert_eq!(settings_of(&turned, &[]), settings_of(SMALL, &[]));
        assert_eq!(settings_of(SMALL, &["model.generator.concurrency=3"]), settings_of(SMALL, &[]));
    }

    #[test]
    fn what_is_written_as_the_default_is_the_default() {
        let written = SMALL.replace("kind = \"candidates\"", "kind = \"candidates\"\norder = \"drawn\"");
        assert!(written != SMALL);
        assert_eq!(settings_of(&written, &["model.generator.defect_rate=0"]), settings_of(SMALL, &[]));
    }

    #[test]
    fn entries_that_are_taken_in_turn_keep_their_order() {
        let of = |path: &str, stage: &str| {
            let source = format!("[[stage]]\nkind = \"toolset\"\npath = \"{path}\"");
            settings_of(&format!("{source}\n[[stage]]\n{stage}\n[[stage]]\nkind = \"candidates\""), &[])
        };
        let single = |entries: &str| of("daily", &format!("kind = \"single_calls\"\nextraction = {{ {entries} }}"));
        assert_ne!(single("simple = 3, date_time = 1"), single("date_time = 1, simple = 3"));
        let travel = |entries: &str| {
            of("travel\"\nby = \"domain", &format!("kind = \"complex_queries\"\ndomains = {{ {entries} }}"))
        };
        assert_eq!(travel("taxi = 3, cars = 1"), travel("cars = 1, taxi = 3"));
    }

    #[test]
    fn other_readings_are_another_plan_and_those_of_earlier_runs_are_not() {
        let with = |key: &str| {
            SMALL.replace(
                "[[stage]]\nkind = \"candidates\"",
                &format!("[[stage]]\nkind = \"consistency\"\n{key}[[stage]]\nkind = \"candidates\""),
            )
        };
        let built_in = settings_of(&with(""), &[]);
        assert!(built_in.contains(r#""settings":{"accept":"rouge_or_judge","one_shot":true}"#), "{built_in}");
        assert_eq!(settings_of(&with("readings = \"any\"\n"), &[]), built_in);
        let all = settings_of(&with("readings = \"all\"\n"), &[]);
        assert!(all.contains(r#""one_shot":true,"readings":"all""#), "{all}");
    }

    #[test]
    fn whatever_decides_is_there() {
        let small = settings_of(SMALL, &[]);
        for set in ["seed=4", "limit=3", "scale=2", "name=\"x\"", "format=\"jsonl\"", "model.generator.defect_rate=0.1"]
        {
            assert_ne!(settings_of(SMALL, &[set]), small, "{set}");
        }
        assert_ne!(settings_of(&SMALL.replace("per_tool = 2", "per_tool = 3"), &[]), small);
        assert_ne!(settings_of(&SMALL.replace("count = 4", "count = 5"), &[]), small);
    }

    /// A setting that is renamed, moved or given another default changes a line here, and with it the hash of every run
    /// that was made before. The hashes are of the settings alone: prompts, tools and tables have no part in them.
    #[test]
    fn the_settings_of_the_shipped_pipelines_are_frozen() {
        let mut hashes = Vec::new();
        let files = crate::fixtures::assets().list("pipelines");
        for name in files.iter().filter_map(|file| file.strip_suffix(".toml")) {
            let path = format!("pipelines/{name}.toml");
            let plan = crate::config::load(
                crate::fixtures::assets(),
                &shipped(name),
                &path,
                &crate::config::Overrides::default(),
            )
            .unwrap();
            let settings = settings(&plan);
            hashes.push(format!("{name} {}", blake3::hash(settings.to_string().as_bytes()).to_hex()));
            let stages = settings["stage"].as_array().unwrap().iter().map(|stage| format!("\n  {stage}"));
            let stages: String = stages.collect();
            let text = format!("pipeline {}\nmodel {}\nstage{stages}", settings["pipeline"], settings["model"]);
            insta::assert_snapshot!(format!("settings_{name}"), text);
        }
        insta::assert_snapshot!("settings_hashes", hashes.join("\n"));
    }

    /// The shipped pipelines do not use every kind, nor every key.
    #[test]
    fn the_settings_of_every_kind_of_stage_are_frozen() {
        let kinds = crate::suite::STAGES
            .iter()
            .map(|it| format!("{} {}", it.kind, canonical(crate::suite::testing::read(it.kind).to_json())));
        insta::assert_snapshot!("settings_by_kind", kinds.collect::<Vec<_>>().join("\n"));
    }
}
