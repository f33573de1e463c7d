//! Whether the right calls are made, in the right order.

use super::error::ErrorClass;
use super::gold::Gold;

/// What is wrong with the names of the calls; nothing if they are right.
pub(super) fn differences<S: AsRef<str>>(gold: &Gold<'_>, said: &[S]) -> Vec<(ErrorClass, String)> {
    if gold.names().eq(said.iter().map(AsRef::as_ref)) {
        return Vec::new();
    }
    let mut missing: Vec<&str> = gold.names().collect();
    let mut extra = Vec::new();
    for name in said.iter().map(AsRef::as_ref) {
        match missing.iter().position(|wanted| *wanted == name) {
            Some(at) => drop(missing.remove(at)),
            None => extra.push(name),
        }
    }
    let (extra, invented): (Vec<&str>, Vec<&str>) =
        extra.into_iter().partition(|name| gold.tool(name).is_some() || gold.names().any(|wanted| wanted == *name));
    let told = |class, names: Vec<&str>, what: &'static str| {
        names.into_iter().map(move |name| (class, format!("`{name}` {what}"))).collect::<Vec<_>>()
    };
    let mut found = told(ErrorClass::InventedApi, invented, "is no API of the list");
    found.extend(told(ErrorClass::MissingStep, missing, "is not called"));
    found.extend(told(ErrorClass::ExtraStep, extra, "is called though nothing wants it"));
    if found.is_empty() {
        let order: Vec<&str> = gold.names().collect();
        found.push((ErrorClass::Order, format!("the order is {}", order.join(", "))));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::super::gold::tests::sample;
    use super::*;
    use proptest::prelude::*;

    fn classes(wanted: &[&str], said: &[&str]) -> Vec<(&'static str, String)> {
        let calls: Vec<(&str, &str)> = wanted.iter().map(|name| (*name, "{}")).collect();
        let sample = sample(&calls);
        let found = differences(&Gold::of(&sample).unwrap(), said);
        found.into_iter().map(|(class, reason)| (class.as_str(), reason)).collect()
    }

    #[test]
    fn each_difference_has_its_class() {
        let names = |wanted: &[&str], said: &[&str]| {
            classes(wanted, said).into_iter().map(|(class, _)| class).collect::<Vec<_>>()
        };
        assert!(names(&["getX", "getX"], &["getX", "getX"]).is_empty());
        assert_eq!(names(&["getX", "getY"], &["getY", "getX"]), ["order"]);
        assert_eq!(names(&["getX", "getY"], &["getX"]), ["missing_step"]);
        assert_eq!(names(&["getX"], &["getX", "getX"]), ["extra_step"]);
        assert_eq!(names(&["getX"], &["getY"]), ["missing_step", "extra_step"]);
        assert_eq!(names(&["getX"], &["getx", "getX"]), ["invented_api"]);
        assert_eq!(names(&["getQ"], &["getQ", "getQ"]), ["extra_step"], "the truth itself names it");
        assert_eq!(names(&["getX"], &[]), ["missing_step"]);
    }

    #[test]
    fn the_reason_names_the_call() {
        let said = classes(&["getX", "getY"], &["getY", "getX"]);
        assert_eq!(said, [("order", "the order is getX, getY".to_owned())]);
        assert_eq!(classes(&[], &["fly"]), [("invented_api", "`fly` is no API of the list".to_owned())]);
    }

    proptest! {
        #[test]
        fn nothing_is_wrong_exactly_if_the_names_are_equal(wanted in prop::collection::vec("get[XYZ]", 0..4), said in prop::collection::vec("get[WXYZ]", 0..4)) {
            let as_str = |names: &[String]| names.iter().map(String::clone).collect::<Vec<_>>();
            let (wanted, said) = (as_str(&wanted), as_str(&said));
            let borrowed = |names: &[String]| names.iter().map(|it| it.as_str().to_owned()).collect::<Vec<String>>();
            let (one, other) = (borrowed(&wanted), borrowed(&said));
            let one: Vec<&str> = one.iter().map(String::as_str).collect();
            let other: Vec<&str> = other.iter().map(String::as_str).collect();
            prop_assert_eq!(classes(&one, &other).is_empty(), wanted == said);
        }
    }
}
