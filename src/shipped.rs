//! What ships inside the program, as `build.rs` packs it.

use crate::assets::{Assets, Packed};
use std::sync::LazyLock;

static PACKED: LazyLock<Packed> = LazyLock::new(|| {
    Packed::new(
        include_str!(concat!(env!("OUT_DIR"), "/shipped.txt")),
        include_bytes!(concat!(env!("OUT_DIR"), "/shipped.bin")),
    )
});
static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets::packed(&PACKED));

/// The files that ship with fcgen. One of the same path in the working folder wins.
pub fn assets() -> &'static Assets {
    &ASSETS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_what_lies_in_the_project() {
        assert!(PACKED.paths().count() > 100 && PACKED.paths().is_sorted());
        for path in PACKED.paths() {
            assert_eq!(PACKED.find(path).unwrap(), std::fs::read(path).unwrap(), "{path}");
        }
        assert!(PACKED.find("locales/no/such.toml").is_none() && !PACKED.holds("locales/no"));
        assert!(PACKED.holds("locales/README.md") && !assets().holds("elsewhere"));
    }

    #[test]
    fn a_folder_lists_what_lies_in_the_project() {
        for folder in ["locales", "toolsets/mobile", "prompts"] {
            assert_eq!(PACKED.list(folder), Assets::disk(".").list(folder));
        }
        assert_eq!(PACKED.list("local"), Vec::<String>::new());
    }
}
