//! Sample calls: for every function a call that should go well, with what other functions answer in the place of what
//! comes from them. They show what a world says, and find what is wrong with it.

use super::session::DeclaredSession;
use super::world::DeclaredWorld;
use crate::toolset::{Finding, Format, Function, Param};
use crate::world::CallFault;
use fcgen_core::locale::Date;
use fcgen_core::locale::Stamp;
use fcgen_core::record::{Chance, FunctionCall, Object, Source, Value};
use indexmap::IndexMap;

/// How many functions may lie behind a value.
const DEPTH: usize = 6;

/// How often a sample that finds nothing is drawn anew.
const DRAWS: u32 = 12;

/// So many draws in a row take neighbours of a table, which mostly have one parent: places of one city.
const NEIGHBOURS: u32 = 8;

/// A call with what it was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct Sample {
    /// The call.
    pub call: FunctionCall,
    /// The answer, or why there is none.
    pub answer: Result<Value, CallFault>,
}

/// What is known while the arguments of one call are drawn.
struct Course {
    draw: u32,
    depth: usize,
    /// How far the last day lies ahead of the first.
    days: i64,
    /// How often a place in an answer was taken.
    used: IndexMap<Source, u32>,
}

/// Draws sample calls in one session.
pub struct Sampler<'w> {
    session: DeclaredSession<'w>,
    world: &'w DeclaredWorld,
    known: IndexMap<(String, u32), Sample>,
}

impl<'w> Sampler<'w> {
    /// A sampler with a session of its own.
    pub fn new(world: &'w DeclaredWorld) -> Self {
        Self { session: world.session(), world, known: IndexMap::new() }
    }

    /// A call of a function: its required parameters alone, or all of them; `None` where it has none to call.
    pub fn sample(&mut self, function: &str, all: bool, draw: u32) -> Option<Sample> {
        let function = self.world.declaration.functions.get(function)?;
        let draw = draw * NEIGHBOURS;
        let mut sample = self.attempt(function, all, draw, 0);
        for again in 1..DRAWS {
            if sample.answer.as_ref().is_ok_and(is_full) {
                break;
            }
            sample = self.attempt(function, all, draw + again * 100 * NEIGHBOURS, 0);
        }
        Some(sample)
    }

    fn attempt(&mut self, function: &Function, all: bool, draw: u32, depth: usize) -> Sample {
        let mut arguments = Object::new();
        let mut course = Course { draw, depth, days: 0, used: IndexMap::new() };
        for (name, param) in &function.parameters {
            // What narrows a search by numbers is left out, for together all that narrows leaves nothing.
            if !(param.required || all && param.range.is_none() && (!param.set || !param.from.is_empty())) {
                continue;
            }
            let value = self.value(function, name, param, &mut course);
            arguments.extend(value.map(|value| (name.clone(), value)));
        }
        let call = FunctionCall { name: function.name.clone(), arguments };
        let answer = self.session.call(&call.name, &call.arguments);
        Sample { call, answer }
    }

    fn value(&mut self, function: &Function, name: &str, param: &Param, course: &mut Course) -> Option<Value> {
        let mut chance = Chance::new(self.world.seed, &function.name, name, course.draw);
        if !param.fields.is_empty() {
            let mut element = || {
                let field =
                    |(name, param): (&String, &Param)| Some((name.clone(), self.value(function, name, param, course)?));
                Value::Object(param.fields.iter().filter_map(field).collect())
            };
            return Some(Value::List(vec![element(), element()]));
        }
        // A value and its kind come from one and the same answer; days and times are people's own.
        let sources = param.from.iter().filter(|source| source.tool != function.name && param.format.is_none());
        for source in sources {
            if let Some(value) = self.from(source, course) {
                return Some(value);
            }
        }
        if let Some(listed) = &param.listed {
            return chance.pick(listed).cloned();
        }
        if !param.from.is_empty() && param.format.is_none() && !param.required {
            // Nothing that could be made up would be found anywhere.
            return None;
        }
        match param.format {
            Some(Format::Date) => {
                course.days += 3;
                let day = Stamp::read(&self.world.declaration.today).and_then(|it| it.date)?;
                return day
                    .plus(i64::from(course.draw / NEIGHBOURS % 100) + 20 + course.days)
                    .as_ref()
                    .map(Date::to_string)
                    .map(Value::from);
            }
            Some(Format::Time) => return Some(Value::from("10:00")),
            Some(Format::Numbers) => return Some(Value::from("7")),
            None => {}
        }
        let columns = chance.pick(&param.values).map(|(table, column)| self.world.column(table, column));
        if let Some(values) = columns {
            let group =
                Chance::new(self.world.seed, &function.name, name, course.draw / NEIGHBOURS).below(values.len());
            let at = group + usize::try_from(course.draw % NEIGHBOURS).unwrap_or(0);
            return values.get(at % values.len().max(1)).cloned();
        }
        if let Some(of) = &param.of {
            let keys: Vec<Value> = self.session.keys(of);
            return chance.pick(&keys).cloned();
        }
        let mut drawn = || param.kind.as_ref().and_then(|kind| self.world.pack.draw(kind, &mut chance));
        let least = || param.range.map(|(least, most)| Value::from(least.max(1.0).min(most)));
        param.default.clone().or_else(least).or_else(|| drawn().map(|drawn| drawn.value)).or_else(|| plain(param))
    }

