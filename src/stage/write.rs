//! Lets a model write queries with their arguments; what the query stages share.

use super::banks::Bank;
use super::context::{Context, NOT_SENSIBLE, PLANS};
use super::outcome::{Fault, Outcome};
use super::parameters::mended;
use super::schemas;
use crate::failure::{ItemError, RunStopped};
use crate::gate::{Wording, check_parameters, check_script, check_wording};
use crate::llm::tasks::{read_request, read_written};
use crate::llm::{Common, PlannedValue, Reply, RequestPlan, Task, Variables, WriteVariables, WrittenQuery};
use crate::record::{
    ArgumentNotes, DataType, Draw, FunctionCall, Item, ItemId, Object, Provenance, Query, Record, Reject, Tool, Value,
};
use std::sync::Arc;

/// The fact of an item's provenance that says why the person wants it.
pub(super) const SITUATION: &str = "situation";

/// What is to be written.
pub(super) struct Order<'a> {
    pub(super) id: ItemId,
    pub(super) root: &'a ItemId,
    pub(super) tool: &'a Arc<Tool>,
    pub(super) wanted: Wanted,
    pub(super) data_type: &'a str,
    pub(super) asks: u32,
    /// The requests that a model writes in the same answer; absent where it is written alone.
    pub(super) batch: Option<Batch>,
    /// Draws that went before, such as the choice of parameters.
    pub(super) draws: Vec<Draw>,
}

/// What a request is to be like.
#[derive(Debug, Clone, Default)]
pub(super) struct Wanted {
    /// The parameters that it mentions, and no others.
    pub(super) preset: Vec<String>,
    /// The manner in which the person asks; drawn where it is absent.
    pub(super) style: Option<String>,
    /// Whether the person describes the problem alone.
    pub(super) implied: bool,
}

/// Requests of one tool that a model writes in one answer.
pub(super) struct Batch {
    /// The stage that draws them.
    stage: String,
    /// What that stage wants of the tool, from its first draw to the last of the batch.
    wanted: Vec<Wanted>,
    /// The ordinal of the first of the batch, and of the request itself.
    first: usize,
    own: usize,
}

impl Batch {
    /// The batch of the `ordinal`-th draw of a stage, where so many draws of a tool are owed and `size` are written at once.
    /// What is drawn beyond is written alone.
    pub(super) fn of(
        stage: &str,
        ordinal: usize,
        (owed, size): (usize, usize),
        wanted: impl Fn(usize) -> Wanted,
    ) -> Self {
        let size = size.max(1);
        let (first, end) = if ordinal < owed {
            let first = ordinal / size * size;
            (first, (first + size).min(owed))
        } else {
            (ordinal, ordinal + 1)
        };
        Self { stage: stage.to_owned(), wanted: (0..end).map(wanted).collect(), first, own: ordinal }
    }

    /// How often the requests before one say a parameter.
    fn uses(&self, parameter: &str, before: usize) -> usize {
        let says = |wanted: &&Wanted| wanted.preset.iter().any(|name| name == parameter);
        self.wanted.iter().take(before).filter(says).count()
    }
}

/// Draws a query. One that never passes tells what its own words ask for, where nothing but invented arguments is wrong.
pub(super) async fn draw_query(context: &Context, order: Order<'_>) -> Result<Outcome, RunStopped> {
    let draft = Query {
        data_type: DataType(order.data_type.to_owned()),
        tool: order.tool.clone(),
        text: String::new(),
        external: None,
        hidden: None,
        call: FunctionCall::default(),
        preset: order.wanted.preset.clone(),
        notes: ArgumentNotes::new(),
        base: None,
    };
    let id = order.id.clone();
    let mut outcome = context.settled(&id, write_query(context, order).await)?;
    if let Some(reject) = outcome.rejected.first_mut() {
        mend(context, draft, reject);
    }
    Ok(outcome)
}

/// Where the last reply was a request with a call, the reject shows the request and both calls in place of the reply.
fn mend(context: &Context, draft: Query, reject: &mut Reject) {
    let Ok((written, _)) = read_written(&reject.text) else { return };
    let call = FunctionCall { name: draft.tool.name.clone(), arguments: written.parameters };
    let query = Query { text: written.query, call, ..draft };
    let is_fit = check_script(&query.text, context.language(), None).is_ok();
    if let Some(mended) = mended(context, &query).filter(|_| is_fit) {
        reject.text = query.text;
        reject.mended = Some(Box::new(mended));
    }
}

