//! Names: anchors, aliases, tags and directives.

use super::YamlError;
use super::cursor::{Cursor, END, is_blank, is_break};
use super::scan::{Directive, Token};

fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_')
}

/// The name behind `&` or `*`.
pub(super) fn anchor(cursor: &mut Cursor) -> Result<String, YamlError> {
    cursor.step();
    let name = cursor.take_while(is_name);
    let ends = is_blank(cursor.here()) || "?:,]}%@`".contains(cursor.here());
    if name.is_empty() || !ends { Err(cursor.error("an anchor without a name")) } else { Ok(name) }
}

/// A tag: a short form and the rest, or a whole one.
pub(super) fn tag(cursor: &mut Cursor) -> Result<Token, YamlError> {
    let token = if cursor.ahead(1) == '<' {
        cursor.skip(2);
        let whole = address(cursor)?;
        if cursor.here() != '>' {
            return Err(cursor.error("a tag that is not closed"));
        }
        cursor.step();
        Token::Tag(None, whole)
    } else if is_blank(cursor.ahead(1)) {
        cursor.step();
        Token::Tag(None, "!".to_owned())
    } else {
        let handle = if is_short_form(cursor) { handle(cursor)? } else { bare(cursor) };
        Token::Tag(Some(handle), address(cursor)?)
    };
    let ends = matches!(cursor.here(), END | ' ') || is_break(cursor.here());
    if ends { Ok(token) } else { Err(cursor.error("a tag that does not end")) }
}

/// Whether another `!` follows in the same word.
fn is_short_form(cursor: &Cursor) -> bool {
    let letters = (1..).map(|by| cursor.ahead(by));
    letters.take_while(|letter| !matches!(*letter, END | ' ') && !is_break(*letter)).any(|letter| letter == '!')
}

fn bare(cursor: &mut Cursor) -> String {
    cursor.step();
    "!".to_owned()
}

/// `!`, `!!` or `!name!`.
fn handle(cursor: &mut Cursor) -> Result<String, YamlError> {
    if cursor.here() != '!' {
        return Err(cursor.error("a tag without a mark"));
    }
    cursor.step();
    if cursor.here() == ' ' {
        return Ok("!".to_owned());
    }
    let name = cursor.take_while(is_name);
    if cursor.here() != '!' {
        return Err(cursor.error("a tag without a mark"));
    }
    cursor.step();
    Ok(format!("!{name}!"))
}

fn address(cursor: &mut Cursor) -> Result<String, YamlError> {
    let address = cursor.take_while(|letter| is_name(letter) || ";/?:@&=+$,.!~*'()[]".contains(letter));
    if address.is_empty() { Err(cursor.error("a tag without a name")) } else { Ok(address) }
}

/// A line that begins with `%`.
pub(super) fn directive(cursor: &mut Cursor) -> Result<Directive, YamlError> {
    cursor.step();
    let name = cursor.take_while(is_name);
    if name.is_empty() || !is_line_space(cursor.here()) {
        return Err(cursor.error("a directive without a name"));
    }
    cursor.skip_while(|letter| letter == ' ');
    let directive = match name.as_str() {
        "YAML" => Directive::Version(cursor.take_while(|letter| letter.is_ascii_digit() || letter == '.')),
        "TAG" => {
            let handle = handle(cursor)?;
            cursor.skip_while(|letter| letter == ' ');
            Directive::Tag(handle, address(cursor)?)
        }
        _ => {
            cursor.skip_while(|letter| !is_break(letter));
            Directive::Other
        }
    };
    cursor.skip_while(|letter| letter == ' ');
    if cursor.here() == '#' {
        cursor.skip_while(|letter| !is_break(letter));
    }
    if cursor.here() != END && cursor.take_break().is_none() {
        return Err(cursor.error("a directive that does not end"));
    }
    Ok(directive)
}

fn is_line_space(letter: char) -> bool {
    matches!(letter, END | ' ') || is_break(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cursor(text: &str) -> Cursor {
        Cursor::new(text).unwrap()
    }

    #[test]
    fn anchors_are_names() {
        assert_eq!(anchor(&mut cursor("&a-1 x")).unwrap(), "a-1");
        assert_eq!(anchor(&mut cursor("*a]")).unwrap(), "a");
        assert!(anchor(&mut cursor("& x")).is_err() && anchor(&mut cursor("*a.b")).is_err());
    }

    #[test]
    fn tags_have_a_handle_and_a_name() {
        let read = |text| match tag(&mut cursor(text)) {
            Ok(Token::Tag(handle, name)) => format!("{} {name}", handle.as_deref().unwrap_or("-")),
            other => format!("{}", other.is_err()),
        };
        assert_eq!(
            [read("!!str x"), read("!a x"), read("!e!a x"), read("! x"), read("!<a:b> x")],
            ["!! str", "! a", "!e! a", "- !", "- a:b"]
        );
        assert_eq!([read("!!"), read("!<a"), read("!a{"), read("!<>")], ["true"; 4]);
    }

    #[test]
    fn directives_are_read() {
        let read = |text| directive(&mut cursor(text)).ok();
        assert_eq!(read("%YAML 1.1 # x\n"), Some(Directive::Version("1.1".to_owned())));
        assert_eq!(read("%TAG !e! a:b\n"), Some(Directive::Tag("!e!".to_owned(), "a:b".to_owned())));
        assert_eq!(read("%ANY x y\n"), Some(Directive::Other));
        assert_eq!((read("% x"), read("%YAML 1.1 x"), read("%TAG x y")), (None, None, None));
    }
}
