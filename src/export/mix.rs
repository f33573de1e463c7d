//! How often an example stands in the mix, and how long it is.

use super::lesson::Lesson;
use super::teach::origins;
use crate::record::{Chance, SuiteName, Value};
use std::str::FromStr;

/// What a weight looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The suite's data type.
    DataType,
    /// The locale.
    Locale,
    /// Where the values of the right calls come from.
    Origin,
    /// What the example ends in.
    Aim,
    /// The suite.
    Suite,
}

/// A weight: `locale:ko=2`, `data_type:ST_Perfect=0.5`, `origin:verbatim=0.3`.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// What it looks at.
    pub by: By,
    /// The name that it is for.
    pub name: String,
    /// How often such examples stand in the mix.
    pub times: f64,
}

impl FromStr for Weight {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "write KEY:NAME=TIMES, such as `locale:ko=2`".to_owned();
        let (key, rest) = text.split_once(':').ok_or_else(form)?;
        let (name, times) = rest.rsplit_once('=').ok_or_else(form)?;
        let by = match key {
            "data_type" => By::DataType,
            "locale" => By::Locale,
            "origin" => By::Origin,
            "aim" => By::Aim,
            "suite" => By::Suite,
            other => return Err(format!("no weight by `{other}`; known are data_type, locale, origin, aim and suite")),
        };
        let times: f64 = times.parse().map_err(|_| format!("`{times}` is no number"))?;
        if !times.is_finite() || !(0.0..=100.0).contains(&times) {
            return Err(format!("`{times}` is not between 0 and 100"));
        }
        Ok(Self { by, name: name.to_owned(), times })
    }
}

/// How many copies of a lesson stand in the mix: all weights that concern it, multiplied; what is left of a whole by chance.
pub(super) fn copies(lesson: &Lesson, weights: &[Weight], seed: u64) -> u32 {
    let times: f64 = weights.iter().filter(|weight| concerns(weight, lesson)).map(|weight| weight.times).product();
    let whole = times.floor().clamp(0.0, 1e6);
    let mut chance = Chance::new(seed, "export.mix", lesson.id(), 0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and a million")]
    let copies = whole as u32;
    copies + u32::from(chance.happens(times - whole))
}

fn concerns(weight: &Weight, lesson: &Lesson) -> bool {
    let sample = &lesson.sample;
    match weight.by {
        By::DataType => sample.data_type.0 == weight.name,
        By::Locale => sample.locale == weight.name,
        By::Suite => sample.suite == SuiteName::from(weight.name.as_str()),
        By::Aim => lesson.aim.as_str() == weight.name,
        By::Origin => origins(sample).contains(&weight.name.as_str()),
    }
}

/// About how many tokens an example has: four letters of Latin script to one, every other letter one.
pub(super) fn tokens(lesson: &Lesson) -> usize {
    let mut quarters = 0;
    let mut add =
        |text: &str| quarters += text.chars().map(|letter| if letter.is_ascii() { 1 } else { 4 }).sum::<usize>();
    for turn in &lesson.turns {
        add(turn.text.as_deref().unwrap_or_default());
        add(turn.reasoning.as_deref().unwrap_or_default());
        turn.calls.iter().for_each(|call| {
            add(&call.name);
            add(&Value::Object(call.arguments.clone()).to_string());
        });
    }
    for tool in &lesson.tools {
        add(&serde_json::to_string(&tool.parameters).unwrap_or_default());
        add(&tool.name);
        add(&tool.description);
    }
    quarters.div_ceil(4) + 4 * lesson.turns.len()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{lesson, parallel};
    use super::*;

    fn weights(texts: &[&str]) -> Vec<Weight> {
        texts.iter().map(|text| text.parse().unwrap()).collect()
    }

    #[test]
    fn weights_multiply_and_the_rest_is_chance() {
        let lesson = lesson("call");
        assert_eq!(copies(&lesson, &[], 7), 1);
        assert_eq!(copies(&lesson, &weights(&["locale:en=2", "data_type:ST_Perfect=1.5", "locale:ko=0"]), 7), 3);
        assert_eq!(copies(&lesson, &weights(&["aim:call=0"]), 7), 0);
        let half = weights(&["suite:hammerbench=0.5"]);
        let kept: u32 = (0..1000).map(|seed| copies(&lesson, &half, seed)).sum();
        assert!((420..580).contains(&kept), "{kept}");
        assert_eq!(copies(&lesson, &half, 7), copies(&lesson, &half, 7));
    }

    #[test]
    fn origins_are_those_of_the_right_call() {
        let mut lesson = lesson("call");
        lesson.sample.arguments = serde_json::from_str(r#"{"to": {"origin": "normalised"}}"#).unwrap();
        assert_eq!(copies(&lesson, &weights(&["origin:normalised=3"]), 7), 3);
        assert_eq!(copies(&lesson, &weights(&["origin:verbatim=3"]), 7), 1);
    }

    #[test]
    fn a_weight_that_makes_no_sense_says_so() {
        for text in ["locale", "locale:ko", "colour:red=1", "locale:ko=x", "locale:ko=-1", "locale:ko=NaN"] {
            assert!(text.parse::<Weight>().is_err(), "{text}");
        }
    }

    #[test]
    fn longer_examples_have_more_tokens() {
        let (short, long) = (tokens(&lesson("call")), tokens(&parallel()));
        assert!(short > 40 && short < long, "{short} {long}");
        let mut korean = lesson("call");
        korean.turns[0].text = Some("포르투행 기차".to_owned());
        assert!(tokens(&korean) > short);
    }
}
