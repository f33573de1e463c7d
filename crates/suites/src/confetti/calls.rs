//! A prediction of a call: its verdict, the score of its strings, the arguments that were made up, and its chain.

use super::board::Board;
use super::gold::{Entry, Gold, item_of};
use super::helpers::Helpers;
use super::options::{self, Options};
use crate::Missing;
use crate::VerdictSink;
use crate::bfcl::layout::ResultLine;
use crate::bfcl::metric::{
    Call, DecodeFault, Item, Verdict, decode_calls, decode_calls_strictly, decode_text, decode_text_strictly, strict,
    upstream,
};
use crate::bfcl::{Profile, judged};
use crate::confetti::metric::{call_score, chain_length, functions_offered, user_turns};
use crate::python::{PythonValue, repr};
use crate::record::{BorrowedValue, FunctionCall, Object, Sample, Value};

/// Judges a line, counts what comes of it, and hands out its verdict.
pub(super) fn judge(
    entry: &Entry,
    line: &ResultLine<'_>,
    board: &mut Board,
    options: &Options,
    helpers: &mut Helpers,
    sink: VerdictSink<'_>,
) -> std::io::Result<()> {
    let read = calls(line, options.profile);
    let is_strict = options.profile == Profile::Strict;
    let fault = read.as_ref().err().map(ToString::to_string);
    let found = read.ok().map(|calls| if is_strict { options::calls(calls) } else { calls });
    let underscores = line.underscores.unwrap_or_default();
    let verdict = match (&found, is_strict) {
        (Some(calls), true) => strict::check_calls(&entry.item, calls, underscores),
        (found, _) => upstream::check_calls(&entry.item, found.as_deref(), underscores),
    };
    let calls = found.as_deref().unwrap_or_default();
    let score = soft(entry, calls, options, helpers);
    if options.validity {
        validity(entry, calls, board, helpers);
    }
    board.take(&line.id, &verdict, score);
    sink(&|| judged(line, &verdict, ("item_score", score.map_or(Value::Null, Value::from)), fault.as_deref()))
}

/// Reads the calls of a line, as the profile reads them.
fn calls<'t>(line: &'t ResultLine<'_>, profile: Profile) -> Result<Vec<Call<'t>>, DecodeFault> {
    match (profile, &line.given) {
        // Calls that are decoded already have their arguments as objects.
        (_, given) if line.decoded => decode_calls_strictly(given),
        (Profile::Upstream, given) if line.native => decode_calls(given),
        (Profile::Upstream, BorrowedValue::String(text)) => decode_text(text),
        (Profile::Strict, BorrowedValue::String(_)) if line.native => Ok(Vec::new()),
        (Profile::Strict, BorrowedValue::String(text)) => decode_text_strictly(text).map(|found| found.calls),
        (Profile::Strict, given) => decode_calls_strictly(given),
        (Profile::Upstream, _) => Err(DecodeFault::NoList),
    }
}

