//! Reads the values of a tool's parameters out of a request.

use super::super::arguments::kind_of;
use super::ideas::split_name;
use super::open::{Hints, Shape, open_values};
use super::recognise::{Recogniser, Span, Text};
use super::words::{ends_with, find_words, word_spans};
use crate::locale::{Meaning, Numbers, Pack, Reading, Stand, value_stands};
use crate::record::{FunctionCall, Object, Tool, Value};
use indexmap::IndexMap;

/// Words that were seen to announce a parameter's value, by parameter: what one example teaches.
pub(crate) type Learned = IndexMap<String, Vec<String>>;

/// One parameter, ready to be read.
pub(crate) struct Slot {
    name: String,
    form: Form,
    /// What the parameter's own words say of its place in a sentence: `from`, `called`.
    roles: Vec<String>,
    /// What its kind says: weaker, since other parameters may be of the same kind.
    cues: Vec<String>,
    /// Stems of the parameter's name and description, which may stand beside the value: `minutes`, `percent`.
    units: Vec<String>,
    /// For a flag: what the whole tool is about, which says nothing of the flag.
    about: Vec<Meaning>,
    /// Stems of the words in the tool's own name and description.
    tool_stems: Vec<String>,
    /// Stems of all words of the tool and its parameters.
    known: Vec<String>,
    /// For a flag: its own name and description, and those of the tool and its other parameters.
    flag_words: (Vec<String>, Vec<String>),
    /// Whether its values are messages.
    long: bool,
    text_type: bool,
}

enum Form {
    /// Listed values, with the words that say each.
    Listed(Vec<(Value, Vec<String>)>),
    /// True or false, said by words of the name.
    Flag,
    /// A value of a kind that the locale knows, or else of a kind's shape.
    Kind(String, Shape),
    /// A number, of a kind with its span where one is known.
    Number(Option<Numbers>),
    /// Anything; only a word before it tells where it begins.
    Free,
}

struct Candidate {
    slot: usize,
    span: Span,
    value: Value,
    score: f64,
    /// Whether a list knows the value.
    sure: bool,
}

impl Slot {
    /// The slots of a tool, in declared order.
    pub(crate) fn all(tool: &Tool, pack: &Pack, recogniser: &Recogniser) -> Vec<Self> {
        tool.parameters.properties.keys().map(|name| Self::new(tool, name, pack, recogniser)).collect()
    }

    fn new(tool: &Tool, name: &str, pack: &Pack, recogniser: &Recogniser) -> Self {
        let parameter = &tool.parameters.properties[name];
        let kind = Some(kind_of(pack, tool, name, parameter)).filter(|kind| recogniser.knows(kind));
        let form = if let Some(values) = &parameter.values {
            Form::Listed(values.iter().map(|value| listed(tool, name, value)).collect())
        } else if parameter.type_name() == "boolean" {
            Form::Flag
        } else if matches!(parameter.type_name(), "integer" | "number") {
            Form::Number(kind.as_ref().and_then(|kind| pack.kinds.get(kind)).and_then(|kind| kind.numbers.clone()))
        } else {
            kind.clone().map_or(Form::Free, |kind| {
                let entity = pack.kinds.get(&kind).and_then(|kind| kind.entity.as_deref());
                Form::Kind(kind, Shape::of(entity))
            })
        };
        let described = format!("{} {}", name.replace('_', " "), parameter.description.as_deref().unwrap_or_default());
        let mut units = content_stems(&described.to_lowercase(), &pack.reading);
        let mut about_tool = Vec::new();
        if matches!(form, Form::Flag) {
            about_tool.extend(topics(&spoken_name(tool), &pack.reading));
            // Words that the whole tool is about say nothing of the flag.
            let about = content_stems(&spoken_name(tool), &pack.reading);
            let own = content_stems(&name.replace('_', " "), &pack.reading);
            units.retain(|unit| !about.contains(unit));
            if units.iter().all(|unit| !own.contains(unit)) {
                units.extend(own);
            }
        }
        Self {
            name: name.to_owned(),
            form,
            roles: roles(name, &pack.reading),
            cues: kind.and_then(|kind| pack.kinds.get(&kind)).map(|kind| kind.cues.clone()).unwrap_or_default(),
            units,
            about: about_tool,
            known: known_stems(tool, &pack.reading),
            flag_words: flag_words(tool, name),
            long: tool.kinds.get(name).is_some_and(|kind| kind.ends_with("_text")),
            tool_stems: content_stems(&split_name(tool.function()).join(" "), &pack.reading),
            text_type: parameter.type_name() == "string",
        }
    }

