//! JSON, and Python's and YAML's syntax, as models write them.

use super::super::drive::{Target, text};
use super::super::mutate::LONGEST;
use super::super::write;
use super::{came, texts};
use fcgen::python;
use fcgen::record::{BorrowedObject, BorrowedValue, LeniencyKind, Number, Value, elements};

const WORDS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ":",
    ",",
    "\"",
    "\"a\":",
    "\"a\": 1, ",
    "null",
    "true",
    "false",
    "NaN",
    "-Infinity",
    "\\u00e9",
    "\\ud83d",
    "\\\"",
    "1e5",
    " ",
    "\n",
];

#[test]
fn json() {
    let seeds = texts(&[
        r#"{"name": "f", "arguments": {"a": 1.50, "b": [true, null, "\u00e9\ud83d\ude00"]}, "a": -0, "a": 1e400}"#,
        r#"[{"id": "a", "run": 1, "predict": "x"}, {"id": 7, "key": "k", "turns": []}]"#,
        "[1, 2.0, -3e-7, NaN, Infinity, \"\u{1}\", \"가\"]",
    ]);
    let target = Target {
        name: "json",
        seeds,
        words: WORDS,
        make: |chance| write::json(chance, 5),
        longest: LONGEST,
        usual: 1000,
    };
    target.drive(text(|input| {
        let read = Value::read(input);
        if let Ok(value) = &read {
            assert_eq!(Value::read(&value.to_string()).as_ref(), Ok(value), "it is read as it was written");
        }
        let lenient = Value::read_lenient(input);
        if let Ok((value, found)) = &lenient {
            let again = Value::read_lenient(&value.to_string()).map(|(value, _)| value);
            let has_constant = found.iter().any(|leniency| leniency.kind == LeniencyKind::Constant);
            assert!(has_constant || again.as_ref() == Ok(value), "{again:?} is not {value:?}");
            assert_eq!(read.is_ok(), found.is_empty());
        }
        assert_eq!(BorrowedValue::read_strict(input).is_ok(), read.is_ok());
        assert_eq!(BorrowedValue::read_lenient(input).is_ok(), lenient.is_ok());
        if let Some((value, end)) = Value::read_beginning(input) {
            assert_eq!(Value::read_lenient(input.get(..end).unwrap()).unwrap().0, value);
        }
        let parts = elements(input).flatten().filter(|part| Value::read_lenient(part).is_ok()).count();
        let fields = BorrowedObject::read_fields(input, &["a", "id", "name"]).map_or(0, |fields| fields.len());
        let number = Number::parse(input).is_some();
        format!(
            "{} {} {} {fields} {number}",
            came(&read, Value::to_string_kind),
            came(&lenient, |_| "ok".into()),
            parts.min(3)
        )
    }));
}

/// The kind of a value, in a word.
trait Kind {
    fn to_string_kind(&self) -> String;
}

impl Kind for Value {
    fn to_string_kind(&self) -> String {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::List(_) => "list",
            Self::Object(_) => "object",
        }
        .to_owned()
    }
}

#[test]
fn python_syntax() {
    let seeds = texts(&[
        "[get_weather(city='Paris', days=3, units=[\"c\", 'f'], when=None)]",
        "Clock.setAlarm(time=\"8\", days=[\"Monday\"], label='it\\'s', x=-1.5e3, y={'a': (1, 2)})",
        "{'a': 1, \"b\": [True, False, None], 'c': 'x\\u00e9\\n'}",
        "f(a=b'x', b=r'\\d', c=\"\"\"long\"\"\", d=1_000, e=0x1f)",
    ]);
    let words = &[
        "f(", "a=", ")", "(", "[", "]", "{", "}", "'", "\"", "\\", ",", ":", "None", "True", "1", "-", ".", " ", "\n",
    ];
    Target { name: "python", seeds, words, make: write::python, longest: LONGEST, usual: 1000 }.drive(text(|input| {
        let calls = python::read_calls(input);
        let literal = python::read_literal(input).map(Value::from);
        if let Some(value) = &literal {
            assert!(!python::dump(value).is_empty());
        }
        let (float, plain) = (python::read_float(input), python::quoted(input));
        assert!(!plain.is_empty());
        format!(
            "{:?} {:?} {} {:?}",
            calls.map(|calls| calls.len().min(4)),
            literal.map(|value| value.to_string_kind()),
            float.is_some(),
            [true, false].map(|bytes| python::unescape(input, bytes).is_some()),
        )
    }));
}

#[test]
fn yaml() {
    let seeds = texts(&[
        "API:\n- getX\nparameters:\n- a: \"123\"\n  n: 5\n",
        "---\nAPI:\n  - getX\nparameters:\n  -\n    a: '123'\n    n: 1:30\n...\n",
        "a: &x [1, 2]\nb: *x\nc: |\n  text\n  more\nd: >-\n  folded\n? key\n: value\n",
        "{a: 1, b: [x, 'y', \"z\\n\"], c: !!str 5, d: 2024-02-29, e: yes, f: ~}",
    ]);
    let words = &[
        "- ",
        ": ",
        "a: ",
        "\n",
        "  ",
        "{",
        "}",
        "[",
        "]",
        "&a ",
        "*a",
        "!!str ",
        "|\n",
        ">-\n",
        "? ",
        "---\n",
        "...\n",
        "#",
        "\"",
        "'",
        "<<: ",
        "%YAML 1.1\n",
        "\t",
        "0x1f",
        "1:30",
        "~",
        "=",
    ];
    Target { name: "yaml", seeds, words, make: write::yaml, longest: LONGEST, usual: 1000 }.drive(text(|input| {
        let (read, texts) = (python::read_yaml(input), python::read_yaml_texts(input));
        if let Ok(value) = &read {
            let again = Value::read_lenient(&value.to_string()).map(|(value, _)| value);
            assert!(again.is_ok(), "{again:?}");
        }
        format!("{} {}", came(&read, Value::to_string_kind), texts.is_ok())
    }));
}
