//! How answers and errors are wrapped: what stands around them in every answer of a toolset.

use super::super::steps::template::Node;

/// The wrapping of answers; bare where none is declared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Envelope {
    /// Around what a call answers with, over `data`.
    pub(crate) success: Option<Node>,
    /// Around what is wrong with a call, over `errors`.
    pub(crate) failure: Option<Node>,
}

impl Envelope {
    /// The JSON pointer from the whole answer to its data.
    pub(crate) fn place(&self) -> String {
        self.success.as_ref().and_then(|success| success.place_of("data")).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::steps::expression::Expression;
    use indexmap::IndexMap;

    #[test]
    fn data_stand_where_the_wrapping_has_them() {
        assert_eq!(Envelope::default().place(), "");
        let data = Node::Computed(Expression::compile("data").unwrap());
        let inner = Node::Map(IndexMap::from([("data".to_owned(), data)]));
        let success =
            Node::Map(IndexMap::from([("status".to_owned(), Node::Fixed(true.into())), ("result".to_owned(), inner)]));
        assert_eq!(Envelope { success: Some(success), failure: None }.place(), "/result/data");
    }
}
