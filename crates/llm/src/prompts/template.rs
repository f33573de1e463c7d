//! What a template may do: say what it is given, and nothing else.
//!
//! Templates are files that people share. They cannot read files, environment or network: the engine has no means for
//! it, other templates are not for including, and one that would go on for ever is stopped.

use crate::prompts::prompt::{Part, PromptError, SYSTEM, USER};
use crate::record::python::{Dump, dump, text_of};
use crate::record::{BorrowedValue, Value as Written};
use minijinja::value::{Kwargs, Serde};
use minijinja::{Environment, Error, ErrorKind, Value};
use serde_json::Value as Json;

/// Steps of one rendering; the largest prompt that ships takes some ten thousand.
const FUEL: u64 = 5_000_000;

/// Deepest nesting of macros that call one another.
const DEEPEST: usize = 64;

/// Statements that bring another template in.
const BRINGING: [&str; 4] = ["include", "import", "from", "extends"];

/// Bounds what templates of an environment may do.
pub(crate) fn confine(environment: &mut Environment<'static>) {
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(DEEPEST);
    // These make a text of any length in one step, which is more than fuel can count.
    for filter in ["indent", "format"] {
        environment.remove_filter(filter);
    }
    environment.set_loader(|_| Err::<Option<String>, _>(Error::new(ErrorKind::InvalidOperation, ALONE)));
}

/// What is said of a template that wants another one.
const ALONE: &str = "prompts cannot include other templates; write the text here";

/// The first statement that would bring another template in: its line, and what is wrong.
///
/// The engine would look for the other only when it comes to the statement, in the middle of a run.
pub fn borrowed_template(text: &str) -> Option<(usize, String)> {
    let mut rest = text;
    while let Some((_, from_brace)) = rest.find('{').and_then(|at| rest.split_at_checked(at)) {
        rest = if let Some(comment) = from_brace.strip_prefix("{#") {
            behind(comment, "#}")
        } else if let Some(tag) = from_brace.strip_prefix("{%") {
            match word(tag) {
                "raw" => behind_raw(tag),
                name if BRINGING.contains(&name) => {
                    let before = text.len() - from_brace.len();
                    let line = text.bytes().take(before).filter(|byte| *byte == b'\n').count() + 1;
                    return Some((line, format!("`{{% {name} %}}` is not supported: {ALONE}")));
                }
                _ => tag,
            }
        } else {
            from_brace.strip_prefix('{').unwrap_or_default()
        };
    }
    None
}

/// The text behind the first `mark`.
fn behind<'t>(text: &'t str, mark: &str) -> &'t str {
    text.split_once(mark).map_or("", |(_, rest)| rest)
}

/// The text behind what is raw, which ends at a tag `endraw` however that is spaced.
fn behind_raw(text: &str) -> &str {
    let mut rest = text;
    while let Some((_, tag)) = rest.split_once("{%") {
        if word(tag) == "endraw" {
            return tag;
        }
        rest = tag;
    }
    ""
}

/// The word that a tag begins with.
fn word(tag: &str) -> &str {
    let inner = tag.strip_prefix(['-', '+']).unwrap_or(tag).trim_start();
    inner.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next().unwrap_or_default()
}

// Values as Python writes them: the authors of benchmarks make their prompts with `json.dumps` and `str`.

/// Widest indentation of a level.
const WIDEST: usize = 16;

/// Adds `python_json`, `python_str` and `sorted_keys` to the filters of an environment.
pub(crate) fn add_filters(environment: &mut Environment<'static>) {
    environment.add_filter("python_json", python_json);
    environment.add_filter("python_str", python_str);
    environment.add_filter("sorted_keys", sorted_keys);
    environment.add_filter("python_arguments", python_arguments);
}

/// `{{ tool | python_json(indent=4) }}`: as `json.dumps(tool, indent=4, ensure_ascii=False)`; with `ascii=true` as without
/// the last argument.
#[expect(clippy::needless_pass_by_value, reason = "the engine hands arguments over")]
fn python_json(value: &Value, options: Kwargs) -> Result<String, Error> {
    let indent: Option<usize> = options.get("indent")?;
    let ascii = options.get::<Option<bool>>("ascii")?.unwrap_or(false);
    options.assert_all_used()?;
    if indent.is_some_and(|width| width > WIDEST) {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("`indent` is at most {WIDEST}")));
    }
    Ok(Dump { indent, ascii }.text(&Written::from(json(value)?)))
}

