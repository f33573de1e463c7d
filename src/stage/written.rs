//! Lets a model write the words for a plan whose calls were made, and tells what a good assistant would answer.

use super::context::{Context, Question as Asked};
use super::outcome::{Failure, Fault};
use super::plans::{Walked, brief, told};
use super::schemas;
use crate::gate::check_script;
use crate::llm::answer::read_json;
use crate::llm::{BriefVariables, Reply, Task, Variables};
use crate::locale::Stamp;
use crate::record::{Chance, Draw, ItemId, Plan, Value};
use crate::world::DeclaredWorld;
use indexmap::IndexMap;

/// What is to be written.
pub(super) struct Order<'o> {
    /// The query's id.
    pub(super) id: &'o ItemId,
    /// The world in which its calls were made.
    pub(super) world: &'o DeclaredWorld,
    /// The calls as planned.
    pub(super) plan: &'o Plan,
    /// The calls as made.
    pub(super) walked: &'o Walked,
    /// How often may be asked.
    pub(super) asks: u32,
}

/// The words of a query.
pub(super) struct Written {
    /// What the person says.
    pub(super) text: String,
    /// What a good assistant says in the end.
    pub(super) answer: String,
    /// Facts for the provenance.
    pub(super) facts: IndexMap<String, String>,
    /// Labels for slices.
    pub(super) tags: Vec<String>,
    /// The draw that wrote it.
    pub(super) draw: Draw,
}

/// Asks until a query says all that it must, in the locale's script and without anything that only answers hold.
pub(super) async fn write(context: &Context, title: &str, order: &Order<'_>) -> Result<Written, Failure> {
    let shared = &context.shared;
    let mut chance = Chance::new(shared.seed, &context.stage, order.id.as_str(), 0);
    let styles =
        if shared.pack.questions.styles.is_empty() { &shared.pack.styles } else { &shared.pack.questions.styles };
    let style = styles.get(chance.weighted(styles.iter().map(|style| style.weight)));
    let (style, manner) = style.map_or((String::new(), String::new()), |it| (it.name.clone(), it.description.clone()));
    let seed = chance.pick(&context.table).cloned();
    let parts = brief(order.world, order.plan, &order.walked.said, &mut chance);
    let today = today(order.world, &mut chance);
    let variables = |common| {
        Variables::WriteComplexQuery(BriefVariables {
            common,
            title: title.to_owned(),
            today: today.clone(),
            parts: parts.clone(),
            style: style.clone(),
            manner: manner.clone(),
            seed: seed.clone(),
        })
    };
    let asked = Asked { task: Task::WriteComplexQuery, role: context.role(), item: order.id, asks: order.asks };
    let wanted = wanted(&variables(crate::llm::Common::default()));
    let schema = Some(schemas::query());
    let (text, draw) = context.obtain(&asked, schema, variables, |reply| read(context, order, &wanted, reply)).await?;
    let mut facts = IndexMap::from([("style".to_owned(), style.clone())]);
    if let Some(seed) = &seed {
        facts.insert("seed".to_owned(), serde_json::to_string(seed).unwrap_or_default());
    }
    Ok(Written { text, answer: answer(order, &mut chance), facts, tags: Vec::new(), draw })
}

/// The day on which the request is written, in words with its year.
fn today(world: &DeclaredWorld, chance: &mut Chance) -> String {
    let today = Stamp::read(&world.declaration().today).and_then(|it| it.date);
    let days = world.pack().requests.days.as_ref();
    let year = today.map(|it| it.year.to_string()).unwrap_or_default();
    let mut say = || today.zip(days).map(|(day, days)| days.say(day, chance));
    // The year must be said once, for the other days are said without it.
    let with_year = (0..16).filter_map(|_| say()).find(|words| words.contains(&year));
    with_year.unwrap_or_else(|| world.declaration().today.clone())
}

fn wanted(variables: &Variables) -> Vec<String> {
    let Variables::WriteComplexQuery(variables) = variables else { return Vec::new() };
    let today = std::iter::once(variables.today.as_str());
    variables.said().into_iter().chain(today).map(str::to_owned).collect()
}

fn read(context: &Context, order: &Order<'_>, wanted: &[String], reply: &Reply) -> Result<String, Fault> {
    let (answer, way) = read_json(&reply.text)?;
    context.shared.counts.add(&context.stage, &format!("read {}", way.as_str()));
    let text = answer.as_object().and_then(|it| it.get("query")).and_then(Value::as_str).map(str::trim);
    let text =
        text.filter(|it| !it.is_empty()).ok_or_else(|| Fault::new("no_query", "there is no `query` with words"))?;
    let lower = text.to_lowercase();
    if let Some(missing) = wanted.iter().find(|words| !lower.contains(&words.to_lowercase())) {
        return Err(Fault::new("unsaid_value", format!("does not say `{missing}`")));
    }
    let functions = order.plan.calls.iter().map(|call| call.function.as_str());
    if let Some(name) = functions.into_iter().find(|name| text.contains(name)) {
        return Err(Fault::new("function_name", format!("says the function name `{name}`")));
    }
    if let Some(value) = given_away(order, &lower, wanted) {
        return Err(Fault::new("given_away", format!("says `{value}`, which is to be found out")));
    }
    check_script(text, &context.shared.language, None)?;
    Ok(text.to_owned())
}

/// A value that only an answer holds and that the text says all the same.
fn given_away(order: &Order<'_>, text: &str, wanted: &[String]) -> Option<String> {
    let listed = |function: &str, name: &str| {
        let param = order.world.declaration().functions.get(function).and_then(|it| it.parameters.get(name));
        param.is_some_and(|it| it.listed.is_some())
    };
    let calls = order.walked.steps.iter().flat_map(|step| step.calls.iter().zip(&step.notes));
    for (call, notes) in calls {
        for (name, note) in notes {
            if note.surface.is_some() || note.origin.answer().is_none() || listed(&call.name, name) {
                continue;
            }
            let Some(value) = call.arguments.get(name).and_then(Value::as_str) else { continue };
            let lower = value.to_lowercase();
            let is_word = lower.chars().filter(|it| it.is_alphanumeric()).count() < 5;
            if !is_word && text.contains(&lower) && !wanted.iter().any(|it| it.to_lowercase().contains(&lower)) {
                return Some(value.to_owned());
            }
        }
    }
    None
}

/// What a good assistant says once all calls are made.
fn answer(order: &Order<'_>, chance: &mut Chance) -> String {
    let pack = order.world.pack();
    let opening = pack.filled(chance.pick(&pack.requests.opening), "", "", chance);
    let told = told(order.world, order.plan, order.walked, chance);
    let sentences: Vec<String> = std::iter::once(opening).chain(told).filter(|it| !it.is_empty()).collect();
    sentences.into_iter().map(|text| pack.tidy(&text)).collect::<Vec<_>>().join(" ")
}
