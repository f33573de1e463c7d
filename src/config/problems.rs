//! All faults of a pipeline file, and how they are shown: one form for every kind of fault.

use super::overrides::Overrides;
use super::problem::Problem;
use std::fmt::{self, Write as _};
use std::ops::Range;

/// All faults of one pipeline file, in the order of their places.
#[derive(Debug, Clone)]
pub struct Problems {
    source: Source,
    problems: Vec<Problem>,
}

fn render(problem: &Problem, source: &Source, out: &mut String) -> fmt::Result {
    writeln!(out, "error: {}", problem.message)?;
    if let Some(spot) = source.spot(&problem.span) {
        let text = discreet(problem, spot.text, spot.offset);
        let (before, rest) = text.split_at_checked(spot.offset).unwrap_or((&text, ""));
        let number = spot.line.map_or_else(|| " ".to_owned(), |line| line.to_string());
        let gutter = " ".repeat(number.len());
        let column = before.chars().count() + 1;
        let place = spot.line.map_or_else(String::new, |line| format!(":{line}:{column}"));
        writeln!(out, "{gutter}--> {}{place}", spot.name)?;
        writeln!(out, "{gutter} |")?;
        writeln!(out, "{number} | {}", shown(&text))?;
        let carets = "^".repeat(width(&start_of(rest, problem.span.len())).max(1));
        writeln!(out, "{gutter} | {}{carets}", " ".repeat(width(before)))?;
        if problem.hint.is_some() {
            writeln!(out, "{gutter} |")?;
        }
    }
    problem.hint.as_ref().map_or(Ok(()), |hint| writeln!(out, "hint: {hint}"))
}

/// A line without its secrets; every byte of one is a star, so that all the rest keeps its place.
fn discreet(problem: &Problem, line: &str, offset: usize) -> String {
    let line = without_passwords(line);
    match line.split_at_checked(offset) {
        Some((before, rest)) if problem.is_secret => {
            let (secret, behind) = rest.split_at_checked(problem.span.len()).unwrap_or((rest, ""));
            let starred = |letter: char| if letter.is_ascii_alphanumeric() { "*".to_owned() } else { stars(letter) };
            format!("{before}{}{behind}", secret.chars().map(starred).collect::<String>())
        }
        _ => line,
    }
}

/// Signs stay, since they say what is wrong with a URL or a name; letters of other scripts become stars of their length.
fn stars(letter: char) -> String {
    if letter.is_ascii() { letter.to_string() } else { "*".repeat(letter.len_utf8()) }
}

/// The line with stars for whatever stands before the `@` of a URL and behind its `?`.
fn without_passwords(line: &str) -> String {
    let mut pieces = line.split("://");
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(['"', '\'', ' ', ',', '}']).unwrap_or(piece.len());
        let (url, behind) = piece.split_at_checked(end).unwrap_or((piece, ""));
        let (user, place) = url.rsplit_once('@').map_or(("", url), |(user, place)| (user, place));
        let (path, query) = place.split_once('?').map_or((place, None), |(path, query)| (path, Some(query)));
        let at = if place.len() == url.len() { "" } else { "@" };
        let query = query.map_or_else(String::new, |query| format!("?{}", "*".repeat(query.len())));
        let user = "*".repeat(user.len());
        whole.extend(["://", &user, at, path, &query, behind]);
    }
    whole
}

/// The characters of `text` that begin within its first `bytes` bytes.
fn start_of(text: &str, bytes: usize) -> String {
    text.char_indices().take_while(|(index, _)| *index < bytes).map(|(_, letter)| letter).collect()
}

impl Problems {
    /// Sorts the faults by place; equal ones are said once.
    pub fn new(source: Source, mut problems: Vec<Problem>) -> Self {
        problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
        problems.dedup();
        Self { source, problems }
    }

    /// The faults, in the order of their places.
    pub fn iter(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter()
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.problems.len()
    }

    /// Whether the pipeline file is sound, and only files that it names are not.
    pub fn are_of_inputs(&self) -> bool {
        self.problems.iter().all(|problem| problem.is_input)
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        for problem in &self.problems {
            render(problem, &self.source, &mut out)?;
            out.push('\n');
        }
        let noun = if self.count() == 1 { "problem" } else { "problems" };
        write!(formatter, "{out}{} {noun} in {}", self.count(), self.source.name())
    }
}

