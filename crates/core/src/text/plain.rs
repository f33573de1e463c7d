//! A plain text: what is left when quotes, fences and leading labels are taken off.

use super::found::{blocks, find, without_thought};
use super::{Unparsable, Way};
use crate::record::Value;

const QUOTES: [(char, char); 7] =
    [('"', '"'), ('\'', '\''), ('“', '”'), ('‘', '’'), ('「', '」'), ('『', '』'), ('«', '»')];

/// Reads a text of any length.
pub fn read_plain(text: &str, labels: &[String]) -> Result<(String, Way), Unparsable> {
    let text = without_thought(text).trim();
    if let Some((found, way)) = find(text, structured) {
        return some(&found, way);
    }
    let unwrapped = unwrap(text, labels);
    some(unwrapped, if unwrapped == text { Way::Text } else { Way::LooseText })
}

/// Reads a text of one line: of several, the first.
pub fn read_line(text: &str, labels: &[String]) -> Result<(String, Way), Unparsable> {
    let (text, way) = read_plain(text, labels)?;
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let first = unwrap(lines.next().unwrap_or_default(), labels);
    some(first, if lines.next().is_some() { Way::LooseText } else { way })
}

fn some(text: &str, way: Way) -> Result<(String, Way), Unparsable> {
    let text = text.trim();
    if text.chars().any(char::is_alphanumeric) {
        Ok((text.to_owned(), way))
    } else {
        Err(Unparsable::new("empty_text", "the answer is empty"))
    }
}

/// An object whose `text` is meant, or whose only value is a text.
fn structured(value: &Value) -> Option<String> {
    let object = value.as_object()?;
    let only = if object.len() == 1 { object.values().next() } else { None };
    object.get("text").or(only)?.as_str().map(str::to_owned)
}

/// Takes off one wrapping after the other, until nothing is left to take off.
fn unwrap<'t>(text: &'t str, labels: &[String]) -> &'t str {
    let mut text = text.trim();
    while let Some(inner) = without_fence(text).or_else(|| without_label(text, labels)).or_else(|| without_quotes(text))
    {
        text = inner.trim();
    }
    text
}

fn without_fence(text: &str) -> Option<&str> {
    let block = text.starts_with("```").then(|| blocks(text).first().copied()).flatten()?;
    let (first, rest) = block.split_once('\n').unwrap_or((block, ""));
    let is_language = !rest.is_empty() && first.chars().all(|letter| letter.is_ascii_lowercase());
    Some(if is_language { rest } else { block })
}

fn without_label<'t>(text: &'t str, labels: &[String]) -> Option<&'t str> {
    let (label, rest) = text.split_once([':', '：'])?;
    let label = label.trim_matches(['*', '#', ' ']).to_lowercase();
    labels.contains(&label).then(|| rest.trim_start_matches(['*', ' ']))
}

fn without_quotes(text: &str) -> Option<&str> {
    QUOTES.iter().find_map(|(open, close)| {
        let inner = text.strip_prefix(*open)?.strip_suffix(*close)?;
        // In `"a" and "b"` the first and the last mark do not belong together.
        (!inner.is_empty() && !inner.contains([*open, *close])).then_some(inner)
    })
}

/// What models put before an answer, in lower case. A list, because `address: Mill Street 9` is itself a good message.
pub fn read_labels(text: &str) -> Vec<String> {
    text.lines().map(|line| line.trim().to_lowercase()).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn labels() -> Vec<String> {
        read_labels(&crate::fixtures::assets().read("prompts/labels.txt").unwrap())
    }

    fn line(text: &str) -> Result<(String, Way), Unparsable> {
        read_line(text, &labels())
    }

    fn read(text: &str) -> Result<(String, &'static str), &'static str> {
        read_plain(text, &labels()).map(|(text, way)| (text, way.as_str())).map_err(|error| error.reason)
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with what `read` gives")]
    fn place(way: &'static str) -> Result<(String, &'static str), &'static str> {
        Ok(("the place in Rosa's text".to_owned(), way))
    }

    #[test]
    fn a_text_stays_as_it_is() {
        assert_eq!(read(" the place in Rosa's text\n"), place("text"));
        assert_eq!(read("Address: Mill Street 9").unwrap().0, "Address: Mill Street 9");
        assert_eq!(read("\"Here\" and \"there\"").unwrap().0, "\"Here\" and \"there\"");
        assert_eq!(read("two\nlines"), Ok(("two\nlines".to_owned(), "text")));
    }

    #[test]
    fn wrappings_are_taken_off() {
        for text in [
            "\"the place in Rosa's text\"",
            "Output: the place in Rosa's text",
            "**Output:** “the place in Rosa's text”",
            "```\nthe place in Rosa's text\n```",
            "```text\nOutput: \"the place in Rosa's text\"\n```",
            "출력: 「the place in Rosa's text」",
            "输出：the place in Rosa's text",
        ] {
            assert_eq!(read(text), place("loose_text"), "{text}");
        }
    }

    #[test]
    fn json_is_read() {
        assert_eq!(read(r#"{"text": "the place in Rosa's text"}"#), place("whole"));
        assert_eq!(read("```json\n{\"query\": \"the place in Rosa's text\"}\n```"), place("fenced"));
        assert_eq!(read(r#"{"text": ""}"#), Err("empty_text"));
    }

    #[test]
    fn a_line_is_the_first_one() {
        assert_eq!(line("\"here\"\nI chose this because ..."), Ok(("here".to_owned(), Way::LooseText)));
        assert_eq!(line("here"), Ok(("here".to_owned(), Way::Text)));
        assert_eq!(line("Output:\nhere"), Ok(("here".to_owned(), Way::LooseText)));
    }

    #[test]
    fn nothing_is_an_error() {
        for text in ["", " \n", "\"\"", "...", "``` ```", "Output:"] {
            let reason = read(text).map_or_else(|reason| reason, |(text, _)| panic!("{text}"));
            assert_eq!(reason, "empty_text");
        }
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in any::<String>(), form in "[a-z`'\"“”:{}\\n ]{0,50}") {
            for text in [text, form] {
                if let Ok((line, _)) = line(&text) {
                    prop_assert!(!line.is_empty() && !line.contains('\n'));
                }
            }
        }
    }

    proptest! {
        #[test]
        fn a_text_that_was_read_is_read_as_itself(text in "[a-z\"'“”「」`: \\n]{0,40}") {
            if let Ok((once, _)) = line(&text) {
                prop_assert_eq!(line(&once).map(|(twice, _)| twice), Ok(once));
            }
        }
    }
}
