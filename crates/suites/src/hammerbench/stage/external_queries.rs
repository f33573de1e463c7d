//! Yields variants of queries whose values stand in a message beside the words.

use crate::failure::ItemError;
use crate::gate::{Wording, check_external, check_wording};
use crate::hammerbench::stage::pointing::{NO_ENTITY, Pointing, Target, holds};
use crate::hammerbench::stage::variant::variant_lines::{REPAIRS, Teller, write_variants};
use crate::hammerbench::stage::variant::write_variants::said_words;
use crate::llm::{LineDeed, NewLine, PlannedValue, Reply, RewriteVariables, Task, Variables, VariantLine, VariantPlan};
use crate::record::{DataType, Draw, FunctionCall, Item, Query, Record, RecordKind, Value};
use crate::settings::{Count, Factor, Measure, count, measure};
use crate::stage::context::Context;
use crate::stage::context::NOT_SENSIBLE;
use crate::stage::facts::{Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Quota, Stage, Work};
use crate::stage::writing::write::SITUATION;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Generates variants of queries in which a value is given in an external message instead of the request.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExternalQueriesConfig {
    /// Required variants per tool.
    #[serde(default = "count::<4>")]
    per_tool: Count,
    /// Extra candidates per tool when candidates are rejected, as a ratio of the required number: 1 allows up to twice
    /// as many.
    #[serde(default = "measure::<100>")]
    spare: Measure,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
    /// Requests rewritten per model call, each of a different person; the built-in model rewrites one.
    #[serde(default = "count::<6>")]
    per_request: Count,
    /// Total number of accepted items required, split evenly over the tools. Default: `per_tool` for each tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    want: Option<Count>,
}

impl Stage for ExternalQueriesConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("external_queries", &[RecordKind::Query], RecordKind::Query).asks("generator")
    }

    fn settings(&self) -> Settings<'_> {
        Settings { per_root: Some(self.per_tool), total: self.want, ..Settings::default() }
    }

    fn data_types(&self, _incoming: Vec<String>) -> Vec<String> {
        vec!["ST_External".to_owned()]
    }

    fn scale(&mut self, factor: Factor) {
        self.per_tool = self.per_tool.times(factor);
    }

    fn quota(&self, _input: &Record) -> Option<Quota> {
        Some(Quota::new(self.per_tool.get(), self.spare).once())
    }

    /// Whether a query has a value that somebody could point at.
    fn suits(&self, context: &Context, item: &Item) -> bool {
        let Record::Query(query) = &item.record else { return false };
        query.external.is_none() && query.call.arguments.keys().any(|name| could_be_pointed_at(context, query, name))
    }

    /// Draws the variant of a query whose value stands in a message beside it (HammerBench E.6).
    fn draw<'a>(&'a self, context: &'a Context, parent: &'a Item, ordinal: usize) -> Work<'a> {
        self.draw_beside(context, parent, ordinal, &[])
    }

    fn draw_beside<'a>(
        &'a self,
        context: &'a Context,
        parent: &'a Item,
        ordinal: usize,
        beside: &'a [Item],
    ) -> Work<'a> {
        Box::pin(async move {
            let Record::Query(query) = &parent.record else { return Ok(Outcome::default()) };
            let id = parent.id.child(context.stage(), 0);
            let variant = Variant(Pointing { context, id: &id, asks: self.asks.as_draws() });
            let written = if context.is_template(context.role()) {
                variant.write(parent, query).await
            } else {
                variant.write_at_once((parent, query), &Lot::of(beside, parent, ordinal, self.per_request.get())).await
            };
            context.settled(&id, written)
        })
    }
}

/// Whether an argument is a text that the request says and that people look up. A tool that states no kinds may name such
/// things as well; a model will say.
fn could_be_pointed_at(context: &Context, query: &Query, name: &String) -> bool {
    let is_entity = match query.tool.kinds.get(name) {
        Some(kind) => context.pack().kinds.get(kind).is_some_and(|kind| kind.entity.is_some()),
        None => query.tool.kinds.is_empty(),
    };
    let is_said = query.notes.get(name).is_some_and(|note| note.surface.is_some());
    is_entity && is_said && query.call.arguments.get(name).is_some_and(|value| value.as_str().is_some())
}

