//! Lets a model invent the APIs of each domain from its scenario (CallNavi section 4).

use crate::failure::ItemError;
use crate::llm::tasks::{DraftToolkit, read_toolkit};
use crate::llm::{ApisVariables, Reply, Task, Variables};
use crate::locale::NearDuplicates;
use crate::record::{Catalogue, Draw, Item, ItemId, Object, Provenance, Record, RecordKind, Row, Tool, Value};
use crate::settings::{Count, Located, Share, count, share};
use crate::stage::context::Context;
use crate::stage::facts::{Content, Settings, StageMeta};
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::source::Source;
use crate::stage::work::{Stage, Work};
use crate::toolset::take_spoilt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Generates the APIs of each domain from its scenario.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApisConfig {
    /// A table of scenarios (.csv, .jsonl, .toml): `name` of the domain, `title`, `scenario`, and optionally `things`,
    /// the comma-separated subjects of the domain.
    scenarios: Located,
    /// Required APIs per domain.
    #[serde(default = "count::<50>")]
    target: Count,
    /// Maximum APIs per request.
    #[serde(default = "count::<20>")]
    batch: Count,
    /// Rouge-L F1 at or above which two API descriptions count as duplicates.
    #[serde(default = "share::<95>")]
    rouge_l: Share,
    /// Maximum attempts to get a usable reply, including the first.
    #[serde(default = "count::<3>")]
    asks: Count,
}

impl Stage for ApisConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::source("apis", RecordKind::Catalogue).asks("generator")
    }

    fn settings(&self) -> Settings<'_> {
        Settings::default().file("scenarios", &self.scenarios, Content::Table)
    }

    fn roots(&self, context: &Context) -> Source {
        Source::Items(Self::source(context))
    }

    /// Asks for APIs, some at a time, until there are as many as are wanted or nothing new comes.
    fn each<'a>(&'a self, context: &'a Context, item: Item) -> Work<'a> {
        Box::pin(async move {
            let Record::Row(row) = &item.record else { return Ok(Outcome::keep(item)) };
            let wanted = self.target.get();
            let mut kept = Kept::new(context, item.id.as_str(), self.rouge_l.get());
            let mut draws = Vec::new();
            let mut batch = 0;
            // Every batch may lose half of what it holds.
            let most = 2 * wanted.div_ceil(self.batch.get());
            while kept.tools.len() < wanted && batch < most {
                let id = item.id.child(context.stage(), batch);
                match self.batch(context, &row.fields, &kept, &id).await {
                    Ok((toolkit, draw)) => {
                        draws.push(draw);
                        for faulty in toolkit.faulty {
                            kept.reject(&faulty.name, Fault::new("faulty_tool", faulty.told()), faulty.text);
                        }
                        for tool in toolkit.tools {
                            kept.add(tool, wanted);
                        }
                    }
                    Err(failure) => {
                        let lost = context.failed(&id, failure)?;
                        kept.rejected.extend(lost.rejected);
                    }
                }
                batch += 1;
            }
            Ok(kept.finish(context, &item, &row.fields, wanted, draws))
        })
    }
}

impl ApisConfig {
    /// The scenarios, each the root of its domain.
    pub(crate) fn source(context: &Context) -> Vec<Item> {
        let item = |(place, fields): (usize, &Object)| {
            let name = text(fields, "name");
            let id = ItemId::root(if name.is_empty() { format!("domain{}", place + 1) } else { name });
            let record = Record::Row(Row { fields: fields.clone() });
            Item { root: id.clone(), id, record, provenance: Provenance::default() }
        };
        context.table().iter().enumerate().map(item).collect()
    }

