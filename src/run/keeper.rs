//! Writes to the store on a thread of its own, so that nobody who waits for a model waits for a disk.
//!
//! Roots that end at about the same time share a transaction, which costs more than what is in it.

use super::store::Store;
use super::{Options, RunError};
use crate::config::Plan;
use crate::failure::RunStopped;
use crate::record::{Chance, Item, ItemId};
use crate::run::roots::graph::Graph;
use crate::run::roots::root::RootResult;
use crate::run::roots::task::Task;
use crate::stage::{Quota, Source};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use std::vec::IntoIter;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;

/// Finished roots with so many items and rejects may wait for the disk; then whoever finishes another one waits. A root
/// that has more waits until nothing else does.
const ROOM: u32 = 2048;
/// The first root of a transaction waits so long for company.
const GATHERING: Duration = Duration::from_millis(5);

/// The store's thread.
pub(crate) struct Keeper {
    saver: Saver,
    kept: Arc<AtomicUsize>,
    work: JoinHandle<Result<Store, RunError>>,
}

/// The way to it.
#[derive(Debug, Clone)]
pub(super) struct Saver {
    sender: UnboundedSender<Message>,
    room: Arc<Semaphore>,
}

/// What a root gave, and the room that it takes until it is written.
type Message = ((ItemId, Box<RootResult>), OwnedSemaphorePermit);

/// The thread is gone; [`Keeper::end`] says why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Gone;

impl Keeper {
    /// Takes the store in charge; `names` are those of the stages.
    pub(super) fn start(store: Store, names: Vec<String>) -> Self {
        let ((sender, receiver), kept) = (unbounded_channel(), Arc::<AtomicUsize>::default());
        let count = kept.clone();
        let work = tokio::task::spawn_blocking(move || keep(store, &names, receiver, &count));
        Self { saver: Saver { sender, room: Arc::new(Semaphore::new(ROOM as usize)) }, kept, work }
    }

    /// The way to it; all of them must be gone before it ends.
    pub(super) fn saver(&self) -> Saver {
        self.saver.clone()
    }

    /// How many roots are written; it counts on.
    pub(super) fn kept(&self) -> Arc<AtomicUsize> {
        self.kept.clone()
    }

    /// Waits until all is written, and gives the store back.
    pub(super) async fn end(self) -> Result<Store, RunError> {
        drop(self.saver);
        self.work.await.map_err(|error| RunError::broken_off("the writing of `run.db`", &error))?
    }
}

impl Saver {
    /// Keeps what a root gave.
    pub(super) async fn save(&self, root: ItemId, result: RootResult) -> Result<(), Gone> {
        let size = u32::try_from(result.items.len() + result.rejects.len()).unwrap_or(ROOM);
        let room = self.room.clone().acquire_many_owned(size.clamp(1, ROOM)).await.map_err(|_| Gone)?;
        self.sender.send(((root, Box::new(result)), room)).map_err(|_| Gone)
    }
}

impl From<Gone> for RunStopped {
    fn from(_: Gone) -> Self {
        Self::Store("`run.db` can no longer be written".to_owned())
    }
}

fn keep(
    mut store: Store,
    names: &[String],
    mut receiver: UnboundedReceiver<Message>,
    kept: &AtomicUsize,
) -> Result<Store, RunError> {
    while let Some(first) = receiver.blocking_recv() {
        std::thread::sleep(GATHERING);
        let others = std::iter::from_fn(|| receiver.try_recv().ok());
        let (roots, room): (Vec<_>, Vec<_>) = std::iter::once(first).chain(others).unzip();
        store.add_all(names, roots)?;
        kept.fetch_add(room.len(), Ordering::Relaxed);
    }
    Ok(store)
}

// A stage that draws items of a parent again and again, or one each of several parents, until it has what it owes.

