//! Samples to make pages of; what people say in them tries to get out.

use std::fmt::Write;
use std::path::PathBuf;

/// A text that must stay one.
pub(crate) const EVIL: &str = r#"</script><script>window.hurt = 1</script><img src=x onerror="window.hurt = 1">"#;

/// A folder with samples.
pub(crate) struct Folder {
    folder: tempfile::TempDir,
    count: usize,
}

impl Folder {
    pub(crate) fn with(count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut text = String::new();
        (0..count).for_each(|at| writeln!(text, "{}", sample(at)).unwrap());
        std::fs::write(folder.path().join("samples.jsonl"), text).unwrap();
        Self { folder, count }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn name(&self) -> String {
        self.folder.path().display().to_string()
    }

    /// Predictions of which each `of`-th is right.
    pub(crate) fn prediction(&self, name: &str, of: usize) -> String {
        let line = |at: usize| {
            let to = if at.is_multiple_of(of) { "Porto" } else { "Faro" };
            let call = serde_json::json!([["book", format!("{{\"to\": \"{to}\"}}")]]);
            format!("{}\n", serde_json::json!({"id": format!("t/{at}"), "turns": [{"tool_calls": call}]}))
        };
        let path = self.path(&format!("{name}.jsonl"));
        std::fs::write(&path, (0..self.count).map(line).collect::<String>()).unwrap();
        path.display().to_string()
    }

    /// What the program prints.
    pub(crate) fn fcgen(&self, arguments: &[&str]) -> String {
        let folder = self.folder.path();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_fcgen"))
            .args(arguments)
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The page.
    pub(crate) fn report(&self, arguments: &[&str]) -> String {
        let name = self.name();
        let path = self.fcgen(&[&["report", name.as_str()], arguments].concat());
        std::fs::read_to_string(path.trim_end()).unwrap()
    }
}

/// Half of them, but for the first, want a call; the others have no tool for it.
fn sample(at: usize) -> serde_json::Value {
    let is_call = at % 4 != 3;
    let expected = if is_call {
        serde_json::json!({"call": {"name": "book", "arguments": {"to": "Porto"}}})
    } else {
        serde_json::json!("refusal")
    };
    let tool = |name: &str, parameter: &str| {
        serde_json::json!({"name": name, "description": format!("Can {name}."),
            "parameters": {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}})
    };
    let mut sample = serde_json::json!({
        "id": format!("t/{at}"), "suite": "hammerbench", "data_type": if is_call { "ST_Perfect" } else { "IR" }, "locale": "en",
        "messages": [{"role": "user", "content": format!("book a train to Porto {EVIL} number {at}")}],
        "candidates": [tool("book", "to"), tool("sing", "song")], "expected": expected, "group": format!("g{}", at / 3),
        "licence": "MIT", "source": "made up", "provenance": {"template": true, "draws": []},
    });
    if is_call {
        sample["arguments"] = serde_json::json!({"to": {"surface": "Porto", "origin": "verbatim"}});
    }
    sample
}
