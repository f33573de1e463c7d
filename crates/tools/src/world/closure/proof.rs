//! The proof that a golden path is a shortest one.

use super::answers::Answers;
use super::cover;
use super::functions::Functions;
use super::golden::Golden;
use super::grow::{Closure, Reach, shown};
use super::idle::{idle, repeated};
use super::known::knowns;
use super::needs::Ground;
use crate::world::DeclaredWorld;
use fcgen_core::record::{Step, Tool};
use indexmap::IndexMap;
use std::fmt;
use std::sync::Arc;

/// Proves paths over one toolset. What its world answers is remembered from path to path.
pub struct Prover {
    functions: Functions,
    answers: Option<Answers>,
}

/// A golden path.
#[derive(Debug, Clone, Copy)]
pub struct Path<'p> {
    /// The calls, step by step, with their answers and where their arguments come from.
    pub steps: &'p [Step],
    /// The functions that are offered; golden ones are offered in any case.
    pub offered: &'p [String],
    /// What is said in the end.
    pub answer: &'p str,
}

/// How much is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most steps of a path.
    pub steps: usize,
    /// Most calls of a level.
    pub calls: usize,
}

/// That a path is a shortest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proof {
    /// How many calls were looked at.
    pub calls: usize,
    /// Whether a world answered them; otherwise the recorded answers alone tell.
    pub world: bool,
}

/// Why a path is not proved to be a shortest one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// A goal can be reached in fewer steps.
    #[error("{goal} is possible in step {earlier} instead of step {step}{by}", by = after(calls))]
    ShorterPath {
        /// The goal.
        goal: String,
        /// Its step, from 1.
        step: usize,
        /// The first step in which it can be made.
        earlier: usize,
        /// The calls before it.
        calls: Vec<String>,
    },
    /// The goals can be reached by fewer calls.
    #[error("{golden} calls are used where {fewer} suffice: {calls}", fewer = .calls.len(), calls = .calls.join(", "))]
    FewerCalls {
        /// How many golden calls are no goals.
        golden: usize,
        /// The calls that would do.
        calls: Vec<String>,
    },
    /// A call does nothing.
    #[error("{0}")]
    IdleCall(String),
    /// Nothing was proved.
    #[error("{0}")]
    Unproved(String),
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps: 5, calls: 20_000 }
    }
}

impl Flaw {
    /// Its short name.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::ShorterPath { .. } => "shorter_path",
            Self::FewerCalls { .. } => "fewer_calls",
            Self::IdleCall(_) => "idle_call",
            Self::Unproved(_) => "unproved",
        }
    }
}

impl fmt::Display for Proof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let alone = if self.world { "" } else { " from recorded answers only" };
        write!(formatter, "proved{alone}: {} ground calls", self.calls)
    }
}

impl Prover {
    /// Proves paths in a declared world.
    pub fn new(world: Arc<DeclaredWorld>) -> Self {
        let functions = Functions::declared(world.declaration());
        Self { functions, answers: Some(Answers::new(world)) }
    }

    /// Proves paths of tools that no world answers, by what was recorded.
    pub fn recorded(tools: &[Arc<Tool>]) -> Self {
        Self { functions: Functions::of_tools(tools), answers: None }
    }

    /// Proves that no goal can be reached in fewer steps, and all of them not by fewer calls.
    pub fn prove(&self, path: Path<'_>, limits: Limits) -> Result<Proof, Flaw> {
        let golden = Golden::new(path.steps, &self.functions);
        self.check(&golden, path, limits)?;
        let ground = Ground {
            functions: &self.functions,
            golden: &golden,
            knowns: knowns(&golden, &self.functions),
            offered: self.offered(&golden, path.offered),
        };
        let closure = recorded(&ground)?;
        no_goal_is_late(&ground, &closure)?;
        let Some(answers) = &self.answers else {
            no_call_is_spared(&ground, &closure)?;
            return Ok(Proof { calls: closure.calls.len(), world: false });
        };
        let goals = golden.goals();
        let supporting = golden.calls.len() - goals.len();
        let on_time = goals.iter().all(|goal| ground.earliest(*goal) >= golden.calls[*goal].step);
        let is_small = ground.fewest() >= supporting;
        if on_time && is_small {
            return Ok(Proof { calls: closure.calls.len(), world: true });
        }
        let latest = ground.latest(usize::from(is_small));
        let reach = Reach { last: golden.last_step(), latest, calls: limits.calls };
        let closure = Closure::grow(&ground, Some(answers), &reach)
            .map_err(|_| Flaw::Unproved(format!("more than {} possible calls in one step", limits.calls)))?;
        no_goal_is_late(&ground, &closure)?;
        if !is_small {
            no_call_is_spared(&ground, &closure)?;
        }
        Ok(Proof { calls: closure.calls.len(), world: true })
    }

