//! The lists of one tool: what stands beside it in each, in which order, and where it stands itself.

use crate::failure::ItemError;
use crate::functionchat::stage::single_calls::RANK_FACT;
use crate::functionchat::stage::tool_list::{ToolList, places};
use crate::record::{Chance, Item, ItemId, Tool};
use crate::stage::context::Context;
use crate::stage::nearness::{Features, plain};
use crate::stage::outcome::Fault;
use crate::stage::targets::{can_serve, ranked};
use futures::future::join_all;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many of the nearest tools are too near for a random list where no close one says it.
const NEIGHBOURS: usize = 7;

/// How many tools lists need: random ones begin behind the nearest.
pub(crate) fn least_tools(lists: &[ToolList]) -> usize {
    let close = lists.iter().filter(|list| matches!(list, ToolList::Close(_))).map(|list| list.size() - 1).max();
    let near = close.unwrap_or(NEIGHBOURS);
    let needs = |list: &ToolList| if matches!(list, ToolList::Random(_)) { near + list.size() } else { list.size() };
    lists.iter().map(needs).max().unwrap_or(0)
}

/// What each list shows, in the order of the config.
pub(crate) type Shown = Vec<Vec<Arc<Tool>>>;

/// The lists of one tool in the making.
pub(crate) struct Lists<'a> {
    pub context: &'a Context,
    pub wanted: &'a [ToolList],
    pub tool: &'a Arc<Tool>,
    /// The queries that share the lists.
    pub items: &'a [Item],
}

impl Lists<'_> {
    /// Asks about as many tools as are needed, the nearest first.
    pub(crate) async fn make(&self) -> Result<Shown, ItemError> {
        let lists = self.wanted;
        let mut distractors = Distractors::new(self.context, requests(self.items));
        let widest = lists.iter().filter(|list| matches!(list, ToolList::Close(_))).max_by_key(|list| list.size());
        let pool = self.pool();
        let near = match widest {
            Some(list) => distractors.first(&pool, list.size() - 1).await?,
            None => Vec::new(),
        };
        // What random lists are drawn from begins behind the last near tool: a neighbour among strangers would make
        // the two kinds of lists less different than their names say.
        let last = near.last().and_then(|last| pool.iter().position(|tool| tool.name == last.name));
        let far = pool.get(last.map_or(NEIGHBOURS, |it| it + 1)..).unwrap_or_default();
        let mut shown = Shown::new();
        for (list, place) in lists.iter().zip(places(lists, self.rank())) {
            let others = match list {
                ToolList::Exact => Vec::new(),
                ToolList::Close(size) => near.iter().take(size - 1).cloned().collect(),
                ToolList::Random(size) => distractors.first(&self.shuffled(&list.to_string(), far), size - 1).await?,
            };
            shown.push(self.placed(*list, &others, place)?);
        }
        Ok(shown)
    }

    /// All tools that could stand beside it, the nearest first.
    fn pool(&self) -> Vec<Arc<Tool>> {
        let (own, meaning) = (Features::of(self.tool), plain(&self.tool.description));
        let mut names = BTreeSet::from([self.tool.name.as_str()]);
        let tools = self.context.toolset().tools.iter().filter(|tool| names.insert(&tool.name));
        let is_other = |tool: &&Arc<Tool>| meaning.is_empty() || plain(&tool.description) != meaning;
        let mut pool: Vec<(f64, &Arc<Tool>)> =
            tools.filter(is_other).map(|tool| (own.nearness(&Features::of(tool)), tool)).collect();
        pool.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.name.cmp(&other.1.name)));
        pool.into_iter().map(|(_, tool)| tool.clone()).collect()
    }

    fn shuffled(&self, what: &str, tools: &[Arc<Tool>]) -> Vec<Arc<Tool>> {
        let mut tools = tools.to_vec();
        self.chance(what).shuffle(&mut tools);
        tools
    }

    /// The right tool among the others, which stand in an order that says nothing of how near they are.
    fn placed(&self, list: ToolList, others: &[Arc<Tool>], place: usize) -> Result<Vec<Arc<Tool>>, ItemError> {
        let (wanted, left) = (list.size() - 1, others.len());
        if left < wanted {
            let detail =
                format!("`{list}` wants {wanted} tools that can serve none of the requests, {left} were found");
            return Err(Fault::new("too_few_tools", detail).into());
        }
        let mut tools = self.shuffled(&format!("{list}/order"), others);
        tools.insert(place, self.tool.clone());
        Ok(tools)
    }

    /// The place of the tool among the targets of the run, where the queries know it; else among all tools, in an order
    /// that is drawn, so that names say nothing of it.
    fn rank(&self) -> usize {
        let fact = self.items.first().and_then(|item| item.provenance.facts.get(RANK_FACT));
        if let Some(rank) = fact.and_then(|rank| rank.parse().ok()) {
            return rank;
        }
        let place = ranked(self.context).iter().position(|tool| tool.name == self.tool.name);
        place.unwrap_or_else(|| self.chance("rank").below(self.context.toolset().tools.len()))
    }

    fn chance(&self, what: &str) -> Chance {
        let key = self.context.toolset().key(&self.tool.name);
        self.context.chance_of(what, key, 0)
    }
}

