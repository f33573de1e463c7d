//! Asking a model for the vectors of calls, and keeping them.

use crate::cli::exit::{Complaint, ENDPOINT, INPUT};
use crate::cli::interrupt::{interrupted, wish};
use crate::cli::talk::say;
use crate::cli::words::counted;
use fcgen::llm::{ChatDeps, ChatError, Embeddings, Journal, ModelConfig, Reply, Request, Vector};
use fcgen::suite::complexfunc::Embedded;
use std::path::Path;
use std::sync::Arc;

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
        say(format!("vectors by {} for {}", self.embeddings.model_name(), counted(texts.len(), noun)));
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
    let complaint = Complaint::new(ENDPOINT, format!("there are no vectors: {error}"));
    if hint.is_empty() { complaint.into() } else { complaint.hint(hint).into() }
}

#[cfg(test)]
mod tests {
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
        assert!(told.starts_with("`no/such/embeddings.db` cannot be written"), "{told}");
    }
}
