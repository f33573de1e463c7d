//! A prompt is checked before a token is spent: its form, and that it uses nothing that its stage does not supply.

use crate::llm::borrowed_template;
use minijinja::Environment;
use std::collections::BTreeSet;

/// The variables that a prompt uses, sorted; what is wrong with its form otherwise.
///
/// A variable in a branch that never runs counts as used: whether it runs is known only to the data.
pub fn prompt_variables(text: &str) -> Result<Vec<String>, String> {
    if let Some((line, message)) = borrowed_template(text) {
        return Err(format!("line {line}: {message}"));
    }
    let environment = Environment::new();
    let template = environment.template_from_str(text).map_err(|error| {
        let detail = error.detail().map_or_else(|| error.kind().to_string(), str::to_owned);
        error.line().map_or_else(|| detail.clone(), |line| format!("line {line}: {detail}"))
    })?;
    let functions: BTreeSet<&str> = environment.globals().map(|(name, _)| name).collect();
    let used: BTreeSet<String> = template.undeclared_variables(false).into_iter().collect();
    Ok(used.into_iter().filter(|name| !functions.contains(name.as_str())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_prompt_uses_is_listed() {
        let text = "{% for tool in tools %}{{ loop.index }} {{ tool.name }}{% endfor %}{% set x = city %}{{ x }}{{ range(3) }}";
        assert_eq!(prompt_variables(text).unwrap(), ["city", "tools"]);
        assert_eq!(prompt_variables("{ \"plain\": 1 }").unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_branch_that_never_runs_counts() {
        assert_eq!(prompt_variables("{% if false %}{{ never }}{% endif %}").unwrap(), ["never"]);
    }

    #[test]
    fn a_prompt_brings_no_other_file_in() {
        let message = prompt_variables("one\n{% include \"/etc/passwd\" %}").unwrap_err();
        assert_eq!(
            message,
            "line 2: `{% include %}` is not supported: prompts cannot include other templates; write the text here"
        );
    }

    #[test]
    fn a_broken_prompt_names_its_line() {
        let message = prompt_variables("one\n{{ two\n").unwrap_err();
        assert!(message.starts_with("line "), "{message}");
    }
}