/// The requests, with the ids of their items.
pub(crate) fn requests(items: &[Item]) -> Vec<(ItemId, String)> {
    items.iter().map(|item| (item.id.clone(), item.record.said().unwrap_or_default())).collect()
}

// Tools that stand beside the right one and can serve none of the requests that share a list.

/// Chooses tools for some requests; what was asked about a tool is not asked again.
pub(crate) struct Distractors<'a> {
    context: &'a Context,
    requests: Vec<(ItemId, String)>,
    serving: BTreeMap<String, bool>,
}

impl<'a> Distractors<'a> {
    /// Nothing asked yet about these requests.
    pub(crate) fn new(context: &'a Context, requests: Vec<(ItemId, String)>) -> Self {
        Self { context, requests, serving: BTreeMap::new() }
    }

    /// The first `count` of the tools that can serve none of the requests; fewer where there are no more.
    ///
    /// As many tools are asked about at once as are still missing: each of them would be asked about in any case.
    pub(crate) async fn first(&mut self, tools: &[Arc<Tool>], count: usize) -> Result<Vec<Arc<Tool>>, ItemError> {
        let (mut found, mut rest) = (Vec::new(), tools.iter());
        while found.len() < count {
            let next: Vec<&Arc<Tool>> = rest.by_ref().take(count - found.len()).collect();
            if next.is_empty() {
                break;
            }
            let verdicts = join_all(next.iter().map(|tool| self.serves(tool))).await;
            for (tool, verdict) in next.into_iter().zip(verdicts) {
                if !self.learn(tool, verdict?) {
                    found.push(tool.clone());
                }
            }
        }
        Ok(found)
    }

    /// Whether a tool can serve any of the requests; the first that it can serve is enough.
    async fn serves(&self, tool: &Arc<Tool>) -> Result<bool, ItemError> {
        if let Some(known) = self.serving.get(&tool.name) {
            return Ok(*known);
        }
        for (id, text) in &self.requests {
            match can_serve(self.context, id, text, tool).await {
                Ok(false) => {}
                // Who does not say that a tool is of no use leaves it open.
                Err(ItemError::Item { fault, .. }) if fault.reason == "unparsable_verdict" => return Ok(true),
                other => return other,
            }
        }
        Ok(false)
    }

    fn learn(&mut self, tool: &Tool, serves: bool) -> bool {
        if self.serving.insert(tool.name.clone(), serves).is_none() && serves {
            self.context.count("passed over");
        }
        serves
    }
}

#[cfg(test)]
mod lists_tests {
    use super::*;
    use crate::llm::Variables;
    use crate::stage::testing::{Asked, context, query, query_item, train, with_shared};
    use crate::toolset::Toolset;

