//! Why an item does not pass.

/// Why a single item failed, in two words for counting and in more for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Short name: `missing_parameter`, `unparsable` ...
    pub reason: &'static str,
    /// What was found and what was expected.
    pub detail: String,
}

impl Fault {
    /// A fault by its short name.
    pub fn new(reason: &'static str, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_a_name_to_count_and_words_to_read() {
        let fault = Fault::new("wrong_script", "too few letters");
        assert_eq!((fault.reason, fault.detail.as_str()), ("wrong_script", "too few letters"));
    }
}
