//! Checks the steps of a function, one after the other, with what each adds to the names of the next.

use super::names::Names;
use super::reader::{Reader, Text};
use super::step::{FORMS, Step, Values};
use super::structure::StepText;
use super::table::TableSpec;
use indexmap::IndexMap;
use toml::Spanned;

/// Deepest nesting of steps in steps.
const DEPTH: usize = 8;

/// What steps are checked against.
#[derive(Clone, Copy)]
pub(super) struct Course<'a> {
    pub(super) tables: &'a IndexMap<String, TableSpec>,
    /// Steps that others use by name.
    pub(super) shared: &'a IndexMap<String, Spanned<Vec<Spanned<StepText>>>>,
    /// The parameters of the function.
    pub(super) parameters: &'a [&'a str],
    /// The messages for calls that are refused.
    pub(super) errors: &'a [&'a str],
    pub(super) depth: usize,
}

impl Reader<'_> {
    /// Checks steps; `names` gains what they add.
    pub(super) fn steps(&mut self, texts: &[Spanned<StepText>], names: &mut Names, course: Course<'_>) -> Vec<Step> {
        texts.iter().flat_map(|text| self.step(text, names, course)).collect()
    }

    fn step(&mut self, text: &Spanned<StepText>, names: &mut Names, course: Course<'_>) -> Vec<Step> {
        let Some(form) = self.form(text) else { return Vec::new() };
        let step = text.get_ref();
        if form != "use" {
            return self
                .plain(form, step, names, course)
                .or_else(|| self.over_rows(form, step, names, course))
                .into_iter()
                .collect();
        }
        let Some(name) = &step.run else { return Vec::new() };
        let Some(shared) = course.shared.get(name.get_ref()).filter(|_| course.depth < DEPTH) else {
            let known: Vec<&str> = course.shared.keys().map(String::as_str).collect();
            self.unknown(name.span(), "list of steps", name.get_ref(), &known);
            return Vec::new();
        };
        self.steps(shared.get_ref(), names, Course { depth: course.depth + 1, ..course })
    }

    /// The one thing that a step does, if its keys go together.
    fn form(&mut self, text: &Spanned<StepText>) -> Option<&'static str> {
        let keys = text.get_ref().keys();
        // `from`, `where` and the like may refine nothing else, so the first form that all keys fit is meant.
        let fits = |(name, wanted, besides): &&(&str, &[&str], &[&str])| {
            let known = |key: &&str| key == name || wanted.contains(key) || besides.contains(key);
            keys.contains(name) && keys.iter().all(known) && wanted.iter().all(|key| keys.contains(key))
        };
        if let Some((name, ..)) = FORMS.iter().find(fits) {
            return Some(name);
        }
        let meant = FORMS.iter().find(|(name, ..)| keys.contains(name));
        let message = if let Some((name, wanted, besides)) = meant {
            let more = if besides.is_empty() { String::new() } else { format!(", and may have {}", listed(besides)) };
            let needs = if wanted.is_empty() { "stands alone".to_owned() } else { format!("needs {}", listed(wanted)) };
            format!("a step `{name}` {needs}{more}; found {}", listed(&keys))
        } else {
            format!("a step does one of {}", listed(&FORMS.map(|(name, ..)| name)))
        };
        self.fault(text.span(), message);
        None
    }

    /// Steps that do not look at each row.
    fn plain(&mut self, form: &str, step: &StepText, names: &mut Names, course: Course<'_>) -> Option<Step> {
        match form {
            "let" => {
                let mut values = Values::new();
                for (name, text) in step.names.as_ref()? {
                    values.extend(self.expression(text, names).map(|it| (name.clone(), it)));
                    names.add(name);
                }
                Some(Step::Let(values))
            }
            "require" => {
                let holds = self.expression(step.require.as_ref()?, names);
                let parameter = self.parameter_name(step.parameter.as_ref()?, course)?;
                let error = step.error.as_ref()?;
                if !course.errors.contains(&error.get_ref().as_str()) {
                    self.unknown(error.span(), "message", error.get_ref(), course.errors);
                }
                Some(Step::Require { holds: holds?, parameter, error: error.get_ref().clone() })
            }
            "open" => {
                let parameter = self.parameter_name(step.open.as_ref()?, course)?;
                let name = step.name.as_ref()?.get_ref().clone();
                names.add(&name);
                let mark = step.mark.as_ref().map_or_else(|| parameter.clone(), |mark| mark.get_ref().clone());
                Some(Step::Open { parameter, mark, name })
            }
            "from" => self.from(step, names, course),
            "each" => {
                let list = self.expression(step.each.as_ref()?, names)?;
                names.add_like("outer", "row");
                names.add_like("row", list.text());
                Some(Step::Each(list))
            }
            "keep" => {
                let name = step.keep.as_ref()?.get_ref().clone();
                names.add_like(&name, "row");
                Some(Step::Keep(name))
            }
            "combine" => {
                let list = self.expression(step.combine.as_ref()?, names);
                let (name, into) = (step.name.as_ref()?.get_ref().clone(), step.into.as_ref()?.get_ref().clone());
                let mut inner = names.with(&name);
                let steps = self.steps(step.steps.as_ref()?, &mut inner, course);
                names.add_fields("row", [into.clone()]);
                Some(Step::Combine { list: list?, name, into, steps })
            }
            "insert" => {
                let table = self.table_name(step.insert.as_ref()?, course)?;
                let values = self.values(step.values.as_ref()?, names);
                self.check_columns(step.values.as_ref()?, &table, course);
                names.add_fields("row", fields(&[&table], course));
                Some(Step::Insert { table, values })
            }
            _ => None,
        }
    }

    fn from(&mut self, step: &StepText, names: &mut Names, course: Course<'_>) -> Option<Step> {
        let from = step.from.as_ref()?.get_ref();
        let tables: Vec<String> = from.iter().filter_map(|table| self.table_name(table, course)).collect();
        let empty = IndexMap::new();
        let by = step.by.as_ref().unwrap_or(&empty);
        if let Some(outer) = names.fields("row").cloned() {
            names.add_fields("outer", outer);
        }
        let values = self.values(by, names);
        for table in &tables {
            self.check_columns(by, table, course);
        }
        let listed: Vec<&String> = tables.iter().collect();
        names.add_fields("row", fields(&listed, course));
        if tables.len() > 1 {
            names.add_field("row", "table");
        }
        (!tables.is_empty()).then_some(Step::From { tables, by: values })
    }

    /// Steps that look at each row, so that `row` must be there.
    fn over_rows(&mut self, form: &str, step: &StepText, names: &mut Names, course: Course<'_>) -> Option<Step> {
        match form {
            "where" => {
                let holds = self.expression(step.holds.as_ref()?, names)?;
                let when = step.when.as_ref().and_then(|when| self.expression(when, names));
                Some(Step::Where { holds, when })
            }
            "find" => {
                let text = self.expression(step.find.as_ref()?, names)?;
                let within = step.within.as_ref()?.iter().filter_map(|it| self.expression(it, names)).collect();
                Some(Step::Find { text, within, nearest: step.nearest.unwrap_or(false) })
            }
            "filters" => {
                let parameter = self.parameter_name(step.filters.as_ref()?, course)?;
                Some(Step::Filters { parameter, by: self.values(step.by.as_ref()?, names) })
            }
            "join" => {
                let table = self.table_name(step.join.as_ref()?, course)?;
                let on = self.expression(step.on.as_ref()?, names)?;
                let name = step.name.as_ref()?.get_ref().clone();
                names.add_field("row", &name);
                Some(Step::Join { table, on, name })
            }
            "gather" => {
                let mut inner = names.clone();
                let steps = self.steps(step.steps.as_ref()?, &mut inner, course);
                let name = step.gather.as_ref()?.get_ref().clone();
                names.add_field("row", &name);
                Some(Step::Gather { name, steps })
            }
            "compute" => {
                let mut values = Values::new();
                for (name, text) in step.compute.as_ref()? {
                    values.extend(self.expression(text, names).map(|it| (name.clone(), it)));
                    names.add_field("row", name);
                }
                Some(Step::Compute(values))
            }
            _ => self.ordering(form, step, names, course),
        }
    }

    fn ordering(&mut self, form: &str, step: &StepText, names: &mut Names, course: Course<'_>) -> Option<Step> {
        match form {
            "seal" => {
                let name = step.seal.as_ref()?.get_ref().clone();
                let holding = self.values(step.holding.as_ref()?, names);
                let each = names.missing("row").is_none();
                if each {
                    names.add_field("row", &name);
                } else {
                    names.add(&name);
                }
                let mark = step.mark.as_ref().map_or_else(|| name.clone(), |mark| mark.get_ref().clone());
                Some(Step::Seal { each, name, mark, length: step.length?, holding })
            }
            "sort" => self.sort(step, names, course),
            "page" => {
                let number = self.expression(step.page.as_ref()?, names);
                let size = self.expression(step.size.as_ref()?, names);
                Some(Step::Page { number: number?, size: size? })
            }
            "one" => Some(Step::One { parameter: self.parameter_name(step.one.as_ref()?, course)? }),
            "update" => {
                let table = self.table_name(step.update.as_ref()?, course)?;
                self.check_columns(step.values.as_ref()?, &table, course);
                Some(Step::Update { table, values: self.values(step.values.as_ref()?, names) })
            }
            "delete" => Some(Step::Delete { table: self.table_name(step.delete.as_ref()?, course)? }),
            _ => None,
        }
    }

    fn sort(&mut self, step: &StepText, names: &Names, course: Course<'_>) -> Option<Step> {
        let by = step.sort.as_ref()?;
        let Some(texts) = &step.orders else {
            let order = self.expression(by, names)?;
            return Some(Step::Sort { parameter: None, orders: IndexMap::from([(String::new(), vec![order])]) });
        };
        let parameter = self.parameter_name(by, course)?;
        let order =
            |reader: &mut Self, texts: &Vec<Text>| texts.iter().filter_map(|it| reader.expression(it, names)).collect();
        let orders = texts.iter().map(|(name, texts)| (name.clone(), order(self, texts))).collect();
        Some(Step::Sort { parameter: Some(parameter), orders })
    }

    fn values(&mut self, texts: &IndexMap<String, Text>, names: &Names) -> Values {
        texts.iter().filter_map(|(name, text)| Some((name.clone(), self.expression(text, names)?))).collect()
    }

    fn table_name(&mut self, text: &Text, course: Course<'_>) -> Option<String> {
        let name = text.get_ref();
        if course.tables.contains_key(name) {
            return Some(name.clone());
        }
        let known: Vec<&str> = course.tables.keys().map(String::as_str).collect();
        self.unknown(text.span(), "table", name, &known);
        None
    }

    fn parameter_name(&mut self, text: &Text, course: Course<'_>) -> Option<String> {
        let name = text.get_ref();
        if course.parameters.contains(&name.as_str()) {
            return Some(name.clone());
        }
        self.unknown(text.span(), "parameter", name, course.parameters);
        None
    }

    fn check_columns(&mut self, values: &IndexMap<String, Text>, table: &str, course: Course<'_>) {
        let Some(spec) = course.tables.get(table) else { return };
        let fields: Vec<&str> = spec.fields().map(String::as_str).collect();
        for (name, text) in values.iter().filter(|(name, _)| !fields.contains(&name.as_str())) {
            self.unknown(text.span(), &format!("column of `{table}`"), name, &fields);
        }
    }
}

