//! Value kinds: what people name (a city, a time, a number of guests), drawn and recognised.

use super::LocaleError;
use super::Pack;
use super::dates::Stamp;
use super::days::{Days, DaysText};
use super::numerals::{in_short, in_words};
use super::parse_all;
use super::pattern::{Fill, Pattern};
use crate::record::{Chance, Value};
use serde::Deserialize;

/// The kind whose days an assistant tells as people say them, where a toolset has it.
const TOLD_DAY: &str = "assistant_day";

/// One kind of value in one language.
#[derive(Debug, Clone, Default)]
pub struct Kind {
    /// Which of the external entities it is, if any (HammerBench: nine, such as time, place, person).
    pub entity: Option<String>,
    /// Words that announce such a value.
    pub cues: Vec<String>,
    /// Patterns of its values; they may name other kinds as slots.
    pub values: Vec<Pattern>,
    /// Numbers instead of texts.
    pub numbers: Option<Numbers>,
    /// Days instead of texts.
    pub days: Option<Days>,
    /// How a number of this kind is said, over `{n}`: `{n} dollars`; bare where there are none.
    pub said: Vec<Pattern>,
}

/// A span of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct Numbers {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
    /// The step between neighbours.
    pub step: f64,
    /// Digits after the point.
    pub decimals: usize,
}

/// A value with the words that say it.
#[derive(Debug, Clone, PartialEq)]
pub struct Drawn {
    /// The value.
    pub value: Value,
    /// How a text says it.
    pub surface: String,
}

/// A kind as its file writes it.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KindText {
    #[serde(default)]
    entity: Option<String>,
    #[serde(default)]
    cues: Vec<String>,
    #[serde(default)]
    values: Vec<String>,
    #[serde(default)]
    range: Option<[f64; 2]>,
    #[serde(default)]
    step: Option<f64>,
    #[serde(default)]
    decimals: usize,
    #[serde(default)]
    days: Option<DaysText>,
    #[serde(default)]
    said: Vec<String>,
    #[serde(default)]
    replace: bool,
}

impl KindText {
    /// Whether its values replace those of an earlier file instead of extending them.
    pub fn replaces(&self) -> bool {
        self.replace
    }

    /// The JSON type of its values: a whole number, another number, or a text.
    pub fn type_name(&self) -> &'static str {
        let whole = |number: f64| number.fract() == 0.0;
        match self.range {
            Some([least, _]) if self.decimals == 0 && whole(least) && self.step.is_none_or(whole) => "integer",
            Some(_) => "number",
            None => "string",
        }
    }

    /// Whether its values are days of the calendar.
    pub fn is_of_days(&self) -> bool {
        self.days.is_some()
    }

    /// Parses its patterns; `file` and `name` say where in errors.
    pub fn parse(self, file: &str, name: &str) -> Result<Kind, LocaleError> {
        let place = format!("{file}, kind `{name}`");
        let values = parse_all(&place, &self.values)?;
        let days = self.days.map(|days| days.parse(&place)).transpose()?;
        let numbers = self.range.map(|[least, most]| Numbers {
            least,
            most,
            step: self.step.unwrap_or(1.0),
            decimals: self.decimals,
        });
        let said = parse_all(&place, &self.said)?;
        Ok(Kind { entity: self.entity, cues: self.cues, values, numbers, days, said })
    }
}

impl Kind {
    /// Adds another file's values of the same kind.
    pub fn extend(&mut self, other: Self) {
        self.entity = self.entity.take().or(other.entity);
        self.cues.extend(other.cues);
        self.values.extend(other.values);
        self.numbers = self.numbers.take().or(other.numbers);
        self.days = self.days.take().or(other.days);
    }
}

impl Numbers {
    /// One of the numbers, as text.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "ranges are small and checked")]
    #[expect(clippy::cast_precision_loss, reason = "ranges are small and checked")]
    pub fn draw(&self, chance: &mut Chance) -> String {
        let steps = ((self.most - self.least) / self.step).floor().max(0.0) as usize;
        let number = self.least + self.step * chance.below(steps + 1) as f64;
        format!("{number:.*}", self.decimals)
    }
}

