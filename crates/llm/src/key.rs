//! What makes two questions the same question.
//!
//! Left out is what cannot change the answer: timeouts, limits, retries, prices. The draw index is in, and so are the
//! ordinals of the item where something new is wanted, because draws of one prompt would otherwise be one draw.

use super::config::{ModelConfig, ProviderKind, StructuredOutput};
use super::request::Request;
use super::tasks::Task;
use serde_json::{Value, json};

/// The journal's key of a question to one endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key([u8; 32]);

impl Key {
    /// The key of a question to the model that `config` describes.
    pub(super) fn new(config: &ModelConfig, request: &Request) -> Self {
        let mut text = String::new();
        write_list([0, 1], &mut text, ['[', ']'], |part, text| match (part, config.provider) {
            (0, _) => write_canonical(&json!([config.provider, config.model, config.endpoint_name()]), text),
            (_, ProviderKind::Grammar) => write_canonical(&built_in_question(config, request), text),
            (_, ProviderKind::Openai | ProviderKind::Scripted) => write_question(request, Some(config), text),
        });
        Self::of(&text)
    }

    /// The key of the bare question, whoever is asked: recorded replies are found by it.
    pub(super) fn of_question(request: &Request) -> Self {
        let mut text = String::new();
        write_question(request, None, &mut text);
        Self::of(&text)
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

    fn of(text: &str) -> Self {
        Self(*blake3::hash(text.as_bytes()).as_bytes())
    }
}

/// Writes the question as JSON, with its keys in order. It is done twice for each question, so that nothing large is
/// copied before.
fn write_question(request: &Request, config: Option<&ModelConfig>, text: &mut String) {
    let mut sign = '{';
    let mut write = |name: &str, value: Part<'_>| {
        text.push(sign);
        sign = ',';
        write_text(name, text);
        text.push(':');
        value.write(text);
    };
    let format = request.schema.as_deref().filter(|_| config.is_none_or(asks_for_format));
    write("draw", Part::Own(json!(request.draw)));
    write("format", format.map_or(Part::NOTHING, Part::Value));
    if !request.history.is_empty() {
        write("history", Part::Own(json!(request.history)));
    }
    write("ordinals", Part::Own(json!(request.ordinals())));
    write("place", Part::Own(place(request)));
    let sampling = config.map(|config| json!([config.top_p, config.max_tokens, config.seed, config.extra_body]));
    write("sampling", Part::Own(json!(sampling)));
    write("system", request.system.as_deref().map_or(Part::NOTHING, Part::Text));
    // The vector of a text is another thing than a reply to it.
    if request.task == Task::Embed {
        write("task", Part::Own(json!(request.task.folder())));
    }
    let temperature = request.temperature.or(config.and_then(|config| config.temperature));
    write("temperature", Part::Own(json!(temperature)));
    let tools = request.tools.iter().map(|tool| json!([tool.name, tool.description, tool.parameters]));
    write("tools", Part::Own(tools.collect()));
    write("user", Part::Text(&request.user));
    text.push('}');
}

/// Without a text, as for the built-in model, place and variables are the question.
fn place(request: &Request) -> Value {
    let says_nothing = request.user.is_empty() && request.history.is_empty();
    let place = says_nothing.then(|| json!([request.task.folder(), request.stage, request.item, request.variables]));
    place.unwrap_or_default()
}

/// A part of a question.
enum Part<'a> {
    Text(&'a str),
    Value(&'a Value),
    Own(Value),
}

impl Part<'_> {
    const NOTHING: Self = Self::Own(Value::Null);

    fn write(&self, text: &mut String) {
        match self {
            Self::Text(part) => write_text(part, text),
            Self::Value(value) => write_canonical(value, text),
            Self::Own(value) => write_canonical(value, text),
        }
    }
}

/// The built-in model reads no text: it is asked by task, variables and place.
fn built_in_question(config: &ModelConfig, request: &Request) -> Value {
    json!([request.task.folder(), request.stage, request.item, request.draw, request.variables, config.defect_rate])
}

fn asks_for_format(config: &ModelConfig) -> bool {
    config.structured_output != StructuredOutput::None
}

/// Writes the value as JSON. The order of keys in an object says nothing; they are sorted.
fn write_canonical(value: &Value, text: &mut String) {
    match value {
        Value::Array(list) => write_list(list, text, ['[', ']'], write_canonical),
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            write_list(entries, text, ['{', '}'], |(key, value), text| {
                write_text(key, text);
                text.push(':');
                write_canonical(value, text);
            });
        }
        Value::String(string) => write_text(string, text),
        other => text.push_str(&other.to_string()),
    }
}

