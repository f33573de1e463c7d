//! Where the files that a pipeline names are looked for: beside the pipeline, in the project, in the binary.

use crate::assets::Assets;
use crate::config::check::reach::{Reach, Stray, is_foreign};
use std::path::{Path, PathBuf};

/// The places where a pipeline's files are looked for, nearest first.
#[derive(Debug, Clone)]
pub struct Files {
    assets: Assets,
    folders: Vec<PathBuf>,
    shipped: bool,
    /// Folders besides those into which paths may lead.
    allowed: Vec<PathBuf>,
    /// Whether the pipeline's own folder is one of them wherever it is.
    trusts_folder: bool,
}

impl Files {
    /// The places of the pipeline at `path`: its own folder, then the working folder and what is shipped.
    pub fn of(assets: &Assets, path: &str) -> Self {
        let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
        let folders = folder.map(Path::to_path_buf).into_iter().collect();
        Self { assets: assets.clone(), folders, shipped: true, allowed: Vec::new(), trusts_folder: true }
    }

    /// The same places for a pipeline of which another file says that it was at `path`: that does not open its folder.
    pub(super) fn told(assets: &Assets, path: &str) -> Self {
        Self { trusts_folder: false, ..Self::of(assets, path) }
    }

    /// One folder and nothing else: neither the working folder nor what is shipped.
    pub fn within(assets: &Assets, folder: impl Into<PathBuf>) -> Self {
        Self {
            assets: assets.clone(),
            folders: vec![folder.into()],
            shipped: false,
            allowed: Vec::new(),
            trusts_folder: true,
        }
    }

    /// The same with folders into which paths may lead besides: who gives the command says so, and never a file.
    #[must_use]
    pub fn allowing(mut self, folders: impl IntoIterator<Item = PathBuf>) -> Self {
        self.allowed.extend(folders);
        self
    }

    /// The same with one more place, looked at before the working folder.
    #[must_use]
    pub fn and(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folders.push(folder.into());
        self
    }

    /// The files that ship, and those of the working folder.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// Reads a file where it stands; `None` if it is in none of the places, or is no text. The place that was judged is
    /// the one that is read, so that nothing that cannot be read lends its name to a file farther off.
    pub fn read(&self, path: &str) -> Option<String> {
        self.place(path).and_then(|place| self.assets.read(&place))
    }

    /// Names of what is directly in a folder, in all places together, sorted.
    pub fn list(&self, folder: &str) -> Vec<String> {
        let mut names: Vec<String> =
            self.candidates(folder).flat_map(|candidate| self.assets.list(&candidate)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Codes of the locales that can be used: folders of `locales/` with a pack.
    pub fn locales(&self) -> Vec<String> {
        let names = self.list("locales").into_iter();
        names.filter(|code| self.read(&format!("locales/{code}/pack.toml")).is_some()).collect()
    }

    /// Where something beside the pipeline file stands, seen from the working folder; `None` if it is not there.
    pub(crate) fn beside(&self, path: &str) -> Option<String> {
        let places = self.folders.iter().filter(|_| !path.is_empty()).map(|folder| folder.join(path));
        places.filter(|place| place.exists()).find_map(|place| place.to_str().map(str::to_owned))
    }

    /// Where a file stands, in the working folder, beside the pipeline or among what is shipped; `None` if it is nowhere.
    pub(super) fn place(&self, path: &str) -> Option<String> {
        self.candidates(path).find(|candidate| self.assets.holds(candidate))
    }

    /// Whether a path, and of a folder all that is in it, stays in the working folder, the pipeline's own, or one that is
    /// allowed.
    pub(super) fn judge(&self, path: &str) -> Result<(), Stray> {
        if is_foreign(Path::new(path)) {
            return Err(Stray::Written);
        }
        let own = self.folders.iter().filter(|_| self.trusts_folder).cloned();
        let working = self.shipped.then(|| PathBuf::from("."));
        let places: Vec<PathBuf> = self.candidates(path).map(PathBuf::from).collect();
        Reach::into_folders(own.chain(working).chain(self.allowed.iter().cloned())).judge_all(&places)
    }

    /// Whether a path that is written to, and so is seen from the working folder alone, stays there or in what is allowed.
    pub(super) fn judge_here(&self, path: &str) -> Result<(), Stray> {
        if is_foreign(Path::new(path)) {
            return Err(Stray::Written);
        }
        Reach::into_folders(std::iter::once(PathBuf::from(".")).chain(self.allowed.iter().cloned()))
            .judge_all(&[PathBuf::from(path)])
    }

    fn candidates(&self, path: &str) -> impl Iterator<Item = String> {
        let named = !path.is_empty();
        let beside = self.folders.iter().filter_map(|folder| Some(folder.join(path).to_str()?.to_owned()));
        let all: Vec<String> = beside.chain(self.shipped.then(|| path.to_owned())).collect();
        // An empty path would name the places themselves.
        all.into_iter().filter(move |_| named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pipelines_own_folder_comes_first() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("Cargo.toml"), "mine").unwrap();
        let files = Files::of(crate::fixtures::assets(), folder.path().join("a.toml").to_str().unwrap());
        assert_eq!(files.read("Cargo.toml").unwrap(), "mine");
        assert!(Files::of(crate::fixtures::assets(), "a.toml").read("Cargo.toml").unwrap().contains("fcgen"));
        assert!(files.read("no/such.md").is_none());
        assert!(Files::within(crate::fixtures::assets(), folder.path()).read("README.md").is_none());
    }

    #[test]
    fn what_stands_beside_is_told_with_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("tools.json"), "[]").unwrap();
        let files = Files::of(crate::fixtures::assets(), folder.path().join("a.toml").to_str().unwrap());
        assert_eq!(files.beside("tools.json").as_deref(), folder.path().join("tools.json").to_str());
        assert_eq!((files.beside("Cargo.toml"), files.beside("")), (None, None));
    }