impl Pack {
    /// Draws a value of `kind`; `None` where the pack has no such kind.
    pub fn draw(&self, kind: &str, chance: &mut Chance) -> Option<Drawn> {
        self.draw_of(self.kinds.get(kind)?, chance)
    }

    pub(super) fn draw_of(&self, kind: &Kind, chance: &mut Chance) -> Option<Drawn> {
        if let Some(days) = &kind.days {
            let day = days.draw(chance);
            return Some(Drawn { surface: days.say(day, chance), value: Value::from(day.to_string()) });
        }
        if let Some(numbers) = &kind.numbers {
            let text = numbers.draw(chance);
            let surface = self.number(kind, &text, chance);
            return Some(Drawn { value: Value::read(&text).unwrap_or_default(), surface });
        }
        let surface = chance.pick(&kind.values)?.render(&mut Nested { pack: self, depth: 0 }, chance);
        Some(Drawn { value: Value::from(surface.as_str()), surface })
    }

    /// One way to say a value of `kind` that is there already: a day in one of the language's forms, all else as it stands.
    pub fn say(&self, kind: &str, value: &Value, chance: &mut Chance) -> String {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let days = self.kinds.get(kind).and_then(|kind| kind.days.as_ref());
        let day = Stamp::read(&text).and_then(|stamp| stamp.date);
        if let Some((days, day)) = days.zip(day) {
            return days.say(day, chance);
        }
        let number = self.kinds.get(kind).filter(|_| value.as_number().is_some());
        number.map_or_else(|| text.clone(), |kind| self.number(kind, &text, chance))
    }

    /// A value as an assistant tells it: days as the toolset's people say them to whom the year is plain, numbers with their
    /// thousands parted.
    pub fn told(&self, value: &Value) -> String {
        let shown = self.chat.shown(value);
        let stamp = value.as_str().and_then(Stamp::read);
        let Some(stamp) = stamp.filter(|_| self.kinds.contains_key(TOLD_DAY)) else { return shown };
        let day = stamp.date.map(|day| self.say(TOLD_DAY, &Value::from(day.to_string()), &mut Chance::of(&[b"told"])));
        // A day and a time stand as they are written, with a blank or a letter between them.
        match (day, shown.get(10..)) {
            (Some(day), Some("")) => day,
            (Some(day), Some(time)) if stamp.time.is_some() => {
                format!("{day}{}{}", self.chat.comma, time.trim_start_matches(['T', ' ']))
            }
            _ => shown,
        }
    }

    /// A number as people say one of this kind.
    fn number(&self, kind: &Kind, text: &str, chance: &mut Chance) -> String {
        let mut number = Number { pack: self, text };
        let fitting: Vec<&Pattern> = kind.said.iter().filter(|pattern| pattern.fits(&number)).collect();
        chance.pick(&fitting).map_or_else(|| text.to_owned(), |pattern| pattern.render(&mut number, chance))
    }
}

/// Fills the slots of a number: `{n}` in digits, `{grouped}` with its thousands parted, `{short}` in digits before the
/// language's word for ten thousand and more (`13만`), `{words}` in words.
struct Number<'a> {
    pack: &'a Pack,
    text: &'a str,
}

impl Number<'_> {
    fn words(&self, slot: &str, counter: Option<&str>) -> Option<String> {
        let language = self.pack.language.as_ref()?;
        match slot {
            "n" => Some(self.text.to_owned()),
            "grouped" => Some(self.pack.chat.shown(&Value::read(self.text).ok()?)),
            "short" => in_short(self.text.parse().ok()?, language),
            "words" => in_words(self.text.parse().ok()?, language, counter),
            _ => None,
        }
    }
}

