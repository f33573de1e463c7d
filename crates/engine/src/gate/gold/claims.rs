//! False claims of a closing answer: figures, codes, names and quotations that no answer, argument or request has, and
//! figures of another item than the one that is named beside them.

use super::closing::{Leaf, item_leaves, lists, top_leaves};
use super::{Fault, Gold, GoldCall};
use crate::gate::told::{figures, figures_of};
use crate::locale::numbers_in;
use crate::record::{Number, Object};

/// The pairs of quotation marks that texts are put in.
const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('「', '」'), ('『', '』'), ('«', '»')];

impl Gold<'_> {
    pub(super) fn claims(&self, calls: &[GoldCall<'_>]) -> Vec<Fault> {
        let known = Known::new(self, calls);
        let invented = known.invented(self.answer);
        let claim = |what: String| {
            Fault::new(
                "false_claim",
                format!("the closing answer says `{what}`, which no answer, argument or request has"),
            )
        };
        let mixed = sentences(self.answer).into_iter().filter_map(|sentence| mixed_up(calls, sentence));
        invented.into_iter().map(claim).chain(mixed).collect()
    }
}

/// Everything that a closing answer may say.
struct Known {
    numbers: Vec<Number>,
    /// All texts in lower case, one after the other.
    texts: String,
}

impl Known {
    fn new(gold: &Gold<'_>, calls: &[GoldCall<'_>]) -> Self {
        let mut numbers: Vec<Number> = numbers_in(gold.request, gold.language).into_iter().map(|it| it.value).collect();
        numbers.extend(figures(gold.request));
        let mut texts = gold.request.to_lowercase();
        for call in calls {
            figures_of(call.answer, &mut numbers);
            call.call.arguments.values().for_each(|value| figures_of(value, &mut numbers));
            for value in call.call.arguments.values().chain([call.answer]) {
                texts.push('\n');
                texts.push_str(&value.to_string().to_lowercase());
            }
            numbers.extend(gold.tallied(call));
            numbers.extend(lists(call.answer).iter().filter_map(|list| Number::parse(&list.len().to_string())));
        }
        for tool in gold.tools {
            texts.push('\n');
            texts.push_str(&format!("{} {}", tool.name, tool.description).to_lowercase());
        }
        Self { numbers, texts }
    }

    fn has(&self, number: &Number) -> bool {
        self.numbers.iter().any(|it| it.equals(number))
    }

    /// What nobody said and no call answered.
    fn invented(&self, answer: &str) -> Vec<String> {
        let told = figures(answer);
        let is_known = |figure: &&Number| {
            self.has(figure) || is_ordinal(answer, figure) || self.is_hour(figure) || self.follows(&told, figure)
        };
        let figures = told.iter().filter(|it| !is_known(it)).map(ToString::to_string);
        let texts = codes(answer).into_iter().chain(quoted(answer)).chain(names(answer));
        let texts = texts.filter(|text| !self.texts.contains(&text.to_lowercase())).map(str::to_owned);
        figures.chain(texts).collect()
    }

    /// An hour of the afternoon, told by a clock of twelve hours.
    fn is_hour(&self, figure: &Number) -> bool {
        let hour = figure.to_string().parse::<u32>().ok().filter(|hour| (1..12).contains(hour));
        hour.is_some_and(|hour| self.texts.contains(&format!("{}:", hour + 12)))
    }

    /// The difference or the sum of two other figures that are told and known.
    fn follows(&self, told: &[Number], figure: &Number) -> bool {
        let known: Vec<f64> = told.iter().filter(|it| self.has(it)).map(Number::as_f64).collect();
        let own = figure.as_f64();
        let is_own = |value: f64| (value.abs() - own.abs()).abs() < 0.005;
        known
            .iter()
            .enumerate()
            .any(|(at, one)| known.iter().skip(at + 1).any(|it| is_own(one - it) || is_own(one + it)))
    }
}

