//! Readings of a text by a model, without and with an example, and whether they agree with the text's label.

use crate::failure::ItemError;
use crate::gate::{Agreement, check_parameters, compare_calls};
use crate::llm::{CallExample, CallVariables, JudgeVariables, Reply, Task, Variables};
use crate::locale::Stamp;
use crate::record::{ArgumentNotes, FunctionCall, Item, ItemId, Record, Tier, Tool, Value};
use crate::settings::Share;
use crate::stage::context::{Context, Question};
use crate::stage::writing::batch::Wanted;
use crate::stage::writing::schemas;
use crate::stage::writing::write::{Order, write_query};
use crate::text::{ReadAnswer, read_call};
use futures::future::join;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Readings that must agree with a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Readings {
    /// Both the reading without an example and the one with an example (`HammerBench`, section 4.1.1). If there is no
    /// example, the first reading decides.
    All,
    /// Either reading; the second is made only if the first disagrees.
    Any,
}

impl Readings {
    /// What holds where nothing is said: `all` where a model reads, `any` for the built-in reader.
    pub fn for_reader(is_builtin: bool) -> Self {
        if is_builtin { Self::Any } else { Self::All }
    }

    /// A choice among readings of which there is one: the key, and what is wrong with it.
    pub fn conflict(readings: Option<Self>, one_shot: Option<bool>) -> Option<(&'static str, String)> {
        let idle = readings == Some(Self::Any) && one_shot == Some(false);
        let message = "`readings = \"any\"` has no effect with `one_shot = false`, which leaves one reading";
        idle.then(|| ("readings", message.to_owned()))
    }

    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Any => "any",
        }
    }
}

/// When two values count as equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Accept {
    /// Rouge-L reaches the threshold; otherwise the judge decides.
    #[default]
    RougeOrJudge,
    /// Rouge-L reaches the threshold.
    Rouge,
    /// The judge decides.
    Judge,
    /// Rouge-L reaches the threshold and the judge agrees.
    Both,
}

impl Accept {
    /// A threshold that nobody looks at: the key, and what is wrong with it.
    pub fn conflict(self, rouge_l: Option<Share>) -> Option<(&'static str, String)> {
        let idle = self == Self::Judge && rouge_l.is_some();
        idle.then(|| ("rouge_l", "`rouge_l` has no effect with `accept = \"judge\"`".to_owned()))
    }
}

/// The name under which examples are written.
const EXAMPLE: &str = "example";

/// How many examples are written until one is read as it was meant.
const EXAMPLES: usize = 3;

/// What is to be read: a request or a dialogue, with the call that its label says.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    pub text: &'a str,
    pub tool: &'a Arc<Tool>,
    pub call: &'a FunctionCall,
}

/// Reads texts with a model and compares what it finds with their labels.
pub struct Reader<'a> {
    pub context: &'a Context,
    pub item: &'a Item,
    pub rouge_l: Option<Share>,
    pub accept: Accept,
    pub readings: Readings,
}

