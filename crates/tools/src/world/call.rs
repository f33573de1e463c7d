//! What each operation does with the tables of a session.

use super::{CallFault, Row, Session, Table};
use crate::toolset::{Api, Content, Field, Operation, Resource};
use fcgen_core::record::{Chance, Object, Value};
use indexmap::IndexMap;

/// How often an identifier or a value is drawn anew where it is taken.
const ATTEMPTS: u32 = 200;

impl Session<'_> {
    /// Runs a call whose arguments were checked.
    pub(super) fn run(&mut self, api: &Api, given: &Object) -> Result<Value, CallFault> {
        let world = self.world;
        let Some(resource) = world.domain().resources.get(&api.resource) else { return Err(CallFault::NoMatch) };
        let own = resource.parameter();
        let id = given.get(&own).and_then(Value::as_str).unwrap_or_default().to_owned();
        let answer = match &api.operation {
            Operation::Get(names) => self.get(resource, &id, names),
            Operation::Find(_) => Object::from([(own, self.find(api, resource, given)?)]),
            Operation::Latest(_) => Object::from([(own, self.latest(api, resource, given)?)]),
            Operation::List(_) => Object::from([(format!("{own}s"), self.list(api, resource, given))]),
            Operation::Create(_) => Object::from([(own, self.create(api, resource, given))]),
            Operation::Update(_) => {
                self.change(resource, &id, &fields_of(api, resource, given));
                Object::from([(own, id.into()), ("status".to_owned(), "updated".into())])
            }
            Operation::Set(values) => {
                self.change(resource, &id, &fields_of(api, resource, given));
                self.change(resource, &id, values);
                std::iter::once((own, id.into())).chain(values.clone()).collect()
            }
            Operation::Delete => {
                self.table_mut(&resource.name).remove(&id);
                Object::from([(own, id.into()), ("status".to_owned(), "deleted".into())])
            }
            Operation::Answer(fields) => self.answer(api, fields, given)?,
        };
        Ok(Value::Object(answer))
    }

    fn get(&self, resource: &Resource, id: &str, names: &[String]) -> Object {
        let row = self.row(&resource.name, id);
        let value = |name: &String| row.and_then(|row| row.value(name)).cloned().unwrap_or_default();
        names.iter().map(|name| (name.clone(), value(name))).collect()
    }

    fn find(&self, api: &Api, resource: &Resource, given: &Object) -> Result<Value, CallFault> {
        let wanted = fields_of(api, resource, given);
        let rows: Vec<&Row> =
            self.table(&resource.name).into_iter().flat_map(|table| table.matching(&wanted)).collect();
        match rows.as_slice() {
            [row] => Ok(row.id().into()),
            [] => Err(CallFault::NoMatch),
            _ => Err(CallFault::SeveralMatches { count: rows.len() }),
        }
    }

    fn latest(&self, api: &Api, resource: &Resource, given: &Object) -> Result<Value, CallFault> {
        let wanted = fields_of(api, resource, given);
        let table = self.table(&resource.name).ok_or(CallFault::NoMatch)?;
        table.matching(&wanted).next_back().map(|row| row.id().into()).ok_or(CallFault::NoMatch)
    }

    fn list(&self, api: &Api, resource: &Resource, given: &Object) -> Value {
        let wanted = fields_of(api, resource, given);
        let rows = self.table(&resource.name).into_iter().flat_map(|table| table.matching(&wanted));
        Value::List(rows.map(|row| row.id().into()).collect())
    }

    fn change(&mut self, resource: &Resource, id: &str, values: &Object) {
        if values.is_empty() {
            return;
        }
        if let Some(row) = self.table_mut(&resource.name).row_mut(id) {
            values.iter().for_each(|(name, value)| row.set(name, value.clone()));
        }
    }

    fn create(&mut self, api: &Api, resource: &Resource, given: &Object) -> Value {
        let made = self.next(&resource.name);
        let id = self.new_id(resource, made);
        let told = fields_of(api, resource, given);
        let value = |(name, field): (&String, &Field)| {
            let value = told.get(name).cloned().unwrap_or_else(|| self.first(resource, name, field, made));
            (name.clone(), value)
        };
        let values = resource.fields.iter().map(value).collect();
        self.table_mut(&resource.name).insert(Row::new(id.clone(), values));
        id.into()
    }

    /// An identifier that nothing has had.
    fn new_id(&self, resource: &Resource, made: usize) -> String {
        let ground = self.world.ground();
        let draw = |attempt| resource.shape.draw(&mut ground.chance("new", &resource.name, made, attempt));
        let taken = |id: &String| self.row(&resource.name, id).or(self.world.row(&resource.name, id)).is_some();
        (0..ATTEMPTS).map(draw).find(|id| !taken(id)).unwrap_or_else(|| draw(ATTEMPTS))
    }

    /// What a field holds that nobody told at first: the first of listed values, no for a boolean, else something drawn.
    fn first(&self, resource: &Resource, name: &str, field: &Field, made: usize) -> Value {
        let ground = self.world.ground();
        // The rows of the table have the ordinals from 0.
        let at = resource.rows + made;
        match &field.content {
            Content::Listed(values) => values.first().map_or(Value::Null, |value| value.as_str().into()),
            Content::Boolean => Value::Bool(false),
            Content::Reference(of) => self.some_row(of, &mut ground.chance(name, &resource.name, at, 0)),
            Content::Kind(_) => {
                let draw = |attempt| ground.value(&resource.name, name, field, at, attempt).unwrap_or_default();
                let free = |value: &Value| !self.rows(&resource.name).any(|row| row.value(name) == Some(value));
                (0..ATTEMPTS).map(draw).find(free).unwrap_or_else(|| draw(0))
            }
        }
    }

    fn some_row(&self, resource: &str, chance: &mut Chance) -> Value {
        let rows: Vec<&Row> = self.table(resource).into_iter().flat_map(Table::rows).collect();
        chance.pick(&rows).map_or(Value::Null, |row| row.id().into())
    }

    /// The same for the same arguments; free text does not count, for any wording of it is right.
    fn answer(&self, api: &Api, fields: &IndexMap<String, Field>, given: &Object) -> Result<Object, CallFault> {
        let ground = self.world.ground();
        let mut counted: Vec<(&String, &Value)> =
            given.iter().filter(|(name, _)| !api.slots.get(*name).is_some_and(|slot| slot.open)).collect();
        counted.sort_by_key(|(name, _)| name.as_str());
        let key: Vec<String> = counted.iter().map(|(name, value)| format!("{name}={}", plain(value))).collect();
        let key = key.join("\u{1f}");
        let mut answer = Object::new();
        for (name, field) in fields {
            let purpose = format!("{name}?{key}");
            let known = |name: &str| {
                let Some((own, further)) = name.split_once('.') else { return given.get(name).cloned() };
                let resource = api.slots.get(own)?.field.content.reference()?;
                self.row(resource, given.get(own)?.as_str()?)?.value(further).cloned()
            };
            let mut chance = ground.chance(&purpose, &api.tool, 0, 0);
            if let Some(number) = self.world.follow(field, &known, &mut chance) {
                answer.insert(name.clone(), number);
                continue;
            }
            let value = match &field.content {
                Content::Reference(of) => self.some_row(of, &mut ground.chance(&purpose, &api.tool, 0, 0)),
                _ => ground.value(&api.tool, &purpose, field, 0, 0).map_err(|_| CallFault::NoMatch)?,
            };
            answer.insert(name.clone(), value);
        }
        Ok(answer)
    }
}

