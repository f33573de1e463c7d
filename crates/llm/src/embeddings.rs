//! Texts as vectors, by any OpenAI-compatible server: journal, equal questions in flight, limits and attempts as in
//! [`Chat`](super::Chat).

use super::attempts::Line;
use super::chat::{ChatDeps, Flights, line};
use super::config::{ModelConfig, ProviderKind};
use super::interrupt::Interrupt;
use super::journal::Journal;
use super::key::Key;
use super::request::{ChatError, Reply, Request};
use super::tasks::{Task, Variables};
use super::usage::{Event, UsageBook};
use super::wait_for_all::wait_for_all;
use crate::record::{Message, Object};
use indexmap::IndexMap;
use std::fmt;
use std::sync::Arc;

/// So many texts go in one request: what the smallest of the usual servers takes.
const BATCH: usize = 32;
/// What usage counts it as.
const STAGE: &str = "embed";

/// A model that turns texts into vectors; cheap to clone.
#[derive(Clone)]
pub struct Embeddings {
    shared: Arc<Shared>,
}

struct Shared {
    line: Line,
    journal: Option<Arc<Journal>>,
    usage: Arc<UsageBook>,
    interrupt: Interrupt,
    flights: Flights,
}

impl Embeddings {
    /// The model that `config` describes; only an endpoint can be one. Nothing is sent yet.
    pub fn open(config: &ModelConfig, deps: ChatDeps) -> Result<Self, ChatError> {
        let told = |detail: String| ChatError::Endpoint { detail, hint: "embeddings require an endpoint".to_owned() };
        if config.provider != ProviderKind::Openai {
            return Err(told("the built-in model has no embeddings".to_owned()));
        }
        if let Some(fault) = config.faults().into_iter().next() {
            return Err(told(fault.message));
        }
        // Nothing is written, so that no tokens are put aside for it.
        let line = line(&ModelConfig { max_tokens: Some(0), ..config.clone() }, &deps)?;
        let ChatDeps { journal, usage, interrupt, .. } = deps;
        Ok(Self { shared: Arc::new(Shared { line, journal, usage, interrupt, flights: Flights::default() }) })
    }

    /// The model's name.
    pub fn model_name(&self) -> &str {
        &self.shared.line.endpoint.config().model
    }

    /// The vectors of the texts, in their order.
    pub async fn embed(&self, texts: &[String]) -> Result<Vec<Vector>, ChatError> {
        let answer = tokio::select! {
            biased;
            () = self.shared.interrupt.landing() => Err(ChatError::Interrupted),
            answer = self.shared.embed(texts) => answer,
        };
        if answer.is_err() {
            self.shared.count(Event::Failure);
        }
        answer
    }
}

impl Shared {
    async fn embed(&self, texts: &[String]) -> Result<Vec<Vector>, ChatError> {
        let mut known: IndexMap<&str, Option<Vector>> = IndexMap::new();
        for text in texts {
            if !known.contains_key(text.as_str()) {
                self.count(Event::Request);
                known.insert(text, self.look_up(text)?);
            }
        }
        let missing: Vec<&str> = known.iter().filter(|(_, vector)| vector.is_none()).map(|(text, _)| *text).collect();
        for (text, vector) in wait_for_all(missing.chunks(BATCH).map(|batch| self.ask(batch))).await?.concat() {
            known.insert(text, Some(vector));
        }
        Ok(texts.iter().filter_map(|text| known.get(text.as_str())?.clone()).collect())
    }

    fn look_up(&self, text: &str) -> Result<Option<Vector>, ChatError> {
        let Some(journal) = &self.journal else { return Ok(None) };
        let kept = journal.look_up(&self.key(&[text]))?;
        let vector = kept.and_then(|reply| Vector::read(&reply.text));
        if vector.is_some() {
            self.count(Event::CacheHit);
        }
        Ok(vector)
    }

