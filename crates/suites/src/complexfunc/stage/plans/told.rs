//! What an assistant tells once the calls of a plan are made.

use super::brief::name_of;
use super::fed::feeds_of;
use super::picked::{at, items, picked};
use super::values::{Said, text};
use super::walk::{Walked, is_partial};
use crate::gate::values_at;
use crate::locale::{Fill, Pack, Pattern, Stamp, words};
use crate::record::{Chance, Feed, Fork, FunctionCall, Plan, PlanCall, Sayings, Value};
use crate::toolset::{Criterion, Function, Pick};
use crate::world::DeclaredWorld;
use indexmap::IndexSet;
use std::collections::BTreeSet;

/// How many values of an answer are told where nothing declares which.
const PLAIN_FIELDS: usize = 3;

/// A sentence for every call at an end of the plan, and before it for each search or act that it follows from and that the
/// request asks for, unless that was told before: what belongs together is told together.
pub(crate) fn told(world: &DeclaredWorld, plan: &Plan, walked: &Walked, chance: &mut Chance) -> Vec<String> {
    let answered = Answered::new(world, plan, walked);
    let (mut sentences, mut seen) = (Vec::new(), BTreeSet::new());
    for end in plan.ends() {
        for call in above(plan, end).into_iter().filter(|call| seen.insert(*call)).collect::<Vec<_>>() {
            sentences.extend(answered.followed(call, chance));
        }
        sentences.extend(answered.end(end, chance));
    }
    sentences
}

/// The calls from which a call takes what it needs, directly or not, in the order of the plan.
fn above(plan: &Plan, call: usize) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut open = vec![call];
    while let Some(next) = open.pop() {
        let sources = plan.calls.get(next).into_iter().flat_map(PlanCall::sources);
        open.extend(sources.filter(|source| found.insert(*source)));
    }
    found
}

/// Whether every call at an end of the plan answered something that can be told.
pub(crate) fn can_be_told(world: &DeclaredWorld, plan: &Plan, walked: &Walked) -> bool {
    let (answered, mut chance) = (Answered::new(world, plan, walked), Chance::of(&[b"told"]));
    let phrases = &world.pack().requests;
    let can_choose = [&phrases.choose, &phrases.took_one, &phrases.took_other].iter().all(|it| !it.is_empty());
    let mut picks =
        (0..plan.calls.len()).flat_map(|call| picks_of(plan, call).into_iter().map(move |pick| (call, pick)));
    let leaves_open = picks.any(|(call, pick)| {
        let by = answered.function(call).and_then(|function| Some(&function.picks.get(pick)?.by));
        matches!(by, Some(Criterion::Chosen(_)))
    });
    (can_choose || !leaves_open) && plan.ends().into_iter().all(|call| answered.end(call, &mut chance).is_some())
}

/// The calls of a plan with their answers.
struct Answered<'a> {
    world: &'a DeclaredWorld,
    plan: &'a Plan,
    said: &'a Said,
    calls: Vec<(&'a FunctionCall, &'a Value)>,
}

impl<'a> Answered<'a> {
    fn new(world: &'a DeclaredWorld, plan: &'a Plan, walked: &'a Walked) -> Self {
        let calls = walked.steps.iter().flat_map(|step| step.calls.iter().zip(&step.answers)).collect();
        Self { world, plan, said: &walked.said, calls }
    }

