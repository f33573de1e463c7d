//! The number in a judge's reply, as the authors read it.

use crate::python::read_float;

/// What a judge says after all square brackets are gone. Nothing is clamped: 1.5 and -0.2 are taken, and so are `nan` and
/// `inf`. A word beside the number breaks the authors' script; here there is no score.
pub fn judge_score(reply: &str) -> Option<f64> {
    read_float(&reply.replace(['[', ']'], ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_of_no_account() {
        for (reply, score) in
            [("[[0.85]]", 0.85), ("0.5", 0.5), (" [.7]\n", 0.7), ("[[1_0]]", 10.0), ("[[1.5]]", 1.5), ("]0[.5", 0.5)]
        {
            assert_eq!(judge_score(reply), Some(score), "{reply}");
        }
        assert!(judge_score("[[NaN]]").unwrap().is_nan());
    }

    #[test]
    fn words_and_several_numbers_are_no_score() {
        for reply in ["", "[[]]", "Score: [[0.9]]", "[[0.85]] [[0.9]]", "[[0,85]]", "[[0.8]].", "[[85%]]"] {
            assert_eq!(judge_score(reply), None, "{reply}");
        }
    }
}
