//! Ways in which models fail, committed on a right answer: near misses first, an unrelated tool only where there is none.

use crate::export::lessons::lesson::{Aim, Learn, Lesson, Turn, read};
use crate::export::lessons::teach::gold_call;
use crate::export::pairing::pairs::Wrong;
use crate::record::{Chance, FunctionCall, Number, Object, Parameter, Role, Tool, Value};
use crate::score::words_of;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A way of making a right answer wrong, where it can be made wrong in that way.
pub(crate) type Way = fn(&Lesson, &mut Chance) -> Option<Turn>;

/// The ways for a lesson, in the order in which they are tried.
pub(crate) fn ways(lesson: &Lesson, chance: &mut Chance) -> Vec<Way> {
    let mut near: Vec<Way> = match lesson.aim {
        Aim::Call => vec![drift, drop_argument, sibling, invent],
        Aim::Question => vec![without_asking, made_up],
        Aim::Refusal => vec![sibling, not_offered],
        Aim::Answer => vec![once_more],
    };
    chance.shuffle(&mut near);
    near.push(unrelated);
    near
}

/// An answer in words that tells another figure than the tool gave.
pub(crate) fn mistold(lesson: &Lesson, chance: &mut Chance) -> Option<Wrong> {
    let first = lesson.taught().first().filter(|_| lesson.aim == Aim::Answer)?;
    let text = first.text.as_deref()?;
    let tools = lesson.prompt().iter().filter(|turn| turn.role == Role::Tool);
    let known: BTreeSet<&str> = tools.filter_map(|turn| turn.text.as_deref()).flat_map(figures).collect();
    let told: Vec<&str> = figures(text).filter(|figure| known.contains(figure)).collect();
    let figure = *chance.pick(&told)?;
    let other = figure.parse::<u64>().ok()?.checked_add(1)?.to_string();
    let is_new = !known.contains(other.as_str()) && figures(text).all(|it| it != other);
    let reason = format!("wrong_value: it tells {other} and not {figure}");
    let turn = Turn { text: Some(exchanged(text, figure, &other)), reasoning: None, ..first.clone() };
    is_new.then(|| Wrong { turn, from: "defect", reason })
}

/// Runs of digits.
fn figures(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter(|run| !run.is_empty())
}

/// A text with another figure in the place of each that is equal to the first.
fn exchanged(text: &str, figure: &str, other: &str) -> String {
    let mut out = String::new();
    for piece in text.split_inclusive(|letter: char| !letter.is_ascii_digit()) {
        let digits = piece.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let rest = piece.strip_prefix(digits).unwrap_or_default();
        out += if digits == figure { other } else { digits };
        out += rest;
    }
    out
}

fn with_call(lesson: &Lesson, change: impl FnOnce(&mut FunctionCall) -> Option<()>) -> Option<Turn> {
    let mut turn = Turn { reasoning: None, ..lesson.taught().first()?.clone() };
    change(turn.calls.first_mut()?)?;
    Some(turn)
}

fn drop_argument(lesson: &Lesson, chance: &mut Chance) -> Option<Turn> {
    with_call(lesson, |call| {
        let at = chance.below(call.arguments.len());
        call.arguments.shift_remove_index(at).map(drop)
    })
}

/// A value that is not the one that was said: a near number, the other truth, another listed value, half of a text.
fn drift(lesson: &Lesson, chance: &mut Chance) -> Option<Turn> {
    with_call(lesson, |call| {
        let tool = lesson.tool(&call.name)?;
        let at = chance.below(call.arguments.len());
        let (name, value) = call.arguments.get_index_mut(at)?;
        let listed = tool.parameters.properties.get(name).and_then(|it| it.values.as_ref());
        let others: Vec<Value> =
            listed.into_iter().flatten().cloned().map(Value::from).filter(|it| it != value).collect();
        *value = match (chance.pick(&others), &*value) {
            (Some(other), _) => other.clone(),
            (None, Value::Bool(truth)) => (!truth).into(),
            (None, Value::Number(number)) => next(number)?,
            (None, Value::String(text)) => half(text)?,
            _ => return None,
        };
        Some(())
    })
}