    fn function(&self, call: usize) -> Option<&'a Function> {
        self.world.declaration().functions.get(&self.calls.get(call)?.0.name)
    }

    /// What is told of a call at an end.
    fn end(&self, call: usize, chance: &mut Chance) -> Option<String> {
        let (function, (made, answer)) = (self.function(call)?, *self.calls.get(call)?);
        // Functions of live servers declare nothing to tell.
        let is_silent = function.sayings.tells.is_empty() && function.sayings.found.is_empty();
        let text = match self.plan.told.get(&call) {
            _ if is_silent => self.plain(call),
            None if self.plan.tallied.contains_key(&call) => self.tallied(call, chance),
            Some(pick) => found(self.world, function, pick, (made, answer), chance),
            None => whole(self.world, function, answer, chance),
        }?;
        let text = match self.plan.calls.get(call)?.fork.as_deref() {
            Some(fork) => {
                let pack = self.world.pack();
                format!("{}{}{}", self.forked(fork, chance)?, pack.requests.sentence_separator, pack.tidy(&text))
            }
            None => text,
        };
        Some(self.apart(call, text))
    }

    /// Why this call was made, and not the one of the other case.
    fn forked(&self, fork: &Fork, chance: &mut Chance) -> Option<String> {
        let (function, pack) = (self.function(fork.call)?, self.world.pack());
        let words = function.sayings.qualities.get(&fork.quality)?;
        let is = if fork.met { &words.yes } else { &words.no };
        let one = phrase(function, &fork.pick, chance)?;
        let pattern = chance.pick(&pack.requests.forked)?;
        Some(pack.tidy(&pack.rendered(pattern, &[("one", &one), ("is", is)], &mut Chance::of(&[b"took"]))))
    }

    /// What the list of a search comes to; none where not all of it is shown.
    fn tallied(&self, call: usize, chance: &mut Chance) -> Option<String> {
        let (function, (_, answer)) = (self.function(call)?, *self.calls.get(call)?);
        let name = self.plan.tallied.get(&call)?;
        let tally = function.tallies.get(name).filter(|tally| !is_partial(answer, &tally.item))?;
        let figure = tally.figure(answer)?;
        let count = items(answer, &tally.item).len().to_string();
        // Nobody asks how many of those that are all alike are so.
        if count == "1" || ["0", count.as_str()].contains(&figure.as_str()) {
            return None;
        }
        let own = Some(("n", figure.to_string()));
        let data = at(answer, function.data.as_str()).unwrap_or(answer);
        let slots = Slots { world: self.world, value: data, own };
        say(self.world, &function.sayings.tallies.get(name)?.tells, &slots, chance)
    }

    /// What is told of an item that is meant: where a choice led to it, how that came out.
    fn meant(&self, call: usize, name: &str, chance: &mut Chance) -> Option<String> {
        let (function, (made, answer)) = (self.function(call)?, *self.calls.get(call)?);
        let pack = self.world.pack();
        let pick = function.picks.get(name)?;
        let Criterion::Chosen(choice) = &pick.by else {
            return found(self.world, function, name, (made, answer), chance);
        };
        let first = Pick { item: pick.item.clone(), by: choice.first.1.clone() };
        let is_met = choice.quality.1.is_met(at(answer, &picked(answer, &first, made, None)?.item)?)?;
        let words = function.sayings.qualities.get(&choice.quality.0)?;
        let (texts, is) =
            if is_met { (&pack.requests.took_one, &words.yes) } else { (&pack.requests.took_other, &words.no) };
        let (one, other) = (phrase(function, &choice.first.0, chance)?, phrase(function, &choice.other.0, chance)?);
        let words = [("one", one.as_str()), ("is", is), ("other", &other)];
        let how = pack.rendered(chance.pick(texts)?, &words, &mut Chance::of(&[b"took"]));
        let taken = if is_met { &choice.first.0 } else { &choice.other.0 };
        let found = found(self.world, function, taken, (made, answer), chance)?;
        Some(pack.requests.join_sentences(&[pack.tidy(&how), pack.tidy(&found)]))
    }

    /// The first values of an answer that neither the call nor an earlier answer has, each with the name of its field.
    fn plain(&self, call: usize) -> Option<String> {
        let (made, answer) = *self.calls.get(call)?;
        let mut known: Vec<&Value> = made.arguments.values().collect();
        for (_, earlier) in &self.calls[..call] {
            collect("", earlier, usize::MAX, &mut |_, value| known.push(value));
        }
        let mut fields = Vec::new();
        collect("", answer, 1, &mut |name, value| {
            if fields.len() < PLAIN_FIELDS && !known.iter().any(|it| it.equals(value)) {
                fields.push(format!("{}: {}", words(name).join(" "), text(value)));
            }
        });
        (!fields.is_empty()).then(|| fields.join(", "))
    }

    /// What is told of a search or an act that the request asks for, where other calls follow from it: the items that are
    /// meant, or what was done.
    fn followed(&self, call: usize, chance: &mut Chance) -> Vec<String> {
        let Some(function) = self.function(call).filter(|it| !it.free && !it.sayings.asks.is_empty()) else {
            return Vec::new();
        };
        let Some((_, answer)) = self.calls.get(call).copied() else { return Vec::new() };
        let texts: Vec<String> = if function.sayings.found.is_empty() {
            whole(self.world, function, answer, chance).into_iter().collect()
        } else {
            let picks = picks_of(self.plan, call).into_iter();
            picks.filter_map(|pick| self.meant(call, pick, chance)).collect()
        };
        texts.into_iter().map(|text| self.apart(call, text)).collect()
    }

    /// A sentence with what tells its call apart from its twins before it.
    fn apart(&self, call: usize, text: String) -> String {
        match apart(self.world, self.plan, self.said, call) {
            Some(thing) => about(self.world.pack(), &thing, &text),
            None => text,
        }
    }
}

