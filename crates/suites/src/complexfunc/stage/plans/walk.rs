//! Makes the calls of a plan, and notes where every argument came from.

use super::brief::parameter;
use super::picked::{Picked, at, items, picked};
use super::values::{Said, text};
use crate::locale::Stamp;
use crate::record::{
    Argument, ArgumentNotes, Chance, Feed, FunctionCall, Object, Origin, Plan, PlanCall, SaidValue, Step, Value,
};
use crate::toolset::{Criterion, Param, Pick};
use crate::world::DeclaredWorld;
use indexmap::IndexMap;

/// What came of making the calls.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Walked {
    /// The calls in steps, with their answers and notes.
    pub steps: Vec<Step>,
    /// What the request says, with the texts by which items are named.
    pub said: Said,
    /// The items that are meant, by call (in the order of the plan) and pick.
    pub meant: IndexMap<(usize, String), Picked>,
}

/// Makes the calls. `said` may lack the texts of named items; they are chosen from the answers. None where some call
/// fails, an item that is needed or to be told is not there, a call hangs on what is not so, or two calls are equal.
pub(crate) fn walk(world: &DeclaredWorld, plan: &Plan, said: &Said, chance: &mut Chance) -> Option<Walked> {
    let mut session = world.session();
    let mut walk = Walk {
        world,
        plan,
        said: said.clone(),
        answers: Vec::new(),
        calls: Vec::new(),
        meant: IndexMap::new(),
        chance,
    };
    let mut notes = Vec::new();
    for planned in &plan.calls {
        let (call, noted) = walk.call(planned)?;
        if !walk.is_due(planned)? {
            return None;
        }
        if walk.calls.contains(&call) {
            return None;
        }
        walk.answers.push(session.call(&call.name, &call.arguments).ok()?);
        walk.calls.push(call);
        notes.push(noted);
    }
    // What is to be told must be there to be told.
    for (call, pick) in &plan.told {
        let function = world.declaration().functions.get(&plan.calls.get(*call)?.function)?;
        walk.meant_by(*call, function.picks.get(pick)?, (pick, None))?;
    }
    let levels = plan.levels();
    let mut steps = vec![Step { calls: Vec::new(), answers: Vec::new(), notes: Vec::new() }; plan.depth()];
    let (calls, answers, said, meant) = (walk.calls, walk.answers, walk.said, walk.meant);
    if contradicts(&meant) {
        return None;
    }
    for (((level, call), answer), notes) in levels.iter().zip(calls).zip(answers).zip(notes) {
        let step = steps.get_mut(*level)?;
        step.calls.push(call);
        step.answers.push(answer);
        step.notes.push(notes);
    }
    Some(Walked { steps, said, meant })
}

/// Whether an item that is meant is one that others rule out.
fn contradicts(meant: &IndexMap<(usize, String), Picked>) -> bool {
    meant
        .iter()
        .any(|((call, _), one)| meant.iter().any(|((other, _), it)| call == other && it.rivals.contains(&one.item)))
}

struct Walk<'w> {
    world: &'w DeclaredWorld,
    plan: &'w Plan,
    said: Said,
    answers: Vec<Value>,
    calls: Vec<FunctionCall>,
    meant: IndexMap<(usize, String), Picked>,
    chance: &'w mut Chance,
}

/// A value and what is known of it.
type Noted = (Value, Argument);

