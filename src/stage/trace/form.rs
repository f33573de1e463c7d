//! Whether a call has the form that its function asks for.

use crate::record::{FunctionCall, Tool, Violation};
use crate::world::CallFault;

/// What is wrong with the form of a call: a parameter that is missing or unknown, a value of another type or not listed.
pub(in crate::stage) fn check_form(tool: &Tool, call: &FunctionCall) -> Result<(), CallFault> {
    let parameters = &tool.parameters;
    if let Some(name) = parameters.required.iter().find(|name| !call.arguments.contains_key(*name)) {
        return Err(CallFault::Missing { parameter: name.clone() });
    }
    for (name, value) in &call.arguments {
        let Some(parameter) = parameters.properties.get(name) else {
            return Err(CallFault::UnknownParameter { parameter: name.clone() });
        };
        if let Err(violation) = parameter.check(value) {
            let expected = match violation {
                Violation::Keyword(text) => format!("{} ({text})", parameter.type_name()),
                _ => parameter.type_name().to_owned(),
            };
            return Err(CallFault::Invalid { parameter: name.clone(), expected, value: value.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::silent;
    use super::super::testing::{call, inn, tool};
    use super::*;

    #[test]
    fn what_is_missing_unknown_or_of_another_type_is_told() {
        let context = inn(silent());
        let search = tool(&context, "Search_Inns");
        let told = |more: &str| {
            let arguments = format!(r#"{{"town_id": "T1", "arrival": "2024-11-01"{more}}}"#);
            check_form(&search, &call("Search_Inns", &arguments)).err().map(|fault| fault.to_string())
        };
        let rest = r#", "departure": "2024-11-02""#;
        assert_eq!(told(rest), None);
        assert_eq!(told("").as_deref(), Some("`departure` is missing"));
        assert_eq!(told(&format!("{rest}, \"colour\": 1")).as_deref(), Some("there is no parameter `colour`"));
        assert_eq!(told(&format!("{rest}, \"guests\": \"two\"")).as_deref(), Some("`guests` is no number: \"two\""));
        assert_eq!(told(&format!("{rest}, \"sort\": \"name\"")).as_deref(), Some("`sort` is no string: \"name\""));
    }
}
