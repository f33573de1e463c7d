//! `--out` and `--overwrite`: where a run is written.

use clap::Args;
use fcgen::run::Options;
use std::path::{Path, PathBuf};

/// Flags that say where a run is written.
#[derive(Debug, Default, Args)]
pub(crate) struct OutArguments {
    /// Output folder; default: output/NAME-LOCALE
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Replace a run of another file, seed or model in the output folder; cached replies are kept
    #[arg(long)]
    overwrite: bool,
}

impl OutArguments {
    /// A run into that folder, or into the one of this name below `output/`.
    pub(crate) fn options(&self, name: &str) -> Options {
        let out = self.out.clone().unwrap_or_else(|| Path::new("output").join(name));
        Options { overwrite: self.overwrite, ..Options::new(out) }
    }
}
