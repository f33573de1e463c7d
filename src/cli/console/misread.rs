//! Puts samples to the built-in reader as to a model under test: without an example, over all candidates.

use fcgen::config::Plan;
use fcgen::gate::{Agreement, compare_calls};
use fcgen::llm::{CallVariables, Common, Request, Task, Variables};
use fcgen::locale::{Language, Pack, RougeL};
use fcgen::model::Grammar;
use fcgen::record::{Expected, Sample};
use fcgen::text::{ReadAnswer, read_call};
use fcgen::toolset::Toolset;
use std::sync::Arc;

/// The built-in reader of a plan's locale.
pub(crate) struct Reader {
    grammar: Grammar,
    refusal: String,
    rouge: RougeL,
    threshold: f64,
}

/// What the reader made of some samples.
#[derive(Debug, Default)]
pub(crate) struct Misread {
    /// How many it was shown.
    pub(crate) shown: usize,
    /// How many it got wrong.
    pub(crate) wrong: usize,
    /// The first of them, with what it said.
    pub(crate) first: Option<(Sample, String)>,
}

impl Reader {
    /// Opens the reader with the locale and the toolsets of a plan.
    pub(crate) fn open(plan: &Plan) -> anyhow::Result<Self> {
        let locale = plan.pipeline.locale.as_str();
        let mut pack = Pack::load(fcgen::assets(), locale)?;
        for config in plan.toolsets() {
            Toolset::load_or_english(fcgen::assets(), &config.path, locale)?.extend(&mut pack)?;
        }
        let language = Language::load(fcgen::assets(), locale)?;
        let (rouge, threshold) = (language.rouge_l(), language.rouge.consistency_rouge_l);
        Ok(Self { refusal: pack.refusal.clone(), grammar: Grammar::new(Arc::new(pack), 0), rouge, threshold })
    }

    /// Reads all samples that want a call or a refusal.
    pub(crate) fn read_all<'a>(&self, samples: impl IntoIterator<Item = &'a Sample>) -> Misread {
        let mut misread = Misread::default();
        for sample in samples {
            let Some(verdict) = self.read(sample) else { continue };
            misread.shown += 1;
            if let Err(said) = verdict {
                misread.wrong += 1;
                misread.first.get_or_insert_with(|| (sample.clone(), said));
            }
        }
        misread
    }

    /// Whether it reads a sample rightly, else what it said; `None` for samples that want something else.
    fn read(&self, sample: &Sample) -> Option<Result<(), String>> {
        let reply = self.grammar.reply(&self.question(sample));
        let (answer, _) = read_call(&reply.text, &self.refusal).ok()?;
        match (&sample.expected, answer) {
            (Expected::Call(gold), ReadAnswer::Call(call)) => {
                let agreement = compare_calls(gold, &call, &self.rouge, self.threshold);
                Some(if agreement == Agreement::Agree {
                    Ok(())
                } else {
                    Err(crate::cli::console::shown::call_text(&call))
                })
            }
            (Expected::Call(_), ReadAnswer::Refusal) => Some(Err("no suitable tool".to_owned())),
            (Expected::Refusal, ReadAnswer::Call(call)) => Some(Err(crate::cli::console::shown::call_text(&call))),
            (Expected::Refusal, ReadAnswer::Refusal) => Some(Ok(())),
            _ => None,
        }
    }

    fn question(&self, sample: &Sample) -> Request {
        let variables = CallVariables {
            common: Common::default(),
            query: sample.shown(),
            tools: sample.candidates.clone(),
            example: None,
            refusal: self.refusal.clone(),
            reference_time: None,
        };
        Request::new(Task::Call, "predict", sample.id.as_str(), 0, Variables::Call(variables))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen::config::{Overrides, load};

    fn sample(text: &str, expected: &str) -> Sample {
        let toolset = Toolset::load(fcgen::assets(), "mobile", "en").unwrap();
        let name = "UtilityTools.AlarmClock.deleteAlarm";
        let tools = serde_json::to_string(&[toolset.tool(name).unwrap()]).unwrap();
        let text = format!(
            r#"{{"id": "a", "suite": "s", "data_type": "t", "locale": "en", "candidates": {tools}, "group": "a",
                "messages": [{{"role": "user", "content": "{text}"}}], "expected": {expected}, "licence": "",
                "source": "", "provenance": {{"template": true, "draws": []}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn it_is_right_about_some_and_wrong_about_others() {
        let text = fcgen::assets().read("pipelines/hammer.toml").unwrap();
        let reader =
            Reader::open(&load(fcgen::assets(), &text, "pipelines/hammer.toml", &Overrides::default()).unwrap())
                .unwrap();
        let gold = r#"{"call": {"name": "UtilityTools.AlarmClock.deleteAlarm", "arguments": {"time": "7:30 am"}}}"#;
        let right = sample("scrap the alarm at 7:30 am", gold);
        let refused = sample("how deep is the ocean", "\"refusal\"");
        let wrong = sample("scrap the alarm at 7:30 am", "\"refusal\"");
        let other = sample("scrap the alarm at 7:30 am", r#"{"answer": "fine"}"#);
        let misread = reader.read_all([&right, &refused, &wrong, &other]);
        assert_eq!((misread.shown, misread.wrong), (3, 1));
        let (first, said) = misread.first.unwrap();
        assert_eq!(first, wrong);
        assert_eq!(said, r#"UtilityTools.AlarmClock.deleteAlarm(time = "7:30 am")"#);
    }
}
