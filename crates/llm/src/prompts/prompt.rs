//! Prompts: files in `prompts/`, compiled once and rendered for every request.
//!
//! A file has a part below the line `=== user` and, where it wants one, a part below `=== system`. Below lines `=== example`
//! are examples, one of which ends the system message. It is chosen by a hash of the user message, so that it changes from
//! request to request. A name that the request does not supply is an error and never an empty string.

use crate::assets::Assets;
use crate::prompts::template::{add_filters, borrowed_template, confine, split_exactly};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, ErrorKind, UndefinedBehavior, Value};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const SYSTEM: &str = "system";
pub(crate) const USER: &str = "user";
const EXAMPLE: &str = "example";

/// A prompt that is ready to be rendered.
#[derive(Debug, Clone)]
pub struct Prompt {
    name: String,
    hash: String,
    parts: Environment<'static>,
    /// Its parts, each with the number of lines before it in the file that the engine does not count.
    lines: BTreeMap<String, usize>,
    /// The names of those parts that are examples.
    examples: Vec<String>,
    is_exact: bool,
    /// What stands between quotation marks in it, in small letters.
    quoted: BTreeSet<String>,
    /// The variables that it makes use of.
    variables: BTreeSet<String>,
    /// Its words one after another, in small letters.
    words: String,
    /// What stands before colons in what it says for the user, with the colon.
    labels: Vec<String>,
}

/// What is sent to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    /// The system message, if the prompt has one.
    pub system: Option<String>,
    /// The user message.
    pub user: String,
}

