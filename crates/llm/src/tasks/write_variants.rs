//! Put into words what variants of a dialogue plan, all of them in one answer (HammerBench 3.2, E.6).

use super::{Common, PlannedValue, TaskInfo};
use crate::record::{Phrases, SaidWords, Tool, Value};
use crate::text::{Unparsable, Way, find, without_thought};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

pub(super) const INFO: TaskInfo = TaskInfo::creative("write_variants", "WriteVariants").voiced();

/// Lines of variants are to be written, or those of some variants once more.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VariantsVariables {
    /// What every prompt is given.
    pub common: Common,
    /// The tool.
    pub tool: Arc<Tool>,
    /// What its toolset knows to say of it; for the built-in model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phrases: Option<Arc<Phrases>>,
    /// The time that days and hours are counted from, in ISO 8601.
    pub reference_time: String,
    /// How the person speaks, in words.
    pub manner: String,
    /// Why the person wants it.
    pub situation: Option<String>,
    /// The variants, each as a whole conversation.
    pub variants: Vec<VariantPlan>,
}

/// A variant before it is written.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VariantPlan {
    /// Its name in the prompt and the answer: a letter.
    pub id: String,
    /// Its lines, in order.
    pub lines: Vec<VariantLine>,
    /// How its person speaks, where the variants are of several people; else empty.
    #[serde(default)]
    pub manner: String,
    /// Why that person asks, where it is known.
    #[serde(default)]
    pub situation: Option<String>,
    /// What was wrong with it in the last answer; empty at the first asking.
    pub fault: String,
}

/// What happens in a line that is to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineDeed {
    /// Nothing: the line stands.
    #[default]
    Stands,
    /// The assistant asks for several things at once.
    Ask,
    /// The person gives several values at once.
    Answer,
    /// The person gives a value and takes one back in the same breath.
    Correct,
    /// In place of an answer, the person takes back a value that was said before.
    Change,
    /// The assistant says that it is done.
    Report,
    /// The person wants the same once more, with another value.
    Again,
    /// In place of an answer, the person turns to something else.
    Shift,
    /// The assistant says that it cannot do that.
    Refuse,
    /// The person points at a message that holds a value, and does not say it.
    Point,
}

/// A line of a variant.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct VariantLine {
    /// Its number among those that are to be written, from 1; 0 where it stands.
    pub n: usize,
    /// `user` or `assistant`.
    pub speaker: String,
    /// What happens in it.
    pub deed: LineDeed,
    /// Its text where it stands; the last one where it is written once more.
    pub text: String,
    /// What it asks for.
    pub asks: Vec<AskedSlot>,
    /// The values that it gives.
    pub says: Vec<PlannedValue>,
    /// The values that it takes back, each with the one in its place.
    pub changes: Vec<ChangedValue>,
    /// The value that it points at.
    pub hides: Option<PlannedValue>,
    /// What the person turns to, or where the message comes from.
    pub about: String,
    /// The tool that would serve what the person turns to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<Arc<Tool>>,
    /// What its toolset knows to say of that tool; for the built-in model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phrases: Option<Arc<Phrases>>,
}

/// A parameter that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AskedSlot {
    /// Its name.
    pub name: String,
    /// Its description.
    pub about: String,
}

/// A value that takes another's place.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct ChangedValue {
    /// The parameter.
    pub name: String,
    /// The value that is taken back.
    pub from: Option<Value>,
    /// The value in its place.
    pub to: PlannedValue,
}

/// A line of a variant as it was written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NewLine {
    /// Its number.
    pub n: usize,
    /// The text.
    pub text: String,
    /// The words that say each value.
    pub said: SaidWords,
    /// The words that say the value that is taken back.
    pub was: String,
    /// The message that holds the value, where the line points at one.
    pub message: Option<String>,
}

/// A variant as it was written: its lines, or nothing where the writer finds that it makes no sense.
pub type NewVariant = Option<Vec<NewLine>>;

/// The variants of an answer, by their letters.
pub fn read_variants(text: &str) -> Result<(Vec<(String, NewVariant)>, Way), Unparsable> {
    let list = |value: &Value| Some(value.as_object()?.get("variants")?.as_list()?.to_vec());
    let (variants, way) = find(without_thought(text), list)
        .ok_or_else(|| Unparsable::new("no_variants", "there is no JSON object with a list `variants`"))?;
    let variant = |value: &Value| {
        let variant = value.as_object()?;
        let id = variant.get("id")?.as_str()?.trim().to_owned();
        if variant.get("sensible").and_then(Value::as_bool) == Some(false) {
            return Some((id, None));
        }
        let lines = variant.get("lines").and_then(Value::as_list).unwrap_or_default();
        Some((id, Some(lines.iter().filter_map(line).collect())))
    };
    Ok((variants.iter().filter_map(variant).collect(), way))
}

fn line(value: &Value) -> Option<NewLine> {
    let line = value.as_object()?;
    let text = |key: &str| line.get(key).and_then(Value::as_str).map(|text| text.trim().to_owned());
    let words = |(name, words): (&String, &Value)| {
        let words: Vec<String> = match words {
            Value::String(words) => vec![words.trim().to_owned()],
            Value::List(words) => words.iter().filter_map(|it| Some(it.as_str()?.trim().to_owned())).collect(),
            _ => return None,
        };
        Some((name.clone(), words))
    };
    let said = line.get("said").and_then(Value::as_object);
    Some(NewLine {
        n: line.get("n")?.to_string().parse().ok()?,
        text: text("text")?,
        said: said.into_iter().flatten().filter_map(words).collect(),
        was: text("was").unwrap_or_default(),
        message: text("message").filter(|message| !message.is_empty()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_are_read_by_their_letters() {
        let text = r#"{"variants": [{"id": "A", "sensible": true, "lines": [
            {"n": 1, "text": " to Porto, no, Faro ", "said": {"to": "Faro", "at": null}, "was": "Porto", "message": null}, {"text": "x"}]},
            {"id": "B", "sensible": false, "lines": []}]}"#;
        let variants = read_variants(text).unwrap().0;
        let lines = variants[0].1.as_ref().unwrap();
        assert_eq!((lines.len(), lines[0].text.as_str(), lines[0].was.as_str()), (1, "to Porto, no, Faro", "Porto"));
        assert_eq!(lines[0].said, SaidWords::from_iter([("to".to_owned(), vec!["Faro".to_owned()])]));
        assert_eq!((variants[1].0.as_str(), &variants[1].1, &lines[0].message), ("B", &None, &None));
    }

    #[test]
    fn an_answer_without_variants_is_a_fault() {
        assert_eq!(read_variants("Porto").unwrap_err().reason, "no_variants");
    }
}
