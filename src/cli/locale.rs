//! `fcgen locale`: begins a locale, or copies one that ships.

use super::toolset_enrich::ended;
use crate::cli::console::exit::{Complaint, INPUT, OK, USAGE, YIELD};
use crate::cli::console::interrupt::wish;
use crate::cli::console::talk::{give, say};
use crate::cli::console::words::counted;
use crate::cli::flags::model_flags::ModelArguments;
use clap::{Args, Subcommand};
use fcgen::enrich::{LocaleDraft, LocaleJob, begin_locale};
use fcgen::fs::AtomicFile;
use fcgen::llm::ProviderKind;
use std::io::Write;
use std::path::Path;

/// Commands about locales.
#[derive(Debug, Subcommand)]
pub(crate) enum LocaleCommand {
    /// Create a locale in locales/CODE: the three files that a pipeline with a language model needs
    New(Box<NewArguments>),
    /// Copy all files of a locale to locales/TO, to be translated for the built-in model
    Copy(CopyArguments),
}

/// Flags of `locale new`.
#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// Locale code, such as de
    code: String,
    /// English name of the language; default: the locale code
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Locale to start from: en, ko for verb-final languages, zh for languages without spaces between words
    #[arg(long, value_name = "L", default_value = "en")]
    from: String,
    #[command(flatten)]
    model: ModelArguments,
}

/// Flags of `locale copy`.
#[derive(Debug, Args)]
pub(crate) struct CopyArguments {
    /// Locale to copy: a built-in one, or one in locales/
    from: String,
    /// Code of the new locale; if it equals FROM, the built-in files are copied to the working folder for editing
    to: String,
    /// English name of the language
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// Begins or copies a locale, and says what is left to be done.
pub(crate) fn run(command: &LocaleCommand) -> anyhow::Result<u8> {
    match command {
        LocaleCommand::New(arguments) => new(arguments),
        LocaleCommand::Copy(arguments) => copy(arguments),
    }
}

fn new(arguments: &NewArguments) -> anyhow::Result<u8> {
    let config = arguments.model.config()?;
    // A file is longer than a call.
    let model =
        (config.provider != ProviderKind::Grammar).then(|| fcgen::llm::ModelConfig { max_tokens: None, ..config });
    let job = LocaleJob {
        model,
        max_cost: arguments.model.max_cost(),
        ..job(&arguments.code, arguments.name.as_deref(), &arguments.from)?
    };
    let draft = begin(&job)?;
    tell(&job, &draft);
    give(format!("locales/{}", job.code))?;
    let is_in_vain = job.model.is_some() && draft.drafted.is_empty() && !draft.refused.is_empty();
    Ok(if is_in_vain { YIELD } else { OK })
}

fn copy(arguments: &CopyArguments) -> anyhow::Result<u8> {
    if arguments.from == arguments.to {
        return unpack(&arguments.from);
    }
    let job = LocaleJob { all: true, ..job(&arguments.to, arguments.name.as_deref(), &arguments.from)? };
    let draft = begin(&job)?;
    tell(&job, &draft);
    give(format!("locales/{}", job.code))?;
    Ok(OK)
}

/// Puts the shipped files of a locale where they can be changed.
fn unpack(code: &str) -> anyhow::Result<u8> {
    let folder = format!("locales/{code}");
    let files = fcgen::assets().list(&folder);
    if files.is_empty() {
        return Err(unknown(code).into());
    }
    std::fs::create_dir_all(&folder)?;
    for file in files.iter().map(|file| format!("{folder}/{file}")).filter(|path| !Path::new(path).exists()) {
        let mut out = AtomicFile::create(Path::new(&file))?;
        out.write_all(&fcgen::assets().bytes(&file).unwrap_or_default())?;
        out.finish()?;
    }
    give(folder)?;
    Ok(OK)
}

fn job(code: &str, name: Option<&str>, from: &str) -> Result<LocaleJob, Complaint> {
    let is_code =
        !code.is_empty() && code.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
    if !is_code {
        return Err(Complaint::new(USAGE, format!("`{code}` is not a valid locale code"))
            .hint("use a code such as `de` or `pt-BR`"));
    }
    if fcgen::assets().list(&format!("locales/{from}")).is_empty() {
        return Err(unknown(from));
    }
    Ok(LocaleJob {
        assets: fcgen::assets().clone(),
        code: code.to_owned(),
        name: name.unwrap_or(code).to_owned(),
        from: from.to_owned(),
        all: false,
        model: None,
        max_cost: None,
        interrupt: wish(),
    })
}

fn unknown(code: &str) -> Complaint {
    let known = fcgen::assets().list("locales").into_iter().filter(|name| !name.contains('.'));
    let known: Vec<String> = known.map(|name| format!("`{name}`")).collect();
    Complaint::new(INPUT, format!("no locale `{code}`")).hint(format!("available: {}", known.join(", ")))
}

fn begin(job: &LocaleJob) -> anyhow::Result<LocaleDraft> {
    tokio::runtime::Runtime::new()?.block_on(begin_locale(job)).map_err(ended)
}

/// What was written, and what is left to be done.
fn tell(job: &LocaleJob, draft: &LocaleDraft) {
    let listed = |what: &str, files: &[String]| {
        if !files.is_empty() {
            say(format!("{} {what}: {}", counted(files.len(), "file"), files.join(", ")));
        }
    };
    listed("written", &draft.written);
    listed("already present, not changed", &draft.kept);
    listed("drafted by the model, to be reviewed", &draft.drafted);
    for (file, fault) in &draft.refused {
        say(format!("no usable draft of {file}: {fault}"));
    }
    listed("still in English, to be translated", &draft.english);
    let code = &job.code;
    if !job.all {
        say(format!(
            "enough for a language model; missing texts fall back to English: fcgen pipeline hammer --locale {code} \
             --model M --base-url URL\nthe built-in model needs all files: fcgen locale copy {} {code}",
            job.from
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_a_name_of_a_folder() {
        assert!(job("pt-BR", None, "en").is_ok());
        for code in ["", "../x", "a b"] {
            assert!(job(code, None, "en").is_err(), "{code}");
        }
        assert_eq!(job("de", None, "xx").unwrap_err().to_string(), "no locale `xx`");
    }
}
