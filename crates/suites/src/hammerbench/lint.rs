//! The rules for HammerBench's samples: single queries with their twins, and conversations that grow turn by turn.

use crate::format::Place;
use crate::gate::check_type;
use crate::lint::entry::Entry;
use crate::lint::finding::{Finding, Findings, Severity};
use crate::lint::ground::Ground;
use crate::lint::hash::hash;
use crate::lint::{Context, Rule};
use crate::locale::{NearDuplicates, RougeL};
use crate::record::{Argument, ItemId, Object, Origin, Role, Tool, Value, history};
use std::collections::{BTreeMap, BTreeSet};

/// What there is, as hashes, and what is still looked for. A base usually comes before its variants, so that little
/// waits; what is there grows by a hash or two for each sample.
#[derive(Default)]
pub struct Bases {
    /// Single-turn samples by id: what they say and want.
    samples: BTreeMap<u64, u64>,
    conversations: BTreeSet<u64>,
    waiting: Vec<Waiting>,
}

struct Waiting {
    place: Place,
    id: ItemId,
    base: ItemId,
    content: Option<u64>,
    severity: Severity,
}

impl Rule for Bases {
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        let sample = &entry.sample;
        match &sample.snapshot {
            Some(snapshot) => {
                self.conversations.insert(hash(&[snapshot.conversation.as_str()]));
            }
            None => {
                self.samples.insert(hash(&[sample.id.as_str()]), content(entry));
            }
        }
        let Some(base) = sample.base.clone().filter(|_| entry.turn() == 1) else { return };
        let twin = sample.snapshot.is_none() && entry.refuses();
        // A query may have been let go of after another grew from it.
        let severity = if twin || sample.snapshot.is_some() { Severity::Error } else { Severity::Warning };
        let waiting = Waiting {
            place: entry.place.clone(),
            id: sample.id.clone(),
            base,
            content: twin.then(|| content(entry)),
            severity,
        };
        if !self.settled(&waiting, findings) {
            self.waiting.push(waiting);
        }
    }

    fn end(&mut self, _: &Context, findings: &mut Findings) {
        for waiting in std::mem::take(&mut self.waiting) {
            if !self.settled(&waiting, findings) {
                waiting.complain("base", format!("base `{}` is not in the benchmark", waiting.base), findings);
            }
        }
    }
}

impl Bases {
    /// Whether the base is there; a twin that differs from it is reported at once.
    fn settled(&self, waiting: &Waiting, findings: &mut Findings) -> bool {
        let key = hash(&[waiting.base.as_str()]);
        let sample = self.samples.get(&key);
        if let (Some(content), Some(own)) = (sample, waiting.content) {
            if *content != own {
                let message = format!("differs from its base `{}` in text or label", waiting.base);
                waiting.complain("twin", message, findings);
            }
        }
        sample.is_some() || (waiting.content.is_none() && self.conversations.contains(&key))
    }
}

impl Waiting {
    fn complain(&self, rule: &'static str, message: String, findings: &mut Findings) {
        findings.add(Finding::new(rule, self.severity, &self.place, self.id.as_str(), message));
    }
}

/// What a sample says and wants.
fn content(entry: &Entry) -> u64 {
    let messages = serde_json::to_string(&entry.sample.messages).unwrap_or_default();
    let label = serde_json::to_string(&entry.label()).unwrap_or_default();
    hash(&[&messages, &label])
}

/// A label names declared parameters, with values of their types.
pub fn labels(_: &Context, entry: &Entry, findings: &mut Findings) {
    let (Some(call), Some(tool)) = (entry.call(), entry.tool()) else { return };
    for (name, value) in &call.arguments {
        match tool.parameters.properties.get(name).map(|parameter| check_type(name, parameter, value)) {
            Some(Ok(())) => {}
            Some(Err(fault)) => findings.error("type", entry, fault.detail),
            None => {
                let known: Vec<&str> = tool.parameters.properties.keys().map(String::as_str).take(8).collect();
                let message = format!("`{}` has no parameter `{name}`; it has {}", tool.name, known.join(", "));
                findings.error("parameter", entry, message);
            }
        }
    }
    for name in entry.sample.arguments.keys().filter(|name| !call.arguments.contains_key(*name)) {
        findings.error("note", entry, format!("note on `{name}`, which is not an argument of the label"));
    }
    for (name, _) in entry.sample.acceptable.iter().filter(|(name, _)| !call.arguments.contains_key(*name)) {
        findings.error("note", entry, format!("acceptable values for `{name}`, which is not an argument of the label"));
    }
}