impl Walk<'_> {
    fn call(&mut self, planned: &PlanCall) -> Option<(FunctionCall, ArgumentNotes)> {
        let function = self.world.declaration().functions.get(&planned.function)?;
        let mut arguments = Object::new();
        let mut notes = ArgumentNotes::new();
        for (name, feed) in &planned.arguments {
            let param = function.parameters.get(name)?;
            let (value, note) = self.feed(feed, name, param, &mut notes)?;
            notes.insert(name.clone(), Argument { constraint: param.constraint, ..note });
            arguments.insert(name.clone(), value);
        }
        Some((FunctionCall { name: planned.function.clone(), arguments }, notes))
    }

    /// Whether a call is made by what was found; none where that does not tell.
    fn is_due(&mut self, planned: &PlanCall) -> Option<bool> {
        let Some(fork) = &planned.fork else { return Some(true) };
        let function = self.world.declaration().functions.get(&self.calls.get(fork.call)?.name)?;
        let found = self.meant_by(fork.call, function.picks.get(&fork.pick)?, (&fork.pick, None))?;
        let (quality, answer) = (&function.forks.get(&fork.quality)?.quality, self.answers.get(fork.call)?);
        // Nobody asks about what is so of all of them, or of none.
        let is_open = items(answer, &quality.item).iter().any(|(_, item)| quality.is_met(item) == Some(!fork.met));
        Some(is_open && quality.is_met(at(answer, &found.item)?)? == fork.met)
    }

    fn feed(&mut self, feed: &Feed, name: &str, param: &Param, notes: &mut ArgumentNotes) -> Option<Noted> {
        match feed {
            Feed::Said(slot) => self.spoken(slot),
            Feed::Whole { call, field } => {
                let value = at(self.answers.get(*call)?, field)?.clone();
                Some((value, from_answer(*call, field.clone())))
            }
            Feed::Item { call, pick, field, slot, minutes } => {
                self.item((*call, pick, field), slot.as_deref(), *minutes)
            }
            Feed::Set(feeds) => self.set(feeds, name, param, notes),
            Feed::List(list) => self.list(list, name, param, notes),
        }
    }

    fn spoken(&self, slot: &str) -> Option<Noted> {
        let said = self.said.get(slot)?;
        let listed = parameter(self.world.declaration(), self.plan, slot)
            .is_some_and(|it| it.listed.is_some() || it.of.is_some() || it.type_name == "boolean");
        let origin = if said.length.is_some() || self.is_near(said) {
            Origin::Inferred
        } else if said.words == text(&said.value) {
            Origin::Verbatim
        } else if listed {
            Origin::Enum
        } else {
            Origin::Normalised
        };
        let surface = said.length.is_none().then(|| said.words.clone());
        Some((said.value.clone(), Argument { surface, origin, ..Argument::default() }))
    }

    /// Whether a day is said by how far it is from today.
    fn is_near(&self, said: &SaidValue) -> bool {
        let near = &self.world.pack().requests.near;
        near.values().flatten().any(|word| *word == said.words)
    }

    fn item(&mut self, (call, pick, field): (usize, &str, &str), slot: Option<&str>, minutes: i64) -> Option<Noted> {
        let function = self.world.declaration().functions.get(&self.calls.get(call)?.name)?;
        let found = self.meant_by(call, function.picks.get(pick)?, (pick, slot))?;
        let pointer = format!("{}{field}", found.item);
        let value = at(self.answers.get(call)?, &pointer).filter(|value| !value.is_null())?.clone();
        if minutes == 0 {
            let surface = slot.and_then(|slot| self.said.get(slot)).map(|said| said.words.clone());
            return Some((value, Argument { surface, ..from_answer(call, pointer) }));
        }
        let time = Stamp::read(value.as_str()?)?.time?;
        let later = time.plus_minutes(minutes);
        // What is past midnight is on another day.
        let value = (later > time).then(|| Value::from(format!("{:02}:{:02}", later.hour, later.minute)))?;
        let origin = Origin::Derived { call, field: pointer };
        Some((value, Argument { origin, ..Argument::default() }))
    }

    fn meant_by(&mut self, call: usize, pick: &Pick, (name, slot): (&str, Option<&str>)) -> Option<Picked> {
        if let (Criterion::Named(field), Some(slot)) = (&pick.by, slot) {
            if !self.said.contains_key(slot) {
                let text = self.choose(call, pick, field, slot)?;
                self.said.insert(
                    slot.to_owned(),
                    SaidValue { words: super::values::text(&text), value: text, length: None },
                );
            }
        }
        let said = slot.and_then(|slot| self.said.get(slot)).map(|it| &it.value);
        let answer = self.answers.get(call)?;
        if is_cut_off(answer, pick) {
            return None;
        }
        let found = picked(answer, pick, self.calls.get(call)?, said)?;
        let key = slot.map_or_else(|| name.to_owned(), |slot| format!("{name} {slot}"));
        self.meant.insert((call, key), found.clone());
        Some(found)
    }

    /// A text by which one of an answer's items can be named; never that of the slot from which it must differ.
    fn choose(&mut self, call: usize, pick: &Pick, field: &str, slot: &str) -> Option<Value> {
        let other =
            self.plan.slots.get(slot)?.unlike.as_ref().and_then(|it| self.said.get(it)).map(|it| it.value.clone());
        let found = items(self.answers.get(call)?, &pick.item);
        let texts: Vec<Value> = found
            .iter()
            .filter_map(|(_, item)| at(item, field))
            .filter(|it| it.as_str().is_some_and(|it| !it.is_empty()) && other.as_ref() != Some(*it))
            .cloned()
            .collect();
        let alone: Vec<&Value> = texts.iter().filter(|one| texts.iter().filter(|it| it == one).count() == 1).collect();
        self.chance.pick(&alone).map(|it| (*it).clone())
    }

    fn set(&mut self, feeds: &[Feed], name: &str, param: &Param, notes: &mut ArgumentNotes) -> Option<Noted> {
        let parts: Vec<Noted> = feeds.iter().map(|feed| self.feed(feed, name, param, notes)).collect::<Option<_>>()?;
        let values: Vec<String> = parts.iter().map(|(value, _)| text(value)).collect();
        let distinct = values.iter().enumerate().all(|(at, value)| !values[..at].contains(value));
        let note = parts.first()?.1.clone();
        if parts.len() > 1 {
            for (place, (_, note)) in parts.iter().enumerate() {
                notes.insert(format!("{name}/{place}"), Argument { constraint: param.constraint, ..note.clone() });
            }
        }
        distinct.then(|| (Value::from(values.join(",")), note))
    }

    fn list(
        &mut self,
        list: &[IndexMap<String, Feed>],
        name: &str,
        param: &Param,
        notes: &mut ArgumentNotes,
    ) -> Option<Noted> {
        let mut elements = Vec::new();
        for (place, fields) in list.iter().enumerate() {
            let mut object = Object::new();
            for (field, feed) in fields {
                let inner = param.fields.get(field)?;
                let (value, note) = self.feed(feed, name, inner, notes)?;
                notes.insert(format!("{name}/{place}/{field}"), Argument { constraint: inner.constraint, ..note });
                object.insert(field.clone(), value);
            }
            elements.push(Value::Object(object));
        }
        Some((Value::List(elements), Argument { origin: Origin::Inferred, ..Argument::default() }))
    }
}

