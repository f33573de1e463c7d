//! Lets a model write every line of a conversation whose calls are known, all in one answer; faulty lines alone are written
//! once more.

use super::play::Played;
use crate::failure::ItemError;
use crate::gate::{Wording, check_figures, check_script, check_wording, is_told, stands, told_words};
use crate::hammerbench::stage::dialogue_lines::{text_of, write_lines};
use crate::hammerbench::stage::pointing::holds;
use crate::llm::{
    Common, ConversationStep, ConversationVariables, FaultyLine, FinishedLine, KnownThings, SpeechAct, Task, Variables,
    WrittenLine,
};
use crate::locale::{Stamp, durations_in};
use crate::record::{
    ArgumentNotes, Chance, Conversation, FunctionCall, ItemId, Number, SaidWords, Scenario, Tool, Value,
};
use crate::stage::context::{Context, Question};
use crate::stage::outcome::Fault;
use crate::stage::writing::schemas;
use crate::stage::writing::speaker::Noted;
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// How often lines are asked for: all of them, and those that are faulty.
const ASKS: u32 = 3;

/// Most words of a name, and most other things of a kind that a writer is told of.
const NAME_WORDS: usize = 4;
const OTHERS: usize = 3;

/// Words of so few letters may stand anywhere.
const SHORT: usize = 2;

/// Has a model write every line of a conversation that was played in the words of templates. `register` is the person's.
pub(crate) async fn write_whole(
    context: &Context,
    id: &ItemId,
    played: Played,
    register: Option<&str>,
) -> Result<Played, ItemError> {
    let Played { mut conversation, mut lines, .. } = played;
    for line in &mut lines {
        name_apart(line);
    }
    leave_open(&mut lines);
    let mut chance = context.chance_of("style", id.as_str(), 0);
    let (style, manner) = context.manner(&context.pack().styles, register, &mut chance);
    let scenario = situation(context, &conversation.scenario);
    let weekday = context.weekday(&conversation.scenario.reference_time);
    let things = things(context, &lines, &mut chance);
    let plan = Plan { context, conversation: &conversation, lines: &lines };
    let steps = plan.steps();
    let numbers: Vec<usize> = (1..=lines.len()).collect();
    let variables = |common: Common, written: &[FinishedLine], repair: &[FaultyLine]| {
        Variables::WriteConversation(ConversationVariables {
            common: Common { weekday: weekday.clone(), ..common },
            scenario: scenario.clone(),
            reference_time: conversation.scenario.reference_time.clone(),
            manner: manner.clone(),
            things: things.clone(),
            steps: steps.clone(),
            written: written.to_vec(),
            repair: repair.to_vec(),
        })
    };
    let keys = lines.iter().flatten().flat_map(|it| &it.act.says).map(|said| said.key.clone());
    let schema = schemas::conversation(&keys.collect::<BTreeSet<_>>());
    let accept =
        |n: usize, line: Option<&WrittenLine>, before: &BTreeMap<usize, Accepted>| plan.accept(n, line, before);
    let question = Question { task: Task::WriteConversation, role: context.role(), item: id, asks: ASKS };
    let (written, draws) = write_lines(context, &question, schema, &numbers, variables, accept).await?;
    put(&mut conversation, &lines, written);
    Ok(Played { conversation, style, draws, lines })
}

/// The scenario for the writer: what the thread is about, if there is one, and the goals, which say who the person is.
fn situation(context: &Context, scenario: &Scenario) -> String {
    let thread = scenario.thread.as_ref().and_then(|name| context.toolset().thread(name));
    let about = thread.map(|thread| format!("{}.", thread.about));
    about.into_iter().chain([scenario.goals.clone()]).collect::<Vec<_>>().join(" ")
}

/// The named things that the lines speak of, and a few others of the same kinds.
fn things(context: &Context, lines: &[Vec<Noted>], chance: &mut Chance) -> Vec<KnownThings> {
    let is_name = |name: &str| {
        let words = name.split_whitespace().count();
        (1..=NAME_WORDS).contains(&words) && name.chars().any(char::is_alphabetic) && !name.contains(char::is_numeric)
    };
    let mut kinds: IndexMap<&str, KnownThings> = IndexMap::new();
    for noted in lines.iter().flatten() {
        for (name, said) in noted.given.arguments.keys().zip(&noted.act.says) {
            let kind = noted.tool.as_ref().and_then(|tool| tool.kinds.get(name));
            let Some(kind) = kind.filter(|kind| {
                let known = context.pack().kinds.get(*kind);
                known.is_some_and(|it| !it.values.is_empty() && it.entity.as_deref() != Some("time"))
            }) else {
                continue;
            };
            let called = if said.words.is_empty() { said.value.as_str().unwrap_or_default() } else { &said.words };
            if is_name(called) {
                let things = kinds.entry(kind).or_default();
                things.about.clone_from(&said.about);
                if !things.planned.iter().any(|it| it == called) {
                    things.planned.push(called.to_owned());
                }
            }
        }
    }
    for (kind, things) in &mut kinds {
        let drawn = (0..4 * OTHERS).filter_map(|_| context.pack().draw(kind, chance)).map(|drawn| drawn.surface);
        for name in drawn.filter(|name| is_name(name)) {
            let is_new = things.planned.iter().chain(&things.others).all(|it| *it != name);
            if is_new && things.others.len() < OTHERS {
                things.others.push(name);
            }
        }
    }
    kinds.into_values().collect()
}

