//! Asks a model whether something is true, and reads its verdict.
//!
//! The prompt is the caller's. Each verdict tells by which way it was read, so that a report can count them.

use super::chat::Chat;
use super::request::{ChatError, Request};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A verdict, and how it was come by.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// What the judge says.
    pub value: bool,
    /// How it was read.
    pub way: Way,
    /// Which draw said it.
    pub draw: u32,
    /// The reply in full.
    pub text: String,
}

/// The ways in which a verdict is read, tried in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// A JSON object with `verdict` in it.
    Structured,
    /// Nothing but the word.
    Bare,
    /// A block between fences, holding one of the two above.
    Fenced,
    /// The last line is the word, by itself or after a colon.
    LastLine,
    /// The word comes first, and a comma or the like after it.
    Leading,
}

/// What came of asking a judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It said.
    Said(Judgement),
    /// None of its replies could be read.
    Unparsed {
        /// How often it was asked.
        asked: u32,
        /// Its last reply.
        text: String,
    },
}

/// Asks until a reply can be read, at most `draws` times; `request` renders the question of a draw.
pub async fn judge(chat: &Chat, draws: u32, request: impl Fn(u32) -> Request) -> Result<Outcome, ChatError> {
    let mut text = String::new();
    for draw in 0..draws {
        text = chat.ask(&request(draw)).await?.text;
        if let Some((value, way)) = read_verdict(&text) {
            return Ok(Outcome::Said(Judgement { value, way, draw, text }));
        }
    }
    Ok(Outcome::Unparsed { asked: draws, text })
}

/// Reads a verdict, and says by which way. It would rather read none than take a sentence for its last word.
pub fn read_verdict(text: &str) -> Option<(bool, Way)> {
    // Models that think aloud weigh both words before they say one.
    let text = text.rsplit("</think>").next().unwrap_or(text).trim();
    let ways: [(Reader, Way); 5] = [
        (structured, Way::Structured),
        (word, Way::Bare),
        (fenced, Way::Fenced),
        (last_line, Way::LastLine),
        (leading, Way::Leading),
    ];
    ways.into_iter().find_map(|(read, way)| Some((read(text)?, way)))
}

type Reader = fn(&str) -> Option<bool>;

fn last_line(text: &str) -> Option<bool> {
    word(text.lines().last()?.rsplit([':', '：']).next()?)
}

fn leading(text: &str) -> Option<bool> {
    word(text.split([',', '.', ';', ':', '!', '\n', '-', '—', '，', '。', '：', '；']).next()?)
}

fn structured(text: &str) -> Option<bool> {
    match serde_json::from_str::<Value>(text).ok()?.get("verdict")? {
        Value::Bool(verdict) => Some(*verdict),
        Value::String(said) => word(said),
        _ => None,
    }
}

fn fenced(text: &str) -> Option<bool> {
    let block = text.split("```").nth(1)?;
    // The first line may name a language.
    let body = block.split_once('\n').map_or(block, |(_, body)| body).trim();
    structured(body).or_else(|| word(body))
}

/// The word alone, whatever marks models put around it.
fn word(text: &str) -> Option<bool> {
    let bare = text.trim_matches(|letter: char| !letter.is_alphanumeric()).to_ascii_lowercase();
    bare.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::request::Reply;
    use crate::llm::testing::request;
    use proptest::prelude::*;
    use std::sync::Arc;

    #[test]
    fn every_way_has_its_name() {
        let cases = [
            ("{\"reason\": \"x\", \"verdict\": true}", true, Way::Structured),
            ("{\"verdict\": \"False\"}", false, Way::Structured),
            ("True", true, Way::Bare),
            (" **false**.\n", false, Way::Bare),
            ("```json\n{\"verdict\": false}\n```", false, Way::Fenced),
            ("Here it is:\n```\nTrue\n```\nDone", true, Way::Fenced),
            ("Both name the same place.\nVerdict: True.", true, Way::LastLine),
            ("判断：False", false, Way::LastLine),
            ("Same place.\n\n**False**", false, Way::LastLine),
            ("False, because the times differ.", false, Way::Leading),
            ("True\nThey agree.", true, Way::Leading),
            ("**True** — they agree", true, Way::Leading),
            ("True, at first sight.\nVerdict: False", false, Way::LastLine),
        ];
        for (text, value, way) in cases {
            assert_eq!(read_verdict(text), Some((value, way)), "{text}");
        }
    }

    #[test]
    fn what_is_no_verdict_is_none() {
        for text in [
            "",
            "Maybe",
            "It is true that they differ.",
            "It is not true",
            "The answer is false",
            "False friends, these two",
            "{\"verdict\": 1}",
            "```",
            "참",
            "untrue",
            "truelove",
        ] {
            assert_eq!(read_verdict(text), None, "{text}");
        }
    }

    #[test]
    fn a_thought_is_not_the_verdict() {
        assert_eq!(read_verdict("<think>True?\nNo.</think>\nFalse"), Some((false, Way::Bare)));
    }

    proptest! {
        #[test]
        fn a_verdict_is_never_made_up(text in any::<String>(), word in "(True|FALSE|maybe)[ .,:\n]{0,2}[a-z]{0,4}") {
            for text in [text, word] {
                if let Some((verdict, _)) = read_verdict(&text) {
                    prop_assert!(text.to_lowercase().contains(&verdict.to_string()));
                }
            }
        }
    }

    fn chat(replies: &'static [&'static str]) -> Chat {
        let model = |request: &Request| {
            let text = replies.get(request.draw as usize).copied().unwrap_or_default();
            Reply { text: text.to_owned(), ..Reply::default() }
        };
        Chat::builtin("judge", Arc::new(model))
    }

    #[tokio::test]
    async fn an_unreadable_reply_is_asked_again_with_the_next_draw() {
        let outcome = judge(&chat(&["well", "True"]), 3, |draw| request("a", draw)).await.unwrap();
        let verdict = Judgement { value: true, way: Way::Bare, draw: 1, text: "True".to_owned() };
        assert_eq!(outcome, Outcome::Said(verdict));
    }

    #[tokio::test]
    async fn who_never_says_is_unparsed() {
        let outcome = judge(&chat(&["well", "hm"]), 2, |draw| request("a", draw)).await.unwrap();
        assert_eq!(outcome, Outcome::Unparsed { asked: 2, text: "hm".to_owned() });
    }
}
