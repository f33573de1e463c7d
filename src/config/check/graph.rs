//! Who reads from whom: names, branches, and whether what one stage yields is what the next one takes.
//!
//! A stage can only read from stages above it, so there are no cycles.

use crate::config::declared::DeclaredStage;
use crate::config::file::File;
use crate::config::located::Located;
use crate::config::problem::{Problem, did_you_mean, listed};
use crate::record::RecordKind;
use crate::stage::Stage;

/// For each stage, the positions of those that it reads from.
pub(crate) fn link(file: &File, problems: &mut Vec<Problem>) -> Vec<Vec<usize>> {
    let before = problems.len();
    let stages = &file.stages;
    check_names(stages, problems);
    let from: Vec<Vec<usize>> = (0..stages.len()).map(|index| inputs(stages, index, problems)).collect();
    for (index, inputs) in from.iter().enumerate() {
        for (ordinal, input) in inputs.iter().enumerate() {
            problems.extend(misfit(stages, index, *input, ordinal));
        }
    }
    if problems.len() == before {
        // Of a graph with faults it is not known what it emits.
        for index in emitted(&from) {
            problems.extend(check_emitted(file, &from, index));
        }
    }
    from
}

/// The stages that nobody reads from.
pub(crate) fn emitted(from: &[Vec<usize>]) -> Vec<usize> {
    (0..from.len()).filter(|index| !from.iter().any(|inputs| inputs.contains(index))).collect()
}

fn check_names(stages: &[DeclaredStage], problems: &mut Vec<Problem>) {
    for (index, stage) in stages.iter().enumerate().filter(|(_, stage)| !stage.name.is_empty()) {
        if stages.iter().take(index).any(|earlier| earlier.name == stage.name) {
            let message = format!("duplicate stage name `{}`", stage.name);
            let hint = "set a different `name` for one of them; it becomes part of every id";
            problems.push(Problem::new(stage.name.span(), message).hint(hint));
        }
    }
}

fn inputs(stages: &[DeclaredStage], index: usize, problems: &mut Vec<Problem>) -> Vec<usize> {
    let Some(stage) = stages.get(index) else { return Vec::new() };
    let is_source = stage.stage.as_ref().is_some_and(|stage| stage.is_source());
    match (&stage.from, is_source) {
        (Some(from), true) => {
            problems.extend(from.first().map(|name| source_with_input(stage, name)));
            Vec::new()
        }
        (None, true) => Vec::new(),
        (Some(from), false) => named_inputs(stages, index, from, problems),
        (None, false) if index == 0 => {
            problems.extend(stage.stage.as_ref().map(|config| first_not_source(stage, config.as_ref())));
            Vec::new()
        }
        (None, false) => vec![index - 1],
    }
}

fn source_with_input(stage: &DeclaredStage, name: &Located) -> Problem {
    Problem::new(name.span(), format!("{} is a source and cannot read from another stage", stage.label))
}

fn first_not_source(stage: &DeclaredStage, config: &dyn Stage) -> Problem {
    let message = format!("the first stage must be a source, but {} takes {}", stage.label, plural(config.input()));
    let hint = "sources: `toolset`, `toolkits`, `apis`, and `generate` with `table` or `count`";
    Problem::new(stage.name.span(), message).hint(hint)
}

fn named_inputs(stages: &[DeclaredStage], index: usize, from: &[Located], problems: &mut Vec<Problem>) -> Vec<usize> {
    let mut inputs = Vec::new();
    for name in from {
        match stages.iter().position(|stage| stage.name == *name) {
            Some(input) if inputs.contains(&input) => {
                problems.push(Problem::new(name.span(), format!("duplicate stage `{name}` in `from`")));
            }
            Some(input) if input < index => inputs.push(input),
            found => problems.extend(stages.get(index).map(|stage| no_input(stages, index, stage, name, found))),
        }
    }
    inputs
}

fn no_input(
    stages: &[DeclaredStage],
    index: usize,
    stage: &DeclaredStage,
    name: &Located,
    found: Option<usize>,
) -> Problem {
    let above: Vec<&str> = stages.iter().take(index).map(|stage| stage.name.as_str()).collect();
    let (message, hint) = match found {
        Some(found) if found == index => (format!("{} reads from itself", stage.label), None),
        Some(_) => (
            format!("{} reads from `{name}`, which comes after it", stage.label),
            Some(format!("move {} below `{name}`", stage.label)),
        ),
        None => (format!("{} reads from an unknown stage `{name}`", stage.label), None),
    };
    let hint = hint.unwrap_or_else(|| did_you_mean(name, &above, "stages above"));
    Problem::new(name.span(), message).hint(hint)
}

