//! Which answers can stand in for which parameters: the graph that chains of calls are drawn from.
//!
//! Tools that declare what their parameters refer to and what their answers yield are joined by that. Tools that people
//! bring declare nothing; of these a field of an answer feeds a parameter of the same name and type.

use super::super::tool::{Source, Tool};
use indexmap::IndexMap;
use serde_json::Value as Json;
use std::sync::Arc;

/// How deep fields of an answer are looked for.
const DEPTH: usize = 8;

/// A parameter that a field of an answer can stand in for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Consumer {
    /// The field of the answer, as a JSON pointer.
    pub field: String,
    /// The tool that takes it, by its full name.
    pub tool: String,
    /// The parameter.
    pub parameter: String,
}

/// The edges between the tools of a list. Everything in it stands in the order of the list.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    feeders: IndexMap<String, IndexMap<String, Feeders>>,
    consumers: IndexMap<String, Vec<Consumer>>,
}

/// Where one parameter's value can come from.
#[derive(Debug, Clone, Default)]
struct Feeders {
    single: Vec<Source>,
    listed: Vec<Source>,
}

impl Graph {
    /// The graph over a list of tools; an API never feeds itself.
    pub fn new(tools: &[Arc<Tool>]) -> Self {
        let offers = Offers::new(tools);
        let mut graph = Self::default();
        for tool in tools {
            for parameter in tool.parameters.properties.keys() {
                for source in offers.for_parameter(tool, parameter) {
                    graph.add(tool, parameter, source);
                }
            }
        }
        graph
    }

    /// The answers that hold one value for a parameter.
    pub fn feeders(&self, tool: &str, parameter: &str) -> &[Source] {
        self.of(tool, parameter).map_or(&[], |feeders| &feeders.single)
    }

    /// The answers that hold a list of values for a parameter: somebody or something has to choose one.
    pub fn listed(&self, tool: &str, parameter: &str) -> &[Source] {
        self.of(tool, parameter).map_or(&[], |feeders| &feeders.listed)
    }

    /// The parameters that a tool's answer can stand in for, by single values and by elements of lists.
    pub fn consumers(&self, tool: &str) -> &[Consumer] {
        self.consumers.get(tool).map_or(&[], Vec::as_slice)
    }

    fn of(&self, tool: &str, parameter: &str) -> Option<&Feeders> {
        self.feeders.get(tool)?.get(parameter)
    }

    fn add(&mut self, tool: &Tool, parameter: &str, source: Source) {
        let parameters = self.feeders.entry(tool.name.clone()).or_default();
        let feeders = parameters.entry(parameter.to_owned()).or_default();
        let list = if is_element(&source.field) { &mut feeders.listed } else { &mut feeders.single };
        if list.contains(&source) {
            return;
        }
        let consumer =
            Consumer { field: source.field.clone(), tool: tool.name.clone(), parameter: parameter.to_owned() };
        self.consumers.entry(source.tool.clone()).or_default().push(consumer);
        list.push(source);
    }
}

/// Whether a pointer goes through a list.
fn is_element(field: &str) -> bool {
    field.split('/').any(|part| part == "0")
}

/// What the answers of a list of tools hold.
#[derive(Default)]
struct Offers {
    by_resource: IndexMap<String, Vec<Source>>,
    by_name: IndexMap<(String, &'static str), Vec<Source>>,
}

impl Offers {
    fn new(tools: &[Arc<Tool>]) -> Self {
        let mut offers = Self::default();
        for tool in tools {
            for (field, yielded) in &tool.yields {
                // What a tool was given and gives back leads nowhere.
                if let Some(resource) = yielded.refers.as_ref().filter(|resource| !echoes(tool, field, resource)) {
                    offers.by_resource.entry(resource.clone()).or_default().push(source(tool, field));
                }
            }
            if is_undeclared(tool) {
                offers.add_fields(tool, tool.returns.as_ref().unwrap_or(&Json::Null), "", 0);
            }
        }
        offers
    }

    /// Adds the fields that a schema holds, each by its own name.
    fn add_fields(&mut self, tool: &Tool, schema: &Json, at: &str, depth: usize) {
        if depth > DEPTH {
            return;
        }
        for (name, field) in schema.get("properties").and_then(Json::as_object).into_iter().flatten() {
            let pointer = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
            if let Some(type_name) = type_of(field) {
                self.by_name.entry((plain(name), type_name)).or_default().push(source(tool, &pointer));
            }
            self.add_fields(tool, field, &pointer, depth + 1);
        }
        if let Some(items) = schema.get("items") {
            self.add_fields(tool, items, &format!("{at}/0"), depth + 1);
        }
    }

