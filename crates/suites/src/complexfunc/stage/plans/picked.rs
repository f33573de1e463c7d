//! Which item of an answer is meant, and which others could be taken for it.

use super::fed::feeds_of;
use crate::record::{Feed, FunctionCall, Number, Origin, Plan, PlanCall, Step, Value};
use crate::toolset::{Choice, Criterion, Declaration, Function, Param, Pick};
use indexmap::IndexMap;
use std::cmp::Ordering;

/// The item that is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Picked {
    /// JSON pointer to it in the whole answer.
    pub item: String,
    /// JSON pointers to others that meet the same description.
    pub rivals: Vec<String>,
}

/// The item that a pick means in an answer; of several that fit, the first. `said` is the text by which it is named.
pub(crate) fn picked(answer: &Value, pick: &Pick, call: &FunctionCall, said: Option<&Value>) -> Option<Picked> {
    let items = items(answer, &pick.item);
    let fitting: Vec<String> = match &pick.by {
        Criterion::First => items.first().map(|(pointer, _)| pointer.clone()).into_iter().collect(),
        Criterion::Least(field) => extreme(&items, field, Ordering::Less),
        Criterion::Most(field) => extreme(&items, field, Ordering::Greater),
        Criterion::Named(field) => with(&items, |item| at(item, field).is_some_and(|it| Some(it) == said)),
        Criterion::Asked { fields, argument } => {
            let asked = call.arguments.get(argument)?;
            with(&items, |item| fields.iter().any(|field| at(item, field).is_some_and(|it| same_text(it, asked))))
        }
        Criterion::Chosen(choice) => return chosen(answer, pick, choice, call),
    };
    let mut fitting = fitting.into_iter();
    let item = fitting.next()?;
    Some(Picked { item, rivals: fitting.collect() })
}

/// The item that is taken of two. Whatever could be taken for either of them is a rival; where both are one item, nobody has
/// a choice.
fn chosen(answer: &Value, pick: &Pick, choice: &Choice, call: &FunctionCall) -> Option<Picked> {
    let of = |by: &Criterion| picked(answer, &Pick { item: pick.item.clone(), by: by.clone() }, call, None);
    let (first, other) = (of(&choice.first.1)?, of(&choice.other.1)?);
    let is_met = choice.quality.1.is_met(at(answer, &first.item)?)?;
    let all: Vec<Option<bool>> = items(answer, &pick.item).iter().map(|(_, it)| choice.quality.1.is_met(it)).collect();
    // What holds of all of them or of none is nothing to choose by.
    let differs = [true, false].iter().all(|met| all.contains(&Some(*met)));
    if !differs || first.item == other.item || first.rivals.contains(&other.item) || other.rivals.contains(&first.item)
    {
        return None;
    }
    let mut rivals = first.rivals;
    rivals.extend(other.rivals.into_iter().filter(|it| !rivals.contains(it)).collect::<Vec<_>>());
    Some(Picked { item: if is_met { first.item } else { other.item }, rivals })
}

/// Whether an item loses against the one that a pick means in an answer: nobody could take it for that one.
pub(crate) fn beaten(answer: &Value, pick: &Pick, call: &FunctionCall, (item, said): (&Value, Option<&Value>)) -> bool {
    let best = picked(answer, pick, call, said).and_then(|found| at(answer, &found.item));
    let number = |item: &Value, field: &str| at(item, field).and_then(Value::as_number).map(Number::as_f64);
    match &pick.by {
        Criterion::Chosen(choice) => [&choice.first.1, &choice.other.1]
            .into_iter()
            .all(|by| beaten(answer, &Pick { item: pick.item.clone(), by: by.clone() }, call, (item, None))),
        Criterion::First => true,
        Criterion::Least(field) => number(item, field) > best.and_then(|best| number(best, field)),
        Criterion::Most(field) => {
            number(item, field).is_some() && number(item, field) < best.and_then(|best| number(best, field))
        }
        Criterion::Named(field) => at(item, field) != said,
        Criterion::Asked { fields, argument } => {
            let asked = call.arguments.get(argument);
            fields.iter().all(|field| asked.is_none_or(|asked| at(item, field).is_none_or(|it| !same_text(it, asked))))
        }
    }
}

