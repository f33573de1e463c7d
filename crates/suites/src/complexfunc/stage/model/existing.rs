//! What exists in a world, by the names that people use: so much of it as a writer can be shown.

use crate::llm::Existing;
use crate::record::Chance;
use crate::stage::context::Context;
use indexmap::IndexMap;

/// So many places are shown.
const PLACES: usize = 6;
/// So many names of a kind in a place.
const IN_A_PLACE: usize = 4;
/// So many names of a kind that belongs to no place.
const ELSEWHERE: usize = 12;

/// Some places with some names of each kind, and names that belong to no place; nothing without a declared world.
pub(crate) fn existing(context: &Context, chance: &mut Chance) -> Vec<Existing> {
    let mut names = context.domains().declared().map(|world| world.names()).unwrap_or_default();
    let mut elsewhere = names.shift_remove("").unwrap_or_default();
    // Places that are not shown are not named either.
    elsewhere.retain(|_, named| !named.iter().any(|name| names.contains_key(name)));
    let mut places: Vec<String> = names.keys().cloned().collect();
    chance.shuffle(&mut places);
    places.truncate(PLACES);
    let mut found: Vec<Existing> = Vec::new();
    for place in places {
        let kinds = names.shift_remove(&place).unwrap_or_default();
        found.push(Existing { kinds: some(kinds, IN_A_PLACE, chance), place });
    }
    if !elsewhere.is_empty() {
        found.push(Existing { place: String::new(), kinds: some(elsewhere, ELSEWHERE, chance) });
    }
    found
}

fn some(mut kinds: IndexMap<String, Vec<String>>, most: usize, chance: &mut Chance) -> IndexMap<String, Vec<String>> {
    for names in kinds.values_mut() {
        names.sort();
        names.dedup();
        chance.shuffle(names);
        names.truncate(most);
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::trace::testing::inn;
    use crate::stage::testing::silent;

    #[test]
    fn things_stand_under_their_places_and_nothing_else_is_a_place() {
        let context = inn(silent());
        let found = existing(&context, &mut Chance::of(&[b"7"]));
        let inns: Vec<&Existing> = found.iter().filter(|it| it.kinds.contains_key("inns")).collect();
        assert!(!inns.is_empty() && inns.iter().all(|it| !it.place.is_empty()), "{found:?}");
        assert_eq!(found, existing(&context, &mut Chance::of(&[b"7"])));
        assert!(existing(&silent(), &mut Chance::of(&[b"7"])).is_empty());
    }
}
