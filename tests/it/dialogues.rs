//! The multi-turn data of HammerBench: what each data type is, looked at in the files that a run writes.

use crate::emission::shape;
use crate::made::made;
use crate::shared::upstream;
use fcgen::record::{Expected, MULTI_TURN, Sample};
use fcgen::suite::hammerbench::layout::{HammerCall, HammerContent, HammerId, HammerItem, MARKED};
use serde_json::{Map, Value as Json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What a run wrote: conversations by data type and number, marked turns, snapshots, samples.
struct Written {
    conversations: BTreeMap<&'static str, BTreeMap<u64, HammerItem>>,
    marked: BTreeMap<&'static str, Vec<Vec<usize>>>,
    snapshots: Vec<HammerItem>,
    samples: Vec<Sample>,
    raw: BTreeMap<&'static str, Vec<Json>>,
}

async fn written(settings: &[&str]) -> Written {
    let made = made("hammer", settings).await;
    let data = |path: &str| format!("benchmark/data/en/{path}.json");
    let raw: [(&str, Vec<Json>); 9] =
        MULTI_TURN.map(|(name, file)| (name, made.json(&data(&format!("multi-turn/{file}")))));
    Written {
        conversations: raw.iter().map(|(name, items)| (*name, numbered(items))).collect(),
        marked: MARKED
            .map(|name| (name, made.json(&data(&format!("multi-turn/snapshot_id/snap_shot_id_{name}")))))
            .into_iter()
            .collect(),
        snapshots: made.json(&data("multi-turn")),
        samples: made.samples.clone(),
        raw: raw.into_iter().collect(),
    }
}

fn read<T: serde::de::DeserializeOwned>(path: &Path) -> T {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbered(items: &[Json]) -> BTreeMap<u64, HammerItem> {
    let read = |item: &Json| -> HammerItem { serde_json::from_value(item.clone()).unwrap() };
    let numbered: BTreeMap<u64, HammerItem> = items
        .iter()
        .map(read)
        .map(|item| match item.id {
            Some(HammerId::Conversation(number)) => (number, item),
            ref other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(numbered.len(), items.len(), "a number comes once in a file");
    numbered
}

/// A user turn with the question before it and the label behind it.
#[derive(Debug, Clone, PartialEq)]
struct Turn {
    question: Option<String>,
    said: String,
    label: Result<HammerCall, String>,
}

fn turns(item: &HammerItem) -> Vec<Turn> {
    let mut turns = Vec::new();
    let mut messages = item.messages.iter().peekable();
    while messages.peek().is_some() {
        let mut text = |role: &str| {
            let message = messages.next_if(|message| message.role == role)?;
            match &message.content {
                HammerContent::Text(text) => Some(text.clone()),
                HammerContent::Call(_) => panic!("a call of {role}"),
            }
        };
        let (question, said) = (text("assistant"), text("user").unwrap());
        let label = messages.next().unwrap();
        let label = match (label.role.as_str(), &label.content) {
            ("function call", HammerContent::Call(call)) => Ok(call.clone()),
            ("assistant", HammerContent::Text(text)) => Err(text.clone()),
            other => panic!("{other:?}"),
        };
        turns.push(Turn { question, said, label });
    }
    assert!(turns[0].question.is_none() && turns[1..].iter().all(|turn| turn.question.is_some()));
    turns
}

fn labels(item: &HammerItem) -> Vec<Map<String, Json>> {
    turns(item).into_iter().filter_map(|turn| turn.label.ok()).map(|call| call.arguments).collect()
}

/// Names whose values differ, or that one of the two lacks.
fn changed(before: &Map<String, Json>, after: &Map<String, Json>) -> Vec<String> {
    after.iter().filter(|(name, value)| before.get(*name) != Some(value)).map(|(name, _)| name.clone()).collect()
}

fn same(one: &Map<String, Json>, other: &Map<String, Json>) -> bool {
    one.len() == other.len() && changed(one, other).is_empty()
}

#[tokio::test]
async fn every_data_type_is_what_it_is_called() {
    let written = written(&["pipeline.limit=24"]).await;
    for (name, _) in MULTI_TURN {
        assert!(written.conversations[name].len() >= 8, "{name}: {}", written.conversations[name].len());
    }
    every_item_is_sound(&written);
    based_gains_one_argument_a_turn(&written);
    merged_turns_are_those_of_their_base(&written);
    shifts_end_in_a_refusal(&written);
    overrides_change_one_value(&written);
    values_come_again(&written);
    external_answers_point_elsewhere(&written);
    snapshots_are_conversations_cut_short(&written);
    samples_join_their_conversations(&written);
}

fn every_item_is_sound(written: &Written) {
    for (name, items) in &written.conversations {
        for (number, item) in items {
            let base = &written.conversations["Based"][number];
            let names: Vec<&str> = item.multiple_tools.iter().map(|tool| tool.name.as_str()).collect();
            let gold = &item.single_tool.as_ref().unwrap()[0].name;
            assert_eq!(names.iter().filter(|name| *name == gold).count(), 1, "{name} {number}");
            assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "{name} {number}");
            assert_eq!((&item.multiple_tools, &item.single_tool), (&base.multiple_tools, &base.single_tool));
            assert_eq!(turns(item)[0], turns(base)[0], "{name} {number} begins like its base");
            for pair in labels(item).windows(2) {
                assert!(pair[0].keys().all(|key| pair[1].contains_key(key)), "{name} {number}: labels only grow");
            }
        }
    }
}

fn based_gains_one_argument_a_turn(written: &Written) {
    for item in written.conversations["Based"].values() {
        assert!(turns(item).len() >= 2);
        for pair in labels(item).windows(2) {
            assert_eq!((pair[1].len(), changed(&pair[0], &pair[1]).len()), (pair[0].len() + 1, 1));
        }
    }
}

/// The parameter that each turn but the first adds.
fn slots(item: &HammerItem) -> Vec<String> {
    labels(item).windows(2).map(|pair| changed(&pair[0], &pair[1]).remove(0)).collect()
}

fn merged_turns_are_those_of_their_base(written: &Written) {
    let based = &written.conversations["Based"];
    for (number, item) in &written.conversations["mQmA"] {
        let base = turns(&based[number]);
        let order = slots(&based[number]);
        assert!(base.len() >= 3, "only what has two answers can be merged");
        let groups: Vec<Vec<String>> = labels(item).windows(2).map(|pair| changed(&pair[0], &pair[1])).collect();
        let big: Vec<&Vec<String>> = groups.iter().filter(|group| group.len() > 1).collect();
        assert_eq!(big.len(), 1, "exactly one group");
        assert!(groups.len() == 1 || groups[0].len() == 1, "the group never comes first where there are singles");
        let place = |name: &String| order.iter().position(|slot| slot == name).unwrap();
        let singles: Vec<usize> =
            groups.iter().filter(|group| group.len() == 1).map(|group| place(&group[0])).collect();
        assert!(singles.is_sorted());
        assert!(same(labels(item).last().unwrap(), labels(&based[number]).last().unwrap()));
        let mut group: Vec<usize> = big[0].iter().map(place).collect();
        group.sort_unstable_by(|one, other| other.cmp(one));
        let mut merged = turns(item).into_iter().zip(std::iter::once(1).chain(groups.iter().map(Vec::len)));
        let (turn, _) = merged.find(|(_, size)| *size > 1).unwrap();
        let question = turn.question.clone().unwrap();
        assert!(base.iter().all(|it| it.question.as_ref() != Some(&question)), "several are asked for: {question}");
        assert_gives(&turn, big[0]);
        its_siblings_have_the_same_group(written, *number, &group);
    }
}

/// What a turn says gives these texts of its label; flags and listed values are said in other words.
fn assert_gives(turn: &Turn, names: &[String]) {
    let said = turn.said.to_lowercase();
    let values = names.iter().filter_map(|name| turn.label.as_ref().unwrap().arguments[name].as_str());
    let texts: Vec<&str> = values.filter(|value| !value.contains('_')).collect();
    let given = texts.iter().filter(|text| said.contains(&text.to_lowercase())).count();
    assert!(given + 1 >= texts.len(), "{texts:?} in {said}");
}

fn its_siblings_have_the_same_group(written: &Written, number: u64, group: &[usize]) {
    let base = &written.conversations["Based"][&number];
    let (asked, order) = (turns(base), slots(base));
    if let Some(item) = written.conversations["mQsA"].get(&number) {
        let own = turns(item);
        assert_eq!(own.len(), asked.len(), "as many turns as the base");
        assert!(labels(item).windows(2).all(|pair| pair[1].len() == pair[0].len() + 1));
        let at = 1 + slots(item).iter().position(|slot| *slot == order[group[0]]).unwrap();
        assert_ne!(own[at].question, asked[group[0] + 1].question, "more is asked for");
        for (turn, slot) in own[at..].iter().zip(group) {
            assert_eq!(turn.said, asked[slot + 1].said);
        }
        for (turn, slot) in own[at + 1..].iter().zip(&group[1..]) {
            assert_eq!(turn.question, asked[slot + 1].question);
        }
        assert!(same(labels(item).last().unwrap(), labels(base).last().unwrap()));
    }
    if let Some(item) = written.conversations["sQmA"].get(&number) {
        let own = labels(item);
        let at = 1 + own.windows(2).position(|pair| pair[1].len() > pair[0].len() + 1).unwrap();
        assert_gives(&turns(item)[at], &changed(&own[at - 1], &own[at]));
        assert_eq!(changed(&own[at - 1], &own[at]).len(), group.len());
        assert!(same(own.last().unwrap(), labels(base).last().unwrap()));
    }
}

fn shifts_end_in_a_refusal(written: &Written) {
    let mut refusals = BTreeSet::new();
    for (number, item) in &written.conversations["IS"] {
        let (own, base) = (turns(item), turns(&written.conversations["Based"][number]));
        let (last, before) = own.split_last().unwrap();
        assert_eq!(before, &base[..before.len()], "everything before the shift is the base's");
        assert_eq!(last.question, base[before.len()].question);
        refusals.insert(last.label.clone().unwrap_err());
    }
    assert!(refusals.len() >= 8, "refusals vary: {refusals:?}");
}

fn overrides_change_one_value(written: &Written) {
    let based = &written.conversations["Based"];
    for (position, (number, item)) in written.conversations["SO_case1"].iter().enumerate() {
        let (own, base) = (turns(item), turns(&based[number]));
        let [at] = written.marked["SO_case1"][position][..] else { panic!("one marked turn") };
        assert!(at >= 1 && own.len() == base.len());
        assert_ne!(own[at].said, base[at].said);
        let (mine, theirs) = (labels(item), labels(&based[number]));
        for turn in 0..own.len() {
            let expected = usize::from(turn >= at);
            assert_eq!(changed(&theirs[turn], &mine[turn]).len(), expected, "turn {turn} of {number}");
            assert_eq!(own[turn].question, base[turn].question);
        }
    }
    for (position, (number, item)) in written.conversations["SO_case2"].iter().enumerate() {
        let (own, base) = (turns(item), turns(&based[number]));
        let [at] = written.marked["SO_case2"][position][..] else { panic!("one marked turn") };
        assert!(at >= 2 && own.len() == base.len() + 1);
        assert_eq!(own[at].question, own[at + 1].question, "the question is asked again");
        let mine = labels(item);
        assert_eq!(mine[at].len(), mine[at - 1].len(), "the inserted turn adds nothing");
        assert_eq!(changed(&mine[at - 1], &mine[at]).len(), 1);
        for (turn, theirs) in base.iter().enumerate().skip(at) {
            assert_eq!(own[turn + 1].said, theirs.said);
        }
    }
}

fn values_come_again(written: &Written) {
    for (number, item) in &written.conversations["mSv"] {
        let (own, base) = (turns(item), turns(&written.conversations["Based"][number]));
        assert_eq!(own[..base.len()], base[..], "everything before is the base's");
        assert_eq!(own.len(), base.len() + 1);
        let mine = labels(item);
        let [.., before, last] = mine.as_slice() else { panic!("two labels at least") };
        assert_eq!((last.len(), changed(before, last).len()), (before.len(), 1));
        assert_ne!(own.last().unwrap().question.as_deref(), Some("success"), "no scaffolding by default");
    }
}

fn external_answers_point_elsewhere(written: &Written) {
    let based = &written.conversations["Based"];
    for (position, (number, item)) in written.conversations["External"].iter().enumerate() {
        let (own, base) = (turns(item), turns(&based[number]));
        let marked = &written.marked["External"][position];
        assert!((1..=2).contains(&marked.len()) && !marked.contains(&0) && own.len() == base.len());
        for (at, turn) in own.iter().enumerate() {
            if !marked.contains(&at) {
                assert_eq!(turn, &base[at]);
                continue;
            }
            let (pointer, text) = turn.said.split_once("<EK>:").unwrap();
            let slot = &slots(item)[at - 1];
            let value = labels(item)[at][slot].as_str().unwrap().to_lowercase();
            assert!(text.to_lowercase().contains(&value), "{value} is not in {text}");
            assert!(!pointer.to_lowercase().contains(&value), "{value} is in {pointer}");
        }
    }
}

fn snapshots_are_conversations_cut_short(written: &Written) {
    let total: usize = written.conversations.values().flat_map(BTreeMap::values).map(|item| turns(item).len()).sum();
    assert_eq!(written.snapshots.len(), total);
    let mut seen = BTreeSet::new();
    for snapshot in &written.snapshots {
        let Some(HammerId::Snapshot(id)) = &snapshot.id else { panic!("{:?}", snapshot.id) };
        assert!(seen.insert(id.clone()), "{id} comes twice");
        let [kind, number, turn] = id.split('_').collect::<Vec<_>>()[..] else { panic!("{id}") };
        let kind = MULTI_TURN.iter().find(|(name, _)| name.replace('_', "-") == kind).unwrap().0;
        let whole = &written.conversations[kind][&number.parse().unwrap()];
        let own = turns(snapshot);
        assert_eq!(own.len(), turn.parse::<usize>().unwrap());
        assert_eq!(own[..], turns(whole)[..own.len()], "{id}");
    }
}

fn samples_join_their_conversations(written: &Written) {
    let snapshots: Vec<&Sample> = written.samples.iter().filter(|sample| sample.snapshot.is_some()).collect();
    assert_eq!(snapshots.len(), written.snapshots.len());
    let ids: BTreeSet<&str> = written.samples.iter().map(|sample| sample.id.as_str()).collect();
    assert_eq!(ids.len(), written.samples.len(), "ids are unique");
    let places = |sample: &&Sample| sample.snapshot.clone().unwrap();
    let conversations: BTreeSet<String> = snapshots.iter().map(|it| places(it).conversation.to_string()).collect();
    for sample in snapshots {
        let place = places(&sample);
        let base = sample.base.as_ref().unwrap().as_str();
        if sample.data_type.0 == "Based" {
            assert!(ids.contains(base), "{base} is a sample");
        } else {
            assert!(conversations.contains(base), "{base} is a conversation");
        }
        assert_eq!(sample.expected == Expected::Refusal, sample.data_type.0 == "IS" && place.turn == place.turns);
        let users = sample.messages.iter().filter(|message| message.role == fcgen::record::Role::User).count();
        assert_eq!(users, place.turn as usize);
    }
}

#[tokio::test]
async fn the_authors_templates_say_it_where_they_are_wanted() {
    let written = written(&["paper_phrases=true", "limit=6"]).await;
    let said = |name: &str| -> Vec<String> {
        written.conversations[name].values().flat_map(turns).map(|turn| turn.said).collect()
    };
    assert!(said("SO_case1").iter().any(|said| said.contains(".I'm sorry, ") && said.ends_with(". ")));
    assert!(said("SO_case2").iter().any(|said| said.starts_with("It was wrong before. ")));
    assert!(said("mSv").iter().any(|said| said.starts_with("I also want to see that ")));
    for item in written.conversations["IS"].values() {
        let last = turns(item).pop().unwrap();
        assert!(last.said.starts_with("Oh no, "));
        assert_eq!(last.label.unwrap_err(), "Sorry, no tool is suitable for your request.");
    }
    for item in written.conversations["mSv"].values() {
        assert_eq!(turns(item).pop().unwrap().question.unwrap(), "success");
    }
}

#[tokio::test]
async fn files_have_the_shape_of_the_reference() {
    let Some(reference) = upstream("hammerbench/data/en/multi-turn") else { return };
    let written = written(&["pipeline.limit=24"]).await;
    let shapes = |items: &[Json]| {
        let mut shapes = BTreeMap::new();
        for item in items {
            shape(item, "", &mut shapes);
        }
        shapes
    };
    for (name, file) in MULTI_TURN {
        let theirs: Vec<Json> = read(&reference.join(format!("{file}.json")));
        assert_eq!(shapes(&written.raw[name]), shapes(&theirs), "{name}");
    }
}
