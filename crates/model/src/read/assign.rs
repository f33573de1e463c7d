//! Gives the stretches of a request to the parameters of a tool, each to one.

use super::learn::Learned;
use super::slot::Slot;
use super::text::{Span, Text};
use crate::locale::Reading;
use crate::read::values::candidates::{Candidate, Means};
use crate::read::values::recognise::Recogniser;
use crate::record::Object;

/// What a request says to one tool.
#[derive(Debug, Clone, Default)]
pub(crate) struct DrawnArguments {
    /// The arguments, in declared order.
    pub(crate) arguments: Object,
    /// The stretches that are surely values, so that their words tell nothing of what the request is about.
    pub(crate) values: Vec<Span>,
    /// How much the values say for the tool.
    pub(crate) told: f64,
    /// Whether one is of a sort that few tools want, or stands beside the tool's own words.
    pub(crate) own: bool,
}

/// Reads the arguments of one tool.
pub(crate) fn read_slots(
    slots: &[Slot],
    text: &Text,
    recogniser: &Recogniser,
    reading: &Reading,
    learned: &Learned,
) -> DrawnArguments {
    let means = Means { recogniser, reading, learned };
    let mut candidates: Vec<Candidate> =
        slots.iter().enumerate().flat_map(|(index, slot)| slot.candidates(index, text, means)).collect();
    mistrust_guesses(&mut candidates);
    candidates.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.span.start.cmp(&other.span.start)));
    let mut taken: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        if taken.iter().all(|it| it.slot != candidate.slot && !it.span.overlaps(candidate.span)) {
            taken.push(candidate);
        }
    }
    taken.sort_by_key(|candidate| candidate.slot);
    DrawnArguments {
        // An open value may hold words of the tool itself; they go on telling what the request is about.
        values: taken.iter().filter(|it| it.sure).map(|it| it.span).collect(),
        told: taken.iter().map(|it| it.told).sum(),
        own: taken.iter().any(|it| it.own),
        arguments: taken.into_iter().map(|it| (slots[it.slot].name.clone(), it.value)).collect(),
    }
}

/// A guess is less likely where a list knows the same words as the value of another slot: `Friday` is no name.
fn mistrust_guesses(candidates: &mut [Candidate]) {
    let known: Vec<(usize, Span)> = candidates.iter().filter(|it| it.sure).map(|it| (it.slot, it.span)).collect();
    for guess in candidates.iter_mut().filter(|it| !it.sure) {
        if known.iter().any(|(slot, span)| *slot != guess.slot && *span == guess.span) {
            guess.score -= 4.0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Pack;

    fn read(tool: &str, query: &str) -> String {
        let toolset = crate::fixtures::toolset("mobile", "en");
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        toolset.extend(&mut pack).unwrap();
        let recogniser = Recogniser::new(&pack);
        let slots = Slot::all(toolset.tool(tool).unwrap(), &pack, &recogniser);
        let text = Text::of(query, true, &crate::fixtures::language("en"));
        let said = read_slots(&slots, &text, &recogniser, &pack.reading, &Learned::new());
        serde_json::to_string(&said.arguments).unwrap()
    }

    #[test]
    fn cues_tell_two_places_apart() {
        let route = "Navigation.MapNavigation.planRoute";
        let expected = r#"{"origin":"Founders Park","destination":"Pier 3"}"#;
        assert_eq!(read(route, "get me to Pier 3 from Founders Park"), expected);
        assert_eq!(read(route, "from Founders Park to Pier 3 please"), expected);
    }

    #[test]
    fn numbers_listed_values_and_flags_are_typed() {
        let charge = "Navigation.MapNavigation.findChargingStations";
        let both = r#"{"radius":12,"fast":true}"#;
        assert_eq!(read(charge, "find a charger within 12 kilometers, fast ones only"), both);
        assert_eq!(read(charge, "find a charger, doesn't have to be fast"), r#"{"fast":false}"#);
        assert_eq!(read("Navigation.MapNavigation.planRoute", "guide me there on foot"), r#"{"mode":"walking"}"#);
    }

    #[test]
    fn nothing_said_is_nothing_read() {
        assert_eq!(read("UtilityTools.AlarmClock.addAlarm", "wake me up"), "{}");
    }
}
