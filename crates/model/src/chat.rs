//! Talks beside calls: asks for what is missing, tells answers, declines, chats (FunctionChat-Bench).

use super::Grammar;
use crate::llm::{
    DeclineVariables, ExchangeVariables, Exchanged, Missing, MissingVariables, QuestionVariables, TellVariables,
};
use crate::locale::{Fill, Pattern};
use crate::record::{Chance, Object, Value};

/// How often several things are asked for by their labels; else by one question for each.
const BY_LABELS: f64 = 0.8;

/// How often a line is said anew that is of another level of speech.
const VOICE_TRIES: usize = 32;

/// How many entries of a list are named.
const NAMED: usize = 4;

/// How often a refusal is composed, so that none is said much more often than others.
const COMPOSED: f64 = 0.6;

impl Grammar {
    /// A question for everything that is missing.
    pub(super) fn ask_missing(&self, variables: &MissingVariables, chance: &mut Chance) -> String {
        self.in_own_voice(|| self.asked_missing(variables, chance))
    }

    fn asked_missing(&self, variables: &MissingVariables, chance: &mut Chance) -> String {
        let questions = |chance: &mut Chance| {
            let ask = |missing: &Missing, chance: &mut Chance| self.slot_question(&single(variables, missing), chance);
            variables.missing.iter().map(|missing| ask(missing, chance)).collect::<Vec<_>>()
        };
        if let [_] = variables.missing.as_slice() {
            return questions(chance).concat();
        }
        // A flag has no name that one could ask for: `taking it after a meal` is a question by itself.
        let is_flag = |missing: &Missing| {
            let parameter = variables.tool.parameters.properties.get(&missing.parameter);
            parameter.is_some_and(|it| it.type_name() == "boolean")
        };
        let label = |missing: &Missing| {
            let label = label(missing).filter(|_| !is_flag(missing))?;
            Some(self.pack.chat.turned(label))
        };
        let labels: Option<Vec<String>> = variables.missing.iter().map(label).collect();
        let frame = chance.pick(&self.pack.chat.several).cloned();
        match (labels, frame) {
            (Some(labels), Some(frame)) if labels.len() > 2 || chance.happens(BY_LABELS) => {
                let things = self.listed(&labels);
                let text = self.pack.rendered(&frame, &[("things", &things)], chance);
                self.pack.tidy(&text)
            }
            _ => self.each_asked(variables, chance),
        }
    }

    /// A question for each, the first of them wrapped.
    fn each_asked(&self, variables: &MissingVariables, chance: &mut Chance) -> String {
        let plain = |missing: &Missing, chance: &mut Chance| {
            let questions = missing.phrases.as_ref().map_or(&[][..], |slot| &slot.questions);
            chance.pick(questions).cloned().unwrap_or_else(|| self.slot_question(&single(variables, missing), chance))
        };
        let mut asked = Vec::new();
        for (place, missing) in variables.missing.iter().enumerate() {
            let question = if place == 0 {
                self.slot_question(&single(variables, missing), chance)
            } else {
                plain(missing, chance)
            };
            asked.push(question);
        }
        asked.join(&self.pack.joiner)
    }

    /// Things as a sentence lists them.
    fn listed(&self, things: &[String]) -> String {
        let Some((last, others)) = things.split_last() else { return String::new() };
        if others.is_empty() {
            return last.clone();
        }
        let first = others.join(&self.pack.chat.comma);
        let words = [("first", first.as_str()), ("last", last.as_str())];
        self.pack.rendered(&self.pack.chat.two, &words, &mut Chance::of(&[b"listed"]))
    }

