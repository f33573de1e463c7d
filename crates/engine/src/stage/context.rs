//! What a stage may reach: its models, the locale, the toolset. Stages touch neither files nor sockets by themselves.

use super::banks::Banks;
use super::domains::Domains;
use super::nearness::{plain, words};
use super::outcome::{Fault, Outcome};
use crate::assets::Assets;
use crate::failure::{ItemError, RunStopped};
use crate::gate::check_copied;
use crate::llm::{BUILT_IN, Chat, Common, FinishReason, Prompt, PromptError, Reply, Request, Task, Variables};
use crate::locale::{Language, Pack, RougeL, Stamp, Style, weekday_name};
use crate::model::Grammar;
use crate::record::{Chance, Draw, Item, ItemId, Message, Object, Tool};
use crate::stage::writing::people::{People, Person};
use crate::text::{read_line, read_plain, read_verdict};
use crate::toolset::Toolset;
use indexmap::IndexMap;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// What all stages of a run share.
pub struct Shared {
    /// Files by name.
    pub assets: Assets,
    /// What models put before an answer: `Answer`, `Output` ...
    pub labels: Vec<String>,
    /// The run's seed.
    pub seed: u64,
    /// The locale, with what the toolset brings along.
    pub pack: Arc<Pack>,
    /// The language of the locale.
    pub language: Arc<Language>,
    /// How texts of the locale are compared.
    pub rouge: RougeL,
    /// The tools of the run's toolsets together.
    pub toolset: Arc<Toolset>,
    /// The prompts, by task.
    pub prompts: IndexMap<Task, Arc<Prompt>>,
    /// The table of people, from whom those who speak are drawn.
    pub people: People,
    /// The names of the stages that draw people, in order.
    pub speakers: Vec<String>,
    /// What people want of each tool and how they say it.
    pub banks: Banks,
    /// Whether a language model reads requests with an example beside them.
    pub reads_with_examples: bool,
    /// Whether a stage writes what variants of dialogues plan, behind those that plan it.
    pub writes_variants: bool,
    /// The built-in model for what nobody else writes; made when it is first wanted.
    pub templates: OnceLock<Arc<Grammar>>,
    /// The same as a model that plays every role; made when it is first wanted.
    pub drafter: OnceLock<Chat>,
    /// Which tools' names and descriptions hold a word, by the tools' positions; made when it is first wanted.
    pub tools_by_word: OnceLock<BTreeMap<String, Vec<usize>>>,
    /// The time that days and hours are counted from, in ISO 8601.
    pub reference_time: String,
    /// The models, by role.
    pub chats: IndexMap<String, Chat>,
    /// How often rejected items were asked for anew, by stage and id.
    pub reruns: BTreeMap<(String, String), u32>,
    /// What is known of the domains of the toolset.
    pub domains: Domains,
    /// What was counted on the way, by stage and word: replies asked for again, ways of reading.
    pub counts: Counts,
}

/// Counts by stage and word.
#[derive(Debug, Default)]
pub struct Counts(Mutex<BTreeMap<(String, String), u64>>);

/// What one stage may reach.
#[derive(Clone)]
pub struct Context {
    stage: Arc<str>,
    role: Option<String>,
    table: Arc<[Object]>,
    prompt: Option<Arc<Prompt>>,
    schema: Option<Arc<Json>>,
    validator: Option<Arc<jsonschema::Validator>>,
    person: Option<Arc<Person>>,
    /// Whether the built-in model plays every role.
    drafts: bool,
    shared: Arc<Shared>,
}

/// The reason of a writer who finds that nobody would say such a thing. It is not asked again for the same: another draw has
/// other values.
pub const NOT_SENSIBLE: &str = "not_sensible";

/// The variable of a prompt that tells of each text who speaks in it.
pub const PLANS: &str = "requests";

/// A question about one item, before it is put to a model.
pub struct Question<'a> {
    /// What is asked for.
    pub task: Task,
    /// The role that is asked.
    pub role: &'a str,
    /// The item.
    pub item: &'a ItemId,
    /// How often it may be asked for, the first time included.
    pub asks: u32,
}

/// What was said and called so far, where a model serves a person turn by turn.
pub struct Said<'a> {
    /// What the person said at first, for a model that reads no prompt.
    pub query: &'a str,
    /// What followed.
    pub history: &'a [Message],
    /// The tools that go along natively.
    pub tools: Vec<Arc<Tool>>,
}

