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

fn write_string(text: &str, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    formatter.write_char('"')?;
    for char in text.chars() {
        match char {
            '"' => formatter.write_str("\\\"")?,
            '\\' => formatter.write_str("\\\\")?,
            '\n' => formatter.write_str("\\n")?,
            '\r' => formatter.write_str("\\r")?,
            '\t' => formatter.write_str("\\t")?,
            '\0'..' ' => write!(formatter, "\\u{:04x}", u32::from(char))?,
            _ => formatter.write_char(char)?,
        }
    }
    formatter.write_char('"')
}

#[cfg(test)]
mod tests {
    use crate::record::value::Value;
    use crate::record::value::tests::any_value;
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
