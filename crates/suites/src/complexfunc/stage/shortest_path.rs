//! Keeps a request if its golden calls are proved to be a shortest path to its goals.

use crate::complexfunc::stage::model::trace::made_of;
use crate::complexfunc::stage::needed::{is_right, without_call};
use crate::record::{Catalogue, ComplexQuery, Item, Record, RecordKind, Step};
use crate::settings::{Count, count};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::Stage;
use crate::world::{Flaw, Limits, Path, Proof, offered};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a request if its golden calls are proven to be a shortest path to its goals.
///
/// Starting from the values in the request, all calls of the listed functions are made in the toolset's world, level by
/// level. A request is rejected if a goal can be reached in an earlier step, if fewer calls reach all goals in as many
/// steps, if a call does nothing, or if none of this can be ruled out. Without a world, only the recorded answers are
/// used. For a request without a plan, needless calls are removed.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShortestPathConfig {
    /// Maximum steps of a path; longer paths are not proven.
    #[serde(default = "count::<5>")]
    steps: Count,
    /// Maximum calls made in one step; beyond that, only what follows from the declared sources can be proven.
    #[serde(default = "count::<20_000>")]
    calls: Count,
}

/// What is served in one step is no request in several.
const LEAST_STEPS: usize = 2;

/// Where a proof is noted.
pub(crate) const FACT: &str = "shortest_path";

impl Stage for ShortestPathConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("shortest_path", &[RecordKind::ComplexQuery]).computes()
    }

    /// Proves one request's path.
    fn apply(&self, context: &Context, mut item: Item) -> Outcome {
        let Record::ComplexQuery(query) = &mut item.record else { return Outcome::keep(item) };
        let proved = match self.prove(context, query) {
            Err(flaw) if query.plan.is_none() => match self.shortened(context, query) {
                Some((shorter, proof)) => {
                    context.count("cut");
                    **query = shorter;
                    Ok(proof)
                }
                None => Err(flaw),
            },
            proved => proved,
        };
        match proved {
            Ok(proof) => {
                item.provenance.facts.insert(FACT.to_owned(), proof.to_string());
                Outcome::keep(item)
            }
            Err(flaw) => {
                let fault = Fault::new(flaw.reason(), flaw.to_string());
                context.reject(&item.id, fault, query.text.clone())
            }
        }
    }
}

impl ShortestPathConfig {
    /// The request without calls that nothing is lost by, where what is left is proved: who served it made more than it took.
    fn shortened(&self, context: &Context, query: &ComplexQuery) -> Option<(ComplexQuery, Proof)> {
        let mut left = query.clone();
        loop {
            let made = made_of(&left);
            let cut = (0..made.len()).rev().filter_map(|at| without_call(context, &left, &made, at));
            let cut: Vec<ComplexQuery> =
                cut.filter(|it| it.steps.len() >= LEAST_STEPS && is_right(context, it)).collect();
            let proved = cut.iter().find_map(|it| Some((it.clone(), self.prove(context, it).ok()?)));
            if proved.is_some() {
                return proved;
            }
            left = cut.into_iter().next()?;
        }
    }

    fn prove(&self, context: &Context, query: &ComplexQuery) -> Result<Proof, Flaw> {
        let limits = Limits { steps: self.steps.get(), calls: self.calls.get() };
        proved(context, &query.catalogue, (&query.steps, &query.answer), limits)
    }
}

