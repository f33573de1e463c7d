//! What a bench is made of, counted while its samples go by.

use super::card::{calls, kind};
use crate::record::{ArgumentNotes, Expected, Role, Sample, Tool, Value, data_type_label};
use indexmap::IndexMap;
use serde::Serialize;
use std::collections::BTreeMap;

/// Names that are told of what there may be thousands of.
const TOLD: usize = 40;

/// Counts by name.
type Counts = IndexMap<String, usize>;

/// What was counted.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Census {
    /// All samples.
    pub samples: usize,
    /// Samples with text of templates.
    pub template: usize,
    /// Turns of the person by data type: those that contain template text, and all.
    pub template_turns: IndexMap<String, (usize, usize)>,
    /// Samples by suite.
    pub suites: Counts,
    /// By data type.
    pub types: Counts,
    /// Labels of the data types that have one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, &'static str>,
    /// By locale.
    pub locales: Counts,
    /// By what is right.
    pub answers: Counts,
    /// By difficulty, where the suite says so.
    pub difficulties: Counts,
    /// By tag.
    pub tags: Counts,
    /// By what people said of them.
    pub reviews: Counts,
    /// Letters of what the person says last.
    pub query_letters: Histogram,
    /// Turns of the person.
    pub turns: Histogram,
    /// Right calls of a sample.
    pub calls: Histogram,
    /// Candidates of a sample.
    pub candidates: Histogram,
    /// Parameters of each tool.
    pub parameters: Histogram,
    /// Arguments of each right call.
    pub arguments: Histogram,
    /// Right arguments by where their values come from.
    pub origins: Counts,
    /// Right arguments by the type of their values.
    pub values: Counts,
    /// Right calls by tool.
    pub tools: Counts,
    /// How many different tools are called.
    pub called_tools: usize,
    /// How many different tools are shown.
    pub shown_tools: usize,
    /// What tells this set of samples from another: a hash of their ids and requests.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub fingerprint: String,
}

/// How often each number occurred.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(into = "Vec<(usize, usize)>")]
pub struct Histogram(BTreeMap<usize, usize>);

impl Histogram {
    /// Counts a number.
    pub fn add(&mut self, number: usize) {
        *self.0.entry(number).or_default() += 1;
    }
}

impl From<Histogram> for Vec<(usize, usize)> {
    fn from(histogram: Histogram) -> Self {
        histogram.0.into_iter().collect()
    }
}

impl Census {
    /// Counts a sample.
    pub fn see(&mut self, sample: &Sample) {
        self.samples += 1;
        self.template += usize::from(sample.provenance.template);
        let turns = self.template_turns.entry(sample.data_type.0.clone()).or_default();
        for by_template in sample.own_turns() {
            *turns = (turns.0 + usize::from(by_template), turns.1 + 1);
        }
        count(&mut self.suites, sample.suite.as_str());
        count(&mut self.types, &sample.data_type.0);
        if let Some(label) = data_type_label(&sample.suite, &sample.data_type.0) {
            self.labels.entry(sample.data_type.0.clone()).or_insert(label);
        }
        count(&mut self.locales, &sample.locale);
        count(&mut self.answers, kind(&sample.expected));
        count(&mut self.reviews, &word(&sample.review));
        if let Some(difficulty) = &sample.difficulty {
            count(&mut self.difficulties, &word(difficulty));
        }
        sample.tags.iter().for_each(|tag| count(&mut self.tags, tag));
        self.query_letters.add(sample.query().chars().count());
        self.turns.add(sample.messages.iter().filter(|message| message.role == Role::User).count());
        self.candidates.add(sample.candidates.len());
        self.see_calls(sample);
    }

    /// Counts a tool that was not seen before.
    pub fn see_tool(&mut self, tool: &Tool) {
        self.shown_tools += 1;
        self.parameters.add(tool.parameters.properties.len());
    }

    /// The same with only the commonest names where there are very many.
    #[must_use]
    pub fn told(mut self) -> Self {
        self.called_tools = self.tools.len();
        for counts in [&mut self.tools, &mut self.tags] {
            counts.sort_by(|one, n, other, m| m.cmp(n).then(one.cmp(other)));
            counts.truncate(TOLD);
        }
        self
    }

    fn see_calls(&mut self, sample: &Sample) {
        let calls = calls(sample);
        self.calls.add(calls.len());
        for call in &calls {
            count(&mut self.tools, &call.name);
            self.arguments.add(call.arguments.len());
            call.arguments.values().for_each(|value| count(&mut self.values, Value::type_name(value)));
        }
        match &sample.expected {
            Expected::Steps(steps) => steps.iter().flat_map(|step| &step.notes).for_each(|notes| self.see_notes(notes)),
            Expected::Call(_) => self.see_notes(&sample.arguments),
            _ => {}
        }
    }

    fn see_notes(&mut self, notes: &ArgumentNotes) {
        notes.values().for_each(|note| count(&mut self.origins, note.origin.word()));
    }
}

fn count(counts: &mut Counts, name: &str) {
    match counts.get_mut(name) {
        Some(count) => *count += 1,
        None => drop(counts.insert(name.to_owned(), 1)),
    }
}

/// The word by which a value is written in JSON.
fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::card::tests::sample;
    use super::*;

    #[test]
    fn a_sample_is_counted_in_every_way() {
        let mut census = Census::default();
        let mut refused = sample("b", "sing");
        refused.expected = Expected::Refusal;
        refused.tags.push("odd".to_owned());
        for sample in [&sample("a", "to Porto"), &refused] {
            census.see(sample);
        }
        census.see_tool(&refused.candidates[0]);
        insta::assert_snapshot!(serde_json::to_string(&census.told()).unwrap(), @r#"{"samples":2,"template":2,"template_turns":{"d":[2,2]},"suites":{"s":2},"types":{"d":2},"locales":{"en":2},"answers":{"call":1,"refusal":1},"difficulties":{},"tags":{"odd":1},"reviews":{"unreviewed":2},"query_letters":[[4,1],[8,1]],"turns":[[1,2]],"calls":[[0,1],[1,1]],"candidates":[[1,2]],"parameters":[[2,1]],"arguments":[[2,1]],"origins":{"verbatim":1},"values":{"string":1,"number":1},"tools":{"book":1},"called_tools":1,"shown_tools":1}"#);
    }

    #[test]
    fn data_types_of_a_known_suite_have_labels() {
        let mut census = Census::default();
        let mut shifted = sample("a", "sing");
        (shifted.suite, shifted.data_type.0) = (crate::record::SuiteId::HammerBench.into(), "IS".to_owned());
        for sample in [&shifted, &sample("b", "to Porto")] {
            census.see(sample);
        }
        assert_eq!(census.labels.into_iter().collect::<Vec<_>>(), [("IS".to_owned(), "intent shift")]);
    }

    #[test]
    fn of_thousands_of_tools_the_commonest_are_told() {
        let mut census = Census::default();
        for at in 0..99 {
            census.tools.insert(format!("t{at:02}"), at);
        }
        let told = census.told();
        assert_eq!((told.called_tools, told.tools.len()), (99, TOLD));
        assert_eq!(told.tools.first(), Some((&"t98".to_owned(), &98)));
    }
}
