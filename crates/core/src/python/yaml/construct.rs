//! Makes values of nodes.

use super::YamlError;
use super::node::{Content, Node};
use super::scalar::{Kind, kind_of, read_bool, read_double, read_whole};
use super::time::read_time;
use crate::python::text_of;
use crate::record::{BorrowedValue, Number, Object, Value};
use std::rc::Rc;

/// How many values a text may become: an alias of aliases grows without bounds.
const MOST: usize = 100_000;
/// The beginning of the tags that YAML itself has.
const OWN: &str = "tag:yaml.org,2002:";

/// What becomes of scalars without quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Plain {
    /// What their letters say.
    Typed,
    /// Their letters.
    Texts,
}

/// The value of a node.
pub(super) fn construct(node: &Node, plain: Plain) -> Result<Value, YamlError> {
    let mut constructor = Constructor { plain, left: MOST };
    constructor.value(node)
}

struct Constructor {
    plain: Plain,
    left: usize,
}

impl Constructor {
    fn value(&mut self, node: &Node) -> Result<Value, YamlError> {
        let spent = || YamlError { problem: "too much repetition", line: node.line };
        self.left = self.left.checked_sub(1).ok_or_else(spent)?;
        match (&node.content, own_tag(node)?) {
            (Content::Scalar(text, is_plain), tag) => {
                let is_typed = *is_plain && self.plain == Plain::Typed;
                let kind = if is_typed { kind_of(text) } else { Kind::Text };
                scalar(text, tag, kind)
                    .ok_or(YamlError { problem: "a value that is not what it should be", line: node.line })
            }
            (Content::List(list), None | Some("seq")) => {
                list.iter().map(|node| self.value(node)).collect::<Result<_, _>>().map(Value::List)
            }
            (Content::Map(map), None | Some("map")) => self.map(map),
            _ => Err(YamlError { problem: "a tag that does not fit", line: node.line }),
        }
    }

    fn map(&mut self, pairs: &[(Rc<Node>, Rc<Node>)]) -> Result<Value, YamlError> {
        let mut object = Object::new();
        let mut merged = Vec::new();
        self.merge(pairs, &mut merged, 0)?;
        for (key, value) in &merged {
            let key = self.key(key)?;
            object.insert(key, self.value(value)?);
        }
        Ok(Value::Object(object))
    }

    /// A map's pairs behind those of the maps that it takes in.
    fn merge(
        &mut self,
        pairs: &[(Rc<Node>, Rc<Node>)],
        merged: &mut Vec<(Rc<Node>, Rc<Node>)>,
        depth: usize,
    ) -> Result<(), YamlError> {
        let is_merge = |key: &Node| match (&key.content, key.tag.as_deref().map(|tag| tag.strip_prefix(OWN))) {
            (Content::Scalar(text, true), None) => kind_of(text) == Kind::Merge,
            (Content::Scalar(..), Some(Some("merge"))) => true,
            _ => false,
        };
        for (_, value) in pairs.iter().filter(|(key, _)| is_merge(key)) {
            let problem = YamlError { problem: "something else than maps to be taken in", line: value.line };
            self.left = self.left.checked_sub(1).filter(|_| depth < 100).ok_or(problem)?;
            match &value.content {
                Content::Map(inner) => self.merge(inner, merged, depth + 1)?,
                Content::List(list) => {
                    for node in list.iter().rev() {
                        let Content::Map(inner) = &node.content else { return Err(problem) };
                        self.merge(inner, merged, depth + 1)?;
                    }
                }
                Content::Scalar(..) => return Err(problem),
            }
        }
        merged.extend(pairs.iter().filter(|(key, _)| !is_merge(key)).cloned());
        Ok(())
    }

    /// A key as JSON writes it.
    fn key(&mut self, node: &Node) -> Result<String, YamlError> {
        if matches!(&node.content, Content::Scalar(text, true) if node.tag.is_none() && kind_of(text) == Kind::Default)
        {
            return Ok("=".to_owned());
        }
        let problem = YamlError { problem: "a key that JSON cannot write", line: node.line };
        if is_time(node) {
            return Err(problem);
        }
        match self.value(node)? {
            Value::String(text) => Ok(text),
            Value::Null => Ok("null".to_owned()),
            Value::Bool(bool) => Ok(bool.to_string()),
            Value::Number(number) if !number.as_f64().is_finite() => Ok(number.to_string()),
            number @ Value::Number(_) => Ok(text_of(&BorrowedValue::from(&number)).into_owned()),
            Value::List(_) | Value::Object(_) => Err(problem),
        }
    }
}

