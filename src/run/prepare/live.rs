//! Puts live worlds behind the toolset of a run: every answer goes through a recording in the run's folder.

use crate::config::Plan;
use crate::failure::SetupError;
use crate::live::{LiveError, LiveWorld, ORIGINS, RECORDING, RULES, Rules, read_origins};
use crate::toolset::{Answers, Declaration, Toolset};
use std::path::Path;
use std::sync::Arc;

/// The toolset with whoever answers its live functions; without such functions it stays as it is.
pub(crate) fn attached(plan: &Plan, toolset: Arc<Toolset>, out: &Path) -> Result<Arc<Toolset>, SetupError> {
    let Some(world) = toolset.world.clone().filter(|world| world.functions.values().any(|it| it.live)) else {
        return match plan.worlds.keys().next() {
            Some(name) => Err(stray(name, &toolset).into()),
            None => Ok(toolset),
        };
    };
    if let Some(name) = plan.worlds.keys().find(|name| **name != world.name) {
        return Err(stray(name, &toolset).into());
    }
    let mut attached = Toolset::clone(&toolset);
    attached.world = Some(Arc::new(answered(plan, &toolset, &world, out)?));
    Ok(Arc::new(attached))
}

fn answered(plan: &Plan, toolset: &Toolset, world: &Declaration, out: &Path) -> Result<Declaration, LiveError> {
    let config = plan.worlds.get(&world.name).cloned().unwrap_or_default();
    let live = world.functions.values().find(|it| it.live);
    let origin = live.and_then(|it| toolset.origins.get(&it.name)).map(String::as_str).unwrap_or_default();
    let folder =
        [origin.to_owned(), format!("toolsets/{origin}")].into_iter().find(|it| Path::new(it).join(ORIGINS).is_file());
    let folder =
        folder.ok_or_else(|| LiveError::File { path: format!("{origin}/{ORIGINS}"), message: "missing".to_owned() })?;
    let rules = match plan.files.assets().read(&format!("{folder}/{RULES}")) {
        Some(text) => Rules::read(&format!("{folder}/{RULES}"), &text)?,
        None => Rules::default(),
    };
    std::fs::create_dir_all(out)
        .map_err(|error| LiveError::File { path: out.display().to_string(), message: error.to_string() })?;
    let origins = read_origins(Path::new(&folder))?;
    let live = LiveWorld::open(&config, (&origins, rules), world.answers.clone(), &out.join(RECORDING))?;
    let answers: Arc<dyn Answers> = Arc::new(live);
    Ok(world.answered_by(answers))
}

fn stray(name: &str, toolset: &Toolset) -> LiveError {
    let live = toolset.world.as_ref().filter(|world| world.functions.values().any(|it| it.live));
    let known = live.map_or_else(|| "there is none".to_owned(), |world| format!("expected `{}`", world.name));
    LiveError::File { path: format!("[world.{name}]"), message: format!("no live toolset of that name; {known}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::load;

    #[test]
    fn a_world_without_a_live_toolset_is_told() {
        let text = "[world.mine]\n[[stage]]\nkind = \"toolset\"\npath = \"tests/fixtures/toolsets/inn\"\nby = \"domain\"\n[[stage]]\nkind = \"complex_queries\"\n[[stage]]\nkind = \"candidates\"\ncount = \"all\"\n";
        let plan = load(crate::fixtures::assets(), text, "p.toml", &crate::config::Overrides::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/inn", "en");
        let out = tempfile::tempdir().unwrap();
        let error = attached(&plan, toolset.clone(), out.path()).unwrap_err().to_string();
        assert_eq!(error, "[world.mine]: no live toolset of that name; there is none");
        let plan = load(
            crate::fixtures::assets(),
            &text.replace("[world.mine]\n", ""),
            "p.toml",
            &crate::config::Overrides::default(),
        )
        .unwrap_or_else(|error| panic!("{error}"));
        assert!(Arc::ptr_eq(&attached(&plan, toolset.clone(), out.path()).unwrap(), &toolset));
    }
}
