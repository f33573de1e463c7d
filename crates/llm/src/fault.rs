//! What can go wrong with one attempt, and what follows from it.

use super::request::ChatError;
use std::time::Duration;

/// Why one attempt brought no reply.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(super) enum Fault {
    /// The server says no.
    #[error("{}", status_text(*.status, .message))]
    Status { status: u16, code: Option<String>, message: String, wait: Option<Duration> },
    /// There was no connection.
    #[error("{detail}")]
    Unreachable { detail: String, reason: Unreachable },
    /// The connection broke, or took too long, after the request was sent.
    #[error("{detail}")]
    Broken { detail: String },
    /// The server said yes and sent something that is no reply.
    #[error("{detail}")]
    Malformed { detail: String },
    /// A batch ended before the request had its turn.
    #[error("{detail}")]
    Unserved { detail: String },
}

/// Why there was no connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unreachable {
    /// No such host.
    UnknownHost,
    /// Nothing listens there.
    Refused,
    /// What it shows to prove who it is does not hold here.
    Certificate,
    /// Anything else; it may pass.
    Other,
}

/// What follows from a fault.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Consequence {
    /// Try again; not before the wait that the server asks for.
    Again { wait: Option<Duration> },
    /// The server refuses this request.
    Refused { status: u16 },
    /// Nothing can go on with this endpoint.
    Stop { hint: String },
}

/// What a consequence depends on besides the fault.
#[derive(Debug, Clone, Copy)]
pub(super) struct Circumstances<'a> {
    /// Whether the endpoint has ever answered.
    pub(super) answered_before: bool,
    /// Name of the variable of the API key, and whether it is set.
    pub(super) key_variable: &'a str,
    /// Whether a key is sent.
    pub(super) has_key: bool,
}

impl Fault {
    /// What follows.
    pub(super) fn consequence(&self, circumstances: &Circumstances<'_>) -> Consequence {
        match self {
            Self::Status { status: 429, code, .. } if code.as_deref() == Some("insufficient_quota") => stop(QUOTA_HINT),
            Self::Status { status, wait, .. } => status_consequence(*status, *wait, circumstances),
            Self::Unreachable { reason, .. } if !circumstances.answered_before => reason.consequence(),
            Self::Unreachable { .. } | Self::Broken { .. } | Self::Malformed { .. } | Self::Unserved { .. } => AGAIN,
        }
    }

    /// Whether the server may have worked, and charged, all the same.
    pub(super) fn may_have_cost(&self) -> bool {
        matches!(self, Self::Broken { .. } | Self::Malformed { .. })
    }

    /// Whether the server says that it has too much to do.
    pub(super) fn is_overload(&self) -> bool {
        matches!(self, Self::Status { status: 429 | 503 | 529, .. })
    }

    /// The wait that the server asks for.
    pub(super) fn wait(&self) -> Option<Duration> {
        match self {
            Self::Status { wait, .. } => *wait,
            _ => None,
        }
    }

    /// What was said, without the status.
    pub(super) fn words(&self) -> &str {
        let (Self::Status { message: words, .. }
        | Self::Unreachable { detail: words, .. }
        | Self::Broken { detail: words }
        | Self::Malformed { detail: words }
        | Self::Unserved { detail: words }) = self;
        words
    }

    /// The same fault with its words passed through `change`.
    pub(super) fn map_words(mut self, change: impl Fn(&str) -> String) -> Self {
        let (Self::Status { message: words, .. }
        | Self::Unreachable { detail: words, .. }
        | Self::Broken { detail: words }
        | Self::Malformed { detail: words }
        | Self::Unserved { detail: words }) = &mut self;
        *words = change(words);
        self
    }

    /// The error when no attempt is left.
    pub(super) fn exhausted(&self, model: &str, attempts: u32, answered_before: bool) -> ChatError {
        match self {
            Self::Unreachable { .. } if !answered_before => {
                ChatError::Endpoint { detail: self.to_string(), hint: ADDRESS_HINT.to_owned() }
            }
            _ => ChatError::Transport { model: model.to_owned(), attempts, detail: self.to_string() },
        }
    }
}

