//! Several requests of a tool in one answer: who says each, with which values of the bank, and what comes back for it.

use crate::failure::ItemError;
use crate::gate::{Wording, check_parameters, check_script_besides, check_wording};
use crate::llm::tasks::read_request;
use crate::llm::{Common, PlannedValue, Reply, RequestPlan, Task, Variables, WriteVariables, WrittenQuery};
use crate::record::{ArgumentNotes, Draw, FunctionCall, ItemId, Object, Value};
use crate::stage::banks::Bank;
use crate::stage::context::{Context, NOT_SENSIBLE, PLANS};
use crate::stage::outcome::Fault;
use crate::stage::writing::schemas;
use crate::stage::writing::write::Order;
use futures::future::BoxFuture;

/// How often a request names the app of its tool; people do so in one of three to ten.
const NAMES_APP: f64 = 0.2;

/// What a request is to be like.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// The parameters that it mentions, and no others.
    pub preset: Vec<String>,
    /// The manner in which the person asks; drawn where it is absent.
    pub style: Option<String>,
    /// Whether the person describes the problem alone.
    pub implied: bool,
    /// In a conversation, the values that are settled by what the person knows.
    pub given: Option<Settled>,
}

/// Values that are settled before a person says them in a conversation, and its time, from which days are counted.
#[derive(Debug, Clone, Default)]
pub struct Settled {
    pub values: Vec<PlannedValue>,
    pub reference_time: String,
}

impl Settled {
    /// Runs a check with the words that are known for these values.
    pub fn with_wording<T>(&self, check: impl FnOnce(Wording<'_>) -> T) -> T {
        let said = self.values.iter().map(|it| (it.name.clone(), it.said.clone())).collect();
        let known = |name: &str, _: &Value| {
            let planned = self.values.iter().find(|it| it.name == name);
            planned.map(|it| it.said.clone()).unwrap_or_default()
        };
        check(Wording { said: &said, known: &known, reference_time: &self.reference_time })
    }
}

/// The variable by which a prompt shows what earlier rounds have written.
const WRITTEN: &str = "written";
/// How many texts of earlier rounds a prompt shows.
const SHOWN: usize = 8;

/// Requests of one tool that a model writes in one answer.
#[derive(Clone)]
pub struct Batch {
    /// The stage that draws them.
    stage: String,
    /// What that stage wants of the tool, from its first draw to the last of the batch.
    wanted: Vec<Wanted>,
    /// The ordinal of the first of the batch, and of the request itself.
    first: usize,
    own: usize,
    /// How many requests of the tool are owed, and how many of them are written at once.
    size: (usize, usize),
}

impl Batch {
    /// The batch of the `ordinal`-th draw of a stage, where so many draws of a tool are owed and `size` are written at once.
    /// What is drawn beyond is written alone.
    pub fn of(stage: &str, ordinal: usize, (owed, size): (usize, usize), wanted: impl Fn(usize) -> Wanted) -> Self {
        let size = size.max(1);
        let (first, end) = if ordinal < owed {
            let first = ordinal / size * size;
            (first, (first + size).min(owed))
        } else {
            (ordinal, ordinal + 1)
        };
        Self {
            stage: stage.to_owned(),
            wanted: (0..end).map(wanted).collect(),
            first,
            own: ordinal,
            size: (owed, size),
        }
    }

    /// The batches of earlier rounds, whose texts are known when this one is asked for. The first batch is a round, the next
    /// two are another, and all others the last one; what is drawn beyond comes behind all of them.
    fn earlier(&self) -> impl Iterator<Item = Self> {
        let (owed, size) = self.size;
        let end = if self.first >= owed {
            owed
        } else {
            [3, 1, 0].map(|batch| batch * size).into_iter().find(|end| *end <= self.first).unwrap_or(0)
        };
        (0..end).step_by(size).map(move |first| self.beginning_with(first))
    }

    /// The batch that begins with an ordinal before the own one.
    fn beginning_with(&self, first: usize) -> Self {
        let (owed, size) = self.size;
        let wanted = self.wanted.iter().take((first + size).min(owed)).cloned().collect();
        Self { stage: self.stage.clone(), wanted, first, own: first, size: self.size }
    }

