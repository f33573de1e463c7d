//! Runs all stages on one root: a tool with everything that grows from it.
//!
//! Item-scope stages pass an item on as soon as it is ready, in any order. When a root has come to rest, its ordered
//! scans look at what has gathered, in the order of ids; then stages that owe more draw more; then come scans that ask a
//! model; then stages that draw from what was accepted begin; then comes what is asked for anew. None of these
//! stages waits for the whole root if its own input is complete earlier, so that a run by batches has few waves. What comes out depends on ids and answers alone, never on who came first.

use crate::failure::RunStopped;
use crate::llm::Interrupt;
use crate::record::{Item, ItemId, Reject};
use crate::run::keeper::Drawer;
use crate::run::roots::counts::StageCounts;
use crate::run::roots::graph::Graph;
use crate::run::roots::task::{Running, Task};
use crate::stage::{Outcome, Scan};
use crate::suite::complexfunc::stage::select::NOT_SELECTED;
use crate::suite::hammerbench::stage::pointing::NO_ENTITY;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What one root gave.
#[derive(Debug, Default)]
pub(crate) struct RootResult {
    /// Items that leave, with the stage that they come from.
    pub(crate) items: Vec<(usize, Item)>,
    pub(crate) rejects: Vec<Reject>,
    /// What its drawing stages owed and what was accepted, by stage.
    pub(crate) owed: Vec<(usize, usize, usize)>,
}

/// One root at work.
pub(crate) struct Root {
    graph: Arc<Graph>,
    counts: Arc<Vec<StageCounts>>,
    id: ItemId,
    tasks: FuturesUnordered<Running>,
    /// How many tasks of each stage are at work.
    busy: Vec<usize>,
    waiting: Vec<Vec<Item>>,
    scans: Vec<Option<Box<dyn Scan>>>,
    drawers: Vec<Drawer>,
    /// What is asked for anew, by its round: it begins when everything before has come to rest, and changes none of it.
    later: BTreeMap<u32, Vec<Task>>,
    round: u32,
    /// Thrown when nothing new shall be sent.
    closing: Interrupt,
    /// Draws of one item at most: what a preview wants.
    sparing: bool,
    result: RootResult,
}

impl Root {
    pub(crate) fn new(
        graph: Arc<Graph>,
        counts: Arc<Vec<StageCounts>>,
        id: ItemId,
        sparing: bool,
        closing: Interrupt,
    ) -> Box<Self> {
        let stages = graph.nodes.len();
        // As a part of the futures that work on it it would lie in each of them.
        Box::new(Self {
            graph,
            counts,
            id,
            tasks: FuturesUnordered::new(),
            busy: vec![0; stages],
            waiting: vec![Vec::new(); stages],
            scans: (0..stages).map(|_| None).collect(),
            drawers: Vec::new(),
            later: BTreeMap::new(),
            round: 0,
            closing,
            sparing,
            result: RootResult::default(),
        })
    }

    /// Runs everything that grows from `item`, which `source` yields.
    pub(crate) async fn run(mut self: Box<Self>, source: usize, item: Item) -> Result<RootResult, RunStopped> {
        self.counts[source].came();
        self.begin(Task::Each(source, item));
        loop {
            while let Some((stage, outcome)) = self.tasks.next().await {
                self.busy[stage] -= 1;
                match outcome {
                    Ok(outcome) => self.deliver_all(stage, outcome),
                    Err(stop) => return Err(self.wind_up(stop).await),
                }
                if self.busy[stage] == 0 {
                    while self.go_on() {}
                }
            }
            let moved =
                self.scan_next() || self.draw_more() || self.consult_next() || self.open_next() || self.next_round();
            if !moved {
                break;
            }
        }
        self.result.owed = self.drawers.iter().map(|it| (it.stage, self.owed(it), self.came_out(it))).collect();
        Ok(self.result)
    }

    /// How many items a stage was to draw: no more than there are parents that one can be made of.
    fn owed(&self, drawer: &Drawer) -> usize {
        let name = &self.graph.nodes[drawer.stage].name;
        let unfit = self.result.rejects.iter().filter(|it| it.stage == *name && it.reason == NO_ENTITY).count();
        drawer.promised(unfit)
    }

    /// How many of the items that a stage drew left the root, or were good and not wanted.
    fn came_out(&self, drawer: &Drawer) -> usize {
        let left = self.result.items.iter().map(|(_, item)| &item.id);
        let spared = self.result.rejects.iter().filter(|reject| reject.reason == NOT_SELECTED).map(|reject| &reject.id);
        left.chain(spared).filter_map(|id| drawer.drawn_id(id)).collect::<BTreeSet<&str>>().len()
    }

