//! How well a request fits a tool.

use super::ideas::split_name;
use super::text::{Text, Word};
use crate::locale::{Meaning, Reading, Script};
use crate::record::Tool;

/// How well a request fits a tool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    /// Weight of the things that both are about.
    pub(crate) things: f64,
    /// Whether both name the same action.
    pub(crate) same_action: bool,
    /// Whether both name actions, and none in common.
    pub(crate) other_action: bool,
    /// How much the values that the request says speak for the tool.
    pub(crate) told: f64,
    /// Whether the request names its action by a word that cannot stand for any other.
    pub(crate) firm: bool,
    /// Whether the request's verb is the tool's own, and not only one that means the same.
    pub(crate) same_verb: bool,
    /// Whether a value is of a sort that few tools want, or stands beside the tool's own words.
    pub(crate) own_value: bool,
    /// Whether the request asks to be told something.
    pub(crate) asks: bool,
    /// Whether the request wants nothing but the contrary of what the tool does.
    pub(crate) opposed: bool,
}

impl Fit {
    /// One figure to rank tools by.
    pub(crate) fn score(self) -> f64 {
        self.things + self.told + if self.same_action { 1.5 } else { 0.0 } - if self.other_action { 1.0 } else { 0.0 }
    }

    /// Whether the request may be for the tool, where no other is in question: things and values speak for it, the more
    /// the less the action does.
    pub(crate) fn may_serve(self) -> bool {
        let least = match (self.same_action, self.other_action && self.firm) {
            (true, _) if self.told > 0.0 => 1.0,
            (false, false) if self.firm && self.told <= 0.0 => 2.0,
            (true, _) | (false, false) => 1.5,
            (false, true) if self.asks => 6.0,
            (false, true) => 2.5,
        };
        let told = if self.asks && self.other_action { self.told / 2.0 } else { self.told };
        // Values of kinds that many tools want are not enough: somebody may say them after any request.
        self.things + told >= least && !self.opposed && (self.things > 0.0 || self.own_value || self.same_verb)
    }

    /// Whether the request says what the tool does, or asks a question.
    pub(crate) fn names_action(&self) -> bool {
        self.same_action || self.same_verb || self.asks
    }

    /// Whether the tool surely serves the request: they share things, and do not name different actions.
    pub(crate) fn serves(self) -> bool {
        let least = match (self.same_action, self.other_action) {
            (true, _) => 2.0,
            (false, false) => 3.0,
            (false, true) => 5.0,
        };
        // Values of few tools' kinds speak for it as well, where the action does too.
        let told = if self.same_action && self.things >= 1.0 { self.told / 2.0 } else { 0.0 };
        self.things + told >= least && !self.opposed
    }
}

// The words of a tool, as stems: what the whole is about, what each parameter is about.

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

// Runs of words that name one thing: `the budget review`, `six dumplings`.

/// Neighbouring words that may name one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Run {
    /// The first word.
    pub(super) first: usize,
    /// The first word behind it.
    pub(super) end: usize,
    /// What stands before it.
    before: Before,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Determiner,
    Number,
    Action,
    Other,
}

impl Run {
    /// Whether the place says that it is a thing: an object, something counted, or the first word of all.
    pub(super) fn is_thing(self) -> bool {
        self.before != Before::Other
    }

    /// Whether a number counts it.
    pub(super) fn is_counted(self) -> bool {
        self.before == Before::Number
    }

    /// Whether it begins the text.
    pub(super) fn is_head(self) -> bool {
        self.before == Before::Nothing
    }
}

/// The runs of the last line.
pub(super) fn runs(text: &Text, reading: &Reading) -> Vec<Run> {
    let words = text.words();
    let line = words.iter().position(|word| word.span.start >= text.last_line()).unwrap_or(words.len());
    let mut runs = Vec::new();
    let mut index = line;
    while index < words.len() {
        let before = if index == line { Before::Nothing } else { before(text, index, reading) };
        let named = before == Before::Determiner;
        let end = (index..words.len())
            .take_while(|at| is_noun(text, *at, named, reading) && (*at == index || !parted(text, *at)))
            .last();
        match end {
            Some(last) => {
                runs.push(Run { first: index, end: last + 1, before });
                index = last + 1;
            }
            None => index += 1,
        }
    }
    runs
}

