//! Runs the steps of a function.

use super::answer::broken;
use super::generate::Tables;
use super::layer::{Layer, Scope};
use super::seal;
use super::session::DeclaredSession;
use crate::toolset::{Cell, Expression, Step, Values, from_cell, text_of, to_cell};
use crate::world::CallFault;
use fcgen_core::record::{Object, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// The state between two steps.
pub(super) struct Run<'s, 'w> {
    pub(super) session: &'s DeclaredSession<'w>,
    pub(super) arguments: Arc<Object>,
    /// The session's, until a step changes something.
    pub(super) tables: Arc<Tables>,
    pub(super) made: IndexMap<String, usize>,
    pub(super) scope: Arc<Scope>,
    pub(super) rows: Vec<Arc<Layer>>,
    /// How many rows there were before a page was taken.
    pub(super) count: usize,
}

/// A step has nothing to say but what went wrong.
pub(super) type Done = Result<(), CallFault>;

impl<'s, 'w> Run<'s, 'w> {
    pub(super) fn new(session: &'s DeclaredSession<'w>, arguments: Object) -> Self {
        let (tables, made) = (session.tables.clone(), session.made.clone());
        let names = arguments.iter().map(|(name, value)| (name.clone(), to_cell(value))).collect();
        let scope = Scope::over(names, &session.base);
        Self { session, arguments: Arc::new(arguments), tables, made, scope, rows: Vec::new(), count: 0 }
    }

    /// A run of steps within a step: what it changes stays there.
    fn inner(&self, scope: Arc<Scope>) -> Self {
        let (arguments, tables, made) = (self.arguments.clone(), self.tables.clone(), self.made.clone());
        Self { session: self.session, arguments, tables, made, scope, rows: Vec::new(), count: self.count }
    }

    pub(super) fn steps(&mut self, steps: &[Step]) -> Done {
        steps.iter().try_for_each(|step| self.step(step))
    }

    fn step(&mut self, step: &Step) -> Done {
        match step {
            Step::Let(values) => {
                for (name, expression) in values {
                    let value = eval(expression, &self.scope)?;
                    self.scope = self.scope.with(name, value);
                }
                Ok(())
            }
            Step::Require { holds, parameter, error } => {
                let refused = || CallFault::Refused { parameter: parameter.clone(), error: error.clone() };
                if eval(holds, &self.scope)?.is_true() { Ok(()) } else { Err(refused()) }
            }
            Step::Open { parameter, mark, name } => {
                let content = to_cell(&Value::Object(self.open(parameter, mark)?));
                self.scope = self.scope.with(name, content);
                Ok(())
            }
            Step::From { tables, by } => self.from(tables, by),
            Step::Each(list) => self.each(list),
            Step::Keep(name) => {
                let rows: Vec<Cell> = self.rows.iter().map(Layer::cell).collect();
                self.scope = self.scope.with(name, Cell::from(rows));
                Ok(())
            }
            Step::Where { holds, when } => {
                if let Some(when) = when {
                    if !eval(when, &self.scope)?.is_true() {
                        return Ok(());
                    }
                }
                self.keep(|_, scope| Ok(eval(holds, scope)?.is_true()))
            }
            Step::Find { text, within, nearest } => self.find(text, within, *nearest),
            Step::Filters { parameter, by } => self.filters(parameter, by),
            Step::Combine { list, name, into, steps } => self.combine(list, name, into, steps),
            other => self.over_rows(other),
        }?;
        self.count = if matches!(step, Step::Page { .. }) { self.count } else { self.rows.len() };
        Ok(())
    }

    fn over_rows(&mut self, step: &Step) -> Done {
        match step {
            Step::Join { table, on, name } => self.join(table, on, name),
            Step::Gather { name, steps } => {
                let gathered = |run: &Self, scope: &Arc<Scope>| {
                    let mut inner = run.inner(scope.clone());
                    inner.steps(steps)?;
                    Ok(Cell::from(inner.rows.iter().map(Layer::cell).collect::<Vec<Cell>>()))
                };
                self.add(|run, scope| Ok(IndexMap::from([(name.clone(), gathered(run, scope)?)])))
            }
            Step::Compute(values) => self.compute(values),
            Step::Seal { each: false, name, mark, length, holding } => {
                let content = contents(holding, &self.scope)?;
                let token = seal::seal(self.session.world.seed, mark, *length, &content);
                self.scope = self.scope.with(name, Cell::from(token));
                Ok(())
            }
            Step::Seal { each: true, name, mark, length, holding } => {
                let seed = self.session.world.seed;
                self.add(|_, scope| {
                    let content = contents(holding, scope)?;
                    Ok(IndexMap::from([(name.clone(), Cell::from(seal::seal(seed, mark, *length, &content)))]))
                })
            }
            Step::Sort { parameter, orders } => self.sort(parameter.as_deref(), orders),
            Step::Page { number, size, .. } => self.page(number, size),
            Step::One { parameter } => {
                self.rows.truncate(1);
                let row = self.rows.first().ok_or_else(|| self.not_found(parameter))?;
                self.scope = self.scope.with("row", row.cell());
                Ok(())
            }
            Step::Insert { table, values } => self.insert(table, values),
            Step::Update { table, values } => self.update(table, values),
            Step::Delete { table } => {
                self.delete(table);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn not_found(&self, parameter: &str) -> CallFault {
        let value = self.arguments.get(parameter);
        let id = value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        CallFault::NotFound { parameter: parameter.to_owned(), id: id.unwrap_or_default() }
    }

    fn open(&self, parameter: &str, mark: &str) -> Result<Object, CallFault> {
        let text = self.arguments.get(parameter).and_then(Value::as_str).unwrap_or_default();
        seal::open(self.session.world.seed, mark, text).ok_or_else(|| self.not_found(parameter))
    }

    /// Keeps the rows of which `holds` says so.
    pub(super) fn keep(&mut self, holds: impl Fn(&Self, &Arc<Scope>) -> Result<bool, CallFault>) -> Done {
        let mut kept = Vec::new();
        for row in std::mem::take(&mut self.rows) {
            if holds(self, &self.scope.with("row", row.cell()))? {
                kept.push(row);
            }
        }
        self.rows = kept;
        Ok(())
    }

    /// Adds values to every row.
    fn add(&mut self, values: impl Fn(&Self, &Arc<Scope>) -> Result<IndexMap<String, Cell>, CallFault>) -> Done {
        let rows = std::mem::take(&mut self.rows);
        let over =
            |row: &Arc<Layer>| Ok(Arc::new(Layer::over(values(self, &self.scope.with("row", row.cell()))?, row)));
        self.rows = rows.iter().map(over).collect::<Result<_, CallFault>>()?;
        Ok(())
    }

    fn compute(&mut self, values: &Values) -> Done {
        let rows = std::mem::take(&mut self.rows);
        let computed = |row: Arc<Layer>| {
            let mut row = row;
            // A computed value may name those before it.
            for (name, expression) in values {
                let value = eval(expression, &self.scope.with("row", row.cell()))?;
                row = Arc::new(Layer::over(IndexMap::from([(name.clone(), value)]), &row));
            }
            Ok(row)
        };
        self.rows = rows.into_iter().map(computed).collect::<Result<_, CallFault>>()?;
        Ok(())
    }

    fn combine(&mut self, list: &Expression, name: &str, into: &str, steps: &[Step]) -> Done {
        let list = eval(list, &self.scope)?;
        let mut found: Vec<Vec<Cell>> = Vec::new();
        for element in list.try_iter().map_err(|error| broken(error.to_string()))? {
            let mut inner = self.inner(self.scope.with(name, element.clone()));
            inner.steps(steps)?;
            let with = |row: &Arc<Layer>| {
                Arc::new(Layer::over(IndexMap::from([(name.to_owned(), element.clone())]), row)).cell()
            };
            found.push(inner.rows.iter().map(with).collect());
        }
        let rows = found.iter().map(Vec::len).min().unwrap_or(0);
        let nth = |at: usize| Cell::from(found.iter().filter_map(|rows| rows.get(at).cloned()).collect::<Vec<Cell>>());
        self.rows = (0..rows).map(|at| Arc::new(Layer::new(IndexMap::from([(into.to_owned(), nth(at))])))).collect();
        Ok(())
    }

    fn join(&mut self, table: &str, on: &Expression, name: &str) -> Done {
        let mut joined = Vec::new();
        for row in std::mem::take(&mut self.rows) {
            let key = text_of(&eval(on, &self.scope.with("row", row.cell()))?);
            let other = self.tables.get(table).and_then(|rows| rows.row(&key));
            joined.extend(
                other.map(|other| Arc::new(Layer::over(IndexMap::from([(name.to_owned(), other.cell())]), &row))),
            );
        }
        self.rows = joined;
        Ok(())
    }
}

pub(super) fn eval(expression: &Expression, scope: &Arc<Scope>) -> Result<Cell, CallFault> {
    expression.eval(&scope.cell()).map_err(broken)
}

/// What a sealed text holds.
fn contents(holding: &Values, scope: &Arc<Scope>) -> Result<Object, CallFault> {
    Ok(evaluated(holding, scope)?.iter().map(|(name, cell)| (name.clone(), from_cell(cell))).collect())
}

pub(super) fn evaluated(values: &Values, scope: &Arc<Scope>) -> Result<IndexMap<String, Cell>, CallFault> {
    let cell = scope.cell();
    values.iter().map(|(name, it)| Ok((name.clone(), it.eval(&cell).map_err(broken)?))).collect()
}

#[cfg(test)]
mod tests {
    use crate::toolset::testing::known;
    use crate::world::CallFault;
    use crate::world::declared::testing::{answer, call, inn, toolset_with, world_of};
    use std::sync::Arc;

    #[test]
    fn the_nth_rows_found_for_every_leg_make_the_nth_row() {
        let world = inn("en", 4);
        let legs = r#"{"legs": [{"town_id": "T1", "day": "2024-11-01"}, {"town_id": "T3", "day": "2024-11-02"}]}"#;
        let tours = call(&mut world.session(), "Plan_Tour", legs)["data"].as_array().unwrap().clone();
        assert_eq!(tours.len(), 8);
        for tour in &tours {
            let prices: Vec<f64> =
                tour["inns"].as_array().unwrap().iter().map(|inn| inn["price"].as_f64().unwrap()).collect();
            assert!((prices.iter().sum::<f64>() - tour["total"].as_f64().unwrap()).abs() < 1e-9);
            assert_eq!(
                (&tour["inns"][0]["leg"], &tour["inns"][1]["leg"]),
                (&"2024-11-01".into(), &"2024-11-02".into())
            );
        }
        assert!(tours[0]["total"].as_f64() <= tours[7]["total"].as_f64());
        assert_eq!(call(&mut world.session(), "Plan_Tour", r#"{"legs": []}"#)["data"].as_array().unwrap().len(), 0);
    }

    #[test]
    fn what_a_declaration_cannot_compute_is_its_own_fault() {
        let toolset = toolset_with("row.inns|sum(attribute='price')", "row.inns.price + 1");
        let world = world_of(&toolset).unwrap();
        let legs = serde_json::from_str(r#"{"legs": [{"town_id": "T1", "day": "2024-11-01"}]}"#).unwrap();
        let mut session = world.session();
        let fault = session.call("Plan_Tour", &legs).unwrap_err();
        assert!(
            matches!(&fault, CallFault::Broken { detail } if detail.starts_with("`row.inns.price + 1`: ")),
            "{fault}"
        );
        let told = session.refusal("Plan_Tour", &fault).to_string();
        assert_eq!(told, r#"{"status":false,"message":["Internal error."]}"#);
    }

    const ALL: &str = "{ for = 'row in rows', give = 'row.id' }";

    fn gives(steps: &str, give: &str) -> String {
        answer(steps, give, "{}").unwrap()
    }

    #[test]
    fn names_build_on_names_and_a_value_that_is_missing_narrows_nothing() {
        assert_eq!(gives("{ let = { a = '2', b = 'a * 3' } }, { let = { c = 'a + b' } }", "'c'"), "8");
        let by_side = "{ from = ['places'], by = { side = 'x' } }";
        assert_eq!(gives(by_side, ALL), r#"["a","b","c","d"]"#);
        assert_eq!(answer(by_side, ALL, r#"{"x": "east"}"#).unwrap(), r#"["b","d"]"#);
        assert_eq!(answer(by_side, ALL, r#"{"x": "north"}"#).unwrap(), "[]");
    }

    #[test]
    fn a_key_leads_to_its_row_and_other_columns_must_hold_as_well() {
        let by_key = "{ from = ['places'], by = { id = 'x', size = 'n' } }";
        assert_eq!(answer(by_key, ALL, r#"{"x": "c"}"#).unwrap(), r#"["c"]"#);
        assert_eq!(answer(by_key, ALL, r#"{"x": "c", "n": 2}"#).unwrap(), r#"["c"]"#);
        assert_eq!(answer(by_key, ALL, r#"{"x": "c", "n": 3}"#).unwrap(), "[]");
        assert_eq!(answer(by_key, ALL, r#"{"x": "e"}"#).unwrap(), "[]");
    }

    #[test]
    fn whoever_requires_something_says_what_is_wrong_in_its_words() {
        let steps = "{ require = 'n is none or n > 3', parameter = 'n', error = 'no' }";
        assert_eq!(answer(steps, "1", r#"{"n": 4}"#).unwrap(), "1");
        let world = world_of(&known(steps, "1").unwrap()).unwrap();
        let mut session = world.session();
        let fault = session.call("F", &serde_json::from_str(r#"{"n": 3}"#).unwrap()).unwrap_err();
        assert_eq!(fault, CallFault::Refused { parameter: "n".to_owned(), error: "no".to_owned() });
        let bare = session.refusal("F", &fault).to_string();
        assert_eq!(
            bare, r#"{"error":{"code":"refused","parameter":"n","reason":"no"}}"#,
            "nothing is wrapped around it"
        );
    }

    #[test]
    fn rows_may_be_made_of_any_list_and_kept_under_a_name() {
        let each = "{ each = 'list' }, { compute = { twice = 'row.value * 2' } }, { where = 'row.twice > 2' }";
        let give = "{ for = 'row in rows', give = 'row.twice' }";
        assert_eq!(answer(each, give, r#"{"list": [1, 2, 3]}"#).unwrap(), "[4,6]");
        assert_eq!(answer("{ each = 'list' }", "'count'", r#"{"list": []}"#).unwrap(), "0");
        let twice = "{ from = ['places'] }, { where = 'row.size > 1' }, { keep = 'great' }, { from = ['inns'] }, { where = 'row.beds > 2' }";
        assert_eq!(
            gives(twice, "{ great = 'great|length', inns = 'rows|length', count = 'count' }"),
            r#"{"great":2,"inns":2,"count":2}"#
        );
        let again = "{ from = ['places'] }, { keep = 'all' }, { from = ['inns'] }, { each = 'all' }, { where = 'row.size < 2' }";
        assert_eq!(gives(again, ALL), r#"["b","d"]"#, "rows of a list are the rows that they were");
    }

    #[test]
    fn a_filter_with_a_condition_holds_only_under_it() {
        let steps = "{ from = ['places'] }, { where = 'row.size >= n', when = 'n is not none' }";
        assert_eq!(gives(steps, ALL), r#"["a","b","c","d"]"#);
        assert_eq!(answer(steps, ALL, r#"{"n": 2}"#).unwrap(), r#"["a","c"]"#);
    }

    #[test]
    fn rows_are_joined_where_there_is_another_and_dropped_where_not() {
        let join = |on: &str| format!("{{ from = ['inns'] }}, {{ join = 'places', on = '{on}', as = 'p' }}");
        let give = "{ for = 'row in rows', give = 'row.p.side' }";
        assert_eq!(gives(&join("row.place"), give), r#"["west","east","west","east"]"#);
        assert_eq!(gives(&join("row.id"), give), "[]");
    }

    #[test]
    fn every_row_gathers_rows_of_its_own_and_knows_itself_as_the_outer_one() {
        let steps = "{ from = ['places'], by = { side = 'x' } }, { gather = 'others', steps = [{ from = ['places'] }, { where = 'row.side == outer.side and row.id != outer.id' }] }";
        let give =
            "{ for = 'row in rows', give = { id = 'row.id', others = { for = 'it in row.others', give = 'it.id' } } }";
        let told = answer(steps, give, r#"{"x": "west"}"#).unwrap();
        assert_eq!(told, r#"[{"id":"a","others":["c"]},{"id":"c","others":["a"]}]"#);
    }

    #[test]
    fn combined_rows_end_with_the_shortest_list_and_none_combines_nothing() {
        let steps = "{ combine = 'list', as = 'least', into = 'found', steps = [{ from = ['places'] }, { where = 'row.size >= least' }] }";
        let give = "{ for = 'row in rows', give = { for = 'it in row.found', give = 'it.id' } }";
        assert_eq!(answer(steps, give, r#"{"list": [1, 2]}"#).unwrap(), r#"[["a","a"],["b","c"]]"#);
        assert_eq!(answer(steps, give, r#"{"list": [1, 9]}"#).unwrap(), "[]");
        assert_eq!(answer(steps, "'count'", r#"{"list": []}"#).unwrap(), "0");
    }

    #[test]
    fn one_is_the_first_and_its_absence_is_the_parameters_fault() {
        let steps = "{ from = ['places'], by = { side = 'x' } }, { sort = 'row.size' }, { one = 'x' }";
        assert_eq!(
            answer(steps, "{ id = 'row.id', count = 'count' }", r#"{"x": "west"}"#).unwrap(),
            r#"{"id":"c","count":1}"#
        );
        assert_eq!(answer(steps, "1", r#"{"x": "north"}"#).unwrap_err(), "no item found for `x`: `north`");
        assert_eq!(
            answer("{ each = 'list' }, { one = 'n' }", "1", r#"{"list": [], "n": 7}"#).unwrap_err(),
            "no item found for `n`: `7`"
        );
    }

    #[test]
    fn the_count_is_that_before_a_page_and_of_what_is_left_after_other_steps() {
        let page = "{ from = ['places'] }, { page = 'n', size = '3' }";
        assert_eq!(
            answer(page, "{ all = 'count', here = 'rows|length' }", r#"{"n": 2}"#).unwrap(),
            r#"{"all":4,"here":1}"#
        );
        let after = format!("{page}, {{ where = 'true' }}");
        assert_eq!(answer(&after, "'count'", r#"{"n": 2}"#).unwrap(), "1");
    }

    #[test]
    fn a_seal_without_rows_is_one_text_and_opens_to_what_it_holds() {
        let sealed = gives("{ seal = 't', length = 80, holding = { a = '1 + 1', b = \"'x'\" } }", "'t'");
        assert_eq!(sealed.len(), 82);
        let open = |text: &str| answer("{ open = 'x', mark = 't', as = 'o' }", "'o'", &format!("{{\"x\": {text}}}"));
        assert_eq!(open(&sealed).unwrap(), r#"{"a":2,"b":"x"}"#);
        let other = answer("{ open = 'x', as = 'o' }", "'o'", &format!("{{\"x\": {sealed}}}"));
        assert!(other.unwrap_err().starts_with("no item found for `x`: "), "another mark is another seal");
    }

    #[test]
    fn what_steps_within_a_step_change_stays_there() {
        let steps = "{ from = ['places'] }, { gather = 'g', steps = [{ insert = 'notes', values = {} }] }, { from = ['notes'] }";
        assert_eq!(gives(steps, "'count'"), "0");
    }

    #[test]
    fn a_session_that_changes_nothing_shares_the_tables_of_its_world() {
        let world = inn("en", 4);
        let mut session = world.session();
        call(&mut session, "Find_Town", r#"{"query": "greyford"}"#);
        assert!(Arc::ptr_eq(&session.tables, &world.tables) && Arc::ptr_eq(&session.base, &world.base));
    }
}
