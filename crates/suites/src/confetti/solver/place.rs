//! Where calls are answered that nothing is recorded of: the worlds of a benchmark's toolsets, drawn once more.

use crate::assets::Assets;
use crate::locale::Pack;
use crate::record::Sample;
use crate::toolset::Toolset;
use crate::world::Worlds;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The worlds that can be drawn once more.
#[derive(Default)]
pub struct Place {
    assets: Assets,
    seed: Option<u64>,
    drawn: Mutex<Drawn>,
}

/// Worlds by toolset and locale; none where there are none to draw.
type Drawn = BTreeMap<(String, String), Option<Arc<Worlds>>>;

impl Place {
    /// The worlds of a run with this seed; without one there are none.
    pub fn of_run(assets: &Assets, seed: Option<u64>) -> Self {
        Self { assets: assets.clone(), seed, drawn: Mutex::default() }
    }

    /// The worlds of a sample's toolset, if there are any.
    pub(super) fn worlds(&self, sample: &Sample) -> Option<Arc<Worlds>> {
        let key = (sample.source.clone(), sample.locale.clone());
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        drawn
            .entry(key)
            .or_insert_with(|| draw(&self.assets, &sample.source, &sample.locale, self.seed?).map(Arc::new))
            .clone()
    }
}

fn draw(assets: &Assets, source: &str, locale: &str, seed: u64) -> Option<Worlds> {
    let toolset = Toolset::load(assets, source, locale).ok()?;
    let mut pack = Pack::load(assets, locale).ok()?;
    toolset.extend(&mut pack).ok()?;
    Worlds::new(&toolset, &Arc::new(pack), seed).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::predict::testing::call_item;

    #[test]
    fn a_world_is_drawn_once_and_where_its_toolset_and_seed_are_known() {
        let inn = Sample { source: "tests/fixtures/toolsets/inn".to_owned(), ..call_item(0) };
        let place = Place::of_run(crate::fixtures::assets(), Some(3));
        let worlds = place.worlds(&inn).unwrap();
        assert!(worlds.answers("Find_Town") && !worlds.answers("Find_Port"));
        assert!(Arc::ptr_eq(&worlds, &place.worlds(&inn).unwrap()));
        assert!(
            Place::of_run(crate::fixtures::assets(), None).worlds(&inn).is_none()
                && place.worlds(&call_item(0)).is_none()
        );
    }
}
