//! An item with what is offered and what is wanted.

use super::answer::Answer;
use super::category::Category;
use super::function::Function;
use crate::record::BorrowedValue;

/// What a prediction is judged by.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its category.
    pub category: Category,
    /// The functions that are offered.
    pub functions: Vec<Function>,
    /// The calls that are wanted; none where no call is.
    pub answers: Vec<Answer>,
}

/// What a model gave, and how it was asked.
#[derive(Debug, Clone, Copy)]
pub struct Reply<'r, 't> {
    /// What it gave.
    pub given: &'r BorrowedValue<'t>,
    /// Whether it has native tools, so that calls come as a list.
    pub native: bool,
    /// Whether the dots of functions' names were put as underscores.
    pub underscores: bool,
}

impl Item {
    /// The function of a name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.iter().find(|function| function.name == name)
    }
}

impl Item {
    /// Puts an item together out of its parts as they stand in BFCL's files.
    pub fn read(category: Category, functions: &BorrowedValue<'_>, answers: Option<BorrowedValue<'_>>) -> Option<Self> {
        let functions = Function::read_all(functions)?;
        let answers = answers.map_or_else(|| Some(Vec::new()), Answer::read_all)?;
        Some(Self { category, functions, answers })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Two functions, and two wanted calls of them: the first accepts 1 and 2.
    pub(in crate::bfcl::metric) fn item(category: &str) -> Item {
        let function = |name: &str| {
            format!(
                r#"{{"name": "{name}", "parameters": {{"properties": {{"a": {{"type": "integer"}}}}, "required": ["a"]}}}}"#
            )
        };
        let functions = format!("[{}, {}]", function("f"), function("g"));
        let answers = r#"[{"f": {"a": [1, 2]}}, {"g": {"a": [2]}}]"#;
        let read = |text| BorrowedValue::read_lenient(text).unwrap();
        Item::read(Category::of_name(category).unwrap(), &read(&functions), Some(read(answers))).unwrap()
    }

    #[test]
    fn an_item_is_read_with_and_without_answers() {
        assert!(item("parallel").function("g").is_some() && item("parallel").function("h").is_none());
        let functions = BorrowedValue::read_lenient(r#"{"name": "f"}"#).unwrap();
        let item = Item::read(Category::Irrelevance, &functions, None).unwrap();
        assert!(item.answers.is_empty() && item.functions.len() == 1);
        assert!(Item::read(Category::Irrelevance, &BorrowedValue::Null, None).is_none());
    }
}
