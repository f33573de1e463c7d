//! Variants of a request that has no plan: a model says it with other values, and serves it anew (`ComplexFuncBench`,
//! generalization).

use crate::complexfunc::stage::model::annotate::AnnotateConfig;
use crate::complexfunc::stage::model::existing::existing;
use crate::complexfunc::stage::model::trace::{made_of, today};
use crate::complexfunc::stage::needed::{CHOICES, judged, without_call};
use crate::failure::{ItemError, RunStopped};
use crate::gate::check_script;
use crate::llm::tasks::read_rewritten;
use crate::llm::{GeneralizeVariables, SaidBy, Task, Variables};
use crate::record::{Argument, ComplexQuery, Draw, Item, ItemId, Origin, Provenance, Record, Value};
use crate::stage::context::{Context, Question as Asked};
use crate::stage::outcome::{Fault, Outcome};
use crate::toolset::Toolset;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// How variants are made.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Variation {
    /// How a variant is served; its own `asks` are those of one serving.
    pub annotate: AnnotateConfig,
    /// The fewest values that differ; where fewer can, all of these.
    pub pieces: usize,
    /// How often a variant is asked for, the first time included.
    pub asks: u32,
}

/// An argument that the words of a request say.
#[derive(Debug, Clone, PartialEq)]
struct Said {
    value: Value,
    words: String,
    kept: bool,
    /// Whether the words stand for a choice among listed values.
    is_choice: bool,
}

/// By step, function, ordinal among its calls in the step, and parameter.
type Place = (usize, String, usize, String);

/// Passes a request on with variants of it, `count` in all.
pub(crate) async fn variants_by_model(
    context: &Context,
    item: Item,
    count: usize,
    variation: &Variation,
) -> Result<Outcome, RunStopped> {
    let Record::ComplexQuery(query) = &item.record else { return Ok(Outcome::keep(item)) };
    let mut known: Vec<String> = Vec::new();
    let mut outcome = Outcome::default();
    for ordinal in 0..count.saturating_sub(1) {
        let id = item.id.child(context.stage(), ordinal);
        let variant =
            variant_by_model(context, &id, (&item, query), &known, variation).await.map(|(variant, draws)| {
                known.push(variant.text.clone());
                let parents = vec![item.id.to_string()];
                let mut provenance = Provenance { draws, parents, ..item.provenance.clone() };
                provenance.facts.insert(CHOICES.to_owned(), "judged".to_owned());
                Item {
                    id: id.clone(),
                    root: item.root.clone(),
                    record: Record::ComplexQuery(Box::new(variant)),
                    provenance,
                }
            });
        let next = context.settled(&id, variant)?;
        outcome.kept.extend(next.kept);
        outcome.rejected.extend(next.rejected);
    }
    outcome.kept.insert(0, item);
    Ok(outcome)
}

/// A variant of `base` with the id `id`: the same sentences with other values, served by a model and found to take the
/// same path. `known` are the variants that there are.
async fn variant_by_model(
    context: &Context,
    id: &ItemId,
    base: (&Item, &ComplexQuery),
    known: &[String],
    variation: &Variation,
) -> Result<(ComplexQuery, Vec<Draw>), ItemError> {
    let (item, query) = base;
    let said = said(context, query);
    let mut last = Fault::new("untraceable", "never asked");
    for time in 0..variation.asks.max(1) {
        let fault = if time == 0 { String::new() } else { last.detail.clone() };
        let order = Order { context, id, query, said: &said, known, variation };
        match order.variant(time, &fault).await {
            Ok((variant, draws)) => return Ok((ComplexQuery { base: Some(item.id.clone()), ..variant }, draws)),
            Err(ItemError::Item { fault, .. }) => {
                context.count(fault.reason);
                last = fault;
            }
            Err(stop) => return Err(stop),
        }
    }
    Err(last.into())
}

