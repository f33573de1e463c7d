//! Particles behind values agree with the last sound of the value.

use super::super::entry::Entry;
use super::super::finding::Findings;
use super::super::ground::Ground;
use super::Rule;
use std::sync::Arc;

/// Looks behind every value whose note says how the text says it.
pub(super) struct ParticleAgreement(Arc<Ground>);

impl ParticleAgreement {
    pub(super) fn new(ground: Arc<Ground>) -> Self {
        Self(ground)
    }
}

impl Rule for ParticleAgreement {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        let said = entry.said();
        for name in entry.fresh() {
            let note = entry.sample.arguments.get(name);
            let Some(surface) = note.and_then(|note| note.surface.as_deref()).filter(|it| !it.is_empty()) else {
                continue;
            };
            for text in [Some(said.words), said.external].into_iter().flatten() {
                self.behind(surface, text, entry, findings);
            }
        }
    }
}

impl ParticleAgreement {
    /// Every place where the value stands as a word of its own, or as the beginning of one.
    pub(super) fn behind(&self, surface: &str, text: &str, entry: &Entry, findings: &mut Findings) {
        for (at, _) in text.match_indices(surface) {
            let (before, rest) =
                (text.get(..at).unwrap_or_default(), text.get(at + surface.len()..).unwrap_or_default());
            if before.chars().next_back().is_some_and(char::is_alphanumeric) {
                continue;
            }
            let Some(agreement) = self.0.particles.agreement(surface, rest) else { continue };
            let agrees = agreement.found == agreement.expected;
            findings.tally("particles agree with the value before them", agrees);
            if !agrees {
                let (found, expected) = (agreement.found, agreement.expected);
                let message = format!("`{surface}{found}` in `{text}`; expected `{surface}{expected}`");
                findings.error("particle", entry, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{entry, said};
    use super::super::testing::found;
    use super::*;
    use crate::record::{Argument, Origin};

    fn of(words: &str, surface: &str) -> Vec<String> {
        let mut sample = said("a", "ST_Perfect", words, &format!(r#"{{"to": "{surface}"}}"#));
        let note = Argument { surface: Some(surface.to_owned()), origin: Origin::Verbatim, ..Argument::default() };
        sample.arguments.insert("to".to_owned(), note);
        found(ParticleAgreement::new(Ground::load(crate::fixtures::assets(), "ko").unwrap()), &[entry(sample)])
    }

    #[test]
    fn a_particle_follows_the_last_sound_of_a_value() {
        assert_eq!(of("부산으로 가는 표 사 줘", "부산"), Vec::<String>::new());
        assert_eq!(
            of("부산로 가는 표 사 줘", "부산"),
            ["particle: `부산로` in `부산로 가는 표 사 줘`; expected `부산으로`"]
        );
        assert_eq!(of("EK:제주이 좋아요.\nquery:쪽지에 있는 데로", "제주").len(), 1);
    }

    #[test]
    fn within_another_word_it_is_not_looked_at() {
        assert_eq!(of("신부산로 가 줘", "부산"), Vec::<String>::new());
        assert_eq!(of("부산역을 찾아 줘", "부산"), Vec::<String>::new());
    }
}