/// `{{ api.parameters | python_str }}`: as `str(...)`. A text is itself, everything else is as `repr` has it.
fn python_str(value: &Value) -> Result<String, Error> {
    let value = Written::from(json(value)?);
    Ok(text_of(&BorrowedValue::from(&value)).into_owned())
}

/// `{{ label | sorted_keys | python_json }}`: as `dict(sorted(label.items()))`, the keys of the outermost object alone.
fn sorted_keys(value: &Value) -> Result<Value, Error> {
    let Json::Object(object) = json(value)? else { return Ok(value.clone()) };
    let mut entries: Vec<(String, Json)> = object.into_iter().collect();
    entries.sort_by(|one, other| one.0.cmp(&other.0));
    Ok(Value::from(Serde(Json::Object(entries.into_iter().collect()))))
}

/// `{{ dialog | python_arguments | python_json }}`: messages whose calls have their arguments, which are JSON within a
/// text, spaced as Python does it.
fn python_arguments(value: &Value) -> Result<Value, Error> {
    let mut value = json(value)?;
    space_arguments(&mut value);
    Ok(Value::from(Serde(value)))
}

fn space_arguments(value: &mut Json) {
    match value {
        Json::Array(items) => items.iter_mut().for_each(space_arguments),
        Json::Object(object) => {
            for (key, field) in object.iter_mut() {
                let parsed = field.as_str().filter(|_| key == "arguments").and_then(|it| Written::read(it).ok());
                match parsed {
                    Some(arguments) => *field = Json::String(dump(&arguments)),
                    None => space_arguments(field),
                }
            }
        }
        _ => {}
    }
}

fn json(value: &Value) -> Result<Json, Error> {
    serde_json::to_value(value).map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))
}

// A prompt's file cut at its headings to the letter.
//
// A part begins behind the line end of its heading and ends before the line end that comes before the next one. The line
// `=== end` ends the last part in the same way; without it that part goes on to the end of the file. What stands before
// the first heading is for people. A file without headings is what the user says.

const END: &str = "end";

