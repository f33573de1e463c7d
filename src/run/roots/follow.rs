//! A run that follows another: it makes the same items again, in another locale, and no others.
//!
//! It knows the other run's ids and shapes. Nothing of its words is looked at.

use crate::failure::{RunError, RunStopped};
use crate::record::{Expected, FunctionCall, Item, ItemId, Record, Reject, Role, Sample, SharedSnapshots};
use crate::toolset::Toolset;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// The stage that items are rejected by for the sake of the other run.
const STAGE: &str = "localize";

/// The run that is followed.
#[derive(Debug, Clone, Default)]
pub struct Follow {
    /// Its name for people: the folder that it lies in.
    from: String,
    /// Its locale.
    locale: String,
    /// Ids of its samples, and of everything that they grew from.
    ids: BTreeSet<String>,
    /// The shape and data type of each sample, by id.
    shapes: BTreeMap<String, (Shape, String)>,
}

/// Relation of a localized run to its source run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Localized {
    /// Folder of the source run, as given on the command line.
    pub from: String,
    /// Locale of the source run.
    pub locale: String,
    /// Samples by data type: those of the source run, and those that this run has as well.
    pub samples: BTreeMap<String, (usize, usize)>,
}

/// What was found of the other run's samples so far.
#[derive(Debug, Default)]
pub(crate) struct Matching {
    seen: BTreeSet<String>,
    kept: BTreeMap<String, usize>,
}

impl Follow {
    /// Reads the samples of the run in `folder`, whose tools are those of `toolset`.
    pub fn read(folder: &Path, toolset: &Toolset) -> Result<Self, RunError> {
        let path = folder.join("samples.jsonl");
        let fault = |detail: String| RunStopped::Input(format!("`{}` {detail}", path.display()));
        let file = File::open(&path).map_err(|error| fault(format!("cannot be read: {error}")))?;
        let mut follow = Self { from: folder.display().to_string(), ..Self::default() };
        let mut shared = SharedSnapshots::default();
        for (line, text) in (1..).zip(BufReader::new(file).lines()) {
            let sample: Sample = serde_json::from_str(&text?)
                .map_err(|error| fault(format!("contains an invalid sample in line {line}: {error}")))?;
            shared.restore(sample).iter().for_each(|sample| follow.add(sample, toolset));
        }
        if follow.shapes.is_empty() { Err(fault("contains no samples".to_owned()).into()) } else { Ok(follow) }
    }

    fn add(&mut self, sample: &Sample, toolset: &Toolset) {
        self.locale.clone_from(&sample.locale);
        let id = sample.id.as_str();
        let above = id.match_indices('/').filter_map(|(end, _)| id.get(..end));
        self.ids.extend(above.chain([id]).map(str::to_owned));
        self.shapes.insert(id.to_owned(), (Shape::of(sample, toolset), sample.data_type.0.clone()));
    }

    /// Whether the other run has a sample with this id, or one that grew from it.
    pub(crate) fn wants(&self, id: &ItemId) -> bool {
        self.ids.contains(id.as_str())
    }

    /// The ordinals of the items that the other run drew of a parent and did not lose.
    pub(crate) fn ordinals(&self, parent: &ItemId, stage: &str) -> Vec<usize> {
        let mark = format!("{parent}/{stage}/");
        let below = self.ids.range(mark.clone()..).map_while(|id| id.strip_prefix(&mark));
        let mut ordinals: Vec<usize> = below.filter_map(|rest| rest.parse().ok()).collect();
        ordinals.sort_unstable();
        ordinals
    }

    /// The reject of an item that the other run does not have.
    pub(crate) fn stray(&self, id: &ItemId) -> Option<Reject> {
        let detail = || format!("`{}` has no such item", self.from);
        (!self.wants(id)).then(|| reject(id.as_str(), "not_in_source", detail()))
    }

