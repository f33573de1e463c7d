//! `ast.unparse`: an expression in the form that Python gives it.

use super::super::repr::write_repr;
use super::super::value::PythonValue;
use super::parser::{Argument, CallExpression, Expression, Operator, Sign, strength};

/// Writes an expression as Python does.
pub fn unparse(expression: &Expression<'_>) -> String {
    let mut out = String::new();
    write(expression, strength::CONDITION, &mut out);
    out
}

/// What stands between the brackets of an index.
pub fn unparse_index(of: &Expression<'_>, index: &Expression<'_>) -> String {
    format!("{}[{}]", unparse(of), unparse(index))
}

/// Writes an expression, in brackets where it holds its parts less strongly than what is around it.
fn write(expression: &Expression<'_>, least: u8, out: &mut String) {
    match expression {
        Expression::Name(name) => out.push_str(name),
        Expression::Constant(value, _) => write_constant(value, out),
        Expression::Ellipsis => out.push_str("..."),
        Expression::Attribute(of, name) => write_attribute(of, name, out),
        Expression::Call(call) => write_call(call, out),
        Expression::Subscript(parts) => write_subscript(&parts.0, &parts.1, out),
        Expression::Slice(parts) => write_slice(parts, out),
        Expression::List(list) => write_list("[", list, "]", out),
        Expression::Set(list) => write_list("{", list, "}", out),
        Expression::Tuple(list) => write_list("(", list, if list.len() == 1 { ",)" } else { ")" }, out),
        Expression::Dict(entries) => write_dict(entries, out),
        Expression::Starred(value) => {
            out.push('*');
            write(value, strength::BIT_OR, out);
        }
        Expression::Unary(sign, value, _) => {
            let own = if *sign == Sign::Not { strength::NOT } else { strength::SIGN };
            bracketed(own < least, out, |out| {
                out.push_str(sign.as_str());
                write(value, own, out);
            });
        }
        Expression::Binary(operator, sides) => {
            bracketed(operator.strength() < least, out, |out| write_binary(*operator, &sides.0, &sides.1, out));
        }
        Expression::Other(text) => bracketed(least > strength::CONDITION, out, |out| out.push_str(text)),
    }
}

fn bracketed(needed: bool, out: &mut String, inside: impl FnOnce(&mut String)) {
    out.push_str(if needed { "(" } else { "" });
    inside(out);
    out.push_str(if needed { ")" } else { "" });
}

fn write_constant(value: &PythonValue<'_>, out: &mut String) {
    match value {
        // A number that no double holds, which is how Python writes infinity.
        PythonValue::Float(number) if number.is_infinite() => out.push_str("1e309"),
        value => write_repr(value, out),
    }
}

fn write_attribute(of: &Expression<'_>, name: &str, out: &mut String) {
    let is_whole = matches!(of, Expression::Constant(PythonValue::Int(_), _));
    bracketed(is_whole, out, |out| write(of, strength::ATOM, out));
    out.push('.');
    out.push_str(name);
}

fn write_binary(operator: Operator, left: &Expression<'_>, right: &Expression<'_>, out: &mut String) {
    let own = operator.strength();
    // Powers stand from the right to the left, and a sign before the right one needs no brackets.
    let (before, after) = if operator == Operator::Power { (own + 1, strength::SIGN) } else { (own, own + 1) };
    write(left, before, out);
    out.push(' ');
    out.push_str(operator.as_str());
    out.push(' ');
    write(right, after, out);
}

fn write_call(call: &CallExpression<'_>, out: &mut String) {
    write(&call.function, strength::ATOM, out);
    out.push('(');
    for (at, argument) in call.arguments.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { ", " });
        let value = match argument {
            Argument::Keyword(name, value) => {
                out.push_str(name);
                out.push('=');
                value
            }
            Argument::Positional(value) => value,
            Argument::Spread(value) => {
                out.push_str("**");
                value
            }
        };
        write(value, strength::CONDITION, out);
    }
    out.push(')');
}

fn write_subscript(of: &Expression<'_>, index: &Expression<'_>, out: &mut String) {
    write(of, strength::ATOM, out);
    match index {
        Expression::Tuple(list) if !list.is_empty() => {
            write_list("[", list, if list.len() == 1 { ",]" } else { "]" }, out);
        }
        _ => {
            out.push('[');
            write(index, strength::CONDITION, out);
            out.push(']');
        }
    }
}

fn write_slice(parts: &[Option<Expression<'_>>; 3], out: &mut String) {
    let [from, to, by] = parts;
    if let Some(from) = from {
        write(from, strength::CONDITION, out);
    }
    out.push(':');
    if let Some(to) = to {
        write(to, strength::CONDITION, out);
    }
    if let Some(by) = by {
        out.push(':');
        write(by, strength::CONDITION, out);
    }
}

fn write_list(open: &str, list: &[Expression<'_>], close: &str, out: &mut String) {
    out.push_str(open);
    for (at, value) in list.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { ", " });
        write(value, strength::CONDITION, out);
    }
    out.push_str(close);
}

fn write_dict(entries: &[(Option<Expression<'_>>, Expression<'_>)], out: &mut String) {
    out.push('{');
    for (at, (key, value)) in entries.iter().enumerate() {
        out.push_str(if at == 0 { "" } else { ", " });
        if let Some(key) = key {
            write(key, strength::CONDITION, out);
            out.push_str(": ");
            write(value, strength::CONDITION, out);
        } else {
            out.push_str("**");
            write(value, strength::BIT_OR, out);
        }
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::super::{Words, parse};
    use super::*;
    use proptest::prelude::*;

    fn again(text: &str) -> String {
        unparse(&parse(text, Words::Pythons).unwrap())
    }

    #[test]
    fn python_has_one_form_for_everything() {
        for (text, written) in [
            ("g.h( 1,2 )", "g.h(1, 2)"),
            ("f(\"it's\", \"a\")", "f(\"it's\", 'a')"),
            ("f(1e400, 1_0, 0x10, 1e3, b\"a\\n\")", "f(1e309, 10, 16, 1000.0, b'a\\n')"),
            ("f((1+2)*3, -(1+2), 2**-1, (-2)**2)", "f((1 + 2) * 3, -(1 + 2), 2 ** -1, (-2) ** 2)"),
            ("x[1,2]", "x[1, 2]"),
            ("x[()]", "x[()]"),
            ("x[:]", "x[:]"),
            ("(a and b)+1", "(a and b) + 1"),
            ("f(a=None, b=True)", "f(a=None, b=True)"),
            ("(1+2)[0]", "(1 + 2)[0]"),
        ] {
            assert_eq!(again(text), written);
        }
    }

    #[test]
    fn an_index_by_itself_has_the_brackets_of_its_tuple() {
        let Expression::Subscript(parts) = parse("x[1,2]", Words::Pythons).unwrap() else { panic!("a subscript") };
        assert_eq!(unparse_index(&parts.0, &parts.1), "x[(1, 2)]");
    }

    proptest! {
        #[test]
        fn what_was_written_is_written_so_again(text in "[a-c.(){}\\[\\]=,'+*:12 -]{0,24}") {
            if let Ok(expression) = parse(&text, Words::Pythons) {
                let written = unparse(&expression);
                prop_assert_eq!(again(&written), written);
            }
        }
    }
}
