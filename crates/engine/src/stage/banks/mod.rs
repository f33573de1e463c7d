//! Where banks come from: files that people pass, the run's own folder, or a model that fills one for each tool.

mod bank;

pub use bank::Bank;
pub use bank::Mentioned;

use super::context::Context;
use super::outcome::Fault;
use crate::failure::{ItemError, RunStopped};
use crate::llm::tasks::read_bank;
use crate::llm::{BankVariables, Reply, Task, Variables};
use crate::record::{ItemId, Tool};
use crate::stage::writing::schemas;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::OnceCell;

/// How many values of each free parameter a model is asked for.
const VALUES: usize = 30;
/// How many situations it is asked for.
const SITUATIONS: usize = 15;
/// How often it is asked.
const ASKS: u32 = 3;

/// The role that fills banks.
const ROLE: &str = "generator";
/// The stage that the requests for banks are counted for.
const STAGE: &str = "banks";

type Filled = Arc<OnceCell<Option<Arc<Bank>>>>;

/// Keeps a bank that a model has filled.
pub type Keep = Box<dyn Fn(&Bank) -> std::io::Result<()> + Send + Sync>;

/// The banks of a run.
#[derive(Default)]
pub struct Banks {
    /// Those of files, by tool.
    given: BTreeMap<String, Arc<Bank>>,
    /// What becomes of those that a model fills; none is filled where it is absent.
    keep: Option<Keep>,
    filled: Mutex<BTreeMap<String, Filled>>,
}

impl fmt::Debug for Banks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Banks").field("given", &self.given).finish_non_exhaustive()
    }
}

impl Banks {
    /// These banks, and for other tools those that a model fills.
    pub fn new(given: impl IntoIterator<Item = Bank>, keep: Option<Keep>) -> Self {
        let given = given.into_iter().map(|bank| (bank.tool.clone(), Arc::new(bank))).collect();
        Self { given, keep, filled: Mutex::default() }
    }

    fn cell(&self, tool: &str) -> Filled {
        self.filled.lock().unwrap_or_else(PoisonError::into_inner).entry(tool.to_owned()).or_default().clone()
    }
}

impl Context {
    /// The bank of a tool, filled by a model where there is none yet; `None` where a template writes, where banks are turned
    /// off, and where the model could not fill one.
    pub async fn bank(&self, tool: &Arc<Tool>) -> Result<Option<Arc<Bank>>, ItemError> {
        let banks = self.banks();
        if self.is_template(ROLE) {
            return Ok(None);
        }
        if let Some(bank) = banks.given.get(&tool.name) {
            return Ok(Some(bank.clone()));
        }
        let Some(keep) = &banks.keep else { return Ok(None) };
        let cell = banks.cell(&tool.name);
        cell.get_or_try_init(|| self.at(STAGE, Some(ROLE)).fill(tool, keep)).await.cloned()
    }

    /// Lets a model fill the bank of a tool.
    async fn fill(self, tool: &Arc<Tool>, keep: &Keep) -> Result<Option<Arc<Bank>>, ItemError> {
        let id = ItemId::root(&tool.name);
        let question = self.question(Task::FillBank, &id, ASKS);
        let variables = |common| {
            let (values, situations) = (VALUES, SITUATIONS);
            let reference_time = self.reference_time().to_owned();
            Variables::FillBank(BankVariables { common, tool: tool.clone(), reference_time, values, situations })
        };
        let schema = (!tool.parameters.properties.is_empty()).then(|| schemas::bank(tool, VALUES, SITUATIONS));
        let read = |reply: &Reply| self.read_bank(tool, reply);
        let (mut bank, draw) = match self.obtain(&question, schema, variables, read).await {
            Ok(read) => read,
            Err(ItemError::Item { fault, .. }) if fault.reason != "transport" => {
                self.count("no bank");
                return Ok(None);
            }
            Err(failure) => return Err(failure),
        };
        (bank.model, bank.prompt) = (draw.model, draw.prompt);
        self.reference_time().clone_into(&mut bank.reference_time);
        let lost = |error| RunStopped::Store(format!("cannot write the bank of `{}`: {error}", tool.name));
        keep(&bank).map_err(|error| ItemError::Stopped(lost(error)))?;
        Ok(Some(Arc::new(bank)))
    }

    fn read_bank(&self, tool: &Tool, reply: &Reply) -> Result<Bank, Fault> {
        let (fields, _) = read_bank(&reply.text)?;
        let (mut bank, mut lost) = Bank::read(&fields, &tool.name, &self.pack().code);
        let prompt = self.prompt_of(Task::FillBank);
        let faults = bank.sift(tool, self.language(), |text| prompt.is_some_and(|prompt| prompt.brings(text)));
        lost += faults.len() + bank.drop_situations_with_values(self.language());
        (0..lost).for_each(|_| self.count("entry of a bank left out"));
        if bank.parameters.is_empty() && !tool.parameters.properties.is_empty() {
            let why = faults.first().map_or_else(|| "no parameter of the tool has values".to_owned(), Clone::clone);
            return Err(Fault::new("empty_bank", why));
        }
        Ok(bank)
    }
}