/// Gives each value of a line a key of its own.
fn name_apart(line: &mut [Noted]) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for said in line.iter_mut().flat_map(|it| &mut it.act.says) {
        let count = counts.entry(said.key.clone()).or_default();
        *count += 1;
        if *count > 1 {
            said.key = format!("{} {count}", said.key);
        }
    }
}

/// A person with a follow-up question chooses the field, so the plan does not say what the answer must report.
fn leave_open(lines: &mut [Vec<Noted>]) {
    for at in 1..lines.len() {
        let (before, line) = lines.split_at_mut(at);
        let asks_on = before.last().is_some_and(|line| line.iter().any(|it| it.act.act == SpeechAct::AskOn));
        for noted in line.first_mut().into_iter().flatten().filter(|_| asks_on) {
            noted.act.tells.clear();
        }
    }
}

/// A line that passes its gate, and how it says the values of each of its acts.
struct Accepted {
    text: String,
    notes: Vec<ArgumentNotes>,
}

impl AsRef<str> for Accepted {
    fn as_ref(&self) -> &str {
        &self.text
    }
}

struct Plan<'a> {
    context: &'a Context,
    conversation: &'a Conversation,
    /// What each line does, the person's and the assistant's in turn.
    lines: &'a [Vec<Noted>],
}

impl Plan<'_> {
    /// The lines and calls, in order.
    fn steps(&self) -> Vec<ConversationStep> {
        let mut steps = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            let is_person = at % 2 == 0;
            let made = self.conversation.turns.get(at / 2).filter(|_| !is_person).map(|turn| turn.calls.as_slice());
            steps.extend(made.unwrap_or_default().iter().map(|made| ConversationStep {
                call: Some(made.call.clone()),
                answer: Some(made.answer.clone()),
                ..ConversationStep::default()
            }));
            let acts = line.iter().map(|it| it.act.clone()).collect();
            steps.push(ConversationStep { n: at + 1, is_person, acts, ..ConversationStep::default() });
        }
        steps
    }

    fn accept(
        &self,
        n: usize,
        line: Option<&WrittenLine>,
        before: &BTreeMap<usize, Accepted>,
    ) -> Result<Accepted, Fault> {
        let text = text_of(n, line)?;
        self.context.check_echo(Task::WriteConversation, &text)?;
        check_script(&text, self.context.language(), None)?;
        let acts = n.checked_sub(1).and_then(|at| self.lines.get(at)).map(Vec::as_slice).unwrap_or_default();
        if n.is_multiple_of(2) {
            self.check_assistant(n, acts, &text, before)?;
            return Ok(Accepted { text, notes: Vec::new() });
        }
        let words = line.map(|line| line.words.clone()).unwrap_or_default();
        let notes = acts.iter().map(|noted| self.check_said(noted, &text, &words)).collect::<Result<_, _>>()?;
        self.check_unsaid(n, &text)?;
        Ok(Accepted { text, notes })
    }

    /// Checks that a person's line says the values of an act.
    fn check_said(&self, noted: &Noted, text: &str, words: &SaidWords) -> Result<ArgumentNotes, Fault> {
        let arguments = &noted.given.arguments;
        let Some(tool) = noted.tool.as_ref().filter(|_| !arguments.is_empty()) else { return Ok(ArgumentNotes::new()) };
        let keyed = arguments.keys().zip(&noted.act.says);
        let said: SaidWords =
            keyed.filter_map(|(name, said)| Some((name.clone(), words.get(&said.key)?.clone()))).collect();
        let reference_time = self.conversation.scenario.reference_time.as_str();
        let known = |name: &str, value: &Value| {
            let surface = noted.given.notes.get(name).and_then(|note| note.surface.as_deref());
            let drafted = surface.map(|surface| told_words(value, surface)).unwrap_or_default();
            let own = said.get(name).into_iter().flatten().filter(|words| self.means(tool, (name, value), words));
            own.cloned().chain(drafted).collect()
        };
        let wording = Wording { said: &said, known: &known, reference_time };
        let names: Vec<String> = arguments.keys().cloned().collect();
        let call = FunctionCall { name: tool.name.clone(), arguments: arguments.clone() };
        check_wording(tool, &names, &call, (text, wording), self.context.language())
    }

    /// Whether words come to a value: a day by the calendar, minutes by hours and their parts.
    fn means(&self, tool: &Tool, (name, value): (&str, &Value), words: &str) -> bool {
        let Some(parameter) = tool.parameters.properties.get(name) else { return false };
        let more = ([].as_slice(), Some(self.conversation.scenario.reference_time.as_str()));
        let language = self.context.language();
        let minutes = value.as_number().map(Number::as_f64);
        let lasts = |minutes: f64| durations_in(words, language).iter().any(|it| (it.minutes - minutes).abs() < 0.5);
        stands((tool, name, parameter), value, words, more, language).is_some() || minutes.is_some_and(lasts)
    }

    /// Checks that a line does not say what the person gives only later, when asked for it or as a correction.
    fn check_unsaid(&self, n: usize, text: &str) -> Result<(), Fault> {
        let own: Vec<&Value> = self.lines.iter().take(n).flatten().flat_map(|it| it.given.arguments.values()).collect();
        let later = self.lines.iter().skip(n).flatten();
        let later = later.filter(|it| matches!(it.act.act, SpeechAct::Answer | SpeechAct::Correct));
        for said in later.flat_map(|it| &it.act.says).filter(|said| !own.contains(&&said.value)) {
            let words = [Some(said.words.as_str()), said.value.as_str()].into_iter().flatten();
            let mut words =
                words.filter(|words| words.chars().count() > SHORT && words.chars().any(char::is_alphabetic));
            if let Some(words) = words.find(|words| holds(text, words)) {
                let detail = format!("line {n} says `{words}`, which the person gives only later");
                return Err(Fault::new("unsaid_in_text", detail));
            }
        }
        Ok(())
    }

    /// Checks that the assistant tells what it is to tell, and no figure that nobody gave.
    fn check_assistant(
        &self,
        n: usize,
        acts: &[Noted],
        text: &str,
        before: &BTreeMap<usize, Accepted>,
    ) -> Result<(), Fault> {
        let turn = n / 2 - 1;
        let turns = &self.conversation.turns;
        let made = || turns.iter().take(turn + 1).flat_map(|turn| &turn.calls);
        let mut sources: Vec<Value> = made().map(|made| made.answer.clone()).collect();
        sources.extend(made().map(|made| Value::Object(made.call.arguments.clone())));
        sources.extend(acts.iter().filter_map(|it| Some(Value::Object(it.act.next.as_ref()?.arguments.clone()))));
        let given = self.lines.iter().take(n).flatten();
        sources.extend(given.map(|it| Value::Object(it.given.arguments.clone())));
        sources.extend(before.range(..n).map(|(_, line)| Value::from(line.text.as_str())));
        sources.push(Value::from(self.conversation.scenario.reference_time.as_str()));
        let language = self.context.language();
        check_figures(text, &sources, language)?;
        let told =
            |value: &Value| is_told(text, value, Stamp::read(&self.conversation.scenario.reference_time), language);
        if let Some(value) = acts.iter().flat_map(|it| &it.act.tells).find(|value| !told(value)) {
            return Err(Fault::new("untold_field", format!("line {n} is to tell `{value}`")));
        }
        let asked_on = n.checked_sub(2).and_then(|at| self.lines.get(at));
        let asks_on = asked_on.is_some_and(|line| line.iter().any(|it| it.act.act == SpeechAct::AskOn));
        if asks_on && !made().map(|made| &made.answer).any(told) {
            return Err(Fault::new("untold_field", format!("line {n} tells nothing of the answers of the calls")));
        }
        Ok(())
    }
}

