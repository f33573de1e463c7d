//! A sample made ready: its golden calls with their answers, and what is known of the functions.

use super::rules::{ByArgument, Rules, Settings};
use crate::python;
use crate::record::{FunctionCall, Step, Tool, Value};
use indexmap::IndexMap;
use serde_json::Value as Json;
use std::ops::Range;
use std::sync::Arc;

/// A sample made ready for trajectories. Golden calls are named by their ordinals in the whole sample.
#[derive(Debug)]
pub struct Golden {
    rules: Rules,
    settings: Arc<Settings>,
    steps: Vec<Range<usize>>,
    calls: Vec<GoldenCall>,
    /// Lookups, each once, in the order of the sample.
    free: Vec<Lookup>,
    functions: IndexMap<String, Function>,
}

/// A golden call.
#[derive(Debug)]
pub(super) struct GoldenCall {
    /// The call, arguments sorted by name.
    pub call: FunctionCall,
    /// What the API answered.
    pub answer: Value,
    /// Its step, from 0.
    pub step: usize,
    /// Its place in the step, from 0.
    pub place: usize,
    /// The ordinal of the first call of the sample that is equal to it.
    pub first: usize,
    /// Whether its function is a lookup.
    pub is_lookup: bool,
    /// Whether its function is a lookup that is forgiven at the end.
    pub is_forgiven: bool,
    /// Whether it is a lookup by an argument.
    pub by_argument: ByArgument,
    /// Which lookup it is with its arguments in the order of the sample; the authors' evaluator minds the order.
    free_as_given: Option<usize>,
    /// Which lookup it is with its arguments sorted.
    free_sorted: Option<usize>,
}

/// A lookup that may be called at any time.
#[derive(Debug)]
struct Lookup {
    /// The first golden call that it is.
    ordinal: usize,
    /// Its text, arguments in the order of the sample.
    key: String,
}

/// What a call of a function must look like.
#[derive(Debug)]
pub(super) struct Function {
    /// Parameters that it needs, in their declared order.
    pub required: Vec<String>,
    /// Types of its parameters; absent where none is declared.
    pub types: IndexMap<String, Option<String>>,
}

impl Golden {
    /// Makes a sample ready.
    pub fn new(steps: &[Step], tools: &[Arc<Tool>], settings: Arc<Settings>, rules: Rules) -> Self {
        let functions = tools.iter().map(|tool| (tool.name.clone(), Function::of(tool))).collect();
        let mut golden = Self { rules, settings, steps: Vec::new(), calls: Vec::new(), free: Vec::new(), functions };
        for step in steps {
            let start = golden.calls.len();
            for (place, call) in step.calls.iter().enumerate() {
                golden.add(call, step.answers.get(place).cloned().unwrap_or_default(), place);
            }
            golden.steps.push(start..golden.calls.len());
        }
        golden.find_lookups(steps);
        golden
    }

    /// By which rules.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// What is known of the APIs.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// How many steps there are.
    pub fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// How many calls there are.
    pub fn call_count(&self) -> usize {
        self.calls.len()
    }

    /// A golden call, its arguments sorted.
    pub fn call(&self, ordinal: usize) -> &FunctionCall {
        &self.calls[ordinal].call
    }

    /// What the API answered to it.
    pub fn answer(&self, ordinal: usize) -> &Value {
        &self.calls[ordinal].answer
    }

    /// The step and the place of the first golden call that is equal to this one, from 0.
    pub fn place(&self, ordinal: usize) -> (usize, usize) {
        let first = &self.calls[self.calls[ordinal].first];
        (first.step, first.place)
    }

    /// The first golden call that is equal to a call.
    pub fn find(&self, call: &FunctionCall) -> Option<usize> {
        (0..self.calls.len()).find(|ordinal| self.equals(*ordinal, call))
    }

    /// The calls of a step.
    pub(super) fn step(&self, number: usize) -> Range<usize> {
        self.steps.get(number).cloned().unwrap_or(0..0)
    }

    pub(super) fn get(&self, ordinal: usize) -> &GoldenCall {
        &self.calls[ordinal]
    }

    pub(super) fn function(&self, name: &str) -> Option<&Function> {
        self.functions.get(name)
    }

    /// How many different lookups there are.
    pub(super) fn free_count(&self) -> usize {
        self.free.len()
    }

    /// The golden call of a lookup.
    pub(super) fn free_call(&self, lookup: usize) -> usize {
        self.free[lookup].ordinal
    }

    /// Which lookup a golden call is, if any.
    pub(super) fn lookup_of(&self, ordinal: usize, is_sorted: bool) -> Option<usize> {
        let call = &self.calls[ordinal];
        if is_sorted { call.free_sorted } else { call.free_as_given }
    }

    /// Which lookup a predicted call is, if any. Its arguments are sorted; to the authors' evaluator that is no lookup
    /// whose golden call has them in another order.
    pub(super) fn find_lookup(&self, predicted: &FunctionCall) -> Option<usize> {
        if self.rules.is_strict() {
            return self.free.iter().position(|lookup| self.equals(lookup.ordinal, predicted));
        }
        if !self.free.iter().any(|lookup| self.calls[lookup.ordinal].call.name == predicted.name) {
            return None;
        }
        let key = call_text(predicted);
        self.free.iter().position(|lookup| lookup.key == key)
    }

