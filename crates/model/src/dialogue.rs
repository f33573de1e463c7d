//! Asks for missing parameters and answers such questions (HammerBench E.7).

use super::Grammar;
use super::bank::{given, settled};
use super::write::Written;
use crate::llm::{AnswerVariables, DialogueVariables, LineAct, LinePlan, QuestionVariables};
use crate::locale::{Drawn, Manner, Pattern, Side, SlotWords};
use crate::record::{Chance, Object, Parameter, Value};
use crate::values::arguments::draw_beside;
use serde_json::json;

/// How often an answer is looked for that goes with the person's style.
const PLAIN_TRIES: usize = 12;

/// How often an answer in a conversation is said anew that is not of the person's style.
const STYLE_TRIES: usize = 32;

impl Grammar {
    /// A question for one parameter, wrapped as assistants do.
    pub(super) fn slot_question(&self, variables: &QuestionVariables, chance: &mut Chance) -> String {
        let questions = variables.phrases.as_ref().map_or(&[][..], |slot| &slot.questions);
        let question = chance.pick(questions).cloned().unwrap_or_else(|| plain_question(variables));
        self.pack.dialogue.asked(&question, chance)
    }

    /// An answer to a question, with the argument that it gives.
    pub(super) fn slot_answer(&self, variables: &AnswerVariables, chance: &mut Chance) -> Written {
        let settled = variables.given.as_deref().and_then(|given| settled(given, &variables.parameter));
        let drawn = settled.or_else(|| self.new_argument(variables, chance));
        let drawn = drawn.unwrap_or_else(|| unknown(&variables.parameter));
        self.answer_with(variables, drawn, chance)
    }

    /// An answer that gives this value.
    pub(super) fn answer_with(&self, variables: &AnswerVariables, drawn: Drawn, chance: &mut Chance) -> Written {
        let name = &variables.parameter;
        let own = variables
            .phrases
            .clone()
            .or_else(|| self.pack.derived.phrases(&variables.tool).parameters.swap_remove(name));
        let listed = variables.tool.parameters.properties.get(name).is_some_and(|it| it.values.is_some());
        let words = SlotWords::new(&self.pack, (name, ""), own.as_ref(), &drawn.value, &drawn.surface, listed);
        let manner = self.pack.dialogue.manner(&variables.style);
        let named = manner.filter(|_| Self::could_be_another(variables));
        // In a conversation one thing is asked for at a time, and nobody names it again; and the person keeps to one style.
        let label = own.as_ref().map(|slot| slot.label.to_lowercase()).unwrap_or_default();
        let suits = |said: &Option<String>| {
            said.as_ref().is_none_or(|said| self.pack.dialogue.suits(&variables.style, &self.pack.tidy(said)))
        };
        let plain = manner.filter(|_| variables.given.is_some()).map(|manner| {
            let mut say = || plainly((manner, self.pack.clauses, &label), &words, chance);
            let first = say();
            if suits(&first) { first } else { (0..STYLE_TRIES).map(|_| say()).find(suits).unwrap_or(first) }
        });
        let said = plain.flatten().or_else(|| named.and_then(|manner| words.say(&naming(&manner.answers), chance)));
        let said = said.or_else(|| {
            let mut say = || manner.and_then(|manner| words.say(&manner.answers, chance));
            let first = say();
            if variables.given.is_none() || suits(&first) {
                return first;
            }
            (0..STYLE_TRIES).map(|_| say()).find(suits).unwrap_or(first)
        });
        let said = said.unwrap_or_else(|| drawn.surface.clone());
        // Who goes on speaking does not begin anew.
        let begins = variables.so_far.is_empty() && variables.given.is_none();
        let opened = chance.happens(self.pack.dialogue.opened) && begins;
        let said = match manner.filter(|_| opened) {
            Some(manner) => manner.opened(&said, chance),
            None => said,
        };
        let said = self.pack.tidy(&said);
        let query = self.pack.dialogue.ended(&said);
        Written { arguments: Object::from_iter([(name.clone(), drawn.value)]), query }
    }

