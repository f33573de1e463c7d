//! Tools that stand beside the right one and can serve none of the requests that share a list.

use super::context::Context;
use super::one_right_tool::can_serve;
use crate::failure::ItemError;
use crate::record::{ItemId, Tool};
use futures::future::join_all;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Chooses tools for some requests; what was asked about a tool is not asked again.
pub(super) struct Distractors<'a> {
    context: &'a Context,
    requests: Vec<(ItemId, String)>,
    serving: BTreeMap<String, bool>,
}

impl<'a> Distractors<'a> {
    /// Nothing asked yet about these requests.
    pub(super) fn new(context: &'a Context, requests: Vec<(ItemId, String)>) -> Self {
        Self { context, requests, serving: BTreeMap::new() }
    }

    /// The first `count` of the tools that can serve none of the requests; fewer where there are no more.
    ///
    /// As many tools are asked about at once as are still missing: each of them would be asked about in any case.
    pub(super) async fn first(&mut self, tools: &[Arc<Tool>], count: usize) -> Result<Vec<Arc<Tool>>, ItemError> {
        let (mut found, mut rest) = (Vec::new(), tools.iter());
        while found.len() < count {
            let next: Vec<&Arc<Tool>> = rest.by_ref().take(count - found.len()).collect();
            if next.is_empty() {
                break;
            }
            let verdicts = join_all(next.iter().map(|tool| self.serves(tool))).await;
            for (tool, verdict) in next.into_iter().zip(verdicts) {
                if !self.learn(tool, verdict?) {
                    found.push(tool.clone());
                }
            }
        }
        Ok(found)
    }

    /// Whether a tool can serve any of the requests; the first that it can serve is enough.
    async fn serves(&self, tool: &Arc<Tool>) -> Result<bool, ItemError> {
        if let Some(known) = self.serving.get(&tool.name) {
            return Ok(*known);
        }
        for (id, text) in &self.requests {
            match can_serve(self.context, id, text, tool).await {
                Ok(false) => {}
                // Who does not say that a tool is of no use leaves it open.
                Err(ItemError::Item { fault, .. }) if fault.reason == "unparsable_verdict" => return Ok(true),
                other => return other,
            }
        }
        Ok(false)
    }

    fn learn(&mut self, tool: &Tool, serves: bool) -> bool {
        if self.serving.insert(tool.name.clone(), serves).is_none() && serves {
            self.context.count("passed over");
        }
        serves
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Asked, context};
    use super::*;
    use crate::llm::Variables;

    /// A checker that says `verdict` of the tools whose name holds `mark`, where the request holds `word`.
    fn checker(mark: &'static str, word: &'static str, verdict: &'static str) -> (Context, Asked) {
        context(move |request| match &*request.variables {
            Variables::CanServe(it) if it.tool.name.contains(mark) && it.query.contains(word) => verdict.to_owned(),
            _ => "False".to_owned(),
        })
    }

    fn requests(texts: &[&str]) -> Vec<(ItemId, String)> {
        let request = |(ordinal, text): (usize, &&str)| (ItemId::root("t").child("q", ordinal), (*text).to_owned());
        texts.iter().enumerate().map(request).collect()
    }

    async fn names(distractors: &mut Distractors<'_>, count: usize) -> Vec<String> {
        let tools = distractors.context.toolset().tools.clone();
        distractors.first(&tools, count).await.unwrap().iter().map(|tool| tool.name.clone()).collect()
    }

    #[tokio::test]
    async fn each_tool_is_asked_about_each_request_once() {
        let (context, asked) = checker("-", "", "True");
        let mut distractors = Distractors::new(&context, requests(&["one", "two"]));
        assert_eq!(names(&mut distractors, 3).await.len(), 3);
        assert_eq!(asked.count(), 6);
        assert_eq!(names(&mut distractors, 4).await.len(), 4);
        assert_eq!(asked.count(), 8, "only the fourth is new");
    }

    #[tokio::test]
    async fn a_tool_that_can_serve_one_of_the_requests_gives_way_to_the_next() {
        let (context, asked) = checker(".cancel", "two", "True");
        let mut distractors = Distractors::new(&context, requests(&["one", "two", "three"]));
        let names = names(&mut distractors, 4).await;
        assert!(names.iter().all(|name| !name.ends_with(".cancel")), "{names:?}");
        assert_eq!(asked.count(), 4 * 3 + 2 * 2, "the third request is not asked about where the second is served");
        assert_eq!(context.counts()["stage"]["passed over"], 2);
    }

    #[tokio::test]
    async fn a_tool_of_which_nobody_says_anything_is_passed_over() {
        let (context, asked) = checker(".book", "", "perhaps");
        let mut distractors = Distractors::new(&context, requests(&["one"]));
        assert_eq!(names(&mut distractors, 12).await.len(), 8);
        assert_eq!(asked.count(), 8 + 4 * 2);
    }

    #[tokio::test]
    async fn where_no_model_answers_there_is_no_choice() {
        let (context, _) = checker("-", "", "True");
        let context = super::super::testing::with_shared(context, |shared| shared.chats.clear());
        let mut distractors = Distractors::new(&context, requests(&["one"]));
        let tools = context.toolset().tools.clone();
        let failure = distractors.first(&tools, 1).await.unwrap_err();
        assert!(matches!(failure, ItemError::Item { fault, .. } if fault.reason == "no_model"));
    }
}
