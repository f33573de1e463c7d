//! A locale that is not finished: what is missing, before anything is run.

use crate::cli::console::exit::{Complaint, PIPELINE};
use crate::cli::console::words::counted;
use fcgen::config::Plan;
use fcgen::run::Unfinished;

/// So many files are named; the others are counted.
const NAMED: usize = 12;

/// A complaint if the plan's locale lacks files that the plan wants.
pub(crate) fn check_locale(plan: &Plan) -> Result<(), Complaint> {
    let unfinished = Unfinished::of(plan);
    match unfinished.all().next() {
        Some(_) => Err(complaint(plan.pipeline.locale.as_str(), &unfinished, "")),
        None => Ok(()),
    }
}

/// What is missing of a locale, and what else could be done.
pub(crate) fn complaint(locale: &str, unfinished: &Unfinished, otherwise: &str) -> Complaint {
    let missing: Vec<&String> = unfinished.all().collect();
    let files = counted(missing.len(), "file");
    let mut lines: Vec<String> = missing.iter().take(NAMED).map(|path| format!("  {path}")).collect();
    if missing.len() > NAMED {
        lines.push(format!("  and {} more", missing.len() - NAMED));
    }
    let message = format!("locale `{locale}` is incomplete: {files} missing\n{}", lines.join("\n"));
    let draft =
        format!("`fcgen locale new {locale}` writes a draft; with `--model` three files are enough (docs/locales.md)");
    Complaint::new(PIPELINE, message).hint(format!("{draft}{otherwise}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen::config::load;

    fn told(sets: &[&str]) -> Option<String> {
        let text = fcgen::assets().read("pipelines/callnavi.toml").unwrap();
        let plan = load(fcgen::assets(), &text, "pipelines/callnavi.toml", &sets.iter().copied().collect()).unwrap();
        check_locale(&plan).err().map(|complaint| complaint.to_string())
    }

    #[test]
    fn what_is_missing_is_listed() {
        assert_eq!(told(&["locale=ko"]), None);
        insta::assert_snapshot!(told(&["locale=zh"]).unwrap());
    }

    #[test]
    fn a_long_list_is_cut() {
        let toolsets = (0..20).map(|number| format!("f{number}.toml")).collect();
        let unfinished = Unfinished { pack: Vec::new(), toolsets };
        let text = complaint("xx", &unfinished, "").to_string();
        assert!(text.ends_with("  and 8 more") && text.starts_with("locale `xx` is incomplete: 20 files missing\n"));
    }
}
