//! Whether a value stands in a text: the one place that says so, for gates, checks and tests.

mod boolean;
mod moment;
mod number;
mod text;

pub(crate) use boolean::{BooleanCues, BooleanWords};
pub(crate) use text::Equivalents;

use super::super::language::Language;
use super::surface::Folded;
use crate::record::{Object, Origin, Value};
use std::cell::OnceCell;
use std::ops::Range;

/// What is known of the parameter that a value belongs to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stand<'a> {
    /// The value kind: `time`, `date`, `count`, `person` ...
    pub kind: Option<&'a str>,
    /// The JSON type that the tool declares.
    pub type_name: &'a str,
    /// How the locale says this listed value, or this boolean.
    pub wordings: Option<&'a [String]>,
    /// The time that relative dates refer to, in ISO 8601.
    pub reference_time: Option<&'a str>,
    /// The parameter's name and description, for booleans without wordings.
    pub names: &'a [&'a str],
    /// Names and descriptions of the tool and of its other parameters: what they say tells nothing of this one.
    pub others: &'a [&'a str],
}

/// How a value stands in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The words that say it; those of several leaves are parted by `, `.
    pub surface: String,
    /// How they say it.
    pub origin: Origin,
}

/// Says whether and how `value` stands in `text`.
///
/// A string stands letter by letter, or with other case, width, quotes and spaces, never inside a longer word. A number
/// stands in digits or words of the exact quantity. A listed value stands by its own words or by a wording, a boolean by
/// a wording, else by a word of its names, denied or not. An ISO date or time stands where the text says it against the
/// reference time. A list stands if each element does, an object if each leaf does. `null`, the empty string and empty
/// lists and objects say nothing, and never stand.
pub fn value_stands(text: &str, value: &Value, expectation: &Stand<'_>, language: &Language) -> Option<Found> {
    Search { text, expectation, language, folded: OnceCell::new() }.value(value)
}

/// One text, searched for one value and its leaves; folded at most once.
struct Search<'a> {
    text: &'a str,
    expectation: &'a Stand<'a>,
    language: &'a Language,
    folded: OnceCell<Folded>,
}

impl Search<'_> {
    fn value(&self, value: &Value) -> Option<Found> {
        match value {
            Value::Null => None,
            Value::Bool(bool) => self.boolean(*bool),
            Value::Number(number) => self.number(number),
            Value::String(string) => self.string(string),
            Value::List(list) => self.all(list.iter()),
            Value::Object(object) => self.fields(object),
        }
    }

    fn all<'v>(&self, values: impl Iterator<Item = &'v Value>) -> Option<Found> {
        joined(values.map(|value| self.value(value)).collect::<Option<_>>()?)
    }

    /// Every field; a flag is said by the field's own name.
    fn fields(&self, object: &Object) -> Option<Found> {
        let field = |(name, value): (&String, &Value)| {
            let names = [name.as_str()];
            match value {
                Value::Bool(flag) => {
                    let expectation = &Stand { names: &names, ..Stand::default() };
                    Search { text: self.text, expectation, language: self.language, folded: OnceCell::new() }
                        .boolean(*flag)
                }
                value => self.value(value),
            }
        };
        joined(object.iter().map(field).collect::<Option<_>>()?)
    }

    fn folded(&self) -> &Folded {
        self.folded.get_or_init(|| Folded::new(self.text))
    }

    /// What stands in a range of folded characters, in the text's own letters.
    fn found(&self, range: &Range<usize>, origin: Origin) -> Found {
        let surface = self.text.get(self.folded().bytes(range)).unwrap_or_default().trim().to_owned();
        Found { surface, origin }
    }

    /// The first of the wordings that stands.
    fn wording(&self) -> Option<Found> {
        self.expectation.wordings?.iter().find_map(|wording| self.words(wording, Origin::Enum))
    }
}

/// Several leaves as one: the words of all, and the origin that is farthest from the text's letters.
fn joined(found: Vec<Found>) -> Option<Found> {
    found.into_iter().reduce(|one, two| Found {
        surface: format!("{}, {}", one.surface, two.surface),
        origin: if distance(&one.origin) >= distance(&two.origin) { one.origin } else { two.origin },
    })
}

