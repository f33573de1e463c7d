//! How an assistant and a person talk beside calls: asking for several things at once, telling figures, thanks, small talk.

use super::super::Fill;
use super::super::LocaleError;
use super::super::Pattern;
use super::super::pack::{is_ended, parse_all};
use crate::assets::Assets;
use crate::record::{Chance, Number, Value};
use indexmap::IndexMap;
use serde::Deserialize;

/// The phrases of a chat. Empty where the pack has no `chat.toml`.
#[derive(Debug, Clone, Default)]
pub struct ChatPhrases {
    /// How an assistant asks for several things at once: patterns over `{things}`.
    pub several: Vec<Pattern>,
    /// How an assistant declines what no tool serves.
    pub declines: Vec<Pattern>,
    /// How the last of several things is joined: a pattern over `{first}` and `{last}`.
    pub two: Pattern,
    /// What stands between the others.
    pub comma: String,
    /// Words of the person's view that an assistant turns round: `my` becomes `your`.
    turned: IndexMap<String, String>,
    /// What stands between two answers of one turn.
    pub between: String,
    /// What parts thousands in a number.
    pub thousands: String,
    /// What an assistant in a conversation is told: a pattern over `{time}`.
    pub system: Pattern,
    /// Words that begin a conversation and nothing within it.
    pub greetings: Vec<String>,
    /// Words between two things that are to be chosen from.
    pub alternatives: Vec<String>,
    /// How a person says yes.
    pub agrees: Vec<Pattern>,
    /// How a person asks to be asked before something is done.
    pub cautions: Vec<Pattern>,
    /// How two requests stand in one message: patterns over `{first}` and `{second}`.
    pub stacks: Vec<Pattern>,
    /// Details that nothing needs.
    pub asides: Vec<Pattern>,
    /// How an assistant answers somebody who says what is coming up.
    pub welcomes: Vec<Pattern>,
    /// How a person goes on to the next thing: patterns over `{query}`.
    pub bridges: Vec<Pattern>,
    /// How a person gives something up for another thing: patterns over `{query}`.
    pub switches: Vec<Pattern>,
    /// What ends a sentence before another one in the same message; absent where the language's dialogues say it.
    pub stop: String,
    /// How a person goes on after a refusal: patterns over `{query}`.
    pub onward: Vec<Pattern>,
    /// How an assistant asks for the first of what a bare request leaves out: patterns over `{question}`.
    pub needs: Vec<Pattern>,
    /// How an assistant leads into what it found out, where it did so at the second attempt: patterns over `{reply}`.
    pub recovered: Vec<Pattern>,
    /// How an assistant leads into what it found out: patterns over `{reply}`.
    pub leads: Vec<Pattern>,
    /// How an assistant offers to do more.
    pub offers: Vec<Pattern>,
    /// Words that begin a question; where there are none, requests keep the end that they have.
    pub asking: Vec<String>,
    /// How a person takes a word or a number back after the answer, by style: patterns over `{old}`, `{value}` and `{label}`.
    corrections: IndexMap<String, Vec<Pattern>>,
    /// What is said between two things that are wanted.
    pauses: Vec<Exchange>,
    /// What is said after what could not be done.
    resigned: Vec<Exchange>,
    /// What goes wrong with calls.
    pub faults: Vec<FaultPhrases>,
    exchanges: IndexMap<Topic, Vec<Exchange>>,
}

/// Something that goes wrong with calls, and what is said of it.
#[derive(Debug, Clone)]
pub struct FaultPhrases {
    /// The code of the error.
    pub code: u16,
    /// What the tool says.
    pub message: String,
    /// How an assistant reports it and asks whether to try again.
    pub tells: Vec<Pattern>,
    /// How a person wants it tried again.
    pub retries: Vec<Pattern>,
    /// How an assistant says that it could not be done.
    pub sorry: Vec<Pattern>,
}

/// What people say to an assistant that wants no tool.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    serde::Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Topic {
    /// Thanks for what was done.
    #[default]
    Thanks,
    /// A chat about anything.
    Talk,
    /// A question that general knowledge answers.
    Knowledge,
    /// A wish to hear the last answer once more.
    Again,
}