impl Counts {
    /// Adds one.
    pub fn add(&self, stage: &str, word: &str) {
        *self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry((stage.to_owned(), word.to_owned()))
            .or_default() += 1;
    }

    /// The counts so far, by stage and word.
    pub fn snapshot(&self) -> BTreeMap<String, BTreeMap<String, u64>> {
        let mut stages: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
        for ((stage, word), count) in self.0.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            stages.entry(stage.clone()).or_default().insert(word.clone(), *count);
        }
        stages
    }
}

impl Shared {
    /// What people should know of prompts of theirs that ask for one request at a time, as prompts did before there were plans.
    pub fn old_prompts(&self) -> Option<String> {
        let prompt = self.prompts.get(&Task::WriteQuery).filter(|prompt| !prompt.wants(PLANS))?;
        let asks = self.chats.values().any(|chat| !chat.is_template());
        let name = prompt.name();
        asks.then(|| format!("`{name}` asks for one request at a time, so each is asked for alone; with the plans in `{PLANS}` it can ask for several"))
    }

    /// Loads the prompts of every task in the locale.
    pub fn prompts(assets: &Assets, locale: &str) -> Result<IndexMap<Task, Arc<Prompt>>, PromptError> {
        Task::WITH_PROMPT
            .iter()
            .copied()
            .map(|task| Ok((task, Arc::new(Prompt::load(assets, task.folder(), locale)?))))
            .collect()
    }
}

impl Context {
    /// What the stage of that name may reach, which asks `role`.
    pub fn new(stage: &str, role: Option<String>, shared: Arc<Shared>) -> Self {
        let table = Arc::from(Vec::new());
        Self {
            stage: Arc::from(stage),
            role,
            table,
            prompt: None,
            schema: None,
            validator: None,
            person: None,
            drafts: false,
            shared,
        }
    }

    /// The same with the rows of the table that its config names: seeds, categories, rows to answer.
    #[must_use]
    pub fn with_table(self, table: Vec<Object>) -> Self {
        Self { table: table.into(), ..self }
    }

    /// The same with the prompt that its config names in place of the one that ships.
    #[must_use]
    pub fn with_prompt(self, prompt: Prompt) -> Self {
        Self { prompt: Some(Arc::new(prompt)), ..self }
    }

    /// The same with the JSON Schema of its answers, which its config names.
    pub fn with_schema(self, schema: Json) -> Result<Self, String> {
        let validator = jsonschema::validator_for(&schema).map_err(|error| error.to_string())?;
        Ok(Self { schema: Some(Arc::new(schema)), validator: Some(Arc::new(validator)), ..self })
    }

    /// The same under another name, asking another role.
    #[must_use]
    pub fn at(&self, stage: &str, role: Option<&str>) -> Self {
        Self { stage: Arc::from(stage), role: role.map(str::to_owned), ..self.clone() }
    }

    /// The same where a person speaks: whoever began the item, and otherwise the `ordinal`-th who is drawn for its root.
    /// Where a template writes, nobody speaks.
    #[must_use]
    pub fn speaking(&self, item: &Item, ordinal: Option<usize>) -> Self {
        match Person::of(&item.provenance) {
            Some(person) => Self { person: Some(Arc::new(person)), ..self.clone() },
            None => self.voice(&item.root, ordinal),
        }
    }

    /// The same where the `ordinal`-th person that is drawn for a root speaks; nobody where a template writes.
    #[must_use]
    pub fn voice(&self, root: &ItemId, ordinal: Option<usize>) -> Self {
        let people = &self.shared.people;
        let drawn = ordinal.filter(|_| !people.is_empty() && !self.is_template(self.role()));
        let chance = || Chance::new(self.shared.seed, "people", root.as_str(), 0);
        let (rank, count) = self.rank();
        let draw = |ordinal: usize| people.draw(chance(), ordinal.saturating_mul(count).saturating_add(rank));
        Self { person: drawn.and_then(draw).map(Arc::new), ..self.clone() }
    }

    /// The same where the built-in model plays every role: what it says stands for a plan until a model writes it.
    #[must_use]
    pub fn drafting(&self) -> Self {
        Self { drafts: true, person: None, ..self.clone() }
    }

    /// Whether this is a draft, which a language model words anew.
    pub fn is_draft(&self) -> bool {
        self.drafts
    }

