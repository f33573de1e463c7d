//! Particles that agree with the last sound of the word before them, as Korean has them.

use indexmap::IndexMap;
use serde::Deserialize;

/// The particles of a language and the sounds of letters that do not show theirs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Particles {
    /// Form after a consonant to form after a vowel: `을 = "를"`.
    pairs: IndexMap<String, String>,
    /// Particles whose vowel form also follows ㄹ.
    liquid: Vec<String>,
    /// How letters and digits end when read aloud: `c` consonant, `l` the liquid ㄹ; all others a vowel.
    endings: IndexMap<char, char>,
    /// Pairs of which either form may follow any sound.
    free: Vec<String>,
    /// What may follow a particle within the same word.
    pub followers: Vec<String>,
}

/// A particle as it was found behind a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreement<'a> {
    /// The form that stands there.
    pub found: &'a str,
    /// The form that agrees with the word.
    pub expected: &'a str,
}

/// How a word ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Vowel,
    Consonant,
    Liquid,
}

impl Particles {
    /// `particle` in the form that agrees with `word`; unchanged where the language has no such pair.
    pub fn agree<'a>(&'a self, word: &str, particle: &'a str) -> &'a str {
        let Some(vowel_form) = self.pairs.get(particle) else { return particle };
        match self.ending(word) {
            Ending::Vowel => vowel_form,
            Ending::Liquid if self.liquid.iter().any(|liquid| liquid == particle) => vowel_form,
            Ending::Consonant | Ending::Liquid => particle,
        }
    }

    /// Whether a particle has two forms.
    pub fn agrees(&self, particle: &str) -> bool {
        self.pairs.contains_key(particle)
    }

    /// `after`, which stood behind `old`, as it stands behind `new`: a particle that agreed goes on agreeing.
    pub fn behind(&self, old: &str, new: &str, after: &str) -> String {
        let mut particles: Vec<&String> = self.pairs.keys().collect();
        particles.sort_by_key(|particle| std::cmp::Reverse(self.agree(old, particle).chars().count()));
        let rest = |particle: &&String| {
            let rest = after.strip_prefix(self.agree(old, particle))?;
            Some(format!("{}{rest}", self.agree(new, particle)))
        };
        particles.iter().find_map(rest).unwrap_or_else(|| after.to_owned())
    }

    /// The particle that `rest` begins with, behind `word`; none where it begins with something else, or names both forms.
    pub fn agreement<'a>(&'a self, word: &str, rest: &'a str) -> Option<Agreement<'a>> {
        let tail = rest.split(|letter: char| !letter.is_alphanumeric()).next().filter(|tail| !tail.is_empty())?;
        if rest.get(tail.len()..).is_some_and(|after| after.starts_with(['(', '（'])) {
            return None;
        }
        let is_whole = |form: &str| {
            let after = tail.strip_prefix(form);
            after.is_some_and(|after| after.is_empty() || self.followers.iter().any(|follower| follower == after))
        };
        let checked = self.pairs.iter().filter(|(particle, _)| !self.free.contains(particle));
        let forms = checked.flat_map(|(particle, vowel_form)| [(particle, particle), (particle, vowel_form)]);
        // `이나` is a form of its own and not `이` with something behind it.
        let (particle, found) = forms.filter(|(_, form)| is_whole(form)).max_by_key(|(_, form)| form.len())?;
        Some(Agreement { found, expected: self.agree(word, particle) })
    }

    fn ending(&self, word: &str) -> Ending {
        let Some(last) = word.chars().rev().find(|letter| letter.is_alphanumeric()) else { return Ending::Vowel };
        if ('\u{ac00}'..='\u{d7a3}').contains(&last) {
            // A Hangul syllable is 28 finals per vowel; final 0 is none and final 8 is ㄹ.
            return match (last as u32 - 0xac00) % 28 {
                0 => Ending::Vowel,
                8 => Ending::Liquid,
                _ => Ending::Consonant,
            };
        }
        match last.to_lowercase().next().and_then(|letter| self.endings.get(&letter)) {
            Some('c') => Ending::Consonant,
            Some('l') => Ending::Liquid,
            _ => Ending::Vowel,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::Pack;

    #[test]
    fn korean_particles_follow_the_last_sound() {
        let particles = Pack::load(crate::fixtures::assets(), "ko").unwrap().particles;
        let agreed = |word: &str, particle: &str| format!("{word}{}", particles.agree(word, particle));
        assert_eq!(agreed("서울역", "을"), "서울역을");
        assert_eq!(agreed("카페", "을"), "카페를");
        assert_eq!(agreed("서울", "으로"), "서울로");
        assert_eq!(agreed("부산", "으로"), "부산으로");
        assert_eq!(agreed("제주", "으로"), "제주로");
        assert_eq!(agreed("7", "이"), "7이");
        assert_eq!(agreed("2", "이"), "2가");
        assert_eq!(agreed("1호선", "은"), "1호선은");
        assert_eq!(agreed("(출구 3)", "과"), "(출구 3)과");
    }

    #[test]
    fn what_stood_behind_one_word_agrees_with_another() {
        let particles = Pack::load(crate::fixtures::assets(), "ko").unwrap().particles;
        assert_eq!(particles.behind("1234", "편지에 나온 번호", "로 찾아줘"), "로 찾아줘");
        assert_eq!(particles.behind("부산", "메모에 나온 장소", "으로 가줘"), "로 가줘");
        assert_eq!(particles.behind("제주", "메모에 나온 곳", "라는 이름"), "이라는 이름");
        assert_eq!(particles.behind("제주", "메모에 나온 곳", "까지 가줘"), "까지 가줘");
        assert_eq!(Particles::default().behind("a", "b", " c"), " c");
    }

    #[test]
    fn a_particle_behind_a_word_is_held_to_its_last_sound() {
        let particles = Pack::load(crate::fixtures::assets(), "ko").unwrap().particles;
        let behind = |word: &str, rest: &str| {
            particles.agreement(word, rest).map(|it| (it.found.to_owned(), it.found == it.expected))
        };
        assert_eq!(behind("서울역", "을 찾아줘"), Some(("을".to_owned(), true)));
        assert_eq!(behind("서울역", "를 찾아줘"), Some(("를".to_owned(), false)));
        assert_eq!(behind("서울", "으로."), Some(("으로".to_owned(), false)));
        assert_eq!(behind("제주", "로도 가자"), Some(("로".to_owned(), true)));
        assert_eq!(behind("카페", "이나 가자"), Some(("이나".to_owned(), false)));
        for (word, rest) in
            [("서울", "역을 찾아줘"), ("카페", " 를"), ("카페", "은(는)"), ("서울", "요"), ("2", "가지"), ("서울", "")]
        {
            assert_eq!(behind(word, rest), None, "{word}{rest}");
        }
    }

    #[test]
    fn a_language_without_pairs_leaves_the_particle_alone() {
        assert_eq!(Particles::default().agree("word", "x"), "x");
    }
}
