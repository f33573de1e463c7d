//! Steps: each call stands one after the last that it takes something from.

use super::held::{Answered, Traced};
use super::origin::Tracer;
use super::talk::{Attempt, Talked};
use crate::gate::Fault;
use crate::record::{ArgumentNotes, ComplexQuery, FunctionCall, Origin, Step, Tool, Value, Violation};
use crate::world::CallFault;
use indexmap::IndexMap;
use std::sync::Arc;

/// A call that was made, with its answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Made {
    pub tool: Arc<Tool>,
    pub call: FunctionCall,
    pub answer: Value,
    /// In which turn; calls of one turn do not know each other's answers.
    pub turn: usize,
    /// Earlier calls whose answers are known to decide what it is made with, also where the request happens to say the same.
    pub rests_on: Vec<FunctionCall>,
}

/// The calls of a request that has steps. A function that the catalogue does not have is left with its name alone.
pub(crate) fn made_of(query: &ComplexQuery) -> Vec<Made> {
    let tool = |name: &str| {
        let found = query.catalogue.tools.iter().find(|tool| tool.name == name).cloned();
        found.unwrap_or_else(|| Arc::new(Tool { name: name.to_owned(), ..Tool::default() }))
    };
    let all: Vec<&FunctionCall> = query.steps.iter().flat_map(|step| &step.calls).collect();
    let rests_on = |notes: Option<&ArgumentNotes>| {
        let sources = notes.into_iter().flat_map(|notes| notes.values()).filter_map(|note| note.origin.answer());
        sources.filter_map(|(call, _)| all.get(call).map(|it| (*it).clone())).collect()
    };
    let calls = query.steps.iter().enumerate().flat_map(|(turn, step)| {
        let answered = step.calls.iter().zip(&step.answers).enumerate();
        answered.map(move |(at, (call, answer))| (turn, call, answer, step.notes.get(at)))
    });
    calls
        .map(|(turn, call, answer, notes)| Made {
            tool: tool(&call.name),
            call: call.clone(),
            answer: answer.clone(),
            turn,
            rests_on: rests_on(notes),
        })
        .collect()
}

/// Puts calls into as few steps as their arguments allow, with notes on where these come from.
pub(crate) fn arrange(tracer: &Tracer<'_>, made: &[Made]) -> Vec<Step> {
    let mut levels: Vec<usize> = Vec::with_capacity(made.len());
    let mut notes: Vec<ArgumentNotes> = Vec::with_capacity(made.len());
    for it in made {
        let earlier = earlier(made, it.turn);
        let trace = |name: &String| (name.clone(), tracer.argument(&it.tool, name, &it.call.arguments, &earlier));
        let mut traced: IndexMap<String, Traced> = it.call.arguments.keys().map(trace).collect();
        for source in earlier.iter().filter(|source| it.rests_on.contains(&made[source.call].call)) {
            if !traced.values().any(|it| it.sources.contains(&source.call)) {
                traced.extend(tracer.taken(&it.tool, &it.call.arguments, source));
            }
        }
        let sources = traced.values().flat_map(|it| &it.sources).filter_map(|source| levels.get(*source));
        levels.push(sources.map(|level| level + 1).max().unwrap_or_default());
        notes.push(traced.into_iter().map(|(name, traced)| (name, traced.argument)).collect());
    }
    stepped(made, &levels, notes)
}

/// The calls without optional arguments that only write a default out: they answer the same without them.
pub(crate) fn without_defaults(tracer: &Tracer<'_>, made: Vec<Made>) -> Vec<Made> {
    let steps = arrange(tracer, &made);
    let noted: Vec<_> = steps.iter().flat_map(|step| step.calls.iter().zip(&step.notes)).collect();
    let bare = |mut it: Made| {
        let notes = noted.iter().find(|(call, _)| **call == it.call).map(|(_, notes)| *notes);
        let is_default =
            |name: &String| notes.and_then(|notes| notes.get(name)).is_some_and(|it| it.origin == Origin::Default);
        let required = &it.tool.parameters.required;
        it.call.arguments.retain(|name, _| required.contains(name) || !is_default(name));
        it
    };
    made.into_iter().map(bare).collect()
}

/// What the calls of earlier turns answered.
pub(crate) fn earlier(made: &[Made], turn: usize) -> Vec<Answered<'_>> {
    let before = made.iter().enumerate().filter(|(_, it)| it.turn < turn);
    before.map(|(call, it)| Answered { call, tool: &it.call.name, answer: &it.answer }).collect()
}

