//! Value kinds for drafted parameters, so that what is drawn looks real: from formats and names where a locale knows them,
//! else from the examples and bounds that the description gives.

use fcgen_core::locale::{Pack, words};
use fcgen_core::record::Parameter;
use indexmap::IndexMap;
use serde_json::Value as Json;
use toml::{Table, Value};

/// Most examples of which values are made.
const MOST_EXAMPLES: usize = 24;

/// Most characters of an example that people would say.
const LONGEST_EXAMPLE: usize = 60;

/// Numbers further apart than this are bounds of a machine, not of people.
const WIDEST: f64 = 1e6;

/// The kinds of a group of tools: those that the locale has, and those made here.
pub(crate) struct Kinds<'p> {
    pack: &'p Pack,
    group: String,
    pub(crate) made: IndexMap<String, Table>,
}

impl<'p> Kinds<'p> {
    /// No kinds yet, for the group of this name.
    pub(crate) fn new(pack: &'p Pack, group: &str) -> Self {
        Self { pack, group: words(group).join("_"), made: IndexMap::new() }
    }

    /// The kind of a parameter; `None` where its values are listed or flags, or nothing is known of them.
    pub(crate) fn of(&mut self, name: &str, schema: &Json) -> Option<String> {
        let parameter: Parameter = serde_json::from_value(schema.clone()).ok()?;
        let kind = parameter.type_name();
        if parameter.values.is_some() || matches!(kind, "boolean" | "object") {
            return None;
        }
        if kind == "array" {
            let items = schema.get("items").filter(|items| items.get("enum").is_none())?;
            let mut items = items.clone();
            if let (Some(inner), Some(examples)) = (items.as_object_mut(), schema.get("examples")) {
                let each: Vec<Json> =
                    examples.as_array().into_iter().flatten().filter_map(Json::as_array).flatten().cloned().collect();
                inner.entry("examples").or_insert_with(|| each.into());
            }
            return (!items.get("type").is_some_and(|it| it == "array")).then(|| self.of(name, &items)).flatten();
        }
        let examples = examples(schema);
        let known = self.pack.derived.kind(&self.pack.kinds, name, &parameter).map(str::to_owned);
        let has_format = parameter.more.contains_key("format");
        let made = match kind {
            "integer" | "number" => self.numbers(name, schema, &examples, kind),
            // One example alone is one value for ever, so a kind that is known by its name goes before it.
            _ if known.is_some() && (examples.len() < 2 || has_format) => None,
            _ => self.texts(name, &examples),
        };
        made.or(known)
    }

    /// Numbers within bounds, or about the examples.
    fn numbers(&mut self, name: &str, schema: &Json, examples: &[Json], kind: &str) -> Option<String> {
        let bound = |key: &str| schema.get(key).and_then(Json::as_f64).filter(|bound| bound.abs() <= WIDEST);
        let shown: Vec<f64> = examples.iter().filter_map(Json::as_f64).collect();
        let least = bound("minimum").or(bound("exclusiveMinimum").map(|it| it + 1.0));
        let most = bound("maximum").or(bound("exclusiveMaximum").map(|it| it - 1.0));
        let example = |pick: fn(f64, f64) -> f64| shown.iter().copied().reduce(pick);
        let (low, high) = match (least, most, example(f64::min), example(f64::max)) {
            (Some(least), Some(most), _, _) => (least, most),
            (least, most, Some(small), Some(large)) => {
                (least.unwrap_or((small / 2.0).min(small)), most.unwrap_or((large * 2.0).max(large)))
            }
            _ => return None,
        };
        let decimals =
            if kind == "integer" { 0 } else { shown.iter().map(|it| decimals(*it)).max().unwrap_or(1).clamp(1, 4) };
        let scale = 10_f64.powi(i32::try_from(decimals).unwrap_or(0));
        let (low, high) = ((low * scale).ceil() / scale, (high * scale).floor() / scale);
        if low >= high || high - low > WIDEST {
            return None;
        }
        let mut table = Table::from_iter([("range".to_owned(), Value::Array(vec![low.into(), high.into()]))]);
        if decimals > 0 {
            table.insert("step".to_owned(), (1.0 / scale).into());
            table.insert("decimals".to_owned(), Value::Integer(i64::try_from(decimals).unwrap_or(1)));
        }
        Some(self.keep(name, table))
    }

    /// The examples themselves; codes with figures vary in their figures.
    fn texts(&mut self, name: &str, examples: &[Json]) -> Option<String> {
        let texts = examples.iter().filter_map(Json::as_str).map(str::trim).filter(|text| !text.is_empty());
        let said: Vec<&str> = texts
            .filter(|text| text.chars().count() <= LONGEST_EXAMPLE && !text.contains('\n'))
            .take(MOST_EXAMPLES)
            .collect();
        let mut values: Vec<String> = said.iter().map(|text| pattern_of(text)).collect();
        for code in said.iter().filter_map(|text| code(text)) {
            if !values.contains(&code) {
                values.push(code);
            }
        }
        let table = || Table::from_iter([("values".to_owned(), values.clone().into())]);
        (!values.is_empty()).then(|| self.keep(name, table()))
    }

    /// The name under which a kind is kept: one name for one content.
    fn keep(&mut self, name: &str, table: Table) -> String {
        let base = [self.group.as_str(), words(name).join("_").as_str()]
            .into_iter()
            .filter(|it| !it.is_empty())
            .collect::<Vec<_>>()
            .join("_");
        let taken = |made: &IndexMap<String, Table>, name: &str| {
            made.get(name).is_some_and(|other| *other != table) || self.pack.kinds.contains_key(name)
        };
        let names = std::iter::once(base.clone()).chain((2..).map(|number| format!("{base}_{number}")));
        let free = names.into_iter().find(|name| !taken(&self.made, name)).unwrap_or(base);
        self.made.insert(free.clone(), table);
        free
    }
}

