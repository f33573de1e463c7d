//! Models that help while another is asked: a judge of calls, and one that makes vectors.

use super::asking::{Asking, Learnt, Wanted};
use super::desk::Job;
use crate::failure::{ItemError, RunStopped, SetupError};
use crate::llm::{Chat, ChatDeps, Embeddings, Prompts};
use crate::record::Sample;
use crate::{AskError, Recorded, ask};

/// Those who can be asked.
pub(super) struct Help {
    judge: Option<Chat>,
    prompts: Prompts,
    embeddings: Option<Embeddings>,
}

/// Why a sample cannot go on.
pub(super) enum Stuck {
    /// It alone: somebody gave no answer.
    Item(String),
    /// Nothing can.
    Stop(RunStopped),
}

impl Help {
    /// Opens those that a job has.
    pub(super) fn open(job: &Job, deps: &ChatDeps) -> Result<Self, SetupError> {
        let judge = job.judge.as_ref().map(|model| Chat::open("judge", model, deps.clone())).transpose()?;
        let embeddings = job.embeddings.as_ref().map(|model| Embeddings::open(model, deps.clone())).transpose()?;
        Ok(Self { judge, prompts: job.judged_by.clone(), embeddings })
    }

    /// Has everything said that is wanted before the next request; what judges said newly.
    pub(super) async fn give(
        &self,
        asking: &dyn Asking,
        sample: &Sample,
        said: &[crate::llm::Reply],
    ) -> Result<Vec<Recorded>, Stuck> {
        let mut recorded = Vec::new();
        loop {
            let wanted = asking.wanted(sample, said);
            if wanted.is_empty() {
                return Ok(recorded);
            }
            let learnt = self.answer(wanted).await?;
            recorded.extend(learnt.replies.iter().cloned());
            asking.learn(learnt);
        }
    }

    /// The names of those who help, and what people should know about them.
    pub(super) fn notes(&self) -> Vec<String> {
        self.judge.iter().flat_map(Chat::notes).collect()
    }

    async fn answer(&self, wanted: Wanted) -> Result<Learnt, Stuck> {
        let Wanted { questions, texts } = wanted;
        let mut learnt = Learnt::default();
        if !questions.is_empty() {
            let judge = self.judge.as_ref().ok_or_else(|| Stuck::Item("nobody judges".to_owned()))?;
            let asked = ask(judge, &self.prompts, &questions, questions.len()).await?;
            if asked.lost > 0 {
                return Err(Stuck::Item(format!("the judge `{}` gave no answer", judge.model_name())));
            }
            learnt.replies = asked.recorded;
        }
        if !texts.is_empty() {
            let model = self.embeddings.as_ref().ok_or_else(|| Stuck::Item("nobody makes vectors".to_owned()))?;
            let vectors = model.embed(&texts).await.map_err(ItemError::from)?;
            learnt.vectors = texts.into_iter().zip(vectors).collect();
        }
        Ok(learnt)
    }
}

impl From<AskError> for Stuck {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Prompt(error) => Self::Stop(RunStopped::Input(error.to_string())),
            AskError::Chat(error) => ItemError::from(error).into(),
            AskError::Keep(error) => Self::Stop(RunStopped::Input(error.to_string())),
        }
    }
}

impl From<ItemError> for Stuck {
    fn from(failure: ItemError) -> Self {
        match failure {
            ItemError::Item { fault, .. } => Self::Item(fault.detail),
            ItemError::Stopped(stop) => Self::Stop(stop),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample;
    use super::*;
    use crate::llm::ProviderKind;
    use crate::llm::stub::{Rule, Stub, StubOptions};
    use crate::llm::{ModelConfig, Reply, Request};
    use crate::{Pending, Question};
    use std::sync::{Arc, Mutex};

    /// Wants one answer and one vector.
    #[derive(Default)]
    struct Curious {
        learnt: Mutex<Learnt>,
    }

    impl Asking for Curious {
        fn variant(&self) -> &'static str {
            "curious"
        }

        fn check(&self, _: &Sample) -> Result<(), String> {
            Ok(())
        }

        fn next(&self, _: &Sample, _: u32, _: &[Reply]) -> Result<Option<Request>, RunStopped> {
            Ok(None)
        }

        fn wanted(&self, sample: &Sample, _: &[Reply]) -> Wanted {
            let learnt = self.learnt.lock().unwrap();
            let fields = ["query", "dialogue", "function", "label", "output"];
            let variables = fields.map(|name| (name.to_owned(), "x".into())).into();
            let pending = || Pending::new(Question::SameCall, sample, variables);
            match (learnt.replies.is_empty(), learnt.vectors.is_empty()) {
                (true, _) => Wanted { questions: vec![pending()], texts: Vec::new() },
                (_, true) => Wanted { questions: Vec::new(), texts: vec!["a".to_owned(), "b".to_owned()] },
                _ => Wanted::default(),
            }
        }

        fn learn(&self, learnt: Learnt) {
            let mut all = self.learnt.lock().unwrap();
            all.replies.extend(learnt.replies);
            all.vectors.extend(learnt.vectors);
        }
    }

    async fn given(judge: bool, embeddings: bool, says: &str) -> (Curious, Result<Vec<Recorded>, String>) {
        let rule = Rule::Text(says.to_owned());
        let stub = Stub::start(StubOptions { rule, ..StubOptions::default() }).await.unwrap();
        let (provider, base_url) = (ProviderKind::Openai, stub.base_url());
        let model = ModelConfig { provider, base_url, model: "h".to_owned(), ..ModelConfig::default() };
        let mut job = Job::new(crate::fixtures::assets(), "bench", "out");
        (job.judge, job.embeddings) = (judge.then(|| model.clone()), embeddings.then_some(model));
        let help = Help::open(&job, &ChatDeps::new(Arc::new(|_: &Request| Reply::default()))).ok().unwrap();
        let curious = Curious::default();
        let given = help.give(&curious, &sample("a"), &[]).await;
        let told = given.map_err(|stuck| match stuck {
            Stuck::Item(detail) => detail,
            Stuck::Stop(stop) => format!("stop: {stop}"),
        });
        assert!(help.notes().is_empty());
        (curious, told)
    }

    #[tokio::test]
    async fn others_are_asked_until_nothing_is_wanted() {
        let (curious, recorded) = given(true, true, "{\"is_equal\": true}").await;
        let learnt = curious.learnt.into_inner().unwrap();
        assert_eq!((learnt.replies.as_slice(), learnt.vectors.len()), (recorded.unwrap().as_slice(), 2));
        assert_eq!((learnt.replies[0].id.as_str(), learnt.replies[0].model.as_str()), ("a", "h"));
    }

    #[tokio::test]
    async fn whoever_is_not_there_cannot_be_asked() {
        assert_eq!(given(false, true, "").await.1.unwrap_err(), "nobody judges");
        assert_eq!(given(true, false, "well").await.1.unwrap_err(), "nobody makes vectors");
    }

    #[test]
    fn what_ends_the_run_is_told_from_what_ends_a_sample() {
        let refused = crate::llm::ChatError::Refused { model: "m".to_owned(), status: 400, detail: "no".to_owned() };
        assert!(matches!(Stuck::from(AskError::Chat(refused)), Stuck::Item(_)));
        assert!(matches!(
            Stuck::from(AskError::Chat(crate::llm::ChatError::Interrupted)),
            Stuck::Stop(RunStopped::Interrupted)
        ));
    }
}
