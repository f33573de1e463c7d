//! Texts that match a regular expression: what a parameter's `pattern` allows.

use crate::record::Chance;
use regex_syntax::hir::{Class, Hir, HirKind};
use regex_syntax::{Parser, hir::ClassUnicode};

/// Most repetitions beyond the least where a pattern sets no bound.
const MORE: u32 = 4;

/// Longest text that is made, in bytes: `((a{1000}){1000}){1000}` describes a thousand million letters.
const LONGEST: usize = 4_096;

/// A text that matches the pattern; `None` where it would be too long, or where it uses what no plain text tells (look-ahead, back-references).
///
/// A pattern need not match the whole text, so nothing is added around what it describes.
pub(super) fn matching_text(pattern: &str, chance: &mut Chance) -> Option<String> {
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
