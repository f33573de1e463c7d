//! What the person of a conversation knows: the facts of its thread, drawn once, from which all values come.

use super::aim::Aim;
use crate::llm::PlannedValue;
use crate::locale::{Date, Fill, Pattern, Stamp};
use crate::record::{Chance, ItemId, Scenario, Tool, Value};
use crate::stage::context::Context;
use crate::toolset::{Fact, Thread};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A day that nobody settled is so many days away.
const AHEAD: [i64; 2] = [4, 75];
/// A day that is taken back becomes one so many days later.
const LATER: [i64; 2] = [1, 6];
/// How often words are drawn that do not fit.
const TRIES: usize = 32;
/// The kind by which days are said that are written as such.
const DAY_KIND: &str = "iso_date";

/// What the person of one conversation knows.
pub(crate) struct PersonFacts<'a> {
    context: &'a Context,
    /// The situation; absent where nobody wrote any for the toolset.
    pub thread: Option<Arc<Thread>>,
    id: &'a ItemId,
    attempt: u32,
    /// The day on which it takes place.
    today: Option<Date>,
    /// Values by fact; without a thread, by the parameter's name and kind.
    known: BTreeMap<String, Value>,
}

impl<'a> PersonFacts<'a> {
    /// What is known in a scenario's conversation; each attempt draws its own values.
    pub(crate) fn new(context: &'a Context, scenario: &Scenario, id: &'a ItemId, attempt: u32) -> Self {
        let thread = scenario.thread.as_ref().and_then(|name| context.toolset().thread(name)).cloned();
        let today = Stamp::read(&scenario.reference_time).and_then(|stamp| stamp.date);
        Self { context, thread, id, attempt, today, known: BTreeMap::new() }
    }

    /// The values of an aim's parameters that are settled.
    pub(crate) fn given(&mut self, aim: &Aim) -> Vec<PlannedValue> {
        let tool = aim.goal.tool.clone();
        let from = self.thread.as_ref().and_then(|thread| thread.goal(aim.name())).map(|goal| goal.from.clone());
        let from = from.unwrap_or_default();
        let names = tool.parameters.properties.keys();
        names.filter_map(|name| self.value(&tool, name, from.get(name).map(String::as_str))).collect()
    }

    /// Another day in the place of one that is taken back; absent where the parameter is no day.
    pub(crate) fn another_day(&self, aim: &Aim, name: &str, day: &Value) -> Option<PlannedValue> {
        let thread = self.thread.as_ref();
        let source = thread.and_then(|thread| thread.goal(aim.name())?.from.get(name));
        let fact = source.and_then(|source| thread?.facts.get(source));
        let mut chance = self.chance(&format!("another {name}"));
        let kind = aim.goal.tool.kinds.get(name).filter(|kind| self.is_of_days(kind));
        let Some(kind) = kind else {
            // Who takes a day in any words is given it in the person's.
            let known = Stamp::read(self.known.get(source?)?.as_str()?)?.date?;
            let day = Value::from(known.plus(between(LATER, &mut chance))?.to_string());
            let kind = fact.filter(|fact| fact.days.is_some())?.kind.as_deref().unwrap_or(DAY_KIND);
            let text = self.context.pack().say(kind, &day, &mut chance);
            return Some(PlannedValue { name: name.to_owned(), value: Some(text.into()), said: Vec::new() });
        };
        let kind = fact.and_then(|fact| fact.kind.as_ref()).unwrap_or(kind);
        let day = Stamp::read(day.as_str()?)?.date?.plus(between(LATER, &mut chance))?;
        Some(self.planned(name, kind, Value::from(day.to_string()), &mut chance))
    }

    /// What a parameter of an aim is the value of, where it is the same wherever it comes up.
    pub(crate) fn key(&self, aim: &Aim, name: &str) -> Option<String> {
        let Some(thread) = &self.thread else {
            let kind = aim.goal.tool.kinds.get(name)?;
            return Some(format!("{name} {kind}"));
        };
        thread.goal(aim.name())?.from.get(name).filter(|source| !source.starts_with('=')).cloned()
    }

