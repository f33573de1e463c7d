//! What the rules of `check` see of a benchmark, how a rule looks at it, and the rules that suites share.

pub mod calls;
pub mod entry;
pub mod finding;
pub mod ground;
pub mod hash;
pub mod samples;
#[cfg(any(test, feature = "fixtures"))]
pub mod testing;

use crate::lint::entry::Entry;
use crate::lint::finding::{Finding, Findings, Severity};
use crate::lint::ground::Ground;
use std::sync::Arc;

/// What rules know of a bench.
pub struct Context {
    pub ground: Arc<Ground>,
    /// The authors' layouts say less of a sample, and less can be asked of it.
    pub is_authors: bool,
}

impl Context {
    /// Adds what breaks a rule; in an authors' layout, it is what somebody should look at.
    pub(crate) fn put(&self, findings: &mut Findings, rule: &'static str, entry: &Entry, message: impl Into<String>) {
        let severity = if self.is_authors { Severity::Warning } else { Severity::Error };
        findings.add(Finding::new(rule, severity, &entry.place, entry.sample.id.as_str(), message));
    }
}

/// A rule that looks at every entry, in the order of the bench. A function is one that looks at each entry by itself.
pub trait Rule {
    /// Looks at one entry.
    fn see(&mut self, context: &Context, entry: &Entry, findings: &mut Findings);

    /// Says what can be said only at the end.
    fn end(&mut self, _context: &Context, _findings: &mut Findings) {}
}

impl<F: FnMut(&Context, &Entry, &mut Findings)> Rule for F {
    fn see(&mut self, context: &Context, entry: &Entry, findings: &mut Findings) {
        self(context, entry, findings);
    }
}

impl Rule for Vec<Box<dyn Rule>> {
    fn see(&mut self, context: &Context, entry: &Entry, findings: &mut Findings) {
        for rule in self {
            rule.see(context, entry, findings);
        }
    }

    fn end(&mut self, context: &Context, findings: &mut Findings) {
        for rule in self {
            rule.end(context, findings);
        }
    }
}

/// Rules for some entries only.
pub struct Only {
    pub applies: fn(&Entry) -> bool,
    pub rules: Vec<Box<dyn Rule>>,
}

impl Rule for Only {
    fn see(&mut self, context: &Context, entry: &Entry, findings: &mut Findings) {
        if (self.applies)(entry) {
            self.rules.see(context, entry, findings);
        }
    }

    fn end(&mut self, context: &Context, findings: &mut Findings) {
        self.rules.end(context, findings);
    }
}