/// The items of an answer at a pointer in which `0` stands for each of a list, with their own pointers.
pub(crate) fn items<'v>(answer: &'v Value, pointer: &str) -> Vec<(String, &'v Value)> {
    let mut found = vec![(String::new(), answer)];
    for part in pointer.split('/').skip(1) {
        found = found
            .into_iter()
            .flat_map(|(place, value)| match value {
                Value::List(list) if part == "0" => {
                    list.iter().enumerate().map(|(at, it)| (format!("{place}/{at}"), it)).collect::<Vec<_>>()
                }
                Value::Object(object) => {
                    object.get(part).map(|it| (format!("{place}/{part}"), it)).into_iter().collect()
                }
                _ => Vec::new(),
            })
            .collect();
    }
    found
}

/// What stands at a pointer within a value.
pub(crate) fn at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    crate::gate::pointed(value, pointer)
}

fn with(items: &[(String, &Value)], fits: impl Fn(&Value) -> bool) -> Vec<String> {
    items.iter().filter(|(_, item)| fits(item)).map(|(pointer, _)| pointer.clone()).collect()
}

/// All items with the extreme number of a field; one that has no number is none.
fn extreme(items: &[(String, &Value)], field: &str, wanted: Ordering) -> Vec<String> {
    let number =
        |item: &Value| at(item, field).and_then(Value::as_number).and_then(|it| it.as_str().parse::<f64>().ok());
    let mut best: Option<f64> = None;
    for found in items.iter().filter_map(|(_, item)| number(item)) {
        if best.is_none_or(|best| found.total_cmp(&best) == wanted) {
            best = Some(found);
        }
    }
    with(items, |item| best.is_some() && number(item) == best)
}

fn same_text(one: &Value, other: &Value) -> bool {
    match (one.as_str(), other.as_str()) {
        (Some(one), Some(other)) => one.trim().to_lowercase() == other.trim().to_lowercase(),
        _ => one.equals(other),
    }
}

// Which items of the answers are meant, and the answers without those that could be taken for them.

/// The items that are meant, by call, with the pick's name and the text by which it is named.
pub(crate) type Meant = Vec<(usize, String, Option<Value>)>;

/// The items that are meant with their rivals, by call.
pub(crate) type Found = IndexMap<usize, Vec<Picked>>;

/// Every pick of a plan: those that feed a call, and those that are told.
pub(crate) fn meant(plan: &Plan, said: &super::values::Said) -> Meant {
    let mut meant = Meant::new();
    for feed in plan.calls.iter().flat_map(|call| call.arguments.values()).flat_map(super::fed::feeds_of) {
        let Feed::Item { call, pick, slot, .. } = feed else { continue };
        let text = slot.as_ref().and_then(|slot| said.get(slot)).map(|said| said.value.clone());
        let entry = (*call, pick.clone(), text);
        if !meant.contains(&entry) {
            meant.push(entry);
        }
    }
    let told = plan.told.iter().map(|(call, pick)| (*call, pick.clone(), None));
    meant.extend(told.collect::<Vec<_>>());
    meant
}

/// The steps without the items that could be taken for one that is meant, and how many those were; none where an item
/// that is meant would have to go.
pub(crate) fn without(declaration: &Declaration, steps: &[Step], meant: &Meant) -> Option<(Vec<Step>, usize)> {
    let calls: Vec<(&FunctionCall, &Value)> =
        steps.iter().flat_map(|step| step.calls.iter().zip(&step.answers)).collect();
    let mut found = Found::new();
    for (call, name, said) in meant {
        let (made, answer) = calls.get(*call)?;
        let pick = declaration.functions.get(&made.name)?.picks.get(name)?;
        found.entry(*call).or_default().push(picked(answer, pick, made, said.as_ref())?);
    }
    without_rivals(steps, &found)
}

/// The steps without the rivals of what is meant, and how many those were; none where an item that is meant is a rival.
pub(crate) fn without_rivals(steps: &[Step], found: &Found) -> Option<(Vec<Step>, usize)> {
    let mut steps = steps.to_vec();
    let mut removed = 0;
    for (call, picks) in found {
        let mut gone: Vec<&String> = picks.iter().flat_map(|pick| &pick.rivals).collect();
        gone.sort_by_key(|pointer| std::cmp::Reverse(order(pointer)));
        gone.dedup();
        if picks.iter().any(|pick| gone.contains(&&pick.item)) {
            return None;
        }
        for pointer in gone {
            remove(&mut steps, *call, pointer);
            removed += 1;
        }
    }
    Some((steps, removed))
}

