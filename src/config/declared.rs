//! A `[[stage]]` table as it was read: the keys that all kinds share, and the kind's own config.

use super::problem::{Problem, did_you_mean};
use super::section::Section;
use crate::config::located::Located;
use crate::config::words::found;
use crate::stage::Stage;
use crate::suite::STAGES;
use crate::suite::stages::read_stage;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Keys that mean the same for every kind.
pub(crate) const COMMON_KEYS: &[&str] = &["kind", "name", "from", "model"];

/// A `[[stage]]` table as it was read.
#[derive(Debug)]
pub(crate) struct DeclaredStage {
    /// Its name; its kind where it has none; nothing where neither could be read.
    pub(crate) name: Located,
    /// The stages that it reads from, if the file says so.
    pub(crate) from: Option<Vec<Located>>,
    /// The role that it asks, if the file says so.
    pub(crate) model: Option<Located>,
    /// The config, as far as it could be read.
    pub(crate) stage: Option<Box<dyn Stage>>,
    /// What it is called in messages.
    pub(crate) label: String,
    /// Place of its header.
    pub(crate) span: Range<usize>,
}

impl DeclaredStage {
    /// Reads a stage; `ordinal` counts from 1 and names a stage that has no kind.
    pub(crate) fn read(item: &Spanned<DeValue<'_>>, ordinal: usize, problems: &mut Vec<Problem>) -> Self {
        let mut table = item.get_ref().as_table().cloned().unwrap_or_default();
        let mut taken = |key: &str| table.remove(key);
        let [kind, name, from, model] = ["kind", "name", "from", "model"].map(&mut taken);
        let span = item.span();
        let place = format!("stage {ordinal}");
        let kind_at = kind.as_ref().map_or(span.clone(), Spanned::span);
        if kind.is_none() {
            let hint = did_you_mean("", &kinds(), "kinds");
            problems.push(Problem::new(span.clone(), format!("missing key `kind` in {place}")).hint(hint));
        }
        let kind =
            kind.and_then(|kind| text(&kind, "kind", &place, problems)).inspect(|kind| check_kind(kind, problems));
        let name =
            name.and_then(|name| text(&name, "name", &place, problems)).inspect(|name| check_name(name, problems));
        let label = label(kind.as_ref(), name.as_ref(), &place);
        Self {
            from: from.and_then(|from| texts(&from, &label, problems)),
            model: model.and_then(|model| text(&model, "model", &label, problems)),
            stage: kind.as_ref().and_then(|kind| read_config(kind, table, span.clone(), &label, problems)),
            name: name.or(kind).unwrap_or_else(|| Located::new("", kind_at)),
            label,
            span,
        }
    }
}

fn read_config(
    kind: &str,
    table: DeTable<'_>,
    span: Range<usize>,
    label: &str,
    problems: &mut Vec<Problem>,
) -> Option<Box<dyn Stage>> {
    let before = problems.len();
    let section = Section::new(table, span.clone(), label).common(COMMON_KEYS);
    let places = section.places();
    let stage = read_stage(kind, section, problems);
    let conflicts = stage.iter().flat_map(|stage| stage.settings().conflicts);
    problems.extend(conflicts.map(|(key, message)| {
        let place = places.get(key).cloned().unwrap_or_else(|| span.clone());
        Problem::new(place, format!("{message} in {label}"))
    }));
    // Whether a stage that answers rows is a source depends on its keys, so nothing is said of one that has faults.
    stage.filter(|stage| problems.len() == before || stage.settings().rows.is_none())
}

fn label(kind: Option<&Located>, name: Option<&Located>, place: &str) -> String {
    match (kind, name) {
        (Some(kind), Some(name)) if kind != name => format!("stage `{name}` ({kind})"),
        (Some(word), _) | (None, Some(word)) => format!("stage `{word}`"),
        (None, None) => place.to_owned(),
    }
}

