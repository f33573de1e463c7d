//! Columns for Arrow: the Arrow-safe rows of TRL as a Parquet file, a thousand rows at a time.

use crate::fs::AtomicFile;
use crate::record::{Object, Value};
use parquet::basic::Compression;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::io;
use std::sync::Arc;

/// How many rows are held before they are written.
const GROUP: usize = 1000;

/// The columns: a message has every key, and arguments and tools are texts.
const SCHEMA: &str = "message schema {
  required binary id (UTF8);
  required binary suite (UTF8);
  required binary data_type (UTF8);
  required binary locale (UTF8);
  required binary aim (UTF8);
  required binary paradigm (UTF8);
  required binary group (UTF8);
  required binary licence (UTF8);
  required binary source (UTF8);
  required group messages (LIST) { repeated group list { required group element {
    required binary role (UTF8);
    optional binary content (UTF8);
    optional binary reasoning_content (UTF8);
    optional binary tool_call_id (UTF8);
    optional binary name (UTF8);
    required group tool_calls (LIST) { repeated group list { required group element {
      required binary id (UTF8);
      required binary type (UTF8);
      required group function { required binary name (UTF8); required binary arguments (UTF8); }
    } } }
    required boolean train;
  } } }
  required binary tools (UTF8);
  required boolean template;
}";

/// The plain columns before the messages, in the order of the schema.
const PLAIN: [&str; 9] = ["id", "suite", "data_type", "locale", "aim", "paradigm", "group", "licence", "source"];
/// The texts of a message, and of a call.
const TEXTS: [&str; 5] = ["role", "content", "reasoning_content", "tool_call_id", "name"];
const CALLS: [&[&str]; 4] = [&["id"], &["type"], &["function", "name"], &["function", "arguments"]];

/// A file under way.
pub(in crate::export) struct Columns {
    writer: SerializedFileWriter<AtomicFile>,
    rows: Vec<Object>,
}

/// A column: its values, and where they belong.
#[derive(Default)]
struct Texts {
    values: Vec<ByteArray>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

impl Columns {
    /// Begins a file.
    pub(in crate::export) fn create(file: AtomicFile) -> io::Result<Self> {
        let schema = Arc::new(parse_message_type(SCHEMA).map_err(fault)?);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let writer = SerializedFileWriter::new(file, schema, Arc::new(properties)).map_err(fault)?;
        Ok(Self { writer, rows: Vec::new() })
    }

    /// Takes a row.
    pub(in crate::export) fn row(&mut self, row: Object) -> io::Result<()> {
        self.rows.push(row);
        if self.rows.len() < GROUP { Ok(()) } else { self.flush().map_err(fault) }
    }

    /// Writes what is held, and the end of the file.
    pub(in crate::export) fn finish(mut self) -> io::Result<()> {
        self.flush().map_err(fault)?;
        self.writer.into_inner().map_err(fault)?.finish()
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.writer.next_row_group()?;
        for name in PLAIN {
            texts(&mut group, &plain(&rows, name))?;
        }
        for name in TEXTS {
            texts(&mut group, &of_messages(&rows, name))?;
        }
        for path in CALLS {
            texts(&mut group, &of_calls(&rows, path))?;
        }
        let (truths, levels) = trains(&rows);
        truths_of(&mut group, &truths, Some(&levels))?;
        texts(&mut group, &plain(&rows, "tools"))?;
        let is_template = |row: &Object| row.get("template").and_then(Value::as_bool) == Some(true);
        truths_of(&mut group, &rows.iter().map(is_template).collect::<Vec<_>>(), None)?;
        group.close().map(drop)
    }
}

impl Texts {
    /// A value, or nothing where it is only said how much of its place is there.
    fn push(&mut self, value: Option<&str>, definition: i16, repetition: i16) {
        self.values.extend(value.map(ByteArray::from));
        self.definitions.push(definition);
        self.repetitions.push(repetition);
    }
}

fn fault(error: ParquetError) -> io::Error {
    io::Error::other(error)
}

fn plain(rows: &[Object], name: &str) -> Texts {
    let text = |row: &Object| ByteArray::from(row.get(name).and_then(Value::as_str).unwrap_or_default());
    Texts { values: rows.iter().map(text).collect(), ..Texts::default() }
}

fn messages(row: &Object) -> &[Value] {
    row.get("messages").and_then(Value::as_list).unwrap_or_default()
}

fn field<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.as_object()?.get(*name))
}

fn of_messages(rows: &[Object], name: &str) -> Texts {
    let (mut column, most) = (Texts::default(), if name == "role" { 1 } else { 2 });
    for row in rows {
        for (at, message) in messages(row).iter().enumerate() {
            let text = field(message, &[name]).and_then(Value::as_str);
            let text = if name == "role" { Some(text.unwrap_or_default()) } else { text };
            column.push(text, if text.is_some() { most } else { 1 }, i16::from(at > 0));
        }
        if messages(row).is_empty() {
            column.push(None, 0, 0);
        }
    }
    column
}

/// Whether each message is to be learned, with where it belongs.
fn trains(rows: &[Object]) -> (Vec<bool>, Texts) {
    let (mut truths, mut levels) = (Vec::new(), Texts::default());
    for row in rows {
        for (at, message) in messages(row).iter().enumerate() {
            truths.push(field(message, &["train"]).and_then(Value::as_bool) != Some(false));
            levels.push(None, 1, i16::from(at > 0));
        }
        if messages(row).is_empty() {
            levels.push(None, 0, 0);
        }
    }
    (truths, levels)
}

type Group<'w> = SerializedRowGroupWriter<'w, AtomicFile>;

fn texts(group: &mut Group<'_>, column: &Texts) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else { return Ok(()) };
    let (definitions, repetitions) = (column.definitions.as_slice(), column.repetitions.as_slice());
    writer.typed::<ByteArrayType>().write_batch(&column.values, levels(definitions), levels(repetitions))?;
    writer.close()
}

fn truths_of(group: &mut Group<'_>, truths: &[bool], column: Option<&Texts>) -> Result<(), ParquetError> {
    let Some(mut writer) = group.next_column()? else { return Ok(()) };
    let (definitions, repetitions) =
        (column.map(|it| it.definitions.as_slice()), column.map(|it| it.repetitions.as_slice()));
    writer.typed::<BoolType>().write_batch(truths, definitions, repetitions)?;
    writer.close()
}

/// A plain column has no levels.
fn levels(levels: &[i16]) -> Option<&[i16]> {
    (!levels.is_empty()).then_some(levels)
}

fn of_calls(rows: &[Object], path: &[&str]) -> Texts {
    let mut column = Texts::default();
    for row in rows {
        for (at, message) in messages(row).iter().enumerate() {
            let first = i16::from(at > 0);
            let calls = field(message, &["tool_calls"]).and_then(Value::as_list).unwrap_or_default();
            if calls.is_empty() {
                column.push(None, 1, first);
            }
            for (ordinal, call) in calls.iter().enumerate() {
                let text = field(call, path).and_then(Value::as_str).unwrap_or_default();
                column.push(Some(text), 2, if ordinal > 0 { 2 } else { first });
            }
        }
        if messages(row).is_empty() {
            column.push(None, 0, 0);
        }
    }
    column
}
