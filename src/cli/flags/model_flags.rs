//! The flags by which a command line describes a model, as `[model.ROLE]` does in a pipeline file.

use crate::cli::console::exit::{Complaint, USAGE};
use clap::{Args, ValueEnum};
use fcgen::llm::{ModelConfig, Price, ProviderKind};
use fcgen::suite::complexfunc::metric::Similarity;
use std::str::FromStr;

/// Flags of a model to be asked.
#[derive(Debug, Clone, Args)]
pub(crate) struct ModelArguments {
    /// Model name on its server; default: the built-in model (in `predict`, the lexical baseline)
    #[arg(help_heading = "Model", long, value_name = "M")]
    model: Option<String>,
    // Not a doc comment: a bare URL in one is a warning, and a marked one looks odd on a help page.
    #[arg(
        help_heading = "Model",
        long,
        value_name = "URL",
        requires = "model",
        help = "OpenAI-compatible server, such as http://localhost:8000/v1; default: OpenAI's API"
    )]
    base_url: Option<String>,
    #[arg(
        help_heading = "Model",
        long,
        value_name = "NAME",
        requires = "model",
        help = "Environment variable with the API key; default: OPENAI_API_KEY"
    )]
    api_key_env: Option<String>,
    /// Sampling temperature; default: 0; `none` leaves it to the server
    #[arg(help_heading = "Model", long, value_name = "T")]
    temperature: Option<Given<f64>>,
    /// Maximum output tokens per reply; default: 4096; `none` leaves it to the server
    #[arg(help_heading = "Model", long, value_name = "N")]
    max_tokens: Option<Given<u64>>,
    /// Maximum concurrent requests; default: 64
    #[arg(help_heading = "Model", long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    concurrency: Option<u16>,
    /// Maximum requests per minute
    #[arg(help_heading = "Model", long, alias = "rpm", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    requests_per_minute: Option<u32>,
    /// Maximum tokens per minute, input and output together
    #[arg(help_heading = "Model", long, alias = "tpm", value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    tokens_per_minute: Option<u64>,
    /// US dollars per million input and output tokens, such as 0.3,1.2
    #[arg(help_heading = "Model", long, value_name = "IN,OUT")]
    price: Option<Prices>,
    /// Stop at this total cost in US dollars, by the price; rerun with a higher limit to resume
    #[arg(help_heading = "Model", long, value_name = "USD", requires = "price", value_parser = bound)]
    max_cost: Option<f64>,
    #[arg(
        help_heading = "Model",
        long,
        value_name = "KEY=VALUE",
        help = "Set any key of the model: timeout=90s, retries=9, top_p=0.9, extra_body.top_k=20 (repeatable)"
    )]
    set: Vec<String>,
}

/// Enough for a call and for the thought before it.
const LONGEST_REPLY: u64 = 4096;

/// A value, or the word that leaves it to the server.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Given<T>(Option<T>);

/// What is read and written costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Prices(pub(crate) Price);

impl ModelArguments {
    /// The model that the flags describe.
    pub(crate) fn config(&self) -> Result<ModelConfig, Complaint> {
        let mut config = read_sets(&self.set)?;
        if let Some(model) = &self.model {
            (config.provider, config.model) = (ProviderKind::Openai, model.clone());
        }
        config.base_url = self.base_url.clone().unwrap_or(config.base_url);
        config.api_key_env = self.api_key_env.clone().or(config.api_key_env);
        config.temperature = self.temperature.map_or(config.temperature.or(Some(0.0)), |given| given.0);
        config.max_tokens = self.max_tokens.map_or(config.max_tokens.or(Some(LONGEST_REPLY)), |given| given.0);
        config.concurrency = self.concurrency.map_or(config.concurrency, usize::from);
        config.requests_per_minute = self.requests_per_minute.or(config.requests_per_minute);
        config.tokens_per_minute = self.tokens_per_minute.or(config.tokens_per_minute);
        config.price = self.price.map_or(config.price, |price| price.0);
        let faults: Vec<String> = config.faults().iter().map(ToString::to_string).collect();
        if faults.is_empty() { Ok(config) } else { Err(Complaint::new(USAGE, faults.join("; "))) }
    }