    fn from(&mut self, source: &Source, course: &mut Course) -> Option<Value> {
        // A field that was taken for one argument is not taken for another: they come from two calls.
        let used = course.used.entry(source.clone()).or_default();
        let (draw, depth) = (course.draw + *used, course.depth);
        *used += 1;
        if depth >= DEPTH {
            return None;
        }
        let key = (source.tool.clone(), draw);
        if !self.known.contains_key(&key) {
            let function = self.world.declaration.functions.get(&source.tool)?;
            let sample = self.attempt(function, false, draw, depth + 1);
            self.known.insert(key.clone(), sample);
        }
        at(self.known.get(&key)?.answer.as_ref().ok()?, &source.field).cloned().filter(|value| !value.is_null())
    }
}

fn plain(param: &Param) -> Option<Value> {
    match param.type_name.as_str() {
        "boolean" => Some(Value::Bool(true)),
        "string" => Some(Value::from("1")),
        _ => None,
    }
}

/// What stands at a JSON pointer.
fn at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    pointer.split('/').skip(1).try_fold(value, |value, part| match value {
        Value::Object(object) => object.get(part),
        Value::List(list) => list.get(part.parse::<usize>().ok()?),
        _ => None,
    })
}

/// Whether some list near the top of an answer holds something, if there are any.
fn is_full(answer: &Value) -> bool {
    let mut lists = Vec::new();
    lists_of(answer, 2, &mut lists);
    lists.is_empty() || lists.iter().any(|list| !list.is_empty())
}

fn lists_of<'v>(value: &'v Value, depth: usize, lists: &mut Vec<&'v [Value]>) {
    match value {
        Value::List(list) => lists.push(list),
        Value::Object(object) if depth > 0 => object.values().for_each(|it| lists_of(it, depth - 1, lists)),
        _ => {}
    }
}

