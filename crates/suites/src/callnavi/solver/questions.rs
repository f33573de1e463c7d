//! The questions about one sample, as requests.

use super::plan::{Goal, Plan, STOP, answer_schema};
use crate::callnavi::layout::{Api, domain};
use crate::failure::RunStopped;
use crate::llm::{Common, Reply, Request, RouteCallsVariables, RouteVariables, Task, Variables};
use crate::predict::locales::Ground;
use crate::predict::render::render;
use crate::predict::snapshots::Mode;
use crate::record::{Message, PLACEHOLDER, Role, Sample, Tool};
use crate::text::without_thought;
use std::collections::BTreeMap;
use std::sync::Arc;

/// APIs as the authors' files have them, by domain and name.
pub type Declared = BTreeMap<String, BTreeMap<String, serde_json::Value>>;

/// One sample, and how it is asked about.
pub(super) struct Questions<'a> {
    pub plan: Plan,
    pub sample: &'a Sample,
    pub run: u32,
    pub ground: &'a Ground,
    pub declared: &'a Declared,
}

impl Questions<'_> {
    /// The question for names alone.
    pub(super) fn route(&self) -> Result<Request, RunStopped> {
        let tools = shown(&self.sample.candidates);
        let variables = Variables::Route(RouteVariables {
            common: self.ground.common.clone(),
            query: self.sample.shown(),
            candidates: self.candidates(&tools),
            tools,
        });
        // What a router costs is counted apart from the model's own questions.
        let stage = if self.plan.goal == Goal::Routing { "predict" } else { "router" };
        self.request(Task::Route, stage, variables, "route")
    }

    /// The question for calls to some of the candidates.
    pub(super) fn calls(&self, candidates: &[Arc<Tool>]) -> Result<Request, RunStopped> {
        let tools = shown(candidates);
        let native = self.plan.mode == Mode::Tools;
        let variables = self.call_variables(&tools, None);
        let folder = if native { "route_tools" } else { "route_calls" };
        let mut request = self.request(Task::RouteCalls, "predict", variables, folder)?;
        request.schema = self.plan.structured.then(|| Arc::new(answer_schema(&tools)));
        if native {
            (request.history, request.user) = (self.sample.messages.clone(), String::new());
            request.tools = tools;
        }
        Ok(request)
    }

    /// The next question of a dialogue that goes backwards.
    pub(super) fn backward(&self, said: &[Reply]) -> Result<Request, RunStopped> {
        let mut request = self.round(said.len())?;
        // The built-in model reads variables, and no dialogue.
        for (round, reply) in said.iter().enumerate().filter(|_| self.plan.mode != Mode::BuiltIn) {
            request.history.push(Message::user(self.round(round)?.user));
            request.history.push(Message::new(Role::Assistant, without_thought(&reply.text).trim()));
        }
        Ok(request)
    }

    fn round(&self, round: usize) -> Result<Request, RunStopped> {
        let round = u32::try_from(round).unwrap_or(u32::MAX);
        let variables = self.call_variables(&shown(&self.sample.candidates), Some(round));
        self.request(Task::RouteCalls, "predict", variables, "route_backward")
    }

    fn call_variables(&self, tools: &[Arc<Tool>], round: Option<u32>) -> Variables {
        let native = self.plan.mode == Mode::Tools;
        Variables::RouteCalls(RouteCallsVariables {
            common: Common { structured: self.plan.structured, ..self.ground.common.clone() },
            query: self.sample.shown(),
            tools: tools.to_vec(),
            candidates: if native { String::new() } else { self.candidates(tools) },
            answer: self.plan.answer,
            placeholder: PLACEHOLDER.to_owned(),
            round,
            stop: STOP.to_owned(),
        })
    }

    fn candidates(&self, tools: &[Arc<Tool>]) -> String {
        if self.plan.mode == Mode::BuiltIn { String::new() } else { render(tools, self.plan.candidates) }
    }

    /// The APIs that are shown, as the authors declare them.
    fn apis(&self, variables: &Variables) -> serde_json::Value {
        let tools = match variables {
            Variables::Route(variables) => &variables.tools,
            Variables::RouteCalls(variables) => &variables.tools,
            _ => return serde_json::Value::Null,
        };
        let domain = domain(self.sample);
        let declared = self.declared.get(domain);
        let api = |tool: &Arc<Tool>| {
            // The whole name, which an answer must bear.
            let api = || Api { name: tool.name.clone(), ..Api::of(tool, domain) };
            let found = declared.and_then(|apis| apis.get(&tool.name)).cloned();
            found.unwrap_or_else(|| serde_json::to_value(api()).unwrap_or_default())
        };
        tools.iter().map(api).collect()
    }

    fn request(
        &self,
        task: Task,
        stage: &str,
        variables: Variables,
        folder: &'static str,
    ) -> Result<Request, RunStopped> {
        let mut request = Request::new(task, stage, self.sample.id.as_str(), self.run, variables);
        if self.plan.mode != Mode::BuiltIn {
            let prompt = self.ground.named(folder)?;
            let mut fields = request.variables.fields();
            if prompt.is_exact() {
                fields["apis"] = self.apis(&request.variables);
            }
            let rendered = prompt.render(&fields);
            let rendered = rendered.map_err(|error| RunStopped::Input(error.to_string()))?;
            (request.system, request.user) = (rendered.system, rendered.user);
        }
        Ok(request)
    }
}

