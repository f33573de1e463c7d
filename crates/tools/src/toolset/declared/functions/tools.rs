//! The tools that a model is shown, and what the graph of answers and parameters is drawn from.

use super::super::steps::template::Node;
use super::function::{Declaration, Format, Function, Param};
use fcgen_core::record::{Parameter, Parameters, Tool};
use serde_json::{Map, Value as Json, json};

/// The tool of a function.
pub(crate) fn tool(function: &Function, world: &Declaration) -> Tool {
    let mut tool = Tool {
        name: function.name.clone(),
        description: function.description.clone(),
        parameters: Parameters {
            properties: function.parameters.iter().map(|(name, param)| (name.clone(), parameter(param))).collect(),
            required: function
                .parameters
                .iter()
                .filter(|(_, param)| param.required)
                .map(|(name, _)| name.clone())
                .collect(),
            ..Parameters::default()
        },
        returns: Some(returns(function, world)),
        ..Tool::default()
    };
    for (name, param) in &function.parameters {
        tool.kinds.extend(param.kind.clone().map(|kind| (name.clone(), kind)));
        tool.refers.extend(param.of.clone().map(|of| (name.clone(), format!("{}.{of}", world.name))));
        if !param.from.is_empty() {
            tool.from.insert(name.clone(), param.from.clone());
        }
    }
    // What others take from this answer is what it yields.
    let others = world.functions.values().flat_map(|other| other.parameters.values());
    for param in others.flat_map(|param| std::iter::once(param).chain(param.fields.values())) {
        for source in param.from.iter().filter(|source| source.tool == function.name) {
            let refers = param.of.as_ref().map(|of| format!("{}.{of}", world.name));
            let yielded = tool.yields.entry(source.field.clone()).or_default();
            yielded.refers = refers.or(yielded.refers.take());
            yielded.kind = param.kind.clone().or(yielded.kind.take());
        }
    }
    tool
}

fn parameter(param: &Param) -> Parameter {
    let mut more = Map::new();
    if param.format == Some(Format::Date) {
        more.insert("format".to_owned(), "date".into());
    }
    if param.type_name == "array" && !param.fields.is_empty() {
        let fields = |param: &Param| serde_json::to_value(parameter(param)).unwrap_or_default();
        let properties: Map<String, Json> =
            param.fields.iter().map(|(name, param)| (name.clone(), fields(param))).collect();
        let required: Vec<&String> =
            param.fields.iter().filter(|(_, param)| param.required).map(|(name, _)| name).collect();
        more.insert("items".to_owned(), json!({"type": "object", "properties": properties, "required": required}));
    }
    Parameter {
        kind: Some(param.type_name.as_str().into()),
        description: Some(param.description.clone()),
        values: param.listed.as_ref().map(|values| values.iter().map(Json::from).collect()),
        more,
        ..Parameter::default()
    }
}

fn returns(function: &Function, world: &Declaration) -> Json {
    let data = schema(&function.give, function, world);
    match &world.envelope.success {
        Some(success) => wrapped(success, &data, function, world),
        None => data,
    }
}

fn wrapped(node: &Node, data: &Json, function: &Function, world: &Declaration) -> Json {
    match node {
        Node::Computed(expression) if expression.text() == "data" => data.clone(),
        Node::Map(map) => {
            let fields: Map<String, Json> =
                map.iter().map(|(key, node)| (key.clone(), wrapped(node, data, function, world))).collect();
            json!({"type": "object", "properties": fields})
        }
        other => schema(other, function, world),
    }
}

/// The JSON Schema of a template, as far as it is known without running it.
fn schema(node: &Node, function: &Function, world: &Declaration) -> Json {
    match node {
        Node::Fixed(value) => json!({"type": value.type_name()}),
        Node::List(list) => {
            json!({"type": "array", "items": list.first().map_or(json!({}), |node| schema(node, function, world))})
        }
        Node::Each { give, .. } => json!({"type": "array", "items": schema(give, function, world)}),
        Node::With { give, .. } => schema(give, function, world),
        Node::Map(map) => {
            let fields: Map<String, Json> =
                map.iter().map(|(key, node)| (key.clone(), schema(node, function, world))).collect();
            json!({"type": "object", "properties": fields})
        }
        Node::Computed(expression) => {
            let type_name = expression.as_path().and_then(|path| type_of(path, function, world));
            type_name.map_or(json!({}), |type_name| json!({"type": type_name}))
        }
    }
}

fn type_of<'a>(path: &[String], function: &'a Function, world: &'a Declaration) -> Option<&'a str> {
    match path {
        [name] => function
            .parameters
            .get(name)
            .filter(|param| param.required || param.default.is_some())
            .map(|param| param.type_name.as_str()),
        [row, field] if row == "row" => {
            // The steps tell which table a row is of; where they name several, all must agree.
            let mut types = tables_of(function, world).into_iter().map(|table| table.type_of(field));
            let first = types.next()??;
            types.all(|other| other == Some(first)).then_some(first)
        }
        _ => None,
    }
}

fn tables_of<'a>(function: &Function, world: &'a Declaration) -> Vec<&'a super::super::table::TableSpec> {
    let named = |step: &super::super::steps::step::Step| match step {
        super::super::steps::step::Step::From { tables, .. } => tables.clone(),
        super::super::steps::step::Step::Insert { table, .. } => vec![table.clone()],
        _ => Vec::new(),
    };
    let last = function.steps.iter().map(named).rfind(|tables| !tables.is_empty()).unwrap_or_default();
    last.iter().filter_map(|table| world.tables.get(table)).collect()
}

#[cfg(test)]
mod tests {
    use fcgen_core::record::Graph;

    use crate::toolset::declared::testing::{FOLDER, known};

