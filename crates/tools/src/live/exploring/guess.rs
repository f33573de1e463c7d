//! What a parameter could be given: what its schema lists, what answers hold under its name, and names that were seen.

use super::leaves::{Leaves, last_key, within_list};
use fcgen_core::locale::Stamp;
use fcgen_core::record::{Parameter, Value};
use indexmap::IndexMap;

/// Most guesses for one parameter.
const MOST: usize = 12;
/// Most guesses from one place.
const FROM_ONE: usize = 4;
/// Keys under which answers hold what things are called.
const NAMES: [&str; 5] = ["name", "title", "label", "subject", "city"];
/// Fewest letters of a word that is looked for.
const WORD: usize = 4;
/// What is looked for where nothing is known: most texts have one of these letters.
const PROBES: [&str; 2] = ["a", "e"];

/// A value for a parameter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Guess {
    /// The value.
    pub(crate) value: Value,
    /// The answer that holds it under the parameter's name: a tool, and the place in its answer.
    pub(crate) from: Option<(String, String)>,
    /// Whether it is something that exists, and no mere try.
    pub(crate) real: bool,
}

/// Every place of an answer that holds what a parameter of a tool takes, with its values.
pub(crate) fn all_guesses(
    tool: &str,
    (name, parameter): (&str, &Parameter),
    leaves: &IndexMap<String, Leaves>,
) -> Vec<Guess> {
    let wanted = parameter.type_name();
    let held = all_places(leaves).filter(|(source, place, _)| is_same((tool, name), (source, place)));
    let guess = |(source, place, values): (&str, &str, &Vec<Value>)| -> Vec<Guess> {
        let from = Some((source.to_owned(), place.to_owned()));
        let fitting = values.iter().filter(|value| fits(wanted, value));
        fitting.map(|value| Guess { value: value.clone(), from: from.clone(), real: true }).collect()
    };
    held.flat_map(guess).collect()
}

/// What a parameter of a tool could be given, the best guess first.
pub(crate) fn guesses(
    tool: &str,
    (name, parameter): (&str, &Parameter),
    leaves: &IndexMap<String, Leaves>,
) -> Vec<Guess> {
    let wanted = parameter.type_name();
    let mut found: Vec<Guess> = Vec::new();
    let mut add = |guess: Guess| {
        let is_new = !found.iter().any(|it| it.value == guess.value && it.from == guess.from);
        if is_new && found.len() < MOST && fits(wanted, &guess.value) {
            found.push(guess);
        }
    };
    let plain = |value: &serde_json::Value, real| Guess { value: Value::from(value.clone()), from: None, real };
    parameter.values.iter().flatten().for_each(|value| add(plain(value, true)));
    let examples = parameter.more.get("examples").and_then(|it| it.as_array()).into_iter().flatten();
    parameter
        .more
        .get("default")
        .into_iter()
        .chain(parameter.more.get("example"))
        .chain(examples)
        .for_each(|it| add(plain(it, true)));
    for (source, place, values) in
        all_places(leaves).filter(|(source, place, _)| is_same((tool, name), (source, place)))
    {
        for value in values.iter().take(FROM_ONE) {
            add(Guess { value: value.clone(), from: Some((source.to_owned(), place.to_owned())), real: true });
        }
    }
    if is_key(name) {
        return found;
    }
    let real = |value: Value| Guess { value, from: None, real: true };
    let is_date = name.to_lowercase().contains("date") || parameter.more.get("format").is_some_and(|it| it == "date");
    match (wanted, form(parameter)) {
        ("string", _) if is_date => dates(leaves).into_iter().for_each(|day| add(real(day))),
        // Nobody's name is an address.
        ("string", Some(is_formed)) => {
            let texts = all_places(leaves).flat_map(|(_, _, values)| values);
            texts.filter(|it| it.as_str().is_some_and(is_formed)).for_each(|it| add(real(it.clone())));
        }
        ("string", None) => {
            let names = names(leaves);
            let words = names.iter().filter_map(|it| it.split_whitespace().find(|word| word.chars().count() >= WORD));
            let words: Vec<String> = words.map(str::to_owned).collect();
            words.iter().take(FROM_ONE).for_each(|word| add(real(Value::from(word.as_str()))));
            names.iter().take(MOST).for_each(|name| add(real(Value::from(name.as_str()))));
            for probe in PROBES {
                add(Guess { value: probe.into(), from: None, real: false });
            }
        }
        ("integer" | "number", _) => {
            let least = parameter.more.get("minimum").and_then(serde_json::Value::as_i64).unwrap_or(1);
            add(Guess { value: least.max(1).into(), from: None, real: false });
        }
        ("boolean", _) => add(real(Value::Bool(true))),
        _ => {}
    }
    found
}

