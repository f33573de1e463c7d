//! Which items of the answers are meant where no plan says so: those that arguments were taken from, as far as a pick
//! of their function explains why it was that item.

use super::picked::{Found, Picked, at, items, picked};
use super::walk::is_cut_off;
use crate::locale::{Language, Stand, value_stands};
use crate::record::{FunctionCall, Origin, Step, Value};
use crate::toolset::{Criterion, Declaration, Function, Pick};
use indexmap::IndexMap;

/// An item that a call took something from, and of which nothing tells why it was that one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("nothing tells why {argument} was taken from `{item}` of the answer of `{function}`")]
pub(crate) struct Unexplained {
    argument: String,
    item: String,
    function: String,
}

/// The items that are meant by a request's text, by call.
pub(crate) fn inferred(
    declaration: &Declaration,
    steps: &[Step],
    (text, language): (&str, &Language),
) -> Result<Found, Unexplained> {
    let text = Said { text, lower: text.to_lowercase(), language };
    let made: Vec<(&FunctionCall, &Value)> =
        steps.iter().flat_map(|step| step.calls.iter().zip(&step.answers)).collect();
    let mut found = Found::new();
    for (name, note) in steps.iter().flat_map(|step| &step.notes).flatten() {
        let (call, field, is_derived) = match &note.origin {
            Origin::Answer { call, field } => (*call, field, false),
            Origin::Derived { call, field } => (*call, field, true),
            _ => continue,
        };
        let Some((made, answer)) = made.get(call) else { continue };
        let Some(function) = declaration.functions.get(&made.name) else { continue };
        let picks = innermost(&function.picks, field);
        let Some(item) =
            picks.first().and_then(|(_, pick)| item_of(&pick.item, field)).or_else(|| chosen(answer, field))
        else {
            continue;
        };
        let reasons = Reasons { answer, made, item: &item, said: &text, function };
        let rivals = match reasons.rivals(&picks) {
            Some(rivals) => rivals,
            // An hour may be that of any item that has it.
            None if is_derived => Vec::new(),
            None => return Err(Unexplained { argument: name.clone(), item, function: made.name.clone() }),
        };
        let known = found.entry(call).or_default();
        let one = Picked { item, rivals };
        if !known.contains(&one) {
            known.push(one);
        }
    }
    Ok(found)
}

/// The picks over the innermost list that a place lies in.
fn innermost<'p>(picks: &'p IndexMap<String, Pick>, field: &str) -> Vec<(&'p str, &'p Pick)> {
    let depth = |pick: &Pick| pick.item.split('/').count();
    let around = picks.iter().filter(|(_, pick)| item_of(&pick.item, field).is_some());
    let mut around: Vec<(&str, &Pick)> = around.map(|(name, pick)| (name.as_str(), pick)).collect();
    let deepest = around.iter().map(|(_, pick)| depth(pick)).max();
    around.retain(|(_, pick)| Some(depth(pick)) == deepest);
    around
}

/// The item in which a place lies, of a list at a pointer in which `0` stands for each; none where it is in no such item.
fn item_of(list: &str, field: &str) -> Option<String> {
    let (wanted, parts): (Vec<&str>, Vec<&str>) = (list.split('/').collect(), field.split('/').collect());
    let is_any = |part: &str| part.chars().all(|it| it.is_ascii_digit());
    let fits = wanted.iter().zip(&parts).all(|(wanted, part)| wanted == part || (*wanted == "0" && is_any(part)));
    let item = parts.get(..wanted.len()).filter(|_| fits && wanted.contains(&"0"))?;
    Some(item.join("/"))
}

/// The innermost item of several in which a place lies, by the answer itself.
fn chosen(answer: &Value, field: &str) -> Option<String> {
    let parts: Vec<&str> = field.split('/').collect();
    let is_one_of_several = |end: &usize| {
        let list = at(answer, &parts[..end - 1].join("/")).and_then(Value::as_list);
        list.is_some_and(|list| list.len() > 1)
    };
    (2..=parts.len()).rev().find(is_one_of_several).map(|end| parts[..end].join("/"))
}

/// What a request says.
struct Said<'s> {
    text: &'s str,
    lower: String,
    language: &'s Language,
}

