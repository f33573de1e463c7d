//! What else is right besides the gold arguments: as the authors write it in five shapes, and as our samples have it.

use super::row::object;
use crate::record::{Object, Sample, Value};
use indexmap::IndexMap;

/// The fact of a sample that says how strictly its values are taken.
pub const MODE_FACT: &str = "acceptable_mode";
/// The fact that holds a note for whoever judges, in nobody's language in particular.
pub const NOTE_FACT: &str = "acceptable_note";
/// The fact that holds what the authors' file says, where our fields would be written in another shape: their evaluator
/// takes a scalar for something else than a list of one.
pub const AUTHORS_FACT: &str = "acceptable_arguments";

/// How strictly values are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// No other wording is right.
    OnlyGold,
    /// A year that nobody said is wrong.
    NoYear,
    /// A day stays as it was said, and becomes no date.
    AsSaid,
}

/// What is right besides the gold arguments.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Acceptable {
    /// Other values, by parameter.
    pub values: IndexMap<String, Vec<Value>>,
    /// How strictly values are taken.
    pub mode: Option<Mode>,
    /// What else a judge should know.
    pub note: Option<String>,
    /// The same as the authors' file has it.
    pub authors: Option<String>,
}

impl Mode {
    /// Every mode with its name in our samples, and with the sentence that is the authors' sign for it.
    const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::OnlyGold, "only_ground_truth", "Only ground truth is allowed."),
        (
            Self::NoYear,
            "no_invented_year",
            "Since the user did not mention a specific year, it will fail if the date was created including the year in the submission.",
        ),
        (
            Self::AsSaid,
            "day_as_said",
            "The date should be expressed as 'tomorrow'. A specific date should not be designated.",
        ),
    ];

    /// Its name in our samples.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(mode, ..)| *mode == self).map_or("", |(_, name, _)| name)
    }

    /// The mode of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known, _)| *known == name).map(|(mode, ..)| *mode)
    }

    /// The mode that the authors say by this sentence.
    pub fn of_sentence(sentence: &str) -> Option<Self> {
        Self::ALL.iter().find(|(.., known)| *known == sentence).map(|(mode, ..)| *mode)
    }

    /// The authors' sentence.
    pub fn sentence(self) -> &'static str {
        Self::ALL.iter().find(|(mode, ..)| *mode == self).map_or("", |(.., sentence)| sentence)
    }
}

impl Acceptable {
    /// Reads what the authors' file says: `null`, an object, an object within a string, one of three sentences, or any other
    /// text, which is a note.
    pub fn read(value: &Value) -> Self {
        let mut read = match value {
            Value::Object(table) => Self::of_table(table),
            Value::String(text) => match (Mode::of_sentence(text), object(text)) {
                (Some(mode), _) => Self { mode: Some(mode), ..Self::default() },
                (None, Ok(table)) => Self::of_table(&table),
                (None, Err(_)) => Self { note: Some(text.clone()), ..Self::default() },
            },
            _ => Self::default(),
        };
        if read.written() != *value {
            read.authors = Some(value.to_string());
        }
        read
    }

    /// What a sample says.
    pub fn of(sample: &Sample) -> Self {
        let fact = |name: &str| sample.provenance.facts.get(name);
        Self {
            values: sample.acceptable.clone(),
            mode: fact(MODE_FACT).and_then(|name| Mode::named(name)),
            note: fact(NOTE_FACT).cloned(),
            authors: fact(AUTHORS_FACT).cloned(),
        }
    }

    /// Puts it into a sample.
    pub fn put(self, sample: &mut Sample) {
        sample.acceptable = self.values;
        let facts = [
            (MODE_FACT, self.mode.map(|mode| mode.as_str().to_owned())),
            (NOTE_FACT, self.note),
            (AUTHORS_FACT, self.authors),
        ];
        let facts = facts.into_iter().filter_map(|(name, fact)| Some((name.to_owned(), fact?)));
        sample.provenance.facts.extend(facts);
    }

