//! The authors' items as samples: one sample for each user turn.

use crate::format::hammerbench::{HammerCall, HammerContent, HammerItem, HammerTool};
use crate::record::{
    ArgumentNotes, DataType, Expected, FunctionCall, ItemId, Message, Parameter, Parameters, Provenance, Review, Role,
    Sample, Snapshot, Tool, Value,
};
use std::sync::Arc;

/// What an item is beside what it says: a file says it of all its items.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin<'a> {
    /// The data type, with `_`.
    pub(super) data_type: &'a str,
    /// The conversation's number; for single-turn items their place in the file.
    pub(super) number: u64,
    /// The locale.
    pub(super) locale: &'a str,
    /// User turns, from 0, in which the transformation sits.
    pub(super) marked: &'a [usize],
}

/// The fact of a sample's provenance that keeps the words of a refusal.
pub(super) const REFUSAL: &str = "refusal";

/// The samples of an item, one for each user turn that has a label; a fault where the turns are in no order.
pub(super) fn samples(item: &HammerItem, origin: Origin<'_>) -> Result<Vec<Sample>, String> {
    let mut work = Work { item, origin, messages: Vec::new(), samples: Vec::new() };
    let tools: Vec<Arc<Tool>> = item.multiple_tools.iter().map(|tool| Arc::new(shown(tool))).collect();
    for (index, message) in item.messages.iter().enumerate() {
        let is_last = index + 1 == item.messages.len();
        match (message.role.as_str(), &message.content) {
            ("function call", HammerContent::Call(call)) if work.is_open() => work.close(Some(call), None, &tools),
            ("assistant", HammerContent::Text(text)) if work.is_open() && is_last => {
                work.close(None, Some(text), &tools);
            }
            ("user", HammerContent::Text(text)) => work.messages.push(Message::user(text)),
            ("assistant", HammerContent::Text(text)) => work.messages.push(Message::new(Role::Assistant, text)),
            (role, _) => return Err(format!("message {} has no place there: role `{role}`", index + 1)),
        }
    }
    Ok(work.finish())
}

struct Work<'a> {
    item: &'a HammerItem,
    origin: Origin<'a>,
    messages: Vec<Message>,
    samples: Vec<Sample>,
}

impl Work<'_> {
    /// Whether a user turn waits for its label.
    fn is_open(&self) -> bool {
        self.messages.last().is_some_and(|message| message.role == Role::User)
    }

    fn close(&mut self, call: Option<&HammerCall>, refusal: Option<&str>, tools: &[Arc<Tool>]) {
        let Origin { data_type, number, locale, marked } = self.origin;
        let at = self.samples.len();
        let is_twin = data_type.starts_with("ir_");
        let call = call.map(|call| called(call));
        let mut provenance = Provenance::default();
        provenance.facts.extend(refusal.map(|refusal| (REFUSAL.to_owned(), refusal.to_owned())));
        let single = data_type.starts_with("ST_") || is_twin;
        let conversation = ItemId::root(format!("{data_type}/{number}"));
        let (expected, label) = match call {
            Some(call) if is_twin => (Expected::Refusal, Some(call)),
            Some(call) => (Expected::Call(call), None),
            None => (Expected::Refusal, None),
        };
        let gold = self.gold(&expected, label.as_ref());
        let place = Snapshot {
            conversation: conversation.clone(),
            turn: ordinal(at + 1),
            turns: 0,
            marked: marked.contains(&at),
            tool: gold.clone(),
        };
        self.samples.push(Sample {
            id: if single { conversation } else { conversation.child("turn", at) },
            suite: "hammerbench".to_owned(),
            data_type: DataType(data_type.to_owned()),
            locale: locale.to_owned(),
            reference_time: None,
            messages: self.messages.clone(),
            candidates: tools.to_vec(),
            expected,
            arguments: ArgumentNotes::new(),
            acceptable: indexmap::IndexMap::new(),
            difficulty: None,
            tags: Vec::new(),
            group: gold,
            base: base(data_type, number),
            snapshot: (!single).then_some(place),
            label,
            authors_candidates: None,
            review: Review::Unreviewed,
            licence: "Apache-2.0".to_owned(),
            source: "hammerbench".to_owned(),
            provenance,
        });
    }

    /// The tool that the conversation is about.
    fn gold(&self, expected: &Expected, label: Option<&FunctionCall>) -> String {
        let own = match expected {
            Expected::Call(call) => Some(&call.name),
            _ => label.map(|call| &call.name),
        };
        let shown = self.item.single_tool.as_ref().and_then(|tools| tools.first()).map(|tool| &tool.name);
        own.or(shown).cloned().unwrap_or_default()
    }

    /// Every snapshot learns how many there are; the shift of an intent marks itself.
    fn finish(mut self) -> Vec<Sample> {
        let turns = ordinal(self.samples.len());
        let last_is_marked = matches!(self.origin.data_type, "IS" | "mSv");
        for place in self.samples.iter_mut().filter_map(|sample| sample.snapshot.as_mut()) {
            place.turns = turns;
            place.marked |= last_is_marked && place.turn == turns;
        }
        self.samples
    }
}

