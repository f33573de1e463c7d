//! What a router's reply comes to: the tools that the model is shown.

use crate::llm::tasks::read_route;
use crate::record::{Routing, Tool};
use std::sync::Arc;

/// The candidates that a reply names, each once, in its order; all of them where it names none. Names that differ in
/// capitals alone are the same.
pub(super) fn routed(reply: &str, candidates: &[Arc<Tool>]) -> (Vec<Arc<Tool>>, Routing) {
    let (mut tools, mut routing) = (Vec::<Arc<Tool>>::new(), Routing::default());
    for name in read_route(reply).map(|(names, _)| names).unwrap_or_default() {
        match find(&name, candidates) {
            Some(tool) if tools.iter().any(|known| known.name == tool.name) => {}
            Some(tool) => tools.push(tool.clone()),
            None => routing.invented.push(name),
        }
    }
    routing.passed = tools.iter().map(|tool| tool.name.clone()).collect();
    (if tools.is_empty() { candidates.to_vec() } else { tools }, routing)
}

fn find<'a>(name: &str, candidates: &'a [Arc<Tool>]) -> Option<&'a Arc<Tool>> {
    let exact = candidates.iter().find(|tool| tool.name == name);
    exact.or_else(|| candidates.iter().find(|tool| tool.name.eq_ignore_ascii_case(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(reply: &str) -> (String, Routing) {
        let candidates =
            ["getA", "getB", "getb"].map(|name| Arc::new(Tool { name: name.to_owned(), ..Tool::default() }));
        let (tools, routing) = routed(reply, &candidates);
        (tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>().join(" "), routing)
    }

    #[test]
    fn named_tools_are_passed_on_once_in_the_order_of_the_reply() {
        let (tools, routing) = route("['getB', 'geta', 'getB']");
        assert_eq!((tools.as_str(), routing.passed.len(), routing.invented.len()), ("getB getA", 2, 0));
        assert_eq!(route("[getb]").0, "getb");
    }

    #[test]
    fn invented_names_are_dropped_and_kept_in_mind() {
        let (tools, routing) = route("[\"getC\", \"getA\"]");
        assert_eq!((tools.as_str(), routing.invented), ("getA", vec!["getC".to_owned()]));
    }

    #[test]
    fn a_routing_to_nothing_shows_all() {
        for reply in ["", "[]", "I do not know.", "[getC]"] {
            let (tools, routing) = route(reply);
            assert_eq!((tools.as_str(), routing.passed.len()), ("getA getB getb", 0), "{reply}");
            assert_eq!(routing.invented.len(), usize::from(reply == "[getC]"));
        }
    }
}
