//! The metric of samples that are of no suite of their own: they are scored by the rule that gives rewards.

use super::reward::{Judge, Right};
use crate::export::lessons::teach::{Around, Teacher};
use crate::export::lessons::wording::Wording;
use crate::record::{Paradigm, PredictionTurn, Sample};
use crate::suite::{Judged, Metric};

/// Scores samples of any suite: the calls of the first step, a question for what is missing, a refusal, or an answer.
#[derive(Debug)]
pub struct AnySuite {
    teacher: Teacher,
    judge: Judge,
}

impl Default for AnySuite {
    fn default() -> Self {
        let teacher = Teacher { wording: Wording::new(0), paradigm: Paradigm::Ask };
        Self { teacher, judge: Judge::default() }
    }
}

impl Metric for AnySuite {
    fn suite(&self) -> &'static str {
        "training"
    }

    fn version(&self) -> &'static str {
        "rewards 1"
    }

    fn judge(&mut self, sample: &Sample, reply: &PredictionTurn) -> Option<Judged> {
        let (lesson, _) = self.teacher.lesson(sample.clone(), &Around::default()).ok()?;
        let reward = self.judge.reward(&Right::of(&lesson), reply);
        Some(Judged { right: reward.is_right(), error: reward.reason, reason: reward.detail })
    }
}
