//! Looks over what a toolset says its tools answer, and how assistants tell it.

use crate::gate::check_told;
use crate::llm::{Common, TellVariables};
use crate::locale::{Language, Pack};
use crate::model::{Grammar, draw_arguments};
use crate::record::{Chance, FunctionCall, Object, Phrases, Tool, Value};
use crate::toolset::{Finding, Goal, Toolset};
use crate::world::{CallFault, Worlds};
use std::sync::Arc;

/// How many calls of each tool are looked at.
const CALLS: u32 = 16;

/// What is wrong with the answers of tools that have a world beside them, and with the sentences for them: a call that
/// is refused, a field that is never told, a figure that nobody gave.
pub fn tell_faults(toolset: &Toolset, pack: &Arc<Pack>) -> Vec<Finding> {
    let looked = |teller: &Teller<'_>| {
        let tools = toolset.tools.iter().filter_map(|tool| Some((tool, toolset.phrases.get(&tool.name)?)));
        tools.flat_map(|(tool, phrases)| teller.faults(tool, phrases)).collect()
    };
    Teller::new(toolset, pack).map_or_else(Vec::new, |teller| looked(&teller))
}

/// What is wrong with the goals of a toolset: a call that is refused or finds nothing to go on with, a field that is never
/// told, a figure that nobody gave.
pub fn goal_faults(toolset: &Toolset, pack: &Arc<Pack>) -> Vec<Finding> {
    let Some(teller) = Teller::new(toolset, pack) else { return Vec::new() };
    toolset.goals.values().flat_map(|goal| teller.goal_faults(goal)).collect()
}

/// Calls of a tool with their answers and what is told of them, `n` for each tool whose name begins with `prefix`.
pub fn tell_preview(toolset: &Toolset, pack: &Arc<Pack>, prefix: &str, n: u32) -> Vec<String> {
    let Some(teller) = Teller::new(toolset, pack) else { return Vec::new() };
    let mut lines = Vec::new();
    for tool in toolset.tools.iter().filter(|tool| tool.name.starts_with(prefix)) {
        let Some(phrases) = toolset.phrases.get(&tool.name) else { continue };
        lines.push(format!("# {}", tool.name));
        for draw in 0..n {
            let call = teller.call(tool, draw);
            let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
            lines.push(match teller.answer(&call) {
                Ok(answer) => {
                    format!("  {arguments} -> {answer}\n    {}", teller.tell(tool, phrases, &call, &answer, draw))
                }
                Err(fault) => format!("  {arguments} -> {fault}"),
            });
        }
    }
    lines
}

/// The world and the words of a toolset whose tools have both.
struct Teller<'a> {
    pack: &'a Arc<Pack>,
    language: Arc<Language>,
    grammar: Grammar,
    worlds: Worlds,
}

impl<'a> Teller<'a> {
    fn new(toolset: &Toolset, pack: &'a Arc<Pack>) -> Option<Self> {
        if toolset.world.is_none() || (toolset.phrases.is_empty() && toolset.goals.is_empty()) {
            return None;
        }
        let worlds = Worlds::new(toolset, pack, 7).ok()?;
        Some(Self { pack, language: pack.language.clone()?, grammar: Grammar::new(pack.clone(), 7), worlds })
    }

    fn faults(&self, tool: &Arc<Tool>, phrases: &Arc<Phrases>) -> Vec<Finding> {
        // What takes an earlier answer is looked at where a goal gives it one.
        if !tool.from.is_empty() {
            return Vec::new();
        }
        let mut findings: Vec<Finding> = Vec::new();
        let mut find = |message: String| {
            if findings.iter().all(|it| it.message != message) {
                findings.push(Finding::error(&tool.name, message));
            }
        };
        if phrases.tells.iter().map(|telling| telling.say.len()).sum::<usize>() < 2 {
            find("has fewer than two sentences that tell its answer".to_owned());
        }
        for draw in 0..CALLS {
            let call = self.call(tool, draw);
            match self.answer(&call) {
                Err(fault) => find(format!("a call is refused: {fault}")),
                Ok(answer) => {
                    for field in phrases.answers.iter().filter(|field| answer.at_path(field).is_none()) {
                        find(format!("the answer has no `{field}`, which is to be told"));
                    }
                    let text = self.tell(tool, phrases, &call, &answer, draw);
                    let told = check_told(&text, &answer, &call.arguments, &phrases.answers, &self.language);
                    if let Err(fault) = told {
                        find(format!("`{text}`: {}", fault.detail));
                    }
                }
            }
        }
        findings
    }

