//! Reads queries into calls, and answers the yes-or-no questions of the gates.

use super::Grammar;
use super::read::{Learned, Reader, ToolReader, learn, pertinent, read_dialogue, split_name, turns_of};
use crate::llm::{
    CallVariables, DialoguesVariables, JudgeQuestionVariables, JudgeVariables, JudgedCall, ServeVariables,
};
use crate::locale::{Reading, Stand, value_stands};
use crate::record::{FunctionCall, PLACEHOLDER, Tool, Value};
use serde_json::json;
use std::sync::Arc;

impl Grammar {
    /// The call that a query asks for, or a whole conversation; `None` where no tool can serve it (appendix D).
    pub(super) fn read_call(&self, variables: &CallVariables) -> Option<FunctionCall> {
        let learned = variables.example.as_ref().map_or_else(Learned::new, |example| {
            learn(&self.reader().text(&example.query), &example.call, &self.pack.reading)
        });
        let tools: Vec<Arc<ToolReader>> = variables.tools.iter().map(|tool| self.tool_reader(tool)).collect();
        match turns_of(&variables.query) {
            Some(turns) => read_dialogue(self.reader(), &tools, &turns, &learned),
            None => self.reader().call(&pertinent(&variables.query), &tools, &learned),
        }
    }

    /// The calls that dialogues ask for at their marked places.
    pub(super) fn calls_of_dialogues(&self, variables: &DialoguesVariables) -> String {
        let mut calls = Vec::new();
        for dialogue in &variables.dialogues {
            let said: Vec<String> = dialogue.lines.iter().map(|it| format!("{}:{}", it.speaker, it.text)).collect();
            let read = |query: String| {
                let (tools, example) = (variables.tools.clone(), variables.example.clone());
                self.read_call(&CallVariables { query, tools, example, ..CallVariables::default() })
            };
            let mut before: Option<FunctionCall> = None;
            for (at, line) in dialogue.lines.iter().enumerate().filter(|(_, line)| line.speaker == "user") {
                let mut found = read(said[..=at].join("\n"));
                // Words that add nothing to what was wanted before are a request of their own, or none.
                if found.is_some() && found == before {
                    found = read(line.text.clone());
                } else {
                    before.clone_from(&found);
                }
                if !line.point.is_empty() {
                    let call =
                        found.unwrap_or_else(|| FunctionCall { name: variables.refusal.clone(), ..Default::default() });
                    calls.push(json!({"point": line.point, "name": call.name, "parameters": call.arguments}));
                }
            }
        }
        json!({"calls": calls, "senseless": []}).to_string()
    }

    /// Whether a tool can serve a query (E.5).
    pub(super) fn can_serve(&self, variables: &ServeVariables) -> bool {
        let reader = self.reader();
        let text = reader.text(&variables.query);
        reader.read(&text, &self.tool_reader(&variables.tool), &Learned::new()).0.serves()
    }

    /// Whether two calls say the same (E.4): the same parameters, and values alike but for form.
    pub(super) fn judge_call(&self, variables: &JudgeVariables) -> bool {
        let (label, output) = (&variables.label, &variables.output);
        let reading = &self.pack.reading;
        let same = |name: &String, value| output.get(name).is_some_and(|other| alike(name, value, other, reading));
        label.len() == output.len() && label.iter().all(|(name, value)| same(name, value))
    }

    /// Whether a question says every settled value of the calls; whether it asks for them is more than words can tell.
    pub(super) fn judge_question(&self, variables: &JudgeQuestionVariables) -> bool {
        let Some(language) = &self.language else { return true };
        let says = |judged: &JudgedCall, name: &String, value: &Value| {
            let kind = judged.tool.kinds.get(name).map(String::as_str);
            let stand = Stand { kind, ..Stand::default() };
            value.as_str() == Some(PLACEHOLDER) || value_stands(&variables.question, value, &stand, language).is_some()
        };
        let open = |judged: &JudgedCall, name: &String| {
            // Listed values and worked-out ones are said in other words.
            judged.tool.wordings.contains_key(name)
                || judged.call.arguments.get(name).is_some_and(|it| it.as_str().is_none())
        };
        let sound = |judged: &JudgedCall| {
            judged.call.arguments.iter().all(|(name, value)| open(judged, name) || says(judged, name, value))
        };
        variables.calls.iter().all(sound)
    }

