//! Block scalars: texts that keep their lines (`|`) or fold them (`>`).

use super::YamlError;
use super::cursor::{Cursor, END, is_break};

/// What becomes of the ends of the last lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chomping {
    /// One stays.
    Clip,
    /// None stays.
    Strip,
    /// All stay.
    Keep,
}

/// Takes a block scalar that belongs to a block with this indentation.
pub(super) fn block_scalar(cursor: &mut Cursor, indent: isize) -> Result<String, YamlError> {
    let is_folded = cursor.here() == '>';
    cursor.step();
    let (chomping, increment) = header(cursor)?;
    let least = usize::try_from((indent + 1).max(1)).unwrap_or(1);
    let (indent, mut empty) = if let Some(increment) = increment {
        let indent = least + increment - 1;
        (indent, empty_lines(cursor, indent))
    } else {
        let (deepest, empty) = leading_lines(cursor);
        (least.max(deepest), empty)
    };
    let (mut text, mut end) = (String::new(), None);
    while cursor.column == indent && cursor.here() != END {
        text.push_str(&empty);
        let is_indented = matches!(cursor.here(), ' ' | '\t');
        text.push_str(&cursor.take_while(|letter| !is_break(letter)));
        end = cursor.take_break();
        empty = empty_lines(cursor, indent);
        if cursor.column != indent || cursor.here() == END {
            break;
        }
        let folds = is_folded && end == Some('\n') && !is_indented && !matches!(cursor.here(), ' ' | '\t');
        match end {
            _ if folds && empty.is_empty() => text.push(' '),
            _ if folds => {}
            end => text.extend(end),
        }
    }
    if chomping != Chomping::Strip {
        text.extend(end);
    }
    if chomping == Chomping::Keep {
        text.push_str(&empty);
    }
    Ok(text)
}

/// What stands behind the mark: chomping and indentation in either order, and perhaps a comment.
fn header(cursor: &mut Cursor) -> Result<(Chomping, Option<usize>), YamlError> {
    let mut chomping = chomp(cursor);
    let increment = cursor.here().to_digit(10);
    if increment == Some(0) {
        return Err(cursor.error("an indentation of nothing"));
    }
    if increment.is_some() {
        cursor.step();
        chomping = chomping.or_else(|| chomp(cursor));
    }
    let ends = |cursor: &Cursor| cursor.here() == END || is_break(cursor.here());
    if !ends(cursor) && cursor.here() != ' ' {
        return Err(cursor.error("a block that does not begin in the next line"));
    }
    cursor.skip_while(|letter| letter == ' ');
    if cursor.here() == '#' {
        cursor.skip_while(|letter| !is_break(letter));
    }
    if !ends(cursor) {
        return Err(cursor.error("a block that does not begin in the next line"));
    }
    cursor.take_break();
    Ok((chomping.unwrap_or(Chomping::Clip), increment.and_then(|digit| usize::try_from(digit).ok())))
}

fn chomp(cursor: &mut Cursor) -> Option<Chomping> {
    let chomping = match cursor.here() {
        '+' => Chomping::Keep,
        '-' => Chomping::Strip,
        _ => return None,
    };
    cursor.step();
    Some(chomping)
}

/// The empty lines before the first one with letters, and how deep any of them is indented.
fn leading_lines(cursor: &mut Cursor) -> (usize, String) {
    let (mut deepest, mut breaks) = (0, String::new());
    loop {
        match cursor.take_break() {
            Some(end) => breaks.push(end),
            None if cursor.here() == ' ' => {
                cursor.step();
                deepest = deepest.max(cursor.column);
            }
            None => return (deepest, breaks),
        }
    }
}

/// Empty lines within the block.
fn empty_lines(cursor: &mut Cursor, indent: usize) -> String {
    let mut breaks = String::new();
    loop {
        while cursor.column < indent && cursor.here() == ' ' {
            cursor.step();
        }
        match cursor.take_break() {
            Some(end) => breaks.push(end),
            None => return breaks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, &'static str> {
        block_scalar(&mut Cursor::new(text).unwrap(), 0).map_err(|error| error.problem)
    }

    #[test]
    fn lines_are_kept_or_folded() {
        for (text, wanted) in [
            ("|\n a\n b\n", "a\nb\n"),
            (">\n a\n b\n\n c\n", "a b\nc\n"),
            (">\n a\n  b\n c\n", "a\n b\nc\n"),
            ("|\n\n  a\n   b\n", "\na\n b\n"),
            ("| # note\n a", "a"),
            ("|\nnext: 1", ""),
        ] {
            assert_eq!(read(text), Ok(wanted.to_owned()), "{text}");
        }
    }

    #[test]
    fn the_last_ends_go_or_stay() {
        assert_eq!(read("|-\n a\n\n\n"), Ok("a".to_owned()));
        assert_eq!(read("|+\n a\n\n\n"), Ok("a\n\n\n".to_owned()));
        assert_eq!(read("|2-\n   a\n"), Ok(" a".to_owned()));
        assert_eq!(read("|-2\n   a\n"), Ok(" a".to_owned()));
    }

    #[test]
    fn what_is_broken_is_refused() {
        for text in ["| a\n", "|x\n", "|0\n", "|-+\n"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
