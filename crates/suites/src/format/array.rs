//! Reads a JSON array element by element, with the line on which each begins; the array is never whole in memory.

use super::lines::FileError;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::cell::Cell;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Calls `visit` with the line and the text of each element. The error tells where the array itself breaks off.
pub fn each_element(reader: impl BufRead, visit: &mut dyn FnMut(usize, &str)) -> Result<(), (usize, String)> {
    let line = Cell::new(1);
    let mut deserializer = serde_json::Deserializer::from_reader(Counting { reader, line: &line });
    let read = Elements { line: &line, visit }.deserialize(&mut deserializer);
    read.and_then(|()| deserializer.end()).map_err(|error| (error.line().max(1), error.to_string()))
}

/// Hands out every item of a file that holds an array, with its line, or what is wrong with it. One is held at a time.
pub fn each_item<T: DeserializeOwned>(
    path: &Path,
    take: &mut dyn FnMut(usize, Result<T, String>),
) -> Result<(), FileError> {
    let file = File::open(path).map_err(FileError::io(path))?;
    let read = each_element(BufReader::new(file), &mut |line, text| {
        take(line, serde_json::from_str(text).map_err(|error| error.to_string()));
    });
    read.map_err(|(line, problem)| FileError::line(path, line, problem))
}

/// A reader that counts line breaks as they pass.
struct Counting<'a, R> {
    reader: R,
    line: &'a Cell<usize>,
}

impl<R: BufRead> Read for Counting<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        let breaks = buffer.iter().take(count).filter(|byte| **byte == b'\n').count();
        self.line.set(self.line.get() + breaks);
        Ok(count)
    }
}

struct Elements<'a> {
    line: &'a Cell<usize>,
    visit: &'a mut dyn FnMut(usize, &str),
}

impl<'de> DeserializeSeed<'de> for Elements<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element::<Box<RawValue>>().map_err(A::Error::custom)? {
            // The reader stands at the end of the element, not beyond it: JSON's brackets need no look ahead.
            let breaks = element.get().matches('\n').count();
            (self.visit)(self.line.get().saturating_sub(breaks), element.get());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Lines = Vec<(usize, String)>;

    fn elements(text: &str) -> (Lines, Option<(usize, String)>) {
        let mut seen = Vec::new();
        let read = each_element(text.as_bytes(), &mut |line, element| seen.push((line, element.to_owned())));
        (seen, read.err())
    }

    #[test]
    fn each_element_knows_its_line() {
        let (seen, fault) = elements("[\n  {\n    \"a\": 1\n  },\n  {\"b\": \"\\n\"}, {}\n]\n");
        let lines: Vec<usize> = seen.iter().map(|(line, _)| *line).collect();
        assert_eq!((lines, fault), (vec![2, 5, 5], None));
        assert_eq!(seen[1].1, "{\"b\": \"\\n\"}");
        assert_eq!(elements("[]"), (vec![], None));
    }

    #[test]
    fn what_breaks_off_says_where_and_keeps_what_came_before() {
        let (seen, fault) = elements("[\n {},\n {\"a\": ");
        let (line, message) = fault.unwrap();
        assert_eq!((seen.len(), line), (1, 3));
        assert!(message.contains("EOF"), "{message}");
        assert!(elements("{}").1.unwrap().1.contains("expected a JSON array"));
        assert!(elements("[] []").1.is_some());
    }
}
