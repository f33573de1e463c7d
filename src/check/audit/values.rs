//! How varied the values of parameters are.

use super::Measure;
use super::figure::{Cell, Figure, share};
use crate::lint::entry::Entry;
use crate::lint::hash::hash;
use crate::record::{PLACEHOLDER, Parameter, Value};
use std::collections::BTreeMap;

/// The values of each parameter with their counts; memory grows with distinct values, of which short texts are kept.
#[derive(Default)]
pub(super) struct Values(BTreeMap<(String, String), BTreeMap<u64, Counted>>);

struct Counted {
    times: usize,
    text: String,
}

/// What can be one of fewer values is left out, and so is what was given less often: such shares say nothing.
const VALUES: usize = 10;

/// So many parameters are shown by name, and so many letters of a value.
const SHOWN: usize = 5;
const LETTERS: usize = 40;

const WHAT: &str = "values of expected calls, over parameters with at least ten possible values that are given at \
    least ten times: distinct values / n, the share of each parameter's most frequent value, and the five parameters \
    where that share is largest; values taken from an answer or repeated by a variant are skipped";

impl Values {
    fn add(&mut self, tool: &str, name: &str, value: &Value) {
        let json = serde_json::to_string(value).unwrap_or_default();
        let values = self.0.entry((tool.to_owned(), name.to_owned())).or_default();
        let new = || Counted { times: 0, text: json.chars().take(LETTERS).collect() };
        values.entry(hash(&[&json])).or_insert_with(new).times += 1;
    }
}

impl Measure for Values {
    fn see(&mut self, entry: &Entry) {
        for (tool, name, value) in given(entry) {
            let parameter = entry.candidate(tool).and_then(|tool| tool.parameters.properties.get(name));
            if parameter.is_some_and(is_wide) {
                self.add(tool, name, value);
            }
        }
    }

    fn figure(&self) -> Figure {
        let counts = self.0.iter().filter_map(|((tool, name), values)| {
            let n: usize = values.values().map(|value| value.times).sum();
            // Of values that come equally often the one whose text comes first: hashes would do, but nobody reads them.
            let most =
                values.values().max_by(|one, other| one.times.cmp(&other.times).then(other.text.cmp(&one.text)))?;
            (n >= VALUES).then_some((format!("{tool} {name}"), values.len(), most, n))
        });
        let mut counts: Vec<_> = counts.collect();
        let (distinct, most, n) =
            counts.iter().fold((0, 0, 0), |sum, (_, values, most, n)| (sum.0 + values, sum.1 + most.times, sum.2 + n));
        let parameters = format!("{} parameters", counts.len());
        let whole = [
            Cell::share("distinct / n", distinct, n).with(parameters.clone()),
            Cell::share("commonest", most, n).with(parameters),
        ];
        let part = |(_, _, most, n): &(String, usize, &Counted, usize)| share(most.times, *n);
        counts.sort_by(|one, other| part(other).total_cmp(&part(one)).then(one.0.cmp(&other.0)));
        let worst = counts.iter().take(SHOWN).map(|(name, _, most, n)| {
            Cell::share(format!("most frequent value of {name}"), most.times, *n).with(most.text.clone())
        });
        Figure::new("values", WHAT, whole.into_iter().chain(worst).filter(|cell| cell.n > 0).collect())
    }
}

/// Whether so many values are possible that few of them are a choice.
fn is_wide(parameter: &Parameter) -> bool {
    let limit = |key: &str| parameter.more.get(key).and_then(serde_json::Value::as_i64);
    let range = limit("maximum").zip(limit("minimum")).map(|(most, least)| most.saturating_sub(least));
    let few = i64::try_from(VALUES).unwrap_or(i64::MAX);
    let is_narrow = parameter.type_name() == "integer" && range.is_some_and(|range| range + 1 < few);
    let is_listed = parameter.values.as_ref().is_some_and(|values| values.len() < VALUES);
    parameter.type_name() != "boolean" && !is_listed && !is_narrow
}

/// The tool, the parameter and the value of each argument that an entry is the first to give.
pub(super) fn given(entry: &Entry) -> Vec<(&str, &str, &Value)> {
    if !entry.gives_values() {
        return Vec::new();
    }
    if let Some(call) = entry.call() {
        let fresh = entry.fresh().into_iter();
        return fresh.filter_map(|name| Some((call.name.as_str(), name, call.arguments.get(name)?))).collect();
    }
    let mut out = Vec::new();
    for called in entry.calls() {
        let is_answer = |name: &str| {
            called.notes.and_then(|notes| notes.get(name)).is_some_and(|note| note.origin.answer().is_some())
        };
        let own = called
            .call
            .arguments
            .iter()
            .filter(|(name, value)| value.as_str() != Some(PLACEHOLDER) && !is_answer(name));
        out.extend(own.map(|(name, value)| (called.call.name.as_str(), name.as_str(), value)));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, questions, said, snapshots};

    fn figure(values: &[&str]) -> Figure {
        let mut measure = Values::default();
        for (at, value) in values.iter().enumerate() {
            let arguments = format!(r#"{{"to": "{value}", "seats": {at}, "class": "first"}}"#);
            measure.see(&entry(said(&format!("s{at}"), "ST_Perfect", "x", &arguments)));
        }
        measure.figure()
    }

    #[test]
    fn the_commonest_value_is_named_with_its_share() {
        let mut values = vec!["Porto"; 9];
        values.extend(["Faro", "Lagos", "Tavira"]);
        let figure = figure(&values);
        let cell = |slice: &str| figure.cell(slice).unwrap();
        assert_eq!(
            (cell("most frequent value of A.B.book to").value, cell("most frequent value of A.B.book to").n),
            (0.75, 12)
        );
        assert_eq!(cell("most frequent value of A.B.book to").detail, r#""Porto""#);
        assert_eq!((cell("distinct / n").value, cell("distinct / n").n), (16.0 / 24.0, 24));
        assert!(figure.cell("most frequent value of A.B.book class").is_none(), "two values are a choice, not a habit");
    }

    #[test]
    fn a_parameter_that_is_given_now_and_then_says_nothing() {
        assert!(figure(&["Porto"; 9]).missing.is_some());
    }

    #[test]
    fn what_an_answer_gives_or_a_variant_repeats_is_left_out() {
        let names = |entry: &Entry| given(entry).iter().map(|(_, name, _)| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&entry(questions("hard"))), ["customerId"]);
        let turns = |kind: &str| -> Vec<Vec<String>> {
            snapshots("b/0", kind, &[r#"{"to": "Porto"}"#, r#"{"to": "Porto", "seats": 2}"#])
                .iter()
                .map(names)
                .collect()
        };
        assert_eq!(turns("Based"), [vec![], vec!["seats".to_owned()]], "its first turn is a sample by itself");
        assert_eq!(turns("SO_case1"), [Vec::<String>::new(), vec![]]);
    }
}
