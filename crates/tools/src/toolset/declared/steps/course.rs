//! Checks the steps of a function, one after the other, with what each adds to the names of the next.

use super::super::names::Names;
use super::super::structure::StepText;
use super::super::table::TableSpec;
use super::reader::{Reader, Text};
use super::step::{FORMS, Step, Values};
use indexmap::IndexMap;
use toml::Spanned;

/// What steps are checked against.
#[derive(Clone, Copy)]
pub(crate) struct Course<'a> {
    pub(crate) tables: &'a IndexMap<String, TableSpec>,
    /// Steps that others use by name.
    pub(crate) shared: &'a IndexMap<String, Spanned<Vec<Spanned<StepText>>>>,
    /// The parameters of the function.
    pub(crate) parameters: &'a [&'a str],
    /// The messages for calls that are refused.
    pub(crate) errors: &'a [&'a str],
    /// The list of steps that is gone through, in those that use it.
    pub(crate) within: Option<&'a Within<'a>>,
}

/// A list of steps that is being used, in the one that uses it.
pub(crate) struct Within<'a> {
    name: &'a str,
    by: Option<&'a Within<'a>>,
}

impl Within<'_> {
    /// The lists from the one called `name` to this one, where it is among them.
    fn circle(&self, name: &str) -> Option<String> {
        if self.name == name {
            return Some(format!("`{name}`"));
        }
        Some(format!("{} uses `{}`", self.by?.circle(name)?, self.name))
    }
}

