//! What is kept of a tool, so that it is known again under other names.

use super::print::sorted;
use super::words::{Words, hash};
use crate::record::Tool;

/// The hashes of a tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct ToolPrint {
    /// Its own name, without what stands before the last dot.
    pub name: u32,
    /// The types of its parameters and which of them are required, without their names.
    pub shape: u32,
    /// How many parameters it has.
    pub parameters: u32,
    /// The words of its description and of its parameters' descriptions.
    pub words: Vec<u32>,
}

/// How many hashes of its words are kept where a tool is known by hashes alone: the least ones.
pub(super) const SKETCH: usize = 12;
/// What share of the words of two descriptions is common where they describe one tool.
const ALIKE: f64 = 0.6;
/// The same where their parameters have one shape.
const ALIKE_IN_SHAPE: f64 = 0.3;
/// How many parameters make a shape of which there are few.
const MANY: u32 = 4;

impl ToolPrint {
    /// The print of a tool.
    pub fn of(tool: &Tool, words: &Words) -> Self {
        let parameters = &tool.parameters;
        let described = parameters.properties.values().filter_map(|parameter| parameter.description.as_deref());
        let mut all: Vec<u32> =
            std::iter::once(tool.description.as_str()).chain(described).flat_map(|text| words.bag(text)).collect();
        sorted(&mut all);
        let mut shape: Vec<String> = parameters
            .properties
            .iter()
            .map(|(name, it)| {
                format!(
                    "{}{}{}",
                    letter(it.type_name()),
                    parameters.required.contains(name),
                    it.values.as_ref().map_or(0, Vec::len)
                )
            })
            .collect();
        shape.sort_unstable();
        let count = u32::try_from(shape.len()).unwrap_or(u32::MAX);
        Self { name: Self::named(&tool.name).name, shape: hash("shape", &shape), parameters: count, words: all }
    }

    /// The print of a tool of which nothing but the name is known.
    pub fn named(name: &str) -> Self {
        let own = name.rsplit('.').next().unwrap_or(name);
        let letters: String =
            own.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        Self { name: hash("name", &[letters]), ..Self::default() }
    }

    /// Whether two prints are of one tool: by its name, or by what is said of it and by its parameters.
    pub fn is_like(&self, other: &Self) -> bool {
        let is_sketch = [self, other].iter().any(|tool| tool.words.len() == SKETCH);
        let most = if is_sketch { SKETCH } else { usize::MAX };
        let kept = |tool: &'_ Self| tool.words.len().min(most);
        let common = likeness(&self.words[..kept(self)], &other.words[..kept(other)]);
        let same_shape = self.parameters > 0 && (self.shape, self.parameters) == (other.shape, other.parameters);
        self.name == other.name
            || common >= ALIKE && self.words.len() > 2
            || same_shape && (common >= ALIKE_IN_SHAPE || self.words.is_empty() && self.parameters >= MANY)
    }
}

/// The share of two sorted lists that is common to both.
pub(crate) fn likeness(one: &[u32], other: &[u32]) -> f64 {
    let common = common(one, other).count();
    let all = one.len() + other.len() - common;
    if all == 0 { 0.0 } else { real(common) / real(all) }
}

/// What two sorted lists have in common.
pub(super) fn common<'l>(one: &'l [u32], other: &'l [u32]) -> impl Iterator<Item = u32> + 'l {
    let mut rest = other;
    one.iter().copied().filter(move |hash| {
        rest = &rest[rest.partition_point(|it| it < hash)..];
        rest.first() == Some(hash)
    })
}

#[expect(clippy::cast_precision_loss, reason = "numbers of words are far below 2^52")]
pub(super) fn real(count: usize) -> f64 {
    count as f64
}

fn letter(kind: &str) -> &'static str {
    match kind {
        "integer" | "int" | "long" | "number" | "float" | "double" => "n",
        "boolean" | "bool" => "b",
        "array" | "list" | "List" | "tuple" => "l",
        "object" | "dict" | "Dict" => "o",
        _ => "s",
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Ground;
    use super::*;

    fn print(json: &str) -> ToolPrint {
        ToolPrint::of(
            &serde_json::from_str(json).unwrap(),
            &Words::of(&Ground::load(crate::fixtures::assets(), "en").unwrap()),
        )
    }

    const BOOK: &str = r#"{"name": "Rail.Tickets.book", "description": "Books seats on a train of the national railway", "parameters":
        {"properties": {"to": {"type": "string", "description": "The station"}, "seats": {"type": "integer", "description": "How many"}}, "required": ["to"]}}"#;

    #[test]
    fn a_tool_is_known_again_under_other_names() {
        let renamed =
            BOOK.replace("Rail.Tickets.book", "xq7").replace("\"to\"", "\"p1\"").replace("\"seats\"", "\"p2\"");
        assert!(print(BOOK).is_like(&print(&renamed)) && print(BOOK).name != print(&renamed).name);
        let retold = renamed.replace("Books seats on a train of the national railway", "Reserves places on a train");
        assert!(print(BOOK).is_like(&print(&retold)));
    }

    #[test]
    fn another_tool_is_another() {
        let other = r#"{"name": "sing", "description": "Sings a song", "parameters": {"properties": {"song": {"type": "string"}}}}"#;
        assert!(!print(BOOK).is_like(&print(other)));
        assert!(print(BOOK).is_like(&ToolPrint::named("book")) && !print(BOOK).is_like(&ToolPrint::named("sing")));
    }

    #[test]
    fn what_is_common_is_counted_once() {
        assert_eq!(common(&[1, 3, 5, 9], &[0, 3, 4, 9, 12]).collect::<Vec<_>>(), [3, 9]);
        assert!((likeness(&[1, 2, 3], &[2, 3, 4]) - 0.5).abs() < 1e-9 && likeness(&[], &[]) == 0.0);
    }
}