const AGAIN: Consequence = Consequence::Again { wait: None };
const QUOTA_HINT: &str = "the account has no credit left; add credit and run the same command to resume";
const ADDRESS_HINT: &str = "check that the server is running and that `base_url` is correct";
const CERTIFICATE_HINT: &str = "check that the certificate is valid by this machine's clock and issued by a trusted authority; set \
                                `SSL_CERT_FILE` to trust further certificates";
const PATH_HINT: &str = "check that `base_url` (it usually ends with `/v1`) and `model` match the server";

impl Unreachable {
    fn consequence(self) -> Consequence {
        match self {
            Self::UnknownHost | Self::Refused => stop(ADDRESS_HINT),
            Self::Certificate => stop(CERTIFICATE_HINT),
            Self::Other => AGAIN,
        }
    }
}

fn status_consequence(status: u16, wait: Option<Duration>, circumstances: &Circumstances<'_>) -> Consequence {
    match status {
        408 | 409 | 429 | 500..=599 => Consequence::Again { wait },
        401 | 403 => Consequence::Stop { hint: key_hint(circumstances) },
        402 => stop(QUOTA_HINT),
        404 | 405 | 300..=399 => stop(PATH_HINT),
        _ => Consequence::Refused { status },
    }
}

fn key_hint(circumstances: &Circumstances<'_>) -> String {
    let variable = circumstances.key_variable;
    if circumstances.has_key {
        format!("check that the key in `{variable}` is valid and has access to this model")
    } else {
        format!("set the environment variable `{variable}` to the API key")
    }
}

fn stop(hint: &str) -> Consequence {
    Consequence::Stop { hint: hint.to_owned() }
}