/// Asks until a query passes the format, parameter and script checks.
pub(super) async fn write_query(context: &Context, order: Order<'_>) -> Result<Item, ItemError> {
    let bank = context.bank(order.tool).await?;
    let dealer = match &order.batch {
        Some(batch) if !context.is_template(context.role()) => context.at(&batch.stage, Some(context.role())),
        _ => context.clone(),
    };
    let writer = Writer { context, dealer, order: &order, bank: bank.as_deref() };
    let Voice { style, seed, .. } = writer.voice(order.batch.as_ref().map_or(0, |batch| batch.own));
    let (written, notes, draw, place) = writer.write().await?;
    let situation = writer.situation(order.batch.as_ref().map_or(0, |batch| batch.own));
    let mut provenance = Provenance {
        template: context.is_template(context.role()),
        draws: order.draws,
        parents: vec![order.root.to_string()],
        ..Provenance::default()
    };
    provenance.draws.push(draw);
    provenance.facts.insert("style".to_owned(), style.clone());
    provenance.facts.extend(place.map(|place| ("batch".to_owned(), place)));
    provenance.facts.extend(situation.map(|situation| (SITUATION.to_owned(), situation)));
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
        preset: order.wanted.preset.clone(),
        notes,
        base: None,
    };
    Ok(Item { id: order.id.clone(), root: order.root.clone(), record: Record::Query(Box::new(query)), provenance })
}

/// Writes one query, with others of its batch where there is one.
struct Writer<'a> {
    context: &'a Context,
    /// The context of the stage that draws the batch, which settles who speaks and what is said.
    dealer: Context,
    order: &'a Order<'a>,
    bank: Option<&'a Bank>,
}

/// Who says a query, and how.
struct Voice {
    person: Option<Object>,
    style: String,
    manner: String,
    seed: Option<Object>,
}

/// A query with the notes on its arguments, the draw that it comes from, and its place in that answer where it has others.
type Made = (WrittenQuery, ArgumentNotes, Draw, Option<String>);

