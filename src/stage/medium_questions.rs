//! Lets a model write questions that want several calls in order, with everything given (CallNavi: medium).

use super::ask::draw_question;
use super::context::Context;
use super::facts::{Content, NamedFile, StageConfig};
use super::outcome::{Outcome, Stop};
use crate::config::{Count, Factor, Located, Measure, count, measure};
use crate::record::{Difficulty, Item, RecordKind};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Lets a model write questions that want several calls in order, with everything given (CallNavi: medium).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MediumQuestionsConfig {
    /// Questions owed for each domain that `domains` does not name.
    #[serde(default = "count::<19>")]
    pub per_domain: Count,
    /// Questions owed for single domains, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub domains: IndexMap<String, Count>,
    /// Share of extra candidates that may be drawn for each domain where candidates are rejected: 1 draws up to twice as many.
    #[serde(default = "measure::<100>")]
    pub spare: Measure,
    /// How often a reply that cannot be used is asked for, the first time included.
    #[serde(default = "count::<3>")]
    pub asks: Count,
    /// A table of personas, log lines or registers (.csv, .jsonl, .toml); a row enters each prompt and the provenance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seeds: Option<Located>,
    /// How often a question has two, three or four calls, beside one another; the default is as in the authors' data.
    #[serde(default = "lengths")]
    pub calls: [Measure; 3],
}

/// 175, 9 and 2 of the authors' questions.
fn lengths() -> [Measure; 3] {
    [measure::<17_500>(), measure::<900>(), measure::<200>()]
}

impl StageConfig for MediumQuestionsConfig {
    fn kind(&self) -> &'static str {
        "medium_questions"
    }

    fn input(&self) -> &'static [RecordKind] {
        &[RecordKind::Catalogue]
    }

    fn output(&self) -> RecordKind {
        RecordKind::Question
    }

    fn data_types(&self, _incoming: Vec<String>) -> Vec<String> {
        vec!["medium".to_owned()]
    }

    fn role(&self) -> Option<&'static str> {
        Some("generator")
    }

    fn files(&self) -> Vec<NamedFile<'_>> {
        self.seeds.iter().map(|path| NamedFile { key: "seeds", path, content: Content::Table }).collect()
    }

    fn scale(&mut self, factor: Factor) {
        self.per_domain = self.per_domain.times(factor);
        self.domains.values_mut().for_each(|count| *count = count.times(factor));
    }
}

impl MediumQuestionsConfig {
    /// How many questions a domain owes.
    pub(super) fn owed(&self, domain: &str) -> Count {
        self.domains.get(domain).copied().unwrap_or(self.per_domain)
    }

    /// Draws the `ordinal`-th question of a domain. Each API has its turn before one has its second.
    pub(super) async fn draw(&self, context: &Context, parent: &Item, ordinal: usize) -> Result<Outcome, Stop> {
        let wanted = (Difficulty::Medium, self.asks);
        draw_question(context, parent, ordinal, wanted, |drafter| drafter.medium(ordinal, &self.calls)).await
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{question_item, silent};
    use super::*;
    use crate::config::section::read_text;

    #[test]
    fn a_domain_owes_its_own_number_or_everybodys() {
        let mut config: MediumQuestionsConfig = read_text("[domains]\nbank = 5").unwrap();
        assert_eq!((config.owed("bank").get(), config.owed("hotel").get()), (5, 19));
        config.scale(read_text::<crate::config::PipelineConfig>("scale = 2").unwrap().scale);
        assert_eq!((config.owed("bank").get(), config.owed("hotel").get()), (10, 38));
    }

    #[test]
    fn it_makes_questions_of_catalogues() {
        let config: MediumQuestionsConfig = read_text("seeds = \"people.csv\"").unwrap();
        assert_eq!((config.input(), config.output()), (&[RecordKind::Catalogue][..], RecordKind::Question));
        assert_eq!((config.files()[0].content, config.role()), (Content::Table, Some("generator")));
    }

    #[test]
    fn two_calls_are_much_more_common_than_four() {
        let config: MediumQuestionsConfig = read_text("").unwrap();
        let [two, three, four] = config.calls.map(Measure::get);
        assert!(two > 10.0 * three && three > four && four > 0.0);
        assert!(read_text::<MediumQuestionsConfig>("calls = [1, 2]").is_err(), "two, three and four calls");
    }

    #[tokio::test]
    async fn what_is_no_catalogue_gives_nothing() {
        let config: MediumQuestionsConfig = read_text("").unwrap();
        assert_eq!(config.draw(&silent(), &question_item(), 0).await.unwrap(), Outcome::default());
    }
}
