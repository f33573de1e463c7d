//! Is the text in the locale's script?

use super::Fault;
use crate::locale::{Language, Script, script_share};

/// Checks that at least `least` of the letters (0 to 1; the locale's own share where absent) are of the locale's script.
/// A text without letters passes; units behind figures (`4.1kg`) are none.
pub fn check_script(text: &str, language: &Language, least: Option<f64>) -> Result<(), Fault> {
    let least = least.unwrap_or(language.script.least_share);
    let text = without_units(text);
    let shares = language.script.letters.iter().filter_map(|script: &Script| script_share(&text, *script));
    let Some(share) = shares.reduce(|sum, share| sum + share) else { return Ok(()) };
    if share >= least {
        return Ok(());
    }
    let detail = format!("only {:.0} % of the letters are {}", share * 100.0, language.name);
    Err(Fault::new("wrong_script", detail))
}

/// The same of what a text says besides its values, which may be names in any script; a few letters more are no sentence.
pub fn check_script_besides(text: &str, values: &[String], language: &Language) -> Result<(), Fault> {
    let rest = values.iter().fold(text.to_owned(), |rest, words| rest.replace(words.as_str(), " "));
    let is_sentence = rest.chars().filter(|letter| letter.is_alphabetic()).count() >= SENTENCE;
    check_script(text, language, None)?;
    if is_sentence { check_script(&rest, language, None) } else { Ok(()) }
}

/// So many letters are more than a unit or a name.
const SENTENCE: usize = 10;

/// The text without units: up to three Latin letters right behind a digit.
fn without_units(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let run = rest.len() - rest.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).len();
        let is_unit = (1..=3).contains(&run) && kept.ends_with(|before: char| before.is_ascii_digit());
        let taken = if run > 0 { run } else { letter.len_utf8() };
        let (part, behind) = rest.split_at(taken);
        kept.push_str(if is_unit { "" } else { part });
        rest = behind;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(text: &str, locale: &str) -> Option<&'static str> {
        check_script(text, &Language::load(crate::fixtures::assets(), locale).unwrap(), None)
            .err()
            .map(|fault| fault.reason)
    }

    #[test]
    fn a_text_in_another_script_is_rejected() {
        assert_eq!(reason("wake me at six", "en"), None);
        assert_eq!(reason("내일 아침에 깨워 줘", "en"), Some("wrong_script"));
        assert_eq!(reason("내일 KTX 예매해 줘", "ko"), None);
        assert_eq!(reason("wake me at six", "zh"), Some("wrong_script"));
        assert_eq!(reason("555-0123", "ko"), None);
        assert_eq!(reason("4.1kg", "ko"), None);
        assert_eq!(reason("4 parcels", "ko"), Some("wrong_script"));
    }

    #[test]
    fn values_in_the_locales_script_do_not_make_a_text_of_it() {
        let korean = crate::fixtures::language("ko");
        let checked = |text: &str| check_script_besides(text, &["과일 바구니 세트".to_owned()], &korean);
        assert!(checked("Please send a 과일 바구니 세트 as a gift").is_err());
        assert!(checked("과일 바구니 세트 보내 줘").is_ok());
        assert!(checked("과일 바구니 세트 OK").is_ok());
    }

    #[test]
    fn the_share_can_be_given() {
        let checked = |least: f64| {
            check_script("book 서울 now", &Language::load(crate::fixtures::assets(), "en").unwrap(), Some(least))
        };
        assert!(checked(0.5).is_ok());
        assert_eq!(checked(0.6).unwrap_err().detail, "only 50 % of the letters are English");
    }
}
