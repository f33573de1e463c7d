//! Tool names on the wire: servers take `[a-zA-Z0-9_-]{1,64}` only, ours have dots and may be in any script.

use indexmap::IndexMap;

/// The names of one request's tools, there and back.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct WireNames {
    by_wire: IndexMap<String, String>,
}

const LONGEST: usize = 64;

impl WireNames {
    /// Gives each tool a name of its own on the wire, the same way every time.
    pub(super) fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut wire_names = Self::default();
        for name in names {
            let wire = wire_names.free_name(&clean(name));
            wire_names.by_wire.insert(wire, name.to_owned());
        }
        wire_names
    }

    /// The wire names, in the order of the tools.
    pub(super) fn wire(&self) -> impl Iterator<Item = &str> {
        self.by_wire.keys().map(String::as_str)
    }

    /// The tool that a reply means; a name that was not offered stays as it is.
    pub(super) fn original<'a>(&'a self, wire: &'a str) -> &'a str {
        self.by_wire.get(wire).map_or(wire, String::as_str)
    }

    /// What a tool is called on the wire; one that is not offered goes by its cleaned name.
    pub(super) fn on_wire(&self, name: &str) -> String {
        let offered = self.by_wire.iter().find(|(_, original)| *original == name);
        offered.map_or_else(|| clean(name), |(wire, _)| wire.clone())
    }

    fn free_name(&self, wanted: &str) -> String {
        let numbered = (2..).map(|number| {
            let ending = format!("_{number}");
            first(wanted, LONGEST - ending.len()) + &ending
        });
        let free = |name: &String| !self.by_wire.contains_key(name);
        std::iter::once(wanted.to_owned()).chain(numbered).find(free).unwrap_or_default()
    }
}

fn clean(name: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    let cleaned: String = name.chars().map(|letter| if allowed(letter) { letter } else { '_' }).collect();
    if cleaned.chars().any(|letter| letter.is_ascii_alphanumeric()) {
        first(&cleaned, LONGEST)
    } else {
        "tool".to_owned()
    }
}

fn first(text: &str, count: usize) -> String {
    text.chars().take(count).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wire(names: &[&str]) -> Vec<String> {
        WireNames::new(names.iter().copied()).wire().map(str::to_owned).collect()
    }

    #[test]
    fn dots_and_other_scripts_go() {
        assert_eq!(wire(&["Navigation.Map.search"]), ["Navigation_Map_search"]);
        assert_eq!(wire(&["지도.검색", "날씨"]), ["tool", "tool_2"]);
    }

    #[test]
    fn names_that_become_equal_are_numbered_and_come_back() {
        let names = WireNames::new(["a.b", "a_b", "a-b"]);
        assert_eq!(names.wire().collect::<Vec<_>>(), ["a_b", "a_b_2", "a-b"]);
        assert_eq!(names.original("a_b_2"), "a_b");
        assert_eq!(names.original("invented"), "invented");
        assert_eq!((names.on_wire("a_b"), names.on_wire("a.c")), ("a_b_2".to_owned(), "a_c".to_owned()));
    }

    proptest! {
        #[test]
        fn any_names_pass_the_wire_and_return(names in proptest::collection::vec(".{0,90}", 0..8)) {
            let wire_names = WireNames::new(names.iter().map(String::as_str));
            let wire: Vec<&str> = wire_names.wire().collect();
            prop_assert_eq!(wire.len(), names.len());
            for (wire, name) in wire.iter().zip(&names) {
                prop_assert!((1..=64).contains(&wire.len()));
                prop_assert!(wire.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-".contains(letter)));
                prop_assert_eq!(wire_names.original(wire), name);
            }
        }
    }
}
