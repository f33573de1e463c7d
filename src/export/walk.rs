//! The samples of a bench in their order, each with what its neighbours in the same conversation tell of it.

use super::teach::{Around, gold_call, is_complete};
use crate::format::{Bench, BenchError};
use crate::record::{FunctionCall, ItemId, Role, Sample};

/// Holds one sample back, until the next one has shown how the dialogue went on.
#[derive(Default)]
struct Walk {
    pending: Option<Sample>,
    earlier: Vec<(usize, FunctionCall)>,
}

/// Shows every sample; `take` ends the walk by its own error.
pub(super) fn each<E: From<BenchError>>(
    bench: &Bench,
    take: &mut dyn FnMut(Sample, &Around) -> Result<(), E>,
) -> Result<(), E> {
    let mut walk = Walk::default();
    bench.each::<E>(&mut |sample| walk.step(Some(sample), take))?;
    walk.step(None, take)
}

impl Walk {
    fn step<E>(
        &mut self,
        next: Option<Sample>,
        take: &mut dyn FnMut(Sample, &Around) -> Result<(), E>,
    ) -> Result<(), E> {
        let goes_on = |next: &Sample, it: &Sample| conversation(it).is_some() && conversation(next) == conversation(it);
        let follows = next.as_ref().zip(self.pending.as_ref()).is_some_and(|(next, it)| goes_on(next, it));
        let Some(sample) = self.pending.take() else {
            self.pending = next;
            return Ok(());
        };
        let said_next = next.as_ref().filter(|_| follows).and_then(|next| said_after(&sample, next));
        let around = Around { earlier: std::mem::take(&mut self.earlier), said_next };
        let done =
            gold_call(&sample).filter(|call| is_complete(&sample, call)).map(|call| (sample.messages.len(), call));
        self.pending = next;
        take(sample, &around)?;
        if follows {
            self.earlier = around.earlier;
            self.earlier.extend(done);
        }
        Ok(())
    }
}

fn conversation(sample: &Sample) -> Option<&ItemId> {
    sample.snapshot.as_ref().map(|snapshot| &snapshot.conversation)
}

/// What the assistant said after a sample's last message, by a longer sample of the same conversation.
fn said_after(sample: &Sample, next: &Sample) -> Option<String> {
    let at = sample.messages.len();
    let is_same = next.messages.get(at.checked_sub(1)?) == sample.messages.last();
    let said = next.messages.get(at).filter(|it| is_same && it.role == Role::Assistant && it.tool_calls.is_empty())?;
    said.content.clone()
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample;
    use super::*;
    use crate::record::Message;
    use serde_json::json;

    #[expect(clippy::needless_pass_by_value, reason = "tests write values where they are wanted")]
    fn turn(conversation: &str, said: &[&str], arguments: serde_json::Value) -> Sample {
        let mut sample = sample(json!({"call": {"name": "Rail.book", "arguments": arguments}}));
        let role = |at: usize| if at.is_multiple_of(2) { Role::User } else { Role::Assistant };
        sample.messages = said.iter().enumerate().map(|(at, text)| Message::new(role(at), *text)).collect();
        sample.snapshot =
            serde_json::from_value(json!({"conversation": conversation, "turn": 1, "turns": 2, "tool": ""})).unwrap();
        sample
    }

    fn walked(samples: Vec<Sample>) -> Vec<(usize, Option<String>)> {
        let (mut walk, mut seen) = (Walk::default(), Vec::new());
        let mut take = |_: Sample, around: &Around| -> Result<(), BenchError> {
            seen.push((around.earlier.len(), around.said_next.clone()));
            Ok(())
        };
        for next in samples.into_iter().map(Some).chain([None]) {
            walk.step(next, &mut take).unwrap();
        }
        seen
    }

    #[test]
    fn a_sample_knows_what_was_said_next_and_what_was_called_before() {
        let one = turn("a", &["a train"], json!({}));
        let two = turn("a", &["a train", "Where to?", "Porto"], json!({"to": "Porto"}));
        let three = turn("a", &["a train", "Where to?", "Porto", "Done.", "Faro too"], json!({"to": "Faro"}));
        let other = turn("b", &["hello"], json!({}));
        let seen = walked(vec![one, two, three, other]);
        let next = |at: usize| seen[at].1.as_deref();
        assert_eq!((next(0), next(1), next(2), next(3)), (Some("Where to?"), Some("Done."), None, None));
        assert_eq!(seen.iter().map(|(earlier, _)| *earlier).collect::<Vec<_>>(), [0, 0, 1, 0]);
    }

    #[test]
    fn another_dialogue_under_the_same_name_tells_nothing() {
        let one = turn("a", &["a train"], json!({}));
        let two = turn("a", &["a bus", "Where to?", "Porto"], json!({}));
        assert_eq!(walked(vec![one, two])[0].1, None);
        assert_eq!(walked(Vec::new()), []);
    }
}