    /// What may be spent.
    pub(crate) fn max_cost(&self) -> Option<f64> {
        self.max_cost
    }
}

/// A model's settings from `--set`; a value that is no TOML is a text.
fn read_sets(sets: &[String]) -> Result<ModelConfig, Complaint> {
    let mut text = String::new();
    for set in sets {
        let missing = || {
            Complaint::new(USAGE, format!("`--set {set}` has no value"))
                .hint("use KEY=VALUE, such as `--set retries=9`")
        };
        let (key, value) = set.split_once('=').ok_or_else(missing)?;
        let line = |value: &str| format!("{key} = {value}\n");
        let is_toml = fcgen::from_toml::<toml::Table>(&line(value)).is_ok();
        let quoted = || line(&toml::Value::String(value.to_owned()).to_string());
        text += &if is_toml { line(value) } else { quoted() };
    }
    fcgen::from_toml(&text).map_err(|error| Complaint::new(USAGE, format!("--set: {}", error.message())))
}

/// A bound that holds: nothing is above a `nan`, so that it would bound nothing.
fn bound(text: &str) -> Result<f64, String> {
    let amount = text.parse().ok().filter(|amount: &f64| *amount >= 0.0 && amount.is_finite());
    amount.ok_or_else(|| "expected a non-negative amount in dollars, such as 2.50".to_owned())
}

impl<T: FromStr<Err: ToString>> FromStr for Given<T> {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "none" {
            return Ok(Self(None));
        }
        text.parse().map(|value| Self(Some(value))).map_err(|error: T::Err| error.to_string())
    }
}

impl FromStr for Prices {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once(',').and_then(|(input, output)| Some((input.parse().ok()?, output.parse().ok()?)));
        let (input, output) = numbers.ok_or("expected two prices, such as 0.3,1.2")?;
        Ok(Self(Price { input, output }))
    }
}

// How calls that equal none are matched with golden ones, and the model that makes vectors for it.

