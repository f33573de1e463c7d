//! Groups of flags that several commands share.

pub(crate) mod judge;
pub(crate) mod model_flags;
pub(crate) mod navigation;
pub(crate) mod out;
pub(crate) mod paradigm;
pub(crate) mod referee;
pub(crate) mod rows;
