//! Functions drawn from a domain in such a way that they can work together.

use crate::record::{Catalogue, Chance, Graph, Source, Tool};
use crate::stage::context::Context;
use std::sync::Arc;

/// Draws functions until there are `count`, each with one that answers what it must have; of functions that overlap,
/// one. The last may bring along more than were wanted.
pub(crate) fn sampled(context: &Context, catalogue: &Catalogue, count: usize, chance: &mut Chance) -> Vec<Arc<Tool>> {
    let graph = context.domains().graph(catalogue);
    let mut order: Vec<&Arc<Tool>> = catalogue.tools.iter().collect();
    chance.shuffle(&mut order);
    let mut drawing = Drawing { context, catalogue, graph: &graph, chance, drawn: Vec::new() };
    for tool in order {
        if drawing.drawn.len() >= count {
            break;
        }
        drawing.take(tool);
    }
    // In declared order, so that the order in which they were drawn tells nothing.
    let drawn = drawing.drawn;
    catalogue.tools.iter().filter(|tool| drawn.contains(&tool.name)).cloned().collect()
}

struct Drawing<'d> {
    context: &'d Context,
    catalogue: &'d Catalogue,
    graph: &'d Graph,
    chance: &'d mut Chance,
    drawn: Vec<String>,
}

impl Drawing<'_> {
    /// Takes a function and those that feed it.
    fn take(&mut self, tool: &Tool) {
        let mut wanted = vec![tool.name.clone()];
        while let Some(name) = wanted.pop() {
            if self.drawn.contains(&name) || self.overlaps(&name) {
                continue;
            }
            wanted.extend(self.feeders(&name));
            self.drawn.push(name);
        }
    }

    /// One function for each required parameter that only answers can give.
    fn feeders(&mut self, name: &str) -> Vec<String> {
        let catalogue = self.catalogue;
        let Some(tool) = catalogue.tools.iter().find(|tool| tool.name == name) else { return Vec::new() };
        let mut feeders = Vec::new();
        for parameter in &tool.parameters.required {
            let (single, listed) = (self.graph.feeders(name, parameter), self.graph.listed(name, parameter));
            let known: Vec<&Source> = single.iter().chain(listed).collect();
            if known.iter().any(|source| self.drawn.contains(&source.tool) || feeders.contains(&source.tool)) {
                continue;
            }
            let open: Vec<&&Source> = known.iter().filter(|source| !self.overlaps(&source.tool)).collect();
            feeders.extend(self.chance.pick(&open).map(|source| source.tool.clone()));
        }
        let fields = tool.parameters.required.iter().flat_map(|parameter| self.fields(name, parameter));
        for sources in fields.collect::<Vec<_>>() {
            if sources.iter().all(|tool| !self.drawn.contains(tool) && !feeders.contains(tool)) {
                feeders.extend(sources.into_iter().find(|tool| !self.overlaps(tool)));
            }
        }
        feeders
    }

    /// For each field of the objects of a parameter that answers give: the functions that do.
    fn fields(&self, name: &str, parameter: &str) -> Vec<Vec<String>> {
        let function = self.context.toolset().world.as_ref().and_then(|world| world.functions.get(name));
        let fields = function.and_then(|function| function.parameters.get(parameter)).map(|it| &it.fields);
        let of_catalogue = |tool: &str| self.catalogue.tools.iter().any(|it| it.name == tool);
        let sources = fields.into_iter().flat_map(|fields| fields.values()).map(|field| {
            field.from.iter().map(|source| source.tool.clone()).filter(|tool| of_catalogue(tool)).collect::<Vec<_>>()
        });
        sources.filter(|sources| !sources.is_empty()).collect()
    }

    /// Whether a function overlaps with one that was drawn.
    fn overlaps(&self, name: &str) -> bool {
        let world = self.context.toolset().world.as_ref();
        world.is_some_and(|world| self.drawn.iter().any(|drawn| world.overlap(name, drawn)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::trace::testing::{catalogue, inn};
    use crate::record::Record;
    use crate::stage::testing::{question_item, silent};

    fn names(count: usize, draw: u32) -> Vec<String> {
        let context = inn(silent());
        let mut chance = Chance::new(7, "coarse", "inns", draw);
        let tools = sampled(&context, &catalogue(&context), count, &mut chance);
        tools.iter().map(|tool| tool.name.clone()).collect()
    }

    #[test]
    fn what_is_drawn_has_what_feeds_it_and_no_two_that_overlap() {
        for draw in 0..30 {
            let names = names(3, draw);
            let has = |name: &str| names.iter().any(|it| it == name);
            assert!(names.len() >= 3, "{names:?}");
            assert!(!has("Get_Inn") || has("Search_Inns"), "{names:?}");
            assert!(!has("Cancel_Booking") || has("Book_Inn"), "{names:?}");
            assert!(!(has("Find_Town") && has("Locate_Town")), "{names:?}");
        }
    }

    #[test]
    fn draws_differ_and_repeat_themselves() {
        assert_eq!(names(3, 1), names(3, 1));
        let distinct: std::collections::BTreeSet<Vec<String>> = (0..20).map(|draw| names(3, draw)).collect();
        assert!(distinct.len() > 4, "{distinct:?}");
        assert_eq!(names(99, 0).len(), 7, "all but one of two that overlap");
    }

    #[test]
    fn tools_that_declare_nothing_are_fed_by_names() {
        let Record::Question(question) = question_item().record else { panic!("no question") };
        let mut chance = Chance::new(7, "coarse", "bank", 0);
        assert_eq!(sampled(&silent(), &question.catalogue, 1, &mut chance).len(), 1, "nothing is known to feed it");
    }
}
