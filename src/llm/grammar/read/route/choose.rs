//! Which of many tools a clause asks for.

use super::super::ideas::Idea;
use super::super::reader::Reader;
use super::super::request::RequestIdeas;
use super::super::text::{Span, Text};
use super::clause::Clause;
use super::code::Code;
use super::tool::RouteTool;
use indexmap::IndexMap;
use std::sync::Arc;

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
    use super::super::super::reader::tests::Desk;
    use super::super::code::codes;
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