impl Reader<'_> {
    /// Checks steps; `names` gains what they add.
    pub(crate) fn steps(&mut self, texts: &[Spanned<StepText>], names: &mut Names, course: Course<'_>) -> Vec<Step> {
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
        if let Some(circle) = course.within.and_then(|within| within.circle(name.get_ref())) {
            self.fault(
                name.span(),
                format!("steps cannot use themselves: {circle} uses `{name}`", name = name.get_ref()),
            );
            return Vec::new();
        }
        let Some(shared) = course.shared.get(name.get_ref()) else {
            let known: Vec<&str> = course.shared.keys().map(String::as_str).collect();
            self.unknown(name.span(), "list of steps", name.get_ref(), &known);
            return Vec::new();
        };
        let within = Within { name: name.get_ref(), by: course.within };
        self.steps(shared.get_ref(), names, Course { within: Some(&within), ..course })
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
            let needs = if wanted.is_empty() {
                "requires no other keys".to_owned()
            } else {
                format!("requires {}", listed(wanted))
            };
            format!("a step `{name}` {needs}{more}; found {}", listed(&keys))
        } else {
            format!("expected a step with one of {}", listed(&FORMS.map(|(name, ..)| name)))
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
                let long = step.long.as_ref().and_then(|text| self.expression(text, names));
                Some(Step::Page { number: number?, size: size?, long })
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
            self.unknown(text.span(), &format!("column in `{table}`:"), name, &fields);
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
    use super::*;
    use crate::toolset::declared::testing::{known, toolset_of, world_faults};
    use insta::assert_snapshot;

    #[test]
    fn a_step_does_one_thing_and_names_what_is_there() {
        for (old, new, expected) in [
            ("{ one = \"token\" }", "{ one = \"tokn\" }", "unknown parameter `tokn`; did you mean `token`?"),
            ("{ one = \"token\" }", "{ oen = \"token\" }", "unknown field `oen`"),
            ("{ one = \"token\" }", "{ as = \"x\" }", "expected a step with one of `use`, `let`"),
            (
                "{ one = \"token\" }",
                "{ one = \"token\", size = \"3\" }",
                "a step `one` requires no other keys; found `size`, `one`",
            ),
            (
                "{ one = \"token\" }",
                "{ seal = \"x\" }",
                "a step `seal` requires `length`, `holding`, and may have `mark`; found `seal`",
            ),
            ("{ use = \"priced\" }", "{ use = \"pricd\" }", "unknown list of steps `pricd`; did you mean `priced`?"),
            (
                "from = [\"inns\"], by = { town = \"town_id\" }",
                "from = [\"inn\"], by = { town = \"town_id\" }",
                "unknown table `inn`; did you mean `inns`?",
            ),
            (
                "by = { town = \"town_id\" }",
                "by = { twon = \"town_id\" }",
                "unknown column in `inns`: `twon`; did you mean `town`?",
            ),
            ("row.stars", "row.strs", "unknown name `row.strs`; did you mean `stars`?"),
            ("error = \"late\"", "error = \"lat\"", "unknown message `lat`; did you mean `late`?"),
            ("nights(arrival", "nihgts(arrival", "unknown name `nihgts`; did you mean `nights`?"),
        ] {
            let faults = world_faults(old, new);
            assert!(faults.iter().any(|fault| fault.contains(expected)), "{new}: {faults:?}");
        }
    }

    /// What is told of a function of each of these lists of steps, over tables that are known.
    fn told(lists: &[&str]) -> String {
        let of = |steps: &&str| {
            let faults = known(steps, "1").err().unwrap_or_default();
            let lines = std::iter::once((*steps).to_owned()).chain(faults.iter().map(|fault| format!("    {fault}")));
            lines.collect::<Vec<_>>().join("\n") + "\n"
        };
        lists.iter().map(of).collect()
    }

    /// Whether a function may give this after these steps.
    fn gives(steps: &str, give: &str) -> bool {
        known(steps, &format!("\"{give}\"")).is_ok()
    }

    #[test]
    fn every_form_says_what_it_lacks() {
        assert_snapshot!(told(&[
            "{ require = 'true' }",
            "{ open = 'x' }",
            "{ find = 'x' }",
            "{ filters = 'x' }",
            "{ join = 'places', as = 'p' }",
            "{ gather = 'g' }",
            "{ combine = 'list', as = 'it' }",
            "{ seal = 't', length = 9 }",
            "{ page = 'n' }",
            "{ insert = 'notes' }",
            "{ update = 'notes' }",
            "{ delete = 'notes', by = {} }",
            "{ keep = 'k', as = 'x' }",
            "{ each = 'list', as = 'x' }",
            "{ let = {}, when = 'true' }",
            "{}",
        ]));
    }

    #[test]
    fn every_name_that_is_not_there_is_told_with_its_line() {
        assert_snapshot!(told(&[
            "{ let = { a = 'nobody', b = 'a' } }",
            "{ require = 'nobody', parameter = 'y', error = 'no' }",
            "{ require = 'true', parameter = 'x', error = 'yes' }",
            "{ open = 'y', as = 'o' }",
            "{ from = ['place', 'inn'] }",
            "{ from = ['places'], by = { sides = 'x' } }",
            "{ from = ['places'], by = { side = 'y' } }",
            "{ each = 'lists' }",
            "{ combine = 'lists', as = 'it', into = 'i', steps = [{ from = ['place'] }] }",
            "{ from = ['places'] }, { where = 'row.sise > 1', when = 'y' }",
            "{ from = ['places'] }, { find = 'y', within = ['row.id'] }",
            "{ from = ['places'] }, { find = 'x', within = ['row.id', 'row.name'] }",
            "{ from = ['places'] }, { filters = 'y', by = { a = 'row.nothing' } }",
            "{ from = ['places'] }, { join = 'inn', on = 'row.id', as = 'i' }",
            "{ from = ['inns'] }, { join = 'places', on = 'row.plac', as = 'p' }",
            "{ from = ['places'] }, { gather = 'g', steps = [{ from = ['inns'], by = { place = 'outer.name' } }] }",
            "{ from = ['places'] }, { compute = { a = 'row.b', b = '1' } }",
            "{ from = ['places'] }, { seal = 't', length = 9, holding = { a = 'row.name' } }",
            "{ from = ['places'] }, { sort = 'row.name' }",
            "{ from = ['places'] }, { sort = 'y', orders = { a = ['row.size'] } }",
            "{ from = ['places'] }, { sort = 'x', orders = { a = ['row.name'] } }",
            "{ from = ['places'] }, { page = 'y', size = 'z' }",
            "{ from = ['places'] }, { one = 'y' }",
            "{ insert = 'note', values = {} }",
            "{ insert = 'notes', values = { txt = 'x', text = 'y' } }",
            "{ from = ['notes'] }, { update = 'notes', values = { txt = 'x' } }",
            "{ from = ['notes'] }, { delete = 'note' }",
        ]));
    }

    #[test]
    fn what_a_step_names_is_there_for_those_after_it_and_for_the_answer() {
        for (steps, give, is_there) in [
            ("{ let = { a = 'n', b = 'a + 1' } }", "b", true),
            ("{ open = 'x', as = 'offer' }", "offer.anything", true),
            ("", "row.id", false),
            ("{ from = ['places'] }", "row.side", true),
            ("{ from = ['places'] }", "row.table", false),
            ("{ from = ['places', 'inns'] }", "row.table", true),
            ("{ from = ['places', 'inns'] }", "row.id", true),
            ("{ from = ['places', 'inns'] }", "row.side", false),
            ("{ each = 'list' }", "row.anything", true),
            ("{ from = ['places'] }, { keep = 'kept' }, { from = ['inns'] }", "kept", true),
            ("{ from = ['inns'] }, { join = 'places', on = 'row.place', as = 'p' }", "row.p.side", true),
            ("{ from = ['places'] }, { gather = 'g', steps = [{ from = ['inns'] }] }", "row.g", true),
            ("{ combine = 'list', as = 'it', into = 'all', steps = [{ from = ['inns'] }] }", "row.all", true),
            ("{ combine = 'list', as = 'it', into = 'all', steps = [{ from = ['inns'] }] }", "row.beds", false),
            ("{ from = ['places'] }, { compute = { a = '1', b = 'row.a' } }", "row.b", true),
            ("{ seal = 't', length = 9, holding = {} }", "t", true),
            ("{ from = ['places'] }, { seal = 't', length = 9, holding = {} }", "row.t", true),
            ("{ from = ['places'] }, { seal = 't', length = 9, holding = {} }", "t", false),
            ("{ insert = 'notes', values = {} }", "row.text", true),
            ("{ from = ['places'] }, { use = 'small' }", "count", true),
        ] {
            assert_eq!(gives(steps, give), is_there, "{steps} gives {give}");
        }
    }

    #[test]
    fn steps_that_use_themselves_are_told_where_they_do() {
        let with = |shared: &str, steps: &str| {
            let world = format!(
                "[tables.places]\nfrom = \"places.json\"\n[steps]\n{shared}\n[functions.F]\nsteps = [{steps}]\ngive = 1\n"
            );
            toolset_of(&world, "[F]\ndescription = \"f\"\n").err().unwrap_or_default()
        };
        assert_eq!(
            with("a = [{ use = \"a\" }]", "{ use = \"a\" }"),
            ["world/w.toml:4: steps cannot use themselves: `a` uses `a`"]
        );
        let three = "a = [{ use = \"b\" }]\nb = [{ use = \"c\" }]\nc = [\n{ use = \"a\" }]";
        assert_eq!(
            with(three, "{ use = \"a\" }, { use = \"b\" }"),
            [
                "world/w.toml:7: steps cannot use themselves: `a` uses `b` uses `c` uses `a`",
                "world/w.toml:4: steps cannot use themselves: `b` uses `c` uses `a` uses `b`",
            ]
        );
        let inner = "a = [{ from = [\"places\"] }, { gather = \"g\", steps = [{ use = \"a\" }] }]";
        assert_eq!(with(inner, "{ use = \"a\" }"), ["world/w.toml:4: steps cannot use themselves: `a` uses `a`"]);
    }

    #[test]
    fn the_same_steps_may_be_used_twice_and_deep_down() {
        let lists: Vec<String> =
            (1..20).map(|at| format!("s{at} = [{{ use = \"s{}\" }}, {{ use = \"s0\" }}]", at - 1)).collect();
        let world = format!(
            "[tables.places]\nfrom = \"places.json\"\n[steps]\ns0 = [{{ from = [\"places\"] }}]\n{}\n[functions.F]\nsteps = [{{ use = \"s19\" }}]\ngive = \"count\"\n",
            lists.join("\n")
        );
        let toolset = toolset_of(&world, "[F]\ndescription = \"f\"\n").unwrap();
        let steps = &toolset.world.unwrap().functions["F"].steps;
        assert!(steps.len() == 20 && steps.iter().all(|step| matches!(step, Step::From { .. })));
    }

    #[test]
    fn tables_that_are_searched_together_share_their_columns() {
        let toolset =
            known("{ from = ['places', 'inns'] }, { one = 'x' }", "{ what = 'row.table', id = 'row.id' }").unwrap();
        let Step::From { tables, by } = &toolset.world.unwrap().functions["F"].steps[0] else { panic!("another step") };
        assert_eq!((tables.as_slice(), by.len()), (&["places".to_owned(), "inns".to_owned()][..], 0));
    }
}
