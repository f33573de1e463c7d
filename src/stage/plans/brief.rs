//! What a writer is given of a plan: the calls as the person would ask for them.

use super::values::Said;
use crate::llm::{BriefPart, BriefWords};
use crate::locale::{Pattern, in_words};
use crate::record::{Chance, Feed, Plan, PlanCall};
use crate::toolset::{Criterion, Function};
use crate::world::DeclaredWorld;
use indexmap::IndexMap;

/// The parts of a plan's request.
pub(in crate::stage) fn brief(world: &DeclaredWorld, plan: &Plan, said: &Said, chance: &mut Chance) -> Vec<BriefPart> {
    let groups = groups(plan);
    let brief = Brief { world, plan, said, groups: &groups };
    groups.iter().map(|calls| brief.part(calls, chance)).collect()
}

/// For every search at an end of the plan, one of its items that the person wants to be told: the name of a pick.
pub(in crate::stage) fn wanted_items(
    world: &DeclaredWorld,
    plan: &Plan,
    chance: &mut Chance,
) -> IndexMap<usize, String> {
    let mut reported = IndexMap::new();
    for call in plan.ends() {
        let function = world.declaration().functions.get(&plan.calls[call].function);
        let Some(function) = function.filter(|it| !it.sayings.asks.is_empty() && !it.sayings.found.is_empty()) else {
            continue;
        };
        let is_told = |name: &&String| {
            let extreme =
                function.picks.get(*name).is_some_and(|it| matches!(it.by, Criterion::Least(_) | Criterion::Most(_)));
            extreme && function.sayings.picks.contains_key(*name)
        };
        let picks: Vec<&String> = function.picks.keys().filter(is_told).collect();
        let root = root(plan, call);
        // Twins are compared by one and the same measure.
        let known = reported.get(&root).cloned();
        let pick = known.or_else(|| chance.pick(&picks).map(|it| (*it).clone()));
        if let Some(pick) = pick {
            reported.insert(root, pick.clone());
            reported.insert(call, pick);
        }
    }
    reported
}

/// The call that a call repeats, or itself.
fn root(plan: &Plan, call: usize) -> usize {
    plan.calls.get(call).and_then(|it| it.twin).map_or(call, |twin| root(plan, twin))
}

/// The calls of each part: one and those that repeat it; lookups are parts of those that they serve.
fn groups(plan: &Plan) -> Vec<Vec<usize>> {
    let mut groups: IndexMap<usize, Vec<usize>> = IndexMap::new();
    let mut order: Vec<usize> = (0..plan.calls.len()).collect();
    order.sort_by_key(|call| plan.calls[*call].matter);
    for call in order {
        groups.entry(root(plan, call)).or_default().push(call);
    }
    groups.into_values().collect()
}

struct Brief<'b> {
    world: &'b DeclaredWorld,
    plan: &'b Plan,
    said: &'b Said,
    groups: &'b [Vec<usize>],
}