impl std::error::Error for Problems {}

// The text that problems point into: the pipeline file, and behind it the overrides of the command line.
//
// Both share one numbering of bytes, so that a value given with `--set` carries a place like any other.

/// A pipeline file with its overrides.
#[derive(Debug, Clone)]
pub struct Source {
    pieces: Vec<Piece>,
}

/// One stretch of text with the name that people know it by.
#[derive(Debug, Clone)]
struct Piece {
    name: String,
    text: String,
    start: usize,
    is_file: bool,
}

/// Where a byte is, in people's terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot<'s> {
    /// The file, or the flag.
    pub name: &'s str,
    /// Line from 1; absent for a flag.
    pub line: Option<usize>,
    /// The text of that line, without its end.
    pub text: &'s str,
    /// Byte at which the spot begins within the line.
    pub offset: usize,
}

impl Source {
    /// Puts the overrides behind the file's text.
    pub fn new(name: &str, text: &str, overrides: &Overrides) -> Self {
        let mut pieces = vec![Piece { name: name.to_owned(), text: text.to_owned(), start: 0, is_file: true }];
        let mut start = text.len() + 1;
        for given in overrides.iter() {
            pieces.push(Piece { name: given.flag.clone(), text: given.text.clone(), start, is_file: false });
            start += given.text.len() + 1;
        }
        Self { pieces }
    }

    /// Name of the pipeline file.
    pub fn name(&self) -> &str {
        self.pieces.first().map_or("", |piece| &piece.name)
    }

    /// Text of the pipeline file.
    pub fn text(&self) -> &str {
        self.pieces.first().map_or("", |piece| &piece.text)
    }

    /// Text of the override at `index`, with its first byte's number.
    pub(crate) fn given(&self, index: usize) -> Option<(&str, usize)> {
        self.pieces.get(index + 1).map(|piece| (piece.text.as_str(), piece.start))
    }

    /// Finds the line that holds the first byte of `span`.
    pub fn spot(&self, span: &Range<usize>) -> Option<Spot<'_>> {
        let piece = self.pieces.iter().rfind(|piece| piece.start <= span.start)?;
        let mut offset = (span.start - piece.start).min(piece.text.len());
        while !piece.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let (before, _) = piece.text.split_at(offset);
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let (_, from_start) = piece.text.split_at(start);
        let text = from_start.lines().next().unwrap_or("");
        let line = piece.is_file.then(|| before.matches('\n').count() + 1);
        Some(Spot { name: &piece.name, line, text, offset: (offset - start).min(text.len()) })
    }
}

