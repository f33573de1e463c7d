//! What makes two questions the same question.
//!
//! Left out is what cannot change the answer: timeouts, limits, retries, prices. The draw index is in, and so are the
//! ordinals of the item where something new is wanted, because draws of one prompt would otherwise be one draw.

use super::config::{ModelConfig, ProviderKind, StructuredOutput};
use super::request::{Request, Task};
use serde_json::{Value, json};

/// The journal's key of a question to one endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key([u8; 32]);

impl Key {
    /// The key of a question to the model that `config` describes.
    pub(super) fn new(config: &ModelConfig, request: &Request) -> Self {
        let place = json!([config.provider, config.model, config.endpoint_name()]);
        let question = match config.provider {
            ProviderKind::Grammar => built_in_question(config, request),
            ProviderKind::Openai | ProviderKind::Scripted => question(request, Some(config)),
        };
        Self::of(&json!([place, question]))
    }

    /// The key of the bare question, whoever is asked: recorded replies are found by it.
    pub(super) fn of_question(request: &Request) -> Self {
        Self::of(&question(request, None))
    }

    /// The key's bytes.
    pub(super) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key as hexadecimal digits.
    pub(super) fn to_hex(self) -> String {
        blake3::Hash::from_bytes(self.0).to_hex().to_string()
    }

    /// The key that these hexadecimal digits are.
    pub(super) fn from_hex(text: &str) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }

    /// The key of these bytes.
    pub(super) fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    fn of(value: &Value) -> Self {
        Self(*blake3::hash(canonical(value).to_string().as_bytes()).as_bytes())
    }
}

fn question(request: &Request, config: Option<&ModelConfig>) -> Value {
    let format = request.schema.as_deref().filter(|_| config.is_none_or(asks_for_format));
    let tools: Vec<Value> =
        request.tools.iter().map(|tool| json!([tool.name, tool.description, tool.parameters])).collect();
    // Without a text, as for the built-in model, place and variables are the question.
    let says_nothing = request.user.is_empty() && request.history.is_empty();
    let place = says_nothing.then(|| json!([request.task, request.stage, request.item, request.variables]));
    let mut question = json!({
        "place": place, "system": request.system, "user": request.user, "tools": tools, "format": format,
        "ordinals": request.ordinals(), "draw": request.draw,
        "temperature": request.temperature.or(config.and_then(|config| config.temperature)),
        "sampling": config.map(|config| json!([config.top_p, config.max_tokens, config.seed, config.extra_body])),
    });
    if !request.history.is_empty() {
        question["history"] = json!(request.history);
    }
    // The vector of a text is another thing than a reply to it.
    if request.task == Task::Embed {
        question["task"] = json!(request.task);
    }
    question
}

/// The built-in model reads no text: it is asked by task, variables and place.
fn built_in_question(config: &ModelConfig, request: &Request) -> Value {
    json!([request.task, request.stage, request.item, request.draw, request.variables, config.defect_rate])
}

fn asks_for_format(config: &ModelConfig) -> bool {
    config.structured_output != StructuredOutput::None
}

