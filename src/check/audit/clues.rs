//! Clues that give a right tool away: its place in the list, and its own words in the request.

use super::Measure;
use super::figure::{Cell, Figure, Mark, share};
use crate::lint::entry::Entry;
use crate::lint::hash::hash;
use crate::record::{FunctionCall, Role, UserTurn};
use crate::score::words_of;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

// Whether the right tool stands in any place of its list as often as in any other.

/// Counts places, by data type and length of the list.
#[derive(Default)]
pub(super) struct Positions(BTreeMap<String, BTreeMap<usize, Vec<usize>>>);

/// Places that are distinguished: of a longer list, each of so many equal parts is one place.
const PLACES: usize = 10;

const POSITIONS: &str = "share of the most frequent position of the expected tool (or of the first one) among lists \
    of the most frequent length; in tenths for lists of more than ten tools; the threshold is chance level plus three \
    standard deviations";

impl Measure for Positions {
    fn see(&mut self, entry: &Entry) {
        // The later turns of a conversation show the same list again.
        let is_variant = entry.sample.snapshot.is_some() && entry.sample.data_type.0 != "Based";
        if entry.turn() != 1 || is_variant {
            return;
        }
        let tools = &entry.sample.candidates;
        // Calls of one question are about the same things, which stand together: only the first one is counted.
        let Some(tool) = entry.calls().first().and_then(|called| entry.candidate(&called.call.name)) else { return };
        let Some(place) = tools.iter().position(|shown| Arc::ptr_eq(shown, tool)) else { return };
        let by_length = self.0.entry(entry.sample.data_type.0.clone()).or_default();
        let places = tools.len().min(PLACES);
        by_length.entry(tools.len()).or_insert_with(|| vec![0; places])[place * places / tools.len()] += 1;
    }

    fn figure(&self) -> Figure {
        let cells = self.0.iter().filter_map(|(data_type, by_length)| cell(data_type, by_length));
        Figure::new("gold position", POSITIONS, cells.collect())
    }
}

fn cell(data_type: &str, by_length: &BTreeMap<usize, Vec<usize>>) -> Option<Cell> {
    let places = by_length.values().max_by_key(|places| places.iter().sum::<usize>())?;
    let (at, most) = places.iter().enumerate().max_by_key(|(_, count)| **count)?;
    let (n, even) = (places.iter().sum(), share(1, places.len()));
    let chance = even + 3.0 * (even * (1.0 - even) * share(1, n)).sqrt();
    let detail = format!("position {} of {}", at + 1, places.len());
    Some(Cell::share(data_type, *most, n).held_to(Mark::AtMost(chance.min(1.0))).with(detail))
}

// Whether a request gives its answer away by the tool's own name or a parameter's.

/// Counts requests, each once for its tools; a hash is kept of each.
#[derive(Debug, Default)]
pub(super) struct Named {
    seen: BTreeSet<u64>,
    requests: usize,
    tools: usize,
    parameters: usize,
}

/// Most of the requests that may name the tool, or a parameter.
const MARK: f64 = 0.05;

const NAMED: &str = "share of first requests that contain the identifier of an expected tool or of one of its \
    parameters: all words of tool name in order (`createShipment`: create shipment), or a parameter's identifier \
    verbatim (`customer_id`) or all its words in order; single-word names are skipped, since they are ordinary words";

impl Measure for Named {
    fn see(&mut self, entry: &Entry) {
        let first = entry.sample.messages.iter().find(|message| message.role == Role::User);
        let Some(text) = first.and_then(|message| message.content.as_deref()) else { return };
        let calls: Vec<&FunctionCall> =
            entry.calls().iter().map(|called| called.call).chain(entry.sample.label.as_ref()).collect();
        let names: String = calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>().join("\n");
        if calls.is_empty() || !self.seen.insert(hash(&[text, &names])) {
            return;
        }
        let words = words_of(UserTurn::read(text).words);
        let tools = || calls.iter().filter_map(|call| entry.candidate(&call.name));
        let parameters = || tools().flat_map(|tool| tool.parameters.properties.keys());
        self.requests += 1;
        self.tools += usize::from(tools().any(|tool| is_said(tool.function(), &words)));
        self.parameters += usize::from(parameters().any(|name| is_said(name, &words)));
    }

