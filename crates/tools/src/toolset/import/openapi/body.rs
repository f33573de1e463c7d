//! Bodies: of what is sent, each property becomes a parameter; of what comes back, the schema is kept.

use super::super::origins::{Destination, Place};
use super::operation::{Parameters, Reading};
use super::reference::{Found, escaped, follow};
use super::schema::{self, Side, examples, merge};
use serde_json::{Map, Value as Json, json};

/// Media types by preference; the first that is declared is taken.
const MEDIA: [fn(&str) -> bool; 5] = [
    |media| media.starts_with("application/json"),
    |media| media.split(';').next().is_some_and(|it| it.ends_with("+json") || it.ends_with("/json")) || media == "*/*",
    |media| media.starts_with("application/x-www-form-urlencoded"),
    |media| media.starts_with("multipart/"),
    |_| true,
];

/// Adds the parameters of what is sent; the media type of it.
pub(crate) fn read<'d>(
    reading: &mut Reading<'d>,
    operation: &Found<'d>,
    parameters: &mut Parameters,
) -> Option<String> {
    if reading.is_swagger {
        return read_swagger(reading, operation, parameters);
    }
    let stated = operation.at("requestBody")?;
    let place = stated.place.clone();
    let body = match follow(reading.root, stated) {
        Ok(body) => body,
        Err(message) => {
            reading.losses.add(&place, message);
            return None;
        }
    };
    let (media, content) = preferred(&body.at("content")?)?;
    let mut schema = match content.at("schema") {
        Some(schema) => schema::take(reading.root, &schema, Side::Sent, &mut reading.losses),
        None => Map::new(),
    };
    spread_examples(&mut schema, &examples(&content));
    if let Some(text) = body.text("description") {
        schema.entry("description").or_insert_with(|| super::super::describe::plain(text).into());
    }
    let kind = if media == "*/*" { "application/json" } else { media };
    if !structured(kind) && schema.contains_key("properties") {
        reading.losses.add(&content.place, format!("a `{kind}` request body is sent as JSON"));
    }
    add(schema, body.flag("required"), parameters);
    Some(kind.to_owned())
}

fn structured(media: &str) -> bool {
    media.contains("json") || media.contains("form")
}

/// The content of the media type that is easiest to make.
fn preferred<'d>(content: &Found<'d>) -> Option<(&'d str, Found<'d>)> {
    let all: Vec<_> = content.entries().collect();
    let at = MEDIA.iter().find_map(|is| all.iter().position(|(media, _)| is(media)))?;
    all.into_iter().nth(at)
}

/// Swagger 2 declares a body as one parameter, or a form as several.
fn read_swagger<'d>(reading: &mut Reading<'d>, operation: &Found<'d>, parameters: &mut Parameters) -> Option<String> {
    let declared: Vec<Found<'d>> = operation.at("parameters").iter().flat_map(Found::elements).collect();
    let (mut media, mut has_file) = (None, false);
    for found in declared.into_iter().filter_map(|it| follow(reading.root, it).ok()) {
        match found.text("in") {
            Some("body") => {
                let schema =
                    found.at("schema").map(|it| schema::take(reading.root, &it, Side::Sent, &mut reading.losses));
                let mut schema = schema.unwrap_or_default();
                if let Some(text) = found.text("description") {
                    schema.entry("description").or_insert_with(|| super::super::describe::plain(text).into());
                }
                add(schema, found.flag("required"), parameters);
                media = Some("application/json");
            }
            Some("formData") => {
                has_file |= found.text("type") == Some("file");
                let mut schema = schema::take(reading.root, &found, Side::Sent, &mut reading.losses);
                schema.shift_remove("required");
                let name = found.text("name").unwrap_or("form").to_owned();
                property(&name, schema, found.flag("required"), parameters);
                media = Some(if has_file { "multipart/form-data" } else { "application/x-www-form-urlencoded" });
            }
            _ => {}
        }
    }
    let consumes = operation.value.get("consumes").or_else(|| reading.root.get("consumes"));
    let stated = consumes.and_then(|it| it.get(0)?.as_str()).filter(|stated| {
        media
            .is_some_and(|own| structured(own) && structured(stated) && own.contains("form") == stated.contains("form"))
    });
    stated.or(media).map(str::to_owned)
}