impl Said<'_> {
    fn says(&self, value: &Value) -> bool {
        value_stands(self.text, value, &Stand::default(), self.language).is_some()
    }

    /// Whether it has a word by which a pick is told from the function's others.
    fn points(&self, function: &Function, name: &str) -> bool {
        let words = |name: &str| -> Vec<String> {
            let phrases = function.sayings.picks.get(name).into_iter().flatten();
            phrases.flat_map(|phrase| words_of(phrase)).collect()
        };
        let others: Vec<String> = function.picks.keys().filter(|it| *it != name).flat_map(|it| words(it)).collect();
        // What the function is about at all tells nothing of its items.
        let sayings = &function.sayings;
        let about = sayings.asks.iter().chain(&sayings.things).chain(std::iter::once(&function.description));
        let about = about.map(|text| text.to_lowercase()).collect::<Vec<_>>().join(" ");
        let own = words(name).into_iter().filter(|word| !others.contains(word) && !about.contains(word.as_str()));
        own.into_iter().any(|word| self.lower.contains(&word))
    }
}

/// The words of a phrase in small letters, without the names of its slots.
fn words_of(phrase: &str) -> Vec<String> {
    let outside = phrase.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    let words = outside.flat_map(|text| text.split(|letter: char| !letter.is_alphanumeric() && letter != '-'));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Why an item may have been taken.
struct Reasons<'r> {
    answer: &'r Value,
    made: &'r FunctionCall,
    item: &'r str,
    said: &'r Said<'r>,
    function: &'r Function,
}

