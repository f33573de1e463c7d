//! Writes compact JSON; a number is written as it was read.

use super::Value;
use std::fmt::{self, Write};

impl fmt::Display for Value {
    /// Compact JSON: no space after `,` and `:`. Python's constants come out as Python writes them.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => formatter.write_str("null"),
            Self::Bool(bool) => write!(formatter, "{bool}"),
            Self::Number(number) => formatter.write_str(number.as_str()),
            Self::String(text) => write_string(text, formatter),
            Self::List(list) => {
                formatter.write_char('[')?;
                for (index, value) in list.iter().enumerate() {
                    write!(formatter, "{}{value}", if index == 0 { "" } else { "," })?;
                }
                formatter.write_char(']')
            }
            Self::Object(object) => {
                formatter.write_char('{')?;
                for (index, (key, value)) in object.iter().enumerate() {
                    formatter.write_str(if index == 0 { "" } else { "," })?;
                    write_string(key, formatter)?;
                    write!(formatter, ":{value}")?;
                }
                formatter.write_char('}')
            }
        }
    }
}

/// A text as JSON writes one.
#[derive(Debug, Clone, Copy)]
pub struct Quoted<'t>(pub &'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_string(self.0, formatter)
    }
}

fn write_string(text: &str, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    let is_escaped = |letter: char| letter < ' ' || letter == '"' || letter == '\\';
    formatter.write_char('"')?;
    let mut rest = text;
    // Most texts have nothing to escape, and are written at once.
    while let Some((place, letter)) = rest.char_indices().find(|(_, letter)| is_escaped(*letter)) {
        formatter.write_str(rest.get(..place).unwrap_or_default())?;
        match letter {
            '"' => formatter.write_str("\\\"")?,
            '\\' => formatter.write_str("\\\\")?,
            '\n' => formatter.write_str("\\n")?,
            '\r' => formatter.write_str("\\r")?,
            '\t' => formatter.write_str("\\t")?,
            _ => write!(formatter, "\\u{:04x}", u32::from(letter))?,
        }
        rest = rest.get(place + letter.len_utf8()..).unwrap_or_default();
    }
    formatter.write_str(rest)?;
    formatter.write_char('"')
}

#[cfg(test)]
mod tests {
    use crate::fixtures::any_value;
    use crate::record::value::Value;
    use proptest::prelude::*;

    #[test]
    fn numbers_keep_their_text_and_keys_their_order() {
        let text = r#"{"z":1.0,"a":[1000000000000000000000000000000,-0,1E5],"한":"\"\n\u0001é"}"#;
        assert_eq!(Value::read(text).unwrap().to_string(), text);
        assert_eq!(Value::read(" [ ] ").unwrap().to_string(), "[]");
    }

    proptest! {
        #[test]
        fn strings_are_written_so_that_others_can_read_them(text in any::<String>()) {
            let written = Value::String(text.clone()).to_string();
            prop_assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
        }

        #[test]
        fn what_is_written_is_json(value in any_value(false)) {
            prop_assert!(serde_json::from_str::<&serde_json::value::RawValue>(&value.to_string()).is_ok());
        }
    }
}
