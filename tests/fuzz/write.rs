//! Inputs made from a grammar: right in form, odd in content.

use super::chance::Chance;
use super::odd::{LETTERS, NUMBERS};
use std::fmt::Write;

const KEYS: &[&str] =
    &["a", "name", "arguments", "id", "b", "function", "parameters", "", "가", "a.b", "tool_calls", "a"];

/// A JSON value.
pub(crate) fn json(chance: &mut Chance, depth: usize) -> String {
    match chance.below(if depth == 0 { 5 } else { 9 }) {
        0 => chance.pick(&["null", "true", "false", "True", "None", "undefined"]).to_owned(),
        1 | 2 => chance.pick(NUMBERS).to_owned(),
        3 | 4 => string(chance),
        5 | 6 => format!("[{}]", several(chance, ", ", |chance| json(chance, depth - 1))),
        _ => format!("{{{}}}", several(chance, ", ", |chance| field(chance, depth - 1))),
    }
}

fn field(chance: &mut Chance, depth: usize) -> String {
    format!("\"{}\": {}", chance.pick(KEYS), json(chance, depth))
}

fn string(chance: &mut Chance) -> String {
    let text = words(chance, &[]);
    let cleaned: String = text.chars().filter(|letter| *letter != '"' && *letter >= ' ').collect();
    format!("\"{cleaned}\"")
}

fn several(chance: &mut Chance, between: &str, one: impl Fn(&mut Chance) -> String) -> String {
    let all: Vec<String> = (0..chance.few(5)).map(|_| one(chance)).collect();
    all.join(between)
}

/// Calls in Python's syntax.
pub(crate) fn python(chance: &mut Chance) -> String {
    let calls = several(chance, ", ", |chance| {
        let name = chance.pick(&["f", "a.b", "get_weather", "가", "f[0]", "print", "None", "f()", ""]);
        let arguments = several(chance, ", ", |chance| {
            let name = chance.pick(&["a=", "b =", "", "*", "**", "class=", "a=a="]);
            format!("{name}{}", literal(chance, 3))
        });
        format!("{name}({arguments})")
    });
    match chance.below(4) {
        0 => calls,
        1 => format!("```python\n[{calls}]\n```"),
        _ => format!("[{calls}]"),
    }
}

fn literal(chance: &mut Chance, depth: usize) -> String {
    let deeper = |chance: &mut Chance| literal(chance, depth.saturating_sub(1));
    match chance.below(if depth == 0 { 5 } else { 14 }) {
        0 => chance.pick(&["None", "True", "False", "x", "x.y", "...", "f'{x}'", "b'x'", "r'\\'", "u''"]).to_owned(),
        1 | 2 => chance.pick(NUMBERS).to_owned(),
        3 => format!("'{}'", words(chance, &[]).replace('\'', "\\'")),
        4 => string(chance),
        5 => format!("[{}]", several(chance, ", ", deeper)),
        6 => format!("({},)", several(chance, ", ", deeper)),
        7 => format!("{{{}}}", several(chance, ", ", |chance| format!("{}: {}", deeper(chance), deeper(chance)))),
        8 => format!("{{{}}}", several(chance, ", ", deeper)),
        9 => format!("f(a={})", deeper(chance)),
        10 => {
            let sign =
                chance.pick(&["+", "-", "*", "/", "//", "%", "**", "<<", "@", "|", " and ", " or ", " in ", "<"]);
            format!("{}{sign}{}", deeper(chance), deeper(chance))
        }
        11 => format!("{}{}", chance.pick(&["-", "+", "~", "not "]), deeper(chance)),
        12 => format!("{}[{}]", deeper(chance), deeper(chance)),
        _ => format!("[{} for x in {}]", deeper(chance), deeper(chance)),
    }
}

/// YAML in block form, with odd indents.
pub(crate) fn yaml(chance: &mut Chance) -> String {
    let mut text = String::new();
    let mut indent = 0;
    for _ in 0..chance.few(20) {
        indent = (indent + chance.below(4)).saturating_sub(chance.below(4));
        let mark = chance
            .pick(&["- ", "", "a: ", "\"b\": ", "? ", "- - ", "&x ", "*x", "!!str ", "# ", "|\n", ">-\n", "- a: "]);
        let value = match chance.below(4) {
            0 => chance.pick(NUMBERS).to_owned(),
            1 => json(chance, 2),
            2 => words(chance, &[]),
            _ => String::new(),
        };
        writeln!(text, "{}{mark}{value}", " ".repeat(indent)).unwrap();
    }
    text
}

/// Words in a row, some of them odd.
pub(crate) fn words(chance: &mut Chance, known: &[&str]) -> String {
    let mut text = String::new();
    for _ in 0..chance.few(14) {
        let word = match chance.below(6) {
            0 => chance.pick(NUMBERS),
            1 => chance.pick(LETTERS),
            _ if known.is_empty() => {
                chance.pick(&["a", "the", "light", "is", "on", "서울", "오늘", "明天", "user:", "x"])
            }
            _ => chance.pick(known),
        };
        text.push_str(word);
        text.push_str(chance.pick(&[" ", " ", " ", "", ", ", "\n"]));
    }
    text
}

/// Words of a language of lines, and nothing else.
pub(crate) fn soup(chance: &mut Chance, known: &[&str]) -> String {
    (0..chance.few(60)).map(|_| chance.pick(known)).collect()
}