    fn check(&self, golden: &Golden<'_>, path: Path<'_>, limits: Limits) -> Result<(), Flaw> {
        if golden.calls.is_empty() || path.steps.len() > limits.steps {
            return Err(Flaw::Unproved(format!("{} steps, expected 1 to {}", path.steps.len(), limits.steps)));
        }
        if let Some(call) = golden.calls.iter().find(|it| !self.functions.offers.contains_key(&it.call.name)) {
            return Err(Flaw::Unproved(format!("unknown function `{}`", call.call.name)));
        }
        let count = golden.calls.len();
        if let Some(call) = golden.calls.iter().position(|it| it.feeders().iter().any(|feeder| *feeder >= count)) {
            return Err(Flaw::Unproved(format!("call {} takes a value from a call that does not exist", call + 1)));
        }
        let found = repeated(golden, &self.functions).or_else(|| idle(golden, &self.functions, path.answer));
        found.map_or(Ok(()), |found| Err(Flaw::IdleCall(found)))
    }

    fn offered<'a>(&'a self, golden: &Golden<'_>, offered: &[String]) -> Vec<&'a str> {
        let is_golden = |name: &str| golden.calls.iter().any(|it| it.call.name == name);
        let names = self.functions.offers.keys().map(String::as_str);
        names.filter(|name| is_golden(name) || offered.iter().any(|it| it == name)).collect()
    }
}

/// What can be made of the golden calls alone; each of them, in its step at the latest.
fn recorded(ground: &Ground<'_>) -> Result<Closure, Flaw> {
    let reach = Reach { last: ground.golden.last_step(), latest: IndexMap::new(), calls: usize::MAX };
    let closure = Closure::grow(ground, None, &reach).unwrap_or_default();
    let late = |at: &usize| closure.level_of(*at).is_none_or(|level| level > ground.golden.calls[*at].step);
    let Some(at) = (0..ground.golden.calls.len()).find(late) else { return Ok(closure) };
    let golden = &ground.golden.calls[at];
    let call = shown(&golden.call.name, &golden.call.arguments);
    Err(Flaw::Unproved(format!("some arguments of {call} are not known in step {}", golden.step + 1)))
}

fn no_goal_is_late(ground: &Ground<'_>, closure: &Closure) -> Result<(), Flaw> {
    for goal in ground.golden.goals() {
        let golden = &ground.golden.calls[goal];
        let Some(level) = closure.level_of(goal).filter(|level| *level < golden.step) else { continue };
        let call = shown(&golden.call.name, &golden.call.arguments);
        let calls = closure.golden.get(&goal).map(|at| leading(ground, closure, *at)).unwrap_or_default();
        return Err(Flaw::ShorterPath { goal: call, step: golden.step + 1, earlier: level + 1, calls });
    }
    Ok(())
}

/// Calls that lead to this one in time.
fn leading(ground: &Ground<'_>, closure: &Closure, at: usize) -> Vec<String> {
    let (mut open, mut found) = (vec![at], Vec::new());
    while let Some(at) = open.pop() {
        let call = &closure.calls[at];
        for want in ground.wants(call.proposal()) {
            let before = closure.producers(&want).into_iter().filter(|it| closure.calls[*it].level < call.level);
            let Some(next) = before.min_by_key(|it| closure.calls[*it].level) else { continue };
            if !found.contains(&next) {
                found.push(next);
                open.push(next);
            }
        }
    }
    found.sort_unstable();
    found.into_iter().map(|at| closure.calls[at].shown()).collect()
}

fn no_call_is_spared(ground: &Ground<'_>, closure: &Closure) -> Result<(), Flaw> {
    let golden = ground.golden.calls.len() - ground.golden.goals().len();
    let Some(most) = golden.checked_sub(1) else { return Ok(()) };
    match cover::smaller(ground, closure, most) {
        Ok(None) => Ok(()),
        Ok(Some(calls)) => {
            Err(Flaw::FewerCalls { golden, calls: calls.iter().map(|at| closure.calls[*at].shown()).collect() })
        }
        Err(cover::GivenUp) => Err(Flaw::Unproved("too many possible paths to the goals".to_owned())),
    }
}

