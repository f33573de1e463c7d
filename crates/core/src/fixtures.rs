//! What many unit tests read, loaded once for all of them.

use crate::assets::Assets;
use crate::locale::{Language, Pack};
use crate::memo::Memo;
use crate::python::PythonValue;
use crate::record::{BorrowedValue, Number, Value};
use proptest::prelude::*;
use std::path::Path;
use std::sync::{Arc, LazyLock};

/// The files of the project.
pub fn assets() -> &'static Assets {
    static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets::disk(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")));
    &ASSETS
}

/// The pack of a shipped locale.
pub fn pack(locale: &str) -> Arc<Pack> {
    static PACKS: LazyLock<Memo<Pack>> = LazyLock::new(Memo::default);
    PACKS.get(locale, || Pack::load(assets(), locale).unwrap_or_else(|error| panic!("{error}")))
}

/// The language of a shipped locale.
pub fn language(locale: &str) -> Arc<Language> {
    static LANGUAGES: LazyLock<Memo<Language>> = LazyLock::new(Memo::default);
    LANGUAGES.get(locale, || Language::load(assets(), locale).unwrap_or_else(|error| panic!("{error}")))
}

/// A folder of its own with these files, by their paths.
pub fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let write = || {
        let folder = tempfile::tempdir()?;
        for (path, text) in files {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap_or(Path::new("")))?;
            std::fs::write(path, text)?;
        }
        Ok::<_, std::io::Error>(folder)
    };
    write().unwrap_or_else(|error| panic!("{error}"))
}

/// Any value; `NaN` and its like included if `constants`.
pub fn any_value(constants: bool) -> impl Strategy<Value = Value> {
    let special: &[&str] = if constants { &["NaN", "-Infinity", "1e400"] } else { &["-0", "1.00", "1E+2"] };
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::from),
        "[1-9][0-9]{0,40}(\\.[0-9]{1,9})?".prop_map(|text| Number::parse(&text).map_or(Value::Null, Value::Number)),
        prop::sample::select(special.to_vec()).prop_map(|text| Number::parse(text).map_or(Value::Null, Value::Number)),
        any::<String>().prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::List),
            prop::collection::vec((any::<String>(), inner), 0..5)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// What `json.loads` makes of a text.
pub fn json(text: &str) -> PythonValue<'_> {
    BorrowedValue::read_lenient(text).unwrap_or_else(|error| panic!("{error}")).into()
}

/// Any value that a call could hold.
pub fn any_python() -> impl Strategy<Value = PythonValue<'static>> {
    let text = || prop_oneof!["[a-z ,./'-]{0,6}", any::<String>()].prop_map(|text| PythonValue::Text(text.into()));
    let leaf = prop_oneof![
        Just(PythonValue::None),
        any::<bool>().prop_map(PythonValue::Bool),
        prop_oneof![any::<i64>(), -2..3_i64].prop_map(PythonValue::Int),
        "[1-9][0-9]{19,30}".prop_map(|digits| PythonValue::whole(&digits)),
        prop_oneof![any::<f64>(), Just(1.0), Just(f64::NAN)].prop_map(PythonValue::Float),
        text(),
    ];
    leaf.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(PythonValue::List),
            prop::collection::vec(inner.clone(), 0..4).prop_map(PythonValue::Tuple),
            prop::collection::btree_map("[a-c]{1,2}", inner, 0..4).prop_map(|entries| {
                let text = |(key, value): (String, _)| (PythonValue::Text(key.into()), value);
                PythonValue::Dict(entries.into_iter().map(text).collect())
            }),
        ]
    })
}
