//! The shape of an answer: objects and lists as they are written, with expressions in the place of texts.

use super::super::names::Names;
use super::expression::Expression;
use super::reader::Reader;
use fcgen_core::record::Value;
use indexmap::IndexMap;
use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use toml::Spanned;

/// Deepest nesting of parts in parts.
const DEPTH: usize = 16;

/// A template as a file writes it.
#[derive(Debug, Clone)]
pub(crate) enum NodeText {
    Text(String),
    Fixed(Value),
    List(Vec<Spanned<NodeText>>),
    Map(IndexMap<String, Spanned<NodeText>>),
}

/// A template that was checked.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// A number or boolean as it stands.
    Fixed(Value),
    /// A computed value.
    Computed(Expression),
    /// A list of so many elements.
    List(Vec<Node>),
    /// An object.
    Map(IndexMap<String, Node>),
    /// A list with an element for each of another list.
    Each {
        /// What the element of the other list is called.
        name: String,
        /// The other list.
        list: Expression,
        /// The element.
        give: Box<Node>,
    },
    /// A value within names of its own.
    With {
        /// The names.
        names: IndexMap<String, Expression>,
        /// The value.
        give: Box<Node>,
    },
}

/// Templates that others name as their part.
pub(crate) type Parts = IndexMap<String, Spanned<NodeText>>;

impl Reader<'_> {
    /// Checks a template whose expressions may name what is in `names`.
    pub(crate) fn node(&mut self, text: &Spanned<NodeText>, names: &Names, parts: &Parts) -> Node {
        self.node_at(text, names, parts, 0)
    }

    fn node_at(&mut self, text: &Spanned<NodeText>, names: &Names, parts: &Parts, depth: usize) -> Node {
        match text.get_ref() {
            NodeText::Fixed(value) => Node::Fixed(value.clone()),
            NodeText::Text(expression) => self
                .expression(&Spanned::new(text.span(), expression.clone()), names)
                .map_or(Node::Fixed(Value::Null), Node::Computed),
            NodeText::List(list) => Node::List(list.iter().map(|it| self.node_at(it, names, parts, depth)).collect()),
            NodeText::Map(map) if map.contains_key("for") => self.each(text, map, names, parts, depth),
            NodeText::Map(map) if map.contains_key("part") => self.part(text, map, names, parts, depth),
            NodeText::Map(map) => {
                Node::Map(map.iter().map(|(key, it)| (key.clone(), self.node_at(it, names, parts, depth))).collect())
            }
        }
    }

    fn each(
        &mut self,
        text: &Spanned<NodeText>,
        map: &IndexMap<String, Spanned<NodeText>>,
        names: &Names,
        parts: &Parts,
        depth: usize,
    ) -> Node {
        let head = map.get("for").and_then(|head| head.get_ref().as_text()).and_then(|head| head.split_once(" in "));
        let (Some((name, list)), Some(give)) = (head, map.get("give").filter(|_| map.len() == 2)) else {
            self.fault(text.span(), "expected `{ for = \"NAME in LIST\", give = ... }`");
            return Node::Fixed(Value::Null);
        };
        let span = map.get("for").map(Spanned::span).unwrap_or_default();
        let list = self.expression(&Spanned::new(span, list.to_owned()), names);
        let mut inner = names.with(name.trim());
        if let Some(fields) = names.fields(list_name(map)).cloned() {
            // Elements of `rows` have the fields of `row`.
            inner.add_fields(name.trim(), fields);
        }
        let give = Box::new(self.node_at(give, &inner, parts, depth));
        list.map_or(Node::Fixed(Value::Null), |list| Node::Each { name: name.trim().to_owned(), list, give })
    }

    fn part(
        &mut self,
        text: &Spanned<NodeText>,
        map: &IndexMap<String, Spanned<NodeText>>,
        names: &Names,
        parts: &Parts,
        depth: usize,
    ) -> Node {
        let name = map.get("part").and_then(|name| name.get_ref().as_text()).unwrap_or_default();
        let with = map.get("with").map(Spanned::get_ref);
        let sound = map.keys().all(|key| key == "part" || key == "with")
            && with.is_none_or(|with| matches!(with, NodeText::Map(_)));
        if !sound || depth >= DEPTH {
            let ends = format!("the parts of `{name}` contain each other recursively");
            let form = "expected `{ part = \"NAME\" }`, or the same with names: `{ part = \"NAME\", with = { NAME = \"VALUE\" } }`";
            self.fault(text.span(), if sound { ends } else { form.to_owned() });
            return Node::Fixed(Value::Null);
        }
        let Some(part) = parts.get(name) else {
            let known = parts.keys().map(String::as_str).collect::<Vec<_>>();
            self.unknown(text.span(), "part", name, &known);
            return Node::Fixed(Value::Null);
        };
        let Some(NodeText::Map(with)) = with else { return self.node_at(part, names, parts, depth + 1) };
        let mut inner = names.clone();
        let mut bound = IndexMap::new();
        for (key, value) in with {
            let text = value.get_ref().as_text().unwrap_or_default().to_owned();
            bound.extend(self.expression(&Spanned::new(value.span(), text), names).map(|it| (key.clone(), it)));
            inner = inner.with(key);
        }
        Node::With { names: bound, give: Box::new(self.node_at(part, &inner, parts, depth + 1)) }
    }
}

