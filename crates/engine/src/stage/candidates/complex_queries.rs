//! Makes a sample of a complex query: its functions among those of the same domains that do not overlap with them.

use super::{CandidatesConfig, Order};
use crate::record::{
    Chance, ComplexQuery, Expected, FINAL_ANSWER_FACT, Item, Message, Provenance, Record, Sample, Step, SuiteId, Tool,
};
use crate::stage::context::Context;
use crate::stage::outcome::{Fault, Outcome};
use crate::toolset::Toolset;
use crate::world::offered;
use indexmap::IndexSet;
use std::sync::Arc;

/// The sample of a complex query. Shown are all functions of the domains of the golden ones, or so many; never two that
/// overlap, so that one way alone leads to what is asked.
pub fn sample_of(config: &CandidatesConfig, context: &Context, item: Item, query: ComplexQuery) -> Outcome {
    let mut chance = context.chance(item.id.as_str(), 0);
    let count = config.count.and_then(crate::settings::Breadth::get);
    let offer = Offer { query: &query, toolset: context.toolset() };
    let candidates = match offer.functions(count, &mut chance) {
        Ok(candidates) => candidates,
        Err(fault) => return context.reject(&item.id, fault, query.text),
    };
    let candidates = offer.ordered(candidates, config.order, &mut chance);
    let sample = sample(context, &item, query, candidates);
    let provenance = sample.provenance.clone();
    Outcome::keep(Item { id: item.id, root: item.root, record: Record::Sample(Box::new(sample)), provenance })
}

/// What a query can be offered.
struct Offer<'o> {
    query: &'o ComplexQuery,
    toolset: &'o Toolset,
}

impl Offer<'_> {
    /// The golden functions, and others of which no two overlap.
    fn functions(&self, count: Option<usize>, chance: &mut Chance) -> Result<Vec<Arc<Tool>>, Fault> {
        let golden = self.golden()?;
        let least = golden.len();
        let mut others = self.others();
        chance.shuffle(&mut others);
        let room = count.map_or(others.len(), |count| count.saturating_sub(least));
        let offered: Vec<Arc<Tool>> = golden.into_iter().chain(others.into_iter().take(room)).collect();
        match count {
            Some(count) if least > count => {
                Err(Fault::new("too_few_tools", format!("{count} tools are shown, the query wants {least}")))
            }
            Some(count) if offered.len() < count => {
                let detail = format!("{count} tools were wanted, {} can be offered", offered.len());
                Err(Fault::new("too_few_tools", detail))
            }
            _ => Ok(offered),
        }
    }

    /// The functions of the golden calls, each once.
    fn golden(&self) -> Result<Vec<Arc<Tool>>, Fault> {
        let names = names(&self.query.steps);
        for (at, one) in names.iter().enumerate() {
            if let Some(other) = names.iter().skip(at + 1).find(|other| self.overlap(one, other)) {
                return Err(Fault::new("overlap", format!("`{one}` and `{other}` overlap, and the query wants both")));
            }
        }
        let missing = |name: &str| Fault::new("unknown_function", format!("`{name}` is no function of the toolset"));
        names.iter().map(|name| self.tool(name).cloned().ok_or_else(|| missing(name))).collect()
    }

    /// What else may be offered: just what was looked at when the golden calls were proved to be the shortest way.
    fn others(&self) -> Vec<Arc<Tool>> {
        let golden: Vec<&str> = names(&self.query.steps).into_iter().collect();
        let offered = offered(self.toolset.world.as_deref(), &self.query.catalogue, &golden);
        let others = offered.iter().filter(|name| !golden.contains(&name.as_str()));
        others.filter_map(|name| self.tool(name).cloned()).collect()
    }

    fn ordered(&self, mut candidates: Vec<Arc<Tool>>, order: Order, chance: &mut Chance) -> Vec<Arc<Tool>> {
        match order {
            Order::Drawn => chance.shuffle(&mut candidates),
            Order::Declared => candidates.sort_by_key(|tool| self.place(&tool.name)),
        }
        candidates
    }

    fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        let own = self.query.catalogue.tools.iter().find(|tool| tool.name == name);
        own.or_else(|| self.toolset.tools.iter().find(|tool| tool.name == name))
    }

    /// The domain of a function of a declared world.
    fn domain(&self, name: &str) -> Option<&str> {
        Some(self.toolset.world.as_ref()?.functions.get(name)?.domain.as_str())
    }

    fn overlap(&self, one: &str, other: &str) -> bool {
        self.toolset.world.as_ref().is_some_and(|world| world.overlap(one, other))
    }

    fn place(&self, name: &str) -> Option<usize> {
        let all = self.toolset.tools.iter().chain(&self.query.catalogue.tools);
        all.into_iter().position(|tool| tool.name == name)
    }
}