/// Every value stands in the text that gives it; a hidden one stands in the external text and not in the words.
pub fn values(context: &Context, entry: &Entry, findings: &mut Findings) {
    let Some(tool) = entry.tool().filter(|_| entry.has_past()) else { return };
    for name in entry.fresh().into_iter().filter(|name| tool.parameters.properties.contains_key(*name)) {
        let Some(value) = entry.call().and_then(|call| call.arguments.get(name)) else { continue };
        let note = entry.sample.arguments.get(name);
        if note.is_some_and(is_not_said) {
            continue;
        }
        let fault = value_fault(context, entry, tool, name, value);
        findings.tally("values stand in their text", fault.is_none());
        if let Some((rule, message)) = fault {
            // The layout of the authors does not say how people say flags and listed values.
            let is_known = rule != "value" || !is_worded(tool, name, value);
            let put = if is_known { Findings::error } else { Findings::warning };
            put(findings, rule, entry, message);
        } else if let Some(surface) = note.and_then(|note| note.surface.as_deref()) {
            stale_surface(entry, name, surface, findings);
        }
    }
    something_is_hidden(context, entry, tool, findings);
}

fn value_fault(
    context: &Context,
    entry: &Entry,
    tool: &Tool,
    name: &str,
    value: &Value,
) -> Option<(&'static str, String)> {
    let said = entry.said();
    let words = told_words(entry, name);
    let is_told = |text: &str| words.as_ref().is_some_and(|words| words.iter().all(|words| text.contains(words)));
    let stands = |text: &str| context.ground.says(tool, name, value, text).is_some() || is_told(text);
    let shown = serde_json::to_string(value).unwrap_or_default();
    let hidden = said.external.is_some() && (entry.hidden() == Some(name) || entry.sample.snapshot.is_some());
    match said.external {
        Some(external) if hidden => match (stands(external), stands(said.words)) {
            (false, _) => Some(("value", format!("the external text does not say {name} = {shown}"))),
            (true, true) => Some(("hidden", format!("the request contains {name} = {shown}, which should be hidden"))),
            (true, false) => None,
        },
        // Where nothing says which value is hidden, either text may give it.
        Some(external) if entry.hidden().is_none() && stands(external) => None,
        _ if stands(said.words) => None,
        _ => Some(("value", format!("the text does not say {name} = {shown}"))),
    }
}

/// The words that say a value whose form is another one, as a writer told them and the gates and readers found them: labels
/// of a language model obey their schemas, and its texts say days, hours and listed values as people do.
fn told_words<'e>(entry: &'e Entry, name: &str) -> Option<Vec<&'e str>> {
    let surface = entry.sample.arguments.get(name)?.surface.as_deref().filter(|surface| !surface.is_empty())?;
    entry
        .sample
        .is_written_by_model()
        .then(|| if entry.said().words.contains(surface) { vec![surface] } else { surface.split(", ").collect() })
}

/// External text is there for a value that the words do not say.
fn something_is_hidden(context: &Context, entry: &Entry, tool: &Tool, findings: &mut Findings) {
    let said = entry.said();
    let (Some(external), Some(call)) = (said.external, entry.call()) else { return };
    if entry.hidden().is_some() || entry.sample.snapshot.is_some() {
        return;
    }
    let hidden = call.arguments.iter().any(|(name, value)| {
        let stands = |text: &str| context.ground.says(tool, name, value, text).is_some();
        stands(external) && !stands(said.words)
    });
    if !hidden {
        findings.error("hidden", entry, "no value is given by the external text only");
    }
}

/// Whether the value comes from elsewhere than the text.
fn is_not_said(note: &Argument) -> bool {
    matches!(note.origin, Origin::Inferred | Origin::Answer { .. } | Origin::Default)
}

/// Whether people may say the value in words that nobody lists: a flag, or one of the values that a description names.
fn is_worded(tool: &Tool, name: &str, value: &Value) -> bool {
    let parameter = tool.parameters.properties.get(name);
    let described = parameter.and_then(|parameter| parameter.description.as_deref()).unwrap_or_default();
    let is_open = parameter.is_some_and(|parameter| parameter.values.is_none()) && !tool.wordings.contains_key(name);
    is_open && (value.as_bool().is_some() || value.as_str().is_some_and(|text| described.contains(text)))
}

