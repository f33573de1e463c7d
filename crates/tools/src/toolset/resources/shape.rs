//! Shapes of identifiers: `#` is a digit, `@` a capital letter, all else stands as it is.

use fcgen_core::record::Chance;
use std::fmt;

/// Letters that are not taken for digits.
const LETTERS: [char; 24] = [
    'A', 'B', 'C', 'D', 'E', 'F', 'G', 'H', 'J', 'K', 'L', 'M', 'N', 'P', 'Q', 'R', 'S', 'T', 'U', 'V', 'W', 'X', 'Y',
    'Z',
];

/// The shape of a resource's identifiers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape(String);

impl Shape {
    /// A shape as it is written.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The letters before the first that is drawn.
    pub fn prefix(&self) -> &str {
        self.0.split(['#', '@']).next().unwrap_or_default()
    }

    /// One identifier. The first digit is never 0, which people leave out.
    pub fn draw(&self, chance: &mut Chance) -> String {
        let mut first = true;
        let mut digit = |chance: &mut Chance| {
            let least = usize::from(std::mem::take(&mut first));
            u32::try_from(least + chance.below(10 - least)).ok().and_then(|it| char::from_digit(it, 10)).unwrap_or('1')
        };
        let mut letter = |pattern: char, chance: &mut Chance| match pattern {
            '#' => digit(chance),
            '@' => chance.pick(&LETTERS).copied().unwrap_or('A'),
            other => other,
        };
        self.0.chars().map(|pattern| letter(pattern, chance)).collect()
    }

    /// Whether a text has this shape.
    pub fn fits(&self, text: &str) -> bool {
        let fits = |(pattern, letter): (char, char)| match pattern {
            '#' => letter.is_ascii_digit(),
            '@' => letter.is_ascii_uppercase(),
            other => other == letter,
        };
        self.0.chars().count() == text.chars().count() && self.0.chars().zip(text.chars()).all(fits)
    }

    /// Whether some text has both shapes.
    pub fn meets(&self, other: &Self) -> bool {
        let meets = |(one, two): (char, char)| match (one, two) {
            ('#', letter) | (letter, '#') => letter == '#' || letter.is_ascii_digit(),
            ('@', letter) | (letter, '@') => letter == '@' || letter.is_ascii_uppercase(),
            _ => one == two,
        };
        self.0.chars().count() == other.0.chars().count() && self.0.chars().zip(other.0.chars()).all(meets)
    }

    /// How many identifiers it can draw.
    pub fn capacity(&self) -> usize {
        let choices = |(at, letter): (usize, char)| match letter {
            '#' if self.0.find('#') == Some(at) => 9_usize,
            '#' => 10,
            '@' => LETTERS.len(),
            _ => 1,
        };
        self.0.char_indices().map(choices).fold(1, usize::saturating_mul)
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shapes_meet_where_one_text_has_both() {
        let meets = |one: &str, two: &str| Shape::new(one).meets(&Shape::new(two));
        assert!(meets("AC####", "AC####") && meets("AC####", "A@####") && meets("#1", "2#"));
        assert!(!meets("AC####", "AD####") && !meets("AC####", "AC###") && !meets("#A", "@A"));
    }

    #[test]
    fn a_shape_says_how_much_it_holds_and_how_it_begins() {
        assert_eq!(Shape::new("AC##").capacity(), 90);
        assert_eq!(Shape::new("@-#").capacity(), 24 * 9);
        assert_eq!((Shape::new("AC##").prefix(), Shape::new("#").prefix()), ("AC", ""));
        assert_eq!(Shape::new("X").capacity(), 1);
    }

    proptest! {
        #[test]
        fn what_is_drawn_has_the_shape(shape in "[A-Z]{0,3}[#@]{1,8}[-/]?[#@]{0,3}", seed in any::<u64>()) {
            let shape = Shape::new(&shape);
            let id = shape.draw(&mut Chance::of(&[&seed.to_le_bytes()]));
            prop_assert!(shape.fits(&id), "{} {}", shape, id);
            prop_assert!(id.chars().find(char::is_ascii_digit) != Some('0') || shape.prefix().contains('0'));
            prop_assert!(shape.meets(&shape));
        }
    }
}
