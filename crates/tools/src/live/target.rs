//! Where a live server is: a command to start, or an address.

use super::LiveError;

/// Where a live server is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A program that is started, and spoken to by its standard input and output.
    Command {
        /// The program.
        program: String,
        /// Its arguments.
        arguments: Vec<String>,
    },
    /// An address of streamable HTTP.
    Address(String),
}

impl Target {
    /// Reads what people write: an address, or a command with arguments, which quotation marks may hold together.
    pub fn read(text: &str) -> Result<Self, LiveError> {
        let text = text.trim();
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Self::Address(text.to_owned()));
        }
        let mut words = words(text).ok_or_else(|| LiveError::Target { given: text.to_owned() })?.into_iter();
        let program = words.next().filter(|word| !word.is_empty() && !word.contains("://"));
        let program = program.ok_or_else(|| LiveError::Target { given: text.to_owned() })?;
        Ok(Self::Command { program, arguments: words.collect() })
    }

    /// What people are told of it: the program alone, or the address without user, query and fragment, which may be secret.
    pub fn shown(&self) -> String {
        match self {
            Self::Command { program, .. } => program.clone(),
            Self::Address(address) => {
                let plain = address.split(['?', '#']).next().unwrap_or_default();
                match plain.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.split_once('@')?))) {
                    Some((scheme, (_, rest))) => format!("{scheme}://{rest}"),
                    None => plain.to_owned(),
                }
            }
        }
    }

    /// The host of an address, with its port if it has one.
    pub fn host(&self) -> Option<&str> {
        let Self::Address(address) = self else { return None };
        let rest = address.split_once("://")?.1;
        let place = rest.split(['/', '?', '#']).next()?;
        Some(place.rsplit('@').next().unwrap_or(place))
    }
}

/// The words of a command; none where a quotation mark is never closed.
fn words(text: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in text.chars() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(text: &str) -> (String, Vec<String>) {
        match Target::read(text).unwrap() {
            Target::Command { program, arguments } => (program, arguments),
            Target::Address(address) => panic!("{address}"),
        }
    }

    #[test]
    fn a_command_is_cut_at_spaces_and_held_together_by_quotes() {
        let (program, arguments) = command("npx -y 'a server' \"b c\" d'e f'g \"\"");
        assert_eq!(program, "npx");
        assert_eq!(arguments, ["-y", "a server", "b c", "de fg", ""]);
    }

    #[test]
    fn what_is_neither_is_told() {
        for text in ["", "  ", "'open", "ftp://host/x"] {
            let error = Target::read(text).unwrap_err();
            assert!(matches!(error, LiveError::Target { .. }), "{text}");
        }
    }

    #[test]
    fn secrets_of_an_address_and_arguments_are_not_shown() {
        let address = Target::read("https://me:word@api.example.com:81/mcp?key=abc#x").unwrap();
        assert_eq!(address.shown(), "https://api.example.com:81/mcp");
        assert_eq!(address.host(), Some("api.example.com:81"));
        let command = Target::read("serve --token abc").unwrap();
        assert_eq!((command.shown().as_str(), command.host()), ("serve", None));
    }
}
