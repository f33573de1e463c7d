//! Why no calls were found.

use super::super::syntax::SyntaxFault;
use crate::record::ValueError;

/// Why no calls can be read out of what a model gave.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DecodeFault {
    /// The text is no expression of Python's.
    #[error("no expression at byte {}: {source}", source.at)]
    Syntax {
        /// Where, and what should stand there.
        #[from]
        source: SyntaxFault,
    },
    /// It is an expression, but no list of calls.
    #[error("no list of calls")]
    NoCalls,
    /// An argument without a name, whose parameter nobody can tell.
    #[error("an argument of `{name}` without a name")]
    Positional {
        /// The function.
        name: String,
    },
    /// An argument stands there twice.
    #[error("`{argument}` twice in `{name}`")]
    Repeated {
        /// The function.
        name: String,
        /// The argument.
        argument: String,
    },
    /// What is called has no plain name.
    #[error("a call of what has no name")]
    Nameless,
    /// A name that stands for no value.
    #[error("`{name}` is no value")]
    Bare {
        /// The name.
        name: String,
    },
    /// An expression that is no plain value.
    #[error("{what} in place of a value")]
    NoValue {
        /// What it is.
        what: &'static str,
    },
    /// A call without a function's name, or with several.
    #[error("a call that is not one name with its arguments")]
    NoName,
    /// Arguments that are no JSON.
    #[error("arguments of `{name}`: {source}")]
    Arguments {
        /// The function.
        name: String,
        /// What is wrong with them.
        source: ValueError,
    },
    /// Arguments that are neither a text of JSON nor an object.
    #[error("arguments of `{name}` are no text of JSON")]
    NoText {
        /// The function.
        name: String,
    },
    /// Something else than a list of calls.
    #[error("neither a list of calls nor a text")]
    NoList,
    /// More than one list of calls among words.
    #[error("several lists of calls")]
    Several,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_says_where_and_what() {
        let fault = DecodeFault::from(SyntaxFault { at: 3, expected: "`]`" });
        assert_eq!(fault.to_string(), "no expression at byte 3: `]` expected");
        let fault = DecodeFault::Repeated { name: "f".to_owned(), argument: "a".to_owned() };
        assert_eq!(fault.to_string(), "`a` twice in `f`");
    }
}
