//! What is needed to ask in a locale: its prompts, its sentence that refuses, its built-in reader.

use crate::failure::RunStopped;
use crate::llm::{BuiltIn, Common, Prompt, Prompts, Reply, Request, Variables};
use crate::locale::Pack;
use crate::model::Grammar;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The locale whose prompts and words serve those that have none.
const FALLBACK: &str = "en";

/// The locales that the samples of a benchmark are in, each opened once.
#[derive(Default)]
pub struct Locales {
    known: Mutex<BTreeMap<String, Arc<Ground>>>,
    prompts: Prompts,
}

/// One locale.
pub struct Ground {
    /// What every prompt is given.
    pub common: Common,
    /// The sentence that refuses.
    pub refusal: String,
    prompts: Prompts,
    known: Mutex<BTreeMap<&'static str, Arc<Prompt>>>,
    pack: Arc<Pack>,
    reader: OnceLock<Grammar>,
}

impl Locales {
    /// No locale is open yet; these are the prompts of all of them.
    pub fn new(prompts: Prompts) -> Self {
        Self { known: Mutex::default(), prompts }
    }

    /// The locale; where there is no such one, English prompts and an English refusal in its place.
    pub fn get(&self, code: &str) -> Result<Arc<Ground>, RunStopped> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ground) = known.get(code) {
            return Ok(ground.clone());
        }
        let ground = Arc::new(Ground::open(code, self.prompts.clone())?);
        known.insert(code.to_owned(), ground.clone());
        Ok(ground)
    }
}

impl Ground {
    fn open(code: &str, prompts: Prompts) -> Result<Self, RunStopped> {
        let has_pack = prompts.assets().read(&format!("locales/{code}/pack.toml")).is_some();
        let pack = Pack::load(prompts.assets(), if has_pack { code } else { FALLBACK })
            .map_err(|error| RunStopped::Input(error.to_string()))?;
        let language = if has_pack { pack.name.clone() } else { code.to_owned() };
        Ok(Self {
            common: Common { locale: code.to_owned(), language, ..Common::default() },
            refusal: pack.refusal.clone(),
            prompts,
            known: Mutex::default(),
            pack: Arc::new(pack),
            reader: OnceLock::new(),
        })
    }

    /// The prompt of another folder, read when it is first asked for.
    pub fn named(&self, folder: &'static str) -> Result<Arc<Prompt>, RunStopped> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(prompt) = known.get(folder) {
            return Ok(prompt.clone());
        }
        let prompt =
            self.prompts.load(folder, &self.common.locale).map_err(|error| RunStopped::Input(error.to_string()))?;
        Ok(known.entry(folder).or_insert(Arc::new(prompt)).clone())
    }

    /// The built-in reader. It knows the locale's words and no toolset's: neither values nor what people say of a tool.
    fn reader(&self) -> &Grammar {
        self.reader.get_or_init(|| Grammar::new(self.pack.clone(), 0))
    }
}

impl BuiltIn for Locales {
    fn answer(&self, request: &Request) -> Reply {
        let common = match &*request.variables {
            Variables::Call(variables) => &variables.common,
            Variables::Route(variables) => &variables.common,
            Variables::RouteCalls(variables) => &variables.common,
            _ => return Reply::default(),
        };
        // Whoever asks has opened the locale before, so that a faulty one was told then.
        self.get(&common.locale).map_or_else(|_| Reply::default(), |ground| ground.reader().reply(request))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::sample;
    use super::super::{Asking, Candidates, Mode, Snapshots};
    use super::*;
    use crate::record::Object;

    #[test]
    fn each_locale_has_its_words() {
        let locales = Locales::new(crate::fixtures::prompts());
        let (english, korean) = (locales.get("en").unwrap(), locales.get("ko").unwrap());
        assert_ne!(english.refusal, korean.refusal);
        assert_eq!(korean.named("predict").unwrap().name(), "prompts/predict/ko.md");
        assert!(Arc::ptr_eq(&korean, &locales.get("ko").unwrap()), "opened once");
    }

    #[test]
    fn a_locale_without_a_pack_is_asked_in_english() {
        let locales = Locales::new(crate::fixtures::prompts());
        let ground = locales.get("fi").unwrap();
        assert_eq!(ground.refusal, locales.get("en").unwrap().refusal);
        assert_eq!((ground.common.locale.as_str(), ground.common.language.as_str()), ("fi", "fi"));
        assert_eq!(ground.named("predict").unwrap().name(), "prompts/predict/en.md");
    }

    #[test]
    fn the_built_in_reader_answers_calls_and_nothing_else() {
        let locales = Locales::new(crate::fixtures::prompts());
        let asking = Snapshots::new(Mode::BuiltIn, Candidates::All, crate::fixtures::prompts());
        let request = asking.next(&sample("a"), 0, &[]).unwrap().unwrap();
        assert!(!locales.answer(&request).text.is_empty());
        let variables = Arc::new(Variables::Generate(Object::new()));
        assert_eq!(locales.answer(&Request { variables, ..request }), Reply::default());
    }
}