struct Variant<'a>(Pointing<'a>);

impl Variant<'_> {
    async fn write(&self, parent: &Item, query: &Query) -> Result<Item, ItemError> {
        let Pointing { context, id, .. } = self.0;
        let (hidden, entity, first) = self.0.entity(&query.tool, &query.call.arguments).await?;
        let surface = query.notes.get(&hidden).and_then(|note| note.surface.clone()).unwrap_or_default();
        let kind = query.tool.kinds.get(&hidden).cloned().unwrap_or_default();
        let (about, tool) = (query.tool.about(&hidden), query.tool.name.clone());
        let target = Target { entity, about, source: self.0.source(), value: surface, kind, tool };
        let (pointer, second) = self.0.pointer(&target).await?;
        let (text, third) = self.rewritten(query, &hidden, &target.value, &pointer).await?;
        let mut variant = Query { base: Some(parent.id.clone()), text, hidden: Some(hidden.clone()), ..query.clone() };
        variant.data_type = DataType("ST_External".to_owned());
        let others = query.notes.iter().filter(|(name, _)| **name != hidden);
        let forbidden = others.filter_map(|(_, note)| note.surface.clone()).collect();
        let time = context.writing_time();
        let ground = (time.as_deref(), &**context.language());
        let check = |message: &str| check_external(&variant, message, &hidden, ground).map(drop);
        let (message, fourth) = self.0.message(&target, &pointer, forbidden, check).await?;
        variant.notes = check_external(&variant, &message, &hidden, ground)?;
        variant.external = Some(message);
        let mut provenance = parent.provenance.clone();
        provenance.parents = vec![parent.id.to_string()];
        provenance.tier = None;
        provenance.draws.extend([first, second, third, fourth]);
        provenance.facts.insert("entity".to_owned(), target.entity);
        Ok(Item { id: id.clone(), root: parent.root.clone(), record: Record::Query(Box::new(variant)), provenance })
    }

    /// Lets the request and the message be written in one answer, with those of the lot, and the value be one that people look
    /// up. What has a fault there is written once more alone.
    async fn write_at_once(&self, (parent, query): (&Item, &Query), lot: &Lot<'_>) -> Result<Item, ItemError> {
        let Pointing { context, id, .. } = self.0;
        let scene = Scene::of(context, parent);
        let scene = scene.ok_or_else(|| Fault::new(NO_ENTITY, "no argument is a text that somebody could look up"))?;
        let (mut plan, mut repairs) = (scene.plan.clone(), REPAIRS);
        let mut made = None;
        if lot.parents.len() > 1 {
            let scenes: Vec<(&Item, Scene)> =
                lot.parents.iter().filter_map(|it| Some((it, Scene::of(context, it)?))).collect();
            let own = scenes.iter().position(|(it, _)| it.id == parent.id).unwrap_or_default();
            let accept = |place: usize, lines: &[NewLine]| {
                if place == own { pointing(context, &scene.base, &scene.hidden, lines).map(Some) } else { Ok(None) }
            };
            let plans = scenes.into_iter().map(|(_, scene)| scene.plan).collect();
            let teller = Teller { tool: &query.tool, phrases: None, manner: String::new(), situation: None };
            let id = parent.root.child(&format!("{}/lot", context.stage()), lot.first);
            let mut answers = write_variants(context, &id, &teller, plans, 0, accept).await?;
            match answers.swap_remove(own) {
                Ok((variant, draws)) => made = variant.map(|variant| (variant, draws)),
                Err(ItemError::Item { fault, .. }) if fault.reason != NOT_SENSIBLE && fault.reason != "transport" => {
                    (plan.fault, repairs) = (context.explained(&fault), REPAIRS - 1);
                }
                Err(failure) => return Err(failure),
            }
        }
        let (variant, draws) = if let Some(made) = made {
            made
        } else {
            let teller = Teller {
                tool: &query.tool,
                phrases: None,
                manner: std::mem::take(&mut plan.manner),
                situation: plan.situation.take(),
            };
            let accept = |_: usize, lines: &[NewLine]| pointing(context, &scene.base, &scene.hidden, lines);
            let made = write_variants(context, id, &teller, vec![plan], repairs, accept).await?.pop();
            made.unwrap_or_else(|| Err(Fault::new("missing_variant", "it was never written").into()))?
        };
        let mut provenance = parent.provenance.clone();
        provenance.parents = vec![parent.id.to_string()];
        provenance.tier = None;
        provenance.draws.extend(draws);
        Ok(Item { id: id.clone(), root: parent.root.clone(), record: Record::Query(Box::new(variant)), provenance })
    }

    async fn rewritten(
        &self,
        query: &Query,
        hidden: &str,
        surface: &str,
        pointer: &str,
    ) -> Result<(String, Draw), ItemError> {
        let variables = |common| {
            Variables::ExternalQuery(RewriteVariables {
                common,
                tool: query.tool.clone(),
                query: query.text.clone(),
                label: query.call.arguments.clone(),
                parameter: hidden.to_owned(),
                surface: surface.to_owned(),
                pointer: pointer.to_owned(),
            })
        };
        let read = |reply: &Reply| {
            let text = self.0.context.line(reply)?;
            if holds(&text, surface) {
                return Err(Fault::new("value_in_query", format!("the request must not say `{surface}`")));
            }
            Ok(text)
        };
        self.0
            .context
            .obtain(&self.0.question(Task::ExternalQuery), Task::ExternalQuery.reply_schema(), variables, read)
            .await
    }
}

