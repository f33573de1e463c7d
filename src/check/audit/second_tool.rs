//! Whether another candidate could serve a query as well as the right one.

use super::super::entry::Entry;
use super::super::sketch::Sketch;
use super::figure::{Cell, Figure, Mark};
use crate::llm::answer::read_verdict;
use crate::llm::{Chat, ChatError, Common, Request, ServeVariables, Task, Variables};
use crate::record::Tool;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A fair part of each data type's queries, with the tools that they show.
pub(super) struct SecondTool {
    seed: u64,
    by_type: BTreeMap<String, Sketch<Choice>>,
}

struct Choice {
    id: String,
    query: String,
    gold: String,
    candidates: Vec<Arc<Tool>>,
}

/// How many queries of a data type are looked at.
const MOST: usize = 400;

/// Most of the queries that a second tool may serve.
const MARK: f64 = 0.02;

/// Least share of right tools that a checker must accept, to be asked about others.
const COMPETENT: f64 = 0.5;

pub(super) const NAME: &str = "second right tool";

pub(super) const WHAT: &str = "share of call items for which the checker says that another candidate serves the query too; \
    a seeded part of at most 400 queries for each data type; the checker is the built-in reader, whose word has already \
    counted where it made the bench";

impl SecondTool {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed, by_type: BTreeMap::new() }
    }

    /// Looks at a single-turn query; conversations begin with the same ones.
    pub(super) fn see(&mut self, entry: &Entry) {
        let (Some(call), None) = (entry.call(), &entry.sample.snapshot) else { return };
        let new = || Sketch::new(self.seed, MOST);
        let choice = || Choice {
            id: entry.sample.id.to_string(),
            query: entry.sample.query(),
            gold: call.name.clone(),
            candidates: entry.sample.candidates.clone(),
        };
        self.by_type.entry(entry.sample.data_type.0.clone()).or_insert_with(new).show(entry.sample.id.as_str(), choice);
    }

    /// Asks the checker about every candidate; about the right one too, to know whether its word counts.
    pub(super) async fn figure(&self, checker: &Chat) -> Result<Figure, ChatError> {
        let (mut cells, mut accepted, mut asked) = (Vec::new(), 0, 0);
        for (data_type, choices) in &self.by_type {
            let (mut doubtful, mut n) = (0, 0);
            for choice in choices.things() {
                let mut others = false;
                for tool in &choice.candidates {
                    let serves = serves(checker, choice, tool).await?;
                    if tool.name == choice.gold {
                        (accepted, asked) = (accepted + usize::from(serves), asked + 1);
                    } else {
                        others |= serves;
                    }
                }
                (doubtful, n) = (doubtful + usize::from(others), n + 1);
            }
            cells.push(Cell::share(data_type, doubtful, n).held_to(Mark::AtMost(MARK)));
        }
        let competence = super::figure::share(accepted, asked);
        if asked > 0 && competence < COMPETENT {
            let why = format!(
                "the checker accepts only {:.0} % of the right tools, so that its word on others tells little",
                competence * 100.0
            );
            return Ok(Figure::missing(NAME, WHAT, why));
        }
        let detail = format!("the checker accepts {:.1} % of the right tools", competence * 100.0);
        Ok(Figure::new(NAME, WHAT, cells.into_iter().map(|cell| cell.with(&detail)).collect()))
    }
}

async fn serves(checker: &Chat, choice: &Choice, tool: &Arc<Tool>) -> Result<bool, ChatError> {
    let variables = ServeVariables { common: Common::default(), query: choice.query.clone(), tool: tool.clone() };
    let request = Request {
        task: Task::CanServe,
        stage: "check".into(),
        item: choice.id.as_str().into(),
        draw: 0,
        system: None,
        user: String::new(),
        history: Vec::new(),
        variables: Arc::new(Variables::CanServe(variables)),
        schema: None,
        tools: Vec::new(),
        temperature: None,
    };
    Ok(read_verdict(&checker.ask(&request).await?.text).is_some_and(|(verdict, _)| verdict))
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, said, snapshots};
    use super::*;
    use crate::llm::Reply;

    async fn figure(queries: usize, serving: &'static [&'static str]) -> Figure {
        let checker = Chat::builtin(
            "checker",
            Arc::new(|request: &Request| {
                let Variables::CanServe(variables) = &*request.variables else { panic!("another task") };
                let serves = serving.contains(&variables.tool.function()) && variables.query.contains('0');
                let gold = variables.tool.function() == serving[0];
                Reply { text: if serves || gold { "True" } else { "False" }.to_owned(), ..Reply::default() }
            }),
        );
        let mut measure = SecondTool::new(7);
        for number in 0..queries {
            measure.see(&entry(said(&format!("s{number}"), "ST_Perfect", &format!("ask {number}"), "{}")));
        }
        for entry in snapshots("b/0", "Based", &["{}", "{}"]) {
            measure.see(&entry);
        }
        measure.figure(&checker).await.unwrap()
    }

    #[tokio::test]
    async fn a_second_tool_counts_once_for_a_query() {
        let figure = figure(10, &["book", "sing", "hum"]).await;
        let cell = &figure.cells[0];
        assert_eq!((figure.cells.len(), cell.value, cell.n), (1, 0.1, 10));
        assert_eq!(cell.mark.is_met(cell.value, None), Some(false));
        assert_eq!(cell.detail, "the checker accepts 100.0 % of the right tools");
    }

    #[tokio::test]
    async fn a_checker_that_accepts_nothing_is_not_believed() {
        let figure = figure(10, &["nothing"]).await;
        assert!(figure.missing.unwrap().starts_with("the checker accepts only 0 % of the right tools"));
    }

    #[tokio::test]
    async fn a_part_of_many_is_looked_at() {
        assert_eq!(figure(MOST + 50, &["book"]).await.cells[0].n, MOST);
    }
}
