//! Reads lists of tools in the forms that people have them in: OpenAI's, Anthropic's, BFCL's, Hermes' and xLAM's, mixed as
//! they come; JSON, a line of JSON for each, or a text with `<tools>`.

use super::draft::{Draft, ImportError};
use super::listed::{Drafter, Listed, under};
use super::openapi::typed;
use super::origins::{Origin, Source};
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};

/// Keys under which datasets hold the tools of a row.
const HOLDERS: [&str; 5] = ["tools", "functions", "function", "available_tools", "function_list"];

/// How deep tools may lie in what is read.
const DEEPEST: usize = 12;

/// Reads a list of tools; `file` names the file in errors and in the way back.
pub fn read_tools(file: &str, text: &str) -> Result<Draft, ImportError> {
    let fault = |message: String| ImportError { file: file.to_owned(), message };
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader::default();
    let rows = rows(text).map_err(fault)?;
    let is_lines = rows.len() > 1 || rows.first().is_some_and(|row| row.line > 0);
    let mut lines = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let place = if is_lines { format!("/{at}") } else { String::new() };
        lines.insert(place.clone(), row.line);
        reader.collect(&row.value, &place, 0);
    }
    if reader.drafter_is_empty {
        return Err(fault("no tools: expected objects with `name` and `parameters`, such as `{\"type\": \"function\", \"function\": {...}}`".to_owned()));
    }
    let mut draft = reader.drafter.finish(|places| line_of(text, is_lines, &lines, places));
    draft.source = Source { file: file.to_owned(), form: "tools".to_owned(), ..Source::default() };
    Ok(draft)
}

/// The lines of places: those of their rows, or those within the one value.
fn line_of(
    text: &str,
    is_lines: bool,
    rows: &BTreeMap<String, usize>,
    places: &BTreeSet<String>,
) -> BTreeMap<String, usize> {
    if !is_lines {
        return super::lines::of_json(text, places);
    }
    let row = |place: &String| {
        let first = place.split('/').nth(1)?;
        Some((place.clone(), *rows.get(&format!("/{first}"))?))
    };
    places.iter().filter_map(row).collect()
}

/// A value of the file with the line where it begins; 0 where the file is one value.
struct Row {
    value: Json,
    line: usize,
}

/// The values of a file: the whole, those between `<tools>` and `</tools>`, or one for each line.
fn rows(text: &str) -> Result<Vec<Row>, String> {
    let whole = serde_json::from_str::<Json>(text);
    let first = match whole {
        Ok(value) => return Ok(vec![Row { value, line: 0 }]),
        Err(error) => error,
    };
    if text.contains("<tools>") && !text.trim_start().starts_with(['{', '[']) {
        return tagged(text, 1);
    }
    let written = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(at, line): (usize, &str)| match serde_json::from_str(line) {
        Ok(value) => Ok(Row { value, line: at + 1 }),
        Err(error) => Err((at, format!("line {}, column {}: not JSON", at + 1, error.column()))),
    };
    let rows: Result<Vec<Row>, (usize, String)> = written.map(read).collect();
    // A file whose first line is no value is one value with a fault in it.
    rows.map_err(|(at, message)| if at == 0 { format!("not JSON: {first}") } else { message })
        .and_then(|rows| if rows.is_empty() { Err("the file is empty".to_owned()) } else { Ok(rows) })
}

/// What stands between `<tools>` and `</tools>`: a list, or values one after the other.
fn tagged(text: &str, line: usize) -> Result<Vec<Row>, String> {
    let inside: Vec<&str> =
        text.split("<tools>").skip(1).filter_map(|rest| Some(rest.split_once("</tools>")?.0)).collect();
    let mut rows = Vec::new();
    for inner in inside.into_iter().filter(|inner| !inner.trim().is_empty()) {
        for value in serde_json::Deserializer::from_str(inner.trim()).into_iter() {
            let value = value.map_err(|error| format!("between `<tools>` and `</tools>`: {error}"))?;
            rows.push(Row { value, line });
        }
    }
    if rows.is_empty() { Err("no content between `<tools>` and `</tools>`".to_owned()) } else { Ok(rows) }
}

struct Reader {
    drafter: Drafter,
    drafter_is_empty: bool,
    /// Tools that were taken in: datasets repeat them in row after row.
    seen: BTreeSet<String>,
}

impl Default for Reader {
    fn default() -> Self {
        Self { drafter: Drafter::default(), drafter_is_empty: true, seen: BTreeSet::new() }
    }
}

impl Reader {
    /// Takes in the tools of a value.
    fn collect(&mut self, value: &Json, place: &str, depth: usize) {
        if depth > DEEPEST {
            return self.drafter.lose(place, "nested too deeply");
        }
        match value {
            Json::Array(list) => {
                for (at, value) in list.iter().enumerate() {
                    self.collect(value, &format!("{place}/{at}"), depth + 1);
                }
            }
            Json::String(text) => self.text(text, place, depth),
            Json::Object(fields) => {
                let wrapped = fields.get("function").filter(|function| function.get("name").is_some());
                if let Some(function) = wrapped {
                    return self.tool(function, &under(place, "function"));
                }
                let is_tool = fields.get("name").is_some_and(Json::is_string)
                    && ["parameters", "input_schema", "inputSchema", "description", "arguments"]
                        .iter()
                        .any(|key| fields.contains_key(*key));
                if is_tool {
                    return self.tool(value, place);
                }
                if let Some(key) = HOLDERS.into_iter().find(|key| fields.contains_key(*key)) {
                    return self.collect(&value[key], &under(place, key), depth + 1);
                }
                match said(value) {
                    Some(text) => self.text(text, place, depth),
                    None => self
                        .drafter
                        .refuse(place, "expected a tool: an object with `name` and `parameters` or `input_schema`"),
                }
            }
            other => self.drafter.refuse(place, format!("expected a tool, found `{other}`")),
        }
    }

