//! What a file of a declared world may hold, as `world/<domain>.toml` writes it.

use super::functions::quality::{QualityText, TallyText};
use super::steps::pick::PickText;
use super::steps::reader::Text;
use super::steps::template::{NodeText, Parts};
use fcgen_core::record::Constraint;
use indexmap::IndexMap;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::Spanned;

/// A file.
#[derive(Debug, Clone, Default)]
pub(super) struct FileText {
    pub(super) settings: SettingsText,
    pub(super) tables: IndexMap<String, Spanned<TableText>>,
    pub(super) functions: IndexMap<String, Spanned<FunctionText>>,
    pub(super) steps: IndexMap<String, Spanned<Vec<Spanned<StepText>>>>,
    pub(super) parts: Parts,
}

/// What holds for the whole toolset; one file may have it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SettingsText {
    pub(super) today: Option<Text>,
    pub(super) success: Option<Spanned<NodeText>>,
    pub(super) failure: Option<Spanned<NodeText>>,
    #[serde(default)]
    pub(super) named: IndexMap<String, Text>,
}

/// A table.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TableText {
    #[serde(default)]
    pub(super) from: Option<Text>,
    #[serde(default)]
    pub(super) key: Option<Text>,
    #[serde(default)]
    pub(super) rows: Option<usize>,
    #[serde(default)]
    pub(super) long: Option<usize>,
    #[serde(default)]
    pub(super) each: IndexMap<String, Text>,
    #[serde(default)]
    pub(super) columns: IndexMap<String, Spanned<ColumnText>>,
}

/// A column; exactly one key says where its values come from, the others refine it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ColumnText {
    pub(super) kind: Option<Text>,
    pub(super) unique: bool,
    pub(super) of: Option<Text>,
    #[serde(deserialize_with = "two")]
    pub(super) range: Option<[f64; 2]>,
    pub(super) step: Option<f64>,
    pub(super) one_of: Option<Vec<toml::Value>>,
    pub(super) some_of: Option<Vec<toml::Value>>,
    #[serde(deserialize_with = "two")]
    pub(super) count: Option<[usize; 2]>,
    pub(super) chance: Option<f64>,
    pub(super) shape: Option<Text>,
    pub(super) slug: Option<Vec<Vec<String>>>,
    pub(super) token: Option<usize>,
    pub(super) near: Option<Text>,
    pub(super) within: Option<f64>,
    #[serde(deserialize_with = "two")]
    pub(super) days: Option<[Text; 2]>,
    #[serde(deserialize_with = "two")]
    pub(super) times: Option<[Text; 2]>,
    pub(super) value: Option<Text>,
}

/// A function.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FunctionText {
    #[serde(default)]
    pub(super) free: bool,
    #[serde(default)]
    pub(super) forgiven: Option<bool>,
    #[serde(default)]
    pub(super) free_when: IndexMap<String, Text>,
    #[serde(default)]
    pub(super) overlap: Vec<String>,
    #[serde(default)]
    pub(super) goal_fields: Vec<String>,
    #[serde(default)]
    pub(super) parameters: IndexMap<String, Spanned<ParameterText>>,
    #[serde(default)]
    pub(super) picks: IndexMap<String, Spanned<PickText>>,
    /// What its items may be or have, and with which picks a choice may hang on that.
    #[serde(default)]
    pub(super) qualities: IndexMap<String, Spanned<QualityText>>,
    /// What its lists come to.
    #[serde(default)]
    pub(super) tallies: IndexMap<String, Spanned<TallyText>>,
    #[serde(default)]
    pub(super) steps: Vec<Spanned<StepText>>,
    /// Whether a live server answers; `give` then only shows what an answer looks like.
    #[serde(default)]
    pub(super) live: bool,
    /// Whether a live call may change something.
    #[serde(default)]
    pub(super) writes: bool,
    pub(super) give: Spanned<NodeText>,
}

