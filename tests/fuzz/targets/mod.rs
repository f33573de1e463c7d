//! The targets, by what is read.

mod answers;
mod formats;
mod languages;
mod models;
mod pipelines;
mod predictions;
mod servers;
mod toolsets;
mod values;

/// Words for what came of it: the fault's own, or a mark for success.
fn came<T, E: std::fmt::Display>(read: &Result<T, E>, found: impl Fn(&T) -> String) -> String {
    match read {
        Ok(value) => found(value),
        Err(fault) => fault.to_string(),
    }
}

/// Files of a folder with that ending, as texts.
fn files(folder: &str, ending: &str) -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.to_str().is_some_and(|path| path.ends_with(ending)));
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|text| (*text).to_owned()).collect()
}