impl Reader<'_> {
    /// Which readings agree with the label, or why too few do. There is a second reading only if `one_shot` says so.
    pub async fn tier(&self, reading: Reading<'_>, one_shot: bool) -> Result<Result<Tier, String>, ItemError> {
        let (first, early) = join(self.agrees(reading, None), self.early_example(reading.tool, one_shot)).await;
        let first = first?;
        let decides = match self.readings {
            Readings::All => first.is_err(),
            Readings::Any => first.is_ok(),
        };
        if decides || !one_shot {
            return Ok(first.map(|()| Tier::ZeroShot));
        }
        // Where nobody has an example there is no second reading, and the first decides.
        let example = match early {
            Some(example) => example?,
            None => self.example(reading.tool).await?,
        };
        let Some(example) = example else { return Ok(first.map(|()| Tier::ZeroShot)) };
        let second = self.agrees(reading, Some(example)).await?;
        Ok(match first {
            Ok(()) => second.map(|()| Tier::Both).map_err(|why| format!("with an example, {why}")),
            Err(_) => second.map(|()| Tier::OneShot),
        })
    }

    /// The call with what two readings find in the text beyond the label, if they agree on it and the text says it in so many
    /// words. A person who gives a reason has given the optional `reason`: then the label is to have it, too. A request that is
    /// to leave out something that its tool requires stays one that does.
    pub async fn extension(&self, reading: Reading<'_>) -> Result<Option<(FunctionCall, ArgumentNotes)>, ItemError> {
        let Ok(ReadAnswer::Call(found)) = self.read(reading, None).await? else { return Ok(None) };
        let is_labelled = |name: &String| reading.call.arguments.contains_key(name);
        let lacks =
            |call: &FunctionCall| reading.tool.parameters.required.iter().any(|it| !call.arguments.contains_key(it));
        let mut within = found.clone();
        within.arguments.retain(|name, _| is_labelled(name));
        let adds = within.arguments.len() < found.arguments.len();
        if !adds || lacks(reading.call) != lacks(&found) || self.accepts(reading, &within).await?.is_err() {
            return Ok(None);
        }
        let mut label = reading.call.clone();
        label.arguments.extend(found.arguments.into_iter().filter(|(name, _)| !is_labelled(name)));
        if reading.tool.violation(&label, true).is_some() {
            return Ok(None);
        }
        let mut beyond = label.clone();
        beyond.arguments.retain(|name, _| !is_labelled(name));
        let names: Vec<String> = beyond.arguments.keys().cloned().collect();
        let notes = check_parameters(reading.tool, &names, &beyond, reading.text, self.context.language());
        let Some(example) = self.example(reading.tool).await? else { return Ok(None) };
        let again = self.agrees(Reading { call: &label, ..reading }, Some(example)).await?;
        Ok(notes.ok().filter(|_| again.is_ok()).map(|notes| (label, notes)))
    }

    /// The example, while the first reading goes on, where nearly every text is read with it: it spares a wave of questions.
    pub async fn early_example(
        &self,
        tool: &Arc<Tool>,
        one_shot: bool,
    ) -> Option<Result<Option<CallExample>, ItemError>> {
        let is_early = one_shot && self.readings == Readings::All && !self.context.is_template(self.context.role());
        if is_early { Some(self.example(tool).await) } else { None }
    }

    /// Whether the model finds the label's call; otherwise why not.
    async fn agrees(
        &self,
        reading: Reading<'_>,
        example: Option<CallExample>,
    ) -> Result<Result<(), String>, ItemError> {
        match self.read(reading, example).await? {
            Ok(answer) => self.fits(reading, &answer).await,
            Err(why) => Ok(Err(why)),
        }
    }

    /// Whether what was read is the label's call; otherwise why not.
    pub async fn fits(&self, reading: Reading<'_>, answer: &ReadAnswer) -> Result<Result<(), String>, ItemError> {
        match answer {
            ReadAnswer::Refusal => Ok(Err("a reader finds that the tool cannot serve the request".to_owned())),
            ReadAnswer::Call(call) => self.accepts(reading, call).await,
        }
    }

    async fn read(
        &self,
        reading: Reading<'_>,
        example: Option<CallExample>,
    ) -> Result<Result<ReadAnswer, String>, ItemError> {
        let context = self.context;
        let refusal = context.pack().refusal.clone();
        let variables = |common| {
            Variables::Call(CallVariables {
                common,
                query: reading.text.to_owned(),
                tools: vec![reading.tool.clone()],
                example: example.clone(),
                refusal: refusal.clone(),
                reference_time: context.writing_time(),
            })
        };
        let question = context.question(Task::Call, &self.item.id, 1);
        let read = |reply: &Reply| match read_call(&reply.text, &refusal) {
            Ok((answer, _)) => Ok(answer),
            Err(unparsable) => Err(unparsable.into()),
        };
        let schema = Some(schemas::call(reading.tool, &refusal));
        match context.obtain(&question, schema, variables, read).await {
            Ok((answer, _)) => Ok(Ok(answer)),
            Err(ItemError::Item { fault, .. }) if fault.reason != "transport" => Ok(Err(fault.detail)),
            Err(failure) => Err(failure),
        }
    }

    async fn accepts(&self, reading: Reading<'_>, call: &FunctionCall) -> Result<Result<(), String>, ItemError> {
        if let Some(why) = differing_form(reading, call) {
            return Ok(Err(why));
        }
        let threshold = self.rouge_l.map_or(self.context.language().rouge.consistency_rouge_l, Share::get);
        let agreement = compare_calls(reading.call, call, self.context.rouge(), threshold);
        let (alike, why) = match agreement {
            Agreement::Disagree(why) => return Ok(Err(why)),
            Agreement::Agree => (true, String::new()),
            Agreement::ValuesDiffer { parameter, rouge_l } => {
                (false, format!("a reader finds another value of `{parameter}` (Rouge-L {rouge_l:.2})"))
            }
        };
        let judge = match self.accept {
            Accept::Rouge => return Ok(if alike { Ok(()) } else { Err(why) }),
            Accept::RougeOrJudge if alike => return Ok(Ok(())),
            Accept::Both if !alike => return Ok(Err(why)),
            Accept::RougeOrJudge | Accept::Judge | Accept::Both => self.judge(reading, call).await?,
        };
        Ok(if judge {
            Ok(())
        } else {
            Err(if why.is_empty() { "the judge sees another meaning".to_owned() } else { why })
        })
    }

    async fn judge(&self, reading: Reading<'_>, call: &FunctionCall) -> Result<bool, ItemError> {
        let variables = |common| {
            let (label, output) = (reading.call.arguments.clone(), call.arguments.clone());
            Variables::JudgeCall(JudgeVariables { common, query: reading.text.to_owned(), label, output })
        };
        let question = Question { task: Task::JudgeCall, role: "judge", item: &self.item.id, asks: 2 };
        match self.context.verdict(&question, variables).await {
            Err(ItemError::Item { fault, .. }) if fault.reason == "unparsable_verdict" => Ok(false),
            verdict => verdict,
        }
    }

    /// A sibling of what is read, of nobody who speaks there: a complete query of the same tool, written for this purpose and
    /// the same for everything that is read with that tool; where a model writes, for all stages that read. The query itself,
    /// or one with just its parameters, would give the label away.
    pub async fn example(&self, tool: &Arc<Tool>) -> Result<Option<CallExample>, ItemError> {
        for ordinal in 0..EXAMPLES {
            let sibling = match write_example(self.context, &self.item.root, tool, ordinal).await {
                Ok(Item { record: Record::Query(sibling), .. }) => sibling,
                Ok(_) => return Ok(None),
                Err(ItemError::Item { fault, .. }) if fault.reason != "transport" => return Ok(None),
                Err(failure) => return Err(failure),
            };
            let example = CallExample { query: sibling.text, call: sibling.call };
            let reading = Reading { text: &example.query, tool, call: &example.call };
            // A model may say something else than its label; the built-in one does not.
            if self.context.is_template("generator") || self.agrees(reading, None).await?.is_ok() {
                return Ok(Some(example));
            }
            self.context.count("example read in another way");
        }
        Ok(None)
    }
}

