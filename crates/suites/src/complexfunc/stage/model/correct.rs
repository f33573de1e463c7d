//! Keeps a request if every argument of its calls can be traced, and mends one that leaves something out
//! (`ComplexFuncBench`, correction).

use crate::complexfunc::stage::model::settled::check_settled;
use crate::complexfunc::stage::model::trace::{Made, Tracer, arrange, check_form, made_of, today, without_defaults};
use crate::complexfunc::stage::needed::{CHOICES, needed, trimmed};
use crate::failure::ItemError;
use crate::gate::check_script;
use crate::llm::tasks::read_rewritten;
use crate::llm::{CorrectVariables, MissingArgument, Reply, Task, Variables};
use crate::record::{ComplexQuery, Draw, Item, ItemId, Origin, Record, RecordKind, Step};
use crate::settings::{Count, count};
use crate::stage::context::{Context, Question as Asked};
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Stage, Work};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a request if every argument of its calls comes from the request, an earlier answer or a default; a model may
/// rewrite the request.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CorrectConfig {
    /// Minimum number of steps after needless calls are removed; not applied to requests with a plan.
    #[serde(default = "count::<2>")]
    least_steps: Count,
    /// Maximum rewrites of a request that leaves something out.
    #[serde(default = "count::<3>")]
    asks: Count,
}

impl Stage for CorrectConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("correct", &[RecordKind::ComplexQuery]).asks("generator")
    }

    /// Checks one request, and mends it where it has no plan to hold to.
    fn each<'a>(&'a self, context: &'a Context, mut item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::ComplexQuery(query) = &mut item.record else { return Ok(Outcome::keep(item)) };
            let text = query.text.clone();
            let corrected = match query.plan {
                Some(_) => check_settled(context, query).map(|()| None).map_err(ItemError::from),
                None => self.correct(context, &item.id, query).await.map(Some),
            };
            match corrected {
                Ok(corrected) => {
                    if let Some((corrected, draw, is_settled)) = corrected {
                        **query = corrected;
                        item.provenance.draws.extend(draw);
                        if is_settled {
                            item.provenance.facts.insert(CHOICES.to_owned(), "judged".to_owned());
                        }
                    }
                    Ok(Outcome::keep(item))
                }
                Err(failure) => Ok(context.reject(&item.id, failure.fault()?, text)),
            }
        })
    }
}

impl CorrectConfig {
    async fn correct(
        &self,
        context: &Context,
        item: &ItemId,
        query: &ComplexQuery,
    ) -> Result<(ComplexQuery, Option<Draw>, bool), ItemError> {
        let made = made_of(query);
        check_forms(&made)?;
        let (made, is_settled) = needed(context, item, query, made).await?;
        let tracer = Tracer::new(context, &query.text, &[]);
        let made = without_defaults(&tracer, made);
        let steps = arrange(&tracer, &made);
        let missing = missing(context, &query.text, &made, &steps)?;
        let (mended, draw) = if missing.is_empty() {
            (ComplexQuery { steps, ..query.clone() }, None)
        } else {
            let (mended, draw) = self.rewrite(context, item, query, &made, &missing).await?;
            (mended, Some(draw))
        };
        let mended = trimmed(context, mended)?;
        if mended.steps.len() < self.least_steps.get() {
            let detail = format!("{} of at least {} steps are needed", mended.steps.len(), self.least_steps.get());
            return Err(Fault::new("too_few_steps", detail).into());
        }
        Ok((mended, draw, is_settled))
    }

    /// Lets a model say what is missing, until the words hold all of it.
    async fn rewrite(
        &self,
        context: &Context,
        item: &ItemId,
        query: &ComplexQuery,
        made: &[Made],
        missing: &[MissingArgument],
    ) -> Result<(ComplexQuery, Draw), ItemError> {
        let variables = |common| {
            let (query, missing, today) = (query.text.clone(), missing.to_vec(), today(context));
            Variables::CorrectQuery(CorrectVariables { common, query, missing, today })
        };
        let read = |reply: &Reply| {
            let rewritten = read_rewritten(&reply.text)?.0;
            check_script(&rewritten.query, context.language(), None)?;
            let steps = arrange(&Tracer::new(context, &rewritten.query, &rewritten.said), made);
            settled(&steps)?;
            Ok(ComplexQuery { text: rewritten.query, steps, ..query.clone() })
        };
        let asked = Asked { task: Task::CorrectQuery, role: context.role(), item, asks: self.asks.as_draws() };
        context.obtain(&asked, asked.task.reply_schema(), variables, read).await
    }
}