    fn candidates(
        &self,
        slot: usize,
        text: &Text,
        reader: &Recogniser,
        reading: &Reading,
        learned: &Learned,
    ) -> Vec<Candidate> {
        let candidate = |span: Span, value: Value, base: f64| {
            let score = base + length(span) * 0.1 + self.context(text, span, reading, learned);
            Candidate { slot, span, value, score, sure: base > 2.0 || matches!(self.form, Form::Flag) }
        };
        match &self.form {
            Form::Listed(values) => values
                .iter()
                .flat_map(|(value, wordings)| wordings.iter().map(move |words| (value, words)))
                .flat_map(|(value, words)| {
                    let value = value.clone();
                    find_words(text, words).into_iter().map(move |span| (span, value.clone()))
                })
                .map(|(span, value)| candidate(span, value, 4.0))
                .collect(),
            Form::Kind(kind, shape) => {
                let known = reader.find(kind, text);
                // A value that no list knows is looked for only where none is known.
                let open = if known.is_empty() { self.open(*shape, text, reading) } else { Vec::new() };
                let spans = known.into_iter().map(|span| (span, 4.0)).chain(open.into_iter().map(|span| (span, 2.0)));
                spans.map(|(span, base)| candidate(span, self.value(&text.words(span)), base)).collect()
            }
            Form::Number(kind) => {
                let fitting = |value: &Value| kind.as_ref().map_or(4.0, |kind| likelihood(kind, value));
                let numbers = text.numbers().iter();
                // A longer word for it does not make a number likelier.
                numbers
                    .map(|(span, value)| candidate(*span, value.clone(), fitting(value) - length(*span) * 0.1))
                    .collect()
            }
            Form::Flag => {
                self.flag(text, reading).map(|(span, value)| candidate(span, value, 1.0)).into_iter().collect()
            }
            Form::Free => self
                .after_cue(text, learned)
                .map(|span| candidate(span, self.value(&text.words(span)), 2.0))
                .into_iter()
                .collect(),
        }
    }

    fn open(&self, shape: Shape, text: &Text, reading: &Reading) -> Vec<Span> {
        let cues = self.roles.iter().chain(&self.cues).map(String::as_str).collect();
        let hints = Hints { long: self.long, cues, units: &self.units, about: &self.tool_stems, known: &self.known };
        open_values(shape, text, &word_spans(text), &hints, reading)
    }

    fn value(&self, words: &str) -> Value {
        if self.text_type { Value::from(words) } else { Value::read(words).unwrap_or_else(|_| Value::from(words)) }
    }

    /// What the words around a value say for it.
    fn context(&self, text: &Text, span: Span, reading: &Reading, learned: &Learned) -> f64 {
        let before: String = text.lower()[..span.start].iter().collect();
        let after: String = text.lower()[span.end..].iter().collect();
        let mut score = if text.is_last_word(span) { 6.0 } else { 0.0 };
        if learned.get(&self.name).is_some_and(|cues| cues.iter().any(|cue| ends_with(&before, cue))) {
            score += 8.0;
        }
        if self.roles.iter().any(|role| ends_with(&before, role)) {
            score += 5.0;
        }
        if self.cues.iter().any(|cue| ends_with(&before, cue)) {
            score += 2.0;
        }
        let next = after.split_whitespace().next().unwrap_or_default();
        let next = next.trim_matches(|letter: char| !letter.is_alphanumeric());
        let last: Vec<&str> = before.split_whitespace().rev().take(3).collect();
        let is_unit = |word: &str| {
            let word = word.trim_matches(|letter: char| !letter.is_alphanumeric());
            !word.is_empty() && self.units.iter().any(|unit| unit == reading.stem(word))
        };
        if is_unit(next) {
            score += 4.0;
        }
        score + last.into_iter().filter(|word| is_unit(word)).map(|_| 3.0).sum::<f64>()
    }

    /// What the language says of the flag, by words that nothing else in the tool shares; without a language, by the
    /// words alone, with a denial near them for false.
    fn flag(&self, text: &Text, reading: &Reading) -> Option<(Span, Value)> {
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
        let words = word_spans(text);
        let spoken: Vec<(Span, String)> = words.iter().map(|span| (*span, text.words(*span).to_lowercase())).collect();
        let said = spoken.iter().position(|(_, word)| !reading.is_empty_word(word) && self.means(word, reading))?;
        let near = &spoken[said.saturating_sub(4)..(said + 4).min(spoken.len())];
        let denied = near.iter().any(|(_, word)| reading.denials.contains(word));
        Some((spoken[said].0, Value::Bool(!denied)))
    }

