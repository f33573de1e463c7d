//! Lessons: what samples teach, in one form for every trainer.

pub(crate) mod faults;
pub(crate) mod lesson;
pub(crate) mod sources;
pub(crate) mod teach;
pub(crate) mod wording;
