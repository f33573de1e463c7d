//! The rules that samples of several suites share.

use crate::bfcl::metric::{Call, Category, Item, Manner, spoken};
use crate::format::Place;
use crate::gate::unsourced;
use crate::lint::calls::{MODES, item, perfect};
use crate::lint::entry::{Called, Entry};
use crate::lint::finding::{Finding, Findings, Severity};
use crate::lint::hash::hash;
use crate::lint::{Context, Rule};
use crate::locale::right_script;
use crate::python::syntax::is_keyword;
use crate::record::{Expected, FunctionCall, Message, Origin, PLACEHOLDER, Role, SuiteId, Tool, Value};
use std::collections::BTreeSet;
use std::ops::Range;

/// The ids so far; memory grows by one hash for each sample.
#[derive(Default)]
pub struct Ids(BTreeSet<u64>);

impl Rule for Ids {
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        let id = entry.sample.id.as_str();
        if id.trim().is_empty() {
            findings.error("id", entry, "empty id");
        } else if !self.0.insert(hash(&[id])) {
            findings.error("id", entry, "duplicate id");
        }
    }
}

/// The right tool is among the candidates once, or not at all where a model must refuse.
pub fn candidates(_: &Context, entry: &Entry, findings: &mut Findings) {
    let tools = &entry.sample.candidates;
    let double = tools.iter().enumerate().find(|(at, tool)| tools[..*at].iter().any(|other| other.name == tool.name));
    if let Some((_, tool)) = double {
        findings.error("tool_names", entry, format!("tool `{}` is listed twice", tool.name));
    }
    if tools.iter().any(|tool| tool.name.trim().is_empty()) {
        findings.error("tool_names", entry, "a listed tool has no name");
    }
    let Some((name, wanted)) = shown(entry) else { return };
    let times = tools.iter().filter(|tool| tool.name == name).count();
    if times != wanted {
        let message = format!("`{name}` is listed {times} times; expected {wanted}");
        findings.error("gold", entry, message);
    }
}

/// A tool and how often it must be shown. After a shift the tools are still those of the old intent.
fn shown(entry: &Entry) -> Option<(&str, usize)> {
    let named = |tool: &'_ str| !tool.is_empty();
    match (entry.call(), &entry.sample.snapshot, &entry.sample.label) {
        (Some(call), ..) => Some((&call.name, 1)),
        (None, Some(snapshot), _) => Some((snapshot.tool.as_str(), 1)).filter(|(name, _)| named(name)),
        (None, None, Some(label)) => Some((&label.name, 0)),
        (None, None, None) => None,
    }
}

/// Nobody says nothing.
pub fn texts(_: &Context, entry: &Entry, findings: &mut Findings) {
    let messages = &entry.sample.messages;
    if !messages.iter().any(|message| message.role == Role::User) {
        findings.error("empty", entry, "no user message");
        return;
    }
    if let Some(at) = messages.iter().position(is_empty) {
        findings.error("empty", entry, format!("message {} is empty", at + 1));
    } else if entry.said().words.trim().is_empty() {
        findings.error("empty", entry, "external text without a request");
    }
    if messages.last().is_some_and(|message| message.role == Role::Assistant) {
        findings.error("last_speaker", entry, "the last message is by the assistant; expected a user or tool message");
    }
}

fn is_empty(message: &Message) -> bool {
    message.tool_calls.is_empty() && message.content.as_ref().is_none_or(|content| content.trim().is_empty())
}

/// Particles behind values agree with the last sound of the value.
pub fn particles(context: &Context, entry: &Entry, findings: &mut Findings) {
    let said = entry.said();
    for name in entry.fresh() {
        let note = entry.sample.arguments.get(name);
        let Some(surface) = note.and_then(|note| note.surface.as_deref()).filter(|it| !it.is_empty()) else {
            continue;
        };
        for text in [Some(said.words), said.external].into_iter().flatten() {
            particles_behind(context, surface, text, entry, findings);
        }
    }
}

