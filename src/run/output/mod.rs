//! What a run writes: samples, rejects, the authors' files, banks, the manifest.

pub(crate) mod banks;
pub(crate) mod benchmark;
pub(crate) mod defects;
pub(crate) mod emit;
pub(crate) mod empty;
pub(crate) mod functionchat_files;
pub(crate) mod manifest;
pub(crate) mod shelf;
pub(crate) mod suite_files;