/// A value's text, the same for equal numbers.
fn plain(value: &Value) -> String {
    value.as_number().map_or_else(|| value.to_string(), |number| number.as_f64().to_string())
}

/// The arguments that are fields of the resource: an argument named as a field is that field's value.
fn fields_of(api: &Api, resource: &Resource, given: &Object) -> Object {
    let is_field = |name: &str| {
        let slot = api.slots.get(name).filter(|slot| !slot.own);
        slot.is_some_and(|slot| resource.fields.get(name).is_some_and(|field| field.content == slot.field.content))
    };
    given.iter().filter(|(name, _)| is_field(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use crate::world::testing::{arguments, bank};
    use crate::world::{CallFault, Row, Session};
    use fcgen_core::record::{Object, Value};

    fn call(session: &mut Session<'_>, tool: &str, json: &str) -> String {
        session.call(tool, &arguments(json)).unwrap().to_string()
    }

    #[test]
    fn a_row_is_read_found_and_listed() {
        let world = bank("en", 9);
        let mut session = world.session();
        let customer = world.rows("customer").nth(3).unwrap();
        let (phone, birth) = (customer.value("phone").unwrap(), customer.value("birthDate").unwrap());
        let own = format!(r#"{{"customerId":"{}"}}"#, customer.id());
        assert_eq!(call(&mut session, "findCustomerByPhone", &format!(r#"{{"phone":{phone}}}"#)), own);
        let name = customer.value("name").unwrap();
        assert_eq!(call(&mut session, "findCustomerByName", &format!(r#"{{"name":{name},"birthDate":{birth}}}"#)), own);
        let segment = customer.value("segment").unwrap();
        assert_eq!(call(&mut session, "getCustomerSegment", &own), format!(r#"{{"segment":{segment}}}"#));
        let owned =
            world.rows("account").filter(|row| row.value("customerId").and_then(Value::as_str) == Some(customer.id()));
        let ids: Vec<String> = owned.map(|row| format!("\"{}\"", row.id())).collect();
        assert_eq!(
            call(&mut session, "listCustomerAccounts", &own),
            format!(r#"{{"accountIds":[{}]}}"#, ids.join(","))
        );
    }

    #[test]
    fn an_optional_argument_that_is_a_field_narrows_a_list() {
        let world = bank("en", 9);
        let account = world.rows("account").next().unwrap();
        let owner = account.value("customerId").unwrap();
        let of = |kind: &str| {
            call(&mut world.session(), "listCustomerAccounts", &format!(r#"{{"customerId":{owner},"type":"{kind}"}}"#))
        };
        let kind = account.value("type").unwrap().as_str().unwrap();
        let other = if kind == "savings" { "checking" } else { "savings" };
        assert!(of(kind).contains(account.id()) && !of(other).contains(account.id()));
    }

    #[test]
    fn what_is_changed_is_changed_and_says_so() {
        let world = bank("en", 2);
        let mut session = world.session();
        let id = world.rows("account").next().unwrap().id();
        let frozen = call(&mut session, "freezeAccount", &format!(r#"{{"accountId":"{id}","reason":"any"}}"#));
        assert_eq!(frozen, format!(r#"{{"accountId":"{id}","state":"frozen"}}"#));
        assert_eq!(session.row("account", id).unwrap().value("state").and_then(Value::as_str), Some("frozen"));
        let updated = call(&mut session, "setPaperless", &format!(r#"{{"accountId":"{id}","paperless":true}}"#));
        assert_eq!(updated, format!(r#"{{"accountId":"{id}","status":"updated"}}"#));
        assert_eq!(session.row("account", id).unwrap().value("paperless"), Some(&Value::Bool(true)));
        let customer = world.rows("customer").next().unwrap().id();
        let removed = call(&mut session, "removeCustomer", &format!(r#"{{"customerId":"{customer}"}}"#));
        assert_eq!(removed, format!(r#"{{"customerId":"{customer}","status":"deleted"}}"#));
    }

    #[test]
    fn what_is_made_has_what_was_told_and_begins_with_the_first_listed_values() {
        let world = bank("en", 2);
        let mut session = world.session();
        let [one, two]: [&Row; 2] = world.rows("account").take(2).collect::<Vec<_>>().try_into().unwrap();
        let json = format!(
            r#"{{"fromAccountId":"{}","toAccountId":"{}","amount":12.5,"day":"2026-03-05"}}"#,
            one.id(),
            two.id()
        );
        let made = session.call("transferMoney", &arguments(&json)).unwrap();
        let id = made.as_object().unwrap()["transferId"].as_str().unwrap();
        let row = session.row("transfer", id).unwrap();
        assert_eq!(row.value("state").and_then(Value::as_str), Some("pending"));
        assert_eq!(row.value("day").and_then(Value::as_str), Some("2026-03-05"));
        assert_eq!(row.value("amount").unwrap().to_string(), "12.5");
        assert_eq!(row.values().keys().collect::<Vec<_>>(), ["fromAccountId", "toAccountId", "amount", "state", "day"]);
    }

    #[test]
    fn a_free_answer_hangs_on_the_arguments_alone() {
        let world = bank("en", 2);
        let mut session = world.session();
        let quote = |session: &mut Session<'_>, amount: &str, months: u32| {
            call(session, "quoteInterest", &format!(r#"{{"amount":{amount},"months":{months}}}"#))
        };
        let first = quote(&mut session, "50", 12);
        assert_eq!(quote(&mut session, "50.0", 12), first, "an equal number");
        let others: std::collections::BTreeSet<String> =
            (6..40).map(|months| quote(&mut session, "50", months)).collect();
        assert!(others.len() > 5, "{others:?}");
    }

    #[test]
    fn none_and_several_are_faults() {
        let world = bank("en", 2);
        let mut session = world.session();
        let wanted = Object::from([("phone".to_owned(), Value::from("no number"))]);
        assert_eq!(session.call("findCustomerByPhone", &wanted), Err(CallFault::NoMatch));
        for row in world.rows("customer").take(2) {
            let mut change = wanted.clone();
            change.insert("customerId".to_owned(), row.id().into());
            session.call("updateCustomerPhone", &change).unwrap();
        }
        let several = Err(CallFault::SeveralMatches { count: 2 });
        assert_eq!(session.call("findCustomerByPhone", &wanted), several);
        let idle = world.rows("customer").find(|row| {
            !world.rows("account").any(|it| it.value("customerId").and_then(Value::as_str) == Some(row.id()))
        });
        if let Some(idle) = idle {
            let by = Object::from([("customerId".to_owned(), idle.id().into())]);
            assert_eq!(session.call("getLatestAccount", &by), Err(CallFault::NoMatch));
            assert_eq!(session.call("listCustomerAccounts", &by).unwrap().to_string(), r#"{"accountIds":[]}"#);
        }
    }
}
