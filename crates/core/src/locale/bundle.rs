//! Values that belong together, which no draw of single values would bring together: a rating and its review, an activity
//! with a distance and a duration; and of two days of one call, which comes first.

use super::kind::{Drawn, Kind, Numbers};
use super::{Date, Language, LocaleError, Pack, Pattern, Stamp, parse_all, resolve};
use crate::record::{Chance, Value};
use indexmap::IndexMap;
use serde::Deserialize;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Values that one call may hold together, by value kind, or by parameter where a parameter lists its values.
#[derive(Debug, Clone, Deserialize)]
#[serde(transparent)]
pub struct BundleText(IndexMap<String, CellText>);

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected two numbers, minimum and maximum, or a list of texts")]
enum CellText {
    Range([f64; 2]),
    Texts(Vec<String>),
}

/// The same, parsed.
#[derive(Debug, Clone)]
pub(super) struct Bundle(IndexMap<String, Cell>);

#[derive(Debug, Clone)]
enum Cell {
    Range(f64, f64),
    /// Patterns, and the texts that they stand for.
    Texts(Vec<Pattern>, BTreeSet<String>),
}

/// How many texts of one pattern are known.
const TEXTS: usize = 400;

impl BundleText {
    /// The kinds and parameters that it has values of.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Parses its patterns; `file` says where in errors.
    fn parse(&self, file: &str) -> Result<Bundle, LocaleError> {
        let cell = |(kind, text): (&String, &CellText)| {
            let cell = match text {
                CellText::Range([least, most]) => Cell::Range(*least, *most),
                CellText::Texts(texts) => {
                    let patterns = parse_all(&format!("{file}, bundle of `{kind}`"), texts)?;
                    let texts = patterns.iter().flat_map(|pattern| pattern.variants(TEXTS)).collect();
                    Cell::Texts(patterns, texts)
                }
            };
            Ok((kind.clone(), cell))
        };
        self.0.iter().map(cell).collect::<Result<_, _>>().map(Bundle)
    }
}

impl Cell {
    fn holds(&self, value: &Value) -> bool {
        match (self, value.as_str()) {
            (Self::Texts(_, texts), Some(text)) => texts.contains(text),
            (Self::Range(least, most), None) => {
                let number = value.as_number().and_then(|it| it.as_str().parse::<f64>().ok());
                number.is_some_and(|it| (*least..=*most).contains(&it))
            }
            _ => false,
        }
    }
}

impl Pack {
    /// Adds bundles of values; their texts are values of their kinds as well.
    pub fn add_bundles(&mut self, file: &str, bundles: &[BundleText]) -> Result<(), LocaleError> {
        for bundle in bundles {
            let bundle = bundle.parse(file)?;
            for (kind, cell) in &bundle.0 {
                if let (Some(kind), Cell::Texts(patterns, _)) = (self.kinds.get_mut(kind), cell) {
                    kind.values.extend(patterns.iter().cloned());
                }
            }
            self.bundles.push(bundle);
        }
        Ok(())
    }

    /// A value of `kind` that goes with others that a call holds already, by their kinds; absent where no bundle has both.
    pub fn draw_beside(&self, kind: &str, others: &[(&str, &Value)], chance: &mut Chance) -> Option<Drawn> {
        let own: Vec<&Bundle> = self.bundles.iter().filter(|bundle| bundle.0.contains_key(kind)).collect();
        let related = |(other, _): &&(&str, &Value)| own.iter().any(|bundle| bundle.0.contains_key(*other));
        let related: Vec<&(&str, &Value)> = others.iter().filter(related).collect();
        if related.is_empty() {
            return None;
        }
        let goes = |bundle: &&&Bundle| {
            related.iter().all(|(other, value)| bundle.0.get(*other).is_some_and(|cell| cell.holds(value)))
        };
        let fitting: Vec<&Bundle> = own.iter().filter(goes).copied().collect();
        let cell = chance.pick(if fitting.is_empty() { &own } else { &fitting })?.0.get(kind)?;
        let whole = self.kinds.get(kind).cloned().unwrap_or_default();
        let kind = match cell {
            Cell::Texts(patterns, _) => Kind { values: patterns.clone(), numbers: None, ..whole },
            Cell::Range(least, most) => {
                let (step, decimals) = whole.numbers.as_ref().map_or((1.0, 0), |it| (it.step, it.decimals));
                Kind { numbers: Some(Numbers { least: *least, most: *most, step, decimals }), ..whole }
            }
        };
        self.draw_of(&kind, chance)
    }

