//! A text in Python's syntax, as upstream reads it.

use super::super::syntax::{Expression, Words, parse};
use super::plain::plain_calls;
use super::resolve::call;
use super::{Call, DecodeFault};
use std::borrow::Cow;

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
    make: impl Fn(super::super::syntax::CallExpression<'t>) -> Result<Call<'t>, DecodeFault>,
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

#[cfg(test)]
mod tests {
    use super::super::super::repr::repr;
    use super::super::as_value;
    use super::*;
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
        fn a_call_that_python_writes_is_read_back(value in super::super::super::value::tests::any_python()) {
            let text = format!("[f(a={})]", repr(&value));
            // What is no number has no literal, and the least whole number is a sign before what is beyond 64 bits.
            prop_assume!(!text.contains("nan") && !text.contains("inf"));
            prop_assert_eq!(read(&text), Some(format!("[{{'f': {{'a': {}}}}}]", repr(&value))));
        }
    }
}
