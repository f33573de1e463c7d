//! The bank of a tool: the values, wordings and situations that its requests are made of, as a file has them.

use crate::gate::{check_script, check_type, is_of_another_weekday};
use crate::locale::{Folded, Language, Stamp, numbers_in};
use crate::record::{Chance, Object, Tool, Value};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most characters of the words for a value: what is longer explains it.
const LONGEST_WORDS: usize = 60;

/// The version of the format.
const FORMAT: u32 = 1;

/// Values that users request of a tool and their wordings, in one locale: `banks/<locale>/<tool>.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Bank {
    /// Format version: 1.
    pub format: u32,
    /// The tool's name.
    pub tool: String,
    /// Locale code.
    pub locale: String,
    /// Model that filled the bank; empty if it was written by hand.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Hash of the prompt that filled the bank.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub prompt: String,
    /// Reference time of dates and times, in ISO 8601; it determines the date of "next Tuesday".
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reference_time: String,
    /// The values of each parameter.
    #[serde(default)]
    pub parameters: IndexMap<String, Values>,
    /// Values of several parameters that belong together, such as a doctor and a department.
    #[serde(default)]
    pub bundles: Vec<Object>,
    /// Who makes such requests and why, without values.
    #[serde(default)]
    pub situations: Vec<String>,
    /// Parameters that users mention first.
    #[serde(default)]
    pub mentioned: Vec<Mentioned>,
    /// Parameters that users change their mind about.
    #[serde(default)]
    pub changes: Vec<Change>,
    /// How users answer when asked for an optional parameter.
    #[serde(default)]
    pub optional: IndexMap<String, Answers>,
}

/// The values of a parameter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Values {
    /// The values, without duplicates.
    pub values: Vec<Worded>,
}

/// A value and its wordings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Worded {
    /// A value that matches the parameter's JSON Schema.
    pub value: Value,
    /// Wordings in the locale's language. Default: the value's own text.
    #[serde(default)]
    pub said: Vec<String>,
}

/// Parameters that users mention together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mentioned {
    /// Parameter names; empty for a request without values.
    pub parameters: Vec<String>,
    /// Relative weight.
    pub weight: f64,
}

/// A parameter that users change their mind about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// Its name.
    pub parameter: String,
    /// Whether it can be corrected before the call.
    pub before_call: bool,
    /// Whether it can be changed after the call.
    pub after_call: bool,
    /// Whether users repeat the request with another value.
    pub again: bool,
}

/// Relative weights of the answers to a question for an optional parameter.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// The user gives a value.
    #[serde(default)]
    pub value: f64,
    /// The user wants none.
    #[serde(default)]
    pub no: f64,
    /// The user does not know.
    #[serde(default)]
    pub unknown: f64,
}

impl Bank {
    /// An empty bank of a tool.
    pub fn new(tool: &str, locale: &str) -> Self {
        Self {
            format: FORMAT,
            tool: tool.to_owned(),
            locale: locale.to_owned(),
            model: String::new(),
            prompt: String::new(),
            reference_time: String::new(),
            parameters: IndexMap::new(),
            bundles: Vec::new(),
            situations: Vec::new(),
            mentioned: Vec::new(),
            changes: Vec::new(),
            optional: IndexMap::new(),
        }
    }

