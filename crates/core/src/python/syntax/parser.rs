//! Operators and operands.

use super::super::value::PythonValue;
use super::cursor::{Cursor, Parsed, SyntaxFault, Words};
use std::borrow::Cow;

/// Reads a text that is one expression and nothing else.
pub fn parse(text: &str, words: Words) -> Result<Expression<'_>, SyntaxFault> {
    // Python refuses a text with this letter before it looks at it.
    if let Some(at) = text.find('\0') {
        return Err(SyntaxFault { at, expected: "no null character" });
    }
    let mut cursor = Cursor::new(text, 0, words);
    let expression = cursor.expressions()?;
    cursor.ends()?;
    Ok(expression)
}

/// Reads a text loosely: as if it stood in brackets, with any white space, without comments, and with parameters called by
/// keywords.
pub(in super::super) fn parse_loosely(text: &str) -> Result<Expression<'_>, SyntaxFault> {
    let mut cursor = Cursor::loose(text);
    let expression = cursor.expressions()?;
    cursor.ends()?;
    Ok(expression)
}

/// Reads the bracketed expression that begins at a byte; the second part is where it ends.
pub fn parse_beginning(text: &str, at: usize, words: Words) -> Result<(Expression<'_>, usize), SyntaxFault> {
    let mut cursor = Cursor::new(text, at, words);
    let expression = cursor.atom()?;
    Ok((expression, cursor.at))
}

impl<'t> Cursor<'t> {
    /// One expression, or several with commas, which are a tuple.
    fn expressions(&mut self) -> Parsed<Expression<'t>> {
        let first = self.star_or_expression()?;
        if !self.is_next(b',') {
            return if matches!(first, Expression::Starred(_)) { self.fault("`,`") } else { Ok(first) };
        }
        let mut list = vec![first];
        while self.takes(b',') {
            self.skip();
            if self.peek().is_none_or(|byte| matches!(byte, b'\n' | b'\r')) {
                break;
            }
            list.push(self.star_or_expression()?);
        }
        Ok(Expression::Tuple(list))
    }

    pub(super) fn star_or_expression(&mut self) -> Parsed<Expression<'t>> {
        if self.takes(b'*') {
            return Ok(Expression::Starred(Box::new(self.operation(strength::BIT_OR)?)));
        }
        self.expression()
    }

    /// An expression: a condition, a function without a name, or operators with their operands.
    pub(super) fn expression(&mut self) -> Parsed<Expression<'t>> {
        self.skip();
        let start = self.at;
        if self.peek() == Some(b'l') && self.takes_word("lambda") {
            return self.lambda(start);
        }
        let value = self.operation(strength::CONDITION)?;
        if !self.is_next(b'i') || !self.takes_word("if") {
            return Ok(value);
        }
        let depth = self.depth();
        self.deeper()?;
        self.operation(strength::CONDITION)?;
        if !self.takes_word("else") {
            return self.fault("`else`");
        }
        self.expression()?;
        self.back_to(depth);
        Ok(Expression::Other(self.from(start)))
    }

    /// An expression to which a name may be given on the way.
    pub(super) fn named(&mut self) -> Parsed<Expression<'t>> {
        let value = self.expression()?;
        self.skip();
        if !matches!(value, Expression::Name(_)) || !self.rest().starts_with(":=") {
            return Ok(value);
        }
        let start = self.at;
        self.at += 2;
        self.expression()?;
        Ok(Expression::Other(self.from(start)))
    }

    /// Operands and the operators between them that hold at least as strongly as said.
    pub(super) fn operation(&mut self, least: u8) -> Parsed<Expression<'t>> {
        let depth = self.depth();
        self.deeper()?;
        self.skip();
        let start = self.at;
        let mut value = self.operand(least)?;
        let mut end = self.at;
        while let Some(infix) = self.infix(least) {
            // What is chained nests to the left, and must not grow without bound either.
            self.deeper()?;
            self.at += infix.length;
            let is_power = infix.strength == strength::POWER;
            let right = self.operation(if is_power { strength::SIGN } else { infix.strength + 1 })?;
            value = match infix.operator {
                Some(operator) => Expression::Binary(operator, Box::new((value, right))),
                None => Expression::Other(self.from(start)),
            };
            end = self.at;
        }
        self.at = end;
        self.back_to(depth);
        Ok(value)
    }

    fn operand(&mut self, least: u8) -> Parsed<Expression<'t>> {
        let sign = match self.peek() {
            Some(b'-') => Sign::Minus,
            Some(b'+') => Sign::Plus,
            Some(b'~') => Sign::Invert,
            Some(b'n') if self.word() == "not" => return self.negation(least),
            _ => return self.primary(),
        };
        let start = self.at;
        self.at += 1;
        let operand = self.operation(strength::SIGN)?;
        Ok(Expression::Unary(sign, Box::new(operand), self.from(start)))
    }

    fn negation(&mut self, least: u8) -> Parsed<Expression<'t>> {
        if least > strength::NOT {
            return self.fault("a value");
        }
        let start = self.at;
        self.takes_word("not");
        let operand = self.operation(strength::NOT)?;
        Ok(Expression::Unary(Sign::Not, Box::new(operand), self.from(start)))
    }

    /// The operator that follows, if it holds strongly enough.
    fn infix(&mut self, least: u8) -> Option<Infix> {
        self.skip();
        let rest = self.rest().as_bytes();
        let infix = match rest.first()? {
            b',' | b')' | b']' | b'}' | b':' | b'\n' => return None,
            byte if byte.is_ascii_alphabetic() => self.infix_word()?,
            _ => Infix::beginning(rest)?,
        };
        (infix.strength >= least).then_some(infix)
    }

    fn infix_word(&mut self) -> Option<Infix> {
        let of = |strength: u8, length: usize| Some(Infix { operator: None, strength, length });
        let start = self.at;
        let infix = match self.word() {
            "or" => of(strength::OR, 2),
            "and" => of(strength::AND, 3),
            "in" => of(strength::COMPARISON, 2),
            "is" => {
                self.at += 2;
                self.takes_word("not");
                of(strength::COMPARISON, self.at - start)
            }
            "not" => {
                self.at += 3;
                if self.takes_word("in") { of(strength::COMPARISON, self.at - start) } else { None }
            }
            _ => None,
        };
        self.at = start;
        infix
    }
}