/// The score of a call; nothing where it hangs on strings that nobody has scored.
fn soft(entry: &Entry, calls: &[Call<'_>], options: &Options, helpers: &mut Helpers) -> Option<f64> {
    let (Some(function), Some(answer)) = (entry.item.functions.first(), entry.item.answers.first()) else {
        return Some(0.0);
    };
    let (strings, measure) = (&options.string_score, options.string_score.measure);
    let best = call_score(
        function,
        calls,
        answer,
        &mut |gold, predicted| strings.of(gold, predicted).unwrap_or(1.0),
        options.combine,
    );
    // Nobody is asked about a call that is wrong whatever they say.
    if best == 0.0 || !measure.is_asked() {
        return Some(best);
    }
    let mut waits = false;
    let mut string = |gold: &str, predicted: &str| {
        let asked = || helpers.string(measure, &entry.sample, gold, predicted);
        let score = strings.of(gold, predicted).or_else(asked);
        waits |= score.is_none();
        score.unwrap_or(1.0)
    };
    let score = call_score(function, calls, answer, &mut string, options.combine);
    (!waits || score == 0.0).then_some(score)
}

/// Counts the arguments of those calls whose name is right.
fn validity(entry: &Entry, calls: &[Call<'_>], board: &mut Board, helpers: &mut Helpers) {
    let Some(wanted) = entry.item.answers.first() else { return };
    let named: Vec<Value> = calls.iter().filter(|call| call.name == wanted.name).map(shown).collect();
    let (count, arguments) = (named.len() as u64, arguments(&named));
    let hallucinated = if arguments == 0 { Some(0) } else { helpers.hallucinated(&entry.sample, named) };
    board.validity.add(count, arguments, hallucinated);
}

impl Board {
    /// Counts a verdict; of several predictions for one call the first has the score.
    fn take(&mut self, id: &str, verdict: &Verdict, score: Option<f64>) {
        self.ast.add(verdict.is_valid());
        let name = match verdict {
            Verdict::Valid => None,
            Verdict::Wrong(kind, _) => Some(kind.as_str()),
            Verdict::Crash(crash) => Some(crash.as_str()),
            Verdict::Unscorable(reason) => Some(*reason),
        };
        if let Some(name) = name {
            *self.errors.entry(name.to_owned()).or_default() += 1;
        }
        if self.items.contains_key(id) || self.unscored.contains(id) {
            return;
        }
        match score {
            Some(score) => drop(self.items.insert(id.to_owned(), score)),
            None => drop(self.unscored.insert(id.to_owned())),
        }
    }

    /// Puts calls together to chains: a chain is worth the product of its calls, and a call without a prediction nothing.
    pub(super) fn chain(&mut self, gold: &Gold, missing: Missing) {
        for ((_, turn), ids) in gold.chains() {
            let is_absent = |id: &&&str| !self.items.contains_key(**id) && !self.unscored.contains(**id);
            if missing == Missing::Skip && ids.iter().filter(is_absent).count() == ids.len() {
                continue;
            }
            let score: f64 = ids.iter().map(|id| self.known(id)).product();
            // What is worth nothing is so whatever is said of the rest.
            if score > 0.0 && ids.iter().any(|id| self.unscored.contains(*id)) {
                self.chains.unscored += 1;
                continue;
            }
            if let Some(first) = ids.first().and_then(|id| gold.calls.get(*id)) {
                self.add_chain(score, ids.len(), usize::try_from(*turn).unwrap_or_default(), first);
            }
        }
    }

    fn known(&self, id: &str) -> f64 {
        let unscored = if self.unscored.contains(id) { 1.0 } else { 0.0 };
        self.items.get(id).copied().unwrap_or(unscored)
    }

    fn add_chain(&mut self, score: f64, length: usize, turn: usize, first: &Entry) {
        let chains = &mut self.chains;
        chains.all.add(score);
        let slices = [
            (&mut chains.by_length, Some(chain_length(length))),
            (&mut chains.by_functions, functions_offered(first.offered)),
            (&mut chains.by_turns, user_turns(first.user_turns)),
            (&mut chains.by_position, user_turns(turn)),
        ];
        for (slice, name) in slices {
            if let Some(name) = name {
                slice.entry(name).or_default().add(score);
            }
        }
        if let Some(complexity) = first.complexity() {
            chains.by_complexity.entry(complexity.to_owned()).or_default().add(score);
        }
    }
}

// Whether a call is the one that a sample wants.

/// The call that a sample wants, with everything that is accepted for it.
#[derive(Debug, Clone)]
pub struct Wanted(Item);

impl Wanted {
    /// The call of a sample; nothing where it wants none.
    pub fn of(sample: &Sample) -> Option<Self> {
        Some(Self(options::item(item_of(sample)?)))
    }

    /// Whether a call is that one, by the rules by which the strict profile checks it.
    pub fn is(&self, call: &Call<'_>) -> bool {
        strict::check_calls(&self.0, &options::calls(vec![call.clone()]), false).is_valid()
    }
}

// A call of a turn as the released file writes it: the group before a dot, and a list of values for each parameter.

/// A call as a text: `Group.function(parameter=[value])`.
pub fn call_text(call: &FunctionCall) -> String {
    let argument =
        |(name, value): (&String, &Value)| format!("{name}=[{}]", repr(&PythonValue::from(BorrowedValue::from(value))));
    let arguments: Vec<String> = call.arguments.iter().map(argument).collect();
    format!("{}({})", dotted(&call.name), arguments.join(", "))
}

/// The group and its function, as that file tells them apart.
fn dotted(name: &str) -> String {
    if name.contains('.') { name.to_owned() } else { name.replacen('_', ".", 1) }
}

// Calls as judges are shown them.

/// A call as an object with `name` and `arguments`.
pub(super) fn shown(call: &Call<'_>) -> Value {
    let arguments = match plain(&call.arguments) {
        Value::Object(arguments) => arguments,
        _ => Object::new(),
    };
    named(&call.name, arguments)
}

/// The same of its parts.
pub(super) fn named(name: &str, arguments: Object) -> Value {
    let entries = [("name", Value::from(name)), ("arguments", Value::Object(arguments))];
    Value::Object(entries.map(|(name, value)| (name.to_owned(), value)).into())
}

/// How many arguments calls have.
pub(super) fn arguments(calls: &[Value]) -> u64 {
    let count = |call: &Value| Some(call.as_object()?.get("arguments")?.as_object()?.len() as u64);
    calls.iter().filter_map(count).sum()
}

/// A value as JSON; what JSON has no form for is written as Python writes it.
fn plain(value: &PythonValue<'_>) -> Value {
    match value {
        PythonValue::None => Value::Null,
        PythonValue::Bool(bool) => Value::Bool(*bool),
        PythonValue::Int(number) => Value::from(*number),
        PythonValue::Big(digits) => Value::read(digits).unwrap_or_else(|_| digits.as_str().into()),
        PythonValue::Float(number) if number.is_finite() => Value::from(*number),
        PythonValue::Text(text) => Value::from(&**text),
        PythonValue::List(list) | PythonValue::Tuple(list) => Value::List(list.iter().map(plain).collect()),
        PythonValue::Dict(entries) => {
            Value::Object(entries.iter().map(|(key, value)| (key_of(key), plain(value))).collect())
        }
        PythonValue::Float(_) | PythonValue::Complex(..) | PythonValue::Bytes(_) => Value::from(repr(value).as_str()),
    }
}

fn key_of(key: &PythonValue<'_>) -> String {
    key.as_text().map_or_else(|| repr(key), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::{options, scored_with};
    use super::super::gold::tests::write;
    use super::super::profile::string_score;
    use super::*;
    use crate::format::Bench;
    use crate::question::Question;
    use crate::score::Mean;

    fn closed(items: &[(&str, Option<f64>)], missing: Missing) -> Board {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let gold = Gold::read(&Bench::open(folder.path()).unwrap(), None, false).unwrap();
        let mut board = Board::new("m", &options(Profile::Upstream));
        for (id, score) in items {
            let id = format!("conversationsclean_{id}");
            match score {
                Some(score) => drop(board.items.insert(id, *score)),
                None => drop(board.unscored.insert(id)),
            }
        }
        board.chain(&gold, missing);
        board
    }

    fn value(mean: &Mean) -> Option<(u64, f64)> {
        mean.estimate().map(|estimate| (estimate.n, estimate.value))
    }

    #[test]
    fn a_chain_is_the_product_of_its_calls() {
        let board = closed(&[("0", Some(0.5)), ("1", Some(0.5)), ("2", Some(0.5))], Missing::Fail);
        assert_eq!(value(&board.chains.all), Some((2, 0.375)));
        assert_eq!(value(&board.chains.by_length["2"]), Some((1, 0.25)));
        assert_eq!(value(&board.item_mean()), Some((3, 0.5)));
        assert!(board.chains.by_functions.is_empty() && board.chains.by_complexity.is_empty());
    }

    #[test]
    fn what_is_missing_is_nothing_or_left_out() {
        assert_eq!(value(&closed(&[("0", Some(1.0))], Missing::Fail).chains.all), Some((2, 0.5)));
        assert_eq!(value(&closed(&[("0", Some(1.0))], Missing::Skip).chains.all), Some((1, 1.0)));
        assert_eq!(value(&closed(&[("1", Some(1.0))], Missing::Skip).chains.all), Some((1, 0.0)));
    }

    #[test]
    fn a_chain_that_hangs_on_a_string_nobody_scored_is_left_out_unless_it_is_worth_nothing_anyway() {
        let board = closed(&[("0", Some(1.0)), ("1", None), ("2", Some(0.5))], Missing::Fail);
        assert_eq!((value(&board.chains.all), board.chains.unscored), (Some((1, 1.0)), 1));
        let board = closed(&[("0", Some(1.0)), ("1", None), ("2", Some(0.0))], Missing::Fail);
        assert_eq!((value(&board.chains.all), board.chains.unscored), (Some((2, 0.5)), 0));
        let board = closed(&[("1", None)], Missing::Skip);
        assert_eq!((value(&board.chains.all), board.chains.unscored), (Some((1, 0.0)), 0));
    }

    #[test]
    fn others_are_asked_about_strings_of_calls_that_may_be_right() {
        let lines = r#"{"id": "conversationsclean_0", "result": "[A_find(name='red inn')]"}
{"id": "conversationsclean_1", "result": "[A_get(stars=3)]"}
{"id": "conversationsclean_2", "result": "[A_get(stars=5)]"}"#;
        let http = Options {
            string_score: string_score(crate::fixtures::assets(), "http").unwrap(),
            ..options(Profile::Strict)
        };
        let mut helpers = Helpers::default();
        let (board, verdicts) = scored_with(lines, 0, &http, &mut helpers);
        assert_eq!((board.unscored.len(), board.chains.unscored, value(&board.item_mean())), (1, 1, Some((2, 0.5))));
        assert!(verdicts[0].contains(r#""item_score":null"#), "{}", verdicts[0]);
        let pairs = helpers.take_pairs();
        assert_eq!(pairs, [("the red hotel".to_owned(), "red inn".to_owned())]);
        helpers.add(pairs[0].clone(), 0.75);
        let (board, _) = scored_with(lines, 0, &http, &mut helpers);
        assert_eq!((board.items["conversationsclean_0"], board.rule.string_score.as_str()), (0.75, "http"));
        let wrong = r#"{"id": "conversationsclean_0", "result": "[A_find(name='red inn', stars=3)]"}"#;
        let mut helpers = Helpers::default();
        scored_with(wrong, 0, &http, &mut helpers);
        assert_eq!(helpers.waiting(), 0, "it is wrong whatever they say");
    }

    #[test]
    fn arguments_nobody_can_judge_are_counted_apart() {
        let lines = r#"{"id": "conversationsclean_1", "result": "[A_get(stars=4, view='sea')]"}
{"id": "conversationsclean_2", "result": "[A_find(stars=4)]"}"#;
        let mut helpers = Helpers::default();
        helpers.replies.ask_for(Question::Validity);
        let options = Options { validity: true, ..options(Profile::Strict) };
        let (board, _) = scored_with(lines, 0, &options, &mut helpers);
        let found = board.validity;
        assert_eq!((found.calls, found.judged, found.unjudged, helpers.waiting()), (1, 0, 2, 0));
    }
}

#[cfg(test)]
mod same_tests {
    use super::super::gold::tests::write;
    use super::*;
    use crate::bfcl::metric::decode_text_strictly;
    use crate::format::{Bench, BenchError};

    fn wanted(sample: &Sample, text: &str) -> bool {
        let calls = decode_text_strictly(text).unwrap().calls;
        Wanted::of(sample).is_some_and(|wanted| wanted.is(&calls[0]))
    }

    #[test]
    fn a_call_is_the_one_that_the_checker_takes() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let mut samples = Vec::new();
        let bench = Bench::open(folder.path()).unwrap();
        bench
            .each::<BenchError>(&mut |sample| {
                samples.push(sample);
                Ok(())
            })
            .unwrap();
        let [find, get] = [&samples[0], &samples[1]];
        assert!(wanted(find, "A_find(name='The Red Hotel')") && wanted(find, r"A_find(name='the red hotel\\n')"));
        assert!(!wanted(find, "A_find(name='the blue hotel')") && !wanted(find, "A_find()"));
        assert!(wanted(get, "A_get(stars=4)") && !wanted(get, "A_get(stars=5)") && !wanted(get, "B_get(stars=4)"));
        assert!(!wanted(&samples[3], "A_find(name='the red hotel')"), "a turn with its acts wants no call");
    }
}

#[cfg(test)]
mod content_tests {
    use super::*;
    use crate::bfcl::metric::decode_text;

    fn text(json: &str) -> String {
        call_text(&serde_json::from_str(json).unwrap())
    }

    #[test]
    fn values_are_pythons_and_the_first_underscore_is_a_dot() {
        let call =
            r#"{"name": "Insurance_get_policy", "arguments": {"policy_id": "it's", "n": [1, 2.5], "d": {"k": true}}}"#;
        assert_eq!(text(call), r#"Insurance.get_policy(policy_id=["it's"], n=[[1, 2.5]], d=[{'k': True}])"#);
        assert_eq!(text(r#"{"name": "Insurance_get_user", "arguments": {}}"#), "Insurance.get_user()");
        assert_eq!(text(r#"{"name": "a.b_c", "arguments": {"x": null}}"#), "a.b_c(x=[None])");
        assert_eq!(decode_text(&text(call)).unwrap()[0].name, "Insurance.get_policy");
    }
}

#[cfg(test)]
mod shown_tests {
    use super::*;
    use crate::bfcl::metric::decode_text;

    #[test]
    fn calls_are_shown_as_json_whatever_python_has_in_them() {
        let text = "f(a=[1, 2.5, (True, None)], b={'k': 'v', 3: b'x'}, c=100000000000000000000, d=2j)";
        let calls: Vec<Value> = decode_text(text).unwrap().iter().map(shown).collect();
        assert_eq!(
            calls[0].to_string(),
            r#"{"name":"f","arguments":{"a":[1,2.5,[true,null]],"b":{"k":"v","3":"b'x'"},"c":100000000000000000000,"d":"2j"}}"#
        );
        assert_eq!((arguments(&calls), arguments(&[]), arguments(&[Value::Null])), (4, 0, 0));
    }

    #[test]
    fn a_call_without_arguments_has_none() {
        assert_eq!(named("f", Object::new()).to_string(), r#"{"name":"f","arguments":{}}"#);
    }
}
