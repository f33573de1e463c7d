//! Which model plays which role, once every `[model.ROLE]` table has been read.

use super::problem::Problem;
use super::section::Places;
use crate::llm::{ModelConfig, ProviderKind};
use indexmap::IndexMap;
use std::ops::Range;

/// The roles that exist without being declared.
pub const ROLES: [&str; 3] = [GENERATOR, "checker", "judge"];

const GENERATOR: &str = "generator";

/// A `[model.ROLE]` table as it was read.
#[derive(Debug, Clone)]
pub(crate) struct DeclaredModel {
    /// The role.
    pub(crate) role: String,
    /// The table.
    pub(crate) config: ModelConfig,
    /// Where its values stand.
    pub(crate) places: Places,
    /// Where it begins.
    pub(crate) span: Range<usize>,
}

/// The models by role: the three standing roles first, then the declared ones.
///
/// A standing role that nobody declared is played by the generator's model, without the generator's deliberate faults:
/// a checker that errs on purpose would measure nothing.
pub(crate) fn models(declared: &[DeclaredModel]) -> IndexMap<String, ModelConfig> {
    let find = |role: &str| declared.iter().find(|model| model.role == role).map(|model| model.config.clone());
    let generator = find(GENERATOR).unwrap_or_default();
    let stand_in = ModelConfig { defect_rate: 0.0, ..generator.clone() };
    let standing = ROLES.iter().map(|role| {
        let config =
            if *role == GENERATOR { generator.clone() } else { find(role).unwrap_or_else(|| stand_in.clone()) };
        ((*role).to_owned(), config)
    });
    let mut models: IndexMap<String, ModelConfig> = standing.collect();
    models.extend(declared.iter().map(|model| (model.role.clone(), model.config.clone())));
    models
}

/// What is wrong with one model: settings by themselves, and settings that do not go together.
///
/// Of a table that could not be read `whole`, only the values that are there are judged.
pub(crate) fn check(model: &DeclaredModel, whole: bool, problems: &mut Vec<Problem>) {
    let place = model.place();
    for fault in model.config.faults().iter().filter(|fault| whole || model.places.contains_key(fault.key)) {
        problems.push(model.problem(fault.key, format!("{place}: {fault}")));
    }
    if !whole {
        return;
    }
    // A recorded model may have its name said, for manifest and rows.
    if model.config.provider != ProviderKind::Scripted {
        model.wants("model", ProviderKind::Openai, problems);
    }
    model.wants("base_url", ProviderKind::Openai, problems);
    model.wants("script", ProviderKind::Scripted, problems);
    model.wants("defect_rate", ProviderKind::Grammar, problems);
    if model.places.contains_key("defect_rate") && model.role != GENERATOR {
        let message = format!("`defect_rate` in {place} is only allowed in `[model.{GENERATOR}]`");
        problems.push(model.problem("defect_rate", message).hint("only the generator can make deliberate errors"));
    }
}

/// Two models whose questions would lie in one folder: an engine answers as one of them.
pub(crate) fn shared_folder(models: &[DeclaredModel]) -> Option<Problem> {
    let pairs = models.iter().enumerate().flat_map(|(at, model)| models.iter().skip(at + 1).map(move |it| (model, it)));
    let shares = |(one, other): &(&DeclaredModel, &DeclaredModel)| {
        one.config.batch_dir.is_some() && one.config.batch_dir == other.config.batch_dir && one.config != other.config
    };
    let (one, other) = { pairs }.find(shares)?;
    let message = format!("{} and {} have the same `batch_dir`", one.place(), other.place());
    Some(
        other
            .problem("batch_dir", message)
            .hint("use a separate folder for each model, since a batch is answered by one model"),
    )
}

/// Keys in which people put secrets by mistake.
const SECRETIVE: [&str; 2] = ["api_key_env", "headers"];

impl DeclaredModel {
    fn place(&self) -> String {
        format!("`[model.{}]`", self.role)
    }

    /// A problem at a key's value; at `provider` where the key is not there, which is what asks for it.
    fn problem(&self, key: &str, message: String) -> Problem {
        let place = self.places.get(key).or_else(|| self.places.get("provider"));
        let problem = Problem::new(place.cloned().unwrap_or_else(|| self.span.clone()), message);
        if self.places.contains_key(key) {
            return if SECRETIVE.contains(&key) { problem.secret() } else { problem };
        }
        problem.hint(format!("`provider = \"{}\"` requires `{key}`", word(self.config.provider)))
    }