/// How texts of the parameter's format are known among others; nothing where the format could be that of any text.
fn form(parameter: &Parameter) -> Option<fn(&str) -> bool> {
    match parameter.more.get("format")?.as_str()? {
        "email" | "idn-email" => Some(|text| text.contains('@') && !text.contains(' ')),
        "uri" | "url" | "uri-reference" => Some(|text| text.contains("://")),
        "uuid" | "guid" => Some(|text| text.len() == 36 && text.bytes().filter(|it| *it == b'-').count() == 4),
        "date-time" => Some(|text| Stamp::read(text).is_some()),
        "ipv4" | "ipv6" => Some(|text| text.parse::<std::net::IpAddr>().is_ok()),
        _ => None,
    }
}

/// Every place of every tool's answers, with what stands there.
fn all_places(leaves: &IndexMap<String, Leaves>) -> impl Iterator<Item = (&str, &str, &Vec<Value>)> {
    leaves.iter().flat_map(|(tool, leaves)| {
        leaves.places.iter().map(move |(place, values)| (tool.as_str(), place.as_str(), values))
    })
}

/// Names that say of a list or an object no more than that it is the answer.
const UNNAMED: [&str; 8] = ["", "result", "results", "items", "data", "content", "records", "values"];

/// Whether a place of an answer holds what a parameter of this name takes: `item_id` is `item_id`, and the `id` of `items`;
/// where the answer has no name of its own, that of the tool says what it lists: `list_tickets` has the `id` of tickets.
fn is_same((tool, name): (&str, &str), (source, place): (&str, &str)) -> bool {
    let (name, key) = (plain(name), plain(last_key(place)));
    if name == key && key != "id" {
        return true;
    }
    let container = match within_list(place) {
        Some((list, _)) => last_key(list),
        None => place.rsplit('.').nth(1).unwrap_or_default(),
    };
    let is_its = |noun: &String| name == format!("{noun}{key}") || (name == key && plain(tool).contains(noun));
    if key != "id" {
        return false;
    }
    let named = singulars(&plain(container)).iter().any(is_its);
    named
        || UNNAMED.contains(&plain(container).as_str())
            && nouns(source).flat_map(|noun| singulars(&noun)).any(|it| is_its(&it))
}

/// What a tool is about: the words of its name behind the first, together and the last alone.
fn nouns(tool: &str) -> impl Iterator<Item = String> {
    let bare = tool.rsplit('.').next().unwrap_or(tool);
    let words: Vec<String> = fcgen_core::locale::words(bare).iter().map(|word| plain(word)).collect();
    let together = words.get(1..).map(<[String]>::concat).filter(|it| !it.is_empty());
    let last = words.last().filter(|_| words.len() > 1).cloned();
    together.into_iter().chain(last)
}

/// Whether a name is that of a key, which nobody makes up.
pub(crate) fn is_key(name: &str) -> bool {
    let lower = name.to_lowercase();
    let ends = ["_id", "-id", "uuid", "token", "_key", "cursor"].iter().any(|end| lower.ends_with(end));
    ends || lower == "id" || name.ends_with("Id") || name.ends_with("ID") || lower.ends_with("_ids")
}

