//! Checks parameters, and writes their descriptions out.

use super::super::steps::reader::{Reader, Text};
use super::super::steps::template::Node;
use super::super::steps::text::WorldText;
use super::super::structure::ParameterText;
use super::super::tables::json;
use super::function::{Follows, Format, Param};
use fcgen_core::locale::FunctionPhrases;
use fcgen_core::record::{Source, Value};
use indexmap::IndexMap;
use toml::Spanned;

/// The JSON types that a parameter may have.
const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];

/// What the parameters of a function are checked against.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) function: &'a str,
    pub(crate) tables: &'a [&'a str],
    /// Whether a table has a column.
    pub(crate) has_column: &'a dyn Fn(&str, &str) -> bool,
    pub(crate) kinds: &'a dyn Fn(&str) -> bool,
    /// The texts, nearest first: those of the domain, then those for all.
    pub(crate) texts: &'a [&'a WorldText],
}

impl Reader<'_> {
    /// Checks a parameter; what its sources are is linked later, when all answers are known.
    pub(crate) fn parameter(&mut self, name: &str, text: &Spanned<ParameterText>, ground: Ground<'_>) -> Param {
        let given = text.get_ref();
        let description = ground.texts.iter().find_map(|it| it.describe(ground.function, name)).cloned();
        let description = description.unwrap_or_else(|| {
            self.fault(text.span(), format!("no text for the parameter `{name}` of `{}`", ground.function));
            String::new()
        });
        let mut param = Param {
            type_name: given.type_name.as_ref().map_or_else(|| "string".to_owned(), |it| it.get_ref().clone()),
            description,
            kind: given.kind.as_ref().map(|kind| kind.get_ref().clone()),
            constraint: given.constraint,
            required: given.required,
            default: given.default.as_ref().map(json),
            listed: given.listed.as_ref().map(|values| values.iter().map(json).collect()),
            range: given.range.map(|[least, most]| (least, most)),
            format: None,
            of: given.of.as_ref().map(|of| of.get_ref().clone()),
            values: self.columns(&given.values, ground),
            from: Vec::new(),
            exact: given.exact,
            set: given.set,
            protected: given.protected,
            follows: follows(given),
            near: given.near.as_ref().map(|near| near.get_ref().clone()),
            like: given.like.as_ref().map(|like| like.get_ref().clone()),
            drawn: given.drawn.map(|[least, most]| (least, most, given.drawn_step.unwrap_or(1.0))),
            fields: IndexMap::new(),
        };
        self.check_words(given, ground);
        if let Some(format) = &given.format {
            param.format = Format::ALL.iter().find(|(word, _)| word == format.get_ref()).map(|(_, format)| *format);
            if param.format.is_none() {
                self.unknown(format.span(), "format", format.get_ref(), &Format::ALL.map(|(word, _)| word));
            }
        }
        if let Some(default) = param.default.as_ref().filter(|default| !fits(&param, default)) {
            self.fault(text.span(), format!("invalid default {default} for the parameter `{name}`"));
        }
        if param.required && param.default.is_some() {
            self.fault(text.span(), format!("`{name}` is required and must not have a default"));
        }
        for (field, text) in &given.fields {
            let path = format!("{name}.{field}");
            param.fields.insert(field.clone(), self.parameter(&path, text, ground));
        }
        param
    }

    /// The columns that `values` names, as `cities.name`.
    fn columns(&mut self, texts: &[Text], ground: Ground<'_>) -> Vec<(String, String)> {
        let mut columns = Vec::new();
        for text in texts {
            match text.get_ref().split_once('.').filter(|(table, column)| (ground.has_column)(table, column)) {
                Some((table, column)) => columns.push((table.to_owned(), column.to_owned())),
                None => self.fault(text.span(), format!("expected a known `TABLE.COLUMN`, found `{}`", text.get_ref())),
            }
        }
        columns
    }

    fn check_words(&mut self, given: &ParameterText, ground: Ground<'_>) {
        if let Some(type_name) = given.type_name.as_ref().filter(|it| !TYPES.contains(&it.get_ref().as_str())) {
            self.unknown(type_name.span(), "type", type_name.get_ref(), &TYPES);
        }
        if let Some(of) = given.of.as_ref().filter(|of| !ground.tables.contains(&of.get_ref().as_str())) {
            self.unknown(of.span(), "table", of.get_ref(), ground.tables);
        }
        if let Some(kind) = given.kind.as_ref().filter(|kind| !(ground.kinds)(kind.get_ref())) {
            self.fault(kind.span(), format!("unknown value kind `{}` in this locale", kind.get_ref()));
        }
    }

    /// The places in answers that a parameter names as its sources: `Search_Hotels: hotels[].hotel_id`.
    pub(crate) fn sources(
        &mut self,
        text: &ParameterText,
        functions: &[&str],
        gives: &IndexMap<String, Node>,
        place: &str,
    ) -> Vec<(Source, String)> {
        let mut sources = Vec::new();
        for from in &text.from {
            let Some((function, path)) = from.get_ref().split_once(':').map(|(one, two)| (one.trim(), two.trim()))
            else {
                self.fault(
                    from.span(),
                    format!("expected `FUNCTION: place.in.its[].answer`, found `{}`", from.get_ref()),
                );
                continue;
            };
            let Some(give) = gives.get(function) else {
                self.unknown(from.span(), "function", function, functions);
                continue;
            };
            match give.at(path) {
                Some((_, pointer)) => {
                    let source = Source { tool: function.to_owned(), field: format!("{place}{pointer}") };
                    sources.push((source, path.to_owned()));
                }
                None => self.fault(from.span(), format!("no `{path}` in the answer of `{function}`")),
            }
        }
        sources
    }
}

