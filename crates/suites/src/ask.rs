//! Asking models about answers: how close they come, and what they should have been.

use super::question::{Pending, Question};
use super::replies::Recorded;
use crate::llm::{Chat, ChatError, Common, Prompt, PromptError, Prompts, Request, Task, Variables};
use crate::locale::Pack;
use crate::record::{Object, Value};
use futures::stream::{self, StreamExt};
use indexmap::IndexMap;

/// How often an answer is asked for that cannot be used.
const ASKS: u32 = 2;

/// Why nobody could be asked.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// A prompt cannot be used.
    #[error(transparent)]
    Prompt(#[from] PromptError),
    /// Nothing can go on with the endpoint.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// An answer cannot be kept, and is paid for.
    #[error("cannot store an answer: {0}")]
    Keep(#[from] std::io::Error),
}

/// What came of the asking.
#[derive(Debug, Default)]
pub struct Asked {
    /// What was said, in the order of the questions.
    pub recorded: Vec<Recorded>,
    /// Questions without an answer: the endpoint failed.
    pub lost: usize,
}

/// What an answer is handed to as soon as it is there.
pub type Keep<'k> = &'k mut (dyn FnMut(&Recorded) -> std::io::Result<()> + Send);

/// Asks all questions, `concurrency` at a time.
pub async fn ask(chat: &Chat, prompts: &Prompts, questions: &[Pending], concurrency: usize) -> Result<Asked, AskError> {
    ask_each(chat, prompts, questions, concurrency, &mut |_| Ok(())).await
}

/// The same, where each answer is kept as soon as it is there, in whatever order they come.
pub async fn ask_each(
    chat: &Chat,
    prompts: &Prompts,
    questions: &[Pending],
    concurrency: usize,
    keep: Keep<'_>,
) -> Result<Asked, AskError> {
    let mut loaded: IndexMap<(Question, &str), (Prompt, String)> = IndexMap::new();
    for pending in questions {
        let place = place(pending);
        if !loaded.contains_key(&place) {
            let language =
                Pack::load(prompts.assets(), &pending.locale).map_or_else(|_| pending.locale.clone(), |pack| pack.name);
            loaded.insert(place, (prompts.load(pending.question.folder(), &pending.locale)?, language));
        }
    }
    let ask = |(at, pending)| {
        let (prompt, language): &(Prompt, String) = &loaded[&place(pending)];
        async move { (at, pending, ask_one(chat, prompt, language, pending).await) }
    };
    // Gathered at once: a closure that is held while others answer keeps the whole from going to another thread.
    let asked: Vec<_> = questions.iter().enumerate().map(ask).collect();
    // A slow answer holds up no other one.
    let mut answers = stream::iter(asked).buffer_unordered(concurrency.max(1));
    let (mut recorded, mut lost) = (Vec::with_capacity(questions.len()), 0);
    while let Some((at, pending, answer)) = answers.next().await {
        match answer {
            Ok(reply) => {
                let answer = pending.answered_by(prompts, reply, chat.model_name());
                keep(&answer)?;
                recorded.push((at, answer));
            }
            Err(AskError::Chat(ChatError::Transport { .. } | ChatError::Refused { .. })) => lost += 1,
            Err(error) => return Err(error),
        }
    }
    recorded.sort_by_key(|(at, _)| *at);
    Ok(Asked { recorded: recorded.into_iter().map(|(_, answer)| answer).collect(), lost })
}

fn place(pending: &Pending) -> (Question, &str) {
    (pending.question, &pending.locale)
}

/// The last thing that was said: who says nothing usable is asked again.
async fn ask_one(chat: &Chat, prompt: &Prompt, language: &str, pending: &Pending) -> Result<String, AskError> {
    let (mut reply, mut fault) = (String::new(), "");
    for again in 0..ASKS {
        let draw = pending.draw * ASKS + again;
        reply = chat.ask(&request(prompt, language, pending, draw, fault.to_owned())?).await?.text;
        match pending.fault(&reply) {
            Some(again) => fault = again,
            None => break,
        }
    }
    Ok(reply)
}

fn request(
    prompt: &Prompt,
    language: &str,
    pending: &Pending,
    draw: u32,
    fault: String,
) -> Result<Request, PromptError> {
    let (locale, language) = (pending.locale.clone(), language.to_owned());
    let common = Common { locale, language, fault, ..Common::default() };
    let mut fields = pending.variables.clone();
    fields.insert("common".to_owned(), serde_json::to_value(common).map_or(Value::Null, Value::from));
    let rendered = if prompt.is_exact() {
        let besides = pending.besides.iter().map(|(name, value)| (name.clone(), value.clone()));
        prompt.render(&fields.clone().into_iter().chain(besides).collect::<Object>())?
    } else {
        prompt.render(&fields)?
    };
    let (stage, variables) = (pending.question.folder(), Variables::Generate(fields));
    Ok(Request {
        system: rendered.system,
        user: rendered.user,
        temperature: Some(pending.temperature),
        ..Request::new(Task::Generate, stage, pending.id.as_str(), draw, variables)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Reply;
    use std::sync::Arc;

    fn pending(question: Question, id: &str) -> Pending {
        let fields = ["query", "label", "output", "text", "apis"].map(|name| (name.to_owned(), Value::from(id)));
        Pending {
            question,
            id: id.to_owned(),
            locale: "en".to_owned(),
            variables: fields.into(),
            besides: Object::new(),
            draw: 0,
            temperature: 0.0,
            hashed: std::sync::OnceLock::new(),
        }
    }

    fn chat() -> Chat {
        Chat::builtin(
            "judge",
            Arc::new(|request: &Request| {
                let text = match (&*request.item, request.draw) {
                    ("late", 0) => "well",
                    ("late", _) if request.user.contains("no number between 0 and 1") => "[[0.5]]",
                    ("words", _) => "good",
                    _ => "[[1.000]]",
                };
                Reply { text: text.to_owned(), ..Reply::default() }
            }),
        )
    }

    #[tokio::test]
    async fn answers_come_in_the_order_of_the_questions_and_a_judge_is_asked_twice() {
        let questions = ["a", "late", "words"].map(|id| pending(Question::Judge, id));
        let asked = ask(&chat(), &crate::fixtures::prompts(), &questions, 3).await.unwrap();
        let said: Vec<&str> = asked.recorded.iter().map(|it| it.reply.as_str()).collect();
        assert_eq!((said, asked.lost), (vec!["[[1.000]]", "[[0.5]]", "good"], 0));
        assert!(asked.recorded.iter().zip(&questions).all(|(it, pending)| it.hash == pending.hash()));
    }

    #[tokio::test]
    async fn every_vote_is_a_draw_of_its_own_and_is_kept_at_once() {
        let votes = [0, 1, 2].map(|draw| Pending { draw, temperature: 0.7, ..pending(Question::Judge, "a") });
        let mut kept = Vec::new();
        let mut keep = |answer: &Recorded| {
            kept.push(answer.draw);
            Ok(())
        };
        let asked = ask_each(&chat(), &crate::fixtures::prompts(), &votes, 2, &mut keep).await.unwrap();
        kept.sort_unstable();
        assert_eq!((kept, asked.recorded.iter().map(|it| it.draw).collect()), (vec![0, 1, 2], vec![0, 1, 2]));
        let full =
            ask_each(&chat(), &crate::fixtures::prompts(), &votes, 1, &mut |_| Err(std::io::Error::other("full")))
                .await;
        assert_eq!(full.unwrap_err().to_string(), "cannot store an answer: full");
    }

    #[tokio::test]
    async fn prompts_of_other_people_are_given_more_and_are_known_by_their_hash() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("callnavi")).unwrap();
        std::fs::write(folder.path().join("callnavi/judge_callnavi.md"), " {{ more }} {{ label }}\n").unwrap();
        let prompts = Prompts::read(crate::fixtures::assets(), folder.path(), &"callnavi".into()).unwrap();
        let chat = Chat::builtin(
            "judge",
            Arc::new(|request: &Request| Reply { text: format!("[[1]]{}|", request.user), ..Reply::default() }),
        );
        let besides = [("more".to_owned(), "more".into())].into();
        let question = Pending { besides, ..pending(Question::Judge, "a") };
        let asked = ask(&chat, &prompts, std::slice::from_ref(&question), 1).await.unwrap();
        assert_eq!(asked.recorded[0].reply, "[[1]] more a\n|");
        assert_eq!(asked.recorded[0].hash, format!("{}-{}", question.hash(), prompts.hash()));
    }

    #[tokio::test]
    async fn a_repair_is_asked_for_once() {
        let asked = ask(&chat(), &crate::fixtures::prompts(), &[pending(Question::Repair, "words")], 1).await.unwrap();
        assert_eq!((asked.recorded[0].reply.as_str(), asked.recorded[0].question), ("good", Question::Repair));
    }
}
