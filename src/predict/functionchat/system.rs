//! The system's message, which is a controlled variable: figures with different ones do not compare.

use super::super::locales::Ground;
use crate::failure::RunStopped;
use crate::llm::Prompt;
use crate::record::{Role, Sample};
use std::path::Path;

/// The folder of the messages that ship.
const SHIPPED: &str = "functionchat_system";

/// Which message the system gives.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum System {
    /// The sample's own where it has one, and else that of its locale.
    #[default]
    Own,
    /// None at all, and the sample's own is left out.
    Silent,
    /// This one in every sample.
    Text(String),
}

impl System {
    /// The message in a file: a text, or a prompt whose part for the system it is.
    pub fn read(path: &Path) -> Result<Self, RunStopped> {
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| RunStopped::Input(format!("`{}` cannot be read: {error}", path.display())))?;
        if !text.lines().any(|line| line.starts_with("=== ")) {
            return Ok(Self::Text(text.trim().to_owned()));
        }
        let fault = |error: crate::llm::PromptError| RunStopped::Input(error.to_string());
        let prompt = Prompt::from_text(&path.display().to_string(), &text).map_err(fault)?;
        let rendered = prompt.render(&serde_json::json!({"query": ""})).map_err(fault)?;
        Ok(Self::Text(rendered.system.unwrap_or_default()))
    }

    /// The word that names it in predictions.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Own => "",
            Self::Silent => "-no-system",
            Self::Text(_) => "-other-system",
        }
    }

    /// The message for a sample.
    pub(super) fn of(&self, sample: &Sample, ground: &Ground) -> Result<Option<String>, RunStopped> {
        let own = sample.messages.iter().find(|message| message.role == Role::System);
        match (self, own.and_then(|message| message.content.clone())) {
            (Self::Silent, _) => Ok(None),
            (Self::Text(text), _) => Ok(Some(text.clone())),
            (Self::Own, Some(text)) => Ok(Some(text)),
            (Self::Own, None) => {
                let fields = serde_json::json!({"common": ground.common, "query": ""});
                let rendered = ground.named(SHIPPED)?.render(&fields);
                Ok(rendered.map_err(|error| RunStopped::Input(error.to_string()))?.system)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::locales::Locales;
    use super::super::super::testing::sample;
    use super::*;
    use crate::record::Message;

    fn of(system: &System, own: Option<&str>) -> Option<String> {
        let mut sample = sample("a");
        if let Some(text) = own {
            sample.messages.insert(0, Message::new(Role::System, text));
        }
        system.of(&sample, &Locales::default().get("en").unwrap()).unwrap()
    }

    #[test]
    fn a_sample_keeps_its_own_unless_somebody_says_otherwise() {
        assert_eq!(of(&System::Own, Some("Be kind.")).unwrap(), "Be kind.");
        assert!(of(&System::Own, None).unwrap().contains("talk with the user in English"));
        assert_eq!((of(&System::Silent, Some("Be kind.")), of(&System::Silent, None)), (None, None));
        let other = System::Text("Be brief.".to_owned());
        assert_eq!(
            (of(&other, Some("Be kind.")).unwrap(), of(&other, None).unwrap()),
            ("Be brief.".to_owned(), "Be brief.".to_owned())
        );
    }

    #[test]
    fn a_file_is_a_text_or_a_prompt() {
        let folder = tempfile::tempdir().unwrap();
        let read = |text: &str| {
            let path = folder.path().join("s.md");
            std::fs::write(&path, text).unwrap();
            System::read(&path)
        };
        assert_eq!(read("\nBe kind.\n").unwrap(), System::Text("Be kind.".to_owned()));
        assert_eq!(
            read("=== system\nBe brief.\n=== user\n{{ query }}\n.\n").unwrap(),
            System::Text("Be brief.".to_owned())
        );
        assert!(read("=== system\n{{ nothing }}\n=== user\nx\n").is_err());
        assert!(System::read(Path::new("/no/such")).unwrap_err().to_string().contains("`/no/such` cannot be read"));
    }
}
