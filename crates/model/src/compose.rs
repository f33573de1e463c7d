//! Composes what people say: frame x intent x clauses in the order of the language x value forms; of many values some follow
//! in a sentence of their own.

use crate::locale::{Drawn, Fill, Manner, Pack, Part, Pattern, Side, SlotWords, Style, is_ended};
use crate::record::{Chance, Phrases, SlotPhrases, Tool, Value};
use crate::values::arguments::kind_of;
use indexmap::{IndexMap, IndexSet};

/// How many further sentences are looked at for one in the person's style.
pub(super) const REGISTER: usize = 8;

/// From how many values on that the sentence itself does not say, some follow in a second one.
const MANY: usize = 3;
/// How often two such values are enough.
const SPLIT: f64 = 0.2;
/// How often the values of a request stand where one of its sentences has a place for most of them.
const IN_PLACE: f64 = 0.92;
/// How often a flag follows in a second sentence, where it would stand before all that the first one says.
const FLAG_APART: f64 = 0.8;
/// How often a clause is taken that is a sentence of its own (`I am going at noon, so ...`), where others fit.
const HANGING: f64 = 0.15;

/// Arguments with the words that say them, by parameter.
pub(crate) type DrawnArguments = IndexMap<String, Drawn>;

/// The parsed phrases of one tool.
pub(crate) struct Speech {
    intents: Vec<Pattern>,
    asks: Vec<Pattern>,
    implies: Vec<Pattern>,
    slots: IndexMap<String, SlotSpeech>,
}

/// How much the sentence itself says of what is to be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What it happens to say; the rest follows in clauses.
    Any,
    /// As much as any sentence can.
    Full,
}

struct SlotSpeech {
    sort: Sort,
    clauses: Vec<Pattern>,
    negations: Vec<Pattern>,
    phrases: SlotPhrases,
    /// Whether its values are listed.
    listed: bool,
}

/// What a value is, in the order in which languages whose clauses stand before the verb say them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sort {
    Time,
    Place,
    Person,
    Thing,
    Choice,
    Number,
}

impl Sort {
    fn of(pack: &Pack, tool: &Tool, name: &str) -> Self {
        let Some(parameter) = tool.parameters.properties.get(name) else { return Self::Thing };
        let kind = kind_of(pack, tool, name, parameter);
        match pack.kinds.get(&kind).and_then(|kind| kind.entity.as_deref()) {
            Some("time") => Self::Time,
            Some("place") => Self::Place,
            Some("person") => Self::Person,
            _ if parameter.values.is_some() || parameter.type_name() == "boolean" => Self::Choice,
            _ if matches!(parameter.type_name(), "integer" | "number") => Self::Number,
            _ => Self::Thing,
        }
    }

    /// The same rank as a place in a sentence of this language: what stands nearest to the verb comes first behind it.
    fn rank(self, side: Side) -> u8 {
        let order = match side {
            Side::Before => [Self::Time, Self::Place, Self::Person, Self::Thing, Self::Choice, Self::Number],
            Side::After => [Self::Thing, Self::Person, Self::Number, Self::Choice, Self::Place, Self::Time],
        };
        order.iter().position(|it| *it == self).map_or(u8::MAX, |at| u8::try_from(at).unwrap_or(u8::MAX))
    }
}

impl Speech {
    /// Parses a tool's phrases; patterns that are none are left out, since the lint has named them.
    pub(crate) fn new(pack: &Pack, tool: &Tool, phrases: &Phrases) -> Self {
        let parse = |texts: &[String]| texts.iter().filter_map(|text| Pattern::parse(text).ok()).collect::<Vec<_>>();
        let slots = phrases.parameters.iter().map(|(name, slot)| {
            let speech = SlotSpeech {
                sort: Sort::of(pack, tool, name),
                clauses: parse(&slot.clauses),
                negations: parse(&slot.negations),
                phrases: slot.clone(),
                listed: tool.parameters.properties.get(name).is_some_and(|it| it.values.is_some()),
            };
            (name.clone(), speech)
        });
        Self {
            intents: parse(&phrases.intents),
            asks: parse(&phrases.asks),
            implies: parse(&phrases.implies),
            slots: slots.collect(),
        }
    }

    /// A description of the problem that says exactly `arguments`, where there is one.
    pub(crate) fn imply(&self, pack: &Pack, arguments: &DrawnArguments, chance: &mut Chance) -> Option<String> {
        let mut saying = Saying { pack, arguments, said: IndexSet::new(), extent: Extent::Any };
        let says_all = |it: &&Pattern| arguments.keys().all(|name| it.slots().contains(&name.as_str()));
        let fitting: Vec<&Pattern> = self.implies.iter().filter(|it| it.fits(&saying)).filter(says_all).collect();
        let chosen = chance.pick(&fitting)?;
        Some(pack.tidy(&chosen.render(&mut saying, chance)))
    }

