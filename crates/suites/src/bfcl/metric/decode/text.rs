//! A text in Python's syntax, as upstream reads it.

use super::plain::plain_calls;
use super::resolve::call;
use super::{Call, DecodeFault};
use crate::python::syntax::{Expression, Words, parse, parse_beginning};
use crate::python::{Dict, PythonValue, values_equal as equals};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What stood around calls and was taken away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrapper {
    /// A fence that names a language.
    Fence,
    /// What the model thought before.
    Thought,
    /// Words before or behind.
    Prose,
}

impl Wrapper {
    /// Its name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fence => "fence",
            Self::Thought => "thought",
            Self::Prose => "prose",
        }
    }
}

/// Finds the calls of a text: one expression of Python's, which is a list of calls once missing brackets are put around it.
pub fn decode_text(text: &str) -> Result<Vec<Call<'_>>, DecodeFault> {
    let trimmed = trimmed(text);
    plain_calls(trimmed).map_or_else(|| parsed(trimmed), Ok)
}

/// The calls of a text without what does not count on its sides.
pub(super) fn parsed(trimmed: &str) -> Result<Vec<Call<'_>>, DecodeFault> {
    let list = match bracketed(trimmed) {
        Cow::Borrowed(text) => parse(text, Words::Pythons)?,
        // What is put around a text would have to live as long as the text: such calls own their parts.
        Cow::Owned(text) => {
            return calls(parse(&text, Words::Pythons)?, call).map(|calls| calls.into_iter().map(owned).collect());
        }
    };
    calls(list, call)
}

/// Back-ticks, ends of lines and spaces do not count.
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(['`', '\n', ' '])
}

/// Puts a square bracket on each side where there is none.
pub(super) fn bracketed(text: &str) -> Cow<'_, str> {
    let text = if text.starts_with('[') { Cow::Borrowed(text) } else { Cow::Owned(format!("[{text}")) };
    if text.ends_with(']') { text } else { Cow::Owned(format!("{text}]")) }
}

/// The calls that an expression consists of.
pub(super) fn calls<'t>(
    expression: Expression<'t>,
    make: impl Fn(crate::python::syntax::CallExpression<'t>) -> Result<Call<'t>, DecodeFault>,
) -> Result<Vec<Call<'t>>, DecodeFault> {
    let list = match expression {
        Expression::List(list) | Expression::Tuple(list) | Expression::Set(list) => list,
        Expression::Call(only) => return Ok(vec![make(*only)?]),
        _ => return Err(DecodeFault::NoCalls),
    };
    let made = list.into_iter().map(|element| match element {
        Expression::Call(element) => make(*element),
        _ => Err(DecodeFault::NoCalls),
    });
    made.collect()
}

pub(super) fn owned(call: Call<'_>) -> Call<'static> {
    Call { name: Cow::Owned(call.name.into_owned()), arguments: call.arguments.into_owned() }
}

// What stands around calls: thoughts, fences and words.

/// How many opening brackets are tried: a text of brackets alone would take the square of its length.
const TRIED: usize = 64;

/// Takes away a leading thought and a fence around the rest.
pub(super) fn unwrapped(text: &str) -> (&str, Vec<Wrapper>) {
    let mut wrappers = Vec::new();
    let mut rest = text.trim();
    if let Some((_, after)) = rest.strip_prefix("<think>").and_then(|rest| rest.split_once("</think>")) {
        wrappers.push(Wrapper::Thought);
        rest = after.trim();
    }
    if let Some(inside) = fenced(rest) {
        wrappers.push(Wrapper::Fence);
        rest = inside.trim();
    }
    (rest, wrappers)
}

/// The inside of a text that is one fence with a language's name.
fn fenced(text: &str) -> Option<&str> {
    let (language, inside) = text.strip_prefix("```")?.strip_suffix("```")?.split_once('\n')?;
    let is_word = !language.trim().is_empty() && language.trim().chars().all(char::is_alphanumeric);
    (is_word && !inside.contains("```")).then_some(inside)
}

/// The one list of calls among words.
pub(super) fn among_words(text: &str) -> Result<Option<Expression<'_>>, DecodeFault> {
    let mut found = None;
    let mut at = 0;
    for _ in 0..TRIED {
        let Some(next) = text.get(at..).and_then(|rest| rest.find('[')) else { break };
        at += next;
        match parse_beginning(text, at, Words::All) {
            Ok((Expression::List(list), end)) if is_calls(&list) => {
                if found.replace(Expression::List(list)).is_some() {
                    return Err(DecodeFault::Several);
                }
                at = end;
            }
            _ => at += 1,
        }
    }
    Ok(found)
}

