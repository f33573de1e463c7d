//! The authors' files as a stream of samples, with the lines on which items begin.

use crate::check::bench::{BenchError, Seen, file_name, open, unreadable};
use crate::check::entry::{Place, Thread};
use crate::format::each_element;
use crate::record::{Expected, REFUSAL_FACT, Sample};
use crate::suite::hammerbench::layout::{DataFile, HammerContent, HammerItem, import_item};

/// Shows every snapshot of every file, in the authors' order. One item is held at a time.
pub(crate) fn each_file(files: &[DataFile], visit: &mut dyn FnMut(Seen<'_>)) -> Result<(), BenchError> {
    let mut thread = Thread::default();
    files.iter().try_for_each(|file| each_item(file, &mut thread, visit))
}

fn each_item(file: &DataFile, thread: &mut Thread, visit: &mut dyn FnMut(Seen<'_>)) -> Result<(), BenchError> {
    let marked = file.marked_turns().map_err(|error| BenchError::Marks(error.to_string()))?.unwrap_or_default();
    let (name, mut at) = (file_name(&file.path), 0);
    let read = each_element(open(&file.path)?, &mut |line, text| {
        let place = Place { file: name.clone(), line };
        let marks = marked.get(at).map(Vec::as_slice).unwrap_or_default();
        match samples(file, text, at, marks) {
            Ok(all) => all.into_iter().for_each(|sample| visit(Ok(&thread.entry(place.clone(), sample)))),
            Err(message) => visit(Err(&unreadable(&place, &message))),
        }
        at += 1;
    });
    if let Err((line, message)) = read {
        visit(Err(&unreadable(&Place { file: name, line }, &message)));
    }
    Ok(())
}

/// The samples of an item. An import has no place for the words of a refusal, and the authors do not list the turns of
/// shifts and of values wanted again, which are always the last.
fn samples(file: &DataFile, text: &str, at: usize, marks: &[u32]) -> Result<Vec<Sample>, String> {
    let item: HammerItem = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut all = import_item(file, &item, at, marks);
    let last = all.last_mut().ok_or("no user turn has a label")?;
    if let (Expected::Refusal, Some(HammerContent::Text(refusal))) =
        (&last.expected, item.messages.last().map(|message| &message.content))
    {
        last.provenance.facts.insert(REFUSAL_FACT.to_owned(), refusal.clone());
    }
    if let Some(snapshot) = last.snapshot.as_mut().filter(|_| matches!(last.data_type.0.as_str(), "IS" | "mSv")) {
        snapshot.marked = Some(snapshot.turn == snapshot.turns);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(data_type: &str, end: &str) -> Result<Vec<Sample>, String> {
        let file = DataFile { path: "x.json".into(), locale: "en".to_owned(), data_type: Some(data_type.to_owned()) };
        let call = r#"{"role": "function call", "content": {"name": "A.B.c", "arguments": {}}}"#;
        let text = format!(
            r#"{{"id": 3, "multiple_tools": [], "single_tool": [], "messages": [{{"role": "user", "content": "hi"}}, {call},
            {{"role": "assistant", "content": "when?"}}, {{"role": "user", "content": "noon"}}, {end}]}}"#
        );
        samples(&file, &text.replace("CALL", call), 0, &[])
    }

    #[test]
    fn the_words_of_a_refusal_are_kept() {
        let samples = of("IS", r#"{"role": "assistant", "content": "Sorry."}"#).unwrap();
        assert_eq!(samples[1].provenance.facts[REFUSAL_FACT], "Sorry.");
        assert!(samples[0].provenance.facts.is_empty() && samples[1].snapshot.as_ref().unwrap().marked == Some(true));
    }

    #[test]
    fn a_value_that_is_wanted_again_is_wanted_last() {
        let marked = |data_type| -> Vec<bool> {
            let samples = of(data_type, "CALL").unwrap();
            samples.iter().filter_map(|sample| Some(sample.snapshot.as_ref()?.marked == Some(true))).collect()
        };
        assert_eq!((marked("mSv"), marked("Based")), (vec![false, true], vec![false, false]));
    }

    #[test]
    fn an_item_without_a_label_is_a_fault() {
        let file = DataFile { path: "x.json".into(), locale: "en".to_owned(), data_type: Some("Based".to_owned()) };
        let fault = |text: &str| samples(&file, text, 0, &[]).unwrap_err();
        assert_eq!(fault(r#"{"messages": [], "multiple_tools": []}"#), "no user turn has a label");
        assert!(fault("{}").starts_with("missing field"));
    }
}
