//! Names that every server accepts: letters, digits, `_` and `-`, at most 64 of them, each once. The same file gives the
//! same names.

use std::collections::BTreeSet;

/// Most letters of a name.
const LONGEST: usize = 64;

/// Letters of the hash that stands for the rest of a name that was cut.
const HASH: usize = 6;

/// Words that mean something else where a folder's text names tools.
const RESERVED: [&str; 6] = ["title", "wanted", "topics", "kinds", "errors", "vague"];

/// The names that are given away.
#[derive(Debug, Default)]
pub(super) struct Names(BTreeSet<String>);

impl Names {
    /// The name for a tool that is called `wanted` elsewhere.
    pub(super) fn give(&mut self, wanted: &str) -> String {
        let mut name = clean(wanted, |letter| letter == '-');
        if RESERVED.contains(&name.as_str()) {
            name.push_str("_call");
        }
        self.unique(&fitting(&name, wanted))
    }

    /// The name for a parameter: as for a tool, without `-`, which no phrase can hold.
    pub(super) fn give_parameter(&mut self, wanted: &str, place: &str) -> String {
        let name = fitting(&clean(wanted, |_| false), wanted);
        if self.0.contains(&name) {
            self.unique(&fitting(&format!("{place}_{name}"), wanted))
        } else {
            self.unique(&name)
        }
    }

    fn unique(&mut self, name: &str) -> String {
        let numbered = |number: usize| {
            let ending = format!("_{number}");
            format!("{}{ending}", name.chars().take(LONGEST - ending.len()).collect::<String>())
        };
        let mut free = name.to_owned();
        let mut number = 2;
        while !self.0.insert(free.clone()) {
            free = numbered(number);
            number += 1;
        }
        free
    }
}

/// The name with `_` for everything that is not allowed, never two in a row, none at either end.
fn clean(wanted: &str, also: fn(char) -> bool) -> String {
    let mut name = String::new();
    for letter in wanted.chars() {
        match letter {
            _ if letter.is_ascii_alphanumeric() || also(letter) => name.push(letter),
            _ if !name.ends_with('_') => name.push('_'),
            _ => {}
        }
    }
    let name = name.trim_matches(['_', '-']);
    if name.is_empty() { "unnamed".to_owned() } else { name.to_owned() }
}

/// A name that is not too long: what is cut is told by a hash of the whole.
fn fitting(name: &str, wanted: &str) -> String {
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    let hash: String = blake3::hash(wanted.as_bytes()).to_hex().chars().take(HASH).collect();
    let head: String = name.chars().take(LONGEST - HASH - 1).collect();
    format!("{}_{hash}", head.trim_end_matches(['_', '-']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_hold_what_every_server_accepts() {
        let mut names = Names::default();
        let given =
            ["repos/get-commit", "Users.list all", "$batch", "\u{c2dd}\u{bb3c}", "kinds"].map(|name| names.give(name));
        assert_eq!(given, ["repos_get-commit", "Users_list_all", "batch", "unnamed", "kinds_call"]);
    }

    #[test]
    fn every_name_is_given_once() {
        let mut names = Names::default();
        assert_eq!(["a/b", "a.b", "a_b"].map(|name| names.give(name)), ["a_b", "a_b_2", "a_b_3"]);
    }

    #[test]
    fn what_is_long_is_cut_and_stays_apart() {
        let long = "a".repeat(80);
        let mut names = Names::default();
        let (one, other) = (names.give(&format!("{long}x")), names.give(&format!("{long}y")));
        assert!(one != other && [&one, &other].iter().all(|name| name.len() == 64), "{one} {other}");
        let again = names.give(&format!("{long}x"));
        assert!(again.len() == 64 && again.ends_with("_2"));
    }

    #[test]
    fn a_parameter_that_stands_twice_is_named_by_its_place() {
        let mut names = Names::default();
        let given = [("id", "path"), ("id", "body"), ("id", "body"), ("filter[x-y]", "query")]
            .map(|(name, place)| names.give_parameter(name, place));
        assert_eq!(given, ["id", "body_id", "body_id_2", "filter_x_y"]);
    }
}