/// How far a value is from the text's letters.
fn distance(origin: &Origin) -> u8 {
    match origin {
        Origin::Verbatim => 0,
        Origin::Normalised => 1,
        Origin::Enum => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::language::tests::language;
    use proptest::prelude::*;

    const NOW: &str = "2025-03-04T09:00:00";

    fn stands(code: &str, text: &str, json: &str) -> Option<(String, Origin)> {
        let expectation = Stand { reference_time: Some(NOW), ..Stand::default() };
        value_stands(text, &Value::read(json).unwrap(), &expectation, language(code))
            .map(|found| (found.surface, found.origin))
    }

    #[track_caller]
    fn check(code: &str, text: &str, json: &str, surface: &str, origin: Origin) {
        assert_eq!(stands(code, text, json), Some((surface.to_owned(), origin)), "{json} in {text}");
    }

    #[track_caller]
    fn check_absent(cases: &[(&str, &str, &str)]) {
        for (code, text, json) in cases {
            assert_eq!(stands(code, text, json), None, "{json} in {text}");
        }
    }

    #[test]
    fn lists_and_objects_stand_if_every_leaf_does() {
        check("en", "milk, Eggs and two loaves", r#"["milk", "eggs", 2]"#, "milk, Eggs, two", Origin::Normalised);
        check(
            "en",
            "from Leeds to York",
            r#"{"from": "Leeds", "to": {"city": "York"}}"#,
            "Leeds, York",
            Origin::Verbatim,
        );
        check("ko", "내일 우유랑 빵 사줘", r#"["우유", "2025-03-05"]"#, "우유, 내일", Origin::Inferred);
        check_absent(&[
            ("en", "milk and bread", r#"["milk", "eggs"]"#),
            ("en", "milk", r#"["milk", null]"#),
            ("en", "anything", "[]"),
            ("en", "anything", "{}"),
            ("en", "null", "null"),
            ("en", "anything", "\"\""),
            ("en", "a  b", "\" \""),
        ]);
    }

    #[test]
    fn dates_and_times_stand_where_they_are_said() {
        check("en", "Book it for tomorrow", "\"2025-03-05\"", "tomorrow", Origin::Inferred);
        check("en", "at 8 pm sharp", "\"20:00\"", "8 pm", Origin::Normalised);
        check("en", "on March 14, 2025", "\"2025-03-14\"", "March 14, 2025", Origin::Normalised);
        check("en", "on 2025-03-14", "\"2025-03-14\"", "2025-03-14", Origin::Verbatim);
        check("en", "tomorrow at 8 pm", "\"2025-03-05T20:00:00\"", "tomorrow at 8 pm", Origin::Inferred);
        check(
            "ko",
            "다음 주 화요일 오후 3시 30분에",
            "\"2025-03-11T15:30\"",
            "다음 주 화요일 오후 3시 30분",
            Origin::Inferred,
        );
        check("zh", "明天下午三点半提醒我", "\"15:30\"", "下午三点半", Origin::Normalised);
        check("zh", "三月十四号出发", "\"2025-03-14\"", "三月十四号", Origin::Inferred);
        check_absent(&[
            ("en", "Book it for tomorrow", "\"2025-03-06\""),
            ("en", "at 8 am", "\"20:00\""),
            ("ko", "오전 3시", "\"15:00\""),
            ("zh", "下周五", "\"2025-03-07\""),
            ("en", "tomorrow", "\"2025-03-05T20:00\""),
        ]);
    }

    #[test]
    fn a_relative_date_needs_a_reference() {
        let value = Value::from("2025-03-05");
        assert_eq!(value_stands("tomorrow", &value, &Stand::default(), language("en")), None);
    }

    /// Requests with the arguments of their gold calls, each with its surface and origin.
    #[test]
    fn whole_requests_hold_their_arguments() {
        use Origin::{Enum, Inferred, Normalised, Verbatim};
        let english =
            "Book a table for two adults at Blue Lagoon on March 14th at half past seven in the evening, under $45.50";
        check("en", english, "\"Blue Lagoon\"", "Blue Lagoon", Verbatim);
        check("en", english, "2", "two", Normalised);
        check("en", english, "\"2025-03-14T19:30\"", "March 14th at half past seven in the evening", Inferred);
        check("en", english, "\"19:30\"", "half past seven in the evening", Normalised);
        check("en", english, "45.5", "45.50", Normalised);
        check("en", english, "\"USD\"", "$", Enum);
        let korean = "다음 주 수요일 오후 두 시 반에 강남역에서 성인 네 명, 예산은 3만 5천 원으로 예약해줘";
        check("ko", korean, "\"강남역\"", "강남역", Verbatim);
        check("ko", korean, "4", "네", Normalised);
        check("ko", korean, "\"2025-03-12T14:30\"", "다음 주 수요일 오후 두 시 반", Inferred);
        check("ko", korean, "35000", "3만 5천", Normalised);
        check("ko", korean, "\"KRW\"", "원", Enum);
        let chinese = "帮我订下周三下午两点半首都机场附近的餐厅，十二个人，预算三百五十块";
        check("zh", chinese, "\"首都机场\"", "首都机场", Verbatim);
        check("zh", chinese, "12", "十二", Normalised);
        check("zh", chinese, "\"2025-03-12T14:30\"", "下周三下午两点半", Inferred);
        check("zh", chinese, "350", "三百五十", Normalised);
        check("zh", chinese, "\"CNY\"", "块", Enum);
    }

    #[test]
    fn whole_requests_do_not_hold_other_arguments() {
        check_absent(&[
            ("en", "Book a table for two adults at Blue Lagoon on March 14th", "\"Lagoo\""),
            ("en", "Book a table for two adults at Blue Lagoon on March 14th", "\"Blue Lagoons\""),
            ("en", "Book a table for two adults at Blue Lagoon on March 14th", "\"2025-03-15\""),
            ("en", "Book a table for two adults at Blue Lagoon on March 14th", "3"),
            ("ko", "다음 주 수요일 오후 두 시 반에 성인 네 명", "\"2025-03-05\""),
            ("ko", "다음 주 수요일 오후 두 시 반에 성인 네 명", "\"02:30\""),
            ("ko", "다음 주 수요일 오후 두 시 반에 성인 네 명", "2.5"),
            ("ko", "다음 주 수요일 오후 두 시 반에 성인 네 명", "5"),
            ("zh", "下周三下午两点半，十二个人", "\"02:30\""),
            ("zh", "下周三下午两点半，十二个人", "10"),
            ("zh", "下周三下午两点半，十二个人", "3"),
        ]);
    }

    fn word(code: &str) -> &'static str {
        match code {
            "en" => "[a-zA-Z0-9]{1,9}",
            "ko" => "[가-힣]{1,5}",
            _ => "[一-龥]{1,5}",
        }
    }

    fn said() -> impl Strategy<Value = (&'static str, String)> {
        prop::sample::select(vec!["en", "ko", "zh"]).prop_flat_map(|code| (Just(code), word(code)))
    }

    proptest! {
        #[test]
        fn what_is_put_between_words_always_stands((code, value) in said(), before in "[^0-9]{0,12}", after in any::<String>()) {
            let text = format!("{before} {value} {after}");
            let found = value_stands(&text, &Value::from(value.as_str()), &Stand::default(), language(code));
            prop_assert_eq!(found.map(|found| found.origin), Some(Origin::Verbatim));
        }

        #[test]
        fn any_string_at_a_boundary_stands(value in any::<String>(), after in "[a-z ]{0,9}") {
            prop_assume!(!value.trim().is_empty());
            let text = format!("say {value} {after}");
            let found = value_stands(&text, &Value::from(value.as_str()), &Stand::default(), language("en"));
            prop_assert!(found.is_some());
        }

        #[test]
        fn what_is_absent_never_stands(value in "[a-m]{2,9}", text in "[n-zN-Z ,.]{0,40}", number in 0_i64..100) {
            for code in ["en", "ko", "zh"] {
                prop_assert_eq!(value_stands(&text, &Value::from(value.as_str()), &Stand::default(), language(code)), None);
                let digits_only = format!("{text} 한글 文字");
                prop_assert_eq!(value_stands(&digits_only, &Value::from(number + 1_000_000), &Stand::default(), language(code)), None);
            }
        }

        #[test]
        fn a_number_stands_as_digits_and_as_words(number in 11_i64..10_000, code in prop::sample::select(vec!["en", "ko", "zh"])) {
            let counter = match code { "en" => " times", "ko" => " 명", _ => "个" };
            let words = crate::locale::in_words(number.unsigned_abs(), language(code), Some(counter.trim())).unwrap();
            for (said, origin) in [(number.to_string(), Origin::Verbatim), (words, Origin::Normalised)] {
                // A scale on its own (백, 천) begins too many Korean words to count before people.
                prop_assume!(code != "ko" || said.chars().count() > 1);
                let text = format!("x {said}{counter} y");
                let found = value_stands(&text, &Value::from(number), &Stand::default(), language(code));
                prop_assert_eq!(found.map(|found| found.origin), Some(origin), "{}", text);
            }
        }

        #[test]
        fn no_text_and_value_make_it_panic(text in any::<String>(), value in crate::fixtures::any_value(true)) {
            for code in ["en", "ko", "zh"] {
                if let Some(found) = value_stands(&text, &value, &Stand::default(), language(code)) {
                    prop_assert!(!found.surface.is_empty());
                }
            }
        }
    }
}
