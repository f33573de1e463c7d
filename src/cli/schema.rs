//! `fcgen schema`: the JSON Schema of a file that fcgen reads or writes.

use crate::cli::console::exit::OK;
use crate::cli::console::talk::give;
use clap::{Args, ValueEnum};
use fcgen::config::pipeline_schema;
use fcgen::export::row_schema;
use fcgen::llm::ModelConfig;
use fcgen::record::{Prediction, Reject, Sample, Tool};
use fcgen::run::Manifest;
use fcgen::stage::Bank;
use schemars::schema_for;
use serde_json::Value;

/// Flags of `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// File or record type to describe
    kind: SchemaKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SchemaKind {
    /// Pipeline file, for completion and validation in editors
    Pipeline,
    /// `[model.ROLE]` table of a pipeline file
    Model,
    /// Line of samples.jsonl
    Sample,
    /// Line of rejects.jsonl
    Reject,
    /// Line of a predictions file
    Prediction,
    /// Tool, as listed in samples
    Tool,
    /// Bank: goals of users per tool, with their phrasings
    Bank,
    /// manifest.json
    Manifest,
    /// Row of `fcgen export --to trl`
    ExportTrl,
    /// Row of `fcgen export --to trl-arrow`
    ExportTrlArrow,
    /// Row of `fcgen export --to openai`
    ExportOpenai,
    /// Row of `fcgen export --to llamafactory`
    ExportLlamafactory,
    /// Row of `fcgen export --to llamafactory --dialect openai`
    ExportLlamafactoryOpenai,
    /// Row of `fcgen export --to hermes`
    ExportHermes,
    /// Row of `fcgen export --to xlam`
    ExportXlam,
    /// Row of `fcgen export --to trl --objective dpo`
    ExportTrlDpo,
    /// Row of `fcgen export --to openai --objective dpo`
    ExportOpenaiDpo,
    /// Row of `fcgen export --to llamafactory --objective dpo`
    ExportLlamafactoryDpo,
    /// Row of `fcgen export --to trl --objective rl`
    ExportTrlRl,
}

/// Prints the schema.
pub(crate) fn run(arguments: &SchemaArguments) -> anyhow::Result<u8> {
    give(serde_json::to_string_pretty(&schema(arguments.kind))?)?;
    Ok(OK)
}

fn schema(kind: SchemaKind) -> Value {
    match kind {
        SchemaKind::Pipeline => pipeline_schema(),
        SchemaKind::Model => schema_for!(ModelConfig).to_value(),
        SchemaKind::Sample => schema_for!(Sample).to_value(),
        SchemaKind::Reject => schema_for!(Reject).to_value(),
        SchemaKind::Prediction => schema_for!(Prediction).to_value(),
        SchemaKind::Tool => schema_for!(Tool).to_value(),
        SchemaKind::Bank => schema_for!(Bank).to_value(),
        SchemaKind::Manifest => schema_for!(Manifest).to_value(),
        _ => exported(kind),
    }
}

/// The schema of a row that trainers read, which stands in a file of its own.
fn exported(kind: SchemaKind) -> Value {
    let name = kind.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default();
    row_schema(&name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_schema_is_one_and_describes_what_it_is_of() {
        for kind in SchemaKind::value_variants() {
            let schema = schema(*kind);
            assert!(jsonschema::validator_for(&schema).is_ok(), "{kind:?}");
            assert!(schema.get("properties").is_some(), "{kind:?}");
        }
    }
}
