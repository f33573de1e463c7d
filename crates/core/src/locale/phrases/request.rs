//! How people ask for several things at once, with days, times, and one thing after another.

use super::super::LocaleError;
use super::super::dates::{Date, Time};
use super::super::days::{DayOrder, Days, DaysText};
use super::super::pack::parse_all;
use super::super::pattern::{Fill, Pattern};
use crate::assets::Assets;
use crate::record::Chance;
use indexmap::IndexMap;
use serde::Deserialize;

/// What a language has for requests that want several calls in steps.
#[derive(Debug, Clone, Default)]
pub struct RequestPhrases {
    /// Sentences that say which day it is: over `{date}`.
    pub today: Vec<Pattern>,
    /// Requests to be told something, as frames wrap them: over `{things}`.
    pub tell: Vec<Pattern>,
    /// The same for what holds of each of several things: over `{intent}`.
    pub each: Vec<Pattern>,
    /// Requests to take one of two items, as frames wrap them: over `{one}`, the condition `{if}` and `{other}`.
    pub choose: Vec<Pattern>,
    /// Sentences of a closing answer that tell which of the two was taken, where the first has the quality `{is}`.
    pub took_one: Vec<Pattern>,
    /// The same where it has not, and `{other}` was taken.
    pub took_other: Vec<Pattern>,
    /// Requests that hang on what an item is, as frames wrap them: over the item `{one}`, the condition `{if}`, the request
    /// `{then}` for the case that it holds, and `{else}` for the other.
    pub fork: Vec<Pattern>,
    /// Sentences of a closing answer that tell which of the two was done, and why: over `{one}` and `{is}`.
    pub forked: Vec<Pattern>,
    /// Frames of requests after the first, over `{intent}`; empty where each has a frame of the style, as in languages in which
    /// it carries the level of speech.
    pub next: Vec<Pattern>,
    /// A sentence that follows another: over `{sentence}`.
    pub then: Vec<Pattern>,
    /// What is wanted of a search, `{2}`, said before the request for the search, `{1}`.
    pub backward: Vec<Pattern>,
    /// A thing `{1}` with its figure `{2}`, as one of several in a row.
    pub pair: Option<Pattern>,
    /// What stands between things, and before the last of them.
    pub joints: (String, String),
    /// The same for bare numbers.
    pub numbers: (String, String),
    /// How a final answer begins.
    pub opening: Vec<Pattern>,
    /// Separates two sentences.
    pub sentence_separator: String,
    /// Separates a heading from its text.
    pub heading_separator: String,
    /// Words for days that are near, by how many days ahead they are.
    pub near: IndexMap<u32, Vec<String>>,
    /// What stands in the place of a near day and words that do not go with it: `tomorrow` of `on tomorrow`.
    pub bare: IndexMap<String, String>,
    /// How days are said.
    pub days: Option<Days>,
    /// How times of the day are said.
    pub times: Times,
}

