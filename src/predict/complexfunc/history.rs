//! What was said and answered so far, as messages.

use crate::llm::Reply;
use crate::record::{FunctionCall, Message, Object, Role, Value};
use crate::score::complexfunc::{Exchange, Golden};
use crate::suite::complexfunc::told;
use crate::text::without_thought;

/// A turn of the model, and what came of its calls.
pub(super) struct Exchanged<'e> {
    /// What it said.
    pub(super) reply: &'e Reply,
    /// What came of it.
    pub(super) exchange: &'e Exchange,
    /// The sample.
    pub(super) golden: &'e Golden,
    /// What is told of a wrong call.
    pub(super) generic_error: &'e str,
}

/// The dialogue: what the person says, and then turn by turn. Native calls are answered one by one, and calls in a text by a
/// list.
pub(super) fn messages(query: &str, exchanged: &[Exchanged<'_>]) -> Vec<Message> {
    let mut messages = vec![Message::user(query)];
    let mut ordinal = 0;
    for it in exchanged {
        let observations =
            it.exchange.observations.iter().map(|observation| told(it.golden, observation, it.generic_error));
        if it.reply.tool_calls.is_empty() {
            messages.push(Message::new(Role::Assistant, without_thought(&it.reply.text).trim()));
            messages.push(Message::user(Value::List(observations.collect()).to_string()));
            continue;
        }
        messages.push(it.calling());
        for observation in observations {
            messages.push(Message { answers: Some(ordinal), ..Message::new(Role::Tool, observation.to_string()) });
            ordinal += 1;
        }
    }
    messages
}

impl Exchanged<'_> {
    /// The model's turn with its native calls, arguments in the order in which it wrote them.
    fn calling(&self) -> Message {
        let call = |text: &crate::llm::ToolCallText| {
            let arguments = Value::read_lenient(&text.arguments).map_or(Value::Null, |(value, _)| value);
            let arguments = if let Value::Object(object) = arguments { object } else { Object::new() };
            FunctionCall { name: text.name.clone(), arguments }
        };
        Message {
            content: (!self.reply.text.is_empty()).then(|| self.reply.text.clone()),
            tool_calls: self.reply.tool_calls.iter().map(call).collect(),
            ..Message::new(Role::Assistant, "")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::steps_sample;
    use super::*;
    use crate::llm::ToolCallText;
    use crate::record::Expected;
    use crate::score::complexfunc::{Observation, Rules};

    fn golden() -> Golden {
        let sample = steps_sample("a");
        let Expected::Steps(steps) = &sample.expected else { panic!("steps") };
        Golden::new(steps, &sample.candidates, std::sync::Arc::default(), Rules::default())
    }

    #[test]
    fn each_call_is_answered_by_its_ordinal_in_the_dialogue() {
        let golden = golden();
        let call = |arguments: &str| ToolCallText { name: "f".to_owned(), arguments: arguments.to_owned() };
        let reply = Reply {
            text: "So".to_owned(),
            tool_calls: vec![call(r#"{"b": 1, "a": 2}"#), call("")],
            ..Reply::default()
        };
        let observations = vec![Observation::Golden(1), Observation::GenericError];
        let exchange = Exchange { calls: Vec::new(), observations };
        let one = || Exchanged { reply: &reply, exchange: &exchange, golden: &golden, generic_error: "no" };
        let said = messages("hi", &[one(), one()]);
        assert_eq!(
            said.iter().map(|message| message.answers).collect::<Vec<_>>(),
            [None, None, Some(0), Some(1), None, Some(2), Some(3)]
        );
        assert_eq!(said[1].tool_calls[0].arguments.keys().collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!((said[1].content.as_deref(), said[1].tool_calls[1].arguments.len()), (Some("So"), 0));
        assert_eq!(said[2].content.as_deref(), Some(r#"{"status":true,"data":{"leaves":"12:00"}}"#));
    }

    #[test]
    fn a_thought_is_not_sent_back() {
        let golden = golden();
        let reply = Reply { text: "<think>hm</think> [f()]".to_owned(), ..Reply::default() };
        let exchange = Exchange { calls: Vec::new(), observations: vec![Observation::FormatError("x".to_owned())] };
        let said =
            messages("hi", &[Exchanged { reply: &reply, exchange: &exchange, golden: &golden, generic_error: "" }]);
        assert_eq!(
            (said[1].content.as_deref(), said[2].content.as_deref()),
            (Some("[f()]"), Some(r#"[{"error":"x"}]"#))
        );
    }
}