    /// Says that `key` goes with another provider, if it is there.
    fn wants(&self, key: &str, wanted: ProviderKind, problems: &mut Vec<Problem>) {
        let provider = self.config.provider;
        if provider != wanted && self.places.contains_key(key) {
            let (wanted, found, place) = (word(wanted), word(provider), self.place());
            let message =
                format!("`{key}` requires `provider = \"{wanted}\"`, but {place} has `provider = \"{found}\"`");
            problems.push(self.problem(key, message).hint(format!("set `provider`, or remove `{key}`")));
        }
    }
}

/// The provider's word in the file.
fn word(provider: ProviderKind) -> &'static str {
    match provider {
        ProviderKind::Grammar => "grammar",
        ProviderKind::Openai => "openai",
        ProviderKind::Scripted => "scripted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::section::Section;
    use toml::de::DeTable;

    fn declared(role: &str, text: &str) -> DeclaredModel {
        let table = DeTable::parse(text).unwrap();
        let section = Section::new(table.get_ref().clone(), table.span(), "the test");
        let places = section.places();
        DeclaredModel { role: role.to_owned(), config: section.read(&mut Vec::new()).unwrap(), places, span: 0..0 }
    }

    fn messages(role: &str, text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        check(&declared(role, text), true, &mut problems);
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn without_any_table_every_role_is_the_built_in_model() {
        let models = models(&[]);
        assert_eq!(models.keys().collect::<Vec<_>>(), ROLES.iter().collect::<Vec<_>>());
        assert!(models.values().all(|model| *model == ModelConfig::default()));
    }

    #[test]
    fn an_undeclared_role_is_the_generator_without_its_faults() {
        let models = models(&[declared("generator", "defect_rate = 0.2\ntemperature = 0.5"), declared("extra", "")]);
        assert!(models["generator"].defect_rate > 0.0);
        assert!(models["judge"].defect_rate <= 0.0);
        assert_eq!(models["judge"].temperature, models["generator"].temperature);
        assert_eq!(models["extra"], ModelConfig::default());
    }

    #[test]
    fn keys_that_do_not_go_together_are_both_named() {
        assert_eq!(
            messages("judge", "provider = \"openai\""),
            ["`[model.judge]`: `model` is missing: the name of the model on the server"]
        );
        assert_eq!(
            messages("generator", "provider = \"openai\"\nmodel = \"m\"\ndefect_rate = 0.1"),
            ["`defect_rate` requires `provider = \"grammar\"`, but `[model.generator]` has `provider = \"openai\"`"]
        );
        assert_eq!(
            messages("judge", "defect_rate = 0.1"),
            ["`defect_rate` in `[model.judge]` is only allowed in `[model.generator]`"]
        );
        assert_eq!(messages("a", "script = \"s\"").len(), 1);
        assert_eq!(messages("a", "provider = \"scripted\"").len(), 1);
        assert_eq!(messages("a", "base_url = \"u\"\nmodel = \"m\"").len(), 2);
        assert_eq!(messages("a", "provider = \"scripted\"\nscript = \"s\"\nmodel = \"m\"").len(), 0);
    }

    #[test]
    fn two_models_share_no_folder_of_batches() {
        let model = |role: &str, name: &str, folder: &str| {
            declared(role, &format!("provider = \"openai\"\nmodel = \"{name}\"\nbatch_dir = \"{folder}\""))
        };
        let told = |models: &[DeclaredModel]| shared_folder(models).map(|problem| problem.message);
        let apart = [model("generator", "a", "x"), model("checker", "b", "y"), model("judge", "a", "x")];
        assert_eq!(told(&apart), None, "the judge is the generator's model");
        let clash = [model("generator", "a", "x"), model("judge", "b", "x")];
        assert_eq!(told(&clash).unwrap(), "`[model.generator]` and `[model.judge]` have the same `batch_dir`");
    }

    #[test]
    fn sound_tables_pass() {
        for text in
            ["", "defect_rate = 0.1", "provider = \"openai\"\nmodel = \"m\"", "provider = \"scripted\"\nscript = \"s\""]
        {
            assert_eq!(messages("generator", text), Vec::<String>::new(), "{text}");
        }
    }
}
