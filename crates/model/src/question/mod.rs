//! Writes questions that want one or several calls (CallNavi): each call is asked for by one of its own phrases, and
//! what an earlier call finds is said by that call's noun phrase, or by a word for what was mentioned.

mod join;
mod speaker;
mod spoil;

use super::Grammar;
use crate::llm::{AskVariables, AskedCall, WrittenQuestion};
use crate::locale::{Pack, Style};
use crate::record::{ApiPhrases, Chance, Object, PLACEHOLDER, Saying, Tool, Value};
use join::Joiner;
use speaker::Speaker;

impl Grammar {
    /// Writes a question for the calls.
    pub(super) fn write_question(&self, variables: &AskVariables, chance: &mut Chance) -> WrittenQuestion {
        let styles =
            if self.pack.questions.styles.is_empty() { &self.pack.styles } else { &self.pack.questions.styles };
        let named = styles.iter().find(|style| style.name == variables.style);
        let drawn = styles.get(chance.weighted(styles.iter().map(|style| style.weight)));
        let calls = self.chosen(&variables.calls, chance);
        let (question, mentions) = match named.or(drawn) {
            Some(style) => self.spoken(&calls, (style, variables.situation.as_deref()), chance),
            None => Default::default(),
        };
        let mentions = mentions.into_iter().map(|call| call + 1).collect();
        WrittenQuestion { parameters: calls.iter().map(arguments).collect(), mentions, question, sensible: true }
    }

    fn spoken(
        &self,
        calls: &[AskedCall],
        (style, situation): (&Style, Option<&str>),
        chance: &mut Chance,
    ) -> (String, Vec<usize>) {
        let phrases: Vec<ApiPhrases> = calls.iter().map(|call| phrases_of(call, &self.pack)).collect();
        let speaker = Speaker::new(&self.pack, calls, &phrases, style, chance);
        Joiner::new(&self.pack, style, speaker).question(situation, chance)
    }

    /// The calls with a value wherever the writer is to choose one.
    fn chosen(&self, calls: &[AskedCall], chance: &mut Chance) -> Vec<AskedCall> {
        let mut calls = calls.to_vec();
        let mut known = indexmap::IndexMap::new();
        for call in &mut calls {
            let wanted = call.arguments.iter().filter(|(_, it)| it.saying == Saying::Chosen);
            let names: Vec<String> = wanted.map(|(name, _)| name.clone()).collect();
            for (name, drawn) in super::draw_arguments(&self.pack, &call.tool, &names, chance) {
                // What two calls name alike is one and the same thing.
                let drawn = known.entry(name.clone()).or_insert(drawn).clone();
                if let Some(argument) = call.arguments.get_mut(&name) {
                    (argument.value, argument.words, argument.saying) = (drawn.value, drawn.surface, Saying::Plain);
                }
            }
        }
        calls
    }
}

/// The gold arguments: a placeholder for what the question does not settle.
fn arguments(call: &AskedCall) -> Object {
    let settled = |saying: &Saying| {
        matches!(saying, Saying::Plain | Saying::Bare | Saying::Transformed | Saying::Chosen | Saying::Corrected { .. })
    };
    let value =
        |it: &crate::llm::AskedArgument| if settled(&it.saying) { it.value.clone() } else { Value::from(PLACEHOLDER) };
    call.arguments.iter().map(|(name, argument)| (name.clone(), value(argument))).collect()
}

/// The call's own phrases, or some made of its description.
fn phrases_of(call: &AskedCall, pack: &Pack) -> ApiPhrases {
    call.phrases.as_deref().cloned().unwrap_or_else(|| plain_phrases(&call.tool, pack))
}