/// A stage that draws, in one root.
pub(super) struct Drawer {
    pub(super) stage: usize,
    /// The one that is drawn from again and again, or all of which each is drawn from once.
    pub(super) parents: Vec<Item>,
    /// Accepted items so far.
    pub(super) accepted: usize,
    /// Whether it has begun; one with many parents waits until all of them are known.
    pub(super) opened: bool,
    quota: Quota,
    /// The ordinals that it draws, where they are told; else all from 0.
    ordinals: Option<Vec<usize>>,
    drawn: usize,
    /// So many parents are in random order; those that came later are behind them, in the order of ids.
    shuffled: usize,
    /// What the ids of its items hold.
    mark: String,
}

impl Drawer {
    /// The stage called `name` with its first parent.
    pub(super) fn new(stage: usize, name: &str, parent: Item, quota: Quota) -> Self {
        let above = if quota.once { "" } else { parent.id.as_str() };
        let mark = format!("{above}/{name}/");
        let parents = vec![parent];
        Self { stage, parents, accepted: 0, opened: false, quota, ordinals: None, drawn: 0, shuffled: 0, mark }
    }

    /// Draws what another run accepted: these ordinals of one parent, or one each of all parents.
    pub(super) fn following(mut self, ordinals: Vec<usize>) -> Self {
        let owed = if self.quota.once { usize::MAX } else { ordinals.len() };
        (self.quota.required, self.quota.budget) = (owed, owed);
        self.ordinals = (!self.quota.once).then_some(ordinals);
        self
    }

    /// Whether a further parent of the stage belongs to it.
    pub(super) fn takes(&self, stage: usize) -> bool {
        self.quota.once && self.stage == stage
    }

    /// Whether an item grew from what it drew.
    pub(super) fn drew(&self, item: &Item) -> bool {
        item.id.as_str().contains(&self.mark)
    }

    /// The part of an id that names what it drew, where the item grew from that.
    pub(super) fn drawn_id<'i>(&self, id: &'i ItemId) -> Option<&'i str> {
        let start = id.as_str().find(&self.mark)? + self.mark.len();
        let own = id.as_str().get(start..)?.split('/').next()?;
        id.as_str().get(..start + own.len())
    }

    /// Begins: the parents, whoever came first, are put in an order that depends on nothing but their ids.
    pub(super) fn open(&mut self, mut chance: Chance) {
        self.opened = true;
        self.parents.sort_by_cached_key(|item| item.id.sort_key());
        chance.shuffle(&mut self.parents);
        self.shuffled = self.parents.len();
    }

    /// How many it has drawn when it has drawn what is missing, as far as budget and parents go.
    fn until(&self) -> usize {
        let Quota { required, budget, once } = self.quota;
        let most = if once { budget.min(self.parents.len()) } else { budget };
        self.drawn.saturating_add(required.saturating_sub(self.accepted)).min(most)
    }

    /// Whether it draws no more, by what is known of its items.
    pub(super) fn rests(&self) -> bool {
        self.opened && self.until() <= self.drawn
    }

    /// Draws as many more as are missing.
    pub(super) fn draw_missing(&mut self) -> Vec<Task> {
        let (once, until) = (self.quota.once, self.until());
        let late = self.shuffled.max(self.drawn).min(self.parents.len());
        self.parents[late..].sort_by_cached_key(|item| item.id.sort_key());
        let drawn = if once { self.parents.get(self.drawn..until).unwrap_or_default() } else { &[] };
        let beside: Arc<[Item]> = drawn.into();
        let tasks = (self.drawn..until).map(|ordinal| {
            let parent = self.parents[if once { ordinal } else { 0 }].clone();
            let told = self.ordinals.as_ref().and_then(|ordinals| ordinals.get(ordinal));
            let ordinal = told.copied().unwrap_or(ordinal);
            Task::Draw { stage: self.stage, parent, ordinal, once, beside: beside.clone() }
        });
        let tasks = tasks.collect();
        self.drawn = until.max(self.drawn);
        tasks
    }

    /// How many items it was to draw: no more than one for each parent where each is drawn from once, those that are `unfit`
    /// left out.
    pub(super) fn promised(&self, unfit: usize) -> usize {
        let fit = self.parents.len().saturating_sub(unfit);
        if self.quota.once { self.quota.required.min(fit) } else { self.quota.required }
    }
}

