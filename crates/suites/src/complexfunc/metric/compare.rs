//! Whether a call says what a golden call says, as far as their texts tell.

use super::golden::{Function, Golden, call_text};
use super::outcome::{Crash, ErrorType, Fault};
use super::rules::Rules;
use crate::python;
use crate::record::{FunctionCall, Value};

/// What comparing two calls comes to.
#[derive(Debug, PartialEq)]
pub(super) enum Decision {
    /// They are equal.
    Equal,
    /// They are not.
    Unequal(Fault),
    /// The API's answers, or a judge, must tell.
    Open,
}

/// Compares a predicted call with its golden one: name and arguments; and then the arguments that must be exact.
pub(super) fn compare(golden: &Golden, predicted: &FunctionCall, ordinal: usize) -> Result<Decision, Crash> {
    let wanted = golden.call(ordinal);
    if is_equal(golden, predicted, wanted) {
        return Ok(Decision::Equal);
    }
    if predicted.name != wanted.name {
        return Ok(Decision::Unequal(Fault::new(ErrorType::FuncError, "Do not call the correct function.")));
    }
    let exact = match golden.settings().exact_match_values.get(&wanted.name) {
        Some(exact) => exact.as_slice(),
        None if golden.rules().is_strict() => &[],
        None => return Err(Crash::Key),
    };
    let fault = wanted.arguments.iter().filter(|(name, _)| exact.contains(name)).find_map(|(name, value)| {
        let Some(given) = predicted.arguments.get(name) else { return Some(missing(name)) };
        let is_same = golden.rules().equal_argument(golden.settings(), name, given, value);
        let content = || format!("Parameter {name} value is not correct in prediction.");
        (!is_same).then(|| Fault::new(ErrorType::ValueError, content()))
    });
    Ok(fault.map_or(Decision::Open, Decision::Unequal))
}

/// Why two calls are not equal, after nobody found them to be.
pub(super) fn reason(golden: &Golden, predicted: &FunctionCall, ordinal: usize) -> Fault {
    let wanted = &golden.call(ordinal).arguments;
    let by_golden = wanted.iter().find_map(|(name, value)| {
        let Some(given) = predicted.arguments.get(name) else { return Some(missing(name)) };
        // The authors do not take sets for sets here.
        let is_same = if golden.rules().is_strict() {
            golden.rules().equal_argument(golden.settings(), name, given, value)
        } else {
            golden.rules().equal(given, value)
        };
        let content = || format!("Parameter {name} value do not equal to golden.");
        (!is_same).then(|| Fault::new(ErrorType::ValueError, content()))
    });
    let by_extra = || {
        let extra = predicted.arguments.keys().find(|name| !wanted.contains_key(*name));
        let content = format!("Parameter {} is hallucinated.", extra.map_or("", String::as_str));
        Fault::new(ErrorType::ParamHallucination, content)
    };
    by_golden.unwrap_or_else(by_extra)
}

/// The golden arguments that are absent or different.
pub(super) fn wrong_arguments<'g>(
    golden: &'g Golden,
    predicted: &FunctionCall,
    ordinal: usize,
) -> impl Iterator<Item = &'g str> {
    let wanted = golden.call(ordinal);
    let is_right = |name: &String, value| {
        let given = predicted.arguments.get(name);
        given.is_some_and(|given| golden.rules().equal_argument(golden.settings(), name, given, value))
    };
    let wrong = wanted.arguments.iter().filter(move |(name, value)| !is_right(name, value));
    wrong.map(|(name, _)| name.as_str())
}

fn is_equal(golden: &Golden, one: &FunctionCall, other: &FunctionCall) -> bool {
    one.name == other.name
        && one.arguments.len() == other.arguments.len()
        && one.arguments.iter().all(|(name, value)| {
            let other = other.arguments.get(name);
            other.is_some_and(|other| golden.rules().equal_argument(golden.settings(), name, value, other))
        })
}

fn missing(name: &str) -> Fault {
    Fault::new(ErrorType::ParamMissing, format!("Missing parameter {name} in prediction."))
}

// How alike two calls are, without weights.

/// How much another name is worth at most, and another value.
const NAME: f64 = 0.3;
const VALUE: f64 = 0.9;

