//! What a question's line tells of its place in the conversation, besides what BFCL's lines have.

use super::facts::{COMPLEXITY_FACT, OBSERVED_FACT};
use crate::format::bfcl::EntryError;
use crate::record::{BorrowedObject, BorrowedValue, Object, Sample, Snapshot, Value};

/// The agent's turn, from 1, and how many it has in the conversation; the time that dates refer to; complexities. Nothing of
/// it where others wrote the line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) turn: Option<u32>,
    turns: Option<u32>,
    reference_time: Option<String>,
    complexity: Option<String>,
    observed: Option<String>,
}

impl Told {
    /// Reads it from a line.
    pub(super) fn read(line: &str) -> Result<Self, EntryError> {
        let wanted = ["turn", "turns", "reference_time", COMPLEXITY_FACT, OBSERVED_FACT];
        let fields = BorrowedObject::read_fields(line, &wanted)?;
        let text = |name: &str| fields.get(name).and_then(BorrowedValue::as_str).map(str::to_owned);
        let number = |name: &str| match fields.get(name) {
            Some(BorrowedValue::Number(text)) => text.parse().ok(),
            _ => None,
        };
        let reference_time = text("reference_time");
        let (complexity, observed) = (text(COMPLEXITY_FACT), text(OBSERVED_FACT));
        Ok(Self { turn: number("turn"), turns: number("turns"), reference_time, complexity, observed })
    }

    /// What is known of a sample.
    pub(super) fn of(sample: &Sample) -> Self {
        let fact = |name: &str| sample.provenance.facts.get(name).cloned();
        Self {
            turn: sample.snapshot.as_ref().map(|snapshot| snapshot.turn),
            turns: sample.snapshot.as_ref().map(|snapshot| snapshot.turns),
            reference_time: sample.reference_time.clone(),
            complexity: fact(COMPLEXITY_FACT),
            observed: fact(OBSERVED_FACT),
        }
    }

    /// The fields of a line.
    pub(super) fn fields(self) -> Object {
        let number = |number: Option<u32>| number.map(|number| Value::from(i64::from(number)));
        let text = |text: Option<String>| text.map(Value::from);
        let fields = [
            ("turn", number(self.turn)),
            ("turns", number(self.turns)),
            ("reference_time", text(self.reference_time)),
            (COMPLEXITY_FACT, text(self.complexity)),
            (OBSERVED_FACT, text(self.observed)),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }

    /// Puts what is told into a sample.
    pub(super) fn put(&self, sample: &mut Sample) {
        sample.reference_time.clone_from(&self.reference_time);
        let facts = [(COMPLEXITY_FACT, &self.complexity), (OBSERVED_FACT, &self.observed)];
        let facts = facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact.clone()?)));
        sample.provenance.facts.extend(facts);
        if let (Some(Snapshot { turns, .. }), Some(told)) = (&mut sample.snapshot, self.turns) {
            *turns = told;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::call_item;
    use super::*;

    #[test]
    fn what_is_known_of_a_sample_is_told_and_read_back() {
        let sample = call_item("t/0", 1);
        let told = Told::of(&sample);
        let line = Value::Object(told.clone().fields()).to_string();
        assert_eq!(
            line,
            r#"{"turn":2,"turns":3,"reference_time":"2026-05-04T09:00","complexity":"OVERFILL","observed":"OVERFILL,CONFIRMATION"}"#
        );
        assert_eq!(Told::read(&line).unwrap(), told);
        let mut bare = call_item("t/0", 1);
        bare.provenance.facts.clear();
        bare.reference_time = None;
        told.put(&mut bare);
        assert_eq!(Told::of(&bare), told);
    }

    #[test]
    fn others_lines_tell_nothing() {
        assert_eq!(Told::read(r#"{"id": "x", "turn": "two"}"#).unwrap(), Told::default());
        assert!(Told::default().fields().is_empty() && Told::read("[").is_err());
    }
}
