//! Puts into words what variants of a dialogue plan (HammerBench 3.2): merged turns, corrections, repeats, shifts, pointers.

use super::Grammar;
use super::bank::given;
use super::compose::DrawnArguments;
use crate::llm::{
    AnswerVariables, AskedSlot, ChangedValue, Common, LineDeed, MessageVariables, Missing, MissingVariables,
    PlannedValue, PointerVariables, RewriteVariables, VariantLine, VariantsVariables, WriteVariables,
};
use crate::locale::{Drawn, Fill, Manner, Pattern, SlotWords};
use crate::record::{Chance, Phrases};
use crate::values::arguments::kind_of;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

impl Grammar {
    /// The lines of all variants.
    pub fn variants_text(&self, variables: &VariantsVariables, chance: &mut Chance) -> String {
        let style = self.pack.styles.iter().find(|style| style.description == variables.manner);
        let style = style.map(|style| style.name.clone()).unwrap_or_default();
        let phrases = variables.phrases.clone();
        let phrases = phrases.unwrap_or_else(|| Arc::new(self.pack.derived.phrases(&variables.tool)));
        let speaker = Speaker { grammar: self, variables, phrases: &phrases, style };
        // Each variant is seeded by its own plan, so that it stays the same when another one is asked for again.
        let drawn = chance.below(usize::MAX).to_le_bytes();
        let variants = variables.variants.iter().map(|variant| {
            let told = serde_json::to_vec(&variant.lines).unwrap_or_default();
            let chance = &mut Chance::of(&[&drawn, &told]);
            let lines = variant.lines.iter().filter(|line| line.n > 0);
            let lines: Option<Vec<Json>> = lines.map(|line| speaker.line(line, chance)).collect();
            json!({"id": variant.id, "sensible": lines.is_some(), "lines": lines.unwrap_or_default()})
        });
        json!({"variants": variants.collect::<Vec<_>>()}).to_string()
    }
}

/// Speaks for both in one conversation.
struct Speaker<'a> {
    grammar: &'a Grammar,
    variables: &'a VariantsVariables,
    phrases: &'a Arc<Phrases>,
    style: String,
}

