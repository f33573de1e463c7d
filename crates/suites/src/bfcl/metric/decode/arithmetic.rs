//! Arithmetic of constants, which upstream evaluates as code. Here nothing but numbers and texts is computed, and no result
//! may grow large.

use crate::python::PythonValue;
use crate::python::syntax::{Expression, Operator, Sign};
use std::borrow::Cow;

/// How many letters or elements a repeated text or list may have.
const LONGEST: usize = 1 << 16;

/// What an expression of constants amounts to.
pub(super) fn evaluate(expression: Expression<'_>) -> Option<PythonValue<'_>> {
    match expression {
        Expression::Constant(value, _) => Some(value),
        Expression::List(list) => Some(PythonValue::List(list.into_iter().map(evaluate).collect::<Option<_>>()?)),
        Expression::Tuple(list) => Some(PythonValue::Tuple(list.into_iter().map(evaluate).collect::<Option<_>>()?)),
        Expression::Unary(sign, operand, _) => signed(sign, evaluate(*operand)?),
        Expression::Binary(operator, sides) => {
            let (left, right) = *sides;
            combined(operator, evaluate(left)?, evaluate(right)?)
        }
        _ => None,
    }
}

/// `-value`.
pub(super) fn negated(value: PythonValue<'_>) -> Option<PythonValue<'_>> {
    Some(match value {
        PythonValue::Float(number) => PythonValue::Float(-number),
        PythonValue::Complex(real, imaginary) => PythonValue::Complex(-real, -imaginary),
        PythonValue::Big(digits) => {
            PythonValue::whole(&digits.strip_prefix('-').map_or_else(|| format!("-{digits}"), str::to_owned))
        }
        value => whole(whole_of(&value)?.checked_neg()?),
    })
}

fn signed(sign: Sign, value: PythonValue<'_>) -> Option<PythonValue<'_>> {
    match sign {
        Sign::Minus => negated(value),
        Sign::Plus => negated(value).and_then(negated),
        Sign::Invert => Some(whole(!whole_of(&value)?)),
        Sign::Not => Some(PythonValue::Bool(!is_true(&value))),
    }
}

fn is_true(value: &PythonValue<'_>) -> bool {
    match value {
        PythonValue::None | PythonValue::Bool(false) | PythonValue::Int(0) => false,
        PythonValue::Float(number) => *number != 0.0,
        PythonValue::Text(text) => !text.is_empty(),
        PythonValue::Bytes(bytes) => !bytes.is_empty(),
        PythonValue::List(list) | PythonValue::Tuple(list) => !list.is_empty(),
        PythonValue::Dict(entries) => !entries.is_empty(),
        _ => true,
    }
}

fn combined<'t>(operator: Operator, left: PythonValue<'t>, right: PythonValue<'t>) -> Option<PythonValue<'t>> {
    if let (Some(left), Some(right)) = (whole_of(&left), whole_of(&right)) {
        return of_whole(operator, left, right);
    }
    if let (Some(left), Some(right)) = (double_of(&left), double_of(&right)) {
        return of_doubles(operator, left, right).map(PythonValue::Float);
    }
    match (operator, left, right) {
        (Operator::Remainder, PythonValue::Text(form), right) => formatted(&form, right),
        (Operator::Add, left, right) => joined(left, right),
        (Operator::Multiply, left, right) => {
            let (value, times) = if whole_of(&left).is_some() { (right, left) } else { (left, right) };
            repeated(value, usize::try_from(whole_of(&times)?.max(0)).ok()?)
        }
        (Operator::Subtract, left, right) => complex(&left, &negated(right)?),
        _ => None,
    }
}

fn of_whole(operator: Operator, left: i128, right: i128) -> Option<PythonValue<'static>> {
    let result = match operator {
        Operator::Or => left | right,
        Operator::ExclusiveOr => left ^ right,
        Operator::And => left & right,
        Operator::ShiftLeft => {
            left.checked_mul(1_i128.checked_shl(u32::try_from(right).ok()?).filter(|it| *it > 0)?)?
        }
        Operator::ShiftRight => left >> u32::try_from(right).ok()?.min(127),
        Operator::Add => left.checked_add(right)?,
        Operator::Subtract => left.checked_sub(right)?,
        Operator::Multiply => left.checked_mul(right)?,
        Operator::DivideDown => down(left, right)?,
        Operator::Remainder => left.checked_sub(down(left, right)?.checked_mul(right)?)?,
        Operator::Power if right >= 0 => left.checked_pow(u32::try_from(right).ok()?)?,
        Operator::Power | Operator::Divide => {
            return of_doubles(operator, double(left), double(right)).map(PythonValue::Float);
        }
        Operator::MatrixMultiply => return None,
    };
    Some(whole(result))
}

fn down(left: i128, right: i128) -> Option<i128> {
    let quotient = left.checked_div(right)?;
    let is_above = left % right != 0 && (left < 0) != (right < 0);
    Some(quotient - i128::from(is_above))
}

fn of_doubles(operator: Operator, left: f64, right: f64) -> Option<f64> {
    let is_nought = right == 0.0;
    Some(match operator {
        Operator::Add => left + right,
        Operator::Subtract => left - right,
        Operator::Multiply => left * right,
        Operator::Divide if !is_nought => left / right,
        Operator::DivideDown if !is_nought => (left / right).floor(),
        Operator::Remainder if !is_nought => left - right * (left / right).floor(),
        Operator::Power if left >= 0.0 || right.fract() == 0.0 => power(left, right)?,
        _ => return None,
    })
}

fn power(left: f64, right: f64) -> Option<f64> {
    let result = left.powf(right);
    let is_sound = result.is_finite() && !(left == 0.0 && right < 0.0);
    is_sound.then_some(result)
}

fn joined<'t>(left: PythonValue<'t>, right: PythonValue<'t>) -> Option<PythonValue<'t>> {
    Some(match (left, right) {
        (PythonValue::Text(left), PythonValue::Text(right)) => PythonValue::Text(Cow::Owned(format!("{left}{right}"))),
        (PythonValue::Bytes(left), PythonValue::Bytes(right)) => PythonValue::Bytes([left, right].concat()),
        (PythonValue::List(left), PythonValue::List(right)) => PythonValue::List([left, right].concat()),
        (PythonValue::Tuple(left), PythonValue::Tuple(right)) => PythonValue::Tuple([left, right].concat()),
        (left, right) => return complex(&left, &right),
    })
}

fn complex(left: &PythonValue<'_>, right: &PythonValue<'_>) -> Option<PythonValue<'static>> {
    let ((one, first), (two, second)) = (parts(left)?, parts(right)?);
    Some(PythonValue::Complex(one + two, first + second))
}

fn parts(value: &PythonValue<'_>) -> Option<(f64, f64)> {
    match value {
        PythonValue::Complex(real, imaginary) => Some((*real, *imaginary)),
        value => double_of(value).map(|real| (real, 0.0)),
    }
}

fn repeated(value: PythonValue<'_>, times: usize) -> Option<PythonValue<'_>> {
    let fits = |length: usize| length.checked_mul(times).is_some_and(|length| length <= LONGEST);
    Some(match value {
        PythonValue::Text(text) if fits(text.len()) => PythonValue::Text(Cow::Owned(text.repeat(times))),
        PythonValue::Bytes(bytes) if fits(bytes.len()) => PythonValue::Bytes(bytes.repeat(times)),
        PythonValue::List(list) if fits(list.len()) => PythonValue::List(in_a_row(&list, times)?),
        PythonValue::Tuple(list) if fits(list.len()) => PythonValue::Tuple(in_a_row(&list, times)?),
        _ => return None,
    })
}

/// A list so many times over. Lists of lists are left alone: each level would multiply the one before.
fn in_a_row<'t>(list: &[PythonValue<'t>], times: usize) -> Option<Vec<PythonValue<'t>>> {
    let is_flat =
        list.iter().all(|it| it.as_list().is_none() && !matches!(it, PythonValue::Tuple(_) | PythonValue::Dict(_)));
    is_flat.then(|| (0..times).flat_map(|_| list.iter().cloned()).collect())
}

