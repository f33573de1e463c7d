//! What a locale lacks, and what stands in for it.

use crate::assets::Assets;

/// The files without which no locale can be used; in the place of any other the English one is read.
pub const NEEDED: [&str; 3] = ["kinds.toml", "language.toml", "pack.toml"];

/// The locale that stands in for what another lacks.
pub const FALLBACK: &str = "en";

/// The path of a file of a locale, or of the English one that stands in for it where the locale has been begun.
pub(crate) fn locale_file(assets: &Assets, locale: &str, file: &str) -> String {
    let own = format!("locales/{locale}/{file}");
    let is_begun = assets.holds(&format!("locales/{locale}/pack.toml"));
    let is_own = NEEDED.contains(&file) || !is_begun || assets.holds(&own);
    if is_own { own } else { format!("locales/{FALLBACK}/{file}") }
}

/// What the built-in model cannot speak without, besides those.
const SPOKEN: [&str; 2] = ["dialogue.toml", "reading.toml"];

/// The files that the English locale has and this one lacks.
pub fn pack_gaps(assets: &Assets, locale: &str) -> Vec<String> {
    let files = assets.list(&format!("locales/{FALLBACK}")).into_iter();
    files.map(|file| format!("locales/{locale}/{file}")).filter(|path| !assets.holds(path)).collect()
}

/// The files for want of which a locale cannot be used; where the built-in model speaks it and cannot, all that it lacks.
pub fn pack_needs(assets: &Assets, locale: &str, is_spoken: bool) -> Vec<String> {
    let lacks = |file: &&str| !assets.holds(&format!("locales/{locale}/{file}"));
    let needed: Vec<&str> = NEEDED.iter().copied().filter(lacks).collect();
    match is_spoken {
        true if !needed.is_empty() || SPOKEN.iter().any(lacks) => pack_gaps(assets, locale),
        true => Vec::new(),
        false => needed.into_iter().map(|file| format!("locales/{locale}/{file}")).collect(),
    }
}

/// The files of a locale whose text is still that of the English ones, word for word but for code and name.
pub fn english_files(assets: &Assets, locale: &str) -> Vec<String> {
    if locale == FALLBACK {
        return Vec::new();
    }
    let plain = |path: &str| {
        let text = assets.read(path)?;
        let is_own = |line: &&str| !line.starts_with("code =") && !line.starts_with("name =") && !line.starts_with('#');
        Some(text.lines().filter(is_own).collect::<Vec<_>>().join("\n"))
    };
    let is_english = |file: &String| {
        let own = plain(&format!("locales/{locale}/{file}"));
        own.is_some() && own == plain(&format!("locales/{FALLBACK}/{file}"))
    };
    let files = assets.list(&format!("locales/{FALLBACK}")).into_iter().filter(is_english);
    files.map(|file| format!("locales/{locale}/{file}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shipped_locale_lacks_nothing_and_is_no_copy() {
        for locale in ["en", "ko", "zh", "ja"] {
            assert!(
                pack_needs(crate::fixtures::assets(), locale, true).is_empty()
                    && crate::locale::Pack::load(crate::fixtures::assets(), locale).is_ok(),
                "{locale}"
            );
            assert_eq!(english_files(crate::fixtures::assets(), locale), [""; 0], "{locale}");
        }
    }

    #[test]
    fn a_locale_of_which_nothing_is_there_lacks_everything() {
        assert_eq!(pack_needs(crate::fixtures::assets(), "xx", false), NEEDED.map(|file| format!("locales/xx/{file}")));
        assert!(
            pack_needs(crate::fixtures::assets(), "xx", true).len() > 10
                && pack_needs(crate::fixtures::assets(), "xx", true) == pack_gaps(crate::fixtures::assets(), "xx")
        );
        assert_eq!(locale_file(crate::fixtures::assets(), "zh", "apis.toml"), "locales/en/apis.toml");
        for file in ["reading.toml", "pack.toml"] {
            assert_eq!(
                locale_file(crate::fixtures::assets(), "xx", file),
                format!("locales/xx/{file}"),
                "nobody began it"
            );
        }
    }
}
