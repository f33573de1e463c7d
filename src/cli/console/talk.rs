//! Where words go: data to stdout, talk to stderr.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};

/// Whether talk may be decorated.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Colour(bool);

/// Says something to people.
pub(crate) fn say(text: impl Display) {
    // Whoever closed stderr does not want to hear that it is closed.
    writeln!(io::stderr().lock(), "{text}").unwrap_or_default();
}

/// Hands out data, for people and programs; a reader that has seen enough is no fault.
pub(crate) fn give(text: impl Display) -> io::Result<()> {
    match writeln!(io::stdout().lock(), "{text}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

/// Whether stderr is a terminal, where lines can be redrawn.
pub(crate) fn is_terminal() -> bool {
    io::stderr().is_terminal()
}

impl Colour {
    /// On a terminal, unless `NO_COLOR` is set.
    pub(crate) fn for_talk() -> Self {
        Self(is_terminal() && !is_unwanted())
    }

    /// The same for what goes to stdout: plain where it is piped.
    pub(crate) fn for_data() -> Self {
        Self(io::stdout().is_terminal() && !is_unwanted())
    }

    /// What is right.
    pub(crate) fn green(self, text: &str) -> String {
        if self.0 { format!("\u{1b}[32m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Who speaks.
    pub(crate) fn cyan(self, text: &str) -> String {
        if self.0 { format!("\u{1b}[36m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// A heading.
    pub(crate) fn bold(self, text: &str) -> String {
        if self.0 { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// What matters less.
    pub(crate) fn dim(self, text: &str) -> String {
        if self.0 { format!("\u{1b}[2m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

fn is_unwanted() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_colour_the_words_stand_alone() {
        assert_eq!(Colour(false).bold("Stages"), "Stages");
        assert_eq!(Colour(false).dim("0 %"), "0 %");
        assert_eq!(Colour(true).bold("Stages"), "\u{1b}[1mStages\u{1b}[0m");
        assert!(Colour(true).dim("x").ends_with("x\u{1b}[0m"));
        assert_eq!([Colour(false).green("x"), Colour(false).cyan("x")], ["x", "x"]);
        assert_eq!(Colour(true).green("x"), "\u{1b}[32mx\u{1b}[0m");
        assert!(Colour(true).cyan("x").starts_with("\u{1b}[36m"));
    }
}