    /// A sentence that tells an answer; where the toolset has none, its fields one after the other.
    pub fn tell_answer(&self, variables: &TellVariables, chance: &mut Chance) -> String {
        let facts = Facts { grammar: self, answer: &variables.answer, arguments: &variables.call.arguments };
        let tellings = variables.phrases.as_ref().map_or(&[][..], |phrases| &phrases.tells);
        for telling in tellings.iter().filter(|telling| {
            telling.when.iter().all(|(field, value)| facts.field(field).is_some_and(|it| it.equals(value)))
        }) {
            let patterns: Vec<Pattern> = telling.say.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
            let mut fitting: Vec<&Pattern> = patterns.iter().filter(|pattern| pattern.fits(&facts)).collect();
            let is_own = |pattern: &&Pattern| pattern.variants(1).iter().all(|text| self.is_own_voice(text));
            if fitting.iter().any(is_own) {
                fitting.retain(is_own);
            }
            if let Some(pattern) = chance.pick(&fitting) {
                let mut fill = Facts { ..facts };
                let told = self.pack.tidy(&pattern.render(&mut fill, chance));
                return match self.name_all(variables, &told, chance) {
                    // The list includes its first entry, which is not repeated by itself.
                    Some(named) if self.tells_all(variables, &named) => named,
                    Some(named) => self.pack.chat.continued(&named, &told),
                    None => told,
                };
            }
        }
        facts.plainly()
    }

    /// Whether a text is of the level of speech in which the assistant of the locale welcomes people.
    pub(super) fn is_own_voice(&self, text: &str) -> bool {
        let welcome = self.pack.chat.welcomes.first().and_then(|pattern| pattern.variants(1).pop());
        let own = welcome.as_deref().and_then(|welcome| self.pack.dialogue.style_of(welcome));
        own.is_none_or(|own| self.pack.dialogue.suits(own, text))
    }

    /// One of several texts that the assistant's level of speech has, if there is one.
    fn in_own_voice(&self, mut say: impl FnMut() -> String) -> String {
        let mut text = say();
        for _ in 0..VOICE_TRIES {
            if self.is_own_voice(&text) {
                break;
            }
            text = say();
        }
        text
    }

    /// Whether a text includes every value that must be reported.
    fn tells_all(&self, variables: &TellVariables, text: &str) -> bool {
        let holds =
            |field: &String| variables.answer.at_path(field).is_some_and(|it| text.contains(&self.pack.told(it)));
        !variables.must_tell.is_empty() && variables.must_tell.iter().all(holds)
    }

    /// A sentence that names what was found; absent where that is one thing, or the toolset has no words for it.
    fn name_all(&self, variables: &TellVariables, told: &str, chance: &mut Chance) -> Option<String> {
        let listing = variables.phrases.as_ref()?.lists.as_ref()?;
        let entries = listed_at(&variables.answer, &listing.of)?;
        let each = Pattern::parse(&listing.each).ok()?;
        let nothing = Object::new();
        let name = |entry| {
            let mut facts = Facts { grammar: self, answer: entry, arguments: &nothing };
            each.fits(&facts).then(|| each.render(&mut facts, &mut Chance::of(&[b"each"])))
        };
        let names: Vec<String> = entries.iter().take(NAMED).filter_map(name).collect();
        let says: Vec<Pattern> = listing.say.iter().filter_map(|text| Pattern::parse(text).ok()).collect();
        if names.len() < 2 {
            return None;
        }
        let names = self.listed(&names);
        let words = [("list", names.as_str())];
        let mut said: Vec<String> = says.iter().map(|say| self.pack.rendered(say, &words, chance)).collect();
        if said.iter().any(|text| self.is_own_voice(text)) {
            said.retain(|text| self.is_own_voice(text));
        }
        let begins = |text: &str| text.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>();
        if said.iter().any(|text| begins(text) != begins(told)) {
            said.retain(|text| begins(text) != begins(told));
        }
        chance.pick(&said).map(|text| self.pack.tidy(text))
    }

    /// Words that decline: they name what is declined where it has a name.
    pub(super) fn decline(&self, variables: &DeclineVariables, chance: &mut Chance) -> String {
        self.in_own_voice(|| self.declined(&variables.title, chance))
    }