// How many cells of a terminal a text takes: Korean, Chinese and Japanese letters take two.

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
    use crate::config::Overrides;
    use proptest::prelude::*;

    fn render(text: &str, problems: Vec<Problem>) -> String {
        Problems::new(Source::new("a.toml", text, &Overrides::default()), problems).to_string()
    }

    #[test]
    fn a_problem_is_shown_with_its_line_and_a_caret() {
        let problem = Problem::new(3..7, "unknown key `nmae`").hint("did you mean `name`?");
        let expected = "error: unknown key `nmae`\n --> a.toml:2:2\n  |\n2 |  nmae = 1\n  |  ^^^^\n  |\n\
                        hint: did you mean `name`?\n\n1 problem in a.toml";
        assert_eq!(render("a\n nmae = 1", vec![problem]), expected);
    }

    #[test]
    fn a_line_is_shown_without_its_secrets_and_with_everything_in_its_place() {
        let line = r#"url = "https://me:pass@host/v1?key=abc", other = "http://host/v1""#;
        let shown = without_passwords(line);
        assert_eq!(shown, r#"url = "https://*******@host/v1?*******", other = "http://host/v1""#);
        assert_eq!(without_passwords("no url @ all?"), "no url @ all?");
        let problem = || Problem::new(6..18, "wrong").secret();
        let text = render("key = \"sk-12가b\" # note", vec![problem()]);
        assert!(text.contains("1 | key = \"**-*****") && text.contains("# note") && !text.contains("12"), "{text}");
        assert!(
            render("key = \"sk", vec![problem()]).contains("key = \"**\n"),
            "{}",
            render("key = \"sk", vec![problem()])
        );
    }

    #[test]
    fn problems_come_in_the_order_of_their_places_and_once() {
        let late = Problem::new(2..3, "late");
        let text = render("a\nb\n", vec![late.clone(), Problem::new(0..1, "early"), late]);
        assert!(text.find("early").unwrap() < text.find("late").unwrap());
        assert!(text.ends_with("2 problems in a.toml"), "{text}");
    }

    #[test]
    fn wide_letters_move_the_caret_by_two_cells_and_the_column_by_one() {
        let text = render("이름 = 1", vec![Problem::new(9..10, "odd")]);
        assert!(text.contains("a.toml:1:6\n"), "{text}");
        assert!(text.contains("  |        ^\n"), "{text}");
    }

    #[test]
    fn a_span_over_several_lines_is_marked_on_its_first_line() {
        let text = render("a = [\n1,\n]", vec![Problem::new(4..11, "odd")]);
        assert!(text.contains("  |     ^\n"), "{text}");
    }

    proptest! {
        #[test]
        fn a_caret_stands_below_what_is_wrong(before in "[a-z가 \\t]{0,9}", wrong in "[a-z가🙂]{1,9}", after in "[a-z가 ]{0,9}") {
            let line = format!("{before}{wrong}{after}");
            let problem = Problem::new(before.len()..before.len() + wrong.len(), "odd");
            let message = render(&format!("first = 1\n{line}\n"), vec![Problem { span: problem.span.start + 10..problem.span.end + 10, ..problem }]);
            let carets = message.lines().find(|line| line.trim_end().ends_with('^')).unwrap();
            let (_, carets) = carets.split_once("| ").unwrap();
            let spaces = carets.trim_end_matches('^');
            prop_assert_eq!((spaces.len(), carets.len() - spaces.len()), (width(&before), width(&wrong)));
        }

        #[test]
        fn any_place_can_be_shown(text in "[a-z=가\\r\\n\\t]{0,40}", start in 0_usize..60, length in 0_usize..60, set in ".{0,9}") {
            let overrides: Overrides = [set].into_iter().collect();
            let source = Source::new("a.toml", &text, &overrides);
            let message = Problems::new(source, vec![Problem::new(start..start + length, "odd").hint("mend it")]).to_string();
            prop_assert!(message.starts_with("error: odd\n") && message.contains("^\n"), "{message}");
            prop_assert!(message.ends_with("hint: mend it\n\n1 problem in a.toml"), "{message}");
        }
    }
}

#[cfg(test)]
mod source_tests {
    use super::*;

    #[test]
    fn a_byte_of_the_file_is_found_on_its_line() {
        let source = Source::new("a.toml", "one\ntwo = 2\n", &Overrides::default());
        let spot = source.spot(&(8..9)).unwrap();
        assert_eq!((spot.line, spot.text, spot.offset), (Some(2), "two = 2", 4));
    }

    #[test]
    fn a_byte_behind_the_file_belongs_to_an_override() {
        let source = Source::new("a.toml", "one", &["scale=3", "seed=x"].into_iter().collect());
        let (text, start) = source.given(1).unwrap();
        assert_eq!(text, "seed=x");
        let spot = source.spot(&(start + 5..start + 6)).unwrap();
        assert_eq!(spot, Spot { name: "--set", line: None, text: "seed=x", offset: 5 });
    }

    #[test]
    fn the_end_of_a_file_and_of_its_last_line_are_places_too() {
        let source = Source::new("a.toml", "one\r\n", &Overrides::default());
        assert_eq!(source.spot(&(3..4)).unwrap().text, "one");
        assert_eq!(source.spot(&(5..5)).unwrap().line, Some(2));
        assert_eq!(source.spot(&(900..901)).unwrap().text, "");
    }

    #[test]
    fn a_byte_within_a_letter_is_its_letter() {
        let source = Source::new("a.toml", "가나", &Overrides::default());
        assert_eq!(source.spot(&(4..5)).unwrap().offset, 3);
    }
}

#[cfg(test)]
mod width_tests {
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
