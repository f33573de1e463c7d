//! Cuts a text into tokens. Indentation and keys before a colon become tokens of their own.

use super::YamlError;
use super::block::block_scalar;
use super::cursor::{Cursor, END, is_blank, is_break};
use super::flow::quoted;
use super::plain::plain;
use super::tag::{anchor, directive, tag};

/// How deep brackets and indentation may nest.
const DEEPEST: usize = 490;
/// How far a colon may stand behind its key.
const LONGEST_KEY: usize = 1024;

/// A piece of a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    DocumentStart,
    DocumentEnd,
    /// A directive: a version that is not read, or a short form of tags.
    Directive(Directive),
    BlockListStart,
    BlockMapStart,
    BlockEnd,
    FlowListStart,
    FlowListEnd,
    FlowMapStart,
    FlowMapEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(String),
    Anchor(String),
    Tag(Option<String>, String),
    /// A scalar, and whether it is plain.
    Scalar(String, bool),
}

/// What a line that begins with `%` says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Directive {
    Version(String),
    Tag(String, String),
    Other,
}

/// A token with its line.
pub(super) type Placed = (Token, usize);

/// Where a key may stand that a colon would make one.
#[derive(Debug, Clone, Copy)]
struct PossibleKey {
    token: usize,
    at: usize,
    line: usize,
    column: usize,
    is_required: bool,
}

/// What is known while tokens are cut.
struct Scanner {
    cursor: Cursor,
    tokens: Vec<Placed>,
    /// Columns of the blocks that are open; the innermost one is apart.
    indents: Vec<isize>,
    indent: isize,
    /// One place for each bracket that is open, and one outside of them.
    keys: Vec<Option<PossibleKey>>,
    allows_key: bool,
}

/// All tokens of a text.
pub(super) fn tokens(text: &str) -> Result<Vec<Placed>, YamlError> {
    let cursor = Cursor::new(text)?;
    let mut scanner =
        Scanner { cursor, tokens: Vec::new(), indents: Vec::new(), indent: -1, keys: vec![None], allows_key: true };
    while scanner.token()? {}
    Ok(scanner.tokens)
}

impl Scanner {
    /// Cuts off the next token, if there is one.
    fn token(&mut self) -> Result<bool, YamlError> {
        self.skip_to_token();
        self.drop_stale_keys()?;
        self.unwind(self.column());
        let here = self.cursor.here();
        match here {
            END => {
                self.unwind(-1);
                self.drop_key()?;
                return Ok(false);
            }
            '%' if self.cursor.column == 0 => self.directive()?,
            '-' | '.' if self.cursor.column == 0 && self.cursor.is_marker(here) => self.document(here)?,
            '[' => self.open(Token::FlowListStart)?,
            '{' => self.open(Token::FlowMapStart)?,
            ']' => self.close(Token::FlowListEnd)?,
            '}' => self.close(Token::FlowMapEnd)?,
            ',' => self.entry()?,
            '-' if is_blank(self.cursor.ahead(1)) => self.block_entry()?,
            '?' if self.is_flow() || is_blank(self.cursor.ahead(1)) => self.key()?,
            ':' if self.is_flow() || is_blank(self.cursor.ahead(1)) => self.value()?,
            _ => self.content(here)?,
        }
        Ok(true)
    }

    /// Aliases, anchors, tags and scalars.
    fn content(&mut self, here: char) -> Result<(), YamlError> {
        let (line, is_flow) = (self.cursor.line, self.is_flow());
        if matches!(here, '|' | '>') && !is_flow {
            self.allows_key = true;
            self.drop_key()?;
            let text = block_scalar(&mut self.cursor, self.indent)?;
            self.tokens.push((Token::Scalar(text, false), line));
            return Ok(());
        }
        let is_plain = self.begins_plain(here);
        if !matches!(here, '*' | '&' | '!' | '\'' | '"') && !is_plain {
            return Err(self.cursor.error("a letter that begins nothing"));
        }
        self.note_key()?;
        self.allows_key = false;
        let token = match here {
            '*' => Token::Alias(anchor(&mut self.cursor)?),
            '&' => Token::Anchor(anchor(&mut self.cursor)?),
            '!' => tag(&mut self.cursor)?,
            '\'' | '"' => Token::Scalar(quoted(&mut self.cursor)?, false),
            _ => {
                let (text, crosses_lines) = plain(&mut self.cursor, self.indent, is_flow);
                self.allows_key = crosses_lines;
                Token::Scalar(text, true)
            }
        };
        self.tokens.push((token, line));
        Ok(())
    }