fn write_list<T>(
    list: impl IntoIterator<Item = T>,
    text: &mut String,
    ends: [char; 2],
    write: impl Fn(T, &mut String),
) {
    text.push(ends[0]);
    for (at, part) in list.into_iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        write(part, text);
    }
    text.push(ends[1]);
}

/// A text that needs no escapes, as most do, is written as it is.
fn write_text(string: &str, text: &mut String) {
    if string.bytes().all(|byte| byte >= 0x20 && !matches!(byte, b'"' | b'\\')) {
        text.push('"');
        text.push_str(string);
        text.push('"');
    } else {
        text.push_str(&Value::from(string).to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TextDuration;
    use crate::tasks::Task;
    use crate::testing::request;
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

    /// The question as a value: what older versions took the key of.
    fn question(request: &Request, config: Option<&ModelConfig>) -> Value {
        let format = request.schema.as_deref().filter(|_| config.is_none_or(asks_for_format));
        let tools: Vec<Value> =
            request.tools.iter().map(|tool| json!([tool.name, tool.description, tool.parameters])).collect();
        let mut question = json!({
            "place": place(request), "system": request.system, "user": request.user, "tools": tools, "format": format,
            "ordinals": request.ordinals(), "draw": request.draw,
            "temperature": request.temperature.or(config.and_then(|config| config.temperature)),
            "sampling": config.map(|config| json!([config.top_p, config.max_tokens, config.seed, config.extra_body])),
        });
        if !request.history.is_empty() {
            question["history"] = json!(request.history);
        }
        if request.task == Task::Embed {
            question["task"] = json!(request.task);
        }
        question
    }

    /// A fixed question of every task, with the schema of its reply. Another key is a question that is paid for again.
    #[test]
    fn the_key_of_a_question_of_every_task_is_frozen() {
        let recorded = ModelConfig { record: true, ..ModelConfig::default() };
        let line = |task: Task| {
            let asked = Request { task, schema: task.reply_schema(), ..request("a/1/b/2", 3) };
            let keys = [Key::new(&config(), &asked), Key::of_question(&asked), Key::new(&recorded, &asked)];
            format!("{} {}", task.folder(), keys.map(|key| key.to_hex().chars().take(16).collect::<String>()).join(" "))
        };
        let tasks = Task::WITH_PROMPT.iter().copied().chain([Task::Generate, Task::Embed, Task::Score]);
        insta::assert_snapshot!(tasks.map(line).collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn keys_stay_the_same_from_version_to_version() {
        // Else a run would pay again for what an older version has in its journal.
        let base = request("a/1/b/2", 3);
        let asked = [
            base.clone(),
            Request { task: Task::Embed, history: vec![crate::record::Message::user("te\"a")], ..base.clone() },
            Request { system: Some("Be \n brief.".to_owned()), temperature: Some(0.5), ..base.clone() },
            Request { schema: Some(Arc::new(json!({"b": 1, "a": {"d": 1.5, "c": []}}))), ..base.clone() },
            Request { tools: vec![Arc::default()], user: String::new(), ..base },
        ];
        for request in &asked {
            for config in [None, Some(&config()), Some(&ModelConfig { seed: Some(7), top_p: Some(0.9), ..config() })] {
                let (mut text, mut whole) = (String::new(), String::new());
                write_question(request, config, &mut text);
                write_canonical(&question(request, config), &mut whole);
                assert_eq!(text, whole);
            }
        }
    }

    #[test]
    fn a_value_is_written_as_json_with_its_keys_in_order() {
        let value = json!({"b": [1, -2.5, null, true, {}], "a\n": "x\"\\\u{7f}é\u{1}", "a": {"d": [], "c": ""}});
        let mut text = String::new();
        write_canonical(&value, &mut text);
        assert_eq!(
            text,
            r#"{"a":{"c":"","d":[]},"a\n":"x\"\\"#.to_owned() + "\u{7f}é" + r#"\u0001","b":[1,-2.5,null,true,{}]}"#
        );
        // Journals of older versions have keys of what serde writes.
        let read: std::collections::BTreeMap<String, Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }

    #[test]
    fn the_built_in_model_is_asked_by_task_and_variables() {
        let grammar = ModelConfig::default();
        let mut other = request("a", 0);
        other.user.push('!');
        assert_eq!(Key::new(&grammar, &request("a", 0)), Key::new(&grammar, &other));
        other.variables = crate::testing::variables("else");
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
