//! What a file of a declared world may hold, as `world/<domain>.toml` writes it.

use super::constraint::Constraint;
use super::reader::Text;
use super::template::{NodeText, Parts};
use indexmap::IndexMap;
use serde::Deserialize;
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
    pub(super) range: Option<[f64; 2]>,
    pub(super) step: Option<f64>,
    pub(super) one_of: Option<Vec<toml::Value>>,
    pub(super) some_of: Option<Vec<toml::Value>>,
    pub(super) count: Option<[usize; 2]>,
    pub(super) chance: Option<f64>,
    pub(super) shape: Option<Text>,
    pub(super) slug: Option<Vec<Vec<String>>>,
    pub(super) token: Option<usize>,
    pub(super) near: Option<Text>,
    pub(super) within: Option<f64>,
    pub(super) days: Option<[Text; 2]>,
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
    pub(super) parameters: IndexMap<String, Spanned<ParameterText>>,
    #[serde(default)]
    pub(super) steps: Vec<Spanned<StepText>>,
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
    pub(super) one: Option<Text>,
    pub(super) insert: Option<Text>,
    pub(super) update: Option<Text>,
    pub(super) delete: Option<Text>,
    pub(super) values: Option<IndexMap<String, Text>>,
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
