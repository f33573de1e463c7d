//! Descriptions that name functions: they follow a rename, and what they name must be there.
//!
//! A name is known by its form (`FindTrails`, `find_trails`) or by backticks, so that no plain word is taken for one.

use super::Finding;
use fcgen_core::locale::words;
use fcgen_core::record::Tool;
use indexmap::IndexMap;
use serde_json::Value as Json;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Keywords of a schema whose content is data, in which a `description` describes nothing.
const DATA: [&str; 5] = ["default", "enum", "const", "example", "examples"];

/// What the functions and the fields of a set of tools are called.
#[derive(Debug, Clone, Default)]
pub struct Names {
    /// The functions as they are called now, by their names without case and underscores.
    functions: IndexMap<String, String>,
    /// Parameters, fields of answers and listed values.
    fields: BTreeSet<String>,
    /// First words of the functions' names.
    verbs: BTreeSet<String>,
    /// Their other words, without a plural's ending.
    nouns: BTreeSet<String>,
}

impl Names {
    /// The names of these tools.
    pub fn of<'t>(tools: impl IntoIterator<Item = &'t Tool>) -> Self {
        let mut names = Self::default();
        for tool in tools {
            names.add_function(tool.function());
            for (name, parameter) in &tool.parameters.properties {
                names.fields.insert(key(name));
                names.add_fields(&serde_json::to_value(parameter).unwrap_or_default());
            }
            names.add_fields(tool.returns.as_ref().unwrap_or(&Json::Null));
        }
        names
    }

    /// Adds a function under the name by which it is called now; however it was written before, it is that one.
    pub fn add_function(&mut self, name: &str) {
        self.functions.insert(key(name), name.to_owned());
        let mut parts = words(name).into_iter();
        self.verbs.extend(parts.next());
        self.nouns.extend(parts.map(|word| singular(&word).to_owned()));
    }

    fn add_fields(&mut self, schema: &Json) {
        match schema {
            Json::Object(map) => {
                for (keyword, inner) in map {
                    match (keyword.as_str(), inner) {
                        ("properties", Json::Object(properties)) => {
                            self.fields.extend(properties.keys().map(|name| key(name)));
                            properties.values().for_each(|schema| self.add_fields(schema));
                        }
                        ("enum", Json::Array(values)) => {
                            self.fields.extend(values.iter().filter_map(Json::as_str).map(key));
                        }
                        (keyword, inner) if !DATA.contains(&keyword) => self.add_fields(inner),
                        _ => {}
                    }
                }
            }
            Json::Array(list) => list.iter().for_each(|schema| self.add_fields(schema)),
            _ => {}
        }
    }

    /// The text with every function under the name by which it is called now.
    pub fn follow(&self, text: &str) -> String {
        let mut followed = String::with_capacity(text.len());
        for piece in pieces(text) {
            let now = Some(piece.text).filter(|text| piece.is_name() && !self.fields.contains(&key(text)));
            let now = now.and_then(|text| self.functions.get(&key(text)));
            followed.push_str(now.map_or(piece.text, String::as_str));
        }
        followed
    }

    /// The first function that the text names and that is not there.
    pub fn missing<'t>(&self, text: &'t str) -> Option<&'t str> {
        pieces(text).into_iter().find(|piece| self.is_missing(piece)).map(|piece| piece.text)
    }

    fn is_missing(&self, piece: &Piece<'_>) -> bool {
        let name = key(piece.text);
        if !piece.is_name() || self.fields.contains(&name) || self.functions.contains_key(&name) {
            return false;
        }
        let parts = words(piece.text);
        let acts = parts.len() > 1 && self.verbs.contains(&parts[0]);
        let has_thing = parts.iter().skip(1).any(|word| self.nouns.contains(singular(word)));
        let is_camel = is_camel(piece.text);
        let is_upper = piece.text.starts_with(|letter: char| letter.is_ascii_uppercase());
        if piece.is_quoted {
            return acts || is_camel && (is_upper || has_thing);
        }
        // A brand may be written like a function, and stand within the name of one.
        let is_within = self.functions.keys().any(|known| known.find(&name) > Some(0));
        is_camel && !is_within && if is_upper { acts && has_thing } else { acts || has_thing }
    }
}

