//! A domain whose APIs are declared by resource, in one locale: what is called, what it takes and answers, what people say.
//!
//! Everything here was checked when it was loaded: every name that one part mentions is there.

use super::shape::Shape;
use fcgen_core::locale::Pattern;
use fcgen_core::record::{Object, Source};
use indexmap::IndexMap;

/// A domain: a few things with a few operations each.
#[derive(Debug, Clone, Default)]
pub struct Domain {
    /// Its name, with which its tools' names begin.
    pub name: String,
    /// Its title, in the locale's language.
    pub title: String,
    /// What it is about, for a model that invents such APIs.
    pub scenario: String,
    /// The things, by name.
    pub resources: IndexMap<String, Resource>,
    /// The APIs, by function name (`getCustomerBranch`), resource by resource.
    pub apis: IndexMap<String, Api>,
    /// What people come with, by name: which APIs they want together, and why.
    pub matters: IndexMap<String, Matter>,
    /// What one unit of something is worth in the locale's money, by its name (`yen`).
    pub worth: IndexMap<String, f64>,
}

/// A reason for which people want several APIs together.
#[derive(Debug, Clone, Default)]
pub struct Matter {
    /// The APIs by function name, in the order in which they would be asked for; any two of them go together.
    pub calls: Vec<String>,
    /// Values that arguments have in this matter, by parameter.
    pub given: Object,
    /// What happened, over fields of the things that it is about (`{customer.fullName}`): a sentence, or a clause (with
    /// a comma at its end) that the request follows.
    pub says: Vec<Saying>,
}

/// A thing with an identifier and fields.
#[derive(Debug, Clone, Default)]
pub struct Resource {
    /// Its name within the domain.
    pub name: String,
    /// What people call such a thing.
    pub noun: String,
    /// The shape of its identifiers.
    pub shape: Shape,
    /// Rows of its table.
    pub rows: usize,
    /// Its fields besides the identifier.
    pub fields: IndexMap<String, Field>,
    /// Noun phrases for one by its identifier, over `{id}`.
    pub called: Vec<Saying>,
    /// Noun phrases for one that was mentioned.
    pub again: Vec<Saying>,
    /// Noun phrases for one that an earlier call of the same request made.
    pub fresh: Vec<Saying>,
}

/// What a field or a parameter holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Field {
    /// A noun phrase for it; empty where the text has none.
    pub label: String,
    /// Where its values come from.
    pub content: Content,
    /// The JSON type.
    pub type_name: String,
    /// Whether its values are days, written as `YYYY-MM-DD`.
    pub day: bool,
    /// How people say its listed values, each by at least one wording; `true` and `false` for a boolean.
    pub wordings: IndexMap<String, Vec<String>>,
    /// The field or parameter that holds an earlier day, and how many days later this one is, at least and at most.
    pub after: Option<(String, [i64; 2])>,
    /// The values that this one follows from: a number from numbers, any other from the one that it is equal to.
    pub follows: Option<Formula>,
}

/// How a number follows from others of the same row or call. A name is that of a field or parameter, or of a field of
/// what it refers to (`fromAccountId.balance`).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Formula {
    /// What is multiplied.
    pub product: Vec<String>,
    /// By what that is divided.
    pub over: Vec<String>,
    /// The factor, at least and at most: `[0.1, 0.6]` for a part, `[1, 1]` for the very number.
    pub by: [f64; 2],
}

/// Where the values of a field come from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Content {
    /// `true` and `false`.
    #[default]
    Boolean,
    /// A value kind of the locale.
    Kind(String),
    /// One of these.
    Listed(Vec<String>),
    /// The identifier of a resource of the same domain.
    Reference(String),
}

/// What an API does with its resource's table. The names are those of fields.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Reads fields of one row.
    Get(Vec<String>),
    /// Finds the one row with these values.
    Find(Vec<String>),
    /// Finds the newest row with these values.
    Latest(Vec<String>),
    /// Names all rows with these values.
    List(Vec<String>),
    /// Changes fields of one row to what is given.
    Update(Vec<String>),
    /// Makes a row.
    Create(Vec<String>),
    /// Takes a row away.
    Delete,
    /// Changes fields of one row to fixed values.
    Set(Object),
    /// Answers with these fields, the same for the same arguments; no table is involved.
    Answer(IndexMap<String, Field>),
}

/// One API.
#[derive(Debug, Clone)]
pub struct Api {
    /// The tool's full name: `<domain>.<function>`.
    pub tool: String,
    /// The resource under which it is declared.
    pub resource: String,
    /// What it does.
    pub operation: Operation,
    /// What it takes, required parameters first.
    pub slots: IndexMap<String, Slot>,
    /// The fields of its answer.
    pub answer: IndexMap<String, Answer>,
    /// What it does, in the locale's language.
    pub description: String,
    /// Requests in the form that the locale's frames wrap, over the names of its parameters.
    pub intents: Vec<Saying>,
    /// Noun phrases for what comes out, over the same slots.
    pub phrases: Vec<Saying>,
}

/// A parameter of an API.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// What it holds.
    pub field: Field,
    /// Whether a complete call has it.
    pub required: bool,
    /// Whether it is free text, for which any wording is right.
    pub open: bool,
    /// Whether it is the identifier of the row that the API works on.
    pub own: bool,
    /// The APIs whose answer may stand in for the value.
    pub from: Vec<Source>,
}

