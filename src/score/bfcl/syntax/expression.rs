//! What a text is, as far as arguments of calls need it.

use super::super::value::PythonValue;
use super::operator::Operator;
use std::borrow::Cow;

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression<'t> {
    /// A name that stands for something.
    Name(Cow<'t, str>),
    /// A literal.
    Constant(PythonValue<'t>),
    /// Three dots.
    Ellipsis,
    /// `of.name`.
    Attribute(Box<Self>, Cow<'t, str>),
    /// A call.
    Call(Box<CallExpression<'t>>),
    /// `of[index]`.
    Subscript(Box<(Self, Self)>),
    /// `from:to:by` between square brackets; the last part where a second colon stands.
    Slice(Box<[Option<Self>; 3]>),
    /// `[a, b]`.
    List(Vec<Self>),
    /// `(a, b)`.
    Tuple(Vec<Self>),
    /// `{a, b}`.
    Set(Vec<Self>),
    /// `{a: b, **c}`: what has no key is spread out.
    Dict(Vec<(Option<Self>, Self)>),
    /// `*a`.
    Starred(Box<Self>),
    /// An operator before its operand.
    Unary(Sign, Box<Self>),
    /// An operator of arithmetic between its operands.
    Binary(Operator, Box<(Self, Self)>),
    /// Anything else that Python takes for an expression.
    Other(&'t str),
}

/// A call: what is called, and with what.
#[derive(Debug, Clone, PartialEq)]
pub struct CallExpression<'t> {
    /// What is called.
    pub function: Expression<'t>,
    /// What stands between the brackets.
    pub arguments: Vec<Argument<'t>>,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Argument<'t> {
    /// `name=value`.
    Keyword(Cow<'t, str>, Expression<'t>),
    /// `value`, or `*value`.
    Positional(Expression<'t>),
    /// `**value`.
    Spread(Expression<'t>),
}

/// An operator before its operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `~`
    Invert,
    /// `not`
    Not,
}

impl Sign {
    /// How it is written, with the space that it needs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Invert => "~",
            Self::Not => "not ",
        }
    }
}
