//! The categories of BFCL.

use std::fmt;

/// Everything that BFCL asks, by its own names.
const ALL: [(Category, &str); 23] = [
    (Category::SimplePython, "simple_python"),
    (Category::SimpleJava, "simple_java"),
    (Category::SimpleJavascript, "simple_javascript"),
    (Category::Multiple, "multiple"),
    (Category::Parallel, "parallel"),
    (Category::ParallelMultiple, "parallel_multiple"),
    (Category::Irrelevance, "irrelevance"),
    (Category::LiveSimple, "live_simple"),
    (Category::LiveMultiple, "live_multiple"),
    (Category::LiveParallel, "live_parallel"),
    (Category::LiveParallelMultiple, "live_parallel_multiple"),
    (Category::LiveIrrelevance, "live_irrelevance"),
    (Category::LiveRelevance, "live_relevance"),
    (Category::MultiTurnBase, "multi_turn_base"),
    (Category::MultiTurnMissFunc, "multi_turn_miss_func"),
    (Category::MultiTurnMissParam, "multi_turn_miss_param"),
    (Category::MultiTurnLongContext, "multi_turn_long_context"),
    (Category::WebSearch, "web_search"),
    (Category::Memory, "memory"),
    // Earlier versions' names.
    (Category::SimplePython, "simple"),
    (Category::SimpleJava, "java"),
    (Category::SimpleJavascript, "javascript"),
    (Category::MultiTurnBase, "multi_turn"),
];

/// A category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "they are BFCL's own names")]
pub enum Category {
    SimplePython,
    SimpleJava,
    SimpleJavascript,
    Multiple,
    Parallel,
    ParallelMultiple,
    Irrelevance,
    LiveSimple,
    LiveMultiple,
    LiveParallel,
    LiveParallelMultiple,
    LiveIrrelevance,
    LiveRelevance,
    MultiTurnBase,
    MultiTurnMissFunc,
    MultiTurnMissParam,
    MultiTurnLongContext,
    WebSearch,
    Memory,
}

/// How the calls of a category are judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Manner {
    /// One call of the one function.
    Simple,
    /// One call of one among several functions.
    Multiple,
    /// Several calls in any order.
    Parallel,
    /// No call.
    Irrelevance,
    /// Any call.
    Relevance,
    /// Not judged here: other languages, worlds and several turns.
    Elsewhere,
}

impl Category {
    /// The category of a name, in any version's spelling.
    pub fn of_name(name: &str) -> Option<Self> {
        ALL.iter().find(|(_, known)| *known == name).map(|(category, _)| *category)
    }

    /// The category of an item's id, which ends with numbers: `live_simple_0-0-0`.
    pub fn of_id(id: &str) -> Option<Self> {
        let (name, number) = id.rsplit_once('_')?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        is_number.then(|| Self::of_name(name))?
    }

    /// Its name in the latest version.
    pub fn as_str(self) -> &'static str {
        ALL.iter().find(|(category, _)| *category == self).map_or("", |(_, name)| name)
    }

    /// How its predictions are judged.
    pub fn manner(self) -> Manner {
        match self {
            Self::SimplePython | Self::LiveSimple => Manner::Simple,
            Self::Multiple | Self::LiveMultiple => Manner::Multiple,
            Self::Parallel | Self::ParallelMultiple | Self::LiveParallel | Self::LiveParallelMultiple => {
                Manner::Parallel
            }
            Self::Irrelevance | Self::LiveIrrelevance => Manner::Irrelevance,
            Self::LiveRelevance => Manner::Relevance,
            _ => Manner::Elsewhere,
        }
    }

    /// Whether people's own questions to live services are asked.
    pub fn is_live(self) -> bool {
        self.as_str().starts_with("live_")
    }
}

impl fmt::Display for Category {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_versions_are_known() {
        assert_eq!(Category::of_name("simple").unwrap().to_string(), "simple_python");
        assert_eq!(Category::of_name("live_parallel_multiple"), Some(Category::LiveParallelMultiple));
        assert_eq!(Category::of_name("exec_simple"), None);
        assert!(ALL.iter().take(19).all(|(category, name)| category.as_str() == *name));
    }

    #[test]
    fn an_id_names_its_category() {
        assert_eq!(Category::of_id("live_simple_0-0-0"), Some(Category::LiveSimple));
        assert_eq!(Category::of_id("simple_python_12"), Some(Category::SimplePython));
        assert_eq!(
            (Category::of_id("parallel"), Category::of_id("parallel_x"), Category::of_id("x_1")),
            (None, None, None)
        );
    }

    #[test]
    fn upstreams_substrings_decide_the_manner() {
        assert_eq!(Category::ParallelMultiple.manner(), Manner::Parallel);
        assert_eq!(Category::LiveMultiple.manner(), Manner::Multiple);
        assert_eq!(Category::SimpleJava.manner(), Manner::Elsewhere);
        assert!(Category::LiveSimple.is_live() && !Category::Irrelevance.is_live());
    }
}
