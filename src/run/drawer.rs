//! A stage that draws items of a parent again and again, or one each of several parents, until it has what it owes.

use super::task::Task;
use crate::record::{Chance, Item, ItemId};
use crate::stage::Quota;

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

    /// Draws as many more as are missing, as far as budget and parents go.
    pub(super) fn draw_missing(&mut self) -> Vec<Task> {
        let Quota { required, budget, once } = self.quota;
        let most = if once { budget.min(self.parents.len()) } else { budget };
        let until = self.drawn.saturating_add(required.saturating_sub(self.accepted)).min(most);
        let late = self.shuffled.max(self.drawn).min(self.parents.len());
        self.parents[late..].sort_by_cached_key(|item| item.id.sort_key());
        let tasks = (self.drawn..until).map(|ordinal| {
            let parent = self.parents[if once { ordinal } else { 0 }].clone();
            let told = self.ordinals.as_ref().and_then(|ordinals| ordinals.get(ordinal));
            let ordinal = told.copied().unwrap_or(ordinal);
            Task::Draw { stage: self.stage, parent, ordinal, once }
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

#[cfg(test)]
mod tests {
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
