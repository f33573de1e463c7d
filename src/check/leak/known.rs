//! Published benchmarks as hashes: what ships of them, so that their items are found where their files are not at hand.
//!
//! Of an item there are the least hashes of its frame, those of its values, and its tools; no word of its text.

use super::pool::Pool;
use super::print::Print;
use super::tool::{SKETCH, ToolPrint};
use crate::assets::Assets;
use std::sync::Arc;

/// The shipped file.
const FILE: &str = "profiles/known.bin";
/// What it begins with; the number changes when hashes are made another way.
const MAGIC: &[u8] = b"fcgen-known-1\n";
/// How many hashes of a frame, and of values, are kept.
const FRAME: usize = 14;
const VALUES: usize = 4;

/// A published benchmark in one locale.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// Under which licence it is published.
    pub licence: String,
    /// The locale of its texts.
    pub locale: String,
    /// Its items.
    pub items: Vec<(String, Print)>,
}

/// Why the shipped hashes cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("`{FILE}` is missing or has another format; create it with `cargo run --example known`")]
pub struct KnownError;

impl Known {
    /// Everything that ships.
    pub fn shipped(assets: &Assets) -> Result<Vec<Self>, KnownError> {
        read(&assets.bytes(FILE).ok_or(KnownError)?).ok_or(KnownError)
    }

    /// Adds an item, cut to what is kept; one that tells too little is left out.
    pub fn add(&mut self, id: &str, mut print: Print) {
        let is_telling = print.frame.len() >= FRAME / 2 || print.values.len() > 1;
        let is_new = !self.items.iter().any(|(_, known)| {
            known.values == first(&print.values, VALUES) && known.frame == first(&print.frame, FRAME)
        });
        if !is_telling || !is_new {
            return;
        }
        print.whole = print.frame.len();
        print.text.clear();
        print.frame.truncate(FRAME);
        print.values.truncate(VALUES);
        print.tools.truncate(if print.calls { 3 } else { 1 });
        print.tools.iter_mut().for_each(|tool| Arc::make_mut(tool).words.truncate(SKETCH));
        self.items.push((id.to_owned(), print));
    }

    /// Puts the items into a pool.
    pub fn fill<T>(&self, pool: &mut Pool<T>, whose: impl Fn(&str) -> T) {
        self.items.iter().for_each(|(id, print)| pool.add(whose(id), print.clone()));
    }
}

fn first(hashes: &[u32], most: usize) -> &[u32] {
    hashes.get(..most).unwrap_or(hashes)
}

/// Benchmarks as bytes.
pub fn write(all: &[Known]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    put(&mut out, all.len());
    for known in all {
        let mut tools: Vec<&Arc<ToolPrint>> = known.items.iter().flat_map(|(_, print)| &print.tools).collect();
        tools.sort();
        tools.dedup();
        for text in [&known.name, &known.licence, &known.locale] {
            text_of(&mut out, text);
        }
        put(&mut out, tools.len());
        for tool in &tools {
            hashes(&mut out, &[tool.name, tool.shape, tool.parameters]);
            list(&mut out, &tool.words);
        }
        put(&mut out, known.items.len());
        for (id, print) in &known.items {
            text_of(&mut out, id);
            put(&mut out, print.whole);
            put(&mut out, usize::from(print.calls));
            list(&mut out, &print.frame);
            list(&mut out, &print.values);
            put(&mut out, print.tools.len());
            print.tools.iter().for_each(|tool| put(&mut out, tools.binary_search(&tool).unwrap_or_default()));
        }
    }
    out
}

/// Benchmarks from bytes; nothing where they were made another way or are cut off.
fn read(bytes: &[u8]) -> Option<Vec<Known>> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    (0..take(&mut rest)?).map(|_| one(&mut rest)).collect()
}

fn one(rest: &mut &[u8]) -> Option<Known> {
    let (name, licence, locale) = (take_text(rest)?, take_text(rest)?, take_text(rest)?);
    let tool = |rest: &mut &[u8]| {
        let [name, shape, parameters] = [take_hash(rest)?, take_hash(rest)?, take_hash(rest)?];
        Some(Arc::new(ToolPrint { name, shape, parameters, words: take_list(rest)? }))
    };
    let tools = (0..take(rest)?).map(|_| tool(rest)).collect::<Option<Vec<_>>>()?;
    let item = |rest: &mut &[u8]| {
        let (id, whole, calls) = (take_text(rest)?, take(rest)?, take(rest)? == 1);
        let (frame, values) = (take_list(rest)?, take_list(rest)?);
        let named = (0..take(rest)?).map(|_| tools.get(take(rest)?).cloned()).collect::<Option<Vec<_>>>()?;
        Some((id, Print { text: Vec::new(), frame, whole, values, tools: named, calls }))
    };
    let items = (0..take(rest)?).map(|_| item(rest)).collect::<Option<Vec<_>>>()?;
    Some(Known { name, licence, locale, items })
}