    #[test]
    fn paths_stay_in_the_working_folder_and_the_pipeline_s_own() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sub")).unwrap();
        std::fs::write(folder.path().join("above.csv"), "").unwrap();
        let path = folder.path().join("sub/a.toml");
        let files = Files::of(crate::fixtures::assets(), path.to_str().unwrap());
        for within in ["b.csv", "src/../Cargo.toml", "no/such.csv", ""] {
            assert_eq!(files.judge(within), Ok(()), "{within}");
        }
        for out in ["../above.csv", "../Cargo.toml", "/etc", "C:x", "a/..\\..\\b"] {
            assert_eq!(files.judge(out), Err(Stray::Written), "{out}");
        }
        assert_eq!(files.allowing([folder.path().to_owned()]).judge("../above.csv"), Ok(()));
        let told = Files::told(crate::fixtures::assets(), path.to_str().unwrap());
        std::fs::write(folder.path().join("sub/b.csv"), "").unwrap();
        assert_eq!((told.judge("b.csv"), told.judge("Cargo.toml")), (Err(Stray::Written), Ok(())));
    }

    #[test]
    fn a_locale_is_a_folder_with_a_pack() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("locales/xx")).unwrap();
        std::fs::create_dir_all(folder.path().join("locales/yy")).unwrap();
        std::fs::write(folder.path().join("locales/xx/pack.toml"), "").unwrap();
        let locales = Files::of(crate::fixtures::assets(), "a.toml").and(folder.path()).locales();
        assert!(locales.contains(&"xx".to_owned()) && !locales.contains(&"yy".to_owned()), "{locales:?}");
    }

    #[test]
    fn a_shipped_file_is_found_from_anywhere() {
        assert!(Files::of(crate::fixtures::assets(), "/somewhere/else.toml").read("locales/README.md").is_some());
    }

    #[test]
    fn what_is_in_several_places_is_listed_once_and_read_from_the_nearest() {
        let [near, far] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        for (folder, text) in [(&near, "near"), (&far, "far")] {
            std::fs::create_dir(folder.path().join("t")).unwrap();
            std::fs::write(folder.path().join("t/both.md"), text).unwrap();
            std::fs::write(folder.path().join(format!("t/{text}.md")), "").unwrap();
        }
        let files = Files::within(crate::fixtures::assets(), near.path()).and(far.path());
        assert_eq!(files.list("t"), ["both.md", "far.md", "near.md"]);
        assert_eq!(files.read("t/both.md").unwrap(), "near");
        assert_eq!(files.beside("t/far.md").unwrap(), far.path().join("t/far.md").to_str().unwrap());
        assert_eq!((files.beside("t/none.md"), files.beside("")), (None, None));
        assert!(files.list("").is_empty() && files.read("").is_none(), "an empty path is no place");
    }
}
