//! What is wrong with a pipeline file, and how it is shown: one form for every kind of fault.

use super::source::Source;
use super::width::{shown, width};
use std::fmt::{self, Write as _};
use std::ops::Range;

/// One fault with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the [`Source`] that it is about; the first line of them is shown.
    pub span: Range<usize>,
    /// What was found, and what was expected: a lowercase fragment.
    pub message: String,
    /// The way out.
    pub hint: Option<String>,
    /// Whether a secret may stand there, so that the place is shown and what stands there is not.
    pub is_secret: bool,
    /// Whether the fault lies in a file that is named there (a toolset, a table), and not in the pipeline file.
    pub is_input: bool,
}

/// All faults of one pipeline file, in the order of their places.
#[derive(Debug, Clone)]
pub struct Problems {
    source: Source,
    problems: Vec<Problem>,
}

impl Problem {
    /// A fault without a hint.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), hint: None, is_secret: false, is_input: false }
    }

    /// The same fault with a way out.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same fault at a place where a secret may stand.
    #[must_use]
    pub fn secret(self) -> Self {
        Self { is_secret: true, ..self }
    }

    /// The same fault, of a file that is named at its place.
    #[must_use]
    pub fn input(self) -> Self {
        Self { is_input: true, ..self }
    }

    fn render(&self, source: &Source, out: &mut String) -> fmt::Result {
        writeln!(out, "error: {}", self.message)?;
        if let Some(spot) = source.spot(&self.span) {
            let text = self.discreet(spot.text, spot.offset);
            let (before, rest) = text.split_at_checked(spot.offset).unwrap_or((&text, ""));
            let number = spot.line.map_or_else(|| " ".to_owned(), |line| line.to_string());
            let gutter = " ".repeat(number.len());
            let column = before.chars().count() + 1;
            let place = spot.line.map_or_else(String::new, |line| format!(":{line}:{column}"));
            writeln!(out, "{gutter}--> {}{place}", spot.name)?;
            writeln!(out, "{gutter} |")?;
            writeln!(out, "{number} | {}", shown(&text))?;
            let carets = "^".repeat(width(&start_of(rest, self.span.len())).max(1));
            writeln!(out, "{gutter} | {}{carets}", " ".repeat(width(before)))?;
            if self.hint.is_some() {
                writeln!(out, "{gutter} |")?;
            }
        }
        self.hint.as_ref().map_or(Ok(()), |hint| writeln!(out, "hint: {hint}"))
    }
}

impl Problem {
    /// A line without its secrets; every byte of one is a star, so that all the rest keeps its place.
    fn discreet(&self, line: &str, offset: usize) -> String {
        let line = without_passwords(line);
        match line.split_at_checked(offset) {
            Some((before, rest)) if self.is_secret => {
                let (secret, behind) = rest.split_at_checked(self.span.len()).unwrap_or((rest, ""));
                let starred =
                    |letter: char| if letter.is_ascii_alphanumeric() { "*".to_owned() } else { stars(letter) };
                format!("{before}{}{behind}", secret.chars().map(starred).collect::<String>())
            }
            _ => line,
        }
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
            problem.render(&self.source, &mut out)?;
            out.push('\n');
        }
        let noun = if self.count() == 1 { "problem" } else { "problems" };
        write!(formatter, "{out}{} {noun} in {}", self.count(), self.source.name())
    }
}

impl std::error::Error for Problems {}

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