/// By names and shared arguments.
pub(super) fn structured(rules: Rules, predicted: &FunctionCall, golden: &FunctionCall) -> f64 {
    let name = if predicted.name == golden.name { 1.0 } else { NAME * chrf(&predicted.name, &golden.name) };
    let shared: Vec<f64> = predicted
        .arguments
        .iter()
        .filter_map(|(name, given)| golden.arguments.get(name).map(|wanted| alike_values(rules, given, wanted)))
        .collect();
    let union = predicted.arguments.len() + golden.arguments.len() - shared.len();
    name + shared.iter().sum::<f64>() / real(union.max(1))
}

fn alike_values(rules: Rules, one: &Value, other: &Value) -> f64 {
    if rules.equal(one, other) {
        return 1.0;
    }
    let alike = match (one, other) {
        (Value::String(one), Value::String(other)) => chrf(&one.to_lowercase(), &other.to_lowercase()),
        _ => chrf(&python::dump(one), &python::dump(other)),
    };
    VALUE * alike
}

/// F1 of precision and recall, each the mean over runs of one, two and three letters as far as both texts have any.
pub(super) fn chrf(one: &str, other: &str) -> f64 {
    let letters = |text: &str| -> Vec<u64> { text.chars().filter(|it| !it.is_whitespace()).map(u64::from).collect() };
    let (one, other) = (letters(one), letters(other));
    let (mut precision, mut recall, mut orders) = (0.0, 0.0, 0_usize);
    for length in 1..=one.len().min(other.len()).min(3) {
        let (left, right) = (runs(&one, length), runs(&other, length));
        let shared = real(shared(&left, &right));
        precision += shared / real(left.len());
        recall += shared / real(right.len());
        orders += 1;
    }
    if orders == 0 || precision + recall == 0.0 {
        return 0.0;
    }
    2.0 * precision * recall / ((precision + recall) * real(orders))
}

/// The runs of a length, sorted. A letter has 21 bits, so that three have room in a word.
fn runs(letters: &[u64], length: usize) -> Vec<u64> {
    let mut runs: Vec<u64> =
        letters.windows(length).map(|run| run.iter().fold(0, |word, letter| word << 21 | letter)).collect();
    runs.sort_unstable();
    runs
}

/// How many elements two sorted lists share.
fn shared(one: &[u64], other: &[u64]) -> usize {
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    let mut shared = 0;
    while let (Some(one), Some(other)) = (left.peek(), right.peek()) {
        match one.cmp(other) {
            std::cmp::Ordering::Less => drop(left.next()),
            std::cmp::Ordering::Greater => drop(right.next()),
            std::cmp::Ordering::Equal => {
                shared += 1;
                left.next();
                right.next();
            }
        }
    }
    shared
}

#[expect(clippy::cast_precision_loss, reason = "no text has 2^52 letters")]
pub(super) fn real(count: usize) -> f64 {
    count as f64
}

// Whether a call has the form that its function asks for.

/// What is wrong with the form of a call, in the words that the model is told; the first fault counts.
pub(super) fn format_fault(golden: &Golden, call: &FunctionCall) -> Option<String> {
    let name = &call.name;
    let Some(function) = golden.function(name) else {
        return Some(format!("Function {name} is not defined in the function list."));
    };
    absent(function, call).or_else(|| unknown(function, call)).or_else(|| {
        call.arguments.iter().find_map(|(parameter, value)| {
            let wanted = function.types.get(parameter)?.as_deref()?;
            mistyped(golden, wanted, value).map(|article| {
                format!(
                    "Parameter {parameter} of function {name} should be {article}, but <class '{}'> is provided.",
                    class(value)
                )
            })
        })
    })
}

impl Golden {
    /// What is wrong with the form of one of the golden calls themselves.
    pub fn own_format_fault(&self, ordinal: usize) -> Option<String> {
        format_fault(self, self.call(ordinal))
    }
}

fn absent(function: &Function, call: &FunctionCall) -> Option<String> {
    let absent: Vec<&str> =
        function.required.iter().map(String::as_str).filter(|it| !call.arguments.contains_key(*it)).collect();
    (!absent.is_empty()).then(|| {
        let required = listed(function.required.iter().map(String::as_str));
        let given = listed(call.arguments.keys().map(String::as_str));
        format!("Function {} requires parameters [{required}], but [{given}] do not provide {}", call.name, set(absent))
    })
}

