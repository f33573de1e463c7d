//! The short, readable part of an error's body: JSON of many shapes, plain text, or a proxy's HTML page.

use serde_json::Value;

/// What an error's body says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ErrorText {
    /// The message, on one line and cut to a readable length.
    pub(super) message: String,
    /// The code or type that the server gives, as text.
    pub(super) code: Option<String>,
}

/// Longer messages are cut; some servers repeat the whole prompt.
const LONGEST: usize = 300;

impl ErrorText {
    /// Reads any body.
    pub(super) fn read(body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body) {
            Ok(json) => Self::from_json(&json),
            Err(_) => Self::from_text(&String::from_utf8_lossy(body)),
        }
    }

    /// Reads JSON: `{"error": {"message", "code", "type"}}`, `{"error": ".."}`, `{"message": ".."}`, `{"detail": ..}`.
    pub(super) fn from_json(json: &Value) -> Self {
        let error = json.get("error").filter(|error| !error.is_null()).unwrap_or(json);
        let said = |key: &&str| error.get(key).filter(|said| !said.is_null());
        let message = ["message", "detail", "error", "msg"].iter().find_map(said).map(words);
        let code = ["code", "type"].iter().find_map(|key| error.get(key).and_then(scalar));
        Self { message: shorten(&message.unwrap_or_else(|| words(error))), code: quota_first(error).or(code) }
    }

    fn from_text(text: &str) -> Self {
        let looks_like_html = text.trim_start().starts_with('<');
        let message = if looks_like_html { page_title(text) } else { text.to_owned() };
        Self { message: shorten(&message), code: None }
    }
}

/// Some servers put the telling word into `type` and a number into `code`.
fn quota_first(error: &Value) -> Option<String> {
    let telling = |key: &str| error.get(key).and_then(Value::as_str) == Some("insufficient_quota");
    (telling("code") || telling("type")).then(|| "insufficient_quota".to_owned())
}

fn words(value: &Value) -> String {
    let list = || Some(value.as_array()?.iter().map(complaint).collect::<Option<Vec<_>>>()?.join("; "));
    scalar(value).or_else(list).unwrap_or_else(|| value.to_string())
}

/// One fault of a request, as web frameworks list them: where, and what.
fn complaint(value: &Value) -> Option<String> {
    let place: Vec<String> = value.get("loc")?.as_array()?.iter().filter_map(scalar).collect();
    Some(format!("{}: {}", place.join("."), value.get("msg")?.as_str()?))
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// The title of an HTML page, or its text without tags.
fn page_title(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let title = lower.find("<title>").and_then(|start| {
        let start = start + "<title>".len();
        page.get(start..start + lower.get(start..)?.find("</title>")?)
    });
    let text = title.map_or_else(|| without_tags(page), str::to_owned);
    format!("an HTML page: {text}")
}

fn without_tags(page: &str) -> String {
    let texts = page.split('<').filter_map(|part| part.split_once('>').map(|(_, text)| text));
    texts.collect::<Vec<_>>().join(" ")
}

/// On one line, cut by characters.
fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST { line } else { line.chars().take(LONGEST).chain(['…']).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use insta::assert_snapshot;
    use proptest::prelude::*;

    fn read(body: &str) -> (String, Option<String>) {
        let text = ErrorText::read(body.as_bytes());
        (text.message, text.code)
    }

    #[test]
    fn json_with_codes_of_any_kind() {
        let text =
            |code: &str| read(&format!(r#"{{"error": {{"message": "too long", "type": "bad", "code": {code}}}}}"#));
        assert_eq!(text("\"context_length\""), ("too long".to_owned(), Some("context_length".to_owned())));
        assert_eq!(text("400"), ("too long".to_owned(), Some("400".to_owned())));
        assert_eq!(text("null"), ("too long".to_owned(), Some("bad".to_owned())));
    }

    #[test]
    fn json_of_other_shapes() {
        assert_eq!(read(r#"{"error": "model not found"}"#).0, "model not found");
        assert_eq!(
            read(r#"{"object": "error", "message": "no", "code": 40303}"#),
            ("no".to_owned(), Some("40303".to_owned()))
        );
        assert_eq!(read(r#"{"detail": [{"msg": "field required"}]}"#).0, r#"[{"msg":"field required"}]"#);
        let listed =
            r#"{"detail": [{"loc": ["body", "messages", 0], "msg": "Field required"}, {"loc": [], "msg": "odd"}]}"#;
        assert_eq!(read(listed).0, "body.messages.0: Field required; : odd");
        assert_eq!(read(r#"["odd"]"#).0, r#"["odd"]"#);
        assert_eq!(read("null").0, "null");
    }

    #[test]
    fn an_empty_account_is_recognized_by_code_or_type() {
        let quota = Some("insufficient_quota".to_owned());
        assert_eq!(read(r#"{"error": {"message": "x", "type": "insufficient_quota", "code": 429}}"#).1, quota);
        assert_eq!(read(r#"{"error": {"message": "x", "code": "insufficient_quota"}}"#).1, quota);
    }

    #[test]
    fn text_and_pages() {
        assert_snapshot!(read("Too Many\nRequests").0, @"Too Many Requests");
        assert_snapshot!(read("<html><head><TITLE>502 Bad Gateway</TITLE></head>").0, @"an HTML page: 502 Bad Gateway");
        assert_snapshot!(read("<!doctype html><body><h1>No</h1><p>route</p>").0, @"an HTML page: No route");
        assert_snapshot!(read("<html><title>half").0, @"an HTML page: half");
        assert_eq!(read("").0, "");
    }

    proptest! {
        #[test]
        fn any_body_gives_one_short_line(body in prop::collection::vec(any::<u8>(), 0..600), page in "<.{0,80}(<title>)?.{0,400}") {
            for body in [body, page.into_bytes()] {
                let message = ErrorText::read(&body).message;
                prop_assert!(message.chars().count() <= LONGEST + 1 && !message.contains('\n'));
            }
        }
    }

    #[test]
    fn a_long_message_is_cut_by_characters() {
        let (message, _) = read(&"요".repeat(1000));
        assert_eq!(message.chars().count(), LONGEST + 1);
        assert!(message.ends_with("요…"));
    }

    #[test]
    fn what_is_null_says_nothing() {
        assert_eq!(
            read(r#"{"error": {"message": null, "detail": "too long", "code": null}}"#),
            ("too long".to_owned(), None)
        );
        assert_eq!(read(r#"{"error": null, "message": "no"}"#).0, "no");
        assert_eq!(read(r#"{"error": {"message": null}}"#).0, r#"{"message":null}"#);
    }
}