    async fn batch(
        &self,
        context: &Context,
        row: &Object,
        kept: &Kept,
        id: &ItemId,
    ) -> Result<(DraftToolkit, Draw), ItemError> {
        let count = self.batch.get().min(self.target.get() - kept.tools.len());
        let known: Vec<String> = kept.tools.iter().map(|tool| tool.function().to_owned()).collect();
        let variables = |common| {
            Variables::WriteApis(ApisVariables {
                common,
                title: text(row, "title"),
                scenario: text(row, "scenario"),
                things: text(row, "things"),
                count,
                known: known.clone(),
            })
        };
        let question = context.question(Task::WriteApis, id, self.asks.as_draws());
        let read = |reply: &Reply| {
            let toolkit = read_toolkit(&reply.text, &known)?.0;
            match toolkit.told() {
                Some(told) if toolkit.tools.is_empty() => Err(Fault::new("faulty_tool", told)),
                _ => Ok(toolkit),
            }
        };
        context.obtain(&question, question.task.reply_schema(), variables, read).await
    }
}

/// The APIs of a domain so far.
struct Kept {
    domain: String,
    stage: String,
    rouge_l: f64,
    tools: Vec<Arc<Tool>>,
    descriptions: NearDuplicates,
    rejected: Vec<crate::record::Reject>,
}

impl Kept {
    fn new(context: &Context, domain: &str, rouge_l: f64) -> Self {
        Self {
            domain: domain.to_owned(),
            stage: context.stage().to_string(),
            rouge_l,
            tools: Vec::new(),
            descriptions: NearDuplicates::new(context.rouge().clone()),
            rejected: Vec::new(),
        }
    }

    /// Adds an API unless it is one that is there.
    fn add(&mut self, tool: Tool, wanted: usize) {
        if self.tools.len() >= wanted {
            return;
        }
        match self.fault(&tool) {
            Some(fault) => self.reject(&tool.name, fault, tool.description),
            None => self.tools.push(Arc::new(Tool { name: format!("{}.{}", self.domain, tool.name), ..tool })),
        }
    }

    fn reject(&mut self, name: &str, fault: Fault, text: String) {
        let id = ItemId::root(format!("{}/{name}", self.domain));
        self.rejected.extend(Outcome::reject(&id, &self.stage, fault, text).rejected);
    }

    fn fault(&mut self, tool: &Tool) -> Option<Fault> {
        let plain = |name: &str| name.to_lowercase().trim_end_matches('s').to_owned();
        let twin = self.tools.iter().find(|it| plain(it.function()) == plain(&tool.name));
        if let Some(twin) = twin {
            return Some(Fault::new("api_twice", format!("`{}` is there as `{}`", tool.name, twin.function())));
        }
        if tool.returns.is_none() {
            return Some(Fault::new("no_returns", format!("`{}` returns nothing", tool.name)));
        }
        let earlier = self.descriptions.insert_if_new(&tool.description, self.rouge_l).err()?;
        let like = self.tools.get(earlier).map_or("another", |tool| tool.function());
        Some(Fault::new("near_duplicate", format!("the description of `{}` is too like that of `{like}`", tool.name)))
    }

    fn finish(mut self, context: &Context, item: &Item, row: &Object, wanted: usize, draws: Vec<Draw>) -> Outcome {
        for (tool, told) in take_spoilt(context.assets(), &mut self.tools, context.pack()) {
            self.reject(tool.function(), Fault::new("faulty_tool", told), tool.description.clone());
        }
        let mut outcome = Outcome { kept: Vec::new(), rejected: self.rejected };
        if self.tools.len() < wanted.div_ceil(2) {
            let detail = format!("{wanted} APIs were wanted, {} came", self.tools.len());
            let fault = Fault::new("too_few_tools", detail);
            outcome.rejected.extend(Outcome::reject(&item.id, &self.stage, fault, text(row, "scenario")).rejected);
            return outcome;
        }
        let catalogue = Catalogue { domain: self.domain, title: text(row, "title"), tools: self.tools };
        let template = context.is_template(context.role());
        outcome.kept.push(Item {
            id: item.id.clone(),
            root: item.root.clone(),
            record: Record::Catalogue(Arc::new(catalogue)),
            provenance: Provenance { template, draws, ..Provenance::default() },
        });
        outcome
    }
}

