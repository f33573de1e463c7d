//! The figures of one model for programs, with the rule behind them.

use super::board::Board;
use super::turns::Reference;
use crate::record::{Object, Value};
use crate::score::{Estimate, Mean, wilson};
use std::collections::BTreeMap;

/// The figures of one model as one object: shares from 0 to 1, each slice a list of how many and their mean.
pub fn summary(board: &Board, reference: &Reference) -> Object {
    let mut all: Object = [("predictions".to_owned(), Value::from(board.name.as_str()))].into();
    all.extend(chains(board));
    let chains = &board.chains;
    let slices = [
        ("by_functions", slice(&chains.by_functions)),
        ("by_user_turns", slice(&chains.by_turns)),
        ("by_position", slice(&chains.by_position)),
        ("by_complexity", slice(&chains.by_complexity)),
    ];
    let acts = &board.acts.matched;
    let further = [
        ("profile", Value::from(board.rule.profile.version().as_str())),
        ("missing_rule", board.rule.missing.into()),
        ("items", count(board.items.len() as u64)),
        ("missing", count(board.missing)),
        ("unscored_chains", count(chains.unscored)),
        ("unreachable", count(board.unreachable.len() as u64)),
        ("ast", pair(wilson(board.ast.right, board.ast.of))),
        ("dialog_acts", pair(wilson(acts.right, acts.of))),
        ("unclassified", count(board.acts.unclassified)),
        ("missing_turns", count(board.acts.missing)),
        ("parameter_validity", pair(board.validity.rate())),
        ("unjudged_parameters", count(board.validity.unjudged)),
        ("gold_parameter_validity", pair(reference.validity.rate())),
        ("classifier_f1", pair(reference.classifier.all().f1())),
    ];
    let further = slices.into_iter().chain(further).filter(|(_, value)| *value != Value::Null);
    all.extend(further.map(|(name, value)| (name.to_owned(), value)));
    all
}

/// The figures of chains, which the vectors have too.
pub(super) fn chains(board: &Board) -> Object {
    let value = |mean: &Mean| mean.estimate().map_or(Value::Null, |estimate| estimate.value.into());
    let entries = [
        ("chains", count(board.chains.all.estimate().map_or(0, |estimate| estimate.n))),
        ("ast_soft", value(&board.chains.all)),
        ("item_mean", value(&board.item_mean())),
        ("by_chain_length", slice(&board.chains.by_length)),
        ("string_score", board.rule.string_score.as_str().into()),
        ("combine", board.rule.combine.into()),
    ];
    entries.map(|(name, value)| (name.to_owned(), value)).into()
}

fn slice<K: AsRef<str>>(slice: &BTreeMap<K, Mean>) -> Value {
    let entries = slice.iter().map(|(name, mean)| (name.as_ref().to_owned(), pair(mean.estimate())));
    Value::Object(entries.collect())
}

fn pair(estimate: Option<Estimate>) -> Value {
    estimate.map_or(Value::Null, |it| Value::List(vec![count(it.n), it.value.into()]))
}

fn count(count: u64) -> Value {
    i64::try_from(count).unwrap_or(i64::MAX).into()
}

#[cfg(test)]
mod tests {
    use super::super::driver::tests::{LINES, scored};
    use super::super::turns::tests::judged;
    use super::*;
    use crate::bfcl::Profile;

    #[test]
    fn figures_come_with_their_rule() {
        let (board, _) = scored(LINES, Profile::Strict);
        insta::assert_snapshot!(Value::Object(summary(&board, &Reference::default())), @r#"{"predictions":"m","chains":2,"ast_soft":0.4,"item_mean":0.6,"by_chain_length":{"1":[1,0.8],"2":[1,0.0]},"string_score":"guarded_token_f1","combine":"product","by_functions":{},"by_user_turns":{},"by_position":{"1-5":[2,0.4]},"by_complexity":{},"profile":"bfcl strict, version 1","missing_rule":"fail","items":3,"missing":0,"unscored_chains":0,"unreachable":0,"ast":[3,0.3333333333333333],"dialog_acts":[2,0.5],"unclassified":0,"missing_turns":0,"unjudged_parameters":0}"#);
    }

    #[test]
    fn what_judges_say_of_the_gold_stands_beside() {
        let (board, _) = scored(LINES, Profile::Strict);
        let reference = judged(r#"{"hallucinated_parameters": [[]]}"#, "agent_other");
        let found = summary(&board, &reference);
        assert_eq!(found["gold_parameter_validity"].to_string(), "[3,1.0]");
        assert!(found["classifier_f1"].as_list().is_some() && !found.contains_key("parameter_validity"));
    }

    #[test]
    fn without_chains_there_is_no_figure_for_them() {
        let (board, _) = scored("", Profile::Strict);
        let found = chains(&board);
        assert_eq!(
            (found["chains"].to_string(), &found["ast_soft"], &found["item_mean"]),
            ("0".to_owned(), &Value::Null, &Value::Null)
        );
    }
}