/// Why a prompt cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    /// There is no such file, in this locale or in English.
    #[error("prompt `{path}` not found, and no `en.md` in its folder")]
    Missing {
        /// The path that was looked for.
        path: String,
    },
    /// A part has another name, or one that can stand only once comes twice.
    #[error("{path}:{line}: unexpected part `{part}`; a prompt has `=== user` and at most one `=== system`{besides}")]
    Part {
        /// The prompt's path.
        path: String,
        /// The line of the heading.
        line: usize,
        /// What it says.
        part: String,
        /// What else such a prompt may have.
        besides: &'static str,
    },
    /// Nothing is below `=== user`.
    #[error("{path}: no text under `=== user`")]
    NoUser {
        /// The prompt's path.
        path: String,
    },
    /// A folder of prompts cannot be used.
    #[error("{path}: {problem}")]
    Folder {
        /// The folder.
        path: String,
        /// What is wrong.
        problem: String,
    },
    /// The template is wrong, or wants something that the request does not have.
    #[error("{path}:{line}: {message}")]
    Template {
        /// The prompt's path.
        path: String,
        /// The line in that file.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

impl Prompt {
    /// Reads the prompt of a task in a locale; the English one, which names the locale's language, where it has none.
    pub fn load(assets: &Assets, task: &str, locale: &str) -> Result<Self, PromptError> {
        let path = format!("prompts/{task}/{locale}.md");
        let english = format!("prompts/{task}/en.md");
        match assets.read(&path) {
            Some(text) => Self::from_text(&path, &text),
            None => Self::from_text(&english, &assets.read(&english).ok_or(PromptError::Missing { path })?),
        }
    }

    /// Compiles a prompt; `name` is its path, for messages.
    pub fn from_text(name: &str, text: &str) -> Result<Self, PromptError> {
        if let Some((line, message)) = borrowed_template(text) {
            return Err(PromptError::Template { path: name.to_owned(), line, message });
        }
        let parts = split(name, text)?.into_iter().filter(|part| !part.text.trim().is_empty());
        let prompt = Self::compile(name, text, environment(), parts)?;
        if !prompt.has_user() {
            return Err(PromptError::NoUser { path: name.to_owned() });
        }
        Ok(prompt)
    }

    /// Compiles a prompt that is rendered to the letter: every blank and every line end of a part is sent. It may have a
    /// part for the system alone.
    pub fn exact(name: &str, text: &str) -> Result<Self, PromptError> {
        if let Some((line, message)) = borrowed_template(text) {
            return Err(PromptError::Template { path: name.to_owned(), line, message });
        }
        let parts = split_exactly(name, text)?;
        Ok(Self { is_exact: true, ..Self::compile(name, text, exact_environment(), parts)? })
    }

    fn compile(
        name: &str,
        text: &str,
        mut environment: Environment<'static>,
        parts: impl IntoIterator<Item = Part>,
    ) -> Result<Self, PromptError> {
        let (mut lines, mut examples) = (BTreeMap::new(), Vec::new());
        let mut labels = Vec::new();
        for mut part in parts {
            if part.name == USER {
                labels = labels_of(&part.text);
            }
            if part.name == EXAMPLE {
                part.name = format!("{EXAMPLE} {}", examples.len() + 1);
                examples.push(part.name.clone());
            }
            let added = environment.add_template_owned(part.name.clone(), part.text);
            added.map_err(|error| fault(name, part.lines_before, &error))?;
            lines.insert(part.name, part.lines_before);
        }
        let hash = blake3::hash(text.as_bytes()).to_hex().chars().take(16).collect();
        let variables = environment.templates().flat_map(|(_, part)| part.undeclared_variables(false)).collect();
        let (name, quoted, words) = (name.to_owned(), quoted(text), words(text));
        Ok(Self { name, hash, parts: environment, lines, examples, is_exact: false, quoted, variables, words, labels })
    }

    /// Fills the variables in.
    pub fn render(&self, variables: &impl Serialize) -> Result<Rendered, PromptError> {
        let values = Value::from(Serde(variables));
        let user = self.render_part(USER, &values)?.unwrap_or_default();
        let mut system = self.render_part(SYSTEM, &values)?;
        if let Some(example) = self.example_for(&user) {
            let example = self.render_part(example, &values)?;
            system = Some(system.into_iter().chain(example).collect::<Vec<_>>().join("\n\n"));
        }
        Ok(Rendered { system, user })
    }

    /// The example for a user message.
    fn example_for(&self, user: &str) -> Option<&str> {
        let drawn = blake3::hash(user.as_bytes());
        let drawn = usize::from(drawn.as_bytes()[0]).checked_rem(self.examples.len())?;
        self.examples.get(drawn).map(String::as_str)
    }

    /// Whether it is rendered to the letter.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Whether a text is one of those that it brings itself between quotation marks, as values of its examples.
    pub fn brings(&self, text: &str) -> bool {
        self.quoted.contains(&text.trim().to_lowercase())
    }

    /// Words of a text that stand in it one after another, so many that they were copied from its example.
    pub fn echoed(&self, text: &str) -> Option<String> {
        let said = words(text);
        let said: Vec<&str> = said.split_whitespace().collect();
        let run = said.windows(ECHO).map(|run| run.join(" ")).find(|run| self.words.contains(run.as_str()));
        run.or_else(|| {
            // A script that sets no words apart.
            let letters: Vec<char> = text.chars().filter(|letter| letter.is_alphanumeric()).collect();
            let is_unspaced = said.len() < ECHO && letters.len() >= ECHO_OF_LETTERS;
            let mut runs = letters.windows(ECHO_OF_LETTERS).map(|run| run.iter().collect::<String>());
            runs.find(|run| is_unspaced && self.words.contains(run.as_str()))
        })
    }

    /// What a text has of the prompt's own labels, or the heading of a numbered thing, which no person says ("Request 2:").
    pub fn pasted(&self, text: &str) -> Option<String> {
        let label = self.labels.iter().find(|label| text.contains(label.as_str()));
        label.cloned().or_else(|| heading(text))
    }

    /// Whether it makes use of a variable.
    pub fn wants(&self, variable: &str) -> bool {
        self.variables.contains(variable)
    }

    /// Whether it says something for the user.
    pub fn has_user(&self) -> bool {
        self.lines.contains_key(USER)
    }

    /// The prompt's path, for messages and manifests.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A short hash of the template, for provenance and manifests.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Everything that the prompt wants to be given, with attributes (`tool.name`), branches that never run included.
    pub fn undeclared(&self) -> BTreeSet<String> {
        self.parts.templates().flat_map(|(_, part)| part.undeclared_variables(true)).collect()
    }

    fn render_part(&self, part: &str, values: &Value) -> Result<Option<String>, PromptError> {
        let Some(lines_before) = self.lines.get(part) else { return Ok(None) };
        let text = self.parts.get_template(part).and_then(|template| template.render(values.clone()));
        let text = text.map_err(|error| fault(&self.name, *lines_before, &error))?;
        Ok(Some(if self.is_exact { text } else { text.trim().to_owned() }))
    }
}

/// So many words in a row, or letters where words are not set apart, are no chance.
const ECHO: usize = 6;
const ECHO_OF_LETTERS: usize = 12;

/// The words of a text one after another, in small letters and without signs.
fn words(text: &str) -> String {
    let letters = text.to_lowercase().replace(|letter: char| !letter.is_alphanumeric() && letter != '\'', " ");
    letters.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What stands between quotation marks on the lines of a prompt, outside the template's own code.
fn quoted(text: &str) -> BTreeSet<String> {
    let outside = |part: &str| match part.split_once(['%', '}']) {
        Some((_, rest)) => rest.trim_start_matches(['%', '}']).to_owned(),
        None => String::new(),
    };
    let line = |line: &str| {
        let mut parts = line.split("{%").flat_map(|part| part.split("{{"));
        let first = parts.next().unwrap_or_default().to_owned();
        parts.fold(first, |whole, part| whole + &outside(part))
    };
    let texts = |line: String| line.split('"').skip(1).step_by(2).map(str::to_lowercase).collect::<Vec<_>>();
    text.lines().map(line).flat_map(texts).filter(|text| !text.trim().is_empty()).collect()
}

/// One part of a prompt's file.
pub(crate) struct Part {
    pub(crate) name: String,
    pub(crate) text: String,
    /// Lines before its text in the file.
    pub(crate) lines_before: usize,
}

/// Cuts a file at its headings. Each part keeps the lines before it as empty lines, so that the engine's line numbers
/// are those of the file; rendering trims them away. A file without headings is what the user says.
fn split(path: &str, text: &str) -> Result<Vec<Part>, PromptError> {
    if !text.lines().any(|line| line.starts_with("=== ")) {
        return Ok(vec![Part { name: USER.to_owned(), text: text.to_owned(), lines_before: 0 }]);
    }
    let mut parts: Vec<Part> = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(name) = line.strip_prefix("=== ").map(str::trim) {
            let is_new = [SYSTEM, USER].contains(&name) && parts.iter().all(|part| part.name != name);
            let known = is_new || name == EXAMPLE;
            if !known {
                let besides = ", and any number of `=== example`";
                return Err(PromptError::Part {
                    path: path.to_owned(),
                    line: index + 1,
                    part: name.to_owned(),
                    besides,
                });
            }
            parts.push(Part { name: name.to_owned(), text: "\n".repeat(index + 1), lines_before: 0 });
        } else if let Some(part) = parts.last_mut() {
            part.text.push_str(line);
            part.text.push('\n');
        }
    }
    Ok(parts)
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // Without it an error does not tell which expression it is about.
    environment.set_debug(true);
    confine(&mut environment);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.add_filter("json", write_json);
    environment.add_filter("tool_json", write_tool);
    environment.add_filter("bare", bare);
    add_filters(&mut environment);
    if let Ok(syntax) = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        environment.set_syntax(syntax);
    }
    environment
}

