//! Other words for the same value: names in other letters, currencies and units, what may stand behind a name.

use super::super::Language;
use super::surface::fold;
use indexmap::IndexMap;
use serde::Deserialize;

/// The words of a language that may stand for one another.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Alike {
    /// Names of the same thing, in the language's letters and in others.
    names: Vec<Vec<String>>,
    /// What may stand behind a value of an entity (`person`, `place`) and changes nothing of whom or what it names.
    endings: IndexMap<String, Vec<String>>,
    /// Parts of days and times that say the same.
    pub(crate) times: Vec<(String, String)>,
    /// Currencies by their codes; they come from a table of their own.
    #[serde(skip)]
    currencies: IndexMap<String, Vec<String>>,
    /// Units by their codes.
    #[serde(skip)]
    units: IndexMap<String, Vec<String>>,
}

impl Alike {
    /// The same with the currencies and units of the language.
    pub(crate) fn with(self, currencies: IndexMap<String, Vec<String>>, units: IndexMap<String, Vec<String>>) -> Self {
        Self { currencies, units, ..self }
    }
}

impl Language {
    /// Other names of what a value names, in this or in other letters.
    pub fn other_names(&self, value: &str) -> Vec<String> {
        let value = fold(value);
        let groups = self.alike.names.iter().filter(|names| names.iter().any(|name| fold(name) == value));
        groups.flatten().filter(|name| fold(name) != value).cloned().collect()
    }

    /// Other words for a currency, its code among them; none for a word that may be another one's as well.
    pub fn other_currencies(&self, value: &str) -> Vec<String> {
        others(&self.alike.currencies, value)
    }

    /// Other words for a unit, its sign among them; none for a word that may be another one's as well.
    pub fn other_units(&self, value: &str) -> Vec<String> {
        others(&self.alike.units, value)
    }

    /// What may stand behind a value of this entity and changes nothing.
    pub fn endings(&self, entity: &str) -> &[String] {
        self.alike.endings.get(entity).map(Vec::as_slice).unwrap_or_default()
    }

    /// The unit, the currency or the counter that a text begins with, as it stands there.
    pub fn unit_at<'t>(&self, text: &'t str) -> Option<&'t str> {
        let tables = [&self.alike.currencies, &self.alike.units];
        let known =
            tables.into_iter().flat_map(|table| table.iter().flat_map(|(code, words)| [code].into_iter().chain(words)));
        let lengths = known.filter_map(|word| {
            let taken = text.get(..word.len()).filter(|taken| taken.to_lowercase() == word.to_lowercase())?;
            let goes_on = text.get(word.len()..)?.starts_with(|letter: char| letter.is_ascii_alphanumeric());
            (!(goes_on && word.ends_with(|letter: char| letter.is_ascii_alphanumeric()))).then_some(taken.len())
        });
        let letters: Vec<char> = text.chars().take(8).collect();
        let counter = self
            .numerals
            .counters
            .at(&letters, 0)
            .map(|(length, ())| letters.iter().take(length).map(|it| it.len_utf8()).sum());
        text.get(..lengths.chain(counter).max()?)
    }
}

/// The other words of the only group that a word belongs to; signs such as `$` are none.
fn others(table: &IndexMap<String, Vec<String>>, value: &str) -> Vec<String> {
    let value = fold(value);
    let words =
        |(code, words): (&String, &Vec<String>)| -> Vec<String> { [code].into_iter().chain(words).cloned().collect() };
    let mut groups = table.iter().map(words).filter(|words| words.iter().any(|word| fold(word) == value));
    let (Some(group), None) = (groups.next(), groups.next()) else { return Vec::new() };
    let is_word =
        |word: &String| word.chars().all(|letter| letter.is_alphanumeric() || letter == ' ') && fold(word) != value;
    group.into_iter().filter(is_word).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::language::tests::language;

    #[test]
    fn a_name_has_others_in_other_letters() {
        assert_eq!(language("ko").other_names("부산"), ["Busan"]);
        assert_eq!(language("zh").other_names("beijing"), ["北京"]);
        assert_eq!(language("en").other_names("vienna"), ["Wien"]);
        assert!(language("ko").other_names("부산역").is_empty());
    }

    #[test]
    fn a_currency_goes_by_its_code_and_its_words_but_not_by_its_sign() {
        assert_eq!(language("ko").other_currencies("달러"), ["USD", "미국 달러", "불"]);
        assert_eq!(language("zh").other_currencies("韩元"), ["KRW", "韩币"]);
        assert!(language("en").other_currencies("usd").contains(&"dollars".to_owned()));
        assert!(language("en").other_currencies("Porto").is_empty());
    }

    #[test]
    fn a_unit_that_may_be_two_has_no_others() {
        assert!(language("ko").other_units("킬로").is_empty(), "of length or of weight");
        assert_eq!(language("ko").other_units("섭씨"), ["c", "celsius"]);
    }

    #[test]
    fn the_longest_unit_counts_and_words_end_where_they_end() {
        for (code, text, unit) in [
            ("ko", "킬로미터를 뛰어", Some("킬로미터")),
            ("ko", "평 주택", Some("평")),
            ("en", "km away", Some("km")),
            ("en", "inches", Some("inches")),
            ("en", "inside", None),
            ("zh", "公里", Some("公里")),
        ] {
            assert_eq!(language(code).unit_at(text), unit, "{text}");
        }
    }

    #[test]
    fn every_group_of_names_has_two_and_every_ending_is_a_word() {
        for code in ["en", "ko", "zh"] {
            let alike = &language(code).alike;
            assert!(!alike.names.is_empty() && alike.names.iter().all(|names| names.len() > 1), "{code}");
            assert!(alike.endings.values().flatten().all(|ending| !ending.trim().is_empty()));
        }
        assert_eq!(language("ko").endings("person"), ["씨", "님", "이"]);
        assert!(language("en").endings("song").is_empty());
    }
}
