//! Files of a toolset's folder, written whole or not at all.

use super::LiveError;
use std::fs;
use std::path::Path;

/// Writes a file aside and puts it in its place.
pub(super) fn write(folder: &Path, path: &str, content: &str) -> Result<(), LiveError> {
    let place = folder.join(path);
    let fault =
        |error: std::io::Error| LiveError::File { path: place.display().to_string(), message: error.to_string() };
    if let Some(parent) = place.parent() {
        fs::create_dir_all(parent).map_err(fault)?;
    }
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let aside = place.with_file_name(name);
    fs::write(&aside, content).map_err(fault)?;
    fs::rename(&aside, &place).map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_in_its_place_and_nothing_is_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "a/b.toml", "x = 1\n").unwrap();
        write(folder.path(), "a/b.toml", "x = 2\n").unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("a/b.toml")).unwrap(), "x = 2\n");
        assert_eq!(fs::read_dir(folder.path().join("a")).unwrap().count(), 1);
        assert!(write(&folder.path().join("a/b.toml"), "c.toml", "").is_err(), "a file is no folder");
    }
}
