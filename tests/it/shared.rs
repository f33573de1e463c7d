//! The authors' data, where it lies beside the repository (`../shared`) or below the folder that `FCGEN_SHARED` names.

use std::path::{Path, PathBuf};

/// The folder, whether it is there or not.
pub(crate) fn shared() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    std::env::var_os("FCGEN_SHARED").map_or(beside, PathBuf::from)
}

/// A folder of the published data, if it is there.
#[expect(clippy::print_stdout, reason = "a test that compared nothing should say so")]
pub(crate) fn upstream(path: &str) -> Option<PathBuf> {
    let folder = shared().join("upstream").join(path);
    if !folder.is_dir() {
        println!("skipped: no {}", folder.display());
    }
    folder.is_dir().then_some(folder)
}
