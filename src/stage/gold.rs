//! Whether the gold of a request in several steps is right, by what the run knows of its functions.

use super::context::Context;
use super::outcome::Fault;
use crate::gate::Gold;
use crate::record::{Step, Tool};
use crate::suite::complexfunc::FunctionFacts;
use std::sync::Arc;

/// Checks calls, arguments and the closing answer; an empty answer is not judged. What a request that was planned asks for
/// is declared by its functions; what others ask for is seen from what they are told.
pub(super) fn check_gold(
    context: &Context,
    tools: &[Arc<Tool>],
    (request, steps, answer): (&str, &[Step], &str),
    is_planned: bool,
) -> Result<(), Fault> {
    let facts = context.toolset().world.as_deref().map(FunctionFacts::of);
    let FunctionFacts { mut goal_fields, changes, .. } = facts.unwrap_or_default();
    if !is_planned {
        goal_fields.clear();
    }
    let language = context.language();
    Gold { request, steps, answer, tools, goal_fields: &goal_fields, changes: &changes, language }.check()
}
