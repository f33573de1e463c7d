//! One fault of a pipeline file, and the names that an unknown one is most like.

use std::ops::Range;

/// One fault with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the [`Source`] that it is about; the first line of them is shown.
    pub span: Range<usize>,
    /// What was found, and what was expected: a lowercase fragment.
    pub message: String,
    /// The way out.
    pub hint: Option<String>,
    /// Whether a secret may stand there, so that the place is shown and what stands there is not.
    pub is_secret: bool,
    /// Whether the fault lies in a file that is named there (a toolset, a table), and not in the pipeline file.
    pub is_input: bool,
}

impl Problem {
    /// A fault without a hint.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), hint: None, is_secret: false, is_input: false }
    }

    /// The same fault with a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same fault at a place where a secret may stand.
    #[must_use]
    pub fn secret(self) -> Self {
        Self { is_secret: true, ..self }
    }

    /// The same fault, of a file that is named at its place.
    #[must_use]
    pub fn input(self) -> Self {
        Self { is_input: true, ..self }
    }
}

// "Did you mean": the known name that a misspelt one is most like, and a short list of the others.

/// Most names that a hint lists.
const LISTED: usize = 8;

/// The known name nearest to `name`, if it is near enough to be a slip of the hand.
pub fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let lower = name.to_lowercase();
    let reach = (name.chars().count() / 3).max(1);
    known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), *candidate))
        .filter(|(distance, _)| *distance <= reach)
        .min()
        .map(|(_, candidate)| candidate)
}

/// A hint for an unknown name: the nearest one, then what there is (`what` is `keys here`, `kinds` ...).
pub fn did_you_mean(name: &str, known: &[&str], what: &str) -> String {
    let list = listed(known);
    match nearest(name, known) {
        Some(near) => format!("did you mean `{near}`? {}: {list}", capital(what)),
        None => format!("{what}: {list}"),
    }
}

/// Names in backticks, at most eight of them.
pub fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    let more = names.len().saturating_sub(LISTED);
    let rest = if more == 0 { String::new() } else { format!(" and {more} more") };
    format!("{}{rest}", shown.join(", "))
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let known = ["prompt", "per_tool", "model"];
        assert_eq!(nearest("promt", &known), Some("prompt"));
        assert_eq!(nearest("Model", &known), Some("model"));
        assert_eq!(nearest("temperature", &known), None);
        assert_eq!(nearest("", &known), None);
    }

    #[test]
    fn the_hint_names_the_nearest_first() {
        assert_eq!(
            did_you_mean("promt", &["prompt", "model"], "keys here"),
            "did you mean `prompt`? Keys here: `prompt`, `model`"
        );
        assert_eq!(did_you_mean("x", &["prompt"], "keys here"), "keys here: `prompt`");
    }

    #[test]
    fn a_long_list_is_cut() {
        let names: Vec<&str> = "a b c d e f g h i j".split(' ').collect();
        assert!(listed(&names).ends_with("`h` and 2 more"));
        assert_eq!(listed(&[]), "none");
    }

    #[test]
    fn a_list_of_eight_is_shown_whole() {
        let names: Vec<&str> = "a b c d e f g h".split(' ').collect();
        assert!(listed(&names).ends_with(", `h`"));
        assert_eq!(did_you_mean("한글", &[], "roles here"), "roles here: none");
    }

    proptest! {
        #[test]
        fn a_name_is_nearest_to_itself_whatever_its_case(names in prop::collection::vec("[a-z_]{1,8}", 1..6), at in any::<prop::sample::Index>()) {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let name = *at.get(&known);
            prop_assert_eq!(nearest(&name.to_uppercase(), &known), Some(name));
        }

        #[test]
        fn one_letter_too_few_is_a_slip(name in "[a-z]{4,12}", at in any::<prop::sample::Index>()) {
            let at = at.index(name.len());
            let slip: String = name.chars().enumerate().filter(|(index, _)| *index != at).map(|(_, letter)| letter).collect();
            prop_assert_eq!(nearest(&slip, &["0123456789012", &name]), Some(name.as_str()));
        }

        #[test]
        fn the_order_of_the_known_names_says_nothing(name in "[a-c]{0,4}", names in prop::collection::vec("[a-c]{1,4}", 0..6)) {
            let known: Vec<&str> = names.iter().map(String::as_str).collect();
            let turned: Vec<&str> = known.iter().rev().copied().collect();
            prop_assert_eq!(nearest(&name, &known), nearest(&name, &turned));
        }
    }
}