/// A twin's base is its query, a variant's the conversation of its number.
fn base(data_type: &str, number: u64) -> Option<ItemId> {
    let of = match data_type {
        "Based" => return None,
        _ if data_type.starts_with("ST_") => return None,
        _ => data_type.strip_prefix("ir_").unwrap_or("Based"),
    };
    Some(ItemId::root(format!("{of}/{number}")))
}

fn called(call: &HammerCall) -> FunctionCall {
    let arguments = call.arguments.iter().map(|(name, value)| (name.clone(), Value::from(value.clone())));
    FunctionCall { name: call.name.clone(), arguments: arguments.collect() }
}

fn shown(tool: &HammerTool) -> Tool {
    let properties = tool.parameters.properties.iter().map(|(name, parameter)| {
        let kind = Some(serde_json::Value::from(parameter.kind.as_str()));
        let description = Some(parameter.description.clone());
        (name.clone(), Parameter { kind, description, ..Parameter::default() })
    });
    let parameters = Parameters {
        kind: tool.parameters.kind.clone(),
        properties: properties.collect(),
        required: tool.parameters.required.clone(),
    };
    Tool { name: tool.name.clone(), description: tool.description.clone(), parameters, ..Tool::default() }
}

fn ordinal(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn item(messages: serde_json::Value) -> HammerItem {
        let tool = json!({"name": "A.B.c", "description": "d", "parameters":
            {"type": "object", "properties": {"n": {"type": "float", "description": "N"}}, "required": ["n"]}});
        serde_json::from_value(json!({"id": 3, "messages": messages, "multiple_tools": [tool], "single_tool": [tool]})).unwrap()
    }

    fn of(data_type: &str, messages: serde_json::Value) -> Result<Vec<Sample>, String> {
        samples(&item(messages), Origin { data_type, number: 3, locale: "en", marked: &[1] })
    }

    fn call(arguments: &serde_json::Value) -> serde_json::Value {
        json!({"role": "function call", "content": {"name": "A.B.c", "arguments": arguments}})
    }

    #[test]
    fn every_user_turn_is_a_sample_that_shows_no_calls() {
        let messages = json!([{"role": "user", "content": "hi"}, call(&json!({})), {"role": "assistant", "content": "how many?"},
            {"role": "user", "content": "5.0"}, call(&json!({"n": 5.0}))]);
        let samples = of("mQmA", messages).unwrap();
        assert_eq!(samples.iter().map(|sample| sample.id.as_str()).collect::<Vec<_>>(), ["mQmA/3/turn/0", "mQmA/3/turn/1"]);
        assert_eq!(samples[1].messages.len(), 3);
        let places: Vec<_> = samples.iter().filter_map(|sample| sample.snapshot.clone()).collect();
        assert_eq!(places.iter().map(|it| (it.turn, it.turns, it.marked)).collect::<Vec<_>>(), [(1, 2, false), (2, 2, true)]);
        assert_eq!(samples[1].base, Some(ItemId::root("Based/3")));
        assert!(matches!(&samples[1].expected, Expected::Call(call) if serde_json::to_string(call).unwrap().contains("5.0")));
        assert_eq!(samples[0].candidates[0].parameters.properties["n"].type_name(), "float");
    }

    #[test]
    fn a_shift_ends_in_a_refusal_whose_words_are_kept() {
        let messages = json!([{"role": "user", "content": "hi"}, call(&json!({})), {"role": "assistant", "content": "how many?"},
            {"role": "user", "content": "Oh no, sing"}, {"role": "assistant", "content": "Sorry."}]);
        let samples = of("IS", messages).unwrap();
        assert_eq!((samples.len(), &samples[1].expected, samples[1].group.as_str()), (2, &Expected::Refusal, "A.B.c"));
        assert_eq!(samples[1].provenance.facts[REFUSAL], "Sorry.");
        assert!(samples[1].snapshot.as_ref().unwrap().marked);
    }

    #[test]
    fn a_twin_refuses_and_keeps_the_label() {
        let messages = json!([{"role": "user", "content": "hi"}, call(&json!({}))]);
        let twin = of("ir_ST_Perfect", messages.clone()).unwrap().remove(0);
        assert_eq!((twin.id.as_str(), twin.snapshot.is_none()), ("ir_ST_Perfect/3", true));
        assert_eq!((twin.base.unwrap().as_str(), twin.label.unwrap().name.as_str()), ("ST_Perfect/3", "A.B.c"));
        assert_eq!(of("ST_Perfect", messages).unwrap()[0].base, None);
    }

    #[test]
    fn turns_in_no_order_are_a_fault() {
        let fault = of("Based", json!([call(&json!({}))])).unwrap_err();
        assert_eq!(fault, "message 1 has no place there: role `function call`");
        assert!(of("Based", json!([{"role": "system", "content": "x"}])).is_err());
    }
}
