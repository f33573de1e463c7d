//! A document's nodes before they are values.

use std::rc::Rc;

/// A node with its tag, where it has one that says more than its form.
#[derive(Debug, PartialEq)]
pub(super) struct Node {
    pub(super) tag: Option<String>,
    pub(super) content: Content,
    pub(super) line: usize,
}

/// What a node is.
#[derive(Debug, PartialEq)]
pub(super) enum Content {
    /// A text, and whether it stands there plain, so that its letters say what it is.
    Scalar(String, bool),
    List(Vec<Rc<Node>>),
    Map(Vec<(Rc<Node>, Rc<Node>)>),
}
