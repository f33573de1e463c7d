//! A session: one caller's view of a world, with what its own calls changed.

use super::{CallFault, Row, Table, World};
use fcgen_core::record::{Object, Value};
use indexmap::IndexMap;
use std::sync::Arc;

/// A view of a world that its calls may change. Cloning it is cheap and gives an independent one in the same state.
#[derive(Debug, Clone)]
pub struct Session<'w> {
    pub(super) world: &'w World,
    /// Shared with the world until a call changes something.
    tables: IndexMap<String, Arc<Table>>,
    /// How many rows were made, by resource.
    made: IndexMap<String, usize>,
}

impl<'w> Session<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        Self { world, tables: world.tables.clone(), made: IndexMap::new() }
    }

    /// Makes a call: a tool by its full or its function's name, and the arguments. A call that fails changes nothing.
    pub fn call(&mut self, tool: &str, arguments: &Object) -> Result<Value, CallFault> {
        let world = self.world;
        let unknown = || CallFault::UnknownTool { tool: tool.to_owned() };
        let api = world.domain().api(tool).ok_or_else(unknown)?;
        let given = self.checked(api, arguments)?;
        self.run(api, &given)
    }

    /// The row of a resource with this identifier, as it is now.
    pub fn row(&self, resource: &str, id: &str) -> Option<&Row> {
        self.tables.get(resource)?.row(id)
    }

    /// The rows of a resource as they are now, oldest first.
    pub fn rows<'a>(&'a self, resource: &str) -> impl DoubleEndedIterator<Item = &'a Row> + use<'a, 'w> {
        self.tables.get(resource).into_iter().flat_map(|table| table.rows())
    }

    pub(super) fn table(&self, resource: &str) -> Option<&Table> {
        self.tables.get(resource).map(Arc::as_ref)
    }

    pub(super) fn table_mut(&mut self, resource: &str) -> &mut Table {
        Arc::make_mut(self.tables.entry(resource.to_owned()).or_default())
    }

    /// The ordinal of the next row that is made of a resource.
    pub(super) fn next(&mut self, resource: &str) -> usize {
        let made = self.made.entry(resource.to_owned()).or_default();
        *made += 1;
        *made - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::testing::{arguments, bank};
    use proptest::prelude::*;

    fn object(pairs: &[(&str, &str)]) -> Object {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), Value::from(*value))).collect()
    }

    fn field(answer: &Value, name: &str) -> String {
        answer.as_object().unwrap()[name].as_str().unwrap().to_owned()
    }

    #[test]
    fn two_sessions_do_not_see_each_other() {
        let world = bank("en", 1);
        let id = world.rows("customer").next().unwrap().id();
        let (mut one, mut two) = (world.session(), world.session());
        one.call("removeCustomer", &object(&[("customerId", id)])).unwrap();
        assert!(one.row("customer", id).is_none() && world.row("customer", id).is_some());
        assert!(two.call("getCustomerSegment", &object(&[("customerId", id)])).is_ok());
        let copy = two.clone();
        two.call("removeCustomer", &object(&[("customerId", id)])).unwrap();
        assert!(copy.row("customer", id).is_some());
    }

    #[test]
    fn a_call_that_fails_changes_nothing() {
        let world = bank("en", 1);
        let mut session = world.session();
        assert!(session.call("transferMoney", &arguments("{}")).is_err());
        let [one, two]: [&Row; 2] = world.rows("account").take(2).collect::<Vec<_>>().try_into().unwrap();
        let mut call = object(&[("fromAccountId", one.id()), ("toAccountId", two.id())]);
        call.insert("amount".to_owned(), 5.into());
        let first = session.call("transferMoney", &call).unwrap();
        assert_eq!(world.session().call("bank.transferMoney", &call).unwrap(), first, "the state was the same");
        assert_ne!(session.call("transferMoney", &call).unwrap(), first, "the state is another");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn what_is_made_can_be_read_changed_and_taken_away(seed in any::<u64>(), at in 0_usize..20) {
            let world = bank("ko", seed);
            let mut session = world.session();
            let customer = world.rows("customer").nth(at).unwrap().id().to_owned();
            let opened = session.call("openAccount", &object(&[("customerId", &customer), ("type", "savings")])).unwrap();
            let account = field(&opened, "accountId");
            prop_assert!(world.row("account", &account).is_none());
            let by_id = object(&[("accountId", &account)]);
            let owner = session.call("getAccountOwner", &by_id).unwrap();
            prop_assert_eq!(field(&owner, "customerId"), customer.clone());
            let newest = session.call("getLatestAccount", &object(&[("customerId", &customer)])).unwrap();
            prop_assert_eq!(field(&newest, "accountId"), account.clone());

            session.call("updateCustomerPhone", &object(&[("customerId", &customer), ("phone", "000")])).unwrap();
            let found = session.call("findCustomerByPhone", &object(&[("phone", "000")])).unwrap();
            prop_assert_eq!(field(&found, "customerId"), customer.clone());

            session.call("removeCustomer", &object(&[("customerId", &customer)])).unwrap();
            let gone = session.call("getCustomerSegment", &object(&[("customerId", &customer)])).unwrap_err();
            prop_assert_eq!(gone, CallFault::NotFound { parameter: "customerId".to_owned(), id: customer });
            prop_assert_eq!(session.call("findCustomerByPhone", &object(&[("phone", "000")])), Err(CallFault::NoMatch));
        }

        #[test]
        fn the_same_calls_get_the_same_answers(seed in any::<u64>()) {
            let answers = |locale: &str| {
                let world = bank(locale, seed);
                let mut session = world.session();
                let id = world.rows("customer").next_back().unwrap().id().to_owned();
                let mut answers = Vec::new();
                for _ in 0..3 {
                    answers.push(session.call("listCustomerAccounts", &object(&[("customerId", &id)])).unwrap().to_string());
                    let opened = session.call("openAccount", &object(&[("customerId", &id), ("type", "checking")])).unwrap();
                    answers.push(opened.to_string());
                }
                answers
            };
            prop_assert_eq!(answers("en"), answers("en"));
            prop_assert_eq!(answers("en"), answers("ko"), "identifiers are free of the locale");
        }
    }
}
