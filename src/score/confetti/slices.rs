//! The slices of the paper's figures, by their names.

/// How many calls a turn chains.
pub fn chain_length(calls: usize) -> &'static str {
    match calls {
        0 | 1 => "1",
        2 => "2",
        3 => "3",
        _ => "4+",
    }
}

/// How many functions are offered; nothing where nobody knows.
pub fn functions_offered(functions: usize) -> Option<&'static str> {
    match functions {
        0 => None,
        1..=9 => Some("1-9"),
        10..=19 => Some("10-19"),
        _ => Some("20+"),
    }
}

/// How often the user has spoken before the chain's first call, which is our own measure: the paper's is not to be had.
pub fn user_turns(turns: usize) -> Option<&'static str> {
    match turns {
        0 => None,
        1..=5 => Some("1-5"),
        6..=10 => Some("6-10"),
        _ => Some("11+"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_the_papers() {
        assert_eq!([1, 2, 3, 4, 10].map(chain_length), ["1", "2", "3", "4+", "4+"]);
        assert_eq!(
            [0, 1, 9, 10, 19, 20].map(functions_offered),
            [None, Some("1-9"), Some("1-9"), Some("10-19"), Some("10-19"), Some("20+")]
        );
        assert_eq!([0, 5, 6, 10, 11].map(user_turns), [None, Some("1-5"), Some("6-10"), Some("6-10"), Some("11+")]);
    }
}
