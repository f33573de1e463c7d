//! Digits and the signs between them: which make one number, which several, which none.

use super::decimal::Decimal;

/// The end of digits joined by `,` `.` `:` `/` `-` that stand between digits.
pub(super) fn group_end(chars: &[char], at: usize) -> usize {
    let mut end = at;
    while end < chars.len() {
        let joins =
            matches!(chars[end], ',' | '.' | ':' | '/' | '-') && chars.get(end + 1).is_some_and(char::is_ascii_digit);
        if !chars[end].is_ascii_digit() && !joins {
            break;
        }
        end += 1;
    }
    end
}

/// The end of one number: digits in groups of three, and a fraction.
pub(super) fn number_end(chars: &[char], at: usize) -> usize {
    let digits = |from: usize| chars[from.min(chars.len())..].iter().take_while(|char| char.is_ascii_digit()).count();
    let mut end = at + digits(at);
    while chars.get(end) == Some(&',') && digits(end + 1) == 3 && end - at <= 3 + 4 * (end - at) / 4 {
        end += 4;
    }
    if chars.get(end) == Some(&'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    end
}

/// The numbers of a group: where each begins, how long it is, and its value. None if the group is something else.
pub(super) fn read_group(group: &str, clock: bool) -> Option<Vec<(usize, usize, Decimal)>> {
    let joined = |sign: char| group.matches(sign).count();
    if joined('/') > 0 || joined(':') > 0 && !clock || joined('-') > 1 || joined('.') > 1 && joined('-') == 0 {
        return None;
    }
    let mut values = Vec::new();
    let mut offset = 0;
    for part in group.split(['-', ':']) {
        let grouped = is_grouped(part);
        for piece in part.split(|char| char == ',' && !grouped) {
            let digits: String = piece.chars().filter(|char| *char != ',').collect();
            values.push((offset, piece.len(), Decimal::read(&digits)?));
            offset += piece.len() + 1;
        }
    }
    // 3-5 is a range; 555-0123 is a telephone number.
    let is_range = || matches!(values.as_slice(), [(.., low), (start, _, high)] if low.is_less(*high) && group.get(*start..).is_some_and(|rest| !rest.starts_with('0')));
    (joined('-') == 0 || is_range()).then_some(values)
}

/// Whether the commas part thousands.
fn is_grouped(text: &str) -> bool {
    let whole = text.split('.').next().unwrap_or(text);
    let mut groups = whole.split(',');
    groups.next().is_some_and(|first| (1..=3).contains(&first.len())) && groups.all(|group| group.len() == 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_digits_are_told_apart() {
        let read = |group: &str, clock: bool| {
            read_group(group, clock)
                .map(|values| values.iter().map(|value| value.2.number().to_string()).collect::<Vec<_>>())
        };
        assert_eq!(read("1,200.5", false).unwrap(), ["1200.5"]);
        assert_eq!(read("12,34", false).unwrap(), ["12", "34"]);
        assert_eq!(read("3-5", false).unwrap(), ["3", "5"]);
        assert_eq!(read("3:15", false), None);
        assert_eq!(read("3:15", true).unwrap(), ["3", "15"]);
        assert_eq!(read("2025-03-04", false), None);
        assert_eq!(read("1.2.3", false), None);
    }

    #[test]
    fn a_group_ends_where_no_digit_follows_its_sign() {
        let chars: Vec<char> = "1,200, 5".chars().collect();
        assert_eq!(group_end(&chars, 0), 5);
        assert_eq!(number_end(&chars, 0), 5);
        let list: Vec<char> = "1,2".chars().collect();
        assert_eq!((group_end(&list, 0), number_end(&list, 0)), (3, 1));
    }
}
