//! What the names of tools are made of: the ids of operations, their methods and paths, or their summaries.

use super::openapi::operation::Spot;
use fcgen_core::locale::words;

/// What a tool is named after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NameFrom {
    /// The `operationId`: `listCarriers`.
    #[default]
    OperationId,
    /// Method and path: `get_warehouse_stock` for `GET /warehouses/{code}/stock`.
    Path,
    /// The summary: `list_carriers` for "List carriers".
    Summary,
}

impl NameFrom {
    /// The wanted name of an operation's tool; `id` is that of its `operationId`. It may be neither unique nor short.
    pub(super) fn name(self, at: &Spot<'_>, id: &str) -> String {
        match self {
            Self::OperationId => id.to_owned(),
            Self::Path => of_path(&at.method, at.path),
            Self::Summary => {
                let summary = words(&at.found.text("summary").unwrap_or_default().replace(['\'', '\u{2019}'], ""));
                let is_name = !summary.is_empty() && summary.iter().all(|word| word.is_ascii());
                if is_name { summary.join("_") } else { id.to_owned() }
            }
        }
    }
}

/// The method and the words of a path without its slots, versions and `api`; a collection before a slot is one of its
/// things.
fn of_path(method: &str, path: &str) -> String {
    let is_slot = |part: &&str| part.contains('{');
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let mut name = vec![method.to_lowercase()];
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| !is_slot(part) && !is_prefix(part)) {
        let mut own = words(part);
        if parts.get(at + 1).is_some_and(is_slot)
            && let Some(last) = own.last_mut()
        {
            *last = singular(last);
        }
        name.extend(own);
    }
    name.join("_")
}

/// Whether a part of a path says nothing of what is done: `api`, `v2`.
fn is_prefix(part: &str) -> bool {
    let version = part.strip_prefix(['v', 'V']).unwrap_or_default();
    part.eq_ignore_ascii_case("api") || version.starts_with(|letter: char| letter.is_ascii_digit())
}

/// `warehouses` as `warehouse`: names in paths are English, whatever the descriptions are.
fn singular(word: &str) -> String {
    let ends = |endings: &[&str]| endings.iter().any(|ending| word.ends_with(ending));
    let stem = match () {
        () if word.len() < 4 || ends(&["ss", "us", "is", "news", "series"]) => None,
        () if ends(&["sses", "xes", "ches", "shes"]) => word.strip_suffix("es"),
        () => word.strip_suffix('s'),
    };
    let stem = stem.unwrap_or(word);
    stem.strip_suffix("ie").map_or_else(|| stem.to_owned(), |stem| format!("{stem}y"))
}

#[cfg(test)]
mod tests {
    use super::super::choose::Choice;
    use super::super::openapi::read::read_openapi;
    use super::*;

    #[test]
    fn paths_are_names_without_their_slots() {
        for (method, path, name) in [
            ("get", "/warehouses/{code}/stock", "get_warehouse_stock"),
            ("get", "/api/v2/warehouses", "get_warehouses"),
            ("delete", "/companies/{id}", "delete_company"),
            ("post", "/boxes/{id}/open-now", "post_box_open_now"),
            ("get", "/status/{id}", "get_status"),
            ("get", "/", "get"),
        ] {
            assert_eq!(of_path(method, path), name);
        }
    }

    #[test]
    fn names_are_made_of_what_is_wanted_and_stay_unique() {
        let text = "openapi: 3.0.0\npaths:\n  /carriers: {get: {summary: List the firm's carriers, operationId: carriers_get}, post: {operationId: b}}\n  /carriers/{id}: {get: {summary: List the firms carriers, operationId: c}, put: {summary: \u{d55c}, operationId: d}}\n";
        let names = |name_from| {
            let draft = read_openapi("a.yaml", text, &Choice { name_from, ..Choice::default() }).unwrap();
            draft.tools.into_iter().map(|tool| tool.name).collect::<Vec<_>>()
        };
        assert_eq!(names(NameFrom::OperationId), ["carriers_get", "b", "c", "d"]);
        assert_eq!(names(NameFrom::Path), ["get_carriers", "post_carriers", "get_carrier", "put_carrier"]);
        assert_eq!(
            names(NameFrom::Summary),
            ["list_the_firms_carriers", "b", "list_the_firms_carriers_2", "d"],
            "without a summary that can be a name there is the id"
        );
    }
}
