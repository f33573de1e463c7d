//! Values made by the keywords of a JSON Schema, where no value kind has one that obeys them.

use crate::locale::{Drawn, Pack};
use crate::record::{Chance, Parameter, Tool, Value};
use crate::values::arguments::draw_argument;
use regex_syntax::Parser;
use regex_syntax::hir::{Class, ClassUnicode, Hir, HirKind};
use serde_json::Value as Json;

/// How often something is made anew before it is given up.
const TRIES: usize = 24;

/// Steps that a span without its other bound has.
const STEPS: f64 = 100.0;

/// A value that obeys the parameter's schema; `None` where none can be made.
pub(crate) fn make(pack: &Pack, tool: &Tool, name: &str, parameter: &Parameter, chance: &mut Chance) -> Option<Drawn> {
    let kinds: Vec<String> = parameter.type_names().map(str::to_owned).collect();
    (0..TRIES).find_map(|_| {
        let alternative = alternative(pack, tool, name, parameter, chance);
        let made = alternative.or_else(|| match chance.pick(&kinds)?.as_str() {
            "string" => text(pack, name, parameter, chance),
            kind @ ("integer" | "number" | "float") => number(parameter, kind == "integer", chance),
            "object" => free_fields(pack, tool, parameter, chance),
            _ => None,
        });
        made.filter(|drawn| parameter.check(&drawn.value).is_ok())
    })
}

/// A value of one of the alternatives, which inherits what stands beside them.
fn alternative(pack: &Pack, tool: &Tool, name: &str, parameter: &Parameter, chance: &mut Chance) -> Option<Drawn> {
    let parts = ["anyOf", "oneOf"].iter().find_map(|key| parameter.more.get(*key)?.as_array())?;
    let mut whole = serde_json::to_value(parameter).ok()?;
    let fields = whole.as_object_mut()?;
    fields.retain(|key, _| !matches!(key.as_str(), "anyOf" | "oneOf" | "type"));
    fields.extend(chance.pick(parts)?.as_object()?.clone());
    Some(draw_argument(pack, tool, name, &serde_json::from_value(whole).ok()?, chance))
}

/// A text by its pattern; else words of the right length.
fn text(pack: &Pack, name: &str, parameter: &Parameter, chance: &mut Chance) -> Option<Drawn> {
    let pattern = parameter.more.get("pattern").and_then(Json::as_str);
    let text = match pattern {
        Some(pattern) => {
            match usual_forms(pack, chance).into_iter().find(|text| parameter.check(&text.as_str().into()).is_ok()) {
                Some(usual) => usual,
                None => matching_text(pattern, chance)?,
            }
        }
        None => sized(pack, name, parameter, chance)?,
    };
    Some(Drawn { value: Value::from(text.as_str()), surface: text })
}

/// Days, months and times as programs write them, which patterns often describe.
fn usual_forms(pack: &Pack, chance: &mut Chance) -> Vec<String> {
    let mut drawn = |kind: &str| pack.draw(kind, chance).map(|it| it.value.as_str().unwrap_or_default().to_owned());
    let (day, time, moment) = (drawn("iso_date"), drawn("clock_time"), drawn("iso_moment"));
    let head = |text: &Option<String>, length: usize| Some(text.as_ref()?.chars().take(length).collect::<String>());
    [day.clone(), head(&day, 7), time.clone(), head(&time, 5), moment].into_iter().flatten().collect()
}

/// Words that are neither too short nor too long; a code of letters where not even one word fits.
fn sized(pack: &Pack, name: &str, parameter: &Parameter, chance: &mut Chance) -> Option<String> {
    let length = |key: &str| parameter.more.get(key).and_then(Json::as_u64).and_then(|it| usize::try_from(it).ok());
    let (least, most) = (length("minLength").unwrap_or(1).max(1), length("maxLength").unwrap_or(usize::MAX));
    let kind = crate::values::arguments::guess_kind(pack, name, parameter);
    let mut text = String::new();
    for _ in 0..TRIES {
        let more = pack.draw(&kind, chance).or_else(|| pack.draw("keyword", chance))?.surface;
        for word in more.split(' ').filter(|word| !word.is_empty()) {
            let joined = if text.is_empty() { word.to_owned() } else { format!("{text} {word}") };
            if joined.chars().count() <= most {
                text = joined;
            }
        }
        if text.chars().count() >= least && !text.is_empty() {
            return Some(text);
        }
    }
    matching_text(&format!("[A-Z]{{{}}}", least.max(2).min(most)), chance)
}

