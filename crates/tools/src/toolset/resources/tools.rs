//! The tools that follow from a domain's declaration: what a model is shown.

use super::domain::{Answer, Api, Content, Domain, Field, Slot};
use fcgen_core::locale::ResourcePhrases;
use fcgen_core::record::{Parameter, Parameters, Tool, Yield};
use serde_json::{Map, Value as Json, json};

/// The tools of a domain, described in the words of its language.
pub(super) fn tools(domain: &Domain, phrases: &ResourcePhrases) -> Vec<Tool> {
    domain.apis.values().map(|api| View { domain, phrases }.tool(api)).collect()
}

struct View<'a> {
    domain: &'a Domain,
    phrases: &'a ResourcePhrases,
}

impl View<'_> {
    fn tool(&self, api: &Api) -> Tool {
        let mut tool = Tool {
            name: api.tool.clone(),
            description: api.description.clone(),
            parameters: self.parameters(api),
            returns: Some(self.returns(api)),
            ..Tool::default()
        };
        for (name, slot) in &api.slots {
            self.note(&mut tool, name, slot);
        }
        tool.yields = api.answer.iter().filter_map(|(name, answer)| self.yielded(name, answer)).collect();
        tool
    }

    fn note(&self, tool: &mut Tool, name: &str, slot: &Slot) {
        match &slot.field.content {
            Content::Kind(kind) => drop(tool.kinds.insert(name.to_owned(), kind.clone())),
            Content::Reference(of) => drop(tool.refers.insert(name.to_owned(), self.domain.qualified(of))),
            Content::Listed(_) | Content::Boolean => {
                let wordings = slot.field.wordings.clone();
                tool.wordings.insert(name.to_owned(), wordings);
            }
        }
        if !slot.from.is_empty() {
            tool.from.insert(name.to_owned(), slot.from.clone());
        }
    }

    fn parameters(&self, api: &Api) -> Parameters {
        let required = api.slots.iter().filter(|(_, slot)| slot.required).map(|(name, _)| name.clone()).collect();
        let properties = api.slots.iter().map(|(name, slot)| (name.clone(), self.parameter(slot))).collect();
        Parameters { properties, required, ..Parameters::default() }
    }

    fn parameter(&self, slot: &Slot) -> Parameter {
        let Field { content, type_name, day, .. } = &slot.field;
        let values = match content {
            Content::Listed(values) => Some(values.iter().map(|value| Json::from(value.as_str())).collect()),
            _ => None,
        };
        let mut more = Map::new();
        if *day {
            more.insert("format".to_owned(), "date".into());
        }
        let description =
            if slot.open { self.fill(&self.phrases.open, &slot.field) } else { self.describe(&slot.field, slot.own) };
        Parameter { kind: Some(type_name.as_str().into()), description, values, more, ..Parameter::default() }
    }

    fn returns(&self, api: &Api) -> Json {
        let properties: Map<String, Json> =
            api.answer.iter().map(|(name, answer)| (name.clone(), self.answer(api, name, answer))).collect();
        json!({"type": "object", "properties": properties})
    }

    fn answer(&self, api: &Api, name: &str, answer: &Answer) -> Json {
        match answer {
            Answer::Status => json!({"type": "string", "description": self.phrases.status}),
            Answer::Many(field) => {
                let description = self.fill(&self.phrases.identifiers, field);
                json!({"type": "array", "description": description, "items": {"type": "string"}})
            }
            Answer::One(field) => {
                let own = field.content.reference() == Some(&api.resource) && !is_field(self.domain, api, name);
                let slot = Slot { field: field.clone(), required: true, open: false, own, from: Vec::new() };
                serde_json::to_value(self.parameter(&slot)).unwrap_or_default()
            }
        }
    }

    fn describe(&self, field: &Field, own: bool) -> Option<String> {
        let pattern = match &field.content {
            Content::Reference(_) if own => &self.phrases.identifier,
            Content::Reference(_) => &self.phrases.reference,
            _ if field.day => &self.phrases.day,
            _ => &self.phrases.value,
        };
        self.fill(pattern, field)
    }

    /// A description; none where the text has no word for the field.
    fn fill(&self, pattern: &str, field: &Field) -> Option<String> {
        let of = field.content.reference().and_then(|of| self.domain.resources.get(of));
        let (noun, shape) = of.map(|of| (of.noun.clone(), of.shape.to_string())).unwrap_or_default();
        let text = pattern.replace("{label}", &field.label).replace("{noun}", &noun).replace("{shape}", &shape);
        (!field.label.is_empty()).then_some(text)
    }

    fn yielded(&self, name: &str, answer: &Answer) -> Option<(String, Yield)> {
        let (field, pointer) = match answer {
            Answer::One(field) => (field, format!("/{name}")),
            Answer::Many(field) => (field, format!("/{name}/0")),
            Answer::Status => return None,
        };
        let refers = field.content.reference().map(|of| self.domain.qualified(of));
        let kind = field.content.kind().map(str::to_owned);
        (refers.is_some() || kind.is_some()).then_some((pointer, Yield { refers, kind }))
    }
}

