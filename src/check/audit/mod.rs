//! The audit: what a valid but useless bench looks like, and the number that shows it. Each row has a file of its own.

pub(crate) mod chains;
pub(crate) mod chats;
pub(crate) mod clues;
pub(crate) mod composition;
pub(crate) mod figure;
pub(crate) mod fit;
pub(crate) mod giveaway;
pub(crate) mod made;
pub(crate) mod origins;
pub(crate) mod picker;
pub(crate) mod questions;
pub(crate) mod second_tool;
pub(crate) mod texts;
pub(crate) mod turns;
pub(crate) mod values;

pub(crate) use figure::label;
pub use figure::{Cell, Figure, Mark, share};
pub use picker::picked;

use crate::check::audit::texts::habits::Habits;
use crate::format::Bench;
use crate::lint::entry::{Entry, each_entry};
use crate::lint::ground::Ground;
use crate::llm::{Chat, ChatError};
use chats::{Chats, Lengths};
use composition::Compositions;
use indexmap::IndexMap;
use second_tool::SecondTool;
use std::sync::Arc;

/// A row of the audit: it looks at every entry, in the order of the bench, and then has its figure.
trait Measure {
    /// Looks at one entry.
    fn see(&mut self, entry: &Entry);

    /// What was measured.
    fn figure(&self) -> Figure;
}

/// All rows over one bench.
pub struct Audit {
    measures: Vec<Box<dyn Measure>>,
    composition: Compositions,
    chats: Chats,
    habits: Habits,
    lengths: Lengths,
    second_tool: SecondTool,
}

/// What an audit needs besides the bench.
#[derive(Clone)]
pub struct AuditOptions {
    /// The language.
    pub ground: Arc<Ground>,
    /// What parts and samples are drawn by.
    pub seed: u64,
    /// How many first queries of each data type are compared; 100 where it says nothing.
    pub sizes: IndexMap<String, usize>,
    /// Who says whether a tool can serve a query; without one that row has no figure.
    pub checker: Option<Chat>,
}

/// Why an audit broke off.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    /// The checker does not answer.
    #[error("no answer from the verifier: {0}")]
    Checker(#[from] ChatError),
}

impl Audit {
    /// Begins an audit.
    pub fn new(options: &AuditOptions) -> Self {
        let AuditOptions { ground, seed, sizes, .. } = options;
        let measures: Vec<Box<dyn Measure>> = vec![
            Box::new(giveaway::Giveaway::new(ground.clone(), *seed)),
            Box::new(clues::Positions::default()),
            Box::new(crate::check::audit::texts::frames::Frames::new(ground.clone(), *seed)),
            Box::new(crate::check::audit::texts::variety::Variety::new(ground.clone(), *seed, sizes.clone())),
            Box::new(values::Values::default()),
            Box::new(crate::check::audit::texts::examples::Examples::new(ground)),
            Box::new(crate::check::audit::texts::repeats::Repeats::new(ground.clone())),
            Box::new(questions::Questions::default()),
            Box::new(picker::Picker::new(ground.clone())),
            Box::new(origins::Origins::new(ground.clone())),
            Box::new(crate::check::audit::texts::scaffold::Scaffold::new(ground.clone())),
            Box::new(chains::Chains::default()),
            Box::new(clues::Named::default()),
            Box::new(fit::Fit::new(ground.clone())),
            Box::new(made::Templates::default()),
        ];
        let composition = Compositions::new(ground.clone());
        let chats = Chats::new(ground, *seed);
        let habits = Habits::new(ground.clone());
        Self { measures, composition, chats, habits, lengths: Lengths::default(), second_tool: SecondTool::new(*seed) }
    }

    /// Looks at an entry.
    pub fn see(&mut self, entry: &Entry) {
        self.measures.iter_mut().for_each(|measure| measure.see(entry));
        self.composition.see(entry);
        self.chats.see(entry);
        self.habits.see(entry);
        self.lengths.see(entry);
        self.second_tool.see(entry);
    }

    /// All figures; asks the checker what only it can say.
    pub async fn finish(self, checker: Option<&Chat>) -> Result<Vec<Figure>, ChatError> {
        let mut figures: Vec<Figure> = self.measures.iter().map(|measure| measure.figure()).collect();
        figures.extend(self.composition.figure());
        figures.extend(self.chats.figures());
        figures.extend(self.habits.figures());
        figures.extend(Some(self.lengths.figure()).filter(|figure| figure.missing.is_none()));
        figures.push(match checker {
            Some(checker) => self.second_tool.figure(checker).await?,
            None => Figure::missing(second_tool::NAME, second_tool::WHAT, "no verifier for this locale"),
        });
        Ok(figures)
    }
}

/// Audits a bench by itself.
pub async fn audit(bench: &Bench, options: &AuditOptions) -> Result<Vec<Figure>, AuditError> {
    let mut audit = Audit::new(options);
    each_entry(bench, &mut |seen| seen.into_iter().for_each(|entry| audit.see(entry)));
    let mut figures = audit.finish(options.checker.as_ref()).await?;
    figures.push(made::price(&bench.folder()));
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::sample;

    #[tokio::test]
    async fn every_row_has_a_figure_or_a_reason() {
        let folder = tempfile::tempdir().unwrap();
        let line = serde_json::to_string(&sample("a", "ST_Perfect")).unwrap();
        std::fs::write(folder.path().join("samples.jsonl"), line).unwrap();
        let bench = Bench::open(folder.path()).unwrap();
        let options = AuditOptions {
            ground: Ground::load(crate::fixtures::assets(), "en").unwrap(),
            seed: 7,
            sizes: IndexMap::new(),
            checker: None,
        };
        let figures = audit(&bench, &options).await.unwrap();
        assert_eq!(figures.len(), 19);
        assert!(figures.iter().all(|figure| figure.cells.is_empty() == figure.missing.is_some()));
        assert!(figures.iter().any(|figure| figure.name == "picker" && figure.cell("ST_Perfect").is_some()));
        let reason = figures.iter().find(|figure| figure.name == "second right tool").unwrap().missing.clone();
        assert_eq!(reason.as_deref(), Some("no verifier for this locale"));
    }
}
