//! Asks a model for texts in the run's language until they hold what they must.

use super::check::Given;
use super::values::{Values, renew, values_of};
use super::words::{Answer, Texts, put, read_answer, texts_of, tool_texts, with_texts};
use crate::assets::Assets;
use crate::failure::ItemError;
use crate::gate::stands;
use crate::llm::{LocalizeVariables, Reply, Task, Variables, wait_for_all};
use crate::locale::Language;
use crate::memo::Memo;
use crate::record::{ArgumentNotes, Draw, Expected, FunctionCall, ItemId, Origin, Sample, Tool};
use crate::stage::context::Context;
use crate::stage::outcome::Fault;
use indexmap::IndexMap;
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

/// The languages of the samples that were read, made ready once.
static LANGUAGES: LazyLock<Memo<Option<Language>>> = LazyLock::new(Memo::default);

/// A run's translator.
pub(super) struct Translator<'a> {
    pub context: &'a Context,
    /// How often a text may be asked for, the first time included.
    pub asks: u32,
}

/// Texts and values in the new language.
struct Translated {
    texts: Texts,
    values: IndexMap<String, String>,
    draw: Option<Draw>,
}

impl Translator<'_> {
    /// The samples of one conversation, or a single one, in the run's locale.
    pub(super) async fn samples(&self, id: &ItemId, mut samples: Vec<Sample>) -> Result<Vec<Sample>, ItemError> {
        let locale = samples.first().map(|sample| sample.locale.clone()).unwrap_or_default();
        let from = language(self.context.assets(), &locale)?;
        let apart = || Fault::new("no_conversation", "the turns do not continue one another");
        let texts = texts_of(&samples).ok_or_else(apart)?;
        let tools = self.tools(&samples, &from).await?;
        let values = values_of(&samples, &texts);
        let translated = self.translate(id, texts, values, &from, true).await?;
        let to = self.context.language();
        put(&mut samples, &translated.texts);
        for sample in &mut samples {
            renew(sample, &translated.values, to);
            for tool in &mut sample.candidates {
                if let Some(new) = tools.get(&tool.name) {
                    *tool = new.clone();
                }
            }
            note(sample, to);
            to.code.clone_into(&mut sample.locale);
            sample.provenance.draws.extend(translated.draw.clone());
            sample.provenance.note_templates(&[self.context.is_template(self.context.role())]);
        }
        Ok(samples)
    }

    /// The tools that the samples show. Each is asked for by its own name, so that one answer serves all samples.
    async fn tools(&self, samples: &[Sample], from: &Arc<Language>) -> Result<IndexMap<String, Arc<Tool>>, ItemError> {
        let shown: IndexMap<&String, &Arc<Tool>> =
            samples.iter().flat_map(|sample| &sample.candidates).map(|tool| (&tool.name, tool)).collect();
        let one = |tool: Arc<Tool>| async move {
            let id = ItemId::root(&tool.name);
            let translated = self.translate(&id, tool_texts(&tool), Values::default(), from, false).await?;
            Ok::<_, ItemError>((tool.name.clone(), Arc::new(with_texts(&tool, &translated.texts))))
        };
        Ok(wait_for_all(shown.values().map(|tool| one((*tool).clone()))).await?.into_iter().collect())
    }

    async fn translate(
        &self,
        id: &ItemId,
        texts: Texts,
        values: Values,
        from: &Language,
        each: bool,
    ) -> Result<Translated, ItemError> {
        if texts.is_empty() {
            return Ok(Translated { texts, values: IndexMap::new(), draw: None });
        }
        let numbered = |(ordinal, value)| (format!("value {ordinal}"), value);
        let said: Texts = values.said.into_iter().enumerate().map(numbered).collect();
        let fixed: BTreeSet<String> = values.fixed;
        let to = self.context.language();
        let given = Given { texts: &texts, values: &said, fixed: &fixed, from, to, each };
        let question = self.context.question(Task::Localize, id, self.asks);
        let variables = |common| {
            let (from, texts, values) = (from.name.clone(), texts.clone(), said.clone());
            let fixed = fixed.iter().cloned().collect();
            Variables::Localize(LocalizeVariables { common, from, texts, values, fixed })
        };
        let read = |reply: &Reply| -> Result<(Answer, IndexMap<String, String>), Fault> {
            let answer = read_answer(&reply.text, &texts, &said)?;
            let values = given.check(&answer)?;
            Ok((answer, values))
        };
        let ((answer, values), draw) =
            self.context.obtain(&question, question.task.reply_schema(), variables, read).await?;
        Ok(Translated { texts: answer.texts, values, draw: Some(draw) })
    }
}

fn language(assets: &Assets, code: &str) -> Result<Arc<Language>, Fault> {
    let known = LANGUAGES.get(code, || Language::load(assets, code).ok());
    let missing = || Fault::new("unknown_language", format!("locale `{code}` has no `language.toml`"));
    (*known).clone().map(Arc::new).ok_or_else(missing)
}

/// Notes anew how the texts say the arguments.
fn note(sample: &mut Sample, language: &Language) {
    let said: Vec<&str> = sample.messages.iter().filter_map(|message| message.content.as_deref()).collect();
    let text = said.join("\n");
    let (tools, time) = (sample.candidates.clone(), sample.reference_time.clone());
    let renew = |call: &FunctionCall, notes: &mut ArgumentNotes| {
        let Some(tool) = tools.iter().find(|tool| tool.name == call.name) else { return };
        for (name, note) in notes.iter_mut().filter(|(_, note)| note.surface.is_some()) {
            let Some(parameter) = tool.parameters.properties.get(name) else { continue };
            let value = call.arguments.get(name);
            let found =
                value.and_then(|it| stands((tool, name, parameter), it, &text, (&[], time.as_deref()), language));
            let is_form = matches!(note.origin, Origin::Verbatim | Origin::Normalised);
            if let Some(found) = found.as_ref().filter(|_| is_form) {
                note.origin = found.origin.clone();
            }
            note.surface = found.and_then(|found| found.surface);
        }
    };
    match &mut sample.expected {
        Expected::Call(call) => renew(call, &mut sample.arguments),
        Expected::Steps(steps) => {
            for step in steps {
                step.calls.iter().zip(&mut step.notes).for_each(|(call, notes)| renew(call, notes));
            }
        }
        _ => (),
    }
}