    /// One sentence that asks for the tool and says exactly `arguments`.
    pub(crate) fn compose(
        &self,
        pack: &Pack,
        style: &Style,
        arguments: &DrawnArguments,
        chance: &mut Chance,
    ) -> String {
        self.compose_to(Extent::Any, pack, style, arguments, chance)
    }

    /// The same, to an extent.
    pub(super) fn compose_to(
        &self,
        extent: Extent,
        pack: &Pack,
        style: &Style,
        arguments: &DrawnArguments,
        chance: &mut Chance,
    ) -> String {
        let mut saying = Saying { pack, arguments, said: IndexSet::new(), extent };
        let (mut text, mut framed) = self.base(style, &mut saying, chance);
        // A sentence that stands by itself ends as it is written, which may be in another style.
        let manner = pack.dialogue.manner(&style.name);
        for _ in 0..REGISTER {
            if framed || pack.dialogue.suits(&style.name, &text) {
                break;
            }
            saying.said.clear();
            (text, framed) = self.base(style, &mut saying, chance);
        }
        // Nothing can stand before a whole sentence, nor behind its mark.
        let closed = !framed && (pack.clauses == Side::Before || is_ended(&text));
        let (own, apart) = self.parted(&saying, (manner.is_some(), closed), chance);
        let clauses = self.clauses(&own, &mut saying, chance);
        for clause in &clauses {
            text = attach(&text, clause, pack);
        }
        if framed {
            let fits = |frame: &Pattern| match pack.clauses {
                // Only a bare intent takes words behind it.
                Side::After => clauses.is_empty() || frame.ends_open(),
                // Words that lead into the intent lead into no clause that is set apart.
                Side::Before => !clauses.iter().any(|clause| is_set_apart(clause)) || frame.begins_open(),
            };
            let frames = if extent == Extent::Full && !style.talk.is_empty() { &style.talk } else { &style.frames };
            text = frame(frames, &text, fits, chance);
        }
        let text = pack.tidy(&text);
        // A clause may have said another value as well.
        let apart: Vec<String> = apart.into_iter().filter(|name| !saying.said.contains(name)).collect();
        let more = manner.and_then(|manner| self.listed(&apart, pack, manner, arguments, chance));
        let text = match more {
            Some(more) => pack.chat.continued(&pack.stopped(&text), &pack.dialogue.ended(&pack.tidy(&more))),
            None => text,
        };
        let values: Vec<&str> = arguments.values().map(|drawn| drawn.surface.as_str()).collect();
        pack.typed(text, &values, chance)
    }

    /// What the sentence leaves unsaid, in the order of the language: what is said in it, and what in a second one.
    fn parted(
        &self,
        saying: &Saying<'_>,
        (may_split, closed): (bool, bool),
        chance: &mut Chance,
    ) -> (Vec<String>, Vec<String>) {
        let sort = |name: &String| self.slots.get(name).map_or(Sort::Thing, |slot| slot.sort);
        let mut rest: Vec<String> =
            saying.arguments.keys().filter(|name| !saying.said.contains(*name)).cloned().collect();
        rest.sort_by_key(|name| sort(name).rank(saying.pack.clauses));
        let is_flag = |name: &String| saying.arguments.get(name).is_some_and(|drawn| drawn.value.as_bool().is_some());
        let flags_only = saying.pack.clauses == Side::Before && !saying.said.is_empty() && rest.iter().all(is_flag);
        if may_split && !rest.is_empty() && (closed || flags_only && chance.happens(FLAG_APART)) {
            rest.sort_by_key(|name| self.place(name));
            return (Vec::new(), rest);
        }
        // Where words do not stand apart, clauses are parted by commas, and a second one is heard as a list.
        let many = if saying.pack.joiner.is_empty() { MANY - 1 } else { MANY };
        let splits = rest.len() >= many || rest.len() + 1 == many && chance.happens(SPLIT);
        if !splits || !may_split || saying.extent == Extent::Full {
            return (rest, Vec::new());
        }
        // What the request is about is said in it; when, how and how many may follow.
        let is_topic = |name: &String| matches!(sort(name), Sort::Place | Sort::Person | Sort::Thing);
        let (mut own, mut apart): (Vec<String>, Vec<String>) = rest.into_iter().partition(is_topic);
        while own.len() >= many {
            apart.insert(0, own.pop().unwrap_or_default());
        }
        if apart.is_empty() && own.len() > 1 {
            apart.extend(own.pop());
        }
        apart.sort_by_key(|name| self.place(name));
        (own, apart)
    }