/// What is wrong between two neighbours; nothing is known of a stage that could not be read.
fn misfit(stages: &[DeclaredStage], index: usize, input: usize, ordinal: usize) -> Option<Problem> {
    let (stage, giver) = (stages.get(index)?, stages.get(input)?);
    let (taken, given) = (stage.stage.as_ref()?.input(), yielded(stages, input)?);
    if taken.contains(&given) {
        return None;
    }
    let place = stage.from.as_ref().and_then(|from| from.get(ordinal)).unwrap_or(&stage.name);
    let message = format!("{} takes {}, but {} yields {}", stage.label, plural(taken), giver.label, plural(&[given]));
    let fitting: Vec<&str> = stages
        .iter()
        .take(index)
        .enumerate()
        .filter(|(place, _)| yielded(stages, *place).is_some_and(|given| taken.contains(&given)))
        .map(|(_, stage)| stage.name.as_str())
        .collect();
    let hint = match fitting.as_slice() {
        [] => format!("add a stage between them that yields {}", plural(taken)),
        names => format!("set another input with `from`; matching stages: {}", listed(names)),
    };
    Some(Problem::new(place.span(), message).hint(hint))
}

/// The kind that a stage yields: of a gate that takes several kinds, the one that it is given.
fn yielded(stages: &[DeclaredStage], index: usize) -> Option<RecordKind> {
    let declared = stages.get(index)?;
    let stage = declared.stage.as_ref()?;
    if !stage.is_gate() || stage.input().len() < 2 {
        return Some(stage.output());
    }
    let named = declared.from.as_ref().and_then(|from| from.first());
    let above = named.map_or_else(|| index.checked_sub(1), |name| stages.iter().position(|stage| stage.name == *name));
    let given = above.filter(|above| *above < index).and_then(|above| yielded(stages, above));
    given.filter(|given| stage.input().contains(given)).or(Some(stage.output()))
}

fn check_emitted(file: &File, from: &[Vec<usize>], index: usize) -> Option<Problem> {
    let stage = file.stages.get(index)?;
    stage.stage.as_ref()?;
    let output = yielded(&file.stages, index)?;
    let format = file.pipeline.format;
    let wanted = format.wants();
    if !wanted.is_empty() && !wanted.contains(&output) {
        let message = format!(
            "{} yields {}, but `format = \"{}\"` in `[pipeline]` requires {}",
            stage.label,
            plural(&[output]),
            format.as_str(),
            plural(wanted)
        );
        let hint = "`format = \"jsonl\"` accepts the output of any pipeline";
        return Some(Problem::new(stage.name.span(), message).hint(hint));
    }
    let fits = match output {
        RecordKind::Sample | RecordKind::Dialogue | RecordKind::Row => true,
        RecordKind::Tool | RecordKind::Query => grown_from_toolkits(&file.stages, from).get(index) == Some(&true),
        RecordKind::Selection
        | RecordKind::Catalogue
        | RecordKind::Question
        | RecordKind::ComplexQuery
        | RecordKind::Scenario
        | RecordKind::Conversation => false,
    };
    (!fits).then(|| {
        let message = format!("no stage reads the {} of {}", plural(&[output]), stage.label);
        let hint =
            "the output of the last stage must be samples, dialogues or rows; `candidates` turns queries and questions into samples";
        Problem::new(stage.name.span(), message).hint(hint)
    })
}

/// For each stage, whether the tools that it works on were made in this run: such are worth writing out by themselves.
fn grown_from_toolkits(stages: &[DeclaredStage], from: &[Vec<usize>]) -> Vec<bool> {
    let mut grown: Vec<bool> = Vec::new();
    for (stage, inputs) in stages.iter().zip(from) {
        let makes_tools = stage
            .stage
            .as_ref()
            .is_some_and(|it| it.role().is_some() && it.is_source() && it.output() == RecordKind::Tool);
        grown.push(makes_tools || inputs.iter().any(|input| grown.get(*input) == Some(&true)));
    }
    grown
}

fn plural(kinds: &[RecordKind]) -> String {
    let words: Vec<&str> = kinds.iter().map(|kind| word(*kind)).collect();
    words.join(" or ")
}

