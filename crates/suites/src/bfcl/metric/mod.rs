//! The scorer of BFCL's categories of one turn: calls in Python's syntax or as native tools give them, and the check of
//! their arguments. `upstream` is BFCL's own verdict to the bit; `strict` is the sound one.

mod answer;
mod category;
mod decode;
mod function;
mod item;
mod perfect;
pub mod strict;
pub mod upstream;

pub use answer::{Accepted, Answer, Argument};
pub use category::{Category, Crash, ErrorKind, Fault, Manner, Verdict};
pub use decode::{
    Call, DecodeFault, StrictText, Wrapper, as_value, decode_calls, decode_calls_strictly, decode_text,
    decode_text_strictly, is_well_formed,
};
pub use function::{Declared, Function, Word};
pub use item::{Item, Reply};
pub use perfect::{Checks, Impossible, native, perfect_calls, spoken};
