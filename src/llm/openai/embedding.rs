//! Embeddings on the wire: the body of a request, and the vectors in the answer.

use super::completion::{MOST_TOKENS, error_in_disguise, malformed};
use super::error_text::ErrorText;
use crate::llm::config::ModelConfig;
use crate::llm::fault::Fault;
use crate::llm::request::{FinishReason, Reply, Request, Usage};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The body of a request: every message of its history is a text.
pub(super) fn body(config: &ModelConfig, request: &Request) -> Value {
    let texts = request.history.iter().map(|message| message.content.as_deref().unwrap_or_default());
    let fields = [("model", json!(config.model)), ("input", texts.collect())];
    let mut body: Map<String, Value> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    body.extend(config.extra_body.clone());
    Value::Object(body)
}

/// The reply that an answer to `count` texts amounts to: its text is a list of vectors, in the order of the texts.
pub(super) fn read(answer: &[u8], count: usize) -> Result<Reply, Fault> {
    let shown = |error| {
        malformed(&format!("the answer is not the JSON of embeddings ({error}): {}", ErrorText::read(answer).message))
    };
    let answer: Answer = serde_json::from_slice(answer).map_err(shown)?;
    if !answer.error.is_null() {
        return Err(error_in_disguise(&answer.error));
    }
    let usage = usage(&answer.usage);
    let vectors = vectors(answer.data.unwrap_or_default(), count)?;
    let text = serde_json::to_string(&vectors).map_err(|error| malformed(&error.to_string()))?;
    Ok(Reply { text, usage, finish: FinishReason::Stop, ..Reply::default() })
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    data: Option<Vec<Item>>,
    usage: Value,
    error: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Item {
    index: Option<usize>,
    embedding: Value,
}

/// The vectors by their places; who gives no places gives them in order.
fn vectors(items: Vec<Item>, count: usize) -> Result<Vec<Vec<f32>>, Fault> {
    if items.len() != count {
        return Err(malformed(&format!("the answer has {} vectors for {count} texts", items.len())));
    }
    let mut vectors: Vec<Vec<f32>> = vec![Vec::new(); count];
    for (at, item) in items.into_iter().enumerate() {
        let place = vectors.get_mut(item.index.unwrap_or(at)).filter(|place| place.is_empty());
        let place = place.ok_or_else(|| malformed("the places of the vectors are not those of the texts"))?;
        *place = vector(&item.embedding).ok_or_else(|| malformed("a vector is not a list of numbers"))?;
    }
    let are_even = vectors.iter().all(|vector| Some(vector.len()) == vectors.first().map(Vec::len));
    if are_even { Ok(vectors) } else { Err(malformed("the vectors are of different lengths")) }
}

fn vector(value: &Value) -> Option<Vec<f32>> {
    #[expect(clippy::cast_possible_truncation, reason = "models compute in single precision or less")]
    let number = |value: &Value| value.as_f64().map(|number| number as f32).filter(|number| number.is_finite());
    let numbers: Vec<f32> = value.as_array()?.iter().map(number).collect::<Option<_>>()?;
    (!numbers.is_empty()).then_some(numbers)
}

/// Tokens read; some servers tell the sum alone.
fn usage(value: &Value) -> Usage {
    let tokens = |name: &str| value.get(name).and_then(Value::as_u64).filter(|count| *count > 0);
    let prompt = tokens("prompt_tokens").or_else(|| tokens("total_tokens")).unwrap_or(0);
    Usage { prompt: prompt.min(MOST_TOKENS), completion: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::testing::request;
    use crate::record::Message;

    fn answer(data: &Value) -> Value {
        json!({"object": "list", "data": data, "usage": {"prompt_tokens": 7, "total_tokens": 7}})
    }

    fn fault(data: &Value, count: usize) -> String {
        read(answer(data).to_string().as_bytes(), count).unwrap_err().to_string()
    }

    #[test]
    fn every_text_goes_out_with_what_else_the_server_wants() {
        let extra_body = json!({"dimensions": 2}).as_object().unwrap().clone();
        let config =
            ModelConfig { model: "m".to_owned(), temperature: Some(0.5), extra_body, ..ModelConfig::default() };
        let request = Request { history: vec![Message::user("a"), Message::user("")], ..request("x", 0) };
        insta::assert_snapshot!(body(&config, &request), @r#"{"model":"m","input":["a",""],"dimensions":2}"#);
    }

    #[test]
    fn vectors_come_back_in_the_order_of_the_texts() {
        let data = json!([{"index": 1, "embedding": [3, 4.5]}, {"index": 0, "embedding": [1, 2]}]);
        let reply = read(answer(&data).to_string().as_bytes(), 2).unwrap();
        assert_eq!((reply.text.as_str(), reply.usage), ("[[1.0,2.0],[3.0,4.5]]", Usage { prompt: 7, completion: 0 }));
        let bare =
            read(br#"{"data": [{"embedding": [1]}, {"embedding": [2]}], "usage": {"total_tokens": 3}}"#, 2).unwrap();
        assert_eq!((bare.text.as_str(), bare.usage.prompt), ("[[1.0],[2.0]]", 3));
    }

    #[test]
    fn what_is_no_vector_for_each_text_is_told() {
        let one = json!([{"index": 0, "embedding": [1]}]);
        insta::assert_snapshot!(fault(&one, 2), @"the answer has 1 vectors for 2 texts");
        insta::assert_snapshot!(fault(&json!([{"index": 1, "embedding": [1]}]), 1), @"the places of the vectors are not those of the texts");
        let twice = json!([{"index": 0, "embedding": [1]}, {"index": 0, "embedding": [1]}]);
        assert_eq!(fault(&twice, 2), "the places of the vectors are not those of the texts");
        for wrong in [json!("AACAPw=="), json!([]), json!([1e300]), json!([null])] {
            assert_eq!(fault(&json!([{"embedding": wrong}]), 1), "a vector is not a list of numbers");
        }
        insta::assert_snapshot!(fault(&json!([{"embedding": [1]}, {"embedding": [1, 2]}]), 2), @"the vectors are of different lengths");
        insta::assert_snapshot!(read(b"[", 1).unwrap_err(), @"the answer is not the JSON of embeddings (EOF while parsing a list at line 1 column 1): [");
    }

    #[test]
    fn an_error_in_an_answer_that_says_yes_is_an_error() {
        let disguised = read(br#"{"error": {"message": "too long", "code": 413}}"#, 1).unwrap_err();
        assert!(matches!(disguised, Fault::Status { status: 413, .. }), "{disguised}");
        assert_eq!(read(br#"{"error": "no"}"#, 1).unwrap_err().to_string(), "the answer is an error: no");
    }
}
