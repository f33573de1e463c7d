//! Asking a model whether predicted arguments mean what the label means.

use super::judgements::{Judgement, Pair};
use crate::llm::answer::read_verdict;
use crate::llm::{Chat, ChatError, Common, JudgeVariables, Prompt, PromptError, Request, Task, Variables};
use crate::locale::Pack;
use futures::stream::{self, StreamExt};
use indexmap::IndexMap;
use std::sync::Arc;

/// How often an answer that is neither yes nor no is asked for.
const ASKS: u32 = 2;

/// Why a judge could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// Its prompt cannot be used.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// Nothing can go on with its endpoint.
    #[error(transparent)]
    Chat(#[from] ChatError),
}

/// What came of the asking: judgements, and how many pairs got none (the endpoint failed, or said neither yes nor no).
#[derive(Debug, Default)]
pub struct Judged {
    /// The judgements, in the order of the pairs.
    pub judgements: Vec<Judgement>,
    /// Pairs without one.
    pub lost: usize,
}

/// Asks about all pairs, `concurrency` at a time.
pub async fn ask(chat: &Chat, pairs: &[Pair], concurrency: usize) -> Result<Judged, JudgeError> {
    let mut prompts: IndexMap<&str, (Prompt, String)> = IndexMap::new();
    for pair in pairs {
        if !prompts.contains_key(pair.locale.as_str()) {
            let language = Pack::load(&pair.locale).map_or_else(|_| pair.locale.clone(), |pack| pack.name);
            prompts.insert(&pair.locale, (Prompt::load(Task::JudgeCall.folder(), &pair.locale)?, language));
        }
    }
    let asked = pairs.iter().map(|pair| {
        let (prompt, language) = &prompts[pair.locale.as_str()];
        async move { (pair, ask_one(chat, prompt, language, pair).await) }
    });
    let mut answers = stream::iter(asked).buffered(concurrency.max(1));
    let mut judged = Judged::default();
    while let Some((pair, answer)) = answers.next().await {
        match answer {
            Ok(Some(verdict)) => judged.judgements.push(pair.judged(verdict, chat.model_name())),
            Ok(None) | Err(JudgeError::Chat(ChatError::Transport { .. } | ChatError::Refused { .. })) => {
                judged.lost += 1;
            }
            Err(error) => return Err(error),
        }
    }
    Ok(judged)
}

async fn ask_one(chat: &Chat, prompt: &Prompt, language: &str, pair: &Pair) -> Result<Option<bool>, JudgeError> {
    for draw in 0..ASKS {
        let common = Common {
            locale: pair.locale.clone(),
            language: language.to_owned(),
            structured: false,
            fault: String::new(),
        };
        let mut label = pair.label.clone();
        let mut output = pair.output.clone();
        label.sort_keys();
        output.sort_keys();
        let variables = Variables::JudgeCall(JudgeVariables { common, query: pair.query.clone(), label, output });
        let rendered = prompt.render(&variables.fields())?;
        let request = Request {
            task: Task::JudgeCall,
            stage: Arc::from("judge"),
            item: Arc::from(pair.id.as_str()),
            draw,
            system: rendered.system,
            user: rendered.user,
            history: Vec::new(),
            variables: Arc::new(variables),
            schema: None,
            tools: Vec::new(),
            temperature: Some(0.0),
        };
        if let Some((verdict, _)) = read_verdict(&chat.ask(&request).await?.text) {
            return Ok(Some(verdict));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Reply;

    fn pair(id: &str, query: &str) -> Pair {
        let label = serde_json::from_str(r#"{"b": 1, "a": 2}"#).unwrap();
        Pair {
            id: id.to_owned(),
            locale: "ko".to_owned(),
            query: query.to_owned(),
            label,
            output: crate::record::Object::new(),
        }
    }

    #[tokio::test]
    async fn answers_become_judgements_in_the_order_of_the_pairs() {
        let chat = Chat::builtin(
            "judge",
            Arc::new(|request: &Request| {
                let Variables::JudgeCall(variables) = &*request.variables else { panic!("another task") };
                assert!(request.user.contains(&variables.query) && variables.label.keys().is_sorted());
                let text = if request.draw == 0 && &*request.item == "b" { "well" } else { variables.query.as_str() };
                Reply { text: text.to_owned(), ..Reply::default() }
            }),
        );
        let pairs = [pair("a", "True"), pair("b", "False"), pair("c", "hm")];
        let judged = ask(&chat, &pairs, 2).await.unwrap();
        let said: Vec<(&str, bool)> = judged.judgements.iter().map(|it| (it.id.as_str(), it.verdict)).collect();
        assert_eq!((said, judged.lost), (vec![("a", true), ("b", false)], 1));
    }
}
