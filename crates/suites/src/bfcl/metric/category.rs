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

// Why a prediction is wrong, by the names that upstream gives.

/// What is wrong with a prediction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorKind {
    /// No calls can be read.
    DecoderFailed,
    /// What was read are no calls with named arguments.
    WrongOutputFormat,
    /// Not one call where one is wanted.
    SimpleCount,
    /// Not one call where one of several functions is wanted.
    MultipleCount,
    /// Not as many calls as are wanted.
    ParallelCount,
    /// A wanted call that no call is left for.
    NoMatch,
    /// Another function.
    FunctionName,
    /// A required argument is missing.
    MissingRequired,
    /// An argument that the function or the answer does not know.
    UnexpectedParameter,
    /// An argument is missing that must not be left out.
    MissingOptional,
    /// A value of another type.
    TypeSimple,
    /// An element of another type.
    TypeNested,
    /// Another value.
    ValueOthers,
    /// Another string.
    ValueString,
    /// Another list.
    ValueList,
    /// A dictionary with other keys.
    ValueDictKey,
    /// A dictionary with another value.
    ValueDictValue,
    /// More or fewer dictionaries.
    ValueDictCount,
    /// A dictionary where none is accepted.
    DictUnclear,
    /// A list of dictionaries where none is accepted.
    ListDictUnclear,
    /// A call where none is wanted.
    IrrelevanceDecoded,
    /// An attempt at a call where none is wanted, which cannot be read.
    IrrelevanceAttempt,
    /// No call where one is wanted.
    RelevanceFailed,
}

impl ErrorKind {
    /// Its name in verdicts.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::DecoderFailed => "ast_decoder:decoder_failed",
            Self::WrongOutputFormat => "ast_decoder:decoder_wrong_output_format",
            Self::SimpleCount => "simple_function_checker:wrong_count",
            Self::MultipleCount => "multiple_function_checker:wrong_count",
            Self::ParallelCount => "parallel_function_checker_no_order:wrong_count",
            Self::NoMatch => "parallel_function_checker_no_order:cannot_find_match",
            Self::FunctionName => "simple_function_checker:wrong_func_name",
            Self::MissingRequired => "simple_function_checker:missing_required",
            Self::UnexpectedParameter => "simple_function_checker:unexpected_param",
            Self::MissingOptional => "simple_function_checker:missing_optional",
            Self::TypeSimple => "type_error:simple",
            Self::TypeNested => "type_error:nested",
            Self::ValueOthers => "value_error:others",
            Self::ValueString => "value_error:string",
            Self::ValueList => "value_error:list/tuple",
            Self::ValueDictKey => "value_error:dict_key",
            Self::ValueDictValue => "value_error:dict_value",
            Self::ValueDictCount => "value_error:list_dict_count",
            Self::DictUnclear => "dict_checker:unclear",
            Self::ListDictUnclear => "list_dict_checker:unclear",
            Self::IrrelevanceDecoded => "irrelevance_error:decoder_success",
            Self::IrrelevanceAttempt => "irrelevance_error:call_attempt",
            Self::RelevanceFailed => "relevance_error:decoder_failed",
        }
    }
}

/// The exception at which upstream breaks off, where its data are not what it expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Crash {
    /// A type, parameter or description that it does not know.
    Key,
    /// A value where it expects a list.
    Type,
    /// A value where it expects a dictionary.
    Attribute,
    /// A whole number that no double is near.
    Overflow,
}

impl Crash {
    /// Its name in Python.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Key => "KeyError",
            Self::Type => "TypeError",
            Self::Attribute => "AttributeError",
            Self::Overflow => "OverflowError",
        }
    }
}

/// Why a check does not end well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The prediction is wrong.
    Wrong(ErrorKind),
    /// Upstream breaks off.
    Crash(Crash),
}

impl From<ErrorKind> for Fault {
    fn from(kind: ErrorKind) -> Self {
        Self::Wrong(kind)
    }
}

/// What is found of a prediction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is right.
    Valid,
    /// It is wrong; of several wanted calls also why each call that was left did not serve.
    Wrong(ErrorKind, Vec<ErrorKind>),
    /// Upstream breaks off.
    Crash(Crash),
    /// No prediction can be judged by this item.
    Unscorable(&'static str),
}

impl Verdict {
    /// Whether the prediction is right.
    pub fn is_valid(&self) -> bool {
        *self == Self::Valid
    }
}

impl From<Fault> for Verdict {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Wrong(kind) => Self::Wrong(kind, Vec::new()),
            Fault::Crash(crash) => Self::Crash(crash),
        }
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

#[cfg(test)]
mod kind_tests {
    use super::*;

    #[test]
    fn faults_become_verdicts_of_the_same_name() {
        let fault = Fault::from(ErrorKind::ValueList);
        assert_eq!(Verdict::from(fault), Verdict::Wrong(ErrorKind::ValueList, Vec::new()));
        assert_eq!(Verdict::from(Fault::Crash(Crash::Type)), Verdict::Crash(Crash::Type));
        assert!(Verdict::Valid.is_valid() && !Verdict::Crash(Crash::Key).is_valid());
        assert_eq!(ErrorKind::ValueList.as_str(), "value_error:list/tuple");
        assert_eq!(
            [Crash::Key, Crash::Type, Crash::Attribute, Crash::Overflow].map(Crash::as_str).join(" "),
            "KeyError TypeError AttributeError OverflowError"
        );
    }
}
