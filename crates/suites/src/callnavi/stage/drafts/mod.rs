//! Plans the calls of a question before anybody writes it: which APIs, in which order, with which values, fed by what.
//!
//! Where the domain is declared by resource, values are rows of its world that belong together, and every plan is executed
//! once, so that a chain really hangs together. Which calls go together, and why, the domain's matters say; where it
//! has none, calls share a thing. Where it is not declared, the writer chooses the values and fields meet parameters by name.

mod case;
mod chain;
mod group;
mod leaf;
mod twist;

use crate::callnavi::stage::ask::Draft;
use crate::callnavi::stage::questions::HardQuestionsConfig;
use crate::gate::pointed;
use crate::llm::AskedCall;
use crate::locale::Drawn;
use crate::record::{Catalogue, Chance, Graph, ItemId, Object, Saying, Tool, Value};
use crate::settings::Measure;
use crate::stage::context::Context;
use crate::stage::outcome::Fault;
use crate::toolset::{Api, Domain, Field, Matter, Operation};
use crate::world::{Session, World};
use case::Case;
pub(crate) use group::names_one_thing;
use indexmap::IndexMap;
use std::sync::Arc;

/// How often a plan is begun anew before the draw is given up.
const TRIES: usize = 80;

/// Plans the calls of one question.
pub(crate) struct Drafter<'c> {
    context: &'c Context,
    catalogue: &'c Catalogue,
    domain: Option<Arc<Domain>>,
    world: Option<Arc<World>>,
    graph: Arc<Graph>,
    chance: Chance,
    /// What the question is about.
    case: Case,
    /// Why its calls stand together, where the domain says so.
    matter: Option<Arc<Matter>>,
    /// The values that were drawn, by parameter: two calls of a question that ask for the same mean the same.
    drawn: IndexMap<String, (Field, Drawn)>,
    /// The values that calls of the question put into fields, by the thing's identifier and the field.
    changed: IndexMap<(String, String), Value>,
}

impl<'c> Drafter<'c> {
    /// A drafter for the question of that id.
    pub(crate) fn new(context: &'c Context, catalogue: &'c Catalogue, id: &ItemId) -> Self {
        Self {
            context,
            catalogue,
            domain: context.toolset().domains.get(&catalogue.domain).cloned(),
            world: context.domains().world(&catalogue.domain).cloned(),
            graph: context.domains().graph(catalogue),
            chance: context.chance(id.as_str(), 1),
            case: Case::default(),
            matter: None,
            drawn: IndexMap::new(),
            changed: IndexMap::new(),
        }
    }

    /// One call with everything given.
    pub(crate) fn easy(&mut self, ordinal: usize) -> Result<Draft, Fault> {
        let tool = self.turn(ordinal, |_, _| true)?;
        self.tried(&tool.name, |drafter| {
            drafter.begin_case(&tool)?;
            let call = drafter.call(&tool)?;
            drafter.executed(vec![call], Vec::new())
        })
    }

    /// Several calls that belong together, with everything given.
    pub(crate) fn medium(&mut self, ordinal: usize, lengths: &[Measure]) -> Result<Draft, Fault> {
        let length = 2 + self.chance.weighted(lengths.iter().map(|it| it.get()));
        if let Some(around) = self.begin_matter(ordinal) {
            return self.tried(&around, |drafter| {
                let calls = drafter.together(length)?;
                drafter.executed(calls, Vec::new())
            });
        }
        let tool = self.turn(ordinal, Drafter::has_company)?;
        self.tried(&tool.name, |drafter| {
            let calls = drafter.group(&tool, length)?;
            drafter.executed(calls, Vec::new())
        })
    }

