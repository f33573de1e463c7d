//! How people ask for several things in one question: in which manner, in which order, with which second thoughts.

use super::super::LocaleError;
use super::super::pack::{Style, StyleText, parse_all};
use super::super::pattern::Pattern;
use crate::assets::Assets;
use indexmap::IndexMap;
use serde::Deserialize;

/// What a language has for questions that want one or several calls.
#[derive(Debug, Clone, Default)]
pub struct QuestionPhrases {
    /// Manners of asking a service; those of the pack where there are none.
    pub styles: Vec<Style>,
    /// What ends a sentence.
    pub stop: String,
    /// Two requests in one sentence.
    pub inside: Joins,
    /// Two requests in two sentences.
    pub between: Joins,
    /// A value that is taken back: over `{old}` and `{new}`.
    pub corrected: Vec<Pattern>,
    /// Words from which a number or a date follows: over `{n}`.
    pub transformed: Vec<Transform>,
}

/// Patterns over `{1}` (what is to be done first) and `{2}`.
#[derive(Debug, Clone, Default)]
pub struct Joins {
    /// What is done first is said first.
    pub forward: Vec<Pattern>,
    /// What is done first is said last; none where a language has no such way.
    pub backward: Vec<Pattern>,
    /// Those of single styles, by name.
    pub styles: IndexMap<String, Joins>,
}

impl Joins {
    /// Those of a style.
    pub fn of(&self, style: &str) -> &Self {
        self.styles.get(style).unwrap_or(self)
    }
}

/// Words for a value that differs from the one in them.
#[derive(Debug, Clone)]
pub struct Transform {
    /// The words, over `{n}`.
    pub words: Pattern,
    /// What changes.
    pub change: Change,
}