    pub(super) fn reader(&self) -> Reader<'_> {
        Reader { pack: &self.pack, recogniser: &self.recogniser, language: self.language.as_ref() }
    }

    pub(super) fn tool_reader(&self, tool: &Tool) -> Arc<ToolReader> {
        self.readers.get(&tool.name, || ToolReader::new(tool, &self.pack, &self.recogniser))
    }
}

/// Equal, or equal but for case, spaces, punctuation, a plural's ending, and words that only say what the parameter is:
/// `the kitchen lamp` is the lamp `kitchen`.
fn alike(name: &str, one: &Value, other: &Value, reading: &Reading) -> bool {
    let own: Vec<String> = split_name(name).iter().map(|part| reading.stem(part).to_owned()).collect();
    let plain = |value: &Value, bare: bool| {
        let text = value.as_str().map_or_else(|| serde_json::to_string(value).unwrap_or_default(), str::to_lowercase);
        let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        let said = words.filter(|word| {
            let determiner = reading.determiners.iter().any(|it| it == word);
            !bare || !(determiner || own.iter().any(|stem| stem == reading.stem(word)))
        });
        let letters: String = said.collect();
        letters.strip_suffix('s').map(str::to_owned).unwrap_or(letters)
    };
    let bare = plain(one, true);
    one == other || plain(one, false) == plain(other, false) || !bare.is_empty() && bare == plain(other, true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{CallExample, Common};
    use crate::locale::Pack;
    use crate::record::Object;
    use crate::toolset::Toolset;

    fn grammar(toolset: &Toolset) -> Grammar {
        let mut pack = Pack::load(crate::fixtures::assets(), "en").unwrap();
        toolset.extend(&mut pack).unwrap();
        Grammar::new(Arc::new(pack), 7)
    }

    fn call(toolset: &Toolset, query: &str, tools: &[&str], example: Option<CallExample>) -> Option<String> {
        let tools = tools.iter().map(|name| toolset.tool(name).unwrap().clone()).collect();
        let variables = CallVariables {
            common: Common::default(),
            query: query.to_owned(),
            tools,
            example,
            refusal: String::new(),
            reference_time: None,
        };
        grammar(toolset).read_call(&variables).map(|call| serde_json::to_string(&call).unwrap())
    }

    #[test]
    fn the_fitting_tool_is_called_and_a_stranger_refused() {
        let toolset = crate::fixtures::toolset("mobile", "en");
        let tools = [
            "UtilityTools.AlarmClock.deleteAlarm",
            "UtilityTools.AlarmClock.addAlarm",
            "Communication.Messages.sendMessage",
        ];
        let expected = r#"{"name":"UtilityTools.AlarmClock.deleteAlarm","arguments":{"time":"7:30 am"}}"#;
        assert_eq!(call(&toolset, "scrap the alarm at 7:30 am", &tools, None).as_deref(), Some(expected));
        assert_eq!(call(&toolset, "how deep is the ocean", &tools, None), None);
    }

    #[test]
    fn judging_looks_past_form_but_not_past_values() {
        let object = |json: &str| serde_json::from_str::<Object>(json).unwrap();
        let judge = |label: &str, output: &str| {
            let common = Common::default();
            grammar(&Toolset::default()).judge_call(&JudgeVariables {
                common,
                query: String::new(),
                label: object(label),
                output: object(output),
            })
        };
        assert!(judge(r#"{"a": "office"}"#, r#"{"a": "Offices"}"#));
        assert!(!judge(r#"{"a": "office"}"#, r#"{"a": "home"}"#));
        assert!(!judge(r#"{"a": "office"}"#, r#"{"a": "office", "b": 1}"#));
        assert!(judge("{}", "{}"));
        assert!(judge(r#"{"lamp": "desk"}"#, r#"{"lamp": "the desk lamp"}"#));
        assert!(!judge(r#"{"lamp": "desk"}"#, r#"{"lamp": "lamp"}"#));
    }
}
