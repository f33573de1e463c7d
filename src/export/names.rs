//! Names that every server takes, and the way back to the original ones.

use super::lesson::Lesson;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The longest name that is taken.
const LONGEST: usize = 64;

/// The names that were written in place of others: one for each original, the same throughout an export.
#[derive(Debug, Default)]
pub(super) struct Table {
    given: BTreeMap<String, String>,
    taken: BTreeMap<String, String>,
}

impl Table {
    /// The name to write: of letters, digits, `_` and `-`, and of no other tool in the export.
    fn name(&mut self, original: &str) -> String {
        if let Some(given) = self.given.get(original) {
            return given.clone();
        }
        let mut name = safe(original);
        while self.taken.contains_key(&name) {
            let digest = blake3::hash(format!("{name}/{original}").as_bytes()).to_hex();
            let kept: String = name.chars().take(LONGEST - 9).collect();
            name = format!("{kept}_{}", digest.chars().take(8).collect::<String>());
        }
        self.given.insert(original.to_owned(), name.clone());
        self.taken.insert(name.clone(), original.to_owned());
        name
    }

    /// Original names by the names in their place, where they differ.
    pub(super) fn changed(&self) -> BTreeMap<&str, &str> {
        let pairs = self.taken.iter().map(|(name, original)| (name.as_str(), original.as_str()));
        pairs.filter(|(name, original)| name != original).collect()
    }

    /// Whether every name stayed as it was.
    pub(super) fn is_empty(&self) -> bool {
        self.changed().is_empty()
    }
}

/// Gives every tool of a lesson and every call, also of what is no tool, a name that servers take.
pub(super) fn make_safe(lesson: &mut Lesson, table: &mut Table) {
    for tool in &mut lesson.tools {
        let name = table.name(&tool.name);
        if name != tool.name {
            Arc::make_mut(tool).name = name;
        }
    }
    for call in lesson.turns.iter_mut().flat_map(|turn| &mut turn.calls) {
        call.name = table.name(&call.name);
    }
}

fn is_fit(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

/// The name alone, where no other one takes the same place.
pub(super) fn safe(name: &str) -> String {
    if !name.is_empty() && name.chars().count() <= LONGEST && name.chars().all(is_fit) {
        return name.to_owned();
    }
    let plain: String = name.chars().map(|letter| if is_fit(letter) { letter } else { '_' }).collect();
    if name.is_ascii() && !name.is_empty() && plain.len() <= LONGEST {
        return plain;
    }
    // What lost its letters or its end is told apart by a hash.
    let digest = blake3::hash(name.as_bytes()).to_hex();
    let kept: String = plain.trim_matches('_').chars().take(LONGEST - 12).collect();
    format!("fn_{kept}_{}", digest.chars().take(8).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::testing::lesson;
    use super::*;

    #[test]
    fn names_are_changed_everywhere_and_the_table_leads_back() {
        let (mut lesson, mut table) = (lesson("call"), Table::default());
        make_safe(&mut lesson, &mut table);
        assert_eq!((lesson.tools[0].name.as_str(), lesson.turns[1].calls[0].name.as_str()), ("Rail_book", "Rail_book"));
        assert_eq!(table.changed()["Rail_book"], "Rail.book");
    }

    #[test]
    fn two_names_never_become_one() {
        let (mut lesson, mut table) = (lesson("call"), Table::default());
        Arc::make_mut(&mut lesson.tools[1]).name = "Rail_book".to_owned();
        make_safe(&mut lesson, &mut table);
        assert_ne!(lesson.tools[0].name, lesson.tools[1].name);
    }

    #[test]
    fn a_name_means_one_tool_in_every_lesson() {
        let (mut one, mut other, mut table) = (lesson("call"), lesson("call"), Table::default());
        Arc::make_mut(&mut other.tools[0]).name = "Rail_book".to_owned();
        other.turns[1].calls[0].name = "Rail_book".to_owned();
        make_safe(&mut one, &mut table);
        make_safe(&mut other, &mut table);
        let written = [&one, &other].map(|lesson| lesson.tools[0].name.clone());
        assert_ne!(written[0], written[1]);
        let changed = table.changed();
        assert_eq!([changed[written[0].as_str()], changed[written[1].as_str()]], ["Rail.book", "Rail_book"]);
        assert_eq!(other.turns[1].calls[0].name, written[1]);
    }

    #[test]
    fn calls_of_what_is_no_tool_get_names_too() {
        let (mut lesson, mut table) = (lesson("call"), Table::default());
        for (tool, name) in lesson.tools.iter_mut().zip(["book", "cancel"]) {
            Arc::make_mut(tool).name = name.to_owned();
        }
        lesson.turns[1].calls[0].name = "made up!".to_owned();
        make_safe(&mut lesson, &mut table);
        assert_eq!((lesson.turns[1].calls[0].name.as_str(), lesson.tools[0].name.as_str()), ("made_up_", "book"));
        // What a model makes up never takes the name of a tool that is there.
        let mut other = super::super::testing::lesson("call");
        other.turns[1].calls[0].name = "Rail book".to_owned();
        make_safe(&mut other, &mut table);
        assert_ne!(other.turns[1].calls[0].name, other.tools[0].name);
    }

    #[test]
    fn every_name_fits() {
        for name in ["", "예약", "a b", &"x".repeat(80), "é".repeat(70).as_str(), "ok_1-x"] {
            let safe = safe(name);
            assert!((1..=LONGEST).contains(&safe.len()) && safe.chars().all(is_fit), "{safe}");
        }
        assert_ne!(safe("예약"), safe("취소"));
        assert_eq!(safe("ok_1-x"), "ok_1-x");
    }
}
