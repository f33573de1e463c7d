//! Takes those items out of the answers that could be taken for the one that is meant (`ComplexFuncBench`, section 3.3).

use crate::complexfunc::stage::needed::CHOICES;
use crate::complexfunc::stage::plans::{inferred, meant, without, without_rivals};
use crate::record::{ComplexQuery, Item, Record, RecordKind, Step};
use crate::stage::context::Context;
use crate::stage::facts::StageMeta;
use crate::stage::outcome::{Fault, Outcome};
use crate::stage::work::Stage;
use crate::toolset::Declaration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Removes the items from the answers that could be mistaken for the intended one; unrelated items stay.
#[derive(Debug, Clone, PartialEq, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DisambiguateConfig {}

/// The reason of an item of which nothing tells why it was taken.
const UNEXPLAINED: &str = "unexplained_item";

impl Stage for DisambiguateConfig {
    fn meta(&self) -> StageMeta {
        StageMeta::gate("disambiguate", &[RecordKind::ComplexQuery])
    }

    /// Looks at what every argument is taken from: a plan says what makes an item the one, else the functions' picks and
    /// the request's words tell.
    fn apply(&self, context: &Context, mut item: Item) -> Outcome {
        let Record::ComplexQuery(query) = &mut item.record else { return Outcome::keep(item) };
        let Some(world) = context.domains().declared() else { return Outcome::keep(item) };
        match unambiguous(context, world.declaration(), query) {
            Ok((steps, removed)) => {
                query.steps = steps;
                if removed > 0 {
                    item.provenance.facts.insert("removed_items".to_owned(), removed.to_string());
                }
                Outcome::keep(item)
            }
            // Where no rule tells why, whoever judged the whole request did.
            Err(fault)
                if fault.reason == UNEXPLAINED
                    && query.plan.is_none()
                    && item.provenance.facts.contains_key(CHOICES) =>
            {
                Outcome::keep(item)
            }
            Err(fault) => {
                let text = query.text.clone();
                context.reject(&item.id, fault, text)
            }
        }
    }
}

