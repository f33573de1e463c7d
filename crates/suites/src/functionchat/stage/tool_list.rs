//! A list of tools by its name: `exact`, `4_random`, `8_close`; and where in it the right tool stands.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserialize, Deserializer, Error, Unexpected};
use serde::ser::{Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// What a list shows beside the right tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ToolList {
    /// Nothing.
    Exact,
    /// Tools that have little to do with it; so many in all.
    Random(usize),
    /// The tools that are nearest to it; so many in all.
    Close(usize),
}

/// What a name of a list should be like, for messages.
const EXPECTED: &str =
    "the name of a tool list: \"exact\", or a number from 2 with `_random` or `_close`, such as \"4_close\"";

impl ToolList {
    /// The authors' five.
    pub(crate) fn all_five() -> Vec<Self> {
        vec![Self::Exact, Self::Random(4), Self::Close(4), Self::Random(8), Self::Close(8)]
    }

    /// How many tools it shows.
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Exact => 1,
            Self::Random(size) | Self::Close(size) => size,
        }
    }

    fn named(name: &str) -> Option<Self> {
        if name == "exact" {
            return Some(Self::Exact);
        }
        let (size, kind) = name.split_once('_')?;
        let plain = size.chars().all(|letter| letter.is_ascii_digit()) && !size.starts_with('0');
        let size = size.parse().ok().filter(|size| plain && *size >= 2)?;
        match kind {
            "random" => Some(Self::Random(size)),
            "close" => Some(Self::Close(size)),
            _ => None,
        }
    }
}

impl fmt::Display for ToolList {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => formatter.write_str("exact"),
            Self::Random(size) => write!(formatter, "{size}_random"),
            Self::Close(size) => write!(formatter, "{size}_close"),
        }
    }
}

impl<'de> Deserialize<'de> for ToolList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Self::named(&name).ok_or_else(|| D::Error::invalid_value(Unexpected::Str(&name), &EXPECTED))
    }
}

impl Serialize for ToolList {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for ToolList {
    fn schema_name() -> Cow<'static, str> {
        "ToolList".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^(exact|([2-9]|[1-9][0-9]+)_(random|close))$" })
    }
}

/// Where the right tool stands in each list, for the tool of this rank among those of the run.
///
/// Ranks that follow one another go round the places, so that over all ranks the places of a list are taken equally
/// often, to within one. Lists of one size begin at even distances, which keeps them even together as well.
pub(crate) fn places(lists: &[ToolList], rank: usize) -> Vec<usize> {
    let of_size = |lists: &[ToolList], size: usize| lists.iter().filter(|list| list.size() == size).count();
    let place = |(ordinal, list): (usize, &ToolList)| {
        let (size, before) = (list.size(), lists.iter().take(ordinal));
        let before = before.filter(|list| list.size() == size).count();
        (rank % size + before * size / of_size(lists, size)) % size
    };
    lists.iter().enumerate().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_list_is_written_as_it_is_read() {
        for name in ["exact", "2_random", "4_close", "12_close"] {
            assert_eq!(ToolList::named(name).unwrap().to_string(), name);
        }
        let names = serde_json::to_value(ToolList::all_five()).unwrap();
        assert_eq!(names, serde_json::json!(["exact", "4_random", "4_close", "8_random", "8_close"]));
    }

    #[test]
    fn what_is_no_list_is_told_what_one_is() {
        for name in ["1_random", "4_near", "04_close", "+4_close", "4", "_close", "Exact", ""] {
            let error = serde_json::from_value::<ToolList>(name.into()).unwrap_err().to_string();
            assert!(error.contains("expected the name of a tool list") && error.contains("4_close"), "{error}");
        }
        assert!(serde_json::from_str::<ToolList>("4").is_err());
    }

    #[test]
    fn the_only_tool_of_a_list_has_the_only_place() {
        assert_eq!(places(&ToolList::all_five(), 0), [0, 0, 2, 0, 4]);
        assert_eq!(places(&ToolList::all_five(), 7), [0, 3, 1, 7, 3]);
        assert!(places(&[], 3).is_empty());
    }

    proptest! {
        #[test]
        fn places_are_taken_equally_often(
            ranks in 1_usize..60,
            lists in prop::collection::vec((2_usize..10, any::<bool>()), 1..6),
        ) {
            let list = |(size, close): (usize, bool)| if close { ToolList::Close(size) } else { ToolList::Random(size) };
            let lists: Vec<ToolList> = lists.into_iter().map(list).collect();
            let even = |counts: &[usize]| counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1;
            for size in lists.iter().map(|list| list.size()) {
                let mut together = vec![0; size];
                for (ordinal, _) in lists.iter().enumerate().filter(|(_, list)| list.size() == size) {
                    let mut counts = vec![0; size];
                    (0..ranks).for_each(|rank| counts[places(&lists, rank)[ordinal]] += 1);
                    prop_assert!(even(&counts), "{counts:?}");
                    together.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += count);
                }
                prop_assert!(even(&together), "{together:?} of {lists:?}");
            }
        }
    }
}
