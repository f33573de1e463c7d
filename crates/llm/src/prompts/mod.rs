//! Prompts: files, folders of other people's, templates.

pub(crate) mod prompt;
pub(crate) mod prompt_folder;
pub(crate) mod template;
pub(crate) mod yaml;
