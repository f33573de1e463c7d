//! Puts tokens together to a tree of nodes.

use super::YamlError;
use super::node::{Content, Node};
use super::scan::{Directive, Placed, Token};
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::rc::Rc;
use std::vec::IntoIter;

const NOTHING_MEANT: &str = "something where a value should stand";
/// Deeper trees are given up.
const DEEPEST: usize = 490;

/// The only document of a text, if there is one.
pub(super) fn compose(tokens: Vec<Placed>) -> Result<Option<Rc<Node>>, YamlError> {
    let mut composer = Composer {
        tokens: tokens.into_iter().peekable(),
        line: 1,
        depth: 0,
        anchors: BTreeMap::new(),
        handles: [("!", "!"), ("!!", "tag:yaml.org,2002:")].map(|(name, to)| (name.to_owned(), to.to_owned())).into(),
    };
    composer.document()
}

struct Composer {
    tokens: Peekable<IntoIter<Placed>>,
    line: usize,
    depth: usize,
    /// Nodes by their names; one that is not finished has no node yet.
    anchors: BTreeMap<String, Option<Rc<Node>>>,
    handles: BTreeMap<String, String>,
}

impl Composer {
    fn document(&mut self) -> Result<Option<Rc<Node>>, YamlError> {
        let begins = |token: &Token| matches!(token, Token::DocumentStart | Token::DocumentEnd | Token::Directive(_));
        if self.peek().is_none() {
            return Ok(None);
        }
        let is_marked = matches!(self.peek(), Some(Token::DocumentStart | Token::Directive(_)));
        if is_marked {
            self.directives()?;
            if !self.takes(&Token::DocumentStart) {
                return Err(self.error("a document without its mark"));
            }
        }
        let is_empty = is_marked && self.peek().is_none_or(begins);
        let node = if is_empty { self.empty() } else { self.node(true, false)? };
        while self.takes(&Token::DocumentEnd) {}
        if self.next().is_some() {
            return Err(self.error("a second document"));
        }
        Ok(Some(node))
    }

    fn directives(&mut self) -> Result<(), YamlError> {
        let mut has_version = false;
        while let Some(Token::Directive(_)) = self.peek() {
            match self.next() {
                Some(Token::Directive(Directive::Version(version))) if version.starts_with("1.") && !has_version => {
                    has_version = true;
                }
                Some(Token::Directive(Directive::Version(_))) => return Err(self.error("another version of YAML")),
                Some(Token::Directive(Directive::Tag(handle, prefix))) => drop(self.handles.insert(handle, prefix)),
                _ => {}
            }
        }
        Ok(())
    }

