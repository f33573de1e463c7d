//! Operators between two operands.

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
