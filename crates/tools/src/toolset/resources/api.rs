//! The APIs of a resource: what follows from an operation for parameters and answer, joined with what people say.

use super::domain::{Answer, Api, Content, Domain, Field, Operation, Resource, Slot};
use super::join::Join;
use super::structure::{ApiText, FieldText, ResourceText};
use super::text::{Spoken, SpokenApi, Wordings};
use fcgen_core::record::{Object, Source, Value};
use indexmap::IndexMap;

/// The name of the field in which a call that changes something tells its outcome.
const STATUS: &str = "status";

impl Join<'_> {
    pub(super) fn add_apis(
        &mut self,
        domain: &mut Domain,
        resource: &Resource,
        structure: &ResourceText,
        mut said: Spoken,
    ) {
        self.check_wordings(resource, structure, &said.wordings);
        for (function, text) in &structure.tools {
            let Some(spoken) = said.tools.shift_remove(function) else {
                self.text_fault(format!("no text for the tool `{function}` of `{}`", resource.name));
                continue;
            };
            let Some(api) = self.api(resource, structure, function, text, spoken, &said.wordings) else { continue };
            if domain.apis.insert(function.clone(), api).is_some() {
                self.structure_fault(format!("duplicate tool `{function}` in the domain"));
            }
        }
        for function in said.tools.keys() {
            self.text_fault(format!("text for an unknown tool `{function}` of `{}`", resource.name));
        }
    }

    fn check_wordings(&mut self, resource: &Resource, structure: &ResourceText, wordings: &Wordings) {
        let besides = structure.tools.values().flat_map(|api| {
            api.with.keys().chain(api.optional.keys()).chain(api.answer.iter().flat_map(IndexMap::keys))
        });
        let known: Vec<&String> = structure.fields.keys().chain(besides).collect();
        for name in wordings.keys().filter(|name| !known.contains(name)) {
            self.text_fault(format!("wordings for an unknown field or parameter `{name}` of `{}`", resource.name));
        }
    }

    fn api(
        &mut self,
        resource: &Resource,
        structure: &ResourceText,
        function: &str,
        text: &ApiText,
        mut spoken: SpokenApi,
        wordings: &Wordings,
    ) -> Option<Api> {
        let place = format!("`{function}` of `{}`", resource.name);
        let operation = self.operation(&place, resource, text, wordings)?;
        let slots = self.slots(&place, resource, structure, &operation, text, &mut spoken, wordings);
        for name in spoken.parameters.keys() {
            self.text_fault(format!("unused text for the parameter `{name}` of {place}"));
        }
        let names: Vec<&str> = slots.keys().map(String::as_str).collect();
        let intents = self.sayings(&format!("an intent of {place}"), &spoken.intents, &names);
        let phrases = self.sayings(&format!("a phrase of {place}"), &spoken.phrases, &names);
        if intents.is_empty() {
            self.text_fault(format!("{place} has no intents"));
        }
        Some(Api {
            tool: format!("{}.{function}", self.name),
            resource: resource.name.clone(),
            answer: answer(resource, &operation),
            operation,
            slots,
            description: spoken.description,
            intents,
            phrases,
        })
    }

    fn operation(&mut self, place: &str, resource: &Resource, text: &ApiText, words: &Wordings) -> Option<Operation> {
        let mut found: Vec<Operation> = Vec::new();
        let named = [
            (&text.get, Operation::Get as fn(Vec<String>) -> Operation),
            (&text.find, Operation::Find),
            (&text.latest, Operation::Latest),
            (&text.list, Operation::List),
            (&text.update, Operation::Update),
            (&text.create, Operation::Create),
        ];
        found.extend(named.into_iter().filter_map(|(fields, operation)| fields.clone().map(operation)));
        found.extend(text.delete.filter(|delete| *delete).map(|_| Operation::Delete));
        found.extend(text.set.as_ref().map(|set| Operation::Set(self.fixed(place, resource, set))));
        found.extend(
            text.answer.as_ref().map(|answer| Operation::Answer(self.answered(place, resource, answer, words))),
        );
        let count = found.len();
        let operation = found.pop().filter(|_| count == 1);
        if operation.is_none() {
            self.structure_fault(format!("{place} must have exactly one operation, found {count}"));
        }
        operation.inspect(|operation| self.check_operation(place, resource, operation))
    }

    fn check_operation(&mut self, place: &str, resource: &Resource, operation: &Operation) {
        let names = operation.fields();
        let free =
            matches!(operation, Operation::List(_) | Operation::Latest(_) | Operation::Create(_) | Operation::Delete);
        if names.is_empty() && !free {
            self.structure_fault(format!("{place}: `{}` has no fields", operation.name()));
        }
        if matches!(operation, Operation::Set(_) | Operation::Answer(_)) {
            return;
        }
        for (at, name) in names.iter().enumerate() {
            if !resource.fields.contains_key(*name) {
                self.structure_fault(format!("{place}: unknown field `{name}` of `{}`", resource.name));
            } else if names.iter().take(at).any(|earlier| earlier == name) {
                self.structure_fault(format!("{place} has the duplicate field `{name}`"));
            }
        }
    }

    /// The values that a `set` gives, checked where the field is declared.
    fn fixed(&mut self, place: &str, resource: &Resource, set: &IndexMap<String, toml::Value>) -> Object {
        let mut fixed = Object::new();
        for (name, value) in set {
            let Some(value) = scalar(value) else {
                self.structure_fault(format!(
                    "{place} sets `{name}` to a value that is not a string, number or boolean"
                ));
                fixed.insert(name.clone(), Value::Null);
                continue;
            };
            let listed = resource.fields.get(name).map(|field| &field.content);
            if let (Some(Content::Listed(values)), Some(text)) = (listed, value.as_str()) {
                if !values.iter().any(|listed| listed == text) {
                    self.structure_fault(format!("{place} sets `{name}` to `{text}`, which is not a listed value"));
                }
            }
            fixed.insert(name.clone(), value);
        }
        fixed
    }

    fn answered(
        &mut self,
        place: &str,
        resource: &Resource,
        answer: &IndexMap<String, FieldText>,
        wordings: &Wordings,
    ) -> IndexMap<String, Field> {
        let label = |name: &str| resource.fields.get(name).map(|field| field.label.clone()).unwrap_or_default();
        let mut fields = IndexMap::new();
        for (name, text) in answer {
            let field = self.field(&format!("the answer `{name}` of {place}"), name, text, label(name), wordings);
            fields.insert(name.clone(), field);
        }
        fields
    }

    #[expect(clippy::too_many_arguments, reason = "structure and text of one API come together here")]
    fn slots(
        &mut self,
        place: &str,
        resource: &Resource,
        structure: &ResourceText,
        operation: &Operation,
        text: &ApiText,
        spoken: &mut SpokenApi,
        wordings: &Wordings,
    ) -> IndexMap<String, Slot> {
        let mut slots = IndexMap::new();
        if operation.names_row() {
            slots.insert(resource.parameter(), Slot { own: true, ..slot(identifier(resource), true) });
        }
        if takes_fields(operation) {
            for name in operation.fields() {
                let Some(field) = resource.fields.get(name) else { continue };
                let from = structure.fields.get(name).map_or(&[][..], |field| &field.from);
                slots.insert(name.to_owned(), Slot { from: named(from), ..slot(field.clone(), true) });
            }
        }
        let with = text.with.iter().map(|(name, field)| (name, field, true));
        for (name, field, required) in with.chain(text.optional.iter().map(|(name, field)| (name, field, false))) {
            let label = spoken.parameters.shift_remove(name);
            let own = || resource.fields.get(name).map(|field| field.label.clone());
            let label = label.or_else(own).unwrap_or_else(|| {
                self.text_fault(format!("no text for the parameter `{name}` of {place}"));
                String::new()
            });
            let at = format!("the parameter `{name}` of {place}");
            let content = self.field(&at, name, field, label, wordings);
            let new = Slot { from: named(&field.from), open: field.open, ..slot(content, required) };
            if slots.insert(name.clone(), new).is_some() {
                self.structure_fault(format!("{place} has the duplicate parameter `{name}`"));
            }
        }
        slots
    }

    /// Gives every `from` the field of the answer that it means.
    pub(super) fn link_sources(&mut self, domain: &mut Domain) {
        let mut linked = Vec::new();
        for (function, api) in &domain.apis {
            for (name, slot) in &api.slots {
                for source in &slot.from {
                    let found = answering(domain, &source.tool, &slot.field);
                    linked.push((function.clone(), name.clone(), source.clone(), found));
                }
            }
        }
        for (function, name, source, found) in linked {
            let Some(slot) = domain.apis.get_mut(&function).and_then(|api| api.slots.get_mut(&name)) else { continue };
            match found {
                Ok(new) => slot.from.iter_mut().filter(|it| **it == source).for_each(|it| *it = new.clone()),
                Err(message) => self.structure_fault(format!("`from` of `{name}` in `{function}`: {message}")),
            }
        }
    }
}

