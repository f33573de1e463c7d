//! Steps: each call stands one after the last that it takes something from.

use super::held::Answered;
use super::origin::Tracer;
use crate::record::{ArgumentNotes, ComplexQuery, FunctionCall, Origin, Step, Tool, Value};
use std::sync::Arc;

/// A call that was made, with its answer.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::stage) struct Made {
    pub(in crate::stage) tool: Arc<Tool>,
    pub(in crate::stage) call: FunctionCall,
    pub(in crate::stage) answer: Value,
    /// In which turn; calls of one turn do not know each other's answers.
    pub(in crate::stage) turn: usize,
}

/// The calls of a request that has steps. A function that the catalogue does not have is left with its name alone.
pub(in crate::stage) fn made_of(query: &ComplexQuery) -> Vec<Made> {
    let tool = |name: &str| {
        let found = query.catalogue.tools.iter().find(|tool| tool.name == name).cloned();
        found.unwrap_or_else(|| Arc::new(Tool { name: name.to_owned(), ..Tool::default() }))
    };
    let calls = query.steps.iter().enumerate().flat_map(|(turn, step)| {
        let answered = step.calls.iter().zip(&step.answers);
        answered.map(move |(call, answer)| (turn, call, answer))
    });
    calls
        .map(|(turn, call, answer)| Made { tool: tool(&call.name), call: call.clone(), answer: answer.clone(), turn })
        .collect()
}

/// Puts calls into as few steps as their arguments allow, with notes on where these come from.
pub(in crate::stage) fn arrange(tracer: &Tracer<'_>, made: &[Made]) -> Vec<Step> {
    let mut levels: Vec<usize> = Vec::with_capacity(made.len());
    let mut notes: Vec<ArgumentNotes> = Vec::with_capacity(made.len());
    for it in made {
        let earlier = earlier(made, it.turn);
        let mut level = 0;
        let note = |name: &String| {
            let traced = tracer.argument(&it.tool, name, &it.call.arguments, &earlier);
            level =
                traced.sources.iter().filter_map(|source| levels.get(*source)).fold(level, |most, it| most.max(it + 1));
            (name.clone(), traced.argument)
        };
        notes.push(it.call.arguments.keys().map(note).collect());
        levels.push(level);
    }
    stepped(made, &levels, notes)
}

/// The calls without optional arguments that only write a default out: they answer the same without them.
pub(in crate::stage) fn without_defaults(tracer: &Tracer<'_>, made: Vec<Made>) -> Vec<Made> {
    let steps = arrange(tracer, &made);
    let noted: Vec<_> = steps.iter().flat_map(|step| step.calls.iter().zip(&step.notes)).collect();
    let bare = |mut it: Made| {
        let notes = noted.iter().find(|(call, _)| **call == it.call).map(|(_, notes)| *notes);
        let is_default =
            |name: &String| notes.and_then(|notes| notes.get(name)).is_some_and(|it| it.origin == Origin::Default);
        let required = &it.tool.parameters.required;
        it.call.arguments.retain(|name, _| required.contains(name) || !is_default(name));
        it
    };
    made.into_iter().map(bare).collect()
}

/// What the calls of earlier turns answered.
pub(in crate::stage) fn earlier(made: &[Made], turn: usize) -> Vec<Answered<'_>> {
    let before = made.iter().enumerate().filter(|(_, it)| it.turn < turn);
    before.map(|(call, it)| Answered { call, tool: &it.call.name, answer: &it.answer }).collect()
}

/// The calls step by step; the ordinals in the notes follow them to their new places.
fn stepped(made: &[Made], levels: &[usize], notes: Vec<ArgumentNotes>) -> Vec<Step> {
    let mut order: Vec<usize> = (0..made.len()).collect();
    order.sort_by_key(|call| levels[*call]);
    let mut places = vec![0; made.len()];
    order.iter().enumerate().for_each(|(place, call)| places[*call] = place);
    let mut steps: Vec<Step> = Vec::new();
    let mut notes: Vec<Option<ArgumentNotes>> = notes.into_iter().map(Some).collect();
    for call in order {
        if steps.len() <= levels[call] {
            steps.push(Step { calls: Vec::new(), answers: Vec::new(), notes: Vec::new() });
        }
        let (Some(step), Some(mut note)) = (steps.last_mut(), notes[call].take()) else { continue };
        note.values_mut().for_each(|argument| moved(&mut argument.origin, &places));
        step.calls.push(made[call].call.clone());
        step.answers.push(made[call].answer.clone());
        step.notes.push(note);
    }
    steps
}

fn moved(origin: &mut Origin, places: &[usize]) {
    if let Origin::Answer { call, .. } | Origin::Derived { call, .. } = origin {
        *call = places.get(*call).copied().unwrap_or(*call);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::silent;
    use super::super::testing::{coarse, greyford, inn, made, shown};
    use super::*;

    const TEXT: &str =
        "Two inns in Greyford and Old Harbour from November 1, 2024 for three nights, the cheapest in Greyford";

    /// A detour: the towns one after another, the search in between.
    fn detour() -> (Vec<Step>, Vec<Made>) {
        let context = inn(silent());
        let (token, search) = greyford(&context);
        let other = search.replace("T2", "T3");
        let made = made(
            &context,
            &[
                (0, "Find_Town", r#"{"query": "Greyford"}"#),
                (1, "Search_Inns", search),
                (2, "Find_Town", r#"{"query": "Old Harbour"}"#),
                (3, "Get_Inn", &format!(r#"{{"token": "{token}"}}"#)),
                (4, "Search_Inns", &other),
            ],
        );
        (arrange(&Tracer::new(&context, TEXT, &[]), &made), made)
    }

    #[test]
    fn a_call_stands_as_early_as_its_arguments_allow() {
        insta::assert_snapshot!(shown(&detour().0), @r#"
        0 Find_Town query=["verbatim","Greyford"]
        0 Find_Town query=["verbatim","Old Harbour"]
        1 Search_Inns town_id=[{"answer":{"call":0,"field":"/data/0/id"}},null] arrival=["normalised","November 1, 2024"] departure=["inferred","three nights"]
        1 Search_Inns town_id=[{"answer":{"call":1,"field":"/data/0/id"}},null] arrival=["normalised","November 1, 2024"] departure=["inferred","three nights"]
        2 Get_Inn token=[{"answer":{"call":2,"field":"/data/inns/0/token"}},null]
        "#);
    }

    #[test]
    fn steps_become_calls_again_and_the_same_steps() {
        let context = inn(silent());
        let (steps, _) = detour();
        let query = ComplexQuery { steps: steps.clone(), ..coarse(&context, TEXT, &[]) };
        let made = made_of(&query);
        assert_eq!(made.iter().map(|it| it.turn).collect::<Vec<_>>(), [0, 0, 1, 1, 2]);
        assert_eq!(arrange(&Tracer::new(&context, TEXT, &[]), &made), steps);
        assert_eq!(steps.iter().flat_map(|step| &step.calls).count(), 5);
    }

    #[test]
    fn calls_of_one_turn_do_not_feed_each_other() {
        let context = inn(silent());
        let (_, search) = greyford(&context);
        let made = made(&context, &[(0, "Find_Town", r#"{"query": "Greyford"}"#), (0, "Search_Inns", search)]);
        let steps = arrange(&Tracer::new(&context, TEXT, &[]), &made);
        assert_eq!((steps.len(), &steps[0].notes[1]["town_id"].origin), (1, &Origin::Missing));
        assert!(arrange(&Tracer::new(&context, TEXT, &[]), &[]).is_empty());
    }
}