fn is_calls(list: &[Expression<'_>]) -> bool {
    !list.is_empty() && list.iter().all(|element| matches!(element, Expression::Call(_)))
}

// Entries of a dictionary as they are written, of which equal keys become one.

/// So many keys are compared each with each; more are looked up, or a hostile text would take the square of its length.
const FEW: usize = 16;

/// Puts entries together: of equal keys the last value stands in the first one's place. Nothing where a key cannot be one.
pub(super) fn settled<'t>(entries: Vec<(PythonValue<'t>, PythonValue<'t>)>) -> Option<Dict<'t>> {
    if !entries.iter().all(|(key, _)| is_key(key)) {
        return None;
    }
    if entries.len() <= FEW {
        return Some(few(entries));
    }
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept: Dict<'t> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        let text = (!is_nan(&key)).then(|| key_text(&key));
        let earlier = text.as_ref().and_then(|text| places.get(text)).and_then(|place| kept.get_mut(*place));
        if let Some(earlier) = earlier {
            earlier.1 = value;
        } else {
            places.extend(text.map(|text| (text, kept.len())));
            kept.push((key, value));
        }
    }
    Some(kept)
}

fn few<'t>(entries: Vec<(PythonValue<'t>, PythonValue<'t>)>) -> Dict<'t> {
    let repeats =
        entries.iter().enumerate().any(|(at, (key, _))| entries.iter().take(at).any(|(other, _)| equals(key, other)));
    if !repeats {
        return entries;
    }
    let mut kept: Dict<'t> = Vec::with_capacity(entries.len());
    for (key, value) in entries {
        match kept.iter_mut().find(|(name, _)| equals(name, &key)) {
            Some(earlier) => earlier.1 = value,
            None => kept.push((key, value)),
        }
    }
    kept
}

fn is_key(value: &PythonValue<'_>) -> bool {
    match value {
        PythonValue::List(_) | PythonValue::Dict(_) => false,
        PythonValue::Tuple(list) => list.iter().all(is_key),
        _ => true,
    }
}

fn is_nan(value: &PythonValue<'_>) -> bool {
    matches!(value, PythonValue::Float(number) if number.is_nan())
}

/// A text that equal keys share.
fn key_text(value: &PythonValue<'_>) -> String {
    match value {
        PythonValue::Bool(bool) => u8::from(*bool).to_string(),
        PythonValue::Float(number) if number.fract() == 0.0 => format!("{:.0}", number + 0.0),
        PythonValue::Tuple(list) => format!("({})", list.iter().map(key_text).collect::<Vec<_>>().join(",")),
        _ => crate::python::repr(value),
    }
}

#[cfg(test)]
mod tests {
    use super::super::as_value;
    use super::*;
    use crate::python::repr;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<String> {
        decode_text(text).ok().map(|calls| repr(&as_value(&calls)))
    }

    #[test]
    fn brackets_are_put_around_on_each_side() {
        for text in
            ["[f(a=1)]", "f(a=1)", "[f(a=1)", "f(a=1)]", "```\n[f(a=1)]\n```", "[f(a=1)] # c", "(f(a=1))", "[f(a=1),]"]
        {
            assert_eq!(read(text).as_deref(), Some("[{'f': {'a': 1}}]"), "{text}");
        }
        assert_eq!((read(""), read("[")), (Some("[]".to_owned()), Some("[]".to_owned())));
    }

    #[test]
    fn several_calls_and_odd_arguments_are_kept_as_upstream_keeps_them() {
        assert_eq!(read("[f(a=1), g.h(b='x')]").as_deref(), Some("[{'f': {'a': 1}}, {'g.h': {'b': 'x'}}]"));
        assert_eq!(read("[f(1, a=1, a=2, *b, **c)]").as_deref(), Some("[{'f': {'a': 2, None: 'c'}}]"));
        assert_eq!(read("[f[0](a=1)]").as_deref(), Some("[{'': {'a': 1}}]"));
    }

