//! Numbers, names and lists as people read them.

use std::time::Duration;

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
    let seconds = duration.as_secs();
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