impl DeclaredWorld {
    /// What sample calls of every function show to be wrong.
    pub fn faults(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let mut sampler = Sampler::new(self);
        for function in self.declaration.functions.values() {
            let samples = [false, true].map(|all| sampler.sample(&function.name, all, 0));
            let samples: Vec<Sample> = samples.into_iter().flatten().collect();
            let failed = samples.iter().filter_map(|sample| {
                let fault = sample.answer.as_ref().err()?;
                Some((format!("sample call failed: {fault}"), sample))
            });
            let is_empty = samples.iter().all(|sample| sample.answer.as_ref().is_ok_and(|answer| !is_full(answer)));
            let empty =
                samples.first().filter(|_| is_empty).map(|it| ("sample call returned no results".to_owned(), it));
            for (message, sample) in failed.chain(empty) {
                let message = format!("{message}; arguments {}", Value::Object(sample.call.arguments.clone()));
                findings.push(Finding::error(format!("{}.{}", function.domain, function.name), message).in_structure());
            }
        }
        findings.dedup();
        findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::testing::known;
    use crate::world::declared::testing::{inn, toolset_with, world_of};

    #[test]
    fn every_function_of_a_sound_world_has_a_sample_that_goes_well() {
        for locale in ["en", "ko"] {
            let world = inn(locale, 2);
            assert_eq!(world.faults(), []);
            let mut sampler = Sampler::new(&world);
            for function in world.declaration.functions.keys() {
                let sample = sampler.sample(function, true, 1).unwrap();
                assert!(sample.answer.is_ok(), "{sample:?}");
            }
            assert!(sampler.sample("Fly", true, 1).is_none());
        }
    }

    #[test]
    fn values_come_from_the_answers_that_hold_them() {
        let world = inn("en", 2);
        let mut sampler = Sampler::new(&world);
        let sample = sampler.sample("Get_Inn", false, 0).unwrap();
        assert_eq!(sample.call.arguments["token"].as_str().unwrap().len(), 120);
        let tour = sampler.sample("Plan_Tour", false, 0).unwrap();
        let legs = tour.call.arguments["legs"].as_list().unwrap();
        assert!(legs.len() == 2 && legs[0].as_object().unwrap().contains_key("town_id"));
    }

    #[test]
    fn what_fails_or_finds_nothing_is_a_finding() {
        let world = world_of(&toolset_with("row.stars >= stars_from", "row.name >= 3 and row.stars // 0 > 1"));
        assert_eq!(world.unwrap().faults(), [], "what is left out is not looked at");
        let world = world_of(&toolset_with(
            "{ find = \"query\", within = [\"row.name\"], nearest = true }",
            "{ where = \"false\" }",
        ))
        .unwrap();
        let found = world.faults();
        assert!(
            found[0].place == "inns.Find_Town"
                && found[0].message.starts_with("sample call returned no results; arguments {"),
            "{found:?}"
        );
        let world = world_of(&toolset_with("row.inns|sum(attribute='price')", "row.inns // 2")).unwrap();
        let found = world.faults();
        assert!(found[0].message.starts_with("sample call failed: invalid declaration: `row.inns // 2`"), "{found:?}");
    }

    #[test]
    fn pointers_lead_through_lists_and_objects() {
        let value = Value::read(r#"{"a": [{"b": 3}]}"#).unwrap();
        assert_eq!(at(&value, "/a/0/b").map(ToString::to_string).as_deref(), Some("3"));
        assert!(at(&value, "/a/1/b").is_none() && at(&value, "/a/b").is_none() && at(&value, "") == Some(&value));
        assert!(is_full(&value) && !is_full(&Value::read(r#"{"data": {"x": []}}"#).unwrap()));
    }

    fn samples(locale: &str, seed: u64, draw: u32) -> Vec<Sample> {
        let world = inn(locale, seed);
        let mut sampler = Sampler::new(&world);
        let functions: Vec<String> = world.declaration.functions.keys().cloned().collect();
        functions.iter().filter_map(|function| sampler.sample(function, draw.is_multiple_of(2), draw)).collect()
    }

    #[test]
    fn one_world_has_one_sample_of_a_draw_and_others_have_others() {
        assert_eq!(samples("en", 2, 0), samples("en", 2, 0));
        assert_ne!(samples("en", 2, 0), samples("en", 3, 0));
        assert_ne!(samples("en", 2, 0), samples("en", 2, 2));
    }

    #[test]
    fn days_lie_ahead_of_today_and_the_second_after_the_first() {
        for draw in 0..6 {
            let world = inn("en", 5);
            let sample = Sampler::new(&world).sample("Search_Inns", false, draw).unwrap();
            let day = |name: &str| sample.call.arguments[name].as_str().unwrap().to_owned();
            assert!(world.declaration.today < day("arrival") && day("arrival") < day("departure"), "{sample:?}");
        }
    }

    #[test]
    fn what_narrows_by_numbers_is_left_out_and_what_has_a_default_is_not() {
        let world = inn("en", 5);
        let mut sampler = Sampler::new(&world);
        let (few, all) =
            (sampler.sample("Search_Inns", false, 0).unwrap(), sampler.sample("Search_Inns", true, 0).unwrap());
        assert_eq!(few.call.arguments.keys().collect::<Vec<_>>(), ["town_id", "arrival", "departure"]);
        assert_eq!(
            all.call.arguments.keys().collect::<Vec<_>>(),
            ["town_id", "arrival", "departure", "ages", "sort", "quiet"]
        );
        assert_eq!(
            (all.call.arguments["ages"].as_str(), all.call.arguments["quiet"].as_bool()),
            (Some("7"), Some(false))
        );
    }

    #[test]
    fn two_arguments_from_one_place_come_from_two_calls() {
        let world = inn("en", 5);
        let tour = Sampler::new(&world).sample("Plan_Tour", false, 0).unwrap();
        let towns: Vec<String> = tour.call.arguments["legs"]
            .as_list()
            .unwrap()
            .iter()
            .map(|leg| leg.as_object().unwrap()["town_id"].to_string())
            .collect();
        assert!(towns.len() == 2 && towns[0] != towns[1], "{towns:?}");
    }

    #[test]
    fn values_of_no_source_are_plain_ones() {
        let param = |type_name: &str| Param { type_name: type_name.to_owned(), ..Param::default() };
        let plain = |type_name: &str| super::plain(&param(type_name)).map(|value| value.to_string());
        assert_eq!(
            ["boolean", "string", "number", "array"].map(plain),
            [Some("true".to_owned()), Some("\"1\"".to_owned()), None, None]
        );
        let known = known("", "{ x = 'x', n = 'n' }").unwrap();
        let world = world_of(&known).unwrap();
        let sample = Sampler::new(&world).sample("F", true, 0).unwrap();
        assert_eq!(Value::Object(sample.call.arguments).to_string(), r#"{"x":"1"}"#);
        assert_eq!(sample.answer.unwrap().to_string(), r#"{"x":"1","n":null}"#);
    }

    #[test]
    fn an_answer_is_full_if_no_list_near_its_top_is_empty() {
        for (answer, full) in [
            ("[]", false),
            ("[1]", true),
            ("3", true),
            (r#"{"a": []}"#, false),
            (r#"{"a": {"b": [[]]}}"#, true),
            (r#"{"a": {"b": {"c": []}}}"#, true),
        ] {
            assert_eq!(is_full(&Value::read(answer).unwrap()), full, "{answer}");
        }
    }

    #[test]
    fn the_place_of_every_source_is_there_in_a_sample_answer() {
        let world = inn("en", 7);
        let mut sampler = Sampler::new(&world);
        let params = world.declaration.functions.values().flat_map(|function| function.parameters.values());
        let sources: Vec<&Source> =
            params.flat_map(|param| param.fields.values().chain([param])).flat_map(|param| &param.from).collect();
        assert!(sources.len() > 5);
        for source in sources {
            let answer = sampler.sample(&source.tool, false, 0).unwrap().answer.unwrap();
            assert!(at(&answer, &source.field).is_some_and(|value| !value.is_null()), "{source:?} in {answer}");
        }
    }
}
