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
    fn the_share_can_be_given() {
        let checked = |least: f64| {
            check_script("book 서울 now", &Language::load(crate::fixtures::assets(), "en").unwrap(), Some(least))
        };
        assert!(checked(0.5).is_ok());
        assert_eq!(checked(0.6).unwrap_err().detail, "only 50 % of the letters are English");
    }
}
