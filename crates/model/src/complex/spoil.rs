//! Commits the faults that other models commit when they write complex queries, each recorded where no gate looks.

use super::super::Grammar;
use super::super::defect::{Defect, DefectKind};
use crate::llm::{BriefVariables, Request};
use crate::record::Chance;
use serde_json::json;

const KINDS: [DefectKind; 5] = [
    DefectKind::MissingParameter,
    DefectKind::DriftedValue,
    DefectKind::BrokenJson,
    DefectKind::WrongLanguage,
    DefectKind::Refusal,
];

impl Grammar {
    /// The reply's text, spoilt as often as `defect_rate` says.
    pub(in super::super) fn complex_query_text(
        &self,
        request: &Request,
        variables: &BriefVariables,
        chance: &mut Chance,
    ) -> String {
        let query = self.write_complex_query(variables, chance);
        if self.defect_rate <= 0.0 || !chance.happens(self.defect_rate) {
            return json!({"query": query}).to_string();
        }
        let wanted = KINDS[chance.below(KINDS.len())];
        let spoilt = self.spoilt(&query, wanted, variables, chance);
        let kind = if spoilt.is_some() { wanted } else { DefectKind::BrokenJson };
        self.sidecar.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(Defect {
            stage: request.stage.to_string(),
            item: request.item.to_string(),
            draw: request.draw,
            kind,
        });
        spoilt.unwrap_or_else(|| json!({"query": query}).to_string().trim_end_matches('}').to_owned())
    }

    fn spoilt(&self, query: &str, kind: DefectKind, variables: &BriefVariables, chance: &mut Chance) -> Option<String> {
        let stray = |texts: &[String], chance: &mut Chance| chance.pick(texts).cloned();
        match kind {
            DefectKind::MissingParameter => without(query, variables, "", chance),
            DefectKind::DriftedValue => without(query, variables, "17 42", chance),
            DefectKind::WrongLanguage => {
                stray(&self.pack.strays.foreign, chance).map(|query| json!({"query": query}).to_string())
            }
            DefectKind::Refusal => stray(&self.pack.strays.refusals, chance),
            _ => None,
        }
    }
}

/// The query with something else in the place of one value.
fn without(query: &str, variables: &BriefVariables, other: &str, chance: &mut Chance) -> Option<String> {
    let said: Vec<&str> = variables.said().into_iter().filter(|words| query.contains(words)).collect();
    let words = chance.pick(&said)?;
    Some(json!({"query": query.replace(words, other)}).to_string())
}
