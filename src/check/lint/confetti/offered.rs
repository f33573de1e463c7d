//! Between 3 and 25 functions are offered, each once, and everything that is called is among them.

use super::super::super::entry::Entry;
use super::super::super::finding::Findings;
use super::super::Rule;

/// How many functions a question offers.
const OFFERED: std::ops::RangeInclusive<usize> = 3..=25;

/// Looks at each item by itself.
pub(super) struct Offered;

impl Rule for Offered {
    fn see(&mut self, entry: &Entry, findings: &mut Findings) {
        // Without its question nobody knows what an item offers.
        if entry.sample.messages.is_empty() {
            return;
        }
        let tools = &entry.sample.candidates;
        if !OFFERED.contains(&tools.len()) {
            let (least, most) = (OFFERED.start(), OFFERED.end());
            findings.error("offered", entry, format!("{} functions; expected {least} to {most}", tools.len()));
        }
        if let Some(tool) =
            tools.iter().enumerate().find(|(at, tool)| tools.iter().take(*at).any(|other| other.name == tool.name))
        {
            findings.error("offered", entry, format!("`{}` is offered twice", tool.1.name));
        }
        let past = entry.sample.messages.iter().flat_map(|message| &message.tool_calls);
        let missing = past.chain(entry.call()).find(|call| entry.candidate(&call.name).is_none());
        if let Some(call) = missing {
            findings.error("offered", entry, format!("`{}` is called and not offered", call.name));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::testing::entry;
    use super::super::super::testing::found;
    use super::*;
    use crate::format::confetti::testing::call_item;
    use crate::record::Sample;

    fn told(change: impl Fn(&mut Sample)) -> Vec<String> {
        let mut sample = call_item("t/0", 1);
        change(&mut sample);
        found(Offered, &[entry(sample)])
    }

    #[test]
    fn numbers_and_names_of_functions_are_held_to() {
        assert_eq!(told(|_| {}), Vec::<String>::new());
        assert_eq!(told(|sample| drop(sample.candidates.pop())), ["offered: 2 functions; expected 3 to 25"]);
        assert_eq!(
            told(|sample| sample.candidates[0] = sample.candidates[2].clone()),
            ["offered: `Mail_send_mail` is offered twice"]
        );
        assert_eq!(
            told(|sample| {
                sample.messages[4].tool_calls[0].name = "Gone".to_owned();
            }),
            ["offered: `Gone` is called and not offered"]
        );
    }

    #[test]
    fn without_a_question_nothing_is_known() {
        assert!(told(|sample| (sample.messages, sample.candidates) = (Vec::new(), Vec::new())).is_empty());
    }
}
