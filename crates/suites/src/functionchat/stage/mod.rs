//! The stages that make FunctionChat-Bench: single calls, dialogs, decisions whether to call.

pub(crate) mod acceptable_arguments;
pub(crate) mod alike;
pub(crate) mod call_decisions;
pub(crate) mod dialog_plan;
pub(crate) mod dialogs;
pub(crate) mod lists;
pub(crate) mod single_calls;
pub(crate) mod talk;
pub(crate) mod tool_list;
pub(crate) mod tool_lists;
