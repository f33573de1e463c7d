//! The number in a judge's reply, by our own rules.

use crate::record::Value;
use crate::score::callnavi::upstream::judge_score;

/// The last number in two pairs of brackets, a number alone, or the `score` of an object; none that is not between 0 and 1.
pub fn read_score(reply: &str) -> Option<f64> {
    let bracketed = reply.rsplit_once("[[").and_then(|(_, rest)| Some(rest.split_once("]]")?.0));
    let score = bracketed.and_then(judge_score).or_else(|| judge_score(reply)).or_else(|| field(reply));
    score.filter(|score| (0.0..=1.0).contains(score))
}

fn field(reply: &str) -> Option<f64> {
    let (value, _) = Value::read_beginning(reply.get(reply.find('{')?..)?)?;
    Some(value.as_object()?.get("score")?.as_number()?.as_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_score_is_found_among_words() {
        for (reply, score) in [
            ("[[0.850]]", 0.85),
            ("Score: [[0.9]].", 0.9),
            ("At first [[0.2]], in the end [[1.000]]", 1.0),
            ("0", 0.0),
            ("```json\n{\"score\": 0.5}\n```", 0.5),
        ] {
            assert_eq!(read_score(reply), Some(score), "{reply}");
        }
    }

    #[test]
    fn what_is_no_score_is_none() {
        for reply in [
            "",
            "good",
            "[[1.5]]",
            "[[-0.1]]",
            "[[nan]]",
            "[[inf]]",
            "85",
            "{\"score\": 2}",
            "{\"score\": \"0.5\"}",
            "[[]]",
        ] {
            assert_eq!(read_score(reply), None, "{reply}");
        }
    }

    proptest! {
        #[test]
        fn every_score_is_read_and_lies_between_0_and_1(score in 0.0..=1.0_f64, text in ".{0,30}") {
            prop_assert_eq!(read_score(&format!("[[{score:?}]]")), Some(score));
            prop_assert!(read_score(&text).is_none_or(|score| (0.0..=1.0).contains(&score)));
        }
    }
}
