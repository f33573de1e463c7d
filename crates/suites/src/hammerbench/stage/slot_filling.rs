//! Lets a dialogue go on from a query that leaves parameters out, by a question and an answer for each.

use crate::failure::ItemError;
use crate::gate::{check_answer, check_script};
use crate::hammerbench::stage::dialogue_lines::{Brief, write_exchanges};
use crate::llm::tasks::read_written;
use crate::llm::{AnswerVariables, QuestionVariables, Reply, Task, Variables, WrittenQuery};
use crate::record::{
    ArgumentNotes, DataType, Dialogue, Draw, Expected, FunctionCall, Item, ItemId, Object, Record, RecordKind, Sample,
    SlotPhrases, Tool, Turn,
};
use crate::settings::{Count, Factor, Measure, count, measure};
use crate::stage::context::{Context, Question};
use crate::stage::facts::{Settings, StageMeta};
use crate::stage::outcome::Outcome;
use crate::stage::work::{Quota, Stage, Work};
use crate::stage::writing::schemas;
use crate::stage::writing::write::SITUATION;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Continues queries that leave out parameters as dialogues: one question and one answer at a time (sQsA).
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SlotFillingConfig {
    /// Required dialogues per tool.
    #[serde(default = "count::<3>")]
    per_tool: Count,
    /// Extra candidates per tool when candidates are rejected, as a ratio of the required number: 1 allows up to twice
    /// as many.
    #[serde(default = "measure::<100>")]
    spare: Measure,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
    /// How a model writes: all lines in one reply, with faulty lines rewritten (`dialogue`), or line by line, for weak
    /// models (`turn`). The built-in model writes line by line.
    #[serde(default)]
    writing: Writing,
    /// Total number of accepted items required, split evenly over the tools. Default: `per_tool` for each tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    want: Option<Count>,
}

/// How the lines of a dialogue are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Writing {
    /// All lines in one reply.
    #[default]
    Dialogue,
    /// Line by line.
    Turn,
}

impl Stage for SlotFillingConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::of("slot_filling", &[RecordKind::Sample], RecordKind::Dialogue).asks("generator")
    }

    fn settings(&self) -> Settings<'_> {
        Settings { total: self.want, ..Settings::default() }
    }

    fn data_types(&self, _incoming: Vec<String>) -> Vec<String> {
        vec!["Based".to_owned()]
    }

    fn scale(&mut self, factor: Factor) {
        self.per_tool = self.per_tool.times(factor);
    }

    fn quota(&self, _input: &Record) -> Option<Quota> {
        Some(Quota::new(self.per_tool.get(), self.spare).once())
    }

    /// Whether an item is an incomplete request that a dialogue can go on from.
    fn suits(&self, _context: &Context, item: &Item) -> bool {
        begun(item).is_some()
    }

    /// Draws the dialogue that a sample begins (HammerBench E.7).
    fn draw<'a>(&'a self, context: &'a Context, parent: &'a Item, _ordinal: usize) -> Work<'a> {
        Box::pin(async move {
            let Some((sample, tool)) = begun(parent) else { return Ok(Outcome::default()) };
            let id = parent.id.child(context.stage(), 0);
            let asks = self.asks.as_draws();
            let filling = Filling { context, id: &id, asks, dialogue: begin(parent, sample, tool), draws: Vec::new() };
            let is_whole = self.writing == Writing::Dialogue && !context.is_template(context.role());
            context.settled(&id, filling.fill(parent, is_whole).await)
        })
    }
}

/// How often everything that is missing is asked for; otherwise a part of it, of any size.
const WHOLE: f64 = 0.5;

/// The sample and its tool, if it is one that leaves a parameter out.
fn begun(item: &Item) -> Option<(&Sample, &Arc<Tool>)> {
    let Record::Sample(sample) = &item.record else { return None };
    let Expected::Call(call) = &sample.expected else { return None };
    let tool = sample.candidates.iter().find(|tool| tool.name == call.name)?;
    let missing = tool.parameters.properties.keys().any(|name| !call.arguments.contains_key(name));
    (missing && sample.data_type.0 == "ST_Imperfect").then_some((sample, tool))
}

