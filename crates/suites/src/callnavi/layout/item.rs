//! A question as the authors write it, with the calls that it asks for.

use super::folder::{DOMAIN_TAG, DomainFiles, QUESTIONS, bare};
use crate::format::{FileError, LayoutFile, Place, SampleSink};
use crate::record::{
    Argument, ArgumentNotes, Difficulty, Expected, FunctionCall, ItemId, Message, Object, Origin, PLACEHOLDER,
    Provenance, Role, Sample, Step, SuiteId, Tool, Value,
};
use serde::{Deserialize, Deserializer, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One item of `Dataset/Questions/<domain>.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionItem {
    /// Its id.
    #[serde(deserialize_with = "id")]
    pub id: String,
    /// One user turn.
    #[serde(deserialize_with = "turns")]
    pub question: Vec<QuestionTurn>,
    /// What is right.
    pub ground_truth: Gold,
    /// `easy`, `medium` or `hard`.
    pub difficulty: String,
}

/// A turn of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuestionTurn {
    /// Who speaks: always `user`.
    pub role: String,
    /// The words.
    pub content: String,
}

/// The calls that are right, names and arguments apart, in order.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Gold {
    /// Names of the APIs.
    #[serde(rename = "API", deserialize_with = "names")]
    pub api: Vec<String>,
    /// The arguments of each. Six of the authors' questions have none here for their one API.
    #[serde(deserialize_with = "objects")]
    pub parameters: Vec<Object>,
}

/// Before the arguments among a sample's facts where there are not as many as there are calls: a JSON list.
pub const PARAMETERS_FACT: &str = "parameters";

impl QuestionItem {
    /// A sample of a domain in the authors' form; none where the right answer is no call.
    pub fn of(sample: &Sample, domain: &str, id: String) -> Option<Self> {
        let mut ground_truth = Gold::of(sample)?;
        for name in &mut ground_truth.api {
            *name = bare(name, domain).to_owned();
        }
        let question = vec![QuestionTurn { role: "user".to_owned(), content: sample.query() }];
        let named = sample.difficulty.map(|difficulty| word(difficulty).to_owned());
        Some(Self { id, question, ground_truth, difficulty: named.unwrap_or_else(|| sample.data_type.0.clone()) })
    }

    /// The words.
    pub fn text(&self) -> &str {
        self.question.iter().rev().find(|turn| turn.role == "user").map_or("", |turn| &turn.content)
    }
}

impl Gold {
    /// The gold of a sample, names as the sample has them.
    pub fn of(sample: &Sample) -> Option<Self> {
        let calls: Vec<&FunctionCall> = match &sample.expected {
            Expected::Steps(steps) => steps.iter().flat_map(|step| &step.calls).collect(),
            Expected::Call(call) => vec![call],
            _ => return None,
        };
        let stated = sample.provenance.facts.get(PARAMETERS_FACT).and_then(|text| serde_json::from_str(text).ok());
        Some(Self {
            api: calls.iter().map(|call| call.name.clone()).collect(),
            parameters: stated.unwrap_or_else(|| calls.iter().map(|call| call.arguments.clone()).collect()),
        })
    }

    /// The calls; one without arguments of its own has none.
    pub fn calls(&self) -> impl Iterator<Item = FunctionCall> {
        self.api.iter().enumerate().map(|(at, name)| FunctionCall {
            name: name.clone(),
            arguments: self.parameters.get(at).cloned().unwrap_or_default(),
        })
    }

    /// Whether every API has its arguments.
    pub fn is_even(&self) -> bool {
        self.api.len() == self.parameters.len()
    }
}

/// The word for a difficulty.
pub fn word(difficulty: Difficulty) -> &'static str {
    match difficulty {
        Difficulty::Easy => "easy",
        Difficulty::Medium => "medium",
        Difficulty::Hard => "hard",
    }
}

/// The difficulty that a word means.
pub fn difficulty(word: &str) -> Option<Difficulty> {
    [Difficulty::Easy, Difficulty::Medium, Difficulty::Hard].into_iter().find(|known| self::word(*known) == word)
}

/// The role that a word means; whoever is not known asks.
pub(super) fn role(word: &str) -> Role {
    match word {
        "system" => Role::System,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => Role::User,
    }
}

/// Ids are texts; a bare number is one as well.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Ok(text(&Value::deserialize(deserializer)?))
}

/// A list of turns, one turn, or the words alone.
fn turns<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<QuestionTurn>, D::Error> {
    let turn = |value: &Value| {
        let field = |name: &str| value.as_object().and_then(|fields| fields.get(name)).map(text);
        let content = field("content").unwrap_or_else(|| text(value));
        QuestionTurn { role: field("role").unwrap_or_else(|| "user".to_owned()), content }
    };
    Ok(listed(Value::deserialize(deserializer)?).iter().map(turn).collect())
}

/// A list of names, or one name.
fn names<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    Ok(listed(Value::deserialize(deserializer)?).iter().map(text).collect())
}

/// A list of objects, or the object of one call, as the paper prints it.
fn objects<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Object>, D::Error> {
    let object = |value| match value {
        Value::Object(object) => Ok(object),
        other => Err(serde::de::Error::custom(format!("`parameters` holds {}; expected objects", other.type_name()))),
    };
    listed(Value::deserialize(deserializer)?).into_iter().map(object).collect()
}

fn listed(value: Value) -> Vec<Value> {
    match value {
        Value::List(list) => list,
        Value::Null => Vec::new(),
        one => vec![one],
    }
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

// The authors' questions as fcgen's samples.

impl LayoutFile for DomainFiles {
    const SUITE: SuiteId = SuiteId::CallNavi;

    fn path(&self) -> PathBuf {
        self.questions_path()
    }

    fn locale(&self) -> &str {
        &self.locale
    }

    fn in_locale(&self, locale: &str) -> Option<Self> {
        Some(Self { locale: locale.to_owned(), ..self.clone() })
    }

    /// One question and the domain's APIs are held at a time.
    fn read(&self, take: SampleSink<'_>) -> Result<(), FileError> {
        let (tools, path) = (self.tools()?, self.questions_path());
        self.each(&mut |line, item| {
            let sample = item.map(|item| import_item(self, &tools, item));
            take(Self::place(&path, line), sample.map_err(|problem| FileError::line(&path, line, problem)));
        })
    }

    /// A file's name with that of its folder: all three files of a domain have one name.
    fn place(path: &Path, line: usize) -> Place {
        let name = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let folder = path.parent().and_then(name).unwrap_or_else(|| QUESTIONS.to_owned());
        Place { file: format!("{folder}/{}", name(path).unwrap_or_default()).into(), line }
    }
}

/// A question as a sample that shows all tools of its domain.
fn import_item(files: &DomainFiles, tools: &[Arc<Tool>], item: QuestionItem) -> Sample {
    let gold = item.ground_truth;
    let mut provenance = Provenance::default();
    if !gold.is_even() {
        let parameters = serde_json::to_string(&gold.parameters).unwrap_or_default();
        provenance.facts.insert(PARAMETERS_FACT.to_owned(), parameters);
    }
    let turns = item.question.into_iter();
    Sample {
        difficulty: difficulty(&item.difficulty),
        locale: files.locale.clone(),
        messages: turns.map(|turn| Message::new(role(&turn.role), turn.content)).collect(),
        candidates: tools.to_vec(),
        tags: vec![format!("{DOMAIN_TAG}{}", files.domain)],
        group: files.domain.clone(),
        licence: "unknown".to_owned(),
        source: "CallNavi's layout".to_owned(),
        provenance,
        ..Sample::new(
            ItemId::root(item.id),
            SuiteId::CallNavi,
            item.difficulty,
            Expected::Steps(gold.calls().map(step).collect()),
        )
    }
}

fn step(call: FunctionCall) -> Step {
    Step { notes: vec![notes(&call)], calls: vec![call], answers: Vec::new() }
}

/// All that the layout tells: where a value is left open. Whether an earlier answer gives it is not said.
fn notes(call: &FunctionCall) -> ArgumentNotes {
    let open = call.arguments.iter().filter(|(_, value)| value.as_str() == Some(PLACEHOLDER));
    open.map(|(name, _)| (name.clone(), Argument { surface: None, origin: Origin::Open, ..Argument::default() }))
        .collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::fixtures::any_value;
    use proptest::prelude::*;

    fn any_gold() -> impl Strategy<Value = Gold> {
        let object = prop::collection::vec((".{0,5}", any_value(false)), 0..3).prop_map(|it| it.into_iter().collect());
        let lists = (prop::collection::vec(".{0,6}", 0..4), prop::collection::vec(object, 0..4));
        lists.prop_map(|(api, parameters)| Gold { api, parameters })
    }

    /// A question of any kind, whose calls and arguments need not agree.
    pub(in super::super) fn any_item() -> impl Strategy<Value = QuestionItem> {
        (".{1,8}", ".{0,20}", any_gold(), "easy|medium|hard").prop_map(|(id, content, ground_truth, difficulty)| {
            let question = vec![QuestionTurn { role: "user".to_owned(), content }];
            QuestionItem { id, question, ground_truth, difficulty }
        })
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_as_it_was(item in any_item()) {
            let text = serde_json::to_string(&item).unwrap();
            prop_assert_eq!(serde_json::from_str::<QuestionItem>(&text).unwrap(), item);
        }
    }

    fn read(text: &str) -> QuestionItem {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn an_item_is_written_as_the_authors_write_it() {
        let text = r#"{"id":"ban081","question":[{"role":"user","content":"hi"}],"ground_truth":{"API":["a","b"],"parameters":[{"n":1.50},{"x":"$$$"}]},"difficulty":"hard"}"#;
        assert_eq!(serde_json::to_string(&read(text)).unwrap(), text);
    }

    #[test]
    fn other_shapes_are_read_and_become_the_usual_one() {
        let odd = r#"{"id": 7, "question": "hi", "ground_truth": {"API": "a", "parameters": {"n": 1}}, "difficulty": "easy"}"#;
        let even = r#"{"id": "7", "question": [{"role": "user", "content": "hi"}], "ground_truth": {"API": ["a"], "parameters": [{"n": 1}]}, "difficulty": "easy"}"#;
        assert_eq!(read(odd), read(even));
        let one = r#"{"id": "7", "question": {"role": "user", "content": "hi"}, "ground_truth": {"API": ["a"], "parameters": [{"n": 1}]}, "difficulty": "easy"}"#;
        assert_eq!(read(one).text(), "hi");
        let fault = odd.replace(r#"{"n": 1}"#, "[5]");
        let error = serde_json::from_str::<QuestionItem>(&fault).unwrap_err().to_string();
        assert!(error.starts_with("`parameters` holds number; expected objects"), "{error}");
    }

    #[test]
    fn arguments_that_are_not_there_are_none() {
        let gold = Gold { api: vec!["a".to_owned(), "b".to_owned()], parameters: vec![Object::new()] };
        let calls: Vec<FunctionCall> = gold.calls().collect();
        assert_eq!((calls.len(), calls[1].name.as_str(), calls[1].arguments.len()), (2, "b", 0));
        assert!(!gold.is_even());
    }

    #[test]
    fn every_difficulty_has_its_word() {
        for known in [Difficulty::Easy, Difficulty::Medium, Difficulty::Hard] {
            assert_eq!(difficulty(word(known)), Some(known));
            assert_eq!(serde_json::to_value(known).unwrap(), word(known));
        }
        assert_eq!(difficulty("Hard"), None);
    }
}

#[cfg(test)]
mod import_tests {
    use super::super::folder::tests::folder;
    use super::super::item::tests::any_item;
    use super::super::{Gold, domain};
    use super::*;
    use crate::format::{BenchError, samples_of};
    use proptest::prelude::*;

    const APIS: &str = r#"{"api_ports": [
        {"name": "getCard", "parameters": {"cardId": "string"}, "description": "Gets a card", "returnParameter": {"cardId": "string"}},
        {"name": "getLimit", "parameters": {"cardId": "string", "kind": "day/month"}, "description": "Gets a limit", "returnParameter": "Limit"}]}"#;
    const QUESTIONS: &str = r#"[{"id": "ban0101", "question": [{"role": "user", "content": "How much can card 7 still pay?"}],
        "ground_truth": {"API": ["getCard", "getLimit"], "parameters": [{"cardId": "7"}, {"cardId": "$$$", "kind": "day"}]}, "difficulty": "hard"},
        {"id": "ban02", "question": [{"role": "user", "content": "All?"}], "ground_truth": {"API": ["getAll"], "parameters": []}, "difficulty": "easy"}]"#;

    fn samples(questions: &str) -> Result<Vec<Sample>, BenchError> {
        let folder = folder(&[("APIs/bank.json", APIS), ("Questions/bank.json", questions)]);
        samples_of(DomainFiles::below(folder.path()))
    }

    #[test]
    fn a_question_is_a_sample_with_a_step_for_each_call() {
        let sample = samples(QUESTIONS).unwrap().remove(0);
        assert_eq!(
            (sample.id.as_str(), sample.suite.as_str(), sample.data_type.0.as_str()),
            ("ban0101", "callnavi", "hard")
        );
        assert_eq!((sample.query().as_str(), domain(&sample)), ("How much can card 7 still pay?", "bank"));
        let Expected::Steps(steps) = &sample.expected else { panic!("steps") };
        assert_eq!((steps.len(), steps[1].calls[0].arguments["cardId"].as_str()), (2, Some(PLACEHOLDER)));
        assert_eq!((steps[0].notes[0].len(), &steps[1].notes[0]["cardId"].origin), (0, &Origin::Open));
        assert_eq!(steps[1].notes[0].len(), 1);
    }

    #[test]
    fn samples_of_a_domain_share_its_tools() {
        let samples = samples(QUESTIONS).unwrap();
        assert_eq!(samples[0].candidates.len(), 2);
        assert!(Arc::ptr_eq(&samples[0].candidates[1], &samples[1].candidates[1]));
        assert_eq!(samples[0].candidates[1].parameters.properties["kind"].values.as_ref().unwrap().len(), 2);
    }

    #[test]
    fn an_empty_list_of_parameters_is_known_again() {
        let sample = samples(QUESTIONS).unwrap().remove(1);
        let gold = Gold::of(&sample).unwrap();
        assert_eq!((gold.api.len(), gold.parameters.len()), (1, 0));
    }

    #[test]
    fn a_question_that_cannot_be_read_is_told_and_what_came_before_is_kept() {
        let error = samples("[\n{}]").unwrap_err().to_string();
        assert!(error.contains("bank.json`, line 2: missing field `id`"), "{error}");
    }

    proptest! {
        #[test]
        fn a_sample_goes_back_to_the_question_that_it_was(item in any_item()) {
            let folder = folder(&[("APIs/bank.json", APIS), ("Questions/bank.json", "[]")]);
            let files = DomainFiles::below(folder.path()).remove(0);
            let sample = import_item(&files, &[], item.clone());
            let again: Sample = serde_json::from_str(&serde_json::to_string(&sample).unwrap()).unwrap();
            prop_assert_eq!(&again, &sample);
            // A name that bears the domain's is ours, and loses it.
            let mut bare = item;
            bare.ground_truth.api.iter_mut().for_each(|name| *name = super::super::bare(name, "bank").to_owned());
            prop_assert_eq!(QuestionItem::of(&sample, "bank", bare.id.clone()).unwrap(), bare);
        }
    }
}
