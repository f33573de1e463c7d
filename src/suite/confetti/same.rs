//! Whether a call is the one that a sample wants.

use super::gold::item_of;
use super::repair;
use crate::record::Sample;
use crate::score::bfcl::{Call, Item, strict};

/// The call that a sample wants, with everything that is accepted for it.
#[derive(Debug, Clone)]
pub struct Wanted(Item);

impl Wanted {
    /// The call of a sample; nothing where it wants none.
    pub fn of(sample: &Sample) -> Option<Self> {
        Some(Self(repair::item(item_of(sample)?)))
    }

    /// Whether a call is that one, by the rules by which the strict profile checks it.
    pub fn is(&self, call: &Call<'_>) -> bool {
        strict::check_calls(&self.0, &repair::calls(vec![call.clone()]), false).is_valid()
    }
}

#[cfg(test)]
mod tests {
    use super::super::gold::tests::write;
    use super::*;
    use crate::format::{Bench, BenchError};
    use crate::score::bfcl::decode_text_strictly;

    fn wanted(sample: &Sample, text: &str) -> bool {
        let calls = decode_text_strictly(text).unwrap().calls;
        Wanted::of(sample).is_some_and(|wanted| wanted.is(&calls[0]))
    }

    #[test]
    fn a_call_is_the_one_that_the_checker_takes() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path());
        let mut samples = Vec::new();
        let bench = Bench::open(folder.path()).unwrap();
        bench
            .each::<BenchError>(&mut |sample| {
                samples.push(sample);
                Ok(())
            })
            .unwrap();
        let [find, get] = [&samples[0], &samples[1]];
        assert!(wanted(find, "A_find(name='The Red Hotel')") && wanted(find, r"A_find(name='the red hotel\\n')"));
        assert!(!wanted(find, "A_find(name='the blue hotel')") && !wanted(find, "A_find()"));
        assert!(wanted(get, "A_get(stars=4)") && !wanted(get, "A_get(stars=5)") && !wanted(get, "B_get(stars=4)"));
        assert!(!wanted(&samples[3], "A_find(name='the red hotel')"), "a turn with its acts wants no call");
    }
}
