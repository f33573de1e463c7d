//! Looks a domain over: what a careful author would mend, with its place.

mod alike;
mod renderings;
mod rows;
mod sayings;

use super::domain::{Api, Domain, Operation};
use crate::toolset::{Finding, Toolset};
use fcgen_core::assets::Assets;
use fcgen_core::locale::{Pack, ResourcePhrases};
use std::collections::BTreeSet;

/// One domain while it is looked over.
struct Look<'a> {
    domain: &'a Domain,
    pack: &'a Pack,
    phrases: &'a ResourcePhrases,
    /// Whether frames go on right behind an intent.
    frames_go_on: bool,
    findings: Vec<Finding>,
}

impl Look<'_> {
    fn find(&mut self, place: &str, message: String) {
        let finding = Finding::warning(place, message);
        if !self.findings.contains(&finding) {
            self.findings.push(finding);
        }
    }
}

/// Everything that ought to be mended in the domains of a toolset.
pub(in crate::toolset) fn lint(assets: &Assets, toolset: &Toolset, pack: &Pack) -> Vec<Finding> {
    let phrases = ResourcePhrases::load(assets, &pack.code).unwrap_or_default();
    let frames_go_on = sayings::frames_go_on(pack);
    let mut findings = Vec::new();
    for domain in toolset.domains.values() {
        let mut look = Look { domain, pack, phrases: &phrases, frames_go_on, findings: Vec::new() };
        rows::lint(&mut look);
        sayings::lint(&mut look);
        alike::lint(&mut look);
        findings.append(&mut look.findings);
    }
    findings.extend(prefixes(toolset));
    findings
}

/// Identifiers that begin alike, in whichever domains.
fn prefixes(toolset: &Toolset) -> Vec<Finding> {
    let all = toolset.domains.values().flat_map(|domain| {
        domain.resources.values().map(|resource| (domain.qualified(&resource.name), resource.shape.prefix().to_owned()))
    });
    let all: Vec<(String, String)> = all.collect();
    let twin = |(at, (name, prefix)): (usize, &(String, String))| {
        let (other, _) = all.iter().take(at).find(|(_, it)| it == prefix)?;
        let message = format!("identifiers have the same prefix `{prefix}` as those of `{other}`");
        Some(Finding::warning(name, message).in_structure())
    };
    all.iter().enumerate().filter_map(twin).collect()
}

/// Whether some API takes an identifier of the resource.
fn taken(domain: &Domain, resource: &str) -> bool {
    domain.apis.values().any(|api| api.identifiers().any(|(_, of)| of == resource))
}

