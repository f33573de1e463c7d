//! Reads a description of an API by `OpenAPI` 3.0, 3.1 or Swagger 2 into drafted tools.

use super::super::choose::Choice;
use super::super::draft::{Draft, ImportError};
use super::super::left_out::LeftOut;
use super::super::losses::Losses;
use super::super::name::Names;
use super::super::origins::Source;
use super::document::Document;
use super::operation::{Reading, Spot};
use super::reference::{Found, follow};
use super::server;
use indexmap::IndexMap;
use serde_json::Value as Json;

/// What may be done with a path.
const METHODS: [&str; 9] = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// Drafts a tool for every chosen operation; `file` names the file in errors and in the way back.
pub fn read_openapi(file: &str, text: &str, choice: &Choice) -> Result<Draft, ImportError> {
    let fault = |message: String| ImportError { file: file.to_owned(), message };
    let document = Document::read(text).map_err(|error| fault(error.to_string()))?;
    let form = form(&document.root).map_err(&fault)?;
    let mut reading = Reading {
        root: &document.root,
        is_swagger: form.starts_with("swagger"),
        with: &choice.with,
        losses: Losses::default(),
        left_out: IndexMap::new(),
    };
    let mut draft = Draft { schemes: server::schemes(reading.root, reading.is_swagger), ..Draft::default() };
    let mut names = Names::default();
    for place in places(&mut reading).map_err(&fault)? {
        draft.found += 1;
        let call = format!("{} {}", place.method.to_uppercase(), place.path);
        let tags: Vec<Found<'_>> = place.found.at("tags").iter().flat_map(Found::elements).collect();
        let tags: Vec<&str> = tags.iter().filter_map(|tag| tag.value.as_str()).collect();
        if choice.takes(place.found.text("operationId"), &call, &tags) {
            draft.chosen += 1;
            let mut tool = reading.draft(&place);
            tool.name = names.give(&choice.name_from.name(&place, &tool.original));
            draft.tools.push(tool);
        }
    }
    let info = |key: &str| {
        document.root.pointer(&format!("/info/{key}")).and_then(Json::as_str).unwrap_or_default().to_owned()
    };
    draft.source = Source { file: file.to_owned(), form, title: info("title"), version: info("version") };
    let mut places = reading.losses.places();
    places.extend(reading.left_out.keys().cloned());
    let lines = document.lines(&places);
    let line = |place: &str| lines.get(place).copied();
    draft.left_out = reading.left_out.into_values().map(|it| LeftOut { line: line(&it.place), ..it }).collect();
    draft.losses = reading.losses.listed(line);
    Ok(draft)
}

/// Which form a description has, or what is wrong with it.
fn form(root: &Json) -> Result<String, String> {
    let version = |key: &str| match root.get(key) {
        Some(Json::String(text)) => Some(text.clone()),
        Some(Json::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    match (version("openapi"), version("swagger")) {
        (Some(version), _) if version.starts_with("3.") => Ok(format!("openapi {version}")),
        (None, Some(version)) if version.starts_with('2') => Ok(format!("swagger {version}")),
        (Some(version), _) => Err(format!("/openapi: unsupported version `{version}`; expected 3.0 or 3.1")),
        (None, Some(version)) => Err(format!("/swagger: unsupported version `{version}`; expected 2.0")),
        (None, None) => {
            let keys: Vec<String> =
                root.as_object().into_iter().flatten().take(3).map(|(key, _)| format!("`{key}`")).collect();
            let found = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
            Err(format!(
                "not an API description: expected the key `openapi` or `swagger` at the top level, found {found}"
            ))
        }
    }
}

/// All operations, in the order of the file.
fn places<'d>(reading: &mut Reading<'d>) -> Result<Vec<Spot<'d>>, String> {
    let whole = Found { value: reading.root, place: String::new() };
    if whole.at("webhooks").is_some_and(|it| it.entries().next().is_some()) {
        reading.losses.add("/webhooks", "webhooks are skipped: they are called by the server");
    }
    let paths = whole.at("paths").filter(|paths| paths.value.is_object());
    let paths = paths.ok_or("/paths: expected an object with the paths of the API")?;
    let mut places = Vec::new();
    for (path, stated) in paths.entries().filter(|(path, _)| !path.starts_with("x-")) {
        let place = stated.place.clone();
        let item = match follow(reading.root, stated) {
            Ok(item) if item.value.is_object() => item,
            Ok(_) => {
                reading.losses.add(&place, "expected an object with the operations of this path");
                continue;
            }
            Err(message) => {
                reading.losses.add(&place, message);
                continue;
            }
        };
        for (key, found) in item.entries() {
            let method = METHODS.into_iter().find(|method| key.eq_ignore_ascii_case(method));
            match method.filter(|_| found.value.is_object()) {
                Some(method) => {
                    if found.at("callbacks").is_some() {
                        reading.losses.add(
                            &format!("{}/callbacks", found.place),
                            "callbacks are skipped: they are called by the server",
                        );
                    }
                    places.push(Spot { method: method.to_owned(), path, item: item.clone(), found });
                }
                None if method.is_some() => {
                    reading.losses.add(&found.place, "expected an object that describes the operation");
                }
                None => {}
            }
        }
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        read_openapi("a.yaml", text, &Choice::default()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_description_is_told_with_what_was_found() {
        assert_eq!(
            fault("[]"),
            "a.yaml: not an API description: expected the key `openapi` or `swagger` at the top level, found none"
        );
        assert_eq!(fault("swagger: 1.2"), "a.yaml: /swagger: unsupported version `1.2`; expected 2.0");
        assert_eq!(fault("openapi: 3.0.1\npaths: 3"), "a.yaml: /paths: expected an object with the paths of the API");
        assert_eq!(fault("{\"openapi\" 3}"), "a.yaml: line 1, column 12: expected `:`");
    }

    #[test]
    fn broken_entries_are_losses_with_their_lines_and_the_rest_is_carried_over() {
        let text = "openapi: 3.0.0\npaths:\n  /a: {get: {operationId: a}, post: 3, summary: x}\n  /b: 7\n  /c: {$ref: other.yaml}\n  /d: {$ref: '#/paths/~1a'}\n  x-more: {}\n";
        let draft = read_openapi("a.yaml", text, &Choice::default()).unwrap();
        assert_eq!(draft.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a", "a_2"]);
        let losses: Vec<_> = draft.losses.iter().map(|loss| (loss.place.as_str(), loss.line)).collect();
        assert_eq!(
            losses,
            [
                ("/paths/~1a/post", Some(3)),
                ("/paths/~1b", Some(4)),
                ("/paths/~1c", Some(5)),
                // Another path leads to the same entry, whose place is told.
            ]
        );
        assert_eq!(draft.losses[0].times, 2);
    }

    #[test]
    fn what_is_chosen_is_counted_apart_from_what_is_there() {
        let text =
            "openapi: 3.1.0\ninfo: {title: T, version: 1.2}\npaths:\n  /a: {get: {tags: [x]}, put: {tags: [y]}}\n";
        let choice = Choice { tags: vec!["y".to_owned()], ..Choice::default() };
        let draft = read_openapi("a.yaml", text, &choice).unwrap();
        assert_eq!((draft.found, draft.chosen, draft.tools[0].name.as_str()), (2, 1, "put_a"));
        assert_eq!((draft.source.form.as_str(), draft.source.title.as_str()), ("openapi 3.1.0", "T"));
    }
}
