//! One parameter of a tool, ready to be read.

use super::fit::{
    content_stems, flag_words, function_stems, known_stems, parameter_stems, roles, spoken_name, topics, words_of,
};
use super::ideas::split_name;
use super::learn::Learned;
use super::text::{Span, Text, announced, find_words};
use crate::locale::{Language, Meaning, Moment, Pack, Reading, resolve};
use crate::read::values::candidates::{Form, Shape};
use crate::read::values::phrase::Hints;
use crate::read::values::recognise::Recogniser;
use crate::record::{Object, Parameter, Tool, Value};
use crate::values::arguments::kind_of;
use std::sync::Arc;

/// One parameter, ready to be read.
pub(crate) struct Slot {
    pub(super) name: String,
    pub(super) form: Form,
    /// What the parameter's own words say of its place in a sentence: `from`, `called`.
    pub(super) roles: Vec<String>,
    /// What its kind says: weaker, since other parameters may be of the same kind.
    cues: Vec<String>,
    /// Stems of the parameter's name and description, which may stand beside the value: `minutes`, `percent`.
    pub(super) units: Vec<String>,
    /// What the whole tool is about, which says nothing of one parameter.
    pub(super) topics: Vec<Meaning>,
    /// Stems of the words in the function's own name.
    about: Vec<String>,
    /// Stems of all words of the tool and its parameters.
    known: Vec<String>,
    /// The sorts of things that it wants.
    pub(super) sorts: Vec<String>,
    /// For a flag: its own name and description, and those of the tool and its other parameters.
    pub(super) flag_words: (Vec<String>, Vec<String>),
    /// Its kind and the parts of the kind's name, and `number`, `flag` or `list` where it is one.
    pub(super) kinds: Vec<String>,
    /// What its name and description say: stems, and pairs of letters where words are not set apart.
    pub(super) words: Vec<String>,
    /// What its own words are about.
    pub(super) own_topics: Vec<Meaning>,
    /// Its description in lower case.
    pub(super) description: String,
    /// Whether its values are messages.
    pub(super) long: bool,
    /// Whether anything may be its value.
    pub(super) open: bool,
    pub(super) text_type: bool,
    /// For days of the calendar, which are said in words and written in ISO 8601: how the language says them.
    calendar: Option<Arc<Language>>,
}

impl Slot {
    /// The slots of a tool, in declared order.
    pub(crate) fn all(tool: &Tool, pack: &Pack, recogniser: &Recogniser) -> Vec<Self> {
        let slots = tool.parameters.properties.iter();
        slots.map(|(name, parameter)| Self::new(tool, name, parameter, pack, recogniser)).collect()
    }

    pub(super) fn new(tool: &Tool, name: &str, parameter: &Parameter, pack: &Pack, recogniser: &Recogniser) -> Self {
        let reading = &pack.reading;
        let kind = Some(kind_of(pack, tool, name, parameter)).filter(|kind| recogniser.knows(kind));
        let form = Form::new((tool, name, parameter), kind.as_deref(), pack, recogniser);
        let flag = matches!(form, Form::Flag);
        let units = parameter_stems(tool, name, reading);
        let (roles, shared) = roles(tool, name, reading);
        let known = kind.as_ref().and_then(|kind| pack.kinds.get(kind));
        let description = parameter.description.as_deref().unwrap_or_default().trim_end_matches('.').to_lowercase();
        let spoken = format!("{} {description}", split_name(name).join(" "));
        let is_kind = |names: &[String]| kind.as_ref().is_some_and(|kind| names.contains(kind));
        Self {
            name: name.to_owned(),
            roles,
            cues: known.into_iter().flat_map(|kind| kind.cues.clone()).chain(shared).collect(),
            sorts: reading.sorts_of(&units, kind.as_deref()),
            kinds: kinds(kind.as_deref(), &form),
            words: words_of(tool, name, reading),
            own_topics: topics(&spoken, reading),
            description,
            units: if flag { flag_units(tool, name, units, reading) } else { units },
            topics: topics(&spoken_name(tool), reading),
            about: function_stems(tool, reading),
            known: known_stems(tool, reading),
            flag_words: flag_words(tool, name),
            long: is_kind(&reading.sentences) || tool.kinds.get(name).is_some_and(|kind| kind.ends_with("_text")),
            open: is_kind(&reading.open),
            text_type: parameter.type_name() == "string",
            calendar: pack.language.clone().filter(|_| known.is_some_and(|kind| kind.days.is_some())),
            form,
        }
    }

    pub(super) fn has_pattern(&self) -> bool {
        matches!(self.form, Form::Pattern(_) | Form::Number(_))
    }

    /// Where the text names the parameter, from which on its value may stand.
    pub(super) fn named(&self, text: &Text) -> Vec<Span> {
        let name = split_name(&self.name).join(" ");
        [name.as_str(), &self.description].into_iter().flat_map(|words| find_words(text, words)).collect()
    }

