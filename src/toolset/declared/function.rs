//! Declared functions and their parameters, in one locale.

use super::constraint::Constraint;
use super::envelope::Envelope;
use super::step::Step;
use super::table::TableSpec;
use super::template::Node;
use crate::locale::FunctionPhrases;
use crate::record::{Object, Source, Value};
use indexmap::IndexMap;

/// A declared world: tables, and functions over them.
#[derive(Debug, Clone, Default)]
pub struct Declaration {
    /// The toolset's name.
    pub name: String,
    /// The day on which everything happens.
    pub today: String,
    /// The functions, domain by domain.
    pub functions: IndexMap<String, Function>,
    pub(crate) tables: IndexMap<String, TableSpec>,
    pub(crate) envelope: Envelope,
    pub(crate) phrases: FunctionPhrases,
}

/// One function.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name, which is the tool's.
    pub name: String,
    /// The domain: the file's name.
    pub domain: String,
    /// What it does, in the locale's language.
    pub description: String,
    /// Whether it is a mere lookup, which a model may make or leave, at any time.
    pub free: bool,
    /// Whether a lookup that was left out is forgiven at the end.
    pub forgiven: bool,
    /// Arguments that make a call of it as free as a lookup.
    pub free_when: Object,
    /// Groups of functions that overlap: of one group no two are offered together.
    pub overlap: Vec<String>,
    /// What it takes.
    pub parameters: IndexMap<String, Param>,
    /// Messages for calls that are refused, by name.
    pub errors: IndexMap<String, String>,
    pub(crate) steps: Vec<Step>,
    pub(crate) give: Node,
}

/// A parameter.
#[derive(Debug, Clone, Default)]
pub struct Param {
    /// The JSON type.
    pub type_name: String,
    /// What it means, in the locale's language; defaults and sources are told.
    pub description: String,
    /// The value kind of what people say, if it is one.
    pub kind: Option<String>,
    /// What it constrains.
    pub constraint: Option<Constraint>,
    /// Whether a call must have it.
    pub required: bool,
    /// The value that it has where it is left out.
    pub default: Option<Value>,
    /// The values that it may have.
    pub listed: Option<Vec<Value>>,
    /// The least and the greatest number.
    pub range: Option<(f64, f64)>,
    /// How a text is written.
    pub format: Option<Format>,
    /// The table of whose rows it names one.
    pub of: Option<String>,
    /// The columns that hold what people would say: tables with their columns.
    pub values: Vec<(String, String)>,
    /// The answers that hold it.
    pub from: Vec<Source>,
    /// Whether only the exact value is right.
    pub exact: bool,
    /// Whether it is a set of values, in any order, with commas between.
    pub set: bool,
    /// Whether variants of a request keep it as it is.
    pub protected: bool,
    /// The fields of the objects in a list.
    pub fields: IndexMap<String, Param>,
}

/// How a text is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `YYYY-MM-DD`.
    Date,
    /// `HH:MM`.
    Time,
    /// Whole numbers with commas between.
    Numbers,
}

impl Format {
    /// The formats by the words of files.
    pub(super) const ALL: [(&'static str, Self); 3] =
        [("date", Self::Date), ("time", Self::Time), ("numbers", Self::Numbers)];

    /// What a text looks like.
    pub fn shown(self) -> &'static str {
        match self {
            Self::Date => "YYYY-MM-DD",
            Self::Time => "HH:MM",
            Self::Numbers => "5,8",
        }
    }
}

impl Declaration {
    /// The functions of a domain.
    pub fn of_domain<'a>(&'a self, domain: &'a str) -> impl Iterator<Item = &'a Function> {
        self.functions.values().filter(move |function| function.domain == domain)
    }

    /// The names of the domains that have functions, in order.
    pub fn domains(&self) -> Vec<&str> {
        let mut domains: Vec<&str> = self.functions.values().map(|function| function.domain.as_str()).collect();
        domains.dedup();
        domains
    }

    /// Parameters that must be exactly the gold value, by function.
    pub fn exact_parameters(&self) -> IndexMap<String, Vec<String>> {
        let of = |function: &Function| {
            let exact = function.parameters.iter().filter(|(_, param)| param.exact);
            (function.name.clone(), exact.map(|(name, _)| name.clone()).collect())
        };
        self.functions.values().map(of).collect()
    }

    /// Whether two functions should not be offered together.
    pub fn overlap(&self, one: &str, other: &str) -> bool {
        let groups = |name: &str| self.functions.get(name).map_or(&[][..], |function| &function.overlap);
        one != other && groups(one).iter().any(|group| groups(other).contains(group))
    }
}

#[cfg(test)]
mod tests {
    use crate::toolset::declared::testing::inn;

    #[test]
    fn settings_of_the_scorer_follow_from_the_flags() {
        let world = inn("en");
        assert_eq!(world.domains(), ["inns"]);
        assert_eq!(world.of_domain("inns").count(), world.functions.len());
        assert_eq!(world.exact_parameters()["Search_Inns"], ["town_id", "arrival", "departure", "filters"]);
        assert!(world.exact_parameters()["Find_Town"].is_empty());
        assert!(world.overlap("Find_Town", "Locate_Town") && !world.overlap("Find_Town", "Find_Town"));
        assert!(!world.overlap("Find_Town", "Search_Inns") && !world.overlap("x", "y"));
    }
}
