//! What judges are asked: whether two calls are the same, and how good an answer in words is.

use crate::record::{Expected, FunctionCall, Object, Sample, Step, Value};
use crate::score::complexfunc::Exchange;
use crate::suite::replies::{Pending, Question};

/// Does a call say what a golden one says?
pub(super) fn same_call(
    sample: &Sample,
    made: &[Exchange],
    predicted: &FunctionCall,
    golden: &FunctionCall,
) -> Pending {
    let calls = made.iter().flat_map(|exchange| &exchange.calls).map(value).collect::<Vec<_>>();
    let tool = sample.candidates.iter().find(|tool| tool.name == golden.name);
    let function = tool.and_then(|tool| serde_json::to_value(&tool.parameters).ok()).map_or(Value::Null, Value::from);
    let variables = [
        ("query", sample.query().into()),
        ("made", calls.into()),
        ("function", function),
        ("label", value(golden)),
        ("output", value(predicted)),
    ];
    pending(Question::SameCall, sample, variables)
}

/// Does an answer say all that was asked for?
pub(super) fn complete(sample: &Sample, answer: &str) -> Pending {
    pending(Question::Complete, sample, [("query", sample.query().into()), ("answer", answer.into())])
}

/// Does it say what the APIs answered? The dialogue is the golden one.
pub(super) fn correct(sample: &Sample, answer: &str) -> Pending {
    let steps: &[Step] = if let Expected::Steps(steps) = &sample.expected { steps } else { &[] };
    let step = |step: &Step| {
        let calls = step.calls.iter().map(value).collect::<Vec<_>>();
        Value::Object([("calls".to_owned(), calls.into()), ("answers".to_owned(), step.answers.clone().into())].into())
    };
    let dialogue = steps.iter().map(step).collect::<Vec<_>>();
    let variables = [("query", sample.query().into()), ("dialogue", dialogue.into()), ("answer", answer.into())];
    pending(Question::Correct, sample, variables)
}

fn value(call: &FunctionCall) -> Value {
    let fields =
        [("name".to_owned(), call.name.as_str().into()), ("arguments".to_owned(), call.arguments.clone().into())];
    Value::Object(fields.into())
}

fn pending<const N: usize>(question: Question, sample: &Sample, variables: [(&str, Value); N]) -> Pending {
    let variables: Object = variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Pending { question, id: sample.id.to_string(), locale: sample.locale.clone(), variables }
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::sample;
    use super::*;
    use crate::score::complexfunc::Observation;

    #[test]
    fn who_judges_calls_sees_both_and_what_was_called_before() {
        let sample = sample("Boats-0");
        let Expected::Steps(steps) = &sample.expected else { panic!("steps") };
        let (one, other) = (&steps[0].calls[0], &steps[1].calls[0]);
        let made = [Exchange { calls: vec![one.clone()], observations: vec![Observation::GenericError] }];
        let asked = same_call(&sample, &made, one, other);
        assert_eq!(asked.variables.keys().collect::<Vec<_>>(), ["query", "made", "function", "label", "output"]);
        assert_eq!(asked.variables["label"].to_string(), r#"{"name":"Get_Boat","arguments":{"port":"H1","seats":2}}"#);
        assert!(asked.variables["function"].to_string().contains("\"required\":[\"port\"]"));
        assert_eq!(
            (asked.variables["made"].to_string().contains("Find_Port"), asked.question),
            (true, Question::SameCall)
        );
    }

    #[test]
    fn who_judges_an_answer_sees_the_request_and_for_its_truth_the_golden_dialogue() {
        let sample = sample("Boats-0");
        let (complete, correct) = (complete(&sample, "At noon"), correct(&sample, "At noon"));
        assert_eq!(complete.variables.keys().collect::<Vec<_>>(), ["query", "answer"]);
        assert_eq!(correct.variables["dialogue"].as_list().map(<[_]>::len), Some(2));
        assert!(
            correct.variables["dialogue"]
                .to_string()
                .contains(r#""answers":[{"status":true,"data":{"leaves":"12:00"}}]"#)
        );
        assert_eq!((complete.question, correct.question), (Question::Complete, Question::Correct));
    }
}
