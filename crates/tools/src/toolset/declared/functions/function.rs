//! Declared functions and their parameters, in one locale.

use super::super::cases::Cases;
use super::super::steps::pick::Pick;
use super::super::steps::step::Step;
use super::super::steps::template::Node;
use super::super::table::TableSpec;
use super::envelope::Envelope;
use super::quality::{Forking, Tally};
use crate::toolset::Answers;
use fcgen_core::locale::FunctionPhrases;
use fcgen_core::record::Constraint;
use fcgen_core::record::{Object, Sayings, Source, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// A declared world: tables, and functions over them.
#[derive(Debug, Clone, Default)]
pub struct Declaration {
    /// The toolset's name.
    pub name: String,
    /// The day on which everything happens.
    pub today: String,
    /// The functions, domain by domain.
    pub functions: IndexMap<String, Function>,
    /// Who answers calls of live functions; absent where there are none.
    pub answers: Option<Arc<dyn Answers>>,
    pub(crate) tables: IndexMap<String, TableSpec>,
    pub(crate) envelope: Envelope,
    pub(crate) phrases: FunctionPhrases,
    /// Fields of answers that hold the key of a row, with the row's table: people say the row's name.
    pub named: IndexMap<String, String>,
    /// What requests are about, where the toolset says so.
    pub cases: Cases,
}

impl Declaration {
    /// The tables whose rows have a key, each with the columns that are drawn or computed.
    pub fn keyed_tables(&self) -> impl Iterator<Item = (&str, Vec<&str>)> {
        let keyed = self.tables.values().filter(|table| table.key.is_some());
        keyed.map(|table| {
            let given = table.given.iter().flatten().take(1).flat_map(|row| row.keys());
            (table.name.as_str(), given.chain(table.columns.keys()).map(String::as_str).collect())
        })
    }
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
    /// JSON pointer to its data in the whole answer.
    pub data: String,
    /// The fields of its data that a request for it asks for: paths such as `methods.*.name`. A closing answer tells all
    /// of them, and a call for what stands elsewhere already is needless. Not given for searches, of which one item is told.
    pub goal_fields: Vec<String>,
    /// Ways of meaning one item of its answer, by name.
    pub picks: IndexMap<String, Pick>,
    /// What its lists come to, by name.
    pub tallies: IndexMap<String, Tally>,
    /// Choices between two functions that hang on what an item of its answer is, by the quality's name.
    pub forks: IndexMap<String, Forking>,
    /// How people ask for it. No reader sees this.
    pub sayings: Sayings,
    /// Messages for calls that are refused, by name.
    pub errors: IndexMap<String, String>,
    /// Whether a live server answers it, and nothing is computed.
    pub live: bool,
    /// Whether a live call may change something.
    pub writes: bool,
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
    /// The date that it follows.
    pub follows: Option<Follows>,
    /// The parameter whose item it usually shares.
    pub like: Option<String>,
    /// The parameter near whose place this one's is: in the same town.
    pub near: Option<String>,
    /// The numbers that requests use: least, greatest, step; hours for a time.
    pub drawn: Option<(f64, f64, f64)>,
    /// The fields of the objects in a list.
    pub fields: IndexMap<String, Param>,
}

/// A date that comes some days after another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Follows {
    /// The parameter with the other date.
    pub parameter: String,
    /// The fewest and the most days after it.
    pub days: (u32, u32),
    /// The slot by which requests say how many days.
    pub length: Option<String>,
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
    pub(crate) const ALL: [(&'static str, Self); 3] =
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
    /// The same, whose live functions are answered so.
    #[must_use]
    pub fn answered_by(&self, answers: Arc<dyn Answers>) -> Self {
        Self { answers: Some(answers), ..self.clone() }
    }

    /// The same with as many rows in its tables and on its pages as it states for long answers.
    #[must_use]
    pub fn lengthened(&self) -> Self {
        let mut long = self.clone();
        for table in long.tables.values_mut() {
            table.rows = table.long.unwrap_or(table.rows);
        }
        for step in long.functions.values_mut().flat_map(|it| &mut it.steps) {
            if let Step::Page { size, long: Some(longer), .. } = step {
                size.clone_from(longer);
            }
        }
        long
    }

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
    use super::*;
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

    fn function(name: &str, domain: &str, overlap: &[&str]) -> Function {
        let exact = |exact| Param { exact, ..Param::default() };
        Function {
            name: name.to_owned(),
            domain: domain.to_owned(),
            description: String::new(),
            free: false,
            forgiven: false,
            free_when: Object::new(),
            overlap: overlap.iter().map(|group| (*group).to_owned()).collect(),
            parameters: IndexMap::from([("a".to_owned(), exact(true)), ("b".to_owned(), exact(false))]),
            data: String::new(),
            goal_fields: Vec::new(),
            picks: IndexMap::new(),
            tallies: IndexMap::new(),
            forks: IndexMap::new(),
            sayings: Sayings::default(),
            errors: IndexMap::new(),
            live: false,
            writes: false,
            steps: Vec::new(),
            give: Node::Fixed(Value::Null),
        }
    }

    fn world() -> Declaration {
        let functions = [
            function("F", "x", &["g", "h"]),
            function("G", "x", &["h"]),
            function("H", "y", &["g"]),
            function("I", "y", &[]),
        ];
        let functions = functions.into_iter().map(|function| (function.name.clone(), function)).collect();
        Declaration { functions, ..Declaration::default() }
    }

    #[test]
    fn domains_stand_once_each_in_the_order_of_their_functions() {
        let world = world();
        assert_eq!(world.domains(), ["x", "y"]);
        assert_eq!(world.of_domain("y").map(|function| function.name.as_str()).collect::<Vec<_>>(), ["H", "I"]);
        assert_eq!((world.of_domain("z").count(), Declaration::default().domains().len()), (0, 0));
    }

    #[test]
    fn functions_overlap_where_they_share_a_group_whoever_is_asked_first() {
        let world = world();
        let names = ["F", "G", "H", "I", "none"];
        let pairs: Vec<(&str, &str)> = names
            .iter()
            .flat_map(|one| names.map(|other| (*one, other)))
            .filter(|(one, other)| world.overlap(one, other))
            .collect();
        assert_eq!(pairs, [("F", "G"), ("F", "H"), ("G", "F"), ("H", "F")]);
    }

    #[test]
    fn every_function_has_its_list_of_exact_parameters() {
        let exact = world().exact_parameters();
        assert!(exact.len() == 4 && exact.values().all(|names| names == &["a"]));
    }

    #[test]
    fn a_format_shows_a_text_of_its_kind() {
        let shown = Format::ALL.map(|(word, format)| format!("{word} {}", format.shown()));
        assert_eq!(shown, ["date YYYY-MM-DD", "time HH:MM", "numbers 5,8"]);
    }

    #[test]
    fn a_declaration_of_nothing_has_nothing() {
        let none = Declaration::default();
        assert!(none.exact_parameters().is_empty() && !none.overlap("F", "G") && none.of_domain("x").next().is_none());
    }
}
