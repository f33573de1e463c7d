//! Where an API is and how calls are authorized, as far as its description says it: addresses and names, never secrets.

use super::super::origins::Scheme;
use super::operation::{Reading, Spot};
use super::reference::{Found, look_up};
use indexmap::IndexMap;
use serde_json::Value as Json;

/// The base URLs of an operation: its own, else its path's, else the description's.
pub(crate) fn servers(reading: &mut Reading<'_>, at: &Spot<'_>) -> Vec<String> {
    if reading.is_swagger {
        return swagger_servers(reading.root, &at.found);
    }
    let whole = Found { value: reading.root, place: String::new() };
    let listed = [&at.found, &at.item, &whole].into_iter().filter_map(|it| it.at("servers"));
    let stated =
        listed.map(|list| list.elements().filter_map(|it| url(&it)).collect::<Vec<_>>()).find(|urls| !urls.is_empty());
    stated.unwrap_or_else(|| vec!["/".to_owned()])
}

/// A server's URL with the defaults of its variables.
fn url(server: &Found<'_>) -> Option<String> {
    let mut url = server.text("url")?.to_owned();
    for (name, variable) in server.at("variables").iter().flat_map(Found::entries) {
        if let Some(default) = variable.text("default") {
            url = url.replace(&format!("{{{name}}}"), default);
        }
    }
    Some(url)
}

fn swagger_servers(root: &Json, operation: &Found<'_>) -> Vec<String> {
    let base = root.get("basePath").and_then(Json::as_str).unwrap_or("/");
    let Some(host) = root.get("host").and_then(Json::as_str) else { return vec![base.to_owned()] };
    let own = operation.value.get("schemes").or_else(|| root.get("schemes"));
    let schemes: Vec<&str> = own.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect();
    let schemes = if schemes.is_empty() { vec!["https"] } else { schemes };
    schemes.into_iter().map(|scheme| format!("{scheme}://{host}{base}")).collect()
}

/// The sets of schemes of which one authorizes a call: the operation's own, else the description's.
pub(crate) fn security(root: &Json, operation: &Found<'_>) -> Vec<IndexMap<String, Vec<String>>> {
    let stated = operation.value.get("security").or_else(|| root.get("security"));
    let sets = stated.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_object);
    let texts = |scopes: &Json| {
        scopes.as_array().into_iter().flatten().filter_map(|it| it.as_str().map(str::to_owned)).collect()
    };
    sets.map(|set| set.iter().map(|(name, scopes)| (name.clone(), texts(scopes))).collect()).collect()
}

/// The schemes that a description declares.
pub(crate) fn schemes(root: &Json, is_swagger: bool) -> IndexMap<String, Scheme> {
    let place = if is_swagger { "#/securityDefinitions" } else { "#/components/securitySchemes" };
    let Ok(declared) = look_up(root, place) else { return IndexMap::new() };
    let scheme = |(name, found): (&str, Found<'_>)| {
        let found = super::reference::follow(root, found).ok()?;
        let text = |key| found.text(key).map(str::to_owned);
        Some((
            name.to_owned(),
            Scheme { kind: text("type")?, scheme: text("scheme"), place: text("in"), name: text("name") },
        ))
    };
    declared.entries().filter_map(scheme).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{draft, operation};
    use super::*;

    #[test]
    fn the_nearest_servers_hold_with_the_defaults_of_their_variables() {
        let draft = draft(
            "openapi: 3.0.0\nservers: [{url: 'https://{at}.example.com/{v}', variables: {at: {default: eu}, v: {default: v1}}}]\npaths:\n  /a: {get: {}}\n  /b: {servers: [{url: /b}], get: {}, put: {servers: [{url: 'https://c.example.com'}]}}\n",
        );
        let servers: Vec<_> = draft.tools.iter().map(|tool| operation(tool).servers.join(" ")).collect();
        assert_eq!(servers, ["https://eu.example.com/v1", "/b", "https://c.example.com"]);
        let bare = super::super::super::testing::draft("openapi: 3.0.0\npaths: {/a: {get: {}}}");
        assert_eq!(operation(&bare.tools[0]).servers, ["/"]);
    }

    #[test]
    fn swagger_says_it_in_parts() {
        let with = |head: &str| {
            let draft = draft(&format!("swagger: '2.0'\n{head}\npaths: {{/a: {{get: {{}}}}}}"));
            operation(&draft.tools[0]).servers.clone()
        };
        assert_eq!(
            with("host: h.example.com\nbasePath: /v2\nschemes: [https, http]"),
            ["https://h.example.com/v2", "http://h.example.com/v2"]
        );
        assert_eq!(with("basePath: /v2"), ["/v2"]);
    }

    #[test]
    fn schemes_are_named_and_hold_no_secret() {
        let draft = draft(
            "openapi: 3.0.0\nsecurity: [{key: []}]\npaths:\n  /a: {get: {}, put: {security: [{oauth: [write]}, {}]}}\ncomponents:\n  securitySchemes:\n    key: {type: apiKey, in: header, name: X-Key, description: d}\n    oauth: {type: oauth2, flows: {}}\n    web: {type: http, scheme: bearer}\n",
        );
        assert_eq!(draft.schemes["key"].name.as_deref(), Some("X-Key"));
        assert_eq!(draft.schemes["web"].scheme.as_deref(), Some("bearer"));
        assert_eq!(operation(&draft.tools[0]).security, [IndexMap::from([("key".to_owned(), Vec::<String>::new())])]);
        assert_eq!(operation(&draft.tools[1]).security[0]["oauth"], ["write"]);
        assert!(operation(&draft.tools[1]).security[1].is_empty());
    }
}