    /// What takes part in the hash of the plan.
    pub(crate) fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for (id, (shape, _)) in &self.shapes {
            hasher.update(format!("{id} {}\n", shape.text()).as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }
}

impl Matching {
    /// Looks at an item that is about to be written. One that is not what the other run has is rejected, sample by sample.
    pub(crate) fn look(&mut self, follow: &Follow, item: &Item, toolset: &Toolset) -> Vec<Reject> {
        let samples = match &item.record {
            Record::Sample(sample) => vec![(**sample).clone()],
            Record::Dialogue(dialogue) => dialogue.samples(item),
            _ => return Vec::new(),
        };
        let faults: Vec<Option<Reject>> = samples.iter().map(|it| unlike(follow, it, toolset)).collect();
        self.seen.extend(samples.iter().map(|sample| sample.id.to_string()));
        if faults.iter().all(Option::is_none) {
            for sample in &samples {
                *self.kept.entry(sample.data_type.0.clone()).or_default() += 1;
            }
            return Vec::new();
        }
        // A conversation stands or falls as a whole.
        let other = |sample: &Sample| {
            reject(sample.id.as_str(), "other_structure", "another turn of the conversation differs".to_owned())
        };
        samples.iter().zip(faults).map(|(sample, fault)| fault.unwrap_or_else(|| other(sample))).collect()
    }

    /// The samples of the other run that have no counterpart.
    pub(crate) fn missing<'a>(&'a self, follow: &'a Follow) -> impl Iterator<Item = Reject> + 'a {
        let lost = follow.shapes.keys().filter(|id| !self.seen.contains(*id));
        lost.map(|id| reject(id, "no_counterpart", "nothing was accepted in its place".to_owned()))
    }

    /// How the run stands to the other one.
    pub(crate) fn result(&self, follow: &Follow) -> Localized {
        let mut samples: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for (_, data_type) in follow.shapes.values() {
            samples.entry(data_type.clone()).or_default().0 += 1;
        }
        for (data_type, kept) in &self.kept {
            samples.entry(data_type.clone()).or_default().1 += kept;
        }
        Localized { from: follow.from.clone(), locale: follow.locale.clone(), samples }
    }
}

impl Localized {
    /// How many samples the other run has, and how many of them this one has as well.
    pub fn total(&self) -> (usize, usize) {
        self.samples.values().fold((0, 0), |(all, kept), (more, also)| (all + more, kept + also))
    }
}

/// Why a sample is not the other run's.
fn unlike(follow: &Follow, sample: &Sample, toolset: &Toolset) -> Option<Reject> {
    let Some((shape, _)) = follow.shapes.get(sample.id.as_str()) else {
        return Some(reject(sample.id.as_str(), "not_in_source", format!("`{}` has no such sample", follow.from)));
    };
    let difference = shape.difference(&Shape::of(sample, toolset))?;
    Some(reject(sample.id.as_str(), "other_structure", difference))
}

fn reject(id: &str, reason: &str, detail: String) -> Reject {
    let (stage, reason) = (STAGE.to_owned(), reason.to_owned());
    Reject { id: ItemId::root(id), stage, reason, detail, text: String::new(), mended: None }
}

// What a sample is apart from its language: two samples of one shape are the same item in two locales.

/// The parts of a sample that no translation changes, each as text under its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shape([(&'static str, String); 6]);

impl Shape {
    /// The shape of a sample whose tools are those of `toolset`: a tool may go by another name in a locale.
    pub(crate) fn of(sample: &Sample, toolset: &Toolset) -> Self {
        let messages = sample.messages.iter().map(|message| {
            let calls: Vec<String> = message.tool_calls.iter().map(|call| told(call, toolset)).collect();
            format!("{}({})", speaker(message.role), calls.join(" "))
        });
        let place = sample.snapshot.as_ref().map(|it| format!("{} of {}", it.turn, it.turns)).unwrap_or_default();
        Self([
            ("suite", sample.suite.to_string()),
            ("data type", sample.data_type.0.clone()),
            ("turns", messages.collect::<Vec<_>>().join(" ")),
            ("place", place),
            ("answer", answer(&sample.expected, toolset)),
            ("label", sample.label.as_ref().map(|call| told(call, toolset)).unwrap_or_default()),
        ])
    }

    /// All parts as text, to be hashed.
    pub(crate) fn text(&self) -> String {
        let parts = self.0.iter().map(|(name, part)| format!("{name}: {}{part}", part.len()));
        parts.collect::<Vec<_>>().join("\n")
    }

    /// The first part in which another shape differs, as `part: this, not that`.
    pub(crate) fn difference(&self, other: &Self) -> Option<String> {
        let mut parts = self.0.iter().zip(&other.0);
        let ((name, one), (_, two)) = parts.find(|(one, two)| one != two)?;
        Some(format!("{name}: `{two}`, not `{one}`"))
    }
}

/// What a shape calls whoever speaks.
fn speaker(role: Role) -> &'static str {
    match role {
        Role::System => "System",
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
    }
}