struct Order<'a> {
    context: &'a Context,
    id: &'a ItemId,
    query: &'a ComplexQuery,
    said: &'a IndexMap<Place, Said>,
    known: &'a [String],
    variation: &'a Variation,
}

impl Order<'_> {
    async fn variant(&self, time: u32, fault: &str) -> Result<(ComplexQuery, Vec<Draw>), ItemError> {
        let variables = |common| {
            Variables::GeneralizeQuery(GeneralizeVariables {
                common,
                query: self.query.text.clone(),
                replaceable: self.words(false),
                kept: self.words(true),
                pieces: self.pieces(),
                existing: existing(self.context, &mut self.context.chance_of("existing", self.id.as_str(), time)),
                known: self.known.to_vec(),
                today: today(self.context),
            })
        };
        let (role, asks) = (self.context.role(), self.variation.asks);
        let asked = Asked { task: Task::GeneralizeQuery, role, item: self.id, asks };
        let (reply, draw) = self.context.once(&asked, time, asked.task.reply_schema(), fault, &variables).await?;
        let text = read_rewritten(&reply.text).map_err(Fault::from)?.0.query;
        self.check_text(&text)?;
        let fresh = ComplexQuery {
            text,
            steps: Vec::new(),
            slots: IndexMap::new(),
            functions: self.functions(),
            ..self.query.clone()
        };
        let (served, draws) = self.variation.annotate.serve(self.context, self.id, &fresh, &self.claims()).await?;
        let served = self.as_short(served);
        self.check_calls(&served)?;
        let verdict = judged(self.context, self.id, &served, &made_of(&served)).await?;
        if !verdict.unsettled.is_empty() {
            return Err(Fault::new("ambiguous_answer", "nothing tells which item of an answer is meant").into());
        }
        Ok((
            ComplexQuery { functions: self.query.functions.clone(), ..served },
            std::iter::once(draw).chain(draws).collect(),
        ))
    }

    /// The served variant without calls that the request does not have either, as far as nothing is lost.
    fn as_short(&self, mut served: ComplexQuery) -> ComplexQuery {
        let count = |query: &ComplexQuery, name: &str| {
            query.steps.iter().flat_map(|step| &step.calls).filter(|call| call.name == name).count()
        };
        while served.path() != self.query.path() {
            let made = made_of(&served);
            let more = |at: &usize| count(&served, &made[*at].call.name) > count(self.query, &made[*at].call.name);
            let mut ends = (0..made.len()).rev().filter(more);
            let Some(shorter) = ends.find_map(|at| without_call(self.context, &served, &made, at)) else { break };
            served = shorter;
        }
        served
    }

    /// The words by which the request says choices, which the variant keeps.
    fn claims(&self) -> Vec<SaidBy> {
        let choice = |(place, it): (&Place, &Said)| {
            let (function, parameter, words) = (place.1.clone(), place.3.clone(), it.words.clone());
            it.is_choice.then_some(SaidBy { function, parameter, words })
        };
        self.said.iter().filter_map(choice).collect()
    }

    /// The functions of the calls, so that those that overlap with them are not offered.
    fn functions(&self) -> Vec<String> {
        let calls = self.query.steps.iter().flat_map(|step| &step.calls);
        calls.map(|call| call.name.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The words that may be replaced, or must stay; each once.
    fn words(&self, kept: bool) -> Vec<String> {
        let staying: Vec<&String> = self.said.values().filter(|it| it.kept).map(|it| &it.words).collect();
        let words = self.said.values().filter(|it| it.kept == kept).map(|it| &it.words);
        let words: BTreeSet<&String> = words.filter(|words| kept || !staying.contains(words)).collect();
        words.into_iter().cloned().collect()
    }

    /// How many values differ at least: most of those that can, choices left out. With another place everything in it is
    /// another.
    fn pieces(&self) -> usize {
        let can = distinct(self.said.values().filter(|it| !it.kept && !it.is_choice)).len();
        self.variation.pieces.min((2 * can).div_ceil(3)).max(1)
    }

    fn check_text(&self, text: &str) -> Result<(), Fault> {
        check_script(text, self.context.language(), None)?;
        if text == self.query.text || self.known.iter().any(|known| known == text) {
            return Err(Fault::new("same_words", "this request is there already"));
        }
        match self.words(true).into_iter().find(|words| !text.contains(words.as_str())) {
            Some(words) => Err(Fault::new("protected_changed", format!("`{words}` must stay and is gone"))),
            None => Ok(()),
        }
    }

    fn check_calls(&self, served: &ComplexQuery) -> Result<(), Fault> {
        if served.path() != self.query.path() {
            let (other, own) = (path_text(&served.path()), path_text(&self.query.path()));
            let detail = format!("it takes another path: {other} in place of {own}");
            return Err(Fault::new("other_path", detail));
        }
        let arguments = served.steps.iter().flat_map(|step| step.calls.iter().zip(&step.notes));
        let mut lost = arguments.flat_map(|(call, notes)| notes.iter().map(move |note| (call, note)));
        if let Some((call, (name, _))) = lost.find(|(_, (_, note))| note.origin == Origin::Missing) {
            let detail = format!("neither the request nor an earlier answer says {name} of `{}`", call.name);
            return Err(Fault::new("untraceable", detail));
        }
        let new = all(served);
        let differs = |place: &Place, it: &Said| new.get(place).is_none_or(|value| !value.equals(&it.value));
        if let Some((place, _)) = self.said.iter().find(|(place, it)| it.kept && differs(place, it)) {
            return Err(Fault::new("protected_changed", format!("{} of `{}` must stay and differs", place.3, place.1)));
        }
        let changed = distinct(self.said.iter().filter(|(place, it)| differs(place, it)).map(|(_, it)| it)).len();
        let least = self.pieces();
        let detail = || format!("{changed} values differ, and at least {least} were to");
        if changed >= least { Ok(()) } else { Err(Fault::new("wrong_changes", detail())) }
    }
}

/// A path as faults show it.
fn path_text(path: &[Vec<&str>]) -> String {
    let step = |names: &Vec<&str>| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let steps: Vec<String> = path.iter().map(|names| format!("[{}]", step(names))).collect();
    format!("[{}]", steps.join(", "))
}

/// Values that differ from each other; the same value in several places is one piece.
fn distinct<'s>(said: impl Iterator<Item = &'s Said>) -> BTreeSet<String> {
    said.map(|it| it.value.to_string()).collect()
}

