//! Parameters of a request that people never speak of: headers, cookies, and which page of a list is wanted. They are left
//! out of tools unless they are asked for.

use super::origins::Place;
use fcgen_core::locale::words;
use serde::{Deserialize, Serialize};

/// Names of query parameters that choose a page of a list, in words with `_` between them.
const PAGINATION: &str = "page page_number page_no page_num page_index page_size page_limit page_offset page_token \
    page_cursor page_after page_before pagesize per_page perpage items_per_page results_per_page max_results limit \
    offset skip start_index cursor next_cursor next_token next_page_token continuation_token after before after_cursor \
    before_cursor starting_after ending_before";

/// A group of parameters that are left out unless they are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extra {
    /// Headers of the request.
    Headers,
    /// Cookies.
    Cookies,
    /// Optional query parameters that choose a page of a list.
    Pagination,
}

/// A parameter that was left out on purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The group that it belongs to.
    pub group: Extra,
    /// Its name in the request.
    pub name: String,
    /// Whether the server refuses requests without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Where it is declared, as a JSON pointer.
    pub place: String,
    /// The line of it, from 1, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// How many operations have it.
    pub times: usize,
}

impl Extra {
    /// All groups.
    pub const ALL: [Self; 3] = [Self::Headers, Self::Cookies, Self::Pagination];

    /// The word for the group on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::Headers => "headers",
            Self::Cookies => "cookies",
            Self::Pagination => "pagination",
        }
    }

    /// The group of a parameter; `dated` says that its values are dates, which choose items and not pages.
    pub(super) fn of(place: Place, name: &str, required: bool, dated: bool) -> Option<Self> {
        match place {
            Place::Header => Some(Self::Headers),
            Place::Cookie => Some(Self::Cookies),
            Place::Query if !required && !dated => {
                let name = words(name).join("_");
                PAGINATION.split_whitespace().any(|known| known == name).then_some(Self::Pagination)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_known_by_optional_query_parameters() {
        for name in ["page", "perPage", "page[size]", "$skip", "starting_after", "Limit", "nextPageToken"] {
            assert_eq!(Extra::of(Place::Query, name, false, false), Some(Extra::Pagination), "{name}");
            assert_eq!(Extra::of(Place::Query, name, true, false), None, "{name}");
            assert_eq!(Extra::of(Place::Path, name, false, false), None, "{name}");
        }
        assert_eq!(Extra::of(Place::Query, "before", false, true), None, "a date chooses items");
        for name in ["front_page", "page_title", "size", "q"] {
            assert_eq!(Extra::of(Place::Query, name, false, false), None, "{name}");
        }
    }

    #[test]
    fn headers_and_cookies_are_left_out_though_they_are_required() {
        assert_eq!(Extra::of(Place::Header, "X-Request-Id", true, false), Some(Extra::Headers));
        assert_eq!(Extra::of(Place::Cookie, "session", false, false), Some(Extra::Cookies));
    }
}