    fn means(&self, word: &str, reading: &Reading) -> bool {
        let stem = reading.stem(word);
        let said = reading.meanings(word);
        if said.iter().any(|meaning| self.about.contains(meaning)) {
            return false;
        }
        let mut own = self.name.split('_').flat_map(|part| reading.meanings(part));
        self.units.iter().any(|unit| unit == stem) || own.any(|it| matches!(it, Meaning::Topic(_)) && said.contains(it))
    }

    /// For values of no known kind: what follows a cue, up to punctuation or the next short word of another clause.
    fn after_cue(&self, text: &Text, learned: &Learned) -> Option<Span> {
        let cues = learned.get(&self.name).into_iter().flatten().chain(&self.roles);
        let words = word_spans(text);
        for cue in cues {
            for found in find_words(text, cue) {
                let first = words.iter().find(|word| word.start >= found.end)?;
                let end =
                    text.lower()[first.start..].iter().position(|letter| matches!(letter, ',' | ';' | '?' | '!' | '.'));
                let end = end.map_or(text.lower().len(), |length| first.start + length);
                if end > first.start {
                    return Some(Span { start: first.start, end });
                }
            }
        }
        None
    }
}

impl Slot {
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

/// Reads the arguments of one tool; also tells which stretches of the text are values.
pub(crate) fn read_slots(
    slots: &[Slot],
    text: &Text,
    recogniser: &Recogniser,
    reading: &Reading,
    learned: &Learned,
) -> (Object, Vec<Span>) {
    let mut candidates: Vec<Candidate> = slots
        .iter()
        .enumerate()
        .flat_map(|(index, slot)| slot.candidates(index, text, recogniser, reading, learned))
        .collect();
    candidates.sort_by(|one, other| other.score.total_cmp(&one.score).then(one.span.start.cmp(&other.span.start)));
    let mut taken: Vec<(usize, Span, Value, bool)> = Vec::new();
    for candidate in candidates {
        let free = taken.iter().all(|(slot, span, ..)| *slot != candidate.slot && !span.overlaps(candidate.span));
        if free {
            taken.push((candidate.slot, candidate.span, candidate.value, candidate.sure));
        }
    }
    taken.sort_by_key(|(slot, ..)| *slot);
    // An open value may hold words of the tool itself; they go on telling what the request is about.
    let sure = taken.iter().filter(|(.., sure)| *sure);
    let spans = sure.map(|(_, span, ..)| *span).collect();
    (taken.into_iter().map(|(slot, _, value, _)| (slots[slot].name.clone(), value)).collect(), spans)
}

/// What an example teaches: the words before each of its values.
pub(crate) fn learn(query: &str, call: &FunctionCall, spaced: bool) -> Learned {
    let text = Text::new(query, spaced);
    let mut learned = Learned::new();
    for (name, value) in &call.arguments {
        let words = value.as_str().map_or_else(|| serde_json::to_string(value).unwrap_or_default(), str::to_owned);
        let Some(span) = find_words(&text, &words.to_lowercase()).into_iter().next() else { continue };
        let before: String = text.lower()[..span.start].iter().collect();
        let last: Vec<&str> = before.split_whitespace().rev().take(2).collect();
        if let Some(one) = last.first() {
            let two = last.get(1).map(|two| format!("{two} {one}"));
            learned.insert(name.clone(), two.into_iter().chain([(*one).to_owned()]).collect());
        }
    }
    learned
}

fn listed(tool: &Tool, name: &str, value: &serde_json::Value) -> (Value, Vec<String>) {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let known = tool.wordings.get(name).and_then(|wordings| wordings.get(&text));
    let wordings =
        known.into_iter().flatten().map(|words| words.to_lowercase()).chain([text.replace('_', " ").to_lowercase()]);
    (Value::from(value.clone()), wordings.collect())
}

/// A tool's name and description as words.
fn spoken_name(tool: &Tool) -> String {
    format!("{} {}", split_name(&tool.name).join(" "), tool.description.to_lowercase())
}

/// Stems of all words of a tool: its name, its description and its parameters'.
fn known_stems(tool: &Tool, reading: &Reading) -> Vec<String> {
    let parameters = tool.parameters.properties.iter().map(|(name, parameter)| {
        format!("{} {}", name.replace('_', " "), parameter.description.as_deref().unwrap_or_default().to_lowercase())
    });
    content_stems(&format!("{} {}", spoken_name(tool), parameters.collect::<Vec<_>>().join(" ")), reading)
}

/// A parameter's name and description, and those of the tool and its other parameters.
fn flag_words(tool: &Tool, name: &str) -> (Vec<String>, Vec<String>) {
    let mut own = Vec::new();
    let mut others = vec![tool.function().to_owned(), tool.description.clone()];
    for (other, parameter) in &tool.parameters.properties {
        let words = [other.clone(), parameter.description.clone().unwrap_or_default()];
        if other == name { own.extend(words) } else { others.extend(words) }
    }
    (own, others)
}

/// What the words of a text are about.
fn topics(text: &str, reading: &Reading) -> Vec<Meaning> {
    let words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !reading.is_empty_word(word));
    words.flat_map(|word| reading.meanings(word)).filter(|it| matches!(it, Meaning::Topic(_))).copied().collect()
}