/// What a model may know of tools: value kinds and wordings are not that.
fn shown(tools: &[Arc<Tool>]) -> Vec<Arc<Tool>> {
    let bare = |tool: &Arc<Tool>| {
        // A hundred tools for each question are not copied without need.
        if tool.kinds.is_empty() && tool.wordings.is_empty() {
            return tool.clone();
        }
        let Tool { name, description, parameters, returns, .. } = Tool::clone(tool);
        Arc::new(Tool { name, description, parameters, returns, ..Tool::default() })
    };
    tools.iter().map(bare).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Approach, Goal};
    use super::*;
    use crate::llm::CallsFormat;
    use crate::predict::CandidateForm;
    use crate::predict::locales::Locales;
    use crate::predict::testing::question;

    fn ask<T>(plan: Plan, sample: &Sample, ask: impl FnOnce(&Questions<'_>) -> T) -> T {
        let ground = Locales::new(crate::fixtures::prompts()).get(&sample.locale).unwrap();
        ask(&Questions { plan, sample, run: 2, ground: &ground, declared: &Declared::new() })
    }

    fn route(plan: Plan) -> Request {
        let sample = question("a");
        ask(plan, &sample, |it| it.route().unwrap())
    }

    #[test]
    fn prompts_of_other_people_are_given_the_apis_as_their_files_have_them() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("callnavi")).unwrap();
        let prompt = "{% for api in apis %}{{ api | python_str }}\n{% endfor %}";
        std::fs::write(folder.path().join("callnavi/route.md"), prompt).unwrap();
        let sample = question("a");
        let locales = Locales::new(
            crate::llm::Prompts::read(crate::fixtures::assets(), folder.path(), &"callnavi".into()).unwrap(),
        );
        let ground = locales.get("en").unwrap();
        let own: serde_json::Value = serde_json::from_str(r#"{"returnParameter": "Card", "name": "getCard"}"#).unwrap();
        let apis = [("getCard".to_owned(), own)].into();
        let declared: Declared = [(domain(&sample).to_owned(), apis)].into();
        let questions =
            Questions { plan: Plan::default(), sample: &sample, run: 0, ground: &ground, declared: &declared };
        insta::assert_snapshot!(questions.route().unwrap().user, @"
        {'returnParameter': 'Card', 'name': 'getCard'}
        {'name': 'freezeCard', 'parameters': {'cardId': 'string'}, 'description': 'Blocks a card', 'returnParameter': {'cardId': 'string'}}
        {'name': 'listOffers', 'parameters': {}, 'description': 'Lists what is on offer', 'returnParameter': {}}
        ");
    }

    fn texts(request: &Request) -> String {
        let history = request.history.iter().map(|it| format!("{:?}: {}", it.role, it.content.as_deref().unwrap()));
        let system = request.system.clone().unwrap_or_default();
        [system].into_iter().chain(history).chain([request.user.clone()]).collect::<Vec<_>>().join("\n=====\n")
    }

    #[test]
    fn a_routing_is_asked_for_with_the_candidates_and_the_question() {
        let plan = Plan { goal: Goal::Routing, ..Plan::default() };
        let request = route(plan);
        insta::assert_snapshot!(texts(&request), @r#"
        You are given the APIs of a chatbot and a question of its user. Say which API has to be called, or which ones and in what order.

        The APIs:
        {"name":"getCard","description":"Returns a customer's latest card","parameters":{"customerId":{"type":"string","description":"The customer's identifier, such as CU##"}},"returns":{"cardId":"string"}}
        {"name":"freezeCard","description":"Blocks a card","parameters":{"cardId":{"type":"string","description":"The card's identifier, such as CA####"}},"returns":{"cardId":"string"}}
        {"name":"listOffers","description":"Lists what is on offer","parameters":{}}

        How to answer:
        - One line with nothing but the names of the APIs in brackets: ["theOnlyApi"] or ["firstApi", "secondApi"]
        - No explanation and no parameters.
        =====
        Which is my latest card? My number is CU77; then freeze it.
        "#);
        assert_eq!((request.task, &*request.stage, request.draw), (Task::Route, "predict", 2));
        assert_eq!(&*route(Plan::default()).stage, "router");
    }

    #[test]
    fn calls_are_asked_for_in_the_wanted_format() {
        let plan = Plan { candidates: CandidateForm::Signature, answer: CallsFormat::Yaml, ..Plan::default() };
        let sample = question("a");
        let request = ask(plan, &sample, |it| it.calls(&sample.candidates[..1])).unwrap();
        insta::assert_snapshot!(texts(&request), @r#"
        You are given the APIs of a chatbot and a question of its user. Say which APIs have to be called, in what order, and with which parameters.

        The APIs:
        getCard(customerId: string) -> {cardId: string} # Returns a customer's latest card | customerId: The customer's identifier, such as CU##

        How to answer:
        ```yaml
        API:
          - firstApi
          - secondApi
        parameters:
          - parameterOfTheFirst: "its value"
          - parameterOfTheSecond: "its value"
            anotherOfTheSecond: "its value"
        ```
        - Write YAML of this form.
        - A parameter whose value the question does not give is "$$$".
        - Only the YAML and no explanation or notes.
        =====
        Which is my latest card? My number is CU77; then freeze it.
        "#);
        assert!(request.schema.is_none() && request.tools.is_empty());
    }

    #[test]
    fn native_tools_go_beside_the_dialogue() {
        let sample = question("a");
        let plan = Plan { mode: Mode::Tools, ..Plan::default() };
        let request = ask(plan, &sample, |it| it.calls(&sample.candidates)).unwrap();
        assert_eq!((request.tools.len(), request.user.as_str()), (3, ""));
        assert_eq!(request.history, sample.messages);
        let system = request.system.unwrap();
        assert!(system.contains(PLACEHOLDER) && !system.contains("getCard"), "{system}");
    }

    #[test]
    fn rounds_go_on_with_what_was_said() {
        let sample = question("a");
        let said = ["<think>hm</think> one", "two"].map(|text| Reply { text: text.to_owned(), ..Reply::default() });
        let plan = Plan { approach: Approach::Backward { rounds: 5 }, ..Plan::default() };
        let request = ask(plan, &sample, |it| it.backward(&said)).unwrap();
        let texts = texts(&request);
        insta::assert_snapshot!(texts.split_once("=====").unwrap().1, @r#"
        User: Which is my latest card? My number is CU77; then freeze it.

        For now, give one API alone: the one that does the last thing which the question asks for, with its parameters. The other ones follow in the next steps.
        =====
        Assistant: one
        =====
        User: Go on from your last answer.
        - Find the APIs that give what is still missing in it.
        - Look whether every part of the question is answered. If not, add the APIs for it with their parameters, in the right order.
        Answer in the same form, with the whole list of calls and no explanation. If not every parameter can be had, do not write <!stop>. If you think that nothing is missing, write <!stop> behind the list.
        =====
        Assistant: two
        =====
        Go on from your last answer.
        - Find the APIs that give what is still missing in it.
        - Look whether every part of the question is answered. If not, add the APIs for it with their parameters, in the right order.
        Answer in the same form, with the whole list of calls and no explanation. If not every parameter can be had, do not write <!stop>. If you think that nothing is missing, write <!stop> behind the list.
        "#);
        let first = ask(plan, &sample, |it| it.backward(&[])).unwrap();
        assert_eq!((&first.system, &first.user), (&request.system, request.history[0].content.as_ref().unwrap()));
    }

    #[test]
    fn a_schema_names_only_what_is_shown() {
        let sample = question("a");
        let plan = Plan { structured: true, ..Plan::default() };
        let schema = ask(plan, &sample, |it| it.calls(&sample.candidates[1..])).unwrap().schema.unwrap();
        let names = schema.pointer("/properties/API/items/enum").unwrap();
        assert_eq!(*names, serde_json::json!(["freezeCard", "listOffers"]));
    }

    #[test]
    fn the_built_in_model_is_given_no_text_and_no_secret() {
        let sample = question("a");
        for (mode, text) in [(Mode::BuiltIn, false), (Mode::Prompt, true)] {
            let request = ask(Plan { mode, ..Plan::default() }, &sample, |it| it.calls(&sample.candidates)).unwrap();
            assert_eq!((request.system.is_some(), request.user.is_empty()), (text, !text));
            assert!(!format!("{request:?}").contains("secret"));
        }
    }
}