/// Hands on the texts and numbers of an answer, of a list those of its first elements.
fn collect<'v>(name: &'v str, value: &'v Value, elements: usize, take: &mut impl FnMut(&'v str, &'v Value)) {
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| collect(name, value, elements, take)),
        Value::List(list) => list.iter().take(elements).for_each(|value| collect(name, value, elements, take)),
        Value::String(words) if words.trim().is_empty() => {}
        Value::String(_) | Value::Number(_) => take(name, value),
        Value::Null | Value::Bool(_) => {}
    }
}

/// The picks by which later calls take an item of a call's answer, each once; not those that name it.
fn picks_of(plan: &Plan, call: usize) -> Vec<&str> {
    let feeds = plan.calls.iter().flat_map(|it| it.arguments.values()).flat_map(feeds_of);
    let meant = feeds.filter_map(|feed| match feed {
        Feed::Item { call: from, pick, slot: None, .. } if *from == call => Some(pick.as_str()),
        _ => None,
    });
    meant.collect::<IndexSet<&str>>().into_iter().collect()
}

/// A sentence with what it is about before it.
fn about(pack: &Pack, thing: &str, text: &str) -> String {
    format!("{}{}{text}", pack.tidy(thing), pack.requests.heading_separator)
}

/// What tells a call apart from its twins: the place, the day or the item that they differ in.
fn apart(world: &DeclaredWorld, plan: &Plan, said: &Said, call: usize) -> Option<String> {
    let twin = plan.calls.get(call)?.twin.or_else(|| plan.calls.iter().position(|it| it.twin == Some(call)))?;
    let (own, other) = (plan.calls.get(call)?, plan.calls.get(twin)?);
    let differing = own.arguments.iter().find(|(name, feed)| other.arguments.get(*name) != Some(*feed));
    let (_, feed) = differing?;
    match feed {
        Feed::Said(slot) => said.get(slot).map(|it| it.words.clone()),
        Feed::Item { call: from, pick, .. } => {
            let feeder = world.declaration().functions.get(&plan.calls.get(*from)?.function)?;
            let same_source = other.arguments.values().any(|it| it.sources() == [*from]);
            if same_source {
                let phrases = feeder.sayings.picks.get(pick)?;
                let bare = phrases.iter().find(|text| !text.contains('{'))?;
                return Pattern::parse(bare).ok()?.variants(1).into_iter().next();
            }
            if plan.calls.get(*from)?.twin.is_none() && !plan.calls.iter().any(|it| it.twin == Some(*from)) {
                return None;
            }
            apart(world, plan, said, *from)
        }
        Feed::Whole { call: from, .. } => apart(world, plan, said, *from),
        Feed::Set(_) | Feed::List(_) => None,
    }
}

/// A sentence about one item of a search.
fn found(
    world: &DeclaredWorld,
    function: &Function,
    name: &str,
    (call, answer): (&FunctionCall, &Value),
    chance: &mut Chance,
) -> Option<String> {
    let item = picked(answer, function.picks.get(name)?, call, None)?.item;
    let own = Some(("pick", phrase(function, name, chance)?));
    say(world, &function.sayings.found, &Slots { world, value: at(answer, &item)?, own }, chance)
}

/// What an item is called that a pick means, without anything else of the request.
fn phrase(function: &Function, pick: &str, chance: &mut Chance) -> Option<String> {
    let phrases = function.sayings.picks.get(pick)?;
    let bare: Vec<&String> = phrases.iter().filter(|text| !text.contains('{')).collect();
    Pattern::parse(chance.pick(&bare)?).ok()?.variants(1).into_iter().next()
}

/// A sentence about a whole answer.
fn whole(world: &DeclaredWorld, function: &Function, answer: &Value, chance: &mut Chance) -> Option<String> {
    let data = at(answer, function.data.as_str()).unwrap_or(answer);
    say(world, &function.sayings.tells, &Slots { world, value: data, own: None }, chance)
}

fn say(world: &DeclaredWorld, texts: &[String], slots: &Slots<'_>, chance: &mut Chance) -> Option<String> {
    let patterns: Vec<Pattern> = texts.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
    let fitting: Vec<&Pattern> = patterns.iter().filter(|pattern| pattern.fits(slots)).collect();
    let mut fill = Slots { world, value: slots.value, own: slots.own.clone() };
    Some(chance.pick(&fitting)?.render(&mut fill, &mut Chance::of(&[b"told"])))
}

/// Paths into an answer; of a list the first element, or with `*` each of them in a row.
struct Slots<'a> {
    world: &'a DeclaredWorld,
    value: &'a Value,
    /// A slot that is no path, with its words.
    own: Option<(&'static str, String)>,
}