    /// Several calls of which one takes what an earlier one answers.
    pub(crate) fn hard(&mut self, ordinal: usize, config: &HardQuestionsConfig) -> Result<Draft, Fault> {
        let length = 2 + self.chance.weighted(config.calls.iter().map(|it| it.get()));
        let wanted = self.twists(config);
        let tool = match self.begin_chain(ordinal) {
            Some(tool) => tool,
            None => self.turn(ordinal, |drafter, tool| drafter.is_fed(tool))?,
        };
        let mut tries = 0;
        self.tried(&tool.name, |drafter| {
            // Where so long a chain is not to be had, a shorter one is.
            let length = length.saturating_sub(tries * 4 / TRIES).max(2);
            tries += 1;
            let mut calls = drafter.chain(&tool, length)?;
            let tags = drafter.twist(&mut calls, wanted);
            let draft = drafter.executed(calls, tags)?;
            drafter.left_out(draft, wanted)
        })
    }

    /// The API whose turn it is: each of those that fit comes once before one comes twice.
    fn turn(&mut self, ordinal: usize, fits: impl Fn(&Self, &Arc<Tool>) -> bool) -> Result<Arc<Tool>, Fault> {
        let mut tools: Vec<&Arc<Tool>> = self.catalogue.tools.iter().filter(|tool| fits(self, tool)).collect();
        self.context.chance(&self.catalogue.domain, 0).shuffle(&mut tools);
        let count = tools.len().max(1);
        let tool = tools.get(ordinal % count).map(|tool| Arc::clone(tool));
        let detail = || format!("no API of `{}` fits such a question", self.catalogue.domain);
        tool.ok_or_else(|| Fault::new("no_fitting_api", detail()))
    }

    fn tried(&mut self, around: &str, mut plan: impl FnMut(&mut Self) -> Option<Draft>) -> Result<Draft, Fault> {
        let found = (0..TRIES).find_map(|_| plan(self));
        found.ok_or_else(|| Fault::new("no_plan", format!("{TRIES} plans around `{around}` did not hang together")))
    }

    fn api(&self, tool: &Tool) -> Option<&Api> {
        self.domain.as_ref()?.api(&tool.name)
    }

    /// The draft with what each call answers; none where some call fails, or where an answer is known beforehand.
    fn executed(&mut self, calls: Vec<AskedCall>, tags: Vec<String>) -> Option<Draft> {
        let Some(world) = &self.world else {
            let answers = vec![Value::Null; calls.len()];
            return Some(Draft { calls, answers, tags, situation: None });
        };
        let mut session = world.session();
        let mut answers: Vec<Value> = Vec::new();
        for call in &calls {
            let arguments = given(call, &answers)?;
            if self.is_idle(call, &arguments, &session) {
                return None;
            }
            answers.push(session.call(&call.tool.name, &arguments).ok().filter(|answer| !is_empty(answer))?);
        }
        let draft = Draft { calls, answers, tags, situation: self.situation() };
        (!gives_itself_away(&draft)).then_some(draft)
    }
}

impl Drafter<'_> {
    /// Whether a call does nothing: from a thing to itself, or a change to what is there.
    fn is_idle(&self, call: &AskedCall, arguments: &Object, session: &Session<'_>) -> bool {
        let Some(api) = self.api(&call.tool) else { return false };
        let things: Vec<&Value> = api.identifiers().filter_map(|(name, _)| arguments.get(name)).collect();
        let doubled =
            things.iter().enumerate().any(|(place, thing)| things.iter().skip(place + 1).any(|it| it == thing));
        let own = api.slots.iter().find(|(_, slot)| slot.own).and_then(|(name, _)| arguments.get(name)?.as_str());
        let row = own.and_then(|id| session.row(&api.resource, id));
        let (Operation::Update(fields), Some(row)) = (&api.operation, row) else { return doubled };
        let same =
            |field: &String| arguments.get(field).zip(row.value(field)).is_some_and(|(new, old)| new.equals(old));
        doubled || fields.iter().all(same)
    }
}

/// The arguments with which a call is made.
fn given(call: &AskedCall, answers: &[Value]) -> Option<Object> {
    let value = |argument: &crate::llm::AskedArgument| match &argument.saying {
        Saying::Answer { call, field } => pointed(answers.get(*call)?, field).cloned(),
        Saying::Open => Some(Value::from(argument.words.as_str())),
        _ => Some(argument.value.clone()),
    };
    call.arguments.iter().map(|(name, argument)| Some((name.clone(), value(argument)?))).collect()
}