fn status_text(status: u16, message: &str) -> String {
    if message.is_empty() { format!("HTTP {status}") } else { format!("HTTP {status}: {message}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circumstances(answered_before: bool) -> Circumstances<'static> {
        Circumstances { answered_before, key_variable: "OPENAI_API_KEY", has_key: true }
    }

    fn status(status: u16) -> Fault {
        Fault::Status { status, code: None, message: String::new(), wait: None }
    }

    fn unreachable(reason: Unreachable) -> Fault {
        Fault::Unreachable { detail: "no connection".to_owned(), reason }
    }

    #[test]
    fn what_may_pass_is_tried_again() {
        for code in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert_eq!(status(code).consequence(&circumstances(false)), AGAIN, "{code}");
        }
    }

    #[test]
    fn what_is_the_request_s_fault_is_refused() {
        for code in [400, 413, 415, 422, 451] {
            let refused = Consequence::Refused { status: code };
            assert_eq!(status(code).consequence(&circumstances(true)), refused, "{code}");
        }
    }

    #[test]
    fn what_concerns_the_endpoint_stops_the_run() {
        for code in [301, 401, 402, 403, 404, 405] {
            let consequence = status(code).consequence(&circumstances(true));
            assert!(matches!(consequence, Consequence::Stop { .. }), "{code}");
        }
    }

    #[test]
    fn an_empty_account_is_final_although_it_is_a_429() {
        let code = Some("insufficient_quota".to_owned());
        let fault = Fault::Status { status: 429, code, message: String::new(), wait: None };
        assert_eq!(fault.consequence(&circumstances(true)), stop(QUOTA_HINT));
    }

    #[test]
    fn a_wait_that_a_server_names_is_waited() {
        let wait = Some(Duration::from_secs(2));
        for status in [408, 409, 429, 500, 503, 529, 599] {
            let fault = Fault::Status { status, code: None, message: String::new(), wait };
            assert_eq!(fault.consequence(&circumstances(true)), Consequence::Again { wait }, "{status}");
        }
    }

    #[test]
    fn a_server_that_was_never_there_stops_the_run_and_one_that_went_away_does_not() {
        let hints = [
            (Unreachable::UnknownHost, ADDRESS_HINT),
            (Unreachable::Refused, ADDRESS_HINT),
            (Unreachable::Certificate, CERTIFICATE_HINT),
        ];
        for (reason, hint) in hints {
            assert_eq!(unreachable(reason).consequence(&circumstances(false)), stop(hint));
            assert_eq!(unreachable(reason).consequence(&circumstances(true)), AGAIN);
        }
        assert_eq!(unreachable(Unreachable::Other).consequence(&circumstances(false)), AGAIN);
    }

    #[test]
    fn the_hint_asks_for_a_key_where_none_was_sent() {
        let keyless = Circumstances { has_key: false, ..circumstances(true) };
        insta::assert_snapshot!(key_hint(&keyless), @"set the environment variable `OPENAI_API_KEY` to the API key");
        insta::assert_snapshot!(key_hint(&circumstances(true)), @"check that the key in `OPENAI_API_KEY` is valid and has access to this model");
    }

    #[test]
    fn the_words_of_every_fault_can_be_changed() {
        let text = || "it holds SECRET".to_owned();
        let faults = [
            Fault::Status { status: 401, code: None, message: text(), wait: None },
            Fault::Unreachable { detail: text(), reason: Unreachable::Other },
            Fault::Broken { detail: text() },
            Fault::Malformed { detail: text() },
            Fault::Unserved { detail: text() },
        ];
        for fault in faults {
            assert_eq!(fault.map_words(|words| words.replace("SECRET", "***")).words(), "it holds ***");
        }
    }

    #[test]
    fn only_what_the_server_may_have_worked_on_is_charged() {
        assert!(Fault::Broken { detail: String::new() }.may_have_cost());
        assert!(Fault::Malformed { detail: String::new() }.may_have_cost());
        assert!(!Fault::Unserved { detail: String::new() }.may_have_cost());
        assert!(!status(500).may_have_cost() && !unreachable(Unreachable::Other).may_have_cost());
    }

    #[test]
    fn giving_up_loses_the_item_or_stops_the_run() {
        let lost = status(503).exhausted("m", 3, false);
        insta::assert_snapshot!(lost, @"no answer from `m` after 3 attempts: HTTP 503");
        assert!(matches!(unreachable(Unreachable::Other).exhausted("m", 3, false), ChatError::Endpoint { .. }));
        assert!(matches!(unreachable(Unreachable::Other).exhausted("m", 3, true), ChatError::Transport { .. }));
    }

    #[test]
    fn a_status_is_told_with_what_the_server_says_of_it() {
        let told = |message: &str| {
            Fault::Status { status: 418, code: None, message: message.to_owned(), wait: None }.to_string()
        };
        assert_eq!((told(""), told("no tea")), ("HTTP 418".to_owned(), "HTTP 418: no tea".to_owned()));
    }

    #[test]
    fn only_who_has_too_much_to_do_is_overloaded() {
        let overloaded = |code: &u16| status(*code).is_overload();
        assert!([429, 503, 529].iter().all(overloaded) && ![408, 409, 500, 502].iter().any(overloaded));
        assert!(!Fault::Broken { detail: String::new() }.is_overload());
    }

    #[test]
    fn every_stop_has_its_way_out() {
        let hints: Vec<String> = [402, 404, 302]
            .iter()
            .map(|code| match status(*code).consequence(&circumstances(true)) {
                Consequence::Stop { hint } => format!("{code}: {hint}"),
                other => panic!("{other:?}"),
            })
            .collect();
        insta::assert_snapshot!(hints.join("\n"), @"
        402: the account has no credit left; add credit and run the same command to resume
        404: check that `base_url` (it usually ends with `/v1`) and `model` match the server
        302: check that `base_url` (it usually ends with `/v1`) and `model` match the server
        ");
    }
}
