//! Whether the values of right calls are what their parameters are for: by kind, by format, and by the examples that a
//! description gives.

use super::Measure;
use super::figure::{Cell, Figure, Mark};
use crate::lint::entry::Entry;
use crate::lint::ground::Ground;
use crate::lint::hash::hash;
use crate::locale::Kind;
use crate::record::{Number, Parameter, Tool, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Counts values, each once for its parameter; a hash is kept of each.
pub(super) struct Fit {
    ground: Arc<Ground>,
    seen: BTreeSet<u64>,
    checks: [(usize, usize); 3],
    first: Option<String>,
}

/// Most of the values that may not fit.
const MARK: f64 = 0.02;

const WHAT: &str = "share of distinct values in expected calls that do not fit their parameter: values that are not a \
    number or a date although the value kind is one of these, strings that do not match the schema's `format` (date, \
    time, date-time, email, uri, uuid), strings without digits where every example has digits, or with letters where \
    no example has letters";

const SLICES: [&str; 3] = ["kind", "format", "examples"];

impl Fit {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self { ground, seen: BTreeSet::new(), checks: Default::default(), first: None }
    }

    fn value(&mut self, tool: &Tool, name: &str, value: &Value) {
        let Some(parameter) = tool.parameters.properties.get(name) else { return };
        if value.as_str() == Some(crate::record::PLACEHOLDER)
            || !self.seen.insert(hash(&[&tool.name, name, &value.to_string()]))
        {
            return;
        }
        let kind = tool.kinds.get(name).and_then(|kind| self.ground.kinds.get(kind));
        let text = value.as_str();
        let checks = [
            kind.and_then(|kind| is_of_kind(kind, value)),
            text.zip(parameter.more.get("format").and_then(|it| it.as_str()))
                .and_then(|(text, format)| has_format(text, format)),
            text.and_then(|text| is_like(text, &examples(parameter, &self.ground.talk.examples))),
        ];
        for (count, fits) in self.checks.iter_mut().zip(checks) {
            let Some(fits) = fits else { continue };
            count.1 += 1;
            if !fits {
                count.0 += 1;
                self.first.get_or_insert_with(|| format!("{}.{name} = {value}", tool.function()));
            }
        }
    }
}

impl Measure for Fit {
    fn see(&mut self, entry: &Entry) {
        for called in entry.calls() {
            let Some(tool) = entry.candidate(&called.call.name) else { continue };
            called.call.arguments.iter().for_each(|(name, value)| self.value(tool, name, value));
        }
    }

    fn figure(&self) -> Figure {
        let first = self.first.as_ref().map(|first| format!("first: {first}")).unwrap_or_default();
        let cell = |(slice, (part, whole)): (&str, (usize, usize))| {
            let cell = Cell::share(slice, part, whole).held_to(Mark::AtMost(MARK));
            (whole > 0).then(|| if part > 0 { cell.with(&first) } else { cell })
        };
        Figure::new("misfits", WHAT, SLICES.into_iter().zip(self.checks).filter_map(cell).collect())
    }
}

/// Whether a value is of a kind of numbers or days; nothing where the kind is one of texts. The span of a kind is what the
/// built-in model draws from, and no bound.
fn is_of_kind(kind: &Kind, value: &Value) -> Option<bool> {
    if let Some(numbers) = &kind.numbers {
        let is_whole = [numbers.least, numbers.most, numbers.step].iter().all(|number| number.fract() == 0.0);
        let number = value.as_number().map(Number::as_f64).or_else(|| value.as_str()?.trim().parse().ok());
        return Some(number.is_some_and(|number| !is_whole || numbers.decimals > 0 || number.fract() == 0.0));
    }
    kind.days.as_ref().and_then(|_| value.as_str()).and_then(|text| has_format(text, "date"))
}

