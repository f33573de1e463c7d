//! The files of banks: those that a plan names, and those that a run keeps in `banks/<locale>/` of its folder.

use crate::config::{Located, NONE, Plan};
use crate::failure::{RunError, SetupError};
use crate::fs::{AtomicFile, make_folder};
use crate::locale::Language;
use crate::run::Options;
use crate::stage::{Bank, Banks, Keep};
use crate::toolset::Toolset;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The folder of a run's banks.
const FOLDER: &str = "banks";
/// So many faults of a file are told.
const TOLD: usize = 3;

/// The banks of a run: those that are given, those that its folder holds, and those that a model fills, which are kept there.
pub(crate) fn open(
    plan: &Plan,
    given: Vec<Bank>,
    (toolset, language): (&Toolset, &Language),
    options: &Options,
) -> Result<Banks, SetupError> {
    if named(plan) == Some(NONE) {
        return Ok(Banks::default());
    }
    let folder = options.out.join(FOLDER).join(plan.pipeline.locale.as_str());
    let mut kept = Vec::new();
    for path in files(&folder).unwrap_or_default() {
        let name = path.display().to_string();
        let text = fs::read_to_string(&path).map_err(|error| fault(&name, error.to_string()))?;
        kept.extend(read(&name, &text, plan, toolset, language)?);
    }
    let is_preview = options.preview.is_some();
    let keep: Keep = Box::new(move |bank| if is_preview { Ok(()) } else { write(bank, &folder) });
    Ok(Banks::new(kept.into_iter().chain(given), Some(keep)))
}

/// The banks that a plan names, each of a tool that it has and of its locale.
pub(crate) fn given(plan: &Plan, toolset: &Toolset, language: &Language) -> Result<Vec<Bank>, SetupError> {
    let read = |(path, text): (String, String)| read(&path, &text, plan, toolset, language).transpose();
    texts(plan).into_iter().filter_map(read).collect()
}

/// The files of the folder of banks that a plan names, in order: those of its locale's folder, where there is one.
pub(crate) fn texts(plan: &Plan) -> Vec<(String, String)> {
    let Some(folder) = named(plan).filter(|folder| *folder != NONE) else { return Vec::new() };
    let own = format!("{folder}/{}", plan.pipeline.locale);
    let folder = if plan.files.list(&own).is_empty() { folder.to_owned() } else { own };
    let names = plan.files.list(&folder).into_iter().filter(|name| is_bank(Path::new(name)));
    names
        .map(|name| format!("{folder}/{name}"))
        .filter_map(|path| Some((path.clone(), plan.files.read(&path)?)))
        .collect()
}

/// Takes over the banks of a shard.
pub(crate) fn take_over(shard: &Path, folder: &Path) -> Result<(), RunError> {
    let Ok(locales) = fs::read_dir(shard.join(FOLDER)) else { return Ok(()) };
    for locale in locales {
        let locale = locale?;
        let own = folder.join(FOLDER).join(locale.file_name());
        make_folder(&own)?;
        for path in files(&locale.path())? {
            fs::copy(&path, own.join(path.file_name().unwrap_or_default()))?;
        }
    }
    Ok(())
}

fn named(plan: &Plan) -> Option<&str> {
    plan.pipeline.banks.as_ref().map(Located::as_str)
}

fn is_bank(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "json")
}

fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
    paths.retain(|path| is_bank(path));
    paths.sort();
    Ok(paths)
}

fn fault(path: &str, message: String) -> SetupError {
    SetupError::File { path: path.to_owned(), message }
}

/// Reads a bank that people may have edited; `None` if it is of another locale or of no tool of the plan.
fn read(
    path: &str,
    text: &str,
    plan: &Plan,
    toolset: &Toolset,
    language: &Language,
) -> Result<Option<Bank>, SetupError> {
    let mut bank: Bank = serde_json::from_str(text).map_err(|error| fault(path, error.to_string()))?;
    let tool = toolset.tool(&bank.tool);
    let Some(tool) = tool.filter(|_| bank.locale == plan.pipeline.locale.as_str()) else { return Ok(None) };
    let faults = bank.sift(tool, language, |_| false);
    if faults.is_empty() {
        return Ok(Some(bank));
    }
    let more = faults.len().saturating_sub(TOLD);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    Err(fault(path, faults.into_iter().take(TOLD).collect::<Vec<_>>().join("; ") + &more))
}

fn write(bank: &Bank, folder: &Path) -> io::Result<()> {
    make_folder(folder)?;
    let mut file = AtomicFile::create(&folder.join(file_name(&bank.tool)))?;
    serde_json::to_writer_pretty(&mut file, bank)?;
    file.write_all(b"\n")?;
    file.finish()
}

/// The file of a tool's bank: the letters and digits of its name, and eight hexadecimal digits that no other name has.
fn file_name(tool: &str) -> String {
    let letter = |letter: char| if letter.is_alphanumeric() { letter } else { '-' };
    let slug: String = tool.chars().take(60).map(letter).collect();
    let hash = blake3::hash(tool.as_bytes()).to_hex();
    format!("{slug}-{}.json", hash.chars().take(8).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_two_tools_have_two_names() {
        assert!(file_name("Home.Lamps/on").starts_with("Home-Lamps-on-"));
        assert_ne!(file_name("a.b"), file_name("a-b"));
    }
}