/// Hands every description of a tool over, with its field (`parcels[].kg`), which is empty for the tool's own.
pub fn each_description(tool: &mut Tool, mut with: impl FnMut(&str, &mut String)) {
    with("", &mut tool.description);
    for (name, parameter) in &mut tool.parameters.properties {
        if let Some(text) = &mut parameter.description {
            with(name, text);
        }
        parameter.more.iter_mut().filter(|(key, _)| !is_data(key)).for_each(|(key, inner)| {
            walk(key, inner, name, &mut with);
        });
    }
    if let Some(returns) = &mut tool.returns {
        walk("", returns, "", &mut with);
    }
}

fn walk(keyword: &str, schema: &mut Json, field: &str, with: &mut impl FnMut(&str, &mut String)) {
    match schema {
        Json::Object(properties) if keyword == "properties" => {
            for (name, inner) in properties {
                let field = if field.is_empty() { name.clone() } else { format!("{field}.{name}") };
                walk("", inner, &field, with);
            }
        }
        Json::Object(map) => {
            let field = if keyword == "items" { format!("{field}[]") } else { field.to_owned() };
            for (keyword, inner) in map.iter_mut().filter(|(keyword, _)| !is_data(keyword)) {
                match inner {
                    Json::String(text) if keyword == "description" => with(&field, text),
                    inner => walk(keyword, inner, &field, with),
                }
            }
        }
        Json::Array(list) => list.iter_mut().for_each(|inner| walk("", inner, field, with)),
        _ => {}
    }
}

fn is_data(keyword: &str) -> bool {
    DATA.contains(&keyword)
}

/// What descriptions name as a function though no tool is called so.
pub(super) fn lint(tools: &[Arc<Tool>]) -> Vec<Finding> {
    let names = Names::of(tools.iter().map(|tool| &**tool));
    let mut findings = Vec::new();
    for tool in tools {
        each_description(&mut Tool::clone(tool), |field, text| {
            let Some(missing) = names.missing(text) else { return };
            let place = if field.is_empty() { tool.name.clone() } else { format!("{}, {field}", tool.name) };
            let finding = Finding::warning(
                place,
                format!("the description mentions `{missing}`, which is not a tool of this toolset"),
            );
            findings.push(finding.fixed_by("use the name of an existing tool, or describe it without a name"));
        });
    }
    findings
}

/// A stretch of a text: a word of ASCII letters, digits and underscores, or what stands between two of them.
struct Piece<'t> {
    text: &'t str,
    is_quoted: bool,
}

impl Piece<'_> {
    /// Whether it can be a name and not a word of a sentence.
    fn is_name(&self) -> bool {
        let begins = self.text.starts_with(|letter: char| letter.is_ascii_alphabetic());
        let has_hump = self.text.chars().zip(self.text.chars().skip(1)).any(|(one, next)| {
            one.is_ascii_lowercase() && next.is_ascii_uppercase() || one.is_ascii_alphanumeric() && next == '_'
        });
        begins && (self.is_quoted || has_hump)
    }
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let mut pieces: Vec<Piece<'_>> = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|letter| is_word(letter) != is_word(first)).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        let before = pieces.last().is_some_and(|before| before.text.ends_with('`'));
        pieces.push(Piece { text: piece, is_quoted: is_word(first) && before && after.starts_with('`') });
        rest = after;
    }
    pieces
}

/// Whether it is `FindTrails` or `findTrails`; `HHmm`, `iPhone` and `yyyyMMdd` are not.
fn is_camel(name: &str) -> bool {
    let mut parts: Vec<usize> = Vec::new();
    for letter in name.chars() {
        match parts.last_mut() {
            Some(length) if !letter.is_ascii_uppercase() => *length += 1,
            _ => parts.push(1),
        }
    }
    parts.len() > 1 && parts.iter().all(|length| *length > 1) && !name.contains('_')
}