/// Flags of a mapping.
#[derive(Debug, Default, Args)]
pub(crate) struct MappingArguments {
    /// How calls without an exact match are matched to expected calls; default: `structured`
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "HOW")]
    mapping: Option<MappingFlag>,
    /// Embedding model for `--mapping embedding` or `--string-score embedding` (its name on the server)
    #[arg(help_heading = "Embeddings", long, value_name = "M")]
    embedding_model: Option<String>,
    #[arg(
        help_heading = "Embeddings",
        long,
        value_name = "URL",
        requires = "embedding_model",
        help = "Base URL of the embedding server, which serves `/embeddings` below it, such as http://localhost:8000/v1"
    )]
    embedding_base_url: Option<String>,
    /// Environment variable with the API key of the embedding server
    #[arg(help_heading = "Embeddings", long, value_name = "NAME", requires = "embedding_model")]
    embedding_api_key_env: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MappingFlag {
    /// By names and shared arguments
    Structured,
    /// By character trigrams
    Trigram256,
    /// By the embeddings of a model
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
            (_, Some(_)) => Err(Complaint::new(USAGE, "`--embedding-model` requires `--mapping embedding`")),
            _ => Ok(None),
        }
    }

    /// The model that makes vectors, which the option `wanted` cannot do without.
    pub(crate) fn named(&self, wanted: &str, model: &ModelConfig) -> Result<ModelConfig, Complaint> {
        let Some(name) = self.embedding_model.clone() else {
            let complaint = Complaint::new(USAGE, format!("`{wanted}` needs an embedding model"));
            return Err(complaint.hint("set it with `--embedding-model` and `--embedding-base-url`"));
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
        model: ModelArguments,
    }

    fn read(line: &str) -> Result<ModelConfig, String> {
        let words = ["test"].into_iter().chain(line.split_whitespace());
        let line = Line::try_parse_from(words).map_err(|error| error.to_string())?;
        line.model.config().map_err(|complaint| complaint.to_string())
    }

    #[test]
    fn without_a_model_the_built_in_one_is_asked() {
        let config = read("").unwrap();
        assert_eq!(
            (config.provider, config.temperature, config.max_tokens),
            (ProviderKind::Grammar, Some(0.0), Some(4096))
        );
    }

    #[test]
    fn flags_describe_an_endpoint() {
        let line = "--model m --base-url http://localhost:1/v1 --api-key-env KEY --temperature none --max-tokens none \
                    --concurrency 9 --rpm 60 --tpm 1000 --price 0.3,1.2 --max-cost 5";
        let config = read(line).unwrap();
        assert_eq!((config.provider, config.model.as_str()), (ProviderKind::Openai, "m"));
        assert_eq!((config.base_url.as_str(), config.key_variable()), ("http://localhost:1/v1", "KEY"));
        assert_eq!((config.temperature, config.max_tokens, config.concurrency), (None, None, 9));
        assert_eq!((config.requests_per_minute, config.tokens_per_minute), (Some(60), Some(1000)));
        assert_eq!(config.price, Price { input: 0.3, output: 1.2 });
    }

    #[test]
    fn any_key_can_be_set() {
        let config = read("--set temperature=0.5 --set concurrency=3").unwrap();
        assert_eq!((config.temperature, config.concurrency), (Some(0.5), 3));
        let config =
            read("--set retries=9 --set timeout=90s --set extra_body.top_k=20 --set extra_body.mode=fast").unwrap();
        assert_eq!((config.retries, config.timeout.to_string().as_str()), (9, "90s"));
        assert_eq!((&config.extra_body["top_k"], &config.extra_body["mode"]), (&20.into(), &"fast".into()));
    }

    #[test]
    fn what_cannot_be_set_is_told() {
        let told = |line| read(line).unwrap_err();
        insta::assert_snapshot!(told("--set retries"), @"`--set retries` has no value");
        assert!(told("--set retires=9").starts_with("--set: unknown field `retires`, expected one of"));
        assert!(told("--set a.=9").starts_with("--set: "));
        insta::assert_snapshot!(told("--model m --base-url localhost"), @"`base_url` is not a URL: relative URL without a base");
        assert!(told("--base-url http://localhost:1/v1").contains("--model <M>"));
        assert!(told("--price 3").contains("expected two prices, such as 0.3,1.2"));
        assert!(told("--temperature warm").contains("invalid float literal"));
        assert!(told("--max-cost 3").contains("--price <IN,OUT>"));
    }

    #[test]
    fn a_bound_or_a_price_that_bounds_nothing_is_refused() {
        for bound in ["nan", "inf", "-3", "much"] {
            let error = read(&format!("--model m --price 1,1 --max-cost={bound}")).unwrap_err();
            assert!(error.contains("expected a non-negative amount in dollars, such as 2.50"), "{error}");
        }
        for price in ["nan,1", "1,inf", "-1,1"] {
            assert_eq!(read(&format!("--model m --price={price}")).unwrap_err(), "`price` must be from 0");
        }
        assert_eq!(read("--model m --temperature=inf").unwrap_err(), "`temperature` must be from 0");
    }

    #[test]
    fn a_flag_goes_before_what_is_set_and_of_two_equal_keys_none_is_taken() {
        let config =
            read("--model m --set model=n --set temperature=0.5 --temperature 1 --set base_url=http://a/v1").unwrap();
        assert_eq!(
            (config.model.as_str(), config.temperature, config.base_url.as_str()),
            ("m", Some(1.0), "http://a/v1")
        );
        assert!(read("--set retries=1 --set retries=2").unwrap_err().starts_with("--set: duplicate key"));
    }

    #[test]
    fn several_faults_are_told_together() {
        insta::assert_snapshot!(read("--set top_p=2 --set concurrency=0").unwrap_err(), @"`concurrency` must be from 1; `top_p` must be from 0 to 1");
    }
}

#[cfg(test)]
mod mapping_tests {
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
        insta::assert_snapshot!(told("--mapping embedding"), @"`--mapping embedding` needs an embedding model");
        insta::assert_snapshot!(told("--mapping structured --embedding-model m"), @"`--embedding-model` requires `--mapping embedding`");
        assert_eq!(told("--embedding-model m"), "`--embedding-model` requires `--mapping embedding`");
        let elsewhere = "--mapping embedding --embedding-model m --embedding-base-url b";
        insta::assert_snapshot!(told(elsewhere), @"`--embedding-base-url`: `base_url` is not a URL: relative URL without a base");
    }
}