    /// What a model wrote, entry by entry: what does not have the form of an entry is left out, and the second part says how
    /// many entries were.
    pub fn read(fields: &Object, tool: &str, locale: &str) -> (Self, usize) {
        let (mut bank, mut lost) = (Self::new(tool, locale), 0);
        let none = Object::new();
        for (name, values) in fields.get("parameters").and_then(Value::as_object).unwrap_or(&none) {
            let entries = values.as_list().or_else(|| values.as_object()?.get("values")?.as_list()).unwrap_or_default();
            let values = entries.iter().filter_map(worded).collect::<Vec<_>>();
            lost += entries.len() - values.len();
            bank.parameters.insert(name.clone(), Values { values });
        }
        bank.bundles = entries(fields, "bundles", &mut lost);
        bank.bundles.iter_mut().for_each(|bundle| bundle.retain(|_, value| !value.is_null()));
        bank.bundles.retain(|bundle| !bundle.is_empty());
        bank.situations = entries(fields, "situations", &mut lost);
        bank.mentioned = entries(fields, "mentioned", &mut lost);
        bank.changes = entries(fields, "changes", &mut lost);
        let optional = fields.get("optional").and_then(Value::as_object).unwrap_or(&none);
        for (name, answers) in optional.iter().filter(|(_, answers)| !answers.is_null()) {
            match read_as(answers) {
                Some(answers) => drop(bank.optional.insert(name.clone(), answers)),
                None => lost += 1,
            }
        }
        (bank, lost)
    }

    /// Takes out what its tool and locale do not allow, and says of each what is wrong, with its place. Where the reply of a
    /// model may have copied a value from its prompt, `is_example` knows it.
    pub fn sift(&mut self, tool: &Tool, language: &Language, is_example: impl Fn(&str) -> bool) -> Vec<String> {
        let mut faults = Vec::new();
        let declared = &tool.parameters.properties;
        self.parameters.retain(|name, values| {
            let Some(parameter) = declared.get(name) else {
                faults.push(format!("parameters.{name}: the tool has no such parameter"));
                return false;
            };
            let mut seen: Vec<String> = Vec::new();
            let mut place = 0;
            values.values.retain_mut(|worded| {
                place += 1;
                let fault = worded.fault(name, parameter, language, &is_example).or_else(|| {
                    let key = key(&worded.value);
                    let is_double = seen.contains(&key);
                    seen.push(key);
                    is_double.then(|| "the value stands twice".to_owned())
                });
                if let Some(fault) = &fault {
                    faults.push(format!("parameters.{name}.values[{}]: {fault}", place - 1));
                }
                fault.is_none()
            });
            !values.values.is_empty()
        });
        let is_declared = |name: &String| declared.contains_key(name);
        let mut keep = |holds: bool, place: String| {
            if !holds {
                faults.push(place);
            }
            holds
        };
        self.bundles.retain(|bundle| {
            let is_valid = |(name, value): (&String, &Value)| {
                declared.get(name).is_some_and(|parameter| check_type(name, parameter, value).is_ok())
            };
            keep(bundle.len() > 1 && bundle.iter().all(is_valid), format!("bundles: {} is not valid", text_of(bundle)))
        });
        let mut seen: Vec<String> = Vec::new();
        self.situations.retain(|situation| {
            let folded = Folded::new(situation).text();
            let is_new = !seen.contains(&folded);
            seen.push(folded);
            let is_fit = is_new && check_script(situation, language, None).is_ok();
            keep(is_fit, format!("situations: `{situation}` stands twice or is in another language"))
        });
        self.mentioned.retain(|it| {
            let holds = it.weight > 0.0 && it.parameters.iter().all(is_declared);
            keep(holds, format!("mentioned: {} is not valid", it.parameters.join(", ")))
        });
        self.changes.retain(|it| keep(is_declared(&it.parameter), format!("changes: no parameter `{}`", it.parameter)));
        self.optional.retain(|name, _| {
            let is_optional = declared.contains_key(name) && !tool.parameters.required.contains(name);
            keep(is_optional, format!("optional: `{name}` is no optional parameter"))
        });
        faults
    }

    /// Drops situations that name a value, since they contradict requests with another one; returns how many.
    pub(super) fn drop_situations_with_values(&mut self, language: &Language) -> usize {
        let mut situations = std::mem::take(&mut self.situations);
        let before = situations.len();
        situations.retain(|situation| self.says((situation, &[]), language, SHORTEST_ASKED, |_, _| true).is_none());
        self.situations = situations;
        before - self.situations.len()
    }