/// A name without case and underscores.
fn key(name: &str) -> String {
    name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect()
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s').unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn tools() -> Vec<Arc<Tool>> {
        let tools = json!([
            {"name": "Home.Trails.findTrails", "description": "Finds trails.", "parameters": {"properties": {
                "max_results": {"type": "integer"}, "level": {"type": "string", "enum": ["easy", "NotHard"]}}},
             "returns": {"type": "object", "properties": {"trails": {"type": "array", "items": {"type": "object",
                "properties": {"trail_id": {"type": "string"}}}}}}},
            {"name": "Home.Trails.get_trail", "description": "Reads a trail."},
            {"name": "Home.Trails.play", "description": "Plays."},
            {"name": "Home.Trails.payBill", "description": "Pays a bill."}
        ]);
        serde_json::from_value::<Vec<Tool>>(tools).unwrap().into_iter().map(Arc::new).collect()
    }

    fn names() -> Names {
        Names::of(tools().iter().map(|tool| &**tool))
    }

    #[test]
    fn names_follow_in_whole_words_however_they_are_written() {
        for (text, followed) in [
            ("The id, from FindTrails.", "The id, from findTrails."),
            ("from `find_trails` or Home.Trails.GetTrail()", "from `findTrails` or Home.Trails.get_trail()"),
            ("FindTrails가 준 값, `GetTrail`で得る", "findTrails가 준 값, `get_trail`で得る"),
            ("FindTrailsNear, MyFindTrails, find trails", "FindTrailsNear, MyFindTrails, find trails"),
            ("Play it, or `Play`", "Play it, or `play`"),
            ("`trail_id`, max_results and NotHard", "`trail_id`, max_results and NotHard"),
        ] {
            assert_eq!(names().follow(text), followed);
        }
    }

    #[test]
    fn a_function_that_is_not_there_is_missing_and_a_brand_is_not() {
        for (text, missing) in [
            ("The id, from `SearchTrails`", Some("SearchTrails")),
            ("from `get_hut` of a hut", Some("get_hut")),
            ("Ask PayTrails or getTrails first", Some("PayTrails")),
            ("Ask openTrail first", Some("openTrail")),
            ("Ask FindTrail first", Some("FindTrail")),
            ("by PayPal, on YouTube or an iPhone", None),
            ("as `HHmm`, `yyyyMMdd`, `max_results`, `easy`, `NotHard` or `some_field`", None),
            ("`findTrails`, `get_trail` and `trailId`", None),
            ("", None),
            ("```` `", None),
        ] {
            assert_eq!(names().missing(text), missing, "{text}");
        }
    }

    #[test]
    fn every_description_is_looked_at() {
        let mut tools = tools();
        let tool = Arc::make_mut(&mut tools[0]);
        *tool = serde_json::from_value(json!({"name": "findTrails", "description": "`GoAway`", "parameters": {"properties": {
            "near": {"type": "object", "description": "`GoBack`", "default": {"description": "`GoOut`"}, "properties": {
                "description": {"type": "string", "description": "`GoClose`"}}}}},
            "returns": {"type": "object", "properties": {"all": {"type": "array", "items": {"description": "`GoDown`"}}}}}))
        .unwrap();
        let found: Vec<String> = lint(&tools).into_iter().map(|it| format!("{}: {}", it.place, it.message)).collect();
        assert_eq!(
            found,
            [
                "findTrails: the description mentions `GoAway`, which is not a tool of this toolset",
                "findTrails, near: the description mentions `GoBack`, which is not a tool of this toolset",
                "findTrails, near.description: the description mentions `GoClose`, which is not a tool of this toolset",
                "findTrails, all[]: the description mentions `GoDown`, which is not a tool of this toolset",
            ]
        );
    }
}
