//! Rules for what is said and told: values of calls, what an assistant tells, letters and particles.

use crate::functionchat::layout::gold_text;
use crate::gate::{check_script, check_told, check_type, stands};
use crate::lint::entry::Entry;
use crate::lint::finding::Findings;
use crate::lint::hash::hash;
use crate::lint::samples::particles_behind;
use crate::lint::{Context, Rule};
use crate::locale::{Language, numbers_in};
use crate::record::{Argument, Expected, FunctionCall, Message, Object, Origin, Role, Tool, Value};
use std::collections::BTreeSet;
use std::ops::Range;
use unicode_normalization::is_nfc;

/// A call has the form that its function asks for, and every value was said in some turn of the person, or answered by a tool.
/// Requests that were looked at, as hashes: each list of tools shows them again.
#[derive(Default)]
pub(super) struct Values(BTreeSet<u64>);

/// Whether the value, or one that is as right, stands where it should.
fn is_grounded(context: &Context, entry: &Entry, tool: &Tool, name: &str, value: &Value) -> bool {
    let note = entry.sample.arguments.get(name);
    let others = entry.sample.acceptable.get(name).into_iter().flatten();
    let mut right = std::iter::once(value).chain(others);
    let said = |value: &Value| entry.user_texts().any(|text| says(context, tool, name, value, text));
    match note.map(|note| &note.origin) {
        Some(Origin::Inferred | Origin::Default) => true,
        Some(Origin::Answer { .. }) => is_answered(entry, value),
        _ => right.any(said) || is_listed(entry, value) || is_answered(entry, value),
    }
}

/// Whether a text says a value; the authors' functions do not declare in which form they want it.
fn says(context: &Context, tool: &Tool, name: &str, value: &Value, text: &str) -> bool {
    let parameter = tool.parameters.properties.get(name).filter(|_| context.is_authors);
    let stands = parameter
        .and_then(|parameter| stands((tool, name, parameter), value, text, (&[], None), &context.ground.language));
    stands.is_some() || context.ground.says(tool, name, value, text).is_some()
}

/// Whether the value is a list in a text, each part of which the person says.
fn is_listed(entry: &Entry, value: &Value) -> bool {
    let said = |part: &str| entry.user_texts().any(|text| text.contains(part.trim()));
    value.as_str().is_some_and(|text| text.contains(',') && text.split(',').all(said))
}

/// Whether a tool, or the assistant after it, has said the value before.
fn is_answered(entry: &Entry, value: &Value) -> bool {
    let plain = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let earlier = entry.sample.messages.iter().filter(|message| matches!(message.role, Role::Tool | Role::Assistant));
    earlier.filter_map(|message| message.content.as_deref()).any(|content| content.contains(&plain))
}

impl Rule for Values {
    fn see(&mut self, context: &Context, entry: &Entry, findings: &mut Findings) {
        let (Some(call), Some(tool)) = (entry.call(), entry.tool()) else { return };
        let said = entry.user_texts().collect::<Vec<_>>().join("\n");
        if !self.0.insert(hash(&[&said, &serde_json::to_string(call).unwrap_or_default()])) {
            return;
        }
        for name in tool.parameters.required.iter().filter(|name| !call.arguments.contains_key(*name)) {
            findings.error("required", entry, format!("missing required parameter `{name}` of `{}`", tool.name));
        }
        for (name, value) in &call.arguments {
            let Some(parameter) = tool.parameters.properties.get(name) else {
                findings.error("parameter", entry, format!("`{}` has no parameter `{name}`", tool.name));
                continue;
            };
            if let Err(fault) = check_type(name, parameter, value) {
                findings.error("type", entry, fault.detail);
            }
            let is_grounded = is_grounded(context, entry, tool, name, value);
            findings.tally("values stand in what was said", is_grounded);
            if !is_grounded {
                // The layout of the authors does not say how people say flags, dates and units.
                context.put(findings, "value", entry, format!("{name} = {value} does not occur in the dialog"));
            }
            stale(entry, name, entry.sample.arguments.get(name), findings);
        }
    }
}

