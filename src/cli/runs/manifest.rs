//! Reads a run folder's manifest, with a word on what else the folder may be.

use crate::cli::console::exit::{Complaint, INPUT};
use fcgen::run::{FORMAT, Manifest};
use std::path::Path;

/// The manifest of a run that came to its end.
pub(crate) fn read_manifest(run: &Path) -> anyhow::Result<Manifest> {
    let path = run.join("manifest.json");
    let text = std::fs::read_to_string(&path).map_err(|_| missing(run))?;
    let fault = |error| Complaint::new(INPUT, format!("`{}` is not a valid manifest: {error}", path.display()));
    let manifest: Manifest = serde_json::from_str(&text).map_err(fault)?;
    if manifest.format > FORMAT {
        let Manifest { fcgen, format, .. } = &manifest;
        let message = format!("the run in `{}` was made by fcgen {fcgen} (run format {format})", run.display());
        let hint = format!("this is fcgen {}, which reads formats up to {FORMAT}", env!("CARGO_PKG_VERSION"));
        return Err(Complaint::new(INPUT, message).hint(hint).into());
    }
    Ok(manifest)
}

fn missing(run: &Path) -> Complaint {
    let name = run.display();
    if run.join("run.db").is_file() {
        let complaint = Complaint::new(INPUT, format!("the run in `{name}` is not finished: no manifest.json"));
        return complaint.hint(format!("run its pipeline again to resume; `fcgen status {name}` shows its progress"));
    }
    Complaint::new(INPUT, format!("`{name}` is not a run folder: no manifest.json"))
        .hint("create one with `fcgen pipeline`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_manifest_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let error = || read_manifest(folder.path()).unwrap_err().to_string();
        assert!(error().ends_with("is not a run folder: no manifest.json"));
        std::fs::write(folder.path().join("run.db"), "").unwrap();
        assert!(error().contains("is not finished"));
        std::fs::write(folder.path().join("manifest.json"), "{}").unwrap();
        assert!(error().contains("is not a valid manifest: missing field `fcgen`"));
    }

    #[test]
    fn a_manifest_of_a_later_form_is_refused_with_its_maker() {
        let folder = tempfile::tempdir().unwrap();
        let manifest = Manifest {
            format: FORMAT + 1,
            fcgen: "7.0.0".to_owned(),
            ..crate::cli::console::figures::tests::manifest()
        };
        std::fs::write(folder.path().join("manifest.json"), serde_json::to_string(&manifest).unwrap()).unwrap();
        let error = read_manifest(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("was made by fcgen 7.0.0 (run format 2)"), "{error}");
    }
}