fn text(fields: &Object, key: &str) -> String {
    fields.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::testing::{Asked, context};

    fn api(name: &str, returns: bool) -> String {
        let returns = if returns { r#"[{"name": "id", "type": "string"}]"# } else { "[]" };
        format!(
            r#"{{"tool": "{name}", "name": "t", "description": "Does {name} for people", "parameters": [], "returns": {returns}}}"#
        )
    }

    fn list(names: &[&str]) -> String {
        let apis: Vec<String> = names.iter().map(|name| api(name, true)).collect();
        format!("```json\n[{}]\n```", apis.join(", "))
    }

    async fn made(settings: &str, replies: &'static [&'static [&'static str]]) -> (Outcome, Asked) {
        let (context, asked) = context(move |request| {
            let batch: usize = request.item.rsplit('/').next().unwrap().parse().unwrap();
            replies.get(batch).map_or_else(|| "none".to_owned(), |names| list(names))
        });
        let row: Object =
            serde_json::from_str(r#"{"name": "bank", "title": "Banking", "scenario": "A bank."}"#).unwrap();
        let context = context.with_table(vec![row]);
        let config: ApisConfig = read_text(&format!("scenarios = \"s.toml\"\n{settings}")).unwrap();
        let item = ApisConfig::source(&context).remove(0);
        (config.each(&context, item).await.unwrap(), asked)
    }

    fn names(outcome: &Outcome) -> Vec<String> {
        let Record::Catalogue(catalogue) = &outcome.kept[0].record else { panic!("no catalogue") };
        catalogue.tools.iter().map(|tool| tool.name.clone()).collect()
    }

    #[tokio::test]
    async fn apis_are_asked_for_some_at_a_time() {
        let (outcome, asked) = made("target = 3\nbatch = 2", &[&["GetA", "GetB"], &["FindC", "FindD"]]).await;
        assert_eq!(names(&outcome), ["bank.getA", "bank.getB", "bank.findC"]);
        let Variables::WriteApis(second) = &*asked.requests()[1].variables else { panic!("another task") };
        assert_eq!((second.count, second.known.clone()), (1, vec!["getA".to_owned(), "getB".to_owned()]));
        assert_eq!((outcome.kept[0].id.as_str(), outcome.kept[0].provenance.draws.len()), ("bank", 2));
    }

    #[tokio::test]
    async fn what_is_there_already_is_rejected() {
        let (outcome, _) = made("target = 3\nbatch = 3", &[&["GetLoan", "GetLoans", "GetCard"], &["FindLoan"]]).await;
        assert_eq!(names(&outcome), ["bank.getLoan", "bank.getCard", "bank.findLoan"]);
        assert_eq!(
            (outcome.rejected[0].reason.as_str(), outcome.rejected[0].id.as_str()),
            ("api_twice", "bank/getLoans")
        );
    }

    #[tokio::test]
    async fn a_domain_with_less_than_half_is_given_up() {
        let (outcome, asked) = made("target = 4\nbatch = 2\nasks = 1", &[&["GetA"]]).await;
        assert!(outcome.kept.is_empty());
        let last = outcome.rejected.last().unwrap();
        assert_eq!((last.reason.as_str(), last.detail.as_str()), ("too_few_tools", "4 APIs were wanted, 1 came"));
        assert_eq!(asked.count(), 4, "and it was asked for no more than twice as often as needed");
    }

    #[tokio::test]
    async fn an_api_that_returns_nothing_feeds_nobody() {
        let (context, _) = context(|_| format!("[{}]", api("GetA", false)));
        let mut kept = Kept::new(&context, "bank", 0.9);
        let tool = read_toolkit(&format!("[{}]", api("GetA", false)), &[]).unwrap().0.tools.remove(0);
        kept.add(tool, 5);
        assert_eq!(kept.rejected[0].reason, "no_returns");
    }
}
