//! The sheet that people review samples in: written for a spreadsheet, read back, and put into the samples.

use crate::record::{Argument, ArgumentNotes, Expected, FunctionCall, Origin, Review, Role, Sample, Value};
use indexmap::IndexMap;
use std::io::{Read, Write};

/// The columns. People fill in `decision` and `note`, and change `query` and `expected` where they edit.
pub const COLUMNS: [&str; 8] = ["id", "type", "locale", "dialogue", "query", "expected", "decision", "note"];

/// What somebody decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// It stays as it is.
    Accept,
    /// It stays with changes.
    Edit,
    /// It goes.
    Reject,
}

/// What somebody said of one sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opinion {
    /// The line in the sheet, from 1.
    pub line: u64,
    /// The decision.
    pub decision: Decision,
    /// The request in other words; empty where it stays.
    pub query: String,
    /// The right answer as JSON; empty where it stays.
    pub expected: String,
    /// A remark.
    pub note: String,
}

/// Why a sheet cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SheetError {
    /// It is no table.
    #[error("the sheet cannot be read: {0}")]
    Csv(#[from] csv::Error),
    /// A column is missing.
    #[error("the sheet has no column `{0}`")]
    Column(&'static str),
    /// A decision is none.
    #[error("line {line}: invalid decision `{word}`: expected `accept`, `edit`, `reject` or nothing")]
    Decision {
        /// The line.
        line: u64,
        /// What stands there.
        word: String,
    },
    /// A sample stands there twice.
    #[error("line {line}: duplicate decision for `{id}`")]
    Twice {
        /// The line.
        line: u64,
        /// The sample.
        id: String,
    },
}

/// A sheet that is being written.
pub struct Sheet<W: Write> {
    out: csv::Writer<W>,
}

impl<W: Write> Sheet<W> {
    /// Begins a sheet; cells stand apart by `separator`.
    pub fn begin(out: W, separator: u8) -> csv::Result<Self> {
        let mut out = csv::WriterBuilder::new().delimiter(separator).from_writer(out);
        out.write_record(COLUMNS)?;
        Ok(Self { out })
    }

    /// Adds a sample.
    pub fn put(&mut self, sample: &Sample) -> csv::Result<()> {
        let expected = serde_json::to_string(&sample.expected).unwrap_or_default();
        let query = sample.query();
        let cells =
            [sample.id.as_str(), &sample.data_type.0, &sample.locale, &sample.shown(), &query, &expected, "", ""];
        self.out.write_record(cells.map(guarded))
    }

    /// Ends the sheet.
    pub fn finish(mut self) -> csv::Result<()> {
        Ok(self.out.flush()?)
    }
}

/// Reads what people decided, by id; rows without a decision say nothing.
pub fn read_sheet(mut input: impl Read) -> Result<IndexMap<String, Opinion>, SheetError> {
    let mut text = String::new();
    input.read_to_string(&mut text).map_err(csv::Error::from)?;
    let text = text.trim_start_matches('\u{feff}');
    let head = text.lines().next().unwrap_or_default();
    let separator = [b'\t', b';'].into_iter().find(|it| head.contains(char::from(*it))).unwrap_or(b',');
    let mut rows = csv::ReaderBuilder::new().delimiter(separator).flexible(true).from_reader(text.as_bytes());
    let headings = rows.headers()?.clone();
    let place = |name: &str| headings.iter().position(|it| it.trim().eq_ignore_ascii_case(name));
    let id = place("id").ok_or(SheetError::Column("id"))?;
    let decision = place("decision").ok_or(SheetError::Column("decision"))?;
    let [query, expected, note] = ["query", "expected", "note"].map(place);
    let mut opinions = IndexMap::new();
    for row in rows.records() {
        let row = row?;
        let line = row.position().map_or(0, csv::Position::line);
        let cell = |at: Option<usize>| unguarded(at.and_then(|at| row.get(at)).unwrap_or_default());
        let Some(decision) = Decision::read(&cell(Some(decision)), line)? else { continue };
        let opinion = Opinion { line, decision, query: cell(query), expected: cell(expected), note: cell(note) };
        let id = cell(Some(id));
        if opinions.insert(id.clone(), opinion).is_some() {
            return Err(SheetError::Twice { line, id });
        }
    }
    Ok(opinions)
}

impl Decision {
    fn read(word: &str, line: u64) -> Result<Option<Self>, SheetError> {
        match word.trim().to_lowercase().as_str() {
            "" => Ok(None),
            "accept" | "accepted" => Ok(Some(Self::Accept)),
            "edit" | "edited" => Ok(Some(Self::Edit)),
            "reject" | "rejected" => Ok(Some(Self::Reject)),
            _ => Err(SheetError::Decision { line, word: word.trim().to_owned() }),
        }
    }
}

impl Opinion {
    /// The sample as it is after the review, with a word in its provenance; the error says why an edit cannot be.
    pub fn apply(&self, sample: &Sample) -> Result<Sample, String> {
        let mut sample = sample.clone();
        sample.review = match self.decision {
            Decision::Accept => Review::Accepted,
            Decision::Reject => Review::Rejected,
            Decision::Edit => self.edit(&mut sample)?,
        };
        if !self.note.trim().is_empty() {
            sample.provenance.facts.insert("review_note".to_owned(), self.note.trim().to_owned());
        }
        Ok(sample)
    }

    /// Changes what was changed; where nothing was, the sample is accepted as it is.
    fn edit(&self, sample: &mut Sample) -> Result<Review, String> {
        let (before, query) = (sample.query(), self.query.trim());
        let expected = match self.expected.trim() {
            "" => sample.expected.clone(),
            text => {
                serde_json::from_str(text).map_err(|error| format!("invalid expected answer in `expected`: {error}"))?
            }
        };
        let says_other = !query.is_empty() && query != before.trim();
        if !says_other && expected == sample.expected {
            return Ok(Review::Accepted);
        }
        if says_other {
            let said = sample.messages.iter_mut().rev().find(|message| message.role == Role::User);
            said.ok_or("no user message to edit")?.content = Some(query.to_owned());
            sample.provenance.facts.insert("query_before_review".to_owned(), before);
        }
        if let (Expected::Call(old), Expected::Call(new)) = (&sample.expected, &expected) {
            sample.arguments = notes(&sample.arguments, old, new, &sample.query());
        }
        sample.acceptable.retain(|name, _| values(&sample.expected, name) == values(&expected, name));
        sample.expected = expected;
        Ok(Review::Edited)
    }
}

/// The tools and the values that an argument has in the right calls, in order: what its alternatives hang on.
fn values<'e>(expected: &'e Expected, name: &str) -> Vec<(&'e str, &'e Value)> {
    let calls: Vec<&FunctionCall> = match expected {
        Expected::Call(call) => vec![call],
        Expected::Steps(steps) => steps.iter().flat_map(|step| &step.calls).collect(),
        _ => Vec::new(),
    };
    calls.into_iter().filter_map(|call| Some((call.name.as_str(), call.arguments.get(name)?))).collect()
}