/// A parameter.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ParameterText {
    #[serde(rename = "type")]
    pub(super) type_name: Option<Text>,
    pub(super) required: bool,
    pub(super) default: Option<toml::Value>,
    #[serde(rename = "enum")]
    pub(super) listed: Option<Vec<toml::Value>>,
    #[serde(deserialize_with = "two")]
    pub(super) range: Option<[f64; 2]>,
    pub(super) format: Option<Text>,
    pub(super) of: Option<Text>,
    pub(super) kind: Option<Text>,
    pub(super) constraint: Option<Constraint>,
    pub(super) from: Vec<Text>,
    pub(super) values: Vec<Text>,
    pub(super) exact: bool,
    pub(super) set: bool,
    pub(super) protected: bool,
    pub(super) after: Option<Text>,
    pub(super) days: Option<[u32; 2]>,
    pub(super) length: Option<String>,
    pub(super) like: Option<Text>,
    pub(super) near: Option<Text>,
    pub(super) drawn: Option<[f64; 2]>,
    pub(super) drawn_step: Option<f64>,
    pub(super) fields: IndexMap<String, Spanned<ParameterText>>,
}

/// A step; exactly one key says what it does, the others refine it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct StepText {
    #[serde(rename = "use")]
    pub(super) run: Option<Text>,
    #[serde(rename = "let")]
    pub(super) names: Option<IndexMap<String, Text>>,
    pub(super) require: Option<Text>,
    pub(super) parameter: Option<Text>,
    pub(super) error: Option<Text>,
    pub(super) open: Option<Text>,
    pub(super) from: Option<Tables>,
    pub(super) by: Option<IndexMap<String, Text>>,
    pub(super) each: Option<Text>,
    pub(super) keep: Option<Text>,
    #[serde(rename = "where")]
    pub(super) holds: Option<Text>,
    pub(super) when: Option<Text>,
    pub(super) find: Option<Text>,
    pub(super) within: Option<Vec<Text>>,
    pub(super) nearest: Option<bool>,
    pub(super) filters: Option<Text>,
    pub(super) join: Option<Text>,
    pub(super) on: Option<Text>,
    pub(super) gather: Option<Text>,
    pub(super) combine: Option<Text>,
    pub(super) into: Option<Text>,
    pub(super) steps: Option<Vec<Spanned<StepText>>>,
    #[serde(rename = "as")]
    pub(super) name: Option<Text>,
    pub(super) compute: Option<IndexMap<String, Text>>,
    pub(super) seal: Option<Text>,
    pub(super) mark: Option<Text>,
    pub(super) length: Option<usize>,
    pub(super) holding: Option<IndexMap<String, Text>>,
    pub(super) sort: Option<Text>,
    pub(super) orders: Option<IndexMap<String, Vec<Text>>>,
    pub(super) page: Option<Text>,
    pub(super) size: Option<Text>,
    pub(super) long: Option<Text>,
    pub(super) one: Option<Text>,
    pub(super) insert: Option<Text>,
    pub(super) update: Option<Text>,
    pub(super) delete: Option<Text>,
    pub(super) values: Option<IndexMap<String, Text>>,
}

/// Exactly two values; a third would be passed over without a word.
fn two<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<[T; 2]>, D::Error> {
    let values = Vec::<T>::deserialize(deserializer)?;
    let told = |values: Vec<T>| D::Error::custom(format!("expected two values, found {}", values.len()));
    values.try_into().map(Some).map_err(told)
}

/// The tables that rows are taken from.
pub(super) type Tables = Spanned<Vec<Text>>;

