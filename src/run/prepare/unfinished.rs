//! What a locale lacks for a plan: files of its pack, and texts of the plan's toolsets.

use crate::config::Plan;
use crate::locale::{english_files, pack_gaps, pack_needs};
use crate::toolset::Toolset;

/// What is missing of the plan's locale.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Unfinished {
    /// Files of the pack; none where it can be used.
    pub pack: Vec<String>,
    /// Files with the texts of the plan's toolsets.
    pub toolsets: Vec<String>,
}

impl Unfinished {
    /// Looks for everything that the plan wants of its locale.
    pub fn of(plan: &Plan) -> Self {
        let (assets, locale) = (plan.files.assets(), plan.pipeline.locale.as_str());
        if !plan.asks_builtin() {
            return Self { pack: pack_needs(assets, locale, false), toolsets: Vec::new() };
        }
        let toolsets = plan.toolsets().map(|config| Toolset::gaps(assets, &config.path, locale));
        Self { pack: pack_needs(assets, locale, true), toolsets: toolsets.flatten().collect() }
    }

    /// What a plan that nothing keeps from running takes from English: files that stand in, and texts that nobody wrote anew.
    pub fn english(plan: &Plan) -> Vec<String> {
        let (assets, locale) = (plan.files.assets(), plan.pipeline.locale.as_str());
        let mut notes = Vec::new();
        let missing = pack_gaps(assets, locale);
        if !missing.is_empty() && !plan.asks_builtin() {
            notes.push(format!("{} of locale `{locale}` are missing; the English files are used", files(&missing)));
        }
        let same = english_files(assets, locale);
        if !same.is_empty() {
            notes.push(format!("{} of locale `{locale}` are identical to the English files", files(&same)));
        }
        for config in plan.toolsets() {
            if let Some((english, all)) = Toolset::english_tools(assets, &config.path, locale).filter(|(it, _)| *it > 0)
            {
                notes.push(format!(
                    "the text of toolset `{}` in `{locale}` is identical to English for {english} of {all} tools",
                    config.path.as_str()
                ));
            }
        }
        notes
    }

    /// Everything, by its path.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.pack.iter().chain(&self.toolsets)
    }
}

/// Some files by their names.
fn files(paths: &[String]) -> String {
    let names: Vec<&str> = paths.iter().filter_map(|path| path.rsplit('/').next()).collect();
    format!(
        "{} ({})",
        if names.len() == 1 { "1 file".to_owned() } else { format!("{} files", names.len()) },
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::{SMALL, plan};

    fn unfinished(pipeline: &str, locale: &str) -> Unfinished {
        Unfinished::of(&plan(&crate::fixtures::assets().read(pipeline).unwrap(), &[]).in_locale(locale))
    }

    #[test]
    fn the_shipped_locales_lack_nothing() {
        for locale in ["en", "ko", "zh"] {
            assert_eq!(unfinished("pipelines/hammer.toml", locale), Unfinished::default(), "{locale}");
        }
    }

    #[test]
    fn what_a_toolset_does_not_say_is_listed_file_by_file() {
        let unfinished = unfinished("pipelines/callnavi.toml", "zh");
        assert!(unfinished.pack.is_empty());
        assert_eq!(unfinished.toolsets.len(), 10);
        assert_eq!(unfinished.all().next().unwrap(), "toolsets/enterprise/zh/aviation.toml");
    }

    #[test]
    fn a_locale_of_which_nothing_is_there_lacks_everything() {
        let unfinished = unfinished("pipelines/hammer.toml", "xx");
        assert!(unfinished.pack.contains(&"locales/xx/pack.toml".to_owned()));
        assert!(unfinished.all().count() > unfinished.pack.len());
        assert!(Unfinished::of(&plan(SMALL, &[])).all().next().is_none());
    }
}
