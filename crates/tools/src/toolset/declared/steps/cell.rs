//! Values as expressions compute them, from and to the values of calls and answers.

use fcgen_core::record::{Number, Object, Value};
use indexmap::IndexMap;
use minijinja::value::ValueKind;

/// A value that expressions work on; cloning it is cheap.
pub(crate) type Cell = minijinja::Value;

/// A value for expressions. Numbers without a fraction are whole.
pub(crate) fn to_cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::from(()),
        Value::Bool(bool) => Cell::from(*bool),
        Value::Number(number) => number_cell(number),
        Value::String(text) => Cell::from(text.as_str()),
        Value::List(list) => list.iter().map(to_cell).collect::<Vec<Cell>>().into(),
        Value::Object(object) => object
            .iter()
            .map(|(name, value)| (Cell::from(name.as_str()), to_cell(value)))
            .collect::<IndexMap<Cell, Cell>>()
            .into(),
    }
}

fn number_cell(number: &Number) -> Cell {
    let whole = number.as_str().parse::<i64>().ok().filter(|_| number.is_integer_text());
    whole.map_or_else(|| Cell::from(number.as_f64()), Cell::from)
}

/// What an answer says; whatever is no value (a missing field, a number beyond all bounds) is `null`.
pub(crate) fn from_cell(cell: &Cell) -> Value {
    match cell.kind() {
        ValueKind::Bool => Value::Bool(cell.is_true()),
        ValueKind::Number => from_number(cell),
        ValueKind::String => Value::from(cell.as_str().unwrap_or_default()),
        ValueKind::Seq | ValueKind::Iterable => {
            Value::List(cell.try_iter().into_iter().flatten().map(|it| from_cell(&it)).collect())
        }
        ValueKind::Map => Value::Object(from_map(cell)),
        _ => Value::Null,
    }
}

fn from_number(cell: &Cell) -> Value {
    if cell.is_integer() {
        return Value::read(&cell.to_string()).unwrap_or_default();
    }
    let number = f64::try_from(cell.clone()).unwrap_or(f64::NAN);
    if number.is_finite() { Value::from(number) } else { Value::Null }
}

fn from_map(cell: &Cell) -> Object {
    let keys = cell.try_iter().into_iter().flatten();
    keys.map(|key| (text_of(&key), from_cell(&cell.get_item(&key).unwrap_or_default()))).collect()
}

/// How a value is written within a text.
pub(crate) fn text_of(cell: &Cell) -> String {
    match cell.as_str() {
        Some(text) => text.to_owned(),
        None if cell.is_none() || cell.is_undefined() => String::new(),
        None if cell.kind() == ValueKind::Bool => cell.is_true().to_string(),
        None => cell.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn there_and_back(json: &str) -> String {
        from_cell(&to_cell(&Value::read(json).unwrap())).to_string()
    }

    #[test]
    fn values_come_back_as_they_went() {
        for json in [r#"{"b":[1,2.5,null],"a":{"x":"y","z":true}}"#, "[]", "-7", "0.25", "\"\"", "5.0"] {
            assert_eq!(there_and_back(json), json);
        }
    }

    #[test]
    fn what_is_no_value_is_null() {
        assert_eq!(from_cell(&Cell::UNDEFINED), Value::Null);
        assert_eq!(from_cell(&Cell::from(f64::INFINITY)), Value::Null);
    }

    #[test]
    fn a_value_within_a_text_has_no_quotes() {
        let texts = [Cell::from("a"), Cell::from(4), Cell::from(()), Cell::from(true)].map(|cell| text_of(&cell));
        assert_eq!(texts, ["a", "4", "", "true"]);
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let plain = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            (-1_000_000_i64..1_000_000).prop_map(Value::from),
            ".{0,12}".prop_map(|text| Value::from(text.as_str())),
        ];
        plain.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
                prop::collection::vec(("[a-z]{1,4}", inner), 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn whatever_a_call_may_hold_comes_back_from_an_expression(value in any_value()) {
            prop_assert_eq!(from_cell(&to_cell(&value)), value);
        }
    }
}