/// A note's surface is what the text says; several leaves are parted by commas.
fn stale_surface(entry: &Entry, name: &str, surface: &str, findings: &mut Findings) {
    let said = entry.said();
    let stands = |words: &str| said.words.contains(words) || said.external.is_some_and(|text| text.contains(words));
    if !stands(surface) && !surface.split(", ").all(stands) {
        findings.error("note", entry, format!("noted words `{surface}` for `{name}` do not occur in the text"));
    }
}

/// The conversation at hand, and hashes of the last labels of base conversations.
#[derive(Default)]
pub struct Turns {
    /// Turns of the conversation at hand that give several values.
    merged: usize,
    /// The question that must come again.
    question: Option<String>,
    ends: BTreeMap<u64, u64>,
}

/// How many parameters a turn adds, and how many values it changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    added: usize,
    changed: usize,
    lost: usize,
}

impl Rule for Turns {
    fn see(&mut self, _: &Context, entry: &Entry, findings: &mut Findings) {
        let Some(snapshot) = &entry.sample.snapshot else { return };
        if !entry.has_past() {
            let message = format!("turn {} does not follow turn {}", snapshot.turn, snapshot.turn.saturating_sub(1));
            findings.warning("apart", entry, message);
            return;
        }
        if snapshot.turn == 1 {
            (self.merged, self.question) = (0, None);
        }
        if let (Some(before), Some(call)) = (&entry.before, entry.call()) {
            self.step(entry, Step::between(before, &call.arguments), findings);
        }
        self.question_comes_again(entry, findings);
        if entry.is_last() {
            self.end_of_conversation(entry, findings);
        }
    }
}

impl Turns {
    fn step(&mut self, entry: &Entry, step: Step, findings: &mut Findings) {
        if step.lost > 0 {
            findings.error("cumulative", entry, "the label lost a parameter of an earlier turn");
            return;
        }
        self.merged += usize::from(step.added > 1);
        let marked = entry.is_marked();
        let (sound, expected) = match (entry.sample.data_type.0.as_str(), marked) {
            ("Based" | "mQsA" | "IS" | "External", _) | ("SO_case1" | "SO_case2" | "mSv", false) => {
                (step.added == 1 && step.changed == 0, "one added parameter and no changed value")
            }
            ("mQmA" | "sQmA", _) => (step.added >= 1 && step.changed == 0, "added parameters and no changed value"),
            // The value that is taken back may be the one just given.
            ("SO_case1", true) => (step.added == 1 && step.changed <= 1, "one added parameter and one changed value"),
            ("SO_case2" | "mSv", true) => (step.added == 0 && step.changed == 1, "one changed value"),
            _ => return,
        };
        // Whoever is asked for what may be left open may have no answer; the built-in model always has one.
        let is_open = !marked && entry.sample.is_written_by_model() && step.added == 0 && step.changed == 0;
        if !sound && !is_open {
            let Step { added, changed, .. } = step;
            let message = format!("{added} parameters added and {changed} values changed; expected {expected}");
            findings.error("growth", entry, message);
        }
    }

    /// After a value is taken back in place of an answer, the same question is asked again.
    fn question_comes_again(&mut self, entry: &Entry, findings: &mut Findings) {
        let asked = asked(entry);
        if let Some(question) = self.question.take() {
            // A template repeats the question; a model that asks again may take note of the change.
            if asked != Some(question.as_str()) && !entry.sample.is_written_by_model() {
                findings.error("question_again", entry, format!("expected the repeated question `{question}`"));
            }
        }
        if entry.sample.data_type.0 == "SO_case2" && entry.is_marked() {
            self.question = asked.map(str::to_owned);
        }
    }

