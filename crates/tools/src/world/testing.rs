//! Worlds for the tests of this folder.

use super::World;
use crate::toolset::Toolset;
use fcgen_core::locale::Pack;
use fcgen_core::record::Object;
use std::sync::{Arc, LazyLock};

static GROUNDS: LazyLock<[(Arc<Toolset>, Arc<Pack>); 2]> = LazyLock::new(|| {
    ["en", "ko"].map(|locale| {
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/office", locale);
        let mut pack = Pack::load(crate::fixtures::assets(), locale).unwrap();
        toolset.extend(&mut pack).unwrap();
        (toolset, Arc::new(pack))
    })
});

fn ground(locale: &str) -> &'static (Arc<Toolset>, Arc<Pack>) {
    &GROUNDS[usize::from(locale == "ko")]
}

pub fn toolset(locale: &str) -> &'static Toolset {
    &ground(locale).0
}

pub fn pack(locale: &str) -> Arc<Pack> {
    Arc::clone(&ground(locale).1)
}

/// The world of the domain that shows every operation.
pub fn bank(locale: &str, seed: u64) -> World {
    World::new(Arc::clone(&toolset(locale).domains["bank"]), pack(locale), seed).unwrap()
}

/// Arguments as JSON text.
pub fn arguments(json: &str) -> Object {
    serde_json::from_str(json).unwrap()
}
