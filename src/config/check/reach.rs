//! How far the paths of a pipeline file reach: into the working folder, into the file's own, and no further.
//!
//! A pipeline file may come from anywhere, and what it names is sent to whatever model it names. So it is not the file
//! that says what may be read: who gives the command does, by the folder that it is given in and by `--allow-path`.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Folders below a folder are looked through so deep.
const DEEPEST: usize = 16;

/// The folders into which paths may lead.
#[derive(Debug, Clone)]
pub(crate) struct Reach {
    /// Without links and without `..`.
    roots: Vec<PathBuf>,
    /// The same as they are written.
    written: Vec<PathBuf>,
}

/// A path that leads elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stray {
    /// It says so itself.
    Written,
    /// A link on its way does.
    Linked {
        /// The link, or what is behind it.
        from: PathBuf,
        /// Where it leads.
        to: PathBuf,
    },
}

impl Reach {
    /// Reach into these folders; those that are not there hold nothing that could be read.
    pub(crate) fn into_folders(folders: impl IntoIterator<Item = PathBuf>) -> Self {
        let there = folders.into_iter().filter_map(|folder| Some((folder.canonicalize().ok()?, spelt(&folder))));
        let (roots, written) = there.unzip();
        Self { roots, written }
    }

    /// Whether what stands at the first of these places that there is, or would stand at one of them, is within reach.
    pub(crate) fn judge(&self, places: &[PathBuf]) -> Result<(), Stray> {
        if places.iter().any(|place| is_foreign(place)) {
            return Err(Stray::Written);
        }
        match places.iter().find_map(|place| Some((place, place.canonicalize().ok()?))) {
            Some((_, real)) if self.holds(&real) => Ok(()),
            Some((place, _)) if !self.is_written_within(place) => Err(Stray::Written),
            Some((place, real)) => Err(Stray::Linked { from: place.clone(), to: real }),
            None if places.is_empty() || places.iter().any(|place| self.holds(&plain(place))) => Ok(()),
            None => Err(Stray::Written),
        }
    }

    /// The same, and of a folder for all that is in it: it is read by whatever names stand there.
    pub(crate) fn judge_all(&self, places: &[PathBuf]) -> Result<(), Stray> {
        self.judge(places)?;
        let folder = places.iter().find(|place| place.is_dir());
        folder.map_or(Ok(()), |folder| self.judge_within(folder, &mut BTreeSet::new(), DEEPEST))
    }

    fn judge_within(&self, folder: &Path, seen: &mut BTreeSet<PathBuf>, deep: usize) -> Result<(), Stray> {
        let real = folder.canonicalize().ok().filter(|real| deep > 0 && seen.insert(real.clone()));
        let entries = real.and_then(|_| std::fs::read_dir(folder).ok()).into_iter().flatten();
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            self.judge(std::slice::from_ref(&path))?;
            if path.is_dir() {
                self.judge_within(&path, seen, deep - 1)?;
            }
        }
        Ok(())
    }

    /// Whether it looks as if it were within reach, by its words alone.
    fn is_written_within(&self, place: &Path) -> bool {
        let spelt = spelt(place);
        self.roots.iter().chain(&self.written).any(|root| spelt.starts_with(root))
    }

    fn holds(&self, place: &Path) -> bool {
        self.roots.iter().any(|root| place.starts_with(root))
    }
}

/// Whether a path is written as another system writes one that leads out: here it would be an odd name, there it would not.
pub(crate) fn is_foreign(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let mut letters = text.chars();
    let has_drive = letters.next().is_some_and(|letter| letter.is_ascii_alphabetic()) && letters.next() == Some(':');
    cfg!(not(windows)) && (has_drive || text.starts_with('\\') || climbs(&text))
}

/// Whether a path with backslashes leads above where it begins.
fn climbs(text: &str) -> bool {
    let mut depth = 0_usize;
    text.contains('\\')
        && text.split(['/', '\\']).any(|part| match part {
            "" | "." => false,
            ".." => depth.checked_sub(1).map(|less| depth = less).is_none(),
            _ => {
                depth += 1;
                false
            }
        })
}

/// The path from the root of the file system, without `.` and `..`, as if there were no links.
fn spelt(path: &Path) -> PathBuf {
    let mut whole = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).components() {
        match part {
            Component::ParentDir => {
                whole.pop();
            }
            Component::CurDir => {}
            other => whole.push(other),
        }
    }
    whole
}