/// A number within bounds, a multiple of what it must be one of.
fn number(parameter: &Parameter, is_whole: bool, chance: &mut Chance) -> Option<Drawn> {
    let bound = |key: &str| parameter.more.get(key).and_then(Json::as_f64);
    let (over, under) = (bound("exclusiveMinimum"), bound("exclusiveMaximum"));
    let span = bound("maximum").or(under).zip(bound("minimum").or(over)).map(|(most, least)| most - least);
    // A span of less than two is parted more finely.
    let usual = if is_whole || span.is_none_or(|span| span >= 2.0) { 1.0 } else { 0.05 };
    let step = bound("multipleOf").filter(|step| *step > 0.0).unwrap_or(usual);
    let step = if is_whole && step.fract() != 0.0 { step * (1.0 / step.fract()).round() } else { step };
    let first = bound("minimum").map(|it| (it / step).ceil()).into_iter();
    let first = first.chain(over.map(|it| (it / step).floor() + 1.0)).reduce(f64::max);
    let last = bound("maximum").map(|it| (it / step).floor()).into_iter();
    let last = last.chain(under.map(|it| (it / step).ceil() - 1.0)).reduce(f64::min);
    let (first, last) = match (first, last) {
        (Some(first), last) => (first, last.unwrap_or(first + STEPS)),
        (None, Some(last)) => (if last >= 1.0 { 1.0 } else { last - STEPS }, last),
        (None, None) => (1.0, STEPS),
    };
    if first > last {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a span of a hundred steps or so")]
    let steps = (last - first).min(1e6) as usize;
    #[expect(clippy::cast_precision_loss, reason = "a span of a hundred steps or so")]
    let number = step * (first + chance.below(steps + 1) as f64);
    let decimals = step.to_string().split_once('.').map_or(0, |(_, digits)| digits.len());
    let text = format!("{number:.decimals$}");
    Some(Drawn { value: Value::read(&text).ok()?, surface: text })
}

/// Fields of an object whose schema names none.
fn free_fields(pack: &Pack, tool: &Tool, parameter: &Parameter, chance: &mut Chance) -> Option<Drawn> {
    if parameter.more.get("properties").and_then(Json::as_object).is_some_and(|it| !it.is_empty()) {
        return None;
    }
    let schema = parameter.more.get("additionalProperties").filter(|it| it.is_object()).cloned();
    let schema: Parameter = serde_json::from_value(schema.unwrap_or_else(|| serde_json::json!({}))).ok()?;
    let drawn = draw_argument(pack, tool, "name", &schema, chance);
    let value = Value::Object(std::iter::once(("name".to_owned(), drawn.value)).collect());
    Some(Drawn { value, surface: format!("name {}", drawn.surface) })
}

// Texts that match a regular expression: what a parameter's `pattern` allows.

/// Most repetitions beyond the least where a pattern sets no bound.
const MORE: u32 = 4;

/// Longest text that is made, in bytes: `((a{1000}){1000}){1000}` describes a thousand million letters.
const LONGEST: usize = 4_096;

/// A text that matches the pattern; `None` where it would be too long, or where it uses what no plain text tells (look-ahead, back-references).
///
/// A pattern need not match the whole text, so nothing is added around what it describes.
pub(crate) fn matching_text(pattern: &str, chance: &mut Chance) -> Option<String> {
    let hir = Parser::new().parse(pattern).ok()?;
    let mut text = String::new();
    write(&hir, chance, &mut text);
    (text.len() <= LONGEST).then_some(text)
}

fn write(hir: &Hir, chance: &mut Chance, text: &mut String) {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(&String::from_utf8_lossy(&literal.0)),
        HirKind::Class(Class::Unicode(class)) => text.extend(letter(class, chance)),
        HirKind::Class(Class::Bytes(class)) => {
            let ranges: Vec<(char, char)> =
                class.ranges().iter().map(|range| (char::from(range.start()), char::from(range.end()))).collect();
            text.extend(pick(&ranges, chance));
        }
        HirKind::Repetition(repetition) => {
            let most = repetition.max.unwrap_or(repetition.min.max(1) + MORE).min(repetition.min.max(1) + MORE);
            let span = most.saturating_sub(repetition.min) as usize;
            let count = repetition.min + u32::try_from(chance.below(span + 1)).unwrap_or_default();
            for _ in 0..count {
                if text.len() > LONGEST {
                    break;
                }
                write(&repetition.sub, chance, text);
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, chance, text),
        HirKind::Concat(parts) => parts.iter().for_each(|part| write(part, chance, text)),
        HirKind::Alternation(parts) => {
            if let Some(part) = parts.get(chance.below(parts.len())) {
                write(part, chance, text);
            }
        }
    }
}

/// A character of the class that people would write: a letter or figure of ASCII, else whatever else it has.
fn letter(class: &ClassUnicode, chance: &mut Chance) -> Option<char> {
    let ranges: Vec<(char, char)> = class.ranges().iter().map(|range| (range.start(), range.end())).collect();
    for usual in [[('0', '9'), ('A', 'Z'), ('a', 'z')].as_slice(), &[(' ', '~')]] {
        let both: Vec<(char, char)> = usual
            .iter()
            .flat_map(|(low, high)| ranges.iter().map(move |(start, end)| (*start.max(low), *end.min(high))))
            .filter(|(start, end)| start <= end)
            .collect();
        if let Some(letter) = pick(&both, chance) {
            return Some(letter);
        }
    }
    pick(&ranges, chance)
}

/// A character of one of the ranges, each as likely as it is long.
fn pick(ranges: &[(char, char)], chance: &mut Chance) -> Option<char> {
    let length = |(start, end): &(char, char)| (*end as usize).saturating_sub(*start as usize) + 1;
    let total: usize = ranges.iter().map(length).sum();
    let mut at = if total == 0 { return None } else { chance.below(total) };
    for range in ranges {
        if at < length(range) {
            return u32::try_from(range.0 as usize + at).ok().and_then(char::from_u32).or(Some(range.0));
        }
        at -= length(range);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn made(schema: Json) -> Vec<Drawn> {
        let (pack, parameter): (_, Parameter) = (crate::fixtures::pack("en"), serde_json::from_value(schema).unwrap());
        let draw = |at| draw_argument(&pack, &Tool::default(), "it", &parameter, &mut Chance::new(1, "made", "it", at));
        (0..24)
            .map(|at| {
                let drawn = draw(at);
                assert_eq!(parameter.check(&drawn.value), Ok(()), "{drawn:?}");
                drawn
            })
            .collect()
    }

    #[test]
    fn every_constraint_is_met_by_what_is_made() {
        for schema in [
            json!({"type": "string", "pattern": "^\\d{4}-(0[1-9]|1[0-2])$"}),
            json!({"type": "string", "maxLength": 2}),
            json!({"type": "string", "minLength": 40, "maxLength": 60}),
            json!({"type": "string", "format": "date-time"}),
            json!({"type": "string", "format": "time"}),
            json!({"type": "string", "format": "duration"}),
            json!({"type": "string", "format": "uuid"}),
            json!({"type": "integer", "minimum": 3, "maximum": 5}),
            json!({"type": "integer", "multipleOf": 25}),
            json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1}),
            json!({"type": "number", "multipleOf": 0.25, "maximum": 4}),
            json!({"type": "integer", "maximum": -3}),
            json!({"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 6}, "minItems": 3, "maxItems": 4,
                "uniqueItems": true}),
            json!({"type": "array", "items": {"type": "object", "required": ["sku", "kg"], "properties": {
                "sku": {"type": "string", "pattern": "^[A-Z]{3}-\\d{3}$"}, "kg": {"type": "number", "maximum": 70}}}}),
            json!({"type": "object"}),
            json!({"type": "object", "additionalProperties": {"type": "integer", "minimum": 1}}),
            json!({"anyOf": [{"type": "string", "format": "uuid"}, {"type": "integer", "minimum": 1000}]}),
        ] {
            made(schema);
        }
    }

    #[test]
    fn a_flag_within_an_object_is_said_by_its_name() {
        let schema = json!({"type": "object", "required": ["express"], "properties": {"express": {"type": "boolean"}}});
        for drawn in made(schema) {
            assert!(drawn.surface.contains("express"), "{drawn:?}");
        }
    }
}

