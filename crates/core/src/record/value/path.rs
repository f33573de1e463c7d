//! Places in an answer, as sentences about it name them.

use super::Value;

impl Value {
    /// The value at a path of names with dots between (`items.name`); of a list the first element is meant. `null` is none.
    pub fn at_path(&self, path: &str) -> Option<&Self> {
        let mut value = first(self)?;
        for name in path.split('.') {
            value = first(value.as_object()?.get(name)?)?;
        }
        (!matches!(value, Self::Null)).then_some(value)
    }
}

fn first(value: &Value) -> Option<&Value> {
    match value {
        Value::List(list) => first(list.first()?),
        other => Some(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_goes_into_objects_and_the_first_of_lists() {
        let answer = Value::read(
            r#"{"total": 3, "items": [{"name": "tea", "sizes": [["S"]]}, {"name": "milk"}], "none": null, "empty": []}"#,
        );
        let answer = answer.unwrap();
        let shown = |path: &str| answer.at_path(path).map(ToString::to_string);
        assert_eq!(shown("total").as_deref(), Some("3"));
        assert_eq!(shown("items.name").as_deref(), Some("\"tea\""));
        assert_eq!(shown("items.sizes").as_deref(), Some("\"S\""));
        for nothing in ["", "none", "empty", "empty.name", "total.x", "items.price", "Total"] {
            assert_eq!(shown(nothing), None, "{nothing}");
        }
    }
}
