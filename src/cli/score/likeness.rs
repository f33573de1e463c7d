//! Models that say how alike strings and calls are.

use super::suites::complexfunc::TrajectoryArguments;
use crate::cli::console::exit::{Complaint, ENDPOINT, INPUT, USAGE};
use crate::cli::console::interrupt::{interrupted, wish};
use crate::cli::console::talk::say;
use crate::cli::console::words::counted;
use clap::Args;
use fcgen::llm::{
    ChatDeps, ChatError, Embeddings, Journal, ModelConfig, Pair, PairError, PairScores, Reply, Request, Vector,
};
use fcgen::suite::complexfunc::Embedded;
use fcgen::suite::confetti::metric::{Measure, StringScore};
use fcgen::suite::confetti::{Helpers, string_score};
use indexmap::IndexSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

// How strings of CONFETTI's calls are scored, and who is asked for it besides a judge.

/// Flags of string scores.
#[derive(Debug, Args)]
pub(crate) struct StringArguments {
    /// String score: exact, `token_f1`, `rouge_l`, chrf, embedding, http or judge; all except exact also with the
    /// prefix `guarded_`
    #[arg(help_heading = "CONFETTI", long = "string-score", value_name = "S", default_value = "guarded_token_f1")]
    name: String,
    #[arg(
        long = "string-score-url",
        value_name = "URL",
        help = "CONFETTI: server of `--string-score http`; it receives {\"pairs\": [{\"context\", \"claim\"}, ..]} and returns {\"scores\": [0..1, ..]}"
    )]
    url: Option<String>,
    /// File that caches the server's scores, so that the same command needs no server
    #[arg(help_heading = "CONFETTI", long = "string-score-cache", value_name = "FILE", requires = "url")]
    cache: Option<PathBuf>,
}

/// Who scores strings where the rules alone do not.
pub(super) enum Scorer {
    /// A model that makes vectors.
    Vectors(Embedder),
    /// A server of people's own.
    Pairs(Box<PairScores>, Option<Arc<Journal>>),
}

impl StringArguments {
    /// The score that is wanted.
    pub(super) fn score(&self) -> anyhow::Result<StringScore> {
        let score =
            string_score(fcgen::assets(), &self.name).map_err(|error| Complaint::new(USAGE, error.to_string()))?;
        if self.url.is_some() && score.measure != Measure::Http {
            return Err(Complaint::new(USAGE, "`--string-score-url` requires `--string-score http`").into());
        }
        Ok(score)
    }

    /// Who is asked for it, where it is neither the rules nor a judge.
    pub(super) fn scorer(&self, measure: Measure, vectors: &TrajectoryArguments) -> anyhow::Result<Option<Scorer>> {
        match measure {
            Measure::Embedding => Ok(Some(Scorer::Vectors(vectors.embedder_for("--string-score embedding")?))),
            Measure::Http => self.pairs().map(Some),
            _ => Ok(None),
        }
    }

    fn pairs(&self) -> anyhow::Result<Scorer> {
        let Some(url) = &self.url else {
            let complaint = Complaint::new(USAGE, "`--string-score http` needs a server");
            return Err(complaint.hint("set it with `--string-score-url`").into());
        };
        let open = |path: &PathBuf| Journal::open(path).map(Arc::new);
        let journal = self.cache.as_ref().map(open).transpose();
        let journal = journal.map_err(Complaint::input)?;
        let deps = ChatDeps { journal: journal.clone(), ..ChatDeps::new(Arc::new(|_: &Request| Reply::default())) };
        let pairs = PairScores::open(url, deps).map_err(|error| unscored(&error.into()))?;
        Ok(Scorer::Pairs(Box::new(pairs), journal))
    }
}

