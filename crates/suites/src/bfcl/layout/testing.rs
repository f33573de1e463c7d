//! Samples for tests.

use crate::record::Sample;
use serde_json::{Value as Json, json};

/// A sample that wants something of one function, `a.f`.
#[expect(clippy::needless_pass_by_value, reason = "tests write values where they are wanted")]
pub(crate) fn sample(id: &str, expected: Json, parameters: Json) -> Sample {
    serde_json::from_value(json!({
        "id": id, "suite": "hammerbench", "data_type": "x", "locale": "en", "group": "t", "expected": expected,
        "messages": [{"role": "user", "content": "Do it"}],
        "candidates": [{"name": "a.f", "description": "d", "parameters": parameters}],
        "licence": "CC0", "source": "test", "provenance": {"template": false, "draws": []},
    }))
    .unwrap()
}
