//! Cases: what a request is about before anything is planned. `scenarios/*.toml` says what a case holds and how each value is
//! drawn, `<locale>/scenarios/*.toml` what the person says of it.

use super::functions::function::Declaration;
use crate::toolset::resources::source::{Entry, File};
use crate::toolset::{Fault, nearest_name};
use fcgen_core::locale::Pattern;
use indexmap::IndexMap;
use serde::Deserialize;

/// The cases of a toolset; of a trip: who travels, why, from where to where, and when.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Cases {
    /// What a case holds, in the order in which it is drawn.
    pub fields: IndexMap<String, CaseField>,
    /// The cases, by name.
    pub cases: IndexMap<String, Case>,
    /// Functions that people seldom ask for by themselves, such as which filters a search has.
    pub seldom: Vec<String>,
}

/// One value of a case. One of `rows`, `column`, `day`, `after`, `number`, `ages`, `sum` and `count` says how it is drawn.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseField {
    /// The table of whose rows it is one, by the row's key.
    pub rows: Option<String>,
    /// The field from whose value this one must differ.
    pub unlike: Option<String>,
    /// The column of the row that the field `from` names.
    pub column: Option<String>,
    /// The field whose row has the column.
    pub from: Option<String>,
    /// A day: the fewest and the most days from today.
    pub day: Option<[u32; 2]>,
    /// The field with the day that this one follows by `days`.
    pub after: Option<String>,
    /// The fewest and the most days after that day.
    #[serde(default)]
    pub days: [u32; 2],
    /// The least and the greatest number.
    pub number: Option<[u32; 2]>,
    /// The least and the greatest age of those whose number `number` says, with commas between.
    pub ages: Option<[u32; 2]>,
    /// Fields whose numbers are added; of a list of ages how many they are.
    pub sum: Option<Vec<String>>,
    /// How often the case has it, from 0 to 1; always where it is not stated.
    pub share: Option<f64>,
    /// How often a parameter that need not be given takes it, from 0 to 1; always where it is not stated.
    pub taken: Option<f64>,
    /// Values that it never has.
    #[serde(default)]
    pub except: Vec<String>,
    /// The number that nobody says, since calls have it where they say nothing: one room.
    pub unsaid: Option<u32>,
    /// Whether one mention holds for the whole request: who travels.
    #[serde(default)]
    pub once: bool,
    /// The parameters that take it: `name`, `Function.name`, or for a place in a list `list.0.name`. A lookup's is named by the
    /// parameter that it serves.
    #[serde(rename = "for", default)]
    pub takers: Vec<String>,
    /// The field of an answer that must have the same value where a call takes an item of it and another one takes the
    /// value: `Function: path.of.the.item.field`.
    #[serde(default)]
    pub agrees: Vec<String>,
}

/// One case.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Numbers, numbers of ages and days of fields, where they are narrower than the field says.
    #[serde(default)]
    pub within: IndexMap<String, [u32; 2]>,
    /// The least and the greatest age, where that is narrower than the field says.
    pub ages: Option<[u32; 2]>,
    /// Days of the week on which its first day may be, from 1 for Monday.
    #[serde(default)]
    pub weekdays: Vec<u32>,
    /// Fields of which the person may compare two values.
    #[serde(default)]
    pub compares: Vec<String>,
    /// What the person says of it, as whole sentences.
    #[serde(skip)]
    pub says: Vec<String>,
}

impl Cases {
    /// The field that a parameter of a function takes; of a lookup `parameter` is the one that it serves.
    pub fn field(&self, function: &str, parameter: &str) -> Option<(&str, &CaseField)> {
        let own = format!("{function}.{parameter}");
        let of = |wanted: &str| self.fields.iter().find(|(_, field)| field.takers.iter().any(|it| it == wanted));
        of(&own).or_else(|| of(parameter)).map(|(name, field)| (name.as_str(), field))
    }

    /// Takes in what one entry of a file declares.
    pub(in crate::toolset) fn take(&mut self, file: File<'_>, entry: Entry<'_>, faults: &mut Vec<Fault>) {
        match entry.0.as_str() {
            "fields" => {
                self.fields.extend(file.read::<IndexMap<String, CaseField>>(entry, faults).unwrap_or_default());
            }
            "cases" => self.cases.extend(file.read::<IndexMap<String, Case>>(entry, faults).unwrap_or_default()),
            "seldom" => self.seldom.extend(file.read::<Vec<String>>(entry, faults).unwrap_or_default()),
            other => {
                let message = format!("unknown key `{other}`; expected `thread`, `fields`, `cases` or `seldom`");
                faults.push(file.fault(Some(entry.1.span().start), message));
            }
        }
    }

    /// Takes in what is said of one case.
    pub(in crate::toolset) fn say(&mut self, file: File<'_>, entry: Entry<'_>, faults: &mut Vec<Fault>) {
        let (name, start) = (entry.0.clone(), entry.1.span().start);
        let says: Vec<String> = file.read(entry, faults).unwrap_or_default();
        if let Some(text) = says.iter().find(|text| Pattern::parse(text).is_err()) {
            faults.push(
                file.fault(Some(start), format!("`{text}` is not a valid pattern: unbalanced `(a|b)` or `[ ...]`")),
            );
        }
        if let Some(case) = self.cases.get_mut(&name) {
            case.says = says;
        } else {
            let known: Vec<&str> = self.cases.keys().map(String::as_str).collect();
            let message = format!("unknown case `{name}`; {}", nearest_name(&name, &known));
            faults.push(file.fault(Some(start), message));
        }
    }