    /// Whether several are written in one answer.
    fn is_joint(&self) -> bool {
        self.wanted.len() - self.first > 1
    }

    /// How often the requests before one say a parameter.
    fn uses(&self, parameter: &str, before: usize) -> usize {
        let says = |wanted: &&Wanted| wanted.preset.iter().any(|name| name == parameter);
        self.wanted.iter().take(before).filter(says).count()
    }
}

/// Writes one query, with others of its batch where there is one.
pub struct Writer<'a> {
    context: &'a Context,
    /// The context of the stage that draws the batch, which settles who speaks and what is said.
    dealer: Context,
    order: &'a Order<'a>,
    bank: Option<&'a Bank>,
}

/// Who says a query, and how.
pub struct Voice {
    person: Option<Object>,
    /// The name of the style, and its description.
    pub style: String,
    manner: String,
    /// A row of the stage's table.
    pub seed: Option<Object>,
}

/// A query with the notes on its arguments, the draw that it comes from, and its place in that answer where it has others.
pub type Made = (WrittenQuery, ArgumentNotes, Draw, Option<String>);

impl<'a> Writer<'a> {
    /// Whoever writes what is ordered, with the values of a bank.
    pub fn new(context: &'a Context, order: &'a Order<'a>, bank: Option<&'a Bank>) -> Self {
        let dealer = match &order.batch {
            Some(batch) if !context.is_template(context.role()) => context.at(&batch.stage, Some(context.role())),
            _ => context.clone(),
        };
        Self { context, dealer, order, bank }
    }

    /// The ordinal of the query in its batch.
    pub fn ordinal(&self) -> usize {
        self.order.batch.as_ref().map_or(0, |batch| batch.own)
    }

    pub async fn write(&self) -> Result<Made, ItemError> {
        let (context, order) = (self.context, self.order);
        // A prompt for a single request has no plan; its label is what stands in the text.
        let is_planned = context.prompt_of(Task::WriteQuery).is_some_and(|prompt| prompt.wants(PLANS));
        let own = (is_planned && !context.is_template(context.role())).then(|| self.plan(self.ordinal()));
        let mut fault = None;
        let mut written = match (&order.batch, &own) {
            (Some(batch), Some(_)) => self.written(batch.earlier().collect(), batch.first).await?,
            _ => Vec::new(),
        };
        if let (Some(batch), Some(own), false) = (&order.batch, &own, context.is_rerun(&order.id)) {
            match self.write_together(batch, own, &written).await? {
                Ok(made) => return Ok(made),
                Err(Some(found)) if found.reason == NOT_SENSIBLE => {
                    return Err(ItemError::Item { fault: found, text: String::new() });
                }
                Err(found) => fault = found,
            }
            // What the others of the batch say is known as well by now.
            written = self.written(batch.earlier().chain([batch.clone()]).collect(), batch.own).await?;
        }
        let own: Vec<RequestPlan> = own.into_iter().collect();
        let schema = Some(if own.is_empty() {
            schemas::written(order.tool, &order.wanted.preset)
        } else {
            schemas::requests(order.tool, &own)
        });
        let question = context.question(Task::WriteQuery, &order.id, order.asks);
        let read = |reply: &Reply| self.counted(own.first(), 0, reply);
        let ((written, notes), draw) = context
            .obtain_after(fault, &question, schema, |common| self.variables(common, &own, &written), read)
            .await?;
        Ok((written, notes, draw, None))
    }

    /// Asks for the whole batch, once; what is wrong with the query at its own place there is for the next asking. A batch of
    /// one is no batch.
    async fn write_together(
        &self,
        batch: &Batch,
        own: &RequestPlan,
        written: &[String],
    ) -> Result<Result<Made, Option<Fault>>, ItemError> {
        if !batch.is_joint() {
            return Ok(Err(None));
        }
        let place = batch.own - batch.first;
        let read = |_: &[RequestPlan], reply: &Reply| self.counted(Some(own), place, reply);
        match self.ask_together(batch, written, read).await {
            Ok(((written, notes), draw)) => {
                Ok(Ok((written, notes, draw, Some(format!("{} {place}", self.batch_id(batch))))))
            }
            Err(ItemError::Item { fault, .. }) if fault.reason != "transport" => Ok(Err(Some(fault))),
            Err(failure) => Err(failure),
        }
    }