/// The steps without what could be taken for an item that is meant, and how many items those were.
fn unambiguous(
    context: &Context,
    declaration: &Declaration,
    query: &ComplexQuery,
) -> Result<(Vec<Step>, usize), Fault> {
    let found = if let Some(plan) = &query.plan {
        without(declaration, &query.steps, &meant(plan, &query.slots))
    } else {
        let found = inferred(declaration, &query.steps, (&query.text, context.language()))
            .map_err(|fault| Fault::new(UNEXPLAINED, fault.to_string()))?;
        without_rivals(&query.steps, &found)
    };
    let detail = "an item that one call needs could be taken for one that another needs";
    found.ok_or_else(|| Fault::new("ambiguous_answer", detail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complexfunc::stage::model::annotate::AnnotateConfig;
    use crate::complexfunc::stage::model::trace::testing::complex;
    use crate::complexfunc::stage::model::trace::testing::{coarse, complex_item, inn};
    use crate::complexfunc::stage::plans::testing::{item as taken, lodging, planned_item, stay, walked};
    use crate::complexfunc::stage::plans::{Walked, at, place};
    use crate::record::{Plan, Value};
    use crate::settings::section::read_text;
    use crate::stage::testing::context;
    use crate::stage::testing::{silent, tool_item, train};

    /// The place of the inn that a pick means.
    fn index(walked: &Walked, pick: &str) -> usize {
        walked.meant[&(1, pick.to_owned())].item.rsplit('/').next().unwrap().parse().unwrap()
    }

    /// A stay whose cheapest inn, which stands first, is as cheap as another one that stands elsewhere.
    fn alike(context: &Context, plan: &Plan, other: impl Fn(&Walked) -> usize) -> Item {
        let fitting = (0..30).map(|draw| walked(plan, draw)).find(|it| other(it) > 0 && index(it, "cheapest") == 0);
        let mut walked = fitting.unwrap();
        let place_of = |inn: usize| format!("/data/inns/{inn}/total");
        let rival = place_of(other(&walked));
        let answer = &mut walked.steps[1].answers[0];
        let total = at(answer, &place_of(0)).unwrap().clone();
        *place(answer, &rival).unwrap() = total;
        planned_item(context, plan, &walked)
    }

    fn inns(query: &ComplexQuery) -> usize {
        at(&query.steps[1].answers[0], "/data/inns").and_then(Value::as_list).unwrap().len()
    }

    #[test]
    fn rivals_go_and_what_points_at_the_meant_item_follows_it() {
        let context = lodging(|text| text);
        let item = alike(&context, &stay(), |_| 1);
        let token = complex(std::slice::from_ref(&item))[0].steps[2].calls[0].arguments["token"].clone();
        let outcome = DisambiguateConfig {}.apply(&context, item);
        assert_eq!(outcome.kept[0].provenance.facts["removed_items"], "1");
        let query = complex(&outcome.kept)[0];
        let (_, field) = query.steps[2].notes[0]["token"].origin.answer().unwrap();
        assert_eq!((at(&query.steps[1].answers[0], field), inns(query)), (Some(&token), 7));
        let again = DisambiguateConfig {}.apply(&context, outcome.kept[0].clone());
        assert_eq!(again, Outcome::keep(outcome.kept[0].clone()), "once is enough");
    }

    #[test]
    fn what_is_unambiguous_stays_as_it_is() {
        let context = lodging(|text| text);
        let item = planned_item(&context, &stay(), &walked(&stay(), 0));
        assert_eq!(DisambiguateConfig {}.apply(&context, item.clone()), Outcome::keep(item));
    }

    #[test]
    fn an_item_that_is_needed_and_a_rival_at_once_rejects_the_query() {
        let context = lodging(|text| text);
        let mut plan = stay();
        let mut other = plan.calls[2].clone();
        (other.arguments["token"], other.twin) = (taken(1, "best", "/token"), Some(2));
        plan.calls.push(other);
        let item = alike(&context, &plan, |walked| index(walked, "best"));
        let outcome = DisambiguateConfig {}.apply(&context, item);
        assert_eq!((outcome.kept.len(), outcome.rejected[0].reason.as_str()), (0, "ambiguous_answer"));
        assert_eq!(outcome.rejected[0].text, "an inn, please");
    }

    #[test]
    fn without_a_world_and_of_other_kinds_all_pass() {
        let item = alike(&lodging(|text| text), &stay(), |_| 3);
        assert_eq!(DisambiguateConfig {}.apply(&silent(), item.clone()), Outcome::keep(item));
        let context = lodging(|text| text);
        assert_eq!(DisambiguateConfig {}.apply(&context, tool_item(train())), Outcome::keep(tool_item(train())));
    }

    const FIND: &str = r#"[{"name": "Find_Town", "arguments": {"query": "Greyford"}}]"#;
    const SEARCH: &str = r#"[{"name": "Search_Inns", "arguments": {"town_id": "T2", "arrival": "2024-11-01", "departure": "2024-11-04"}}]"#;

    /// A request that a model serves: it finds the town, searches its inns, and books the one at this place of the list.
    async fn booked(text: impl Fn(&Value) -> String, place: usize) -> (Context, Item) {
        let world = inn(silent());
        let mut session = world.domains().declared().unwrap().session();
        let search: Vec<crate::record::FunctionCall> = serde_json::from_str(SEARCH).unwrap();
        let answer = session.call(&search[0].name, &search[0].arguments).unwrap();
        let token = at(&answer, &format!("/data/inns/{place}/token")).unwrap().to_string();
        let book = format!(r#"[{{"name": "Book_Inn", "arguments": {{"token": {token}}}}}]"#);
        let turns = [FIND.to_owned(), SEARCH.to_owned(), book, "It is booked.".to_owned()];
        let context = inn(context(move |request| turns[request.history.len() / 2].clone()).0);
        let said = format!("{} in Greyford from November 1, 2024 until November 4, 2024", text(&answer));
        let item = complex_item(coarse(&context, &said, &["Book_Inn"]));
        let annotate: AnnotateConfig = read_text("manner = \"prompt\"").unwrap();
        let item = annotate.each(&context, item).await.unwrap().kept.remove(0);
        (context, item)
    }

    #[tokio::test]
    async fn what_a_model_took_is_explained_by_a_pick_and_its_rivals_go() {
        let (context, mut item) = booked(|_| "Book the cheapest inn".to_owned(), 0).await;
        assert_eq!(DisambiguateConfig {}.apply(&context, item.clone()), Outcome::keep(item.clone()));
        let Record::ComplexQuery(query) = &mut item.record else { panic!("another record") };
        let answer = &mut query.steps[1].answers[0];
        let total = at(answer, "/data/inns/0/total").unwrap().clone();
        *place(answer, "/data/inns/1/total").unwrap() = total;
        let outcome = DisambiguateConfig {}.apply(&context, item);
        assert_eq!(
            (outcome.kept[0].provenance.facts["removed_items"].as_str(), inns(complex(&outcome.kept)[0])),
            ("1", 2)
        );
    }

    #[tokio::test]
    async fn what_a_model_took_for_its_name_is_the_one_of_that_name() {
        let name = |answer: &Value| at(answer, "/data/inns/2/name").and_then(Value::as_str).unwrap().to_owned();
        let (context, item) = booked(|answer| format!("Book {}", name(answer)), 2).await;
        assert_eq!(DisambiguateConfig {}.apply(&context, item.clone()), Outcome::keep(item));
    }

    #[tokio::test]
    async fn what_a_model_took_without_a_reason_rejects_the_query() {
        let (context, item) = booked(|_| "Book the cheapest inn".to_owned(), 1).await;
        let outcome = DisambiguateConfig {}.apply(&context, item);
        assert_eq!(outcome.rejected[0].reason, "unexplained_item", "{:?}", outcome.kept);
        assert!(outcome.rejected[0].detail.contains("`/data/inns/1` of the answer of `Search_Inns`"));
    }
}
