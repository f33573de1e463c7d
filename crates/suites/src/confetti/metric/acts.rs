//! What a reply does in a dialogue.

use crate::record::Value;
use crate::score::{Estimate, wilson};
use crate::text::{embedded, without_thought};
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

// How well a classifier finds the dialog acts that people found.

/// How often an act was found, and how often it was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hits {
    /// It was there and was found.
    pub both: u64,
    /// It was found.
    pub found: u64,
    /// It was there.
    pub there: u64,
}

/// What a classifier found in texts whose acts are known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Agreement {
    /// By act.
    pub acts: BTreeMap<Act, Hits>,
    /// Texts.
    pub texts: u64,
    /// Texts of whose acts it found one at least.
    pub matched: u64,
    /// Texts that got no answer.
    pub unanswered: u64,
    /// Labels that nobody knows, and how often they came.
    pub unknown: BTreeMap<String, u64>,
}

impl Agreement {
    /// Adds a text.
    pub fn add(&mut self, there: &BTreeSet<Act>, found: &BTreeSet<Act>) {
        self.texts += 1;
        self.matched += u64::from(acts_match(there, found));
        for act in there | found {
            let hits = self.acts.entry(act).or_default();
            hits.both += u64::from(there.contains(&act) && found.contains(&act));
            hits.found += u64::from(found.contains(&act));
            hits.there += u64::from(there.contains(&act));
        }
    }

    /// All acts together.
    pub fn all(&self) -> Hits {
        self.acts.values().fold(Hits::default(), |sum, it| Hits {
            both: sum.both + it.both,
            found: sum.found + it.found,
            there: sum.there + it.there,
        })
    }

    /// How often at least one act was found that was there: the paper's single-label accuracy.
    pub fn accuracy(&self) -> Option<Estimate> {
        wilson(self.matched, self.texts)
    }
}

impl Hits {
    /// The share of what was found that was there.
    pub fn precision(self) -> Option<Estimate> {
        wilson(self.both, self.found)
    }

    /// The share of what was there that was found.
    pub fn recall(self) -> Option<Estimate> {
        wilson(self.both, self.there)
    }

    /// Their harmonic mean; its interval is that of both ends.
    pub fn f1(self) -> Option<Estimate> {
        let (precision, recall) = (self.precision()?, self.recall()?);
        let mean = |one: f64, other: f64| if one + other > 0.0 { 2.0 * one * other / (one + other) } else { 0.0 };
        Some(Estimate {
            n: self.there,
            value: mean(precision.value, recall.value),
            low: mean(precision.low, recall.low),
            high: mean(precision.high, recall.high),
        })
    }
}

// The slices of the paper's figures, by their names.

/// How many calls a turn chains.
pub fn chain_length(calls: usize) -> &'static str {
    match calls {
        0 | 1 => "1",
        2 => "2",
        3 => "3",
        _ => "4+",
    }
}

/// How many functions are offered; nothing where nobody knows.
pub fn functions_offered(functions: usize) -> Option<&'static str> {
    match functions {
        0 => None,
        1..=9 => Some("1-9"),
        10..=19 => Some("10-19"),
        _ => Some("20+"),
    }
}

/// How often the user has spoken before the chain's first call, which is our own measure: the paper's is not to be had.
pub fn user_turns(turns: usize) -> Option<&'static str> {
    match turns {
        0 => None,
        1..=5 => Some("1-5"),
        6..=10 => Some("6-10"),
        _ => Some("11+"),
    }
}

// Whether the values of arguments were made up, as a judge says it.

/// The arguments of calls whose name is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Validity {
    /// Calls whose name is right.
    pub calls: u64,
    /// Their arguments that were judged.
    pub judged: u64,
    /// Those of them that were not made up.
    pub valid: u64,
    /// Arguments that nobody judged, or about which nothing usable was said; they count as neither.
    pub unjudged: u64,
}

impl Validity {
    /// Adds calls with so many arguments in all, and which of them were made up, where a judge said it.
    pub fn add(&mut self, calls: u64, arguments: u64, hallucinated: Option<u64>) {
        self.calls += calls;
        match hallucinated {
            Some(hallucinated) => {
                self.judged += arguments;
                self.valid += arguments.saturating_sub(hallucinated);
            }
            None => self.unjudged += arguments,
        }
    }

    /// The share of valid arguments, over all arguments.
    pub fn rate(&self) -> Option<Estimate> {
        wilson(self.valid, self.judged)
    }
}

/// The arguments that a judge takes for made up, call by call. Nothing unless there is a list for each call, of names that
/// the call has.
pub fn read_hallucinated(reply: &str, calls: &[BTreeSet<&str>]) -> Option<Vec<BTreeSet<String>>> {
    let lists = |value: &Value| value.as_object()?.get("hallucinated_parameters").cloned();
    let lists = embedded(without_thought(reply)).into_iter().find_map(|(_, value)| lists(&value))?;
    let lists = lists.as_list().filter(|lists| lists.len() == calls.len())?;
    let names = |(list, call): (&Value, &BTreeSet<&str>)| -> Option<BTreeSet<String>> {
        let name = |name: &Value| name.as_str().filter(|name| call.contains(name)).map(str::to_owned);
        list.as_list()?.iter().map(name).collect()
    };
    lists.iter().zip(calls).map(names).collect()
}