/// A figure that belongs to another item than the only one of its list that the sentence names.
fn mixed_up(calls: &[GoldCall<'_>], sentence: &str) -> Option<Fault> {
    let told: Vec<Number> = figures(sentence).into_iter().filter(is_long).collect();
    let all = calls.iter().flat_map(|call| lists(call.answer).into_iter().map(move |list| (call, list)));
    for (call, list) in all.filter(|(_, list)| list.len() > 1 && !told.is_empty()) {
        let mut named = list.iter().filter(|item| is_named(item, &list, sentence));
        let (Some(item), None) = (named.next(), named.next()) else { continue };
        let own = |figure: &Number| has(&item_leaves(item), figure) || has(&top_leaves(call.answer), figure);
        let elsewhere = |figure: &Number| {
            calls.iter().any(|other| {
                let given = other.call.arguments.values().any(|value| has(&[Leaf { name: "", value }], figure));
                let is_other = !std::ptr::eq(other, call);
                given || is_other && has(&super::closing::leaves("", other.answer), figure)
            })
        };
        let of_another = |figure: &&Number| list.iter().any(|it| has(&item_leaves(it), figure));
        let wrong = told.iter().filter(|it| !own(it) && !elsewhere(it)).find(of_another);
        if let Some(figure) = wrong {
            let detail =
                format!("the closing answer says `{figure}` of another item of `{}`: {sentence}", call.call.name);
            return Some(Fault::new("false_claim", detail));
        }
    }
    None
}

/// Whether a number has so many digits that it is told from others.
fn is_long(number: &Number) -> bool {
    number.to_string().chars().filter(char::is_ascii_digit).count() >= 3
}

fn has(leaves: &[Leaf<'_>], figure: &Number) -> bool {
    let mut numbers = Vec::new();
    for leaf in leaves {
        figures_of(leaf.value, &mut numbers);
    }
    numbers.iter().any(|it| it.equals(figure))
}

/// Whether a sentence names one item of a list and no other: by a text that no other item has in the same field, where it
/// has the text of no other item there.
fn is_named(item: &Object, list: &[&Object], sentence: &str) -> bool {
    let others: Vec<Vec<Leaf<'_>>> =
        list.iter().filter(|other| !std::ptr::eq(**other, item)).map(|other| item_leaves(other)).collect();
    let is_said = |leaf: &Leaf<'_>| {
        let text = leaf.value.as_str().unwrap_or_default();
        // A syllable of Korean says as much as two or three letters.
        let least = if text.is_ascii() { 4 } else { 2 };
        text.chars().filter(|letter| letter.is_alphabetic()).count() >= least && sentence.contains(text)
    };
    let is_alone = |own: &Leaf<'_>| {
        let there = |leaf: &&Leaf<'_>| leaf.name == own.name;
        !others.iter().flatten().filter(there).any(|leaf| leaf.value == own.value || is_said(leaf))
    };
    item_leaves(item).iter().filter(|leaf| is_said(leaf)).any(is_alone)
}

/// Sentences end with a mark that a blank or nothing follows, with a wide mark, or with a line.
fn sentences(text: &str) -> Vec<&str> {
    let mut rest = text;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let ends = rest.char_indices().find(|(at, letter)| {
            let after = rest.get(at + letter.len_utf8()..).and_then(|it| it.chars().next());
            "\n。！？".contains(*letter) || (".!?".contains(*letter) && after.is_none_or(char::is_whitespace))
        });
        let end = ends.map_or(rest.len(), |(at, letter)| at + letter.len_utf8());
        let (sentence, others) = rest.split_at_checked(end).unwrap_or((rest, ""));
        found.push(sentence.trim());
        rest = others;
    }
    found.retain(|sentence| !sentence.is_empty());
    found
}

/// A number that only counts the lines of a list: `2. ` or `2) `.
fn is_ordinal(answer: &str, figure: &Number) -> bool {
    let figure = figure.to_string();
    answer.lines().any(|line| {
        let line = line.trim_start_matches(|letter: char| !letter.is_alphanumeric());
        let rest = line.strip_prefix(&figure).and_then(|rest| rest.strip_prefix([')', '.']));
        rest.is_some_and(|rest| !rest.starts_with(char::is_numeric))
    })
}

/// Words with capitals and two or more digits: numbers of flights and bookings.
fn codes(answer: &str) -> Vec<&str> {
    let words =
        answer.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').map(|it| it.trim_matches('-'));
    let is_code = |word: &&str| {
        let count = |fits: fn(&char) -> bool| word.chars().filter(fits).count();
        word.len() >= 4 && count(char::is_ascii_digit) >= 2 && count(char::is_ascii_uppercase) >= 1
    };
    words.filter(is_code).collect()
}

/// Texts in quotation marks, where they are words.
fn quoted(answer: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for (open, close) in QUOTES {
        let mut rest = answer;
        while let Some((_, after)) = rest.split_once(open) {
            let Some((inner, others)) = after.split_once(close) else { break };
            found.push(inner.trim().trim_end_matches(['.', ',', '!', '?']));
            rest = others;
        }
    }
    found.retain(|text| text.chars().filter(|letter| letter.is_alphanumeric()).count() >= 3);
    found
}

/// Names of two and more words with capitals, but for the first word of a sentence.
fn names(answer: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for sentence in sentences(answer) {
        let start = sentence.find(char::is_whitespace).unwrap_or(sentence.len());
        let rest = sentence.get(start..).unwrap_or_default();
        for part in rest.split(|letter: char| !letter.is_alphanumeric() && !"-'’ ".contains(letter)) {
            found.extend(runs(part));
        }
    }
    found
}