/// The same, where nothing is taken away around statements and at the end.
fn exact_environment() -> Environment<'static> {
    let mut environment = environment();
    if let Ok(syntax) = SyntaxConfig::builder().keep_trailing_newline(true).build() {
        environment.set_syntax(syntax);
    }
    environment
}

/// `{{ label | json }}`. The engine's own `tojson` escapes for web pages, which a model would copy.
fn write_json(value: &Value) -> Result<String, minijinja::Error> {
    serde_json::to_string(value).map_err(|error| minijinja::Error::new(ErrorKind::BadSerialization, error.to_string()))
}

/// `{{ tool | tool_json }}`: what a model may know of a tool; value kinds and wordings are for the built-in model.
fn write_tool(tool: &Value) -> Result<String, minijinja::Error> {
    let mut shown = serde_json::Map::new();
    for key in ["name", "description", "parameters"] {
        let field = serde_json::to_value(tool.get_attr(key)?);
        let field = field.map_err(|error| minijinja::Error::new(ErrorKind::BadSerialization, error.to_string()))?;
        shown.insert(key.to_owned(), field);
    }
    Ok(serde_json::Value::Object(shown).to_string())
}

/// `{{ phrases.intents | bare }}`: those patterns that are plain text, without slots or choices that a model would copy.
fn bare(patterns: Vec<String>) -> Vec<String> {
    patterns.into_iter().filter(|pattern| !pattern.contains(['{', '[', '(', '|'])).collect()
}