fn roles(name: &str, reading: &Reading) -> Vec<String> {
    let whole = reading.roles.get(name).cloned().unwrap_or_default();
    let parts = name.split('_').filter_map(|part| reading.roles.get(part)).flatten().cloned();
    whole.into_iter().chain(parts).collect()
}

fn content_stems(text: &str, reading: &Reading) -> Vec<String> {
    text.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty() && !reading.is_empty_word(word))
        .map(|word| reading.stem(word).to_owned())
        .collect()
}

/// How well a number fits its kind: within its span, and with a point only where the kind has one.
fn likelihood(kind: &Numbers, value: &Value) -> f64 {
    let Some(number) = value.as_number() else { return 4.0 };
    let within = (kind.least..=kind.most).contains(&number.as_f64());
    let pointed = number.as_str().contains('.') == (kind.decimals > 0);
    3.0 + if within { 1.0 } else { 0.0 } + if pointed { 1.0 } else { 0.0 }
}

#[expect(clippy::cast_precision_loss, reason = "no text has 2^52 letters")]
fn length(span: Span) -> f64 {
    span.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::Toolset;

    fn read(tool: &str, query: &str, learned: &Learned) -> String {
        let toolset = Toolset::load("mobile", "en").unwrap();
        let mut pack = Pack::load("en").unwrap();
        toolset.extend(&mut pack).unwrap();
        let recogniser = Recogniser::new(&pack);
        let slots = Slot::all(toolset.tool(tool).unwrap(), &pack, &recogniser);
        let text = Text::of(query, true, &std::sync::Arc::new(crate::locale::Language::load("en").unwrap()));
        let (arguments, _) = read_slots(&slots, &text, &recogniser, &pack.reading, learned);
        serde_json::to_string(&arguments).unwrap()
    }

    #[test]
    fn cues_tell_two_places_apart() {
        let route = "Navigation.MapNavigation.planRoute";
        let expected = r#"{"origin":"Founders Park","destination":"Pier 3"}"#;
        assert_eq!(read(route, "get me to Pier 3 from Founders Park", &Learned::new()), expected);
        assert_eq!(read(route, "from Founders Park to Pier 3 please", &Learned::new()), expected);
    }

    #[test]
    fn numbers_listed_values_and_flags_are_typed() {
        let charge = "Navigation.MapNavigation.findChargingStations";
        assert_eq!(
            read(charge, "find a charger within 12 kilometers, fast ones only", &Learned::new()),
            r#"{"radius":12,"fast":true}"#
        );
        assert_eq!(read(charge, "find a charger, doesn't have to be fast", &Learned::new()), r#"{"fast":false}"#);
        let route = "Navigation.MapNavigation.planRoute";
        assert_eq!(read(route, "guide me there on foot", &Learned::new()), r#"{"mode":"walking"}"#);
    }

    #[test]
    fn nothing_said_is_nothing_read() {
        assert_eq!(read("UtilityTools.AlarmClock.addAlarm", "wake me up", &Learned::new()), "{}");
    }

    #[test]
    fn an_example_teaches_the_words_before_a_value() {
        let call = FunctionCall {
            name: "f".to_owned(),
            arguments: Object::from_iter([("who".to_owned(), Value::from("Anna"))]),
        };
        assert_eq!(learn("drop a line to Anna now", &call, true)["who"], ["line to", "to"]);
    }
}
