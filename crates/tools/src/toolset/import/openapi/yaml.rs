//! Reads YAML 1.2 as JSON, by the core schema: what is no number, no flag and nothing is a text.
//!
//! Anchors and `<<` are followed; how much they may unfold is bounded. It never gives up by a panic: a fault has a line.

use super::document::Fault;
use saphyr_parser::{Event, Parser, ScalarStyle};
use serde_json::{Map, Value as Json};
use std::collections::BTreeMap;

/// Most values of one document, once all aliases are unfolded.
const MOST_VALUES: usize = 8_000_000;

/// How deep lists and maps may lie in one another, as in JSON.
pub(crate) const DEEPEST: usize = 120;

/// A list or map that is not closed yet, with the number of its anchor.
enum Open {
    List(Vec<Json>, usize),
    Map(Map<String, Json>, Option<String>, usize),
}

/// What was read so far.
#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    anchors: BTreeMap<usize, (Json, usize)>,
    values: usize,
    root: Option<Json>,
}

/// The first document of the text.
pub(crate) fn read(text: &str) -> Result<Json, Fault> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| Fault {
            line: error.marker().line(),
            column: error.marker().col() + 1,
            message: error.info().to_owned(),
        })?;
        let at = |message: &str| Fault {
            line: span.start.line(),
            column: span.start.col() + 1,
            message: message.to_owned(),
        };
        reader.take(event).map_err(|message| at(&message))?;
        if reader.root.is_some() {
            break;
        }
    }
    reader.root.ok_or_else(|| Fault { line: 1, column: 1, message: "the file is empty".to_owned() })
}

impl Reader {
    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_text = style != ScalarStyle::Plain || tag.is_some_and(|tag| tag.suffix == "str");
                if self.wants_key() {
                    self.key(text.into_owned());
                    return Ok(());
                }
                let value = if is_text { Json::String(text.into_owned()) } else { scalar(&text) };
                self.put(value, anchor, 1)
            }
            Event::SequenceStart(anchor, _) => self.push(Open::List(Vec::new(), anchor)),
            Event::MappingStart(anchor, _) => self.push(Open::Map(Map::new(), None, anchor)),
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => {
                let (value, size) = self.anchors.get(&anchor).cloned().ok_or("an alias refers to an enclosing node")?;
                if self.wants_key() {
                    self.key(value.as_str().unwrap_or_default().to_owned());
                    return Ok(());
                }
                self.put(value, 0, size)
            }
            _ => Ok(()),
        }
    }

    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Open::Map(_, None, _)))
    }

    fn key(&mut self, name: String) {
        if let Some(Open::Map(_, key, _)) = self.open.last_mut() {
            *key = Some(name);
        }
    }

    fn push(&mut self, open: Open) -> Result<(), String> {
        match () {
            () if self.wants_key() => Err("a key must be a string".to_owned()),
            () if self.open.len() >= DEEPEST => Err(format!("nested more than {DEEPEST} levels")),
            () => {
                self.open.push(open);
                Ok(())
            }
        }
    }

    fn close(&mut self) -> Result<(), String> {
        match self.open.pop() {
            Some(Open::List(list, anchor)) => {
                let size = sized(&list, anchor);
                self.put(Json::Array(list), anchor, size)
            }
            Some(Open::Map(map, _, anchor)) => {
                let map = merged(map);
                let size = if anchor > 0 { size(&Json::Object(map.clone())) } else { 1 };
                self.put(Json::Object(map), anchor, size)
            }
            None => Ok(()),
        }
    }

    fn put(&mut self, value: Json, anchor: usize, size: usize) -> Result<(), String> {
        self.values += size;
        if self.values > MOST_VALUES {
            return Err(format!("aliases expand to more than {MOST_VALUES} values"));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, (value.clone(), size));
        }
        match self.open.last_mut() {
            Some(Open::List(list, _)) => list.push(value),
            Some(Open::Map(map, key, _)) => {
                if let Some(key) = key.take() {
                    map.insert(key, value);
                }
            }
            None => self.root = Some(value),
        }
        Ok(())
    }
}

fn sized(list: &[Json], anchor: usize) -> usize {
    if anchor > 0 { 1 + list.iter().map(size).sum::<usize>() } else { 1 }
}