fn before(text: &Text, index: usize, reading: &Reading) -> Before {
    let word = &text.words()[index - 1];
    if parted(text, index) {
        Before::Other
    } else if reading.determiners.contains(&word.lower) {
        Before::Determiner
    } else if text.numbers().iter().any(|(span, _)| span.overlaps(word.span)) {
        Before::Number
    } else if is_action(word, reading) {
        Before::Action
    } else {
        Before::Other
    }
}

/// Whether a word can be part of a thing's name: no empty word, no cue, no number, and no action unless a determiner
/// stands before.
pub(super) fn is_noun(text: &Text, index: usize, named: bool, reading: &Reading) -> bool {
    let word = &text.words()[index];
    let digits = word.lower.chars().any(|letter| letter.is_ascii_digit());
    let number = text.numbers().iter().any(|(span, _)| span.overlaps(word.span));
    let empty = reading.is_empty_word(&word.lower) || reading.announces(&word.lower);
    !(empty || digits || number || !named && is_action(word, reading))
}

/// Whether something other than a space stands before a word.
pub(super) fn parted(text: &Text, index: usize) -> bool {
    let words = text.words();
    index > 0
        && text.lower()[words[index - 1].span.end..words[index].span.start].iter().any(|letter| !letter.is_whitespace())
}

fn is_action(word: &Word, reading: &Reading) -> bool {
    reading.meanings(&word.lower).iter().any(|meaning| matches!(meaning, Meaning::Action(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(things: f64, told: f64, same_action: bool, other_action: bool) -> Fit {
        Fit {
            things,
            same_action,
            other_action,
            told,
            same_verb: false,
            own_value: false,
            firm: true,
            asks: false,
            opposed: false,
        }
    }

    #[test]
    fn values_speak_for_a_tool_but_do_not_make_it_sure() {
        assert!(fit(0.5, 1.0, false, false).may_serve() && !fit(0.5, 0.5, false, false).may_serve());
        assert!(fit(0.5, 0.5, true, false).may_serve() && !fit(1.0, 1.0, false, true).may_serve());
        assert!(fit(3.0, 0.0, false, false).serves() && !fit(2.0, 5.0, false, false).serves());
    }

    #[test]
    fn values_of_any_kind_are_not_enough() {
        assert!(!fit(0.0, 3.0, true, false).may_serve());
        assert!(Fit { own_value: true, ..fit(0.0, 3.0, true, false) }.may_serve());
    }

    #[test]
    fn the_contrary_serves_nobody() {
        let opposed = Fit { opposed: true, ..fit(9.0, 9.0, false, true) };
        assert!(!opposed.may_serve() && !opposed.serves());
    }

    #[test]
    fn the_same_action_ranks_before_another() {
        assert!(fit(1.0, 0.0, true, false).score() > fit(2.0, 0.0, false, true).score());
    }
}

#[cfg(test)]
mod about_tests {
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

#[cfg(test)]
mod noun_tests {
    use super::*;

    fn said(query: &str) -> Vec<(String, bool)> {
        let language = crate::fixtures::language("en");
        let text = Text::of(query, true, &language);
        let runs = runs(&text, &Reading::load(crate::fixtures::assets(), "en").unwrap());
        let words = |run: &Run| {
            text.words()[run.first..run.end].iter().map(|word| word.lower.as_str()).collect::<Vec<_>>().join(" ")
        };
        runs.iter().map(|run| (words(run), run.is_thing())).collect()
    }

    #[test]
    fn a_thing_has_a_determiner_a_number_or_a_verb_before_it() {
        assert_eq!(
            said("order six dumplings from the corner shop"),
            [("dumplings".to_owned(), true), ("corner shop".to_owned(), true)]
        );
        assert_eq!(said("desk lamp at 60%"), [("desk lamp".to_owned(), true)]);
        assert_eq!(said("order pizza with olives"), [("pizza".to_owned(), true), ("olives".to_owned(), false)]);
    }

    #[test]
    fn an_action_behind_a_determiner_is_a_thing() {
        assert_eq!(said("move the budget review"), [("budget review".to_owned(), true)]);
    }
}
