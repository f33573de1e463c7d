//! Which data types the samples of a plan can have.

use crate::config::located::Located;
use crate::config::plan::Plan;
use crate::config::problem::{Problem, did_you_mean};
use std::collections::BTreeSet;

impl Plan {
    /// The data types that can come out, each with the position of the stage that begins its items.
    pub fn data_types(&self) -> Vec<(String, usize)> {
        let mut outgoing: Vec<Vec<String>> = Vec::new();
        let mut begun: Vec<(String, usize)> = Vec::new();
        for (at, planned) in self.stages.iter().enumerate() {
            let incoming: Vec<String> =
                planned.from.iter().filter_map(|from| outgoing.get(*from)).flatten().cloned().collect();
            let types = planned.stage.data_types(incoming);
            for data_type in &types {
                if begun.iter().all(|(known, _)| known != data_type) {
                    begun.push((data_type.clone(), at));
                }
            }
            outgoing.push(types);
        }
        let emitted: BTreeSet<&String> = self.emitted().iter().flat_map(|at| &outgoing[*at]).collect();
        begun.retain(|(data_type, _)| emitted.contains(data_type));
        begun
    }

    /// The positions of the stages that a stage reads from, directly or not.
    pub(crate) fn above(&self, stage: usize) -> BTreeSet<usize> {
        let mut above = BTreeSet::new();
        let mut open = self.stages[stage].from.clone();
        while let Some(at) = open.pop() {
            if above.insert(at) {
                open.extend(&self.stages[at].from);
            }
        }
        above
    }
}

/// What `allow_empty` names and no stage makes.
pub(crate) fn unknown(plan: &Plan) -> Vec<Problem> {
    let types = plan.data_types();
    let known: Vec<&str> = types.iter().map(|(data_type, _)| data_type.as_str()).collect();
    let strange = plan.pipeline.allow_empty.iter().filter(|name| !known.contains(&name.as_str()));
    let problem = |name: &Located| {
        let hint = did_you_mean(name, &known, "data types of these stages");
        Problem::new(name.span(), format!("no stage yields the data type `{name}`")).hint(hint)
    };
    strange.map(problem).collect()
}

#[cfg(test)]
mod tests {
    use crate::config::{Overrides, load};

    fn types(text: &str) -> Vec<String> {
        let plan = load(crate::fixtures::assets(), text, "p.toml", &Overrides::default()).unwrap();
        plan.data_types()
            .into_iter()
            .map(|(data_type, at)| format!("{data_type} of {}", plan.stages[at].name))
            .collect()
    }

    #[test]
    fn every_type_of_hammerbench_is_declared_by_the_stage_that_begins_it() {
        let text = crate::fixtures::assets().read("pipelines/hammer.toml").unwrap();
        insta::assert_snapshot!(types(&text).join("\n"));
    }

    #[test]
    fn what_may_be_empty_is_one_of_them() {
        let sets: Overrides = ["allow_empty=[\"IS\", \"sQmB\"]"].into_iter().collect();
        let text = crate::fixtures::assets().read("pipelines/hammer.toml").unwrap();
        let message = load(crate::fixtures::assets(), &text, "hammer.toml", &sets).unwrap_err().to_string();
        assert!(message.starts_with("error: no stage yields the data type `sQmB`"), "{message}");
        assert!(message.contains("did you mean `sQmA`"), "{message}");
    }

    #[test]
    fn a_type_that_others_are_made_of_is_none_that_comes_out() {
        let stage = |kind: &&str| format!("[[stage]]\nkind = \"{kind}\"\n");
        let stages = |kinds: &[&str]| kinds.iter().map(stage).collect::<Vec<_>>().concat();
        let text = "[[stage]]\nkind = \"toolset\"\npath = \"mobile\"\n".to_owned()
            + &stages(&["imperfect_queries", "parameters", "candidates", "slot_filling"]);
        assert_eq!(types(&text), ["Based of slot_filling"]);
        let lists = "[[stage]]\nkind = \"toolset\"\npath = \"mobile\"\n".to_owned()
            + &stages(&["perfect_queries", "tool_lists"]);
        assert!(types(&lists).iter().all(|it| it.ends_with("of tool_lists")), "the list's name takes its place");
    }
}
