//! Expressions of Python 3.11: what a text has to be for upstream to find calls in it.
//!
//! Everything that Python takes for an expression is one here, so that what it refuses is refused; what no argument can be
//! (comparisons, conditions, comprehensions and their like) is kept as its own text only.

mod atom;
mod call;
mod cursor;
mod literal;
mod parser;
mod unparse;

pub use cursor::{SyntaxFault, Words, is_keyword};
pub(super) use parser::parse_loosely;
pub use parser::{Argument, CallExpression, Expression, Operator, Sign, parse, parse_beginning};
pub use unparse::{unparse, unparse_index};