/// `form % values`, of the plain forms alone.
fn formatted<'t>(form: &str, values: PythonValue<'t>) -> Option<PythonValue<'t>> {
    let mut values = match values {
        PythonValue::Tuple(list) => list,
        value => vec![value],
    };
    values.reverse();
    let mut out = String::new();
    let mut rest = form;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let letter = after.chars().next()?;
        rest = after.get(letter.len_utf8()..)?;
        match letter {
            '%' => out.push('%'),
            's' => out.push_str(&text_of(&values.pop()?)),
            'r' => out.push_str(&crate::python::repr(&values.pop()?)),
            'd' | 'i' => out.push_str(&whole_of(&values.pop()?)?.to_string()),
            _ => return None,
        }
    }
    out.push_str(rest);
    values.is_empty().then_some(PythonValue::Text(Cow::Owned(out)))
}

fn text_of(value: &PythonValue<'_>) -> String {
    value.as_text().map_or_else(|| crate::python::repr(value), str::to_owned)
}

fn whole(number: i128) -> PythonValue<'static> {
    i64::try_from(number).map_or_else(|_| PythonValue::Big(number.to_string()), PythonValue::Int)
}

fn whole_of(value: &PythonValue<'_>) -> Option<i128> {
    match value {
        PythonValue::Bool(bool) => Some(i128::from(*bool)),
        PythonValue::Int(number) => Some(i128::from(*number)),
        PythonValue::Big(digits) => digits.parse().ok(),
        _ => None,
    }
}

