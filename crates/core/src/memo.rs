//! Remembers what was made ready once, by name.

use indexmap::IndexMap;
use std::sync::{Arc, PoisonError, RwLock};

/// Things made ready once and shared from then on.
pub struct Memo<T>(RwLock<IndexMap<String, Arc<T>>>);

impl<T> Default for Memo<T> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<T> Memo<T> {
    /// What `name` stands for, made by `make` at the first asking.
    pub fn get(&self, name: &str, make: impl FnOnce() -> T) -> Arc<T> {
        if let Some(known) = self.0.read().unwrap_or_else(PoisonError::into_inner).get(name) {
            return known.clone();
        }
        let made = Arc::new(make());
        self.0.write().unwrap_or_else(PoisonError::into_inner).entry(name.to_owned()).or_insert(made).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_made_once() {
        let memo = Memo::default();
        assert_eq!(*memo.get("a", || 1), 1);
        assert_eq!(*memo.get("a", || 2), 1);
        assert_eq!(*memo.get("b", || 3), 3);
    }
}
