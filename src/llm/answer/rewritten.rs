//! A request that was rewritten: JSON with `query`, and with the words that say what does not stand there by itself.

use super::fence::find;
use super::{Unparsable, Way};
use crate::llm::{RewrittenRequest, SaidBy};
use crate::record::Value;

/// Reads a rewritten request.
pub fn read_rewritten(text: &str) -> Result<(RewrittenRequest, Way), Unparsable> {
    let (rewritten, way) = find(text, structured)
        .ok_or_else(|| Unparsable::new("no_query", "there is no JSON object with `query` in it"))?;
    if !rewritten.query.chars().any(char::is_alphanumeric) {
        return Err(Unparsable::new("empty_query", "the request is empty"));
    }
    Ok((rewritten, way))
}

fn structured(value: &Value) -> Option<RewrittenRequest> {
    let object = value.as_object()?;
    let query = object.get("query")?.as_str()?.trim().to_owned();
    let said = object.get("said").and_then(Value::as_list).unwrap_or_default();
    Some(RewrittenRequest { query, said: said.iter().filter_map(said_by).collect() })
}

fn said_by(value: &Value) -> Option<SaidBy> {
    let text = |key: &str| Some(value.as_object()?.get(key)?.as_str()?.trim().to_owned());
    Some(SaidBy { function: text("function")?, parameter: text("parameter")?, words: text("words")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_request_comes_with_the_words_that_say_its_values() {
        let text = r#"So: {"query": " The cheapest, please ", "said": [
            {"function": "Search", "parameter": "sort", "words": "cheapest"}, {"parameter": "x"}, 5]}"#;
        let (read, way) = read_rewritten(text).unwrap();
        assert_eq!((read.query.as_str(), read.said.len(), way), ("The cheapest, please", 1, Way::LeadIn));
        assert_eq!((read.said[0].parameter.as_str(), read.said[0].words.as_str()), ("sort", "cheapest"));
        assert!(read_rewritten("{\"query\": \"Book it\"}").unwrap().0.said.is_empty());
    }

    #[test]
    fn what_is_no_request_says_so() {
        for (text, reason) in
            [("no", "no_query"), (r#"{"said": []}"#, "no_query"), (r#"{"query": "..."}"#, "empty_query")]
        {
            assert_eq!(read_rewritten(text).unwrap_err().reason, reason, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in any::<String>()) {
            drop(read_rewritten(&text));
        }
    }
}