/// The names of the golden functions, each once, in the order of the calls.
fn names(steps: &[Step]) -> IndexSet<&str> {
    steps.iter().flat_map(|step| &step.calls).map(|call| call.name.as_str()).collect()
}

fn sample(context: &Context, item: &Item, query: ComplexQuery, candidates: Vec<Arc<Tool>>) -> Sample {
    let toolset = context.toolset();
    let mentions = mentions(&query);
    let (tags, provenance) = (tags(&query, toolset), provenance(&item.provenance, &query));
    Sample {
        messages: vec![Message::user(query.text)],
        locale: context.pack().code.clone(),
        reference_time: toolset.world.as_ref().map(|world| world.today.clone()).filter(|today| !today.is_empty()),
        candidates,
        mentions,
        tags,
        group: item.root.to_string(),
        base: query.base,
        licence: toolset.licence.clone(),
        source: toolset.name.clone(),
        provenance,
        ..Sample::new(
            item.id.clone(),
            SuiteId::ComplexFuncBench,
            label(&query.catalogue.domain),
            Expected::Steps(query.steps),
        )
    }
}

/// The authors' word for a domain: `car_rental` is `Car-Rental`.
fn label(domain: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect::<String>()
    };
    let words = domain.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(capital).collect::<Vec<_>>().join("-")
}

/// Domains, how much is to be done, and what the arguments constrain.
fn tags(query: &ComplexQuery, toolset: &Toolset) -> Vec<String> {
    let offer = Offer { query, toolset };
    let of_functions: IndexSet<&str> = names(&query.steps).iter().filter_map(|name| offer.domain(name)).collect();
    let domains =
        if of_functions.is_empty() { IndexSet::from([query.catalogue.domain.as_str()]) } else { of_functions };
    let counts = [format!("steps:{}", query.steps.len()), format!("calls:{}", query.call_count())];
    let notes = query.steps.iter().flat_map(|step| &step.notes).flat_map(indexmap::IndexMap::values);
    let mut constraints: Vec<_> = notes.filter_map(|note| note.constraint).collect();
    constraints.sort_unstable();
    constraints.dedup();
    let word = |it| serde_json::to_value(it).ok().and_then(|it| it.as_str().map(|it| format!("constraint:{it}")));
    let domains = domains.into_iter().map(|domain| format!("domain:{domain}"));
    domains.chain(counts).chain(constraints.into_iter().filter_map(word)).chain(query.tags.clone()).collect()
}

fn provenance(given: &Provenance, query: &ComplexQuery) -> Provenance {
    let mut provenance = given.clone();
    let counts = [("steps", query.steps.len()), ("calls", query.call_count())];
    provenance.facts.extend(counts.map(|(name, count)| (name.to_owned(), count.to_string())));
    if !query.answer.is_empty() {
        provenance.facts.insert(FINAL_ANSWER_FACT.to_owned(), query.answer.clone());
    }
    provenance
}