fn from_answer(call: usize, field: String) -> Argument {
    Argument { origin: Origin::Answer { call, field }, ..Argument::default() }
}

/// Whether an answer says that there are more items than it shows, so that the extreme one may not be among them.
pub(crate) fn is_cut_off(answer: &Value, pick: &Pick) -> bool {
    let orders = matches!(pick.by, Criterion::Least(_) | Criterion::Most(_) | Criterion::Chosen(_));
    orders && is_partial(answer, &pick.item)
}

/// Whether an answer says that a list has more items than it shows.
pub(crate) fn is_partial(answer: &Value, item: &str) -> bool {
    let shown = items(answer, item).len();
    let count =
        |path: &str| at(answer, path).and_then(Value::as_number).and_then(|it| it.as_str().parse::<usize>().ok());
    let list = item.strip_suffix("/0").unwrap_or(item);
    let around = list.rsplit_once('/').map_or("", |(around, _)| around);
    let places =
        [format!("{around}/count"), format!("{around}/meta/count"), format!("{around}/aggregation/total_count")];
    places.iter().filter_map(|place| count(place)).any(|count| count > shown)
}

#[cfg(test)]
mod tests {
    use super::super::draw_values;
    use super::super::testing::{Journey, cramped, given, inn, item, journeys, made, slot, stay, two_towns};
    use super::*;

    fn walked(plan: &Plan, said: &Said) -> Option<Walked> {
        walk(&inn().world, plan, said, &mut Chance::of(&[b"walk"]))
    }

    /// The part of an argument that a note is about: `name`, `name/0` of a set, or `name/0/field` of a list.
    fn part(call: &FunctionCall, key: &str, value: &Value) -> String {
        let Some((name, rest)) = key.split_once('/') else { return value.to_string() };
        match &call.arguments[name] {
            Value::List(_) => at(&call.arguments[name], &format!("/{rest}")).unwrap().to_string(),
            set => Value::from(text(set).split(',').nth(rest.parse().unwrap()).unwrap()).to_string(),
        }
    }

    #[test]
    fn what_comes_from_an_answer_stands_there_byte_for_byte() {
        let mut looked_at = 0;
        for (_, journey) in journeys() {
            let made = made(&journey.walked);
            let notes = journey.walked.steps.iter().flat_map(|step| &step.notes);
            for ((call, _), notes) in made.iter().zip(notes) {
                assert!(call.arguments.keys().all(|name| notes.contains_key(name)), "{}", call.name);
                for (key, note) in notes {
                    let Origin::Answer { call: from, field } = &note.origin else { continue };
                    if notes.contains_key(&format!("{key}/0")) {
                        continue;
                    }
                    let found = at(made[*from].1, field).unwrap_or_else(|| panic!("{} {key}: {field}", call.name));
                    let name = key.split('/').next().unwrap();
                    assert_eq!(found.to_string(), part(call, key, &call.arguments[name]), "{} {key}", call.name);
                    looked_at += 1;
                }
            }
        }
        assert!(looked_at > 60, "{looked_at}");
    }

