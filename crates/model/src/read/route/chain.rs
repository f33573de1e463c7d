//! The calls that a question asks for: one for each clause, and before it whatever finds out what the question leaves open.

use super::super::learn::Learned;
use super::super::reader::Reader;
use super::super::request::RequestIdeas;
use super::super::slot::Slot;
use super::super::text::{Span, Text, find_words};
use super::tool::{Choice, Chosen, Code, RouteTool, Want, codes, rarities};
use crate::locale::Meaning;
use crate::read::values::candidates::{Candidate, Form, Means};
use crate::record::{FunctionCall, Object, Value};
use std::collections::BTreeSet;
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

// Cuts a question into its requests, at the words and marks that stand between them.

/// Marks that end a clause wherever they stand.
const MARKS: [char; 11] = [',', ';', '?', '!', '\n', '，', '。', '；', '！', '？', '、'];

/// A stretch of a question that wants something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clause {
    pub(super) span: Span,
    /// The stem of the word that says what to do.
    pub(super) verb: Option<String>,
}

/// The clauses of a question, in order; what wants nothing belongs to its neighbour. `verbs` are those of the tools.
pub(super) fn clauses(reader: Reader<'_>, text: &Text, verbs: &BTreeSet<&str>) -> Vec<Clause> {
    let cutter = Cutter { reader, text, verbs };
    let mut clauses: Vec<Clause> = Vec::new();
    let mut pending: Option<Clause> = None;
    for piece in cutter.pieces() {
        let before = pending.take();
        let start = before.as_ref().map_or(piece.start, |before| before.span.start);
        let verb = before.and_then(|before| before.verb);
        let (wanting, own) = cutter.wants(piece);
        let clause = Clause { span: Span { start, ..piece }, verb: verb.or(own) };
        match (wanting, clauses.last_mut()) {
            (Wanting::Something, _) | (Wanting::Again, Some(_)) => clauses.push(clause),
            (Wanting::Nothing, Some(last)) => last.span.end = piece.end,
            (Wanting::Unsaid, _) | (Wanting::Again | Wanting::Nothing, None) => pending = Some(clause),
        }
    }
    match (pending, clauses.last_mut()) {
        (Some(rest), Some(last)) => last.span.end = rest.span.end,
        (Some(rest), None) => clauses.push(rest),
        (None, _) => {}
    }
    clauses
}

/// What a stretch wants.
enum Wanting {
    Something,
    /// It does something with what was said before, if anything was.
    Again,
    /// It does something, but with what is said further on.
    Unsaid,
    Nothing,
}

struct Cutter<'a> {
    reader: Reader<'a>,
    text: &'a Text,
    verbs: &'a BTreeSet<&'a str>,
}

impl Cutter<'_> {
    fn wants(&self, piece: Span) -> (Wanting, Option<String>) {
        let reading = &self.reader.pack.reading;
        let letters = self.text.lower().get(piece.start..piece.end).unwrap_or_default();
        let ideas = RequestIdeas::new(letters, &[], reading);
        let verb = self.verb(piece);
        // Where nouns have no words before them that would tell them from verbs, an action may stand anywhere.
        let acts = verb.is_some() || reading.determiners.is_empty() && ideas.is_firm();
        let words = self.text.words().iter().filter(|word| piece.overlaps(word.span)).count();
        let wanting = match (ideas.is_asking() || acts, ideas.has_things()) {
            (true, true) => Wanting::Something,
            // "Renew it" is a request; "renew" goes on behind the next "and".
            (true, false) if words > 1 => Wanting::Again,
            (true, false) => Wanting::Unsaid,
            (false, _) => Wanting::Nothing,
        };
        (wanting, verb)
    }

    /// The first word that means something, where it is one for doing: an action of the language's, or a tool's verb.
    fn verb(&self, piece: Span) -> Option<String> {
        let reading = &self.reader.pack.reading;
        let mut words = self.text.words().iter().filter(|word| piece.overlaps(word.span)).peekable();
        // "My phone number" begins with a word for an action and does nothing.
        if words.peek().is_some_and(|first| reading.determiners.contains(&first.lower)) {
            return None;
        }
        let does = |word: &str| {
            let actions = reading.meanings(word).iter().any(|meaning| matches!(meaning, Meaning::Action(_)));
            actions && !reading.only_announces(word) || self.verbs.contains(reading.stem(word))
        };
        let first = words.find(|word| does(&word.lower) || !reading.is_empty_word(&word.lower))?;
        does(&first.lower).then(|| reading.stem(&first.lower).to_owned())
    }

    /// The stretches between marks and connectives.
    fn pieces(&self) -> Vec<Span> {
        let text = self.text;
        let connectives = &self.reader.pack.reading.connectives;
        let mut cuts: Vec<Span> = connectives.iter().flat_map(|words| find_words(text, words)).collect();
        let marks = text.lower().iter().enumerate().filter(|(at, letter)| MARKS.contains(letter) || is_stop(text, *at));
        cuts.extend(marks.map(|(at, _)| Span { start: at, end: at + 1 }));
        cuts.sort();
        let mut pieces = Vec::new();
        let mut start = 0;
        for cut in cuts.into_iter().chain([Span { start: text.lower().len(), end: text.lower().len() }]) {
            if cut.start > start {
                pieces.push(Span { start, end: cut.start });
            }
            start = start.max(cut.end);
        }
        pieces.retain(|piece| text.words().iter().any(|word| piece.overlaps(word.span)));
        pieces
    }
}