/// How many values stand in one.
fn size(value: &Json) -> usize {
    match value {
        Json::Array(list) => 1 + list.iter().map(size).sum::<usize>(),
        Json::Object(map) => 1 + map.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// A map with what its `<<` names; its own keys win.
fn merged(mut map: Map<String, Json>) -> Map<String, Json> {
    let Some(base) = map.shift_remove("<<") else { return map };
    let bases = if let Json::Array(list) = base { list } else { vec![base] };
    for (key, value) in
        bases.into_iter().filter_map(|base| if let Json::Object(base) = base { Some(base) } else { None }).flatten()
    {
        map.entry(key).or_insert(value);
    }
    map
}

/// A plain scalar by the core schema. What begins with a zero and goes on with digits is a code rather than a number.
fn scalar(text: &str) -> Json {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Json::Null,
        "true" | "True" | "TRUE" => return Json::Bool(true),
        "false" | "False" | "FALSE" => return Json::Bool(false),
        _ => {}
    }
    let bare = text.strip_prefix('+').unwrap_or(text);
    let whole = |digits: &str, radix| u64::from_str_radix(digits, radix).ok().map(Json::from);
    let number = match (bare.strip_prefix("0x"), bare.strip_prefix("0o")) {
        (Some(digits), _) => whole(digits, 16),
        (_, Some(digits)) => whole(digits, 8),
        _ => serde_json::from_str(&decimal(bare)).ok().filter(Json::is_number),
    };
    number.unwrap_or_else(|| Json::String(text.to_owned()))
}

/// A number as JSON writes it: YAML also takes `.5` and `5.`.
fn decimal(text: &str) -> String {
    match (text.strip_prefix('.'), text.strip_suffix('.')) {
        (Some(rest), _) => format!("0.{rest}"),
        (_, Some(rest)) => rest.to_owned(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn scalars_are_what_the_core_schema_says() {
        let text = "[a, 'b', 3, +4, -2.5, .5, 1e3, 0x1f, 0o17, true, ~, null, 007, 1.0.0, 2024-05-01, no, \"3\", !!str 5, .inf]";
        assert_eq!(
            read(text).unwrap(),
            json!([
                "a",
                "b",
                3,
                4,
                -2.5,
                0.5,
                1e3,
                31,
                15,
                true,
                null,
                null,
                "007",
                "1.0.0",
                "2024-05-01",
                "no",
                "3",
                "5",
                ".inf"
            ])
        );
    }

    #[test]
    fn keys_are_texts_and_keep_their_order() {
        let value =
            read("responses:\n  200: {description: ok}\n  404:\n    description: |\n      no\n      such\nempty:\n")
                .unwrap();
        assert_eq!(
            value,
            json!({"responses": {"200": {"description": "ok"}, "404": {"description": "no\nsuch\n"}}, "empty": null})
        );
        assert_eq!(value.as_object().unwrap().keys().collect::<Vec<_>>(), ["responses", "empty"]);
    }

    #[test]
    fn anchors_and_merges_are_followed() {
        let value = read("base: &b {a: 1, c: 2}\nother: {<<: *b, c: 3}\nlist: [*b]\n").unwrap();
        assert_eq!(value["other"], json!({"c": 3, "a": 1}));
        assert_eq!(value["list"], json!([{"a": 1, "c": 2}]));
    }

    #[test]
    fn a_fault_has_its_place() {
        let fault = |text: &str| read(text).map_err(|it| (it.line, it.message));
        assert_eq!(fault("a: [1\nb: 2").unwrap_err().0, 2);
        assert_eq!(fault("").unwrap_err(), (1, "the file is empty".to_owned()));
        assert_eq!(fault("a: 1\n? [x]\n: 2").unwrap_err(), (2, "a key must be a string".to_owned()));
        assert_eq!(fault(&"[".repeat(200)).unwrap_err().0, 1);
    }

    #[test]
    fn aliases_that_unfold_without_end_are_refused() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..9 {
            let before = format!("*a{}", level - 1);
            text.extend([format!("a{level}: &a{level} ["), [before.as_str(); 10].join(", "), "]\n".to_owned()]);
        }
        assert!(read(&text).unwrap_err().message.starts_with("aliases expand to more than"));
    }
}