    #[test]
    fn the_calls_are_those_of_the_plan_and_stand_behind_what_they_take_from() {
        let journeys = journeys();
        assert!(journeys.len() >= 16, "{}", journeys.len());
        for (ground, Journey { plan, walked }) in journeys.iter().map(|(ground, it)| (ground, *it)) {
            let names: Vec<&str> = made(walked).iter().map(|(call, _)| call.name.as_str()).collect();
            assert_eq!(names, super::super::testing::names(plan));
            assert_eq!(walked.steps.len(), plan.depth());
            assert!(plan.slots.keys().all(|key| walked.said.contains_key(key)));
            let mut before = 0;
            for step in &walked.steps {
                let sources = step.notes.iter().flat_map(ArgumentNotes::values).filter_map(|it| it.origin.answer());
                assert!(sources.into_iter().all(|(call, _)| call < before));
                before += step.calls.len();
            }
            let mut session = ground.world.session();
            for (call, answer) in made(walked) {
                assert_eq!(session.call(&call.name, &call.arguments).unwrap(), *answer, "{}", call.name);
            }
        }
    }

    #[test]
    fn what_is_said_is_noted_with_its_words() {
        for (_, journey) in journeys() {
            for (call, notes) in journey.walked.steps.iter().flat_map(|step| step.calls.iter().zip(&step.notes)) {
                for (name, note) in notes.iter().filter(|(name, _)| !name.contains('/')) {
                    if note.origin == Origin::Verbatim {
                        assert_eq!(note.surface.as_deref(), Some(text(&call.arguments[name]).as_str()));
                    }
                    let is_said = matches!(note.origin, Origin::Enum | Origin::Normalised);
                    assert!(!is_said || note.surface.is_some(), "{} {name}", call.name);
                }
            }
        }
    }

    #[test]
    fn two_equal_calls_are_none() {
        let mut said = inn().said(&two_towns(), 1);
        assert!(walked(&two_towns(), &said).is_some());
        said["0.town_id#2"] = said["0.town_id"].clone();
        assert_eq!(walked(&two_towns(), &said), None);
    }

    #[test]
    fn the_least_of_what_is_not_shown_whole_cannot_be_told() {
        let said = inn().said(&stay(), 1);
        assert!(walked(&stay(), &said).is_some());
        assert_eq!(walk(&cramped().world, &stay(), &said, &mut Chance::of(&[b"walk"])), None);
    }

    #[test]
    fn a_call_that_is_refused_ends_the_walk() {
        let mut said = inn().said(&stay(), 1);
        said["0.departure"] = said["0.arrival"].clone();
        assert_eq!(walked(&stay(), &said), None);
        said.shift_remove("0.departure");
        assert_eq!(walked(&stay(), &said), None, "nobody said when");
    }

    #[test]
    fn an_item_that_another_pick_rules_out_is_ambiguous() {
        let picked = |item: &str, rivals: &[&str]| Picked {
            item: item.to_owned(),
            rivals: rivals.iter().map(|it| (*it).to_owned()).collect(),
        };
        let meant = |rows: [(usize, &str, Picked); 2]| -> IndexMap<(usize, String), Picked> {
            rows.into_iter().map(|(call, pick, it)| ((call, pick.to_owned()), it)).collect()
        };
        assert!(contradicts(&meant([(1, "cheapest", picked("/a/0", &["/a/1"])), (1, "best", picked("/a/1", &[]))])));
        assert!(!contradicts(&meant([(1, "cheapest", picked("/a/0", &["/a/1"])), (2, "best", picked("/a/1", &[]))])));
        assert!(!contradicts(&meant([
            (1, "cheapest", picked("/a/0", &["/a/1"])),
            (1, "best", picked("/a/2", &["/a/1"]))
        ])));
        for (_, journey) in journeys() {
            assert!(!contradicts(&journey.walked.meant));
        }
    }

