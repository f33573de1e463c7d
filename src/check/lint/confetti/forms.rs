//! A value that the words say in another form has a form that is acceptable besides.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::Rule;
use crate::gate::other_forms;
use crate::record::Origin;

/// Looks at each item by itself.
pub(super) struct Forms;

impl Rule for Forms {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let Some(call) = entry.call() else { return };
        let Some(tool) = entry.candidate(&call.name) else { return };
        let notes = entry.sample.arguments.iter().filter(|(_, note)| note.origin == Origin::Normalised);
        for (name, note) in notes {
            let Some((value, parameter)) = call.arguments.get(name).zip(tool.parameters.properties.get(name)) else {
                continue;
            };
            if other_forms(parameter, value, note.surface.as_deref()).is_none() {
                continue;
            }
            let has_form = entry.sample.acceptable.get(name).is_some_and(|forms| !forms.is_empty());
            findings.tally("values said in another form have an acceptable form", has_form);
            if !has_form {
                let words = note.surface.as_deref().unwrap_or_default();
                let message = format!("{name} = {value} is said as `{words}`, and no other form is acceptable");
                findings.error("acceptable", entry, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::{entry, said};
    use super::super::super::testing::found;
    use super::*;
    use crate::record::{Argument, Sample, Value};

    fn told(change: impl Fn(&mut Sample)) -> Vec<String> {
        let mut sample = said("a", "calls", "two seats to porto", r#"{"to": "Porto", "seats": 2}"#);
        for (name, words) in [("to", "porto"), ("seats", "two")] {
            let note = Argument { surface: Some(words.to_owned()), origin: Origin::Normalised, ..Argument::default() };
            sample.arguments.insert(name.to_owned(), note);
            sample.acceptable.insert(name.to_owned(), vec![words.into()]);
        }
        change(&mut sample);
        found(Forms, &[entry(sample)])
    }

    #[test]
    fn a_value_in_another_form_has_an_acceptable_one() {
        assert_eq!(told(|_| {}), Vec::<String>::new());
        let none = told(|sample| drop(sample.acceptable.shift_remove("to")));
        assert_eq!(none, [r#"acceptable: to = "Porto" is said as `porto`, and no other form is acceptable"#]);
        assert_eq!(told(|sample| sample.acceptable["seats"].clear()).len(), 1);
    }

    #[test]
    fn what_is_verbatim_or_listed_needs_none() {
        let verbatim = told(|sample| {
            sample.acceptable.clear();
            sample.arguments.values_mut().for_each(|note| note.origin = Origin::Verbatim);
        });
        assert_eq!(verbatim, Vec::<String>::new());
        let listed = told(|sample| {
            let crate::record::Expected::Call(call) = &mut sample.expected else { panic!("no call") };
            call.arguments.insert("class".to_owned(), Value::from("first"));
            sample.arguments.insert("class".to_owned(), Argument { origin: Origin::Normalised, ..Argument::default() });
        });
        assert_eq!(listed, Vec::<String>::new());
    }
}