// Which roots a run works on: all of them, the first so many, a few for a preview, or those of one shard.

/// The roots that are still to come, each with the stage that yields it. Each is made when it is taken, so that
/// millions of them need no room.
#[derive(Debug, Clone)]
pub(crate) struct Roots {
    sources: Vec<(usize, Source)>,
    /// Which of the sources, and which of its roots.
    places: IntoIter<(usize, usize)>,
}

/// The roots of this run, each with the stage that yields it.
pub(super) fn choose_roots(graph: &Graph, plan: &Plan, options: &Options) -> Roots {
    let mut roots = graph.roots(plan);
    if let Some(follow) = &options.follow {
        roots.retain(|item| follow.wants(&item.id));
    }
    if let Some(preview) = options.preview {
        roots.places = spread(roots.places.collect(), preview).into_iter();
    }
    if let Some((index, of)) = options.shard {
        roots.retain(|item| shard_of(item.root.as_str(), of) == index);
    }
    roots
}

impl Roots {
    /// The first `most` of what the sources yield, each of them named by its stage.
    pub(super) fn new(sources: Vec<(usize, Source)>, most: usize) -> Self {
        let all = sources.iter().enumerate().flat_map(|(at, (_, source))| (0..source.count()).map(move |it| (at, it)));
        let places = all.take(most).collect::<Vec<_>>().into_iter();
        Self { sources, places }
    }

    fn retain(&mut self, wanted: impl Fn(&Item) -> bool) {
        let mut places: Vec<(usize, usize)> = std::mem::take(&mut self.places).collect();
        places.retain(|(at, ordinal)| wanted(&self.sources[*at].1.root(*ordinal)));
        self.places = places.into_iter();
    }
}

impl Iterator for Roots {
    type Item = (usize, Item);

    fn next(&mut self) -> Option<Self::Item> {
        let (at, ordinal) = self.places.next()?;
        let (stage, source) = &self.sources[at];
        Some((*stage, source.root(ordinal)))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.places.size_hint()
    }
}

impl ExactSizeIterator for Roots {}

/// So many of the things, spread over the whole, since neighbours are of one category.
fn spread<T>(things: Vec<T>, count: usize) -> Vec<T> {
    let step = (things.len() / count.max(1)).max(1);
    things.into_iter().step_by(step).take(count).collect()
}

/// Which of so many shards a root belongs to.
fn shard_of(root: &str, of: usize) -> usize {
    let hash = blake3::hash(root.as_bytes());
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&hash.as_bytes()[..8]);
    usize::try_from(u64::from_le_bytes(bytes) % of.max(1) as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::store::tests::reject;
    use rusqlite::Connection;

    #[tokio::test]
    async fn what_was_handed_over_is_there_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::start(Store::open(&folder.path().join("run.db"), &[]).unwrap(), vec!["ask".to_owned()]);
        let result = RootResult { owed: vec![(0, 3, 2)], ..RootResult::default() };
        keeper.saver().save(ItemId::root("a"), result).await.unwrap();
        let kept = keeper.kept();
        let store = keeper.end().await.unwrap();
        assert_eq!(kept.load(Ordering::Relaxed), 1);
        assert_eq!(store.owed().unwrap()["ask"], (3, 2));
    }

    #[tokio::test]
    async fn roots_of_any_size_have_room_one_after_another() {
        let folder = tempfile::tempdir().unwrap();
        let keeper = Keeper::start(Store::open(&folder.path().join("run.db"), &[]).unwrap(), vec!["ask".to_owned()]);
        for (root, size) in [("a", 3 * ROOM), ("b", 1), ("c", ROOM), ("d", 0)] {
            let rejects = (0..size).map(|number| reject(&format!("{root}/ask/{number}"))).collect();
            keeper.saver().save(ItemId::root(root), RootResult { rejects, ..RootResult::default() }).await.unwrap();
        }
        let store = keeper.end().await.unwrap();
        let mut count = 0;
        store
            .rejects(|_| {
                let _: () = count += 1;
                Ok(())
            })
            .unwrap();
        assert_eq!(count, 4 * ROOM + 1);
    }

    #[tokio::test]
    async fn a_disk_that_fails_is_told_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.db");
        let keeper = Keeper::start(Store::open(&path, &[]).unwrap(), vec!["ask".to_owned()]);
        Connection::open(&path).unwrap().execute("DROP TABLE owed", []).unwrap();
        let result = || RootResult { owed: vec![(0, 1, 1)], ..RootResult::default() };
        while keeper.saver().save(ItemId::root("a"), result()).await.is_ok() {}
        assert_eq!(RunStopped::from(Gone).to_string(), "`run.db` can no longer be written");
        let error = keeper.end().await.err().unwrap().to_string();
        assert!(error.starts_with("`run.db`: no such table: owed"), "{error}");
    }
}