    /// One node. In a block it may be a block; in a map's block, a list without indentation as well.
    fn node(&mut self, is_block: bool, is_indentless: bool) -> Result<Rc<Node>, YamlError> {
        if let Some(Token::Alias(_)) = self.peek() {
            return self.alias();
        }
        let (anchor, tag) = self.properties()?;
        if let Some(anchor) = &anchor {
            if self.anchors.insert(anchor.clone(), None).is_some() {
                return Err(self.error("two anchors of one name"));
            }
        }
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error("too deep a nesting"));
        }
        let (line, is_named) = (self.line, anchor.is_some() || tag.is_some());
        let content = self.content(is_block, is_indentless, is_named, tag.as_deref())?;
        self.depth -= 1;
        let node = Rc::new(Node { tag: tag.filter(|tag| tag != "!"), content, line });
        if let Some(anchor) = anchor {
            self.anchors.insert(anchor, Some(Rc::clone(&node)));
        }
        Ok(node)
    }

    fn alias(&mut self) -> Result<Rc<Node>, YamlError> {
        let Some(Token::Alias(name)) = self.next() else { return Err(self.error(NOTHING_MEANT)) };
        match self.anchors.get(&name) {
            Some(Some(node)) => Ok(Rc::clone(node)),
            Some(None) => Err(self.error("a value within itself")),
            None => Err(self.error("an alias of nothing")),
        }
    }

    /// An anchor and a tag in either order.
    fn properties(&mut self) -> Result<(Option<String>, Option<String>), YamlError> {
        let (mut anchor, mut tag) = (None, None);
        loop {
            match self.peek() {
                Some(Token::Anchor(_)) if anchor.is_none() => {
                    if let Some(Token::Anchor(name)) = self.next() {
                        anchor = Some(name);
                    }
                }
                Some(Token::Tag(..)) if tag.is_none() => {
                    if let Some(Token::Tag(handle, name)) = self.next() {
                        tag = Some(self.whole_tag(handle, name)?);
                    }
                }
                _ => return Ok((anchor, tag)),
            }
        }
    }

    fn whole_tag(&self, handle: Option<String>, name: String) -> Result<String, YamlError> {
        let Some(handle) = handle else { return Ok(name) };
        let prefix = self.handles.get(&handle).ok_or_else(|| self.error("an unknown tag"))?;
        Ok(format!("{prefix}{name}"))
    }

    fn content(
        &mut self,
        is_block: bool,
        is_indentless: bool,
        is_named: bool,
        tag: Option<&str>,
    ) -> Result<Content, YamlError> {
        match self.peek() {
            Some(Token::BlockEntry) if is_indentless => self.entries(false),
            Some(Token::Scalar(..)) => match self.next() {
                Some(Token::Scalar(text, is_plain)) => Ok(Content::Scalar(text, is_plain || tag == Some("!"))),
                _ => Err(self.error(NOTHING_MEANT)),
            },
            Some(Token::FlowListStart) => self.flow_list(),
            Some(Token::FlowMapStart) => self.flow_map(),
            Some(Token::BlockListStart) if is_block => {
                self.next();
                self.entries(true)
            }
            Some(Token::BlockMapStart) if is_block => self.block_map(),
            _ if is_named => Ok(Content::Scalar(String::new(), true)),
            _ => {
                self.next();
                Err(self.error(NOTHING_MEANT))
            }
        }
    }

    /// A list's entries, up to the end of their block if they have one.
    fn entries(&mut self, has_end: bool) -> Result<Content, YamlError> {
        let mut list = Vec::new();
        while self.takes(&Token::BlockEntry) {
            let is_empty = match self.peek() {
                Some(Token::BlockEntry | Token::BlockEnd) => true,
                Some(Token::Key | Token::Value) => !has_end,
                _ => false,
            };
            list.push(if is_empty { self.empty() } else { self.node(true, false)? });
        }
        if has_end {
            self.wants(&Token::BlockEnd, "something within a list")?;
        }
        Ok(Content::List(list))
    }

    fn block_map(&mut self) -> Result<Content, YamlError> {
        self.next();
        let mut map = Vec::new();
        while self.takes(&Token::Key) {
            let key = self.part(&[Token::Key, Token::Value, Token::BlockEnd], true)?;
            let has_value = self.takes(&Token::Value);
            let value =
                if has_value { self.part(&[Token::Key, Token::Value, Token::BlockEnd], true)? } else { self.empty() };
            map.push((key, value));
        }
        self.wants(&Token::BlockEnd, "something within a map")?;
        Ok(Content::Map(map))
    }

    /// A key or a value, which is nothing where the next part begins at once.
    fn part(&mut self, ends: &[Token], is_block: bool) -> Result<Rc<Node>, YamlError> {
        let is_empty = self.peek().is_none_or(|token| ends.contains(token));
        if is_empty { Ok(self.empty()) } else { self.node(is_block, is_block) }
    }

    fn flow_list(&mut self) -> Result<Content, YamlError> {
        self.next();
        let mut list = Vec::new();
        while !self.takes(&Token::FlowListEnd) {
            if !list.is_empty() {
                self.wants(&Token::FlowEntry, "a list that is not closed")?;
                if self.takes(&Token::FlowListEnd) {
                    break;
                }
            }
            if self.peek() == Some(&Token::Key) {
                let line = self.line;
                let pair = self.pair(Token::FlowListEnd)?;
                list.push(Rc::new(Node { tag: None, content: Content::Map(vec![pair]), line }));
            } else {
                list.push(self.flow_node("a list that is not closed")?);
            }
        }
        Ok(Content::List(list))
    }

    fn flow_map(&mut self) -> Result<Content, YamlError> {
        self.next();
        let mut map = Vec::new();
        while !self.takes(&Token::FlowMapEnd) {
            if !map.is_empty() {
                self.wants(&Token::FlowEntry, "a map that is not closed")?;
                if self.takes(&Token::FlowMapEnd) {
                    break;
                }
            }
            if self.peek() == Some(&Token::Key) {
                map.push(self.pair(Token::FlowMapEnd)?);
            } else {
                let key = self.flow_node("a map that is not closed")?;
                map.push((key, self.empty()));
            }
        }
        Ok(Content::Map(map))
    }

    fn flow_node(&mut self, problem: &'static str) -> Result<Rc<Node>, YamlError> {
        if self.peek().is_none() { Err(self.error(problem)) } else { self.node(false, false) }
    }

    /// A key with its value within brackets.
    fn pair(&mut self, end: Token) -> Result<(Rc<Node>, Rc<Node>), YamlError> {
        self.next();
        let ends = [Token::FlowEntry, end, Token::Value];
        let key = self.part(&ends, false)?;
        let has_value = self.takes(&Token::Value);
        let value = if has_value { self.part(ends.get(..2).unwrap_or_default(), false)? } else { self.empty() };
        Ok((key, value))
    }

    /// What stands there where nothing does.
    fn empty(&self) -> Rc<Node> {
        Rc::new(Node { tag: None, content: Content::Scalar(String::new(), true), line: self.line })
    }

    fn peek(&mut self) -> Option<&Token> {
        self.tokens.peek().map(|(token, _)| token)
    }

    fn next(&mut self) -> Option<Token> {
        let (token, line) = self.tokens.next()?;
        self.line = line + 1;
        Some(token)
    }

    fn takes(&mut self, wanted: &Token) -> bool {
        let is_here = self.peek() == Some(wanted);
        if is_here {
            self.next();
        }
        is_here
    }

    fn wants(&mut self, wanted: &Token, problem: &'static str) -> Result<(), YamlError> {
        if self.takes(wanted) { Ok(()) } else { Err(self.error(problem)) }
    }

    fn error(&self, problem: &'static str) -> YamlError {
        YamlError { problem, line: self.line }
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::tokens;
    use super::*;

    fn shown(node: &Node) -> String {
        let inside = match &node.content {
            Content::Scalar(text, true) => text.clone(),
            Content::Scalar(text, false) => format!("{text:?}"),
            Content::List(list) => format!("[{}]", list.iter().map(|it| shown(it)).collect::<Vec<_>>().join(",")),
            Content::Map(map) => {
                let pairs: Vec<String> =
                    map.iter().map(|(key, value)| format!("{}:{}", shown(key), shown(value))).collect();
                format!("{{{}}}", pairs.join(","))
            }
        };
        node.tag.as_ref().map_or(inside.clone(), |tag| format!("<{tag}>{inside}"))
    }

    fn read(text: &str) -> String {
        match tokens(text).and_then(compose) {
            Ok(node) => node.map_or_else(String::new, |node| shown(&node)),
            Err(error) => error.problem.to_owned(),
        }
    }

    #[test]
    fn blocks_and_brackets_nest() {
        assert_eq!(
            read("a:\n- b\n-\n- c: d\n  e:\nf: [g, h: i, {j, k: l}, ]"),
            "{a:[b,,{c:d,e:}],f:[g,{h:i},{j:,k:l}]}"
        );
        assert_eq!(read("? [a]\n: b\n? c"), "{[a]:b,c:}");
        assert_eq!(read("[? a : b, ? c]"), "[{a:b},{c:}]");
        assert_eq!(read("- - a\n  - b\n- \"c\""), "[[a,b],\"c\"]");
    }

    #[test]
    fn anchors_stand_for_what_they_name() {
        assert_eq!(read("a: &x [1]\nb: *x"), "{a:[1],b:[1]}");
        assert_eq!(read("- &x\n- *x"), "[,]");
        assert_eq!(
            (read("*x"), read("&x [*x]")),
            ("an alias of nothing".to_owned(), "a value within itself".to_owned())
        );
        assert_eq!(read("[&x 1, &x 2]"), "two anchors of one name");
    }

    #[test]
    fn tags_are_written_out() {
        assert_eq!(read("!!str 1"), "<tag:yaml.org,2002:str>1");
        assert_eq!(read("%TAG !e! a:\n--- !e!b c"), "<a:b>c");
        assert_eq!((read("!x!y z"), read("! '1'")), ("an unknown tag".to_owned(), "1".to_owned()));
    }

    #[test]
    fn there_is_one_document_at_most() {
        assert_eq!(
            (read(""), read("--- a\n...\n..."), read("%YAML 1.2\n---")),
            (String::new(), "a".to_owned(), String::new())
        );
        for (text, problem) in [
            ("a\n--- b", "a second document"),
            ("%YAML 2.0\n---", "another version of YAML"),
            ("%YAML 1.1\na", "a document without its mark"),
        ] {
            assert_eq!(read(text), problem, "{text}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for text in [": a", "[a b: c, d: e: f]", "[a, , b]", "{a: b]", "- a\nb: c", "a: 1\n  b: 2", "[a]]", "a: [b"] {
            assert!(tokens(text).and_then(compose).is_err(), "{text}: {}", read(text));
        }
    }
}