/// Whether a text has a format of JSON Schema; nothing for those that are not known.
fn has_format(text: &str, format: &str) -> Option<bool> {
    let of = |shape: &str| shaped(text) == shape;
    Some(match format {
        "date" => of("9999-99-99"),
        "time" => shaped(text).starts_with("99:99"),
        "date-time" => shaped(text).starts_with("9999-99-99") && text.contains(['T', 't', ' ']) && text.contains(':'),
        "email" => text.split_once('@').is_some_and(|(name, host)| !name.is_empty() && host.contains('.')),
        "uri" => text.contains("://"),
        "uuid" => text.len() == 36 && text.split('-').map(str::len).eq([8, 4, 4, 4, 12]),
        _ => return None,
    })
}

/// A text with every digit as `9`.
fn shaped(text: &str) -> String {
    text.chars().map(|letter| if letter.is_ascii_digit() { '9' } else { letter }).collect()
}

/// The examples of a schema, and those that a description names behind one of its locale's words for it.
fn examples(parameter: &Parameter, marks: &[String]) -> Vec<String> {
    let listed = parameter.more.get("examples").and_then(|it| it.as_array()).into_iter().flatten();
    let listed = listed.chain(parameter.more.get("example")).filter_map(|it| it.as_str()).map(str::to_owned);
    let described = parameter.description.as_deref().unwrap_or_default();
    let told = marks.iter().filter_map(|mark| described.split_once(mark.as_str()).map(|(_, rest)| rest));
    let told = told.map(|rest| {
        rest.trim_start_matches([' ', ',', ':']).split([',', ';', ')', '(', '.']).next().unwrap_or_default()
    });
    listed.chain(told.map(|text| text.trim().to_owned())).filter(|text| !text.is_empty()).collect()
}

/// Whether a text has digits and letters as its examples have; nothing where these do not agree.
fn is_like(text: &str, examples: &[String]) -> Option<bool> {
    let has = |text: &str, is: fn(char) -> bool| text.chars().any(is);
    if examples.is_empty() {
        return None;
    }
    let all_digits = examples.iter().all(|it| has(it, |letter| letter.is_ascii_digit()));
    let no_letters = examples.iter().all(|it| !has(it, char::is_alphabetic));
    let fits_digits = !all_digits || has(text, |letter| letter.is_ascii_digit());
    Some(fits_digits && (!no_letters || !has(text, char::is_alphabetic)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Pack;

    #[test]
    fn values_are_of_their_kind() {
        let pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        let (number, day) = (&pack.kinds["house_number"], &pack.kinds["iso_date"]);
        let read = |text: &str| Value::read(text).unwrap();
        assert_eq!((is_of_kind(number, &read("7")), is_of_kind(number, &read(r#""7""#))), (Some(true), Some(true)));
        assert_eq!(
            (is_of_kind(number, &read(r#""a few""#)), is_of_kind(number, &read("7.5"))),
            (Some(false), Some(false))
        );
        assert_eq!(is_of_kind(day, &read(r#""2026-02-03""#)), Some(true));
        assert_eq!(is_of_kind(&pack.kinds["city"], &read(r#""Porto""#)), None);
    }

    #[test]
    fn texts_have_the_format_that_is_stated() {
        for (text, format) in
            [("2026-02-03", "date"), ("10:05", "time"), ("2026-02-03T10:05:00Z", "date-time"), ("a@b.de", "email")]
        {
            assert_eq!(has_format(text, format), Some(true), "{text}");
        }
        for (text, format) in
            [("February", "date"), ("soon", "time"), ("pottery", "email"), ("x", "uuid"), ("x", "uri")]
        {
            assert_eq!(has_format(text, format), Some(false), "{text}");
        }
        assert_eq!(has_format("x", "binary"), None);
    }

    #[test]
    fn texts_are_like_the_examples() {
        let parameter: Parameter =
            serde_json::from_str(r#"{"type": "string", "description": "The month (e.g. 2026-05)"}"#).unwrap();
        let examples = examples(&parameter, &["e.g.".to_owned()]);
        assert_eq!(examples, ["2026-05"]);
        assert_eq!((is_like("2026-07", &examples), is_like("February", &examples)), (Some(true), Some(false)));
        assert_eq!((is_like("x", &[]), is_like("Faro", &["Porto".to_owned()])), (None, Some(true)));
    }
}