/// The parameters of a body: one for each property, or one for the whole where it has none.
fn add(mut schema: Map<String, Json>, required: bool, parameters: &mut Parameters) {
    together(&mut schema);
    let properties = match schema.get_mut("properties") {
        Some(Json::Object(properties)) if !properties.is_empty() => std::mem::take(properties),
        _ => {
            schema.entry("type").or_insert_with(|| json!("object"));
            let destination = Destination {
                place: Place::Body,
                name: "body".to_owned(),
                pointer: Some(String::new()),
                style: None,
                explode: None,
            };
            return parameters.add(schema, required, destination);
        }
    };
    let needed: Vec<&str> =
        schema.get("required").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
    for (name, value) in properties {
        let is_needed = required && needed.contains(&name.as_str());
        property(&name, value.as_object().cloned().unwrap_or_default(), is_needed, parameters);
    }
}

fn property(name: &str, mut schema: Map<String, Json>, required: bool, parameters: &mut Parameters) {
    schema.entry("type").or_insert_with(|| json!("string"));
    let pointer = Some(format!("/{}", escaped(name)));
    parameters.add(
        schema,
        required,
        Destination { place: Place::Body, name: name.to_owned(), pointer, style: None, explode: None },
    );
}

/// Alternatives of a body that are all objects become one with the properties of all; only what all need is required.
fn together(schema: &mut Map<String, Json>) {
    let is_object = |part: &Json| {
        part.get("properties").is_some_and(Json::is_object) || part.get("required").is_some_and(Json::is_array)
    };
    if !schema.get("anyOf").and_then(Json::as_array).is_some_and(|parts| parts.iter().all(is_object)) {
        return;
    }
    let Some(Json::Array(parts)) = schema.shift_remove("anyOf") else { return };
    let names = |part: &Json| part.get("required").and_then(Json::as_array).cloned().unwrap_or_default();
    let shared: Vec<Json> = parts.first().map(names).unwrap_or_default();
    let shared: Vec<Json> =
        shared.into_iter().filter(|name| parts.iter().all(|part| names(part).contains(name))).collect();
    merge(schema, Map::from_iter([("required".to_owned(), Json::Array(shared))]));
    for part in parts {
        let Json::Object(mut part) = part else { continue };
        part.shift_remove("required");
        part.shift_remove("description");
        merge(schema, part);
    }
}

/// Examples of a whole body tell of its properties.
fn spread_examples(schema: &mut Map<String, Json>, examples: &[Json]) {
    let Some(Json::Object(properties)) = schema.get_mut("properties") else { return };
    for (name, property) in properties.iter_mut().filter_map(|(name, it)| Some((name, it.as_object_mut()?))) {
        for value in examples.iter().filter_map(|example| example.get(name)).filter(|it| !it.is_null()) {
            if let Json::Array(known) = property.entry("examples").or_insert_with(|| json!([]))
                && !known.contains(value)
            {
                known.push(value.clone());
            }
        }
    }
}

