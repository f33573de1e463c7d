//! The rules for FunctionChat-Bench: single calls with their lists of tools, turns of dialogs, and call decisions.

mod decisions;
mod dialogs;
mod words;

use crate::format::Place;
use crate::functionchat::layout::{Acceptable, Set, TypeOfOutput, gold_text};
use crate::gate::check_type;
use crate::lint::entry::Entry;
use crate::lint::finding::{Finding, Findings, Severity};
use crate::lint::hash::hash;
use crate::lint::samples::{Ids, RightScript, candidates, texts};
use crate::lint::{Context, Rule};
use crate::locale::Folded;
use crate::record::{Expected, Parameter, Role, Value, history};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// All of them. The authors' layout does not say how values are said, nor what a question must ask for.
pub fn rules() -> Vec<Box<dyn Rule>> {
    vec![
        Box::new(Ids::default()),
        Box::new(candidates),
        Box::new(texts),
        Box::new(outputs),
        Box::new(Lists::default()),
        Box::new(Repeats::default()),
        Box::new(words::Values::default()),
        Box::new(acceptable),
        Box::new(dialogs::Roles::default()),
        Box::new(dialogs::History::default()),
        Box::new(dialogs::Grammar::default()),
        Box::new(words::completions),
        Box::new(decisions::Slots::default()),
        Box::new(Refusals::default()),
        Box::new(decisions::Decisions::default()),
        Box::new(Prompts::default()),
        Box::new(words::letters),
        Box::new(words::particles),
        Box::new(RightScript::default()),
    ]
}

/// A sample wants what its data type says, and has the words for it where it wants words.
fn outputs(_: &Context, entry: &Entry, findings: &mut Findings) {
    let data_type = entry.sample.data_type.0.as_str();
    let found = TypeOfOutput::of(&entry.sample);
    match wanted(entry) {
        None => findings.error("output", entry, format!("unknown category `{data_type}`")),
        wanted if found != wanted => {
            let name = |output: Option<TypeOfOutput>| output.map_or("steps", TypeOfOutput::as_str);
            let message = format!("`{data_type}` should be a {}, but is a {}", name(wanted), name(found));
            findings.error("output", entry, message);
        }
        Some(_) => right_words(entry, findings),
    }
    let is_noted = !entry.sample.arguments.is_empty() || !entry.sample.acceptable.is_empty();
    if is_noted && found != Some(TypeOfOutput::Call) {
        findings.error("output", entry, "argument notes without an expected call");
    }
}

/// What a sample of this data type should want.
fn wanted(entry: &Entry) -> Option<TypeOfOutput> {
    let data_type = &entry.sample.data_type;
    match (Set::of(data_type), data_type.0.as_str()) {
        (Set::Singlecall, _) | (_, "CALL") => Some(TypeOfOutput::Call),
        (Set::Dialog, name) => TypeOfOutput::named(name),
        (_, "REJECT") => Some(TypeOfOutput::Relevance),
        (_, "SLOT-all" | "SLOT-some") => Some(TypeOfOutput::Slot),
        _ => None,
    }
}

/// Right words say something, and are no call in disguise.
fn right_words(entry: &Entry, findings: &mut Findings) {
    if matches!(entry.sample.expected, Expected::Call(_)) {
        return;
    }
    let text = gold_text(&entry.sample);
    if text.trim().is_empty() {
        findings.error("gold_text", entry, "a text is expected, but the gold text is empty");
    } else if Value::read(text).is_ok_and(|value| value.as_object().is_some()) {
        findings.error("gold_text", entry, format!("the gold text is an object: `{text}`"));
    }
}

/// The lists of each function; memory grows with the functions.
#[derive(Default)]
struct Lists(BTreeMap<(String, String), IndexMap<String, List>>);

/// A list as it was first seen.
struct List {
    names: Vec<String>,
    place: Place,
    id: String,
}

/// How the names of lists with close tools end.
const CLOSE: &str = "_close";

