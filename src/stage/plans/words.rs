//! The words for what a request says.

use super::values::text;
use crate::locale::{DayOrder, Fill, Pack, Pattern, Stamp, in_words};
use crate::record::{Chance, ItemId, Value};
use crate::toolset::{Format, Function, Param};
use crate::world::DeclaredWorld;

/// The order in which a request and all its variants say days.
pub(in crate::stage) fn day_order(world: &DeclaredWorld, seed: u64, base: &ItemId) -> DayOrder {
    world.pack().requests.day_order(&mut Chance::new(seed, "days", base.as_str(), 0))
}

/// The words for a parameter's value; none where there are none.
pub(super) fn say(
    world: &DeclaredWorld,
    function: &Function,
    (name, param): (&str, &Param),
    (value, order): (&Value, &DayOrder),
    chance: &mut Chance,
) -> Option<String> {
    let pack = world.pack();
    let plain = text(value);
    match param.format {
        Some(Format::Date) => {
            let today = Stamp::read(&world.declaration().today)?.date?;
            return Some(pack.requests.day(Stamp::read(&plain)?.date?, (today, order), chance));
        }
        Some(Format::Time) => return Some(pack.requests.time(Stamp::read(&plain)?.time?, chance)),
        _ => {}
    }
    let Some(forms) = function.sayings.said.get(name) else { return Some(plain) };
    let list: Vec<String> = plain.split(',').map(str::to_owned).collect();
    let is_one = plain == "1" || (param.format == Some(Format::Numbers) && list.len() == 1);
    let form =
        forms.get(&plain).or_else(|| if is_one { forms.get("one") } else { None }).or_else(|| forms.get("many"))?;
    let patterns: Vec<Pattern> = form.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
    let row = param.of.as_ref().and_then(|of| name_of(world, of, value));
    let mut fill =
        Number { pack, value: value.clone(), plain: plain.clone(), list: pack.requests.joined(&list), name: row };
    let fitting: Vec<&Pattern> = patterns.iter().filter(|pattern| pattern.fits(&fill)).collect();
    let pattern = chance.pick(&fitting)?;
    Some(pattern.render(&mut fill, chance))
}

/// What people call a row of a table.
fn name_of(world: &DeclaredWorld, table: &str, key: &Value) -> Option<String> {
    let rows = world.session().rows(table);
    let row =
        rows.iter().filter_map(Value::as_object).find(|row| row.values().next().is_some_and(|it| it.equals(key)))?;
    row.get("name").map(text)
}

struct Number<'n> {
    pack: &'n Pack,
    value: Value,
    plain: String,
    list: String,
    name: Option<String>,
}

impl Number<'_> {
    fn words(&self) -> Option<String> {
        let number = self.value.as_number()?.as_str().parse::<u64>().ok().filter(|it| *it <= 12)?;
        in_words(number, self.pack.language.as_deref()?, None)
    }
}

impl Fill for Number<'_> {
    fn has(&self, slot: &str) -> bool {
        match slot {
            "n" | "list" => true,
            "name" => self.name.is_some(),
            "words" => self.words().is_some(),
            _ => false,
        }
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
        let words = match slot {
            "n" => Some(self.plain.clone()),
            "list" => Some(self.list.clone()),
            "name" => self.name.clone(),
            _ => self.words(),
        };
        self.pack.agreed(&words.unwrap_or_default(), particle)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Ground, inn, korean, travel};
    use super::*;
    use std::collections::BTreeSet;

    /// All that is said for a value.
    fn said(ground: &'static Ground, function: &str, name: &str, json: &str) -> Vec<String> {
        let (function, value) = (ground.function(function), Value::read(json).unwrap());
        let param = &function.parameters[name];
        let words = (0..30).filter_map(|draw| {
            let mut chance = Chance::new(1, "w", name, draw);
            let order = ground.pack.requests.day_order(&mut chance);
            say(&ground.world, function, (name, param), (&value, &order), &mut chance)
        });
        words.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn inns(name: &str, json: &str) -> Vec<String> {
        said(inn(), "Search_Inns", name, json)
    }

    #[test]
    fn numbers_are_said_as_one_or_as_many_and_small_ones_in_words_too() {
        assert_eq!(inns("guests", "1"), ["one guest"]);
        assert_eq!(inns("guests", "4"), ["4 guests", "four guests"]);
        assert_eq!(inns("guests", "14"), ["14 guests"]);
        assert_eq!(inns("ages", "\"5\""), ["a child of 5"]);
        assert_eq!(inns("ages", "\"3,7\""), ["children of 3 and 7"]);
        assert_eq!(said(korean(), "Search_Inns", "guests", "4"), ["4명"]);
        assert_eq!(said(korean(), "Search_Inns", "ages", "\"5\""), ["5살 아이"]);
    }

    #[test]
    fn what_has_a_form_of_its_own_is_said_by_that() {
        assert_eq!(inns("quiet", "true"), ["with quiet rooms"]);
        assert_eq!(inns("sort", "\"stars\""), ["by stars"]);
        assert_eq!(inns("sort", "\"price\""), Vec::<String>::new(), "nobody says the default");
        assert_eq!(said(inn(), "Find_Town", "query", "\"Greyford\""), ["Greyford"]);
        assert_eq!(inns("stars_from", "3"), ["3"]);
    }

    #[test]
    fn days_and_times_are_said_as_the_language_says_them() {
        let days = inns("arrival", "\"2024-11-05\"");
        assert!(days.contains(&"November 5".to_owned()) && days.iter().all(|day| day.contains('5')), "{days:?}");
        assert_eq!(inns("arrival", "\"2024-10-14\""), ["tomorrow"]);
        assert_eq!(inns("arrival", "\"soon\""), Vec::<String>::new());
        let times = said(travel("en"), "Search_Taxi", "pick_up_time", "\"15:30\"");
        assert!(times.contains(&"15:30".to_owned()) && times.contains(&"3:30 p.m.".to_owned()), "{times:?}");
    }

    #[test]
    fn a_row_is_called_by_its_name() {
        let words = said(travel("en"), "Search_Taxi", "currency_code", "\"EUR\"");
        assert_eq!(words, [name_of(&travel("en").world, "currencies", &Value::from("EUR")).unwrap()]);
        assert_eq!(said(travel("en"), "Search_Taxi", "currency_code", "\"XXX\""), Vec::<String>::new());
    }
}
