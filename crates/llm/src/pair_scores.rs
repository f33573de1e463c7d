//! How well claims stand in contexts, as a server says that people run themselves: pairs go out, a score from 0 to 1 for
//! each comes back.

use super::attempts::Line;
use super::chat::{ChatDeps, line_to};
use super::config::{ModelConfig, ProviderKind};
use super::journal::Journal;
use super::key::Key;
use super::openai::Endpoint;
use super::request::{ChatError, Reply, Request};
use super::tasks::{Task, Variables};
use crate::record::Object;
use indexmap::{IndexMap, IndexSet};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

/// So many pairs go in one request.
const BATCH: usize = 256;
/// What usage and messages call it.
const NAME: &str = "string_score";

/// A context and a claim.
pub type Pair = (String, String);

/// A server that scores pairs of texts.
pub struct PairScores {
    line: Line,
    journal: Option<Arc<Journal>>,
    known: Mutex<IndexMap<Pair, f64>>,
}

/// Why there are no scores.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PairError {
    /// The server cannot be asked.
    #[error(transparent)]
    Chat(#[from] ChatError),
    /// It answers something that is no score for each pair, and none is made up.
    #[error("no scores from `{url}`: {detail}")]
    Answer {
        /// The server.
        url: String,
        /// What is wrong with its answer.
        detail: String,
    },
}

impl PairScores {
    /// The server at `url`. Nothing is sent yet, and never a key: it is no model's endpoint.
    pub fn open(url: &str, deps: ChatDeps) -> Result<Self, ChatError> {
        let (model, base_url) = (NAME.to_owned(), url.to_owned());
        // Whoever scores on one processor is not helped by many questions at once.
        let config = ModelConfig { max_tokens: Some(0), concurrency: 4, model, base_url, ..ModelConfig::default() };
        let config = ModelConfig { provider: ProviderKind::Openai, ..config };
        if let Some(fault) = config.faults().into_iter().next() {
            let hint = "expected a URL such as http://localhost:5000/score".to_owned();
            return Err(ChatError::Endpoint { detail: fault.message.replace("base_url", "--string-score-url"), hint });
        }
        let line = line_to(Endpoint::open_without_key(&config)?, &config, &deps)?;
        Ok(Self { line, journal: deps.journal, known: Mutex::default() })
    }

    /// The scores of the pairs, in their order. Equal texts and empty claims are nobody's business, and what was answered
    /// once is not asked again.
    pub async fn score(&self, pairs: &[Pair]) -> Result<Vec<f64>, PairError> {
        let wanted: IndexSet<&Pair> = pairs.iter().filter(|pair| self.known(pair).is_none()).collect();
        let mut missing = Vec::new();
        for pair in wanted {
            match self.look_up(pair)? {
                Some(score) => self.remember(pair, score),
                None => missing.push(pair),
            }
        }
        for batch in missing.chunks(BATCH) {
            for (pair, score) in batch.iter().zip(self.ask(batch).await?) {
                self.remember(pair, score);
                self.keep(pair, score)?;
            }
        }
        Ok(pairs.iter().filter_map(|pair| self.known(pair)).collect())
    }

    fn known(&self, pair: &Pair) -> Option<f64> {
        obvious(pair).or_else(|| self.known.lock().unwrap_or_else(PoisonError::into_inner).get(pair).copied())
    }

    fn remember(&self, pair: &Pair, score: f64) {
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(pair.clone(), score);
    }

    async fn ask(&self, batch: &[&Pair]) -> Result<Vec<f64>, PairError> {
        let request = request(batch);
        let key = Key::new(self.line.endpoint.config(), &request);
        let reply = self.line.ask(&key, &request).await?;
        let url = || self.line.endpoint.config().base_url.clone();
        read(&reply.text, batch.len()).map_err(|detail| PairError::Answer { url: url(), detail })
    }

    fn look_up(&self, pair: &Pair) -> Result<Option<f64>, ChatError> {
        let Some(journal) = &self.journal else { return Ok(None) };
        let kept = journal.look_up(&Key::new(self.line.endpoint.config(), &request(&[pair])))?;
        Ok(kept.and_then(|reply| reply.text.parse().ok()))
    }

    fn keep(&self, pair: &Pair, score: f64) -> Result<(), ChatError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let request = request(&[pair]);
        let reply = Reply { text: score.to_string(), ..Reply::default() };
        Ok(journal.keep(Key::new(self.line.endpoint.config(), &request), &request, &reply)?)
    }
}

/// What needs no server: equal texts say the same, and an empty claim says nothing.
fn obvious((context, claim): &Pair) -> Option<f64> {
    if context == claim {
        return Some(1.0);
    }
    claim.trim().is_empty().then_some(0.0)
}

fn request(pairs: &[&Pair]) -> Request {
    let pair = |(context, claim): &&Pair| json!({"context": context, "claim": claim});
    let body = json!({"pairs": pairs.iter().map(pair).collect::<Vec<_>>()});
    let variables = Variables::Generate(Object::new());
    Request { user: body.to_string(), ..Request::new(Task::Score, NAME, "", 0, variables) }
}

