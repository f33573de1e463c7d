//! What a writer is given of a plan: the calls as the person would ask for them.

use super::fed::feeds_of;
use super::values::{Said, text};
use crate::llm::{BriefChoice, BriefFork, BriefPart, BriefWords};
use crate::locale::{DayOrder, Fill, Pack, Pattern, Stamp, in_words};
use crate::record::{Chance, Feed, Fork, ItemId, Plan, PlanCall, Value};
use crate::toolset::{Criterion, Declaration, Format, Function, Param};
use crate::world::DeclaredWorld;
use indexmap::IndexMap;

/// How often the person wants to know what the list of a search comes to, and not one of its items.
const TALLIED: f64 = 0.25;

/// The word for the item that a choice came to.
const CHOSEN: &str = "chosen";

/// The parts of a plan's request.
pub(crate) fn brief(world: &DeclaredWorld, plan: &Plan, said: &Said, chance: &mut Chance) -> Vec<BriefPart> {
    let groups = groups(plan);
    let brief = Brief { world, plan, said, groups: &groups };
    groups.iter().map(|calls| brief.part(calls, chance)).collect()
}

/// For every search at an end of the plan, one of its items that the person wants to be told: the name of a pick.
pub(crate) fn wanted_items(world: &DeclaredWorld, plan: &Plan, chance: &mut Chance) -> IndexMap<usize, String> {
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

/// Has some searches at an end tell what their list comes to, and not an item of it.
pub(crate) fn count_up(world: &DeclaredWorld, plan: &mut Plan, chance: &mut Chance) {
    let calls: Vec<usize> = plan.told.keys().copied().collect();
    let mut known: IndexMap<usize, Option<String>> = IndexMap::new();
    for call in calls {
        let Some(function) = plan.calls.get(call).and_then(|it| world.declaration().functions.get(&it.function)) else {
            continue;
        };
        // Twins are compared by one and the same figure.
        let root = root(plan, call);
        let drawn = known.entry(root).or_insert_with(|| {
            let tallies: Vec<&String> = function.tallies.keys().collect();
            chance.happens(TALLIED).then(|| chance.pick(&tallies).map(|it| (*it).clone())).flatten()
        });
        if let Some(tally) = drawn.clone() {
            plan.told.shift_remove(&call);
            plan.tallied.insert(call, tally);
        }
    }
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
        if let Some(fork) = &first.fork {
            self.point(fork, function, &mut slots);
        }
        let ends = self.plan.ends();
        let wanted = calls.iter().any(|call| ends.contains(call));
        let told = self.plan.told.get(&calls[0]).map(|pick| self.told(calls[0], function, pick));
        let tallied = self.plan.tallied.get(&calls[0]).map(|tally| self.tallied(calls[0], function, tally));
        let told = told.or(tallied).into_iter().collect();
        // What twins differ in is said by themselves, or was said of what they follow from.
        let differs = slots.values().any(|words| words.len() > 1);
        BriefPart {
            function: function.name.clone(),
            description: function.description.clone(),
            matter: first.matter,
            asks: function.sayings.asks.clone(),
            things: function.sayings.things.clone(),
            shared: slots.keys().filter(|slot| self.holds_for_all(function, first, slot)).cloned().collect(),
            slots,
            choice: self.choice(calls, function),
            fork: first.fork.as_deref().and_then(|fork| self.fork(fork, first, chance)).map(Box::new),
            each: calls.len() > 1 && !differs,
            wanted,
            told,
        }
    }

    /// Whether a slot says what the whole request is about, such as who travels.
    fn holds_for_all(&self, function: &Function, call: &PlanCall, name: &str) -> bool {
        let slot = call.arguments.get(name).and_then(|feed| match feed {
            Feed::Said(slot) => self.plan.slots.get(slot),
            _ => None,
        });
        let field = slot.and_then(|slot| self.world.declaration().cases.fields.get(slot.field.as_ref()?));
        field.is_some_and(|it| it.once) && function.parameters.contains_key(name)
    }

    fn told(&self, call: usize, function: &Function, pick: &str) -> BriefWords {
        BriefWords::Item {
            part: self.part_of(call),
            pick: pick.to_owned(),
            phrases: function.sayings.picks.get(pick).cloned().unwrap_or_default(),
            name: None,
        }
    }

    fn tallied(&self, call: usize, function: &Function, tally: &str) -> BriefWords {
        let phrases = function.sayings.tallies.get(tally).map(|words| words.things.clone()).unwrap_or_default();
        BriefWords::Item { part: self.part_of(call), pick: tally.to_owned(), phrases, name: None }
    }

    /// The choice on which hangs what other calls take from these.
    fn choice(&self, calls: &[usize], function: &Function) -> Option<BriefChoice> {
        let feeds = self.plan.calls.iter().flat_map(|call| call.arguments.values()).flat_map(feeds_of);
        let mut picks = feeds.filter_map(|feed| match feed {
            Feed::Item { call, pick, .. } if calls.contains(call) => Some(&function.picks.get(pick)?.by),
            _ => None,
        });
        let choice = picks.find_map(|by| if let Criterion::Chosen(choice) = by { Some(choice) } else { None })?;
        let phrases = |pick: &str| {
            let all = function.sayings.picks.get(pick).into_iter().flatten();
            all.filter(|text| !text.contains('{')).cloned().collect()
        };
        Some(BriefChoice {
            first: choice.first.0.clone(),
            one: phrases(&choice.first.0),
            when: function.sayings.qualities.get(&choice.quality.0)?.when.clone(),
            second: choice.other.0.clone(),
            other: phrases(&choice.other.0),
        })
    }

    /// What this call hangs on, and the one that would be made in the other case.
    fn fork(&self, fork: &Fork, own: &PlanCall, chance: &mut Chance) -> Option<BriefFork> {
        let (feeder, function) = (self.function(self.plan.calls.get(fork.call)?)?, self.function(&fork.other)?);
        let given = fork.other.arguments.iter().filter(|(name, feed)| !is_there(function, &fork.other, name, feed));
        let slots = given.filter_map(|(name, feed)| self.slot(function, name, feed, chance));
        let slots = slots.filter(|(slot, words)| function.sayings.mentions(slot) && !words.is_empty());
        let mut slots: IndexMap<String, Vec<BriefWords>> = slots.collect();
        self.point(fork, function, &mut slots);
        Some(BriefFork {
            one: self.told(fork.call, feeder, &fork.pick),
            when: feeder.sayings.qualities.get(&fork.quality)?.when.clone(),
            met: fork.met,
            other: BriefPart {
                function: function.name.clone(),
                description: function.description.clone(),
                matter: own.matter,
                asks: function.sayings.asks.clone(),
                things: function.sayings.things.clone(),
                slots,
                ..BriefPart::default()
            },
        })
    }

    /// Lets an act point at the item that was named just before.
    fn point(&self, fork: &Fork, function: &Function, slots: &mut IndexMap<String, Vec<BriefWords>>) {
        let feeder = self.plan.calls.get(fork.call).and_then(|call| self.function(call));
        let Some(pointing) = feeder.map(|it| &it.sayings.chosen).filter(|it| !it.is_empty()) else { return };
        for words in slots.values_mut().flatten().filter(|_| !function.sayings.asks.is_empty()) {
            match words {
                BriefWords::Item { part, phrases, name: None, .. } if *part == self.part_of(fork.call) => {
                    phrases.clone_from(pointing);
                }
                _ => {}
            }
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
        let is_chosen = feeder.picks.get(pick).is_some_and(|it| matches!(it.by, Criterion::Chosen(_)));
        Some(BriefWords::Item {
            part: self.part_of(*call),
            pick: if is_chosen { CHOSEN.to_owned() } else { pick.clone() },
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

// The words for what a request says.

/// The order in which a request and all its variants say days.
pub(crate) fn day_order(world: &DeclaredWorld, seed: u64, base: &ItemId) -> DayOrder {
    world.pack().requests.day_order(&mut Chance::new(seed, "days", base.as_str(), 0))
}

/// The words for a parameter's value; none where there are none.
pub(crate) fn say(
    world: &DeclaredWorld,
    function: &Function,
    (name, param): (&str, &Param),
    (value, order): (&Value, &DayOrder),
    chance: &mut Chance,
) -> Option<String> {
    let pack = world.pack();
    let plain = text(value);
    match param.format {
        Some(Format::Date) => {
            let today = Stamp::read(&world.declaration().today)?.date?;
            return Some(pack.requests.day(Stamp::read(&plain)?.date?, (today, order), chance));
        }
        Some(Format::Time) => return Some(pack.requests.time(Stamp::read(&plain)?.time?, chance)),
        _ => {}
    }
    let Some(forms) = function.sayings.said.get(name) else { return Some(plain) };
    let list: Vec<String> = plain.split(',').map(str::to_owned).collect();
    let is_one = plain == "1" || (param.format == Some(Format::Numbers) && list.len() == 1);
    let form =
        forms.get(&plain).or_else(|| if is_one { forms.get("one") } else { None }).or_else(|| forms.get("many"))?;
    let patterns: Vec<Pattern> = form.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
    let row = param.of.as_ref().and_then(|of| name_of(world, of, value));
    let mut fill =
        Number { pack, value: value.clone(), plain: plain.clone(), list: pack.requests.joined(&list), name: row };
    let fitting: Vec<&Pattern> = patterns.iter().filter(|pattern| pattern.fits(&fill)).collect();
    let pattern = chance.pick(&fitting)?;
    Some(pattern.render(&mut fill, chance))
}

/// What people call a row of a table.
pub(super) fn name_of(world: &DeclaredWorld, table: &str, key: &Value) -> Option<String> {
    let rows = world.session().rows(table);
    let row =
        rows.iter().filter_map(Value::as_object).find(|row| row.values().next().is_some_and(|it| it.equals(key)))?;
    row.get("name").map(text)
}

struct Number<'n> {
    pack: &'n Pack,
    value: Value,
    plain: String,
    list: String,
    name: Option<String>,
}

impl Number<'_> {
    fn words(&self) -> Option<String> {
        let number = self.value.as_number()?.as_str().parse::<u64>().ok().filter(|it| *it <= 12)?;
        in_words(number, self.pack.language.as_deref()?, None)
    }
}

impl Fill for Number<'_> {
    fn has(&self, slot: &str) -> bool {
        match slot {
            "n" | "list" => true,
            "name" => self.name.is_some(),
            "words" => self.words().is_some(),
            _ => false,
        }
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
        let words = match slot {
            "n" => Some(self.plain.clone()),
            "list" => Some(self.list.clone()),
            "name" => self.name.clone(),
            _ => self.words(),
        };
        self.pack.agreed(&words.unwrap_or_default(), particle)
    }
}

// What a plan's request says.

/// How many of a plan's values variants may change: those that are neither protected nor the same as another.
pub(crate) fn changeable(plan: &Plan) -> usize {
    plan.slots.values().filter(|slot| !slot.protected && slot.with.is_none()).count()
}

/// Whether all protected values are what they were.
pub(crate) fn protected(plan: &Plan, before: &super::values::Said, after: &super::values::Said) -> bool {
    let value = |said: &super::values::Said, key: &str| said.get(key).map(|it| it.value.clone());
    plan.slots.iter().filter(|(_, slot)| slot.protected).all(|(key, _)| value(before, key) == value(after, key))
}

/// The parameter of a slot; of a leg's field, that field.
pub(crate) fn parameter<'d>(declaration: &'d Declaration, plan: &Plan, key: &str) -> Option<&'d Param> {
    let slot = plan.slots.get(key)?;
    let parameters = &declaration.functions.get(&slot.function)?.parameters;
    match slot.parameter.split_once('.') {
        Some((name, field)) => parameters.get(name)?.fields.get(field),
        None => parameters.get(&slot.parameter),
    }
}