/// What a person says, and what an assistant says to it.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// What the person says, by style; `any` serves the others.
    says: IndexMap<String, Vec<Pattern>>,
    /// What the assistant says.
    replies: Vec<Pattern>,
}

#[derive(Deserialize)]
struct ChatText {
    several: Vec<String>,
    #[serde(default)]
    declines: Vec<String>,
    two: String,
    comma: String,
    #[serde(default)]
    turned: IndexMap<String, String>,
    between: String,
    thousands: String,
    #[serde(default)]
    system: String,
    #[serde(default)]
    greetings: Vec<String>,
    #[serde(default)]
    alternatives: Vec<String>,
    #[serde(default)]
    agrees: Vec<String>,
    #[serde(default)]
    cautions: Vec<String>,
    #[serde(default)]
    stacks: Vec<String>,
    #[serde(default)]
    asides: Vec<String>,
    #[serde(default)]
    welcomes: Vec<String>,
    #[serde(default)]
    bridges: Vec<String>,
    #[serde(default)]
    switches: Vec<String>,
    #[serde(default)]
    stop: String,
    #[serde(default)]
    onward: Vec<String>,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    recovered: Vec<String>,
    #[serde(default)]
    leads: Vec<String>,
    #[serde(default)]
    offers: Vec<String>,
    #[serde(default)]
    asking: Vec<String>,
    #[serde(default)]
    corrections: IndexMap<String, Vec<String>>,
    #[serde(default)]
    pauses: Vec<ExchangeText>,
    #[serde(default)]
    resigned: Vec<ExchangeText>,
    #[serde(default)]
    faults: Vec<FaultText>,
    #[serde(flatten)]
    exchanges: IndexMap<Topic, Vec<ExchangeText>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExchangeText {
    says: IndexMap<String, Vec<String>>,
    #[serde(default)]
    replies: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultText {
    code: u16,
    message: String,
    tells: Vec<String>,
    retries: Vec<String>,
    sorry: Vec<String>,
}

impl FaultText {
    fn parse(self, path: &str) -> Result<FaultPhrases, LocaleError> {
        let (tells, retries) = (parse_all(path, &self.tells)?, parse_all(path, &self.retries)?);
        Ok(FaultPhrases {
            code: self.code,
            message: self.message,
            tells,
            retries,
            sorry: parse_all(path, &self.sorry)?,
        })
    }
}

/// The style of what everybody may say.
const ANY: &str = "any";

impl ChatPhrases {
    /// Loads `locales/<code>/chat.toml`, or the English one in its place.
    pub(crate) fn load(assets: &Assets, code: &str) -> Result<Self, LocaleError> {
        let path = super::super::locale_file(assets, code, "chat.toml");
        let Some(text) = assets.read(&path) else { return Ok(Self::default()) };
        let text: ChatText = crate::toml_text::from_toml(&text)
            .map_err(|error| LocaleError::Toml { path: path.clone(), message: error.to_string() })?;
        let exchange = |it: ExchangeText| {
            let says = it.says.into_iter().map(|(style, texts)| Ok((style, parse_all(&path, &texts)?)));
            Ok(Exchange { says: says.collect::<Result<_, LocaleError>>()?, replies: parse_all(&path, &it.replies)? })
        };
        let corrections = text.corrections.into_iter().map(|(style, texts)| Ok((style, parse_all(&path, &texts)?)));
        let exchanges = text.exchanges.into_iter().map(|(topic, exchanges)| {
            Ok((topic, exchanges.into_iter().map(exchange).collect::<Result<_, LocaleError>>()?))
        });
        Ok(Self {
            several: parse_all(&path, &text.several)?,
            declines: parse_all(&path, &text.declines)?,
            two: parse_all(&path, &[text.two])?.pop().unwrap_or_default(),
            comma: text.comma,
            turned: text.turned,
            between: text.between,
            thousands: text.thousands,
            system: parse_all(&path, &[text.system])?.pop().unwrap_or_default(),
            greetings: text.greetings,
            alternatives: text.alternatives,
            agrees: parse_all(&path, &text.agrees)?,
            cautions: parse_all(&path, &text.cautions)?,
            stacks: parse_all(&path, &text.stacks)?,
            asides: parse_all(&path, &text.asides)?,
            welcomes: parse_all(&path, &text.welcomes)?,
            bridges: parse_all(&path, &text.bridges)?,
            switches: parse_all(&path, &text.switches)?,
            stop: text.stop,
            onward: parse_all(&path, &text.onward)?,
            needs: parse_all(&path, &text.needs)?,
            recovered: parse_all(&path, &text.recovered)?,
            leads: parse_all(&path, &text.leads)?,
            offers: parse_all(&path, &text.offers)?,
            asking: text.asking,
            corrections: corrections.collect::<Result<_, LocaleError>>()?,
            pauses: text.pauses.into_iter().map(exchange).collect::<Result<_, LocaleError>>()?,
            resigned: text.resigned.into_iter().map(exchange).collect::<Result<_, LocaleError>>()?,
            faults: text.faults.into_iter().map(|fault| fault.parse(&path)).collect::<Result<_, _>>()?,
            exchanges: exchanges.collect::<Result<_, LocaleError>>()?,
        })
    }

    /// What a person of this style says of a topic, and what is said to it; absent where the pack knows nothing.
    pub fn exchange(&self, topic: Topic, style: &str, chance: &mut Chance) -> Option<(String, String)> {
        Self::said(chance.pick(self.exchanges.get(&topic)?)?, style, chance)
    }

    /// What is said between two things that are wanted; absent where the pack knows nothing.
    pub fn pause(&self, style: &str, chance: &mut Chance) -> Option<(String, String)> {
        Self::said(chance.pick(&self.pauses)?, style, chance)
    }

    /// What is said after what could not be done; absent where the pack knows nothing.
    pub fn resigned(&self, style: &str, chance: &mut Chance) -> Option<(String, String)> {
        Self::said(chance.pick(&self.resigned)?, style, chance)
    }

    /// How a person of this style takes something back.
    pub fn corrections(&self, style: &str) -> &[Pattern] {
        self.corrections.get(style).or_else(|| self.corrections.get(ANY)).map_or(&[][..], Vec::as_slice)
    }

    /// Whether words ask a question, as far as their first word tells.
    pub fn is_question(&self, text: &str) -> bool {
        let first = text.split(' ').next().unwrap_or_default().to_lowercase();
        let first = first.split(['\'', '’']).next().unwrap_or_default();
        self.asking.iter().any(|word| word == first)
    }

    fn said(exchange: &Exchange, style: &str, chance: &mut Chance) -> Option<(String, String)> {
        let says = exchange.says.get(style).or_else(|| exchange.says.get(ANY))?;
        let said = chance.pick(says)?.render(&mut Wordless, chance);
        let reply = chance.pick(&exchange.replies).map(|reply| reply.render(&mut Wordless, chance));
        Some((said, reply.unwrap_or_default()))
    }

    /// What an assistant says where no tool is wanted.
    pub fn replies(&self) -> impl Iterator<Item = &Pattern> {
        let exchanges = self.exchanges.values().flatten().chain(&self.pauses).chain(&self.resigned);
        exchanges.flat_map(|exchange| &exchange.replies).chain(&self.welcomes)
    }

    /// What is said of an error, by its code.
    pub fn fault(&self, code: u16) -> Option<&FaultPhrases> {
        self.faults.iter().find(|fault| fault.code == code)
    }

    /// Whether words begin as a conversation does.
    pub fn greets(&self, text: &str) -> bool {
        let first = text.split([' ', ',']).next().unwrap_or_default().to_lowercase();
        self.greetings.contains(&first)
    }

    /// Words of a person's view as an assistant says them: `my height` as `your height`.
    pub fn turned(&self, words: &str) -> String {
        let turn = |word: &str| self.turned.get(word).cloned().unwrap_or_else(|| word.to_owned());
        words.split(' ').map(turn).collect::<Vec<_>>().join(" ")
    }

    /// Words that go on behind others in the same turn.
    pub fn continued(&self, before: &str, after: &str) -> String {
        match before {
            "" => after.to_owned(),
            _ if is_ended(before) => format!("{before}{}{after}", if self.between.ends_with(' ') { " " } else { "" }),
            _ => format!("{before}{}{after}", self.between),
        }
    }

    /// A value as an assistant tells it: numbers with their thousands parted.
    pub fn shown(&self, value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => self.grouped(number),
            other => other.to_string(),
        }
    }

    fn grouped(&self, number: &Number) -> String {
        let text = number.to_string();
        let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
        let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
        if digits.len() < 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.strip_suffix(".0").unwrap_or(&text).to_owned();
        }
        let mut grouped = String::new();
        for (place, digit) in digits.chars().enumerate() {
            if place > 0 && (digits.len() - place) % 3 == 0 {
                grouped.push_str(&self.thousands);
            }
            grouped.push(digit);
        }
        let fraction = fraction.trim_end_matches('0');
        if fraction.is_empty() { format!("{sign}{grouped}") } else { format!("{sign}{grouped}.{fraction}") }
    }
}