    /// Whether everything that is named is there, and something is said of each case.
    pub(in crate::toolset) fn check(
        &self,
        (path, text_path): (&str, &str),
        world: &Declaration,
        faults: &mut Vec<Fault>,
    ) {
        for name in self.cases.iter().filter(|(_, case)| case.says.is_empty()).map(|(name, _)| name) {
            let message = format!("no texts for the case `{name}`; expected `{name} = [\"...\"]`");
            faults.push(Fault { path: text_path.to_owned(), line: None, message });
        }
        let mut fault = |message: String| faults.push(Fault { path: path.to_owned(), line: None, message });
        let fields: Vec<&str> = self.fields.keys().map(String::as_str).collect();
        for (name, field) in &self.fields {
            let ways = [
                field.rows.is_some(),
                field.column.is_some(),
                field.day.is_some(),
                field.after.is_some(),
                field.number.is_some(),
                field.sum.is_some(),
            ];
            if ways.into_iter().filter(|it| *it).count() != 1 {
                fault(format!(
                    "`{name}`: expected exactly one of `rows`, `column`, `day`, `after`, `number` and `sum`"
                ));
            }
            let before = fields.iter().position(|it| it == name).unwrap_or(0);
            let named =
                [&field.unlike, &field.from, &field.after].into_iter().flatten().chain(field.sum.iter().flatten());
            for other in named.filter(|it| !fields[..before].contains(&it.as_str())) {
                fault(format!("`{name}` refers to `{other}`, which is not an earlier field"));
            }
            if let Some(table) = field.rows.as_ref().filter(|it| !world.tables.contains_key(*it)) {
                fault(format!("`{name}` takes rows of an unknown table `{table}`"));
            }
        }
        let functions: Vec<&str> = world.functions.keys().map(String::as_str).collect();
        for name in self.seldom.iter().filter(|it| !functions.contains(&it.as_str())) {
            fault(format!("unknown function `{name}` in `seldom`; {}", nearest_name(name, &functions)));
        }
        for (name, case) in &self.cases {
            for other in case.within.keys().chain(&case.compares).filter(|it| !fields.contains(&it.as_str())) {
                fault(format!("unknown field `{other}` in the case `{name}`; {}", nearest_name(other, &fields)));
            }
            if let Some([least, most]) = case.within.values().find(|[least, most]| least > most) {
                fault(format!("the case `{name}` has an inverted range `[{least}, {most}]`"));
            }
            if let Some(day) = case.weekdays.iter().find(|day| !(1..=7).contains(*day)) {
                fault(format!("the case `{name}` has an invalid weekday {day}; expected 1 (Monday) to 7 (Sunday)"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIELDS: &str = r#"
[fields]
start = { day = [3, 9], for = ["arrival", "Book.from"] }
end = { after = "start", days = [1, 4], for = ["departure"] }
[cases.visit]
within = { end = [1, 2] }
weekdays = [5]
"#;

    fn read(structure: &str, text: &str) -> (Cases, Vec<String>) {
        let (mut cases, mut faults) = (Cases::default(), Vec::new());
        let [file, said] =
            [("scenarios/a.toml", structure), ("en/scenarios/a.toml", text)].map(|it| File::new(it.0, it.1));
        file.entries(&mut faults).into_iter().for_each(|entry| cases.take(file, entry, &mut faults));
        said.entries(&mut faults).into_iter().for_each(|entry| cases.say(said, entry, &mut faults));
        cases.check((file.path, said.path), &Declaration::default(), &mut faults);
        (cases, faults.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn a_case_is_read_with_what_is_said_of_it() {
        let (cases, faults) = read(FIELDS, "visit = [\"I visit (a friend|my aunt).\"]");
        assert_eq!(faults, Vec::<String>::new());
        assert_eq!((cases.cases["visit"].within["end"], cases.cases["visit"].says.len()), ([1, 2], 1));
        let field = |function: &str, name: &str| cases.field(function, name).map(|(name, _)| name.to_owned());
        assert_eq!(field("Search", "arrival").as_deref(), Some("start"));
        assert_eq!(field("Book", "from").as_deref(), Some("start"));
        assert_eq!(field("Search", "from"), None, "it takes it of that function alone");
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let faults = |structure: &str, text: &str| read(structure, text).1.join("\n");
        assert!(faults(FIELDS, "visits = [\"a\"]").contains("unknown case `visits`"));
        assert!(faults(FIELDS, "visit = [\"(a\"]").starts_with("en/scenarios/a.toml:1: `(a` is not a valid pattern"));
        assert!(faults("[places]\na = 1", "").contains("unknown key `places`"));
        assert!(faults("[fields]\na = { number = [1, 2], rows = \"x\" }", "").contains("expected exactly one of"));
        assert!(faults("[fields]\na = { rows = \"x\" }", "").contains("an unknown table"));
        assert!(faults("[fields]\na = { after = \"b\", days = [1, 2] }", "").contains("which is not an earlier field"));
        assert!(faults("[cases.a]\nwithin = { b = [2, 1] }\nweekdays = [8]", "").contains("weekday 8"));
        assert!(faults(FIELDS, "").contains("en/scenarios/a.toml: no texts for the case `visit`"));
    }
}
