//! CONFETTI as `fcgen pipeline confetti` makes it: its numbers, and what must hold of every conversation and its items.

use fcgen::record::{Complexity, Expected, Message, Origin, Role, Sample, Value};
use fcgen::toolset::Toolset;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

fn run(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fcgen"));
    let out = folder.to_str().unwrap();
    let output = command.args(["pipeline", "confetti", "--quiet", "--out", out]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The samples of a run, by conversation: calls, then responses.
fn conversations(folder: &Path) -> BTreeMap<String, Vec<Sample>> {
    let text = fs::read_to_string(folder.join("samples.jsonl")).unwrap();
    let mut conversations: BTreeMap<String, Vec<Sample>> = BTreeMap::new();
    for line in text.lines() {
        let sample: Sample = serde_json::from_str(line).unwrap();
        conversations.entry(sample.group.clone()).or_default().push(sample);
    }
    for samples in conversations.values_mut() {
        samples.sort_by_key(|sample| sample.id.sort_key());
    }
    conversations
}

fn of<'s>(samples: &'s [Sample], data_type: &str) -> Vec<&'s Sample> {
    samples.iter().filter(|sample| sample.data_type.0 == data_type).collect()
}

fn turn(sample: &Sample) -> u32 {
    sample.snapshot.as_ref().unwrap().turn
}

#[test]
fn a_whole_run_has_the_papers_numbers() {
    for locale in ["en", "ko"] {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), &["--locale", locale]);
        let conversations = conversations(folder.path());
        numbers(&conversations);
        for samples in conversations.values() {
            prefixes(samples);
        }
    }
}

#[test]
fn every_truth_holds_of_every_conversation() {
    for locale in ["en", "ko"] {
        let folder = tempfile::tempdir().unwrap();
        // All replies are scored here, so that the samples show the acts of every turn.
        run(folder.path(), &["--locale", locale, "--set", "stage.scenarios.text_responses=100000"]);
        let conversations = conversations(folder.path());
        let toolset = Toolset::load(fcgen::assets(), "assistant", locale).unwrap();
        for samples in conversations.values() {
            prefixes(samples);
            sources(samples);
            complexity(samples, &toolset);
        }
    }
}

/// 109 conversations with their complexities, 313 chains with 506 calls, as many tools as Figure 2 says.
fn numbers(conversations: &BTreeMap<String, Vec<Sample>>) {
    let mut complexities: BTreeMap<&str, usize> = BTreeMap::new();
    let (mut chains, mut offered): (BTreeMap<usize, usize>, [usize; 3]) = (BTreeMap::new(), [0; 3]);
    let (mut calls, mut texts) = (0, 0);
    for samples in conversations.values() {
        *complexities.entry(samples[0].provenance.facts["complexity"].as_str()).or_default() += 1;
        let mut lengths: BTreeMap<u32, usize> = BTreeMap::new();
        for sample in of(samples, "conversationsclean") {
            *lengths.entry(turn(sample)).or_default() += 1;
            calls += 1;
        }
        for length in lengths.values() {
            *chains.entry(*length).or_default() += 1;
        }
        texts += of(samples, "dialogacts").len();
        let shown = samples[0].candidates.len();
        assert!((3..=25).contains(&shown));
        offered[if shown < 10 { 0 } else { usize::from(shown >= 20) + 1 }] += 1;
    }
    let wanted = [5, 5, 6, 6, 7, 7, 7, 9, 10, 10, 11, 11, 15];
    let wanted: BTreeMap<&str, usize> = Complexity::ALL.iter().map(|it| it.as_str()).zip(wanted).collect();
    assert_eq!(complexities, wanted);
    let lengths = [(1, 220), (2, 46), (3, 25), (4, 9), (5, 4), (6, 3), (7, 5), (10, 1)];
    assert_eq!(chains, BTreeMap::from(lengths));
    assert_eq!((conversations.len(), calls, offered), (109, 506, [50, 54, 5]));
    let calling: usize = conversations.values().map(|samples| of(samples, "dialogacts_calls").len()).sum();
    assert!((440..490).contains(&texts) && calling == 200, "{texts} turns of the agent, {calling} of those that call");
}

/// Context and output of each item begin its conversation, and nothing that comes later stands in it.
fn prefixes(samples: &[Sample]) {
    let calls = of(samples, "conversationsclean");
    let whole = &of(samples, "dialogacts").last().unwrap().messages;
    for (at, sample) in calls.iter().enumerate() {
        let Expected::Call(call) = &sample.expected else { panic!("{}", sample.id) };
        let before = sample.messages.len();
        assert_eq!(whole[..before], sample.messages[..], "{}", sample.id);
        assert_eq!(whole[before].tool_calls, std::slice::from_ref(call), "{}", sample.id);
        let earlier = sample.messages.iter().filter(|message| message.role == Role::Tool).count();
        assert_eq!(earlier, at, "everything called before, and nothing else: {}", sample.id);
        assert!(sample.candidates.iter().any(|tool| tool.name == call.name), "{}", sample.id);
    }
    let made = whole.iter().filter(|message| !message.tool_calls.is_empty()).count();
    assert_eq!(calls.len(), made, "as many items as calls");
}