/// The field of an API's answer that holds what a parameter holds.
fn answering(domain: &Domain, function: &str, wanted: &Field) -> Result<Source, String> {
    let api = domain.apis.get(function).ok_or_else(|| format!("unknown tool `{function}`"))?;
    let fits = |answer: &Answer| matches!(answer, Answer::One(field) if field.content == wanted.content);
    let fields: Vec<&String> = api.answer.iter().filter(|(_, answer)| fits(answer)).map(|(name, _)| name).collect();
    match fields.as_slice() {
        [field] => Ok(Source { tool: api.tool.clone(), field: format!("/{field}") }),
        [] => Err(format!("no field of the same kind in the answer of `{function}`")),
        _ => Err(format!("several fields of the same kind in the answer of `{function}`")),
    }
}

fn answer(resource: &Resource, operation: &Operation) -> IndexMap<String, Answer> {
    let own = || (resource.parameter(), Answer::One(identifier(resource)));
    let value = |name: &String| Some((name.clone(), Answer::One(resource.fields.get(name)?.clone())));
    match operation {
        Operation::Get(names) => names.iter().filter_map(value).collect(),
        Operation::Find(_) | Operation::Latest(_) | Operation::Create(_) => IndexMap::from([own()]),
        Operation::List(_) => {
            IndexMap::from([(format!("{}s", resource.parameter()), Answer::Many(identifier(resource)))])
        }
        Operation::Update(_) | Operation::Delete => IndexMap::from([own(), (STATUS.to_owned(), Answer::Status)]),
        Operation::Set(values) => {
            let set = values.iter().map(|(name, value)| (name.clone(), set_answer(resource, name, value)));
            std::iter::once(own()).chain(set).collect()
        }
        Operation::Answer(fields) => {
            fields.iter().map(|(name, field)| (name.clone(), Answer::One(field.clone()))).collect()
        }
    }
}

