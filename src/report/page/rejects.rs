//! Rejects by stage and reason, with some of each to look at.

use super::card::clip;
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Rejects that are kept of each reason.
const KEPT: usize = 5;
/// Letters that are kept of a text.
const LETTERS: usize = 600;

/// All rejects, counted.
#[derive(Debug, Clone, Default)]
pub struct Rejects {
    groups: IndexMap<(String, String), RejectGroup>,
}

/// The rejects of one reason in one stage.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RejectGroup {
    /// The stage.
    pub stage: String,
    /// The reason.
    pub reason: String,
    /// How many there are.
    pub count: usize,
    /// The first of them.
    pub first: Vec<RejectCard>,
}

/// One reject.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RejectCard {
    /// Its id.
    pub id: String,
    #[serde(skip_serializing)]
    stage: String,
    #[serde(skip_serializing)]
    reason: String,
    /// What was found.
    pub detail: String,
    /// The words that were rejected.
    pub text: String,
}

impl Rejects {
    /// Looks at a line of `rejects.jsonl`; one that is none is left out.
    pub fn see(&mut self, line: &str) {
        let Ok(mut reject) = serde_json::from_str::<RejectCard>(line) else { return };
        let (stage, reason) = (std::mem::take(&mut reject.stage), std::mem::take(&mut reject.reason));
        let group = self.groups.entry((stage, reason)).or_insert_with_key(|(stage, reason)| RejectGroup {
            stage: stage.clone(),
            reason: reason.clone(),
            ..RejectGroup::default()
        });
        group.count += 1;
        if group.first.len() < KEPT {
            let short = |text: &str| clip(text, LETTERS).into_owned();
            group.first.push(RejectCard { detail: short(&reject.detail), text: short(&reject.text), ..reject });
        }
    }

    /// The groups, the largest first.
    pub fn groups(&self) -> Vec<RejectGroup> {
        let mut groups: Vec<RejectGroup> = self.groups.values().cloned().collect();
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_and_the_first_are_kept() {
        let mut rejects = Rejects::default();
        rejects.see("no reject");
        rejects.see(r#"{"id":"a","stage":"script","reason":"wrong_script","detail":"too few","text":"hm"}"#);
        for at in 0..9 {
            rejects.see(&format!(r#"{{"id":"b{at}","stage":"parameters","reason":"missing","detail":"no `x`"}}"#));
        }
        let groups = rejects.groups();
        assert_eq!((groups.len(), groups[0].count, groups[0].first.len()), (2, 9, KEPT));
        assert_eq!(
            serde_json::to_string(&groups[1]).unwrap(),
            r#"{"stage":"script","reason":"wrong_script","count":1,"first":[{"id":"a","detail":"too few","text":"hm"}]}"#
        );
    }

    #[test]
    fn a_long_text_is_cut() {
        let mut rejects = Rejects::default();
        rejects.see(&format!(r#"{{"id":"a","stage":"s","reason":"r","detail":"","text":"{}"}}"#, "x".repeat(2000)));
        assert!(rejects.groups()[0].first[0].text.chars().count() <= LETTERS + 1);
    }
}
