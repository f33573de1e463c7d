//! What people should know before a run begins, because afterwards it has cost something.

use fcgen::config::Plan;
use fcgen::llm::{ModelConfig, Price, ProviderKind};
use fcgen::run::Unfinished;

/// Warnings about a plan that is sound and yet may not do what is expected of it.
pub(crate) fn cautions(plan: &Plan) -> Vec<String> {
    let english = Unfinished::english(plan).into_iter().map(|note| format!("note: {note}"));
    english.chain(unbounded(plan)).collect()
}

/// That a bound does not bound models without a price.
fn unbounded(plan: &Plan) -> Option<String> {
    let free: Vec<&str> =
        plan.models.iter().filter(|(_, model)| is_unpriced(model)).map(|(role, _)| role.as_str()).collect();
    if plan.pipeline.max_cost.is_none() || free.is_empty() {
        return None;
    }
    let roles = free.iter().map(|role| format!("`{role}`")).collect::<Vec<_>>().join(", ");
    Some(format!("warning: `max_cost` does not limit {roles}: a model without a `price` counts as free"))
}

fn is_unpriced(model: &ModelConfig) -> bool {
    model.provider == ProviderKind::Openai && model.price == Price::default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen::config::{Overrides, load};

    fn told(sets: &[&str]) -> Vec<String> {
        let overrides: Overrides = sets.iter().copied().collect();
        let text = fcgen::assets().read("pipelines/hammer.toml").unwrap();
        cautions(&load(fcgen::assets(), &text, "pipelines/hammer.toml", &overrides).unwrap())
    }

    #[test]
    fn a_bound_in_dollars_wants_prices() {
        let endpoint = ["max_cost=1", "model.generator.provider=openai", "model.generator.model=m"];
        insta::assert_snapshot!(
            told(&endpoint).join("\n"),
            @"warning: `max_cost` does not limit `generator`, `checker`, `judge`: a model without a `price` counts as free"
        );
        assert!(told(&endpoint[1..]).is_empty());
        assert!(told(&endpoint[..1]).is_empty(), "the built-in model is free");
        let priced: Vec<&str> = endpoint.into_iter().chain(["model.generator.price.input=1"]).collect();
        assert!(told(&priced).is_empty());
    }
}