fn unknown(function: &Function, call: &FunctionCall) -> Option<String> {
    let more: Vec<&str> =
        call.arguments.keys().map(String::as_str).filter(|it| !function.types.contains_key(*it)).collect();
    (!more.is_empty()).then(|| format!("Function {} does not have parameters {}", call.name, set(more)))
}

/// What a value should be, if it is something else. Types besides these four are not looked at; to the authors a boolean
/// is a number.
fn mistyped(golden: &Golden, wanted: &str, value: &Value) -> Option<&'static str> {
    let is_number = matches!(value, Value::Number(_)) || matches!(value, Value::Bool(_)) && !golden.rules().is_strict();
    let (is_right, article) = match wanted {
        "string" => (matches!(value, Value::String(_)), "a string"),
        "number" => (is_number, "a number"),
        "boolean" => (matches!(value, Value::Bool(_)), "a boolean"),
        "array" => (matches!(value, Value::List(_)), "an array"),
        _ => return None,
    };
    (!is_right).then_some(article)
}

fn class(value: &Value) -> &'static str {
    match value {
        Value::Null => "NoneType",
        Value::Bool(_) => "bool",
        Value::Number(number) if number.is_integer_text() => "int",
        Value::Number(_) => "float",
        Value::String(_) => "str",
        Value::List(_) => "list",
        Value::Object(_) => "dict",
    }
}

/// Names as Python prints a set, sorted.
fn set(mut names: Vec<&str>) -> String {
    names.sort_unstable();
    names.dedup();
    format!("{{{}}}", listed(names.into_iter()))
}

fn listed<'t>(names: impl Iterator<Item = &'t str>) -> String {
    names.map(python::quoted).collect::<Vec<_>>().join(", ")
}

// How alike calls are by their runs of three letters.
//
// Calls that look alike tie, and then the last bit of a product decides who is matched with whom. The figures that the
// vectors hold come from a matrix product whose last bits depend on the place in the matrix, so that even equal rows
// differ. The order of its additions (numpy's, on a processor with AVX2) is repeated here.

/// Places that runs of letters are hashed to.
const PLACES: usize = 256;

/// The places of a vector that hold something, in order.
#[derive(Debug, PartialEq)]
struct Sparse(Vec<(usize, f64)>);

/// In which order products are added.
#[derive(Debug, Clone, Copy)]
enum Order {
    /// One after the other, each rounded together with its product.
    Fused,
    /// Every fourth by itself, fused; then the first with the second, and the third with the fourth.
    FusedNeighbours,
    /// Every fourth by itself, fused; then the first with the third, and the second with the fourth.
    FusedHalves,
    /// The same, each product rounded before it is added.
    Halves,
    /// Every second by itself, each product rounded.
    Pairs,
}

/// How alike each predicted call is to each golden one: a row for each predicted call.
pub(super) fn similarity<'c>(
    predicted: impl Iterator<Item = &'c FunctionCall>,
    golden: impl Iterator<Item = &'c FunctionCall>,
) -> Vec<f64> {
    let predicted: Vec<Sparse> = predicted.map(|call| Sparse::of(&call_text(call))).collect();
    let golden: Vec<Sparse> = golden.map(|call| Sparse::of(&call_text(call))).collect();
    let (rows, columns) = (predicted.len(), golden.len());
    let mut matrix = Vec::with_capacity(rows * columns);
    for (row, one) in predicted.iter().enumerate() {
        for (column, other) in golden.iter().enumerate() {
            matrix.push(one.dot(other, Order::at((row, rows), (column, columns))));
        }
    }
    matrix
}

impl Order {
    /// The order at a place of the matrix: a matrix is done in blocks of four columns and two rows, and what is only one
    /// row or one column by itself.
    fn at((row, rows): (usize, usize), (column, columns): (usize, usize)) -> Self {
        if rows == 1 || columns == 1 {
            let (at, length) = (row.max(column), rows.max(columns));
            return match at.checked_sub(length - length % 4) {
                None => Self::FusedHalves,
                Some(rest) if length % 4 >= 2 && rest < 2 => Self::Pairs,
                Some(_) => Self::Halves,
            };
        }
        let is_last_of_odd = rows % 2 == 1 && row + 1 == rows;
        if is_last_of_odd && column < columns - columns % 4 { Self::FusedNeighbours } else { Self::Fused }
    }
}

