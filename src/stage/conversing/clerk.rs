//! The errors that calls of a conversation are answered with where its complexity wants one.

use crate::record::{Chance, Object, Value};
use crate::stage::context::Context;
use crate::stage::outcome::Fault;

/// An error with a code and a message.
pub(super) fn error(context: &Context, chance: &mut Chance) -> Result<Value, Fault> {
    let wordless = || Fault::new("no_words", "the locale has no `[[faults]]` in its `chat.toml`");
    let fault = chance.pick(&context.pack().chat.faults).ok_or_else(wordless)?;
    let fields = [("code", Value::from(i64::from(fault.code))), ("message", fault.message.as_str().into())];
    let error: Object = fields.map(|(name, value)| (name.to_owned(), value)).into();
    Ok(Value::Object([("error".to_owned(), Value::Object(error))].into()))
}