    /// The `turn`-th value of a parameter: none comes again before all have come.
    pub fn deal(&self, parameter: &str, turn: usize, seed: u64) -> Option<&Worded> {
        self.chance(parameter, seed).deal(&self.parameters.get(parameter)?.values, turn)
    }

    /// The `turn`-th bundle of those that have a parameter.
    pub fn bundle(&self, parameter: &str, turn: usize, seed: u64) -> Option<&Object> {
        let having: Vec<&Object> = self.bundles.iter().filter(|bundle| bundle.contains_key(parameter)).collect();
        self.chance("bundles", seed).deal(&having, turn).copied()
    }

    /// The values of a parameter that belong together with the others of a call, as bundles have it; nothing where no bundle ties
    /// it to one of them.
    pub fn tied(&self, parameter: &str, arguments: &Object) -> Option<Vec<&Value>> {
        let others = |bundle: &Object| bundle.keys().any(|key| key != parameter && arguments.contains_key(key));
        let tied: Vec<_> = self.bundles.iter().filter(|it| it.contains_key(parameter) && others(it)).collect();
        let fits = |bundle: &&&Object| {
            bundle.iter().all(|(key, value)| key == parameter || arguments.get(key).is_none_or(|it| it.equals(value)))
        };
        let fitting = tied.iter().filter(fits).filter_map(|bundle| bundle.get(parameter)).collect();
        (!tied.is_empty()).then_some(fitting)
    }

    /// Whether values of a parameter belong together with some of these, and the `turn`-th of those that fit them.
    pub fn fitting(&self, parameter: &str, known: &Object, turn: usize, seed: u64) -> (bool, Option<Value>) {
        let ties = |bundle: &&Object| {
            bundle.contains_key(parameter) && bundle.keys().any(|key| key != parameter && known.contains_key(key))
        };
        let fits = |bundle: &&Object| {
            bundle.iter().all(|(key, value)| key == parameter || known.get(key).is_none_or(|it| it.equals(value)))
        };
        let tied: Vec<&Object> = self.bundles.iter().filter(ties).collect();
        let fitting: Vec<&Object> = tied.iter().copied().filter(fits).collect();
        let chosen = self.chance("fitting", seed).deal(&fitting, turn).and_then(|bundle| bundle.get(parameter));
        (!tied.is_empty(), chosen.cloned())
    }

    /// The `turn`-th situation.
    pub fn situation(&self, turn: usize, seed: u64) -> Option<&String> {
        self.chance("situations", seed).deal(&self.situations, turn)
    }

    /// What people say for a value of a parameter.
    pub fn said(&self, parameter: &str, value: &Value) -> Vec<String> {
        let values = self.parameters.get(parameter).map(|it| it.values.as_slice()).unwrap_or_default();
        values.iter().filter(|worded| worded.value.equals(value)).flat_map(|worded| worded.said.clone()).collect()
    }

    /// Words in a text that say a value of a parameter besides those that it is `about`, whose words are its `own`, and those
    /// that are known.
    pub fn says_besides(
        &self,
        said: (&str, &[String]),
        about: &Object,
        known: &Object,
        language: &Language,
    ) -> Option<(&str, &str)> {
        self.says_twice(said, about, known, language).or_else(|| {
            self.says(said, language, SHORTEST, |name, value| {
                let has = |values: &Object| values.get(name).is_some_and(|it| it.equals(value));
                !about.contains_key(name) && !has(known)
            })
        })
    }

    /// Words that say a second value, a text that has no form, of a parameter that the text is `about`.
    pub fn says_twice(
        &self,
        said: (&str, &[String]),
        about: &Object,
        known: &Object,
        language: &Language,
    ) -> Option<(&str, &str)> {
        self.says(said, language, SHORTEST_ASKED, |name, value| {
            let is_free = value.as_str().is_some_and(|text| Stamp::read(text).is_none());
            let has = |values: &Object| values.get(name).is_some_and(|it| it.equals(value));
            about.contains_key(name) && is_free && !has(about) && !has(known)
        })
    }

