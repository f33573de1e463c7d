//! Worlds, plans and their calls, for the tests of this folder and of the stages over it.

use super::sketch::Sketch;
use super::{Given, Said, Shape, Walked, Wish, draw_values, plan, walk, wanted_items};
use crate::complexfunc::stage::model::trace::testing::{coarse, complex_item};
use crate::locale::{Date, DayOrder, Pack};
use crate::model::Grammar;
use crate::record::{Chance, ComplexQuery, Feed, FunctionCall, Item, Plan, PlanCall, PlanSlot, Value};
use crate::stage::context::Context;
use crate::stage::domains::Domains;
use crate::stage::testing::{context, with_shared};
use crate::toolset::testing::{FOLDER, load_with};
use crate::toolset::{Declaration, Function, Toolset};
use crate::world::DeclaredWorld;
use indexmap::IndexMap;
use std::sync::{Arc, LazyLock};

/// A world with what it was made of.
pub(crate) struct Ground {
    pub toolset: Toolset,
    pub pack: Arc<Pack>,
    pub world: DeclaredWorld,
}

/// A plan with its calls.
pub(crate) struct Journey {
    pub plan: Plan,
    pub walked: Walked,
}

fn ground(toolset: Toolset, locale: &str) -> Ground {
    let mut pack = Pack::load(crate::fixtures::assets(), locale).unwrap();
    toolset.extend(&mut pack).unwrap();
    let pack = Arc::new(pack);
    let world = DeclaredWorld::new(toolset.world.clone().unwrap(), Arc::clone(&pack), 7).unwrap();
    Ground { toolset, pack, world }
}

static INN: LazyLock<Ground> =
    LazyLock::new(|| ground(load_with("world/inns.toml", "size = \"3\"", "size = \"20\"").unwrap(), "en"));
static CRAMPED: LazyLock<Ground> =
    LazyLock::new(|| ground(Toolset::load(crate::fixtures::assets(), FOLDER, "en").unwrap(), "en"));
static KOREAN: LazyLock<Ground> =
    LazyLock::new(|| ground(Toolset::load(crate::fixtures::assets(), FOLDER, "ko").unwrap(), "ko"));
static TRAVEL: LazyLock<Ground> =
    LazyLock::new(|| ground(Toolset::load(crate::fixtures::assets(), "travel", "en").unwrap(), "en"));
static TRAVEL_KOREAN: LazyLock<Ground> =
    LazyLock::new(|| ground(Toolset::load(crate::fixtures::assets(), "travel", "ko").unwrap(), "ko"));

/// The small world with all inns of a town on one page.
pub(crate) fn inn() -> &'static Ground {
    &INN
}

/// The small world as it is: three inns on a page, of eight in each town.
pub(crate) fn cramped() -> &'static Ground {
    &CRAMPED
}

/// The small world in Korean.
pub(crate) fn korean() -> &'static Ground {
    &KOREAN
}

/// The travel world in a locale.
pub(crate) fn travel(locale: &str) -> &'static Ground {
    if locale == "ko" { &TRAVEL_KOREAN } else { &TRAVEL }
}

