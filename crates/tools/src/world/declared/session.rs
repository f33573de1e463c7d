//! A session of a declared world: one caller's view, with what its own calls changed.

use super::answer::{Wrapping, render};
use super::generate::Tables;
use super::layer::{Layer, Scope};
use super::run::Run;
use super::world::DeclaredWorld;
use crate::toolset::{Cell, Function, Unanswered, after_change, from_cell};
use crate::world::CallFault;
use fcgen_core::record::{FunctionCall, Object, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// A view of a declared world that its calls may change. Cloning it is cheap and gives an independent one in the same state.
#[derive(Debug, Clone)]
pub struct DeclaredSession<'w> {
    pub(super) world: &'w DeclaredWorld,
    /// Shared with the world until a call changes something.
    pub(super) tables: Arc<Tables>,
    /// What every expression may name while the tables are these.
    pub(super) base: Arc<Scope>,
    /// How many rows were made, by table.
    pub(super) made: IndexMap<String, usize>,
    /// What live calls changed: the mark of the last one; empty where nothing was changed.
    changed: String,
}

impl<'w> DeclaredSession<'w> {
    pub(super) fn new(world: &'w DeclaredWorld) -> Self {
        Self {
            world,
            tables: world.tables.clone(),
            base: world.base.clone(),
            made: IndexMap::new(),
            changed: String::new(),
        }
    }

    /// Makes a call and gives the whole answer, as it is wrapped. A call that fails changes nothing.
    pub fn call(&mut self, tool: &str, arguments: &Object) -> Result<Value, CallFault> {
        let unknown = || CallFault::UnknownTool { tool: tool.to_owned() };
        let function = self.world.declaration.functions.get(tool).ok_or_else(unknown)?;
        let given = self.checked(function, arguments)?;
        if function.live {
            return self.ask(function, arguments);
        }
        let mut run = Run::new(self, given);
        run.steps(&function.steps)?;
        let data = run.give(function)?;
        let (tables, made) = (run.tables, run.made);
        let whole = match &self.world.declaration.envelope.success {
            Some(success) => render(success, &Wrapping::of("data", &data).scope())?,
            None => data,
        };
        if !Arc::ptr_eq(&self.tables, &tables) {
            self.base = self.world.ground().scope(&tables);
            (self.tables, self.made) = (tables, made);
        }
        Ok(whole)
    }

    /// Asks whoever answers live functions. Arguments without a value are left out, as people leave them out.
    fn ask(&mut self, function: &Function, arguments: &Object) -> Result<Value, CallFault> {
        let given = arguments.iter().filter(|(_, value)| !value.is_null());
        let given = given.map(|(name, value)| (name.clone(), value.clone())).collect();
        let call = FunctionCall { name: function.name.clone(), arguments: given };
        let silent = || CallFault::Silent { detail: "neither a recording nor a server".to_owned() };
        let answers = self.world.declaration.answers.as_ref().ok_or_else(silent)?;
        let answer = answers.answer(&call, &self.changed).map_err(|fault| match fault {
            Unanswered::Refused(answer) => CallFault::Told { answer },
            Unanswered::Silent(detail) => CallFault::Silent { detail },
        })?;
        if function.writes {
            self.changed = after_change(&self.changed, &call);
        }
        Ok(answer)
    }

    /// Whether the world has a function of this name.
    pub fn has_function(&self, tool: &str) -> bool {
        self.world.declaration.functions.contains_key(tool)
    }

    /// What a failed call is answered with.
    pub fn refusal(&self, tool: &str, fault: &CallFault) -> Value {
        let declaration = &self.world.declaration;
        if let CallFault::Told { answer } = fault {
            return answer.clone();
        }
        let Some(failure) = &declaration.envelope.failure else { return fault.answer() };
        let errors = declaration.functions.get(tool).map(|function| &function.errors);
        let messages = fault.messages(&declaration.phrases, errors);
        let listed = messages.into_iter().map(|(parameter, text)| match parameter {
            Some(parameter) => Value::Object(Object::from([(parameter, Value::from(text))])),
            None => Value::from(text),
        });
        let errors = Value::List(listed.collect());
        render(failure, &Wrapping::of("errors", &errors).scope()).unwrap_or_else(|_| fault.answer())
    }

    /// The values of a table's rows as they are now.
    pub fn rows(&self, table: &str) -> Vec<Value> {
        self.tables
            .get(table)
            .into_iter()
            .flat_map(|rows| rows.rows.values())
            .map(|row| from_cell(&row.cell()))
            .collect()
    }

    /// The keys of a table's rows.
    pub(super) fn keys(&self, table: &str) -> Vec<Value> {
        self.tables
            .get(table)
            .into_iter()
            .flat_map(|rows| rows.rows.keys())
            .map(|key| Value::from(key.as_str()))
            .collect()
    }

    /// Whether a table has a row with this key.
    pub(super) fn has(&self, table: &str, key: &str) -> bool {
        self.tables.get(table).is_some_and(|rows| rows.row(key).is_some())
    }
}