/// The calls that take from a slot.
pub(crate) fn takers(plan: &Plan, key: &str) -> Vec<usize> {
    let takes = |feed: &Feed| feed.slots().contains(&key);
    let calls = plan.calls.iter().enumerate().filter(|(_, call)| call.arguments.values().any(takes));
    calls.map(|(at, _)| at).collect()
}

/// What the place of a slot must be near to: where another parameter of a call that takes its lookup is.
pub(crate) fn near_to<'p>(declaration: &Declaration, plan: &'p Plan, key: &str) -> Option<&'p Feed> {
    let lookups = takers(plan, key);
    let is_own = |feed: &Feed| feed.sources().iter().any(|it| lookups.contains(it));
    plan.calls.iter().find_map(|call| {
        let function = declaration.functions.get(&call.function)?;
        let mut own = call.arguments.iter().filter(|(_, feed)| is_own(feed));
        let near = own.find_map(|(name, _)| function.parameters.get(name)?.near.as_ref());
        call.arguments.get(near?).filter(|other| !is_own(other))
    })
}

/// The slots that say where a feed's place is.
pub(crate) fn places<'p>(plan: &'p Plan, feed: &'p Feed) -> Vec<&'p str> {
    let lookups = feed.sources().into_iter().filter_map(|call| plan.calls.get(call));
    let arguments = lookups.flat_map(|call| call.arguments.values());
    arguments.flat_map(|it| if it.sources().is_empty() { it.slots() } else { places(plan, it) }).collect()
}