/// The requests that are rewritten in one answer.
struct Lot<'a> {
    parents: &'a [Item],
    /// The ordinal of the first of them.
    first: usize,
}

impl<'a> Lot<'a> {
    /// The lot of a parent, which is the `ordinal`-th of all, among those that are drawn from at once.
    fn of(beside: &'a [Item], parent: &Item, ordinal: usize, size: usize) -> Self {
        let Some(at) = beside.iter().position(|it| it.id == parent.id) else {
            return Self { parents: &[], first: ordinal };
        };
        let begin = at - at % size.max(1);
        let parents = beside.get(begin..(begin + size).min(beside.len())).unwrap_or_default();
        Self { parents, first: (ordinal + begin).saturating_sub(at) }
    }
}

/// How a request is to be rewritten.
struct Scene {
    plan: VariantPlan,
    /// The variant without its words.
    base: Query,
    /// The argument whose value is to stand in a message.
    hidden: String,
}

impl Scene {
    /// The scene of a parent; none where nothing of it could be pointed at.
    fn of(context: &Context, parent: &Item) -> Option<Self> {
        let Record::Query(query) = &parent.record else { return None };
        let id = parent.id.child(context.stage(), 0);
        let could_be = |name: &&String| {
            let listed = query.tool.parameters.properties.get(*name).is_some_and(|it| it.values.is_some());
            !listed && could_be_pointed_at(context, query, name)
        };
        let names: Vec<&String> = query.call.arguments.keys().filter(could_be).collect();
        let hidden = context.chance(id.as_str(), 0).pick(&names).copied()?;
        let planned = |name: &String| {
            let said = said_words(None, &query.notes, name, query.call.arguments.get(name)?);
            Some(PlannedValue { name: name.clone(), value: query.call.arguments.get(name).cloned(), said })
        };
        let line = VariantLine {
            n: 1,
            speaker: "user".to_owned(),
            deed: LineDeed::Point,
            text: query.text.clone(),
            says: query.call.arguments.keys().filter(|name| *name != hidden).filter_map(planned).collect(),
            hides: planned(hidden),
            about: Pointing { context, id: &id, asks: 1 }.source(),
            ..VariantLine::default()
        };
        let style = parent.provenance.facts.get("style");
        let style = context.pack().styles.iter().find(|it| style.is_some_and(|style| it.name == *style));
        let plan = VariantPlan {
            lines: vec![line],
            manner: style.map(|style| style.description.clone()).unwrap_or_default(),
            situation: parent.provenance.facts.get(SITUATION).cloned(),
            ..VariantPlan::default()
        };
        let base = Query { base: Some(parent.id.clone()), hidden: Some(hidden.clone()), ..(**query).clone() };
        Some(Self { plan, base, hidden: hidden.clone() })
    }
}