/// What is known of the arguments of a changed call: of those that stay what was known, of others what the words tell.
fn notes(known: &ArgumentNotes, old: &FunctionCall, new: &FunctionCall, query: &str) -> ArgumentNotes {
    let note = |(name, value): (&String, &Value)| {
        let same = old.arguments.get(name).is_some_and(|before| before == value);
        let kept = known.get(name).filter(|it| same && it.surface.as_ref().is_none_or(|words| query.contains(words)));
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let is_said = query.contains(&text);
        let origin = if is_said { Origin::Verbatim } else { Origin::Normalised };
        let told = || Argument { surface: is_said.then_some(text), origin, constraint: None };
        (name.clone(), kept.cloned().unwrap_or_else(told))
    };
    new.arguments.iter().map(note).collect()
}

/// A cell that no spreadsheet takes for a formula.
fn guarded(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\'']) { format!("'{text}") } else { text.to_owned() }
}

fn unguarded(text: &str) -> String {
    let bare = text.strip_prefix('\'').filter(|rest| rest.starts_with(['=', '+', '-', '@', '\t', '\r', '\'']));
    bare.unwrap_or(text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample(words: &str) -> Sample {
        serde_json::from_value(serde_json::json!({
            "id": "a/0", "suite": "s", "data_type": "d", "locale": "en", "group": "g", "licence": "", "source": "",
            "messages": [{"role": "user", "content": words}], "candidates": [],
            "expected": {"call": {"name": "book", "arguments": {"to": "Porto", "n": 2}}},
            "arguments": {"to": {"surface": "Porto", "origin": "verbatim"}, "n": {"surface": "two", "origin": "normalised"}},
            "provenance": {"template": true, "draws": []},
        }))
        .unwrap()
    }

    fn opinion(decision: Decision, query: &str, expected: &str) -> Opinion {
        Opinion { line: 2, decision, query: query.to_owned(), expected: expected.to_owned(), note: " so ".to_owned() }
    }

    fn sheet(words: &str, separator: u8) -> String {
        let mut out = Vec::new();
        let mut sheet = Sheet::begin(&mut out, separator).unwrap();
        sheet.put(&sample(words)).unwrap();
        sheet.finish().unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_sheet_is_a_table_that_no_spreadsheet_runs() {
        insta::assert_snapshot!(sheet("=two to\nPorto", b','), @r#"
        id,type,locale,dialogue,query,expected,decision,note
        a/0,d,en,"'=two to
        Porto","'=two to
        Porto","{""call"":{""name"":""book"",""arguments"":{""to"":""Porto"",""n"":2}}}",,
        "#);
        assert!(read_sheet(sheet("hi", b'\t').as_bytes()).unwrap().is_empty());
    }

    #[test]
    fn decisions_are_found_by_the_headings_whatever_parts_the_cells() {
        for text in [
            "\u{feff}Decision,id\naccept,a\n,b\nREJECT,c",
            "decision\tid\nAccept\ta\n\tb\nrejected\tc",
            "decision;id\naccept;a\n;b\nreject;c",
        ] {
            let read = read_sheet(text.as_bytes()).unwrap();
            let found: Vec<_> = read.iter().map(|(id, it)| (id.as_str(), it.decision, it.line)).collect();
            assert_eq!(found, [("a", Decision::Accept, 2), ("c", Decision::Reject, 4)]);
        }
    }

    #[test]
    fn what_cannot_be_used_is_told_with_its_line() {
        let told = |text: &str| read_sheet(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(told("id,note\na,x"), "the sheet has no column `decision`");
        assert_eq!(
            told("id,decision\na,maybe"),
            "line 2: invalid decision `maybe`: expected `accept`, `edit`, `reject` or nothing"
        );
        assert_eq!(told("id,decision\na,accept\na,reject"), "line 3: duplicate decision for `a`");
    }

    #[test]
    fn an_edit_changes_words_and_answer_and_what_is_known_of_arguments() {
        let edit =
            opinion(Decision::Edit, "to Faro for 2", r#"{"call":{"name":"book","arguments":{"to":"Faro","n":2}}}"#);
        let edited = edit.apply(&sample("two to Porto")).unwrap();
        assert_eq!((edited.query().as_str(), edited.review), ("to Faro for 2", Review::Edited));
        assert_eq!(edited.arguments["to"].surface.as_deref(), Some("Faro"));
        assert_eq!(
            (edited.arguments["n"].surface.as_deref(), &edited.arguments["n"].origin),
            (Some("2"), &Origin::Verbatim)
        );
        assert_eq!(edited.provenance.facts["query_before_review"], "two to Porto");
        assert_eq!(edited.provenance.facts["review_note"], "so");
    }

    #[test]
    fn alternatives_of_a_value_go_with_it() {
        let mut sample = sample("two to Porto");
        let porto = || vec!["Oporto".into()];
        sample.acceptable =
            [("to".to_owned(), porto()), ("n".to_owned(), vec!["two".into()]), ("by".to_owned(), porto())].into();
        let kept = |sample: &Sample, expected: &str| -> Vec<String> {
            opinion(Decision::Edit, "", expected).apply(sample).unwrap().acceptable.into_keys().collect()
        };
        let edited = r#"{"call":{"name":"book","arguments":{"to":"Faro","n":2}}}"#;
        assert_eq!(kept(&sample, edited), ["n", "by"]);
        assert_eq!(kept(&sample, r#"{"call":{"name":"sell","arguments":{"to":"Porto","n":2}}}"#), ["by"]);
        assert_eq!(kept(&sample, r#""refusal""#), ["by"]);
        let steps = |to: &str| {
            format!(
                r#"{{"steps":[{{"calls":[{{"name":"f","arguments":{{"n":1}}}},{{"name":"g","arguments":{{"to":"{to}"}}}}],"answers":[]}}]}}"#
            )
        };
        sample.expected = serde_json::from_str(&steps("Porto")).unwrap();
        assert_eq!(kept(&sample, &steps("Faro")), ["n", "by"]);
    }

    #[test]
    fn an_edit_that_changes_nothing_accepts_and_a_broken_one_says_why() {
        let same = opinion(Decision::Edit, "two to Porto", "").apply(&sample("two to Porto")).unwrap();
        assert_eq!((same.review, same.arguments.len()), (Review::Accepted, 2));
        let fault = opinion(Decision::Edit, "", "{").apply(&sample("x")).unwrap_err();
        assert!(fault.starts_with("invalid expected answer in `expected`: "), "{fault}");
        assert_eq!(opinion(Decision::Reject, "", "").apply(&sample("x")).unwrap().review, Review::Rejected);
    }

    proptest! {
        #[test]
        fn words_come_back_as_they_were(words in "[=+@'a,\"\\n\\t가-]{1,12}") {
            // The words may hold what stands at a row's end.
            let written = sheet(&words, b',');
            let (row, end) = written.rsplit_once(",,").unwrap();
            let read = read_sheet(format!("{row},edit,{end}").as_bytes()).unwrap();
            prop_assert_eq!(&read["a/0"].query, &words);
        }
    }
}