fn next(number: &Number) -> Option<Value> {
    number.as_str().parse::<i64>().ok()?.checked_add(1).map(Value::from)
}

fn half(text: &str) -> Option<Value> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let kept = if words.len() > 1 { words.get(1..)?.join(" ") } else { text.chars().skip(1).collect() };
    (!kept.is_empty()).then(|| kept.into())
}

/// A parameter of the tool that nobody spoke of.
fn invent(lesson: &Lesson, chance: &mut Chance) -> Option<Turn> {
    with_call(lesson, |call| {
        let properties = &lesson.tool(&call.name)?.parameters.properties;
        let free: Vec<_> = properties.iter().filter(|(name, _)| !call.arguments.contains_key(*name)).collect();
        let (name, parameter) = chance.pick(&free)?;
        call.arguments.insert((*name).clone(), plausible(name, parameter, "")?);
        Some(())
    })
}

/// The call that lacks what the question is for.
fn without_asking(lesson: &Lesson, _: &mut Chance) -> Option<Turn> {
    gold_call(&lesson.sample).map(|call| Turn::called(vec![call]))
}

/// The same call with a value that nobody gave for what the question is for.
fn made_up(lesson: &Lesson, _: &mut Chance) -> Option<Turn> {
    let asked = lesson.asked.first()?;
    let known = gold_call(&lesson.sample);
    let named = known.as_ref().and_then(|call| lesson.tool(&call.name));
    let has = |tool: &&Tool| tool.parameters.properties.contains_key(asked);
    let tool = named.filter(has).or_else(|| lesson.tools.iter().map(AsRef::as_ref).find(has))?;
    let mut call = known.unwrap_or_else(|| FunctionCall { name: tool.name.clone(), ..FunctionCall::default() });
    let value = plausible(asked, tool.parameters.properties.get(asked)?, &lesson.sample.query())?;
    call.arguments.insert(asked.clone(), value);
    Some(Turn::called(vec![call]))
}

/// The right tool, which is not among those that are offered.
fn not_offered(lesson: &Lesson, _: &mut Chance) -> Option<Turn> {
    let label = lesson.sample.label.clone().filter(|label| lesson.tool(&label.name).is_none())?;
    Some(Turn::called(vec![label]))
}

/// The last call, made again in place of telling what it gave.
fn once_more(lesson: &Lesson, _: &mut Chance) -> Option<Turn> {
    lesson.prompt().iter().rev().find_map(|turn| turn.calls.first()).map(|call| Turn::called(vec![call.clone()]))
}

/// Another tool of the same category, or one that takes the same arguments.
fn sibling(lesson: &Lesson, _: &mut Chance) -> Option<Turn> {
    other_tool(lesson, true)
}

/// Whichever other tool is nearest by its words.
fn unrelated(lesson: &Lesson, _: &mut Chance) -> Option<Turn> {
    other_tool(lesson, false)
}

/// A call of the tool that is nearest to the right one, or to the request: with the arguments that it takes as well, and
/// all that it requires.
fn other_tool(lesson: &Lesson, is_related: bool) -> Option<Turn> {
    let right = lesson.calls().next().or(lesson.sample.label.as_ref());
    let request = lesson.sample.query();
    let wanted: BTreeSet<String> =
        words_of(&request).into_iter().chain(right.iter().flat_map(|call| words_of(&call.name))).collect();
    let near = |tool: &Tool| {
        let shared = right.iter().flat_map(|call| call.arguments.keys());
        let shared = shared.filter(|name| tool.parameters.properties.contains_key(*name)).count();
        let is_of_category =
            right.is_some_and(|call| category(&call.name).is_some_and(|it| category(&tool.name) == Some(it)));
        let told: BTreeSet<String> = words_of(&tool.name).into_iter().chain(words_of(&tool.description)).collect();
        (4 * shared + 4 * usize::from(is_of_category), told.intersection(&wanted).count())
    };
    let others = lesson.tools.iter().filter(|tool| right.is_none_or(|call| call.name != tool.name));
    let tool = others.rev().max_by_key(|tool| near(tool))?;
    if is_related && near(tool).0 == 0 {
        return None;
    }
    let mut arguments: Object = right.map(|call| call.arguments.clone()).unwrap_or_default();
    arguments.retain(|name, _| tool.parameters.properties.contains_key(name));
    for name in &tool.parameters.required {
        let value = tool.parameters.properties.get(name).and_then(|it| plausible(name, it, &request));
        if let Some(value) = value.filter(|_| !arguments.contains_key(name)) {
            arguments.insert(name.clone(), value);
        }
    }
    Some(Turn::called(vec![FunctionCall { name: tool.name.clone(), arguments }]))
}

