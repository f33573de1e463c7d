//! The stub's answers about files and batches.

use super::batches::{Answers, spoilt};
use super::fault::{FaultPlan, StubFault};
use super::http::{Connection, RawRequest};
use super::rule::{StubReply, StubRequest, completion};
use super::server::{Served, break_off, content_type, send, send_json};
use crate::request::{FinishReason, Reply};
use serde_json::{Value, json};
use std::io;

/// What is sent: a JSON, or a file.
enum Sent {
    Json(Value),
    File(String),
}

impl Served {
    /// Answers a request about files or batches.
    pub(super) async fn answer_batches(&self, connection: &mut Connection, request: &RawRequest) -> io::Result<()> {
        let (fault, answer) = self.about_batches(request);
        let Some(answer) = answer else {
            return send_json(connection, 404, &json!({ "error": { "message": "no such file or batch" } })).await;
        };
        let (kind, whole) = match answer {
            Sent::Json(json) => ("application/json", json.to_string()),
            Sent::File(text) => ("application/octet-stream", text),
        };
        let half = || whole.chars().take(whole.chars().count() / 2).collect::<String>();
        match fault {
            Some(StubFault::Answer { status, headers, body }) => send(connection, status, &headers, &body).await,
            Some(StubFault::DropBeforeHeaders) => Err(io::ErrorKind::ConnectionAborted.into()),
            Some(StubFault::DropAfterHeaders) => break_off(connection, &whole, "").await,
            Some(StubFault::TruncatedBody) => break_off(connection, &whole, &half()).await,
            Some(StubFault::HalfJson) => send(connection, 200, &content_type(kind), &half()).await,
            _ => send(connection, 200, &content_type(kind), &whole).await,
        }
    }

    /// How the request fails, if it does, and what there is to answer.
    fn about_batches(&self, request: &RawRequest) -> (Option<StubFault>, Option<Sent>) {
        let plan = &self.options.batches;
        let path: Vec<&str> = request.path.trim_start_matches("/v1/").split('/').collect();
        let body = || serde_json::from_slice::<Value>(&request.body).unwrap_or_default();
        let failing = |faults: &FaultPlan, ordinal| faults.fault(ordinal).cloned();
        match (request.method.as_str(), path.as_slice()) {
            ("POST", ["files"]) => {
                let fault = failing(&plan.uploads, self.batches.count(|stats| &mut stats.uploads));
                (fault, self.batches.put(request.header("content-type"), &request.body).map(Sent::Json))
            }
            ("POST", ["batches"]) => {
                let fault = failing(&plan.creations, self.batches.count(|stats| &mut stats.creations));
                // Who says no makes nothing; whose words are lost, by a gateway or on the way, has made it all the same.
                let is_refused =
                    matches!(fault, Some(StubFault::Answer { status, .. }) if !matches!(status, 502 | 504));
                let made = if is_refused { Some(Value::Null) } else { self.batches.make(&body(), plan) };
                (fault, made.map(Sent::Json))
            }
            ("GET", ["batches"]) => (None, Some(Sent::Json(self.batches.list(plan)))),
            ("GET", ["batches", id]) => {
                let fault = failing(&plan.look_faults, self.batches.count(|stats| &mut stats.looks));
                let shown = self.batches.look(id, plan, |lines| self.answer_lines(lines));
                (fault, shown.map(Sent::Json))
            }
            ("GET", ["files", id, "content"]) => {
                let fault = failing(&plan.downloads, self.batches.count(|stats| &mut stats.downloads));
                (fault, self.batches.content(id).map(Sent::File))
            }
            _ => (None, None),
        }
    }

    /// Answers each line as if it had come alone.
    fn answer_lines(&self, lines: &str) -> Answers {
        let mut answers = Answers::default();
        for line in lines.lines() {
            let (text, is_answered) = self.answer_line(line);
            let file = if is_answered { &mut answers.output } else { &mut answers.errors };
            file.extend(text);
        }
        answers
    }

    /// The line of the results, if there is one, and whether it is an answer.
    fn answer_line(&self, line: &str) -> (Option<String>, bool) {
        let mut asked: Value = serde_json::from_str(line).unwrap_or_default();
        let body = asked.get_mut("body").map(Value::take).unwrap_or_default();
        let in_flight = self.counters.enter(body.to_string().as_bytes());
        let request = StubRequest { ordinal: in_flight.ordinal, headers: Vec::new(), body };
        let fault = self.options.faults.fault(request.ordinal).cloned();
        let reply = fault.clone().map_or_else(|| self.options.rule.answer(&request), StubReply::Fault);
        let shown = |status: u16, body: Value| {
            let id = format!("line-{}", request.ordinal);
            let response = json!({ "status_code": status, "request_id": id, "body": body });
            json!({ "id": id, "custom_id": asked.get("custom_id"), "response": response, "error": null }).to_string()
        };
        let echo = || Reply { text: request.last_message().to_owned(), ..Reply::default() };
        let (status, body) = match &reply {
            StubReply::Reply(reply) => (200, completion(&request, reply)),
            StubReply::Fault(StubFault::Answer { status, body, .. }) => {
                (*status, serde_json::from_str(body).unwrap_or_else(|_| json!({ "message": body })))
            }
            StubReply::Fault(StubFault::EmptyChoices) => (200, json!({ "choices": [] })),
            StubReply::Fault(StubFault::Finish(word)) => {
                let finish = FinishReason::Other(word.clone());
                (200, completion(&request, &Reply { finish, ..echo() }))
            }
            StubReply::Fault(_) => (200, completion(&request, &echo())),
        };
        in_flight.answered(Some(status), status == 200);
        let whole = shown(status, body);
        let text = match &reply {
            StubReply::Fault(fault) => spoilt(fault, &whole),
            StubReply::Reply(_) => Some(whole),
        };
        (text, status == 200)
    }
}

impl RawRequest {
    fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(header, _)| header == name).map_or("", |(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stub::server::tests_support::served;

    fn line(text: &str) -> String {
        json!({ "custom_id": text, "body": { "messages": [{ "role": "user", "content": text }] } }).to_string()
    }

    #[test]
    fn lines_are_answered_by_the_rule_and_fail_by_the_plan() {
        let faults =
            [StubFault::status(429), StubFault::HalfJson, StubFault::DropBeforeHeaders, StubFault::EmptyChoices];
        let served = served(FaultPlan::first(faults));
        let lines: Vec<String> = ["a", "b", "c", "d", "e"].map(line).to_vec();
        let Answers { output, errors } = served.answer_lines(&lines.join("\n"));
        assert_eq!((output.len(), errors.len()), (3, 1), "one is nowhere");
        assert!(errors[0].contains("\"status_code\":429") && errors[0].contains("\"custom_id\":\"a\""), "{errors:?}");
        assert!(serde_json::from_str::<Value>(&output[0]).is_err(), "half a line");
        assert!(output[1].contains("\"choices\":[]") && output[2].contains("\"content\":\"e\""), "{output:?}");
        assert_eq!(served.counters.snapshot().total, 5);
    }

    #[test]
    fn a_path_that_leads_nowhere_is_nothing() {
        let served = served(FaultPlan::default());
        let about = |method: &str, path: &str| {
            let (method, path) = (method.to_owned(), path.to_owned());
            served.about_batches(&RawRequest { method, path, headers: Vec::new(), body: Vec::new() }).1.is_some()
        };
        assert!(!about("GET", "/v1/files") && !about("GET", "/v1/batches/batch-0") && !about("POST", "/v1/files"));
        assert!(about("GET", "/v1/batches"));
    }
}