/// A number below 2^16 as two bytes.
fn put(out: &mut Vec<u8>, number: usize) {
    out.extend(u16::try_from(number).unwrap_or(u16::MAX).to_le_bytes());
}

fn hashes(out: &mut Vec<u8>, hashes: &[u32]) {
    for hash in hashes {
        out.extend(hash.to_le_bytes());
    }
}

fn list(out: &mut Vec<u8>, all: &[u32]) {
    out.push(u8::try_from(all.len()).unwrap_or(u8::MAX));
    hashes(out, first(all, usize::from(u8::MAX)));
}

fn text_of(out: &mut Vec<u8>, text: &str) {
    put(out, text.len());
    out.extend(text.bytes());
}

fn bytes<'b>(rest: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, others) = rest.split_at_checked(count)?;
    *rest = others;
    Some(taken)
}

fn take(rest: &mut &[u8]) -> Option<usize> {
    Some(usize::from(u16::from_le_bytes(bytes(rest, 2)?.try_into().ok()?)))
}

fn take_hash(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(bytes(rest, 4)?.try_into().ok()?))
}

fn take_list(rest: &mut &[u8]) -> Option<Vec<u32>> {
    let count = usize::from(*bytes(rest, 1)?.first()?);
    (0..count).map(|_| take_hash(rest)).collect()
}

fn take_text(rest: &mut &[u8]) -> Option<String> {
    let count = take(rest)?;
    String::from_utf8(bytes(rest, count)?.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::super::super::Ground;
    use super::super::{Likeness, Side, Words};
    use super::*;
    use crate::lint::testing::{questions, said};
    use proptest::prelude::*;

    fn words() -> Words {
        Words::of(&Ground::load(crate::fixtures::assets(), "en").unwrap())
    }

    const NIGHT: &str = "we need somewhere to sleep on the overnight train leaving for Porto after the concert";

    fn known() -> Known {
        let mut known =
            Known { name: "one".to_owned(), licence: "MIT".to_owned(), locale: "en".to_owned(), items: Vec::new() };
        for sample in [
            said("a", "ST_Perfect", NIGHT, r#"{"to": "Porto"}"#),
            said("b", "ST_Perfect", "go", "{}"),
            questions("medium"),
        ] {
            known.add(sample.id.as_str(), Print::of(&sample, &words()));
        }
        known
    }

    #[test]
    fn what_was_written_is_read_again() {
        let all = [known(), Known { name: "two".to_owned(), ..Known::default() }];
        assert_eq!(read(&write(&all)).unwrap(), all);
        assert_eq!(all[0].items.len(), 2, "what tells too little is left out");
        assert!(all[0].items.iter().all(|(_, print)| print.text.is_empty() && print.frame.len() <= FRAME));
    }

    #[test]
    fn a_copy_under_other_values_is_found_by_the_hashes() {
        let mut pool = Pool::default();
        known().fill(&mut pool, str::to_owned);
        pool.seal();
        let row = said("r", "x", &NIGHT.replace("Porto", "Aveiro"), r#"{"to": "Aveiro"}"#);
        let found = pool.like(&Print::of(&row, &words()), Side::Pool);
        assert_eq!(found.iter().map(|(at, _)| pool.whose(*at).unwrap().as_str()).collect::<Vec<_>>(), ["a"]);
        assert!(found[0].1 <= Likeness::Frame);
    }

    #[test]
    fn the_shipped_hashes_can_be_read_and_are_small() {
        let shipped = Known::shipped(crate::fixtures::assets()).unwrap();
        assert!(shipped.iter().map(|known| known.items.len()).sum::<usize>() > 1000);
        assert!(crate::fixtures::assets().bytes(FILE).unwrap().len() < 300_000);
        assert!(shipped.iter().all(|known| !known.licence.is_empty() && !known.name.is_empty()));
    }

    proptest! {
        #[test]
        fn whatever_is_cut_off_or_changed_never_panics(at in 0_usize..600, byte in 0_u8..) {
            let mut bytes = write(&[known()]);
            let cut = at.min(bytes.len() - 1);
            prop_assert_eq!(read(&bytes[..cut]), None);
            bytes[cut] = byte;
            read(&bytes);
        }
    }
}