    fn end_of_conversation(&mut self, entry: &Entry, findings: &mut Findings) {
        let (Some(snapshot), Some(call)) = (&entry.sample.snapshot, entry.call()) else { return };
        let data_type = entry.sample.data_type.0.as_str();
        let end = hash(&[&sorted(&call.arguments)]);
        match (data_type, &entry.sample.base) {
            ("Based", _) => {
                self.ends.insert(hash(&[snapshot.conversation.as_str()]), end);
            }
            ("mQmA" | "mQsA" | "sQmA", Some(base))
                if self.ends.get(&hash(&[base.as_str()])).is_some_and(|known| *known != end) =>
            {
                findings.error("end", entry, format!("the last label differs from that of its base `{base}`"));
            }
            _ => {}
        }
        if matches!(data_type, "mQmA" | "sQmA") && self.merged != 1 {
            let message = format!("{} turns with several values; expected one", self.merged);
            findings.error("growth", entry, message);
        }
    }
}

impl Step {
    fn between(before: &Object, after: &Object) -> Self {
        let changed = |(name, value): (&String, _)| before.get(name).is_some_and(|known| known != value);
        Self {
            added: after.keys().filter(|name| !before.contains_key(*name)).count(),
            changed: after.iter().filter(|pair| changed(*pair)).count(),
            lost: before.keys().filter(|name| !after.contains_key(*name)).count(),
        }
    }
}

/// What the assistant said last.
fn asked(entry: &Entry) -> Option<&str> {
    let said = entry.sample.messages.iter().rev().find(|message| message.role == Role::Assistant);
    said.and_then(|message| message.content.as_deref())
}

fn sorted(arguments: &Object) -> String {
    let arguments: BTreeMap<_, _> = arguments.iter().collect();
    serde_json::to_string(&arguments).unwrap_or_default()
}

/// The conversation at hand.
#[derive(Default)]
pub struct Markers {
    marked: usize,
}

impl Rule for Markers {
    fn see(&mut self, context: &Context, entry: &Entry, findings: &mut Findings) {
        external_text(entry, findings);
        if entry.sample.snapshot.is_none() || !entry.has_past() {
            return;
        }
        if entry.turn() == 1 {
            self.marked = 0;
        }
        self.marked += usize::from(entry.is_marked());
        if entry.is_last() {
            self.conversation(context, entry, findings);
        }
    }
}

impl Markers {
    fn conversation(&self, context: &Context, entry: &Entry, findings: &mut Findings) {
        let (fewest, most) = match entry.sample.data_type.0.as_str() {
            "SO_case1" | "SO_case2" | "mSv" | "IS" => (1, 1),
            "External" => (1, usize::MAX),
            // The authors list the marked turns of three data types alone.
            "mQmA" | "sQmA" if !context.is_authors => (1, 1),
            "Based" => (0, 0),
            _ => return,
        };
        if (fewest..=most).contains(&self.marked) {
            return;
        }
        let expected = if most == usize::MAX { "at least 1".to_owned() } else { most.to_string() };
        findings.error("marked", entry, format!("{} marked turns; expected {expected}", self.marked));
    }
}

/// External text stands in the data types that are named for it, in marked turns.
fn external_text(entry: &Entry, findings: &mut Findings) {
    let there = entry.said().external.is_some();
    let wanted = match entry.sample.data_type.0.as_str() {
        "ST_External" | "ir_ST_External" => true,
        "External" => entry.is_marked(),
        _ => false,
    };
    match (there, wanted) {
        (false, true) => {
            findings.error("external", entry, "no external text in the turn; expected `EK:` and the text");
        }
        (true, false) => findings.error("external", entry, "unexpected external text in the turn"),
        _ => {}
    }
}

/// Conversations so far as hashes, one for each. Texts are kept for as long as samples of their group come; in the
/// authors' files a group's samples do not stand together, and all texts are kept.
pub struct Duplicates {
    seen: BTreeSet<u64>,
    rouge: RougeL,
    threshold: f64,
    pools: BTreeMap<(String, String), Pool>,
    group: String,
}

struct Pool {
    texts: NearDuplicates,
    ids: Vec<String>,
}

impl Duplicates {
    pub fn new(ground: &Ground) -> Self {
        Self {
            seen: BTreeSet::new(),
            rouge: ground.language.rouge_l(),
            threshold: ground.language.rouge.near_duplicate_rouge_l,
            pools: BTreeMap::new(),
            group: String::new(),
        }
    }
}