/// Whether another API takes what this one answers: then a request may say it by this one's phrases.
fn feeds(domain: &Domain, api: &Api) -> bool {
    let finds =
        matches!(api.operation, Operation::Get(_) | Operation::Find(_) | Operation::Latest(_) | Operation::Answer(_));
    let named: BTreeSet<&str> = domain
        .apis
        .values()
        .flat_map(|it| it.slots.values())
        .flat_map(|slot| &slot.from)
        .map(|it| it.tool.as_str())
        .collect();
    named.contains(api.tool.as_str()) || (finds && api.found().any(|(_, of)| taken(domain, of)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::resources::testing::load;

    const STRUCTURE: &str = r#"
[card]
id = "KA####"
[card.fields]
limit = "amount"
ownerId = { of = "owner" }
state = ["open", "shut"]
[card.tools]
getLimit = { get = ["limit"] }
getOwner = { get = ["ownerId"] }
raiseLimit = { update = ["limit"], optional = { state = ["open", "shut"] } }
[owner]
id = "OW####"
[owner.fields]
phone = "phone"
[owner.tools]
findOwner = { find = ["phone"] }
"#;

    const TEXT: &str = r#"
title = "Cards"
scenario = "Cards."
[card]
noun = "card"
called = ["card {id}", "the card {id}", "the card with the number {id}"]
again = ["that card", "the same card"]
[card.fields]
limit = "limit"
ownerId = "owner"
state = "state"
[card.tools.getLimit]
description = "Returns the limit of a card"
intents = ["(see|check|look up|tell me) how far {cardId} goes", "(see|check|look up|tell me) what {cardId} allows"]
[card.tools.getOwner]
description = "Returns the person who holds a card"
intents = ["(see|check|look up|tell me) whose {cardId} is", "(see|check|look up|tell me) who has {cardId}"]
phrases = ["whoever holds {cardId}", "the holder of {cardId}"]
[card.tools.raiseLimit]
description = "Sets how much a card allows"
intents = ["(let|make|have|get) {cardId} go[ up to {limit}][, it is {state}]", "(allow|permit|grant|give) {limit} on {cardId}"]
[owner]
noun = "owner"
called = ["owner {id}", "the owner {id}", "the owner with the number {id}"]
again = ["that owner", "the same owner"]
[owner.fields]
phone = "phone number"
[owner.tools.findOwner]
description = "Finds an owner by phone"
intents = ["(see|check|look up|tell me) who uses {phone}", "(see|check|look up|tell me) whose number[ {phone}] that is"]
phrases = ["the one with the phone number {phone}", "whoever uses {phone}"]
"#;

    fn found(structure: &str, text: &str) -> Vec<String> {
        let toolset = load(structure, text).unwrap();
        let pack = crate::fixtures::pack("en");
        lint(crate::fixtures::assets(), &toolset, &pack)
            .into_iter()
            .map(|it| format!("{}: {}", it.place, it.message))
            .collect()
    }

    /// The findings after one text of what people say was replaced, without the first that the replacement left.
    #[track_caller]
    fn check(old: &str, new: &str, expected: &[&str]) {
        assert!(TEXT.contains(old), "{old}");
        assert_eq!(found(STRUCTURE, &TEXT.replace(old, new)), expected);
    }

    const REACHED: &str = "cards.card: is unreachable: no API finds, lists, creates or refers to it";
    const LEADS: &str = "cards.owner: is unused: no API takes its identifier";

    #[test]
    fn a_resource_is_reached_and_leads_somewhere() {
        check("title", "title", &[REACHED, LEADS]);
        let structure = STRUCTURE.replace("[owner.tools]", "[owner.tools]\nlistCards = { answer = { cardId = { of = \"card\" } }, with = { ownerId = { of = \"owner\" } } }");
        let text = format!(
            "{TEXT}[owner.tools.listCards]\ndescription = \"Names a card\"\nintents = [\"(name|show|see|get) what {{ownerId}} has\", \
            \"(name|show|see|get) what {{ownerId}} pays with\"]\nphrases = [\"what {{ownerId}} has\", \"what {{ownerId}} pays with\"]\n\
            [owner.tools.listCards.parameters]\nownerId = \"owner\"\n"
        );
        assert_eq!(found(&structure, &text), Vec::<String>::new());
    }

    #[test]
    fn every_required_value_is_said_once() {
        let text = "(let|make|have|get) {cardId} go[ up to {limit}]";
        check(
            text,
            "(let|make|have|get) {cardId} go",
            &[
                REACHED,
                LEADS,
                "cards.raiseLimit: `(let|make|have|get) {cardId} go[, it is {state}]` does not contain `{limit}` exactly once",
            ],
        );
        check(
            "who has {cardId}",
            "who has {cardId} or {cardId}",
            &[
                REACHED,
                LEADS,
                "cards.getOwner: `(see|check|look up|tell me) who has {cardId} or {cardId}` does not contain `{cardId}` exactly once",
            ],
        );
    }

    #[test]
    fn brackets_hold_values_and_no_identifiers() {
        check(
            "[ up to {limit}][, it is {state}]",
            " up to {limit}, {state}",
            &[
                REACHED,
                LEADS,
                "cards.raiseLimit: `(let|make|have|get) {cardId} go up to {limit}, {state}` has the optional `{state}` outside of brackets",
                "cards.raiseLimit: no intent has `{limit}` or `{state}` in brackets",
                "cards.raiseLimit: no intent contains the optional `{state}`",
            ],
        );
        check(
            "how far {cardId} goes",
            "how far[ {cardId}] goes",
            &[
                REACHED,
                LEADS,
                "cards.getLimit: `(see|check|look up|tell me) how far[ {cardId}] goes` has the identifier `{cardId}` in brackets",
            ],
        );
    }

    #[test]
    fn an_identifier_is_a_noun_phrase_of_its_own() {
        for (old, new, what) in [
            ("how far {cardId} goes", "how far (the card|it with) {cardId} goes", "`card` precedes"),
            ("how far {cardId} goes", "how far the {cardId} goes", "`the` precedes"),
            ("how far {cardId} goes", "how far {cardId}'s line goes", "`'s` follows"),
            ("how far {cardId} goes", "how far {cardId} card goes", "`card` follows"),
        ] {
            let message = format!(
                "cards.getLimit: `(see|check|look up|tell me) {new}`: {what} an identifier, which is a complete noun phrase"
            );
            check(old, new, &[REACHED, LEADS, &message]);
        }
        check("how far {cardId} goes", "how far scorecard {cardId} goes", &[REACHED, LEADS]);
    }

    #[test]
    fn there_are_ways_enough_and_they_are_its_own() {
        check(
            "(see|check|look up|tell me) what {cardId} allows",
            "see the limit of {cardId}",
            &[REACHED, LEADS, "cards.getLimit: its intents expand to 5 texts, expected at least 6"],
        );
        check(
            "who has {cardId}",
            "how far {cardId} goes",
            &[
                REACHED,
                LEADS,
                "cards.getOwner: `(see|check|look up|tell me) how far {cardId} goes` is also an intent of `cards.getLimit`",
            ],
        );
    }

    #[test]
    fn where_frames_go_on_an_intent_ends_in_a_verb() {
        let toolset = load(STRUCTURE, TEXT).unwrap();
        let ends = |locale: &str| {
            let findings =
                lint(crate::fixtures::assets(), &toolset, &Pack::load(crate::fixtures::assets(), locale).unwrap());
            findings
                .into_iter()
                .filter(|it| it.message.contains("ends in a value"))
                .map(|it| it.place)
                .collect::<Vec<_>>()
        };
        assert_eq!(ends("ko"), ["cards.getOwner", "cards.raiseLimit", "cards.raiseLimit", "cards.findOwner"]);
        assert!(ends("en").is_empty());
    }

    #[test]
    fn what_another_takes_has_phrases() {
        let structure = STRUCTURE.replace("[owner.tools]", "[owner.tools]\ncallOwner = { delete = true }");
        let text = TEXT.replace("phrases = [\"whoever holds {cardId}\", \"the holder of {cardId}\"]\n", "");
        let spoken = "[owner.tools.callOwner]\ndescription = \"Calls\"\nintents = [\"(ring|phone|dial|reach) {ownerId}\", \"(bother|disturb|wake|warn) {ownerId}\"]\n";
        let expected = "cards.getOwner: has 0 phrases, but other APIs take its answer";
        assert_eq!(found(&structure, &format!("{text}{spoken}")), [REACHED, expected]);
    }

    #[test]
    fn a_resource_is_called_in_several_ways() {
        check(
            "called = [\"card {id}\", \"the card {id}\", \"the card with the number {id}\"]\nagain = [\"that card\", \"the same card\"]",
            "called = [\"card {id}\"]",
            &[
                "cards.card: `called` has 1 texts, expected two to five",
                "cards.card: `again` has 0 texts, expected two to four",
                REACHED,
                LEADS,
            ],
        );
    }

    #[test]
    fn two_apis_differ_in_what_they_do_and_how_they_are_described() {
        let structure = STRUCTURE.replace("[owner]", "limitGet = { get = [\"limit\"] }\n[owner]");
        let text = format!(
            "{TEXT}[card.tools.limitGet]\ndescription = \"Returns of a card the limit\"\nintents = [\"(i|b|c|d) {{cardId}}\", \"(e|f|g|h) {{cardId}}\"]\n"
        );
        let found: Vec<String> = found(&structure, &text).into_iter().skip(2).collect();
        assert_eq!(
            found,
            [
                "cards.limitGet: does the same as `getLimit`",
                "cards.limitGet: has the same words in its name as `getLimit`",
                "cards.limitGet: has the same description as `getLimit`: `Returns the limit of a card`",
            ]
        );
    }

    #[test]
    fn listed_values_and_identifiers_are_what_people_say() {
        let structure =
            STRUCTURE.replace("[\"open\", \"shut\"]", "[\"two_way\", \"EUR\"]").replace("OW####", "KA#####");
        let expected = [
            "cards.card: is unreachable: no API finds, lists, creates or refers to it",
            LEADS,
            "cards.raiseLimit: no wordings for the listed value `two_way` of `state`",
            "cards.owner: identifiers have the same prefix `KA` as those of `cards.card`",
        ];
        assert_eq!(found(&structure, TEXT), expected);
    }
}