    /// Which of the stages that draw people it is, from 0, and how many there are: they take turns, so that no two have the
    /// same person for a root.
    pub fn rank(&self) -> (usize, usize) {
        let speakers = &self.shared.speakers;
        (speakers.iter().position(|name| **name == *self.stage).unwrap_or(0), speakers.len().max(1))
    }

    /// What prompts are given of the person who speaks.
    pub fn person(&self) -> Option<Object> {
        Some(self.person.as_ref()?.shown(&self.shared.pack.styles))
    }

    /// The prompt of a task: the one that the stage's config names, or the one that ships.
    pub fn prompt_of(&self, task: Task) -> Option<&Prompt> {
        self.prompt.as_ref().or_else(|| self.shared.prompts.get(&task)).map(|prompt| &**prompt)
    }

    /// The banks of the run.
    pub fn banks(&self) -> &Banks {
        &self.shared.banks
    }

    /// That time where a model writes, whose values have the forms of their schemas; a template says them letter by letter.
    pub fn writing_time(&self) -> Option<String> {
        (!self.is_template("generator")).then(|| self.reference_time().to_owned())
    }

    /// The positions of the tools whose names or descriptions hold a word.
    pub fn tools_with(&self, word: &str) -> &[usize] {
        let index = self.shared.tools_by_word.get_or_init(|| {
            let mut index: BTreeMap<String, Vec<usize>> = BTreeMap::new();
            for (at, tool) in self.toolset().tools.iter().enumerate() {
                let text = format!("{} {}", words(&tool.name).join(" "), plain(&tool.description));
                for word in text.split(' ').collect::<BTreeSet<_>>() {
                    index.entry(word.to_owned()).or_default().push(at);
                }
            }
            index
        });
        index.get(word).map_or(&[], Vec::as_slice)
    }

    /// Whether a language model reads requests with an example beside them.
    pub fn reads_with_examples(&self) -> bool {
        self.shared.reads_with_examples
    }

    /// Whether a later stage writes the variants of dialogues that are planned.
    pub fn writes_variants(&self) -> bool {
        self.shared.writes_variants
    }

    /// The built-in model, for what nobody else writes.
    pub fn templates(&self) -> &Arc<Grammar> {
        let Shared { templates, pack, seed, .. } = &*self.shared;
        templates.get_or_init(|| Arc::new(Grammar::new(pack.clone(), *seed)))
    }

    fn drafter(&self) -> &Chat {
        self.shared.drafter.get_or_init(|| {
            let grammar = self.templates().clone();
            Chat::builtin(BUILT_IN, Arc::new(move |request: &Request| grammar.reply(request)))
        })
    }

    /// The time that days and hours are counted from, in ISO 8601.
    pub fn reference_time(&self) -> &str {
        &self.shared.reference_time
    }

    /// The outcome with a note in each item of who speaks in it.
    pub fn signed(&self, outcome: Result<Outcome, RunStopped>) -> Result<Outcome, RunStopped> {
        let mut outcome = outcome?;
        if let Some(person) = &self.person {
            person.sign(&mut outcome);
        }
        Ok(outcome)
    }

    /// The name of the style in which a person speaks, with its description: the one that is wanted, that of whoever
    /// speaks, or one that is drawn.
    pub fn manner(&self, styles: &[Style], wanted: Option<&str>, chance: &mut Chance) -> (String, String) {
        let drawn = styles.get(chance.weighted(styles.iter().map(|style| style.weight)));
        let wanted = styles.iter().find(|style| wanted == Some(style.name.as_str()));
        let own = || self.person.as_ref()?.style(styles);
        let style = wanted.or_else(own).or(drawn);
        style.map(|style| (style.name.clone(), style.description.clone())).unwrap_or_default()
    }

    /// The fault of an argument whose value is copied from an example of the task's prompt; the built-in model reads none.
    pub fn check_copied(&self, task: Task, tool: &Tool, arguments: &Object) -> Result<(), Fault> {
        let Some(prompt) = self.prompt_of(task).filter(|_| !self.is_template(self.role())) else { return Ok(()) };
        check_copied(tool, arguments, |text| prompt.brings(text))
    }

    /// The fault of a text that copies words from an example of the task's prompt.
    pub fn check_echo(&self, task: Task, text: &str) -> Result<(), Fault> {
        let prompt = self.prompt_of(task).filter(|_| !self.is_template(self.role()));
        if let Some(label) = prompt.and_then(|prompt| prompt.pasted(text)) {
            return Err(Fault::new("pasted_prompt", format!("`{label}` is a part of the prompt")));
        }
        let Some(echoed) = prompt.and_then(|prompt| prompt.echoed(text)) else { return Ok(()) };
        Err(Fault::new("copied_example", format!("`{echoed}` stands in the example; use words of your own")))
    }