#[cfg(test)]
mod drawer_tests {
    use super::*;
    use crate::run::store::tests::item;
    use proptest::prelude::*;

    fn drawer(once: bool) -> Drawer {
        let mut drawer = Drawer::new(1, "ask", item("a/0"), Quota { required: 3, budget: 5, once });
        if once {
            drawer.parents.extend(["a/2", "a/1", "a/10"].map(item));
        }
        drawer
    }

    fn drawn(drawer: &mut Drawer) -> Vec<(String, usize)> {
        let place = |task: Task| match task {
            Task::Draw { parent, ordinal, .. } => (parent.id.to_string(), ordinal),
            Task::Each(..) => unreachable!("a drawer draws"),
        };
        drawer.draw_missing().into_iter().map(place).collect()
    }

    #[test]
    fn what_is_missing_is_drawn_until_the_budget_is_spent() {
        let mut drawer = drawer(false);
        drawer.open(Chance::of(&[]));
        let ordinals = |drawer: &mut Drawer| drawn(drawer).into_iter().map(|(_, it)| it).collect::<Vec<_>>();
        assert_eq!(ordinals(&mut drawer), [0, 1, 2]);
        drawer.accepted = 2;
        assert_eq!(ordinals(&mut drawer), [3]);
        drawer.accepted = 1;
        assert_eq!(ordinals(&mut drawer), [4], "five is the most");
        assert_eq!(ordinals(&mut drawer), [0; 0]);
        drawer.accepted = 7;
        assert_eq!((ordinals(&mut drawer), drawer.promised(0)), (vec![], 3));
    }

    #[test]
    fn parents_are_drawn_from_in_an_order_of_their_own_and_late_ones_come_last() {
        let order = |arrival: [&str; 2]| {
            let mut drawer = drawer(true);
            drawer.open(Chance::of(&[b"x"]));
            let mut all = drawn(&mut drawer);
            drawer.parents.extend(arrival.map(item));
            drawer.accepted = 1;
            all.extend(drawn(&mut drawer));
            all.into_iter().map(|(id, _)| id).collect::<Vec<_>>()
        };
        let first = order(["a/4", "a/3"]);
        assert_eq!(first.len(), 5);
        assert_eq!(first, order(["a/3", "a/4"]), "who came first does not matter");
        assert_eq!(first.last().unwrap(), "a/3");
    }

    #[test]
    fn who_follows_another_run_draws_what_that_one_accepted() {
        let drawer = |once| drawer(once).following(vec![1, 4, 7, 9]);
        let (mut one, mut many) = (drawer(false), drawer(true));
        let ordinals = |drawer: &mut Drawer| drawn(drawer).into_iter().map(|(_, it)| it).collect::<Vec<_>>();
        assert_eq!((ordinals(&mut one), one.promised(0)), (vec![1, 4, 7, 9], 4));
        assert_eq!(ordinals(&mut one), [0; 0], "what is rejected is not made up for by others");
        assert_eq!((drawn(&mut many).len(), many.promised(0)), (4, 4), "each parent once");
    }