    /// The vectors of texts that nobody knows yet.
    async fn ask<'t>(&self, texts: &[&'t str]) -> Result<Vec<(&'t str, Vector)>, ChatError> {
        let key = self.key(texts);
        let request = request(texts);
        let reply = self.flights.share(key, self.line.ask(&key, &request)).await.answer?;
        // The endpoint has looked at their number and form.
        let vectors: Vec<Vec<f32>> = serde_json::from_str(&reply.text).unwrap_or_default();
        let vectors = vectors.into_iter().map(Vector::new);
        let found: Vec<(&str, Vector)> = texts.iter().copied().zip(vectors).collect();
        found.iter().try_for_each(|(text, vector)| self.keep(text, vector))?;
        Ok(found)
    }

    fn keep(&self, text: &str, vector: &Vector) -> Result<(), ChatError> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let reply = Reply { text: vector.to_string(), ..Reply::default() };
        Ok(journal.keep(self.key(&[text]), &request(&[text]), &reply)?)
    }

    fn key(&self, texts: &[&str]) -> Key {
        Key::new(self.line.endpoint.config(), &request(texts))
    }

    fn count(&self, event: Event) {
        self.usage.count(STAGE, &self.line.endpoint.config().model, event);
    }
}

fn request(texts: &[&str]) -> Request {
    let history = texts.iter().map(|text| Message::user(*text)).collect();
    Request { history, ..Request::new(Task::Embed, STAGE, "", 0, Variables::Generate(Object::new())) }
}

// A text as a vector of length 1.

/// A vector of length 1, so that a product of two says how alike their texts are; cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Vector(Arc<[f32]>);

impl Vector {
    /// A vector in this direction; one of zeros has none, and is like nothing.
    pub fn new(numbers: Vec<f32>) -> Self {
        let length = numbers.iter().map(|number| f64::from(*number).powi(2)).sum::<f64>().sqrt();
        #[expect(clippy::cast_possible_truncation, reason = "it came in single precision")]
        let scaled = |number: f32| if length > 0.0 { (f64::from(number) / length) as f32 } else { 0.0 };
        Self(numbers.into_iter().map(scaled).collect())
    }

    /// How alike two are, from -1 to 1; of different lengths, which no model gives, they are not alike at all.
    pub fn dot(&self, other: &Self) -> f64 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        self.0.iter().zip(&*other.0).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum()
    }

    /// Reads what [`Display`](fmt::Display) wrote. It is of length 1 already, and stays as it is to the last bit.
    pub(super) fn read(text: &str) -> Option<Self> {
        let numbers: Vec<f32> = serde_json::from_str(text).ok()?;
        (!numbers.is_empty()).then(|| Self(numbers.into()))
    }
}

impl fmt::Display for Vector {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&serde_json::to_string(&*self.0).map_err(|_| fmt::Error)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::BuiltIn;
    use crate::config::TextDuration;
    use crate::stub::{FaultPlan, Stub, StubFault, StubOptions};

    fn deps(journal: Option<Arc<Journal>>) -> ChatDeps {
        let nobody: Arc<dyn BuiltIn> = Arc::new(|_: &Request| Reply::default());
        ChatDeps { journal, ..ChatDeps::new(nobody) }
    }

    fn config(base_url: String) -> ModelConfig {
        let backoff = TextDuration::from_millis(1);
        ModelConfig {
            provider: ProviderKind::Openai,
            model: "e".to_owned(),
            base_url,
            backoff,
            ..ModelConfig::default()
        }
    }