    /// Whether two values of one kind are in the order that the names of their parameters tell; absent where they tell
    /// none, or it cannot be seen.
    pub fn in_order(&self, (name, drawn): (&str, &Drawn), (other, held): (&str, &Drawn)) -> Option<bool> {
        let (earlier, later) = match (self.derived.precedes(name, other), self.derived.precedes(other, name)) {
            (true, _) => (drawn, held),
            (_, true) => (held, drawn),
            _ => return None,
        };
        let order = if let (Some(one), Some(two)) = (number(&earlier.value), number(&later.value)) {
            one.partial_cmp(&two)?
        } else {
            let language = self.language.as_ref()?;
            moment(&earlier.surface, language)?.cmp(&moment(&later.surface, language)?)
        };
        Some(order == Ordering::Less)
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_number()?.as_str().parse().ok()
}

/// The day and the time that words say, as somebody would count at the beginning of a year.
fn moment(text: &str, language: &Language) -> Option<(Option<Date>, Option<super::Time>)> {
    let reference = Stamp { date: Date::new(2026, 1, 5), time: None };
    let said = resolve(text, Some(reference), language).into_iter().next()?;
    Some((said.date.map(|it| it.value), said.time.map(|it| it.value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pack() -> Pack {
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        let bundles = r#"
            [[bundles]]
            stars = [4, 5]
            review = ["(great|lovely)"]
            [[bundles]]
            stars = [1, 2]
            review = ["awful"]
        "#;
        let text: IndexMap<String, Vec<BundleText>> = crate::toml_text::from_toml(bundles).unwrap();
        pack.add_bundles("test", &text["bundles"]).unwrap();
        pack
    }

    fn drawn(pack: &Pack, kind: &str, others: &[(&str, &Value)]) -> Vec<String> {
        let draw = |at| pack.draw_beside(kind, others, &mut Chance::new(1, "b", "i", at)).unwrap().surface;
        let mut all: Vec<String> = (0..40).map(draw).collect();
        all.sort();
        all.dedup();
        all
    }

    #[test]
    fn a_value_goes_with_the_one_that_is_there() {
        let pack = pack();
        assert_eq!(drawn(&pack, "review", &[("stars", &Value::from(5))]), ["great", "lovely"]);
        assert_eq!(drawn(&pack, "stars", &[("review", &Value::from("awful"))]), ["1", "2"]);
        assert_eq!(drawn(&pack, "review", &[("stars", &Value::from(3))]).len(), 3, "no bundle holds it");
        assert!(pack.draw_beside("review", &[], &mut Chance::of(&[])).is_none(), "nothing is there");
        assert!(pack.draw_beside("city", &[("stars", &Value::from(5))], &mut Chance::of(&[])).is_none());
    }

    #[test]
    fn the_names_of_parameters_tell_which_value_is_the_earlier_one() {
        let pack = pack();
        let said = |text: &str| Drawn { value: Value::from(text), surface: text.to_owned() };
        let order = |one: (&str, &str), two: (&str, &str)| pack.in_order((one.0, &said(one.1)), (two.0, &said(two.1)));
        assert_eq!(order(("start_date", "tomorrow"), ("end_date", "March 5")), Some(true));
        assert_eq!(order(("end_date", "tomorrow"), ("start_date", "March 5")), Some(false));
        assert_eq!(order(("startTime", "8 pm"), ("endTime", "7 pm")), Some(false));
        assert_eq!(order(("start_date", "tomorrow"), ("due_date", "March 5")), None);
        assert_eq!(order(("start_date", "whenever"), ("end_date", "March 5")), None);
        let number = |number: i64| Drawn { value: Value::from(number), surface: number.to_string() };
        assert_eq!(pack.in_order(("max_price", &number(5)), ("min_price", &number(9))), Some(false));
    }
}