fn follows(given: &ParameterText) -> Option<Follows> {
    let [least, most] = given.days.unwrap_or([1, 7]);
    let parameter = given.after.as_ref()?.get_ref().clone();
    Some(Follows { parameter, days: (least, most.max(least)), length: given.length.clone() })
}

/// Whether a default is of the parameter's own kind.
fn fits(param: &Param, default: &Value) -> bool {
    let typed = match param.type_name.as_str() {
        "integer" => default.as_number().is_some_and(|number| number.as_f64().fract() == 0.0),
        "number" => default.as_number().is_some(),
        other => default.type_name() == other,
    };
    let ranged = default
        .as_number()
        .zip(param.range)
        .is_none_or(|(number, (least, most))| (least..=most).contains(&number.as_f64()));
    typed && ranged && param.listed.as_ref().is_none_or(|listed| listed.iter().any(|it| it.equals(default)))
}

/// A description with what follows from the declaration: the default, and where the value comes from.
pub(crate) fn written_out(param: &Param, sources: &[(Source, String)], phrases: &FunctionPhrases) -> String {
    let mut sentences = vec![param.description.clone()];
    if let Some(default) = &param.default {
        let value = default.as_str().map_or_else(|| default.to_string(), str::to_owned);
        sentences.push(phrases.default.replace("{value}", &value));
    }
    if !sources.is_empty() {
        let tools: Vec<String> = sources.iter().map(|(source, path)| format!("{} ({path})", source.tool)).collect();
        sentences.push(phrases.source.replace("{tools}", &tools.join(&phrases.or)));
    }
    sentences.join(&phrases.joiner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::declared::testing::{inn, told, world_faults};

    #[test]
    fn defaults_and_sources_are_told() {
        let world = inn("en");
        let described = |function: &str, name: &str| world.functions[function].parameters[name].description.clone();
        assert_eq!(described("Search_Inns", "guests"), "Number of guests. Default value is 2.");
        assert_eq!(described("Search_Inns", "town_id"), "Town id. Comes from Find_Town ([].id).");
        assert_eq!(inn("ko").functions["Search_Inns"].parameters["guests"].description, "투숙객 수. 기본값은 2입니다.");
        let source = &world.functions["Get_Inn"].parameters["token"].from[0];
        assert_eq!((source.tool.as_str(), source.field.as_str()), ("Search_Inns", "/data/inns/0/token"));
    }

    #[test]
    fn what_a_parameter_says_of_itself_must_be_so() {
        for (old, new, expected) in [
            ("default = 2, range", "default = 99, range", "invalid default 99 for the parameter `guests`"),
            (
                "default = 2, range",
                "default = 2, required = true, range",
                "`guests` is required and must not have a default",
            ),
            (
                "type = \"number\", default = 2",
                "type = \"numbr\", default = 2",
                "unknown type `numbr`; did you mean `number`?",
            ),
            ("format = \"date\"", "format = \"dat\"", "unknown format `dat`; did you mean `date`?"),
            ("of = \"towns\"", "of = \"town\"", "unknown table `town`; did you mean `towns`?"),
            (
                "values = [\"towns.name\"]",
                "values = [\"towns.nam\"]",
                "expected a known `TABLE.COLUMN`, found `towns.nam`",
            ),
            (
                "[\"Find_Town: [].id\"]",
                "[\"Find_Twon: [].id\"]",
                "unknown function `Find_Twon`; did you mean `Find_Town`?",
            ),
            ("[\"Find_Town: [].id\"]", "[\"Find_Town: id\"]", "no `id` in the answer of `Find_Town`"),
            (
                "[\"Find_Town: [].id\"]",
                "[\"Find_Town\"]",
                "expected `FUNCTION: place.in.its[].answer`, found `Find_Town`",
            ),
        ] {
            let faults = world_faults(old, new);
            assert!(faults.iter().any(|fault| fault.contains(expected)), "{new}: {faults:?}");
        }
    }

    #[test]
    fn every_fault_of_a_parameter_is_told_with_its_line() {
        insta::assert_snapshot!(told(&[
            ("quiet = { type = \"boolean\", default = false }", "quiet = { type = \"boolean\", default = 0 }"),
            ("quiet = { type = \"boolean\", default = false }", "quiet = { type = \"integer\", default = 1.5 }"),
            (
                "sort = { enum = [\"price\", \"stars\"], default = \"price\"",
                "sort = { enum = [\"price\", \"stars\"], default = \"name\""
            ),
            ("ages = { format = \"numbers\"", "ages = { format = \"number\""),
            (
                "kind = \"city\", values = [\"towns.name\"], constraint = \"location\" }\n\n[functions.Locate",
                "kind = \"town\" }\n\n[functions.Locate"
            ),
            ("values = [\"towns.name\"]", "values = [\"towns\"]"),
            ("day = { required = true, format = \"date\" }", "day = { type = \"day\" }"),
            ("from = [\"Find_Town: [].id\"] }, day", "from = [\"Find_Town: [].idd\"] }, day"),
            (
                "from = [\"Search_Inns: inns[].token\"], constraint = \"token\" }\n\n[functions.Plan",
                "from = [\"Search_Inns: token\", \"Search_Inn: inns[].token\"] }\n\n[functions.Plan"
            ),
        ]));
    }

    fn param(type_name: &str) -> Param {
        Param { type_name: type_name.to_owned(), ..Param::default() }
    }

    #[test]
    fn a_default_fits_by_type_range_and_list() {
        let number = Param { range: Some((1.0, 8.0)), ..param("number") };
        for (value, fit) in [("1", true), ("8", true), ("2.5", true), ("0.5", false), ("9", false), ("\"2\"", false)] {
            assert_eq!(fits(&number, &Value::read(value).unwrap()), fit, "{value}");
        }
        let listed = Param { listed: Some(vec!["a".into(), "b".into()]), ..param("string") };
        assert!(fits(&listed, &"b".into()) && !fits(&listed, &"c".into()) && !fits(&listed, &1.into()));
        assert!(fits(&param("integer"), &2.into()) && !fits(&param("integer"), &Value::read("2.5").unwrap()));
        assert!(fits(&param("array"), &Value::List(Vec::new())) && !fits(&param("boolean"), &0.into()));
    }

    #[test]
    fn a_description_says_only_what_there_is_to_say() {
        let phrases = FunctionPhrases::load(crate::fixtures::assets(), "en").unwrap();
        let bare = Param { description: "Day.".to_owned(), ..param("string") };
        assert_eq!(written_out(&bare, &[], &phrases), "Day.");
        let source = |tool: &str| (Source { tool: tool.to_owned(), field: "/a".to_owned() }, "a".to_owned());
        let told = Param { default: Some("x".into()), ..bare };
        assert_eq!(
            written_out(&told, &[source("F"), source("G")], &phrases),
            "Day. Default value is x. Comes from F (a) or G (a)."
        );
    }

    #[test]
    fn columns_of_values_are_tables_with_their_columns() {
        let world = inn("en");
        let query = &world.functions["Find_Town"].parameters["query"];
        assert_eq!(query.values, [("towns".to_owned(), "name".to_owned())]);
        assert_eq!((query.kind.as_deref(), query.required, query.type_name.as_str()), (Some("city"), true, "string"));
        let guests = &world.functions["Search_Inns"].parameters["guests"];
        assert_eq!(
            (guests.range, guests.default.as_ref().map(ToString::to_string)),
            (Some((1.0, 8.0)), Some("2".to_owned()))
        );
    }
}