    /// Words of some values that stand in a text apart from its `own` words.
    fn says(
        &self,
        (text, own): (&str, &[String]),
        language: &Language,
        shortest: (usize, usize),
        is_meant: impl Fn(&str, &Value) -> bool,
    ) -> Option<(&str, &str)> {
        let rest = own.iter().fold(text.to_lowercase(), |rest, words| rest.replace(&words.to_lowercase(), " "));
        let stands = |words: &&String| is_telling(words, shortest, language) && has_words(&rest, &words.to_lowercase());
        self.parameters.iter().find_map(|(name, values)| {
            let meant = values.values.iter().filter(|worded| is_meant(name, &worded.value));
            let words = meant.flat_map(|worded| &worded.said).find(stands)?;
            Some((name.as_str(), words.as_str()))
        })
    }

    /// Whether people change their mind about a parameter in such a way, as far as the bank knows.
    pub fn changes(&self, parameter: &str, way: impl Fn(&Change) -> bool) -> bool {
        self.changes.is_empty() || self.changes.iter().any(|change| change.parameter == parameter && way(change))
    }

    fn chance(&self, part: &str, seed: u64) -> Chance {
        Chance::of(&[&seed.to_le_bytes(), b"bank", self.locale.as_bytes(), self.tool.as_bytes(), part.as_bytes()])
    }
}

/// The fewest letters that tell a value wherever they stand, of words in Latin letters and of others.
const SHORTEST: (usize, usize) = (6, 3);

/// The same for a value of what the text is about.
const SHORTEST_ASKED: (usize, usize) = (4, 2);

/// Whether words say a value wherever they stand: they are no bare number, and long enough to be no part of other words.
fn is_telling(words: &str, (latin, other): (usize, usize), language: &Language) -> bool {
    let numbers = numbers_in(words, language);
    let is_number = numbers.iter().any(|it| words.get(it.range.clone()) == Some(words.trim()));
    let least = if words.is_ascii() { latin } else { other };
    !is_number && words.chars().filter(|letter| letter.is_alphanumeric()).count() >= least
}

/// Whether a text contains words; words in Latin letters count only as whole words.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(start, found)| {
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        let after = text.get(start + found.len()..).and_then(|after| after.chars().next());
        let is_open = |letter: Option<char>| !letter.is_some_and(|letter| letter.is_ascii_alphanumeric());
        !words.is_ascii() || is_open(before) && is_open(after)
    })
}

impl Worded {
    /// Why a parameter cannot have the value or its words.
    fn fault(
        &mut self,
        name: &str,
        parameter: &crate::record::Parameter,
        language: &Language,
        is_example: &impl Fn(&str) -> bool,
    ) -> Option<String> {
        if let Err(fault) = check_type(name, parameter, &self.value) {
            return Some(fault.detail);
        }
        let own = self.value.as_str().map(str::to_owned);
        if own.as_deref().is_some_and(is_example) {
            return Some(format!("{} is the value of an example of the prompt", self.value));
        }
        let is_short = |words: &str| words.chars().count() <= LONGEST_WORDS || own.as_deref() == Some(words);
        let is_listed = parameter.more.get("items").is_some_and(|items| items.get("enum").is_some());
        let has_all = |words: &String| match &self.value {
            Value::List(parts) if !is_listed => parts
                .iter()
                .filter_map(Value::as_str)
                .all(|part| Folded::new(words).text().contains(&Folded::new(part).text())),
            value => !is_of_another_weekday(value, words, language),
        };
        // Nobody says a name of a list as it is written: mid_range.
        let is_name = |words: &str| parameter.values.is_some() && words.contains('_');
        let mut seen: Vec<String> = Vec::new();
        self.said.retain(|words| {
            let is_new = !seen.contains(words);
            seen.push(words.clone());
            is_new && words.chars().any(char::is_alphanumeric) && is_short(words) && has_all(words) && !is_name(words)
        });
        if self.said.is_empty() && self.value.as_bool().is_none() {
            let words = own.unwrap_or_else(|| self.value.to_string());
            self.said.push(if is_name(&words) { words.replace('_', " ") } else { words });
        }
        let foreign = self.said.iter().find(|words| check_script(words, language, None).is_err());
        // A name may be written in the letters that it has everywhere.
        let foreign = foreign.filter(|_| parameter.values.is_some());
        foreign.map(|words| format!("`{words}` is not in the locale's language"))
    }
}

