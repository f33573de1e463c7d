//! Whether the values of arguments were made up, as a judge says it.

use crate::record::Value;
use crate::score::{Estimate, wilson};
use crate::text::{embedded, without_thought};
use std::collections::BTreeSet;

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