/// The calls that the words give a value to, in the order in which their first value is said.
fn mentions(query: &ComplexQuery) -> Vec<usize> {
    let first = |notes: &crate::record::ArgumentNotes| {
        let surfaces = notes.values().filter_map(|note| note.surface.as_deref()).filter(|surface| !surface.is_empty());
        surfaces.filter_map(|surface| query.text.find(surface)).min()
    };
    let notes = query.steps.iter().flat_map(|step| &step.notes).enumerate();
    let mut said: Vec<(usize, usize)> = notes.filter_map(|(call, notes)| Some((first(notes)?, call))).collect();
    said.sort_unstable();
    said.into_iter().map(|(_, call)| call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::Stage;
    use crate::stage::candidates::testing::{complex_item, inn};
    use crate::stage::testing::{samples, silent, with_shared};

    fn made(settings: &str, context: &Context, item: Item) -> Outcome {
        read_text::<CandidatesConfig>(settings).unwrap().apply(context, item)
    }

    fn with(change: impl FnOnce(&mut ComplexQuery)) -> Item {
        let mut item = complex_item();
        if let Record::ComplexQuery(query) = &mut item.record {
            change(query);
        }
        item
    }

    fn shown(outcome: &Outcome) -> Vec<&str> {
        samples(&outcome.kept)[0].candidates.iter().map(|tool| tool.name.as_str()).collect()
    }

    #[test]
    fn a_sample_has_all_that_the_query_had() {
        let outcome = made("", &inn(), complex_item());
        let sample = samples(&outcome.kept)[0];
        assert_eq!((sample.suite.as_str(), sample.data_type.0.as_str()), ("complexfuncbench", "Inns"));
        assert_eq!((sample.reference_time.as_deref(), sample.messages.len()), (Some("2024-10-13"), 1));
        let tags = [
            "domain:inns",
            "steps:3",
            "calls:3",
            "constraint:token",
            "constraint:id",
            "constraint:date",
            "constraint:location",
            "twin",
        ];
        assert_eq!(sample.tags, tags);
        let facts = serde_json::to_value(&sample.provenance.facts).unwrap();
        assert_eq!(facts, serde_json::json!({"steps": "3", "calls": "3", "final_answer": "It is booked."}));
        assert_eq!(sample.mentions, [0, 1]);
        let Expected::Steps(steps) = &sample.expected else { panic!("no steps") };
        assert_eq!((steps.len(), steps[2].notes[0]["token"].origin.answer()), (3, Some((1, "/data/inns/0/token"))));
    }

    #[test]
    fn all_functions_of_the_domain_are_offered_but_those_that_overlap() {
        let names = |settings: &str| -> Vec<String> {
            shown(&made(settings, &inn(), complex_item())).into_iter().map(str::to_owned).collect()
        };
        let declared = names("order = \"declared\"");
        let toolset = inn().toolset().clone();
        let wanted: Vec<&str> =
            toolset.tools.iter().map(|tool| tool.name.as_str()).filter(|it| *it != "Locate_Town").collect();
        assert_eq!(declared, wanted);
        let mut drawn = names("count = \"all\"");
        assert_eq!(drawn, names(""));
        drawn.sort_by_key(|name| wanted.iter().position(|it| it == name));
        assert_eq!(drawn, wanted);
    }

    #[test]
    fn so_many_are_the_golden_ones_and_some_others() {
        let outcome = made("count = 5", &inn(), complex_item());
        let names = shown(&outcome);
        assert_eq!(names.len(), 5);
        assert!(["Find_Town", "Search_Inns", "Book_Inn"].iter().all(|name| names.contains(name)), "{names:?}");
        let faults =
            ["count = 2\nnear = 1", "count = 50"].map(|it| made(it, &inn(), complex_item()).rejected.remove(0));
        assert_eq!(faults[0].detail, "2 tools are shown, the query wants 3");
        assert!(faults[1].detail.starts_with("50 tools were wanted, "), "{}", faults[1].detail);
    }

    #[test]
    fn golden_functions_that_overlap_or_are_unknown_are_rejected() {
        let named = |name: &str| with(|query| query.steps[2].calls[0].name = name.to_owned());
        let reject = |name| made("", &inn(), named(name)).rejected.remove(0);
        assert_eq!(
            (reject("Locate_Town").reason.as_str(), reject("Fly").reason.as_str()),
            ("overlap", "unknown_function")
        );
        assert_eq!(reject("Locate_Town").detail, "`Find_Town` and `Locate_Town` overlap, and the query wants both");
    }

    #[test]
    fn without_a_world_the_catalogue_is_offered() {
        let outcome = made("", &silent(), complex_item());
        let names = shown(&outcome);
        assert!(names.contains(&"Locate_Town") && names.contains(&"Find_Town"), "{names:?}");
        let sample = samples(&outcome.kept)[0];
        assert_eq!((sample.reference_time.as_deref(), sample.tags[0].as_str()), (None, "domain:inns"));
    }

    #[test]
    fn a_request_of_several_domains_is_offered_the_functions_of_all_of_them() {
        let context = with_shared(silent(), |shared| shared.toolset = crate::fixtures::toolset("travel", "en"));
        let item = with(|query| {
            query.catalogue = Arc::new(crate::record::Catalogue {
                domain: "cross".to_owned(),
                title: "Travel".to_owned(),
                tools: context.toolset().tools.clone(),
            });
            for (step, name) in
                query.steps.iter_mut().zip(["Search_Flight_Location", "Search_Flights", "Search_Car_Rentals"])
            {
                name.clone_into(&mut step.calls[0].name);
            }
        });
        let outcome = made("", &context, item);
        let sample = samples(&outcome.kept)[0];
        let world = context.toolset().world.as_ref().unwrap();
        assert_eq!(
            (sample.data_type.0.as_str(), &sample.tags[..2]),
            ("Cross", &["domain:flights".to_owned(), "domain:car_rental".to_owned()][..])
        );
        let names = shown(&outcome);
        for one in &names {
            assert!(["flights", "car_rental"].contains(&world.functions[*one].domain.as_str()), "{one}");
            assert!(names.iter().all(|other| !world.overlap(one, other)), "{one} among {names:?}");
        }
        assert!(names.len() > 10 && names.contains(&"Search_Car_Location"), "{names:?}");
    }

    #[test]
    fn domains_have_the_authors_words() {
        let labels = ["hotels", "car_rental", "cross", "attraction", ""].map(label);
        assert_eq!(labels, ["Hotels", "Car-Rental", "Cross", "Attraction", ""]);
    }
}
