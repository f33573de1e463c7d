//! What stands around calls: thoughts, fences and words.

use super::super::syntax::{Expression, Words, parse_beginning};
use super::{DecodeFault, Wrapper};

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

#[cfg(test)]
mod tests {
    use super::super::super::syntax::unparse;
    use super::*;

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