fn after(calls: &[String]) -> String {
    if calls.is_empty() { String::new() } else { format!(", after {}", calls.join(", ")) }
}

#[cfg(test)]
mod tests {
    use super::super::offered;
    use super::super::testing::{BOOKING, TWICE, path, path_in, world};
    use super::*;
    use fcgen_core::record::{Catalogue, Origin};

    use crate::world::declared::testing::{toolset_with, world_of};
    use proptest::prelude::*;

    fn names(world: &DeclaredWorld) -> Vec<String> {
        world.declaration().functions.keys().cloned().collect()
    }

    fn prove_with(world: &Arc<DeclaredWorld>, steps: &[Step], answer: &str) -> Result<Proof, Flaw> {
        Prover::new(world.clone()).prove(Path { steps, offered: &names(world), answer }, Limits::default())
    }

    fn prove(steps: &[&[&str]]) -> Result<Proof, Flaw> {
        prove_with(&world(), &path(steps), "")
    }

    fn reason(proof: &Result<Proof, Flaw>) -> &'static str {
        proof.as_ref().err().map_or("", Flaw::reason)
    }

    #[test]
    fn proper_paths_are_proved() {
        let proof = prove(BOOKING).unwrap();
        assert_eq!(proof.to_string(), "proved: 4 ground calls", "what is declared tells that nothing is shorter");
        let proof = prove(TWICE).unwrap();
        assert!(proof.calls > 6 && proof.world, "{proof}");
    }

    #[test]
    fn a_needless_lookup_is_idle() {
        let steps: &[&[&str]] = &[
            &[BOOKING[0][0], r#"Find_Town {"query": "Old Harbor"}"#],
            BOOKING[1],
            &[r#"Book_Inn {"token": "@2/data/inns/1/token"}"#],
        ];
        let flaw = prove(steps).unwrap_err();
        assert_eq!((flaw.reason(), flaw.to_string().split('"').nth(1).unwrap()), ("idle_call", "Old Harbor"));
        assert!(prove_with(&world(), &path(steps), "Old Harbor has the id T3.").is_ok());
    }

    #[test]
    fn equal_calls_are_idle() {
        let twice = [TWICE[2][0], TWICE[2][0]];
        let steps = [TWICE[0], TWICE[1], &twice];
        assert_eq!(reason(&prove(&steps)), "idle_call");
    }

    #[test]
    fn what_the_request_says_needs_no_lookup() {
        let search = [
            r#"Search_Inns {"town_id": "@0/data/0/id", "arrival": "2024-11-01", "departure": "2024-11-04"}"#,
            r#"Search_Inns {"town_id": "T2", "arrival": "2024-11-04", "departure": "2024-11-06"}"#,
        ];
        let flaw = prove(&[BOOKING[0], &search]).unwrap_err();
        assert_eq!(flaw.reason(), "shorter_path");
        let told = flaw.to_string();
        assert!(told.contains("departure=\"2024-11-04\") is possible in step 1 instead of step 2"), "{told}");
    }

    #[test]
    fn a_goal_that_waits_for_nothing_is_late() {
        let later = [BOOKING[2][0], r#"Find_Town {"query": "Old Harbor"}"#];
        let steps = path(&[BOOKING[0], BOOKING[1], &later]);
        assert_eq!(reason(&prove_with(&world(), &steps, "It is T3.")), "shorter_path");
    }

    /// Two searches of one town where one would find both inns.
    const SPARED: &[&[&str]] = &[
        &[r#"Find_Town {"query": "Greyford"}"#],
        &[
            r#"Search_Inns {"town_id": "@0/data/0/id", "arrival": "2024-11-01", "departure": "2024-11-04"}"#,
            r#"Search_Inns {"town_id": "@0/data/0/id", "arrival": "2024-11-01", "departure": "2024-11-04", "sort": "stars"}"#,
        ],
        &[r#"Get_Inn {"token": "@1/data/inns/0/token"}"#, r#"Get_Inn {"token": "@2/data/inns/0/token"}"#],
    ];

    #[test]
    fn two_searches_where_one_would_do_are_too_many() {
        let session = |sort: &str| {
            let json =
                format!(r#"{{"town_id": "T2", "arrival": "2024-11-01", "departure": "2024-11-04", "sort": "{sort}"}}"#);
            serde_json::Value::from(
                &world().session().call("Search_Inns", &serde_json::from_str(&json).unwrap()).unwrap(),
            )
        };
        let (price, stars) = (session("price"), session("stars"));
        let ids = |found: &serde_json::Value| -> Vec<String> {
            found["data"]["inns"].as_array().unwrap().iter().map(|inn| inn["id"].to_string()).collect()
        };
        // Of the inns that stand on both pages the second search finds nothing new.
        let (price, stars) = (ids(&price), ids(&stars));
        let both = stars.iter().position(|id| price.contains(id));
        let own = stars.iter().position(|id| !price.contains(id)).unwrap();
        let at = |place: usize| {
            let second = format!(r#"Get_Inn {{"token": "@2/data/inns/{place}/token"}}"#);
            let first = price.iter().position(|id| *id != stars[place]).unwrap();
            let first = format!(r#"Get_Inn {{"token": "@1/data/inns/{first}/token"}}"#);
            prove(&[SPARED[0], SPARED[1], &[&first, &second]])
        };
        assert!(at(own).is_ok(), "{:?}", at(own));
        let flaw = at(both.unwrap()).unwrap_err();
        assert_eq!(flaw.reason(), "fewer_calls");
        assert!(flaw.to_string().starts_with("3 calls are used where 2 suffice: "), "{flaw}");
    }

    #[test]
    fn a_shorter_alternative_is_found_among_the_functions_that_are_offered() {
        // A function that gives an inn's card by the name of its town, which the request says.
        let old = "[functions.Get_Inn]";
        let new = "[functions.Best_Inn]\nsteps = [{ from = [\"towns\"] }, { find = \"query\", within = [\"row.name\"] }, \
            { one = \"query\" }, { let = { place = \"row\" } }, { from = [\"inns\"], by = { town = \"place.id\" } }, \
            { seal = \"token\", mark = \"token\", length = 120, holding = { inn = \"row.id\", arrival = \"'2024-11-01'\", departure = \"'2024-11-04'\", guests = \"2\" } }]\n\
            give = { inns = { for = \"row in rows\", give = { token = \"row.token\" } } }\n\
            [functions.Best_Inn.parameters]\nquery = { required = true, constraint = \"location\" }\n[functions.Get_Inn]";
        let Ok(toolset) = crate::toolset::testing::load_files(&[
            ("world/inns.toml", old, new),
            (
                "world/inns.toml",
                "from = [\"Search_Inns: inns[].token\"]",
                "from = [\"Search_Inns: inns[].token\", \"Best_Inn: inns[].token\"]",
            ),
            ("en/inns.toml", "[Get_Inn]", "[Best_Inn]\ndescription = \"Gives the inns of a town.\"\n[Get_Inn]"),
        ]) else {
            panic!("the toolset has faults")
        };
        let world = Arc::new(world_of(&toolset).unwrap());
        let steps = path_in(&world, &BOOKING[..3]);
        let flaw = prove_with(&world, &steps, "").unwrap_err();
        assert_eq!(flaw.reason(), "shorter_path");
        assert!(flaw.to_string().contains("in step 2 instead of step 3, after Best_Inn("), "{flaw}");
        let offered: Vec<String> = names(&world).into_iter().filter(|name| name != "Best_Inn").collect();
        let path = Path { steps: &steps, offered: &offered, answer: "" };
        assert!(Prover::new(world).prove(path, Limits::default()).is_ok());
    }

    #[test]
    fn what_is_too_long_or_too_wide_is_not_proved() {
        let (steps, offered) = (path(TWICE), names(&world()));
        let path = Path { steps: &steps, offered: &offered, answer: "" };
        let prover = Prover::new(world());
        let told = |limits: Limits| prover.prove(path, limits).unwrap_err();
        let long = told(Limits { steps: 2, ..Limits::default() });
        assert_eq!((long.reason(), long.to_string().as_str()), ("unproved", "3 steps, expected 1 to 2"));
        let wide = told(Limits { calls: 3, ..Limits::default() });
        assert_eq!((wide.reason(), wide.to_string().as_str()), ("unproved", "more than 3 possible calls in one step"));
        assert!(prover.prove(path, Limits::default()).is_ok());
    }

    #[test]
    fn what_cannot_be_made_in_its_step_is_not_proved() {
        let mut steps = path(BOOKING);
        steps[2].notes[0]
            .values_mut()
            .for_each(|note| note.origin = Origin::Answer { call: 3, field: "/data/id".to_owned() });
        let Value::Object(token) = Value::Object(steps[2].calls[0].arguments.clone()) else { panic!() };
        steps[2].calls[0].arguments = token.into_iter().map(|(name, _)| (name, Value::from("none"))).collect();
        assert_eq!(reason(&prove_with(&world(), &steps, "")), "unproved");
        steps[2].notes[0]
            .values_mut()
            .for_each(|note| note.origin = Origin::Answer { call: 9, field: "/x".to_owned() });
        assert_eq!(reason(&prove_with(&world(), &steps, "")), "unproved");
        steps[0].calls[0].name = "Find_City".to_owned();
        assert!(prove_with(&world(), &steps, "").unwrap_err().to_string().contains("unknown function `Find_City`"));
    }

    use fcgen_core::record::Value;

    #[test]
    fn without_a_world_recorded_answers_tell() {
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/inn", "en");
        let (prover, steps) = (Prover::recorded(&toolset.tools), path(BOOKING));
        let path = |steps| Path { steps, offered: &[], answer: "" };
        let proof = prover.prove(path(&steps), Limits::default()).unwrap();
        assert_eq!(proof.to_string(), "proved from recorded answers only: 4 ground calls");
        let mut late = steps.clone();
        late.insert(2, Step { calls: Vec::new(), answers: Vec::new(), notes: Vec::new() });
        assert_eq!(reason(&prover.prove(path(&late), Limits::default())), "shorter_path");
        let searches = super::tests::SPARED;
        let spared = super::super::testing::path(searches);
        let found = prover.prove(path(&spared), Limits::default());
        assert!(found.is_ok() || reason(&found) == "fewer_calls", "{found:?}");
    }

    #[test]
    fn the_functions_that_are_offered_do_not_overlap() {
        let toolset = toolset_with("free = true", "free = true");
        let catalogue = Catalogue { domain: "inns".to_owned(), title: String::new(), tools: toolset.tools.clone() };
        let names = offered(toolset.world.as_deref(), &catalogue, &["Find_Town"]);
        let steps = path(BOOKING);
        let path = Path { steps: &steps, offered: &names, answer: "" };
        assert!(Prover::new(world()).prove(path, Limits::default()).is_ok());
    }

    /// The first levels of the golden calls, and how many calls can be made.
    fn grown(steps: &[Step], offered: &[String], last: usize) -> (Vec<Option<usize>>, Vec<String>) {
        let prover = Prover::new(world());
        let golden = Golden::new(steps, &prover.functions);
        let offered = prover.offered(&golden, offered);
        let ground = Ground {
            functions: &prover.functions,
            golden: &golden,
            knowns: knowns(&golden, &prover.functions),
            offered,
        };
        let latest = ground.offered.iter().map(|name| (*name, last)).collect();
        let reach = Reach { last, latest, calls: 5_000 };
        let closure = Closure::grow(&ground, prover.answers.as_ref(), &reach).ok().unwrap();
        let levels = (0..golden.calls.len()).map(|at| closure.level_of(at)).collect();
        (levels, closure.calls.iter().map(super::super::grow::Made::shown).collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(12))]
        #[test]
        fn a_closure_grows_with_its_levels(keep in prop::collection::vec(any::<bool>(), 9), last in 0_usize..2) {
            let all = names(&world());
            let offered: Vec<String> = all.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(name, _)| name).collect();
            let steps = path(TWICE);
            let (fewer, more) = (grown(&steps, &offered, last).1, grown(&steps, &offered, last + 1).1);
            prop_assert!(fewer.iter().all(|call| more.contains(call)), "{fewer:?} {more:?}");
        }

        #[test]
        fn a_function_more_never_makes_a_path_longer(keep in prop::collection::vec(any::<bool>(), 9), added in 0_usize..9) {
            let all = names(&world());
            let mut offered: Vec<String> = all.iter().cloned().zip(keep).filter(|(_, keep)| *keep).map(|(name, _)| name).collect();
            let steps = path(TWICE);
            let (before, calls) = grown(&steps, &offered, 2);
            offered.extend(all.get(added).cloned());
            let (after, more) = grown(&steps, &offered, 2);
            prop_assert!(before.iter().zip(&after).all(|(before, after)| after <= before));
            prop_assert!(calls.iter().all(|call| more.contains(call)));
        }
    }
}
