//! What a judge is asked about an answer, and what is asked of a model that repairs one.

use crate::callnavi::metric::strict::Gold;
use crate::question::{Pending, Question};
use crate::record::{Sample, Value};

/// How close is this to what is right?
pub(super) fn about(sample: &Sample, truth: &Value, output: &Value) -> Pending {
    let variables = [("query", Value::from(sample.query())), ("label", truth.clone()), ("output", output.clone())];
    pending(Question::Judge, sample, variables)
}

/// What should this have been?
pub(super) fn repair_of(sample: &Sample, gold: &Gold<'_>, text: &str) -> Pending {
    let names = |tool: &crate::record::Tool| tool.parameters.properties.keys().cloned().collect::<Vec<_>>().join(", ");
    let apis = gold.tools.iter().map(|tool| format!("{}({})", tool.name, names(tool)));
    let variables = [("text", Value::from(text)), ("apis", apis.collect::<Vec<_>>().join("\n").into())];
    pending(Question::Repair, sample, variables)
}

fn pending<const N: usize>(question: Question, sample: &Sample, variables: [(&str, Value); N]) -> Pending {
    Pending::new(question, sample, variables.map(|(name, value)| (name.to_owned(), value)).into())
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::sample;
    use super::*;

    #[test]
    fn a_judge_sees_the_question_and_both_answers_and_who_repairs_the_apis() {
        let sample = sample("q", &[("getX", "{}")]);
        let gold = Gold::of(&sample).unwrap();
        let judge = about(&sample, &Value::Null, &Value::from(5));
        assert_eq!(judge.variables.keys().collect::<Vec<_>>(), ["query", "label", "output"]);
        let repair = repair_of(&sample, &gold, "getX(");
        assert_eq!(repair.variables["apis"].as_str(), Some("getX(a, n)\ngetY(a, n)"));
        assert_eq!((repair.id.as_str(), repair.locale.as_str(), repair.question), ("q", "en", Question::Repair));
    }
}
