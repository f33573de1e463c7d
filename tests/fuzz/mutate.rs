//! Changes to inputs: small ones that keep most of the form, and large ones that test bounds.

use super::chance::Chance;
use super::odd::{LETTERS, NESTS, NUMBERS};
use std::ops::Range;

/// No input is longer.
pub(crate) const LONGEST: usize = 64 << 10;

/// What changes draw from.
pub(crate) struct Pantry<'a> {
    /// Words of the target's own language.
    pub(crate) words: &'a [&'a str],
    /// Inputs that can be spliced in.
    pub(crate) others: &'a [Vec<u8>],
}

/// An input with a few changes.
pub(crate) fn mutate(input: &mut Vec<u8>, pantry: &Pantry<'_>, chance: &mut Chance) {
    for _ in 0..=chance.few(6) {
        change(input, pantry, chance);
        input.truncate(LONGEST);
    }
}

fn change(input: &mut Vec<u8>, pantry: &Pantry<'_>, chance: &mut Chance) {
    match chance.below(20) {
        0 => flip(input, chance),
        1 => put(input, &[chance.bits().to_le_bytes()[0]], chance),
        2 | 3 => drop(input.drain(span(input, chance))),
        4 => input.truncate(chance.below(input.len() + 1)),
        5 | 6 => repeat_span(input, chance),
        7 | 8 => splice(input, pantry, chance),
        9 | 10 => put(input, chance.pick(pantry.words).as_bytes(), chance),
        11 => put(input, chance.pick(LETTERS).as_bytes(), chance),
        12 | 13 => change_number(input, chance),
        14 | 15 => swap_tokens(input, chance),
        16 => replace_token(input, pantry, chance),
        17 => repeat_line(input, chance),
        18 => nest(input, chance),
        _ => change_case(input, chance),
    }
}

/// A place to put something.
fn place(input: &[u8], chance: &mut Chance) -> usize {
    chance.below(input.len() + 1)
}

fn span(input: &[u8], chance: &mut Chance) -> Range<usize> {
    let start = place(input, chance);
    start..start + chance.few((input.len() - start).min(64)).min(input.len() - start)
}

fn put(input: &mut Vec<u8>, piece: &[u8], chance: &mut Chance) {
    let at = place(input, chance);
    input.splice(at..at, piece.iter().copied());
}

fn flip(input: &mut [u8], chance: &mut Chance) {
    let at = chance.below(input.len());
    if let Some(byte) = input.get_mut(at) {
        *byte ^= 1 << chance.below(8);
    }
}

fn repeat_span(input: &mut Vec<u8>, chance: &mut Chance) {
    let piece = input[span(input, chance)].repeat(1 + chance.few(40));
    if piece.len() <= LONGEST {
        put(input, &piece, chance);
    }
}

fn splice(input: &mut Vec<u8>, pantry: &Pantry<'_>, chance: &mut Chance) {
    if pantry.others.is_empty() {
        return;
    }
    let other = &pantry.others[chance.below(pantry.others.len())];
    let from = place(other, chance);
    let length = chance.below((other.len() - from).min(400) + 1);
    let at = place(input, chance);
    let end = if chance.once_in(2) { at } else { input.len().min(at + chance.few(200)) };
    input.splice(at..end, other[from..from + length].iter().copied());
}

/// The stretch of bytes of one kind around a place: a word, a number, a run of spaces, one sign.
fn token(input: &[u8], at: usize) -> Range<usize> {
    let kind = |byte: u8| match byte {
        b'0'..=b'9' | b'.' | b'-' | b'+' => 0,
        b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80.. => 1,
        b' ' | b'\t' | b'\n' | b'\r' => 2,
        _ => 3,
    };
    let Some(own) = input.get(at).map(|byte| kind(*byte)) else { return at..at };
    if own == 3 {
        return at..at + 1;
    }
    let start = (0..at).rev().take_while(|place| kind(input[*place]) == own).last().unwrap_or(at);
    let end = (at..input.len()).find(|place| kind(input[*place]) != own).unwrap_or(input.len());
    start..end
}

fn any_token(input: &[u8], chance: &mut Chance) -> Range<usize> {
    token(input, chance.below(input.len()))
}

fn change_number(input: &mut Vec<u8>, chance: &mut Chance) {
    let from = place(input, chance);
    let found = (from..input.len()).find(|at| input[*at].is_ascii_digit());
    let place = found.map_or(from..from, |at| token(input, at));
    input.splice(place, chance.pick(NUMBERS).bytes());
}

fn swap_tokens(input: &mut Vec<u8>, chance: &mut Chance) {
    let (one, two) = (any_token(input, chance), any_token(input, chance));
    let (one, two) = if one.start <= two.start { (one, two) } else { (two, one) };
    if one.end <= two.start {
        let (first, second) = (input[one.clone()].to_vec(), input[two.clone()].to_vec());
        input.splice(two, first);
        input.splice(one, second);
    }
}

fn replace_token(input: &mut Vec<u8>, pantry: &Pantry<'_>, chance: &mut Chance) {
    let place = any_token(input, chance);
    input.splice(place, chance.pick(pantry.words).bytes());
}

/// A line, or a field up to its comma, once more: repeated keys.
fn repeat_line(input: &mut Vec<u8>, chance: &mut Chance) {
    let ends = |byte: &u8| matches!(byte, b'\n' | b',');
    let at = place(input, chance);
    let start = input[..at].iter().rposition(ends).map_or(0, |end| end + 1);
    let end = input[at..].iter().position(ends).map_or(input.len(), |end| at + end + 1);
    let line = input[start..end].to_vec();
    let at = if chance.once_in(2) { end } else { place(input, chance) };
    input.splice(at..at, line);
}

/// Brackets around a part, seldom very many.
fn nest(input: &mut Vec<u8>, chance: &mut Chance) {
    let (open, close) = chance.pick(NESTS);
    let most = if chance.once_in(50) { 8_000 } else { 12 };
    let depth = 1 + chance.few(most);
    let place = span(input, chance);
    let closings = if chance.once_in(4) { chance.below(depth + 1) } else { depth };
    let end = place.end;
    input.splice(end..end, close.repeat(closings).into_bytes());
    input.splice(place.start..place.start, open.repeat(depth).into_bytes());
}

fn change_case(input: &mut [u8], chance: &mut Chance) {
    let place = any_token(input, chance);
    for byte in &mut input[place] {
        *byte = if byte.is_ascii_lowercase() { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_changes_in_the_same_way_and_within_bounds() {
        let others = [b"[1, 2]".to_vec()];
        let pantry = Pantry { words: &["null"], others: &others };
        let changed = |number| {
            let mut input = br#"{"a": 1, "b": [true]}"#.to_vec();
            mutate(&mut input, &pantry, &mut Chance::of("x", number));
            input
        };
        let distinct: std::collections::BTreeSet<Vec<u8>> = (0..500).map(changed).collect();
        assert!(distinct.len() > 400, "{}", distinct.len());
        assert!((0..500).all(|number| changed(number) == changed(number) && changed(number).len() <= LONGEST));
    }

    #[test]
    fn an_empty_input_grows() {
        let pantry = Pantry { words: &["null"], others: &[] };
        let mut input = Vec::new();
        (0..200).for_each(|number| mutate(&mut input, &pantry, &mut Chance::of("y", number)));
        assert_eq!(token(b"ab 12", 0), 0..2);
        assert_eq!(token(b"ab 12", 4), 3..5);
        assert_eq!(token(b"", 0), 0..0);
    }
}
