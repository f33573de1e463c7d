//! The page without its data: markup, looks and script, which only run as they were written here.

use super::escape::html_text;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

const SHELL: &str = include_str!("assets/shell.html");
const LOOKS: &str = include_str!("assets/page.css");

/// The script, in parts that know only those before them.
const PARTS: [&str; 8] = [
    include_str!("assets/dom.js"),
    include_str!("assets/store.js"),
    include_str!("assets/plots.js"),
    include_str!("assets/dialogue.js"),
    include_str!("assets/review.js"),
    include_str!("assets/overview.js"),
    include_str!("assets/browser.js"),
    include_str!("assets/main.js"),
];

/// The page up to where its data begins, and what stands behind it.
pub(super) fn frame(title: &str) -> (String, String) {
    let script = format!("\"use strict\";\n(() => {{\n{}}})();\n", PARTS.join("\n"));
    let policy = format!(
        "default-src 'none'; script-src '{}'; style-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(&script),
        hash(LOOKS)
    );
    let (before, after) = SHELL.split_once("@@DATA@@").unwrap_or((SHELL, ""));
    let before = before.replace("@@POLICY@@", &policy).replace("@@STYLE@@", LOOKS);
    (before.replace("@@TITLE@@", &html_text(title)), after.replace("@@SCRIPT@@", &script))
}

/// How a policy names the one text that may run.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_frame_is_whole_and_asks_for_nothing_from_elsewhere() {
        let (before, after) = frame("a <run>");
        let page = format!("{before}{after}");
        assert!(!page.contains("@@") && page.contains("<title>a &lt;run&gt;"), "{before}");
        assert!(page.ends_with("</html>\n"));
        for word in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "http://", "https://", "fetch("]
        {
            assert!(!page.replace("http://www.w3.org/2000/svg", "").contains(word), "{word}");
        }
    }

    #[test]
    fn the_policy_names_exactly_the_script_and_the_looks() {
        let (before, after) = frame("t");
        let script = after.split_once("<script>").unwrap().1.split_once("</script>").unwrap().0;
        let looks = before.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
        for text in [script, looks] {
            assert!(before.contains(&hash(text)), "{}", hash(text));
        }
        assert_eq!(hash("").as_str(), "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
