//! What many unit tests read, loaded once for all of them.

use crate::assets::Assets;
use crate::locale::{Language, Pack};
use crate::memo::Memo;
use crate::toolset::Toolset;
use std::sync::{Arc, LazyLock};

/// The files of the project.
pub(crate) fn assets() -> &'static Assets {
    static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets::disk(env!("CARGO_MANIFEST_DIR")));
    &ASSETS
}

/// The pack of a shipped locale.
pub(crate) fn pack(locale: &str) -> Arc<Pack> {
    static PACKS: LazyLock<Memo<Pack>> = LazyLock::new(Memo::default);
    PACKS.get(locale, || Pack::load(assets(), locale).unwrap())
}

/// The language of a shipped locale.
pub(crate) fn language(locale: &str) -> Arc<Language> {
    static LANGUAGES: LazyLock<Memo<Language>> = LazyLock::new(Memo::default);
    LANGUAGES.get(locale, || Language::load(assets(), locale).unwrap())
}

/// A shipped toolset, or one of `tests/fixtures/toolsets/`, in a locale.
pub(crate) fn toolset(path: &str, locale: &str) -> Arc<Toolset> {
    static TOOLSETS: LazyLock<Memo<Toolset>> = LazyLock::new(Memo::default);
    TOOLSETS.get(&format!("{path} {locale}"), || Toolset::load(assets(), path, locale).unwrap())
}

/// A folder of its own with these files, by their paths.
pub(crate) fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}