    /// Whether a call is a lookup that the sample asks for more than once. It is done when it was called once, and still the
    /// sample's own calls make it again.
    pub(super) fn wants_again(&self, predicted: &FunctionCall) -> bool {
        let is_it = |ordinal: &usize| self.calls[*ordinal].is_lookup && self.equals(*ordinal, predicted);
        (0..self.calls.len()).filter(is_it).nth(1).is_some()
    }

    /// Whether a predicted call is equal to a golden one.
    pub(super) fn equals(&self, ordinal: usize, predicted: &FunctionCall) -> bool {
        same(self.rules, &self.settings, &self.calls[ordinal].call, predicted)
    }

    fn add(&mut self, given: &FunctionCall, answer: Value, place: usize) {
        let mut call = given.clone();
        call.arguments.sort_unstable_keys();
        let first = self.calls.iter().position(|other| same(self.rules, &self.settings, &other.call, &call));
        let is_lookup = self.settings.is_lookup(&call.name);
        let ordinal = self.calls.len();
        self.calls.push(GoldenCall {
            answer,
            step: self.steps.len(),
            place,
            first: first.unwrap_or(ordinal),
            is_lookup,
            is_forgiven: self.settings.is_forgiven(&call.name),
            by_argument: self.settings.by_argument(&call.name, &call.arguments),
            free_as_given: None,
            free_sorted: None,
            call,
        });
        let key = call_text(given);
        if is_lookup && self.find_free(ordinal, &key).is_none() {
            self.free.push(Lookup { ordinal, key });
        }
    }

    /// Says of each golden call which lookup it is, now that all are known.
    fn find_lookups(&mut self, steps: &[Step]) {
        for (ordinal, given) in steps.iter().flat_map(|step| &step.calls).enumerate() {
            if self.calls[ordinal].is_lookup {
                let (as_given, sorted) = (call_text(given), call_text(&self.calls[ordinal].call));
                self.calls[ordinal].free_as_given = self.find_free(ordinal, &as_given);
                self.calls[ordinal].free_sorted = self.find_free(ordinal, &sorted);
            }
        }
    }

    /// The lookup that a golden call is; to the authors' evaluator a lookup is its text.
    fn find_free(&self, ordinal: usize, key: &str) -> Option<usize> {
        let first = |ordinal: usize| self.calls[ordinal].first;
        self.free.iter().position(|lookup| {
            if self.rules.is_strict() { first(lookup.ordinal) == first(ordinal) } else { lookup.key == key }
        })
    }
}

impl Function {
    fn of(tool: &Tool) -> Self {
        let types =
            tool.parameters.properties.iter().map(|(name, parameter)| {
                (name.clone(), parameter.kind.as_ref().and_then(Json::as_str).map(str::to_owned))
            });
        Self { required: tool.parameters.required.clone(), types: types.collect() }
    }
}

/// A call as text, its keys in their order: what says how alike two calls are looks at it.
pub fn call_text(call: &FunctionCall) -> String {
    let name = python::dump(&Value::from(call.name.as_str()));
    format!("{{\"name\": {name}, \"arguments\": {}}}", python::dump_object(&call.arguments))
}