/// The list of a `for`, as it is written.
fn list_name(map: &IndexMap<String, Spanned<NodeText>>) -> &str {
    let head = map.get("for").and_then(|head| head.get_ref().as_text()).unwrap_or_default();
    head.split_once(" in ").map_or("", |(_, list)| list.trim())
}

impl NodeText {
    fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Node {
    /// What stands at a path such as `hotels[].id`, with the JSON pointer that leads to the first of it.
    pub(crate) fn at(&self, path: &str) -> Option<(&Self, String)> {
        let mut node = self;
        let mut pointer = String::new();
        for step in path.replace("[]", ".[]").split('.').filter(|step| !step.is_empty()) {
            node = match (node.inner(), step) {
                (Self::Each { give, .. }, "[]") => {
                    pointer.push_str("/0");
                    give
                }
                (Self::List(list), "[]") => {
                    pointer.push_str("/0");
                    list.first()?
                }
                (Self::Map(map), key) => {
                    pointer.push('/');
                    pointer.push_str(key);
                    map.get(key)?
                }
                _ => return None,
            };
        }
        Some((node, pointer))
    }

    /// What is given within names of its own.
    fn inner(&self) -> &Self {
        match self {
            Self::With { give, .. } => give.inner(),
            plain => plain,
        }
    }

    /// The JSON pointer to the place of an expression that is this one name.
    pub(crate) fn place_of(&self, name: &str) -> Option<String> {
        match self {
            Self::Computed(expression) if expression.text() == name => Some(String::new()),
            Self::Map(map) => map.iter().find_map(|(key, node)| Some(format!("/{key}{}", node.place_of(name)?))),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for NodeText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = NodeText;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an expression in quotes, a number, a boolean, a list or a table of these")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<NodeText, E> {
        Ok(NodeText::Text(text.to_owned()))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<NodeText, E> {
        Ok(NodeText::Fixed(Value::from(number)))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<NodeText, E> {
        Ok(NodeText::Fixed(Value::from(number)))
    }

    fn visit_bool<E: Error>(self, bool: bool) -> Result<NodeText, E> {
        Ok(NodeText::Fixed(Value::Bool(bool)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<NodeText, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = list.next_element()? {
            nodes.push(node);
        }
        Ok(NodeText::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<NodeText, A::Error> {
        let mut nodes = IndexMap::new();
        while let Some((key, node)) = map.next_entry()? {
            nodes.insert(key, node);
        }
        Ok(NodeText::Map(nodes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::testing::{inn, told, toolset_of};

    #[test]
    fn a_template_is_whatever_stands_in_the_file() {
        #[derive(Deserialize)]
        struct Holder {
            give: NodeText,
        }
        let holder: Holder = toml::from_str("give = { a = 1, b = [1.5, true], c = \"x\" }").unwrap();
        let NodeText::Map(map) = holder.give else { panic!("no table") };
        assert!(matches!(map["a"].get_ref(), NodeText::Fixed(value) if value.to_string() == "1"));
        assert!(matches!(map["b"].get_ref(), NodeText::List(list) if list.len() == 2));
        assert_eq!(map["c"].get_ref().as_text(), Some("x"));
        assert!(toml::from_str::<Holder>("give = 2020-01-01").is_err());
    }

    #[test]
    fn a_path_leads_through_lists_and_parts() {
        let world = inn("en");
        let give = &world.functions["Search_Inns"].give;
        assert_eq!(give.at("inns[].token").unwrap().1, "/inns/0/token");
        assert_eq!(give.at("inns[].card.stars").unwrap().1, "/inns/0/card/stars");
        assert!(give.at("inns.token").is_none() && give.at("inns[].tokens").is_none());
        let details = &world.functions["Get_Inn"].give;
        assert_eq!(details.at("card.name").unwrap().1, "/card/name");
        assert_eq!(details.at("fixed[]").unwrap().1, "/fixed/0");
        assert_eq!(world.functions["Find_Town"].give.at("").unwrap().1, "");
    }

    #[test]
    fn every_fault_of_a_template_is_told_with_its_line() {
        insta::assert_snapshot!(told(&[
            ("{ for = \"other in row.siblings\", give = \"other.id\" }", "{ for = \"other\", give = \"other.id\" }"),
            ("{ for = \"other in row.siblings\", give = \"other.id\" }", "{ for = \"other in row.siblings\" }"),
            (
                "{ for = \"other in row.siblings\", give = \"other.id\" }",
                "{ for = \"other in row.siblings\", give = 1, more = 2 }"
            ),
            (
                "{ for = \"other in row.siblings\", give = \"other.id\" }",
                "{ for = \"other in row.sibling\", give = \"other.id\" }"
            ),
            (
                "{ for = \"other in row.siblings\", give = \"other.id\" }",
                "{ for = \"other in row.siblings\", give = \"another.id\" }"
            ),
            ("{ part = \"card\", with = { row = \"row\" } }", "{ part = \"card\", with = { row = \"rwo\" } }"),
            ("{ part = \"card\", with = { row = \"row\" } }", "{ part = \"card\", with = \"row\" }"),
            ("{ part = \"card\", with = { row = \"row\" } }", "{ part = \"card\", row = \"row\" }"),
            ("{ part = \"card\", with = { row = \"row\" } }", "{ part = 3 }"),
            ("card = { id = \"row.id\"", "card = { id = \"row.id\", own = { part = \"card\" }"),
            ("card = { id = \"row.id\"", "card = { id = \"row.idd\""),
            ("fixed = [1, true]", "fixed = [1, \"nobody\", { a = \"row.\" }]"),
            ("message = \"'Success'\"", "message = \"Success\""),
            ("message = \"errors\"", "message = \"error\""),
        ]));
    }

    #[test]
    fn a_part_is_filled_with_the_names_at_hand_or_with_those_it_is_given() {
        let give = "{ first = { part = \"P\", with = { it = \"places.a\" } }, all = { for = \"it in rows\", give = { part = \"P\" } } }";
        let world = format!(
            "[tables.places]\nfrom = \"places.json\"\n[parts]\nP = {{ name = \"it.id\", of = {{ part = \"Q\" }} }}\nQ = [\"it.side\", 1.5]\n\
             [functions.F]\nsteps = [{{ from = [\"places\"] }}, {{ where = \"row.size > 1\" }}]\ngive = {give}\n"
        );
        let toolset = toolset_of(&world, "[F]\ndescription = \"f\"\n").unwrap();
        let give = &toolset.world.as_ref().unwrap().functions["F"].give;
        assert_eq!(give.at("first.of[]").unwrap().1, "/first/of/0");
        assert_eq!(give.at("all[].name").unwrap().1, "/all/0/name");
        let Node::Map(map) = give else { panic!("{give:?}") };
        assert!(matches!(&map["first"], Node::With { names, .. } if names.len() == 1));
        assert!(matches!(&map["all"], Node::Each { name, .. } if name == "it"));
    }

    #[test]
    fn the_place_of_a_name_is_found_in_objects_alone() {
        let node = |text: &str| Node::Computed(Expression::compile(text).unwrap());
        let inner = Node::Map(IndexMap::from([("a".to_owned(), node("data.x")), ("b".to_owned(), node("data"))]));
        let map =
            Node::Map(IndexMap::from([("list".to_owned(), Node::List(vec![node("data")])), ("in".to_owned(), inner)]));
        assert_eq!(map.place_of("data").as_deref(), Some("/in/b"));
        assert_eq!((map.place_of("errors"), node("data").place_of("data").as_deref()), (None, Some("")));
    }

    #[test]
    fn a_path_ends_where_there_is_nothing_more() {
        let world = inn("en");
        let give = &world.functions["Search_Inns"].give;
        for path in ["inns[].id.more", "inns[][]", "count[]", "[]", "nothing", "inns[].card.none"] {
            assert!(give.at(path).is_none(), "{path}");
        }
        for (path, pointer) in
            [("count", "/count"), ("inns", "/inns"), ("inns[]", "/inns/0"), ("inns[].card", "/inns/0/card")]
        {
            assert_eq!(give.at(path).unwrap().1, pointer);
        }
        assert!(Node::List(Vec::new()).at("[]").is_none(), "an empty list holds nothing");
    }

    #[test]
    fn every_value_keeps_its_place_in_the_file() {
        #[derive(Deserialize)]
        struct Holder {
            give: Spanned<NodeText>,
        }
        let text = "give = { a = [\"x\", { b = 1.5 }], c = false }";
        let holder: Holder = toml::from_str(text).unwrap();
        let NodeText::Map(map) = holder.give.get_ref() else { panic!("no table") };
        let NodeText::List(list) = map["a"].get_ref() else { panic!("no list") };
        assert_eq!(text.get(list[0].span()), Some("\"x\""));
        assert_eq!(text.get(list[1].span()), Some("{ b = 1.5 }"));
        assert_eq!(text.get(map["c"].span()), Some("false"));
    }

    #[test]
    fn parts_may_hold_parts_as_deep_as_anybody_writes_them() {
        let parts: Vec<String> = (1..14).map(|at| format!("p{at} = {{ a = {{ part = \"p{}\" }} }}", at - 1)).collect();
        let world = |give: &str, more: &str| {
            let parts = format!("[parts]\np0 = \"x\"\n{}\n{more}", parts.join("\n"));
            format!("{parts}\n[functions.F]\ngive = {{ part = \"{give}\" }}\n[functions.F.parameters]\nx = {{}}\n")
        };
        let text = "[F]\ndescription = \"f\"\n[F.parameters]\nx = \"x\"\n";
        let toolset = toolset_of(&world("p13", ""), text).unwrap();
        let give = &toolset.world.as_ref().unwrap().functions["F"].give;
        assert_eq!(give.at(&["a"; 13].join(".")).unwrap().1, "/a".repeat(13));
        let circle = toolset_of(&world("q", "q = [{ part = \"r\" }]\nr = [{ part = \"q\" }]"), text).err().unwrap();
        assert_eq!(circle, ["world/w.toml:17: the parts of `q` contain each other recursively"]);
    }
}
