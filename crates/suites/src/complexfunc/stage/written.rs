//! Lets a model write the words for a plan whose calls were made, and tells what a good assistant would answer.

use crate::complexfunc::stage::needed::check_gold;
use crate::complexfunc::stage::plans::{Walked, brief, reasons, told};
use crate::failure::ItemError;
use crate::gate::check_script;
use crate::llm::{BriefVariables, Reply, Task, Variables};
use crate::locale::{DayOrder, Pattern, Stamp};
use crate::record::{Chance, Draw, ItemId, Plan, Tool, Value};
use crate::stage::context::{Context, Question as Asked};
use crate::stage::outcome::Fault;
use crate::stage::writing::schemas;
use crate::text::read_json;
use crate::world::DeclaredWorld;
use indexmap::IndexMap;
use std::sync::Arc;

/// The most forms of a reason among which one is chosen.
const REASONS: usize = 12;

/// What is to be written.
pub(crate) struct Order<'o> {
    /// The query's id.
    pub id: &'o ItemId,
    /// The world in which its calls were made.
    pub world: &'o DeclaredWorld,
    /// The functions that it may call.
    pub tools: &'o [Arc<Tool>],
    /// The calls as planned.
    pub plan: &'o Plan,
    /// The calls as made.
    pub walked: &'o Walked,
    /// The order in which it says days.
    pub days: &'o DayOrder,
    /// How often may be asked.
    pub asks: u32,
}

/// The words of a query.
pub(crate) struct Written {
    /// What the person says.
    pub text: String,
    /// What a good assistant says in the end.
    pub answer: String,
    /// Facts for the provenance.
    pub facts: IndexMap<String, String>,
    /// Labels for slices.
    pub tags: Vec<String>,
    /// The draw that wrote it.
    pub draw: Draw,
}

/// Asks until a query says all that it must, in the locale's script and without anything that only answers hold; then the
/// gold with its closing answer is checked.
pub(crate) async fn write(context: &Context, title: &str, order: &Order<'_>) -> Result<Written, ItemError> {
    let mut chance = context.chance(order.id.as_str(), 0);
    let styles = if context.pack().questions.styles.is_empty() {
        &context.pack().styles
    } else {
        &context.pack().questions.styles
    };
    let (style, manner) = context.manner(styles, None, &mut chance);
    let seed = chance.pick(context.table()).cloned();
    let parts = brief(order.world, order.plan, &order.walked.said, &mut chance);
    let today = if hangs_on_today(order) { today(order.world, order.days, &mut chance) } else { String::new() };
    let why = reason(order, &mut chance);
    let variables = |common| {
        Variables::WriteComplexQuery(BriefVariables {
            common,
            title: title.to_owned(),
            today: today.clone(),
            why: why.clone(),
            parts: parts.clone(),
            style: style.clone(),
            manner: manner.clone(),
            seed: seed.clone(),
        })
    };
    let asked = Asked { task: Task::WriteComplexQuery, role: context.role(), item: order.id, asks: order.asks };
    let wanted: Vec<String> = wanted(&variables(crate::llm::Common::default()));
    // A near day stands without the words of a date, also within what is said of a leg.
    let wanted: Vec<String> = wanted.iter().map(|words| context.pack().requests.bared(words)).collect();
    let schema = Some(schemas::query());
    let (text, draw) = context.obtain(&asked, schema, variables, |reply| read(context, order, &wanted, reply)).await?;
    let mut facts = IndexMap::from([("style".to_owned(), style.clone())]);
    if let Some(seed) = &seed {
        facts.insert("seed".to_owned(), serde_json::to_string(seed).unwrap_or_default());
    }
    let answer = answer(order, &mut chance);
    check_gold(context, order.tools, (&text, &order.walked.steps, &answer), true)?;
    Ok(Written { text, answer, facts, tags: Vec::new(), draw })
}

/// Whether the request says a day by how far it is from the one on which it is written. What is about no case says its days
/// without a year, which the day of writing then tells.
fn hangs_on_today(order: &Order<'_>) -> bool {
    let near = &order.world.pack().requests.near;
    let is_near = || order.walked.said.values().any(|said| near.values().flatten().any(|word| *word == said.words));
    order.plan.case.is_none() || is_near()
}

/// Why the person asks: a sentence of the plan's case.
fn reason(order: &Order<'_>, chance: &mut Chance) -> String {
    let says = chance.pick(reasons(order.world.declaration(), &order.walked.said));
    let says = says.and_then(|text| Pattern::parse(text).ok());
    let texts = says.map(|pattern| pattern.variants(REASONS)).unwrap_or_default();
    chance.pick(&texts).cloned().unwrap_or_default()
}

/// The day on which the request is written, in words with its year.
fn today(world: &DeclaredWorld, order: &DayOrder, chance: &mut Chance) -> String {
    let today = Stamp::read(&world.declaration().today).and_then(|it| it.date);
    let days = world.pack().requests.days.as_ref();
    let year = today.map(|it| it.year.to_string()).unwrap_or_default();
    let mut say = || today.zip(days).map(|(day, days)| days.say_in(order, day, chance));
    // The year must be said once, for the other days are said without it.
    let with_year = (0..16).filter_map(|_| say()).find(|words| words.contains(&year));
    with_year.unwrap_or_else(|| world.declaration().today.clone())
}