/// Every argument has its source before it: an earlier answer, or something that the person said.
fn sources(samples: &[Sample]) {
    for sample in of(samples, "conversationsclean") {
        let Expected::Call(call) = &sample.expected else { panic!("{}", sample.id) };
        let answers: Vec<Value> = tools_said(&sample.messages).map(|text| Value::read(text).unwrap()).collect();
        let said: Vec<&str> = people_said(&sample.messages).collect();
        for (name, value) in &call.arguments {
            let note = &sample.arguments[name];
            match &note.origin {
                Origin::Answer { call, field } => {
                    let path = field.trim_start_matches('/').replace('/', ".");
                    assert_eq!(answers[*call].at_path(&path), Some(value), "{}: {name}", sample.id);
                }
                // What a goal always means is told by the goal alone.
                Origin::Inferred => {}
                _ => {
                    let surface = note.surface.as_deref().unwrap_or_default();
                    assert!(said.iter().any(|text| text.contains(surface)), "{}: {name} {note:?}", sample.id);
                }
            }
        }
    }
}

fn tools_said(messages: &[Message]) -> impl Iterator<Item = &str> {
    messages.iter().filter(|message| message.role == Role::Tool).filter_map(|message| message.content.as_deref())
}

fn people_said(messages: &[Message]) -> impl Iterator<Item = &str> {
    messages.iter().filter(|message| message.role == Role::User).filter_map(|message| message.content.as_deref())
}

/// The complexity that a conversation was to have shows in its messages and labels.
fn complexity(samples: &[Sample], toolset: &Toolset) {
    let facts = &samples[0].provenance.facts;
    let observed: BTreeSet<&str> = facts["observed"].split(", ").collect();
    let name = facts["complexity"].as_str();
    assert!(observed.contains(name), "{name}: {observed:?}");
    let acts: BTreeMap<u32, Vec<String>> = of(samples, "dialogacts")
        .into_iter()
        .filter_map(|sample| match &sample.expected {
            Expected::Acts(acts) => Some((turn(sample), acts.clone())),
            _ => None,
        })
        .collect();
    let has = |act: &str| acts.values().flatten().any(|label| label == act);
    let whole = &of(samples, "dialogacts").last().unwrap().messages;
    let errors = tools_said(whole).filter(|text| text.contains("\"error\"")).count();
    let calling: BTreeSet<u32> = of(samples, "conversationsclean").into_iter().map(turn).collect();
    match Complexity::of(name).unwrap() {
        Complexity::ExceptionInExecution => assert_eq!(errors, 1),
        Complexity::FailedConversation => assert!(errors == 2 && has("agent_reject_request")),
        Complexity::GoalNotSupported => assert!(has("agent_reject_request")),
        Complexity::Underfill | Complexity::AmbiguousGoal => {
            let asks = |(turn, acts): (&u32, &Vec<String>)| {
                acts.contains(&"agent_seek_information".to_owned())
                    && !calling.contains(turn)
                    && calling.contains(&(turn + 1))
            };
            assert!(acts.iter().any(asks), "{}", samples[0].id);
        }
        Complexity::Confirmation => {
            let acting = of(samples, "conversationsclean").into_iter().filter(|sample| {
                let Expected::Call(call) = &sample.expected else { return false };
                toolset.tool(&call.name).is_some_and(|tool| tool.acts)
            });
            let asked = |sample: &Sample| {
                acts.get(&(turn(sample) - 1)).is_some_and(|acts| acts.contains(&"agent_seek_information".to_owned()))
            };
            assert!(acting.filter(|sample| turn(sample) > 1).any(asked), "{}", samples[0].id);
        }
        _ => {}
    }
}

#[test]
fn shards_together_are_one_process_and_other_seeds_are_other_conversations() {
    let folder = tempfile::tempdir().unwrap();
    let out = |name: &str| folder.path().join(name);
    let small =
        ["--set", "stage.scenarios.complexities={underfill=2,overfill=2}", "--set", "stage.scenarios.chains=[8,2]"];
    let rest = ["--set", "stage.scenarios.offered=[{from=3,to=9,count=4}]", "--set", "stage.scenarios.thanks=1"];
    let more: Vec<&str> = small.into_iter().chain(rest).collect();
    run(&out("whole"), &more);
    for shard in ["1/2", "2/2"] {
        let name = shard.replace('/', "-");
        run(&out(&name), &[&more[..], &["--shard", shard]].concat());
    }
    let mut merge = Command::new(env!("CARGO_BIN_EXE_fcgen"));
    merge.arg("merge").args([out("1-2"), out("2-2")]).arg("--out").arg(out("merged")).args(more.clone());
    let merged = merge.output().unwrap();
    assert!(merged.status.success(), "{}", String::from_utf8_lossy(&merged.stderr));
    let text = |name: &str| fs::read_to_string(out(name).join("samples.jsonl")).unwrap();
    assert_eq!(text("whole"), text("merged"));
    run(&out("other"), &[&more[..], &["--seed", "8"]].concat());
    assert_ne!(text("whole"), text("other"));
}