/// The schema of what comes back when all went well.
pub(crate) fn answer<'d>(reading: &mut Reading<'d>, operation: &Found<'d>) -> Option<Json> {
    let responses = operation.at("responses")?;
    let good = |code: &str| code.starts_with('2');
    let (_, stated) = responses
        .entries()
        .find(|(code, _)| good(code))
        .or_else(|| responses.entries().find(|(code, _)| *code == "default"))?;
    let response = follow(reading.root, stated).ok()?;
    let found = if reading.is_swagger {
        response.at("schema")?
    } else {
        let (media, content) = preferred(&response.at("content")?)?;
        content.at("schema").filter(|_| media.contains("json") || media == "*/*")?
    };
    let schema = schema::take(reading.root, &found, Side::Answered, &mut reading.losses);
    (!schema.is_empty()).then(|| Json::Object(schema))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{draft, operation};
    use serde_json::json;

    #[test]
    fn each_property_of_a_body_is_a_parameter_with_its_place() {
        let draft = draft(
            "openapi: 3.0.0\npaths:\n  /a:\n    post:\n      requestBody:\n        required: true\n        content:\n          text/plain: {}\n          application/json:\n            schema: {type: object, required: [a/b], properties: {a/b: {type: string}, c: {type: object, properties: {d: {type: integer}}}}}\n            example: {a/b: x, c: {d: 4}}\n",
        );
        let (tool, own) = (&draft.tools[0], operation(&draft.tools[0]));
        assert_eq!(own.content_type.as_deref(), Some("application/json"));
        assert_eq!(own.parameters["a_b"].pointer.as_deref(), Some("/a~1b"));
        assert_eq!(tool.parameters["required"], json!(["a_b"]));
        assert_eq!(tool.parameters["properties"]["a_b"]["examples"], json!(["x"]));
        assert_eq!(tool.parameters["properties"]["c"]["properties"]["d"], json!({"type": "integer"}));
    }

    #[test]
    fn a_body_without_properties_is_one_parameter() {
        let draft = draft(
            "openapi: 3.0.0\npaths:\n  /a: {put: {requestBody: {content: {application/json: {schema: {type: array, items: {type: string}}}}}}}\n  /b: {put: {requestBody: {required: true, content: {application/octet-stream: {schema: {type: string, format: binary}}}}}}\n",
        );
        assert_eq!(operation(&draft.tools[0]).parameters["body"].pointer.as_deref(), Some(""));
        assert_eq!(draft.tools[0].parameters["required"], json!([]));
        assert_eq!(draft.tools[1].parameters["required"], json!(["body"]));
        assert_eq!(draft.losses[0].message, "file uploads become strings");
    }

    #[test]
    fn alternatives_of_a_body_are_put_together() {
        let draft = draft(
            "openapi: 3.1.0\npaths:\n  /a: {post: {requestBody: {required: true, content: {application/json: {schema: {oneOf: [{properties: {a: {type: string}, b: {type: string}}, required: [a, b]}, {properties: {a: {type: string}, c: {type: integer}}, required: [a]}]}}}}}}\n",
        );
        let names: Vec<&str> =
            draft.tools[0].parameters["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!((names, &draft.tools[0].parameters["required"]), (vec!["a", "b", "c"], &json!(["a"])));
    }

    #[test]
    fn swagger_bodies_and_forms_are_read() {
        let draft = draft(
            "swagger: '2.0'\nconsumes: [application/json]\npaths:\n  /a: {post: {parameters: [{in: body, name: it, required: true, schema: {$ref: '#/definitions/It'}}], responses: {201: {schema: {type: array, items: {type: string}}}}}}\n  /b: {post: {parameters: [{in: formData, name: f, type: file, required: true}, {in: formData, name: n, type: integer}]}}\ndefinitions: {It: {required: [x], properties: {x: {type: string}}}}\n",
        );
        assert_eq!(draft.tools[0].parameters["required"], json!(["x"]));
        assert_eq!(draft.tools[0].returns, Some(json!({"type": "array", "items": {"type": "string"}})));
        let form = operation(&draft.tools[1]);
        assert_eq!(form.content_type.as_deref(), Some("multipart/form-data"));
        assert_eq!(form.parameters["n"].pointer.as_deref(), Some("/n"));
        assert_eq!(draft.tools[1].parameters["properties"]["f"]["type"], "string");
    }

    #[test]
    fn an_answer_is_the_first_that_went_well() {
        let draft = draft(
            "openapi: 3.0.0\npaths:\n  /a:\n    get: {responses: {404: {}, 200: {content: {text/html: {}, application/hal+json: {schema: {type: string}}}}}}\n    put: {responses: {204: {description: none}}}\n    post: {responses: {default: {content: {'*/*': {schema: {type: integer}}}}}}\n",
        );
        let returns: Vec<_> = draft.tools.iter().map(|tool| tool.returns.clone()).collect();
        assert_eq!(returns, [Some(json!({"type": "string"})), None, Some(json!({"type": "integer"}))]);
    }
}
