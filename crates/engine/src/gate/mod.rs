//! The checks that keep a query or reject it with a reason. They are functions of what they are given: no gate asks a
//! model by itself, and none sees what the built-in model was told to do wrong.

mod answer;
mod calls;
mod coarse;
mod copied;
mod external;
mod fault;
mod gold;
mod parameters;
mod question;
mod request;
mod script;
mod sources;
mod taken_back;
mod told;
mod weekday;

pub use answer::{check_answer, check_reply};
pub use calls::{Agreement, compare_calls, other_forms};
pub use coarse::check_coarse;
pub use copied::check_copied;
pub use external::check_external;
pub use fault::Fault;
pub use gold::{Gold, values_at};
pub use parameters::{Wording, check_parameters, check_type, check_wording, said, stands, told_words};
pub use question::{check_question, pointed};
pub use script::{check_script, check_script_besides};
pub use sources::{Before, Unsourced, unsourced};
pub use told::{check_figures, check_told, is_told};
pub use weekday::is_of_another_weekday;