/// The calls step by step; the ordinals in the notes follow them to their new places.
fn stepped(made: &[Made], levels: &[usize], notes: Vec<ArgumentNotes>) -> Vec<Step> {
    let mut order: Vec<usize> = (0..made.len()).collect();
    order.sort_by_key(|call| levels[*call]);
    let mut places = vec![0; made.len()];
    order.iter().enumerate().for_each(|(place, call)| places[*call] = place);
    let mut steps: Vec<Step> = Vec::new();
    let mut notes: Vec<Option<ArgumentNotes>> = notes.into_iter().map(Some).collect();
    for call in order {
        if steps.len() <= levels[call] {
            steps.push(Step { calls: Vec::new(), answers: Vec::new(), notes: Vec::new() });
        }
        let (Some(step), Some(mut note)) = (steps.last_mut(), notes[call].take()) else { continue };
        note.values_mut().for_each(|argument| moved(&mut argument.origin, &places));
        step.calls.push(made[call].call.clone());
        step.answers.push(made[call].answer.clone());
        step.notes.push(note);
    }
    steps
}

fn moved(origin: &mut Origin, places: &[usize]) {
    if let Origin::Answer { call, .. } | Origin::Derived { call, .. } = origin {
        *call = places.get(*call).copied().unwrap_or(*call);
    }
}

// What of a talk is worth keeping: the calls that went well, each once, if nothing that failed was left so.

/// The calls that went well, each once; a fault where the model gave up on one that failed, or never called anything.
pub(crate) fn settle(talked: &Talked) -> Result<Vec<Made>, Fault> {
    let attempts = &talked.attempts;
    for (at, attempt) in attempts.iter().enumerate() {
        let Some(fault) = &attempt.fault else { continue };
        if is_mended(attempt, &attempts[at + 1..]) {
            continue;
        }
        let reason = if attempt.turn == 0 { "first_step_failed" } else { fault.reason };
        return Err(Fault::new(reason, fault.detail.clone()));
    }
    if talked.answer.is_empty() {
        return Err(Fault::new("no_answer", "there is no answer in words in the end"));
    }
    let mut made: Vec<Made> = Vec::new();
    for attempt in attempts {
        let Some(tool) = attempt.tool.clone().filter(|_| attempt.fault.is_none()) else { continue };
        if !made.iter().any(|it| it.call == attempt.call) {
            let (call, answer) = (attempt.call.clone(), attempt.answer.clone());
            made.push(Made { tool, call, answer, turn: attempt.turn, rests_on: Vec::new() });
        }
    }
    Ok(made)
}

/// Whether something later made good for a call that failed: the same function, or any where there is no such function.
fn is_mended(attempt: &Attempt, later: &[Attempt]) -> bool {
    let same = |other: &&Attempt| attempt.tool.is_none() || other.call.name == attempt.call.name;
    later.iter().filter(same).any(|other| other.turn > attempt.turn && other.fault.is_none())
}

// Whether a call has the form that its function asks for.

/// What is wrong with the form of a call: a parameter that is missing or unknown, a value of another type or not listed.
pub(crate) fn check_form(tool: &Tool, call: &FunctionCall) -> Result<(), CallFault> {
    let parameters = &tool.parameters;
    if let Some(name) = parameters.required.iter().find(|name| !call.arguments.contains_key(*name)) {
        return Err(CallFault::Missing { parameter: name.clone() });
    }
    for (name, value) in &call.arguments {
        let Some(parameter) = parameters.properties.get(name) else {
            return Err(CallFault::UnknownParameter { parameter: name.clone() });
        };
        if let Err(violation) = parameter.check(value) {
            let expected = match violation {
                Violation::Keyword(text) => format!("{} ({text})", parameter.type_name()),
                _ => parameter.type_name().to_owned(),
            };
            return Err(CallFault::Invalid { parameter: name.clone(), expected, value: value.clone() });
        }
    }
    Ok(())
}

// The single values of an answer, with their places.

/// A text or number that is shorter may stand in an answer by chance.
const TELLING: usize = 3;

/// The texts, numbers and booleans of a value, each with its JSON pointer, in their order.
pub(crate) fn leaves(value: &Value) -> Vec<(String, &Value)> {
    let mut found = Vec::new();
    collect(value, String::new(), &mut found);
    found
}

fn collect<'v>(value: &'v Value, at: String, found: &mut Vec<(String, &'v Value)>) {
    match value {
        Value::Null => {}
        Value::List(list) => {
            list.iter().enumerate().for_each(|(place, item)| collect(item, format!("{at}/{place}"), found));
        }
        Value::Object(object) => object.iter().for_each(|(key, item)| collect(item, format!("{at}/{key}"), found)),
        leaf => found.push((at, leaf)),
    }
}

