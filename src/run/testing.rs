//! What the tests of this folder share.

use super::keeper::{Roots, choose_roots};
use super::{Live, Options, RunError, StageCounts, Summary};
use crate::config::{Overrides, Plan, load};
use crate::llm::Interrupt;
use crate::record::Sample;
use crate::run::prepare::ground::Ground;
use crate::run::prepare::setup::Setup;
use crate::run::roots::anew::Mark;
use crate::run::roots::graph::Graph;
use std::sync::Arc;

/// Everything that the work on roots wants.
pub(super) struct Prepared {
    pub(super) graph: Arc<Graph>,
    pub(super) counts: Arc<Vec<StageCounts>>,
    pub(super) roots: Roots,
    pub(super) interrupt: Interrupt,
}

/// Prepares a plan of the built-in model; nothing is written.
pub(super) fn prepare(plan: &Plan, marks: &[Mark]) -> Prepared {
    let options = Options::new("none");
    let setup = Setup::new(plan, Ground::load(plan).unwrap(), &options, marks).unwrap();
    let graph = Arc::new(Graph::new(plan, setup.contexts.clone(), marks).unwrap());
    let roots = choose_roots(&graph, plan, &options);
    let counts = Arc::new(plan.stages.iter().map(|stage| StageCounts::new(&stage.name)).collect());
    Prepared { graph, counts, roots, interrupt: options.interrupt }
}

/// A sample without candidates.
pub(super) fn sample(id: &str) -> Sample {
    let sample = serde_json::json!({
        "id": id, "suite": "hammerbench", "data_type": "ST_Perfect", "locale": "en",
        "messages": [{ "role": "user", "content": "play a song" }], "candidates": [],
        "expected": { "call": { "name": "A.B.play", "arguments": {} } }, "group": "A.B.play",
        "licence": "", "source": "",
        "provenance": serde_json::to_value(crate::record::Provenance::default()).unwrap(),
    });
    serde_json::from_value(sample).unwrap()
}

/// The plan of a pipeline's text, with `--set` for each of `sets`.
pub(super) fn plan(text: &str, sets: &[&str]) -> Plan {
    let mut overrides = Overrides::default();
    for set in sets {
        overrides.set(*set);
    }
    load(crate::fixtures::assets(), text, "test.toml", &overrides).unwrap()
}

/// A small pipeline with all shapes of stages: a source, a drawer, gates, a scan, and one that looks at the whole run.
pub(super) fn small() -> Plan {
    plan(SMALL, &["limit=3"])
}

pub(super) const SMALL: &str = r#"
[pipeline]
format = "hammerbench"
seed = 3
[model.generator]
provider = "grammar"
[[stage]]
kind = "toolset"
path = "mobile"
[[stage]]
kind = "perfect_queries"
per_tool = 2
[[stage]]
kind = "parameters"
[[stage]]
kind = "near_duplicates"
[[stage]]
kind = "candidates"
[[stage]]
kind = "quota"
count = 4
"#;

/// Runs without anybody watching.
pub(super) async fn run(plan: &Plan, options: &Options) -> Result<Summary, RunError> {
    super::run(plan, options, |_: Live| {}).await
}
