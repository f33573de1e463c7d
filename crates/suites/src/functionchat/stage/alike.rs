//! What is as right as one gold argument: whether it may be said otherwise at all, and how.

use crate::locale::{DaySaid, Language, Pack, day_said, is_time, other_times, twins};
use crate::record::{Parameter, Tool, Value};

/// How open the value of an argument is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Openness {
    /// It identifies something, or is to be taken over letter by letter: nothing else is right.
    Identifier,
    /// Its type, its list or its format leaves one way to write it.
    Closed,
    /// Other words may mean the same.
    Open,
}

/// One argument of a call with what is known of it.
pub(crate) struct Argument<'a> {
    pub pack: &'a Pack,
    pub language: &'a Language,
    /// Kinds and entities whose values identify.
    pub identifiers: &'a [String],
    /// What the person said.
    pub text: &'a str,
    pub tool: &'a Tool,
    pub name: &'a str,
    pub value: &'a Value,
}

/// Quotation marks, each with the one that ends what it begins.
const QUOTES: [(char, char); 7] = [
    ('\'', '\''),
    ('"', '"'),
    ('\u{2018}', '\u{2019}'),
    ('\u{201c}', '\u{201d}'),
    ('\u{300c}', '\u{300d}'),
    ('\u{300e}', '\u{300f}'),
    ('\u{300a}', '\u{300b}'),
];

/// Signs in a description that fix how a day or a time is written.
const FORMATS: [&str; 3] = ["YYYY", "HH:", "hh:"];

impl Argument<'_> {
    /// How open it is.
    pub(crate) fn openness(&self) -> Openness {
        let Some(text) = self.value.as_str() else { return Openness::Closed };
        if self.is_identifier() || is_code(text) || self.is_quoted(text) {
            return Openness::Identifier;
        }
        if self.parameter().is_some_and(is_fixed) { Openness::Closed } else { Openness::Open }
    }

    /// Other values that may be as right, best first; nobody has checked them yet.
    pub(crate) fn others(&self) -> Vec<Value> {
        match (self.value, self.openness()) {
            (Value::Number(_), _) => self.number_twin().into_iter().collect(),
            (Value::String(text), Openness::Open) => self.other_texts(text).into_iter().map(Value::from).collect(),
            _ => Vec::new(),
        }
    }

    /// How the value says its day, where it is a day that is taken over as it was said.
    pub(crate) fn day(&self) -> Option<DaySaid> {
        let text = self.value.as_str().filter(|text| self.openness() == Openness::Open && self.is_time(text))?;
        day_said(text, self.language)
    }

    /// The same number as a whole one or with a point, which only a parameter of type `number` may be.
    fn number_twin(&self) -> Option<Value> {
        let Value::Number(number) = self.value else { return None };
        self.parameter().filter(|it| it.type_name() == "number" && it.values.is_none())?;
        let text = self.value.to_string();
        if number.is_integer_text() {
            return Value::read(&format!("{text}.0")).ok();
        }
        Value::read(text.strip_suffix(".0")?).ok()
    }

    fn other_texts(&self, text: &str) -> Vec<String> {
        let language = self.language;
        let mut others = language.other_names(text);
        if self.is_about("currency") {
            others.extend(language.other_currencies(text));
        }
        if self.is_about("unit") {
            others.extend(language.other_units(text));
        }
        others.extend(self.with_unit(text));
        others.extend(self.with_and_without_ending(text));
        others.extend(if self.is_time(text) { other_times(text, language) } else { twins(text, language) });
        others
    }

    /// The number with the unit that the person said behind it.
    fn with_unit(&self, text: &str) -> Option<String> {
        let is_number = text.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        let behind = self.behind(text).next().filter(|_| is_number)?;
        let unit = self.language.unit_at(behind.trim_start_matches(' '))?;
        let gap = if behind.starts_with(' ') { " " } else { "" };
        Some(format!("{text}{gap}{unit}"))
    }

    /// A name without what stands behind it, and with what the person said behind it.
    fn with_and_without_ending(&self, text: &str) -> Vec<String> {
        let particles = &self.pack.particles;
        let endings = self.entity().map(|entity| self.language.endings(entity)).unwrap_or_default();
        let without = endings.iter().filter_map(|ending| {
            let stem = text.strip_suffix(ending.as_str())?.trim_end();
            (stem.chars().count() > 1 && particles.agree(stem, ending) == ending).then(|| stem.to_owned())
        });
        // A particle that agrees may be one of the sentence and none of the name.
        let titles = endings.iter().filter(|ending| !particles.agrees(ending));
        let with = titles.filter_map(|title| {
            let said = self.behind(text).find_map(|rest| {
                let gap = rest.len() - rest.trim_start_matches(' ').len();
                rest.trim_start_matches(' ').starts_with(title.as_str()).then(|| rest.get(..gap + title.len()))?
            })?;
            Some(format!("{text}{said}"))
        });
        without.chain(with).collect()
    }

    /// What the person said behind the value, each time that it stands in the text.
    fn behind<'t>(&'t self, value: &str) -> impl Iterator<Item = &'t str> {
        let length = value.len();
        let places: Vec<usize> = self.text.match_indices(value).map(|(at, _)| at + length).collect();
        places.into_iter().filter_map(|at| self.text.get(at..))
    }

    fn parameter(&self) -> Option<&Parameter> {
        self.tool.parameters.properties.get(self.name)
    }

    fn kind(&self) -> Option<&str> {
        self.tool.kinds.get(self.name).map(String::as_str)
    }

    fn entity(&self) -> Option<&str> {
        self.pack.kinds.get(self.kind()?)?.entity.as_deref()
    }

    fn is_identifier(&self) -> bool {
        [self.kind(), self.entity()].into_iter().flatten().any(|kind| self.identifiers.iter().any(|it| it == kind))
    }

    fn is_time(&self, text: &str) -> bool {
        self.entity() == Some("time") || is_time(text, self.language)
    }

    /// Whether the names of the kind, of the parameter or of the tool hold a word.
    fn is_about(&self, word: &str) -> bool {
        let names = [self.kind().unwrap_or_default(), self.name, &self.tool.name];
        names.iter().any(|name| name.to_lowercase().contains(word))
    }

    /// Whether the value stands in quotation marks.
    fn is_quoted(&self, value: &str) -> bool {
        QUOTES.iter().any(|(open, close)| self.text.contains(&format!("{open}{value}{close}")))
    }
}

