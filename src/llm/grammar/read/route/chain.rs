//! The calls that a question asks for: one for each clause, and before it whatever finds out what the question leaves open.

use super::super::reader::Reader;
use super::super::text::{Span, Text};
use super::choose::{Choice, Chosen};
use super::clause::clauses;
use super::code::{Code, codes};
use super::fill::Filling;
use super::tool::{RouteTool, rarities};
use crate::record::{FunctionCall, Object, Value};
use std::sync::Arc;

/// A clause after the first is a request of its own only if so much of what spoke for the best one speaks for it.
const WORTH: f64 = 0.4;

/// Reads a question into calls; what it does not give is `placeholder`.
pub(crate) fn read_calls(
    reader: Reader<'_>,
    tools: &[Arc<RouteTool>],
    question: &str,
    placeholder: &str,
) -> Vec<FunctionCall> {
    let text = reader.text(question);
    let codes = codes(&text);
    let chain = Chain { filling: Filling { reader, text: &text, codes: &codes }, tools };
    let mut made: Vec<Made<'_>> = Vec::new();
    for (chosen, clause) in chosen(reader, tools, &text, &codes) {
        chain.add(chosen.tool, clause, &mut made);
    }
    made.into_iter().map(|it| call(it.tool, &it.values, placeholder)).collect()
}

/// A call that is to be made, with what the question gives for it.
struct Made<'a> {
    tool: &'a RouteTool,
    values: Object,
}

struct Chain<'a> {
    filling: Filling<'a>,
    tools: &'a [Arc<RouteTool>],
}

impl<'a> Chain<'a> {
    /// Adds a call, and before it one that finds out each identifier which neither the question nor an earlier call gives.
    fn add(&self, tool: &'a RouteTool, clause: Span, made: &mut Vec<Made<'a>>) {
        let values = self.filling.values(tool, clause);
        for want in
            tool.wants.iter().filter(|want| want.required && want.identifies && !values.contains_key(&want.name))
        {
            let name = want.name.to_lowercase();
            if !made.iter().any(|earlier| earlier.tool.gives.contains(&name)) {
                made.extend(self.finder(&name, tool, clause));
            }
        }
        made.push(Made { tool, values });
    }

    /// A tool that answers with a field of this name, and gets from the question all that it wants; of several the one
    /// that takes most from it.
    fn finder(&self, field: &str, tool: &RouteTool, clause: Span) -> Option<Made<'a>> {
        let giving =
            self.tools.iter().filter(|it| it.gives.iter().any(|name| name == field) && it.name() != tool.name());
        let filled = giving.map(|tool| Made { values: self.filling.values(tool, clause), tool });
        let able = filled.filter(|it| {
            let mut required = it.tool.wants.iter().filter(|want| want.required);
            !it.values.is_empty() && required.all(|want| it.values.contains_key(&want.name))
        });
        // What it takes is not what it gives: that would be known already.
        let able = able.filter(|it| it.tool.wants.iter().all(|want| want.name.to_lowercase() != field));
        able.reduce(|best, next| if next.values.len() > best.values.len() { next } else { best })
    }
}