    /// Where a value stands among others in a list: by what it is, then as the tool declares it.
    fn place(&self, name: &str) -> (Sort, usize) {
        self.slots.get_full(name).map_or((Sort::Thing, usize::MAX), |(at, _, slot)| (slot.sort, at))
    }

    /// All values in one sentence that answers a question for them.
    pub(super) fn answer(
        &self,
        pack: &Pack,
        manner: &Manner,
        arguments: &DrawnArguments,
        chance: &mut Chance,
    ) -> Option<String> {
        let mut names: Vec<String> = arguments.keys().cloned().collect();
        names.sort_by_key(|name| self.place(name));
        self.listed(&names, pack, manner, arguments, chance)
    }

    /// Values in a sentence of their own, each by a clause where there is one, the last as the person ends a sentence.
    fn listed(
        &self,
        names: &[String],
        pack: &Pack,
        manner: &Manner,
        arguments: &DrawnArguments,
        chance: &mut Chance,
    ) -> Option<String> {
        let (last, others) = names.split_last()?;
        let words = |name| {
            let (slot, Drawn { value, surface }) = (self.slots.get(name)?, arguments.get(name)?);
            Some(SlotWords::new(pack, (name, ""), Some(&slot.phrases), value, surface, slot.listed))
        };
        let mut parts = Vec::new();
        for name in others {
            parts.push(words(name)?.say_alone(chance)?);
        }
        let words = words(last)?;
        let ends: Vec<String> =
            (0..REGISTER).filter_map(|_| words.say_with("clause", &manner.answers, chance)).collect();
        parts.push(ends.iter().find(|text| manner.fits(text)).or(ends.first())?.clone());
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        Some(pack.one_turn(&parts, |part| part))
    }

