//! What a world answers, remembered: without changes the same call has the same answer in every sample.

use super::functions::Functions;
use super::harvest::{Harvest, harvest};
use crate::world::DeclaredWorld;
use fcgen_core::record::{Object, Value};
use indexmap::IndexMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How many answers are kept; when there are more, all are forgotten.
const KEPT: usize = 20_000;

/// The answers of a world. Of each only what other calls can take is kept.
pub(super) struct Answers {
    world: Arc<DeclaredWorld>,
    known: RwLock<IndexMap<String, Option<Arc<Harvest>>>>,
}

impl Answers {
    /// No answers yet.
    pub(super) fn new(world: Arc<DeclaredWorld>) -> Self {
        Self { world, known: RwLock::default() }
    }

    /// What a call that changes nothing is answered with; none where it is refused.
    pub(super) fn get(&self, functions: &Functions, name: &str, arguments: &Object) -> Option<Arc<Harvest>> {
        let key = format!("{name}{}", Value::Object(arguments.clone()));
        if let Some(known) = self.known.read().unwrap_or_else(PoisonError::into_inner).get(&key) {
            return known.clone();
        }
        let shapes = functions.shapes.get(name).map_or(&[][..], Vec::as_slice);
        let answer = self.world.session().call(name, arguments).ok();
        let read = answer.map(|answer| Arc::new(harvest(shapes, &answer)));
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(key, read.clone());
        read
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{functions, world};
    use super::*;

    #[test]
    fn a_call_is_answered_once_and_a_refusal_is_none() {
        let (answers, functions) = (Answers::new(world()), functions());
        let of = |name: &str, json: &str| answers.get(&functions, name, &serde_json::from_str(json).unwrap());
        let one = of("Find_Town", r#"{"query": "Greyford"}"#).unwrap();
        assert!(Arc::ptr_eq(&one, &of("Find_Town", r#"{"query": "Greyford"}"#).unwrap()));
        assert_eq!(one[0][0][0], Some("T2".into()));
        assert!(of("Get_Inn", r#"{"token": "x"}"#).is_none());
        assert_eq!(of("Get_Inn", r#"{"token": "x"}"#), None);
    }
}