/// A full stop, and no point within a number or a name.
fn is_stop(text: &Text, at: usize) -> bool {
    text.lower()[at] == '.' && text.lower().get(at + 1).is_none_or(|next| next.is_whitespace())
}

// The values of one call: identifiers by their shapes and neighbours, others by what the locale surely knows.

/// What the values of a call are read from.
pub(super) struct Filling<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) text: &'a Text,
    pub(super) codes: &'a [Code],
}

impl Filling<'_> {
    /// The values that the question gives to a tool's parameters, in declared order; those of the clause go first.
    pub(super) fn values(&self, tool: &RouteTool, clause: Span) -> Object {
        let mut taken: Vec<(usize, Span, Value)> = Vec::new();
        for (want, span, value) in self.identifiers(tool, clause).into_iter().chain(self.others(tool, clause)) {
            if taken.iter().all(|(known, other, _)| *known != want && !other.overlaps(span)) {
                taken.push((want, span, value));
            }
        }
        taken.sort_by_key(|(want, ..)| *want);
        taken.into_iter().map(|(want, _, value)| (tool.wants[want].name.clone(), value)).collect()
    }

    /// Codes for parameters that hold identifiers, the likeliest first.
    fn identifiers(&self, tool: &RouteTool, clause: Span) -> Vec<(usize, Span, Value)> {
        let wants = tool.wants.iter().enumerate().filter(|(_, want)| want.identifies && !want.nested);
        let mut pairs: Vec<(f64, usize, &Code)> = wants
            .flat_map(|(index, want)| self.codes.iter().map(move |code| (index, want, code)))
            .filter_map(|(index, want, code)| Some((self.likelihood(want, code, clause)?, index, code)))
            .collect();
        pairs.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.2.span.cmp(&other.2.span)));
        pairs.into_iter().map(|(_, want, code)| (want, code.span, value(tool, want, &code.text))).collect()
    }

    /// How likely a code is a parameter's; `None` where nothing says so.
    fn likelihood(&self, want: &Want, code: &Code, clause: Span) -> Option<f64> {
        let shaped = want.shapes.iter().any(|shape| shape.takes(code));
        if !want.shapes.is_empty() && !shaped {
            return None;
        }
        let beside = self.beside(want, code);
        // A short number alone may be an amount as well.
        let alone = self.codes.len() == 1 && (code.span.len() > 4 || code.text.contains(char::is_alphabetic));
        let near = if code.span.overlaps(clause) { 2.0 } else { 0.0 };
        let says = if shaped { 10.0 } else { 0.0 } + beside + if starts(want, code) { 2.0 } else { 0.0 };
        (says > 0.0 || alone).then_some(says + near)
    }

    /// The parameter's own words among the few before a code: `loan ID L12345`.
    fn beside(&self, want: &Want, code: &Code) -> f64 {
        let earlier =
            self.codes.iter().filter(|other| other.span.end <= code.span.start).map(|other| other.span.end).max();
        let words = self.text.words().iter().rev().filter(|word| word.span.end <= code.span.start);
        let words = words.take_while(|word| earlier.is_none_or(|end| word.span.start >= end)).take(4);
        let own = words.filter(|word| want.words.iter().any(|own| own == self.reader.pack.reading.stem(&word.lower)));
        own.map(|_| 3.0).sum()
    }

    /// Values of other parameters that are surely some.
    fn others(&self, tool: &RouteTool, clause: Span) -> Vec<(usize, Span, Value)> {
        let learned = Learned::new();
        let means = Means { recogniser: self.reader.recogniser, reading: &self.reader.pack.reading, learned: &learned };
        let slots = tool.reader.slots.iter().zip(&tool.wants).enumerate();
        let mut found: Vec<Candidate> = slots
            .filter(|(_, (slot, want))| !want.identifies && !want.nested && is_known(slot))
            .flat_map(|(index, (slot, _))| slot.candidates(index, self.text, means))
            .filter(|candidate| candidate.sure)
            .collect();
        let rank = |candidate: &Candidate| candidate.score + if candidate.span.overlaps(clause) { 4.0 } else { 0.0 };
        found.sort_by(|one, other| rank(other).total_cmp(&rank(one)).then(one.span.cmp(&other.span)));
        found.into_iter().map(|candidate| (candidate.slot, candidate.span, candidate.value)).collect()
    }
}

/// Whether the values of a slot are listed, counted or of a kind that is more than any words.
fn is_known(slot: &Slot) -> bool {
    !slot.open || !matches!(slot.form, Form::Kind(..) | Form::Free)
}