/// What stands before the last dot of a name.
fn category(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(category, _)| category)
}

/// A value that a model might put there: one that is listed, a number of the request, its last words, or the name.
fn plausible(name: &str, parameter: &Parameter, request: &str) -> Option<Value> {
    let listed = parameter.values.as_ref().and_then(|values| values.first()).cloned().map(Value::from);
    let value = || match parameter.type_name() {
        "integer" | "number" => Some(figures(request).find_map(|it| it.parse::<i64>().ok()).unwrap_or(1).into()),
        "boolean" => Some(true.into()),
        "string" => {
            let words: Vec<&str> = request.split_whitespace().collect();
            let last = words.get(words.len().saturating_sub(2)..).unwrap_or_default().join(" ");
            let last = last.trim_matches(|letter: char| !letter.is_alphanumeric());
            Some(if last.is_empty() { name.into() } else { last.into() })
        }
        _ => None,
    };
    listed.or_else(value)
}

// Turns that nobody should learn: calls that their tools do not take, and calls that were answered by an error.

/// Marks them, all but the last turn, which is the right one by what it is.
pub(crate) fn mask(turns: &mut [Turn], tools: &[Arc<Tool>]) {
    let failed: Vec<usize> = turns
        .iter()
        .filter(|turn| turn.text.as_deref().is_some_and(|text| is_error(&read(text))))
        .filter_map(|turn| turn.answers)
        .collect();
    let (mut ordinal, last) = (0, turns.len().saturating_sub(1));
    for turn in turns.iter_mut().take(last) {
        let own = ordinal..ordinal + turn.calls.len();
        ordinal = own.end;
        let is_wrong =
            own.clone().any(|call| failed.contains(&call)) || turn.calls.iter().any(|call| !is_taken(call, tools));
        if is_wrong {
            turn.learn = Learn::Wrong;
        }
    }
}

/// Whether the tools offer the call: the tool, all that it requires, and nothing that it does not have.
pub(crate) fn is_taken(call: &FunctionCall, tools: &[Arc<Tool>]) -> bool {
    tools.iter().find(|tool| tool.name == call.name).is_some_and(|tool| {
        tool.parameters.required.iter().all(|name| call.arguments.contains_key(name))
            && call.arguments.keys().all(|name| has(tool, name))
    })
}

/// Whether a tool has a parameter.
pub(crate) fn has(tool: &Tool, name: &str) -> bool {
    tool.parameters.properties.contains_key(name)
}

