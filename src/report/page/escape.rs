//! Texts that stand in a page as texts, whatever is in them.

use serde::Serialize;
use std::borrow::Cow;

/// JSON that can stand inside a `<script>`: what could end the element, open a comment or break a line is written as an
/// escape, which JSON reads as the same letter.
pub fn script_text(value: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(value)?;
    Ok(escaped(&text, script_letter).into_owned())
}

/// A text between tags or in an attribute.
pub fn html_text(text: &str) -> Cow<'_, str> {
    escaped(text, html_letter)
}

fn escaped(text: &str, of: fn(char) -> Option<&'static str>) -> Cow<'_, str> {
    if !text.chars().any(|letter| of(letter).is_some()) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 64);
    for letter in text.chars() {
        match of(letter) {
            Some(escape) => out.push_str(escape),
            None => out.push(letter),
        }
    }
    Cow::Owned(out)
}

/// These letters stand only within strings of JSON, where such an escape means the same.
fn script_letter(letter: char) -> Option<&'static str> {
    match letter {
        '<' => Some("\\u003c"),
        '>' => Some("\\u003e"),
        '&' => Some("\\u0026"),
        '\u{2028}' => Some("\\u2028"),
        '\u{2029}' => Some("\\u2029"),
        _ => None,
    }
}

fn html_letter(letter: char) -> Option<&'static str> {
    match letter {
        '<' => Some("&lt;"),
        '>' => Some("&gt;"),
        '&' => Some("&amp;"),
        '"' => Some("&quot;"),
        '\'' => Some("&#39;"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_could_end_the_element_is_escaped() {
        let text = script_text(&"</script><!-- & \u{2028}\u{2029}").unwrap();
        assert_eq!(text, r#""\u003c/script\u003e\u003c!-- \u0026 \u2028\u2029""#);
        assert_eq!(script_text(&["a", "\"b\""]).unwrap(), r#"["a","\"b\""]"#);
    }

    #[test]
    fn a_title_is_no_markup() {
        assert_eq!(html_text("<b> & \"'"), "&lt;b&gt; &amp; &quot;&#39;");
        assert!(matches!(html_text("plain"), Cow::Borrowed("plain")));
    }

    proptest! {
        #[test]
        fn whatever_it_is_it_stays_inside_and_is_read_as_it_was(
            parts in prop::collection::vec(prop_oneof![
                any::<String>(), Just("</script>".to_owned()), Just("<!--<script".to_owned()), Just("]]>".to_owned()),
                Just("\u{2028}\\u003c\\".to_owned()), Just("&lt;".to_owned()),
            ], 0..6)
        ) {
            let whole = parts.concat();
            let text = script_text(&whole).unwrap();
            let has_none = !text.contains(['<', '>', '&', '\u{2028}', '\u{2029}', '\n']);
            prop_assert!(has_none, "{}", text);
            prop_assert_eq!(serde_json::from_str::<String>(&text).unwrap(), whole);
        }

        #[test]
        fn markup_is_never_left(text in any::<String>()) {
            let shown = html_text(&text);
            let has_none = !shown.contains(['<', '>', '"', '\'']);
            prop_assert!(has_none, "{}", shown);
        }
    }
}