/// The variant with its words and its message, if the one says all values but the hidden one and the other that one alone.
fn pointing(context: &Context, base: &Query, hidden: &str, lines: &[NewLine]) -> Result<Query, Fault> {
    let line = lines.first().ok_or_else(|| Fault::new("missing_line", "line 1 is missing"))?;
    let message = line.message.clone().unwrap_or_default();
    let known =
        |name: &str, _: &Value| base.notes.get(name).and_then(|note| note.surface.clone()).into_iter().collect();
    let wording = Wording { said: &line.said, known: &known, reference_time: context.reference_time() };
    let language = context.language();
    let notes = |names: Vec<String>, text: &str| {
        let of = |name: &String| Some((name.clone(), base.call.arguments.get(name)?.clone()));
        let call = FunctionCall { name: base.tool.name.clone(), arguments: names.iter().filter_map(of).collect() };
        check_wording(&base.tool, &names, &call, (text, wording), language)
    };
    let visible: Vec<String> = base.call.arguments.keys().filter(|name| *name != hidden).cloned().collect();
    let mut own = notes(visible, &line.text)?;
    own.extend(notes(vec![hidden.to_owned()], &message)?);
    let mut variant = Query { text: line.text.clone(), notes: own, ..base.clone() };
    variant.data_type = DataType("ST_External".to_owned());
    variant.notes = check_external(&variant, &message, hidden, (Some(context.reference_time()), language))?;
    variant.external = Some(message);
    Ok(variant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Argument, Origin};
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, context, modelled, queries, query, query_item, silent};

    #[test]
    fn queries_go_in_and_more_queries_come_out() {
        let config: ExternalQueriesConfig = read_text("").unwrap();
        assert_eq!(config.per_tool.get(), 4);
    }

    #[test]
    fn seeds_are_for_those_who_write_from_nothing() {
        assert!(read_text::<ExternalQueriesConfig>("seeds = \"a.csv\"").is_err());
    }

    /// A query to Porto at noon, as it comes out of the gates.
    fn parent() -> Item {
        let mut query = query("a ride to Porto at noon", r#"{"to": "Porto", "at": "noon"}"#);
        for (name, surface) in [("to", "Porto"), ("at", "noon")] {
            let note = Argument { surface: Some(surface.to_owned()), origin: Origin::Verbatim, ..Argument::default() };
            query.notes.insert(name.to_owned(), note);
        }
        query_item(query)
    }

    /// Draws the variant with a model whose first answer to one task is `first`, and sound otherwise.
    async fn drawn(task: Option<Task>, first: &str) -> (Outcome, Asked) {
        let first = first.to_owned();
        let (context, asked) = context(move |request| match request.task {
            it if Some(it) == task && request.draw == 0 => first.clone(),
            Task::ExternalEntity => "to: place".to_owned(),
            Task::ExternalPointer => "the place in my note".to_owned(),
            Task::ExternalQuery => "a ride to the place in my note at noon".to_owned(),
            Task::ExternalMessage => "Let us meet in Porto.".to_owned(),
            other => panic!("{other:?}"),
        });
        let config: ExternalQueriesConfig = read_text("asks = 2").unwrap();
        (config.draw(&context, &parent(), 0).await.unwrap(), asked)
    }

    #[tokio::test]
    async fn a_value_moves_from_the_words_to_a_message() {
        let (outcome, asked) = drawn(None, "").await;
        let query = queries(&outcome.kept)[0];
        assert_eq!(query.said(), "EK:Let us meet in Porto.\nquery:a ride to the place in my note at noon");
        assert_eq!((query.hidden.as_deref(), query.data_type.0.as_str()), (Some("to"), "ST_External"));
        assert_eq!(query.base, Some(parent().id));
        assert_eq!(query.call, queries(&[parent()])[0].call, "the label stays");
        let tasks = [Task::ExternalEntity, Task::ExternalPointer, Task::ExternalQuery, Task::ExternalMessage];
        assert_eq!(asked.tasks(), tasks);
        let item = &outcome.kept[0];
        assert_eq!((item.id.clone(), item.provenance.draws.len()), (parent().id.child("stage", 0), 4));
        assert_eq!((item.provenance.facts["entity"].as_str(), item.provenance.tier), ("place", None));
        assert_eq!(item.provenance.parents, [parent().id.to_string()]);
    }

    #[tokio::test]
    async fn every_step_knows_what_went_before() {
        let (_, asked) = drawn(None, "").await;
        let requests = asked.requests();
        let Variables::ExternalEntity(entity) = &*requests[0].variables else { panic!("another task") };
        assert_eq!((entity.entities.len(), entity.label.len()), (9, 2));
        let Variables::ExternalPointer(pointer) = &*requests[1].variables else { panic!("another task") };
        assert_eq!(
            (pointer.entity.as_str(), pointer.about.as_str(), pointer.value.as_str()),
            ("place", "Destination", "Porto")
        );
        let Variables::ExternalQuery(rewrite) = &*requests[2].variables else { panic!("another task") };
        assert_eq!((rewrite.parameter.as_str(), rewrite.surface.as_str()), ("to", "Porto"));
        assert_eq!(rewrite.pointer, "the place in my note");
        let Variables::ExternalMessage(message) = &*requests[3].variables else { panic!("another task") };
        assert_eq!(
            (message.source.clone(), message.forbidden.clone()),
            (pointer.source.clone(), vec!["noon".to_owned()])
        );
    }

    #[tokio::test]
    async fn every_fault_is_asked_for_again_and_told() {
        for (task, first, told) in [
            (Task::ExternalEntity, "price: place", "`price` is no argument of the call"),
            (Task::ExternalPointer, "the Porto of my note", "the pointer must not say `Porto`"),
            (Task::ExternalQuery, "a ride to Porto at noon", "the request must not say `Porto`"),
            (Task::ExternalMessage, "Let us meet in Faro.", "the message does not say the value of to"),
            (Task::ExternalMessage, "Porto, at noon.", "the message says the value of at as well"),
        ] {
            let (outcome, asked) = drawn(Some(task), first).await;
            assert_eq!((outcome.kept.len(), asked.count()), (1, 5), "{first}");
            assert!(asked.faults().iter().any(|fault| fault == told), "{first}: {:?}", asked.faults());
        }
    }

    #[tokio::test]
    async fn a_rewriting_that_loses_another_value_is_rejected() {
        let (outcome, _) = drawn(Some(Task::ExternalQuery), "a ride to the place in my note").await;
        assert_eq!(outcome.rejected[0].reason, "value_not_in_query");
        assert_eq!(outcome.rejected[0].id, parent().id.child("stage", 0));
    }

    #[tokio::test]
    async fn without_an_entity_there_is_no_variant() {
        let (outcome, asked) = drawn(Some(Task::ExternalEntity), "none").await;
        assert_eq!((outcome.rejected[0].reason.as_str(), asked.count()), ("no_entity", 1));
    }

    /// Draws the variant with a model that writes all of it in one answer.
    async fn written(text: &str, message: &str) -> (Outcome, Asked) {
        let words = r#"{"to": "Porto", "at": "noon"}"#;
        let line = format!(r#"{{"n": 1, "text": "{text}", "said": {words}, "message": "{message}"}}"#);
        let (context, asked) = modelled(move |_| format!(r#"{{"variants": [{{"id": "A", "lines": [{line}]}}]}}"#));
        let config: ExternalQueriesConfig = read_text("").unwrap();
        let mut parent = parent();
        if let Record::Query(query) = &mut parent.record {
            query.notes.shift_remove("at");
        }
        (config.draw(&context, &parent, 0).await.unwrap(), asked)
    }

    #[tokio::test]
    async fn a_model_writes_request_and_message_in_one_answer() {
        let (outcome, asked) = written("a ride at noon to where Ana lives now", "We live in Porto now!").await;
        assert_eq!(outcome.rejected, []);
        let query = queries(&outcome.kept)[0];
        assert_eq!(query.said(), "EK:We live in Porto now!\nquery:a ride at noon to where Ana lives now");
        assert_eq!((query.hidden.as_deref(), asked.count(), query.notes.len()), (Some("to"), 1, 2));
        for (text, message, reason) in [
            ("a ride to Porto at noon", "We live in Porto now!", "value_in_query"),
            ("a ride to where Ana lives", "We live in Porto now!", "value_not_in_query"),
            ("a ride at noon to where Ana lives", "We moved!", "value_not_in_query"),
            ("a ride at noon to where Ana lives", "Porto, come at noon!", "value_in_external_text"),
        ] {
            let (outcome, _) = written(text, message).await;
            assert_eq!(outcome.rejected.first().map(|it| it.reason.as_str()), Some(reason), "{text} {message}");
        }
    }

    #[tokio::test]
    async fn requests_of_several_people_are_rewritten_in_one_answer_and_faulty_ones_alone() {
        let (words, text) = (r#"{"to": "Porto", "at": "noon"}"#, "a ride at noon to where Ana lives now");
        let variant = move |id: &str, message: &str| {
            let line = format!(r#"{{"n": 1, "text": "{text}", "said": {words}, "message": "{message}"}}"#);
            format!(r#"{{"id": "{id}", "lines": [{line}]}}"#)
        };
        let (context, asked) = modelled(move |request| {
            let Variables::WriteVariants(variables) = &*request.variables else { panic!("another task") };
            let message = |id: &str| {
                let is_wrong = id == "B" && variables.variants.len() > 1;
                if is_wrong { "We moved!" } else { "We live in Porto now!" }
            };
            let variants: Vec<String> = variables.variants.iter().map(|it| variant(&it.id, message(&it.id))).collect();
            format!(r#"{{"variants": [{}]}}"#, variants.join(", "))
        });
        let config: ExternalQueriesConfig = read_text("per_request = 2").unwrap();
        let beside: Vec<Item> = (0..3)
            .map(|at| {
                let mut parent = parent();
                parent.id = parent.root.child("queries", at);
                if let Record::Query(query) = &mut parent.record {
                    query.notes.shift_remove("at");
                }
                parent
            })
            .collect();
        let mut requests = Vec::new();
        for (ordinal, parent) in beside.iter().enumerate() {
            let outcome = config.draw_beside(&context, parent, ordinal, &beside).await.unwrap();
            assert_eq!((outcome.rejected, outcome.kept.len()), (Vec::new(), 1));
            requests.push(asked.count());
        }
        // A run asks equal questions once; these tests do not.
        assert_eq!(requests, [1, 3, 4], "the second was there, and is asked for alone; the third is alone");
        let Variables::WriteVariants(joint) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!((joint.variants.len(), joint.manner.as_str()), (2, ""));
        let Variables::WriteVariants(alone) = &*asked.requests()[2].variables else { panic!("another task") };
        assert!(alone.variants[0].fault.contains("say"), "{}", alone.variants[0].fault);
    }

    #[test]
    fn only_a_text_of_a_known_entity_can_be_pointed_at() {
        let suits = |change: &dyn Fn(&mut Query)| {
            let mut item = parent();
            if let Record::Query(query) = &mut item.record {
                change(query);
            }
            read_text::<ExternalQueriesConfig>("").unwrap().suits(&silent(), &item)
        };
        assert!(suits(&|_| {}));
        assert!(!suits(&|query| query.call.arguments.clear()));
        assert!(!suits(&|query| query.notes.clear()), "nobody knows how it is said");
        assert!(!suits(&|query| query.external = Some("x".to_owned())), "it is a variant already");
        assert!(
            suits(&|query| std::sync::Arc::make_mut(&mut query.tool).kinds.clear()),
            "a tool without kinds may have entities"
        );
        assert!(!suits(
            &|query| std::sync::Arc::make_mut(&mut query.tool).kinds = [("to".to_owned(), "no_such".to_owned())].into()
        ));
    }
}
