//! Packs what ships inside the program: prompts, locales, toolsets, pipelines and profiles, since as text they would be a
//! third of it. The files of a folder are compressed as one, being alike. `crates/core/src/assets/packed.rs` reads them.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

const FOLDERS: [&str; 5] = ["locales", "pipelines", "profiles", "prompts", "toolsets"];

fn main() -> io::Result<()> {
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or(io::ErrorKind::NotFound)?);
    let mut files = Vec::new();
    for folder in FOLDERS {
        println!("cargo::rerun-if-changed={folder}");
        gather(Path::new(folder), &mut files)?;
    }
    let mut files: Vec<(String, PathBuf)> = files.into_iter().map(|file| (name(&file), file)).collect();
    files.sort();
    let (mut packed, mut index) = (Vec::new(), String::new());
    for folder in files.chunk_by(|(_, file), (_, next)| file.parent() == next.parent()) {
        let start = packed.len();
        let mut encoder = DeflateEncoder::new(&mut packed, Compression::best());
        for (name, file) in folder {
            let bytes = fs::read(file)?;
            encoder.write_all(&bytes)?;
            writeln!(index, "{name} {}", bytes.len()).map_err(io::Error::other)?;
        }
        encoder.finish()?;
        writeln!(index, "= {}", packed.len() - start).map_err(io::Error::other)?;
    }
    fs::write(out.join("shipped.bin"), packed)?;
    fs::write(out.join("shipped.txt"), index)
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { gather(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

/// The path as `Assets::read` takes it, on every system.
fn name(file: &Path) -> String {
    let parts: Vec<_> = file.iter().map(|part| part.to_string_lossy()).collect();
    parts.join("/")
}