/// An answer that finds nothing, or something that nobody has set yet.
fn is_empty(answer: &Value) -> bool {
    let nothing = |value: &Value| *value == Value::Null || value.as_list().is_some_and(<[Value]>::is_empty);
    answer.as_object().is_some_and(|fields| fields.values().any(nothing))
}

/// Whether a value that is to be found out is one that the question gives.
fn gives_itself_away(draft: &Draft) -> bool {
    let arguments = || draft.calls.iter().flat_map(|call| call.arguments.values());
    let said: Vec<&Value> =
        arguments().filter(|it| !matches!(it.saying, Saying::Answer { .. })).map(|it| &it.value).collect();
    let found = arguments().filter_map(|it| match &it.saying {
        Saying::Answer { call, field } => pointed(draft.answers.get(*call)?, field),
        _ => None,
    });
    found.into_iter().any(|found| said.iter().any(|said| said.equals(found)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Record;
    use crate::settings::section::read_text;
    use crate::stage::domains::Domains;
    use crate::stage::testing::{silent, with_shared};
    use crate::world::testing::{pack, toolset};

    /// A context with the domain that shows every operation, and its catalogue.
    fn office() -> (Context, Arc<Catalogue>) {
        let context = with_shared(silent(), |shared| {
            shared.toolset = Arc::new(toolset("en").clone());
            shared.pack = pack("en");
            shared.domains = Domains::new(&shared.toolset, &shared.pack, 7).unwrap();
        });
        let config: crate::stage::ToolsetConfig = read_text("path = \"office\"\nby = \"domain\"").unwrap();
        let path = shared_path(&context);
        let config = crate::stage::ToolsetConfig { path, ..config };
        let Record::Catalogue(catalogue) = config.source(&context).remove(0).record else { panic!("no catalogue") };
        (context, catalogue)
    }

    fn shared_path(context: &Context) -> crate::settings::Located {
        let origin = context.toolset().origins.values().next().cloned().unwrap_or_default();
        crate::settings::Located::new(origin, 0..0)
    }

    fn drafts(plan: impl Fn(&mut Drafter<'_>, usize) -> Result<Draft, Fault>) -> Vec<Draft> {
        let (context, catalogue) = office();
        let draft = |ordinal: usize| {
            let id = ItemId::root("bank").child("stage", ordinal);
            plan(&mut Drafter::new(&context, &catalogue, &id), ordinal).ok()
        };
        (0..24).filter_map(draft).collect()
    }

    fn fed(draft: &Draft) -> Vec<(usize, usize)> {
        let of_call = |(place, call): (usize, &AskedCall)| {
            let sources = call.arguments.values().filter_map(move |it| match it.saying {
                Saying::Answer { call, .. } => Some((place, call)),
                _ => None,
            });
            sources.collect::<Vec<_>>()
        };
        draft.calls.iter().enumerate().flat_map(of_call).collect()
    }

    #[test]
    fn an_easy_draft_is_one_call_that_succeeds_and_every_api_has_its_turn() {
        let drafts = drafts(|drafter, ordinal| drafter.easy(ordinal + 1));
        assert!(
            drafts
                .iter()
                .all(|draft| draft.calls.len() == 1 && draft.answers[0] != Value::Null && fed(draft).is_empty())
        );
        let first: std::collections::BTreeSet<&str> = drafts.iter().map(|it| it.calls[0].tool.name.as_str()).collect();
        assert!(first.len() > 8, "{first:?}");
    }

    #[test]
    fn calls_of_a_medium_draft_share_a_thing_and_feed_nobody() {
        let lengths = [read_text::<crate::callnavi::stage::questions::MediumQuestionsConfig>("").unwrap().calls[0]];
        let drafts = drafts(|drafter, ordinal| drafter.medium(ordinal, &lengths));
        assert!(drafts.len() > 5 && drafts.iter().all(|draft| draft.calls.len() == 2 && fed(draft).is_empty()));
    }

    #[test]
    fn a_hard_draft_hangs_together() {
        let config: HardQuestionsConfig = read_text("").unwrap();
        let drafts = drafts(|drafter, ordinal| drafter.hard(ordinal, &config));
        assert!(drafts.len() > 10, "{}", drafts.len());
        for draft in &drafts {
            let fed = fed(draft);
            assert!(!fed.is_empty() && fed.iter().all(|(taker, giver)| giver < taker), "{fed:?}");
            assert_eq!(draft.tags[0], "dependent");
            assert!(!gives_itself_away(draft));
        }
    }

    /// A domain with matters, in English.
    fn hotel() -> (Context, Arc<Catalogue>) {
        enterprise("hotel")
    }

    fn enterprise(domain: &str) -> (Context, Arc<Catalogue>) {
        let toolset = crate::fixtures::toolset("toolsets/enterprise", "en");
        let context = with_shared(silent(), |shared| {
            let mut pack = shared.pack.as_ref().clone();
            toolset.extend(&mut pack).unwrap();
            shared.pack = Arc::new(pack);
            shared.toolset = toolset.clone();
            shared.domains = Domains::new(&toolset, &shared.pack, 7).unwrap();
        });
        let tools = toolset.tools.iter().filter(|tool| tool.category() == domain).cloned().collect();
        (context, Arc::new(Catalogue { domain: domain.to_owned(), title: domain.to_owned(), tools }))
    }

    /// Medium drafts that call a function, with its place.
    fn medium(domain: &str, wanted: &str) -> Vec<(Arc<World>, Draft, usize)> {
        let (context, catalogue) = enterprise(domain);
        let lengths = read_text::<crate::callnavi::stage::questions::MediumQuestionsConfig>("").unwrap().calls;
        let world = context.domains().world(domain).unwrap().clone();
        let draft = |ordinal: usize| {
            let id = ItemId::root(domain).child("stage", ordinal);
            let draft = Drafter::new(&context, &catalogue, &id).medium(ordinal, &lengths).ok()?;
            let place = draft.calls.iter().position(|call| call.tool.function() == wanted)?;
            Some((world.clone(), draft, place))
        };
        (0..120).filter_map(draft).collect()
    }

    #[test]
    fn nobody_reserves_more_than_is_free() {
        let drafts = medium("logistics", "reserveWarehouseSpace");
        for (world, draft, place) in &drafts {
            let arguments = &draft.calls[*place].arguments;
            let warehouse = world.row("warehouse", arguments["warehouseId"].value.as_str().unwrap()).unwrap();
            let number = |value: &Value| value.as_number().unwrap().as_f64();
            assert!(number(&arguments["pallets"].value) <= number(warehouse.value("freePallets").unwrap()));
            assert!(
                number(warehouse.value("freePallets").unwrap()) < number(warehouse.value("capacity").unwrap()),
                "what is free is a part"
            );
        }
        assert!(drafts.len() > 2, "{}", drafts.len());
    }

    #[test]
    fn who_has_moved_has_the_new_address_in_all_calls() {
        let drafts = medium("telecommunications", "updateCustomerAddress");
        let both = drafts.iter().filter_map(|(_, draft, place)| {
            let order = draft.calls.iter().find(|call| call.tool.function() == "orderBroadband")?;
            Some((&draft.calls[*place].arguments["address"].value, &order.arguments["address"].value))
        });
        let both: Vec<_> = both.collect();
        assert!(!both.is_empty() && both.iter().all(|(new, ordered)| new.equals(ordered)), "{both:?}");
    }

    #[test]
    fn calls_of_a_matter_stand_in_its_order_and_are_about_one_record() {
        let (context, catalogue) = hotel();
        let lengths = read_text::<crate::callnavi::stage::questions::MediumQuestionsConfig>("").unwrap().calls;
        let world = context.domains().world("hotel").unwrap().clone();
        let mut told = 0;
        for ordinal in 0..40 {
            let id = ItemId::root("hotel").child("stage", ordinal);
            let mut drafter = Drafter::new(&context, &catalogue, &id);
            let draft = drafter.medium(ordinal, &lengths).unwrap();
            let matter = drafter.matter.clone().unwrap();
            let place = |call: &AskedCall| matter.calls.iter().position(|it| it == call.tool.function()).unwrap();
            assert!(draft.calls.is_sorted_by_key(place) && draft.calls.len() > 1 && fed(&draft).is_empty());
            told += usize::from(draft.situation.is_some());
            let value = |name: &str| {
                let arguments = draft.calls.iter().flat_map(|call| &call.arguments);
                arguments.filter(|(it, _)| *it == name).map(|(_, it)| it.value.clone()).next()
            };
            if let (Some(bill), Some(amount)) = (value("billId"), value("amount")) {
                if draft.calls.iter().any(|call| call.tool.function() == "payBill") {
                    let row = world.row("bill", bill.as_str().unwrap()).unwrap();
                    assert_eq!(row.value("total"), Some(&amount), "who pays a bill pays what it says");
                }
            }
            if let (Some(from), Some(until)) = (value("checkInDate"), value("checkOutDate")) {
                assert!(from.as_str() < until.as_str());
            }
        }
        assert_eq!(told, 40);
    }

    #[test]
    fn a_chain_of_a_matter_ends_in_it_and_looks_up_nothing_twice() {
        let (context, catalogue) = hotel();
        let config: HardQuestionsConfig = read_text("").unwrap();
        let mut planned = 0;
        for ordinal in 0..30 {
            let id = ItemId::root("hotel").child("stage", ordinal);
            let mut drafter = Drafter::new(&context, &catalogue, &id);
            let Ok(draft) = drafter.hard(ordinal, &config) else { continue };
            planned += 1;
            let last = draft.calls.last().unwrap();
            let matter = drafter.matter.clone().unwrap();
            assert!(matter.calls.iter().any(|call| call == last.tool.function()), "{}", last.tool.name);
            let names: Vec<&str> = draft.calls.iter().map(|call| call.tool.name.as_str()).collect();
            let twice = names.iter().enumerate().any(|(at, one)| names[..at].iter().any(|it| drafter.doubles(it, one)));
            assert!(!twice, "{names:?}");
        }
        assert!(planned > 26, "{planned}");
    }

    #[test]
    fn what_is_declared_nowhere_goes_together_by_what_it_takes() {
        let tool = |name: &str, parameter: &str| {
            let json = format!(
                r#"{{"name": "m.{name}", "description": "d", "parameters": {{"properties": {{"{parameter}": {{"type": "string"}}}}, "required": ["{parameter}"]}}}}"#
            );
            Arc::new(serde_json::from_str::<Tool>(&json).unwrap())
        };
        let tools =
            vec![tool("getTour", "tourId"), tool("endTour", "tourId"), tool("find", "name"), tool("make", "name")];
        let catalogue = Catalogue { domain: "m".to_owned(), title: String::new(), tools };
        let (context, lengths) =
            (silent(), [read_text::<crate::callnavi::stage::questions::MediumQuestionsConfig>("").unwrap().calls[0]]);
        for ordinal in 0..8 {
            let id = ItemId::root("m").child("stage", ordinal);
            let draft = Drafter::new(&context, &catalogue, &id).medium(ordinal, &lengths).unwrap();
            let names: std::collections::BTreeSet<&str> = draft.calls.iter().map(|it| it.tool.function()).collect();
            assert_eq!(names.into_iter().collect::<Vec<_>>(), ["endTour", "getTour"]);
        }
    }

    #[test]
    fn what_finds_nothing_is_empty() {
        let answer = |text: &str| Value::read(text).unwrap();
        assert!(is_empty(&answer(r#"{"ids": []}"#)) && is_empty(&answer(r#"{"status": null}"#)));
        assert!(!is_empty(&answer(r#"{"ids": ["a"], "n": 0}"#)));
    }
}
