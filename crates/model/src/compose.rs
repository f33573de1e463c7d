//! Composes what people say: frame x intent x clauses in varying order x value forms.

use crate::locale::{Drawn, Fill, Pack, Part, Pattern, Side, Style};
use crate::record::{Chance, Phrases, Value};
use indexmap::{IndexMap, IndexSet};

/// How many further sentences are looked at for one in the person's style.
pub(super) const REGISTER: usize = 8;

/// Arguments with the words that say them, by parameter.
pub(crate) type Said = IndexMap<String, Drawn>;

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
    label: String,
    clauses: Vec<Pattern>,
    negations: Vec<Pattern>,
}

impl Speech {
    /// Parses a tool's phrases; patterns that are none are left out, since the lint has named them.
    pub(crate) fn new(phrases: &Phrases) -> Self {
        let parse = |texts: &[String]| texts.iter().filter_map(|text| Pattern::parse(text).ok()).collect::<Vec<_>>();
        let slots = phrases.parameters.iter().map(|(name, slot)| {
            let speech = SlotSpeech {
                label: slot.label.clone(),
                clauses: parse(&slot.clauses),
                negations: parse(&slot.negations),
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
    pub(crate) fn imply(&self, pack: &Pack, arguments: &Said, chance: &mut Chance) -> Option<String> {
        let mut saying = Saying { pack, arguments, said: IndexSet::new(), extent: Extent::Any };
        let says_all = |it: &&Pattern| arguments.keys().all(|name| it.slots().contains(&name.as_str()));
        let fitting: Vec<&Pattern> = self.implies.iter().filter(|it| it.fits(&saying)).filter(says_all).collect();
        let chosen = chance.pick(&fitting)?;
        Some(pack.tidy(&chosen.render(&mut saying, chance)))
    }

    /// One sentence that asks for the tool and says exactly `arguments`.
    pub(crate) fn compose(&self, pack: &Pack, style: &Style, arguments: &Said, chance: &mut Chance) -> String {
        self.compose_to(Extent::Any, pack, style, arguments, chance)
    }

    /// The same, to an extent.
    pub(super) fn compose_to(
        &self,
        extent: Extent,
        pack: &Pack,
        style: &Style,
        arguments: &Said,
        chance: &mut Chance,
    ) -> String {
        let mut saying = Saying { pack, arguments, said: IndexSet::new(), extent };
        let (mut text, mut framed) = self.base(style, &mut saying, chance);
        // A sentence that stands by itself ends as it is written, which may be in another style.
        let manner = pack.dialogue.manner(&style.name);
        for _ in 0..REGISTER {
            if framed || manner.is_none_or(|manner| manner.fits(&text)) {
                break;
            }
            saying.said.clear();
            (text, framed) = self.base(style, &mut saying, chance);
        }
        let clauses = self.clauses(&mut saying, chance);
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
        pack.tidy(&text)
    }

    /// An intent (which wants a frame) or a sentence that stands by itself.
    fn base<'a>(&'a self, style: &Style, saying: &mut Saying<'_>, chance: &mut Chance) -> (String, bool) {
        let fitting = |patterns: &'a [Pattern]| patterns.iter().filter(|it| it.fits(saying)).collect::<Vec<_>>();
        let (mut intents, mut asks) = (fitting(&self.intents), fitting(&self.asks));
        if pack_before(saying.pack) {
            // A clause cannot stand before a whole sentence, so the sentence must say everything itself.
            asks.retain(|ask| saying.arguments.keys().all(|name| ask.slots().contains(&name.as_str())));
        }
        if intents.iter().any(|intent| !intent.mentions(&style.avoid)) {
            intents.retain(|intent| !intent.mentions(&style.avoid));
        }
        if saying.extent == Extent::Full {
            let count = |it: &&Pattern| it.slots().iter().filter(|slot| saying.has(slot)).count();
            let most = intents.iter().map(count).max().unwrap_or_default();
            intents.retain(|it| count(it) == most);
            asks.retain(|it| count(it) >= most);
        }
        let ask = intents.is_empty() || (!asks.is_empty() && chance.happens(0.12));
        let chosen = if ask { chance.pick(&asks) } else { chance.pick(&intents) };
        let text = chosen.map_or_else(String::new, |pattern| pattern.render(saying, chance));
        (text, !ask)
    }

    /// The clauses of what the base left unsaid: those that lean on it first, those behind a comma last.
    fn clauses(&self, saying: &mut Saying<'_>, chance: &mut Chance) -> Vec<String> {
        let mut rest: Vec<String> =
            saying.arguments.keys().filter(|name| !saying.said.contains(*name)).cloned().collect();
        chance.shuffle(&mut rest);
        let mut clauses = Vec::new();
        for name in rest {
            if !saying.said.contains(&name) {
                clauses.push(self.clause(&name, saying, chance));
            }
        }
        clauses.sort_by_key(|clause| clause.starts_with(|letter: char| letter.is_ascii_punctuation()));
        clauses
    }

    fn clause(&self, name: &str, saying: &mut Saying<'_>, chance: &mut Chance) -> String {
        let denied = matches!(saying.arguments.get(name), Some(Drawn { value: Value::Bool(false), .. }));
        let patterns =
            self.slots.get(name).map_or(&[][..], |slot| if denied { &slot.negations } else { &slot.clauses });
        let mut fitting: Vec<&Pattern> = patterns.iter().filter(|pattern| pattern.fits(saying)).collect();
        // In a conversation a clause leans on the sentence, where there is one that does.
        let leans = |pattern: &&Pattern| !matches!(pattern.parts().first(), Some(Part::Text(text)) if text.starts_with([',', '，', '、']));
        if saying.extent == Extent::Full && fitting.iter().any(leans) {
            fitting.retain(leans);
        }
        // Now and then a value is said by the parameter's label, as people do who fill in a form by voice.
        let by_label = saying.extent == Extent::Any
            && chance.happens(0.08)
            && saying.arguments.get(name).is_some_and(|it| it.value.as_bool().is_none());
        let clause = chance.pick(&fitting).filter(|_| !by_label);
        let text = match clause {
            Some(pattern) => pattern.render(saying, chance),
            None => self.detail(name, saying, chance),
        };
        saying.said.insert(name.to_owned());
        text
    }

    fn detail(&self, name: &str, saying: &Saying<'_>, chance: &mut Chance) -> String {
        let label = self.slots.get(name).map_or(name, |slot| slot.label.as_str());
        let value = saying.arguments.get(name).map_or("", |drawn| drawn.surface.as_str());
        let mut fill = Detail { pack: saying.pack, label, value };
        chance.pick(&saying.pack.details).map_or_else(String::new, |pattern| pattern.render(&mut fill, chance))
    }
}

fn pack_before(pack: &Pack) -> bool {
    pack.clauses == Side::Before
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
    arguments: &'a Said,
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

    fn texts(locale: &str, tool: &str, parameters: &[&str], n: u32) -> Vec<(String, Said)> {
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/proof", locale);
        let mut pack = Pack::load(crate::fixtures::assets(), locale).unwrap();
        toolset.extend(&mut pack).unwrap();
        let tool = toolset.tool(tool).unwrap();
        let speech = Speech::new(&toolset.phrases[&tool.name]);
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
        let (speech, pack) = (Speech::new(&phrases), Pack::load(crate::fixtures::assets(), "ko").unwrap());
        for (style, text) in [("banmal", "비가 와"), ("haeyo", "비가 와요")] {
            let style = pack.styles.iter().find(|it| it.name == style).unwrap();
            let said = (0..30)
                .map(|draw| speech.compose(&pack, style, &Said::new(), &mut Chance::new(7, "test", "rain", draw)));
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
