//! A headless Chromium, spoken to through two pipes: messages of its debugging protocol, each ended by a zero byte.

use super::PATIENCE;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// A browser with one page.
pub(crate) struct Browser {
    process: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    _profile: tempfile::TempDir,
    session: Option<String>,
    number: u64,
    events: Vec<Value>,
}

impl Browser {
    pub(crate) fn start() -> Self {
        let profile = tempfile::tempdir().unwrap();
        let program = std::env::var("FCGEN_CHROMIUM").unwrap_or_else(|_| "chromium".to_owned());
        // The browser reads from descriptor 3 and writes to descriptor 4; only a shell can give it these.
        let mut process = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", &program])
            .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe"])
            .arg("--window-size=1280,860")
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (to, from) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        let mut browser = Self { process, to, from, _profile: profile, session: None, number: 0, events: Vec::new() };
        let target = browser.ask("Target.createTarget", &json!({"url": "about:blank"}));
        let attached = browser.ask("Target.attachToTarget", &json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.ask(domain, &json!({}));
        }
        browser
    }

    /// Opens a file, and waits until the page says that it is ready.
    pub(crate) fn open(&mut self, path: &Path) {
        self.ask("Page.navigate", &json!({"url": format!("file://{}", path.display())}));
        self.wait("document.body && document.body.dataset.ready === 'true'");
    }

    /// What an expression comes to, as text; nothing is the empty text.
    pub(crate) fn run(&mut self, script: &str) -> String {
        let asked = json!({"expression": script, "awaitPromise": true, "returnByValue": true});
        let found = self.ask("Runtime.evaluate", &asked);
        assert!(found.get("exceptionDetails").is_none(), "{script}: {found}");
        match &found["result"]["value"] {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            value => value.to_string(),
        }
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&mut self, script: &str) {
        let end = Instant::now() + PATIENCE;
        while self.run(&format!("!!({script})")) != "true" {
            assert!(Instant::now() < end, "{script}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The text of an element.
    pub(crate) fn text(&mut self, selector: &str) -> String {
        self.run(&format!("document.querySelector({}).textContent", json!(selector)))
    }

    /// Presses keys.
    pub(crate) fn keys(&mut self, keys: &[&str]) {
        for key in keys {
            let text = if *key == "Enter" { "\r" } else { key };
            let mut press = json!({"type": "keyDown", "key": key});
            if text.chars().count() == 1 {
                press["text"] = json!(text);
            }
            if *key == "Escape" {
                // A dialog listens to the number of the key.
                press["windowsVirtualKeyCode"] = json!(27);
            }
            self.ask("Input.dispatchKeyEvent", &press);
            self.ask("Input.dispatchKeyEvent", &json!({"type": "keyUp", "key": key}));
            self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))");
        }
    }

    /// Keeps a picture in the folder that `FCGEN_SHOTS` names, if it does; in base 64, as the browser gives it.
    pub(crate) fn shot(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("FCGEN_SHOTS") else { return };
        let picture = self.ask("Page.captureScreenshot", &json!({"format": "png"}));
        let path = Path::new(&folder).join(format!("{name}.png.base64"));
        std::fs::write(path, picture["data"].as_str().unwrap()).unwrap();
    }

    /// Errors on the console, and those that nobody caught.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let is_bad = |event: &&Value| match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => event["params"]["type"] == "error",
            Some("Log.entryAdded") => event["params"]["entry"]["level"] == "error",
            _ => false,
        };
        self.events.iter().filter(is_bad).map(ToString::to_string).collect()
    }

    fn ask(&mut self, method: &str, parameters: &Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let mut bytes = Vec::new();
            assert!(self.from.read_until(0, &mut bytes).unwrap() > 0, "the browser is gone");
            bytes.pop();
            let heard: Value = serde_json::from_slice(&bytes).unwrap();
            if heard["id"] != self.number {
                self.events.push(heard);
                continue;
            }
            assert!(heard.get("error").is_none(), "{method}: {heard}");
            return heard["result"].clone();
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}
