//! A candidate tool, ready for questions: what it is about, what it wants, what it gives.

use super::super::fit::words_of;
use super::super::ideas::{Idea, ToolIdeas};
use super::super::reader::{Reader, ToolReader};
use super::super::request::RequestIdeas;
use super::super::text::{Span, Text};
use super::chain::Clause;
use crate::locale::{Pack, Reading};
use crate::read::values::recognise::Recogniser;
use crate::record::{Parameter, Tool};
use indexmap::{IndexMap, IndexSet};
use std::sync::Arc;

/// A candidate tool, ready for questions.
pub(crate) struct RouteTool {
    pub(super) reader: ToolReader,
    pub(super) wants: Vec<Want>,
    /// Names of the fields that it answers with, in lower case.
    pub(super) gives: Vec<String>,
}

/// A parameter, as far as the tool's slot does not say it.
pub(super) struct Want {
    pub(super) name: String,
    pub(super) required: bool,
    /// Whether it holds an identifier.
    pub(super) identifies: bool,
    pub(super) shapes: Vec<Shape>,
    /// Stems of its name and description.
    pub(super) words: Vec<String>,
    /// Whether it holds an object or a list, of which nothing is read.
    pub(super) nested: bool,
}

impl RouteTool {
    pub(crate) fn new(tool: &Tool, pack: &Pack, recogniser: &Recogniser) -> Self {
        let wants = tool.parameters.properties.iter();
        let returns = tool.returns.as_ref().and_then(|returns| returns.get("properties")?.as_object());
        Self {
            reader: ToolReader::new(tool, pack, recogniser),
            wants: wants.map(|(name, parameter)| Want::new(tool, name, parameter, &pack.reading)).collect(),
            gives: returns.into_iter().flat_map(|fields| fields.keys().map(|name| name.to_lowercase())).collect(),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.reader.name
    }

    pub(super) fn ideas(&self) -> &ToolIdeas {
        &self.reader.ideas
    }
}

impl Want {
    fn new(tool: &Tool, name: &str, parameter: &Parameter, reading: &Reading) -> Self {
        let description = parameter.description.as_deref().unwrap_or_default();
        let shapes = Shape::all_in(description);
        let (own, said) = (name.to_lowercase(), description.trim_end_matches('.').to_lowercase());
        let named = |word: &String| own.ends_with(word.as_str()) || said.ends_with(word.as_str());
        Self {
            name: name.to_owned(),
            required: tool.parameters.required.iter().any(|it| it == name),
            identifies: !shapes.is_empty() || reading.identifiers.iter().any(named),
            shapes,
            words: words_of(tool, name, reading),
            nested: matches!(parameter.type_name(), "object" | "array"),
        }
    }
}

/// How much each thing tells among these tools: what few are about tells more.
pub(super) fn rarities(tools: &[Arc<RouteTool>]) -> IndexMap<&Idea, f64> {
    let mut counts: IndexMap<&Idea, f64> = IndexMap::new();
    for idea in tools.iter().flat_map(|tool| tool.ideas().things.keys().collect::<IndexSet<_>>()) {
        *counts.entry(idea).or_default() += 1.0;
    }
    let total = counts.values().copied().fold(1.0, f64::max);
    counts.values_mut().for_each(|count| *count = (1.0 + total / *count).ln());
    counts
}

// Identifiers: what stands in a question, and what a parameter's description says that they look like.

/// What an identifier looks like: `#` stands for a digit, `@` for a capital letter, all else for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape(Vec<char>);

/// Letters and digits that a person did not make up: `AC-2201`, `b17@x.org`, `90210`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Code {
    pub(super) span: Span,
    pub(super) text: String,
}

impl Shape {
    /// The shapes that a description names, as such (`AC####`) or by an example (`AC1234`).
    pub(super) fn all_in(description: &str) -> Vec<Self> {
        let tokens = description.split(|letter: char| letter.is_whitespace() || ",;()\"'`。，、（）".contains(letter));
        tokens.map(|token| token.trim_end_matches(['.', ':'])).filter(|token| is_shape(token)).map(Self::of).collect()
    }