pub(crate) fn split_exactly(path: &str, text: &str) -> Result<Vec<Part>, PromptError> {
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
            let part = name.to_owned();
            return Err(PromptError::Part { path: path.to_owned(), line: index + 1, part, besides: "" });
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
    use super::*;
    use proptest::prelude::*;

    fn render(text: &str) -> Result<String, String> {
        let mut environment = Environment::new();
        confine(&mut environment);
        let rendered = environment.render_str(text, minijinja::context! { secret => "no" });
        rendered.map_err(|error| error.to_string())
    }

    fn name(text: &str) -> Option<String> {
        borrowed_template(text).map(|(line, message)| format!("{line}: {message}"))
    }

    #[test]
    fn other_templates_are_refused_before_anything_is_rendered() {
        insta::assert_snapshot!(name("a\n{%- include \"/etc/passwd\" %}").unwrap(), @"2: `{% include %}` is not supported: prompts cannot include other templates; write the text here");
        for tag in ["{% import 'x' as y %}", "{%from 'x' import y%}", "{%+ extends\n'x' %}", "{# {% #}{% extends x %}"]
        {
            assert!(name(tag).is_some(), "{tag}");
        }
        for text in [
            "",
            "plain { text % with } signs",
            "{% for from in list %}{{ include }}{% endfor %}",
            "{# {% include 'x' %} #}",
            "{% raw %}{% include 'x' %}{%- endraw %}",
            "{% set included = 1 %}",
            "{%",
            "{{ \"{\" }}",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_not_seen_before_is_refused_when_it_comes_to_it() {
        for text in ["{% include '/etc/passwd' %}", "{% extends 'x' %}", "{% import 'http://x' as y %}"] {
            assert!(render(text).unwrap_err().contains("cannot include other templates"), "{text}");
        }
    }

    #[test]
    fn neither_files_nor_environment_nor_network_can_be_named() {
        for name in ["env", "environ", "getenv", "open", "read_file", "load", "fetch", "url_for", "lipsum", "self.x()"]
        {
            let call = if name.ends_with(')') { name.to_owned() } else { format!("{name}('PATH')") };
            assert!(render(&format!("{{{{ {call} }}}}")).is_err(), "{name}");
        }
        let shown = render("{{ debug() }}").unwrap();
        assert!(std::env::vars().filter(|(_, value)| value.len() > 8).all(|(_, value)| !shown.contains(&value)));
    }

    #[test]
    fn what_would_go_on_for_ever_ends() {
        let loops = "{% for a in range(90000) %}{% for b in range(90000) %}{% endfor %}{% endfor %}";
        assert!(render(loops).unwrap_err().contains("fuel"), "{loops}");
        let endless = "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}";
        assert!(render(endless).unwrap_err().contains("recursion"), "{endless}");
        let both = "{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ f(1) }}";
        assert!(render(both).is_err());
        assert_eq!(render("{% for a in range(3) %}{{ a }}{% endfor %}").unwrap(), "012");
    }

    proptest! {
        #[test]
        fn any_text_is_looked_through(text in "(\\{%|\\{#|#\\}|%\\}|raw|endraw|include|-| |x|\n|가){0,24}") {
            if let Some((line, _)) = borrowed_template(&text) {
                prop_assert!(line >= 1 && line <= text.lines().count().max(1));
            }
        }
    }
}

#[cfg(test)]
mod python_text_tests {
    use super::*;

    fn rendered(template: &str, value: &serde_json::Value) -> String {
        let mut environment = Environment::new();
        add_filters(&mut environment);
        let values = minijinja::context! { it => Value::from(Serde(value)) };
        environment.render_str(template, values).unwrap_or_else(|error| error.to_string())
    }

    /// What `CPython` 3.12 prints for the same value.
    fn value() -> serde_json::Value {
        serde_json::from_str(
            r#"{"b": "it's \"so\"\n별", "a": [1, 1.0, 0.00001, 1e22, 123456.789, -0.5, true, null, {}, []], "c": {"d": "\u0001"}}"#,
        )
        .unwrap()
    }

    #[test]
    fn json_is_spaced_as_python_does_it() {
        insta::assert_snapshot!(rendered("{{ it | python_json }}", &value()), @r#"{"b": "it's \"so\"\n별", "a": [1, 1.0, 1e-05, 1e+22, 123456.789, -0.5, true, null, {}, []], "c": {"d": "\u0001"}}"#);
        insta::assert_snapshot!(rendered("{{ it.b | python_json(ascii=true) }}", &value()), @r#""it's \"so\"\n\ubcc4""#);
        let small = serde_json::json!({"a": [1, {"b": {}}], "c": []});
        insta::assert_snapshot!(rendered("{{ it | python_json(indent=4) }}", &small), @r#"
        {
            "a": [
                1,
                {
                    "b": {}
                }
            ],
            "c": []
        }
        "#);
        assert!(rendered("{{ it | python_json(indent=99) }}", &small).contains("`indent` is at most 16"));
    }

    #[test]
    fn a_text_is_itself_and_everything_else_is_its_repr() {
        insta::assert_snapshot!(rendered("{{ it | python_str }}", &value()), @r#"{'b': 'it\'s "so"\n별', 'a': [1, 1.0, 1e-05, 1e+22, 123456.789, -0.5, True, None, {}, []], 'c': {'d': '\x01'}}"#);
        assert_eq!(rendered("{{ it | python_str }}", &serde_json::json!("it's")), "it's");
        assert_eq!(rendered("{{ it | python_str }}", &serde_json::json!(["it's", "so"])), "[\"it's\", 'so']");
    }

    #[test]
    fn the_outermost_keys_are_sorted_and_arguments_are_spaced() {
        let nested = serde_json::json!({"b": {"d": 1, "c": 2}, "a": 3});
        let sorted = rendered("{{ it | sorted_keys | python_json }}", &nested);
        assert_eq!(sorted, r#"{"a": 3, "b": {"d": 1, "c": 2}}"#);
        let calls = serde_json::json!([{"tool_calls": [{"function": {"arguments": "{\"a\":1,\"b\":[2,3]}"}}], "content": "{}"}]);
        insta::assert_snapshot!(rendered("{{ it | python_arguments | python_json }}", &calls), @r#"[{"tool_calls": [{"function": {"arguments": "{\"a\": 1, \"b\": [2, 3]}"}}], "content": "{}"}]"#);
    }
}

#[cfg(test)]
mod exact_parts_tests {
    use crate::prompts::prompt::Prompt;

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
        insta::assert_snapshot!(fault("=== system\n=== end"), @"a.md: no text under `=== user`");
        insta::assert_snapshot!(fault("=== system\nx\n=== user\n\n{{ a"), @"a.md:5: syntax error: unexpected end of input, expected end of variable block");
        let prompt = Prompt::exact("a.md", "=== system\nx\n=== user\n{{ y }}").unwrap();
        insta::assert_snapshot!(prompt.render(&serde_json::json!({})).unwrap_err(), @"a.md:4: undefined value: `y` is undefined");
    }
}