impl Rule for Lists {
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        let sample = &entry.sample;
        let kind = sample.data_type.0.as_str();
        if Set::of(&sample.data_type) != Set::Singlecall {
            return;
        }
        let (found, wanted) = (sample.candidates.len(), length(kind));
        findings.tally("lists have as many tools as their name says", found == wanted);
        if found != wanted {
            findings.error("list_length", entry, format!("`{kind}` has {found} tools; expected {wanted}"));
        }
        let Some(call) = entry.call() else { return };
        let names: Vec<String> = sample.candidates.iter().map(|tool| tool.name.clone()).collect();
        let (place, id) = (entry.place.clone(), sample.id.to_string());
        let lists = self.0.entry((sample.group.clone(), call.name.clone())).or_default();
        let known = lists.entry(kind.to_owned()).or_insert_with(|| List { names: names.clone(), place, id });
        if known.names != names {
            let message = format!("`{kind}` differs from the list of `{}`, a query of the same function", known.id);
            findings.error("shared_list", entry, message);
        }
    }

    fn end(&mut self, _: &Context, findings: &mut Findings) {
        for ((_, function), lists) in &self.0 {
            let mut close: Vec<(&String, &List)> = lists.iter().filter(|(kind, _)| kind.ends_with(CLOSE)).collect();
            close.sort_by_key(|(_, list)| list.names.len());
            close.windows(2).for_each(|pair| nested(function, pair[0], pair[1], findings));
        }
    }
}

/// How many tools a list of this name has.
fn length(kind: &str) -> usize {
    kind.split('_').next().and_then(|count| count.parse().ok()).unwrap_or(1)
}

fn nested(function: &str, (short, list): (&String, &List), (long, other): (&String, &List), findings: &mut Findings) {
    let lone = list.names.iter().find(|name| !other.names.contains(name));
    findings.tally("short lists of close tools are within the longer ones", lone.is_none());
    if let Some(name) = lone {
        let message = format!("`{name}` is in `{short}` of `{function}`, but not in its `{long}`");
        findings.add(Finding::new("nested_list", Severity::Error, &list.place, &list.id, message));
    }
}

/// What was asked before, as hashes, and where.
#[derive(Default)]
struct Repeats(BTreeMap<u64, String>);

impl Rule for Repeats {
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        if !entry.is_last() {
            return;
        }
        let (id, kind) = (entry.sample.id.as_str(), entry.sample.data_type.0.as_str());
        let tools = entry.sample.candidates.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" ");
        let set = Set::of(&entry.sample.data_type);
        let text = Folded::new(&history(&entry.sample.messages)).text();
        // The kind of a dialog's last turn is no matter of what is asked.
        let kind = if set == Set::Dialog { set.as_str() } else { kind };
        let asked = self.0.get(&hash(&[kind, &text]));
        let same = self.0.get(&hash(&[kind, &text, &tools]));
        findings.tally("queries and dialogs are new", asked.is_none());
        match (same, asked) {
            (Some(other), _) => {
                findings.error("duplicate", entry, format!("duplicate of `{other}` with the same tools"));
            }
            (None, Some(other)) if set == Set::Singlecall => {
                findings.error("duplicate", entry, format!("duplicate of `{other}` with another `{kind}`"));
            }
            (None, Some(other)) => {
                findings.warning("duplicate", entry, format!("duplicate of `{other}` with other tools"));
            }
            (None, None) => {}
        }
        for key in [hash(&[kind, &text]), hash(&[kind, &text, &tools])] {
            self.0.entry(key).or_insert_with(|| id.to_owned());
        }
    }
}

/// Values that are as right as the gold one are of its type, are other values, and belong to parameters that there are.
fn acceptable(_: &Context, entry: &Entry, findings: &mut Findings) {
    let (Some(call), Some(tool)) = (entry.call(), entry.tool()) else { return };
    for (name, values) in &entry.sample.acceptable {
        let Some(parameter) = tool.parameters.properties.get(name) else {
            findings.error("acceptable", entry, format!("`{}` has no parameter `{name}`", tool.name));
            continue;
        };
        for value in values {
            let fault = unacceptable(name, parameter, value, call.arguments.get(name));
            findings.check(
                "acceptable values are of the right type, and others than the gold",
                "acceptable",
                entry,
                fault,
            );
        }
    }
    if let Some(note) = Acceptable::of(&entry.sample).note {
        findings.warning("acceptable_note", entry, format!("unknown note: `{note}`"));
    }
}