impl Writer<'_> {
    async fn write(&self) -> Result<Made, ItemError> {
        let (context, order) = (self.context, self.order);
        let has_plans = !context.is_template(context.role());
        let is_planned = context.prompt_of(Task::WriteQuery).is_some_and(|prompt| prompt.wants(PLANS));
        let own = has_plans.then(|| self.plan(order.batch.as_ref().map_or(0, |batch| batch.own)));
        let mut fault = None;
        if let (Some(batch), Some(own), true) = (&order.batch, &own, is_planned && !context.is_rerun(&order.id)) {
            match self.write_together(batch, own).await? {
                Ok(made) => return Ok(made),
                Err(Some(found)) if found.reason == NOT_SENSIBLE => {
                    return Err(ItemError::Item { fault: found, text: String::new() });
                }
                Err(found) => fault = found,
            }
        }
        let own: Vec<RequestPlan> = own.into_iter().collect();
        let schema = Some(if is_planned && has_plans {
            schemas::requests(order.tool, &own)
        } else {
            schemas::written(order.tool, &order.wanted.preset)
        });
        let question = context.question(Task::WriteQuery, &order.id, order.asks);
        let read = |reply: &Reply| self.read(own.first(), 0, reply);
        let ((written, notes), draw) =
            context.obtain_after(fault, &question, schema, |common| self.variables(common, &own), read).await?;
        Ok((written, notes, draw, None))
    }

    /// Asks for the whole batch, once; what is wrong with the query at its own place there is for the next asking. A batch of
    /// one is no batch.
    async fn write_together(&self, batch: &Batch, own: &RequestPlan) -> Result<Result<Made, Option<Fault>>, ItemError> {
        if batch.wanted.len() - batch.first < 2 {
            return Ok(Err(None));
        }
        let context = self.context;
        let plans: Vec<RequestPlan> = (batch.first..batch.wanted.len()).map(|ordinal| self.plan(ordinal)).collect();
        // The same question for each of them is asked once, also where one of them is asked for anew later.
        let id = self.order.root.child(&format!("{}/batch", context.stage()), batch.first);
        let question = context.question(Task::WriteQuery, &id, 1);
        let schema = Some(schemas::requests(self.order.tool, &plans));
        let place = batch.own - batch.first;
        let read = |reply: &Reply| self.read(Some(own), place, reply);
        match context.obtain(&question, schema, |common| self.variables(common, &plans), read).await {
            Ok(((written, notes), draw)) => Ok(Ok((written, notes, draw, Some(format!("{id} {place}"))))),
            Err(ItemError::Item { fault, .. }) if fault.reason != "transport" => Ok(Err(Some(fault))),
            Err(failure) => Err(failure),
        }
    }

    fn variables(&self, common: Common, plans: &[RequestPlan]) -> Variables {
        let order = self.order;
        let Voice { style, manner, seed, .. } = self.voice(order.batch.as_ref().map_or(0, |batch| batch.own));
        Variables::WriteQuery(WriteVariables {
            common,
            tool: order.tool.clone(),
            must_include: order.wanted.preset.clone(),
            style,
            manner,
            phrases: self.context.toolset().said_of(&order.tool.name).cloned(),
            seed,
            implied: order.wanted.implied,
            reference_time: if plans.is_empty() { String::new() } else { self.context.reference_time().to_owned() },
            requests: plans.to_vec(),
        })
    }

    /// What the query of an ordinal is to be like.
    fn wanted(&self, ordinal: usize) -> &Wanted {
        let of_batch = self.order.batch.as_ref().and_then(|batch| batch.wanted.get(ordinal));
        of_batch.unwrap_or(&self.order.wanted)
    }

    /// Who says the query of an ordinal.
    fn voice(&self, ordinal: usize) -> Voice {
        let order = self.order;
        let is_dealt = order.batch.is_some() && !self.context.is_template(self.context.role());
        let (speaker, id) = if is_dealt {
            (self.dealer.voice(order.root, Some(ordinal)), order.root.child(self.dealer.stage(), ordinal))
        } else {
            (self.context.clone(), order.id.clone())
        };
        let mut chance = self.context.chance(id.as_str(), 0);
        let style = self.wanted(ordinal).style.as_deref();
        let (style, manner) = speaker.manner(&self.context.pack().styles, style, &mut chance);
        Voice { person: speaker.person(), style, manner, seed: chance.pick(self.context.table()).cloned() }
    }

    /// What is settled of the query of an ordinal: who says it, why, and which values.
    fn plan(&self, ordinal: usize) -> RequestPlan {
        let wanted = self.wanted(ordinal);
        let Voice { person, manner, seed, .. } = self.voice(ordinal);
        let (says, situation) = (self.values(wanted, ordinal), self.situation(ordinal));
        RequestPlan { says, person, manner, situation, seed, implied: wanted.implied }
    }

    /// Why the person of an ordinal wants it, where a bank knows reasons.
    fn situation(&self, ordinal: usize) -> Option<String> {
        let (rank, count) = self.dealer.rank();
        self.bank?.situation(ordinal * count + rank, self.context.seed()).cloned()
    }

    /// The values of the bank that a query says; the writer chooses where the bank has none.
    fn values(&self, wanted: &Wanted, ordinal: usize) -> Vec<PlannedValue> {
        let (seed, mut settled) = (self.context.seed(), Object::new());
        for name in &wanted.preset {
            let Some(bank) = self.bank.filter(|_| !settled.contains_key(name)) else { continue };
            let turn = self.turn(bank, name, ordinal);
            let joins = |key: &String| key != name && wanted.preset.contains(key) && !settled.contains_key(key);
            let bundle = bank.bundle(name, turn, seed).filter(|bundle| bundle.keys().any(joins));
            match bundle {
                Some(bundle) => {
                    let given = bundle.iter().filter(|(key, _)| *key == name || joins(key));
                    let given: Vec<(String, Value)> = given.map(|(key, value)| (key.clone(), value.clone())).collect();
                    settled.extend(given);
                }
                None => settled.extend(bank.deal(name, turn, seed).map(|it| (name.clone(), it.value.clone()))),
            }
        }
        let planned = |name: &String| {
            let value = settled.get(name).cloned();
            let said = self.bank.zip(value.as_ref()).map(|(bank, value)| bank.said(name, value)).unwrap_or_default();
            let is_form = value.as_ref().is_some_and(|value| said.iter().any(|it| Some(it.as_str()) != value.as_str()));
            PlannedValue { name: name.clone(), value, said: if is_form { said } else { Vec::new() } }
        };
        wanted.preset.iter().map(planned).collect()
    }

    /// The how-manieth value of a parameter a query says. Each stage that draws begins at another place, so that they say the
    /// same values as late as possible.
    fn turn(&self, bank: &Bank, parameter: &str, ordinal: usize) -> usize {
        let (rank, count) = self.dealer.rank();
        let begin = rank * bank.parameters.get(parameter).map_or(0, |it| it.values.len()) / count.max(1);
        let used = match &self.order.batch {
            Some(batch) => batch.uses(parameter, ordinal),
            None => self.context.chance_of("turn", self.order.id.as_str(), 0).below(usize::MAX / 2),
        };
        begin + used
    }

    /// Reads the query at a place of a reply and checks it against its plan.
    fn read(
        &self,
        plan: Option<&RequestPlan>,
        place: usize,
        reply: &Reply,
    ) -> Result<(WrittenQuery, ArgumentNotes), Fault> {
        let (context, tool, preset) = (self.context, self.order.tool, &self.order.wanted.preset);
        let (mut written, way) = read_request(&reply.text, place)?;
        context.count(&format!("read {}", way.as_str()));
        if !written.sensible {
            return Err(Fault::new(NOT_SENSIBLE, "the writer finds that nobody would ask for this"));
        }
        // The declared order, so that equal labels are equal texts.
        written.parameters.sort_by(|one, _, other, _| {
            let order = |name: &String| tool.parameters.properties.get_index_of(name).unwrap_or(usize::MAX);
            order(one).cmp(&order(other))
        });
        let call = FunctionCall { name: tool.name.clone(), arguments: written.parameters.clone() };
        let notes = match plan {
            None => check_parameters(tool, preset, &call, &written.query, context.language())?,
            Some(plan) => {
                check_planned(plan, &written.parameters)?;
                let known =
                    |name: &str, value: &Value| self.bank.map(|bank| bank.said(name, value)).unwrap_or_default();
                let wording = Wording { said: &written.said, known: &known, reference_time: context.reference_time() };
                check_wording(tool, preset, &call, (&written.query, wording), context.language())?
            }
        };
        check_script(&written.query, context.language(), None)?;
        context.check_echo(Task::WriteQuery, &written.query)?;
        if self.bank.is_none() {
            context.check_copied(Task::WriteQuery, tool, &written.parameters)?;
        }
        Ok((written, notes))
    }
}

