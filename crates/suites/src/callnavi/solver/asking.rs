//! Turns a sample into requests: one, a router's and the model's, or a dialogue that goes backwards.

use super::plan::{Approach, Goal, Plan, conclusion, is_over, routed};
use super::questions::{Declared, Questions};
use crate::failure::RunStopped;
use crate::llm::{Prompts, Reply, Request};
use crate::predict::asking::{Addressee, Asking, check_suite, trajectory};
use crate::predict::locales::Locales;
use crate::predict::snapshots::Mode;
use crate::record::{Prediction, PredictionTurn, Role, Sample, SuiteId};
use std::sync::Arc;

/// Asks for calls in order.
pub struct Navigation {
    plan: Plan,
    variant: String,
    locales: Locales,
    declared: Arc<Declared>,
}

impl Navigation {
    /// A way to ask.
    pub fn new(plan: Plan, prompts: Prompts) -> Self {
        Self { plan, variant: plan.variant(), locales: Locales::new(prompts), declared: Arc::default() }
    }

    /// The same where the authors' files have the APIs in words of their own, which prompts of theirs show.
    #[must_use]
    pub fn declared(self, declared: Declared) -> Self {
        Self { declared: Arc::new(declared), ..self }
    }

    /// The folders of the prompts that are needed.
    fn folders(&self) -> &'static [&'static str] {
        match (self.plan.goal, self.plan.mode, self.plan.approach) {
            (_, Mode::BuiltIn, _) => &[],
            (Goal::Routing, ..) => &["route"],
            (_, _, Approach::Backward { .. }) => &["route_backward"],
            (_, Mode::Prompt, Approach::Direct) => &["route_calls"],
            (_, Mode::Prompt, Approach::Router) => &["route", "route_calls"],
            (_, Mode::Tools, Approach::Direct) => &["route_tools"],
            (_, Mode::Tools, Approach::Router) => &["route", "route_tools"],
        }
    }
}

impl Asking for Navigation {
    fn variant(&self) -> &str {
        &self.variant
    }

    fn task(&self) -> Option<&str> {
        Some(self.plan.goal.word())
    }

    fn check(&self, sample: &Sample) -> Result<(), String> {
        check_suite(sample, SuiteId::CallNavi)?;
        if !sample.messages.iter().any(|message| message.role == Role::User) {
            return Err("no user message".to_owned());
        }
        if sample.candidates.is_empty() {
            return Err("no tools listed".to_owned());
        }
        let ground = self.locales.get(&sample.locale).map_err(|fault| fault.to_string())?;
        self.folders().iter().try_for_each(|folder| ground.named(folder).map(drop).map_err(|fault| fault.to_string()))
    }

    fn next(&self, sample: &Sample, run: u32, said: &[Reply]) -> Result<Option<Request>, RunStopped> {
        let ground = self.locales.get(&sample.locale)?;
        let questions = Questions { plan: self.plan, sample, run, ground: &ground, declared: &self.declared };
        let request = match (self.plan.approach, said) {
            (Approach::Backward { rounds }, said) if is_over(said, rounds) => return Ok(None),
            (Approach::Backward { .. }, said) => questions.backward(said),
            (Approach::Router, []) => questions.route(),
            (Approach::Router, [routing]) => questions.calls(&routed(&routing.text, &sample.candidates).0),
            (Approach::Direct, []) if self.plan.goal == Goal::Routing => questions.route(),
            (Approach::Direct, []) => questions.calls(&sample.candidates),
            _ => return Ok(None),
        };
        request.map(Some)
    }

    fn addressee(&self, said: &[Reply]) -> Addressee {
        if self.plan.approach == Approach::Router && said.is_empty() { Addressee::Router } else { Addressee::Model }
    }

