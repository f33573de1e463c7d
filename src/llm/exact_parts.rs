//! A prompt's file cut at its headings to the letter.
//!
//! A part begins behind the line end of its heading and ends before the line end that comes before the next one. The line
//! `=== end` ends the last part in the same way; without it that part goes on to the end of the file. What stands before
//! the first heading is for people. A file without headings is what the user says.

use super::prompt::{Part, PromptError, SYSTEM, USER};

const END: &str = "end";

pub(super) fn split_exactly(path: &str, text: &str) -> Result<Vec<Part>, PromptError> {
    let mut parts: Vec<Part> = Vec::new();
    let mut open = false;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let Some(name) = line.strip_prefix("=== ").map(str::trim) else {
            if let Some(part) = parts.last_mut().filter(|_| open) {
                part.text.push_str(line);
            }
            continue;
        };
        let is_new = [SYSTEM, USER].contains(&name) && parts.iter().all(|part| part.name != name);
        let is_end = name == END && open;
        if !(is_new || is_end) {
            return Err(PromptError::Part { path: path.to_owned(), line: index + 1, part: name.to_owned() });
        }
        if let Some(part) = parts.last_mut().filter(|_| open) {
            without_line_end(&mut part.text);
        }
        open = is_new;
        if is_new {
            parts.push(Part { name: name.to_owned(), text: String::new(), lines_before: index + 1 });
        }
    }
    if parts.is_empty() {
        parts.push(Part { name: USER.to_owned(), text: text.to_owned(), lines_before: 0 });
    }
    if parts.iter().all(|part| part.text.is_empty()) {
        return Err(PromptError::NoUser { path: path.to_owned() });
    }
    Ok(parts)
}

/// Takes one line end away.
fn without_line_end(text: &mut String) {
    let kept = text.strip_suffix('\n').map(|rest| rest.strip_suffix('\r').unwrap_or(rest).len());
    text.truncate(kept.unwrap_or(text.len()));
}

#[cfg(test)]
mod tests {
    use super::super::prompt::Prompt;

    fn rendered(text: &str) -> (Option<String>, String) {
        let rendered = Prompt::exact("a.md", text).unwrap().render(&serde_json::json!({"x": "X", "list": [1, 2]}));
        let rendered = rendered.unwrap();
        (rendered.system, rendered.user)
    }

    #[test]
    fn every_blank_of_a_part_is_sent() {
        let both = rendered("for people\n=== system\n  a \n\n=== user\n\n b{{ x }}\n\n=== end\n");
        assert_eq!(both, (Some("  a \n".to_owned()), "\n bX\n".to_owned()));
        assert_eq!(rendered("=== user\nb\n"), (None, "b\n".to_owned()), "an open end is the file's");
        assert_eq!(rendered(" b{{ x }}\n"), (None, " bX\n".to_owned()));
        assert_eq!(rendered("=== system\r\na\r\n=== end\r\n"), (Some("a".to_owned()), String::new()));
        assert_eq!(
            rendered("=== user\n{% for n in list %}\n {{ n }}{% endfor %}\n=== end"),
            (None, "\n 1\n 2".to_owned())
        );
        assert_eq!(
            rendered("=======list=======\n").1,
            "=======list=======\n",
            "a heading has a blank behind three signs"
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let fault = |text: &str| Prompt::exact("a.md", text).unwrap_err().to_string();
        insta::assert_snapshot!(fault("=== user\nx\n=== user\ny"), @"a.md:3: unexpected part `user`; a prompt has `=== user` and at most one `=== system`");
        insta::assert_snapshot!(fault("=== end\nx"), @"a.md:1: unexpected part `end`; a prompt has `=== user` and at most one `=== system`");
        insta::assert_snapshot!(fault("=== system\n=== end"), @"a.md: no text below a line `=== user`");
        insta::assert_snapshot!(fault("=== system\nx\n=== user\n\n{{ a"), @"a.md:5: syntax error: unexpected end of input, expected end of variable block");
        let prompt = Prompt::exact("a.md", "=== system\nx\n=== user\n{{ y }}").unwrap();
        insta::assert_snapshot!(prompt.render(&serde_json::json!({})).unwrap_err(), @"a.md:4: undefined value: `y` is undefined");
    }
}