/// Whether a value says something by itself: it stands in two places for one reason.
pub(crate) fn is_telling(value: &Value) -> bool {
    match value {
        Value::String(text) => text.chars().count() >= TELLING,
        Value::Number(number) => number.as_str().chars().filter(char::is_ascii_digit).count() > TELLING,
        _ => false,
    }
}

/// A place as declarations write it: the first element of a list stands for each.
pub(crate) fn pattern(pointer: &str) -> String {
    let is_index = |step: &str| !step.is_empty() && step.bytes().all(|byte| byte.is_ascii_digit());
    pointer.split('/').map(|step| if is_index(step) { "0" } else { step }).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{coarse, greyford, inn, made, shown};
    use super::*;
    use crate::stage::testing::silent;

    const TEXT: &str =
        "Two inns in Greyford and Old Harbour from November 1, 2024 for three nights, the cheapest in Greyford";

    /// A detour: the towns one after another, the search in between.
    fn detour() -> (Vec<Step>, Vec<Made>) {
        let context = inn(silent());
        let (token, search) = greyford(&context);
        let other = search.replace("T2", "T3");
        let made = made(
            &context,
            &[
                (0, "Find_Town", r#"{"query": "Greyford"}"#),
                (1, "Search_Inns", search),
                (2, "Find_Town", r#"{"query": "Old Harbour"}"#),
                (3, "Get_Inn", &format!(r#"{{"token": "{token}"}}"#)),
                (4, "Search_Inns", &other),
            ],
        );
        (arrange(&Tracer::new(&context, TEXT, &[]), &made), made)
    }

    #[test]
    fn a_call_stands_as_early_as_its_arguments_allow() {
        insta::assert_snapshot!(shown(&detour().0), @r#"
        0 Find_Town query=["verbatim","Greyford"]
        0 Find_Town query=["verbatim","Old Harbour"]
        1 Search_Inns town_id=[{"answer":{"call":0,"field":"/data/0/id"}},null] arrival=["normalised","November 1, 2024"] departure=["inferred","three nights"]
        1 Search_Inns town_id=[{"answer":{"call":1,"field":"/data/0/id"}},null] arrival=["normalised","November 1, 2024"] departure=["inferred","three nights"]
        2 Get_Inn token=[{"answer":{"call":2,"field":"/data/inns/0/token"}},null]
        "#);
    }

    #[test]
    fn what_is_known_to_be_taken_stands_after_it_although_the_request_says_the_same() {
        let context = inn(silent());
        let (_, search) = greyford(&context);
        let mut made = made(&context, &[(0, "Search_Inns", search), (1, "Find_Town", r#"{"query": "Greyford"}"#)]);
        let steps = |made: &[Made]| arrange(&Tracer::new(&context, TEXT, &[]), made).len();
        assert_eq!(steps(&made), 1);
        made[0].answer = serde_json::from_str(r#"{"data": {"town": "Greyford"}}"#).unwrap();
        made[1].rests_on = vec![made[0].call.clone()];
        assert_eq!(steps(&made), 2);
        let query =
            ComplexQuery { steps: arrange(&Tracer::new(&context, TEXT, &[]), &made), ..coarse(&context, TEXT, &[]) };
        assert_eq!(steps(&made_of(&query)), 2, "steps that become calls again keep it");
    }

    #[test]
    fn steps_become_calls_again_and_the_same_steps() {
        let context = inn(silent());
        let (steps, _) = detour();
        let query = ComplexQuery { steps: steps.clone(), ..coarse(&context, TEXT, &[]) };
        let made = made_of(&query);
        assert_eq!(made.iter().map(|it| it.turn).collect::<Vec<_>>(), [0, 0, 1, 1, 2]);
        assert_eq!(arrange(&Tracer::new(&context, TEXT, &[]), &made), steps);
        assert_eq!(steps.iter().flat_map(|step| &step.calls).count(), 5);
    }

    #[test]
    fn calls_of_one_turn_do_not_feed_each_other() {
        let context = inn(silent());
        let (_, search) = greyford(&context);
        let made = made(&context, &[(0, "Find_Town", r#"{"query": "Greyford"}"#), (0, "Search_Inns", search)]);
        let steps = arrange(&Tracer::new(&context, TEXT, &[]), &made);
        assert_eq!((steps.len(), &steps[0].notes[1]["town_id"].origin), (1, &Origin::Missing));
        assert!(arrange(&Tracer::new(&context, TEXT, &[]), &[]).is_empty());
    }
}

#[cfg(test)]
mod settle_tests {
    use super::super::testing::call;
    use super::*;
    use crate::record::{Tool, Value};
    use std::sync::Arc;

    fn attempt(turn: usize, name: &str, arguments: &str, fault: Option<&'static str>) -> Attempt {
        let tool = (name != "Fly").then(|| Arc::new(Tool { name: name.to_owned(), ..Tool::default() }));
        let fault = fault.map(|reason| Fault::new(reason, "it failed"));
        Attempt { turn, tool, call: call(name, arguments), answer: Value::Null, fault }
    }

    fn settled(attempts: Vec<Attempt>, answer: &str) -> Result<Vec<String>, &'static str> {
        let talked = Talked { attempts, answer: answer.to_owned(), draws: Vec::new() };
        settle(&talked).map(|made| made.into_iter().map(|it| it.call.name).collect()).map_err(|fault| fault.reason)
    }

    #[test]
    fn failed_calls_go_where_they_were_mended_and_equal_ones_count_once() {
        let attempts = vec![
            attempt(0, "Find", "{}", Some("malformed_call")),
            attempt(1, "Find", r#"{"q": 1}"#, None),
            attempt(2, "Fly", "{}", Some("malformed_call")),
            attempt(3, "Find", r#"{"q": 1}"#, None),
            attempt(3, "Book", "{}", None),
        ];
        assert_eq!(settled(attempts, "Done."), Ok(vec!["Find".to_owned(), "Book".to_owned()]));
    }

    #[test]
    fn what_stays_wrong_rejects() {
        let found = || attempt(0, "Find", "{}", None);
        let failing = |turn, reason| attempt(turn, "Book", "{}", Some(reason));
        assert_eq!(settled(vec![failing(0, "error_left"), found()], "Done."), Err("first_step_failed"));
        assert_eq!(settled(vec![found(), failing(1, "error_left")], "Done."), Err("error_left"));
        assert_eq!(settled(vec![found(), failing(1, "malformed_call")], "Done."), Err("malformed_call"));
        assert_eq!(settled(vec![found()], ""), Err("no_answer"));
        assert_eq!(settled(Vec::new(), "Sorry."), Ok(Vec::new()));
    }
}

#[cfg(test)]
mod form_tests {
    use super::super::testing::{call, inn, tool};
    use super::*;
    use crate::stage::testing::silent;

    #[test]
    fn what_is_missing_unknown_or_of_another_type_is_told() {
        let context = inn(silent());
        let search = tool(&context, "Search_Inns");
        let told = |more: &str| {
            let arguments = format!(r#"{{"town_id": "T1", "arrival": "2024-11-01"{more}}}"#);
            check_form(&search, &call("Search_Inns", &arguments)).err().map(|fault| fault.to_string())
        };
        let rest = r#", "departure": "2024-11-02""#;
        assert_eq!(told(rest), None);
        assert_eq!(told("").as_deref(), Some("`departure` is missing"));
        assert_eq!(told(&format!("{rest}, \"colour\": 1")).as_deref(), Some("unknown parameter `colour`"));
        assert_eq!(
            told(&format!("{rest}, \"guests\": \"two\"")).as_deref(),
            Some("invalid value for `guests`: expected number, found \"two\"")
        );
        assert_eq!(
            told(&format!("{rest}, \"sort\": \"name\"")).as_deref(),
            Some("invalid value for `sort`: expected string, found \"name\"")
        );
    }
}

#[cfg(test)]
mod leaves_tests {
    use super::*;
    use crate::gate::pointed;

    fn value(json: &str) -> Value {
        Value::read(json).unwrap()
    }

    #[test]
    fn every_leaf_has_the_place_at_which_it_stands() {
        let answer = value(r#"{"data": [{"id": "T1", "n": null}, {"id": 5, "at": [true]}]}"#);
        let found = leaves(&answer);
        assert_eq!(
            found.iter().map(|(at, _)| at.as_str()).collect::<Vec<_>>(),
            ["/data/0/id", "/data/1/id", "/data/1/at/0"]
        );
        assert!(found.iter().all(|(at, leaf)| pointed(&answer, at) == Some(*leaf)));
        assert_eq!(leaves(&value("7"))[0].0, "");
    }

    #[test]
    fn a_place_becomes_that_of_any_element() {
        assert_eq!(pattern("/data/hotels/13/id"), "/data/hotels/0/id");
        assert_eq!((pattern(""), pattern("/4a/2")), (String::new(), "/4a/0".to_owned()));
    }

    #[test]
    fn short_words_small_numbers_and_flags_tell_nothing() {
        assert!(["\"Rio\"", "4821", "38.751"].iter().all(|json| is_telling(&value(json))));
        assert!(["\"ab\"", "482", "true", "null", "[4821]"].iter().all(|json| !is_telling(&value(json))));
    }
}
