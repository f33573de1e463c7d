//! What a reply does in a dialogue.

use std::collections::{BTreeMap, BTreeSet};

/// A dialog act, in the order of the paper's confusion matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Act {
    /// It calls a function.
    FunctionCalling,
    /// It tells the user something.
    Inform,
    /// None of the others.
    Other,
    /// It declines.
    Reject,
    /// It asks the user for something.
    Seek,
}

impl Act {
    /// All, in order.
    pub const ALL: [Self; 5] = [Self::FunctionCalling, Self::Inform, Self::Other, Self::Reject, Self::Seek];

    /// Its label in the data.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FunctionCalling => "agent_function_calling",
            Self::Inform => "agent_inform_user",
            Self::Other => "agent_other",
            Self::Reject => "agent_reject_request",
            Self::Seek => "agent_seek_information",
        }
    }

    /// The act of a label, in whatever case.
    pub fn of(label: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|act| act.as_str().eq_ignore_ascii_case(label.trim()))
    }
}

/// Reads labels with commas between them, whatever marks stand around them; those that nobody knows are the second part.
pub fn read_acts(text: &str) -> (BTreeSet<Act>, Vec<String>) {
    let (mut acts, mut unknown) = (BTreeSet::new(), Vec::new());
    let is_mark = |letter: char| !letter.is_alphanumeric() && letter != '_';
    let labels = text.split([',', ';', '\n']).filter_map(|part| part.rsplit(": ").next());
    for label in labels.map(|label| label.trim_matches(is_mark)).filter(|label| !label.is_empty()) {
        match Act::of(label) {
            Some(act) => drop(acts.insert(act)),
            None => unknown.push(label.to_owned()),
        }
    }
    (acts, unknown)
}

/// Whether a reply does something of what is wanted. What does nothing matches nothing.
pub fn acts_match(gold: &BTreeSet<Act>, predicted: &BTreeSet<Act>) -> bool {
    !gold.is_disjoint(predicted)
}

/// Which acts were taken for which others, where nothing matched: every wanted one with every predicted one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Confusion {
    pairs: BTreeMap<(Act, Act), u64>,
}

impl Confusion {
    /// Adds an item; one that matches counts nowhere.
    pub fn add(&mut self, gold: &BTreeSet<Act>, predicted: &BTreeSet<Act>) {
        if acts_match(gold, predicted) {
            return;
        }
        for pair in gold.iter().flat_map(|gold| predicted.iter().map(move |predicted| (*gold, *predicted))) {
            *self.pairs.entry(pair).or_default() += 1;
        }
    }

    /// How many times any act was taken for another.
    pub fn sum(&self) -> u64 {
        self.pairs.values().sum()
    }

    /// How often one act was taken for another.
    pub fn count(&self, gold: Act, predicted: Act) -> u64 {
        self.pairs.get(&(gold, predicted)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn acts(text: &str) -> BTreeSet<Act> {
        read_acts(text).0
    }

    #[test]
    fn labels_are_read_in_any_case_and_unknown_ones_are_told() {
        let marked = read_acts("Labels: [\"agent_seek_information\", `AGENT_OTHER`].");
        assert_eq!((marked.0.into_iter().collect::<Vec<_>>(), marked.1), (vec![Act::Other, Act::Seek], Vec::new()));
        let (acts, unknown) = read_acts(" Agent_Inform_User, agent_other\nagent_sings,, ");
        assert_eq!(acts.into_iter().collect::<Vec<_>>(), [Act::Inform, Act::Other]);
        assert_eq!(unknown, ["agent_sings"]);
        assert!(Act::ALL.iter().all(|act| Act::of(act.as_str()) == Some(*act)));
    }

    #[test]
    fn one_common_act_is_a_match_and_nothing_matches_nothing() {
        assert!(acts_match(&acts("agent_other,agent_inform_user"), &acts("agent_inform_user")));
        assert!(!acts_match(&acts("agent_other"), &acts("agent_inform_user")));
        assert!(!acts_match(&acts("agent_other"), &acts("")) && !acts_match(&acts(""), &acts("")));
    }

    #[test]
    fn a_mismatch_counts_for_every_pair() {
        let mut confusion = Confusion::default();
        confusion.add(&acts("agent_seek_information"), &acts("agent_inform_user,agent_other"));
        confusion.add(&acts("agent_seek_information"), &acts("agent_seek_information,agent_other"));
        assert_eq!((confusion.count(Act::Seek, Act::Other), confusion.count(Act::Seek, Act::Inform)), (1, 1));
        assert_eq!((confusion.count(Act::Seek, Act::Seek), confusion.count(Act::Other, Act::Seek)), (0, 0));
    }
}