/// The scores in an answer to `count` pairs, or what is wrong with it.
fn read(answer: &str, count: usize) -> Result<Vec<f64>, String> {
    let shown: String = answer.chars().take(200).collect();
    let answer: Value =
        serde_json::from_str(answer).map_err(|error| format!("the answer is not JSON ({error}): {shown}"))?;
    let scores = answer.get("scores").and_then(Value::as_array);
    let scores = scores.ok_or_else(|| format!("the answer has no list `scores`: {shown}"))?;
    if scores.len() != count {
        return Err(format!("{} scores for {count} pairs", scores.len()));
    }
    let score = |score: &Value| {
        let number = score.as_f64().filter(|number| (0.0..=1.0).contains(number));
        number.ok_or_else(|| format!("`{score}` is not a number from 0 to 1"))
    };
    scores.iter().map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stub::{FaultPlan, Stub, StubFault, StubOptions};
    use proptest::prelude::*;

    fn deps(journal: Option<Arc<Journal>>) -> ChatDeps {
        ChatDeps { journal, ..ChatDeps::new(Arc::new(|_: &Request| Reply::default())) }
    }

    async fn stub(faults: impl IntoIterator<Item = StubFault>) -> Stub {
        Stub::start(StubOptions { faults: FaultPlan::first(faults), ..StubOptions::default() }).await.unwrap()
    }

    fn scorer(stub: &Stub, journal: Option<Arc<Journal>>) -> PairScores {
        PairScores::open(&format!("{}/pairs", stub.base_url()), deps(journal)).unwrap()
    }

    fn pair(context: &str, claim: &str) -> Pair {
        (context.to_owned(), claim.to_owned())
    }

    #[tokio::test]
    async fn pairs_go_in_batches_once_each_and_what_is_obvious_stays_here() {
        let stub = stub([]).await;
        let scorer = scorer(&stub, None);
        let mut pairs: Vec<Pair> = (0..300).map(|number| pair("red hotel", &format!("red {number}"))).collect();
        pairs.extend([pair("a", "a"), pair("a", " "), pair("red hotel", "red 7"), pair("red hotel", "the red hotel")]);
        let scores = scorer.score(&pairs).await.unwrap();
        assert_eq!((scores.len(), stub.stats().total), (304, 2));
        assert_eq!((&scores[300..303], scores[7]), (&[1.0, 0.0, 0.5][..], 0.5));
        assert!((scores[303] - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!((scorer.score(&pairs).await.unwrap(), stub.stats().total), (scores, 2));
        assert_eq!(scorer.score(&[pair("", ""), pair("x", "")]).await.unwrap(), [1.0, 0.0]);
    }

    #[tokio::test]
    async fn exactly_a_batch_is_one_request() {
        for (count, requests) in [(256, 1), (257, 2)] {
            let stub = stub([]).await;
            let pairs: Vec<Pair> = (0..count).map(|number| pair("x", &number.to_string())).collect();
            assert_eq!(scorer(&stub, None).score(&pairs).await.unwrap().len(), count);
            assert_eq!(stub.stats().total, requests);
        }
    }

    #[tokio::test]
    async fn an_answer_that_is_no_score_for_each_pair_is_an_error_at_once() {
        for (body, told) in [
            (r#"{"scores": []}"#, "0 scores for 1 pairs"),
            (r#"{"scores": [0.1, 0.2]}"#, "2 scores for 1 pairs"),
            (r#"{"scores": [1.01]}"#, "`1.01` is not a number from 0 to 1"),
            (r#"{"scores": [-0.1]}"#, "`-0.1` is not a number from 0 to 1"),
            (r#"{"scores": [null]}"#, "`null` is not a number from 0 to 1"),
            (r#"{"scores": ["0.5"]}"#, "`\"0.5\"` is not a number from 0 to 1"),
            (
                r#"{"scores": [NaN]}"#,
                "the answer is not JSON (expected value at line 1 column 13): {\"scores\": [NaN]}",
            ),
            (r#"{"score": [0.5]}"#, "the answer has no list `scores`: {\"score\": [0.5]}"),
        ] {
            let stub = stub([StubFault::json(200, body)]).await;
            let error = scorer(&stub, None).score(&[pair("a", "b")]).await.unwrap_err();
            let url = format!("{}/pairs", stub.base_url());
            assert_eq!(error.to_string(), format!("no scores from `{url}`: {told}"));
            assert_eq!(stub.stats().total, 1, "{body}");
        }
    }

    #[tokio::test]
    async fn what_may_pass_is_tried_again_and_what_was_kept_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::open(&folder.path().join("scores.db")).unwrap());
        let stub = stub([StubFault::status(503).with_header("retry-after", "0")]).await;
        let first = scorer(&stub, Some(journal.clone())).score(&[pair("red hotel", "red")]).await.unwrap();
        assert_eq!((first, stub.stats().total), (vec![1.0], 2));
        let again = scorer(&stub, Some(journal)).score(&[pair("red hotel", "red"), pair("red", "blue")]).await.unwrap();
        assert_eq!((again, stub.stats().total), (vec![1.0, 0.0], 3));
    }

    #[tokio::test]
    async fn a_server_that_is_not_there_is_told() {
        let gone = stub([]).await;
        let scorer = scorer(&gone, None);
        gone.stop().await;
        let error = scorer.score(&[pair("a", "b")]).await.unwrap_err();
        assert!(matches!(error, PairError::Chat(ChatError::Endpoint { .. })), "{error}");
        let told = PairScores::open("localhost", deps(None)).err().unwrap().to_string();
        assert_eq!(told, "`--string-score-url` is not a URL: relative URL without a base");
    }

    proptest! {
        #[test]
        fn whatever_is_answered_is_read_or_told(answer in ".{0,40}", scores in prop::collection::vec(-2.0_f64..2.0, 0..4)) {
            prop_assert!(read(&answer, 1).is_err() || answer.contains("scores"));
            let sound = scores.len() == 2 && scores.iter().all(|score| (0.0..=1.0).contains(score));
            prop_assert_eq!(read(&json!({"scores": scores}).to_string(), 2).is_ok(), sound);
        }
    }
}