    pub(super) fn hints(&self) -> Hints<'_> {
        Hints {
            cues: self.roles.iter().chain(&self.cues).map(String::as_str).collect(),
            units: &self.units,
            about: &self.about,
            known: &self.known,
            topics: &self.topics,
            sorts: &self.sorts,
            long: self.long,
            open: self.open,
            counted: !matches!(self.form, Form::Kind(_, Shape::Phrase)),
        }
    }

    pub(super) fn value(&self, words: &str) -> Value {
        let moments = self.calendar.as_ref().map(|language| resolve(words, None, language)).unwrap_or_default();
        if let [Moment { date: Some(day), time: None, .. }] = moments.as_slice() {
            return Value::from(day.value.to_string());
        }
        if self.text_type { Value::from(words) } else { Value::read(words).unwrap_or_else(|_| Value::from(words)) }
    }

    /// What the words around a value say for it.
    pub(super) fn context(&self, text: &Text, span: Span, reading: &Reading, learned: &Learned) -> f64 {
        let is_announced = |cues: &[String]| cues.iter().any(|cue| announced(text, span, cue, reading));
        let mut score = 0.0;
        if learned.get(&self.name).is_some_and(|cues| is_announced(cues)) {
            score += 8.0;
        }
        if is_announced(&self.roles) {
            score += 5.0;
        }
        if is_announced(&self.cues) {
            score += 2.0;
        }
        score + self.beside(text, span, reading)
    }

    /// What the parameter's own words say that stand beside a value: `3 weeks`, `$20`.
    pub(super) fn beside(&self, text: &Text, span: Span, reading: &Reading) -> f64 {
        let (before, after) = (text.before(span.start), text.after(span.end));
        let is_unit = |word: &str| {
            let bare = word.trim_matches(|letter: char| !letter.is_alphanumeric());
            let word = if bare.is_empty() { reading.signs.get(word).map_or("", String::as_str) } else { bare };
            !word.is_empty() && self.units.iter().any(|unit| unit == reading.stem(word))
        };
        let signed = |letter: Option<char>| {
            let sign = letter.and_then(|letter| reading.signs.get(letter.encode_utf8(&mut [0; 4]) as &str));
            sign.is_some_and(|word| is_unit(word))
        };
        let next = after.split_whitespace().next().unwrap_or_default();
        let follows = is_unit(next) || signed(after.chars().next()) || signed(before.chars().last());
        let preceding = before.split_whitespace().rev().take(3).filter(|word| is_unit(word));
        preceding.map(|_| 3.0).sum::<f64>() + if follows { 4.0 } else { 0.0 }
    }

    /// Whether a value of this slot is found in few kinds of request: a song, a flight, not a date or a person.
    fn telling(&self, pack: &Pack) -> bool {
        let Form::Kind(name, _) = &self.form else { return false };
        let entity = pack.kinds.get(name).and_then(|kind| kind.entity.as_deref());
        matches!(entity, Some("product" | "song" | "company" | "document number" | "license plate"))
    }
}

/// Whether the arguments hold a value that few requests hold.
pub(crate) fn tells(slots: &[Slot], arguments: &Object, pack: &Pack) -> bool {
    slots.iter().any(|slot| arguments.contains_key(&slot.name) && slot.telling(pack))
}

/// What a question may ask for by the value alone.
fn kinds(kind: Option<&str>, form: &Form) -> Vec<String> {
    let parts = kind.into_iter().flat_map(|kind| std::iter::once(kind).chain(kind.split('_')));
    let form = match form {
        Form::Listed(_) => Some("list"),
        Form::Flag => Some("flag"),
        Form::Number(_) => Some("number"),
        Form::Kind(..) | Form::Pattern(_) | Form::Nested(_) | Form::Free => None,
    };
    // Of flags and lists the kind is nothing but a guess.
    let parts = parts.filter(|_| !matches!(form, Some("list" | "flag")));
    parts.chain(form).map(str::to_owned).collect()
}

/// The words that say a flag: those that the whole tool is about say nothing of it.
fn flag_units(tool: &Tool, name: &str, mut units: Vec<String>, reading: &Reading) -> Vec<String> {
    let about = content_stems(&spoken_name(tool), reading);
    let own = content_stems(&name.replace('_', " "), reading);
    units.retain(|unit| !about.contains(unit));
    if units.iter().all(|unit| !own.contains(unit)) {
        units.extend(own);
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(parameters: &str) -> Vec<Slot> {
        let json = format!(
            r#"{{"name": "A.B.set", "description": "Set it", "parameters": {{"properties": {parameters}}},
                "kinds": {{"dish": "dish", "why": "reason"}}}}"#
        );
        let pack = crate::fixtures::pack("en");
        Slot::all(&serde_json::from_str(&json).unwrap(), &pack, &Recogniser::new(&pack))
    }

    #[test]
    fn a_sign_is_a_word_beside_a_number() {
        let reading = Reading::load(crate::fixtures::assets(), "en").unwrap();
        let slot = &slots(r#"{"level": {"type": "integer", "description": "Level in percent"}}"#)[0];
        let beside = |query: &str, start: usize| {
            slot.beside(&Text::new(query, true), Span { start, end: start + 2 }, &reading) > 0.0
        };
        assert!(beside("make it 60%", 8) && beside("make it 60 percent", 8));
        assert!(!beside("make it 60 pounds", 8) && !beside("make it $60", 9));
    }

    #[test]
    fn a_day_of_the_calendar_is_written_as_the_schema_wants_it_and_a_spoken_one_as_it_is_said() {
        let on = r#"{"on": {"type": "string", "format": "date"}, "day": {"type": "string", "format": "email"}}"#;
        let [on, other] = &slots(on)[..] else { panic!("two slots") };
        for said in ["March 5, 2026", "2026-03-05"] {
            assert_eq!(on.value(said), Value::from("2026-03-05"));
            assert_eq!(other.value(said), Value::from(said));
        }
        assert_eq!(on.value("tomorrow"), Value::from("tomorrow"));
    }

    #[test]
    fn kinds_tell_what_a_slot_may_hold() {
        let slots = slots(r#"{"dish": {"type": "string"}, "why": {"type": "string"}}"#);
        assert!(slots[0].open && !slots[0].long && slots[0].sorts.len() == 1);
        assert!(slots[1].long && slots[1].sorts.is_empty());
    }
}
