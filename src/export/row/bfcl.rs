//! BFCL's lines: the question, and what is accepted.

use super::super::loss::{Loss, Rule};
use crate::export::lessons::lesson::Lesson;
use crate::record::Object;
use crate::suite::bfcl::layout::{Version, answer_line, category_of, question_line};

/// A lesson among BFCL's: its category, its question, and its answer where a call is right.
pub(in super::super) struct Line {
    /// The category, which names the file.
    pub category: &'static str,
    /// The line of the questions.
    pub question: Object,
    /// The line of the answers.
    pub answer: Option<Object>,
}

/// The lines.
pub(in super::super) fn line(lesson: &Lesson) -> Result<Line, Loss> {
    let sample = lesson.as_sample();
    let unfit = |why: crate::suite::bfcl::layout::Unfit| Loss::row(lesson.id(), Rule::Unfit, why.to_string());
    let category = category_of(&sample, Version::V4).map_err(unfit)?;
    let question = question_line(lesson.id(), &sample, Version::V4);
    Ok(Line { category, question, answer: answer_line(lesson.id(), &sample) })
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{lesson, parallel};
    use super::*;

    #[test]
    fn a_lesson_has_its_category_and_its_answer() {
        let call = line(&lesson("call")).unwrap();
        assert_eq!((call.category, call.question["id"].as_str()), ("multiple", Some("Rail.book/ask/0")));
        assert!(call.answer.unwrap()["ground_truth"].to_string().contains("Porto"));
        let refusal = line(&lesson("refusal")).unwrap();
        assert_eq!((refusal.category, refusal.answer), ("irrelevance", None));
    }

    #[test]
    fn words_have_no_place_there() {
        assert_eq!(line(&lesson("question")).err().unwrap().rule, Rule::Unfit);
        assert_eq!(line(&parallel()).unwrap().category, "parallel_multiple");
    }
}
