//! A sample as lines of a terminal.

use crate::cli::console::shown::call_text;
use crate::cli::console::talk::Colour;
use fcgen::record::{ArgumentNotes, Expected, FunctionCall, Message, Origin, Role, Sample, Value};
use std::fmt::Write;

/// Letters of a text that are shown where not all are.
const LETTERS: usize = 600;
/// Tools that are named then.
const NAMED: usize = 8;

/// Everything of a sample that people look at.
pub(super) fn sample(sample: &Sample, colour: Colour, full: bool) -> Vec<String> {
    let printer = Printer { colour, full };
    let mut lines = vec![printer.head(sample)];
    lines.push(colour.dim(&visible(sample.id.as_str())));
    lines.push(String::new());
    lines.extend(sample.messages.iter().flat_map(|message| printer.message(message)));
    lines.push(String::new());
    lines.extend(printer.right(sample));
    lines.extend(printer.tools(sample));
    lines.push(printer.origin(sample));
    lines
}

struct Printer {
    colour: Colour,
    full: bool,
}

impl Printer {
    fn head(&self, sample: &Sample) -> String {
        let mut words = vec![
            self.colour.bold(&visible(&sample.data_type.0)),
            visible(sample.suite.as_str()),
            visible(&sample.locale),
        ];
        words.extend(sample.difficulty.map(|it| it.word().to_owned()));
        words.extend(sample.tags.iter().map(|tag| visible(tag)));
        words.extend(sample.reference_time.iter().map(|time| visible(time)));
        words.join("  ")
    }

    fn message(&self, message: &Message) -> Vec<String> {
        let who = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        };
        let texts = message.content.iter().filter(|text| !text.is_empty()).map(|text| self.cut(text));
        let calls = message.tool_calls.iter().map(|call| format!("-> {}", self.cut(&call_text(call))));
        let mut lines: Vec<String> = texts.chain(calls).flat_map(|text| lines_of(&text)).collect();
        if lines.is_empty() {
            lines.push(String::new());
        }
        let name = format!("{who:<11}");
        let name = if message.role == Role::User { self.colour.cyan(&name) } else { self.colour.dim(&name) };
        let first = lines.remove(0);
        std::iter::once(format!("{name}{first}")).chain(lines.iter().map(|line| format!("{:11}{line}", ""))).collect()
    }

    fn right(&self, sample: &Sample) -> Vec<String> {
        let mut lines = vec![self.colour.bold("expected")];
        match &sample.expected {
            Expected::Call(call) => lines.extend(self.call(call, Some(&sample.arguments), sample)),
            Expected::Steps(steps) => {
                for step in steps {
                    for (at, call) in step.calls.iter().enumerate() {
                        lines.extend(self.call(call, step.notes.get(at), sample));
                        let answer = step.answers.get(at).filter(|answer| !answer.is_null());
                        lines
                            .extend(answer.map(|it| self.colour.dim(&format!("     = {}", self.cut(&it.to_string())))));
                    }
                }
            }
            other => lines.extend(
                lines_of(&self.cut(&crate::cli::console::shown::expected_text(other)))
                    .iter()
                    .map(|it| format!("  {it}")),
            ),
        }
        lines
    }

    /// A call, and below it where each value comes from.
    fn call(&self, call: &FunctionCall, notes: Option<&ArgumentNotes>, sample: &Sample) -> Vec<String> {
        let mut lines = vec![format!("  {}", self.colour.green(&format!("-> {}", visible(&call.name))))];
        for (name, value) in &call.arguments {
            let mut line = format!("     {} = {}", visible(name), self.cut(&value.to_string()));
            if let Some(note) = notes.and_then(|notes| notes.get(name)) {
                let origin = origin(&note.origin);
                let source = match &note.surface {
                    Some(words) => format!("  source: \"{}\" ({origin})", visible(words)),
                    None => format!("  source: {origin}"),
                };
                line.push_str(&self.colour.dim(&source));
            }
            if let Some(others) = sample.acceptable.get(name).filter(|others| !others.is_empty()) {
                let others: Vec<String> = others.iter().map(Value::to_string).collect();
                line.push_str(&self.colour.dim(&format!("  or {}", self.cut(&others.join(", ")))));
            }
            lines.push(line);
        }
        lines
    }

    fn tools(&self, sample: &Sample) -> Vec<String> {
        let head = format!("{} ({})", self.colour.bold("tools"), sample.candidates.len());
        if self.full {
            let tool = |tool: &fcgen::record::Tool| {
                let parameters: Vec<String> = tool.parameters.properties.keys().map(|it| visible(it)).collect();
                format!("  {}({}): {}", visible(&tool.name), parameters.join(", "), visible(&tool.description))
            };
            return std::iter::once(head).chain(sample.candidates.iter().map(|it| tool(it))).collect();
        }
        let names: Vec<String> = sample.candidates.iter().take(NAMED).map(|tool| visible(&tool.name)).collect();
        let more = sample.candidates.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        vec![head, format!("  {}{more}", names.join(", "))]
    }

    /// Where it comes from, in a line.
    fn origin(&self, sample: &Sample) -> String {
        let mut words = Vec::new();
        if sample.provenance.template {
            words.push("template".to_owned());
        }
        words.push(sample.review.word().to_owned());
        for draw in &sample.provenance.draws {
            let word = format!("{} by {}", draw.stage, draw.model);
            if words.last() != Some(&word) {
                words.push(word);
            }
        }
        words.extend(sample.base.iter().map(|base| format!("variant of {base}")));
        words.extend(sample.provenance.facts.iter().map(|(name, fact)| format!("{name}: {fact}")));
        self.colour.dim(&format!("provenance  {}", self.cut(&words.join(", "))))
    }

    /// A text as it can be printed; the first letters where not all are wanted.
    fn cut(&self, text: &str) -> String {
        let text = visible(text);
        if self.full || text.chars().count() <= LETTERS {
            return text;
        }
        let letters = text.chars().count();
        format!("{} ... ({letters} characters; --full)", text.chars().take(LETTERS).collect::<String>().trim_end())
    }
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::Answer { call, field } => format!("result of call {}, {field}", call + 1),
        Origin::Derived { call, field } => format!("derived from call {}, {field}", call + 1),
        other => other.word().to_owned(),
    }
}