fn unacceptable(name: &str, parameter: &Parameter, value: &Value, gold: Option<&Value>) -> Option<String> {
    let is_broken = parameter.type_name() == "integer" && value.as_number().is_some_and(|it| !it.is_integer_text());
    if is_broken {
        return Some(format!("{name} = {value} is acceptable, but `{name}` is an integer"));
    }
    if let Err(fault) = check_type(name, parameter, value) {
        return Some(fault.detail);
    }
    // A number in another form is another value: a scorer may tell 3 from 3.0.
    gold.filter(|gold| gold.to_string() == value.to_string())
        .map(|_| format!("{name} = {value} is acceptable, but equals the gold value"))
}

/// The tools that serve each request, and the requests that are declined with the tools that they show; hashes of texts, so
/// that memory grows by little for each sample.
#[derive(Default)]
struct Refusals {
    serving: BTreeMap<u64, BTreeSet<String>>,
    declined: Vec<Declined>,
}

struct Declined {
    place: Place,
    id: String,
    request: u64,
    tools: Vec<String>,
}

impl Rule for Refusals {
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        let request = hash(&[&Folded::new(entry.said().words).text()]);
        if let Some(call) = entry.call() {
            self.serving.entry(request).or_default().insert(call.name.clone());
        }
        if !entry.refuses() {
            return;
        }
        let tools: Vec<String> = entry.sample.candidates.iter().map(|tool| tool.name.clone()).collect();
        if let Some(label) = entry.sample.label.as_ref().filter(|label| tools.contains(&label.name)) {
            findings.error("serves", entry, format!("`{}` is listed, which can serve the request", label.name));
        }
        self.declined.push(Declined { place: entry.place.clone(), id: entry.sample.id.to_string(), request, tools });
    }

    fn end(&mut self, _: &Context, findings: &mut Findings) {
        for declined in &self.declined {
            let serving = self.serving.get(&declined.request);
            let right = declined.tools.iter().find(|name| serving.is_some_and(|tools| tools.contains(*name)));
            findings.tally("what is declined has no tool that serves it elsewhere", right.is_none());
            if let Some(name) = right {
                let message = format!("`{name}` is listed, which serves the same request elsewhere");
                findings.add(Finding::new("serves", Severity::Error, &declined.place, &declined.id, message));
            }
        }
    }
}

/// The instructions of the first sample that has any.
#[derive(Default)]
struct Prompts(Option<String>);

impl Rule for Prompts {
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        let system = entry.sample.messages.iter().find(|message| message.role == Role::System);
        let Some(text) = system.and_then(|message| message.content.as_deref()) else { return };
        if let Some(sentence) = twice(text) {
            findings.warning("doubled_sentence", entry, format!("repeated sentence in the instructions: `{sentence}`"));
        }
        let first = self.0.get_or_insert_with(|| text.to_owned());
        findings.tally("instructions are those of the first sample", first == text);
        if first != text {
            findings.warning(
                "instructions",
                entry,
                "instructions differ from those of the first sample with instructions",
            );
        }
    }
}

