//! Reads conversations: the call with everything that a person has said by the last turn.

use super::learn::Learned;
use super::reader::{Reader, ToolReader};
use super::talk::Talk;
use crate::record::FunctionCall;
use std::sync::Arc;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Assistant,
}

/// What somebody says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DialogueTurn {
    pub(crate) speaker: Speaker,
    pub(crate) text: String,
}

/// How a line begins that somebody says, in HammerBench's form.
const SPEAKERS: [(&str, Speaker); 2] = [("user:", Speaker::User), ("assistant:", Speaker::Assistant)];

/// The turns of a conversation written as text, a line each; a line without a speaker goes on with the one above.
/// `None` where the text is no conversation.
pub(crate) fn turns_of(text: &str) -> Option<Vec<DialogueTurn>> {
    let mut turns: Vec<DialogueTurn> = Vec::new();
    for line in text.lines() {
        let spoken = SPEAKERS.iter().find_map(|(name, speaker)| Some((*speaker, line.strip_prefix(name)?)));
        match (spoken, turns.last_mut()) {
            (Some((speaker, text)), _) => turns.push(DialogueTurn { speaker, text: text.trim().to_owned() }),
            (None, Some(last)) => last.text = format!("{}\n{line}", last.text),
            (None, None) => return None,
        }
    }
    turns.iter().any(|turn| turn.speaker == Speaker::User).then_some(turns)
}

/// The call that a conversation has come to; `None` where no tool serves what the person wants in the end.
pub(crate) fn read_dialogue(
    reader: Reader<'_>,
    tools: &[Arc<ToolReader>],
    turns: &[DialogueTurn],
    learned: &Learned,
) -> Option<FunctionCall> {
    let mut talk: Option<Talk<'_>> = None;
    for (at, turn) in turns.iter().enumerate() {
        match (turn.speaker, &mut talk) {
            (Speaker::Assistant, Some(talk)) => talk.hear(&turn.text),
            (Speaker::Assistant, None) => {}
            (Speaker::User, Some(running)) => {
                if let Some(request) = running.answer(&turn.text) {
                    talk = Talk::anew(reader, tools, &request, learned);
                }
            }
            (Speaker::User, None) => {
                let rest = turns.get(at + 1..).unwrap_or_default();
                talk = Talk::begin(reader, tools, &turn.text, rest, learned);
            }
        }
    }
    talk.map(Talk::call)
}