    fn for_parameter(&self, tool: &Tool, parameter: &str) -> Vec<Source> {
        let mut sources = tool.from.get(parameter).cloned().unwrap_or_default();
        if let Some(resource) = tool.refers.get(parameter) {
            sources.extend(self.by_resource.get(resource).cloned().unwrap_or_default());
        }
        if is_undeclared(tool) {
            let schema = tool.parameters.properties.get(parameter).map(|it| it.type_name().to_owned());
            for type_name in schema.as_deref().map(fitting).unwrap_or_default() {
                let named = self.by_name.get(&(plain(parameter), *type_name));
                sources.extend(named.into_iter().flatten().cloned());
            }
        }
        sources.retain(|source| source.tool != tool.name);
        sources
    }
}

fn source(tool: &Tool, field: &str) -> Source {
    Source { tool: tool.name.clone(), field: field.to_owned() }
}

fn echoes(tool: &Tool, field: &str, resource: &str) -> bool {
    tool.refers.get(field.trim_start_matches('/')).is_some_and(|own| own == resource)
}

/// Whether nobody said what the tool refers to and yields.
fn is_undeclared(tool: &Tool) -> bool {
    tool.refers.is_empty() && tool.yields.is_empty() && tool.from.is_empty()
}

/// A name without case and marks: `hotel_id` is `hotelId`.
fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The type of a field, where it is one that a later call may take: flags and whole objects are not.
fn type_of(schema: &Json) -> Option<&'static str> {
    let stated = match schema.get("type")? {
        Json::Array(names) => names.iter().find(|name| name.as_str() != Some("null"))?.as_str()?,
        other => other.as_str()?,
    };
    ["string", "integer", "number", "array"].into_iter().find(|name| *name == stated)
}