    #[test]
    fn a_named_item_is_one_of_those_that_were_found_and_its_text_is_said() {
        let mut plan = stay();
        let key = "0.Search_Inns.named.1";
        plan.slots.insert(key.to_owned(), slot("Search_Inns", "named"));
        let named = Feed::Item {
            call: 1,
            pick: "named".to_owned(),
            field: "/token".to_owned(),
            slot: Some(key.to_owned()),
            minutes: 0,
        };
        plan.calls[2].arguments["token"] = named;
        let said = draw_values(&inn().world, &plan, given(&Said::new()), &mut Chance::of(&[b"s"])).unwrap();
        let walked = walked(&plan, &said).unwrap();
        let note = &walked.steps[2].notes[0]["token"];
        let (call, field) = note.origin.answer().unwrap();
        let name = at(made(&walked)[call].1, &field.replace("/token", "/name")).unwrap();
        assert_eq!((&walked.said[key].value, note.surface.as_deref()), (name, name.as_str()));
        assert!(walked.meant.contains_key(&(1, format!("named {key}"))));
    }

    fn walking<'w>(plan: &'w Plan, answer: &str, chance: &'w mut Chance) -> Walk<'w> {
        let call = FunctionCall { name: "Search_Inns".to_owned(), arguments: Object::new() };
        Walk {
            world: &inn().world,
            plan,
            said: Said::new(),
            answers: vec![Value::read(answer).unwrap()],
            calls: vec![call],
            meant: IndexMap::new(),
            chance,
        }
    }

    #[test]
    fn an_hour_later_is_on_the_same_day_or_nowhere() {
        let (plan, mut chance) = (Plan::default(), Chance::of(&[b"w"]));
        let answer =
            r#"{"data": {"inns": [{"total": 3, "stars": 1, "at": "22:30"}, {"total": 2, "stars": 5, "at": "23:30"}]}}"#;
        let mut walk = walking(&plan, answer, &mut chance);
        assert_eq!(walk.item((0, "best", "/at"), None, -60), None, "an hour earlier is not said");
        assert_eq!(walk.item((0, "cheapest", "/at"), None, 60), None, "past midnight");
        let answer = r#"{"data": {"inns": [{"total": 3, "at": "22:30", "none": null}]}}"#;
        let mut walk = walking(&plan, answer, &mut chance);
        let (value, note) = walk.item((0, "cheapest", "/at"), None, 60).unwrap();
        assert_eq!(value.as_str(), Some("23:30"));
        assert_eq!(note.origin, Origin::Derived { call: 0, field: "/data/inns/0/at".to_owned() });
        assert_eq!(walk.item((0, "cheapest", "/none"), None, 0), None, "what is null is nothing");
    }

    #[test]
    fn a_text_that_two_items_share_names_neither() {
        let mut plan = stay();
        let unlike = Some("one".to_owned());
        plan.slots.insert("one".to_owned(), slot("Search_Inns", "named"));
        plan.slots.insert("two".to_owned(), crate::record::PlanSlot { unlike, ..slot("Search_Inns", "named") });
        let mut chance = Chance::of(&[b"w"]);
        let answer = r#"{"data": {"inns": [{"name": "Fox"}, {"name": "Owl"}, {"name": "Fox"}, {"name": ""}]}}"#;
        let mut walk = walking(&plan, answer, &mut chance);
        let pick = inn().function("Search_Inns").picks["named"].clone();
        let owl = walk.choose(0, &pick, "/name", "one");
        assert_eq!(owl, Some(Value::from("Owl")));
        let value = owl.unwrap();
        walk.said.insert("one".to_owned(), SaidValue { words: "Owl".to_owned(), value, length: None });
        assert_eq!(walk.choose(0, &pick, "/name", "two"), None, "the other one is taken");
    }

    #[test]
    fn sets_are_joined_and_their_parts_noted_apart() {
        let (plan, mut chance) = (Plan::default(), Chance::of(&[b"w"]));
        let answer =
            r#"{"data": {"inns": [{"total": 3, "stars": 1, "id": "A"}, {"total": 4, "stars": 5, "id": "B"}]}}"#;
        let mut walk = walking(&plan, answer, &mut chance);
        let (feeds, param, mut notes) =
            ([item(0, "best", "/id"), item(0, "cheapest", "/id")], Param::default(), ArgumentNotes::new());
        let (value, _) = walk.set(&feeds, "ids", &param, &mut notes).unwrap();
        assert_eq!(value.as_str(), Some("B,A"));
        assert_eq!(notes.keys().collect::<Vec<_>>(), ["ids/0", "ids/1"]);
        let twice = [item(0, "best", "/id"), item(0, "best", "/id")];
        assert_eq!(walk.set(&twice, "ids", &param, &mut notes), None, "one item twice is no set");
    }
}
