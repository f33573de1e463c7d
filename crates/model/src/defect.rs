//! Commits the faults that other models commit, each recorded where no gate looks.

use super::Grammar;
use super::write::Written;
use crate::llm::{Request, WriteVariables};
use crate::record::{Chance, Value};
use crate::values::arguments::draw_argument;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A defect injected by the built-in generator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Defect {
    /// Stage that sent the request.
    pub stage: String,
    /// Item of the request.
    pub item: String,
    /// The draw.
    pub draw: u32,
    /// Kind of defect.
    pub kind: DefectKind,
}

/// Kinds of defects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DefectKind {
    /// An argument that the query gives is missing from the label.
    MissingParameter,
    /// The label has an argument that was not requested.
    InventedParameter,
    /// A value of the label differs from the query.
    DriftedValue,
    /// The label is not JSON.
    BrokenJson,
    /// The query is in another language.
    WrongLanguage,
    /// The reply is a refusal.
    Refusal,
    /// The reply copies the example of the prompt.
    CopiedExample,
    /// The label contains the same call twice.
    DuplicatedCall,
    /// The query asks for something that the tool does not do.
    WrongFunction,
}

const KINDS: [DefectKind; 9] = [
    DefectKind::MissingParameter,
    DefectKind::InventedParameter,
    DefectKind::DriftedValue,
    DefectKind::BrokenJson,
    DefectKind::WrongLanguage,
    DefectKind::Refusal,
    DefectKind::CopiedExample,
    DefectKind::DuplicatedCall,
    DefectKind::WrongFunction,
];

impl Grammar {
    /// The reply's text, spoilt as often as `defect_rate` says.
    pub(super) fn written_text(
        &self,
        request: &Request,
        variables: &WriteVariables,
        written: Written,
        chance: &mut Chance,
    ) -> String {
        if self.defect_rate <= 0.0 || !chance.happens(self.defect_rate) {
            return numbered(&label(&written), &written.query);
        }
        let kind = KINDS[chance.below(KINDS.len())];
        let (kind, text) = self.spoil(kind, variables, written, chance);
        self.sidecar.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(Defect {
            stage: request.stage.to_string(),
            item: request.item.to_string(),
            draw: request.draw,
            kind,
        });
        text
    }

    fn spoil(
        &self,
        kind: DefectKind,
        variables: &WriteVariables,
        mut written: Written,
        chance: &mut Chance,
    ) -> (DefectKind, String) {
        let strays = &self.pack.strays;
        let stray = |texts: &[String], chance: &mut Chance| chance.pick(texts).cloned().unwrap_or_default();
        let needs_value = matches!(kind, DefectKind::MissingParameter | DefectKind::DriftedValue);
        match kind {
            // Without an argument there is none to lose or to change.
            _ if needs_value && written.arguments.is_empty() => {
                self.spoil(DefectKind::BrokenJson, variables, written, chance)
            }
            DefectKind::MissingParameter => {
                let lost = chance.below(written.arguments.len());
                written.arguments.shift_remove_index(lost);
                (kind, numbered(&label(&written), &written.query))
            }
            DefectKind::InventedParameter => {
                self.invent(variables, &mut written, chance);
                (kind, numbered(&label(&written), &written.query))
            }
            DefectKind::DriftedValue => {
                self.drift(variables, &mut written, chance);
                (kind, numbered(&label(&written), &written.query))
            }
            DefectKind::BrokenJson => {
                let whole = label(&written);
                let broken = whole.strip_suffix('}').unwrap_or(&whole).to_owned();
                (kind, numbered(&format!("{broken},"), &written.query))
            }
            DefectKind::WrongLanguage => (kind, numbered(&label(&written), &stray(&strays.foreign, chance))),
            DefectKind::Refusal => (kind, stray(&strays.refusals, chance)),
            DefectKind::CopiedExample => (kind, numbered(&label(&written), &stray(&strays.copied, chance))),
            DefectKind::DuplicatedCall => {
                let label = label(&written);
                (kind, numbered(&format!("[{label}, {label}]"), &written.query))
            }
            DefectKind::WrongFunction => (kind, numbered(&label(&written), &self.stray_request(&written, chance))),
        }
    }

    /// Adds a parameter that was not asked for: a declared one where there is one left, else an unheard-of one.
    fn invent(&self, variables: &WriteVariables, written: &mut Written, chance: &mut Chance) {
        let tool = &variables.tool;
        let left: Vec<&String> =
            tool.parameters.properties.keys().filter(|name| !written.arguments.contains_key(*name)).collect();
        match chance.pick(&left) {
            Some(name) => {
                let drawn = draw_argument(&self.pack, tool, name, &tool.parameters.properties[*name], chance);
                written.arguments.insert((*name).clone(), drawn.value);
            }
            None => drop(written.arguments.insert("extra".to_owned(), Value::Bool(true))),
        }
    }

    /// Replaces one value by another of its kind.
    fn drift(&self, variables: &WriteVariables, written: &mut Written, chance: &mut Chance) {
        let at = chance.below(written.arguments.len());
        let Some((name, value)) = written.arguments.get_index_mut(at) else { return };
        let Some(parameter) = variables.tool.parameters.properties.get(name) else { return };
        for _ in 0..16 {
            let drawn = draw_argument(&self.pack, &variables.tool, name, parameter, chance);
            let said =
                written.query.to_lowercase().contains(&drawn.surface.to_lowercase()) && !drawn.surface.is_empty();
            if drawn.value != *value && !said {
                *value = drawn.value;
                return;
            }
        }
    }