/// The examples of a schema, with its default where it says something.
fn examples(schema: &Json) -> Vec<Json> {
    let stated = schema.get("examples").and_then(Json::as_array).cloned().unwrap_or_default();
    let default =
        schema.get("default").filter(|it| stated.is_empty() && it.as_str().is_some_and(|text| !text.is_empty()));
    let mut examples = stated;
    examples.extend(default.cloned());
    examples
}

/// How many digits a number has behind its point.
fn decimals(number: f64) -> usize {
    number.to_string().split_once('.').map_or(0, |(_, digits)| digits.len())
}

/// A text as a pattern that stands for itself alone.
pub fn pattern_of(text: &str) -> String {
    text.chars()
        .flat_map(|letter| ['\\', letter].into_iter().skip(usize::from(!"()[]{}|\\".contains(letter))))
        .collect()
}

/// A code such as `PL-1042`, with a choice for its last figures; `None` for words, dates and plain numbers.
fn code(text: &str) -> Option<String> {
    let figures = text.chars().filter(char::is_ascii_digit).count();
    let is_code = text.chars().any(|letter| letter.is_ascii_alphabetic())
        && figures >= 2
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_#/".contains(letter))
        && !text.contains("://");
    // A moment such as 2024-05-01T10:00 has a colon, and is none of these; a day has no letter.
    if !is_code {
        return None;
    }
    let mut varied = 0;
    let mut pattern: Vec<String> = Vec::new();
    for letter in text.chars().rev() {
        if letter.is_ascii_digit() && varied < 2 {
            varied += 1;
            pattern.push("(1|2|3|4|6|7|8|9)".to_owned());
        } else {
            pattern.push(pattern_of(&letter.to_string()));
        }
    }
    Some(pattern.into_iter().rev().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen_core::record::Chance;
    use serde_json::json;

    #[expect(clippy::needless_pass_by_value, reason = "it is given what was just written")]
    fn kind(schema: Json, name: &str) -> (Option<String>, IndexMap<String, Table>) {
        let pack = crate::fixtures::pack("en");
        let mut kinds = Kinds::new(&pack, "Plant shop");
        let kind = kinds.of(name, &schema);
        (kind, kinds.made)
    }

    fn drawn(schema: Json) -> Vec<String> {
        let (name, made) = kind(schema, "thing");
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        let made = made.into_iter().map(|(name, table)| (name, toml::from_str(&table.to_string()).unwrap())).collect();
        pack.add_kinds("test", made).unwrap();
        let name = name.unwrap();
        (0..40).map(|draw| pack.draw(&name, &mut Chance::new(1, "v", "i", draw)).unwrap().surface).collect()
    }

    #[test]
    fn what_is_known_by_format_or_name_is_not_made() {
        for (schema, name, wanted) in [
            (
                json!({"type": "string", "format": "date", "examples": ["2026-03-01", "2026-03-02"]}),
                "due",
                Some("iso_date"),
            ),
            (json!({"type": "string", "examples": ["Porto"]}), "city", Some("city")),
            (json!({"type": "integer"}), "plant_id", Some("record_number")),
            (json!({"type": "boolean"}), "rare", None),
            (json!({"type": "string", "enum": ["a"]}), "mode", None),
            (json!({"type": "array", "items": {"type": "string", "format": "email"}}), "to", Some("email")),
            (json!({"type": "string"}), "colouring", None),
        ] {
            let (kind, made) = kind(schema, name);
            assert_eq!((kind.as_deref(), made.len()), (wanted, 0), "{name}");
        }
    }

    #[test]
    fn numbers_keep_to_their_bounds_and_about_their_examples() {
        assert!(
            drawn(json!({"type": "integer", "minimum": 3, "maximum": 9}))
                .iter()
                .all(|it| (3..=9).contains(&it.parse::<i64>().unwrap()))
        );
        assert!(
            drawn(json!({"type": "integer", "examples": [40]}))
                .iter()
                .all(|it| (20..=80).contains(&it.parse::<i64>().unwrap()))
        );
        let prices = drawn(json!({"type": "number", "minimum": 0, "examples": [12.5, 19.95]}));
        assert!(prices.iter().all(|it| it.split_once('.').is_some_and(|(_, digits)| digits.len() == 2)), "{prices:?}");
        assert_eq!(kind(json!({"type": "integer", "minimum": 0, "maximum": 2_147_483_647}), "thing").0, None);
    }

    #[test]
    fn texts_are_their_examples_and_codes_vary() {
        let names = drawn(json!({"type": "string", "examples": ["Monstera (large)", "Fern"]}));
        assert!(names.iter().all(|it| ["Monstera (large)", "Fern"].contains(&it.as_str())), "{names:?}");
        let codes: std::collections::BTreeSet<String> =
            drawn(json!({"type": "string", "examples": ["PL-1042"]})).into_iter().collect();
        assert!(codes.len() > 10 && codes.iter().all(|it| it.starts_with("PL-10") && it.len() == 7), "{codes:?}");
    }

    #[test]
    fn kinds_of_one_name_and_different_content_stay_apart() {
        let pack = crate::fixtures::pack("en");
        let mut kinds = Kinds::new(&pack, "");
        let schema = |text: &str| json!({"type": "string", "examples": [text, "b"]});
        assert_eq!(["a", "a", "c"].map(|text| kinds.of("sort", &schema(text)).unwrap()), ["sort", "sort", "sort_2"]);
    }
}