fn wanted(variables: &Variables) -> Vec<String> {
    let Variables::WriteComplexQuery(variables) = variables else { return Vec::new() };
    let today = Some(variables.today.as_str()).filter(|it| !it.is_empty());
    variables.said().into_iter().chain(today).map(str::to_owned).collect()
}

fn read(context: &Context, order: &Order<'_>, wanted: &[String], reply: &Reply) -> Result<String, Fault> {
    let (answer, way) = read_json(&reply.text)?;
    context.count(&format!("read {}", way.as_str()));
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
    check_script(text, context.language(), None)?;
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
    pack.requests.join_sentences(&sentences.iter().map(|text| pack.tidy(text)).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::plans::testing::{Journey, inn, korean, lodging, month_first, stays};
    use std::collections::BTreeSet;

    fn order<'o>(id: &'o ItemId, Journey { plan, walked }: &'o Journey) -> Order<'o> {
        Order { id, world: &inn().world, tools: &inn().toolset.tools, plan, walked, days: month_first(), asks: 1 }
    }

    /// Why what the built-in model says is rejected once it is changed; nothing where it is not.
    async fn reason(change: fn(String) -> String) -> Option<&'static str> {
        let journey = &stays()[0];
        let id = ItemId::root("inns").child("complex_queries", 0);
        let order = order(&id, journey);
        match write(&lodging(change), "Inns", &order).await {
            Ok(_) => None,
            Err(ItemError::Item { fault, .. }) => Some(fault.reason),
            Err(ItemError::Stopped(stop)) => panic!("{stop:?}"),
        }
    }

    fn spoken(text: &str) -> String {
        serde_json::json!({ "query": text }).to_string()
    }

    #[tokio::test]
    async fn what_says_everything_is_taken() {
        assert_eq!(reason(|text| text).await, None);
        assert_eq!(reason(|text| format!("Here it is:\n```json\n{text}\n```")).await, None);
        assert_eq!(reason(|text| text.to_uppercase().replace("QUERY", "query")).await, None, "letters may be large");
    }

    #[tokio::test]
    async fn each_fault_has_its_reason() {
        assert_eq!(reason(|_| spoken(" ")).await, Some("no_query"));
        assert_eq!(reason(|_| "{}".to_owned()).await, Some("no_query"));
        assert_eq!(reason(|_| spoken("Today is October 13, 2024. Find me something.")).await, Some("unsaid_value"));
        assert_eq!(reason(|text| text.replace("2024", "this year")).await, Some("unsaid_value"));
        assert_eq!(reason(|text| text.replace("\"}", " Use Search_Inns.\"}")).await, Some("function_name"));
        let foreign = |text: String| text.replace("\"}", &format!("{}\"}}", " 밀브룩에 방을 잡아 줘.".repeat(60)));
        assert_eq!(reason(foreign).await, Some("wrong_script"));
    }

    #[tokio::test]
    async fn what_only_an_answer_holds_is_not_given_away() {
        let journey = stays().iter().find(|it| it.plan.depth() == 3).unwrap();
        let id = ItemId::root("inns");
        let order = order(&id, journey);
        let last = journey.walked.steps[2].calls[0].arguments.get("token").and_then(Value::as_str).unwrap();
        let text = format!("the offer {last} in millbrook").to_lowercase();
        assert_eq!(given_away(&order, &text, &[]).as_deref(), Some(last));
        assert_eq!(given_away(&order, &text, &[last.to_owned()]), None, "it is what is said");
        assert_eq!(given_away(&order, "an inn in millbrook, t1", &[]), None, "so short a text is no value");
    }

    #[test]
    fn the_day_is_said_with_its_year() {
        let says = |draw| today(&inn().world, month_first(), &mut Chance::new(1, "t", "d", draw));
        let said: BTreeSet<String> = (0..20).map(says).collect();
        assert!(said.iter().all(|words| words.contains("2024") && words.contains("13")), "{said:?}");
        assert!(said.iter().all(|words| words.starts_with("October 13")), "{said:?}");
        let mut chance = Chance::of(&[b"t"]);
        let order = korean().pack.requests.day_order(&mut chance);
        assert!(today(&korean().world, &order, &mut chance).contains("2024"));
    }

    #[test]
    fn an_answer_begins_with_an_opening_and_tells_every_end() {
        let journey = &stays()[0];
        let id = ItemId::root("inns");
        let order = order(&id, journey);
        let said = answer(&order, &mut Chance::of(&[b"a"]));
        let openings = &inn().pack.requests.opening;
        assert!(openings.iter().any(|it| it.variants(1).iter().any(|text| said.starts_with(text.as_str()))), "{said}");
        let ends = told(&inn().world, &journey.plan, &journey.walked, &mut Chance::of(&[b"a"])).len();
        assert!(said.matches(". ").count() >= ends, "{said}");
        assert_eq!(said, answer(&order, &mut Chance::of(&[b"a"])));
    }
}