fn set_answer(resource: &Resource, name: &str, value: &Value) -> Answer {
    match (resource.fields.get(name), value) {
        (Some(field), _) => Answer::One(field.clone()),
        (None, Value::String(text)) => {
            let content = Content::Listed(vec![text.clone()]);
            Answer::One(Field { content, type_name: "string".to_owned(), ..Field::default() })
        }
        (None, _) => Answer::One(Field { type_name: value.type_name().to_owned(), ..Field::default() }),
    }
}

fn takes_fields(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Find(_) | Operation::Latest(_) | Operation::List(_) | Operation::Update(_) | Operation::Create(_)
    )
}

/// The identifier of a resource's rows, as a field.
fn identifier(resource: &Resource) -> Field {
    let content = Content::Reference(resource.name.clone());
    Field { label: resource.noun.clone(), content, type_name: "string".to_owned(), ..Field::default() }
}

fn slot(field: Field, required: bool) -> Slot {
    Slot { field, required, open: false, own: false, from: Vec::new() }
}

/// Sources that still lack their field.
fn named(functions: &[String]) -> Vec<Source> {
    functions.iter().map(|function| Source { tool: function.clone(), field: String::new() }).collect()
}

pub(super) fn scalar(value: &toml::Value) -> Option<Value> {
    match value {
        toml::Value::String(text) => Some(Value::from(text.as_str())),
        toml::Value::Integer(number) => Some(Value::from(*number)),
        toml::Value::Float(number) => Some(Value::from(*number)),
        toml::Value::Boolean(bool) => Some(Value::Bool(*bool)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolset::resources::testing::{STRUCTURE, TEXT, bank, load, structure_faults, text_faults};

    fn names<'a>(map: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
        map.map(String::as_str).collect()
    }

    #[test]
    fn parameters_and_answers_follow_from_the_operation() {
        let domain = bank("en");
        let cases: [(&str, &[&str], &[&str]); 9] = [
            ("getAccountBalance", &["accountId"], &["balance"]),
            ("findCustomerByName", &["name", "birthDate"], &["customerId"]),
            ("getLatestAccount", &["customerId"], &["accountId"]),
            ("listCustomerAccounts", &["customerId", "type"], &["accountIds"]),
            ("updateCustomerPhone", &["customerId", "phone"], &["customerId", "status"]),
            ("transferMoney", &["fromAccountId", "toAccountId", "amount", "day"], &["transferId"]),
            ("removeCustomer", &["customerId"], &["customerId", "status"]),
            ("freezeAccount", &["accountId", "reason"], &["accountId", "state"]),
            ("quoteInterest", &["amount", "months", "currency"], &["rate"]),
        ];
        for (function, slots, answer) in cases {
            let api = domain.api(function).unwrap();
            assert_eq!((names(api.slots.keys()), names(api.answer.keys())), (slots.to_vec(), answer.to_vec()));
        }
    }

    #[test]
    fn a_slot_knows_whether_it_is_needed_free_or_the_row_itself() {
        let domain = bank("en");
        let freeze = domain.api("bank.freezeAccount").unwrap();
        assert!(freeze.slots["accountId"].own && freeze.slots["reason"].open && freeze.slots["reason"].required);
        assert_eq!(freeze.slots["reason"].field.label, "reason for the freeze");
        let list = domain.api("listCustomerAccounts").unwrap();
        assert!(!list.slots["type"].required && !list.slots["customerId"].own);
        assert_eq!(list.slots["type"].field.label, "type", "the field's own");
    }

    #[test]
    fn a_value_from_an_answer_names_its_field() {
        let source = Source { tool: "bank.getAccountBalance".to_owned(), field: "/balance".to_owned() };
        assert_eq!(bank("en").api("transferMoney").unwrap().slots["amount"].from, [source]);
    }

    #[track_caller]
    fn tool(new: &str, expected: &[&str]) {
        let expected: Vec<String> = expected.iter().map(|it| format!("resources/cards.toml: {it}")).collect();
        let faults = structure_faults("{ get = [\"limit\"] }", new).into_iter();
        assert_eq!(faults.filter(|fault| fault.starts_with("resources/")).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn an_api_has_one_operation_on_fields_that_are_there() {
        let place = "`getLimit` of `card`";
        tool("{}", &[&format!("{place} must have exactly one operation, found 0")]);
        tool("{ delete = false }", &[&format!("{place} must have exactly one operation, found 0")]);
        tool("{ get = [\"limit\"], delete = true }", &[&format!("{place} must have exactly one operation, found 2")]);
        tool("{ get = [] }", &[&format!("{place}: `get` has no fields")]);
        tool("{ get = [\"limt\"] }", &[&format!("{place}: unknown field `limt` of `card`")]);
        tool("{ get = [\"limit\", \"limit\"] }", &[&format!("{place} has the duplicate field `limit`")]);
    }

    #[test]
    fn what_is_set_is_listed() {
        tool(
            "{ set = { state = \"gone\" } }",
            &["`getLimit` of `card` sets `state` to `gone`, which is not a listed value"],
        );
        let message = "`getLimit` of `card` sets `state` to a value that is not a string, number or boolean";
        tool("{ set = { state = [] } }", &[message]);
        assert!(load(&STRUCTURE.replace("get = [\"limit\"]", "set = { limit = 4, note = \"x\" }"), TEXT).is_ok());
    }

    #[test]
    fn parameters_besides_have_text_and_their_own_names() {
        let with = "{ get = [\"limit\"], with = { cardId = \"city\" } }";
        let faults = structure_faults("{ get = [\"limit\"] }", with);
        assert_eq!(
            faults,
            [
                "en/cards.toml: no text for the parameter `cardId` of `getLimit` of `card`",
                "resources/cards.toml: `getLimit` of `card` has the duplicate parameter `cardId`"
            ]
        );
        let spoken = "[card.tools.getLimit.parameters]\nfar = \"x\"\n";
        let faults = load(STRUCTURE, &format!("{TEXT}{spoken}")).unwrap_err();
        assert_eq!(faults, ["en/cards.toml: unused text for the parameter `far` of `getLimit` of `card`"]);
    }

    #[test]
    fn every_tool_has_text_with_slots_of_its_own() {
        let faults = text_faults("{cardId}", "{card}");
        let message =
            "an intent of `getLimit` of `card`: `see how far {card} goes` contains `card`, which is not available here";
        assert_eq!(faults, [format!("en/cards.toml: {message}")]);
        assert_eq!(
            text_faults("[\"see how far {cardId} goes\"]", "[]"),
            ["en/cards.toml: `getLimit` of `card` has no intents"]
        );
        let faults = text_faults("[card.tools.getLimit]", "[card.tools.getLimits]");
        assert_eq!(
            faults,
            [
                "en/cards.toml: no text for the tool `getLimit` of `card`",
                "en/cards.toml: text for an unknown tool `getLimits` of `card`"
            ]
        );
    }

    #[test]
    fn a_source_is_an_api_with_one_such_field() {
        let with = |from: &str| {
            let tools = format!(
                "getLimit = {{ get = [\"limit\"], with = {{ far = {{ kind = \"amount\", from = [\"{from}\"] }} }} }}"
            );
            let structure = STRUCTURE.replace("getLimit = { get = [\"limit\"] }", &tools);
            let text = format!("{TEXT}[card.tools.getLimit.parameters]\nfar = \"reach\"\n");
            load(&structure, &text).err()
        };
        assert_eq!(with("getLimit"), None);
        let fault = "resources/cards.toml: `from` of `far` in `getLimit`: unknown tool `getFar`".to_owned();
        assert_eq!(with("getFar"), Some(vec![fault]));
    }
}
