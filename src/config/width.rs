//! How many cells of a terminal a text takes: Korean, Chinese and Japanese letters take two.

/// First and last code points of the letters that terminals draw two cells wide (Unicode's East Asian Width, W and F).
const WIDE: [(u32, u32); 13] = [
    (0x1100, 0x115f),
    (0x2e80, 0x303e),
    (0x3041, 0x33ff),
    (0x3400, 0x4dbf),
    (0x4e00, 0x9fff),
    (0xa000, 0xa4cf),
    (0xa960, 0xa97f),
    (0xac00, 0xd7a3),
    (0xf900, 0xfaff),
    (0xfe30, 0xfe6f),
    (0xff00, 0xff60),
    (0xffe0, 0xffe6),
    (0x1f300, 0x3fffd),
];

/// First and last code points of marks that stand on the letter before them.
const NARROW: [(u32, u32); 6] =
    [(0x300, 0x36f), (0x1160, 0x11ff), (0x200b, 0x200f), (0x20d0, 0x20ff), (0xfe00, 0xfe0f), (0xfe20, 0xfe2f)];

/// Cells that `text` takes once it is [`shown`].
pub(crate) fn width(text: &str) -> usize {
    shown(text).chars().map(cells).sum()
}

/// The text as a terminal may see it: tabs as spaces, control characters (which could move the cursor) as a sign.
pub(crate) fn shown(text: &str) -> String {
    text.replace('\t', "    ").replace(|letter: char| letter.is_control(), "\u{fffd}")
}

fn cells(letter: char) -> usize {
    let within =
        |ranges: &[(u32, u32)]| ranges.iter().any(|(first, last)| (*first..=*last).contains(&u32::from(letter)));
    if within(&NARROW) {
        return 0;
    }
    if within(&WIDE) { 2 } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn letters_take_their_cells() {
        assert_eq!(width("abc"), 3);
        assert_eq!(width("알람"), 4);
        assert_eq!(width("闹钟，"), 6);
        assert_eq!(width("e\u{301}"), 1);
        assert_eq!(width("🙂"), 2);
    }

    #[test]
    fn a_tab_is_four_spaces_and_an_escape_is_harmless() {
        assert_eq!(width("\ta"), 5);
        assert_eq!(shown("\u{1b}[2J"), "\u{fffd}[2J");
        assert_eq!(width("\u{1b}"), 1);
    }

    proptest! {
        #[test]
        fn letters_take_their_cells_wherever_they_stand(one in any::<String>(), other in any::<String>()) {
            let both = format!("{one}{other}");
            prop_assert_eq!(width(&both), width(&one) + width(&other));
            prop_assert!(!shown(&both).chars().any(char::is_control));
        }
    }
}
