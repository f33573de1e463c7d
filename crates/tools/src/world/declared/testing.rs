//! Declared worlds for the tests of this folder.

use super::{DeclaredSession, DeclaredWorld};
use crate::toolset::Toolset;
use crate::toolset::testing::{FOLDER, known, load_with};
use crate::world::WorldError;
use fcgen_core::locale::Pack;
use std::sync::{Arc, LazyLock};

static GROUNDS: LazyLock<[(Arc<Toolset>, Arc<Pack>); 2]> = LazyLock::new(|| {
    ["en", "ko"].map(|locale| {
        let toolset = crate::fixtures::toolset(FOLDER, locale);
        let mut pack = Pack::load(crate::fixtures::assets(), locale).unwrap();
        toolset.extend(&mut pack).unwrap();
        (toolset, Arc::new(pack))
    })
});

/// The small world.
pub(crate) fn inn(locale: &str, seed: u64) -> DeclaredWorld {
    let (toolset, pack) = &GROUNDS[usize::from(locale == "ko")];
    DeclaredWorld::new(toolset.world.clone().unwrap(), Arc::clone(pack), seed).unwrap()
}

/// The small world with one text of its structure replaced.
pub(crate) fn toolset_with(old: &str, new: &str) -> Toolset {
    load_with("world/inns.toml", old, new).unwrap()
}

/// The world of a toolset, in English.
pub(crate) fn world_of(toolset: &Toolset) -> Result<DeclaredWorld, WorldError> {
    DeclaredWorld::new(toolset.world.clone().unwrap(), Arc::clone(&GROUNDS[0].1), 5)
}

/// The answer of a call that must go well.
pub(crate) fn call(session: &mut DeclaredSession<'_>, tool: &str, json: &str) -> serde_json::Value {
    serde_json::Value::from(&session.call(tool, &serde_json::from_str(json).unwrap()).unwrap())
}

/// What a function of these steps over known tables answers, or why it does not.
pub(crate) fn answer(steps: &str, give: &str, json: &str) -> Result<String, String> {
    let world = world_of(&known(steps, give).unwrap()).unwrap();
    let answer = world.session().call("F", &serde_json::from_str(json).unwrap());
    answer.map(|answer| answer.to_string()).map_err(|fault| fault.to_string())
}
