//! CallNavi's files, shaped as their authors publish them: for each domain its APIs, their schemas, and the questions.
//!
//! The authors' own files are irregular in many ways; all of them are read, and none of them is written.

mod api;
mod declared;
mod folder;
mod item;

pub use api::{Api, ApiFile, ApiSchema, ParameterSchema};
pub use declared::{Declared, TypeWord};
pub use folder::{
    APIS, DATASET, DOMAIN_TAG, DomainFiles, Prefixes, QUESTIONS, SCHEMAS, STEMS, bare, domain, file_stem,
};
pub use item::{Gold, PARAMETERS_FACT, QuestionItem, QuestionTurn, difficulty, word};