/// The order of keys in an object says nothing; it is sorted out of the way.
fn canonical(value: &Value) -> Value {
    match value {
        Value::Array(list) => Value::Array(list.iter().map(canonical).collect()),
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().map(|(key, value)| (key.clone(), canonical(value))).collect();
            entries.sort_by(|left, right| left.0.cmp(&right.0));
            Value::Object(entries.into_iter().collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::duration::TextDuration;
    use crate::llm::request::Task;
    use crate::llm::testing::request;
    use std::sync::Arc;

    fn config() -> ModelConfig {
        ModelConfig { provider: ProviderKind::Openai, model: "m".to_owned(), ..ModelConfig::default() }
    }

    #[test]
    fn the_draw_index_separates_equal_prompts() {
        assert_ne!(Key::new(&config(), &request("a", 0)), Key::new(&config(), &request("a", 1)));
        assert_ne!(Key::of_question(&request("a", 0)), Key::of_question(&request("a", 1)));
    }

    #[test]
    fn items_that_are_drawn_with_one_prompt_are_separate_questions_and_judgements_are_shared() {
        let key = |task, item: &str| {
            let user = "Write a query.".to_owned();
            Key::new(&config(), &Request { task, user, ..request(item, 0) })
        };
        assert_ne!(key(Task::WriteQuery, "A.b/s/0"), key(Task::WriteQuery, "A.b/s/1"));
        assert_eq!(key(Task::JudgeCall, "A.b/s/0"), key(Task::JudgeCall, "A.b/s/1"));
    }

    #[test]
    fn the_text_counts_and_the_item_does_not() {
        let mut other = request("a", 0);
        other.item = Arc::from("elsewhere");
        assert_eq!(Key::new(&config(), &request("a", 0)), Key::new(&config(), &other));
        other.user.push('!');
        assert_ne!(Key::new(&config(), &request("a", 0)), Key::new(&config(), &other));
    }

    #[test]
    fn what_was_said_before_counts() {
        let with = |text: &str| {
            let history = vec![crate::record::Message::user(text)];
            Key::new(&config(), &Request { history, ..request("a", 0) })
        };
        assert_eq!(with("tea"), with("tea"));
        assert_ne!(with("tea"), with("coffee"));
        assert_ne!(with("tea"), Key::new(&config(), &request("a", 0)));
    }

    #[test]
    fn what_changes_the_answer_changes_the_key() {
        let base = Key::new(&config(), &request("a", 0));
        let changes: [fn(&mut ModelConfig); 6] = [
            |config| config.model = "n".to_owned(),
            |config| config.base_url = "http://elsewhere/v1".to_owned(),
            |config| config.temperature = Some(0.5),
            |config| config.max_tokens = Some(9),
            |config| config.seed = Some(1),
            |config| drop(config.extra_body.insert("top_k".to_owned(), json!(5))),
        ];
        for change in changes {
            let mut changed = config();
            change(&mut changed);
            assert_ne!(Key::new(&changed, &request("a", 0)), base, "{changed:?}");
        }
    }

    #[test]
    fn what_cannot_change_the_answer_does_not() {
        let patient = ModelConfig { timeout: TextDuration::from_millis(1), retries: 99, concurrency: 1, ..config() };
        assert_eq!(Key::new(&patient, &request("a", 0)), Key::new(&config(), &request("a", 0)));
        let named = ModelConfig { endpoint_id: Some("house".to_owned()), ..config() };
        let moved = ModelConfig { base_url: "http://new/v1".to_owned(), ..named.clone() };
        assert_eq!(Key::new(&named, &request("a", 0)), Key::new(&moved, &request("a", 0)));
    }

    #[test]
    fn the_order_of_keys_in_a_schema_says_nothing() {
        let with = |schema: Value| {
            let mut asked = request("a", 0);
            asked.schema = Some(Arc::new(schema));
            Key::new(&config(), &asked)
        };
        assert_eq!(with(json!({"a": 1, "b": {"c": 2, "d": 3}})), with(json!({"b": {"d": 3, "c": 2}, "a": 1})));
        assert_ne!(with(json!([1, 2])), with(json!([2, 1])));
    }

    #[test]
    fn the_built_in_model_is_asked_by_task_and_variables() {
        let grammar = ModelConfig::default();
        let mut other = request("a", 0);
        other.user.push('!');
        assert_eq!(Key::new(&grammar, &request("a", 0)), Key::new(&grammar, &other));
        other.variables = crate::llm::testing::variables("else");
        assert_ne!(Key::new(&grammar, &request("a", 0)), Key::new(&grammar, &other));
    }

    #[test]
    fn tools_instructions_and_temperature_are_part_of_the_question() {
        let base = request("a", 0);
        let tool = |text: &str| Arc::new(crate::record::Tool { description: text.to_owned(), ..Default::default() });
        let asked = [
            base.clone(),
            Request { system: Some("Be brief.".to_owned()), ..base.clone() },
            Request { tools: vec![tool("Finds.")], ..base.clone() },
            Request { tools: vec![tool("Loses.")], ..base.clone() },
            Request { temperature: Some(0.5), ..base.clone() },
            Request { schema: Some(Arc::new(json!({}))), ..base },
        ];
        let mut keys: Vec<Key> = asked.iter().map(|request| Key::new(&config(), request)).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), asked.len());
    }

    #[test]
    fn a_schema_that_is_not_sent_is_no_part_of_the_question() {
        let bare = ModelConfig { structured_output: StructuredOutput::None, ..config() };
        let asked = Request { schema: Some(Arc::new(json!({}))), ..request("a", 0) };
        assert_eq!(Key::new(&bare, &asked), Key::new(&bare, &request("a", 0)));
    }

    #[test]
    fn a_temperature_is_the_same_wherever_it_is_said() {
        let warm = ModelConfig { temperature: Some(0.5), ..config() };
        let asked = Request { temperature: Some(0.5), ..request("a", 0) };
        assert_eq!(Key::new(&warm, &request("a", 0)), Key::new(&config(), &asked));
    }

    #[test]
    fn a_key_is_written_in_sixty_four_digits() {
        let key = Key::of_question(&request("a", 0));
        assert!(key.to_hex().len() == 64 && key.to_hex().bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_eq!(key.to_hex(), key.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat());
    }
}