impl Fill for Number<'_> {
    fn has(&self, slot: &str) -> bool {
        self.words(slot, None).is_some()
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
        let counter = particle.filter(|particle| self.pack.counts(particle));
        let words = self.words(slot, counter).unwrap_or_default();
        match counter {
            Some(counter) if slot == "words" => format!("{words}{}{counter}", self.pack.joiner),
            Some(counter) => format!("{words}{counter}"),
            None => self.pack.agreed(&words, particle),
        }
    }
}

/// Fills the slots of a value pattern with values of the kinds that they name.
struct Nested<'a> {
    pack: &'a Pack,
    depth: usize,
}

impl Fill for Nested<'_> {
    fn has(&self, slot: &str) -> bool {
        self.pack.kinds.contains_key(slot)
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, chance: &mut Chance) -> String {
        // A kind that names itself would never end.
        let Some(kind) = self.pack.kinds.get(slot).filter(|_| self.depth < 8) else { return String::new() };
        let words = match (&kind.days, &kind.numbers) {
            (Some(days), _) => days.say(days.draw(chance), chance),
            (None, Some(numbers)) => numbers.draw(chance),
            (None, None) => chance.pick(&kind.values).map_or_else(String::new, |pattern| {
                pattern.render(&mut Nested { pack: self.pack, depth: self.depth + 1 }, chance)
            }),
        };
        let particle = particle.map_or("", |particle| self.pack.particles.agree(&words, particle));
        format!("{words}{particle}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_kind_draws_values_and_names_only_known_kinds() {
        for code in ["en", "ko", "zh", "ja"] {
            let pack = crate::fixtures::pack(code);
            for (name, kind) in &pack.kinds {
                for slot in kind.values.iter().flat_map(Pattern::slots) {
                    assert!(pack.kinds.contains_key(slot), "{code}: `{name}` names `{slot}`");
                }
                let drawn = pack.draw(name, &mut Chance::of(&[name.as_bytes()])).unwrap();
                assert!(!drawn.surface.trim().is_empty(), "{code}: `{name}` is empty");
            }
        }
    }

    #[test]
    fn values_of_another_file_extend_or_replace() {
        let values = |text: &str| {
            let mut pack = Pack::load(crate::fixtures::assets(), "zh").unwrap();
            let before = pack.kinds["city"].values.len();
            pack.add_kinds("x", toml::from_str(text).unwrap()).unwrap();
            (before, pack.kinds["city"].values.len(), pack.kinds["city"].cues.is_empty())
        };
        let (before, more, _) = values("[city]\nvalues = [\"a\"]");
        assert_eq!(more, before + 1);
        let (_, replaced, without_cues) = values("[city]\nreplace = true\nvalues = [\"a\"]");
        assert_eq!((replaced, without_cues), (1, false));
    }

    #[test]
    fn a_kind_text_knows_its_type() {
        let type_name = |text: &str| toml::from_str::<KindText>(text).unwrap().type_name();
        assert_eq!(type_name("range = [6, 84]\nstep = 6"), "integer");
        assert_eq!(type_name("range = [0.99, 9.99]\ndecimals = 2"), "number");
        assert_eq!(type_name("range = [1, 3]\nstep = 0.5\ndecimals = 1"), "number");
        assert_eq!(type_name("values = [\"a\"]"), "string");
    }

    #[test]
    fn a_value_that_is_there_is_said_again() {
        let (pack, mut chance) = (Pack::load(crate::fixtures::assets(), "en").unwrap(), Chance::of(&[b"say"]));
        assert_eq!(pack.say("amount", &Value::from(45), &mut chance), "45");
        assert_eq!(pack.say("city", &Value::from("Porto"), &mut chance), "Porto");
        assert_eq!(pack.say("iso_date", &Value::from("2026-03-05"), &mut chance), "March 5, 2026");
    }

    #[test]
    fn numbers_keep_their_range_step_and_decimals() {
        let numbers = Numbers { least: 1.0, most: 2.0, step: 0.5, decimals: 1 };
        let mut chance = Chance::of(&[b"numbers"]);
        for _ in 0..50 {
            assert!(["1.0", "1.5", "2.0"].contains(&numbers.draw(&mut chance).as_str()));
        }
    }
}
