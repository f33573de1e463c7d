//! Makes FunctionChat-Bench's dialogs: turns that call, tell, ask and decline, each a sample with the gold history.

use crate::failure::{ItemError, RunStopped};
use crate::functionchat::layout::TypeOfOutput;
use crate::functionchat::stage::dialog_plan::Plan;
use crate::functionchat::stage::talk::{Registers, Talk};
use crate::record::{Item, Record, RecordKind};
use crate::settings::{Amount, Count, amount, count};
use crate::stage::context::Context;
use crate::stage::facts::{Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::{Stage, Work};
use crate::stage::writing::speaker::Speaker;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Makes dialogs of given shapes; each assistant turn is a sample (FunctionChat-Bench, section 3.2).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DialogsConfig {
    /// Types of the assistant turns of each dialog shape, and the number of dialogs.
    #[serde(default = "shapes")]
    pub shapes: Vec<DialogShape>,
    /// Dialogs with one listed tool, two tools, three ...
    #[serde(default = "tools")]
    pub tools: Vec<Amount>,
    /// Turns without a tool in which the user says thanks.
    #[serde(default = "amount::<4>")]
    pub thanks: Amount,
    /// Turns without a tool with small talk or knowledge questions; the others request something that no listed tool
    /// does.
    #[serde(default = "amount::<3>")]
    pub talk: Amount,
    /// Speakers per cycle in each register, by locale: `{ ko = { banmal = 1, haeyo = 2 } }`.
    #[serde(default)]
    registers: Registers,
    /// Maximum attempts to get a usable reply, and maximum starts of a dialog, including the first.
    #[serde(default = "count::<4>")]
    asks: Count,
}

/// A dialog shape.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DialogShape {
    /// Type of each assistant turn.
    pub turns: Vec<TypeOfOutput>,
    /// Number of dialogs.
    pub count: Amount,
}

/// Shapes with exactly the numbers of turns, lengths, first turns and transitions of the authors' 45 dialogs; of which
/// shape those are is known of the four commonest alone.
fn shapes() -> Vec<DialogShape> {
    let shapes = [
        ("CMCM", 8),
        ("SCM", 7),
        ("CMR", 6),
        ("SSCM", 4),
        ("CMSCM", 3),
        ("CMSSCM", 3),
        ("SCMCMR", 3),
        ("RCMCM", 3),
        ("SCMR", 2),
        ("SCMRR", 2),
        ("CMRSCMR", 2),
        ("SCMCMCM", 1),
        ("RSSCMMCM", 1),
    ];
    let turn = |letter| match letter {
        'C' => TypeOfOutput::Call,
        'M' => TypeOfOutput::Completion,
        'S' => TypeOfOutput::Slot,
        _ => TypeOfOutput::Relevance,
    };
    let shape = |(turns, count): (&str, usize)| DialogShape {
        turns: turns.chars().map(turn).collect(),
        count: Amount::of(count),
    };
    shapes.into_iter().map(shape).collect()
}

fn tools() -> Vec<Amount> {
    let counts = [4, 4, 5, 8, 8, 5, 5, 4, 2];
    counts.into_iter().map(Amount::of).collect()
}

impl Stage for DialogsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("dialogs", &[RecordKind::Tool], RecordKind::Sample).asks("generator")
    }

    fn settings(&self) -> Settings<'_> {
        Settings { conflicts: self.conflicts(), ..Settings::default() }
    }

    fn data_types(&self, _incoming: Vec<String>) -> Vec<String> {
        let turns = self.shapes.iter().filter(|shape| shape.count.get() > 0).flat_map(|shape| &shape.turns);
        let types: BTreeSet<&str> = turns.map(|turn| turn.as_str()).collect();
        types.into_iter().map(str::to_owned).collect()
    }

    /// The dialogs that begin with a request for this tool.
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Tool(tool) = &item.record else { return Ok(Outcome::keep(item)) };
            let mut outcome = Outcome::default();
            let begins = |plan: &Plan| plan.functions.first().is_some_and(|first| first.name == tool.name);
            for plan in Plan::all(context, self).into_iter().filter(begins) {
                outcome.add(self.dialog(context, &item, &plan).await?);
            }
            Ok(outcome)
        })
    }
}