impl Sparse {
    /// A text's runs of three letters, hashed and counted, as a vector of length 1.
    fn of(text: &str) -> Self {
        let text: Vec<char> = format!("\u{2}{}\u{3}", text.to_lowercase()).chars().collect();
        let mut counts = [0_usize; PLACES];
        for run in text.windows(3) {
            if let Some(count) = counts.get_mut(place(run)) {
                *count += 1;
            }
        }
        let length = real(counts.iter().map(|count| count * count).sum::<usize>()).sqrt();
        let counted = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
        Self(counted.map(|(place, count)| (place, real(count) / length)).collect())
    }

    /// The product of two vectors. To add nothing changes nothing, so that places with nothing are passed over.
    fn dot(&self, other: &Self, order: Order) -> f64 {
        let (lanes, is_fused) = match order {
            Order::Fused => (1, true),
            Order::FusedNeighbours | Order::FusedHalves => (4, true),
            Order::Halves => (4, false),
            Order::Pairs => (2, false),
        };
        let mut sums = [0.0_f64; 4];
        for (place, one, other) in self.shared(other) {
            let sum = &mut sums[place % lanes];
            *sum = if is_fused { one.mul_add(other, *sum) } else { *sum + one * other };
        }
        let [first, second, third, fourth] = sums;
        match order {
            Order::FusedNeighbours => (first + second) + (third + fourth),
            _ => (first + third) + (second + fourth),
        }
    }

    /// The places where both hold something.
    fn shared<'s>(&'s self, other: &'s Self) -> impl Iterator<Item = (usize, f64, f64)> + 's {
        let mut others = other.0.iter().peekable();
        self.0.iter().filter_map(move |(place, one)| {
            while others.next_if(|(other, _)| other < place).is_some() {}
            others.next_if(|(other, _)| other == place).map(|(_, other)| (*place, *one, *other))
        })
    }
}

