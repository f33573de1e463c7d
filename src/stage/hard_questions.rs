//! Lets a model write questions in which a call takes what an earlier one answers (CallNavi: hard).

use super::ask::draw_question;
use super::context::Context;
use super::facts::{Content, Settings, StageMeta};
use super::work::{Quota, Stage, Work};
use crate::config::{Count, Factor, Located, Measure, Share, count, measure, share};
use crate::record::{Difficulty, Item, Record, RecordKind};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets a model write questions in which a call takes what an earlier one answers (CallNavi: hard).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct HardQuestionsConfig {
    /// Questions owed for each domain that `domains` does not name.
    #[serde(default = "count::<9>")]
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
    /// How often a question has two, three, four or five calls, beside one another; the default is as in the authors' data.
    #[serde(default = "lengths")]
    pub(super) calls: [Measure; 4],
    /// Share of the questions that name a thing by its bare identifier, whose shape alone tells what it is.
    #[serde(default = "share::<15>")]
    pub(super) ambiguous: Share,
    /// Share of the questions that leave out something that a call needs.
    #[serde(default = "share::<15>")]
    pub(super) incomplete: Share,
    /// Share of the questions that say a value and take it back for another.
    #[serde(default = "share::<15>")]
    pub(super) conflicting: Share,
    /// Share of the questions that say a value by words from which it follows.
    #[serde(default = "share::<15>")]
    pub(super) transformed: Share,
}

/// 32, 39, 14 and 1 of the authors' questions.
fn lengths() -> [Measure; 4] {
    [measure::<3_200>(), measure::<3_900>(), measure::<1_400>(), measure::<100>()]
}

impl Stage for HardQuestionsConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("hard_questions", &[RecordKind::Catalogue], RecordKind::Question).asks("generator")
    }

    fn settings(&self) -> Settings<'_> {
        Settings::default().file("seeds", &self.seeds, Content::Table)
    }

    fn data_types(&self, _incoming: Vec<String>) -> Vec<String> {
        vec!["hard".to_owned()]
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
            let wanted = (Difficulty::Hard, self.asks);
            draw_question(context, parent, ordinal, wanted, |drafter| drafter.hard(ordinal, self)).await
        })
    }
}

impl HardQuestionsConfig {
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
        let mut config: HardQuestionsConfig = read_text("[domains]\nbank = 5").unwrap();
        assert_eq!((config.required("bank").get(), config.required("hotel").get()), (5, 9));
        config.scale(read_text::<crate::config::PipelineConfig>("scale = 2").unwrap().scale);
        assert_eq!((config.required("bank").get(), config.required("hotel").get()), (10, 18));
    }

    #[test]
    fn it_makes_questions_of_catalogues() {
        let config: HardQuestionsConfig = read_text("seeds = \"people.csv\"").unwrap();
        assert_eq!(config.settings().files[0].content, Content::Table);
    }

    #[test]
    fn what_makes_it_harder_is_a_share() {
        let config: HardQuestionsConfig = read_text("ambiguous = 0.5").unwrap();
        assert!(config.ambiguous.get() > 0.49 && config.incomplete.get() < 0.16);
        assert!(read_text::<HardQuestionsConfig>("conflicting = 2").is_err());
    }

    #[tokio::test]
    async fn what_is_no_catalogue_gives_nothing() {
        let config: HardQuestionsConfig = read_text("").unwrap();
        assert_eq!(config.draw(&silent(), &question_item(), 0).await.unwrap(), super::super::Outcome::default());
    }
}
