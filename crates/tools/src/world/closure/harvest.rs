//! What an answer yields for the parameters of other calls: its items with the fields that are read of them.

use super::functions::Shape;
use fcgen_core::record::Value;

/// By shape: every item with its fields; a field that is not there, or is null, is none.
pub(super) type Harvest = Vec<Vec<Vec<Option<Value>>>>;

/// Reads an answer for the shapes of its function.
pub(super) fn harvest(shapes: &[Shape], answer: &Value) -> Harvest {
    shapes
        .iter()
        .map(|shape| items(answer, &shape.item).into_iter().map(|item| fields(shape, item)).collect())
        .collect()
}

fn fields(shape: &Shape, item: &Value) -> Vec<Option<Value>> {
    let field = |(pointer, _): &(String, usize)| at(item, pointer).filter(|value| !value.is_null()).cloned();
    shape.fields.iter().map(field).collect()
}

/// Everything at a pointer in which `0` stands for each of a list.
fn items<'v>(answer: &'v Value, pointer: &str) -> Vec<&'v Value> {
    pointer.split('/').skip(1).fold(vec![answer], |values, part| {
        let inside = |value: &'v Value| match value {
            Value::List(list) => list.iter().collect::<Vec<_>>(),
            Value::Object(object) => object.get(part).into_iter().collect(),
            _ => Vec::new(),
        };
        values.into_iter().flat_map(inside).collect()
    })
}

fn at<'v>(item: &'v Value, pointer: &str) -> Option<&'v Value> {
    pointer.split('/').skip(1).try_fold(item, |value, part| value.as_object()?.get(part))
}

/// A text that is the same for equal values: numbers by what they amount to.
pub(super) fn key(value: &Value) -> String {
    match value {
        Value::Number(number) => number.as_f64().to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_with_their_fields() {
        let answer: Value = serde_json::from_str(
            r#"{"data": {"inns": [{"id": "A", "at": {"x": 1.50}}, {"id": null, "at": {}}], "n": 3}}"#,
        )
        .unwrap();
        let shape = |item: &str, fields: &[&str]| Shape {
            item: item.to_owned(),
            fields: fields.iter().map(|field| ((*field).to_owned(), 0)).collect(),
        };
        let found =
            harvest(&[shape("/data/inns/0", &["/id", "/at/x"]), shape("", &["/data/n"]), shape("/x/0", &[])], &answer);
        assert_eq!(found[0][0], [Some("A".into()), answer_number("1.50")]);
        assert_eq!(found[0][1], [None, None]);
        assert_eq!((found[1][0][0].as_ref().map(key).as_deref(), found[2].len()), (Some("3"), 0));
    }

    fn answer_number(text: &str) -> Option<Value> {
        fcgen_core::record::Number::parse(text).map(Value::from)
    }

    #[test]
    fn equal_values_have_one_key_and_a_text_is_no_number() {
        assert_eq!(key(&answer_number("1.50").unwrap()), key(&Value::from(1.5)));
        assert_ne!(key(&"5".into()), key(&Value::from(5)));
    }
}
