//! Expressions: values computed from a call's arguments and from rows, in the language of the prompts.

use super::super::helpers;
use super::cell::Cell;
use minijinja::{Environment, UndefinedBehavior};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, LazyLock};

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    helpers::add(&mut environment);
    environment
});

/// Words that name no variable.
const LITERALS: [&str; 6] = ["true", "false", "none", "True", "False", "None"];

/// A computed value, ready to run.
#[derive(Clone)]
pub(crate) struct Expression {
    text: Arc<str>,
    code: Arc<Code>,
}

/// A path of names is by far the most frequent expression, and needs no machine.
enum Code {
    Path(Vec<String>),
    Compiled(minijinja::Expression<'static, 'static>),
}

impl fmt::Debug for Expression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Expression({})", self.text)
    }
}

impl Expression {
    /// Compiles an expression, or says what is wrong with it.
    pub(crate) fn compile(text: &str) -> Result<Self, String> {
        let code = match path(text) {
            Some(path) => Code::Path(path),
            None => {
                Code::Compiled(ENVIRONMENT.compile_expression_owned(text.to_owned()).map_err(|error| words(&error))?)
            }
        };
        Ok(Self { text: text.into(), code: Arc::new(code) })
    }

    /// How it is written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The variables that it wants, with their fields (`row.price`); the functions that it calls are among them.
    pub(crate) fn wants(&self) -> BTreeSet<String> {
        match &*self.code {
            Code::Path(path) => BTreeSet::from([path.join(".")]),
            Code::Compiled(code) => code.undeclared_variables(true).into_iter().collect(),
        }
    }

    /// The one variable that it is, where it is no more than that.
    pub(crate) fn as_path(&self) -> Option<&[String]> {
        match &*self.code {
            Code::Path(path) => Some(path),
            Code::Compiled(_) => None,
        }
    }

    /// Its value in a scope, or what is wrong.
    pub(crate) fn eval(&self, scope: &Cell) -> Result<Cell, String> {
        let fault = |detail: String| format!("`{}`: {detail}", self.text);
        match &*self.code {
            Code::Path(path) => {
                let mut cell = scope.clone();
                for name in path {
                    cell = cell.get_attr(name).map_err(|error| fault(words(&error)))?;
                    if cell.is_undefined() {
                        return Err(fault(format!("`{name}` is undefined")));
                    }
                }
                Ok(cell)
            }
            Code::Compiled(code) => code.eval(scope.clone()).map_err(|error| fault(words(&error))),
        }
    }
}

/// The names of a path such as `row.price`.
fn path(text: &str) -> Option<Vec<String>> {
    let is_name = |part: &str| {
        part.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '_')
            && part.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
            && !LITERALS.contains(&part)
            && !["not", "and", "or", "in", "is", "if", "else"].contains(&part)
    };
    let parts: Vec<&str> = text.split('.').collect();
    parts.iter().all(|part| is_name(part)).then(|| parts.into_iter().map(str::to_owned).collect())
}

/// Names that every scope has: the functions of the engine and our own.
pub(crate) fn is_function(name: &str) -> bool {
    helpers::NAMES.contains(&name) || LITERALS.contains(&name)
}

fn words(error: &minijinja::Error) -> String {
    let kind = error.kind().to_string();
    error.detail().map_or(kind.clone(), |detail| format!("{kind}: {detail}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::steps::cell::{from_cell, to_cell};
    use fcgen_core::record::Value;
    use proptest::prelude::*;

    fn eval(text: &str) -> Result<String, String> {
        let scope =
            to_cell(&Value::read(r#"{"row": {"price": 80, "name": "Inn"}, "from": "2024-11-05", "n": null}"#).unwrap());
        Ok(from_cell(&Expression::compile(text)?.eval(&scope)?).to_string())
    }

    #[test]
    fn paths_and_arithmetic_and_functions_are_computed() {
        assert_eq!(eval("row.price").unwrap(), "80");
        assert_eq!(eval("row.price * nights(from, '2024-11-08')").unwrap(), "240");
        assert_eq!(eval("(row.price * 1.234)|round(2)").unwrap(), "98.72");
        assert_eq!(eval("'x' if n is none else 'y'").unwrap(), "\"x\"");
        assert_eq!(eval("row.name ~ ', ' ~ row.price").unwrap(), "\"Inn, 80\"");
        assert_eq!(eval("true").unwrap(), "true");
    }

    #[test]
    fn what_cannot_be_read_or_found_is_said() {
        assert!(eval("row.price *").unwrap_err().starts_with("syntax error: "));
        assert_eq!(eval("row.prise").unwrap_err(), "`row.prise`: `prise` is undefined");
        assert!(eval("row.prise + 1").unwrap_err().contains("undefined"));
        assert!(eval("nights(n, from)").is_err());
        assert!(eval("row.price // 0").is_err());
    }

    #[test]
    fn wants_are_named_with_their_fields() {
        let wants = |text: &str| Expression::compile(text).unwrap().wants().into_iter().collect::<Vec<_>>();
        assert_eq!(wants("row.price * nights(from, to)"), ["from", "nights", "row.price", "to"]);
        assert_eq!(wants("row.price"), ["row.price"]);
        assert!(is_function("nights") && !is_function("row"));
        assert_eq!(Expression::compile("a.b").unwrap().as_path().map(<[String]>::len), Some(2));
    }

    #[test]
    fn words_of_the_language_are_no_names() {
        for text in ["true", "none", "not", "in", "if"] {
            assert_eq!(path(text), None, "{text}");
        }
        assert_eq!(path("a.b_1._c").unwrap(), ["a", "b_1", "_c"]);
        assert!(["1a", "a-b", "a..b", "", "a.", "a b", "\u{e4}"].iter().all(|text| path(text).is_none()));
        let literals = ["true", "none", "1.5", "'a'", "[1, 2]"].map(|text| eval(text).unwrap());
        assert_eq!(literals, ["true", "null", "1.5", "\"a\"", "[1,2]"]);
    }

    #[test]
    fn an_expression_shows_itself_as_it_is_written() {
        let expression = Expression::compile("row.price * 2").unwrap();
        assert_eq!(
            (expression.text(), format!("{expression:?}")),
            ("row.price * 2", "Expression(row.price * 2)".to_owned())
        );
        assert!(expression.as_path().is_none());
    }

    proptest! {
        #[test]
        fn a_path_and_the_same_in_brackets_are_one_value(names in prop::collection::vec("[a-z]{1,4}", 1..4), number in any::<i32>()) {
            prop_assume!(names.iter().all(|name| path(name).is_some()));
            let value = names.iter().rev().fold(Value::from(i64::from(number)), |value, name| Value::Object([(name.clone(), value)].into()));
            let scope = to_cell(&value);
            let text = names.join(".");
            let compute = |text: &str| from_cell(&Expression::compile(text).unwrap().eval(&scope).unwrap()).to_string();
            prop_assert_eq!(compute(&text), number.to_string());
            prop_assert_eq!(compute(&format!("({text})")), number.to_string());
        }

        #[test]
        fn any_text_is_compiled_or_refused(text in ".{0,40}") {
            if let Ok(expression) = Expression::compile(&text) {
                let wants = expression.wants();
                prop_assert!(wants.iter().all(|name| !name.is_empty()), "{:?}", wants);
            }
        }
    }
}
