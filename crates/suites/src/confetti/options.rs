//! How is scored, and how reports say so.

use crate::Missing;
use crate::bfcl::Profile;
use crate::bfcl::metric::{Accepted, Argument, Call, Item, Word};
use crate::confetti::metric::{Combine, StringScore};
use crate::python::PythonValue;

/// How is scored.
#[derive(Debug, Clone)]
pub struct Options {
    /// By which rules calls are checked.
    pub profile: Profile,
    /// How strings are scored.
    pub string_score: StringScore,
    /// How the scores of a call's strings become one.
    pub combine: Combine,
    /// What becomes of items without a prediction.
    pub missing: Missing,
    /// Whether a judge looks for arguments that were made up.
    pub validity: bool,
    /// Whether the classifier of dialog acts is measured by what the agents of the data said.
    pub classifies_gold: bool,
}

/// The rule behind figures, in the words of reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// By which rules calls were checked.
    pub profile: Profile,
    /// How strings were scored.
    pub string_score: String,
    /// How the scores of a call's strings became one.
    pub combine: &'static str,
    /// What became of items without a prediction.
    pub missing: &'static str,
}

impl Options {
    /// The rule of these options.
    pub fn rule(&self) -> Rule {
        Rule {
            profile: self.profile,
            string_score: self.string_score.name(),
            combine: match self.combine {
                Combine::Product => "product",
                Combine::Mean => "mean",
            },
            missing: match self.missing {
                Missing::Fail => "fail",
                Missing::Skip => "skip",
            },
        }
    }
}

impl Rule {
    /// What stands above a report.
    pub fn notes(&self) -> Vec<(&'static str, String)> {
        let missing = match self.missing {
            "fail" => "fail: a missing prediction scores 0",
            _ => "skip: a missing prediction is skipped; in a chain with other predictions it scores 0",
        };
        vec![
            ("calls", self.profile.version()),
            ("chains", format!("confetti, version 1: product over calls; {} over strings", self.combine)),
            ("string_score", self.string_score.clone()),
            ("combine", self.combine.to_owned()),
            ("missing", missing.to_owned()),
        ]
    }
}

// Repairs of what is broken in the released data, the same for gold and prediction.

/// Repairs an item: the elements of a list that stand as accepted values are one list again, and texts lose what an export
/// left in them.
pub(super) fn item(mut item: Item) -> Item {
    for answer in &mut item.answers {
        let function = item.functions.iter().find(|function| function.name == answer.name);
        for (name, argument) in &mut answer.arguments {
            let is_list =
                function.and_then(|function| function.parameter(name)).is_some_and(|it| it.word == Word::Array);
            if is_list {
                gather(argument);
            }
            for accepted in &mut argument.accepted {
                *accepted = Accepted::new(value(std::mem::replace(&mut accepted.value, PythonValue::None)));
            }
        }
    }
    item
}

/// Makes one list of all accepted values that are none.
fn gather(argument: &mut Argument) {
    let is_apart = |accepted: &Accepted| accepted.value.as_list().is_some() || accepted.is_marker();
    let all = std::mem::take(&mut argument.accepted);
    let (mut kept, elements): (Vec<Accepted>, Vec<Accepted>) = all.into_iter().partition(is_apart);
    if !elements.is_empty() {
        let list = elements.into_iter().map(|element| element.value).collect();
        kept.push(Accepted::new(PythonValue::List(list)));
    }
    argument.accepted = kept;
}

/// Repairs the texts of calls.
pub(super) fn calls(calls: Vec<Call<'_>>) -> Vec<Call<'_>> {
    calls.into_iter().map(|call| Call { name: call.name, arguments: value(call.arguments) }).collect()
}

fn value(given: PythonValue<'_>) -> PythonValue<'_> {
    match given {
        PythonValue::Text(text) if is_sound(&text) => PythonValue::Text(text),
        PythonValue::Text(text) => PythonValue::Text(text_of(&text).into()),
        PythonValue::List(list) => PythonValue::List(list.into_iter().map(value).collect()),
        PythonValue::Dict(entries) => {
            PythonValue::Dict(entries.into_iter().map(|(key, given)| (key, value(given))).collect())
        }
        other => other,
    }
}

fn is_sound(text: &str) -> bool {
    !text.contains('\\') && text.trim_end().len() == text.len()
}

fn text_of(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\\"", "\"").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::options;
    use super::*;

    #[test]
    fn a_rule_names_everything_that_changes_figures() {
        let mean = Options { combine: Combine::Mean, missing: Missing::Skip, ..options(Profile::Upstream) };
        for (options, told) in [
            (options(Profile::Strict), ["bfcl strict, version 1", "product over strings", "product", "fail: "]),
            (mean, ["bfcl upstream", "mean over strings", "mean", "skip: "]),
        ] {
            let notes: Vec<String> =
                options.rule().notes().into_iter().map(|(name, text)| format!("{name}={text}")).collect();
            let notes = notes.join("\n");
            assert!(told.iter().all(|text| notes.contains(text)), "{notes}");
            assert!(notes.contains("string_score=guarded_token_f1"));
        }
    }
}

#[cfg(test)]
mod repair_tests {
    use super::*;
    use crate::bfcl::metric::{Category, decode_text};
    use crate::python::repr;
    use crate::record::BorrowedValue;

    #[test]
    fn elements_become_one_list_and_texts_lose_their_escapes() {
        let read = |text| BorrowedValue::read_lenient(text).unwrap();
        let function =
            r#"{"name": "f", "parameters": {"properties": {"l": {"type": "array"}, "s": {"type": "string"}}}}"#;
        let answers = r#"[{"f": {"l": [4, 5, ""], "s": ["a\\nb\\\" "]}}]"#;
        let found = item(Item::read(Category::SimplePython, &read(function), Some(read(answers))).unwrap());
        let accepted = |name: &str| {
            let values = found.answers[0].arguments[name].accepted.iter();
            values.map(|accepted| repr(&accepted.value)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!((accepted("l").as_str(), accepted("s").as_str()), ("'' [4, 5]", "'a\\nb\"'"));
    }

    #[test]
    fn predictions_are_repaired_in_the_same_way() {
        let found = calls(decode_text(r"f(a=['x\\ny '], b={'k': 'z '}, c=1)").unwrap());
        assert_eq!(repr(&found[0].arguments), r"{'a': ['x\ny'], 'b': {'k': 'z'}, 'c': 1}");
    }
}
