//! Plays both sides of a conversation and looks over what was played (CONFETTI).

use super::Grammar;
use super::chat::Facts;
use super::read::Learned;
use crate::llm::{ActsVariables, ComplexityVariables, Line, ReviewVariables, SayVariables, ScenarioVariables};
use crate::locale::{FaultPhrases, Pattern, Side, SlotWords};
use crate::record::{Chance, Complexity, Object, Tool, Value};
use std::sync::Arc;

/// How often a line is said anew whose ending is not of the person's style.
const STYLE_TRIES: usize = 32;

/// At how many forms of a pattern a reader looks.
const VARIANTS: usize = 40;

impl Grammar {
    /// One line of a conversation; the person keeps to one style, and so does the assistant.
    pub(super) fn say(&self, variables: &SayVariables, chance: &mut Chance) -> String {
        let manner = self.pack.dialogue.manner(&variables.style).filter(|_| variables.line.is_the_persons());
        let fits = |text: &str| match manner {
            Some(manner) => manner.fits(text) && self.pack.dialogue.suits(&variables.style, text),
            None => variables.line.is_the_persons() || self.is_own_voice(text),
        };
        let mut text = self.line(variables, chance);
        for _ in 0..STYLE_TRIES {
            if fits(&text) {
                break;
            }
            text = self.line(variables, chance);
        }
        self.pack.tidy(&text)
    }

    fn line(&self, variables: &SayVariables, chance: &mut Chance) -> String {
        let chat = &self.pack.chat;
        match &variables.line {
            Line::Caution => self.plain(&chat.cautions, chance),
            Line::Agree => self.plain(&chat.agrees, chance),
            Line::Aside => self.plain(&chat.asides, chance),
            Line::Confirm { said, answers, phrases, .. } => {
                let confirms = phrases.as_ref().map_or(&[][..], |phrases| &phrases.confirms);
                self.factual(confirms, answers, said, chance)
            }
            Line::Vague { says: texts, .. } | Line::Which { questions: texts, .. } => {
                self.factual(texts, &Value::Null, &Object::new(), chance)
            }
            Line::Report { error } => self.of_fault(error, |fault| &fault.tells, chance),
            Line::Retry { error } => self.of_fault(error, |fault| &fault.retries, chance),
            Line::Sorry { error } => self.of_fault(error, |fault| &fault.sorry, chance),
            Line::Ask { answers, followup } => {
                let asks = followup.as_ref().map_or(&[][..], |followup| &followup.asks);
                self.factual(asks, answers, &Object::new(), chance)
            }
            Line::Switch { query } => self.switched(&variables.style, query, chance),
            Line::Stack { first, second } => {
                let words = [("first", first.as_str()), ("second", second.as_str())];
                self.lowered(&self.filled(&chat.stacks, &words, chance), second)
            }
            Line::Correct { .. } => self.corrected(&variables.style, &variables.line, chance),
        }
    }