/// Every place where the value stands as a word of its own, or as the beginning of one.
pub(crate) fn particles_behind(context: &Context, surface: &str, text: &str, entry: &Entry, findings: &mut Findings) {
    for (at, _) in text.match_indices(surface) {
        let (before, rest) = (text.get(..at).unwrap_or_default(), text.get(at + surface.len()..).unwrap_or_default());
        if before.chars().next_back().is_some_and(char::is_alphanumeric) {
            continue;
        }
        let Some(agreement) = context.ground.particles.agreement(surface, rest) else { continue };
        let agrees = agreement.found == agreement.expected;
        findings.tally("particles agree with the value before them", agrees);
        if !agrees {
            let (found, expected) = (agreement.found, agreement.expected);
            let message = format!("`{surface}{found}` in `{text}`; expected `{surface}{expected}`");
            findings.error("particle", entry, message);
        }
    }
}

/// Least share of user texts in the right letters.
const LEAST: f64 = 0.99;

/// Counts texts; a name in other letters is nobody's fault, many texts in other letters are.
#[derive(Default)]
pub struct RightScript {
    texts: u32,
    wrong: u32,
    first: Option<(Place, String)>,
}

impl Rule for RightScript {
    fn see(&mut self, context: &Context, entry: &Entry, findings: &mut Findings) {
        let said = entry.said();
        let is_right = |text: &str| right_script(text, &context.ground.language, &values(entry, text));
        let right = is_right(said.words) && said.external.is_none_or(is_right);
        findings.tally("user texts are in the right script", right);
        self.texts += 1;
        if !right {
            self.wrong += 1;
            self.first.get_or_insert_with(|| (entry.place.clone(), entry.sample.id.to_string()));
            let expected = &context.ground.language.name;
            findings.warning("script", entry, format!("`{}` is not in {expected} script", said.words));
        }
    }

    fn end(&mut self, _: &Context, findings: &mut Findings) {
        let share = 1.0 - f64::from(self.wrong) / f64::from(self.texts.max(1));
        if let (Some((place, id)), true) = (&self.first, share < LEAST) {
            let message = format!("{:.1} % of the user texts are in the locale's script; expected 99 %", share * 100.0);
            findings.add(Finding::new("script_share", Severity::Error, place, id, message));
        }
    }
}

/// Where the text says a value; names keep their letters.
fn values(entry: &Entry, text: &str) -> Vec<Range<usize>> {
    let of_steps = entry.calls().into_iter().filter_map(|called| called.notes).flat_map(indexmap::IndexMap::values);
    let notes = entry.sample.arguments.values().chain(of_steps);
    let surfaces = notes.filter_map(|note| note.surface.as_deref());
    let places = surfaces.filter(|surface| !surface.is_empty()).flat_map(|surface| text.match_indices(surface));
    places.map(|(at, surface)| at..at + surface.len()).collect()
}

/// Every value of a right call has a source: an identifier stands before the call, any other value has an origin. The authors'
/// layouts leave out answers and origins, so that there an identifier without a source is no more than a warning, and of
/// other values nothing can be said.
pub fn sources(context: &Context, entry: &Entry, findings: &mut Findings) {
    // Without its question nobody knows what stands before a call.
    if entry.sample.messages.is_empty() {
        return;
    }
    let found = unsourced(&entry.sample);
    if !entry.calls().is_empty() {
        findings.tally("identifiers stand before the call that uses them", found.is_empty());
    }
    for value in found {
        context.put(findings, "source", entry, format!("{value} does not appear before the call"));
    }
    if context.is_authors {
        return;
    }
    for called in entry.calls() {
        for (name, _) in
            called.call.arguments.iter().filter(|(name, value)| !has_origin(context, entry, &called, name, value))
        {
            findings.warning("origin", entry, format!("no provenance for {}.{name}", called.call.name));
        }
    }
}

/// Whether a note says where a value comes from, or a text says it, or the tool lists it.
fn has_origin(context: &Context, entry: &Entry, called: &Called<'_>, name: &str, value: &Value) -> bool {
    if let Some(note) = called.notes.and_then(|notes| notes.get(name)) {
        return note.origin != Origin::Missing || value.as_str() == Some(PLACEHOLDER);
    }
    let is_empty = value.is_null() || value.as_str() == Some("");
    is_empty || is_said(context, entry, called.call, name, value)
}