/// A name becomes a part of every id, where `/` parts one stage from the next.
pub(crate) fn check_name(name: &Located, problems: &mut Vec<Problem>) {
    let fits = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '-' || letter == '.';
    if name.is_empty() || !name.chars().all(fits) || name.chars().all(|letter| letter == '.') {
        let hint = "use letters, digits, `_`, `-` and `.`; the name becomes part of ids and paths";
        problems.push(Problem::new(name.span(), format!("invalid name `{name}`")).hint(hint));
    }
}

fn text(value: &Spanned<DeValue<'_>>, key: &str, place: &str, problems: &mut Vec<Problem>) -> Option<Located> {
    let text = value.get_ref().as_str().map(|text| Located::new(text, value.span()));
    if text.is_none() {
        let message = format!("`{key}` in {place}: expected a string, found {}", found(value.get_ref()));
        problems.push(Problem::new(value.span(), message));
    }
    text
}

fn check_kind(kind: &Located, problems: &mut Vec<Problem>) {
    if !kinds().contains(&kind.as_str()) {
        let hint = did_you_mean(kind, &kinds(), "kinds");
        problems.push(Problem::new(kind.span(), format!("unknown kind `{kind}`")).hint(hint));
    }
}

fn kinds() -> Vec<&'static str> {
    STAGES.iter().map(|it| it.kind).collect()
}

fn texts(value: &Spanned<DeValue<'_>>, label: &str, problems: &mut Vec<Problem>) -> Option<Vec<Located>> {
    let items = value.get_ref().as_array().filter(|items| !items.is_empty());
    let names = items.and_then(|items| {
        items.iter().map(|item| Some(Located::new(item.get_ref().as_str()?, item.span()))).collect::<Option<Vec<_>>>()
    });
    if names.is_none() {
        let message = format!("`from` in {label}: expected a list of stage names, such as [\"toolset\"]");
        problems.push(Problem::new(value.span(), message));
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (DeclaredStage, Vec<String>) {
        let table = DeTable::parse(text).unwrap();
        let item = Spanned::new(table.span(), DeValue::Table(table.get_ref().clone()));
        let mut problems = Vec::new();
        let stage = DeclaredStage::read(&item, 3, &mut problems);
        (stage, problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn the_common_keys_are_read_beside_the_kinds_own() {
        let (stage, problems) =
            read("kind = \"candidates\"\nname = \"c\"\nfrom = [\"a\"]\nmodel = \"judge\"\ncount = 4");
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!((stage.name.as_str(), stage.label.as_str()), ("c", "stage `c` (candidates)"));
        assert_eq!(stage.from.unwrap()[0].as_str(), "a");
        assert_eq!(stage.stage.unwrap().kind(), "candidates");
    }

    #[test]
    fn a_stage_without_a_name_is_called_by_its_kind() {
        let (stage, _) = read("kind = \"normalise\"");
        assert_eq!((stage.name.as_str(), stage.label.as_str()), ("normalise", "stage `normalise`"));
    }

    #[test]
    fn a_kind_is_a_known_string() {
        assert_eq!(read("").1, ["missing key `kind` in stage 3"]);
        assert_eq!(read("kind = 4").1, ["`kind` in stage 3: expected a string, found the number `4`"]);
        assert_eq!(read("kind = \"candidate\"").1, ["unknown kind `candidate`"]);
    }

    #[test]
    fn a_name_can_stand_in_an_id_and_in_a_path() {
        for name in ["a/b", "", "a b", ".."] {
            assert_eq!(read(&format!("kind = \"normalise\"\nname = \"{name}\"")).1, [format!("invalid name `{name}`")]);
        }
        assert!(read("kind = \"normalise\"\nname = \"알람-1\"").1.is_empty());
    }

    #[test]
    fn from_is_a_list_of_names() {
        for from in ["\"a\"", "[]", "[1]"] {
            assert!(read(&format!("kind = \"normalise\"\nfrom = {from}")).1[0].contains("a list of stage names"));
        }
    }
}
