//! What a sample is apart from its language: two samples of one shape are the same item in two locales.

use crate::record::{Expected, FunctionCall, Role, Sample};
use crate::toolset::Toolset;

/// The parts of a sample that no translation changes, each as text under its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape([(&'static str, String); 6]);

impl Shape {
    /// The shape of a sample whose tools are those of `toolset`: a tool may go by another name in a locale.
    pub(super) fn of(sample: &Sample, toolset: &Toolset) -> Self {
        let messages = sample.messages.iter().map(|message| {
            let calls: Vec<String> = message.tool_calls.iter().map(|call| told(call, toolset)).collect();
            format!("{}({})", speaker(message.role), calls.join(" "))
        });
        let place = sample.snapshot.as_ref().map(|it| format!("{} of {}", it.turn, it.turns)).unwrap_or_default();
        Self([
            ("suite", sample.suite.to_string()),
            ("data type", sample.data_type.0.clone()),
            ("turns", messages.collect::<Vec<_>>().join(" ")),
            ("place", place),
            ("answer", answer(&sample.expected, toolset)),
            ("label", sample.label.as_ref().map(|call| told(call, toolset)).unwrap_or_default()),
        ])
    }

    /// All parts as text, to be hashed.
    pub(super) fn text(&self) -> String {
        let parts = self.0.iter().map(|(name, part)| format!("{name}: {}{part}", part.len()));
        parts.collect::<Vec<_>>().join("\n")
    }

    /// The first part in which another shape differs, as `part: this, not that`.
    pub(super) fn difference(&self, other: &Self) -> Option<String> {
        let mut parts = self.0.iter().zip(&other.0);
        let ((name, one), (_, two)) = parts.find(|(one, two)| one != two)?;
        Some(format!("{name}: `{two}`, not `{one}`"))
    }
}

/// What a shape calls whoever speaks.
fn speaker(role: Role) -> &'static str {
    match role {
        Role::System => "System",
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
    }
}

fn answer(expected: &Expected, toolset: &Toolset) -> String {
    let names = |names: &[String]| {
        let mut names = names.to_vec();
        names.sort_unstable();
        names.join(" ")
    };
    match expected {
        Expected::Call(call) => told(call, toolset),
        Expected::Steps(steps) => {
            let step = |calls: &[FunctionCall]| {
                let mut calls: Vec<String> = calls.iter().map(|call| told(call, toolset)).collect();
                // The calls of a step may come in any order.
                calls.sort_unstable();
                calls.join(" & ")
            };
            steps.iter().map(|it| step(&it.calls)).collect::<Vec<_>>().join("; ")
        }
        Expected::Refusal => "refusal".to_owned(),
        Expected::Question(parameters) => format!("question {}", names(parameters)),
        Expected::Answer(_) => "words".to_owned(),
        Expected::Acts(acts) => format!("acts {}", names(acts)),
    }
}

/// A call without its values.
fn told(call: &FunctionCall, toolset: &Toolset) -> String {
    let mut names: Vec<&str> = call.arguments.keys().map(String::as_str).collect();
    names.sort_unstable();
    format!("{}({})", toolset.key(&call.name), names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{DataType, Message, Snapshot, Step};

    fn sample(expected: &str) -> Sample {
        let mut sample = crate::run::testing::sample("a/x/0");
        sample.expected = serde_json::from_str(expected).unwrap();
        sample
    }

    fn shape(sample: &Sample) -> Shape {
        Shape::of(sample, &Toolset::default())
    }

    const CALL: &str = r#"{"call": {"name": "f", "arguments": {"to": "Porto", "day": "Friday"}}}"#;

    #[test]
    fn words_and_values_are_no_part_of_the_shape() {
        let one = sample(CALL);
        let mut two = sample(r#"{"call": {"name": "f", "arguments": {"day": "금요일", "to": "부산"}}}"#);
        two.messages = vec![Message::user("부산 가는 표")];
        two.locale = "ko".to_owned();
        assert_eq!(shape(&one).difference(&shape(&two)), None);
    }

    #[test]
    fn a_tool_may_go_by_another_name_in_a_locale() {
        let toolset = Toolset { keys: [("g".to_owned(), "f".to_owned())].into(), ..Toolset::default() };
        let other = Shape::of(&sample(&CALL.replace("\"f\"", "\"g\"")), &toolset);
        assert_eq!(shape(&sample(CALL)).difference(&other), None);
    }

    #[test]
    fn whatever_else_differs_is_told() {
        let one = sample(CALL);
        let told = |change: &dyn Fn(&mut Sample)| {
            let mut other = one.clone();
            change(&mut other);
            shape(&one).difference(&shape(&other)).unwrap()
        };
        assert_eq!(told(&|it| it.suite = "x".into()), "suite: `x`, not `hammerbench`");
        assert!(told(&|it| it.data_type = DataType("mQmA".to_owned())).starts_with("data type: `mQmA`"));
        assert!(told(&|it| it.messages.push(Message::new(Role::Assistant, "Which?"))).starts_with("turns: `User() A"));
        assert_eq!(told(&|it| it.expected = Expected::Refusal), "answer: `refusal`, not `f(day, to)`");
        assert!(told(&|it| it.label = Some(FunctionCall::default())).starts_with("label: "));
        let place =
            Snapshot { conversation: one.id.clone(), turn: 1, turns: 3, marked: Some(true), tool: String::new() };
        assert_eq!(told(&|it| it.snapshot = Some(place.clone())), "place: `1 of 3`, not ``");
    }

    #[test]
    fn the_calls_of_a_step_may_come_in_any_order_and_steps_may_not() {
        let steps = |names: &[&[&str]]| {
            let call = |name: &&str| FunctionCall { name: (*name).to_owned(), ..FunctionCall::default() };
            let step = |names: &&[&str]| Step {
                calls: names.iter().map(call).collect(),
                answers: Vec::new(),
                notes: Vec::new(),
            };
            answer(&Expected::Steps(names.iter().map(step).collect()), &Toolset::default())
        };
        assert_eq!(steps(&[&["a", "b"], &["c"]]), steps(&[&["b", "a"], &["c"]]));
        assert_ne!(steps(&[&["a"], &["b"]]), steps(&[&["b"], &["a"]]));
        assert_ne!(steps(&[&["a", "b"]]), steps(&[&["a"], &["b"]]));
    }

    #[test]
    fn answers_are_told_apart_by_what_they_are() {
        let answers = [r#"{"question": ["to", "day"]}"#, r#"{"answer": "noon"}"#, r#"{"acts": ["greet"]}"#];
        let told = answers.map(|text| answer(&serde_json::from_str(text).unwrap(), &Toolset::default()));
        assert_eq!(told, ["question day to", "words", "acts greet"]);
    }
}