    fn goal_faults(&self, goal: &Goal) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        let mut find = |message: String| {
            if findings.iter().all(|it| it.message != message) {
                findings.push(Finding::error(&goal.tool.name, message));
            }
        };
        for draw in 0..CALLS {
            let said = self.call(&goal.tool, draw);
            match self.walk(goal, &said.arguments) {
                Err(fault) => find(fault),
                Ok(answers) => {
                    for field in goal.phrases.answers.iter().filter(|field| answers.at_path(field).is_none()) {
                        find(format!("the answers have no `{field}`, which is to be told"));
                    }
                    let text = self.tell(&goal.tool, &goal.phrases, &said, &answers, draw);
                    let must_tell = &goal.phrases.answers;
                    if let Err(fault) = check_told(&text, &answers, &said.arguments, must_tell, &self.language) {
                        find(format!("`{text}`: {}", fault.detail));
                    }
                }
            }
        }
        findings
    }

    /// The answers of a goal's calls, by step.
    fn walk(&self, goal: &Goal, said: &Object) -> Result<Value, String> {
        let mut session = self.worlds.session();
        let mut answers = Value::Object(Object::new());
        for call in &goal.calls {
            let missing = || format!("`{}` is not called: an earlier answer does not hold what it takes", call.tool);
            let arguments = goal.arguments(call, said, &answers).ok_or_else(missing)?;
            let refused = |fault: CallFault| format!("`{}` is refused: {fault}", call.tool);
            let answer = session.call(&call.tool, &arguments).map_err(refused)?;
            if let Value::Object(steps) = &mut answers {
                steps.insert(call.step.clone(), answer);
            }
        }
        Ok(answers)
    }

    /// A call with everything required, and now and then with what is optional.
    fn call(&self, tool: &Tool, draw: u32) -> FunctionCall {
        let mut chance = Chance::new(7, "telling", &tool.name, draw);
        let wanted = |name: &&String| tool.parameters.required.contains(name) || draw % 3 == 2;
        let names: Vec<String> = tool.parameters.properties.keys().filter(wanted).cloned().collect();
        let arguments = draw_arguments(self.pack, tool, &names, &mut chance);
        let arguments = arguments.into_iter().map(|(name, drawn)| (name, drawn.value)).collect();
        FunctionCall { name: tool.name.clone(), arguments }
    }

    fn answer(&self, call: &FunctionCall) -> Result<Value, CallFault> {
        self.worlds.session().call(&call.name, &call.arguments)
    }

    fn tell(&self, tool: &Arc<Tool>, phrases: &Arc<Phrases>, call: &FunctionCall, answer: &Value, draw: u32) -> String {
        let variables = TellVariables {
            common: Common::default(),
            tool: tool.clone(),
            history: String::new(),
            call: call.clone(),
            answer: answer.clone(),
            must_tell: phrases.answers.clone(),
            phrases: Some(phrases.clone()),
        };
        self.grammar.tell_answer(&variables, &mut Chance::new(7, "tell", &tool.name, draw))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked_at(world: &str, tells: &str) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            std::fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
            std::fs::write(folder.path().join(path), text).unwrap();
        };
        write(
            "tools/tip.toml",
            "[workOutTip]\nanswers = [\"tip\"]\n[workOutTip.parameters]\nbill = { type = \"integer\", kind = \"amount\" }\n",
        );
        write("world/tip.toml", &format!("[functions.workOutTip]\ngive = {{ {world} }}\n"));
        let text = "title = \"Tips\"\nwanted = \"tips\"\n[workOutTip]\ndescription = \"Works a tip out\"\n";
        let slot = "[workOutTip.parameters.bill]\ndescription = \"The bill\"\nlabel = \"the bill\"\nclauses = [\"for {bill}\", \"of {bill}\"]\n";
        write("en/tip.toml", &format!("{text}tells = [{tells}]\n{slot}"));
        let toolset = Toolset::load(crate::fixtures::assets(), folder.path().to_str().unwrap(), "en").unwrap();
        let pack = crate::fixtures::pack("en");
        let findings = tell_faults(&toolset, &pack).into_iter().map(|it| it.message).collect();
        (findings, tell_preview(&toolset, &pack, "work", 2))
    }

    #[test]
    fn sound_answers_are_told_without_a_finding() {
        let (findings, lines) = looked_at("tip = \"bill * 0.1\"", "\"The tip is {tip}.\", \"For {bill} it is {tip}.\"");
        assert_eq!((findings, lines.len()), (Vec::<String>::new(), 3));
        assert!(lines[1].contains("-> {\"tip\":") && lines[1].contains("{\"bill\":"), "{lines:?}");
    }

    #[test]
    fn what_is_not_told_or_not_known_is_found() {
        let (findings, _) = looked_at("tip = \"bill * 0.1\"", "\"The tip is {bill}.\"");
        assert_eq!(findings[0], "has fewer than two sentences that tell its answer");
        assert!(findings[1].contains("`tip` is to be told"), "{findings:?}");
        let (findings, _) = looked_at("sum = \"bill\"", "\"That is 5 percent.\", \"5 percent.\"");
        assert!(findings.contains(&"the answer has no `tip`, which is to be told".to_owned()), "{findings:?}");
        assert!(findings.iter().any(|it| it.contains("`5` is in neither the answer nor the call")), "{findings:?}");
    }

    #[test]
    fn a_goal_walks_through_its_calls() {
        let goal = |with: &str, tells: &str| {
            let folder = tempfile::tempdir().unwrap();
            let write = |path: &str, text: &str| {
                std::fs::create_dir_all(folder.path().join(path).parent().unwrap()).unwrap();
                std::fs::write(folder.path().join(path), text).unwrap();
            };
            write(
                "tools/tea.toml",
                "[Tea_find]\n[Tea_find.parameters]\ncity = { kind = \"city\" }\n[Tea_order]\nacts = true\n[Tea_order.parameters]\ntea_id = { from = [\"Tea_find: teas.id\"] }\n",
            );
            write(
                "world/tea.toml",
                "[functions.Tea_find]\ngive = { teas = [{ id = \"'T1'\", price = 4 }] }\n[functions.Tea_order]\ngive = { number = \"'N-' ~ tea_id\" }\n",
            );
            write(
                "en/tea.toml",
                "title = \"T\"\nwanted = \"w\"\n[Tea_find]\ndescription = \"Finds tea\"\n[Tea_find.parameters.city]\ndescription = \"City\"\nlabel = \"the city\"\n[Tea_order]\ndescription = \"Orders tea\"\n[Tea_order.parameters.tea_id]\ndescription = \"Tea\"\nlabel = \"the tea\"\n",
            );
            write(
                "goals/tea.toml",
                &format!(
                    "[orderTea]\nanswers = [\"done.number\"]\ncalls = [{{ call = \"Tea_find\", as = \"found\", with = {{ city = \"city\" }} }}, {{ call = \"Tea_order\", as = \"done\", with = {{ tea_id = \"{with}\" }} }}]\n[orderTea.parameters]\ncity = {{ kind = \"city\" }}\n"
                ),
            );
            write(
                "en/goals/tea.toml",
                &format!(
                    "[orderTea]\ndescription = \"Orders tea\"\ntells = [\"{tells}\"]\n[orderTea.parameters.city]\ndescription = \"City\"\nlabel = \"the city\"\n"
                ),
            );
            let toolset = Toolset::load(crate::fixtures::assets(), folder.path().to_str().unwrap(), "en").unwrap();
            assert!(toolset.tool("Tea_order").unwrap().acts && toolset.goals.len() == 1);
            goal_faults(&toolset, &crate::fixtures::pack("en"))
        };
        let messages = |with, tells| goal(with, tells).into_iter().map(|it| it.message).collect::<Vec<_>>();
        assert_eq!(
            messages("found.teas.id", "Ordered under {done.number} for {found.teas.price} dollars."),
            Vec::<String>::new()
        );
        assert_eq!(
            messages("found.teas.name", "It is {done.number}.")[0],
            "`Tea_order` is not called: an earlier answer does not hold what it takes"
        );
        assert!(messages("found.teas.id", "Done for 7 dollars.")[0].contains("`done.number` is to be told"));
    }

    #[test]
    fn toolsets_without_answers_or_without_words_have_nothing_to_tell() {
        for path in ["mobile", "tests/fixtures/toolsets/inn"] {
            let toolset = crate::fixtures::toolset(path, "en");
            let pack = crate::fixtures::pack("en");
            assert!(
                tell_faults(&toolset, &pack).is_empty() && tell_preview(&toolset, &pack, "", 1).is_empty(),
                "{path}"
            );
        }
    }
}