/// The types of answers that a parameter of a type takes.
fn fitting(type_name: &str) -> &'static [&'static str] {
    match type_name {
        "string" => &["string"],
        "integer" => &["integer"],
        "number" => &["number", "integer"],
        "array" => &["array"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tools(json: &str) -> Vec<Arc<Tool>> {
        serde_json::from_str::<Vec<Tool>>(json).unwrap().into_iter().map(Arc::new).collect()
    }

    fn told(sources: &[Source]) -> Vec<String> {
        sources.iter().map(|source| format!("{}{}", source.tool, source.field)).collect()
    }

    const DECLARED: &str = r#"[
        {"name": "b.findCustomer", "yields": {"/customerId": {"refers": "b.customer"}},
         "parameters": {"type": "object", "properties": {"phone": {"type": "string"}}}},
        {"name": "b.listAccounts", "yields": {"/accountIds/0": {"refers": "b.account"}}, "refers": {"customerId": "b.customer"},
         "parameters": {"type": "object", "properties": {"customerId": {"type": "string"}}}},
        {"name": "b.freeze", "yields": {"/accountId": {"refers": "b.account"}}, "refers": {"accountId": "b.account"},
         "parameters": {"type": "object", "properties": {"accountId": {"type": "string"}}}},
        {"name": "b.getBalance", "yields": {"/balance": {"kind": "amount"}}, "refers": {"accountId": "b.account"},
         "parameters": {"type": "object", "properties": {"accountId": {"type": "string"}}}},
        {"name": "b.pay", "refers": {"toId": "b.account"}, "from": {"amount": [{"tool": "b.getBalance", "field": "/balance"}]},
         "parameters": {"type": "object", "properties": {"toId": {"type": "string"}, "amount": {"type": "number"}}}}]"#;

    #[test]
    fn declared_tools_are_joined_by_what_they_refer_to() {
        let graph = Graph::new(&tools(DECLARED));
        assert_eq!(told(graph.feeders("b.listAccounts", "customerId")), ["b.findCustomer/customerId"]);
        assert_eq!(told(graph.feeders("b.pay", "amount")), ["b.getBalance/balance"]);
        assert_eq!(told(graph.listed("b.pay", "toId")), ["b.listAccounts/accountIds/0"]);
        assert!(graph.feeders("b.pay", "toId").is_empty(), "`freeze` gives back what it was given");
        assert!(graph.feeders("b.findCustomer", "phone").is_empty() && graph.feeders("x", "y").is_empty());
        let consumer = |tool: &str, parameter: &str| Consumer {
            field: "/accountIds/0".to_owned(),
            tool: tool.to_owned(),
            parameter: parameter.to_owned(),
        };
        let expected =
            [consumer("b.freeze", "accountId"), consumer("b.getBalance", "accountId"), consumer("b.pay", "toId")];
        assert_eq!(graph.consumers("b.listAccounts"), expected);
        assert!(graph.consumers("b.pay").is_empty());
    }

    #[test]
    fn tools_that_people_bring_are_joined_by_name_and_type() {
        let graph = Graph::new(&tools(
            r#"[
            {"name": "search_hotels", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
             "returns": {"type": "object", "properties": {"hotels": {"type": "array", "items": {"type": "object", "properties": {
                "hotel_id": {"type": ["integer", "null"]}, "name": {"type": "string"}, "a/b": {"type": "string"}}}},
                "city": {"type": "string"}, "open": {"type": "boolean"}}}},
            {"name": "book", "parameters": {"type": "object", "properties": {"hotelId": {"type": "number"}, "name": {"type": "integer"},
                "open": {"type": "boolean"}, "AB": {"type": "string"}, "city": {"type": "string"}}}}]"#,
        ));
        assert_eq!(told(graph.listed("book", "hotelId")), ["search_hotels/hotels/0/hotel_id"]);
        assert_eq!(told(graph.listed("book", "AB")), ["search_hotels/hotels/0/a~1b"]);
        assert_eq!(told(graph.feeders("book", "city")), ["search_hotels/city"]);
        assert!(graph.listed("book", "name").is_empty(), "a text is no number");
        assert!(graph.feeders("book", "open").is_empty(), "a flag means nothing elsewhere");
        assert!(graph.feeders("search_hotels", "city").is_empty(), "no tool feeds itself");
    }

    #[test]
    fn declared_and_undeclared_tools_keep_apart() {
        let mut mixed = tools(DECLARED);
        mixed.extend(tools(
            r#"[{"name": "other", "parameters": {"type": "object", "properties": {"accountId": {"type": "string"}}},
                "returns": {"properties": {"customerId": {"type": "string"}}}}]"#,
        ));
        let graph = Graph::new(&mixed);
        assert!(graph.feeders("other", "accountId").is_empty() && graph.consumers("other").is_empty());
    }

    /// The resources that a tool takes, and those that it yields, each as a list or not.
    type Ends = (Vec<u8>, Vec<(u8, bool)>);

    /// Tools over a few resources: each takes some and yields some, one by one or as a list.
    fn any_tools() -> impl Strategy<Value = Vec<Arc<Tool>>> {
        let tool = (prop::collection::vec(0_u8..5, 0..3), prop::collection::vec((0_u8..5, any::<bool>()), 0..3));
        prop::collection::vec(tool, 0..12).prop_map(|tools| {
            let build = |(at, (takes, yields)): (usize, Ends)| {
                let mut tool = Tool { name: format!("t{at}"), ..Tool::default() };
                for resource in takes {
                    let name = format!("p{resource}");
                    tool.refers.insert(name.clone(), format!("r{resource}"));
                    tool.parameters.properties.insert(name, crate::record::Parameter::default());
                }
                for (resource, listed) in yields {
                    let field = if listed { format!("/f{resource}/0") } else { format!("/f{resource}") };
                    let refers = Some(format!("r{resource}"));
                    tool.yields.insert(field, crate::record::Yield { refers, kind: None });
                }
                Arc::new(tool)
            };
            tools.into_iter().enumerate().map(build).collect()
        })
    }

    fn edges(graph: &Graph, tools: &[Arc<Tool>]) -> Vec<(String, String, String, String)> {
        let mut edges = Vec::new();
        for tool in tools {
            for parameter in tool.parameters.properties.keys() {
                let all = graph.feeders(&tool.name, parameter).iter().chain(graph.listed(&tool.name, parameter));
                edges.extend(all.map(|it| (it.tool.clone(), it.field.clone(), tool.name.clone(), parameter.clone())));
            }
        }
        edges.sort();
        edges
    }

    proptest! {
        #[test]
        fn an_edge_is_one_resource_and_is_seen_from_both_ends(tools in any_tools()) {
            let graph = Graph::new(&tools);
            let edges = edges(&graph, &tools);
            let tool = |name: &str| tools.iter().find(|tool| tool.name == name).unwrap();
            for (from, field, to, parameter) in &edges {
                prop_assert_ne!(from, to);
                prop_assert_eq!(tool(from).yields[field].refers.as_ref(), tool(to).refers.get(parameter));
            }
            let mut back: Vec<_> = tools.iter().flat_map(|from| graph.consumers(&from.name).iter().map(|it| {
                (from.name.clone(), it.field.clone(), it.tool.clone(), it.parameter.clone())
            })).collect();
            back.sort();
            prop_assert_eq!(back, edges);
        }

        #[test]
        fn every_pair_that_fits_is_joined_and_more_tools_take_nothing_away(tools in any_tools(), keep in 0_usize..12) {
            let all = edges(&Graph::new(&tools), &tools);
            let mut pairs = 0;
            for to in &tools {
                for from in tools.iter().filter(|from| from.name != to.name) {
                    let fits = |resource: &&String| from.yields.values().any(|it| it.refers.as_ref() == Some(*resource));
                    let times = |resource: &String| from.yields.values().filter(|it| it.refers.as_ref() == Some(resource)).count();
                    pairs += to.refers.values().filter(fits).map(times).sum::<usize>();
                }
            }
            prop_assert_eq!(all.len(), pairs);
            let some: Vec<Arc<Tool>> = tools.iter().take(keep).cloned().collect();
            let fewer = edges(&Graph::new(&some), &some);
            prop_assert!(fewer.iter().all(|edge| all.contains(edge)));
        }
    }
}