/// Dates and times are texts, but for keys.
fn is_time(node: &Node) -> bool {
    match (&node.content, node.tag.as_deref().map(|tag| tag.strip_prefix(OWN))) {
        (Content::Scalar(text, true), None) => kind_of(text) == Kind::Time,
        (_, tag) => tag == Some(Some("timestamp")),
    }
}

/// The tag's own name, if it is one of YAML's.
fn own_tag(node: &Node) -> Result<Option<&str>, YamlError> {
    let Some(tag) = &node.tag else { return Ok(None) };
    let name = tag.strip_prefix(OWN).ok_or(YamlError { problem: "an unknown tag", line: node.line })?;
    Ok(Some(name))
}

fn scalar(text: &str, tag: Option<&str>, kind: Kind) -> Option<Value> {
    let kind = match tag {
        None => kind,
        Some("null") => Kind::Null,
        Some("bool") => Kind::Bool,
        Some("int") => Kind::Whole,
        Some("float") => Kind::Double,
        Some("timestamp") => Kind::Time,
        Some("str") => Kind::Text,
        Some(_) => return None,
    };
    match kind {
        Kind::Null => Some(Value::Null),
        Kind::Bool => read_bool(text).map(Value::Bool),
        Kind::Whole => Number::parse(&read_whole(text)?).map(Value::Number),
        Kind::Double => read_double(text).map(|double| Value::Number(number(double))),
        Kind::Time => read_time(text).map(Value::String),
        Kind::Merge | Kind::Default => None,
        Kind::Text => Some(Value::String(text.to_owned())),
    }
}

fn number(double: f64) -> Number {
    if double.is_nan() { Number::parse("NaN").unwrap_or_else(|| Number::from(0)) } else { Number::from(double) }
}

#[cfg(test)]
mod tests {
    use crate::python::read_yaml;

    fn read(text: &str) -> String {
        read_yaml(text).map_or_else(|error| error.problem.to_owned(), |value| value.to_string())
    }

    #[test]
    fn plain_scalars_are_what_they_look_like_and_quoted_ones_are_texts() {
        assert_eq!(
            read("[0123, 1.50, yes, ~, 2024-1-1, 2024-01-01, .inf, '0123', \"yes\", !!str 12, !!int '12', ! '12']"),
            r#"[83,1.5,true,null,"2024-1-1","2024-01-01",Infinity,"0123","yes","12",12,12]"#
        );
        assert_eq!(read("[.nan, -0.0]"), "[NaN,-0.0]");
    }

    #[test]
    fn the_last_of_equal_keys_wins_and_keys_are_texts() {
        assert_eq!(read("{a: 1, b: 2, a: 3}"), r#"{"a":3,"b":2}"#);
        assert_eq!(
            read("{1: a, yes: b, ~: c, 1.50: d, =: e, .inf: f}"),
            r#"{"1":"a","true":"b","null":"c","1.5":"d","=":"e","Infinity":"f"}"#
        );
    }

    #[test]
    fn maps_are_taken_in_and_give_way() {
        assert_eq!(read("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}"), r#"{"a":{"x":1,"y":2},"b":{"x":1,"y":3}}"#);
        assert_eq!(
            read("- &a {x: 1}\n- &b {x: 2, z: 3}\n- {<<: [*a, *b], '<<': 4}"),
            r#"[{"x":1},{"x":2,"z":3},{"x":1,"z":3,"<<":4}]"#
        );
        assert_eq!(read("<<: 5"), "something else than maps to be taken in");
    }

    #[test]
    fn what_cannot_be_made_is_refused() {
        for text in [
            "!!python/none x",
            "!x y",
            "!!int x",
            "!!bool 1",
            "!!seq x",
            "!!str [a]",
            "[<<]",
            "a: =",
            "{[a]: b}",
            "2024-13-01",
            "!!binary YQ==",
        ] {
            assert!(read_yaml(text).is_err(), "{text}: {}", read(text));
        }
    }
}