/// Why no dialog can go so.
fn unsound(turns: &[TypeOfOutput]) -> Option<&'static str> {
    use TypeOfOutput::{Call, Completion, Slot};
    let next = |at: usize| turns.get(at + 1);
    for (at, turn) in turns.iter().enumerate() {
        match (turn, next(at)) {
            (Call, Some(Completion)) => {}
            (Call, _) => return Some("a `completion` must follow each `call`"),
            (Slot, Some(Slot | Call)) => {}
            (Slot, _) => return Some("a `slot` must be followed by a `call`"),
            (Completion, _) if at == 0 || !matches!(turns[at - 1], Call | Completion) => {
                return Some("a `completion` must follow a `call`");
            }
            _ => {}
        }
    }
    (!turns.contains(&Call)).then_some("no `call`")
}

impl DialogsConfig {
    fn conflicts(&self) -> Vec<(&'static str, String)> {
        let dialogs: usize = self.shapes.iter().map(|shape| shape.count.get()).sum();
        let shown: usize = self.tools.iter().map(|amount| amount.get()).sum();
        let mut conflicts = Vec::new();
        if dialogs != shown {
            conflicts.push(("tools", format!("`tools` covers {shown} dialogs, but `shapes` has {dialogs}")));
        }
        let unsound = self.shapes.iter().filter_map(|shape| Some((shape, unsound(&shape.turns)?)));
        conflicts.extend(unsound.map(|(shape, fault)| {
            let turns = shape.turns.iter().map(|turn| turn.as_str()).collect::<Vec<_>>().join(", ");
            ("shapes", format!("invalid dialog shape `{turns}`: {fault}"))
        }));
        conflicts
    }

    /// Talks until a dialog comes to its end, at most `asks` times.
    async fn dialog(&self, context: &Context, item: &Item, plan: &Plan) -> Result<Outcome, RunStopped> {
        let id = item.id.child(context.stage(), plan.number);
        let register = self.registers.of(context, plan.number)?;
        let mut last = (Fault::new("never_made", "never tried"), String::new());
        for again in 0..self.asks.get() {
            let speaker = Speaker::new(context, id.child("try", again), self.asks.as_draws()).speaking(register);
            match Talk::new(context, plan, &id, speaker, self.asks).through().await {
                Ok(talk) => return Ok(Outcome { kept: talk.items(item), rejected: Vec::new() }),
                Err(ItemError::Stopped(stop)) => return Err(stop),
                Err(ItemError::Item { fault, text }) => last = (fault, text),
            }
        }
        Ok(context.reject(&id, last.0, last.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;

    fn conflicts(text: &str) -> Vec<String> {
        let config: DialogsConfig = read_text(text).unwrap();
        config.conflicts().into_iter().map(|(key, message)| format!("{key}: {message}")).collect()
    }

    #[test]
    fn the_default_is_45_sound_dialogs() {
        let config: DialogsConfig = read_text("").unwrap();
        assert_eq!(config.shapes.iter().map(|shape| shape.count.get()).sum::<usize>(), 45);
        assert!(conflicts("").is_empty());
    }

    #[test]
    fn shapes_that_no_dialog_can_have_are_refused() {
        let of = |turns: &str| conflicts(&format!("shapes = [{{ turns = [{turns}], count = 2 }}]\ntools = [2]"));
        assert!(of("\"slot\", \"call\", \"completion\", \"relevance\"").is_empty());
        assert_eq!(of("\"call\""), ["shapes: invalid dialog shape `call`: a `completion` must follow each `call`"]);
        for turns in
            ["\"slot\"", "\"relevance\"", "\"completion\"", "\"slot\", \"completion\"", "\"relevance\", \"completion\""]
        {
            assert_eq!(of(turns).len(), 1, "{turns}");
        }
        assert!(read_text::<DialogsConfig>("shapes = [{ turns = [\"sing\"], count = 1 }]").is_err());
    }

    #[test]
    fn as_many_dialogs_must_show_tools_as_there_are() {
        let text = "shapes = [{ turns = [\"call\", \"completion\"], count = 3 }]\ntools = [1, 1]";
        assert_eq!(conflicts(text), ["tools: `tools` covers 2 dialogs, but `shapes` has 3"]);
    }
}