/// Whether a schema leaves one way to write a value.
fn is_fixed(parameter: &Parameter) -> bool {
    let description = parameter.description.as_deref().unwrap_or_default();
    parameter.values.is_some()
        || ["format", "pattern", "const"].iter().any(|key| parameter.more.contains_key(*key))
        || FORMATS.iter().any(|format| description.contains(format))
}

/// Whether a text looks like an address, a number or a code that only its own letters say: `010-1122-3344`, `a@b.c`.
fn is_code(text: &str) -> bool {
    let plain = text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '+'));
    let digits = text.chars().filter(char::is_ascii_digit).count();
    text.contains("://") || text.contains('@') || plain && digits >= 3 && text.chars().count() >= 4
}

#[cfg(test)]
pub(crate) mod tests {
    #![expect(
        clippy::redundant_closure_for_method_calls,
        reason = "a method is for one lifetime, these closures for all"
    )]

    use super::*;
    use crate::record::Tool;

    /// A tool with one parameter of this schema and kind, or of none.
    pub(crate) fn tool(schema: &str, kind: &str) -> Tool {
        let kinds = if kind.is_empty() { String::new() } else { format!(r#""kinds": {{"x": "{kind}"}},"#) };
        serde_json::from_str(&format!(r#"{{"name": "f", {kinds} "parameters": {{"properties": {{"x": {schema}}}}}}}"#))
            .unwrap()
    }

    fn with<T>(locale: &str, text: &str, tool: &Tool, value: &str, ask: impl Fn(&Argument<'_>) -> T) -> T {
        let (pack, language) = (
            Pack::load(crate::fixtures::assets(), locale).unwrap(),
            Language::load(crate::fixtures::assets(), locale).unwrap(),
        );
        let value = Value::read(value).unwrap();
        let identifiers = ["phone number".to_owned(), "file".to_owned()];
        ask(&Argument {
            pack: &pack,
            language: &language,
            identifiers: &identifiers,
            text,
            tool,
            name: "x",
            value: &value,
        })
    }

    const TEXT: &str = r#"{"type": "string"}"#;

    fn others(locale: &str, text: &str, kind: &str, value: &str) -> Vec<String> {
        let value = Value::from(value).to_string();
        let others = with(locale, text, &tool(TEXT, kind), &value, |it| it.others());
        others.iter().map(|other| other.as_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_value_is_open_unless_something_closes_it() {
        for (schema, kind, text, value, wanted) in [
            (TEXT, "city", "to Porto", "\"Porto\"", Openness::Open),
            (TEXT, "phone", "call 12", "\"12\"", Openness::Identifier),
            (TEXT, "", "call", "\"010-1122-3344\"", Openness::Identifier),
            (TEXT, "", "mail", "\"jo@mail.com\"", Openness::Identifier),
            (TEXT, "", "title it 'Red sea'", "\"Red sea\"", Openness::Identifier),
            (r#"{"type": "string", "enum": ["a"]}"#, "", "a", "\"a\"", Openness::Closed),
            (r#"{"type": "string", "format": "date"}"#, "date", "today", "\"today\"", Openness::Closed),
            (r#"{"type": "string", "description": "as YYYY/MM"}"#, "", "x", "\"June\"", Openness::Closed),
            (r#"{"type": "integer"}"#, "", "3", "3", Openness::Closed),
            (r#"{"type": "boolean"}"#, "", "x", "true", Openness::Closed),
        ] {
            assert_eq!(with("en", text, &tool(schema, kind), value, |it| it.openness()), wanted, "{schema} {value}");
        }
    }

    #[test]
    fn a_number_has_a_twin_where_its_type_has_points() {
        let twin = |schema: &str, value: &str| {
            with("en", "x", &tool(schema, ""), value, |it| it.others())
                .iter()
                .map(ToString::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(twin(r#"{"type": "number"}"#, "170"), ["170.0"]);
        assert_eq!(twin(r#"{"type": "number"}"#, "65.0"), ["65"]);
        assert!(twin(r#"{"type": "number"}"#, "173.5").is_empty());
        assert!(twin(r#"{"type": "integer"}"#, "170").is_empty());
        assert!(twin(r#"{"type": "number", "enum": [1, 2]}"#, "1").is_empty());
    }

    #[test]
    fn names_titles_units_and_currencies_have_their_others() {
        assert_eq!(others("ko", "부산 날씨", "city", "부산"), ["Busan"]);
        assert_eq!(others("ko", "준혁이 생일", "person", "준혁이"), ["준혁"]);
        assert_eq!(others("ko", "차현우 씨한테", "person", "차현우"), ["차현우 씨"]);
        assert_eq!(others("ko", "차현우씨한테", "person", "차현우씨"), ["차현우"]);
        assert_eq!(others("ko", "용인시청 앞으로", "place", "용인시청 앞"), ["용인시청"]);
        assert_eq!(others("ko", "60평 주택", "", "60"), ["60평"]);
        assert!(others("ko", "엔으로", "currency", "엔").contains(&"JPY".to_owned()));
        assert!(others("ko", "불 켜 줘", "", "불").is_empty(), "a light, and no dollar");
        assert!(others("ko", "서진이랑", "person", "서진").is_empty(), "a particle of the sentence");
    }

    #[test]
    fn times_are_told_by_their_kind_or_by_themselves() {
        assert_eq!(others("ko", "x", "time", "3시간 뒤"), ["3시간 후"]);
        assert!(others("ko", "x", "", "내일 오후 두시").contains(&"내일 오후 2시".to_owned()));
        let day = |value: &str| with("ko", "x", &tool(TEXT, "date"), &Value::from(value).to_string(), |it| it.day());
        assert_eq!(
            [day("내일"), day("6월 3일"), day("2025-06-03")],
            [Some(DaySaid::Relative), Some(DaySaid::WithoutYear), None]
        );
    }
}
