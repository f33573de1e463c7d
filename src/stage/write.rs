//! Lets a model write one query with its arguments; what the query stages share.

use super::context::{Context, Question};
use super::outcome::{Failure, Fault};
use super::schemas;
use crate::gate::{check_parameters, check_script};
use crate::llm::answer::read_written;
use crate::llm::{Reply, Task, Variables, WriteVariables, WrittenQuery};
use crate::record::{
    ArgumentNotes, Chance, DataType, Draw, FunctionCall, Item, ItemId, Provenance, Query, Record, Tool,
};
use std::sync::Arc;

/// What is to be written.
pub(super) struct Order<'a> {
    pub(super) id: ItemId,
    pub(super) root: &'a ItemId,
    pub(super) tool: &'a Arc<Tool>,
    /// The parameters that the query mentions, and no others.
    pub(super) preset: Vec<String>,
    pub(super) data_type: &'a str,
    pub(super) asks: u32,
    /// Draws that went before, such as the choice of parameters.
    pub(super) draws: Vec<Draw>,
}

/// Asks until a query passes the format, parameter and script checks.
pub(super) async fn write_query(context: &Context, order: Order<'_>) -> Result<Item, Failure> {
    let shared = &context.shared;
    let mut chance = Chance::new(shared.seed, &context.stage, order.id.as_str(), 0);
    let style = shared.pack.styles.get(chance.weighted(shared.pack.styles.iter().map(|style| style.weight)));
    let (style, manner) = style.map_or((String::new(), String::new()), |it| (it.name.clone(), it.description.clone()));
    let seed = chance.pick(&context.table).cloned();
    let phrases = shared.toolset.phrases.get(&order.tool.name).cloned();
    let variables = |common| {
        Variables::WriteQuery(WriteVariables {
            common,
            tool: order.tool.clone(),
            must_include: order.preset.clone(),
            style: style.clone(),
            manner: manner.clone(),
            phrases: phrases.clone(),
            seed: seed.clone(),
        })
    };
    let question = Question { task: Task::WriteQuery, role: context.role(), item: &order.id, asks: order.asks };
    let schema = Some(schemas::written(order.tool, &order.preset));
    let read = |reply: &Reply| read_reply(context, order.tool, &order.preset, reply);
    let ((written, notes), draw) = context.obtain(&question, schema, variables, read).await?;
    let mut provenance = Provenance {
        template: context.is_template(context.role()),
        draws: order.draws,
        parents: vec![order.root.to_string()],
        ..Provenance::default()
    };
    provenance.draws.push(draw);
    provenance.facts.insert("style".to_owned(), style.clone());
    if let Some(seed) = &seed {
        provenance.facts.insert("seed".to_owned(), serde_json::to_string(seed).unwrap_or_default());
    }
    let query = Query {
        data_type: DataType(order.data_type.to_owned()),
        tool: order.tool.clone(),
        text: written.query,
        external: None,
        hidden: None,
        call: FunctionCall { name: order.tool.name.clone(), arguments: written.parameters },
        preset: order.preset.clone(),
        notes,
        base: None,
    };
    Ok(Item { id: order.id.clone(), root: order.root.clone(), record: Record::Query(Box::new(query)), provenance })
}

fn read_reply(
    context: &Context,
    tool: &Arc<Tool>,
    preset: &[String],
    reply: &Reply,
) -> Result<(WrittenQuery, ArgumentNotes), Fault> {
    let (mut written, way) = read_written(&reply.text)?;
    context.shared.counts.add(&context.stage, &format!("read {}", way.as_str()));
    // The declared order, so that equal labels are equal texts.
    written.parameters.sort_by(|one, _, other, _| {
        let order = |name: &String| tool.parameters.properties.get_index_of(name).unwrap_or(usize::MAX);
        order(one).cmp(&order(other))
    });
    let call = FunctionCall { name: tool.name.clone(), arguments: written.parameters.clone() };
    let notes = check_parameters(tool, preset, &call, &written.query, &context.shared.language)?;
    check_script(&written.query, &context.shared.language, None)?;
    Ok((written, notes))
}