/// A pointer's parts with numbers as numbers, so that later items sort behind earlier ones.
fn order(pointer: &str) -> Vec<(usize, String)> {
    pointer.split('/').map(|part| (part.parse().unwrap_or(0), part.to_owned())).collect()
}

/// Takes an item out of a call's answer, and moves what points behind it.
fn remove(steps: &mut [Step], call: usize, pointer: &str) {
    let Some((list, at)) = pointer.rsplit_once('/') else { return };
    let Ok(at) = at.parse::<usize>() else { return };
    let mut answers = steps.iter_mut().flat_map(|step| step.answers.iter_mut());
    if let Some(Value::List(items)) = answers.nth(call).and_then(|answer| place(answer, list)) {
        if at < items.len() {
            items.remove(at);
        }
    }
    let notes = steps.iter_mut().flat_map(|step| step.notes.iter_mut()).flat_map(IndexMap::values_mut);
    for note in notes {
        if let Origin::Answer { call: from, field } | Origin::Derived { call: from, field } = &mut note.origin {
            if *from == call {
                *field = moved(field, list, at);
            }
        }
    }
}

/// A pointer after the item at `at` of `list` went.
fn moved(pointer: &str, list: &str, at: usize) -> String {
    let Some(rest) = pointer.strip_prefix(&format!("{list}/")) else { return pointer.to_owned() };
    let (index, tail) = rest.split_once('/').map_or((rest, ""), |(index, tail)| (index, tail));
    match index.parse::<usize>() {
        Ok(index) if index > at && tail.is_empty() => format!("{list}/{}", index - 1),
        Ok(index) if index > at => format!("{list}/{}/{tail}", index - 1),
        _ => pointer.to_owned(),
    }
}

/// The list at a pointer.
pub(crate) fn list_at<'v>(value: &'v mut Value, pointer: &str) -> Option<&'v mut Vec<Value>> {
    match place(value, pointer)? {
        Value::List(list) => Some(list),
        _ => None,
    }
}

/// What stands at a pointer, to be changed.
pub(crate) fn place<'v>(value: &'v mut Value, pointer: &str) -> Option<&'v mut Value> {
    pointer.split('/').skip(1).try_fold(value, |value, part| match value {
        Value::Object(object) => object.get_mut(part),
        Value::List(list) => list.get_mut(part.parse::<usize>().ok()?),
        _ => None,
    })
}

// Sees to it that a request can say what its calls take: searches on the way to what is wanted are not spoken of.

/// Gives what no sentence would say to a call that is spoken of and takes it too, so that all know it; where there is
/// none, the calls go without it. Whether everything that is left can be said.
pub(crate) fn heard(declaration: &Declaration, plan: &mut Plan) -> bool {
    let keys: Vec<String> = plan.slots.keys().cloned().collect();
    keys.iter().all(|key| {
        is_heard(declaration, plan, key) || handed_over(declaration, plan, key) || left_out(declaration, plan, key)
    })
}

/// Whether some sentence says a slot. What is said of the items of answers is told by what they are called.
fn is_heard(declaration: &Declaration, plan: &Plan, key: &str) -> bool {
    let takers = direct(declaration, plan, key);
    takers.is_empty() || takers.iter().any(|(call, name)| says(declaration, plan, *call, name))
}

/// The calls that are given a slot as it is said, with the arguments; lookups are said with what they serve.
fn direct(declaration: &Declaration, plan: &Plan, key: &str) -> Vec<(usize, String)> {
    let of = |(at, call): (usize, &PlanCall)| {
        let is_free = declaration.functions.get(&call.function).is_none_or(|it| it.free);
        let given = call.arguments.iter().filter(|(_, feed)| matches!(feed, Feed::Said(slot) if slot == key));
        given.filter(|_| !is_free).map(|(name, _)| (at, name.clone())).collect::<Vec<_>>()
    };
    plan.calls.iter().enumerate().flat_map(of).collect()
}