    fn begins_plain(&self, here: char) -> bool {
        let next = self.cursor.ahead(1);
        let is_mark = "-?:,[]{}#&*!|>'\"%@`".contains(here);
        (!is_mark && !is_blank(here)) || (!is_blank(next) && (here == '-' || (!self.is_flow() && "?:".contains(here))))
    }

    /// Passes over space, comments and ends of lines; behind the latter a key may stand.
    fn skip_to_token(&mut self) {
        if self.cursor.at == 0 && self.cursor.here() == '\u{feff}' {
            self.cursor.step();
        }
        loop {
            self.cursor.skip_while(|letter| letter == ' ');
            if self.cursor.here() == '#' {
                self.cursor.skip_while(|letter| !is_break(letter));
            }
            if self.cursor.take_break().is_none() {
                return;
            }
            self.allows_key |= !self.is_flow();
        }
    }

    fn directive(&mut self) -> Result<(), YamlError> {
        self.begin_document()?;
        let line = self.cursor.line;
        let directive = directive(&mut self.cursor)?;
        self.tokens.push((Token::Directive(directive), line));
        Ok(())
    }

    fn document(&mut self, mark: char) -> Result<(), YamlError> {
        self.begin_document()?;
        self.put(if mark == '-' { Token::DocumentStart } else { Token::DocumentEnd }, 3);
        Ok(())
    }

    fn begin_document(&mut self) -> Result<(), YamlError> {
        self.unwind(-1);
        self.drop_key()?;
        self.allows_key = false;
        Ok(())
    }

    fn open(&mut self, token: Token) -> Result<(), YamlError> {
        self.note_key()?;
        if self.keys.len() + self.indents.len() > DEEPEST {
            return Err(self.cursor.error("too deep a nesting"));
        }
        self.keys.push(None);
        self.allows_key = true;
        self.put(token, 1);
        Ok(())
    }

    fn close(&mut self, token: Token) -> Result<(), YamlError> {
        self.drop_key()?;
        if !self.is_flow() {
            return Err(self.cursor.error("a bracket that closes nothing"));
        }
        self.keys.pop();
        self.allows_key = false;
        self.put(token, 1);
        Ok(())
    }

    fn entry(&mut self) -> Result<(), YamlError> {
        self.allows_key = true;
        self.drop_key()?;
        self.put(Token::FlowEntry, 1);
        Ok(())
    }

    fn block_entry(&mut self) -> Result<(), YamlError> {
        if !self.is_flow() {
            if !self.allows_key {
                return Err(self.cursor.error("an entry where none can stand"));
            }
            self.indent_to(self.column(), Token::BlockListStart, self.tokens.len())?;
        }
        self.allows_key = true;
        self.drop_key()?;
        self.put(Token::BlockEntry, 1);
        Ok(())
    }

    fn key(&mut self) -> Result<(), YamlError> {
        if !self.is_flow() {
            if !self.allows_key {
                return Err(self.cursor.error("a key where none can stand"));
            }
            self.indent_to(self.column(), Token::BlockMapStart, self.tokens.len())?;
        }
        self.allows_key = !self.is_flow();
        self.drop_key()?;
        self.put(Token::Key, 1);
        Ok(())
    }

    fn value(&mut self) -> Result<(), YamlError> {
        if let Some(key) = self.keys.last_mut().and_then(Option::take) {
            self.tokens.insert(key.token, (Token::Key, key.line));
            if !self.is_flow() {
                self.indent_to(column(key.column), Token::BlockMapStart, key.token)?;
            }
            self.allows_key = false;
        } else {
            if !self.is_flow() {
                if !self.allows_key {
                    return Err(self.cursor.error("a value where none can stand"));
                }
                self.indent_to(self.column(), Token::BlockMapStart, self.tokens.len())?;
            }
            self.allows_key = !self.is_flow();
            self.drop_key()?;
        }
        self.put(Token::Value, 1);
        Ok(())
    }

    fn put(&mut self, token: Token, length: usize) {
        self.tokens.push((token, self.cursor.line));
        self.cursor.skip(length);
    }

    /// Opens a block if it begins further to the right than the one around it.
    fn indent_to(&mut self, column: isize, token: Token, at: usize) -> Result<(), YamlError> {
        if self.indent < column {
            if self.keys.len() + self.indents.len() > DEEPEST {
                return Err(self.cursor.error("too deep a nesting"));
            }
            self.indents.push(self.indent);
            self.indent = column;
            self.tokens.insert(at, (token, self.cursor.line));
        }
        Ok(())
    }

    /// Closes the blocks that end before a column.
    fn unwind(&mut self, column: isize) {
        while !self.is_flow() && self.indent > column {
            self.indent = self.indents.pop().unwrap_or(-1);
            self.tokens.push((Token::BlockEnd, self.cursor.line));
        }
    }