    fn figure(&self) -> Figure {
        let cell = |slice: &str, part| Cell::share(slice, part, self.requests).held_to(Mark::AtMost(MARK));
        let cells = [cell("tool name", self.tools), cell("parameter name", self.parameters)];
        Figure::new("named", NAMED, cells.into_iter().filter(|cell| cell.n > 0).collect())
    }
}

/// Whether all words of a name stand in a text, one after the other.
fn is_said(name: &str, text: &[String]) -> bool {
    let words = words_of(name);
    words.len() > 1 && text.windows(words.len()).any(|run| run == words.as_slice())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, questions, sample, snapshots};

    /// Samples whose right tool stands where `place` says.
    fn figure(place: impl Fn(usize) -> usize) -> Figure {
        let mut measure = Positions::default();
        for number in 0..200 {
            let mut sample = sample("a", "ST_Perfect");
            let gold = sample.candidates.remove(1);
            sample.candidates.insert(place(number), gold);
            measure.see(&entry(sample));
        }
        measure.figure()
    }

    #[test]
    fn even_places_meet_the_mark_and_a_favourite_does_not() {
        let even = &figure(|number| number % 5).cells[0];
        assert_eq!((even.value, even.n, even.mark.is_met(even.value, None)), (0.2, 200, Some(true)));
        let favourite = &figure(|number| if number % 3 == 0 { 4 } else { number % 5 }).cells[0];
        assert_eq!(favourite.mark.is_met(favourite.value, None), Some(false));
        assert_eq!(favourite.detail, "position 5 of 5");
    }

    #[test]
    fn a_chain_counts_once() {
        let mut measure = Positions::default();
        measure.see(&entry(questions("hard")));
        assert_eq!((measure.figure().cells[0].n, measure.figure().cells[0].value), (1, 1.0));
    }

    #[test]
    fn a_conversation_counts_once() {
        let mut measure = Positions::default();
        for entry in snapshots("b/0", "Based", &["{}", "{}"]) {
            measure.see(&entry);
        }
        for entry in snapshots("m/0", "mQmA", &["{}", "{}"]) {
            measure.see(&entry);
        }
        let figure = measure.figure();
        assert_eq!((figure.cells.len(), figure.cells[0].n), (1, 1));
    }
}

#[cfg(test)]
mod named_tests {
    use super::*;
    use crate::lint::testing::{entry, said};
    use std::sync::Arc;

    fn shares(words: &str) -> (f64, f64) {
        let mut sample = said("a", "ST_Perfect", words, r#"{"customer_id": "BP8"}"#);
        let tool = Arc::make_mut(&mut sample.candidates[1]);
        tool.name = "A.B.createShipment".to_owned();
        let parameter = tool.parameters.properties["to"].clone();
        tool.parameters.properties.insert("customer_id".to_owned(), parameter);
        let crate::record::Expected::Call(call) = &mut sample.expected else { panic!() };
        "A.B.createShipment".clone_into(&mut call.name);
        let mut named = Named::default();
        named.see(&entry(sample));
        let figure = named.figure();
        (figure.cells[0].value, figure.cells[1].value)
    }

    #[test]
    fn identifiers_in_a_request_are_found_whole() {
        assert_eq!(shares("Create shipment shipments post"), (1.0, 0.0));
        assert_eq!(shares("Send it, customer_id BP8"), (0.0, 1.0));
        assert_eq!(shares("Send it, Customer Id: BP8"), (0.0, 1.0));
        assert_eq!(shares("Create a shipment to Porto for the customer BP8"), (0.0, 0.0));
    }
}
