//! Sealed texts: opaque tokens of a given length that hold what a later call needs.
//!
//! Nothing is remembered: whoever brings a token back byte for byte brings its content back, in any session of the world.

use fcgen_core::record::{Chance, Object, Value};

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Bytes of the check, which also keys all that follows.
const CHECK: usize = 8;

/// Bytes of the length of the content.
const SIZE: usize = 3;

/// A text of `length` letters that holds `content`; longer where the content does not fit.
pub(super) fn seal(seed: u64, mark: &str, length: usize, content: &Object) -> String {
    let plain = Value::Object(content.clone()).to_string();
    let bytes = (length * 6 / 8).max(CHECK + SIZE + plain.len());
    let check = check(seed, mark, plain.as_bytes());
    let mut hidden = Vec::with_capacity(bytes);
    hidden.extend(u32::try_from(plain.len()).unwrap_or(u32::MAX).to_le_bytes().into_iter().take(SIZE));
    hidden.extend(plain.as_bytes());
    hidden.resize(bytes - CHECK, 0);
    let mut stream = stream(seed, mark, &check);
    let mut sealed = check.to_vec();
    sealed.extend(hidden.into_iter().map(|byte| byte ^ next(&mut stream)));
    let mut text = written(&sealed);
    // A length that no whole number of bytes makes is filled up.
    let filler = LETTERS.get(usize::from(next(&mut stream) % 64)).copied().unwrap_or(b'A');
    while text.len() < length {
        text.push(char::from(filler));
    }
    text
}

/// What a text holds; `None` where it was not sealed under this mark in this world, or is changed anyhow.
pub(super) fn open(seed: u64, mark: &str, text: &str) -> Option<Object> {
    let sealed = read(text)?;
    let (check, hidden) = sealed.split_at_checked(CHECK)?;
    let mut stream = stream(seed, mark, check);
    let plain: Vec<u8> = hidden.iter().map(|byte| byte ^ next(&mut stream)).collect();
    let (size, rest) = plain.split_at_checked(SIZE)?;
    let size = size.iter().rev().fold(0_usize, |size, byte| size * 256 + usize::from(*byte));
    let content = std::str::from_utf8(rest.get(..size)?).ok()?;
    let object = Value::read(content).ok()?.as_object().cloned()?;
    // Sealing it again tells whether a single letter is another.
    (seal(seed, mark, text.len(), &object) == text).then_some(object)
}

fn check(seed: u64, mark: &str, plain: &[u8]) -> [u8; CHECK] {
    Chance::of(&[b"check", &seed.to_le_bytes(), mark.as_bytes(), plain]).bits().to_le_bytes()
}

fn stream(seed: u64, mark: &str, check: &[u8]) -> Chance {
    Chance::of(&[b"stream", &seed.to_le_bytes(), mark.as_bytes(), check])
}

fn next(stream: &mut Chance) -> u8 {
    u8::try_from(stream.below(256)).unwrap_or_default()
}

/// An opaque text that holds nothing.
pub(super) fn blank(chance: &mut Chance, length: usize) -> String {
    (0..length).map(|_| char::from(LETTERS.get(chance.below(64)).copied().unwrap_or(b'A'))).collect()
}

/// Three bytes in four letters.
fn written(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 4 / 3 + 4);
    for group in bytes.chunks(3) {
        let number = group.iter().fold(0_u32, |number, byte| number << 8 | u32::from(*byte)) << (8 * (3 - group.len()));
        for at in 0..=group.len() {
            let letter = number >> (18 - 6 * at) & 63;
            text.push(char::from(LETTERS.get(letter as usize).copied().unwrap_or(b'A')));
        }
    }
    text
}

fn read(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    for group in text.as_bytes().chunks(4) {
        let mut number = 0_u32;
        for letter in group {
            let value = LETTERS.iter().position(|known| known == letter)?;
            number = number << 6 | u32::try_from(value).ok()?;
        }
        number <<= 6 * (4 - group.len());
        let whole = number.to_be_bytes();
        bytes.extend(whole.get(1..group.len()).unwrap_or_default());
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn content(name: &str, number: i64) -> Object {
        Object::from([("name".to_owned(), name.into()), ("number".to_owned(), number.into())])
    }

    #[test]
    fn a_token_has_its_length_and_nothing_to_read() {
        let token = seal(7, "offer", 600, &content("Inn", 3));
        assert_eq!(token.len(), 600);
        assert!(token.bytes().all(|byte| LETTERS.contains(&byte)));
        let other = seal(7, "offer", 600, &content("Inn", 4));
        let same = token.bytes().zip(other.bytes()).filter(|(one, two)| one == two).count();
        assert!(same < 40, "{same} letters of 600 are the same");
    }

    #[test]
    fn a_token_opens_under_its_mark_and_in_its_world_alone() {
        let token = seal(7, "offer", 90, &content("Inn", 3));
        assert_eq!(open(7, "offer", &token), Some(content("Inn", 3)));
        assert!(open(8, "offer", &token).is_none() && open(7, "room", &token).is_none());
        assert!(
            open(7, "offer", "").is_none()
                && open(7, "offer", "short").is_none()
                && open(7, "offer", "\u{ac00}?").is_none()
        );
    }

    proptest! {
        #[test]
        fn whatever_is_sealed_comes_back_and_no_letter_may_change(
            name in ".{0,60}", number in any::<i64>(), length in 0_usize..300, at in any::<prop::sample::Index>(), by in 1_usize..64,
        ) {
            let token = seal(1, "m", length, &content(&name, number));
            prop_assert!(token.len() >= length);
            prop_assert_eq!(open(1, "m", &token), Some(content(&name, number)));
            let mut letters: Vec<u8> = token.clone().into_bytes();
            let at = at.index(letters.len());
            let value = LETTERS.iter().position(|it| *it == letters[at]).unwrap();
            letters[at] = LETTERS[(value + by) % 64];
            prop_assert_eq!(open(1, "m", &String::from_utf8(letters).unwrap()), None);
            prop_assert_eq!(open(1, "m", token.get(1..).unwrap()), None);
        }

        #[test]
        fn any_text_can_be_tried(text in ".{0,200}") {
            prop_assert!(open(1, "m", &text).is_none());
        }
    }

    #[test]
    fn what_does_not_fit_makes_a_token_longer_and_a_length_is_kept_otherwise() {
        for length in 0..120 {
            let token = seal(3, "m", length, &content("", 1));
            assert_eq!(token.len(), length.max(token.len()), "{length}");
            assert!(length < 60 || token.len() == length, "{length}: {}", token.len());
            assert_eq!(open(3, "m", &token), Some(content("", 1)), "{length}");
        }
        assert!(open(3, "m", &blank(&mut Chance::of(&[b"x"]), 120)).is_none());
    }
}
