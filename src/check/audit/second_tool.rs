//! Whether another candidate could serve a query as well as the right one.

use super::figure::{Cell, Figure, Mark, share};
use crate::lint::entry::Entry;
use crate::lint::hash::Sketch;
use crate::llm::{Chat, ChatError, Common, Request, ServeVariables, Task, Variables};
use crate::record::Tool;
use crate::text::read_verdict;
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

/// Least share of right tools that a checker must accept, and most of the unrelated ones that it may, for its word on others
/// to count.
const COMPETENT: f64 = 0.85;
const DECEIVED: f64 = MARK;

pub(super) const NAME: &str = "second right tool";

pub(super) const WHAT: &str = "share of call items for which the verifier accepts another candidate as well; seeded \
    sample of at most 400 queries per data type. The verifier is the built-in one; if the same verifier was used to \
    build the benchmark, the result is not independent. It counts only if the verifier accepts at least 85 % of the \
    expected tools, and an unrelated tool (from another query and a category that is not shown; as many as there are \
    other candidates) for at most 2 % of the queries";

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

    /// Asks the checker about every candidate; about the right one and about unrelated ones too, to know whether its word
    /// counts.
    pub(super) async fn figure(&self, checker: &Chat) -> Result<Figure, ChatError> {
        let (mut cells, mut accepted, mut deceived) = (Vec::new(), (0, 0), (0, 0));
        for (data_type, choices) in &self.by_type {
            let choices: Vec<&Choice> = choices.things().collect();
            let mut doubtful = 0;
            for (at, choice) in choices.iter().enumerate() {
                let others = choice.candidates.iter().filter(|tool| tool.name != choice.gold);
                doubtful += usize::from(any_serves(checker, choice, others).await?);
                if let Some(right) = choice.candidates.iter().find(|tool| tool.name == choice.gold) {
                    accepted = (accepted.0 + usize::from(serves(checker, choice, right).await?), accepted.1 + 1);
                }
                let unrelated = unrelated(choice, &choices, at);
                if !unrelated.is_empty() {
                    let is_deceived = any_serves(checker, choice, unrelated.into_iter()).await?;
                    deceived = (deceived.0 + usize::from(is_deceived), deceived.1 + 1);
                }
            }
            cells.push(Cell::share(data_type, doubtful, choices.len()).held_to(Mark::AtMost(MARK)));
        }
        let (competence, deceit) = (share(accepted.0, accepted.1), share(deceived.0, deceived.1));
        let mut detail = format!(
            "the verifier accepts {:.1} % of the expected tools, and an unrelated tool for {:.1} % of the queries",
            competence * 100.0,
            deceit * 100.0
        );
        let is_measurable = accepted.1 == 0 || competence >= COMPETENT && deceit <= DECEIVED;
        if !is_measurable {
            detail = format!("not measurable with this verifier: {detail}");
        }
        let mark = |cell: Cell| if is_measurable { cell } else { cell.held_to(Mark::NotMeasurable) };
        Ok(Figure::new(NAME, WHAT, cells.into_iter().map(|cell| mark(cell).with(&detail)).collect()))
    }
}

/// Tools that another query shows, as many as it has others, none of a category that is shown here.
fn unrelated<'c>(choice: &Choice, choices: &[&'c Choice], at: usize) -> Vec<&'c Arc<Tool>> {
    let is_near = |tool: &Tool| {
        choice.candidates.iter().any(|shown| shown.name == tool.name || shown.category() == tool.category())
    };
    let others = choices.iter().cycle().skip(at + 1).take(choices.len().saturating_sub(1));
    let tools = others.flat_map(|other| other.candidates.iter().filter(|tool| tool.name == other.gold));
    let mut out: Vec<&Arc<Tool>> = Vec::new();
    for tool in tools.filter(|tool| !is_near(tool)) {
        if out.len() + 1 >= choice.candidates.len() {
            break;
        }
        if out.iter().all(|known| known.name != tool.name) {
            out.push(tool);
        }
    }
    out
}

async fn any_serves<'t>(
    checker: &Chat,
    choice: &Choice,
    tools: impl Iterator<Item = &'t Arc<Tool>>,
) -> Result<bool, ChatError> {
    for tool in tools {
        if serves(checker, choice, tool).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn serves(checker: &Chat, choice: &Choice, tool: &Arc<Tool>) -> Result<bool, ChatError> {
    let variables = ServeVariables { common: Common::default(), query: choice.query.clone(), tool: tool.clone() };
    let request = Request::new(Task::CanServe, "check", choice.id.as_str(), 0, Variables::CanServe(variables));
    Ok(read_verdict(&checker.ask(&request).await?.text).is_some_and(|(verdict, _)| verdict))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{entry, said, snapshots};
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
        let told = "the verifier accepts 100.0 % of the expected tools, and an unrelated tool for 0.0 % of the queries";
        assert_eq!(cell.detail, told);
    }

    #[tokio::test]
    async fn a_checker_that_accepts_nothing_or_anything_is_not_believed() {
        let figure = figure(10, &["nothing"]).await;
        let cell = &figure.cells[0];
        assert_eq!((cell.mark, cell.mark.is_met(cell.value, None)), (Mark::NotMeasurable, None));
        assert!(
            cell.detail
                .starts_with("not measurable with this verifier: the verifier accepts 0.0 % of the expected tools")
        );
        let all =
            Chat::builtin("checker", Arc::new(|_: &Request| Reply { text: "True".to_owned(), ..Reply::default() }));
        let mut measure = SecondTool::new(7);
        for number in 0..6 {
            let mut sample = said(&format!("s{number}"), "ST_Perfect", &format!("ask {number}"), "{}");
            if number % 2 == 1 {
                for tool in &mut sample.candidates {
                    Arc::make_mut(tool).name = format!("Z.{}", tool.name.to_uppercase());
                }
                let crate::record::Expected::Call(call) = &mut sample.expected else { panic!() };
                call.name = format!("Z.{}", call.name.to_uppercase());
            }
            measure.see(&entry(sample));
        }
        let cell = measure.figure(&all).await.unwrap().cells.remove(0);
        assert!(cell.mark == Mark::NotMeasurable && cell.detail.ends_with("for 100.0 % of the queries"), "{cell:?}");
    }

    #[tokio::test]
    async fn a_part_of_many_is_looked_at() {
        assert_eq!(figure(MOST + 50, &["book"]).await.cells[0].n, MOST);
    }
}