fn word(kind: RecordKind) -> &'static str {
    match kind {
        RecordKind::Tool => "tools",
        RecordKind::Selection => "selections",
        RecordKind::Query => "queries",
        RecordKind::Catalogue => "catalogues",
        RecordKind::Question => "questions",
        RecordKind::ComplexQuery => "complex queries",
        RecordKind::Scenario => "scenarios",
        RecordKind::Conversation => "conversations",
        RecordKind::Sample => "samples",
        RecordKind::Dialogue => "dialogues",
        RecordKind::Row => "rows",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Overrides, Source, file};

    /// Links stages given as `kind more-toml` lines.
    fn linked(head: &str, stages: &[&str]) -> Result<Vec<Vec<usize>>, Vec<String>> {
        let tables = stages.iter().map(|stage| {
            let (kind, more) = stage.split_once(' ').unwrap_or((stage, ""));
            format!("[[stage]]\nkind = \"{kind}\"\n{more}\n")
        });
        let text = format!("{head}\n{}", tables.collect::<String>());
        let overrides = Overrides::default();
        let mut problems = Vec::new();
        let file = file::read(&Source::new("a.toml", &text, &overrides), &overrides, &mut problems).unwrap();
        let from = link(&file, &mut problems);
        if problems.is_empty() { Ok(from) } else { Err(problems.into_iter().map(|problem| problem.message).collect()) }
    }

    const TOOLSET: &str = "toolset path = \"mobile\"";

    #[test]
    fn stages_are_linear_unless_they_say_otherwise() {
        let stages = [
            TOOLSET,
            "perfect_queries",
            "select_parameters from = [\"toolset\"]",
            "imperfect_queries",
            "script from = [\"perfect_queries\", \"imperfect_queries\"]",
            "candidates",
        ];
        let from = linked("", &stages).unwrap();
        assert_eq!(from, [vec![], vec![0], vec![0], vec![2], vec![1, 3], vec![4]]);
        assert_eq!(emitted(&from), [5]);
    }

    #[test]
    fn kinds_that_do_not_fit_are_named_at_both_ends() {
        let messages = linked("", &[TOOLSET, "candidates"]).unwrap_err();
        assert_eq!(
            messages,
            ["stage `candidates` takes queries or questions or complex queries, but stage `toolset` yields tools"]
        );
    }

    #[test]
    fn names_are_unique_and_point_upwards() {
        let twice = linked("", &[TOOLSET, "perfect_queries", "script", "script", "candidates"]).unwrap_err();
        assert_eq!(twice, ["duplicate stage name `script`"]);
        let down = linked("", &[TOOLSET, "perfect_queries from = [\"candidates\"]", "candidates"]).unwrap_err();
        assert_eq!(down, ["stage `perfect_queries` reads from `candidates`, which comes after it"]);
        let own = linked("", &[TOOLSET, "perfect_queries from = [\"perfect_queries\"]"]).unwrap_err();
        assert_eq!(own, ["stage `perfect_queries` reads from itself"]);
        let nobody = linked("", &[TOOLSET, "perfect_queries from = [\"x\", \"toolset\", \"toolset\"]"]).unwrap_err();
        assert_eq!(nobody.len(), 2, "{nobody:?}");
    }

    #[test]
    fn a_source_reads_from_nobody_and_comes_first() {
        assert!(linked("", &["normalise"]).unwrap_err()[0].starts_with("the first stage must be a source"));
        let messages = linked("", &["toolkits", "toolset path = \"a\"\nfrom = [\"toolkits\"]"]).unwrap_err();
        assert_eq!(messages, ["stage `toolset` is a source and cannot read from another stage"]);
    }

    #[test]
    fn what_nobody_reads_must_be_worth_writing() {
        assert_eq!(linked("", &[TOOLSET]).unwrap_err(), ["no stage reads the tools of stage `toolset`"]);
        assert!(linked("", &["toolkits", "normalise"]).is_ok());
        assert!(linked("", &["toolkits", "normalise", "perfect_queries"]).is_ok());
        assert!(linked("", &["toolkits", "select_parameters"]).is_err());
        assert!(linked("", &["generate prompt = \"p\"\ncount = 1"]).is_ok());
    }

    #[test]
    fn the_format_says_what_it_is_made_of() {
        let messages = linked("[pipeline]\nformat = \"hammerbench\"", &["toolkits"]).unwrap_err();
        assert_eq!(
            messages,
            [
                "stage `toolkits` yields tools, but `format = \"hammerbench\"` in `[pipeline]` requires samples or dialogues"
            ]
        );
        assert!(linked("[pipeline]\nformat = \"toolset\"", &["toolkits"]).is_ok());
    }

    #[test]
    fn a_stage_that_could_not_be_read_causes_no_further_faults() {
        assert_eq!(linked("", &[TOOLSET, "nonsense", "candidates"]).unwrap_err(), ["unknown kind `nonsense`"]);
        assert_eq!(linked("", &["nonsense", "candidates"]).unwrap_err(), ["unknown kind `nonsense`"]);
    }
}
