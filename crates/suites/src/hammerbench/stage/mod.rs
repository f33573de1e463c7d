//! The stages that make HammerBench: requests that say all or leave something out, dialogues, and their variants.

pub(crate) mod dialogue_consistency;
pub(crate) mod dialogue_lines;
pub(crate) mod external_queries;
pub(crate) mod imperfect_queries;
pub mod irrelevant_queries;
pub(crate) mod one_right_tool;
pub(crate) mod paper_lines;
pub(crate) mod perfect_queries;
pub mod pointing;
pub(crate) mod select_parameters;
pub(crate) mod slot_filling;
pub mod variant;
