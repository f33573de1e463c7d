//! The values that a request says, and the parameters that may take them.

use super::functions::{Functions, is_compound};
use super::golden::Golden;
use super::harvest::key;
use crate::toolset::{Format, Param};
use crate::world::declared::mismatch;
use fcgen_core::record::Value;

/// A value that the request says, or that follows from a golden answer.
#[derive(Debug)]
pub(super) struct Known<'a> {
    name: &'a str,
    param: &'a Param,
    pub(super) value: Value,
    /// The golden call from whose answer it follows; none where the request says it.
    pub(super) after: Option<usize>,
}

/// Everything that golden arguments tell of the request.
pub(super) fn knowns<'a>(golden: &'a Golden<'_>, functions: &'a Functions) -> Vec<Known<'a>> {
    let mut knowns: Vec<Known<'a>> = Vec::new();
    for call in &golden.calls {
        let Some(offer) = functions.offers.get(&call.call.name) else { continue };
        for (name, value) in &call.call.arguments {
            let Some((name, param)) = offer.params.get_key_value(name) else { continue };
            if call.unsaid.contains(name) {
                continue;
            }
            let timed = matches!(param.format, Some(Format::Date | Format::Time));
            match call.sources(name) {
                [] => knowns.extend(said(name, param, value)),
                [_, ..] if is_compound(param) => knowns.extend(own_parts(param, value)),
                [source] if timed || call.derived.contains(name) => {
                    knowns.push(Known { name, param, value: value.clone(), after: Some(*source) });
                }
                _ => {}
            }
        }
    }
    knowns
}

/// A value that is said, with what stands in its elements.
fn said<'a>(name: &'a str, param: &'a Param, value: &Value) -> Vec<Known<'a>> {
    let mut knowns = vec![Known { name, param, value: value.clone(), after: None }];
    knowns.extend(
        elements(value)
            .flat_map(|element| {
                let fields = param.fields.iter();
                fields.filter_map(move |(field, inner)| Some((field, inner, element.as_object()?.get(field)?)))
            })
            .map(|(name, param, value)| Known { name, param, value: value.clone(), after: None }),
    );
    knowns
}

/// What stands in the elements of a list at fields that no answer holds: the request must say it.
fn own_parts<'a>(param: &'a Param, value: &Value) -> Vec<Known<'a>> {
    let own = said("", param, value).into_iter().skip(1);
    own.filter(|known| known.param.from.is_empty()).collect()
}

fn elements(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_list().into_iter().flatten()
}

impl Known<'_> {
    /// Whether a parameter may take it: of the same name, format, kind, sort or list, and of a type that fits.
    pub(super) fn suits(&self, name: &str, param: &Param) -> bool {
        self.is_like(name, param) && mismatch(param, &self.value).is_none()
    }

    fn is_like(&self, name: &str, param: &Param) -> bool {
        fn same<T: PartialEq>(one: Option<&T>, other: Option<&T>) -> bool {
            one.is_some() && one == other
        }
        let own = self.param;
        self.name == name
            || same(own.format.as_ref(), param.format.as_ref())
            || same(own.kind.as_ref(), param.kind.as_ref())
            || same(own.constraint.as_ref(), param.constraint.as_ref())
            || param.listed.is_some()
    }

    /// Whether it is this value, or a set of which this is a part.
    pub(super) fn is(&self, value: &Value) -> bool {
        let part = || Some(self.value.as_str()?.split(',').any(|part| Some(part) == value.as_str()));
        key(&self.value) == key(value) || self.param.set && part() == Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{BOOKING, functions, path};
    use super::*;
    use fcgen_core::record::Step;

    fn shown(steps: &[Step]) -> Vec<String> {
        let functions = functions();
        let golden = Golden::new(steps, &functions);
        knowns(&golden, &functions).iter().map(|it| format!("{} {} {:?}", it.name, it.value, it.after)).collect()
    }

    #[test]
    fn what_is_said_is_known_and_what_is_answered_is_not() {
        let steps = path(BOOKING);
        assert_eq!(
            shown(&steps),
            ["query \"Greyford\" None", "arrival \"2024-11-01\" None", "departure \"2024-11-04\" None"]
        );
    }

    #[test]
    fn a_day_that_follows_from_an_answer_is_known_after_it() {
        let mut steps = path(BOOKING);
        let origin = r#"{"origin": {"derived": {"call": 0, "field": "/data/0/id"}}}"#;
        steps[1].notes[0].insert("departure".to_owned(), serde_json::from_str(origin).unwrap());
        assert_eq!(shown(&steps)[2], "departure \"2024-11-04\" Some(0)");
    }

    #[test]
    fn a_value_suits_parameters_of_its_own_sort() {
        let (steps, functions) = (path(BOOKING), functions());
        let golden = Golden::new(&steps, &functions);
        let knowns = knowns(&golden, &functions);
        let suits =
            |at: usize, function: &str, name: &str| knowns[at].suits(name, &functions.offers[function].params[name]);
        assert!(suits(0, "Locate_Town", "query") && suits(1, "Search_Inns", "departure"));
        assert!(
            !suits(0, "Search_Inns", "arrival") && !suits(1, "Find_Town", "query") && !suits(1, "Search_Inns", "sort")
        );
        assert!(knowns[0].is(&"Greyford".into()) && !knowns[0].is(&"Grey".into()));
    }
}