/// Writes the example that requests of a root are read with. Whoever writes these requests may ask for it with them, which spares
/// a wave of questions: it is the same question.
pub async fn write_example(
    context: &Context,
    root: &ItemId,
    tool: &Arc<Tool>,
    ordinal: usize,
) -> Result<Item, ItemError> {
    let stage = if context.is_template("generator") { context.stage() } else { EXAMPLE };
    let order = Order {
        id: root.child(stage, ordinal),
        root,
        tool,
        wanted: Wanted { preset: tool.parameters.required.clone(), ..Wanted::default() },
        data_type: EXAMPLE,
        asks: 3,
        batch: None,
        draws: Vec::new(),
    };
    write_query(&context.at(stage, None).voice(root, Some(0)), order).await
}

/// A day, an hour or a listed value that a reader finds another one for: of these nearly the same is another.
fn differing_form(reading: Reading<'_>, call: &FunctionCall) -> Option<String> {
    let differs = |(name, value): (&String, &Value)| {
        let parameter = reading.tool.parameters.properties.get(name)?;
        let is_form = parameter.values.is_some() || parameter.more.contains_key("format");
        let (label, read) = (value.as_str()?, call.arguments.get(name)?.as_str()?);
        let is_same = label == read || Stamp::read(label).is_some_and(|it| Stamp::read(read) == Some(it));
        (is_form && !is_same).then(|| format!("a reader finds `{read}` for `{name}`"))
    };
    reading.call.arguments.iter().find_map(differs)
}