    /// The text of a reply, without quotes, fences and labels around it.
    pub fn text(&self, reply: &Reply) -> Result<String, Fault> {
        Ok(read_plain(&reply.text, &self.shared.labels)?.0)
    }

    /// The same of a text of one line: of several, the first.
    pub fn line(&self, reply: &Reply) -> Result<String, Fault> {
        Ok(read_line(&reply.text, &self.shared.labels)?.0)
    }

    /// Files by name.
    pub fn assets(&self) -> &Assets {
        &self.shared.assets
    }

    /// The stage's name.
    pub fn stage(&self) -> &str {
        &self.stage
    }

    /// The role that this stage asks, for its main questions.
    pub fn role(&self) -> &str {
        self.role.as_deref().unwrap_or("generator")
    }

    /// The rows of the table that its config names.
    pub fn table(&self) -> &Arc<[Object]> {
        &self.table
    }

    /// JSON Schema of the answers that it wants, and what checks them, where its config names one.
    pub fn schema(&self) -> Option<(&Arc<Json>, &jsonschema::Validator)> {
        self.schema.as_ref().zip(self.validator.as_deref())
    }

    /// The locale, with what the toolset brings along.
    pub fn pack(&self) -> &Arc<Pack> {
        &self.shared.pack
    }

    /// The language of the locale.
    pub fn language(&self) -> &Arc<Language> {
        &self.shared.language
    }

    /// How texts of the locale are compared.
    pub fn rouge(&self) -> &RougeL {
        &self.shared.rouge
    }

    /// The tools of the run's toolsets together.
    pub fn toolset(&self) -> &Arc<Toolset> {
        &self.shared.toolset
    }

    /// What is known of the domains of the toolset.
    pub fn domains(&self) -> &Domains {
        &self.shared.domains
    }

    /// The run's seed, for what does not depend on the stage.
    pub fn seed(&self) -> u64 {
        self.shared.seed
    }

    /// The stage's chance for an item, or for whatever else a key names.
    pub fn chance(&self, key: &str, draw: u32) -> Chance {
        Chance::new(self.shared.seed, &self.stage, key, draw)
    }

    /// The same for a part of the stage's work.
    pub fn chance_of(&self, part: &str, key: &str, draw: u32) -> Chance {
        Chance::new(self.shared.seed, &format!("{}/{part}", self.stage), key, draw)
    }

    /// A question to the stage's role about an item, asked at most `asks` times.
    pub fn question<'a>(&'a self, task: Task, item: &'a ItemId, asks: u32) -> Question<'a> {
        Question { task, role: self.role(), item, asks }
    }

    /// An item that the stage drops.
    pub fn reject(&self, id: &ItemId, fault: Fault, text: impl Into<String>) -> Outcome {
        Outcome::reject(id, &self.stage, fault, text)
    }

    /// What comes of a failure: an item that the stage drops, or a reason to stop.
    pub fn failed(&self, id: &ItemId, failure: ItemError) -> Result<Outcome, RunStopped> {
        Outcome::of(Err(failure), id, &self.stage)
    }

    /// What comes of an item's work: the item, or what came of its failure.
    pub fn settled(&self, id: &ItemId, made: Result<Item, ItemError>) -> Result<Outcome, RunStopped> {
        Outcome::of(made, id, &self.stage)
    }

    /// Counts something of the stage, by a word.
    pub fn count(&self, word: &str) {
        self.shared.counts.add(&self.stage, word);
    }

    /// Asks until `read` is content with a reply, at most `question.asks` times; what was wrong goes into the next
    /// asking. The last fault rejects the item.
    pub async fn obtain<T>(
        &self,
        question: &Question<'_>,
        schema: Option<Arc<Json>>,
        variables: impl Fn(Common) -> Variables,
        read: impl FnMut(&Reply) -> Result<T, Fault>,
    ) -> Result<(T, Draw), ItemError> {
        self.obtain_after(None, question, schema, variables, read).await
    }

