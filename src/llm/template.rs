//! What a template may do: say what it is given, and nothing else.
//!
//! Templates are files that people share. They cannot read files, environment or network: the engine has no means for
//! it, other templates are not for including, and one that would go on for ever is stopped.

use minijinja::{Environment, Error, ErrorKind};

/// Steps of one rendering; the largest prompt that ships takes some ten thousand.
const FUEL: u64 = 5_000_000;

/// Deepest nesting of macros that call one another.
const DEEPEST: usize = 64;

/// Statements that bring another template in.
const BRINGING: [&str; 4] = ["include", "import", "from", "extends"];

/// Bounds what templates of an environment may do.
pub(super) fn confine(environment: &mut Environment<'static>) {
    environment.set_fuel(Some(FUEL));
    environment.set_recursion_limit(DEEPEST);
    // These make a text of any length in one step, which is more than fuel can count.
    for filter in ["indent", "format"] {
        environment.remove_filter(filter);
    }
    environment.set_loader(|_| Err::<Option<String>, _>(Error::new(ErrorKind::InvalidOperation, ALONE)));
}

/// What is said of a template that wants another one.
const ALONE: &str = "a prompt stands alone, so write its text here";

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
                    return Some((line, format!("`{{% {name} %}}` is not for prompts: {ALONE}")));
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
        insta::assert_snapshot!(name("a\n{%- include \"/etc/passwd\" %}").unwrap(), @"2: `{% include %}` is not for prompts: a prompt stands alone, so write its text here");
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
            assert!(render(text).unwrap_err().contains("stands alone"), "{text}");
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