    /// An intent (which wants a frame) or a sentence that stands by itself.
    fn base<'a>(&'a self, style: &Style, saying: &mut Saying<'_>, chance: &mut Chance) -> (String, bool) {
        let fitting = |patterns: &'a [Pattern]| patterns.iter().filter(|it| it.fits(saying)).collect::<Vec<_>>();
        let (mut intents, mut asks) = (fitting(&self.intents), fitting(&self.asks));
        if saying.pack.clauses == Side::Before {
            // A clause cannot stand before a whole sentence, so the sentence must say all that has a place in one.
            let is_said = |ask: &Pattern, name: &String| !saying.has(name) || ask.slots().contains(&name.as_str());
            asks.retain(|ask| saying.arguments.keys().all(|name| is_said(ask, name)));
        }
        if intents.iter().any(|intent| !intent.mentions(&style.avoid)) {
            intents.retain(|intent| !intent.mentions(&style.avoid));
        }
        // A sentence with its values in place reads better than one with clauses around it.
        let count = |it: &&Pattern| it.slots().iter().filter(|slot| saying.has(slot)).count();
        let most = intents.iter().map(count).max().unwrap_or_default();
        if saying.extent == Extent::Full || most > 1 && chance.happens(IN_PLACE) {
            intents.retain(|it| count(it) == most);
            asks.retain(|it| count(it) >= most);
        }
        let at = chance.below((intents.len() + asks.len()).max(1));
        let chosen = intents.iter().chain(&asks).nth(at);
        (chosen.map_or_else(String::new, |pattern| pattern.render(saying, chance)), at < intents.len())
    }

    /// The clauses of these parameters: those that lean on the sentence nearest to it, those behind a comma last.
    fn clauses(&self, names: &[String], saying: &mut Saying<'_>, chance: &mut Chance) -> Vec<String> {
        let mut clauses: Vec<String> = Vec::new();
        for name in names {
            if !saying.said.contains(name) {
                let clause = self.clause(name, &clauses, saying, chance);
                clauses.push(clause);
            }
        }
        let hanging = &saying.pack.dialogue.hanging;
        let hangs = |clause: &String| hanging.iter().any(|ending| clause.ends_with(ending.as_str()));
        match saying.pack.clauses {
            // They are put before the sentence one by one, the last of them first; one that is a sentence begins.
            Side::Before => {
                clauses.reverse();
                clauses.sort_by_key(hangs);
            }
            Side::After => {
                clauses.sort_by_key(|clause| clause.starts_with(|letter: char| letter.is_ascii_punctuation()));
            }
        }
        clauses
    }

    /// A clause that ends in another way than the others do, is no sentence and reads out no label, as far as there is one.
    fn clause(&self, name: &str, others: &[String], saying: &mut Saying<'_>, chance: &mut Chance) -> String {
        let denied = matches!(saying.arguments.get(name), Some(Drawn { value: Value::Bool(false), .. }));
        let patterns =
            self.slots.get(name).map_or(&[][..], |slot| if denied { &slot.negations } else { &slot.clauses });
        let mut fitting: Vec<&Pattern> = patterns.iter().filter(|pattern| pattern.fits(saying)).collect();
        let mut prefer = |wanted: &dyn Fn(&Pattern) -> bool| {
            if fitting.iter().any(|pattern| wanted(pattern)) {
                fitting.retain(|pattern| wanted(pattern));
            }
        };
        // In a conversation a clause leans on the sentence, where there is one that does.
        let leans = |pattern: &Pattern| !matches!(pattern.parts().first(), Some(Part::Text(text)) if text.starts_with([',', '，', '、']));
        if saying.extent == Extent::Full {
            prefer(&leans);
        }
        let pack = saying.pack;
        let label = self.slots.get(name).map_or("", |slot| slot.phrases.label.as_str());
        let reads_label = |pattern: &Pattern| !label.is_empty() && text_of(pattern.parts().first()).starts_with(label);
        prefer(&|pattern| !reads_label(pattern));
        let hangs = |text: &str| pack.dialogue.hanging.iter().any(|ending| text.ends_with(ending.as_str()));
        let may_hang = !others.iter().any(|other| hangs(other)) && chance.happens(HANGING);
        if !may_hang {
            prefer(&|pattern| !hangs(text_of(pattern.parts().last())));
        }
        if fitting.is_empty() {
            saying.said.insert(name.to_owned());
            return self.detail(name, saying, chance);
        }
        let said = saying.said.clone();
        let mut left = fitting;
        let mut text = String::new();
        while let Some(pattern) = chance.pick(&left).copied() {
            saying.said.clone_from(&said);
            text = pattern.render(saying, chance);
            if !others.iter().any(|other| is_like(other, &text, pack.clauses)) {
                break;
            }
            left.retain(|other| *other != pattern);
        }
        saying.said.insert(name.to_owned());
        text
    }

    fn detail(&self, name: &str, saying: &Saying<'_>, chance: &mut Chance) -> String {
        let label = self.slots.get(name).map_or(name, |slot| slot.phrases.label.as_str());
        let value = saying.arguments.get(name).map_or("", |drawn| drawn.surface.as_str());
        let mut fill = Detail { pack: saying.pack, label, value };
        chance.pick(&saying.pack.details).map_or_else(String::new, |pattern| pattern.render(&mut fill, chance))
    }
}

/// The words of a part; nothing where a value stands.
fn text_of(part: Option<&Part>) -> &str {
    match part {
        Some(Part::Text(text)) => text,
        _ => "",
    }
}

/// Whether two clauses would be heard as one pattern: they end alike before the verb, or begin alike behind it.
fn is_like(one: &str, other: &str, side: Side) -> bool {
    match side {
        Side::Before => one.chars().next_back() == other.chars().next_back(),
        Side::After => {
            let first = |text: &'_ str| text.trim_start().split(' ').next().unwrap_or_default().to_lowercase();
            first(one) == first(other)
        }
    }
}

/// Whether a clause ends in a mark, as one that stands by itself.
fn is_set_apart(clause: &str) -> bool {
    clause.chars().next_back().is_some_and(|letter| matches!(letter, ',' | '，' | '、'))
}

/// Wraps an intent into one of the frames that fit.
pub(crate) fn frame(frames: &[Pattern], intent: &str, fits: impl Fn(&Pattern) -> bool, chance: &mut Chance) -> String {
    struct Intent<'a>(&'a str);
    impl Fill for Intent<'_> {
        fn has(&self, slot: &str) -> bool {
            slot == "intent"
        }
        fn say(&mut self, _slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
            self.0.to_owned()
        }
    }
    let fitting: Vec<&Pattern> = frames.iter().filter(|frame| fits(frame)).collect();
    let frames = if fitting.is_empty() { frames.iter().collect() } else { fitting };
    chance.pick(&frames).map_or_else(|| intent.to_owned(), |frame| frame.render(&mut Intent(intent), chance))
}

/// Draws one of the pack's styles, as often as their weights say.
pub(crate) fn draw_style<'a>(pack: &'a Pack, chance: &mut Chance) -> Option<&'a Style> {
    pack.styles.get(chance.weighted(pack.styles.iter().map(|style| style.weight)))
}