fn plain(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// What one of several could be called: `companies`, `boxes` and `items` end in three ways.
fn singulars(noun: &str) -> Vec<String> {
    let endings = [("ies", "y"), ("es", ""), ("s", "")];
    let cut = endings.iter().filter_map(|(end, instead)| Some(noun.strip_suffix(end)?.to_owned() + instead));
    cut.chain([noun.to_owned()]).filter(|it| !it.is_empty()).collect()
}

fn fits(wanted: &str, value: &Value) -> bool {
    match wanted {
        "integer" => value.as_number().is_some_and(fcgen_core::record::Number::is_integer_text),
        "number" => value.as_number().is_some(),
        other => value.type_name() == other,
    }
}

/// What things are called in the answers.
fn names(leaves: &IndexMap<String, Leaves>) -> Vec<String> {
    let named = all_places(leaves).filter(|(_, place, _)| NAMES.contains(&plain(last_key(place)).as_str()));
    let mut names: Vec<String> = Vec::new();
    for text in named.flat_map(|(_, _, values)| values).filter_map(Value::as_str) {
        if !names.iter().any(|known| known == text) && text.chars().count() <= 60 {
            names.push(text.to_owned());
        }
    }
    names
}

/// The days in the answers.
fn dates(leaves: &IndexMap<String, Leaves>) -> Vec<Value> {
    let texts = all_places(leaves).flat_map(|(_, _, values)| values).filter_map(Value::as_str);
    let days = texts.filter_map(|text| Some(Stamp::read(text)?.date?.to_string()));
    let mut found: Vec<Value> = Vec::new();
    for day in days.map(Value::from) {
        if !found.contains(&day) {
            found.push(day);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaves() -> IndexMap<String, Leaves> {
        let mut leaves = Leaves::default();
        let answer = r#"{"companies":[{"id":"c-1","name":"Green Mill","since":"2024-03-01T10:00:00Z","town_id":7}]}"#;
        leaves.add(&serde_json::from_str(answer).unwrap());
        IndexMap::from([("list".to_owned(), leaves)])
    }

    fn told(name: &str, schema: &str) -> Vec<String> {
        let parameter: Parameter = serde_json::from_str(schema).unwrap();
        guesses("show", (name, &parameter), &leaves())
            .iter()
            .map(|it| format!("{} {}", it.value, it.from.is_some()))
            .collect()
    }

    #[test]
    fn keys_come_from_answers_alone() {
        assert_eq!(told("company_id", r#"{"type":"string"}"#), [r#""c-1" true"#]);
        assert_eq!(told("townId", r#"{"type":"integer"}"#), ["7 true"]);
        assert_eq!(told("town_id", r#"{"type":"string"}"#), Vec::<String>::new(), "another type");
        assert_eq!(told("owner_id", r#"{"type":"string"}"#), Vec::<String>::new());
    }

    #[test]
    fn what_is_listed_comes_first_and_names_and_days_are_those_that_exist() {
        assert_eq!(
            told("sort", r#"{"type":"string","enum":["up"],"default":"down"}"#)[..2],
            [r#""up" false"#, r#""down" false"#]
        );
        assert_eq!(told("query", r#"{"type":"string"}"#)[..2], [r#""Green" false"#, r#""Green Mill" false"#]);
        assert_eq!(told("from_date", r#"{"type":"string"}"#), [r#""2024-03-01" false"#]);
        assert_eq!(told("contact", r#"{"type":"string","format":"email"}"#), Vec::<String>::new(), "no name is one");
        assert_eq!(told("changed", r#"{"type":"string","format":"date-time"}"#), [r#""2024-03-01T10:00:00Z" false"#]);
        assert_eq!(told("limit", r#"{"type":"integer","minimum":3}"#), ["3 false"]);
    }

    #[test]
    fn one_thing_has_many_names() {
        assert!(
            is_same(("x", "item_id"), ("y", "a.items[].id"))
                && is_same(("x", "itemId"), ("y", "item.id"))
                && is_same(("get_item", "id"), ("y", "items[].id"))
        );
        assert!(!is_same(("x", "item_id"), ("y", "boxes[].id")) && !is_same(("x", "id"), ("y", "items[].id")));
        assert!(is_same(("x", "company_id"), ("y", "companies[].id")) && is_same(("x", "box_id"), ("y", "boxes[].id")));
        assert!(is_same(("get_ticket", "ticket_id"), ("list_tickets", "result[].id")));
        assert!(is_same(("close", "ticket_id"), ("getTicket", "id")));
        assert!(!is_same(("get_ticket", "ticket_id"), ("list_comments", "result[].id")));
        assert_eq!(singulars("sheep"), ["sheep"]);
        assert!(is_key("userId") && is_key("id") && !is_key("idea") && !is_key("query"));
    }
}
