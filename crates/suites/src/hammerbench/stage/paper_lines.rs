//! The wording of variants by the templates of HammerBench's authors.

use crate::gate::check_parameters;
use crate::locale::Pattern;
use crate::record::{ArgumentNotes, Chance, Dialogue, FunctionCall, TurnAct, TurnPlan, Value};
use crate::stage::context::Context;
use crate::stage::outcome::Fault;

/// The words that take a value back, change it or want the same with another one, and the notes on the new value.
pub(crate) fn changed(
    context: &Context,
    dialogue: &Dialogue,
    at: usize,
    plan: &TurnPlan,
) -> Result<(String, ArgumentNotes), Fault> {
    let unknown = || Fault::new("no_change", "no other value is known");
    let turn = dialogue.turns.get(at).ok_or_else(unknown)?;
    let name = plan.takes_back.keys().next().ok_or_else(unknown)?;
    let value = turn.call.as_ref().and_then(|call| call.arguments.get(name)).ok_or_else(unknown)?;
    let said = plan.said.get(name).and_then(|said| said.first()).cloned();
    let words = said.unwrap_or_else(|| match value {
        Value::String(text) => text.to_lowercase(),
        value => value.to_string(),
    });
    let paper = &context.pack().dialogue.paper;
    let template = match plan.act {
        TurnAct::Correct => &paper.correction,
        TurnAct::Change => &paper.late_correction,
        _ => &paper.again,
    };
    let description = dialogue.tool.about(name);
    let text = rendered(context, template, &[("description", &description), ("value", &words)]);
    let alone = FunctionCall {
        name: dialogue.tool.name.clone(),
        arguments: std::iter::once((name.clone(), value.clone())).collect(),
    };
    let notes = match check_parameters(&dialogue.tool, std::slice::from_ref(name), &alone, &text, context.language()) {
        Ok(notes) => notes,
        // The template says a flag as `is true`, which nobody else does.
        Err(_) if value.as_bool().is_some() => ArgumentNotes::new(),
        Err(fault) => return Err(fault),
    };
    // The authors put nothing between an answer and what takes it back.
    let before = if plan.act == TurnAct::Correct { turn.text.as_str() } else { "" };
    Ok((format!("{before}{text}"), notes))
}

/// The words that announce another request.
pub(crate) fn shifted(context: &Context, request: &str) -> String {
    rendered(context, &context.pack().dialogue.paper.shift, &[("query", request)])
}

fn rendered(context: &Context, template: &Pattern, words: &[(&str, &str)]) -> String {
    // A template has no choices.
    context.pack().rendered(template, words, &mut Chance::of(&[]))
}