// What a text is, as far as arguments of calls need it.

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression<'t> {
    /// A name that stands for something.
    Name(Cow<'t, str>),
    /// A literal: its value, and how it is written.
    Constant(PythonValue<'t>, &'t str),
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
    /// An operator before its operand, and how both are written.
    Unary(Sign, Box<Self>, &'t str),
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

// Operators between two operands.

/// An operator of arithmetic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `|`
    Or,
    /// `^`
    ExclusiveOr,
    /// `&`
    And,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `//`
    DivideDown,
    /// `%`
    Remainder,
    /// `@`
    MatrixMultiply,
    /// `**`
    Power,
}

/// How strongly something holds its operands; what is weaker needs brackets within what is stronger.
pub(super) mod strength {
    pub(in super::super) const CONDITION: u8 = 0;
    pub(in super::super) const OR: u8 = 1;
    pub(in super::super) const AND: u8 = 2;
    pub(in super::super) const NOT: u8 = 3;
    pub(in super::super) const COMPARISON: u8 = 4;
    pub(in super::super) const BIT_OR: u8 = 5;
    pub(in super::super) const SIGN: u8 = 11;
    pub(in super::super) const POWER: u8 = 12;
    pub(in super::super) const ATOM: u8 = 14;
}

impl Operator {
    /// How it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Or => "|",
            Self::ExclusiveOr => "^",
            Self::And => "&",
            Self::ShiftLeft => "<<",
            Self::ShiftRight => ">>",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::DivideDown => "//",
            Self::Remainder => "%",
            Self::MatrixMultiply => "@",
            Self::Power => "**",
        }
    }

    pub(super) fn strength(self) -> u8 {
        match self {
            Self::Or => strength::BIT_OR,
            Self::ExclusiveOr => 6,
            Self::And => 7,
            Self::ShiftLeft | Self::ShiftRight => 8,
            Self::Add | Self::Subtract => 9,
            Self::Multiply | Self::Divide | Self::DivideDown | Self::Remainder | Self::MatrixMultiply => 10,
            Self::Power => strength::POWER,
        }
    }
}

/// What stands between two operands: an operator of arithmetic, or something that no argument can be made of.
pub(super) struct Infix {
    pub(super) operator: Option<Operator>,
    pub(super) strength: u8,
    pub(super) length: usize,
}

impl Infix {
    fn of(operator: Operator) -> Self {
        Self { operator: Some(operator), strength: operator.strength(), length: operator.as_str().len() }
    }

    fn comparison(length: usize) -> Self {
        Self { operator: None, strength: strength::COMPARISON, length }
    }

