//! What is wanted: calls with their place in a chain, and dialog acts of turns.

use super::options;
use crate::bfcl::layout::{functions_of, truth_of};
use crate::bfcl::metric::{Category, Function, Item};
use crate::confetti::layout::{COMPLEXITY_FACT, TURN_TEXT_FACT};
use crate::confetti::metric::Act;
use crate::format::{Bench, BenchError};
use crate::record::{BorrowedValue, Expected, Role, Sample, SuiteId};
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A call that is wanted.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The call, and the function that it is of.
    pub item: Item,
    /// The turn that it belongs to: its conversation, and its number.
    pub chain: (String, u32),
    /// How many functions are offered; 0 where nobody knows.
    pub offered: usize,
    /// How often the user has spoken before; 0 where nobody knows.
    pub user_turns: usize,
    /// Where it comes from: judges are shown it.
    pub sample: Arc<Sample>,
}

/// A turn of the agent whose dialog acts are known.
#[derive(Debug, Clone)]
pub struct Turn {
    /// What it does.
    pub acts: BTreeSet<Act>,
    /// Where it comes from.
    pub sample: Arc<Sample>,
}

/// Everything that is wanted, by id.
#[derive(Debug, Default)]
pub struct Gold {
    /// Calls.
    pub calls: IndexMap<String, Entry>,
    /// Dialog acts of turns.
    pub acts: IndexMap<String, Turn>,
    /// Samples that are neither, or whose call nobody can read.
    pub unscored: u64,
}

impl Gold {
    /// Reads a benchmark; `repaired` heals what is broken in the released data.
    pub fn read(bench: &Bench, locale: Option<&str>, repaired: bool) -> Result<Self, BenchError> {
        let mut gold = Self::default();
        bench.each::<BenchError>(&mut |sample| {
            if locale.is_none_or(|locale| locale == sample.locale) {
                gold.add(sample, repaired);
            }
            Ok(())
        })?;
        Ok(gold)
    }

    fn add(&mut self, sample: Sample, repaired: bool) {
        let sample = Arc::new(sample);
        if let (true, Expected::Acts(labels)) = (sample.suite == SuiteId::Confetti, &sample.expected) {
            let acts = labels.iter().filter_map(|label| Act::of(label)).collect();
            self.acts.insert(sample.id.to_string(), Turn { acts, sample: sample.clone() });
            return;
        }
        let Some(entry) = entry(&sample).filter(|_| sample.suite == SuiteId::Confetti) else {
            self.unscored += 1;
            return;
        };
        let item = if repaired { options::item(entry.item) } else { entry.item };
        self.calls.insert(sample.id.to_string(), Entry { item, ..entry });
    }

    /// The chains with the ids of their calls, in order.
    pub fn chains(&self) -> IndexMap<&(String, u32), Vec<&str>> {
        let mut chains: IndexMap<&(String, u32), Vec<&str>> = IndexMap::new();
        for (id, entry) in &self.calls {
            chains.entry(&entry.chain).or_default().push(id);
        }
        chains
    }
}

impl Entry {
    /// The complexity that its conversation was wanted to have.
    pub fn complexity(&self) -> Option<&str> {
        self.sample.provenance.facts.get(COMPLEXITY_FACT).map(String::as_str)
    }
}

impl Turn {
    /// What the agent said; nothing where it only called, or where nobody knows.
    pub fn text(&self) -> Option<&str> {
        let text = self.sample.provenance.facts.get(TURN_TEXT_FACT).map(String::as_str);
        text.filter(|text| !text.trim().is_empty())
    }
}

/// The call that a sample wants, with the function that it is of.
pub fn item_of(sample: &Sample) -> Option<Item> {
    parts(sample).map(|(item, _)| item)
}

fn parts(sample: &Sample) -> Option<(Item, usize)> {
    let (answers, functions) = (truth_of(sample)?, functions_of(sample));
    let mut item = Item::read(Category::SimplePython, &BorrowedValue::from(&functions), Some((&answers).into()))?;
    let wanted = item.answers.first()?.name.clone();
    // A file of answers alone tells of the wanted function only.
    let offered = if sample.messages.is_empty() { 0 } else { item.functions.len() };
    item.functions.retain(|function: &Function| function.name == wanted);
    Some((item, offered))
}

fn entry(sample: &Arc<Sample>) -> Option<Entry> {
    let (item, offered) = parts(sample)?;
    let chain = sample.snapshot.as_ref().map(|it| (it.conversation.to_string(), it.turn));
    let user_turns = sample.messages.iter().filter(|message| message.role == Role::User).count();
    let chain = chain.unwrap_or_else(|| (sample.id.to_string(), 1));
    Some(Entry { item, chain, offered, user_turns, sample: sample.clone() })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A conversation of two turns, the second with two calls, in the authors' layout.
    pub(in crate::confetti) fn write(folder: &std::path::Path) {
        let answers = folder.join("possible_answer");
        std::fs::create_dir_all(&answers).unwrap();
        let calls = r#"{"id": "conversationsclean_0", "dialog_id": "u_0", "ground_truth": [{"A_find": {"name": ["the red hotel"]}}]}
{"id": "conversationsclean_1", "dialog_id": "u_1", "ground_truth": [{"A_get": {"stars": [4]}}]}
{"id": "conversationsclean_2", "dialog_id": "u_2", "ground_truth": [{"A_get": {"stars": [5]}}]}"#;
        std::fs::write(answers.join("BFCL_v2_conversationsclean.json"), calls).unwrap();
        let acts = r#"{"id": "dialogacts_0", "dialog_id": "u_0", "ground_truth": ["agent_function_calling", "agent_inform_user"], "ground_truth_content": ["A.find(name=['x'])", "Done."]}
{"id": "dialogacts_1", "dialog_id": "u_1", "ground_truth": ["agent_function_calling", "agent_other"], "ground_truth_content": ["A.get(stars=[4])", "A.get(stars=[5])", "Bye."]}"#;
        std::fs::write(answers.join("BFCL_v2_dialogacts.json"), acts).unwrap();
    }

    #[test]
    fn calls_are_gathered_to_the_chains_of_their_turns() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let gold = Gold::read(&Bench::open(folder.path()).unwrap(), None, true).unwrap();
        let chains: Vec<usize> = gold.chains().into_values().map(|ids| ids.len()).collect();
        assert_eq!((chains, gold.acts.len(), gold.unscored), (vec![1, 2], 2, 0));
        let entry = &gold.calls["conversationsclean_1"];
        assert_eq!((entry.item.functions.len(), entry.offered, entry.user_turns), (1, 0, 0));
        assert_eq!(gold.acts["dialogacts_1"].text(), Some("Bye."));
    }

    #[test]
    fn a_sample_of_our_own_needs_no_facts() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let mut samples = Vec::new();
        let take = &mut |sample| {
            samples.push(sample);
            Ok::<(), BenchError>(())
        };
        Bench::open(folder.path()).unwrap().each(take).unwrap();
        let mut sample: Sample = samples.remove(0);
        let with_facts = entry(&Arc::new(sample.clone())).unwrap();
        sample.provenance.facts.clear();
        sample.acceptable.insert("name".to_owned(), vec!["red".into()]);
        sample.provenance.facts.insert(COMPLEXITY_FACT.to_owned(), "OVERFILL".to_owned());
        let without = entry(&Arc::new(sample)).unwrap();
        assert_eq!((with_facts.complexity(), without.complexity()), (None, Some("OVERFILL")));
        assert_eq!(with_facts.item.functions, without.item.functions);
        assert_eq!(without.item.answers[0].arguments["name"].accepted.len(), 2);
    }
}
