//! Numbers, names and lists as people read them.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::time::Duration;

/// What a run is good for whose texts nobody has written.
pub(crate) const SMOKE_TEST: &str = "smoke test only: the texts are derived from the tools' names";

/// A count with its noun: `1 sample`, `1,200 samples`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", thousands(count as u64))
}

/// A number with its thousands apart.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Dollars, with more digits where there are few of them.
pub(crate) fn dollars(amount: f64) -> String {
    if amount > 0.0 && amount < 1.0 { format!("${amount:.4}") } else { format!("${amount:.2}") }
}

/// A time span: `0.8 s`, `2 min 5 s`, `3 h 20 min`.
pub(crate) fn span(duration: Duration) -> String {
    // Rounded before it is told apart, or 59.96 would be sixty seconds.
    let seconds = duration.saturating_add(Duration::from_millis(50)).as_secs();
    match seconds {
        0..60 => format!("{:.1} s", duration.as_secs_f64()),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

/// A share as a whole percentage; less than all is never shown as all.
pub(crate) fn percent(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    format!("{} %", part * 100 / whole)
}

/// Text on one line, cut after so many characters.
pub(crate) fn clip(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= most {
        return line;
    }
    let cut: String = line.chars().take(most.saturating_sub(3)).collect();
    format!("{}...", cut.trim_end())
}

/// A command line as one would type it.
pub(crate) fn shell(arguments: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let quoted: Vec<String> = arguments.into_iter().map(|argument| quote(argument.as_ref())).collect();
    quoted.join(" ")
}

fn quote(argument: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_./:=,+@%".contains(letter);
    if !argument.is_empty() && argument.chars().all(plain) {
        return argument.to_owned();
    }
    format!("'{}'", argument.replace('\'', r"'\''"))
}

/// This process's own command line.
pub(crate) fn own_command() -> Vec<String> {
    std::env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect()
}

/// Rows in columns: the first to the left, the others to the right.
pub(crate) fn columns(rows: &[Vec<String>]) -> Vec<String> {
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..).map_while(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(index, (cell, width))| match index {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

// A few lines of a long file, spread over all of it and over what is in it.

/// Most lines of a file that are looked at.
const FAR: usize = 50_000;

/// About `most` lines at equal distances in a file that has `total` of them.
pub(crate) fn some_lines(path: &Path, total: usize, most: usize) -> io::Result<Vec<String>> {
    let step = (total.min(FAR) / most.max(1)).max(1);
    BufReader::new(File::open(path)?).lines().take(FAR).step_by(step).collect()
}

/// The first `most` lines that hold a word.
pub(crate) fn lines_with(path: &Path, word: &str, most: usize) -> io::Result<Vec<String>> {
    let lines = BufReader::new(File::open(path)?).lines().take(FAR);
    lines.filter(|line| line.as_ref().map_or(true, |line| line.contains(word))).take(most).collect()
}

/// Positions of `count` of the kinds: every kind in turn, at equal distances within each.
pub(crate) fn spread(kinds: &[String], count: usize) -> Vec<usize> {
    let mut by_kind: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, kind) in kinds.iter().enumerate() {
        by_kind.entry(kind).or_default().push(position);
    }
    let mut shares = vec![0; by_kind.len()];
    let mut left = count.min(kinds.len());
    while left > 0 {
        for (share, positions) in shares.iter_mut().zip(by_kind.values()) {
            let fits = left > 0 && *share < positions.len();
            *share += usize::from(fits);
            left -= usize::from(fits);
        }
    }
    let all = by_kind.len();
    let chosen = by_kind.values().zip(shares).enumerate().flat_map(|(kind, (positions, share))| {
        let count = positions.len();
        // Each kind begins elsewhere: variants of one item lie at the same place of their kinds.
        (0..share).map(move |index| positions[(count * index / share + count * kind / all) % count])
    });
    chosen.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts_read_well() {
        assert_eq!(counted(1, "sample"), "1 sample");
        assert_eq!(counted(0, "sample"), "0 samples");
        assert_eq!(counted(1_234_567, "item"), "1,234,567 items");
        assert_eq!(thousands(100), "100");
    }

    #[test]
    fn money_and_time_are_as_exact_as_one_needs() {
        assert_eq!(
            (dollars(0.0), dollars(0.0123), dollars(12.345)),
            ("$0.00".into(), "$0.0123".into(), "$12.35".into())
        );
        let spans = [0.84, 125.0, 12_000.0].map(|seconds| span(Duration::from_secs_f64(seconds)));
        assert_eq!(spans, ["0.8 s", "2 min 5 s", "3 h 20 min"]);
        assert_eq!((percent(999, 1000), percent(0, 0)), ("99 %".into(), "-".into()));
    }

    #[test]
    fn text_is_cut_by_letters() {
        assert_eq!(clip("a\n b", 9), "a b");
        assert_eq!(clip("가나다라마바사", 6), "가나다...");
    }

    #[test]
    fn a_command_can_be_pasted() {
        assert_eq!(shell(["fcgen", "--set", "name=a b", "it's", ""]), r"fcgen --set 'name=a b' 'it'\''s' ''");
    }

    #[test]
    fn columns_stand_below_one_another() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        assert_eq!(columns(&[row(["a", "10"]), row(["long", "9"])]), ["a     10", "long   9"]);
    }

    #[test]
    fn a_span_changes_its_units_where_they_are_full() {
        let spans = [
            (0, "0.0 s"),
            (59_949, "59.9 s"),
            (59_960, "1 min 0 s"),
            (3_599_000, "59 min 59 s"),
            (3_600_000, "1 h 0 min"),
        ];
        for (millis, text) in spans {
            assert_eq!(span(Duration::from_millis(millis)), text);
        }
        assert!(span(Duration::MAX).ends_with(" min"));
    }

    #[test]
    fn cents_are_told_exactly_and_fortunes_are_not() {
        assert_eq!([0.0001, 0.9999, 1.0, 1234.5].map(dollars), ["$0.0001", "$0.9999", "$1.00", "$1234.50"]);
    }

    #[test]
    fn ragged_rows_are_aligned_as_far_as_they_go() {
        let row = |text: &str| text.split_terminator('|').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(columns(&[row("a|1|2"), row("알람|10"), row("")]), ["a    1  2", "알람  10", ""]);
        assert!(columns(&[]).is_empty());
    }

    /// Takes a command line apart as a shell does, for what `shell` writes.
    fn taken_apart(line: &str) -> Vec<String> {
        let (mut words, mut word, mut letters) = (Vec::new(), None::<String>, line.chars());
        let mut is_quoted = false;
        while let Some(letter) = letters.next() {
            match letter {
                '\'' => {
                    is_quoted = !is_quoted;
                    word.get_or_insert_default();
                }
                '\\' if !is_quoted => word.get_or_insert_default().extend(letters.next()),
                ' ' if !is_quoted => words.extend(word.take()),
                _ => word.get_or_insert_default().push(letter),
            }
        }
        words.extend(word);
        words
    }

    proptest! {
        #[test]
        fn a_shell_reads_the_words_that_were_meant(words in prop::collection::vec("[a-z '\"$\\\\*;가=\\n-]{0,8}", 0..5)) {
            prop_assert_eq!(taken_apart(&shell(&words)), words);
        }

        #[test]
        fn digits_are_parted_in_threes_from_the_end(number in any::<u64>()) {
            let text = thousands(number);
            prop_assert_eq!(text.replace(',', ""), number.to_string());
            let mut parts = text.split(',');
            prop_assert!((1..=3).contains(&parts.next().unwrap().len()));
            prop_assert!(parts.all(|part| part.len() == 3));
        }

        #[test]
        fn only_all_is_a_hundred_per_cent(whole in 1_usize..2000, part in 0_usize..2000) {
            let part = part.min(whole);
            prop_assert_eq!(percent(part, whole) == "100 %", part == whole);
        }

        #[test]
        fn a_clipped_text_is_one_line_that_is_not_too_long(text in any::<String>(), most in 4_usize..40) {
            let line = clip(&text, most);
            prop_assert!(line.chars().count() <= most && !line.contains('\n'));
            prop_assert!(line.ends_with("...") || text.split_whitespace().eq(line.split(' ').filter(|word| !word.is_empty())));
        }
    }
}

#[cfg(test)]
mod spread_tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    #[test]
    fn every_kind_has_its_turn() {
        assert_eq!(spread(&kinds("aaaabbbb"), 4), [0, 2, 6, 4]);
        assert_eq!(spread(&kinds("aab"), 5), [0, 1, 2]);
        assert_eq!(spread(&kinds("abcdef"), 2), [0, 1]);
        assert!(spread(&[], 5).is_empty());
    }

    #[test]
    fn lines_are_taken_at_equal_distances() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "0\n1\n2\n3\n4\n5\n6\n7\n").unwrap();
        assert_eq!(some_lines(&path, 8, 4).unwrap(), ["0", "2", "4", "6"]);
        assert_eq!(some_lines(&path, 8, 100).unwrap().len(), 8);
        assert_eq!(lines_with(&path, "3", 4).unwrap(), ["3"]);
        assert!(some_lines(&folder.path().join("none"), 8, 4).is_err());
    }

    #[test]
    fn a_word_is_looked_for_up_to_as_many_lines_as_are_wanted() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "ab\nb\na\nba\n").unwrap();
        assert_eq!(lines_with(&path, "a", 2).unwrap(), ["ab", "a"]);
        assert_eq!(lines_with(&path, "x", 2).unwrap(), [""; 0]);
        std::fs::write(&path, [b'a', b'\n', 0xff, b'\n']).unwrap();
        assert!(lines_with(&path, "a", 9).is_err(), "a line that cannot be read is not passed over");
    }

    proptest! {
        #[test]
        fn positions_are_distinct_and_no_kind_is_left_out_for_another(text in "[a-d]{0,30}", count in 0_usize..12) {
            let kinds = kinds(&text);
            let mut positions = spread(&kinds, count);
            prop_assert_eq!(positions.len(), count.min(kinds.len()));
            let chosen = |kind: &str, positions: &[usize]| positions.iter().filter(|at| kinds[**at] == kind).count();
            for (one, other) in [("a", "b"), ("b", "a"), ("a", "d"), ("d", "c")] {
                let all: Vec<usize> = (0..kinds.len()).collect();
                let left = chosen(one, &all) > chosen(one, &positions);
                prop_assert!(!left || chosen(one, &positions) + 1 >= chosen(other, &positions));
            }
            positions.sort_unstable();
            positions.dedup();
            prop_assert_eq!(positions.len(), count.min(kinds.len()));
        }
    }
}
