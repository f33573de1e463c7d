//! Whether a request gives its answer away by the tool's own name or a parameter's.

use super::super::entry::Entry;
use super::super::hash::hash;
use super::Measure;
use super::figure::{Cell, Figure, Mark};
use crate::record::{FunctionCall, Role, UserTurn};
use crate::score::words_of;
use std::collections::BTreeSet;

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

const WHAT: &str = "share of first requests that name a right tool, or a parameter of it, as its identifier does: all words of the \
    tool's name in their order (`createShipment`: create shipment), or a parameter's identifier letter for letter (`customer_id`) \
    or all its words in their order; names of a single word do not count, since people say such words anyway";

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
        let cells = [cell("the tool's name", self.tools), cell("a parameter's name", self.parameters)];
        Figure::new("named", WHAT, cells.into_iter().filter(|cell| cell.n > 0).collect())
    }
}

/// Whether all words of a name stand in a text, one after the other.
fn is_said(name: &str, text: &[String]) -> bool {
    let words = words_of(name);
    words.len() > 1 && text.windows(words.len()).any(|run| run == words.as_slice())
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, said};
    use super::*;
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