    #[test]
    fn an_item_is_known_by_its_id() {
        let item = item("a/0/ask/3/tell/1");
        assert!(drawer(false).drew(&item) && drawer(true).drew(&item));
        let other =
            Drawer::new(1, "ask", super::super::store::tests::item("b"), Quota { required: 1, budget: 1, once: false });
        assert!(!other.drew(&item));
        assert!(drawer(true).takes(1) && !drawer(true).takes(2) && !drawer(false).takes(1));
    }

    #[test]
    fn nobody_is_held_to_more_than_there_are_parents() {
        let few = Drawer::new(1, "ask", item("a"), Quota { required: 3, budget: 5, once: true });
        assert_eq!((few.promised(0), drawer(true).promised(0)), (1, 3));
    }

    proptest! {
        #[test]
        fn every_ordinal_is_drawn_once_in_order_and_never_more_than_the_budget(
            required in 0..6_usize, budget in 0..9_usize, accepted in prop::collection::vec(0..3_usize, 0..8),
        ) {
            let mut drawer = Drawer::new(1, "ask", item("a"), Quota { required, budget, once: false });
            drawer.open(Chance::of(&[]));
            let mut ordinals: Vec<usize> = drawn(&mut drawer).into_iter().map(|(_, ordinal)| ordinal).collect();
            for more in accepted {
                drawer.accepted += more.min(ordinals.len() - drawer.accepted);
                ordinals.extend(drawn(&mut drawer).into_iter().map(|(_, ordinal)| ordinal));
            }
            prop_assert_eq!(&ordinals, &(0..ordinals.len()).collect::<Vec<_>>());
            prop_assert!(ordinals.len() <= budget && ordinals.len() >= required.min(budget));
        }
    }
}

#[cfg(test)]
mod roots_tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shards_part_the_roots_and_leave_none_out() {
        let roots: Vec<String> = (0..300).map(|number| format!("A.B.tool{number}")).collect();
        let mut sizes = [0; 3];
        for root in &roots {
            sizes[shard_of(root, 3)] += 1;
        }
        assert_eq!(sizes.iter().sum::<usize>(), 300);
        assert!(sizes.iter().all(|size| *size > 70), "{sizes:?}");
        assert_eq!(shard_of("x", 1), 0);
    }

    #[test]
    fn a_few_are_spread_over_the_whole() {
        assert_eq!(spread((0..10).collect(), 3), [0, 3, 6]);
        assert_eq!(spread((0..2).collect(), 5), [0, 1]);
        assert_eq!(spread(vec![0], 0), [0; 0]);
    }

    #[test]
    fn a_limit_comes_before_the_shards_part_what_is_left() {
        let graph = crate::run::testing::prepare(&crate::run::testing::small(), &[]).graph;
        let plan = crate::run::testing::small();
        let roots = |options: &Options| -> Vec<String> {
            choose_roots(&graph, &plan, options).map(|(_, item)| item.id.to_string()).collect()
        };
        let all = roots(&Options::new("none"));
        assert_eq!(all.len(), 3);
        let mut parts: Vec<String> =
            (0..2).flat_map(|index| roots(&Options { shard: Some((index, 2)), ..Options::new("none") })).collect();
        parts.sort_by_key(|id| all.iter().position(|other| other == id));
        assert_eq!(parts, all);
        assert_eq!(roots(&Options { preview: Some(1), ..Options::new("none") }), all[..1]);
    }

    proptest! {
        #[test]
        fn a_root_is_in_one_shard_and_stays_there(root in ".{0,12}", of in 1..20_usize) {
            let shard = shard_of(&root, of);
            prop_assert!(shard < of);
            prop_assert_eq!(shard_of(&root, of), shard);
            prop_assert_eq!(shard_of(&root, 0), 0);
        }

        #[test]
        fn as_many_as_are_wanted_are_spread_in_order(all in 0..60_usize, count in 0..20_usize) {
            let chosen = spread((0..all).collect(), count);
            prop_assert_eq!(chosen.len(), count.min(all));
            prop_assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
            let steps: Vec<usize> = chosen.windows(2).map(|pair| pair[1] - pair[0]).collect();
            prop_assert!(steps.windows(2).all(|pair| pair[0] == pair[1]), "at equal distances: {chosen:?}");
        }
    }
}