/// One field of an API's answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A value, or the identifier of one row.
    One(Field),
    /// The identifiers of several rows.
    Many(Field),
    /// What a call that changes something says about it.
    Status,
}

/// A pattern with the text that it was read from.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Saying {
    /// The text, for people who mend it.
    pub text: String,
    /// What it says.
    pub pattern: Pattern,
}

impl Domain {
    /// The API of that name: a tool's full name (`banking.getCustomerBranch`) or the function's alone.
    pub fn api(&self, name: &str) -> Option<&Api> {
        let function = name.strip_prefix(&self.name).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name);
        self.apis.get(function)
    }

    /// The APIs that are declared under a resource.
    pub fn apis_of<'a>(&'a self, resource: &'a str) -> impl Iterator<Item = &'a Api> {
        self.apis.values().filter(move |api| api.resource == resource)
    }

    /// The name of a resource within the whole toolset: `banking.account`.
    pub fn qualified(&self, resource: &str) -> String {
        format!("{}.{resource}", self.name)
    }
}

impl Resource {
    /// The name of the parameter that takes its identifier: `accountId`.
    pub fn parameter(&self) -> String {
        format!("{}Id", self.name)
    }
}

impl Api {
    /// The function's own name.
    pub fn function(&self) -> &str {
        self.tool.rsplit('.').next().unwrap_or(&self.tool)
    }

    /// The parameters that name a row, each with the resource.
    pub fn identifiers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.slots.iter().filter_map(|(name, slot)| Some((name.as_str(), slot.field.content.reference()?)))
    }

    /// The resources of which the answer holds an identifier, each with the field's name.
    pub fn found(&self) -> impl Iterator<Item = (&str, &str)> {
        self.answer.iter().filter_map(|(name, answer)| match answer {
            Answer::One(field) => Some((name.as_str(), field.content.reference()?)),
            Answer::Many(_) | Answer::Status => None,
        })
    }
}

impl Operation {
    /// The operation's word in a declaration.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Get(_) => "get",
            Self::Find(_) => "find",
            Self::Latest(_) => "latest",
            Self::List(_) => "list",
            Self::Update(_) => "update",
            Self::Create(_) => "create",
            Self::Delete => "delete",
            Self::Set(_) => "set",
            Self::Answer(_) => "answer",
        }
    }

    /// The fields that it names, in their declared order.
    pub fn fields(&self) -> Vec<&str> {
        match self {
            Self::Get(names)
            | Self::Find(names)
            | Self::Latest(names)
            | Self::List(names)
            | Self::Update(names)
            | Self::Create(names) => names.iter().map(String::as_str).collect(),
            Self::Set(values) => values.keys().map(String::as_str).collect(),
            Self::Answer(fields) => fields.keys().map(String::as_str).collect(),
            Self::Delete => Vec::new(),
        }
    }

    /// Whether it works on one row that is named by its identifier.
    pub fn names_row(&self) -> bool {
        matches!(self, Self::Get(_) | Self::Update(_) | Self::Delete | Self::Set(_))
    }

    /// Whether it changes the world.
    pub fn changes(&self) -> bool {
        matches!(self, Self::Update(_) | Self::Create(_) | Self::Delete | Self::Set(_))
    }
}

impl Content {
    /// The resource that it is an identifier of.
    pub fn reference(&self) -> Option<&str> {
        match self {
            Self::Reference(resource) => Some(resource),
            _ => None,
        }
    }

    /// The value kind.
    pub fn kind(&self) -> Option<&str> {
        match self {
            Self::Kind(kind) => Some(kind),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::toolset::resources::testing::bank;

    #[test]
    fn an_api_is_found_by_either_name() {
        let domain = bank("en");
        let api = domain.api("bank.getAccountOwner").unwrap();
        assert_eq!((api.function(), api.tool.as_str()), ("getAccountOwner", "bank.getAccountOwner"));
        assert!(domain.api("getAccountOwner").is_some() && domain.api("shop.getAccountOwner").is_none());
        assert!(domain.api("bankgetAccountOwner").is_none());
        assert_eq!(domain.apis_of("transfer").count(), 3);
        assert_eq!(domain.qualified("account"), "bank.account");
    }

    #[test]
    fn an_api_says_which_rows_it_takes_and_finds() {
        let domain = bank("ko");
        let transfer = domain.api("transferMoney").unwrap();
        let taken: Vec<_> = transfer.identifiers().collect();
        assert_eq!(taken, [("fromAccountId", "account"), ("toAccountId", "account")]);
        assert_eq!(transfer.found().collect::<Vec<_>>(), [("transferId", "transfer")]);
        assert_eq!(domain.api("getAccountBalance").unwrap().found().count(), 0);
        assert_eq!(domain.resources["transfer"].parameter(), "transferId");
    }

    #[test]
    fn an_operation_knows_its_word_and_what_it_does() {
        let domain = bank("en");
        let of = |function: &str| &domain.api(function).unwrap().operation;
        assert_eq!((of("removeCustomer").name(), of("removeCustomer").fields().len()), ("delete", 0));
        assert_eq!(of("freezeAccount").fields(), ["state"]);
        assert!(of("freezeAccount").changes() && of("freezeAccount").names_row());
        assert!(!of("quoteInterest").changes() && !of("findCustomerByPhone").names_row());
        let words: std::collections::BTreeSet<_> = domain.apis.values().map(|api| api.operation.name()).collect();
        assert_eq!(words.len(), 9, "the fixture shows them all");
    }
}