impl Reasons<'_> {
    /// The others that the strongest reasons for the item hold for as well; none where there is no reason. A name that
    /// is said is stronger than what was asked for, that than an extreme of which the request has words, that than other
    /// extremes, and all are stronger than the first place.
    fn rivals(&self, picks: &[(&str, &Pick)]) -> Option<Vec<String>> {
        let found: Vec<(u8, Vec<String>)> =
            picks.iter().filter_map(|(name, pick)| Some((self.rank(name, pick), self.rivals_of(pick)?))).collect();
        let strongest = found.iter().map(|(rank, _)| *rank).min()?;
        let mut rivals: Vec<String> =
            found.into_iter().filter(|(rank, _)| *rank == strongest).flat_map(|(_, rivals)| rivals).collect();
        rivals.sort_unstable();
        rivals.dedup();
        Some(rivals)
    }

    /// The others that a pick could mean; none where it does not mean the item.
    fn rivals_of(&self, pick: &Pick) -> Option<Vec<String>> {
        let text = match &pick.by {
            Criterion::Named(field) => {
                Some(at(self.answer, &format!("{}{field}", self.item)).filter(|it| self.said.says(it))?)
            }
            _ => None,
        };
        let found = picked(self.answer, pick, self.made, text)?;
        let mut fitting: Vec<String> = std::iter::once(found.item).chain(found.rivals).collect();
        let place = fitting.iter().position(|it| it == self.item)?;
        fitting.remove(place);
        (!is_cut_off(self.answer, pick) || self.leads(pick)).then_some(fitting)
    }

    fn rank(&self, name: &str, pick: &Pick) -> u8 {
        match &pick.by {
            Criterion::Named(_) => 0,
            Criterion::Asked { .. } => 1,
            Criterion::Least(_) | Criterion::Most(_) => 3 - u8::from(self.said.points(self.function, name)),
            Criterion::First | Criterion::Chosen(_) => 4,
        }
    }

    /// Whether the items come in the order of an extreme and this is the first, so that none that is not shown is beyond it.
    fn leads(&self, pick: &Pick) -> bool {
        let (Criterion::Least(field) | Criterion::Most(field)) = &pick.by else { return true };
        let all = items(self.answer, &pick.item);
        let numbers: Vec<f64> =
            all.iter().filter_map(|(_, item)| Some(at(item, field)?.as_number()?.as_f64())).collect();
        let is_least = matches!(pick.by, Criterion::Least(_));
        let in_order = numbers.windows(2).all(|pair| if is_least { pair[0] <= pair[1] } else { pair[0] >= pair[1] });
        in_order && numbers.len() == all.len() && all.first().is_some_and(|(first, _)| first == self.item)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::inn;
    use super::*;
    use serde_json::json;

    /// Inns by their names and prices, as a search for an argument finds them; more may be there than are shown.
    fn answer(inns: &[(&str, f64)], count: usize) -> Value {
        let inns: Vec<_> =
            inns.iter().map(|(name, total)| json!({"name": name, "total": total, "token": name})).collect();
        serde_json::from_value(json!({"data": {"inns": inns, "count": count}})).unwrap()
    }

    /// What is meant where the token of one of the inns is taken.
    fn found(answer: &Value, taken: usize, text: &str) -> Result<Vec<Picked>, String> {
        let origin = json!({"answer": {"call": 0, "field": format!("/data/inns/{taken}/token")}});
        let steps: Vec<Step> = serde_json::from_value(json!([
            {"calls": [{"name": "Search_Inns", "arguments": {}}], "answers": [answer], "notes": [{}]},
            {"calls": [{"name": "Book_Inn", "arguments": {"token": "x"}}], "answers": [{}],
             "notes": [{"token": {"origin": origin}}]},
        ]))
        .unwrap();
        let found =
            inferred(inn().declaration(), &steps, (text, &Language::load(crate::fixtures::assets(), "en").unwrap()))
                .map_err(|fault| fault.to_string())?;
        Ok(found.into_iter().flat_map(|(_, picks)| picks).collect())
    }

    fn rivals(answer: &Value, taken: usize, text: &str) -> Result<Vec<String>, String> {
        found(answer, taken, text).map(|it| it[0].rivals.clone())
    }

    #[test]
    fn a_name_that_is_said_goes_before_an_extreme() {
        let answer = answer(&[("Fox", 7.0), ("Owl", 7.0), ("Fox", 9.0)], 3);
        assert_eq!(rivals(&answer, 0, "the Fox"), Ok(vec!["/data/inns/2".to_owned()]));
        assert_eq!(rivals(&answer, 2, "the Fox"), Ok(vec!["/data/inns/0".to_owned()]), "the later one is meant");
        assert_eq!(rivals(&answer, 0, "the cheapest inn"), Ok(vec!["/data/inns/1".to_owned()]));
        assert_eq!(found(&answer, 1, "the cheapest").unwrap()[0].item, "/data/inns/1");
    }

    #[test]
    fn what_no_pick_means_is_not_explained() {
        let answer = answer(&[("Fox", 7.0), ("Owl", 8.0), ("Elk", 9.0)], 3);
        let fault = rivals(&answer, 1, "an inn").unwrap_err();
        assert_eq!(fault, "nothing tells why token was taken from `/data/inns/1` of the answer of `Search_Inns`");
        assert_eq!(rivals(&answer, 1, "the Owl"), Ok(Vec::new()));
    }

    #[test]
    fn an_extreme_of_a_page_is_one_of_all_if_the_page_begins_with_it() {
        let shown = [("Fox", 7.0), ("Owl", 8.0)];
        assert_eq!(rivals(&answer(&shown, 8), 0, ""), Ok(Vec::new()));
        let turned = [("Owl", 8.0), ("Fox", 7.0)];
        assert!(rivals(&answer(&turned, 8), 1, "").is_err(), "a later page may have a cheaper one");
        assert_eq!(rivals(&answer(&turned, 2), 1, ""), Ok(Vec::new()));
    }

    #[test]
    fn of_several_extremes_that_counts_of_which_there_are_words() {
        let inns = json!([{"total": 7, "stars": 5}, {"total": 8, "stars": 5}]);
        let answer: Value = serde_json::from_value(json!({"data": {"inns": inns}})).unwrap();
        assert_eq!(rivals(&answer, 0, "the cheapest"), Ok(Vec::new()));
        assert_eq!(rivals(&answer, 0, "the one with the most stars"), Ok(vec!["/data/inns/1".to_owned()]));
        assert_eq!(rivals(&answer, 0, "an inn"), Ok(vec!["/data/inns/1".to_owned()]), "either may be meant");
        assert_eq!(words_of("the {name} of {slug}[ on {date|을}]"), ["the", "of", "on"]);
    }

    #[test]
    fn places_lie_in_items_of_lists() {
        assert_eq!(item_of("/data/0", "/data/12/id").as_deref(), Some("/data/12"));
        assert_eq!(item_of("/a/0/b/0", "/a/1/b/2").as_deref(), Some("/a/1/b/2"));
        assert_eq!(
            (item_of("/data/0", "/data"), item_of("/data/0", "/date/1"), item_of("/data", "/data/x")),
            (None, None, None)
        );
        let nested = Value::read(r#"{"a": [{"b": [1]}, {"b": [2, 3]}], "c": {"d": 1}}"#).unwrap();
        let chosen = |field: &str| chosen(&nested, field);
        assert_eq!([chosen("/a/0/b/0"), chosen("/a/1/b/0")], [Some("/a/0".to_owned()), Some("/a/1/b/0".to_owned())]);
        assert_eq!(chosen("/c/d"), None, "there is nothing to choose from");
    }
}