/// FNV-1a of the letters' bytes, 64 bits, of which the last eight are taken.
fn place(run: &[char]) -> usize {
    let mut buffer = [0; 4];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for letter in run {
        for byte in letter.encode_utf8(&mut buffer).bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    usize::from(hash.to_le_bytes()[0])
}

#[cfg(test)]
mod tests {
    use super::super::golden::tests::{call, golden, made, steps};
    use super::super::rules::{Dialect, Rules};
    use super::*;

    const SEARCH: usize = 2;
    const UPSTREAM: Rules = Rules::Upstream(Dialect::Gpt);

    fn compared(rules: Rules, arguments: &str) -> String {
        match compare(&golden(rules), &call("Search", arguments), SEARCH) {
            Ok(Decision::Unequal(fault)) => format!("{}: {}", fault.error_type.as_str(), fault.content),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn name_and_arguments_tell_and_sets_have_no_order() {
        let equal = r#"{"area": "a1", "day": "2027-03-01", "people": 2.0, "kind": "town", "tags": "y, x"}"#;
        assert_eq!(compared(UPSTREAM, equal), "Ok(Equal)");
        assert_eq!(
            compare(&golden(UPSTREAM), &call("Detail", "{}"), SEARCH).unwrap(),
            Decision::Unequal(Fault::new(ErrorType::FuncError, "Do not call the correct function."))
        );
    }

    #[test]
    fn exact_arguments_go_before_everything_else_and_others_are_left_open() {
        let told = |arguments: &str| compared(UPSTREAM, arguments);
        assert_eq!(told(r#"{"area": "other"}"#), "param_missing: Missing parameter day in prediction.");
        assert_eq!(told(r#"{"day": "2027-03-02"}"#), "value_error: Parameter day value is not correct in prediction.");
        assert_eq!(
            told(r#"{"day": "2027-03-01", "tags": "x"}"#),
            "value_error: Parameter tags value is not correct in prediction."
        );
        assert_eq!(told(r#"{"day": "2027-03-01", "tags": "y,x"}"#), "Ok(Open)");
    }

    #[test]
    fn a_function_without_exact_arguments_breaks_the_authors_evaluator_off_if_it_is_not_listed() {
        let mut steps = steps();
        steps[0].calls[0] = call("Unlisted", r#"{"a": 1}"#);
        let compared = |rules, arguments| compare(&made(&steps, rules), &call("Unlisted", arguments), 0);
        assert_eq!(compared(UPSTREAM, r#"{"a": 1}"#), Ok(Decision::Equal));
        assert_eq!(compared(UPSTREAM, r#"{"a": 2}"#), Err(Crash::Key));
        assert_eq!(compared(Rules::default(), r#"{"a": 2}"#), Ok(Decision::Open));
    }

    #[test]
    fn the_first_reason_counts() {
        let golden = golden(UPSTREAM);
        let told = |arguments: &str| reason(&golden, &call("Search", arguments), SEARCH).content;
        assert_eq!(told(r#"{"area": "a1", "day": "x"}"#), "Parameter day value do not equal to golden.");
        assert_eq!(told(r#"{"area": "a1", "day": "2027-03-01", "z": 1}"#), "Missing parameter kind in prediction.");
        let with = |tags: &str| {
            format!(r#"{{"area": "a1", "day": "2027-03-01", "kind": "town", "people": 2, "tags": "{tags}", "z": 1}}"#)
        };
        assert_eq!(told(&with("x,y")), "Parameter z is hallucinated.");
        assert_eq!(told(&with("y,x")), "Parameter tags value do not equal to golden.");
        let ours =
            reason(&super::super::golden::tests::golden(Rules::default()), &call("Search", &with("y,x")), SEARCH);
        assert_eq!(ours.content, "Parameter z is hallucinated.");
    }

    #[test]
    fn wrong_arguments_are_those_of_the_golden_call() {
        let golden = golden(Rules::default());
        let predicted = call("Search", r#"{"area": "a1", "day": "x", "kind": "town", "tags": "y,x", "z": 1}"#);
        assert_eq!(wrong_arguments(&golden, &predicted, SEARCH).collect::<Vec<_>>(), ["day", "people"]);
    }
}

#[cfg(test)]
mod alike_tests {
    use super::super::golden::tests::call;
    use super::*;
    use proptest::prelude::*;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn texts_are_alike_by_their_runs() {
        assert!(near(chrf("abc", "a b c"), 1.0) && near(chrf("abc", "xyz"), 0.0) && near(chrf("", ""), 0.0));
        // One letter of two is shared, and no run of two.
        assert!(near(chrf("ab", "ac"), 0.25));
        // Runs of three are not counted where one text has none.
        let recall = f64::midpoint(2.0 / 3.0, 0.5);
        assert!(near(chrf("ab", "abc"), 2.0 * recall / (1.0 + recall)));
    }

    #[test]
    fn calls_are_alike_by_name_and_shared_arguments() {
        let rules = Rules::default();
        let of = |one: &FunctionCall, other: &FunctionCall| structured(rules, one, other);
        let search = call("Search", r#"{"area": "a1", "day": "d", "n": 2}"#);
        assert!(near(of(&search, &search), 2.0));
        assert!(near(of(&call("Search", "{}"), &call("Search", "{}")), 1.0));
        assert!(near(of(&call("Search", r#"{"area": "A1", "n": 2.0}"#), &search), 1.0 + (0.9 + 1.0) / 3.0));
        assert!(near(of(&call("xyz", r#"{"n": 25}"#), &call("Search", r#"{"n": 2}"#)), 0.9 * chrf("25", "2")));
    }

    proptest! {
        #[test]
        fn likeness_goes_both_ways_and_lies_between_nothing_and_one(one in ".{0,12}", other in ".{0,12}") {
            let (there, back) = (chrf(&one, &other), chrf(&other, &one));
            prop_assert!(near(there, back) && (0.0..=1.0 + 1e-9).contains(&there));
            let has_letters = one.chars().any(|letter| !letter.is_whitespace());
            prop_assert!(!has_letters || near(chrf(&one, &one), 1.0));
        }
    }
}

#[cfg(test)]
mod form_tests {
    use super::super::golden::tests::{call, golden};
    use super::super::rules::{Dialect, Rules};
    use super::*;

    fn told(rules: Rules, name: &str, arguments: &str) -> String {
        format_fault(&golden(rules), &call(name, arguments)).unwrap_or_default()
    }

    fn theirs(name: &str, arguments: &str) -> String {
        told(Rules::Upstream(Dialect::Gpt), name, arguments)
    }

    #[test]
    fn names_come_first_and_then_what_is_missing_and_what_is_too_much() {
        assert_eq!(theirs("Fly", "{}"), "Function Fly is not defined in the function list.");
        assert_eq!(
            theirs("Search", r#"{"people": "2", "extra": 1}"#),
            "Function Search requires parameters ['area', 'day'], but ['extra', 'people'] do not provide {'area', 'day'}"
        );
        assert_eq!(
            theirs("Search", r#"{"area": "a", "day": 5, "z": 1, "it's": 1}"#),
            "Function Search does not have parameters {\"it's\", 'z'}"
        );
    }

    #[test]
    fn the_first_wrong_type_by_name_is_told_with_pythons_class() {
        let told = |more: &str| theirs("Search", &format!(r#"{{"area": "a", "day": "d", {more}}}"#));
        for (more, text) in [
            (
                r#""people": "2""#,
                "Parameter people of function Search should be a number, but <class 'str'> is provided.",
            ),
            (
                r#""tags": null, "kind": 5"#,
                "Parameter kind of function Search should be a string, but <class 'int'> is provided.",
            ),
            (
                r#""kind": 5.0"#,
                "Parameter kind of function Search should be a string, but <class 'float'> is provided.",
            ),
            (r#""quiet": 1"#, "Parameter quiet of function Search should be a boolean, but <class 'int'> is provided."),
            (r#""legs": {}"#, "Parameter legs of function Search should be an array, but <class 'dict'> is provided."),
            (r#""tags": []"#, "Parameter tags of function Search should be a string, but <class 'list'> is provided."),
            (
                r#""tags": null"#,
                "Parameter tags of function Search should be a string, but <class 'NoneType'> is provided.",
            ),
            (r#""quiet": true, "people": 2.5, "legs": [], "other": null"#, ""),
        ] {
            assert_eq!(told(more), text);
        }
    }

    #[test]
    fn to_the_authors_a_boolean_is_a_number() {
        let arguments = r#"{"area": "a", "day": "d", "people": true}"#;
        assert_eq!(theirs("Search", arguments), "");
        assert_eq!(
            told(Rules::default(), "Search", arguments),
            "Parameter people of function Search should be a number, but <class 'bool'> is provided."
        );
    }
}

#[cfg(test)]
mod trigram_tests {
    use super::super::golden::tests::call;
    use super::*;
    use proptest::prelude::*;

    fn near(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-9
    }

    #[test]
    fn vectors_have_length_one_and_case_says_nothing() {
        let (one, other) = (Sparse::of("Search {\"area\": \"서울\"}"), Sparse::of("search {\"AREA\": \"서울\"}"));
        assert!(near(one.dot(&one, Order::Fused), 1.0) && one == other);
        assert!(one.dot(&Sparse::of("Detail"), Order::Fused) < 0.5);
    }

    #[test]
    fn a_run_is_hashed_as_others_hash_it() {
        // 64-bit FNV-1a of "abc" is e71fa2190541574b.
        assert_eq!(place(&['a', 'b', 'c']), 0x4b);
    }

    #[test]
    fn equal_calls_differ_in_the_last_bit_by_their_row() {
        let (given, wanted) = (call("Find_Town", "{}"), ["Hill", "Mill", "Lake", "Ford"]);
        let wanted = wanted.map(|name| call("Find_Town", &format!(r#"{{"query": "{name} by the river"}}"#)));
        let matrix = similarity([&given, &given, &given].into_iter(), wanted.iter());
        let rows: Vec<&[f64]> = matrix.chunks(4).collect();
        assert!(rows[0] == rows[1] && rows[0] != rows[2], "{rows:?}");
        assert!(rows[0].iter().zip(rows[2]).all(|(one, other)| near(*one, *other)));
    }

    proptest! {
        #[test]
        fn every_order_gives_nearly_the_same(one in ".{0,40}", other in ".{0,40}") {
            let (one, other) = (Sparse::of(&one), Sparse::of(&other));
            let orders = [Order::Fused, Order::FusedNeighbours, Order::FusedHalves, Order::Halves, Order::Pairs];
            let products = orders.map(|order| one.dot(&other, order));
            prop_assert!(products.iter().all(|product| near(*product, products[0])));
        }
    }
}
