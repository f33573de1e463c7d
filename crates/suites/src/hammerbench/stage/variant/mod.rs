//! Variants of dialogues: several things at once, a value that is taken back, another matter, a value that stands elsewhere.

pub(crate) mod alternatives;
pub(crate) mod external_answers;
pub(crate) mod intent_shift;
pub(crate) mod merge_turns;
pub(crate) mod multiple_slot_values;
pub(crate) mod slot_override;
pub(crate) mod variant_lines;
pub mod write_variants;