    /// A text within a row: JSON once more, or a system prompt with `<tools>`.
    fn text(&mut self, text: &str, place: &str, depth: usize) {
        let rows = if text.contains("<tools>") {
            tagged(text, 0)
        } else {
            serde_json::from_str(text)
                .map(|value| vec![Row { value, line: 0 }])
                .map_err(|error| format!("not JSON: {error}"))
        };
        match rows {
            Ok(rows) => rows.iter().for_each(|row| self.collect(&row.value, place, depth + 1)),
            Err(message) => self.drafter.refuse(place, message),
        }
    }

    fn tool(&mut self, tool: &Json, place: &str) {
        let name = tool.get("name").and_then(Json::as_str).unwrap_or_default().trim();
        if name.is_empty() {
            return self.drafter.refuse(place, "`name` is empty");
        }
        self.drafter_is_empty = false;
        if !self.seen.insert(tool.to_string()) {
            return;
        }
        let schema =
            ["parameters", "input_schema", "inputSchema", "arguments"].into_iter().find_map(|key| tool.get(key));
        let returns =
            ["returns", "output_schema", "outputSchema", "response"].into_iter().find_map(|key| tool.get(key));
        let listed = Listed {
            name: name.to_owned(),
            group: name.rsplit_once('.').map_or("tools", |(group, _)| group).to_owned(),
            description: tool.get("description").and_then(Json::as_str).unwrap_or_default().to_owned(),
            parameters: typed::parameters(schema.unwrap_or(&Json::Null)),
            returns: returns.filter(|it| it.is_object()).map(typed::parameters),
            place: place.to_owned(),
        };
        self.drafter.add(listed, |name, parameters| Origin::List { name, parameters });
    }
}

/// The text of a row's system message that holds tools.
fn said(row: &Json) -> Option<&str> {
    let messages = ["conversations", "messages"].into_iter().find_map(|key| row.get(key)?.as_array())?;
    let texts = messages.iter().filter_map(|message| message.get("value").or_else(|| message.get("content"))?.as_str());
    texts.into_iter().find(|text| text.contains("<tools>"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let draft = read_tools("t", text).unwrap();
        draft
            .tools
            .iter()
            .map(|tool| format!("{} {}", tool.name, tool.parameters["properties"]["a"]["type"].as_str().unwrap_or("-")))
            .collect()
    }

    fn fault(text: &str) -> String {
        read_tools("t", text).unwrap_err().to_string()
    }

    const OPENAI: &str = r#"{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}}"#;

    #[test]
    fn every_form_is_told_by_what_stands_in_it() {
        let anthropic = r#"{"name": "g", "description": "d", "input_schema": {"type": "object", "properties": {"a": {"type": "string"}}}}"#;
        let bfcl = r#"{"id": "simple_0", "question": [], "function": [{"name": "m.h", "parameters": {"type": "dict", "properties": {"a": {"type": "float"}}}}]}"#;
        let xlam = r#"{"query": "q", "tools": "[{\"name\": \"x\", \"description\": \"d\", \"parameters\": {\"a\": {\"type\": \"List[int]\", \"description\": \"e\"}}}]"}"#;
        let hermes = r#"{"conversations": [{"from": "system", "value": "You may call <tools>[{\"type\": \"function\", \"function\": {\"name\": \"k\", \"parameters\": {\"properties\": {\"a\": {\"type\": \"bool\"}}}}}]</tools>"}]}"#;
        assert_eq!(names(&format!("[{OPENAI}, {anthropic}]")), ["f integer", "g string"]);
        let lines = [OPENAI, anthropic, bfcl, xlam, hermes, OPENAI].join("\n");
        assert_eq!(
            names(&lines),
            ["f integer", "g string", "m_h number", "x array", "k boolean"],
            "one that stands twice comes once"
        );
    }

    #[test]
    fn a_prompt_with_tools_is_read() {
        let text = format!(
            "You are helpful. <tools>\n{OPENAI}\n{{\"name\": \"z\", \"description\": \"d\"}}\n</tools> Answer."
        );
        assert_eq!(names(&text), ["f integer", "z -"]);
        assert_eq!(fault("Say <tools></tools>"), "t: no content between `<tools>` and `</tools>`");
    }

    #[test]
    fn faults_and_refused_entries_have_places() {
        assert!(
            fault("[{\"name\": 3,\n}]").starts_with("t: not JSON: expected value at line 2")
                || fault("[{\"name\": 3,\n}]").starts_with("t: not JSON: trailing comma at line 2")
        );
        assert_eq!(fault(&format!("{OPENAI}\n{{\"a\"")), "t: line 2, column 4: not JSON");
        assert_eq!(fault("  "), "t: the file is empty");
        assert!(fault("[1]").starts_with("t: no tools: expected objects"));
        let draft =
            read_tools("t", &format!("{OPENAI}\n{{\"b\": 1}}\n{{\"name\": \" \", \"description\": \"\"}}")).unwrap();
        let losses: Vec<_> = draft.losses.iter().map(|loss| (loss.place.as_str(), loss.line)).collect();
        assert_eq!((losses, draft.found), (vec![("/1", Some(2)), ("/2", Some(3))], 3));
    }

    #[test]
    fn two_tools_of_one_name_stay_apart() {
        let other = OPENAI.replace("integer", "string");
        let draft = read_tools("t", &format!("[{OPENAI}, {other}]")).unwrap();
        assert_eq!(
            draft.tools.iter().map(|tool| (tool.name.as_str(), tool.original.as_str())).collect::<Vec<_>>(),
            [("f", "f"), ("f_2", "f")]
        );
    }
}