    /// The operator of signs that a text begins with. Words are not looked at.
    pub(super) fn beginning(text: &[u8]) -> Option<Self> {
        let second = text.get(1).copied().unwrap_or(b' ');
        Some(match (text.first()?, second) {
            (b'+', b'=') | (b'-', b'=' | b'>') => return None,
            (b'+', _) => Self::of(Operator::Add),
            (b'-', _) => Self::of(Operator::Subtract),
            (b'*', b'*') => Self::of(Operator::Power),
            (b'*', _) => Self::of(Operator::Multiply),
            (b'/', b'/') => Self::of(Operator::DivideDown),
            (b'/', _) => Self::of(Operator::Divide),
            (b'%', _) => Self::of(Operator::Remainder),
            (b'@', _) => Self::of(Operator::MatrixMultiply),
            (b'|', _) => Self::of(Operator::Or),
            (b'^', _) => Self::of(Operator::ExclusiveOr),
            (b'&', _) => Self::of(Operator::And),
            (b'<', b'<') => Self::of(Operator::ShiftLeft),
            (b'>', b'>') => Self::of(Operator::ShiftRight),
            (b'=' | b'!' | b'<' | b'>', b'=') => Self::comparison(2),
            (b'<' | b'>', _) => Self::comparison(1),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::unparse;
    use super::*;

    fn read(text: &str) -> Option<String> {
        parse(text, Words::Pythons).ok().map(|expression| unparse(&expression))
    }

    #[test]
    fn operators_hold_as_strongly_as_in_python() {
        for (text, written) in [
            ("1+2*3", "1 + 2 * 3"),
            ("(1+2)*3", "(1 + 2) * 3"),
            ("1-2-3", "1 - 2 - 3"),
            ("1-(2-3)", "1 - (2 - 3)"),
            ("2**3**4", "2 ** 3 ** 4"),
            ("(2**3)**4", "(2 ** 3) ** 4"),
            ("-2**-2", "-2 ** -2"),
            ("1|2^3&4<<5", "1 | 2 ^ 3 & 4 << 5"),
            ("not -x", "not -x"),
            ("-(1+2)", "-(1 + 2)"),
            ("a@b//c%d", "a @ b // c % d"),
        ] {
            assert_eq!(read(text).as_deref(), Some(written));
        }
    }

    #[test]
    fn what_no_argument_can_be_is_still_an_expression() {
        for text in [
            "a and b or not c",
            "a < b <= c != d",
            "a is not b",
            "a not in b",
            "1 if x else 2",
            "lambda: 1",
            "lambda a, *b, c=1, **d: a",
            "1 if x else lambda: 2",
        ] {
            assert_eq!(read(text).as_deref(), Some(text));
        }
    }

    #[test]
    fn commas_make_a_tuple() {
        assert_eq!(read("1, 2,").as_deref(), Some("(1, 2)"));
        assert_eq!(read("*a, b").as_deref(), Some("(*a, b)"));
        assert_eq!(read("*a"), None);
    }

    #[test]
    fn what_python_refuses_is_refused() {
        for text in [
            "",
            "1 +",
            "a == not b",
            "1 if x",
            "x := 1",
            "a b",
            "a = 1",
            "a not b",
            "1\n2",
            "$",
            "a!b",
            "\0",
            "f(\0)",
            "a; b",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn nothing_nests_without_bound() {
        for text in ["-".repeat(100_000), "1+".repeat(100_000) + "1", "a.".repeat(100_000) + "a", "f()".repeat(100_000)]
        {
            assert_eq!(read(&text), None);
        }
        assert!(read(&format!("{}1{}", "[".repeat(199), "]".repeat(199))).is_some());
        assert!(read(&format!("{}1{}", "[".repeat(201), "]".repeat(201))).is_none());
    }

    #[test]
    fn a_bracketed_expression_may_be_read_out_of_a_text() {
        let text = "Sure: [f(a=1)] and so on";
        let (expression, end) = parse_beginning(text, 6, Words::Pythons).unwrap();
        assert_eq!((unparse(&expression).as_str(), text.get(end..)), ("[f(a=1)]", Some(" and so on")));
    }
}

#[cfg(test)]
mod operator_tests {
    use super::*;

    #[test]
    fn the_longest_operator_is_taken() {
        let operator = |text: &str| Infix::beginning(text.as_bytes()).and_then(|it| it.operator).map(Operator::as_str);
        for text in ["|", "^", "&", "<<", ">>", "+", "-", "*", "/", "//", "%", "@", "**"] {
            assert_eq!(operator(&format!("{text} 1")), Some(text));
        }
        assert_eq!(operator("**2"), Some("**"));
    }

    #[test]
    fn a_comparison_is_an_operator_without_a_name_and_an_assignment_is_none() {
        for (text, length) in [("==1", 2), ("!= 1", 2), ("<=", 2), (">", 1), ("<", 1)] {
            let infix = Infix::beginning(text.as_bytes()).unwrap();
            assert_eq!((infix.operator, infix.length, infix.strength), (None, length, strength::COMPARISON), "{text}");
        }
        for text in ["=1", "!", ",", ")", "", "+=1", "->"] {
            assert!(Infix::beginning(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn powers_hold_more_than_products_and_these_more_than_sums() {
        assert!(Operator::Power.strength() > strength::SIGN);
        assert!(Operator::Multiply.strength() > Operator::Add.strength());
        assert!(Operator::Or.strength() > strength::COMPARISON);
    }
}