    /// A text in which another goes on in the middle of a sentence, and so begins with a small letter.
    fn lowered(&self, text: &str, inner: &str) -> String {
        let Some(at) = text.rfind(inner) else { return text.to_owned() };
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at..).unwrap_or_default());
        let first = after.split(' ').next().unwrap_or_default();
        let keeps = self.pack.dialogue.capitals.iter().any(|word| word == first);
        let ended = before.trim_end().ends_with(['.', '!', '?', ':']) || before.trim().is_empty();
        let mut letters = after.chars();
        match letters.next() {
            Some(letter) if !keeps && !ended => format!("{before}{}{}", letter.to_lowercase(), letters.as_str()),
            _ => text.to_owned(),
        }
    }

    fn plain(&self, patterns: &[Pattern], chance: &mut Chance) -> String {
        self.filled(patterns, &[], chance)
    }

    fn filled(&self, patterns: &[Pattern], words: &[(&str, &str)], chance: &mut Chance) -> String {
        chance.pick(patterns).map(|pattern| self.pack.rendered(pattern, words, chance)).unwrap_or_default()
    }

    /// One of the sentences whose slots the answers and what was said can fill.
    fn factual(&self, texts: &[String], answers: &Value, said: &Object, chance: &mut Chance) -> String {
        let mut facts = Facts { grammar: self, answer: answers, arguments: said };
        let patterns: Vec<Pattern> = texts.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
        let fitting: Vec<&Pattern> = patterns.iter().filter(|pattern| pattern.fits(&facts)).collect();
        chance.pick(&fitting).map(|pattern| pattern.render(&mut facts, chance)).unwrap_or_default()
    }

    fn of_fault(
        &self,
        error: &Value,
        sentences: impl Fn(&FaultPhrases) -> &Vec<Pattern>,
        chance: &mut Chance,
    ) -> String {
        let code = error.at_path("error.code").and_then(|code| code.to_string().parse::<u16>().ok());
        let fault = code.and_then(|code| self.pack.chat.fault(code)).or(self.pack.chat.faults.first());
        fault.map(|fault| self.plain(sentences(fault), chance)).unwrap_or_default()
    }

    fn switched(&self, style: &str, query: &str, chance: &mut Chance) -> String {
        let own = self.pack.chat.switches.as_slice();
        let shifts = self.pack.dialogue.manner(style).map_or(&[][..], |manner| &manner.shifts);
        let shifts = if own.is_empty() { shifts } else { own };
        if shifts.is_empty() { query.to_owned() } else { self.filled(shifts, &[("query", query)], chance) }
    }

    fn corrected(&self, style: &str, line: &Line, chance: &mut Chance) -> String {
        let Line::Correct { tool, parameter, value, surface, old, phrases } = line else { return String::new() };
        let label = phrases.as_ref().map(|phrases| phrases.label.as_str()).unwrap_or_default();
        let words = [("value", surface.as_str()), ("old", old.as_str()), ("label", label)];
        let known = |slot: &&str| words.iter().any(|(name, words)| name == slot && !words.is_empty());
        // Of a bare number nobody knows what it is the number of.
        let is_bare = value.as_str().is_none() && !surface.contains(char::is_alphabetic);
        let fits = |it: &&Pattern| it.slots().iter().all(known) && it.slots().contains(&"label") == is_bare;
        let frames: Vec<&Pattern> = self.pack.chat.corrections(style).iter().filter(fits).collect();
        if let Some(frame) = chance.pick(&frames) {
            return self.pack.rendered(frame, &words, chance);
        }
        let Some(manner) = self.pack.dialogue.manner(style) else { return String::new() };
        let listed = tool.parameters.properties.get(parameter).is_some_and(|it| it.values.is_some());
        let about = parameter.replace('_', " ");
        let words = SlotWords::new(&self.pack, (parameter, &about), phrases.as_ref(), value, surface, listed);
        words.say_with("label", &manner.late_corrections, chance).unwrap_or_default()
    }

    /// What the person wants, one after the other.
    pub(super) fn write_scenario(&self, variables: &ScenarioVariables) -> String {
        variables.wants.iter().map(|want| self.pack.dialogue.ended(want)).collect::<Vec<_>>().join(" ")
    }

    /// Whether a scenario says everything that is wanted.
    pub(super) fn review_scenario(variables: &ReviewVariables) -> bool {
        let goals = variables.goals.to_lowercase();
        let stands = |want: &String| {
            let words: Vec<String> = want.to_lowercase().split_whitespace().map(str::to_owned).collect();
            let found = words.iter().filter(|word| goals.contains(word.trim_end_matches(['.', ',']))).count();
            found * 2 >= words.len()
        };
        !goals.trim().is_empty() && variables.asked.wants.iter().all(stands)
    }

    /// Whether a turn has a complexity that is a matter of reading; what rules prove is not asked here.
    pub(super) fn judge_complexity(&self, variables: &ComplexityVariables) -> bool {
        let said = variables.said.to_lowercase();
        let values = || variables.arguments.iter().flat_map(Object::values).filter_map(Value::as_str);
        match variables.complexity {
            // Nothing that tells one from the other is said, and the agent offers two to choose from.
            Complexity::AmbiguousGoal => {
                let offers = self.pack.chat.alternatives.iter().any(|word| has_word(&variables.reply, word));
                offers && !values().any(|value| said.contains(&value.to_lowercase()))
            }
            Complexity::ImplicitDescriptiveGoal => !variables.called.is_empty() && !self.names_action(variables),
            Complexity::Overfill => {
                let chat = &self.pack.chat;
                // Neither are words that ask to be asked, lead over, or give something up.
                let is_formula = |sentence: &str| {
                    let all = chat.cautions.iter().chain(&chat.bridges).chain(&chat.switches);
                    let mut texts = all.flat_map(|it| it.variants(40));
                    texts.any(|text| sentences(&text).contains(&sentence))
                };
                let is_idle = |sentence: &&str| {
                    let asks = self.is_framed(sentence) || self.reader().says_what_to_do(&self.reader().text(sentence));
                    !asks && !values().any(|value| sentence.contains(value)) && !is_formula(sentence)
                };
                let sentences = sentences(&variables.said);
                sentences.len() > 1 && sentences.iter().any(is_idle)
            }
            _ => true,
        }
    }

    /// What an agent does with its words: it asks with a question mark, declines with words for that, and takes part in
    /// small talk; all else tells something.
    pub(super) fn classify_acts(&self, variables: &ActsVariables) -> String {
        // A sentence may begin with what stands inside of a pattern.
        let text = variables.text.to_lowercase();
        let said = |patterns: &[Pattern]| {
            let mut texts = patterns.iter().flat_map(|pattern| pattern.fixed().variants(VARIANTS));
            texts.any(|fixed| text.contains(&fixed.trim().to_lowercase()))
        };
        let (chat, dialogue) = (&self.pack.chat, &self.pack.dialogue);
        let declines = said(&chat.declines)
            || chat.faults.iter().any(|fault| said(&fault.sorry))
            || dialogue.refusals.iter().any(|text| variables.text.contains(text.as_str()));
        let asks = variables.text.trim_end().ends_with(['?', '？']);
        let tells = variables.text.trim_end_matches(['?', '？']).contains(['.', '!', '。', '！']);
        let labels = match (declines, asks, chat.replies().any(|pattern| said(std::slice::from_ref(pattern)))) {
            (true, ..) => "agent_reject_request",
            (_, true, _) if tells => "agent_inform_user, agent_seek_information",
            (_, true, _) => "agent_seek_information",
            (.., true) => "agent_other",
            _ => "agent_inform_user",
        };
        labels.to_owned()
    }

    /// Whether the words say what is to be done, or ask a question.
    fn names_action(&self, variables: &ComplexityVariables) -> bool {
        // What a value says is to be done (a task's title, a reminder) is not what the person says.
        let values = variables.arguments.iter().flat_map(Object::values).filter_map(Value::as_str);
        let said = values.fold(variables.said.clone(), |said, value| said.replace(value, ""));
        let text = self.reader().text(&said);
        let fit = |tool: &Arc<Tool>| self.reader().read(&text, &self.tool_reader(tool), &Learned::new()).0;
        self.is_framed(&said)
            || self.reader().says_what_to_do(&text)
            || variables.called.iter().any(|tool| fit(tool).names_action())
    }

    /// Whether words stand around a text with which people of the locale ask for something.
    fn is_framed(&self, said: &str) -> bool {
        let plain = |text: &str| text.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
        let said = plain(said);
        let stands = |frame: &Pattern| {
            let words = [("intent", HERE)];
            let text = self.pack.rendered(frame, &words, &mut Chance::of(&[b"frame"]));
            let Some((before, after)) = text.split_once(HERE) else { return false };
            let (before, after) = (plain(before), plain(after));
            let begins = before.chars().count() > 3 && said.starts_with(&before);
            begins || (self.pack.clauses == Side::Before && !after.is_empty() && said.ends_with(&after))
        };
        self.pack.styles.iter().any(|style| style.frames.iter().chain(&style.talk).any(stands))
    }
}