/// Whether a tool's answer says that the call failed.
fn is_error(answer: &Value) -> bool {
    let Some(answer) = answer.as_object() else { return false };
    let is_there = |value: &Value| !value.is_null() && value.as_bool() != Some(false) && value.as_str() != Some("");
    let says =
        |name: &str, words: &[&str]| answer.get(name).and_then(Value::as_str).is_some_and(|it| words.contains(&it));
    let denies = |name: &str| answer.get(name).and_then(Value::as_bool) == Some(false);
    answer.get("error").is_some_and(is_there)
        || says("status", &["error", "failed"])
        || denies("ok")
        || denies("success")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::testing::{call, lesson};
    use std::sync::Arc;

    fn chance() -> Chance {
        Chance::new(7, "test", "x", 0)
    }

    #[test]
    fn a_sibling_takes_what_it_shares_and_what_it_requires() {
        let mut lesson = lesson("call");
        assert_eq!(sibling(&lesson, &mut chance()).unwrap().calls, [call("Rail.cancel", "{}")]);
        Arc::make_mut(&mut lesson.tools[1]).name = "Mail.send".to_owned();
        assert_eq!(sibling(&lesson, &mut chance()), None);
        assert_eq!(unrelated(&lesson, &mut chance()).unwrap().calls, [call("Mail.send", "{}")]);
        let parameters = lesson.tools[0].parameters.clone();
        Arc::make_mut(&mut lesson.tools[1]).parameters = parameters;
        assert_eq!(sibling(&lesson, &mut chance()).unwrap().calls, [call("Mail.send", r#"{"to":"Porto"}"#)]);
    }

    #[test]
    fn a_refusal_is_answered_with_the_tool_that_is_not_offered_or_with_words_of_the_request() {
        let mut lesson = lesson("refusal");
        lesson.sample.label = Some(call("Rail.rent", r#"{"to":"Porto"}"#));
        assert_eq!(not_offered(&lesson, &mut chance()).unwrap().calls, [call("Rail.rent", r#"{"to":"Porto"}"#)]);
        lesson.sample.label = None;
        assert_eq!(unrelated(&lesson, &mut chance()).unwrap().calls, [call("Rail.book", r#"{"to":"to Porto"}"#)]);
    }

    #[test]
    fn a_question_is_passed_over_with_a_value_that_nobody_gave() {
        let lesson = lesson("question");
        assert_eq!(made_up(&lesson, &mut chance()).unwrap().calls, [call("Rail.book", r#"{"to":"to Porto"}"#)]);
    }

    #[test]
    fn an_answer_tells_another_figure_or_calls_once_more() {
        let mut lesson = lesson("answer");
        let asked = Turn::called(vec![call("Rail.book", r#"{"to":"Faro"}"#)]);
        lesson.turns.splice(1..1, [asked.clone(), Turn::answered(0, r#"{"price":12,"seats":2}"#)]);
        lesson.target = 3;
        assert_eq!(mistold(&lesson, &mut chance()), None);
        assert_eq!(once_more(&lesson, &mut chance()).unwrap().calls, asked.calls);
        lesson.turns[3].text = Some("It is 12 euros, at 112.".to_owned());
        let wrong = mistold(&lesson, &mut chance()).unwrap();
        assert_eq!(wrong.turn.text.as_deref(), Some("It is 13 euros, at 112."));
        assert_eq!(wrong.reason, "wrong_value: it tells 13 and not 12");
    }
}

#[cfg(test)]
mod mistakes_tests {
    use super::*;
    use crate::export::testing::{call, lesson};
    use crate::record::Role;

    fn masked(first: FunctionCall, answer: &str) -> Vec<Learn> {
        let lesson = lesson("call");
        let mut turns = lesson.turns.clone();
        turns.splice(
            1..1,
            [Turn::called(vec![first]), Turn::answered(0, answer), Turn::said(Role::Assistant, "Once more?")],
        );
        mask(&mut turns, &lesson.tools);
        turns.into_iter().map(|turn| turn.learn).collect()
    }

    #[test]
    fn calls_that_failed_are_not_learned_and_what_follows_is() {
        let right = call("Rail.book", r#"{"to":"Faro"}"#);
        for answer in [r#"{"error":{"code":503}}"#, r#"{"status":"failed"}"#, r#"{"success":false}"#] {
            assert_eq!(
                masked(right.clone(), answer)[1..],
                [Learn::Wrong, Learn::Yes, Learn::Yes, Learn::Yes],
                "{answer}"
            );
        }
        for answer in [r#"{"error":null}"#, r#"{"title":"an error"}"#, "error", r#"{"status":"open"}"#] {
            assert!(masked(right.clone(), answer).iter().all(|it| *it == Learn::Yes), "{answer}");
        }
    }

    #[test]
    fn calls_that_no_tool_takes_are_not_learned() {
        for wrong in [call("Rail.book", "{}"), call("Rail.sell", "{}"), call("Rail.cancel", r#"{"x":1}"#)] {
            assert_eq!(masked(wrong, "{}")[1], Learn::Wrong);
        }
    }

    #[test]
    fn the_last_turn_is_not_judged() {
        let tools = lesson("call").tools;
        let mut turns = [Turn::called(vec![call("Rail.book", "{}")])];
        mask(&mut turns, &tools);
        assert_eq!(turns[0].learn, Learn::Yes);
        mask(&mut [], &tools);
    }
}