/// The same for what is not there; as much of it as there is goes by its real name, since the roots do.
fn plain(path: &Path) -> PathBuf {
    let whole = spelt(path);
    let there = whole.ancestors().find_map(|above| Some((above.canonicalize().ok()?, whole.strip_prefix(above).ok()?)));
    there.map(|(real, rest)| real.join(rest)).unwrap_or(whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    /// `project/` with files, beside something that is none of its business.
    fn ground() -> (tempfile::TempDir, Reach) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["project/a/b", "project-two", "outside"] {
            fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        for name in ["project/a/in.csv", "project-two/x.csv", "outside/secret.csv"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let reach = Reach::into_folders([folder.path().join("project"), folder.path().join("none")]);
        (folder, reach)
    }

    #[test]
    fn what_is_below_is_within_reach_however_it_is_written() {
        let (folder, reach) = ground();
        let judge = |path: &str| reach.judge(&[folder.path().join("project").join(path)]);
        for path in ["a/in.csv", "./a/../a/in.csv", "a/b/../in.csv", "no/such.csv", "a/../none.csv", ".", "a b\\c.csv"]
        {
            assert_eq!(judge(path), Ok(()), "{path}");
        }
        for path in ["..", "../outside/secret.csv", "a/../../b", "../project-two/x.csv", "../none", "a/b/../../../x"] {
            assert_eq!(judge(path), Err(Stray::Written), "{path}");
        }
        assert_eq!(reach.judge(&[]), Ok(()), "nothing leads nowhere");
    }

    #[test]
    fn a_whole_path_leads_where_it_leads() {
        let (folder, reach) = ground();
        assert_eq!(reach.judge(&[folder.path().join("project/a/in.csv")]), Ok(()));
        for path in [folder.path().join("outside/secret.csv"), folder.path().join("gone"), PathBuf::from("/")] {
            assert_eq!(reach.judge(std::slice::from_ref(&path)), Err(Stray::Written), "{path:?}");
        }
    }

    #[cfg(not(windows))]
    #[test]
    fn what_would_lead_out_elsewhere_leads_out_here() {
        let (_folder, reach) = ground();
        for path in ["C:\\x.csv", "c:x.csv", "Z:/x", "\\\\host\\share", "\\x", "..\\x", "a\\..\\..\\x", "a/..\\../x"] {
            assert_eq!(reach.judge(&[PathBuf::from(path)]), Err(Stray::Written), "{path}");
        }
    }

    #[test]
    fn of_several_places_the_first_that_is_there_counts() {
        let (folder, reach) = ground();
        let (inside, outside) = (folder.path().join("project/a/in.csv"), folder.path().join("outside/secret.csv"));
        let none = folder.path().join("project/none");
        assert_eq!(reach.judge(&[inside.clone(), outside.clone()]), Ok(()));
        assert_eq!(reach.judge(&[none.clone(), outside.clone()]), Err(Stray::Written));
        assert_eq!(reach.judge(&[folder.path().join("gone"), none]), Ok(()), "it could stand within reach");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_out_is_told_with_its_end() {
        use std::os::unix::fs::symlink;
        let (folder, reach) = ground();
        let (project, outside) = (folder.path().join("project"), folder.path().join("outside"));
        symlink(&outside, project.join("link")).unwrap();
        symlink(project.join("a/in.csv"), project.join("own.csv")).unwrap();
        symlink(project.join("a"), project.join("a/b/again")).unwrap();
        let stray = |from: PathBuf, to: &str| Err(Stray::Linked { from, to: outside.join(to).canonicalize().unwrap() });
        let path = project.join("link/secret.csv");
        assert_eq!(reach.judge(std::slice::from_ref(&path)), stray(path, "secret.csv"));
        assert_eq!(reach.judge_all(&[project.join("own.csv")]), Ok(()));
        assert_eq!(reach.judge_all(&[project.join("a")]), Ok(()), "a ring of links has an end");
        symlink(outside.join("secret.csv"), project.join("a/b/deep.csv")).unwrap();
        assert_eq!(reach.judge_all(&[project.join("a")]), stray(project.join("a/b/deep.csv"), "secret.csv"));
    }

    #[cfg(unix)]
    #[test]
    fn a_root_may_be_a_link_itself() {
        let (folder, _) = ground();
        let door = folder.path().join("door");
        std::os::unix::fs::symlink(folder.path().join("project"), &door).unwrap();
        let reach = Reach::into_folders([door.clone()]);
        assert_eq!(reach.judge(&[door.join("a/in.csv"), door.join("none")]), Ok(()));
        assert_eq!(reach.judge(&[door.join("none")]), Ok(()));
        assert_eq!(reach.judge(&[door.join("../outside/x")]), Err(Stray::Written));
    }

    proptest! {
        /// Whatever is let through really is below, by the system's own account.
        #[test]
        fn nothing_outside_is_ever_let_through(parts in prop::collection::vec(prop::sample::select(vec!["a", "b", "..", ".", "", "outside", "secret.csv", "in.csv", "project", "..\\.."]), 0..9)) {
            let (folder, reach) = ground();
            let project = folder.path().join("project");
            let place = project.join(parts.join("/"));
            if reach.judge(std::slice::from_ref(&place)).is_ok() {
                if let Ok(real) = place.canonicalize() {
                    prop_assert!(real.starts_with(project.canonicalize().unwrap()), "{:?}", real);
                }
            }
        }
    }
}
