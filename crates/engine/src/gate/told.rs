//! Does an assistant tell what a tool answered: everything that matters, and no figure that nobody gave?

use super::Fault;
use super::script::check_script;
use crate::locale::{Date, Language, Stamp, Stand, numbers_in, resolve, value_stands};
use crate::record::{Number, Object, Value};

/// Checks the words for an answer: every field of `must_tell` stands in them, and every number in digits is one of the
/// answer or of the call's arguments. Fields that the answer does not have, and yes or no, need not be said.
pub fn check_told(
    text: &str,
    answer: &Value,
    arguments: &Object,
    must_tell: &[String],
    language: &Language,
) -> Result<(), Fault> {
    check_script(text, language, None)?;
    for field in must_tell {
        let Some(value) = answer.at_path(field).filter(|value| value.as_bool().is_none()) else { continue };
        let at = value.as_str().and_then(Stamp::read);
        if !tells(text, value, language) && !at.is_some_and(|at| tells_stamp(text, at, None, language)) {
            return Err(Fault::new("untold_field", format!("`{field}` is to be told: {value}"))
                .naming([field, &value.to_string()]));
        }
    }
    let mut known = Vec::new();
    figures_of(answer, &mut known);
    arguments.values().for_each(|value| figures_of(value, &mut known));
    match figures(text).into_iter().find(|figure| !known.iter().any(|it| it.equals(figure))) {
        Some(figure) => Err(Fault::new("invented_figure", format!("`{figure}` is in neither the answer nor the call"))),
        None => Ok(()),
    }
}

/// Checks that every number in digits is one of `sources`, in whatever form people say it: 14:30 as 2:30, 135 minutes as 2
/// hours and 15, 13,593,000 by its ten thousands; or counts what there is.
pub fn check_figures(text: &str, sources: &[Value], language: &Language) -> Result<(), Fault> {
    let mut known = Vec::new();
    for value in sources {
        figures_of(value, &mut known);
    }
    // What is known as a whole is not looked at in parts.
    let mut rest = text.to_owned();
    for whole in numbers_in(text, language).into_iter().rev() {
        if known.iter().any(|it| it.equals(&whole.value)) && rest.is_char_boundary(whole.range.start) {
            rest.replace_range(whole.range, " ");
        }
    }
    let forms: Vec<i64> = known.iter().filter_map(whole).flat_map(other_forms).collect();
    let most = sources.iter().map(longest).max().unwrap_or_default().max(FEW);
    let is_known = |figure: &Number| {
        let whole = whole(figure);
        known.iter().any(|it| it.equals(figure))
            || whole.is_some_and(|it| forms.contains(&it))
            || whole.and_then(|it| usize::try_from(it).ok()).is_some_and(|it| it <= most)
    };
    match figures(&rest).into_iter().find(|figure| !is_known(figure)) {
        Some(figure) => Err(Fault::new(
            "invented_figure",
            format!("`{figure}` is in no answer, in no call and in nothing that was said"),
        )),
        None => Ok(()),
    }
}

/// Other numbers that people say for one: an hour of the afternoon by the clock's twelve, minutes by hours and what is left.
fn other_forms(number: i64) -> Vec<i64> {
    match number {
        0 => vec![12],
        13..=24 => vec![number - 12],
        61..=2880 => vec![number / 60, number % 60],
        _ => Vec::new(),
    }
}

fn whole(number: &Number) -> Option<i64> {
    number.as_str().parse().ok()
}

/// So many things are counted out without a list of them.
const FEW: usize = 3;

/// The number of elements of the longest list in a value.
fn longest(value: &Value) -> usize {
    match value {
        Value::List(list) => list.iter().map(longest).max().unwrap_or_default().max(list.len()),
        Value::Object(object) => object.values().map(longest).max().unwrap_or_default(),
        _ => 0,
    }
}

/// Whether a text tells a value as people tell it: a date by its day, a time by the clock, one of a list or of a record's
/// fields. What is no word of any language, such as `in_transit`, is told in words that no rule knows.
pub fn is_told(text: &str, value: &Value, reference_time: Option<Stamp>, language: &Language) -> bool {
    match value {
        Value::Null | Value::Bool(_) => true,
        Value::List(list) => list.is_empty() || list.iter().any(|it| is_told(text, it, reference_time, language)),
        Value::Object(object) => {
            let mut fields = object.values().filter(|it| !matches!(it, Value::Null | Value::Bool(_)));
            fields.any(|it| is_told(text, it, reference_time, language))
        }
        Value::Number(_) => tells(text, value, language),
        Value::String(words) => {
            let is_name = words.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_');
            let at = Stamp::read(words);
            is_name
                || tells(text, value, language)
                || text.to_lowercase().contains(&words.trim().to_lowercase())
                || is_retold(text, words, language)
                || at.is_some_and(|at| tells_stamp(text, at, reference_time, language))
        }
    }
}

