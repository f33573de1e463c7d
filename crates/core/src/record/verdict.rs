//! Verdicts: what a scorer found of each prediction, as those see it who read verdicts one by one.

use super::value::Object;
use Mark::{Acts, Arguments, Ast, Calls, Function, Pass, Right, Routing, Structure, Success, Syntax, Valid};

/// What a scorer found of one prediction. The file of items, comparisons and pages read it; figures are never computed
/// from it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Verdict {
    /// Id of the sample.
    pub sample: String,
    /// The name of the file of predictions, where several are scored together; scorers do not know it.
    pub predictions: String,
    /// The run, where the file has several.
    pub run: Option<u32>,
    /// Whether the answer is right as a whole.
    pub outcome: Outcome,
    /// The class of its first error; none where it is not wrong, or the suite has no classes.
    pub error: Option<&'static str>,
    /// Why it is wrong, in words; empty where it is not, or nobody says so.
    pub reason: String,
    /// What is right or wrong of it by itself.
    pub marks: Marks,
    /// The line of the file of items: the suite's own fields in the suite's own order.
    pub line: Object,
}

/// Whether an answer is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Outcome {
    /// It is.
    Right,
    /// It is not.
    Wrong,
    /// Nobody has decided it.
    #[default]
    Unknown,
}

/// Something of an answer that is right or wrong by itself; which of them there are depends on suite and profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// HammerBench: the whole answer.
    Right,
    /// HammerBench: the function's name.
    Function,
    /// HammerBench: the arguments.
    Arguments,
    /// CallNavi: whether it can be read.
    Syntax,
    /// CallNavi: the calls and their order.
    Calls,
    /// CallNavi: the names of parameters as well.
    Structure,
    /// CallNavi: the values as well.
    Ast,
    /// CallNavi: the names of the APIs, where they alone are asked for.
    Routing,
    /// BFCL and CONFETTI: the calls.
    Valid,
    /// CONFETTI: the dialog acts.
    Acts,
    /// ComplexFuncBench: the whole trajectory.
    Success,
    /// FunctionChat-Bench: the turn, where it is judged; what nobody could judge does not pass.
    Pass,
}

/// Which marks an answer has, and which of these are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Marks {
    given: u16,
    right: u16,
}

impl Verdict {
    /// A verdict with its line of the file of items.
    pub fn new(sample: &str, right: Option<bool>, line: Object) -> Self {
        let outcome = match right {
            Some(true) => Outcome::Right,
            Some(false) => Outcome::Wrong,
            None => Outcome::Unknown,
        };
        Self { sample: sample.to_owned(), outcome, line, ..Self::default() }
    }

    /// Says why the answer is wrong, where it is.
    #[must_use]
    pub fn because(self, error: Option<&'static str>, reason: &str) -> Self {
        if self.outcome != Outcome::Wrong {
            return self;
        }
        Self { error, reason: reason.to_owned(), ..self }
    }

    /// Gives it a mark.
    #[must_use]
    pub fn marked(mut self, mark: Mark, right: bool) -> Self {
        self.marks.set(mark, right);
        self
    }

    /// Names the run that it is about.
    pub fn set_run(&mut self, run: u32) {
        self.run = Some(run);
        self.line.insert("run".to_owned(), i64::from(run).into());
    }

    /// What tables and comparisons call the model: the file of its predictions, with the run where there are several.
    pub fn model(&self) -> String {
        self.run.map_or_else(|| self.predictions.clone(), |run| format!("{} #{run}", self.predictions))
    }
}

impl Outcome {
    /// Whether the answer is right; none where nobody has decided it.
    pub fn is_right(self) -> Option<bool> {
        match self {
            Self::Right => Some(true),
            Self::Wrong => Some(false),
            Self::Unknown => None,
        }
    }
}

impl Mark {
    /// All of them, in the order of the columns of a comparison.
    pub const ALL: [Self; 12] =
        [Right, Function, Arguments, Syntax, Calls, Structure, Ast, Routing, Valid, Acts, Success, Pass];

    /// Its title in tables.
    pub fn title(self) -> &'static str {
        match self {
            Right => "Right",
            Function => "Function",
            Arguments => "Arguments",
            Syntax => "Syntax",
            Calls => "Calls",
            Structure => "Structure",
            Ast => "AST",
            Routing => "Routing",
            Valid => "Valid",
            Acts => "Acts",
            Success => "Success",
            Pass => "Pass",
        }
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

impl Marks {
    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.given == 0
    }

    /// Whether a mark is right; none where the answer has no such mark.
    pub fn get(self, mark: Mark) -> Option<bool> {
        (self.given & mark.bit() != 0).then_some(self.right & mark.bit() != 0)
    }

    fn set(&mut self, mark: Mark, right: bool) {
        self.given |= mark.bit();
        self.right = if right { self.right | mark.bit() } else { self.right & !mark.bit() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_is_kept_by_itself() {
        for mark in Mark::ALL {
            let marks = Verdict::default().marked(mark, true).marked(Mark::Pass, false).marks;
            let given: Vec<_> = Mark::ALL.into_iter().filter_map(|mark| Some((mark, marks.get(mark)?))).collect();
            let wanted = [(mark, true), (Mark::Pass, false)];
            assert_eq!(given, if mark == Mark::Pass { &wanted[1..] } else { &wanted[..] });
            assert!(!marks.is_empty() && Marks::default().is_empty());
        }
    }

    #[test]
    fn only_what_is_wrong_has_a_reason() {
        let of = |right| Verdict::new("a", right, Object::new()).because(Some("value"), "it is 2");
        assert_eq!((of(Some(false)).error, of(Some(false)).reason.as_str()), (Some("value"), "it is 2"));
        for right in [Some(true), None] {
            assert_eq!((of(right).error, of(right).reason.as_str(), of(right).outcome.is_right()), (None, "", right));
        }
    }

    #[test]
    fn a_run_is_a_model_of_its_own() {
        let mut verdict = Verdict { predictions: "m".to_owned(), ..Verdict::default() };
        assert_eq!(verdict.model(), "m");
        verdict.set_run(2);
        assert_eq!((verdict.model().as_str(), verdict.line["run"].to_string().as_str()), ("m #2", "2"));
    }
}
