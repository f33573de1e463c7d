//! No two APIs do the same thing, and none reads as another does.

use super::Look;
use super::sayings::name_words;
use crate::toolset::{Api, Operation};
use std::collections::BTreeSet;

/// Share of common words from which two descriptions are the same in other words.
const ALIKE: f64 = 0.86;

pub(super) fn lint(look: &mut Look<'_>) {
    let apis: Vec<&Api> = look.domain.apis.values().collect();
    for (at, api) in apis.iter().enumerate() {
        for other in apis.iter().take(at) {
            if does_the_same(api, other) {
                look.find(&api.tool, format!("does the same as `{}`", other.function()));
            }
            // A card's account and an account's card are not the same thing.
            if api.resource != other.resource || api.operation.name() != other.operation.name() {
                continue;
            }
            if sorted(name_words(api.function())) == sorted(name_words(other.function())) {
                look.find(&api.tool, format!("has the same words in its name as `{}`", other.function()));
            }
            if shared(&api.description, &other.description) >= ALIKE {
                look.find(
                    &api.tool,
                    format!("has the same description as `{}`: `{}`", other.function(), other.description),
                );
            }
        }
    }
}

fn does_the_same(one: &Api, two: &Api) -> bool {
    let fields = |api: &Api| sorted(api.operation.fields().into_iter().map(str::to_owned).collect());
    let equal = match (&one.operation, &two.operation) {
        (Operation::Set(one), Operation::Set(two)) => one == two,
        (Operation::Answer(_), Operation::Answer(_)) => {
            fields(one) == fields(two) && one.slots.keys().eq(two.slots.keys())
        }
        _ => fields(one) == fields(two),
    };
    one.resource == two.resource && one.operation.name() == two.operation.name() && equal
}

/// Words without the ending that makes several of one.
fn sorted(mut words: Vec<String>) -> Vec<String> {
    for word in &mut words {
        if word.len() > 3 && word.ends_with('s') {
            word.pop();
        }
    }
    words.sort();
    words
}

/// The share of the words of both that are in each.
#[expect(clippy::cast_precision_loss, reason = "counts are small")]
fn shared(one: &str, two: &str) -> f64 {
    let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<BTreeSet<_>>();
    let (one, two) = (words(one), words(two));
    let all = one.union(&two).count().max(1);
    one.intersection(&two).count() as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_another_order_are_the_same_and_one_other_word_is_not() {
        assert!(shared("Returns the limit of a card", "Returns of a card the limit") >= ALIKE);
        assert!(shared("Returns the daily limit of a debit card", "Returns the daily limit of a credit card") < ALIKE);
        assert!(shared("", "x") < ALIKE);
    }

    #[test]
    fn a_name_in_another_order_or_number_has_the_same_words() {
        let same = |one: &str, two: &str| sorted(name_words(one)) == sorted(name_words(two));
        assert!(same("getCardLimit", "getLimitCards") && !same("getCardLimit", "getCardLimitChange"));
        assert_eq!(name_words("getSIMCard").len(), 5, "letters by themselves are words");
    }
}