/// The dialogue with its first turn.
fn begin(parent: &Item, sample: &Sample, tool: &Arc<Tool>) -> Dialogue {
    let call = match &sample.expected {
        Expected::Call(call) => Some(call.clone()),
        _ => None,
    };
    let frame = Sample {
        data_type: DataType("Based".to_owned()),
        messages: Vec::new(),
        expected: Expected::Refusal,
        arguments: ArgumentNotes::new(),
        tags: Vec::new(),
        base: None,
        ..sample.clone()
    };
    let turn = Turn {
        text: sample.query(),
        slots: call.iter().flat_map(|call| call.arguments.keys().cloned()).collect(),
        call,
        notes: sample.arguments.clone(),
        ..Turn::default()
    };
    Dialogue {
        data_type: frame.data_type.clone(),
        tool: tool.clone(),
        frame: Box::new(frame),
        turns: vec![turn],
        base: parent.id.clone(),
        style: parent.provenance.facts.get("style").cloned().unwrap_or_default(),
    }
}

struct Filling<'a> {
    context: &'a Context,
    id: &'a ItemId,
    asks: u32,
    dialogue: Dialogue,
    draws: Vec<Draw>,
}

impl Filling<'_> {
    async fn fill(mut self, parent: &Item, is_whole: bool) -> Result<Item, ItemError> {
        let mut chosen = self.chosen();
        if is_whole {
            // What the call needs comes first, and none is left open.
            let required = &self.dialogue.tool.parameters.required;
            chosen.extend(required.iter().filter(|name| !self.known().contains_key(*name)).cloned());
            chosen.sort_by_key(|name| {
                (!required.contains(name), self.dialogue.tool.parameters.properties.get_index_of(name))
            });
            chosen.dedup();
            self.write_whole(parent, &chosen).await?;
        } else {
            for parameter in chosen {
                let turn = self.turn(&parameter).await?;
                self.dialogue.turns.push(turn);
            }
        }
        let mut provenance = parent.provenance.clone();
        provenance.parents = vec![parent.id.to_string()];
        provenance.tier = None;
        let by_template = self.context.is_template(self.context.role());
        let later = std::iter::repeat_n(by_template, self.dialogue.turns.len() - 1);
        provenance.note_templates(&std::iter::once(provenance.template).chain(later).collect::<Vec<_>>());
        provenance.draws.extend(self.draws);
        let record = Record::Dialogue(Box::new(self.dialogue));
        Ok(Item { id: self.id.clone(), root: parent.root.clone(), record, provenance })
    }

    /// Lets all lines be written in one answer.
    async fn write_whole(&mut self, parent: &Item, slots: &[String]) -> Result<(), ItemError> {
        let context = self.context;
        let bank = context.bank(&self.dialogue.tool).await?;
        let style = context.pack().styles.iter().find(|it| it.name == self.dialogue.style);
        let brief = Brief {
            tool: &self.dialogue.tool,
            bank: bank.as_deref(),
            manner: style.map(|style| style.description.clone()).unwrap_or_default(),
            situation: parent.provenance.facts.get(SITUATION).cloned(),
            history: self.history(),
            known: self.known(),
        };
        let ordinal = parent.id.as_str().split('/').find_map(|part| part.parse().ok()).unwrap_or(0);
        let (exchanges, draws) = write_exchanges(context, self.id, &brief, slots, ordinal).await?;
        self.draws.extend(draws);
        for exchange in exchanges {
            let (arguments, notes) = match exchange.given {
                Some((value, notes)) => (Object::from_iter([(exchange.slot.clone(), value)]), notes),
                None => (Object::new(), ArgumentNotes::new()),
            };
            let is_given = !arguments.is_empty();
            let mut turn = self.answered(&exchange.slot, exchange.question, (exchange.answer, arguments, notes));
            if !is_given {
                turn.slots.clear();
            }
            self.dialogue.turns.push(turn);
        }
        Ok(())
    }

    /// The parameters that are asked for, in declared order: half the time all that are missing.
    fn chosen(&self) -> Vec<String> {
        let known = self.dialogue.turns.first().and_then(|turn| turn.call.as_ref());
        let given = |name: &String| known.is_some_and(|call| call.arguments.contains_key(name));
        let names = self.dialogue.tool.parameters.properties.keys();
        let mut missing: Vec<String> = names.filter(|name| !given(name)).cloned().collect();
        let mut chance = self.context.chance(self.id.as_str(), 0);
        if !chance.happens(WHOLE) {
            let kept = 1 + chance.below(missing.len());
            while missing.len() > kept {
                missing.remove(chance.below(missing.len()));
            }
        }
        missing
    }

    /// The question for a parameter and its answer.
    async fn turn(&mut self, parameter: &str) -> Result<Turn, ItemError> {
        let question = self.question(parameter).await?;
        let (written, notes) = self.answer(parameter, &question).await?;
        Ok(self.answered(parameter, question, (written.query, written.parameters, notes)))
    }

    /// The turn in which a question is answered.
    fn answered(
        &self,
        parameter: &str,
        question: String,
        (text, arguments, notes): (String, Object, ArgumentNotes),
    ) -> Turn {
        let last = self.dialogue.turns.last().cloned().unwrap_or_default();
        let mut turn =
            Turn { question: Some(question), text, external: None, slots: vec![parameter.to_owned()], ..last };
        let given = FunctionCall { name: self.dialogue.tool.name.clone(), arguments };
        let given = Turn { slots: turn.slots.clone(), call: Some(given), notes, ..Turn::default() };
        turn.take(&self.dialogue.tool, &given);
        turn
    }

    async fn question(&mut self, parameter: &str) -> Result<String, ItemError> {
        let dialogue = &self.dialogue;
        let variables = |common| {
            Variables::SlotQuestion(QuestionVariables {
                common,
                tool: dialogue.tool.clone(),
                history: self.history(),
                known: self.known(),
                parameter: parameter.to_owned(),
                about: dialogue.tool.about(parameter),
                phrases: self.phrases(parameter),
            })
        };
        let read = |reply: &Reply| {
            let question = self.context.line(reply)?;
            check_script(&question, self.context.language(), None)?;
            Ok(question)
        };
        let id = self.turn_id();
        let asking = self.asking(Task::SlotQuestion, &id);
        let (question, draw) = self.context.obtain(&asking, asking.task.reply_schema(), variables, read).await?;
        self.draws.push(draw);
        Ok(question)
    }

    async fn answer(&mut self, parameter: &str, question: &str) -> Result<(WrittenQuery, ArgumentNotes), ItemError> {
        let (tool, style) = (&self.dialogue.tool, &self.dialogue.style);
        let manner = self.context.pack().styles.iter().find(|it| it.name == *style).map(|it| it.description.clone());
        let known = self.known();
        let variables = |common| {
            Variables::SlotAnswer(AnswerVariables {
                common,
                tool: tool.clone(),
                history: self.history(),
                question: question.to_owned(),
                known: known.clone(),
                parameter: parameter.to_owned(),
                among: Vec::new(),
                so_far: String::new(),
                style: style.clone(),
                manner: manner.clone().unwrap_or_default(),
                phrases: self.phrases(parameter),
                given: None,
            })
        };
        let read = |reply: &Reply| {
            let (written, _) = read_written(&reply.text)?;
            let notes =
                check_answer(tool, parameter, &known, (&written.parameters, &written.query), self.context.language())?;
            self.context.check_copied(Task::SlotAnswer, tool, &written.parameters)?;
            Ok((written, notes))
        };
        let schema = Some(schemas::written(tool, &[parameter.to_owned()]));
        let id = self.turn_id();
        let (answer, draw) = self.context.obtain(&self.asking(Task::SlotAnswer, &id), schema, variables, read).await?;
        self.draws.push(draw);
        Ok(answer)
    }

    fn asking<'q>(&'q self, task: Task, item: &'q ItemId) -> Question<'q> {
        self.context.question(task, item, self.asks)
    }

    /// Each turn asks under an id of its own, so that no two of them are asked for in one way.
    fn turn_id(&self) -> ItemId {
        self.id.child("turn", self.dialogue.turns.len())
    }

    fn history(&self) -> String {
        self.dialogue.history(self.dialogue.turns.len())
    }

    fn known(&self) -> Object {
        let last = self.dialogue.turns.last().and_then(|turn| turn.call.as_ref());
        last.map(|call| call.arguments.clone()).unwrap_or_default()
    }

    fn phrases(&self, parameter: &str) -> Option<SlotPhrases> {
        let phrases = self.context.toolset().phrases.get(&self.dialogue.tool.name)?;
        phrases.parameters.get(parameter).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, TRAIN, context, dialogues, sample_item, silent, written};

    #[test]
    fn incomplete_requests_go_in_and_dialogues_come_out() {
        let config: SlotFillingConfig = read_text("").unwrap();
        assert_eq!(config.per_tool.get(), 3);
        assert!(config.suits(&silent(), &sample_item("a train", "{}")));
        let whole = sample_item(
            "three seats to Porto at noon, quiet",
            r#"{"to": "Porto", "at": "noon", "seats": 3, "quiet": true}"#,
        );
        assert!(!config.suits(&silent(), &whole), "nothing is missing");
    }

    /// A model that asks for a parameter by its name and answers with a value of its own for each.
    async fn drawn(first_answer: &str) -> (Outcome, Asked) {
        let first_answer = first_answer.to_owned();
        let (context, asked) = context(move |request| match &*request.variables {
            Variables::SlotQuestion(it) => format!("Which {}?", it.parameter),
            Variables::SlotAnswer(it) if it.parameter == "to" && request.draw == 0 => first_answer.clone(),
            Variables::SlotAnswer(it) => match it.parameter.as_str() {
                "to" => written(r#"{"to": "Porto"}"#, "To Porto"),
                "at" => written(r#"{"at": "noon"}"#, "At noon"),
                "seats" => written(r#"{"seats": 3}"#, "3 seats"),
                _ => written(r#"{"quiet": true}"#, "the quiet car, please"),
            },
            other => panic!("{other:?}"),
        });
        let config: SlotFillingConfig = read_text("asks = 2").unwrap();
        (config.draw(&context, &sample_item("a train, please", "{}"), 0).await.unwrap(), asked)
    }

    #[tokio::test]
    async fn every_turn_asks_for_one_parameter_and_adds_it() {
        let (outcome, asked) = drawn(&written(r#"{"to": "Porto"}"#, "To Porto")).await;
        let dialogue = dialogues(&outcome.kept)[0];
        assert_eq!((dialogue.data_type.0.as_str(), dialogue.tool.name.as_str()), ("Based", TRAIN));
        assert_eq!(dialogue.base, sample_item("a train, please", "{}").id);
        assert_eq!(dialogue.turns[0].text, "a train, please");
        for (before, turn) in dialogue.turns.iter().zip(&dialogue.turns[1..]) {
            let [slot] = turn.slots.as_slice() else { panic!("one slot a turn") };
            assert_eq!(turn.question.as_deref(), Some(format!("Which {slot}?").as_str()));
            let (known, now) = (before.call.as_ref().unwrap(), turn.call.as_ref().unwrap());
            assert_eq!(now.arguments.len(), known.arguments.len() + 1);
            assert!(now.arguments.contains_key(slot) && turn.notes.contains_key(slot));
        }
        assert_eq!(asked.count(), 2 * (dialogue.turns.len() - 1));
        let names: Vec<String> = asked.items();
        assert!(names[0].ends_with("/turn/1") && names[0] == names[1], "{names:?}");
        assert_eq!(outcome.kept[0].provenance.draws.len(), asked.count());
    }

    #[tokio::test]
    async fn an_answer_that_gives_nothing_is_asked_for_again_and_told() {
        let (outcome, asked) = drawn(&written("{}", "I don't care")).await;
        let asks_for_it = dialogues(&outcome.kept)[0].turns.iter().any(|turn| turn.slots == ["to"]);
        let told = asked.faults().iter().any(|fault| fault == "`to` was to be given and is not");
        assert_eq!(asks_for_it, told);
    }

    #[tokio::test]
    async fn what_comes_later_knows_what_went_before() {
        let (_, asked) = drawn(&written(r#"{"to": "Porto"}"#, "To Porto")).await;
        let requests = asked.requests();
        let Variables::SlotAnswer(answer) = &*requests[1].variables else { panic!("another task") };
        assert_eq!(answer.history, "user:a train, please");
        assert!(answer.question.starts_with("Which ") && answer.known.is_empty());
    }
}
