//! Lets a model write requests for calls that were planned in a declared world (`ComplexFuncBench`).

use super::context::Context;
use super::facts::{Content, NamedFile, StageConfig};
use super::outcome::{Fault, Outcome, Stop};
use super::plans::{Shape, Walked, Wish, changeable, describe, draw_values, plan, walk, wanted_items};
use super::written::{Order, Written, write};
use crate::config::{Amount, Count, Factor, Located, Measure, count, measure};
use crate::record::{Catalogue, Chance, ComplexQuery, Item, ItemId, Plan, Provenance, Record, RecordKind};
use crate::toolset::Function;
use crate::world::DeclaredWorld;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How often a plan is tried with other values, and how many plans are tried, before a draw is given up.
const WALKS: usize = 12;
const PLANS: usize = 24;

/// Lets a model write requests for calls that were planned in a declared world (`ComplexFuncBench`).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComplexQueriesConfig {
    /// Requests owed for each domain that `domains` does not name.
    #[serde(default = "count::<45>")]
    pub per_domain: Count,
    /// Requests owed for single domains, by name; `cross` is about several of them at once.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub domains: IndexMap<String, Amount>,
    /// Share of extra candidates that may be drawn for each domain where candidates are rejected: 1 draws up to twice as many.
    #[serde(default = "measure::<100>")]
    pub spare: Measure,
    /// How often a reply that cannot be used is asked for, the first time included.
    #[serde(default = "count::<3>")]
    pub asks: Count,
    /// A table of personas, log lines or registers (.csv, .jsonl, .toml); a row enters each prompt and the provenance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Located>,
    /// How many steps and calls requests have, by domain; each comes in its turn. `other` is for domains without their own.
    #[serde(default = "shapes")]
    pub shapes: IndexMap<String, Vec<Shape>>,
}

/// What requests look like where nothing else is said.
fn shapes() -> IndexMap<String, Vec<Shape>> {
    let shape = |(steps, calls)| Shape { steps, calls };
    IndexMap::from([("other".to_owned(), [(2, 3), (3, 4), (3, 5), (4, 5), (4, 6)].map(shape).to_vec())])
}

impl StageConfig for ComplexQueriesConfig {
    fn kind(&self) -> &'static str {
        "complex_queries"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Catalogue]
    }

    fn computes(&self) -> bool {
        true
    }

    fn output(&self) -> RecordKind {
        RecordKind::ComplexQuery
    }

    fn role(&self) -> Option<&'static str> {
        Some("generator")
    }

    fn files(&self) -> Vec<NamedFile<'_>> {
        self.seeds.iter().map(|path| NamedFile { key: "seeds", path, content: Content::Table }).collect()
    }

    fn scale(&mut self, factor: Factor) {
        self.per_domain = self.per_domain.times(factor);
        self.domains.values_mut().for_each(|amount| *amount = amount.times(factor));
    }
}

impl ComplexQueriesConfig {
    /// How many requests a domain owes; none where it is not wanted.
    pub(super) fn owed(&self, domain: &str) -> usize {
        self.domains.get(domain).map_or(self.per_domain.get(), |it| it.get())
    }

    /// Draws the `ordinal`-th request of a domain: plans and makes its calls, and lets a model write the words.
    pub(super) async fn draw(&self, context: &Context, parent: &Item, ordinal: usize) -> Result<Outcome, Stop> {
        let Record::Catalogue(catalogue) = &parent.record else { return Ok(Outcome::default()) };
        let id = parent.id.child(&context.stage, ordinal);
        let reject = |fault| Ok(Outcome::reject(&id, &context.stage, fault, String::new()));
        let Some(world) = context.shared.domains.declared().cloned() else {
            return reject(Fault::new("no_world", "the toolset declares no world in which calls could be planned"));
        };
        let shape = self.shape(&catalogue.domain, ordinal);
        let Some((plan, walked)) = planned(context, &world, catalogue, (&id, shape)) else {
            let detail = format!("no plan of {} steps and {} calls was found", shape.steps, shape.calls);
            return reject(Fault::new("no_plan", detail));
        };
        let order = Order { id: &id, world: &world, plan: &plan, walked: &walked, asks: self.asks.as_draws() };
        let written = write(context, &catalogue.title, &order).await;
        let item = written.map(|written| {
            let provenance = provenance(context, parent, (&written, &plan));
            let record = Record::ComplexQuery(Box::new(query(catalogue, written, (plan, walked))));
            Item { id: id.clone(), root: parent.root.clone(), record, provenance }
        });
        Outcome::of(item, &id, &context.stage)
    }

    fn shape(&self, domain: &str, ordinal: usize) -> Shape {
        let own = self.shapes.get(domain).or_else(|| self.shapes.get("other")).filter(|it| !it.is_empty());
        let fallback = shapes();
        let shapes = own.unwrap_or(&fallback[0]);
        shapes[ordinal % shapes.len()]
    }
}

fn provenance(context: &Context, parent: &Item, (written, plan): (&Written, &Plan)) -> Provenance {
    let mut facts = written.facts.clone();
    facts.insert("path".to_owned(), describe(plan));
    facts.insert("changeable".to_owned(), changeable(plan).to_string());
    Provenance {
        template: context.is_template(context.role()),
        draws: vec![written.draw.clone()],
        parents: vec![parent.root.to_string()],
        facts,
        ..Provenance::default()
    }
}

fn query(catalogue: &Arc<Catalogue>, written: Written, (plan, walked): (Plan, Walked)) -> ComplexQuery {
    ComplexQuery {
        catalogue: catalogue.clone(),
        text: written.text,
        thought: String::new(),
        functions: Vec::new(),
        steps: walked.steps,
        answer: written.answer,
        slots: walked.said,
        plan: Some(Box::new(plan)),
        tags: written.tags,
        base: None,
    }
}

/// A plan of the shape whose calls could be made.
fn planned(
    context: &Context,
    world: &Arc<DeclaredWorld>,
    catalogue: &Catalogue,
    (id, shape): (&ItemId, Shape),
) -> Option<(Plan, Walked)> {
    let declaration = world.declaration().clone();
    let functions: Vec<&Function> =
        catalogue.tools.iter().filter_map(|tool| declaration.functions.get(&tool.name)).collect();
    let crosses = catalogue.domain == super::toolset::CROSS;
    let wish = Wish { functions, crosses, shape };
    (0..PLANS).find_map(|draw| {
        let draw = u32::try_from(draw).unwrap_or(u32::MAX);
        let mut chance = Chance::new(context.shared.seed, &context.stage, id.as_str(), draw + 1);
        let mut plan = plan(&declaration, &wish, Chance::of(&[b"sketch", &chance.bits().to_le_bytes()]))?;
        plan.told = wanted_items(world, &plan, &mut chance);
        let walked = (0..WALKS).find_map(|_| {
            let said = draw_values(world, &plan, (&IndexMap::new(), None), &mut chance)?;
            walk(world, &plan, &said, &mut chance)
        })?;
        Some((plan, walked))
    })
}