    /// Lets what was sent already come in, since it is paid for; nothing new is sent.
    async fn wind_up(mut self: Box<Self>, mut stop: RunStopped) -> RunStopped {
        self.closing.trigger();
        while let Some((_, outcome)) = self.tasks.next().await {
            if let Err(other) = outcome {
                stop = stop.before(other);
            }
        }
        stop
    }

    fn deliver_all(&mut self, stage: usize, outcome: Outcome) {
        self.counts[stage].rejected(outcome.rejected.len());
        self.result.rejects.extend(outcome.rejected);
        for item in outcome.kept {
            match self.graph.follow.as_ref().and_then(|follow| follow.stray(&item.id)) {
                Some(stray) => {
                    self.counts[stage].rejected(1);
                    self.result.rejects.push(stray);
                }
                None => self.deliver(stage, item),
            }
        }
    }

    /// Hands an item to every stage that reads from `from`.
    fn deliver(&mut self, from: usize, item: Item) {
        self.counts[from].kept();
        for drawer in &mut self.drawers {
            let settled = self.graph.nodes[drawer.stage].settled_at == from;
            drawer.accepted += usize::from(settled && drawer.drew(&item));
        }
        let graph = self.graph.clone();
        for consumer in &graph.nodes[from].consumers {
            self.accept(*consumer, item.clone());
        }
        if graph.nodes[from].leaves() {
            self.result.items.push((from, item));
        }
    }

    fn accept(&mut self, stage: usize, item: Item) {
        self.counts[stage].came();
        let graph = self.graph.clone();
        let node = &graph.nodes[stage];
        if self.has_scan(stage) {
            self.waiting[stage].push(item);
        } else if let Some(mut quota) = node.stage.quota(&item.record) {
            if let (Some(total), Some((place, roots))) = (node.total, graph.place(&self.id)) {
                quota = quota.share(total, place, roots);
            }
            if self.sparing {
                (quota.required, quota.budget) = (1, 2);
            }
            if !node.stage.suits(&node.context, &item) {
                return;
            }
            let ordinals = graph.follow.as_ref().map(|follow| follow.ordinals(&item.id, &node.name));
            if ordinals.as_ref().is_some_and(Vec::is_empty) {
                return;
            }
            if let Some(drawer) = self.drawers.iter_mut().find(|drawer| drawer.takes(stage)) {
                return drawer.parents.push(item);
            }
            let drawer = Drawer::new(stage, &node.name, item, quota);
            self.drawers.push(match ordinals {
                Some(ordinals) => drawer.following(ordinals),
                None => drawer,
            });
            if !quota.once {
                self.open(self.drawers.len() - 1);
            }
        } else {
            self.begin(Task::Each(stage, item));
        }
    }

    /// Begins some work, now or in the round that it belongs to.
    fn begin(&mut self, task: Task) {
        let round = task.round(&self.graph);
        if round > self.round {
            self.later.entry(round).or_default().push(task);
        } else {
            self.busy[task.stage()] += 1;
            self.tasks.push(task.run(self.graph.clone()));
        }
    }