    /// The lines of a dialogue, each question and each answer as it would be said alone.
    pub(super) fn dialogue_text(&self, variables: &DialogueVariables, chance: &mut Chance) -> String {
        let phrases = self.pack.derived.phrases(&variables.tool).parameters;
        let manner = self.pack.styles.iter().find(|style| style.description == variables.manner);
        let style = manner.map(|style| style.name.clone()).unwrap_or_default();
        let wanted = |line: &&LinePlan| variables.repair.is_empty() || variables.repair.iter().any(|it| it.n == line.n);
        let mut known = variables.known.clone();
        let mut lines = Vec::new();
        for line in variables.lines.iter().filter(wanted) {
            let (common, tool) = (variables.common.clone(), variables.tool.clone());
            let (parameter, slot) = (line.slot.clone(), phrases.get(&line.slot).cloned());
            if line.act == LineAct::Ask {
                let (history, about) = (String::new(), line.about.clone());
                let asked =
                    QuestionVariables { common, tool, history, known: known.clone(), parameter, about, phrases: slot };
                lines.push(json!({"n": line.n, "text": self.slot_question(&asked, chance)}));
                continue;
            }
            let asked = AnswerVariables {
                common,
                tool,
                known: known.clone(),
                parameter,
                style: style.clone(),
                phrases: slot,
                ..AnswerVariables::default()
            };
            let drawn = line.value.clone().map(|value| given(value, &line.said));
            let drawn = drawn.or_else(|| self.new_argument(&asked, chance)).unwrap_or_else(|| unknown(&line.slot));
            let said = drawn.surface.clone();
            let Written { mut arguments, query } = self.answer_with(&asked, drawn, chance);
            let value = arguments.swap_remove(&line.slot).unwrap_or_default();
            known.insert(line.slot.clone(), value.clone());
            lines.push(json!({"n": line.n, "text": query, "argument": value, "said": said}));
        }
        json!({"sensible": true, "lines": lines}).to_string()
    }

    /// Whether a bare value could be one of the other parameters that the question asks for: they are of one type.
    fn could_be_another(variables: &AnswerVariables) -> bool {
        let properties = &variables.tool.parameters.properties;
        let type_of = |name: &String| properties.get(name).map(Parameter::type_name);
        variables.among.iter().any(|other| type_of(other) == type_of(&variables.parameter))
    }

    /// A value that goes with those that are known.
    fn new_argument(&self, variables: &AnswerVariables, chance: &mut Chance) -> Option<Drawn> {
        let parameter = variables.tool.parameters.properties.get(&variables.parameter)?;
        let known = variables.known.iter().map(|(name, value)| (name.clone(), said_as(value))).collect();
        Some(draw_beside(&self.pack, &variables.tool, (&variables.parameter, parameter), &known, chance))
    }
}

/// An answer without a label that ends as those of the style do; absent where none does.
fn plainly((manner, side, label): (&Manner, Side, &str), words: &SlotWords<'_>, chance: &mut Chance) -> Option<String> {
    // A clause that leans on what follows is no answer.
    let is_formal = |slot: &&str| *slot == "label" || (side == Side::Before && *slot == "clause");
    let frames: Vec<Pattern> =
        manner.answers.iter().filter(|frame| !frame.slots().iter().any(is_formal)).cloned().collect();
    let names = |said: &str| !label.is_empty() && said.to_lowercase().starts_with(label);
    for _ in 0..PLAIN_TRIES {
        let said = words.say(&frames, chance).filter(|said| manner.fits(said) && !names(said));
        if said.is_some() {
            return said;
        }
    }
    None
}

/// The frames that tell which parameter they speak of: by its label, or by a clause of its own.
fn naming(frames: &[Pattern]) -> Vec<Pattern> {
    let names = |frame: &&Pattern| frame.slots().iter().any(|slot| ["label", "clause"].contains(slot));
    frames.iter().filter(names).cloned().collect()
}