/// Whether a call's own sentence says an argument, or one that names an item of its answer.
fn says(declaration: &Declaration, plan: &Plan, call: usize, name: &str) -> bool {
    let Some(function) = plan.calls.get(call).and_then(|it| declaration.functions.get(&it.function)) else {
        return false;
    };
    let length = function.parameters.get(name).and_then(|it| it.follows.as_ref()?.length.as_deref());
    let mentions = |slot: &str| function.sayings.mentions(slot);
    if is_spoken_of(declaration, plan, call) && (mentions(name) || length.is_some_and(mentions)) {
        return true;
    }
    let spoken = plan.calls.iter().enumerate().filter(|(at, _)| is_spoken_of(declaration, plan, *at));
    let mut feeds = spoken.flat_map(|(_, it)| it.arguments.values()).flat_map(feeds_of);
    feeds.any(
        |feed| matches!(feed, Feed::Item { call: from, pick, .. } if *from == call && in_phrases(function, pick, name)),
    )
}

/// Whether the phrases for an item can say a parameter as well.
fn in_phrases(function: &Function, pick: &str, name: &str) -> bool {
    let says = |text: &String| text.contains(&format!("{{{name}}}")) || text.contains(&format!("{{{name}|"));
    function.sayings.picks.get(pick).is_some_and(|phrases| phrases.iter().any(says))
}

/// Whether a sentence is about a call: it is asked for, or it or one of those that repeat it is what is wanted.
fn is_spoken_of(declaration: &Declaration, plan: &Plan, call: usize) -> bool {
    let root = |call: usize| plan.calls.get(call).and_then(|it| it.twin).unwrap_or(call);
    let asks = plan.calls.get(call).and_then(|it| declaration.functions.get(&it.function));
    asks.is_some_and(|it| !it.free && !it.sayings.asks.is_empty())
        || plan.ends().into_iter().any(|end| root(end) == root(call))
}

/// Gives a slot to the calls of the same matter that are spoken of and can say it; whether there was one.
fn handed_over(declaration: &Declaration, plan: &mut Plan, key: &str) -> bool {
    let Some((first, name)) = direct(declaration, plan, key).into_iter().next().filter(|_| !key.contains('#')) else {
        return false;
    };
    let matter = plan.calls[first].matter;
    let can_say = |(at, call): &(usize, &PlanCall)| {
        let function = declaration.functions.get(&call.function);
        let takes =
            function.is_some_and(|it| it.sayings.mentions(&name) && it.parameters.get(&name).is_some_and(is_said));
        takes && call.matter == matter && !call.arguments.contains_key(&name) && is_spoken_of(declaration, plan, *at)
    };
    let speakers: Vec<usize> = plan.calls.iter().enumerate().filter(can_say).map(|(at, _)| at).collect();
    for at in &speakers {
        let call = &mut plan.calls[*at];
        call.arguments.insert(name.clone(), Feed::Said(key.to_owned()));
        let place =
            |name: &String| declaration.functions.get(&call.function).and_then(|it| it.parameters.get_index_of(name));
        call.arguments.sort_by(|one, _, other, _| place(one).cmp(&place(other)));
    }
    !speakers.is_empty()
}

/// Whether people say a parameter by itself: it is in no answer, and does not hang on another.
fn is_said(param: &Param) -> bool {
    param.from.is_empty() && param.follows.is_none()
}