    /// A request for something else that names the same values, so that only its meaning gives it away.
    fn stray_request(&self, written: &Written, chance: &mut Chance) -> String {
        let values = written.arguments.values().filter_map(|value| value.as_str().map(str::to_owned));
        let request = chance.pick(&self.pack.strays.requests).cloned().unwrap_or_default();
        std::iter::once(request).chain(values).collect::<Vec<_>>().join(", ")
    }
}

/// The label as JSON text.
pub(super) fn label(written: &Written) -> String {
    serde_json::to_string(&written.arguments).unwrap_or_default()
}

/// The text format of E.2: one numbered line.
pub(super) fn numbered(label: &str, query: &str) -> String {
    format!("1. Parameters: ```json{label}```. <user0>{query}<user1>")
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::llm::tasks::read_written;
    use crate::llm::{Common, Task, Variables, WrittenQuery};
    use crate::locale::Pack;
    use crate::toolset::Toolset;
    use std::collections::BTreeMap;
    use std::sync::Arc;

    const ALARM: &str = "UtilityTools.AlarmClock.addAlarm";

    fn grammar(rate: f64) -> Grammar {
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        Toolset::load(crate::fixtures::assets(), "mobile", "en").unwrap().extend(&mut pack).unwrap();
        Grammar::new(Arc::new(pack), 7).with_defects(rate)
    }

    /// A query of a tool is wanted that mentions its first so many parameters.
    fn variables(count: usize) -> Arc<Variables> {
        let toolset = crate::fixtures::toolset("mobile", "en");
        let tool = toolset.tool(ALARM).unwrap().clone();
        Arc::new(Variables::WriteQuery(WriteVariables {
            common: Common::default(),
            must_include: tool.parameters.properties.keys().take(count).cloned().collect(),
            tool,
            style: "plain".to_owned(),
            manner: String::new(),
            phrases: toolset.phrases.get(ALARM).cloned(),
            ..WriteVariables::default()
        }))
    }

    fn request(variables: &Arc<Variables>, draw: u32) -> Request {
        let variables = variables.clone();
        Request::new(Task::WriteQuery, "judge", "a", draw, variables)
    }

    /// Each kind with a reply that commits it, and what an honest model would have written in its place.
    fn committed(count: usize, draws: u32) -> BTreeMap<DefectKind, Vec<(String, WrittenQuery)>> {
        let (faulty, honest, variables) = (grammar(1.0), grammar(0.0), variables(count));
        let mut all: BTreeMap<DefectKind, Vec<(String, WrittenQuery)>> = BTreeMap::new();
        for draw in 0..draws {
            let asked = request(&variables, draw);
            let (text, wanted) = (faulty.reply(&asked).text, read_written(&honest.reply(&asked).text).unwrap().0);
            let defect = faulty.defects().pop().unwrap();
            assert_eq!((defect.draw, defect.item.as_str(), defect.stage.as_str()), (draw, "a", "judge"));
            all.entry(defect.kind).or_default().push((text, wanted));
        }
        assert!(honest.defects().is_empty());
        all
    }

    /// Whether a reply does what the kind's name says to what was wanted, and nothing else.
    fn commits(kind: DefectKind, text: &str, wanted: &WrittenQuery) -> bool {
        let read = read_written(text).map(|(written, _)| written).map_err(|error| error.reason);
        match (kind, read) {
            (DefectKind::BrokenJson, read) => read == Err("bad_parameters"),
            (DefectKind::Refusal, read) => read == Err("no_query"),
            (DefectKind::DuplicatedCall, _) => {
                text.matches(&serde_json::to_string(&wanted.parameters).unwrap()).count() == 2
            }
            (DefectKind::WrongLanguage | DefectKind::CopiedExample | DefectKind::WrongFunction, Ok(it)) => {
                it.query != wanted.query && it.parameters == wanted.parameters
            }
            (_, Ok(it)) if it.query != wanted.query => false,
            (DefectKind::MissingParameter, Ok(it)) => it.parameters.len() + 1 == wanted.parameters.len(),
            (DefectKind::InventedParameter, Ok(it)) => it.parameters.len() == wanted.parameters.len() + 1,
            (DefectKind::DriftedValue, Ok(it)) => {
                it.parameters.keys().eq(wanted.parameters.keys()) && it.parameters != wanted.parameters
            }
            (_, Err(_)) => false,
        }
    }

    #[test]
    fn every_kind_of_fault_is_what_its_name_says() {
        let all = committed(2, 120);
        assert!(KINDS.iter().all(|kind| all.contains_key(kind)), "{:?}", all.keys());
        for (kind, replies) in all {
            for (text, wanted) in replies {
                assert!(commits(kind, &text, &wanted), "{kind:?}: {text}\nwanted {wanted:?}");
            }
        }
    }

    #[test]
    fn where_nothing_is_said_nothing_can_be_lost_or_changed() {
        let all = committed(0, 60);
        assert!(!all.contains_key(&DefectKind::MissingParameter) && !all.contains_key(&DefectKind::DriftedValue));
        assert!(all.contains_key(&DefectKind::BrokenJson) && all.contains_key(&DefectKind::InventedParameter));
    }

    #[test]
    fn faults_come_as_often_as_they_are_wanted_and_are_the_same_again() {
        let (one, other, variables) = (grammar(0.25), grammar(0.25), variables(1));
        for draw in 0..200 {
            let asked = request(&variables, draw);
            assert_eq!(one.reply(&asked), other.reply(&asked));
        }
        assert_eq!(one.defects(), other.defects());
        assert!((30..70).contains(&one.defects().len()), "{}", one.defects().len());
    }
}
