//! The way back: from a tool to the operation that it stands for, with all that a request over HTTP takes.
//!
//! `origins.json` of a toolset folder holds it. It never holds a key or a password, only the names of schemes.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// Where the tools of a folder come from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origins {
    /// Of what form this file is: 1.
    pub version: u32,
    /// What was imported.
    pub source: Source,
    /// How calls are authorized, by the names that operations use.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub schemes: IndexMap<String, Scheme>,
    /// The tools, by their names.
    pub tools: IndexMap<String, Origin>,
}

/// What was imported.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The name of the file, or what a server calls itself.
    pub file: String,
    /// Its form: `openapi 3.1.0`, `swagger 2.0`, `tools`, `mcp`.
    pub form: String,
    /// Its title.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its own version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub version: String,
}

/// A way of authorization, without any secret.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scheme {
    /// `apiKey`, `http`, `basic`, `oauth2`, `openIdConnect` or `mutualTLS`.
    #[serde(rename = "type")]
    pub kind: String,
    /// With `http`: `bearer`, `basic` ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// With `apiKey`: `header`, `query` or `cookie`.
    #[serde(rename = "in", default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// With `apiKey`: the name of the header, query parameter or cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What one tool stands for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Origin {
    /// An operation over HTTP.
    Openapi(Operation),
    /// A tool of a live server.
    Mcp {
        /// Its name there.
        name: String,
        /// Whether the server says that a call changes nothing.
        reads: bool,
        /// The original names of parameters that are named otherwise here.
        #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
        parameters: IndexMap<String, String>,
    },
    /// A tool of a list, which nothing executes.
    List {
        /// Its name there.
        name: String,
        /// The original names of parameters that are named otherwise here.
        #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
        parameters: IndexMap<String, String>,
    },
}

/// An operation over HTTP.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    /// `GET`, `POST` ...
    pub method: String,
    /// With its parameters in braces: `/plants/{plantId}`.
    pub path: String,
    /// Its `operationId`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Base URLs, the preferred one first; one that begins with `/` stands behind the host that the file came from.
    pub servers: Vec<String>,
    /// Sets of schemes, with scopes, any one of which authorizes a call; an empty set needs nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<IndexMap<String, Vec<String>>>,
    /// Whether a call changes nothing: true for `GET`, `HEAD`, `OPTIONS`, `QUERY`.
    pub reads: bool,
    /// Media type of the body, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// Where each parameter of the tool goes, by its name there.
    pub parameters: IndexMap<String, Destination>,
}

/// Where a parameter goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Destination {
    /// Which part of the request.
    #[serde(rename = "in")]
    pub place: Place,
    /// Its original name; the last key of `pointer` in a body.
    pub name: String,
    /// In a body: where, as a JSON pointer; empty for the whole body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// How lists and objects are written in a path or query: `form`, `simple`, `spaceDelimited`, `pipeDelimited`, `deepObject` ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<String>,
    /// Whether each element of a list is written as a parameter of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explode: Option<bool>,
}

/// A part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// In the path.
    Path,
    /// Behind the question mark.
    Query,
    /// A header.
    Header,
    /// A cookie.
    Cookie,
    /// In the body.
    Body,
}

impl Place {
    /// The word for it, in files and in names.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
            Self::Cookie => "cookie",
            Self::Body => "body",
        }
    }

    /// The place of that word.
    pub(super) fn of(word: &str) -> Option<Self> {
        [Self::Path, Self::Query, Self::Header, Self::Cookie, Self::Body].into_iter().find(|place| place.word() == word)
    }
}

impl Origin {
    /// The tool's name where it comes from.
    pub fn name(&self) -> String {
        match self {
            Self::Openapi(operation) => {
                operation.operation.clone().unwrap_or_else(|| format!("{} {}", operation.method, operation.path))
            }
            Self::Mcp { name, .. } | Self::List { name, .. } => name.clone(),
        }
    }

    /// Whether it is known that a call changes nothing.
    pub fn reads(&self) -> Option<bool> {
        match self {
            Self::Openapi(operation) => Some(operation.reads),
            Self::Mcp { reads, .. } => Some(*reads),
            Self::List { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_written_is_read_again() {
        let destination = Destination {
            place: Place::Body,
            name: "n".to_owned(),
            pointer: Some("/a/n".to_owned()),
            style: None,
            explode: None,
        };
        let operation = Operation {
            method: "POST".to_owned(),
            path: "/x".to_owned(),
            parameters: [("n".to_owned(), destination)].into(),
            ..Operation::default()
        };
        let tools = [
            ("a".to_owned(), Origin::Openapi(operation)),
            ("b".to_owned(), Origin::List { name: "b!".to_owned(), parameters: IndexMap::new() }),
            (
                "c".to_owned(),
                Origin::Mcp {
                    name: "c".to_owned(),
                    reads: true,
                    parameters: [("x_y".to_owned(), "x-y".to_owned())].into(),
                },
            ),
        ];
        let origins = Origins { version: 1, tools: tools.into(), ..Origins::default() };
        let text = serde_json::to_value(&origins).unwrap();
        assert_eq!(text["tools"]["a"]["kind"], "openapi");
        assert_eq!(text["tools"]["a"]["parameters"]["n"], json!({"in": "body", "name": "n", "pointer": "/a/n"}));
        assert_eq!(serde_json::from_value::<Origins>(text).unwrap(), origins);
        assert_eq!(origins.tools.values().map(Origin::name).collect::<Vec<_>>(), ["POST /x", "b!", "c"]);
        assert_eq!(origins.tools.values().map(Origin::reads).collect::<Vec<_>>(), [Some(false), None, Some(true)]);
    }

    #[test]
    fn places_have_words() {
        assert_eq!(["path", "cookie", "formData"].map(Place::of), [Some(Place::Path), Some(Place::Cookie), None]);
    }
}