/// A note's words are among those that were said.
fn stale(entry: &Entry, name: &str, note: Option<&Argument>, findings: &mut Findings) {
    let Some(surface) = note.and_then(|note| note.surface.as_deref()) else { return };
    let stands = |words: &str| entry.user_texts().any(|text| text.contains(words));
    if !stands(surface) && !surface.split(", ").all(stands) {
        findings.error("note", entry, format!("noted words `{surface}` for `{name}` do not occur in the dialog"));
    }
}

/// What an assistant tells is what tools answered or calls said: no figure comes from nowhere.
pub(super) fn completions(context: &Context, entry: &Entry, findings: &mut Findings) {
    let Expected::Answer(text) = &entry.sample.expected else { return };
    if !entry.sample.messages.iter().any(|message| message.role == Role::Tool) {
        findings.error("told", entry, "no tool answer to report");
        return;
    }
    let text = plain(text, &context.ground.language);
    let told =
        check_told(&text, &known(entry, &context.ground.language), &Object::new(), &[], &context.ground.language);
    let fault = told.err().map(|fault| fault.detail);
    findings.check("figures that are told come from a tool or a call", "told", entry, fault);
}

/// All that tools answered, calls said and people said in the dialog, and what may be made of it in telling.
fn known(entry: &Entry, language: &Language) -> Value {
    let messages = &entry.sample.messages;
    let said = |role: Role| messages.iter().filter(move |message| message.role == role);
    let answers: Vec<&str> = said(Role::Tool).filter_map(|message| message.content.as_deref()).collect();
    let read = answers.iter().filter_map(|text| Value::read(text).ok());
    let calls =
        messages.iter().flat_map(|message| &message.tool_calls).map(|call| Value::Object(call.arguments.clone()));
    // The names of fields hold figures too.
    let texts = answers.iter().copied().chain(entry.user_texts()).map(Value::from);
    let whole = answers.iter().map(|text| Value::from(plain(text, language)));
    let made = answers.iter().flat_map(|text| made_of(text)).map(|figure| Value::from(figure.as_str()));
    Value::List(read.chain(calls).chain(texts).chain(whole).chain(made).collect())
}

/// Figures that may be told for those of an answer: hours of half a day, and decimals without their fraction.
fn made_of(answer: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == ':' || letter == '.';
    let of = |token: &str| -> Vec<String> {
        if let Some((hour, _)) = token.split_once(':') {
            let half = hour.parse::<u8>().ok().filter(|hour| *hour < 24 && (*hour == 0 || *hour > 12));
            return half.map(|hour| hour.abs_diff(12).to_string()).into_iter().collect();
        }
        let whole = token.parse::<f64>().ok().filter(|_| token.contains('.'));
        whole.map(|value| vec![format!("{:.0}", value.trunc()), format!("{:.0}", value.round())]).unwrap_or_default()
    };
    answer.split(|letter: char| !is_part(letter)).flat_map(of).collect()
}

/// The text without the numbers of its lines, and with figures that go on in words (13만 3,096) as one.
fn plain(text: &str, language: &Language) -> String {
    let lines: Vec<String> = text.lines().map(|line| without_number(line).to_owned()).collect();
    let text = lines.join("\n");
    let mut numbers: Vec<(Range<usize>, f64)> = Vec::new();
    for found in numbers_in(&text, language) {
        let value = found.value.as_f64();
        match numbers.last_mut() {
            Some((range, sum)) if goes_on(&text, range, &found.range) && *sum % 10_000.0 == 0.0 && value < 10_000.0 => {
                (range.end, *sum) = (found.range.end, *sum + value);
            }
            _ => numbers.push((found.range, value)),
        }
    }
    let mut plain = text.clone();
    for (range, value) in numbers.into_iter().rev() {
        let mixed = text
            .get(range.clone())
            .is_some_and(|it| it.contains(|letter: char| letter.is_ascii_digit()) && it.contains(char::is_alphabetic));
        if mixed {
            plain.replace_range(range, &value.to_string());
        }
    }
    plain
}

