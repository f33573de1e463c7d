//! What a locale lacks for a plan: files of its pack, and texts of the plan's toolsets.

use crate::config::Plan;
use crate::locale::pack_gaps;
use crate::stage::Stage;
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
        let locale = plan.pipeline.locale.as_str();
        let toolsets = plan.stages.iter().filter_map(|stage| match &stage.stage {
            Stage::Toolset(config) => Some(Toolset::gaps(&config.path, locale)),
            _ => None,
        });
        Self { pack: pack_gaps(locale), toolsets: toolsets.flatten().collect() }
    }

    /// Everything, by its path.
    pub fn all(&self) -> impl Iterator<Item = &String> {
        self.pack.iter().chain(&self.toolsets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::testing::{SMALL, plan};

    fn unfinished(pipeline: &str, locale: &str) -> Unfinished {
        Unfinished::of(&plan(&crate::data::read(pipeline).unwrap(), &[]).in_locale(locale))
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
