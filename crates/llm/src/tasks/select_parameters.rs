//! Choose the parameters that people would mention (E.3).

use super::{Common, TaskInfo};
use crate::record::{Tool, Value};
use crate::text::{Unparsable, Way, blocks, find, without_thought};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::creative("select_parameters", "SelectParameters").voiced();

/// Parameters are to be chosen.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct SelectVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// How many to choose.
    pub count: usize,
}

/// The structured answer to [`super::Task::SelectParameters`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SelectedParameters {
    /// Why these.
    pub thoughts: String,
    /// Their names.
    pub parameters: Vec<String>,
}

/// Reads names in the order given. Whether they exist, and how many there are, is for the stage to check.
pub fn read_selected(text: &str) -> Result<(SelectedParameters, Way), Unparsable> {
    let text = without_thought(text).trim();
    if let Some(found) = find(text, structured) {
        return Ok(found);
    }
    let (list, way) = match blocks(text).last() {
        Some(block) => (*block, Way::Text),
        None => (text.lines().last().unwrap_or_default(), Way::LooseText),
    };
    let parameters = names(list);
    if parameters.is_empty() || parameters.iter().any(|name| name.contains(char::is_whitespace)) {
        return Err(Unparsable::new("no_names", "the last line is not a list of parameter names in backticks"));
    }
    // The last of them: a thought may well name what it leads to.
    let thoughts =
        text.rsplit_once(list).map_or("", |(thoughts, _)| thoughts).trim_matches(['`', '\n', ' ']).to_owned();
    Ok((SelectedParameters { thoughts, parameters }, way))
}

fn structured(value: &Value) -> Option<SelectedParameters> {
    let (thoughts, list) = match value {
        Value::List(_) => ("", value),
        other => {
            let object = other.as_object()?;
            let thoughts = object.get("thoughts").and_then(Value::as_str).unwrap_or_default();
            (thoughts, object.get("parameters")?)
        }
    };
    let Value::List(items) = list else { return None };
    let parameters: Option<Vec<String>> = items.iter().map(|item| item.as_str().map(str::to_owned)).collect();
    let parameters = parameters.filter(|names| !names.is_empty())?;
    Some(SelectedParameters { thoughts: thoughts.to_owned(), parameters })
}

fn names(list: &str) -> Vec<String> {
    // A fence's first line may name a format; a parameter may bear the same name, but then it stands in the list.
    let list = list.split_once('\n').filter(|(first, _)| is_language(first.trim())).map_or(list, |(_, rest)| rest);
    let list = list.rsplit([':', '：']).next().unwrap_or(list);
    let marks = |letter: char| letter.is_whitespace() || "`'\"*-.[]()".contains(letter);
    let parts = list.split([',', '，', '、', '\n']).map(|name| name.trim_matches(marks));
    parts.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn is_language(name: &str) -> bool {
    ["text", "txt", "plaintext", "json", "csv", "markdown"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Result<(Vec<String>, &'static str), &'static str> {
        read_selected(text).map(|(selected, way)| (selected.parameters, way.as_str())).map_err(|error| error.reason)
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is compared with what `read` gives")]
    fn both(way: &'static str) -> Result<(Vec<String>, &'static str), &'static str> {
        Ok((vec!["clock_time".to_owned(), "label".to_owned()], way))
    }

    #[test]
    fn a_parameter_may_be_called_text() {
        assert_eq!(read_selected("```subject, text```").unwrap().0.parameters, ["subject", "text"]);
        assert_eq!(read_selected("```text```").unwrap().0.parameters, ["text"]);
    }

    #[test]
    fn names_in_backticks_after_a_thought_are_read() {
        assert_eq!(read("People say when, and what for.\n```clock_time, label```"), both("text"));
        assert_eq!(read("When.\n```\nclock_time, label\n```"), both("text"));
        assert_eq!(read("When.\n```text\nclock_time\nlabel\n```"), both("text"));
        assert_eq!(read_selected("When.\n```clock_time, label```").unwrap().0.thoughts, "When.");
    }

    #[test]
    fn looser_lists_are_read() {
        assert_eq!(read("I think so.\nOutput 2 parameters: clock_time, label"), both("loose_text"));
        assert_eq!(read("`clock_time`, `label`."), both("loose_text"));
        assert_eq!(read("이유\nclock_time、label"), both("loose_text"));
    }

    #[test]
    fn json_is_read() {
        assert_eq!(read(r#"{"thoughts": "so", "parameters": ["clock_time", "label"]}"#), both("whole"));
        assert_eq!(read("So.\n```json\n[\"clock_time\", \"label\"]\n```"), both("fenced"));
    }

    #[test]
    fn prose_and_empty_lists_are_not_names() {
        assert_eq!(read("I would rather not choose any"), Err("no_names"));
        assert_eq!(read(""), Err("no_names"));
        assert_eq!(read("``` ```"), Err("no_names"));
    }

    proptest! {
        #[test]
        fn any_text_can_be_read(text in any::<String>(), form in "[a-z_,` \\n:\\[\\]\"]{0,50}") {
            for text in [text, form] {
                if let Ok((selected, _)) = read_selected(&text) {
                    prop_assert!(!selected.parameters.is_empty());
                }
            }
        }
    }

    #[test]
    fn thoughts_end_where_the_list_begins_even_if_they_name_what_is_in_it() {
        let thoughts = |text: &str| read_selected(text).unwrap().0.thoughts;
        assert_eq!(thoughts("I take label, as it matters.\n```label```"), "I take label, as it matters.");
        assert_eq!(thoughts("`label` or not?\n`label`"), "label` or not?");
        assert_eq!(thoughts("```label```"), "");
    }

    proptest! {
        #[test]
        fn names_come_back_in_their_order(names in prop::collection::vec("[a-z]{1,5}_[a-z]{1,5}", 1..5), thought in "[A-Z][a-z ,]{0,20}\\.") {
            let list = names.join(", ");
            let (selected, way) = read_selected(&format!("{thought}\n```{list}```")).unwrap();
            prop_assert_eq!((selected.parameters, selected.thoughts, way), (names, thought, Way::Text));
        }
    }
}