fn is_said(context: &Context, entry: &Entry, call: &FunctionCall, name: &str, value: &Value) -> bool {
    let Some(tool) = entry.candidate(&call.name) else { return true };
    let listed = tool.parameters.properties.get(name).and_then(|it| it.values.as_ref());
    let is_listed = listed.is_some_and(|values| values.iter().any(|it| Value::from(it.clone()) == *value));
    let texts = || entry.sample.messages.iter().filter_map(|message| message.content.as_deref());
    is_listed || texts().any(|text| context.ground.says(tool, name, value, text).is_some())
}

/// How long a name may be that servers take.
const LONGEST: usize = 64;

/// Tells of each tool once, in the first sample that offers it.
#[derive(Default)]
pub struct Names(BTreeSet<u64>);

impl Rule for Names {
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        for tool in &entry.sample.candidates {
            if self.0.insert(hash(&[&tool.name])) {
                for fault in name_faults(tool) {
                    findings.warning("names", entry, fault);
                }
            }
        }
    }
}

fn name_faults(tool: &Tool) -> Vec<String> {
    let mut faults = Vec::new();
    if !tool.name.split('.').all(is_name) {
        faults.push(format!("`{}` is not a dotted Python name: no text can call it", tool.name));
    }
    // Dots are put as underscores where servers are asked.
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    if tool.name.len() > LONGEST || !tool.name.bytes().all(is_letter) {
        faults.push(format!(
            "`{}` is not a valid native tool name: at most {LONGEST} letters, digits, `_` and `-`",
            tool.name
        ));
    }
    let odd = tool.parameters.properties.keys().filter(|name| !is_name(name));
    faults.extend(odd.map(|name| format!("`{name}` of `{}` is not a Python name: no text can pass it", tool.name)));
    faults
}

fn is_name(name: &str) -> bool {
    let begins = |letter: char| letter == '_' || letter.is_alphabetic();
    name.starts_with(begins) && name.chars().all(|letter| begins(letter) || letter.is_numeric()) && !is_keyword(name)
}

/// Items that BFCL's checker judges can be satisfied: some call made of their own answers passes it, written and native.
pub fn satisfiable(_: &Context, entry: &Entry, findings: &mut Findings) {
    if !wants_calls(entry) {
        return;
    }
    let Some(item) = item(&entry.sample) else {
        findings.error("satisfiable", entry, "no accepted answers");
        return;
    };
    let calls = perfect(&item);
    findings.tally("items that a call of their own answers satisfies", calls.is_ok());
    match calls {
        Err(fault) => findings.error("satisfiable", entry, format!("no prediction can pass: {fault}")),
        Ok(calls) => unwritten(entry, &item, &calls, findings),
    }
}

/// Whether calls are wanted that are judged here.
fn wants_calls(entry: &Entry) -> bool {
    if entry.sample.suite != SuiteId::Bfcl {
        return !matches!(entry.sample.expected, Expected::Acts(_));
    }
    let manner = Category::of_name(&entry.sample.data_type.0).map_or(Manner::Elsewhere, Category::manner);
    matches!(manner, Manner::Simple | Manner::Multiple | Manner::Parallel)
}