/// For patterns without slots.
struct Wordless;

impl Fill for Wordless {
    fn has(&self, _slot: &str) -> bool {
        false
    }

    fn say(&mut self, _slot: &str, _particle: Option<&str>, _chance: &mut Chance) -> String {
        String::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_pack_that_chats_knows_all_topics() {
        for code in ["en", "ko", "zh", "ja"] {
            let phrases = ChatPhrases::load(crate::fixtures::assets(), code).unwrap();
            assert!(phrases.several.iter().all(|it| it.slots() == ["things"]) && phrases.several.len() >= 4, "{code}");
            for topic in [Topic::Thanks, Topic::Talk, Topic::Knowledge, Topic::Again] {
                let said = |draw| phrases.exchange(topic, "no such style", &mut Chance::new(1, "chat", "a", draw));
                let all: std::collections::BTreeSet<String> = (0..80).filter_map(said).map(|it| it.0).collect();
                assert!(all.len() >= 4, "{code} {topic:?}: {all:?}");
            }
        }
        assert!(ChatPhrases::load(crate::fixtures::assets(), "xx").unwrap().several.is_empty());
    }

    #[test]
    fn who_is_thanked_says_something() {
        let phrases = ChatPhrases::load(crate::fixtures::assets(), "en").unwrap();
        for topic in [Topic::Thanks, Topic::Talk, Topic::Knowledge] {
            let (said, reply) = phrases.exchange(topic, "plain", &mut Chance::of(&[b"x"])).unwrap();
            assert!(!said.is_empty() && !reply.is_empty() && said != reply, "{said} {reply}");
        }
    }

    #[test]
    fn an_answer_goes_on_behind_a_comma_or_a_stop() {
        let (english, chinese) = (
            ChatPhrases::load(crate::fixtures::assets(), "en").unwrap(),
            ChatPhrases::load(crate::fixtures::assets(), "zh").unwrap(),
        );
        assert_eq!(english.continued("", "Porto"), "Porto");
        assert_eq!(english.continued("Porto", "at noon"), "Porto, at noon");
        assert_eq!(english.continued("Porto.", "At noon"), "Porto. At noon");
        assert_eq!(
            (chinese.continued("上海", "中午"), chinese.continued("上海。", "中午")),
            ("上海，中午".to_owned(), "上海。中午".to_owned())
        );
    }

    #[test]
    fn what_is_mine_is_yours_to_an_assistant() {
        let phrases = ChatPhrases::load(crate::fixtures::assets(), "en").unwrap();
        assert_eq!(phrases.turned("my height"), "your height");
        assert_eq!(phrases.turned("the army"), "the army");
    }

    #[test]
    fn thousands_are_parted() {
        let phrases = ChatPhrases { thousands: ",".to_owned(), ..ChatPhrases::default() };
        for (number, shown) in [
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567", "-1,234,567"),
            ("1234.50", "1,234.5"),
            ("12.0", "12"),
            ("0.25", "0.25"),
            ("12345.0", "12,345"),
        ] {
            assert_eq!(phrases.shown(&Value::read(number).unwrap()), shown);
        }
        assert_eq!(phrases.shown(&Value::from("12345")), "12345");
    }
}
