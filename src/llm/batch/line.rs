//! One request as a line of a file.

use crate::llm::key::Key;
use crate::llm::openai::COMPLETIONS;
use serde_json::{Value, json};

/// The line, with its end. What is asked goes by its key, so that answers find back in any order.
pub(super) fn write(key: &Key, body: &Value) -> String {
    let line = json!({ "custom_id": key.to_hex(), "method": "POST", "url": COMPLETIONS, "body": body });
    format!("{line}\n")
}

/// The key that a line of requests goes by.
pub(super) fn key_of(line: &str) -> Option<Key> {
    let line: Value = serde_json::from_str(line).ok()?;
    Key::from_hex(line.get("custom_id")?.as_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::testing::request;

    #[test]
    fn a_line_is_what_servers_and_engines_read() {
        let key = Key::from_bytes([7; 32]);
        let line = write(&key, &json!({ "model": "m" }));
        let name = "07".repeat(32);
        let expected =
            format!(r#"{{"custom_id":"{name}","method":"POST","url":"/v1/chat/completions","body":{{"model":"m"}}}}"#);
        assert_eq!(line, expected + "\n");
        assert_eq!(key_of(&line), Some(key));
    }

    #[test]
    fn what_goes_by_no_key_is_none_of_ours() {
        for line in ["", "{}", r#"{"custom_id": "request-1"}"#, r#"{"custom_id": 7}"#, "half"] {
            assert_eq!(key_of(line), None, "{line}");
        }
        let key = Key::of_question(&request("a", 0));
        assert!(key.to_hex().len() <= 64, "servers take no longer names");
    }
}