fn answer(expected: &Expected, toolset: &Toolset) -> String {
    let names = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names.join(" ")
    };
    match expected {
        Expected::Call(call) => told(call, toolset),
        Expected::Steps(steps) => {
            let step = |calls: &[FunctionCall]| {
                let mut calls: Vec<String> = calls.iter().map(|call| told(call, toolset)).collect();
                // The calls of a step may come in any order.
                calls.sort_unstable();
                calls.join(" & ")
            };
            steps.iter().map(|it| step(&it.calls)).collect::<Vec<_>>().join("; ")
        }
        Expected::Refusal => "refusal".to_owned(),
        Expected::Question(parameters) => format!("question {}", names(parameters)),
        Expected::Answer(_) => "words".to_owned(),
        Expected::Acts(acts) => format!("acts {}", names(acts)),
    }
}

/// A call without its values.
fn told(call: &FunctionCall, toolset: &Toolset) -> String {
    let mut names: Vec<&str> = call.arguments.keys().map(String::as_str).collect();
    names.sort_unstable();
    format!("{}({})", toolset.key(&call.name), names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Expected, Provenance};
    use crate::run::testing::sample;

    fn follow(ids: &[&str]) -> Follow {
        let mut follow = Follow { from: "run-en".to_owned(), ..Follow::default() };
        for id in ids {
            follow.add(&sample(id), &Toolset::default());
        }
        follow
    }

    fn item(id: &str, change: impl Fn(&mut Sample)) -> Item {
        let mut sample = sample(id);
        change(&mut sample);
        let id = ItemId::root(id);
        Item { root: id.clone(), id, record: Record::Sample(Box::new(sample)), provenance: Provenance::default() }
    }

    #[test]
    fn what_samples_grew_from_is_wanted_and_nothing_else() {
        let follow = follow(&["a/ask/3/tell/0", "a/ask/10", "a/ask/2/turn/1"]);
        let wanted = |id: &str| follow.wants(&ItemId::root(id));
        assert!(["a", "a/ask/3", "a/ask/3/tell/0", "a/ask/10"].iter().all(|id| wanted(id)));
        assert!(["b", "a/ask/1", "a/ask/3/tell/1", "a/ask/30"].iter().all(|id| !wanted(id)));
        assert_eq!(follow.ordinals(&ItemId::root("a"), "ask"), [2, 3, 10]);
        assert_eq!(follow.ordinals(&ItemId::root("a/ask/3"), "tell"), [0]);
        assert!(follow.ordinals(&ItemId::root("a/ask/10"), "tell").is_empty());
        let stray = follow.stray(&ItemId::root("a/ask/4")).unwrap();
        assert_eq!((stray.reason.as_str(), stray.detail.as_str()), ("not_in_source", "`run-en` has no such item"));
    }

    #[test]
    fn the_matched_are_kept_and_the_others_told() {
        let (follow, toolset) = (follow(&["a/x/0", "a/x/1", "a/x/2"]), Toolset::default());
        let mut matching = Matching::default();
        let mut reasons = |item: &Item| {
            let rejects = matching.look(&follow, item, &toolset);
            rejects.into_iter().map(|reject| reject.reason).collect::<Vec<_>>()
        };
        assert!(reasons(&item("a/x/0", |_| ())).is_empty());
        assert_eq!(reasons(&item("a/x/1", |it| it.expected = Expected::Refusal)), ["other_structure"]);
        assert_eq!(reasons(&item("a/y/0", |_| ())), ["not_in_source"]);
        let missing: Vec<String> = matching.missing(&follow).map(|reject| reject.id.to_string()).collect();
        assert_eq!((missing, matching.result(&follow).total()), (vec!["a/x/2".to_owned()], (3, 1)));
    }

    #[test]
    fn another_shape_is_another_run() {
        let one = follow(&["a/x/0"]);
        assert_eq!(one.digest(), follow(&["a/x/0"]).digest());
        assert_ne!(one.digest(), follow(&["a/x/1"]).digest());
    }

    #[test]
    fn what_holds_no_samples_cannot_be_followed() {
        let folder = tempfile::tempdir().unwrap();
        let error = || Follow::read(folder.path(), &Toolset::default()).unwrap_err().to_string();
        assert!(error().contains("cannot be read"));
        std::fs::write(folder.path().join("samples.jsonl"), "").unwrap();
        assert!(error().ends_with("contains no samples"));
        std::fs::write(folder.path().join("samples.jsonl"), "{\"id\": \"a\"}\n").unwrap();
        assert!(error().contains("contains an invalid sample in line 1: missing field"), "{}", error());
    }
}

