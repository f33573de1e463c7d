//! Has a language model read a whole conversation at once: the same question, with one answer, for every stage that asks it.

use crate::confetti::metric::read_acts;
use crate::failure::ItemError;
use crate::llm::tasks::read_conversation;
use crate::llm::{ConversationReading, ReadConversationVariables, Reply, Task, Variables};
use crate::record::{Conversation, ItemId};
use crate::stage::context::Context;
use crate::stage::outcome::Fault;

/// What the stage's role finds in a conversation; labels that nobody knows, or that a turn lacks, are asked for again.
pub(crate) async fn read_whole(
    context: &Context,
    id: &ItemId,
    conversation: &Conversation,
    asks: u32,
) -> Result<ConversationReading, ItemError> {
    let question = context.question(Task::ReadConversation, id, asks);
    let variables = |common| Variables::ReadConversation(ReadConversationVariables::of(common, conversation));
    let read = |reply: &Reply| {
        let (reading, _) = read_conversation(&reply.text)?;
        let unknown = |(_, labels): &&(usize, String)| !read_acts(labels).1.is_empty();
        if let Some((at, labels)) = reading.acts.iter().find(unknown) {
            return Err(Fault::new("unknown_act", format!("turn {}: `{labels}` are no labels", at + 1)));
        }
        let has = |at: usize| reading.acts.iter().any(|(turn, labels)| *turn == at && !read_acts(labels).0.is_empty());
        match (0..conversation.turns.len()).find(|at| !has(*at)) {
            Some(at) => Err(Fault::new("unknown_act", format!("turn {} has no label", at + 1))),
            None => Ok(reading),
        }
    };
    Ok(context.obtain(&question, question.task.reply_schema(), variables, read).await?.0)
}
