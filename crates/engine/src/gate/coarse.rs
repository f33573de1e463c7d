//! Is a written request what a person could say: no names of functions, nothing that only the service can know?

use super::Fault;
use super::script::check_script;
use crate::locale::Language;

/// Digits from which a word of letters and digits is an identifier, and a number of digits alone.
const DIGITS: [usize; 2] = [4, 7];

/// Checks a request that was written for several functions, before anybody has made its calls.
pub fn check_coarse(text: &str, listed: &[String], functions: &[&str], language: &Language) -> Result<(), Fault> {
    if !text.chars().any(char::is_alphanumeric) {
        return Err(Fault::new("empty_query", "the request is empty"));
    }
    if listed.is_empty() {
        return Err(Fault::new("no_functions", "it names no function that it takes"));
    }
    if let Some(name) = listed.iter().find(|name| !functions.contains(&name.as_str())) {
        return Err(Fault::new("unknown_function", format!("`{name}` is none of the functions that were shown")));
    }
    if let Some(name) = functions.iter().find(|name| says_name(text, name)) {
        return Err(Fault::new("function_named", format!("the request says `{name}`, as no person would")));
    }
    if let Some(word) = identifier(text) {
        return Err(Fault::new("id_in_query", format!("the request says `{word}`, which only the service can know")));
    }
    check_script(text, language, None)
}

/// Whether a text says a function's name, whole or its last part; a name that is a plain word may stand anywhere.
fn says_name(text: &str, name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let is_plain = last.chars().skip(1).all(char::is_lowercase);
    let text = text.to_lowercase();
    !is_plain && text.split(|letter: char| !is_of_name(letter)).any(|word| word == last.to_lowercase())
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The first word that looks like an identifier.
fn identifier(text: &str) -> Option<&str> {
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(is_mark)).collect();
    let follows = |at: usize| words.iter().skip(at + 1).take(2).copied().find(|word| word.contains(is_digit));
    let named = |(at, word): (usize, &&str)| word.eq_ignore_ascii_case("id").then(|| follows(at)).flatten();
    let alone = words.iter().copied().find(|word| is_identifier(word));
    alone.or_else(|| words.iter().enumerate().find_map(named))
}

fn is_mark(letter: char) -> bool {
    !letter.is_alphanumeric()
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// Letters and many digits, a very long number, or marks that stand in no word: `AC1002`, `13482071`, `class::4`.
fn is_identifier(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().filter(char::is_ascii_alphabetic).count();
    let is_whole = word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let mixed = letters > 0 && digits >= DIGITS[0] && is_whole;
    let long = letters == 0 && digits >= DIGITS[1] && is_whole;
    mixed || long || word.contains("::") || (word.contains('_') && is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUNCTIONS: [&str; 3] = ["Search_Hotels", "bank.getCustomer", "view"];

    fn reason(text: &str) -> Option<&'static str> {
        let language = crate::fixtures::language("en");
        check_coarse(text, &["view".to_owned()], &FUNCTIONS, &language).err().map(|fault| fault.reason)
    }

    #[test]
    fn what_a_person_says_passes() {
        for text in [
            "We are 4 and need two rooms from November 14, 2024 until 2024-11-17, a 24-hour rental and a view",
            "Fly me there at 8am on the 3rd, a room for 2 adults under 150.50 EUR, call me at 555-0107",
            "My ID card is lost, what now?",
        ] {
            assert_eq!(reason(text), None, "{text}");
        }
    }

    #[test]
    fn names_of_functions_and_identifiers_do_not() {
        for (text, expected) in [
            ("Use Search_Hotels for Porto", "function_named"),
            ("then getcustomer for me", "function_named"),
            ("Show me hotel 13482071", "id_in_query"),
            ("The booking is TX48210033.", "id_in_query"),
            ("only class::4 hotels", "id_in_query"),
            ("the team with id 5", "id_in_query"),
            ("Team ID is 1, please", "id_in_query"),
            ("the one of dest_type city", "id_in_query"),
            (" ... ", "empty_query"),
            ("내일 호텔을 찾아 줘", "wrong_script"),
        ] {
            assert_eq!(reason(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn the_functions_are_those_that_were_shown() {
        let language = crate::fixtures::language("en");
        let checked = |listed: &[&str]| {
            let listed: Vec<String> = listed.iter().map(|name| (*name).to_owned()).collect();
            check_coarse("a room in Porto", &listed, &FUNCTIONS, &language).err().map(|fault| fault.reason)
        };
        assert_eq!(checked(&["view", "Search_Hotels"]), None);
        assert_eq!((checked(&[]), checked(&["view", "Fly"])), (Some("no_functions"), Some("unknown_function")));
    }
}
