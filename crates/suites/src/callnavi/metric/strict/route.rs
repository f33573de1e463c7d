//! Which APIs a reply names, in which order, and whether they are the right ones.

use super::read::{API, Form, Place, Way, plain};
use super::shape;
use super::verdict::{ErrorClass, Given, Gold};
use crate::python::read_literal;
use crate::record::Value;
use crate::text::{blocks, without_language};

/// Marks that may stand around a name.
const AROUND: &[char] = &['\'', '"', '`', '-', '*', ' ', '\t', '.', '\u{2018}', '\u{2019}', '\u{201c}', '\u{201d}'];

/// What was found of a reply to a question for names.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RouteVerdict {
    /// How the names were found.
    pub way: Option<Way>,
    /// The names.
    pub names: Vec<String>,
    /// Whether they are the right ones in the right order.
    pub right: bool,
    /// Why they are not; the first weighs most.
    pub errors: Vec<ErrorClass>,
    /// The same in words.
    pub reason: String,
}

impl Gold<'_> {
    /// Judges names alone.
    pub fn judge_route(&self, given: Given<'_>) -> RouteVerdict {
        let found = match given {
            Given::Said(turn) if !turn.tool_calls.is_empty() => {
                let names = turn.tool_calls.iter().map(|(name, _)| name.clone()).collect();
                Some((names, Way { place: Place::Native, form: Form::Calls }))
            }
            Given::Said(turn) => read_names(turn.content.as_deref().unwrap_or_default(), self),
            Given::Missing => return RouteVerdict::lost(ErrorClass::NoPrediction, "there is no prediction"),
            Given::Failed(detail) => return RouteVerdict::lost(ErrorClass::Transport, detail),
        };
        let Some((names, way)) = found else {
            return RouteVerdict::lost(ErrorClass::Unparsable, "there is no list of names in it");
        };
        let found = shape::differences(self, &names);
        let mut errors: Vec<ErrorClass> = found.iter().map(|(class, _)| *class).collect();
        errors.dedup();
        let reason = found.into_iter().map(|(_, reason)| reason).collect::<Vec<_>>().join("; ");
        RouteVerdict { way: Some(way), right: errors.is_empty(), names, errors, reason }
    }
}

impl RouteVerdict {
    fn lost(class: ErrorClass, reason: &str) -> Self {
        Self { errors: vec![class], reason: reason.to_owned(), ..Self::default() }
    }
}

/// The names in a reply, with the way in which they were found.
fn read_names(text: &str, gold: &Gold<'_>) -> Option<(Vec<String>, Way)> {
    let text = plain(text);
    let part = |block| read_part(block, Place::Fenced).or_else(|| read_part(without_language(block), Place::Fenced));
    let bare = |text: &str, place| Some((bare_names(text)?, Way { place, form: Form::Names }));
    let fenced = || blocks(text).into_iter().find_map(part);
    let in_fence = || blocks(text).into_iter().find_map(|block| bare(unlabelled(block, gold), Place::Fenced));
    let whole = read_part(text, Place::Whole).or_else(fenced).or_else(|| running(text));
    whole.or_else(in_fence).or_else(|| bare(text, Place::Whole))
}

/// A block without its label, which looks like a name but is none.
fn unlabelled<'t>(block: &'t str, gold: &Gold<'_>) -> &'t str {
    let (first, rest) = block.split_once('\n').unwrap_or(("", block));
    let is_label = first.trim().chars().all(char::is_alphabetic) && gold.tool(first.trim()).is_none();
    if is_label { rest } else { block }
}

fn read_part(text: &str, place: Place) -> Option<(Vec<String>, Way)> {
    let json = Value::read_lenient(text).ok().map(|(value, _)| (value, Form::Json));
    let (value, form) = json.or_else(|| Some((read_literal(text)?.into(), Form::Literal)))?;
    Some((listed(&value)?, Way { place, form }))
}

/// A list of names, or an answer that has one.
fn listed(value: &Value) -> Option<Vec<String>> {
    let list = value.as_object().map_or(Some(value), |object| object.get(API))?.as_list()?;
    list.iter().map(|name| name.as_str().map(str::to_owned)).collect()
}