/// Takes a slot out of the plan where nothing needs it; whether it could be.
fn left_out(declaration: &Declaration, plan: &mut Plan, key: &str) -> bool {
    let takers = direct(declaration, plan, key);
    let param = |call: usize, name: &str| declaration.functions.get(&plan.calls[call].function)?.parameters.get(name);
    let is_needed = takers.iter().any(|(call, name)| param(*call, name).is_none_or(|it| it.required))
        || plan.slots.values().any(|it| it.with.as_deref() == Some(key) || it.unlike.as_deref() == Some(key));
    if is_needed {
        return false;
    }
    for (call, name) in takers {
        plan.calls[call].arguments.shift_remove(&name);
    }
    plan.slots.shift_remove(key);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::{Quality, Wanted};

    fn answer() -> Value {
        Value::read(
            r#"{"data": {"inns": [{"name": "Fox", "at": {"price": 9.5}}, {"name": "Owl", "at": {"price": 7}},
                {"name": "Elk", "at": {"price": 7.0}}, {"name": "Owl", "at": {}}]}}"#,
        )
        .unwrap()
    }

    fn found(by: Criterion, said: &str) -> Option<Picked> {
        let pick = Pick { item: "/data/inns/0".to_owned(), by };
        let call: FunctionCall = serde_json::from_str(r#"{"name": "f", "arguments": {"query": " fox"}}"#).unwrap();
        picked(&answer(), &pick, &call, Some(&Value::from(said)))
    }

    fn place(item: &str, rivals: &[&str]) -> Picked {
        let pointer = |it: &str| format!("/data/inns/{it}");
        Picked { item: pointer(item), rivals: rivals.iter().map(|it| pointer(it)).collect() }
    }

    #[test]
    fn the_extreme_is_a_number_and_its_equals_are_rivals() {
        assert_eq!(found(Criterion::Least("/at/price".to_owned()), ""), Some(place("1", &["2"])));
        assert_eq!(found(Criterion::Most("/at/price".to_owned()), ""), Some(place("0", &[])));
        assert_eq!(found(Criterion::Most("/at/none".to_owned()), ""), None);
    }

    #[test]
    fn of_two_items_one_is_taken_by_what_the_first_is_like() {
        let choice = |least: f64, other: Criterion| {
            let wanted = Wanted::Least(least);
            let quality = Quality { item: "/data/inns/0".to_owned(), field: "/at/price".to_owned(), wanted };
            let first = ("dearest".to_owned(), Criterion::Most("/at/price".to_owned()));
            Criterion::Chosen(Box::new(Choice {
                first,
                quality: ("dear".to_owned(), quality),
                other: ("other".to_owned(), other),
            }))
        };
        let cheapest = || Criterion::Least("/at/price".to_owned());
        assert_eq!(found(choice(9.0, cheapest()), ""), Some(place("0", &["2"])), "it is dear enough");
        assert_eq!(found(choice(10.0, cheapest()), ""), None, "none is: nothing to choose by");
        assert_eq!(found(choice(9.0, Criterion::Most("/at/price".to_owned())), ""), None, "both are one");
        let met = choice(9.0, cheapest());
        let Criterion::Chosen(mut turned) = met else { panic!("a choice") };
        std::mem::swap(&mut turned.first, &mut turned.other);
        assert_eq!(found(Criterion::Chosen(turned), ""), Some(place("0", &["2"])), "the cheapest is not dear");
    }

    #[test]
    fn a_name_is_said_or_asked_for() {
        assert_eq!(found(Criterion::Named("/name".to_owned()), "Owl"), Some(place("1", &["3"])));
        assert_eq!(found(Criterion::Named("/name".to_owned()), "Bee"), None);
        let asked =
            |argument: &str| Criterion::Asked { fields: vec!["/name".to_owned()], argument: argument.to_owned() };
        assert_eq!(found(asked("query"), ""), Some(place("0", &[])));
        assert_eq!(found(asked("town"), ""), None);
        assert_eq!(found(Criterion::First, ""), Some(place("0", &[])));
    }

    #[test]
    fn nested_lists_are_taken_together() {
        let nested = Value::read(r#"{"a": [{"b": [1, 2]}, {"c": 0}, {"b": [3]}]}"#).unwrap();
        let pointers: Vec<String> = items(&nested, "/a/0/b/0").into_iter().map(|it| it.0).collect();
        assert_eq!(pointers, ["/a/0/b/0", "/a/0/b/1", "/a/2/b/0"]);
        assert!(items(&nested, "/a/0/x/0").is_empty());
    }
}

#[cfg(test)]
mod rivals_tests {
    use super::*;

    #[test]
    fn what_stood_behind_a_removed_item_moves_up() {
        for (pointer, after) in [
            ("/data/3/id", "/data/2/id"),
            ("/data/3", "/data/2"),
            ("/data/1/id", "/data/1/id"),
            ("/other/3/id", "/other/3/id"),
            ("/database/3", "/database/3"),
        ] {
            assert_eq!(moved(pointer, "/data", 2), after);
        }
    }

    #[test]
    fn later_items_go_first() {
        let mut pointers = vec!["/a/2", "/a/10", "/a/9"];
        pointers.sort_by_key(|pointer| std::cmp::Reverse(order(pointer)));
        assert_eq!(pointers, ["/a/10", "/a/9", "/a/2"]);
    }

    #[test]
    fn rivals_go_and_the_meant_item_stays() {
        let world = crate::toolset::testing::inn("en");
        let answer = r#"{"data": {"inns": [{"total": 9, "id": "A"}, {"total": 7, "id": "B"}, {"total": 7, "id": "C"}, {"total": 8, "id": "D"}]}}"#;
        let step: Step = serde_json::from_str(&format!(
            r#"{{"calls": [{{"name": "Search_Inns", "arguments": {{}}}}], "answers": [{answer}],
                "notes": [{{"x": {{"origin": {{"answer": {{"call": 0, "field": "/data/inns/3/id"}}}}}}}}]}}"#
        ))
        .unwrap();
        let meant = vec![(0, "cheapest".to_owned(), None)];
        let (steps, removed) = without(&world, std::slice::from_ref(&step), &meant).unwrap();
        assert_eq!(removed, 1);
        assert_eq!(steps[0].answers[0].to_string().matches("total").count(), 3);
        assert!(!steps[0].answers[0].to_string().contains("\"C\""));
        assert_eq!(steps[0].notes[0]["x"].origin.answer(), Some((0, "/data/inns/2/id")));
        assert_eq!(without(&world, &steps, &meant).unwrap().1, 0);
        assert!(without(&world, &[step], &vec![(0, "best".to_owned(), None)]).is_none(), "nobody has stars");
    }
}

