//! Values that the built-in model makes.

pub(crate) mod arguments;
pub(crate) mod invent;
pub(crate) mod made_values;