    /// Whether nothing is at work in these stages, and nothing waits in them.
    fn is_quiet<'s>(&self, stages: impl IntoIterator<Item = &'s usize>) -> bool {
        stages.into_iter().all(|stage| self.busy[*stage] == 0 && self.waiting[*stage].is_empty())
    }

    /// Whether nothing more will come from these stages, in which everything is that leads to them.
    fn is_done(&self, stages: &BTreeSet<usize>) -> bool {
        let nodes = &self.graph.nodes;
        let drawers = self.drawers.iter().filter(|drawer| stages.contains(&drawer.stage));
        self.is_quiet(stages) && drawers.into_iter().all(|it| it.rests() && self.is_quiet(&nodes[it.stage].zone))
    }

    /// Continues one stage whose input is complete while others are still at work; whether there was one.
    fn go_on(&mut self) -> bool {
        self.draw_early() || self.scan_early() || self.open_early()
    }

    /// Draws more for a stage that owes more, once everything that it drew is accepted or rejected.
    fn draw_early(&mut self) -> bool {
        let nodes = &self.graph.nodes;
        let is_due = |drawer: &Drawer| {
            let node = &nodes[drawer.stage];
            drawer.opened && !drawer.rests() && self.is_quiet(&node.zone) && self.is_done(&node.above)
        };
        let Some(index) = self.drawers.iter().position(is_due) else { return false };
        for task in self.drawers[index].draw_missing() {
            self.begin(task);
        }
        true
    }

    /// Runs a scan that has all the items that it can get before it runs.
    fn scan_early(&mut self) -> bool {
        let nodes = &self.graph.nodes;
        let is_due = |stage: &usize| {
            let node = &nodes[*stage];
            if self.waiting[*stage].is_empty() || self.busy[*stage] > 0 || !self.is_quiet(&node.above) {
                return false;
            }
            if node.stage.consults(&node.context) {
                return self.is_done(&node.above);
            }
            // What may still draw more for it decides by the scan's outcome alone.
            let mut drawers = self.drawers.iter().filter(|drawer| node.above.contains(&drawer.stage));
            drawers.all(|it| it.opened && self.is_quiet(nodes[it.stage].zone.iter().filter(|it| *it != stage)))
        };
        let Some(stage) = (0..nodes.len()).find(is_due) else { return false };
        let items = self.gathered(stage);
        self.look(stage, items);
        true
    }

    /// Opens a stage whose parents are all known.
    fn open_early(&mut self) -> bool {
        let nodes = &self.graph.nodes;
        let is_due = |drawer: &Drawer| !drawer.opened && self.is_done(&nodes[drawer.stage].above);
        let Some(index) = self.drawers.iter().position(is_due) else { return false };
        self.open(index);
        true
    }

    /// Begins the next round of what is asked for anew; whether there was one.
    fn next_round(&mut self) -> bool {
        let Some((round, tasks)) = self.later.pop_first() else { return false };
        self.round = round;
        for task in tasks {
            self.begin(task);
        }
        true
    }

    /// Whether a stage scans; its scan begins with the first item.
    fn has_scan(&mut self, stage: usize) -> bool {
        let (scan, node) = (&mut self.scans[stage], &self.graph.nodes[stage]);
        if scan.is_none() {
            *scan = node.stage.scan(&node.context);
        }
        scan.is_some()
    }

    /// The first scan that something waits for; whether there was one.
    fn scan_next(&mut self) -> bool {
        let Some((stage, items)) = self.take_waiting(false) else { return false };
        self.look(stage, items);
        true
    }

    /// Runs a scan over items; one that asks a model becomes a task.
    fn look(&mut self, stage: usize, items: Vec<Item>) {
        let graph = self.graph.clone();
        let node = &graph.nodes[stage];
        let Some(scan) = &mut self.scans[stage] else { return };
        if node.stage.consults(&node.context) {
            self.busy[stage] += 1;
            self.tasks.push(scan.consult(&node.context, items).map(move |outcome| (stage, outcome)).boxed());
        } else {
            let outcome = scan.scan(&node.context, items);
            self.deliver_all(stage, outcome);
        }
    }

    /// The first scan that asks a model; whether something waited for one. It begins when nothing more is drawn, since
    /// what it asks concerns all that wait.
    fn consult_next(&mut self) -> bool {
        let Some((stage, items)) = self.take_waiting(true) else { return false };
        self.look(stage, items);
        true
    }

    /// What waits for the first scan that asks a model or does not, in the order of ids.
    fn take_waiting(&mut self, consults: bool) -> Option<(usize, Vec<Item>)> {
        let nodes = self.graph.nodes.iter().zip(&self.waiting);
        let stage = nodes
            .enumerate()
            .find(|(_, (node, items))| !items.is_empty() && node.stage.consults(&node.context) == consults)
            .map(|(stage, _)| stage)?;
        Some((stage, self.gathered(stage)))
    }

    /// What waits for a scan, in the order of ids.
    fn gathered(&mut self, stage: usize) -> Vec<Item> {
        let mut items = std::mem::take(&mut self.waiting[stage]);
        items.sort_by_cached_key(|item| item.id.sort_key());
        items
    }

    /// Lets every open drawer that owes more draw as many more; whether any did.
    fn draw_more(&mut self) -> bool {
        let drawn: Vec<Task> =
            self.drawers.iter_mut().filter(|drawer| drawer.opened).flat_map(Drawer::draw_missing).collect();
        let drew = !drawn.is_empty();
        for task in drawn {
            self.begin(task);
        }
        drew
    }

    /// Opens the drawers that waited for all their parents, but for those to which another of them leads; whether there was
    /// one.
    fn open_next(&mut self) -> bool {
        let mut waiting: Vec<usize> = (0..self.drawers.len()).filter(|index| !self.drawers[*index].opened).collect();
        waiting.sort_by_key(|index| self.drawers[*index].stage);
        let mut below = BTreeSet::new();
        let any = !waiting.is_empty();
        for index in waiting {
            let stage = self.drawers[index].stage;
            if !below.contains(&stage) {
                self.open(index);
                below.extend(self.graph.below(stage));
            }
        }
        any
    }

    fn open(&mut self, index: usize) {
        let drawer = &mut self.drawers[index];
        let node = &self.graph.nodes[drawer.stage];
        drawer.open(node.context.chance(self.id.as_str(), 0));
        let drawn = drawer.draw_missing();
        for task in drawn {
            self.begin(task);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::roots::anew::Mark;
    use crate::run::testing::{Prepared, plan, prepare, small};

    /// What the `ordinal`-th root of a plan gives.
    async fn result(prepared: &Prepared, ordinal: usize, sparing: bool) -> Result<RootResult, RunStopped> {
        let (source, item) = prepared.roots.clone().nth(ordinal).unwrap();
        let (graph, counts) = (prepared.graph.clone(), prepared.counts.clone());
        Root::new(graph, counts, item.root.clone(), sparing, Interrupt::new()).run(source, item).await
    }

    fn texts(result: &RootResult) -> BTreeMap<String, String> {
        let text = |item: &Item| serde_json::to_string(&item.record).unwrap();
        result.items.iter().map(|(_, item)| (item.id.to_string(), text(item))).collect()
    }

    #[tokio::test]
    async fn a_root_gives_what_it_owes() {
        let result = result(&prepare(&small(), &[]), 0, false).await.unwrap();
        assert_eq!((result.items.len(), result.owed), (2, vec![(1, 2, 2)]));
        assert!(result.items.iter().all(|(stage, _)| *stage == 4), "they leave behind `candidates`");
    }

    #[tokio::test]
    async fn a_preview_draws_one_of_each() {
        let result = result(&prepare(&small(), &[]), 0, true).await.unwrap();
        assert_eq!((result.items.len(), result.owed), (1, vec![(1, 1, 1)]));
    }

    #[tokio::test]
    async fn what_is_rejected_is_drawn_once_more_within_the_budget() {
        let text = crate::fixtures::assets().read("pipelines/hammer.toml").unwrap();
        let plan = plan(&text, &["limit=6", "model.generator.defect_rate=0.5"]);
        let prepared = prepare(&plan, &[]);
        let perfect = prepared.graph.position("perfect_queries");
        let mut drawn = 0;
        for ordinal in 0..6 {
            let result = result(&prepared, ordinal, false).await.unwrap();
            let owed = result.owed.iter().find(|(stage, ..)| *stage == perfect).unwrap();
            assert!(owed.2 <= owed.1, "no more than is owed");
            drawn += result.rejects.iter().filter(|reject| reject.id.as_str().contains("/perfect_queries/4")).count();
        }
        assert!(drawn > 0 || prepared.counts[perfect].read().1 > 24, "somewhere a fifth one was drawn");
    }

    #[tokio::test]
    async fn what_is_asked_anew_comes_last_and_changes_no_other() {
        let before = texts(&result(&prepare(&small(), &[]), 0, false).await.unwrap());
        let id = before.keys().next().unwrap().clone();
        let mark = Mark { id: id.clone(), stage: "parameters".to_owned(), times: 1, round: 1 };
        let after = texts(&result(&prepare(&small(), &[mark]), 0, false).await.unwrap());
        assert_ne!(after.get(&id), before.get(&id), "it is written anew");
        assert!(before.iter().filter(|(other, _)| **other != id).all(|(other, text)| after.get(other) == Some(text)));
    }

    #[tokio::test]
    async fn a_scan_that_asks_a_model_waits_until_nothing_more_is_drawn() {
        let text = crate::run::testing::SMALL.replace("candidates\"", "tool_lists\"\nlists = [\"4_close\"]");
        let plan = plan(&text.replace("per_tool = 2", "per_tool = 9"), &["limit=6", "model.generator.defect_rate=0.6"]);
        let prepared = prepare(&plan, &[]);
        let mut ids = Vec::new();
        for ordinal in 0..6 {
            let result = result(&prepared, ordinal, false).await.unwrap();
            let shown = |item: &Item| match &item.record {
                crate::record::Record::Sample(sample) => sample.candidates.clone(),
                other => panic!("{other:?}"),
            };
            let lists: Vec<_> = result.items.iter().map(|(_, item)| shown(item)).collect();
            assert!(lists.windows(2).all(|pair| pair[0] == pair[1]), "they share their list");
            assert!(result.rejects.iter().all(|reject| reject.reason != "second_right_tool"));
            ids.extend(result.items.iter().map(|(_, item)| item.id.to_string()));
        }
        assert!(ids.iter().any(|id| id.contains("perfect_queries/9/")), "somewhere a tenth was drawn: {ids:#?}");
    }

    #[tokio::test]
    async fn a_reason_to_stop_ends_the_root_and_lets_the_others_know() {
        let prepared = prepare(&small(), &[]);
        prepared.interrupt.trigger();
        let closing = Interrupt::new();
        let (source, item) = prepared.roots.clone().next().unwrap();
        let (graph, counts) = (prepared.graph.clone(), prepared.counts.clone());
        let root = Root::new(graph, counts, item.root.clone(), false, closing.clone());
        assert_eq!(root.run(source, item).await.unwrap_err(), RunStopped::Interrupted);
        assert!(closing.is_triggered());
    }
}
