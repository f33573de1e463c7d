//! Other forms of a value that mean the same: a clock time in digits, a number in digits.

use super::super::Language;
use super::super::Time;
use super::super::dates::resolve;
use super::super::numerals::numbers_in;

/// Other forms of a text value that are as right as the one that was said. Only what its words alone make sure is
/// given: `7 pm` is `19:00`, `half past six` may be either half of the day and is given as no time.
pub fn twins(value: &str, language: &Language) -> Vec<String> {
    let mut twins: Vec<String> = clock(value, language).into_iter().collect();
    twins.extend(digits(value, language));
    twins.retain(|twin| twin != value);
    twins.dedup();
    twins
}

/// The time of the day that a text says and nothing beside it, as `19:00`.
fn clock(value: &str, language: &Language) -> Option<String> {
    let moments = resolve(value, None, language);
    let [moment] = moments.as_slice() else { return None };
    let time =
        moment.time.as_ref().filter(|time| time.exact && moment.date.is_none() && time.range == (0..value.len()));
    time.map(|time| {
        let Time { hour, minute, .. } = time.value;
        format!("{hour:02}:{minute:02}")
    })
}

/// The number that a text says and nothing beside it, in digits.
fn digits(value: &str, language: &Language) -> Option<String> {
    let numbers = numbers_in(value, language);
    let [number] = numbers.as_slice() else { return None };
    (!number.ordinal && number.range == (0..value.len())).then(|| number.value.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::super::language::tests::language;
    use super::*;

    #[test]
    fn a_sure_time_has_a_twin_in_digits() {
        assert_eq!(twins("7 pm", language("en")), ["19:00"]);
        assert_eq!(twins("오후 3시", language("ko")), ["15:00"]);
        assert_eq!(twins("下午3点", language("zh")), ["15:00"]);
    }

    #[test]
    fn what_is_not_sure_has_none() {
        for text in ["half past six", "tomorrow at 7 pm", "Porto", "the 7 pm train"] {
            assert!(twins(text, language("en")).is_empty(), "{text}: {:?}", twins(text, language("en")));
        }
    }

    #[test]
    fn a_number_in_words_has_a_twin_in_digits() {
        assert_eq!(twins("twelve", language("en")), ["12"]);
        assert!(twins("12", language("en")).is_empty());
    }
}
