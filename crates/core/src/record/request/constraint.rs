//! The kinds of argument that the `ComplexFuncBench` paper tells apart.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an argument constrains (the paper's table 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Constraint {
    /// Identifiers of filters, as another function lists them.
    Filter,
    /// The legs of a journey: a list of objects.
    Legs,
    /// A long opaque text that a search handed out.
    Token,
    /// A readable name in an address.
    Slug,
    /// An opaque key.
    Key,
    /// An identifier.
    Id,
    /// A day.
    Date,
    /// A time of the day.
    Time,
    /// A place: by its name, or by coordinates.
    Location,
    /// The order of results.
    SortBy,
    /// One of a few sorts: a class, a company, a kind of place.
    Type,
    /// Somebody's age.
    Age,
    /// A number of people, rooms or things.
    People,
}

impl Constraint {
    /// All of them, in the paper's order.
    pub const ALL: [Self; 13] = [
        Self::Filter,
        Self::Legs,
        Self::Token,
        Self::Slug,
        Self::Key,
        Self::Id,
        Self::Date,
        Self::Time,
        Self::Location,
        Self::SortBy,
        Self::Type,
        Self::Age,
        Self::People,
    ];

    /// The word in files.
    pub fn word(self) -> &'static str {
        match self {
            Self::Filter => "filter",
            Self::Legs => "legs",
            Self::Token => "token",
            Self::Slug => "slug",
            Self::Key => "key",
            Self::Id => "id",
            Self::Date => "date",
            Self::Time => "time",
            Self::Location => "location",
            Self::SortBy => "sort_by",
            Self::Type => "type",
            Self::Age => "age",
            Self::People => "people",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_those_in_files() {
        for constraint in Constraint::ALL {
            assert_eq!(serde_json::to_value(constraint).unwrap(), constraint.word());
        }
    }

    #[test]
    fn there_are_thirteen_and_each_has_a_word() {
        let words: Vec<String> = Constraint::ALL.iter().map(|it| serde_json::to_string(it).unwrap()).collect();
        assert_eq!(words.len(), 13);
        assert_eq!(words[9], "\"sort_by\"");
        assert!(words.iter().enumerate().all(|(at, word)| !words[..at].contains(word)));
    }

    #[test]
    fn words_are_read_as_they_are_written_and_others_are_refused() {
        for constraint in Constraint::ALL {
            let word = serde_json::to_string(&constraint).unwrap();
            assert_eq!(serde_json::from_str::<Constraint>(&word).unwrap(), constraint);
            assert!(
                word.trim_matches('"').chars().all(|letter| letter.is_ascii_lowercase() || letter == '_'),
                "{word}"
            );
        }
        for wrong in ["\"Filter\"", "\"sortby\"", "\"\"", "3"] {
            assert!(serde_json::from_str::<Constraint>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn their_order_is_the_papers() {
        assert!(Constraint::ALL.is_sorted());
        assert_eq!((Constraint::ALL[0], Constraint::ALL[12]), (Constraint::Filter, Constraint::People));
    }
}
