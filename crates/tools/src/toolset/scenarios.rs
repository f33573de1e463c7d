//! Reads `scenarios/*.toml` of a toolset's folder with the words of a locale: threads of conversations, and cases of requests.
//! All faults are reported at once, each with its place.

use super::declared::{Cases, Declaration};
use super::resources::source::{Entry, File};
use super::thread::{Thread, ThreadText, ThreadWords};
use super::{Fault, Toolset, ToolsetError, nearest_name};
use fcgen_core::assets::Assets;
use indexmap::IndexMap;
use std::path::Path;
use std::sync::Arc;

/// Reads the folder's scenarios. A thread names tools and goals of the toolset, a case tables and functions of its world.
pub(super) fn read(
    assets: &Assets,
    (folder, locale): (&str, &str),
    toolset: &Toolset,
    world: Option<&Declaration>,
) -> Result<(Vec<Arc<Thread>>, Cases), ToolsetError> {
    let (mut threads, mut cases, mut faults) = (Vec::<Arc<Thread>>::new(), Cases::default(), Vec::new());
    let mut place = None;
    let is_toml = |name: &String| Path::new(name).extension().is_some_and(|it| it == "toml");
    // A file that only other locales have words for is theirs alone.
    let locales = super::folder::locales(assets, folder);
    let is_said = |name: &String| {
        let has = |locale: &str| assets.holds(&format!("{folder}/{locale}/scenarios/{name}"));
        has(locale) || !locales.iter().any(|other| has(other))
    };
    let files = assets.list(&format!("{folder}/scenarios")).into_iter();
    for name in files.filter(is_toml).filter(is_said) {
        let paths = [format!("{folder}/scenarios/{name}"), format!("{folder}/{locale}/scenarios/{name}")];
        // A toolset of one locale may have the words in the structure.
        let texts = [0, 1].map(|at: usize| assets.read(&paths[at]).unwrap_or_default());
        let [file, words] = [0, 1].map(|at| File::new(&paths[at], &texts[at]));
        let mut own: Vec<(usize, ThreadText)> = Vec::new();
        for entry in file.entries(&mut faults) {
            if entry.0 == "thread" {
                own.extend(file.items(entry, &mut faults).into_iter().filter_map(|it| placed(file, it, &mut faults)));
            } else {
                cases.take(file, entry, &mut faults);
            }
        }
        let (said, spoken): (Vec<Entry<'_>>, Vec<_>) =
            words.entries(&mut faults).into_iter().partition(|(_, value)| value.get_ref().as_array().is_some());
        for entry in said {
            cases.say(words, entry, &mut faults);
        }
        let mut spoken: IndexMap<String, (usize, ThreadWords)> =
            spoken.into_iter().filter_map(|it| Some((it.0.clone(), placed(words, it, &mut faults)?))).collect();
        for (start, text) in own {
            let name = text.about.clone();
            let thread = text.joined(spoken.shift_remove(&name).map(|it| it.1).unwrap_or_default());
            let is_twice = threads.iter().any(|it| it.name == name);
            let fault = match thread {
                Err(message) => Some(message),
                Ok(_) if is_twice => Some("duplicate name".to_owned()),
                Ok(thread) => {
                    let fault = thread.fault(toolset);
                    threads.push(Arc::new(thread));
                    fault
                }
            };
            faults.extend(fault.map(|message| file.fault(Some(start), format!("thread `{name}`: {message}"))));
        }
        for (name, (start, _)) in spoken {
            let known: Vec<&str> = threads.iter().map(|thread| thread.name.as_str()).collect();
            let message = format!("unknown thread `{name}`; {}", nearest_name(&name, &known));
            faults.push(words.fault(Some(start), message));
        }
        if place.is_none() && cases != Cases::default() {
            place = Some(paths);
        }
    }
    // A case may be of a field that another file declares.
    if let Some([path, text_path]) = place {
        if let Some(world) = world {
            cases.check((&path, &text_path), world, &mut faults);
        } else {
            let message = "cases require tables and functions in `world/*.toml`".to_owned();
            faults.push(Fault { path, line: None, message });
        }
    }
    if faults.is_empty() { Ok((threads, cases)) } else { Err(ToolsetError::Faults { faults }) }
}

/// An entry with the place where it begins.
fn placed<'s, T: for<'de> serde::Deserialize<'de>>(
    file: File<'s>,
    entry: Entry<'s>,
    faults: &mut Vec<Fault>,
) -> Option<(usize, T)> {
    let start = entry.1.span().start;
    Some((start, file.read(entry, faults)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a file of scenarios of the shipped assistant and its words; `ko` for words of that locale alone.
    fn faults(text: &str, words: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let own = if words == "ko" { ("ko/scenarios", "") } else { ("en/scenarios", words) };
        for (place, text) in [("scenarios", text), own] {
            std::fs::create_dir_all(folder.path().join(place)).unwrap();
            std::fs::write(folder.path().join(place).join("a.toml"), text).unwrap();
        }
        let toolset = crate::fixtures::toolset("assistant", "en");
        let path = folder.path().to_str().unwrap();
        let read = read(&Assets::disk(""), (path, "en"), &toolset, None);
        read.err().map(|error| error.to_string().replace(&format!("{path}/"), "")).unwrap_or_default()
    }

    #[test]
    fn every_fault_is_told_with_its_place() {
        const THREAD: &str = "[[thread]]\nabout = \"rain\"\ngoals = [{ use = \"Weather_get_alerts\" }]\n";
        assert_eq!(faults(THREAD, "[rain]\nopens = [\"It rains.\"]"), "");
        let wrong = faults(
            &format!("{THREAD}{}{THREAD}[fields]\n", THREAD.replace("rain", "snow").replace("_alerts", "_luck")),
            "[rain]\nvalues = { a = [] }\n[hail]\nwho = []\nvisit = []\n",
        );
        insta::assert_snapshot!(wrong);
        assert_eq!(faults("thread = 1", "ko"), "", "it is said in another locale alone");
        assert!(faults("thread = 1", "").contains("must be an array"));
        assert!(faults("[cases.visit]", "visit = [\"a\"]").contains("cases require tables and functions"));
    }
}