impl Slots<'_> {
    /// The texts of a slot: with two paths, each text of the first with that of the second.
    fn texts(&self, slot: &str) -> Option<Vec<String>> {
        let paths = Sayings::paths(slot);
        let things = self.column(paths.first()?)?;
        let Some(path) = paths.get(1) else { return Some(things) };
        let (pack, figures) = (self.world.pack(), self.column(path)?);
        let pair = pack.requests.pair.as_ref()?;
        let both = things.iter().zip(&figures);
        let said = |(thing, figure): (&String, &String)| {
            pack.rendered(pair, &[("1", thing), ("2", figure)], &mut Chance::of(&[b"pair"]))
        };
        Some(both.map(said).collect())
    }

    /// The texts at a path: those of all elements where it has a `*`; none where one of them is not there.
    fn column(&self, path: &str) -> Option<Vec<String>> {
        let field = path.rsplit('.').next().unwrap_or(path);
        let Some((list, _)) = path.split_once('*') else {
            return Some(vec![self.said(field, self.value.at_path(path)?)]);
        };
        let count = values_at(self.value, &format!("{list}*")).len();
        let found: Vec<String> = values_at(self.value, path).into_iter().map(|value| self.said(field, value)).collect();
        (count > 0 && found.len() >= count).then_some(found)
    }

    /// A field's value as people say it: a day in words, a row by its name, a number without the zero behind the point.
    fn said(&self, field: &str, value: &Value) -> String {
        let text = text(value);
        if let Some(name) =
            self.world.declaration().named.get(field).and_then(|table| name_of(self.world, table, value))
        {
            return name;
        }
        let day = || value.as_str().filter(|it| it.len() == "2024-10-13".len()).and_then(Stamp::read)?.date;
        match value {
            Value::Number(_) => text.strip_suffix(".0").map_or(text.clone(), str::to_owned),
            _ => day().map_or(text, |day| self.world.pack().requests.whole_day(day)),
        }
    }
}

