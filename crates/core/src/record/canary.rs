//! A string that stands in benchmark data and nowhere else, so that whoever finds it in training data knows where that came from.

use super::seed::Chance;

/// What every canary of ours begins with.
pub const CANARY: &str = "fcgen-canary-";

/// How many letters follow: a version 4 identifier with its dashes.
const LENGTH: usize = 36;

/// The canary of what some words name: always the same one for the same words.
pub fn canary(words: &[&str]) -> String {
    let bytes: Vec<&[u8]> = [CANARY].iter().chain(words).map(|word| word.as_bytes()).collect();
    let mut chance = Chance::of(&bytes);
    let (high, low) = (chance.bits(), chance.bits());
    let (one, two, three) = (high >> 32, (high >> 16) & 0xffff, high & 0xfff);
    let (four, five) = (low >> 48 & 0x3fff | 0x8000, low & 0xffff_ffff_ffff);
    format!("{CANARY}{one:08x}-{two:04x}-4{three:03x}-{four:04x}-{five:012x}")
}

/// Every canary that stands in a text.
pub fn canaries(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(CANARY).filter_map(move |(at, _)| {
        let found = text.get(at..at + CANARY.len() + LENGTH)?;
        let is_fit = |letter: char| letter.is_ascii_hexdigit() || letter == '-';
        found.get(CANARY.len()..)?.chars().all(is_fit).then_some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_words_have_the_same_canary_and_others_another() {
        let one = canary(&["hammer", "7", "en"]);
        assert_eq!(one, canary(&["hammer", "7", "en"]));
        assert_ne!(one, canary(&["hammer", "8", "en"]));
        assert_eq!((one.len(), one.as_bytes()[CANARY.len() + 14]), (CANARY.len() + LENGTH, b'4'));
        assert!(matches!(one.as_bytes()[CANARY.len() + 19], b'8' | b'9' | b'a' | b'b'));
    }

    #[test]
    fn it_is_found_in_whatever_stands_around_it() {
        let (one, two) = (canary(&["a"]), canary(&["b"]));
        let text = format!("{{\"x\": \"{one}\"}} é {two}, {CANARY}and so on, {CANARY}");
        assert_eq!(canaries(&text).collect::<Vec<_>>(), [one, two]);
        assert_eq!(canaries("nothing").count(), 0);
    }
}
