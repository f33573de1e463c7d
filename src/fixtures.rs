//! What many unit tests read, loaded once for all of them.

pub(crate) use fcgen_tools::fixtures::{any_value, assets, language, pack, toolset};
