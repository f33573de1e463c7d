//! Writes situations as far as functions alone tell them: what is of one group goes together, and the same is meant wherever
//! the same is asked for. Why somebody wants it no function says, so there are threads, and no cases or matters.

use crate::llm::{
    SituationForm, SituationsVariables, WantedFunction, WantedParameter, WrittenFact, WrittenGoal, WrittenSituations,
    WrittenSource, WrittenThread,
};
use indexmap::IndexMap;

/// The fewest goals of a thread.
const LEAST: usize = 2;

/// The answer to a request for situations.
pub(super) fn write(variables: &SituationsVariables) -> String {
    let mut groups: IndexMap<String, Vec<&WantedFunction>> = IndexMap::new();
    for function in variables.functions.iter().filter(|_| variables.form == SituationForm::Threads) {
        groups.entry(group(&function.name)).or_default().push(function);
    }
    let is_new = |(about, goals): &(String, Vec<_>)| goals.len() >= LEAST && !variables.known.contains(about);
    let threads = groups.into_iter().filter(is_new).take(variables.count).map(|(about, goals)| thread(about, &goals));
    let threads = threads.filter_map(|thread| serde_json::to_value(thread).ok()).collect();
    serde_json::to_string(&WrittenSituations { threads, ..WrittenSituations::default() }).unwrap_or_default()
}

/// The first word of a function's name, which says what it is about; of `renewLoan` and `Loans_renew` the thing.
fn group(name: &str) -> String {
    let function = name.rsplit('.').next().unwrap_or(name);
    let words: Vec<&str> = function.split('_').collect();
    // Names that begin with a verb end with the thing.
    let is_verb = words.first().is_some_and(|word| word.chars().all(char::is_lowercase));
    let word = if is_verb { words.last() } else { words.first() };
    word.copied().unwrap_or(function).trim_end_matches('s').to_lowercase()
}

fn thread(about: String, goals: &[&WantedFunction]) -> WrittenThread {
    let parameters = || goals.iter().flat_map(|goal| goal.parameters.iter().filter(|it| !it.kind.is_empty()));
    let alike = |one: &WantedParameter, other: &WantedParameter| one.name == other.name && one.kind == other.kind;
    let is_shared = |it: &WantedParameter| parameters().filter(|other| alike(it, other)).count() >= LEAST;
    let mut facts: IndexMap<&str, &WantedParameter> = IndexMap::new();
    for parameter in parameters().filter(|it| is_shared(it)) {
        facts.entry(&parameter.name).or_insert(parameter);
    }
    let goal = |goal: &&WantedFunction| {
        let shared = |it: &&WantedParameter| facts.get(it.name.as_str()).is_some_and(|fact| alike(fact, it));
        let source = |it: &WantedParameter| WrittenSource { parameter: it.name.clone(), source: it.name.clone() };
        let from = goal.parameters.iter().filter(shared).map(source).collect();
        WrittenGoal { name: goal.name.clone(), from, ..WrittenGoal::default() }
    };
    let fact = |it: &&WantedParameter| WrittenFact {
        name: it.name.clone(),
        kind: Some(it.kind.clone()),
        ..WrittenFact::default()
    };
    WrittenThread {
        about,
        facts: facts.values().map(fact).collect(),
        goals: goals.iter().map(goal).collect(),
        ..WrittenThread::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(name: &str, parameters: &[(&str, &str)]) -> WantedFunction {
        let parameter = |(name, kind): &(&str, &str)| WantedParameter {
            name: (*name).to_owned(),
            kind: (*kind).to_owned(),
            ..WantedParameter::default()
        };
        let parameters = parameters.iter().map(parameter).collect();
        WantedFunction { name: name.to_owned(), parameters, ..WantedFunction::default() }
    }

    #[test]
    fn what_is_of_one_group_goes_together_with_one_value_for_the_same() {
        let functions = vec![
            function("find_book", &[("title", "book_title")]),
            function("reserve_book", &[("title", "book_title"), ("reader", "person")]),
            function("pay_fine", &[("reader", "person")]),
        ];
        let variables = SituationsVariables { count: 3, functions, ..SituationsVariables::default() };
        let written: WrittenSituations = serde_json::from_str(&write(&variables)).unwrap();
        let threads: Vec<WrittenThread> =
            written.threads.into_iter().map(|it| serde_json::from_value(it).unwrap()).collect();
        assert_eq!((threads.len(), threads[0].about.as_str(), threads[0].goals.len()), (1, "book", 2));
        let facts: Vec<&str> = threads[0].facts.iter().map(|fact| fact.name.as_str()).collect();
        assert_eq!((facts, threads[0].goals[1].from.len()), (vec!["title"], 1));
        let cases = SituationsVariables { form: SituationForm::Cases, ..variables };
        assert_eq!(write(&cases), r#"{"threads":[],"fields":[],"cases":[],"matters":[]}"#);
    }
}
