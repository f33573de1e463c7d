//! Sees to it that a request can say what its calls take: searches on the way to what is wanted are not spoken of.

use super::fed::feeds_of;
use crate::record::{Feed, Plan, PlanCall};
use crate::toolset::{Declaration, Function, Param};

/// Gives what no sentence would say to a call that is spoken of and takes it too, so that all know it; where there is
/// none, the calls go without it. Whether everything that is left can be said.
pub(super) fn heard(declaration: &Declaration, plan: &mut Plan) -> bool {
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