/// The tools that the clauses ask for, each with its clause; the same one twice in a row is one request.
fn chosen<'a>(
    reader: Reader<'a>,
    tools: &'a [Arc<RouteTool>],
    text: &'a Text,
    codes: &'a [Code],
) -> Vec<(Chosen<'a>, Span)> {
    let choice = Choice { reader, text, codes, tools, rarities: rarities(tools) };
    let verbs = tools.iter().flat_map(|tool| tool.ideas().verbs.iter().map(String::as_str)).collect();
    let clauses = clauses(reader, text, &verbs);
    let before = std::iter::once(None).chain(clauses.iter().map(Some));
    let best: Vec<(Chosen<'_>, Span)> = clauses
        .iter()
        .zip(before)
        .filter_map(|(clause, before)| Some((choice.best(clause, before)?, clause.span)))
        .collect();
    let most = best.iter().map(|(chosen, _)| chosen.score).fold(0.0, f64::max);
    let mut kept: Vec<(Chosen<'a>, Span)> = Vec::new();
    for (chosen, clause) in best.into_iter().filter(|(chosen, _)| chosen.score >= most * WORTH) {
        match kept.last_mut() {
            Some((last, span)) if last.tool.name() == chosen.tool.name() => span.end = clause.end,
            _ => kept.push((chosen, clause)),
        }
    }
    kept
}

/// A call with every required parameter.
fn call(tool: &RouteTool, values: &Object, placeholder: &str) -> FunctionCall {
    let argument = |name: &str, required: bool| {
        let value = values.get(name).cloned();
        value.or_else(|| required.then(|| Value::from(placeholder))).map(|value| (name.to_owned(), value))
    };
    let arguments = tool.wants.iter().filter_map(|want| argument(&want.name, want.required)).collect();
    FunctionCall { name: tool.name().to_owned(), arguments }
}

#[cfg(test)]
mod tests {
    use super::super::super::reader::tests::Desk;
    use super::*;

    const BANK: &str = r#"[
        {"name": "getLatestAccount", "description": "Returns the newest account of a customer", "parameters": {"properties":
            {"customerId": {"type": "string", "description": "The customer's identifier, such as CU#####"}}, "required": ["customerId"]},
         "returns": {"properties": {"accountId": {"type": "string"}}}},
        {"name": "freezeAccount", "description": "Blocks all movements on an account", "parameters": {"properties":
            {"accountId": {"type": "string", "description": "The account's identifier, such as AC######"},
             "reason": {"type": "string"}}, "required": ["accountId"]},
         "returns": {"properties": {"accountId": {"type": "string"}, "status": {"type": "string"}}}},
        {"name": "cancelCard", "description": "Cancels a card for good", "parameters": {"properties":
            {"cardId": {"type": "string", "description": "The card's identifier, such as CA####"},
             "mode": {"type": "string", "enum": ["now", "later"]}}, "required": ["cardId", "mode"]}},
        {"name": "getBranchHours", "description": "Returns when a branch is open", "parameters": {"properties":
            {"branchId": {"type": "string", "description": "The branch's identifier, such as BR##"}}, "required": ["branchId"]}}]"#;

    fn calls(locale: &str, tools: &str, question: &str) -> Vec<String> {
        let desk = Desk::new(if locale == "en" { "mobile" } else { "tests/fixtures/toolsets/proof" }, locale);
        let tools: Vec<crate::record::Tool> = serde_json::from_str(tools).unwrap();
        let tools: Vec<_> =
            tools.iter().map(|tool| Arc::new(RouteTool::new(tool, &desk.pack, &desk.recogniser))).collect();
        let calls = read_calls(desk.reader(), &tools, question, "$$$");
        calls.iter().map(|call| format!("{} {}", call.name, serde_json::to_string(&call.arguments).unwrap())).collect()
    }

    #[test]
    fn each_clause_is_a_call_and_what_is_not_given_a_placeholder() {
        let question = "Please cancel card CA2201, and then tell me when branch BR17 is open.";
        let expected = [r#"cancelCard {"cardId":"CA2201","mode":"$$$"}"#, r#"getBranchHours {"branchId":"BR17"}"#];
        assert_eq!(calls("en", BANK, question), expected);
        assert_eq!(calls("en", BANK, "cancel a card later"), [r#"cancelCard {"cardId":"$$$","mode":"later"}"#]);
        assert!(calls("en", BANK, "how deep is the ocean").is_empty() && calls("en", BANK, "").is_empty());
    }

    #[test]
    fn an_identifier_that_is_not_given_is_found_out_before() {
        let question = "Freeze all movements on the account of customer CU10233.";
        let expected = [r#"getLatestAccount {"customerId":"CU10233"}"#, r#"freezeAccount {"accountId":"$$$"}"#];
        assert_eq!(calls("en", BANK, question), expected);
        let given = "Find the newest account of CU10233 and freeze the account";
        assert_eq!(calls("en", BANK, given), expected, "what was asked for is not asked for again");
        assert_eq!(calls("en", BANK, "freeze account AC220133"), [r#"freezeAccount {"accountId":"AC220133"}"#]);
    }

    #[test]
    fn the_same_twice_in_a_row_is_one_call() {
        assert_eq!(calls("en", BANK, "Cancel the card CA2201, cancel this card now").len(), 1);
    }

    #[test]
    fn other_languages_are_read_with_their_own_descriptions() {
        let korean = r#"[
            {"name": "getCardLimit", "description": "카드 한도를 조회합니다", "parameters": {"properties":
                {"cardId": {"type": "string", "description": "카드 번호, 예: CA####"}}, "required": ["cardId"]}},
            {"name": "closeAccount", "description": "계좌를 해지합니다", "parameters": {"properties":
                {"accountId": {"type": "string", "description": "계좌 번호, 예: AC####"}}, "required": ["accountId"]}}]"#;
        let expected = [r#"getCardLimit {"cardId":"CA2201"}"#, r#"closeAccount {"accountId":"AC7788"}"#];
        assert_eq!(calls("ko", korean, "CA2201 카드 한도를 확인해 줘. 그리고 AC7788 계좌는 해지해 줘"), expected);
        let chinese = r#"[
            {"name": "getCardLimit", "description": "查询银行卡额度", "parameters": {"properties":
                {"cardId": {"type": "string", "description": "银行卡编号，如 CA####"}}, "required": ["cardId"]}},
            {"name": "closeAccount", "description": "注销账户", "parameters": {"properties":
                {"accountId": {"type": "string", "description": "账户编号，如 AC####"}}, "required": ["accountId"]}}]"#;
        assert_eq!(calls("zh", chinese, "查一下银行卡CA2201的额度，然后注销账户AC7788"), expected);
    }
}
