//! Entries of a dictionary as they are written, of which equal keys become one.

use super::super::equal::equals;
use super::super::value::{Dict, PythonValue};
use std::collections::BTreeMap;

/// So many keys are compared each with each; more are looked up, or a hostile text would take the square of its length.
const FEW: usize = 16;

/// Puts entries together: of equal keys the last value stands in the first one's place. Nothing where a key cannot be one.
pub(super) fn settled<'t>(entries: Vec<(PythonValue<'t>, PythonValue<'t>)>) -> Option<Dict<'t>> {
    if !entries.iter().all(|(key, _)| is_key(key)) {
        return None;
    }
    if entries.len() <= FEW {
        return Some(few(entries));
    }
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept: Dict<'t> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let text = (!is_nan(&key)).then(|| key_text(&key));
        let earlier = text.as_ref().and_then(|text| places.get(text)).and_then(|place| kept.get_mut(*place));
        if let Some(earlier) = earlier {
            earlier.1 = value;
        } else {
            places.extend(text.map(|text| (text, kept.len())));
            kept.push((key, value));
        }
    }
    Some(kept)
}

fn few<'t>(entries: Vec<(PythonValue<'t>, PythonValue<'t>)>) -> Dict<'t> {
    let repeats =
        entries.iter().enumerate().any(|(at, (key, _))| entries.iter().take(at).any(|(other, _)| equals(key, other)));
    if !repeats {
        return entries;
    }
    let mut kept: Dict<'t> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match kept.iter_mut().find(|(name, _)| equals(name, &key)) {
            Some(earlier) => earlier.1 = value,
            None => kept.push((key, value)),
        }
    }
    kept
}

fn is_key(value: &PythonValue<'_>) -> bool {
    match value {
        PythonValue::List(_) | PythonValue::Dict(_) => false,
        PythonValue::Tuple(list) => list.iter().all(is_key),
        _ => true,
    }
}

fn is_nan(value: &PythonValue<'_>) -> bool {
    matches!(value, PythonValue::Float(number) if number.is_nan())
}

/// A text that equal keys share.
fn key_text(value: &PythonValue<'_>) -> String {
    match value {
        PythonValue::Bool(bool) => u8::from(*bool).to_string(),
        PythonValue::Float(number) if number.fract() == 0.0 => format!("{:.0}", number + 0.0),
        PythonValue::Tuple(list) => format!("({})", list.iter().map(key_text).collect::<Vec<_>>().join(",")),
        _ => super::super::repr::repr(value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::value::tests::any_python;
    use super::*;
    use proptest::prelude::*;

    fn entry(key: i64, value: i64) -> (PythonValue<'static>, PythonValue<'static>) {
        (PythonValue::Int(key), PythonValue::Int(value))
    }

    #[test]
    fn the_last_of_equal_keys_stands_in_the_first_ones_place() {
        let entries = vec![entry(1, 2), entry(5, 6), (PythonValue::Bool(true), PythonValue::Int(3))];
        assert_eq!(settled(entries).unwrap(), [entry(1, 3), entry(5, 6)]);
        assert_eq!(settled(vec![(PythonValue::List(Vec::new()), PythonValue::None)]), None);
        assert_eq!(settled(vec![(PythonValue::Tuple(vec![PythonValue::Dict(Vec::new())]), PythonValue::None)]), None);
    }

    proptest! {
        #[test]
        fn many_keys_are_settled_as_few_are(keys in prop::collection::vec(any_python(), 17..24)) {
            let entries: Dict<'_> = keys.into_iter().filter(is_key).zip((0..).map(PythonValue::Int)).collect();
            let many = settled(entries.clone()).unwrap();
            prop_assert_eq!(format!("{:?}", many), format!("{:?}", few(entries)));
        }
    }
}
