//! The words of a tool, as stems: what the whole is about, what each parameter is about.

use super::ideas::split_name;
use crate::locale::{Meaning, Reading, Script};
use crate::record::Tool;

/// A tool's name and description as words.
pub(super) fn spoken_name(tool: &Tool) -> String {
    format!("{} {}", split_name(&tool.name).join(" "), tool.description.to_lowercase())
}

/// Stems of the words in the function's own name.
pub(super) fn function_stems(tool: &Tool, reading: &Reading) -> Vec<String> {
    content_stems(&split_name(tool.function()).join(" "), reading)
}

/// Stems of a parameter's name and description.
pub(super) fn parameter_stems(tool: &Tool, name: &str, reading: &Reading) -> Vec<String> {
    let described = tool.parameters.properties.get(name).and_then(|parameter| parameter.description.as_deref());
    content_stems(&format!("{} {}", split_name(name).join(" "), described.unwrap_or_default().to_lowercase()), reading)
}

/// Stems of all words of a tool: its name, its description and its parameters'.
pub(super) fn known_stems(tool: &Tool, reading: &Reading) -> Vec<String> {
    let parameters = tool.parameters.properties.keys().flat_map(|name| parameter_stems(tool, name, reading));
    content_stems(&spoken_name(tool), reading).into_iter().chain(parameters).collect()
}

/// A parameter's name and description, and those of the tool and its other parameters.
pub(super) fn flag_words(tool: &Tool, name: &str) -> (Vec<String>, Vec<String>) {
    let mut own = Vec::new();
    let mut others = vec![tool.function().to_owned(), tool.description.clone()];
    for (other, parameter) in &tool.parameters.properties {
        let words = [other.clone(), parameter.description.clone().unwrap_or_default()];
        if other == name { own.extend(words) } else { others.extend(words) }
    }
    (own, others)
}

/// What the words of a text are about.
pub(super) fn topics(text: &str, reading: &Reading) -> Vec<Meaning> {
    let words = reading.words(text).into_iter().filter(|word| !reading.is_empty_word(word));
    words.flat_map(|word| reading.meanings(word)).filter(|it| matches!(it, Meaning::Topic(_))).copied().collect()
}

/// Words that announce a value: those of the parts of the parameter's name that tell it from the others, and those of
/// the parts that others have as well.
pub(super) fn roles(tool: &Tool, name: &str, reading: &Reading) -> (Vec<String>, Vec<String>) {
    let shared = |part: &String| {
        let mut others = tool.parameters.properties.keys().filter(|other| *other != name);
        others.any(|other| split_name(other).contains(part))
    };
    let (shared, own): (Vec<String>, Vec<String>) = split_name(name).into_iter().partition(shared);
    let cues = |parts: &[String]| parts.iter().filter_map(|part| reading.roles.get(part)).flatten().cloned().collect();
    let whole: Vec<String> = reading.roles.get(name).cloned().unwrap_or_default();
    let own: Vec<String> = cues(&own);
    (whole.into_iter().chain(own).collect(), cues(&shared))
}

/// Stems of the words of a text that carry a meaning of their own.
pub(super) fn content_stems(text: &str, reading: &Reading) -> Vec<String> {
    let words = reading.words(text).into_iter().filter(|word| !reading.is_empty_word(word));
    words.map(|word| reading.stem(word).to_owned()).collect()
}

/// What a parameter's name and description say.
pub(super) fn words_of(tool: &Tool, name: &str, reading: &Reading) -> Vec<String> {
    let described = tool.parameters.properties.get(name).and_then(|parameter| parameter.description.as_deref());
    let text = format!("{} {}", split_name(name).join(" "), described.unwrap_or_default().to_lowercase());
    let mut words = tokens(&text, reading);
    words.sort();
    words.dedup();
    words
}

/// The stems of the words of a text in lower case; every two neighbouring letters of scripts that write syllables or
/// words as one letter, where endings and the lack of spaces hide the words.
pub(super) fn tokens(text: &str, reading: &Reading) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut tokens = Vec::new();
    for word in words.filter(|word| !reading.is_empty_word(word)) {
        let letters: Vec<char> = word.chars().collect();
        if letters.iter().any(|letter| matches!(Script::of(*letter), Some(Script::Han | Script::Hangul | Script::Kana)))
        {
            tokens.extend(letters.windows(2).map(|pair| pair.iter().collect::<String>()));
        } else {
            tokens.push(reading.stem(word).to_owned());
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool() -> Tool {
        serde_json::from_str(
            r#"{"name": "Home.Light.dimLamp", "description": "Set how bright a lamp shines", "parameters": {"properties": {
                "start_time": {"type": "string", "description": "When it begins"}, "endColor": {"type": "string"}}}}"#,
        )
        .unwrap()
    }

    #[test]
    fn empty_words_tell_nothing_of_a_tool() {
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        assert_eq!(function_stems(&tool(), &reading), ["dim", "lamp"]);
        assert_eq!(parameter_stems(&tool(), "start_time", &reading), ["start", "begin"]);
        assert!(known_stems(&tool(), &reading).iter().any(|stem| stem == "bright"));
    }

    #[test]
    fn the_parts_of_a_name_have_their_roles() {
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        assert!(roles(&tool(), "start_time", &reading).0.contains(&"from".to_owned()));
        assert!(roles(&tool(), "endColor", &reading).0.contains(&"until".to_owned()));
        let (own, others) = flag_words(&tool(), "endColor");
        assert!(own.contains(&"endColor".to_owned()) && others.contains(&"When it begins".to_owned()));
    }
}
