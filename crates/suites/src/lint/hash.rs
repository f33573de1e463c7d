//! Hashes: names of long things, and samples of many.

use crate::record::Chance;
use std::collections::BTreeMap;

// Short names of long things, for sets that must stay small.

/// A hash of some words; their boundaries count.
pub fn hash(words: &[&str]) -> u64 {
    let bytes: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
    Chance::of(&bytes).bits()
}

// A fair part of many things, of bounded size: those with the least hashes.

/// At most so many of the things that it was shown, the same ones in whatever order they came.
#[derive(Debug, Clone)]
pub struct Sketch<T> {
    seed: u64,
    most: usize,
    kept: BTreeMap<u64, T>,
}

impl<T> Sketch<T> {
    /// Holds nothing yet.
    pub fn new(seed: u64, most: usize) -> Self {
        Self { seed, most, kept: BTreeMap::new() }
    }

    /// Shows a thing by its name; it is made only if it is kept.
    pub fn show(&mut self, name: &str, thing: impl FnOnce() -> T) {
        let place = hash(&["sketch", &self.seed.to_string(), name]);
        if self.kept.len() == self.most {
            match self.kept.last_key_value() {
                Some((last, _)) if place < *last => drop(self.kept.pop_last()),
                _ => return,
            }
        }
        self.kept.insert(place, thing());
    }

    /// The things that are kept.
    pub fn things(&self) -> impl Iterator<Item = &T> {
        self.kept.values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_count() {
        assert_eq!(hash(&["a", "b"]), hash(&["a", "b"]));
        assert_ne!(hash(&["ab", ""]), hash(&["a", "b"]));
    }
}

#[cfg(test)]
mod sketch_tests {
    use super::*;

    fn kept(names: &[String]) -> Vec<String> {
        let mut sketch = Sketch::new(7, 10);
        for name in names {
            sketch.show(name, || name.clone());
        }
        sketch.things().cloned().collect()
    }

    #[test]
    fn the_same_things_are_kept_in_whatever_order_they_come() {
        let mut names: Vec<String> = (0..200).map(|number| format!("n{number}")).collect();
        let forward = kept(&names);
        names.reverse();
        assert_eq!((kept(&names), forward.len()), (forward.clone(), 10));
        assert_eq!(kept(&names[..3]).len(), 3);
    }

    #[test]
    fn nothing_is_kept_where_nothing_may_be() {
        let mut sketch = Sketch::new(7, 0);
        sketch.show("a", || ());
        assert_eq!(sketch.things().count(), 0);
    }
}
