//! Value kinds: what people name (a city, a time, a number of guests), drawn and recognised.

use super::pattern::{Fill, Pattern};
use super::{LocaleError, Pack, parse_all};
use crate::record::{Chance, Value};
use serde::Deserialize;

/// One kind of value in one language.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Which of the external entities it is, if any (HammerBench: nine, such as time, place, person).
    pub entity: Option<String>,
    /// Words that announce such a value.
    pub cues: Vec<String>,
    /// Patterns of its values; they may name other kinds as slots.
    pub values: Vec<Pattern>,
    /// Numbers instead of texts.
    pub numbers: Option<Numbers>,
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
}

impl KindText {
    /// Parses its patterns; `file` and `name` say where in errors.
    pub fn parse(self, file: &str, name: &str) -> Result<Kind, LocaleError> {
        let values = parse_all(&format!("{file}, kind `{name}`"), &self.values)?;
        let numbers = self.range.map(|[least, most]| Numbers {
            least,
            most,
            step: self.step.unwrap_or(1.0),
            decimals: self.decimals,
        });
        Ok(Kind { entity: self.entity, cues: self.cues, values, numbers })
    }
}

impl Kind {
    /// Adds another file's values of the same kind.
    pub fn extend(&mut self, other: Self) {
        self.entity = self.entity.take().or(other.entity);
        self.cues.extend(other.cues);
        self.values.extend(other.values);
        self.numbers = self.numbers.take().or(other.numbers);
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
        let kind = self.kinds.get(kind)?;
        if let Some(numbers) = &kind.numbers {
            let surface = numbers.draw(chance);
            return Some(Drawn { value: Value::read(&surface).unwrap_or_default(), surface });
        }
        let surface = chance.pick(&kind.values)?.render(&mut Nested { pack: self, depth: 0 }, chance);
        Some(Drawn { value: Value::from(surface.as_str()), surface })
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
        let words = match &kind.numbers {
            Some(numbers) => numbers.draw(chance),
            None => chance.pick(&kind.values).map_or_else(String::new, |pattern| {
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
        for code in ["en", "ko", "zh"] {
            let pack = Pack::load(code).unwrap();
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
    fn numbers_keep_their_range_step_and_decimals() {
        let numbers = Numbers { least: 1.0, most: 2.0, step: 0.5, decimals: 1 };
        let mut chance = Chance::of(&[b"numbers"]);
        for _ in 0..50 {
            assert!(["1.0", "1.5", "2.0"].contains(&numbers.draw(&mut chance).as_str()));
        }
    }
}