/// How the value follows from the one that is said.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// A number is multiplied.
    Times(f64),
    /// Something is added to a number.
    Plus(f64),
    /// A date is so many days later.
    Days(i64),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuestionsText {
    stop: String,
    style: Vec<StyleText>,
    inside: JoinsText,
    between: JoinsText,
    corrected: Vec<String>,
    #[serde(default)]
    transformed: Vec<TransformText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct JoinsText {
    forward: Vec<String>,
    #[serde(default)]
    backward: Vec<String>,
    #[serde(default)]
    styles: IndexMap<String, JoinsText>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TransformText {
    words: String,
    #[serde(default)]
    times: Option<f64>,
    #[serde(default)]
    plus: Option<f64>,
    #[serde(default)]
    days: Option<i64>,
}

impl QuestionPhrases {
    /// Loads `locales/<code>/questions.toml`, or the English one in its place.
    pub(crate) fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        let path = super::super::locale_file(assets, code, "questions.toml");
        assets.read(&path).map_or_else(|| Ok(Self::default()), |text| Self::parse(&path, &text))
    }

    fn parse(path: &str, text: &str) -> Result<Self, LocaleError> {
        let text: QuestionsText = crate::toml_text::from_toml(text)
            .map_err(|error| LocaleError::Toml { path: path.to_owned(), message: error.to_string() })?;
        Ok(Self {
            styles: text.style.into_iter().map(|style| style.parse(path)).collect::<Result<_, _>>()?,
            stop: text.stop,
            inside: text.inside.parse(path)?,
            between: text.between.parse(path)?,
            corrected: parse_all(path, &text.corrected)?,
            transformed: text.transformed.into_iter().map(|it| it.parse(path)).collect::<Result<_, _>>()?,
        })
    }
}

impl JoinsText {
    fn parse(self, path: &str) -> Result<Joins, LocaleError> {
        let styles = self.styles.into_iter().map(|(style, joins)| Ok((style, joins.parse(path)?)));
        let styles = styles.collect::<Result<_, LocaleError>>()?;
        Ok(Joins { forward: parse_all(path, &self.forward)?, backward: parse_all(path, &self.backward)?, styles })
    }
}

impl TransformText {
    fn parse(self, path: &str) -> Result<Transform, LocaleError> {
        let words = parse_all(path, std::slice::from_ref(&self.words))?.remove(0);
        let change = match (self.times, self.plus, self.days) {
            (Some(factor), None, None) => Change::Times(factor),
            (None, Some(more), None) => Change::Plus(more),
            (None, None, Some(days)) => Change::Days(days),
            _ => {
                let message = format!("`{}` requires exactly one of `times`, `plus` and `days`", self.words);
                return Err(LocaleError::Toml { path: path.to_owned(), message });
            }
        };
        Ok(Transform { words, change })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
stop = "."
corrected = ["{old}, no, {new}"]
inside = { forward = ["{1} and then {2}"], backward = ["{2}, but first {1}"] }
between = { forward = ["{1} Then {2}"], backward = ["{2} Before that, {1}"] }
[[style]]
name = "plain"
weight = 1
description = "plain"
frames = ["{intent}"]
"#;

    #[test]
    fn every_shipped_locale_can_join_requests() {
        for code in ["en", "ko", "zh", "ja"] {
            let phrases = QuestionPhrases::load(crate::fixtures::assets(), code).unwrap();
            let own = [&phrases.inside, &phrases.between];
            for joins in own.into_iter().chain(own.into_iter().flat_map(|it| it.styles.values())) {
                let patterns = joins.forward.iter().chain(&joins.backward);
                for pattern in patterns {
                    let mut slots = pattern.slots();
                    slots.sort_unstable();
                    assert_eq!(slots, ["1", "2"], "{code}");
                }
            }
            assert!(
                phrases.corrected.len() >= 4 && phrases.styles.len() >= 3 && phrases.transformed.len() >= 4,
                "{code}"
            );
            let plain = phrases.styles.iter().all(|style| style.frames.len() >= 4);
            assert!(plain, "{code}: every style wants several frames, the first of them plain");
        }
    }

    #[test]
    fn a_style_has_its_own_joins_and_ends_a_clause_in_its_own_way() {
        let phrases = QuestionPhrases::load(crate::fixtures::assets(), "ko").unwrap();
        let plain = |style: &str| phrases.inside.of(style).forward.first().cloned().unwrap();
        assert_ne!(plain("banmal"), plain("hapsyo"));
        assert_eq!(plain("haeyo"), plain("hapsyo"), "the general ones");
        let ended = |style: &str, text: &str| {
            let style = phrases.styles.iter().find(|it| it.name == style).unwrap();
            style.ended(text, &mut crate::record::Chance::of(&[b"end"]))
        };
        assert_eq!(ended("hapsyo", "신고가 들어왔는데,").as_deref(), Some("신고가 들어왔습니다."));
        assert_eq!(ended("banmal", "카드를 잃어버리셨다는데,").as_deref(), Some("카드를 잃어버리셨대."));
        assert_eq!(ended("haeyo", "짐이 무거운데,"), None, "such a clause stays one");
    }

    #[test]
    fn a_locale_without_the_file_has_none() {
        assert!(QuestionPhrases::load(crate::fixtures::assets(), "xx").unwrap().styles.is_empty());
    }

    #[test]
    fn a_transform_changes_one_thing() {
        let read = |more: &str| {
            QuestionPhrases::parse("q.toml", &format!("{TEXT}[[transformed]]\nwords = \"twice {{n}}\"\n{more}"))
        };
        assert_eq!(read("times = 2").unwrap().transformed[0].change, Change::Times(2.0));
        assert_eq!(read("days = 1").unwrap().transformed[0].change, Change::Days(1));
        let error = read("times = 2\ndays = 1").unwrap_err().to_string();
        assert!(error.contains("`twice {n}` requires exactly one of `times`, `plus` and `days`"), "{error}");
    }

    #[test]
    fn a_misspelt_key_is_named() {
        let error = QuestionPhrases::parse("q.toml", &TEXT.replace("forward", "foreward")).unwrap_err().to_string();
        assert!(error.contains("foreward"), "{error}");
    }
}