impl StepText {
    /// The keys that are there.
    pub(super) fn keys(&self) -> Vec<&'static str> {
        let keys = [
            ("use", self.run.is_some()),
            ("let", self.names.is_some()),
            ("require", self.require.is_some()),
            ("parameter", self.parameter.is_some()),
            ("error", self.error.is_some()),
            ("open", self.open.is_some()),
            ("from", self.from.is_some()),
            ("by", self.by.is_some()),
            ("each", self.each.is_some()),
            ("keep", self.keep.is_some()),
            ("where", self.holds.is_some()),
            ("when", self.when.is_some()),
            ("find", self.find.is_some()),
            ("within", self.within.is_some()),
            ("nearest", self.nearest.is_some()),
            ("filters", self.filters.is_some()),
            ("join", self.join.is_some()),
            ("on", self.on.is_some()),
            ("gather", self.gather.is_some()),
            ("combine", self.combine.is_some()),
            ("into", self.into.is_some()),
            ("steps", self.steps.is_some()),
            ("as", self.name.is_some()),
            ("compute", self.compute.is_some()),
            ("seal", self.seal.is_some()),
            ("mark", self.mark.is_some()),
            ("length", self.length.is_some()),
            ("holding", self.holding.is_some()),
            ("sort", self.sort.is_some()),
            ("orders", self.orders.is_some()),
            ("page", self.page.is_some()),
            ("size", self.size.is_some()),
            ("one", self.one.is_some()),
            ("insert", self.insert.is_some()),
            ("update", self.update.is_some()),
            ("delete", self.delete.is_some()),
            ("values", self.values.is_some()),
        ];
        keys.into_iter().filter(|(_, there)| *there).map(|(key, _)| key).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::steps::step::FORMS;
    use crate::toolset::declared::testing::told;
    use std::collections::BTreeSet;

    /// Every key of a step, with a value of its kind.
    const STEP: &str = r#"
        use = "s"
        let = { a = "1" }
        require = "true"
        parameter = "x"
        error = "no"
        open = "x"
        from = ["places"]
        by = { side = "x" }
        each = "list"
        keep = "k"
        where = "true"
        when = "true"
        find = "x"
        within = ["row.id"]
        nearest = true
        filters = "x"
        join = "places"
        on = "row.id"
        gather = "g"
        combine = "list"
        into = "i"
        steps = [{ keep = "k" }]
        as = "a"
        compute = { a = "1" }
        seal = "t"
        mark = "m"
        length = 9
        holding = { a = "x" }
        sort = "x"
        orders = { a = ["row.id"] }
        page = "1"
        size = "2"
        one = "x"
        insert = "notes"
        update = "notes"
        delete = "notes"
        values = { text = "x" }
    "#;

    #[test]
    fn a_step_knows_every_key_that_it_may_have() {
        let step: StepText = toml::from_str(STEP).unwrap();
        let given: Vec<&str> = STEP.lines().filter_map(|line| Some(line.trim().split_once(" = ")?.0)).collect();
        assert_eq!(step.keys(), given);
        assert!(StepText::default().keys().is_empty());
        let forms = FORMS.iter().flat_map(|(name, wanted, besides)| [&[*name], *wanted, *besides].concat());
        let forms: BTreeSet<&str> = forms.collect();
        assert_eq!(forms, given.into_iter().collect(), "every key belongs to a form, and the other way round");
    }

    #[test]
    fn every_key_by_itself_is_the_only_one() {
        for line in STEP.lines().filter(|line| line.contains(" = ")) {
            let step: StepText = toml::from_str(line.trim()).unwrap();
            assert_eq!(step.keys(), [line.trim().split_once(" = ").unwrap().0]);
        }
    }

    #[test]
    fn what_is_left_out_is_absent() {
        let table: TableText = toml::from_str("").unwrap();
        assert!(table.from.is_none() && table.key.is_none() && table.rows.is_none() && table.each.is_empty());
        let function: FunctionText = toml::from_str("give = 1").unwrap();
        assert!(!function.free && function.forgiven.is_none() && function.free_when.is_empty());
        assert!(function.overlap.is_empty() && function.parameters.is_empty() && function.steps.is_empty());
        let parameter: ParameterText = toml::from_str("").unwrap();
        assert!(parameter.type_name.is_none() && !parameter.required && parameter.default.is_none());
        assert!(parameter.listed.is_none() && parameter.range.is_none() && !parameter.exact && !parameter.set);
        let column: ColumnText = toml::from_str("").unwrap();
        assert!(column.kind.is_none() && !column.unique && column.value.is_none() && column.times.is_none());
        let settings: SettingsText = toml::from_str("").unwrap();
        assert!(settings.today.is_none() && settings.success.is_none() && settings.failure.is_none());
    }