/// A text of so many letters is retold, not read out.
const LONG: usize = 40;
/// How alike the words of whoever retells it are, by Rouge-L.
const RETOLD: f64 = 0.5;

/// Whether a long text is told in other words, most of which are its own.
fn is_retold(text: &str, words: &str, language: &Language) -> bool {
    words.chars().count() >= LONG && language.rouge_l().score(words, text) >= RETOLD
}

/// Whether a text tells a date by its day, or by words that come to it, and a time by its hour and minutes.
fn tells_stamp(text: &str, at: Stamp, reference_time: Option<Stamp>, language: &Language) -> bool {
    let known = figures(text);
    let numbers = numbers_in(text, language);
    let says = |number: i64| known.iter().chain(numbers.iter().map(|it| &it.value)).any(|it| whole(it) == Some(number));
    let resolved = resolve(text, reference_time, language);
    let day = |date: Date| {
        says(i64::from(date.day)) || resolved.iter().any(|it| it.date.as_ref().is_some_and(|found| found.value == date))
    };
    let hour = |hour: u8| says(i64::from(hour)) || says(i64::from(hour % 12)) || (hour.is_multiple_of(12) && says(12));
    at.date.is_none_or(day) && at.time.is_none_or(|time| at.date.is_some() || hour(time.hour))
}

fn tells(text: &str, value: &Value, language: &Language) -> bool {
    let figures = figures(text);
    match value {
        Value::Number(number) if figures.iter().any(|figure| figure.equals(number)) => true,
        Value::String(words) if text.contains(words.trim()) => true,
        _ => {
            let type_name = value.type_name();
            value_stands(text, value, &Stand { type_name, ..Stand::default() }, language).is_some()
        }
    }
}