fn listed(keys: &[&str]) -> String {
    keys.iter().map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ")
}

/// The columns that all of these tables have.
fn fields(tables: &[&String], course: Course<'_>) -> Vec<String> {
    let specs: Vec<&TableSpec> = tables.iter().filter_map(|table| course.tables.get(*table)).collect();
    let Some((first, others)) = specs.split_first() else { return Vec::new() };
    let shared = |field: &&String| others.iter().all(|other| other.fields().any(|it| it == *field));
    first.fields().filter(shared).cloned().collect()
}

#[cfg(test)]
mod tests {
    use crate::toolset::declared::testing::world_faults;

    #[test]
    fn a_step_does_one_thing_and_names_what_is_there() {
        for (old, new, expected) in [
            ("{ one = \"token\" }", "{ one = \"tokn\" }", "there is no parameter `tokn`; did you mean `token`?"),
            ("{ one = \"token\" }", "{ oen = \"token\" }", "unknown field `oen`"),
            ("{ one = \"token\" }", "{ as = \"x\" }", "a step does one of `use`, `let`"),
            (
                "{ one = \"token\" }",
                "{ one = \"token\", size = \"3\" }",
                "a step `one` stands alone; found `size`, `one`",
            ),
            (
                "{ one = \"token\" }",
                "{ seal = \"x\" }",
                "a step `seal` needs `length`, `holding`, and may have `mark`; found `seal`",
            ),
            (
                "{ use = \"priced\" }",
                "{ use = \"pricd\" }",
                "there is no list of steps `pricd`; did you mean `priced`?",
            ),
            (
                "from = [\"inns\"], by = { town = \"town_id\" }",
                "from = [\"inn\"], by = { town = \"town_id\" }",
                "there is no table `inn`; did you mean `inns`?",
            ),
            (
                "by = { town = \"town_id\" }",
                "by = { twon = \"town_id\" }",
                "there is no column of `inns` `twon`; did you mean `town`?",
            ),
            ("row.stars", "row.strs", "nothing is called `row.strs` here; did you mean `stars`?"),
            ("error = \"late\"", "error = \"lat\"", "there is no message `lat`; did you mean `late`?"),
            ("nights(arrival", "nihgts(arrival", "nothing is called `nihgts` here; did you mean `nights`?"),
        ] {
            let faults = world_faults(old, new);
            assert!(faults.iter().any(|fault| fault.contains(expected)), "{new}: {faults:?}");
        }
    }
}