/// Whether steps are a shortest path to their goals, for whoever is offered what does not overlap with their functions.
pub(crate) fn proved(
    context: &Context,
    catalogue: &Catalogue,
    (steps, answer): (&[Step], &str),
    limits: Limits,
) -> Result<Proof, Flaw> {
    let domains = context.domains();
    let golden: Vec<&str> = steps.iter().flat_map(|step| &step.calls).map(|call| call.name.as_str()).collect();
    let declaration = domains.declared().map(|world| &**world.declaration());
    let offered = offered(declaration, catalogue, &golden);
    domains.prover(catalogue).prove(Path { steps, offered: &offered, answer }, limits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Pack;
    use crate::record::{Catalogue, ItemId, Provenance};
    use crate::settings::section::read_text;
    use crate::stage::domains::Domains;
    use crate::stage::testing::{silent, tool_item, train, with_shared};
    use crate::toolset::Toolset;
    use serde_json::json;
    use std::sync::Arc;

    fn inn() -> Toolset {
        Toolset::load(crate::fixtures::assets(), "tests/fixtures/toolsets/inn", "en").unwrap()
    }

    fn context(toolset: &Toolset) -> Context {
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        toolset.extend(&mut pack).unwrap();
        let domains = Domains::new(toolset, &Arc::new(pack), 7).unwrap();
        with_shared(silent(), |shared| shared.domains = domains)
    }

    /// A town is looked up and its inns are searched.
    fn item(toolset: &Toolset, town: &str) -> Item {
        let catalogue = Catalogue { domain: "inn".to_owned(), title: String::new(), tools: toolset.tools.clone() };
        let from = json!({"origin": if town == "T2" { json!({"answer": {"call": 0, "field": "/data/0/id"}}) } else { json!("verbatim") }});
        let query: ComplexQuery = serde_json::from_value(json!({
            "catalogue": catalogue, "text": "inns in Greyford", "steps": [
                {"calls": [{"name": "Find_Town", "arguments": {"query": "Greyford"}}], "answers": [{"data": [{"id": "T2"}]}],
                 "notes": [{"query": {"origin": "verbatim"}}]},
                {"calls": [{"name": "Search_Inns", "arguments": {"town_id": town, "arrival": "2024-11-01", "departure": "2024-11-03"}}],
                 "answers": [{"data": {"inns": []}}], "notes": [{"town_id": from, "arrival": {"origin": "verbatim"}, "departure": {"origin": "verbatim"}}]}],
        }))
        .unwrap();
        let id = ItemId::root("inn").child("complex_queries", 0);
        Item { root: id.clone(), id, record: Record::ComplexQuery(Box::new(query)), provenance: Provenance::default() }
    }

    #[test]
    fn a_proved_path_is_kept_with_its_proof() {
        let (config, toolset): (ShortestPathConfig, _) = (read_text("").unwrap(), inn());
        let outcome = config.apply(&context(&toolset), item(&toolset, "T2"));
        assert_eq!(outcome.kept[0].provenance.facts[FACT], "proved: 2 ground calls");
        let bare = Toolset { world: None, ..toolset.clone() };
        let outcome = config.apply(&context(&bare), item(&bare, "T2"));
        assert_eq!(outcome.kept[0].provenance.facts[FACT], "proved from recorded answers only: 2 ground calls");
    }

    #[test]
    fn a_path_that_is_none_is_rejected_with_its_flaw() {
        let (config, toolset): (ShortestPathConfig, _) = (read_text("").unwrap(), inn());
        let outcome = config.apply(&context(&toolset), item(&toolset, "T1"));
        let reject = &outcome.rejected[0];
        assert_eq!((reject.reason.as_str(), reject.text.as_str()), ("idle_call", "inns in Greyford"));
        assert_eq!(
            reject.detail,
            "unused call Find_Town(query=\"Greyford\"): no other call and no answer depends on it"
        );
        let short: ShortestPathConfig = read_text("steps = 1").unwrap();
        let outcome = short.apply(&context(&toolset), item(&toolset, "T2"));
        assert_eq!(outcome.rejected[0].reason, "unproved");
    }

    #[test]
    fn it_looks_at_complex_queries_alone() {
        let config: ShortestPathConfig = read_text("").unwrap();
        assert_eq!(Limits { steps: config.steps.get(), calls: config.calls.get() }, Limits::default());
        assert_eq!(config.apply(&silent(), tool_item(train())), Outcome::keep(tool_item(train())));
        assert!(read_text::<ShortestPathConfig>("steps = 0").is_err());
    }
}