impl Scorer {
    /// Gives every pair that waits its score. Without one of them there is no figure.
    pub(super) fn fill(&self, helpers: &mut Helpers) -> anyhow::Result<()> {
        let pairs = helpers.take_pairs();
        if pairs.is_empty() {
            return Ok(());
        }
        let scores = match self {
            Self::Vectors(embedder) => cosines(embedder, &pairs)?,
            Self::Pairs(scores, journal) => {
                say(format!("requesting scores for {}", counted(pairs.len(), "pair")));
                let runtime = tokio::runtime::Runtime::new()?;
                let found = runtime.block_on(scores.score(&pairs)).map_err(|error| unscored(&error))?;
                journal.as_ref().map(|journal| journal.flush()).transpose()?;
                found
            }
        };
        pairs.into_iter().zip(scores).for_each(|(pair, score)| helpers.add(pair, score));
        Ok(())
    }
}

/// How alike the vectors of both texts are. What points away from each other is not less alike than nothing.
fn cosines(embedder: &Embedder, pairs: &[Pair]) -> anyhow::Result<Vec<f64>> {
    let texts: IndexSet<String> =
        pairs.iter().flat_map(|(gold, predicted)| [gold.clone(), predicted.clone()]).collect();
    let list: Vec<String> = texts.iter().cloned().collect();
    let vectors = embedder.vectors(&list, "text")?;
    let vector = |text: &String| texts.get_index_of(text).and_then(|at| vectors.get(at));
    let cosine = |(gold, predicted): &Pair| Some(vector(gold)?.dot(vector(predicted)?).clamp(0.0, 1.0));
    let missing = || Complaint::new(ENDPOINT, "the server returned fewer embeddings than texts");
    pairs.iter().map(|pair| Ok(cosine(pair).ok_or_else(missing)?)).collect()
}

fn unscored(error: &PairError) -> Complaint {
    let complaint = Complaint::new(ENDPOINT, format!("strings cannot be scored: {error}"));
    match error {
        PairError::Chat(ChatError::Endpoint { .. }) => {
            complaint.hint("check that the server is running and that `--string-score-url` is correct")
        }
        PairError::Answer { .. } => complaint.hint("the server must return a score for every pair"),
        PairError::Chat(_) => complaint,
    }
}

// Asking a model for the vectors of calls, and keeping them.

/// A model that makes vectors, with what it made before.
pub(super) struct Embedder {
    embeddings: Embeddings,
    journal: Arc<Journal>,
}

impl Embedder {
    /// Opens the model, and the file in which its vectors are kept.
    pub(super) fn open(config: &ModelConfig, kept: &Path) -> anyhow::Result<Self> {
        let cannot = |error: fcgen::llm::JournalError| Complaint::new(INPUT, error.to_string());
        let journal = Arc::new(Journal::open(kept).map_err(cannot)?);
        let nobody = ChatDeps::new(Arc::new(|_: &Request| Reply::default())).stopped_by(&wish());
        let embeddings = Embeddings::open(config, ChatDeps { journal: Some(journal.clone()), ..nobody })
            .map_err(|error| unreachable(&error))?;
        Ok(Self { embeddings, journal })
    }

    /// Gives every text that waits its vector; whether there were any.
    pub(super) fn embed(&self, embedded: &mut Embedded) -> anyhow::Result<bool> {
        let texts = embedded.take_open();
        if texts.is_empty() {
            return Ok(false);
        }
        let vectors = self.vectors(&texts, "call")?;
        texts.into_iter().zip(vectors).for_each(|(text, vector)| embedded.add(text, vector));
        Ok(true)
    }

    /// The vectors of texts, of which each is a `noun`.
    pub(super) fn vectors(&self, texts: &[String], noun: &str) -> anyhow::Result<Vec<Vector>> {
        say(format!("requesting embeddings from {} for {}", self.embeddings.model_name(), counted(texts.len(), noun)));
        let runtime = tokio::runtime::Runtime::new()?;
        let vectors = runtime.block_on(self.embeddings.embed(texts)).map_err(|error| unreachable(&error))?;
        self.journal.flush()?;
        Ok(vectors)
    }
}