/// Whether nothing but a space parts two numbers.
fn goes_on(text: &str, one: &Range<usize>, other: &Range<usize>) -> bool {
    text.get(one.end..other.start).is_some_and(|between| !between.is_empty() && between.trim().is_empty())
}

/// A line without the number by which a list counts it.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start().trim_start_matches(|letter: char| letter.is_ascii_digit());
    let is_counted = rest.len() < line.trim_start().len();
    rest.strip_prefix(['.', ')']).filter(|rest| is_counted && rest.starts_with(' ')).unwrap_or(line)
}

/// Letters are whole ones, quotation marks are those of the keyboard, and right words are in the letters of the locale.
pub(super) fn letters(context: &Context, entry: &Entry, findings: &mut Findings) {
    let gold = gold(entry);
    let messages = &entry.sample.messages;
    let texts = messages.iter().map(shown).chain(std::iter::once(gold.clone()));
    if let Some(text) = texts.into_iter().find(|text| !is_nfc(text)) {
        findings.error("nfc", entry, format!("text is not NFC-normalized: `{text}`"));
    }
    // Where words do not stand apart, these are the language's own marks.
    if context.ground.spaced && gold.contains(TYPOGRAPHIC) {
        findings.error("quotes", entry, format!("typographic quotation marks in `{gold}`"));
    }
    let words = gold_text(&entry.sample);
    if let Err(fault) = check_script(words, &context.ground.language, None) {
        findings.error("gold_script", entry, format!("{}: `{words}`", fault.detail));
    }
    let spoken = messages.last().filter(|message| message.role == Role::User);
    findings.tally("letters are whole ones", spoken.is_none_or(|message| is_nfc(&shown(message))));
}

/// Quotation marks that no scorer takes for those of the keyboard.
const TYPOGRAPHIC: [char; 4] = ['\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}'];

/// What is right, as a text: words, or a call with the values that are as right as its own.
fn gold(entry: &Entry) -> String {
    let Some(call) = entry.call() else { return gold_text(&entry.sample).to_owned() };
    let others = serde_json::to_string(&entry.sample.acceptable).unwrap_or_default();
    format!("{}{others}", serde_json::to_string(call).unwrap_or_default())
}

fn shown(message: &Message) -> String {
    let calls = serde_json::to_string(&message.tool_calls).unwrap_or_default();
    format!("{}{calls}", message.content.as_deref().unwrap_or_default())
}

/// Particles behind values agree with the last sound of the value, in what people say and in right words.
pub(super) fn particles(context: &Context, entry: &Entry, findings: &mut Findings) {
    // What was said in earlier turns was looked at in those.
    let texts = [entry.said().words, gold_text(&entry.sample)];
    for value in values(entry) {
        for text in &texts {
            particles_behind(context, &value, text, entry, findings);
        }
    }
}

/// Every text that is a value: in notes, in calls, and in what tools answered.
fn values(entry: &Entry) -> BTreeSet<String> {
    let mut values: BTreeSet<String> = BTreeSet::new();
    let surfaces = entry.sample.arguments.values().filter_map(|note| note.surface.clone());
    values.extend(surfaces);
    let messages = &entry.sample.messages;
    let calls: Vec<&FunctionCall> =
        messages.iter().flat_map(|message| &message.tool_calls).chain(entry.call()).collect();
    calls.iter().flat_map(|call| call.arguments.values()).for_each(|value| texts_of(value, &mut values));
    let answers = messages.iter().filter(|message| message.role == Role::Tool);
    let answers = answers.filter_map(|message| Value::read(message.content.as_deref()?).ok());
    answers.for_each(|answer| texts_of(&answer, &mut values));
    values.retain(|text| text.ends_with(char::is_alphanumeric));
    values
}

