//! JSON Schemas of the rows, from `profiles/export-schemas.json`.

use serde_json::Value;

/// The schema of that name (`export-trl`, `export-openai-dpo` ...), whole in itself.
pub fn row_schema(name: &str) -> Option<Value> {
    let mut all: Value = serde_json::from_str(&crate::assets().read("profiles/export-schemas.json")?).ok()?;
    let shared = all.get_mut("$defs").map(Value::take)?;
    let mut schema = all.get_mut(name).map(Value::take)?;
    schema.as_object_mut()?.insert("$defs".to_owned(), shared);
    Some(schema)
}

#[cfg(test)]
mod tests {
    use super::super::row::{Reasoning, Written, hermes, llamafactory, llamafactory_openai, openai, trl, xlam};
    use super::super::testing::{lesson, masked, parallel};
    use super::super::{Lesson, Turn};
    use super::*;
    use crate::export::pairing::pairs::{self, Reader, Wrong};

    fn must_fit(name: &str, written: Written) {
        let validator = jsonschema::validator_for(&row_schema(name).unwrap()).unwrap();
        let row = serde_json::Value::from(&crate::record::Value::Object(written.unwrap().0));
        let faults: Vec<String> = validator.iter_errors(&row).map(|fault| fault.to_string()).collect();
        assert!(faults.is_empty(), "{name}: {faults:?} in {row}");
    }

    fn safe(mut lesson: Lesson) -> Lesson {
        super::super::rename::make_safe(&mut lesson, &mut super::super::rename::Table::default());
        lesson
    }

    #[test]
    fn every_row_is_as_its_schema_says() {
        for lesson in [lesson("call"), lesson("question"), lesson("refusal"), lesson("answer"), parallel(), masked()] {
            must_fit("export-trl", trl::row(&lesson, Reasoning::Keep, false));
            must_fit("export-trl-arrow", trl::row(&lesson, Reasoning::Keep, true));
            must_fit("export-openai", openai::row(&safe(lesson.clone()), Reasoning::Tags));
        }
        for lesson in [lesson("call"), lesson("question"), parallel()] {
            must_fit("export-llamafactory", llamafactory::row(&lesson, Reasoning::Tags));
            must_fit("export-llamafactory-openai", llamafactory_openai::row(&lesson, Reasoning::Drop));
            must_fit("export-hermes", hermes::row(&lesson, Reasoning::Tags));
        }
        must_fit("export-xlam", xlam::row(&lesson("call"), Reasoning::Drop));
    }

    #[test]
    fn pairs_and_prompts_are_as_their_schemas_say() {
        let lesson = safe(lesson("call"));
        let turn = Turn::said(crate::record::Role::Assistant, "Where to?");
        let wrong = Wrong { turn, from: "defect", reason: "no_call".to_owned() };
        for (name, reader) in [("trl", Reader::Trl), ("openai", Reader::Openai), ("llamafactory", Reader::Llamafactory)]
        {
            must_fit(&format!("export-{name}-dpo"), pairs::row(&lesson, &wrong, reader, Reasoning::Drop));
        }
        must_fit("export-trl-rl", pairs::prompt(&lesson, Reader::Trl, Reasoning::Drop));
        assert!(row_schema("export-abacus").is_none());
    }
}