    fn of(token: &str) -> Self {
        Self(token.chars().map(|letter| if letter.is_ascii_digit() { '#' } else { letter }).collect())
    }

    /// Whether an identifier looks so.
    pub(super) fn takes(&self, code: &Code) -> bool {
        let letters: Vec<char> = code.text.chars().collect();
        letters.len() == self.0.len()
            && self.0.iter().zip(&letters).all(|(shape, letter)| match shape {
                '#' => letter.is_ascii_digit(),
                '@' => letter.is_ascii_uppercase(),
                own => own == letter,
            })
    }
}

/// Capitals, digits and marks, with two places at least for any digit or letter.
fn is_shape(token: &str) -> bool {
    let free = token.chars().filter(|letter| letter.is_ascii_digit() || matches!(letter, '#' | '@')).count();
    let fits = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || "#@-_".contains(letter);
    free >= 2
        && token.chars().all(fits)
        && token.contains(|letter: char| letter.is_ascii_uppercase() || "#@".contains(letter))
}

/// The codes of a text: what holds a digit and is no plain word, and addresses with an `@`. In a language without
/// spaces they end where its own letters begin.
pub(super) fn codes(text: &Text) -> Vec<Code> {
    let letters = text.letters();
    let belongs = |letter: char| letter.is_ascii_alphanumeric() || "-_@.#/".contains(letter);
    let mut codes = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let length = letters[at..].iter().take_while(|letter| belongs(**letter)).count();
        let (mut start, mut end) = (at, at + length);
        while end > start && !letters[end - 1].is_ascii_alphanumeric() {
            end -= 1;
        }
        while start < end && !letters[start].is_ascii_alphanumeric() {
            start += 1;
        }
        let span = Span { start, end };
        let said = text.said(span);
        if is_code(&said) {
            codes.push(Code { span, text: said });
        }
        at += length.max(1);
    }
    codes
}

fn is_code(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(char::is_ascii_alphabetic).count();
    let address = text.contains('@') && text.contains('.');
    address
        || digits >= 3 && digits + letters >= 4 && !text.contains('.')
        || digits >= 1 && letters >= 1 && digits + letters >= 3
}

// Which of many tools a clause asks for.

/// What counts of a thing that only the clause before says.
const EARLIER: f64 = 0.3;
/// What a thing counts against a tool that its name says and the clause does not.
const UNSAID: f64 = 0.5;

/// What a clause is read with.
pub(super) struct Choice<'a> {
    pub(super) reader: Reader<'a>,
    pub(super) text: &'a Text,
    pub(super) codes: &'a [Code],
    pub(super) tools: &'a [Arc<RouteTool>],
    pub(super) rarities: IndexMap<&'a Idea, f64>,
}

/// A tool, and how much speaks for it.
#[derive(Clone, Copy)]
pub(super) struct Chosen<'a> {
    pub(super) tool: &'a RouteTool,
    pub(super) score: f64,
}