    /// The same where it was asked for once before, together with others, and that answer had a fault.
    pub async fn obtain_after<T>(
        &self,
        fault: Option<Fault>,
        question: &Question<'_>,
        schema: Option<Arc<Json>>,
        variables: impl Fn(Common) -> Variables,
        mut read: impl FnMut(&Reply) -> Result<T, Fault>,
    ) -> Result<(T, Draw), ItemError> {
        let first = self.first_draw(question);
        let mut told = fault.as_ref().map(|fault| self.explained(fault)).unwrap_or_default();
        let asked = u32::from(fault.is_some());
        let mut last = (fault.unwrap_or_else(|| Fault::new("unparsable", "never asked")), String::new());
        for draw in first + asked..first + question.asks.max(1 + asked) {
            let (reply, draw) = self.ask(question, draw, schema.clone(), &told, &variables).await?;
            match whole(&reply).and_then(|()| read(&reply)) {
                Ok(result) => return Ok((result, draw)),
                Err(fault) => {
                    self.count(fault.reason);
                    told = self.explained(&fault);
                    let is_verdict = fault.reason == NOT_SENSIBLE;
                    last = (fault, reply.text);
                    if is_verdict {
                        break;
                    }
                }
            }
        }
        Err(ItemError::Item { fault: last.0, text: last.1 })
    }

    /// A fault as a retry prompt reports it, in the locale's language if it has a sentence for it.
    pub fn explained(&self, fault: &Fault) -> String {
        fault.in_words(&self.pack().faults)
    }

    /// Asks whether something is so; a verdict that cannot be read is asked for again.
    pub async fn verdict(
        &self,
        question: &Question<'_>,
        variables: impl Fn(Common) -> Variables,
    ) -> Result<bool, ItemError> {
        let read = |reply: &Reply| {
            let (verdict, way) = read_verdict(&reply.text)
                .ok_or_else(|| Fault::new("unparsable_verdict", "expected only True or False"))?;
            self.count(&format!("verdict {way}"));
            Ok(verdict)
        };
        Ok(self.obtain(question, question.task.reply_schema(), variables, read).await?.0)
    }

    /// The next turn of a model that serves a person; `time` is the how-manieth time from 0 that all of it is done.
    pub async fn turn(
        &self,
        question: &Question<'_>,
        time: u32,
        fault: &str,
        variables: &impl Fn(Common) -> Variables,
        said: Said<'_>,
    ) -> Result<(Reply, Draw), ItemError> {
        let chat = self.chat(question)?;
        let draw = self.first_draw(question) + time;
        let mut request = self.request(question, draw, None, fault, variables)?;
        let prompt_hash = self.render(chat, &mut request)?;
        let user = if chat.is_builtin() { said.query.to_owned() } else { std::mem::take(&mut request.user) };
        request.history = std::iter::once(Message::user(user)).chain(said.history.iter().cloned()).collect();
        request.tools = said.tools;
        let reply = self.heard(chat.ask(&request).await?);
        whole(&reply).map_err(|fault| ItemError::Item { fault, text: reply.text.clone() })?;
        Ok((reply, self.drawn(chat, prompt_hash, draw)))
    }

    /// One reply to one question; `time` is the how-manieth asking from 0, and `fault` what was wrong with the last.
    pub async fn once(
        &self,
        question: &Question<'_>,
        time: u32,
        schema: Option<Arc<Json>>,
        fault: &str,
        variables: &impl Fn(Common) -> Variables,
    ) -> Result<(Reply, Draw), ItemError> {
        let (reply, draw) = self.ask(question, self.first_draw(question) + time, schema, fault, variables).await?;
        whole(&reply).map_err(|fault| ItemError::Item { fault, text: reply.text.clone() })?;
        Ok((reply, draw))
    }

    async fn ask(
        &self,
        question: &Question<'_>,
        draw: u32,
        schema: Option<Arc<Json>>,
        fault: &str,
        variables: &impl Fn(Common) -> Variables,
    ) -> Result<(Reply, Draw), ItemError> {
        let chat = self.chat(question)?;
        let mut request = self.request(question, draw, schema, fault, variables)?;
        let prompt_hash = self.render(chat, &mut request)?;
        let reply = self.heard(chat.ask(&request).await?);
        Ok((reply, self.drawn(chat, prompt_hash, draw)))
    }

    /// Notes how a reply ended where the server has a word of its own for it.
    fn heard(&self, reply: Reply) -> Reply {
        if let FinishReason::Other(word) = &reply.finish {
            let word: String = word.chars().take(LONGEST_WORD).collect();
            self.count(&format!("finish {word}"));
        }
        reply
    }