    fn words(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("word {number}")).collect()
    }

    async fn failing(faults: impl IntoIterator<Item = StubFault>) -> Stub {
        let faults = FaultPlan::first(faults);
        Stub::start(StubOptions { faults, ..StubOptions::default() }).await.unwrap()
    }

    #[tokio::test]
    async fn texts_go_in_batches_and_equal_ones_once() {
        let stub = failing([]).await;
        let deps = deps(None);
        let embeddings = Embeddings::open(&config(stub.base_url()), deps.clone()).unwrap();
        let mut texts = words(40);
        texts.push("word 3".to_owned());
        let vectors = embeddings.embed(&texts).await.unwrap();
        assert_eq!((vectors.len(), stub.stats().total, embeddings.model_name()), (41, 2, "e"));
        assert!(vectors[40] == vectors[3] && vectors[0] != vectors[1]);
        let row = &deps.usage.snapshot()[0];
        assert_eq!((row.requests, row.attempts, row.completion_tokens, row.stage.as_str()), (40, 2, 0, "embed"));
        assert!(row.prompt_tokens > 0 && embeddings.embed(&[]).await.unwrap().is_empty());
    }

    #[tokio::test]
    async fn what_the_journal_has_is_not_asked_for_again_whatever_it_is_asked_with() {
        let folder = tempfile::tempdir().unwrap();
        let journal = Arc::new(Journal::open(&folder.path().join("run.db")).unwrap());
        let stub = failing([]).await;
        let deps = deps(Some(journal.clone()));
        let embeddings = Embeddings::open(&config(stub.base_url()), deps.clone()).unwrap();
        let first = embeddings.embed(&words(3)).await.unwrap();
        let second = embeddings.embed(&words(4)).await.unwrap();
        assert_eq!((&first[..], stub.stats().total), (&second[..3], 2));
        assert_eq!((deps.usage.snapshot()[0].cache_hits, journal.flush().is_ok()), (3, true));
        let other = ModelConfig { model: "f".to_owned(), ..config(stub.base_url()) };
        let other = Embeddings::open(&other, deps).unwrap();
        assert!(other.embed(&words(1)).await.is_ok() && stub.stats().total == 3, "another model has other vectors");
    }

    #[tokio::test]
    async fn it_tries_again_where_that_may_help_and_says_so_where_not() {
        let stub = failing([StubFault::status(503), StubFault::EmptyChoices, StubFault::TruncatedBody]).await;
        let embeddings = Embeddings::open(&config(stub.base_url()), deps(None)).unwrap();
        assert_eq!((embeddings.embed(&words(1)).await.unwrap().len(), stub.stats().total), (1, 4));
        let stub = failing([StubFault::status(400), StubFault::status(401)]).await;
        let deps = deps(None);
        let embeddings = Embeddings::open(&config(stub.base_url()), deps.clone()).unwrap();
        let refused = embeddings.embed(&words(1)).await.unwrap_err();
        assert!(matches!(refused, ChatError::Refused { status: 400, .. }), "{refused}");
        assert!(matches!(embeddings.embed(&words(1)).await, Err(ChatError::Endpoint { .. })));
        assert_eq!(deps.usage.snapshot()[0].failures, 2);
        deps.interrupt.trigger();
        assert_eq!(embeddings.embed(&words(1)).await, Err(ChatError::Interrupted));
    }

    #[test]
    fn only_an_endpoint_makes_vectors() {
        let told = |config: &ModelConfig| Embeddings::open(config, deps(None)).err().unwrap().to_string();
        assert_eq!(told(&ModelConfig::default()), "the built-in model has no embeddings");
        assert!(told(&config("localhost".to_owned())).starts_with("`base_url` is not a URL"));
    }
}

#[cfg(test)]
mod vector_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn alike_is_what_points_the_same_way() {
        let [one, same, across, against] =
            [vec![3.0, 4.0], vec![6.0, 8.0], vec![-4.0, 3.0], vec![-3.0, -4.0]].map(Vector::new);
        for (other, wanted) in [(&same, 1.0), (&across, 0.0), (&against, -1.0)] {
            assert!((one.dot(other) - wanted).abs() < 1e-6, "{other}");
        }
        assert_eq!(one.to_string(), "[0.6,0.8]");
    }

    #[test]
    fn what_has_no_direction_or_other_places_is_like_nothing() {
        let (zero, one) = (Vector::new(vec![0.0, 0.0]), Vector::new(vec![1.0, 0.0]));
        let products = [zero.dot(&zero), zero.dot(&one), one.dot(&Vector::new(vec![1.0]))];
        assert!(products.iter().all(|product| product.abs() < f64::EPSILON), "{products:?}");
        assert_eq!([Vector::read("[]"), Vector::read("[null]"), Vector::read("x")], [const { None }; 3]);
    }

    proptest! {
        #[test]
        fn a_vector_is_read_as_it_was_written_and_is_no_longer_than_one(numbers in prop::collection::vec(-1e6_f32..1e6, 1..40)) {
            let vector = Vector::new(numbers);
            prop_assert_eq!(Vector::read(&vector.to_string()), Some(vector.clone()));
            prop_assert!(vector.dot(&vector) <= 1.0 + 1e-6);
        }
    }
}
