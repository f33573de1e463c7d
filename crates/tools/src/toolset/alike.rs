//! Tools that could be taken for one another: names that differ only in case, and tools that differ in hardly a word.

use super::{Finding, Toolset};
use fcgen_core::locale::words;
use fcgen_core::record::Tool;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Two descriptions are alike if they share so much of their words.
const SHARED: f64 = 0.8;

/// What is told of tools whose phrases nobody has written: those of others keep them apart.
pub(super) fn lint(toolset: &Toolset) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut names: IndexMap<String, &str> = IndexMap::new();
    // Tools without the same parameters are kept apart by these.
    let mut groups: IndexMap<Vec<&str>, Vec<(&Tool, BTreeSet<String>)>> = IndexMap::new();
    for tool in &toolset.tools {
        let mut find = |message: String, fix: &str| findings.push(Finding::warning(&tool.name, message).fixed_by(fix));
        match names.get(&tool.name.to_lowercase()) {
            Some(other) => find(format!("differs from `{other}` only in case"), "rename one of them"),
            None => drop(names.insert(tool.name.to_lowercase(), &tool.name)),
        }
        // Resources bring phrases of their own.
        let is_spoken = toolset.phrases.contains_key(&tool.name) || !toolset.domains.is_empty();
        if is_spoken || tool.description.trim().is_empty() {
            continue;
        }
        let mut parameters: Vec<&str> = tool.parameters.properties.keys().map(String::as_str).collect();
        parameters.sort_unstable();
        let own: BTreeSet<String> = words(&tool.description).into_iter().collect();
        let group = groups.entry(parameters).or_default();
        let twin =
            group.iter().find(|(other, theirs)| other.description != tool.description && share(&own, theirs) >= SHARED);
        if let Some((other, theirs)) = twin {
            let apart: Vec<String> = own.symmetric_difference(theirs).take(4).map(|word| format!("`{word}`")).collect();
            let differs = if apart.is_empty() { "no words".to_owned() } else { format!("{} alone", apart.join(", ")) };
            let message =
                format!("has the same parameters as `{}`, and the descriptions differ in {differs}", other.name);
            find(message, "state in both descriptions how the tools differ");
        }
        group.push((tool, own));
    }
    findings
}

/// How much of their words two texts share.
fn share(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    let shared = u32::try_from(one.intersection(other).count()).unwrap_or(u32::MAX);
    let all = u32::try_from(one.union(other).count()).unwrap_or(u32::MAX);
    if all == 0 { 0.0 } else { f64::from(shared) / f64::from(all) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn messages(tools: &[(&str, &str, &str)]) -> Vec<String> {
        let tool = |(name, description, parameter): &(&str, &str, &str)| {
            let mut tool = Tool { name: (*name).to_owned(), description: (*description).to_owned(), ..Tool::default() };
            tool.parameters.properties.insert((*parameter).to_owned(), fcgen_core::record::Parameter::default());
            Arc::new(tool)
        };
        let toolset = Toolset { tools: tools.iter().map(tool).collect(), ..Toolset::default() };
        lint(&toolset).into_iter().map(|it| format!("{}: {}", it.place, it.message)).collect()
    }

    #[test]
    fn names_that_differ_only_in_case_are_told() {
        assert_eq!(
            messages(&[("getPlant", "a", "x"), ("GetPlant", "b", "y")]),
            ["GetPlant: differs from `getPlant` only in case"]
        );
    }

    #[test]
    fn tools_that_differ_in_hardly_a_word_are_told() {
        let one = "List the open orders of one customer of the shop";
        let other = "List the closed orders of one customer of the shop";
        assert_eq!(
            messages(&[("a", one, "x"), ("b", other, "x")]),
            Vec::<String>::new(),
            "one word of nine is enough to tell them apart"
        );
        let long = "List the orders of one customer of the shop with their lines, newest first, a page at a time";
        let told = messages(&[
            ("a", long, "x"),
            ("b", &long.replace("newest", "oldest"), "x"),
            ("c", &long.replace("newest", "latest"), "y"),
        ]);
        assert_eq!(
            told,
            ["b: has the same parameters as `a`, and the descriptions differ in `newest`, `oldest` alone"]
        );
        let told = messages(&[("a", "Gets it", "x"), ("b", "Gets it.", "x")]);
        assert_eq!(told, ["b: has the same parameters as `a`, and the descriptions differ in no words"]);
    }
}
