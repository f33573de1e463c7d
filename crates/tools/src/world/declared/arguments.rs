//! Whether the arguments of a call are what the parameters say.

use super::session::DeclaredSession;
use crate::toolset::{Format, Function, Param};
use crate::world::CallFault;
use fcgen_core::locale::Stamp;
use fcgen_core::record::{Object, Value};

impl DeclaredSession<'_> {
    /// The arguments with the defaults of those that are left out; everything that is wrong with them comes together.
    pub(super) fn checked(&self, function: &Function, arguments: &Object) -> Result<Object, CallFault> {
        let given: Object = arguments
            .iter()
            .filter(|(_, value)| !value.is_null())
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let mut faults: Vec<CallFault> = Vec::new();
        let mut checked = Object::new();
        for (name, param) in &function.parameters {
            match given.get(name) {
                Some(value) => self.check(name, param, value, &mut faults),
                None if param.required => faults.push(CallFault::Missing { parameter: name.clone() }),
                None => {}
            }
            checked.insert(name.clone(), given.get(name).or(param.default.as_ref()).cloned().unwrap_or_default());
        }
        let unknown = given.keys().filter(|name| !function.parameters.contains_key(*name));
        faults.extend(unknown.map(|name| CallFault::UnknownParameter { parameter: name.clone() }));
        match faults.len() {
            0 => Ok(checked),
            1 => Err(faults.remove(0)),
            _ => Err(CallFault::Several { faults }),
        }
    }

    fn check(&self, name: &str, param: &Param, value: &Value, faults: &mut Vec<CallFault>) {
        if let Some(expected) = mismatch(param, value) {
            faults.push(CallFault::Invalid { parameter: name.to_owned(), expected, value: value.clone() });
            return;
        }
        if let Some(table) = &param.of {
            let key = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if !self.has(table, &key) {
                faults.push(CallFault::NotFound { parameter: name.to_owned(), id: key });
            }
        }
        if !param.fields.is_empty() {
            let elements = value.as_list().into_iter().flatten().enumerate();
            elements.for_each(|(at, element)| self.check_fields(&format!("{name}[{at}]"), param, element, faults));
        }
    }

    fn check_fields(&self, name: &str, param: &Param, element: &Value, faults: &mut Vec<CallFault>) {
        let Some(object) = element.as_object() else {
            let (parameter, expected) = (name.to_owned(), "object".to_owned());
            faults.push(CallFault::Invalid { parameter, expected, value: element.clone() });
            return;
        };
        for (field, inner) in &param.fields {
            let path = format!("{name}.{field}");
            match object.get(field).filter(|value| !value.is_null()) {
                Some(value) => self.check(&path, inner, value, faults),
                None if inner.required => faults.push(CallFault::Missing { parameter: path }),
                None => {}
            }
        }
    }
}

/// What a value should be and is not.
pub(in crate::world) fn mismatch(param: &Param, value: &Value) -> Option<String> {
    let is_typed = match (param.type_name.as_str(), value) {
        ("integer", Value::Number(number)) => number.is_finite() && number.as_f64().fract() == 0.0,
        ("number", Value::Number(number)) => number.as_f64().is_finite(),
        (type_name, value) => value.type_name() == type_name,
    };
    if !is_typed {
        return Some(param.type_name.clone());
    }
    if let Some(listed) = param.listed.as_ref().filter(|listed| !listed.iter().any(|it| it.equals(value))) {
        let words: Vec<String> =
            listed.iter().map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned)).collect();
        return Some(words.join("|"));
    }
    if let (Some((least, most)), Some(number)) = (param.range, value.as_number()) {
        return (!(least..=most).contains(&number.as_f64())).then(|| format!("{least}..{most}"));
    }
    let format = param.format?;
    (!is_written(format, value.as_str().unwrap_or_default())).then(|| format.shown().to_owned())
}