impl Brief<'_> {
    fn function(&self, call: &PlanCall) -> Option<&Function> {
        self.world.declaration().functions.get(&call.function)
    }

    fn part(&self, calls: &[usize], chance: &mut Chance) -> BriefPart {
        let first = &self.plan.calls[calls[0]];
        let Some(function) = self.function(first).filter(|it| !it.free) else {
            return BriefPart { function: first.function.clone(), matter: first.matter, ..BriefPart::default() };
        };
        let mut slots: IndexMap<String, Vec<BriefWords>> = IndexMap::new();
        for call in calls {
            let planned = &self.plan.calls[*call];
            for (name, feed) in planned.arguments.iter().filter(|(name, feed)| !is_there(function, planned, name, feed))
            {
                let Some((slot, words)) = self.slot(function, name, feed, chance) else { continue };
                let known = slots.entry(slot).or_default();
                known.extend(words.into_iter().filter(|it| !known.contains(it)).collect::<Vec<_>>());
            }
        }
        slots.retain(|slot, words| function.sayings.mentions(slot) && !words.is_empty());
        let ends = self.plan.ends();
        let wanted = calls.iter().any(|call| ends.contains(call));
        let told = self.plan.told.get(&calls[0]).map(|pick| self.told(calls[0], function, pick)).into_iter().collect();
        // What twins differ in is said by themselves, or was said of what they follow from.
        let differs = slots.values().any(|words| words.len() > 1);
        BriefPart {
            function: function.name.clone(),
            description: function.description.clone(),
            matter: first.matter,
            asks: function.sayings.asks.clone(),
            things: function.sayings.things.clone(),
            slots,
            each: calls.len() > 1 && !differs,
            wanted,
            told,
        }
    }

    fn told(&self, call: usize, function: &Function, pick: &str) -> BriefWords {
        BriefWords::Item {
            part: self.part_of(call),
            pick: pick.to_owned(),
            phrases: function.sayings.picks.get(pick).cloned().unwrap_or_default(),
            name: None,
        }
    }

    fn part_of(&self, call: usize) -> usize {
        self.groups.iter().position(|calls| calls.contains(&call)).unwrap_or_default()
    }

    /// The slot by which an argument is said, and its words.
    fn slot(
        &self,
        function: &Function,
        name: &str,
        feed: &Feed,
        chance: &mut Chance,
    ) -> Option<(String, Vec<BriefWords>)> {
        match feed {
            Feed::Said(slot) => {
                let said = self.said.get(slot)?;
                let length = function.parameters.get(name).and_then(|it| it.follows.as_ref()?.length.clone());
                if let Some((days, length)) = said.length.zip(length) {
                    return Some((length, vec![BriefWords::Said(self.number(days, slot))]));
                }
                Some((name.to_owned(), vec![BriefWords::Said(said.words.clone())]))
            }
            Feed::Item { .. } => Some((name.to_owned(), vec![self.item(function, name, feed)?])),
            Feed::Set(feeds) => {
                let words = feeds.iter().map(|feed| self.item(function, name, feed)).collect::<Option<Vec<_>>>()?;
                let texts: Vec<String> = words
                    .iter()
                    .filter_map(|it| match it {
                        BriefWords::Item { name, .. } => name.clone(),
                        BriefWords::Said(text) => Some(text.clone()),
                    })
                    .collect();
                let text = self.world.pack().requests.joined(&texts);
                Some((name.to_owned(), vec![BriefWords::Said(text)]))
            }
            Feed::List(list) => {
                let texts: Option<Vec<String>> = list.iter().map(|leg| self.leg(function, name, leg, chance)).collect();
                let text = self.world.pack().requests.joined(&texts?);
                Some((name.to_owned(), vec![BriefWords::Said(text)]))
            }
            Feed::Whole { call, .. } => {
                // A key of something is said by what that thing is called.
                let source = self.plan.calls.get(*call)?;
                let feeder = self.function(source)?;
                let mut items = source.arguments.iter().filter(|(_, feed)| matches!(feed, Feed::Item { .. }));
                let (parameter, feed) = items.next()?;
                Some((name.to_owned(), vec![self.item(feeder, parameter, feed)?]))
            }
        }
    }

    /// How many days, in digits or in words.
    fn number(&self, days: u32, slot: &str) -> String {
        // Calls that share a slot say it in one way.
        let mut chance = Chance::of(&[slot.as_bytes(), &days.to_le_bytes()]);
        let language = self.world.pack().language.as_deref().filter(|_| chance.happens(0.5) && days <= 12);
        // Words that count something else than days would not agree with what follows.
        let words = language.filter(|_| self.world.pack().capitals).and_then(|it| in_words(u64::from(days), it, None));
        words.unwrap_or_else(|| days.to_string())
    }

    /// What an item is called: a place by the name under which it is looked up, everything else by what makes it the one.
    fn item(&self, function: &Function, name: &str, feed: &Feed) -> Option<BriefWords> {
        let Feed::Item { call, pick, slot, minutes, .. } = feed else { return None };
        let planned = self.plan.calls.get(*call)?;
        let feeder = self.function(planned)?;
        let param = function.parameters.get(name);
        if param.is_some_and(|it| it.format.is_some()) {
            let forms = function.sayings.said.get(name)?;
            let form = forms.get(if *minutes > 0 { "after" } else { "same" }).or_else(|| forms.get("same"))?;
            let pattern = form.first().and_then(|text| Pattern::parse(text).ok())?;
            return Some(BriefWords::Said(pattern.variants(1).into_iter().next()?));
        }
        if feeder.free {
            let (parameter, feed) = planned.arguments.iter().find(|(_, feed)| !matches!(feed, Feed::Whole { .. }))?;
            return match feed {
                Feed::Said(slot) => Some(BriefWords::Said(self.said.get(slot)?.words.clone())),
                other => self.item(feeder, parameter, other),
            };
        }
        let text = slot.as_ref().and_then(|slot| self.said.get(slot)).map(|said| said.words.clone());
        Some(BriefWords::Item {
            part: self.part_of(*call),
            pick: pick.clone(),
            phrases: feeder.sayings.picks.get(pick).cloned().unwrap_or_default(),
            name: text,
        })
    }

    /// The words for one leg of a journey.
    fn leg(
        &self,
        function: &Function,
        name: &str,
        leg: &IndexMap<String, Feed>,
        chance: &mut Chance,
    ) -> Option<String> {
        let patterns = function.sayings.said.get(name)?.get("leg")?;
        let mut text = chance.pick(patterns)?.clone();
        let inner = function.parameters.get(name)?;
        for (field, feed) in leg {
            let words = match feed {
                Feed::Said(slot) => self.said.get(slot)?.words.clone(),
                other => match self.item(function, name, other)? {
                    BriefWords::Said(text) => text,
                    BriefWords::Item { .. } => return None,
                },
            };
            inner.fields.get(field)?;
            text = fill(&text, field, &words, self.world);
        }
        Some(text)
    }
}