impl Ground {
    pub(crate) fn declaration(&'static self) -> &'static Declaration {
        self.world.declaration()
    }

    pub(crate) fn function(&'static self, name: &str) -> &'static Function {
        &self.declaration().functions[name]
    }

    /// The functions of a domain; of all domains for `cross`.
    pub(crate) fn functions(&'static self, domain: &str) -> Vec<&'static Function> {
        let own = |it: &&Function| domain == "cross" || it.domain == domain;
        self.declaration().functions.values().filter(own).collect()
    }

    /// A plan in the making, of which nothing is there yet.
    pub(crate) fn sketch(&'static self, domain: &str, draw: u32) -> Sketch<'static> {
        Sketch::new(self.declaration(), self.functions(domain), Chance::new(1, "sketch", domain, draw))
    }

    /// What a plan of a shape is wished to be.
    pub(crate) fn wish(&'static self, domain: &str, (steps, calls): (usize, usize)) -> Wish<'static> {
        Wish {
            functions: self.functions(domain),
            crosses: domain == "cross",
            shape: Shape { steps, calls },
            cases: None,
            turn: None,
        }
    }

    /// Values for a plan, drawn as they come.
    pub(crate) fn said(&'static self, plan: &Plan, draw: u32) -> Said {
        (0..9)
            .find_map(|again| {
                draw_values(&self.world, plan, given(&Said::new()), &mut Chance::new(again, "said", "plan", draw))
            })
            .unwrap()
    }

    /// A plan of a shape with calls that could be made.
    pub(crate) fn journey(&'static self, domain: &str, shape: (usize, usize), draw: u32) -> Option<Journey> {
        let mut chance = Chance::new(3, "journey", domain, draw);
        (0..6_u32).find_map(|again| {
            let own = Chance::new(4, "plan", domain, draw * 6 + again);
            let mut plan = plan(self.declaration(), &self.wish(domain, shape), own)?;
            plan.told = wanted_items(&self.world, &plan, &mut chance);
            let walked = (0..6).find_map(|_| {
                let said = draw_values(&self.world, &plan, given(&Said::new()), &mut chance)?;
                walk(&self.world, &plan, &said, &mut chance)
            })?;
            Some(Journey { plan, walked })
        })
    }
}

static STAYS: LazyLock<Vec<Journey>> = LazyLock::new(|| {
    let shapes = [(2, 4), (3, 6)];
    (0..10).filter_map(|draw| inn().journey("inns", shapes[draw as usize % 2], draw)).collect()
});

/// A few journeys through the small world.
pub(crate) fn stays() -> &'static [Journey] {
    &STAYS
}

/// Domains with a shape that their plans often have.
pub(crate) const SHAPES: [(&str, (usize, usize)); 5] =
    [("hotels", (3, 4)), ("flights", (2, 4)), ("car_rental", (3, 4)), ("attractions", (3, 4)), ("cross", (3, 5))];

fn tour(ground: &'static Ground) -> Vec<Journey> {
    SHAPES.into_iter().filter_map(|(domain, shape)| ground.journey(domain, shape, 0)).collect()
}

static TOURS: LazyLock<Vec<Journey>> = LazyLock::new(|| tour(travel("en")));
static KOREAN_TOURS: LazyLock<Vec<Journey>> = LazyLock::new(|| tour(travel("ko")));

/// All journeys, with the grounds on which they were made; those of the travel world are one of each domain.
pub(crate) fn journeys() -> Vec<(&'static Ground, &'static Journey)> {
    let of = |ground: &'static Ground, journeys: &'static [Journey]| journeys.iter().map(move |it| (ground, it));
    of(inn(), stays()).chain(of(travel("en"), &TOURS)).chain(of(travel("ko"), &KOREAN_TOURS)).collect()
}

static MONTH_FIRST: LazyLock<DayOrder> = LazyLock::new(|| {
    let (days, day) = (INN.pack.requests.days.as_ref().unwrap(), Date::new(2024, 11, 3).unwrap());
    let mut chance = Chance::of(&[b"month first"]);
    let mut orders = (0..60).map(|_| days.order(&mut chance)).collect::<Vec<_>>().into_iter();
    orders.find(|order| days.say_in(order, day, &mut chance).starts_with("November")).unwrap()
});

/// The order in which the month stands before the day.
pub(crate) fn month_first() -> &'static DayOrder {
    &MONTH_FIRST
}

/// What stays, where the month is said before the day.
pub(crate) fn given(kept: &Said) -> Given<'_> {
    Given { kept, other: None, order: month_first(), cases: None }
}

/// An item of an answer as a feed.
pub(crate) fn item(call: usize, pick: &str, field: &str) -> Feed {
    Feed::Item { call, pick: pick.to_owned(), field: field.to_owned(), slot: None, minutes: 0 }
}

/// What the request says as a feed.
pub(crate) fn said(slot: &str) -> Feed {
    Feed::Said(slot.to_owned())
}

/// A call of the first matter.
pub(crate) fn call(function: &str, feeds: Vec<(&str, Feed)>) -> PlanCall {
    let arguments = feeds.into_iter().map(|(name, feed)| (name.to_owned(), feed)).collect();
    PlanCall { function: function.to_owned(), arguments, ..PlanCall::default() }
}

/// A slot of a function's parameter.
pub(crate) fn slot(function: &str, parameter: &str) -> PlanSlot {
    PlanSlot { function: function.to_owned(), parameter: parameter.to_owned(), ..PlanSlot::default() }
}

/// A town is looked up, its inns are searched with all that can be said, and the cheapest of them is booked.
pub(crate) fn stay() -> Plan {
    let names = ["arrival", "departure", "guests", "ages", "quiet"];
    let mut feeds = vec![("town_id", item(0, "asked", "/id"))];
    feeds.extend(names.map(|name| (name, said(&format!("0.{name}")))));
    let mut slots = IndexMap::from([("0.town_id".to_owned(), slot("Find_Town", "query"))]);
    for name in names {
        let protected = name == "quiet";
        slots.insert(format!("0.{name}"), PlanSlot { protected, ..slot("Search_Inns", name) });
    }
    let calls = vec![
        call("Find_Town", vec![("query", said("0.town_id"))]),
        call("Search_Inns", feeds),
        call("Book_Inn", vec![("token", item(1, "cheapest", "/token"))]),
    ];
    Plan { calls, slots, ..Plan::default() }
}

/// The same with a second town, in which another inn is booked.
pub(crate) fn two_towns() -> Plan {
    let mut plan = stay();
    let mut copies = plan.calls.clone();
    copies[0].arguments["query"] = said("0.town_id#2");
    copies[1].arguments["town_id"] = item(3, "asked", "/id");
    copies[2].arguments["token"] = item(4, "cheapest", "/token");
    for (at, copy) in copies.iter_mut().enumerate() {
        copy.twin = Some(at);
    }
    plan.calls.extend(copies);
    let unlike = Some("0.town_id".to_owned());
    plan.slots.insert("0.town_id#2".to_owned(), PlanSlot { unlike, ..slot("Find_Town", "query") });
    super::branch::in_order(&mut plan);
    plan
}

/// The names of a plan's functions, in order.
pub(crate) fn names(plan: &Plan) -> Vec<&str> {
    plan.calls.iter().map(|call| call.function.as_str()).collect()
}

/// All calls of a journey with their answers.
pub(crate) fn made(walked: &Walked) -> Vec<(&FunctionCall, &Value)> {
    walked.steps.iter().flat_map(|step| step.calls.iter().zip(&step.answers)).collect()
}

/// The same context in a world.
pub(crate) fn within(context: Context, ground: &Ground) -> Context {
    with_shared(context, |shared| {
        shared.domains = Domains::new(&ground.toolset, &ground.pack, 7).unwrap();
        shared.toolset = Arc::new(ground.toolset.clone());
        shared.pack = Arc::clone(&ground.pack);
    })
}

/// A context in the small world, whose model is the built-in one, with what it says changed.
pub(crate) fn lodging(change: impl Fn(String) -> String + Send + Sync + 'static) -> Context {
    let grammar = Grammar::new(Arc::clone(&inn().pack), 7);
    within(context(move |request| change(grammar.reply(request).text)).0, inn())
}

/// A request of a plan with its calls, as a planning stage yields it.
pub(crate) fn planned_item(context: &Context, plan: &Plan, walked: &Walked) -> Item {
    let query = ComplexQuery {
        steps: walked.steps.clone(),
        slots: walked.said.clone(),
        plan: Some(Box::new(plan.clone())),
        ..coarse(context, "an inn, please", &[])
    };
    complex_item(query)
}

/// The calls of a plan in the small world.
pub(crate) fn walked(plan: &Plan, draw: u32) -> Walked {
    let walked = |draw| walk(&inn().world, plan, &inn().said(plan, draw), &mut Chance::of(&[b"walk"]));
    (draw..draw + 9).find_map(walked).unwrap()
}
