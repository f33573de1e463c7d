//! What is right to a sample, in the authors' form.

use crate::record::{BorrowedValue, Difficulty, Sample, Value};
use crate::score::callnavi::strict::Gold;

/// Before the domain among a sample's tags.
const DOMAIN_TAG: &str = "domain:";
/// Before the arguments among a sample's facts where there are not as many as there are calls: a JSON list.
const PARAMETERS_FACT: &str = "parameters";

/// The truth as the authors write it: names and arguments apart.
pub(super) fn truth(sample: &Sample, gold: &Gold<'_>) -> Value {
    let names = gold.names().map(Value::from).collect();
    let stated = sample.provenance.facts.get(PARAMETERS_FACT).and_then(|text| Value::read(text).ok());
    let arguments = || gold.calls.iter().map(|gold| Value::Object(gold.call.arguments.clone())).collect();
    let parameters = stated.unwrap_or_else(|| Value::List(arguments()));
    Value::Object([("API".to_owned(), Value::List(names)), ("parameters".to_owned(), parameters)].into())
}

/// Calls that a server gave, in the same form; the authors know nothing but texts.
pub(super) fn written(calls: &[(String, String)]) -> String {
    let arguments = |text: &str| BorrowedValue::read_lenient(text).map_or(Value::Null, Value::from);
    let names = calls.iter().map(|(name, _)| Value::from(name.as_str())).collect();
    let parameters = calls.iter().map(|(_, text)| arguments(text)).collect();
    Value::Object([("API".to_owned(), Value::List(names)), ("parameters".to_owned(), Value::List(parameters))].into())
        .to_string()
}

/// A sample's domain: what its tag says, else its group.
pub(super) fn domain(sample: &Sample) -> &str {
    sample.tags.iter().find_map(|tag| tag.strip_prefix(DOMAIN_TAG)).unwrap_or(&sample.group)
}

/// Which difficulty a sample has: 0 is easy, 2 hard.
pub(super) fn difficulty(sample: &Sample) -> Option<usize> {
    match (sample.difficulty, sample.data_type.0.as_str()) {
        (Some(Difficulty::Easy), _) | (None, "easy") => Some(0),
        (Some(Difficulty::Medium), _) | (None, "medium") => Some(1),
        (Some(Difficulty::Hard), _) | (None, "hard") => Some(2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::sample;
    use super::*;
    use crate::record::DataType;

    #[test]
    fn names_and_arguments_stand_apart() {
        let mut sample = sample("q", &[("getX", r#"{"a": 1}"#), ("getY", "{}")]);
        let shown = |sample: &Sample| truth(sample, &Gold::of(sample).unwrap()).to_string();
        assert_eq!(shown(&sample), r#"{"API":["getX","getY"],"parameters":[{"a":1},{}]}"#);
        sample.provenance.facts.insert(PARAMETERS_FACT.to_owned(), "[]".to_owned());
        assert_eq!(shown(&sample), r#"{"API":["getX","getY"],"parameters":[]}"#);
    }

    #[test]
    fn native_calls_are_written_out() {
        let calls = [("f", "{\"a\": 1}"), ("g", "oops")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        assert_eq!(written(&calls), r#"{"API":["f","g"],"parameters":[{"a":1},null]}"#);
    }

    #[test]
    fn domains_and_difficulties_are_told_in_two_ways() {
        let mut sample = sample("q", &[]);
        assert_eq!((domain(&sample), difficulty(&sample)), ("bank", Some(0)));
        sample.tags = vec!["x".to_owned(), "domain:hotel".to_owned()];
        (sample.difficulty, sample.data_type) = (None, DataType("hard".to_owned()));
        assert_eq!((domain(&sample), difficulty(&sample)), ("hotel", Some(2)));
        sample.data_type = DataType("odd".to_owned());
        assert_eq!(difficulty(&sample), None);
    }
}