impl Rule for Duplicates {
    fn see(&mut self, context: &Context, entry: &Entry, findings: &mut Findings) {
        if !entry.is_last() {
            return;
        }
        let (data_type, tool) = (&entry.sample.data_type.0, tool_of(entry));
        let text = history(&entry.sample.messages);
        let label = match entry.label() {
            Some(call) => serde_json::to_string(call),
            None => serde_json::to_string(&entry.sample.expected),
        };
        let label = label.unwrap_or_default();
        if !self.seen.insert(hash(&[data_type, tool, &text, &label])) {
            findings.error("duplicate", entry, format!("duplicate of another {data_type} sample"));
        }
        // Variants are alike by design; what they are variants of is looked at.
        if data_type.starts_with("ST_") || data_type == "Based" {
            self.near(context, entry, &text, findings);
        }
    }
}

impl Duplicates {
    fn near(&mut self, context: &Context, entry: &Entry, text: &str, findings: &mut Findings) {
        let (data_type, group) = (&entry.sample.data_type.0, &entry.sample.group);
        if !context.is_authors && self.group != *group {
            self.pools.clear();
            self.group.clone_from(group);
        }
        let new = || Pool { texts: NearDuplicates::new(self.rouge.clone()), ids: Vec::new() };
        let pool = self.pools.entry((data_type.clone(), tool_of(entry).to_owned())).or_insert_with(new);
        let alike = pool.texts.insert_if_new(text, self.threshold).err();
        findings.tally("queries and conversations are new", alike.is_none());
        match alike.and_then(|at| pool.ids.get(at)) {
            Some(id) => findings.warning("near_duplicate", entry, format!("too similar to `{id}`")),
            None => pool.ids.push(entry.sample.id.to_string()),
        }
    }
}