/// How times of the day are said: over `{h12}`, `{h24}`, `{mm}` and `{half}`.
#[derive(Debug, Clone, Default)]
pub struct Times {
    /// Words for the halves of a day, or for as many parts of equal length as there are.
    pub halves: Vec<String>,
    /// A full hour.
    pub full: Vec<Pattern>,
    /// Any other time.
    pub other: Vec<Pattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestText {
    today: Vec<String>,
    tell: Vec<String>,
    each: Vec<String>,
    #[serde(default)]
    choose: Vec<String>,
    #[serde(default)]
    took_one: Vec<String>,
    #[serde(default)]
    took_other: Vec<String>,
    #[serde(default)]
    fork: Vec<String>,
    #[serde(default)]
    forked: Vec<String>,
    #[serde(default)]
    next: Vec<String>,
    then: Vec<String>,
    #[serde(default)]
    backward: Vec<String>,
    #[serde(default = "pair")]
    pair: String,
    joints: (String, String),
    numbers: (String, String),
    opening: Vec<String>,
    #[serde(default = "sentence_separator")]
    sentence_separator: String,
    #[serde(default = "heading_separator")]
    heading_separator: String,
    #[serde(default)]
    near: IndexMap<String, Vec<String>>,
    #[serde(default)]
    bare: IndexMap<String, String>,
    days: DaysText,
    times: TimesText,
}

fn sentence_separator() -> String {
    " ".to_owned()
}

fn pair() -> String {
    r"{1} \({2}\)".to_owned()
}

fn heading_separator() -> String {
    ": ".to_owned()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TimesText {
    halves: Vec<String>,
    full: Vec<String>,
    other: Vec<String>,
}

impl RequestPhrases {
    /// Loads `locales/<code>/requests.toml`, or the English one in its place.
    pub(crate) fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        let path = super::super::locale_file(assets, code, "requests.toml");
        let none = || Self {
            sentence_separator: sentence_separator(),
            heading_separator: heading_separator(),
            ..Self::default()
        };
        assets.read(&path).map_or_else(|| Ok(none()), |text| Self::parse(&path, &text))
    }

    fn parse(path: &str, text: &str) -> Result<Self, LocaleError> {
        let text: RequestText = crate::toml_text::from_toml(text)
            .map_err(|error| LocaleError::Toml { path: path.to_owned(), message: error.to_string() })?;
        Ok(Self {
            today: parse_all(path, &text.today)?,
            tell: parse_all(path, &text.tell)?,
            each: parse_all(path, &text.each)?,
            choose: parse_all(path, &text.choose)?,
            took_one: parse_all(path, &text.took_one)?,
            took_other: parse_all(path, &text.took_other)?,
            fork: parse_all(path, &text.fork)?,
            forked: parse_all(path, &text.forked)?,
            next: parse_all(path, &text.next)?,
            then: parse_all(path, &text.then)?,
            backward: parse_all(path, &text.backward)?,
            pair: parse_all(path, &[text.pair])?.pop(),
            joints: text.joints,
            numbers: text.numbers,
            opening: parse_all(path, &text.opening)?,
            sentence_separator: text.sentence_separator,
            heading_separator: text.heading_separator,
            near: text.near.into_iter().filter_map(|(days, words)| Some((days.parse().ok()?, words))).collect(),
            bare: text.bare,
            days: Some(text.days.parse(path)?),
            times: Times {
                halves: text.times.halves,
                full: parse_all(path, &text.times.full)?,
                other: parse_all(path, &text.times.other)?,
            },
        })
    }

    /// Things in a row: `a, b and c`.
    pub fn joined(&self, things: &[String]) -> String {
        let is_bare = |thing: &String| thing.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        let joints = if things.iter().all(is_bare) { &self.numbers } else { &self.joints };
        match things {
            [] => String::new(),
            [one] => one.clone(),
            [others @ .., last] => format!("{}{}{last}", others.join(&joints.0), joints.1),
        }
    }

    /// Sentences joined to a text.
    pub fn join_sentences(&self, sentences: &[String]) -> String {
        sentences.join(&self.sentence_separator)
    }

    /// A text whose near days stand without the words that do not go with them.
    pub fn bared(&self, text: &str) -> String {
        self.bare.iter().fold(text.to_owned(), |text, (words, bare)| text.replace(words, bare))
    }

    /// The order in which one request says its days.
    pub fn day_order(&self, chance: &mut Chance) -> DayOrder {
        self.days.as_ref().map(|days| days.order(chance)).unwrap_or_default()
    }

    /// A day in an order, as it is said on another day.
    pub fn day(&self, day: Date, (today, order): (Date, &DayOrder), chance: &mut Chance) -> String {
        let ahead = u32::try_from(day.number() - today.number()).ok();
        if let Some(word) = ahead.and_then(|ahead| self.near.get(&ahead)).and_then(|words| chance.pick(words)) {
            return word.clone();
        }
        self.days.as_ref().map_or_else(|| day.to_string(), |days| days.say_in(order, day, chance))
    }

    /// A day as an answer says it: with its year.
    pub fn whole_day(&self, day: Date) -> String {
        let said = self.days.iter().flat_map(|days| &days.said).find(|it| it.slots().contains(&"year"));
        self.days.as_ref().zip(said).map_or_else(|| day.to_string(), |(days, said)| days.say_as(said, day))
    }

    /// A time of the day.
    pub fn time(&self, time: Time, chance: &mut Chance) -> String {
        let patterns = if time.minute == 0 { &self.times.full } else { &self.times.other };
        let plain = || format!("{:02}:{:02}", time.hour, time.minute);
        chance
            .pick(patterns)
            .map_or_else(plain, |pattern| pattern.render(&mut Clock { times: &self.times, time }, chance))
    }
}

impl Times {
    /// The word for the part of the day that an hour is in.
    fn part_of_day(&self, hour: u8) -> Option<&String> {
        self.halves.get(usize::from(hour) * self.halves.len() / 24)
    }
}

struct Clock<'a> {
    times: &'a Times,
    time: Time,
}