impl<'a> Choice<'a> {
    /// The tool for which most speaks; `None` where the clause shares nothing with any. What was said `before` counts a
    /// little: "and then check its status".
    pub(super) fn best(&self, clause: &Clause, before: Option<&Clause>) -> Option<Chosen<'a>> {
        let ideas = self.ideas(clause.span);
        let earlier = before.map(|before| self.ideas(before.span));
        let scored = self.tools.iter().filter_map(|tool| {
            let known = earlier.as_ref().map_or(0.0, |ideas| self.things(ideas, tool)) * EARLIER;
            let score = self.score(&ideas, tool, clause, known)?;
            Some(Chosen { tool, score })
        });
        // Of equals the first: the order is that of the candidates.
        scored.reduce(|best, next| if next.score > best.score { next } else { best })
    }

    fn ideas(&self, clause: Span) -> RequestIdeas {
        let letters = self.text.lower().get(clause.start..clause.end).unwrap_or_default();
        let within = self.codes.iter().filter(|code| code.span.start >= clause.start && code.span.end <= clause.end);
        let masked: Vec<Span> = within
            .map(|code| Span { start: code.span.start - clause.start, end: code.span.end - clause.start })
            .collect();
        RequestIdeas::new(letters, &masked, &self.reader.pack.reading)
    }

    fn rarity(&self, idea: &Idea) -> f64 {
        self.rarities.get(idea).copied().unwrap_or(1.0)
    }

    fn things(&self, ideas: &RequestIdeas, tool: &RouteTool) -> f64 {
        ideas.fit_by(tool.ideas(), |idea| self.rarity(idea)).things
    }

    fn score(&self, ideas: &RequestIdeas, tool: &RouteTool, clause: &Clause, known: f64) -> Option<f64> {
        let fit = ideas.fit_by(tool.ideas(), |idea| self.rarity(idea));
        if fit.things + known <= 0.0 {
            return None;
        }
        let own_verb = clause.verb.as_ref().is_some_and(|verb| tool.ideas().verbs.contains(verb));
        let action = match (own_verb, fit.same_action, fit.other_action) {
            (true, ..) => 2.5,
            (_, true, _) => 1.5,
            (.., true) => -1.0,
            _ => 0.0,
        };
        // What the tool's own name says and the clause does not speaks against it.
        let unsaid: f64 = ideas.missing(tool.ideas()).map(|idea| self.rarity(idea)).sum();
        Some(fit.things + known + action - UNSAID * unsaid + self.shapes(tool, clause.span))
    }

    /// Identifiers in the clause that only tools of some sort take.
    fn shapes(&self, tool: &RouteTool, clause: Span) -> f64 {
        let within = |code: &&Code| code.span.overlaps(clause);
        let takes = |code: &Code| tool.wants.iter().flat_map(|want| &want.shapes).any(|shape| shape.takes(code));
        if self.codes.iter().filter(within).any(takes) { 2.0 } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(json: &str) -> Arc<RouteTool> {
        let pack = crate::fixtures::pack("en");
        Arc::new(RouteTool::new(&serde_json::from_str(json).unwrap(), &pack, &Recogniser::new(&pack)))
    }

    #[test]
    fn parameters_that_hold_identifiers_are_known_by_name_description_or_shape() {
        let tool = tool(
            r#"{"name": "freezeAccount", "parameters": {"properties": {
                "accountId": {"type": "string"}, "who": {"description": "The customer's number."}, "card": {"description": "as CA##"},
                "reason": {"type": "string"}, "more": {"type": "object"}}, "required": ["accountId"]},
                "returns": {"properties": {"accountId": {}, "STATUS": {}}}}"#,
        );
        let known: Vec<bool> = tool.wants.iter().map(|want| want.identifies).collect();
        assert_eq!(known, [true, true, true, false, false]);
        assert!(tool.wants[0].required && !tool.wants[1].required && tool.wants[4].nested);
        assert_eq!(tool.gives, ["accountid", "status"]);
    }

    #[test]
    fn what_few_tools_are_about_tells_more() {
        let tools = ["getLoan", "getCard", "getCardLimit"].map(|name| tool(&format!(r#"{{"name": "{name}"}}"#)));
        let rarities = rarities(&tools);
        let rarity = |stem: &str| {
            rarities[&Idea::Stem(Reading::load(crate::fixtures::assets(), "en").unwrap().stem(stem).to_owned())]
        };
        assert!(rarity("loan") > rarity("card"));
    }
}

#[cfg(test)]
mod code_tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        codes(&Text::new(text, true)).into_iter().map(|code| code.text).collect()
    }

    #[test]
    fn codes_hold_digits_or_are_addresses() {
        assert_eq!(found("Block card CA-2201 of (P12345), pay 1000."), ["CA-2201", "P12345", "1000"]);
        assert_eq!(found("mail b17@x.org at 7 am for 4.50, room 12"), ["b17@x.org"]);
        assert_eq!(found("계좌 AC220133을 정지해 줘"), ["AC220133"]);
        assert!(found("nothing of it here").is_empty());
    }

    #[test]
    fn a_description_says_what_an_identifier_looks_like() {
        let shapes = Shape::all_in("The account's identifier, such as AC#### (or \"ZX-@@12\").");
        let takes = |text: &str| {
            let code = Code { span: Span { start: 0, end: 0 }, text: text.to_owned() };
            shapes.iter().map(|shape| shape.takes(&code)).collect::<Vec<_>>()
        };
        assert_eq!((takes("AC2201"), takes("ZX-QQ77")), (vec![true, false], vec![false, true]));
        assert_eq!((takes("AC220"), takes("ac2201")), (vec![false, false], vec![false, false]));
        assert_eq!(Shape::all_in("e.g. EMP007"), [Shape("EMP###".chars().collect())]);
        assert!(Shape::all_in("The customer's ID, up to 20 letters, at 2024-01-01, in USD").is_empty());
    }
}