/// What is asked where nobody has given questions: what the parameter is about, with a question mark.
fn plain_question(variables: &QuestionVariables) -> String {
    let about =
        if variables.about.is_empty() { variables.parameter.replace('_', " ") } else { variables.about.clone() };
    format!("{}?", about.trim_end_matches(['.', '?']))
}

fn unknown(name: &str) -> Drawn {
    Drawn { value: Value::from(name), surface: name.to_owned() }
}

/// A value of which nobody knows how it was said; a flag is said by no value.
fn said_as(value: &Value) -> Drawn {
    let text = || value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    Drawn { value: value.clone(), surface: if value.as_bool().is_some() { String::new() } else { text() } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Common;
    use crate::locale::Pack;
    use crate::toolset::Toolset;
    use std::sync::Arc;

    const CHARGE: &str = "Navigation.MapNavigation.findChargingStations";

    fn grammar(locale: &str) -> (Grammar, Arc<Toolset>) {
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/proof", locale);
        let mut pack = Pack::load(crate::fixtures::assets(), locale).unwrap();
        toolset.extend(&mut pack).unwrap();
        (Grammar::new(Arc::new(pack), 7), toolset)
    }

    fn questions(grammar: &Grammar, toolset: &Toolset, phrases: bool) -> std::collections::BTreeSet<String> {
        let tool = toolset.tool(CHARGE).unwrap().clone();
        let variables = QuestionVariables {
            common: Common::default(),
            history: String::new(),
            known: Object::new(),
            parameter: "radius".to_owned(),
            about: "Search radius in kilometers".to_owned(),
            phrases: phrases.then(|| toolset.phrases[&tool.name].parameters["radius"].clone()),
            tool,
        };
        (0..40).map(|draw| grammar.slot_question(&variables, &mut Chance::new(7, "ask", "a", draw))).collect()
    }

    #[test]
    fn questions_differ_and_are_made_up_where_none_are_given() {
        let (grammar, toolset) = grammar("en");
        let asked = questions(&grammar, &toolset, true);
        let own = &toolset.phrases[CHARGE].parameters["radius"].questions;
        assert!(own.iter().all(|question| asked.contains(question)) && asked.len() > own.len(), "{asked:?}");
        assert!(questions(&grammar, &toolset, false).contains("Search radius in kilometers?"));
    }

    fn answers(locale: &str, parameter: &str, known: &str) -> Vec<Written> {
        let (grammar, toolset) = grammar(locale);
        let tool = toolset.tool(CHARGE).unwrap().clone();
        let variables = AnswerVariables {
            common: Common::default(),
            history: String::new(),
            question: String::new(),
            known: serde_json::from_str(known).unwrap(),
            parameter: parameter.to_owned(),
            among: Vec::new(),
            so_far: String::new(),
            style: "plain".to_owned(),
            manner: String::new(),
            phrases: Some(toolset.phrases[&tool.name].parameters[parameter].clone()),
            given: None,
            tool,
        };
        (0..40).map(|draw| grammar.slot_answer(&variables, &mut Chance::new(7, "answer", "a", draw))).collect()
    }

    #[test]
    fn an_answer_says_its_value() {
        for written in answers("en", "location", "{}") {
            let value = written.arguments["location"].as_str().unwrap().to_lowercase();
            assert!(written.query.to_lowercase().contains(&value), "{written:?}");
        }
    }

    #[test]
    fn a_flag_is_answered_by_a_clause_alone() {
        for written in answers("en", "fast", "{}") {
            let query = written.query.to_lowercase();
            assert!(query.contains("fast") || query.contains("slow"), "{written:?}");
            assert!(written.arguments["fast"].as_bool().is_some());
        }
    }

    #[test]
    fn a_new_value_is_none_that_is_known() {
        let all = answers("en", "location", "{}");
        let known = format!("{{\"origin\": {:?}}}", all[0].arguments["location"].as_str().unwrap());
        let again = answers("en", "location", &known);
        assert_ne!(again[0].arguments["location"], all[0].arguments["location"]);
    }
}