/// The `score` from 0 to 1 of the first object in a reply that has one.
pub fn read_unit(reply: &str) -> Option<f64> {
    let score = |value: &Value| Some(value.as_object()?.get("score")?.as_number()?.as_f64());
    let score = embedded(without_thought(reply)).into_iter().find_map(|(_, value)| score(&value))?;
    (0.0..=1.0).contains(&score).then_some(score)
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

#[cfg(test)]
mod agreement_tests {
    use super::super::acts::read_acts;
    use super::*;
    use proptest::prelude::*;

    fn acts(text: &str) -> BTreeSet<Act> {
        read_acts(text).0
    }

    #[test]
    fn what_was_there_and_what_was_found_are_counted_act_by_act() {
        let mut agreement = Agreement::default();
        agreement.add(&acts("agent_inform_user"), &acts("agent_inform_user,agent_seek_information"));
        agreement.add(&acts("agent_other,agent_inform_user"), &acts("agent_inform_user"));
        agreement.add(&acts("agent_other"), &acts(""));
        assert_eq!(agreement.all(), Hits { both: 2, found: 3, there: 4 });
        assert_eq!(agreement.acts[&Act::Seek], Hits { both: 0, found: 1, there: 0 });
        let value = |estimate: Option<Estimate>| estimate.map(|it| (it.value * 1000.0).round());
        let all = agreement.all();
        assert_eq!([all.precision(), all.recall(), all.f1()].map(value), [Some(667.0), Some(500.0), Some(571.0)]);
        assert_eq!((value(agreement.accuracy()), agreement.acts[&Act::Seek].f1()), (Some(667.0), None));
    }

    #[test]
    fn of_nothing_there_is_nothing() {
        let none = Agreement::default();
        assert_eq!((none.accuracy(), none.all().precision(), none.all().f1()), (None, None, None));
    }

    proptest! {
        #[test]
        fn the_mean_lies_between_both_and_within_its_interval(both in 1_u64..50, found in 0_u64..50, there in 0_u64..50) {
            let hits = Hits { both, found: both + found, there: both + there };
            let (precision, recall, f1) = (hits.precision().unwrap(), hits.recall().unwrap(), hits.f1().unwrap());
            prop_assert!(f1.value >= precision.value.min(recall.value) - 1e-12);
            prop_assert!(f1.value <= precision.value.max(recall.value) + 1e-12);
            prop_assert!(f1.low <= f1.value + 1e-12 && f1.value <= f1.high + 1e-12);
        }
    }
}

#[cfg(test)]
mod slices_tests {
    use super::*;

    #[test]
    fn bounds_are_the_papers() {
        assert_eq!([1, 2, 3, 4, 10].map(chain_length), ["1", "2", "3", "4+", "4+"]);
        assert_eq!(
            [0, 1, 9, 10, 19, 20].map(functions_offered),
            [None, Some("1-9"), Some("1-9"), Some("10-19"), Some("10-19"), Some("20+")]
        );
        assert_eq!([0, 5, 6, 10, 11].map(user_turns), [None, Some("1-5"), Some("6-10"), Some("6-10"), Some("11+")]);
    }
}

#[cfg(test)]
mod validity_tests {
    use super::*;
    use proptest::prelude::*;

    fn read(reply: &str) -> Option<Vec<Vec<String>>> {
        let calls = [BTreeSet::from(["city", "day"]), BTreeSet::from(["id"])];
        let found = read_hallucinated(reply, &calls)?;
        Some(found.into_iter().map(|names| names.into_iter().collect()).collect())
    }

    #[test]
    fn a_reply_has_a_list_for_each_call_with_names_that_the_call_has() {
        let found = Some(vec![vec!["day".to_owned()], vec![]]);
        assert_eq!(read(r#"{"rationale": "x", "hallucinated_parameters": [["day"], []]}"#), found);
        assert_eq!(read("Well:\n```json\n{\"hallucinated_parameters\": [[\"day\", \"day\"], []]}\n```"), found);
        for wrong in [
            r#"{"hallucinated_parameters": [["day"]]}"#,
            r#"{"hallucinated_parameters": [["id"], []]}"#,
            r#"{"hallucinated_parameters": ["day", []]}"#,
            r#"{"hallucinated_parameters": [[1], []]}"#,
            r#"{"hallucinated": [[], []]}"#,
            "[[], []]",
            "",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_number_from_nothing_to_all_is_read() {
        assert_eq!([r#"{"score": 0.75}"#, r#"so: {"score": 1, "why": "x"}"#].map(read_unit), [Some(0.75), Some(1.0)]);
        assert_eq!([r#"{"score": 1.5}"#, r#"{"score": "1"}"#, "0.5", r#"{"score": -1}"#].map(read_unit), [None; 4]);
    }

    #[test]
    fn the_rate_is_over_arguments_and_not_over_calls() {
        let mut validity = Validity::default();
        validity.add(1, 4, Some(1));
        validity.add(1, 0, Some(0));
        validity.add(2, 2, None);
        assert_eq!(validity, Validity { calls: 4, judged: 4, valid: 3, unjudged: 2 });
        assert_eq!(validity.rate().map(|rate| (rate.value, rate.n)), Some((0.75, 4)));
        assert_eq!(Validity::default().rate(), None);
    }

    proptest! {
        #[test]
        fn no_reply_makes_a_reader_stumble_and_valid_ones_are_never_more_than_judged(reply in ".{0,60}", arguments in 0_u64..9, made_up in 0_u64..12) {
            prop_assert!(read(&reply).is_none() || reply.contains("hallucinated_parameters"));
            prop_assert!(read_unit(&reply).is_none_or(|score| (0.0..=1.0).contains(&score)));
            let mut validity = Validity::default();
            validity.add(1, arguments, Some(made_up));
            prop_assert!(validity.valid <= validity.judged);
        }
    }
}