    fn declined(&self, title: &str, chance: &mut Chance) -> String {
        let names = |pattern: &&Pattern| pattern.slots().contains(&"title");
        let (named, plain): (Vec<&Pattern>, Vec<&Pattern>) = self.pack.chat.declines.iter().partition(names);
        let chosen = if !title.is_empty() && !named.is_empty() {
            chance.pick(&named)
        } else {
            chance.pick(&plain).filter(|_| chance.happens(COMPOSED))
        };
        match chosen {
            Some(pattern) => self.pack.tidy(&self.pack.rendered(pattern, &[("title", title)], chance)),
            None => chance.pick(&self.pack.dialogue.refusals).unwrap_or(&self.pack.refusal).clone(),
        }
    }

    /// Something that wants no tool, and the answer to it.
    pub(super) fn exchange(&self, variables: &ExchangeVariables, chance: &mut Chance) -> String {
        let mut say = || self.pack.chat.exchange(variables.topic, &variables.style, chance).unwrap_or_default();
        let fits = |(user, assistant): &(String, String)| {
            self.pack.dialogue.suits(&variables.style, user) && self.is_own_voice(assistant)
        };
        let first = say();
        let (user, assistant) =
            if fits(&first) { first } else { (0..VOICE_TRIES).map(|_| say()).find(fits).unwrap_or(first) };
        serde_json::to_string(&Exchanged { user, assistant }).unwrap_or_default()
    }
}

fn single(variables: &MissingVariables, missing: &Missing) -> QuestionVariables {
    QuestionVariables {
        common: variables.common.clone(),
        tool: variables.tool.clone(),
        history: variables.history.clone(),
        known: Object::new(),
        parameter: missing.parameter.clone(),
        about: missing.about.clone(),
        phrases: missing.phrases.clone(),
    }
}

fn label(missing: &Missing) -> Option<&str> {
    missing.phrases.as_ref().map(|slot| slot.label.as_str()).filter(|label| !label.is_empty())
}

/// The list at a path of an answer.
fn listed_at<'a>(answer: &'a Value, path: &str) -> Option<&'a [Value]> {
    let at = path.split('.').try_fold(answer, |value, field| value.as_object()?.get(field))?;
    match at {
        Value::List(entries) => Some(entries),
        _ => None,
    }
}

/// What an answer and its call hold.
pub(super) struct Facts<'a> {
    pub(super) grammar: &'a Grammar,
    pub(super) answer: &'a Value,
    pub(super) arguments: &'a Object,
}

impl<'a> Facts<'a> {
    fn field(&self, path: &str) -> Option<&'a Value> {
        self.answer.at_path(path).or_else(|| self.arguments.get(path))
    }

    /// The fields one after the other, for tools that nobody has sentences for.
    fn plainly(&self) -> String {
        let shown = |(name, value): (&String, &Value)| format!("{}: {}", name.replace('_', " "), self.plain(value));
        match self.answer.as_object() {
            Some(object) => object.iter().map(shown).collect::<Vec<_>>().join(", "),
            None => self.plain(self.answer),
        }
    }

    /// A value without its brackets, which nobody reads aloud. Numbers stay as they are written: they may be years.
    fn plain(&self, value: &Value) -> String {
        let all = |values: &mut dyn Iterator<Item = &Value>, between: &str| {
            values.map(|value| self.plain(value)).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(between)
        };
        match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::List(list) => all(&mut list.iter(), "; "),
            Value::Object(object) => all(&mut object.values(), &self.grammar.pack.chat.comma),
            other => other.to_string(),
        }
    }
}