fn lines_of(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

/// Text without letters that a terminal would obey: data may hold anything.
fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '\n' || !letter.is_control() {
            out.push(letter);
        } else if letter == '\t' {
            out.push(' ');
        } else {
            write!(out, "\\u{{{:x}}}", u32::from(letter)).unwrap_or_default();
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(expected: &str) -> Sample {
        let text = format!(
            r#"{{"id":"t/0","suite":"s","data_type":"Based","locale":"en","difficulty":"easy","tags":["odd"],"group":"t","licence":"","source":"",
            "messages":[{{"role":"system","content":"Rules."}},{{"role":"user","content":"a train\nto \u001b[31mPorto"}},
              {{"role":"assistant","tool_calls":[{{"name":"find","arguments":{{"to":"Porto"}}}}]}},{{"role":"tool","content":"{{\"id\":7}}","answers":0}}],
            "candidates":[{{"name":"book","description":"Books.","parameters":{{"properties":{{"to":{{}},"n":{{}}}}}}}}],
            "arguments":{{"to":{{"surface":"Porto","origin":"verbatim"}},"n":{{"origin":{{"answer":{{"call":0,"field":"/id"}}}}}}}},
            "acceptable":{{"to":["Oporto"]}},"expected":{expected},
            "provenance":{{"template":true,"draws":[{{"stage":"ask","model":"grammar","prompt":"x","draw":0}}],"facts":{{"style":"plain"}}}}}}"#
        );
        serde_json::from_str(&text).unwrap()
    }

    fn shown(expected: &str, full: bool) -> String {
        sample(&read(expected), Colour::default(), full).join("\n")
    }

    #[test]
    fn a_sample_is_a_dialogue_with_its_calls_and_origins() {
        insta::assert_snapshot!(shown(r#"{"call":{"name":"book","arguments":{"to":"Porto","n":7}}}"#, false), @r#"
        Based  s  en  easy  odd
        t/0

        system     Rules.
        user       a train
                   to \u{1b}[31mPorto
        assistant  -> find(to = "Porto")
        tool       {"id":7}

        expected
          -> book
             to = "Porto"  source: "Porto" (verbatim)  or "Oporto"
             n = 7  source: result of call 1, /id
        tools (1)
          book
        provenance  template, unreviewed, ask by grammar, style: plain
        "#);
    }

    #[test]
    fn steps_show_their_answers_and_a_refusal_its_words() {
        let steps =
            shown(r#"{"steps":[{"calls":[{"name":"f","arguments":{"n":1.50}}],"answers":[{"ok":true}]}]}"#, true);
        assert!(
            steps.contains("  -> f\n     n = 1.50\n     = {\"ok\":true}\ntools (1)\n  book(to, n): Books."),
            "{steps}"
        );
        assert!(shown("\"refusal\"", false).contains("expected\n  no call: none of the tools is suitable"));
    }

    #[test]
    fn a_long_text_is_cut_unless_all_is_wanted() {
        let long = format!(r#"{{"answer":"{}"}}"#, "so ".repeat(400));
        let printer = Printer { colour: Colour::default(), full: false };
        assert!(printer.cut(&"so ".repeat(400)).ends_with("... (1200 characters; --full)"));
        assert!(shown(&long, true).len() > shown(&long, false).len() - 400);
    }
}
