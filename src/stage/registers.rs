//! Registers of speech as quotas: in which manner people speak, so many times each.

use super::context::Context;
use crate::config::Amount;
use crate::failure::RunStopped;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How many of a round speak in each of a locale's registers (the styles of its `pack.toml`), by locale. A locale that is
/// not named draws by its own weights.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct Registers(IndexMap<String, IndexMap<String, Amount>>);

impl Registers {
    /// The register of the `place`-th that speaks, from 0; absent where the locale draws by its own weights.
    pub(super) fn of(&self, context: &Context, place: usize) -> Result<Option<&str>, RunStopped> {
        let pack = context.pack();
        let Some(quota) = self.0.get(&pack.code) else { return Ok(None) };
        let mut round: Vec<&str> = Vec::new();
        for (name, amount) in quota {
            if pack.styles.iter().all(|style| style.name != *name) {
                let known: Vec<&str> = pack.styles.iter().map(|style| style.name.as_str()).collect();
                let known = known.join("`, `");
                let fault = format!("`registers`: `{}` has no register `{name}`; there are `{known}`", pack.code);
                return Err(RunStopped::Input(fault));
            }
            round.extend(std::iter::repeat_n(name.as_str(), amount.get()));
        }
        Ok(round.get(place % round.len().max(1)).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::silent;
    use super::*;

    fn registers(text: &str) -> Registers {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn each_round_has_as_many_of_each_as_the_quota_says() {
        let registers = registers(r#"{"en": {"plain": 2, "polite": 1}, "ko": {"banmal": 1}}"#);
        let all: Vec<_> = (0..6).map(|place| registers.of(&silent(), place).unwrap()).collect();
        assert_eq!(all, ["plain", "plain", "polite", "plain", "plain", "polite"].map(Some));
    }

    #[test]
    fn a_locale_without_a_quota_has_its_own_weights_and_a_strange_name_is_told() {
        assert_eq!(registers(r#"{"ko": {"banmal": 1}}"#).of(&silent(), 0).unwrap(), None);
        assert_eq!(registers(r#"{"en": {}}"#).of(&silent(), 3).unwrap(), None);
        let fault = registers(r#"{"en": {"regal": 1}}"#).of(&silent(), 0).unwrap_err().to_string();
        assert!(fault.contains("`en` has no register `regal`; there are `plain`, `wish`"), "{fault}");
    }
}