fn plain_phrases(tool: &Tool, pack: &Pack) -> ApiPhrases {
    let made = pack.derived.phrases(tool);
    let parts = made.parameters.iter().map(|(name, slot)| format!("[, {} {{{name}}}]", slot.label));
    let intent = format!("{}{}", made.intents.first().cloned().unwrap_or_default(), parts.collect::<String>());
    ApiPhrases { intents: vec![intent], phrases: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{AskedArgument, Common};
    use crate::record::{Difficulty, ReferPhrases};
    use std::sync::Arc;

    fn refers(noun: &str) -> Arc<ReferPhrases> {
        let called = vec![format!("{noun} {{id}}")];
        Arc::new(ReferPhrases { called, again: vec![format!("that {noun}")], fresh: vec![format!("the new {noun}")] })
    }

    fn argument(words: &str, saying: Saying, noun: &str) -> AskedArgument {
        let refers = (!noun.is_empty()).then(|| refers(noun));
        AskedArgument { value: Value::from(words), words: words.to_owned(), saying, refers }
    }

    fn call(name: &str, intent: &str, phrase: &str, arguments: &[(&str, AskedArgument)]) -> AskedCall {
        let phrases = if phrase.is_empty() { Vec::new() } else { vec![phrase.to_owned()] };
        AskedCall {
            tool: Arc::new(Tool { name: format!("bank.{name}"), ..Tool::default() }),
            arguments: arguments.iter().map(|(name, argument)| ((*name).to_owned(), argument.clone())).collect(),
            phrases: Some(Arc::new(ApiPhrases { intents: vec![intent.to_owned()], phrases })),
            makes: false,
        }
    }

    fn written(calls: Vec<AskedCall>, draw: u32) -> WrittenQuestion {
        let grammar = Grammar::new(crate::fixtures::pack("en"), 7);
        let variables = AskVariables {
            common: Common::default(),
            title: "Banking".to_owned(),
            difficulty: Difficulty::Hard,
            calls,
            style: "plain".to_owned(),
            manner: String::new(),
            seed: None,
            situation: None,
            requests: Vec::new(),
        };
        grammar.write_question(&variables, &mut Chance::new(1, "s", "i", draw))
    }

    fn answer(call: usize) -> Saying {
        Saying::Answer { call, field: "/accountId".to_owned() }
    }

    #[test]
    fn one_call_is_one_request_that_says_its_values() {
        let account = argument("AC1", Saying::Plain, "account");
        let question =
            written(vec![call("get", "check what is left on {accountId}", "", &[("accountId", account)])], 0);
        assert!(question.question.to_lowercase().contains("check what is left on account ac1"), "{question:?}");
        assert_eq!((question.mentions, question.parameters[0]["accountId"].as_str()), (vec![1], Some("AC1")));
    }

    #[test]
    fn what_an_earlier_call_finds_is_said_by_its_noun_phrase() {
        let find = || {
            call(
                "find",
                "look up {phone}",
                "the account behind {phone}",
                &[("phone", argument("555", Saying::Plain, ""))],
            )
        };
        let freeze =
            || call("freeze", "put {accountId} on ice", "", &[("accountId", argument("", answer(0), "account"))]);
        let questions: Vec<_> = (0..30).map(|draw| written(vec![find(), freeze()], draw)).collect();
        let nested =
            questions.iter().filter(|it| it.question.to_lowercase().contains("put the account behind 555 on ice"));
        assert!(nested.clone().all(|it| it.mentions == [2, 1]) && nested.count() > 10);
        let told = questions.iter().filter(|it| it.question.to_lowercase().contains("look up 555"));
        assert!(
            told.clone().all(|it| it.question.contains("that account") && it.mentions == [1, 2]) && told.count() > 2
        );
        assert!(questions.iter().all(|it| it.parameters[1]["accountId"].as_str() == Some(PLACEHOLDER)));
    }

    #[test]
    fn what_was_made_is_new_and_is_said_after_its_making() {
        let mut open = call("open", "open an account for {name}", "", &[("name", argument("Anna", Saying::Plain, ""))]);
        open.makes = true;
        let close = call("close", "close {accountId}", "", &[("accountId", argument("", answer(0), "account"))]);
        for draw in 0..20 {
            let question = written(vec![open.clone(), close.clone()], draw);
            assert!(question.question.contains("close the new account"), "{question:?}");
            assert_eq!(question.mentions, [1, 2]);
        }
    }

    #[test]
    fn calls_that_do_not_hang_together_may_be_said_in_any_order() {
        let get = |name: &str| {
            call(name, &format!("{name} {{accountId}}"), "", &[("accountId", argument(name, Saying::Plain, "account"))])
        };
        let questions: Vec<_> = (0..60).map(|draw| written(vec![get("alpha"), get("beta")], draw)).collect();
        let backward = questions.iter().filter(|it| it.mentions != [1, 2]).count();
        assert!((4..30).contains(&backward), "{backward}");
        let three = written(vec![get("alpha"), get("beta"), get("gamma")], 0);
        assert_eq!(three.mentions, [1, 2, 3], "three come one after the other");
    }

    #[test]
    fn a_noun_is_not_said_twice_in_a_row_and_a_label_not_again_and_again() {
        let named = || {
            let called = ["account {id}", "account number {id}", "the account with the number {id}"];
            let called = called.iter().map(|it| (*it).to_owned()).collect();
            let again = vec!["that account".to_owned(), "this account".to_owned()];
            Some(Arc::new(ReferPhrases { called, again, fresh: Vec::new() }))
        };
        let of = |id: &str| AskedArgument { refers: named(), ..argument(id, Saying::Plain, "account") };
        for draw in 0..40 {
            let first = call("read", "read {accountId}", "", &[("accountId", of("A1"))]);
            let second = call("note", "note that {accountId} is open", "", &[("accountId", of("A1"))]);
            let third = call("dial", "dial the number of {accountId}", "", &[("accountId", of("A2"))]);
            let question = written(vec![first, second, third], draw).question;
            assert!(!question.contains("that that") && question.matches("number").count() < 3, "{question}");
        }
    }

    #[test]
    fn a_tail_is_said_only_where_nothing_else_says_the_value() {
        let city = || argument("Porto", Saying::Plain, "");
        let mut get = call("get", "look up a warehouse by city[, {city}]", "", &[("city", city())]);
        let intents = ["look up a warehouse by city[, {city}]", "find the warehouse in {city}"];
        let intents = intents.iter().map(|it| (*it).to_owned()).collect();
        get.phrases = Some(Arc::new(ApiPhrases { intents, phrases: Vec::new() }));
        assert!((0..20).all(|draw| written(vec![get.clone()], draw).question.contains("warehouse in Porto")));
    }

    #[test]
    fn a_second_thought_names_both_values() {
        let saying = Saying::Corrected { old: "300".to_owned() };
        let pay = call("pay", "pay {amount} dollars", "", &[("amount", argument("500", saying, ""))]);
        let question = written(vec![pay], 0).question;
        assert!(question.find("300") < question.find("500") && question.contains("500"), "{question}");
    }

    #[test]
    fn what_is_left_out_is_not_said_and_has_no_value() {
        let pay = call("pay", "pay[ {amount} dollars] now", "", &[("amount", argument("", Saying::Unsaid, ""))]);
        let question = written(vec![pay], 0);
        assert!(question.question.to_lowercase().contains("pay now"));
        assert_eq!(question.parameters[0]["amount"].as_str(), Some(PLACEHOLDER));
    }

    #[test]
    fn a_tool_without_phrases_is_asked_for_by_its_description() {
        let mut get = call("get", "", "", &[("city", argument("Porto", Saying::Plain, ""))]);
        let tool = r#"{"name": "get", "description": "Get the weather.", "parameters": {"properties": {"city": {}}}}"#;
        (get.tool, get.phrases) = (serde_json::from_str::<Tool>(tool).unwrap().into(), None);
        let question = written(vec![get], 0).question.to_lowercase();
        assert!(question.contains("get the weather, the city porto"), "{question}");
    }
}
