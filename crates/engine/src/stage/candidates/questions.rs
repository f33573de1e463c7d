//! Makes a sample of a question: its APIs among others of the domain, and of other domains where that is wanted.

use super::CandidatesConfig;
use crate::record::{
    Chance, Difficulty, Expected, FunctionCall, Item, Message, Provenance, Question, Record, Sample, Step, SuiteId,
    Tool,
};
use crate::stage::context::Context;
use crate::stage::outcome::{Fault, Outcome};
use std::sync::Arc;

/// The sample of a question. Shown are all APIs of the domain in their declared order, or so many in random order.
pub fn sample_of(config: &CandidatesConfig, context: &Context, item: Item, question: Question) -> Outcome {
    let mut chance = context.chance(item.id.as_str(), 0);
    let candidates = match config.breadth().get() {
        None => question.catalogue.tools.clone(),
        Some(count) => match some(config, context, &question, count, &mut chance) {
            Ok(candidates) => candidates,
            Err(fault) => return context.reject(&item.id, fault, question.text),
        },
    };
    let candidates = candidates.iter().map(|tool| context.domains().shown(tool)).collect();
    let sample = sample(context, &item, question, candidates);
    let provenance = sample.provenance.clone();
    Outcome::keep(Item { id: item.id, root: item.root, record: Record::Sample(Box::new(sample)), provenance })
}

/// The question's own APIs and others, near ones of the same domain, at any places.
fn some(
    config: &CandidatesConfig,
    context: &Context,
    question: &Question,
    count: usize,
    chance: &mut Chance,
) -> Result<Vec<Arc<Tool>>, Fault> {
    let mut candidates: Vec<Arc<Tool>> = Vec::new();
    for call in &question.calls {
        if candidates.iter().all(|tool| tool.name != call.tool.name) {
            candidates.push(call.tool.clone());
        }
    }
    if candidates.len() > count {
        let detail = format!("{count} tools are shown, the question wants {}", candidates.len());
        return Err(Fault::new("too_few_tools", detail));
    }
    let domain = &question.catalogue.tools;
    let mut near: Vec<Arc<Tool>> = domain.clone();
    let is_far = |tool: &&Arc<Tool>| domain.iter().all(|it| it.name != tool.name);
    let mut far: Vec<Arc<Tool>> = context.toolset().tools.iter().filter(is_far).cloned().collect();
    chance.shuffle(&mut near);
    chance.shuffle(&mut far);
    let wanted = near.split_off(near.len().min(config.near.get()));
    for tool in near.into_iter().chain(far).chain(wanted) {
        if candidates.len() == count {
            break;
        }
        // A name without its domain must still be one tool's alone.
        if candidates.iter().all(|it| it.function() != tool.function()) {
            candidates.push(tool);
        }
    }
    if candidates.len() < count {
        let detail = format!("{count} tools were wanted, the toolset has {}", candidates.len());
        return Err(Fault::new("too_few_tools", detail));
    }
    chance.shuffle(&mut candidates);
    Ok(candidates)
}

fn sample(context: &Context, item: &Item, question: Question, candidates: Vec<Arc<Tool>>) -> Sample {
    let toolset = context.toolset();
    let steps = question.steps().into_iter().map(bare_step).collect();
    let tags = std::iter::once(format!("domain:{}", question.catalogue.domain)).chain(question.tags.clone());
    Sample {
        messages: vec![Message::user(question.text)],
        locale: context.pack().code.clone(),
        candidates,
        difficulty: Some(question.difficulty),
        mentions: question.mentions,
        tags: tags.collect(),
        group: item.root.to_string(),
        base: question.base,
        licence: toolset.licence.clone(),
        source: toolset.name.clone(),
        provenance: Provenance::clone(&item.provenance),
        ..Sample::new(item.id.clone(), SuiteId::CallNavi, word(question.difficulty), Expected::Steps(steps))
    }
}

/// A model sees an API by its own name, as the authors' files do: the domain is the same for all.
fn bare_step(step: Step) -> Step {
    let bare = |call: FunctionCall| {
        let name = call.name.rsplit('.').next().unwrap_or(&call.name).to_owned();
        FunctionCall { name, ..call }
    };
    Step { calls: step.calls.into_iter().map(bare).collect(), ..step }
}

fn word(difficulty: Difficulty) -> &'static str {
    match difficulty {
        Difficulty::Easy => "easy",
        Difficulty::Medium => "medium",
        Difficulty::Hard => "hard",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::section::read_text;
    use crate::stage::Stage;
    use crate::stage::testing::{question_item, samples, silent};

    fn made(settings: &str) -> Outcome {
        read_text::<CandidatesConfig>(settings).unwrap().apply(&silent(), question_item())
    }

    #[test]
    fn all_apis_of_the_domain_are_shown_by_their_own_names() {
        let outcome = made("count = \"all\"");
        let sample = samples(&outcome.kept)[0];
        let names: Vec<&str> = sample.candidates.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["findAccount", "freezeAccount"]);
        assert_eq!((sample.suite.as_str(), sample.data_type.0.as_str()), ("callnavi", "hard"));
        assert_eq!(
            (sample.tags.clone(), sample.mentions.clone()),
            (vec!["domain:bank".to_owned(), "dependent".to_owned()], vec![1, 0])
        );
        let Expected::Steps(steps) = &sample.expected else { panic!("no steps") };
        assert_eq!((steps.len(), steps[1].calls[0].name.as_str()), (2, "freezeAccount"));
        assert_eq!((steps[1].notes.len(), sample.difficulty), (1, Some(Difficulty::Hard)));
    }

    #[test]
    fn so_many_are_the_right_ones_and_near_and_far_others() {
        let outcome = made("count = 4\nnear = 3");
        let sample = samples(&outcome.kept)[0];
        let names: std::collections::BTreeSet<&str> = sample.candidates.iter().map(|tool| tool.name.as_str()).collect();
        assert!(names.len() == 4 && names.contains("findAccount") && names.contains("freezeAccount"), "{names:?}");
    }

    #[test]
    fn too_few_are_a_reject_and_so_is_a_list_that_is_too_short() {
        assert_eq!(made("count = 500").rejected[0].reason, "too_few_tools");
        assert_eq!(made("count = 1\nnear = 0").rejected[0].detail, "1 tools are shown, the question wants 2");
    }
}