/// What a plan is, in a line: its path, for people and for telling plans apart.
pub(crate) fn describe(plan: &Plan) -> String {
    plan.path().iter().map(|step| step.join(" + ")).collect::<Vec<_>>().join(" > ")
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

#[cfg(test)]
mod words_tests {
    use super::super::testing::{Ground, inn, korean, travel};
    use super::*;
    use std::collections::BTreeSet;

    /// All that is said for a value.
    fn said(ground: &'static Ground, function: &str, name: &str, json: &str) -> Vec<String> {
        let (function, value) = (ground.function(function), Value::read(json).unwrap());
        let param = &function.parameters[name];
        let words = (0..30).filter_map(|draw| {
            let mut chance = Chance::new(1, "w", name, draw);
            let order = ground.pack.requests.day_order(&mut chance);
            say(&ground.world, function, (name, param), (&value, &order), &mut chance)
        });
        words.collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn inns(name: &str, json: &str) -> Vec<String> {
        said(inn(), "Search_Inns", name, json)
    }

    #[test]
    fn numbers_are_said_as_one_or_as_many_and_small_ones_in_words_too() {
        assert_eq!(inns("guests", "1"), ["one guest"]);
        assert_eq!(inns("guests", "4"), ["4 guests", "four guests"]);
        assert_eq!(inns("guests", "14"), ["14 guests"]);
        assert_eq!(inns("ages", "\"5\""), ["a child of 5"]);
        assert_eq!(inns("ages", "\"3,7\""), ["children of 3 and 7"]);
        assert_eq!(said(korean(), "Search_Inns", "guests", "4"), ["4명"]);
        assert_eq!(said(korean(), "Search_Inns", "ages", "\"5\""), ["5살 아이"]);
    }

    #[test]
    fn what_has_a_form_of_its_own_is_said_by_that() {
        assert_eq!(inns("quiet", "true"), ["with quiet rooms"]);
        assert_eq!(inns("sort", "\"stars\""), ["by stars"]);
        assert_eq!(inns("sort", "\"price\""), Vec::<String>::new(), "nobody says the default");
        assert_eq!(said(inn(), "Find_Town", "query", "\"Greyford\""), ["Greyford"]);
        assert_eq!(inns("stars_from", "3"), ["3"]);
    }

    #[test]
    fn days_and_times_are_said_as_the_language_says_them() {
        let days = inns("arrival", "\"2024-11-05\"");
        assert!(days.contains(&"November 5".to_owned()) && days.iter().all(|day| day.contains('5')), "{days:?}");
        assert_eq!(inns("arrival", "\"2024-10-14\""), ["tomorrow"]);
        assert_eq!(inns("arrival", "\"soon\""), Vec::<String>::new());
        let times = said(travel("en"), "Search_Taxi", "pick_up_time", "\"15:30\"");
        assert!(times.contains(&"15:30".to_owned()) && times.contains(&"3:30 p.m.".to_owned()), "{times:?}");
    }

    #[test]
    fn a_row_is_called_by_its_name() {
        let words = said(travel("en"), "Search_Taxi", "currency_code", "\"EUR\"");
        assert_eq!(words, [name_of(&travel("en").world, "currencies", &Value::from("EUR")).unwrap()]);
        assert_eq!(said(travel("en"), "Search_Taxi", "currency_code", "\"XXX\""), Vec::<String>::new());
    }
}

#[cfg(test)]
mod slots_tests {
    use super::super::testing::{inn, said, slot, stay, two_towns};
    use super::*;
    use crate::record::{PlanSlot, Value};
    use indexmap::IndexMap;

    #[test]
    fn what_is_protected_or_agrees_with_another_cannot_change() {
        let mut plan = stay();
        assert_eq!(changeable(&plan), 5, "quiet is protected");
        plan.slots
            .insert("1.arrival".to_owned(), PlanSlot { with: Some("0.arrival".to_owned()), ..PlanSlot::default() });
        assert_eq!((changeable(&plan), changeable(&two_towns()), changeable(&Plan::default())), (5, 6, 0));
    }

    #[test]
    fn protected_values_are_compared_and_no_others() {
        let (plan, before) = (stay(), inn().said(&stay(), 0));
        let mut after = inn().said(&stay(), 1);
        assert!(protected(&plan, &before, &after));
        after["0.quiet"].value = Value::Bool(false);
        assert!(!protected(&plan, &before, &after));
        after.shift_remove("0.quiet");
        assert!(!protected(&plan, &before, &after));
    }

    #[test]
    fn a_slot_leads_to_its_parameter_and_to_the_field_of_a_leg() {
        let mut plan = stay();
        plan.slots.insert("0.legs.0.day".to_owned(), slot("Plan_Tour", "legs.day"));
        plan.slots.insert("0.wrong".to_owned(), slot("Plan_Tour", "guests"));
        let found = |key: &str| parameter(inn().declaration(), &plan, key).map(|it| (it.required, it.format));
        assert_eq!(found("0.legs.0.day"), Some((true, Some(crate::toolset::Format::Date))));
        assert_eq!((found("0.guests"), found("0.town_id")), (Some((false, None)), Some((true, None))));
        assert_eq!((found("0.wrong"), found("0.none")), (None, None));
    }

    #[test]
    fn the_takers_of_a_slot_are_found_within_lists_too() {
        let mut plan = two_towns();
        assert_eq!((takers(&plan, "0.town_id#2"), takers(&plan, "0.arrival")), (vec![1], vec![2, 3]));
        let list = Feed::List(vec![IndexMap::from([("day".to_owned(), said("0.legs.0.day"))])]);
        plan.calls[5].arguments.insert("legs".to_owned(), list);
        assert_eq!((takers(&plan, "0.legs.0.day"), takers(&plan, "0.none")), (vec![5], vec![]));
    }

    #[test]
    fn a_plan_is_described_step_by_step() {
        assert_eq!(describe(&stay()), "Find_Town > Search_Inns > Book_Inn");
        assert_eq!(describe(&two_towns()), "Find_Town + Find_Town > Search_Inns + Search_Inns > Book_Inn + Book_Inn");
    }
}
