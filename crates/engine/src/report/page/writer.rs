//! Writes a page, from its head to its end.

use super::card::{Card, Row, ToolCard, Tools};
use super::census::Census;
use super::frame::{Blocks, frame, script_text};
use crate::record::{Sample, Value, Verdict};
use indexmap::IndexMap;
use serde::Serialize;
use std::io::{self, Write};

/// A page that is being written.
pub struct Page<W> {
    out: W,
    end: String,
    samples: Blocks,
    tool_cards: Blocks,
    /// Verdicts and predictions, each by the name of the model.
    further: IndexMap<String, Blocks>,
    tools: Tools,
    census: Census,
    seen: blake3::Hasher,
}

/// A row of a verdict: id, whether it is right, class, reason.
#[derive(Serialize)]
struct VerdictRow<'v>(&'v str, Option<bool>, &'v str, String);

impl<W: Write> Page<W> {
    /// Begins a page.
    pub fn begin(mut out: W, title: &str) -> io::Result<Self> {
        let (head, end) = frame(title);
        out.write_all(head.as_bytes())?;
        Ok(Self {
            out,
            end,
            samples: Blocks::new("samples"),
            tool_cards: Blocks::new("tools"),
            further: IndexMap::new(),
            tools: Tools::default(),
            census: Census::default(),
            seen: blake3::Hasher::new(),
        })
    }

    /// Adds a sample.
    pub fn sample(&mut self, sample: &Sample) -> io::Result<()> {
        self.census.see(sample);
        self.seen.update(serde_json::to_string(&(&sample.id, sample.query()))?.as_bytes());
        let mut numbers = Vec::with_capacity(sample.candidates.len());
        for tool in &sample.candidates {
            let (number, is_new) = self.tools.number(tool);
            if is_new {
                self.census.see_tool(tool);
                let card = serde_json::to_string(&ToolCard::from(&**tool))?;
                self.tool_cards.put(&tool.name, &card, &mut self.out)?;
            }
            numbers.push(number);
        }
        let card = serde_json::to_string(&Card::new(sample, numbers))?;
        self.samples.put(&Row::new(sample), &card, &mut self.out)
    }

    /// Adds what a scorer found of an item, with its whole line.
    pub fn verdict(&mut self, verdict: &Verdict) -> io::Result<()> {
        let reason = super::card::clip(&verdict.reason, 300).into_owned();
        let row = VerdictRow(&verdict.sample, verdict.outcome.is_right(), verdict.error.unwrap_or_default(), reason);
        self.put(&format!("verdicts {}", verdict.model()), &row, &Value::Object(verdict.line.clone()).to_string())
    }

    /// Adds what a model said to an item.
    pub fn prediction(&mut self, model: &str, id: &str, line: &str) -> io::Result<()> {
        self.put(&format!("predictions {model}"), &id, line)
    }

    /// Ends the page with everything else that it tells. What was counted is told beside it.
    pub fn finish(mut self, summary: &impl Serialize) -> io::Result<W> {
        self.samples.flush(&mut self.out)?;
        self.tool_cards.flush(&mut self.out)?;
        for blocks in self.further.values_mut() {
            blocks.flush(&mut self.out)?;
        }
        self.census.fingerprint = self.seen.finalize().to_hex().chars().take(16).collect();
        let parts = [("census", script_text(&self.census.told())?), ("summary", script_text(summary)?)];
        for (name, text) in parts {
            writeln!(self.out, "<script type=\"application/json\" id=\"{name}\">{text}</script>")?;
        }
        self.out.write_all(self.end.as_bytes())?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn put(&mut self, store: &str, row: &impl Serialize, line: &str) -> io::Result<()> {
        if !self.further.contains_key(store) {
            self.further.insert(store.to_owned(), Blocks::new(store));
        }
        match self.further.get_mut(store) {
            Some(blocks) => blocks.put(row, line, &mut self.out),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::card::tests::sample;
    use super::super::frame::tests::{scripts, unpacked};
    use super::*;
    use crate::record::Object;

    fn page(words: &str) -> String {
        let mut page = Page::begin(Vec::new(), words).unwrap();
        for at in 0..1001 {
            page.sample(&sample(&format!("a/{at}"), words)).unwrap();
        }
        let verdict = Verdict::new("a/0", Some(false), Object::new()).because(Some("value"), "no");
        page.verdict(&Verdict { predictions: "m".to_owned(), ..verdict }).unwrap();
        page.prediction("m", "a/0", "{}").unwrap();
        String::from_utf8(page.finish(&serde_json::json!({ "title": words })).unwrap()).unwrap()
    }

    #[test]
    fn every_block_is_json_and_nothing_is_lost() {
        let scripts = scripts(&page("to Porto"));
        let stores: Vec<_> = scripts.iter().filter_map(|it| it["store"].as_str()).collect();
        assert_eq!(stores, ["samples", "samples", "tools", "verdicts m", "predictions m"]);
        assert_eq!(scripts[scripts.len() - 2]["samples"], 1001);
        let bodies: Vec<String> = scripts[..2].iter().flat_map(|block| unpacked(block, "bodies")).collect();
        assert_eq!(bodies.len(), 1001);
        assert!(bodies[1000].contains(r#""id":"a/1000""#) && bodies[1000].contains(r#""tools":[0]"#));
        assert_eq!(unpacked(&scripts[3], "index"), [r#"["a/0",false,"value","no"]"#]);
    }

    #[test]
    fn another_run_under_the_same_title_has_another_fingerprint() {
        let told = |ids: &[&str], words: &str| {
            let mut page = Page::begin(Vec::new(), "output").unwrap();
            for id in ids {
                page.sample(&sample(id, words)).unwrap();
            }
            let page = String::from_utf8(page.finish(&serde_json::json!({})).unwrap()).unwrap();
            scripts(&page).iter().find_map(|it| it["fingerprint"].as_str().map(str::to_owned)).unwrap()
        };
        let one = told(&["a/0", "a/1"], "to Porto");
        assert_eq!((one.len(), one == told(&["a/0", "a/1"], "to Porto")), (16, true));
        assert!(one != told(&["a/0", "a/2"], "to Porto") && one != told(&["a/0", "a/1"], "to Faro"));
    }

    #[test]
    fn nothing_in_the_data_ends_a_script_or_opens_one() {
        let plain = page("harmless");
        let evil = page("</script><script>alert(1)</script><!--");
        for tag in ["<script", "</script", "<!--"] {
            assert_eq!(evil.matches(tag).count(), plain.matches(tag).count(), "{tag}");
        }
        assert_eq!(scripts(&evil).last().unwrap()["title"], "</script><script>alert(1)</script><!--");
    }
}
