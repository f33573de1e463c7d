//! How many tokens a request will probably take, before the server has said so.

use super::request::{Reply, Request, Usage};
use super::tasks::Task;
use std::sync::Mutex;
use std::sync::PoisonError;

/// Guesses of one model's usage, better with each reply.
#[derive(Debug)]
pub(super) struct Estimator {
    first_guess: u64,
    seen: Mutex<(u64, u64)>,
}

/// Guessed for the first replies, whose length nothing tells.
const TYPICAL_REPLY: u64 = 256;

impl Estimator {
    pub(super) fn new(max_tokens: Option<u64>) -> Self {
        Self { first_guess: max_tokens.map_or(TYPICAL_REPLY, |most| most.min(TYPICAL_REPLY)), seen: Mutex::default() }
    }

    /// What the request will probably take.
    pub(super) fn guess(&self, request: &Request) -> Usage {
        let (count, sum) = *self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        Usage { prompt: prompt_tokens(request), completion: sum.checked_div(count).unwrap_or(self.first_guess) }
    }

    /// What the reply did take: the server's word, or an estimate where it gave none.
    pub(super) fn learn(&self, request: &Request, reply: &Reply) -> Usage {
        let usage = if reply.usage == Usage::default() { estimate(request, reply) } else { reply.usage };
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        *seen = (seen.0 + 1, seen.1 + usage.completion);
        usage
    }
}

fn estimate(request: &Request, reply: &Reply) -> Usage {
    // Vectors are numbers, and nobody counts them.
    let text = if request.task == Task::Embed { "" } else { &reply.text };
    let calls: u64 = reply.tool_calls.iter().map(|call| count(&call.name) + count(&call.arguments)).sum();
    Usage { prompt: prompt_tokens(request), completion: count(text) + calls }
}

fn prompt_tokens(request: &Request) -> u64 {
    let tools = request.tools.iter().map(|tool| {
        let parameters = serde_json::to_string(&tool.parameters).unwrap_or_default();
        count(&tool.name) + count(&tool.description) + count(&parameters)
    });
    let said = request.history.iter().filter_map(|message| message.content.as_deref());
    let said: u64 = said.chain(request.system.as_deref()).chain([request.user.as_str()]).map(count).sum();
    said + tools.sum::<u64>()
}

/// How texts are estimated in tokens, in words.
pub const TOKEN_ESTIMATE: &str = "a quarter of a token a letter, two thirds for Chinese, Japanese and Korean ones";

/// About how many tokens a text is: [`TOKEN_ESTIMATE`], rounded up.
pub fn estimate_tokens(text: &str) -> u64 {
    count(text)
}

fn count(text: &str) -> u64 {
    let twelfths: u64 = text.chars().map(|letter| if is_dense(letter) { 8 } else { 3 }).sum();
    twelfths.div_ceil(12)
}

fn is_dense(letter: char) -> bool {
    matches!(letter, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;
    use proptest::prelude::*;

    #[test]
    fn letters_count_by_script() {
        assert_eq!(count("abcdefgh"), 2);
        assert_eq!(count("내일아침알"), 4);
        assert_eq!(count("明天早上八"), 4);
        assert_eq!(count(""), 0);
        assert_eq!(count("a"), 1);
    }

    #[test]
    fn everything_that_is_said_counts() {
        let history = vec![crate::record::Message::user("four".repeat(3))];
        assert_eq!(prompt_tokens(&Request { history, ..request("a", 0) }), prompt_tokens(&request("a", 0)) + 3);
    }

    #[test]
    fn vectors_are_no_tokens() {
        let asked = Request { task: Task::Embed, ..request("a", 0) };
        let reply = Reply { text: "[[0.25,0.5]]".to_owned(), ..Reply::default() };
        assert_eq!(
            Estimator::new(Some(0)).learn(&asked, &reply),
            Usage { prompt: prompt_tokens(&asked), completion: 0 }
        );
    }

    #[test]
    fn the_guess_follows_the_replies() {
        let estimator = Estimator::new(None);
        let asked = request("a", 0);
        assert_eq!(estimator.guess(&asked).completion, TYPICAL_REPLY);
        for completion in [10, 30] {
            let reply = Reply { usage: Usage { prompt: 5, completion }, ..Reply::default() };
            assert_eq!(estimator.learn(&asked, &reply), reply.usage);
        }
        assert_eq!(estimator.guess(&asked).completion, 20);
    }

    #[test]
    fn a_reply_is_never_guessed_longer_than_it_may_be() {
        assert_eq!(Estimator::new(Some(10)).guess(&request("a", 0)).completion, 10);
        assert_eq!(Estimator::new(Some(10_000)).guess(&request("a", 0)).completion, TYPICAL_REPLY);
    }

    #[test]
    fn a_server_that_tells_nothing_is_estimated() {
        let reply = Reply { text: "four".repeat(3), ..Reply::default() };
        let usage = Estimator::new(None).learn(&request("a", 0), &reply);
        assert_eq!(usage, Usage { prompt: 3, completion: 3 });
    }

    #[test]
    fn tools_and_instructions_are_read_as_well() {
        let plain = request("a", 0);
        let system = Some("four".repeat(5));
        assert_eq!(prompt_tokens(&Request { system, ..plain.clone() }), prompt_tokens(&plain) + 5);
        let tool =
            crate::record::Tool { name: "four".to_owned(), description: "four".to_owned(), ..Default::default() };
        let tools = vec![std::sync::Arc::new(tool)];
        assert!(prompt_tokens(&Request { tools, ..plain.clone() }) >= prompt_tokens(&plain) + 2);
    }

    #[test]
    fn a_text_alone_is_estimated() {
        assert_eq!((estimate_tokens("four"), estimate_tokens(""), estimate_tokens("five5")), (1, 0, 2));
    }

    #[test]
    fn calls_are_written_too() {
        let call = |text: &str| crate::ToolCallText { name: text.to_owned(), arguments: text.repeat(2) };
        let reply = Reply { tool_calls: vec![call("four"), call("four")], ..Reply::default() };
        assert_eq!(Estimator::new(None).learn(&request("a", 0), &reply).completion, 6);
    }

    proptest! {
        #[test]
        fn parts_count_as_the_whole_but_for_what_is_rounded(one in any::<String>(), other in any::<String>()) {
            let (apart, together) = (count(&one) + count(&other), count(&format!("{one}{other}")));
            prop_assert!(together <= apart && apart <= together + 1);
            prop_assert!(together <= (one.chars().count() + other.chars().count()) as u64);
        }
    }
}
