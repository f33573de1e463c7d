//! Lets a model put variants of one conversation into words, all in one answer, and those with a fault once more.

use crate::failure::ItemError;
use crate::gate::check_script;
use crate::llm::tasks::read_variants;
use crate::llm::{LineDeed, NewLine, Task, Variables, VariantPlan, VariantsVariables};
use crate::record::{Draw, ItemId, Phrases, Tool};
use crate::stage::context::{Context, NOT_SENSIBLE, Question};
use crate::stage::outcome::Fault;
use crate::stage::writing::schemas;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How often variants with a fault are written once more.
pub(crate) const REPAIRS: u32 = 2;

/// Whose conversation it is.
pub(crate) struct Teller<'a> {
    pub tool: &'a Arc<Tool>,
    /// What its toolset knows to say of it.
    pub phrases: Option<Arc<Phrases>>,
    pub manner: String,
    pub situation: Option<String>,
}

/// Lets variants be written until `accept` is content with each, as often as `repairs` once more, and gives for each what it made of the lines or the last
/// fault. The letters of the plans are set here.
pub(crate) async fn write_variants<T>(
    context: &Context,
    id: &ItemId,
    teller: &Teller<'_>,
    mut plans: Vec<VariantPlan>,
    repairs: u32,
    accept: impl Fn(usize, &[NewLine]) -> Result<T, Fault>,
) -> Result<Vec<Result<(T, Vec<Draw>), ItemError>>, ItemError> {
    for (place, plan) in plans.iter_mut().enumerate() {
        plan.id = letter(place);
    }
    // Some variants have no line for a model to write.
    let is_open = |place: &usize| plans.get(*place).is_some_and(|plan| plan.lines.iter().any(|line| line.n > 0));
    let mut open: Vec<usize> = (0..plans.len()).filter(is_open).collect();
    let never = || ItemError::from(Fault::new("missing_variant", "it was never written"));
    let mut made: Vec<Result<(T, Vec<Draw>), ItemError>> = plans.iter().map(|_| Err(never())).collect();
    for place in (0..plans.len()).filter(|place| !open.contains(place)) {
        made[place] = accept(place, &[]).map(|accepted| (accepted, Vec::new())).map_err(ItemError::from);
    }
    let (mut draws, mut told) = (Vec::new(), String::new());
    for time in 0..=repairs {
        if open.is_empty() {
            break;
        }
        let question = Question { task: Task::WriteVariants, role: context.role(), item: id, asks: repairs + 1 };
        let asked: Vec<VariantPlan> = open.iter().filter_map(|place| plans.get(*place).cloned()).collect();
        let schema = Some(schemas::variants(&asked));
        let variables = |common| {
            Variables::WriteVariants(VariantsVariables {
                common,
                tool: teller.tool.clone(),
                phrases: teller.phrases.clone(),
                reference_time: context.reference_time().to_owned(),
                manner: teller.manner.clone(),
                situation: teller.situation.clone(),
                variants: asked.clone(),
            })
        };
        let (reply, draw) = context.once(&question, time, schema, &told, &variables).await?;
        draws.push(draw);
        let found: BTreeMap<String, _> = match read_variants(&reply.text) {
            Ok((found, _)) => found.into_iter().collect(),
            Err(unparsable) => {
                let fault = Fault::from(unparsable);
                context.count(fault.reason);
                told = context.explained(&fault);
                for place in &open {
                    made[*place] = Err(fault.clone().into());
                }
                continue;
            }
        };
        told.clear();
        let mut faulty = Vec::new();
        for place in open {
            let plan = &mut plans[place];
            let lines = match found.get(&plan.id) {
                None => Err(Fault::new("missing_variant", format!("variant {} is missing", plan.id))),
                Some(None) => Err(Fault::new(NOT_SENSIBLE, "the writer finds that nobody would talk like this")),
                Some(Some(lines)) => check_lines(context, plan, lines).map(|()| lines),
            };
            match lines.and_then(|lines| accept(place, lines)) {
                Ok(accepted) => made[place] = Ok((accepted, draws.clone())),
                Err(fault) => {
                    context.count(fault.reason);
                    let text = written(&found, &plan.id);
                    if fault.reason != NOT_SENSIBLE {
                        faulty.push(place);
                    }
                    note(plan, &found, context.explained(&fault));
                    made[place] = Err(ItemError::Item { fault, text });
                }
            }
        }
        open = faulty;
    }
    Ok(made)
}

/// The name of the `place`-th variant: A to Z, then A1 and so on.
pub(crate) fn letter(place: usize) -> String {
    let letter = char::from(b'A' + u8::try_from(place % 26).unwrap_or(0));
    if place < 26 { letter.to_string() } else { format!("{letter}{}", place / 26) }
}

/// What every line must be, whatever it says.
fn check_lines(context: &Context, plan: &VariantPlan, lines: &[NewLine]) -> Result<(), Fault> {
    for planned in plan.lines.iter().filter(|line| line.n > 0) {
        let n = planned.n;
        let line = lines.iter().find(|line| line.n == n);
        let line = line.ok_or_else(|| Fault::new("missing_line", format!("line {n} is missing")))?;
        let is_line = |text: &str| text.chars().any(char::is_alphanumeric);
        if !is_line(&line.text) || line.text.contains('\n') {
            return Err(Fault::new("empty_line", format!("line {n} is no text of one line")));
        }
        let points = planned.deed == LineDeed::Point;
        if points != line.message.is_some() {
            let wanted = if points { "points at no message" } else { "was not to point at a message" };
            return Err(Fault::new("message", format!("line {n} {wanted}")));
        }
        for text in std::iter::once(&line.text).chain(&line.message) {
            // What an assistant says is much the same everywhere.
            if planned.speaker == "user" {
                context.check_echo(Task::WriteVariants, text)?;
            }
            check_script(text, context.language(), None)?;
        }
    }
    Ok(())
}

type Found = BTreeMap<String, Option<Vec<NewLine>>>;

/// What was written of a variant, for the reject.
fn written(found: &Found, id: &str) -> String {
    let lines = found.get(id).and_then(Option::as_ref).into_iter().flatten();
    lines.map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Notes in a plan what is wrong, for the next asking.
fn note(plan: &mut VariantPlan, found: &Found, fault: String) {
    plan.fault = fault;
    let lines = found.get(&plan.id).and_then(Option::as_ref);
    for line in plan.lines.iter_mut().filter(|line| line.n > 0) {
        let old = lines.and_then(|lines| lines.iter().find(|it| it.n == line.n));
        line.text = old.map(|old| old.text.clone()).unwrap_or_default();
    }
}
