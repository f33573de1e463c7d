//! Which argument is a known entity (E.6, first step)?

use super::{Common, TaskInfo};
use crate::record::{Object, Tool, Value};
use crate::text::{Unparsable, Way, find, without_thought};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo =
    TaskInfo::creative("external_entity", "ExternalEntity").reply(include_str!("reply_schema/found_entity.json"));

/// Which argument is a known entity?
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EntityVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// The gold arguments.
    pub label: Object,
    /// The entities, in the locale's words.
    pub entities: Vec<String>,
}

/// The structured answer to [`super::Task::ExternalEntity`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundEntity {
    /// The parameter; empty where no argument is one of the entities.
    pub parameter: String,
    /// The entity.
    pub entity: String,
}

const NONE: &str = "none";

/// Reads the parameter with its entity; `None` where the model says that there is none.
pub fn read_entity(text: &str) -> Result<(Option<FoundEntity>, Way), Unparsable> {
    let text = without_thought(text);
    if let Some((found, way)) = find(text, structured) {
        let named = [&found.parameter, &found.entity].iter().all(|part| !part.is_empty() && !is_none(part));
        return Ok((named.then_some(found), way));
    }
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("```")).collect();
    let way = if lines.len() == 1 { Way::Text } else { Way::LooseText };
    if let Some(found) = lines.iter().find_map(|line| pair(line)) {
        return Ok((Some(found).filter(|entity| !is_none(&entity.entity)), way));
    }
    if lines.iter().any(|line| is_none(bare(line))) {
        return Ok((None, way));
    }
    Err(Unparsable::new("no_entity", "there is neither a line `parameter: kind` nor `none`"))
}

fn structured(value: &Value) -> Option<FoundEntity> {
    let object = value.as_list().map_or(Some(value), <[Value]>::first)?.as_object()?;
    let text = |key: &str| object.get(key)?.as_str().map(|text| text.trim().to_owned());
    Some(FoundEntity { parameter: text("parameter")?, entity: text("entity")? })
}

/// The last two parts of a line, so that a label before them does no harm.
fn pair(line: &str) -> Option<FoundEntity> {
    let mut parts = line.rsplit([':', '：']).map(bare);
    let (entity, parameter) = (parts.next()?, parts.next()?);
    let named = !parameter.is_empty() && !entity.is_empty() && !parameter.contains(char::is_whitespace);
    (named && parts.all(|label| !label.is_empty()))
        .then(|| FoundEntity { parameter: parameter.to_owned(), entity: entity.to_owned() })
}

fn bare(text: &str) -> &str {
    text.trim_matches(|letter: char| letter.is_whitespace() || "`'\"*-.{}".contains(letter))
}

fn is_none(text: &str) -> bool {
    text.eq_ignore_ascii_case(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<(String, &'static str), &'static str> {
        let (found, way) = read_entity(text).map_err(|error| error.reason)?;
        let found = found.map_or_else(|| "-".to_owned(), |found| format!("{}={}", found.parameter, found.entity));
        Ok((found, way.as_str()))
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with what `read` gives")]
    fn place(way: &'static str) -> Result<(String, &'static str), &'static str> {
        Ok(("to=place".to_owned(), way))
    }

    #[test]
    fn a_line_is_read() {
        assert_eq!(read("to: place"), place("text"));
        assert_eq!(read("- `to`: \"place\".\n"), place("text"));
        assert_eq!(read("Output: to：place"), place("text"));
        assert_eq!(read("```\nto: place\n```"), place("text"));
        assert_eq!(read("I think it is this one\nto: place"), place("loose_text"));
    }

    #[test]
    fn json_is_read() {
        assert_eq!(read(r#"{"parameter": "to", "entity": "place"}"#), place("whole"));
        assert_eq!(read(r#"{"parameter": "", "entity": ""}"#), Ok(("-".to_owned(), "whole")));
        assert_eq!(
            read("```json\n{\"parameter\": \"none\", \"entity\": \"none\"}\n```"),
            Ok(("-".to_owned(), "fenced"))
        );
    }

    #[test]
    fn none_is_an_answer_and_prose_is_not() {
        assert_eq!(read("none"), Ok(("-".to_owned(), "text")));
        assert_eq!(read("None."), Ok(("-".to_owned(), "text")));
        assert_eq!(read("to: none"), Ok(("-".to_owned(), "text")));
        assert_eq!(read("It depends on the query"), Err("no_entity"));
        assert_eq!(read(""), Err("no_entity"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in any::<String>(), line in "[a-z:：`{}\" \\n]{0,40}") {
            for text in [text, line] {
                if let Ok((Some(found), _)) = read_entity(&text) {
                    prop_assert!(!found.parameter.is_empty() && !found.entity.is_empty());
                }
            }
        }
    }

    #[test]
    fn of_a_list_the_first_is_taken_and_half_an_answer_is_none() {
        assert_eq!(read(r#"{"parameter": "to", "entity": "none"}"#), Ok(("-".to_owned(), "whole")));
        assert_eq!(read(r#"[{"parameter":" to ","entity":"place "},5]"#), place("whole"));
        assert_eq!(read("to: "), Err("no_entity"));
        assert_eq!(read(": place"), Err("no_entity"));
        assert_eq!(read("the best one: place"), Err("no_entity"), "a parameter is one word");
    }

    proptest! {
        #[test]
        fn any_pair_comes_back(parameter in "[a-z]{1,6}(_[a-z]{1,6})?", entity in "[a-z]{1,6}( [a-z]{1,6})?") {
            prop_assume!(parameter != NONE && entity != NONE);
            for text in [format!("{parameter}: {entity}"), format!("Output: `{parameter}`：\"{entity}\"")] {
                let found = FoundEntity { parameter: parameter.clone(), entity: entity.clone() };
                prop_assert_eq!(read_entity(&text).unwrap(), (Some(found), Way::Text));
            }
        }
    }
}
