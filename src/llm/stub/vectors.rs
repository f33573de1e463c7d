//! The stub's embeddings: texts are alike by their runs of three letters.

use serde_json::{Value, json};

/// Places that runs of letters are hashed to.
const PLACES: u64 = 64;

/// The body of an answer to the texts of `input`, one or several.
pub(super) fn vectors(body: &Value) -> Value {
    let input = body.get("input").cloned().unwrap_or_default();
    let texts = if let Value::Array(texts) = input { texts } else { vec![input] };
    let texts: Vec<&str> = texts.iter().map(|text| text.as_str().unwrap_or_default()).collect();
    let data = texts.iter().enumerate();
    let data = data.map(|(index, text)| json!({ "object": "embedding", "index": index, "embedding": vector(text) }));
    let words: usize = texts.iter().map(|text| text.split_whitespace().count()).sum();
    json!({
        "object": "list", "model": body.get("model"), "data": data.collect::<Value>(),
        "usage": { "prompt_tokens": words, "total_tokens": words },
    })
}

fn vector(text: &str) -> Vec<u32> {
    let letters: Vec<char> = format!(" {text} ").chars().collect();
    let mut vector: Vec<u32> = (0..PLACES).map(|_| 0).collect();
    for run in letters.windows(3) {
        let hash = run.iter().fold(7, |hash: u64, letter| hash.wrapping_mul(31).wrapping_add(u64::from(*letter)));
        if let Some(count) = usize::try_from(hash % PLACES).ok().and_then(|place| vector.get_mut(place)) {
            *count += 1;
        }
    }
    vector
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_text_or_several_are_answered_in_order() {
        let several = vectors(&json!({"model": "m", "input": ["near the mill", "hill"]}));
        assert_eq!((&several["data"][1]["index"], &several["usage"]["prompt_tokens"]), (&json!(1), &json!(4)));
        let one = vectors(&json!({"input": "hill"}));
        assert_eq!(one["data"][0]["embedding"], several["data"][1]["embedding"]);
        assert_eq!(vectors(&json!({}))["data"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn what_shares_letters_is_alike() {
        let alike = |one: &str, other: &str| -> u32 {
            vector(one).iter().zip(vector(other)).map(|(one, other)| one * other).sum()
        };
        assert!(alike("Find_Port hill", "Find_Port mill") > alike("Find_Port hill", "Get_Boat noon"));
        assert_eq!(vector("a").iter().sum::<u32>(), 1);
    }
}
