//! Is the gold of a request in several steps right: is every call needed, was every argument said, and does the closing
//! answer answer each goal and claim nothing that is false?

mod claims;
mod closing;
mod needed;
#[cfg(test)]
mod testing;

use super::Fault;
use crate::locale::Language;
use crate::record::{ArgumentNotes, FunctionCall, Number, Step, Tool, Value};
use crate::toolset::Tally;
use closing::Closing;
pub use closing::values_at;
use indexmap::IndexMap;
use std::sync::Arc;

/// A request with its gold.
#[derive(Debug, Clone, Copy)]
pub struct Gold<'g> {
    /// What the person says.
    pub request: &'g str,
    /// The calls, step by step, with their answers and where their arguments come from.
    pub steps: &'g [Step],
    /// The closing answer; nothing is judged by it where it is empty.
    pub answer: &'g str,
    /// The functions.
    pub tools: &'g [Arc<Tool>],
    /// The fields of a function's answer that a request for it asks for, by function, as paths such as
    /// `data.methods.*.name`. The closing answer tells which fields are wanted of the others.
    pub goal_fields: &'g IndexMap<String, Vec<String>>,
    /// What the lists of a function's answer come to, by function: figures that a closing answer may tell.
    pub tallies: &'g IndexMap<String, Vec<Tally>>,
    /// The functions whose calls change something, so that they are needed whatever they answer.
    pub changes: &'g [String],
    /// The language of request and closing answer.
    pub language: &'g Language,
}

/// One gold call.
struct GoldCall<'g> {
    call: &'g FunctionCall,
    answer: &'g Value,
    notes: Option<&'g ArgumentNotes>,
    step: usize,
}

impl<'g> Gold<'g> {
    /// The first fault; none where the gold is right.
    pub fn check(&self) -> Result<(), Fault> {
        self.faults().into_iter().next().map_or(Ok(()), Err)
    }

    /// Everything that is wrong: needless calls, arguments that nobody said, goals without an answer, false claims.
    pub fn faults(&self) -> Vec<Fault> {
        let calls = self.calls();
        let closing = Closing::new(self.answer, self.language);
        let mut faults = self.unsaid(&calls);
        faults.extend(self.needless(&calls, &closing));
        if !self.answer.trim().is_empty() {
            faults.extend(self.unanswered(&calls, &closing));
            faults.extend(self.claims(&calls));
        }
        faults
    }

    fn calls(&self) -> Vec<GoldCall<'g>> {
        let of = |(step, it): (usize, &'g Step)| {
            let answered = it.calls.iter().zip(&it.answers).enumerate();
            answered.map(move |(at, (call, answer))| GoldCall { call, answer, notes: it.notes.get(at), step })
        };
        self.steps.iter().enumerate().flat_map(of).collect()
    }

    /// The fields of a call's answer that a request for it asks for, where that is declared.
    fn asked(&self, call: &GoldCall<'_>) -> Option<&'g [String]> {
        self.goal_fields.get(&call.call.name).map(Vec::as_slice).filter(|fields| !fields.is_empty())
    }

    /// The figures that the lists of a call's answer come to.
    fn tallied(&self, call: &GoldCall<'_>) -> Vec<Number> {
        let tallies = self.tallies.get(&call.call.name).into_iter().flatten();
        tallies.filter_map(|tally| tally.figure(call.answer)).collect()
    }

    /// Whether later calls take from the answer of this one.
    fn feeds(calls: &[GoldCall<'_>], at: usize) -> bool {
        calls.iter().any(|call| call.sources().any(|(from, _)| from == at))
    }
}

impl<'g> GoldCall<'g> {
    /// The earlier answers that its arguments come from: the call, and a JSON pointer.
    fn sources(&self) -> impl Iterator<Item = (usize, &'g str)> {
        self.notes.into_iter().flat_map(|notes| notes.values()).filter_map(|note| note.origin.answer())
    }
}