fn check_forms(made: &[Made]) -> Result<(), Fault> {
    if made.is_empty() {
        return Err(Fault::new("no_calls", "nobody has made its calls yet"));
    }
    let malformed = made.iter().find_map(|it| Some((&it.call.name, check_form(&it.tool, &it.call).err()?)));
    malformed.map_or(Ok(()), |(name, fault)| Err(Fault::new("malformed_call", format!("`{name}`: {fault}"))))
}

/// The arguments that nothing settles; a fault where no words could say one of them.
fn missing(context: &Context, text: &str, made: &[Made], steps: &[Step]) -> Result<Vec<MissingArgument>, Fault> {
    let tracer = Tracer::new(context, text, &[]);
    let placed = steps.iter().flat_map(|step| step.calls.iter().zip(&step.notes));
    let mut missing = Vec::new();
    for (call, notes) in placed {
        let Some(tool) = made.iter().find(|it| it.call == *call).map(|it| &it.tool) else { continue };
        for name in notes.iter().filter(|(_, note)| note.origin == Origin::Missing).map(|(name, _)| name) {
            let value = call.arguments.get(name).cloned().unwrap_or_default();
            if tracer.is_secret(tool, name) {
                return Err(Fault::new("untraceable", format!("no answer holds {name} = {value} of `{}`", call.name)));
            }
            let about = tool.parameters.properties.get(name).and_then(|it| it.description.clone()).unwrap_or_default();
            let (function, purpose) = (call.name.clone(), tool.description.clone());
            missing.push(MissingArgument { function, purpose, parameter: name.clone(), about, value });
        }
    }
    Ok(missing)
}