impl Speaker<'_> {
    /// A value with the words for it: the toolset's own where they differ in capitals alone, which a sentence may have given
    /// them, and where nothing but the value itself is known.
    fn drawn(&self, value: &PlannedValue) -> Drawn {
        let mut drawn = given(value.value.clone().unwrap_or_default(), &value.said);
        let text = drawn.value.as_str().unwrap_or_default();
        let wordings = self.variables.tool.wordings.get(&value.name).and_then(|wordings| wordings.get(text));
        let mut own = wordings.into_iter().flatten();
        let same = own.find(|own| own.to_lowercase() == drawn.surface.to_lowercase());
        let is_bare = drawn.surface.to_lowercase() == text.to_lowercase();
        let first = wordings.and_then(|wordings| wordings.first()).map_or(text, String::as_str);
        if let Some(words) = same.map(String::as_str).or(is_bare.then_some(first)) {
            drawn.surface = words.to_owned();
        }
        // A number that is quoted in digits is said as people say one of its kind.
        let (pack, tool) = (&self.grammar.pack, &self.variables.tool);
        let parameter = tool.parameters.properties.get(&value.name);
        if let Some(parameter) =
            parameter.filter(|_| drawn.value.as_number().is_some_and(|it| it.as_str() == drawn.surface))
        {
            let kind = kind_of(pack, tool, &value.name, parameter);
            drawn.surface = pack.say(&kind, &drawn.value, &mut Chance::of(&[drawn.surface.as_bytes()]));
        }
        drawn
    }

    /// The words for a value; a flag has none of its own.
    fn surface(&self, value: &PlannedValue) -> Option<String> {
        Some(self.drawn(value).surface).filter(|surface| !surface.is_empty())
    }

    /// A line as the answer has it; nothing where no words are known.
    fn line(&self, line: &VariantLine, chance: &mut Chance) -> Option<Json> {
        let dialogue = &self.grammar.pack.dialogue;
        let manner = dialogue.manner(&self.style)?;
        let values = line.says.iter().chain(line.changes.iter().map(|change| &change.to)).chain(&line.hides);
        let said = values.filter_map(|value| Some((value.name.clone(), self.surface(value)?.into())));
        let said: Map<String, Json> = said.collect();
        let (mut was, mut message) = (None, None);
        let text = match line.deed {
            LineDeed::Stands => return None,
            LineDeed::Ask => self.question(line, chance),
            LineDeed::Answer => self.answer(line, manner, chance),
            LineDeed::Correct => {
                was = line.says.first().and_then(|value| self.surface(value));
                let (answer, change) = (self.answer(line, manner, chance), line.changes.first()?);
                let frames = if line.says.iter().any(|value| value.name == change.name) {
                    self.change(change, &manner.corrections, false, chance)?
                } else {
                    self.change(change, &manner.late_corrections, true, chance)?
                };
                let pack = &self.grammar.pack;
                pack.dialogue.ended(&pack.one_turn(&[&answer, &frames], |text| text))
            }
            LineDeed::Change => self.change(line.changes.first()?, &manner.late_corrections, true, chance)?,
            LineDeed::Again => self.change(line.changes.first()?, &manner.again, true, chance)?,
            LineDeed::Report => chance.pick(&dialogue.done)?.clone(),
            LineDeed::Refuse => chance.pick(&dialogue.refusals)?.clone(),
            LineDeed::Shift => self.shift(line, manner, chance)?,
            LineDeed::Point => {
                let (text, held) = self.point(line, chance)?;
                message = Some(held);
                text
            }
        };
        Some(json!({"n": line.n, "text": text, "said": said, "was": was, "message": message}))
    }

    fn question(&self, line: &VariantLine, chance: &mut Chance) -> String {
        let missing = |slot: &AskedSlot| Missing {
            parameter: slot.name.clone(),
            about: slot.about.clone(),
            phrases: self.phrases.parameters.get(&slot.name).cloned(),
        };
        let tool = self.variables.tool.clone();
        let missing = line.asks.iter().map(missing).collect();
        self.grammar.ask_missing(&MissingVariables { tool, missing, ..MissingVariables::default() }, chance)
    }

    fn answer(&self, line: &VariantLine, manner: &Manner, chance: &mut Chance) -> String {
        let pack = &self.grammar.pack;
        // What is derived from names says nothing by itself of which value it is.
        if line.says.len() > 1 && self.variables.phrases.is_some() {
            let said: DrawnArguments = line.says.iter().map(|value| (value.name.clone(), self.drawn(value))).collect();
            let speech = self.grammar.speech(&self.variables.tool, Some(self.phrases));
            if let Some(text) = speech.answer(pack, manner, &said, chance) {
                return pack.dialogue.ended(&pack.tidy(&text));
            }
        }
        let say = |value: &PlannedValue| {
            let asked = AnswerVariables {
                tool: self.variables.tool.clone(),
                parameter: value.name.clone(),
                among: line.says.iter().map(|it| it.name.clone()).filter(|name| *name != value.name).collect(),
                style: self.style.clone(),
                phrases: self.phrases.parameters.get(&value.name).cloned(),
                ..AnswerVariables::default()
            };
            self.grammar.answer_with(&asked, self.drawn(value), chance).query
        };
        let answers: Vec<String> = line.says.iter().map(say).collect();
        let answers: Vec<&str> = answers.iter().map(String::as_str).collect();
        pack.one_turn(&answers, |answer| manner.unopened(answer))
    }

    /// The words that put another value in the place of one; they tell which parameter is meant where that is not clear.
    fn change(&self, change: &ChangedValue, frames: &[Pattern], names: bool, chance: &mut Chance) -> Option<String> {
        let pack = &self.grammar.pack;
        let phrases = self.phrases.parameters.get(&change.name);
        let about = change.name.replace('_', " ");
        let properties = &self.variables.tool.parameters.properties;
        let listed = properties.get(&change.name).is_some_and(|it| it.values.is_some());
        let Drawn { value, surface } = self.drawn(&change.to);
        let words = SlotWords::new(pack, (&change.name, &about), phrases, &value, &surface, listed);
        let said = if names { words.say_with("label", frames, chance) } else { words.say(frames, chance) };
        said.map(|text| pack.tidy(&text))
    }

    fn shift(&self, line: &VariantLine, manner: &Manner, chance: &mut Chance) -> Option<String> {
        let pack = &self.grammar.pack;
        let wanted = WriteVariables {
            common: Common { locale: self.variables.common.locale.clone(), ..Common::default() },
            tool: line.tool.clone()?,
            phrases: line.phrases.clone(),
            style: self.style.clone(),
            ..WriteVariables::default()
        };
        let query = self.grammar.write_query(&wanted, chance).query;
        let shift = chance.pick(&manner.shifts).filter(|_| chance.happens(pack.dialogue.announced));
        let before = shift.map(|shift| shift.render(&mut Nothing, chance)).unwrap_or_default();
        // Nobody greets in the middle of a conversation.
        Some(pack.dialogue.ended(&pack.tidy(&format!("{before}{}", manner.unopened(&query)))))
    }

    /// The words that point at a value, and the message that holds it.
    fn point(&self, line: &VariantLine, chance: &mut Chance) -> Option<(String, String)> {
        let (pack, tool, hidden) = (&self.grammar.pack, &self.variables.tool, line.hides.as_ref()?);
        let kind = kind_of(pack, tool, &hidden.name, tool.parameters.properties.get(&hidden.name)?);
        let entity = pack.kinds.get(&kind)?.entity.as_deref()?;
        let entity = pack.external.entities.get(entity)?.clone();
        let (value, source) = (self.surface(hidden)?, line.about.clone());
        let pointing = PointerVariables {
            entity: entity.clone(),
            source: source.clone(),
            value: value.clone(),
            kind: kind.clone(),
            tool: tool.name.clone(),
            ..PointerVariables::default()
        };
        let pointer = self.grammar.external_pointer(&pointing, chance);
        let forbidden = line.says.iter().filter_map(|value| self.surface(value)).collect();
        let telling = MessageVariables {
            entity,
            source,
            pointer: pointer.clone(),
            value: value.clone(),
            forbidden,
            kind,
            ..MessageVariables::default()
        };
        let message = self.grammar.external_message(&telling, chance);
        if line.text.is_empty() {
            return Some((pointer, message));
        }
        let query = line.text.clone();
        let rewriting = RewriteVariables { query, surface: value, pointer, ..RewriteVariables::default() };
        Some((self.grammar.external_query(&rewriting), message))
    }
}

/// What announces a shift is said before the request, not around it.
struct Nothing;

impl Fill for Nothing {
    fn has(&self, slot: &str) -> bool {
        slot == "query"
    }

    fn say(&mut self, _slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        String::new()
    }
}