impl Fill for Clock<'_> {
    fn has(&self, slot: &str) -> bool {
        ["h12", "h24", "mm", "half"].contains(&slot)
    }

    fn say(&mut self, slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        let Time { hour, minute, .. } = self.time;
        match slot {
            "h12" => (if hour % 12 == 0 { 12 } else { hour % 12 }).to_string(),
            "h24" => hour.to_string(),
            "mm" => format!("{minute:02}"),
            _ => self.times.part_of_day(hour).cloned().unwrap_or_default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn phrases(code: &str) -> RequestPhrases {
        RequestPhrases::load(crate::fixtures::assets(), code).unwrap()
    }

    fn all(mut say: impl FnMut(&mut Chance) -> String) -> BTreeSet<String> {
        (0..80).map(|draw| say(&mut Chance::new(1, "s", "i", draw))).collect()
    }

    #[test]
    fn things_stand_in_a_row() {
        let things = |count: usize| ["a", "b", "c"][..count].iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let phrases = phrases("en");
        assert_eq!(phrases.joined(&things(0)), "");
        assert_eq!(phrases.joined(&things(1)), "a");
        assert_eq!(phrases.joined(&things(2)), "a and b");
        assert_eq!(phrases.joined(&things(3)), "a, b and c");
    }

    #[test]
    fn numbers_have_joints_of_their_own() {
        let numbers = ["9", "12.5", "8"].map(str::to_owned);
        assert_eq!(phrases("zh").joined(&numbers), "9、12.5和8");
        assert_eq!(phrases("zh").joined(&["大床房".to_owned(), "套房".to_owned()]), "大床房以及套房");
    }

    #[test]
    fn sentences_are_separated_as_the_language_has_it() {
        let two = |one: &str, two: &str| [one.to_owned(), two.to_owned()];
        assert_eq!(phrases("en").join_sentences(&two("A.", "B.")), "A. B.");
        assert_eq!(phrases("zh").join_sentences(&two("好。", "查到了。")), "好。查到了。");
        assert_eq!(phrases("xx").join_sentences(&two("A.", "B.")), "A. B.");
    }

    #[test]
    fn a_near_day_has_a_word_and_a_far_one_its_date() {
        let today = Date::new(2024, 10, 13).unwrap();
        let said = |code: &str, day: Date| {
            all(|chance| phrases(code).day(day, (today, &phrases(code).day_order(chance)), chance))
        };
        assert!(said("en", today.plus(1).unwrap()).contains("tomorrow"));
        let far = said("en", Date::new(2024, 11, 3).unwrap());
        assert!(far.contains("November 3") && far.iter().all(|words| words.contains('3')), "{far:?}");
        assert!(said("ko", Date::new(2024, 11, 3).unwrap()).contains("11월 3일"));
    }

    #[test]
    fn a_near_day_stands_without_the_words_of_a_date() {
        assert_eq!(phrases("en").bared("a room on tomorrow and on May 3"), "a room tomorrow and on May 3");
        assert_eq!(phrases("ko").bared("내일에 출발하고 5월 3일에 도착"), "내일 출발하고 5월 3일에 도착");
    }

    #[test]
    fn a_time_is_said_in_halves_or_in_full() {
        let said =
            |code: &str, hour, minute| all(|chance| phrases(code).time(Time::new(hour, minute, 0).unwrap(), chance));
        assert!(said("en", 8, 0).contains("8 a.m.") && said("en", 0, 0).contains("12 a.m."));
        assert!(said("en", 14, 30).contains("2:30 p.m."));
        assert!(said("ko", 14, 0).contains("오후 2시") && said("ko", 9, 5).contains("오전 9시 05분"));
        let parts =
            [(0, "凌晨12点"), (6, "早上6点"), (10, "上午10点"), (12, "中午12点"), (13, "下午1点"), (23, "晚上11点")];
        assert!(parts.iter().all(|(hour, words)| said("zh", *hour, 0).contains(*words)), "{:?}", said("zh", 23, 0));
    }

    #[test]
    fn a_language_without_such_phrases_has_none_and_a_faulty_file_is_named() {
        assert!(phrases("xx").today.is_empty());
        let error = RequestPhrases::parse("l/requests.toml", "today = [").unwrap_err().to_string();
        assert!(error.contains("l/requests.toml"), "{error}");
    }
}