/// Whether a thing is where another one of the same call is, so that it need not be said: returned where it was taken.
fn is_there(function: &Function, call: &PlanCall, name: &str, feed: &Feed) -> bool {
    let other = function.parameters.get(name).and_then(|param| call.arguments.get(param.like.as_ref()?));
    matches!(feed, Feed::Item { minutes: 0, .. }) && other.is_some_and(|other| other.sources() == feed.sources())
}

/// A pattern's text with words in the place of one slot.
fn fill(text: &str, slot: &str, words: &str, world: &DeclaredWorld) -> String {
    let plain = text.replace(&format!("{{{slot}}}"), words);
    match plain.split_once(&format!("{{{slot}|")) {
        Some((before, rest)) => match rest.split_once('}') {
            Some((particle, after)) => format!("{before}{}{after}", world.pack().agreed(words, Some(particle))),
            None => plain,
        },
        None => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Journey, inn, item, journeys, korean, stay, stays, two_towns};
    use super::*;
    use crate::record::Value;

    fn parts(plan: &Plan, said: &Said) -> Vec<BriefPart> {
        brief(&inn().world, plan, said, &mut Chance::of(&[b"brief"]))
    }

    fn words(text: &str) -> BriefWords {
        BriefWords::Said(text.to_owned())
    }

    /// All texts of a brief that must be said.
    fn texts(parts: &[BriefPart]) -> Vec<&str> {
        let words = parts.iter().flat_map(|part| part.slots.values().flatten().chain(&part.told));
        words
            .filter_map(|words| match words {
                BriefWords::Said(text) => Some(text.as_str()),
                BriefWords::Item { name, .. } => name.as_deref(),
            })
            .collect()
    }

    #[test]
    fn the_words_of_every_value_are_in_the_brief() {
        for (ground, Journey { plan, walked }) in journeys() {
            let parts = brief(&ground.world, plan, &walked.said, &mut Chance::of(&[b"brief"]));
            let texts = texts(&parts);
            for (key, said) in &walked.said {
                let Some(days) = said.length else {
                    let is_there = texts.iter().any(|text| text.contains(&said.words));
                    assert!(is_there, "{key}: {} is not in {texts:?}", said.words);
                    continue;
                };
                let in_words =
                    in_words(u64::from(days), inn().pack.language.as_deref().unwrap(), None).unwrap_or_default();
                assert!(texts.iter().any(|text| *text == days.to_string() || *text == in_words), "{key}: {days}");
            }
        }
    }

    #[test]
    fn a_part_has_the_slots_that_its_requests_can_say() {
        for (ground, Journey { plan, walked }) in journeys() {
            let parts = brief(&ground.world, plan, &walked.said, &mut Chance::of(&[b"brief"]));
            assert_eq!(parts.len(), groups(plan).len());
            for (place, part) in parts.iter().enumerate() {
                let function = ground.function(&part.function);
                assert!(part.slots.iter().all(|(slot, words)| function.sayings.mentions(slot) && !words.is_empty()));
                assert!(!function.free || (part.slots.is_empty() && part.asks.is_empty() && part.things.is_empty()));
                for words in part.slots.values().flatten() {
                    let BriefWords::Item { part: from, phrases, .. } = words else { continue };
                    assert!(*from < place && !phrases.is_empty(), "{}", part.function);
                }
            }
            assert!(parts.windows(2).all(|pair| pair[0].matter <= pair[1].matter));
        }
    }

    #[test]
    fn lookups_are_parts_of_what_they_serve() {
        let said = inn().said(&stay(), 0);
        let parts = parts(&stay(), &said);
        assert_eq!(parts[0], BriefPart { function: "Find_Town".to_owned(), ..BriefPart::default() });
        assert_eq!(parts[1].slots["town_id"], [words(&said["0.town_id"].words)]);
        let BriefWords::Item { part, pick, phrases, name } = &parts[2].slots["token"][0] else { panic!("an item") };
        assert_eq!((*part, pick.as_str(), phrases[0].as_str(), name), (1, "cheapest", "the cheapest (inn|one)", &None));
        assert_eq!(parts.iter().map(|part| part.wanted).collect::<Vec<_>>(), [false, false, true]);
    }

    #[test]
    fn a_day_that_is_said_by_its_distance_gives_way_to_that() {
        let mut said = inn().said(&stay(), 0);
        said["0.departure"].length = Some(3);
        let part = &parts(&stay(), &said)[1];
        assert!(!part.slots.contains_key("departure"));
        assert!(part.slots["nights"] == [words("3")] || part.slots["nights"] == [words("three")]);
        let korean = brief(&korean().world, &stay(), &said, &mut Chance::of(&[b"brief"]));
        assert_eq!(korean[1].slots["nights"], [words("3")], "a counter would have to agree");
    }

    #[test]
    fn twins_are_one_part_that_says_what_they_differ_in() {
        let said = inn().said(&two_towns(), 0);
        let parts = parts(&two_towns(), &said);
        assert_eq!(parts.len(), 3);
        let towns = [words(&said["0.town_id"].words), words(&said["0.town_id#2"].words)];
        assert_eq!((parts[1].slots["town_id"].as_slice(), parts[1].each), (&towns[..], false));
        assert_eq!(parts[1].slots["arrival"].len(), 1, "what they share is said once");
        assert!(parts[2].each && parts[2].slots["token"].len() == 1, "of each town the cheapest one");
    }

    #[test]
    fn two_items_of_one_answer_are_told_apart_by_their_picks() {
        let mut plan = stay();
        let mut other = plan.calls[2].clone();
        (other.arguments["token"], other.twin) = (item(1, "best", "/token"), Some(2));
        plan.calls.push(other);
        let parts = parts(&plan, &inn().said(&plan, 0));
        let picks: Vec<&str> = parts[2].slots["token"]
            .iter()
            .filter_map(|words| match words {
                BriefWords::Item { pick, .. } => Some(pick.as_str()),
                BriefWords::Said(_) => None,
            })
            .collect();
        assert_eq!((picks, parts[2].each), (vec!["cheapest", "best"], false));
    }

    #[test]
    fn a_search_at_an_end_has_an_item_that_is_to_be_told() {
        let mut plan = two_towns();
        plan.calls.truncate(4);
        for draw in 0..10 {
            let told = wanted_items(&inn().world, &plan, &mut Chance::new(1, "t", "p", draw));
            assert_eq!(told.keys().copied().collect::<Vec<_>>(), [2, 3]);
            assert!(told[0] == told[1] && ["cheapest", "best"].contains(&told[0].as_str()), "{told:?}");
            plan.told = told;
            let parts = parts(&plan, &inn().said(&plan, 0));
            assert!(parts[1].told.len() == 1 && parts[1].wanted);
        }
        assert!(
            wanted_items(&inn().world, &two_towns(), &mut Chance::of(&[b"t"])).is_empty(),
            "a booking tells itself"
        );
    }

    #[test]
    fn a_slot_of_a_leg_is_filled_with_or_without_a_particle() {
        assert_eq!(fill("from {a} to {b}", "a", "Lyon", &inn().world), "from Lyon to {b}");
        let filled = ["밀브룩", "하버"].map(|town| fill("{a|을} 거쳐", "a", town, &korean().world));
        assert_eq!(filled, ["밀브룩을 거쳐", "하버를 거쳐"]);
        assert_eq!(fill("{b|을}", "a", "x", &korean().world), "{b|을}");
    }

    #[test]
    fn the_same_chance_gives_the_same_brief() {
        let Journey { plan, walked } = &stays()[0];
        assert_eq!(parts(plan, &walked.said), parts(plan, &walked.said));
        assert!(walked.said.values().all(|it| it.value != Value::Null));
    }
}
