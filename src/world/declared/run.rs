//! Runs the steps of a function.

use super::answer::broken;
use super::generate::Tables;
use super::layer::{Layer, Scope};
use super::seal;
use super::session::DeclaredSession;
use crate::record::{Object, Value};
use crate::toolset::{Cell, Expression, Step, Values, from_cell, text_of, to_cell};
use crate::world::CallFault;
use indexmap::IndexMap;
use std::sync::Arc;

/// The state between two steps.
#[derive(Clone)]
pub(super) struct Run<'s, 'w> {
    pub(super) session: &'s DeclaredSession<'w>,
    pub(super) arguments: Object,
    pub(super) tables: Tables,
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
        let scope = Scope::over(names, &session.world.ground().scope(&tables));
        Self { session, arguments, tables, made, scope, rows: Vec::new(), count: 0 }
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
                    let mut inner = Run { scope: scope.clone(), rows: Vec::new(), ..run.clone() };
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
            Step::Page { number, size } => self.page(number, size),
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
            let mut inner = Run { scope: self.scope.with(name, element.clone()), rows: Vec::new(), ..self.clone() };
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
    use crate::world::CallFault;
    use crate::world::declared::testing::{call, inn, toolset_with, world_of};

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
}