fn attach(text: &str, clause: &str, pack: &Pack) -> String {
    match pack.clauses {
        Side::Before => format!("{clause}{}{text}", pack.joiner),
        Side::After if clause.starts_with(|letter: char| letter.is_whitespace() || letter.is_ascii_punctuation()) => {
            format!("{text}{clause}")
        }
        Side::After => format!("{text}{}{clause}", pack.joiner),
    }
}

/// Says the arguments, each once.
struct Saying<'a> {
    pack: &'a Pack,
    arguments: &'a DrawnArguments,
    said: IndexSet<String>,
    extent: Extent,
}

impl Fill for Saying<'_> {
    fn has(&self, slot: &str) -> bool {
        self.arguments.get(slot).is_some_and(|drawn| drawn.value.as_bool().is_none()) && !self.said.contains(slot)
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, chance: &mut Chance) -> String {
        self.said.insert(slot.to_owned());
        let Some(drawn) = self.arguments.get(slot) else { return String::new() };
        match particle.filter(|particle| self.pack.counts(particle)) {
            Some(counter) => self.pack.counted(&drawn.value, &drawn.surface, counter, chance),
            None => self.pack.agreed(&drawn.surface, particle),
        }
    }
}

struct Detail<'a> {
    pack: &'a Pack,
    label: &'a str,
    value: &'a str,
}

impl Fill for Detail<'_> {
    fn has(&self, slot: &str) -> bool {
        matches!(slot, "label" | "value")
    }

    fn say(&mut self, slot: &str, particle: Option<&str>, _chance: &mut Chance) -> String {
        self.pack.agreed(if slot == "label" { self.label } else { self.value }, particle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw_arguments;

    fn texts(locale: &str, tool: &str, parameters: &[&str], n: u32) -> Vec<(String, DrawnArguments)> {
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/proof", locale);
        let mut pack = Pack::load(crate::fixtures::assets(), locale).unwrap();
        toolset.extend(&mut pack).unwrap();
        let tool = toolset.tool(tool).unwrap();
        let speech = Speech::new(&pack, tool, &toolset.phrases[&tool.name]);
        (0..n)
            .map(|draw| {
                let mut chance = Chance::new(7, "test", &tool.name, draw);
                let names: Vec<String> = parameters.iter().map(|name| (*name).to_owned()).collect();
                let arguments = draw_arguments(&pack, tool, &names, &mut chance);
                let style = draw_style(&pack, &mut chance).unwrap();
                (speech.compose(&pack, style, &arguments, &mut chance), arguments)
            })
            .collect()
    }

    #[test]
    fn every_argument_is_said_once_in_three_languages() {
        for locale in ["en", "ko", "zh"] {
            let route = "Navigation.MapNavigation.planRoute";
            for (text, arguments) in texts(locale, route, &["origin", "destination", "mode"], 60) {
                for drawn in arguments.values() {
                    let surface = drawn.surface.to_lowercase();
                    assert!(text.to_lowercase().contains(&surface), "{locale}: `{surface}` is not in `{text}`");
                }
            }
        }
    }

    #[test]
    fn frames_differ_even_without_values() {
        let mut texts: Vec<String> =
            texts("en", "UtilityTools.AlarmClock.viewAlarms", &[], 14).into_iter().map(|(text, _)| text).collect();
        texts.sort();
        texts.dedup();
        // Fourteen is what a tool without parameters owes at three times the default scale.
        assert!(texts.len() >= 12, "{} of 14", texts.len());
    }

    #[test]
    fn a_sentence_that_stands_by_itself_keeps_to_the_style() {
        let phrases = Phrases { asks: vec!["비가 (와|와요)".to_owned()], ..Phrases::default() };
        let pack = Pack::load(crate::fixtures::assets(), "ko").unwrap();
        let speech = Speech::new(&pack, &Tool::default(), &phrases);
        for (style, text) in [("banmal", "비가 와"), ("haeyo", "비가 와요")] {
            let style = pack.styles.iter().find(|it| it.name == style).unwrap();
            let said = (0..30).map(|draw| {
                speech.compose(&pack, style, &DrawnArguments::new(), &mut Chance::new(7, "test", "rain", draw))
            });
            assert_eq!(said.filter(|it| it != text).count(), 0, "{text}");
        }
    }

    #[test]
    fn a_boolean_is_said_by_its_clause() {
        for (text, arguments) in texts("en", "Navigation.MapNavigation.findChargingStations", &["fast"], 20) {
            assert!(text.contains("fast"), "{text} {arguments:?}");
        }
    }
}
