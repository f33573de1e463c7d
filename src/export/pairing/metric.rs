//! The metric for samples of suites without one of their own: the reward rules.

use super::reward::{Judge, Reward, Right};
use crate::export::lessons::teach::{Around, Teacher};
use crate::export::lessons::wording::Wording;
use crate::record::{Paradigm, PredictionTurn, Sample};
use crate::suite::{Judgement, Metric};

/// Scores samples of any suite: the calls of the first step, a question for what is missing, a refusal, or an answer.
#[derive(Debug)]
pub struct RewardMetric {
    teacher: Teacher,
    judge: Judge,
}

impl Default for RewardMetric {
    fn default() -> Self {
        let teacher = Teacher { wording: Wording::new(0), paradigm: Paradigm::Ask };
        Self { teacher, judge: Judge::default() }
    }
}

impl RewardMetric {
    fn right(&mut self, sample: &Sample) -> Option<Right> {
        let (lesson, _) = self.teacher.lesson(sample.clone(), &Around::default()).ok()?;
        Some(Right::of(&lesson))
    }
}

impl Metric for RewardMetric {
    fn suite(&self) -> &'static str {
        "training"
    }

    fn version(&self) -> &'static str {
        "rewards 1"
    }

    fn accepts(&mut self, sample: &Sample) -> bool {
        self.right(sample).is_some()
    }

    fn judge(&mut self, sample: &Sample, reply: &PredictionTurn) -> Judgement {
        let reward = self.right(sample).map(|right| self.judge.reward(&right, reply));
        let reward = reward.unwrap_or_else(|| Reward::wrong("unknown", ""));
        Judgement { right: reward.is_right(), error: reward.reason, reason: reward.detail }
    }
}