#[cfg(test)]
mod shape_tests {
    use super::*;
    use crate::record::{DataType, Message, Snapshot, Step};

    fn sample(expected: &str) -> Sample {
        let mut sample = crate::run::testing::sample("a/x/0");
        sample.expected = serde_json::from_str(expected).unwrap();
        sample
    }

    fn shape(sample: &Sample) -> Shape {
        Shape::of(sample, &Toolset::default())
    }

    const CALL: &str = r#"{"call": {"name": "f", "arguments": {"to": "Porto", "day": "Friday"}}}"#;

    #[test]
    fn words_and_values_are_no_part_of_the_shape() {
        let one = sample(CALL);
        let mut two = sample(r#"{"call": {"name": "f", "arguments": {"day": "금요일", "to": "부산"}}}"#);
        two.messages = vec![Message::user("부산 가는 표")];
        two.locale = "ko".to_owned();
        assert_eq!(shape(&one).difference(&shape(&two)), None);
    }

    #[test]
    fn a_tool_may_go_by_another_name_in_a_locale() {
        let toolset = Toolset { keys: [("g".to_owned(), "f".to_owned())].into(), ..Toolset::default() };
        let other = Shape::of(&sample(&CALL.replace("\"f\"", "\"g\"")), &toolset);
        assert_eq!(shape(&sample(CALL)).difference(&other), None);
    }

    #[test]
    fn whatever_else_differs_is_told() {
        let one = sample(CALL);
        let told = |change: &dyn Fn(&mut Sample)| {
            let mut other = one.clone();
            change(&mut other);
            shape(&one).difference(&shape(&other)).unwrap()
        };
        assert_eq!(told(&|it| it.suite = "x".into()), "suite: `x`, not `hammerbench`");
        assert!(told(&|it| it.data_type = DataType("mQmA".to_owned())).starts_with("data type: `mQmA`"));
        assert!(told(&|it| it.messages.push(Message::new(Role::Assistant, "Which?"))).starts_with("turns: `User() A"));
        assert_eq!(told(&|it| it.expected = Expected::Refusal), "answer: `refusal`, not `f(day, to)`");
        assert!(told(&|it| it.label = Some(FunctionCall::default())).starts_with("label: "));
        let place = Snapshot {
            conversation: one.id.clone(),
            turn: 1,
            turns: 3,
            marked: Some(true),
            shared: None,
            tool: String::new(),
        };
        assert_eq!(told(&|it| it.snapshot = Some(place.clone())), "place: `1 of 3`, not ``");
    }

    #[test]
    fn the_calls_of_a_step_may_come_in_any_order_and_steps_may_not() {
        let steps = |names: &[&[&str]]| {
            let call = |name: &&str| FunctionCall { name: (*name).to_owned(), ..FunctionCall::default() };
            let step = |names: &&[&str]| Step {
                calls: names.iter().map(call).collect(),
                answers: Vec::new(),
                notes: Vec::new(),
            };
            answer(&Expected::Steps(names.iter().map(step).collect()), &Toolset::default())
        };
        assert_eq!(steps(&[&["a", "b"], &["c"]]), steps(&[&["b", "a"], &["c"]]));
        assert_ne!(steps(&[&["a"], &["b"]]), steps(&[&["b"], &["a"]]));
        assert_ne!(steps(&[&["a", "b"]]), steps(&[&["a"], &["b"]]));
    }

    #[test]
    fn answers_are_told_apart_by_what_they_are() {
        let answers = [r#"{"question": ["to", "day"]}"#, r#"{"answer": "noon"}"#, r#"{"acts": ["greet"]}"#];
        let told = answers.map(|text| answer(&serde_json::from_str(text).unwrap(), &Toolset::default()));
        assert_eq!(told, ["question day to", "words", "acts greet"]);
    }
}
