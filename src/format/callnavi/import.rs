//! The authors' questions as fcgen's samples.

use super::folder::{DatasetError, DomainFiles};
use super::item::{PARAMETERS_FACT, QuestionItem, difficulty, role};
use super::stem::DOMAIN_TAG;
use crate::record::{
    Argument, ArgumentNotes, DataType, Expected, FunctionCall, ItemId, Message, Origin, PLACEHOLDER, Provenance,
    Review, Sample, Step, SuiteId, Tool,
};
use indexmap::IndexMap;
use std::sync::Arc;

/// Hands every sample of a domain to `take`, in the file's order. The first question that cannot be read ends it.
pub fn import_domain(files: &DomainFiles, take: &mut dyn FnMut(Sample)) -> Result<(), DatasetError> {
    let (tools, mut fault) = (files.tools()?, None);
    files.each(&mut |line, item| match item {
        Ok(item) if fault.is_none() => take(import_item(files, &tools, item)),
        Ok(_) => {}
        Err(problem) => {
            let place = || DatasetError::Item { path: files.questions_path(), line, problem };
            fault.get_or_insert_with(place);
        }
    })?;
    fault.map_or(Ok(()), Err)
}

/// A question as a sample that shows all tools of its domain.
pub fn import_item(files: &DomainFiles, tools: &[Arc<Tool>], item: QuestionItem) -> Sample {
    let gold = item.ground_truth;
    let mut provenance = Provenance::default();
    if !gold.is_even() {
        let parameters = serde_json::to_string(&gold.parameters).unwrap_or_default();
        provenance.facts.insert(PARAMETERS_FACT.to_owned(), parameters);
    }
    let turns = item.question.into_iter();
    Sample {
        id: ItemId::root(item.id),
        suite: SuiteId::CallNavi.into(),
        difficulty: difficulty(&item.difficulty),
        data_type: DataType(item.difficulty),
        locale: files.locale.clone(),
        reference_time: None,
        messages: turns.map(|turn| Message::new(role(&turn.role), turn.content)).collect(),
        candidates: tools.to_vec(),
        expected: Expected::Steps(gold.calls().map(step).collect()),
        arguments: IndexMap::new(),
        acceptable: IndexMap::new(),
        tags: vec![format!("{DOMAIN_TAG}{}", files.domain)],
        mentions: Vec::new(),
        group: files.domain.clone(),
        base: None,
        snapshot: None,
        label: None,
        authors_candidates: None,
        review: Review::default(),
        licence: "unknown".to_owned(),
        source: "CallNavi's layout".to_owned(),
        provenance,
    }
}

fn step(call: FunctionCall) -> Step {
    Step { notes: vec![notes(&call)], calls: vec![call], answers: Vec::new() }
}

/// All that the layout tells: where a value is left open. Whether an earlier answer gives it is not said.
fn notes(call: &FunctionCall) -> ArgumentNotes {
    let open = call.arguments.iter().filter(|(_, value)| value.as_str() == Some(PLACEHOLDER));
    open.map(|(name, _)| (name.clone(), Argument { surface: None, origin: Origin::Open, ..Argument::default() }))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::folder::tests::folder;
    use super::super::item::tests::any_item;
    use super::super::{Gold, domain};
    use super::*;
    use proptest::prelude::*;

    const APIS: &str = r#"{"api_ports": [
        {"name": "getCard", "parameters": {"cardId": "string"}, "description": "Gets a card", "returnParameter": {"cardId": "string"}},
        {"name": "getLimit", "parameters": {"cardId": "string", "kind": "day/month"}, "description": "Gets a limit", "returnParameter": "Limit"}]}"#;
    const QUESTIONS: &str = r#"[{"id": "ban0101", "question": [{"role": "user", "content": "How much can card 7 still pay?"}],
        "ground_truth": {"API": ["getCard", "getLimit"], "parameters": [{"cardId": "7"}, {"cardId": "$$$", "kind": "day"}]}, "difficulty": "hard"},
        {"id": "ban02", "question": [{"role": "user", "content": "All?"}], "ground_truth": {"API": ["getAll"], "parameters": []}, "difficulty": "easy"}]"#;

    fn samples(questions: &str) -> Result<Vec<Sample>, DatasetError> {
        let folder = folder(&[("APIs/bank.json", APIS), ("Questions/bank.json", questions)]);
        let mut samples = Vec::new();
        import_domain(&DomainFiles::below(folder.path())[0], &mut |sample| samples.push(sample))?;
        Ok(samples)
    }

    #[test]
    fn a_question_is_a_sample_with_a_step_for_each_call() {
        let sample = samples(QUESTIONS).unwrap().remove(0);
        assert_eq!(
            (sample.id.as_str(), sample.suite.as_str(), sample.data_type.0.as_str()),
            ("ban0101", "callnavi", "hard")
        );
        assert_eq!((sample.query().as_str(), domain(&sample)), ("How much can card 7 still pay?", "bank"));
        let Expected::Steps(steps) = &sample.expected else { panic!("steps") };
        assert_eq!((steps.len(), steps[1].calls[0].arguments["cardId"].as_str()), (2, Some(PLACEHOLDER)));
        assert_eq!((steps[0].notes[0].len(), &steps[1].notes[0]["cardId"].origin), (0, &Origin::Open));
        assert_eq!(steps[1].notes[0].len(), 1);
    }

    #[test]
    fn samples_of_a_domain_share_its_tools() {
        let samples = samples(QUESTIONS).unwrap();
        assert_eq!(samples[0].candidates.len(), 2);
        assert!(Arc::ptr_eq(&samples[0].candidates[1], &samples[1].candidates[1]));
        assert_eq!(samples[0].candidates[1].parameters.properties["kind"].values.as_ref().unwrap().len(), 2);
    }

    #[test]
    fn an_empty_list_of_parameters_is_known_again() {
        let sample = samples(QUESTIONS).unwrap().remove(1);
        let gold = Gold::of(&sample).unwrap();
        assert_eq!((gold.api.len(), gold.parameters.len()), (1, 0));
    }

    #[test]
    fn a_question_that_cannot_be_read_is_told_and_what_came_before_is_kept() {
        let error = samples("[\n{}]").unwrap_err().to_string();
        assert!(error.contains("bank.json`, line 2: missing field `id`"), "{error}");
    }

    proptest! {
        #[test]
        fn a_sample_goes_back_to_the_question_that_it_was(item in any_item()) {
            let folder = folder(&[("APIs/bank.json", APIS), ("Questions/bank.json", "[]")]);
            let files = DomainFiles::below(folder.path()).remove(0);
            let sample = import_item(&files, &[], item.clone());
            let again: Sample = serde_json::from_str(&serde_json::to_string(&sample).unwrap()).unwrap();
            prop_assert_eq!(&again, &sample);
            // A name that bears the domain's is ours, and loses it.
            let mut bare = item;
            bare.ground_truth.api.iter_mut().for_each(|name| *name = super::super::bare(name, "bank").to_owned());
            prop_assert_eq!(QuestionItem::of(&sample, "bank", bare.id.clone()).unwrap(), bare);
        }
    }
}