impl Run<'_, '_> {
    fn give(&self, function: &Function) -> Result<Value, CallFault> {
        let rows: Vec<Cell> = self.rows.iter().map(Layer::cell).collect();
        let mut names = IndexMap::from([("count".to_owned(), Cell::from(self.count))]);
        names.extend(rows.first().map(|row| ("row".to_owned(), row.clone())));
        names.insert("rows".to_owned(), Cell::from(rows));
        render(&function.give, &Scope::over(names, &self.scope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::declared::testing::{call, inn};
    use proptest::prelude::*;

    fn arguments(json: &str) -> Object {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_chain_hangs_together_in_one_session() {
        let world = inn("en", 4);
        let mut session = world.session();
        let towns = call(&mut session, "Find_Town", r#"{"query": "greyford"}"#);
        assert_eq!(towns["data"][0]["id"], "T2");
        let found = call(
            &mut session,
            "Search_Inns",
            r#"{"town_id": "T2", "arrival": "2024-11-01", "departure": "2024-11-04"}"#,
        );
        let token = found["data"]["inns"][1]["token"].as_str().unwrap().to_owned();
        assert_eq!(token.len(), 120);
        let details = call(&mut session, "Get_Inn", &format!(r#"{{"token": "{token}"}}"#));
        assert_eq!(details["data"]["card"]["id"], found["data"]["inns"][1]["id"]);
        assert_eq!((&details["data"]["town"], &details["data"]["guests"]), (&"Greyford".into(), &2.into()));
        assert_eq!(details["data"]["siblings"].as_array().unwrap().len(), 7);
        let booked = call(&mut session, "Book_Inn", &format!(r#"{{"token": "{token}"}}"#));
        assert_eq!(booked["data"]["nights"], 3);
        let id = format!(r#"{{"booking_id": {}}}"#, booked["data"]["id"]);
        assert_eq!(call(&mut session, "Cancel_Booking", &id)["data"]["state"], "cancelled");
        assert_eq!(session.rows("bookings").len(), 1);
        call(&mut session, "Forget_Booking", &id);
        let gone = session.call("Cancel_Booking", &arguments(&id)).unwrap_err();
        assert!(matches!(&gone, CallFault::NotFound { parameter, .. } if parameter == "booking_id"), "{gone}");
        assert!(world.session().rows("bookings").is_empty(), "the world is as it was");
    }

    #[test]
    fn a_refusal_is_wrapped_and_says_what_is_wrong() {
        let world = inn("en", 4);
        let mut session = world.session();
        let mut refused = |tool: &str, json: &str| {
            let fault = session.call(tool, &arguments(json)).unwrap_err();
            session.refusal(tool, &fault).to_string()
        };
        assert_eq!(
            refused("Search_Inns", r#"{"town_id": "T9", "arrival": "soon"}"#),
            r#"{"status":false,"message":[{"town_id":"Nothing was found for T9."},{"arrival":"Must be written like YYYY-MM-DD."},{"departure":"This field is required."}]}"#
        );
        assert_eq!(
            refused("Search_Inns", r#"{"town_id": "T1", "arrival": "2024-11-04", "departure": "2024-11-04"}"#),
            r#"{"status":false,"message":[{"departure":"The departure must be later than the arrival."}]}"#
        );
        assert_eq!(refused("Fly", "{}"), r#"{"status":false,"message":["There is no function Fly."]}"#);
        assert_eq!(
            refused("Get_Inn", r#"{"token": "x"}"#),
            r#"{"status":false,"message":[{"token":"Nothing was found for x."}]}"#
        );
    }

    #[test]
    fn what_is_made_twice_is_two_things() {
        let world = inn("en", 4);
        let mut session = world.session();
        let found = call(
            &mut session,
            "Search_Inns",
            r#"{"town_id": "T2", "arrival": "2024-11-01", "departure": "2024-11-04"}"#,
        );
        let token = format!(r#"{{"token": {}}}"#, found["data"]["inns"][0]["token"]);
        let (one, two) = (call(&mut session, "Book_Inn", &token), call(&mut session, "Book_Inn", &token));
        assert_ne!(one["data"]["id"], two["data"]["id"]);
        assert_eq!(call(&mut world.session(), "Book_Inn", &token), one, "the same call in the same state");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn the_same_call_gets_the_same_answer(seed in any::<u64>(), town in 1_u8..4, nights in 1_u8..9) {
            let world = inn("ko", seed);
            let json = format!(r#"{{"town_id": "T{town}", "arrival": "2024-11-01", "departure": "2024-11-{:02}"}}"#, nights + 1);
            let mut session = world.session();
            let first = call(&mut session, "Search_Inns", &json);
            prop_assert_eq!(&call(&mut session, "Search_Inns", &json), &first);
            prop_assert_eq!(&call(&mut inn("ko", seed).session(), "Search_Inns", &json), &first);
        }
    }
}
