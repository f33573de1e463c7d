//! Texts that mean to call something, whether or not a call can be read out of them.

use super::super::function::Function;

/// Marks that models are trained to write before a call.
const MARKS: [&str; 6] = ["<tool_call>", "<TOOLCALL>", "[TOOL_CALLS]", "<function=", "<|python_tag|>", "<|tool_call"];

/// Whether a text means to call an offered function: its name with an opening bracket behind it, JSON that names it, or a mark.
pub fn is_attempt(text: &str, functions: &[Function]) -> bool {
    MARKS.iter().any(|mark| text.contains(mark)) || functions.iter().any(|function| names(text, &function.name))
}

fn names(text: &str, name: &str) -> bool {
    let is_called = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().next_back());
            let after = text.get(at + name.len()..).unwrap_or_default().trim_start_matches(' ');
            after.starts_with('(')
                && !before.is_some_and(|letter| letter == '_' || letter == '.' || letter.is_alphanumeric())
        })
    };
    let plain = name.replace('.', "_");
    !name.is_empty() && (is_called(name) || is_called(&plain) || is_named(text, name) || is_named(text, &plain))
}

/// Whether JSON with the name stands there.
fn is_named(text: &str, name: &str) -> bool {
    text.split("\"name\"").skip(1).any(|rest| {
        let value = rest.trim_start().strip_prefix(':').map(str::trim_start).and_then(|rest| rest.strip_prefix('"'));
        value.and_then(|rest| rest.strip_prefix(name)).is_some_and(|rest| rest.starts_with('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempts(text: &str) -> bool {
        let function = Function { name: "geo.area".to_owned(), parameters: None, required: None };
        is_attempt(text, &[function])
    }

    #[test]
    fn a_name_with_a_bracket_json_with_the_name_and_marks_are_attempts() {
        for text in [
            "```python\ngeo.area(x)\n```",
            "geo.area (1",
            "I call geo_area(5).",
            "{\"name\" : \"geo.area\", \"arguments\": {}}",
            "<tool_call>{}</tool_call>",
            "[TOOL_CALLS] x",
            "say <TOOLCALL>",
        ] {
            assert!(attempts(text), "{text}");
        }
    }

    #[test]
    fn plain_talk_is_none() {
        for text in [
            "",
            "I cannot use geo.area for that.",
            "my_geo.area(x)",
            "x.geo.area(x)",
            "{\"name\": \"geo.areas\"}",
            "{\"name\": 5}",
            "area(5)",
        ] {
            assert!(!attempts(text), "{text}");
        }
        assert!(!is_attempt("(", &[Function { name: String::new(), parameters: None, required: None }]));
    }
}