    #[test]
    fn a_model_is_shown_types_defaults_and_listed_values() {
        let toolset = crate::fixtures::toolset(FOLDER, "en");
        let tool = toolset.tool("Search_Inns").unwrap();
        let shown = serde_json::to_string(&tool.parameters).unwrap();
        assert!(
            shown.contains(r#""arrival":{"type":"string","description":"Day of arrival.","format":"date"}"#),
            "{shown}"
        );
        assert!(shown.contains(r#""sort":{"type":"string","description":"Order of the results. Default value is price.","enum":["price","stars"]}"#), "{shown}");
        assert!(shown.ends_with(r#""required":["town_id","arrival","departure"]}"#), "{shown}");
        assert_eq!(tool.kinds.len(), 0);
        assert_eq!(toolset.tool("Find_Town").unwrap().kinds["query"], "city");
    }

    #[test]
    fn answers_are_typed_as_far_as_tables_tell() {
        let toolset = crate::fixtures::toolset(FOLDER, "en");
        let returns = toolset.tool("Search_Inns").unwrap().returns.clone().unwrap();
        let inn = &returns["properties"]["data"]["properties"]["inns"]["items"]["properties"];
        assert_eq!((&inn["name"]["type"], &inn["stars"]["type"]), (&"string".into(), &"integer".into()));
        assert_eq!(returns["properties"]["status"]["type"], "boolean");
    }

    #[test]
    fn answers_feed_the_parameters_that_name_them() {
        let toolset = crate::fixtures::toolset(FOLDER, "en");
        let found = toolset.tool("Find_Town").unwrap();
        assert_eq!(found.yields["/data/0/id"].refers.as_deref(), Some("inn.towns"));
        let graph = Graph::new(&toolset.tools);
        let feeds = graph.feeders("Get_Inn", "token").iter().any(|source| source.tool == "Search_Inns");
        assert!(feeds || !toolset.tool("Get_Inn").unwrap().from["token"].is_empty());
    }

    /// The schema of what `F` answers, and that of its parameters.
    fn shown(steps: &str, give: &str) -> (String, String) {
        let toolset = known(steps, give).unwrap();
        let tool = toolset.tool("F").unwrap();
        (tool.returns.clone().unwrap().to_string(), serde_json::to_string(&tool.parameters).unwrap())
    }

    #[test]
    fn every_form_of_an_answer_has_its_schema() {
        for (steps, give, schema) in [
            ("", "1", r#"{"type":"number"}"#),
            ("", "'x'", "{}"),
            ("", "[true, 'x']", r#"{"items":{"type":"boolean"},"type":"array"}"#),
            ("", "[]", r#"{"items":{},"type":"array"}"#),
            ("{ from = ['places'] }, { one = 'x' }", "'row.side'", r#"{"type":"string"}"#),
            (
                "{ from = ['places'] }",
                "{ for = 'row in rows', give = 'row.size' }",
                r#"{"items":{"type":"number"},"type":"array"}"#,
            ),
            ("{ from = ['places', 'notes'] }, { one = 'x' }", "'row.id'", r#"{"type":"string"}"#),
            ("{ from = ['inns'] }, { one = 'x' }", "'row.beds'", "{}"),
            (
                "{ insert = 'notes', values = {} }",
                "{ a = 'row.text' }",
                r#"{"properties":{"a":{"type":"string"}},"type":"object"}"#,
            ),
        ] {
            let told: serde_json::Value = serde_json::from_str(&shown(steps, give).0).unwrap();
            assert_eq!(told, serde_json::from_str::<serde_json::Value>(schema).unwrap(), "{steps} {give}");
        }
    }

    #[test]
    fn lists_of_objects_show_their_fields_and_which_must_be_there() {
        let toolset = crate::fixtures::toolset(FOLDER, "en");
        let legs =
            serde_json::to_value(&toolset.tool("Plan_Tour").unwrap().parameters).unwrap()["properties"]["legs"].clone();
        assert_eq!((&legs["type"], &legs["items"]["type"]), (&"array".into(), &"object".into()));
        assert_eq!(legs["items"]["required"], serde_json::json!(["town_id", "day"]));
        assert_eq!(legs["items"]["properties"]["day"]["format"], "date");
        assert!(shown("", "1").1.contains(r#""list":{"type":"array","description":"list"}"#), "{}", shown("", "1").1);
    }

    #[test]
    fn what_a_parameter_refers_to_and_comes_from_is_told_to_the_graph() {
        let toolset = crate::fixtures::toolset(FOLDER, "en");
        let booking = toolset.tool("Cancel_Booking").unwrap();
        assert_eq!(booking.refers["booking_id"], "inn.bookings");
        assert_eq!(booking.from["booking_id"][0].tool, "Book_Inn");
        assert_eq!(toolset.tool("Book_Inn").unwrap().yields["/data/id"].refers.as_deref(), Some("inn.bookings"));
        let search = toolset.tool("Search_Inns").unwrap();
        assert!(search.yields.contains_key("/data/inns/0/token") && search.refers["town_id"] == "inn.towns");
    }

    #[test]
    fn an_answer_without_a_wrapping_is_the_data_itself_and_a_wrapping_keeps_its_own_types() {
        let bare: serde_json::Value = serde_json::from_str(&shown("", "{ a = 1 }").0).unwrap();
        assert_eq!(bare["properties"]["a"]["type"], "number");
        let toolset = crate::fixtures::toolset(FOLDER, "en");
        for tool in &toolset.tools {
            let returns = tool.returns.as_ref().unwrap();
            assert_eq!(returns["properties"]["status"]["type"], "boolean", "{}", tool.name);
            assert!(returns["properties"]["data"].is_object() && returns["properties"]["message"].is_object());
        }
    }
}