/// A sentence that stands twice.
fn twice(text: &str) -> Option<&str> {
    let ends = |letter: char| matches!(letter, '.' | '!' | '?' | '\n' | '。' | '！' | '？');
    let mut seen = BTreeSet::new();
    text.split(ends).map(str::trim).filter(|sentence| !sentence.is_empty()).find(|sentence| !seen.insert(*sentence))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{context, found, found_in};
    pub(crate) use crate::lint::testing::{decision, dialog, entries, single};
    use crate::record::Sample;

    #[test]
    fn a_sound_bench_keeps_every_rule() {
        let mut samples: Vec<_> =
            ["exact", "2_random", "2_close"].map(|kind| single(&format!("s/{kind}"), kind)).into();
        samples.extend(dialog());
        samples.extend(["CALL", "REJECT", "SLOT-all", "SLOT-some"].map(decision));
        assert_eq!(found(rules(), &entries(samples.clone())), Vec::<String>::new());
        assert_eq!(found_in(&context("en", true), rules(), &entries(samples)), Vec::<String>::new());
    }

    mod outputs {
        use super::*;

        fn told(mut sample: Sample, change: impl FnOnce(&mut Sample)) -> Vec<String> {
            change(&mut sample);
            found(outputs, &entries(vec![sample]))
        }

        #[test]
        fn a_data_type_says_what_is_right() {
            let all = [dialog(), vec![single("a", "exact"), decision("REJECT"), decision("SLOT-some")]].concat();
            assert_eq!(found(outputs, &entries(all)), Vec::<String>::new());
            let asked = told(decision("CALL"), |it| it.expected = Expected::Question(vec!["pier".to_owned()]));
            assert_eq!(asked, ["output: `CALL` should be a call, but is a slot"]);
            let called = told(decision("SLOT-all"), |it| it.expected = decision("CALL").expected);
            assert_eq!(called, ["output: `SLOT-all` should be a slot, but is a call"]);
            assert_eq!(told(decision("MAYBE"), |_| ()), ["output: unknown category `MAYBE`"]);
        }

        #[test]
        fn right_words_are_words() {
            let text = |text: &'static str| {
                told(decision("REJECT"), |it| drop(it.provenance.facts.insert("gold_text".to_owned(), text.to_owned())))
            };
            assert_eq!(text(" "), ["gold_text: a text is expected, but the gold text is empty"]);
            assert_eq!(text("{\"name\": \"f\"}").len(), 1);
        }

        #[test]
        fn only_a_call_has_notes() {
            let noted = told(decision("REJECT"), |it| drop(it.acceptable.insert("pier".to_owned(), Vec::new())));
            assert_eq!(noted, ["output: argument notes without an expected call"]);
        }
    }

    mod lists {
        use super::*;
        use proptest::prelude::*;

        #[test]
        fn a_list_is_as_long_as_it_says() {
            let mut long = single("a", "exact");
            long.candidates.extend(single("b", "2_random").candidates);
            let samples = vec![long, single("c", "1_exact"), decision("CALL")];
            let told = found(Lists::default(), &entries(samples));
            assert_eq!(
                told,
                ["list_length: `exact` has 3 tools; expected 1", "list_length: `1_exact` has 2 tools; expected 1"]
            );
        }

        #[test]
        fn queries_of_a_function_share_their_lists() {
            let mut other = single("b", "2_close");
            other.candidates.reverse();
            let told = found(Lists::default(), &entries(vec![single("a", "2_close"), other]));
            assert_eq!(told, ["shared_list: `2_close` differs from the list of `a`, a query of the same function"]);
        }

        #[test]
        fn close_lists_are_nested() {
            let mut long = single("b", "3_close");
            long.candidates = decision("REJECT").candidates;
            long.candidates[0] = single("c", "exact").candidates[0].clone();
            let told = found(Lists::default(), &entries(vec![single("a", "2_close"), long]));
            assert_eq!(told, ["nested_list: `find_barge` is in `2_close` of `find_boat`, but not in its `3_close`"]);
        }

        proptest! {
            #[test]
            fn any_length_but_the_right_one_is_told(wanted in 1_usize..12, found_length in 1_usize..12) {
                let mut sample = single("a", &format!("{wanted}_random"));
                let tool = sample.candidates[1].clone();
                sample.candidates = vec![tool; found_length];
                let told = found(Lists::default(), &entries(vec![sample]));
                prop_assert_eq!(told.len(), usize::from(wanted != found_length));
            }
        }
    }

    mod repeats {
        use super::*;

        fn told(samples: Vec<Sample>) -> Vec<String> {
            found(Repeats::default(), &entries(samples))
        }

        #[test]
        fn a_query_comes_once_in_a_list_and_again_in_others() {
            assert_eq!(
                told(vec![single("a", "exact"), single("a/1", "2_close"), decision("CALL")]),
                Vec::<String>::new()
            );
            let mut louder = single("b", "exact");
            louder.messages[0].content = louder.messages[0].content.take().map(|text| text.to_uppercase());
            assert_eq!(told(vec![single("a", "exact"), louder]), ["duplicate: duplicate of `a` with the same tools"]);
        }

        #[test]
        fn a_decision_with_other_tools_is_only_shown() {
            let mut other = decision("SLOT-all");
            other.candidates.reverse();
            let told = told(vec![decision("SLOT-all"), other]);
            assert_eq!(told, ["duplicate: duplicate of `find_boat/SLOT-all/0` with other tools"]);
        }

        #[test]
        fn a_dialog_is_one_thing() {
            assert_eq!(told(dialog()), Vec::<String>::new());
            assert_eq!(told([dialog(), dialog()].concat()), ["duplicate: duplicate of `dialog/3` with the same tools"]);
        }
    }

    mod acceptable {
        use super::*;
        use crate::functionchat::layout::NOTE_FACT;
        use proptest::prelude::*;

        fn told(name: &str, value: &str) -> Vec<String> {
            let mut sample = single("a", "exact");
            sample.acceptable.insert(name.to_owned(), vec![Value::read(value).unwrap()]);
            found(acceptable, &entries(vec![sample]))
        }

        #[test]
        fn other_values_are_of_the_same_type() {
            assert_eq!(told("pier", "\"Hill pier\""), Vec::<String>::new());
            assert_eq!(told("pier", "3"), ["acceptable: pier = 3 is no string"]);
            assert_eq!(told("boats", "2.0"), ["acceptable: boats = 2.0 is acceptable, but `boats` is an integer"]);
            assert_eq!(
                told("pier", "\"Hill\""),
                ["acceptable: pier = \"Hill\" is acceptable, but equals the gold value"]
            );
            assert_eq!(told("sail", "1"), ["acceptable: `find_boat` has no parameter `sail`"]);
            assert_eq!(told("covered", "false"), Vec::<String>::new(), "an optional value may be given");
        }

        #[test]
        fn a_free_note_is_shown() {
            let mut sample = single("a", "exact");
            sample.provenance.facts.insert(NOTE_FACT.to_owned(), "be kind".to_owned());
            assert_eq!(found(acceptable, &entries(vec![sample])), ["acceptable_note: unknown note: `be kind`"]);
        }

        proptest! {
            #[test]
            fn a_text_that_is_not_the_gold_one_is_no_fault(text in "[a-z]{1,8}") {
                let found = told("pier", &format!("\"{text}\""));
                prop_assert_eq!(found, Vec::<String>::new());
            }
        }
    }

    mod refusals {
        use super::*;
        use crate::record::Expected;

        #[test]
        fn a_tool_that_serves_elsewhere_is_not_offered() {
            let sound = vec![single("a", "exact"), decision("REJECT")];
            assert_eq!(found(Refusals::default(), &entries(sound)), Vec::<String>::new());
            let mut offered = decision("REJECT");
            offered.candidates.push(single("b", "exact").candidates[0].clone());
            let told = found(Refusals::default(), &entries(vec![offered.clone(), single("a", "exact")]));
            assert_eq!(told, ["serves: `find_boat` is listed, which serves the same request elsewhere"]);
            offered.messages[0].content = Some("Sing".to_owned());
            assert_eq!(found(Refusals::default(), &entries(vec![offered, single("a", "exact")])), Vec::<String>::new());
        }

        #[test]
        fn the_call_that_a_label_names_is_not_offered() {
            let mut offered = decision("CALL");
            let Expected::Call(call) = std::mem::replace(&mut offered.expected, Expected::Refusal) else { panic!() };
            offered.label = Some(call);
            let told = found(Refusals::default(), &entries(vec![offered]));
            assert_eq!(told, ["serves: `find_boat` is listed, which can serve the request"]);
        }
    }

    mod prompts {
        use super::*;
        use crate::record::Message;

        fn told(instructions: &[&str]) -> Vec<String> {
            let of = |text: &&str| -> Sample {
                let mut sample = decision("CALL");
                sample.messages.insert(0, Message::new(Role::System, *text));
                sample
            };
            found(Prompts::default(), &entries(instructions.iter().map(of).collect()))
        }

        #[test]
        fn instructions_are_the_same_everywhere() {
            assert_eq!(told(&["Be kind. Ask.", "Be kind. Ask."]), Vec::<String>::new());
            let other = told(&["Be kind.", "Be quick."]);
            assert_eq!(other, ["instructions: instructions differ from those of the first sample with instructions"]);
            assert_eq!(found(Prompts::default(), &entries(vec![decision("CALL")])), Vec::<String>::new());
        }

        #[test]
        fn a_sentence_stands_once() {
            assert_eq!(
                told(&["Ask. Be kind. Ask. "]),
                ["doubled_sentence: repeated sentence in the instructions: `Ask`"]
            );
            assert_eq!(twice("묻는다。말한다。묻는다。"), Some("묻는다"));
            assert_eq!(twice("One. Two. Three."), None);
        }
    }
}
