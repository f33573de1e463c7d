//! External information: the entities that people point at, the pointers, and the messages that hold the value.

use super::super::LocaleError;
use super::super::Pattern;
use super::super::parse_all;
use crate::assets::Assets;
use indexmap::IndexMap;
use serde::Deserialize;

/// How a language points at what stands elsewhere. Empty where the pack has no `external.toml`.
#[derive(Debug, Clone, Default)]
pub struct External {
    /// Where things stand: text message, note ...
    pub sources: Vec<String>,
    /// The entities (HammerBench: nine), each in the words of a prompt.
    pub entities: IndexMap<String, String>,
    /// Pointers by entity: patterns over `{source}` and `{sender}`.
    pub pointers: IndexMap<String, Vec<Pattern>>,
    /// Sentences that hold the value, by entity: patterns over `{value}`.
    pub messages: IndexMap<String, Vec<Pattern>>,
    /// How a message opens.
    pub openings: Vec<Pattern>,
    /// What else it says.
    pub besides: Vec<Pattern>,
    /// How it closes: patterns over `{sender}`.
    pub closings: Vec<Pattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExternalText {
    sources: Vec<String>,
    entities: IndexMap<String, String>,
    pointers: IndexMap<String, Vec<String>>,
    messages: IndexMap<String, Vec<String>>,
    openings: Vec<String>,
    besides: Vec<String>,
    closings: Vec<String>,
}

impl External {
    /// Loads `locales/<code>/external.toml`, or the English one in its place.
    pub(crate) fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        let path = super::super::locale_file(assets, code, "external.toml");
        let Some(text) = assets.read(&path) else { return Ok(Self::default()) };
        let text: ExternalText = crate::toml_text::from_toml(&text)
            .map_err(|error| LocaleError::Toml { path: path.clone(), message: error.to_string() })?;
        let by_entity = |patterns: IndexMap<String, Vec<String>>| {
            patterns
                .into_iter()
                .map(|(entity, texts)| Ok((entity, parse_all(&path, &texts)?)))
                .collect::<Result<IndexMap<_, _>, LocaleError>>()
        };
        Ok(Self {
            pointers: by_entity(text.pointers)?,
            messages: by_entity(text.messages)?,
            openings: parse_all(&path, &text.openings)?,
            besides: parse_all(&path, &text.besides)?,
            closings: parse_all(&path, &text.closings)?,
            sources: text.sources,
            entities: text.entities,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_points_at_nine_entities_and_holds_each() {
        let external = External::load(crate::fixtures::assets(), "en").unwrap();
        assert_eq!(external.entities.len(), 9);
        for entity in external.entities.keys() {
            assert!(external.pointers[entity].len() >= 4, "{entity}");
            assert!(external.messages[entity].iter().all(|message| message.slots() == ["value"]), "{entity}");
        }
    }

    #[test]
    fn a_pack_without_the_file_has_none() {
        assert!(External::load(crate::fixtures::assets(), "xx").unwrap().entities.is_empty());
    }
}
