//! Who answers calls: the worlds of the toolset, and a model in the place of APIs that no world answers.

use super::steps::check_form;
use crate::failure::ItemError;
use crate::gate::Fault;
use crate::record::{Draw, FunctionCall, Tool, Value};
use crate::stage::context::Context;
use crate::stage::simulate::Simulation;
use crate::world::{CallFault, WorldSession};
use std::sync::Arc;

/// How often a simulated answer is asked for.
const ASKS: u32 = 3;

/// One session with everything that answers.
pub(crate) struct Desk<'c> {
    context: &'c Context,
    session: WorldSession<'c>,
    simulation: Simulation,
}

/// What a call is answered with, and what is wrong with it.
pub(crate) struct Told {
    pub answer: Value,
    pub fault: Option<Fault>,
    /// What was asked of a model that stands in.
    pub draw: Option<Draw>,
}

impl<'c> Desk<'c> {
    pub(crate) fn new(context: &'c Context) -> Self {
        Self { context, session: context.domains().session(), simulation: Simulation::default() }
    }

    /// Answers a call of one of the tools that are offered.
    pub(crate) async fn answer(&mut self, tools: &[Arc<Tool>], call: &FunctionCall) -> Result<Told, ItemError> {
        let Some(tool) = tools.iter().find(|tool| tool.name == call.name) else {
            let fault = CallFault::UnknownTool { tool: call.name.clone() };
            return Ok(self.refused("malformed_call", &call.name, &fault));
        };
        if let Err(fault) = check_form(tool, call) {
            return Ok(self.refused("malformed_call", &call.name, &fault));
        }
        match self.session.made(&call.name, &call.arguments) {
            Some(Ok(answer)) => Ok(Told { answer, fault: None, draw: None }),
            Some(Err(fault)) => Ok(self.refused("error_left", &call.name, &fault)),
            None => self.simulated(tool, call).await,
        }
    }

    async fn simulated(&mut self, tool: &Arc<Tool>, call: &FunctionCall) -> Result<Told, ItemError> {
        let (answer, draw) = self.simulation.call(self.context, tool, call, ASKS).await?;
        let fault = is_error(&answer).then(|| fault("error_left", &call.name, "the answer is an error"));
        Ok(Told { answer, fault, draw: Some(draw) })
    }

    fn refused(&self, reason: &'static str, name: &str, found: &CallFault) -> Told {
        let answer = self.session.refusal(name, found);
        Told { answer, fault: Some(fault(reason, name, &found.to_string())), draw: None }
    }
}

fn fault(reason: &'static str, name: &str, detail: &str) -> Fault {
    Fault::new(reason, format!("`{name}`: {detail}"))
}

/// Whether an answer says that the call failed, in one of the usual ways.
fn is_error(answer: &Value) -> bool {
    let Some(fields) = answer.as_object() else { return false };
    let failed = fields.get("status").and_then(Value::as_bool) == Some(false);
    failed || fields.get("error").is_some_and(|error| !error.is_null() && error.as_bool() != Some(false))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{call, inn};
    use super::*;
    use crate::llm::Task;
    use crate::stage::testing::{context, silent, with_shared};

    async fn told(context: &Context, name: &str, arguments: &str) -> (String, Option<(&'static str, String)>) {
        let tools = context.toolset().tools.clone();
        let told = Desk::new(context).answer(&tools, &call(name, arguments)).await.unwrap();
        (told.answer.to_string(), told.fault.map(|fault| (fault.reason, fault.detail)))
    }

    #[tokio::test]
    async fn a_declared_world_answers_and_refuses_in_its_own_words() {
        let context = inn(silent());
        let (answer, fault) = told(&context, "Find_Town", r#"{"query": "Greyford"}"#).await;
        assert!(answer.contains("\"T2\"") && fault.is_none(), "{answer}");
        let (answer, fault) = told(&context, "Find_Town", "{}").await;
        assert_eq!(answer, r#"{"status":false,"message":[{"query":"This field is required."}]}"#);
        assert_eq!(fault.unwrap(), ("malformed_call", "`Find_Town`: `query` is missing".to_owned()));
        let (_, fault) = told(&context, "Get_Inn", r#"{"token": "no"}"#).await;
        assert_eq!(fault.unwrap().0, "error_left");
        assert_eq!(told(&context, "Fly", "{}").await.1.unwrap().1, "`Fly`: unknown tool `Fly`");
    }

    #[tokio::test]
    async fn one_session_remembers_what_its_calls_changed() {
        use crate::world::testing::{pack, toolset};
        let context = with_shared(silent(), |shared| {
            shared.toolset = Arc::new(toolset("en").clone());
            shared.domains = crate::stage::domains::Domains::new(&shared.toolset, &pack("en"), 7).unwrap();
        });
        let id = context.domains().world("bank").unwrap().rows("customer").next().unwrap().id().to_owned();
        let (tools, mut desk) = (context.toolset().tools.clone(), Desk::new(&context));
        let by_id = format!(r#"{{"customerId": "{id}"}}"#);
        assert!(desk.answer(&tools, &call("bank.removeCustomer", &by_id)).await.unwrap().fault.is_none());
        let gone = desk.answer(&tools, &call("bank.getCustomerSegment", &by_id)).await.unwrap();
        assert_eq!(gone.fault.unwrap().reason, "error_left");
    }

    #[tokio::test]
    async fn a_model_answers_where_no_world_does() {
        let (context, asked) = context(|_| r#"{"status": false, "message": "no"}"#.to_owned());
        let (answer, fault) = told(&context, "Travel.Hotels.view", "{}").await;
        assert_eq!((answer.as_str(), fault.unwrap().0), (r#"{"status":false,"message":"no"}"#, "error_left"));
        assert_eq!(asked.tasks(), [Task::Simulate]);
    }

    #[test]
    fn errors_look_like_errors() {
        let is = |json: &str| is_error(&Value::read(json).unwrap());
        assert!(is(r#"{"status": false}"#) && is(r#"{"error": "no"}"#) && is(r#"{"error": {"code": 4}}"#));
        assert!(!is(r#"{"status": true}"#) && !is(r#"{"error": null}"#) && !is(r#"{"error": false}"#) && !is("[]"));
    }
}