/// What stands in the way of the same calls as a text (names that Python cannot read, or a first match that takes the second
/// one's call), and as native calls.
fn unwritten(entry: &Entry, item: &Item, calls: &[Call<'_>], findings: &mut Findings) {
    let fails = |is_text: bool| {
        MODES
            .iter()
            .filter(move |mode| mode.name.starts_with("text") == is_text)
            .find(|mode| !mode.judge(item, calls).is_valid())
    };
    let (text, native) = (fails(true), fails(false));
    findings.tally("items that the same call satisfies as a text", text.is_none());
    findings.tally("items that the same call satisfies as a native one", native.is_none());
    if let Some(mode) = text {
        findings.warning(
            "written",
            entry,
            format!("not accepted as text by the rules of `{}`: {}", mode.name, spoken(calls)),
        );
    }
    if let Some(mode) = native {
        findings.warning(
            "native",
            entry,
            format!("not accepted as a native call by the rules of `{}`: {}", mode.name, spoken(calls)),
        );
    }
}

/// Whether the words say what a note names as a value's surface; several leaves are parted by commas.
pub(crate) fn is_there(words: &str, surface: &str) -> bool {
    words.contains(surface) || surface.split(", ").all(|part| words.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{context, findings, found, found_in};
    use crate::lint::testing::{entry, said, sample, snapshots};

    mod ids {
        use super::*;

        #[test]
        fn an_id_comes_once_and_says_something() {
            let entries = ["a", "b", "a", " "].map(|id| entry(sample(id, "ST_Perfect")));
            let found = found(Ids::default(), &entries);
            assert_eq!(found.len(), 2);
            assert!(found[0].contains("duplicate id") && found[1].contains("empty"), "{found:?}");
        }
    }

    mod candidates {
        use super::*;
        use crate::record::Expected;

        #[test]
        fn the_right_tool_is_shown_once() {
            let mut missing = sample("a", "ST_Perfect");
            missing.candidates.remove(1);
            let mut double = sample("b", "ST_Perfect");
            double.candidates.push(double.candidates[1].clone());
            let entries = [entry(sample("c", "ST_Perfect")), entry(missing), entry(double)];
            assert_eq!(
                found(candidates, &entries),
                [
                    "gold: `A.B.book` is listed 0 times; expected 1",
                    "gold: `A.B.book` is listed 2 times; expected 1",
                    "tool_names: tool `A.B.book` is listed twice",
                ]
            );
        }

        #[test]
        fn a_refused_query_does_not_show_it_and_a_shift_does() {
            let mut twin = sample("a", "ir_ST_Perfect");
            let Expected::Call(call) = std::mem::replace(&mut twin.expected, Expected::Refusal) else {
                panic!("no call")
            };
            twin.label = Some(call);
            assert_eq!(found(candidates, &[entry(twin)]), ["gold: `A.B.book` is listed 1 times; expected 0"]);
            let mut shift = snapshots("s/0", "IS", &["{}", "{}"]);
            shift[1].sample.expected = Expected::Refusal;
            assert_eq!(found(candidates, &shift), Vec::<String>::new());
        }

        #[test]
        fn a_tool_needs_a_name() {
            let mut nameless = sample("a", "ST_Perfect");
            nameless.candidates[0] = std::sync::Arc::default();
            assert_eq!(found(candidates, &[entry(nameless)]), ["tool_names: a listed tool has no name"]);
        }
    }

    mod texts {
        use super::*;

        #[test]
        fn silence_is_found() {
            let mut silent = sample("a", "ST_Perfect");
            silent.messages.clear();
            let mut answered = sample("b", "ST_Perfect");
            answered.messages.push(Message::new(Role::Assistant, "Done."));
            let blank = said("c", "ST_Perfect", " \n", "{}");
            let pointless = said("d", "ST_External", "EK:Noon.\nquery: ", "{}");
            let entries = [silent, answered, blank, pointless, sample("e", "ST_Perfect")].map(entry);
            let mut found = found(texts, &entries);
            found.sort();
            assert_eq!(
                found,
                [
                    "empty: external text without a request",
                    "empty: message 1 is empty",
                    "empty: no user message",
                    "last_speaker: the last message is by the assistant; expected a user or tool message",
                ]
            );
        }
    }

    mod particles {
        use super::*;
        use crate::record::{Argument, Origin};

        fn of(words: &str, surface: &str) -> Vec<String> {
            let mut sample = said("a", "ST_Perfect", words, &format!(r#"{{"to": "{surface}"}}"#));
            let note = Argument { surface: Some(surface.to_owned()), origin: Origin::Verbatim, ..Argument::default() };
            sample.arguments.insert("to".to_owned(), note);
            found_in(&context("ko", false), particles, &[entry(sample)])
        }

        #[test]
        fn a_particle_follows_the_last_sound_of_a_value() {
            assert_eq!(of("부산으로 가는 표 사 줘", "부산"), Vec::<String>::new());
            assert_eq!(
                of("부산로 가는 표 사 줘", "부산"),
                ["particle: `부산로` in `부산로 가는 표 사 줘`; expected `부산으로`"]
            );
            assert_eq!(of("EK:제주이 좋아요.\nquery:쪽지에 있는 데로", "제주").len(), 1);
        }

        #[test]
        fn within_another_word_it_is_not_looked_at() {
            assert_eq!(of("신부산로 가 줘", "부산"), Vec::<String>::new());
            assert_eq!(of("부산역을 찾아 줘", "부산"), Vec::<String>::new());
        }
    }

    mod script {
        use super::*;
        use crate::record::{Argument, Origin};

        fn of(words: &[&str], surface: &str) -> Vec<String> {
            let entries = words.iter().map(|words| {
                let mut sample = said("a", "ST_Perfect", words, r#"{"to": "x"}"#);
                let note =
                    Argument { surface: Some(surface.to_owned()), origin: Origin::Verbatim, ..Argument::default() };
                sample.arguments.insert("to".to_owned(), note);
                entry(sample)
            });
            found_in(&context("zh", false), RightScript::default(), &entries.collect::<Vec<_>>())
        }

        #[test]
        fn a_text_in_other_letters_is_shown_and_many_are_a_fault() {
            let found = of(&["订一张票", "book a seat"], "");
            assert!(found[0].starts_with("script: `book a seat`"), "{found:?}");
            assert_eq!(found[1], "script_share: 50.0 % of the user texts are in the locale's script; expected 99 %");
            assert_eq!(of(&["订一张票"; 3], ""), Vec::<String>::new());
        }

        #[test]
        fn values_keep_their_letters() {
            assert_eq!(of(&["放Call Me Maybe Right Now"], "Call Me Maybe Right Now"), Vec::<String>::new());
        }
    }

    mod sources {
        use super::*;
        use crate::record::{Argument, Sample};

        fn found(sample: Sample, is_authors: bool) -> Vec<(&'static str, Severity)> {
            let findings = findings(&context("en", is_authors), sources, &[entry(sample)]);
            findings.rules().map(|(rule, severity, ..)| (rule, severity)).collect()
        }

        fn noted(text: &str, arguments: &str, name: &str, origin: Origin) -> Sample {
            let mut sample = said("a", "ST_Perfect", text, arguments);
            sample.arguments.insert(name.to_owned(), Argument { origin, ..Argument::default() });
            sample
        }

        #[test]
        fn an_identifier_that_nobody_gave_is_an_error_and_any_other_value_a_warning() {
            let (words, call) = ("2 seats to PRT-77", r#"{"to": "PRT-77", "seats": 2}"#);
            assert_eq!(found(said("a", "ST_Perfect", words, call), false), []);
            let lost = said("a", "ST_Perfect", "2 seats", call);
            let both = [("source", Severity::Error), ("origin", Severity::Warning)];
            assert_eq!(found(lost.clone(), false), both);
            assert_eq!(found(lost, true), [("source", Severity::Warning)], "the authors' layout says less");
            let silent = said("a", "ST_Perfect", "seats to Porto", r#"{"to": "Porto", "seats": 2}"#);
            assert_eq!(found(silent, false), [("origin", Severity::Warning)]);
        }

        #[test]
        fn every_origin_will_do_but_none_at_all() {
            let (words, call) = ("seats to Porto", r#"{"to": "Porto", "seats": 2}"#);
            for origin in [Origin::Default, Origin::Inferred, Origin::Normalised] {
                assert_eq!(found(noted(words, call, "seats", origin), false), []);
            }
            assert_eq!(found(noted(words, call, "seats", Origin::Missing), false), [("origin", Severity::Warning)]);
            let answer = Origin::Answer { call: 0, field: "/seats".to_owned() };
            assert_eq!(found(noted(words, call, "seats", answer), false), [("source", Severity::Error)]);
        }
    }

    mod names {
        use super::*;
        use crate::confetti::layout::testing::call_item;
        use std::sync::Arc;

        fn told(name: &str, parameter: Option<&str>) -> Vec<String> {
            let mut sample = call_item("t/0", 0);
            let tool = Arc::make_mut(&mut sample.candidates[1]);
            name.clone_into(&mut tool.name);
            tool.parameters.properties.shift_remove("class");
            tool.parameters
                .properties
                .extend(parameter.map(|name| (name.to_owned(), crate::record::Parameter::default())));
            sample.candidates.retain(|tool| tool.name == name);
            found(Names::default(), &[entry(sample.clone()), entry(sample)])
        }

        #[test]
        fn each_tool_is_told_of_once() {
            assert_eq!(told("Travel_book_seats", None), Vec::<String>::new());
            assert_eq!(told("a.b.c_1", Some("from")).len(), 1);
            assert!(told("a_b", Some("class"))[0].starts_with("names: `class` of `a_b` is not a Python name"));
        }

        #[test]
        fn names_that_no_text_or_no_server_can_hold_are_told() {
            for (name, count) in [("a.if", 1), ("a-b", 1), ("a b", 2), ("한", 1), (&"a".repeat(65), 1), ("a..b", 1)] {
                assert_eq!(told(name, None).len(), count, "{name}");
            }
        }
    }

    mod bfcl {
        use super::*;
        use crate::confetti::layout::testing::{act_item, call_item};

        fn of(parameter: &str, kind: &str, accepted: &str) -> Vec<String> {
            of_category("live_simple", parameter, kind, accepted)
        }

        fn of_category(category: &str, parameter: &str, kind: &str, accepted: &str) -> Vec<String> {
            let line = format!(
                r#"{{"id": "x_0-0-0", "question": "x", "function": {{"name": "f", "parameters": {{"properties": {{"{parameter}": {{"type": "{kind}", "items": {{"type": "string"}}}}}}, "required": ["{parameter}"]}}}}, "ground_truth": [{{"f": {accepted}}}]}}"#
            );
            let sample = crate::bfcl::layout::Entry::read(&line).unwrap().into_sample(category, "en");
            found(satisfiable, &[entry(sample)])
        }

        #[test]
        fn an_item_that_its_own_answers_satisfy_is_sound() {
            assert_eq!(of("a", "string", r#"{"a": ["x", ""]}"#), Vec::<String>::new());
            let samples = [call_item("t/0", 1), act_item("t/1", &["agent_other"])];
            assert_eq!(found(satisfiable, &samples.map(entry)), Vec::<String>::new());
        }

        /// The forms of the five items of BFCL's own that nothing satisfies.
        #[test]
        fn what_no_prediction_can_satisfy_is_told() {
            let told = |found: Vec<String>| found.join("; ");
            // live_simple_106-63-0 and live_simple_112-68-0: the marker alone for a list that is required.
            assert_eq!(
                told(of("a", "array", r#"{"a": [""]}"#)),
                "satisfiable: no prediction can pass: no accepted value of `a` passes the checker"
            );
            // live_multiple_507-149-4 and live_multiple_964-207-0: nothing is accepted for what is required.
            assert!(
                told(of_category("live_multiple", "a", "string", "{}"))
                    .ends_with("`a` is required but has no accepted value")
            );
            // live_multiple_862-181-3: a value of what the function does not have.
            assert!(
                told(of_category("live_multiple", "a", "string", r#"{"a": ["x"], "b": [1]}"#))
                    .contains("`b` is expected")
            );
            assert!(told(of("a", "object", r#"{"a": [{"k": [1]}]}"#)).ends_with("passes the checker (upstream)"));
        }

        #[test]
        fn a_conversations_call_that_its_function_does_not_take_is_told() {
            let mut sample = call_item("t/0", 1);
            let Expected::Call(call) = &mut sample.expected else { panic!("a call") };
            call.arguments.shift_remove("to");
            assert!(found(satisfiable, &[entry(sample)])[0].contains("`to` is required"));
        }

        #[test]
        fn a_name_that_python_keeps_for_itself_cannot_be_written() {
            let told = of("class", "string", r#"{"class": ["x"]}"#);
            assert_eq!(told, ["written: not accepted as text by the rules of `text, upstream`: [f(class='x')]"]);
        }
    }
}