#[cfg(test)]
mod choose_tests {
    use super::super::super::reader::tests::Desk;
    use super::super::tool::codes;
    use super::super::tool::rarities;
    use super::*;

    const TOOLS: [(&str, &str); 6] = [
        ("getCardLimit", "Returns what a card may spend"),
        ("getCardStatus", "Returns whether a card works"),
        ("cancelCard", "Cancels a card"),
        ("getLoanStatus", "Returns how a loan stands"),
        ("getLoanStatusHistory", "Returns how a loan stood, day by day"),
        ("scanPacket", "Looks into a packet"),
    ];

    fn best(clause: &str, verb: Option<&str>, before: Option<&str>) -> Option<String> {
        let desk = Desk::new("mobile", "en");
        let ready = |(name, about): &(&str, &str)| {
            let shape = if *name == "scanPacket" { "Such as QX###" } else { "" };
            let json = serde_json::json!({"name": name, "description": about,
                "parameters": {"properties": {"x": {"description": shape}}}});
            Arc::new(RouteTool::new(&serde_json::from_value(json).unwrap(), &desk.pack, &desk.recogniser))
        };
        let tools: Vec<_> = TOOLS.iter().map(ready).collect();
        let whole = format!("{} {clause}", before.unwrap_or_default());
        let text = desk.reader().text(&whole);
        let codes = codes(&text);
        let choice =
            Choice { reader: desk.reader(), text: &text, codes: &codes, tools: &tools, rarities: rarities(&tools) };
        let cut = before.map_or(0, str::len);
        let clause = Clause { span: Span { start: cut, end: whole.len() }, verb: verb.map(str::to_owned) };
        let before = before.map(|_| Clause { span: Span { start: 0, end: cut }, verb: None });
        choice.best(&clause, before.as_ref()).map(|chosen| chosen.tool.name().to_owned())
    }

    #[test]
    fn rare_things_and_verbs_choose_and_what_the_name_says_more_does_not() {
        assert_eq!(best("the limit of my card", None, None).as_deref(), Some("getCardLimit"));
        assert_eq!(best("cancel my card", Some("cancel"), None).as_deref(), Some("cancelCard"));
        assert_eq!(best("the status of my loan", None, None).as_deref(), Some("getLoanStatus"));
        assert_eq!(best("the ocean", None, None), None);
    }

    #[test]
    fn what_was_said_before_counts_a_little() {
        assert_eq!(best("check its status", None, Some("see my loan and")).as_deref(), Some("getLoanStatus"));
        assert_eq!(best("check its status", None, Some("see my card and")).as_deref(), Some("getCardStatus"));
    }

    #[test]
    fn an_identifier_tells_who_takes_it() {
        assert_eq!(best("packet or card QX123", None, None).as_deref(), Some("scanPacket"));
    }
}