    /// The question for a batch; for each of its requests it is the same, and asked once, also where one of them is asked for
    /// anew later.
    async fn ask_together<T>(
        &self,
        batch: &Batch,
        written: &[String],
        mut read: impl FnMut(&[RequestPlan], &Reply) -> Result<T, Fault>,
    ) -> Result<(T, Draw), ItemError> {
        let plans: Vec<RequestPlan> = (batch.first..batch.wanted.len()).map(|ordinal| self.plan(ordinal)).collect();
        let id = self.batch_id(batch);
        let question = self.context.question(Task::WriteQuery, &id, 1);
        let schema = Some(schemas::requests(self.order.tool, &plans));
        let variables = |common| self.variables(common, &plans, written);
        self.context.obtain(&question, schema, variables, |reply| read(&plans, reply)).await
    }

    fn batch_id(&self, batch: &Batch) -> ItemId {
        self.order.root.child(&format!("{}/batch", self.context.stage()), batch.first)
    }

    /// Texts of some batches that pass their checks, in the order of their ids, from the `turn`-th on: what the prompts of
    /// later rounds show.
    fn written(&self, batches: Vec<Batch>, turn: usize) -> BoxFuture<'_, Result<Vec<String>, ItemError>> {
        Box::pin(async move {
            let mut texts = Vec::new();
            let is_shown = self.context.prompt_of(Task::WriteQuery).is_some_and(|prompt| prompt.wants(WRITTEN));
            for batch in batches.iter().filter(|batch| is_shown && batch.is_joint()) {
                let before = self.written(batch.earlier().collect(), batch.first).await?;
                let read = |plans: &[RequestPlan], reply: &Reply| {
                    let sound = |(place, plan)| Some(self.read(Some(plan), place, reply).ok()?.0.query);
                    let other = |(place, _): &(usize, &RequestPlan)| batch.first + place != self.ordinal();
                    Ok(plans.iter().enumerate().filter(other).filter_map(sound).collect::<Vec<String>>())
                };
                match self.ask_together(batch, &before, read).await {
                    Ok((found, _)) => texts.extend(found),
                    Err(ItemError::Item { fault, .. }) if fault.reason != "transport" => {}
                    Err(failure) => return Err(failure),
                }
            }
            let count = texts.len().max(1);
            texts.rotate_left(turn % count);
            texts.truncate(SHOWN);
            Ok(texts)
        })
    }

    fn variables(&self, common: Common, plans: &[RequestPlan], written: &[String]) -> Variables {
        let order = self.order;
        let Voice { style, manner, seed, .. } = self.voice(self.ordinal());
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
            written: written.to_vec(),
            given: order.wanted.given.as_ref().map(|settled| settled.values.clone()),
        })
    }

    /// What the query of an ordinal is to be like.
    fn wanted(&self, ordinal: usize) -> &Wanted {
        let of_batch = self.order.batch.as_ref().and_then(|batch| batch.wanted.get(ordinal));
        of_batch.unwrap_or(&self.order.wanted)
    }

    /// Who says the query of an ordinal.
    pub fn voice(&self, ordinal: usize) -> Voice {
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
        let draw = u32::try_from(ordinal).unwrap_or(u32::MAX);
        let names_app = self.dealer.chance_of("app", self.order.root.as_str(), draw).happens(NAMES_APP);
        let app = self.order.tool.app.clone().filter(|_| names_app && !wanted.implied);
        RequestPlan { says, person, manner, situation, seed, implied: wanted.implied, app }
    }

    /// Why the person of an ordinal wants it, where a bank knows reasons.
    pub fn situation(&self, ordinal: usize) -> Option<String> {
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
            let given = wanted.given.iter().flat_map(|settled| &settled.values).find(|it| it.name == *name);
            if let Some(given) = given {
                return given.clone();
            }
            let value = settled.get(name).cloned();
            let said = self.bank.zip(value.as_ref()).map(|(bank, value)| bank.said(name, value)).unwrap_or_default();
            let is_form = value.as_ref().is_some_and(|value| said.iter().any(|it| Some(it.as_str()) != value.as_str()));
            PlannedValue { name: name.clone(), value, said: if is_form { said } else { Vec::new() } }
        };
        wanted.preset.iter().map(planned).collect()
    }

    /// The how-manieth value of a parameter a query says. Of two stages that draw one goes through the values forwards and the
    /// other backwards, and pairs of stages begin at different places, so that they say the same values as late as possible.
    fn turn(&self, bank: &Bank, parameter: &str, ordinal: usize) -> usize {
        let (rank, count) = self.dealer.rank();
        let values = bank.parameters.get(parameter).map_or(1, |it| it.values.len().max(1));
        let begin = rank / 2 * values / count.div_ceil(2).max(1);
        let used = match &self.order.batch {
            Some(batch) => batch.uses(parameter, ordinal),
            None => self.context.chance_of("turn", self.order.id.as_str(), 0).below(usize::MAX / 2),
        };
        if rank % 2 == 0 { begin + used } else { begin + values - 1 - used % values }
    }

    /// The same, and counts the way in which the reply was read.
    fn counted(
        &self,
        plan: Option<&RequestPlan>,
        place: usize,
        reply: &Reply,
    ) -> Result<(WrittenQuery, ArgumentNotes), Fault> {
        if let Ok((_, way)) = read_request(&reply.text, place) {
            self.context.count(&format!("read {}", way.as_str()));
        }
        self.read(plan, place, reply)
    }

    /// Reads the query at a place of a reply and checks it against its plan.
    fn read(
        &self,
        plan: Option<&RequestPlan>,
        place: usize,
        reply: &Reply,
    ) -> Result<(WrittenQuery, ArgumentNotes), Fault> {
        let (context, tool) = (self.context, self.order.tool);
        let planned = plan.map(|plan| plan.says.iter().map(|it| it.name.clone()).collect());
        let preset: &Vec<String> = &planned.unwrap_or_else(|| self.order.wanted.preset.clone());
        let (mut written, _) = read_request(&reply.text, place)?;
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
            None => match &self.order.wanted.given {
                None => check_parameters(tool, preset, &call, &written.query, context.language())?,
                Some(settled) => settled.with_wording(|wording| {
                    check_wording(tool, preset, &call, (&written.query, wording), context.language())
                })?,
            },
            Some(plan) => {
                check_planned(plan, &written.parameters)?;
                let known =
                    |name: &str, value: &Value| self.bank.map(|bank| bank.said(name, value)).unwrap_or_default();
                let wording = Wording { said: &written.said, known: &known, reference_time: context.reference_time() };
                check_wording(tool, preset, &call, (&written.query, wording), context.language())?
            }
        };
        let own: Vec<String> = written.said.values().flatten().cloned().collect();
        let said = (written.query.as_str(), own.as_slice());
        let twice = self
            .bank
            .filter(|_| plan.is_some())
            .and_then(|bank| bank.says_twice(said, &written.parameters, &Object::new(), context.language()));
        if let Some((name, words)) = twice {
            let detail = format!("the request says `{words}` for {name} as well");
            return Err(Fault::new("second_value", detail).naming([words, name]));
        }
        check_script_besides(&written.query, &own, context.language())?;
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
        Some((name, planned, _)) => Err(Fault::new("changed_value", format!("{name} was to be {planned}, as given"))
            .naming([name, &planned.to_string()])),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ItemId, Tool};
    use crate::stage::testing::{silent, train};
    use std::sync::Arc;

    fn wanted(ordinal: usize) -> Wanted {
        let preset =
            if ordinal.is_multiple_of(2) { vec!["to".to_owned()] } else { vec!["to".to_owned(), "at".to_owned()] };
        Wanted { preset, ..Wanted::default() }
    }

    #[test]
    fn what_is_owed_is_written_by_batches_and_what_is_drawn_beyond_alone() {
        let batch = |ordinal| Batch::of("s", ordinal, (8, 6), wanted);
        let range = |ordinal| (batch(ordinal).first, batch(ordinal).wanted.len());
        assert_eq!(
            [range(0), range(5), range(6), range(7), range(8), range(11)],
            [(0, 6), (0, 6), (6, 8), (6, 8), (8, 9), (11, 12)]
        );
        assert_eq!((batch(5).uses("to", 5), batch(5).uses("at", 5)), (5, 2));
    }

    #[test]
    fn a_batch_knows_those_of_earlier_rounds_alone() {
        let earlier = |ordinal| {
            let batch = Batch::of("s", ordinal, (9, 2), wanted);
            batch.earlier().map(|it| (it.first, it.wanted.len())).collect::<Vec<_>>()
        };
        assert_eq!((earlier(0), earlier(1)), (vec![], vec![]));
        assert_eq!((earlier(2), earlier(5)), (vec![(0, 2)], vec![(0, 2)]));
        assert_eq!(earlier(6), [(0, 2), (2, 4), (4, 6)]);
        assert_eq!(earlier(8), earlier(6));
        assert_eq!(earlier(9), [(0, 2), (2, 4), (4, 6), (6, 8), (8, 9)], "what is drawn beyond knows all");
    }

    fn bank(bundles: &str) -> Bank {
        let values =
            |name: &str| (0..10).map(|at| format!(r#"{{"value": "{name}{at}"}}"#)).collect::<Vec<_>>().join(",");
        let text = format!(
            r#"{{"format": 1, "tool": "t", "locale": "en", "parameters": {{"to": {{"values": [{}]}}, "at": {{"values": [{}]}}}}, "bundles": {bundles}}}"#,
            values("to"),
            values("at")
        );
        serde_json::from_str(&text).unwrap()
    }

    /// The values of the first `count` requests of a tool.
    fn planned(bank: &Bank, count: usize) -> Vec<Vec<PlannedValue>> {
        plans(bank, count).into_iter().map(|plan| plan.says).collect()
    }

    fn plans(bank: &Bank, count: usize) -> Vec<RequestPlan> {
        let tool = Arc::new(Tool { app: Some("Rails".to_owned()), ..train() });
        let (context, root) = (silent(), ItemId::root("t"));
        let plan = |ordinal| {
            let order = Order {
                id: root.child("s", ordinal),
                root: &root,
                tool: &tool,
                wanted: wanted(ordinal),
                data_type: "x",
                asks: 1,
                batch: Some(Batch::of("s", ordinal, (count, 6), wanted)),
                draws: Vec::new(),
            };
            Writer::new(&context, &order, Some(bank)).plan(ordinal)
        };
        (0..count).map(plan).collect()
    }

    #[test]
    fn no_value_comes_again_before_all_have_come() {
        let plans = planned(&bank("[]"), 10);
        let mut values: Vec<String> = plans.iter().map(|says| says[0].value.as_ref().unwrap().to_string()).collect();
        values.sort();
        values.dedup();
        assert_eq!(values.len(), 10);
        assert!(plans.iter().enumerate().all(|(at, says)| says.len() == 1 + at % 2));
    }

    #[test]
    fn some_requests_name_the_app() {
        let named = plans(&bank("[]"), 200).into_iter().filter(|plan| plan.app.as_deref() == Some("Rails")).count();
        assert!((20..60).contains(&named), "{named}");
    }

    #[test]
    fn what_belongs_together_is_said_together() {
        let bank = bank(r#"[{"to": "to1", "at": "at7"}, {"to": "to4", "at": "at2"}]"#);
        let pair =
            |says: &[PlannedValue]| says.iter().map(|it| it.value.clone().unwrap().to_string()).collect::<Vec<_>>();
        for says in planned(&bank, 8).iter().filter(|says| says.len() == 2) {
            assert!([["\"to1\"", "\"at7\""], ["\"to4\"", "\"at2\""]].iter().any(|it| pair(says) == *it), "{says:?}");
        }
    }
}