/// The arguments that the words say, by place.
fn said(context: &Context, query: &ComplexQuery) -> IndexMap<Place, Said> {
    let toolset = context.toolset();
    let of_words = |note: &Argument| {
        let is_said = matches!(note.origin, Origin::Verbatim | Origin::Normalised | Origin::Enum | Origin::Inferred);
        note.surface.clone().filter(|_| is_said)
    };
    let said = places(query).into_iter().filter_map(|(place, value, note)| {
        let words = of_words(note?)?;
        let kept = is_protected(toolset, &place.1, &place.3);
        let is_choice = note.is_some_and(|note| note.origin == Origin::Enum);
        Some((place, Said { value: value.clone(), words, kept, is_choice }))
    });
    said.collect()
}

/// Whether variants keep a parameter as it is.
fn is_protected(toolset: &Toolset, function: &str, parameter: &str) -> bool {
    let declared = toolset.world.as_ref().and_then(|world| world.functions.get(function));
    declared.and_then(|function| function.parameters.get(parameter)).is_some_and(|it| it.protected)
}

fn all(query: &ComplexQuery) -> IndexMap<Place, &Value> {
    places(query).into_iter().map(|(place, value, _)| (place, value)).collect()
}

/// Every argument with its place and its note.
fn places(query: &ComplexQuery) -> Vec<(Place, &Value, Option<&Argument>)> {
    let mut found = Vec::new();
    for (at, step) in query.steps.iter().enumerate() {
        let mut counts: IndexMap<&str, usize> = IndexMap::new();
        for (ordinal, call) in step.calls.iter().enumerate() {
            let count = counts.entry(call.name.as_str()).or_default();
            for (name, value) in &call.arguments {
                let note = step.notes.get(ordinal).and_then(|notes| notes.get(name));
                found.push(((at, call.name.clone(), *count, name.clone()), value, note));
            }
            *count += 1;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::trace::testing::{coarse, complex_item, inn, made};
    use crate::complexfunc::stage::model::trace::{Tracer, arrange};
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked as Heard, context};

    const TEXT: &str =
        "An inn in Greyford from November 1, 2024 until November 4, 2024 for 3 guests with at least 2 stars";
    const OTHER: &str =
        "An inn in Millbrook from November 11, 2024 until November 14, 2024 for 4 guests with at least 2 stars";

    fn search(town: &str, days: [&str; 2], guests: u8, stars: u8) -> String {
        let [from, to] = days;
        format!(
            r#"{{"town_id": "{town}", "arrival": "2024-11-{from}", "departure": "2024-11-{to}", "guests": {guests}, "stars_from": {stars}}}"#
        )
    }

    fn called(name: &str, arguments: &str) -> String {
        format!(r#"[{{"name": "{name}", "arguments": {arguments}}}]"#)
    }

    /// What comes of a model that says `text` and then makes these searches in Millbrook.
    async fn variant(pieces: usize, text: &str, turns: &[String]) -> (Result<ComplexQuery, &'static str>, Heard) {
        let (text, turns) = (text.to_owned(), turns.to_vec());
        let (context, asked) = context(move |request| match request.task {
            Task::GeneralizeQuery => format!(r#"{{"query": "{text}"}}"#),
            Task::JudgeServed => r#"{"served": true, "needless": [], "lacks": ""}"#.to_owned(),
            _ => turns.get(request.history.len() / 2).cloned().unwrap_or_else(|| "Done.".to_owned()),
        });
        let context = inn(context);
        let calls =
            [(0, "Find_Town", r#"{"query": "Greyford"}"#), (1, "Search_Inns", &*search("T2", ["01", "04"], 3, 2))];
        let steps = arrange(&Tracer::new(&context, TEXT, &[]), &made(&context, &calls));
        let item = complex_item(ComplexQuery { steps, ..coarse(&context, TEXT, &[]) });
        let Record::ComplexQuery(base) = &item.record else { panic!("no request") };
        let annotate = read_text("asks = 1\nmanner = \"prompt\"").unwrap();
        let variation = Variation { annotate, pieces, asks: 2 };
        let known = ["An inn somewhere".to_owned()];
        let made = variant_by_model(&context, &item.id.child("generalize", 1), (&item, base), &known, &variation).await;
        let made = made.map(|(query, draws)| {
            assert!(draws.len() >= 4 && query.base.as_ref() == Some(&item.id));
            query
        });
        let reason = |failure| match failure {
            ItemError::Item { fault, .. } => fault.reason,
            ItemError::Stopped(stop) => panic!("{stop}"),
        };
        (made.map_err(reason), asked)
    }

    fn sound() -> [String; 2] {
        let find = called("Find_Town", r#"{"query": "Millbrook"}"#);
        [find, called("Search_Inns", &search("T1", ["11", "14"], 4, 2))]
    }

    #[tokio::test]
    async fn a_variant_says_other_values_and_takes_the_same_path() {
        let (made, asked) = variant(6, OTHER, &sound()).await;
        let query = made.unwrap();
        assert_eq!((query.text.as_str(), query.answer.as_str(), query.call_count()), (OTHER, "Done.", 2));
        let Variables::GeneralizeQuery(told) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!(told.kept, ["2"]);
        assert_eq!(told.replaceable, ["3", "Greyford", "November 1, 2024", "November 4, 2024"]);
        assert_eq!((told.pieces, told.known.len()), (3, 1), "no more are wanted than can differ");
        let [find, search_] = sound();
        let more = [find.clone(), search_, find.replace("Millbrook", "Greyford")];
        assert_eq!(variant(6, OTHER, &more).await.0.unwrap().call_count(), 2, "a needless call is cut");
    }

    #[tokio::test]
    async fn every_fault_rejects_after_the_last_asking() {
        let [find, _] = sound();
        let stars = called("Search_Inns", &search("T1", ["11", "14"], 4, 3));
        let few = called("Search_Inns", &search("T1", ["01", "04"], 3, 2));
        let lost = called("Search_Inns", &search("T1", ["11", "15"], 4, 2));
        let three = TEXT.replace("Greyford", "Millbrook");
        for (text, turns, reason) in [
            (TEXT, vec![], "same_words"),
            ("An inn somewhere", vec![], "same_words"),
            ("An inn with some stars", vec![], "protected_changed"),
            ("별 2 개짜리 여관", vec![], "wrong_script"),
            ("", vec![], "empty_query"),
            (OTHER, vec![find.clone()], "too_few_steps"),
            (OTHER, vec![find.clone(), stars], "untraceable"),
            (OTHER, vec![find.clone(), lost], "untraceable"),
            (&three, vec![find.clone(), few], "wrong_changes"),
        ] {
            let (made, asked) = variant(4, text, &turns).await;
            assert_eq!(made.err(), Some(reason), "{text} {turns:?}");
            assert_eq!(asked.tasks().iter().filter(|task| **task == Task::GeneralizeQuery).count(), 2);
        }
    }

    #[tokio::test]
    async fn a_request_goes_on_with_its_variants_and_what_is_wrong_with_the_others_is_told() {
        let (context, _) = context(|request| match request.task {
            Task::GeneralizeQuery => format!(r#"{{"query": "{OTHER}"}}"#),
            Task::JudgeServed => r#"{"served": true, "needless": [], "lacks": ""}"#.to_owned(),
            _ => sound().get(request.history.len() / 2).cloned().unwrap_or_else(|| "Done.".to_owned()),
        });
        let context = inn(context);
        let calls =
            [(0, "Find_Town", r#"{"query": "Greyford"}"#), (1, "Search_Inns", &*search("T2", ["01", "04"], 3, 2))];
        let steps = arrange(&Tracer::new(&context, TEXT, &[]), &made(&context, &calls));
        let item = complex_item(ComplexQuery { steps, ..coarse(&context, TEXT, &[]) });
        let annotate = read_text("asks = 1\nmanner = \"prompt\"").unwrap();
        let variation = Variation { annotate, pieces: 6, asks: 1 };
        let outcome = variants_by_model(&context, item.clone(), 3, &variation).await.unwrap();
        assert_eq!((outcome.kept.len(), &outcome.kept[0]), (2, &item));
        assert_eq!(outcome.kept[1].id, item.id.child("stage", 0));
        assert_eq!(
            (outcome.rejected[0].reason.as_str(), outcome.rejected[0].id.as_str()),
            ("same_words", "inns/coarse_queries/0/stage/1")
        );
    }

    #[test]
    fn places_tell_equal_functions_of_a_step_apart() {
        let context = inn(crate::stage::testing::silent());
        let calls = [(0, "Find_Town", r#"{"query": "Greyford"}"#), (0, "Find_Town", r#"{"query": "Millbrook"}"#)];
        let steps = arrange(&Tracer::new(&context, TEXT, &[]), &made(&context, &calls));
        let query = ComplexQuery { steps, ..coarse(&context, TEXT, &[]) };
        let found: Vec<Place> = places(&query).into_iter().map(|it| it.0).collect();
        assert_eq!((found[0].2, found[1].2), (0, 1));
        assert_eq!(said(&context, &query).len(), 1, "nobody says Millbrook");
    }
}
