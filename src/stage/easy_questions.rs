//! Lets a model write questions that one call answers (CallNavi: easy).

use super::ask::draw_question;
use super::context::Context;
use super::facts::{Content, Settings, StageMeta};
use super::work::{Quota, Stage, Work};
use crate::config::{Count, Factor, Located, Measure, count, measure};
use crate::record::{Difficulty, Item, Record, RecordKind};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets a model write questions that one call answers (CallNavi: easy).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct EasyQuestionsConfig {
    /// Questions owed for each domain that `domains` does not name.
    #[serde(default = "count::<46>")]
    per_domain: Count,
    /// Questions owed for single domains, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    domains: IndexMap<String, Count>,
    /// Share of extra candidates that may be drawn for each domain where candidates are rejected: 1 draws up to twice as many.
    #[serde(default = "measure::<100>")]
    spare: Measure,
    /// How often a reply that cannot be used is asked for, the first time included.
    #[serde(default = "count::<3>")]
    asks: Count,
    /// A table of personas, log lines or registers (.csv, .jsonl, .toml); a row enters each prompt and the provenance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    seeds: Option<Located>,
}

impl Stage for EasyQuestionsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("easy_questions", &[RecordKind::Catalogue], RecordKind::Question).asks("generator")
    }

    fn settings(&self) -> Settings<'_> {
        Settings::default().file("seeds", &self.seeds, Content::Table)
    }

    fn data_types(&self, _incoming: Vec<String>) -> Vec<String> {
        vec!["easy".to_owned()]
    }

    fn scale(&mut self, factor: Factor) {
        self.per_domain = self.per_domain.times(factor);
        self.domains.values_mut().for_each(|count| *count = count.times(factor));
    }

    fn quota(&self, input: &Record) -> Option<Quota> {
        let Record::Catalogue(it) = input else { return None };
        Some(Quota::new(self.required(&it.domain).get(), self.spare))
    }

    /// Draws the `ordinal`-th question of a domain. Each API has its turn before one has its second.
    fn draw<'a>(&'a self, context: &'a Context, parent: &'a Item, ordinal: usize) -> Work<'a> {
        Box::pin(async move {
            let wanted = (Difficulty::Easy, self.asks);
            draw_question(context, parent, ordinal, wanted, |drafter| drafter.easy(ordinal)).await
        })
    }
}

impl EasyQuestionsConfig {
    /// How many questions a domain owes.
    pub(super) fn required(&self, domain: &str) -> Count {
        self.domains.get(domain).copied().unwrap_or(self.per_domain)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{question_item, silent};
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn a_domain_owes_its_own_number_or_everybodys() {
        let mut config: EasyQuestionsConfig = read_text("[domains]\nbank = 5").unwrap();
        assert_eq!((config.required("bank").get(), config.required("hotel").get()), (5, 46));
        config.scale(read_text::<crate::config::PipelineConfig>("scale = 2").unwrap().scale);
        assert_eq!((config.required("bank").get(), config.required("hotel").get()), (10, 92));
    }

    #[test]
    fn it_makes_questions_of_catalogues() {
        let config: EasyQuestionsConfig = read_text("seeds = \"people.csv\"").unwrap();
        assert_eq!(config.settings().files[0].content, Content::Table);
    }

    #[tokio::test]
    async fn what_is_no_catalogue_gives_nothing() {
        let config: EasyQuestionsConfig = read_text("").unwrap();
        assert_eq!(config.draw(&silent(), &question_item(), 0).await.unwrap(), super::super::Outcome::default());
    }
}