    /// As the authors' file has it, or would have it.
    pub fn wire(&self) -> Value {
        let authors = self.authors.as_ref().and_then(|text| Some(Value::read_lenient(text).ok()?.0));
        authors.unwrap_or_else(|| self.written())
    }

    /// One string: a table, or a sentence. A value alone is written as itself where it is a text, and as a list of one where
    /// it is not: to the authors' evaluator a scalar that is no text would make every value right. A note is left out, as a
    /// text that it does not know ends it.
    fn written(&self) -> Value {
        if self.values.is_empty() {
            return self.mode.map_or(Value::Null, |mode| mode.sentence().into());
        }
        let entry = |(name, values): (&String, &Vec<Value>)| {
            let value = match values.as_slice() {
                [only @ Value::String(_)] => only.clone(),
                values => Value::List(values.to_vec()),
            };
            (name.clone(), value)
        };
        let table: Object = self.values.iter().map(entry).collect();
        Value::Object(table).to_string().into()
    }

    fn of_table(table: &Object) -> Self {
        let values = |value: &Value| match value {
            Value::List(list) => list.clone(),
            scalar => vec![scalar.clone()],
        };
        let values = table.iter().map(|(name, value)| (name.clone(), values(value))).collect();
        Self { values, ..Self::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(json: &str) -> Acceptable {
        Acceptable::read(&Value::read(json).unwrap())
    }

    #[test]
    fn every_shape_is_read_and_written_as_it_was() {
        for json in [
            "null",
            "\"Only ground truth is allowed.\"",
            r#""{\"a\":\"x\",\"b\":[\"y\",\"z\"]}""#,
            r#""{\"a\": 170.0, \"b\": \"x\"}""#,
            r#""{\"repeat\": false}""#,
            r#"{"origin":"New York"}"#,
            "\"Be lenient.\"",
            "\"\"",
            "7",
        ] {
            let value = Value::read(json).unwrap();
            assert_eq!(Acceptable::read(&value).wire(), value, "{json}");
        }
    }

    #[test]
    fn what_is_meant_is_the_same_in_every_shape() {
        let values = |json: &str| {
            Value::Object(read(json).values.into_iter().map(|(name, list)| (name, Value::List(list))).collect())
                .to_string()
        };
        for json in [r#"{"a":"x"}"#, r#""{\"a\": \"x\"}""#, r#""{\"a\":[\"x\"]}""#] {
            assert_eq!(values(json), r#"{"a":["x"]}"#, "{json}");
        }
        assert_eq!(read("\"Be lenient.\"").note.unwrap(), "Be lenient.");
        assert_eq!(
            (read("null"), read("\"Only ground truth is allowed.\"").mode),
            (Acceptable::default(), Some(Mode::OnlyGold))
        );
    }

    #[test]
    fn a_number_alone_is_written_as_a_list_so_that_it_opens_nothing() {
        let values =
            [("a".to_owned(), vec![Value::from(170.0)]), ("b".to_owned(), vec!["x".into()])].into_iter().collect();
        let ours = Acceptable { values, note: Some("hm".to_owned()), ..Acceptable::default() };
        assert_eq!(ours.wire().as_str().unwrap(), r#"{"a":[170.0],"b":"x"}"#);
        assert_eq!(Acceptable { note: Some("hm".to_owned()), ..Acceptable::default() }.wire(), Value::Null);
    }

    #[test]
    fn modes_have_names_and_sentences_of_their_own() {
        for (mode, name, sentence) in Mode::ALL {
            assert_eq!((mode.as_str(), mode.sentence()), (name, sentence));
            assert_eq!((Mode::named(name), Mode::of_sentence(sentence)), (Some(mode), Some(mode)));
        }
        assert_eq!((Mode::named(""), Mode::of_sentence("only ground truth is allowed.")), (None, None));
    }

    proptest! {
        #[test]
        fn whatever_is_read_is_written_back(value in crate::fixtures::any_value(false)) {
            prop_assert_eq!(Acceptable::read(&value).wire(), value.clone());
            let text = Value::from(value.to_string());
            prop_assert_eq!(Acceptable::read(&text).wire(), text);
        }
    }
}
