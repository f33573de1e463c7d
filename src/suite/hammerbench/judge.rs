//! Asking a model whether predicted arguments mean what the label means.

use super::judgements::{Judgement, Pair};
use crate::llm::{Chat, ChatError, Common, JudgeVariables, Prompt, PromptError, Prompts, Request, Task, Variables};
use crate::locale::Pack;
use crate::text::read_verdict;
use futures::stream::{self, StreamExt};
use indexmap::IndexMap;

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
    /// A judgement cannot be kept, and is paid for.
    #[error("a judgement cannot be kept: {0}")]
    Keep(#[from] std::io::Error),
}

/// What came of the asking: judgements, and how many pairs got none (the endpoint failed, or said neither yes nor no).
#[derive(Debug, Default)]
pub struct Judged {
    /// The judgements, in the order of the pairs.
    pub judgements: Vec<Judgement>,
    /// Pairs without one.
    pub lost: usize,
}

/// What a judgement is handed to as soon as it is there.
pub type Keep<'k> = &'k mut (dyn FnMut(&Judgement) -> std::io::Result<()> + Send);

/// Asks about all pairs, `concurrency` at a time.
pub async fn ask(chat: &Chat, prompts: &Prompts, pairs: &[Pair], concurrency: usize) -> Result<Judged, JudgeError> {
    ask_each(chat, prompts, pairs, concurrency, &mut |_| Ok(())).await
}

/// The same, where each judgement is kept as soon as it is there, in whatever order they come.
pub async fn ask_each(
    chat: &Chat,
    prompts: &Prompts,
    pairs: &[Pair],
    concurrency: usize,
    keep: Keep<'_>,
) -> Result<Judged, JudgeError> {
    let mut loaded: IndexMap<&str, (Prompt, String)> = IndexMap::new();
    for pair in pairs {
        if !loaded.contains_key(pair.locale.as_str()) {
            let language =
                Pack::load(prompts.assets(), &pair.locale).map_or_else(|_| pair.locale.clone(), |pack| pack.name);
            loaded.insert(&pair.locale, (prompts.load(Task::JudgeCall.folder(), &pair.locale)?, language));
        }
    }
    let ask = |at: usize| {
        let pair = &pairs[at];
        let (prompt, language) = &loaded[pair.locale.as_str()];
        async move { (at, ask_one(chat, prompt, language, pair).await) }
    };
    let asked: Vec<_> = (0..pairs.len()).map(ask).collect();
    // A slow answer holds up no other one.
    let mut answers = stream::iter(asked).buffer_unordered(concurrency.max(1));
    let (mut judgements, mut lost) = (Vec::with_capacity(pairs.len()), 0);
    while let Some((at, answer)) = answers.next().await {
        match answer {
            Ok(Some(verdict)) => {
                let judgement = pairs[at].judged_by(prompts, verdict, chat.model_name());
                keep(&judgement)?;
                judgements.push((at, judgement));
            }
            Ok(None) | Err(JudgeError::Chat(ChatError::Transport { .. } | ChatError::Refused { .. })) => lost += 1,
            Err(error) => return Err(error),
        }
    }
    judgements.sort_by_key(|(at, _)| *at);
    Ok(Judged { judgements: judgements.into_iter().map(|(_, judgement)| judgement).collect(), lost })
}

async fn ask_one(chat: &Chat, prompt: &Prompt, language: &str, pair: &Pair) -> Result<Option<bool>, JudgeError> {
    for draw in 0..ASKS {
        let common = Common { locale: pair.locale.clone(), language: language.to_owned(), ..Common::default() };
        let mut label = pair.label.clone();
        let mut output = pair.output.clone();
        label.sort_keys();
        output.sort_keys();
        let variables = Variables::JudgeCall(JudgeVariables { common, query: pair.query.clone(), label, output });
        let rendered = prompt.render(&variables.fields())?;
        let request = Request {
            system: rendered.system,
            user: rendered.user,
            temperature: Some(0.0),
            ..Request::new(Task::JudgeCall, "judge", pair.id.as_str(), draw, variables)
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
    use crate::llm::{ChatDeps, ModelConfig, Reply};
    use std::sync::Arc;

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
        let judged = ask(&chat, &Prompts::default(), &pairs, 2).await.unwrap();
        let said: Vec<(&str, bool)> = judged.judgements.iter().map(|it| (it.id.as_str(), it.verdict)).collect();
        assert_eq!((said, judged.lost), (vec![("a", true), ("b", false)], 1));
    }

    #[tokio::test]
    async fn what_was_said_before_an_interruption_is_kept() {
        let deps = ChatDeps::new(Arc::new(|_: &Request| Reply { text: "True".to_owned(), ..Reply::default() }));
        let interrupt = deps.interrupt.clone();
        let chat = Chat::open("judge", &ModelConfig::default(), deps).unwrap();
        let mut kept = Vec::new();
        let mut keep = |judgement: &Judgement| {
            kept.push(judgement.id.clone());
            interrupt.trigger();
            Ok(())
        };
        let pairs = ["a", "b", "c"].map(|id| pair(id, "q"));
        let error = ask_each(&chat, &Prompts::default(), &pairs, 1, &mut keep).await.unwrap_err();
        assert!(matches!(error, JudgeError::Chat(ChatError::Interrupted)), "{error}");
        assert_eq!(kept, ["a"]);
    }

    #[tokio::test]
    async fn what_cannot_be_kept_ends_the_asking() {
        let deps = ChatDeps::new(Arc::new(|_: &Request| Reply { text: "True".to_owned(), ..Reply::default() }));
        let chat = Chat::open("judge", &ModelConfig::default(), deps).unwrap();
        let mut keep = |_: &Judgement| Err(std::io::ErrorKind::StorageFull.into());
        let error =
            ask_each(&chat, &Prompts::default(), &[pair("a", "q")], 1, &mut keep).await.unwrap_err().to_string();
        assert!(error.starts_with("a judgement cannot be kept: "), "{error}");
    }
}
