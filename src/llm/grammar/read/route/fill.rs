//! The values of one call: identifiers by their shapes and neighbours, others by what the locale surely knows.

use super::super::candidates::{Candidate, Means};
use super::super::form::Form;
use super::super::learn::Learned;
use super::super::reader::Reader;
use super::super::slot::Slot;
use super::super::text::{Span, Text};
use super::code::Code;
use super::tool::{RouteTool, Want};
use crate::record::{Object, Value};

/// What the values of a call are read from.
pub(super) struct Filling<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) text: &'a Text,
    pub(super) codes: &'a [Code],
}

impl Filling<'_> {
    /// The values that the question gives to a tool's parameters, in declared order; those of the clause go first.
    pub(super) fn values(&self, tool: &RouteTool, clause: Span) -> Object {
        let mut taken: Vec<(usize, Span, Value)> = Vec::new();
        for (want, span, value) in self.identifiers(tool, clause).into_iter().chain(self.others(tool, clause)) {
            if taken.iter().all(|(known, other, _)| *known != want && !other.overlaps(span)) {
                taken.push((want, span, value));
            }
        }
        taken.sort_by_key(|(want, ..)| *want);
        taken.into_iter().map(|(want, _, value)| (tool.wants[want].name.clone(), value)).collect()
    }

    /// Codes for parameters that hold identifiers, the likeliest first.
    fn identifiers(&self, tool: &RouteTool, clause: Span) -> Vec<(usize, Span, Value)> {
        let wants = tool.wants.iter().enumerate().filter(|(_, want)| want.identifies && !want.nested);
        let mut pairs: Vec<(f64, usize, &Code)> = wants
            .flat_map(|(index, want)| self.codes.iter().map(move |code| (index, want, code)))
            .filter_map(|(index, want, code)| Some((self.likelihood(want, code, clause)?, index, code)))
            .collect();
        pairs.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.2.span.cmp(&other.2.span)));
        pairs.into_iter().map(|(_, want, code)| (want, code.span, value(tool, want, &code.text))).collect()
    }

    /// How likely a code is a parameter's; `None` where nothing says so.
    fn likelihood(&self, want: &Want, code: &Code, clause: Span) -> Option<f64> {
        let shaped = want.shapes.iter().any(|shape| shape.takes(code));
        if !want.shapes.is_empty() && !shaped {
            return None;
        }
        let beside = self.beside(want, code);
        // A short number alone may be an amount as well.
        let alone = self.codes.len() == 1 && (code.span.len() > 4 || code.text.contains(char::is_alphabetic));
        let near = if code.span.overlaps(clause) { 2.0 } else { 0.0 };
        let says = if shaped { 10.0 } else { 0.0 } + beside + if starts(want, code) { 2.0 } else { 0.0 };
        (says > 0.0 || alone).then_some(says + near)
    }

    /// The parameter's own words among the few before a code: `loan ID L12345`.
    fn beside(&self, want: &Want, code: &Code) -> f64 {
        let earlier =
            self.codes.iter().filter(|other| other.span.end <= code.span.start).map(|other| other.span.end).max();
        let words = self.text.words().iter().rev().filter(|word| word.span.end <= code.span.start);
        let words = words.take_while(|word| earlier.is_none_or(|end| word.span.start >= end)).take(4);
        let own = words.filter(|word| want.words.iter().any(|own| own == self.reader.pack.reading.stem(&word.lower)));
        own.map(|_| 3.0).sum()
    }

    /// Values of other parameters that are surely some.
    fn others(&self, tool: &RouteTool, clause: Span) -> Vec<(usize, Span, Value)> {
        let learned = Learned::new();
        let means = Means { recogniser: self.reader.recogniser, reading: &self.reader.pack.reading, learned: &learned };
        let slots = tool.reader.slots.iter().zip(&tool.wants).enumerate();
        let mut found: Vec<Candidate> = slots
            .filter(|(_, (slot, want))| !want.identifies && !want.nested && is_known(slot))
            .flat_map(|(index, (slot, _))| slot.candidates(index, self.text, means))
            .filter(|candidate| candidate.sure)
            .collect();
        let rank = |candidate: &Candidate| candidate.score + if candidate.span.overlaps(clause) { 4.0 } else { 0.0 };
        found.sort_by(|one, other| rank(other).total_cmp(&rank(one)).then(one.span.cmp(&other.span)));
        found.into_iter().map(|candidate| (candidate.slot, candidate.span, candidate.value)).collect()
    }
}