/// The tool that the sample is about.
fn tool_of(entry: &Entry) -> &str {
    let shown = entry.sample.snapshot.as_ref().map(|snapshot| snapshot.tool.as_str());
    entry.label().map(|call| call.name.as_str()).or(shown).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{context, findings, found, found_in};
    use crate::lint::testing::{entry, said, sample, snapshots};

    mod bases {
        use super::*;
        use crate::record::Expected;

        fn twin(id: &str, base: &str) -> Entry {
            let mut twin = sample(id, "ir_ST_Perfect");
            let Expected::Call(call) = std::mem::replace(&mut twin.expected, Expected::Refusal) else {
                panic!("no call")
            };
            (twin.label, twin.base) = (Some(call), Some(ItemId::root(base)));
            entry(twin)
        }

        #[test]
        fn a_twin_repeats_its_base_wherever_that_stands() {
            let base = entry(sample("a", "ST_Perfect"));
            assert_eq!(found(Bases::default(), &[twin("t", "a"), base.clone()]), Vec::<String>::new());
            let mut other = twin("t", "a");
            other.sample.messages[0].content = Some("something else".to_owned());
            let found = found(Bases::default(), &[base, other]);
            assert_eq!(found, ["twin: differs from its base `a` in text or label"]);
        }

        #[test]
        fn a_base_that_is_not_there_is_named() {
            assert_eq!(found(Bases::default(), &[twin("t", "x")]), ["base: base `x` is not in the benchmark"]);
        }

        #[test]
        fn a_conversation_varies_another() {
            let mut variant = snapshots("v/0", "mQmA", &["{}", "{}"]);
            for entry in &mut variant {
                entry.sample.base = Some(ItemId::root("b/0"));
            }
            let base = snapshots("b/0", "Based", &["{}"]);
            assert_eq!(found(Bases::default(), &[&variant[..], &base[..]].concat()), Vec::<String>::new());
            assert_eq!(found(Bases::default(), &variant).len(), 1, "once for a conversation");
        }
    }

    mod labels {
        use super::*;
        use crate::record::Argument;

        #[test]
        fn names_and_types_are_those_of_the_tool() {
            let cases = [
                (r#"{"when": "noon"}"#, "parameter: `A.B.book` has no parameter `when`; it has to, seats, class"),
                (r#"{"seats": "two"}"#, "type: seats = \"two\" is no integer"),
                (r#"{"class": "third"}"#, "type: class = \"third\" is not listed"),
                (r#"{"to": ""}"#, "type: to = \"\" is no string"),
            ];
            for (arguments, finding) in cases {
                assert_eq!(found(labels, &[entry(said("a", "ST_Perfect", "x", arguments))]), [finding]);
            }
            assert_eq!(found(labels, &[entry(sample("a", "ST_Perfect"))]), Vec::<String>::new());
        }

        #[test]
        fn notes_belong_to_given_arguments() {
            let mut noted = sample("a", "ST_Perfect");
            noted.arguments.insert("class".to_owned(), Argument::default());
            noted.acceptable.insert("when".to_owned(), Vec::new());
            assert_eq!(found(labels, &[entry(noted)]).len(), 2);
        }
    }

    mod values {
        use super::*;

        fn of(entries: &[Entry]) -> Vec<String> {
            found(values, entries)
        }

        fn external(words: &str, hidden: Option<&str>) -> Entry {
            let mut sample = said("a", "ST_External", words, r#"{"to": "Porto", "seats": 2}"#);
            sample.tags.extend(hidden.map(|name| format!("hidden:{name}")));
            entry(sample)
        }

        #[test]
        fn a_value_that_nobody_says_is_found() {
            let silent = said("a", "ST_Perfect", "two seats, please", r#"{"to": "Porto", "seats": 2}"#);
            assert_eq!(of(&[entry(silent)]), [r#"value: the text does not say to = "Porto""#]);
            assert_eq!(of(&[entry(sample("a", "ST_Perfect"))]), Vec::<String>::new());
        }

        #[test]
        fn a_writers_words_say_a_value_of_another_form() {
            let told = |surface: &str, time: Option<&str>| {
                let arguments = r#"{"to": "Porto", "seats": 2, "class": "first"}"#;
                let mut sample = said("a", "ST_Perfect", "2 seats up front to Porto", arguments);
                let surface = Some(surface.to_owned());
                sample
                    .arguments
                    .insert("class".to_owned(), Argument { surface, origin: Origin::Enum, ..Argument::default() });
                sample.reference_time = time.map(str::to_owned);
                of(&[entry(sample)])
            };
            let (time, fault) = (Some("2026-03-02T09:30:00Z"), [r#"value: the text does not say class = "first""#]);
            assert_eq!(told("up front", time), Vec::<String>::new());
            assert_eq!(told("up, front", time), Vec::<String>::new(), "the words of a list's elements stand apart");
            assert_eq!(told("at the back", time), fault);
            assert_eq!(told("up front", None), fault, "letter by letter");
        }

        #[test]
        fn what_is_inferred_need_not_be_said() {
            let mut inferred = said("a", "ST_Perfect", "seats to Porto", r#"{"to": "Porto", "seats": 2}"#);
            inferred
                .arguments
                .insert("seats".to_owned(), Argument { surface: None, origin: Origin::Default, ..Argument::default() });
            assert_eq!(of(&[entry(inferred)]), Vec::<String>::new());
        }

        #[test]
        fn a_turn_says_what_it_gives_and_need_not_repeat_the_rest() {
            let mut turns = snapshots("b/0", "Based", &[r#"{"to": "Porto"}"#, r#"{"to": "Porto", "seats": 2}"#]);
            let last = turns[1].sample.messages.last_mut().unwrap();
            last.content = Some("just two".to_owned());
            assert_eq!(of(&turns), Vec::<String>::new());
            turns[1].sample.messages.last_mut().unwrap().content = Some("three".to_owned());
            assert_eq!(of(&turns), ["value: the text does not say seats = 2"]);
        }

        #[test]
        fn a_hidden_value_stands_elsewhere_alone() {
            let sound = "EK:The fair is in Porto.\nquery:2 seats to the place in the note";
            assert_eq!(of(&[external(sound, Some("to")), external(sound, None)]), Vec::<String>::new());
            let told = "EK:The fair is in Porto.\nquery:2 seats to Porto as in the note";
            assert_eq!(
                of(&[external(told, Some("to"))]),
                [r#"hidden: the request contains to = "Porto", which should be hidden"#]
            );
            assert_eq!(of(&[external(told, None)]), ["hidden: no value is given by the external text only"]);
            let missing = "EK:The fair is far.\nquery:2 seats to the place in the note";
            assert_eq!(of(&[external(missing, Some("to"))]), [r#"value: the external text does not say to = "Porto""#]);
        }

        #[test]
        fn what_nobody_can_tell_is_no_error() {
            let mut sample = said("a", "ST_Perfect", "on my face", r#"{"to": "front", "seats": 2}"#);
            let tool = std::sync::Arc::make_mut(&mut sample.candidates[1]);
            tool.parameters.properties["to"].description = Some("Which camera (front, back)".to_owned());
            let findings = findings(&context("en", false), values, &[entry(sample)]);
            let found: Vec<_> = findings.rules().map(|(rule, severity, count, _)| (rule, severity, count)).collect();
            assert_eq!(found, [("value", Severity::Warning, 1), ("value", Severity::Error, 1)]);
        }

        #[test]
        fn a_surface_is_a_piece_of_the_text() {
            let mut noted = sample("a", "ST_Perfect");
            let surface = Some("Lisbon".to_owned());
            noted
                .arguments
                .insert("to".to_owned(), Argument { surface, origin: Origin::Verbatim, ..Argument::default() });
            assert_eq!(of(&[entry(noted)]), ["note: noted words `Lisbon` for `to` do not occur in the text"]);
        }
    }

    mod turns {
        use super::*;
        use crate::record::ItemId;

        const NONE: &str = "{}";
        const TO: &str = r#"{"to": "Porto"}"#;
        const OTHER: &str = r#"{"to": "Lyon"}"#;
        const BOTH: &str = r#"{"to": "Porto", "seats": 2}"#;
        const BOTH_OTHER: &str = r#"{"to": "Lyon", "seats": 2}"#;

        /// What is found of a conversation whose turns, from 0, are marked.
        fn of(data_type: &str, labels: &[&str], marked: &[usize]) -> Vec<String> {
            let mut entries = snapshots("c/0", data_type, labels);
            for at in marked {
                entries[*at].sample.snapshot.as_mut().unwrap().marked = Some(true);
            }
            found(Turns::default(), &entries)
        }

        #[test]
        fn sound_growth_is_left_alone() {
            let sound: [(&str, &[&str], &[usize]); 7] = [
                ("Based", &[NONE, TO, BOTH], &[]),
                ("mQsA", &[NONE, TO, BOTH], &[]),
                ("mQmA", &[NONE, BOTH], &[1]),
                ("SO_case1", &[TO, BOTH_OTHER], &[1]),
                ("mSv", &[NONE, TO, OTHER], &[2]),
                ("anything", &[NONE, TO, TO], &[]),
                ("IS", &[NONE, TO], &[]),
            ];
            for (data_type, labels, marked) in sound {
                assert_eq!(of(data_type, labels, marked), Vec::<String>::new(), "{data_type}");
            }
        }

        #[test]
        fn a_person_may_have_no_answer_where_a_model_writes() {
            let mut entries = snapshots("c/0", "Based", &[NONE, TO, TO]);
            assert_eq!(found(Turns::default(), &entries).len(), 1);
            for entry in &mut entries {
                entry.sample.reference_time = Some("2026-03-02T09:30:00Z".to_owned());
            }
            assert_eq!(found(Turns::default(), &entries), Vec::<String>::new());
        }

        #[test]
        fn unsound_growth_is_told() {
            let faulty: [(&str, &[&str], &[usize], &str); 6] = [
                ("Based", &[TO, NONE], &[], "cumulative"),
                ("Based", &[NONE, BOTH], &[], "growth"),
                ("Based", &[TO, BOTH_OTHER], &[], "growth"),
                ("mQmA", &[NONE, TO, BOTH], &[], "growth: 0 turns with several values; expected one"),
                ("mSv", &[NONE, TO, TO], &[2], "growth"),
                ("SO_case2", &[NONE, TO, BOTH], &[2], "growth"),
            ];
            for (data_type, labels, marked, finding) in faulty {
                let found = of(data_type, labels, marked);
                assert!(found.len() == 1 && found[0].starts_with(finding), "{data_type}: {found:?}");
            }
        }

        #[test]
        fn a_question_that_was_put_off_comes_again() {
            let mut entries = snapshots("c/0", "SO_case2", &[NONE, TO, OTHER, BOTH_OTHER]);
            entries[2].sample.snapshot.as_mut().unwrap().marked = Some(true);
            assert_eq!(
                found(Turns::default(), &entries),
                ["question_again: expected the repeated question `What else, 2?`"]
            );
            entries[3].sample.messages[5].content = Some("What else, 2?".to_owned());
            assert_eq!(found(Turns::default(), &entries), Vec::<String>::new());
        }

        #[test]
        fn what_is_merged_ends_like_its_base() {
            let mut entries = snapshots("b/0", "Based", &[NONE, TO, BOTH]);
            let mut merged = snapshots("m/0", "mQmA", &[NONE, BOTH_OTHER]);
            for entry in &mut merged {
                entry.sample.base = Some(ItemId::root("b/0"));
            }
            entries.extend(merged);
            assert_eq!(found(Turns::default(), &entries), ["end: the last label differs from that of its base `b/0`"]);
        }

        #[test]
        fn a_turn_that_stands_apart_is_said_to() {
            let entries = snapshots("c/0", "Based", &[NONE, TO]);
            let mut apart = entries[1].clone();
            apart.before = None;
            assert_eq!(found(Turns::default(), &[apart]), ["apart: turn 2 does not follow turn 1"]);
        }
    }

    mod markers {
        use super::*;

        fn of(data_type: &str, marked: &[usize], is_authors: bool) -> Vec<String> {
            let mut entries = snapshots("c/0", data_type, &["{}", "{}", "{}"]);
            for at in marked {
                let sample = &mut entries[*at].sample;
                sample.snapshot.as_mut().unwrap().marked = Some(true);
                if data_type == "External" {
                    sample.messages.last_mut().unwrap().content = Some("as in the note<EK>:Noon.".to_owned());
                }
            }
            found_in(&context("en", is_authors), Markers::default(), &entries)
        }

        #[test]
        fn a_transformation_sits_in_a_turn() {
            assert_eq!(of("SO_case1", &[], false), ["marked: 0 marked turns; expected 1"]);
            assert_eq!(of("mSv", &[1, 2], false), ["marked: 2 marked turns; expected 1"]);
            assert_eq!(of("External", &[], true), ["marked: 0 marked turns; expected at least 1"]);
            assert_eq!(of("Based", &[1], false), ["marked: 1 marked turns; expected 0"]);
            assert_eq!(of("mQmA", &[], false), ["marked: 0 marked turns; expected 1"]);
            for (data_type, marked, is_authors) in
                [("SO_case2", &[2][..], false), ("External", &[1, 2], false), ("mQmA", &[], true), ("mQsA", &[], false)]
            {
                assert_eq!(of(data_type, marked, is_authors), Vec::<String>::new(), "{data_type}");
            }
        }

        #[test]
        fn external_text_stands_where_it_belongs() {
            let with = "EK:Noon.\nquery:at the time in the note";
            assert_eq!(found(Markers::default(), &[entry(said("a", "ST_External", with, "{}"))]), Vec::<String>::new());
            let strange = [entry(sample("a", "ST_External")), entry(said("b", "ST_Perfect", with, "{}"))];
            let found = found(Markers::default(), &strange);
            assert!(
                found[0].contains("no external text") && found[1].contains("unexpected external text"),
                "{found:?}"
            );
        }
    }

    mod duplicates {
        use super::*;

        fn told(is_authors: bool, entries: &[Entry]) -> Vec<String> {
            let context = context("en", is_authors);
            found_in(&context, Duplicates::new(&context.ground), entries)
        }

        fn of(texts: &[(&str, &str)]) -> Vec<String> {
            let entries = texts.iter().enumerate().map(|(index, (group, words))| {
                let mut sample = said(&format!("s{index}"), "ST_Perfect", words, "{}");
                (*group).clone_into(&mut sample.group);
                entry(sample)
            });
            let entries: Vec<Entry> = entries.collect();
            told(false, &entries)
        }

        #[test]
        fn what_comes_again_is_found_within_a_tool() {
            let same = "please get me a seat on the next train to Porto right now";
            let near = "please get me a seat on the next train to Porto right away";
            assert_eq!(of(&[("a", same), ("a", near)]), ["near_duplicate: too similar to `s0`"]);
            assert_eq!(
                of(&[("a", same), ("a", same)]),
                ["duplicate: duplicate of another ST_Perfect sample", "near_duplicate: too similar to `s0`"]
            );
            assert_eq!(of(&[("a", same), ("b", near)]), Vec::<String>::new());
        }

        #[test]
        fn a_conversation_is_one_thing() {
            let entries = snapshots("b/0", "Based", &["{}", r#"{"to": "Porto"}"#]);
            assert_eq!(told(true, &entries), Vec::<String>::new());
            let twice = [&entries[..], &entries[..]].concat();
            let found = told(true, &twice);
            assert_eq!(found.len(), 2, "{found:?}");
        }
    }
}