    /// A context of the mobile tools in a locale, with a checker that finds that these can serve every request.
    fn mobile(locale: &str, serving: &'static [&'static str]) -> (Context, Asked) {
        let (context, asked) = context(|request| match &*request.variables {
            Variables::CanServe(it) => {
                if serving.contains(&it.tool.name.as_str()) { "True" } else { "False" }.to_owned()
            }
            other => panic!("{other:?}"),
        });
        let toolset = crate::fixtures::toolset("mobile", locale);
        (with_shared(context, |shared| shared.toolset = toolset), asked)
    }

    fn item(text: &str, rank: Option<usize>) -> Item {
        let mut item = query_item(query(text, "{}"));
        item.provenance.facts.extend(rank.map(|rank| (RANK_FACT.to_owned(), rank.to_string())));
        item
    }

    async fn made(context: &Context, tool: &Arc<Tool>, lists: &[ToolList]) -> Result<Shown, ItemError> {
        let items = [item("one", None), item("two", None)];
        Lists { context, wanted: lists, tool, items: &items }.make().await
    }

    fn names(tools: &[Arc<Tool>]) -> BTreeSet<&str> {
        tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    fn words_of(tool: &Tool) -> Features {
        Features::of(&Tool { description: tool.description.clone(), ..Tool::default() })
    }

    /// How near the descriptions of the others of a list are to that of the tool, on average.
    #[expect(clippy::cast_precision_loss, reason = "lists are short")]
    fn likeness(tool: &Tool, tools: &[Arc<Tool>]) -> f64 {
        let others: Vec<f64> =
            tools.iter().filter(|it| it.name != tool.name).map(|it| words_of(tool).nearness(&words_of(it))).collect();
        others.iter().sum::<f64>() / others.len() as f64
    }

    #[tokio::test]
    async fn close_lists_are_at_least_twice_as_alike_as_random_ones() {
        for locale in ["en", "ko", "zh"] {
            let (context, _) = mobile(locale, &[]);
            let (mut close, mut random) = (0.0, 0.0);
            for tool in context.toolset().tools.iter().step_by(4) {
                let shown = made(&context, tool, &ToolList::all_five()).await.unwrap();
                close += likeness(tool, &shown[2]) + likeness(tool, &shown[4]);
                random += likeness(tool, &shown[1]) + likeness(tool, &shown[3]);
            }
            assert!(close >= 2.0 * random, "{locale}: {close} {random}");
        }
    }

    #[tokio::test]
    async fn the_small_close_list_is_within_the_large_one_and_random_ones_are_apart() {
        let (context, asked) = mobile("ko", &[]);
        for tool in context.toolset().tools.iter().step_by(9) {
            asked.clear();
            let shown = made(&context, tool, &ToolList::all_five()).await.unwrap();
            let [exact, few_random, few, random, many] = [0, 1, 2, 3, 4].map(|list| names(&shown[list]));
            assert_eq!((exact.len(), few.len(), many.len(), few_random.len(), random.len()), (1, 4, 8, 4, 8));
            assert!(exact.contains(tool.name.as_str()) && few.is_subset(&many));
            for list in [&few_random, &random] {
                assert_eq!(
                    list.intersection(&many).collect::<Vec<_>>(),
                    [&tool.name],
                    "no neighbour is among strangers"
                );
            }
            assert!(!few_random.is_subset(&random), "they are drawn one by one");
            let others = many.union(&random).chain(&few_random).collect::<BTreeSet<_>>().len() - 1;
            assert_eq!(asked.count(), 2 * others, "each is asked about once for each request");
        }
    }

    #[tokio::test]
    async fn a_tool_that_can_serve_is_in_no_list() {
        let (context, _) = mobile("en", &[]);
        let tool = context.toolset().tools[0].clone();
        let plain = made(&context, &tool, &ToolList::all_five()).await.unwrap();
        let lost: Vec<String> =
            plain.iter().flatten().map(|it| it.name.clone()).filter(|it| *it != tool.name).step_by(2).collect();
        let lost: &'static [&'static str] = Vec::leak(lost.into_iter().map(|name| &*String::leak(name)).collect());
        let (context, _) = mobile("en", lost);
        let shown = made(&context, &tool, &ToolList::all_five()).await.unwrap();
        assert_eq!(shown.iter().map(Vec::len).collect::<Vec<_>>(), [1, 4, 4, 8, 8]);
        assert!(shown.iter().all(|tools| names(tools).len() == tools.len()));
        assert!(lost.iter().all(|name| shown.iter().all(|tools| !names(tools).contains(name))));
    }

    /// A context of made-up tools: the train with others that are described in these words.
    fn described(descriptions: &[&str]) -> Context {
        let (context, _) = context(|_| "False".to_owned());
        let tool = |(number, description): (usize, &&str)| {
            Arc::new(Tool { name: format!("t{number}"), description: (*description).to_owned(), ..Tool::default() })
        };
        let tools = descriptions.iter().enumerate().map(tool).chain([Arc::new(train())]).collect();
        with_shared(context, |shared| shared.toolset = Arc::new(Toolset { tools, ..Toolset::default() }))
    }

    #[tokio::test]
    async fn a_tool_that_does_the_same_is_never_taken() {
        let context = described(&["book a TRAIN.", "Book a tram", "Take a note"]);
        let shown = made(&context, &Arc::new(train()), &[ToolList::Close(3)]).await.unwrap();
        assert_eq!(names(&shown[0]), BTreeSet::from(["Travel.Trains.book", "t1", "t2"]));
    }

    #[tokio::test]
    async fn where_too_few_are_left_it_says_how_many_there_were() {
        let context = described(&["Book a tram", "Take a note"]);
        for (lists, wanted) in [
            (
                vec![ToolList::Close(2), ToolList::Random(4)],
                "`4_random` wants 3 tools that can serve none of the requests, 1 were found",
            ),
            (vec![ToolList::Close(4)], "`4_close` wants 3 tools that can serve none of the requests, 2 were found"),
            (vec![ToolList::Random(2)], "`2_random` wants 1 tools that can serve none of the requests, 0 were found"),
        ] {
            let failure = made(&context, &Arc::new(train()), &lists).await.unwrap_err();
            let ItemError::Item { fault, .. } = failure else { panic!("{failure:?}") };
            assert_eq!((fault.reason, fault.detail.as_str()), ("too_few_tools", wanted));
        }
    }

    #[tokio::test]
    async fn the_rank_of_the_queries_decides_on_the_places() {
        let context = described(&["a", "b", "c", "d", "e"]);
        for rank in 0..4 {
            let (lists, tool) = ([ToolList::Close(4)], Arc::new(train()));
            let items = [item("one", Some(rank))];
            let shown = Lists { context: &context, wanted: &lists, tool: &tool, items: &items }.make().await.unwrap();
            assert_eq!(shown[0].iter().position(|it| it.name == tool.name), Some(rank));
        }
    }

    #[tokio::test]
    async fn without_ranks_the_places_are_even_over_the_whole_toolset() {
        let (mut context, _) = mobile("en", &[]);
        for (seed, size) in [(0, 2), (1, 3), (2, 4), (3, 7), (4, 8)] {
            context = with_shared(context, |shared| shared.seed = seed);
            let (lists, mut counts) = ([ToolList::Close(size)], vec![0; size]);
            for tool in &context.toolset().tools {
                let lists = Lists { context: &context, wanted: &lists, tool, items: &[] };
                counts[places(lists.wanted, lists.rank())[0]] += 1;
            }
            assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1, "{counts:?}");
        }
    }
}