/// Checks that the arguments have the values that were given.
fn check_planned(plan: &RequestPlan, arguments: &Object) -> Result<(), Fault> {
    let given = plan.says.iter().filter_map(|it| Some((&it.name, it.value.as_ref()?, arguments.get(&it.name)?)));
    match given.into_iter().find(|(_, planned, written)| !planned.equals(written)) {
        Some((name, planned, _)) => Err(Fault::new("changed_value", format!("{name} was to be {planned}, as given"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::outcome::Fault;
    use super::super::testing::{Asked, context, queries, train, written};
    use super::*;

    const TEXT: &str = "three seats to Porto at noon";
    const LABEL: &str = r#"{"seats": 3, "to": "Porto", "at": "noon"}"#;

    fn order<'a>(tool: &'a Arc<Tool>, root: &'a ItemId) -> Order<'a> {
        Order {
            id: root.child("write", 4),
            root,
            tool,
            wanted: Wanted { preset: tool.parameters.required.clone(), ..Wanted::default() },
            data_type: "ST_Perfect",
            asks: 3,
            batch: None,
            draws: Vec::new(),
        }
    }

    /// Writes with `replies`, one after the other.
    async fn write(replies: &[&str]) -> (Result<Item, ItemError>, Asked, Context) {
        let replies: Vec<String> = replies.iter().map(|reply| (*reply).to_owned()).collect();
        let (context, asked) = context(move |request| replies[(request.draw as usize).min(replies.len() - 1)].clone());
        let (tool, root) = (Arc::new(train()), ItemId::root("Travel.Trains.book"));
        let written = write_query(&context, order(&tool, &root)).await;
        (written, asked, context)
    }

    #[tokio::test]
    async fn a_draw_that_never_passes_tells_what_its_words_ask_for_where_that_is_known() {
        let (tool, root) = (Arc::new(train()), ItemId::root("Travel.Trains.book"));
        for (reply, is_known) in [
            (written(r#"{"to": "Porto", "at": "noon", "seats": 3, "bags": 1}"#, TEXT), true),
            (written(r#"{"to": "Porto", "at": "noon", "seats": 3, "quiet": true}"#, TEXT), true),
            (written(r#"{"to": "Lisbon", "at": "noon", "seats": 3}"#, TEXT), false),
            (written(r#"{"to": "Porto", "at": "noon"}"#, TEXT), false),
            ("no request at all".to_owned(), false),
        ] {
            let told = reply.clone();
            let (context, _) = context(move |_| told.clone());
            let outcome = draw_query(&context, order(&tool, &root)).await.unwrap();
            let reject = &outcome.rejected[0];
            let right = reject.mended.as_ref().map(|mended| mended.right.arguments.len());
            assert_eq!(right, is_known.then_some(3), "{reply}");
            assert_eq!(reject.text, if is_known { TEXT.to_owned() } else { reply });
        }
    }

    #[tokio::test]
    async fn a_query_comes_with_its_label_and_its_history() {
        let (item, asked, context) = write(&[&written(LABEL, TEXT)]).await;
        let item = item.unwrap();
        assert_eq!(item.id.as_str(), "Travel.Trains.book/write/4");
        let query = queries(std::slice::from_ref(&item))[0];
        assert_eq!((query.text.as_str(), query.data_type.0.as_str()), (TEXT, "ST_Perfect"));
        assert_eq!(query.call.arguments.keys().collect::<Vec<_>>(), ["to", "at", "seats"], "in declared order");
        assert_eq!(query.notes["seats"].surface.as_deref(), Some("three"));
        let provenance = &item.provenance;
        assert_eq!((provenance.template, provenance.draws.len()), (true, 1));
        assert_eq!(provenance.parents, ["Travel.Trains.book"]);
        assert!(context.pack().styles.iter().any(|style| style.name == provenance.facts["style"]));
        let Variables::WriteQuery(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!((variables.must_include.len(), variables.style.clone()), (3, provenance.facts["style"].clone()));
        assert!(variables.phrases.is_none() && variables.seed.is_none() && !variables.manner.is_empty());
    }

    #[tokio::test]
    async fn every_fault_is_asked_for_again_and_told() {
        for (first, told) in [
            ("no request at all".to_owned(), "there is no request"),
            (written(LABEL, "..."), "the request is empty"),
            (written("{\"to\": ", TEXT), "not a valid JSON object"),
            (written(r#"{"to": "Porto", "at": "noon"}"#, TEXT), "`seats` was to be given"),
            (
                written(r#"{"to": "Porto", "at": "noon", "seats": 3, "quiet": true}"#, TEXT),
                "`quiet` was not to be given",
            ),
            (written(r#"{"to": "Porto", "at": "noon", "seats": 3, "bags": 1}"#, TEXT), "no parameter `bags`"),
            (written(r#"{"to": "Lisbon", "at": "noon", "seats": 3}"#, TEXT), "does not say to"),
            (written(r#"{"to": "Porto", "at": "noon", "seats": "3"}"#, TEXT), "is no integer"),
            (
                written(LABEL, "three seats to Porto at noon, 내일 아침까지 꼭 좀 예약해 주세요 부탁드립니다"),
                "letters are English",
            ),
            (
                written(LABEL, "two seats, no wait, three seats to Porto at 9, or rather noon, hmm, to Faro"),
                "takes `Porto` back",
            ),
        ] {
            let (item, asked, _) = write(&[&first, &written(LABEL, TEXT)]).await;
            let item = item.unwrap();
            let fault = asked.faults()[1].clone();
            assert!(fault.contains(told), "{first}: {fault}");
            assert_eq!((asked.draws(), item.provenance.draws[0].draw), (vec![0, 1], 1));
        }
    }

    #[tokio::test]
    async fn who_never_writes_well_is_rejected_with_the_last_fault() {
        let (item, asked, context) = write(&["one", "two", "three"]).await;
        let Err(ItemError::Item { fault, text }) = item else { panic!("it was kept") };
        assert_eq!((fault.reason, text.as_str(), asked.count()), ("no_query", "three", 3));
        assert_eq!(context.counts()["stage"]["no_query"], 3);
        assert_ne!(fault, Fault::new("no_query", ""), "the detail says what was wrong");
    }

    #[tokio::test]
    async fn a_row_of_the_table_enters_prompt_and_provenance() {
        let (context, asked) = context(|_| written(LABEL, TEXT));
        let row: crate::record::Object = serde_json::from_str(r#"{"persona": "a nurse"}"#).unwrap();
        let context = context.with_table(vec![row.clone()]);
        let (tool, root) = (Arc::new(train()), ItemId::root("t"));
        let order = Order { id: root.child("write", 0), asks: 1, ..order(&tool, &root) };
        let item = write_query(&context, order).await.unwrap();
        assert_eq!(item.provenance.facts["seed"], r#"{"persona":"a nurse"}"#);
        let Variables::WriteQuery(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!(variables.seed.as_ref(), Some(&row));
    }
}
