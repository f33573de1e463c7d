//! Fills the template of an answer.

use super::layer::Scope;
use crate::toolset::{Node, from_cell, to_cell};
use crate::world::CallFault;
use fcgen_core::record::{Object, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// What stands around an answer is filled with one value.
pub(super) struct Wrapping(Arc<Scope>);

impl Wrapping {
    /// The one value by its name.
    pub(super) fn of(name: &str, value: &Value) -> Self {
        Self(Scope::new(IndexMap::from([(name.to_owned(), to_cell(value))])))
    }

    pub(super) fn scope(self) -> Arc<Scope> {
        self.0
    }
}

/// The value of a template in a scope.
pub(super) fn render(node: &Node, scope: &Arc<Scope>) -> Result<Value, CallFault> {
    match node {
        Node::Fixed(value) => Ok(value.clone()),
        Node::Computed(expression) => Ok(from_cell(&expression.eval(&scope.cell()).map_err(broken)?)),
        Node::List(list) => Ok(Value::List(list.iter().map(|node| render(node, scope)).collect::<Result<_, _>>()?)),
        Node::Map(map) => {
            let field = |(name, node): (&String, &Node)| Ok((name.clone(), render(node, scope)?));
            Ok(Value::Object(map.iter().map(field).collect::<Result<Object, CallFault>>()?))
        }
        Node::Each { name, list, give } => {
            let list = list.eval(&scope.cell()).map_err(broken)?;
            let elements = list.try_iter().map_err(|error| broken(error.to_string()))?;
            Ok(Value::List(elements.map(|it| render(give, &scope.with(name, it))).collect::<Result<_, _>>()?))
        }
        Node::With { names, give } => {
            let cell = scope.cell();
            let named = names.iter().map(|(name, it)| Ok((name.clone(), it.eval(&cell).map_err(broken)?)));
            render(give, &Scope::over(named.collect::<Result<_, CallFault>>()?, scope))
        }
    }
}

/// An expression that cannot be computed is the declaration's fault.
pub(super) fn broken(detail: String) -> CallFault {
    CallFault::Broken { detail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::Expression;

    fn expression(text: &str) -> Expression {
        Expression::compile(text).unwrap()
    }

    #[test]
    fn lists_objects_and_names_are_filled() {
        let scope = Wrapping::of("data", &Value::read(r#"[{"n": 1}, {"n": 2}]"#).unwrap()).scope();
        let give = Box::new(Node::With {
            names: IndexMap::from([("m".to_owned(), expression("it.n * 10"))]),
            give: Box::new(Node::Map(IndexMap::from([("m".to_owned(), Node::Computed(expression("m")))]))),
        });
        let node = Node::List(vec![
            Node::Fixed(true.into()),
            Node::Each { name: "it".to_owned(), list: expression("data"), give },
        ]);
        assert_eq!(render(&node, &scope).unwrap().to_string(), r#"[true,[{"m":10},{"m":20}]]"#);
    }

    #[test]
    fn what_cannot_be_computed_is_a_fault() {
        let scope = Wrapping::of("data", &Value::from(3)).scope();
        let each =
            Node::Each { name: "x".to_owned(), list: expression("data"), give: Box::new(Node::Fixed(Value::Null)) };
        for node in [Node::Computed(expression("data.n")), each] {
            assert!(matches!(render(&node, &scope), Err(CallFault::Broken { .. })));
        }
    }

    #[test]
    fn what_stands_fixed_is_given_as_it_stands() {
        let node = Node::Map(IndexMap::from([("n".to_owned(), Node::Fixed(Value::Null))]));
        assert_eq!(render(&node, &Wrapping::of("data", &Value::Null).scope()).unwrap().to_string(), r#"{"n":null}"#);
    }
}
