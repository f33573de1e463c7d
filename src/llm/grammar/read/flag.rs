//! Flags: what a request says of yes and no.

use super::slot::Slot;
use super::text::{Span, Text};
use crate::locale::{Meaning, Reading, Stand, value_stands};
use crate::record::Value;

impl Slot {
    /// What the language says of the flag, by words that nothing else in the tool shares; without a language, by the
    /// words alone, with a denial near them for false.
    pub(super) fn flag(&self, text: &Text, reading: &Reading) -> Option<(Span, Value)> {
        let Some(language) = text.language() else { return self.flag_by_words(text, reading) };
        let names: Vec<&str> = self.flag_words.0.iter().map(String::as_str).collect();
        let others: Vec<&str> = self.flag_words.1.iter().map(String::as_str).collect();
        let stand = Stand { type_name: "boolean", names: &names, others: &others, ..Stand::default() };
        let whole: String = text.letters().iter().collect();
        let said = [false, true].into_iter().find_map(|flag| {
            let found = value_stands(&whole, &Value::Bool(flag), &stand, language)?;
            let start = whole.find(&found.surface).and_then(|at| whole.get(..at)).map_or(0, |it| it.chars().count());
            Some((Span { start, end: start + found.surface.chars().count() }, Value::Bool(flag)))
        });
        said.or_else(|| self.flag_by_words(text, reading))
    }

    fn flag_by_words(&self, text: &Text, reading: &Reading) -> Option<(Span, Value)> {
        let words = text.words();
        let said = words.iter().position(|it| !reading.is_empty_word(&it.lower) && self.means(&it.lower, reading))?;
        let near = &words[said.saturating_sub(4)..(said + 4).min(words.len())];
        let denied = near.iter().any(|word| reading.denials.contains(&word.lower));
        Some((words[said].span, Value::Bool(!denied)))
    }

    fn means(&self, word: &str, reading: &Reading) -> bool {
        let stem = reading.stem(word);
        let said = reading.meanings(word);
        if said.iter().any(|meaning| self.topics.contains(meaning)) {
            return false;
        }
        let mut own = self.name.split('_').flat_map(|part| reading.meanings(part));
        self.units.iter().any(|unit| unit == stem) || own.any(|it| matches!(it, Meaning::Topic(_)) && said.contains(it))
    }
}

#[cfg(test)]
mod tests {
    use super::super::recognise::Recogniser;
    use super::*;

    fn read(query: &str, spoken: bool) -> Option<Value> {
        let tool = r#"{"name": "A.Oven.heat", "description": "Heat the oven", "parameters": {"properties": {
            "fan_on": {"type": "boolean", "description": "Whether the fan is on"}}}}"#;
        let pack = crate::fixtures::pack("en");
        let slots = Slot::all(&serde_json::from_str(tool).unwrap(), &pack, &Recogniser::new(&pack));
        let language = crate::fixtures::language("en");
        let text = if spoken { Text::of(query, true, &language) } else { Text::new(query, true) };
        slots[0].flag(&text, &pack.reading).map(|(_, value)| value)
    }

    #[test]
    fn a_flag_is_said_by_its_words_and_denied_beside_them() {
        for spoken in [true, false] {
            assert_eq!(read("heat the oven with the fan", spoken), Some(Value::Bool(true)), "{spoken}");
            assert_eq!(read("heat the oven without the fan", spoken), Some(Value::Bool(false)), "{spoken}");
            assert_eq!(read("heat the oven", spoken), None, "{spoken}");
        }
    }
}