fn fault(path: &str, lines_before: usize, error: &minijinja::Error) -> PromptError {
    let kind = error.kind().to_string();
    let message = error.detail().map_or_else(|| kind.clone(), |detail| format!("{kind}: {detail}"));
    PromptError::Template { path: path.to_owned(), line: lines_before + error.line().unwrap_or(1), message }
}

/// What stands before colons in a template, without its tags.
fn labels_of(template: &str) -> Vec<String> {
    let literal = template.split(['{', '}']).step_by(2).flat_map(|text| text.split(['\n', '(', '%', ';']));
    let before_colons = literal.flat_map(|text| {
        let parts: Vec<&str> = text.split_inclusive([':', '：']).collect();
        parts.into_iter().filter(|part| part.ends_with([':', '：'])).map(str::trim)
    });
    let is_label = |label: &&str| label.chars().filter(|letter| letter.is_alphabetic()).count() >= LABEL;
    before_colons.filter(is_label).map(str::to_owned).collect()
}

/// So many letters at least make a label that is no word like another.
const LABEL: usize = 2;

/// A word and a number before a colon, at the beginning of a text.
fn heading(text: &str) -> Option<String> {
    let (before, after) = text.split_once([':', '：'])?;
    if after.starts_with(|letter: char| letter.is_ascii_digit()) {
        return None;
    }
    let bare = before.split(['(', '（']).next().unwrap_or_default().trim();
    let word = bare.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let is_numbered = word.len() < bare.len() && word.ends_with(' ');
    let is_word = !word.trim().is_empty() && word.trim().chars().all(char::is_alphabetic);
    (is_numbered && is_word).then(|| format!("{before}:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_parts_of_a_prompt_are_found() {
        let text = "=== system\nRules:\n=== user\n{% for it in list %}Request {{ it.n }}({{ it.manner }}), says: {{ it.says }} (people say: {{ it.said }}){% endfor %}\n말투: {{ manner }}";
        let prompt = Prompt::from_text("p", text).unwrap();
        let pasted = |text: &str| prompt.pasted(text);
        assert_eq!(pasted("log 13.7 km (people say: 13.7 km)").as_deref(), Some("people say:"));
        assert_eq!(pasted("돈까스 시켜 줘. 말투: 반말").as_deref(), Some("말투:"));
        assert_eq!(pasted("요청 2(반말): 떡볶이 시켜 줘").as_deref(), Some("요청 2(반말):"));
        for text in [
            "wake me at 7:30",
            "At 3:45 pm, please",
            "add to the list: eggs",
            "Gate B12: where is it",
            "EK:see you\nquery:then",
        ] {
            assert_eq!(pasted(text), None, "{text}");
        }
    }

    fn prompt(text: &str) -> Result<Prompt, PromptError> {
        Prompt::from_text("mine.md", text)
    }

    fn render(text: &str, variables: &serde_json::Value) -> Result<Rendered, PromptError> {
        prompt(text)?.render(variables)
    }

    #[test]
    fn both_parts_are_filled_in_and_the_system_part_may_be_missing() {
        let both = render(
            "=== system\nBe {{ how }}.\n=== user\n\nHi {{ who }}\n\n",
            &serde_json::json!({"how": "kind", "who": "you"}),
        );
        assert_eq!(both, Ok(Rendered { system: Some("Be kind.".to_owned()), user: "Hi you".to_owned() }));
        assert_eq!(render("=== user\nHi", &serde_json::json!({})).unwrap().system, None);
    }

    #[test]
    fn one_example_ends_the_system_message_and_another_beside_another_request() {
        let text = "=== system\nBe kind.\n=== example\nOne {{ it }}\n=== example\nTwo\n=== user\n{{ it }}";
        let shown = |it: &str| render(text, &serde_json::json!({"it": it})).unwrap().system.unwrap();
        let all: BTreeSet<String> = (0..20).map(|it| shown(&it.to_string()).chars().take(13).collect()).collect();
        assert_eq!(all.into_iter().collect::<Vec<_>>(), ["Be kind.\n\nOne", "Be kind.\n\nTwo"]);
        assert_eq!(shown("7"), shown("7"));
    }

    #[test]
    fn it_brings_what_stands_between_quotation_marks_and_no_code() {
        let text = "=== user\nOf {{ names | join(\", too\") }} say \"Half past seven\".{% if x == \"code\" %}\n{\"place\": \"Blue Lantern\"}{% endif %}";
        let prompt = prompt(text).unwrap();
        for brought in ["half past seven", " Blue Lantern ", "place"] {
            assert!(prompt.brings(brought), "{brought}");
        }
        for other in [", too", "code", "Lantern", "", ": "] {
            assert!(!prompt.brings(other), "{other}");
        }
        let shipped = Prompt::load(crate::fixtures::assets(), "slot_answer", "en").unwrap();
        assert!(shipped.brings("Blue Lantern"));
    }

    #[test]
    fn a_text_that_copies_the_example_is_known() {
        let shipped = Prompt::load(crate::fixtures::assets(), "write_query", "en").unwrap();
        let echoed = |text: &str| shipped.echoed(text);
        assert_eq!(echoed("Find Thai food, the sky should clear by then!").unwrap(), "the sky should clear by then");
        assert_eq!(echoed("I'd like a table for three from Friday"), None);
        let chinese = prompt("=== user\n例：麻烦帮我把那幅山水画重新装裱一下行吗").unwrap();
        assert!(
            chinese.echoed("请麻烦帮我把那幅山水画重新装裱一下").is_some() && chinese.echoed("帮我订一张票").is_none()
        );
    }

    #[test]
    fn text_and_json_come_out_as_they_are() {
        let values = serde_json::json!({"text": "<b> & 'q' 별", "map": {"b": 1.0, "a": [true, null, "<"]}});
        let text = render("=== user\n{{ text }} {{ map | json }}", &values).unwrap().user;
        assert_eq!(text, r#"<b> & 'q' 별 {"b":1.0,"a":[true,null,"<"]}"#);
    }

    #[test]
    fn a_name_that_is_not_supplied_is_an_error_with_file_and_line() {
        let text = "=== system\nfine\n=== user\nfine\n{{ tool.nmae }}";
        let error = render(text, &serde_json::json!({"tool": {"name": "x"}})).unwrap_err();
        insta::assert_snapshot!(error, @"mine.md:5: undefined value: `tool.nmae` is undefined");
        let error = render("=== user\n{% if maybe %}x{% endif %}", &serde_json::json!({})).unwrap_err();
        insta::assert_snapshot!(error, @"mine.md:2: undefined value: `maybe` is undefined");
    }

    #[test]
    fn what_a_model_or_a_tool_said_is_never_a_template() {
        let said = "{{ 7 * 7 }} {% include '/etc/passwd' %} {# x #} {{ secret }}";
        let values = serde_json::json!({"said": said, "list": [said], "secret": "no"});
        let text = "=== user\n{{ said }}|{{ list | json }}|{% set it = said %}{{ it }}";
        let rendered = render(text, &values).unwrap().user;
        let json = serde_json::to_string(&[said]).unwrap();
        assert_eq!(rendered, format!("{said}|{json}|{said}"));
    }

    #[test]
    fn another_template_and_one_without_end_are_errors_with_file_and_line() {
        insta::assert_snapshot!(prompt("=== user\nhi\n{% include \"user\" %}").unwrap_err(), @"mine.md:3: `{% include %}` is not supported: prompts cannot include other templates; write the text here");
        let endless = "=== user\n{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}";
        insta::assert_snapshot!(render(endless, &serde_json::json!({})).unwrap_err(), @"mine.md:2: engine ran out of fuel");
    }

    #[test]
    fn a_broken_template_or_heading_is_an_error_with_file_and_line() {
        let message = |text| prompt(text).unwrap_err().to_string();
        insta::assert_snapshot!(message("=== user\n\n{{ a"), @"mine.md:3: syntax error: unexpected end of input, expected end of variable block");
        insta::assert_snapshot!(message("=== user\nx\n=== assistant\ny"), @"mine.md:3: unexpected part `assistant`; a prompt has `=== user` and at most one `=== system`, and any number of `=== example`");
        insta::assert_snapshot!(message("=== user\nx\n=== user\ny"), @"mine.md:3: unexpected part `user`; a prompt has `=== user` and at most one `=== system`, and any number of `=== example`");
        insta::assert_snapshot!(message(" \n"), @"mine.md: no text under `=== user`");
        insta::assert_snapshot!(message("=== system\nx\n=== user\n \n"), @"mine.md: no text under `=== user`");
        insta::assert_snapshot!(Prompt::load(crate::fixtures::assets(), "no_such_task", "ko").unwrap_err(), @"prompt `prompts/no_such_task/ko.md` not found, and no `en.md` in its folder");
    }

    #[test]
    fn a_text_without_headings_is_what_the_user_says() {
        let rendered = prompt("Say {{ word }}").unwrap().render(&serde_json::json!({"word": "hi"})).unwrap();
        assert_eq!((rendered.system, rendered.user.trim()), (None, "Say hi"));
    }

    #[test]
    fn a_locale_without_its_own_prompt_gets_the_english_one() {
        assert_eq!(Prompt::load(crate::fixtures::assets(), "call", "ko").unwrap().name(), "prompts/call/ko.md");
        assert_eq!(Prompt::load(crate::fixtures::assets(), "call", "fi").unwrap().name(), "prompts/call/en.md");
    }

    #[test]
    fn the_hash_tells_templates_apart() {
        let one = prompt("=== user\na").unwrap();
        assert_eq!(one.hash(), prompt("=== user\na").unwrap().hash());
        assert_ne!(one.hash(), prompt("=== user\nb").unwrap().hash());
        assert_eq!(one.hash().len(), 16);
    }

    #[test]
    fn wants_are_listed_with_attributes_and_without_loop_variables() {
        let text = "=== system\n{{ common.fault }}\n=== user\n{% for tool in tools %}{{ tool.name }}{% endfor %}";
        let wants: Vec<String> = prompt(text).unwrap().undeclared().into_iter().collect();
        assert_eq!(wants, ["common.fault", "tools"]);
    }
}