    /// What is taken back is meant differently from now on.
    pub(crate) fn change(&mut self, key: &str, old: &Value, new: &Value) {
        if let Some(known) = self.known.get_mut(key).filter(|known| *known == old) {
            *known = new.clone();
        }
    }

    /// The facts that a sentence says in so many words: their names, words and values.
    pub(crate) fn said_in(&self, patterns: &[String], said: &str) -> Vec<(String, String, Value)> {
        let patterns = patterns.iter().filter_map(|text| Pattern::parse(text).ok());
        let slots: BTreeSet<String> =
            patterns.flat_map(|it| it.slots().into_iter().map(str::to_owned).collect::<Vec<_>>()).collect();
        let stands = |slot: String| {
            let value = self.known.get(&slot)?.clone();
            let words = value.as_str().filter(|words| said.contains(*words))?.to_owned();
            Some((slot, words, value))
        };
        slots.into_iter().filter_map(stands).collect()
    }

    fn value(&mut self, tool: &Tool, name: &str, source: Option<&str>) -> Option<PlannedValue> {
        let mut chance = self.chance(&format!("value {} {name}", tool.name));
        let kind = tool.kinds.get(name).map_or("", String::as_str);
        let Some(source) = source else { return self.unsettled(name, kind, &mut chance) };
        if let Some(fixed) = source.strip_prefix('=') {
            return Some(fixed_value(tool, name, fixed, &mut chance));
        }
        let fact = self.thread.as_ref()?.facts.get(source)?.clone();
        let value = self.fact(source, &fact)?;
        if fact.days.is_some() && !self.is_of_days(kind) {
            // Who takes a day in any words is given it in the person's.
            let text = self.context.pack().say(fact.kind.as_deref().unwrap_or(DAY_KIND), &value, &mut chance);
            return Some(PlannedValue { name: name.to_owned(), value: Some(text.into()), said: Vec::new() });
        }
        let kind = fact.kind.as_deref().filter(|_| fact.days.is_some()).unwrap_or(kind);
        Some(self.planned(name, kind, value, &mut chance))
    }

    /// A value that no fact settles: days lie ahead, and without a thread the same is meant wherever the same is asked for.
    fn unsettled(&mut self, name: &str, kind: &str, chance: &mut Chance) -> Option<PlannedValue> {
        if self.is_of_days(kind) {
            let key = format!("{name} {kind}");
            let day = self.known.get(&key).cloned();
            let day = match day.filter(|_| self.thread.is_none()) {
                Some(day) => day,
                None => Value::from(self.today?.plus(between(AHEAD, chance))?.to_string()),
            };
            self.known.insert(key, day.clone());
            return Some(self.planned(name, kind, day, chance));
        }
        if self.thread.is_some() || kind.is_empty() {
            return None;
        }
        let key = format!("{name} {kind}");
        if !self.known.contains_key(&key) {
            let drawn = self.context.pack().draw(kind, chance)?;
            self.known.insert(key.clone(), drawn.value);
        }
        let value = self.known.get(&key).cloned()?;
        Some(self.planned(name, kind, value, chance))
    }

    fn planned(&self, name: &str, kind: &str, value: Value, chance: &mut Chance) -> PlannedValue {
        let said = match &value {
            Value::String(_) if !self.is_of_days(kind) => Vec::new(),
            _ => vec![self.said(kind, &value, chance)],
        };
        PlannedValue { name: name.to_owned(), value: Some(value), said }
    }

    /// The words for a value; nobody says a day as programs write it.
    fn said(&self, kind: &str, value: &Value, chance: &mut Chance) -> String {
        let mut said = self.context.pack().say(kind, value, chance);
        for _ in 0..TRIES {
            if Some(said.as_str()) != value.as_str() {
                break;
            }
            said = self.context.pack().say(kind, value, chance);
        }
        said
    }

