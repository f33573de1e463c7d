//! A judge of calls who is asked while a model plays: what it says decides what the model is told next.

use crate::cli::console::exit::{Complaint, INPUT};
use crate::cli::flags::judge::say_unreadable;
use crate::cli::flags::model_flags::Prices;
use clap::Args;
use fcgen::llm::{ModelConfig, Prompts};
use fcgen::suite::Replies;
use std::path::PathBuf;

/// Where judgements are kept unless somebody says otherwise; `score` looks there as well.
const RECORDED: &str = "judgements.jsonl";

/// Flags of a judge of calls.
#[derive(Debug, Default, Args)]
pub(crate) struct RefereeArguments {
    /// Judge model for calls that neither rules nor recorded responses decide
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "M", requires = "model")]
    judge_model: Option<String>,
    /// Base URL of the judge model; default: `--base-url`
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "URL", requires = "judge_model")]
    judge_base_url: Option<String>,
    /// Environment variable with the API key of the judge model; default: `--api-key-env`
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "NAME", requires = "judge_model")]
    judge_api_key_env: Option<String>,
    /// Price of the judge model; default: `--price`
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "IN,OUT", requires = "judge_model")]
    judge_price: Option<Prices>,
    /// File of cached judgements, to which new ones are appended; default: judgements.jsonl
    #[arg(help_heading = "ComplexFuncBench", long, value_name = "FILE")]
    judgements: Option<PathBuf>,
}

impl RefereeArguments {
    /// Whether a model is to be asked.
    pub(crate) fn asks(&self) -> bool {
        self.judge_model.is_some()
    }

    /// Where judgements are kept.
    pub(crate) fn path(&self) -> PathBuf {
        self.judgements.clone().unwrap_or_else(|| PathBuf::from(RECORDED))
    }

    /// The options that were given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let given = [(self.asks(), "--judge-model"), (self.judgements.is_some(), "--judgements")];
        given.into_iter().filter(|(given, _)| *given).map(|(_, option)| option)
    }

    /// The judge, where one is to be asked. What is not said of it is as for `model`.
    pub(crate) fn model(&self, model: &ModelConfig) -> Option<ModelConfig> {
        Some(ModelConfig {
            model: self.judge_model.clone()?,
            base_url: self.judge_base_url.clone().unwrap_or_else(|| model.base_url.clone()),
            api_key_env: self.judge_api_key_env.clone().or_else(|| model.api_key_env.clone()),
            price: self.judge_price.map_or(model.price, |price| price.0),
            // It says where the model under test is, which may be elsewhere.
            endpoint_id: model.endpoint_id.clone().filter(|_| self.judge_base_url.is_none()),
            ..model.clone()
        })
    }

    /// What was judged before. A file that is named must be there, unless somebody is asked.
    pub(crate) fn replies(&self, prompts: Prompts) -> Result<Replies, Complaint> {
        let (path, mut replies) = (self.path(), Replies::new(prompts));
        if (self.judgements.is_some() && !self.asks()) || (self.asks() && path.is_file()) {
            let cannot = |error| Complaint::new(INPUT, format!("cannot read `{}`: {error}", path.display()));
            say_unreadable(&path, &replies.read(&path).map_err(cannot)?);
        }
        Ok(replies)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen::llm::Price;
    use fcgen::suite::Question;

    fn judge(model: &str) -> RefereeArguments {
        RefereeArguments { judge_model: Some(model.to_owned()), ..RefereeArguments::default() }
    }

    #[test]
    fn a_judge_is_like_the_model_but_for_what_is_said_of_it() {
        let model = ModelConfig {
            base_url: "http://a/v1".to_owned(),
            api_key_env: Some("KEY".to_owned()),
            endpoint_id: Some("here".to_owned()),
            price: Price { input: 1.0, output: 2.0 },
            ..ModelConfig::default()
        };
        assert_eq!(RefereeArguments::default().model(&model), None);
        let near = judge("j").model(&model).unwrap();
        assert_eq!(near, ModelConfig { model: "j".to_owned(), ..model.clone() });
        let elsewhere = RefereeArguments {
            judge_base_url: Some("http://b/v1".to_owned()),
            judge_api_key_env: Some("OTHER".to_owned()),
            judge_price: "3,4".parse().ok(),
            ..judge("j")
        };
        let far = elsewhere.model(&model).unwrap();
        assert_eq!((far.base_url.as_str(), far.key_variable(), far.price.output), ("http://b/v1", "OTHER", 4.0));
        assert_eq!(far.endpoint_id, None);
    }

    #[test]
    fn what_was_judged_before_is_known_and_a_named_file_must_be_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j.jsonl");
        let named = |judge_model: Option<&str>| RefereeArguments {
            judge_model: judge_model.map(str::to_owned),
            judgements: Some(path.clone()),
            ..RefereeArguments::default()
        };
        assert!(
            named(None)
                .replies(Prompts::shipped(fcgen::assets()))
                .unwrap_err()
                .to_string()
                .starts_with("cannot read `")
        );
        assert!(
            !named(Some("j")).replies(Prompts::shipped(fcgen::assets())).unwrap().is_asked(Question::SameCall),
            "it will be there"
        );
        let line = r#"{"id": "a", "question": "complexfunc_equal", "hash": "h", "reply": "{}", "model": "j"}"#;
        std::fs::write(&path, line).unwrap();
        assert!(named(None).replies(Prompts::shipped(fcgen::assets())).unwrap().is_asked(Question::SameCall));
        assert_eq!(named(Some("j")).given().collect::<Vec<_>>(), ["--judge-model", "--judgements"]);
        assert!(
            RefereeArguments::default().replies(Prompts::shipped(fcgen::assets())).is_ok()
                && judge("j").path().ends_with(RECORDED)
        );
    }
}
