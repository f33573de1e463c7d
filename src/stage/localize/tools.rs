//! The texts of a tool: what it does, what its parameters mean, how listed values are said. Names and values stay.

use super::words::Texts;
use crate::record::Tool;
use serde_json::Value as Json;

/// The texts of a tool, by id.
pub(super) fn tool_texts(tool: &Tool) -> Texts {
    let mut texts = Texts::new();
    each_text(&mut tool.clone(), &mut |id, text| drop(texts.insert(id, text.clone())));
    texts
}

/// The tool with these texts in the places of those that have their ids.
pub(super) fn with_texts(tool: &Tool, texts: &Texts) -> Tool {
    let mut tool = tool.clone();
    each_text(&mut tool, &mut |id, text| {
        if let Some(new) = texts.get(&id) {
            text.clone_from(new);
        }
    });
    tool
}

fn each_text(tool: &mut Tool, see: &mut impl FnMut(String, &mut String)) {
    show(&mut tool.description, "tool".to_owned(), see);
    for (name, parameter) in &mut tool.parameters.properties {
        if let Some(description) = &mut parameter.description {
            show(description, format!("parameter {name}"), see);
        }
        for (key, more) in &mut parameter.more {
            each_description(more, &format!("parameter {name} {key}"), see);
        }
    }
    if let Some(returns) = &mut tool.returns {
        each_description(returns, "answer", see);
    }
    for (name, wordings) in &mut tool.wordings {
        for (value, texts) in wordings {
            for (ordinal, text) in texts.iter_mut().enumerate() {
                show(text, format!("words for {name} {value} {ordinal}"), see);
            }
        }
    }
}

/// The descriptions within a schema.
fn each_description(schema: &mut Json, id: &str, see: &mut impl FnMut(String, &mut String)) {
    match schema {
        Json::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Json::String(text) if key == "description" => show(text, id.to_owned(), see),
                    other => each_description(other, &format!("{id} {key}"), see),
                }
            }
        }
        Json::Array(values) => {
            for (ordinal, value) in values.iter_mut().enumerate() {
                each_description(value, &format!("{id} {ordinal}"), see);
            }
        }
        _ => (),
    }
}

fn show(text: &mut String, id: String, see: &mut impl FnMut(String, &mut String)) {
    if text.chars().any(char::is_alphabetic) {
        see(id, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> Tool {
        serde_json::from_value(serde_json::json!({
            "name": "Travel.Trains.book", "description": "Books a train",
            "parameters": {"properties": {
                "class": {"type": "string", "description": "The class", "enum": ["first", "second"]},
                "seats": {"type": "array", "items": {"type": "string", "description": "A seat"}},
            }},
            "returns": {"type": "object", "properties": {"id": {"description": "The number of the ticket"}}},
            "wordings": {"class": {"first": ["in the first class"]}},
        }))
        .unwrap()
    }

    #[test]
    fn descriptions_and_wordings_are_texts() {
        let texts = tool_texts(&tool());
        let told: Vec<String> = texts.iter().map(|(id, text)| format!("{id}: {text}")).collect();
        insta::assert_snapshot!(told.join("\n"), @r"
        tool: Books a train
        parameter class: The class
        parameter seats items: A seat
        answer properties id: The number of the ticket
        words for class first 0: in the first class
        ");
    }

    #[test]
    fn names_types_and_listed_values_stay() {
        let texts = tool_texts(&tool()).into_iter().map(|(id, _)| (id, "새 글".to_owned())).collect();
        let new = with_texts(&tool(), &texts);
        assert!(tool_texts(&new).values().all(|text| text == "새 글"));
        let class = |tool: &Tool| tool.parameters.properties["class"].clone();
        assert_eq!((new.name, class(&tool()).values), (tool().name, class(&with_texts(&tool(), &texts)).values));
        assert_eq!(with_texts(&tool(), &Texts::new()), tool());
    }
}