    /// The value of a fact.
    fn fact(&mut self, name: &str, fact: &Fact) -> Option<Value> {
        if let Some(known) = self.known.get(name) {
            return Some(known.clone());
        }
        let mut chance = self.chance(&format!("fact {name}"));
        let value = if !fact.values.is_empty() {
            Value::from(chance.pick(&fact.values)?.as_str())
        } else if let Some(days) = fact.days {
            Value::from(self.today?.plus(between(days, &mut chance))?.to_string())
        } else if let Some(range) = fact.range {
            Value::from(between(range, &mut chance))
        } else {
            self.context.pack().draw(fact.kind.as_deref()?, &mut chance)?.value
        };
        self.known.insert(name.to_owned(), value.clone());
        Some(value)
    }

    fn is_of_days(&self, kind: &str) -> bool {
        self.context.pack().kinds.get(kind).is_some_and(|kind| kind.days.is_some())
    }

    fn chance(&self, what: &str) -> Chance {
        self.context.chance_of(what, self.id.as_str(), self.attempt)
    }

    /// One of some sentences over the facts that ends as those of the style do.
    pub(crate) fn sentence(
        &mut self,
        patterns: &[String],
        fits: impl Fn(&str) -> bool,
        chance: &mut Chance,
    ) -> Option<String> {
        let patterns: Vec<Pattern> = patterns.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
        let mut said = None;
        for _ in 0..TRIES {
            let pattern = chance.pick(&patterns)?;
            let mut words = BTreeMap::new();
            for slot in pattern.slots() {
                let fact = self.thread.as_ref().and_then(|thread| thread.facts.get(slot)).cloned();
                let value = fact.as_ref().and_then(|fact| self.fact(slot, fact));
                let text = value.zip(fact).map(|(value, fact)| {
                    let kind = fact.kind.as_deref().unwrap_or(if fact.days.is_some() { DAY_KIND } else { "" });
                    self.context.pack().say(kind, &value, chance)
                });
                words.extend(text.map(|text| (slot.to_owned(), text)));
            }
            let mut fill = Facts { context: self.context, words: &words };
            let text = self.context.pack().tidy(&pattern.render(&mut fill, chance));
            let fit = fits(&text);
            said = Some(text);
            if fit {
                break;
            }
        }
        said
    }
}

struct Facts<'a> {
    context: &'a Context,
    words: &'a BTreeMap<String, String>,
}

impl Fill for Facts<'_> {
    fn has(&self, slot: &str) -> bool {
        self.words.contains_key(slot)
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
        let words = self.words.get(slot).map_or("", String::as_str);
        self.context.pack().agreed(words, particle)
    }
}

fn between([least, most]: [i64; 2], chance: &mut Chance) -> i64 {
    let span = usize::try_from(most.saturating_sub(least)).unwrap_or(0);
    least + i64::try_from(chance.below(span + 1)).unwrap_or(0)
}

/// A value that is written in the thread, in the words that people have for it.
fn fixed_value(tool: &Tool, name: &str, text: &str, chance: &mut Chance) -> PlannedValue {
    let listed = tool.parameters.properties.get(name).and_then(|it| it.values.clone()).unwrap_or_default();
    let listed = listed.into_iter().find(|value| value.as_str() == Some(text));
    let is_listed = listed.is_some();
    let value = listed.map_or_else(|| Value::from(text), Value::from);
    let wordings = tool.wordings.get(name).and_then(|wordings| wordings.get(text));
    let said = wordings.and_then(|wordings| chance.pick(wordings)).cloned();
    let said = said.or_else(|| is_listed.then(|| text.replace('_', " ")));
    PlannedValue { name: name.to_owned(), value: Some(value), said: said.into_iter().collect() }
}
