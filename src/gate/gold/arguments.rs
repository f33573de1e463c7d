//! Arguments that nobody said: a default written out, or a value without any source.

use super::{Fault, Gold, GoldCall};
use crate::record::{Argument, Origin, Value};

impl Gold<'_> {
    /// Arguments of which neither the request nor an earlier answer says anything.
    pub(super) fn unsaid(&self, calls: &[GoldCall<'_>]) -> Vec<Fault> {
        let of = |call: &GoldCall<'_>| -> Vec<Fault> {
            let arguments = call.call.arguments.iter();
            let noted = arguments.filter_map(|(name, value)| Some((name, value, call.notes?.get(name)?)));
            let unsaid = noted.filter(|(name, value, note)| self.is_unsaid(call, (name, value), note));
            let fault = |(name, value, note): (&String, &Value, &Argument)| {
                let why = if note.origin == Origin::Missing { "it comes from nowhere" } else { "it is a default" };
                let detail = format!("nobody says {name} = {value} of `{}`: {why}", call.call.name);
                Fault::new("unsaid_argument", detail)
            };
            unsaid.map(fault).collect()
        };
        calls.iter().flat_map(of).collect()
    }

    fn is_unsaid(&self, call: &GoldCall<'_>, (name, value): (&str, &Value), note: &Argument) -> bool {
        match note.origin {
            Origin::Default | Origin::Missing => true,
            Origin::Answer { .. } | Origin::Derived { .. } | Origin::Open => false,
            _ => {
                let is_said = note.surface.as_deref().is_some_and(|words| says(self.request, words));
                !is_said && self.is_default(call, name, value) && !stands(self.request, value)
            }
        }
    }

    fn is_default(&self, call: &GoldCall<'_>, name: &str, value: &Value) -> bool {
        let tool = self.tools.iter().find(|tool| tool.name == call.call.name);
        let default = tool.and_then(|tool| tool.parameters.properties.get(name)?.more.get("default").cloned());
        default.is_some_and(|default| Value::from(default).equals(value))
    }
}

/// Whether the request has these words; those of several values have commas between.
fn says(request: &str, words: &str) -> bool {
    !words.is_empty() && (request.contains(words) || words.split(", ").all(|part| request.contains(part)))
}

fn stands(request: &str, value: &Value) -> bool {
    value.as_str().is_some_and(|text| !text.is_empty() && request.contains(text))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Query, reasons};

    #[test]
    fn a_default_that_nobody_says_is_a_fault() {
        let mut query = Query::inns();
        query.argument(1, "currency", "\"USD\"", r#"{"origin": "default"}"#);
        assert_eq!(reasons(&query), ["unsaid_argument"]);
        query.argument(1, "currency", "\"USD\"", r#"{"origin": "enum"}"#);
        assert_eq!(reasons(&query), ["unsaid_argument"], "it is the default, and no words say it");
        query.argument(1, "currency", "\"EUR\"", r#"{"origin": "missing"}"#);
        assert_eq!(reasons(&query), ["unsaid_argument"]);
    }

    #[test]
    fn a_default_that_the_request_says_is_none() {
        let mut query = Query::inns();
        query.argument(1, "currency", "\"USD\"", r#"{"origin": "enum", "surface": "in dollars"}"#);
        assert_eq!(reasons(&query), ["unsaid_argument"]);
        query.request.push_str(" Show prices in dollars.");
        assert_eq!(reasons(&query), [""; 0]);
    }

    #[test]
    fn values_of_earlier_answers_are_said_by_them() {
        let mut query = Query::inns();
        query.argument(1, "currency", "\"USD\"", r#"{"origin": {"answer": {"call": 0, "field": "/data/0/currency"}}}"#);
        assert_eq!(reasons(&query), [""; 0]);
    }
}
