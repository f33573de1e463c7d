//! What an assistant tells is what tools answered or calls said: no figure comes from nowhere.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::ground::Ground;
use super::Rule;
use crate::gate::check_told;
use crate::locale::{Language, numbers_in};
use crate::record::{Expected, Object, Role, Value};
use std::ops::Range;
use std::sync::Arc;

/// Looks at each right answer by itself.
pub(super) struct Completions(Arc<Ground>);

impl Completions {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self(ground)
    }
}

impl Rule for Completions {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Expected::Answer(text) = &entry.sample.expected else { return };
        if !entry.sample.messages.iter().any(|message| message.role == Role::Tool) {
            findings.error("told", entry, "no tool has answered anything that could be told");
            return;
        }
        let text = plain(text, &self.0.language);
        let told = check_told(&text, &known(entry), &Object::new(), &[], &self.0.language);
        findings.tally("figures that are told come from a tool or a call", told.is_ok());
        if let Err(fault) = told {
            findings.error("told", entry, fault.detail);
        }
    }
}

/// All that tools answered, calls said and people said in the dialog, and what may be made of it in telling.
fn known(entry: &Entry) -> Value {
    let messages = &entry.sample.messages;
    let said = |role: Role| messages.iter().filter(move |message| message.role == role);
    let answers: Vec<&str> = said(Role::Tool).filter_map(|message| message.content.as_deref()).collect();
    let read = answers.iter().filter_map(|text| Value::read(text).ok());
    let calls =
        messages.iter().flat_map(|message| &message.tool_calls).map(|call| Value::Object(call.arguments.clone()));
    // The names of fields hold figures too.
    let texts = answers.iter().copied().chain(entry.user_texts()).map(Value::from);
    let made = answers.iter().flat_map(|text| made_of(text)).map(|figure| Value::from(figure.as_str()));
    Value::List(read.chain(calls).chain(texts).chain(made).collect())
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

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{dialog, entries};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::Message;
    use proptest::prelude::*;

    fn told(text: &str, answer: &str) -> Vec<String> {
        let mut turn = dialog().remove(2);
        turn.expected = Expected::Answer(text.to_owned());
        turn.messages[4].content = Some(answer.to_owned());
        found(Completions::new(Ground::load(crate::fixtures::assets(), "en").unwrap()), &entries(vec![turn]))
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
        let look = |turn| {
            found(Completions::new(Ground::load(crate::fixtures::assets(), "en").unwrap()), &entries(vec![turn]))
        };
        assert_eq!(look(turn.clone()), Vec::<String>::new());
        turn.messages.truncate(1);
        assert_eq!(look(turn), ["told: no tool has answered anything that could be told"]);
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