impl Fill for Slots<'_> {
    fn has(&self, slot: &str) -> bool {
        self.own.as_ref().is_some_and(|(name, _)| *name == slot) || self.texts(slot).is_some()
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
        let all = || self.world.pack().requests.joined(&self.texts(slot).unwrap_or_default());
        let own = self.own.as_ref().filter(|(name, _)| *name == slot).map(|(_, words)| words.clone());
        let words = own.unwrap_or_else(all);
        self.world.pack().agreed(&words, particle)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{inn, item, journeys, made, stay, travel, two_towns};
    use super::super::walk;
    use super::*;
    use indexmap::IndexMap;

    fn sentences(plan: &Plan) -> (Vec<String>, Walked) {
        let said = inn().said(plan, 1);
        let walked = walk(&inn().world, plan, &said, &mut Chance::of(&[b"walk"])).unwrap();
        (told(&inn().world, plan, &walked, &mut Chance::of(&[b"told"])), walked)
    }

    #[test]
    fn a_call_is_made_where_its_condition_holds_and_the_answer_says_why() {
        let ground = travel("en");
        let of = |plan: &Plan, draw: u32| {
            let said = ground.said(plan, draw);
            walk(&ground.world, plan, &said, &mut Chance::of(&[b"walk"]))
        };
        let mut looked = 0;
        for draw in 0..30 {
            let mut sketch = ground.sketch("hotels", draw);
            let Some(call) = sketch.call(ground.function("Get_Hotel_Rooms"), "", 0) else { continue };
            if !sketch.fork() {
                continue;
            }
            let plan = sketch.plan.clone();
            let Some(walked) = of(&plan, draw) else { continue };
            let mut turned = plan.clone();
            let fork = turned.calls[call].fork.as_mut().unwrap();
            fork.met = !fork.met;
            assert_eq!(of(&turned, draw), None, "what is found does not hang on what is wished");
            let fork = plan.calls[call].fork.as_deref().unwrap();
            let words = &ground.function(&plan.calls[fork.call].function).sayings.qualities[&fork.quality];
            let is = if fork.met { &words.yes } else { &words.no };
            let sentences = told(&ground.world, &plan, &walked, &mut Chance::of(&[b"told"]));
            assert!(sentences.last().unwrap().contains(is.as_str()), "{is}: {sentences:?}");
            looked += 1;
        }
        assert!(looked > 3, "{looked}");
    }

    fn at_data<'w>(walked: &'w Walked, call: usize, pointer: &str) -> &'w Value {
        at(made(walked)[call].1, &format!("/data{pointer}")).unwrap()
    }

    #[test]
    fn an_act_is_told_with_what_it_answered() {
        let (sentences, walked) = sentences(&stay());
        let (name, nights) = (at_data(&walked, 2, "/name"), at_data(&walked, 2, "/nights"));
        let [found, booked] = &sentences[..] else { panic!("{sentences:?}") };
        assert!(
            found.starts_with("the cheapest") && found.contains(&text(name)),
            "what it follows from is told first: {found}"
        );
        assert_eq!(*booked, format!("{} is booked for {nights} nights.", text(name)));
    }

    #[test]
    fn a_search_is_told_by_the_item_that_is_wanted() {
        let mut plan = stay();
        plan.calls.truncate(2);
        plan.told = IndexMap::from([(1, "cheapest".to_owned())]);
        let (sentences, walked) = sentences(&plan);
        let inns = at_data(&walked, 1, "/inns").as_list().unwrap();
        let total = |inn: &&Value| at(inn, "/total").unwrap().as_number().unwrap().as_f64();
        let cheapest = inns.iter().min_by(|one, other| total(one).total_cmp(&total(other))).unwrap();
        let (name, price) = (text(at(cheapest, "/name").unwrap()), text(at(cheapest, "/total").unwrap()));
        assert!(sentences[0].ends_with(&format!(" is {name}, at {price}.")), "{sentences:?}");
        assert!(sentences[0].starts_with("the cheapest"), "{sentences:?}");
    }

    #[test]
    fn twins_are_told_apart_by_what_they_differ_in() {
        let (sentences, walked) = sentences(&two_towns());
        let towns = ["0.town_id", "0.town_id#2"].map(|key| format!("{}: ", walked.said[key].words));
        assert_eq!(sentences.len(), 4, "two searches, each with its booking");
        for (pair, town) in sentences.chunks(2).zip(&towns) {
            assert!(pair.iter().all(|sentence| sentence.starts_with(town)), "{sentences:?}");
        }
        let mut plan = stay();
        let mut other = plan.calls[2].clone();
        (other.arguments["token"], other.twin) = (item(1, "best", "/token"), Some(2));
        plan.calls.push(other);
        let said = inn().said(&plan, 1);
        assert_eq!(apart(&inn().world, &plan, &said, 3).as_deref(), Some("the one with the most stars"));
        assert_eq!(apart(&inn().world, &plan, &said, 1), None, "it has no twin");
    }

    #[test]
    fn every_sentence_is_filled() {
        for (ground, journey) in journeys() {
            let sentences = told(&ground.world, &journey.plan, &journey.walked, &mut Chance::of(&[b"told"]));
            assert!(!sentences.is_empty());
            assert!(sentences.iter().all(|text| !text.contains(['{', '}']) && !text.contains("null")), "{sentences:?}");
        }
    }

    #[test]
    fn a_path_leads_through_lists_by_their_first_elements() {
        let value = Value::read(r#"{"a": [{"b": [7, 8]}, {"b": 9}], "c": [], "d": null}"#).unwrap();
        let mut slots = Slots { world: &inn().world, value: &value, own: None };
        assert_eq!(slots.say("a.b", None, &mut Chance::of(&[])), "7");
        assert_eq!(["a.b", "c", "d", "e", "pick"].map(|slot| slots.has(slot)), [true, false, false, false, false]);
        let list = Value::read(r#"{"ways": [{"name": "card"}, {"name": "cash"}, {"name": "cheque"}], "half": [{}, {"name": "x"}], "none": []}"#).unwrap();
        let mut each = Slots { world: &inn().world, value: &list, own: None };
        assert_eq!(each.say("ways.*.name", None, &mut Chance::of(&[])), "card, cash and cheque");
        let has = ["ways.*.name", "half.*.name", "none.*.name", "ways.*"].map(|slot| each.has(slot));
        assert_eq!(has, [true, false, false, true]);
        let price = Value::read(r#"{"whole": 22.0, "parts": 22.5}"#).unwrap();
        let mut priced = Slots { world: &inn().world, value: &price, own: None };
        let said = ["whole", "parts"].map(|slot| priced.say(slot, None, &mut Chance::of(&[])));
        assert_eq!(said, ["22", "22.5"]);
        slots.own = Some(("pick", "the best".to_owned()));
        assert_eq!(slots.say("pick", None, &mut Chance::of(&[])), "the best");
        let none = say(&inn().world, &["{c} {e}.".to_owned()], &slots, &mut Chance::of(&[]));
        assert_eq!(none, None, "what the answer lacks cannot be told");
    }
}
