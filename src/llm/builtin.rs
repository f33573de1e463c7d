//! The seam to the built-in model.

use super::request::{Reply, Request};

/// A model inside this program: it answers at once, for nothing, and the same way every time.
pub trait BuiltIn: Send + Sync {
    /// Answers; it reads the request's task and variables, never its text.
    fn answer(&self, request: &Request) -> Reply;
}

impl<F: Fn(&Request) -> Reply + Send + Sync> BuiltIn for F {
    fn answer(&self, request: &Request) -> Reply {
        self(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::testing::request;

    #[test]
    fn a_function_is_a_model() {
        let model = |request: &Request| Reply { text: request.item.to_string(), ..Reply::default() };
        assert_eq!(model.answer(&request("a/b", 0)).text, "a/b");
    }
}
