//! What stands in a text: numbers, days, lengths of time, values, likeness. Every language that ships, in turn.

use super::super::chance::Chance;
use super::super::drive::{Target, text};
use super::super::mutate::LONGEST;
use super::super::write;
use super::texts;
use fcgen::locale::{
    Date, Language, Pattern, RougeL, Stamp, Stand, Time, durations_in, numbers_in, resolve, right_script, twins,
    value_stands,
};
use fcgen::record::Value;
use std::ops::Range;
use std::sync::OnceLock;

const WORDS: &[&str] = &[
    "one",
    "hundred",
    "twenty-five",
    "third",
    "1st",
    "million",
    "and",
    "a half",
    "point",
    "o'clock",
    "half past",
    "quarter to",
    "pm",
    "noon",
    "midnight",
    "monday",
    "next",
    "last",
    "tomorrow",
    "in",
    "days",
    "weeks",
    "ago",
    "May",
    "5th",
    "of",
    "2024",
    "2024-05-07",
    "08:30",
    "3:5",
    "$",
    "kg",
    "hours",
    "minutes",
    "오늘",
    "내일",
    "모레",
    "다음",
    "주",
    "월요일",
    "오후",
    "세",
    "시",
    "스물",
    "한",
    "두",
    "명",
    "분",
    "백",
    "천",
    "만",
    "억",
    "원",
    "반",
    "일",
    "월",
    "년",
    "明天",
    "后天",
    "下",
    "星期",
    "周",
    "一",
    "二十",
    "百",
    "千",
    "万",
    "亿",
    "点",
    "半",
    "分",
    "小时",
    "月",
    "日",
    "号",
    "年",
    "两",
    "第",
    "not",
    "don't",
    "yes",
    "on",
    "off",
    "不",
    "안",
    "/",
    "-",
    ".",
    ",",
    ":",
    "(",
    ")",
    "'",
    "\"",
    "%",
    "between",
    "to",
    "~",
];

fn said(chance: &mut Chance) -> String {
    write::words(chance, WORDS)
}

fn languages() -> &'static [Language] {
    static LOADED: OnceLock<Vec<Language>> = OnceLock::new();
    LOADED.get_or_init(|| ["en", "ko", "zh"].map(|code| Language::load(fcgen::assets(), code).unwrap()).into())
}

fn within(text: &str, range: &Range<usize>) {
    assert!(text.get(range.clone()).is_some(), "{range:?} is no place in {text:?}");
}

#[test]
fn texts_of_any_language() {
    let seeds = texts(&[
        "wake me at half past eight next monday and again on the 3rd of May 2024 for two and a half hours",
        "내일 오후 세 시 반에 스물두 명 자리를 두 시간 동안 예약해 줘",
        "下星期三下午三点半订一张去北京的票，两百五十块，三个小时",
        "transfer $1,234.50 to +82 10-1234-5678 by 31/12, i.e. in 1e5 days, not 2024-02-30T25:00",
    ]);
    let target = Target { name: "languages", seeds, words: WORDS, make: said, longest: 4 << 10, usual: 100 };
    let now = Stamp { date: Date::new(2024, 5, 7), time: Time::new(9, 0, 0) };
    target.drive(text(|input| {
        let language = &languages()[input.len() % 3];
        let numbers = numbers_in(input, language);
        for number in &numbers {
            within(input, &number.range);
        }
        let moments = resolve(input, Some(now), language);
        for moment in &moments {
            within(input, &moment.range());
        }
        let lengths = durations_in(input, language);
        for length in &lengths {
            within(input, &length.range);
        }
        assert!(lengths.iter().all(|length| !length.minutes.is_nan()));
        let (half, rest) = input.split_at(input.char_indices().nth(input.chars().count() / 2).map_or(0, |(at, _)| at));
        let value = Value::from(rest);
        let stands = ["", "time", "date", "count"].map(|kind| {
            let kind = Some(kind).filter(|kind| !kind.is_empty());
            let stand =
                Stand { kind, type_name: "string", reference_time: Some("2024-05-07T09:00:00"), ..Stand::default() };
            value_stands(half, &value, &stand, language).is_some()
        });
        let own = value_stands(input, &Value::from(input), &Stand::default(), language).is_some();
        let right = right_script(input, language, &[]);
        format!(
            "{} {} {} {} {stands:?} {own} {right} {}",
            language.code.len(),
            numbers.len().min(4),
            moments.len().min(4),
            lengths.len().min(3),
            twins(rest, language).len().min(3),
        )
    }));
}

#[test]
fn likeness() {
    let target = Target {
        name: "rouge",
        seeds: texts(&["set an alarm", "알람을 맞춰 줘", "设个闹钟 set"]),
        words: WORDS,
        make: said,
        longest: 4 << 10,
        usual: 200,
    };
    let all = ["rouge-score", "unicode-v1", "character-v1"].map(|name| RougeL::by_profile(name).unwrap());
    target.drive(text(|input| {
        let (half, rest) = input.split_once(' ').unwrap_or((input, ""));
        let scores = all.each_ref().map(|rouge| {
            let (score, back) = (rouge.score(half, rest), rouge.score(rest, half));
            assert!((0.0..=1.0).contains(&score) && (score - back).abs() < 1e-9, "{score} and {back}");
            assert!((rouge.score(input, input) - 1.0).abs() < f64::EPSILON);
            score
        });
        let overlap =
            [fcgen::suite::confetti::metric::token_f1(half, rest), fcgen::suite::confetti::metric::chrf(half, rest)];
        assert!(overlap.iter().all(|score| score.is_finite()), "{overlap:?}");
        format!("{:?}", scores.map(|score| [score > 0.0, score > 0.5]))
    }));
}

#[test]
fn patterns() {
    let seeds = texts(&[
        "find charging stations[ near {location}][ within {radius}]",
        "{slot|을} (a|b|) 예약",
        "a[b[c]{d}](e|f[g])",
    ]);
    let words = &["[", "]", "{", "}", "(", ")", "|", "{slot}", "{slot|을}", " ", "a", "\\"];
    Target {
        name: "patterns",
        seeds,
        words,
        make: |chance| write::soup(chance, &["[", "]", "{a}", "(", "|", ")", "b"]),
        longest: LONGEST,
        usual: 1000,
    }
    .drive(text(|input| match Pattern::parse(input) {
        Ok(pattern) => format!("{} {}", pattern.begins_open(), pattern.ends_open()),
        Err(fault) => fault.to_string(),
    }));
}
