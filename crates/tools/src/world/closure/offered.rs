//! Which functions a request is offered.

use crate::toolset::Declaration;
use fcgen_core::record::Catalogue;

/// The functions of the catalogue that a request with these golden functions is offered: those of the same domains that
/// overlap with no golden one; of those that overlap with one another the first. Without a declaration nothing is known
/// of domains and overlaps, and all are offered.
pub fn offered(declaration: Option<&Declaration>, catalogue: &Catalogue, golden: &[&str]) -> Vec<String> {
    let names = catalogue.tools.iter().map(|tool| tool.name.as_str());
    let Some(declaration) = declaration else { return names.map(str::to_owned).collect() };
    let domain = |name: &str| declaration.functions.get(name).map(|function| function.domain.as_str());
    let domains: Vec<Option<&str>> = golden.iter().map(|name| domain(name)).collect();
    let mut kept: Vec<&str> = golden.to_vec();
    for name in names.clone().filter(|name| domains.contains(&domain(name))) {
        if !kept.contains(&name) && !kept.iter().any(|other| declaration.overlap(name, other)) {
            kept.push(name);
        }
    }
    names.filter(|name| kept.contains(name)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::Toolset;

    fn catalogue(toolset: &Toolset) -> Catalogue {
        Catalogue { domain: toolset.name.clone(), title: String::new(), tools: toolset.tools.clone() }
    }

    #[test]
    fn of_an_overlapping_group_the_golden_one_is_offered_or_else_the_first() {
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/inn", "en");
        let (world, catalogue) = (toolset.world.clone().unwrap(), catalogue(&toolset));
        let of = |golden: &[&str]| offered(Some(&world), &catalogue, golden);
        let first = of(&["Search_Inns"]);
        assert!(first.contains(&"Find_Town".to_owned()) && !first.contains(&"Locate_Town".to_owned()), "{first:?}");
        let second = of(&["Locate_Town"]);
        assert!(!second.contains(&"Find_Town".to_owned()) && second.contains(&"Book_Inn".to_owned()), "{second:?}");
        assert_eq!(offered(None, &catalogue, &["Locate_Town"]).len(), toolset.tools.len());
    }

    #[test]
    fn other_domains_stay_away() {
        let toolset = crate::fixtures::toolset("travel", "en");
        let (world, catalogue) = (toolset.world.clone().unwrap(), catalogue(&toolset));
        let names = offered(Some(&world), &catalogue, &["Search_Flights", "Search_Hotels"]);
        let domain = |name: &String| world.functions[name].domain.as_str();
        assert!(names.iter().all(|name| ["flights", "hotels"].contains(&domain(name))));
        assert!(names.len() > 15 && !names.contains(&"Search_Hotels_By_Coordinates".to_owned()), "{names:?}");
        let overlaps = |one: &String| names.iter().any(|other| world.overlap(one, other));
        assert!(!names.iter().any(overlaps));
    }
}
