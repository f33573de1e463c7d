//! A language's calendar: its names of months, days and parts of the day, and its date and time patterns.

use super::civil::{Stamp, Time};
use super::expression::{DayPart, Expression};
use crate::locale::numerals::Lexicon;
use indexmap::IndexMap;
use serde::Deserialize;

/// The `[calendar]` table of a language file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::locale) struct CalendarWords {
    /// Names of each month, from January.
    months: Vec<Vec<String>>,
    /// Names of each weekday, from Monday.
    weekdays: Vec<Vec<String>>,
    /// Words for a day by its distance from today.
    days: IndexMap<String, i64>,
    /// Whether spaces may be missing, and stand where the pattern has none.
    loose: bool,
    parts: PartWords,
    date: Vec<DatePattern>,
    time: Vec<TimePattern>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartWords {
    morning: Vec<String>,
    afternoon: Vec<String>,
    night: Vec<String>,
    noon: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct DatePattern {
    says: Vec<String>,
    means: DateMeaning,
    #[serde(default)]
    weeks: i64,
    #[serde(default)]
    days: i64,
    #[serde(default)]
    months: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DateMeaning {
    /// Month and day, with or without a year.
    Date,
    /// A day of this month or of the next.
    Day,
    /// A day of the month that is `months` away.
    MonthDay,
    /// So many days from today: the slot's or the pattern's.
    Relative,
    /// The first such weekday from today on.
    Coming,
    /// The weekday of the week that is `weeks` away.
    Weekday,
    /// The count times `days` away.
    Shift,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct TimePattern {
    says: Vec<String>,
    #[serde(default)]
    means: TimeMeaning,
    #[serde(default)]
    minutes: i64,
    #[serde(default)]
    at: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TimeMeaning {
    /// The hour, the minute if said, and the pattern's `minutes` added.
    #[default]
    Clock,
    /// The count in minutes after the hour.
    Past,
    /// The count in minutes before the hour.
    To,
}

/// A language's calendar, ready for use.
#[derive(Debug, Clone)]
pub(in crate::locale) struct Calendar {
    pub(super) loose: bool,
    pub(super) words: CalendarLexicons,
    pub(super) weekday_names: Vec<String>,
    pub(super) dates: Vec<(Expression, DateMeaning, i64)>,
    pub(super) times: Vec<(Expression, TimeMeaning, i64, Option<Time>)>,
}

#[derive(Debug, Clone)]
pub(super) struct CalendarLexicons {
    pub(super) months: Lexicon<i64>,
    pub(super) weekdays: Lexicon<i64>,
    pub(super) days: Lexicon<i64>,
    pub(super) parts: Lexicon<DayPart>,
}

impl Calendar {
    /// Compiles the table; the error says what is wrong in it.
    pub(in crate::locale) fn new(words: &CalendarWords) -> Result<Self, String> {
        for (what, names, count) in [("months", &words.months, 12), ("weekdays", &words.weekdays, 7)] {
            if names.len() != count {
                return Err(format!("`{what}` must list {count}, but lists {}", names.len()));
            }
        }
        let mut dates = Vec::new();
        for pattern in &words.date {
            let amount = match pattern.means {
                DateMeaning::Weekday => pattern.weeks,
                DateMeaning::MonthDay => pattern.months,
                _ => pattern.days,
            };
            for says in &pattern.says {
                dates.push((Expression::new(says)?, pattern.means, amount));
            }
        }
        let mut times = Vec::new();
        for pattern in &words.time {
            let at = pattern
                .at
                .as_deref()
                .map(|at| Stamp::read(at).and_then(|stamp| stamp.time).ok_or_else(|| format!("`{at}` is not a time")));
            let at = at.transpose()?;
            for says in &pattern.says {
                times.push((Expression::new(says)?, pattern.means, pattern.minutes, at));
            }
        }
        let weekday_names = words.weekdays.iter().map(|names| names.first().cloned().unwrap_or_default()).collect();
        Ok(Self { loose: words.loose, words: CalendarLexicons::new(words), weekday_names, dates, times })
    }
}

impl CalendarLexicons {
    fn new(words: &CalendarWords) -> Self {
        let numbered = |names: &[Vec<String>], first: i64| {
            Lexicon::new(
                (first..).zip(names).flat_map(|(number, names)| names.iter().map(move |name| (name.clone(), number))),
            )
        };
        let parts = [
            (&words.parts.morning, DayPart::Morning),
            (&words.parts.afternoon, DayPart::Afternoon),
            (&words.parts.night, DayPart::Night),
            (&words.parts.noon, DayPart::Noon),
        ];
        Self {
            months: numbered(&words.months, 1),
            weekdays: numbered(&words.weekdays, 0),
            days: Lexicon::new(words.days.iter().map(|(word, days)| (word, *days))),
            parts: Lexicon::new(parts.into_iter().flat_map(|(words, part)| words.iter().map(move |word| (word, part)))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(change: impl Fn(&mut toml::Table)) -> Result<Calendar, String> {
        let file = crate::fixtures::assets().read("locales/en/language.toml").unwrap();
        let mut table: toml::Table = toml::from_str(&file).unwrap();
        let calendar = table["calendar"].as_table_mut().unwrap();
        change(calendar);
        let words: CalendarWords =
            calendar.clone().try_into().map_err(|error: toml::de::Error| error.message().to_owned())?;
        Calendar::new(&words)
    }

    #[test]
    fn a_calendar_has_twelve_months_and_seven_weekdays() {
        assert!(table(|_| ()).is_ok());
        let without_may = table(|calendar| {
            calendar["months"].as_array_mut().unwrap().remove(4);
        });
        assert_eq!(without_may.unwrap_err(), "`months` must list 12, but lists 11");
        let without_sunday = table(|calendar| {
            calendar["weekdays"].as_array_mut().unwrap().pop();
        });
        assert_eq!(without_sunday.unwrap_err(), "`weekdays` must list 7, but lists 6");
    }

    #[test]
    fn wrong_patterns_times_and_meanings_are_told() {
        let change = |list: &'static str, key: &'static str, value: toml::Value| {
            table(move |calendar| {
                let first = calendar[list].as_array_mut().unwrap()[0].as_table_mut().unwrap();
                first.insert(key.to_owned(), value.clone());
            })
            .unwrap_err()
        };
        assert_eq!(change("time", "at", "25:00".into()), "`25:00` is not a time");
        assert_eq!(change("date", "says", vec!["{moon}"].into()), "no slot `{moon}`");
        assert!(change("date", "means", "someday".into()).contains("unknown variant `someday`"));
        assert!(change("date", "wekks", 1.into()).contains("unknown field `wekks`"));
    }

    #[test]
    fn words_are_numbered_as_the_calendar_counts() {
        let calendar = table(|_| ()).unwrap();
        let chars = |text: &str| text.chars().collect::<Vec<_>>();
        assert_eq!(calendar.words.months.at(&chars("december"), 0), Some((8, &12)));
        assert_eq!(calendar.words.weekdays.at(&chars("monday"), 0), Some((6, &0)));
        assert_eq!(calendar.words.days.at(&chars("tomorrow"), 0), Some((8, &1)));
        assert_eq!(calendar.words.parts.at(&chars("p.m."), 0), Some((4, &DayPart::Afternoon)));
    }
}