    fn chat(&self, question: &Question<'_>) -> Result<&Chat, ItemError> {
        if self.drafts {
            return Ok(self.drafter());
        }
        let chat = self.shared.chats.get(question.role).or_else(|| self.shared.chats.get("generator"));
        chat.ok_or_else(|| Fault::new("no_model", format!("no model plays `{}`", question.role)).into())
    }

    /// The weekday of a time in ISO 8601, in the locale's language; empty where it is none.
    pub fn weekday(&self, time: &str) -> String {
        let today = Stamp::read(time).and_then(|stamp| stamp.date);
        let name = today.map_or("", |day| weekday_name(day, self.language()));
        let mut letters = name.chars();
        letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
    }

    fn request(
        &self,
        question: &Question<'_>,
        draw: u32,
        schema: Option<Arc<Json>>,
        fault: &str,
        variables: &impl Fn(Common) -> Variables,
    ) -> Result<Request, ItemError> {
        let structured = self.chat(question)?.structured(question.task, schema.as_deref());
        let common = Common {
            locale: self.shared.pack.code.clone(),
            language: self.shared.pack.name.clone(),
            structured,
            fault: fault.to_owned(),
            weekday: self.weekday(self.reference_time()),
        };
        Ok(Request {
            task: question.task,
            stage: self.stage.clone(),
            item: Arc::from(question.item.as_str()),
            draw,
            system: None,
            history: Vec::new(),
            user: String::new(),
            variables: Arc::new(variables(common)),
            schema: schema.filter(|_| structured || question.task == Task::Generate),
            tools: Vec::new(),
            temperature: None,
        })
    }

    /// Renders the prompt, for a model that reads one, and gives its hash.
    fn render(&self, chat: &Chat, request: &mut Request) -> Result<String, ItemError> {
        let Some(prompt) = self.prompt_of(request.task) else { return Ok(String::new()) };
        if !chat.is_builtin() {
            let rendered = prompt.render(&request.variables.fields());
            let rendered = rendered.map_err(|error| Fault::new("prompt", error.to_string()))?;
            request.system = rendered.system;
            request.user = rendered.user;
            if let Some(person) = self.person.as_ref().filter(|_| request.task.is_voiced() && !prompt.wants(PLANS)) {
                let told = self.shared.people.introduce(person, &self.shared.pack.styles);
                let told = told.map_err(|error| Fault::new("prompt", error.to_string()))?;
                request.user = format!("{told}\n\n{}", request.user);
            }
        }
        Ok(prompt.hash().to_owned())
    }

    fn drawn(&self, chat: &Chat, prompt: String, draw: u32) -> Draw {
        Draw { stage: self.stage.to_string(), model: chat.model_name().to_owned(), prompt, draw }
    }

    /// How often an item was asked for anew in this stage: what it draws is then drawn anew as well.
    pub fn times(&self, item: &ItemId) -> u32 {
        let times = self.shared.reruns.get(&(self.stage.to_string(), item.to_string()));
        times.copied().unwrap_or(0)
    }

    /// Whether an item is asked for anew in this stage.
    pub fn is_rerun(&self, item: &ItemId) -> bool {
        self.shared.reruns.contains_key(&(self.stage.to_string(), item.to_string()))
    }

    /// Items that are asked for anew begin behind all draws of the times before.
    fn first_draw(&self, question: &Question<'_>) -> u32 {
        if self.shared.reruns.is_empty() {
            return 0;
        }
        // What is asked below an item, as for the turns of a dialogue, is asked anew with the item.
        let below = question.item.as_str().match_indices('/').map(|(end, _)| end);
        let mut ids = below.chain([question.item.as_str().len()]).filter_map(|end| question.item.as_str().get(..end));
        let times = ids.find_map(|id| self.shared.reruns.get(&(self.stage.to_string(), id.to_owned())));
        times.copied().unwrap_or(0) * question.asks.max(1)
    }

    /// Whether the role's answers are composed from templates.
    pub fn is_template(&self, role: &str) -> bool {
        let chats = &self.shared.chats;
        self.drafts || chats.get(role).or_else(|| chats.get("generator")).is_none_or(Chat::is_template)
    }
}