#[cfg(test)]
mod pattern_text_tests {
    use super::*;
    use crate::record::Parameter;
    use proptest::prelude::*;

    fn text(pattern: &str, draw: u64) -> Option<String> {
        matching_text(pattern, &mut Chance::new(draw, "pattern", "text", 0))
    }

    #[test]
    fn a_text_matches_its_pattern() {
        for pattern in [
            r"^[A-Z]{2}-\d{4}$",
            r"^(\+\d{1,3} )?\d{3}-\d{4}$",
            r"^\S+@\S+\.\w{2,}$",
            r"^[^\s/]+/[a-z]*$",
            r"^\d{4}-(0[1-9]|1[0-2])$",
            r"colou?r",
            r"^#(?:[0-9a-fA-F]{3}){1,2}$",
            r"^\p{Hangul}{2,3}$",
            r"^.{3}$",
        ] {
            let schema: Parameter = serde_json::from_value(serde_json::json!({"pattern": pattern})).unwrap();
            for draw in 0..20 {
                let text = text(pattern, draw).unwrap();
                assert_eq!(schema.check(&text.as_str().into()), Ok(()), "{pattern}");
            }
        }
    }

    #[test]
    fn a_pattern_that_looks_ahead_has_no_text() {
        assert_eq!(text("^(?=.*[A-Z]).{8}$", 1), None);
        assert_eq!(text("(", 1), None);
        assert_eq!(text("((a{1000}){1000}){1000}", 1), None, "and soon");
    }

    proptest! {
        #[test]
        fn no_pattern_is_too_much(pattern in "[a-z\\[\\](){}|*+?.\\\\0-9,^$-]{0,24}") {
            let _ = text(&pattern, 3).map(|text| text.len());
        }
    }
}
