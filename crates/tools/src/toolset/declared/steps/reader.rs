//! Gathers what is wrong with one file of a declaration, each fault with its line.

use super::super::helpers::NAMES as FUNCTIONS;
use super::super::names::Names;
use super::expression::{Expression, is_function};
use crate::toolset::resources::source::File;
use crate::toolset::{Fault, nearest_name};
use std::ops::Range;
use toml::Spanned;

/// A text with its place.
pub(crate) type Text = Spanned<String>;

/// One file, and what is wrong with it.
pub(crate) struct Reader<'a> {
    pub(crate) file: File<'a>,
    pub(crate) faults: &'a mut Vec<Fault>,
}

impl Reader<'_> {
    /// Notes a fault at a place.
    pub(crate) fn fault(&mut self, span: Range<usize>, message: impl Into<String>) {
        let fault = self.file.fault(Some(span.start), message.into());
        // A part that is used twice would say everything twice.
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }

    /// Notes that there is no such thing, with what might have been meant.
    pub(crate) fn unknown(&mut self, span: Range<usize>, what: &str, name: &str, known: &[&str]) {
        self.fault(span, format!("unknown {what} `{name}`; {}", nearest_name(name, known)));
    }

    /// Compiles an expression whose variables must be in `names`.
    pub(crate) fn expression(&mut self, text: &Text, names: &Names) -> Option<Expression> {
        let expression = match Expression::compile(text.get_ref()) {
            Ok(expression) => expression,
            Err(message) => {
                self.fault(text.span(), format!("`{}`: {message}", text.get_ref()));
                return None;
            }
        };
        let wants = expression.wants();
        let is_missing = |want: &&String| !is_function(want.split('.').next().unwrap_or_default());
        for want in wants.iter().filter(is_missing) {
            if let Some((missing, known)) = names.missing(want) {
                let known: Vec<&str> = known.into_iter().chain(FUNCTIONS).collect();
                let hint = nearest_name(missing, &known);
                self.fault(text.span(), format!("`{}`: unknown name `{want}`; {hint}", text.get_ref()));
                return None;
            }
        }
        Some(expression)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(expression: &str) -> Vec<String> {
        let (text, mut faults) = (format!("a = 1\nb = \"{expression}\"\n"), Vec::new());
        let mut reader = Reader { file: File::new("w.toml", &text), faults: &mut faults };
        let mut names = Names::default();
        names.add_fields("row", ["price".to_owned()]);
        names.add("adults");
        let text = Spanned::new(10..12, expression.to_owned());
        let compiled = reader.expression(&text, &names);
        reader.expression(&text, &names);
        assert_eq!(compiled.is_some(), faults.is_empty());
        faults.iter().map(Fault::to_string).collect()
    }

    #[test]
    fn an_expression_that_cannot_stand_is_named_once_with_its_line() {
        assert_eq!(faults("row.price * adults"), [""; 0]);
        let told = faults("row.prise");
        assert_eq!(told, ["w.toml:2: `row.prise`: unknown name `row.prise`; did you mean `price`?"]);
        let told = faults("nights(adults, nobody)");
        assert_eq!(told.len(), 1);
        assert!(told[0].contains("unknown name `nobody`; expected one of `adults`, `row`, `nights`"), "{told:?}");
        assert!(faults("row.price +")[0].starts_with("w.toml:2: `row.price +`: syntax error"));
    }

    #[test]
    fn what_is_not_there_is_told_with_what_is() {
        let (text, mut faults) = ("a = 1\n\nb = 2\n", Vec::new());
        let mut reader = Reader { file: File::new("w.toml", text), faults: &mut faults };
        reader.unknown(7..8, "table", "tawns", &["towns", "inns"]);
        reader.unknown(7..8, "table", "tawns", &["towns", "inns"]);
        reader.fault(0..1, "it is odd");
        let told: Vec<String> = faults.iter().map(Fault::to_string).collect();
        assert_eq!(told, ["w.toml:3: unknown table `tawns`; did you mean `towns`?", "w.toml:1: it is odd"]);
    }
}
