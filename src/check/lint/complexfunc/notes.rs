//! Every argument of every golden call says where it comes from, and what it constrains where its function declares that.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::super::ground::Ground;
use super::Rule;
use crate::record::Constraint;
use std::sync::Arc;

/// Looks at each sample by itself.
pub(super) struct Notes(Arc<Ground>);

impl Notes {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self(ground)
    }
}

impl Rule for Notes {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        for (at, called) in entry.calls().iter().enumerate() {
            let name = &called.call.name;
            let declared = self.0.functions.constraints.get(name);
            for parameter in called.call.arguments.keys() {
                let note = called.notes.and_then(|notes| notes.get(parameter));
                findings.tally("arguments say where they come from", note.is_some());
                let Some(note) = note else {
                    findings.error(
                        "note",
                        entry,
                        format!("call {at}: nothing says where {name}.{parameter} comes from"),
                    );
                    continue;
                };
                let wanted = declared.and_then(|it| it.get(parameter)).copied();
                if let Some(wanted) = wanted.filter(|wanted| note.constraint != Some(*wanted)) {
                    let (wanted, noted) = (wanted.word(), note.constraint.map_or("nothing", Constraint::word));
                    let message = format!(
                        "call {at}: {name}.{parameter} is declared to constrain `{wanted}`, and is noted as `{noted}`"
                    );
                    findings.error("constraint", entry, message);
                }
            }
            let notes = called.notes.into_iter().flat_map(indexmap::IndexMap::keys);
            for parameter in notes.filter(|note| !called.call.arguments.contains_key(argument(note))) {
                let message = format!("call {at}: there is a note on {name}.{parameter}, which the call does not give");
                findings.error("note", entry, message);
            }
        }
    }
}

/// The argument that a note is about; notes on parts of one are named `legs/0/date`.
fn argument(note: &str) -> &str {
    note.split('/').next().unwrap_or(note)
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{complex, complex_ground, entry, step};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::{Argument, Constraint, Sample};

    fn told(change: impl FnOnce(&mut Sample)) -> Vec<String> {
        let mut sample = complex();
        change(&mut sample);
        found(Notes::new(complex_ground()), &[entry(sample)])
    }

    #[test]
    fn an_argument_without_a_note_and_a_note_without_an_argument_are_told() {
        let none = told(|sample| drop(step(sample, 1).notes[0].shift_remove("arrival")));
        assert_eq!(none, ["note: call 1: nothing says where Search_Inns.arrival comes from"]);
        let more = told(|sample| drop(step(sample, 0).notes[0].insert("page".to_owned(), Argument::default())));
        assert_eq!(more, ["note: call 0: there is a note on Find_Town.page, which the call does not give"]);
        assert_eq!(told(|sample| step(sample, 0).notes.clear()).len(), 1);
    }

    #[test]
    fn a_constraint_is_the_one_that_is_declared() {
        let told = told(|sample| step(sample, 1).notes[0]["arrival"].constraint = Some(Constraint::Time));
        assert_eq!(
            told,
            ["constraint: call 1: Search_Inns.arrival is declared to constrain `date`, and is noted as `time`"]
        );
    }
}
