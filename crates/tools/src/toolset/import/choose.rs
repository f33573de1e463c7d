//! What is wanted of a description: which operations, by their tags or by patterns over their names and paths; which
//! parameters that are left out otherwise; and how tools are named.

use super::left_out::Extra;
use super::named::NameFrom;

/// What is wanted. Where nothing is said everything is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Tags of which one is enough.
    pub tags: Vec<String>,
    /// Patterns of which one must fit: over the operation's id, or over `METHOD /path`; `*` stands for any letters.
    pub only: Vec<String>,
    /// Patterns of which none may fit.
    pub except: Vec<String>,
    /// Groups of parameters that are kept, though they are left out otherwise.
    pub with: Vec<Extra>,
    /// What the names of tools are made of.
    pub name_from: NameFrom,
}

impl Choice {
    /// Whether an operation is wanted.
    pub(super) fn takes(&self, id: Option<&str>, call: &str, tags: &[&str]) -> bool {
        let fits = |pattern: &String| id.is_some_and(|id| matches(pattern, id)) || matches(pattern, call);
        (self.tags.is_empty() || self.tags.iter().any(|tag| tags.iter().any(|own| own.eq_ignore_ascii_case(tag))))
            && (self.only.is_empty() || self.only.iter().any(fits))
            && !self.except.iter().any(fits)
    }
}

/// Whether a text is as the pattern says, capitals or not. Each `*` takes as little as it can, so it is quick whatever is asked.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_lowercase(), text.to_lowercase());
    let mut parts: Vec<&str> = pattern.split('*').collect();
    let (Some(last), false) = (parts.pop(), parts.is_empty()) else { return pattern == text };
    let Some(mut rest) = text.strip_prefix(parts.remove(0)) else { return false };
    for part in parts {
        match rest.split_once(part) {
            Some((_, tail)) => rest = tail,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(tags: &[&str], only: &[&str], except: &[&str]) -> Choice {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Choice { tags: owned(tags), only: owned(only), except: owned(except), ..Choice::default() }
    }

    #[test]
    fn patterns_fit_names_or_paths() {
        for (pattern, fits) in [
            ("listPlants", true),
            ("LISTplants", true),
            ("list*", true),
            ("*Plants", true),
            ("l*t*s", true),
            ("*", true),
            ("GET /plants", true),
            ("get *", true),
            ("* /plants", true),
            ("list", false),
            ("plants*", false),
            ("POST *", false),
            ("*s*s", true),
        ] {
            let wanted = choice(&[], &[pattern], &[]);
            assert_eq!(wanted.takes(Some("listPlants"), "GET /plants", &[]), fits, "{pattern}");
        }
    }

    #[test]
    fn tags_patterns_and_exceptions_hold_together() {
        let takes = |choice: Choice| choice.takes(Some("listPlants"), "GET /plants", &["Shop"]);
        assert!(takes(Choice::default()) && takes(choice(&["shop"], &[], &[])));
        assert!(!takes(choice(&["admin"], &[], &[])) && !takes(choice(&["shop"], &["add*"], &[])));
        assert!(!takes(choice(&[], &["list*"], &["GET *"])));
    }
}
