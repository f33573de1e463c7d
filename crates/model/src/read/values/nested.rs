//! Values within values: the elements of a list and the fields of an object, read one after the other where the text says
//! them.

use crate::locale::Pack;
use crate::read::slot::Slot;
use crate::read::text::{Span, Text};
use crate::read::values::candidates::Means;
use crate::read::values::recognise::Recogniser;
use crate::record::{Object, Parameter, Tool, Value};
use serde_json::Value as Json;

/// How deep values may lie in one another.
const DEEPEST: usize = 4;

/// Most letters between two values of one list or object, such as `, ` or ` and `.
const GAP: usize = 5;

/// What a list or an object is made of.
pub(crate) enum Nested {
    /// A single value, read as a parameter of its own would be.
    Value(Box<Slot>),
    /// A list with the most elements that it may have.
    List(Box<Nested>, usize),
    /// An object: the fields that are required, or all where none is.
    Object(Vec<(String, Nested)>),
}

impl Nested {
    /// The parts of a parameter that is a list or an object; `None` where they are plain words, which have no form of their
    /// own.
    pub(crate) fn new(parameter: &Parameter, pack: &Pack, recogniser: &Recogniser) -> Option<Self> {
        if !matches!(parameter.type_name(), "array" | "object") {
            return None;
        }
        let whole = Self::part("", parameter, pack, recogniser, 0)?;
        let has_form = match &whole {
            Self::Value(_) => false,
            Self::List(inner, _) => !matches!(&**inner, Self::Value(slot) if !slot.has_pattern()),
            Self::Object(_) => true,
        };
        has_form.then_some(whole)
    }

    fn part(name: &str, parameter: &Parameter, pack: &Pack, recogniser: &Recogniser, depth: usize) -> Option<Self> {
        let read = |schema: &Json| serde_json::from_value::<Parameter>(schema.clone()).ok();
        match parameter.type_name() {
            _ if depth > DEEPEST => None,
            "array" => {
                let items = Self::part(name, &read(parameter.more.get("items")?)?, pack, recogniser, depth + 1)?;
                let most = parameter.more.get("maxItems").and_then(Json::as_u64);
                Some(Self::List(Box::new(items), most.and_then(|it| usize::try_from(it).ok()).unwrap_or(usize::MAX)))
            }
            "object" => {
                let properties = parameter.more.get("properties")?.as_object()?;
                let required = parameter.more.get("required").and_then(Json::as_array);
                let needed: Vec<&str> = required.into_iter().flatten().filter_map(Json::as_str).collect();
                let wanted = properties.iter().filter(|(key, _)| needed.is_empty() || needed.contains(&key.as_str()));
                let field = |(key, schema): (&String, &Json)| {
                    Some((key.clone(), Self::part(key, &read(schema)?, pack, recogniser, depth + 1)?))
                };
                let fields: Vec<_> = wanted.map(field).collect::<Option<_>>()?;
                (!fields.is_empty()).then_some(Self::Object(fields))
            }
            _ => Some(Self::Value(Box::new(Slot::new(&Tool::default(), name, parameter, pack, recogniser)))),
        }
    }

    /// The value that begins first from a place on, and where it ends.
    pub(crate) fn read(&self, text: &Text, from: usize, means: Means<'_>) -> Option<(Value, Span)> {
        match self {
            Self::Value(slot) => {
                let candidates = slot.candidates(0, text, means).into_iter().filter(|it| it.span.start >= from);
                let first = candidates.min_by_key(|it| (it.span.start, std::cmp::Reverse(it.span.end)))?;
                Some((first.value, first.span))
            }
            Self::List(inner, most) => {
                let (first, mut span) = inner.read(text, from, means)?;
                let mut list = vec![first];
                while list.len() < *most {
                    let next = inner.read(text, span.end, means);
                    let Some((value, next)) = next.filter(|(_, next)| next.start <= span.end + GAP) else { break };
                    span.end = next.end;
                    list.push(value);
                }
                Some((Value::List(list), span))
            }
            Self::Object(fields) => {
                let mut object = Object::new();
                let mut whole: Option<Span> = None;
                for (name, field) in fields {
                    let from = whole.map_or(from, |span| span.end);
                    let (value, span) = field.read(text, from, means)?;
                    if whole.is_some_and(|whole| span.start > whole.end + GAP + name.len()) {
                        return None;
                    }
                    whole = Some(whole.map_or(span, |whole| Span { start: whole.start, end: span.end.max(whole.end) }));
                    object.insert(name.clone(), value);
                }
                Some((Value::Object(object), whole?))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::learn::Learned;

    fn read(schema: &str, query: &str) -> Option<String> {
        let pack = crate::fixtures::pack("en");
        let recogniser = Recogniser::new(&pack);
        let nested = Nested::new(&serde_json::from_str(schema).unwrap(), &pack, &recogniser)?;
        let text = Text::of(query, true, &crate::fixtures::language("en"));
        let means = Means { recogniser: &recogniser, reading: &pack.reading, learned: &Learned::new() };
        nested.read(&text, 0, means).map(|(value, _)| value.to_string())
    }

    const LINES: &str = r#"{"type": "array", "items": {"type": "object", "required": ["sku", "n"], "properties": {
        "sku": {"type": "string", "pattern": "^[A-Z]{2}\\d{3}$"}, "n": {"type": "integer"}, "note": {"type": "string"}}}}"#;

    #[test]
    fn objects_of_a_list_are_read_field_by_field() {
        let lines = read(LINES, "add items: PG635, 7, JH628, 12, order no 13407").unwrap();
        assert_eq!(lines, r#"[{"sku":"PG635","n":7},{"sku":"JH628","n":12}]"#);
        assert_eq!(read(LINES, "add items to the order"), None);
    }

    #[test]
    fn a_list_of_lists_is_cut_by_its_length() {
        let points = r#"{"type": "array", "items": {"type": "array", "items": {"type": "number"}, "maxItems": 2}}"#;
        assert_eq!(read(points, "points 1.5, 2, 3, 4.5 in km").unwrap(), "[[1.5,2],[3,4.5]]");
    }

    #[test]
    fn plain_words_have_no_form_of_their_own() {
        assert_eq!(read(r#"{"type": "array", "items": {"type": "string"}}"#, "tags a, b"), None);
        assert_eq!(read(r#"{"type": "string"}"#, "a"), None);
    }
}
