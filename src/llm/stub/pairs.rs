//! The stub's scores of pairs: the share of a claim's words that stand in its context.

use serde_json::{Value, json};

/// The body of an answer to `pairs`.
pub(super) fn scores(body: &Value) -> Value {
    let pairs = body.get("pairs").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    json!({ "scores": pairs.iter().map(score).collect::<Vec<_>>() })
}

fn score(pair: &Value) -> f64 {
    let words = |name: &str| -> Vec<&str> {
        pair.get(name).and_then(Value::as_str).unwrap_or_default().split_whitespace().collect()
    };
    let (context, claim) = (words("context"), words("claim"));
    let real = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let known = claim.iter().filter(|word| context.contains(word)).count();
    if claim.is_empty() { 0.0 } else { real(known) / real(claim.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_a_claim_are_looked_for_in_its_context() {
        let pairs = json!([
            {"context": "the red hotel", "claim": "red hotel"},
            {"context": "the red hotel", "claim": "blue hotel"},
            {"context": "x", "claim": ""},
        ]);
        assert_eq!(scores(&json!({ "pairs": pairs })), json!({"scores": [1.0, 0.5, 0.0]}));
        assert_eq!(scores(&json!({})), json!({"scores": []}));
    }
}