#[cfg(any(test, feature = "fixtures"))]
impl Context {
    /// The same with other shared things.
    #[must_use]
    pub fn sharing(self, change: impl FnOnce(&mut Shared)) -> Self {
        let old = &self.shared;
        let mut shared = Shared {
            assets: old.assets.clone(),
            labels: old.labels.clone(),
            seed: old.seed,
            rouge: old.rouge.clone(),
            pack: old.pack.clone(),
            language: old.language.clone(),
            toolset: old.toolset.clone(),
            prompts: old.prompts.clone(),
            people: old.people.clone(),
            speakers: old.speakers.clone(),
            banks: Banks::default(),
            reads_with_examples: old.reads_with_examples,
            writes_variants: old.writes_variants,
            templates: OnceLock::new(),
            drafter: OnceLock::new(),
            tools_by_word: OnceLock::new(),
            reference_time: old.reference_time.clone(),
            chats: old.chats.clone(),
            reruns: old.reruns.clone(),
            domains: Domains::default(),
            counts: Counts::default(),
        };
        change(&mut shared);
        Self { shared: Arc::new(shared), ..self }
    }

    /// What was counted.
    pub fn counts(&self) -> BTreeMap<String, BTreeMap<String, u64>> {
        self.shared.counts.snapshot()
    }
}

/// A server's word for the end of a reply is noted up to here.
const LONGEST_WORD: usize = 40;