/// Replaces the template lines by the written ones, and notes the words that now say each argument.
fn put(conversation: &mut Conversation, lines: &[Vec<Noted>], mut written: BTreeMap<usize, Accepted>) {
    for at in 0..conversation.turns.len() {
        let said = lines.iter().enumerate().take(2 * at + 1).step_by(2);
        let notes = said.flat_map(|(line, acts)| {
            let notes = written.get(&(line + 1)).map(|line| line.notes.as_slice()).unwrap_or_default();
            acts.iter().zip(notes)
        });
        let notes: Vec<(&Noted, ArgumentNotes)> = notes.map(|(noted, notes)| (noted, notes.clone())).collect();
        let Some(turn) = conversation.turns.get_mut(at) else { continue };
        for made in &mut turn.calls {
            for (name, note) in &mut made.notes {
                let value = made.call.arguments.get(name);
                // The words that said it in the draft; where several did, those that came last.
                let found = notes.iter().rev().find_map(|(noted, notes)| {
                    let drafted = noted.given.notes.iter();
                    let mut drafted = drafted.filter(|(said, old)| {
                        *old == note
                            && noted.given.arguments.get(*said).zip(value).is_some_and(|(it, value)| it == value)
                    });
                    drafted.find_map(|(said, _)| notes.get(said))
                });
                if let Some(found) = found {
                    *note = found.clone();
                }
            }
        }
    }
    for (at, turn) in conversation.turns.iter_mut().enumerate() {
        let mut text = |n: usize| written.remove(&n).map(|line| line.text);
        turn.said = text(2 * at + 1).unwrap_or_default();
        turn.reply = text(2 * at + 2).unwrap_or_default();
    }
}
