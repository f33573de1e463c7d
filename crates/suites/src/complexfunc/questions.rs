//! What judges are asked: whether two calls are the same, and how good an answer in words is.

use crate::complexfunc::metric::{Exchange, Golden, Observation};
use crate::question::{Pending, Question};
use crate::record::{Expected, FunctionCall, Sample, Step, Tool, Value};

/// Does a call say what a golden one says? Who judges sees what was called before, and what came back.
pub fn same_call(sample: &Sample, dialogue: Value, predicted: &FunctionCall, golden: &FunctionCall) -> Pending {
    let tool = sample.candidates.iter().find(|tool| tool.name == golden.name);
    let function = tool.and_then(|tool| serde_json::to_value(&tool.parameters).ok()).map_or(Value::Null, Value::from);
    let variables = [
        ("query", sample.query().into()),
        ("dialogue", dialogue),
        ("function", function),
        ("label", value(golden)),
        ("output", value(predicted)),
    ];
    let functions: Vec<Value> = sample.candidates.iter().map(|tool| schema(tool)).collect();
    let besides = [("functions".to_owned(), Value::List(functions))].into();
    Pending { besides, ..pending(Question::SameCall, sample, variables) }
}

/// A function as the authors' rows have it.
fn schema(tool: &Tool) -> Value {
    let parameters = serde_json::to_value(&tool.parameters).map_or(Value::Null, Value::from);
    let (name, description) = (tool.name.as_str().into(), tool.description.as_str().into());
    object([("name", name), ("description", description), ("parameters", parameters)])
}

/// A trajectory so far: turn by turn what was called, and what the model was told of it.
pub fn dialogue(golden: &Golden, made: &[Exchange], generic_error: &str) -> Value {
    let turn = |exchange: &Exchange| {
        let calls: Vec<Value> = exchange.calls.iter().map(value).collect();
        let answers = exchange.observations.iter().map(|observation| told(golden, observation, generic_error));
        object([("calls", calls.into()), ("answers", answers.collect::<Vec<_>>().into())])
    };
    made.iter().map(turn).collect::<Vec<_>>().into()
}

/// What a model is told of a call.
pub fn told(golden: &Golden, observation: &Observation, generic_error: &str) -> Value {
    match observation {
        Observation::Golden(ordinal) => golden.answer(*ordinal).clone(),
        Observation::FormatError(text) => object([("error", text.as_str().into())]),
        Observation::GenericError => object([("api_status", true.into()), ("content", generic_error.into())]),
    }
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
        object([("calls", calls.into()), ("answers", step.answers.clone().into())])
    };
    let dialogue = steps.iter().map(step).collect::<Vec<_>>();
    let variables = [("query", sample.query().into()), ("dialogue", dialogue.into()), ("answer", answer.into())];
    pending(Question::Correct, sample, variables)
}

fn value(call: &FunctionCall) -> Value {
    object([("name", call.name.as_str().into()), ("arguments", call.arguments.clone().into())])
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Object(fields.map(|(name, value)| (name.to_owned(), value)).into())
}

fn pending<const N: usize>(question: Question, sample: &Sample, variables: [(&str, Value); N]) -> Pending {
    Pending::new(question, sample, variables.map(|(name, value)| (name.to_owned(), value)).into())
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::sample;
    use super::*;
    use crate::complexfunc::metric::Rules;

    #[test]
    fn who_judges_calls_sees_both_and_what_was_called_before() {
        let sample = sample("Boats-0");
        let Expected::Steps(steps) = &sample.expected else { panic!("steps") };
        let (one, other) = (&steps[0].calls[0], &steps[1].calls[0]);
        let golden = Golden::new(steps, &sample.candidates, std::sync::Arc::default(), Rules::default());
        let faulty = Observation::FormatError("no port".to_owned());
        let made = [
            Exchange { calls: vec![one.clone(), other.clone()], observations: vec![Observation::Golden(0), faulty] },
            Exchange { calls: vec![other.clone()], observations: vec![Observation::GenericError] },
        ];
        let asked = same_call(&sample, dialogue(&golden, &made, "Look again."), one, other);
        assert_eq!(asked.variables.keys().collect::<Vec<_>>(), ["query", "dialogue", "function", "label", "output"]);
        assert_eq!(asked.variables["label"].to_string(), r#"{"name":"Get_Boat","arguments":{"port":"H1","seats":2}}"#);
        assert!(asked.variables["function"].to_string().contains("\"required\":[\"port\"]"));
        assert_eq!(asked.question, Question::SameCall);
        insta::assert_snapshot!(asked.variables["dialogue"], @r#"[{"calls":[{"name":"Find_Port","arguments":{"query":"Hill"}},{"name":"Get_Boat","arguments":{"port":"H1","seats":2}}],"answers":[{"status":true,"data":{"id":"H1"}},{"error":"no port"}]},{"calls":[{"name":"Get_Boat","arguments":{"port":"H1","seats":2}}],"answers":[{"api_status":true,"content":"Look again."}]}]"#);
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