impl Fill for Facts<'_> {
    fn has(&self, slot: &str) -> bool {
        self.field(slot).is_some()
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, chance: &mut Chance) -> String {
        let pack = &self.grammar.pack;
        let Some(value) = self.field(slot) else { return String::new() };
        let shown = pack.told(value);
        match particle.filter(|particle| pack.counts(particle)) {
            Some(counter) => pack.counted(value, &shown, counter, chance),
            None => pack.agreed(&shown, particle),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::{ActsVariables, Common};
    use crate::locale::Topic;
    use crate::record::{FunctionCall, Listing, Phrases, SlotPhrases, Telling, Tool};
    use std::collections::BTreeSet;
    use std::sync::Arc;

    fn grammar(locale: &str) -> Grammar {
        Grammar::new(crate::fixtures::pack(locale), 7)
    }

    fn asked(locale: &str, missing: &[(&str, &str, &str)]) -> BTreeSet<String> {
        let grammar = grammar(locale);
        let missing = missing.iter().map(|(parameter, label, question)| Missing {
            parameter: (*parameter).to_owned(),
            about: String::new(),
            phrases: Some(SlotPhrases {
                label: (*label).to_owned(),
                questions: vec![(*question).to_owned()],
                ..SlotPhrases::default()
            }),
        });
        let variables = MissingVariables {
            common: Common::default(),
            tool: Arc::default(),
            history: String::new(),
            missing: missing.collect(),
        };
        (0..60).map(|draw| grammar.ask_missing(&variables, &mut Chance::new(7, "ask", "a", draw))).collect()
    }

    #[test]
    fn everything_that_is_missing_is_asked_for() {
        for text in asked("ko", &[("to", "받는 사람", "누구한테 보낼까요?"), ("sum", "금액", "얼마를 보낼까요?")])
        {
            let by_labels = text.contains("받는 사람과 금액");
            let one_by_one = text.contains("누구한테 보낼까요?") && text.contains("얼마를 보낼까요?");
            assert!(by_labels || one_by_one, "{text}");
        }
        let all =
            asked("en", &[("a", "the place", "Where?"), ("b", "the day", "Which day?"), ("c", "the time", "When?")]);
        // Three questions in a row are a form.
        assert!(all.iter().all(|text| text.contains("the place, the day and the time")), "{all:?}");
        assert!(all.len() >= 10, "{all:?}");
        let two = asked("en", &[("a", "the place", "Where?"), ("b", "the day", "Which day?")]);
        assert!(two.iter().any(|text| text.contains("Where?") && text.ends_with("Which day?")), "{two:?}");
    }

    #[test]
    fn one_thing_is_asked_for_as_ever() {
        let all = asked("en", &[("a", "the place", "Where to?")]);
        assert!(all.len() >= 3 && all.iter().all(|text| text.to_lowercase().contains("where to?")), "{all:?}");
    }

    fn told(locale: &str, tells: &[(&str, &str)], answer: &str, arguments: &str) -> String {
        let telling = |(when, say): &(&str, &str)| Telling {
            when: serde_json::from_str(when).unwrap(),
            say: vec![(*say).to_owned()],
        };
        let phrases = Phrases { tells: tells.iter().map(telling).collect(), ..Phrases::default() };
        let variables = TellVariables {
            common: Common::default(),
            tool: Arc::new(Tool::default()),
            history: String::new(),
            call: FunctionCall { name: "f".to_owned(), arguments: serde_json::from_str(arguments).unwrap() },
            answer: Value::read(answer).unwrap(),
            must_tell: Vec::new(),
            phrases: (!tells.is_empty()).then(|| Arc::new(phrases)),
        };
        grammar(locale).tell_answer(&variables, &mut Chance::of(&[b"tell"]))
    }

    #[test]
    fn of_a_list_everything_is_named_before_its_first_entry_is_told() {
        let told = |must_tell: &[&str], answer: &str| {
            let tells = vec![Telling { say: vec!["The cheapest is {teas.name}.".to_owned()], ..Telling::default() }];
            let say = vec!["There are {list}.".to_owned()];
            let lists = Some(Listing { of: "teas".to_owned(), each: "{name}".to_owned(), say });
            let variables = TellVariables {
                common: Common::default(),
                tool: Arc::new(Tool::default()),
                history: String::new(),
                call: FunctionCall::default(),
                answer: Value::read(answer).unwrap(),
                must_tell: must_tell.iter().map(|field| (*field).to_owned()).collect(),
                phrases: Some(Arc::new(Phrases { tells, lists, ..Phrases::default() })),
            };
            grammar("en").tell_answer(&variables, &mut Chance::of(&[b"tell"]))
        };
        let all = told(&[], r#"{"teas": [{"name": "Assam"}, {"name": "Sencha"}, {"name": "Oolong"}]}"#);
        assert_eq!(all, "There are Assam, Sencha and Oolong. The cheapest is Assam.");
        assert_eq!(told(&[], r#"{"teas": [{"name": "Assam"}]}"#), "The cheapest is Assam.");
        let both = r#"{"teas": [{"name": "Assam"}, {"name": "Sencha"}]}"#;
        assert_eq!(told(&["teas.name"], both), "There are Assam and Sencha.", "an entry of the list is not repeated");
    }

    #[test]
    fn an_answer_is_told_by_the_first_sentence_that_is_true_of_it() {
        let tells = [(r#"{"open": false}"#, "{name} is closed."), ("{}", "{name} is open until {until}.")];
        assert_eq!(told("en", &tells, r#"{"open": false}"#, r#"{"name": "the library"}"#), "The library is closed.");
        let open = r#"{"open": true, "until": "18:00"}"#;
        assert_eq!(told("en", &tells, open, r#"{"name": "the library"}"#), "The library is open until 18:00.");
        assert_eq!(told("en", &tells, r#"{"open": true}"#, "{}"), "open: true", "no sentence has all that it needs");
    }

    #[test]
    fn figures_are_told_as_people_write_them() {
        assert_eq!(
            told("ko", &[("{}", "모두 {total|은} 맞아요, {total}원이에요.")], r#"{"total": 1717782}"#, "{}"),
            "모두 1,717,782는 맞아요, 1,717,782원이에요."
        );
        // Of a figure that no sentence is about, nobody knows whether it is a sum or a year.
        assert_eq!(told("en", &[], r#"{"sum_total": 1200, "year": 1874}"#, "{}"), "sum total: 1200, year: 1874");
    }

    #[test]
    fn chats_and_refusals_come_from_the_pack() {
        let grammar = grammar("zh");
        let variables = ExchangeVariables {
            common: Common::default(),
            history: String::new(),
            topic: Topic::Thanks,
            style: "plain".to_owned(),
            manner: String::new(),
        };
        let text = grammar.exchange(&variables, &mut Chance::of(&[b"x"]));
        let exchanged: Exchanged = serde_json::from_str(&text).unwrap();
        assert!(!exchanged.user.is_empty() && !exchanged.assistant.is_empty());
        let declined: BTreeSet<String> = declined(&grammar, "").into_iter().collect();
        assert!(declined.len() >= 10, "{declined:?}");
    }

    fn declined(grammar: &Grammar, title: &str) -> Vec<String> {
        let variables = DeclineVariables { title: title.to_owned(), ..DeclineVariables::default() };
        (0..40).map(|draw| grammar.decline(&variables, &mut Chance::new(7, "no", "a", draw))).collect()
    }

    #[test]
    fn a_refusal_names_what_is_not_offered_and_is_read_as_one() {
        for locale in ["en", "ko", "zh", "ja"] {
            let grammar = grammar(locale);
            for text in declined(&grammar, "TITLE") {
                assert!(text.contains("TITLE") && grammar.is_own_voice(&text), "{locale}: {text}");
                let acts = ActsVariables { text: text.clone(), ..ActsVariables::default() };
                assert_eq!(grammar.classify_acts(&acts), "agent_reject_request", "{locale}: {text}");
            }
        }
    }
}