/// The first list of names in running text. One without names may be anything.
fn running(text: &str) -> Option<(Vec<String>, Way)> {
    text.match_indices('[').find_map(|(from, _)| {
        let rest = text.get(from..)?;
        let (list, _) = rest.split_once(']')?;
        let part = rest.get(..=list.len())?;
        read_part(part, Place::Embedded).filter(|(names, _)| !names.is_empty())
    })
}

/// Names on lines or between commas, and nothing else.
fn bare_names(text: &str) -> Option<Vec<String>> {
    let text = text.trim_matches(['[', ']', '(', ')']);
    let is_name = |name: &str| {
        name.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
            && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-'))
    };
    let parts = text.split(['\n', ',']).map(|part| part.trim_matches(AROUND)).filter(|part| !part.is_empty());
    let names: Vec<String> = parts.map(|part| is_name(part).then(|| part.to_owned())).collect::<Option<_>>()?;
    (!names.is_empty()).then_some(names)
}

#[cfg(test)]
mod tests {
    use super::super::verdict::tests::sample;
    use super::*;
    use crate::record::PredictionTurn;
    use proptest::prelude::*;

    fn judge(text: &str) -> RouteVerdict {
        let turn = PredictionTurn { content: Some(text.to_owned()), ..PredictionTurn::default() };
        Gold::of(&sample(&[("getX", "{}"), ("getY", "{}")])).unwrap().judge_route(Given::Said(&turn))
    }

    #[test]
    fn names_are_found_however_they_are_written() {
        for (text, way) in [
            (r#"["getX", "getY"]"#, "whole_json"),
            ("['getX', 'getY',]", "whole_literal"),
            ("[getX, getY]", "whole_literal"),
            (r#"{"API": ["getX", "getY"], "parameters": []}"#, "whole_json"),
            ("```json\n[\"getX\", \"getY\"]\n```", "fenced_json"),
            ("```python\n['getX', 'getY']\n```", "fenced_literal"),
            ("```\ngetX\ngetY\n```", "fenced_names"),
            ("```text\ngetX\ngetY\n```", "fenced_names"),
            ("The APIs [1] are: ['getX', 'getY'].", "embedded_literal"),
            ("<think>[\"getY\"]</think>getX, getY", "whole_names"),
            ("- `getX`\n- `getY`", "whole_names"),
        ] {
            let verdict = judge(text);
            assert!(verdict.right, "{text}: {}", verdict.reason);
            assert_eq!(verdict.way.unwrap().to_string(), way, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told() {
        for (text, classes) in [
            ("['getY', 'getX']", "order"),
            ("getX", "missing_step"),
            ("getX, getY, getZ", "extra_step"),
            ("GETX, getY", "invented_api,missing_step"),
            ("[]", "missing_step"),
            ("", "unparsable"),
            ("I would look for the account first.", "unparsable"),
            ("[5]", "unparsable"),
        ] {
            let found = judge(text).errors;
            assert_eq!(found.iter().map(|it| it.as_str()).collect::<Vec<_>>().join(","), classes, "{text}");
        }
    }

    #[test]
    fn native_calls_and_lost_answers() {
        let sample = sample(&[("getX", "{}")]);
        let gold = Gold::of(&sample).unwrap();
        let turn = PredictionTurn { tool_calls: vec![("getX".to_owned(), String::new())], ..PredictionTurn::default() };
        assert!(gold.judge_route(Given::Said(&turn)).right);
        assert_eq!(gold.judge_route(Given::Missing).errors, [ErrorClass::NoPrediction]);
        assert_eq!(gold.judge_route(Given::Failed("x")).reason, "x");
    }

    proptest! {
        #[test]
        fn names_are_right_in_every_form_exactly_if_they_are_the_right_ones(names in prop::collection::vec("get[XYQ]", 1..4)) {
            let quoted: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
            for text in [names.join(", "), format!("[{}]", quoted.join(", ")), format!("```\n[{}]\n```", quoted.join(",\n")), names.join("\n")] {
                let verdict = judge(&text);
                prop_assert_eq!(verdict.right, names == ["getX", "getY"], "{}", text);
                prop_assert_eq!(&verdict.names, &names);
            }
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), form in "[`{}\\[\\]:'\", \nAPIa-]{0,50}") {
            for text in [text, form] {
                prop_assert!(judge(&text).errors.is_empty() == judge(&text).right);
            }
        }
    }
}
