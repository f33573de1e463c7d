//! What many unit tests read, loaded once for all of them.

use crate::toolset::Toolset;
pub use fcgen_core::fixtures::{any_value, assets, folder, language, pack};
use fcgen_core::memo::Memo;
use std::sync::{Arc, LazyLock};

/// A shipped toolset, or one of `tests/fixtures/toolsets/`, in a locale.
pub fn toolset(path: &str, locale: &str) -> Arc<Toolset> {
    static TOOLSETS: LazyLock<Memo<Toolset>> = LazyLock::new(Memo::default);
    let load = || Toolset::load(assets(), path, locale).unwrap_or_else(|error| panic!("{error}"));
    TOOLSETS.get(&format!("{path} {locale}"), load)
}