#[cfg(test)]
mod heard_tests {
    use super::super::testing::{call, item, said, slot, stay, travel};
    use super::*;

    /// Hotels are searched, and the conditions of the cheapest room of the best of them are wanted.
    fn offer() -> Plan {
        let mut plan = stay();
        plan.slots.retain(|key, _| ["0.town_id", "0.arrival"].contains(&key.as_str()));
        plan.slots["0.town_id"] = slot("Search_Hotel_Destination", "query");
        plan.slots["0.arrival"] = slot("Search_Hotels", "arrival_date");
        plan.slots.insert("0.adults".to_owned(), slot("Get_Hotel_Rooms", "adults"));
        plan.calls = vec![
            call("Search_Hotel_Destination", vec![("query", said("0.town_id"))]),
            call("Search_Hotels", vec![("dest_id", item(0, "asked", "/dest_id")), ("arrival_date", said("0.arrival"))]),
            call("Get_Hotel_Rooms", vec![("hotel_id", item(1, "cheapest", "/hotel_id")), ("adults", said("0.adults"))]),
            call("Get_Room_Offer_Details", vec![("offer_token", item(2, "cheapest", "/offer_token"))]),
        ];
        plan
    }

    fn takers(plan: &Plan, key: &str) -> Vec<usize> {
        direct(travel("en").declaration(), plan, key).into_iter().map(|(call, _)| call).collect()
    }

    #[test]
    fn what_nobody_would_say_is_said_with_the_search() {
        let mut plan = offer();
        assert!(!is_heard(travel("en").declaration(), &plan, "0.adults"), "the rooms are on the way");
        assert!(is_heard(travel("en").declaration(), &plan, "0.arrival"));
        assert!(heard(travel("en").declaration(), &mut plan));
        assert_eq!(takers(&plan, "0.adults"), [1, 2]);
        assert!(is_heard(travel("en").declaration(), &plan, "0.adults"));
    }

    #[test]
    fn what_is_wanted_says_its_own() {
        let mut plan = offer();
        plan.calls.pop();
        let before = plan.clone();
        assert!(heard(travel("en").declaration(), &mut plan));
        assert_eq!(plan, before);
    }

    #[test]
    fn what_nobody_can_say_is_left_out_unless_it_is_needed() {
        let mut plan = offer();
        plan.calls[1] = call("Search_Hotels_By_Filters", vec![]);
        assert!(heard(travel("en").declaration(), &mut plan));
        assert!(!plan.slots.contains_key("0.adults") && !plan.calls[2].arguments.contains_key("adults"));
        let mut plan = offer();
        plan.calls[2].arguments.insert("arrival_date".to_owned(), said("0.adults"));
        plan.calls[1].arguments.insert("adults".to_owned(), said("0.other"));
        assert!(!heard(travel("en").declaration(), &mut plan), "the rooms need the day");
    }

    #[test]
    fn an_item_may_be_called_by_what_its_search_was_told() {
        let world = travel("en").declaration();
        let availability = &world.functions["Get_Attraction_Availability"];
        assert!(in_phrases(availability, "cheapest", "date") && !in_phrases(availability, "cheapest", "currency_code"));
        assert!(!in_phrases(availability, "none", "date"));
    }
}