#[cfg(test)]
mod distractors_tests {
    use super::*;
    use crate::llm::Variables;
    use crate::stage::testing::{Asked, context};

    /// A checker that says `verdict` of the tools whose name holds `mark`, where the request holds `word`.
    fn checker(mark: &'static str, word: &'static str, verdict: &'static str) -> (Context, Asked) {
        context(move |request| match &*request.variables {
            Variables::CanServe(it) if it.tool.name.contains(mark) && it.query.contains(word) => verdict.to_owned(),
            _ => "False".to_owned(),
        })
    }

    fn requests(texts: &[&str]) -> Vec<(ItemId, String)> {
        let request = |(ordinal, text): (usize, &&str)| (ItemId::root("t").child("q", ordinal), (*text).to_owned());
        texts.iter().enumerate().map(request).collect()
    }

    async fn names(distractors: &mut Distractors<'_>, count: usize) -> Vec<String> {
        let tools = distractors.context.toolset().tools.clone();
        distractors.first(&tools, count).await.unwrap().iter().map(|tool| tool.name.clone()).collect()
    }

    #[tokio::test]
    async fn each_tool_is_asked_about_each_request_once() {
        let (context, asked) = checker("-", "", "True");
        let mut distractors = Distractors::new(&context, requests(&["one", "two"]));
        assert_eq!(names(&mut distractors, 3).await.len(), 3);
        assert_eq!(asked.count(), 6);
        assert_eq!(names(&mut distractors, 4).await.len(), 4);
        assert_eq!(asked.count(), 8, "only the fourth is new");
    }

    #[tokio::test]
    async fn a_tool_that_can_serve_one_of_the_requests_gives_way_to_the_next() {
        let (context, asked) = checker(".cancel", "two", "True");
        let mut distractors = Distractors::new(&context, requests(&["one", "two", "three"]));
        let names = names(&mut distractors, 4).await;
        assert!(names.iter().all(|name| !name.ends_with(".cancel")), "{names:?}");
        assert_eq!(asked.count(), 4 * 3 + 2 * 2, "the third request is not asked about where the second is served");
        assert_eq!(context.counts()["stage"]["passed over"], 2);
    }

    #[tokio::test]
    async fn a_tool_of_which_nobody_says_anything_is_passed_over() {
        let (context, asked) = checker(".book", "", "perhaps");
        let mut distractors = Distractors::new(&context, requests(&["one"]));
        assert_eq!(names(&mut distractors, 12).await.len(), 8);
        assert_eq!(asked.count(), 8 + 4 * 2);
    }

    #[tokio::test]
    async fn where_no_model_answers_there_is_no_choice() {
        let (context, _) = checker("-", "", "True");
        let context = crate::stage::testing::with_shared(context, |shared| shared.chats.clear());
        let mut distractors = Distractors::new(&context, requests(&["one"]));
        let tools = context.toolset().tools.clone();
        let failure = distractors.first(&tools, 1).await.unwrap_err();
        assert!(matches!(failure, ItemError::Item { fault, .. } if fault.reason == "no_model"));
    }
}