/// Whether the values of a slot are listed, counted or of a kind that is more than any words.
fn is_known(slot: &Slot) -> bool {
    !slot.open || !matches!(slot.form, Form::Kind(..) | Form::Free)
}

/// A code as the parameter's type has it.
fn value(tool: &RouteTool, want: usize, text: &str) -> Value {
    tool.reader.slots.get(want).map_or_else(|| Value::from(text), |slot| slot.value(text))
}

/// Whether the letters of a code begin one of the parameter's words: `L12345` is a loan's.
fn starts(want: &Want, code: &Code) -> bool {
    let letters: String = code.text.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_lowercase();
    !letters.is_empty() && want.words.iter().any(|word| word.starts_with(&letters))
}

#[cfg(test)]
mod tests {
    use super::super::super::reader::tests::Desk;
    use super::super::code::codes;
    use super::*;

    fn read(parameters: &str, question: &str, clause: &str) -> String {
        let desk = Desk::new("mobile", "en");
        let json = format!(r#"{{"name": "doThing", "parameters": {{"properties": {parameters}}}}}"#);
        let tool = RouteTool::new(&serde_json::from_str(&json).unwrap(), &desk.pack, &desk.recogniser);
        let text = desk.reader().text(question);
        let start = question.find(clause).unwrap();
        let codes = codes(&text);
        let filling = Filling { reader: desk.reader(), text: &text, codes: &codes };
        let values = filling.values(&tool, Span { start, end: start + clause.len() });
        serde_json::to_string(&values).unwrap()
    }

    #[test]
    fn identifiers_go_to_the_parameters_whose_words_or_shapes_they_have() {
        let question = "Link doctor ID 4471 with patient P2231 and bed 99120";
        let two = r#"{"patientId": {"type": "string"}, "doctorId": {"type": "string"}}"#;
        assert_eq!(read(two, question, question), r#"{"patientId":"P2231","doctorId":"4471"}"#);
        let shaped = r#"{"a": {"description": "Such as P####"}, "b": {"description": "Such as Q####"}}"#;
        assert_eq!(read(shaped, question, question), r#"{"a":"P2231"}"#);
    }

    #[test]
    fn the_only_code_is_whose_it_may_be_and_of_several_nobodys() {
        let one = r#"{"ticketId": {"type": "string"}}"#;
        assert_eq!(read(one, "Look at XY9981", "Look"), r#"{"ticketId":"XY9981"}"#);
        assert_eq!(read(one, "Look at XY9981 or ZZ9982", "Look"), "{}");
        assert_eq!(read(r#"{"number": {"type": "integer"}}"#, "Look at 99812", "Look"), r#"{"number":99812}"#);
        assert_eq!(read(one, "Pay 1000 for it", "Pay"), "{}");
    }

    #[test]
    fn of_two_values_that_of_the_clause_is_taken() {
        let question = "See loan L1234, and pay loan L9876";
        let loan = r#"{"loanId": {"type": "string"}}"#;
        assert_eq!(read(loan, question, "pay loan L9876"), r#"{"loanId":"L9876"}"#);
        assert_eq!(read(loan, question, "See loan L1234"), r#"{"loanId":"L1234"}"#);
    }

    #[test]
    fn other_values_are_those_that_the_locale_knows() {
        let some = r#"{"mode": {"enum": ["fast", "slow"]}, "city": {"type": "string"}, "note": {"type": "string"}, "more": {"type": "object"}}"#;
        assert_eq!(read(some, "Go the slow way to Lisbon with gizmos", "Go"), r#"{"mode":"slow","city":"Lisbon"}"#);
    }
}
