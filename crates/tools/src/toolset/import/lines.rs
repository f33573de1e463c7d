//! Finds the lines of places in a JSON or YAML text: where a pointer's key stands, or its list element begins.

use super::openapi::reference::Found;
use saphyr_parser::{Event, Parser};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// Follows the structure of a text and notes the lines of the wanted places.
struct Tracker<'w> {
    wanted: &'w BTreeSet<String>,
    found: BTreeMap<String, usize>,
    /// Where we are, as a JSON pointer, and how long it was before each open list or map.
    path: String,
    open: Vec<Open>,
}

struct Open {
    before: usize,
    /// The next element of a list; `None` in a map.
    next: Option<usize>,
    /// In a map: whether a key is behind us and its value is to come.
    keyed: bool,
}

/// The lines, from 1, of those of the wanted pointers that the JSON text has.
pub(super) fn of_json(text: &str, wanted: &BTreeSet<String>) -> BTreeMap<String, usize> {
    let mut tracker = Tracker::new(wanted);
    let mut letters = text.chars().peekable();
    let (mut line, mut in_scalar) = (1, false);
    while let Some(letter) = letters.next() {
        let is_mark = letter.is_whitespace() || "{}[]:,\"".contains(letter);
        if !is_mark && !in_scalar {
            tracker.value(line);
        }
        in_scalar = !is_mark;
        match letter {
            '\n' => line += 1,
            '"' => {
                let literal = string_literal(&mut letters);
                if tracker.wants_key() { tracker.key(&literal, line) } else { tracker.value(line) }
            }
            '{' => tracker.begin(None, line),
            '[' => tracker.begin(Some(0), line),
            '}' | ']' => tracker.end(),
            _ => {}
        }
    }
    tracker.found
}

/// The same for a YAML text.
pub(super) fn of_yaml(text: &str, wanted: &BTreeSet<String>) -> BTreeMap<String, usize> {
    let mut tracker = Tracker::new(wanted);
    for (event, span) in Parser::new_from_str(text).map_while(Result::ok) {
        let line = span.start.line();
        match event {
            Event::Scalar(text, ..) if tracker.wants_key() => tracker.key(&text, line),
            Event::Scalar(..) | Event::Alias(_) => tracker.value(line),
            Event::MappingStart(..) => tracker.begin(None, line),
            Event::SequenceStart(..) => tracker.begin(Some(0), line),
            Event::MappingEnd | Event::SequenceEnd => tracker.end(),
            _ => {}
        }
    }
    tracker.found
}

/// The tools of a list in JSON and their parameters, by their names, with their lines.
pub(in crate::toolset) fn list_lines(text: &str) -> Vec<(Vec<String>, usize)> {
    let root: Json = serde_json::from_str(text.trim_start_matches('\u{feff}')).unwrap_or_default();
    let root = Found { value: &root, place: String::new() };
    let mut places: Vec<(Vec<String>, String)> = Vec::new();
    for entry in root.at("tools").unwrap_or(root.clone()).elements() {
        let function = entry.at("function").unwrap_or_else(|| entry.clone());
        let Some(name) = function.text("name").map(str::to_owned) else { continue };
        places.push((vec![name.clone()], entry.place));
        let properties = function.at("parameters").and_then(|it| it.at("properties"));
        let inner = properties.iter().flat_map(Found::entries);
        places.extend(inner.map(|(parameter, it)| (vec![name.clone(), parameter.to_owned()], it.place)));
    }
    let lines = of_json(text, &places.iter().map(|(_, place)| place.clone()).collect());
    places.into_iter().filter_map(|(names, place)| Some((names, *lines.get(&place)?))).collect()
}

/// The rest of a string whose opening quote was read.
fn string_literal(letters: &mut impl Iterator<Item = char>) -> String {
    let mut literal = "\"".to_owned();
    let mut escaped = false;
    for letter in letters {
        literal.push(letter);
        match letter {
            '"' if !escaped => break,
            '\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    serde_json::from_str(&literal).unwrap_or_default()
}

impl<'w> Tracker<'w> {
    fn new(wanted: &'w BTreeSet<String>) -> Self {
        Self { wanted, found: BTreeMap::new(), path: String::new(), open: Vec::new() }
    }

    fn wants_key(&self) -> bool {
        self.open.last().is_some_and(|open| open.next.is_none() && !open.keyed)
    }

    fn key(&mut self, name: &str, line: usize) {
        if let Some(open) = self.open.last_mut() {
            open.keyed = true;
            self.path.truncate(open.before);
        }
        self.path.push('/');
        self.path.push_str(&name.replace('~', "~0").replace('/', "~1"));
        self.note(line);
    }

    /// A value begins: of a list it is the next element; of a map its key has been noted.
    fn value(&mut self, line: usize) {
        match self.open.last_mut() {
            Some(Open { before, next: Some(next), .. }) => {
                self.path.truncate(*before);
                self.path.push('/');
                self.path.push_str(&next.to_string());
                *next += 1;
                self.note(line);
            }
            Some(open) => open.keyed = false,
            None => {}
        }
    }

    fn begin(&mut self, next: Option<usize>, line: usize) {
        self.value(line);
        self.open.push(Open { before: self.path.len(), next, keyed: false });
    }

    fn end(&mut self) {
        if let Some(open) = self.open.pop() {
            self.path.truncate(open.before);
        }
    }

    fn note(&mut self, line: usize) {
        if self.wanted.contains(&self.path) {
            self.found.entry(self.path.clone()).or_insert(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(pointers: &[&str]) -> BTreeSet<String> {
        pointers.iter().map(|pointer| (*pointer).to_owned()).collect()
    }

    const PLACES: [&str; 6] = ["/paths/~1a/get", "/paths/~1a/get/tags/1", "/list/1/x", "/last", "/none", "/empty"];

    #[test]
    fn json_places_have_their_lines() {
        let text = "{\n \"paths\": {\n  \"/a\": {\"put\": 1,\n   \"get\": {\"tags\": [\"x\\\"]\",\n    \"y\"]}}},\n \"list\": [3, {\n  \"x\": true}],\n \"empty\": {},\n \"last\": null}";
        let found = of_json(text, &wanted(&PLACES));
        let lines: Vec<_> = PLACES.iter().map(|place| found.get(*place).copied()).collect();
        assert_eq!(lines, [Some(4), Some(5), Some(7), Some(9), None, Some(8)]);
    }

    #[test]
    fn yaml_places_have_their_lines() {
        let text = "paths:\n  /a:\n    put: 1\n    get:\n      tags:\n        - x\n        - y\nlist:\n  - 3\n  - {x: true}\nempty: {}\nlast:\n";
        let found = of_yaml(text, &wanted(&PLACES));
        let lines: Vec<_> = PLACES.iter().map(|place| found.get(*place).copied()).collect();
        assert_eq!(lines, [Some(4), Some(7), Some(10), Some(12), None, Some(11)]);
    }

    #[test]
    fn what_is_broken_gives_what_stands_before() {
        let found = of_json("{\"a\": 1,\n\"b\": [", &wanted(&["/a", "/b"]));
        assert_eq!(found, BTreeMap::from([("/a".to_owned(), 1), ("/b".to_owned(), 2)]));
        assert!(of_yaml("a: [", &wanted(&["/b"])).is_empty());
    }
}