    #[test]
    fn what_upstream_cannot_read_is_no_call() {
        for text in [
            "```python\n[f(a=1)]\n```",
            "Sure: [f(a=1)]",
            "[f(a=1)] thanks",
            "<think>x</think>[f(a=1)]",
            "[[f(a=1)]]",
            "'[f(a=1)]'",
            "f(a=1)\ng(b=2)",
            "[f(a=1); g()]",
            "[f(a=1), None]",
            "hello",
            "hello world",
            "# c\n[f(a=1)]",
            "[f()][0]",
            "\t[f()]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]
        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), form in "[a-f.(){}\\[\\]=,'\"\\\\ 0-9한é\n\r#*+@lambdifnot:-]{0,60}") {
            for text in [text, form] {
                let wrapped = format!("[f(a={text}, b=[{text}]), {text}]");
                for text in [text, wrapped] {
                    if let Ok(calls) = decode_text(&text) {
                        prop_assert!(super::super::is_well_formed(&calls));
                    }
                }
            }
        }

        #[test]
        fn a_call_that_python_writes_is_read_back(value in fcgen_core::fixtures::any_python()) {
            let text = format!("[f(a={})]", repr(&value));
            // What is no number has no literal, and the least whole number is a sign before what is beyond 64 bits.
            prop_assume!(!text.contains("nan") && !text.contains("inf"));
            prop_assert_eq!(read(&text), Some(format!("[{{'f': {{'a': {}}}}}]", repr(&value))));
        }
    }
}

#[cfg(test)]
mod wrapper_tests {
    use super::*;
    use crate::python::syntax::unparse;

    #[test]
    fn thoughts_and_fences_are_taken_away() {
        assert_eq!(unwrapped(" <think>[f()]</think>\n[g()]"), ("[g()]", vec![Wrapper::Thought]));
        assert_eq!(unwrapped("```python\n[g()]\n```"), ("[g()]", vec![Wrapper::Fence]));
        assert_eq!(unwrapped("<think></think>```json\n1\n```").1, [Wrapper::Thought, Wrapper::Fence]);
        for text in ["```\n[g()]\n```", "[g()]", "```a b\nx```", "<think>x"] {
            assert_eq!(unwrapped(text), (text, Vec::new()));
        }
    }

    #[test]
    fn one_list_of_calls_is_found_among_words() {
        let found = |text| among_words(text).map(|found| found.as_ref().map(unparse));
        assert_eq!(found("As [1] says: [f(a=']')] is it [not]."), Ok(Some("[f(a=']')]".to_owned())));
        assert_eq!(found("nothing [] here ["), Ok(None));
        assert_eq!(found("[f()] or [g()]"), Err(DecodeFault::Several));
        assert_eq!(found(&"[".repeat(100_000)), Ok(None));
    }
}

#[cfg(test)]
mod keys_tests {
    use super::*;
    use fcgen_core::fixtures::any_python;
    use proptest::prelude::*;

    fn entry(key: i64, value: i64) -> (PythonValue<'static>, PythonValue<'static>) {
        (PythonValue::Int(key), PythonValue::Int(value))
    }

    #[test]
    fn the_last_of_equal_keys_stands_in_the_first_ones_place() {
        let entries = vec![entry(1, 2), entry(5, 6), (PythonValue::Bool(true), PythonValue::Int(3))];
        assert_eq!(settled(entries).unwrap(), [entry(1, 3), entry(5, 6)]);
        assert_eq!(settled(vec![(PythonValue::List(Vec::new()), PythonValue::None)]), None);
        assert_eq!(settled(vec![(PythonValue::Tuple(vec![PythonValue::Dict(Vec::new())]), PythonValue::None)]), None);
    }

    proptest! {
        #[test]
        fn many_keys_are_settled_as_few_are(keys in prop::collection::vec(any_python(), 17..24)) {
            let entries: Dict<'_> = keys.into_iter().filter(is_key).zip((0..).map(PythonValue::Int)).collect();
            let many = settled(entries.clone()).unwrap();
            prop_assert_eq!(format!("{:?}", many), format!("{:?}", few(entries)));
        }
    }
}
