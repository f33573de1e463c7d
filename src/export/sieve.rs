//! What a sample has to pass by itself before it is a row: locale, permission, length, weight, and a place in the format.

use super::lesson::{Learn, Lesson};
use super::loss::{Loss, Rule};
use super::mix::{copies, tokens};
use super::options::{Objective, Options};
use super::row::rendered;
use super::teach::{Around, Taught, Teacher};
use crate::record::{Review, Sample};

/// Makes lessons of samples, and keeps those that the options allow.
#[derive(Debug)]
pub(super) struct Sieve<'o> {
    options: &'o Options,
    /// Who makes lessons.
    pub teacher: Teacher,
}

impl<'o> Sieve<'o> {
    /// Lessons by a teacher.
    pub(super) fn new(options: &'o Options, teacher: Teacher) -> Self {
        Self { options, teacher }
    }

    /// The lesson of a sample, with what of the sample it does not teach; or why there is none.
    pub(super) fn lesson(&mut self, sample: Sample, around: &Around) -> Taught {
        if let Some(rule) = refused(&sample, self.options) {
            return Err(Loss::row(sample.id.as_str(), rule, ""));
        }
        let (mut lesson, losses) = self.teacher.lesson(sample, around)?;
        if self.options.masks_history() {
            let before = lesson.turns.iter_mut().take(lesson.target);
            before.filter(|turn| turn.learn == Learn::Yes).for_each(|turn| turn.learn = Learn::Context);
        }
        let length = tokens(&lesson);
        if self.options.max_tokens.is_some_and(|most| length > most) {
            return Err(Loss::row(lesson.id(), Rule::TooLong, length.to_string()));
        }
        if copies(&lesson, &self.options.weights, self.options.seed) == 0 {
            return Err(Loss::row(lesson.id(), Rule::Weight, ""));
        }
        Ok((lesson, losses))
    }

    /// The same, where the format has a place for it as well.
    pub(super) fn row(&mut self, sample: Sample, around: &Around) -> Option<Lesson> {
        let (lesson, _) = self.lesson(sample, around).ok()?;
        let is_taught = self.options.objective == Objective::Sft;
        let has_place = !is_taught || rendered(&lesson, self.options).is_none_or(|written| written.is_ok());
        has_place.then_some(lesson)
    }
}

/// Why a sample is not wanted, before anybody looks closer.
fn refused(sample: &Sample, options: &Options) -> Option<Rule> {
    let is_other = options.locale.as_ref().is_some_and(|locale| *locale != sample.locale);
    match () {
        () if is_other => Some(Rule::Locale),
        () if sample.review == Review::Rejected => Some(Rule::Rejected),
        () if sample.provenance.template && !options.allow_template => Some(Rule::Template),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::options::Dialect;
    use super::super::testing::gold;
    use super::super::wording::Wording;
    use super::*;
    use crate::record::{Message, Role};

    fn sieve(options: &Options) -> Sieve<'_> {
        Sieve::new(options, Teacher { wording: Wording::new(7), paradigm: options.paradigm })
    }

    #[test]
    fn history_is_read_and_not_learned_unless_it_is_wanted_or_the_format_cannot_say_so() {
        let mut later = gold();
        later.messages.push(Message::new(Role::Assistant, "Where to?"));
        later.messages.push(Message::user("to Porto"));
        let learn = |to, train_history| {
            let options = Options { to, train_history, ..Options::default() };
            sieve(&options).lesson(later.clone(), &Around::default()).unwrap().0.turns[1].learn
        };
        for to in [Dialect::Trl, Dialect::TrlArrow, Dialect::Openai, Dialect::Parquet, Dialect::Csv] {
            assert_eq!((learn(to, false), learn(to, true)), (Learn::Context, Learn::Yes), "{to:?}");
        }
        assert_eq!(learn(Dialect::Hermes, false), Learn::Yes);
    }

    #[test]
    fn what_a_format_has_no_place_for_is_no_row() {
        let mut later = gold();
        later.messages.push(Message::new(Role::Assistant, "Where to?"));
        later.messages.push(Message::user("to Porto"));
        let has_row = |to| {
            let options = Options { to, ..Options::default() };
            sieve(&options).row(later.clone(), &Around::default()).is_some()
        };
        assert!(has_row(Dialect::Trl) && has_row(Dialect::Hermes) && has_row(Dialect::Csv) && !has_row(Dialect::Xlam));
    }
}
