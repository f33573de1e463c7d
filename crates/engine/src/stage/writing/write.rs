//! Lets a model write queries with their arguments; what the query stages share.

use crate::failure::{ItemError, RunStopped};
use crate::gate::check_script;
use crate::llm::tasks::read_written;
use crate::record::{
    ArgumentNotes, DataType, Draw, FunctionCall, Item, ItemId, Provenance, Query, Record, Reject, Tool,
};
use crate::stage::context::Context;
use crate::stage::gates::parameters::mended;
use crate::stage::outcome::Outcome;
use crate::stage::writing::batch::{Batch, Voice, Wanted, Writer};
use std::sync::Arc;

/// The fact of an item's provenance that says why the person wants it.
pub const SITUATION: &str = "situation";

/// What is to be written.
pub struct Order<'a> {
    pub id: ItemId,
    pub root: &'a ItemId,
    pub tool: &'a Arc<Tool>,
    pub wanted: Wanted,
    pub data_type: &'a str,
    pub asks: u32,
    /// The requests that a model writes in the same answer; absent where it is written alone.
    pub batch: Option<Batch>,
    /// Draws that went before, such as the choice of parameters.
    pub draws: Vec<Draw>,
}

/// Draws a query. One that never passes tells what its own words ask for, where nothing but invented arguments is wrong.
pub async fn draw_query(context: &Context, order: Order<'_>) -> Result<Outcome, RunStopped> {
    let draft = Query {
        data_type: DataType(order.data_type.to_owned()),
        tool: order.tool.clone(),
        text: String::new(),
        external: None,
        hidden: None,
        call: FunctionCall::default(),
        preset: order.wanted.preset.clone(),
        notes: ArgumentNotes::new(),
        base: None,
    };
    let id = order.id.clone();
    let mut outcome = context.settled(&id, write_query(context, order).await)?;
    if let Some(reject) = outcome.rejected.first_mut() {
        mend(context, draft, reject);
    }
    Ok(outcome)
}

/// Where the last reply was a request with a call, the reject shows the request and both calls in place of the reply.
fn mend(context: &Context, draft: Query, reject: &mut Reject) {
    let Ok((written, _)) = read_written(&reject.text) else { return };
    let call = FunctionCall { name: draft.tool.name.clone(), arguments: written.parameters };
    let query = Query { text: written.query, call, ..draft };
    let is_fit = check_script(&query.text, context.language(), None).is_ok();
    if let Some(mended) = mended(context, &query).filter(|_| is_fit) {
        reject.text = query.text;
        reject.mended = Some(Box::new(mended));
    }
}