/// A value as far as people would call two values the same.
fn key(value: &Value) -> String {
    Folded::new(&value.as_str().map_or_else(|| value.to_string(), str::to_owned)).text()
}

fn text_of(object: &Object) -> String {
    serde_json::to_string(object).unwrap_or_default()
}

/// A value with its words, or a value alone.
fn worded(entry: &Value) -> Option<Worded> {
    let Some(fields) = entry.as_object().filter(|fields| fields.contains_key("value")) else {
        return (!entry.is_null() && entry.as_object().is_none())
            .then(|| Worded { value: entry.clone(), said: Vec::new() });
    };
    let said = match fields.get("said") {
        Some(Value::String(words)) => vec![words.clone()],
        Some(Value::List(words)) => words.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    };
    Some(Worded { value: fields.get("value").filter(|value| !value.is_null())?.clone(), said })
}

fn entries<T: for<'de> Deserialize<'de>>(fields: &Object, key: &str, lost: &mut usize) -> Vec<T> {
    let listed = fields.get(key).and_then(Value::as_list).unwrap_or_default();
    let read: Vec<T> = listed.iter().filter_map(read_as).collect();
    *lost += listed.len() - read.len();
    read
}

fn read_as<T: for<'de> Deserialize<'de>>(value: &Value) -> Option<T> {
    serde_json::from_value(value.into()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_another_parameter_are_found_where_they_tell_something() {
        let bank = r#"{"format": 1, "tool": "clinic.book", "locale": "en", "parameters": {
            "department": {"values": [{"value": "dermatology", "said": ["a skin doctor", "skin"]}]},
            "doctor": {"values": [{"value": "Dr Moreau", "said": ["Dr Moreau"]}]},
            "visits": {"values": [{"value": 3, "said": ["three visits", "three"]}]}}}"#;
        let bank: Bank = serde_json::from_str(bank).unwrap();
        let language = crate::fixtures::language("en");
        let found = |text: &str, own: &str, known: &str| {
            let about = Object::from_iter([("doctor".to_owned(), own.into())]);
            let known = Object::from_iter([("department".to_owned(), known.into())]);
            bank.says_besides((text, &[own.to_owned()]), &about, &known, &language).map(|(name, _)| name.to_owned())
        };
        assert_eq!(found("Dr Lee, a skin doctor", "Dr Lee", ""), Some("department".to_owned()));
        assert_eq!(found("Dr Lee, a skin doctor", "Dr Lee", "dermatology"), None, "that is known");
        assert_eq!(found("Dr Lee for three visits", "Dr Lee", ""), Some("visits".to_owned()));
        for text in ["Dr Lee at three", "Dr Skinner", "Lee has good skin"] {
            assert_eq!(found(text, "Dr Lee", ""), None, "{text}");
        }
        assert_eq!(found("the one who does three visits", "three visits", ""), None, "they say the value itself");
        assert_eq!(found("Dr Lee or Dr Moreau", "Dr Lee", ""), Some("doctor".to_owned()), "two of one sort");
        assert_eq!(found("no longer Dr Moreau", "Dr Moreau", ""), None);
    }

    fn tool() -> Tool {
        serde_json::from_str(
            r#"{"name": "clinic.book", "parameters": {"properties": {
                "department": {"type": "string", "enum": ["dermatology", "cardiology"]}, "date": {"type": "string", "format": "date"},
                "doctor": {"type": "string"}, "urgent": {"type": "boolean"}, "visits": {"type": "integer", "minimum": 1}},
                "required": ["department", "date"]}}"#,
        )
        .unwrap()
    }

    const WRITTEN: &str = r#"{"parameters": {
            "department": [{"value": "dermatology", "said": ["skin clinic"]}, {"value": "dentistry", "said": ["dentist"]}],
            "date": [{"value": "2026-03-05", "said": ["this Thursday", "It is a day of the week on which people often have some time for such a visit."]}, {"value": "5 March", "said": []}, {"value": "2026-03-05"}],
            "doctor": ["Iris Vale", "Blue Lantern", "iris vale"], "urgent": [{"value": true, "said": ["quickly"]}],
            "visits": [{"value": 3, "said": "three"}, {"value": 0}, null], "nurse": ["Ann"]},
        "bundles": [{"doctor": "Iris Vale", "department": "dermatology"}, {"doctor": "Iris Vale"}, {"doctor": "A", "department": "x"}],
        "situations": ["a rash since the weekend", "A rash since the weekend", "Iris Vale did it well", 3],
        "mentioned": [{"parameters": ["date"], "weight": 2}, {"parameters": ["nurse"], "weight": 1}, {"parameters": []}],
        "changes": [{"parameter": "date", "before_call": true, "after_call": true, "again": false}],
        "optional": {"doctor": {"value": 2, "no": 5}, "date": {"value": 1}}}"#;

    fn bank() -> (Bank, usize, Vec<String>) {
        let (mut bank, lost) = Bank::read(Value::read(WRITTEN).unwrap().as_object().unwrap(), "clinic.book", "en");
        let language = crate::fixtures::language("en");
        let faults = bank.sift(&tool(), &language, |text| text == "Blue Lantern");
        assert_eq!((bank.situations.len(), bank.drop_situations_with_values(&language)), (2, 1));
        (bank, lost, faults)
    }

    #[test]
    fn what_a_model_wrote_is_kept_as_far_as_the_tool_allows() {
        let (bank, lost, faults) = bank();
        let values =
            |name: &str| bank.parameters[name].values.iter().map(|it| it.value.to_string()).collect::<Vec<_>>();
        assert_eq!(
            (values("department"), values("date")),
            (vec!["\"dermatology\"".to_owned()], vec!["\"2026-03-05\"".to_owned()])
        );
        assert_eq!((values("doctor"), values("visits")), (vec!["\"Iris Vale\"".to_owned()], vec!["3".to_owned()]));
        assert_eq!((bank.bundles.len(), bank.situations.len(), bank.mentioned.len()), (1, 1, 1));
        assert_eq!((bank.optional.len(), bank.changes.len(), lost), (1, 1, 3));
        insta::assert_snapshot!(faults.join("\n"));
    }

    #[test]
    fn a_file_says_what_the_bank_says() {
        let (bank, ..) = bank();
        let text = serde_json::to_string(&bank).unwrap();
        assert_eq!(serde_json::from_str::<Bank>(&text).unwrap(), bank);
    }

    #[test]
    fn values_are_dealt_and_so_are_bundles() {
        let (mut bank, ..) = bank();
        let values = (0..30).map(|at| Worded { value: Value::from(format!("v{at}").as_str()), said: Vec::new() });
        bank.parameters["doctor"].values = values.collect();
        let mut dealt: Vec<String> =
            (0..30).map(|turn| bank.deal("doctor", turn, 7).unwrap().value.to_string()).collect();
        dealt.sort();
        dealt.dedup();
        assert_eq!(dealt.len(), 30);
        assert!(bank.bundle("doctor", 5, 7).is_some() && bank.bundle("date", 0, 7).is_none());
        assert_eq!(bank.said("date", &"2026-03-05".into()), ["this Thursday"]);
        assert!(bank.deal("nurse", 0, 7).is_none());
    }
}