fn is_written(format: Format, text: &str) -> bool {
    match format {
        Format::Date => {
            Stamp::read(text).is_some_and(|it| it.time.is_none() && it.date.is_some_and(|day| day.to_string() == text))
        }
        Format::Time => {
            let clock = Stamp::read(text).and_then(|it| it.time.filter(|_| it.date.is_none()));
            clock.is_some_and(|time| format!("{:02}:{:02}", time.hour, time.minute) == text)
        }
        Format::Numbers => text
            .split(',')
            .all(|part| !part.is_empty() && part.len() < 5 && part.bytes().all(|byte| byte.is_ascii_digit())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::declared::testing::{answer, inn};

    fn faults(tool: &str, json: &str) -> Vec<String> {
        let world = inn("en", 4);
        match world.session().call(tool, &serde_json::from_str(json).unwrap()) {
            Ok(_) => Vec::new(),
            Err(CallFault::Several { faults }) => faults.iter().map(ToString::to_string).collect(),
            Err(fault) => vec![fault.to_string()],
        }
    }

    fn search(more: &str) -> Vec<String> {
        faults(
            "Search_Inns",
            &format!(r#"{{"town_id": "T1", "arrival": "2024-11-01", "departure": "2024-11-03"{more}}}"#),
        )
    }

    #[test]
    fn types_ranges_formats_and_lists_are_kept() {
        assert!(search("").is_empty());
        assert!(search(r#", "guests": 3.0, "ages": "5,8", "quiet": true, "sort": null"#).is_empty());
        assert_eq!(search(r#", "guests": "3""#), ["invalid value for `guests`: expected number, found \"3\""]);
        assert_eq!(search(r#", "guests": 9"#), ["invalid value for `guests`: expected 1..8, found 9"]);
        assert_eq!(search(r#", "sort": "name""#), ["invalid value for `sort`: expected price|stars, found \"name\""]);
        assert_eq!(search(r#", "ages": "5, x""#), ["invalid value for `ages`: expected 5,8, found \"5, x\""]);
        assert_eq!(search(r#", "quiet": 1"#), ["invalid value for `quiet`: expected boolean, found 1"]);
        assert_eq!(search(r#", "colour": 1"#), ["unknown parameter `colour`"]);
    }

    #[test]
    fn days_are_days_of_the_calendar_as_iso_writes_them() {
        for wrong in ["2024-11-31", "2024-1-1", "tomorrow", "2024-11-01T10:00", ""] {
            let told = faults(
                "Search_Inns",
                &format!(r#"{{"town_id": "T1", "arrival": "{wrong}", "departure": "2024-11-03"}}"#),
            );
            assert_eq!(told, [format!("invalid value for `arrival`: expected YYYY-MM-DD, found \"{wrong}\"")]);
        }
        assert!(
            is_written(Format::Time, "08:30")
                && !is_written(Format::Time, "8:30")
                && !is_written(Format::Time, "25:00")
        );
    }

    #[test]
    fn the_fields_of_every_element_are_checked() {
        let leg = |leg: &str| {
            faults("Plan_Tour", &format!(r#"{{"legs": [{{"town_id": "T1", "day": "2024-11-01"}}, {leg}]}}"#))
        };
        assert!(leg(r#"{"town_id": "T2", "day": "2024-11-02"}"#).is_empty());
        assert_eq!(leg("3"), ["invalid value for `legs[1]`: expected object, found 3"]);
        assert_eq!(
            leg(r#"{"town_id": "T9"}"#),
            ["no item found for `legs[1].town_id`: `T9`", "`legs[1].day` is missing"]
        );
        assert_eq!(faults("Plan_Tour", r#"{"legs": {}}"#), ["invalid value for `legs`: expected array, found {}"]);
    }

    #[test]
    fn what_is_left_out_has_its_default_and_null_is_left_out() {
        let give = "{ x = 'x', n = 'n', list = 'list' }";
        assert_eq!(answer("", give, "{}").unwrap(), r#"{"x":null,"n":null,"list":null}"#);
        assert_eq!(answer("", give, r#"{"n": null, "x": ""}"#).unwrap(), r#"{"x":"","n":null,"list":null}"#);
        let world = inn("en", 4);
        let function = &world.declaration().functions["Search_Inns"];
        let given = serde_json::from_str(
            r#"{"town_id": "T1", "arrival": "2024-11-01", "departure": "2024-11-03", "sort": null}"#,
        )
        .unwrap();
        let checked = world.session().checked(function, &given).unwrap();
        assert_eq!(checked.keys().collect::<Vec<_>>(), function.parameters.keys().collect::<Vec<_>>());
        assert_eq!((checked["sort"].as_str(), checked["guests"].to_string().as_str()), (Some("price"), "2"));
        assert!(checked["ages"].is_null());
    }

    #[test]
    fn everything_that_is_wrong_comes_together() {
        assert_eq!(
            faults("Search_Inns", r#"{"town_id": 7, "arrival": "x", "guests": 0, "colour": "red"}"#),
            [
                "invalid value for `town_id`: expected string, found 7",
                "invalid value for `arrival`: expected YYYY-MM-DD, found \"x\"",
                "`departure` is missing",
                "invalid value for `guests`: expected 1..8, found 0",
                "unknown parameter `colour`"
            ]
        );
        assert_eq!(faults("Find_Town", "{}"), ["`query` is missing"]);
    }
}