/// What is wrong with a reply that is not whole. It may read well all the same, and nobody can tell what is missing.
fn whole(reply: &Reply) -> Result<(), Fault> {
    match reply.finish {
        FinishReason::Length => {
            Err(Fault::new("truncated", "the reply was cut off at the limit of its tokens (`max_tokens`)"))
        }
        FinishReason::ContentFilter => {
            Err(Fault::new("filtered", "the server's content filter withheld the reply or a part of it"))
        }
        FinishReason::Stop | FinishReason::ToolCalls | FinishReason::Other(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{context, speaking, with_shared};
    use super::*;
    use crate::llm::{SelectVariables, Variables};

    fn question(item: &ItemId, asks: u32) -> Question<'_> {
        Question { task: Task::SelectParameters, role: "generator", item, asks }
    }

    fn variables(common: Common) -> Variables {
        Variables::SelectParameters(SelectVariables { common, tool: Arc::default(), count: 1 })
    }

    fn wanted(reply: &Reply) -> Result<String, Fault> {
        if reply.text.contains("good") {
            Ok(reply.text.clone())
        } else {
            Err(Fault::new("bad", format!("`{}` is bad", reply.text)))
        }
    }

    #[tokio::test]
    async fn what_was_wrong_is_told_in_the_next_asking() {
        let (context, asked) =
            context(|request| if request.draw < 2 { format!("no {}", request.draw) } else { "good".to_owned() });
        let item = ItemId::root("a");
        let (text, draw) = context.obtain(&question(&item, 3), None, variables, wanted).await.unwrap();
        assert_eq!((text.as_str(), draw.draw, draw.model.as_str()), ("good", 2, "grammar"));
        assert_eq!(asked.faults(), ["", "`no 0` is bad", "`no 1` is bad"]);
        assert_eq!(context.counts()["stage"]["bad"], 2);
        assert_eq!(draw.prompt, context.shared.prompts[&Task::SelectParameters].hash());
    }

    #[tokio::test]
    async fn the_last_fault_rejects_and_its_text_is_kept() {
        let (context, asked) = context(|request| format!("no {}", request.draw));
        let failure = context.obtain(&question(&ItemId::root("a"), 2), None, variables, wanted).await.unwrap_err();
        let fault = Fault::new("bad", "`no 1` is bad");
        assert_eq!(failure, ItemError::Item { fault, text: "no 1".to_owned() });
        assert_eq!(asked.draws(), [0, 1]);
    }

    #[tokio::test]
    async fn a_reply_that_is_not_whole_is_asked_for_again_and_rejected_although_it_reads_well() {
        let ends = [(FinishReason::Length, "truncated"), (FinishReason::ContentFilter, "filtered")];
        for (finish, reason) in ends {
            let cut = finish.clone();
            let (context, asked) = speaking(move |request| {
                let finish = if request.draw < 2 { cut.clone() } else { FinishReason::Stop };
                Reply { text: "good".to_owned(), finish, ..Reply::default() }
            });
            let item = ItemId::root("a");
            let failure = context.obtain(&question(&item, 2), None, variables, wanted).await.unwrap_err();
            assert!(matches!(failure, ItemError::Item { fault, text } if fault.reason == reason && text == "good"));
            assert_eq!(context.obtain(&question(&item, 3), None, variables, wanted).await.unwrap().1.draw, 2);
            assert_eq!(context.counts()["stage"][reason], 4);
            assert!(asked.faults()[1].contains("the"), "what was wrong is told: {:?}", asked.faults());
            let once = context.once(&question(&item, 1), 0, None, "", &variables).await.unwrap_err();
            assert!(matches!(once, ItemError::Item { fault, .. } if fault.reason == reason));
            let said = Said { query: "q", history: &[], tools: Vec::new() };
            let turn = context.turn(&question(&item, 1), 0, "", &variables, said).await.unwrap_err();
            assert!(matches!(turn, ItemError::Item { fault, .. } if fault.reason == reason));
        }
    }

    #[tokio::test]
    async fn a_server_s_own_word_for_the_end_is_taken_as_it_is_and_noted() {
        let (context, _) = speaking(|_| Reply {
            text: "good".to_owned(),
            finish: FinishReason::Other(format!("eos_token{}", "x".repeat(90))),
            ..Reply::default()
        });
        let (text, _) = context.obtain(&question(&ItemId::root("a"), 2), None, variables, wanted).await.unwrap();
        let noted = &context.counts()["stage"];
        assert_eq!((text.as_str(), noted.len()), ("good", 1));
        assert!(noted.keys().all(|word| word.starts_with("finish eos_tokenx") && word.len() < 50), "{noted:?}");
    }

    #[tokio::test]
    async fn asking_anew_begins_behind_the_draws_before() {
        let (context, asked) = context(|_| "good".to_owned());
        let context = with_shared(context, |shared| {
            shared.reruns = BTreeMap::from([(("stage".to_owned(), "a".to_owned()), 2)]);
        });
        context.obtain(&question(&ItemId::root("a"), 3), None, variables, wanted).await.unwrap();
        context.obtain(&question(&ItemId::root("b"), 3), None, variables, wanted).await.unwrap();
        assert_eq!(asked.draws(), [6, 0]);
    }

    #[tokio::test]
    async fn a_verdict_that_cannot_be_read_is_asked_for_again() {
        let (context, asked) = context(|request| ["perhaps", "True"][request.draw as usize].to_owned());
        assert_eq!(context.verdict(&question(&ItemId::root("a"), 2), variables).await, Ok(true));
        assert_eq!(asked.faults(), ["", "expected only True or False"]);
        let failure = context.verdict(&question(&ItemId::root("a"), 1), variables).await.unwrap_err();
        assert!(matches!(failure, ItemError::Item { fault, .. } if fault.reason == "unparsable_verdict"));
    }

    #[tokio::test]
    async fn a_role_without_a_model_is_played_by_the_generator() {
        let (context, asked) = context(|_| "good".to_owned());
        let item = ItemId::root("a");
        let judge = Question { role: "judge", ..question(&item, 1) };
        assert!(context.obtain(&judge, None, variables, wanted).await.is_ok());
        assert_eq!((asked.count(), context.is_template("judge"), context.role()), (1, true, "generator"));
        let nobody = with_shared(context, |shared| shared.chats.clear());
        let failure = nobody.obtain(&judge, None, variables, wanted).await.unwrap_err();
        assert!(matches!(failure, ItemError::Item { fault, .. } if fault.reason == "no_model"));
    }

    #[tokio::test]
    async fn a_schema_goes_along_only_where_it_can_be_kept() {
        let (context, asked) = context(|_| "good".to_owned());
        let item = ItemId::root("a");
        let schema = Task::JudgeCall.reply_schema();
        context.obtain(&question(&item, 1), schema.clone(), variables, wanted).await.unwrap();
        let row = Question { task: Task::Generate, ..question(&item, 1) };
        context.obtain(&row, schema, |_| Variables::Generate(Object::new()), wanted).await.unwrap();
        let sent: Vec<bool> = asked.requests().iter().map(|request| request.schema.is_some()).collect();
        assert_eq!(sent, [false, true], "the built-in model writes text, and rows by their schema");
    }

    #[test]
    fn words_are_counted_by_stage() {
        let counts = Counts::default();
        for (stage, word) in [("ask", "bad"), ("ask", "bad"), ("judge", "bad")] {
            counts.add(stage, word);
        }
        let snapshot = counts.snapshot();
        assert_eq!((snapshot["ask"]["bad"], snapshot["judge"]["bad"]), (2, 1));
        assert!(matches!(
            ItemError::from(crate::llm::ChatError::Interrupted),
            ItemError::Stopped(RunStopped::Interrupted)
        ));
    }
}