/// Asks until a query passes the format, parameter and script checks.
pub async fn write_query(context: &Context, order: Order<'_>) -> Result<Item, ItemError> {
    let bank = context.bank(order.tool).await?;
    let writer = Writer::new(context, &order, bank.as_deref());
    let Voice { style, seed, .. } = writer.voice(writer.ordinal());
    let (written, notes, draw, place) = writer.write().await?;
    let situation = writer.situation(writer.ordinal());
    let mut provenance = Provenance {
        template: context.is_template(context.role()),
        draws: order.draws,
        parents: vec![order.root.to_string()],
        ..Provenance::default()
    };
    provenance.draws.push(draw);
    provenance.facts.insert("style".to_owned(), style.clone());
    provenance.facts.extend(place.map(|place| ("batch".to_owned(), place)));
    provenance.facts.extend(situation.map(|situation| (SITUATION.to_owned(), situation)));
    if let Some(seed) = &seed {
        provenance.facts.insert("seed".to_owned(), serde_json::to_string(seed).unwrap_or_default());
    }
    let query = Query {
        data_type: DataType(order.data_type.to_owned()),
        tool: order.tool.clone(),
        text: written.query,
        external: None,
        hidden: None,
        call: FunctionCall { name: order.tool.name.clone(), arguments: written.parameters },
        preset: order.wanted.preset.clone(),
        notes,
        base: None,
    };
    Ok(Item { id: order.id.clone(), root: order.root.clone(), record: Record::Query(Box::new(query)), provenance })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Variables;
    use crate::stage::outcome::Fault;
    use crate::stage::testing::{Asked, context, queries, train, written};

    const TEXT: &str = "three seats to Porto at noon";
    const LABEL: &str = r#"{"seats": 3, "to": "Porto", "at": "noon"}"#;

    fn order<'a>(tool: &'a Arc<Tool>, root: &'a ItemId) -> Order<'a> {
        Order {
            id: root.child("write", 4),
            root,
            tool,
            wanted: Wanted { preset: tool.parameters.required.clone(), ..Wanted::default() },
            data_type: "ST_Perfect",
            asks: 3,
            batch: None,
            draws: Vec::new(),
        }
    }

    /// Writes with `replies`, one after the other.
    async fn write(replies: &[&str]) -> (Result<Item, ItemError>, Asked, Context) {
        let replies: Vec<String> = replies.iter().map(|reply| (*reply).to_owned()).collect();
        let (context, asked) = context(move |request| replies[(request.draw as usize).min(replies.len() - 1)].clone());
        let (tool, root) = (Arc::new(train()), ItemId::root("Travel.Trains.book"));
        let written = write_query(&context, order(&tool, &root)).await;
        (written, asked, context)
    }

    #[tokio::test]
    async fn a_draw_that_never_passes_tells_what_its_words_ask_for_where_that_is_known() {
        let (tool, root) = (Arc::new(train()), ItemId::root("Travel.Trains.book"));
        for (reply, is_known) in [
            (written(r#"{"to": "Porto", "at": "noon", "seats": 3, "bags": 1}"#, TEXT), true),
            (written(r#"{"to": "Porto", "at": "noon", "seats": 3, "quiet": true}"#, TEXT), true),
            (written(r#"{"to": "Lisbon", "at": "noon", "seats": 3}"#, TEXT), false),
            (written(r#"{"to": "Porto", "at": "noon"}"#, TEXT), false),
            ("no request at all".to_owned(), false),
        ] {
            let told = reply.clone();
            let (context, _) = context(move |_| told.clone());
            let outcome = draw_query(&context, order(&tool, &root)).await.unwrap();
            let reject = &outcome.rejected[0];
            let right = reject.mended.as_ref().map(|mended| mended.right.arguments.len());
            assert_eq!(right, is_known.then_some(3), "{reply}");
            assert_eq!(reject.text, if is_known { TEXT.to_owned() } else { reply });
        }
    }

    #[tokio::test]
    async fn a_query_comes_with_its_label_and_its_history() {
        let (item, asked, context) = write(&[&written(LABEL, TEXT)]).await;
        let item = item.unwrap();
        assert_eq!(item.id.as_str(), "Travel.Trains.book/write/4");
        let query = queries(std::slice::from_ref(&item))[0];
        assert_eq!((query.text.as_str(), query.data_type.0.as_str()), (TEXT, "ST_Perfect"));
        assert_eq!(query.call.arguments.keys().collect::<Vec<_>>(), ["to", "at", "seats"], "in declared order");
        assert_eq!(query.notes["seats"].surface.as_deref(), Some("three"));
        let provenance = &item.provenance;
        assert_eq!((provenance.template, provenance.draws.len()), (true, 1));
        assert_eq!(provenance.parents, ["Travel.Trains.book"]);
        assert!(context.pack().styles.iter().any(|style| style.name == provenance.facts["style"]));
        let Variables::WriteQuery(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!((variables.must_include.len(), variables.style.clone()), (3, provenance.facts["style"].clone()));
        assert!(variables.phrases.is_none() && variables.seed.is_none() && !variables.manner.is_empty());
    }

    #[tokio::test]
    async fn every_fault_is_asked_for_again_and_told() {
        for (first, told) in [
            ("no request at all".to_owned(), "there is no request"),
            (written(LABEL, "..."), "the request is empty"),
            (written("{\"to\": ", TEXT), "not a valid JSON object"),
            (written(r#"{"to": "Porto", "at": "noon"}"#, TEXT), "`seats` was to be given"),
            (
                written(r#"{"to": "Porto", "at": "noon", "seats": 3, "quiet": true}"#, TEXT),
                "`quiet` was not to be given",
            ),
            (written(r#"{"to": "Porto", "at": "noon", "seats": 3, "bags": 1}"#, TEXT), "no parameter `bags`"),
            (written(r#"{"to": "Lisbon", "at": "noon", "seats": 3}"#, TEXT), "does not say to"),
            (written(r#"{"to": "Porto", "at": "noon", "seats": "3"}"#, TEXT), "is no integer"),
            (
                written(LABEL, "three seats to Porto at noon, 내일 아침까지 꼭 좀 예약해 주세요 부탁드립니다"),
                "letters are English",
            ),
            (
                written(LABEL, "two seats, no wait, three seats to Porto at 9, or rather noon, hmm, to Faro"),
                "takes `Porto` back",
            ),
        ] {
            let (item, asked, _) = write(&[&first, &written(LABEL, TEXT)]).await;
            let item = item.unwrap();
            let fault = asked.faults()[1].clone();
            assert!(fault.contains(told), "{first}: {fault}");
            assert_eq!((asked.draws(), item.provenance.draws[0].draw), (vec![0, 1], 1));
        }
    }

    #[tokio::test]
    async fn who_never_writes_well_is_rejected_with_the_last_fault() {
        let (item, asked, context) = write(&["one", "two", "three"]).await;
        let Err(ItemError::Item { fault, text }) = item else { panic!("it was kept") };
        assert_eq!((fault.reason, text.as_str(), asked.count()), ("no_query", "three", 3));
        assert_eq!(context.counts()["stage"]["no_query"], 3);
        assert_ne!(fault, Fault::new("no_query", ""), "the detail says what was wrong");
    }

    #[tokio::test]
    async fn a_row_of_the_table_enters_prompt_and_provenance() {
        let (context, asked) = context(|_| written(LABEL, TEXT));
        let row: crate::record::Object = serde_json::from_str(r#"{"persona": "a nurse"}"#).unwrap();
        let context = context.with_table(vec![row.clone()]);
        let (tool, root) = (Arc::new(train()), ItemId::root("t"));
        let order = Order { id: root.child("write", 0), asks: 1, ..order(&tool, &root) };
        let item = write_query(&context, order).await.unwrap();
        assert_eq!(item.provenance.facts["seed"], r#"{"persona":"a nurse"}"#);
        let Variables::WriteQuery(variables) = &*asked.requests()[0].variables else { panic!("another task") };
        assert_eq!(variables.seed.as_ref(), Some(&row));
    }
}