fn double_of(value: &PythonValue<'_>) -> Option<f64> {
    match value {
        PythonValue::Float(number) => Some(*number),
        value => whole_of(value).map(double),
    }
}

#[expect(clippy::cast_precision_loss, reason = "Python rounds to the nearest double as well")]
fn double(number: i128) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::repr;
    use crate::python::syntax::{Words, parse};

    fn read(text: &str) -> Option<String> {
        evaluate(parse(text, Words::Pythons).unwrap()).as_ref().map(repr)
    }

    #[test]
    fn constants_are_computed_as_in_python() {
        for (text, result) in [
            ("1/2", "0.5"),
            ("2**3", "8"),
            ("2**-1", "0.5"),
            ("10//3", "3"),
            ("-7//2", "-4"),
            ("-7%3", "2"),
            ("7%-3", "-2"),
            ("1.5+2", "3.5"),
            ("-7.5//2", "-4.0"),
            ("-7.5%2", "0.5"),
            ("1|6^2&3", "5"),
            ("1<<4>>2", "4"),
            ("~5+1", "-5"),
            ("1+(not 0)", "2"),
            ("+3-+True", "2"),
            ("'a'+'b'", "'ab'"),
            ("'ab'*2", "'abab'"),
            ("2*[1]", "[1, 1]"),
            ("(1,)+(2,)", "(1, 2)"),
            ("b'a'+b'b'", "b'ab'"),
            ("'%s of %d%%' % (1.5, 2)", "'1.5 of 2%'"),
            ("'%r' % 'a'", "\"'a'\""),
            ("3+4j", "(3+4j)"),
            ("3-4j", "(3-4j)"),
            ("2**100", "1267650600228229401496703205376"),
            ("99999999999999999999+1", "100000000000000000000"),
        ] {
            assert_eq!(read(text).as_deref(), Some(result), "{text}");
        }
    }

    #[test]
    fn what_fails_or_grows_large_is_none() {
        for text in [
            "1/0",
            "1%0",
            "1//0",
            "1.0//0",
            "9**9**9",
            "2**200",
            "1<<200",
            "1<<-1",
            "'a'*9999999",
            "[1]*9999999",
            "1@2",
            "'a'-'b'",
            "'a'+1",
            "'%s %s' % 1",
            "'%5.2f' % 1",
            "'%s' % (1, 2)",
            "x+1",
            "(-1)**0.5",
            "0.0**-1",
            "-'a'+'b'",
            "[x]+[1]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
