//! The words for what a request says.

use super::values::text;
use crate::locale::{Fill, Pack, Pattern, Stamp, in_words};
use crate::record::{Chance, Value};
use crate::toolset::{Format, Function, Param};
use crate::world::DeclaredWorld;

/// The words for a parameter's value; none where there are none.
pub(super) fn say(
    world: &DeclaredWorld,
    function: &Function,
    (name, param): (&str, &Param),
    value: &Value,
    chance: &mut Chance,
) -> Option<String> {
    let pack = world.pack();
    let plain = text(value);
    match param.format {
        Some(Format::Date) => {
            let today = Stamp::read(&world.declaration().today)?.date?;
            return Some(pack.requests.day(Stamp::read(&plain)?.date?, today, chance));
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
