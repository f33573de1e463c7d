//! How calls that equal none are matched with golden ones, and the model that makes vectors for it.

use super::exit::{Complaint, USAGE};
use clap::{Args, ValueEnum};
use fcgen::llm::{ModelConfig, Price, ProviderKind};
use fcgen::score::complexfunc::Similarity;

/// Flags of a mapping.
#[derive(Debug, Default, Args)]
pub(crate) struct MappingArguments {
    /// How calls that equal none are matched with golden ones (`structured` where absent)
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "HOW")]
    mapping: Option<MappingFlag>,
    /// Model that makes vectors for `--mapping embedding` or `--string-score embedding`, as its server knows it
    #[arg(help_heading = "Matching by vectors", long, value_name = "M")]
    embedding_model: Option<String>,
    #[arg(
        help_heading = "Matching by vectors",
        long,
        value_name = "URL",
        requires = "embedding_model",
        help = "Its server, which has `/embeddings` below this, such as http://localhost:8000/v1"
    )]
    embedding_base_url: Option<String>,
    /// Environment variable that holds that server's API key
    #[arg(help_heading = "Matching by vectors", long, value_name = "NAME", requires = "embedding_model")]
    embedding_api_key_env: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MappingFlag {
    /// By names and shared arguments
    Structured,
    /// By runs of three letters
    Trigram256,
    /// By the vectors of a model
    Embedding,
}

impl MappingArguments {
    /// What says how alike calls are.
    pub(crate) fn similarity(&self) -> Similarity {
        match self.mapping {
            None | Some(MappingFlag::Structured) => Similarity::Structured,
            Some(MappingFlag::Trigram256) => Similarity::Trigram256,
            Some(MappingFlag::Embedding) => Similarity::Embedding,
        }
    }

    /// The options that were given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        self.mapping.map(|_| "--mapping").into_iter()
    }

    /// The model that makes vectors, where they are wanted. What is not said of it is as for `model`.
    pub(crate) fn model(&self, model: &ModelConfig) -> Result<Option<ModelConfig>, Complaint> {
        match (self.mapping, &self.embedding_model) {
            (Some(MappingFlag::Embedding), _) => self.named("--mapping embedding", model).map(Some),
            (_, Some(_)) => Err(Complaint::new(USAGE, "`--embedding-model` is for `--mapping embedding` alone")),
            _ => Ok(None),
        }
    }

    /// The model that makes vectors, which the option `wanted` cannot do without.
    pub(crate) fn named(&self, wanted: &str, model: &ModelConfig) -> Result<ModelConfig, Complaint> {
        let Some(name) = self.embedding_model.clone() else {
            let complaint = Complaint::new(USAGE, format!("`{wanted}` needs a model that makes vectors"));
            return Err(complaint.hint("name it with `--embedding-model` and `--embedding-base-url`"));
        };
        let config = ModelConfig {
            provider: ProviderKind::Openai,
            model: name,
            base_url: self.embedding_base_url.clone().unwrap_or_else(|| model.base_url.clone()),
            api_key_env: self.embedding_api_key_env.clone().or_else(|| model.api_key_env.clone()),
            // What the model under test costs and wants says nothing of another.
            price: Price::default(),
            extra_body: serde_json::Map::new(),
            endpoint_id: model.endpoint_id.clone().filter(|_| self.embedding_base_url.is_none()),
            ..model.clone()
        };
        match config.faults().into_iter().next() {
            Some(fault) => Err(Complaint::new(USAGE, format!("`--embedding-base-url`: {fault}"))),
            None => Ok(config),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        mapping: MappingArguments,
    }

    fn read(line: &str) -> Result<(Similarity, Option<ModelConfig>), String> {
        let words = ["test"].into_iter().chain(line.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        let base = ModelConfig { base_url: "http://a/v1".to_owned(), temperature: Some(0.5), ..ModelConfig::default() };
        let model = line.mapping.model(&base).map_err(|complaint| complaint.to_string())?;
        assert_eq!(line.mapping.given().next().is_some(), line.mapping.mapping.is_some());
        Ok((line.mapping.similarity(), model))
    }

    #[test]
    fn calls_are_matched_without_a_model_unless_one_is_wanted() {
        assert_eq!(read(""), Ok((Similarity::Structured, None)));
        assert_eq!(read("--mapping trigram256"), Ok((Similarity::Trigram256, None)));
        assert_eq!(read("--mapping structured"), Ok((Similarity::Structured, None)));
    }

    #[test]
    fn a_model_of_vectors_is_beside_the_other_or_elsewhere() {
        let line = "--mapping embedding --embedding-model bge";
        let near = read(line).unwrap().1.unwrap();
        assert_eq!(
            (near.model.as_str(), near.base_url.as_str(), near.provider),
            ("bge", "http://a/v1", ProviderKind::Openai)
        );
        let far = read(&format!("{line} --embedding-base-url http://b/v1 --embedding-api-key-env KEY")).unwrap();
        let model = far.1.unwrap();
        assert_eq!(
            (far.0, model.base_url.as_str(), model.key_variable()),
            (Similarity::Embedding, "http://b/v1", "KEY")
        );
    }

    #[test]
    fn what_does_not_go_together_is_told() {
        let told = |line: &str| read(line).unwrap_err();
        insta::assert_snapshot!(told("--mapping embedding"), @"`--mapping embedding` needs a model that makes vectors");
        insta::assert_snapshot!(told("--mapping structured --embedding-model m"), @"`--embedding-model` is for `--mapping embedding` alone");
        assert_eq!(told("--embedding-model m"), "`--embedding-model` is for `--mapping embedding` alone");
        let elsewhere = "--mapping embedding --embedding-model m --embedding-base-url b";
        insta::assert_snapshot!(told(elsewhere), @"`--embedding-base-url`: `base_url` is not a URL: relative URL without a base");
    }
}