    #[test]
    fn every_key_of_a_column_and_a_parameter_is_read() {
        let column: ColumnText = toml::from_str(
            "kind = \"k\"\nunique = true\nof = \"t\"\nrange = [1, 2.5]\nstep = 0.5\none_of = [1, \"a\"]\nsome_of = [true]\ncount = [0, 1]\n\
             chance = 0.5\nshape = \"A#\"\nslug = [[\"a\"]]\ntoken = 9\nnear = \"x\"\nwithin = 0.1\ndays = [\"a\", \"b\"]\ntimes = [\"c\", \"d\"]\nvalue = \"v\"",
        )
        .unwrap();
        assert_eq!((column.range, column.step, column.count), (Some([1.0, 2.5]), Some(0.5), Some([0, 1])));
        assert_eq!(
            (column.one_of.unwrap().len(), column.token, column.slug.unwrap()),
            (2, Some(9), vec![vec!["a".to_owned()]])
        );
        assert_eq!(column.times.unwrap()[1].get_ref(), "d");
        let parameter: ParameterText = toml::from_str(
            "type = \"number\"\nrequired = true\ndefault = 2\nenum = [1, 2]\nrange = [1, 8]\nformat = \"date\"\nof = \"t\"\nkind = \"k\"\n\
             constraint = \"sort_by\"\nfrom = [\"F: a\"]\nvalues = [\"t.a\"]\nexact = true\nset = true\nprotected = true\nfields = { a = {} }",
        )
        .unwrap();
        assert_eq!((parameter.constraint, parameter.fields.len()), (Some(Constraint::SortBy), 1));
        assert_eq!(
            (parameter.from[0].get_ref().as_str(), parameter.values.len(), parameter.protected),
            ("F: a", 1, true)
        );
    }

    #[test]
    fn a_key_that_nobody_knows_and_a_value_of_another_kind_are_told_with_their_lines() {
        insta::assert_snapshot!(told(&[
            ("today = \"2024-10-13\"", "today = 2024"),
            ("today = \"2024-10-13\"", "now = \"2024-10-13\""),
            ("[tables.bookings]\nrows = 0", "[tables.bookings]\nrows = -1"),
            ("[tables.bookings]\nrows = 0", "[tables.bookings]\nrow = 0"),
            ("stars = { range = [1, 5] }", "stars = { range = [1, 5, 9] }"),
            ("count = [1, 2]", "count = [1]"),
            ("days = [\"1900-01-01\", \"1999-12-31\"]", "days = [\"1900-01-01\", \"1999-12-31\", \"2000-01-01\"]"),
            ("default = 2, range = [1, 8]", "default = 2, range = [1, 8, 9]"),
            ("stars = { range = [1, 5] }", "stars = { ranges = [1, 5] }"),
            ("free = true\noverlap", "free = \"yes\"\noverlap"),
            ("free_when = { sort = \"stars\" }", "free_when = \"stars\""),
            ("{ one = \"token\" }", "{ one = [\"token\"] }"),
            ("{ one = \"token\" }", "\"one\""),
            ("guests = { type = \"number\", default = 2", "guests = { type = \"number\", defualt = 2"),
            ("constraint = \"people\"", "constraint = \"persons\""),
            ("[parts]\n", "[part]\n"),
            ("[functions.Book_Inn]\n", "[functions.Book_Inn]\nstep = 1\n"),
        ]));
    }
}
