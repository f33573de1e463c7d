//! Lets a model write questions of each difficulty (CallNavi).

use crate::callnavi::stage::ask::{Draft, Ordered, draw_question};
use crate::callnavi::stage::drafts::Drafter;
use crate::record::{Difficulty, Item, Record, RecordKind};
use crate::settings::{Count, Factor, Located, Measure, Share, count, measure, share};
use crate::stage::context::Context;
use crate::stage::facts::{Content, Settings, StageMeta};
use crate::stage::outcome::Fault;
use crate::stage::work::{Quota, Stage, Work};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stage whose questions are of one difficulty: its word, the data type, how many a domain owes, what it may be told
/// besides, and how the calls are planned.
macro_rules! questions {
    (
        $(#[$about:meta])* $config:ident, $kind:literal, $data_type:literal, $difficulty:ident, $per_domain:literal, $plan:expr,
        { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $config {
            /// Required questions for each domain that is not listed in `domains`.
            #[serde(default = $per_domain)]
            per_domain: Count,
            /// Required questions for single domains, by name.
            #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
            domains: IndexMap<String, Count>,
            /// Extra candidates per domain when candidates are rejected, as a ratio of the required number: 1 allows up
            /// to twice as many.
            #[serde(default = "measure::<100>")]
            spare: Measure,
            /// Maximum attempts to get a usable reply, including the first.
            #[serde(default = "count::<3>")]
            asks: Count,
            /// Questions written per model call, each for a different person; the built-in model writes one.
            #[serde(default = "count::<6>")]
            per_request: Count,
            /// A table of personas, log lines or registers (.csv, .jsonl, .toml); one row is added to each prompt and
            /// to the provenance.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            seeds: Option<Located>,
            $($(#[$attribute])* pub(crate) $field: $type,)*
        }

        impl Stage for $config {
            fn meta(&self) -> StageMeta {
                StageMeta::of($kind, &[RecordKind::Catalogue], RecordKind::Question).asks("generator").speaks()
            }

            fn settings(&self) -> Settings<'_> {
                Settings::default().file("seeds", &self.seeds, Content::Table)
            }

            fn data_types(&self, _incoming: Vec<String>) -> Vec<String> {
                vec![$data_type.to_owned()]
            }

            fn scale(&mut self, factor: Factor) {
                self.per_domain = self.per_domain.times(factor);
                self.domains.values_mut().for_each(|count| *count = count.times(factor));
            }

            fn quota(&self, input: &Record) -> Option<Quota> {
                let Record::Catalogue(it) = input else { return None };
                let owed = self.domains.get(&it.domain).copied().unwrap_or(self.per_domain);
                Some(Quota::new(owed.get(), self.spare))
            }

            /// Draws the `ordinal`-th question of a domain. Each API, or each matter, has its turn before one has its second.
            fn draw<'a>(&'a self, context: &'a Context, parent: &'a Item, ordinal: usize) -> Work<'a> {
                let plan: fn(&mut Drafter<'_>, usize, &Self) -> Result<Draft, Fault> = $plan;
                let owed = self.quota(&parent.record).map_or(0, |quota| quota.required);
                let size = (owed, self.per_request.get());
                let ordered = Ordered { difficulty: Difficulty::$difficulty, asks: self.asks, size, ordinal };
                Box::pin(draw_question(context, parent, ordered, move |drafter, ordinal| plan(drafter, ordinal, self)))
            }
        }
    };
}

questions!(
    /// Generates questions that one call answers (CallNavi: easy).
    EasyQuestionsConfig, "easy_questions", "easy", Easy, "count::<46>", |drafter, ordinal, _| drafter.easy(ordinal), {}
);

questions!(
    /// Generates questions that need several calls in order, with all values given (CallNavi: medium).
    MediumQuestionsConfig, "medium_questions", "medium", Medium, "count::<19>",
    |drafter, ordinal, config| drafter.medium(ordinal, &config.calls), {
        /// Relative weights of questions with two, three and four calls. Default: as in the original data.
        #[serde(default = "medium_lengths")]
        calls: [Measure; 3],
    }
);

questions!(
    /// Generates questions in which a call uses the answer of an earlier one (CallNavi: hard).
    HardQuestionsConfig, "hard_questions", "hard", Hard, "count::<9>",
    |drafter, ordinal, config| drafter.hard(ordinal, config), {
        /// Relative weights of questions with two, three, four and five calls. Default: as in the original data.
        #[serde(default = "hard_lengths")]
        calls: [Measure; 4],
        /// Share of questions that name a thing by its bare identifier, so that only the format tells what it is.
        #[serde(default = "share::<15>")]
        ambiguous: Share,
        /// Share of questions that leave out a value that a call needs.
        #[serde(default = "share::<15>")]
        incomplete: Share,
        /// Share of questions that give a value and then correct it.
        #[serde(default = "share::<15>")]
        conflicting: Share,
        /// Share of questions that give a value indirectly, by words from which it follows.
        #[serde(default = "share::<15>")]
        transformed: Share,
    }
);

/// 175, 9 and 2 of the authors' questions.
fn medium_lengths() -> [Measure; 3] {
    [measure::<17_500>(), measure::<900>(), measure::<200>()]
}

/// 32, 39, 14 and 1 of the authors' questions.
fn hard_lengths() -> [Measure; 4] {
    [measure::<3_200>(), measure::<3_900>(), measure::<1_400>(), measure::<100>()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Catalogue;
    use crate::settings::section::read_text;
    use crate::stage::testing::{question_item, silent};
    use serde::de::DeserializeOwned;
    use std::sync::Arc;

    fn owed(config: &impl Stage) -> [usize; 2] {
        ["bank", "hotel"].map(|domain| {
            let catalogue = Catalogue { domain: domain.to_owned(), title: String::new(), tools: Vec::new() };
            config.quota(&Record::Catalogue(Arc::new(catalogue))).unwrap().required
        })
    }

    async fn keeps_the_rules<T: Stage + DeserializeOwned + JsonSchema>(per_domain: usize) {
        let mut config: T = read_text("[domains]\nbank = 5").unwrap();
        assert_eq!(owed(&config), [5, per_domain], "a domain owes its own number or everybody's");
        config.scale(serde_json::from_str("2").unwrap());
        assert_eq!(owed(&config), [10, per_domain * 2]);
        let config: T = read_text("seeds = \"people.csv\"").unwrap();
        assert_eq!(config.settings().files[0].content, Content::Table);
        let nothing = config.draw(&silent(), &question_item(), 0).await.unwrap();
        assert_eq!(nothing, crate::stage::Outcome::default(), "what is no catalogue gives nothing");
    }

    #[tokio::test]
    async fn questions_of_each_difficulty_are_owed_alike() {
        keeps_the_rules::<EasyQuestionsConfig>(46).await;
        keeps_the_rules::<MediumQuestionsConfig>(19).await;
        keeps_the_rules::<HardQuestionsConfig>(9).await;
    }

    #[test]
    fn two_calls_are_much_more_common_than_four() {
        let config: MediumQuestionsConfig = read_text("").unwrap();
        let [two, three, four] = config.calls.map(Measure::get);
        assert!(two > 10.0 * three && three > four && four > 0.0);
        assert!(read_text::<MediumQuestionsConfig>("calls = [1, 2]").is_err(), "two, three and four calls");
    }

    #[test]
    fn what_makes_it_harder_is_a_share() {
        let config: HardQuestionsConfig = read_text("ambiguous = 0.5").unwrap();
        assert!(config.ambiguous.get() > 0.49 && config.incomplete.get() < 0.16);
        assert!(read_text::<HardQuestionsConfig>("conflicting = 2").is_err());
    }
}