/// Whether an answer's name is a field of the resource, such as a reference to another of the same.
fn is_field(domain: &Domain, api: &Api, name: &str) -> bool {
    domain.resources.get(&api.resource).is_some_and(|resource| resource.fields.contains_key(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fcgen_core::record::Source;

    fn tool(locale: &str, function: &str) -> Tool {
        let toolset = crate::fixtures::toolset("tests/fixtures/toolsets/office", locale);
        toolset.tool(&format!("bank.{function}")).unwrap().as_ref().clone()
    }

    #[test]
    fn a_model_is_shown_types_days_and_listed_values() {
        let tool = tool("en", "transferMoney");
        assert_eq!(
            serde_json::to_string(&tool.parameters).unwrap(),
            r#"{"type":"object","properties":{"fromAccountId":{"type":"string","description":"source account, an identifier such as AC@###"},"toAccountId":{"type":"string","description":"target account, an identifier such as AC@###"},"amount":{"type":"number","description":"amount"},"day":{"type":"string","description":"day of the transfer, as YYYY-MM-DD","format":"date"}},"required":["fromAccountId","toAccountId","amount"]}"#
        );
        let currency = &self::tool("en", "quoteInterest").parameters.properties["currency"];
        assert_eq!(currency.values.as_ref().unwrap().len(), 2);
    }

    #[test]
    fn an_answer_is_a_schema_of_its_own() {
        assert_eq!(
            tool("en", "listCustomerAccounts").returns.unwrap().to_string(),
            r#"{"type":"object","properties":{"accountIds":{"type":"array","description":"identifiers of the account entries, such as AC@###","items":{"type":"string"}}}}"#
        );
        let updated = tool("ko", "updateCustomerPhone").returns.unwrap();
        assert_eq!(updated["properties"]["customerId"]["description"], "고객 식별자(예: CU#####)");
        assert_eq!(updated["properties"]["status"]["type"], "string");
        let owner = tool("en", "getAccountOwner").returns.unwrap();
        assert_eq!(owner["properties"]["customerId"]["description"], "owner, an identifier such as CU#####");
    }

    #[test]
    fn references_kinds_and_sources_are_noted() {
        let transfer = tool("en", "transferMoney");
        assert_eq!(transfer.refers["toAccountId"], "bank.account");
        assert_eq!((transfer.kinds["amount"].as_str(), transfer.kinds.len()), ("amount", 2));
        let source = Source { tool: "bank.getAccountBalance".to_owned(), field: "/balance".to_owned() };
        assert_eq!(transfer.from["amount"], [source]);
        let yields = |function: &str| tool("en", function).yields;
        assert_eq!(yields("listCustomerAccounts")["/accountIds/0"].refers.as_deref(), Some("bank.account"));
        assert_eq!(yields("getAccountBalance")["/balance"].kind.as_deref(), Some("amount"));
        assert_eq!(yields("updateCustomerPhone").len(), 1, "a status is nobody's parameter");
    }

    #[test]
    fn free_text_and_identifiers_say_what_they_are() {
        let freeze = tool("en", "freezeAccount");
        let described = |name: &str| freeze.parameters.properties[name].description.clone().unwrap();
        assert_eq!(described("reason"), "reason for the freeze, in free text");
        assert_eq!(described("accountId"), "identifier of the account, such as AC@###");
        assert!(freeze.wordings.is_empty());
        assert_eq!(tool("en", "setPaperless").wordings["paperless"]["true"], ["online", "electronic"]);
    }
}
