//! Commits the faults that other models commit when they write questions, each recorded where no gate looks.

use super::super::Grammar;
use super::super::defect::{Defect, DefectKind};
use crate::llm::{AskVariables, Request, WrittenQuestion};
use crate::record::{Chance, Object, PLACEHOLDER, Value};

const KINDS: [DefectKind; 7] = [
    DefectKind::MissingParameter,
    DefectKind::InventedParameter,
    DefectKind::DriftedValue,
    DefectKind::BrokenJson,
    DefectKind::WrongLanguage,
    DefectKind::Refusal,
    DefectKind::DuplicatedCall,
];

impl Grammar {
    /// The reply's text, spoilt as often as `defect_rate` says.
    pub(in super::super) fn question_text(
        &self,
        request: &Request,
        variables: &AskVariables,
        chance: &mut Chance,
    ) -> String {
        let mut written = self.write_question(variables, chance);
        if self.defect_rate <= 0.0 || !chance.happens(self.defect_rate) {
            return json(&written);
        }
        let wanted = KINDS[chance.below(KINDS.len())];
        let kind = if changes(&mut written, wanted, chance) { wanted } else { DefectKind::BrokenJson };
        self.sidecar.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(Defect {
            stage: request.stage.to_string(),
            item: request.item.to_string(),
            draw: request.draw,
            kind,
        });
        let stray = |texts: &[String], chance: &mut Chance| chance.pick(texts).cloned().unwrap_or_default();
        match kind {
            DefectKind::BrokenJson => json(&written).trim_end_matches('}').to_owned(),
            DefectKind::Refusal => stray(&self.pack.strays.refusals, chance),
            DefectKind::WrongLanguage => {
                json(&WrittenQuestion { question: stray(&self.pack.strays.foreign, chance), ..written })
            }
            _ => json(&written),
        }
    }
}

fn json(written: &WrittenQuestion) -> String {
    serde_json::to_string(written).unwrap_or_default()
}

/// Spoils the label; whether there was something to spoil.
fn changes(written: &mut WrittenQuestion, kind: DefectKind, chance: &mut Chance) -> bool {
    match kind {
        DefectKind::MissingParameter => settled(written, chance)
            .map(|(call, name)| written.parameters.get_mut(call).and_then(|it| it.shift_remove(&name)))
            .is_some(),
        DefectKind::DriftedValue => {
            let Some((call, name)) = settled(written, chance) else { return false };
            let value = written.parameters.get_mut(call).and_then(|it| it.get_mut(&name));
            value.map(|value| *value = drifted(value)).is_some()
        }
        DefectKind::InventedParameter => {
            let call = chance.below(written.parameters.len().max(1));
            written.parameters.get_mut(call).map(|it| it.insert("extra".to_owned(), Value::Bool(true))).is_some()
        }
        DefectKind::DuplicatedCall => {
            let last = written.parameters.last().cloned();
            written.parameters.extend(last);
            true
        }
        _ => true,
    }
}

/// One of the arguments that the question settles.
fn settled(written: &WrittenQuestion, chance: &mut Chance) -> Option<(usize, String)> {
    let of_call = |(call, arguments): (usize, &Object)| {
        let settled = arguments.iter().filter(|(_, value)| value.as_str() != Some(PLACEHOLDER));
        settled.map(|(name, _)| (call, name.clone())).collect::<Vec<_>>()
    };
    let places: Vec<(usize, String)> = written.parameters.iter().enumerate().flat_map(of_call).collect();
    chance.pick(&places).cloned()
}

/// Another value of the same type.
fn drifted(value: &Value) -> Value {
    match value {
        Value::String(text) => {
            let turned = text.chars().map(|letter| {
                letter.to_digit(10).and_then(|digit| char::from_digit((digit + 1) % 10, 10)).unwrap_or(letter)
            });
            let turned: String = turned.collect();
            Value::from(if turned == *text { format!("{text} 2") } else { turned }.as_str())
        }
        Value::Bool(truth) => Value::Bool(!truth),
        Value::Number(number) => Value::from(number.as_f64() + 1.0),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::tasks::read_question;

    fn written() -> WrittenQuestion {
        let text =
            r#"{"parameters": [{"id": "C1", "n": 3}, {"id": "$$$"}], "mentions": [1, 2], "question": "close it"}"#;
        read_question(text, 0).unwrap().0
    }

    #[test]
    fn every_kind_leaves_a_label_that_is_not_the_sound_one() {
        for kind in KINDS {
            for draw in 0..10 {
                let mut spoilt = written();
                assert!(changes(&mut spoilt, kind, &mut Chance::new(1, "s", "i", draw)));
                let label = !matches!(kind, DefectKind::BrokenJson | DefectKind::WrongLanguage | DefectKind::Refusal);
                assert_eq!(spoilt != written(), label, "{kind:?}");
                assert_eq!(spoilt.question, "close it");
            }
        }
    }

    #[test]
    fn without_a_settled_value_there_is_none_to_lose() {
        let mut open = written();
        open.parameters.remove(0);
        assert!(!changes(&mut open, DefectKind::MissingParameter, &mut Chance::new(1, "s", "i", 0)));
    }

    #[test]
    fn a_drifted_value_keeps_its_type() {
        assert_eq!(drifted(&Value::from("AC109")).as_str(), Some("AC210"));
        assert_eq!(drifted(&Value::from("Anna")).as_str(), Some("Anna 2"));
        assert!(drifted(&Value::read("2").unwrap()).as_number().is_some());
    }
}