/// Stands for what is asked for.
const HERE: &str = "\u{1}";

/// Whether a word or words stand in a text by themselves; in scripts without blanks, anywhere.
fn has_word(text: &str, word: &str) -> bool {
    let (text, word) = (text.to_lowercase(), word.to_lowercase());
    let apart = |at: Option<char>| at.is_none_or(|letter| !letter.is_alphanumeric());
    text.match_indices(&word).any(|(at, _)| {
        let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + word.len()..).unwrap_or_default());
        !word.is_ascii() || (apart(before.chars().next_back()) && apart(after.chars().next()))
    })
}

/// The sentences of a message.
fn sentences(text: &str) -> Vec<&str> {
    let ends = |letter: char| matches!(letter, '.' | '!' | '?' | '。' | '！' | '？' | '\n');
    text.split(ends).map(str::trim).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Common;

    use crate::record::{Followup, Phrases};

    use std::collections::BTreeSet;

    fn grammar(locale: &str) -> Grammar {
        Grammar::new(crate::fixtures::pack(locale), 7)
    }

    fn said(locale: &str, style: &str, line: &Line) -> BTreeSet<String> {
        let variables = SayVariables {
            common: Common::default(),
            history: String::new(),
            style: style.to_owned(),
            manner: String::new(),
            line: line.clone(),
        };
        let grammar = grammar(locale);
        (0..40).map(|draw| grammar.say(&variables, &mut Chance::new(7, "say", "a", draw))).collect()
    }

    fn error(code: i64) -> Value {
        Value::read(&format!(r#"{{"error": {{"code": {code}, "message": "x"}}}}"#)).unwrap()
    }

    #[test]
    fn every_line_is_said_in_many_ways() {
        for locale in ["en", "ko"] {
            for line in [Line::Caution, Line::Agree, Line::Aside] {
                let texts = said(locale, "plain", &line);
                assert!(texts.len() >= 4 && !texts.contains(""), "{line:?}: {texts:?}");
            }
            let (one, other) = (said(locale, "plain", &Line::Report { error: error(503) }), error(429));
            let other = said(locale, "plain", &Line::Report { error: other });
            assert!(one.len() >= 3 && one.is_disjoint(&other), "each error has words of its own");
        }
    }

    #[test]
    fn a_person_keeps_to_one_manner() {
        for text in said("ko", "hapsyo", &Line::Agree) {
            let end = text.trim_end_matches(['.', '!']);
            assert!(end.ends_with("니다") || end.ends_with("오") || end.ends_with("니까"), "{text}");
        }
    }

    #[test]
    fn leave_is_asked_with_what_was_found_out() {
        let phrases = Phrases { confirms: vec!["Buy {found.tea.name} for {city}?".to_owned()], ..Phrases::default() };
        let line = Line::Confirm {
            tool: Arc::default(),
            said: serde_json::from_str(r#"{"city": "Rome"}"#).unwrap(),
            answers: Value::read(r#"{"found": {"tea": [{"name": "Assam"}]}}"#).unwrap(),
            next: crate::record::FunctionCall::default(),
            phrases: Some(Arc::new(phrases)),
        };
        assert_eq!(said("en", "plain", &line), BTreeSet::from(["Buy Assam for Rome?".to_owned()]));
        let followup = Followup { asks: vec!["How hot is it?".to_owned()], tells: Vec::new() };
        let line = Line::Ask { answers: Value::Null, followup: Some(followup) };
        assert_eq!(said("en", "plain", &line), BTreeSet::from(["How hot is it?".to_owned()]));
    }

    #[test]
    fn two_requests_stand_whole_in_one_message() {
        let line = Line::Stack { first: "Find me a cab.".to_owned(), second: "Book a room".to_owned() };
        for text in said("en", "plain", &line) {
            assert!(text.contains("Find me a cab.") && text.to_lowercase().contains("book a room"), "{text}");
            assert!(!text.contains(", Book"), "{text}");
        }
        let query = "Book a room".to_owned();
        assert!(said("en", "plain", &Line::Switch { query }).iter().all(|text| text.contains("ook a room")));
    }

    #[test]
    fn a_correction_names_its_value() {
        let toolset = crate::fixtures::toolset("assistant", "en");
        let tool = toolset.tool("Flights_get_airport_code").unwrap().clone();
        let phrases = toolset.phrases[&tool.name].parameters.get("city").cloned();
        let (value, surface) = (Value::from("Rome"), "Rome".to_owned());
        let line =
            Line::Correct { tool, parameter: "city".to_owned(), value, surface, old: "Porto".to_owned(), phrases };
        assert!(said("en", "plain", &line).iter().all(|text| text.contains("Rome")));
    }

    fn judged(complexity: Complexity, said: &str, reply: &str, called: &str, arguments: &str) -> bool {
        let toolset = crate::fixtures::toolset("assistant", "en");
        let tool = toolset.tool(called).unwrap().clone();
        grammar("en").judge_complexity(&ComplexityVariables {
            common: Common::default(),
            complexity,
            history: String::new(),
            said: said.to_owned(),
            reply: reply.to_owned(),
            called: vec![tool.clone()],
            arguments: vec![serde_json::from_str(arguments).unwrap()],
            tools: vec![tool],
        })
    }

    #[test]
    fn who_says_what_to_do_implies_nothing() {
        let implied = |said| judged(Complexity::ImplicitDescriptiveGoal, said, "", "Flights_cancel_booking", "{}");
        assert!(!implied("cancel my flight, the reference is K7"));
        assert!(!implied("I need to call off the flight I booked"));
        assert!(implied("I broke my leg and won't be on the plane I booked"));
    }

    #[test]
    fn what_nothing_needs_is_too_much() {
        let arguments = r#"{"booking_reference": "KQ7B2J"}"#;
        let much = |said| judged(Complexity::Overfill, said, "", "Flights_cancel_booking", arguments);
        assert!(!much("cancel my flight KQ7B2J"));
        assert!(!much("cancel my flight. The reference is KQ7B2J."));
        assert!(much("My nephew Rupert thinks I am silly. Cancel my flight KQ7B2J."));
    }

    #[test]
    fn between_two_things_one_is_asked_which() {
        let arguments = r#"{"booking_reference": "KQ7B2J"}"#;
        let vague = |said, reply| judged(Complexity::AmbiguousGoal, said, reply, "Flights_cancel_booking", arguments);
        assert!(vague("it's about my flight", "Do you want to cancel it or move it?"));
        assert!(!vague("it's about my flight", "What's the reference?"));
        assert!(!vague("it's about my flight KQ7B2J", "Do you want to cancel it or move it?"));
    }

    #[test]
    fn a_scenario_says_everything_that_is_wanted() {
        let asked = ScenarioVariables {
            situation: String::new(),
            common: Common::default(),
            complexity: "UNDERFILL".to_owned(),
            required: Vec::new(),
            optional: Vec::new(),
            wants: vec!["Find a cab".to_owned(), "Cancel a hotel reservation.".to_owned()],
            rivals: Vec::new(),
            reference_time: String::new(),
            minimum_turns: 2,
        };
        let goals = grammar("en").write_scenario(&asked);
        assert_eq!(goals, "Find a cab. Cancel a hotel reservation.");
        let sound =
            |goals: &str| Grammar::review_scenario(&ReviewVariables { asked: asked.clone(), goals: goals.to_owned() });
        assert!(sound(&goals) && !sound("Find a cab.") && !sound(" "));
    }
}
