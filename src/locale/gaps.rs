//! What a pack lacks.

use crate::data;

/// The files without which no pack can be loaded.
const NEEDED: [&str; 4] = ["kinds.toml", "language.toml", "pack.toml", "reading.toml"];

/// The files that the English pack has and this one lacks, if it lacks one without which it cannot be used.
pub fn pack_gaps(locale: &str) -> Vec<String> {
    let has = |file: &str| data::read(&format!("locales/{locale}/{file}")).is_some();
    if NEEDED.into_iter().all(has) {
        return Vec::new();
    }
    let files = data::list("locales/en").into_iter().filter(|file| !has(file));
    files.map(|file| format!("locales/{locale}/{file}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_that_can_be_used_lacks_nothing() {
        for locale in ["en", "ko", "zh"] {
            assert!(pack_gaps(locale).is_empty() && crate::locale::Pack::load(locale).is_ok(), "{locale}");
        }
    }

    #[test]
    fn a_locale_of_which_nothing_is_there_lacks_everything() {
        let gaps = pack_gaps("xx");
        assert!(NEEDED.iter().all(|file| gaps.contains(&format!("locales/xx/{file}"))), "{gaps:?}");
    }
}
