//! xLAM's rows: one request and its calls, parameters as a flat map with the type names of Python.

use super::super::loss::{Loss, Rule};
use super::{Reasoning, Written, call_value};
use crate::export::lessons::lesson::{Aim, Lesson, object};
use crate::record::{Object, Parameter, Role, Tool, Value};

/// The row.
pub(in super::super) fn row(lesson: &Lesson, reasoning: Reasoning) -> Written {
    let rest = lesson.turns.get(usize::from(lesson.turns.first().is_some_and(|it| it.role == Role::System))..);
    let Some([user, last]) = rest else {
        return Err(Loss::row(lesson.id(), Rule::SeveralTurns, format!("{} turns", lesson.turns.len())));
    };
    let mut losses = Vec::new();
    if lesson.turns.len() > 2 {
        losses.push(Loss::part(lesson.id(), Rule::System, lesson.turns[0].text.clone().unwrap_or_default()));
    }
    if last.text.is_some() && lesson.aim == Aim::Call {
        losses.push(Loss::part(lesson.id(), Rule::TextBesideCall, last.text.clone().unwrap_or_default()));
    }
    if let Some(text) = last.text.as_ref().filter(|_| lesson.aim != Aim::Call) {
        losses.push(Loss::part(lesson.id(), Rule::Words, text.as_str()));
    }
    if last.reasoning.is_some() && reasoning != Reasoning::Drop {
        losses.push(Loss::part(lesson.id(), Rule::Reasoning, ""));
    }
    if let Some((tool, name)) = lesson.tools.iter().find_map(|tool| Some((&tool.name, nested(tool)?))) {
        losses.push(Loss::part(lesson.id(), Rule::NestedSchema, format!("{tool}.{name}")));
    }
    let answers = Value::List(last.calls.iter().map(call_value).collect());
    let tools = Value::List(lesson.tools.iter().map(|tool| flat(tool)).collect());
    let mut row = object([
        ("query", user.text.clone().unwrap_or_default().into()),
        ("answers", answers.to_string().into()),
        ("tools", tools.to_string().into()),
    ]);
    row.extend(super::trl::about(lesson));
    Ok((row, losses))
}

/// A parameter whose schema says more than a flat map can.
fn nested(tool: &Tool) -> Option<&String> {
    let is_nested = |it: &&Parameter| {
        it.more.contains_key("properties")
            || it.more.get("items").is_some_and(|items| items.get("properties").is_some())
    };
    tool.parameters.properties.iter().find(|(_, it)| is_nested(it)).map(|(name, _)| name)
}

fn flat(tool: &Tool) -> Value {
    let parameters: Object = tool
        .parameters
        .properties
        .iter()
        .map(|(name, it)| (name.clone(), parameter(it, tool.parameters.required.contains(name))))
        .collect();
    Value::Object(object([
        ("name", tool.name.as_str().into()),
        ("description", tool.description.as_str().into()),
        ("parameters", parameters.into()),
    ]))
}

/// What is optional says so in its type, as the published rows do.
fn parameter(parameter: &Parameter, is_required: bool) -> Value {
    let word = match parameter.type_name() {
        "integer" | "int" => "int",
        "number" | "float" => "float",
        "boolean" | "bool" => "bool",
        "array" | "list" => "List",
        "object" | "dict" => "Dict",
        _ => "str",
    };
    let word = if is_required { word.to_owned() } else { format!("{word}, optional") };
    let mut out = object([("description", described(parameter).into()), ("type", word.into())]);
    if let Some(default) = parameter.more.get("default") {
        out.insert("default".to_owned(), default.clone().into());
    }
    out.into()
}

/// The description with the listed values behind it, which have no other place.
fn described(parameter: &Parameter) -> String {
    let told = parameter.description.as_deref().unwrap_or_default().trim();
    let values = parameter.values.iter().flatten().cloned().map(Value::from).collect::<Vec<_>>();
    if values.is_empty() {
        return told.to_owned();
    }
    format!("{told} {}", Value::List(values)).trim_start().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{lesson, parallel};
    use super::*;
    use crate::export::lessons::lesson::Turn;

    #[test]
    fn answers_and_tools_are_texts_with_types_of_python() {
        let (row, losses) = row(&lesson("call"), Reasoning::Keep).unwrap();
        assert_eq!(row["answers"].as_str(), Some(r#"[{"name":"Rail.book","arguments":{"to":"Porto"}}]"#));
        assert!(
            row["tools"].as_str().unwrap().contains(r#""seats":{"description":"How many","type":"int, optional"}"#)
        );
        assert!(losses.is_empty());
    }

    #[test]
    fn no_call_is_an_empty_list_and_several_turns_are_none() {
        for aim in ["refusal", "question"] {
            let (row, losses) = row(&lesson(aim), Reasoning::Keep).unwrap();
            let rules: Vec<Rule> = losses.into_iter().map(|loss| loss.rule).collect();
            assert_eq!((row["answers"].as_str(), rules.as_slice()), (Some("[]"), [Rule::Words].as_slice()));
        }
        assert_eq!(row(&parallel(), Reasoning::Keep).unwrap_err().rule, Rule::SeveralTurns);
    }

    #[test]
    fn listed_values_stand_behind_the_description() {
        let mut lesson = lesson("call");
        let tool = std::sync::Arc::make_mut(&mut lesson.tools[0]);
        let listed = r#"{"type": "string", "description": "The class.", "enum": ["first", "second"]}"#;
        tool.parameters.properties.insert("class".to_owned(), serde_json::from_str(listed).unwrap());
        let (row, _) = row(&lesson, Reasoning::Keep).unwrap();
        let tools = Value::read(row["tools"].as_str().unwrap()).unwrap();
        assert!(tools.to_string().contains(r#""description":"The class. [\"first\",\"second\"]""#), "{tools}");
    }

    #[test]
    fn what_has_no_place_is_told() {
        let mut lesson = lesson("call");
        lesson.turns.insert(0, Turn::said(Role::System, "It is noon."));
        lesson.turns[2].text = Some("One moment.".to_owned());
        let rules: Vec<Rule> = row(&lesson, Reasoning::Keep).unwrap().1.into_iter().map(|loss| loss.rule).collect();
        assert_eq!(rules, [Rule::System, Rule::TextBesideCall]);
    }
}
