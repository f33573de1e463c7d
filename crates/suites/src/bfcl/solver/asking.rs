//! Asks for all calls that a question wants at once.

use crate::bfcl::metric::{Category, Manner};
use crate::failure::RunStopped;
use crate::llm::{Prompts, Reply, Request};
use crate::predict::asking::{Asking, check_suite};
use crate::predict::direct::Direct;
use crate::predict::locales::Locales;
use crate::predict::snapshots::Mode;
use crate::record::{Role, Sample, SuiteId};

/// The prompt that has the functions in its text.
const PROMPT: &str = "predict_bfcl";

/// Asks questions of one turn. A model with tools is told nothing besides them, as BFCL does it.
pub struct Questions {
    mode: Mode,
    locales: Locales,
}

impl Questions {
    /// A way to ask.
    pub fn new(mode: Mode, prompts: Prompts) -> Self {
        Self { mode, locales: Locales::new(prompts) }
    }
}

impl Asking for Questions {
    fn variant(&self) -> &'static str {
        if self.mode == Mode::Tools { "tools" } else { "prompt" }
    }

    fn takes(&self, sample: &Sample) -> bool {
        let category = Category::of_name(&sample.data_type.0).or_else(|| Category::of_id(sample.id.as_str()));
        category.is_some_and(|category| category.manner() != Manner::Elsewhere)
    }

    fn check(&self, sample: &Sample) -> Result<(), String> {
        check_suite(sample, SuiteId::Bfcl)?;
        if !sample.messages.iter().any(|message| message.role == Role::User) {
            return Err("no user message".to_owned());
        }
        if self.mode == Mode::BuiltIn {
            let told = "the built-in reader cannot write Python calls; choose a model with `--model`";
            return Err(told.to_owned());
        }
        let ground = self.locales.get(&sample.locale).map_err(|fault| fault.to_string())?;
        ground.named(PROMPT).map(drop).map_err(|fault| fault.to_string())
    }

    fn next(&self, sample: &Sample, run: u32, said: &[Reply]) -> Result<Option<Request>, RunStopped> {
        if !said.is_empty() {
            return Ok(None);
        }
        let native = self.mode == Mode::Tools;
        let ground = self.locales.get(&sample.locale)?;
        let direct = Direct { ground: &ground, prompt: (!native).then_some(PROMPT), native, run };
        direct.request(sample, Vec::new()).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bfcl::layout::Entry;

    fn sample(category: &str) -> Sample {
        let line = r#"{"id": "simple_python_0", "question": [[{"role": "system", "content": "Be exact."}, {"role": "user", "content": "How large?"}]],
            "function": [{"name": "geo.area", "description": "Areas", "parameters": {"type": "dict", "properties": {"side": {"type": "float"}}, "required": ["side"]}}],
            "ground_truth": [{"geo.area": {"side": [7531.0, 7532.0]}}]}"#;
        Entry::read(line).unwrap().into_sample(category, "en")
    }

    fn request(mode: Mode) -> Request {
        let (asking, sample) = (Questions::new(mode, crate::fixtures::prompts()), sample("simple_python"));
        assert_eq!(asking.check(&sample), Ok(()));
        assert!(asking.next(&sample, 0, &[Reply::default()]).unwrap().is_none());
        asking.next(&sample, 4, &[]).unwrap().unwrap()
    }

    #[test]
    fn functions_go_natively_or_in_the_text_and_the_right_answer_does_not() {
        let tools = request(Mode::Tools);
        assert_eq!((tools.system.as_deref(), tools.tools.len(), tools.draw), (Some("Be exact."), 1, 4));
        let text = request(Mode::Prompt);
        let system = text.system.as_ref().unwrap();
        assert!(system.starts_with("Be exact.\n") && system.contains("\"name\":\"geo.area\"") && text.tools.is_empty());
        assert_eq!(text.history[0].content.as_deref(), Some("How large?"));
        for request in [tools, text] {
            assert!(!format!("{request:?}").contains("753"));
        }
        assert_eq!(
            (
                Questions::new(Mode::Tools, crate::fixtures::prompts()).variant(),
                Questions::new(Mode::Prompt, crate::fixtures::prompts()).variant()
            ),
            ("tools", "prompt")
        );
    }

    #[test]
    fn what_nobody_judges_is_left_out() {
        let takes = |category| Questions::new(Mode::Tools, crate::fixtures::prompts()).takes(&sample(category));
        assert!(takes("live_irrelevance") && takes("simple") && takes("told by its id alone"));
        assert!(!takes("multi_turn_base") && !takes("simple_java") && !takes("memory"));
    }

    #[test]
    fn what_cannot_be_asked_is_told_before() {
        let told = |mode, change: &dyn Fn(&mut Sample)| {
            let mut sample = sample("simple_python");
            change(&mut sample);
            Questions::new(mode, crate::fixtures::prompts()).check(&sample).unwrap_err()
        };
        assert!(told(Mode::BuiltIn, &|_| {}).contains("choose a model with `--model`"));
        assert!(told(Mode::Tools, &|it| it.suite = "callnavi".into()).contains("`callnavi`"));
        assert_eq!(told(Mode::Tools, &|it| it.messages.clear()), "no user message");
    }
}
