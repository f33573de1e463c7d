//! How each suite's files of predictions are scored.

pub(crate) mod bfcl;
pub(crate) mod callnavi;
pub(crate) mod complexfunc;
pub(crate) mod confetti;
pub(crate) mod functionchat;
pub(crate) mod hammerbench;
pub(crate) mod metric;