/// Whether two calls are equal. By our own rules the names in a set may come in any order; the authors see to that later.
fn same(rules: Rules, settings: &Settings, one: &FunctionCall, other: &FunctionCall) -> bool {
    let equal = |name: &str, value, other| {
        if rules.is_strict() { rules.equal_argument(settings, name, value, other) } else { rules.equal(value, other) }
    };
    one.name == other.name
        && one.arguments.len() == other.arguments.len()
        && one.arguments.iter().all(|(name, value)| {
            let other = other.arguments.get(name);
            other.is_some_and(|other| equal(name, value, other))
        })
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::rules::Dialect;
    use super::super::rules::tests::settings;
    use super::*;

    const TOOLS: &str = r#"[
        {"name": "Find_Place", "parameters": {"properties": {"query": {"type": "string"}, "lang": {"type": "string"}}, "required": ["query"]}},
        {"name": "Find_Town", "parameters": {"properties": {"query": {"type": "string"}}, "required": ["query"]}},
        {"name": "Search", "parameters": {"properties": {"area": {"type": "string"}, "day": {"type": "string"}, "people": {"type": "number"},
            "quiet": {"type": "boolean"}, "legs": {"type": "array"}, "kind": {"type": "string"}, "tags": {"type": "string"}, "other": {}},
            "required": ["area", "day"]}},
        {"name": "Detail", "parameters": {"properties": {"token": {"type": "string"}, "lang": {"type": "string"}}, "required": ["token"]}},
        {"name": "Quote", "parameters": {"properties": {"key": {"type": "string"}}, "required": ["key"]}}]"#;

    /// Two lookups, then a search, then two details; the second lookup has its arguments unsorted.
    const STEPS: &str = r#"[
        {"calls": [{"name": "Find_Town", "arguments": {"query": "Hill"}}, {"name": "Find_Place", "arguments": {"query": "Mill", "lang": "en"}}],
         "answers": [{"status": true, "data": {"area": "a1"}}, {"status": true, "data": {"area": "a2"}}]},
        {"calls": [{"name": "Search", "arguments": {"day": "2027-03-01", "area": "a1", "people": 2, "kind": "town", "tags": "x,y"}}],
         "answers": [{"status": true, "data": {"token": "t1"}}]},
        {"calls": [{"name": "Detail", "arguments": {"token": "t1"}}, {"name": "Detail", "arguments": {"token": "t2"}}],
         "answers": [{"status": true, "data": {"price": 5}}, {"status": true, "data": {"price": 6}}]}]"#;

    pub(crate) fn tools() -> Vec<Arc<Tool>> {
        serde_json::from_str(TOOLS).unwrap()
    }

    pub(crate) fn steps() -> Vec<Step> {
        serde_json::from_str(STEPS).unwrap()
    }

    pub(crate) fn golden(rules: Rules) -> Golden {
        made(&steps(), rules)
    }

    pub(crate) fn made(steps: &[Step], rules: Rules) -> Golden {
        Golden::new(steps, &tools(), Arc::new(settings()), rules)
    }

    pub(crate) fn call(name: &str, arguments: &str) -> FunctionCall {
        let mut arguments: crate::record::Object = serde_json::from_str(arguments).unwrap();
        arguments.sort_unstable_keys();
        FunctionCall { name: name.to_owned(), arguments }
    }

    const UPSTREAM: Rules = Rules::Upstream(Dialect::Gpt);

    #[test]
    fn calls_have_their_places_and_functions_their_types() {
        let golden = golden(UPSTREAM);
        assert_eq!((golden.step_count(), golden.call_count(), golden.step(2), golden.step(3)), (3, 5, 3..5, 0..0));
        assert_eq!(
            (golden.place(4), golden.answer(2).to_string()),
            ((2, 1), r#"{"status":true,"data":{"token":"t1"}}"#.to_owned())
        );
        assert_eq!(golden.call(2).arguments.keys().collect::<Vec<_>>(), ["area", "day", "kind", "people", "tags"]);
        let function = golden.function("Search").unwrap();
        assert_eq!(
            (function.required.len(), &function.types["people"], &function.types["other"]),
            (2, &Some("number".to_owned()), &None)
        );
        assert!(golden.function("Fly").is_none() && golden.get(0).is_forgiven && !golden.get(1).is_forgiven);
    }

    #[test]
    fn the_authors_know_a_lookup_by_its_text_and_we_by_its_content() {
        let sorted = call("Find_Place", r#"{"query": "Mill", "lang": "en"}"#);
        let (theirs, ours) = (golden(UPSTREAM), golden(Rules::default()));
        assert_eq!((theirs.find_lookup(&sorted), ours.find_lookup(&sorted)), (None, Some(1)));
        assert_eq!((theirs.lookup_of(1, false), theirs.lookup_of(1, true)), (Some(1), None));
        assert_eq!((ours.lookup_of(1, false), ours.lookup_of(1, true)), (Some(1), Some(1)));
        let town = call("Find_Town", r#"{"query": "Hill"}"#);
        assert_eq!((theirs.find_lookup(&town), ours.find_lookup(&town), theirs.free_call(0)), (Some(0), Some(0), 0));
        assert_eq!(
            (theirs.find_lookup(&call("Search", "{}")), theirs.lookup_of(2, false), theirs.free_count()),
            (None, None, 2)
        );
    }

    #[test]
    fn of_equal_calls_the_first_is_named() {
        let mut steps = steps();
        let again = steps[0].calls[0].clone();
        steps[2].calls[1] = again;
        let golden = made(&steps, UPSTREAM);
        assert_eq!((golden.place(4), golden.free_count(), golden.lookup_of(4, true)), ((0, 0), 2, Some(0)));
        assert_eq!((golden.find(golden.call(4)), golden.find(&call("Quote", "{}"))), (Some(0), None));
        assert!(golden.equals(4, golden.call(0)) && !golden.equals(4, golden.call(1)));
        assert!(golden.wants_again(golden.call(0)) && !golden.wants_again(golden.call(1)));
    }

    #[test]
    fn a_set_in_another_order_is_the_same_by_our_rules() {
        let turned =
            call("Search", r#"{"day": "2027-03-01", "area": "a1", "people": 2.0, "kind": "town", "tags": "y, x"}"#);
        assert_eq!([golden(UPSTREAM).equals(2, &turned), golden(Rules::default()).equals(2, &turned)], [false, true]);
    }

    #[test]
    fn a_call_as_text_has_its_keys_in_their_order() {
        let call =
            FunctionCall { name: "f".to_owned(), arguments: serde_json::from_str(r#"{"b":1,"a":"é"}"#).unwrap() };
        assert_eq!(call_text(&call), r#"{"name": "f", "arguments": {"b": 1, "a": "é"}}"#);
    }
}
