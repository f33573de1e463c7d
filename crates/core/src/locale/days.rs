//! Days of the calendar as a value kind: drawn from one year or several, written in ISO 8601, said in the language's own forms.

use super::LocaleError;
use super::dates::Date;
use super::parse_all;
use super::pattern::{Fill, Pattern};
use crate::record::Chance;
use serde::Deserialize;

/// The days of a year or of several, and how a language says them.
#[derive(Debug, Clone, PartialEq)]
pub struct Days {
    /// The year, or the first of them.
    pub year: i32,
    /// The last year.
    pub until: i32,
    /// Names of the months, for languages that have some.
    pub months: Vec<String>,
    /// Patterns over `{iso}`, `{year}`, `{month}` (a number), `{name}` (the month's) and `{day}`.
    pub said: Vec<Pattern>,
}

/// In which order the parts of a day stand: the month before the day, or after it. Nobody changes it within one request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DayOrder(Vec<String>);

/// Such days as a file writes them.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DaysText {
    year: i32,
    #[serde(default)]
    until: Option<i32>,
    #[serde(default)]
    months: Vec<String>,
    said: Vec<String>,
}

impl DaysText {
    /// Parses its patterns; `place` says where in errors.
    pub(super) fn parse(self, place: &str) -> Result<Days, LocaleError> {
        let until = self.until.unwrap_or(self.year);
        Ok(Days { year: self.year, until, months: self.months, said: parse_all(place, &self.said)? })
    }
}

impl Days {
    /// One of the days.
    pub fn draw(&self, chance: &mut Chance) -> Date {
        let first = Date { year: self.year, month: 1, day: 1 };
        let days = Date { year: self.until.saturating_add(1), ..first }.number() - first.number();
        let offset = chance.below(usize::try_from(days).unwrap_or(0));
        i64::try_from(offset).ok().and_then(|offset| first.plus(offset)).unwrap_or(first)
    }

    /// One way to say a day.
    pub fn say(&self, day: Date, chance: &mut Chance) -> String {
        self.render(chance.pick(&self.said), day, chance)
    }

    /// One of the orders, each as often as patterns have it.
    pub fn order(&self, chance: &mut Chance) -> DayOrder {
        chance.pick(&self.said).map(order_of).unwrap_or_default()
    }

    /// One way to say a day in an order.
    pub fn say_in(&self, order: &DayOrder, day: Date, chance: &mut Chance) -> String {
        let fitting: Vec<&Pattern> = self.said.iter().filter(|pattern| order_of(pattern) == *order).collect();
        self.render(chance.pick(&fitting).copied(), day, chance)
    }

    /// A day by one of the patterns.
    pub(super) fn say_as(&self, pattern: &Pattern, day: Date) -> String {
        pattern.render(&mut Saying { days: self, day }, &mut Chance::of(&[b"day"]))
    }

    fn render(&self, pattern: Option<&Pattern>, day: Date, chance: &mut Chance) -> String {
        pattern.map_or_else(|| day.to_string(), |it| it.render(&mut Saying { days: self, day }, chance))
    }
}

/// The order of a pattern's parts; the year may stand anywhere or nowhere.
fn order_of(pattern: &Pattern) -> DayOrder {
    DayOrder(pattern.slots().into_iter().filter(|slot| *slot != "year").map(str::to_owned).collect())
}

struct Saying<'a> {
    days: &'a Days,
    day: Date,
}

impl Saying<'_> {
    fn part(&self, slot: &str) -> Option<String> {
        match slot {
            "iso" => Some(self.day.to_string()),
            "year" => Some(self.day.year.to_string()),
            "month" => Some(self.day.month.to_string()),
            "day" => Some(self.day.day.to_string()),
            "name" => self.days.months.get(usize::from(self.day.month).checked_sub(1)?).cloned(),
            _ => None,
        }
    }
}

impl Fill for Saying<'_> {
    fn has(&self, slot: &str) -> bool {
        self.part(slot).is_some()
    }

    fn say(&mut self, slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        self.part(slot).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::{Language, Pack, Stand, value_stands};
    use crate::record::{Origin, Value};
    use std::collections::BTreeSet;

    #[test]
    fn every_shipped_language_says_days_so_that_they_stand_in_a_text() {
        for code in ["en", "ko", "zh", "ja"] {
            let (pack, language) = (
                Pack::load(crate::fixtures::assets(), code).unwrap(),
                Language::load(crate::fixtures::assets(), code).unwrap(),
            );
            for draw in 0..200 {
                let drawn = pack.draw("iso_date", &mut Chance::new(1, "days", code, draw)).unwrap();
                let value = drawn.value.as_str().unwrap().to_owned();
                assert!(value.starts_with("2026-") && value.len() == 10, "{value}");
                let found = value_stands(&drawn.surface, &drawn.value, &Stand::default(), &language);
                let found = found.unwrap_or_else(|| panic!("{code}: {value} in `{}`", drawn.surface));
                assert_eq!(found.origin, Origin::Normalised, "{code}: nobody says a day in digits: {found:?}");
            }
        }
    }

    #[test]
    fn the_whole_year_is_drawn_and_nothing_else() {
        let days = Days { year: 2024, until: 2024, months: Vec::new(), said: Vec::new() };
        let drawn: BTreeSet<Date> = (0..4000).map(|draw| days.draw(&mut Chance::new(1, "d", "x", draw))).collect();
        assert_eq!(drawn.len(), 366);
        assert!(drawn.iter().all(|day| day.year == 2024));
        assert_eq!(days.say(Date::new(2024, 2, 9).unwrap(), &mut Chance::of(&[b"x"])), "2024-02-09");
    }

    #[test]
    fn days_of_one_order_have_the_month_on_one_side_of_the_day() {
        let months = vec!["March".to_owned()];
        let said = ["{name} {day}", "{name} {day}, {year}", "{day} {name}"].map(|text| Pattern::parse(text).unwrap());
        let days = Days { year: 2024, until: 2024, months, said: said.to_vec() };
        let mut found = BTreeSet::new();
        for draw in 0..40 {
            let mut chance = Chance::new(1, "days", "order", draw);
            let order = days.order(&mut chance);
            let day = Date::new(2024, 1, 9).unwrap();
            let said: BTreeSet<String> = (0..30).map(|_| days.say_in(&order, day, &mut chance)).collect();
            found.insert(said.into_iter().collect::<Vec<_>>().join("; "));
        }
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["9 March", "March 9; March 9, 2024"]);
        let none = DayOrder::default();
        assert_eq!(days.say_in(&none, Date::new(2024, 1, 9).unwrap(), &mut Chance::of(&[b"x"])), "2024-01-09");
    }

    #[test]
    fn a_form_without_its_months_is_left_out() {
        let text: DaysText = toml::from_str("year = 2026\nsaid = [\"({name} {day}|{month}/{day}/{year})\"]").unwrap();
        let days = text.parse("kinds.toml").unwrap();
        let said = days.say(Date::new(2026, 3, 5).unwrap(), &mut Chance::of(&[b"x"]));
        assert_eq!(said, "3/5/2026");
        let wrong: DaysText = toml::from_str("year = 2026\nsaid = [\"{\"]").unwrap();
        assert!(wrong.parse("kinds.toml, kind `d`").unwrap_err().to_string().starts_with("kinds.toml, kind `d`: `{`"));
        assert_eq!(Value::from("2026-03-05").as_str().map(str::len), Some(10));
    }
}