    /// Notes that what begins here may turn out to be a key.
    fn note_key(&mut self) -> Result<(), YamlError> {
        if !self.allows_key {
            return Ok(());
        }
        self.drop_key()?;
        let key = PossibleKey {
            token: self.tokens.len(),
            at: self.cursor.at,
            line: self.cursor.line,
            column: self.cursor.column,
            is_required: !self.is_flow() && self.indent == self.column(),
        };
        if let Some(place) = self.keys.last_mut() {
            *place = Some(key);
        }
        Ok(())
    }

    /// Gives up what might have been a key, unless it had to be one.
    fn drop_key(&mut self) -> Result<(), YamlError> {
        let key = self.keys.last_mut().and_then(Option::take);
        match key.filter(|key| key.is_required) {
            Some(key) => Err(YamlError { problem: "a key without a colon", line: key.line + 1 }),
            None => Ok(()),
        }
    }

    /// The same for those whose colon can no longer come: a key stands in one line.
    fn drop_stale_keys(&mut self) -> Result<(), YamlError> {
        let (line, at) = (self.cursor.line, self.cursor.at);
        let is_stale = |key: &PossibleKey| key.line != line || at - key.at > LONGEST_KEY;
        for place in &mut self.keys {
            if let Some(key) = place.take_if(|key| is_stale(key)).filter(|key| key.is_required) {
                return Err(YamlError { problem: "a key without a colon", line: key.line + 1 });
            }
        }
        Ok(())
    }

    fn is_flow(&self) -> bool {
        self.keys.len() > 1
    }

    fn column(&self) -> isize {
        column(self.cursor.column)
    }
}

fn column(column: usize) -> isize {
    isize::try_from(column).unwrap_or(isize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> String {
        let name = |(token, _): &Placed| match token {
            Token::Scalar(text, _) => text.clone(),
            Token::BlockListStart => "[-".to_owned(),
            Token::BlockMapStart => "{-".to_owned(),
            Token::BlockEnd => "-]".to_owned(),
            Token::FlowListStart => "[".to_owned(),
            Token::FlowListEnd => "]".to_owned(),
            Token::FlowMapStart => "{".to_owned(),
            Token::FlowMapEnd => "}".to_owned(),
            Token::BlockEntry => "-".to_owned(),
            Token::FlowEntry => ",".to_owned(),
            Token::Key => "?".to_owned(),
            Token::Value => ":".to_owned(),
            Token::Alias(name) => format!("*{name}"),
            Token::Anchor(name) => format!("&{name}"),
            other => format!("{other:?}"),
        };
        tokens(text)
            .map_or_else(|error| error.problem.to_owned(), |all| all.iter().map(name).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn indentation_opens_and_closes_blocks() {
        assert_eq!(names("a:\n- b\n- c: d\ne: f"), "{- ? a : - b - {- ? c : d -] ? e : f -]");
        assert_eq!(names("- a\n-\n  - b"), "[- - a - [- - b -] -]");
        assert_eq!(names("a: {b: [c, \"d\": e]}"), "{- ? a : { ? b : [ c , ? d : e ] } -]");
        assert_eq!(names("? a\n: b"), "{- ? a : b -]");
    }

    #[test]
    fn a_colon_within_a_word_separates_nothing() {
        assert_eq!(names("a:b: c:d"), "{- ? a:b : c:d -]");
        assert_eq!(names("[a:b, {a: b}, \"c\":d]"), "[ a:b , { ? a : b } , ? c : d ]");
    }

    #[test]
    fn documents_and_comments() {
        assert_eq!(names("%YAML 1.1\n--- # x\na # b\n..."), "Directive(Version(\"1.1\")) DocumentStart a DocumentEnd");
        assert_eq!(names("a#b"), "a#b");
        assert_eq!(names("&x a: *x"), "{- ? &x a : *x -]");
    }

    #[test]
    fn a_key_must_have_its_colon_in_its_line() {
        assert_eq!(names("a: 1\nb\n"), "a key without a colon");
        assert_eq!(names("- a\n b: c"), "a value where none can stand");
        let long = "x".repeat(1025);
        assert_eq!(names(&format!("{long}: 1")), "a value where none can stand");
        assert!(names(&format!("{}: 1", "x".repeat(1024))).starts_with("{- ? x"));
    }

    #[test]
    fn what_can_stand_nowhere_is_refused() {
        for (text, problem) in [
            ("a: - b", "an entry where none can stand"),
            ("a ? b", "a ? b"),
            ("\"a\" ? b", "a key where none can stand"),
            ("]", "a bracket that closes nothing"),
            ("@a", "a letter that begins nothing"),
            ("[|x]", "a letter that begins nothing"),
        ] {
            assert_eq!(names(text), problem, "{text}");
        }
    }
}
