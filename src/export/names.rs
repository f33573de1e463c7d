//! Names that every server takes, and the way back to the original ones.

use super::lesson::Lesson;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The longest name that is taken.
const LONGEST: usize = 64;

/// Original names by the names that were written in their place.
pub(super) type Table = BTreeMap<String, String>;

/// Gives every tool of a lesson a name of letters, digits, `_` and `-`, and notes what was changed.
pub(super) fn make_safe(lesson: &mut Lesson, table: &mut Table) {
    let mut given: BTreeMap<String, String> = BTreeMap::new();
    for tool in &lesson.tools {
        let mut safe = safe(&tool.name);
        while given.values().any(|taken| *taken == safe) {
            let digest = blake3::hash(format!("{safe}/{}", tool.name).as_bytes()).to_hex();
            let kept: String = safe.chars().take(LONGEST - 9).collect();
            safe = format!("{kept}_{}", digest.chars().take(8).collect::<String>());
        }
        given.insert(tool.name.clone(), safe);
    }
    if given.iter().all(|(name, safe)| name == safe) {
        return;
    }
    for tool in &mut lesson.tools {
        if let Some(safe) = given.get(&tool.name).filter(|safe| **safe != tool.name) {
            Arc::make_mut(tool).name.clone_from(safe);
        }
    }
    for call in lesson.turns.iter_mut().flat_map(|turn| &mut turn.calls) {
        if let Some(safe) = given.get(&call.name) {
            call.name.clone_from(safe);
        }
    }
    table.extend(given.into_iter().filter(|(name, safe)| name != safe).map(|(name, safe)| (safe, name)));
}

fn is_fit(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_' || letter == '-'
}

fn safe(name: &str) -> String {
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
        let (mut lesson, mut table) = (lesson("call"), Table::new());
        make_safe(&mut lesson, &mut table);
        assert_eq!((lesson.tools[0].name.as_str(), lesson.turns[1].calls[0].name.as_str()), ("Rail_book", "Rail_book"));
        assert_eq!(table["Rail_book"], "Rail.book");
    }

    #[test]
    fn two_names_never_become_one() {
        let (mut lesson, mut table) = (lesson("call"), Table::new());
        Arc::make_mut(&mut lesson.tools[1]).name = "Rail_book".to_owned();
        make_safe(&mut lesson, &mut table);
        assert_ne!(lesson.tools[0].name, lesson.tools[1].name);
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
