//! What a locale says of functions, put together and checked against what they are.

use super::super::steps::join::Join;
use super::super::steps::pick::Criterion;
use super::super::steps::text::{Spoken, WorldText};
use super::function::{Declaration, Function};
use crate::toolset::{Fault, nearest_name};
use fcgen_core::locale::Pattern;
use fcgen_core::record::{Sayings, Wordings};

/// The sayings of a function: what is said of its arguments is its own, else its domain's, else said for all.
pub(crate) fn sayings(said: &Spoken, texts: &[&WorldText]) -> Sayings {
    let mut wordings: Wordings = said.said.clone();
    for (parameter, forms) in texts.iter().flat_map(|text| &text.said) {
        wordings.entry(parameter.clone()).or_insert_with(|| forms.clone());
    }
    Sayings {
        asks: said.asks.clone(),
        things: said.things.clone(),
        picks: said.picks.clone(),
        tells: said.tells.clone(),
        found: said.found.clone(),
        chosen: said.chosen.clone(),
        qualities: said.qualities.clone(),
        tallies: said.tallies.clone(),
        said: wordings,
    }
}

impl Join<'_> {
    /// Checks that patterns can be read and that what they name is there.
    pub(crate) fn sayings(&mut self, world: &Declaration) {
        for function in world.functions.values() {
            let faults = faults(function);
            let source = self.sources.iter().find(|source| source.domain == function.domain);
            let path = source.map(|source| source.text_path.clone()).unwrap_or_default();
            let fault = |message| Fault { path: path.clone(), line: None, message };
            self.faults.extend(faults.into_iter().map(fault));
        }
    }
}

fn faults(function: &Function) -> Vec<String> {
    let (sayings, name) = (&function.sayings, &function.name);
    let mut faults = Vec::new();
    let mut slots: Vec<&str> = function.parameters.keys().map(String::as_str).collect();
    slots.extend(function.parameters.values().filter_map(|param| param.follows.as_ref()?.length.as_deref()));
    for text in sayings.asks.iter().chain(&sayings.things) {
        faults.extend(check(text, &slots).map(|message| format!("`{name}`: `{text}`: {message}")));
    }
    slots.push("name");
    for (pick, texts) in &sayings.picks {
        if !function.picks.contains_key(pick) {
            let known: Vec<&str> = function.picks.keys().map(String::as_str).collect();
            faults.push(format!("unknown pick `{pick}` in `{name}`; {}", nearest_name(pick, &known)));
        }
        faults.extend(texts.iter().filter_map(|text| Some(format!("`{name}`: `{text}`: {}", check(text, &slots)?))));
    }
    faults.extend(unsaid(function));
    let others = [&sayings.tells, &sayings.found, &sayings.chosen].into_iter().flatten();
    let others = others.chain(sayings.tallies.values().flat_map(|it| it.things.iter().chain(&it.tells)));
    let others = others.chain(sayings.said.values().flat_map(|forms| forms.values()).flatten());
    let unread = others.filter_map(|text| Some(format!("`{name}`: `{text}`: {}", Pattern::parse(text).err()?)));
    faults.extend(unread);
    faults
}

/// Qualities and tallies that a locale says nothing of, or that there are none of.
fn unsaid(function: &Function) -> Vec<String> {
    let (sayings, name) = (&function.sayings, &function.name);
    let qualities = function.picks.values().filter_map(|pick| match &pick.by {
        Criterion::Chosen(choice) => Some(choice.quality.0.as_str()),
        _ => None,
    });
    let mut faults = Vec::new();
    let unworded = function.forks.keys().filter(|quality| !sayings.qualities.contains_key(*quality));
    faults.extend(unworded.map(|quality| format!("no text for the quality `{quality}` of `{name}`")));
    for quality in qualities {
        if !sayings.qualities.contains_key(quality) || sayings.chosen.is_empty() {
            faults.push(format!("no text for the quality `{quality}` of `{name}`, or none under `chosen`"));
        }
    }
    let tallies = function.tallies.keys().filter(|tally| !sayings.tallies.contains_key(*tally));
    faults.extend(tallies.map(|tally| format!("no text for the tally `{tally}` of `{name}`")));
    let strays = sayings.tallies.keys().filter(|tally| !function.tallies.contains_key(*tally));
    let known: Vec<&str> = function.tallies.keys().map(String::as_str).collect();
    faults.extend(strays.map(|tally| format!("unknown tally `{tally}` in `{name}`; {}", nearest_name(tally, &known))));
    faults.dedup();
    faults
}

/// What is wrong with a pattern that may say `slots`.
fn check(text: &str, slots: &[&str]) -> Option<String> {
    match Pattern::parse(text) {
        Err(error) => Some(error.to_string()),
        Ok(pattern) => {
            let stray = pattern.slots().into_iter().find(|slot| !slots.contains(slot))?.to_owned();
            Some(format!("unknown parameter `{stray}`; {}", nearest_name(&stray, slots)))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::toolset::declared::testing::{inn, text_faults};

    #[test]
    fn a_function_knows_how_people_ask_for_it() {
        let world = inn("en");
        let sayings = &world.functions["Search_Inns"].sayings;
        assert!(sayings.mentions("nights") && sayings.mentions("guests") && !sayings.mentions("page"));
        assert_eq!(sayings.said["guests"]["one"], ["one guest"], "said for the whole domain");
        assert!(world.functions["Cancel_Booking"].sayings.is_empty());
    }

    #[test]
    fn a_pattern_that_names_what_is_not_there_is_a_fault() {
        for (old, new, told) in [
            ("[ for {guests}]", "[ for {gests}]", "unknown parameter `gests`; did you mean `guests`?"),
            ("[ for {guests}]", "[ for {guests}", "`[` at character"),
            ("cheapest = [", "cheap = [", "unknown pick `cheap` in `Search_Inns`"),
        ] {
            let faults = text_faults(old, new);
            assert!(faults.iter().any(|fault| fault.contains(told)), "{told}: {faults:?}");
        }
    }
}
