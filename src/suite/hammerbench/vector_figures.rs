//! Figures of both levels on HammerBench's vectors, group by group.

use super::vectors::{Case, Judged};
use crate::record::{Object, Value};
use crate::score::hammerbench::upstream::{Conversations, Facts, Flag, Metric, Snapshots};
use indexmap::IndexMap;

/// Of this data type the last snapshot has no call to compare, which breaks the authors' evaluator.
const SHIFT: &str = "IS";

/// A turn with its place in the conversation, what was found of it, and whether it is marked.
type Turn = (u64, Facts, bool);

/// Figures where no snapshot knows of another: of each locale, of each of its data types, of what could be parsed.
pub(super) fn snapshot_figures(cases: &IndexMap<String, Case>, judged: &[Judged], give: &mut dyn FnMut(Object)) {
    let mut groups: IndexMap<String, Snapshots> = IndexMap::new();
    for it in judged {
        let Some(case) = cases.get(&it.key) else { continue };
        let mut add = |group: String, facts: &Facts| groups.entry(group).or_default().add(facts);
        add(case.locale.clone(), &it.facts);
        add(format!("{}/{}", case.locale, case.data_type), &it.facts);
        if Metric::for_locale(&case.locale) == Metric::English {
            add(format!("{}_en_metric", case.locale), &it.facts);
            add(format!("{}_zh_metric", case.locale), &it.by_chinese);
        }
        if it.facts.parsed {
            add(format!("{}_parsable_only", case.locale), &it.facts);
        }
    }
    for (group, sums) in groups {
        give(figures(&format!("snapshot_level/{group}"), &sums.figures()));
    }
}

/// Figures of whole conversations: of each data type, and of all that have several turns.
pub(super) fn conversation_figures(cases: &IndexMap<String, Case>, judged: &[Judged], give: &mut dyn FnMut(Object)) {
    let mut conversations: IndexMap<(&str, &str, &str), Vec<Turn>> = IndexMap::new();
    let facts: IndexMap<&str, Facts> = judged.iter().map(|it| (it.key.as_str(), it.facts)).collect();
    for (key, case) in cases.iter().filter(|(_, case)| case.data_type != SHIFT) {
        let Some(facts) = facts.get(key.as_str()) else { continue };
        let id = (case.locale.as_str(), case.data_type.as_str(), case.conversation.as_str());
        conversations.entry(id).or_default().push((case.turn, *facts, case.is_marked));
    }
    let mut groups: IndexMap<(String, Flag), Conversations> = IndexMap::new();
    for ((locale, data_type, _), mut turns) in conversations {
        turns.sort_by_key(|(turn, ..)| *turn);
        let turns: Vec<(Facts, bool)> = turns.into_iter().map(|(_, facts, is_marked)| (facts, is_marked)).collect();
        let several = (!data_type.contains("ST-")).then(|| format!("{locale}/ALL-multi-turn-except-IS"));
        for group in [Some(format!("{locale}/{data_type}")), several].into_iter().flatten() {
            for flag in [Flag::All, Flag::First, Flag::Last, Flag::Marked] {
                groups.entry((group.clone(), flag)).or_insert_with(|| Conversations::new(flag)).add(&turns);
            }
        }
    }
    for ((group, flag), sums) in groups {
        give(figures(&format!("conversation_level/{group}/{}", flag.as_str()), &sums.figures()));
    }
}

/// The paper's own measure of intent shifts, at which the evaluator breaks off.
pub(super) fn intent_shift(cases: &IndexMap<String, Case>, judged: &[Judged], give: &mut dyn FnMut(Object)) {
    let ends = judged.iter().filter(|it| it.facts.terminal && cases.contains_key(&it.key));
    let (mut all, mut terminated, mut exact) = (0_i64, 0_i64, 0_i64);
    for end in ends {
        all += 1;
        terminated += i64::from(!end.facts.parsed && end.facts.refusal_word);
        exact += i64::from(end.is_exact);
    }
    let entries = [
        ("key", Value::from("intent_shift_ours")),
        ("n", all.into()),
        ("terminated", terminated.into()),
        ("exact_string", exact.into()),
    ];
    give(entries.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
}

/// A group's figures as a line.
fn figures(key: &str, figures: &impl serde::Serialize) -> Object {
    let mut object = Object::new();
    object.insert("key".to_owned(), key.into());
    if let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(figures) {
        object.extend(fields.into_iter().map(|(name, value)| (name, Value::from(value))));
    }
    object
}