/// A code as the parameter's type has it.
fn value(tool: &RouteTool, want: usize, text: &str) -> Value {
    tool.reader.slots.get(want).map_or_else(|| Value::from(text), |slot| slot.value(text))
}

/// Whether the letters of a code begin one of the parameter's words: `L12345` is a loan's.
fn starts(want: &Want, code: &Code) -> bool {
    let letters: String = code.text.chars().take_while(char::is_ascii_alphabetic).collect::<String>().to_lowercase();
    !letters.is_empty() && want.words.iter().any(|word| word.starts_with(&letters))
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

#[cfg(test)]
mod clause_tests {
    use super::super::super::reader::tests::Desk;
    use super::*;

    fn cut(locale: &str, question: &str) -> Vec<String> {
        let toolset = if locale == "en" { "mobile" } else { "tests/fixtures/toolsets/proof" };
        let desk = Desk::new(toolset, locale);
        let text = desk.reader().text(question);
        clauses(desk.reader(), &text, &BTreeSet::from(["confirm"]))
            .into_iter()
            .map(|it| text.said(it.span).trim().to_owned())
            .collect()
    }

    #[test]
    fn requests_are_cut_apart_and_what_wants_nothing_is_not() {
        let question = "I need to check flights from BOS to MIA on May 5, economy class, book one for Sam, and then cancel my hotel.";
        assert_eq!(
            cut("en", question),
            ["I need to check flights from BOS to MIA on May 5, economy class", "book one for Sam", "cancel my hotel"]
        );
        assert_eq!(
            cut("en", "My phone number is 555. Send the bill of 4.50 to Rosa and Anna"),
            ["My phone number is 555. Send the bill of 4.50 to Rosa and Anna"]
        );
        assert_eq!(cut("en", "Modify and confirm the address"), ["Modify and confirm the address"]);
        assert_eq!(cut("en", "hm"), ["hm"]);
        assert!(cut("en", " ,. ").is_empty());
    }

    #[test]
    fn other_languages_have_their_own_words_between_requests() {
        assert_eq!(cut("ko", "카드를 확인해 줘. 그리고 계좌를 삭제해 줘").len(), 2);
        assert_eq!(cut("zh", "查一下我的银行卡，然后取消预约").len(), 2);
    }
}

#[cfg(test)]
mod fill_tests {
    use super::super::super::reader::tests::Desk;
    use super::super::tool::codes;
    use super::*;

    fn read(parameters: &str, question: &str, clause: &str) -> String {
        let desk = Desk::new("mobile", "en");
        let json = format!(r#"{{"name": "doThing", "parameters": {{"properties": {parameters}}}}}"#);
        let tool = RouteTool::new(&serde_json::from_str(&json).unwrap(), &desk.pack, &desk.recogniser);
        let text = desk.reader().text(question);
        let start = question.find(clause).unwrap();
        let codes = codes(&text);
        let filling = Filling { reader: desk.reader(), text: &text, codes: &codes };
        let values = filling.values(&tool, Span { start, end: start + clause.len() });
        serde_json::to_string(&values).unwrap()
    }

    #[test]
    fn identifiers_go_to_the_parameters_whose_words_or_shapes_they_have() {
        let question = "Link doctor ID 4471 with patient P2231 and bed 99120";
        let two = r#"{"patientId": {"type": "string"}, "doctorId": {"type": "string"}}"#;
        assert_eq!(read(two, question, question), r#"{"patientId":"P2231","doctorId":"4471"}"#);
        let shaped = r#"{"a": {"description": "Such as P####"}, "b": {"description": "Such as Q####"}}"#;
        assert_eq!(read(shaped, question, question), r#"{"a":"P2231"}"#);
    }

    #[test]
    fn the_only_code_is_whose_it_may_be_and_of_several_nobodys() {
        let one = r#"{"ticketId": {"type": "string"}}"#;
        assert_eq!(read(one, "Look at XY9981", "Look"), r#"{"ticketId":"XY9981"}"#);
        assert_eq!(read(one, "Look at XY9981 or ZZ9982", "Look"), "{}");
        assert_eq!(read(r#"{"number": {"type": "integer"}}"#, "Look at 99812", "Look"), r#"{"number":99812}"#);
        assert_eq!(read(one, "Pay 1000 for it", "Pay"), "{}");
    }

    #[test]
    fn of_two_values_that_of_the_clause_is_taken() {
        let question = "See loan L1234, and pay loan L9876";
        let loan = r#"{"loanId": {"type": "string"}}"#;
        assert_eq!(read(loan, question, "pay loan L9876"), r#"{"loanId":"L9876"}"#);
        assert_eq!(read(loan, question, "See loan L1234"), r#"{"loanId":"L1234"}"#);
    }

    #[test]
    fn other_values_are_those_that_the_locale_knows() {
        let some = r#"{"mode": {"enum": ["fast", "slow"]}, "city": {"type": "string"}, "note": {"type": "string"}, "more": {"type": "object"}}"#;
        assert_eq!(read(some, "Go the slow way to Lisbon with gizmos", "Go"), r#"{"mode":"slow","city":"Lisbon"}"#);
    }
}