    fn prediction(&self, sample: &Sample, run: u32, said: &[Reply], error: Option<String>) -> Prediction {
        let mut kept = trajectory(self, sample, run, said, error);
        match self.plan.approach {
            Approach::Direct => {}
            Approach::Router => {
                for (turn, reply) in kept.turns.iter_mut().zip(said).take(1) {
                    turn.routing = Some(routed(&reply.text, &sample.candidates).1);
                }
            }
            Approach::Backward { .. } if kept.error.is_some() => {}
            Approach::Backward { .. } => {
                // Whoever scores it looks at the last turn.
                let last = kept.turns.last().and_then(|turn| turn.content.clone());
                let content = conclusion(said).filter(|answer| Some(answer) != last.as_ref());
                kept.turns.extend(content.map(|it| PredictionTurn { content: Some(it), ..PredictionTurn::default() }));
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::testing::{question, sample};
    use crate::record::Message;

    fn said(texts: &[&str]) -> Vec<Reply> {
        texts.iter().map(|text| Reply { text: (*text).to_owned(), ..Reply::default() }).collect()
    }

    fn navigation(approach: Approach) -> Navigation {
        Navigation::new(Plan { approach, ..Plan::default() }, crate::fixtures::prompts())
    }

    fn kept(approach: Approach, texts: &[&str], error: Option<&str>) -> String {
        let kept = navigation(approach).prediction(&question("a"), 0, &said(texts), error.map(str::to_owned));
        kept.turns.iter().map(|turn| serde_json::to_string(turn).unwrap() + "\n").collect()
    }

    #[test]
    fn what_cannot_be_asked_about_is_told_before() {
        let check = |sample: &Sample| navigation(Approach::Router).check(sample);
        assert_eq!(check(&question("a")), Ok(()));
        let told = |sample: &Sample| check(sample).unwrap_err();
        assert_eq!(told(&sample("a")), "its suite is `hammerbench`, but the samples before it are of `callnavi`");
        let silent = Sample { messages: vec![Message::new(Role::System, "x")], ..question("a") };
        assert_eq!(told(&silent), "no user message");
        assert_eq!(told(&Sample { candidates: Vec::new(), ..question("a") }), "no tools listed");
    }

    #[test]
    fn one_reply_is_all_where_all_is_asked_for_at_once() {
        let direct = navigation(Approach::Direct);
        assert!(direct.next(&question("a"), 0, &[]).unwrap().is_some());
        assert!(direct.next(&question("a"), 0, &said(&["x"])).unwrap().is_none());
        assert_eq!((direct.task(), direct.variant()), (Some("parameters"), "parameters-json-json"));
        assert_eq!(direct.addressee(&[]), Addressee::Model);
        assert_eq!(kept(Approach::Direct, &["x"], None), "{\"content\":\"x\"}\n");
    }

    #[test]
    fn the_model_is_shown_what_the_router_chose_and_no_question_before_it() {
        let router = navigation(Approach::Router);
        assert_eq!(router.addressee(&[]), Addressee::Router);
        for (reply, shown) in
            [("[freezeCard]", [false, true]), ("[listOffers, nothing]", [false, false]), ("?", [true, true])]
        {
            let said = said(&[reply]);
            assert_eq!(router.addressee(&said), Addressee::Model);
            let system = router.next(&question("a"), 0, &said).unwrap().unwrap().system.unwrap();
            assert_eq!(["getCard", "freezeCard"].map(|name| system.contains(name)), shown, "{reply}");
        }
        assert!(router.next(&question("a"), 0, &said(&["[getCard]", "x"])).unwrap().is_none());
    }

    #[test]
    fn a_routing_is_kept_with_what_was_made_of_it() {
        insta::assert_snapshot!(kept(Approach::Router, &["[getCard, getMoon]", "x"], None), @r#"
        {"content":"[getCard, getMoon]","routing":{"passed":["getCard"],"invented":["getMoon"]}}
        {"content":"x"}
        "#);
        insta::assert_snapshot!(kept(Approach::Router, &["?"], Some("HTTP 503")), @r#"{"content":"?","routing":{"passed":[]}}"#);
        assert_eq!(kept(Approach::Router, &[], Some("HTTP 503")), "");
    }

    #[test]
    fn the_last_turn_is_the_answer_without_its_mark() {
        let backward = Approach::Backward { rounds: 2 };
        insta::assert_snapshot!(kept(backward, &["one", "two <!stop>"], None), @r#"
        {"content":"one"}
        {"content":"two <!stop>"}
        {"content":"two"}
        "#);
        insta::assert_snapshot!(kept(backward, &["one", "two", "three"], None), @r#"
        {"content":"one"}
        {"content":"two"}
        {"content":"three"}
        "#);
        insta::assert_snapshot!(kept(backward, &["one", "two <!stop>"], Some("HTTP 503")), @r#"
        {"content":"one"}
        {"content":"two <!stop>"}
        "#);
        let rounds = navigation(backward);
        assert!(rounds.next(&question("a"), 0, &said(&["one"])).unwrap().is_some());
        assert!(rounds.next(&question("a"), 0, &said(&["one", "two <!stop>"])).unwrap().is_none());
        assert!(rounds.next(&question("a"), 0, &said(&["one", "two", "three"])).unwrap().is_none());
    }

    #[test]
    fn the_right_answer_is_in_no_request() {
        let replies = said(&["[getCard]", "two"]);
        let rounds = Approach::Backward { rounds: 9 };
        for approach in [Approach::Direct, Approach::Router, rounds] {
            for mode in [Mode::Prompt, Mode::Tools, Mode::BuiltIn] {
                for goal in [Goal::Routing, Goal::Parameters] {
                    let plan = Plan { approach, mode, goal, structured: true, ..Plan::default() };
                    let navigation = Navigation::new(plan, crate::fixtures::prompts());
                    for count in 0..=replies.len() {
                        let request = navigation.next(&question("a"), 0, &replies[..count]).unwrap();
                        assert!(!format!("{request:?}").contains("secret"), "{plan:?}");
                    }
                }
            }
        }
    }
}