fn unreachable(error: &ChatError) -> anyhow::Error {
    if *error == ChatError::Interrupted {
        return interrupted();
    }
    let hint = if let ChatError::Endpoint { hint, .. } = error { hint.clone() } else { String::new() };
    let complaint = Complaint::new(ENDPOINT, format!("embedding request failed: {error}"));
    if hint.is_empty() { complaint.into() } else { complaint.hint(hint).into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen::llm::stub::{FaultPlan, Stub, StubFault, StubOptions};

    fn arguments(name: &str, url: Option<String>, cache: Option<PathBuf>) -> StringArguments {
        StringArguments { name: name.to_owned(), url, cache }
    }

    fn told<T>(result: anyhow::Result<T>) -> String {
        result.err().unwrap().to_string()
    }

    #[test]
    fn what_does_not_go_together_is_told() {
        let url = || Some("http://localhost:1/score".to_owned());
        assert_eq!(told(arguments("chrf", url(), None).score()), "`--string-score-url` requires `--string-score http`");
        assert!(told(arguments("bleu", None, None).score()).starts_with("unknown string score `bleu`"));
        assert_eq!(told(arguments("http", None, None).pairs()), "`--string-score http` needs a server");
        let bad = arguments("http", Some("localhost".to_owned()), None).pairs();
        assert_eq!(
            told(bad),
            "strings cannot be scored: `--string-score-url` is not a URL: relative URL without a base"
        );
        let nowhere = arguments("http", url(), Some("no/such/scores.db".into())).pairs();
        assert!(told(nowhere).starts_with("cannot write `no/such/scores.db`"));
        assert_eq!(arguments("guarded_http", url(), None).score().unwrap().name(), "guarded_http");
    }

    #[test]
    fn an_answer_without_scores_ends_it() {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let faults = FaultPlan::always(StubFault::json(200, r#"{"scores": [7]}"#));
        let stub = runtime.block_on(Stub::start(StubOptions { faults, ..StubOptions::default() })).unwrap();
        let Scorer::Pairs(pairs, _) = arguments("http", Some(stub.base_url() + "/pairs"), None).pairs().unwrap() else {
            panic!()
        };
        let error = runtime.block_on(pairs.score(&[("a".to_owned(), "b".to_owned())])).unwrap_err();
        assert!(unscored(&error).to_string().ends_with(": `7` is not a number from 0 to 1"));
    }
}

#[cfg(test)]
mod embedder_tests {
    use super::*;
    use fcgen::llm::ProviderKind;
    use fcgen::llm::stub::{Stub, StubOptions};
    use fcgen::record::{FunctionCall, Object};

    #[test]
    fn vectors_are_asked_for_once_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("embeddings.db");
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let stub = runtime.block_on(Stub::start(StubOptions::default())).unwrap();
        let model = ModelConfig { provider: ProviderKind::Openai, model: "e".to_owned(), ..ModelConfig::default() };
        let model = ModelConfig { base_url: stub.base_url(), ..model };
        let call = FunctionCall { name: "f".to_owned(), arguments: Object::new() };
        for _ in 0..2 {
            let (embedder, mut embedded) = (Embedder::open(&model, &kept).unwrap(), Embedded::default());
            assert_eq!(embedded.similarity(&[&call], &[&call]), None);
            assert!(embedder.embed(&mut embedded).unwrap() && !embedder.embed(&mut embedded).unwrap());
            assert!((embedded.similarity(&[&call], &[&call]).unwrap()[0] - 1.0).abs() < 1e-6);
        }
        assert_eq!(stub.stats().total, 1);
    }

    #[test]
    fn a_file_that_cannot_be_kept_is_told() {
        let model = ModelConfig { provider: ProviderKind::Openai, model: "e".to_owned(), ..ModelConfig::default() };
        let told = Embedder::open(&model, Path::new("no/such/embeddings.db")).err().unwrap().to_string();
        assert!(told.starts_with("cannot write `no/such/embeddings.db`"), "{told}");
    }
}