/// Words with capitals that stand in a row.
fn runs(part: &str) -> Vec<&str> {
    let (mut found, mut first, mut end, mut count) = (Vec::new(), None, 0, 0);
    let mut at = 0;
    for word in part.split(' ').chain([""]) {
        // A number of a flight is no name, and is looked for by itself.
        let is_capital = word.chars().next().is_some_and(char::is_uppercase) && !word.contains(char::is_numeric);
        if is_capital {
            first.get_or_insert(at);
            (end, count) = (at + word.len(), count + 1);
        } else {
            let run = first.take().and_then(|first: usize| part.get(first..end)).filter(|_| count > 1);
            found.extend(run);
            count = 0;
        }
        at += word.len() + 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Query, reasons};
    use super::*;
    use crate::record::Value;
    use crate::toolset::{Fold, Tally};

    fn of(answer: &str) -> Vec<&'static str> {
        let mut query = Query::inns();
        query.answer = answer.to_owned();
        reasons(&query)
    }

    #[test]
    fn figures_names_codes_and_quotations_come_from_somewhere() {
        assert_eq!(of("The best inn is The Red Fox at 240.5, with 4 stars."), [""; 0]);
        for answer in [
            "The best inn is The Red Fox at 241.5.",
            "The Red Fox is cheaper than the famous Purple Dragon Lodge.",
            "The Red Fox is booked as BK9913.",
            "The Red Fox is called \"the quietest of all\".",
        ] {
            assert_eq!(of(answer), ["false_claim"], "{answer}");
        }
    }

    #[test]
    fn figures_of_one_item_are_not_told_of_another() {
        assert_eq!(of("The Red Fox costs 199.9 for the stay."), ["false_claim"]);
        assert_eq!(of("The Red Fox costs 240.5 and The Old Owl 199.9."), [""; 0]);
    }

    #[test]
    fn a_list_that_is_told_in_full_mixes_nothing_up() {
        let mut query = Query::inns();
        query.details(r#"{"rooms": [{"kind": "single room", "price": 637.44}, {"kind": "single room", "price": 738.76}, {"kind": "double room", "price": 772.52}]}"#);
        query.answer =
            "The rooms are single room, single room and double room, at 637.44, 738.76 and 772.52.".to_owned();
        assert_eq!(reasons(&query), [""; 0]);
        query.details(r#"{"rooms": [{"kind": "싱글룸", "price": 637.44}, {"kind": "더블룸", "price": 772.52}, {"kind": "스튜디오", "price": 803.1}]}"#);
        query.answer.push_str(" 객실은 싱글룸, 더블룸, 그리고 스튜디오이고, 637.44, 772.52, 803.1입니다.");
        assert_eq!(reasons(&query), [""; 0]);
        query.steps.pop();
        query.answer = "The double room costs 637.44.".to_owned();
        assert_eq!(reasons(&query), ["false_claim"]);
    }

    #[test]
    fn what_a_list_comes_to_may_be_told_and_answers_its_search() {
        let mut query = Query::inns();
        let mean = Tally { item: "/data/inns/0".to_owned(), by: Fold::Mean("/total".to_owned()) };
        query.answer = "On average, they cost 220.20.".to_owned();
        assert_eq!(reasons(&query), ["unanswered_goal", "false_claim"], "nothing says that it can be told");
        query.tallies.insert("Search_Inns".to_owned(), vec![mean]);
        assert_eq!(reasons(&query), [""; 0]);
        query.answer = "On average, they cost 219.20.".to_owned();
        assert_eq!(reasons(&query), ["unanswered_goal", "false_claim"]);
    }

    #[test]
    fn what_follows_from_what_is_told_is_no_invention() {
        assert_eq!(of("1. The Red Fox: 240.5\n2. The Old Owl: 199.9\nThat is 40.6 less."), [""; 0]);
        assert_eq!(of("I found 2 inns; The Red Fox opens at 2:45 pm."), [""; 0]);
    }

    #[test]
    fn texts_are_taken_apart() {
        assert_eq!(sentences("A 1.5. B! C"), ["A 1.5.", "B!", "C"]);
        assert_eq!(sentences("查到了。价格1.5。好"), ["查到了。", "价格1.5。", "好"]);
        assert_eq!(
            names("We saw The Red Fox and Owl, then Old Mill. Blue Sky Inn is far."),
            ["The Red Fox", "Old Mill", "Sky Inn"]
        );
        assert_eq!(codes("QA2140, 3rd, A-4, BK-77 and 2024-11-05"), ["QA2140", "BK-77"]);
        assert_eq!(quoted("“Great.” and 'x' and \"a\""), ["Great"]);
        assert!(runs("").is_empty() && sentences("").is_empty());
        let item = Value::read(r#"{"name": "The Red Fox"}"#).unwrap();
        let item = item.as_object().unwrap();
        assert!(is_named(item, &[item], "The Red Fox it is") && !is_named(item, &[item], "a fox"));
    }
}
