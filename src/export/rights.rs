//! What is right for every sample of a bench, by id.

use super::Right;
use super::teach::Teacher;
use super::walk;
use super::wording::Wording;
use crate::format::{Bench, BenchError};
use crate::record::Paradigm;
use std::collections::BTreeMap;

/// They are all held, since a trainer asks for them in any order; of a sample that cannot be taught there is none.
#[derive(Debug, Default)]
pub struct Rights(BTreeMap<String, Right>);

impl Rights {
    /// Reads a bench.
    pub fn of(bench: &Bench, paradigm: Paradigm) -> Result<Self, BenchError> {
        let mut teacher = Teacher { wording: Wording::new(0), paradigm };
        let mut rights = BTreeMap::new();
        walk::each::<BenchError>(bench, &mut |sample, around| {
            if let Ok((lesson, _)) = teacher.lesson(sample, around) {
                rights.insert(lesson.id().to_owned(), Right::of(&lesson));
            }
            Ok(())
        })?;
        Ok(Self(rights))
    }

    /// What is right for a sample; a copy (`.../copy/1`) is as its original.
    pub fn find(&self, id: &str) -> Option<&Right> {
        self.0.get(id).or_else(|| self.0.get(id.rsplit_once("/copy/")?.0))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::lesson;
    use super::*;

    #[test]
    fn a_copy_is_as_its_original() {
        let lesson = lesson("call");
        let rights = Rights([(lesson.id().to_owned(), Right::of(&lesson))].into());
        assert!(rights.find(lesson.id()).is_some() && rights.find("Rail.book/ask/0/copy/2").is_some());
        assert!(rights.find("Rail.book/ask/1").is_none() && rights.find("x/copy/1").is_none());
        assert_eq!((rights.len(), rights.is_empty()), (1, false));
    }
}