/// Whether every argument has an origin.
fn settled(steps: &[Step]) -> Result<(), Fault> {
    let placed = steps.iter().flat_map(|step| step.calls.iter().zip(&step.notes));
    let lost = placed.flat_map(|(call, notes)| {
        let missing = notes.iter().filter(|(_, note)| note.origin == Origin::Missing);
        missing.map(move |(name, _)| format!("{name} = {} of `{}`", call.arguments[name], call.name))
    });
    let lost: Vec<String> = lost.collect();
    let detail = || format!("neither the request nor an earlier answer says {}", lost.join(", "));
    if lost.is_empty() { Ok(()) } else { Err(Fault::new("untraceable", detail())) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::trace::testing::{coarse, complex, complex_item, greyford, inn, made};
    use crate::gate::pointed;
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked as Heard, context, silent};

    const WHOLE: &str =
        "Which inns in Greyford are free from November 1, 2024 until November 4, 2024 for three guests?";
    const SAID: &str = "The Mill is free.";

    /// A request with calls in two steps: a lookup and a search for three guests.
    fn request(context: &Context, text: &str, search: &str) -> ComplexQuery {
        let calls = [(0, "Find_Town", r#"{"query": "Greyford"}"#), (1, "Search_Inns", search)];
        let steps = arrange(&Tracer::new(context, text, &[]), &made(context, &calls));
        ComplexQuery { steps, answer: SAID.to_owned(), ..coarse(context, text, &[]) }
    }

    fn search(more: &str) -> String {
        let context = inn(silent());
        greyford(&context).1.replace('}', &format!("{more}}}"))
    }

    /// What comes of a request; the model keeps all calls, and rewrites by one reply after another.
    async fn corrected(text: &str, search: &str, replies: &[&str]) -> (Outcome, Heard) {
        let replies: Vec<String> = replies.iter().map(|&reply| reply.to_owned()).collect();
        let (context, asked) = context(move |request| match request.task {
            Task::JudgeServed => r#"{"served": true, "needless": [], "lacks": ""}"#.to_owned(),
            _ => replies[(request.draw as usize).min(replies.len() - 1)].clone(),
        });
        let context = inn(context);
        let mut query = request(&context, text, search);
        let found = query.steps.last().unwrap().answers.last().unwrap();
        if let Some(inn) = pointed(found, "/data/inns/0/name") {
            query.answer = format!("{} is free.", inn.as_str().unwrap());
        }
        let item = complex_item(query);
        let config: CorrectConfig = read_text("asks = 2").unwrap();
        (config.each(&context, item).await.unwrap(), asked)
    }

    fn reply(query: &str, said: &str) -> String {
        format!(r#"{{"query": "{query}", "said": [{said}]}}"#)
    }

    #[tokio::test]
    async fn a_request_that_says_all_passes_as_it_is() {
        let (outcome, asked) = corrected(WHOLE, &search(r#", "guests": 3"#), &[]).await;
        assert_eq!((complex(&outcome.kept)[0].text.as_str(), asked.tasks()), (WHOLE, vec![Task::JudgeServed]));
        let defaults = search(r#", "guests": 3, "sort": "price", "quiet": false"#);
        let (outcome, _) = corrected(WHOLE, &defaults, &[]).await;
        let call = &complex(&outcome.kept)[0].steps[1].calls[0];
        assert_eq!(call.arguments.keys().collect::<Vec<_>>(), ["town_id", "arrival", "departure", "guests"]);
    }

    #[tokio::test]
    async fn what_is_left_out_is_said_by_a_model() {
        let search = search(r#", "guests": 3, "sort": "stars""#);
        let text = WHOLE.replace(" for three guests", "");
        let half = reply(WHOLE, "");
        let said = r#"{"function": "Search_Inns", "parameter": "sort", "words": "grandest first"}"#;
        let whole = reply(&WHOLE.replace('?', ", grandest first?"), said);
        let (outcome, asked) = corrected(&text, &search, &[&half, &whole]).await;
        let query = complex(&outcome.kept)[0];
        assert!(query.text.ends_with("for three guests, grandest first?"), "{}", query.text);
        let note = &query.steps[1].notes[0]["sort"];
        assert_eq!((&note.origin, note.surface.as_deref()), (&Origin::Enum, Some("grandest first")));
        assert_eq!(outcome.kept[0].provenance.draws.len(), 1);
        let faults = asked.faults();
        assert!(faults[2].contains("says sort = \"stars\" of `Search_Inns`") && faults[1].is_empty(), "{faults:?}");
        let Variables::CorrectQuery(told) = &*asked.requests()[1].variables else { panic!("another task") };
        assert_eq!(told.missing.iter().map(|it| it.parameter.as_str()).collect::<Vec<_>>(), ["guests", "sort"]);
    }

    #[tokio::test]
    async fn who_is_not_mended_in_time_is_rejected() {
        let search = search(r#", "guests": 3"#);
        let text = WHOLE.replace(" for three guests", "");
        for (reply, reason) in [
            (reply(&text, ""), "untraceable"),
            ("I cannot".to_owned(), "no_query"),
            (reply("...", ""), "empty_query"),
            (reply("그레이퍼드에 세 명", ""), "wrong_script"),
        ] {
            let (outcome, asked) = corrected(&text, &search, &[&reply]).await;
            assert_eq!((outcome.rejected[0].reason.as_str(), asked.count()), (reason, 3), "{reply}");
            assert_eq!(outcome.rejected[0].text, text);
        }
    }

    #[tokio::test]
    async fn what_only_the_service_can_know_is_not_put_into_words() {
        let (outcome, asked) = corrected(WHOLE, &search("").replace("T2", "T3"), &[]).await;
        assert_eq!(outcome.rejected[0].detail, "no answer holds town_id = \"T3\" of `Search_Inns`");
        assert!(!asked.tasks().contains(&Task::CorrectQuery));
    }

    #[tokio::test]
    async fn calls_must_be_there_and_well_formed_and_make_steps() {
        let (context, _) = context(|_| r#"{"served": true, "needless": [1, 2]}"#.to_owned());
        let context = inn(context);
        let config: CorrectConfig = read_text("").unwrap();
        let whole = || request(&context, WHOLE, &search(r#", "guests": 3"#));
        let mut malformed = whole();
        malformed.steps[1].calls[0].arguments.insert("guests".to_owned(), "three".into());
        let mut unknown = whole();
        unknown.steps[1].calls[0].name = "Fly".to_owned();
        let empty = ComplexQuery { steps: Vec::new(), ..whole() };
        for (query, reason) in [
            (malformed, "malformed_call"),
            (unknown, "malformed_call"),
            (empty, "no_calls"),
            (whole(), "too_few_steps"),
        ] {
            let outcome = config.each(&context, complex_item(query)).await.unwrap();
            assert_eq!(outcome.rejected[0].reason, reason);
        }
    }
}