fn texts_of(value: &Value, values: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => drop(values.insert(text.clone())),
        Value::List(list) => list.iter().for_each(|value| texts_of(value, values)),
        Value::Object(object) => object.values().for_each(|value| texts_of(value, values)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{context, found, found_in};
    pub(crate) use crate::lint::testing::{decision, dialog, entries, single};
    use crate::record::Sample;

    mod values {
        use super::*;

        fn told(sample: Sample) -> Vec<String> {
            found(Values::default(), &entries(vec![sample]))
        }

        fn with(name: &str, value: impl Into<Value>) -> Sample {
            let mut sample = dialog().remove(1);
            let Expected::Call(call) = &mut sample.expected else { panic!("no call") };
            call.arguments.insert(name.to_owned(), value.into());
            sample
        }

        #[test]
        fn a_value_may_come_from_any_turn_or_from_an_answer() {
            assert_eq!(told(dialog().remove(1)), Vec::<String>::new());
            assert_eq!(told(with("pier", "Dover")), ["value: pier = \"Dover\" does not occur in the dialog"]);
            let mut early = with("pier", "Dover");
            early.messages[0].content = Some("Find boats in Dover for me".to_owned());
            assert_eq!(told(early), Vec::<String>::new());
            let mut answered = with("pier", "Dover");
            answered.messages.insert(2, crate::record::Message::new(Role::Tool, "{\"pier\": \"Dover\"}"));
            assert_eq!(told(answered), Vec::<String>::new());
        }

        #[test]
        fn calls_have_the_form_that_is_asked_for() {
            assert_eq!(
                told(with("boats", "two")),
                ["type: boats = \"two\" is no integer", "value: boats = \"two\" does not occur in the dialog"]
            );
            assert_eq!(told(with("sail", "red")), ["parameter: `find_boat` has no parameter `sail`"]);
            let mut bare = with("boats", 2);
            let Expected::Call(call) = &mut bare.expected else { panic!("no call") };
            call.arguments.shift_remove("pier");
            assert_eq!(told(bare), ["required: missing required parameter `pier` of `find_boat`"]);
        }

        #[test]
        fn notes_are_of_what_was_said() {
            let mut noted = single("a", "exact");
            let note = |surface: Option<&str>, origin| Argument {
                surface: surface.map(str::to_owned),
                origin,
                ..Argument::default()
            };
            noted.arguments.insert("pier".to_owned(), note(Some("Dover"), Origin::Verbatim));
            noted.arguments.insert("boats".to_owned(), note(None, Origin::Default));
            noted.messages[0].content = Some("boats at Hill pier".to_owned());
            assert_eq!(told(noted), ["note: noted words `Dover` for `pier` do not occur in the dialog"]);
        }
    }

    mod completions {
        use super::*;
        use crate::record::Message;
        use proptest::prelude::*;

        fn told(text: &str, answer: &str) -> Vec<String> {
            let mut turn = dialog().remove(2);
            turn.expected = Expected::Answer(text.to_owned());
            turn.messages[4].content = Some(answer.to_owned());
            found(completions, &entries(vec![turn]))
        }

        #[test]
        fn figures_come_from_an_answer_or_a_call() {
            assert_eq!(told("2 boats come to 1,200.", "{\"price\": 1200}"), Vec::<String>::new());
            assert_eq!(
                told("They come to 1,300.", "{\"price\": 1200}"),
                ["told: `1300` is in neither the answer nor the call"]
            );
            assert_eq!(told("They come to 1,200.", "{'price': 1200, 'tip': None}"), Vec::<String>::new());
            assert_eq!(told("값은 1,200원입니다.", "{\"price\": 1200}").len(), 1);
        }

        #[test]
        fn figures_are_told_as_people_tell_them() {
            assert_eq!(told("1. Hill pier at 3:05\n2. Dover pier", "{\"at\": \"15:05\"}"), Vec::<String>::new());
            assert_eq!(told("The 3rd costs 56,478 or 56,479.", "{\"third_3\": 56478.55}"), Vec::<String>::new());
            let language = crate::fixtures::language("ko");
            assert_eq!(plain("약 13만 3,096원입니다.", &language), "약 133096원입니다.");
            assert_eq!(plain("50만 원으로 두 척", &language), "500000 원으로 두 척");
            assert_eq!(made_of("2024-05-19 19:05:56, 00:10, 7.25"), ["7", "12", "7", "7"]);
        }

        #[test]
        fn earlier_answers_may_be_told_again_and_none_at_all_may_not() {
            let mut turn = dialog().remove(2);
            turn.messages.insert(4, Message::new(Role::Tool, "{\"fee\": 77}"));
            turn.expected = Expected::Answer("The fee was 77.".to_owned());
            let look = |turn| found(completions, &entries(vec![turn]));
            assert_eq!(look(turn.clone()), Vec::<String>::new());
            turn.messages.truncate(1);
            assert_eq!(look(turn), ["told: no tool answer to report"]);
        }

        proptest! {
            #[test]
            fn a_figure_that_was_answered_may_be_told_and_another_may_not(price in 3_u32..1_000_000, more in 1_u32..9) {
                let answer = format!("{{\"price\": {price}}}");
                let (right, wrong) = (told(&format!("It is {price}."), &answer), told(&format!("It is {}.", price + more), &answer));
                prop_assert_eq!((right.len(), wrong.len()), (0, 1));
            }
        }
    }

    mod letters {
        use super::*;

        fn told(locale: &str, sample: Sample) -> Vec<String> {
            found_in(&context(locale, false), letters, &entries(vec![sample]))
        }

        fn answer(text: &str) -> Sample {
            Sample { expected: Expected::Answer(text.to_owned()), ..dialog().remove(2) }
        }

        #[test]
        fn letters_are_whole() {
            assert_eq!(told("en", single("a", "exact")), Vec::<String>::new());
            let mut parted = single("a", "exact");
            parted.messages[0].content = Some("cafe\u{301}".to_owned());
            assert_eq!(told("en", parted), ["nfc: text is not NFC-normalized: `cafe\u{301}[]`"]);
            assert_eq!(told("ko", answer("\u{1102}\u{1166}")).len(), 1);
        }

        #[test]
        fn quotation_marks_are_plain_where_the_language_has_no_others() {
            assert_eq!(told("en", answer("It is the pier\u{2019}s.")).len(), 1);
            assert_eq!(told("zh", answer("\u{201c}一号码头\u{201d}有船。")), Vec::<String>::new());
            let mut call = single("a", "exact");
            call.acceptable.insert("pier".to_owned(), vec!["\u{2018}Hill\u{2019}".into()]);
            assert!(told("en", call)[0].starts_with("quotes: "));
        }

        #[test]
        fn right_words_are_in_the_language() {
            let told = told("ko", decision("REJECT"));
            assert!(told[0].starts_with("gold_script: only 0 % of the letters are "), "{told:?}");
        }
    }

    mod particles {
        use super::*;

        fn told(sample: Sample) -> Vec<String> {
            found_in(&context("ko", false), particles, &entries(vec![sample]))
        }

        fn called(words: &str, pier: &str) -> Sample {
            let mut sample = single("a", "exact");
            sample.messages[0].content = Some(words.to_owned());
            let Expected::Call(call) = &mut sample.expected else { panic!("no call") };
            call.arguments.insert("pier".to_owned(), pier.into());
            sample
        }

        #[test]
        fn what_people_say_agrees() {
            assert_eq!(told(called("부산으로 가는 배 찾아 줘", "부산")), Vec::<String>::new());
            let wrong = told(called("부산로 가는 배 찾아 줘", "부산"));
            assert_eq!(wrong, ["particle: `부산로` in `부산로 가는 배 찾아 줘`; expected `부산으로`"]);
        }

        #[test]
        fn what_is_told_agrees_with_the_answer() {
            let told = |text: &str| {
                let mut turn = dialog().remove(2);
                turn.messages[4].content = Some("{\"ship\": [{\"name\": \"바다\"}]}".to_owned());
                turn.expected = Expected::Answer(text.to_owned());
                told(turn)
            };
            assert_eq!(told("바다를 찾았어요."), Vec::<String>::new());
            assert_eq!(told("바다을 찾았어요."), ["particle: `바다을` in `바다을 찾았어요.`; expected `바다를`"]);
        }
    }
}
