//! The `[numerals]` table of a language file.

use indexmap::IndexMap;
use serde::Deserialize;

/// How scales multiply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Scaling {
    /// The hundred multiplies all that stands before it: twenty-five hundred.
    Whole,
    /// The ten, hundred and thousand multiply the digit before them; from ten thousand on, all before.
    Digit,
}

/// The `[numerals]` table of a language file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::locale) struct NumeralWords {
    pub(super) scaling: Scaling,
    /// What may stand between two parts.
    pub(super) glue: Vec<String>,
    /// Whether words are parted by spaces, and particles never follow without one.
    pub(super) spaced: bool,
    /// The numbers from zero, as they are written.
    pub(super) ones: Vec<String>,
    /// The tens from twenty, where they are words of their own.
    #[serde(default)]
    pub(super) tens: Vec<String>,
    pub(super) scales: Vec<ScaleWord>,
    /// Further words for small numbers; they are read and never written.
    #[serde(default)]
    pub(super) more: IndexMap<String, i64>,
    #[serde(default)]
    pub(super) more_scales: IndexMap<String, i64>,
    #[serde(default)]
    pub(super) ordinals: Vec<String>,
    #[serde(default)]
    pub(super) more_ordinals: IndexMap<String, i64>,
    #[serde(default)]
    pub(super) ordinal_suffixes: Vec<String>,
    #[serde(default)]
    pub(super) point: Vec<String>,
    /// What never follows the digits after a point: where it does, the hour of a clock is said.
    #[serde(default)]
    pub(super) point_never: Vec<String>,
    #[serde(default)]
    pub(super) negative: Vec<String>,
    #[serde(default)]
    pub(super) fractions: Vec<FractionWord>,
    /// What adds a half after a numeral and its counter.
    #[serde(default)]
    pub(super) half_after: Vec<String>,
    /// The counters that say the hour of a clock, after which a half is thirty minutes.
    #[serde(default)]
    pub(super) clock: Vec<String>,
    /// Words that count; in unspaced scripts they make sure that a short numeral is one.
    #[serde(default)]
    pub(super) counters: Vec<String>,
    #[serde(default)]
    pub(super) short_counters: Vec<String>,
    #[serde(default)]
    pub(super) particles: Vec<String>,
    /// Words that hold a numeral's letters and are none.
    #[serde(default)]
    pub(super) never: Vec<String>,
    /// What stands for skipped places: 一千零五.
    #[serde(default)]
    pub(super) gap: Option<String>,
    /// The scale from which a single one is said, where smaller ones go without: 一万 beside 千.
    #[serde(default)]
    pub(super) one_from: Option<u64>,
    /// The word for two before a counter or a large scale.
    #[serde(default)]
    pub(super) pair: Option<String>,
    #[serde(default)]
    pub(super) native: Option<NativeWords>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ScaleWord {
    pub(super) word: String,
    pub(super) size: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FractionWord {
    pub(super) word: String,
    pub(super) value: String,
}

/// A second set of words for small numbers.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NativeWords {
    pub(super) ones: Vec<String>,
    /// The forms before a counter, by number.
    pub(super) attributive: IndexMap<String, String>,
    #[serde(default)]
    pub(super) more: IndexMap<String, i64>,
    pub(super) tens: Vec<String>,
    /// Counters that take this set.
    pub(super) counters: Vec<String>,
    /// Counters that take the other set although they are in both lists.
    pub(super) sino_counters: Vec<String>,
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The table of a shipped language.
    pub(crate) fn words(code: &str) -> NumeralWords {
        let file = crate::fixtures::assets().read(&format!("locales/{code}/language.toml")).unwrap();
        let table: toml::Table = toml::from_str(&file).unwrap();
        table["numerals"].clone().try_into().unwrap()
    }

    #[test]
    fn the_small_numbers_are_complete() {
        for (code, ones, tens) in [("en", 20, 8), ("ko", 10, 0), ("zh", 10, 0)] {
            let words = words(code);
            assert_eq!((words.ones.len(), words.tens.len()), (ones, tens), "{code}");
        }
        let native = words("ko").native.unwrap();
        assert_eq!((native.ones.len(), native.tens.len()), (10, 9));
        assert!(native.attributive.keys().all(|number| number.parse::<u64>().is_ok()));
    }

    #[test]
    fn scales_grow_and_sure_counters_are_counters() {
        for code in ["en", "ko", "zh", "ja"] {
            let words = words(code);
            assert!(words.scales.is_sorted_by_key(|scale| scale.size), "{code}");
            for counter in words.short_counters.iter().chain(&words.clock) {
                assert!(words.counters.contains(counter), "{code} {counter}");
            }
            assert!(words.fractions.iter().all(|fraction| fraction.value.parse::<f64>().is_ok()));
        }
    }

    #[test]
    fn a_misspelt_key_is_refused() {
        let table: toml::Table = toml::from_str("scaling = \"whole\"\nglew = []").unwrap();
        let error = table.try_into::<NumeralWords>().unwrap_err();
        assert!(error.message().contains("unknown field `glew`"), "{error}");
    }
}
