//! What samples of conversations keep in their provenance.

/// The complexity that the conversation was to have.
pub const COMPLEXITY_FACT: &str = "complexity";
/// All complexities that it was found to have, parted by commas.
pub const OBSERVED_FACT: &str = "observed";
/// The calls of the agent's turn, in order: a list of objects with `name` and `arguments`.
pub const TURN_CALLS_FACT: &str = "turn_calls";
/// What the agent says in its turn.
pub const TURN_TEXT_FACT: &str = "turn_text";