/// All figures of a value, those within its texts too.
pub(super) fn figures_of(value: &Value, known: &mut Vec<Number>) {
    match value {
        Value::Number(number) => {
            let text = number.to_string();
            known.push(number.clone());
            // Words for below zero may stand in the sign's place.
            known.extend(figures(text.trim_start_matches('-')));
        }
        Value::String(text) => known.extend(figures(text)),
        Value::List(list) => list.iter().for_each(|value| figures_of(value, known)),
        Value::Object(object) => object.values().for_each(|value| figures_of(value, known)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Numbers that stand in digits: `1,717,782` is one, `15:30` are two.
pub(super) fn figures(text: &str) -> Vec<Number> {
    let letters: Vec<char> = text.chars().collect();
    let is_digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let (mut found, mut at) = (Vec::new(), 0);
    while at < letters.len() {
        if !is_digit(at) {
            at += 1;
            continue;
        }
        let mut figure = if is_negative(&letters, at) { "-".to_owned() } else { String::new() };
        let mut has_point = false;
        while is_digit(at) || (at < letters.len() && ",.".contains(letters[at]) && is_digit(at + 1)) {
            match letters[at] {
                ',' if parts_thousands(&letters, at) => {}
                '.' if !has_point => {
                    has_point = true;
                    figure.push('.');
                }
                digit if digit.is_ascii_digit() => figure.push(digit),
                _ => break,
            }
            at += 1;
        }
        if !is_digit(at) && at < letters.len() && ",.".contains(letters[at]) {
            at += 1;
        }
        let (sign, digits) = figure.strip_prefix('-').map_or(("", figure.as_str()), |digits| ("-", digits));
        let digits = digits.trim_start_matches('0');
        let zero = if digits.is_empty() || digits.starts_with('.') { "0" } else { "" };
        let plain = format!("{sign}{zero}{digits}");
        found.extend(Value::read(&plain).ok().and_then(|value| value.as_number().cloned()));
    }
    found
}

/// Whether a minus stands before a figure: a hyphen behind a letter or digit is none.
fn is_negative(letters: &[char], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|place| letters.get(place));
    let is_bound = before(2).is_some_and(char::is_ascii_alphanumeric);
    before(1).is_some_and(|sign| "-−".contains(*sign)) && !is_bound
}

/// Whether three digits and no fourth follow a comma.
fn parts_thousands(letters: &[char], comma: usize) -> bool {
    let digits = letters.iter().skip(comma + 1).take_while(|letter| letter.is_ascii_digit()).count();
    digits == 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reason(locale: &str, text: &str, answer: &str, arguments: &str, must_tell: &[&str]) -> Option<&'static str> {
        let must_tell: Vec<String> = must_tell.iter().map(|field| (*field).to_owned()).collect();
        let (answer, arguments) = (Value::read(answer).unwrap(), serde_json::from_str(arguments).unwrap());
        let language = crate::fixtures::language(locale);
        check_told(text, &answer, &arguments, &must_tell, &language).err().map(|fault| fault.reason)
    }

    #[test]
    fn what_must_be_told_is_looked_for_as_people_write_it() {
        let answer = r#"{"total": 1717782, "city": "Porto", "open": true, "items": [{"name": "tea"}]}"#;
        let fields = ["total", "city", "open", "items.name", "none"];
        assert_eq!(reason("en", "In Porto tea comes to 1,717,782.", answer, "{}", &fields), None);
        assert_eq!(reason("en", "In Porto tea comes to a lot.", answer, "{}", &fields), Some("untold_field"));
        assert_eq!(reason("en", "Tea comes to 1,717,782.", answer, "{}", &fields), Some("untold_field"));
        assert_eq!(
            reason("ko", "모두 세 명이에요.", r#"{"people": 3}"#, "{}", &["people"]),
            None,
            "words are numbers too"
        );
    }

    #[test]
    fn figures_come_from_the_answer_or_the_call() {
        let (answer, arguments) = (r#"{"fee": 12.5, "at": "2026-11-20 15:30"}"#, r#"{"sum": 1000}"#);
        assert_eq!(reason("en", "For 1,000 the fee is 12.5, at 15:30 on the 20.", answer, arguments, &["fee"]), None);
        assert_eq!(reason("en", "The fee is 12.5 or 13.", answer, arguments, &[]), Some("invented_figure"));
        assert_eq!(reason("en", "The fee is 12.50, 1000 in all.", answer, arguments, &[]), None);
    }

    #[test]
    fn a_free_teller_says_times_and_counts_in_other_forms_and_invents_nothing() {
        let answer = Value::read(r#"{"at": "14:30", "minutes": 135, "list": [1870, 1871, 1872, 1873]}"#).unwrap();
        let language = crate::fixtures::language("en");
        let told = |text: &str| check_figures(text, std::slice::from_ref(&answer), &language).is_ok();
        assert!(
            told("at 2:30, for 2 hours and 15 minutes; there are 4") && !told("at 2:45") && !told("for 99 dollars")
        );
        let says =
            |text: &str, value: &str| is_told(text, &Value::from(value), Stamp::read("2026-01-02T09:00"), &language);
        assert!(
            says("on January 9", "2026-01-09") && says("it's on its way", "in_transit") && says("at 2:30 pm", "14:30")
        );
        assert!(!says("on January 8", "2026-01-09") && !says("Porto", "Lisbon"));
        let article = "Choose Forgot Password on the sign-in page, and use the link in the mail within 30 minutes.";
        assert!(says(
            "It says to choose Forgot Password on the sign-in page and use the mail's link in 30 minutes.",
            article
        ));
        assert!(!says("You can reset it on the sign-in page.", article), "most of it is not told");
        let korean = crate::fixtures::language("ko");
        let balance = Value::read(r#"{"balance": 13593000}"#).unwrap();
        let told = |text: &str| check_figures(text, std::slice::from_ref(&balance), &korean).is_ok();
        assert!(told("남은 잔액은 1,359만 3,000원이에요.") && !told("남은 잔액은 1,358만 3,000원이에요."));
    }

    #[test]
    fn it_is_told_in_the_language() {
        assert_eq!(
            reason("en", "수수료는 12.5원이고 내일까지 내세요", r#"{"fee": 12.5}"#, "{}", &[]),
            Some("wrong_script")
        );
    }

    #[test]
    fn a_comma_parts_thousands_or_sentences() {
        let shown = |text: &str| figures(text).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(shown("1,234,567 and 12, 13. 007 0.5 1.2.3"), ["1234567", "12", "13", "7", "0.5", "1.2", "3"]);
        assert_eq!(shown("3,12"), ["3", "12"]);
        assert_eq!(shown("-6.1, 摄氏-3度, 2026-11-20, A-4"), ["-6.1", "-3", "2026", "11", "20", "4"]);
        assert!(shown("none, . ,").is_empty());
    }

    proptest! {
        #[test]
        fn no_text_makes_it_stumble(text in ".{0,60}") {
            let _ = figures(&text);
        }

        #[test]
        fn a_number_is_found_however_its_thousands_are_parted(number in 0_u64..10_000_000) {
            let phrases = crate::locale::Pack::load(crate::fixtures::assets(), "en").unwrap().chat;
            let text = format!("It is {}.", phrases.shown(&Value::read(&number.to_string()).unwrap()));
            prop_assert_eq!(figures(&text).len(), 1);
            prop_assert_eq!(figures(&text)[0].to_string(), number.to_string());
        }
    }
}
