//! Verdicts of all suites as one: right or not, of which class a fault is, and why.

use crate::record::{Object, Value};

/// What a scorer found of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// Id of the sample.
    pub id: String,
    /// Whose prediction it was, where the line says so.
    pub predictions: Option<String>,
    /// In which run, where the predictions have several.
    pub run: Option<u32>,
    /// Whether it is right; none where that is not known.
    pub right: Option<bool>,
    /// The class of the first fault.
    pub class: String,
    /// Why, in words.
    pub reason: String,
}

/// Fields that say whether an item is right, the weightiest first; suites and profiles write different ones.
const RIGHT: [&str; 7] = ["right", "success", "valid", "match", "ast", "routing", "structure"];
/// Words of the field `status` for trajectories without a result.
const NO_RESULT: [&str; 2] = ["crash", "not_recorded"];
/// Fields that name the class of a fault.
const CLASS: [&str; 8] =
    ["error", "error_type", "errors", "route_errors", "upstream_crash", "status", "message", "reason"];
/// Fields that give its reason.
const REASON: [&str; 6] = ["detail", "reason", "route_reason", "message", "unscorable", "error_type"];

impl Verdict {
    /// Reads a line of `score --items`; none where it names no item.
    pub fn read(line: &Object) -> Option<Self> {
        let id = text(line, "sample_id").or_else(|| text(line, "id"))?;
        let right = right(line);
        let wrong = right == Some(false);
        let first = |names: &[&str]| names.iter().find_map(|name| text(line, name)).unwrap_or_default();
        Some(Self {
            id,
            predictions: text(line, "predictions"),
            run: line.get("run").and_then(run),
            right,
            class: if wrong { first(&CLASS) } else { String::new() },
            reason: if wrong { first(&REASON) } else { String::new() },
        })
    }
}

fn run(run: &Value) -> Option<u32> {
    run.as_number()?.as_str().parse().ok()
}

fn right(line: &Object) -> Option<bool> {
    match line.get("verdict").and_then(Value::as_str) {
        Some("pass") => return Some(true),
        Some("fail") => return Some(false),
        Some(_) => return None,
        None => {}
    }
    if let (Some(Value::Bool(name)), Some(Value::Bool(arguments))) = (line.get("func_ok"), line.get("args_ok"))
        && !line.contains_key("right")
    {
        return Some(*name && *arguments);
    }
    let said = RIGHT.iter().find_map(|name| match line.get(*name) {
        Some(Value::Bool(is)) => Some(*is),
        _ => None,
    });
    // A trajectory that came to no result was no success.
    said.or_else(|| NO_RESULT.contains(&line.get("status")?.as_str()?).then_some(false))
}

/// A field's text, or the first text in its list; nothing where it is empty.
fn text(line: &Object, name: &str) -> Option<String> {
    let text = match line.get(name)? {
        Value::List(list) => list.first()?.as_str(),
        value => value.as_str(),
    };
    text.filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(json: &str) -> Option<Verdict> {
        Verdict::read(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn every_suite_says_it_in_its_own_way() {
        let lines = [
            r#"{"id":"a","right":false,"func_ok":true,"args_ok":true,"error":"value","errors":["value"],"reason":"`x` is 1"}"#,
            r#"{"id":"a","func_ok":true,"args_ok":false}"#,
            r#"{"id":"a","syntax":true,"ast":false,"routing":null,"error":null,"errors":["format"],"reason":"it is a list"}"#,
            r#"{"id":"a","verdict":"fail","reason":"key","detail":"`a` is missing","error":"wrong_value"}"#,
            r#"{"id":"a#x","sample_id":"a","success":false,"message":"Stop early."}"#,
            r#"{"id":"a#x","sample_id":"a","status":"not_recorded"}"#,
            r#"{"id":"a#x","sample_id":"a","status":"crash","detail":"AttributeError"}"#,
            r#"{"id":"a","valid":false,"error_type":"value_error:string"}"#,
            r#"{"id":"a","match":true,"labels":[]}"#,
            r#"{"id":"a","verdict":"unparsed"}"#,
        ];
        let shown = lines
            .map(|line| read(line).map(|it| format!("{} {:?} {} / {}", it.id, it.right, it.class, it.reason)).unwrap());
        insta::assert_snapshot!(shown.join("\n"), @r"
        a Some(false) value / `x` is 1
        a Some(false)  / 
        a Some(false) format / it is a list
        a Some(false) wrong_value / `a` is missing
        a Some(false) Stop early. / Stop early.
        a Some(false) not_recorded / 
        a Some(false) crash / AttributeError
        a Some(false) value_error:string / value_error:string
        a Some(true)  / 
        a None  / 
        ");
    }

    #[test]
    fn a_line_without_an_item_is_none() {
        assert_eq!(read(r#"{"right":true}"#), None);
        let named = read(r#"{"id":"a","run":2,"predictions":"m","right":true}"#).unwrap();
        assert_eq!((named.predictions.as_deref(), named.run), (Some("m"), Some(2)));
    }
}
